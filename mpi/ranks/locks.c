/* locks.c - whether locks in the store exclude processes on other nodes
 *
 * Rank 0 holds the lock of each node that it calibrates.  One rank of another node looks
 * whether it is held: NFS mounted with nolock and Lustre with localflock say that it is not.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/log.h"
#include "kernels/base/wire.h"
#include "mpi/ranks/root.h"
#include "store/files/store.h"

/* The first rank with devices to measure on another node than rank 0. */
static bool is_tester(const struct gcal_root *root, size_t rank)
{
    for (size_t i = 0; i <= rank; i++) {
        const struct gcal_root_peer *peer = &root->peers[i];

        if (peer->n_assigned && strcmp(peer->node, root->peers[0].node) != 0)
            return i == rank;
    }
    return false;
}

void gcal_root_put_lock_test(const struct gcal_root *root, size_t rank,
                             struct gcal_buf *buf)
{
    char path[PATH_MAX] = "";

    if (root->store && !root->options.dry_run && root->peers[0].node &&
        is_tester(root, rank) && !realpath(root->store_path, path))
        *path = '\0';
    gcal_wire_put_text(buf, path);
}

bool gcal_ranks_locks_fail(const char *path, const char *node)
{
    struct gcal_store *store = *path ? gcal_store_open(path, NULL) : NULL;
    bool fail = store && gcal_store_is_locked(store, node) == 0;

    gcal_store_close(store);
    return fail;
}

void gcal_root_warn_of_locks(const struct gcal_root *root, const char *node)
{
    gcal_log(
        GCAL_LOG_WARN,
        "store %s: locks exclude nobody on other nodes: node %s could take one that "
        "rank 0 on node %s holds; the ledger bears that, but two calibrations or "
        "publications of one node at the same time can lose one: mount the folder with "
        "locks (not nolock, not localflock)",
        root->store_path, node, root->peers[0].node);
}
