/* test_gaussian_process.c - Gaussian processes against closed forms */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "fit/gaussian_process.h"

/* Five points in two groups of one coordinate. */
static const double coordinates[] = { 0, 0, 1, 0, 0, 2, 1e6, 0, -1e6, 0 };
static const size_t group[] = { 0, 1 };
static const struct gcal_fit_points points = {
    .n = 5, .n_coordinates = 2, .coordinates = coordinates, .group = group, .n_groups = 2
};
static const struct gcal_fit_process_prior prior = {
    .common = 0.5, .amplitude = 2, .amplitude_spread = 0.7, .length_spread = 1
};

#define COMMON (0.5 * 0.5)
#define WHOLE  (2.0 * 2.0)

static struct gcal_fit_process *create(void)
{
    struct gcal_fit_process *p = gcal_fit_process_create(&points, &prior, NULL);

    assert_non_null(p);
    return p;
}

static void observe(struct gcal_fit_process *p, size_t point, double value, double noise)
{
    assert_int_equal(gcal_fit_process_observe(p, point, value, noise, NULL), 0);
}

static void predict(struct gcal_fit_process *p, size_t point, double *mean,
                    double *deviation)
{
    assert_int_equal(gcal_fit_process_predict(p, 1, &point, mean, deviation, NULL), 0);
}

static void has_the_prior_where_nothing_is_known(void **state)
{
    struct gcal_fit_process *p = create();
    double mean, deviation;

    (void)state;
    predict(p, 2, &mean, &deviation);
    assert_float_equal(mean, 0, 1e-12);
    assert_float_equal(deviation, sqrt(COMMON + WHOLE), 1e-9);
    gcal_fit_process_destroy(p);
}

static void follows_one_observation(void **state)
{
    struct gcal_fit_process *p = create();
    double mean, deviation, k = COMMON + WHOLE * exp(-1), v = COMMON + WHOLE + 0.09;

    (void)state;
    observe(p, 0, 7, 1); /* replaced */
    observe(p, 0, 3, 0.3);
    predict(p, 1, &mean, &deviation);
    assert_float_equal(mean, 3 * k / v, 1e-6);
    assert_float_equal(deviation, sqrt(COMMON + WHOLE - k * k / v), 1e-6);
    assert_float_equal(gcal_fit_process_log_likelihood(p),
                       -0.5 * (9 / v + log(v) + log(2 * M_PI)), 1e-6);
    gcal_fit_process_forget(p, 0);
    assert_int_equal(gcal_fit_process_count(p), 0);
    predict(p, 1, &mean, &deviation);
    assert_float_equal(mean, 0, 1e-12);
    gcal_fit_process_destroy(p);
}

/* By Cramer's rule. */
static void follows_two_observations(void **state)
{
    struct gcal_fit_process *p = create();
    double a = COMMON + WHOLE + 0.01, b = COMMON + WHOLE * exp(-1);
    double k0 = COMMON + WHOLE * exp(-2), k1 = COMMON + WHOLE * exp(-sqrt(5));
    double det = a * a - b * b, mean, deviation;

    (void)state;
    observe(p, 0, 1, 0.1);
    observe(p, 1, -2, 0.1);
    predict(p, 2, &mean, &deviation);
    assert_float_equal(mean, (k0 * (a * 1 - b * -2) + k1 * (a * -2 - b * 1)) / det, 1e-6);
    assert_float_equal(
        deviation,
        sqrt(COMMON + WHOLE - (a * k0 * k0 - 2 * b * k0 * k1 + a * k1 * k1) / det), 1e-6);
    assert_float_equal(
        gcal_fit_process_log_likelihood(p),
        -0.5 * ((a * 1 + a * 4 - 2 * b * 1 * -2) / det + log(det)) - log(2 * M_PI), 1e-6);
    gcal_fit_process_destroy(p);
}

