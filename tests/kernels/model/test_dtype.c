/* test_dtype.c - element types and their sizes */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/random.h"
#include "kernels/model/dtype.h"

#define COUNT 4096

static void fills_floats_from_half_to_one(void **state)
{
    static float floats[COUNT];
    static double doubles[COUNT];
    static uint16_t halves[COUNT];
    double sum = 0;

    (void)state;
    assert_int_equal(gcal_dtype_fill(7, "float32", COUNT, floats), 0);
    assert_int_equal(gcal_dtype_fill(7, "float64", COUNT, doubles), 0);
    assert_int_equal(gcal_dtype_fill(7, "float16", COUNT, halves), 0);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(floats[i] >= 0.5f && floats[i] < 1);
        assert_true(doubles[i] >= 0.5 && doubles[i] < 1);
        assert_in_range(halves[i], 0x3800, 0x3bff);
        sum += floats[i] + doubles[i];
    }
    assert_true(sum / COUNT > 1.48 && sum / COUNT < 1.52);
}

static void fills_integers_to_1023(void **state)
{
    static int32_t ints[COUNT];
    static uint64_t longs[COUNT];
    static int8_t bytes[COUNT];
    int32_t most = 0;

    (void)state;
    assert_int_equal(gcal_dtype_fill(7, "int32", COUNT, ints), 0);
    assert_int_equal(gcal_dtype_fill(7, "uint64", COUNT, longs), 0);
    assert_int_equal(gcal_dtype_fill(7, "int8", COUNT, bytes), 0);
    for (size_t i = 0; i < COUNT; i++) {
        assert_in_range(ints[i], 0, 1023);
        assert_in_range(longs[i], 0, 1023);
        assert_true(bytes[i] >= 0); /* what fits */
        most = ints[i] > most ? ints[i] : most;
    }
    assert_true(most > 1000);
}

static void fill_follows_the_seed_and_keeps_to_its_room(void **state)
{
    uint16_t one[9], two[9];

    (void)state;
    one[8] = two[8] = 0x7130;
    gcal_dtype_fill(41, "int16", 8, one);
    gcal_dtype_fill(41, "int16", 8, two);
    assert_memory_equal(one, two, sizeof(one));
    assert_int_equal(one[8], 0x7130);
    gcal_dtype_fill(43, "int16", 8, two);
    assert_memory_not_equal(one, two, sizeof(one));
}

static void knows_its_dtypes_and_no_others(void **state)
{
    static const char *const unknown[] = { "",       "float",  "float8",   "int",
                                           "int24",  "double", "float128", "int32x",
                                           "int 32", "uint-8", "float3264" };
    char data[8] = "0";

    (void)state;
    assert_int_equal(gcal_dtype_size("int8"), 1);
    assert_int_equal(gcal_dtype_size("uint16"), 2);
    assert_int_equal(gcal_dtype_size("float16"), 2);
    assert_int_equal(gcal_dtype_size("uint32"), 4);
    assert_int_equal(gcal_dtype_size("float64"), 8);
    for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
        if (gcal_dtype_size(unknown[i]) != 0)
            fail_msg("'%s' is not a dtype", unknown[i]);
        assert_int_equal(gcal_dtype_fill(7, unknown[i], 1, data), -1);
    }
}

static void fills_ranges_with_both_ends(void **state)
{
    const struct gcal_dtype_range few = { -1, 2, false, NULL },
                                  reals = { -2, 6, false, NULL },
                                  none = { NAN, NAN, false, NULL };
    int32_t ints[COUNT], others[COUNT];
    uint16_t halves[COUNT];
    double doubles[COUNT];
    int seen[4] = { 0 };

    (void)state;
    assert_int_equal(gcal_dtype_fill_range(7, "int32", &few, COUNT, ints), 0);
    for (int i = 0; i < COUNT; i++) {
        assert_in_range(ints[i] + 1, 0, 3);
        seen[ints[i] + 1]++;
    }
    for (int i = 0; i < 4; i++)
        assert_true(seen[i] > COUNT / 8);
    assert_int_equal(gcal_dtype_fill_range(7, "float64", &reals, COUNT, doubles), 0);
    for (int i = 0; i < COUNT; i++)
        assert_true(doubles[i] >= -2 && doubles[i] <= 6);
    assert_int_equal(gcal_dtype_fill_range(7, "float16", &reals, COUNT, halves), 0);
    for (int i = 0; i < COUNT; i++) /* at most the half of 6 with either sign */
        assert_true((halves[i] & 0x7fff) <= 0x4600);
    gcal_dtype_fill_range(7, "int32", &none, COUNT, ints);
    gcal_dtype_fill(7, "int32", COUNT, others);
    assert_memory_equal(ints, others, sizeof(ints));
}

static void sorted_values_rise_evenly(void **state)
{
    const struct gcal_dtype_range rows = { 0, 40, true, NULL },
                                  reals = { 1, 2, true, NULL };
    int32_t ints[11], one;
    float floats[5];
    uint16_t halves[3];

    (void)state;
    assert_int_equal(gcal_dtype_fill_range(7, "int32", &rows, 11, ints), 0);
    for (int i = 0; i < 11; i++)
        assert_int_equal(ints[i], 4 * i);
    gcal_dtype_fill_range(7, "int32", &rows, 1, &one);
    assert_int_equal(one, 0);
    gcal_dtype_fill_range(7, "float32", &reals, 5, floats);
    for (int i = 0; i < 5; i++)
        assert_float_equal(floats[i], 1 + 0.25 * i, 1e-6);
    gcal_dtype_fill_range(7, "float16", &reals, 3, halves);
    assert_int_equal(halves[0], 0x3c00); /* 1, 1.5, 2 */
    assert_int_equal(halves[1], 0x3e00);
    assert_int_equal(halves[2], 0x4000);
}

