/* test_median.c - medians */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernels/base/median.h"

static void is_in_the_middle(void **state)
{
    double odd[] = { 7, -3, 5 }, even[] = { 9, 1, 4, 2 };

    (void)state;
    assert_true(gcal_median(odd, 3) == 5);
    assert_true(gcal_median(even, 4) == 3);
    assert_true(even[0] == 1 && even[3] == 9);
    assert_true(gcal_median_of_sorted(even, 3) == 2);
    assert_true(isnan(gcal_median(NULL, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
