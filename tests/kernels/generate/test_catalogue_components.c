/* test_catalogue_components.c - the components f_memory and f_onchip of kernels: tags and
 * counts
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/model/binding.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "tests/folder.h"
#include "tests/kernels/generate/catalogue_pick.h"

static const struct gcal_profile_entry *component_of(const struct gcal_profile *p,
                                                     enum gcal_feature_kind kind)
{
    const struct gcal_profile_entry *found = NULL;

    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].kind == kind) {
            assert_null(found); /* once */
            found = &p->entries[i];
        }
    return found;
}

/* At sizes that are all the same, with sub-groups of 32. */
static double value_at(const char *count, double size)
{
    struct gcal_expr *expr = gcal_expr_parse(count, &err);
    double values[64], value;

    assert_non_null(expr);
    for (size_t i = 0; i < gcal_expr_symbol_count(expr); i++)
        values[i] =
            strcmp(gcal_expr_symbol(expr, i), GCAL_SUB_GROUP_SIZE) == 0 ? 32 : size;
    value = gcal_expr_eval(expr, values);
    gcal_expr_destroy(expr);
    return value;
}

/* ---- counts ---- */

/* The share of an entry's count that belongs to the component. */
static double share(const struct gcal_profile_entry *e, enum gcal_feature_kind component,
                    double size, double groups)
{
    bool access = e->kind == GCAL_FEATURE_MEM_ACCESS || e->kind == GCAL_FEATURE_ATOMIC;
    bool onchip = component == GCAL_FEATURE_ONCHIP;

    if (access &&
        e->space == (onchip ? GCAL_FEATURE_SPACE_LOCAL : GCAL_FEATURE_SPACE_GLOBAL))
        return value_at(e->count, size);
    if (onchip && e->kind == GCAL_FEATURE_OP)
        return value_at(e->count, size);
    if (onchip && e->kind == GCAL_FEATURE_BARRIER_LOCAL)
        return value_at(e->count, size) * groups;
    return 0;
}

static void expect_sum(const struct gcal_kernel *k, enum gcal_feature_kind kind)
{
    static const double sizes[] = { 64, 192, 960 };
    const struct gcal_profile *p = k->profile;
    const struct gcal_profile_entry *component = component_of(p, kind);

    for (size_t s = 0; s < COUNT(sizes); s++) {
        double sum = 0, groups = 0,
               is = component ? value_at(component->count, sizes[s]) : 0;

        for (size_t i = 0; i < p->n_entries; i++)
            if (p->entries[i].kind == GCAL_FEATURE_THREAD_GROUPS)
                groups = value_at(p->entries[i].count, sizes[s]);
        for (size_t i = 0; i < p->n_entries; i++)
            sum += share(&p->entries[i], kind, sizes[s], groups);
        if (fabs(sum - is) > 1e-9 * fabs(sum) || (component && sum == 0))
            fail_msg("%s, kind %d at %g: %g and not %g", k->name, (int)kind, sizes[s], is,
                     sum);
    }
    if (component && !component->estimated &&
        p->estimated) /* another entry is estimated */
        assert_true(p->n_notes > 0);
}

static void components_are_the_sums_of_counts(void **state)
{
    static const char *const subjects[] = { "application", "mix", "atomics", "lmem" };
    struct gcal_catalogue *c = gcal_catalogue_open(NULL, &err);
    struct gcal_kernel_list list = { 0 };
    size_t n_checked = 0;

    (void)state;
    assert_non_null(c);
    for (size_t i = 0; i < COUNT(subjects); i++)
        if (gcal_catalogue_generate(c, 1, &subjects[i], GCAL_MATCH_SUPERSET, NULL, &list,
                                    &err) < 0)
            fail_msg("%s", err.text);
    for (size_t i = 0; i < list.n_kernels; i++) {
        const struct gcal_kernel *k = list.kernels[i];

        if (i && strcmp(k->variant, list.kernels[i - 1]->variant) == 0)
            continue;
        expect_sum(k, GCAL_FEATURE_MEMORY);
        expect_sum(k, GCAL_FEATURE_ONCHIP);
        n_checked++;
    }
    assert_true(n_checked > 30);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

/* ---- tags ---- */

#define ONE                                                                              \
    "gpucal_kernel: 1\nname: one_2d_x\ntags: [red]\nsource: c.cl\nkernel: c\n"           \
    "arguments: {lsize_0: {values: [16, 32], default: [32]}, only: [True],\n"            \
    "  depth: {values: [1, 2, 3], default: [1, 2]}, m: {size: [7]}, n: {ladder: [64, "   \
    "96]}}\n"                                                                            \
    "defines: {DEPTH: depth}\nlocal_size: [lsize_0]\nglobal_size: [n]\nargs:\n"          \
    "- {name: x, buffer: float32, elements: n}\n"                                        \
    "- {name: y, buffer: float32, elements: n, output: true}\n"                          \
    "- {name: m, scalar: int32, value: m}\n"                                             \
    "check: {n: 32, m: 3}\ncompanions: {tag: red, forms: [loads, onchip, memory]}\n"

/* On-chip work grows with m, which neither the NDRange nor global accesses do. */
static struct gcal_catalogue *open_one(void)
{
    folder_write("c.cl", "__kernel void c(__global const float *x, __global float *y,\n"
                         "                int m)\n"
                         "{\n"
                         "    float s = x[get_global_id(0)];\n"
                         "    for (int i = 0; i < m; i++) s = s * s;\n"
                         "    y[get_global_id(0)] = s + DEPTH;\n"
                         "}\n");
    return catalogue_open_one(ONE);
}

static void tags_name_generators_and_chosen_values(void **state)
{
    static const struct {
        const char *tags[2], *tag;
    } cases[] = {
        { { "lsize_0:32", "depth:1" }, "one2dXDepth1" },
        { { "lsize_0:16", "depth:3" }, "one2dXLsize016Depth3" },
    };
    struct gcal_catalogue *c = open_one();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gcal_kernel_list list = PICK(c, GCAL_MATCH_SUPERSET, "red",
                                            cases[i].tags[0], cases[i].tags[1], "n:64");
        const struct gcal_profile_entry *component;

        assert_int_equal(list.n_kernels, 1);
        component = component_of(list.kernels[0]->profile, GCAL_FEATURE_ONCHIP);
        assert_string_equal(component->tag, cases[i].tag);
        assert_true(strncmp(component->feature, "f_onchip_tag:", 13) == 0);
        assert_string_equal(component->feature + 13, cases[i].tag);
        gcal_kernel_list_clear(&list);
    }
    gcal_catalogue_close(c);
}

