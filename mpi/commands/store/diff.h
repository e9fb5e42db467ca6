/* diff.h - tables and JSON of gpucal diff */
#ifndef GCAL_MPI_COMMANDS_STORE_DIFF_H
#define GCAL_MPI_COMMANDS_STORE_DIFF_H

#include <jansson.h>
#include <stdbool.h>

#include "calib/compare/compare.h"
#include "store/params/diff.h"

struct gcal_diff_view {
    const char *before, *after; /* the two files */
    double warn, fail;          /* relative slowdowns: a warning, a failure */
    bool all;                   /* equal ones as well */
};

#endif
