/* test_cardinality_poly.c - random polynomials: simplifications, sums and proofs, checked
 * at points
 *
 *   test_cardinality_poly FIRST CASES
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "tests/kernels/sets/points_tree.h"

enum { LAST_LANE = 7, MOST = 9 };

static uint64_t first_seed = 1;
static int n_cases = 4000;

/* A context with sizes n and m >= 2, a lane, and an iteration of a loop of m-1 trips. */
struct space {
    struct gcal_poly_context *c;
    const struct gcal_poly *atoms[N_VARIABLES], *trips;
    uint64_t number, seed; /* of the case; state of its random numbers */
};

static bool is_assuming(const struct space *s)
{
    return s->number % 3 == 0;
}

static void enter(struct space *s, uint64_t seed)
{
    struct gcal_error err = { 0 };

    trees_clear();
    *s = (struct space){ .c = gcal_poly_context_create(NULL),
                         .number = seed,
                         .seed = seed };
    assert_non_null(s->c);
    if (is_assuming(s))
        assert_int_equal(gcal_poly_assume(s->c, "n % 6 = 2 and m >= 2", &err), 0);
    s->atoms[AT_N] = gcal_poly_parameter(s->c, "n");
    s->atoms[AT_M] = gcal_poly_parameter(s->c, "m");
    s->atoms[AT_LID] =
        gcal_poly_dimension(s->c, "lid0", gcal_poly_integer(s->c, LAST_LANE));
    s->trips = gcal_poly_sub(s->c, s->atoms[AT_M], gcal_poly_integer(s->c, 1));
    s->atoms[AT_LOOP] = gcal_poly_dimension(
        s->c, "i0", gcal_poly_sub(s->c, s->trips, gcal_poly_integer(s->c, 1)));
}

static void leave(struct space *s)
{
    gcal_poly_context_destroy(s->c);
}

static bool next_point(const struct space *s, int64_t *at)
{
    for (;;) {
        if (++at[AT_LOOP] >= at[AT_M] - 1) {
            at[AT_LOOP] = 0;
            if (++at[AT_LID] > LAST_LANE) {
                at[AT_LID] = 0;
                if (++at[AT_M] > MOST) {
                    at[AT_M] = 1;
                    if (++at[AT_N] > MOST)
                        return false;
                }
            }
        }
        if (at[AT_M] >= 2 && (!is_assuming(s) || at[AT_N] % 6 == 2))
            return true;
    }
}

static const struct tree *random_tree(uint64_t *seed, int depth)
{
    static const int64_t from[] = { AT_N, AT_M, AT_LID, AT_LOOP };
    const struct tree *a, *b;
    int64_t form = depth ? tree_random(seed, 0, 6) : 6;

    if (form == 6)
        return tree_random_affine(seed, 4, from);
    a = random_tree(seed, depth - 1);
    if (form == 0 || form == 1)
        return tree_make(TREE_FLOOR, tree_random(seed, 2, 9), a, NULL);
    b = random_tree(seed, depth - 1);
    return tree_make(form == 2   ? TREE_MIN
                     : form == 3 ? TREE_MAX
                     : form == 4 ? TREE_ADD
                                 : TREE_MULTIPLY,
                     0, a, b);
}

/* The polynomial with numbers for its dimensions, at sizes. */
static struct gcal_expr *at_ids(struct space *s, const struct gcal_poly *p, int64_t lane,
                                int64_t i)
{
    static const char *const symbols[] = { "n", "m" };
    struct gcal_error err = { 0 };
    struct gcal_expr *expr;
    const char *text;

    p = gcal_poly_substitute(s->c, p, gcal_poly_atom_index(s->atoms[AT_LID]),
                             gcal_poly_integer(s->c, lane));
    p = gcal_poly_substitute(s->c, p, gcal_poly_atom_index(s->atoms[AT_LOOP]),
                             gcal_poly_integer(s->c, i));
    text = gcal_poly_text(s->c, p);
    if (gcal_poly_context_check(s->c, NULL) < 0)
        return NULL;
    expr = gcal_expr_parse_in(text, 2, symbols, &err);
    assert_string_equal(err.text, "");
    return expr;
}

static void fail_at(const struct space *s, const struct tree *tree, const char *what,
                    const int64_t *at, double found, double expected)
{
    struct gcal_buf buf = { 0 };

    tree_put(&buf, tree);
    print_error("case %llu: %s of %s is %.9g, not %.9g, at n = %lld, m = %lld, lid0 = "
                "%lld, i0 = %lld\n",
                (unsigned long long)s->number, what, buf.data, found, expected,
                (long long)at[AT_N], (long long)at[AT_M], (long long)at[AT_LID],
                (long long)at[AT_LOOP]);
    gcal_buf_free(&buf);
    fail();
}

/* ---- values ---- */

static double value_of(const struct tree *tree, const int64_t *at, bool step)
{
    int64_t value = tree_value(tree, at);

    return step ? value >= 0 : (double)value;
}

