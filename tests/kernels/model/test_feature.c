/* test_feature.c - feature names: grammar, matching, canonical form */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/feature.h"

static struct gcal_feature parse(const char *name)
{
    struct gcal_error err = { 0 };
    struct gcal_feature f = { 0 };

    if (gcal_feature_parse(name, &f, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

static void takes_an_access_apart(void **state)
{
    struct gcal_feature f = parse("f_mem_access_tag:aLD_global_float32_load_"
                                  "lstrides:{0:1;1:>15}_gstrides:{2:<=(n+1)*16}_afr:>1");

    (void)state;
    assert_int_equal(f.kind, GCAL_FEATURE_MEM_ACCESS);
    assert_string_equal(f.tag, "aLD");
    assert_int_equal(f.space, GCAL_FEATURE_SPACE_GLOBAL);
    assert_string_equal(f.dtype, "float32");
    assert_int_equal(f.direction, GCAL_FEATURE_LOAD);
    assert_int_equal(f.lid_stride[0].relation, GCAL_FEATURE_EQ);
    assert_string_equal(f.lid_stride[0].bound, "1");
    assert_int_equal(f.lid_stride[1].relation, GCAL_FEATURE_GT);
    assert_string_equal(f.lid_stride[1].bound, "15");
    assert_int_equal(f.lid_stride[2].relation, GCAL_FEATURE_ANY);
    assert_int_equal(f.gid_stride[0].relation, GCAL_FEATURE_ANY);
    assert_int_equal(f.gid_stride[2].relation, GCAL_FEATURE_LE);
    assert_string_equal(f.gid_stride[2].bound, "(n+1)*16");
    assert_int_equal(f.afr.relation, GCAL_FEATURE_GT);
    gcal_feature_clear(&f);
    assert_null(f.tag);
}

static void takes_fields_that_are_left_out(void **state)
{
    struct gcal_feature f = parse("f_mem_access");

    (void)state;
    assert_int_equal(f.space, GCAL_FEATURE_SPACE_ANY);
    assert_int_equal(f.direction, GCAL_FEATURE_DIRECTION_ANY);
    assert_null(f.dtype);
    gcal_feature_clear(&f);
    f = parse("f_mem_access_store_afr:<2");
    assert_int_equal(f.direction, GCAL_FEATURE_STORE);
    assert_int_equal(f.afr.relation, GCAL_FEATURE_LT);
    gcal_feature_clear(&f);
    f = parse("f_mem_access_local_lstrides:{}");
    assert_int_equal(f.space, GCAL_FEATURE_SPACE_LOCAL);
    assert_int_equal(f.lid_stride[0].relation, GCAL_FEATURE_ANY);
    gcal_feature_clear(&f);
}

static void takes_the_others_apart(void **state)
{
    struct gcal_feature f = parse("f_op_float64_native_exp");

    (void)state;
    assert_int_equal(f.kind, GCAL_FEATURE_OP);
    assert_string_equal(f.dtype, "float64");
    assert_string_equal(f.op, "native_exp");
    gcal_feature_clear(&f);
    f = parse("f_cl_wall_time_nvidia_titan_v");
    assert_int_equal(f.kind, GCAL_FEATURE_WALL_TIME);
    assert_string_equal(f.platform, "nvidia");
    assert_string_equal(f.device, "titan_v");
    gcal_feature_clear(&f);
    assert_int_equal(parse("f_sync_barrier_local").kind, GCAL_FEATURE_BARRIER_LOCAL);
    assert_int_equal(parse("f_sync_kernel_launch").kind, GCAL_FEATURE_KERNEL_LAUNCH);
    assert_int_equal(parse("f_thread_groups").kind, GCAL_FEATURE_THREAD_GROUPS);
}

static void takes_atomics_apart(void **state)
{
    struct gcal_feature f = parse("f_atomic_tag:bin_local_uint32_cmpxchg_lstrides:{0:0}"
                                  "_gstrides:{0:0}_afr:>64");

    (void)state;
    assert_int_equal(f.kind, GCAL_FEATURE_ATOMIC);
    assert_string_equal(f.tag, "bin");
    assert_int_equal(f.space, GCAL_FEATURE_SPACE_LOCAL);
    assert_string_equal(f.dtype, "uint32");
    assert_string_equal(f.op, "cmpxchg");
    assert_int_equal(f.afr.relation, GCAL_FEATURE_GT);
    gcal_feature_clear(&f);
    /* operations of that name, and no directions */
    f = parse("f_atomic_load");
    assert_string_equal(f.op, "load");
    assert_int_equal(f.direction, GCAL_FEATURE_DIRECTION_ANY);
    gcal_feature_clear(&f);
    f = parse("f_atomic_global_float32");
    assert_string_equal(f.dtype, "float32");
    assert_null(f.op);
    gcal_feature_clear(&f);
    assert_int_equal(parse("f_atomic").kind, GCAL_FEATURE_ATOMIC);
}

static void takes_widths_apart(void **state)
{
    struct gcal_feature f =
        parse("f_mem_access_tag:t_local_float32_load_width:4_lstrides:{0:4}_afr:2");

    (void)state;
    assert_int_equal(f.width, 4);
    assert_string_equal(f.dtype, "float32");
    assert_string_equal(f.lid_stride[0].bound, "4");
    assert_true(gcal_feature_has_width(&f, 4));
    assert_false(gcal_feature_has_width(&f, 1));
    gcal_feature_clear(&f);
    f = parse("f_mem_access_global"); /* all widths */
    assert_int_equal(f.width, 0);
    assert_true(gcal_feature_has_width(&f, 1) && gcal_feature_has_width(&f, 4));
    gcal_feature_clear(&f);
    f = parse("f_mem_access_lstrides:{0:4}"); /* strides are in elements of scalars */
    assert_true(gcal_feature_has_width(&f, 1));
    assert_false(gcal_feature_has_width(&f, 4));
    gcal_feature_clear(&f);
    f = parse("f_mem_access_gstrides:{1:>4}");
    assert_false(gcal_feature_has_width(&f, 4));
    gcal_feature_clear(&f);
    f = parse("f_mem_access_lstrides:{1:%4}"); /* multiples are of all widths */
    assert_true(gcal_feature_has_width(&f, 1) && gcal_feature_has_width(&f, 4));
    gcal_feature_clear(&f);
}

static void takes_passes_and_index_arithmetic_apart(void **state)
{
    struct gcal_feature f = parse("f_local_pass_tag:t_float64_store");

    (void)state;
    assert_int_equal(f.kind, GCAL_FEATURE_LOCAL_PASS);
    assert_string_equal(f.tag, "t");
    assert_string_equal(f.dtype, "float64");
    assert_int_equal(f.direction, GCAL_FEATURE_STORE);
    gcal_feature_clear(&f);
    f = parse("f_index_int64_mul");
    assert_int_equal(f.kind, GCAL_FEATURE_INDEX_OP);
    assert_string_equal(f.dtype, "int64");
    assert_string_equal(f.op, "mul");
    gcal_feature_clear(&f);
    f = parse("f_aux_float32_cmp");
    assert_int_equal(f.kind, GCAL_FEATURE_AUXILIARY_OP);
    assert_string_equal(f.op, "cmp");
    gcal_feature_clear(&f);
    assert_int_equal(parse("f_divergent_branch").kind, GCAL_FEATURE_DIVERGENT_BRANCH);
    assert_int_equal(parse("f_work_items").kind, GCAL_FEATURE_WORK_ITEMS);
    assert_int_equal(parse("f_local_memory_bytes").kind, GCAL_FEATURE_LOCAL_MEMORY_BYTES);
    assert_int_equal(parse("f_private_array_bytes").kind,
                     GCAL_FEATURE_PRIVATE_ARRAY_BYTES);
}

static void takes_classes_apart(void **state)
{
    struct gcal_feature f = parse("f_op");

    (void)state;
    assert_true(!f.dtype && !f.op && gcal_feature_is_class(&f));
    f = parse("f_index_int32");
    assert_string_equal(f.dtype, "int32");
    assert_true(!f.op && gcal_feature_is_class(&f));
    gcal_feature_clear(&f);
    f = parse("f_aux_{float*,!float64}_cmp");
    assert_string_equal(f.dtype, "{float*,!float64}");
    assert_string_equal(f.op, "cmp");
    assert_true(gcal_feature_is_class(&f));
    gcal_feature_clear(&f);
    f = parse("f_op_float32_{native_*,sqrt}");
    assert_string_equal(f.op, "{native_*,sqrt}");
    assert_true(gcal_feature_is_class(&f));
    gcal_feature_clear(&f);
    f = parse("f_atomic_tag:bin_global_{*int64}_{add,sub}_afr:>1");
    assert_string_equal(f.dtype, "{*int64}");
    assert_string_equal(f.op, "{add,sub}");
    assert_string_equal(f.afr.bound, "1");
    gcal_feature_clear(&f);
    f = parse("f_sector_global_{float64,int64}_load");
    assert_string_equal(f.dtype, "{float64,int64}");
    assert_int_equal(f.direction, GCAL_FEATURE_LOAD);
    gcal_feature_clear(&f);
    f = parse("f_op_float32_add");
    assert_false(gcal_feature_is_class(&f));
    gcal_feature_clear(&f);
    f = parse("f_atomic"); /* the name of a count whose fields are unknown */
    assert_false(gcal_feature_is_class(&f));
}

static void sets_have_words(void **state)
{
    static const struct {
        const char *set, *has, *lacks;
    } cases[] = {
        { NULL, "add", NULL },
        { "add", "add", "adds" },
        { "{add,mul}", "mul", "madd" },
        { "{!add,!mul}", "madd", "mul" },
        { "{!native_*}", "native", "native_exp" },
        { "{native_*}", "native_", "native" },
        { "{*int32}", "uint32", "int32x" },
        { "{*exp*}", "half_exp10", "half_ex" },
        { "{*}", "add", NULL },
        { "{n*_e*p,!native_exp}", "native_exp_eep", "native_exp" },
        { "{!native_exp,native_*}", "native_exp2", "native_exp" }, /* in any order */
        { "{**a*a}", "banana", "banan" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (!gcal_feature_field_has(cases[i].set, cases[i].has) ||
            (cases[i].lacks && gcal_feature_field_has(cases[i].set, cases[i].lacks)))
            fail_msg("%s", cases[i].set);
    assert_true(gcal_feature_field_has(NULL, NULL));
    assert_false(gcal_feature_field_has("{*}", NULL));
}

static void takes_transfers_apart(void **state)
{
    struct gcal_feature f = parse("f_transfer_bytes_to_device_pinned");

    (void)state;
    assert_int_equal(f.kind, GCAL_FEATURE_TRANSFER_BYTES);
    assert_int_equal(f.way, GCAL_FEATURE_TO_DEVICE);
    assert_int_equal(f.host, GCAL_FEATURE_PINNED);
    f = parse("f_transfer_copies_mapped");
    assert_int_equal(f.kind, GCAL_FEATURE_TRANSFER_COPIES);
    assert_int_equal(f.way, GCAL_FEATURE_COPY_ANY);
    assert_int_equal(f.host, GCAL_FEATURE_MAPPED);
    f = parse("f_transfer_copies_from_device");
    assert_int_equal(f.way, GCAL_FEATURE_FROM_DEVICE);
    assert_int_equal(f.host, GCAL_FEATURE_HOST_ANY);
}

static void takes_parts_of_kernels_apart(void **state)
{
    struct gcal_feature f = parse("f_memory_tag:matmulTiledLsize032");

    (void)state;
    assert_int_equal(f.kind, GCAL_FEATURE_MEMORY);
    assert_string_equal(f.tag, "matmulTiledLsize032");
    gcal_feature_clear(&f);
    f = parse("f_onchip");
    assert_int_equal(f.kind, GCAL_FEATURE_ONCHIP);
    assert_null(f.tag);
}

static void names_what_it_did_not_understand(void **state)
{
    static const struct {
        const char *name, *says;
    } bad[] = {
        { "f_ops_float32_add",
          "unknown feature 'f_ops_float32_add' (did you mean 'f_op'?)" },
        { "f_op_float33_add", "expected f_op[_<dtype>[_<operation>]] at '_float33_add'" },
        { "f_op_add", "expected f_op[_<dtype>[_<operation>]] at '_add'" },
        { "f_op_float32_", "expected f_op[_<dtype>[_<operation>]]" },
        { "f_op_float32_a b", "expected f_op[_<dtype>[_<operation>]]" },
        { "f_op_{float32,float33}_add", "expected a data type at 'float33}_add'" },
        { "f_op_{float33*}", "expected f_op[_<dtype>[_<operation>]]" },
        { "f_op_{add,mul}", "expected f_op[_<dtype>[_<operation>]]" },
        { "f_op_{float32", "expected ',' or '}' at ''" },
        { "f_op_float32_{", "expected an operation at ''" },
        { "f_op_float32_{}", "expected an operation at '}'" },
        { "f_op_float32_{add,}", "expected an operation at '}'" },
        { "f_op_float32_{!!add}", "expected an operation at '!add}'" },
        { "f_op_float32_{add}_mul", "expected f_op[_<dtype>[_<operation>]] at '_mul'" },
        { "f_op_float32_{add}mul", "expected f_op[_<dtype>[_<operation>]] at 'mul'" },
        { "f_op_float32_native_*", "expected f_op[_<dtype>[_<operation>]]" },
        { "f_atomic_global_{add,mul}", "expected an atomic operation at 'mul}'" },
        { "f_mem_access_float32_global",
          "[_<global|local|constant>][_<dtype>][_<load|store>]" },
        { "f_mem_access_load_load", "at '_load'" },
        { "f_mem_access_tag:_global", "letters and digits" },
        { "f_mem_access_lstrides:0", "expected {axis:constraint;..}" },
        { "f_mem_access_lstrides:{3:1}", "axis 0, 1 or 2" },
        { "f_mem_access_lstrides:{0:1;0:2}", "duplicate axis" },
        { "f_mem_access_lstrides:{0:1", "expected ';' or '}'" },
        { "f_mem_access_lstrides:{0:}", "constraint ''" },
        { "f_mem_access_afr:>1+", "constraint '1+'" },
        { "f_mem_accesses",
          "unknown feature 'f_mem_accesses' (did you mean 'f_mem_access'?); " },
        { "f_mem_acess_global_float32_load", "(did you mean 'f_mem_access'?)" },
        { "f_sync_kernal_launch", "(did you mean 'f_sync_kernel_launch'?)" },
        { "f_nothing", "unknown feature 'f_nothing'; gpucal-profile(5) has all " },
        { "f_atomic_global_int32_ad", "at '_ad'" },
        { "f_atomic_bad", "[_<global|local>][_<dtype>][_<operation>]" },
        { "f_atomic_add_int32", "at '_int32'" },
        { "f_atomic_constant", "[_<global|local>]" },
        { "f_atomics", "unknown feature 'f_atomics' (did you mean 'f_atomic'?)" },
        { "f_local_pass_global", "f_local_pass[_tag:<name>][_<dtype>][_<load|store>]" },
        { "f_local_pass_load_lstrides:{0:1}", "at '_lstrides:{0:1}'" },
        { "f_mem_access_width:0", "expected a width of 1 to 1024 elements" },
        { "f_mem_access_width:x", "expected a width of 1 to 1024 elements" },
        { "f_mem_access_lstrides:{0:1}_width:4", "expected f_mem_access" },
        { "f_local_pass_width:4", "expected f_local_pass" },
        { "f_index_float31_add", "expected f_index[_<dtype>[_<operation>]]" },
        { "f_transfer_bytes_pinned_to_device", "at '_to_device'" },
        { "f_transfer_copies_to_devices", "at 's'" },
        { "f_memory_tag:", "letters and digits" },
        { "f_memory_tag:a_b", "expected f_memory[_tag:<name>] at '_b'" },
        { "f_onchip_float32", "expected f_onchip[_tag:<name>]" },
        { "f_transfer", "(did you mean 'f_transfer_" },
        { "f_cl_wall_time_nvidia", "expected _<device>" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct gcal_error err = { 0 };
        struct gcal_feature f;

        assert_int_equal(gcal_feature_parse(bad[i].name, &f, &err), -1);
        assert_int_equal(err.code, GCAL_EINPUT);
        if (!strstr(err.text, bad[i].says) || !strstr(err.text, bad[i].name))
            fail_msg("%s gave: %s", bad[i].name, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_an_access_apart),
        cmocka_unit_test(takes_fields_that_are_left_out),
        cmocka_unit_test(takes_the_others_apart),
        cmocka_unit_test(takes_atomics_apart),
        cmocka_unit_test(takes_parts_of_kernels_apart),
        cmocka_unit_test(takes_widths_apart),
        cmocka_unit_test(takes_passes_and_index_arithmetic_apart),
        cmocka_unit_test(takes_classes_apart),
        cmocka_unit_test(sets_have_words),
        cmocka_unit_test(takes_transfers_apart),
        cmocka_unit_test(names_what_it_did_not_understand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
