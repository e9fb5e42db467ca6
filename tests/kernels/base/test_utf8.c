/* test_utf8.c - valid and invalid UTF-8 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "kernels/base/utf8.h"

static void characters_have_lengths(void **state)
{
    (void)state;
    assert_int_equal(gcal_utf8_length("a"), 1);
    assert_int_equal(gcal_utf8_length("\xc2\xae"), 2);
    assert_int_equal(gcal_utf8_length("\xe2\x82\xac"), 3);
    assert_int_equal(gcal_utf8_length("\xf0\x9f\x98\x80"), 4);
    assert_int_equal(gcal_utf8_length("\xf4\x8f\xbf\xbf"), 4);
}

static void other_bytes_have_none(void **state)
{
    static const char *const wrong[] = {
        "\x80",             /* goes on with nothing */
        "\xc2",             /* ends too early */
        "\xc2z",            /* goes on wrongly */
        "\xc0\xaf",         /* '/', longer than it needs to be */
        "\xe0\x80\xaf",     /* the same */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf4\x90\x80\x80", /* beyond the last character */
        "\xff",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_int_equal(gcal_utf8_length(wrong[i]), 0);
}

static void texts_become_clean(void **state)
{
    static const char *const texts[][2] = {
        { "", "" },
        { "NVIDIA H200", "NVIDIA H200" },
        { "Xeon\xc2\xae \xe2\x82\xac", "Xeon\xc2\xae \xe2\x82\xac" },
        { "Xeon\xae\xff.", "Xeon??." },
        { "a\tb\nc\x7f", "a?b?c?" },
        { "\xc2\x9b\x33\x31m", "??31m" },
        { "cut\xe2\x82", "cut??" },
    };
    char text[40];

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        snprintf(text, sizeof(text), "%s", texts[i][0]);
        assert_string_equal(gcal_utf8_clean(text), texts[i][1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_have_lengths),
        cmocka_unit_test(other_bytes_have_none),
        cmocka_unit_test(texts_become_clean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
