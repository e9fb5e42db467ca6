/* test_design.c - the choice of the next measurement */
#include <math.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/model/model.h"
#include "fit/design.h"
#include "tests/unit.h"

#define N_CANDIDATES 300
#define N_PARAMETERS 12
#define NOISE        0.02
#define PRECISION    0.01

static struct gcal_fit_design *create(size_t n)
{
    struct gcal_error err = { 0 };
    struct gcal_fit_design *design = gcal_fit_design_create(n, &err);

    assert_non_null(design);
    return design;
}

static void offer(struct gcal_fit_design *design, const double *shares, double noise,
                  double cost_s)
{
    struct gcal_error err = { 0 };

    if (gcal_fit_design_offer(design, shares, noise, cost_s, &err) < 0)
        fail_msg("%s", err.text);
}

static void take(struct gcal_fit_design *design, size_t candidate)
{
    struct gcal_error err = { 0 };

    assert_int_equal(gcal_fit_design_take(design, candidate, &err), 0);
}

static void errors(struct gcal_fit_design *design, double *now, double *after)
{
    struct gcal_error err = { 0 };

    assert_int_equal(gcal_fit_design_errors(design, now, after, &err), 0);
}

static void assert_near(double value, double wanted, double relative)
{
    if (!(fabs(value / wanted - 1) <= relative))
        fail_msg("%.17g is not within %g of %.17g", value, relative, wanted);
}

/* ---- errors ---- */

static void nothing_is_known_at_first(void **state)
{
    static const double alone[] = { 1, 0 };
    struct gcal_fit_design *design = create(2);
    double now[2], after[2];

    (void)state;
    offer(design, alone, 0.05, 1);
    errors(design, now, after);
    assert_near(now[0], GCAL_FIT_DESIGN_UNKNOWN, 1e-12);
    assert_near(after[0], 0.05, 1e-4);
    assert_near(after[1], GCAL_FIT_DESIGN_UNKNOWN, 1e-12);
    gcal_fit_design_destroy(design);
    gcal_fit_design_destroy(NULL);
}

/* Two rows that determine a sum and one term: the other term by hand. */
static void errors_are_those_of_least_squares(void **state)
{
    static const double both[] = { 0.4, 0.6 }, first[] = { 1, 0 };
    struct gcal_fit_design *design = create(2);
    struct gcal_error err = { 0 };
    double now[2];

    (void)state;
    assert_int_equal(gcal_fit_design_add(design, both, 0.03, &err), 0);
    assert_int_equal(gcal_fit_design_add(design, first, 0.02, &err), 0);
    errors(design, now, NULL);
    assert_near(now[0], 0.02, 1e-4);
    assert_near(now[1], sqrt(0.03 * 0.03 + 0.4 * 0.4 * 0.02 * 0.02) / 0.6, 1e-4);
    gcal_fit_design_destroy(design);
}

static void shares_are_of_the_time(void **state)
{
    static const double costs[] = { 7.21e-6, 2.385e-12 }, features[] = { 1, 1e7 };
    struct gcal_error err = { 0 };
    struct gcal_model *model = gcal_model_create(
        "m", "f_cl_wall_time", "p_launch*f_sync_kernel_launch + p_madd*f_op_float32_madd",
        &err);
    double shares[2];

    (void)state;
    gcal_fit_design_shares(model, costs, features, shares);
    assert_near(shares[0], 7.21 / (7.21 + 23.85), 1e-12);
    assert_near(shares[1], 23.85 / (7.21 + 23.85), 1e-12);
    gcal_fit_design_shares(model, costs, (const double[]){ 0, 0 }, shares);
    assert_true(shares[0] == 0 && shares[1] == 0);
    gcal_model_destroy(model);
}

/* ---- the choice ---- */

/* With the same target for all parameters. */
static enum gcal_fit_design_state next(struct gcal_fit_design *design, double target,
                                       double budget_s, size_t *which)
{
    double targets[N_PARAMETERS];

    for (size_t j = 0; j < N_PARAMETERS; j++)
        targets[j] = target;
    return gcal_fit_design_next(design, targets, budget_s, which);
}

static void the_cheaper_of_two_alike_is_next(void **state)
{
    static const double alone[] = { 1, 0 }, other[] = { 0, 1 };
    struct gcal_fit_design *design = create(2);
    size_t which = 99;

    (void)state;
    offer(design, alone, 0.01, 3);
    offer(design, alone, 0.01, 1);
    offer(design, other, 0.01, 2);
    assert_int_equal(next(design, 0.02, INFINITY, &which), GCAL_FIT_DESIGN_NEXT);
    assert_int_equal(which, 1);
    take(design, which);
    assert_int_equal(next(design, 0.02, INFINITY, &which), GCAL_FIT_DESIGN_NEXT);
    assert_int_equal(which, 2); /* the first adds only known information */
    assert_int_equal(next(design, 0.02, 1.9, &which), GCAL_FIT_DESIGN_OVERBUDGET);
    take(design, which);
    assert_int_equal(next(design, 0.02, INFINITY, &which), GCAL_FIT_DESIGN_PRECISE);
    gcal_fit_design_destroy(design);
}

