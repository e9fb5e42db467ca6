/* ranks.h - a calibration run: a root, and members that measure
 *
 * Every rank is a member: it lists its devices, measures those assigned to it and sends
 * the results.  Rank 0 is the root as well, in the same thread: its service is a tick
 * that the member calls whenever it waits, for a message or for its worker process.
 *
 *     rank 0                                         ranks 1, 2, ..
 *     gcal_root_create()                             gcal_member_run() waits
 *       configuration, store, journal
 *       START (or ABORT: exit status) ------------>  lists devices in a worker
 *     gcal_member_run(), which ticks the service:
 *       <---------------------------------- HELLO: node, devices
 *       gcal_root_assign()
 *       LINK: a partner, for each round ----------->  messages back and forth (link.h)
 *       <---------------------------------- LINKED
 *       ASSIGN: configuration, catalogue, devices ->  measures in a worker
 *       <---------------------------------- DEVICE, KERNEL, MEASUREMENT, LOST,
 *       writes the journal                  LEFT_OUT, PROGRESS
 *       <---------------------------------- DONE     waits
 *       finish_run(), once all are done or lost:
 *         record, fits, publication, summary
 *       BYE: exit status, whether ranks are lost ->  returns it
 *
 * Both sides send ALIVE every second; a silent rank is lost, and the run goes on without
 * it.  Rank 0 sends these messages to itself as to any other rank.
 */
#ifndef GCAL_MPI_RANKS_H
#define GCAL_MPI_RANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "calib/plan/plan.h"
#include "calib/worker/worker.h"
#include "mpi/cli/option_list.h"
#include "mpi/ranks/comm.h"

struct gcal_config;
struct gcal_error;

enum gcal_ranks_tag {
    GCAL_RANKS_TAG_HELLO,
    GCAL_RANKS_TAG_DEVICE,
    GCAL_RANKS_TAG_KERNEL,
    GCAL_RANKS_TAG_MEASUREMENT,
    GCAL_RANKS_TAG_LOST,
    GCAL_RANKS_TAG_LEFT_OUT,
    GCAL_RANKS_TAG_PROGRESS,
    GCAL_RANKS_TAG_UNLOCKED, /* locks of the store exclude nobody */
    GCAL_RANKS_TAG_ALIVE,
    GCAL_RANKS_TAG_LINKED, /* a link was measured, or not */
    GCAL_RANKS_TAG_DONE,
    GCAL_RANKS_TAG_START = GCAL_COMM_FIRST_MEMBER_TAG,
    GCAL_RANKS_TAG_ABORT,
    GCAL_RANKS_TAG_ASSIGN,
    GCAL_RANKS_TAG_ROOT_ALIVE,
    GCAL_RANKS_TAG_BYE,
    GCAL_RANKS_TAG_LINK,         /* to both ranks of a pair: measure the link */
    GCAL_RANKS_TAG_LINK_READY,   /* from the second to the first */
    GCAL_RANKS_TAG_LINK_MESSAGE, /* what is timed; nobody else takes it */
};

/* A rank that is silent for longer is lost.  Shorter limits have lost slow ranks on
 * crowded machines.
 */
#define GCAL_RANKS_SILENCE_LIMIT_S 30.0
#define GCAL_RANKS_ALIVE_EVERY_S   1.0

struct gcal_ranks_options {
    const char *config, *store, *record, *resume, *device;
    struct gcal_option_list catalogue; /* folders */
    double budget_s;                   /* 0: the configuration's */
    bool dry_run, quiet, json;
    bool if_changed;  /* only devices whose published calibration is stale */
    double max_age_s; /* with if_changed: the age at which it is; INFINITY: any */
};

/* ---- member ---- */

/* Runs a member to the end of the run.  'service' (NULL but on rank 0) is called whenever
 * it waits.  Returns the exit status of the run.
 */
int gcal_member_run(struct gcal_comm *comm, struct gcal_worker_spawner *spawner,
                    const struct gcal_worker_tick *service);

/* Marks the models of a configuration that are not measured on a device: 'kept' as in
 * struct gcal_run_device, or NULL.
 */
void gcal_ranks_set_kept(struct gcal_config *config, char *kept);

/* ---- root ---- */

struct gcal_root;

/* Checks configuration, store and record before any device is used, and sends START.  On
 * failure sends ABORT; NULL with 'err'.
 */
struct gcal_root *gcal_root_create(struct gcal_comm *comm,
                                   const struct gcal_ranks_options *options,
                                   struct gcal_error *err);
struct gcal_worker_tick gcal_root_service(struct gcal_root *root);
void gcal_root_destroy(struct gcal_root *root);

/* On the other node: whether the lock of 'node', which rank 0 holds, could be taken.  False
 * also if that cannot be found out.
 */
bool gcal_ranks_locks_fail(const char *path, const char *node);

#endif
