/* binding_term.c - the count of an entry, the tests that guard it, and what a launch needs */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/assume.h"
#include "kernels/model/binding_private.h"
#include "kernels/model/expr.h"

void gcal_binding_term_clear(struct gcal_binding_term *term)
{
    gcal_assume_destroy(term->premise);
    gcal_expr_destroy(term->own);
    for (size_t i = 0; i < term->n_tests; i++) {
        gcal_expr_destroy(term->tests[i].actual);
        gcal_expr_destroy(term->tests[i].bound);
    }
}

struct gcal_expr *gcal_binding_parse(const struct gcal_binding *binding, const char *text,
                                     struct gcal_error *err)
{
    return gcal_expr_parse_in(text, binding->n_parameters + GCAL_PROFILE_DEVICE_NAMES,
                              (const char *const *)binding->symbols, err);
}

const struct gcal_expr *gcal_binding_count(struct gcal_binding *binding,
                                           const struct gcal_profile *profile,
                                           size_t entry, struct gcal_error *err)
{
    struct gcal_expr **count = &binding->counts[entry];

    if (!*count)
        *count = gcal_binding_parse(binding, profile->entries[entry].count, err);
    return *count;
}

/* Equal up to rounding: an AFR of 1 + 1e-16 is not above 1. */
bool gcal_binding_test_holds(const struct gcal_binding_test *test, const double *values)
{
    double actual = gcal_expr_eval(test->actual, values);
    double bound = gcal_expr_eval(test->bound, values);
    bool equal = fabs(actual - bound) <= 1e-9 * fmax(fabs(actual), fabs(bound));

    switch (test->relation) {
    case GCAL_FEATURE_ANY:
        return true;
    case GCAL_FEATURE_EQ:
        return equal;
    case GCAL_FEATURE_GT:
        return actual > bound && !equal;
    case GCAL_FEATURE_GE:
        return actual > bound || equal;
    case GCAL_FEATURE_LT:
        return actual < bound && !equal;
    case GCAL_FEATURE_LE:
        return actual < bound || equal;
    case GCAL_FEATURE_MULTIPLE:
        return actual != 0 && fmod(actual, bound) == 0;
    }
    return false;
}

bool gcal_binding_term_holds(const struct gcal_binding_term *term, const double *values)
{
    size_t held = 0;

    if (gcal_assume_check(term->premise, values, NULL) < 0)
        return false;
    while (held < term->n_tests && gcal_binding_test_holds(&term->tests[held], values))
        held++;
    return held == term->n_tests;
}

/* ---- what a launch needs of a device ---- */

/* Arithmetic needs the type.  Half is a storage type that every device has; double is none. */
static bool needs_dtype(const struct gcal_profile *profile, const char *dtype,
                        bool by_accesses)
{
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];

        if ((e->kind == GCAL_FEATURE_OP ||
             (by_accesses && e->kind == GCAL_FEATURE_MEM_ACCESS)) &&
            e->dtype && strcmp(e->dtype, dtype) == 0)
            return true;
    }
    return false;
}

int gcal_binding_find_needs(struct gcal_binding *b, const struct gcal_profile *profile,
                            struct gcal_error *err)
{
    b->needs =
        (struct gcal_needs){ .work_group_size = profile->n_dims > 0,
                             .work_group_depth =
                                 profile->n_dims > 2 ? (double)profile->local_size[2] : 0,
                             .local_memory_bytes = gcal_profile_local_bytes(profile),
                             .fp16 = needs_dtype(profile, "float16", false),
                             .fp64 = needs_dtype(profile, "float64", true) };
    for (size_t d = 0; d < profile->n_dims; d++)
        b->needs.work_group_size *= (double)profile->local_size[d];
    b->arguments = calloc(profile->n_arguments + 1, sizeof(struct gcal_expr *));
    b->local = calloc(profile->n_arguments + 1, sizeof(*b->local));
    if (!b->arguments || !b->local)
        return gcal_error_memory(err);
    for (size_t i = 0; i < profile->n_arguments; i++, b->n_arguments++) {
        b->local[i] = profile->arguments[i].space == GCAL_FEATURE_SPACE_LOCAL;
        if (!(b->arguments[i] = gcal_binding_parse(b, profile->arguments[i].bytes, err)))
            return -1;
    }
    return 0;
}

void gcal_binding_clear_needs(struct gcal_binding *b)
{
    for (size_t i = 0; i < b->n_arguments; i++)
        gcal_expr_destroy(b->arguments[i]);
    free(b->arguments);
    free(b->local);
}
