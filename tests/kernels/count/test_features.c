/* test_features.c - counts of kernels from the literature and Loopy, and all features but
 * operations and plain accesses
 *
 * Loopy counts an addition and a multiplication where one feeds the other; gpucal counts
 * the madd that compilers make of them by default.  The cases say where.
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
#include "kernels/model/binding.h"
#include "kernels/model/dtype.h"
#include "kernels/model/profile.h"
#include "kernels/count/private.h"
#include "kernels/count/count.h"

enum { MOST_SIZES = 8 };

struct size {
    const char *name;
    double value;
};

struct fact {
    const char *feature;
    double count;
};

static struct gcal_profile *count(const struct gcal_count_request *request)
{
    struct gcal_error err = { 0 };
    struct gcal_count_request r = *request;
    struct gcal_profile *p;

    if (!r.file)
        r.file = "x.cl";
    if (!(p = gcal_count(&r, &err)))
        fail_msg("%s", err.text);
    return p;
}

static void sizes_of(const struct gcal_profile *p, const struct size *known,
                     double *sizes)
{
    assert_true(p->n_parameters <= MOST_SIZES);
    for (size_t i = 0; i < p->n_parameters; i++) {
        const struct size *s = known;

        while (s->name && strcmp(s->name, p->parameters[i]) != 0)
            s++;
        if (!s->name)
            fail_msg("no value for '%s'", p->parameters[i]);
        sizes[i] = s->value;
    }
}

static double value_of(const struct gcal_profile *p, const char *feature,
                       double sub_group_size, const struct size *known)
{
    struct gcal_error err = { 0 };
    struct gcal_binding *binding =
        gcal_binding_create(p, 1, &feature, sub_group_size, &err);
    double sizes[MOST_SIZES], value = NAN;

    sizes_of(p, known, sizes);
    if (!binding || gcal_binding_eval(binding, sizes, &value, &err) < 0)
        fail_msg("%s: %s", feature, err.text);
    gcal_binding_destroy(binding);
    return value;
}

/* The facts hold of the profile, and there is none of 'f_op' beside theirs. */
static void check(const struct gcal_profile *p, double sub_group_size,
                  const struct size *sizes, const struct fact *facts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double found = value_of(p, facts[i].feature, sub_group_size, sizes);

        if (fabs(found - facts[i].count) > 1e-9 * facts[i].count)
            fail_msg("%s: %.17g, not %.17g", facts[i].feature, found, facts[i].count);
    }
    for (size_t i = 0; i < p->n_entries; i++) {
        bool known = p->entries[i].kind != GCAL_FEATURE_OP;

        for (size_t j = 0; j < n; j++)
            known = known || strcmp(p->entries[i].feature, facts[j].feature) == 0;
        if (!known)
            fail_msg("%s counts %s", p->entries[i].feature, p->entries[i].count);
    }
}

#define CHECK(p, sub_group_size, sizes, ...)                                             \
    do {                                                                                 \
        static const struct fact facts_[] = { __VA_ARGS__ };                             \
        check(p, sub_group_size, sizes, facts_, sizeof(facts_) / sizeof(*facts_));       \
    } while (0)

static const struct gcal_profile_entry *find(const struct gcal_profile *p,
                                             const char *feature)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (strncmp(p->entries[i].feature, feature, strlen(feature)) == 0)
            return &p->entries[i];
    fail_msg("no %s", feature);
    return NULL;
}

/* Bytes that all work-items move: a sub-group's access is one of each item in serial
 * kernels.
 */
static double bytes_of(const struct gcal_profile *p,
                       enum gcal_feature_direction direction, const struct size *sizes)
{
    double bytes = 0;

    for (size_t i = 0; i < p->n_entries; i++) {
        const struct gcal_profile_entry *e = &p->entries[i];
        struct gcal_profile one = *p;

        if (e->kind != GCAL_FEATURE_MEM_ACCESS || e->direction != direction)
            continue;
        one.n_entries = 1;
        one.entries = (struct gcal_profile_entry *)e;
        bytes += value_of(&one, "f_mem_access", 1, sizes) * (double)e->vector_width *
                 (double)gcal_dtype_size(e->dtype);
    }
    return bytes;
}

/* ---- serial kernels: one work-item ---- */

static const struct size nml_sizes[] = {
    { "n", 512 }, { "m", 256 }, { "l", 128 }, { 0 }
};
static const double nml = 512. * 256 * 128;

#define SERIAL(text)                                                                     \
    &(const struct gcal_count_request)                                                   \
    {                                                                                    \
        .source = text, .n_dims = 1, .local_size = { 1 }, .global_size = { "1" }         \
    }

