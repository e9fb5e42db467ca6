/* history.c - gpucal show --history: the calibrations of each device, with verdicts */
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/run/device_match.h"
#include "mpi/cli/columns.h"
#include "mpi/cli/json.h"
#include "mpi/commands/show/private.h"

/* Runs at the start of an epoch, with which the later ones are compared. */
#define N_REFERENCE 3

static const struct gcal_column columns[] = {
    { "NODE", GCAL_COLUMN_TEXT },
    { "DEVICE", GCAL_COLUMN_LONG },
    { "CALIBRATED (UTC)", GCAL_COLUMN_TEXT },
    { "RUN", GCAL_COLUMN_TEXT },
    { "DRIVER", GCAL_COLUMN_LONG },
    { "WHAT", GCAL_COLUMN_LONG },
    { "AUDIT", GCAL_COLUMN_TEXT },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

struct history {
    const struct gcal_show_history_options *options;
    struct gcal_columns *table; /* NULL: JSON */
    json_t *devices;
    size_t n_devices;
};

const char *gcal_show_began(const struct gcal_audit_device *d, size_t run)
{
    bool new_epoch = run > 0 && d->epoch[run] != d->epoch[run - 1];

    if (new_epoch)
        return d->epoch_description[d->epoch[run]];
    for (size_t i = 0; i < d->n_findings; i++)
        if (d->findings[i].since == run)
            return d->findings[i].what;
    return NULL;
}

/* Place of the run in its epoch, from 0. */
static size_t place(const struct gcal_audit_device *d, size_t run)
{
    size_t first = run;

    while (first > 0 && d->epoch[first - 1] == d->epoch[run])
        first--;
    return run - first;
}

bool gcal_show_is_reference(const struct gcal_audit_device *d, size_t run)
{
    return place(d, run) < N_REFERENCE;
}

/* Only the newest epoch still has findings. */
enum gcal_audit_verdict gcal_show_verdict_of(const struct gcal_audit_device *d,
                                             size_t run)
{
    enum gcal_audit_verdict worst = GCAL_AUDIT_PASS;

    if (run + 1 == d->n_runs)
        return d->verdict;
    if (d->epoch[run] != d->epoch[d->n_runs - 1] || gcal_show_is_reference(d, run))
        return GCAL_AUDIT_UNKNOWN;
    for (size_t i = 0; i < d->n_findings; i++)
        if (d->findings[i].since <= run &&
            gcal_audit_needs_attention(d->findings[i].verdict) &&
            d->findings[i].verdict > worst)
            worst = d->findings[i].verdict;
    return worst;
}

static int add_row(struct history *h, const struct gcal_audit_device *d, size_t run,
                   struct gcal_error *err)
{
    const struct gcal_track_run *r = d->run[run];
    enum gcal_audit_verdict verdict = gcal_show_verdict_of(d, run);
    const char *what = gcal_show_began(d, run);
    char day[GCAL_SHOW_DAY_SIZE];

    gcal_show_day_of(r->utc, day);
    return gcal_columns_add(
        h->table,
        (const char *[N_COLUMNS]){ d->node, d->name, day, r->run_id, r->driver,
                                   what                             ? what
                                   : gcal_show_is_reference(d, run) ? "reference"
                                                                    : "",
                                   gcal_audit_verdict_name(verdict) },
        gcal_show_colour_of(verdict), err);
}

static json_t *run_json(const struct gcal_audit_device *d, size_t run)
{
    const struct gcal_track_run *r = d->run[run];

    return json_pack("{s:s, s:s, s:s, s:s, s:i, s:b, s:s?, s:s}", "run", r->run_id,
                     "calibrated", r->utc, "driver", r->driver, "gpucal_version",
                     r->gpucal_version, "epoch", (int)d->epoch[run], "reference",
                     (int)gcal_show_is_reference(d, run), "what", gcal_show_began(d, run),
                     "verdict", gcal_audit_verdict_name(gcal_show_verdict_of(d, run)));
}

static int add_device(void *context, const struct gcal_audit_device *d,
                      struct gcal_error *err)
{
    struct history *h = context;
    const struct gcal_device_info info = { .name = (char *)d->name,
                                           .uid = (char *)d->uid,
                                           .type = (char *)d->type,
                                           .device_type = (char *)"" };
    json_t *runs;

    if (h->options->device && !gcal_device_info_matches(&info, h->options->device))
        return 0;
    h->n_devices++;
    for (size_t i = 0; h->table && i < d->n_runs; i++)
        if (add_row(h, d, i, err) < 0)
            return -1;
    if (h->table)
        return 0;
    runs = json_array();
    for (size_t i = 0; i < d->n_runs; i++)
        json_array_append_new(runs, run_json(d, i));
    json_array_append_new(h->devices,
                          json_pack("{s:s, s:s, s:s, s:o}", "node", d->node, "uid",
                                    d->uid, "name", d->name, "runs", runs));
    return 0;
}

static int print(struct history *h, struct gcal_error *err)
{
    json_t *all;

    if (!h->n_devices)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "no calibration of a device that matches is in the tracks of "
            "the store");
    if (h->table)
        return gcal_columns_print(h->table, 0, err);
    all = json_pack("{s:O}", "devices", h->devices);
    gcal_json_print(all, "history");
    json_decref(all);
    return 0;
}

int gcal_show_history(const struct gcal_store *store,
                      const struct gcal_show_history_options *options,
                      struct gcal_error *err)
{
    struct history h = { .options = options, .devices = json_array() };
    int rc = -1;

    if ((options->json || (h.table = gcal_columns_create(N_COLUMNS, columns, err))) &&
        gcal_show_audit(store, options->nodes, add_device, &h, err) == 0)
        rc = print(&h, err);
    gcal_columns_destroy(h.table);
    json_decref(h.devices);
    return rc;
}
