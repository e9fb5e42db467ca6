/* test_poly.c - polynomials: arithmetic, floors, assumptions, sums, text */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/poly/poly.h"

static struct gcal_poly_context *c;

static int set_up(void **state)
{
    (void)state;
    return (c = gcal_poly_context_create(NULL)) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gcal_poly_context_destroy(c);
    return 0;
}

static const struct gcal_poly *parse(const char *text)
{
    struct gcal_error err = { 0 };
    const struct gcal_poly *p = gcal_poly_parse(c, text, &err);

    assert_string_equal(err.text, "");
    return p;
}

static void assert_text(const struct gcal_poly *p, const char *text)
{
    assert_non_null(p);
    assert_string_equal(gcal_poly_text(c, p), text);
    assert_int_equal(gcal_poly_context_check(c, NULL), 0);
}

static void arithmetic_is_exact(void **state)
{
    (void)state;
    assert_text(parse("(n+3)*(n-3)"), "n^2-9");
    assert_text(parse("n-n"), "0");
    assert_text(parse("2^20*n^0-n ^ 2+(n+1)^2"), "2*n+1048577");
    assert_text(parse("1-n^2"), "-n^2+1");
    assert_text(parse("-n^2"), "-n^2");
    assert_text(gcal_poly_scale(c, parse("6*n*m-4"), -3, 8), "-9/4*n*m+3/2");
    assert_text(gcal_poly_substitute(c, parse("n*n+n/3"),
                                     gcal_poly_atom_index(parse("n")), parse("3*m+1")),
                "9*m^2+7*m+1");
    assert_text(gcal_poly_divide(c, parse("4*n*n*n-2*n*n"), parse("8*n*n")), "1/2*n-1/4");
    assert_null(gcal_poly_divide(c, parse("n+1"), parse("n")));
}

static void floors_are_simplified(void **state)
{
    const struct gcal_poly *lid = gcal_poly_dimension(c, "lid", gcal_poly_integer(c, 15));

    (void)state;
    assert_text(parse("(35*n+7)/16"), "2*n+floor((3*n+7)/16)");
    assert_text(parse("n/16"), "floor(n/16)");
    assert_text(gcal_poly_floor(c, gcal_poly_add(c, parse("16*n"), lid), 16), "n");
    assert_text(gcal_poly_floor(c, gcal_poly_sub(c, parse("16*n+15"), lid), 16), "n");
    assert_text(parse("(0-5)/3"), "-2");
}

static void assumptions_simplify(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(
        gcal_poly_assume(c, "n % 16 = 0 and n >= 16 && n % 24 == 0 and m > p", &err), 0);
    assert_text(parse("(n-16)/16"), "1/16*n-1");
    assert_text(parse("n/48+n"), "49/48*n");
    assert_text(parse("n/96"), "floor(n/96)");
    assert_true(gcal_poly_is_nonnegative(c, parse("n-48")));
    assert_false(gcal_poly_is_nonnegative(c, parse("n-49")));
    assert_true(gcal_poly_is_nonnegative(c, parse("m-p-1")));
    assert_false(gcal_poly_is_nonnegative(c, parse("m-p-2")));
    assert_int_equal(gcal_poly_assume(c, "q % 4 = 1 and q % 2 = 0", &err), -1);
    assert_non_null(strstr(err.text, "contradicts"));
    assert_int_equal(gcal_poly_assume(c, "q ! 4", &err), -1);
}

