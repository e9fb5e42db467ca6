/* test_contents.c - counts that follow from what is said of buffers: ranges of their values,
 * and their contents
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "tests/kernels/count/by_hand/by_hand.h"

static const char rows[] =
    "__kernel void spmv(__global const int *first, __global const int *column,\n"
    "                   __global const float *x, __global float *y, int rows)\n"
    "{\n"
    "    int row = get_global_id(0);\n"
    "    float sum = 0;\n"
    "    if (row < rows)\n"
    "        for (int j = first[row]; j < first[row + 1]; j++)\n"
    "            sum += x[column[j]];\n"
    "    if (row < rows)\n"
    "        y[row] = sum;\n"
    "}\n";
static const char gather[] =
    "__kernel void gather(__global const int *column, __global const float *x,\n"
    "                     __global float *y, int rows)\n"
    "{ y[get_global_id(0)] = x[column[get_global_id(0)]]; }\n";

enum { ROWS = 1024 };

static struct gcal_count_request request_of(const char *source, const char *assume,
                                            size_t n,
                                            const struct gcal_count_buffer *buffers)
{
    return (struct gcal_count_request){ .source = source,
                                        .file = "x.cl",
                                        .n_dims = 1,
                                        .local_size = { 64 },
                                        .global_size = { "rows" },
                                        .assume = assume,
                                        .sub_group_size = 32,
                                        .sector_bytes = 32,
                                        .n_buffers = n,
                                        .buffers = buffers };
}

static double value_of(const char *source, const char *assume, const char *feature,
                       size_t n, const struct gcal_count_buffer *buffers)
{
    static const double sizes[] = { ROWS };
    struct gcal_count_request r = request_of(source, assume, n, buffers);
    struct gcal_profile *p = by_hand_count(&r, source);
    double value = by_hand_value(p, feature, sizes);

    gcal_profile_destroy(p);
    return value;
}

static void expect_refused(const char *source, const char *assume,
                           const struct gcal_count_buffer *buffer, const char *why)
{
    struct gcal_count_request r = request_of(source, assume, 1, buffer);
    struct gcal_error err = { 0 };

    assert_null(gcal_count(&r, &err));
    if (!strstr(err.text, why))
        fail_msg("no '%s' in: %s", why, err.text);
}

static void values_of_a_range_bound_what_is_accessed(void **state)
{
    static const struct gcal_count_buffer buffers[] = {
        { .argument = "column", .first = "0", .last = "63" },
        { .argument = "x", .elements = "rows" },
    };

    (void)state;
    assert_float_equal(
        value_of(gather, NULL, "f_footprint_launch_global_float32_load", 2, buffers), 8,
        0);
    assert_float_equal(value_of(gather, NULL, "f_sector_global_float32_load", 2, buffers),
                       8 * ROWS / 32, 0);
    assert_float_equal(
        value_of(gather, NULL, "f_footprint_launch_global_float32_load", 1, buffers + 1),
        ROWS / 8, 0);
}

/* Words of a private array that the lanes of a sub-group are at, and of eight lanes. */
static void places_in_private_arrays_follow_from_ranges(void **state)
{
    static const char source[] =
        "__kernel void f(__global const uint *value, __global int *most, int rows)\n"
        "{ int count[16] = { 0 }, best = 0; uint v = value[get_global_id(0)];\n"
        "  for (int d = 0; d < 8; d++) { count[v & 15u]++; v >>= 4; }\n"
        "  for (int k = 0; k < 16; k++) best = max(best, count[k]);\n"
        "  most[get_global_id(0)] = best; }\n";
    struct gcal_count_buffer zero = { .argument = "value",
                                      .dtype = "uint32",
                                      .elements = "rows",
                                      .first = "0",
                                      .last = "0" },
                             low = zero;
    static const double sizes[] = { ROWS };
    struct gcal_count_request r = request_of(source, "rows = 1024", 1, &zero);
    double random = 16 * (1 - pow(15.0 / 16, 32));
    struct gcal_profile *p;

    (void)state;
    r.samples_places = true;
    low.last = "15";
    /* Stores: 16 at the beginning, and those of 8 digits. */
    p = by_hand_count(&r, source);
    assert_float_equal(by_hand_value(p, "f_line_private_int32_store", sizes),
                       24 * ROWS / 32, 0);
    assert_float_equal(by_hand_value(p, "f_sector_private_int32_store", sizes),
                       4 * 24 * ROWS / 32, 0);
    gcal_profile_destroy(p);
    r.buffers = &low;
    p = by_hand_count(&r, source);
    assert_float_equal(by_hand_value(p, "f_line_private_int32_store", sizes) / ROWS * 32,
                       23 + random, 0.5);
    gcal_profile_destroy(p);
}

