/* baselines.h - models that the evaluated ones are compared with, on the same kernels
 *
 * A baseline predicts whatever it has no cost for, so that all have the same kernels.
 */
#ifndef GCAL_MPI_COMMANDS_PREDICT_BASELINES_H
#define GCAL_MPI_COMMANDS_PREDICT_BASELINES_H

#include "kernels/generate/generate.h"
#include "mpi/commands/predict/compare.h"
#include "store/params/params.h"

struct gcal_error;

struct gcal_baselines {
    size_t n;
    struct gcal_baseline *items;
    struct gcal_params params; /* of a file; else empty */
};

/* A model, and what it is called beside the evaluated ones. */
struct gcal_baseline {
    char *label; /* its name, or "NAME of FILE" where 'device' has a model of that name */
    const struct gcal_params_device *device;
    const struct gcal_params_model *model;
};

/* The general models that the parameter file has for 'device' or another of its type; NULL:
 * those of the device itself that are called roofline, linear or overlap.  Clear the list
 * in any case; -1 if there are none.
 */
int gcal_baselines_open(const char *file, const struct gcal_params_device *device,
                        struct gcal_baselines *baselines, struct gcal_error *err);
void gcal_baselines_clear(struct gcal_baselines *baselines);

/* Adds what kernels are counted for, so that the baselines can predict them. */
void gcal_baselines_add_counting(const struct gcal_baselines *baselines,
                                 struct gcal_kernel_counting *counting);

/* Appends a row by each baseline for every kernel that 'evaluation' has a prediction of,
 * and sorts the rows.
 */
int gcal_baselines_compare(const struct gcal_baselines *baselines,
                           const struct gcal_measured_kernels *measured,
                           struct gcal_evaluation *evaluation, struct gcal_error *err);

#endif
