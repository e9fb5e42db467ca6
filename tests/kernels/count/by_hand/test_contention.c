/* test_contention.c - atomic operations that meet, in kernels counted by hand, and random
 * ones against a simulation
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kernels/count/by_hand/by_hand.h"

#define START                                                                            \
    "kernel void f(global int *a, global const int *b, global const uchar *u, int m)\n"  \
    "{ local int t[64]; local int one; int l = get_local_id(0), i = get_global_id(0);\n" \
    "int g = get_group_id(0); t[l] = 0; one = 0;\n"
#define END "if (l == 0) a[g] = t[0] + one; }"

/* 3 work-groups of 64, sub-groups of 32; sectors of 8 elements, blocks of 128. */
enum { ITEMS = 192, SUB_GROUPS = 6, GROUPS = 3, M = 24, LANES = 32 };

static const struct meetings {
    const char *body;
    double passes, addresses, footprint; /* global and local ones */
    double sectors, sector_passes, blocks;
} kernels[] = {
    { "atomic_inc(a);", SUB_GROUPS, SUB_GROUPS, 1, SUB_GROUPS, SUB_GROUPS, 1 },
    { "atomic_xchg(a, l);", ITEMS, SUB_GROUPS, 1, SUB_GROUPS, ITEMS, 1 },
    { "atomic_add(&a[i], 1);", SUB_GROUPS, ITEMS, ITEMS, ITEMS / 8, ITEMS / 8, 2 },
    { "atomic_add(&a[i + 4], 1);", SUB_GROUPS, ITEMS, ITEMS, 5 * SUB_GROUPS,
      5 * SUB_GROUPS, 2 },
    { "atomic_add(&a[32 * l], 1);", SUB_GROUPS, ITEMS, 64, ITEMS, ITEMS, 16 },
    { "atomic_add(&a[i / 4], 1);", 4 * SUB_GROUPS, ITEMS / 4, ITEMS / 4, SUB_GROUPS,
      4 * SUB_GROUPS, 1 },
    { "atomic_add(&a[i % 2], 1);", 16 * SUB_GROUPS, 2 * SUB_GROUPS, 2, SUB_GROUPS,
      16 * SUB_GROUPS, 1 },
    /* 8 of 12 elements three times, which are in both sectors in 4 of 6 sub-groups */
    { "atomic_add(&a[i % 12], 1);", 3 * SUB_GROUPS, 12 * SUB_GROUPS, 12, 2 * SUB_GROUPS,
      5 * 2 + 6 * 4, 1 },
    { "atomic_add(&a[g], l);", SUB_GROUPS, SUB_GROUPS, GROUPS, SUB_GROUPS, SUB_GROUPS,
      1 },
    { "atomic_cmpxchg(&a[128 * g], 1, l);", ITEMS, SUB_GROUPS, GROUPS, SUB_GROUPS, ITEMS,
      GROUPS },
    { "if (l == 0) atomic_add(&a[g], 1);", GROUPS, GROUPS, GROUPS, GROUPS, GROUPS, 1 },
    { "if (l < 40) atomic_max(&a[l], 1);", 2 * GROUPS, 40 * GROUPS, 40, 5 * GROUPS,
      5 * GROUPS, 1 },
    { "for (int k = 0; k < m; k++) atomic_add(&a[k], 1);", M *SUB_GROUPS, M *SUB_GROUPS,
      M, M *SUB_GROUPS, M *SUB_GROUPS, 1 },
    { "if (b[i] > 3) atomic_inc(a);", SUB_GROUPS, SUB_GROUPS, 1, SUB_GROUPS, SUB_GROUPS,
      1 },
    { "a[64 + i] = atomic_sub(a, 2);", SUB_GROUPS, SUB_GROUPS, 1, SUB_GROUPS, SUB_GROUPS,
      1 },
    { "for (int k = 0; k < m; k++) if (k % 2) a[b[i]] = atomic_add(a + i / 8, k);",
      M / 2 * 8 * SUB_GROUPS, M / 2 * ITEMS / 8, ITEMS / 8, M / 2 * SUB_GROUPS,
      M / 2 * 8 * SUB_GROUPS, 1 },
    { "atomic_or(&one, l);", SUB_GROUPS, SUB_GROUPS, GROUPS, 0, 0, 0 },
    { "atomic_inc(&t[l]);", SUB_GROUPS, ITEMS, ITEMS, 0, 0, 0 },
    { "for (int k = 0; k < 4; k++) atomic_dec(&t[(l + k) % 16]);", 8 * SUB_GROUPS,
      64 * SUB_GROUPS, 16 * GROUPS, 0, 0, 0 },
    /* local memory adds up ones at one address itself */
    { "for (int k = 0; k < 4; k++) atomic_add(&t[(l + k) % 16], 1);", 4 * SUB_GROUPS,
      64 * SUB_GROUPS, 16 * GROUPS, 0, 0, 0 },
    /* nothing is known of the subscript: as if nobody met */
    { "atomic_inc(&a[b[i]]);", SUB_GROUPS, ITEMS, ITEMS, ITEMS, ITEMS, ITEMS },
};

