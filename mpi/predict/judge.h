/* judge.h - predicts measured kernels with the published models */
#ifndef GCAL_MPI_PREDICT_JUDGE_H
#define GCAL_MPI_PREDICT_JUDGE_H

#include "mpi/predict/evaluation.h"
#include "mpi/predict/timed.h"
#include "store/params/params.h"

struct gcal_error;

/* Which kernels by which models. */
struct gcal_judging {
    const char *model; /* NULL: any */
    /* None: the kernels that say "m:whole" of model m.  Else the kernels of these
     * generators (any of them) with these arguments ("n:1024,2048"), all by 'model'.
     */
    size_t n_tags;
    const char *const *tags;
};

/* Appends a row for each kernel and model, and sorts them. */
int gcal_judge(const struct gcal_judging *judging, const struct gcal_timed *timed,
               const struct gcal_params_device *device,
               struct gcal_evaluation *evaluation, struct gcal_error *err);

/* Models that kernels of 'timed' are for ("m:whole") and that the device has no
 * parameters of: "a, b"; "" where there is none.  The caller's to free.
 */
char *gcal_judge_missing(const struct gcal_judging *judging,
                         const struct gcal_timed *timed,
                         const struct gcal_params_device *device, struct gcal_error *err);

#endif
