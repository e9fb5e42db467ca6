/* history.c - the devices of a track, their epochs and the values of their parameters */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "fit/change.h"

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

/* People learn no more from fingerprints than that they differ. */
static void put_difference(struct gcal_buf *buf, const char *what)
{
    gcal_buf_printf(buf, "%sanother %s", buf->size ? ", " : "", what);
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

/* Whether a model of the run was measured with another configuration before.  A model
 * that is added, or left out, changes nothing for the others.
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

static char *describe_epoch(const struct gcal_track_run *a,
                            const struct gcal_track_run *b, bool configuration,
                            struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    if (strcmp(a->driver, b->driver) != 0)
        put_change(&buf, "driver", a->driver, b->driver);
    if (strcmp(a->gpucal_version, b->gpucal_version) != 0)
        put_change(&buf, "gpucal", a->gpucal_version, b->gpucal_version);
    if (other_devices(a, b))
        gcal_buf_printf(&buf, "%s%zu device%s became %zu", buf.size ? ", " : "",
                        a->n_devices, a->n_devices == 1 ? "" : "s", b->n_devices);
    if (configuration)
        put_difference(&buf, "configuration");
    if (strcmp(a->catalogue, b->catalogue) != 0)
        put_difference(&buf, "catalogue of kernels");
    return gcal_buf_take(&buf, err);
}

/* But for the configuration. */
static bool same_conditions(const struct gcal_track_run *a,
                            const struct gcal_track_run *b)
{
    return !other_devices(a, b) && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->gpucal_version, b->gpucal_version) == 0 &&
           strcmp(a->catalogue, b->catalogue) == 0;
}

