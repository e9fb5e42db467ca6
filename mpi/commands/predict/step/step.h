/* step.h - a step of copies to the device, a kernel and copies back, as options describe it
 *
 * --copy-in and --copy-out take BYTES[:MEMORY]: an expression in the kernel's sizes, or auto,
 * which is one copy for each buffer that the kernel reads, or writes, with the extent that its
 * accesses have.  Each copy of BYTES is one.
 */
#ifndef GCAL_MPI_COMMANDS_PREDICT_STEP_H
#define GCAL_MPI_COMMANDS_PREDICT_STEP_H

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "mpi/cli/option_list.h"
#include "store/predict/transfers.h"

struct gcal_arena;
struct gcal_count_options;
struct gcal_error;
struct gcal_kernel;
struct gcal_params_device;
struct gcal_prediction;
struct gcal_profile;

struct gcal_step_options {
    struct gcal_option_list in, out;
};

/* For argp's 'children'; input: struct gcal_step_options. */
extern const struct argp gcal_step_options_argp;
bool gcal_step_options_given(const struct gcal_step_options *options);

/* ---- what is copied ---- */

struct gcal_step_plan;

/* The kernel whose buffers 'auto' means: of the catalogue, at its sizes; or else of the file
 * that the options of counting select, if any.
 */
struct gcal_step_source {
    const struct gcal_profile *profile;
    const struct gcal_count_options *count;
    const struct gcal_kernel *kernel; /* NULL: none */
};

/* NULL with 'err'.  The device must have a model of transfers. */
struct gcal_step_plan *gcal_step_plan_create(struct gcal_arena *arena,
                                             const struct gcal_step_options *options,
                                             const struct gcal_step_source *source,
                                             const struct gcal_params_device *device,
                                             struct gcal_error *err);

/* The step with the kernel's prediction at 'sizes', in the order of the profile's. */
int gcal_step_plan_eval(const struct gcal_step_plan *plan, const double *sizes,
                        const struct gcal_prediction *kernel, struct gcal_step *step,
                        struct gcal_error *err);

/* The same with all copies in that memory of the host; -1 also where the model has no cost of
 * such copies.
 */
int gcal_step_plan_eval_in(const struct gcal_step_plan *plan,
                           enum gcal_feature_host_memory host, const double *sizes,
                           const struct gcal_prediction *kernel, struct gcal_step *step,
                           struct gcal_error *err);

/* ---- its parts ---- */

struct gcal_step_copy {
    const char *buffer; /* NULL: not of a buffer */
    enum gcal_feature_copy_direction way;
    enum gcal_feature_host_memory host;
    double bytes, time_s, low_s, high_s;
    double start_s; /* of its time, what does not depend on bytes */
    bool extrapolates;
};

size_t gcal_step_plan_count(const struct gcal_step_plan *plan);
/* Copy number i, in the order of the options. */
int gcal_step_plan_copy(const struct gcal_step_plan *plan, size_t i, const double *sizes,
                        struct gcal_step_copy *copy, struct gcal_error *err);
const struct gcal_transfers *gcal_step_plan_transfers(const struct gcal_step_plan *plan);

/* ---- output ---- */

/* Lines on standard output: the parts and their sum; and what overlap would give. */
int gcal_step_print(const struct gcal_step_plan *plan, const double *sizes,
                    const struct gcal_prediction *kernel, struct gcal_error *err);
/* A table with a line for each of n rows of sizes and predictions. */
int gcal_step_print_table(const struct gcal_step_plan *plan,
                          const struct gcal_profile *profile, size_t n,
                          const double *sizes, const struct gcal_prediction *kernels,
                          struct gcal_error *err);
/* Further columns of a line of CSV, after its last one. */
#define GCAL_STEP_CSV_COLUMNS                                                            \
    ",copy_in_s,copy_out_s,step_s,step_low_s,step_high_s,step_overlapped_s"
int gcal_step_put_csv(FILE *file, const struct gcal_step_plan *plan, const double *sizes,
                      const struct gcal_prediction *kernel, struct gcal_error *err);
/* Adds step: parts, sum and interval, and the copies, to 'answer'. */
int gcal_step_add_json(json_t *answer, const struct gcal_step_plan *plan,
                       const double *sizes, const struct gcal_prediction *kernel,
                       struct gcal_error *err);

#endif
