/* test_catalogue_devices.c - kernels that a device cannot run, and sizes scaled to it */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/folder.h"
#include "tests/kernels/generate/catalogue_pick.h"

static struct gcal_kernel_list pick_for(const struct gcal_catalogue *catalogue,
                                        const struct gcal_kernel_limits *limits,
                                        const char *tag)
{
    const char *tags[] = { "red", tag };
    struct gcal_kernel_list list = { 0 };

    if (gcal_catalogue_generate(catalogue, 2, tags, GCAL_MATCH_SUPERSET, limits, &list,
                                &err) < 0)
        fail_msg("%s", err.text);
    return list;
}

static void what_a_device_cannot_run_is_left_out(void **state)
{
    static const struct gcal_kernel_limits all = {
        .max_work_group_size = 64, .local_memory_bytes = 2048, .fp16 = true, .fp64 = true
    };
    const struct {
        struct gcal_kernel_limits limits;
        const char *tag;
        int reason; /* -1: not left out */
    } cases[] = {
        { all, "dtype:float64", -1 },
        { { .fp16 = true, .fp64 = true }, "lsize_0:1024", -1 },
        { all, "lsize_0:64", -1 },
        { all, "lsize_0:128", GCAL_KERNEL_EXCLUDED_WORK_GROUP },
        { all, "n_local:192", -1 }, /* 4 * (192 + 10 * 32) is all there is */
        { all, "n_local:193", GCAL_KERNEL_EXCLUDED_LOCAL_MEMORY },
        { { .fp16 = true }, "dtype:float64", GCAL_KERNEL_EXCLUDED_FP64 },
        { { .fp64 = true }, "dtype:float16", GCAL_KERNEL_EXCLUDED_FP16 },
        { { 0 }, "dtype:float32", -1 },
    };
    struct gcal_catalogue *c;

    (void)state;
    folder_write("c.cl", "__kernel void c(__global T *x, __local float *outside)\n"
                         "{\n    __local float inside[N_LOCAL];\n"
                         "    outside[get_local_id(0)] = inside[get_local_id(0)] = 1;\n"
                         "    x[get_global_id(0)] = outside[0] + inside[1];\n}\n");
    c = catalogue_open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: c.cl\nkernel: c\n"
        "arguments:\n"
        "  dtype: {values: [float16, float32, float64], default: [float32]}\n"
        "  n_local: {range: [2, 1000], default: [4]}\n"
        "  lsize_0: {powers_of_two: [32, 1024], default: [32]}\n"
        "  n: {size: [1024]}\n"
        "defines: {T: dtype, N_LOCAL: n_local}\n"
        "local_size: [lsize_0]\nglobal_size: [n]\nargs:\n"
        "- {name: x, buffer: float32, elements: n, output: true}\n"
        "- {name: outside, local: float32, elements: 320}\n"
        "check: {n: lsize_0}\n");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gcal_kernel_list list = pick_for(c, &cases[i].limits, cases[i].tag);

        assert_int_equal(list.n_kernels, cases[i].reason < 0);
        for (int reason = 0; reason < GCAL_KERNEL_N_EXCLUSIONS; reason++)
            assert_int_equal(list.left_out[reason], reason == cases[i].reason);
        assert_false(list.nominal);
        gcal_kernel_list_clear(&list);
    }
    assert_string_equal(gcal_kernel_exclusion_name(GCAL_KERNEL_EXCLUDED_FP64),
                        "float64, which the device does not support");
    gcal_catalogue_close(c);
}

static void expect_sizes(const struct gcal_catalogue *c,
                         const struct gcal_kernel_limits *limits, const char *tag,
                         size_t n, const double *sizes)
{
    struct gcal_kernel_list list = pick_for(c, limits, tag);

    assert_int_equal(list.n_kernels, n);
    assert_true(list.nominal == !limits);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(list.kernels[i]->sizes[0].name, "n");
        if (list.kernels[i]->sizes[0].value != sizes[i])
            fail_msg("%s: n is %.0f", tag, list.kernels[i]->sizes[0].value);
        assert_false(list.kernels[i]->sweep);
    }
    gcal_kernel_list_clear(&list);
}

