/* kernels.c - gpucal show --kernels: what the store has learned of kernels */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "kernels/base/units.h"
#include "mpi/cli/columns.h"
#include "mpi/cli/json.h"
#include "mpi/commands/show/private.h"
#include "store/files/store.h"
#include "store/learned/learned.h"

static const struct gcal_column columns[] = {
    { "KERNEL", GCAL_COLUMN_LONG },    { "FINGERPRINT", GCAL_COLUMN_TEXT },
    { "TYPE", GCAL_COLUMN_LONG },      { "LEARNED (UTC)", GCAL_COLUMN_TEXT },
    { "DEVICES", GCAL_COLUMN_NUMBER }, { "TIMES", GCAL_COLUMN_NUMBER },
    { "ERROR", GCAL_COLUMN_NUMBER },   { "LIMITS", GCAL_COLUMN_LONG },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

/* A factor is shown if it is so many standard errors from 1. */
#define NOTABLE 2

/* "dram 1.31, l2 0.84": the limits that the kernel's times are known to move. */
static const char *list_limits(struct gcal_arena *arena,
                               const struct gcal_params_model *m)
{
    const char *text = "";

    for (size_t i = 0; i < m->n_parameters; i++) {
        double off = m->value[i] - 1;

        if (off < NOTABLE * m->standard_error[i] && -off < NOTABLE * m->standard_error[i])
            continue;
        text =
            gcal_arena_format(arena, "%s%s%s %.2f", text, *text ? ", " : "",
                              m->parameter[i] + strlen(GCAL_LEARNED_PREFIX), m->value[i]);
    }
    return *text ? text : "-";
}

/* Those that are known, with their factors if these are. */
static json_t *list_devices(const struct gcal_params_model *m)
{
    json_t *devices = json_array();

    for (size_t i = 0; i < m->n_times; i++) {
        const char *device = m->times[i].device;
        double factor = NAN, error = NAN;
        size_t k = 0;

        while (device && k < i &&
               (!m->times[k].device || strcmp(m->times[k].device, device) != 0))
            k++;
        if (!device || k < i)
            continue;
        for (size_t j = 0; j < m->n_members; j++)
            if (strcmp(m->members[j].device, device) == 0) {
                factor = m->members[j].factor;
                error = m->members[j].error;
            }
        json_array_append_new(devices, json_pack("{s:s, s:o, s:o}", "device", device,
                                                 "factor", gcal_json_number(factor),
                                                 "error", gcal_json_number(error)));
    }
    return devices;
}

static void add_type(struct gcal_arena *arena, struct gcal_columns *table, json_t *types,
                     const struct gcal_params *kernel, const struct gcal_params_device *d)
{
    const struct gcal_params_model *m = d->models;
    const char *utc = gcal_params_model_origin(d, m).calibrated_utc;
    char day[GCAL_SHOW_DAY_SIZE], times[24], n_devices[24] = "-", error[GCAL_UNITS_SIZE];
    json_t *factors = json_object(), *devices = list_devices(m);

    snprintf(times, sizeof(times), "%zu", m->n_times);
    if (json_array_size(devices))
        snprintf(n_devices, sizeof(n_devices), "%zu", json_array_size(devices));
    gcal_units_percent(m->mean_error, error);
    gcal_columns_add(table,
                     (const char *[N_COLUMNS]){
                         m->name, gcal_arena_format(arena, "%.12s", kernel->node),
                         d->info.type, gcal_show_day(utc, day), n_devices, times, error,
                         list_limits(arena, m) },
                     GCAL_COLUMN_PLAIN);
    for (size_t i = 0; i < m->n_parameters; i++)
        json_object_set_new(factors, m->parameter[i] + strlen(GCAL_LEARNED_PREFIX),
                            json_pack("{s:f, s:f}", "value", m->value[i],
                                      "standard_error", m->standard_error[i]));
    json_array_append_new(types, json_pack("{s:s, s:s, s:s, s:I, s:f, s:o, s:o}", "type",
                                           d->info.type, "name", d->info.name, "learned",
                                           utc, "times", (json_int_t)m->n_times,
                                           "mean_error", m->mean_error, "devices",
                                           devices, "corrections", factors));
}

int gcal_show_kernels(const struct gcal_show_query *q, struct gcal_error *err)
{
    struct gcal_columns *table = gcal_columns_create(q->arena, N_COLUMNS, columns);
    json_t *kernels = json_array(), *all = json_pack("{s:o}", "kernels", kernels);
    char **names = NULL;
    size_t n = 0;
    int rc = gcal_store_learned(q->store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_params kernel;
        struct gcal_error why = { 0 };
        json_t *types = json_array();
        const char *name = NULL;

        /* One that cannot be read stops no other. */
        if (gcal_store_load_learned(q->store, names[i], &kernel, &why) < 0)
            gcal_log(GCAL_LOG_WARN, "kernel %s is left out: %s", names[i], why.text);
        for (size_t k = 0; k < kernel.n_devices; k++)
            if (kernel.devices[k].n_models) {
                name = kernel.devices[k].models->name;
                add_type(q->arena, table, types, &kernel, &kernel.devices[k]);
            }
        if (name)
            json_array_append_new(kernels,
                                  json_pack("{s:s, s:s, s:O}", "kernel", name,
                                            "fingerprint", kernel.node, "types", types));
        json_decref(types);
        gcal_params_clear(&kernel);
    }
    if (rc == 0 && !n)
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "nothing was learned of any kernel: 'gpucal learn' does it");
    else if (rc == 0 && q->json)
        gcal_json_print(all, "learned");
    else if (rc == 0)
        gcal_columns_print(table, 0);
    gcal_strings_free(names, n);
    json_decref(all);
    return rc;
}