static void built_in_tags(void **state)
{
    static const struct {
        const char *tags[4], *tag;
    } cases[] = {
        { { "matmul_sq", "prefetch:False", "lsize_0:16", "lsize_1:16" }, "matmulPlain" },
        { { "matmul_sq", "prefetch:True", "lsize_0:32", "lsize_1:32" },
          "matmulTiledLsize032Lsize132" },
        { { "finite_diff", "lsize_0:16", "dtype:float32", "n:2016" },
          "stencil5pointLsize016Lsize116" },
        { { "dg_diff", "prefetch:diff_mat", "transposed:True", "dtype:float32" },
          "dgDiffPrefetchTransposedTrue" },
    };
    struct gcal_catalogue *c = gcal_catalogue_open(NULL, &err);

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gcal_kernel_list list =
            PICK(c, GCAL_MATCH_SUPERSET, cases[i].tags[0], cases[i].tags[1],
                 cases[i].tags[2], cases[i].tags[3]);

        assert_true(list.n_kernels > 0);
        assert_string_equal(
            component_of(list.kernels[0]->profile, GCAL_FEATURE_MEMORY)->tag,
            cases[i].tag);
        gcal_kernel_list_clear(&list);
    }
    gcal_catalogue_close(c);
}

/* ---- derived kernels ---- */

static void derived_kernels_have_the_component_that_they_keep(void **state)
{
    static const struct {
        const char *tag, *variant;
        bool memory, onchip;
    } cases[] = {
        { "red_memory", "barriers:True", true, false },
        { "red_memory", "accumulators:8", true, false },
        { "red_loads", "keep:all", true, false },
        { "red_loads", "keep:x", false, false },
        { "red_loads", "keep:each", false, false },
        { "red_onchip", "lsize_0:32", false, true },
    };
    struct gcal_catalogue *c = open_one();
    struct gcal_kernel_list full = PICK(c, GCAL_MATCH_SUPERSET, "red", "depth:1", "n:64");

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int again = 0; again < 2; again++) { /* from the cache, too */
            struct gcal_kernel_list list = PICK(c, GCAL_MATCH_SUPERSET, cases[i].tag,
                                                cases[i].variant, "depth:1", "n:64");

            assert_int_equal(list.n_kernels, 1);
            for (int k = 0; k < 2; k++) {
                enum gcal_feature_kind kind =
                    k ? GCAL_FEATURE_ONCHIP : GCAL_FEATURE_MEMORY;
                const struct gcal_profile_entry *component =
                    component_of(list.kernels[0]->profile, kind);
                const struct gcal_profile_entry *of =
                    component_of(full.kernels[0]->profile, kind);

                assert_int_equal(component != NULL,
                                 k ? cases[i].onchip : cases[i].memory);
                if (component) {
                    assert_string_equal(component->feature, of->feature);
                    assert_string_equal(component->count, of->count);
                }
            }
            gcal_kernel_list_clear(&list);
        }
    gcal_kernel_list_clear(&full);
    gcal_catalogue_close(c);
}

/* All sizes in the original kernel's count are parameters of the derived one. */
static void components_can_be_bound(void **state)
{
    static const char *const feature = "f_onchip_tag:one2dXDepth1";
    struct gcal_catalogue *c = open_one();
    struct gcal_kernel_list list =
        PICK(c, GCAL_MATCH_SUPERSET, "red_onchip", "depth:1", "n:64");
    struct gcal_binding *binding =
        gcal_binding_create(list.kernels[0]->profile, 1, &feature, 32, &err);
    double sizes[] = { 64, 64 }, value = 0;

    (void)state;
    assert_non_null(binding);
    assert_int_equal(gcal_binding_eval(binding, sizes, &value, &err), 0);
    assert_true(value > 0);
    gcal_binding_destroy(binding);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, catalogue_folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_are_the_sums_of_counts),
        cmocka_unit_test(built_in_tags),
        TEST(tags_name_generators_and_chosen_values),
        TEST(derived_kernels_have_the_component_that_they_keep),
        TEST(components_can_be_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
