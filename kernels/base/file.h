/* file.h - contents of files, and where they are */
#ifndef GCAL_KERNELS_BASE_FILE_H
#define GCAL_KERNELS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;

/* A descriptor of a regular file, for reading: opening anything else, as a FIFO, neither waits
 * nor succeeds.  -1 with 'err' (GCAL_EINPUT).
 */
int gcal_file_open(const char *path, struct gcal_error *err);

/* The contents of such a file, or of standard input ("-"), NUL-terminated, the caller's to free, and their size in
 * '*size' unless that is NULL: then they are a text, and a NUL byte, which would end it, is
 * refused.  NULL with 'err' (GCAL_EINPUT) if the file cannot be read or has more than
 * 'max_bytes'.
 */
char *gcal_file_read(const char *path, size_t max_bytes, size_t *size,
                     struct gcal_error *err);

/* Returns whether the opened file or folder is on a file system that other nodes may share; also if
 * that cannot be known.
 */
bool gcal_file_is_on_network(int fd);

#endif