static void sums_have_closed_forms(void **state)
{
    const struct gcal_poly *i = gcal_poly_dimension(c, "i", parse("n-1"));
    const struct gcal_poly *lid = gcal_poly_dimension(c, "lid", gcal_poly_integer(c, 15));
    const struct gcal_poly *p;

    (void)state;
    /* 1/6 (n-1) n (2n-1) */
    assert_text(
        gcal_poly_sum(c, gcal_poly_mul(c, i, i), gcal_poly_atom_index(i), parse("n")),
        "1/3*n^3-1/2*n^2+1/6*n");
    /* trips of "for (q = lid; q < n; q += 16)", over all 16 work-items: n */
    p = gcal_poly_floor(c, gcal_poly_sub(c, parse("n+15"), lid), 16);
    assert_text(gcal_poly_sum(c, p, gcal_poly_atom_index(lid), parse("16")), "n");
    /* i/2 summed over i < n: floor(n/2)*floor((n-1)/2) */
    p = gcal_poly_sum(c, gcal_poly_floor(c, i, 2), gcal_poly_atom_index(i), parse("n"));
    assert_non_null(p);
    for (int n = 0; n < 9; n++)
        assert_text(gcal_poly_substitute(c, p, gcal_poly_atom_index(parse("n")),
                                         gcal_poly_integer(c, n)),
                    gcal_poly_format(c, "%d", n / 2 * ((n ? n - 1 : 0) / 2)));
}

/* The values of quotients by a size, for all signs of what is divided, and of an estimate. */
static void sums_of_quotients_by_sizes(void **state)
{
    static const struct {
        int start, step;
    } of[] = { { -7, 1 }, { 5, -1 }, { -3, 8 } };
    const struct gcal_poly *i = gcal_poly_dimension(c, "i", parse("n-1"));
    unsigned n = gcal_poly_atom_index(parse("n")), q = gcal_poly_atom_index(parse("q"));

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        const struct gcal_poly *p =
            gcal_poly_add(c, parse("n"),
                          gcal_poly_add(c, gcal_poly_integer(c, of[k].start),
                                        gcal_poly_scale(c, i, of[k].step, 1)));
        const struct gcal_poly *sum;
        bool estimated = false;

        p = gcal_poly_add(c, gcal_poly_floor_quotient(c, p, parse("q")), i);
        sum = gcal_poly_sum_near(c, p, gcal_poly_atom_index(i), parse("n"), &estimated);
        assert_non_null(sum);
        assert_int_equal(estimated, of[k].step == 8);
        for (int a = 0; a < 12; a++)
            for (int b = 1; b < 6; b++) {
                const struct gcal_poly *at = gcal_poly_substitute(
                    c, gcal_poly_substitute(c, sum, n, gcal_poly_integer(c, a)), q,
                    gcal_poly_integer(c, b));
                int64_t expected = 0, value = -1;

                for (int j = 0; j < a; j++)
                    expected +=
                        gcal_poly_floor_divide(a + of[k].start + of[k].step * j, b) + j;
                at = gcal_poly_floor(c, at, 1);
                assert_true(gcal_poly_is_constant(at, &value));
                assert_in_range(value - expected + 100, estimated ? 100 - a : 100,
                                estimated ? 100 + a : 100);
            }
    }
}

/* Both have the value of the first at all sizes around the edges of its pieces. */
static void assert_same_values(const struct gcal_poly *a, const struct gcal_poly *b)
{
    unsigned n = gcal_poly_atom_index(parse("n")), m = gcal_poly_atom_index(parse("m"));

    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            const struct gcal_poly *x = gcal_poly_integer(c, i),
                                   *y = gcal_poly_integer(c, j);
            int64_t value_a = -1, value_b = -2;

            gcal_poly_is_constant(
                gcal_poly_substitute(c, gcal_poly_substitute(c, a, n, x), m, y),
                &value_a);
            gcal_poly_is_constant(
                gcal_poly_substitute(c, gcal_poly_substitute(c, b, n, x), m, y),
                &value_b);
            assert_int_equal(value_a, value_b);
        }
}

static const struct gcal_poly *where(const char *p, const char *weight)
{
    return gcal_poly_mul(c, parse(weight), gcal_poly_step(c, parse(p)));
}

