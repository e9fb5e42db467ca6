/* evaluation_print.c - an evaluation as text */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/units.h"
#include "mpi/commands/predict/evaluate.h"
#include "store/predict/predictor.h"

const char *gcal_evaluation_form(const struct gcal_evaluation_report *report,
                                 const char *model)
{
    const struct gcal_evaluation_targets *t = report->targets;
    const struct gcal_params_model *found = gcal_params_find_model(t->published, model);

    for (size_t i = 0; i < t->n_baselines; i++)
        if (strcmp(t->baselines[i].label, model) == 0)
            found = t->baselines[i].model;
    return found ? found->form : "";
}

/* ---- rows ---- */

static const char *format_time(double time_s, char text[GCAL_UNITS_SIZE])
{
    return isnan(time_s) ? "-" : gcal_units(time_s, "s", text);
}

enum { OCTAVES = 3, PER_OCTAVE = 4, MIDDLE = OCTAVES * PER_OCTAVE, BAR = 2 * MIDDLE + 1 };

static int place_of(double time_s, double measured_s)
{
    double place = MIDDLE + round(PER_OCTAVE * log2(time_s / measured_s));

    return place < 0 ? 0 : place >= BAR ? BAR - 1 : (int)place;
}

/* The interval around the measured time, from an eighth to eight times of it: "-----o--|------",
 * with X for a measured time outside.
 */
static void draw(const struct gcal_evaluation_row *row, char bar[BAR + 1])
{
    memset(bar, ' ', BAR);
    bar[BAR] = '\0';
    for (int i = place_of(row->low_s, row->measured_s);
         i <= place_of(row->high_s, row->measured_s); i++)
        bar[i] = '-';
    bar[place_of(row->predicted_s, row->measured_s)] = 'o';
    bar[MIDDLE] = gcal_evaluation_row_inside(row) ? '|' : 'X';
}

/* The reason for a missing time is on a line of its own. */
static void print_row(const struct gcal_evaluation_row *row, const char *name)
{
    char predicted[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE],
        measured[GCAL_UNITS_SIZE], error[16] = "-", bar[BAR + 1] = "";

    if (gcal_evaluation_row_is_complete(row)) {
        snprintf(error, sizeof(error), "%+.1f %%", 100 * gcal_evaluation_row_error(row));
        draw(row, bar);
    }
    printf("%9s%c %9s to %-9s %10s %8s %-*s %s%s%s\n",
           format_time(row->predicted_s, predicted),
           row->not_covered > GCAL_PREDICTOR_COVERED ? '!'
           : row->extrapolates                       ? '*'
                                                     : ' ',
           format_time(row->low_s, low), format_time(row->high_s, high),
           format_time(row->measured_s, measured), error, BAR, bar, name ? name : "",
           name && *row->sizes ? " " : "", row->sizes);
    if (!gcal_evaluation_row_is_complete(row))
        printf("%10s %s%s%.*s\n", "",
               isnan(row->measured_s) ? row->status : "not predicted",
               row->detail ? ": " : "", row->detail ? (int)strcspn(row->detail, "\n") : 0,
               row->detail ? row->detail : "");
}

/* Whether two neighbours are of one variant of a model. */
static bool share_variant(const struct gcal_evaluation_row *a,
                          const struct gcal_evaluation_row *b)
{
    return strcmp(a->variant, b->variant) == 0 && strcmp(a->model, b->model) == 0;
}

/* ---- figures ---- */

/* "general: 8 kernels, geometric mean error 3.1 %, worst 5.2 %, 7 inside the interval (88 %)" */
static void print_figures(const struct gcal_evaluation_report *report, const char *indent,
                          const char *what, const struct gcal_evaluation_filter *filter)
{
    struct gcal_evaluation_summary f =
        gcal_evaluation_summarize(report->evaluation, filter);

    if (filter->band && !f.n)
        return;
    printf("%s%s: ", indent, what);
    if (f.n)
        printf("%zu kernel%s, geometric mean error %.2f %%, worst %.1f %%, by time %.1f "
               "%%, %zu inside the interval (%.0f %%)\n",
               f.n, f.n == 1 ? "" : "s", 100 * f.mean_error, 100 * f.worst_error,
               100 * f.time_error, f.n_inside, 100.0 * (double)f.n_inside / (double)f.n);
    else
        printf("no kernel was both predicted and measured\n");
}

