/* test_sources.c - which sources are counted: standards, errors elsewhere, work-groups */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/remove/remove.h"

static struct gcal_error err;

static struct gcal_count_request request(const char *source, const char *kernel)
{
    return (struct gcal_count_request){ .source = source,
                                        .file = "x.cl",
                                        .kernel = kernel,
                                        .n_dims = 1,
                                        .local_size = { 64 },
                                        .global_size = { "n" } };
}

static void expect_counted(const struct gcal_count_request *r)
{
    struct gcal_profile *profile = gcal_count(r, &err);

    if (!profile)
        fail_msg("%s", err.text);
    gcal_profile_destroy(profile);
}

static void expect_refused(const struct gcal_count_request *r, const char *text)
{
    assert_null(gcal_count(r, &err));
    if (!strstr(err.text, text))
        fail_msg("got: %s", err.text);
}

/* ---- errors in functions that are not called ---- */

#define GOOD "__kernel void good(__global float *x, int n) { x[get_global_id(0)] = 1; }\n"

static void errors_elsewhere_are_ignored(void **state)
{
    static const char *const elsewhere[] = {
        "__kernel void bad(__global float *x) { x[0] = nowhere; }\n",
        "__kernel void bad(queue_t q) { }\n",
        ("int bad(int i) { return nothing(i) + work_group_reduce_add(i); }\n"
         "__kernel void worse(__global int *x) { x[0] = bad(x[0]); }\n"),
    };
    char source[600];

    (void)state;
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
        for (int first = 0; first < 2; first++) {
            struct gcal_count_request r;

            snprintf(source, sizeof(source), "%s%s", first ? elsewhere[i] : GOOD,
                     first ? GOOD : elsewhere[i]);
            r = request(source, "good");
            expect_counted(&r);
        }
}

static void errors_that_matter_are_reported(void **state)
{
    struct gcal_count_request r =
        request("int bad(int i) { return i + nothing; }\n"
                "__kernel void k(__global int *x, int n) { x[0] = bad(n); }\n",
                "k");

    (void)state;
    expect_refused(&r, "x.cl:1:29: use of undeclared identifier 'nothing'");
    r = request("float4x z;\n" GOOD, "good");
    expect_refused(&r, "x.cl:1:1: unknown type name 'float4x'");
    r = request("__kernel void open(__global float *x) { x[0] = 1;\n" GOOD, "good");
    expect_refused(&r, "x.cl:2:1: ");
    r = request("#include \"nowhere.h\"\n" GOOD, "good");
    expect_refused(&r, "(give its folder by --include)");
}

static void cuda_is_named(void **state)
{
    static const char *const sources[] = {
        "__global__ void f(float *x) { x[threadIdx.x] = 1; }\n",
        "extern \"C\" __global__ void f(float *x) { x[blockIdx.x] = 1; }\n",
        "template <typename T> __global__ void f(T *x) { *x = 1; }\n",
        "__device__ float g() { return 1; }\n__global__ void f(float *x) { *x = g(); }\n",
    };
    static const char *const names[] = { "f", "f", "f<float>", "f" };

    (void)state;
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
        struct gcal_count_request r = request(sources[i], NULL);

        expect_refused(&r, "(this is CUDA or HIP: name the file .cu or .hip");
        r.language = GCAL_SOURCE_CUDA;
        r.kernel = names[i];
        expect_counted(&r);
    }
}

