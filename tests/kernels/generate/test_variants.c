/* test_variants.c - the values that a sample of variants covers */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "tests/kernels/generate/variants.h"

static struct gcal_catalogue *catalogue;
static struct gcal_error err;

static const struct gcal_generator *find(const char *name)
{
    for (size_t i = 0; i < catalogue->n_generators; i++)
        if (strcmp(catalogue->generators[i]->name, name) == 0)
            return catalogue->generators[i];
    fail_msg("no generator %s", name);
    return NULL;
}

/* The number of variants in which two arguments have these values. */
static size_t count(const struct gcal_generator *g, const struct variants *v,
                    const char *a, const char *a_value, const char *b,
                    const char *b_value)
{
    size_t n = 0;

    for (size_t i = 0; i < v->n; i++) {
        size_t matches = 0;

        for (size_t k = 0; k < g->n_arguments; k++) {
            const char *name = g->arguments[k].name, *value = v->values[i][k];

            matches += strcmp(name, a) == 0 && strcmp(value, a_value) == 0;
            matches += strcmp(name, b) == 0 && strcmp(value, b_value) == 0;
        }
        n += matches == 2;
    }
    return n;
}

static void every_dtype_has_all_words_and_three_numbers(void **state)
{
    static const char *const patterns[] = { "aligned", "permuted", "offset", "uniform",
                                            "scattered" };
    static const char *const offsets[] = { "0", "15", "31" };
    const struct gcal_generator *g = find("gmem_transaction");
    struct variants v = { 0 };

    (void)state;
    assert_int_equal(variants_choose(g, true, &v, &err), 0);
    for (size_t i = 0; i < 5; i++) {
        assert_true(count(g, &v, "dtype", "float32", "pattern", patterns[i]) > 0);
        assert_true(count(g, &v, "dtype", "int32", "pattern", patterns[i]) > 0);
    }
    for (size_t i = 0; i < 3; i++)
        assert_true(count(g, &v, "dtype", "int32", "offset", offsets[i]) > 0);
    assert_int_equal(count(g, &v, "pattern", "aligned", "offset", "31"), 0); /* where */
    variants_clear(&v);
}

static void the_default_dtype_alone(void **state)
{
    const struct gcal_generator *g = find("gmem_transaction");
    struct variants v = { 0 };

    (void)state;
    assert_int_equal(variants_choose(g, false, &v, &err), 0);
    assert_true(v.n >= 5);
    for (size_t i = 0; i < v.n; i++)
        assert_string_equal(v.values[i][0], "float32");
    variants_clear(&v);
}

static void each_load_of_a_derived_generator_by_itself(void **state)
{
    const struct gcal_generator *g = find("dense_loads");
    struct variants v = { 0 };

    (void)state;
    assert_int_equal(variants_choose(g, false, &v, &err), 0);
    assert_true(v.n >= 3);
    assert_true(count(g, &v, "dtype", "float32", "keep", "all") > 0);
    assert_true(count(g, &v, "dtype", "float32", "keep", "a") > 0);
    assert_true(count(g, &v, "dtype", "float32", "keep", "x") > 0);
    variants_clear(&v);
}

static void all_variants_are_the_product(void **state)
{
    const struct gcal_generator *g = find("matmul_blocked"); /* 2 dtypes, 3 tiles */
    struct variants v = { 0 };

    (void)state;
    assert_int_equal(variants_all(g, &v, &err), 0);
    assert_int_equal(v.n, 6);
    assert_int_equal(count(g, &v, "dtype", "float64", "tile", "32"), 1);
    variants_clear(&v);
}

static int set_up(void **state)
{
    (void)state;
    if (!(catalogue = gcal_catalogue_open(NULL, &err)))
        print_message("%s\n", err.text);
    return catalogue ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gcal_catalogue_close(catalogue);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dtype_has_all_words_and_three_numbers),
        cmocka_unit_test(the_default_dtype_alone),
        cmocka_unit_test(each_load_of_a_derived_generator_by_itself),
        cmocka_unit_test(all_variants_are_the_product),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
