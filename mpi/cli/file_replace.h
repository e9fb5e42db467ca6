/* file_replace.h - files that are replaced atomically: readers see the old or the new */
#ifndef GCAL_MPI_CLI_FILE_REPLACE_H
#define GCAL_MPI_CLI_FILE_REPLACE_H

#include <stdio.h>

struct gcal_error;

struct gcal_file_replace {
    FILE *file; /* the temporary file, to write to */
    char *path,
        *temp; /* "FOLDER/.gpucal.XXXXXX", in the folder of 'path'; NULL: 'file' is
                          'path' itself */
};

/* Opens a temporary file; 'r' is { 0 } before.  A 'path' that is not a regular file, such as
 * a device, a pipe or a link, is opened itself, and stays what it is.  GCAL_EINPUT if the
 * folder of 'path', or that file, cannot be written.
 */
int gcal_file_replace_start(struct gcal_file_replace *r, const char *path,
                            struct gcal_error *err);
/* Renames the temporary file, if there is one, to 'path', readable for all. */
int gcal_file_replace_finish(struct gcal_file_replace *r, struct gcal_error *err);
/* Frees, and removes the temporary file if it was not finished. */
void gcal_file_replace_clear(struct gcal_file_replace *r);

#endif