static const char two_statements[] =
    "__kernel void k(__global float *c, __global const float *a, __global const float "
    "*b,\n"
    "                __global double *e, __global const double *g,\n"
    "                __global const double *h, int n, int m, int l)\n"
    "{\n"
    "    for (int i = 0; i < n; i++)\n"
    "        for (int k = 0; k < m; k++) {\n"
    "            for (int j = 0; j < l; j++)\n"
    "                c[(i * m + k) * l + j] =\n"
    "                    a[(i * m + k) * l + j] * b[(i * m + k) * l + j] / 3.0f\n"
    "                    + a[(i * m + k) * l + j];\n"
    "            e[i * (m + 1) + k + 1] = -g[i * m + k] * h[k + 1];\n"
    "        }\n"
    "}\n";

static void counts_two_statements(void **state)
{
    struct gcal_profile *p = count(SERIAL(two_statements));

    (void)state;
    CHECK(p, 32, nml_sizes, { "f_op_float32_add", 16777216 },
          { "f_op_float32_mul", 16777216 }, { "f_op_float32_div", 16777216 },
          { "f_op_float64_mul", 131072 }); /* the sign is free */
    assert_true(bytes_of(p, GCAL_FEATURE_LOAD, nml_sizes) ==
                4 * 3 * nml + 8 * 2 * 131072.);
    assert_true(bytes_of(p, GCAL_FEATURE_STORE, nml_sizes) == 4 * nml + 8 * 131072.);
    gcal_profile_destroy(p);
}

static void counts_a_serial_product(void **state)
{
    struct gcal_profile *p =
        count(SERIAL("__kernel void k(__global float *c, __global const float *a,\n"
                     "                __global const float *b, int n, int m, int l)\n"
                     "{\n"
                     "    for (int i = 0; i < n; i++)\n"
                     "        for (int j = 0; j < l; j++) {\n"
                     "            float sum = 0;\n"
                     "            for (int k = 0; k < m; k++)\n"
                     "                sum += a[i * m + k] * b[k * l + j];\n"
                     "            c[i * l + j] = sum;\n"
                     "        }\n"
                     "}\n"));

    (void)state;
    /* Loopy: as many adds and muls */
    CHECK(p, 32, nml_sizes, { "f_op_float32_madd", 16777216 },
          { "f_mem_access_float32_load", 33554432 },
          { "f_mem_access_float32_store", 65536 });
    assert_true(bytes_of(p, GCAL_FEATURE_LOAD, nml_sizes) == 4 * 2 * nml);
    assert_true(bytes_of(p, GCAL_FEATURE_STORE, nml_sizes) == 4 * 65536.);
    gcal_profile_destroy(p);
}

static void counts_functions(void **state)
{
    struct gcal_profile *p = count(
        SERIAL("__kernel void k(__global float *c, __global const float *a,\n"
               "                __global const float *b, __global double *e,\n"
               "                __global const double *g, __global const double *h,\n"
               "                int n, int m, int l)\n"
               "{\n"
               "    for (int i = 0; i < n; i++)\n"
               "        for (int k = 0; k < m; k++) {\n"
               "            for (int j = 0; j < l; j++)\n"
               "                c[(i * m + k) * l + j] =\n"
               "                    fmod(2.0f * a[j], 2.0f + b[j] / 3.0f);\n"
               "            e[i * m + k] = pow(1 + g[k], 1 + h[k + 1])\n"
               "                           + rsqrt(g[k]) * sin(g[k]);\n"
               "        }\n"
               "}\n"));

    (void)state;
    /* Loopy: % of floats, counted as div here; the last add and its mul are separate */
    CHECK(p, 32, nml_sizes, { "f_op_float32_div", 16777216 },
          { "f_op_float32_fmod", 16777216 }, { "f_op_float32_mul", 16777216 },
          { "f_op_float32_add", 16777216 }, { "f_op_float64_add", 2 * 131072 },
          { "f_op_float64_madd", 131072 }, { "f_op_float64_pow", 131072 },
          { "f_op_float64_rsqrt", 131072 }, { "f_op_float64_sin", 131072 });
    gcal_profile_destroy(p);
}

static void counts_triangles_exactly(void **state)
{
    static const struct size sizes[] = { { "n", 23 }, { "p", 7 }, { 0 } };
    struct gcal_profile *p = count(SERIAL("__kernel void k(__global double *a) {\n"
                                          "    for (int i = 0; i < 200; i++)\n"
                                          "        for (int j = 0; j < 13; j++)\n"
                                          "            if (i < j) a[j] = a[j] * 3.0;\n"
                                          "}\n"));

    (void)state;
    CHECK(p, 32, sizes, { "f_op_float64_mul", 78 }); /* of a box around it: 144 */
    assert_false(p->estimated);
    gcal_profile_destroy(p);
    p = count(&(const struct gcal_count_request){
        .source = "__kernel void k(__global float *a, int n, int p) {\n"
                  "    for (int i = p; i < n; i++)\n"
                  "        for (int j = p; j < i + 1; j++) a[j] += 1.5f;\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 1 },
        .global_size = { "1" },
        .assume = "n > p" });
    CHECK(p, 32, sizes,
          { "f_op_float32_add", (23 * 23 + 7 * 7 - 2 * 23 * 7 + 23 - 7) / 2. });
    gcal_profile_destroy(p);
}

