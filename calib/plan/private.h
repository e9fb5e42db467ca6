/* private.h - rows of a plan and the session on the device; internal to calib/plan */
#ifndef GCAL_CALIB_PLAN_PRIVATE_H
#define GCAL_CALIB_PLAN_PRIVATE_H

#include "kernels/base/error.h"
#include "calib/plan/plan.h"
#include "calib/plan/references.h"
#include "fit/clock.h"

struct gcal_plan_comparing;
struct gcal_plan_comparison;
struct gcal_plan_verdict;

/* A kernel on the device, from its first launch to its row in the sink. */
struct gcal_plan_row {
    const struct gcal_kernel *kernel;
    unsigned worker; /* number of the worker that has it prepared; 0: none yet */
    double first_s;  /* time of a launch, roughly */
    struct gcal_fit_launch fastest; /* by the host's clock; zeros: none yet */
    struct gcal_measurement m;
    double spread;      /* relative standard error of the median */
    double mark_spread; /* the same when there were 'mark' samples */
    size_t mark;
    bool smallest;   /* of a size sweep: if it does not fit, none does */
    bool bad_events; /* seen once; the second time is final */
    bool finished;   /* in the sink, or left out */
    enum gcal_measurement_status status; /* once it is finished */
    bool measured;           /* its samples are in the sink, first_s is their median */
    struct gcal_built built; /* likewise */
    struct gcal_plan_verdict *verdict; /* of its family, while it is pending; else NULL */
};

/* What the device's time is spent on. */
enum gcal_plan_spent {
    GCAL_PLAN_SPENT_PREPARING, /* builds, buffers, first launches */
    GCAL_PLAN_SPENT_CHECKING,  /* on the device */
    GCAL_PLAN_SPENT_COMPARING, /* references on the host, as far as the device waits */
    GCAL_PLAN_SPENT_MEASURING, /* warm-up included */
    GCAL_PLAN_SPENT_WAITING,   /* for other devices */
    GCAL_PLAN_SPENT_DISTURBED, /* waiting for an idle device */
    GCAL_PLAN_N_SPENT,
};

/* A kernel that is timed again and again. */
struct gcal_plan_pulse {
    const struct gcal_kernel *kernel; /* NULL: none */
    unsigned worker;                  /* that has it prepared */
    double time_s;                    /* of a launch, undisturbed */
    double work_s;                    /* measured since the last pulse */
    uint64_t good_order;              /* the first launch after the last pulse */
    double least_gap_s;        /* of all launches: the host's time less the device's */
    size_t n_launches, n_late; /* since the last pulse: of these, late to begin */
    bool late_counts;          /* launches are late for no other reason */
};

struct gcal_plan {
    struct gcal_arena *arena; /* of one thread: that of the plan */
    const struct gcal_plan_device_ops *ops;
    const char *node;
    const struct gcal_device_info *info;
    const struct gcal_config_measure_options *options;
    const struct gcal_plan_hooks *hooks;
    struct gcal_memo *references;
    struct gcal_plan_comparing *comparing; /* NULL: outputs are compared at once */
    bool has_ended;
    size_t n_rows;
    struct gcal_plan_row *rows;
    double start_s;  /* gcal_clock_now_s() */
    double waited_s; /* since then, for processors: the budget does not count it */
    double use_s;    /* when 'use' was read, likewise */
    struct gcal_worker_use use;
    double first_launch_s, last_launch_s; /* likewise, begin and end; 0: none yet */
    double busy_s;
    bool others;     /* use the device, so that it is given up */
    unsigned worker; /* its number; a new one has nothing prepared */
    int failures;    /* since the last success */
    uint64_t random, order;
    size_t n_finished, n_left_out;
    struct gcal_plan_pulse pulse;
    size_t n_disturbed; /* samples that were taken again */
    double spent_s[GCAL_PLAN_N_SPENT];
    struct gcal_error *err;
};

/* The functions below that may end the plan return -1 with plan->err filled. */

/* ---- session.c ---- */

/* The time that the budget counts: without that for which processors were waited for. */
double gcal_plan_elapsed_s(const struct gcal_plan *plan);
/* Notes such time up to now; to be called often. */
void gcal_plan_note_waits(struct gcal_plan *plan);
void gcal_plan_report_progress(const struct gcal_plan *plan, const char *phase,
                               size_t done, size_t total);