static void print_ordering(const struct gcal_evaluation_report *report,
                           const char *indent, const char *model)
{
    struct gcal_evaluation_ordering r =
        gcal_evaluation_ordering(report->evaluation, model);

    if (r.n_sets)
        printf("%sorder: fastest variant found in %zu of %zu sets (%zu tie%s), %zu of "
               "%zu pairs ordered correctly\n",
               indent, r.n_found, r.n_sets, r.n_ties, r.n_ties == 1 ? "" : "s",
               r.n_ordered, r.n_pairs);
}

/* The figures of a model, and of its bands if there are several; the sets of an evaluated one that
 * are a tie, or of which the fastest variant was not found.
 */
static void print_model_end(const struct gcal_evaluation_report *report,
                            const char *model)
{
    static const char *const bands[GCAL_EVALUATION_N_BANDS] = {
        [GCAL_EVALUATION_BELOW_50_US] = "below 50 us",
        [GCAL_EVALUATION_50_US_TO_1_MS] = "50 us to 1 ms",
        [GCAL_EVALUATION_ABOVE_1_MS] = "above 1 ms",
    };
    const struct gcal_evaluation *e = report->evaluation;
    struct gcal_evaluation_filter filter = { .model = model };
    size_t n = gcal_evaluation_summarize(e, &filter).n;

    print_figures(report, "  ", model, &filter);
    for (int band = GCAL_EVALUATION_BELOW_50_US; band < GCAL_EVALUATION_N_BANDS; band++) {
        filter.band = (enum gcal_evaluation_band)band;
        if (gcal_evaluation_summarize(e, &filter).n < n)
            print_figures(report, "    ", bands[band], &filter);
    }
    print_ordering(report, "  ", model);
    for (size_t i = 0; i < e->n_sets; i++) {
        const struct gcal_evaluation_set *s = &e->sets[i];

        if (s->baseline || strcmp(s->model, model) != 0)
            continue;
        if (!s->found)
            printf("    missed at %s: %s is %.1f %% slower than %s\n", s->sizes,
                   e->rows[s->chosen].variant, 100 * s->loss,
                   e->rows[s->fastest].variant);
        else if (s->tie)
            printf("    tie at %s: the two fastest differ by %.1f %%\n", s->sizes,
                   100 * s->lead);
    }
}

/* ---- all ---- */

/* Rows of baselines, which come last, have their figures alone. */
void gcal_evaluation_print(const struct gcal_evaluation_report *report)
{
    const struct gcal_evaluation *e = report->evaluation;
    const struct gcal_params_device *device = report->targets->published;
    bool marked = false, incomplete = false;

    printf("%s on node %s, calibrated by run %s\n", device->info.name, report->node,
           device->run_id);
    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_evaluation_row *row = &e->rows[i];
        bool starts = gcal_evaluation_starts_model(e, i);

        if (starts) {
            printf("\nmodel %s (%s)\n", row->model,
                   gcal_evaluation_form(report, row->model));
            if (!row->baseline)
                printf("%10s %22s %10s %8s %-*s sizes\n", "predicted", "90 % interval",
                       "measured", "error", BAR, "1/8      measured       8");
        }
        if (!row->baseline) {
            bool first = starts || !share_variant(&row[-1], row);
            bool last = i + 1 == e->n || !share_variant(row, &row[1]);

            /* The only row of a variant has its name. */
            if (first && !last)
                printf("  %s\n", row->variant);
            print_row(row, first && last ? row->variant : NULL);
        }
        if (i + 1 == e->n || gcal_evaluation_starts_model(e, i + 1))
            print_model_end(report, row->model);
    }
    putchar('\n');
    /* Explains the marks of rows. */
    for (size_t i = 0; i < e->n && !e->rows[i].baseline; i++) {
        bool gap = e->rows[i].not_covered > GCAL_PREDICTOR_COVERED;

        marked = marked || (e->rows[i].extrapolates && !gap);
        incomplete = incomplete || gap;
    }
    if (marked)
        printf("* outside the calibrated range\n");
    if (incomplete)
        printf("! some of its work has no cost in the model: the prediction lacks it\n");
    if (*report->missing)
        printf("not published for this device, left out: %s\n", report->missing);
    print_figures(report, "", "all", &(struct gcal_evaluation_filter){ 0 });
    print_ordering(report, "", NULL);
}
