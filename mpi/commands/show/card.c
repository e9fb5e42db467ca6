/* card.c - a device: what calibration found of it, and its models */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/units.h"
#include "mpi/cli/columns.h"
#include "mpi/commands/show/private.h"

static const struct gcal_column columns[] = {
    { "MODEL", GCAL_COLUMN_TEXT },         { "FORM", GCAL_COLUMN_TEXT },
    { "KERNELS", GCAL_COLUMN_NUMBER },     { "HELD-OUT ERROR", GCAL_COLUMN_NUMBER },
    { "90 % WITHIN", GCAL_COLUMN_NUMBER }, { "OF ITS TYPE'S TIME", GCAL_COLUMN_NUMBER },
    { "PREDICTS", GCAL_COLUMN_LONG },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

void gcal_show_print_card(struct gcal_arena *arena, const struct gcal_show_device *device)
{
    const struct gcal_params_device *d = device->params;
    struct gcal_columns *table = gcal_columns_create(arena, N_COLUMNS, columns);
    char day[GCAL_SHOW_DAY_SIZE], age[GCAL_SHOW_AGE_SIZE], speed[GCAL_SHOW_SPEED_SIZE],
        needs[48] = "";

    if (device->standing.verdict == GCAL_AUDIT_UNKNOWN)
        snprintf(needs, sizeof(needs), " (needs %d calibrations, has %zu)",
                 GCAL_AUDIT_LEAST_RUNS, device->standing.n_epoch_runs);
    printf("node %s: %s (%s)\n  driver %s, calibrated %s UTC (%s ago) by run %s\n"
           "  audit: %s%s, speed relative to its type: %s\n",
           device->node, d->info.name, d->info.uid, d->info.driver,
           gcal_show_day(d->calibrated_utc, day), gcal_show_age(d, age), d->run_id,
           gcal_audit_verdict_name(device->standing.verdict), needs,
           gcal_show_speed(&device->standing, speed));
    gcal_facts_print(d);
    for (size_t i = 0; i < d->n_models; i++) {
        const struct gcal_params_model *m = &d->models[i];
        char *targets = gcal_arena_own(arena, gcal_params_model_targets(m), free);
        char kernels[24], error[GCAL_UNITS_SIZE], within[GCAL_UNITS_SIZE], factor[48],
            why[GCAL_PARAMS_WHY_SIZE];
        const char *predicts =
            !gcal_params_model_is_current(d, m)    ? "out of date: measure it again"
            : gcal_params_model_is_poor(m, why)    ? "poor: if it is named"
            : targets                              ? targets
            : gcal_params_model_is_general(m)      ? "any kernel"
            : gcal_params_model_is_of_transfers(m) ? "copies"
            : gcal_params_model_is_of_sweeps(m)    ? "nothing: it finds facts"
            : m->stands_for.n                      ? "kernels like those it was fitted to"
                                                   : "-";

        if (m->absolute_error_90_s > 0)
            gcal_units(m->absolute_error_90_s, "s", within);
        else
            gcal_units_percent(m->error_90, within);
        snprintf(kernels, sizeof(kernels), "%zu", m->n_kernels);
        snprintf(factor, sizeof(factor), "%.3f +- %.3f", m->factor, m->factor_error);
        gcal_columns_add(
            table,
            (const char *[N_COLUMNS]){ m->name, m->form, kernels,
                                       gcal_units_percent(m->held_out_rms, error), within,
                                       factor, predicts },
            GCAL_COLUMN_PLAIN);
    }
    gcal_columns_print(table, 2);
}