static int find_epochs(struct gcal_audit_device *d, struct gcal_error *err)
{
    size_t n = 1;

    d->epoch = calloc(d->n_runs, sizeof(*d->epoch));
    d->epoch_description = calloc(d->n_runs, sizeof(*d->epoch_description));
    if (!d->epoch || !d->epoch_description)
        return gcal_error_memory(err);
    for (size_t i = 1; i < d->n_runs; i++) {
        const struct gcal_track_run *before = d->run[i - 1];
        bool other = other_configuration(d, i);

        if ((other || !same_conditions(before, d->run[i])) &&
            !(d->epoch_description[n++] = describe_epoch(before, d->run[i], other, err)))
            return -1;
        d->epoch[i] = n - 1;
    }
    return 0;
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

/* The position of each of the published columns among 'others'; others->n: missing.  The
 * order is usually the same.
 */
static void map_columns(const struct gcal_track_columns *newest,
                        const struct gcal_track_columns *others, size_t *at)
{
    size_t next = 0;

    for (size_t i = 0; i < newest->n; i++) {
        size_t tried = 0;

        while (tried < others->n &&
               !gcal_audit_same_column(&newest->column[i],
                                       &others->column[(next + tried) % others->n]))
            tried++;
        at[i] = tried < others->n ? (next + tried) % others->n : others->n;
        if (tried < others->n)
            next = at[i] + 1;
    }
}

static void take_values(struct gcal_audit_device *d, size_t run, const size_t *at)
{
    const struct gcal_track_run *r = d->run[run];

    for (size_t i = 0; i < d->n_series; i++) {
        bool known = at[i] < r->columns->n;

        d->series[i].value[run] = known ? r->value[at[i]] : NAN;
        d->series[i].error[run] = known ? r->error[at[i]] : NAN;
        if (known)
            d->series[i].newest = run;
    }
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

/* Adds the columns of a run's models that no newer run has. */
static int add_columns(const struct gcal_track *track, const struct gcal_track_run *run,
                       struct gcal_track_columns *all, struct gcal_error *err)
{
    const struct gcal_track_columns *columns = run->columns;
    struct gcal_track_column *moved =
        reallocarray(all->column, all->n + columns->n + 1, sizeof(*moved));
    size_t n_newer = all->n;

    if (!moved)
        return gcal_error_memory(err);
    all->column = moved;
    for (size_t i = 0; i < columns->n; i++)
        if (!has_model(moved, n_newer, columns->column[i].model) &&
            !is_forgotten(track, run, columns->column[i].model))
            moved[all->n++] = columns->column[i];
    return 0;
}

/* The columns of all models that are published for the device, those of the newest run
 * first.  A run without fingerprints replaced all models.
 */
static int find_columns(const struct gcal_audit_device *d, const struct gcal_track *track,
                        struct gcal_track_columns *all, struct gcal_error *err)
{
    const struct gcal_track_columns *newer = NULL, *before = NULL;

    *all = (struct gcal_track_columns){ 0 };
    for (size_t i = d->n_runs; i > 0; i--) {
        const struct gcal_track_run *run = d->run[i - 1];

        if (run->columns != newer && run->columns != before &&
            add_columns(track, run, all, err) < 0)
            return -1;
        if (!has_fingerprints(run))
            break;
        before = newer;
        newer = run->columns;
    }
    return 0;
}

static int make_series(struct gcal_audit_device *d,
                       const struct gcal_track_columns *newest, struct gcal_error *err)
{
    size_t *at = calloc(newest->n + 1, sizeof(*at));
    double *numbers = calloc(2 * newest->n * d->n_runs + 1, sizeof(*numbers));

    d->series = calloc(newest->n + 1, sizeof(*d->series));
    if (!at || !numbers || !d->series) {
        free(at);
        free(numbers);
        return gcal_error_memory(err);
    }
    d->n_series = newest->n;
    for (size_t i = 0; i <= newest->n; i++) { /* one more: device_clear() frees [0] */
        d->series[i].value = numbers + 2 * i * d->n_runs;
        d->series[i].error = d->series[i].value + d->n_runs;
    }
    for (size_t i = 0; i < newest->n; i++)
        d->series[i].column = newest->column[i];
    for (size_t i = 0; i < d->n_runs; i++) {
        if (i == 0 || d->run[i]->columns != d->run[i - 1]->columns)
            map_columns(newest, d->run[i]->columns, at);
        take_values(d, i, at);
    }
    free(at);
    return 0;
}

/* ---- devices ---- */

static int add_device(const char *node, const struct gcal_track *track, size_t first,
                      bool *taken, struct gcal_audit_device *d, struct gcal_error *err)
{
    const struct gcal_track_run *newest;
    struct gcal_track_columns published;
    int rc = -1;

    if (!(d->run = calloc(track->n_runs, sizeof(*d->run))))
        return gcal_error_memory(err);
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
    if (find_columns(d, track, &published, err) == 0 && find_epochs(d, err) == 0)
        rc = make_series(d, &published, err);
    free(published.column);
    return rc;
}

int gcal_audit_histories(const char *node, const struct gcal_track *track,
                         struct gcal_audit_device **devices, size_t *n_devices,
                         struct gcal_error *err)
{
    bool *taken = calloc(track->n_runs + 1, sizeof(*taken));
    struct gcal_audit_device *made = calloc(track->n_runs + 1, sizeof(*made));
    size_t n = 0;
    int rc = taken && made ? 0 : gcal_error_memory(err);

    for (size_t i = 0; rc == 0 && i < track->n_runs; i++)
        if (!taken[i])
            rc = add_device(node, track, i, taken, &made[n++], err);
    free(taken);
    if (rc < 0) {
        gcal_audit_histories_free(made, n);
        return -1;
    }
    *devices = made;
    *n_devices = n;
    return 0;
}

static void device_clear(struct gcal_audit_device *d)
{
    for (size_t i = 0; d->epoch_description && i < d->n_runs; i++)
        free(d->epoch_description[i]);
    free(d->epoch_description);
    free(d->epoch);
    free(d->run);
    if (d->series)
        free(d->series[0].value); /* one allocation holds all values */
    free(d->series);
    for (size_t i = 0; i < d->n_findings; i++) {
        free(d->findings[i].what);
        free(d->findings[i].next);
        free(d->findings[i].series);
    }
    free(d->findings);
}

void gcal_audit_histories_free(struct gcal_audit_device *devices, size_t n_devices)
{
    for (size_t i = 0; i < n_devices; i++)
        device_clear(&devices[i]);
    free(devices);
}
