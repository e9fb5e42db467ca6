/* test_split.c - division of work against all possibilities */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/predict/expected.h"
#include "store/predict/split.h"
#include "tests/unit.h"

#define MAX_PARTS 4

/* A device: a start time, a cost per unit, work-groups that run in waves, and the units that
 * its memory holds (0: any number).
 */
struct device {
    double start_s, unit_s, wave_s, wave_units, held_units;
};

struct devices {
    struct device device[MAX_PARTS];
    size_t calls;
};

static double time_of(const struct device *d, double units)
{
    return units == 0 ? 0
                      : d->start_s + d->unit_s * units +
                            (d->wave_s > 0 ? d->wave_s * ceil(units / d->wave_units) : 0);
}

static int device_time(void *context, size_t share, double units, double *time_s,
                       struct gcal_error *err)
{
    struct devices *devices = context;

    assert_true(units > 0);
    devices->calls++;
    if (devices->device[share].held_units > 0 &&
        units > devices->device[share].held_units) {
        gcal_error_set(err, GCAL_EINPUT, "share %zu holds no %g units", share, units);
        return gcal_error_because(err, GCAL_REASON_CANNOT_RUN);
    }
    *time_s = time_of(&devices->device[share], units);
    return 0;
}

static double makespan(const struct devices *devices,
                       const struct gcal_split_share *shares, size_t count)
{
    double longest_s = 0;

    for (size_t i = 0; i < count; i++)
        longest_s = fmax(longest_s, time_of(&devices->device[i], shares[i].units));
    return longest_s;
}

/* ---- against exhaustive search ---- */

struct problem {
    struct devices devices;
    struct gcal_split_share shares[MAX_PARTS];
    size_t count;
    double units, granularity;
};

/* The least makespan over all divisions of 'left' granules over shares from 'i' on, and
 * the rest to any one; INFINITY when the limits allow none.
 */
static double search(struct problem *p, size_t i, double left, double rest)
{
    struct gcal_split_share *share = &p->shares[i];
    double best_s = INFINITY, held;

    if (i == p->count) {
        if (left > 0)
            return INFINITY;
        if (rest == 0)
            return makespan(&p->devices, p->shares, p->count);
        for (size_t j = 0; j < p->count; j++) {
            p->shares[j].units += rest;
            held = p->devices.device[j].held_units;
            if ((p->shares[j].most == 0 || p->shares[j].units <= p->shares[j].most) &&
                (held == 0 || p->shares[j].units <= held))
                best_s = fmin(best_s, makespan(&p->devices, p->shares, p->count));
            p->shares[j].units -= rest;
        }
        return best_s;
    }
    for (double granules = 0; granules <= left; granules++) {
        share->units = granules * p->granularity;
        held = p->devices.device[i].held_units;
        if (share->units >= share->least && (held == 0 || share->units <= held) &&
            (share->most == 0 || share->units <= share->most))
            best_s = fmin(best_s, search(p, i + 1, left - granules, rest));
    }
    return best_s;
}

static double best_makespan(struct problem *p)
{
    double rest = fmod(p->units, p->granularity);

    return search(p, 0, (p->units - rest) / p->granularity, rest);
}

static uint64_t seed = 2385;

static double draw(double most)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return floor((double)(seed >> 33) / 2147483648.0 * (most + 1));
}

static struct problem random_problem(void)
{
    struct problem p = { .count = 1 + (size_t)draw(MAX_PARTS - 1),
                         .units = draw(40),
                         .granularity = 1 + draw(6) };

    for (size_t i = 0; i < p.count; i++) {
        p.devices.device[i] =
            (struct device){ draw(1) * draw(50), draw(9), draw(1) * draw(30), 1 + draw(8),
                             draw(3) == 0 ? 5 + draw(30) : 0 };
        p.shares[i].least = draw(3) == 0 ? draw(12) : 0;
        p.shares[i].most = draw(2) == 0 ? 1 + draw(20) : 0;
    }
    return p;
}

