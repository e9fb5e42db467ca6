/* interval.c - the factor from a standard error to an interval */
#include <gsl/gsl_cdf.h>

#include "fit/private.h"

double gcal_fit_interval_factor(double level, size_t freedom)
{
    double tail = (1 - level) / 2;

    gcal_fit_quiet_gsl();
    return freedom ? gsl_cdf_tdist_Qinv(tail, (double)freedom)
                   : gsl_cdf_ugaussian_Qinv(tail);
}