static void footprints_follow_the_device(void **state)
{
    /* no round numbers: 1000003 bytes of cache, 50 MB of memory */
    static const struct gcal_kernel_limits device = { .cache_bytes = 1000003,
                                                      .memory_bytes = 5e7,
                                                      .fp64 = true };
    struct gcal_kernel_limits little = device, tiny = device;
    struct gcal_catalogue *c = catalogue_open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\narguments:\n"
        "  dtype: {values: [float32, float64], default: [float32]}\n"
        "  n: {footprint: {cache: [0.25, 4], memory: [0.5], multiple: 96}}\n"
        "local_size: [32]\nglobal_size: [n]\nargs:\n"
        "- {name: x, buffer: dtype, elements: n, output: true}\n"
        "- {name: y, buffer: dtype, elements: 2*n}\n"
        "assume: n <= 2000000\n"
        "check: {n: 32}\n");

    (void)state;
    little.max_alloc_bytes = 1e6;
    tiny.cache_bytes = 4000;
    /* floor(1000003 / 4 / 12 / 96) * 96, floor(4 * 1000003 / 12 / 96) * 96, 'assume' */
    expect_sizes(c, &device, "dtype:float32", 3, (double[]){ 20832, 333312, 1999968 });
    expect_sizes(c, &device, "dtype:float64", 3, (double[]){ 10368, 166656, 1041600 });
    /* 8 bytes of each of n elements in a buffer; the last two are the same kernel */
    expect_sizes(c, &little, "dtype:float32", 2, (double[]){ 20832, 124992 });
    expect_sizes(c, NULL, "dtype:float32", 3, (double[]){ 87360, 1398048, 1999968 });
    expect_sizes(c, &tiny, "dtype:float32", 2, (double[]){ 1248, 1999968 });
    {
        struct gcal_kernel_list list = pick_for(c, &tiny, "dtype:float32");

        assert_int_equal(list.left_out[GCAL_KERNEL_EXCLUDED_FOOTPRINT], 1);
        gcal_kernel_list_clear(&list);
        list = pick_for(c, NULL, "n:960");
        assert_int_equal(list.n_kernels, 1);
        assert_string_equal(list.kernels[0]->name, "one dtype:float32 n:960");
        assert_false(list.nominal);
        gcal_kernel_list_clear(&list);
    }
    gcal_catalogue_close(c);
}

static void a_footprint_may_give_its_bytes(void **state)
{
    static const struct gcal_kernel_limits device = { .cache_bytes = 1e6 };
    struct gcal_catalogue *c = catalogue_open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\narguments:\n"
        "  width: [1, 2]\n"
        "  n: {footprint: {bytes: 100*width*n^2, cache: [1], multiple: 4}}\n"
        "local_size: [4]\nglobal_size: [n]\nargs:\n"
        "- {name: x, buffer: float32, elements: n, output: true}\n"
        "- {name: n, scalar: int32, value: n}\ncheck: {n: 32}\n");

    (void)state;
    expect_sizes(c, &device, "width:1", 1, (double[]){ 100 });
    expect_sizes(c, &device, "width:2", 1, (double[]){ 68 }); /* below 70.7 */
    gcal_catalogue_close(c);
}

/* The last sizes of m do not fit beside the largest n, but do not make n smaller. */
static void a_size_sweep_has_one_footprint(void **state)
{
    static const struct gcal_kernel_limits device = { .cache_bytes = 4e6,
                                                      .max_alloc_bytes = 4e6 };
    struct gcal_catalogue *c = catalogue_open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\narguments:\n"
        "  n: {footprint: {bytes: 4*n, cache: [1], multiple: 1000}}\n"
        "  m: {ladder: [1, 64, 4096]}\n"
        "local_size: [4]\nglobal_size: [n]\nargs:\n"
        "- {name: x, buffer: float32, elements: n, output: true}\n"
        "- {name: y, buffer: float32, elements: 500*m}\n"
        "check: {n: 32, m: 1}\n");
    struct gcal_kernel_list list;

    (void)state;
    list = pick_for(c, &device, "red");
    assert_int_equal(list.n_kernels, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(list.kernels[i]->sizes[0].value == 1e6);
        assert_string_equal(list.kernels[i]->family, "one n:1000000");
    }
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, catalogue_folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_a_device_cannot_run_is_left_out),
        TEST(footprints_follow_the_device),
        TEST(a_footprint_may_give_its_bytes),
        TEST(a_size_sweep_has_one_footprint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
