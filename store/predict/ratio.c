/* ratio.c - how much two predicted times differ, and how surely */
#include "store/predict/ratio.h"

#include <math.h>
#include <string.h>

#include "calib/model/model.h"
#include "store/params/params.h"
#include "store/predict/private.h"

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

/* Of log(time of a) - log(time of b), due to the parameters. */
static double parameter_variance(const struct side *a, const struct side *b)
{
    bool shared = share_parameters(a->predictor->shared, b->predictor->shared);
    size_t n = a->predictor->shared->n_columns, m = b->predictor->shared->n_columns;
    double sum = 0;

    for (size_t k = 0; k < n; k++)
        sum += square(a->image[k] - (shared ? b->image[k] : 0));
    for (size_t k = 0; k < m && !shared; k++)
        sum += square(b->image[k]);
    return sum;
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
