/* tune.h - choosing among the configurations of a kernel: its space, their predicted and
 * measured times, and the search
 *
 * What belongs to a space or to times lives in the arena that they were made in.
 */
#ifndef GCAL_MPI_COMMANDS_TUNE_H
#define GCAL_MPI_COMMANDS_TUNE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/arena.h"
#include "kernels/base/strings.h"

struct gcal_catalogue;
struct gcal_error;
struct gcal_kernel;
struct gcal_kernel_list;
struct gcal_option_list;
struct gcal_params_device;

/* ---- the space ---- */

/* Arguments with their values, as in the names of kernels and configurations. */
struct gcal_tune_argument {
    const char *name, *value; /* "N", "128" */
};

struct gcal_tune_arguments {
    size_t n, capacity;
    struct gcal_tune_argument *all;
};

/* What varies between configurations: a work-group size, a define. */
struct gcal_tune_parameter {
    const char *name;
    size_t n_values;
    const char *
        *values; /* as in tags; NULL, the last: its kernel has no such parameter */
    size_t capacity;
};

struct gcal_tune_config {
    size_t *values;             /* by parameter: which of its values */
    const char *name;           /* "N:128 F:32": the parameters that vary */
    struct gcal_kernel *kernel; /* counted; NULL: a profile */
    double predicted_s;         /* NaN: no prediction */
    double low_s, high_s;       /* 90 % interval */
    double not_covered;         /* share of its work that the model has no cost for */
    double beats_first; /* probability that it is faster than the first of the ranking;
                            NaN: it is not covered */
    bool extrapolates;  /* outside the calibrated range */
    const char *not_predicted; /* why it has no prediction; NULL */
};

/* All zero: empty. */
struct gcal_tune_space {
    const char
        *kernel; /* name for people: "gemm", "kmeans dtype:float32 K:64 M:1048576" */
    struct gcal_tune_arguments fixed; /* of that name: what all configurations share */
    size_t n_parameters;
    struct gcal_tune_parameter *parameters;
    size_t n_configs;
    struct gcal_tune_config *configs;

    const char *node, *device, *model; /* of the predictions */
    size_t *ranking;  /* n_configs: the covered ones, the fastest first; those with work
                         that the model has no cost for; those without a prediction */
    size_t n_covered; /* the first ones of the ranking */
    double fastest;   /* probability that the first is the fastest of the covered */
    size_t n_reasons, n_left_out; /* configurations without a place in 'configs' */
    const char **reasons; /* "16 need larger work-groups than the device allows" */
    struct gcal_kernel_list *kernels; /* of the configurations */
};

/* What configurations are made from. */
struct gcal_tune_entry {
    struct gcal_catalogue *catalogue;
    struct gcal_strings tags;       /* that pick its configurations; no size has several
                                       values */
    struct gcal_strings parameters; /* named even where they have one value */
};

/* The configurations that the device can run, of the kernel with the sizes of the tags
 * "n:4096", counted, predicted by 'model' (NULL: the one made for most of them, else the
 * general one) and ranked.  -1 with 'err' if there is none, or none can be predicted.
 */
int gcal_tune_space_open(struct gcal_arena *arena, const struct gcal_tune_entry *entry,
                         size_t n_sizes, const char *const *sizes, const char *node,
                         const struct gcal_params_device *device, const char *model,
                         struct gcal_tune_space *space, struct gcal_error *err);

/* The space of counted kernels: each file at each combination of its sizes, of which 'ats' has
 * the values, is a configuration.
 */
int gcal_tune_space_open_profiles(struct gcal_arena *arena,
                                  const struct gcal_option_list *files,
                                  const struct gcal_option_list *ats, const char *node,
                                  const struct gcal_params_device *device,
                                  const char *model, struct gcal_tune_space *space,
                                  struct gcal_error *err);

/* The value of a configuration's parameter, "128"; NULL: its kernel has no such parameter.
 */
const char *gcal_tune_value(const struct gcal_tune_space *space, size_t config,
                            size_t parameter);
/* The words "N:128" of a name, in any order. */
struct gcal_tune_arguments gcal_tune_arguments_read(struct gcal_arena *arena,
                                                    const char *name);
void gcal_tune_arguments_add(struct gcal_arena *arena, struct gcal_tune_arguments *a,
                             const char *name, const char *value);
/* The configuration with these arguments, of which others must not contradict what all
 * configurations share; n_configs: there is none.
 */
size_t gcal_tune_find(struct gcal_arena *arena, const struct gcal_tune_space *space,
                      const struct gcal_tune_arguments *arguments);

/* ---- times ---- */

enum gcal_tune_outcome {
    GCAL_TUNE_TIMED,
    GCAL_TUNE_ABANDONED, /* 'seconds' is a lower bound: too slow to be measured well */
    GCAL_TUNE_FAILED,    /* could not be built or launched; 'why' */
    GCAL_TUNE_WRONG, /* its result is not that of the reference; never chosen; 'why' */
};

struct gcal_tune_time {
    enum gcal_tune_outcome outcome;
    double seconds; /* the median of the launches */
    size_t launches;
    double build_s; /* 0: unknown */
    const char *why;
};

/* Where times come from. */
struct gcal_tune_source {
    /* Configurations that will probably be asked for next, the most probable first; they
     * may be built ahead.  May be NULL.
     */
    void (*announce)(void *context, const size_t *configs, size_t n);
    /* Fills 'time', whose texts are the source's; 'enough_s': longer times need not be
     * exact.  -1 with 'err' only if nothing further can be timed (the device is lost).
     */
    int (*time)(void *context, size_t config, double enough_s,
                struct gcal_tune_time *time, struct gcal_error *err);
    void *context;
};

#endif
