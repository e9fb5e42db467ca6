/* history.c - the devices of a track, their epochs and the values of their parameters */
#include <math.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/median.h"

/* Values of a level: see gcal_audit_level(). */
enum { MOST = 32 };

/* The share of a type's devices, one in so many, from which on a fit is of others. */
enum { OTHER_DEVICES = 10 };

double gcal_audit_log(double value)
{
    return value > 0 && isfinite(value) ? log(value) : NAN;
}

double gcal_audit_relative(double difference)
{
    return expm1(difference);
}

double gcal_audit_level(const double *values, size_t from, size_t to, size_t most)
{
    double known[MOST];
    size_t n = 0;

    for (size_t i = to; i > from && n < most && n < MOST; i--) {
        double x = gcal_audit_log(values[i - 1]);

        if (!isnan(x))
            known[n++] = x;
    }
    return gcal_median(known, n);
}

size_t gcal_audit_epoch_begin(const struct gcal_audit_device *device)
{
    size_t begin = device->n_runs - 1;

    while (begin > 0 && device->epoch[begin - 1] == device->epoch[begin])
        begin--;
    return begin;
}

/* ---- epochs ---- */

static void put_change(struct gcal_buf *buf, const char *what, const char *before,
                       const char *after)
{
    gcal_buf_printf(buf, "%s%s %s became %s", buf->size ? ", " : "", what,
                    *before ? before : "(unknown)", *after ? after : "(unknown)");
}

static bool has_fingerprints(const struct gcal_track_run *run)
{
    return run->columns->n && *run->columns->column->configuration;
}

/* The column of a model in the last run before 'run' that measured it; that run is
 * '*when'.  NULL: none did.
 */
static const struct gcal_track_column *
last_of(const struct gcal_audit_device *d, size_t run, const char *model, size_t *when)
{
    for (*when = run; (*when)-- > 0;) {
        const struct gcal_track_columns *columns = d->run[*when]->columns;

        for (size_t i = 0; i < columns->n; i++)
            if (strcmp(columns->column[i].model, model) == 0)
                return &columns->column[i];
    }
    return NULL;
}

/* Returns whether a model of the run was measured with another configuration before.  A model that
 * is added, or left out, changes nothing for the others. /
 */
static bool other_configuration(const struct gcal_audit_device *d, size_t run)
{
    const struct gcal_track_run *now = d->run[run];
    const struct gcal_track_column *c = now->columns->column, *before;
    size_t when;

    if (!has_fingerprints(now))
        return strcmp(d->run[run - 1]->configuration, now->configuration) != 0;
    if (now->columns == d->run[run - 1]->columns)
        return false;
    for (size_t i = 0; i < now->columns->n; i++) {
        if (i && strcmp(c[i].model, c[i - 1].model) == 0)
            continue;
        before = last_of(d, run, c[i].model, &when);
        if (before &&
            (*before->configuration
                 ? strcmp(before->configuration, c[i].configuration) != 0
                 : strcmp(d->run[when]->configuration, now->configuration) != 0))
            return true;
    }
    return false;
}

/* A few more or less change the mean of many devices by little. */
static bool other_devices(const struct gcal_track_run *a, const struct gcal_track_run *b)
{
    size_t more = a->n_devices > b->n_devices ? a->n_devices : b->n_devices;
    size_t fewer = a->n_devices + b->n_devices - more;

    return OTHER_DEVICES * (more - fewer) > more;
}

/* ---- values ---- */

/* Forms with the same costs: latency equals partial for kernels that fill a device. */
static const char *family(const char *form)
{
    return strcmp(form, "latency") == 0 ? "partial" : form;
}

bool gcal_audit_same_column(const struct gcal_track_column *a,
                            const struct gcal_track_column *b)
{
    return strcmp(a->parameter, b->parameter) == 0 && strcmp(a->model, b->model) == 0 &&
           strcmp(a->unit, b->unit) == 0 && strcmp(family(a->form), family(b->form)) == 0;
}

/* ---- what is published ---- */

static bool is_forgotten(const struct gcal_track *track, const struct gcal_track_run *run,
                         const char *model)
{
    size_t at = (size_t)(run - track->runs);

    for (size_t i = 0; i < track->n_forgotten; i++)
        if (at < track->forgotten[i].n_runs &&
            strcmp(track->forgotten[i].uid, run->uid) == 0 &&
            strcmp(track->forgotten[i].model, model) == 0)
            return true;
    return false;
}

static bool has_model(const struct gcal_track_column *columns, size_t n,
                      const char *model)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(columns[i].model, model) == 0)
            return true;
    return false;
}

/* The series are those of the columns of all models that are published for the device, those of the
 * newest run first.  A run without fingerprints replaced all models.
 */
