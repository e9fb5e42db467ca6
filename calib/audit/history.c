/* history.c - the devices of a track, their epochs and the values of their parameters */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit/private.h"
#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/median.h"
#include "fit/change.h"

/* Values of a level: see gcal_audit_level(). */
enum { MOST = 32 };

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

static char *describe_epoch(const struct gcal_track_run *a,
                            const struct gcal_track_run *b, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    if (strcmp(a->driver, b->driver) != 0)
        put_change(&buf, "driver", a->driver, b->driver);
    if (strcmp(a->gpucal_version, b->gpucal_version) != 0)
        put_change(&buf, "gpucal", a->gpucal_version, b->gpucal_version);
    if (strcmp(a->configuration, b->configuration) != 0)
        put_difference(&buf, "configuration");
    if (strcmp(a->catalogue, b->catalogue) != 0)
        put_difference(&buf, "catalogue of kernels");
    return gcal_buf_take(&buf, err);
}

static bool same_epoch(const struct gcal_track_run *a, const struct gcal_track_run *b)
{
    return strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->gpucal_version, b->gpucal_version) == 0 &&
           strcmp(a->configuration, b->configuration) == 0 &&
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
        if (!same_epoch(d->run[i - 1], d->run[i]) &&
            !(d->epoch_description[n++] = describe_epoch(d->run[i - 1], d->run[i], err)))
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

/* The position of each of the newest columns among 'others'; others->n: missing.  The
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
    }
}

static int make_series(struct gcal_audit_device *d, struct gcal_error *err)
{
    const struct gcal_track_columns *newest = d->run[d->n_runs - 1]->columns;
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
    return find_epochs(d, err) < 0 || make_series(d, err) < 0 ? -1 : 0;
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
