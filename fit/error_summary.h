/* error_summary.h - how far predictions are from measured times
 *
 * The error of a prediction is |predicted / measured - 1|.
 */
#ifndef GCAL_FIT_ERROR_SUMMARY_H
#define GCAL_FIT_ERROR_SUMMARY_H

#include <stddef.h>

/* Geometric mean and maximum of errors, added one by one; starts zeroed. */
struct gcal_fit_mean_error {
    size_t n;
    double sum_log, worst;
};

void gcal_fit_mean_error_add(struct gcal_fit_mean_error *mean, double predicted_s,
                             double time_s);
/* The geometric mean, and the largest error; NaN without errors.  An error counts as at
 * least 1e-16 in the mean: one exact prediction must not make it 0.
 */
double gcal_fit_mean_error(const struct gcal_fit_mean_error *mean);
double gcal_fit_worst_error(const struct gcal_fit_mean_error *mean);

/* Errors of n predictions; NaN without predictions. */
struct gcal_fit_error_summary {
    size_t n;
    double rms;        /* root mean square of log(predicted / measured), limited to 0.5 */
    double mean_log;   /* mean of |log(predicted / measured)|, limited to 0.5: forms are
                          compared by it */
    double mean_error; /* geometric mean of the errors */
    double error_90;   /* 90 % bound: the error of another prediction is at most this with
                          a probability of 90 % */
    double absolute_90_s; /* the same of |predicted - measured| */
};

/* Over the predictions that are not NaN; 'time_s' and 'predicted_s': 'count' each.
 *
 * The limit of 0.5 (39 % below to 65 % above): a form may miss a kernel by far that has
 * work without a cost in any form, and the difference between forms must still show.
 *
 * The 90 % bound is the k-th smallest of n errors, k = ceil(0.9 (n + 1)), or the largest
 * if k > n: if another error has the same distribution, each of the n + 1 positions
 * among the n errors is equally likely for it, so it is at most the k-th smallest with
 * probability k / (n + 1).  (The quantile of the sample itself, k = ceil(0.9 n), would be
 * too small for few errors.)
 */
struct gcal_fit_error_summary
gcal_fit_summarize_errors(size_t count, const double *time_s, const double *predicted_s);

/* What the largest of n normal errors is multiplied by to bound another one with a
 * probability of 90 %: from 6.3 for one error to 1.04 for eight; 1 from nine on, or for
 * none.  Found by simulation.
 */
double gcal_fit_small_sample_factor(size_t n);

#endif
