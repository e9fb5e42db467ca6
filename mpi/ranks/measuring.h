/* measuring.h - the devices of a rank, measured side by side (within mpi/ranks)
 *
 * Each device has a thread.  What the threads have to say goes into an outbox, for the
 * thread that calls MPI.  Devices of one type share the workers that build ahead, and all
 * share what the host computes.  What other devices of the host would disturb, they measure
 * in turns (calib/plan/plan.h).  CPUs are measured one by one, when all others are done:
 * their kernels need the processors.
 */
#ifndef GCAL_MPI_RANKS_MEASURING_H
#define GCAL_MPI_RANKS_MEASURING_H

#include "kernels/base/error.h"
#include "calib/config/config.h"
#include "kernels/model/run/device_info.h"
#include "calib/plan/plan.h"
#include "kernels/generate/generate.h"
#include "mpi/ranks/outbox.h"

struct gcal_measuring_device {
    struct gcal_device_info info;
    char *kept; /* as in struct gcal_run_device, or "" */
    size_t n_done;
    struct gcal_plan_done *done;
    char *label;               /* its name, with a number if others have the same */
    int rc;                    /* -1: it was given up, and that was put into the outbox */
    struct gcal_error trouble; /* then */
};

/* Borrowed. */
struct gcal_measuring_setup {
    struct gcal_arena *arena; /* of the calling thread */
    struct gcal_worker_spawner *spawner;
    const char *node;
    int rank;
    const struct gcal_config *config;
    struct gcal_catalogue *catalogue;
    struct gcal_memo *references;
    struct gcal_outbox *outbox;
};

/* Gives each device a label, among all of the rank. */
void gcal_measuring_label(struct gcal_arena *arena, struct gcal_measuring_device *devices,
                          size_t n);

/* How many of the 'n' devices, from the first, are measured at once: all that are no CPUs, or
 * one CPU.  Devices are in the order in which they are measured after gcal_measuring_sort().
 */
void gcal_measuring_sort(struct gcal_measuring_device *devices, size_t n);
size_t gcal_measuring_at_once(const struct gcal_measuring_device *devices, size_t n);

/* Measures devices in threads, and returns when all have ended.  'tick' is called now and then
 * meanwhile, which empties the outbox.
 */
void gcal_measuring_run(const struct gcal_measuring_setup *setup,
                        struct gcal_measuring_device *devices, size_t n,
                        const struct gcal_worker_tick *tick);

/* Progress is reported so often, and at once with a new phase: a plan does with each visit of a
 * kernel, tens of times a second, and rank 0 would take hardly anything else of hundreds of ranks.
 */
#define GCAL_MEASURING_PROGRESS_EVERY_S 1.0

/* Of one device; all 0: nothing was reported yet. */
struct gcal_measuring_pace {
    const char *phase; /* of the last report; lives as long as the program */
    double last_s;
};

/* Returns whether progress is to be reported now, which is noted. */
bool gcal_measuring_is_due(struct gcal_measuring_pace *pace, const char *phase,
                           double now_s);

#endif