static void check_limits(const struct problem *p)
{
    double sum = 0, with_rest = 0;

    for (size_t i = 0; i < p->count; i++) {
        const struct gcal_split_share *share = &p->shares[i];

        assert_true(share->units >= share->least);
        assert_true(share->most == 0 || share->units <= share->most);
        assert_true(p->devices.device[i].held_units == 0 ||
                    share->units <= p->devices.device[i].held_units);
        with_rest += fmod(share->units, p->granularity) != 0;
        sum += share->units;
    }
    assert_true(sum == p->units);
    assert_true(with_rest <= 1);
}

static void is_as_good_as_the_best_of_all(void **state)
{
    size_t solved = 0, refused = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        struct problem p = random_problem(), all = p;
        double best_s = best_makespan(&all);
        struct gcal_error err = { 0 };

        if (gcal_split(p.shares, p.count, p.units, p.granularity, device_time, &p.devices,
                       &err) < 0) {
            /* Only impossible limits are refused, also those without a multiple. */
            assert_true(isinf(best_s) && err.code == GCAL_EINPUT);
            refused++;
            continue;
        }
        check_limits(&p);
        if (makespan(&p.devices, p.shares, p.count) != best_s)
            fail_msg("problem %d: %g s, and %g s is possible", i,
                     makespan(&p.devices, p.shares, p.count), best_s);
        solved++;
    }
    assert_true(solved > 1000 && refused > 200);
}

/* ---- large work ---- */

static struct problem large_problem(void)
{
    return (struct problem){
        .devices.device = { { 2e-5, 3.17e-9, 0, 1, 0 },
                            { 0, 2.385e-8, 0, 1, 0 },
                            { 1e-3, 7.1e-10, 0, 1, 0 },
                            { 5e-6, 1.13e-7, 0, 1, 0 } },
        .count = 4,
        .units = 123456789,
        .granularity = 64,
    };
}

static void balances_up_to_a_granule(void **state)
{
    struct problem p = large_problem();
    double latest_s, steps;

    (void)state;
    assert_int_equal(gcal_split(p.shares, p.count, p.units, p.granularity, device_time,
                                &p.devices, NULL),
                     0);
    check_limits(&p);
    latest_s = makespan(&p.devices, p.shares, p.count);
    for (size_t i = 0; i < p.count; i++) {
        const struct device *d = &p.devices.device[i];

        assert_true(time_of(d, p.shares[i].units + p.granularity) >= latest_s);
    }
    /* The bound in split.h: the search must not grow with the work. */
    steps = log2(p.units / p.granularity / (double)p.count) + 2;
    assert_true((double)p.devices.calls <= 2.5 * (double)p.count * steps);
}

/* 1000 units take the first device 1 s; the second needs 2 s to start. */
static void excludes_devices_that_start_too_late(void **state)
{
    struct problem p = { .devices.device = { { 0, 1e-3, 0, 1, 0 }, { 2, 1e-6, 0, 1, 0 } },
                         .count = 2,
                         .units = 1000,
                         .granularity = 1 };

    (void)state;
    assert_int_equal(gcal_split(p.shares, 2, p.units, 1, device_time, &p.devices, NULL),
                     0);
    assert_true(p.shares[0].units == 1000 && p.shares[1].units == 0);
    p.units = 4000;
    assert_int_equal(gcal_split(p.shares, 2, p.units, 1, device_time, &p.devices, NULL),
                     0);
    assert_true(p.shares[0].units == 2001 && p.shares[1].units == 1999);
}

/* A device with too high a lower limit leaves the others balanced. */
static void balances_the_others(void **state)
{
    struct problem p = { .devices.device = { { 0, 1, 0, 1, 0 },
                                             { 0, 1e-3, 0, 1, 0 },
                                             { 0, 2e-3, 0, 1, 0 } },
                         .shares = { { .least = 10 } },
                         .count = 3,
                         .units = 1510,
                         .granularity = 1 };

    (void)state;
    assert_int_equal(gcal_split(p.shares, 3, p.units, 1, device_time, &p.devices, NULL),
                     0);
    assert_true(p.shares[0].units == 10 && p.shares[1].units == 1000 &&
                p.shares[2].units == 500);
}

