/* published.c - devices of earlier runs, from the medians in a store */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"
#include "store/medians/medians.h"

/* ---- writing ---- */

struct sections {
    size_t n, capacity;
    struct gcal_medians_section *items;
};

static void sections_clear(struct sections *s)
{
    for (size_t i = 0; i < s->n; i++) {
        gcal_strings_clear(&s->items[i].models);
        gcal_strings_clear(&s->items[i].fingerprints);
        free(s->items[i].rows);
    }
    free(s->items);
}

static bool uses_model(const struct gcal_run_kernel *kernel, const char *model)
{
    for (size_t i = 0; i < kernel->uses.n; i++)
        if (strcmp(kernel->uses.items[i].model, model) == 0)
            return true;
    return false;
}

static bool has_kernel_of(const struct gcal_record *record,
                          const struct gcal_medians_section *s, const char *model)
{
    for (size_t i = 0; i < s->n_rows; i++)
        if (uses_model(&record->kernels[s->rows[i].kernel], model))
            return true;
    return false;
}

/* The models that the run measured on the device. */
static int list_models(const struct gcal_record *record, const struct gcal_config *config,
                       struct gcal_medians_section *s, struct gcal_error *err)
{
    for (size_t i = 0; i < config->n_models; i++) {
        const struct gcal_config_model *m = &config->models[i];

        if (gcal_config_model_applies(m, &s->device->info) &&
            !gcal_run_device_keeps(s->device, m->name) &&
            has_kernel_of(record, s, m->name) &&
            (gcal_strings_add(&s->models, m->name, err) < 0 ||
             gcal_strings_add(&s->fingerprints, m->fingerprint, err) < 0))
            return -1;
    }
    return 0;
}

static int by_device(const void *a, const void *b)
{
    const struct gcal_result_row *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->kernel > y->kernel) - (x->kernel < y->kernel);
}

/* Of the device of the first of 'rows', which has n of them. */
static int add_section(struct sections *all, const struct gcal_record *record,
                       const struct gcal_config *config,
                       const struct gcal_result_speeds *speeds,
                       const struct gcal_result_row *rows, size_t n,
                       struct gcal_error *err)
{
    struct gcal_medians_section *s =
        gcal_array_grow(all->items, all->n, &all->capacity, sizeof(*s), err);

    if (!s)
        return -1;
    all->items = s;
    s += all->n++;
    *s = (struct gcal_medians_section){
        .run = record->device_run[rows->device],
        .device = &record->devices[rows->device],
        .shared_error = gcal_result_shared_error(speeds, rows->device),
        .rows = calloc(n, sizeof(*s->rows)),
    };
    if (!s->rows)
        return gcal_error_memory(err);
    for (; s->n_rows < n; s->n_rows++)
        s->rows[s->n_rows] =
            (struct gcal_medians_row){ .kernel = rows[s->n_rows].kernel,
                                       .n_samples = rows[s->n_rows].n_samples,
                                       .median_s = rows[s->n_rows].time_s,
                                       .spread = rows[s->n_rows].spread,
                                       .built = rows[s->n_rows].built };
    return list_models(record, config, s, err);
}

static int by_node(const void *a, const void *b)
{
    const struct gcal_medians_section *x = a, *y = b;
    int order = strcmp(x->device->node, y->device->node);

    /* Of one device, the newer run is written later. */
    return order ? order : strcmp(x->run->started_utc, y->run->started_utc);
}

static int find_sections(const struct gcal_record *record,
                         const struct gcal_config *config, struct sections *all,
                         struct gcal_result_speeds *speeds, struct gcal_error *err)
{
    struct gcal_result_rows rows = { 0 };
    int rc = gcal_result_rows_read(record, &rows, speeds, err);

    if (rows.n)
        qsort(rows.rows, rows.n, sizeof(*rows.rows), by_device);
    for (size_t i = 0, end; i < rows.n && rc == 0; i = end) {
        for (end = i; end < rows.n && rows.rows[end].device == rows.rows[i].device;)
            end++;
        rc = add_section(all, record, config, speeds, &rows.rows[i], end - i, err);
    }
    free(rows.rows);
    if (all->n)
        qsort(all->items, all->n, sizeof(*all->items), by_node);
    return rc;
}

