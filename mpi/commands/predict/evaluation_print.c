/* evaluation_print.c - an evaluation as tables */
#include "mpi/commands/predict/evaluation_print.h"

#include <math.h>
#include <string.h>

#include "kernels/base/units.h"
#include "mpi/commands/predict/baselines.h"
#include "store/predict/predictor.h"

/* Row 'i' is the first of its model, or of its variant in that. */
static bool starts(const struct gcal_evaluation *e, size_t i, bool variant)
{
    const struct gcal_evaluation_row *row = &e->rows[i];

    return !i || strcmp(row[-1].model, row->model) != 0 ||
           (variant && strcmp(row[-1].variant, row->variant) != 0);
}

static bool ends(const struct gcal_evaluation *e, size_t i, bool variant)
{
    return i + 1 == e->n || starts(e, i + 1, variant);
}

/* ---- rows ---- */

const char *gcal_evaluation_form(const struct gcal_evaluation_report *report,
                                 const char *model)
{
    const struct gcal_params_model *found = gcal_params_find_model(report->device, model);

    for (size_t i = 0; i < report->baselines->n; i++)
        if (strcmp(report->baselines->items[i].label, model) == 0)
            found = report->baselines->items[i].model;
    return found ? found->form : "";
}

static void print_head(const struct gcal_evaluation_report *report, const char *model)
{
    printf("\nmodel %s (%s)\n%10s %22s %10s %8s %6s  %s\n", model,
           gcal_evaluation_form(report, model), "predicted", "90 % interval", "measured",
           "error", "inside", "sizes");
}

static const char *time_text(double time_s, char text[GCAL_UNITS_SIZE])
{
    if (isnan(time_s))
        return "-";
    return gcal_units(time_s, "s", text);
}

/* The reason for a missing time is on a line of its own. */
static void print_row(const struct gcal_evaluation_row *row)
{
    char predicted[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE],
        measured[GCAL_UNITS_SIZE], error[16] = "-";
    const char *inside = "-";

    if (gcal_evaluation_row_is_complete(row)) {
        snprintf(error, sizeof(error), "%+.1f %%", 100 * gcal_evaluation_row_error(row));
        inside = gcal_evaluation_row_inside(row) ? "yes" : "no";
    }
    printf("%9s%c %9s to %-9s %10s %8s %6s  %s\n", time_text(row->predicted_s, predicted),
           row->not_covered > GCAL_PREDICTOR_COVERED ? '!'
           : row->extrapolates                       ? '*'
                                                     : ' ',
           time_text(row->low_s, low), time_text(row->high_s, high),
           time_text(row->measured_s, measured), error, inside, row->sizes);
    if (!gcal_evaluation_row_is_complete(row))
        printf("%10s %s%s%.*s\n", "",
               isnan(row->measured_s) ? row->status : "not predicted",
               row->detail ? ": " : "", row->detail ? (int)strcspn(row->detail, "\n") : 0,
               row->detail ? row->detail : "");
}

/* "8 kernels, geometric mean error 3.1 %, worst 5.2 %, 7 inside the interval (88 %)" */
static void print_figures(const char *indent, const char *what,
                          const struct gcal_evaluation_summary *f)
{
    printf("%s%s: ", indent, what);
    if (!f->n) {
        printf("no kernel was both predicted and measured\n");
        return;
    }
    printf("%zu kernel%s, geometric mean error %.2f %%, worst %.1f %%, %zu inside "
           "the interval (%.0f %%)\n",
           f->n, f->n == 1 ? "" : "s", 100 * f->mean_error, 100 * f->worst_error,
           f->n_inside, 100.0 * (double)f->n_inside / (double)f->n);
}

/* ---- orders ---- */

/* A line for a set that is a tie, or of which the fastest variant was not found. */
static void print_set(const struct gcal_evaluation *e,
                      const struct gcal_evaluation_set *s)
{
    if (!s->found)
        printf("    missed at %s: %s is %.1f %% slower than %s\n", s->sizes,
               e->rows[s->chosen].variant, 100 * s->loss, e->rows[s->fastest].variant);
    else if (s->tie)
        printf("    tie at %s: the two fastest differ by %.1f %%\n", s->sizes,
               100 * s->lead);
}