static void pieces_that_meet_become_minima(void **state)
{
    static const struct {
        const char *at, *value, *below, *otherwise, *text;
    } cases[] = {
        { "m-n", "n", "n-m-1", "m", "min(n,m)" },
        { "m-n-1", "n", "n-m", "m", "min(n,m)" },
        { "m-n", "m", "n-m-1", "n", "max(n,m)" },
        { "n-m", "(n-m)*m", "m-n-1", "0", NULL },
        { "n-m-1", "n*m-m*m", "m-n", "0", NULL },
        { "n-3", "4*n*m", "2-n", "12*m", NULL },
        { "n-3", "7*m", "2-n", "m", NULL }, /* these do not meet */
        { "n-3", "n*n", "2-n", "n*n", "n^2" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const struct gcal_poly *p =
            gcal_poly_add(c, where(cases[i].at, cases[i].value),
                          where(cases[i].below, cases[i].otherwise));
        const struct gcal_poly *tidy = gcal_poly_tidy(c, p);

        assert_true(tidy->n_terms <= p->n_terms);
        assert_same_values(p, tidy);
        if (cases[i].text)
            assert_text(tidy, cases[i].text);
    }
    assert_text(gcal_poly_tidy(c, parse("n/3+(n+1)/3+(n+2)/3")), "n");
}

static void factors_stay_together(void **state)
{
    const struct gcal_poly *a = gcal_poly_unexpanded(c, parse("n+m/3"));
    const struct gcal_poly *p =
        gcal_poly_mul(c, a, gcal_poly_unexpanded(c, parse("n-2")));

    (void)state;
    assert_text(p, "(n+floor(m/3))*(n-2)");
    assert_text(gcal_poly_expanded(c, p), "n^2+n*floor(m/3)-2*n-2*floor(m/3)");
    assert_text(gcal_poly_unexpanded(c, parse("3*n")), "3*n");
    assert_text(gcal_poly_add(c, gcal_poly_add(c, where("n-1", "n*m"), where("n-1", "m")),
                              parse("p")),
                "step(n-1)*(n*m+m)+p");
}

static void minima_may_be_negative(void **state)
{
    const struct gcal_poly *zero = gcal_poly_integer(c, 0);
    const struct gcal_poly *more = gcal_poly_max(c, parse("n-p"), zero);
    const struct gcal_poly *least = gcal_poly_min(c, gcal_poly_sub(c, parse("n"), more),
                                                  gcal_poly_sub(c, parse("9"), more));

    (void)state;
    assert_text(gcal_poly_max(c, parse("n"), zero), "n");
    assert_text(gcal_poly_min(c, parse("4095"), parse("n-1")), "min(n,4096)-1");
    assert_true(gcal_poly_is_nonnegative(c, more));
    assert_false(gcal_poly_is_nonnegative(c, least));
    assert_false(gcal_poly_is_nonnegative(c, parse("(n-9)/4")));
    assert_true(gcal_poly_is_nonnegative(c, parse("(n+3)/4")));
}

static const struct gcal_poly *digits(const char *text)
{
    return gcal_poly_digits(c, parse(text));
}

static void logarithms_and_powers_are_exact(void **state)
{
    const struct gcal_poly *v = gcal_poly_dimension(c, "v", parse("n-1"));
    const struct gcal_poly *power = gcal_poly_power(c, v), *rising, *falling;
    unsigned atom = gcal_poly_atom_index(v);

    (void)state;
    assert_text(digits("0"), "0");
    assert_text(digits("0-3"), "0");
    assert_text(digits("1"), "1");
    assert_text(digits("1023"), "10");
    assert_text(digits("1024"), "11");
    assert_text(digits("n+1"), "floor(log2(n+1))+1");
    assert_text(digits("n"), "floor(log2(max(2*n,1)))");
    assert_text(digits("(4*n+4)/8"), "floor(log2(n+1))");
    assert_text(gcal_poly_power(c, parse("10")), "1024");
    assert_text(gcal_poly_power(c, parse("n")), "(2^(n))");
    assert_text(gcal_poly_floor_log2(c, gcal_poly_scale(c, power, 12, 1)), "v+3");
    assert_text(gcal_poly_exponent(c, gcal_poly_scale(c, power, 4, 1)), "v+2");
    assert_null(gcal_poly_exponent(c, gcal_poly_scale(c, power, 12, 1)));
    assert_true(gcal_poly_is_nonnegative(c, gcal_poly_sub(c, power, v)));
    rising = gcal_poly_sum(c, gcal_poly_add(c, gcal_poly_scale(c, power, 3, 1), v), atom,
                           parse("n"));
    assert_text(rising, "1/2*n^2-1/2*n+3*(2^(n))-3");
    falling = gcal_poly_power(c, gcal_poly_sub(c, parse("n"), v));
    assert_text(gcal_poly_sum(c, falling, atom, parse("n")), "(2^(n+1))-2");
    assert_null(gcal_poly_sum(c, gcal_poly_mul(c, power, v), atom, parse("n")));
}

/* 1 + the sum of k = 2, 4, .. that divide n: proofs try two bounds of each floor. */
static void long_proofs_are_given_up(void **state)
{
    const struct gcal_poly *sum = parse("1"), *n, *before, *least;

    (void)state;
    assert_int_equal(gcal_poly_assume(c, "n >= 14", NULL), 0);
    n = parse("n");
    before = gcal_poly_sub(c, n, parse("1"));
    for (int64_t k = 2; k <= 64; k *= 2) {
        sum = gcal_poly_add(c, sum, gcal_poly_scale(c, gcal_poly_floor(c, n, k), k, 1));
        sum = gcal_poly_sub(c, sum,
                            gcal_poly_scale(c, gcal_poly_floor(c, before, k), k, 1));
    }
    assert_true(gcal_poly_begin_attempt(c, 20000));
    least = gcal_poly_min(c, gcal_poly_scale(c, sum, 2, 1), parse("70"));
    assert_false(gcal_poly_end_attempt(c));
    assert_text(gcal_poly_substitute(c, least, gcal_poly_atom_index(n), parse("48")),
                "62");
    assert_text(gcal_poly_substitute(c, least, gcal_poly_atom_index(n), parse("64")),
                "70");
}

/* Points at which an assumption does not hold do not count. */
static void typical_sizes_decide(void **state)
{
    const struct gcal_poly *square = parse("n*n"), *line = parse("100*n");
    const struct gcal_poly *below = gcal_poly_sub(c, parse("50"), parse("n"));

    (void)state;
    assert_ptr_equal(gcal_poly_mostly_less(c, square, line), line);
    assert_false(gcal_poly_is_nonnegative(c, below));
    assert_int_equal(gcal_poly_assume(c, "n <= 50", NULL), 0);
    assert_true(gcal_poly_is_nonnegative(c, below));
    assert_ptr_equal(gcal_poly_mostly_less(c, square, line), square);
}

static void overflow_is_an_error(void **state)
{
    const struct gcal_poly *big = parse("9000000000000000000");
    struct gcal_error err = { 0 };

    (void)state;
    gcal_poly_add(c, big, big);
    assert_int_equal(gcal_poly_context_check(c, &err), -1);
    assert_non_null(strstr(err.text, "64 bits"));
}

static void bad_text_is_refused(void **state)
{
    static const char *const bad[] = { "",  "n+", "2.5*n", "(n",   "n/m",  "n/0",  "n n",
                                       "$", "n^", "n^m",   "n^-1", "2^63", "2^2^3" };

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct gcal_error err = { 0 };

        assert_null(gcal_poly_parse(c, bad[i], &err));
        assert_int_equal(err.code, GCAL_EINPUT);
    }
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(arithmetic_is_exact),        TEST(floors_are_simplified),
        TEST(assumptions_simplify),       TEST(sums_have_closed_forms),
        TEST(sums_of_quotients_by_sizes), TEST(pieces_that_meet_become_minima),
        TEST(factors_stay_together),      TEST(minima_may_be_negative),
        TEST(long_proofs_are_given_up),   TEST(typical_sizes_decide),
        TEST(overflow_is_an_error),       TEST(logarithms_and_powers_are_exact),
        TEST(bad_text_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