/* No candidate depends on the second parameter: nothing is measured for it, though the
 * first could be more precise.
 */
static void useless_candidates_are_not_measured(void **state)
{
    static const double alone[] = { 1, 0 };
    struct gcal_fit_design *design = create(2);
    size_t which = 99;

    (void)state;
    for (int i = 0; i < 5; i++)
        offer(design, alone, 0.01, 1);
    assert_int_equal(next(design, 0.02, INFINITY, &which), GCAL_FIT_DESIGN_NEXT);
    take(design, which);
    assert_int_equal(next(design, 0.02, INFINITY, &which), GCAL_FIT_DESIGN_EXHAUSTED);
    assert_int_equal(next(design, 0.007, INFINITY, &which), GCAL_FIT_DESIGN_NEXT);
    gcal_fit_design_destroy(design);
}

static void takes_a_candidate_once(void **state)
{
    static const double alone[] = { 1 };
    struct gcal_fit_design *design = create(1);
    struct gcal_error err = { 0 };

    (void)state;
    offer(design, alone, 0.01, 1);
    assert_int_equal(gcal_fit_design_take(design, 0, &err), 0);
    assert_int_equal(gcal_fit_design_take(design, 0, &err), -1);
    assert_int_equal(gcal_fit_design_take(design, 1, &err), -1);
    gcal_fit_design_destroy(design);
}

static void refuses_invalid_kernels(void **state)
{
    static const double alone[] = { 1 };
    struct gcal_fit_design *design = create(1);
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_fit_design_add(design, alone, 0, &err), -1);
    assert_int_equal(gcal_fit_design_add(design, alone, NAN, &err), -1);
    assert_int_equal(gcal_fit_design_offer(design, alone, 0.1, 0, &err), -1);
    assert_int_equal(gcal_fit_design_offer(design, (double[]){ NAN }, 0.1, 1, &err), -1);
    assert_null(gcal_fit_design_create(0, &err));
    gcal_fit_design_destroy(design);
}

/* ---- savings ---- */

static uint64_t random_state;

static double uniform(void)
{
    return ((double)(gcal_random_next(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

/* Kernels with one to four components, which take 10 ms to 1 s. */
static void offer_kernels(struct gcal_fit_design *design, double *cost_s)
{
    random_state = 713;
    for (size_t i = 0; i < N_CANDIDATES; i++) {
        double shares[N_PARAMETERS] = { 0 }, sum = 0;

        for (size_t k = 0; k <= i % 4; k++)
            shares[(size_t)(uniform() * N_PARAMETERS)] += uniform();
        for (size_t j = 0; j < N_PARAMETERS; j++)
            sum += shares[j];
        for (size_t j = 0; j < N_PARAMETERS; j++)
            shares[j] /= sum;
        cost_s[i] = 0.01 * pow(100, uniform());
        offer(design, shares, NOISE, cost_s[i]);
    }
}

static double worst_error(struct gcal_fit_design *design)
{
    double now[N_PARAMETERS], worst = 0;

    errors(design, now, NULL);
    for (size_t j = 0; j < N_PARAMETERS; j++)
        worst = fmax(worst, now[j]);
    return worst;
}

static void reaches_the_precision_with_less(void **state)
{
    double cost_s[N_CANDIDATES], chosen_s = 0, listed_s = 0;
    struct gcal_fit_design *design = create(N_PARAMETERS);
    size_t n_chosen = 0, n_listed = 0, which;

    (void)state;
    offer_kernels(design, cost_s);
    while (next(design, PRECISION, INFINITY, &which) == GCAL_FIT_DESIGN_NEXT) {
        take(design, which);
        chosen_s += cost_s[which];
        n_chosen++;
    }
    assert_true(worst_error(design) <= PRECISION);
    gcal_fit_design_destroy(design);

    design = create(N_PARAMETERS); /* the same kernels in the order listed */
    offer_kernels(design, cost_s);
    while (worst_error(design) > PRECISION) {
        take(design, n_listed);
        listed_s += cost_s[n_listed++];
    }
    gcal_fit_design_destroy(design);
    if (!(chosen_s < 0.25 * listed_s && n_chosen < n_listed))
        fail_msg("%zu kernels in %g s, as listed %zu in %g s", n_chosen, chosen_s,
                 n_listed, listed_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_at_first),
        cmocka_unit_test(errors_are_those_of_least_squares),
        cmocka_unit_test(shares_are_of_the_time),
        cmocka_unit_test(the_cheaper_of_two_alike_is_next),
        cmocka_unit_test(useless_candidates_are_not_measured),
        cmocka_unit_test(takes_a_candidate_once),
        cmocka_unit_test(refuses_invalid_kernels),
        cmocka_unit_test(reaches_the_precision_with_less),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
