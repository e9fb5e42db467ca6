/* request.h - which kernel of which source: what counting, work removal and
 * interpreting are asked about
 */
#ifndef GCAL_KERNELS_REQUEST_H
#define GCAL_KERNELS_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/model/feature.h"

/* How often the loop that begins in or after 'line' runs on average, as a parameter. */
struct gcal_count_trips {
    int line;
    const char *parameter;
};

/* Which kernel of which source, and the NDRange that OpenCL C does not contain. */
struct gcal_count_request {
    const char *source;        /* OpenCL C */
    const char *file;          /* its name, for messages */
    const char *kernel;        /* NULL: the only kernel in the source */
    const char *build_options; /* "-DT=16 -cl-mad-enable", or NULL */
    size_t n_dims;             /* 1 to 3 */
    size_t local_size[GCAL_MAX_DIMS];
    const char *global_size[GCAL_MAX_DIMS]; /* expressions in size parameters */
    const char *assume;                     /* "n % 16 = 0 and n >= 16", or NULL */
    size_t sub_group_size; /* 0: counts keep it as the name sub_group_size */
    size_t n_banks;        /* of local memory; 0: no bank conflicts are counted */
    bool index_arithmetic; /* count that in subscripts and loop control too */
    bool allow_estimates;  /* mark what cannot be counted exactly, and do not refuse it */
    size_t n_trips;
    const struct gcal_count_trips *trips; /* for loops whose trip count depends on data */
};

#endif
