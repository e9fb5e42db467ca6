/* table.c - predictions at several sizes, as a table and as CSV */
#include "mpi/commands/predict/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/cli/csv.h"
#include "mpi/cli/file_replace.h"
#include "mpi/commands/predict/remarks/remarks.h"
#include "mpi/commands/predict/step/step.h"

/* ---- table ---- */

enum { LEAST_WIDTH = 8 };

static int width_of(const char *name)
{
    int length = (int)strlen(name);

    return length > LEAST_WIDTH ? length : LEAST_WIDTH;
}

static void print_row(const struct gcal_profile *profile, const double *sizes,
                      const struct gcal_prediction *p)
{
    char time[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE];

    for (size_t i = 0; i < profile->n_parameters; i++)
        printf("%*.15g  ", width_of(profile->parameters[i]), sizes[i]);
    printf("%11s  %11s  %11s", gcal_units(p->time_s, "s", time),
           gcal_units(p->low_s, "s", low), gcal_units(p->high_s, "s", high));
    if (p->roof)
        printf("  bound by %s", p->roof);
    if (p->not_covered > 0)
        printf("  %.3g %% %s: %s", 100 * p->not_covered,
               p->lack < p->not_covered ? "not covered" : "too little", p->gap);
    if (p->extrapolates)
        printf("  extrapolated: %s", p->outside);
    putchar('\n');
}

void gcal_predict_print_table(const char *device, const char *node, const char *model,
                              const struct gcal_predict_target *target,
                              const struct gcal_prediction *rows)
{
    const struct gcal_profile *profile = target->profile;

    printf("%s on node %s: predicted times of %s with 90 %% intervals (model %s)\n",
           device, node, profile->kernel, model);
    for (size_t i = 0; i < profile->n_parameters; i++)
        printf("%*s  ", width_of(profile->parameters[i]), profile->parameters[i]);
    printf("%11s  %11s  %11s\n", "time", "low", "high");
    for (size_t i = 0; i < target->points.n; i++)
        print_row(profile, target->sizes + i * target->points.n_sizes, &rows[i]);
}

/* ---- CSV ---- */

int gcal_predict_csv(const char *path, const struct gcal_predict_target *target,
                     const struct gcal_prediction *rows,
                     struct gcal_predictor *const *generals,
                     const struct gcal_step_plan *step, struct gcal_error *err)
{
    const struct gcal_profile *profile = target->profile;
    struct gcal_file_replace r = { 0 };
    int rc = gcal_file_replace_start(&r, path, err);

    if (rc == 0) {
        for (size_t i = 0; i < profile->n_parameters; i++)
            gcal_csv_text(r.file, profile->parameters[i], ',');
        fputs("time_s,standard_error_s,low_s,high_s,not_covered,gap,extrapolates,outside,"
              "outside_by,bound_by,roof_s,class,estimated,general_s",
              r.file);
        fprintf(r.file, "%s\n", step ? GCAL_STEP_CSV_COLUMNS : "");
        rc = 0;
        for (size_t i = 0; i < target->points.n && rc == 0; i++) {
            const double *sizes = target->sizes + i * target->points.n_sizes;

            for (size_t k = 0; k < target->profile->n_parameters; k++)
                fprintf(r.file, "%.15g,", sizes[k]);
            gcal_csv_number(r.file, rows[i].time_s);
            gcal_csv_number(r.file, rows[i].standard_error_s);
            gcal_csv_number(r.file, rows[i].low_s);
            gcal_csv_number(r.file, rows[i].high_s);
            gcal_csv_number(r.file, rows[i].not_covered);
            gcal_csv_text(r.file, rows[i].gap, ',');
            fprintf(r.file, "%d,", rows[i].extrapolates);
            gcal_csv_text(r.file, rows[i].extrapolates ? rows[i].outside : NULL, ',');
            if (rows[i].extrapolates && isfinite(rows[i].outside_by))
                fprintf(r.file, "%.9g", rows[i].outside_by);
            fputc(',', r.file);
            gcal_csv_text(r.file, rows[i].roof, ',');
            if (rows[i].roof)
                fprintf(r.file, "%.9g", rows[i].roof_s);
            fprintf(r.file, ",%s,%.3g,", rows[i].class, rows[i].estimated);
            gcal_general_put_csv(r.file, generals[target->each ? i : 0],
                                 gcal_predict_point(target, i).sizes);
            if (step)
                rc = gcal_step_put_csv(r.file, step, sizes, &rows[i], err);
            fputc('\n', r.file);
        }
    }
    if (rc == 0)
        rc = gcal_file_replace_finish(&r, err);
    gcal_file_replace_clear(&r);
    return rc;
}
