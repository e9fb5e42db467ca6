/* overview.c - a line for each device */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "kernels/base/clock.h"
#include "kernels/base/units.h"
#include "mpi/cli/columns.h"
#include "mpi/commands/show/private.h"

#define MINUTE_S 60.0
#define HOUR_S   3600.0
#define DAY_S    86400.0

static const struct gcal_column columns[] = {
    { "NODE", GCAL_COLUMN_TEXT },     { "DEVICE", GCAL_COLUMN_LONG },
    { "KIND", GCAL_COLUMN_TEXT },     { "CALIBRATED", GCAL_COLUMN_TEXT },
    { "AGE", GCAL_COLUMN_NUMBER },    { "DRIVER", GCAL_COLUMN_TEXT },
    { "MODELS", GCAL_COLUMN_NUMBER }, { "ERROR", GCAL_COLUMN_NUMBER },
    { "SPEED", GCAL_COLUMN_NUMBER },  { "AUDIT", GCAL_COLUMN_TEXT },
};
enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

const char *gcal_show_day(const char *utc, char text[GCAL_SHOW_DAY_SIZE])
{
    if (isnan(gcal_clock_parse_utc(utc)))
        strcpy(text, "-");
    else
        snprintf(text, GCAL_SHOW_DAY_SIZE, "%.10s %.5s", utc,
                 utc + strlen("2026-11-21T"));
    return text;
}

const char *gcal_show_age(const struct gcal_params_device *device,
                          char text[GCAL_SHOW_AGE_SIZE])
{
    double age_s = (double)time(NULL) - gcal_clock_parse_utc(device->calibrated_utc);

    if (isnan(age_s))
        snprintf(text, GCAL_SHOW_AGE_SIZE, "-");
    else if (fabs(age_s) < MINUTE_S)
        snprintf(text, GCAL_SHOW_AGE_SIZE, "%.0f s", age_s);
    else if (fabs(age_s) < HOUR_S)
        snprintf(text, GCAL_SHOW_AGE_SIZE, "%.0f min", age_s / MINUTE_S);
    else if (fabs(age_s) < 2 * DAY_S)
        snprintf(text, GCAL_SHOW_AGE_SIZE, "%.0f h", age_s / HOUR_S);
    else
        snprintf(text, GCAL_SHOW_AGE_SIZE, "%.0f d", age_s / DAY_S);
    return text;
}

const struct gcal_params_model *
gcal_show_main_model(const struct gcal_params_device *device)
{
    for (size_t i = 0; i < device->n_models; i++)
        if (gcal_params_model_is_general(&device->models[i]))
            return &device->models[i];
    return device->n_models ? &device->models[0] : NULL;
}

enum gcal_column_colour gcal_show_colour_of(enum gcal_audit_verdict verdict)
{
    switch (verdict) {
    case GCAL_AUDIT_PASS:
        return GCAL_COLUMN_GOOD;
    case GCAL_AUDIT_SUSPECT:
    case GCAL_AUDIT_WARN:
        return GCAL_COLUMN_WARNING;
    case GCAL_AUDIT_FAIL:
        return GCAL_COLUMN_BAD;
    default:
        return GCAL_COLUMN_PLAIN;
    }
}

struct gcal_columns *gcal_show_overview_create(struct gcal_arena *arena)
{
    return gcal_columns_create(arena, N_COLUMNS, columns);
}

void gcal_show_overview_add(struct gcal_columns *overview,
                            const struct gcal_show_device *device)
{
    const struct gcal_params_device *d = device->params;
    const struct gcal_params_model *m = gcal_show_main_model(d);
    char day[GCAL_SHOW_DAY_SIZE], age[GCAL_SHOW_AGE_SIZE], models[24],
        error[GCAL_UNITS_SIZE], speed[GCAL_SHOW_SPEED_SIZE], why[GCAL_PARAMS_WHY_SIZE];

    gcal_show_day(d->calibrated_utc, day);
    day[strcspn(day, " ")] = '\0'; /* names of devices need the place */
    snprintf(models, sizeof(models), "%zu", d->n_models);
    if (m && gcal_params_model_is_poor(m, why))
        strcpy(error, "poor");
    else
        gcal_units_percent(m ? m->held_out_rms : NAN, error);
    gcal_columns_add(
        overview,
        (const char *[N_COLUMNS]){ device->node, d->info.name, d->info.device_type, day,
                                   gcal_show_age(d, age), d->info.driver, models, error,
                                   gcal_show_speed(&device->standing, speed),
                                   gcal_audit_verdict_name(device->standing.verdict) },
        gcal_show_colour_of(device->standing.verdict));
}
