/* test_count_library.c - counting within a program, by libgpucal-count */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kernels/lib/gpucal_count.h"
#include "tests/folder.h"
#include "tests/unit.h"

static const char source[] =
    "__kernel void twice(__global float *x) { x[get_global_id(0)] *= 2; }\n"
    "__kernel void sum(__global const float *x, __global const int *first, __global "
    "float *y)\n"
    "{\n"
    "    float s = 0;\n"
    "    int row = get_global_id(0);\n"
    "    for (int i = first[row]; i < first[row + 1]; i++)\n"
    "        s += x[i];\n"
    "    y[row] = s;\n"
    "}\n";

static struct gpucal_count_request request_of(const char *kernel)
{
    struct gpucal_count_request request = { 0 };

    request.source = source;
    request.kernel = kernel;
    request.n_dims = 1;
    request.local_size[0] = 256;
    request.global_size[0] = "n";
    return request;
}

static void counts_a_kernel(void **state)
{
    struct gpucal_count_request request = request_of("twice");
    struct gpucal_error err = { 0 };
    struct gpucal_profile *profile = gpucal_count(&request, NULL, &err);
    char *text = gpucal_count_text(&request, NULL, &err);

    (void)state;
    if (!profile || !text)
        fail_msg("%s", err.text);
    assert_int_equal(gpucal_profile_parameter_count(profile), 1);
    assert_int_equal(gpucal_profile_parameter_index(profile, "n", NULL), 0);
    /* for sub-groups of 8 to 64, with traffic */
    assert_non_null(strstr(text, "- size: 8\n"));
    assert_non_null(strstr(text, "count: 1/8*n\n"));
    assert_non_null(strstr(text, "- size: 64\n"));
    assert_non_null(strstr(text, "count: 1/64*n\n"));
    assert_non_null(strstr(text, "f_sector_global_"));
    assert_null(strstr(text, "sub_group_size"));
    gpucal_count_free(text);
    gpucal_profile_close(profile);
}

static void counts_cuda_by_the_name_of_the_file(void **state)
{
    static const char source[] =
        "#include <cuda_runtime.h>\n"
        "template <class T> __global__ void scale(T *x, T by, int n)\n"
        "{ int i = blockIdx.x*blockDim.x + threadIdx.x; if (i < n) x[i] *= by; }\n";
    struct gpucal_count_request request = request_of("scale<double>");
    struct gpucal_error err = { 0 };
    char *text;

    (void)state;
    request.source = source;
    request.file = "scale.cu";
    if (!(text = gpucal_count_text(&request, NULL, &err)))
        fail_msg("%s", err.text);
    assert_non_null(strstr(text, "f_mem_access_global_float64_store"));
    gpucal_count_free(text);
    request.file = "scale.cl";
    assert_null(gpucal_count_text(&request, NULL, &err));
    assert_int_equal(err.code, GPUCAL_ESOURCE);
}

static void takes_trips_as_sizes(void **state)
{
    static const struct gpucal_count_trips trips[] = { { .line = 6, .size = "per_row" } };
    struct gpucal_count_request request = request_of("sum");
    struct gpucal_error err = { 0 };
    struct gpucal_profile *profile;

    (void)state;
    assert_null(gpucal_count(&request, NULL, &err));
    assert_int_equal(err.code, GPUCAL_ESOURCE);
    assert_non_null(strstr(err.text, "kernel.cl:6:"));
    request.n_trips = 1;
    request.trips = trips;
    if (!(profile = gpucal_count(&request, NULL, &err)))
        fail_msg("%s", err.text);
    assert_true(gpucal_profile_parameter_index(profile, "per_row", NULL) >= 0);
    gpucal_profile_close(profile);
}

static void refuses(struct gpucal_count_request request, int code, const char *says)
{
    struct gpucal_error err = { 0 };

    assert_null(gpucal_count(&request, NULL, &err));
    if (err.code != code || !strstr(err.text, says))
        fail_msg("%d: %s", err.code, err.text);
}

static void refuses_what_is_not_a_request(void **state)
{
    struct gpucal_count_request request = request_of("twice");
    const struct gpucal_count_trips garbage = { .line = 1,
                                                .size = "n",
                                                .reserved = { 1 } };

    (void)state;
    request.reserved[7] = 1;
    refuses(request, GPUCAL_EINPUT, "'reserved' is not 0");
    request = request_of("twice");
    request.n_trips = 1;
    request.trips = &garbage;
    refuses(request, GPUCAL_EINPUT, "'reserved' is not 0");
    request = request_of("twice");
    request.n_dims = 4;
    refuses(request, GPUCAL_EINPUT, "4 dimensions");
    request.n_dims = 2;
    refuses(request, GPUCAL_EINPUT, "dimension 1 has no global_size");
    request = request_of("twice");
    request.source = NULL;
    refuses(request, GPUCAL_EINPUT, "neither source nor file");
    request.file = "/nonexistent/kernel.cl";
    refuses(request, GPUCAL_ESOURCE, "/nonexistent/kernel.cl");
    request = request_of("thrice");
    refuses(request, GPUCAL_ESOURCE, "thrice");
    request = request_of(NULL);
    request.source = "__kernel void broken(__global float *x) { x[0] = ; }";
    refuses(request, GPUCAL_ESOURCE, "kernel.cl:1:50");
}

