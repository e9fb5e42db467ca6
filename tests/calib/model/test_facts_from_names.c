/* test_facts_from_names.c - facts from the names of records of version 1 */
#include <stdlib.h>
#include <string.h>

#include "calib/model/run/kernel_names.h"
#include "tests/facts.h"

static char *sizes[] = { "n", "width" };

static struct gcal_run_kernel facts(const char *generator, const char *family,
                                    const char *name, const char *models)
{
    struct gcal_run_kernel k = { .generator = (char *)generator,
                                 .family = (char *)family,
                                 .name = (char *)name,
                                 .n_sizes = 2,
                                 .size_names = sizes };

    assert_int_equal(gcal_run_kernel_set_facts(&k, models, NULL), 0);
    return k;
}

static void forget(struct gcal_run_kernel *k)
{
    free(k->variant);
    gcal_fields_clear(gcal_kernel_origin_fields, &k->origin);
    gcal_kernel_uses_clear(&k->uses);
}

static void origin_is(const struct gcal_run_kernel *k, enum gcal_kernel_form form,
                      const char *generator, const char *family, const char *name)
{
    assert_int_equal(k->origin.form, form);
    assert_string_equal(k->origin.generator, generator);
    assert_string_equal(k->origin.family, family);
    assert_string_equal(k->origin.name, name);
}

static void a_complete_kernel_has_no_origin(void **state)
{
    struct gcal_run_kernel k =
        facts("mm_a", "mm_a width:16 dtype:f4", "mm_a width:16 dtype:f4 n:64", "");

    (void)state;
    origin_is(&k, GCAL_KERNEL_COMPLETE, "", "", "");
    assert_string_equal(k.variant, "mm_a dtype:f4");
    assert_int_equal(k.uses.n, 0);
    forget(&k);
    k = facts("_loads", "_loads", "_loads n:64", "");
    origin_is(&k, GCAL_KERNEL_COMPLETE, "", "", "");
    forget(&k);
}

static void derived_kernels_have_the_arguments_of_their_origin(void **state)
{
    struct gcal_run_kernel k =
        facts("mm_a_memory", "mm_a_memory dtype:f4 accumulators:8 barriers:True",
              "mm_a_memory dtype:f4 accumulators:8 barriers:True n:64", "");

    (void)state;
    origin_is(&k, GCAL_KERNEL_MEMORY, "mm_a", "mm_a dtype:f4", "mm_a dtype:f4 n:64");
    assert_true(k.origin.n_accumulators == 8 && k.origin.barriers);
    assert_string_equal(k.variant, "mm_a_memory dtype:f4 accumulators:8 barriers:True");
    forget(&k);
    k = facts("mm_a_memory", "mm_a_memory accumulators:1 barriers:False",
              "mm_a_memory accumulators:1 barriers:False n:64", "");
    assert_true(k.origin.n_accumulators == 1 && !k.origin.barriers);
    forget(&k);
    k = facts("mm_a_loads", "mm_a_loads keep:aPF+bPF accumulators:4",
              "mm_a_loads keep:aPF+bPF accumulators:4 n:64", "");
    origin_is(&k, GCAL_KERNEL_LOADS, "mm_a", "mm_a", "mm_a n:64");
    assert_true(k.origin.n_accumulators == 4 && !k.origin.barriers);
    forget(&k);
    k = facts("mm_a_onchip", "mm_a_onchip dtype:f4", "mm_a_onchip dtype:f4 n:64", "");
    origin_is(&k, GCAL_KERNEL_ONCHIP, "mm_a", "mm_a dtype:f4", "mm_a dtype:f4 n:64");
    assert_true(k.origin.n_accumulators == 0 && !k.origin.barriers);
    forget(&k);
}

static void models_become_uses(void **state)
{
    struct gcal_run_kernel k = facts("a", "a", "a", "m,m:check,other:whole");

    (void)state;
    assert_string_equal(uses_text(&k.uses), "m,m:check,other:target");
    assert_true(gcal_kernel_uses_have(&k.uses, "m", GCAL_KERNEL_FITTED));
    assert_true(gcal_kernel_uses_have(&k.uses, "other", GCAL_KERNEL_TARGET));
    assert_false(gcal_kernel_uses_have(&k.uses, "other", GCAL_KERNEL_FITTED));
    assert_false(gcal_kernel_uses_have(&k.uses, "o", GCAL_KERNEL_TARGET));
    forget(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_complete_kernel_has_no_origin),
        cmocka_unit_test(derived_kernels_have_the_arguments_of_their_origin),
        cmocka_unit_test(models_become_uses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
