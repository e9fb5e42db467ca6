/* test_work.c - bytes moved and operations of kernels, against values worked out by hand
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/model/run/work.h"
#include "kernels/count/count.h"

static struct gcal_profile *count(const char *source, size_t sub_group_size)
{
    struct gcal_error err = { 0 };
    struct gcal_count_request request = {
        .source = source,
        .file = "work.cl",
        .n_dims = 1,
        .local_size = { 96 },
        .global_size = { "n" },
        .assume = "n % 96 = 0 and n >= 96",
        .sub_group_size = sub_group_size,
    };
    struct gcal_profile *profile = gcal_count(&request, &err);

    if (!profile)
        fail_msg("%s", err.text);
    return profile;
}

static struct gcal_work work_of(const char *source, double n, double sub_group_size)
{
    struct gcal_profile *profile = count(source, 0);
    struct gcal_error err = { 0 };
    struct gcal_work work;

    assert_int_equal(profile->n_parameters, 1);
    if (gcal_work_count(profile, profile, &n, sub_group_size, &work, &err) < 0)
        fail_msg("%s", err.text);
    gcal_profile_destroy(profile);
    return work;
}

static void vectors_doubles_and_madds(void **state)
{
    static const char source[] =
        "kernel void k(global const float4 *a, global const double *b, global double "
        "*c)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "    float4 v = a[i];\n"
        "    c[i] = v.x * b[i] + 2.5;\n" /* one madd of doubles */
        "}\n";
    struct gcal_work work = work_of(source, 960, 32);

    (void)state;
    assert_true(work.global_bytes == 960 * (16 + 8 + 8));
    assert_true(work.float_ops == 960 * 2);
    assert_true(work.integer_ops == 0);
    assert_true(work.local_bytes == 0);
    assert_false(work.estimated);
}

/* Groups of 96: 3 sub-groups of 32, or 2 of 64, the second half empty. */
static void uniform_loads_once_a_sub_group(void **state)
{
    static const char source[] = "kernel void k(global const float *a, global int *c)\n"
                                 "{\n"
                                 "    local float t[96];\n"
                                 "    int i = get_global_id(0), l = get_local_id(0);\n"
                                 "    t[l] = a[get_group_id(0)];\n"
                                 "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                                 "    c[i] = (int)t[0] * 3;\n"
                                 "}\n";
    struct gcal_work of_32 = work_of(source, 960, 32), of_64 = work_of(source, 960, 64);

    (void)state;
    assert_true(of_32.global_bytes == 30 * 4 + 960 * 4);
    assert_true(of_64.global_bytes == 20 * 4 + 960 * 4);
    /* every work-item's, whatever runs in step */
    assert_true(of_32.local_bytes == 960 * (4 + 4));
    assert_true(of_64.local_bytes == of_32.local_bytes);
    assert_true(of_32.integer_ops == 960);
    assert_true(of_32.float_ops == 0);
}

static void atomics_load_and_store(void **state)
{
    static const char source[] = "kernel void k(global int *c)\n"
                                 "{\n"
                                 "    local int t;\n"
                                 "    atomic_inc(&t);\n"
                                 "    atomic_add(&c[get_global_id(0)], 7);\n"
                                 "}\n";
    struct gcal_work work = work_of(source, 960, 32);

    (void)state;
    assert_true(work.global_bytes == 960 * (4 + 4));
    assert_true(work.local_bytes == 960 * (4 + 4));
}

/* 40 of 96 work-items multiply.  Where the sub-group size is a name, that is an estimate;
 * a second count, for one work-item, is exact.
 */
static void a_part_of_a_group(void **state)
{
    static const char source[] = "kernel void k(global const float *a, global float *c)\n"
                                 "{\n"
                                 "    int i = get_global_id(0);\n"
                                 "    if (get_local_id(0) < 40)\n"
                                 "        c[i] = a[i] * 1.5f;\n"
                                 "}\n";
    struct gcal_profile *any = count(source, 0), *items = count(source, 1),
                        *sub_groups = count(source, 32);
    struct gcal_error err = { 0 };
    struct gcal_work work;
    double n = 960;

    (void)state;
    assert_int_equal(gcal_work_count(any, any, &n, 32, &work, &err), 0);
    assert_true(work.estimated);
    assert_true(work.global_bytes == 400 * 8);
    assert_int_equal(gcal_work_count(items, sub_groups, &n, 32, &work, &err), 0);
    assert_false(work.estimated);
    assert_true(work.float_ops == 400);
    assert_true(work.global_bytes == 400 * 8);
    gcal_profile_destroy(any);
    gcal_profile_destroy(items);
    gcal_profile_destroy(sub_groups);
}

static void a_count_that_is_none(void **state)
{
    static const char source[] = "kernel void k(global float *c)\n"
                                 "{\n"
                                 "    c[get_global_id(0)] = 1;\n"
                                 "}\n";
    struct gcal_profile *profile = count(source, 0);
    struct gcal_error err = { 0 };
    struct gcal_work work;
    double n = NAN;

    (void)state;
    assert_int_equal(gcal_work_count(profile, profile, &n, 32, &work, &err), -1);
    assert_non_null(strstr(err.text, "invalid count"));
    gcal_profile_destroy(profile);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_doubles_and_madds),
        cmocka_unit_test(uniform_loads_once_a_sub_group),
        cmocka_unit_test(atomics_load_and_store),
        cmocka_unit_test(a_part_of_a_group),
        cmocka_unit_test(a_count_that_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
