/* test_change.c - sequential detection of changes */
#include <math.h>
#include <stdio.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "fit/change.h"
#include "tests/unit.h"

enum { RUNS = 40 };

/* Not a round number, so that a missing factor shows. */
#define SCALE 0.0071

static const struct gcal_fit_change_policy policy = {
    .floor = 0, .threshold = 3.5, .confirm = 2, .of = 3
};

/* Normal noise around 'level' from run 'from' on. */
static void noise(gsl_rng *r, double level, size_t from, size_t to, double *x)
{
    for (size_t i = from; i < to; i++)
        x[i] = level + gsl_ran_gaussian(r, SCALE);
}

static struct gcal_fit_change test(const double *x, size_t n)
{
    struct gcal_fit_change change;

    gcal_fit_change_test(x, n, SCALE, &policy, &change);
    return change;
}

static void finds_a_change_within_three_runs(void **state)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    double x[RUNS];
    int found = 0, in_time = 0, inside = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        struct gcal_fit_change c;

        noise(r, -27.3, 0, 10, x);
        noise(r, -27.3 + 6 * SCALE, 10, 13, x);
        c = test(x, 13);
        found += c.state == GCAL_FIT_CHANGE_CONFIRMED && c.level > c.reference;
        in_time += c.since == 10;
        inside += fabs(c.level - c.reference - 6 * SCALE) < c.half_width;
    }
    assert_true(found > 980);
    assert_true(in_time > 930);
    assert_true(inside > 850 && inside < 970); /* 90 % */
    gsl_rng_free(r);
}

static void a_change_down_is_found_too(void **state)
{
    double x[] = { 1.003, 0.998, 1.001, 0.999, 1, 0.93, 0.931, 0.929 };
    struct gcal_fit_change c = test(x, 8);

    (void)state;
    assert_int_equal(c.state, GCAL_FIT_CHANGE_CONFIRMED);
    assert_int_equal(c.since, 5);
    assert_true(fabs(c.reference - 1) < 1e-12);
    assert_true(fabs(c.level - 0.93) < 1e-12);
    assert_true(c.chance < 1e-6);
    c = test(x, 6); /* a single run, however far off, is only suspected */
    assert_int_equal(c.state, GCAL_FIT_CHANGE_SUSPECTED);
    assert_int_equal(c.since, 5);
}

/* At any position, also among the first runs, which are the reference. */
static void an_outlier_is_not_a_change(void **state)
{
    static const double wild[] = { 6, -6, 0.1, -0.1 };
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    double x[RUNS];

    (void)state;
    for (size_t k = 0; k < sizeof(wild) / sizeof(*wild); k++)
        for (size_t at = 0; at < 12; at++)
            for (size_t n = 4; n <= 12; n++) {
                noise(r, 2.385, 0, 12, x);
                x[at] += wild[k];
                if (test(x, n).state == GCAL_FIT_CHANGE_CONFIRMED)
                    fail_msg("%g at run %zu of %zu", wild[k], at, n);
            }
    gsl_rng_free(r);
}

static void a_reverted_change_passes(void **state)
{
    double x[] = { 0, 0.001, -0.001, 0, 0.05, 0.051, 0.049, 0.05, 0, 0.001, -0.001, 0 };
    struct gcal_fit_change c = test(x, 8);

    (void)state;
    assert_int_equal(c.state, GCAL_FIT_CHANGE_CONFIRMED);
    assert_int_equal(c.since, 4);
    assert_int_equal(test(x, 9).state, GCAL_FIT_CHANGE_CONFIRMED); /* not yet */
    c = test(x, 12);
    assert_int_equal(c.state, GCAL_FIT_CHANGE_NONE);
    assert_int_equal(c.since, 12);
}

/* A change in two steps began with the first. */
static void steps_add_up(void **state)
{
    double x[] = { 0,     0.001, -0.001, 0.001, 0.05,  0.051, 0.049,
                   0.051, 0.05,  0.1,    0.101, 0.099, 0.1 };
    struct gcal_fit_change c = test(x, 13);

    (void)state;
    assert_int_equal(c.state, GCAL_FIT_CHANGE_CONFIRMED);
    assert_int_equal(c.since, 4);
    assert_true(fabs(c.level - c.reference - 0.0995) < 1e-3);
}

static void slow_drift_is_found(void **state)
{
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    double x[RUNS];
    int found = 0;

    (void)state;
    for (int k = 0; k < 200; k++) {
        noise(r, 0, 0, RUNS, x);
        for (size_t i = 0; i < RUNS; i++)
            x[i] += 0.25 * SCALE * (double)i;
        found += test(x, RUNS).state == GCAL_FIT_CHANGE_CONFIRMED;
    }
    assert_true(found > 190);
    gsl_rng_free(r);
}

static void runs_without_a_value_are_skipped(void **state)
{
    double x[] = { NAN, 1, 1.001, NAN, 0.999, 1, NAN, 1.05, 1.05, NAN, 1.05, NAN };
    struct gcal_fit_change c = test(x, 12);

    (void)state;
    assert_int_equal(c.state, GCAL_FIT_CHANGE_CONFIRMED);
    assert_int_equal(c.since, 7);
    assert_int_equal(test(x, 5).state, GCAL_FIT_CHANGE_UNTESTED);
    assert_int_equal(test(x, 0).state, GCAL_FIT_CHANGE_UNTESTED);
    assert_true(isnan(test(x, 1).level));
    gcal_fit_change_test(x, 12, NAN, &policy, &c);
    assert_int_equal(c.state, GCAL_FIT_CHANGE_UNTESTED);
    assert_true(fabs(c.reference - 1.001) < 1e-9);
}

