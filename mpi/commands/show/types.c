/* types.c - gpucal show --history --type: the published fits of device types, with verdicts */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "kernels/base/units.h"
#include "mpi/cli/columns.h"
#include "mpi/cli/json.h"
#include "mpi/commands/show/private.h"
#include "store/facts/facts.h"
#include "store/files/store.h"
#include "store/ledger/lines.h"

static const struct gcal_column columns[] = {
    { "TYPE", GCAL_COLUMN_LONG },      { "PUBLISHED (UTC)", GCAL_COLUMN_TEXT },
    { "RUN", GCAL_COLUMN_TEXT },       { "DRIVER", GCAL_COLUMN_LONG },
    { "DEVICES", GCAL_COLUMN_NUMBER }, { "HELD-OUT ERROR", GCAL_COLUMN_NUMBER },
    { "MEMORY", GCAL_COLUMN_NUMBER },  { "FP32", GCAL_COLUMN_NUMBER },
    { "WHAT", GCAL_COLUMN_LONG },      { "AUDIT", GCAL_COLUMN_TEXT },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

/* A history that was never pruned may have more, at 2 ms each. */
enum { MOST_FITS = 1000 };

struct types {
    struct gcal_audit_policy policy;
    struct gcal_ledger_lines lines;
    struct gcal_columns *table;
    json_t *all;
};

static const struct gcal_params_device *device_of(const struct gcal_audit_fits *fits,
                                                  size_t i)
{
    return fits->fit[i].params.devices;
}

/* Of a fact, relative to the fit before; NaN: unknown. */
static double change_of(const struct gcal_audit_fits *fits, size_t i, const char *key)
{
    return i ? gcal_facts_value(device_of(fits, i), key) /
                       gcal_facts_value(device_of(fits, i - 1), key) -
                   1
             : NAN;
}

static double held_out(const struct gcal_params_device *d)
{
    const struct gcal_params_model *m = gcal_show_main_model(d);

    return m ? m->held_out_rms : NAN;
}

/* ---- a table ---- */

#define CHANGE_SIZE 24

static const char *change_text(double change, char text[CHANGE_SIZE])
{
    if (isnan(change))
        strcpy(text, "-");
    else
        snprintf(text, CHANGE_SIZE, "%+.1f %%", 100 * change);
    return text;
}

/* ---- JSON ---- */

static json_t *rates_json(const struct gcal_audit_fits *fits, size_t i)
{
    struct gcal_fact facts[GCAL_FACTS_MAX];
    size_t n = gcal_facts_find(device_of(fits, i), facts);
    json_t *all = json_object();

    for (size_t k = 0; k < n; k++)
        if (strncmp(facts[k].key, "rate_", strlen("rate_")) == 0)
            json_object_set_new(
                all, facts[k].key,
                json_pack("{s:f, s:s, s:s, s:o}", "value", facts[k].value, "unit",
                          facts[k].unit, "text", facts[k].text, "change",
                          gcal_json_number(change_of(fits, i, facts[k].key))));
    return all;
}

static json_t *fit_json(const struct gcal_audit_fits *fits, size_t i)
{
    const struct gcal_params_device *d = device_of(fits, i);
    const struct gcal_audit_device *audit = fits->device;

    return json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:o, s:o, s:i, s:b, s:s?, s:s}", "run",
        fits->fit[i].run_id, "published", fits->fit[i].published_utc, "driver",
        d->info.driver, "gpucal_version", d->gpucal_version, "devices",
        (json_int_t)d->n_fitted, "held_out_rms", gcal_json_number(held_out(d)), "rates",
        rates_json(fits, i), "epoch", (int)audit->epoch[i], "reference",
        (int)gcal_show_is_reference(audit, i), "what", gcal_show_began(audit, i),
        "verdict", gcal_audit_verdict_name(gcal_show_verdict_of(audit, i)));
}

/* ---- all types ---- */

static void add_type(struct types *t, const struct gcal_audit_fits *fits)
{
    json_t *list = json_array();

    for (size_t i = 0; i < fits->n; i++) {
        const struct gcal_params_device *d = device_of(fits, i);
        enum gcal_audit_verdict verdict = gcal_show_verdict_of(fits->device, i);
        const char *what = gcal_show_began(fits->device, i);
        char day[GCAL_SHOW_DAY_SIZE], devices[24], error[GCAL_UNITS_SIZE],
            memory[CHANGE_SIZE], fp32[CHANGE_SIZE];

        snprintf(devices, sizeof(devices), "%zu", d->n_fitted);
        gcal_units_percent(held_out(d), error);
        gcal_columns_add(t->table,
                         (const char *[N_COLUMNS]){
                             fits->device->type,
                             gcal_show_day(fits->fit[i].published_utc, day),
                             fits->fit[i].run_id, d->info.driver, devices, error,
                             change_text(change_of(fits, i, "rate_dram"), memory),
                             change_text(change_of(fits, i, "rate_fp32"), fp32),
                             what                                      ? what
                             : gcal_show_is_reference(fits->device, i) ? "reference"
                                                                       : "",
                             gcal_audit_verdict_name(verdict) },
                         gcal_show_colour_of(verdict));
        json_array_append_new(list, fit_json(fits, i));
    }
    json_array_append_new(t->all, json_pack("{s:s, s:s, s:o}", "type", fits->device->type,
                                            "name", fits->device->name, "fits", list));
}

/* One that cannot be read stops no other. */
static int show_matching(struct types *t, const char *pattern, struct gcal_error *err)
{
    char **types = NULL;
    size_t n = 0;

    if (gcal_store_types(t->lines.store, &types, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        struct gcal_audit_fits fits = { 0 };
        struct gcal_error why;

        if (fnmatch(pattern, types[i], 0) == 0 &&
            gcal_audit_type(t->lines.store, &t->lines, types[i], MOST_FITS, &t->policy,
                            &fits, &why) < 0)
            gcal_log(GCAL_LOG_WARN, "type %s is left out: %s", types[i], why.text);
        else if (fits.n)
            add_type(t, &fits);
        gcal_audit_fits_clear(&fits);
    }
    gcal_strings_free(types, n);
    return json_array_size(t->all)
               ? 0
               : gcal_error_set(
                     err, GCAL_EINPUT,
                     "no type that matches '%s' has a history in the store: it "
                     "begins when a fit of the type is published",
                     pattern);
}

int gcal_show_types(const struct gcal_show_query *q, struct gcal_error *err)
{
    struct types t = { .lines = { .store = q->store },
                       .table = gcal_columns_create(q->arena, N_COLUMNS, columns),
                       .all = json_array() };
    json_t *all = json_pack("{s:o}", "types", t.all);
    int rc = -1;

    if (gcal_show_policy(&t.policy, err) == 0 &&
        gcal_ledger_lines_refresh(&t.lines, err) == 0) {
        gcal_ledger_lines_sort(&t.lines);
        rc = show_matching(&t, q->types, err);
    }
    if (rc == 0 && q->json)
        gcal_json_print(all, "type-history");
    else if (rc == 0)
        gcal_columns_print(t.table, 0);
    gcal_ledger_lines_clear(&t.lines);
    json_decref(all);
    return rc;
}
