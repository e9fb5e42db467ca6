/* publish.c - publishing the parameter file of a node or a type */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/ledger/ledger.h"
#include "store/files/internal.h"
#include "store/ledger/track.h"
#include "store/publish/private.h"

/* A file that is being published. */
struct publication {
    struct gcal_store *store;
    const char *run_id;
    char *scope;               /* "nodes/NODE" */
    char *file, *shown, *temp; /* "NODE.yaml", "nodes/NODE.yaml", ".publish.NODE.HASH" */
    char *history_temp;
    char *text;
    size_t size;
    char sha256[GCAL_HASH_TEXT_SIZE], replaces[GCAL_HASH_TEXT_SIZE],
        drivers[GCAL_HASH_TEXT_SIZE];
    char *lines; /* of the track */
    size_t lines_size;
    int lock, folder, history, track;
};

/* Under the lock of the node or type. */
static int begin(struct publication *p, struct gcal_store *store, const char *folder,
                 const char *name, const char *run_id, struct gcal_error *err)
{
    *p = (struct publication){ .store = store,
                               .run_id = run_id,
                               .scope = gcal_buf_format("%s/%s", folder, name),
                               .file = gcal_buf_format("%s.yaml", name),
                               .shown = gcal_buf_format("%s/%s.yaml", folder, name),
                               .temp = gcal_store_temp(name),
                               .history_temp = gcal_store_temp(""),
                               .lock = -1,
                               .folder = -1,
                               .history = -1,
                               .track = -1 };
    if (!p->scope || !p->file || !p->shown || !p->temp || !p->history_temp)
        return gcal_error_memory(err);
    if ((p->lock = gcal_store_lock_scope(store, p->scope, err)) < 0)
        return -1;
    p->folder = gcal_store_make_folder(store, store->dirfd, folder, folder, err);
    p->history = gcal_store_make_history(store, p->scope, err);
    if (p->folder < 0 || p->history < 0)
        return -1;
    gcal_store_remove(p->folder, p->temp); /* of a publication that failed */
    gcal_store_remove(p->history, p->history_temp);
    return 0;
}

static void end(struct publication *p)
{
    const int fds[] = { p->track, p->history, p->folder, p->lock };

    for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
        if (fds[i] >= 0)
            close(fds[i]); /* the lock is the last */
    free(p->scope);
    free(p->file);
    free(p->shown);
    free(p->temp);
    free(p->history_temp);
    free(p->text);
    free(p->lines);
}

/* Of what is added beside the file: lines of a node's track, the copy of a type's file. */
static void hash_added(const struct publication *p, char hash[GCAL_HASH_TEXT_SIZE])
{
    *hash = '\0';
    if (gcal_store_is_type(p->scope))
        strcpy(hash, p->sha256);
    else if (p->lines_size)
        gcal_hash(p->lines, p->lines_size, hash);
}

static int write_ledger(struct publication *p, const struct gcal_params *params,
                        struct gcal_error *err)
{
    const struct gcal_params_device *first = params->devices;
    char track[GCAL_HASH_TEXT_SIZE];
    struct gcal_ledger_entry entry = {
        .action = "publish",
        .run_id = p->run_id,
        .configuration = params->n_devices ? first->configuration : NULL,
        .catalogue = params->n_devices ? first->catalogue : NULL,
        .drivers = p->drivers,
        .file = p->shown,
        .sha256 = p->sha256,
        .replaces = p->replaces,
        .track = track,
    };
    struct gcal_buf buf = { 0 };

    gcal_hash(p->text, p->size, p->sha256);
    /* Fingerprint of the drivers of the devices that the run calibrated. */
    for (size_t i = 0; i < params->n_devices; i++)
        if (strcmp(params->devices[i].run_id, p->run_id) == 0)
            gcal_buf_printf(&buf, "%s\t%s\n", params->devices[i].info.uid,
                            params->devices[i].info.driver);
    gcal_hash(buf.data ? buf.data : "", buf.size, p->drivers);
    gcal_buf_free(&buf);
    hash_added(p, track);
    return gcal_ledger_append(p->store, &entry, 1, err);
}

typedef int merge_with_old(const struct gcal_params *params,
                           const struct gcal_params *old, struct gcal_params *merged,
                           struct gcal_error *err);

