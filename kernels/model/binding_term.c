/* binding_term.c - the count of an entry, and the tests that guard it */
#include <math.h>

#include "kernels/model/assume.h"
#include "kernels/model/binding_private.h"
#include "kernels/model/expr.h"

void gcal_binding_term_clear(struct gcal_binding_term *term)
{
    gcal_assume_destroy(term->premise);
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
