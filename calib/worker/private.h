/* private.h - the messages between a rank and its worker (within calib/ only) */
#ifndef GCAL_CALIB_WORKER_PRIVATE_H
#define GCAL_CALIB_WORKER_PRIVATE_H

#include "calib/base/wire.h"
#include "calib/device/job.h"
#include "calib/worker/worker.h"

enum gcal_worker_request {
    GCAL_WORKER_REQUEST_LIST = 1, /* one platform: its driver may crash */
    GCAL_WORKER_REQUEST_OPEN,     /* a device of one platform, or any */
    GCAL_WORKER_REQUEST_PREPARE,
    GCAL_WORKER_REQUEST_MEASURE,
    GCAL_WORKER_REQUEST_CHECK,
};

/* Answers: the results of a request; a row status and an error's text; the same from a
 * worker whose device is lost to it: it ends.
 */
enum gcal_worker_answer {
    GCAL_WORKER_ANSWER_DONE = 100,
    GCAL_WORKER_ANSWER_REFUSED,
    GCAL_WORKER_ANSWER_LOST
};

/* Waits for 'fd' to become readable, with a tick about ten times a second (NULL: none).
 * False when time is up.
 */
bool gcal_worker_tick_wait(int fd, const struct gcal_worker_tick *tick,
                           double deadline_s);

/* The rank's requests to its spawner; both are bounded in time. */
int gcal_worker_spawner_ask(struct gcal_worker_spawner *spawner,
                            const struct gcal_worker_tick *tick, int *fd, pid_t *pid,
                            struct gcal_error *err);
/* The wait status of a worker whose socket was closed, which is killed if that does not
 * end it; -1 when it could not be ended.
 */
int gcal_worker_spawner_wait_status(struct gcal_worker_spawner *spawner,
                                    const struct gcal_worker_tick *tick, pid_t pid);

/* What a list of devices has found: the platform of each, so that opening it leaves the
 * drivers of others alone.  Forgets without an error when memory runs out.
 */
void gcal_worker_spawner_note_platform(struct gcal_worker_spawner *spawner,
                                       const char *uid, uint32_t platform);
/* GCAL_DEVICE_ANY_PLATFORM when it was not listed. */
uint32_t gcal_worker_spawner_platform(const struct gcal_worker_spawner *spawner,
                                      const char *uid);

#endif
