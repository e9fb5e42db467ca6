/* median.c - the median of numbers, and their lower quartile */
#include "kernels/base/median.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double gcal_median_of_sorted(const double *values, size_t n)
{
    if (!n)
        return NAN;
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

double gcal_median(double *values, size_t n)
{
    if (n)
        qsort(values, n, sizeof(*values), compare);
    return gcal_median_of_sorted(values, n);
}

double gcal_lower_quartile(double *values, size_t n)
{
    gcal_median(values, n);
    return n ? values[n / 4] : NAN;
}