static void *count_often(void *expected)
{
    struct gpucal_count_request request = request_of("twice");

    for (int i = 0; i < 5; i++) {
        char *text = gpucal_count_text(&request, NULL, NULL);
        int same = text && strcmp(text, expected) == 0;

        gpucal_count_free(text);
        if (!same)
            return expected;
    }
    return NULL;
}

static void counts_in_several_threads(void **state)
{
    struct gpucal_count_request request = request_of("twice");
    char *expected = gpucal_count_text(&request, NULL, NULL);
    pthread_t threads[4];
    void *wrong;

    (void)state;
    assert_non_null(expected);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_often, expected), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    gpucal_count_free(expected);
}

/* As environment modules of another clang set it. */
static void the_environment_changes_no_count(void **state)
{
    struct gpucal_count_request request = request_of("twice");
    struct gpucal_error err = { 0 };
    char *before, *after;

    (void)state;
    folder_write("opencl-c-base.h", "#define get_global_id(i) 7\n");
    assert_non_null(before = gpucal_count_text(&request, NULL, &err));
    setenv("CPATH", folder, 1);
    setenv("C_INCLUDE_PATH", folder, 1);
    after = gpucal_count_text(&request, NULL, &err);
    unsetenv("CPATH");
    unsetenv("C_INCLUDE_PATH");
    if (!after)
        fail_msg("%s", err.text);
    assert_string_equal(after, before);
    gpucal_count_free(before);
    gpucal_count_free(after);
}

/* NULL in place of each pointer, and arrays of a length that no program has. */
static void null_is_an_error(void **state)
{
    static const struct gpucal_count_trips unnamed[] = { { .line = 6 } };
    static const char *const no_folder[] = { NULL };
    struct gpucal_error err = { 0 };
    struct gpucal_count_request request = request_of("sum");

    (void)state;
    assert_null(gpucal_count(NULL, NULL, &err));
    assert_int_equal(err.code, GPUCAL_EINPUT);
    assert_null(gpucal_count_text(NULL, NULL, NULL));
    gpucal_count_free(NULL);
    request.n_trips = 1;
    refuses(request, GPUCAL_EINPUT, "trip count 0 is NULL");
    request.trips = unnamed;
    refuses(request, GPUCAL_EINPUT, "trip count 0 is NULL");
    request.n_trips = SIZE_MAX;
    refuses(request, GPUCAL_EINPUT, "trip counts");
    request = request_of("twice");
    request.n_include_folders = 1;
    refuses(request, GPUCAL_EINPUT, "include folder 0 is NULL");
    request.include_folders = no_folder;
    refuses(request, GPUCAL_EINPUT, "include folder 0 is NULL");
    request.n_include_folders = SIZE_MAX;
    refuses(request, GPUCAL_EINPUT, "folders");
    request = request_of("twice");
    request.global_size[0] = NULL;
    refuses(request, GPUCAL_EINPUT, "no global_size");
}

/* ---- hostile sources ---- */

static char *repeat(const char *before, const char *what, size_t n, const char *after)
{
    size_t length = strlen(what);
    char *text = malloc(strlen(before) + n * length + strlen(after) + 1), *p;

    assert_non_null(text);
    p = text + strlen(strcpy(text, before));
    for (size_t i = 0; i < n; i++, p += length)
        memcpy(p, what, length);
    strcpy(p, after);
    return text;
}

static void expect_refused(const char *text, const char *why)
{
    struct gpucal_count_request request = request_of(NULL);
    struct gpucal_error err = { 0 };

    request.source = text;
    assert_null(gpucal_count_text(&request, NULL, &err));
    if (!strstr(err.text, why) || strchr(err.text, '\n'))
        fail_msg("expected '%s', got '%s'", why, err.text);
}

