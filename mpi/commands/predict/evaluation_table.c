/* evaluation_table.c - figures by measured time, of models side by side, and by application */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/base/units.h"
#include "mpi/commands/predict/evaluation_print.h"

enum { HEAD_WIDTH = 30, LEAST_WIDTH = 10, CELL_SIZE = 32 };

struct column {
    const char *model;
    int width;
    struct gcal_evaluation_summary summary;
    struct gcal_evaluation_ordering ordering;
};

struct table {
    const struct gcal_evaluation_report *report;
    size_t n_columns;
    struct column *columns;
    struct gcal_strings applications;
};

/* ---- what the table has ---- */

static bool starts_model(const struct gcal_evaluation *e, size_t i)
{
    return !i || strcmp(e->rows[i - 1].model, e->rows[i].model) != 0;
}

static int add_column(struct table *t, const char *model, struct gcal_error *err)
{
    const struct gcal_evaluation_filter filter = { .model = model };
    struct column *c = &t->columns[t->n_columns++];
    int length = (int)strlen(model);

    c->model = model;
    c->width = (length > LEAST_WIDTH ? length : LEAST_WIDTH) + 2;
    c->ordering = gcal_evaluation_ordering(t->report->sets, t->report->n_sets, model);
    return gcal_evaluation_summarize(t->report->evaluation, &filter, &c->summary, err);
}

