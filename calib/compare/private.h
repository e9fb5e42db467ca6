/* private.h - interfaces between the files of calib/compare */
#ifndef GCAL_CALIB_COMPARE_PRIVATE_H
#define GCAL_CALIB_COMPARE_PRIVATE_H

#include "calib/compare/compare.h"

/* Fills 'devices' of 'diff', and for each device of a record the index of its pair there;
 * SIZE_MAX: no pair.  'in_before', 'in_after': an item for each device of the record.
 */
int gcal_compare_pair_devices(const struct gcal_record *before,
                              const struct gcal_record *after, size_t *in_before,
                              size_t *in_after, struct gcal_compare_records *diff,
                              struct gcal_error *err);

/* Fills 'generators' and 'groups' from the kernels, and sorts all. */
int gcal_compare_make_means(struct gcal_compare_records *diff, struct gcal_error *err);

#endif
