/* test_sample.c - counts of random kernels at sizes that are numbers, where no closed form is
 * found in time, against the true counts
 *
 * test_sample [FIRST CASES]
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/kernels/sets/points_case.h"

enum question { ASK_WORK_ITEMS, ASK_GROUPS, ASK_SUB_GROUPS, ASK_DIVERGENCE, N_QUESTIONS };

static const char *const names[] = { "work-items", "groups", "sub-groups", "divergence" };
static uint64_t first_seed = 1;
static int n_cases = 300;

struct tally {
    int exact, sampled, unknown, within[5]; /* so many errors */
};

static const struct gcal_poly *ask(struct built *b, enum question question,
                                   bool *estimated)
{
    static const enum gcal_sets_count_mode modes[] = { GCAL_SETS_COUNT_WORK_ITEMS,
                                                       GCAL_SETS_COUNT_GROUPS,
                                                       GCAL_SETS_COUNT_SUB_GROUPS };

    return question == ASK_DIVERGENCE
               ? gcal_sets_branch_divergence(&b->nest, &b->branch)
               : gcal_sets_scope_count(&b->nest, b->scope, modes[question], estimated);
}

static void fail_case(const struct test_case *t, uint64_t seed, enum question question,
                      int64_t found, double truth)
{
    struct gcal_buf text = { 0 };

    case_put(&text, t);
    fail_msg("case %llu at %s, %s: %lld, not %g:\n%s", (unsigned long long)seed, t->sizes,
             names[question], (long long)found, truth, text.data);
}

static double expected(const struct happened *h, enum question question, size_t size)
{
    const int64_t counts[] = { h->work_items, h->groups, h->sub_groups[size],
                               h->differing[size] };

    return (double)counts[question];
}

static void try_point(struct test_case *t, uint64_t seed, enum question question,
                      int64_t most, long divisor, struct tally *tally)
{
    size_t size = seed % N_SUB_GROUP_SIZES;
    uint64_t random = seed;
    const struct gcal_poly *p;
    struct happened happened;
    bool estimated = false;
    double found, error, truth;
    int64_t n, m, number;
    char sizes[64];
    struct built b;

    n = tree_random(&random, 1, most);
    m = tree_random(&random, 1, most);
    if (!case_allows(t, n, m) || !case_walk(t, n, m, &happened))
        return;
    snprintf(sizes, sizeof(sizes), "n = %lld and m = %lld", (long long)n, (long long)m);
    t->sizes = sizes;
    case_build(t, &b);
    b.nest.sub_group_size = sub_group_sizes[size];
    b.nest.budget_divisor = divisor;
    p = ask(&b, question, &estimated);
    truth = expected(&happened, question, size);
    if (!p || !gcal_poly_is_constant(p, &number)) {
        tally->unknown++;
    } else if (b.nest.error > 0) {
        found = (double)number;
        error = b.nest.error * found;
        tally->sampled++;
        for (int i = 0; i < 5; i++)
            tally->within[i] += fabs(found - truth) <= (i + 1) * error + 0.5;
    } else if (!estimated) {
        tally->exact++;
        if (number != (int64_t)truth)
            fail_case(t, seed, question, number, truth);
    }
    built_clear(&b);
}

/* A kernel may have more than one sampled part, and few units say little of their spread: more
 * than a normal distribution's share is far off.
 */
static void try_cases(void (*make_case)(struct test_case *t, uint64_t seed), int64_t most,
                      long divisor)
{
    struct tally tally = { 0 };

    for (int i = 0; i < n_cases; i++)
        for (int question = 0; question < N_QUESTIONS; question++) {
            struct test_case t;

            trees_clear();
            make_case(&t, first_seed + (uint64_t)i);
            try_point(&t, first_seed + (uint64_t)i, (enum question)question, most,
                      divisor, &tally);
        }
    print_message(
        "%d exact, %d unknown, %d sampled: within 1 to 5 errors %d %d %d %d %d\n",
        tally.exact, tally.unknown, tally.sampled, tally.within[0], tally.within[1],
        tally.within[2], tally.within[3], tally.within[4]);
    if (n_cases < 100)
        return;
    assert_true(tally.unknown * 12 <= tally.exact);
    assert_true(tally.within[0] * 100 >= tally.sampled * 65);
    assert_true(tally.within[1] * 100 >= tally.sampled * 90);
    assert_true(tally.within[4] * 100 >= tally.sampled * 98);
}

static void all_points_are_met(void **state)
{
    (void)state;
    try_cases(case_random, 12, 100);
    try_cases(case_random_grid, 12, 100);
}

static void errors_of_samples_are_true(void **state)
{
    (void)state;
    try_cases(case_random, 40, 1000);
    try_cases(case_random_grid, 40, 1000);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_points_are_met),
        cmocka_unit_test(errors_of_samples_are_true),
    };

    if (argc > 1)
        first_seed = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        n_cases = atoi(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