/* Operations have no tags here as statements have in loopy; accesses have. */
static void tags_tell_statements_apart(void **state)
{
    static const struct size none[] = { { 0 } };
    struct gcal_profile *p = count(SERIAL(
        "__kernel void k(__global float *a, __global float *b, __global int *c) {\n"
        "    for (int i = 0; i < 10; i++) {\n"
        "        GPUCAL_TAG(mine, a[i]) = 1.5f * i;\n"
        "        GPUCAL_TAG(mine, b[i]) = 2.5f + i;\n"
        "        GPUCAL_TAG(mine, c[i]) = i;\n"
        "        a[i + 10] = 0;\n"
        "    }\n"
        "}\n"));

    (void)state;
    CHECK(p, 32, none, { "f_op_float32_mul", 10 }, { "f_op_float32_add", 10 },
          { "f_mem_access_tag:mine_float32", 20 }, { "f_mem_access_tag:mine", 30 },
          { "f_mem_access", 40 });
    gcal_profile_destroy(p);
}

/* ---- matrix products on 16x16 work-groups ---- */

static const char products[] =
    "#define T 16\n"
    "__kernel void tiled(__global float *c, __global const float *a,\n"
    "                    __global const float *b, int m, int l)\n"
    "{\n"
    "    __local float at[T][T], bt[T][T];\n"
    "    int x = get_local_id(0), y = get_local_id(1);\n"
    "    int row = get_global_id(1), col = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    for (int k0 = 0; k0 < m / T; k0++) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        at[y][x] = a[row * m + k0 * T + x];\n"
    "        bt[y][x] = b[(k0 * T + y) * l + col];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int k = 0; k < T; k++) sum += at[y][k] * bt[k][x];\n"
    "    }\n"
    "    c[row * l + col] = sum;\n"
    "}\n"
    "__kernel void plain(__global float *c, __global const float *a,\n"
    "                    __global const float *b, int m, int l)\n"
    "{\n"
    "    int row = get_global_id(1), col = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    for (int k = 0; k < m; k++)\n"
    "        sum += GPUCAL_TAG(a, a[row * m + k]) * GPUCAL_TAG(b, b[k * l + col]);\n"
    "    GPUCAL_TAG(c, c[row * l + col]) = sum;\n"
    "}\n";

static struct gcal_count_request product(const char *kernel, size_t sub_group_size)
{
    return (struct gcal_count_request){ .source = products,
                                        .kernel = kernel,
                                        .n_dims = 2,
                                        .local_size = { 16, 16 },
                                        .global_size = { "l", "n" },
                                        .assume = "m % 16 = 0 and m >= 16",
                                        .sub_group_size = sub_group_size };
}

static void counts_a_tiled_product(void **state)
{
    struct gcal_count_request r = product("tiled", 32);
    struct gcal_profile *p = count(&r);

    (void)state;
    CHECK(p, 32, nml_sizes, { "f_thread_groups", 256 }, { "f_work_items", 65536 },
          /* Loopy: as many adds and muls, by sub-group */
          { "f_op_float32_madd", 256 * 2048 },
          { "f_mem_access_global_float32_load_lstrides:{0:1;1:m}_gstrides:{0:0;1:16*m}",
            1048576 },
          { "f_mem_access_global_float32_load_lstrides:{0:1;1:l}_gstrides:{0:16;1:0}",
            1048576 },
          { "f_mem_access_global_float32_load", 2 * 1048576 },
          { "f_mem_access_global_float32_store", 65536 },
          { "f_mem_access_local_float32_load", 1048576 },
          { "f_mem_access_local_float32_load_lstrides:{0:0;1:16}", 524288 },
          { "f_mem_access_local_float32_load_lstrides:{0:1;1:0}", 524288 },
          { "f_mem_access_local_float32_store", 65536 }, { "f_sync_barrier_local", 32 },
          { "f_sync_kernel_launch", 1 });
    assert_false(p->estimated);
    /* each word of a group's tiles is written m/16 times, and read by 16 items then */
    assert_string_equal(find(p, "f_mem_access_local_float32_store")->afr, "1/16*m");
    assert_string_equal(find(p, "f_mem_access_local_float32_load")->afr, "m");
    gcal_profile_destroy(p);
    /* the name sub_group_size gives the same */
    r = product("tiled", 0);
    p = count(&r);
    CHECK(p, 32, nml_sizes, { "f_op_float32_madd", 256 * 2048 },
          { "f_mem_access_local_float32_load", 1048576 });
    gcal_profile_destroy(p);
}

