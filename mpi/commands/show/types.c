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
    const struct gcal_show_types_options *options;
    struct gcal_audit_policy policy;
    struct gcal_ledger_lines lines;
    struct gcal_columns *table; /* NULL: JSON */
    json_t *all;
    size_t n; /* types with a history */
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

static int add_row(struct types *t, const struct gcal_audit_fits *fits, size_t i,
                   struct gcal_error *err)
{
    const struct gcal_params_device *d = device_of(fits, i);
    enum gcal_audit_verdict verdict = gcal_show_verdict_of(fits->device, i);
    const char *what = gcal_show_began(fits->device, i);
    char day[GCAL_SHOW_DAY_SIZE], devices[24], error[GCAL_UNITS_SIZE],
        memory[CHANGE_SIZE], fp32[CHANGE_SIZE];

    snprintf(devices, sizeof(devices), "%zu", d->n_fitted);
    gcal_units_percent(held_out(d), error);
    return gcal_columns_add(
        t->table,
        (const char *[N_COLUMNS]){ fits->device->type,
                                   gcal_show_day_of(fits->fit[i].published_utc, day),
                                   fits->fit[i].run_id, d->info.driver, devices, error,
                                   change_text(change_of(fits, i, "rate_dram"), memory),
                                   change_text(change_of(fits, i, "rate_fp32"), fp32),
                                   what                                      ? what
                                   : gcal_show_is_reference(fits->device, i) ? "reference"
                                                                             : "",
                                   gcal_audit_verdict_name(verdict) },
        gcal_show_colour_of(verdict), err);
}

/* ---- JSON ---- */

static bool is_rate(const struct gcal_fact *f)
{
    return strncmp(f->key, "rate_", strlen("rate_")) == 0;
}

static json_t *rates_json(const struct gcal_audit_fits *fits, size_t i)
{
    struct gcal_fact facts[GCAL_FACTS_MAX];
    size_t n = gcal_facts_find(device_of(fits, i), facts);
    json_t *all = json_object();

    for (size_t k = 0; k < n; k++)
        if (is_rate(&facts[k]))
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

static void add_json(struct types *t, const struct gcal_audit_fits *fits)
{
    json_t *list = json_array();

    for (size_t i = 0; i < fits->n; i++)
        json_array_append_new(list, fit_json(fits, i));
    json_array_append_new(t->all, json_pack("{s:s, s:s, s:o}", "type", fits->device->type,
                                            "name", fits->device->name, "fits", list));
}

/* ---- all types ---- */

static int add_type(struct types *t, const struct gcal_audit_fits *fits,
                    struct gcal_error *err)
{
    int rc = 0;

    t->n++;
    for (size_t i = 0; i < fits->n && t->table && rc == 0; i++)
        rc = add_row(t, fits, i, err);
    if (!t->table)
        add_json(t, fits);
    return rc;
}

/* One that cannot be read stops no other. */
static int show_type(struct types *t, const char *type, struct gcal_error *err)
{
    struct gcal_audit_fits fits;
    struct gcal_error why;
    int rc = 0;

    if (gcal_audit_type(t->lines.store, &t->lines, type, MOST_FITS, &t->policy, &fits,
                        &why) < 0)
        gcal_log(GCAL_LOG_WARN, "type %s is left out: %s", type, why.text);
    else if (fits.n)
        rc = add_type(t, &fits, err);
    gcal_audit_fits_clear(&fits);
    return rc;
}

static int show_matching(struct types *t, struct gcal_error *err)
{
    char **types = NULL;
    size_t n = 0;
    int rc = gcal_store_types(t->lines.store, &types, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++)
        if (fnmatch(t->options->types, types[i], 0) == 0)
            rc = show_type(t, types[i], err);
    gcal_strings_free(types, n);
    return rc;
}

static int print(struct types *t, struct gcal_error *err)
{
    json_t *all;

    if (!t->n)
        return gcal_error_set(err, GCAL_EINPUT,
                              "no type that matches '%s' has a history in the store: it "
                              "begins when a fit of the type is published",
                              t->options->types);
    if (t->table)
        return gcal_columns_print(t->table, 0, err);
    all = json_pack("{s:O}", "types", t->all);
    gcal_json_print(all, "type-history");
    json_decref(all);
    return 0;
}

int gcal_show_types(const struct gcal_store *store,
                    const struct gcal_show_types_options *options, struct gcal_error *err)
{
    struct types t = { .options = options,
                       .lines = { .store = store },
                       .all = json_array() };
    int rc = -1;

    if ((options->json || (t.table = gcal_columns_create(N_COLUMNS, columns, err))) &&
        gcal_show_policy(&t.policy, err) == 0 &&
        gcal_ledger_lines_refresh(&t.lines, err) == 0) {
        gcal_ledger_lines_sort(&t.lines);
        rc = show_matching(&t, err);
    }
    if (rc == 0)
        rc = print(&t, err);
    gcal_ledger_lines_clear(&t.lines);
    gcal_columns_destroy(t.table);
    json_decref(t.all);
    return rc;
}
