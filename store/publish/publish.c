/* publish.c - publishing the parameter file of a node or a type */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/threads.h"
#include "store/ledger/ledger.h"
#include "store/links/links.h"
#include "store/ledger/track.h"
#include "store/files/internal.h"
#include "store/publish/private.h"

/* ---- what a publication keeps of the published file ---- */

/* Whether a new model replaces the published one of its name. */
typedef bool replaces(const struct gcal_params_device *device,
                      const struct gcal_params_model *model,
                      const struct gcal_params_device *old_device,
                      const struct gcal_params_model *old);

static bool always(const struct gcal_params_device *device,
                   const struct gcal_params_model *model,
                   const struct gcal_params_device *old_device,
                   const struct gcal_params_model *old)
{
    (void)device, (void)model, (void)old_device, (void)old;
    return true;
}

static bool same(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* Unless the published model is a fit of more devices under the same conditions. */
static bool unless_smaller(const struct gcal_params_device *device,
                           const struct gcal_params_model *model,
                           const struct gcal_params_device *old_device,
                           const struct gcal_params_model *old)
{
    const struct gcal_params_origin n = gcal_params_model_origin(device, model);
    const struct gcal_params_origin o = gcal_params_model_origin(old_device, old);

    return !same(o.configuration, n.configuration) || !same(o.catalogue, n.catalogue) ||
           !same(o.driver, n.driver) || o.n_fitted <= n.n_fitted;
}

/* A copy of 'model' with all of its origin, as its device will be described by another
 * run.  The texts stay those of their owners.
 */
static struct gcal_params_model with_origin(const struct gcal_params_device *device,
                                            const struct gcal_params_model *model)
{
    struct gcal_params_model copy = *model;

    copy.origin = gcal_params_model_origin(device, model);
    return copy;
}

/* 'merged' becomes 'device' with the models of 'old' that it lacks, or that stay; the
 * number of models that are new.
 */
static size_t merge_models(struct gcal_arena *arena,
                           const struct gcal_params_device *device,
                           const struct gcal_params_device *old, replaces *is_replaced,
                           struct gcal_params_device *merged)
{
    size_t n = 0, n_new = 0;

    *merged = *device;
    merged->models = gcal_arena_alloc(arena, device->n_models + old->n_models,
                                      sizeof(*merged->models));
    for (size_t i = 0; i < device->n_models; i++) {
        const struct gcal_params_model *known =
            gcal_params_find_model(old, device->models[i].name);
        bool is_new = !known || is_replaced(device, &device->models[i], old, known);

        merged->models[n++] =
            is_new ? with_origin(device, &device->models[i]) : with_origin(old, known);
        n_new += is_new;
    }
    for (size_t i = 0; i < old->n_models; i++)
        if (!gcal_params_find_model(device, old->models[i].name))
            merged->models[n++] = with_origin(old, &old->models[i]);
    merged->n_models = n;
    return n_new;
}

/* 'params' with the devices, and the models of its devices, that only 'old' has.  The result
 * borrows from both.  Returns whether a model is new: always.
 */
static bool merge_params(struct gcal_arena *arena, const struct gcal_params *params,
                         const struct gcal_params *old, struct gcal_params *merged)
{
    static const struct gcal_params_device nothing = { 0 };
    size_t n = params->n_devices + old->n_devices;

    *merged = (struct gcal_params){ .node = params->node };
    merged->devices = gcal_arena_alloc(arena, n, sizeof(*merged->devices));
    for (size_t i = 0; i < params->n_devices; i++) {
        const struct gcal_params_device *d = &params->devices[i];
        const struct gcal_params_device *known = gcal_params_find_uid(old, d->info.uid);

        merge_models(arena, d, known ? known : &nothing, always,
                     &merged->devices[merged->n_devices++]);
    }
    for (size_t i = 0; i < old->n_devices; i++)
        if (!gcal_params_find_uid(params, old->devices[i].info.uid))
            merge_models(arena, &old->devices[i], &nothing, always,
                         &merged->devices[merged->n_devices++]);
    return true;
}

/* The same for the file of a type, which has one device: the published model stays if it
 * is a fit of more devices under the same conditions.  False if that holds for all models.
 */
static bool merge_type(struct gcal_arena *arena, const struct gcal_params *params,
                       const struct gcal_params *old, struct gcal_params *merged)
{
    static const struct gcal_params_device nothing = { 0 };

    *merged = (struct gcal_params){ .node = params->node };
    merged->devices = gcal_arena_alloc(arena, 1, sizeof(*merged->devices));
    if (!params->n_devices)
        return false;
    merged->n_devices = 1;
    return merge_models(arena, params->devices, old->n_devices ? old->devices : &nothing,
                        unless_smaller, merged->devices) > 0;
}

/* ---- kernels ---- */

/* Of one kernel on one type; the oldest beyond it go. */
#define MAX_SIZES 64
#define MAX_TIMES 256

static const struct gcal_params_device *find_type(const struct gcal_params *params,
                                                  const char *type)
{
    for (size_t i = 0; i < params->n_devices; i++)
        if (strcmp(params->devices[i].info.type, type) == 0)
            return &params->devices[i];
    return NULL;
}

static bool is_known(const struct gcal_params_model *model, size_t n,
                     const struct gcal_params_time *time, bool on_device)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(model->times[i].sizes, time->sizes) == 0 &&
            (!on_device || !time->device ||
             (model->times[i].device &&
              strcmp(model->times[i].device, time->device) == 0)))
            return true;
    return false;
}

