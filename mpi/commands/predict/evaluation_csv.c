/* evaluation_csv.c - an evaluation as CSV */
#include <math.h>
#include <string.h>

#include "mpi/cli/csv.h"
#include "mpi/commands/predict/evaluation_print.h"

static void put_header(FILE *file)
{
    fputs("level,model,form,generator,variant,sizes,predicted_s,low_s,high_s,measured_s,"
          "spread_percent,"
          "error_percent,inside,extrapolates,not_covered,kernels,sets,found,ties,pairs,"
          "ordered,"
          "lead_percent,loss_percent,application,median_percent,mape_percent,factor,"
          "within_1_25,within_1_5,within_2,worst_percent,worst_kernel,not_predicted,band,"
          "time_percent,factor_90,width,correlation,baseline,"
          "samples,status,bound_by,class,estimated,device,detail\n",
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
        fprintf(file, "%zu,%s,%s,%s,%.3g,", row->n_samples, row->status,
                row->roof ? row->roof : "", row->class ? row->class : "", row->estimated);
    else
        fputs(",,,,,", file);
    gcal_csv_text(file, report->device->info.name, ',');
    gcal_csv_text(file, row ? row->detail : NULL, '\n');
}

/* The columns from 'application' to 'correlation'; 'f' and 'r' NULL: empty. */
static void put_summary(FILE *file, const char *application,
                        enum gcal_evaluation_band band,
                        const struct gcal_evaluation_summary *f,
                        const struct gcal_evaluation_ordering *r)
{
    fprintf(file, "%s,", application);
    if (f) {
        gcal_csv_number(file, 100 * f->median_error);
        gcal_csv_number(file, 100 * f->average_error);
        gcal_csv_number(file, f->factor);
        for (int i = 0; i < GCAL_EVALUATION_N_FACTORS; i++)
            fprintf(file, "%zu,", f->n_within[i]);
        gcal_csv_number(file, f->worst ? 100 * gcal_evaluation_row_error(f->worst) : NAN);
        fprintf(file, "%s,%zu,", f->worst ? f->worst->kernel : "", f->n_missing);
    } else
        fputs(",,,,,,,,,", file);
    fprintf(file, "%s,", gcal_evaluation_band_name(band));
    gcal_csv_number(file, f ? 100 * f->time_error : NAN);
    gcal_csv_number(file, f ? f->factor_90 : NAN);
    gcal_csv_number(file, f ? f->width : NAN);
    gcal_csv_number(file, r ? r->correlation : NAN);
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
    put_summary(file, row->application, gcal_evaluation_band_of(row->measured_s), NULL,
                NULL);
    fprintf(file, "%d,", row->baseline);
    put_end(file, report, row);
}

/* Of a variant, an application, a band, a model, or all. */
struct figures {
    const char *level;
    struct gcal_evaluation_filter filter;
    const struct gcal_evaluation_row *row; /* one of them; NULL: of all */
};

/* Sets are those of a whole model, or of all.  A band without kernels has no line. */
static int put_figures(FILE *file, const struct gcal_evaluation_report *report,
                       const struct figures *g, struct gcal_error *err)
{
    const struct gcal_evaluation_filter *filter = &g->filter;
    bool whole = !filter->variant && !filter->application && !filter->band;
    struct gcal_evaluation_summary f;
    struct gcal_evaluation_ordering r =
        gcal_evaluation_ordering(report->sets, report->n_sets, filter->model);

    if (gcal_evaluation_summarize(report->evaluation, filter, &f, err) < 0)
        return -1;
    if (filter->band && !f.n && !f.n_missing)
        return 0;
    put_start(file, report, g->level, filter->model ? filter->model : "",
              filter->variant ? g->row : NULL, "");
    put_times(file, NULL);
    gcal_csv_number(file, 100 * f.mean_error);
    fprintf(file, "%zu,,,%zu,", f.n_inside, f.n);
    if (whole)
        fprintf(file, "%zu,%zu,%zu,%zu,%zu,,,", r.n_sets, r.n_found, r.n_ties, r.n_pairs,
                r.n_ordered);
    else
        fputs(",,,,,,,", file);
    put_summary(file, filter->variant || filter->application ? g->row->application : "",
                filter->band, &f, whole ? &r : NULL);
    fprintf(file, "%d,", g->row && g->row->baseline);
    put_end(file, report, NULL);
    return 0;
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
    put_summary(file, chosen->application, GCAL_EVALUATION_ALL_TIMES, NULL,
                &(struct gcal_evaluation_ordering){ .correlation = s->correlation });
    fprintf(file, "%d,", s->baseline);
    put_end(file, report, NULL);
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* A line for each variant, application or model, whose rows follow each other: variants
 * begin with the name of their application.
 */
static int put_level(FILE *file, const struct gcal_evaluation_report *report,
                     const char *level, struct gcal_error *err)
{
    const struct gcal_evaluation *e = report->evaluation;

    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_evaluation_row *row = &e->rows[i], *last = i ? row - 1 : NULL;
        struct figures f = { level, { .model = row->model }, row };
        bool same = last && same_text(last->model, row->model);

        if (same_text(level, "variant")) {
            f.filter.variant = row->variant;
            same = same && same_text(last->variant, row->variant);
        } else if (same_text(level, "application")) {
            f.filter.application = row->application;
            same = same && same_text(last->application, row->application);
        }
        if (!same && put_figures(file, report, &f, err) < 0)
            return -1;
    }
    return 0;
}

/* The bands of a row's model; of all models without a row. */
static int put_bands(FILE *file, const struct gcal_evaluation_report *report,
                     const struct gcal_evaluation_row *row, struct gcal_error *err)
{
    for (enum gcal_evaluation_band band = GCAL_EVALUATION_BELOW_50_US;
         band < GCAL_EVALUATION_N_BANDS; band++) {
        const struct figures f = { "band",
                                   { .model = row ? row->model : NULL, .band = band },
                                   row };

        if (put_figures(file, report, &f, err) < 0)
            return -1;
    }
    return 0;
}

int gcal_evaluation_csv(FILE *file, const struct gcal_evaluation_report *report,
                        struct gcal_error *err)
{
    const struct gcal_evaluation *e = report->evaluation;
    const struct figures all = { .level = "all" };

    put_header(file);
    for (size_t i = 0; i < e->n; i++)
        put_kernel(file, report, &e->rows[i]);
    for (size_t i = 0; i < report->n_sets; i++)
        put_set(file, report, &report->sets[i]);
    if (put_level(file, report, "variant", err) < 0 ||
        put_level(file, report, "application", err) < 0)
        return -1;
    for (size_t i = 0; i < e->n; i++)
        if ((!i || !same_text(e->rows[i - 1].model, e->rows[i].model)) &&
            put_bands(file, report, &e->rows[i], err) < 0)
            return -1;
    if (put_bands(file, report, NULL, err) < 0 ||
        put_level(file, report, "model", err) < 0)
        return -1;
    return put_figures(file, report, &all, err);
}
