/* measure_targets.h - kernels measured on one of this machine's devices, and recorded */
#ifndef GCAL_MPI_COMMANDS_PREDICT_MEASURE_TARGETS_H
#define GCAL_MPI_COMMANDS_PREDICT_MEASURE_TARGETS_H

#include "mpi/cli/option_list.h"
#include "mpi/commands/predict/measured.h"

struct gcal_baselines;
struct gcal_error;
struct gcal_params_device;

/* The kernels that a configuration's models predict, or those that tags pick. */
struct gcal_evaluation_targets {
    const char *config;                       /* NULL: the built-in one */
    const struct gcal_option_list *catalogue; /* folders beside those of 'config' */
    const char *model; /* NULL: of all models; with tags, see gcal_predictor_choose() */
    const struct gcal_params_device *published; /* with these models */
    const struct gcal_baselines *baselines;     /* kernels are counted for them, too */
    size_t n_tags;
    const char *const *tags;
};

/* Measures them on the device of this machine that is 'wanted', else on one of its type,
 * as a calibration would but with no budget; of size sweeps the configuration's sizes.
 * 'record' (NULL: none) is the file for the measurements.  Measurements that a device
 * completed before it was given up count.  Kernels that cannot be counted are named
 * on standard error, and numbered in measured->n_left_out.
 */
int gcal_evaluation_measure_targets(const struct gcal_evaluation_targets *targets,
                                    const struct gcal_device_info *wanted,
                                    const char *record,
                                    struct gcal_measured_kernels *measured,
                                    struct gcal_error *err);

/* Makes a measured kernel a target of the model that 'targets' name, or that is chosen
 * for it.
 */
int gcal_evaluation_add_use(const struct gcal_evaluation_targets *targets,
                            struct gcal_measured_kernel *kernel, struct gcal_error *err);

/* What kernels are counted for, so that models and baselines can predict them on 'info'. */
struct gcal_kernel_counting
gcal_evaluation_counting(const struct gcal_evaluation_targets *targets,
                         const struct gcal_device_info *info);

#endif
