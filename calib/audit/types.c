/* types.c - the devices that represent a type, and what a device is compared with */
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/base/median.h"
#include "kernels/base/random.h"

struct gcal_audit_types *gcal_audit_types_create(bool all)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_audit_types *types = gcal_arena_alloc(arena, 1, sizeof(*types));

    types->all = all;
    types->arena = arena;
    types->samples = gcal_arena_create();
    pthread_mutex_init(&types->lock, NULL);
    return types;
}

void gcal_audit_types_destroy(struct gcal_audit_types *types)
{
    if (!types)
        return;
    pthread_mutex_destroy(&types->lock);
    gcal_arena_destroy(types->samples);
    gcal_arena_destroy(types->arena);
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

static struct gcal_audit_type *find_or_add_type(struct gcal_audit_types *types,
                                                const char *name)
{
    struct gcal_audit_type *t = find_type(types, name);

    if (t)
        return t;
    t = gcal_arena_alloc(types->arena, 1, sizeof(*t));
    t->name = gcal_arena_strdup(types->arena, name);
    types->types = gcal_arena_grow(types->arena, types->types, types->n, &types->capacity,
                                   sizeof(struct gcal_audit_type *));
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

static void add_column(struct gcal_arena *arena, struct gcal_audit_type *t,
                       const struct gcal_track_column *column)
{
    t->columns = gcal_arena_grow(arena, t->columns, t->n_columns, &t->columns_capacity,
                                 sizeof(*t->columns));
    t->columns[t->n_columns++] =
        (struct gcal_track_column){ gcal_arena_strdup(arena, column->model),
                                    gcal_arena_strdup(arena, column->form),
                                    gcal_arena_strdup(arena, column->parameter),
                                    gcal_arena_strdup(arena, column->unit),
                                    gcal_arena_strdup(arena, column->configuration) };
}

/* ---- one device's contribution ---- */

static char *epoch_key(struct gcal_arena *arena, const struct gcal_audit_device *d)
{
    const struct gcal_track_run *r = d->run[d->n_runs - 1];
    bool by_model = r->columns->n && *r->columns->column->configuration;

    return gcal_arena_format(arena, "%s\t%s\t%s\t%s", r->driver, r->gpucal_version,
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

static struct gcal_audit_sample make_sample(struct gcal_arena *arena,
                                            const struct gcal_audit_device *d,
                                            uint64_t place, size_t of)
{
    size_t begin = gcal_audit_epoch_begin(d), n = d->n_series;
    struct gcal_audit_sample s = {
        .place = place,
        .epoch = epoch_key(arena, d),
        .n = n,
        .column = gcal_arena_alloc(arena, n, sizeof(*s.column)),
        .level = gcal_arena_alloc(arena, n, sizeof(*s.level)),
        .error = gcal_arena_alloc(arena, n, sizeof(*s.error)),
        .difference = gcal_arena_alloc(
            arena, n, GCAL_AUDIT_MOST_DIFFERENCES * sizeof(*s.difference)),
        .n_differences = gcal_arena_alloc(arena, n, sizeof(*s.n_differences)),
    };

    for (size_t i = 0; i < n; i++) {
        s.level[i] = gcal_audit_level(d->series[i].value, begin, d->n_runs, of);
        s.error[i] = median_error(d, i);
        s.n_differences[i] =
            differences(d, i, &s.difference[i * GCAL_AUDIT_MOST_DIFFERENCES]);
    }
    return s;
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

void gcal_audit_types_want(struct gcal_audit_types *types, const char *type)
{
    pthread_mutex_lock(&types->lock);
    find_or_add_type(types, type);
    pthread_mutex_unlock(&types->lock);
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

void gcal_audit_types_add(struct gcal_audit_types *types,
                          const struct gcal_audit_device *device, size_t of)
{
    uint64_t place = gcal_audit_node_place(device->node) | hash_of(device->uid) >> 32;
    struct gcal_audit_sample *slot;
    struct gcal_audit_type *t;
    size_t next = 0;

    if (!gcal_audit_types_take(types, device->type, place))
        return;
    pthread_mutex_lock(&types->lock);
    t = find_or_add_type(types, device->type);
    if ((slot = slot_for(t, place))) {
        *slot = make_sample(types->samples, device, place, of);
        for (size_t i = 0; i < slot->n; i++) {
            next = find_column(t, &device->series[i].column, next);
            if (next == t->n_columns)
                add_column(types->arena, t, &device->series[i].column);
            slot->column[i] = next++;
        }
        if (slot == &t->sampled[t->n_sampled])
            t->n_sampled++;
    }
    pthread_mutex_unlock(&types->lock);
}

/* ---- norms ---- */

void gcal_audit_types_norms(const struct gcal_audit_types *types,
                            const struct gcal_audit_device *device,
                            struct gcal_audit_norm *norms)
{
    const struct gcal_audit_type *t = find_type(types, device->type);
    const char *key = epoch_key(device->arena, device);
    const struct gcal_audit_epoch *e = t ? gcal_audit_find_epoch(t, key) : NULL;
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
}
