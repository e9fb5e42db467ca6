/* private.h - what the parts of the comparison of records share */
#ifndef GCAL_CALIB_COMPARE_PRIVATE_H
#define GCAL_CALIB_COMPARE_PRIVATE_H

#include "calib/compare/compare.h"

/* Fills 'devices' of 'diff', and for each device of a record the place of its pair there
 * ('in_before', 'in_after': as many as it has devices); SIZE_MAX: it has none.
 */
int gcal_compare_pair_devices(const struct gcal_record *before,
                              const struct gcal_record *after, size_t *in_before,
                              size_t *in_after, struct gcal_compare_records *diff,
                              struct gcal_error *err);

/* Fills 'generators' and 'groups' from the kernels, and puts all in order. */
int gcal_compare_make_means(struct gcal_compare_records *diff, struct gcal_error *err);

#endif
