/* test_similar.c - what mistyped words were meant to be */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/similar.h"

static const char *const known[] = { "show", "store", "predict", "calibrate",
                                     "fit",  "help",  NULL };

static void typing_errors_are_similar(void **state)
{
    static const char *const pairs[][2] = {
        { "show", "show" },      { "shwo", "show" },        { "sho", "show" },
        { "predct", "predict" }, { "preditc", "predict" },  { "prediction", "predict" },
        { "helpp", "help" },     { "fitt", "fit" },         { "calib", "calibrate" },
        { "st", "store" },       { "calibs", "calibrate" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
        assert_string_equal(gcal_similar(pairs[i][0], known), pairs[i][1]);
}

static void other_words_are_not(void **state)
{
    static const char *const words[] = { "",     "x",   "ls", "foo",
                                         "list", "xyz", "s",  "version" };
    static const char *const none[] = { NULL };
    char longest[201];

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        assert_null(gcal_similar(words[i], known));
    assert_null(gcal_similar("show", none));
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    assert_null(gcal_similar(longest, known));
}

static void a_hint_ends_a_message(void **state)
{
    (void)state;
    assert_string_equal(gcal_similar_hint("shwo", known).text, " (did you mean 'show'?)");
    assert_string_equal(gcal_similar_hint("foo", known).text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typing_errors_are_similar),
        cmocka_unit_test(other_words_are_not),
        cmocka_unit_test(a_hint_ends_a_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