static void gives_less_than_a_granule_to_one(void **state)
{
    struct problem p = { .devices.device = { { 0, 2, 0, 1, 0 }, { 0, 1, 0, 1, 0 } },
                         .shares = { { 0 }, { .most = 3 } },
                         .count = 2 };

    (void)state;
    assert_int_equal(gcal_split(p.shares, 2, 3, 4, device_time, &p.devices, NULL), 0);
    assert_true(p.shares[0].units == 0 && p.shares[1].units == 3);
    assert_int_equal(gcal_split(p.shares, 2, 0, 4, device_time, &p.devices, NULL), 0);
    assert_true(p.shares[0].units == 0 && p.shares[1].units == 0);
    p.shares[1].most = 2;
    assert_int_equal(gcal_split(p.shares, 2, 3, 4, device_time, &p.devices, NULL), 0);
    assert_true(p.shares[0].units == 3 && p.shares[1].units == 0);
}

/* ---- the shortest expected end ---- */

/* As gpucal_split(): first by predicted times, then by their errors. */
static double divide(struct problem *p, const struct gcal_expected_error *errors,
                     size_t n_shifted)
{
    double makespan_s = NAN;

    assert_int_equal(gcal_split(p->shares, p->count, p->units, p->granularity,
                                device_time, &p->devices, NULL),
                     0);
    assert_int_equal(gcal_split_expected(p->shares, errors, p->count, n_shifted, p->units,
                                         p->granularity, device_time, &p->devices,
                                         &makespan_s, NULL),
                     0);
    check_limits(p);
    return makespan_s;
}

static double below(double z)
{
    return 0.5 * erfc(-z * M_SQRT1_2);
}

/* The mean of the larger of two log-normal times (medians and deviations of the logarithms). */
static double mean_of_larger(double a, double a_deviation, double b, double b_deviation)
{
    double d = hypot(a_deviation, b_deviation);

    if (a == 0 || b == 0)
        return a == 0 ? b * exp(b_deviation * b_deviation / 2)
                      : a * exp(a_deviation * a_deviation / 2);
    return a * exp(a_deviation * a_deviation / 2) *
               below((log(a / b) + a_deviation * a_deviation) / d) +
           b * exp(b_deviation * b_deviation / 2) *
               below((log(b / a) + b_deviation * b_deviation) / d);
}

/* Against all divisions: a fast device and others that are slower and more, less or as certain. */
static void two_end_as_early_as_can_be_expected(void **state)
{
    static const double deviations[][2] = {
        { .2, .6 }, { .2, .2 }, { .6, .05 }, { .05, .05 }
    };
    static const double slower[] = { 1, 3, 70 };

    (void)state;
    for (size_t k = 0; k < 12; k++) {
        const double *d = deviations[k % 4];
        struct gcal_expected_error errors[] = { { .deviation = d[0], .group = 0 },
                                                { .deviation = d[1], .group = 1 } };
        struct problem p = { .devices.device = { { 0, 1e-6, 0, 1, 0 },
                                                 { 0, slower[k / 4] * 1e-6, 0, 1, 0 } },
                             .count = 2,
                             .units = 4096,
                             .granularity = 8 };
        double best_s = INFINITY, makespan_s = divide(&p, errors, 2), own_s;

        for (double units = 0; units <= p.units; units += p.granularity)
            best_s = fmin(best_s,
                          mean_of_larger(time_of(&p.devices.device[0], units), d[0],
                                         time_of(&p.devices.device[1], p.units - units),
                                         d[1]));
        own_s = mean_of_larger(time_of(&p.devices.device[0], p.shares[0].units), d[0],
                               time_of(&p.devices.device[1], p.shares[1].units), d[1]);
        if (fabs(makespan_s / own_s - 1) > 2e-3 || own_s > best_s * 1.001)
            fail_msg("%zu: %g and %g units: %g s, by formula %g, best %g", k,
                     p.shares[0].units, p.shares[1].units, makespan_s, own_s, best_s);
    }
}

