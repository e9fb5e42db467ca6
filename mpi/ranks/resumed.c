/* resumed.c - the devices of an interrupted run against those of the run that resumes it */
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "mpi/ranks/root.h"

struct difference {
    const char *what, *before, *now;
};

/* NULL: there is none. */
static char *difference(struct gcal_arena *arena, const struct gcal_device_info *before,
                        const struct gcal_device_info *now)
{
    const struct difference differences[] = {
        { "driver", before->driver, now->driver },
        { "version of OpenCL", before->version, now->version },
        { "platform", before->platform, now->platform },
        { "name", before->name, now->name },
        { "type", before->type, now->type },
    };

    for (size_t i = 0; i < sizeof(differences) / sizeof(*differences); i++) {
        const struct difference *d = &differences[i];

        if (strcmp(d->before, d->now) != 0)
            return gcal_arena_format(
                arena,
                "its %s is '%s', and was '%s' when the run was "
                "interrupted: what was measured of it does not count; "
                "calibrate it in a new run",
                d->what, d->now, d->before);
    }
    return NULL;
}

/* In the record, the device's measurements are those of a device that was given up. */
static int give_up(struct gcal_root *root, const struct gcal_root_resumed *r,
                   const char *reason, struct gcal_error *err)
{
    const struct gcal_run_device device = {
        .node = r->node, .rank = r->rank, .info = r->info, .failure = (char *)reason
    };

    if (root->sink.device(root->sink.context, &device, err) < 0)
        return -1;
    gcal_root_note_unmeasured(root, &device, reason);
    return 0;
}

static struct gcal_root_peer *find_assigned(struct gcal_root *root,
                                            const struct gcal_root_resumed *r, size_t *j)
{
    for (size_t i = 0; i < root->n_peers; i++) {
        struct gcal_root_peer *peer = &root->peers[i];

        if (!peer->node || strcmp(peer->node, r->node) != 0)
            continue;
        for (*j = 0; *j < peer->n_assigned; ++*j)
            if (strcmp(peer->devices[peer->assigned[*j].device].uid, r->uid) == 0)
                return peer;
    }
    return NULL;
}

int gcal_root_check_resumed(struct gcal_root *root, struct gcal_error *err)
{
    for (size_t i = 0; i < root->n_resumed; i++) {
        const struct gcal_root_resumed *r = &root->resumed[i];
        struct gcal_root_peer *peer;
        char *reason;
        size_t j;
        int rc = 0;

        if (!r->info.uid)
            continue; /* its description was lost with the end of the journal */
        if (!(peer = find_assigned(root, r, &j))) {
            rc = give_up(root, r,
                         "it is not among the devices of the run that resumed this one: "
                         "its measurements are not complete, and do not count",
                         err);
        } else if ((reason = difference(root->arena, &r->info,
                                        &peer->devices[peer->assigned[j].device]))) {
            rc = give_up(root, r, reason, err);
            memmove(&peer->assigned[j], &peer->assigned[j + 1],
                    (peer->n_assigned - j - 1) * sizeof(*peer->assigned));
            peer->n_assigned--;
            root->n_devices--;
        }
        if (rc < 0)
            return -1;
    }
    return 0;
}
