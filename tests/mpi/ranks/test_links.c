/* test_links.c - the rounds in which links are measured */
#include "mpi/ranks/root.h"
#include "tests/unit.h"

enum { MOST = 33 };

/* Each pair once, and nobody twice in a round. */
static void check_rounds(size_t n)
{
    size_t pairs[MOST / 2 + 1][2], n_rounds = n + n % 2 - 1;
    unsigned met[MOST][MOST] = { { 0 } };

    for (size_t round = 0; round < n_rounds; round++) {
        unsigned busy[MOST] = { 0 };
        size_t n_pairs = gcal_links_round(n, round, pairs);

        assert_int_equal(n_pairs, n / 2);
        for (size_t i = 0; i < n_pairs; i++) {
            size_t a = pairs[i][0], b = pairs[i][1];

            assert_true(a < b && b < n);
            met[a][b]++;
            assert_int_equal(busy[a]++ + busy[b]++, 0);
        }
    }
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            assert_int_equal(met[a][b], 1);
}

static void every_pair_meets_once(void **state)
{
    (void)state;
    for (size_t n = 2; n <= MOST; n++)
        check_rounds(n);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_pair_meets_once) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
