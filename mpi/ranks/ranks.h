/* ranks.h - a calibration run: the root, and the members that measure
 *
 * Every rank is a member: it lists its devices, measures those that the root gives it,
 * and sends what it found.  Rank 0 is the root besides: its service runs whenever a
 * member would wait.
 *
 *   root -> members  START   go on and list your devices, or ABORT with an exit status
 *   member -> root   HELLO   node, devices
 *   root -> members  ASSIGN  configuration, and the devices to measure
 *   member -> root   DEVICE, KERNEL, MEASUREMENT, LOST, PROGRESS, CHOICE, then DONE
 *   root -> members  BYE     with the exit status
 *   both ways        ALIVE   once a second, so that silence means death
 */
#ifndef GCAL_MPI_RANKS_H
#define GCAL_MPI_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/plan/plan.h"
#include "calib/worker/worker.h"
#include "mpi/ranks/comm.h"

struct gcal_error;

enum gcal_ranks_tag {
    GCAL_RANKS_TAG_HELLO,
    GCAL_RANKS_TAG_DEVICE,
    GCAL_RANKS_TAG_KERNEL,
    GCAL_RANKS_TAG_MEASUREMENT,
    GCAL_RANKS_TAG_LOST,
    GCAL_RANKS_TAG_PROGRESS,
    GCAL_RANKS_TAG_SELECTION,
    GCAL_RANKS_TAG_ALIVE,
    GCAL_RANKS_TAG_DONE,
    GCAL_RANKS_TAG_START = GCAL_COMM_FIRST_MEMBER_TAG,
    GCAL_RANKS_TAG_ABORT,
    GCAL_RANKS_TAG_ASSIGN,
    GCAL_RANKS_TAG_ROOT_ALIVE,
    GCAL_RANKS_TAG_BYE,
};

/* A rank that is silent for so long is taken for dead.  Shorter deadlines have called
 * slow ranks dead on crowded machines.
 */
#define GCAL_RANKS_SILENCE_LIMIT_S 30.0
#define GCAL_RANKS_ALIVE_EVERY_S   1.0

struct gcal_ranks_options {
    const char *config, *store, *record, *resume, *device;
    double budget_s; /* 0: the configuration's */
    uint64_t seed;
    bool seed_given, dry_run, quiet, json;
    bool if_changed;  /* only devices whose published calibration does not hold */
    double max_age_s; /* with if_changed: nor is older; INFINITY: however old */
};

/* ---- member ---- */

/* 'service' (NULL on ranks without it) is called whenever this rank waits.  Returns the
 * run's exit status.
 */
int gcal_member_run(struct gcal_comm *comm, struct gcal_worker_spawner *spawner,
                    const struct gcal_worker_tick *service);

/* ---- root ---- */

struct gcal_root;

/* Checks what can be checked before any device is touched: configuration, store, record,
 * and starts the members, or sends them home: then NULL with 'err'.
 */
struct gcal_root *gcal_root_create(struct gcal_comm *comm,
                                   const struct gcal_ranks_options *options,
                                   struct gcal_error *err);
struct gcal_worker_tick gcal_root_service(struct gcal_root *root);
void gcal_root_destroy(struct gcal_root *root);

#endif