/* What is not read of C++ is refused with its place. */
static void cpp_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *source, *text;
    } refused[] = {
        { "struct A { __device__ virtual float f() { return 1; } };\n"
          "__global__ void k(float *x, A *a) { *x = a->f(); }\n",
          "x.cu:2:42: which virtual function 'f' this calls is not known" },
        { "__global__ void k(float *x) { float v[2] = {1, 2}; for (float y : v) *x += y; "
          "}\n",
          "x.cu:1:52: a loop over a range cannot be counted" },
        { "__device__ float f(float);\n"
          "__global__ void k(float *x) { *x = f(*x); }\n",
          "x.cu:2:36: the body of 'f' is not in the source" },
        { "__device__ float &f(float *x, int m) { if (m) return x[1]; return x[2]; }\n"
          "__global__ void k(float *x, int m) { f(x, m) = 1; }\n",
          "x.cu:1:67: a function that returns one of several references" },
        { "__device__ int f(int n) { return n > 1 ? f(n - 1) : 1; }\n"
          "__global__ void k(float *x, int n) { *x = f(n); }\n",
          "x.cu:1:42: recursive functions" },
        { "__global__ void k(float *x, int m) { int a, b; (m ? a : b) = 1; *x = a; }\n",
          "x.cu:1:49: an expression that is one of several variables" },
        { "struct A { float *p; __device__ A(float *q) : p(q) {} __device__ ~A() { *p = "
          "1; } "
          "};\n__global__ void k(float *x) { A a(x); }\n",
          "x.cu:2:33: an object whose destructor does something" },
        { "struct A { float p; }; struct B { float q; }; struct C : A, B {};\n"
          "__global__ void k(float *x, C *c) { *x = c->q; }\n",
          "several bases" },
        { "__global__ void k(float *x, int n) { for (int i = 0; i < n;) { auto up = [&] "
          "{ i "
          "*= 3; }; up(); } }\n",
          "give its average with" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        struct gcal_count_request r = request(refused[i].source, "k");

        r.file = "x.cu";
        r.language = GCAL_SOURCE_CUDA;
        expect_refused(&r, refused[i].text);
    }
}

/* ---- OpenCL C 2.0 ---- */

#define GENERIC                                                                          \
    "float at(float *p, int i) { return p[i]; }\n"                                       \
    "__kernel void k(__global float *x, __local float *t, int n) {\n"                    \
    "  int l = get_local_id(0);\n"                                                       \
    "  t[l] = at(x, get_global_id(0)); barrier(CLK_LOCAL_MEM_FENCE);\n"                  \
    "  x[get_global_id(0)] = at(t, 63 - l); }\n"

#define BY_REFERENCE                                                                     \
    "__device__ void next(int &i) { i++; }\n"                                            \
    "__device__ void move(int &i, int by) { if (by > 9) return; i += by; }\n"            \
    "__device__ int moved(int &i, const int by) { return i += by; }\n"                   \
    "__device__ void twice(int &i, int by) { by *= 2; i += by; }\n"                      \
    "struct walker { int at, by; __device__ void go() { at += by; } };\n"                \
    "struct adder { int &to; __device__ void operator()(int by) const { to += by; } "    \
    "};\n"                                                                               \
    "__global__ void k(float *x, int n)\n{ float s = 0; int i = 0, j = 0; "

/* How it loads, and how often. */
static char *count_loads(const char *body)
{
    char source[2000], *count = NULL;
    struct gcal_count_request r = request(source, "k");
    struct gcal_profile *profile;

    r.language = GCAL_SOURCE_CUDA;
    r.global_size[0] = "64";
    snprintf(source, sizeof(source), BY_REFERENCE "%s x[0] = s; }\n", body);
    if (!(profile = gcal_count(&r, &err)))
        fail_msg("%s: %s", body, err.text);
    for (size_t i = 0; i < profile->n_entries; i++)
        if (profile->entries[i].direction == GCAL_FEATURE_LOAD)
            count = gcal_buf_format("%s %s", profile->entries[i].feature,
                                    profile->entries[i].count);
    assert_non_null(count);
    gcal_profile_destroy(profile);
    return count;
}