static void check_values(struct space *s, const struct tree *tree, bool step)
{
    const struct gcal_poly *p = tree_poly(s->c, tree, s->atoms);
    struct gcal_expr *expr = NULL;
    int64_t at[N_VARIABLES] = { 0, 2, [AT_LID] = tree_random(&s->seed, 0, LAST_LANE) };

    if (step)
        p = gcal_poly_step(s->c, p);
    expr = at_ids(s, p, at[AT_LID], 0);
    for (at[AT_N] = 0; at[AT_N] <= MOST && expr; at[AT_N]++)
        for (at[AT_M] = 2; at[AT_M] <= MOST; at[AT_M]++) {
            double sizes[] = { (double)at[AT_N], (double)at[AT_M] };
            double found = gcal_expr_eval(expr, sizes);

            if (is_assuming(s) && at[AT_N] % 6 != 2)
                continue;
            if (fabs(found - value_of(tree, at, step)) > 1e-6)
                fail_at(s, tree, step ? "step" : "value", at, found,
                        value_of(tree, at, step));
        }
    gcal_expr_destroy(expr);
}

static void values_survive_simplification(void **state)
{
    (void)state;
    for (int i = 0; i < n_cases; i++) {
        struct space s;

        enter(&s, first_seed + (uint64_t)i);
        check_values(&s, random_tree(&s.seed, 3), i % 2);
        leave(&s);
    }
}

/* ---- proofs ---- */

static void what_is_proven_holds(void **state)
{
    int proven = 0;

    (void)state;
    for (int i = 0; i < n_cases; i++) {
        int64_t at[N_VARIABLES] = { 0, 1 };
        const struct tree *tree;
        struct space s;

        enter(&s, first_seed + (uint64_t)i);
        tree = random_tree(&s.seed, 2);
        if (gcal_poly_is_nonnegative(s.c, tree_poly(s.c, tree, s.atoms)) &&
            gcal_poly_context_check(s.c, NULL) == 0) {
            proven++;
            while (next_point(&s, at))
                if (tree_value(tree, at) < 0)
                    fail_at(&s, tree, "a polynomial proven nonnegative", at,
                            (double)tree_value(tree, at), 0);
        }
        leave(&s);
    }
    if (n_cases >= 100)
        assert_true(proven * 20 > n_cases);
}

/* ---- sums ---- */

static bool sum_is_right(struct space *s, const struct tree *tree)
{
    const struct gcal_poly *sum =
        gcal_poly_sum(s->c, tree_poly(s->c, tree, s->atoms),
                      gcal_poly_atom_index(s->atoms[AT_LOOP]), s->trips);
    int64_t at[N_VARIABLES] = { 0, 2, [AT_LID] = tree_random(&s->seed, 0, LAST_LANE) };
    struct gcal_expr *expr = sum ? at_ids(s, sum, at[AT_LID], 0) : NULL;

    if (!expr)
        return false;
    for (at[AT_N] = 2; at[AT_N] <= MOST; at[AT_N] += 6)
        for (at[AT_M] = 2; at[AT_M] <= MOST; at[AT_M]++) {
            double sizes[] = { (double)at[AT_N], (double)at[AT_M] }, expected = 0;
            double found = gcal_expr_eval(expr, sizes);

            for (at[AT_LOOP] = 0; at[AT_LOOP] < at[AT_M] - 1; at[AT_LOOP]++)
                expected += (double)tree_value(tree, at);
            at[AT_LOOP] = 0;
            if (fabs(found - expected) > 1e-6 * (1 + fabs(expected)))
                fail_at(s, tree, "the sum over i0", at, found, expected);
        }
    gcal_expr_destroy(expr);
    return true;
}

static void sums_are_what_is_added_up(void **state)
{
    int known = 0;

    (void)state;
    for (int i = 0; i < n_cases; i++) {
        struct space s;

        enter(&s, first_seed + (uint64_t)i);
        known += sum_is_right(&s, random_tree(&s.seed, 2));
        leave(&s);
    }
    if (n_cases >= 100)
        assert_true(known * 2 > n_cases);
}

/* ---- quotients ---- */

static void factors_are_found_again(void **state)
{
    (void)state;
    for (int i = 0; i < n_cases; i++) {
        const struct gcal_poly *a, *b, *quotient;
        struct space s;

        enter(&s, first_seed + (uint64_t)i);
        a = tree_poly(s.c, random_tree(&s.seed, 2), s.atoms);
        b = tree_poly(s.c, random_tree(&s.seed, 2), s.atoms);
        quotient = gcal_poly_divide(s.c, gcal_poly_mul(s.c, a, b), b);
        if (gcal_poly_context_check(s.c, NULL) == 0 && b->n_terms) {
            assert_non_null(quotient);
            assert_string_equal(gcal_poly_text(s.c, quotient), gcal_poly_text(s.c, a));
        }
        leave(&s);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_survive_simplification),
        cmocka_unit_test(what_is_proven_holds),
        cmocka_unit_test(sums_are_what_is_added_up),
        cmocka_unit_test(factors_are_found_again),
    };

    if (argc == 3) {
        first_seed = strtoull(argv[1], NULL, 10);
        n_cases = atoi(argv[2]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
