/* messages.c - what ranks send to rank 0 */
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/wire.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/run/measurement.h"
#include "kernels/model/run/run_kernel.h"
#include "mpi/cli/display.h"
#include "mpi/ranks/root.h"

static int take_hello(struct gcal_root *root, struct gcal_root_peer *peer, int rank,
                      struct gcal_wire *wire, struct gcal_error *err)
{
    char *trouble;
    size_t count;

    if (peer->node)
        return gcal_error_set(err, GCAL_EINPUT, "rank %d: a second HELLO message", rank);
    peer->node = gcal_arena_own(root->arena, gcal_wire_get_text(wire), free);
    trouble = gcal_arena_own(root->arena, gcal_wire_get_text(wire), free);
    count = gcal_wire_get_u32(wire);
    if (!peer->node || wire->bad || count > wire->left)
        return gcal_error_set(err, GCAL_EINPUT, "rank %d: damaged HELLO message", rank);
    peer->devices = gcal_arena_alloc(root->arena, count, sizeof(*peer->devices));
    if (trouble && *trouble)
        gcal_root_note_lost(root, peer->node, rank, trouble);
    for (; peer->n_devices < count; peer->n_devices++)
        if (gcal_device_info_get(wire, &peer->devices[peer->n_devices], err) < 0)
            return -1;
    peer->state = GCAL_ROOT_PEER_WORKING;
    return 0;
}

static int take_row(struct gcal_root *root, int tag, struct gcal_wire *wire,
                    struct gcal_error *err)
{
    struct gcal_run_device device = { 0 };
    struct gcal_run_kernel kernel = { 0 };
    struct gcal_measurement row = { 0 };
    int rc = -1;

    switch (tag) {
    case GCAL_RANKS_TAG_DEVICE:
        if (gcal_run_device_get(wire, &device, err) == 0)
            rc = root->sink.device(root->sink.context, &device, err);
        break;
    case GCAL_RANKS_TAG_KERNEL:
        if (gcal_run_kernel_get(wire, &kernel, err) == 0)
            rc = root->sink.kernel(root->sink.context, &kernel, err);
        break;
    case GCAL_RANKS_TAG_MEASUREMENT:
        if (gcal_measurement_get(wire, &row, err) == 0)
            rc = root->sink.measurement(root->sink.context, &row, err);
        break;
    }
    gcal_run_device_clear(&device);
    gcal_run_kernel_clear(&kernel);
    gcal_measurement_clear(&row);
    return rc;
}

static void take_lost(struct gcal_root *root, struct gcal_wire *wire,
                      void (*note)(struct gcal_root *root, const char *node, int rank,
                                   const char *reason))
{
    char *node = gcal_wire_get_text(wire);
    int rank = (int)gcal_wire_get_u32(wire);
    char *reason = gcal_wire_get_text(wire);

    if (node && reason)
        note(root, node, rank, reason);
    free(node);
    free(reason);
}

static int take_message(struct gcal_root *root, const struct gcal_comm_message *message,
                        struct gcal_error *err)
{
    struct gcal_root_peer *peer = &root->peers[message->from];
    struct gcal_wire wire = gcal_wire_open(message->payload.data, message->payload.size);

    peer->last_heard_s = gcal_clock_now_s();
    if (peer->state == GCAL_ROOT_PEER_LOST)
        return 0; /* too late: its rows may be incomplete, and it is reported as lost */
    switch (message->tag) {
    case GCAL_RANKS_TAG_HELLO:
        return take_hello(root, peer, message->from, &wire, err);
    case GCAL_RANKS_TAG_DEVICE:
    case GCAL_RANKS_TAG_KERNEL:
    case GCAL_RANKS_TAG_MEASUREMENT:
        return take_row(root, message->tag, &wire, err);
    case GCAL_RANKS_TAG_LEFT_OUT:
        take_lost(root, &wire, gcal_root_note_left_out);
        break;
    case GCAL_RANKS_TAG_LOST:
        take_lost(root, &wire, gcal_root_note_lost);
        break;
    case GCAL_RANKS_TAG_PROGRESS: {
        char *name = gcal_wire_get_text(&wire), *phase = gcal_wire_get_text(&wire);
        struct gcal_plan_progress progress = { .device_name = name, .phase = phase };

        progress.kernels_done = gcal_wire_get_u64(&wire);
        progress.kernels_total = gcal_wire_get_u64(&wire);
        progress.elapsed_s = gcal_wire_get_f64(&wire);
        progress.left_s = gcal_wire_get_f64(&wire);
        if (name && phase && peer->node && !wire.bad)
            gcal_display_update(root->display, peer->node, &progress);
        free(name);
        free(phase);
        break;
    }
    case GCAL_RANKS_TAG_LINKED:
        return gcal_root_take_link(root, message->from, &wire, err);
    case GCAL_RANKS_TAG_UNLOCKED:
        gcal_root_warn_of_locks(root, peer->node ? peer->node : "?");
        break;
    case GCAL_RANKS_TAG_DONE:
        peer->state = GCAL_ROOT_PEER_DONE;
        break;
    }
    return 0;
}

void gcal_root_take(struct gcal_root *root, const struct gcal_comm_message *message,
                    struct gcal_error *err)
{
    const char *node = root->peers[message->from].node;

    if (take_message(root, message, err) < 0 && err->code == GCAL_EINPUT)
        gcal_error_prefix(err, "message of node %s rank %d", node ? node : "?",
                          message->from);
}