/* As if what changes them were written in the loop. */
static void references_change_counters(void **state)
{
    static const char *const same[][2] = {
        { "while (i < n) { s += x[3*i]; moved(i, 4); }",
          "while (i < n) { s += x[3*i]; i += 4; }" },
        { "for (; i < n; next(i)) s += x[3*i];", "for (; i < n; i++) s += x[3*i];" },
        { "while (moved(i, 4) < n) s += x[3*i];", "while ((i += 4) < n) s += x[3*i];" },
        { "auto go = [&](int by) { s += x[3*i]; i += by; }; while (i < n) go(4);",
          "while (i < n) { s += x[3*i]; i += 4; }" },
        { "walker w{0, 4}; while (w.at < n) { s += x[3*w.at]; w.go(); }",
          "while (i < n) { s += x[3*i]; i += 4; }" },
        { "adder a{i}; while (i < n) { s += x[3*i]; a(4); }",
          "while (i < n) { s += x[3*i]; i += 4; }" },
        { "adder a{i}; i = threadIdx.x; a(2*i); s = x[i];", "s = x[3*threadIdx.x];" },
        { "i = threadIdx.x; move(i, 4*i); s = x[i];",
          "i = threadIdx.x; if (4*i <= 9) i += 4*i; s = x[i];" },
    };
    static const char *const refused[] = {
        "while (i < n) { s += x[i]; move(i, n); }",  /* perhaps */
        "while (i < n) { s += x[i]; twice(i, 3); }", /* by what the function changes */
        "adder a{i}, b{j}; while (i < n) { s += x[i]; a(2); }",
    };
    char source[2000], *counts[2];

    (void)state;
    for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++) {
        for (size_t k = 0; k < 2; k++)
            counts[k] = count_loads(same[i][k]);
        if (strcmp(counts[0], counts[1]) != 0)
            fail_msg("%s: %s, not %s", same[i][0], counts[0], counts[1]);
        for (size_t k = 0; k < 2; k++)
            free(counts[k]);
    }
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        struct gcal_count_request r = request(source, "k");

        r.language = GCAL_SOURCE_CUDA;
        snprintf(source, sizeof(source), BY_REFERENCE "%s x[0] = s; }\n", refused[i]);
        expect_refused(&r, "not affine");
    }
}

static void functions_are_arguments_of_templates(void **state)
{
    static const char source[] =
        "__device__ float twice(float v) { return 2 * v; }\n"
        "typedef float (*function)(float);\n"
        "template <function f> __device__ float apply(float v) { return f(v); }\n"
        "__device__ function pick(int i) { return twice; }\n"
        "__global__ void good(float *x) { x[threadIdx.x] = apply<twice>(x[1]); }\n"
        "__global__ void bad(float *x, int n) { x[threadIdx.x] = pick(n)(x[1]); }\n";
    struct gcal_count_request r = request(source, "good");
    struct gcal_profile *profile;
    bool multiplies = false;

    (void)state;
    r.language = GCAL_SOURCE_CUDA;
    if (!(profile = gcal_count(&r, &err)))
        fail_msg("%s", err.text);
    for (size_t i = 0; i < profile->n_entries; i++)
        multiplies |= strcmp(profile->entries[i].feature, "f_op_float32_mul") == 0;
    assert_true(multiplies);
    gcal_profile_destroy(profile);
    r.kernel = "bad";
    expect_refused(&r, "a call through a pointer cannot be counted");
}

/* Objects, in functions too, references, and results by a pointer; one texel of a row is read twice. */
static void textures_are_images(void **state)
{
    static const char *const reads[][2] = {
        { "y[i] = tex1Dfetch<float>(t, i/2);", "f_mem_access_image_float32_load_afr:2" },
        { "y[i] = tex2D<float>(t, i + 0.5f, n - 1.5f);",
          "f_mem_access_image_float32_load_afr:1" },
        { "y[i] = tex2D(old, i, 3);", "f_mem_access_image_int16_load_afr:1" },
        { "float4 v; tex2DLod(&v, t, i, n, 0); y[i] = v.w;",
          "f_mem_access_image_float32_load_width:4_afr:1" },
        { "y[i] = fetch(t, i);", "f_mem_access_image_float32_load_afr:1" },
        { "y[i] = tex2D<float>(t, y[i], 2);", "f_mem_access_image_float32_load" },
    };
    char source[1000];
    bool found;

    (void)state;
    for (size_t i = 0; i < sizeof(reads) / sizeof(*reads); i++) {
        struct gcal_count_request r = request(source, "k");
        struct gcal_profile *profile;

        r.language = GCAL_SOURCE_CUDA;
        snprintf(source, sizeof(source),
                 "texture<short, 2> old;\n"
                 "__device__ float fetch(cudaTextureObject_t from, int at)\n"
                 "{ return tex1D<float>(from, at + 0.25f); }\n"
                 "__global__ void k(cudaTextureObject_t t, float *y, int n)\n"
                 "{ int i = blockIdx.x*blockDim.x + threadIdx.x; %s }\n",
                 reads[i][0]);
        if (!(profile = gcal_count(&r, &err)))
            fail_msg("%s: %s", reads[i][0], err.text);
        found = false;
        for (size_t k = 0; k < profile->n_entries; k++)
            found = found || strcmp(profile->entries[k].feature, reads[i][1]) == 0;
        if (!found)
            fail_msg("%s: no %s", reads[i][0], reads[i][1]);
        gcal_profile_destroy(profile);
    }
}