static void counts_a_plain_product(void **state)
{
    struct gcal_count_request r = product("plain", 32);
    struct gcal_profile *p = count(&r);

    (void)state;
    CHECK(p, 32, nml_sizes, { "f_op_float32_madd", 256 * 2048 },
          { "f_mem_access_tag:b", 16777216 },   /* by work-item */
          { "f_mem_access_tag:a", 256 * 2048 }, /* uniform: by sub-group */
          { "f_mem_access_tag:c", 65536 });
    gcal_profile_destroy(p);
}

static void counts_barriers(void **state)
{
    static const struct size none[] = { { 0 } };
    struct gcal_count_request r = {
        .source = "__kernel void loops(__global float *c) {\n"
                  "    int k = get_local_id(0);\n"
                  "    for (int i = 0; i < 50; i++)\n"
                  "        for (int j = 0; j < 10; j++) {\n"
                  "            c[k + 1] = i;\n"
                  "            barrier(CLK_GLOBAL_MEM_FENCE);\n"
                  "            c[k] = c[k + 2];\n"
                  "            barrier(CLK_GLOBAL_MEM_FENCE);\n"
                  "        }\n"
                  "}\n"
                  "__kernel void shift(__global float *c) {\n"
                  "    float x = c[get_local_id(0)];\n"
                  "    barrier(CLK_GLOBAL_MEM_FENCE);\n"
                  "    c[get_local_id(0) + 1] = x;\n"
                  "}\n"
                  "__kernel void none(__global float *c) { c[get_local_id(0)] = 1; }\n",
        .n_dims = 1,
        .local_size = { 128 },
        .global_size = { "128" }
    };
    static const struct {
        const char *kernel;
        double barriers;
    } cases[] = { { "loops", 1000 }, { "shift", 1 }, { "none", 0 } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_profile *p;

        r.kernel = cases[i].kernel;
        p = count(&r);
        assert_true(value_of(p, "f_sync_barrier_local", 32, none) == cases[i].barriers);
        assert_true(value_of(p, "f_sync_kernel_launch", 32, none) == 1);
        gcal_profile_destroy(p);
    }
}

static void counts_bytes_of_arrays(void **state)
{
    static const struct size sizes[] = { { "n", 640 }, { 0 } };
    struct gcal_profile *p = count(&(const struct gcal_count_request){
        .source = "__kernel void k(__global float *a, __local float *given) {\n"
                  "    __local float t[16][17];\n"
                  "    __local double one;\n"
                  "    float mine[5];\n"
                  "    int g = get_global_id(0);\n"
                  "    for (int i = 0; i < 5; i++) mine[i] = a[g];\n"
                  "    t[0][get_local_id(0)] = given[0];\n"
                  "    one = 1;\n"
                  "    a[g] = mine[3];\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 16 },
        .global_size = { "n" } });

    (void)state;
    CHECK(p, 32, sizes, { "f_local_memory_bytes", 16 * 17 * 4 + 8 },
          { "f_private_array_bytes", 20 }, { "f_work_items", 640 },
          { "f_thread_groups", 40 });
    gcal_profile_destroy(p);
}

/* ---- subscripts ---- */

/* k + 1 twice: loopy counts 2nm.  The steps of loops, which loopy has no code for, come
 * to it, and so would subscripts of two dimensions, flattened by hand in OpenCL C.
 */
static void counts_subscripts_on_request(void **state)
{
    struct gcal_count_request r =
        *SERIAL("__kernel void k(__global double *e, __global const double *g,\n"
                "                __global const double *h, int n, int m)\n"
                "{\n"
                "    for (int i = 0; i < n; i++)\n"
                "        for (int k = 0; k < m; k++)\n"
                "            e[k + 1] = -g[k] * h[k + 1];\n"
                "}\n");
    struct gcal_profile *p = count(&r);

    (void)state;
    for (size_t i = 0; i < p->n_entries; i++)
        assert_int_not_equal(p->entries[i].kind, GCAL_FEATURE_INDEX_OP);
    gcal_profile_destroy(p);
    r.index_arithmetic = true;
    p = count(&r);
    CHECK(p, 32, nml_sizes, { "f_op_float64_mul", 131072 },
          { "f_index_int32_add", 262144 + 131072 + 512 });
    gcal_profile_destroy(p);
}

/* However a step is written. */
static void counts_steps_of_loops(void **state)
{
    static const struct size sizes[] = { { "n", 23 }, { 0 } };
    static const char *const loops[] = {
        "-DLOOP=for(int~i=0;i<n;i++)e[i]=2;",
        "-DLOOP=for(int~i=0;i<n;i+=1)e[i]=2;",
        "-DLOOP=for(int~i=0;i<n;i=i+1)e[i]=2;",
        "-DLOOP=int~i=0;while(i<n){e[i]=2;++i;}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++) {
        struct gcal_count_request r =
            *SERIAL("__kernel void k(__global float *e, int n) { LOOP }\n");
        struct gcal_profile *p;
        char option[100];

        snprintf(option, sizeof(option), "\"%s\"", loops[i]);
        *strchr(option, '~') = ' ';
        r.build_options = option;
        r.index_arithmetic = true;
        p = count(&r);
        CHECK(p, 32, sizes, { "f_index_int32_add", 23 });
        gcal_profile_destroy(p);
    }
}

