/* test_strings.c - lists of strings */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/strings.h"

static void adds_finds_and_includes(void **state)
{
    struct gcal_strings s = { 0 };
    char text[] = "b";

    (void)state;
    assert_false(gcal_strings_contain(&s, "a"));
    assert_int_equal(gcal_strings_add(&s, "a", NULL), 0);
    assert_int_equal(gcal_strings_add(&s, text, NULL), 0);
    *text = 'c';
    assert_int_equal(gcal_strings_add(&s, "a", NULL), 0);
    assert_int_equal(gcal_strings_include(&s, "b", NULL), 0);
    assert_int_equal(s.n, 3);
    assert_int_equal(gcal_strings_include(&s, text, NULL), 0);
    assert_int_equal(s.n, 4);
    assert_int_equal(gcal_strings_find(&s, "a"), 0);
    assert_int_equal(gcal_strings_find(&s, "c"), 3);
    assert_int_equal(gcal_strings_find(&s, "d"), 4);
    gcal_strings_clear(&s);
    assert_int_equal(s.n, 0);
    assert_null(s.items);
}

static void takes_texts_but_not_null(void **state)
{
    struct gcal_strings s = { 0 };

    (void)state;
    assert_int_equal(gcal_strings_take(&s, strdup("x"), NULL), 0);
    assert_int_equal(gcal_strings_take(&s, NULL, NULL), -1);
    assert_int_equal(s.n, 1);
    gcal_strings_free(s.items, s.n);
    gcal_strings_free(NULL, 3);
}

static void finds_words(void **state)
{
    const char *at = "  matmul n:16 ", *word;
    size_t length;

    (void)state;
    word = gcal_strings_next_word(&at, &length);
    assert_memory_equal(word, "matmul", 6);
    assert_int_equal(length, 6);
    word = gcal_strings_next_word(&at, &length);
    assert_memory_equal(word, "n:16", 4);
    assert_int_equal(length, 4);
    assert_null(gcal_strings_next_word(&at, &length));
    assert_null(gcal_strings_next_word(&at, &length));
    assert_true(gcal_strings_have_word("cuda.h mma.h", "cuda.h"));
    assert_true(gcal_strings_have_word("cuda.h mma.h", "mma.h"));
    assert_false(gcal_strings_have_word("cuda.h mma.h", "cuda"));
    assert_false(gcal_strings_have_word("cuda.h mma.h", "cuda.h mma.h"));
    assert_false(gcal_strings_have_word("cuda.h mma.h", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adds_finds_and_includes),
        cmocka_unit_test(takes_texts_but_not_null),
        cmocka_unit_test(finds_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