static struct gcal_profile *count_warps(enum gcal_source_language language,
                                        const char *size)
{
    char source[400];
    struct gcal_count_request r = request(source, "k");
    struct gcal_profile *profile;

    r.language = language;
    r.sector_bytes = 32;
    r.sub_group_size = atoi(size) ? atoi(size) : language == GCAL_SOURCE_HIP ? 64 : 32;
    snprintf(source, sizeof(source),
             "__global__ void k(const float *x, float *y)\n"
             "{ int i = blockIdx.x*blockDim.x + threadIdx.x;\n"
             "  y[i / %s + 4*(i %% %s)] = x[i]; }\n",
             size, size);
    if (!(profile = gcal_count(&r, &err)))
        fail_msg("%s: %s", size, err.text);
    return profile;
}

static void the_size_of_a_warp_is_a_constant(void **state)
{
    static const struct {
        enum gcal_source_language language;
        const char *size;
    } cases[] = { { GCAL_SOURCE_CUDA, "32" }, { GCAL_SOURCE_HIP, "64" } };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct gcal_profile *named = count_warps(cases[i].language, "warpSize");
        struct gcal_profile *number = count_warps(cases[i].language, cases[i].size);

        assert_int_equal(named->n_entries, number->n_entries);
        for (size_t k = 0; k < named->n_entries; k++) {
            assert_string_equal(named->entries[k].feature, number->entries[k].feature);
            assert_string_equal(named->entries[k].count, number->entries[k].count);
        }
        gcal_profile_destroy(named);
        gcal_profile_destroy(number);
    }
}

static void standards_are_build_options(void **state)
{
    struct gcal_count_request r = request(GENERIC, NULL);

    (void)state;
    expect_refused(&r, "(it is OpenCL C 2.0: give --std=CL2.0)");
    r.build_options = "-cl-std=CL1.2";
    expect_refused(&r, "changes address space of pointer");
    assert_null(strstr(err.text, "--std"));
    r.build_options = "-cl-std=CL2.0";
    expect_counted(&r);
    r.build_options = "-cl-std=CL3.0";
    expect_counted(&r);
}

static void generic_pointers_count_where_they_point(void **state)
{
    struct gcal_count_request r = request(GENERIC, NULL);
    struct gcal_profile *profile;
    size_t n_loads[4] = { 0 };

    (void)state;
    r.build_options = "-cl-std=CL2.0";
    assert_non_null(profile = gcal_count(&r, &err));
    for (size_t i = 0; i < profile->n_entries; i++)
        n_loads[profile->entries[i].space] +=
            profile->entries[i].direction == GCAL_FEATURE_LOAD;
    gcal_profile_destroy(profile);
    assert_int_equal(n_loads[GCAL_FEATURE_SPACE_GLOBAL], 1);
    assert_int_equal(n_loads[GCAL_FEATURE_SPACE_LOCAL], 1);
    r = request("float at(float *p) { return p[0]; }\n"
                "__kernel void k(__global float *x, int n) {\n"
                "  float t[2] = { 0, 1 }; x[get_global_id(0)] = at(t); }\n",
                NULL);
    r.build_options = "-cl-std=CL2.0"; /* private memory, whose accesses do not count */
    assert_non_null(profile = gcal_count(&r, &err));
    for (size_t i = 0; i < profile->n_entries; i++)
        assert_int_not_equal(profile->entries[i].direction, GCAL_FEATURE_LOAD);
    gcal_profile_destroy(profile);
}

static void work_is_not_removed_around_generic_pointers(void **state)
{
    const struct gcal_remove_options removal = { .form = GCAL_REMOVE_KEEP_MEMORY };
    struct gcal_count_request r = request(GENERIC, NULL);

    (void)state;
    r.build_options = "-cl-std=CL2.0";
    assert_null(gcal_remove_work(&r, &removal, NULL, &err));
    assert_non_null(strstr(err.text, "x.cl:1:36: work cannot be removed"));
}