/* ---- sub-groups ---- */

static void partial_sub_groups_are_whole(void **state)
{
    static const struct size none[] = { { 0 } };
    struct gcal_count_request r = {
        .source = "__kernel void k(__global float *a) {\n"
                  "    int l = get_local_id(0);\n"
                  "    a[l] += 1.5f;\n"
                  "#ifdef FEW\n"
                  "    if (l < FEW) a[l] *= 2.5f;\n"
                  "#endif\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 65 },
        .global_size = { "65" },
    };
    static const struct {
        const char *few;
        double muls;
    } cases[] = { { "-DFEW=65", 3 }, { "-DFEW=64", 2 }, { "-DFEW=33", 2 },
                  { "-DFEW=32", 1 }, { "-DFEW=1", 1 },  { "-DFEW=0", 0 } };
    struct gcal_profile *p = count(&r);

    (void)state;
    assert_string_equal(find(p, "f_op_float32_add")->count, "ceil(65/sub_group_size)");
    assert_true(value_of(p, "f_op_float32_add", 32, none) == 3);
    assert_true(value_of(p, "f_op_float32_add", 64, none) == 2);
    gcal_profile_destroy(p);
    r.sub_group_size = 32;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        r.build_options = cases[i].few;
        p = count(&r);
        assert_string_equal(find(p, "f_op_float32_add")->count, "3");
        if (value_of(p, "f_op_float32_mul", 32, none) != cases[i].muls)
            fail_msg("%s: %g", cases[i].few, value_of(p, "f_op_float32_mul", 32, none));
        assert_false(p->estimated);
        gcal_profile_destroy(p);
    }
}

/* Which of a group's sub-groups take part is not known without their size. */
static void partly_active_groups_are_marked(void **state)
{
    struct gcal_count_request r = {
        .source = "__kernel void k(__global float *a) {\n"
                  "    int l = get_local_id(0);\n"
                  "    if (l < 33)\n"
                  "        a[l] *= 2.5f;\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 128 },
        .global_size = { "n" },
    };
    struct gcal_profile *p = count(&r);
    const struct gcal_profile_entry *mul = find(p, "f_op_float32_mul");

    (void)state;
    assert_string_equal(mul->count, "1/128*n*ceil(128/sub_group_size)");
    assert_true(mul->estimated);
    assert_false(find(p, "f_mem_access_global_float32_load")->estimated);
    assert_true(p->estimated);
    assert_int_equal(p->n_notes, 1);
    assert_non_null(strstr(p->notes[0], "3:"));
    assert_non_null(strstr(p->notes[0], "only some work-items of a group"));
    gcal_profile_destroy(p);
    r.sub_group_size = 32;
    p = count(&r);
    mul = find(p, "f_op_float32_mul");
    assert_string_equal(mul->count, "1/64*n");
    assert_false(p->estimated);
    assert_string_equal(p->assumptions, "n % 128 = 0 and sub_group_size = 32");
    gcal_profile_destroy(p);
}

static void finds_divergent_branches(void **state)
{
    static const struct size sizes[] = { { "n", 640 }, { 0 } };
    struct gcal_count_request r = {
        .source = "__kernel void k(__global float *a, __global const int *d) {\n"
                  "    int g = get_global_id(0), l = get_local_id(0);\n"
                  "    if (l < 16) a[g] = 1;\n"              /* the first of a group */
                  "    if (l < 32) a[g] = 2;\n"              /* none */
                  "    if (get_group_id(0) > 2) a[g] = 3;\n" /* none */
                  "#ifdef DATA\n"
                  "    if (d[g] > 0)\n" /* all of them, perhaps */
                  "        if (l < 48) a[g] = 4;\n"
                  "#endif\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" },
        .sub_group_size = 32,
    };
    struct gcal_profile *p = count(&r);

    (void)state;
    assert_true(value_of(p, "f_divergent_branch", 32, sizes) == 10);
    assert_int_equal(find(p, "f_divergent_branch")->line, 3);
    assert_false(p->estimated);
    gcal_profile_destroy(p);
    r.build_options = "-DDATA";
    p = count(&r);
    assert_true(value_of(p, "f_divergent_branch", 32, sizes) == 10 + 20 + 10);
    assert_true(p->estimated);
    gcal_profile_destroy(p);
    r.sub_group_size = 0;
    p = count(&r);
    assert_false(p->divergence);
    for (size_t i = 0; i < p->n_entries; i++)
        assert_int_not_equal(p->entries[i].kind, GCAL_FEATURE_DIVERGENT_BRANCH);
    gcal_profile_destroy(p);
}

