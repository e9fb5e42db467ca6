/* features.h - a profile's features as a table or as JSON, on stdout */
#ifndef GCAL_MPI_FEATURES_H
#define GCAL_MPI_FEATURES_H

struct gcal_error;
struct gcal_profile;

/* 'sizes' in the profile's order adds a value to each; NULL: expressions only.  Counts
 * per sub-group are for sub-groups of 'sub_group' work-items.
 */
int gcal_features_print(const struct gcal_profile *profile, double sub_group,
                        const double *sizes, struct gcal_error *err);
int gcal_features_print_json(const struct gcal_profile *profile, double sub_group,
                             const double *sizes, struct gcal_error *err);

#endif
