/* evaluation.c - errors, intervals and orders of predicted and measured times */
#include "mpi/commands/predict/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/median.h"
#include "fit/error_summary.h"
#include "fit/rank_correlation.h"

/* ---- rows ---- */

struct gcal_evaluation_row *gcal_evaluation_add(struct gcal_evaluation *e)
{
    struct gcal_evaluation_row *row;

    e->rows = gcal_arena_grow(e->arena, e->rows, e->n, &e->capacity, sizeof(*e->rows));
    row = &e->rows[e->n++];
    row->predicted_s = row->low_s = row->high_s = row->measured_s = row->spread = NAN;
    return row;
}

/* Numbers in names are compared as such: n:512 comes before n:1024. */
static int compare_names(const void *a, const void *b)
{
    const struct gcal_evaluation_row *x = a, *y = b;
    int order = x->baseline - y->baseline;

    if (!order)
        order = strcmp(x->model, y->model);
    if (!order)
        order = strverscmp(x->variant, y->variant);
    return order ? order : strverscmp(x->sizes, y->sizes);
}

void gcal_evaluation_sort(struct gcal_evaluation *e)
{
    if (e->n)
        qsort(e->rows, e->n, sizeof(*e->rows), compare_names);
}

bool gcal_evaluation_row_is_complete(const struct gcal_evaluation_row *row)
{
    return row->measured_s > 0 && row->predicted_s >= 0;
}

double gcal_evaluation_row_error(const struct gcal_evaluation_row *row)
{
    return row->predicted_s / row->measured_s - 1;
}

bool gcal_evaluation_row_inside(const struct gcal_evaluation_row *row)
{
    return row->low_s <= row->measured_s && row->measured_s <= row->high_s;
}

bool gcal_evaluation_starts_model(const struct gcal_evaluation *e, size_t i)
{
    return !i || strcmp(e->rows[i - 1].model, e->rows[i].model) != 0;
}

/* ---- sets ---- */

static bool same_set(const struct gcal_evaluation_row *a,
                     const struct gcal_evaluation_row *b)
{
    return strcmp(a->model, b->model) == 0 && strcmp(a->sizes, b->sizes) == 0 &&
           (!a->general || strcmp(a->application, b->application) == 0);
}

/* Row 'i' is the first of its set. */
static bool leads_set(const struct gcal_evaluation *e, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (gcal_evaluation_row_is_complete(&e->rows[k]) &&
            same_set(&e->rows[k], &e->rows[i]))
            return false;
    return gcal_evaluation_row_is_complete(&e->rows[i]);
}

/* Returns whether a pair's order is known from the measured times, and predicted. */
static void compare_pair(const struct gcal_evaluation_row *a,
                         const struct gcal_evaluation_row *b,
                         struct gcal_evaluation_set *s)
{
    const struct gcal_evaluation_row *fast = a->measured_s < b->measured_s ? a : b,
                                     *slow = fast == a ? b : a;

    if (slow->measured_s / fast->measured_s - 1 < GCAL_EVALUATION_TIE)
        return;
    s->n_pairs++;
    s->n_ordered += fast->predicted_s < slow->predicted_s;
}

static void compare_set(const struct gcal_evaluation *e, size_t first,
                        struct gcal_evaluation_set *s)
{
    const struct gcal_evaluation_row *rows = e->rows;
    double second_s = INFINITY;

    *s = (struct gcal_evaluation_set){ .model = rows[first].model,
                                       .sizes = rows[first].sizes,
                                       .baseline = rows[first].baseline,
                                       .fastest = first,
                                       .chosen = first };
    for (size_t i = first; i < e->n; i++) {
        if (!gcal_evaluation_row_is_complete(&rows[i]) ||
            !same_set(&rows[i], &rows[first]))
            continue;
        s->n++;
        if (rows[i].predicted_s < rows[s->chosen].predicted_s)
            s->chosen = i;
        for (size_t k = first; k < i; k++)
            if (gcal_evaluation_row_is_complete(&rows[k]) &&
                same_set(&rows[k], &rows[first]))
                compare_pair(&rows[k], &rows[i], s);
        if (rows[i].measured_s < rows[s->fastest].measured_s) {
            second_s = rows[s->fastest].measured_s;
            s->fastest = i;
        } else if (i != first)
            second_s = fmin(second_s, rows[i].measured_s);
    }
    s->lead = second_s / rows[s->fastest].measured_s - 1;
    s->loss = rows[s->chosen].measured_s / rows[s->fastest].measured_s - 1;
    s->tie = s->lead < GCAL_EVALUATION_TIE;
    s->found = s->loss < GCAL_EVALUATION_TIE;
}

void gcal_evaluation_find_sets(struct gcal_evaluation *e)
{
    e->sets = gcal_arena_alloc(e->arena, e->n + 1, sizeof(*e->sets));
    e->n_sets = 0;
    for (size_t i = 0; i < e->n; i++) {
        struct gcal_evaluation_set *s = &e->sets[e->n_sets];
        double *predicted_s, *measured_s;
        size_t n = 0;

        if (!leads_set(e, i))
            continue;
        compare_set(e, i, s);
        if (s->n < 2)
            continue;
        predicted_s = gcal_arena_alloc(e->arena, s->n, sizeof(double));
        measured_s = gcal_arena_alloc(e->arena, s->n, sizeof(double));
        for (size_t j = i; j < e->n && n < s->n; j++)
            if (gcal_evaluation_row_is_complete(&e->rows[j]) &&
                same_set(&e->rows[j], &e->rows[i])) {
                predicted_s[n] = e->rows[j].predicted_s;
                measured_s[n++] = e->rows[j].measured_s;
            }
        s->correlation = gcal_fit_rank_correlation(n, predicted_s, measured_s);
        e->n_sets++;
    }
}

