/* binding_private.h - shared by binding*.c and coverage.c */
#ifndef GCAL_KERNELS_MODEL_BINDING_PRIVATE_H
#define GCAL_KERNELS_MODEL_BINDING_PRIVATE_H

#include "kernels/model/binding.h"
#include "kernels/model/limits.h"
#include "kernels/model/profile.h"

struct gcal_assume;
struct gcal_expr;

/* lid strides, gid strides, AFR */
#define GCAL_BINDING_MAX_TESTS (2 * GCAL_MAX_DIMS + 1)

struct gcal_binding_test {
    enum gcal_feature_relation relation;
    struct gcal_expr *actual, *bound;
};

/* The count of one entry, if the premise and all tests hold. */
struct gcal_binding_term {
    const struct gcal_expr *count; /* the binding's, or 'own' */
    struct gcal_expr *own;         /* of two entries; or NULL */
    struct gcal_assume *premise;   /* or NULL */
    size_t entry;                  /* its index in the profile */
    bool estimated;                /* the entry is */
    size_t n_tests;
    struct gcal_binding_test tests[GCAL_BINDING_MAX_TESTS];
};

struct gcal_binding_feature {
    char *name;
    double given; /* the device's; NaN: the sum of the terms */
    struct gcal_binding_term *terms;
    size_t n_terms, capacity;
};

/* An entry's work, in executions by work-items. */
struct gcal_binding_work {
    const struct gcal_expr *count, *times; /* executions: weight * count * times, which
                                              are the binding's; times: NULL for 1 */
    double weight;
    char *feature;
    size_t entry;
    bool gap;    /* not always covered */
    bool tested; /* covered if the tests of one of its terms hold */
    char *class; /* of a gap that may be in proportions: the feature there; else NULL */
    const struct gcal_proportion *proportion; /* of the gap; NULL: none */
};

struct gcal_binding {
    size_t
        n_parameters; /* symbols n_parameters and the next: sub_group_size, wave_groups */
    char *symbols[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];
    double sub_group_size, wave_groups;       /* wave_groups: NaN while it is unknown */
    const struct gcal_binding_device *device; /* while it is created; NULL: unknown */
    struct gcal_assume *assume;
    char *way_out
        [GCAL_MAX_DIMS];     /* "'n % 64 = 0' does not hold: ..." of work-groups that do
                                     not divide the global size; NULL: they always do */
    struct gcal_needs needs; /* but for arguments */
    size_t n_arguments;
    struct gcal_expr **arguments; /* the bytes of each */
    bool *local;                  /* whether they are local memory, of a work-group */
    size_t n_counts;
    struct gcal_expr **counts; /* by entry of the profile; NULL: not needed yet */
    size_t n_features;
    struct gcal_binding_feature *features;
    /* All work of the profile, if some of it may not be covered; else none. */
    size_t n_work, n_gaps;
    struct gcal_binding_work *work;
    struct gcal_proportions proportions;
};

/* ---- binding.c ---- */

/* Sets the values of the symbols; -1 with 'err' where the profile does not hold for these sizes. */
int gcal_binding_check_sizes(const struct gcal_binding *binding, const double *sizes,
                             double *symbols, struct gcal_error *err);
/* Returns -1. */
int gcal_binding_refuse_count(const struct gcal_binding *binding, size_t feature,
                              double count, const double *sizes, struct gcal_error *err);

/* ---- binding_term.c ---- */

void gcal_binding_term_clear(struct gcal_binding_term *term);
/* An expression in the binding's symbols; NULL with 'err'. */
struct gcal_expr *gcal_binding_parse(const struct gcal_binding *binding, const char *text,
                                     struct gcal_error *err);
/* The count of an entry, parsed once; NULL with 'err'. */
const struct gcal_expr *gcal_binding_count(struct gcal_binding *binding,
                                           const struct gcal_profile *profile,
                                           size_t entry, struct gcal_error *err);
/* Returns whether a test, and whether the premise and all tests of a term hold; 'values': of the
 * symbols.
 */
bool gcal_binding_test_holds(const struct gcal_binding_test *test, const double *values);
bool gcal_binding_term_holds(const struct gcal_binding_term *term, const double *values);

int gcal_binding_find_needs(struct gcal_binding *binding,
                            const struct gcal_profile *profile, struct gcal_error *err);
void gcal_binding_clear_needs(struct gcal_binding *binding);

/* ---- coverage.c ---- */

/* Finds the work of 'profile' that the bound features leave out. */
int gcal_binding_find_gaps(struct gcal_binding *binding,
                           const struct gcal_profile *profile,
                           const struct gcal_binding_subject *subject,
                           struct gcal_error *err);
void gcal_binding_clear_work(struct gcal_binding *binding);

#endif
