/* test_shared_error.c - the error that all times of a device share */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernels/base/median.h"
#include "kernels/base/random.h"
#include "fit/shared_error.h"
#include "fit/speed.h"

enum { MAX_VISITS = 4000, MAX_KERNELS = 150, LAUNCHES = 10 };

static uint64_t random_state = 11;

static double uniform(void)
{
    return ((double)(gcal_random_next(&random_state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

/* Of each launch: a state that lasts, an own part, or a jump between two speeds. */
struct noise {
    double state, correlation, own, second_speed;
    size_t every; /* launches at one speed */
};

/* A run: kernels in random order, 'rounds' visits of each.  Returns how far the mean of all times is
 * from the truth, as a logarithm.
 */
static double make_run(struct gcal_fit_visit *visits, size_t n_kernels, size_t rounds,
                       const struct noise *noise)
{
    size_t order[MAX_KERNELS], n = 0;
    double state = normal(), sum = 0;
    uint64_t launch = 0, phase = gcal_random_next(&random_state) % 1000;

    for (size_t k = 0; k < n_kernels; k++)
        order[k] = k;
    for (size_t r = 0; r < rounds; r++) {
        gcal_random_shuffle(&random_state, order, n_kernels);
        for (size_t k = 0; k < n_kernels; k++) {
            double times[LAUNCHES];

            visits[n] = (struct gcal_fit_visit){ .kernel = order[k], .order = launch };
            for (size_t i = 0; i < LAUNCHES; i++, launch++) {
                bool slow = noise->every && (launch + phase) / noise->every % 2;

                state = noise->correlation * state +
                        sqrt(1 - noise->correlation * noise->correlation) * normal();
                times[i] = noise->state * state + noise->own * normal() +
                           (slow ? noise->second_speed : 0);
            }
            visits[n].time_s = gcal_median(times, LAUNCHES);
            sum += visits[n].time_s;
            visits[n].time_s = 1e-3 * exp(visits[n].time_s) * (double)(order[k] + 1);
            n++;
        }
    }
    return sum / (double)n;
}

/* The rms of deviations in units of the error that is found; and the mean of that. */
static double z_of(size_t n_kernels, size_t rounds, const struct noise *noise,
                   double least, double *mean)
{
    static struct gcal_fit_visit visits[MAX_VISITS];
    enum { RUNS = 100 };
    double sum = 0;

    *mean = 0;
    for (int i = 0; i < RUNS; i++) {
        double off = make_run(visits, n_kernels, rounds, noise), error;

        error = gcal_fit_shared_error(visits, n_kernels * rounds);
        *mean += error / RUNS;
        sum += pow(off / hypot(error, least), 2) / RUNS;
    }
    return sqrt(sum);
}

/* Of 320 launches and more, of which a hundred resemble each other. */
static void a_state_that_lasts_is_in_the_error(void **state)
{
    static const struct {
        size_t n_kernels, rounds;
    } runs[] = { { 8, 4 }, { 8, 20 }, { 40, 3 }, { 140, 3 } };
    const struct noise noise = { .state = 0.05, .correlation = 0.99 };

    (void)state;
    for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
        double mean, z = z_of(runs[i].n_kernels, runs[i].rounds, &noise, 0.005, &mean);

        if (!(z < 1.3 && z > 0.4))
            fail_msg("%zu kernels, %zu visits: z %g, error %g", runs[i].n_kernels,
                     runs[i].rounds, z, mean);
    }
}

/* From such a run nobody knows how large the state is in the long run. */
static void a_run_as_short_as_the_state_says_most(void **state)
{
    const struct noise noise = { .state = 0.05, .correlation = 0.99 };
    double mean;

    (void)state;
    assert_true(z_of(8, 2, &noise, 0.005, &mean) < 2);
    assert_true(mean > 0.03);
}

/* Independent noise is in the medians' own errors. */
static void independent_noise_adds_little(void **state)
{
    static const double sizes[] = { 0.003, 0.01, 0.1 };

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        const struct noise noise = { .own = sizes[i] };
        double mean;

        z_of(40, 3, &noise, 0.005, &mean);
        assert_true(mean <= 0.05 * sizes[i] + 1e-9);
    }
}

/* Neither speed is that of the device. */
static void two_speeds_are_in_the_error(void **state)
{
    const struct noise noise = { .own = 0.003, .second_speed = log(1.3), .every = 200 };
    double mean;

    (void)state;
    z_of(8, 10, &noise, 0.005, &mean);
    assert_true(mean > 0.02);
}

static void few_visits_say_nothing(void **state)
{
    struct gcal_fit_visit visits[3] = { { 0, 0, 1 }, { 1, 1, 2 }, { 0, 2, 1.1 } };
    double error;

    (void)state;
    for (size_t n = 0; n <= 3; n++) {
        error = gcal_fit_shared_error(visits, n);
        assert_true(error == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_that_lasts_is_in_the_error),
        cmocka_unit_test(a_run_as_short_as_the_state_says_most),
        cmocka_unit_test(independent_noise_adds_little),
        cmocka_unit_test(two_speeds_are_in_the_error),
        cmocka_unit_test(few_visits_say_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