static void make_series(struct gcal_audit_device *d, const struct gcal_track *track)
{
    const struct gcal_track_columns *newer = NULL, *before = NULL;
    struct gcal_track_columns published = { 0 };
    size_t *at;

    for (size_t i = d->n_runs; i > 0; i--) {
        const struct gcal_track_run *run = d->run[i - 1];

        if (run->columns != newer && run->columns != before) {
            /* Adds the columns of a run's models that no newer run has. */
            const struct gcal_track_columns *columns = run->columns;
            struct gcal_track_column *moved =
                gcal_arena_alloc(d->arena, published.n + columns->n, sizeof(*moved));
            size_t n_newer = published.n;

            if (published.n)
                memcpy(moved, published.column, published.n * sizeof(*moved));
            published.column = moved;
            for (size_t k = 0; k < columns->n; k++)
                if (!has_model(moved, n_newer, columns->column[k].model) &&
                    !is_forgotten(track, run, columns->column[k].model))
                    moved[published.n++] = columns->column[k];
        }
        if (!has_fingerprints(run))
            break;
        before = newer;
        newer = run->columns;
    }
    at = gcal_arena_alloc(d->arena, published.n, sizeof(*at));
    d->n_series = published.n;
    d->series = gcal_arena_alloc(d->arena, published.n, sizeof(*d->series));
    for (size_t i = 0; i < d->n_series; i++) {
        d->series[i].column = published.column[i];
        d->series[i].value = gcal_arena_alloc(d->arena, d->n_runs, sizeof(double));
        d->series[i].error = gcal_arena_alloc(d->arena, d->n_runs, sizeof(double));
    }
    for (size_t run = 0; run < d->n_runs; run++) {
        const struct gcal_track_run *r = d->run[run];

        if (run == 0 || r->columns != d->run[run - 1]->columns) {
            /* The position of each of the published columns among the run's, whose number
             * says that it is missing.  The order is usually the same.
             */
            size_t next = 0;

            for (size_t i = 0; i < published.n; i++) {
                size_t tried = 0;

                while (tried < r->columns->n &&
                       !gcal_audit_same_column(
                           &published.column[i],
                           &r->columns->column[(next + tried) % r->columns->n]))
                    tried++;
                at[i] = tried < r->columns->n ? (next + tried) % r->columns->n
                                              : r->columns->n;
                if (tried < r->columns->n)
                    next = at[i] + 1;
            }
        }
        for (size_t i = 0; i < d->n_series; i++) {
            bool known = at[i] < r->columns->n;

            d->series[i].value[run] = known ? r->value[at[i]] : NAN;
            d->series[i].error[run] = known ? r->error[at[i]] : NAN;
            if (known)
                d->series[i].newest = run;
        }
    }
}

/* ---- devices ---- */

void gcal_audit_histories(struct gcal_arena *arena, const char *node,
                          const struct gcal_track *track,
                          struct gcal_audit_device **devices, size_t *n_devices)
{
    bool *taken = gcal_arena_alloc(arena, track->n_runs, sizeof(*taken));

    *n_devices = 0;
    *devices = gcal_arena_alloc(arena, track->n_runs, sizeof(**devices));
    for (size_t first = 0; first < track->n_runs; first++) {
        struct gcal_audit_device *d = &(*devices)[*n_devices];
        const struct gcal_track_run *newest;

        if (taken[first])
            continue;
        ++*n_devices;
        d->arena = arena;
        d->run = gcal_arena_alloc(arena, track->n_runs, sizeof(*d->run));
        for (size_t i = first; i < track->n_runs; i++)
            if (!taken[i] && strcmp(track->runs[i].uid, track->runs[first].uid) == 0) {
                taken[i] = true;
                d->run[d->n_runs++] = &track->runs[i];
            }
        newest = d->run[d->n_runs - 1];
        d->node = node;
        d->uid = newest->uid;
        d->type = newest->type;
        d->name = newest->name;
        size_t n = 1;
        d->epoch = gcal_arena_alloc(d->arena, d->n_runs, sizeof(*d->epoch));
        d->epoch_description =
            gcal_arena_alloc(d->arena, d->n_runs, sizeof(*d->epoch_description));
        for (size_t i = 1; i < d->n_runs; i++) {
            const struct gcal_track_run *a = d->run[i - 1], *b = d->run[i];
            bool other = other_configuration(d, i);

            if (other || other_devices(a, b) || strcmp(a->driver, b->driver) != 0 ||
                strcmp(a->gpucal_version, b->gpucal_version) != 0 ||
                strcmp(a->catalogue, b->catalogue) != 0) {
                /* People learn no more from fingerprints than that they differ. */
                struct gcal_buf buf = { 0 };

                if (strcmp(a->driver, b->driver) != 0)
                    put_change(&buf, "driver", a->driver, b->driver);
                if (strcmp(a->gpucal_version, b->gpucal_version) != 0)
                    put_change(&buf, "gpucal", a->gpucal_version, b->gpucal_version);
                if (other_devices(a, b))
                    gcal_buf_printf(&buf, "%s%zu device%s became %zu",
                                    buf.size ? ", " : "", a->n_devices,
                                    a->n_devices == 1 ? "" : "s", b->n_devices);
                if (other)
                    gcal_buf_printf(&buf, "%sanother configuration",
                                    buf.size ? ", " : "");
                if (strcmp(a->catalogue, b->catalogue) != 0)
                    gcal_buf_printf(&buf, "%sanother catalogue of kernels",
                                    buf.size ? ", " : "");
                d->epoch_description[n++] = gcal_arena_take(d->arena, &buf);
            }
            d->epoch[i] = n - 1;
        }
        make_series(d, track);
    }
}