struct gcal_evaluation_ordering gcal_evaluation_ordering(const struct gcal_evaluation *e,
                                                         const char *model)
{
    const struct gcal_evaluation_set *sets = e->sets;
    struct gcal_evaluation_ordering r = { 0 };
    double sum = 0;

    for (size_t i = 0; i < e->n_sets; i++) {
        if (model ? strcmp(model, sets[i].model) != 0 : sets[i].baseline)
            continue;
        r.n_sets++;
        r.n_found += sets[i].found;
        r.n_ties += sets[i].tie;
        r.n_pairs += sets[i].n_pairs;
        r.n_ordered += sets[i].n_ordered;
        sum += sets[i].correlation;
    }
    r.correlation = r.n_sets ? sum / (double)r.n_sets : NAN;
    return r;
}

/* ---- figures of several rows ---- */

const double gcal_evaluation_factors[GCAL_EVALUATION_N_FACTORS] = { 1.25, 1.5, 2 };

static const struct {
    double from_s;
    const char *name;
} bands[GCAL_EVALUATION_N_BANDS] = {
    [GCAL_EVALUATION_ALL_TIMES] = { 0, "" },
    [GCAL_EVALUATION_BELOW_50_US] = { 0, "below_50_us" },
    [GCAL_EVALUATION_50_US_TO_1_MS] = { 50e-6, "50_us_to_1_ms" },
    [GCAL_EVALUATION_ABOVE_1_MS] = { 1e-3, "above_1_ms" },
};

enum gcal_evaluation_band gcal_evaluation_band_of(double measured_s)
{
    enum gcal_evaluation_band band = GCAL_EVALUATION_N_BANDS - 1;

    if (isnan(measured_s))
        return GCAL_EVALUATION_ALL_TIMES;
    while (band > GCAL_EVALUATION_BELOW_50_US && measured_s < bands[band].from_s)
        band--;
    return band;
}

const char *gcal_evaluation_band_name(enum gcal_evaluation_band band)
{
    return bands[band].name;
}

struct gcal_evaluation_summary
gcal_evaluation_summarize(const struct gcal_evaluation *e,
                          const struct gcal_evaluation_filter *filter)
{
    double *errors = gcal_arena_alloc(e->arena, e->n + 1, sizeof(double));
    double *logs = gcal_arena_alloc(e->arena, e->n + 1, sizeof(double));
    double *widths = gcal_arena_alloc(e->arena, e->n + 1, sizeof(double));
    double sum = 0, sum_log = 0, sum_off_s = 0, sum_measured_s = 0, n;
    struct gcal_evaluation_summary f = { 0 };
    struct gcal_fit_mean_error mean = { 0 };

    for (size_t i = 0; i < e->n; i++) {
        const struct gcal_evaluation_row *row = &e->rows[i];
        bool complete = gcal_evaluation_row_is_complete(row);

        if (!((filter->model ? strcmp(filter->model, row->model) == 0 : !row->baseline) &&
              (!filter->variant || strcmp(filter->variant, row->variant) == 0) &&
              (!filter->application ||
               strcmp(filter->application, row->application) == 0) &&
              (filter->band == GCAL_EVALUATION_ALL_TIMES ||
               filter->band == gcal_evaluation_band_of(row->measured_s))))
            continue;
        f.n_missing += row->measured_s > 0 && !complete;
        if (!complete)
            continue;
        gcal_fit_mean_error_add(&mean, row->predicted_s, row->measured_s);
        errors[f.n] = fabs(gcal_evaluation_row_error(row));
        logs[f.n] = fabs(log(row->predicted_s / row->measured_s));
        widths[f.n] = row->high_s / row->low_s;
        sum += errors[f.n];
        sum_log += logs[f.n];
        sum_off_s += fabs(row->predicted_s - row->measured_s);
        sum_measured_s += row->measured_s;
        if (!f.worst || logs[f.n] > fabs(log(f.worst->predicted_s / f.worst->measured_s)))
            f.worst = row;
        f.n_inside += gcal_evaluation_row_inside(row);
        for (int k = 0; k < GCAL_EVALUATION_N_FACTORS; k++)
            f.n_within[k] += logs[f.n] <= log(gcal_evaluation_factors[k]);
        f.n++;
    }
    n = (double)f.n;
    f.mean_error = gcal_fit_mean_error(&mean);
    f.worst_error = gcal_fit_worst_error(&mean);
    f.median_error = gcal_median(errors, f.n);
    f.width = gcal_median(widths, f.n);
    gcal_median(logs, f.n); /* which sorts them */
    f.average_error = f.n ? sum / n : NAN;
    f.time_error = f.n ? sum_off_s / sum_measured_s : NAN;
    f.factor = f.n ? exp(sum_log / n) : NAN;
    f.factor_90 = f.n ? exp(logs[(size_t)ceil(0.9 * n) - 1]) : NAN;
    return f;
}
