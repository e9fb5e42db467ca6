/* test_catalogue.c - the built-in catalogue: tags, generation, counts, and results */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/model/binding.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/interpret/interpret.h"
#include "tests/kernels/generate/catalogue_pick.h"

static struct gcal_catalogue *builtin(void)
{
    struct gcal_catalogue *catalogue = gcal_catalogue_open(NULL, &err);

    if (!catalogue)
        fail_msg("%s", err.text);
    return catalogue;
}

static void the_folder_and_the_builtin_catalogue_agree(void **state)
{
    struct gcal_catalogue *inside = builtin();
    struct gcal_catalogue *outside =
        gcal_catalogue_open(SOURCE_DIR "/kernels/catalogue", &err);
    struct gcal_kernel_list a, b;
    char *described[2];

    (void)state;
    if (!outside)
        fail_msg("%s", err.text);
    described[0] = gcal_catalogue_describe(inside, &err);
    described[1] = gcal_catalogue_describe(outside, &err);
    assert_string_equal(described[0], described[1]);
    assert_non_null(
        strstr(described[0],
               "\nmatmul_tiled [matmul_sq application]\n"
               "    product of square matrices, tiles fetched into local memory\n"
               "    dtype:float32,float64=float32 prefetch:True lsize_0:8,16,32=16 "
               "lsize_1:8,16,32=16\n"
               "    groups_fit:True,False=True n:any=64..8192\n"
               "    +matmul_tiled_loads [matmul_sq_loads work_removed] "
               "+matmul_tiled_onchip\n"
               "    [matmul_sq_onchip work_removed] +matmul_tiled_memory "
               "[matmul_sq_memory work_removed]\n"));
    a = PICK(inside, GCAL_MATCH_SUPERSET, "matmul_sq", "n:2400");
    b = PICK(outside, GCAL_MATCH_SUPERSET, "matmul_sq", "n:2400");
    assert_int_equal(a.n_kernels, 2);
    for (size_t i = 0; i < a.n_kernels; i++) {
        assert_int_equal(strlen(a.kernels[i]->id), 64);
        assert_string_equal(a.kernels[i]->id, b.kernels[i]->id);
    }
    assert_string_not_equal(a.kernels[0]->id, a.kernels[1]->id);
    assert_int_equal(strlen(gcal_catalogue_fingerprint(inside)), 64);
    assert_string_equal(gcal_catalogue_fingerprint(inside),
                        gcal_catalogue_fingerprint(outside));
    free(described[0]);
    free(described[1]);
    gcal_kernel_list_clear(&a);
    gcal_kernel_list_clear(&b);
    gcal_catalogue_close(inside);
    gcal_catalogue_close(outside);
}