/* ---- atomics ---- */

static void counts_atomics(void **state)
{
    static const struct size sizes[] = { { "n", 640 }, { 0 } };
    struct gcal_profile *p = count(&(const struct gcal_count_request){
        .source = "__kernel void k(__global uint *bins, __global const uint *d,\n"
                  "                __global int *total, __global float *f) {\n"
                  "    __local int mine[64], one;\n"
                  "    int g = get_global_id(0);\n"
                  "    atomic_add(&GPUCAL_TAG(bin, bins[d[g]]), 1u);\n"
                  "    atomic_inc(total);\n"
                  "    atomic_and(&total /*$all*/[0], 7);\n"
                  "    atom_min(&total[g + 1], 3);\n"
                  "    atomic_xor(&mine[get_local_id(0)], 5);\n"
                  "    for (int i = 0; i < 3; i++) atomic_dec(&one);\n"
                  "    atomic_xchg(f + get_group_id(0), 2.5f);\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" } });
    const struct gcal_profile_entry *bin = find(p, "f_atomic_tag:bin_global_uint32_add");

    (void)state;
    assert_string_equal(bin->feature, "f_atomic_tag:bin_global_uint32_add");
    assert_string_equal(bin->count, "n");
    assert_string_equal(bin->array, "bins");
    assert_null(bin->afr);
    assert_false(bin->estimated); /* where it goes is not known, how often is */
    assert_string_equal(find(p, "f_atomic_global_int32_inc")->afr, "n");
    assert_string_equal(find(p, "f_atomic_tag:all")->op, "and");
    assert_string_equal(find(p, "f_atomic_global_int32_min")->afr, "1");
    assert_string_equal(find(p, "f_atomic_local_int32_xor")->afr, "1");
    assert_string_equal(find(p, "f_atomic_local_int32_dec")->afr, "192");
    assert_string_equal(find(p, "f_atomic_local_int32_dec")->count, "3*n");
    assert_string_equal(find(p, "f_atomic_global_float32_xchg")->afr, "64");
    CHECK(p, 32, sizes, { "f_atomic", 9 * 640 }, { "f_atomic_local", 4 * 640 },
          { "f_atomic_global_int32", 3 * 640 }, { "f_atomic_afr:>64", 2 * 640 + 3 * 640 },
          { "f_mem_access", 640 }); /* d[g] alone: atomics are neither loads nor stores */
    assert_false(p->estimated);
    gcal_profile_destroy(p);
}

