/* test_catalogue_counting.c - catalogue kernels counted for the sub-group size of a device
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "tests/folder.h"
#include "tests/kernels/generate/catalogue_pick.h"

/* Of 64 work-items, 0 to 19 and 40 to 63 load one word each, 20 to 39 nothing.  Runs of
 * 3 launches.
 */
static const char source[] =
    "__kernel void k(__global float *x)\n{\n    __local float s[2048];\n"
    "    int l = get_local_id(0);\n"
    "    s[32*l] = 1;\n"
    "    if (l < 20 || l >= 40)\n        x[get_global_id(0)] += 2.5f * s[32*l];\n}\n";

static const char entry[] =
    "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: g.cl\nkernel: k\n"
    "arguments: {n: {size: [128, 640]}}\n"
    "local_size: [64]\nglobal_size: [n]\n"
    "args: [{name: x, buffer: float32, elements: n, output: true}]\n"
    "run: {launches: 3}\ncompanions: {tag: red, forms: [memory]}\n"
    "assume: n % 64 = 0 and n >= 64\ncheck: {n: 64}\n";

static struct gcal_catalogue *open_catalogue(void)
{
    folder_write("g.cl", source);
    return catalogue_open_one(entry);
}

static struct gcal_kernel_list pick(const struct gcal_catalogue *catalogue,
                                    const struct gcal_kernel_counting *counting,
                                    const char *tag)
{
    const struct gcal_kernel_limits limits = { .counting = *counting };
    struct gcal_kernel_list list = { 0 };

    if (gcal_catalogue_generate(catalogue, 1, &tag, GCAL_MATCH_SUPERSET, &limits, &list,
                                &err) < 0)
        fail_msg("%s", err.text);
    if (gcal_kernel_list_check(&list, &err) < 0)
        fail_msg("%s", err.text);
    return list;
}

/* -1: the profile cannot be bound. */
static double value(const struct gcal_kernel *kernel, const char *feature,
                    double sub_group_size)
{
    struct gcal_binding *binding =
        gcal_binding_create(kernel->profile, 1, &feature, sub_group_size, NULL);
    double sizes[4], result = -1;

    if (!binding)
        return -1;
    assert_int_equal(gcal_kernel_size_values(kernel, sizes, NULL), 0);
    assert_int_equal(gcal_binding_eval(binding, sizes, &result, NULL), 0);
    gcal_binding_destroy(binding);
    return result;
}

static double multiplications(const struct gcal_kernel *kernel, double sub_group_size)
{
    return value(kernel, "f_op_float32_madd", sub_group_size);
}

/* n is 640: 10 groups, 3 launches. */
static void counts_are_those_of_the_sub_groups(void **state)
{
    /* Sub-groups with work: of 32, both; of 16, 4; of 8, 0 to 2 and 5 to 7. */
    static const struct {
        size_t size;
        double sub_groups, divergent;
    } cases[] = { { 32, 2, 2 }, { 8, 6, 1 }, { 16, 4, 2 }, { 32, 2, 2 }, { 8, 6, 1 } };
    struct gcal_catalogue *catalogue = open_catalogue();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct gcal_kernel_counting counting = { .sub_group_size = cases[i].size };
        struct gcal_kernel_list list = pick(catalogue, &counting, "red");
        const struct gcal_kernel *k = list.kernels[1];
        double size = (double)cases[i].size;

        assert_int_equal(list.n_kernels, 2);
        assert_false(k->profile->estimated);
        assert_int_equal(k->counting.sub_group_size, cases[i].size);
        assert_true(multiplications(k, size) == 30 * cases[i].sub_groups);
        assert_true(value(k, "f_divergent_branch", size) == 30 * cases[i].divergent);
        assert_true(multiplications(k, 2 * size) == -1);
        assert_true(value(k, "f_sector", size) == -1);
        assert_true(value(k, "f_local_pass", size) == -1);
        gcal_kernel_list_clear(&list);
    }
    gcal_catalogue_close(catalogue);
}

static void without_a_size_counts_are_symbolic(void **state)
{
    const struct gcal_kernel_counting none = { 0 }, of_32 = { .sub_group_size = 32 };
    struct gcal_catalogue *catalogue = open_catalogue();
    struct gcal_kernel_list exact = pick(catalogue, &of_32, "red");
    struct gcal_kernel_list any = pick(catalogue, &none, "red");

    (void)state;
    assert_true(any.kernels[0]->profile->estimated);
    assert_true(multiplications(any.kernels[1], 8) > 0);
    assert_true(multiplications(any.kernels[1], 64) > 0);
    assert_int_equal(any.n_kernels, 2);
    for (size_t i = 0; i < 2; i++) { /* the same kernels */
        assert_string_equal(any.kernels[i]->id, exact.kernels[i]->id);
        assert_string_equal(any.kernels[i]->profile->fingerprint,
                            exact.kernels[i]->profile->fingerprint);
    }
    gcal_kernel_list_clear(&any);
    gcal_kernel_list_clear(&exact);
    gcal_catalogue_close(catalogue);
}

