#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit_private.h"
#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "fit/change.h"

/* A type is known from so many of its devices, and from so many calibrations of each:
 * more hardly make it surer.
 */
enum { MOST_DEVICES = 200, MOST_DIFFERENCES = 32 };

/* Its devices in one epoch tell what is usual of them. */
enum { LEAST_DEVICES = 3 };

/* What one device tells.  Arrays: by its columns. */
struct sampled {
    uint64_t hash;
    char *epoch;
    size_t n;
    size_t *column;    /* of the type */
    double *level;     /* logarithm of the newest value */
    double *error;     /* median relative standard error */
    float *difference; /* n x MOST_DIFFERENCES, of consecutive logarithms */
    size_t *n_differences;
};

/* What the devices of an epoch tell.  Arrays: by column of the type. */
struct epoch {
    char *key;
    size_t *n;
    double *median, *spread;
};

struct type {
    char *name;
    size_t n_columns, columns_capacity;
    struct gcal_track_column *columns; /* texts owned */
    size_t n_sampled;
    struct sampled sampled[MOST_DEVICES];
    double *repeatability; /* by column */
    size_t n_epochs, epochs_capacity;
    struct epoch *epochs;
};

struct gcal_audit_types {
    pthread_mutex_t lock;
    size_t n, capacity;
    struct type **types;
};

/* ---- making and freeing ---- */

struct gcal_audit_types *gcal_audit_types_create(struct gcal_error *err)
{
    struct gcal_audit_types *types = calloc(1, sizeof(*types));

    if (!types) {
        gcal_error_memory(err);
        return NULL;
    }
    pthread_mutex_init(&types->lock, NULL);
    return types;
}

static void sampled_clear(struct sampled *s)
{
    free(s->epoch);
    free(s->column);
    free(s->level);
    free(s->error);
    free(s->difference);
    free(s->n_differences);
    *s = (struct sampled){ 0 };
}

static void type_destroy(struct type *t)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        free((char *)t->columns[i].model);
        free((char *)t->columns[i].form);
        free((char *)t->columns[i].parameter);
        free((char *)t->columns[i].unit);
    }
    free(t->columns);
    for (size_t i = 0; i < t->n_sampled; i++)
        sampled_clear(&t->sampled[i]);
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

/* ---- finding ---- */

static struct type *find_type(const struct gcal_audit_types *types, const char *name)
{
    for (size_t i = 0; i < types->n; i++)
        if (strcmp(types->types[i]->name, name) == 0)
            return types->types[i];
    return NULL;
}

static struct type *add_type(struct gcal_audit_types *types, const char *name,
                             struct gcal_error *err)
{
    struct type **moved =
        gcal_array_grow(types->types, types->n, &types->capacity, sizeof(*moved), err);
    struct type *t;

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

/* n_columns where the type has none.  Devices mostly have their columns in one order:
 * 'next' is where to look first.
 */
static size_t find_column(const struct type *t, const struct gcal_track_column *column,
                          size_t next)
{
    for (size_t i = 0; i < t->n_columns; i++) {
        size_t at = (next + i) % t->n_columns;

        if (gcal_audit_same_column(&t->columns[at], column))
            return at;
    }
    return t->n_columns;
}

static int add_column(struct type *t, const struct gcal_track_column *column,
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
                                     strdup(column->parameter), strdup(column->unit) };
    if (!c->model || !c->form || !c->parameter || !c->unit)
        return gcal_error_memory(err);
    return 0;
}

/* ---- what one device tells ---- */

