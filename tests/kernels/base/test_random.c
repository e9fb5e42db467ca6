/* test_random.c - the random numbers of inputs: repeatable, in range */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/random.h"
#include "kernels/model/dtype.h"

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

/* What threads share out is the stream of one. */
static void many_bytes_are_one_stream(void **state)
{
    const size_t size = ((size_t)17 << 20) + 5;
    unsigned char *bytes = malloc(size);
    uint64_t random = 41;

    (void)state;
    assert_non_null(bytes);
    gcal_random_bytes(41, size, bytes);
    for (size_t at = 0; at < size; at += 8) {
        uint64_t bits = gcal_random_next(&random);

        if (memcmp(bytes + at, &bits, size - at < 8 ? size - at : 8) != 0)
            fail_msg("byte %zu", at);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_values_are_known),
        cmocka_unit_test(shuffle_is_a_permutation),
        cmocka_unit_test(shuffle_is_even),
        cmocka_unit_test(fills_bytes_with_any_bits),
        cmocka_unit_test(many_bytes_are_one_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