/* Values at random, by the ways in which their range is known; of global memory but two. */
static const struct random {
    const char *body;
    int values, per_sector;
    double footprint, blocks;
} randoms[] = {
    { "atomic_inc(&a[b[i] & 15]);", 16, 8, 16, 1 },
    { "atomic_inc(&a[b[i] & (m - 1)]);", M, 8, M, 1 },
    { "atomic_inc(&a[b[i] % m]);", M, 8, M, 1 },
    { "atomic_inc(&a[4 * (b[i] & 15) + g]);", 16, 2, 3 * 16, 1 },
    { "atomic_inc(&a[32 * clamp(b[i], 0, m - 1)]);", M, 1, M, M / 4 },
    { "atomic_inc(&a[min(b[i], 40)]);", 41, 8, 41, 1 },
    { "atomic_inc(&a[max(0, min(b[i], 40))]);", 41, 8, 41, 1 },
    { "int v = u[i] >> 2; atomic_inc(&a[v]);", 64, 8, 64, 1 },
    { "atomic_inc(&a[((uint)b[i]) >> 28]);", 16, 8, 16, 1 },
    { "atomic_inc(&a[u[i]]);", 256, 8, ITEMS, 2 },
    { "atomic_inc(&a[g * 128 + (b[i] & 31)]);", 32, 8, 96, GROUPS },
    { "atomic_dec(&t[b[i] & 15]);", 16, 0, 3 * 16, 0 },
    { "atomic_dec(&t[b[i]]);", 64, 0, ITEMS, 0 },
};

static struct gcal_profile *count(const char *body)
{
    char source[1000];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 64 },
                                    .global_size = { "192" },
                                    .sub_group_size = LANES,
                                    .sector_bytes = 32 };

    snprintf(source, sizeof(source), "%s%s%s", START, body, END);
    return by_hand_count(&r, body);
}

static double value_of(const struct gcal_profile *p, const char *feature)
{
    const double sizes[1] = { M };

    return by_hand_value(p, feature, sizes);
}

static void check_near(const char *body, const char *what, double found, double expected,
                       double within)
{
    if (found < expected * (1 - within) || found > expected * (1 + within))
        fail_msg("%s: %s %g, not about %g", body, what, found, expected);
}

/* Passes of each sub-group by what compilers see of the address. */
static void joins_what_compilers_see_to_meet(void **state)
{
    static const struct {
        const char *body;
        double passes;
    } all[] = {
        /* all operations but exchanges; results, of sums alone */
        { "int x = atomic_add(a, l); b_[x] = 1;", 1 },
        { "b_[i] = atomic_sub(a, l);", 1 },
        { "b_[atomic_inc(a)] = l;", 1 },
        { "b_[i] = atomic_max(a, l);", LANES },
        { "b_[i] = atomic_xor(a, l);", LANES },
        { "(void)atomic_max(a, l);", 1 },
        { "(atomic_min(a, l));", 1 },
        { "atomic_and(&a[m], l);", 1 },
        { "b_[i] = atomic_cmpxchg(a, 0, l);", LANES },
        /* of 64 bits sums of what all lanes have */
        { "atom_add((global long *)a, (long)m);", 1 },
        { "atom_add((global long *)a, (long)l);", LANES },
        { "atom_inc((global long *)a);", 1 },
        /* an id of the work-item, even where it is the same in all lanes */
        { "atomic_add(&a[l / 32], 2);", LANES },
        { "atomic_add(&a[get_local_id(1)], 2);", LANES },
        { "int r = 7; r += get_local_id(2); atomic_add(&a[r], 2);", LANES },
        { "int r[2]; r[0] = l / 32; atomic_add(&a[r[0]], 2);", LANES },
        { "update(&a[g], l);", 1 },
        { "update(&a[get_local_id(1)], l);", LANES },
        { "atomic_add(&a[one_of(l)], 2);", LANES },
        { "atomic_add(&a[one_of(g)], 2);", 1 },
        /* what is loaded at one place is one value, and conditions do not matter */
        { "atomic_add(&a[b[g]], 2);", 1 },
        { "if (b[i] == 7) atomic_add(&a[3], l);", 1 },
        /* but where a variable is set under one, or by a loop of another length */
        { "int r = 0; if (l > 64) r = 1; atomic_add(&a[r], 2);", LANES },
        { "int r = 0; for (int k = 0; k < m; k++) { if (l > 64) break; r = 0; }\n"
          "atomic_add(&a[r], 2);",
          LANES },
        { "int r = 0; if (g > 5) r = 1; atomic_add(&a[r], 2);", 1 },
    };
    char source[1000];

    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        const struct gcal_count_request r = { .source = source,
                                              .file = "x.cl",
                                              .n_dims = 1,
                                              .local_size = { 64 },
                                              .global_size = { "192" },
                                              .sub_group_size = LANES,
                                              .n_banks = 32,
                                              .sector_bytes = 32,
                                              .allow_estimates = true };
        struct gcal_profile *p;

        snprintf(
            source, sizeof(source),
            "void update(global int *p, int v) { atomic_add(p, v); }\n"
            "int one_of(int x) { return x > 70 ? 1 : 0; }\n"
            "kernel void f(global int *a, global const int *b, global int *b_, int m)\n"
            "{ int l = get_local_id(0), i = get_global_id(0), g = get_group_id(0);\n"
            "%s }",
            all[i].body);
        p = by_hand_count(&r, all[i].body);
        check_near(all[i].body, "passes", value_of(p, "f_atomic_sector_pass"),
                   all[i].passes * SUB_GROUPS, 1e-9);
        gcal_profile_destroy(p);
    }
}

