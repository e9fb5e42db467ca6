/* evaluation_csv.c - an evaluation as CSV */
#include <math.h>
#include <string.h>

#include "mpi/cli/csv.h"
#include "mpi/predict/evaluation_print.h"

static void put_header(FILE *file)
{
    fputs("level,model,form,generator,variant,sizes,predicted_s,low_s,high_s,measured_s,"
          "spread_percent,"
          "error_percent,inside,extrapolates,not_covered,kernels,sets,found,ties,pairs,"
          "ordered,"
          "lead_percent,loss_percent,samples,status,device,detail\n",
          file);
}

/* The columns that all lines share; those of its level follow. */
static void put_start(FILE *file, const struct gcal_evaluation_report *report,
                      const char *level, const char *model,
                      const struct gcal_evaluation_row *row, const char *sizes)
{
    fprintf(file, "%s,%s,%s,%s,%s,%s,", level, model, gcal_evaluation_form(report, model),
            row ? row->generator : "", row ? row->variant : "", sizes);
}

static void put_times(FILE *file, const struct gcal_evaluation_row *row)
{
    if (!row) {
        fputs(",,,,,", file);
        return;
    }
    gcal_csv_number(file, row->predicted_s);
    gcal_csv_number(file, row->low_s);
    gcal_csv_number(file, row->high_s);
    gcal_csv_number(file, row->measured_s);
    gcal_csv_number(file, 100 * row->spread);
}

static void put_end(FILE *file, const struct gcal_evaluation_report *report,
                    const struct gcal_evaluation_row *row)
{
    if (row)
        fprintf(file, "%zu,%s,", row->n_samples, row->status);
    else
        fputs(",,", file);
    gcal_csv_text(file, report->device->info.name, ',');
    gcal_csv_text(file, row ? row->detail : NULL, '\n');
}

static void put_kernel(FILE *file, const struct gcal_evaluation_report *report,
                       const struct gcal_evaluation_row *row)
{
    bool counts = gcal_evaluation_row_is_complete(row);

    put_start(file, report, "kernel", row->model, row, row->sizes);
    put_times(file, row);
    gcal_csv_number(file, counts ? 100 * gcal_evaluation_row_error(row) : NAN);
    gcal_csv_number(file, counts ? gcal_evaluation_row_inside(row) : NAN);
    fprintf(file, "%d,%.3g,%d,,,,,,,,", row->extrapolates, row->not_covered, counts);
    put_end(file, report, row);
}

/* Of a variant, a model, or all. */
static void put_figures(FILE *file, const struct gcal_evaluation_report *report,
                        const char *level, const char *model,
                        const struct gcal_evaluation_row *variant)
{
    struct gcal_evaluation_summary f = gcal_evaluation_summary(
        report->evaluation, model, variant ? variant->variant : NULL);
    struct gcal_evaluation_ordering r =
        gcal_evaluation_ordering(report->sets, report->n_sets, model);

    put_start(file, report, level, model ? model : "", variant, "");
    put_times(file, NULL);
    gcal_csv_number(file, 100 * f.mean_error);
    fprintf(file, "%zu,,,%zu,", f.n_inside, f.n);
    if (variant)
        fputs(",,,,,,,", file);
    else
        fprintf(file, "%zu,%zu,%zu,%zu,%zu,,,", r.n_sets, r.n_found, r.n_ties, r.n_pairs,
                r.n_ordered);
    put_end(file, report, NULL);
}

/* Variant and time are those of the chosen variant. */
static void put_set(FILE *file, const struct gcal_evaluation_report *report,
                    const struct gcal_evaluation_set *s)
{
    const struct gcal_evaluation_row *chosen = &report->evaluation->rows[s->chosen];

    put_start(file, report, "set", s->model, chosen, s->sizes);
    put_times(file, chosen);
    fprintf(file, ",,,,%zu,1,%d,%d,%zu,%zu,", s->n, s->found, s->tie, s->n_pairs,
            s->n_ordered);
    gcal_csv_number(file, 100 * s->lead);
    gcal_csv_number(file, 100 * s->loss);
    put_end(file, report, NULL);
}

void gcal_evaluation_csv(FILE *file, const struct gcal_evaluation_report *report)
{
    const struct gcal_evaluation *e = report->evaluation;
    const struct gcal_evaluation_row *last = NULL;

    put_header(file);
    for (size_t i = 0; i < e->n; i++)
        put_kernel(file, report, &e->rows[i]);
    for (size_t i = 0; i < report->n_sets; i++)
        put_set(file, report, &report->sets[i]);
    for (size_t i = 0; i < e->n; last = &e->rows[i++])
        if (!last || strcmp(last->model, e->rows[i].model) != 0 ||
            strcmp(last->variant, e->rows[i].variant) != 0)
            put_figures(file, report, "variant", e->rows[i].model, &e->rows[i]);
    for (size_t i = 0; i < e->n; last = &e->rows[i++])
        if (!i || strcmp(last->model, e->rows[i].model) != 0)
            put_figures(file, report, "model", e->rows[i].model, NULL);
    put_figures(file, report, "all", NULL, NULL);
}