/* FNV-1a of node and device: which devices stand for a type depends on nothing else. */
static uint64_t hash_of(const struct gcal_audit_device *d)
{
    uint64_t hash = 14695981039346656037U;

    for (const char *p = d->node; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211U;
    for (const char *p = d->uid; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211U;
    return hash ^ hash >> 29;
}

static char *epoch_key(const struct gcal_audit_device *d)
{
    const struct gcal_track_run *r = d->run[d->n_runs - 1];

    return gcal_format("%s\t%s\t%s\t%s", r->driver, r->gpucal_version, r->configuration,
                       r->catalogue);
}

static double median_error(const struct gcal_audit_device *d, size_t series)
{
    const struct gcal_audit_series *s = &d->series[series];
    double told[MOST_DIFFERENCES];
    size_t n = 0;

    for (size_t i = d->n_runs; i > 0 && n < MOST_DIFFERENCES; i--)
        if (s->value[i - 1] > 0 && s->error[i - 1] > 0)
            told[n++] = s->error[i - 1] / s->value[i - 1];
    return gcal_change_median(told, n);
}

static size_t differences(const struct gcal_audit_device *d, size_t series,
                          float *difference)
{
    const double *value = d->series[series].value;
    double next = NAN;
    size_t n = 0;

    for (size_t i = d->n_runs; i > 0 && n < MOST_DIFFERENCES; i--) {
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

static int sample(const struct gcal_audit_device *d, uint64_t hash, size_t of,
                  struct sampled *s, struct gcal_error *err)
{
    size_t begin = gcal_audit_epoch_begin(d), n = d->n_series;

    *s = (struct sampled){
        .hash = hash,
        .epoch = epoch_key(d),
        .n = n,
        .column = calloc(n + 1, sizeof(*s->column)),
        .level = calloc(n + 1, sizeof(*s->level)),
        .error = calloc(n + 1, sizeof(*s->error)),
        .difference = calloc(n + 1, MOST_DIFFERENCES * sizeof(*s->difference)),
        .n_differences = calloc(n + 1, sizeof(*s->n_differences)),
    };
    if (!s->epoch || !s->column || !s->level || !s->error || !s->difference ||
        !s->n_differences) {
        sampled_clear(s);
        return gcal_error_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        s->level[i] = gcal_audit_level(d->series[i].value, begin, d->n_runs, of);
        s->error[i] = median_error(d, i);
        s->n_differences[i] = differences(d, i, &s->difference[i * MOST_DIFFERENCES]);
    }
    return 0;
}

/* ---- which devices stand for a type ---- */

/* The slot for a device with that hash, whoever comes first; NULL when others stand for
 * the type.
 */
static struct sampled *slot_for(struct type *t, uint64_t hash)
{
    struct sampled *largest = t->sampled;

    if (t->n_sampled < MOST_DEVICES)
        return &t->sampled[t->n_sampled];
    for (size_t i = 1; i < MOST_DEVICES; i++)
        if (t->sampled[i].hash > largest->hash)
            largest = &t->sampled[i];
    return hash < largest->hash ? largest : NULL;
}

static int put(struct type *t, const struct gcal_audit_device *d, struct sampled *made,
               struct gcal_error *err)
{
    struct sampled *slot = slot_for(t, made->hash);
    size_t next = 0;

    if (!slot) {
        sampled_clear(made);
        return 0;
    }
    for (size_t i = 0; i < made->n; i++) {
        next = find_column(t, &d->series[i].column, next);
        if (next == t->n_columns && add_column(t, &d->series[i].column, err) < 0) {
            sampled_clear(made);
            return -1;
        }
        made->column[i] = next++;
    }
    if (slot == &t->sampled[t->n_sampled])
        t->n_sampled++;
    sampled_clear(slot);
    *slot = *made;
    return 0;
}

int gcal_audit_types_add(struct gcal_audit_types *types,
                         const struct gcal_audit_device *device, size_t of,
                         struct gcal_error *err)
{
    uint64_t hash = hash_of(device);
    struct sampled made;
    struct type *t;
    bool wanted;
    int rc;

    pthread_mutex_lock(&types->lock);
    t = find_type(types, device->type);
    wanted = t || (t = add_type(types, device->type, err));
    rc = wanted ? 0 : -1;
    wanted = wanted && slot_for(t, hash);
    pthread_mutex_unlock(&types->lock);
    if (!wanted)
        return rc;
    if (sample(device, hash, of, &made, err) < 0)
        return -1;
    pthread_mutex_lock(&types->lock);
    rc = put(t, device, &made, err);
    pthread_mutex_unlock(&types->lock);
    return rc;
}

/* ---- what they tell together ---- */

/* Numbers of a column from all devices that have it. */
struct gathered {
    double *difference, *error, *level;
    size_t n_differences, n_errors, n_levels;
};

static size_t at_column(const struct sampled *s, size_t column)
{
    size_t at = column; /* where it mostly stands */

    if (at < s->n && s->column[at] == column)
        return at;
    for (at = 0; at < s->n && s->column[at] != column; at++)
        ;
    return at;
}

static void gather(const struct type *t, size_t column, struct gathered *g)
{
    g->n_differences = g->n_errors = 0;
    for (size_t i = 0; i < t->n_sampled; i++) {
        const struct sampled *s = &t->sampled[i];
        size_t at = at_column(s, column);

        if (at == s->n)
            continue;
        for (size_t j = 0; j < s->n_differences[at]; j++)
            g->difference[g->n_differences++] = s->difference[at * MOST_DIFFERENCES + j];
        if (!isnan(s->error[at]))
            g->error[g->n_errors++] = s->error[at];
    }
}

static void gather_levels(const struct type *t, size_t column, const char *epoch,
                          struct gathered *g)
{
    g->n_levels = 0;
    for (size_t i = 0; i < t->n_sampled; i++) {
        const struct sampled *s = &t->sampled[i];
        size_t at = strcmp(s->epoch, epoch) == 0 ? at_column(s, column) : s->n;

        if (at < s->n && !isnan(s->level[at]))
            g->level[g->n_levels++] = s->level[at];
    }
}

/* The median of distances from the median is 0.6745 standard deviations. */
static void settle_epoch(const struct type *t, struct epoch *e, struct gathered *g)
{
    for (size_t c = 0; c < t->n_columns; c++) {
        gather_levels(t, c, e->key, g);
        e->n[c] = g->n_levels;
        e->median[c] = gcal_change_median(g->level, g->n_levels);
        for (size_t i = 0; i < g->n_levels; i++)
            g->level[i] = fabs(g->level[i] - e->median[c]);
        e->spread[c] = 1.4826 * gcal_change_median(g->level, g->n_levels);
    }
}

static const struct epoch *find_epoch(const struct type *t, const char *key)
{
    for (size_t i = 0; i < t->n_epochs; i++)
        if (strcmp(t->epochs[i].key, key) == 0)
            return &t->epochs[i];
    return NULL;
}

static struct epoch *add_epoch(struct type *t, const char *key, struct gcal_error *err)
{
    struct epoch *moved =
        gcal_array_grow(t->epochs, t->n_epochs, &t->epochs_capacity, sizeof(*moved), err);
    struct epoch *e;

    if (!moved)
        return NULL;
    t->epochs = moved;
    e = &moved[t->n_epochs++];
    *e = (struct epoch){ strdup(key), calloc(t->n_columns + 1, sizeof(*e->n)),
                         calloc(t->n_columns + 1, sizeof(*e->median)),
                         calloc(t->n_columns + 1, sizeof(*e->spread)) };
    if (!e->key || !e->n || !e->median || !e->spread) {
        gcal_error_memory(err);
        return NULL;
    }
    return e;
}

static int settle(struct type *t, struct gathered *g, struct gcal_error *err)
{
    if (!(t->repeatability = calloc(t->n_columns + 1, sizeof(double))))
        return gcal_error_memory(err);
    for (size_t c = 0; c < t->n_columns; c++) {
        gather(t, c, g);
        t->repeatability[c] = gcal_change_repeatability(
            g->difference, g->n_differences, gcal_change_median(g->error, g->n_errors));
    }
    for (size_t i = 0; i < t->n_sampled; i++) {
        const char *key = t->sampled[i].epoch;
        struct epoch *e;

        if (find_epoch(t, key))
            continue;
        if (!(e = add_epoch(t, key, err)))
            return -1;
        settle_epoch(t, e, g);
    }
    for (size_t i = 0; i < t->n_sampled; i++)
        sampled_clear(&t->sampled[i]);
    t->n_sampled = 0;
    return 0;
}

int gcal_audit_types_settle(struct gcal_audit_types *types, struct gcal_error *err)
{
    struct gathered g = {
        .difference = calloc(MOST_DEVICES * MOST_DIFFERENCES, sizeof(double)),
        .error = calloc(MOST_DEVICES, sizeof(double)),
        .level = calloc(MOST_DEVICES, sizeof(double)),
    };
    int rc = g.difference && g.error && g.level ? 0 : gcal_error_memory(err);

    for (size_t i = 0; rc == 0 && i < types->n; i++)
        rc = settle(types->types[i], &g, err);
    free(g.difference);
    free(g.error);
    free(g.level);
    return rc;
}

/* ---- telling ---- */

void gcal_audit_types_norms(const struct gcal_audit_types *types,
                            const struct gcal_audit_device *device,
                            struct gcal_audit_norm *norms)
{
    const struct type *t = find_type(types, device->type);
    char *key = epoch_key(device);
    const struct epoch *e = t && key ? find_epoch(t, key) : NULL;
    size_t next = 0;

    for (size_t i = 0; i < device->n_series; i++) {
        norms[i] = (struct gcal_audit_norm){ .repeatability = NAN };
        if (!t ||
            (next = find_column(t, &device->series[i].column, next)) == t->n_columns)
            continue;
        norms[i].repeatability = t->repeatability[next];
        if (e && e->n[next] >= LEAST_DEVICES) {
            norms[i].n = e->n[next];
            norms[i].median = e->median[next];
            norms[i].spread = e->spread[next];
        }
        next++;
    }
    free(key);
}
