/* lost.c - ranks and devices that a run has lost */
#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/log.h"
#include "kernels/base/utf8.h"
#include "mpi/ranks/root.h"

/* As UTF-8, which JSON needs: reasons may be texts of drivers. */
static char *copy(struct gcal_arena *arena, const char *text)
{
    struct gcal_buf buf = { 0 };

    while (text && *text) {
        size_t n = gcal_utf8_length(text);

        gcal_buf_put(&buf, n ? text : "?", n ? n : 1);
        text += n ? n : 1;
    }
    return text ? gcal_arena_take(arena, &buf) : NULL;
}

static void keep(struct gcal_root *root, const struct gcal_root_lost *lost)
{
    struct gcal_arena *arena = root->arena;

    root->lost = gcal_arena_grow(arena, root->lost, root->n_lost, &root->lost_capacity,
                                 sizeof(*root->lost));
    root->lost[root->n_lost++] =
        (struct gcal_root_lost){ .node = copy(arena, lost->node),
                                 .rank = lost->rank,
                                 .device = copy(arena, lost->device),
                                 .uid = copy(arena, lost->uid),
                                 .reason = copy(arena, lost->reason) };
}

static void report(struct gcal_root *root, const char *node, int rank, const char *reason)
{
    struct gcal_error err = { 0 };

    gcal_log(GCAL_LOG_ERROR, "node %s rank %d: %s", node, rank, reason);
    if (root->sink.lost &&
        root->sink.lost(root->sink.context, node, rank, reason, &err) < 0)
        root->failure = err;
}

void gcal_root_note_lost(struct gcal_root *root, const char *node, int rank,
                         const char *reason)
{
    const struct gcal_root_lost lost = { .node = (char *)node,
                                         .rank = rank,
                                         .reason = (char *)reason };

    keep(root, &lost);
    report(root, node, rank, reason);
}

void gcal_root_note_unmeasured(struct gcal_root *root,
                               const struct gcal_run_device *device, const char *reason)
{
    const struct gcal_root_lost lost = { .node = device->node,
                                         .rank = device->rank,
                                         .device = device->info.name,
                                         .uid = device->info.uid,
                                         .reason = (char *)reason };

    keep(root, &lost);
    gcal_log(GCAL_LOG_ERROR, "node %s rank %d: device %s (%s): %s", device->node,
             device->rank, device->info.name, device->info.uid, reason);
}

void gcal_root_note_left_out(struct gcal_root *root, const char *node, int rank,
                             const char *reason)
{
    root->n_left_out++;
    report(root, node, rank, reason);
}
