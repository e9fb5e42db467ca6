/* read.c - the file of a node, checked and read into a record */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

int gcal_medians_nodes(const struct gcal_store *store, char ***names, size_t *count,
                       struct gcal_error *err)
{
    int folder,
        rc = gcal_store_folder(store, store->dirfd, "medians", "medians", &folder, err);

    *names = NULL;
    *count = 0;
    return rc > 0 ? gcal_store_list(folder, ".tsv", names, count, err) : rc;
}

/* ---- sections ---- */

/* A section that is read. */
struct section {
    struct gcal_record_header run;
    struct gcal_run_device device;
    struct gcal_medians_section view;
    bool chosen, settled;
    size_t device_index;
    size_t n_places, capacity;
    size_t *places; /* in the record, of all its files of kernels */
};

struct reading {
    struct gcal_arena *arena;
    const struct gcal_store *store;
    const char *node;
    gcal_medians_choose *choose;
    void *context;
    bool in_store;
    struct gcal_medians_cache *cache;
    struct gcal_record *record;
    struct gcal_medians_lines lines;
    struct section section;
};

static void add_text(struct gcal_arena *arena, struct gcal_strings *list,
                     const char *text)
{
    list->items = gcal_arena_grow(arena, list->items, list->n, &list->capacity,
                                  sizeof(*list->items));
    list->items[list->n++] = gcal_arena_strdup(arena, text);
}

/* Records have no such column. */
static const struct gcal_field shared_error_field[] = {
    GCAL_FIELD(struct gcal_run_device, F64, "shared_error", shared_error, "1",
               "relative error of all times"),
    { 0 },
};

static int begin_section(struct reading *r, struct gcal_error *err)
{
    struct section *s = &r->section;

    *s = (struct section){ 0 };
    s->view.run = &s->run;
    s->view.device = &s->device;
    s->run.in_store = r->in_store;
    if (gcal_medians_get_fields(&r->lines, "", gcal_medians_run_fields, &s->run, err) <
            0 ||
        gcal_medians_get_fields(&r->lines, "", gcal_run_device_fields, &s->device, err) <
            0 ||
        gcal_medians_get_fields(&r->lines, "", gcal_device_info_fields, &s->device.info,
                                err) < 0 ||
        gcal_medians_get_fields(&r->lines, "", shared_error_field, &s->device, err) < 0)
        return -1;
    if (!(s->device.shared_error >= 0 && isfinite(s->device.shared_error)))
        return gcal_medians_damaged(&r->lines, err);
    if (strcmp(s->device.node, r->node) != 0)
        return gcal_error_set(err, GCAL_EINPUT, "a device of node '%s'", s->device.node);
    s->run.launcher = s->run.config = s->run.config_file = "";
    return 0;
}

/* After its models are known: asks whether it counts. */
static void settle(struct reading *r)
{
    struct section *s = &r->section;
    char *kept = NULL;

    if (s->settled)
        return;
    s->settled = true;
    if (!s->view.device || !r->choose(r->context, &s->view, &kept))
        return;
    s->device.kept = gcal_arena_own(r->arena, kept, free);
    s->chosen = true;
    s->device_index = r->record->n_devices;
    gcal_record_add_run(r->record, &s->run);
    gcal_record_add_device(r->record, &s->device);
}

static int take_model(struct reading *r, struct gcal_error *err)
{
    if (r->lines.n != 3 || r->section.settled)
        return gcal_medians_damaged(&r->lines, err);
    add_text(r->arena, &r->section.view.models, r->lines.words[1]);
    add_text(r->arena, &r->section.view.fingerprints, r->lines.words[2]);
    return 0;
}

static int take_kernels(struct reading *r, struct gcal_error *err)
{
    struct section *s = &r->section;
    const size_t *places;
    size_t n;

    if (r->lines.n != 2)
        return -1;
    settle(r);
    if (!s->chosen)
        return 0;
    if (gcal_medians_kernels_read(r->store, s->device.info.type, r->lines.words[1],
                                  r->cache, r->record, &places, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        s->places = gcal_arena_grow(r->arena, s->places, s->n_places, &s->capacity,
                                    sizeof(*s->places));
        s->places[s->n_places++] = places[i];
    }
    return 0;
}

static int take_median(struct reading *r, struct gcal_error *err)
{
    struct section *s = &r->section;
    char **w = r->lines.words;
    struct gcal_measurement m = { .status = GCAL_MEASUREMENT_GOOD };
    size_t place, counts[5];

    settle(r);
    if (!s->chosen)
        return 0;
    if (r->lines.n != 9 || gcal_medians_count(w[1], &place, err) < 0 ||
        place >= s->n_places || gcal_medians_number(w[3], &m.median_s, err) < 0 ||
        gcal_medians_number(w[4], &m.spread, err) < 0)
        return gcal_medians_damaged(&r->lines, err);
    for (int i = 0; i < 5; i++)
        if (gcal_medians_count(w[i ? 4 + i : 2], &counts[i], err) < 0)
            return -1;
    if (!(m.median_s > 0 && m.median_s < 1e9 && m.spread >= 0))
        return gcal_medians_damaged(&r->lines, err);
    m.n_samples = counts[0];
    m.built = (struct gcal_built){ counts[1], counts[2], counts[3], counts[4] };
    gcal_record_add_measurement(r->record, s->device_index, s->places[place], &m);
    return 0;
}

static int take_line(struct reading *r, struct gcal_error *err)
{
    static const struct {
        const char *word;
        int (*take)(struct reading *r, struct gcal_error *err);
    } kinds[] = { { "device", begin_section },
                  { "model", take_model },
                  { "kernels", take_kernels },
                  { "m", take_median } };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(r->lines.words[0], kinds[i].word) == 0 &&
            (i == 0 || r->section.view.device))
            return kinds[i].take(r, err);
    return gcal_medians_damaged(&r->lines, err);
}

int gcal_medians_read(const struct gcal_store *store, const char *node,
                      gcal_medians_choose *choose, void *context, bool in_store,
                      struct gcal_medians_cache *cache, struct gcal_record *record,
                      struct gcal_error *err)
{
    struct reading r = { .arena = gcal_arena_create(),
                         .store = store,
                         .node = node,
                         .choose = choose,
                         .context = context,
                         .in_store = in_store,
                         .cache = cache,
                         .record = record };
    int folder = gcal_medians_open_folder(store, "medians", err), rc = folder + 1;
    enum gcal_ledger_state state;
    char *text;
    size_t size;

    if (folder >= 0) {
        rc = gcal_medians_fetch(r.arena, gcal_medians_cache_ledger(cache), folder, node,
                                &text, &size, &state, err);
        close(folder);
    }
    if (folder >= 0 && rc > 0) {
        r.lines = (struct gcal_medians_lines){ .arena = r.arena,
                                               .at = text,
                                               .end = text + size };
        rc = gcal_medians_next(&r.lines, err); /* the header */
        while (rc >= 0 && (rc = gcal_medians_next(&r.lines, err)) > 0)
            rc = take_line(&r, err);
        if (rc < 0)
            gcal_error_prefix(err, "store %s: medians/%s.tsv", store->path, node);
    }
    gcal_arena_destroy(r.arena);
    return rc;
}
