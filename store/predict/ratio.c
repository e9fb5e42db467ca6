/* ratio.c - how much two predicted times differ, and how surely */
#include "store/predict/ratio.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "store/params/params.h"
#include "store/predict/private.h"
#include "store/predict/rivals.h"

/* What the error of a prediction is made of. */
struct gcal_ratio_side {
    struct gcal_predictor_model *model;
    double factor, factor_error;
    double time_s, standard_error_s, misfit, not_covered, lack;
    double *
        image; /* R'g of the covariance's root R and the gradient g of log(time): its square
                      is the variance due to parameters */
};

/* ---- one prediction ---- */

/* 's' has room for its image. */
static int predict(struct gcal_ratio_side *s, const struct gcal_predictor *from,
                   const double *sizes, struct gcal_prediction *p, struct gcal_error *err)
{
    double gradient[GCAL_PREDICTOR_MAX_PARAMETERS];
    const struct gcal_predictor_model *m;

    if (gcal_predictor_eval(from, sizes, p, gradient, err) < 0)
        return -1;
    s->model = from->shared;
    s->factor = from->factor;
    s->factor_error = from->factor_error;
    s->time_s = p->time_s;
    s->standard_error_s = p->standard_error_s;
    s->misfit = p->misfit;
    s->not_covered = p->not_covered;
    s->lack = p->lack;
    m = s->model;
    memset(s->image, 0, m->n_columns * sizeof(*s->image));
    for (size_t i = 0; i < m->model->n_parameters; i++)
        for (size_t k = 0; k < m->n_row[i]; k++)
            s->image[k] += gradient[i] * m->root[i * m->n_columns + k];
    return 0;
}

struct gcal_ratio_side *gcal_ratio_side_create(const struct gcal_predictor *predictor,
                                               const double *sizes,
                                               struct gcal_prediction *prediction,
                                               struct gcal_error *err)
{
    struct gcal_ratio_side *s =
        calloc(1, sizeof(*s) + predictor->shared->n_columns * sizeof(*s->image));

    if (!s) {
        gcal_error_memory(err);
        return NULL;
    }
    s->image = (double *)(s + 1);
    if (predict(s, predictor, sizes, prediction, err) < 0) {
        free(s);
        return NULL;
    }
    gcal_predictor_model_hold(s->model);
    return s;
}

void gcal_ratio_side_destroy(struct gcal_ratio_side *s)
{
    if (!s)
        return;
    gcal_predictor_model_release(s->model);
    free(s);
}

/* ---- two of them ---- */

static double square(double x)
{
    return x * x;
}

/* Of the logarithms of both times, due to the parameters. */
static double parameter_covariance(const struct gcal_ratio_side *a,
                                   const struct gcal_ratio_side *b)
{
    double sum = 0;

    if (!gcal_predictor_model_is_same(a->model, b->model))
        return 0;
    for (size_t k = 0; k < a->model->n_columns; k++)
        sum += a->image[k] * b->image[k];
    return sum;
}

/* What rivals.h takes of n sides, in 2 n (n + 1) numbers. */
static struct gcal_rivals rivals_of(const struct gcal_ratio_side *const *sides, size_t n,
                                    double *numbers)
{
    double *log_time = numbers, *misfit = log_time + n, *covariance = misfit + n,
           *device = covariance + n * n;

    for (size_t i = 0; i < n; i++) {
        const struct gcal_ratio_side *a = sides[i];

        log_time[i] = log(a->time_s);
        misfit[i] = a->misfit;
        for (size_t k = 0; k < n; k++) {
            covariance[i * n + k] = parameter_covariance(a, sides[k]);
            /* Of two devices, also of one type, the factors differ. */
            device[i * n + k] =
                a->model == sides[k]->model ||
                        (gcal_predictor_model_is_same(a->model, sides[k]->model) &&
                         a->factor == sides[k]->factor &&
                         a->factor_error == sides[k]->factor_error)
                    ? square(a->factor_error)
                    : 0;
        }
    }
    return (struct gcal_rivals){ n, log_time, covariance, misfit, device };
}

/* Of the logarithm of one time, as its interval has it. */
static double own_variance(const struct gcal_ratio_side *s)
{
    return square(s->standard_error_s / s->time_s);
}