/* clang's sanitizers reserve more than the limit of memory. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED
#endif
#endif

#define KERNEL "__kernel void f(__global float *x) { x[get_global_id(0)] = "

static void *count_good_ones(void *data)
{
    struct gpucal_count_request request = request_of("twice");
    char *text;

    (void)data;
    for (int i = 0; i < 5; i++) {
        if (!(text = gpucal_count_text(&request, NULL, NULL)))
            return "a count fails beside a hostile source";
        gpucal_count_free(text);
    }
    return NULL;
}

/* Other threads count, and the next count of each is right. */
static void hostile_sources_are_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } sources[] = {
        { "#embed \"/dev/zero\"\n" KERNEL "1; }", "file not found" },
        { "#define P \"/dev/zero\"\n#include P\n" KERNEL "1; }", "is not read" },
        { "#define P <pipe>\n#include P\n" KERNEL "1; }", "is not read" },
        { "#if __has_include(\"none.h\")\n#endif\n" KERNEL "1; }", "is not read" },
        { "#include \"none.h\"\n" KERNEL "1; }", "not found" },
        { "#if __has_include(\"/dev/zero\")\n#endif\n" KERNEL "1; }", "is not read" },
        { "#include \"/etc/passwd\"\n" KERNEL "1; }", "is not read" },
        { "#include \"/dev/../etc/passwd\"\n" KERNEL "1; }", "is not read" },
        { "#import \"/etc/passwd\"\n" KERNEL "1; }", "is not read" },
        { "#in\\\nclude \"/etc/passwd\"\n" KERNEL "1; }", "is not read" },
        { "# /* */ include \"/etc/passwd\"\n" KERNEL "1; }", "is not read" },
        { "\x25:include \"/dev/zero\"\n" KERNEL "1; }", "is not read" },
        { "#pragma clang __debug overflow_stack\n" KERNEL "1; }", "__debug is refused" },
        { "_Pragma(\"clang __debug crash\")\n" KERNEL "1; }", "__debug is refused" },
        { "struct s { int a[256]; }; struct t { struct s x[65]; };\n"
          "__kernel void f(__global struct t *p) { p[0] = p[1]; }",
          "copies of more than 65536 bytes" },
    };
    char *minus = repeat(KERNEL, "- ", 5000, "1.0f; }");
    char *terms = repeat(KERNEL, "x[0]+", 100000, "1.0f; }");
    char *blocks = repeat(KERNEL "1; ", "{", 100000, "");
    char *dimensions = repeat(KERNEL "1; int y", "[sizeof(int[1])] [1]", 20000, "; }");
    pthread_t threads[3];
    void *why;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_good_ones, NULL), 0);
    for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
        expect_refused(sources[i].text, sources[i].why);
    expect_refused(minus, "the front end crashed on it");
    expect_refused(terms, "");
    expect_refused(blocks, "");
    expect_refused(dimensions, "more than 256 pairs of brackets");
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(pthread_join(threads[i], &why), 0);
        if (why)
            fail_msg("%s", (char *)why);
    }
    assert_null(count_good_ones(NULL));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is the program's */
    free(minus);
    free(terms);
    free(blocks);
    free(dimensions);
}

/* 10^10 of what A stands for, in four lines. */
#define BOMB                                                                             \
    "#define B A A A A A A A A A A\n#define C B B B B B B B B B B\n"                     \
    "#define D C C C C C C C C C C\n#define E D D D D D D D D D D\n"                     \
    "#define F E E E E E E E E E E\n#define G F F F F F F F F F F\n"                     \
    "#define H G G G G G G G G G G\n#define I H H H H H H H H H H\n"                     \
    "#define J I I I I I I I I I I\n#define K J J J J J J J J J J\n"                     \
    "__kernel void f(__global int *p, int x) { *p = K 0; }"

/* By memory or by time, which a sanitizer's process has no limits of. */
static void bombs_are_refused(void **state)
{
    (void)state;
#ifndef SANITIZED
    static const char limit[] = "the limit for a source";

    expect_refused("#define A x+\n" BOMB, "kernel.cl: reading it takes ");
    expect_refused("#define A x+\n" BOMB, limit);
    expect_refused("#define A\n" BOMB, "longer than 5 s of a processor, the limit");
    expect_refused(
        "#define T(a) #a\n#define S(a) T(a)\n#define A a\n__constant char s[] = "
        "S(K);\n" BOMB,
        limit);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_an_error),
        cmocka_unit_test_setup_teardown(the_environment_changes_no_count, folder_make,
                                        folder_remove),
        cmocka_unit_test(counts_a_kernel),
        cmocka_unit_test(counts_cuda_by_the_name_of_the_file),
        cmocka_unit_test(takes_trips_as_sizes),
        cmocka_unit_test(refuses_what_is_not_a_request),
        cmocka_unit_test(counts_in_several_threads),
        cmocka_unit_test(hostile_sources_are_refused),
        cmocka_unit_test(bombs_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
