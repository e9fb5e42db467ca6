/* embed.h - files of the source tree that are data of the program
 *
 * CMake's gcal_embed(NAME FILE...) (embed.cmake) makes of them an array that is declared
 * where it is used:
 *
 *   extern const struct gcal_embedded_file NAME[];
 */
#ifndef GCAL_KERNELS_BASE_EMBED_H
#define GCAL_KERNELS_BASE_EMBED_H

#include <stddef.h>

/* The last one of an array has no name. */
struct gcal_embedded_file {
    const char *name; /* without folder */
    const char *text; /* NUL-terminated after 'size' bytes */
    size_t size;
};

#endif