static void counts_meetings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
        const struct meetings *k = &kernels[i];
        struct gcal_profile *p = count(k->body);
        const struct {
            const char *feature;
            double expected;
        } checks[] = { { "f_atomic_pass", k->passes },
                       { "f_atomic_address", k->addresses },
                       { "f_atomic_footprint", k->footprint },
                       { "f_atomic_sector", k->sectors },
                       { "f_atomic_sector_pass", k->sector_passes },
                       { "f_atomic_block", k->blocks } };

        for (size_t c = 0; c < sizeof(checks) / sizeof(*checks); c++)
            check_near(k->body, checks[c].feature, value_of(p, checks[c].feature),
                       checks[c].expected, 0);
        gcal_profile_destroy(p);
    }
}

/* The mean number of distinct places of all lanes, and of the most at one place of each
 * sector, summed.
 */
static void simulate(int places, int per_sector, double *distinct, double *most)
{
    enum { ROUNDS = 4000 };
    uint64_t seed = 12345;
    int at[256];

    *distinct = *most = 0;
    for (int round = 0; round < ROUNDS; round++) {
        int largest = 0;

        memset(at, 0, sizeof(at));
        for (int lane = 0; lane < LANES; lane++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            at[(seed >> 33) % (unsigned)places]++;
        }
        for (int i = 0; i < places; i++) {
            if (i % per_sector == 0) {
                *most += largest;
                largest = 0;
            }
            *distinct += at[i] > 0;
            largest = at[i] > largest ? at[i] : largest;
        }
        *most += largest;
    }
    *distinct /= ROUNDS;
    *most /= ROUNDS;
}

static void estimates_random_ones(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(randoms) / sizeof(*randoms); i++) {
        const struct random *k = &randoms[i];
        struct gcal_profile *p = count(k->body);
        double distinct, most, sectors, none;

        simulate(k->values, k->values, &distinct, &most);
        check_near(k->body, "passes", value_of(p, "f_atomic_pass"), most * SUB_GROUPS,
                   0.2);
        check_near(k->body, "addresses", value_of(p, "f_atomic_address"),
                   distinct * SUB_GROUPS, 0.01);
        if (k->per_sector) {
            simulate((k->values + k->per_sector - 1) / k->per_sector, 1, &sectors, &none);
            check_near(k->body, "sectors", value_of(p, "f_atomic_sector"),
                       sectors * SUB_GROUPS, 0.01);
            simulate(k->values, k->per_sector, &none, &most);
            check_near(k->body, "passes by sector", value_of(p, "f_atomic_sector_pass"),
                       most * SUB_GROUPS, 0.15);
        }
        check_near(k->body, "footprint", value_of(p, "f_atomic_footprint"), k->footprint,
                   0);
        check_near(k->body, "blocks", value_of(p, "f_atomic_block"), k->blocks, 0);
        assert_true(p->estimated && p->n_notes);
        gcal_profile_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_meetings),
                                        cmocka_unit_test(
                                            joins_what_compilers_see_to_meet),
                                        cmocka_unit_test(estimates_random_ones) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
