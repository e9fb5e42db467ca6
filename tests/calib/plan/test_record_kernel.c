/* test_record_kernel.c - the facts that the catalogue's kernels are recorded with */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/plan/private.h"
#include "kernels/base/arena.h"
#include "kernels/generate/generate.h"
#include "tests/unit.h"

static struct gcal_catalogue *catalogue;

/* A derived generator is named as the one that it is derived from, with an ending. */
static void check(const struct gcal_kernel *kernel, enum gcal_kernel_form form,
                  bool barriers)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_run_kernel k;
    char text[40];

    assert_int_equal(gcal_plan_record_kernel(arena, kernel, &k, NULL), 0);
    assert_int_equal(k.origin.form, form);
    assert_int_equal(k.origin.barriers, barriers);
    snprintf(text, sizeof(text), "accumulators:%zu ", (size_t)k.origin.n_accumulators);
    assert_true(!k.origin.n_accumulators || strstr(k.name, text));
    assert_null(strstr(k.variant, " n:"));
    if (form != GCAL_KERNEL_COMPLETE) {
        size_t n = strlen(k.origin.generator);

        assert_true(n > 0 && k.generator[n] == '_');
        assert_int_equal(strncmp(k.generator, k.origin.generator, n), 0);
        assert_int_equal(strncmp(k.origin.family, k.origin.generator, n), 0);
        assert_int_equal(strncmp(k.origin.name, k.origin.family, n), 0);
        assert_null(strstr(k.origin.name, "accumulators:"));
        assert_non_null(strstr(k.origin.name, " n:1024"));
    }
    gcal_arena_destroy(arena);
}

static void check_all(const char *const *tags, size_t n_tags, enum gcal_match match,
                      enum gcal_kernel_form form, bool barriers)
{
    struct gcal_kernel_list list = { 0 };
    struct gcal_error err = { 0 };

    if (gcal_catalogue_generate(catalogue, n_tags, tags, match, NULL, &list, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(list.n_kernels > 0);
    for (size_t i = 0; i < list.n_kernels; i++)
        check(list.kernels[i], form, barriers);
    gcal_kernel_list_clear(&list);
}

static void facts_are_recorded(void **state)
{
    static const char *const complete[] = { "matmul_sq", "n:1024,2048" };
    static const char *const memory[] = { "matmul_sq_memory", "accumulators:1,8",
                                          "n:1024" };
    static const char *const no_barriers[] = { "matmul_sq_memory", "barriers:False",
                                               "n:1024" };
    static const char *const onchip[] = { "matmul_sq_onchip", "n:1024" };
    static const char *const loads[] = { "matmul_sq_loads", "keep:each", "accumulators:4",
                                         "n:1024" };
    static const char *const launches[] = { "empty_kernel" };

    (void)state;
    check_all(complete, 2, GCAL_MATCH_SUPERSET, GCAL_KERNEL_COMPLETE, false);
    check_all(memory, 3, GCAL_MATCH_SUPERSET, GCAL_KERNEL_MEMORY, true);
    check_all(no_barriers, 3, GCAL_MATCH_SUPERSET, GCAL_KERNEL_MEMORY, false);
    check_all(onchip, 2, GCAL_MATCH_SUPERSET, GCAL_KERNEL_ONCHIP, false);
    check_all(loads, 4, GCAL_MATCH_SUPERSET, GCAL_KERNEL_LOADS, false);
    check_all(launches, 1, GCAL_MATCH_SUPERSET, GCAL_KERNEL_COMPLETE, false);
}

static int open_catalogue(void **state)
{
    (void)state;
    return (catalogue = gcal_catalogue_open(NULL, NULL)) ? 0 : -1;
}

static int close_catalogue(void **state)
{
    (void)state;
    gcal_catalogue_close(catalogue);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_are_recorded),
    };

    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