/* Errors that are common change nothing: all end together. */
static void devices_of_one_fit_end_together(void **state)
{
    const struct gcal_expected_error errors[] = { { .deviation = .5 },
                                                  { .deviation = .5 } };
    struct problem p = { .devices.device = { { 0, 1e-6, 0, 1, 0 }, { 0, 3e-6, 0, 1, 0 } },
                         .count = 2,
                         .units = 4000,
                         .granularity = 1 };

    (void)state;
    assert_float_equal(divide(&p, errors, 1), 3e-3 * exp(.125), 1e-5);
    assert_true(p.shares[0].units == 3000 && p.shares[1].units == 1000);
}

/* By predicted times it would save 4 %, but it may be late by half. */
static void leaves_out_what_is_too_uncertain(void **state)
{
    const struct gcal_expected_error errors[] = { { .deviation = .05, .group = 0 },
                                                  { .deviation = .5, .group = 1 } };
    struct problem p = { .devices.device = { { 0, 1e-6, 0, 1, 0 },
                                             { 9e-4, 2e-6, 0, 1, 0 } },
                         .count = 2,
                         .units = 1000,
                         .granularity = 1 };

    (void)state;
    assert_int_equal(gcal_split(p.shares, 2, p.units, 1, device_time, &p.devices, NULL),
                     0);
    assert_true(p.shares[1].units > 30);
    divide(&p, errors, 2);
    assert_true(p.shares[0].units == 1000 && p.shares[1].units == 0);
    p.shares[1].least = 5; /* the caller decides */
    divide(&p, errors, 2);
    assert_true(p.shares[1].units == 5);
}

#define N_DRAWS 1000

/* The mean over draws of the errors, the same for all divisions. */
static double simulate(const struct problem *p, const struct gcal_expected_error *errors)
{
    double sum = 0;

    srand48(5);
    for (int draw = 0; draw < N_DRAWS; draw++) {
        double normal[MAX_PARTS], last_s = 0;

        for (size_t g = 0; g < MAX_PARTS; g++)
            normal[g] = sqrt(-2 * log(1 - drand48())) * cos(2 * M_PI * drand48());
        for (size_t i = 0; i < p->count; i++) {
            double certain_s = errors[i].start_s + errors[i].unit_s * p->shares[i].units;
            double rest_s =
                time_of(&p->devices.device[i], p->shares[i].units) - certain_s;

            if (p->shares[i].units > 0)
                last_s = fmax(last_s, certain_s + rest_s * exp(errors[i].deviation *
                                                               normal[errors[i].group]));
        }
        sum += last_s / N_DRAWS;
    }
    return sum;
}

/* Four devices of three groups, against all divisions by simulation. */
static void groups_end_as_early_as_can_be_expected(void **state)
{
    const struct gcal_expected_error errors[] = { { 5e-5, 1e-8, .25, 0 },
                                                  { 5e-5, 1e-8, .25, 0 },
                                                  { 1e-5, 0, .1, 1 },
                                                  { 0, 0, .7, 2 } };
    struct problem p = { .devices.device = { { 9e-5, 1.1e-6, 0, 1, 0 },
                                             { 9e-5, 1.2e-6, 0, 1, 0 },
                                             { 2e-5, 4e-6, 0, 1, 0 },
                                             { 0, 9e-6, 0, 1, 0 } },
                         .count = 4,
                         .units = 960,
                         .granularity = 40 };
    double makespan_s = divide(&p, errors, 3), own_s = simulate(&p, errors);
    double best_s = INFINITY;

    (void)state;
    assert_true(fabs(makespan_s / own_s - 1) < 0.02);
    for (double a = 0; a <= 24; a++)
        for (double b = 0; a + b <= 24; b++)
            for (double c = 0; a + b + c <= 24; c++) {
                p.shares[0].units = 40 * a;
                p.shares[1].units = 40 * b;
                p.shares[2].units = 40 * c;
                p.shares[3].units = 960 - 40 * (a + b + c);
                best_s = fmin(best_s, simulate(&p, errors));
            }
    if (own_s > 1.01 * best_s)
        fail_msg("expected end after %g s, and %g s is possible", own_s, best_s);
}

/* ---- refusals ---- */

