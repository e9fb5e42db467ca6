/* test_span.c - spans of vectors */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fit/span.h"

static void the_share_outside_is_that_of_the_length(void **state)
{
    struct gcal_fit_span *span = gcal_fit_span_create(3);
    const double a[] = { 3, 0, 4 }, b[] = { 0, 7, 0 }, zero[3] = { 0 };
    const double along[] = { -6, 0, -8 }, half[] = { 3, 5, 4 }, last[] = { 4, 1e-3, -3 };

    (void)state;
    assert_int_equal(gcal_fit_span_rank(span), 0);
    assert_true(gcal_fit_span_outside(span, a) == 1);
    assert_true(gcal_fit_span_outside(span, zero) == 0);
    gcal_fit_span_add(span, a);
    assert_int_equal(gcal_fit_span_rank(span), 1);
    assert_true(gcal_fit_span_outside(span, along) < 1e-12);
    assert_true(fabs(gcal_fit_span_outside(span, half) - sqrt(0.5)) < 1e-12);
    assert_true(fabs(gcal_fit_span_outside(span, b) - 1) < 1e-12);
    gcal_fit_span_add(span, half);
    assert_true(gcal_fit_span_outside(span, b) < 1e-12);
    assert_true(fabs(gcal_fit_span_outside(span, last) - 1) < 1e-6);
    gcal_fit_span_add(span, last);
    assert_int_equal(gcal_fit_span_rank(span), 3);
    assert_true(gcal_fit_span_outside(span, a) == 0);
    gcal_fit_span_add(span, a); /* nothing is left of it */
    assert_int_equal(gcal_fit_span_rank(span), 3);
    gcal_fit_span_reset(span);
    assert_true(gcal_fit_span_outside(span, a) == 1);
    gcal_fit_span_destroy(span);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_outside_is_that_of_the_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
