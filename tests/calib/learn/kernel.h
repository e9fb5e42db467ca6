/* kernel.h - a kernel, and recorded devices, for tests of learning */
#ifndef GCAL_TESTS_CALIB_LEARN_KERNEL_H
#define GCAL_TESTS_CALIB_LEARN_KERNEL_H

#include "store/params/params.h"

struct gcal_profile;

/* 'work', which does y[i] = x[i] after m multiply-adds for n items, a multiple of 256.
 * 'fingerprint': the whole line of the profile, or nothing.
 */
struct gcal_profile *learn_kernel(const char *fingerprint);

/* The devices of a parameter file, to be cleared. */
struct gcal_params learn_device(const char *file);

#endif
