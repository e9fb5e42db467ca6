/* test_groups.c - OpenCL C 2.0 and 3.0: functions of work-groups and sub-groups, linear ids;
 * asynchronous copies, images, atomic types
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"

static struct gcal_error err;

/* The profile of a kernel with this body, in groups of 10x6: OpenCL C 3.0. */
static struct gcal_profile *count(const char *body, size_t sub_group_size)
{
    char source[2000];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .build_options = "-cl-std=CL3.0",
                                    .n_dims = 2,
                                    .local_size = { 10, 6 },
                                    .global_size = { "10*g", "6*h" },
                                    .assume = "g >= 1 and h >= 1",
                                    .sub_group_size = sub_group_size };
    struct gcal_profile *profile;

    snprintf(
        source, sizeof(source),
        "float4 at(read_only image2d_t m, sampler_t s, int2 c)\n"
        "{ return read_imagef(m, s, c); }\n"
        "kernel void k(global float *a, global float *b, int g, int h, int n,\n"
        "read_only image2d_t in, write_only image2d_t out, sampler_t s,\n"
        "read_only image3d_t volume, read_only image2d_depth_t far, int far_width) {\n"
        "int2 c = (int2)(get_global_id(0), get_global_id(1));\n"
        "local float t[256]; event_t e = 0; size_t x = get_global_id(0);\n%s }\n",
        body);
    if (!(profile = gcal_count(&r, &err)))
        fail_msg("%s: %s", body, err.text);
    return profile;
}

/* The first entry whose name begins so; NULL: none. */
static const struct gcal_profile_entry *find(const struct gcal_profile *p,
                                             const char *start)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (strncmp(p->entries[i].feature, start, strlen(start)) == 0)
            return &p->entries[i];
    return NULL;
}

struct fact {
    const char *body;
    size_t sub_group_size;
    const char *feature, *count; /* count NULL: there is no such feature */
    bool estimated;
};

static void check(const struct fact *fact)
{
    struct gcal_profile *p = count(fact->body, fact->sub_group_size);
    const struct gcal_profile_entry *e = find(p, fact->feature);

    if (!e != !fact->count)
        fail_msg("%s: %s %s", fact->body, fact->feature,
                 fact->count ? "is missing" : "is there");
    if (e && (strcmp(e->count, fact->count) != 0 || e->estimated != fact->estimated))
        fail_msg("%s: %s%s is %s%s", fact->body, e->estimated ? "about " : "", e->feature,
                 e->count, fact->estimated ? ", not an estimate" : "");
    gcal_profile_destroy(p);
}

static void check_all(size_t n, const struct fact *facts)
{
    for (size_t i = 0; i < n; i++)
        check(&facts[i]);
}

#define CHECK_ALL(facts) check_all(sizeof(facts) / sizeof((facts)[0]), facts)
#define GLOBAL_STORE     "f_mem_access_global_float32_store"
#define GLOBAL_LOAD      "f_mem_access_global_float32_load"
#define IMAGE            "f_mem_access_image_"
#define LOCAL_STORE      "f_mem_access_local_float32_store"

static void linear_ids_are_affine(void **state)
{
    static const struct fact facts[] = {
        { "b[get_global_linear_id()] = 1;", 0,
          GLOBAL_STORE "_lstrides:{0:1;1:10*g}_gstrides:{0:10;1:60*g}", "60*g*h", false },
        { "b[get_local_linear_id()] = 1;", 0,
          GLOBAL_STORE "_lstrides:{0:1;1:10}_gstrides:{0:0;1:0}", "60*g*h", false },
        { "b[x * get_enqueued_local_size(1)] = 1;", 0,
          GLOBAL_STORE "_lstrides:{0:6;1:0}_gstrides:{0:60;1:0}", "60*g*h", false },
    };

    (void)state;
    CHECK_ALL(facts);
}

/* Of 60 work-items: 32 and 28. */
static void sub_groups_follow_from_their_size(void **state)
{
    static const struct fact facts[] = {
        { "if (get_sub_group_local_id() == 0) b[0] += 1;", 32, "f_op_float32_add",
          "2*g*h", false },
        { "if (get_sub_group_local_id() == 30) b[0] += 1;", 32, "f_op_float32_add", "g*h",
          false },
        { "if (get_sub_group_id() == 1) b[x] = 1;", 32, GLOBAL_STORE, "28*g*h", false },
        { "if (get_sub_group_size() < 32) b[x] = 1;", 32, GLOBAL_STORE, "28*g*h", false },
        { "for (int i = 0; i < get_num_sub_groups(); i++) b[x] = i;", 32, GLOBAL_STORE,
          "120*g*h", false },
        { "for (int i = 0; i < get_max_sub_group_size(); i++) b[x] = i;", 32,
          GLOBAL_STORE, "1920*g*h", false },
        { "if (get_sub_group_local_id() == 0) b[x] = 1;", 0, GLOBAL_STORE, "60*g*h",
          true },
    };

    (void)state;
    CHECK_ALL(facts);
}

