/* private.h - messages between a rank and its worker; internal to calib/worker */
#ifndef GCAL_CALIB_WORKER_PRIVATE_H
#define GCAL_CALIB_WORKER_PRIVATE_H

#include <sys/types.h>

#include "kernels/base/wire.h"
#include "calib/device/job.h"
#include "calib/worker/worker.h"

enum gcal_worker_request {
    GCAL_WORKER_REQUEST_LIST = 1, /* one platform: its driver may crash */
    GCAL_WORKER_REQUEST_OPEN,     /* a device of one platform, or any */
    GCAL_WORKER_REQUEST_BUILD,
    GCAL_WORKER_REQUEST_PREPARE,
    GCAL_WORKER_REQUEST_MEASURE,
    GCAL_WORKER_REQUEST_CHECK,
    GCAL_WORKER_REQUEST_TIME,
    GCAL_WORKER_REQUEST_BUSY,
};

/* Answers: the results of a request; a measurement status and an error; the same from a
 * worker that lost its device and ends.
 */
enum gcal_worker_answer {
    GCAL_WORKER_ANSWER_DONE = 100,
    GCAL_WORKER_ANSWER_REFUSED,
    GCAL_WORKER_ANSWER_LOST
};

/* The main functions of the internal sub-commands; 'fd' is their socket.  'folder': of built
 * kernels, or NULL.
 */
int gcal_worker_spawner_main(int fd, const char *folder);
pid_t gcal_worker_pid(const struct gcal_worker *worker);

/* ---- client.c: a request in two steps, for whoever waits for several workers ---- */

/* Sends a request; 'question' is freed.  Any outcome but DONE fills 'err'. */
enum gcal_worker_outcome gcal_worker_send(struct gcal_worker *worker, uint32_t request,
                                          struct gcal_buf *question,
                                          enum gcal_measurement_status *status,
                                          struct gcal_error *err);
/* Its answer, the caller's to free. */
enum gcal_worker_outcome gcal_worker_receive(struct gcal_worker *worker, double limit_s,
                                             struct gcal_buf *answer,
                                             enum gcal_measurement_status *status,
                                             struct gcal_error *err);
/* Readable when the answer has come; -1: the worker has ended. */
int gcal_worker_fd(const struct gcal_worker *worker);

void gcal_worker_put_open(struct gcal_buf *question, const struct gcal_worker *worker,
                          const char *uid);
void gcal_worker_put_program(struct gcal_buf *question, const struct gcal_kernel *kernel);
struct gcal_built gcal_worker_get_built(struct gcal_wire *wire);

/* ---- tick.c, spawner.c ---- */

/* Waits until 'fd' is readable, with a tick about ten times a second (NULL: none).  False
 * if the deadline passed.
 */
bool gcal_worker_tick_wait(int fd, const struct gcal_worker_tick *tick,
                           double deadline_s);

pid_t gcal_worker_spawner_pid(const struct gcal_worker_spawner *spawner);
/* The folder in which drivers keep what they have built; NULL: none. */
const char *gcal_worker_spawner_cache(const struct gcal_worker_spawner *spawner);
/* Requests of the rank to its spawner; both are limited in time. */
int gcal_worker_spawner_ask(struct gcal_worker_spawner *spawner,
                            const struct gcal_worker_tick *tick, int *fd, pid_t *pid,
                            struct gcal_error *err);
/* The wait status of a worker whose socket was closed, and which is killed unless it
 * ends; -1 if it did not end even then.
 */
int gcal_worker_spawner_wait_status(struct gcal_worker_spawner *spawner,
                                    const struct gcal_worker_tick *tick, pid_t pid);

/* Remembers the platform of a listed device, so that opening it calls no other driver.
 * Without memory for it, all platforms are searched later.
 */
void gcal_worker_spawner_note_platform(struct gcal_worker_spawner *spawner,
                                       const char *uid, uint32_t platform);
/* GCAL_DEVICE_ANY_PLATFORM if it was not listed. */
uint32_t gcal_worker_spawner_platform(const struct gcal_worker_spawner *spawner,
                                      const char *uid);

#endif
