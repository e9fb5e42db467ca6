/* file_replace.h - a file that others see as a whole or as it was before */
#ifndef GCAL_MPI_CLI_FILE_REPLACE_H
#define GCAL_MPI_CLI_FILE_REPLACE_H

#include <stdio.h>

struct gcal_error;

struct gcal_file_replace {
    FILE *file;        /* to write to */
    char *path, *temp; /* "FOLDER/.gpucal.XXXXXX", in the folder of 'path' */
};

/* Starts as { 0 }; GCAL_EINPUT when the folder cannot be written. */
int gcal_file_replace_start(struct gcal_file_replace *r, const char *path,
                            struct gcal_error *err);
/* Puts what was written in the place of 'path', readable for all. */
int gcal_file_replace_finish(struct gcal_file_replace *r, struct gcal_error *err);
/* Frees; where it was not finished, nothing is left of it. */
void gcal_file_replace_clear(struct gcal_file_replace *r);

#endif
