/* test_kernel_names.c - words of kernel names: shared, distinct, arguments */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/commands/predict/kernel_names.h"

static void expect_text(char *text, const char *expected)
{
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static void names_are_split_into_words(void **state)
{
    static const char *const names[] = { "mm_a dtype:f4 width:16 n:64",
                                         "mm_a dtype:f4 width:4 n:64",
                                         "mm_b dtype:f4 width:4 n:64" };
    size_t length;

    (void)state;
    expect_text(gcal_kernel_names_shared(3, names, NULL), "dtype:f4 n:64");
    expect_text(gcal_kernel_names_shared(0, NULL, NULL), "");
    assert_int_equal(
        strncmp(gcal_kernel_name_argument(names[0], "width", &length), "16 n:64", 7), 0);
    assert_int_equal(length, 2);
    assert_null(gcal_kernel_name_argument(names[0], "wid", &length));
    assert_null(gcal_kernel_name_argument(names[0], "mm_a", &length));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_split_into_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
