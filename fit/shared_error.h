/* shared_error.h - an error that all times of a device share
 *
 * A device whose clock wanders, or that others use now and then, takes more or less time for all
 * kernels alike, for some launches.  Samples of these launches are not independent: neither
 * of one kernel, nor of several that were timed next to each other.  Their mean is off by more than their
 * scatter tells, for all kernels together, and no further kernel helps.
 */
#ifndef GCAL_FIT_SHARED_ERROR_H
#define GCAL_FIT_SHARED_ERROR_H

#include <stddef.h>

struct gcal_fit_visit;

/* The relative standard error of all times, from the order of the visits; 0: none that
 * matters.
 */
double gcal_fit_shared_error(const struct gcal_fit_visit *visits, size_t n);

#endif
