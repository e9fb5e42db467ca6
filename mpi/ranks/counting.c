/* counting.c - rank 0 counts the kernels of the run, before it sends assignments
 *
 * In a thread: the root answers its ranks meanwhile.
 */
#include <stdatomic.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/threads.h"
#include "calib/select/select.h"
#include "mpi/ranks/root.h"

struct gcal_root_counting {
    const struct gcal_root *root;
    struct gcal_thread *thread;
    atomic_bool ended;
    size_t n;
    const struct gcal_device_info **devices; /* one of each type */
};

static bool has_type(const struct gcal_root_counting *c,
                     const struct gcal_device_info *info)
{
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->devices[i]->type, info->type) == 0)
            return true;
    return false;
}

/* The catalogue's counter keeps the profiles.  What cannot be counted is the member's to report,
 * whose device it is.
 */
static void *count_all(void *context)
{
    struct gcal_root_counting *c = context;

    for (size_t i = 0; i < c->n; i++) {
        struct gcal_kernel_list list = { 0 };
        struct gcal_error why = { 0 };

        gcal_select_kernels(&c->root->config, c->root->catalogue, c->devices[i], &list,
                            &why);
        gcal_kernel_list_clear(&list);
    }
    atomic_store(&c->ended, true);
    return NULL;
}

int gcal_root_counting_start(struct gcal_root *root, struct gcal_error *err)
{
    struct gcal_root_counting *c = gcal_arena_alloc(root->arena, 1, sizeof(*c));

    c->devices = gcal_arena_alloc(root->arena, root->n_devices, sizeof(*c->devices));
    c->root = root;
    root->counting = c;
    for (size_t i = 0; i < root->n_peers; i++)
        for (size_t j = 0; j < root->peers[i].n_assigned; j++) {
            const struct gcal_root_peer *peer = &root->peers[i];
            const struct gcal_device_info *info =
                &peer->devices[peer->assigned[j].device];

            if (!has_type(c, info))
                c->devices[c->n++] = info;
        }
    c->thread = gcal_thread_start(count_all, c, err);
    return c->thread ? 0 : -1;
}

bool gcal_root_counting_has_ended(const struct gcal_root *root)
{
    return root->counting && atomic_load(&root->counting->ended);
}

void gcal_root_counting_destroy(struct gcal_root *root)
{
    if (!root->counting)
        return;
    gcal_thread_join(root->counting->thread);
    root->counting = NULL;
}
