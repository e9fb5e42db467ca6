/* by_hand.h - counts of kernels that were counted by hand */
#ifndef TESTS_KERNELS_COUNT_BY_HAND_H
#define TESTS_KERNELS_COUNT_BY_HAND_H

#include "kernels/model/profile.h"
#include "kernels/count/count.h"

/* Fails the test, with the text of the kernel 'what', where it cannot be counted. */
struct gcal_profile *by_hand_count(const struct gcal_count_request *request,
                                   const char *what);
/* The value of a feature for sub-groups of 32, at values of the profile's sizes. */
double by_hand_value(const struct gcal_profile *p, const char *feature,
                     const double *sizes);

#endif
