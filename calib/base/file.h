/* file.h - contents of files */
#ifndef GCAL_CALIB_BASE_FILE_H
#define GCAL_CALIB_BASE_FILE_H

#include <stddef.h>

struct gcal_error;

/* The contents of a regular file, NUL-terminated, the caller's to free, and their size in
 * '*size' unless that is NULL.  NULL with 'err' (GCAL_EINPUT) if the file cannot be read
 * or has more than 'max_bytes'.
 */
char *gcal_file_read(const char *path, size_t max_bytes, size_t *size,
                     struct gcal_error *err);

#endif