/* ---- reading ---- */

/* A type of devices, and the driver whose devices are pooled. */
struct type {
    char *name, *driver, *utc;
};

struct pooling {
    const struct gcal_config *config;
    const char *catalogue;
    const struct gcal_record *own; /* NULL: all that the store has */
    size_t n_own;                  /* devices of 'own' */
    size_t n_types, capacity;
    struct type *types;
    bool failed; /* out of memory */
};

static void pooling_clear(struct pooling *p)
{
    for (size_t i = 0; i < p->n_types; i++) {
        free(p->types[i].name);
        free(p->types[i].driver);
        free(p->types[i].utc);
    }
    free(p->types);
}

static struct type *find_type(const struct pooling *p, const char *name)
{
    for (size_t i = 0; i < p->n_types; i++)
        if (strcmp(p->types[i].name, name) == 0)
            return &p->types[i];
    return NULL;
}

/* The driver of a type's newest run. */
static int note_type(struct pooling *p, const char *name, const char *driver,
                     const char *utc, struct gcal_error *err)
{
    struct type *t = find_type(p, name), *grown;

    if (t && strcmp(utc, t->utc) <= 0)
        return 0;
    if (!t) {
        if (!(grown = gcal_array_grow(p->types, p->n_types, &p->capacity, sizeof(*grown),
                                      err)))
            return -1;
        p->types = grown;
        t = &grown[p->n_types++];
        *t = (struct type){ .name = strdup(name) };
    }
    free(t->driver);
    free(t->utc);
    t->driver = strdup(driver);
    t->utc = strdup(utc);
    return t->name && t->driver && t->utc ? 0 : gcal_error_memory(err);
}

/* Whether the section measured the model as it is configured now. */
static bool measured(const struct gcal_medians_section *s,
                     const struct gcal_config_model *m)
{
    size_t i = gcal_strings_find(&s->models, m->name);

    return i < s->models.n && strcmp(s->fingerprints.items[i], m->fingerprint) == 0 &&
           gcal_config_model_applies(m, &s->device->info);
}

/* Whether a run that is added has measured the model on the device. */
static bool is_own(const struct pooling *p, const struct gcal_run_device *device,
                   const char *model)
{
    for (size_t i = 0; i < p->n_own; i++) {
        const struct gcal_run_device *own = &p->own->devices[i];

        if (!own->failure && strcmp(own->node, device->node) == 0 &&
            strcmp(own->info.uid, device->info.uid) == 0 &&
            !gcal_run_device_keeps(own, model))
            return true;
    }
    return false;
}

/* Whether the runs that are added have measured the model on some device of the type: a model
 * that they all keep is not fitted.
 */
static bool is_fitted(const struct pooling *p, const char *type, const char *model)
{
    for (size_t i = 0; i < p->n_own; i++) {
        const struct gcal_run_device *own = &p->own->devices[i];

        if (!own->failure && strcmp(own->info.type, type) == 0 &&
            !gcal_run_device_keeps(own, model))
            return true;
    }
    return !p->own;
}

static bool choose_type(void *context, const struct gcal_medians_section *s, char **kept)
{
    struct pooling *p = context;

    (void)kept;
    for (size_t i = 0; i < p->config->n_models && !p->failed; i++)
        if (strcmp(s->run->catalogue, p->catalogue) == 0 &&
            measured(s, &p->config->models[i]))
            p->failed = note_type(p, s->device->info.type, s->device->info.driver,
                                  s->run->started_utc, NULL) < 0;
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

        if (measured(s, m) && is_fitted(p, t->name, m->name) &&
            !is_own(p, s->device, m->name))
            any = true;
        else
            gcal_buf_printf(&others, "%s%s", others.size ? "\n" : "", m->name);
    }
    if (any && !(*kept = gcal_buf_take(&others, NULL)))
        p->failed = true;
    gcal_buf_free(&others);
    return any && !p->failed;
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
    int rc = cache ? gcal_medians_nodes(store, &names, &n, err) : gcal_error_memory(err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_error why = { 0 };

        if (gcal_medians_read(store, names[i], chooser, p, in_store, cache, record,
                              &why) < 0)
            rc = gcal_strings_take(
                warnings,
                gcal_buf_format("the medians of node %s are left out of the fit: %s",
                                names[i], why.text),
                err);
        if (p->failed)
            rc = gcal_error_memory(err);
    }
    gcal_medians_cache_destroy(cache);
    gcal_strings_free(names, n);
    return rc;
}