static void counts_atomics_of_opencl_2(void **state)
{
    static const struct size sizes[] = { { "n", 640 }, { 0 } };
    struct gcal_profile *p = count(&(const struct gcal_count_request){
        .source = "__kernel void k(__global atomic_int *a, __global atomic_uint *u,\n"
                  "                __global atomic_flag *f) {\n"
                  "    int g = get_global_id(0), e = 3;\n"
                  "    atomic_fetch_add_explicit(&a[g], 3, memory_order_relaxed,\n"
                  "                              memory_scope_device);\n"
                  "    atomic_fetch_max(u + g, 3u);\n"
                  "    atomic_compare_exchange_strong(&a[g], &e, 5);\n"
                  "    atomic_store(&a[2 * g], atomic_load(&a[3 * g]));\n"
                  "    atomic_flag_test_and_set(f + g);\n"
                  "}\n",
        .build_options = "-cl-std=CL2.0",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" } });

    (void)state;
    CHECK(p, 32, sizes, { "f_atomic_global_int32_add_lstrides:{0:1}", 640 },
          { "f_atomic_global_uint32_max", 640 }, { "f_atomic_global_int32_cmpxchg", 640 },
          { "f_atomic_global_int32_store_lstrides:{0:2}", 640 },
          { "f_atomic_global_int32_load_lstrides:{0:3}", 640 },
          { "f_atomic_global_int32_xchg", 640 }, { "f_atomic", 6 * 640 },
          { "f_mem_access", 0 });
    gcal_profile_destroy(p);
}

/* ---- banks ---- */

static size_t ways_of(const char *type, const char *index, size_t x, size_t y,
                      size_t sub_group_size)
{
    char source[500];
    struct gcal_count_request r = { .source = source,
                                    .n_dims = 2,
                                    .local_size = { x, y },
                                    .global_size = { "n", "m" },
                                    .sub_group_size = sub_group_size,
                                    .n_banks = 32 };
    struct gcal_profile *p;
    size_t ways;

    snprintf(source, sizeof(source),
             "__kernel void k(__global %s *a) {\n"
             "    __local %s t[4096];\n"
             "    int x = get_local_id(0), y = get_local_id(1);\n"
             "    for (int i = 0; i < 5; i++) a[get_global_id(0)] = t[%s + 7 * i];\n"
             "}\n",
             type, type, index);
    p = count(&r);
    ways = find(p, "f_mem_access_local")->bank_ways;
    /* passes = accesses of sub-groups * ways */
    assert_true(value_of(p, "f_local_pass_load", (double)sub_group_size,
                         (const struct size[]){ { "n", 64 }, { "m", 64 }, { 0 } }) ==
                (double)ways *
                    value_of(p, "f_mem_access_local_load", (double)sub_group_size,
                             (const struct size[]){ { "n", 64 }, { "m", 64 }, { 0 } }));
    gcal_profile_destroy(p);
    return ways;
}

static void finds_bank_conflicts(void **state)
{
    (void)state;
    assert_int_equal(ways_of("float", "x", 32, 1, 32), 1);
    assert_int_equal(ways_of("float", "2 * x", 32, 1, 32), 2);
    assert_int_equal(ways_of("float", "32 * x", 32, 1, 32), 32);
    assert_int_equal(ways_of("float", "33 * x", 32, 1, 32), 1);
    assert_int_equal(ways_of("float", "y", 32, 1, 32), 1); /* one word for all */
    assert_int_equal(ways_of("float", "4000 - 3 * x", 32, 1, 32), 1);
    assert_int_equal(ways_of("double", "x", 32, 1, 32), 2);
    assert_int_equal(ways_of("float4", "x", 32, 1, 32), 4);
    assert_int_equal(ways_of("uchar", "x", 32, 1, 32), 1); /* four lanes to a word */
    assert_int_equal(ways_of("ushort", "64 * x", 32, 1, 32), 32);
    /* columns of a tile, plain and padded */
    assert_int_equal(ways_of("float", "16 * x + y", 16, 16, 16), 8);
    assert_int_equal(ways_of("float", "17 * x + y", 16, 16, 16), 1);
    assert_int_equal(ways_of("float", "16 * x + y", 16, 16, 32), 8);
    assert_int_equal(ways_of("float", "17 * x + y", 16, 16, 32), 2);
    /* a sub-group that its work-group does not fill */
    assert_int_equal(ways_of("float", "32 * x", 8, 1, 32), 8);
    /* not a stride, yet the lanes are known */
    assert_int_equal(ways_of("float", "32 * (x % 4)", 32, 1, 32), 4);
    assert_int_equal(ways_of("float", "32 * (x / 2)", 32, 1, 32), 16);
}

/* Two accesses without strides have different conflicts. */
static void conflicts_without_strides_stand_apart(void **state)
{
    static const struct size sizes[] = { { "n", 64 }, { 0 } };
    struct gcal_profile *p = count(&(const struct gcal_count_request){
        .source = "__kernel void k(__global float *a) {\n"
                  "    __local float t[4096];\n"
                  "    int x = get_local_id(0);\n"
                  "    a[x] = t[32 * (x % 4)] + t[32 * (x / 2)];\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 32 },
        .global_size = { "n" },
        .sub_group_size = 32,
        .n_banks = 32 });

    (void)state;
    CHECK(p, 32, sizes, { "f_op_float32_add", 2 }, { "f_op_int32_rem_constant", 2 },
          { "f_op_int32_div_constant", 2 }, { "f_op_int32_mul", 4 },
          { "f_mem_access_local", 4 }, { "f_local_pass", 2 * (4 + 16) });
    gcal_profile_destroy(p);
}

/* Passes of the loads in a loop over a tile, by what else the loop does. */
static void loads_that_repeat_count_once(void **state)
{
    static const struct size sizes[] = { { "n", 64 }, { 0 } };
    static const struct {
        const char *in_loop;
        double passes; /* of loads of t */
    } cases[] = {
        { "s += t[x] * m;", 1 },
        { "s += t[x + m];", 5 },
        { "s += t[x] * m; u[x] = s;", 1 },
        { "s += t[x] * m; t[31 - x] = s;", 5 },
        { "s += t[x] * m; barrier(CLK_LOCAL_MEM_FENCE);", 5 },
        { "for (int o = 0; o < 3; o++) s += t[x + o] * m;", 3 },
        { "s += t[x + m] + t[x + m + 1];", 6 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char source[1000];
        struct gcal_profile *p;

        snprintf(source, sizeof(source),
                 "__kernel void k(__global float *a) {\n"
                 "    __local float t[64], u[64];\n"
                 "    int x = get_local_id(0);\n"
                 "    float s = 0;\n"
                 "    for (int m = 0; m < 5; m++) { %s }\n"
                 "    a[get_global_id(0)] = s;\n"
                 "}\n",
                 cases[i].in_loop);
        p = count(&(const struct gcal_count_request){ .source = source,
                                                      .n_dims = 1,
                                                      .local_size = { 32 },
                                                      .global_size = { "n" },
                                                      .sub_group_size = 32,
                                                      .n_banks = 32 });
        assert_float_equal(value_of(p, "f_local_pass_float32_load", 32, sizes),
                           2 * cases[i].passes, 1e-9);
        gcal_profile_destroy(p);
    }
}

static void words_of_banks(void **state)
{
    int64_t same[] = { 40, 40, 40 }, negative[] = { -4, -132, 124 },
            odd[] = { 2, 6, 126 };

    (void)state;
    assert_int_equal(gcal_count_bank_conflict(3, same, 4, 32, false), 1);
    assert_int_equal(gcal_count_bank_conflict(3, negative, 4, 32, false), 3);
    assert_int_equal(gcal_count_bank_conflict(3, odd, 4, 32, false),
                     2); /* 126..129: words 31 and 32 */
    assert_int_equal(gcal_count_bank_conflict(3, same, 4, 1, false), 1);
    assert_int_equal(gcal_count_bank_conflict(3, negative, 4, 1, false), 3);
}

static void unknown_bank_conflicts_are_refused(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_count_request r = {
        .source = "__kernel void k(__global float *a, __global const int *ix) {\n"
                  "    __local float t[64];\n"
                  "    int g = get_global_id(0);\n"
                  "    a[g] = t[ix[g]];\n"
                  "}\n",
        .file = "x.cl",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" },
        .sub_group_size = 32,
        .n_banks = 32,
    };
    struct gcal_profile *p;

    (void)state;
    assert_null(gcal_count(&r, &err));
    if (strncmp(err.text, "x.cl:4:12: bank conflicts", 25) != 0)
        fail_msg("got: %s", err.text);
    r.allow_estimates = true;
    p = count(&r);
    assert_true(find(p, "f_local_pass")->estimated);
    assert_false(find(p, "f_mem_access_local")->estimated);
    assert_int_equal(p->n_notes, 1);
    gcal_profile_destroy(p);
    r.sub_group_size = 0;
    assert_null(gcal_count(&r, &err));
    assert_non_null(strstr(err.text, "bank conflicts need a sub-group size"));
}

/* ---- inexact counts ---- */

static void conditions_on_data_are_said(void **state)
{
    struct gcal_profile *p = count(&(const struct gcal_count_request){
        .source = "__kernel void k(__global float *a) {\n"
                  "    int g = get_global_id(0);\n"
                  "    float x = a[g];\n"
                  "    if (x > 0.5f)\n"
                  "        a[g] = x * 3.5f;\n"
                  "    else\n"
                  "        a[g] = x + 3.5f;\n"
                  "}\n",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" } });

    (void)state;
    assert_string_equal(find(p, "f_op_float32_mul")->count,
                        "1/64*n*ceil(64/sub_group_size)");
    assert_true(find(p, "f_op_float32_mul")->estimated);
    assert_true(find(p, "f_op_float32_add")->estimated);
    assert_true(find(p, "f_mem_access_global_float32_store")->estimated);
    assert_false(find(p, "f_mem_access_global_float32_load")->estimated);
    assert_true(p->n_notes >= 1);
    assert_int_equal(strncmp(p->notes[0], "4:", 2), 0);
    gcal_profile_destroy(p);
}

static void counting_twice_gives_the_same(void **state)
{
    struct gcal_count_request r = product("tiled", 32);
    char *texts[2];

    (void)state;
    r.n_banks = 32;
    r.index_arithmetic = true;
    for (size_t i = 0; i < 2; i++) {
        struct gcal_profile *p = count(&r);

        texts[i] = gcal_profile_encode(p, NULL);
        gcal_profile_destroy(p);
    }
    assert_non_null(texts[0]);
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_two_statements),
        cmocka_unit_test(counts_a_serial_product),
        cmocka_unit_test(counts_functions),
        cmocka_unit_test(counts_triangles_exactly),
        cmocka_unit_test(tags_tell_statements_apart),
        cmocka_unit_test(counts_a_tiled_product),
        cmocka_unit_test(counts_a_plain_product),
        cmocka_unit_test(counts_barriers),
        cmocka_unit_test(counts_bytes_of_arrays),
        cmocka_unit_test(counts_subscripts_on_request),
        cmocka_unit_test(counts_steps_of_loops),
        cmocka_unit_test(partial_sub_groups_are_whole),
        cmocka_unit_test(partly_active_groups_are_marked),
        cmocka_unit_test(finds_divergent_branches),
        cmocka_unit_test(counts_atomics),
        cmocka_unit_test(counts_atomics_of_opencl_2),
        cmocka_unit_test(finds_bank_conflicts),
        cmocka_unit_test(conflicts_without_strides_stand_apart),
        cmocka_unit_test(loads_that_repeat_count_once),
        cmocka_unit_test(words_of_banks),
        cmocka_unit_test(unknown_bank_conflicts_are_refused),
        cmocka_unit_test(conditions_on_data_are_said),
        cmocka_unit_test(counting_twice_gives_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
