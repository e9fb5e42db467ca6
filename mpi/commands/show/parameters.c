/* parameters.c - each model of a device with its formula and all parameters */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/units.h"
#include "mpi/commands/show/private.h"

/* Of a model that another run fitted than the latest of its device. */
static void print_origin(const struct gcal_params_device *d,
                         const struct gcal_params_model *m)
{
    const struct gcal_params_origin o = gcal_params_model_origin(d, m);

    if (strcmp(o.run_id, d->run_id) == 0)
        return;
    printf("      calibrated %s by run %s\n", o.calibrated_utc, o.run_id);
    if (strcmp(o.driver, d->info.driver) != 0)
        printf("      out of date: the driver was %s then\n", o.driver);
    if (strcmp(o.type, d->info.type) != 0)
        printf("      out of date: the type was %s then\n", o.type);
}

/* Of the column of names. */
static int name_width(const struct gcal_params_model *m)
{
    size_t width = 16;

    for (size_t i = 0; i < m->n_parameters; i++)
        width = strlen(m->parameter[i]) > width ? strlen(m->parameter[i]) : width;
    return (int)width;
}

static void print_model(const struct gcal_params_device *d,
                        const struct gcal_params_model *m)
{
    char value[GCAL_UNITS_SIZE], error[GCAL_UNITS_SIZE];
    const int width = name_width(m);
    char *targets;

    printf("    model %s, form %s:", m->name, m->form);
    gcal_formula_print(m);
    targets = gcal_params_model_targets(m);
    if (targets)
        printf("      for %s\n", targets);
    free(targets);
    print_origin(d, m);
    printf("      mean error %.1f %%, worst %.1f %%, %zu kernels, %zu samples, condition "
           "%.3g, "
           "device factor %.3f +- %.3f\n",
           100 * m->mean_error, 100 * m->worst_error, m->n_kernels, m->n_samples,
           m->condition, m->factor, m->factor_error);
    if (m->n_held_out)
        printf(
            "      held-out error %.1f %% rms, 90 %% within %.1f %%, %zu measurements\n",
            100 * m->held_out_rms, 100 * m->error_90, m->n_held_out);
    if (m->absolute_error_90_s > 0)
        printf("      fitted to absolute errors, 90 %% within %s\n",
               gcal_units(m->absolute_error_90_s, "s", value));
    for (size_t i = 0; i < m->n_parameters; i++) {
        printf("      %-*s %14s +- %-14s%s\n", width, m->parameter[i],
               gcal_units(m->value[i], m->unit[i], value),
               gcal_units(m->standard_error[i], m->unit[i], error),
               m->at_bound[i] ? " (at its bound)" : "");
        if (isfinite(m->own[i]) && m->own[i] != m->value[i])
            printf("      %-*s %14s +- %-14s device-only fit\n", width, "",
                   gcal_units(m->own[i], m->unit[i], value),
                   gcal_units(m->own_error[i], m->unit[i], error));
    }
}

void gcal_show_print_parameters(const struct gcal_show_device *device)
{
    const struct gcal_params_device *d = device->params;

    printf("node %s\n  %s (%s), driver %s, calibrated %s by run %s\n", device->node,
           d->info.name, d->info.uid, d->info.driver, d->calibrated_utc, d->run_id);
    /* Prefixes of fingerprints, long enough to distinguish them. */
    printf("    configuration %.8s, catalogue %.8s",
           *d->configuration ? d->configuration : "unknown",
           *d->catalogue ? d->catalogue : "unknown");
    if (d->n_fitted)
        printf(", fitted with %zu device%s", d->n_fitted, d->n_fitted == 1 ? "" : "s");
    printf("\n");
    for (size_t i = 0; i < d->n_models; i++)
        print_model(d, &d->models[i]);
    if (!d->n_models)
        printf("    no models\n");
}
