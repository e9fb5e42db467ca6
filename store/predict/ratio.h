/* ratio.h - how much two predicted times differ, and how surely
 *
 * The errors of the logarithms of two times are those of the parameters, which predictions by
 * the same model share, each kernel's misfit, and each device's factor.  As for one
 * prediction, the misfits include errors of parameters: of the variance due to parameters
 * and that of the two misfits, the larger counts.  The error of a device's factor is common
 * to its predictions, and cancels.
 */
#ifndef GCAL_STORE_PREDICT_RATIO_H
#define GCAL_STORE_PREDICT_RATIO_H

#include <stddef.h>

struct gcal_error;
struct gcal_prediction;
struct gcal_predictor;

struct gcal_ratio {
    double ratio;       /* of the times of a and b */
    double deviation;   /* standard deviation of its logarithm */
    double correlation; /* of the errors of the two logarithms, -1 to 1 */
    double low, high;   /* 90 % interval, wider if some work is not covered */
    double
        faster; /* probability that a takes less time than b; NaN: one is not covered */
};

/* A prediction, as others are compared with it; its predictor may go.  'prediction' gets it.  NULL
 * with 'err' if there is none.
 */
struct gcal_ratio_side;
struct gcal_ratio_side *gcal_ratio_side_create(const struct gcal_predictor *predictor,
                                               const double *sizes,
                                               struct gcal_prediction *prediction,
                                               struct gcal_error *err);
void gcal_ratio_side_destroy(struct gcal_ratio_side *side); /* NULL is allowed */

struct gcal_ratio gcal_ratio_of(const struct gcal_ratio_side *a,
                                const struct gcal_ratio_side *b);

/* The same of two predictors; allocates nothing.  'sizes': as for gcal_predictor_eval().  -1 where
 * one of the two is not predicted.
 */
int gcal_ratio_predict(const struct gcal_predictor *a, const double *a_sizes,
                       const struct gcal_predictor *b, const double *b_sizes,
                       struct gcal_ratio *ratio, struct gcal_error *err);

/* The most that may be faster than one; for so many, it takes seconds. */
#define GCAL_RATIO_MAX_RIVALS 1000

/* The probability that 'which' of n takes less time than all others (rivals.h), accurate to 0.002;
 * NaN: it is not covered.  Others that are not covered, or NULL, do not count.
 */
int gcal_ratio_fastest(const struct gcal_ratio_side *const *sides, size_t n, size_t which,
                       double *probability, struct gcal_error *err);

#endif
