/* test_shared.c - pieces that expressions have in common: found, named, put back */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/shared.h"

#define GUARD "max(min(gx,n-1),1)*floor((n+63)/64)*step(m-n)"

static void assert_shorter(const struct gcal_shared *shared, const char *text,
                           const char *shorter)
{
    char *found = gcal_shared_shorten(shared, text, NULL);

    assert_string_equal(found, shorter);
    free(found);
}

static void long_pieces_have_names(void **state)
{
    static const char *const texts[] = { "4*(" GUARD "-2)+n", "(" GUARD "-2)^2",
                                         "min(n,m)+min(n,m)", GUARD "-2",
                                         "f(" GUARD "-2,3)",  "f(" GUARD "-2,3)" };
    static const char *const taken[] = { "n", "c1" };
    struct gcal_shared shared = { 0 };

    (void)state;
    assert_int_equal(gcal_shared_find(&shared, 6, texts, 2, taken, NULL), 0);
    assert_int_equal(shared.n_definitions, 2);
    assert_string_equal(shared.definitions[0].name, "c2");
    assert_string_equal(shared.definitions[0].text, GUARD "-2");
    assert_shorter(&shared, texts[0], "4*c2+n");
    assert_shorter(&shared, texts[1], "c2^2");
    assert_shorter(&shared, texts[2], "min(n,m)+min(n,m)");
    assert_shorter(&shared, texts[3], "c2");
    assert_string_equal(shared.definitions[1].text, "f(" GUARD "-2,3)");
    assert_shorter(&shared, texts[4], "c3");
    gcal_shared_clear(&shared);
}

/* A piece inside a named piece alone has no name of its own. */
static void names_are_no_more_than_needed(void **state)
{
    static const char *const texts[] = { "2*min((" GUARD "),7)", "3*min((" GUARD "),7)" };
    struct gcal_shared shared = { 0 };

    (void)state;
    assert_int_equal(gcal_shared_find(&shared, 2, texts, 0, NULL, NULL), 0);
    assert_int_equal(shared.n_definitions, 1);
    assert_shorter(&shared, texts[1], "3*c1");
    gcal_shared_clear(&shared);
}

/* A random expression, most of it from pieces that repeat. */
static void put_random(char *text, size_t size, int depth, unsigned *seed)
{
    static const char *const calls[] = { "max(", "floor(", "step(", "(" };
    size_t used = strlen(text);

    *seed = *seed * 1103515245 + 12345;
    if (depth == 0) {
        snprintf(text + used, size - used, "%s",
                 (const char *const[]){ "n", "size_of_rows", "1/256*columns",
                                        "12" }[*seed >> 16 & 3]);
        return;
    }
    for (int i = 0; i < 2; i++) {
        unsigned call = *seed >> (18 + i) & 3;

        used = strlen(text);
        snprintf(text + used, size - used, "%s%s", i ? "+" : "", calls[call]);
        put_random(text, size, depth - 1, seed);
        used = strlen(text);
        snprintf(text + used, size - used, ")");
    }
}

static void whole_texts_come_back(void **state)
{
    enum { N = 40, SIZE = 4000 };
    static char texts[N][SIZE];
    const char *pointers[N];
    struct gcal_shared shared = { 0 }, read = { 0 };
    size_t n_shorter = 0;

    (void)state;
    for (unsigned i = 0; i < N; i++) {
        unsigned seed = i % 11; /* some are equal */

        put_random(texts[i], SIZE, 1 + (int)(i % 6), &seed);
        pointers[i] = texts[i];
    }
    assert_int_equal(gcal_shared_find(&shared, N, pointers, 0, NULL, NULL), 0);
    assert_true(shared.n_definitions > 5);
    for (size_t i = 0; i < shared.n_definitions; i++) {
        char *whole = gcal_shared_expand(&read, shared.definitions[i].text, 65536, NULL);

        assert_int_equal(
            gcal_shared_define(&read, shared.definitions[i].name, whole, NULL), 0);
        free(whole);
    }
    for (size_t i = 0; i < N; i++) {
        char *shorter = gcal_shared_shorten(&shared, texts[i], NULL);
        char *whole = gcal_shared_expand(&read, shorter, 65536, NULL);

        n_shorter += strlen(shorter) < strlen(texts[i]);
        assert_string_equal(whole, texts[i]);
        free(shorter);
        free(whole);
    }
    assert_true(n_shorter > N / 4);
    gcal_shared_clear(&shared);
    gcal_shared_clear(&read);
}

static void doubling_definitions_are_refused(void **state)
{
    struct gcal_shared shared = { 0 };
    struct gcal_error err = { 0 };
    char name[20] = "n", text[60];
    char *whole = NULL;

    (void)state;
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof(text), "%s*%s", name, name);
        free(whole);
        if (!(whole = gcal_shared_expand(&shared, text, 10000, &err)))
            break;
        snprintf(name, sizeof(name), "d%d", i);
        assert_int_equal(gcal_shared_define(&shared, name, whole, NULL), 0);
    }
    assert_null(whole);
    assert_non_null(strstr(err.text, "longer than 10000 characters"));
    gcal_shared_clear(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_pieces_have_names),
        cmocka_unit_test(names_are_no_more_than_needed),
        cmocka_unit_test(whole_texts_come_back),
        cmocka_unit_test(doubling_definitions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
