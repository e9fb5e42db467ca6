/* track.c - loading a node's track */
#include "store/ledger/track.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/files/internal.h"
#include "store/ledger/private.h"

/* Some 50000 calibrations. */
#define MAX_TRACK_BYTES ((size_t)256 << 20)

int gcal_track_load_text(const struct gcal_store *store, const char *node, char **text,
                         size_t *size, struct gcal_error *err)
{
    char *shown = gcal_buf_format("tracks/%s.tsv", node);
    int folder, rc;

    *text = NULL;
    if (!shown)
        return gcal_error_memory(err);
    rc = gcal_store_folder(store, store->dirfd, "tracks", "tracks", &folder, err);
    if (rc > 0) {
        rc = gcal_store_fetch(store, folder, shown + strlen("tracks/"), shown,
                              MAX_TRACK_BYTES, text, size, err);
        close(folder);
    }
    free(shown);
    return rc;
}

int gcal_track_load(const struct gcal_store *store, const char *node,
                    struct gcal_track *track, struct gcal_error *err)
{
    char *text, *name;
    size_t size;
    int rc;

    *track = (struct gcal_track){ 0 };
    if (gcal_store_check_name("node", node, err) < 0)
        return -1;
    if ((rc = gcal_track_load_text(store, node, &text, &size, err)) <= 0)
        return rc;
    if ((name = gcal_buf_format("%s/tracks/%s.tsv", store->path, node)))
        rc = gcal_track_decode(text, size, name, track, err);
    else
        rc = gcal_error_memory(err);
    free(name);
    if (rc == 0)
        ((struct gcal_track_memory *)track->memory)->text = text;
    else
        free(text);
    return rc;
}
