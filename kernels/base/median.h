/* median.h - the median of numbers, and their lower quartile */
#ifndef GCAL_KERNELS_BASE_MEDIAN_H
#define GCAL_KERNELS_BASE_MEDIAN_H

#include <stddef.h>

/* Sorts 'values'.  NaN for n = 0. */
double gcal_median(double *values, size_t n);
/* Sorts 'values'.  NaN for n = 0.  For times: what disturbs them makes them longer, and the very least
 * is luck.
 */
double gcal_lower_quartile(double *values, size_t n);
/* 'values' are in ascending order. */
double gcal_median_of_sorted(const double *values, size_t n);

#endif
