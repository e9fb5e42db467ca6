/* rank_correlation.h - whether two series of numbers are in the same order */
#ifndef GCAL_FIT_RANK_CORRELATION_H
#define GCAL_FIT_RANK_CORRELATION_H

#include <stddef.h>

/* The correlation of the ranks of a[i] and b[i] (Spearman 1904), from -1, the opposite
 * order, to 1, the same.  Equal numbers have the mean of their ranks.  0 if all of one
 * series are equal, or n < 2.
 */
double gcal_fit_rank_correlation(size_t n, const double *a, const double *b);

#endif
