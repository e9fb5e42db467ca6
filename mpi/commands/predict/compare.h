/* compare.h - predicts measured kernels with the published models */
#ifndef GCAL_MPI_COMMANDS_PREDICT_COMPARE_H
#define GCAL_MPI_COMMANDS_PREDICT_COMPARE_H

#include "mpi/commands/predict/evaluation.h"
#include "mpi/commands/predict/measured.h"
#include "store/params/params.h"

struct gcal_error;

/* Which kernels by which models. */
struct gcal_evaluation_selection {
    const char *model; /* NULL: any */
    /* None: the target kernels of each model.  Else the kernels of these
     * generators (any of them) with these arguments ("n:1024,2048"), by 'model' or the one
     * that gcal_predictor_choose() finds.
     */
    size_t n_tags;
    const char *const *tags;
    bool
        all_targets; /* without tags: 'model' predicts the target kernels of all models */
};

/* Whether it picks a measured kernel for any of the device's models. */
bool gcal_evaluation_selects(const struct gcal_evaluation_selection *selection,
                             const struct gcal_measured_kernel *kernel,
                             const struct gcal_params_device *device);

/* A model that predicts. */
struct gcal_evaluation_model {
    const struct gcal_params_device *device;
    const char *name; /* NULL: the one that gcal_predictor_choose() finds */
    const char
        *baseline; /* what rows call it, which predicts whatever it has no cost for;
                             NULL: it is evaluated, under its name */
};

/* Appends a row for the kernel, predicted by 'model'. */
int gcal_evaluation_add_kernel(struct gcal_evaluation *evaluation,
                               const struct gcal_measured_kernel *kernel,
                               const struct gcal_evaluation_model *model,
                               struct gcal_error *err);
/* Appends a row for each kernel and model, and sorts them. */
int gcal_evaluation_compare(const struct gcal_evaluation_selection *selection,
                            const struct gcal_measured_kernels *measured,
                            const struct gcal_params_device *device,
                            struct gcal_evaluation *evaluation, struct gcal_error *err);

/* Models that kernels of 'measured' are targets of and that the device has no
 * parameters of: "a, b"; "" where there is none.  The caller's to free.
 */
char *gcal_evaluation_missing(const struct gcal_evaluation_selection *selection,
                              const struct gcal_measured_kernels *measured,
                              const struct gcal_params_device *device,
                              struct gcal_error *err);

#endif