static void print_ordering(const char *indent, const struct gcal_evaluation_ordering *r)
{
    if (!r->n_sets)
        return;
    printf(
        "%sorder: fastest variant found in %zu of %zu sets (%zu tie%s), %zu of %zu pairs "
        "ordered correctly\n",
        indent, r->n_found, r->n_sets, r->n_ties, r->n_ties == 1 ? "" : "s", r->n_ordered,
        r->n_pairs);
}

static int print_model_end(const struct gcal_evaluation_report *report, const char *model,
                           struct gcal_error *err)
{
    const struct gcal_evaluation_filter filter = { .model = model };
    struct gcal_evaluation_summary f;
    struct gcal_evaluation_ordering r =
        gcal_evaluation_ordering(report->sets, report->n_sets, model);

    if (gcal_evaluation_summarize(report->evaluation, &filter, &f, err) < 0)
        return -1;
    print_figures("  ", model, &f);
    print_ordering("  ", &r);
    for (size_t i = 0; i < report->n_sets; i++)
        if (strcmp(report->sets[i].model, model) == 0)
            print_set(report->evaluation, &report->sets[i]);
    return 0;
}

static int print_variant_end(const struct gcal_evaluation_report *report,
                             const struct gcal_evaluation_row *row,
                             struct gcal_error *err)
{
    const struct gcal_evaluation_filter filter = { .model = row->model,
                                                   .variant = row->variant };
    struct gcal_evaluation_summary f;

    if (gcal_evaluation_summarize(report->evaluation, &filter, &f, err) < 0)
        return -1;
    print_figures("    ", "variant", &f);
    return 0;
}

/* ---- all ---- */

/* Explains the marks of rows. */
static void print_marks(const struct gcal_evaluation *e)
{
    bool marked = false, incomplete = false;

    for (size_t i = 0; i < e->n && !e->rows[i].baseline; i++) {
        bool gap = e->rows[i].not_covered > GCAL_PREDICTOR_COVERED;

        marked = marked || (e->rows[i].extrapolates && !gap);
        incomplete = incomplete || gap;
    }
    if (marked)
        printf("* outside the calibrated range\n");
    if (incomplete)
        printf("! some of its work has no cost in the model: the prediction lacks it\n");
}

static int print_end(const struct gcal_evaluation_report *report, struct gcal_error *err)
{
    const struct gcal_evaluation_filter all = { 0 };
    struct gcal_evaluation_summary f;
    struct gcal_evaluation_ordering r =
        gcal_evaluation_ordering(report->sets, report->n_sets, NULL);

    if (gcal_evaluation_summarize(report->evaluation, &all, &f, err) < 0)
        return -1;
    putchar('\n');
    print_marks(report->evaluation);
    if (*report->missing)
        printf("not published for this device, left out: %s\n", report->missing);
    print_figures("", "all", &f);
    print_ordering("", &r);
    return gcal_evaluation_print_table(report, err);
}

/* Rows of baselines, which come last, are in the table alone. */
int gcal_evaluation_print(const struct gcal_evaluation_report *report,
                          struct gcal_error *err)
{
    const struct gcal_evaluation *e = report->evaluation;

    printf("%s on node %s, calibrated by run %s\n", report->device->info.name,
           report->node, report->device->run_id);
    for (size_t i = 0; i < e->n && !e->rows[i].baseline; i++) {
        const struct gcal_evaluation_row *row = &e->rows[i];

        if (starts(e, i, false))
            print_head(report, row->model);
        if (starts(e, i, true))
            printf("  %s\n", row->variant);
        print_row(row);
        if ((ends(e, i, true) && print_variant_end(report, row, err) < 0) ||
            (ends(e, i, false) && print_model_end(report, row->model, err) < 0))
            return -1;
    }
    return print_end(report, err);
}
