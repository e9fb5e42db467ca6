/* test_record_kernel.c - the facts that the catalogue's kernels are recorded with
 *
 * The names of records of version 1 say the same.
 */
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/model/run/kernel_names.h"
#include "calib/plan/private.h"
#include "kernels/generate/generate.h"
#include "tests/unit.h"

static struct gcal_catalogue *catalogue;

/* As a record of version 1 has it. */
static void forget_facts(struct gcal_run_kernel *k)
{
    free(k->variant);
    k->variant = NULL;
    gcal_fields_clear(gcal_kernel_origin_fields, &k->origin);
    k->origin = (struct gcal_kernel_origin){ 0 };
    gcal_kernel_uses_clear(&k->uses);
}

static void check(const struct gcal_kernel *kernel)
{
    struct gcal_run_kernel k, from_names;

    assert_int_equal(gcal_plan_record_kernel(kernel, &k, NULL), 0);
    assert_int_equal(gcal_run_kernel_copy(&from_names, &k, NULL), 0);
    forget_facts(&from_names);
    assert_int_equal(gcal_run_kernel_set_facts(&from_names, "", NULL), 0);
    assert_string_equal(k.variant, from_names.variant);
    assert_int_equal(k.origin.form, from_names.origin.form);
    assert_int_equal(k.origin.n_accumulators, from_names.origin.n_accumulators);
    assert_int_equal(k.origin.barriers, from_names.origin.barriers);
    assert_string_equal(k.origin.generator ? k.origin.generator : "",
                        from_names.origin.generator);
    assert_string_equal(k.origin.family ? k.origin.family : "", from_names.origin.family);
    assert_string_equal(k.origin.name ? k.origin.name : "", from_names.origin.name);
    gcal_run_kernel_clear(&k);
    gcal_run_kernel_clear(&from_names);
}

static void check_all(const char *const *tags, size_t n_tags, enum gcal_match match,
                      enum gcal_kernel_form form)
{
    struct gcal_kernel_list list = { 0 };
    struct gcal_error err = { 0 };

    if (gcal_catalogue_generate(catalogue, n_tags, tags, match, NULL, &list, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(list.n_kernels > 0);
    for (size_t i = 0; i < list.n_kernels; i++) {
        assert_int_equal(list.kernels[i]->origin.form, form);
        check(list.kernels[i]);
    }
    gcal_kernel_list_clear(&list);
}

static void names_and_facts_agree(void **state)
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
    check_all(complete, 2, GCAL_MATCH_SUPERSET, GCAL_KERNEL_COMPLETE);
    check_all(memory, 3, GCAL_MATCH_SUPERSET, GCAL_KERNEL_MEMORY);
    check_all(no_barriers, 3, GCAL_MATCH_SUPERSET, GCAL_KERNEL_MEMORY);
    check_all(onchip, 2, GCAL_MATCH_SUPERSET, GCAL_KERNEL_ONCHIP);
    check_all(loads, 4, GCAL_MATCH_SUPERSET, GCAL_KERNEL_LOADS);
    check_all(launches, 1, GCAL_MATCH_SUPERSET, GCAL_KERNEL_COMPLETE);
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
        cmocka_unit_test(names_and_facts_agree),
    };

    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
