/* replace_file.h - a file that others see as a whole or as it was before */
#ifndef GCAL_MPI_CLI_REPLACE_FILE_H
#define GCAL_MPI_CLI_REPLACE_FILE_H

#include <stdio.h>

struct gcal_error;

struct gcal_replacement {
    FILE *file;        /* to write to */
    char *path, *temp; /* "FOLDER/.gpucal.XXXXXX", in the folder of 'path' */
};

/* Starts as { 0 }; GCAL_EINPUT when the folder cannot be written. */
int gcal_replacement_start(struct gcal_replacement *r, const char *path,
                           struct gcal_error *err);
/* Puts what was written in the place of 'path', readable for all. */
int gcal_replacement_finish(struct gcal_replacement *r, struct gcal_error *err);
/* Frees; where it was not finished, nothing is left of it. */
void gcal_replacement_clear(struct gcal_replacement *r);

#endif
