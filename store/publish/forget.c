/* forget.c - removing a model from what is published */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/strings.h"
#include "calib/model/run/device_match.h"
#include "store/files/internal.h"
#include "store/ledger/track.h"
#include "store/publish/private.h"

struct forgetting {
    struct gcal_store *store;
    const struct gcal_store_forget *what;
    size_t n_files, n_devices; /* devices of nodes */
};

/* The file of a node or type. */
struct target {
    const char *name;
    bool is_node;
    char *scope;               /* "nodes/NODE" */
    char *file, *shown, *temp; /* "NODE.yaml", "nodes/NODE.yaml", ".publish.NODE.HASH" */
    int lock, folder;
    char replaces[GCAL_HASH_TEXT_SIZE];
    struct gcal_strings uids; /* of the devices that had the model */
};

/* ---- the contents ---- */

static bool is_meant(const struct gcal_store_forget *what,
                     const struct gcal_device_info *info)
{
    return !what->device || gcal_device_info_matches(info, what->device);
}

/* A device without models stays, so that its description is not lost. */
static int remove_from(struct gcal_params_device *d, const struct gcal_store_forget *what,
                       struct gcal_strings *uids, struct gcal_error *err)
{
    size_t kept = 0;

    if (!is_meant(what, &d->info) || !gcal_params_find_model(d, what->model))
        return 0;
    for (size_t i = 0; i < d->n_models; i++)
        if (strcmp(d->models[i].name, what->model) == 0)
            gcal_params_model_clear(&d->models[i]);
        else
            d->models[kept++] = d->models[i];
    d->n_models = kept;
    return gcal_strings_add(uids, d->info.uid, err);
}

static int remove_model(struct gcal_params *params, const struct gcal_store_forget *what,
                        struct gcal_strings *uids, struct gcal_error *err)
{
    for (size_t i = 0; i < params->n_devices; i++)
        if (remove_from(&params->devices[i], what, uids, err) < 0)
            return -1;
    return 0;
}

/* ---- the file ---- */

static int begin(struct target *t, const struct forgetting *f, const char *name,
                 bool is_node, struct gcal_error *err)
{
    const struct gcal_store *store = f->store;
    const char *folder = is_node ? "nodes" : "types";

    *t = (struct target){ .name = name,
                          .is_node = is_node,
                          .scope = gcal_buf_format("%s/%s", folder, name),
                          .file = gcal_buf_format("%s.yaml", name),
                          .shown = gcal_buf_format("%s/%s.yaml", folder, name),
                          .temp = gcal_store_temp(name),
                          .lock = -1,
                          .folder = -1 };
    if (!t->scope || !t->file || !t->shown || !t->temp)
        return gcal_error_memory(err);
    if (!f->what->dry_run && (t->lock = gcal_store_lock_scope(store, t->scope, err)) < 0)
        return -1;
    t->folder = gcal_store_make_folder(store, store->dirfd, folder, folder, err);
    return t->folder < 0 ? -1 : 0;
}

static void end(struct target *t)
{
    if (t->folder >= 0)
        close(t->folder);
    if (t->lock >= 0)
        close(t->lock);
    gcal_strings_clear(&t->uids);
    free(t->scope);
    free(t->file);
    free(t->shown);
    free(t->temp);
}

/* The lines of the node's track, so that audits forget the model as well. */
static int track_lines(const struct forgetting *f, const struct target *t, char **lines,
                       size_t *size, struct gcal_error *err)
{
    struct gcal_track before = { 0 };

    if (gcal_track_load(f->store, t->name, &before, err) < 0)
        return gcal_error_prefix(err, "cannot add to the node's track");
    *lines = gcal_track_encode_forgotten(t->uids.items, t->uids.n, f->what->model,
                                         &before, size, err);
    gcal_track_clear(&before);
    return *lines ? 0 : -1;
}