/* The merged text: 1, 0 when all models of the published file stay, -1. */
static int fill(struct publication *p, const struct gcal_params *params,
                merge_with_old *merge, struct gcal_error *err)
{
    struct gcal_params old, merged;
    int rc;

    if (gcal_publish_read_old(p->store, p->folder, p->file, p->shown, &old, p->replaces,
                              true, err) < 0)
        return -1;
    rc = merge(params, &old, &merged, err);
    if (rc > 0 && !(p->text = gcal_publish_encode(p->store, &merged, &p->size, err)))
        rc = -1;
    gcal_publish_merged_free(&merged);
    gcal_params_clear(&old);
    return rc;
}

/* Prepares the lines for the node's track, and opens it. */
static int fill_track(struct publication *p, const struct gcal_params *params,
                      struct gcal_error *err)
{
    int tracks =
        gcal_store_make_folder(p->store, p->store->dirfd, "tracks", "tracks", err);
    char *file = gcal_buf_format("%s.tsv", params->node);
    struct gcal_track before = { 0 };
    int rc = -1;

    if (tracks < 0 || !file) {
        if (!file)
            gcal_error_memory(err);
    } else if (gcal_track_load(p->store, params->node, &before, err) < 0) {
        gcal_error_prefix(err, "cannot add to the node's track (repair it, or move it "
                               "away)");
        if (err)
            err->code = GCAL_ESTORE;
    } else if ((p->lines =
                    gcal_track_encode(params, p->run_id, &before, &p->lines_size, err))) {
        p->track = gcal_store_open_append(p->store, tracks, file, file, err);
        rc = p->track < 0 ? -1 : 0;
    }
    gcal_track_clear(&before);
    free(file);
    if (tracks >= 0)
        close(tracks);
    return rc;
}

/* Writes temporary files first, so that a full disk fails before anything has changed;
 * then the ledger, so that the store never has a file that is not in it.
 */
static int commit(struct publication *p, const struct gcal_params *params,
                  struct gcal_error *err)
{
    struct gcal_store *store = p->store;
    char *kept = gcal_buf_format("%s.yaml", p->run_id);
    int rc = -1;

    if (!kept) {
        gcal_error_memory(err);
        goto out;
    }
    if (gcal_store_prepare(store, p->history, p->history_temp, p->shown, p->text, p->size,
                           err) < 0)
        goto out;
    if (gcal_store_prepare(store, p->folder, p->temp, p->shown, p->text, p->size, err) <
        0)
        goto drop_history;
    if (write_ledger(p, params, err) < 0 ||
        (p->lines_size &&
         gcal_store_append(store, p->track, "tracks", p->lines, p->lines_size, err) < 0))
        goto drop;
    if (gcal_store_replace(store, p->history, p->history_temp, kept, p->shown, err) < 0)
        goto drop;
    rc = gcal_store_replace(store, p->folder, p->temp, p->file, p->shown, err);
    if (rc == 0)
        gcal_ledger_end(store, p->run_id, p->shown, p->sha256);
    goto out;
drop:
    gcal_store_remove(p->folder, p->temp);
drop_history:
    gcal_store_remove(p->history, p->history_temp);
out:
    free(kept);
    return rc;
}

int gcal_store_publish(struct gcal_store *store, const struct gcal_params *params,
                       const char *run_id, struct gcal_error *err)
{
    struct publication p;
    int rc = -1;

    if (gcal_store_check_name("node", params->node, err) < 0 ||
        gcal_store_check_name("run", run_id, err) < 0)
        return -1;
    if (begin(&p, store, "nodes", params->node, run_id, err) == 0 &&
        fill(&p, params, gcal_publish_merge, err) > 0 && fill_track(&p, params, err) == 0)
        rc = commit(&p, params, err);
    end(&p);
    return rc;
}

/* ---- types ---- */

int gcal_store_publish_type(struct gcal_store *store, const struct gcal_params *params,
                            const char *type, const char *run_id, struct gcal_error *err)
{
    struct gcal_params named = *params;
    struct publication p;
    int rc = -1;

    if (gcal_store_check_name("device type", type, err) < 0 ||
        gcal_store_check_name("run", run_id, err) < 0)
        return -1;
    if (!(named.node = strdup(type)))
        return gcal_error_memory(err);
    if (begin(&p, store, "types", type, run_id, err) == 0 &&
        (rc = fill(&p, &named, gcal_publish_merge_type, err)) > 0 &&
        commit(&p, &named, err) < 0)
        rc = -1;
    end(&p);
    free(named.node);
    return rc;
}
