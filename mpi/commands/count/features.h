/* features.h - the features of a profile as values, a table or JSON */
#ifndef GCAL_MPI_COMMANDS_COUNT_FEATURES_H
#define GCAL_MPI_COMMANDS_COUNT_FEATURES_H

#include <jansson.h>
#include <stdbool.h>

struct gcal_arena;
struct gcal_count_points;
struct gcal_error;
struct gcal_profile;

/* Prints each feature with its expression and its value at each point (of none: no values).
 * 'sub_group' is the sub-group size; if 0, counts that depend on it have no value.  Sizes
 * that break the profile's assumptions are an error.  JSON is an object, or for several
 * points a list of one each.
 */
int gcal_count_features_print(const struct gcal_profile *profile, double sub_group,
                              const struct gcal_count_points *points,
                              struct gcal_error *err);
int gcal_count_features_print_json(const struct gcal_profile *profile, double sub_group,
                                   const struct gcal_count_points *points,
                                   struct gcal_error *err);

/* The list of objects, one for each point (of none: one), that is printed. */
json_t *gcal_count_features_json(const struct gcal_profile *profile, double sub_group,
                                 const struct gcal_count_points *points,
                                 struct gcal_error *err);

/* For each entry of the profile its values at all points (NaN: none), as printed.  NULL with
 * 'err'.
 */
double *gcal_count_features_values(struct gcal_arena *arena,
                                   const struct gcal_profile *profile, double sub_group,
                                   const struct gcal_count_points *points,
                                   struct gcal_error *err);

/* Writes a CSV file with a line for each point and feature; it is replaced as a whole. */
int gcal_count_features_csv(const char *path, const struct gcal_profile *profile,
                            double sub_group, const struct gcal_count_points *points,
                            struct gcal_error *err);

/* Returns whether any count depends on the sub-group size. */
bool gcal_count_features_need_sub_group(const struct gcal_profile *profile);

#endif