/* At places that floating-point arguments decide, and where and until data do, in a sample. */
static void places_follow_from_what_is_given(void **state)
{
    static const struct gcal_count_buffer scale = {
        .argument = "c", .bytes = 4, .first = "2", .last = "2"
    };
    static const struct gcal_count_buffer kept[] = {
        { .argument = "mask", .elements = "rows", .bytes = 4, .first = "1", .last = "1" },
        { .argument = "place",
          .elements = "rows",
          .bytes = 4,
          .first = "0",
          .last = "1023",
          .sorted = true },
    };
    static const struct gcal_count_buffer word = {
        .argument = "word", .elements = "40*rows", .bytes = 4, .first = "64", .last = "64"
    };
    static const struct {
        const char *source, *feature;
        size_t n;
        const struct gcal_count_buffer *buffers;
        double given, unknown;
    } cases[] = {
        { "kernel void f(global const float *in, global float *out, float c, int rows)\n"
          "{ int i = get_global_id(0); out[i] = in[(int)floor(c * i)]; }",
          "f_sector_global_float32_load", 1, &scale, 8 * ROWS / 32, ROWS },
        { "kernel void f(global const int *mask, global const int *place,\n"
          "global float *out, int rows)\n"
          "{ int i = get_global_id(0); if (mask[i]) out[place[i]] = 1; }",
          "f_sector_global_float32_store", 2, kept, 4 * ROWS / 32, ROWS },
        { "kernel void f(global const uint *word, global int *at, int rows)\n"
          "{ int i = get_global_id(0), found = -1;\n"
          "for (int k = 0; k < 40; k++)\n"
          "if (word[k * rows + i] & 64) { found = k; break; }\n"
          "at[i] = found; }",
          "f_mem_access_global_uint32_load", 1, &word, ROWS, 40 * ROWS },
    };
    static const double sizes[] = { ROWS };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        for (int given = 0; given < 2; given++) {
            struct gcal_count_request r = request_of(
                cases[i].source, "rows = 1024", given ? cases[i].n : 0, cases[i].buffers);
            struct gcal_profile *p;

            r.samples_places = r.allow_estimates = true;
            p = by_hand_count(&r, cases[i].source);
            assert_float_equal(by_hand_value(p, cases[i].feature, sizes),
                               given ? cases[i].given : cases[i].unknown, 1);
            gcal_profile_destroy(p);
        }
}

static void trips_follow_from_ranges(void **state)
{
    static const struct gcal_count_buffer buffers[] = {
        { .argument = "first",
          .elements = "rows + 1",
          .first = "0",
          .last = "8*rows",
          .sorted = true },
    };
    static const struct gcal_count_buffer random[] = {
        { .argument = "first", .first = "3", .last = "3" },
    };

    (void)state;
    assert_float_equal(value_of(rows, "rows = 1024", "f_op_float32_add", 1, buffers),
                       8 * ROWS / 32, 0);
    assert_float_equal(value_of(rows, "rows = 1024", "f_op_float32_add", 1, random), 0,
                       0);
}