/* The measurement of the kernel before this run was resumed, or NULL. */
const struct gcal_plan_done *gcal_plan_find_done(const struct gcal_plan *plan,
                                                 const struct gcal_kernel *kernel);
/* A row for 'kernel'. */
struct gcal_plan_row *gcal_plan_add(struct gcal_plan *plan,
                                    const struct gcal_kernel *kernel);
/* Hands the row to the sink; 'detail' may be NULL.  A row that is good waits for the verdict on
 * its family, and is wrong if that is.
 */
int gcal_plan_finish(struct gcal_plan *plan, struct gcal_plan_row *row,
                     enum gcal_measurement_status status, const char *detail);
/* Ends a row without a record. */
void gcal_plan_leave_out(struct gcal_plan *plan, struct gcal_plan_row *row);
/* Starts a worker.  'lost': how the last one was lost, or NULL.  -1 also when too many
 * were lost since the last success.
 */
int gcal_plan_restart_worker(struct gcal_plan *plan, const char *lost);
/* After a request: 0 if it was done; 1 if not: the row is finished with 'status' and the
 * text of 'why', and a worker that was lost is replaced.
 */
int gcal_plan_handle_outcome(struct gcal_plan *plan, struct gcal_plan_row *row,
                             enum gcal_worker_outcome outcome,
                             enum gcal_measurement_status status,
                             const struct gcal_error *why);
/* Events that contradict the clock for the first time in the row: try again.  The second
 * time, the row is finished with that.
 */
bool gcal_plan_is_transient_error(struct gcal_plan_row *row,
                                  enum gcal_worker_outcome outcome,
                                  enum gcal_measurement_status status);
/* Prepares the row in the current worker; as gcal_plan_handle_outcome().  A size of a
 * sweep that does not fit in the device's memory is left out, except the smallest.
 */
int gcal_plan_prepare(struct gcal_plan *plan, struct gcal_plan_row *row);

/* The kernel will be prepared, unless it was measured before the run was resumed. */
void gcal_plan_announce(struct gcal_plan *plan, const struct gcal_kernel *kernel);
/* That was the last one. */
void gcal_plan_announced_all(struct gcal_plan *plan);
/* All kernels are prepared, and no program is built beside the measuring. */
void gcal_plan_prepared_all(struct gcal_plan *plan);
/* Times n launches of a prepared row, in turn with other devices. */
enum gcal_worker_outcome gcal_plan_launch(struct gcal_plan *plan,
                                          const struct gcal_plan_row *row, size_t n,
                                          struct gcal_measurement_sample *samples,
                                          enum gcal_measurement_status *status,
                                          struct gcal_error *why);
/* The end of measuring, with its result, while all verdicts are there: samples of a device that
 * was given up are kept.
 */
void gcal_plan_end(struct gcal_plan *plan, int rc);

/* ---- verdict.c ---- */

/* Result of checking a family. */
struct gcal_plan_verdict {
    struct gcal_plan_comparison *pending; /* the others follow from it; NULL: known */
    bool checked, wrong;
    double worst;                        /* relative difference */
    enum gcal_measurement_status status; /* of a family that is wrong */
    struct gcal_error why;
};

/* Checks the family of a prepared row.  The row is finished if its worker was lost.  The
 * verdict may be pending afterwards: the device goes on meanwhile.
 */
int gcal_plan_check_family(struct gcal_plan *plan, struct gcal_plan_row *row,
                           struct gcal_plan_verdict *verdict);
/* Notes the verdict in a row of the family, which is finished if the family is wrong.  A row
 * with a pending one keeps it, 'verdict' itself.
 */
int gcal_plan_apply_verdict(struct gcal_plan *plan, struct gcal_plan_row *row,
                            struct gcal_plan_verdict *verdict);

/* ---- comparing.c: outputs compared beside the measuring ---- */

/* NULL: outputs are compared at once, on CPUs, whose kernels need the processors, and where
 * there is one processor.
 */