/* The stride of 32 words puts all lanes of a sub-group into one bank. */
static void passes_and_traffic_are_counted_where_asked_for(void **state)
{
    const struct gcal_kernel_counting all = {
        .sub_group_size = 32, .n_banks = 32, .sector_bytes = 32, .index_arithmetic = true
    };
    struct gcal_catalogue *catalogue = open_catalogue();
    struct gcal_kernel_list list = pick(catalogue, &all, "red");
    const struct gcal_kernel *k = list.kernels[1];

    (void)state;
    assert_true(value(k, "f_local_pass_float32_store", 32) == 30 * 64);
    assert_true(value(k, "f_local_pass_float32_load", 32) == 30 * 44);
    /* lanes 0 to 19: 3 sectors; 40 to 63: 3 */
    assert_true(value(k, "f_sector_global_float32_load", 32) == 30 * 6);
    assert_true(value(k, "f_partial_sector", 32) == 30);
    assert_true(value(k, "f_index_int32_add", 32) >= 0);
    assert_true(value(k, "f_load_chain", 32) == 3); /* one launch after the other */
    assert_true(value(k, "f_loads_in_flight", 32) == 1);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

/* Rows of a pitch in bytes, which is a multiple of a float's at the given size only. */
static void estimates_are_counted_again_at_sizes(void **state)
{
    struct gcal_kernel_counting counting = { .sub_group_size = 32, .sector_bytes = 32 };
    struct gcal_catalogue *catalogue;

    (void)state;
    folder_write("p.cl",
                 "__kernel void k(__global const uchar *s, __global float *x, int p)"
                 "\n{\n    int i = get_global_id(0), y = get_global_id(1);\n"
                 "    x[64 * y + i] = ((__global const float *)(s + y * p))[i];\n}\n");
    catalogue = catalogue_open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: p.cl\nkernel: k\n"
        "arguments: {h: {size: [8]}, p: {size: [512]}}\n"
        "local_size: [32, 1]\nglobal_size: [64, h]\nargs:\n"
        "- {name: s, buffer: uint8, elements: h*p}\n"
        "- {name: x, buffer: float32, elements: 64*h, output: true}\n"
        "- {name: p, scalar: int32, value: p}\n"
        "assume: p >= 256\ncheck: {h: 2, p: 256}\n");
    for (int at_sizes = 0; at_sizes < 2; at_sizes++) {
        struct gcal_kernel_list list;

        counting.at_sizes = at_sizes;
        list = pick(catalogue, &counting, "red");
        assert_true(value(list.kernels[0], "f_sector_global_load", 32) ==
                    (at_sizes ? 8 * 8 : 8 * 64));
        assert_true(value(list.kernels[0], "f_sector_global_store", 32) == 8 * 8);
        gcal_kernel_list_clear(&list);
    }
    gcal_catalogue_close(catalogue);
}

