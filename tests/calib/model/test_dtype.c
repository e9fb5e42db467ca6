/* test_dtype.c - element types and their sizes */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "calib/model/dtype.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_floats_from_half_to_one),
        cmocka_unit_test(fills_integers_to_1023),
        cmocka_unit_test(fill_follows_the_seed_and_keeps_to_its_room),
        cmocka_unit_test(knows_its_dtypes_and_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