struct gcal_plan_comparing *gcal_plan_comparing_start(const struct gcal_plan *plan);
/* What is pending stays so; NULL is allowed. */
void gcal_plan_comparing_stop(struct gcal_plan_comparing *comparing);
/* Takes the arena of 'outputs', and makes the verdict a pending one. */
void gcal_plan_comparing_add(struct gcal_plan_comparing *comparing,
                             struct gcal_arena *arena, const struct gcal_kernel *kernel,
                             void *const *outputs, struct gcal_plan_verdict *verdict);
/* Returns whether the verdict is known; 'waits': once it is. */
bool gcal_plan_verdict_is_known(struct gcal_plan *plan, struct gcal_plan_verdict *verdict,
                                bool waits);
/* Of a known verdict; a row of a family that is wrong loses its samples. */
void gcal_plan_note_verdict(struct gcal_plan_row *row,
                            const struct gcal_plan_verdict *verdict);
/* After gcal_plan_comparing_stop(). */
void gcal_plan_verdict_clear(struct gcal_plan_verdict *verdict);

/* Compares a kernel's outputs with the host's now. */
void gcal_plan_compare(struct gcal_memo *references, const char *device_name,
                       const struct gcal_kernel *kernel, uint64_t seed,
                       void *const *outputs, struct gcal_plan_verdict *found);

/* ---- host.c ---- */

/* Returns whether its kernels need the host's processors, as on CPUs, or may. */
bool gcal_plan_needs_host(const struct gcal_plan *plan);
/* C types of the types of elements, but for float16. */
#define GCAL_PLAN_DTYPES(X)                                                              \
    X("int8", int8_t)                                                                    \
    X("uint8", uint8_t)                                                                  \
    X("int16", int16_t)                                                                  \
    X("uint16", uint16_t)                                                                \
    X("int32", int32_t)                                                                  \
    X("uint32", uint32_t)                                                                \
    X("int64", int64_t)                                                                  \
    X("uint64", uint64_t)                                                                \
    X("float32", float)                                                                  \
    X("float64", double)

/* The outputs of a kernel at its small sizes, as the host computes them. */
struct gcal_plan_result {
    struct gcal_arena *arena; /* of the members */
    size_t n, bytes;
    void **outputs; /* by argument; NULL: none */
    bool failed;
    struct gcal_error failure;
};

/* The caller's to release: gcal_arena_destroy(result->arena). */
void gcal_plan_run_on_host(const struct gcal_kernel *kernel, uint64_t seed,
                           const struct gcal_geometry *geometry,
                           struct gcal_plan_result *result);

/* ---- references.c ---- */

/* Computes it unless the memo has it; to be released.  NULL without memory. */
struct gcal_plan_result *gcal_plan_references_get(struct gcal_memo *references,
                                                  const struct gcal_kernel *kernel,
                                                  uint64_t seed,
                                                  const struct gcal_geometry *geometry);

/* ---- turns.c ---- */

/* Waits for the device's turn if others would disturb the row's times: true then, and the turn
 * is to be given back.
 */
bool gcal_plan_turns_take(struct gcal_plan_turns *turns, const struct gcal_plan_row *row);
void gcal_plan_turns_give(struct gcal_plan_turns *turns);

/* ---- rounds.c ---- */

int gcal_plan_warm_up(struct gcal_plan *plan);
int gcal_plan_rounds(struct gcal_plan *plan);

/* ---- pulse.c: what disturbs a device ---- */

/* Before the first launch: waits until others do not use the device, or gives it up. */
int gcal_plan_await_idle(struct gcal_plan *plan);
/* A row that was prepared, and whose first_s is its time on the warm device. */
void gcal_plan_pulse_begin(struct gcal_plan *plan, struct gcal_plan_row *row);
/* Samples of a kernel that were just taken. */
void gcal_plan_pulse_note(struct gcal_plan *plan, const struct gcal_kernel *kernel,
                          const struct gcal_measurement_sample *samples, size_t n);
/* Returns whether a pulse has to be taken; always where there is none. */
bool gcal_plan_pulse_is_due(const struct gcal_plan *plan);
/* Takes a pulse: rows that have a reason to stop are finished, or lose what was measured while
 * the device was disturbed, and go on.
 */
int gcal_plan_pulse_take(struct gcal_plan *plan);

#endif
