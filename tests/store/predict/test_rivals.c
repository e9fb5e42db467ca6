/* test_rivals.c - probabilities of orders against random draws */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/random.h"
#include "store/predict/rivals.h"

#define N       5
#define N_SHARE 3
#define N_DRAWS 200000

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static double uniform(uint64_t *state)
{
    return ((double)(gcal_random_next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    return sqrt(-2 * log(uniform(state))) * cos(2 * M_PI * uniform(state));
}

/* Variants whose costs share three parameters: the gradient of each; a common misfit. */
static const double gradients[N][N_SHARE] = { { 0.97, 0.03, 0.11 },
                                              { 0.81, 0.19, -0.31 },
                                              { 0.13, 0.87, 0.02 },
                                              { 0.5, 0.5, 0.7 },
                                              { 0.02, 0.1, 0.88 } };
static const double log_times[N] = { -4.25, -4.22, -4.31, -4.2, -4.27 };
static const double shares[N_SHARE] = { 0.093, 0.061, 0.172 }; /* standard deviations */
static const double misfit = 0.0713;
static const double misfits[N] = { 0.0713, 0.0713, 0.0713, 0.0713, 0.0713 };
static const double none[700];

static void fill_covariance(double covariance[N * N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;

            for (int k = 0; k < N_SHARE; k++)
                sum += gradients[i][k] * gradients[j][k] * shares[k] * shares[k];
            covariance[i * N + j] = sum;
        }
}

/* The independent variance of each kernel in a pair. */
static void fill_specific(double specific[N][N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double variance = 0;

            for (int k = 0; k < N_SHARE; k++)
                variance += pow((gradients[i][k] - gradients[j][k]) * shares[k], 2);
            specific[i][j] = sqrt(fmax(0, misfit * misfit - variance / 2));
        }
}

static double largest_but(const double *values, int but)
{
    double largest = 0;

    for (int i = 0; i < N; i++)
        largest = i != but ? fmax(largest, values[i]) : largest;
    return largest;
}

/* Draws all errors and counts how often each kernel is first, and first of each pair. */
static void draw_often(size_t first[N], size_t before[N][N])
{
    uint64_t state = 20;
    double specific[N][N];

    fill_specific(specific);
    for (int draw = 0; draw < N_DRAWS; draw++) {
        double known[N], time[N], drawn[N], share[N_SHARE];
        int best = 0;

        for (int k = 0; k < N_SHARE; k++)
            share[k] = shares[k] * normal(&state);
        for (int i = 0; i < N; i++) {
            known[i] = log_times[i];
            drawn[i] = normal(&state);
            for (int k = 0; k < N_SHARE; k++)
                known[i] += gradients[i][k] * share[k];
            time[i] = known[i] + largest_but(specific[i], i) * drawn[i];
        }
        for (int i = 0; i < N; i++) {
            best = time[i] < time[best] ? i : best;
            for (int j = 0; j < N; j++)
                before[i][j] += known[i] + specific[i][j] * drawn[i] <
                                known[j] + specific[i][j] * drawn[j];
        }
        first[best]++;
    }
}

static void probabilities_are_those_of_draws(void **state)
{
    size_t first[N] = { 0 }, before[N][N] = { 0 };
    double covariance[N * N], sum = 0;
    struct gcal_rivals c = {
        .n = N, .log_time = log_times, .covariance = covariance, .misfit = misfits
    };
    const double sure = 4 * 0.5 / sqrt(N_DRAWS);

    (void)state;
    fill_covariance(covariance);
    draw_often(first, before);
    for (size_t i = 0; i < N; i++) {
        double p;

        assert_int_equal(gcal_rivals_fastest(&c, i, &p, NULL), 0);
        assert_near(p, (double)first[i] / N_DRAWS, sure);
        assert_true(p > 0.01 && p < 0.9);
        sum += p;
        for (size_t j = 0; j < N; j++)
            if (i != j)
                assert_near(gcal_rivals_faster(&c, i, j), (double)before[i][j] / N_DRAWS,
                            sure);
    }
    assert_near(sum, 1, 0.002);
}

/* The order of two kernels with the same gradient and no misfit is certain, however
 * uncertain the parameter is.
 */
static void common_errors_do_not_matter(void **state)
{
    const double times[] = { -3, -2.99, -3.5 };
    const double covariance[] = { 0.04, 0.04, 0, 0.04, 0.04, 0, 0, 0, 0.01 };
    struct gcal_rivals c = {
        .n = 3, .log_time = times, .covariance = covariance, .misfit = none
    };
    double p;

    (void)state;
    assert_true(gcal_rivals_faster(&c, 0, 1) == 1);
    assert_true(gcal_rivals_faster(&c, 1, 0) == 0);
    assert_int_equal(gcal_rivals_fastest(&c, 1, &p, NULL), 0);
    assert_true(p == 0);
    /* The first has to beat the third alone, by 0.5 / sqrt(0.05) standard deviations. */
    assert_int_equal(gcal_rivals_fastest(&c, 0, &p, NULL), 0);
    assert_near(p, 0.5 * erfc(0.5 / sqrt(0.05) / sqrt(2)), 1e-3);
}

/* The probability of a lead of 0.1 with this variance. */
static double led_by(double variance)
{
    return 0.5 * erfc(-0.1 / sqrt(2 * variance));
}

/* Kernels that share all parameters, or none: a pair is as certain as two intervals of
 * the larger of misfit and error of parameters; shared parameters have no effect.
 */
static void the_larger_error_counts(void **state)
{
    const double times[] = { -2.1, -2 };
    const double same[] = { 0.04, 0.04, 0.04, 0.04 }, apart[] = { 0.04, 0, 0, 0.04 };
    double misfit_of[2], p;
    struct gcal_rivals c = { .n = 2, .log_time = times, .misfit = misfit_of };

    (void)state;
    for (int i = 0; i < 4; i++) {
        const double larger[] = { 2 * 0.05 * 0.05, 0.08, 2 * 0.3 * 0.3, 2 * 0.3 * 0.3 };

        c.covariance = i % 2 ? apart : same;
        misfit_of[0] = misfit_of[1] = i / 2 ? 0.3 : 0.05;
        assert_near(gcal_rivals_faster(&c, 0, 1), led_by(larger[i]), 1e-12);
        assert_near(gcal_rivals_faster(&c, 1, 0), 1 - led_by(larger[i]), 1e-12);
        /* With two kernels, the fastest is the faster one. */
        assert_int_equal(gcal_rivals_fastest(&c, 0, &p, NULL), 0);
        assert_near(p, led_by(larger[i]), 1e-6);
    }
}

/* Misfits of their own, and the factors of two devices on top. */
static void devices_and_misfits_differ(void **state)
{
    const double times[] = { -2.1, -2 };
    const double misfit_of[] = { sqrt(0.015), sqrt(0.005) };
    const double covariance[] = { 0.001, 0, 0, 0.001 };
    const double device[] = { 0.011, 0, 0, 0.023 }, shared[] = { 0.5, 0.5, 0.5, 0.5 };
    struct gcal_rivals c = { .n = 2,
                             .log_time = times,
                             .covariance = covariance,
                             .misfit = misfit_of,
                             .device = device };
    double p;

    (void)state;
    assert_near(gcal_rivals_faster(&c, 0, 1), led_by(0.02 + 0.034), 1e-12);
    assert_int_equal(gcal_rivals_fastest(&c, 0, &p, NULL), 0);
    assert_near(p, led_by(0.02 + 0.034), 1e-6);
    c.device = shared; /* of one device: it cancels */
    assert_near(gcal_rivals_faster(&c, 0, 1), led_by(0.02), 1e-12);
}

static void one_kernel_is_the_fastest(void **state)
{
    const double time = -2.385, variance = 0.1;
    struct gcal_rivals c = {
        .n = 1, .log_time = &time, .covariance = &variance, .misfit = none
    };
    double p = 0;

    (void)state;
    assert_int_equal(gcal_rivals_fastest(&c, 0, &p, NULL), 0);
    assert_true(p == 1);
}

/* n equal kernels: each is the fastest with probability 1 / n. */
static void equal_kernels_have_equal_chances(void **state)
{
    static double times[40], covariance[40 * 40];
    struct gcal_rivals c = {
        .n = 40, .log_time = times, .covariance = covariance, .misfit = none
    };
    double p;

    (void)state;
    for (size_t i = 0; i < 40; i++)
        covariance[i * 40 + i] = 0.0031;
    assert_int_equal(gcal_rivals_fastest(&c, 17, &p, NULL), 0);
    assert_near(p, 1.0 / 40, 5e-4);
}

/* Of 700 kernels, those without a chance take no time: 3 are equal, the rest far slower.
 */
static void losers_do_not_matter(void **state)
{
    static double times[700], covariance[700 * 700];
    struct gcal_rivals c = {
        .n = 700, .log_time = times, .covariance = covariance, .misfit = none
    };
    double p;

    (void)state;
    for (size_t i = 0; i < 700; i++) {
        times[i] = i % 300 ? -1 - 1.0 / (double)(i + 1) : -3;
        covariance[i * 700 + i] = 0.0031;
    }
    assert_int_equal(gcal_rivals_fastest(&c, 600, &p, NULL), 0);
    assert_near(p, 1.0 / 3, 1e-3);
    assert_int_equal(gcal_rivals_fastest(&c, 1, &p, NULL), 0);
    assert_near(p, 0, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_are_those_of_draws),
        cmocka_unit_test(common_errors_do_not_matter),
        cmocka_unit_test(the_larger_error_counts),
        cmocka_unit_test(devices_and_misfits_differ),
        cmocka_unit_test(one_kernel_is_the_fastest),
        cmocka_unit_test(equal_kernels_have_equal_chances),
        cmocka_unit_test(losers_do_not_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
