/* test_sizes.c - what --at may say, and what it is refused for */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/model/profile.h"
#include "mpi/commands/count/sizes.h"

static struct gcal_error err;
static char *names[] = { "n", "m" };
static const struct gcal_profile two = { .kernel = "k",
                                         .n_parameters = 2,
                                         .parameters = names };
static const struct gcal_profile none = { .kernel = "k" };

/* "n=1,m=2 n=3,m=4"; the caller's to free. */
static char *points_text(const struct gcal_profile *profile,
                         const struct gcal_count_points *points)
{
    struct gcal_buf text = { 0 };

    for (size_t i = 0; i < points->n; i++) {
        char *name = gcal_count_point_name(profile, points->values + i * points->n_sizes);

        gcal_buf_printf(&text, "%s%s", i ? " " : "", name);
        free(name);
    }
    return gcal_buf_take(&text, NULL);
}

static void expect(const char *at, const char *wanted)
{
    struct gcal_count_points points;
    char *found;

    if (gcal_count_points_parse(1, &at, &two, NULL, &points, &err) < 0)
        fail_msg("%s: %s", at, err.text);
    found = points_text(&two, &points);
    assert_string_equal(found, wanted);
    free(found);
    gcal_count_points_clear(&points);
}

static void expect_error(const char *at, const char *why)
{
    struct gcal_count_points points;

    assert_int_equal(gcal_count_points_parse(1, &at, &two, NULL, &points, &err), -1);
    if (!strstr(err.text, why))
        fail_msg("%s: got: %s", at, err.text);
}

static void values_are_numbers_and_expressions(void **state)
{
    (void)state;
    expect("n=2048,m=64", "n=2048,m=64");
    expect("m=64,n=2048", "n=2048,m=64");
    expect("n=2^20,m=4*1024", "n=1048576,m=4096");
    expect("n=1e6,m=0.5", "n=1000000,m=0.5");
    expect("n=1Mi,m=1.5Ki", "n=1048576,m=1536");
    expect("n=2Gi,m=0x10", "n=2147483648,m=16");
    expect("n=max(3,4),m=(1+2)*3", "n=4,m=9");
}

static void lists_and_ranges_are_combined(void **state)
{
    (void)state;
    expect("n=1,2,m=5", "n=1,m=5 n=2,m=5");
    expect("n=1,2,m=3,4", "n=1,m=3 n=1,m=4 n=2,m=3 n=2,m=4");
    expect("m=3,4,n=1,2", "n=1,m=3 n=2,m=3 n=1,m=4 n=2,m=4");
    expect("n=1:4,m=1", "n=1,m=1 n=2,m=1 n=4,m=1");
    expect("n=3:13,100,m=1", "n=3,m=1 n=6,m=1 n=12,m=1 n=100,m=1");
    expect("n=2^3:2^4,m=7", "n=8,m=7 n=16,m=7");
}

static void options_are_points_in_their_order(void **state)
{
    const char *const ats[] = { "n=2,m=1", "n=1,3,m=1" };
    struct gcal_count_points points;
    char *text;

    (void)state;
    assert_int_equal(gcal_count_points_parse(2, ats, &two, NULL, &points, &err), 0);
    text = points_text(&two, &points);
    assert_string_equal(text, "n=2,m=1 n=1,m=1 n=3,m=1");
    free(text);
    gcal_count_points_clear(&points);
    assert_int_equal(gcal_count_points_parse(0, NULL, &none, NULL, &points, &err), 0);
    assert_int_equal(points.n, 1);
    gcal_count_points_clear(&points);
}

static void each_point_has_a_text(void **state)
{
    const char *const ats[] = { "n=2,4,m=1:2", "n=2^3,m=1" };
    static const char *const expected[] = { "n=2,m=1", "n=2,m=2", "n=4,m=1", "n=4,m=2",
                                            "n=8,m=1" };
    struct gcal_strings each = { 0 };

    (void)state;
    assert_int_equal(gcal_count_points_each(2, ats, &each, &err), 0);
    assert_int_equal(each.n, 5);
    for (size_t i = 0; i < each.n; i++)
        assert_string_equal(each.items[i], expected[i]);
    gcal_strings_clear(&each);
    assert_int_equal(
        gcal_count_points_each(1, (const char *const[]){ "n=1:2^200" }, &each, &err), -1);
    assert_non_null(strstr(err.text, "has to be counted by itself"));
    gcal_strings_clear(&each);
    err = (struct gcal_error){ 0 };
}

static void errors_say_what_to_write(void **state)
{
    (void)state;
    expect_error("", "no value for the sizes 'n', 'm' (--at n=VALUE,m=VALUE)");
    expect_error("n=1", "no value for the size 'm' (--at m=VALUE)");
    expect_error("n", "expected NAME=VALUE, found 'n'");
    expect_error("n=,m=1", "found ''");
    expect_error("n=1,,m=1", "found ''");
    expect_error("n=x,m=1", "found 'x'");
    expect_error("n=nan,m=1", "found 'nan'");
    expect_error("n=1/0,m=1", "found '1/0'");
    expect_error("n=1Mix,m=1", "found '1Mix'");
    expect_error("n=1,m=1,n=2", "'n' is given twice; write n=1024,2048");
    expect_error("n=8:1,m=1", "found '8:1'");
    expect_error("n=0:8,m=1", "found '0:8'");
    expect_error("n=1,m=1,k=1", "'k' is not a size of kernel 'k'; there are: n, m");
    expect_error("n=1e-300:1e300,m=1:1e300", "--at: more than 100000 combinations");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_numbers_and_expressions),
        cmocka_unit_test(lists_and_ranges_are_combined),
        cmocka_unit_test(options_are_points_in_their_order),
        cmocka_unit_test(each_point_has_a_text),
        cmocka_unit_test(errors_say_what_to_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
