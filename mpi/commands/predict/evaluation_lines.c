/* evaluation_lines.c - an evaluation as objects, and these as CSV */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/cli/csv.h"
#include "mpi/cli/json.h"
#include "mpi/commands/predict/evaluate.h"

enum style { PLAIN, SHORT, QUOTED };

static const struct {
    const char *name;
    enum style style;
} columns[] = {
    { "level", PLAIN },          { "model", PLAIN },          { "form", PLAIN },
    { "generator", PLAIN },      { "variant", PLAIN },        { "sizes", PLAIN },
    { "predicted_s", PLAIN },    { "low_s", PLAIN },          { "high_s", PLAIN },
    { "measured_s", PLAIN },     { "spread_percent", PLAIN }, { "error_percent", PLAIN },
    { "inside", PLAIN },         { "extrapolates", PLAIN },   { "not_covered", SHORT },
    { "kernels", PLAIN },        { "sets", PLAIN },           { "found", PLAIN },
    { "ties", PLAIN },           { "pairs", PLAIN },          { "ordered", PLAIN },
    { "lead_percent", PLAIN },   { "loss_percent", PLAIN },   { "application", PLAIN },
    { "median_percent", PLAIN }, { "mape_percent", PLAIN },   { "factor", PLAIN },
    { "within_1_25", PLAIN },    { "within_1_5", PLAIN },     { "within_2", PLAIN },
    { "worst_percent", PLAIN },  { "worst_kernel", PLAIN },   { "not_predicted", PLAIN },
    { "band", PLAIN },           { "time_percent", PLAIN },   { "factor_90", PLAIN },
    { "width", PLAIN },          { "correlation", PLAIN },    { "baseline", PLAIN },
    { "samples", PLAIN },        { "status", PLAIN },         { "bound_by", PLAIN },
    { "class", PLAIN },          { "estimated", SHORT },      { "device", QUOTED },
    { "detail", QUOTED },
};

enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

/* ---- objects ---- */

static void set_text(json_t *line, const char *name, const char *text)
{
    if (text && *text)
        json_object_set_new(line, name, json_string(text));
}

static void set_number(json_t *line, const char *name, double value)
{
    json_object_set_new(line, name, gcal_json_number(value));
}

static void set_count(json_t *line, const char *name, size_t count)
{
    json_object_set_new(line, name, json_integer((json_int_t)count));
}

/* What all lines have; 'row' NULL: of all models. */
static json_t *add_line(json_t *lines, const struct gcal_evaluation_report *report,
                        const char *level, const struct gcal_evaluation_row *row)
{
    json_t *line = json_object();

    for (int i = 0; i < N_COLUMNS; i++)
        json_object_set_new(line, columns[i].name, json_null());
    set_text(line, "level", level);
    if (row) {
        set_text(line, "model", row->model);
        set_text(line, "form", gcal_evaluation_form(report, row->model));
    }
    set_count(line, "baseline", row && row->baseline);
    set_text(line, "device", report->targets->published->info.name);
    json_array_append_new(lines, line);
    return line;
}

/* Of a kernel, or of the variant that a set chooses. */
static void set_row(json_t *line, const struct gcal_evaluation_row *row)
{
    set_text(line, "generator", row->generator);
    set_text(line, "variant", row->variant);
    set_text(line, "sizes", row->sizes);
    set_text(line, "application", row->application);
    set_number(line, "predicted_s", row->predicted_s);
    set_number(line, "low_s", row->low_s);
    set_number(line, "high_s", row->high_s);
    set_number(line, "measured_s", row->measured_s);
    set_number(line, "spread_percent", 100 * row->spread);
}

static void add_kernel(json_t *lines, const struct gcal_evaluation_report *report,
                       const struct gcal_evaluation_row *row)
{
    json_t *line = add_line(lines, report, "kernel", row);
    bool counts = gcal_evaluation_row_is_complete(row);

    set_row(line, row);
    if (counts) {
        set_number(line, "error_percent", 100 * gcal_evaluation_row_error(row));
        set_count(line, "inside", gcal_evaluation_row_inside(row));
    }
    set_count(line, "extrapolates", row->extrapolates);
    set_number(line, "not_covered", row->not_covered);
    set_count(line, "kernels", counts);
    set_text(line, "band",
             gcal_evaluation_band_name(gcal_evaluation_band_of(row->measured_s)));
    set_count(line, "samples", row->n_samples);
    set_text(line, "status", row->status);
    set_text(line, "bound_by", row->roof);
    set_text(line, "class", row->class);
    set_number(line, "estimated", row->estimated);
    set_text(line, "detail", row->detail);
}

/* The figures of a filter, 'row' being one of its rows (NULL: of all models).  Sets are those of a
 * whole model, or of all.  A band without kernels has no line.
 */