static void functions_of_groups_are_operations(void **state)
{
    static const struct fact facts[] = {
        { "b[x] = work_group_reduce_add(a[x]);", 32, "f_op_float32_work_group_reduce_add",
          "2*g*h", false },
        { "b[x] = work_group_scan_exclusive_max(n);", 32,
          "f_op_int32_work_group_scan_exclusive_max", "2*g*h", false },
        { "b[x] = work_group_broadcast(a[x], 3, 4);", 32,
          "f_op_float32_work_group_broadcast", "2*g*h", false },
        { "if (work_group_any(n > 3)) b[x] = 1;", 32, "f_op_int32_work_group_any",
          "2*g*h", false },
        { "if (work_group_any(n > 3)) b[x] = 1;", 32, GLOBAL_STORE, "60*g*h", true },
        { "b[x] = sub_group_reduce_min(a[x]);", 32, "f_op_float32_sub_group_reduce_min",
          "2*g*h", false },
        { "b[sub_group_all(n)] = 1;", 32, "f_op_int32_sub_group_all", "2*g*h", false },
        { "sub_group_barrier(CLK_LOCAL_MEM_FENCE);", 0, "f_sync_barrier_local", NULL,
          false },
        { "work_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_device);", 0,
          "f_sync_barrier_local", "1", false },
    };

    (void)state;
    CHECK_ALL(facts);
}

/* 75 elements in groups of 60: all work-items in a first round, 15 in a second one. */
static void copies_are_accesses(void **state)
{
    static const struct fact facts[] = {
        { "e = async_work_group_copy(t, a + 75 * get_group_id(0), 75, e);", 0,
          GLOBAL_LOAD "_lstrides:{0:1;1:10}_gstrides:{0:75;1:0}", "75*g*h", false },
        { "e = async_work_group_copy(t, a, 75, e);", 32, LOCAL_STORE, "3*g*h", false },
        { "e = async_work_group_copy(t, a, 75, e);", 0, LOCAL_STORE,
          "2*g*h*ceil(60/sub_group_size)", true },
        { "e = async_work_group_copy(t, a, 120, e);", 0, LOCAL_STORE,
          "2*g*h*ceil(60/sub_group_size)", false },
        { "e = async_work_group_strided_copy(t, a, 120, n, e);", 0,
          GLOBAL_LOAD "_lstrides:{0:n;1:10*n}_gstrides:{0:0;1:0}", "120*g*h", false },
        { "e = async_work_group_strided_copy(b, t, 120, 3, e);", 0,
          GLOBAL_STORE "_lstrides:{0:3;1:30}_gstrides:{0:0;1:0}", "120*g*h", false },
        { "e = async_work_group_copy((local float4 *)t, (global float4 *)a, 60, e);", 0,
          GLOBAL_LOAD "_width:4_lstrides:{0:4;1:40}", "60*g*h", false },
        { "e = async_work_group_copy(t, a, 75, e); wait_group_events(1, &e);", 0,
          "f_sync_barrier_local", NULL, false },
    };

    (void)state;
    CHECK_ALL(facts);
}

static void images_are_accesses_at_unknown_places(void **state)
{
    static const struct fact facts[] = {
        { "b[x] = read_imagef(in, s, c).x;", 0, IMAGE "float32_load_width:4", "60*g*h",
          false },
        { "b[x] = read_imageui(in, s, (float2)(1, 2)).x;", 0, IMAGE "uint32_load_width:4",
          "60*g*h", false },
        { "b[x] = read_imagef(far, s, c);", 0, IMAGE "float32_load", "60*g*h", false },
        { "for (int i = 0; i < n; i++) b[x] += at(in, s, c + i).x;", 0,
          IMAGE "float32_load_width:4", "60*g*h*n", false },
        { "write_imagef(out, c, (float4)(a[x]));", 0, IMAGE "float32_store_width:4",
          "60*g*h", false },
        { "write_imagef(out, c, (float4)(a[x]));", 0, GLOBAL_LOAD, "60*g*h", false },
        { "if (x < get_image_width(in)) b[x] = 1;", 0, GLOBAL_STORE,
          "6*h*min(10*g,in_width)", false },
        { "for (int z = 0; z < get_image_dim(volume).z; z++) b[x] = z;", 0, GLOBAL_STORE,
          "60*g*h*volume_depth", false },
        { "b[x] = read_imagef(in, s, c).x;", 0, "f_op_int32", NULL, false },
        { "if (x < get_image_width(far)) b[x] = 1;", 0, GLOBAL_STORE, "60*g*h", true },
    };

    (void)state;
    CHECK_ALL(facts);
}