static void work_is_not_removed_from_kernels_with_images(void **state)
{
    const struct gcal_remove_options removal = { .form = GCAL_REMOVE_KEEP_MEMORY };
    struct gcal_count_request r =
        request("__kernel void k(__global float *x, int n,\n"
                "                read_only image2d_t m, sampler_t s) {\n"
                "  int i = get_global_id(0);\n"
                "  x[i] = read_imagef(m, s, (int2)(i, 0)).x; }\n",
                NULL);

    (void)state;
    expect_counted(&r);
    assert_null(gcal_remove_work(&r, &removal, NULL, &err));
    assert_non_null(strstr(err.text, "x.cl:2:37: work cannot be removed"));
}

/* ---- work-groups ---- */

#define REQUIRED                                                                         \
    "__kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"                          \
    "void k(__global float *x, int n) { x[get_global_id(1)] = get_local_size(0); }\n"

static void work_groups_come_from_the_kernel(void **state)
{
    struct gcal_count_request r = request(REQUIRED, NULL);
    struct gcal_profile *profile;

    (void)state;
    r.n_dims = 2;
    r.local_size[0] = 0;
    r.global_size[1] = "n";
    assert_non_null(profile = gcal_count(&r, &err));
    assert_string_equal(profile->assumptions, "n % 8 = 0 and n % 4 = 0");
    gcal_profile_destroy(profile);
    r.local_size[0] = 4;
    r.local_size[1] = 8;
    expect_refused(&r, "the kernel requires work-groups of 8x4x1");
    r.n_dims = 1;
    r.local_size[0] = 0;
    expect_refused(&r, "the kernel requires work-groups of 8x4x1");
    r = request(GOOD, NULL);
    r.local_size[0] = 0;
    expect_refused(&r, "no reqd_work_group_size");
}

/* ---- descriptions ---- */

static void describes_kernels_and_arguments(void **state)
{
    struct gcal_count_request r = request(GOOD REQUIRED "void helper(int i) {}\n", NULL);
    struct gcal_count_description d;

    (void)state;
    assert_int_equal(gcal_count_describe(&r, &d, &err), 0);
    assert_int_equal(d.kernels.n, 2);
    assert_string_equal(d.kernels.items[1], "k");
    assert_false(d.selected);
    gcal_count_description_clear(&d);
    r.kernel = "k";
    assert_int_equal(gcal_count_describe(&r, &d, &err), 0);
    assert_true(d.selected);
    assert_int_equal(d.n_dims, 2);
    assert_int_equal(d.local_size[0], 8);
    assert_int_equal(d.arguments.n, 2);
    assert_int_equal(d.sizes.n, 1);
    assert_string_equal(d.sizes.items[0], "n");
    gcal_count_description_clear(&d);
}

/* ---- whole files of CUDA ---- */

#define HOST                                                                             \
    "#include <vector>\n#include <cuda_runtime.h>\n#include \"timer.h\"\n"               \
    "#define B 256\nusing namespace std;\nstatic vector<float> kept;\n"                  \
    "struct host { vector<int> v; FILE *f; };\n"                                         \
    "template <typename T, int N> __global__ void f(T *x, int n)\n"                      \
    "{ int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) x[i] += N; }\n"

