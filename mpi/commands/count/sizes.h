/* sizes.h - the sizes of --at: n=2048,m=64, lists, ranges and expressions
 *
 *   n=2048,m=64          one point
 *   n=512,1000,m=64      two points: values without a name belong to the name before them
 *   n=1024:8192          1024, 2048, 4096, 8192: doubled up to the second value
 *   n=2^20,m=4*1024      expressions of numbers; 64Ki, 1Mi and 2Gi are 2^16, 2^20 and 2^31
 *
 * Several names with several values give all combinations; the last name changes first.
 */
#ifndef GCAL_MPI_COMMANDS_COUNT_SIZES_H
#define GCAL_MPI_COMMANDS_COUNT_SIZES_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_arena;
struct gcal_count_options;
struct gcal_error;
struct gcal_kernel;
struct gcal_profile;
struct gcal_size;
struct gcal_strings;

/* A number as above: "2^20", "48Ki"; -1 with 'err' if it is none. */
int gcal_count_value_parse(const char *text, double *value, struct gcal_error *err);

/* n points of n_sizes values each. */
struct gcal_count_points {
    size_t n, n_sizes;
    double *values;     /* point by point, in the order of the profile's sizes */
    double wave_groups; /* of the device, at all points; 0: unknown */
};

/* The points of n texts, in order; of none, a single point for a kernel without sizes.
 * 'source' has the kernel's source, whose other arguments may then be named, too, and are
 * ignored; NULL: only sizes may be named.  -1 with 'err' if a name is unknown, a size has
 * no value, or a value is not a number.  Clear 'points' after 0.
 */
int gcal_count_points_parse(size_t n, const char *const *texts,
                            const struct gcal_profile *profile,
                            const struct gcal_count_options *source,
                            struct gcal_count_points *points, struct gcal_error *err);
/* Appends the names that the texts give values. */
int gcal_count_points_names(size_t n, const char *const *texts,
                            struct gcal_strings *names, struct gcal_error *err);
/* Appends each point of the texts as a text of its own, "n=2048,m=64". */
int gcal_count_points_each(size_t n, const char *const *texts, struct gcal_strings *each,
                           struct gcal_error *err);
/* The names of the text with one value, a whole number, that 'is_size' accepts; returns how
 * many there are.
 */
size_t gcal_count_points_known(struct gcal_arena *arena, const char *text,
                               bool (*is_size)(void *data, const char *name), void *data,
                               const struct gcal_size **known);
void gcal_count_points_clear(struct gcal_count_points *points);

/* "n=2048,m=64"; the caller's to free, NULL if memory runs out. */
char *gcal_count_point_name(const struct gcal_profile *profile, const double *values);

/* The values of n names from the sizes of a catalogue kernel, which may have more. */
int gcal_count_sizes_of_kernel(const struct gcal_kernel *kernel, size_t n,
                               const char *const *names, double *values,
                               struct gcal_error *err);

#endif