/* The new times first, as the first are kept. */
static void merge_times(struct gcal_arena *arena, const struct gcal_params_device *old,
                        struct gcal_params_model *model)
{
    const struct gcal_params_model *m = old && old->n_models ? old->models : NULL;
    size_t n = model->n_times, n_sizes = 0;
    struct gcal_params_time *times =
        gcal_arena_alloc(arena, n + (m ? m->n_times : 0), sizeof(*times));

    if (n)
        memcpy(times, model->times, n * sizeof(*times));
    model->times = times;
    for (size_t i = 0; i < n; i++)
        n_sizes += !is_known(model, i, &times[i], false);
    for (size_t i = 0; m && i < m->n_times; i++) {
        bool is_new = !is_known(model, n, &m->times[i], false);

        if (is_known(model, n, &m->times[i], true) || (is_new && n_sizes == MAX_SIZES))
            continue;
        n_sizes += is_new;
        times[n++] = m->times[i];
    }
    model->n_times = n < MAX_TIMES ? n : MAX_TIMES;
}

/* The same for the file of a kernel, whose devices are one of each type: of the type, the published
 * times at other sizes stay.
 */
static bool merge_learned(struct gcal_arena *arena, const struct gcal_params *params,
                          const struct gcal_params *old, struct gcal_params *merged)
{
    static const struct gcal_params_device nothing = { 0 };
    size_t n = params->n_devices + old->n_devices;

    *merged = (struct gcal_params){ .node = params->node };
    merged->devices = gcal_arena_alloc(arena, n, sizeof(*merged->devices));
    for (size_t i = 0; i < params->n_devices; i++) {
        struct gcal_params_device *d = &merged->devices[merged->n_devices++];

        merge_models(arena, &params->devices[i], &nothing, always, d);
        if (d->n_models)
            merge_times(arena, find_type(old, d->info.type), d->models);
    }
    for (size_t i = 0; i < old->n_devices; i++)
        if (!find_type(params, old->devices[i].info.type))
            merge_models(arena, &old->devices[i], &nothing, always,
                         &merged->devices[merged->n_devices++]);
    return true;
}

/* ---- publishing the parameter file of a node or a type ---- */

/* A file that is being published. */
struct publication {
    struct gcal_arena *arena;
    struct gcal_store *store;
    const char *run_id;
    const char *scope; /* "nodes/NODE" */
    const struct gcal_store_kind *kind;
    const char *file, *shown,
        *temp; /* "NODE.yaml", "nodes/NODE.yaml", ".publish.NODE.HASH" */
    const char *history_temp;
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
    struct gcal_arena *arena = gcal_arena_create();

    *p = (struct publication){ .arena = arena,
                               .store = store,
                               .run_id = run_id,
                               .scope = gcal_arena_format(arena, "%s/%s", folder, name),
                               .file = gcal_arena_format(arena, "%s.yaml", name),
                               .shown =
                                   gcal_arena_format(arena, "%s/%s.yaml", folder, name),
                               .temp = gcal_publish_temp(arena, name),
                               .history_temp = gcal_publish_temp(arena, ""),
                               .lock = -1,
                               .folder = -1,
                               .history = -1,
                               .track = -1 };
    p->kind = gcal_store_kind_of(p->scope);
    if (gcal_store_check_scope(p->scope, err) < 0)
        return -1;
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
    gcal_arena_destroy(p->arena);
}