static void host_code_launches(void **state)
{
    static const struct {
        const char *code, *grid; /* grid NULL: not read */
        size_t block;
    } launches[] = {
        { "f<float, 2><<<(m + B - 1) / B, B>>>(x, m);", "floor(((n+256)-1)/256)", 256 },
        { "const int g = m / 64; f<float, 2><<<g, dim3(64)>>>(x, m);", "floor(n/64)",
          64 },
        { "dim3 g, b(32); g.x = up(m, 32); f<float, 2><<<g, b>>>(x, m);",
          "floor(((n+32)-1)/32)", 32 },
        { "int g; g = ceil((float)m / 8); f<float, 2><<<g, 8, 4>>>(x, m);",
          "floor(ceil((n/8)))", 8 },
        { "auto g = f<float, 2>; g<<<m / 8, 8>>>(x, m);", "floor(n/8)", 8 },
        { "void (*g)(float *, int); g = &f<float, 2>; g<<<m / 8, 8>>>(x, m);",
          "floor(n/8)", 8 },
        { "void (*g)(float *, int) = f<float, 2>; g = 0; g<<<1, 8>>>(x, m);", NULL, 0 },
        { "void *a[] = { &x, &m }; cudaLaunchKernel((void *)f<float, 2>, dim3(m / 8), 8, "
          "a, 0, 0);",
          "floor(n/8)", 8 },
        { "dim3 g(m / 8), b(8); void *a[] = { (void *)&x, (void *)&m };"
          "cudaLaunchCooperativeKernel(&f<float, 2>, g, b, a);",
          "floor(n/8)", 8 },
        { "const void *g = (const void *)f<float, 2>; void *a[2]; hipLaunchKernel(g, m, "
          "8, a, 0, 0);",
          "m", 8 },
        { "f<float, 2><<<ceil(m / 8.0 + 0.5), 8>>>(x, m);", NULL, 0 },
        { "int k = atoi(0); k += 1; f<float, 2><<<k, 8>>>(x, m);", "k", 8 },
        { "int n = atoi(0); f<float, 2><<<n, 8>>>(x, m);", NULL, 0 },
        { "int b = atoi(0); f<float, 2><<<8, b>>>(x, m);", NULL, 0 },
    };
    struct gcal_count_description d;

    (void)state;
    for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++) {
        char source[1200];
        struct gcal_count_request r = request(source, "f<float, 2>");

        r.language = GCAL_SOURCE_CUDA;
        snprintf(source, sizeof(source),
                 HOST "static int up(int a, int b) { return (a + b - 1) / b; }\n"
                      "int main() { float *x; int m = kept.size(); %s }\n",
                 launches[i].code);
        expect_counted(&r);
        assert_int_equal(gcal_count_describe(&r, &d, &err), 0);
        assert_int_equal(d.kernels.n, 1);
        assert_string_equal(d.kernels.items[0], "f<float, 2>");
        if (d.launch.n_dims != (launches[i].grid != NULL))
            fail_msg("%s: %s", launches[i].code,
                     d.launch.grid[0] ? d.launch.grid[0] : "not read");
        if (launches[i].grid) {
            assert_string_equal(d.launch.grid[0], launches[i].grid);
            assert_int_equal(d.launch.block[0], launches[i].block);
        }
        gcal_count_description_clear(&d);
    }
}

/* As the kernel can be named by. */
static void instances_are_listed(void **state)
{
    struct gcal_count_request r =
        request("template <bool B, typename T, unsigned N, int M>\n"
                "__global__ void f(T *x) { *x = B + N + M; }\n"
                "int main() { f<true, float, 7, -1><<<1, 64>>>((float *)0); }\n",
                NULL);
    struct gcal_count_description d;

    (void)state;
    r.language = GCAL_SOURCE_CUDA;
    assert_int_equal(gcal_count_describe(&r, &d, &err), 0);
    assert_int_equal(d.kernels.n, 1);
    r.kernel = d.kernels.items[0];
    expect_counted(&r);
    gcal_count_description_clear(&d);

    r = request("namespace a { enum kind { ONE = 1, TWO }; }\n"
                "template <a::kind K, typename T> __global__ void f(T *x) { *x = K; }\n"
                "int main() { f<a::TWO><<<1, 64>>>((int *)0); }\n",
                NULL);
    r.language = GCAL_SOURCE_CUDA;
    assert_int_equal(gcal_count_describe(&r, &d, &err), 0);
    assert_int_equal(d.kernels.n, 1);
    assert_string_equal(d.kernels.items[0], "f<(a::kind)2, int>");
    r.kernel = d.kernels.items[0];
    expect_counted(&r);
    gcal_count_description_clear(&d);

    r = request("template <typename T, int N> __global__ void f(T *x) { *x = N; }\n"
                "template <typename T> __device__ void g(T *x) { f<T, 9>(x); }\n"
                "// f<char, 5>\n"
                "template __global__ void f<float,3>(float *);\n"
                "template __global__ void f < unsigned  int, 4 > (unsigned *);\n"
                "void h(float *x) { f<float, 3><<<1, 64>>>(x); }\n",
                NULL);
    r.language = GCAL_SOURCE_CUDA;
    assert_int_equal(gcal_count_describe(&r, &d, &err), 0);
    assert_int_equal(d.kernels.n, 2);
    assert_string_equal(d.kernels.items[0], "f<float, 3>");
    assert_string_equal(d.kernels.items[1], "f<unsigned int, 4>");
    r.kernel = d.kernels.items[1];
    expect_counted(&r);
    gcal_count_description_clear(&d);

    /* What is written for some arguments is one among them, and no kernel by itself. */
    r = request("template <typename T> __global__ void f(T *x) { *x = 1; }\n"
                "template <> __global__ void f<double>(double *x) { *x = 2; }\n"
                "void h(float *x) { f<<<1, 64>>>(x); }\n",
                NULL);
    r.language = GCAL_SOURCE_CUDA;
    assert_int_equal(gcal_count_describe(&r, &d, &err), 0);
    assert_int_equal(d.kernels.n, 2);
    assert_string_equal(d.kernels.items[0], "f<float>");
    assert_string_equal(d.kernels.items[1], "f<double>");
    r.kernel = "f";
    assert_null(gcal_count(&r, &err));
    gcal_count_description_clear(&d);
}