static int append_track(const struct forgetting *f, const struct target *t,
                        const char *lines, size_t size, struct gcal_error *err)
{
    struct gcal_store *store = f->store;
    int tracks = gcal_store_make_folder(store, store->dirfd, "tracks", "tracks", err);
    char *file = gcal_buf_format("%s.tsv", t->name);
    int track = -1, rc = -1;

    if (!file)
        gcal_error_memory(err);
    else if (tracks >= 0)
        track = gcal_store_open_append(store, tracks, file, file, err);
    if (track >= 0) {
        rc = gcal_store_append(store, track, "tracks", lines, size, err);
        close(track);
    }
    if (tracks >= 0)
        close(tracks);
    free(file);
    return rc;
}

/* The order of a publication: what takes space, ledger, track, rename. */
static int commit(const struct forgetting *f, struct target *t, const char *text,
                  size_t size, struct gcal_error *err)
{
    char sha256[GCAL_HASH_TEXT_SIZE], of_lines[GCAL_HASH_TEXT_SIZE] = "", *lines = NULL;
    struct gcal_ledger_entry entry = { .action = "forget",
                                       .file = t->shown,
                                       .sha256 = sha256,
                                       .replaces = t->replaces,
                                       .track = of_lines };
    size_t lines_size = 0;
    int rc = -1;

    gcal_hash(text, size, sha256);
    if (t->is_node && track_lines(f, t, &lines, &lines_size, err) < 0)
        return -1;
    if (lines)
        gcal_hash(lines, lines_size, of_lines);
    if (gcal_store_prepare(f->store, t->folder, t->temp, t->shown, text, size, err) ==
        0) {
        if (gcal_ledger_append(f->store, &entry, 1, err) == 0 &&
            (!lines || append_track(f, t, lines, lines_size, err) == 0))
            rc = gcal_store_replace(f->store, t->folder, t->temp, t->file, t->shown, err);
        else
            gcal_store_remove(t->folder, t->temp);
    }
    free(lines);
    return rc;
}

/* A signed file is not replaced by one without a signature. */
static int check_signed(const struct forgetting *f, const struct target *t,
                        struct gcal_error *err)
{
    char sha256[GCAL_HASH_TEXT_SIZE];
    struct gcal_params old;
    int rc = gcal_publish_read_old(f->store, t->folder, t->file, t->shown, &old, sha256,
                                   true, err);

    gcal_params_clear(&old);
    return rc;
}

static int forget_in(struct forgetting *f, struct target *t, struct gcal_error *err)
{
    struct gcal_params params;
    char *text = NULL;
    size_t size;
    int rc;

    if (gcal_publish_read_old(f->store, t->folder, t->file, t->shown, &params,
                              t->replaces, false, err) < 0)
        return -1;
    rc = remove_model(&params, f->what, &t->uids, err);
    if (rc == 0 && t->is_node)
        f->n_devices += t->uids.n;
    f->n_files += rc == 0 && t->uids.n;
    if (rc == 0 && t->uids.n && !f->what->dry_run) {
        if (check_signed(f, t, err) == 0)
            text = gcal_publish_encode(f->store, &params, &size, err);
        rc = text ? commit(f, t, text, size, err) : -1;
    }
    free(text);
    gcal_params_clear(&params);
    return rc;
}

/* ---- the store ---- */

static int forget_named(struct forgetting *f, const char *name, bool is_node,
                        struct gcal_error *err)
{
    struct target t;
    int rc = begin(&t, f, name, is_node, err);

    if (rc == 0)
        rc = forget_in(f, &t, err);
    end(&t);
    return rc;
}

static int forget_all(struct forgetting *f, bool are_nodes, struct gcal_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int rc = are_nodes ? gcal_store_nodes(f->store, &names, &n, err)
                       : gcal_store_types(f->store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++)
        if (!are_nodes || !f->what->node || fnmatch(f->what->node, names[i], 0) == 0)
            rc = forget_named(f, names[i], are_nodes, err);
    gcal_strings_free(names, n);
    return rc;
}

int gcal_store_forget(struct gcal_store *store, const struct gcal_store_forget *what,
                      size_t *n_files, size_t *n_devices, struct gcal_error *err)
{
    struct forgetting f = { .store = store, .what = what };
    int rc = forget_all(&f, true, err);

    /* The file of a type is for all nodes. */
    if (rc == 0 && !what->node)
        rc = forget_all(&f, false, err);
    *n_files = f.n_files;
    *n_devices = f.n_devices;
    return rc;
}
