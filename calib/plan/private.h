/* private.h - what the parts of the plan share; internal to calib/ */
#ifndef GCAL_CALIB_PLAN_PRIVATE_H
#define GCAL_CALIB_PLAN_PRIVATE_H

#include "calib/base/error.h"
#include "calib/plan/plan.h"

/* A kernel on the device, from its first launch to its row in the sink. */
struct gcal_plan_row {
    const struct gcal_kernel *kernel;
    unsigned worker; /* number of the worker that has it prepared; 0: none yet */
    double first_s;  /* a launch, roughly */
    struct gcal_measurement m;
    double spread;      /* relative standard error of the median, now */
    double mark_spread; /* the same when there were 'mark' samples */
    size_t mark;
    bool smallest;   /* of a ladder: where it does not fit, none does */
    bool bad_events; /* seen once; the second time is the end */
    bool parked;     /* prepared, but not chosen to be measured so far */
    bool finished;   /* it is in the sink, or left out */
    enum gcal_measurement_status status; /* once it is finished */
    bool measured; /* its samples are in the sink, first_s is their median */
};

/* What the device's time goes to. */
enum gcal_plan_spent {
    GCAL_PLAN_SPENT_PREPARING, /* builds, buffers, first launches */
    GCAL_PLAN_SPENT_CHECKING,  /* on the device */
    GCAL_PLAN_SPENT_COMPARING,
    /* the references, on the host */ GCAL_PLAN_SPENT_MEASURING, /* warm-up too */
    GCAL_PLAN_SPENT_CHOOSING, /* what kernels tell, fits */
    GCAL_PLAN_N_SPENT,
};

struct gcal_plan {
    const struct gcal_plan_device_ops *ops;
    const char *node;
    const struct gcal_device_info *info;
    const struct gcal_config_measure_options *options;
    const struct gcal_plan_hooks *hooks;
    size_t n_rows;
    struct gcal_plan_row *rows;
    double start_s;  /* gcal_clock_now_s() */
    unsigned worker; /* its number; a new one has nothing prepared */
    int failures;    /* since the last success */
    uint64_t random, order;
    size_t n_finished, n_left_out;
    double spent_s[GCAL_PLAN_N_SPENT];
    struct gcal_error *err;
};

/* The functions below that may end the plan return -1 with plan->err filled. */

/* ---- plan.c ---- */

double gcal_plan_elapsed_s(const struct gcal_plan *plan);
void gcal_plan_report_progress(const struct gcal_plan *plan, const char *phase,
                               size_t done, size_t total);
/* A row for 'kernel', or NULL. */
struct gcal_plan_row *gcal_plan_add(struct gcal_plan *plan,
                                    const struct gcal_kernel *kernel);
/* Hands the row to the sink; 'detail' may be NULL. */
int gcal_plan_finish(struct gcal_plan *plan, struct gcal_plan_row *row,
                     enum gcal_measurement_status status, const char *detail);
/* Takes a row of the plan back that gets no record. */
void gcal_plan_leave_out(struct gcal_plan *plan, struct gcal_plan_row *row);
/* Starts a worker.  -1 also when too many were lost since the last success; 'lost' says
 * how the last one was, or is NULL.
 */
int gcal_plan_restart_worker(struct gcal_plan *plan, const char *lost);
/* After a request: 0 when it was done; 1 when it was not: the row is finished with
 * 'status' and what 'why' says, and a worker that was lost is replaced.
 */
int gcal_plan_handle_outcome(struct gcal_plan *plan, struct gcal_plan_row *row,
                             enum gcal_worker_outcome outcome,
                             enum gcal_measurement_status status,
                             const struct gcal_error *why);
/* Events that contradict the clock for the row's first time: worth another try.  The
 * second time, the row is finished with that.
 */
bool gcal_plan_is_transient_error(struct gcal_plan_row *row,
                                  enum gcal_worker_outcome outcome,
                                  enum gcal_measurement_status status);