/* Points that share nothing but 'common', which is known after many observations. */
static void finds_the_chance_of_any(void **state)
{
    static const struct gcal_fit_process_prior apart = { 1e-9, 1, 1, 1 };
    static const size_t some[] = { 0, 3, 4 };
    static const double offset[] = { 1, 1.5, 2 };
    struct gcal_fit_process *p = gcal_fit_process_create(&points, &apart, NULL);
    double chance, none = 1;

    (void)state;
    assert_int_equal(
        gcal_fit_process_any_below(p, 3, some, offset, 0, 20000, &chance, NULL), 0);
    for (int i = 0; i < 3; i++)
        none *= 1 - gcal_fit_probability_below(offset[i], 1, 0);
    assert_float_equal(chance, 1 - none, 0.01);
    /* Two that are the same point have the chance of one. */
    assert_int_equal(gcal_fit_process_any_below(p, 2, (size_t[]){ 0, 0 }, offset, 0,
                                                20000, &chance, NULL),
                     0);
    assert_float_equal(chance, gcal_fit_probability_below(1, 1, 0), 0.01);
    assert_int_equal(gcal_fit_process_any_below(p, 0, NULL, NULL, 0, 100, &chance, NULL),
                     0);
    assert_float_equal(chance, 0, 0);
    gcal_fit_process_destroy(p);
}

/* On a grid, a function of the first coordinate alone. */
static void learns_which_coordinates_matter(void **state)
{
    enum { N = 6 };
    double grid[N * N * 3];
    const size_t groups[] = { 0, 1, 2 };
    const struct gcal_fit_points on_grid = { N * N, 3, grid, groups, 3 };
    struct gcal_fit_process *p;

    (void)state;
    for (size_t i = 0; i < N * N; i++) {
        grid[3 * i] = (double)(i / N) / 2.5;
        grid[3 * i + 1] = (double)(i % N) / 2.5;
        grid[3 * i + 2] = 1; /* never differs */
    }
    p = gcal_fit_process_create(&on_grid, &prior, NULL);
    for (size_t i = 0; i < N * N; i += 2)
        observe(p, i, (i / N) % 2 ? 1.5 : -1.5, 0.05);
    assert_int_equal(gcal_fit_process_learn(p, NULL), 0);
    assert_int_equal(gcal_fit_process_learn(p, NULL), 0);
    assert_true(gcal_fit_process_length(p, 0) < 1.01);
    assert_true(gcal_fit_process_length(p, 1) > 7);
    assert_float_equal(gcal_fit_process_length(p, 2), 1, 1e-9);
    gcal_fit_process_destroy(p);
}

static void learns_the_amplitude(void **state)
{
    struct gcal_fit_process *p = create();

    (void)state;
    observe(p, 0, 0.1, 0.01);
    observe(p, 3, -0.1, 0.01);
    observe(p, 4, 0.1, 0.01);
    assert_int_equal(gcal_fit_process_learn(p, NULL), 0);
    assert_true(gcal_fit_process_amplitude(p) < 1);
    gcal_fit_process_destroy(p);
}

static void knows_one_normal_value(void **state)
{
    (void)state;
    assert_float_equal(gcal_fit_expected_below(0, 1, 0), 1 / sqrt(2 * M_PI), 1e-12);
    assert_float_equal(gcal_fit_expected_below(1, 2, 1), 2 / sqrt(2 * M_PI), 1e-12);
    assert_float_equal(gcal_fit_expected_below(3, 0, 5), 2, 0);
    assert_float_equal(gcal_fit_expected_below(5, 0, 3), 0, 0);
    assert_float_equal(gcal_fit_probability_below(0, 1, -1.959964), 0.025, 1e-6);
    assert_float_equal(gcal_fit_probability_below(1, 0, 2), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_prior_where_nothing_is_known),
        cmocka_unit_test(follows_one_observation),
        cmocka_unit_test(follows_two_observations),
        cmocka_unit_test(finds_the_chance_of_any),
        cmocka_unit_test(learns_which_coordinates_matter),
        cmocka_unit_test(learns_the_amplitude),
        cmocka_unit_test(knows_one_normal_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
