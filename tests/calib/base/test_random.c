#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "calib/base/random.h"

#define COUNT 4096

/* Of the published algorithm with seed 1234567. */
static void first_values_are_known(void **state)
{
    static const uint64_t expected[] = { 6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u,
                                         16408922859458223821u };
    uint64_t random = 1234567;

    (void)state;
    for (size_t i = 0; i < 5; i++)
        assert_true(gcal_random_next(&random) == expected[i]);
}

static void shuffle_is_a_permutation(void **state)
{
    size_t order[713], again[713];
    bool seen[713] = { false };
    uint64_t random = 41, same = 41;
    size_t moved = 0;

    (void)state;
    gcal_random_shuffle(&random, order, 713);
    gcal_random_shuffle(&same, again, 713);
    assert_memory_equal(order, again, sizeof(order));
    for (size_t i = 0; i < 713; i++) {
        assert_true(order[i] < 713 && !seen[order[i]]);
        seen[order[i]] = true;
        moved += order[i] != i;
    }
    assert_true(moved > 700);
    gcal_random_shuffle(&random, again, 713); /* the stream has gone on */
    assert_memory_not_equal(order, again, sizeof(order));
    gcal_random_shuffle(&random, NULL, 0);
}

/* Every position gets every item about equally often. */
static void shuffle_is_even(void **state)
{
    size_t order[5], seen[5][5] = { { 0 } };
    uint64_t random = 713;

    (void)state;
    for (int i = 0; i < 5000; i++) {
        gcal_random_shuffle(&random, order, 5);
        for (size_t k = 0; k < 5; k++)
            seen[k][order[k]]++;
    }
    for (size_t k = 0; k < 5; k++)
        for (size_t j = 0; j < 5; j++)
            assert_in_range(seen[k][j], 880, 1120);
}

static void fills_floats_from_half_to_one(void **state)
{
    static float floats[COUNT];
    static double doubles[COUNT];
    static uint16_t halves[COUNT];
    double sum = 0;

    (void)state;
    assert_int_equal(gcal_random_fill(7, "float32", COUNT, floats), 0);
    assert_int_equal(gcal_random_fill(7, "float64", COUNT, doubles), 0);
    assert_int_equal(gcal_random_fill(7, "float16", COUNT, halves), 0);
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
    assert_int_equal(gcal_random_fill(7, "int32", COUNT, ints), 0);
    assert_int_equal(gcal_random_fill(7, "uint64", COUNT, longs), 0);
    assert_int_equal(gcal_random_fill(7, "int8", COUNT, bytes), 0);
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
    gcal_random_fill(41, "int16", 8, one);
    gcal_random_fill(41, "int16", 8, two);
    assert_memory_equal(one, two, sizeof(one));
    assert_int_equal(one[8], 0x7130);
    gcal_random_fill(43, "int16", 8, two);
    assert_memory_not_equal(one, two, sizeof(one));
}

/* Every bit of every byte is 0 here and 1 there. */
static void fills_bytes_with_any_bits(void **state)
{
    unsigned char bytes[1003], again[1003], ones = 0, zeros = 0;

    (void)state;
    bytes[1002] = again[1002] = 0x5a;
    gcal_random_bytes(41, 1002, bytes);
    gcal_random_bytes(41, 1002, again);
    assert_memory_equal(bytes, again, sizeof(bytes));
    assert_int_equal(bytes[1002], 0x5a);
    for (size_t i = 0; i < 1002; i++) {
        ones |= bytes[i];
        zeros |= (unsigned char)~bytes[i];
    }
    assert_int_equal(ones & zeros, 0xff);
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
        assert_int_equal(gcal_random_fill(7, unknown[i], 1, data), -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_values_are_known),
        cmocka_unit_test(shuffle_is_a_permutation),
        cmocka_unit_test(shuffle_is_even),
        cmocka_unit_test(fills_floats_from_half_to_one),
        cmocka_unit_test(fills_integers_to_1023),
        cmocka_unit_test(fill_follows_the_seed_and_keeps_to_its_room),
        cmocka_unit_test(fills_bytes_with_any_bits),
        cmocka_unit_test(knows_its_dtypes_and_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