/* Prepares the row in the worker that runs now; as gcal_plan_handle_outcome().  A rung
 * that does not fit in the device's memory is left out, but for the smallest.
 */
int gcal_plan_prepare(struct gcal_plan *plan, struct gcal_plan_row *row);

/* ---- sweep.c ---- */

/* Part of the budget that may go by before the measuring starts. */
#define GCAL_PLAN_CHOOSING_SHARE 0.75

/* Prepares and checks all families of 'kernels' and chooses their rungs; what is left
 * unfinished in plan->rows is to be measured.
 */
int gcal_plan_sweep_sizes(struct gcal_plan *plan, const struct gcal_kernel_list *kernels);
/* The same of one family. */
int gcal_plan_sweep_family(struct gcal_plan *plan, const struct gcal_kernel_list *kernels,
                           const char *name);
bool gcal_plan_is_first_of_family(const struct gcal_kernel_list *kernels, size_t i);

/* What a resumed run knows of the kernel, or NULL. */
const struct gcal_plan_done *gcal_plan_find_done(const struct gcal_plan *plan,
                                                 const struct gcal_kernel *kernel);
/* How many rungs of a family are to be measured: one where it serves to check parts and
 * for nothing else.
 */
size_t gcal_plan_sizes_wanted(const struct gcal_plan *plan,
                              const struct gcal_kernel_list *kernels, const char *family);
/* Rungs differ in one size only, so the product of all sizes grows with it. */
double gcal_plan_product_of_sizes(const struct gcal_kernel *kernel);
/* Prepares one more kernel: 0 with its row at the end of the plan's, 1 when it cannot be
 * measured, -1.
 */
int gcal_plan_try(struct gcal_plan *plan, const struct gcal_kernel *kernel,
                  bool smallest);
/* How far a row's time lies outside the limits, as the logarithm of a ratio. */
double gcal_plan_limit_distance(const struct gcal_plan *plan,
                                const struct gcal_plan_row *row);
/* Will rung 'next' surely be too long?  The longest rung is the dearest to try: its
 * buffers have to be filled.
 */
bool gcal_plan_is_too_long(const struct gcal_plan *plan,
                           const struct gcal_plan_row *before,
                           const struct gcal_plan_row *last,
                           const struct gcal_kernel *next);

/* What a family's check came to. */
struct gcal_plan_verdict {
    bool checked, wrong;
    double worst;                        /* relative difference */
    enum gcal_measurement_status status; /* of a family that is wrong */
    struct gcal_error why;
};

/* Checks the family of a row that is prepared.  The row is finished where its worker was
 * lost.
 */
int gcal_plan_check_family(struct gcal_plan *plan, struct gcal_plan_row *row,
                           struct gcal_plan_verdict *verdict);
/* Notes it in a row of the family, which is finished if it is wrong. */
int gcal_plan_apply_verdict(struct gcal_plan *plan, struct gcal_plan_row *row,
                            const struct gcal_plan_verdict *verdict);

/* ---- design.c ---- */

/* All of it, with options->precision: chooses, warms up, measures, reports. */
int gcal_plan_design(struct gcal_plan *plan, const struct gcal_kernel_list *kernels);

/* ---- check.c ---- */

/* Compares 'outputs' (gcal_worker_check()) with the reference run on the host: 0 when
 * they agree, 1 when not, with 'why' naming the first element, -1 with 'why' when the
 * host could not say.  'worst' gets the largest relative difference.
 */
int gcal_plan_compare_outputs(const struct gcal_kernel *kernel, uint64_t seed,
                              void *const *outputs, double *worst,
                              struct gcal_error *why);

/* ---- rounds.c ---- */

int gcal_plan_warm_up(struct gcal_plan *plan);
int gcal_plan_rounds(struct gcal_plan *plan);

/* ---- record.c ---- */

/* As the record keeps it; the caller's to clear. */
int gcal_plan_record_kernel(const struct gcal_kernel *kernel,
                            struct gcal_run_kernel *made, struct gcal_error *err);

#endif