static void what_a_kernel_needs_must_be_there(void **state)
{
    static const char *const refused[][2] = {
        { HOST "__global__ void k(host *h, int *x) { *x = 1; }", "vector" },
        { "#define BAD(x) (x + nowhere)\n__global__ void k(int *x) { *x = BAD(1); }",
          "nowhere" },
        { HOST "typedef nothing real; __global__ void k(real *x) { *x = 1; }",
          "nothing" },
        { HOST "__device__ nothing c[2]; __global__ void k(int *x) { *x = c[1]; }",
          "cannot be counted" },
        { "#include <cub/cub.cuh>\n__global__ void k(int *x) { *x = cub::f(); }",
          "(not found: cub/cub.cuh: give its folder by --include)" },
    };
    struct gcal_count_request r =
        request(HOST "int main() { vector<int> v; kept.x(); }", "f<double, 3>");

    (void)state;
    r.language = GCAL_SOURCE_CUDA;
    expect_counted(&r);
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
        r.source = refused[i][0];
        r.kernel = "k";
        expect_refused(&r, refused[i][1]);
    }
}

static void overloads_are_told_apart(void **state)
{
    struct gcal_count_request r =
        request("__global__ void k(float *x) { *x = 1; }\n"
                "namespace ns { __global__ void k(int *x, int n) { *x = n; } }\n"
                "__global__ void k(int *x) { *x = 1; }\n",
                "k");

    (void)state;
    r.language = GCAL_SOURCE_CUDA;
    expect_refused(&r, "there are: k(float *), ns::k, k(int *)");
    r.kernel = "k(int *)";
    expect_counted(&r);
    r.kernel = "ns::k";
    expect_counted(&r);
}

