/* lost.c - ranks and devices that a run has lost */
#include "calib/base/log.h"
#include "mpi/ranks/root.h"

void gcal_root_note_lost(struct gcal_root *root, const char *node, int rank,
                         const char *reason)
{
    struct gcal_error err = { 0 };

    root->n_lost++;
    gcal_log(GCAL_LOG_ERROR, "node %s rank %d: %s", node, rank, reason);
    if (root->sink.lost &&
        root->sink.lost(root->sink.context, node, rank, reason, &err) < 0)
        root->failure = err;
}
