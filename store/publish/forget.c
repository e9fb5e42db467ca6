/* forget.c - removing a model, or a node, from what is published */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/model/run/device_match.h"
#include "store/files/internal.h"
#include "store/ledger/track.h"
#include "store/publish/private.h"

struct forgetting {
    struct gcal_arena *arena; /* of one node or type */
    struct gcal_store *store;
    const struct gcal_store_forget *what;
    double older_s; /* kernels that were learned longer ago go; 0: by the model */
    size_t n_files, n_devices; /* devices of nodes */
    struct gcal_ledger_lines lines;
};

/* The file of a node or type. */
struct target {
    const char *name;
    bool is_node;
    const char *scope; /* "nodes/NODE" */
    const char *file, *shown,
        *temp; /* "NODE.yaml", "nodes/NODE.yaml", ".publish.NODE.HASH" */
    int lock, folder;
    char replaces[GCAL_HASH_TEXT_SIZE];
    struct gcal_strings uids; /* of the devices that had the model */
};

/* ---- the contents ---- */

/* Removes the model from the devices.  One without models stays, so that its description is not
 * lost.
 */
static int remove_model(struct gcal_params *params, const struct gcal_store_forget *what,
                        struct gcal_strings *uids, struct gcal_error *err)
{
    for (size_t k = 0; k < params->n_devices; k++) {
        struct gcal_params_device *d = &params->devices[k];
        size_t kept = 0;

        if ((what->device && !gcal_device_info_matches(&d->info, what->device)) ||
            !gcal_params_find_model(d, what->model))
            continue;
        for (size_t i = 0; i < d->n_models; i++)
            if (strcmp(d->models[i].name, what->model) == 0)
                gcal_params_model_clear(&d->models[i]);
            else
                d->models[kept++] = d->models[i];
        d->n_models = kept;
        if (gcal_strings_add(uids, d->info.uid, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- the file ---- */

static int begin(struct target *t, const struct forgetting *f, const char *name,
                 bool is_node, struct gcal_error *err)
{
    const struct gcal_store *store = f->store;
    const char *folder = is_node ? "nodes" : "types";

    *t =
        (struct target){ .name = name,
                         .is_node = is_node,
                         .scope = gcal_arena_format(f->arena, "%s/%s", folder, name),
                         .file = gcal_arena_format(f->arena, "%s.yaml", name),
                         .shown = gcal_arena_format(f->arena, "%s/%s.yaml", folder, name),
                         .temp = gcal_publish_temp(f->arena, name),
                         .lock = -1,
                         .folder = -1 };
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
}

/* The lines of the node's track, so that audits forget the model, or all models, as well; none if
 * there is no track.
 */
static int track_lines(const struct forgetting *f, const struct target *t, char **lines,
                       size_t *size, struct gcal_error *err)
{
    struct gcal_track before = { 0 };
    int rc = 0;

    if (gcal_track_load(f->store, t->name, &before, err) < 0)
        return gcal_error_prefix(err, "cannot add to the node's track");
    if (before.n_runs) {
        *lines = gcal_track_encode_forgotten(t->uids.items, t->uids.n, f->what->model,
                                             &before, size, err);
        rc = gcal_arena_own(f->arena, *lines, free) ? 0 : -1;
    }
    gcal_track_clear(&before);
    return rc;
}

static int append_track(const struct forgetting *f, const struct target *t,
                        const char *lines, size_t size, struct gcal_error *err)
{
    struct gcal_store *store = f->store;
    int tracks = gcal_store_make_folder(store, store->dirfd, "tracks", "tracks", err);
    const char *file = gcal_arena_format(f->arena, "%s.tsv", t->name);
    int track = tracks < 0 ? -1 : gcal_store_open_append(store, tracks, file, file, err);
    int rc = track < 0 ? -1 : gcal_store_append(store, track, "tracks", lines, size, err);

    if (track >= 0)
        close(track);
    if (tracks >= 0)
        close(tracks);
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
    return rc;
}

static int forget_in(struct forgetting *f, struct target *t, struct gcal_error *err)
{
    char *text = NULL, sha256[GCAL_HASH_TEXT_SIZE];
    struct gcal_params params, old;
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
        /* A signed file is not replaced by one without a signature. */
        if (gcal_publish_read_old(f->store, t->folder, t->file, t->shown, &old, sha256,
                                  true, err) == 0)
            text = gcal_publish_encode(f->store, &params, &size, err);
        gcal_params_clear(&old);
        rc = text ? commit(f, t, text, size, err) : -1;
        free(text);
    }
    gcal_params_clear(&params);
    return rc;
}

/* ---- a node ---- */

/* A file of a node that is removed: its medians, its links, its own. */
enum { MEDIANS, LINKS, OWN, N_REMOVALS };

struct removal {
    const char *shown;
    int folder; /* -1: there is none */
    bool is_there;
    char replaces
        [GCAL_HASH_TEXT_SIZE]; /* the file, or what the ledger says was published */
};

/* 1 if there is something to remove: also a file that only the ledger has. */
static int removal_begin(struct removal *r, const struct forgetting *f,
                         const char *folder, const char *file, struct gcal_error *err)
{
    struct gcal_ledger_scope lines = { 0 };
    const char *run_id, *last;
    enum gcal_ledger_state state = GCAL_LEDGER_CURRENT;
    char *text = NULL;
    size_t size;
    int rc;

    *r = (struct removal){ .shown = gcal_arena_format(f->arena, "%s/%s", folder, file),
                           .folder = -1 };
    rc = gcal_store_folder(f->store, f->store->dirfd, folder, folder, &r->folder, err);
    if (rc > 0)
        rc = gcal_store_fetch(f->store, r->folder, file, r->shown, GCAL_STORE_MAX_BYTES,
                              &text, &size, err);
    if (rc > 0) {
        r->is_there = true;
        gcal_hash(text, size, r->replaces);
        if (gcal_store_check_key(f->store, r->shown, text, size, err) < 0)
            rc = -1;
    } else if (rc == 0) {
        lines = gcal_ledger_lines_find(f->arena, &f->lines,
                                       gcal_publish_scope(f->arena, r->shown));
        state = gcal_ledger_compare(&lines, r->shown, "", &run_id, &last);
        rc = state == GCAL_LEDGER_MISSING || state == GCAL_LEDGER_NOT_YET;
        for (size_t i = 0; i < lines.n; i++)
            if (rc && strcmp(lines.line[i]->file, r->shown) == 0)
                strcpy(r->replaces, lines.line[i]->sha256);
    }
    free(text);
    return rc;
}

static int remove_file(const struct forgetting *f, const struct removal *r,
                       struct gcal_error *err)
{
    if (r->is_there &&
        ((TEMP_FAILURE_RETRY(unlinkat(r->folder, strchr(r->shown, '/') + 1, 0)) < 0 &&
          errno != ENOENT) ||
         TEMP_FAILURE_RETRY(fsync(r->folder)) < 0))
        return gcal_store_fail(f->store, r->shown, err);
    gcal_ledger_end(f->store, NULL, r->shown, "");
    return 0;
}

/* The order of a publication: ledger, track, files; those of the node last, so that the whole is
 * repeated after a crash.
 */
static int remove_files(struct forgetting *f, const struct target *t,
                        const struct removal *removals, const bool *removes,
                        struct gcal_error *err)
{
    char of_lines[GCAL_HASH_TEXT_SIZE] = "", *lines = NULL;
    struct gcal_ledger_entry entries[N_REMOVALS];
    size_t size = 0, n = 0;
    int rc = removes[OWN] ? track_lines(f, t, &lines, &size, err) : 0;

    if (rc == 0 && lines)
        gcal_hash(lines, size, of_lines);
    for (int i = 0; i < N_REMOVALS; i++)
        if (removes[i])
            entries[n++] =
                (struct gcal_ledger_entry){ .action = "forget",
                                            .file = removals[i].shown,
                                            .replaces = removals[i].replaces,
                                            .track = i == OWN ? of_lines : NULL };
    if (rc == 0)
        rc = gcal_ledger_append(f->store, entries, n, err);
    if (rc == 0 && lines)
        rc = append_track(f, t, lines, size, err);
    for (int i = 0; i < N_REMOVALS && rc == 0; i++)
        if (removes[i])
            rc = remove_file(f, &removals[i], err);
    return rc;
}

/* Its checks, which are not in the ledger. */
static int remove_checks(const struct forgetting *f, const char *name,
                         struct gcal_error *err)
{
    int folder, rc = gcal_store_folder(f->store, f->store->dirfd, "checks", "checks",
                                       &folder, err);

    if (rc > 0) {
        gcal_store_remove(folder, gcal_arena_format(f->arena, "%s.tsv", name));
        close(folder);
    }
    return rc < 0 ? -1 : 0;
}

static int forget_node(struct forgetting *f, const char *name, struct gcal_error *err)
{
    const char *medians = gcal_arena_format(f->arena, "%s.tsv", name);
    const char *links = gcal_arena_format(f->arena, "links/%s", name);
    const char *const folders[] = { "medians", "links", "nodes" };
    struct removal removals[N_REMOVALS] = { { .folder = -1 },
                                            { .folder = -1 },
                                            { .folder = -1 } };
    bool removes[N_REMOVALS] = { false }, any = false;
    struct target t;
    int rc = begin(&t, f, name, true, err);
    int lock =
        rc == 0 && !f->what->dry_run ? gcal_store_lock_scope(f->store, links, err) : -1;

    if (rc == 0 && lock < 0 && !f->what->dry_run)
        rc = -1;
    for (int i = 0; i < N_REMOVALS && rc >= 0; i++) {
        rc = removal_begin(&removals[i], f, folders[i], i == MEDIANS ? medians : t.file,
                           err);
        removes[i] = rc > 0;
        any = any || removes[i];
    }
    if (rc >= 0 && any) {
        f->n_files++;
        rc = f->what->dry_run ? 0 : remove_files(f, &t, removals, removes, err);
        if (rc == 0 && !f->what->dry_run)
            rc = remove_checks(f, name, err);
    }
    for (int i = 0; i < N_REMOVALS; i++)
        if (removals[i].folder >= 0)
            close(removals[i].folder);
    if (lock >= 0)
        close(lock);
    end(&t);
    return rc < 0 ? -1 : 0;
}

static int forget_nodes(struct forgetting *f, struct gcal_error *err)
{
    struct gcal_strings names = { 0 };
    int rc = gcal_ledger_lines_refresh(&f->lines, err);

    gcal_ledger_lines_sort(&f->lines);
    if (rc == 0) {
        char **listed = NULL;
        size_t n = 0;

        /* Nodes with a file, and those that only the ledger has. */
        rc = gcal_store_nodes(f->store, &listed, &n, err);
        for (size_t i = 0; i < n && rc == 0; i++)
            rc = gcal_strings_add(&names, listed[i], err);
        gcal_strings_free(listed, n);
        for (size_t i = 0; i < f->lines.n_sorted && rc == 0; i++) {
            const char *scope = f->lines.items[i].scope, *name = strchr(scope, '/');

            if ((i == 0 || strcmp(scope, f->lines.items[i - 1].scope) != 0) && name &&
                gcal_store_is_name(name + 1) &&
                (strncmp(scope, "nodes/", 6) == 0 || strncmp(scope, "links/", 6) == 0 ||
                 strncmp(scope, "medians/", 8) == 0))
                rc = gcal_strings_include(&names, name + 1, err);
        }
    }
    for (size_t i = 0; i < names.n && rc == 0; i++)
        if (fnmatch(f->what->node, names.items[i], 0) == 0) {
            f->arena = gcal_arena_create();
            rc = forget_node(f, names.items[i], err);
            gcal_arena_destroy(f->arena);
        }
    gcal_strings_clear(&names);
    return rc;
}

/* ---- a kernel ---- */

static bool is_old(const struct gcal_params *kernel, double older_s)
{
    double newest_s = 0;

    for (size_t i = 0; i < kernel->n_devices; i++)
        for (size_t k = 0; k < kernel->devices[i].n_models; k++) {
            const char *utc = gcal_params_model_origin(&kernel->devices[i],
                                                       &kernel->devices[i].models[k])
                                  .calibrated_utc;

            newest_s = fmax(newest_s, gcal_clock_parse_utc(utc ? utc : ""));
        }
    return difftime(time(NULL), 0) - newest_s > older_s;
}

/* The file of a kernel whose models have the name, or are old, goes as a whole. */
static int forget_learned(struct forgetting *f, const char *fingerprint,
                          struct gcal_error *err)
{
    const char *scope = gcal_arena_format(f->arena, "learned/%s", fingerprint);
    const char *file = gcal_arena_format(f->arena, "%s.yaml", fingerprint);
    int lock = f->what->dry_run ? -1 : gcal_store_lock_scope(f->store, scope, err);
    struct removal removal = { .folder = -1 };
    struct gcal_params kernel = { 0 };
    bool removes = false;
    int rc = !f->what->dry_run && lock < 0
                 ? -1
                 : gcal_store_load_learned(f->store, fingerprint, &kernel, err);

    for (size_t i = 0; i < kernel.n_devices; i++)
        removes = removes || (f->what->model &&
                              gcal_params_find_model(&kernel.devices[i], f->what->model));
    if (rc > 0 && f->older_s > 0)
        removes = is_old(&kernel, f->older_s);
    f->n_files += removes;
    if (rc > 0 && removes && !f->what->dry_run &&
        (rc = removal_begin(&removal, f, "learned", file, err)) > 0) {
        const struct gcal_ledger_entry entry = { .action = "forget",
                                                 .file = removal.shown,
                                                 .replaces = removal.replaces };

        rc = gcal_ledger_append(f->store, &entry, 1, err);
        if (rc == 0)
            rc = remove_file(f, &removal, err);
    }
    gcal_params_clear(&kernel);
    if (removal.folder >= 0)
        close(removal.folder);
    if (lock >= 0)
        close(lock);
    return rc < 0 ? -1 : 0;
}

static int forget_all_learned(struct forgetting *f, struct gcal_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int rc = gcal_store_learned(f->store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        f->arena = gcal_arena_create();
        rc = forget_learned(f, names[i], err);
        gcal_arena_destroy(f->arena);
    }
    gcal_strings_free(names, n);
    return rc;
}

/* ---- the store ---- */

static int forget_all(struct forgetting *f, bool are_nodes, struct gcal_error *err)
{
    char **names = NULL;
    size_t n = 0;
    int rc = are_nodes ? gcal_store_nodes(f->store, &names, &n, err)
                       : gcal_store_types(f->store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct target t;

        if (are_nodes && f->what->node && fnmatch(f->what->node, names[i], 0) != 0)
            continue;
        f->arena = gcal_arena_create();
        if ((rc = begin(&t, f, names[i], are_nodes, err)) == 0)
            rc = forget_in(f, &t, err);
        end(&t);
        gcal_arena_destroy(f->arena);
    }
    gcal_strings_free(names, n);
    return rc;
}

int gcal_store_forget(struct gcal_store *store, const struct gcal_store_forget *what,
                      size_t *n_files, size_t *n_devices, struct gcal_error *err)
{
    struct forgetting f = { .store = store, .what = what, .lines = { .store = store } };
    int rc = what->model ? forget_all(&f, true, err) : forget_nodes(&f, err);

    /* The file of a type is for all nodes. */
    if (rc == 0 && !what->node)
        rc = forget_all(&f, false, err);
    if (rc == 0 && what->model && !what->node && !what->device)
        rc = forget_all_learned(&f, err);
    gcal_ledger_lines_clear(&f.lines);
    *n_files = f.n_files;
    *n_devices = f.n_devices;
    return rc;
}

int gcal_publish_forget_old(struct gcal_store *store, double older_s, bool dry_run,
                            size_t *removed, struct gcal_error *err)
{
    const struct gcal_store_forget what = { .dry_run = dry_run };
    struct forgetting f = {
        .store = store, .what = &what, .older_s = older_s, .lines = { .store = store }
    };
    int rc = gcal_ledger_lines_refresh(&f.lines, err);

    gcal_ledger_lines_sort(&f.lines);
    if (rc == 0)
        rc = forget_all_learned(&f, err);
    gcal_ledger_lines_clear(&f.lines);
    *removed += f.n_files;
    return rc;
}