static int fill(struct table *t, struct gcal_error *err)
{
    const struct gcal_evaluation *e = t->report->evaluation;

    if (!(t->columns = calloc(e->n + 1, sizeof(*t->columns))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < e->n; i++)
        if ((starts_model(e, i) && add_column(t, e->rows[i].model, err) < 0) ||
            gcal_strings_include(&t->applications, e->rows[i].application, err) < 0)
            return -1;
    return 0;
}

/* ---- its lines ---- */

static void start_line(const char *indent, const char *head)
{
    printf("%s%-*s", indent, HEAD_WIDTH - (int)strlen(indent), head);
}

/* A figure as a text of at most CELL_SIZE bytes. */
typedef void put_figure(const struct column *column, char *text);

static void put_percent(double value, char *text)
{
    if (isnan(value))
        strcpy(text, "-");
    else
        snprintf(text, CELL_SIZE, "%.1f %%", 100 * value);
}

static void put_share(size_t part, size_t all, char *text)
{
    put_percent(all ? (double)part / (double)all : NAN, text);
}

static void put_of(size_t part, size_t all, char *text)
{
    if (all)
        snprintf(text, CELL_SIZE, "%zu of %zu", part, all);
    else
        strcpy(text, "-");
}

static void put_missing(const struct column *c, char *text)
{
    snprintf(text, CELL_SIZE, "%zu", c->summary.n_missing);
}

static void put_average(const struct column *c, char *text)
{
    put_percent(c->summary.average_error, text);
}

static void put_within_first(const struct column *c, char *text)
{
    put_share(c->summary.n_within[0], c->summary.n, text);
}

static void put_found(const struct column *c, char *text)
{
    put_of(c->ordering.n_found, c->ordering.n_sets, text);
}

static void put_pairs(const struct column *c, char *text)
{
    put_of(c->ordering.n_ordered, c->ordering.n_pairs, text);
}

static void put_correlation(const struct column *c, char *text)
{
    if (c->ordering.n_sets)
        snprintf(text, CELL_SIZE, "%+.2f", c->ordering.correlation);
    else
        strcpy(text, "-");
}

static const struct {
    const char *indent, *head;
    put_figure *put;
} lines[] = {
    { "", "not predicted", put_missing },
    { "", "mean error (MAPE)", put_average },
    { "", "within a factor of 1.25", put_within_first },
    { "", "sets: fastest variant found", put_found },
    { "  ", "pairs in order", put_pairs },
    { "  ", "rank correlation", put_correlation },
};

static void print_head(const struct table *t)
{
    start_line("\n", "");
    for (size_t i = 0; i < t->n_columns; i++)
        printf("%*s", t->columns[i].width, t->columns[i].model);
    putchar('\n');
}

static void print_lines(const struct table *t)
{
    char text[CELL_SIZE];

    for (size_t k = 0; k < sizeof(lines) / sizeof(*lines); k++) {
        start_line(lines[k].indent, lines[k].head);
        for (size_t i = 0; i < t->n_columns; i++) {
            lines[k].put(&t->columns[i], text);
            printf("%*s", t->columns[i].width, text);
        }
        putchar('\n');
    }
}

static int print_application(const struct table *t, const char *application,
                             struct gcal_error *err)
{
    struct gcal_evaluation_summary f;
    char text[CELL_SIZE];

    start_line("  ", application);
    for (size_t i = 0; i < t->n_columns; i++) {
        const struct gcal_evaluation_filter filter = { .model = t->columns[i].model,
                                                       .application = application };

        if (gcal_evaluation_summarize(t->report->evaluation, &filter, &f, err) < 0)
            return -1;
        put_percent(f.mean_error, text);
        printf("%*s", t->columns[i].width, text);
    }
    putchar('\n');
    return 0;
}

/* The largest factor by which a model is wrong: "worst of general: 41.2 us, measured 6.1 us,
 * of reduce_tree n:1024"
 */
static void print_worst(const struct column *c)
{
    const struct gcal_evaluation_row *row = c->summary.worst;
    char predicted[GCAL_UNITS_SIZE], measured[GCAL_UNITS_SIZE];

    if (row)
        printf("worst of %s: %s, measured %s (%+.0f %%), of %s\n", c->model,
               gcal_units(row->predicted_s, "s", predicted),
               gcal_units(row->measured_s, "s", measured),
               100 * gcal_evaluation_row_error(row), row->kernel);
}

/* ---- figures by measured time ---- */

static const char *const band_heads[GCAL_EVALUATION_N_BANDS] = {
    [GCAL_EVALUATION_ALL_TIMES] = "all",
    [GCAL_EVALUATION_BELOW_50_US] = "below 50 us",
    [GCAL_EVALUATION_50_US_TO_1_MS] = "50 us to 1 ms",
    [GCAL_EVALUATION_ABOVE_1_MS] = "above 1 ms",
};

static void print_band(enum gcal_evaluation_band band,
                       const struct gcal_evaluation_summary *f)
{
    double percent = 100 / (double)f->n;

    printf("  %-13s %5zu %6.1f %6.1f %5.0f %6.3g %6.3g %5.0f %5.0f %6.0f %5.3g\n",
           band_heads[band], f->n, 100 * f->mean_error, 100 * f->median_error,
           100 * f->time_error, f->factor, f->factor_90, percent * (double)f->n_within[1],
           percent * (double)f->n_within[2], percent * (double)f->n_inside, f->width);
}

/* All launches of each model, and those of each band: 80 columns. */
static int print_bands(const struct table *t, struct gcal_error *err)
{
    printf("\n%21s%20s%14s%12s%13s\n%-15s %5s %6s %6s %5s %6s %6s %5s %5s %6s %5s\n", "",
           "error, %", "factor", "within, %", "interval", "measured time", "n", "mean",
           "median", "time", "mean", "90 %", "1.5", "2", "inside", "width");
    for (size_t i = 0; i < t->n_columns; i++) {
        printf("%s\n", t->columns[i].model);
        for (enum gcal_evaluation_band band = 0; band < GCAL_EVALUATION_N_BANDS; band++) {
            const struct gcal_evaluation_filter filter = { .model = t->columns[i].model,
                                                           .band = band };
            struct gcal_evaluation_summary f;

            if (gcal_evaluation_summarize(t->report->evaluation, &filter, &f, err) < 0)
                return -1;
            if (f.n)
                print_band(band, &f);
        }
    }
    fputs("error: geometric mean and median of |predicted / measured - 1|, and by time,\n"
          "sum of |predicted - measured| over sum of measured; factor: typical, and "
          "within\n"
          "which 90 % are; interval: % that hold, and median of high / low\n",
          stdout);
    return 0;
}

static bool has_several_bands(const struct gcal_evaluation *e)
{
    enum gcal_evaluation_band first = GCAL_EVALUATION_ALL_TIMES, band;

    for (size_t i = 0; i < e->n; i++) {
        band = gcal_evaluation_band_of(e->rows[i].measured_s);
        if (band && first && band != first)
            return true;
        if (band)
            first = band;
    }
    return false;
}

static int print(const struct table *t, struct gcal_error *err)
{
    bool compares = t->n_columns > 1 || t->applications.n > 1;

    if (!compares && !has_several_bands(t->report->evaluation))
        return 0;
    if (print_bands(t, err) < 0)
        return -1;
    if (compares) {
        print_head(t);
        print_lines(t);
        printf("geometric mean error of\n");
        for (size_t i = 0; i < t->applications.n; i++)
            if (print_application(t, t->applications.items[i], err) < 0)
                return -1;
    }
    for (size_t i = 0; i < t->n_columns; i++)
        print_worst(&t->columns[i]);
    return 0;
}

int gcal_evaluation_print_table(const struct gcal_evaluation_report *report,
                                struct gcal_error *err)
{
    struct table t = { .report = report };
    int rc = fill(&t, err);

    if (rc == 0)
        rc = print(&t, err);
    gcal_strings_clear(&t.applications);
    free(t.columns);
    return rc;
}
