/* test_speed.c - changes of a device's speed, found and not made up */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/base/random.h"
#include "fit/speed.h"

enum { N_KERNELS = 60, N_ROUNDS = 4, N = N_KERNELS * N_ROUNDS };

static uint64_t random_state;

static double uniform(void)
{
    return (double)(gcal_random_next(&random_state) >> 11) * 0x1p-53;
}

/* Kernels of 1 us to 30 ms in random order, in rounds; five launches a visit. */
static void make_run(struct gcal_fit_visit *visits, double noise)
{
    size_t order[N_KERNELS];

    random_state = 2611;
    for (size_t k = 0; k < N_KERNELS; k++)
        order[k] = k;
    for (size_t i = 0; i < N; i++) {
        if (i % N_KERNELS == 0)
            gcal_random_shuffle(&random_state, order, N_KERNELS);
        visits[i] = (struct gcal_fit_visit){
            .kernel = order[i % N_KERNELS],
            .order = 5 * i,
            .time_s = 1e-6 * pow(30e3, (double)order[i % N_KERNELS] / N_KERNELS) *
                      (1 + noise * (uniform() + uniform() - 1)),
        };
    }
}

static void slow_down(struct gcal_fit_visit *visits, size_t from, size_t to,
                      double factor, size_t every)
{
    for (size_t i = from; i < to; i++)
        if ((every == 1 || visits[i].kernel % every))
            visits[i].time_s *= factor;
}

static struct gcal_fit_speed find(const struct gcal_fit_visit *visits)
{
    struct gcal_fit_speed speed;

    speed = gcal_fit_find_speed(visits, N);
    return speed;
}

static void expect(const struct gcal_fit_visit *visits, size_t at, double ratio,
                   double margin)
{
    struct gcal_fit_speed speed = find(visits);

    if (!speed.changed)
        fail_msg("a change by %g at visit %zu is not found", ratio, at);
    /* A visit more or less: where no kernel shows it, the point is open. */
    if (llabs((long long)speed.since / 5 - (long long)at) > 2)
        fail_msg("a change by %g at visit %zu is found at %llu", ratio, at,
                 (unsigned long long)speed.since / 5);
    if (fabs(speed.ratio / ratio - 1) > margin)
        fail_msg("a change by %g is found as %g", ratio, speed.ratio);
}

static void a_step_is_found(void **state)
{
    static const double factors[] = { 0.5, 0.9, 1.1, 1.3, 4 };
    struct gcal_fit_visit visits[N];

    (void)state;
    for (size_t f = 0; f < sizeof(factors) / sizeof(*factors); f++)
        for (size_t at = N / 10; at < N; at += N / 10) {
            make_run(visits, 0.004);
            slow_down(visits, at, N, factors[f], 1);
            expect(visits, at, factors[f], 0.02);
        }
}

/* The clock of the chip, not that of the memory. */
static void a_step_of_some_kernels_is_found(void **state)
{
    struct gcal_fit_visit visits[N];

    (void)state;
    make_run(visits, 0.004);
    slow_down(visits, N / 2, N, 1.3, 3);
    expect(visits, N / 2, 1.3, 0.02);
}

/* The last of several changes counts. */
static void the_last_step_counts(void **state)
{
    struct gcal_fit_visit visits[N];

    (void)state;
    make_run(visits, 0.004);
    slow_down(visits, N / 8, N, 1.2, 1);
    slow_down(visits, N / 2, N, 1.4, 1);
    expect(visits, N / 2, 1.4, 0.1);
}