/* As in the ends of an interval: work without a cost may take so many times the rest. */
static double allowance(double share)
{
    return 1 + GCAL_PREDICTOR_COST_RATIO * share / (1 - share);
}

static bool is_covered(const struct gcal_ratio_side *s)
{
    return s->not_covered <= GCAL_PREDICTOR_COVERED;
}

struct gcal_ratio gcal_ratio_of(const struct gcal_ratio_side *a,
                                const struct gcal_ratio_side *b)
{
    double numbers[2 * 2 * (2 + 1)];
    const struct gcal_rivals pair =
        rivals_of((const struct gcal_ratio_side *[]){ a, b }, 2, numbers);
    double variance = gcal_rivals_variance(&pair, 0, 1);
    double of_a = own_variance(a), of_b = own_variance(b);
    double ratio = a->time_s / b->time_s;
    double width = GCAL_PARAMS_NORMAL_90 * sqrt(variance);

    return (struct gcal_ratio){
        .ratio = ratio,
        .deviation = sqrt(variance),
        .correlation =
            of_a > 0 && of_b > 0
                ? fmin(1, fmax(-1, (of_a + of_b - variance) / (2 * sqrt(of_a * of_b))))
                : 0,
        .low = ratio * exp(-width) / (allowance(b->not_covered) * allowance(a->lack)),
        .high = ratio * exp(width) * allowance(a->not_covered) * allowance(b->lack),
        .faster = is_covered(a) && is_covered(b) ? gcal_rivals_faster(&pair, 0, 1) : NAN,
    };
}

int gcal_ratio_predict(const struct gcal_predictor *a, const double *a_sizes,
                       const struct gcal_predictor *b, const double *b_sizes,
                       struct gcal_ratio *ratio, struct gcal_error *err)
{
    double images[2][GCAL_PREDICTOR_MAX_PARAMETERS];
    struct gcal_ratio_side x = { .image = images[0] }, y = { .image = images[1] };
    struct gcal_prediction p;

    if (predict(&x, a, a_sizes, &p, err) < 0 || predict(&y, b, b_sizes, &p, err) < 0)
        return -1;
    *ratio = gcal_ratio_of(&x, &y);
    return 0;
}

/* ---- the fastest of several ---- */

/* Chances below this do not count. */
#define LEAST_CHANCE 1e-7

/* Of 'which' and of those that have a chance against it, the number. */
static size_t find_rivals(const struct gcal_ratio_side *const *sides, size_t n,
                          size_t which, const struct gcal_ratio_side **rivals)
{
    size_t n_rivals = 0;

    rivals[n_rivals++] = sides[which];
    for (size_t i = 0; i < n; i++)
        if (i != which && sides[i] && is_covered(sides[i]) &&
            gcal_ratio_of(sides[i], sides[which]).faster > LEAST_CHANCE)
            rivals[n_rivals++] = sides[i];
    return n_rivals;
}

static int integrate(const struct gcal_ratio_side *const *rivals, size_t n,
                     double *probability, struct gcal_error *err)
{
    struct gcal_rivals all;
    double *numbers;
    int rc;

    if (n > GCAL_RATIO_MAX_RIVALS + 1)
        return gcal_error_set(err, GCAL_EINPUT,
                              "more than %d variants may be the fastest: compare fewer",
                              GCAL_RATIO_MAX_RIVALS);
    if (!(numbers = calloc(2 * n * (n + 1), sizeof(*numbers))))
        return gcal_error_memory(err);
    all = rivals_of(rivals, n, numbers);
    rc = gcal_rivals_fastest(&all, 0, probability, err);
    free(numbers);
    return rc;
}

int gcal_ratio_fastest(const struct gcal_ratio_side *const *sides, size_t n, size_t which,
                       double *probability, struct gcal_error *err)
{
    const struct gcal_ratio_side **rivals;
    int rc;

    if (!is_covered(sides[which])) {
        *probability = NAN;
        return 0;
    }
    if (!(rivals = calloc(n, sizeof(*rivals))))
        return gcal_error_memory(err);
    rc = integrate(rivals, find_rivals(sides, n, which, rivals), probability, err);
    free(rivals);
    return rc;
}