#define ATOMIC(FACT) "global atomic_int *to = (global atomic_int *)a; int want = 3; " FACT

static void atomic_types_are_atomics(void **state)
{
    static const struct fact facts[] = {
        { ATOMIC("atomic_fetch_add_explicit(to + x, 2, memory_order_relaxed, "
                 "memory_scope_device);"),
          0, "f_atomic_global_int32_add_lstrides:{0:1;1:0}_gstrides:{0:10;1:0}", "60*g*h",
          false },
        { ATOMIC("atomic_fetch_min(to, 2);"), 0, "f_atomic_global_int32_min", "60*g*h",
          false },
        { ATOMIC("atomic_store(to + x, 1);"), 0, "f_atomic_global_int32_store", "60*g*h",
          false },
        { ATOMIC("b[x] = atomic_load_explicit(to, memory_order_acquire, "
                 "memory_scope_work_group);"),
          0, "f_atomic_global_int32_load", "60*g*h", false },
        { ATOMIC("b[x] = atomic_exchange(to, 5);"), 0, "f_atomic_global_int32_xchg",
          "60*g*h", false },
        { ATOMIC("atomic_compare_exchange_strong(to, &want, 4);"), 0,
          "f_atomic_global_int32_cmpxchg", "60*g*h", false },
        { "atomic_flag_test_and_set((global atomic_flag *)a);", 0,
          "f_atomic_global_int32_xchg", "60*g*h", false },
        { "atomic_flag_clear((global atomic_flag *)a);", 0, "f_atomic_global_int32_store",
          "60*g*h", false },
        { "atomic_fetch_or((local atomic_uint *)t, 1u);", 0, "f_atomic_local_uint32_or",
          "60*g*h", false },
        { "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, "
          "memory_scope_device);",
          0, "f_atomic", NULL, false },
    };

    (void)state;
    CHECK_ALL(facts);
}

/* A work-item meets the barriers of one side. */
static void sides_on_ids_have_the_barriers_of_one(void **state)
{
#define BARRIER "barrier(CLK_LOCAL_MEM_FENCE); "
    static const struct fact facts[] = {
        { "if (get_group_id(0) < 2) { " BARRIER "} else { " BARRIER BARRIER "}", 0,
          "f_sync_barrier_local", "2", true },
        { "size_t end = get_group_id(1) == get_num_groups(1) - 1 ? n : 2 * n;"
          "for (size_t i = 0; i < end; i++) { " BARRIER "}",
          0, "f_sync_barrier_local", "2*n", true },
        { "bool last = get_group_id(0) == g - 1; if (last) " BARRIER
          "for (int i = 0; i < 4; i++) { if (!last) " BARRIER BARRIER "}",
          0, "f_sync_barrier_local", "8", true },
        { "if (get_group_id(0) < 2) " BARRIER BARRIER, 0, "f_sync_barrier_local", "2",
          true },
        { "if (get_group_id(0) < 2 && n < 5) { " BARRIER "} else { " BARRIER BARRIER "}",
          0, "f_sync_barrier_local", "step(-n+4)+2", true },
        { "if (a[0] > 2) { " BARRIER "} else { " BARRIER "}", 0, "f_sync_barrier_local",
          "2", true },
    };

    (void)state;
    CHECK_ALL(facts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ids_are_affine),
        cmocka_unit_test(sub_groups_follow_from_their_size),
        cmocka_unit_test(functions_of_groups_are_operations),
        cmocka_unit_test(copies_are_accesses),
        cmocka_unit_test(images_are_accesses_at_unknown_places),
        cmocka_unit_test(atomic_types_are_atomics),
        cmocka_unit_test(sides_on_ids_have_the_barriers_of_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