static void add_figures(json_t *lines, const struct gcal_evaluation_report *report,
                        const char *level, const struct gcal_evaluation_row *row,
                        const struct gcal_evaluation_filter *filter)
{
    static const char *const within[GCAL_EVALUATION_N_FACTORS] = { "within_1_25",
                                                                   "within_1_5",
                                                                   "within_2" };
    struct gcal_evaluation_summary f =
        gcal_evaluation_summarize(report->evaluation, filter);
    json_t *line;

    if (filter->band && !f.n && !f.n_missing)
        return;
    line = add_line(lines, report, level, row);
    if (filter->variant) {
        set_text(line, "generator", row->generator);
        set_text(line, "variant", row->variant);
    }
    if (filter->variant || filter->application)
        set_text(line, "application", row->application);
    set_number(line, "error_percent", 100 * f.mean_error);
    set_count(line, "inside", f.n_inside);
    set_count(line, "kernels", f.n);
    if (!filter->variant && !filter->application && !filter->band) {
        struct gcal_evaluation_ordering r =
            gcal_evaluation_ordering(report->evaluation, filter->model);

        set_count(line, "sets", r.n_sets);
        set_count(line, "found", r.n_found);
        set_count(line, "ties", r.n_ties);
        set_count(line, "pairs", r.n_pairs);
        set_count(line, "ordered", r.n_ordered);
        set_number(line, "correlation", r.correlation);
    }
    set_number(line, "median_percent", 100 * f.median_error);
    set_number(line, "mape_percent", 100 * f.average_error);
    set_number(line, "factor", f.factor);
    for (int i = 0; i < GCAL_EVALUATION_N_FACTORS; i++)
        set_count(line, within[i], f.n_within[i]);
    if (f.worst) {
        set_number(line, "worst_percent", 100 * gcal_evaluation_row_error(f.worst));
        set_text(line, "worst_kernel", f.worst->kernel);
    }
    set_count(line, "not_predicted", f.n_missing);
    set_text(line, "band", gcal_evaluation_band_name(filter->band));
    set_number(line, "time_percent", 100 * f.time_error);
    set_number(line, "factor_90", f.factor_90);
    set_number(line, "width", f.width);
}

/* The bands of a row's model; of all models without a row. */
static void add_bands(json_t *lines, const struct gcal_evaluation_report *report,
                      const struct gcal_evaluation_row *row)
{
    struct gcal_evaluation_filter filter = { .model = row ? row->model : NULL };

    for (int band = GCAL_EVALUATION_BELOW_50_US; band < GCAL_EVALUATION_N_BANDS; band++) {
        filter.band = (enum gcal_evaluation_band)band;
        add_figures(lines, report, "band", row, &filter);
    }
}

/* Variants begin with the name of their application, so that the rows of each follow each other. */
json_t *gcal_evaluation_lines(const struct gcal_evaluation_report *report)
{
    const struct gcal_evaluation *e = report->evaluation;
    json_t *lines = json_array();

    for (size_t i = 0; i < e->n; i++)
        add_kernel(lines, report, &e->rows[i]);
    for (size_t i = 0; i < e->n_sets; i++) {
        const struct gcal_evaluation_row *chosen =
            &report->evaluation->rows[e->sets[i].chosen];
        json_t *line = add_line(lines, report, "set", chosen);

        /* Variant and time are those of the chosen variant. */
        set_row(line, chosen);
        set_count(line, "kernels", e->sets[i].n);
        set_count(line, "sets", 1);
        set_count(line, "found", e->sets[i].found);
        set_count(line, "ties", e->sets[i].tie);
        set_count(line, "pairs", e->sets[i].n_pairs);
        set_count(line, "ordered", e->sets[i].n_ordered);
        set_number(line, "lead_percent", 100 * e->sets[i].lead);
        set_number(line, "loss_percent", 100 * e->sets[i].loss);
        set_number(line, "correlation", e->sets[i].correlation);
    }
    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_evaluation_row *row = &e->rows[i];
        const struct gcal_evaluation_filter filter = { .model = row->model,
                                                       .variant = row->variant };

        if (gcal_evaluation_starts_model(e, i) ||
            strcmp(row[-1].variant, row->variant) != 0)
            add_figures(lines, report, "variant", row, &filter);
    }
    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_evaluation_row *row = &e->rows[i];
        const struct gcal_evaluation_filter filter = { .model = row->model,
                                                       .application = row->application };

        if (gcal_evaluation_starts_model(e, i) ||
            strcmp(row[-1].application, row->application) != 0)
            add_figures(lines, report, "application", row, &filter);
    }
    for (size_t i = 0; i < e->n; i++)
        if (gcal_evaluation_starts_model(e, i))
            add_bands(lines, report, &e->rows[i]);
    add_bands(lines, report, NULL);
    for (size_t i = 0; i < e->n; i++)
        if (gcal_evaluation_starts_model(e, i))
            add_figures(lines, report, "model", &e->rows[i],
                        &(struct gcal_evaluation_filter){ .model = e->rows[i].model });
    add_figures(lines, report, "all", NULL, &(struct gcal_evaluation_filter){ 0 });
    return lines;
}

/* ---- CSV ---- */

int gcal_evaluation_csv(const char *path, const json_t *lines, struct gcal_error *err)
{
    FILE *file = fopen(path, "we");
    bool failed;
    size_t i;
    json_t *line;

    if (!file)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %m", path);
    for (int k = 0; k < N_COLUMNS; k++)
        fprintf(file, "%s%c", columns[k].name, k + 1 < N_COLUMNS ? ',' : '\n');
    json_array_foreach(lines, i, line)
    {
        for (int k = 0; k < N_COLUMNS; k++) {
            const json_t *value = json_object_get(line, columns[k].name);
            char end = k + 1 < N_COLUMNS ? ',' : '\n';

            if (columns[k].style == QUOTED)
                gcal_csv_text(file, json_string_value(value), end);
            else if (json_is_string(value))
                fprintf(file, "%s%c", json_string_value(value), end);
            else if (json_is_null(value))
                fputc(end, file);
            else
                fprintf(file, columns[k].style == SHORT ? "%.3g%c" : "%.9g%c",
                        json_number_value(value), end);
        }
    }
    failed = ferror(file);
    if (fclose(file) == EOF || failed)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %s", path, strerror(errno));
    return 0;
}