/* A derived kernel and the origin of its component's count. */
static void derived_kernels_are_counted_likewise(void **state)
{
    const struct gcal_kernel_counting counting = { .sub_group_size = 8,
                                                   .sector_bytes = 32 };
    struct gcal_catalogue *catalogue = open_catalogue();
    struct gcal_kernel_list list = pick(catalogue, &counting, "red_memory");

    (void)state;
    assert_true(list.n_kernels >= 2);
    for (size_t i = 0; i < list.n_kernels; i++) {
        const struct gcal_kernel *k = list.kernels[i];

        assert_int_equal(k->counting.sub_group_size, 8);
        assert_true(value(k, "f_sector_global_float32_load", 8) > 0);
        assert_true(value(k, "f_memory_tag:one", 8) > 0);
        assert_true(value(k, "f_memory_tag:one", 32) == -1);
    }
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

static void transfers_have_no_sub_groups(void **state)
{
    const struct gcal_kernel_counting counting = { .sub_group_size = 8 };
    struct gcal_catalogue *catalogue = catalogue_open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\narguments: {n: {size: [64]}}\n"
        "transfer: {direction: to_device, memory: pinned, bytes: 4*n}\n"
        "check: {n: 8}\n");
    struct gcal_kernel_list list = pick(catalogue, &counting, "red");

    (void)state;
    assert_int_equal(list.kernels[0]->counting.sub_group_size, 0);
    assert_true(value(list.kernels[0], "f_transfer_bytes", 32) == 256);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

/* Of four work-group sizes the last is too large; every second variant cannot be counted. */
static struct gcal_kernel_list pick_many(struct gcal_catalogue **catalogue)
{
    static const char *const tag = "green";
    const struct gcal_kernel_limits limits = { .max_work_group_size = 64,
                                               .fp64 = true,
                                               .counting = { .sub_group_size = 32 } };
    struct gcal_kernel_list list = { 0 };

    folder_write("g.cl",
                 "__kernel void k(__global float *x, __global int *m)\n{\n"
                 "    int i = get_global_id(0);\n"
                 "#if BAD\n    for (int j = 0; j < m[i]; j++) x[i] += j;\n#endif\n"
                 "    for (int j = 0; j < REPEAT; j++) x[i + j] += 2.5f;\n}\n");
    *catalogue = catalogue_open_one(
        "gpucal_kernel: 1\nname: one\ntags: [green]\nsource: g.cl\nkernel: k\n"
        "arguments: {l: {values: [16, 32, 64, 128]}, repeat: {values: [1, 2, 3, 4, 5]},"
        " bad: {values: [0, 1]}, n: {size: [128, 640, 100]}}\n"
        "defines: {REPEAT: repeat, BAD: bad}\n"
        "local_size: [l]\nglobal_size: [n]\n"
        "args: [{name: x, buffer: float32, elements: n + repeat, output: true},\n"
        "       {name: m, buffer: int32, elements: n}]\n"
        "companions: {tag: green, forms: [memory, onchip]}\ncheck: {n: 128}\n");
    assert_int_equal(gcal_catalogue_generate(*catalogue, 1, &tag, GCAL_MATCH_SUPERSET,
                                             &limits, &list, &err),
                     0);
    return list;
}

static void assert_same_lists(const struct gcal_kernel_list *a,
                              const struct gcal_kernel_list *b)
{
    assert_int_equal(a->n_kernels, b->n_kernels);
    for (size_t i = 0; i < a->n_kernels; i++) {
        char *x = gcal_profile_encode(a->kernels[i]->profile, &err);
        char *y = gcal_profile_encode(b->kernels[i]->profile, &err);

        assert_string_equal(a->kernels[i]->id, b->kernels[i]->id);
        assert_string_equal(x, y);
        free(x);
        free(y);
    }
    assert_int_equal(a->failed.n, b->failed.n);
    for (size_t i = 0; i < a->failed.n; i++)
        assert_string_equal(a->failed.items[i], b->failed.items[i]);
    assert_memory_equal(a->left_out, b->left_out, sizeof(a->left_out));
}

static void lists_do_not_depend_on_the_number_of_threads(void **state)
{
    struct gcal_catalogue *one, *all;
    struct gcal_kernel_list expected, list;
    cpu_set_t own, first;
    int cpu = 0;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof(own), &own), 0);
    while (!CPU_ISSET(cpu, &own))
        cpu++;
    CPU_ZERO(&first);
    CPU_SET(cpu, &first);
    assert_int_equal(sched_setaffinity(0, sizeof(first), &first), 0);
    expected = pick_many(&one);
    assert_int_equal(sched_setaffinity(0, sizeof(own), &own), 0);
    list = pick_many(&all);
    assert_true(expected.n_kernels > 20);
    assert_true(expected.failed.n > 20);
    assert_true(expected.left_out[GCAL_KERNEL_EXCLUDED_WORK_GROUP] > 10);
    assert_same_lists(&expected, &list);
    gcal_kernel_list_clear(&expected);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(one);
    gcal_catalogue_close(all);
}

/* Where no range is stated, the numbers that buffers are filled with bound the places. */
static void places_are_those_of_the_numbers_that_fill_buffers(void **state)
{
    static const struct {
        const char *dtype, *type, *output;
        double sectors; /* of the table of 65536 floats */
    } cases[] = {
        { "int32", "int", "", 128 },
        { "uint8", "uchar", "", 16 },
        { "int32", "int", ", output: true", 8192 }, /* the kernel may write others */
    };
    const struct gcal_kernel_counting all = { .sub_group_size = 32, .sector_bytes = 32 };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = gcal_buf_format(
            "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: g.cl\nkernel: k\n"
            "arguments: {n: {size: [65536]}}\nlocal_size: [64]\nglobal_size: [n]\n"
            "args:\n  - {name: t, buffer: float32, elements: 65536}\n"
            "  - {name: x, buffer: %s, elements: n%s}\n"
            "  - {name: y, buffer: float32, elements: n, output: true}\n"
            "assume: n %% 64 = 0 and n >= 64\ncheck: {n: 64}\n",
            cases[i].dtype, cases[i].output);
        char *code = gcal_buf_format(
            "__kernel void k(__global float *t, __global %s *x, __global float *y)\n{\n"
            "    y[get_global_id(0)] = t[x[get_global_id(0)]];\n}\n",
            cases[i].type);

        assert_non_null(text);
        assert_non_null(code);
        folder_write("g.cl", code);
        struct gcal_catalogue *catalogue = catalogue_open_one(text);
        struct gcal_kernel_list list = pick(catalogue, &all, "red");
        double sectors =
            value(list.kernels[0], "f_footprint_launch_global_float32_load", 32);

        if (sectors != cases[i].sectors)
            fail_msg("%s%s: %g sectors", cases[i].dtype, cases[i].output, sectors);
        gcal_kernel_list_clear(&list);
        gcal_catalogue_close(catalogue);
        free(text);
        free(code);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, catalogue_folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(counts_are_those_of_the_sub_groups),
        TEST(without_a_size_counts_are_symbolic),
        TEST(passes_and_traffic_are_counted_where_asked_for),
        TEST(estimates_are_counted_again_at_sizes),
        TEST(places_are_those_of_the_numbers_that_fill_buffers),
        TEST(derived_kernels_are_counted_likewise),
        TEST(transfers_have_no_sub_groups),
        TEST(lists_do_not_depend_on_the_number_of_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