static int write_ledger(struct publication *p, const struct gcal_params *params,
                        struct gcal_error *err)
{
    const struct gcal_params_device *first = params->devices;
    char track[GCAL_HASH_TEXT_SIZE] = "";
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
    /* What is added beside the file: the copy of a type's file, lines of a node's track. */
    if (!p->kind->has_track)
        strcpy(track, p->sha256);
    else if (p->lines_size)
        gcal_hash(p->lines, p->lines_size, track);
    return gcal_ledger_append(p->store, &entry, 1, err);
}

typedef bool merge_with_old(struct gcal_arena *arena, const struct gcal_params *params,
                            const struct gcal_params *old, struct gcal_params *merged);

/* The merged text: 1, 0 when all models of the published file stay, -1. */
static int fill(struct publication *p, const struct gcal_params *params,
                merge_with_old *merge, struct gcal_error *err)
{
    struct gcal_params old, merged;
    int rc = 0;

    if (gcal_publish_read_old(p->store, p->folder, p->file, p->shown, &old, p->replaces,
                              true, err) < 0)
        return -1;
    if (merge(p->arena, params, &old, &merged)) {
        p->text = gcal_publish_encode(p->store, &merged, &p->size, err);
        rc = gcal_arena_own(p->arena, p->text, free) ? 1 : -1;
    }
    gcal_params_clear(&old);
    return rc;
}

/* Prepares the lines for the node's track, and opens it. */
static int fill_track(struct publication *p, const struct gcal_params *params,
                      struct gcal_error *err)
{
    int tracks =
        gcal_store_make_folder(p->store, p->store->dirfd, "tracks", "tracks", err);
    const char *file = gcal_arena_format(p->arena, "%s.tsv", params->node);
    struct gcal_track before = { 0 };
    int rc = -1;

    if (tracks < 0)
        return -1;
    if (gcal_track_load(p->store, params->node, &before, err) < 0) {
        gcal_error_prefix(err, "cannot add to the node's track (repair it, or move it "
                               "away)");
        if (err)
            err->code = GCAL_ESTORE;
    } else if ((p->lines =
                    gcal_track_encode(params, p->run_id, &before, &p->lines_size, err))) {
        gcal_arena_own(p->arena, p->lines, free);
        p->track = gcal_store_open_append(p->store, tracks, file, file, err);
        rc = p->track < 0 ? -1 : 0;
    }
    gcal_track_clear(&before);
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
    const char *kept = gcal_arena_format(p->arena, "%s.yaml", p->run_id);
    int rc;

    if (gcal_store_prepare(store, p->history, p->history_temp, p->shown, p->text, p->size,
                           err) < 0)
        return -1;
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
    return rc;
drop:
    gcal_store_remove(p->folder, p->temp);
drop_history:
    gcal_store_remove(p->history, p->history_temp);
    return -1;
}

/* 1 when it was published, 0 when nothing of it is new, -1. */
static int publish_file(struct gcal_store *store, const char *folder,
                        const struct gcal_params *params, merge_with_old *merge,
                        const char *run_id, struct gcal_error *err)
{
    struct publication p;
    int rc = -1;

    if (gcal_store_check_name("run", run_id, err) < 0)
        return -1;
    if (begin(&p, store, folder, params->node, run_id, err) < 0 ||
        (rc = fill(&p, params, merge, err)) < 0 ||
        (rc > 0 && p.kind->has_track && fill_track(&p, params, err) < 0) ||
        (rc > 0 && commit(&p, params, err) < 0))
        rc = -1;
    end(&p);
    return rc;
}

int gcal_store_publish(struct gcal_store *store, const struct gcal_params *params,
                       const char *run_id, struct gcal_error *err)
{
    return publish_file(store, "nodes", params, merge_params, run_id, err) < 0 ? -1 : 0;
}

int gcal_store_publish_type(struct gcal_store *store, const struct gcal_params *params,
                            const char *type, const char *run_id, struct gcal_error *err)
{
    struct gcal_params named = *params;

    named.node = (char *)type;
    return publish_file(store, "types", &named, merge_type, run_id, err);
}

