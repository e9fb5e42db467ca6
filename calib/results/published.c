/* published.c - devices of earlier runs, from the medians in a store */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"
#include "store/medians/medians.h"

/* ---- writing ---- */

static int by_device(const void *a, const void *b)
{
    const struct gcal_result_row *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* The section is of the device of the first of 'rows', which has n of them. */
static void set_section(struct gcal_arena *arena, struct gcal_medians_section *s,
                        const struct gcal_record *record,
                        const struct gcal_config *config,
                        const struct gcal_result_speeds *speeds,
                        const struct gcal_result_row *rows, size_t n)
{
    *s = (struct gcal_medians_section){
        .run = record->device_run[rows->device],
        .device = &record->devices[rows->device],
        .shared_error = gcal_result_shared_error(speeds, rows->device),
        .n_rows = n,
        .rows = gcal_arena_alloc(arena, n, sizeof(*s->rows)),
        .models.items = gcal_arena_alloc(arena, config->n_models, sizeof(char *)),
        .fingerprints.items = gcal_arena_alloc(arena, config->n_models, sizeof(char *)),
    };
    for (size_t i = 0; i < n; i++)
        s->rows[i] = (struct gcal_medians_row){ .kernel = rows[i].kernel,
                                                .n_samples = rows[i].n_samples,
                                                .median_s = rows[i].time_s,
                                                .spread = rows[i].spread,
                                                .built = rows[i].built };
    /* The models that the run measured on the device. */
    for (size_t i = 0; i < config->n_models; i++) {
        const struct gcal_config_model *m = &config->models[i];
        bool uses = false;

        for (size_t k = 0; k < n && !uses; k++)
            uses = gcal_result_uses_model(&record->kernels[rows[k].kernel], m->name);
        if (uses && gcal_config_model_applies(m, &s->device->info) &&
            !gcal_run_device_keeps(s->device, m->name)) {
            s->models.items[s->models.n++] = m->name;
            s->fingerprints.items[s->fingerprints.n++] = (char *)m->fingerprint;
        }
    }
}

static int by_node(const void *a, const void *b)
{
    const struct gcal_medians_section *x = a, *y = b;
    int order = strcmp(x->device->node, y->device->node);

    /* Of one device, the newer run is written later. */
    return order ? order : strcmp(x->run->started_utc, y->run->started_utc);
}

static int write_own(struct gcal_arena *arena, const struct gcal_record *record,
                     const struct gcal_config *config, struct gcal_store *store,
                     struct gcal_result_speeds *speeds, struct gcal_strings *warnings,
                     struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
    struct gcal_medians_section *sections =
        gcal_arena_alloc(scratch, record->n_devices, sizeof(*sections));
    struct gcal_result_rows rows;
    struct gcal_error why = { 0 };
    size_t n = 0;
    int rc = gcal_result_rows_read(arena, record, &rows, speeds, err);

    if (rc < 0)
        rows.n = 0;
    qsort(rows.rows, rows.n, sizeof(*rows.rows), by_device);
    for (size_t i = 0, end; i < rows.n; i = end) {
        for (end = i; end < rows.n && rows.rows[end].device == rows.rows[i].device;)
            end++;
        set_section(scratch, &sections[n++], record, config, speeds, &rows.rows[i],
                    end - i);
    }
    qsort(sections, n, sizeof(*sections), by_node);
    if (rc == 0 && gcal_medians_write(store, record, sections, n, &why) < 0)
        rc = gcal_strings_take(
            warnings,
            gcal_buf_format("later fits of other devices will lack these: %s", why.text),
            err);
    gcal_arena_destroy(scratch);
    return rc;
}

/* ---- reading ---- */

/* A type of devices, and the driver whose devices are pooled. */
struct type {
    char *name, *driver, *utc;
};

struct pooling {
    struct gcal_arena *arena;
    const struct gcal_config *config;
    const char *catalogue;
    const struct gcal_record *own; /* NULL: all that the store has */
    size_t n_own;                  /* devices of 'own' */
    size_t n_types, capacity;
    struct type *types;
};

static struct type *find_type(const struct pooling *p, const char *name)
{
    for (size_t i = 0; i < p->n_types; i++)
        if (strcmp(p->types[i].name, name) == 0)
            return &p->types[i];
    return NULL;
}

/* The driver of a type's newest run. */
static void note_type(struct pooling *p, const char *name, const char *driver,
                      const char *utc)
{
    struct type *t = find_type(p, name);

    if (t && strcmp(utc, t->utc) <= 0)
        return;
    if (!t) {
        p->types = gcal_arena_grow(p->arena, p->types, p->n_types, &p->capacity,
                                   sizeof(*p->types));
        t = &p->types[p->n_types++];
        t->name = gcal_arena_strdup(p->arena, name);
    }
    t->driver = gcal_arena_strdup(p->arena, driver);
    t->utc = gcal_arena_strdup(p->arena, utc);
}

/* Returns whether the section measured the model as it is configured now. */
static bool measured(const struct gcal_medians_section *s,
                     const struct gcal_config_model *m)
{
    size_t i = gcal_strings_find(&s->models, m->name);

    return i < s->models.n && strcmp(s->fingerprints.items[i], m->fingerprint) == 0 &&
           gcal_config_model_applies(m, &s->device->info);
}

/* Returns whether the runs that are added have measured the model on the device, or, NULL, on some
 * device of the type: a model that they all keep is not fitted. /
 */
static bool is_own(const struct pooling *p, const struct gcal_run_device *device,
                   const char *type, const char *model)
{
    for (size_t i = 0; i < p->n_own; i++) {
        const struct gcal_run_device *own = &p->own->devices[i];

        if (!own->failure && !gcal_run_device_keeps(own, model) &&
            (device ? strcmp(own->node, device->node) == 0 &&
                          strcmp(own->info.uid, device->info.uid) == 0
                    : strcmp(own->info.type, type) == 0))
            return true;
    }
    return false;
}

static bool choose_type(void *context, const struct gcal_medians_section *s, char **kept)
{
    struct pooling *p = context;

    (void)kept;
    for (size_t i = 0; i < p->config->n_models; i++)
        if (strcmp(s->run->catalogue, p->catalogue) == 0 &&
            measured(s, &p->config->models[i]))
            note_type(p, s->device->info.type, s->device->info.driver,
                      s->run->started_utc);
    return false;
}

static bool choose(void *context, const struct gcal_medians_section *s, char **kept)
{
    struct pooling *p = context;
    const struct type *t = find_type(p, s->device->info.type);
    struct gcal_buf others = { 0 };
    bool any = false;

    if (!t || strcmp(t->driver, s->device->info.driver) != 0 ||
        strcmp(s->run->catalogue, p->catalogue) != 0)
        return false;
    for (size_t i = 0; i < p->config->n_models; i++) {
        const struct gcal_config_model *m = &p->config->models[i];

        if (measured(s, m) && (!p->own || is_own(p, NULL, t->name, m->name)) &&
            !is_own(p, s->device, NULL, m->name))
            any = true;
        else
            gcal_buf_printf(&others, "%s%s", others.size ? "\n" : "", m->name);
    }
    if (any)
        any = (*kept = gcal_buf_take(&others, NULL)) != NULL;
    gcal_buf_free(&others);
    return any;
}

/* A node whose file is damaged is left out. */
static int read_nodes(const struct gcal_store *store, struct pooling *p,
                      gcal_medians_choose *chooser, bool in_store,
                      struct gcal_record *record, struct gcal_strings *warnings,
                      struct gcal_error *err)
{
    struct gcal_medians_cache *cache = gcal_medians_cache_create(store);
    char **names = NULL;
    size_t n = 0;
    int rc = gcal_medians_nodes(store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_error why = { 0 };

        if (gcal_medians_read(store, names[i], chooser, p, in_store, cache, record,
                              &why) < 0)
            rc = gcal_strings_take(
                warnings,
                gcal_buf_format("the medians of node %s are left out of the fit: %s",
                                names[i], why.text),
                err);
    }
    gcal_medians_cache_destroy(cache);
    gcal_strings_free(names, n);
    return rc;
}

/* ---- the pool ---- */

/* Written before the others are read: of two runs that end at the same time, the one that
 * reads last has both, and its fit of the type, of more devices, is the one that stays.
 */
int gcal_results_pool(struct gcal_arena *arena, struct gcal_record **record,
                      const struct gcal_config *config, struct gcal_store *store,
                      struct gcal_result_speeds *speeds, struct gcal_strings *warnings,
                      struct gcal_error *err)
{
    const struct gcal_record *own = *record;
    struct pooling p = { .arena = arena,
                         .config = config,
                         .catalogue =
                             own->header->catalogue ? own->header->catalogue : "",
                         .own = own,
                         .n_own = own->n_devices };
    struct gcal_strings said = { 0 };
    struct gcal_record *all;
    int rc;

    *speeds = (struct gcal_result_speeds){ 0 };
    if (own->header->simulated && !gcal_store_is_for_simulations(store))
        return 0;
    if (write_own(arena, own, config, store, speeds, warnings, err) < 0)
        return -1;
    all = gcal_record_collect();
    for (size_t i = 0; i < own->n_devices; i++)
        if (!own->devices[i].failure)
            note_type(&p, own->devices[i].info.type, own->devices[i].info.driver,
                      own->device_run[i]->started_utc);
    rc = gcal_results_collect(all, own, "this run", config, &said, err);
    if (rc == 0)
        rc = read_nodes(store, &p, choose, true, all, warnings, err);
    gcal_strings_clear(&said);
    if (rc == 0 && all->n_devices > own->n_devices) {
        gcal_record_close(*record);
        *record = all;
    } else {
        *speeds = (struct gcal_result_speeds){ 0 }; /* the fit finds them itself */
        gcal_record_close(all);
    }
    return rc == 0
               ? gcal_results_read_tracks(arena, *record, store, speeds, warnings, err)
               : rc;
}

struct gcal_record *gcal_results_read_store(const struct gcal_store *store,
                                            const struct gcal_config *config,
                                            const char *catalogue,
                                            struct gcal_strings *warnings,
                                            struct gcal_error *err)
{
    struct pooling p = { .arena = gcal_arena_create(),
                         .config = config,
                         .catalogue = catalogue };
    struct gcal_record *all = gcal_record_collect();
    struct gcal_strings again = { 0 };
    int rc = read_nodes(store, &p, choose_type, false, all, &again, err);

    if (rc == 0)
        rc = read_nodes(store, &p, choose, false, all, warnings, err);
    if (rc == 0 && !all->n_devices)
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "the store has no medians of devices that were measured by "
                            "this configuration and this version's kernels");
    gcal_strings_clear(&again);
    gcal_arena_destroy(p.arena);
    if (rc == 0)
        return all;
    gcal_record_close(all);
    return NULL;
}