static void nothing_is_made_up(void **state)
{
    struct gcal_fit_visit visits[N];

    (void)state;
    make_run(visits, 0.004);
    assert_false(find(visits).changed);
    make_run(visits, 0.3); /* a busy machine */
    assert_false(find(visits).changed);
    make_run(visits, 0.004);
    for (size_t i = 0; i < N; i++) /* warming up by 4 % */
        visits[i].time_s *= 1 + 0.04 * (double)i / N;
    assert_false(find(visits).changed);
    make_run(visits, 0.004); /* two kernels with two speeds each */
    for (size_t i = N / 2; i < N; i++)
        if (visits[i].kernel < 2)
            visits[i].time_s *= 2;
    assert_false(find(visits).changed);
    make_run(visits, 0.004); /* visits that something else disturbed */
    for (size_t i = 0; i < N; i += 9)
        visits[i].time_s *= 3;
    assert_false(find(visits).changed);
}

/* The last visits are of the kernels with the most noise. */
static void a_few_last_visits_are_no_change(void **state)
{
    struct gcal_fit_visit visits[N];
    struct gcal_fit_speed speed;
    const size_t n = 2 * N_KERNELS + 2;

    (void)state;
    make_run(visits, 0.02);
    for (size_t i = n - 2; i < n; i++) {
        visits[i].kernel = visits[i - N_KERNELS].kernel;
        visits[i].time_s = 1.5 * visits[i - N_KERNELS].time_s;
    }
    speed = gcal_fit_find_speed(visits, n);
    assert_false(speed.changed);
}

/* Of a sixth of the kernels, beside the others the noisiest. */
static struct gcal_fit_speed find_among_last(double ratio)
{
    const size_t n_last = N_KERNELS / 6, n = 2 * N_KERNELS + n_last;
    struct gcal_fit_visit visits[N];
    struct gcal_fit_speed speed;

    make_run(visits, 0.004);
    for (size_t i = n - n_last; i < n; i++) {
        visits[i].kernel = visits[i - N_KERNELS].kernel;
        visits[i].time_s = ratio * visits[i - N_KERNELS].time_s;
    }
    speed = gcal_fit_find_speed(visits, n);
    return speed;
}

static void few_kernels_must_show_a_large_change(void **state)
{
    (void)state;
    assert_false(find_among_last(0.89).changed);
    assert_false(find_among_last(1.12).changed);
    assert_true(find_among_last(1.5).changed);
}

/* With two visits of each kernel, one on each side: a change concerns all alike, a program that
 * comes in mid-run does not.
 */
static void two_visits_are_enough(void **state)
{
    const size_t n = 2 * N_KERNELS, half = N_KERNELS;
    struct gcal_fit_visit visits[N];
    struct gcal_fit_speed speed;

    (void)state;
    make_run(visits, 0.02);
    slow_down(visits, half, n, 1.3, 1);
    speed = gcal_fit_find_speed(visits, n);
    assert_true(speed.changed);
    assert_true(fabs(speed.ratio / 1.3 - 1) < 0.02);
    make_run(visits, 0.02);
    for (size_t i = half; i < n; i++)
        visits[i].time_s *= 1 + 0.6 * uniform();
    speed = gcal_fit_find_speed(visits, n);
    assert_false(speed.changed);
}

/* A record without an order, one visit for each kernel, and no visits. */
static void little_is_known(void **state)
{
    struct gcal_fit_visit visits[N];
    struct gcal_fit_speed speed;

    (void)state;
    make_run(visits, 0.004);
    slow_down(visits, N / 2, N, 2, 1);
    for (size_t i = 0; i < N; i++)
        visits[i].order = 0;
    assert_false(find(visits).changed);
    make_run(visits, 0.004);
    slow_down(visits, N / 2, N, 2, 1);
    for (size_t i = 0; i < N; i++)
        visits[i].kernel = i;
    assert_false(find(visits).changed);
    speed = gcal_fit_find_speed(visits, 0);
    assert_false(speed.changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_found),
        cmocka_unit_test(a_step_of_some_kernels_is_found),
        cmocka_unit_test(the_last_step_counts),
        cmocka_unit_test(nothing_is_made_up),
        cmocka_unit_test(a_few_last_visits_are_no_change),
        cmocka_unit_test(few_kernels_must_show_a_large_change),
        cmocka_unit_test(two_visits_are_enough),
        cmocka_unit_test(little_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
