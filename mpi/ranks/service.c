/* service.c - rank 0's service: takes messages, detects lost ranks, ends the run */
#include <stdio.h>

#include "kernels/base/clock.h"
#include "kernels/base/log.h"
#include "mpi/ranks/root.h"

/* Measurements of a lost rank are kept in the record, but not fitted. */
static void fail_devices(struct gcal_root *root, const struct gcal_root_peer *peer,
                         int rank, char *reason)
{
    for (size_t j = 0; j < peer->n_assigned; j++) {
        struct gcal_run_device device = { .node = peer->node,
                                          .rank = rank,
                                          .info = peer->devices[peer->assigned[j].device],
                                          .failure = reason };

        if (root->sink.device(root->sink.context, &device, &root->failure) < 0)
            return;
    }
}

static void detect_lost_ranks(struct gcal_root *root)
{
    double now_s = gcal_clock_now_s();
    char reason[80];

    for (size_t i = 1; i < root->n_peers; i++) {
        struct gcal_root_peer *peer = &root->peers[i];

        if (peer->state >= GCAL_ROOT_PEER_DONE ||
            now_s - peer->last_heard_s < GCAL_RANKS_SILENCE_LIMIT_S)
            continue;
        peer->state = GCAL_ROOT_PEER_LOST;
        gcal_comm_drop(root->comm, (int)i);
        snprintf(reason, sizeof(reason), "no message for %.0f s",
                 GCAL_RANKS_SILENCE_LIMIT_S);
        gcal_root_note_lost(root, peer->node ? peer->node : "?", (int)i, reason);
        fail_devices(root, peer, (int)i, reason);
    }
}

/* A rank that may have died gets none: Open MPI keeps what is not taken in buffers, and without a
 * free one (of 512) no message leaves any more.  One that is slow gets them once it is heard again,
 * long before it would give up.
 */
#define HEARD_S 5.0

static bool all_past(const struct gcal_root *root, enum gcal_root_peer_state state)
{
    for (size_t i = 0; i < root->n_peers; i++)
        if (root->peers[i].state <= state)
            return false;
    return true;
}

static void end_run(struct gcal_root *root, int status)
{
    root->finished = true;
    gcal_root_send_status(root, GCAL_RANKS_TAG_BYE, status);
}

/* Messages are taken for so long at a time: what else is due does not wait until none comes. */
#define SERVICE_S 0.2

/* Returns whether more may wait: then nobody is silent. */
static bool take_messages(struct gcal_root *root, struct gcal_error *err)
{
    double until_s = gcal_clock_now_s() + SERVICE_S;
    struct gcal_comm_message message;
    bool more = false;

    while (!err->code && gcal_clock_now_s() < until_s &&
           (more = gcal_comm_receive(root->comm, true, &message, err) > 0)) {
        gcal_root_take(root, &message, err);
        gcal_buf_free(&message.payload);
    }
    return more;
}

static void service(void *context)
{
    struct gcal_root *root = context;
    struct gcal_error *err = &root->failure;
    bool more;

    if (root->finished)
        return;
    more = take_messages(root, err);
    double now_s = gcal_clock_now_s();
    if (now_s - root->last_alive_s >= GCAL_RANKS_ALIVE_EVERY_S) {
        root->last_alive_s = now_s;
        for (size_t i = 0; i < root->n_peers; i++)
            if (root->peers[i].state != GCAL_ROOT_PEER_LOST &&
                now_s - root->peers[i].last_heard_s < HEARD_S)
                gcal_comm_send(root->comm, (int)i, GCAL_RANKS_TAG_ROOT_ALIVE, NULL, NULL);
    }
    if (!more)
        detect_lost_ranks(root);
    if (!err->code && !root->assigned && all_past(root, GCAL_ROOT_PEER_LISTING)) {
        /* Once all ranks have listed their devices. */
        root->assigned = true;
        if (gcal_root_assign(root, err) == 1)
            end_run(root, root->options.dry_run ? root->dry_status
                          : root->n_lost        ? GCAL_EDEVICE
                                                : 0);
    }
    if (!err->code && !root->finished && gcal_root_counting_has_ended(root)) {
        gcal_root_counting_destroy(root);
        gcal_root_links_start(root);
    }
    if (!err->code && root->links && gcal_root_links_step(root))
        gcal_root_send_assignments(root, err);
    if (err->code) {
        gcal_log(GCAL_LOG_ERROR, "%s", err->text);
        end_run(root, (int)err->code);
    }
    if (!root->finished && root->assigned && all_past(root, GCAL_ROOT_PEER_WORKING))
        end_run(root, gcal_root_finish(root));
}

struct gcal_worker_tick gcal_root_service(struct gcal_root *root)
{
    return (struct gcal_worker_tick){ .call = service, .context = root };
}
