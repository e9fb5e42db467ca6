/* ratio.c - how much two predicted times differ, and how surely */
#include "store/predict/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/error.h"
#include "calib/model/model.h"
#include "store/params/params.h"
#include "store/predict/private.h"
#include "store/predict/rivals.h"

/* A prediction, and what its error is made of. */
struct side {
    const struct gcal_predictor *predictor;
    struct gcal_prediction prediction;
    double gradient[GCAL_PREDICTOR_MAX_PARAMETERS]; /* of log(time) by parameter */
    double image[GCAL_PREDICTOR_MAX_PARAMETERS];    /* R'g: its square is the variance */
};

/* R'g of the root R and the gradient g. */
static void map_gradient(struct side *s)
{
    const struct gcal_predictor_model *m = s->predictor->shared;

    memset(s->image, 0, m->n_columns * sizeof(*s->image));
    for (size_t i = 0; i < m->model->n_parameters; i++)
        for (size_t k = 0; k < m->n_row[i]; k++)
            s->image[k] += s->gradient[i] * m->root[i * m->n_columns + k];
}

static int predict(struct side *s, const struct gcal_predictor *predictor,
                   const double *sizes, struct gcal_error *err)
{
    s->predictor = predictor;
    if (gcal_predictor_eval(predictor, sizes, &s->prediction, s->gradient, err) < 0)
        return -1;
    map_gradient(s);
    return 0;
}

/* Whether both have the same fit, also where the device was opened twice, or another device of
 * the type: then the parameters' errors are the same.
 */
static bool share_parameters(const struct gcal_predictor_model *a,
                             const struct gcal_predictor_model *b)
{
    size_t n = a->model->n_parameters;

    return a == b || (strcmp(a->model->name, b->model->name) == 0 &&
                      n == b->model->n_parameters && a->n_columns == b->n_columns &&
                      memcmp(a->value, b->value, n * sizeof(double)) == 0 &&
                      memcmp(a->root, b->root, n * a->n_columns * sizeof(double)) == 0);
}

/* Of two devices, also of one type, the factors differ. */
static bool share_factor(const struct gcal_predictor *a, const struct gcal_predictor *b)
{
    return a->shared == b->shared ||
           (share_parameters(a->shared, b->shared) && a->factor == b->factor &&
            a->factor_error == b->factor_error);
}

static double square(double x)
{
    return x * x;
}

/* Of the logarithms of both times, due to the parameters. */
static double parameter_covariance(const struct side *a, const struct side *b)
{
    size_t n = a->predictor->shared->n_columns;
    double sum = 0;

    if (!share_parameters(a->predictor->shared, b->predictor->shared))
        return 0;
    for (size_t k = 0; k < n; k++)
        sum += a->image[k] * b->image[k];
    return sum;
}

static double parameter_variance(const struct side *a, const struct side *b)
{
    return fmax(0, parameter_covariance(a, a) + parameter_covariance(b, b) -
                       2 * parameter_covariance(a, b));
}

static double factor_variance(const struct side *a, const struct side *b)
{
    return share_factor(a->predictor, b->predictor)
               ? 0
               : square(a->predictor->factor_error) + square(b->predictor->factor_error);
}

/* Of the logarithm of one time, as its interval has it. */
static double own_variance(const struct side *s)
{
    return square(s->prediction.standard_error_s / s->prediction.time_s);
}

/* As in the upper end of an interval: work without a cost may take so many times the rest. */
static double allowance(const struct gcal_prediction *p)
{
    return 1 + GCAL_PREDICTOR_COST_RATIO * p->not_covered / (1 - p->not_covered);
}

static bool is_covered(const struct side *s)
{
    return s->prediction.not_covered <= GCAL_PREDICTOR_COVERED;
}

static double probability_below_0(double mean, double deviation)
{
    if (deviation > 0)
        return 0.5 * erfc(mean / deviation * M_SQRT1_2);
    return mean < 0 ? 1 : mean > 0 ? 0 : 0.5;
}

static struct gcal_ratio compare(const struct side *a, const struct side *b)
{
    double misfits = square(a->prediction.misfit) + square(b->prediction.misfit);
    double variance = fmax(misfits, parameter_variance(a, b)) + factor_variance(a, b);
    double of_a = own_variance(a), of_b = own_variance(b);
    double ratio = a->prediction.time_s / b->prediction.time_s;
    double width = GCAL_PARAMS_NORMAL_90 * sqrt(variance);