/* Changes too small to matter are ignored, however significant. */
static void a_floor_keeps_small_changes_out(void **state)
{
    double x[] = { 1, 1.0001, 0.9999, 1, 1.001, 1.0011, 1.0009, 1.001 };
    struct gcal_fit_change_policy floored = policy;
    struct gcal_fit_change c;

    (void)state;
    gcal_fit_change_test(x, 8, 1e-4, &policy, &c);
    assert_int_equal(c.state, GCAL_FIT_CHANGE_CONFIRMED);
    floored.floor = 1e-3;
    gcal_fit_change_test(x, 8, 1e-4, &floored, &c);
    assert_int_equal(c.state, GCAL_FIT_CHANGE_NONE);
}

/* In unchanged series with normal noise, the rates of suspected runs and of false
 * verdicts stay below twice the threshold's, as its formula is not exact.
 */
static void thresholds_keep_what_they_promise(void **state)
{
    static const double chances[] = { 1e-2, 1e-3 };
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    struct gcal_fit_change_policy p = policy;
    double x[RUNS];

    (void)state;
    for (size_t k = 0; k < 2; k++) {
        size_t suspected = 0, confirmed = 0, n = 20000;

        p.threshold = gcal_fit_change_threshold(chances[k]);
        for (size_t i = 0; i < n; i++) {
            struct gcal_fit_change c;

            noise(r, 7.13, 0, RUNS, x);
            gcal_fit_change_test(x, 4 + i % (RUNS - 3), SCALE, &p, &c);
            suspected += c.state == GCAL_FIT_CHANGE_SUSPECTED;
            confirmed += c.state == GCAL_FIT_CHANGE_CONFIRMED;
        }
        assert_in_range(suspected, 1, (size_t)(2 * chances[k] * (double)n));
        assert_in_range(confirmed, 1, (size_t)(2 * chances[k] * (double)n));
    }
    assert_true(gcal_fit_change_threshold(1e-6) > gcal_fit_change_threshold(1e-5) + 0.5);
    gsl_rng_free(r);
}

static void repeatability_is_an_upper_bound(void **state)
{
    static const size_t counts[] = { 2, 7, 28, 300 };
    static const double widest[] = { 100, 5, 2.1, 1.4 }; /* on average, over the truth */
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    double d[300];

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        double sum = 0;
        size_t above = 0;

        for (int i = 0; i < 1000; i++) {
            double scale, last = gsl_ran_gaussian(r, SCALE);

            for (size_t j = 0; j < counts[k]; j++) {
                double x = gsl_ran_gaussian(r, SCALE);

                d[j] = x - last;
                last = x;
            }
            scale = gcal_fit_change_repeatability(d, counts[k], NAN);
            sum += scale / 1000;
            above += scale > SCALE;
        }
        if (above < 850 || sum > widest[k] * SCALE)
            fail_msg("%zu differences: %zu above, mean %g", counts[k], above,
                     sum / SCALE);
    }
    gsl_rng_free(r);
}

/* An outlier makes two large differences, a change one. */
static void repeatability_withstands_a_change(void **state)
{
    enum { N = 40 };
    gsl_rng *r = gsl_rng_alloc(gsl_rng_taus2);
    double d[N], clean, changed;

    (void)state;
    for (size_t i = 0; i < N; i++)
        d[i] = gsl_ran_gaussian(r, M_SQRT2 * SCALE);
    clean = gcal_fit_change_repeatability(d, N, NAN);
    d[3] = 0.1;
    d[4] = 6;
    d[5] = -6;
    changed = gcal_fit_change_repeatability(d, N, NAN);
    if (changed > 3 * clean)
        fail_msg("%g became %g", clean, changed);
    gsl_rng_free(r);
}

/* With few calibrations the fit's standard error limits the estimate. */
static void standard_errors_are_a_prior(void **state)
{
    double d[] = { 0.001, -0.0013 }, large[] = { 0.31, -0.28 }, many[60];

    (void)state;
    assert_true(gcal_fit_change_repeatability(d, 0, 0.03) == 0.03);
    assert_true(isnan(gcal_fit_change_repeatability(d, 0, NAN)));
    assert_true(gcal_fit_change_repeatability(d, 2, 0.005) == 0.005);
    assert_true(gcal_fit_change_repeatability(d, 2, 0.03) == 0.03);
    /* It takes many differences to prove a much smaller scale. */
    for (size_t i = 0; i < 60; i++)
        many[i] = i % 2 ? 1e-4 : -1e-4;
    assert_true(gcal_fit_change_repeatability(many, 9, 0.03) > 0.007);
    assert_true(gcal_fit_change_repeatability(many, 60, 0.03) < 0.0015);
    /* Larger differences override the standard error. */
    assert_true(fabs(gcal_fit_change_repeatability(large, 2, 0.005) - 0.3) < 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_change_within_three_runs),
        cmocka_unit_test(a_change_down_is_found_too),
        cmocka_unit_test(an_outlier_is_not_a_change),
        cmocka_unit_test(a_reverted_change_passes),
        cmocka_unit_test(steps_add_up),
        cmocka_unit_test(slow_drift_is_found),
        cmocka_unit_test(runs_without_a_value_are_skipped),
        cmocka_unit_test(a_floor_keeps_small_changes_out),
        cmocka_unit_test(thresholds_keep_what_they_promise),
        cmocka_unit_test(repeatability_is_an_upper_bound),
        cmocka_unit_test(repeatability_withstands_a_change),
        cmocka_unit_test(standard_errors_are_a_prior),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
