/* types.c - the devices that represent a type, and what a device is compared with */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "kernels/base/random.h"
#include "fit/change.h"

/* ---- lifecycle ---- */

struct gcal_audit_types *gcal_audit_types_create(bool all, struct gcal_error *err)
{
    struct gcal_audit_types *types = calloc(1, sizeof(*types));

    if (!types) {
        gcal_error_memory(err);
        return NULL;
    }
    types->all = all;
    pthread_mutex_init(&types->lock, NULL);
    return types;
}

void gcal_audit_sample_clear(struct gcal_audit_sample *s)
{
    free(s->epoch);
    free(s->column);
    free(s->level);
    free(s->error);
    free(s->difference);
    free(s->n_differences);
    *s = (struct gcal_audit_sample){ 0 };
}

static void type_destroy(struct gcal_audit_type *t)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        free((char *)t->columns[i].model);
        free((char *)t->columns[i].form);
        free((char *)t->columns[i].parameter);
        free((char *)t->columns[i].unit);
        free((char *)t->columns[i].configuration);
    }
    free(t->columns);
    for (size_t i = 0; i < t->n_sampled; i++)
        gcal_audit_sample_clear(&t->sampled[i]);
    for (size_t i = 0; i < t->n_epochs; i++) {
        free(t->epochs[i].key);
        free(t->epochs[i].n);
        free(t->epochs[i].median);
        free(t->epochs[i].spread);
    }
    free(t->epochs);
    free(t->repeatability);
    free(t->name);
    free(t);
}

void gcal_audit_types_destroy(struct gcal_audit_types *types)
{
    if (!types)
        return;
    for (size_t i = 0; i < types->n; i++)
        type_destroy(types->types[i]);
    free(types->types);
    pthread_mutex_destroy(&types->lock);
    free(types);
}

/* ---- types, epochs and columns ---- */

static struct gcal_audit_type *find_type(const struct gcal_audit_types *types,
                                         const char *name)
{
    for (size_t i = 0; i < types->n; i++)
        if (strcmp(types->types[i]->name, name) == 0)
            return types->types[i];
    return NULL;
}

const struct gcal_audit_epoch *gcal_audit_find_epoch(const struct gcal_audit_type *t,
                                                     const char *key)
{
    for (size_t i = 0; i < t->n_epochs; i++)
        if (strcmp(t->epochs[i].key, key) == 0)
            return &t->epochs[i];
    return NULL;
}

static struct gcal_audit_type *add_type(struct gcal_audit_types *types, const char *name,
                                        struct gcal_error *err)
{
    struct gcal_audit_type **moved =
        gcal_array_grow(types->types, types->n, &types->capacity, sizeof(*moved), err);
    struct gcal_audit_type *t;

    if (!moved)
        return NULL;
    types->types = moved;
    if (!(t = calloc(1, sizeof(*t))) || !(t->name = strdup(name))) {
        free(t);
        gcal_error_memory(err);
        return NULL;
    }
    return types->types[types->n++] = t;
}

/* n_columns when there is none.  Devices usually have the same order of columns: the
 * search starts at 'next'.
 */
static size_t find_column(const struct gcal_audit_type *t,
                          const struct gcal_track_column *column, size_t next)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        size_t at = (next + i) % t->n_columns;

        if (gcal_audit_same_column(&t->columns[at], column) &&
            strcmp(t->columns[at].configuration, column->configuration) == 0)
            return at;
    }
    return t->n_columns;
}

static int add_column(struct gcal_audit_type *t, const struct gcal_track_column *column,
                      struct gcal_error *err)
{
    struct gcal_track_column *moved = gcal_array_grow(
        t->columns, t->n_columns, &t->columns_capacity, sizeof(*moved), err);
    struct gcal_track_column *c;

    if (!moved)
        return -1;
    t->columns = moved;
    c = &moved[t->n_columns++];
    *c = (struct gcal_track_column){ strdup(column->model), strdup(column->form),
                                     strdup(column->parameter), strdup(column->unit),
                                     strdup(column->configuration) };
    if (!c->model || !c->form || !c->parameter || !c->unit || !c->configuration)
        return gcal_error_memory(err);
    return 0;
}

/* ---- one device's contribution ---- */

/* Columns of version 2 have the fingerprints of their models. */
static char *epoch_key(const struct gcal_audit_device *d)
{
    const struct gcal_track_run *r = d->run[d->n_runs - 1];
    bool by_model = r->columns->n && *r->columns->column->configuration;

    return gcal_buf_format("%s\t%s\t%s\t%s", r->driver, r->gpucal_version,
                           by_model ? "" : r->configuration, r->catalogue);
}

static double median_error(const struct gcal_audit_device *d, size_t series)
{
    const struct gcal_audit_series *s = &d->series[series];
    double errors[GCAL_AUDIT_MOST_DIFFERENCES];
    size_t n = 0;

    for (size_t i = d->n_runs; i > 0 && n < GCAL_AUDIT_MOST_DIFFERENCES; i--)
        if (s->value[i - 1] > 0 && s->error[i - 1] > 0)
            errors[n++] = s->error[i - 1] / s->value[i - 1];
    return gcal_median(errors, n);
}

static size_t differences(const struct gcal_audit_device *d, size_t series,
                          float *difference)
{
    const double *value = d->series[series].value;
    double next = NAN;
    size_t n = 0;

    for (size_t i = d->n_runs; i > 0 && n < GCAL_AUDIT_MOST_DIFFERENCES; i--) {
        double x = gcal_audit_log(value[i - 1]);

        if (i < d->n_runs && d->epoch[i - 1] != d->epoch[i])
            next = NAN;
        if (!isnan(x) && !isnan(next))
            difference[n++] = (float)(next - x);
        if (!isnan(x))
            next = x;
    }
    return n;
}

