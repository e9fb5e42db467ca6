/* features.h - a profile's features as a table or as JSON, on stdout */
#ifndef GCAL_MPI_COUNT_FEATURES_H
#define GCAL_MPI_COUNT_FEATURES_H

#include <stdbool.h>

struct gcal_error;
struct gcal_profile;

/* 'sizes' in the profile's order adds a value to each; NULL: expressions only.
 * 'sub_group' is the sub_group_size of values; 0: what depends on it has none.  Sizes
 * that break the profile's assumptions are an error.
 */
int gcal_count_features_print(const struct gcal_profile *profile, double sub_group,
                              const double *sizes, struct gcal_error *err);
int gcal_count_features_print_json(const struct gcal_profile *profile, double sub_group,
                                   const double *sizes, struct gcal_error *err);

/* Whether some count depends on the sub-group size. */
bool gcal_count_features_need_sub_group(const struct gcal_profile *profile);

#endif