/* Stevens and Kloeckner 2020, section 7.1. */
static void the_examples_of_the_paper(void **state)
{
#define PRODUCT                                                                          \
    "matmul_sq", "dtype:float32", "lsize_0:16", "lsize_1:16", "groups_fit:True"
    static const char *const both[] = { "matmul_sq", "finite_diff" };
    static const char *const names[] = { "matmul_plain", "matmul_tiled",
                                         "stencil_5point" };
    struct gcal_catalogue *c = builtin();
    struct gcal_kernel_list list = { 0 };
    size_t n_found = 0;

    (void)state;
    EXPECT(c, 4, PRODUCT, "prefetch:True", "n:2048,2560,3072,3584");
    EXPECT(c, 8, PRODUCT, "n:2048,2560,3072,3584");
    EXPECT(c, 16, "flops_madd_pattern", "dtype:float32", "lsize_0:16", "lsize_1:16",
           "groups_fit:True", "lid_stride_0:1", "lid_stride_1:2048",
           "nelements:524288,786432,1048576,1310720", "m:1024,1152,1280,1408");
    EXPECT(c, 1, "flops_madd_pattern", "nelements:524288", "m:1024");
    EXPECT(c, 1, "finite_diff", "lsize_0:16", "lsize_1:16", "groups_fit:True", "n:2016");
    expect_refused(c, GCAL_MATCH_SUPERSET, both[0], both[1], "has all of these tags");
    expect_refused(c, GCAL_MATCH_IDENTICAL, both[0], both[1], "has exactly these tags");
    expect_refused(c, GCAL_MATCH_SUBSET, both[0], both[1], "has only tags of these");
    list = PICK(c, GCAL_MATCH_INTERSECT, "matmul_sq", "finite_diff", "n:2016");
    for (size_t i = 0; i < list.n_kernels; i++) {
        while (n_found < COUNT(names) &&
               strcmp(list.kernels[i]->generator, names[n_found]) != 0)
            n_found++;
        assert_true(n_found < COUNT(names));
    }
    assert_int_equal(n_found, COUNT(names) - 1);
    gcal_kernel_list_clear(&list);
    list = PICK(c, GCAL_MATCH_IDENTICAL, "matmul_sq", "application", "n:48");
    assert_int_equal(list.n_kernels, 2);
    gcal_kernel_list_clear(&list);
    list = PICK(c, GCAL_MATCH_SUBSET, "matmul_sq", "finite_diff", "application", "n:2016",
                "prefetch:True");
    assert_int_equal(list.n_kernels, 1 + 2);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

/* Sizes that are no multiples, and launches that are. */
static void groups_need_not_fit(void **state)
{
    static const char *const words[] = { "matmul_sq",          "finite_diff",
                                         "flops_add_pattern",  "flops_mul_pattern",
                                         "flops_madd_pattern", "gmem_load_pattern",
                                         "gmem_store_pattern" };
    struct gcal_catalogue *c = builtin();

    (void)state;
    for (size_t i = 0; i < COUNT(words); i++) {
        struct gcal_kernel_list list = PICK(
            c, GCAL_MATCH_SUPERSET, words[i], "groups_fit:False",
            i < 2 ? "lsize_0:16" : "lsize_0:256", i < 2 ? "n:1001" : "nelements:1001",
            i == 2 || i == 3 || i == 4 ? "m:3" : "dtype:float32");

        assert_true(list.n_kernels > 0);
        for (size_t k = 0; k < list.n_kernels; k++) {
            struct gcal_geometry geometry = { 0 };

            assert_non_null(strstr(list.kernels[k]->name, "groups_fit:False"));
            assert_int_equal(
                gcal_kernel_geometry(list.kernels[k], list.kernels[k]->n_sizes,
                                     list.kernels[k]->sizes, &geometry, &err),
                0);
            assert_true(geometry.global_size[0] % 1001 != 0);
            assert_int_equal(geometry.global_size[0] % list.kernels[k]->local_size[0], 0);
            gcal_kernel_geometry_clear(&geometry);
        }
        gcal_kernel_list_clear(&list);
    }
    gcal_catalogue_close(c);
}

static void variant_tags_span_the_cartesian_product(void **state)
{
    struct gcal_catalogue *catalogue = builtin();
    struct gcal_kernel_list list =
        PICK(catalogue, GCAL_MATCH_SUPERSET, "gmem_load_pattern", "n_arrays:1,2,3",
             "per_item:1,4", "nelements:8192,4096");

    (void)state;
    assert_int_equal(list.n_kernels, 12);
    for (size_t i = 0; i < list.n_kernels; i++) {
        assert_false(list.kernels[i]->sweep);
        assert_int_equal(list.kernels[i]->n_args, 2 + i / 4);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(list.kernels[i]->id, list.kernels[j]->id);
    }
    assert_string_equal(list.kernels[7]->name,
                        "gmem_load dtype:float32 lsize_0:256 lid_stride_0:1 "
                        "groups_fit:True n_arrays:2 per_item:4 nelements:4096");
    assert_string_equal(list.kernels[7]->build_options,
                        "-DT=float -DLSIZE_0=256 -DN_ARRAYS=2 -DPER_ITEM=4 "
                        "-DGROUPS_FIT=True");
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

static void a_generator_is_picked_by_its_name(void **state)
{
    struct gcal_catalogue *catalogue = builtin();
    struct gcal_kernel_list list =
        PICK(catalogue, GCAL_MATCH_SUPERSET, "flops_madd", "dtype:float32", "m:2");

    (void)state;
    assert_int_equal(list.n_kernels, 1);
    assert_string_equal(list.kernels[0]->generator, "flops_madd");
    gcal_kernel_list_clear(&list);
    expect_refused(catalogue, GCAL_MATCH_IDENTICAL, "flops_madd", NULL, "these tags");
    expect_refused(catalogue, GCAL_MATCH_SUPERSET, "flops_mad", NULL,
                   "did you mean 'flops_madd'?");
    gcal_catalogue_close(catalogue);
}

static void a_size_that_no_tag_fixes_is_a_size_sweep(void **state)
{
    struct gcal_catalogue *catalogue = builtin();
    struct gcal_kernel_list list =
        PICK(catalogue, GCAL_MATCH_SUPERSET, "flops_madd_pattern");
    size_t n_swept = list.n_kernels;
    const char *again[] = { "flops_madd_pattern", "m:2,7" };

    (void)state;
    assert_in_range(n_swept, 10, 30);
    for (size_t i = 0; i < n_swept; i++) {
        const struct gcal_kernel *k = list.kernels[i];

        assert_true(k->sweep);
        assert_string_equal(k->family, list.kernels[0]->family);
        assert_string_equal(k->sizes[1].name, "m");
        assert_true(i == 0 || k->sizes[1].value > list.kernels[i - 1]->sizes[1].value);
    }
    /* m:2 is in the list already, and is not part of the size sweep any more. */
    assert_int_equal(gcal_catalogue_generate(catalogue, 2, again, GCAL_MATCH_SUPERSET,
                                             NULL, &list, &err),
                     0);
    assert_int_equal(list.n_kernels, n_swept + 1);
    assert_false(list.kernels[1]->sweep);
    assert_true(list.kernels[2]->sweep);
    assert_false(list.kernels[n_swept]->sweep);
    assert_string_equal(list.kernels[n_swept]->family, list.kernels[0]->family);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

static void wrong_tags_name_the_nearest(void **state)
{
    struct gcal_catalogue *c = builtin();

    (void)state;
    expect_refused(c, GCAL_MATCH_SUPERSET, "flops_mad_patern", NULL,
                   "did you mean 'flops_madd_pattern'?");
    expect_refused(c, GCAL_MATCH_SUPERSET, "matmul_sq", "dtyp:float32",
                   "'dtyp' (did you mean 'dtype'?)");
    expect_refused(c, GCAL_MATCH_SUPERSET, "matmul_sq", "dtype:float16",
                   "takes float32, float64");
    expect_refused(c, GCAL_MATCH_SUPERSET, "matmul_sq", "n:2385", "matmul_");
    expect_refused(c, GCAL_MATCH_SUPERSET, "matmul_sq", "n:big", "positive integers");
    expect_refused(c, GCAL_MATCH_SUPERSET, "matmul_sq", "n:48,", "a value is missing");
    expect_refused(c, GCAL_MATCH_SUPERSET, "n:48", "n:64", "duplicate argument 'n'");
    expect_refused(c, GCAL_MATCH_SUPERSET, "matmul_sq", "flops", "has all of these tags");
    gcal_catalogue_close(c);
}

static void geometry_follows_the_sizes(void **state)
{
    struct gcal_catalogue *catalogue = builtin();
    struct gcal_kernel_list list = PICK(catalogue, GCAL_MATCH_SUPERSET, "matmul_sq_loads",
                                        "prefetch:True", "n:2400", "keep:a");
    struct gcal_geometry geometry;
    struct gcal_size odd = { "n", 2385 };

    (void)state;
    assert_int_equal(list.n_kernels, 1);
    assert_int_equal(gcal_kernel_geometry(list.kernels[0], list.kernels[0]->n_sizes,
                                          list.kernels[0]->sizes, &geometry, &err),
                     0);
    assert_int_equal(geometry.global_size[0], 2400);
    assert_int_equal(geometry.global_size[1], 2400);
    /* a, b, c, n and the buffer that work removal adds. */
    assert_int_equal(list.kernels[0]->n_args, 5);
    assert_true(geometry.arg_values[3] == 2400);
    assert_true(geometry.arg_values[4] == 2400.0 * 2400);
    assert_true(geometry.total_bytes == 4 * 4 * 2400.0 * 2400);
    assert_true(list.kernels[0]->args[4].output);
    assert_false(list.kernels[0]->args[2].output);
    gcal_kernel_geometry_clear(&geometry);
    assert_int_equal(gcal_kernel_geometry(list.kernels[0], 1, &odd, &geometry, &err), -1);
    assert_int_equal(gcal_kernel_geometry(list.kernels[0], 0, NULL, &geometry, &err), -1);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

/* The count of a feature in the only kernel that two tags and 'size' pick, for
 * sub-groups of 32.
 */
static double count_of(const struct gcal_catalogue *catalogue, const char *tag,
                       const char *variant, const char *size, const char *feature)
{
    struct gcal_kernel_list list =
        PICK(catalogue, GCAL_MATCH_SUPERSET, tag, variant, size);
    const struct gcal_kernel *k = list.kernels[0];
    const struct gcal_profile *profile = k->profile;
    struct gcal_binding *binding = gcal_binding_create(profile, 1, &feature, 32, &err);
    double sizes[8], value = NAN;

    assert_int_equal(list.n_kernels, 1);
    assert_true(profile->n_parameters <= k->n_sizes);
    assert_false(profile->estimated);
    if (!binding)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < profile->n_parameters; i++) {
        size_t j = 0;

        while (j < k->n_sizes && strcmp(k->sizes[j].name, profile->parameters[i]) != 0)
            j++;
        assert_true(j < k->n_sizes);
        sizes[i] = k->sizes[j].value;
    }
    if (gcal_binding_eval(binding, sizes, &value, &err) < 0)
        fail_msg("%s: %s", k->name, err.text);
    gcal_binding_destroy(binding);
    gcal_kernel_list_clear(&list);
    return value;
}

static void every_entry_counts_its_feature(void **state)
{
    static const struct {
        const char *tag, *variant, *size, *feature;
        double count;
    } cases[] = {
        /* 524288 work-items are 16384 sub-groups and 2048 work-groups. */
        { "flops_madd_pattern", "nelements:524288", "m:7", "f_op_float32_madd",
          16384. * 64 * 7 },
        { "flops_madd_pattern", "dtype:float64", "m:7", "f_op_float64_madd",
          4096. * 64 * 7 },
        { "flops_madd_pattern", "nelements:524288", "m:7", "f_op_float32_add",
          16384. * 32 },
        { "flops_mul_pattern", "nelements:524288", "m:7", "f_op_float32_mul",
          16384. * 64 * 7 },
        { "flops_add_pattern", "nelements:524288", "m:7", "f_op_float32_add",
          16384. * (64 * 7 + 32) },
        { "flops_add_pattern", "nelements:524288", "m:7",
          "f_mem_access_global_float32_store", 524288 },
        { "gmem_load_pattern", "n_arrays:3", "nelements:4096", "f_mem_access_tag:stream",
          3 * 4096 },
        { "gmem_load_pattern", "n_arrays:3", "nelements:4096",
          "f_mem_access_global_float32_load_lstrides:{0:1}_afr:1", 3 * 4096 },
        { "gmem_store_pattern", "per_item:16", "nelements:8192",
          "f_mem_access_global_float32_store", 8192 },
        { "gmem_store_pattern", "per_item:16", "nelements:8192", "f_thread_groups", 2 },
        { "lmem_move_pattern", "nelements:524288", "m:7",
          "f_mem_access_local_float32_lstrides:{0:1}", 16384. * (8 * 7 + 8 + 1) },
        { "lmem_broadcast_pattern", "nelements:524288", "m:7",
          "f_mem_access_local_float32_lstrides:{0:0}", 16384. * 16 * 7 },
        { "lmem_broadcast_pattern", "nelements:524288", "m:7",
          "f_mem_access_local_float32_store", 16384. * (7 + 1) },
        { "barrier_pattern", "nelements:524288", "m:7", "f_sync_barrier_local", 15 },
        { "empty_kernel", "lsize_0:256", "ngroups:48", "f_thread_groups", 48 },
        { "empty_kernel", "lsize_0:256", "ngroups:48", "f_sync_kernel_launch", 1 },
        { "overlap_pattern", "m:5", "nelements:4096", "f_mem_access_tag:stream", 4096 },
        { "overlap_pattern", "m:5", "nelements:4096", "f_mem_access_local_float32",
          128 * (2 * 5 + 2) },
        /* 64 steps of 8 sub-groups per work-group; 512 steps of 2 */
        { "mix_stream_pattern", "m:16", "ngroups:32", "f_op_float32_madd",
          32. * 64 * 8 * 16 },
        { "mix_stream_pattern", "m:16", "ngroups:32", "f_mem_access_tag:mixStream",
          32 * 64 * 256 },
        { "mix_columns_pattern", "m:64", "ngroups:32",
          "f_mem_access_global_float32_load_lstrides:{0:>1}_afr:1", 32 * 64 * 256 },
        { "mix_once_pattern", "m:5", "nelements:4096", "f_mem_access_local_float32",
          128 * (2 + 5) },
        { "mix_registers_pattern", "r:8", "n:3", "f_op_float32_madd", 9. * 512 * 2 * 64 },
        { "mix_registers_pattern", "r:8", "n:3", "f_mem_access_tag:mixRegisters_afr:3",
          9. * 512 * 64 * 16 },
        { "matmul_sq", "prefetch:True", "n:240", "f_op_float32_madd",
          240. * 240 * 240 / 32 },
        { "matmul_sq", "prefetch:True", "n:240", "f_mem_access_tag:aPF",
          240. * 240 * 240 / 16 },
        { "matmul_sq", "prefetch:True", "n:240",
          "f_mem_access_local_float32_load_lstrides:{0:0}", 240. * 240 * 240 / 32 },
        { "matmul_sq", "prefetch:False", "n:240", "f_mem_access_tag:bNoPF",
          240. * 240 * 240 },
        { "matmul_sq", "prefetch:False", "n:240", "f_mem_access_tag:aNoPF",
          240. * 240 * 240 / 32 },
        { "matmul_sq_loads", "prefetch:False", "n:240", "f_mem_access_tag:aNoPF",
          240. * 240 * 240 / 32 },
        { "matmul_sq_loads", "prefetch:False", "n:240", "f_op_float32_madd", 0 },
        { "matmul_sq_loads", "prefetch:True", "n:240", "f_mem_access_tag:bPF",
          240. * 240 * 240 / 16 },
        { "matmul_sq_loads", "prefetch:True", "n:240", "f_mem_access_local_float32", 0 },
        { "matmul_sq_loads", "prefetch:True", "n:240",
          "f_mem_access_global_float32_store", 240. * 240 },
    };
    struct gcal_catalogue *catalogue = builtin();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double count = count_of(catalogue, cases[i].tag, cases[i].variant, cases[i].size,
                                cases[i].feature);

        if (count != cases[i].count)
            fail_msg("%s %s: %s is %g, not %g", cases[i].tag, cases[i].variant,
                     cases[i].feature, count, cases[i].count);
    }
    gcal_catalogue_close(catalogue);
}

/* ---- numeric checks ---- */

#define MAX_ARGS 8

struct call {
    struct gcal_interp_arg args[MAX_ARGS];
    int32_t scalars[MAX_ARGS];
};

static void make_call(const struct gcal_kernel *k, const struct gcal_geometry *geometry,
                      struct call *call)
{
    assert_true(k->n_args <= MAX_ARGS);
    memset(call, 0, sizeof(*call));
    for (size_t i = 0; i < k->n_args; i++) {
        size_t n = (size_t)geometry->arg_values[i];

        call->args[i].dtype = k->args[i].dtype;
        if (k->args[i].kind == GCAL_ARG_SCALAR) {
            assert_string_equal(k->args[i].dtype, "int32");
            call->scalars[i] = (int32_t)n;
            call->args[i].data = &call->scalars[i];
            continue;
        }
        call->args[i].count = n;
        call->args[i].data = calloc(n, gcal_dtype_size(k->args[i].dtype));
        assert_non_null(call->args[i].data);
        if (!k->args[i].output)
            assert_int_equal(
                gcal_dtype_fill(i + 1, k->args[i].dtype, n, call->args[i].data), 0);
    }
}

static void free_call(const struct gcal_kernel *k, struct call *call)
{
    for (size_t i = 0; i < k->n_args; i++)
        if (k->args[i].kind != GCAL_ARG_SCALAR)
            free(call->args[i].data);
}

static double element(const struct gcal_interp_arg *arg, size_t i)
{
    return strcmp(arg->dtype, "float64") == 0 ? ((const double *)arg->data)[i]
                                              : (double)((const float *)arg->data)[i];
}

/* Fails for outputs of zeros only, too: a kernel that writes nothing. */
static void compare(const struct gcal_kernel *k, const struct call *got,
                    const struct call *expected)
{
    for (size_t a = 0; a < k->n_args; a++) {
        double sum = 0;

        for (size_t i = 0; k->args[a].output && i < got->args[a].count; i++) {
            double x = element(&got->args[a], i), y = element(&expected->args[a], i);

            sum += fabs(y);
            if (!(fabs(x - y) <= k->tolerance * fabs(y)))
                fail_msg("%s: %s[%zu] is %.9g, not %.9g", k->name, k->args[a].name, i, x,
                         y);
        }
        assert_true(!k->args[a].output || (sum > 0 && isfinite(sum)));
    }
}

static void check_kernel(const struct gcal_kernel *k)
{
    struct gcal_count_request request = {
        .source = k->source,
        .file = k->name,
        .kernel = k->entry,
        .build_options = k->build_options,
        .n_dims = k->n_dims,
    };
    struct gcal_geometry geometry;
    struct call got, expected;

    for (size_t i = 0; i < k->n_dims; i++) {
        request.local_size[i] = k->local_size[i];
        request.global_size[i] = k->global_size[i];
    }
    assert_int_equal(
        gcal_kernel_geometry(k, k->n_check_sizes, k->check_sizes, &geometry, &err), 0);
    make_call(k, &geometry, &got);
    make_call(k, &geometry, &expected);
    if (gcal_interp_run_kernel(&request, geometry.global_size, k->n_args, got.args,
                               &err) < 0)
        fail_msg("%s: %s", k->name, err.text);
    if (!k->reference)
        compare(k, &got, &got);
    else if (gcal_interp_run_function(k->reference, k->name, "reference", k->n_args,
                                      expected.args, &err) < 0)
        fail_msg("%s: %s", k->name, err.text);
    else
        compare(k, &got, &expected);
    free_call(k, &got);
    free_call(k, &expected);
    gcal_kernel_geometry_clear(&geometry);
}

static void every_kernel_computes_its_reference(void **state)
{
    static const char *const tags[][2] = {
        { "matmul_sq", "n:48" },
        { "matmul_sq_loads", "keep:a,b,all" },
        { "flops_madd_pattern", "m:3" },
        { "flops_madd_pattern", "dtype:float64" },
        { "gmem_load_pattern", "n_arrays:1,2,3,4" },
        { "gmem_store_pattern", "per_item:16" },
        { "lmem_move_pattern", "m:5" },
        { "overlap_pattern", "m:4" },
        { "barrier_pattern", "m:7" },
        { "empty_kernel", "ngroups:2" },
    };
    struct gcal_catalogue *catalogue = builtin();
    size_t n_checked = 0;

    (void)state;
    for (size_t t = 0; t < COUNT(tags); t++) {
        struct gcal_kernel_list list =
            catalogue_pick(catalogue, GCAL_MATCH_SUPERSET,
                           (const char *const[]){ tags[t][0], tags[t][1], NULL });

        for (size_t i = 0; i < list.n_kernels; i++)
            if (!i || strcmp(list.kernels[i]->family, list.kernels[i - 1]->family) != 0) {
                check_kernel(list.kernels[i]);
                n_checked++;
            }
        gcal_kernel_list_clear(&list);
    }
    assert_true(n_checked >= COUNT(tags));
    gcal_catalogue_close(catalogue);
}

/* As records name kernels. */
static void tags_pick_kernels_by_name(void **state)
{
    static const char kernel[] =
        "matmul_tiled dtype:float32 prefetch:True lsize_0:16 n:512";
    static const struct {
        const char *tags[3];
        enum gcal_match match;
        int picked;
    } cases[] = {
        { { "matmul_sq", "application" }, GCAL_MATCH_SUPERSET, 1 },
        { { "matmul_sq", "gmem" }, GCAL_MATCH_SUPERSET, 0 },
        { { "matmul_sq", "gmem" }, GCAL_MATCH_INTERSECT, 1 },
        { { "matmul_sq", "n:64,512", "dtype:float32" }, GCAL_MATCH_SUPERSET, 1 },
        { { "matmul_sq", "n:64,51" }, GCAL_MATCH_SUPERSET, 0 },
        { { "matmul_sq", "m:512" }, GCAL_MATCH_SUPERSET, 0 },
        { { "matmul_sq", "n:" }, GCAL_MATCH_SUPERSET, -1 },
        { { "dg_diff" }, GCAL_MATCH_SUPERSET, 0 },
    };
    struct gcal_catalogue *catalogue = builtin();

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        size_t n = 0;

        while (n < 3 && cases[i].tags[n])
            n++;
        assert_int_equal(gcal_catalogue_picks(catalogue, n, cases[i].tags, cases[i].match,
                                              kernel, &err),
                         cases[i].picked);
    }
    assert_int_equal(gcal_catalogue_picks(catalogue, 1, cases[0].tags,
                                          GCAL_MATCH_SUPERSET, "matmul_til n:512", &err),
                     0);
    gcal_catalogue_close(catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_folder_and_the_builtin_catalogue_agree),
        cmocka_unit_test(the_examples_of_the_paper),
        cmocka_unit_test(groups_need_not_fit),
        cmocka_unit_test(variant_tags_span_the_cartesian_product),
        cmocka_unit_test(a_generator_is_picked_by_its_name),
        cmocka_unit_test(a_size_that_no_tag_fixes_is_a_size_sweep),
        cmocka_unit_test(wrong_tags_name_the_nearest),
        cmocka_unit_test(geometry_follows_the_sizes),
        cmocka_unit_test(tags_pick_kernels_by_name),
        cmocka_unit_test(every_entry_counts_its_feature),
        cmocka_unit_test(every_kernel_computes_its_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