static int never_ends(void *context, size_t share, double units, double *time_s,
                      struct gcal_error *err)
{
    (void)context;
    (void)share;
    (void)units;
    (void)err;
    *time_s = NAN;
    return 0;
}

static void refuses_invalid_input(void **state)
{
    static const struct {
        double units, granularity, least, most, other_most;
        const char *says;
    } cases[] = {
        { INFINITY, 1, 0, 0, 0, "inf units of work" },
        { NAN, 1, 0, 0, 0, "nan units of work" },
        { -3, 1, 0, 0, 0, "-3 units of work" },
        { 7, 0, 0, 0, 0, "granularity 0" },
        { 7, -1, 0, 0, 0, "granularity -1" },
        { 7, NAN, 0, 0, 0, "granularity nan" },
        { 7, INFINITY, 0, 0, 0, "granularity inf" },
        { 1e300, 1e-9, 0, 0, 0, "too many" },
        { 7, 1, NAN, 0, 0, "share 0: at least nan" },
        { 7, 1, INFINITY, 0, 0, "share 0: at least inf" },
        { 7, 1, 0, -1, 0, "at most -1" },
        { 7, 1, 0, NAN, 0, "at most nan" },
        { 7, 4, 5, 7, 0, "no multiple of the granularity 4" },
        { 7, 1, 5, 3, 0, "no multiple" },
        { 7, 1, 8, 0, 0, "fewer than all shares' least together, 8" },
        { 3, 4, 1, 0, 0, "fewer than all shares' least together, 4" },
        { 7, 1, 0, 3, 3, "more than all shares' most together, 6" },
        { 11, 4, 0, 6, 6, "no share has room for the rest of 3 units" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct devices devices = { .device = { { 0, 1, 0, 1, 0 }, { 0, 1, 0, 1, 0 } } };
        struct gcal_split_share shares[2] = {
            { .least = cases[i].least, .most = cases[i].most },
            { .most = cases[i].other_most },
        };
        struct gcal_error err = { 0 };

        assert_int_equal(gcal_split(shares, 2, cases[i].units, cases[i].granularity,
                                    device_time, &devices, &err),
                         -1);
        if (err.code != GCAL_EINPUT || !strstr(err.text, cases[i].says))
            fail_msg("case %zu: %s", i, err.text);
    }
}

static void says_that_no_device_holds_more(void **state)
{
    struct devices devices = { .device = { { 0, 1, 0, 1, 50 }, { 0, 3, 0, 1, 40 } } };
    struct gcal_split_share shares[2] = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_split(shares, 2, 90, 1, device_time, &devices, &err), 0);
    assert_true(shares[0].units == 50 && shares[1].units == 40);
    shares[0] = shares[1] = (struct gcal_split_share){ 0 };
    assert_int_equal(gcal_split(shares, 2, 91, 1, device_time, &devices, &err), -1);
    assert_int_equal(err.reason, GCAL_REASON_CANNOT_RUN);
    assert_non_null(strstr(err.text, "no device has room for more units: share"));
}

static void refuses_invalid_times(void **state)
{
    struct gcal_split_share shares[2] = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_split(shares, 0, 7, 1, never_ends, NULL, &err), -1);
    assert_non_null(strstr(err.text, "no device"));
    assert_int_equal(gcal_split(shares, 2, 7, 1, never_ends, NULL, &err), -1);
    assert_non_null(strstr(err.text, "take nan s"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_as_good_as_the_best_of_all),
        cmocka_unit_test(balances_up_to_a_granule),
        cmocka_unit_test(excludes_devices_that_start_too_late),
        cmocka_unit_test(balances_the_others),
        cmocka_unit_test(gives_less_than_a_granule_to_one),
        cmocka_unit_test(two_end_as_early_as_can_be_expected),
        cmocka_unit_test(devices_of_one_fit_end_together),
        cmocka_unit_test(leaves_out_what_is_too_uncertain),
        cmocka_unit_test(groups_end_as_early_as_can_be_expected),
        cmocka_unit_test(refuses_invalid_input),
        cmocka_unit_test(says_that_no_device_holds_more),
        cmocka_unit_test(refuses_invalid_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