/* One of each part of the declarations. */
static void declarations_have_what_kernels_use(void **state)
{
    static const char *const statements[] = {
        "x[0] = sqrtf(x[1]) + powf(x[2], 2) + __expf(x[3]) + __fmaf_rn(x[4], x[5], "
        "x[6]);",
        "x[0] = fmaxf(x[1], max(1, 2u)) + std::max(x[2], 1.0f) + fabs(x[3]) + pow(2.0, "
        "3);",
        "__shared__ float s[64]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = s[0];",
        "extern __shared__ int d[]; d[threadIdx.x] = n; __syncwarp(); n = d[0];",
        "x[0] = __shfl_down_sync(~0u, x[1], 16) + __ldg(&x[2]) + __reduce_add_sync(~0u, "
        "n);",
        "atomicAdd(&x[0], 1.0f); atomicAdd_block((int *)x, 1); atomicCAS((int *)x, 1, "
        "2);",
        "half2 *h = (half2 *)x; h[0] = __hfma2(h[1], h[2], __float2half2_rn(x[9]));",
        "auto *b = (__nv_bfloat16 *)x; b[0] = __float2bfloat16(__bfloat162float(b[1]) * "
        "2);",
        "float4 v = ((float4 *)x)[1]; ((float4 *)x)[0] = make_float4(v.x, v.y, v.z, 1);",
        "auto t = cooperative_groups::tiled_partition<32>("
        "cooperative_groups::this_thread_block());"
        " x[0] = cooperative_groups::reduce(t, x[1], cooperative_groups::plus<float>());",
        "x[0] = cuCabsf(cuCmulf(make_cuFloatComplex(x[1], x[2]), make_cuFloatComplex(1, "
        "2)));",
        "x[0] = __popc(n) + __clz(n) + __ffs(n) + __funnelshift_r(n, n, 3) + "
        "__float_as_int(x[1]) + __dp4a(n, n, "
        "n);",
        "x[0] = std::numeric_limits<float>::max() + INT_MAX + M_PI + clock64(); "
        "assert(n);",
        "if (__any_sync(~0u, n) && __syncthreads_or(n)) printf(\"%d\", n);",
        "cudaPitchedPtr p = { x, 64, 16, n }; cudaGridDependencySynchronize(); "
        "((float *)((char *)p.ptr + p.pitch))[0] = 1;",
    };
    char source[600];
    struct gcal_count_request r = request(source, NULL);

    (void)state;
    r.allow_estimates = true;
    for (size_t i = 0; i < 2 * sizeof(statements) / sizeof(*statements); i++) {
        r.language = i % 2 ? GCAL_SOURCE_HIP : GCAL_SOURCE_CUDA;
        snprintf(source, sizeof(source), "__global__ void k(float *x, int n) { %s }\n",
                 statements[i / 2]);
        expect_counted(&r);
    }
}

/* Parts of the declarations are left out of sources that lack certain words. */
static void declarations_fit_together(void **state)
{
    static const char *const words[] = {
        "half",   "_rn",         "cooperative_groups",
        "tex",    "cuCtxCreate", "hipCtxCreate",
        "omplex", "cbrt",        "erfinv",
        "__vadd", "_block",      "std::",
        "surf",   "fp8",         "hipDeviceSynchronize",
        "atan",   "bessel",      "cuDeviceGet",
    };
    char source[200];
    struct gcal_count_request r = request(source, NULL);

    (void)state;
    for (size_t i = 0; i < 2 * sizeof(words) / sizeof(*words); i++) {
        r.language = i % 2 ? GCAL_SOURCE_HIP : GCAL_SOURCE_CUDA;
        snprintf(source, sizeof(source),
                 "// %s\n__global__ void k(float *x) { x[threadIdx.x] = 1; }\n",
                 words[i / 2]);
        expect_counted(&r);
    }
}

static void names_of_kernels_are_suggested(void **state)
{
    struct gcal_count_request r = request(GOOD REQUIRED, "goood");

    (void)state;
    expect_refused(&r,
                   "no kernel named 'goood' (did you mean 'good'?); there are: good, k");
    r.kernel = NULL;
    expect_refused(&r, "2 kernels: give the name of one; there are: good, k");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_elsewhere_are_ignored),
        cmocka_unit_test(errors_that_matter_are_reported),
        cmocka_unit_test(cuda_is_named),
        cmocka_unit_test(cpp_is_refused_with_its_place),
        cmocka_unit_test(references_change_counters),
        cmocka_unit_test(functions_are_arguments_of_templates),
        cmocka_unit_test(textures_are_images),
        cmocka_unit_test(the_size_of_a_warp_is_a_constant),
        cmocka_unit_test(standards_are_build_options),
        cmocka_unit_test(generic_pointers_count_where_they_point),
        cmocka_unit_test(work_is_not_removed_around_generic_pointers),
        cmocka_unit_test(work_is_not_removed_from_kernels_with_images),
        cmocka_unit_test(work_groups_come_from_the_kernel),
        cmocka_unit_test(describes_kernels_and_arguments),
        cmocka_unit_test(host_code_launches),
        cmocka_unit_test(instances_are_listed),
        cmocka_unit_test(what_a_kernel_needs_must_be_there),
        cmocka_unit_test(overloads_are_told_apart),
        cmocka_unit_test(declarations_have_what_kernels_use),
        cmocka_unit_test(declarations_fit_together),
        cmocka_unit_test(names_of_kernels_are_suggested),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