/* ---- the pool ---- */

static int note_own_types(struct pooling *p, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < p->n_own && rc == 0; i++) {
        const struct gcal_run_device *d = &p->own->devices[i];

        if (!d->failure)
            rc = note_type(p, d->info.type, d->info.driver,
                           p->own->device_run[i]->started_utc, err);
    }
    return rc;
}

/* 'all' gets the own devices and those of the store. */
static int add_store(struct gcal_record *own, const struct gcal_config *config,
                     const struct gcal_store *store, struct gcal_record *all,
                     struct gcal_strings *warnings, struct gcal_error *err)
{
    const char *catalogue = own->header->catalogue;
    struct pooling p = { .config = config,
                         .catalogue = catalogue ? catalogue : "",
                         .own = own,
                         .n_own = own->n_devices };
    struct gcal_strings said = { 0 };
    int rc = note_own_types(&p, err);

    if (rc == 0)
        rc = gcal_results_collect(all, own, "this run", config, &said, err);
    if (rc == 0)
        rc = read_nodes(store, &p, choose, true, all, warnings, err);
    gcal_strings_clear(&said);
    pooling_clear(&p);
    return rc;
}

static int write_own(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_store *store, struct gcal_result_speeds *speeds,
                     struct gcal_strings *warnings, struct gcal_error *err)
{
    struct sections sections = { 0 };
    struct gcal_error why = { 0 };
    int rc = find_sections(record, config, &sections, speeds, err);

    if (rc == 0 &&
        gcal_medians_write(store, record, sections.items, sections.n, &why) < 0)
        rc = gcal_strings_take(
            warnings,
            gcal_buf_format("later fits of other devices will lack these: %s", why.text),
            err);
    sections_clear(&sections);
    return rc;
}

/* Written before the others are read: of two runs that end at the same time, the one that
 * reads last has both, and its fit of the type, of more devices, is the one that stays.
 */
int gcal_results_pool(struct gcal_record **record, const struct gcal_config *config,
                      struct gcal_store *store, struct gcal_result_speeds *speeds,
                      struct gcal_strings *warnings, struct gcal_error *err)
{
    size_t n_own = (*record)->n_devices;
    struct gcal_record *all;
    int rc;

    if ((*record)->header->simulated && !gcal_store_is_for_simulations(store))
        return 0;
    if (write_own(*record, config, store, speeds, warnings, err) < 0 ||
        !(all = gcal_record_collect(err)))
        return -1;
    rc = add_store(*record, config, store, all, warnings, err);
    if (rc == 0 && all->n_devices > n_own) {
        gcal_record_close(*record);
        *record = all;
    } else {
        gcal_result_speeds_clear(speeds); /* the fit finds them itself */
        gcal_record_close(all);
    }
    return rc;
}

struct gcal_record *gcal_results_read_store(const struct gcal_store *store,
                                            const struct gcal_config *config,
                                            const char *catalogue,
                                            struct gcal_strings *warnings,
                                            struct gcal_error *err)
{
    struct pooling p = { .config = config, .catalogue = catalogue };
    struct gcal_record *all = gcal_record_collect(err);
    struct gcal_strings again = { 0 };
    int rc = all ? read_nodes(store, &p, choose_type, false, all, &again, err) : -1;

    if (rc == 0)
        rc = read_nodes(store, &p, choose, false, all, warnings, err);
    if (rc == 0 && !all->n_devices)
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "the store has no medians of devices that were measured by "
                            "this configuration and this version's kernels");
    gcal_strings_clear(&again);
    pooling_clear(&p);
    if (rc == 0)
        return all;
    gcal_record_close(all);
    return NULL;
}
