/* tune.h - choosing among the configurations of a kernel: its space, their predicted and
 * measured times, and the search
 */
#ifndef GCAL_MPI_TUNE_H
#define GCAL_MPI_TUNE_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_kernel;

/* ---- the space ---- */

/* What varies between configurations: a work-group size, a define. */
struct gcal_tune_parameter {
    char *name;
    size_t n_values;
    char **values; /* as in tags, in the order given */
};

struct gcal_tune_config {
    size_t *values;                   /* by parameter: which of its values */
    char *name;                       /* "N:128 F:32": the parameters that vary */
    const struct gcal_kernel *kernel; /* counted; NULL: left out */
    char *left_out;                   /* why: "the device allows 1024 work-items"; NULL */
    double predicted_s;               /* NaN: no prediction */
    double misfit;                    /* standard deviation of log(time / prediction) */
    double *roofs;                    /* seconds by the model's roofs; NULL: none */
};

/* All zero: empty. */
struct gcal_tune_space {
    char *kernel; /* name for people: "gemm", "kmeans dtype:float32 K:64 M:1048576" */
    size_t n_parameters;
    struct gcal_tune_parameter *parameters;
    size_t n_configs;
    struct gcal_tune_config *configs;
    size_t n_roofs;
};

/* ---- times ---- */

enum gcal_tune_outcome {
    GCAL_TUNE_TIMED,
    GCAL_TUNE_ABANDONED, /* 'seconds' is a lower bound: too slow to be measured well */
    GCAL_TUNE_FAILED,    /* could not be built or launched; 'why' */
    GCAL_TUNE_WRONG,     /* its result is not that of the reference; never chosen; 'why' */
};

struct gcal_tune_time {
    enum gcal_tune_outcome outcome;
    double seconds; /* the median of the launches */
    size_t launches;
    double build_s; /* 0: unknown */
    char *why;
};

/* Where times come from: a device, or a file of earlier ones. */
struct gcal_tune_source {
    /* Configurations that will probably be asked for next, the most probable first; they
     * may be built ahead.  May be NULL.
     */
    void (*announce)(void *context, const size_t *configs, size_t n);
    /* Fills 'time', whose texts are to be freed; 'enough_s': longer times need not be
     * exact.  -1 with 'err' only if nothing further can be timed (the device is lost).
     */
    int (*time)(void *context, size_t config, double enough_s,
                struct gcal_tune_time *time, struct gcal_error *err);
    void *context;
};

#endif