static int sample(const struct gcal_audit_device *d, uint64_t place, size_t of,
                  struct gcal_audit_sample *s, struct gcal_error *err)
{
    size_t begin = gcal_audit_epoch_begin(d), n = d->n_series;

    *s = (struct gcal_audit_sample){
        .place = place,
        .epoch = epoch_key(d),
        .n = n,
        .column = calloc(n + 1, sizeof(*s->column)),
        .level = calloc(n + 1, sizeof(*s->level)),
        .error = calloc(n + 1, sizeof(*s->error)),
        .difference = calloc(n + 1, GCAL_AUDIT_MOST_DIFFERENCES * sizeof(*s->difference)),
        .n_differences = calloc(n + 1, sizeof(*s->n_differences)),
    };
    if (!s->epoch || !s->column || !s->level || !s->error || !s->difference ||
        !s->n_differences) {
        gcal_audit_sample_clear(s);
        return gcal_error_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        s->level[i] = gcal_audit_level(d->series[i].value, begin, d->n_runs, of);
        s->error[i] = median_error(d, i);
        s->n_differences[i] =
            differences(d, i, &s->difference[i * GCAL_AUDIT_MOST_DIFFERENCES]);
    }
    return 0;
}

/* ---- the devices that represent a type ---- */

/* FNV-1a, with the bits mixed, as names of nodes differ in their last letters. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037U;

    for (const char *p = text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211U;
    return gcal_random_next(&hash);
}

uint64_t gcal_audit_node_place(const char *node)
{
    return hash_of(node) & ~(uint64_t)UINT32_MAX;
}

/* A type is represented by the devices with the first places, in whatever order they
 * come.  The slot for a device with that place; NULL: it does not represent the type.
 */
static struct gcal_audit_sample *slot_for(struct gcal_audit_type *t, uint64_t place)
{
    struct gcal_audit_sample *last = t->sampled;

    if (t->n_sampled < GCAL_AUDIT_MOST_DEVICES)
        return &t->sampled[t->n_sampled];
    for (size_t i = 1; i < GCAL_AUDIT_MOST_DEVICES; i++)
        if (t->sampled[i].place > last->place)
            last = &t->sampled[i];
    return place < last->place ? last : NULL;
}

int gcal_audit_types_want(struct gcal_audit_types *types, const char *type,
                          struct gcal_error *err)
{
    int rc;

    pthread_mutex_lock(&types->lock);
    rc = find_type(types, type) || add_type(types, type, err) ? 0 : -1;
    pthread_mutex_unlock(&types->lock);
    return rc;
}

bool gcal_audit_types_take(struct gcal_audit_types *types, const char *type,
                           uint64_t place)
{
    struct gcal_audit_type *t;
    bool take;

    pthread_mutex_lock(&types->lock);
    t = find_type(types, type);
    take = t ? slot_for(t, place) != NULL : types->all;
    pthread_mutex_unlock(&types->lock);
    return take;
}

bool gcal_audit_types_are_full(const struct gcal_audit_types *types)
{
    if (types->all)
        return false;
    for (size_t i = 0; i < types->n; i++)
        if (types->types[i]->n_sampled < GCAL_AUDIT_MOST_DEVICES)
            return false;
    return true;
}

static int put(struct gcal_audit_type *t, const struct gcal_audit_device *d,
               struct gcal_audit_sample *made, struct gcal_error *err)
{
    struct gcal_audit_sample *slot = slot_for(t, made->place);
    size_t next = 0;

    if (!slot) {
        gcal_audit_sample_clear(made);
        return 0;
    }
    for (size_t i = 0; i < made->n; i++) {
        next = find_column(t, &d->series[i].column, next);
        if (next == t->n_columns && add_column(t, &d->series[i].column, err) < 0) {
            gcal_audit_sample_clear(made);
            return -1;
        }
        made->column[i] = next++;
    }
    if (slot == &t->sampled[t->n_sampled])
        t->n_sampled++;
    gcal_audit_sample_clear(slot);
    *slot = *made;
    return 0;
}

int gcal_audit_types_add(struct gcal_audit_types *types,
                         const struct gcal_audit_device *device, size_t of,
                         struct gcal_error *err)
{
    uint64_t place = gcal_audit_node_place(device->node) | hash_of(device->uid) >> 32;
    struct gcal_audit_sample made;
    int rc;

    if (!gcal_audit_types_take(types, device->type, place))
        return 0;
    if (gcal_audit_types_want(types, device->type, err) < 0 ||
        sample(device, place, of, &made, err) < 0)
        return -1;
    pthread_mutex_lock(&types->lock);
    rc = put(find_type(types, device->type), device, &made, err);
    pthread_mutex_unlock(&types->lock);
    return rc;
}

/* ---- norms ---- */

void gcal_audit_types_norms(const struct gcal_audit_types *types,
                            const struct gcal_audit_device *device,
                            struct gcal_audit_norm *norms)
{
    const struct gcal_audit_type *t = find_type(types, device->type);
    char *key = epoch_key(device);
    const struct gcal_audit_epoch *e = t && key ? gcal_audit_find_epoch(t, key) : NULL;
    size_t next = 0;

    for (size_t i = 0; i < device->n_series; i++) {
        norms[i] = (struct gcal_audit_norm){ .repeatability = NAN };
        if (!t ||
            (next = find_column(t, &device->series[i].column, next)) == t->n_columns)
            continue;
        norms[i].repeatability = t->repeatability[next];
        if (e && e->n[next] >= GCAL_AUDIT_LEAST_DEVICES) {
            norms[i].n = e->n[next];
            norms[i].median = e->median[next];
            norms[i].spread = e->spread[next];
        }
        next++;
    }
    free(key);
}
