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
    const char *pattern; /* of devices; NULL: all */
    struct gcal_columns *table;
    json_t *devices;
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
    json_t *runs = json_array();

    (void)err;
    if (h->pattern && !gcal_device_info_matches(&info, h->pattern)) {
        json_decref(runs);
        return 0;
    }
    for (size_t i = 0; i < d->n_runs; i++) {
        const struct gcal_track_run *r = d->run[i];
        enum gcal_audit_verdict verdict = gcal_show_verdict_of(d, i);
        const char *what = gcal_show_began(d, i);
        char day[GCAL_SHOW_DAY_SIZE];

        gcal_columns_add(
            h->table,
            (const char *[N_COLUMNS]){ d->node, d->name, gcal_show_day(r->utc, day),
                                       r->run_id, r->driver,
                                       what                           ? what
                                       : gcal_show_is_reference(d, i) ? "reference"
                                                                      : "",
                                       gcal_audit_verdict_name(verdict) },
            gcal_show_colour_of(verdict));
        json_array_append_new(runs, run_json(d, i));
    }
    json_array_append_new(h->devices,
                          json_pack("{s:s, s:s, s:s, s:o}", "node", d->node, "uid",
                                    d->uid, "name", d->name, "runs", runs));
    return 0;
}

int gcal_show_history(const struct gcal_show_query *q, struct gcal_error *err)
{
    struct history h = { .pattern = q->device,
                         .table = gcal_columns_create(q->arena, N_COLUMNS, columns),
                         .devices = json_array() };
    json_t *all = json_pack("{s:o}", "devices", h.devices);
    int rc = gcal_show_audit(q, add_device, &h, err);

    if (rc == 0 && !json_array_size(h.devices))
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "no calibration of a device that matches is in the tracks of "
                            "the store");
    if (rc == 0 && q->json)
        gcal_json_print(all, "history");
    else if (rc == 0)
        gcal_columns_print(h.table, 0);
    json_decref(all);
    return rc;
}