int gcal_store_publish_learned(struct gcal_store *store, const struct gcal_params *params,
                               const char *run_id, struct gcal_error *err)
{
    return publish_file(store, "learned", params, merge_learned, run_id, err) < 0 ? -1
                                                                                  : 0;
}

/* The classes that were not measured stay as they were. */
static int fill_links(struct publication *p, const struct gcal_links *links,
                      struct gcal_error *err)
{
    struct gcal_links old = { 0 }, again = { 0 }, merged = *links;
    int rc = 0;
    char *text;
    size_t size;

    if (gcal_publish_read_text(p->store, p->folder, p->file, p->shown, &text, &size,
                               p->replaces, true, err) < 0)
        return -1;
    if (text && (rc = gcal_links_decode(text, size, p->shown, &old, err)) < 0) {
        gcal_error_prefix(err, "store %s", p->store->path);
        gcal_publish_refuse(err);
    }
    free(text);
    for (int i = 0; i < GCAL_LINKS_N_CLASSES; i++)
        if (!links->classes[i].n_measured)
            merged.classes[i] = old.classes[i];
    if (rc == 0) {
        text = gcal_links_encode(&merged, &p->size, err);
        /* An unreadable file is not published. */
        if (text && gcal_links_decode(text, p->size, p->shown, &again, err) < 0) {
            gcal_error_prefix(err, "store %s: cannot publish", p->store->path);
            free(text);
            text = NULL;
        }
        gcal_links_clear(&again);
        p->text = text ? gcal_publish_sign(p->store, text, &p->size, err) : NULL;
        rc = gcal_arena_own(p->arena, p->text, free) ? 0 : -1;
    }
    gcal_links_clear(&old);
    return rc;
}

int gcal_store_publish_links(struct gcal_store *store, const struct gcal_links *links,
                             const char *run_id, struct gcal_error *err)
{
    const struct gcal_params nothing = { .node = links->node };
    struct publication p;
    int rc = gcal_store_check_name("run", run_id, err);

    if (rc < 0)
        return -1;
    if ((rc = begin(&p, store, "links", links->node, run_id, err)) == 0 &&
        (rc = fill_links(&p, links, err)) == 0)
        rc = commit(&p, &nothing, err);
    end(&p);
    return rc;
}

/* ---- many nodes in parallel ---- */

/* A publication mostly waits for the disk, which serves several writers at once. */
#define MAX_THREADS 16

struct publications {
    struct gcal_store *store;
    const struct gcal_params *params;
    const char *const *run_ids;
    size_t *first; /* of each node in 'params', and the end */
    size_t published, failed;
    pthread_mutex_t lock;
    struct gcal_error failures; /* all of them, as far as there is room */
};

/* A node that cannot be published does not stop the others. */
static int publish(void *context, size_t node, struct gcal_error *err)
{
    struct publications *p = context;
    struct gcal_error why = { 0 };
    int rc = 0;

    (void)err;
    for (size_t i = p->first[node]; i < p->first[node + 1] && rc == 0; i++)
        rc = gcal_store_publish(p->store, &p->params[i], p->run_ids[i], &why);
    pthread_mutex_lock(&p->lock);
    if (rc < 0) {
        struct gcal_error all = p->failures;

        if (p->failed++)
            gcal_error_set(&p->failures, all.code, "%s; %s", all.text, why.text);
        else
            p->failures = why;
    } else
        p->published++;
    pthread_mutex_unlock(&p->lock);
    return 0;
}

int gcal_store_publish_all(struct gcal_store *store, const struct gcal_params *params,
                           const char *const *run_ids, size_t count, size_t *published,
                           struct gcal_error *err)
{
    struct publications p = { .store = store,
                              .params = params,
                              .run_ids = run_ids,
                              .lock = PTHREAD_MUTEX_INITIALIZER };
    struct gcal_arena *arena = gcal_arena_create();
    size_t n = 0;
    int rc;

    p.first = gcal_arena_alloc(arena, count + 1, sizeof(*p.first));
    for (size_t i = 0; i < count; i++)
        if (!i || strcmp(params[i].node, params[i - 1].node) != 0)
            p.first[n++] = i;
    p.first[n] = count;
    rc = gcal_threads_run(n, MAX_THREADS, publish, &p, err);
    gcal_arena_destroy(arena);
    *published = p.published;
    if (rc == 0 && p.failed)
        return gcal_error_set(err, p.failures.code, "%s", p.failures.text);
    return rc;
}
