/* test_cache_pass.c - passes over the banks of a first-level cache, and footprints of
 * sub-groups, in kernels counted by hand
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kernels/count/by_hand.h"

enum { SUB_GROUP = 32, GROUPS = 10, GROUP_SIZE = 64 };

/* 20 sub-groups; values per execution of the load by one of them, at n. */
static const struct access {
    const char *index;
    int n;
    double passes, lines;
    double footprint; /* sectors of a sub-group; 0: not compared */
} accesses[] = {
    { "i", 8, 1, 1, 4 },
    { "2 * i", 8, 2, 2, 8 },
    { "32 * i", 8, 32, 32, 32 },
    { "33 * i", 8, 1, 32, 32 },
    { "n - n + 5", 8, 1, 1, 1 },
    /* rows of symbolic length: by the power of two that divides it */
    { "i * n", 1024, 32, 32, 32 },
    { "i * n", 1000, 8, 32, 32 },
    { "i * n", 1001, 1, 32, 32 },
    { "i * n + 3", 48, 16, 32, 32 },
    /* where in a line a row begins is unknown: the mean, unless rows are whole lines */
    { "(i / 16) * n + i % 16", 1024, 2, 2, 0 },
    { "(i / 16) * n + i % 16", 1000, 1, 2 * (1 + 15.0 / 32), 0 },
    /* the distance of neighbours in rows counts as well */
    { "8 * i * n", 3, 8, 24, 32 },
    /* rows that are short share lines */
    { "i * n", 8, 8, 8, 32 },
};

static struct gcal_profile *count(const struct access *a)
{
    char source[500];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { GROUP_SIZE },
                                    .global_size = { "640" },
                                    .sub_group_size = SUB_GROUP,
                                    .n_banks = 32,
                                    .sector_bytes = 32,
                                    .allow_estimates = true };

    snprintf(source, sizeof(source),
             "kernel void f(global float *a, global float *b, int n)\n"
             "{ int i = get_global_id(0); b[i] = a[%s]; }",
             a->index);
    return by_hand_count(&r, a->index);
}

static double value_of(const struct gcal_profile *p, const char *feature, double n)
{
    return by_hand_value(p, feature, &n);
}

static void expect(const struct access *a, const struct gcal_profile *p,
                   const char *feature, double wanted)
{
    double value = value_of(p, feature, a->n) / (GROUPS * GROUP_SIZE / SUB_GROUP);

    if (value < 0.999 * wanted || value > 1.001 * wanted)
        fail_msg("a[%s], n = %d: %s is %g for each sub-group, not %g", a->index, a->n,
                 feature, value, wanted);
}

static void check_all(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(accesses) / sizeof(*accesses); i++) {
        const struct access *a = &accesses[i];
        struct gcal_profile *p = count(a);

        expect(a, p, "f_cache_pass_global_load", a->passes);
        expect(a, p, "f_line_global_load", a->lines);
        if (a->footprint > 0)
            expect(a, p, "f_footprint_sub_group_global_load", a->footprint);
        expect(a, p, "f_cache_pass_global_store", 1);
        gcal_profile_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_all) };

    return cmocka_run_group_tests_name("cache_pass", tests, NULL, NULL);
}