    return (struct gcal_ratio){
        .ratio = ratio,
        .deviation = sqrt(variance),
        .correlation =
            of_a > 0 && of_b > 0
                ? fmin(1, fmax(-1, (of_a + of_b - variance) / (2 * sqrt(of_a * of_b))))
                : 0,
        .low = ratio * exp(-width) / allowance(&b->prediction),
        .high = ratio * exp(width) * allowance(&a->prediction),
        .faster = is_covered(a) && is_covered(b)
                      ? probability_below_0(log(ratio), sqrt(variance))
                      : NAN,
    };
}

int gcal_ratio_predict(const struct gcal_predictor *a, const double *a_sizes,
                       const struct gcal_predictor *b, const double *b_sizes,
                       struct gcal_ratio *ratio, struct gcal_error *err)
{
    struct side x, y;

    if (predict(&x, a, a_sizes, err) < 0 || predict(&y, b, b_sizes, err) < 0)
        return -1;
    *ratio = compare(&x, &y);
    return 0;
}

/* ---- the fastest of several ---- */

/* Sides that may be faster than the first, and what rivals.h takes of them. */
struct field {
    size_t n, capacity;
    struct side *sides;
    double *numbers; /* of 'rivals' */
    struct gcal_rivals rivals;
};

/* Chances below this do not count. */
#define LEAST_CHANCE 1e-7

static int add_side(struct field *f, const struct side *side, struct gcal_error *err)
{
    struct side *moved;

    if (f->n > GCAL_RATIO_MAX_RIVALS)
        return gcal_error_set(err, GCAL_EINPUT,
                              "more than %d variants may be the fastest: compare fewer",
                              GCAL_RATIO_MAX_RIVALS);
    moved = gcal_array_grow(f->sides, f->n, &f->capacity, sizeof(*moved), err);
    if (!moved)
        return -1;
    f->sides = moved;
    moved[f->n++] = *side;
    return 0;
}

/* Those that have a chance against the first. */
static int add_rivals(struct field *f, const struct gcal_ratio_launch *launches, size_t n,
                      size_t which, struct gcal_error *err)
{
    struct side side;

    for (size_t i = 0; i < n; i++)
        if (i != which &&
            predict(&side, launches[i].predictor, launches[i].sizes, NULL) == 0 &&
            is_covered(&side) && compare(&side, &f->sides[0]).faster > LEAST_CHANCE &&
            add_side(f, &side, err) < 0)
            return -1;
    return 0;
}

static int fill_rivals(struct field *f, struct gcal_error *err)
{
    size_t n = f->n;
    double *log_time = f->numbers = calloc(2 * n * (n + 1), sizeof(*log_time));
    double *misfit = log_time + n, *covariance = misfit + n, *device = covariance + n * n;

    if (!log_time)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        const struct side *a = &f->sides[i];

        log_time[i] = log(a->prediction.time_s);
        misfit[i] = a->prediction.misfit;
        for (size_t k = 0; k < n; k++) {
            const struct side *b = &f->sides[k];

            covariance[i * n + k] = parameter_covariance(a, b);
            device[i * n + k] = share_factor(a->predictor, b->predictor)
                                    ? square(a->predictor->factor_error)
                                    : 0;
        }
    }
    f->rivals = (struct gcal_rivals){ n, log_time, covariance, misfit, device };
    return 0;
}

int gcal_ratio_fastest(const struct gcal_ratio_launch *launches, size_t n, size_t which,
                       double *probability, struct gcal_error *err)
{
    struct field f = { 0 };
    struct side own;
    int rc = predict(&own, launches[which].predictor, launches[which].sizes, err);

    if (rc == 0 && !is_covered(&own)) {
        *probability = NAN;
        return 0;
    }
    if (rc == 0 &&
        (add_side(&f, &own, err) < 0 || add_rivals(&f, launches, n, which, err) < 0 ||
         fill_rivals(&f, err) < 0 ||
         gcal_rivals_fastest(&f.rivals, 0, probability, err) < 0))
        rc = -1;
    free(f.sides);
    free(f.numbers);
    return rc;
}