static void trips_follow_from_contents(void **state)
{
    int32_t first[ROWS + 1];
    const struct gcal_count_buffer buffer = {
        .argument = "first", .dtype = "int32", .data = first, .data_bytes = sizeof(first)
    };
    struct gcal_count_buffer less = buffer;
    int n = 0;

    (void)state;
    for (int i = 0; i <= ROWS; i++) { /* 0 to 6 in each row: 6 of each sub-group */
        first[i] = n;
        n += i % 7;
    }
    assert_float_equal(value_of(rows, "rows = 1024", "f_op_float32_add", 1, &buffer),
                       6 * ROWS / 32, 0);
    assert_float_equal(
        value_of(rows, "rows = 1024", "f_mem_access_global_float32_load", 1, &buffer),
        first[ROWS], 0);
    less.data_bytes -= 4;
    expect_refused(rows, "rows = 1024", &less, "depends on data");
    expect_refused(rows, NULL, &buffer, "depends on data");
}

/* Other work-items may have stored there; a loop on elements that the kernel leaves alone is counted. */
static void contents_are_known_until_the_kernel_stores(void **state)
{
    static const char *const loops[] = {
        "while (atomic_cmpxchg(first, 0, 1) != 0) ;",
        "int seen = first[0], old = seen;"
        "do { seen = old; old = atomic_cmpxchg(first, seen, seen + 1); } while (seen != "
        "old);",
        "first[i] = i ? i - 1 : 0; for (; first[i] != i; i = first[i]) ;",
        "first[i + 1] = 1; while (first[i] != 0) i++;",
        "atomic_inc(first); for (int k = 0; k < 50 && first[0] < i; k++) s += 1.0f;",
    };
    static const int32_t zeros[ROWS + 1];
    const struct gcal_count_buffer buffers[] = {
        { .argument = "first",
          .dtype = "int32",
          .data = zeros,
          .data_bytes = sizeof(zeros) },
        { .argument = "first", .first = "0", .last = "1023" },
    };
    char source[400];

    (void)state;
    for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++)
        for (size_t k = 0; k < 2; k++) {
            snprintf(source, sizeof(source),
                     "__kernel void k(__global int *first, __global float *y)\n"
                     "{ int i = get_global_id(0); float s = 0; %s y[i] += s; }\n",
                     loops[i]);
            expect_refused(source, "rows = 1024", &buffers[k], "depends on data");
        }
    assert_float_equal(
        value_of(
            "__kernel void k(__global int *first, __global float *y)\n"
            "{ int i = get_global_id(0); float s = 0;"
            "  for (int n = 0; first[0] == 0 && n < 5; n++) s += 1.0f; y[i] = s; }\n",
            "rows = 1024", "f_op_float32_add", 1, &buffers[0]),
        5 * ROWS / 32, 0);
}

static void statements_that_cannot_be_are_refused(void **state)
{
    static const int64_t wide[] = { 1, 2 };
    static const struct {
        struct gcal_count_buffer buffer;
        const char *why;
    } cases[] = {
        { { .argument = "idx", .elements = "rows" },
          "kernel 'gather' has no buffer argument 'idx': there are column, x, y" },
        { { .argument = "rows", .first = "0", .last = "1" },
          "has no buffer argument 'rows'" },
        { { .argument = "column", .first = "5", .last = "4" }, "5:4, is empty" },
        { { .argument = "column", .first = "rows", .last = "0" }, "rows:0, is empty" },
        { { .argument = "column", .first = "0", .last = "3000000000" },
          "is not one of int32" },
        { { .argument = "column", .elements = "rows +" }, "the number of items" },
        { { .argument = "column", .first = "(", .last = "3" }, "the values of 'column'" },
        { { .argument = "column", .dtype = "int64", .data = wide, .data_bytes = 16 },
          "elements of int64, and the kernel's are int32" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        expect_refused(gather, "rows >= 1", &cases[i].buffer, cases[i].why);
    expect_refused(
        rows, "rows = 1024",
        &(struct gcal_count_buffer){
            .argument = "first", .first = "0", .last = "rows", .sorted = true },
        "--buffer first=COUNT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_a_range_bound_what_is_accessed),
        cmocka_unit_test(places_in_private_arrays_follow_from_ranges),
        cmocka_unit_test(places_follow_from_what_is_given),
        cmocka_unit_test(trips_follow_from_ranges),
        cmocka_unit_test(trips_follow_from_contents),
        cmocka_unit_test(contents_are_known_until_the_kernel_stores),
        cmocka_unit_test(statements_that_cannot_be_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
