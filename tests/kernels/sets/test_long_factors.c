/* test_long_factors.c - sets that isl's search for points does not finish */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <isl/ctx.h>
#include <isl/set.h>

#include "kernels/sets/private.h"

enum { OPERATIONS = 60000 };

/* Blocks that a kernel touches which swaps the axes of an array. */
static const char long_factors[] =
    "{ [i] : exists (a, b, c: 0 <= b <= 255 and "
    "64i - 256a - 197121b <= 12418560c <= 63 + 64i - 256a - 197121b and "
    "-12319 + 49280i - 197119a - 151782400b <= 9562291200c <= "
    "49280i - 197119a - 151782400b and "
    "-769 + 49280i - 197119a - 151782400b <= 9562291970c <= "
    "49280i - 197119a - 151782400b) }";

static int enter(void **state)
{
    static struct gcal_sets_nest nest;

    nest = (struct gcal_sets_nest){ .c = gcal_poly_context_create(NULL) };
    *state = &nest;
    return nest.c && gcal_sets_nest_context(&nest) ? 0 : -1;
}

static int leave(void **state)
{
    struct gcal_sets_nest *nest = *state;
    struct gcal_poly_context *c = nest->c;

    gcal_sets_nest_clear(nest);
    gcal_poly_context_destroy(c);
    return 0;
}

static const struct gcal_poly *count_points(struct gcal_sets_nest *nest, const char *set)
{
    return gcal_sets_cardinality(nest->context, isl_set_read_from_str(nest->isl, set));
}

static void a_set_with_long_factors_is_not_searched(void **state)
{
    struct gcal_sets_nest *nest = *state;

    assert_true(gcal_sets_begin_attempt(nest, OPERATIONS));
    assert_null(count_points(nest, long_factors));
    assert_int_equal(isl_ctx_last_error(nest->isl), isl_error_abort); /* no quota */
    assert_false(gcal_sets_end_attempt(nest, false));
    /* as if it had been: what other attempts may take stays the same */
    assert_true(nest->operations > OPERATIONS);
}

static void attempts_after_it_count(void **state)
{
    struct gcal_sets_nest *nest = *state;
    const struct gcal_poly *count;

    assert_true(gcal_sets_begin_attempt(nest, OPERATIONS));
    assert_null(count_points(nest, long_factors));
    assert_false(gcal_sets_end_attempt(nest, false));
    assert_true(gcal_sets_begin_attempt(nest, OPERATIONS));
    count = count_points(nest, "{ [i] : exists (a, b: 0 <= a < 7 and 0 <= b < 3 and "
                               "i = 1000003a + 5b) }");
    assert_non_null(count);
    assert_string_equal(gcal_poly_text(nest->c, count), "21");
    assert_true(gcal_sets_end_attempt(nest, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_set_with_long_factors_is_not_searched, enter,
                                        leave),
        cmocka_unit_test_setup_teardown(attempts_after_it_count, enter, leave),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
