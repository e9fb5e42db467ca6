/* device_private.h - parts of the times from a device; internal to device*.c */
#ifndef GCAL_MPI_COMMANDS_TUNE_DEVICE_PRIVATE_H
#define GCAL_MPI_COMMANDS_TUNE_DEVICE_PRIVATE_H

#include "mpi/commands/tune/device.h"

/* ---- device_build.c: building ahead ---- */

/* What became of a program, which configurations share that differ in launch only. */
enum gcal_tune_ahead {
    GCAL_TUNE_NOT_BUILT,
    GCAL_TUNE_QUEUED,
    GCAL_TUNE_BEING_BUILT,
    GCAL_TUNE_BUILT,
    GCAL_TUNE_BUILD_FAILED,
};

struct gcal_tune_program {
    enum gcal_tune_ahead ahead;
    double took_s;
    struct gcal_built built;
    const char *why; /* of a failure */
};

struct gcal_tune_build {
    struct gcal_arena *arena;
    const struct gcal_tune_space *space;
    struct gcal_worker_builders *builders;
    size_t batch;  /* above 0: builds only while somebody waits, so many at a time */
    size_t *first; /* by configuration: the first one with the same program */
    struct gcal_tune_program *programs; /* by such a first one */
    size_t *queue, n_queue, at;
};

/* ---- device_check.c: results at small sizes ---- */

struct gcal_memo;
struct gcal_tune_known;

struct gcal_tune_check {
    const struct gcal_tune_space *space;
    struct gcal_tune_known *known; /* right results of the device, by inputs */
    struct gcal_memo *references;  /* those of the host; NULL: not yet */
    bool unable;                   /* the host could not compute some */
    bool slow;                     /* the host took long, which was said */
};

/* Compares the outputs of a configuration, as from gcal_worker_check() with that seed,
 * which it takes: 0 if they agree with the reference, or, where none can be run on the
 * host, with those of the first configuration of the same inputs; 1 if not, with 'why'; -1
 * with 'err'.
 */
#define GCAL_TUNE_CHECK_SEED  20261123u
#define GCAL_TUNE_CHECK_GUARD 0xff /* NaN as a floating-point number */

#endif