static void ranges_must_be_of_the_dtype(void **state)
{
    static const struct {
        const char *dtype;
        double first, last;
        bool good;
    } cases[] = {
        { "int8", -128, 127, true },    { "int8", 0, 128, false },
        { "uint8", 0, 255, true },      { "uint8", -1, 5, false },
        { "int32", 0, 1.5, false },     { "int32", 5, 4, false },
        { "uint64", 0, 1e15, true },    { "float32", -1e30, 1e30, true },
        { "float32", 0, 1e39, false },  { "float16", 0, 65504, true },
        { "float16", 0, 70000, false }, { "float64", 0, INFINITY, false },
    };
    char data[8];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct gcal_dtype_range range = { cases[i].first, cases[i].last, false,
                                                NULL };

        assert_int_equal(gcal_dtype_has_range(cases[i].dtype, &range), cases[i].good);
        assert_int_equal(gcal_dtype_fill_range(7, cases[i].dtype, &range, 1, data),
                         cases[i].good ? 0 : -1);
    }
}

/* What threads share out is the stream of one. */
static void large_arrays_are_one_stream(void **state)
{
    const struct gcal_dtype_range positions = { 0, 999, false, NULL },
                                  rows = { 0, 500, true, NULL };
    const size_t count = ((size_t)5 << 19) + 3;
    int32_t *ints = malloc(count * sizeof(*ints));
    uint64_t seed = 7, bits = 7;

    (void)state;
    assert_non_null(ints);
    gcal_dtype_fill_range(seed, "int32", &positions, count, ints);
    for (size_t i = 0; i < count; i++) {
        double part = (double)(gcal_random_next(&seed) >> 11) * 0x1p-53;

        if (ints[i] != (int32_t)(part * 1000))
            fail_msg("position %zu", i);
    }
    gcal_dtype_fill(7, "int32", count, ints);
    for (size_t i = 0; i < count; i++)
        if (ints[i] != (int32_t)(gcal_random_next(&bits) & 0x3ff))
            fail_msg("element %zu", i);
    gcal_dtype_fill_range(7, "int32", &rows, count, ints);
    for (size_t i = 0; i < count; i++)
        if (ints[i] != (int32_t)rint(500 * ((double)i / (double)(count - 1))))
            fail_msg("row %zu", i);
    free(ints);
}

static void structures_are_filled_by_members(void **state)
{
    struct item {
        int32_t cell;
        float x[2];
        unsigned char kind;
        double d;
    } items[COUNT];
    const struct gcal_dtype_range filled = { NAN, NAN, false,
                                             "int32 float32*2 uint8 pad*3 float64" },
                                  cells = { -3, 1000, true, filled.members };
    const size_t n = COUNT * sizeof(*items) / 8;
    const unsigned char zeros[3] = { 0 };

    (void)state;
    assert_int_equal(gcal_dtype_members_size(filled.members), sizeof(*items));
    memset(items, 0xff, sizeof(items));
    assert_int_equal(gcal_dtype_fill_range(7, "float64", &filled, n, items), 0);
    for (int i = 0; i < COUNT; i++) {
        assert_in_range(items[i].cell, 0, 1023);
        for (int k = 0; k < 2; k++)
            assert_true(items[i].x[k] >= 0.5F && items[i].x[k] < 1);
        assert_in_range(items[i].kind, 0, 127);
        assert_memory_equal(&items[i].kind + 1, zeros, 3);
        assert_true(items[i].d >= 0.5 && items[i].d < 1);
    }
    assert_true(items[0].x[0] != items[0].x[1]);
    assert_int_not_equal(items[0].cell, items[1].cell);
    /* Members whose types have not the range are filled as without it. */
    assert_int_equal(gcal_dtype_fill_range(7, "float64", &cells, n, items), 0);
    assert_int_equal(items[0].cell, -3);
    assert_int_equal(items[COUNT - 1].cell, 1000);
    assert_true(items[COUNT - 1].x[1] == 1000);
    for (int i = 0; i < COUNT; i++)
        assert_in_range(items[i].kind, 0, 127);
}

static void members_are_well_formed(void **state)
{
    static const struct {
        const char *members;
        size_t size;
    } cases[] = {
        { "int8", 1 },
        { "float16*3 pad*2", 8 },
        { "int64 pad*65528", 65536 },
        { "", 0 },
        { "int32*0", 0 },
        { "int32*-1", 0 },
        { "int32*", 0 },
        { "int32*2x", 0 },
        { "int32,int32", 0 },
        { "float33", 0 },
        { "pad*65537", 0 },
        { "int32 int", 0 },
        { "float32*4x4", 0 },
        { "int32*1000000000000", 0 },
    };
    char data[8];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct gcal_dtype_range range = { NAN, NAN, false, cases[i].members };

        if (gcal_dtype_members_size(cases[i].members) != cases[i].size)
            fail_msg("'%s'", cases[i].members);
        assert_int_equal(gcal_dtype_fill_range(7, "int64", &range, 1, data),
                         cases[i].size ? 0 : -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_floats_from_half_to_one),
        cmocka_unit_test(structures_are_filled_by_members),
        cmocka_unit_test(members_are_well_formed),
        cmocka_unit_test(fills_integers_to_1023),
        cmocka_unit_test(fill_follows_the_seed_and_keeps_to_its_room),
        cmocka_unit_test(knows_its_dtypes_and_no_others),
        cmocka_unit_test(fills_ranges_with_both_ends),
        cmocka_unit_test(sorted_values_rise_evenly),
        cmocka_unit_test(ranges_must_be_of_the_dtype),
        cmocka_unit_test(large_arrays_are_one_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
