/* test_afr.c - access-to-footprint ratios, and what they are only valid under */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"

static struct gcal_profile *count(const char *source, size_t n_dims, const char *assume)
{
    static const char *const global[][2] = { { "64*gx", NULL }, { "16*gx", "16*gy" } };
    static const size_t local[][2] = { { 64 }, { 16, 16 } };
    struct gcal_count_request r = { .file = "x.cl",
                                    .source = source,
                                    .assume = assume,
                                    .build_options = "-cl-std=CL2.0" };
    struct gcal_error err = { 0 };
    struct gcal_profile *p;

    r.n_dims = n_dims;
    for (size_t d = 0; d < n_dims; d++) {
        r.local_size[d] = local[n_dims - 1][d];
        r.global_size[d] = global[n_dims - 1][d];
    }
    if (!(p = gcal_count(&r, &err)))
        fail_msg("%s", err.text);
    return p;
}

static const struct gcal_profile_entry *
access_of(const struct gcal_profile *p, const char *array, const char *direction)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (p->entries[i].array && strcmp(p->entries[i].array, array) == 0 &&
            strstr(p->entries[i].feature, direction))
            return &p->entries[i];
    fail_msg("no %s of %s", direction, array);
    return NULL;
}

static bool are_equal(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

struct known {
    const char *array, *direction, *afr, *premise; /* NULL: unknown, none */
};

static void check(const struct gcal_profile *p, size_t n, const struct known *known)
{
    for (size_t i = 0; i < n; i++) {
        const struct gcal_profile_entry *e =
            access_of(p, known[i].array, known[i].direction);

        if (!are_equal(e->afr, known[i].afr) ||
            !are_equal(e->afr_premise, known[i].premise))
            fail_msg("%s of %s: afr %s where %s, not %s where %s", known[i].direction,
                     known[i].array, e->afr, e->afr_premise, known[i].afr,
                     known[i].premise);
        assert_true(!e->afr_premise || !strstr(e->feature, "_afr:"));
    }
}

#define CHECK(p, ...)                                                                    \
    do {                                                                                 \
        static const struct known known_[] = { __VA_ARGS__ };                            \
        check(p, sizeof(known_) / sizeof(*known_), known_);                              \
    } while (0)

/* ---- rows ---- */

static const char matrix[] =
    "kernel void k(global const float *a, global const float *x, global float *y, int "
    "m,\n"
    "              int n, int lda, int incx, int offx) {\n"
    "    int i = get_global_id(0);\n"
    "    if (i < m) {\n"
    "        float s = 0;\n"
    "        for (int j = 0; j < n; j++) s += a[i*lda + j] * x[j*incx + offx];\n"
    "        y[i] = s;\n"
    "    }\n"
    "}\n";

/* A stride of a size is at least 1, so that a vector's elements are distinct. */
static void rows_are_at_least_as_long_as_what_is_touched(void **state)
{
    struct gcal_profile *p = count(matrix, 1, NULL);

    (void)state;
    CHECK(p, { "a", "load", "1", "lda >= n" }, { "x", "load", "min(m,64*gx)", NULL },
          { "y", "store", "1", NULL });
    gcal_profile_destroy(p);
    p = count(matrix, 1, "lda >= n");
    CHECK(p, { "a", "load", "1", NULL });
    gcal_profile_destroy(p);
}

static void unguarded_stores_need_rows_of_all_work_items(void **state)
{
    static const char source[] =
        "kernel void k(global float *a, global float *b, int w, int h, int pitch) {\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    a[y*w + x] = 1;\n"
        "    if (x < w && y < h) b[y*pitch + x] = 1;\n"
        "}\n";
    struct gcal_profile *p = count(source, 2, NULL);

    (void)state;
    CHECK(p, { "a", "store", "1", "w >= 16*gx" },
          { "b", "store", "1", "pitch >= min(16*gx,w)" });
    gcal_profile_destroy(p);
}

/* Planes of rows: a premise for each. */
static void planes_have_as_many_rows_as_are_touched(void **state)
{
    static const char source[] =
        "kernel void k(global float *a, int n, int m, int o, int ld, int rows) {\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    if (x < n && y < m)\n"
        "        for (int z = 0; z < o; z++) a[(z*rows + y)*ld + x] = 1;\n"
        "}\n";
    struct gcal_profile *p = count(source, 2, NULL);

    (void)state;
    CHECK(p, { "a", "store", "1", "ld >= min(16*gx,n) and rows >= min(16*gy,m)" });
    gcal_profile_destroy(p);
}

/* Rows of n + 2 elements, of which n + 8 are touched. */
static void premises_that_never_hold_are_none(void **state)
{
    static const char source[] =
        "kernel void k(global float *a, int n) {\n"
        "    int i = get_global_id(0);\n"
        "    for (int j = 0; j < n + 8; j++) a[i*(n + 2) + j] = 1;\n"
        "}\n";
    struct gcal_profile *p = count(source, 1, "n >= 100");

    (void)state;
    CHECK(p, { "a", "store", NULL, NULL });
    gcal_profile_destroy(p);
}

/* ---- many accesses ---- */

/* A table that inlined functions read again and again, in conditions on data and loops. */
static void accesses_that_others_cover_cost_nothing(void **state)
{
    static const char source[] =
        "#define TWICE(x) x x\n"
        "float f(constant float *t, float x) {\n"
        "    return x*t[0] + x*t[1] + x*t[2] + (x > 1 ? t[3] : t[2]);\n"
        "}\n"
        "kernel void k(global float *a, constant float *t) {\n"
        "    int i = get_global_id(0);\n"
        "    float x = f(t, a[i]);\n"
        "    for (int j = 0; j < 3; j++)\n"
        "        if (x > j) { TWICE(TWICE(TWICE(TWICE(x = f(t, x);)))) }\n"
        "    if (i > 7) a[i] = x; else { a[i] = -x; }\n"
        "}\n";
    struct gcal_profile *p = count(source, 1, NULL);

    (void)state;
    CHECK(p, { "t", "load", "3920*gx", NULL }, { "a", "store", "1", NULL });
    gcal_profile_destroy(p);
}

/* ---- other places than elements of arrays ---- */

/* A step of bytes that is no known multiple of an element: pixels are aligned all the
 * same.
 */
static void bytes_tell_elements_apart(void **state)
{
    static const char source[] =
        "kernel void k(global const uchar *in, int in_step, global uchar *out,\n"
        "              int out_step, int off) {\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    {\n"
        "        global const float *a = (global const float *)(in + y*in_step + x*4);\n"
        "        *(global float4 *)(out + y*out_step + x*16 + off) = a[0] + a[-1];\n"
        "    }\n"
        "}\n";
    struct gcal_profile *p = count(source, 2, NULL);

    (void)state;
    CHECK(p, { "in", "load", "(512*gx*gy)/(256*gx*gy+16*gy)", "in_step >= 64*gx+4" },
          { "out", "store", "1", "out_step >= 256*gx" });
    gcal_profile_destroy(p);
}

/* Each pixel is read by the nine around it, those outside before they are clamped. */
static void coordinates_tell_pixels_apart(void **state)
{
    static const char source[] =
        "constant sampler_t s = CLK_ADDRESS_CLAMP_TO_EDGE;\n"
        "kernel void k(read_only image2d_t in, write_only image2d_t out) {\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    float4 sum = 0;\n"
        "    for (int i = -1; i <= 1; i++)\n"
        "        for (int j = -1; j <= 1; j++)\n"
        "            sum += read_imagef(in, s, (int2)(x + j, y + i));\n"
        "    sum += read_imagef(in, s, (float2)(x + 0.5f, y));\n"
        "    write_imagef(out, (int2)(y, x), sum);\n"
        "}\n";
    struct gcal_profile *p = count(source, 2, NULL);

    (void)state;
    assert_int_equal(p->n_parameters, 2);
    CHECK(p, { "out", "store", "1", NULL }, { "in", "load", NULL, NULL });
    gcal_profile_destroy(p);
}

static void pixels_of_volumes_are_distinct(void **state)
{
    static const char source[] =
        "kernel void k(read_only image3d_t in, read_only image1d_t line, int n,\n"
        "              global float *out) {\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    float sum = 0;\n"
        "    for (int z = 0; z < n; z++)\n"
        "        sum += read_imagef(in, (int4)(x + y, 3*y, z, 0)).x;\n"
        "    for (int i = 0; i < n; i++) sum += read_imagef(line, i).x;\n"
        "    out[y*get_global_size(0) + x] = sum;\n"
        "}\n";
    struct gcal_profile *p = count(source, 2, "n >= 1");

    (void)state;
    CHECK(p, { "in", "load", "1", NULL }, { "line", "load", "256*gx*gy", NULL },
          { "out", "store", "1", NULL });
    gcal_profile_destroy(p);
}

/* ---- use ---- */

static double value_of(const struct gcal_profile *p, const char *feature, double lda)
{
    struct gcal_error err = { 0 };
    struct gcal_binding *b = gcal_binding_create(p, 1, &feature, 32, &err);
    double sizes[8], value;

    assert_non_null(b);
    for (size_t i = 0; i < p->n_parameters; i++)
        sizes[i] = strcmp(p->parameters[i], "gx") == 0    ? 2
                   : strcmp(p->parameters[i], "m") == 0   ? 100
                   : strcmp(p->parameters[i], "n") == 0   ? 10
                   : strcmp(p->parameters[i], "lda") == 0 ? lda
                                                          : 1;
    assert_int_equal(gcal_binding_eval(b, sizes, &value, &err), 0);
    gcal_binding_destroy(b);
    return value;
}

/* An AFR whose premise does not hold is unknown, and matches nothing. */
static void constraints_need_the_premise(void **state)
{
    static const char stride[] = "f_mem_access_global_float32_load_lstrides:{0:>=8}";
    static const char once[] = "f_mem_access_global_float32_load_lstrides:{0:>=8}_afr:1";
    struct gcal_profile *p = count(matrix, 1, NULL), *read;
    struct gcal_error err = { 0 };
    struct gcal_yaml *root;
    char *text;

    (void)state;
    assert_float_equal(value_of(p, once, 10), 1000, 0);
    assert_float_equal(value_of(p, once, 9), 0, 0);
    assert_float_equal(value_of(p, stride, 9), 1000, 0);
    text = gcal_profile_encode(p, &err);
    assert_non_null(text);
    assert_non_null(strstr(text, "gpucal_profile: 6"));
    root = gcal_yaml_parse(text, strlen(text), "k.profile.yaml", &err);
    assert_non_null(root);
    if (!(read = gcal_profile_decode(root, &err)))
        fail_msg("%s", err.text);
    CHECK(read, { "a", "load", "1", "lda >= n" });
    assert_float_equal(value_of(read, once, 9), 0, 0);
    free(text);
    gcal_yaml_destroy(root);
    gcal_profile_destroy(read);
    gcal_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_at_least_as_long_as_what_is_touched),
        cmocka_unit_test(unguarded_stores_need_rows_of_all_work_items),
        cmocka_unit_test(planes_have_as_many_rows_as_are_touched),
        cmocka_unit_test(premises_that_never_hold_are_none),
        cmocka_unit_test(accesses_that_others_cover_cost_nothing),
        cmocka_unit_test(bytes_tell_elements_apart),
        cmocka_unit_test(coordinates_tell_pixels_apart),
        cmocka_unit_test(pixels_of_volumes_are_distinct),
        cmocka_unit_test(constraints_need_the_premise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
