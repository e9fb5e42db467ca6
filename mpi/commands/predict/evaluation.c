/* evaluation.c - errors, intervals and orders of predicted and measured times */
#include "mpi/commands/predict/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "fit/rank_correlation.h"

/* ---- rows ---- */

struct gcal_evaluation_row *gcal_evaluation_add(struct gcal_evaluation *e,
                                                struct gcal_error *err)
{
    struct gcal_evaluation_row *grown =
        gcal_array_grow(e->rows, e->n, &e->capacity, sizeof(*grown), err);

    if (!grown)
        return NULL;
    e->rows = grown;
    grown[e->n] = (struct gcal_evaluation_row){
        .predicted_s = NAN, .low_s = NAN, .high_s = NAN, .measured_s = NAN, .spread = NAN
    };
    return &grown[e->n++];
}

/* Numbers in names are compared as such: n:512 comes before n:1024. */
static int by_name(const void *a, const void *b)
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
        qsort(e->rows, e->n, sizeof(*e->rows), by_name);
}

void gcal_evaluation_clear(struct gcal_evaluation *e)
{
    for (size_t i = 0; i < e->n; i++) {
        struct gcal_evaluation_row *row = &e->rows[i];

        free(row->model);
        free(row->kernel);
        free(row->generator);
        free(row->application);
        free(row->variant);
        free(row->sizes);
        free(row->detail);
        free(row->roof);
        free(row->class);
    }
    free(e->rows);
    *e = (struct gcal_evaluation){ 0 };
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

/* Whether a pair's order is known from the measured times, and predicted. */
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

/* 'times': room for two of each row of the evaluation. */
static int correlate_set(const struct gcal_evaluation *e, size_t first,
                         struct gcal_evaluation_set *s, double *times,
                         struct gcal_error *err)
{
    double *predicted_s = times, *measured_s = times + s->n;
    size_t n = 0;

    for (size_t i = first; i < e->n && n < s->n; i++)
        if (gcal_evaluation_row_is_complete(&e->rows[i]) &&
            same_set(&e->rows[i], &e->rows[first])) {
            predicted_s[n] = e->rows[i].predicted_s;
            measured_s[n++] = e->rows[i].measured_s;
        }
    return gcal_fit_rank_correlation(n, predicted_s, measured_s, &s->correlation, err);
}

int gcal_evaluation_sets(const struct gcal_evaluation *e,
                         struct gcal_evaluation_set **sets, size_t *n_sets,
                         struct gcal_error *err)
{
    struct gcal_evaluation_set *made = calloc(e->n + 1, sizeof(*made));
    double *times = calloc(2 * e->n + 1, sizeof(*times));
    int rc = made && times ? 0 : gcal_error_memory(err);
    size_t n = 0;

    for (size_t i = 0; i < e->n && rc == 0; i++) {
        if (!leads_set(e, i))
            continue;
        compare_set(e, i, &made[n]);
        if (made[n].n > 1)
            rc = correlate_set(e, i, &made[n++], times, err);
    }
    free(times);
    if (rc < 0) {
        free(made);
        return -1;
    }
    *sets = made;
    *n_sets = n;
    return 0;
}

struct gcal_evaluation_ordering
gcal_evaluation_ordering(const struct gcal_evaluation_set *sets, size_t n_sets,
                         const char *model)
{
    struct gcal_evaluation_ordering r = { 0 };
    double sum = 0;

    for (size_t i = 0; i < n_sets; i++) {
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
