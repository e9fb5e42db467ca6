/* test_outliers.c - devices that deviate from most of their type */
#include <math.h>
#include <string.h>

#include "kernels/base/random.h"
#include "fit/fit.h"
#include "tests/unit.h"

#define N_KERNELS    24
#define N_GENERATORS 6
#define MOST_DEVICES 100

/* The first 'n_slow' devices take 'factor' times as long: for all kernels, or, if 'alone',
 * for those of one generator.
 */
struct fleet {
    size_t n, n_slow;
    double factor;
    bool alone;
    double between; /* standard deviation of the devices' speeds */
    const double *error;
};

static uint64_t random_state;

static double uniform(void)
{
    return ((double)(gcal_random_next(&random_state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double radius = sqrt(-2 * log(uniform()));

    return radius * cos(6.283185307179586 * uniform());
}

static void find(const struct fleet *f, struct gcal_fit_outlier *found)
{
    static double time_s[N_KERNELS * MOST_DEVICES], spread[N_KERNELS * MOST_DEVICES];
    size_t group[N_KERNELS];
    const struct gcal_fit_devices d = {
        f->n, N_KERNELS, time_s, spread, group, f->error
    };

    random_state = 713;
    for (size_t k = 0; k < N_KERNELS; k++)
        group[k] = k % N_GENERATORS;
    for (size_t i = 0; i < f->n; i++) {
        double speed = f->between * normal();

        for (size_t k = 0; k < N_KERNELS; k++) {
            bool slow = i < f->n_slow && (!f->alone || group[k] == 3);

            time_s[k * f->n + i] = 1e-6 * pow(1.8, (double)k) *
                                   exp(speed + 0.003 * normal()) * (slow ? f->factor : 1);
            spread[k * f->n + i] = 0.003;
        }
    }
    gcal_fit_find_outliers(&d, found);
}

static size_t count(const struct fleet *f, const struct gcal_fit_outlier *found)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n; i++)
        n += found[i].is_outlier;
    return n;
}

static void check(struct fleet f)
{
    struct gcal_fit_outlier found[MOST_DEVICES];

    find(&f, found);
    for (size_t i = 0; i < f.n; i++)
        if (found[i].is_outlier != (i < f.n_slow))
            fail_msg("%zu of %zu, %g%s: device %zu", f.n_slow, f.n, f.factor,
                     f.alone ? " alone" : "", i);
    for (size_t i = 0; i < f.n_slow; i++) {
        if (!(fabs(found[i].worst_ratio / f.factor - 1) < 0.03))
            fail_msg("%g: %g", f.factor, found[i].worst_ratio);
        if (f.alone)
            assert_int_equal(found[i].worst, 3);
        assert_true(fabs(found[i].ratio / (f.alone ? 1 : f.factor) - 1) < 0.03);
    }
}

static void fewer_than_half_are_found(void **state)
{
    static const struct {
        size_t n_slow, n;
    } fleets[] = { { 1, 3 },  { 1, 4 },  { 1, 5 },   { 2, 5 },   { 3, 8 },
                   { 4, 10 }, { 9, 20 }, { 1, 100 }, { 30, 100 } };
    static const double factors[] = { 0.5, 0.7, 0.8, 1.25, 1.3, 2, 4, 10 };

    (void)state;
    for (size_t k = 0; k < sizeof(fleets) / sizeof(*fleets); k++)
        for (size_t i = 0; i < sizeof(factors) / sizeof(*factors); i++)
            for (int alone = 0; alone < 2; alone++)
                check((struct fleet){ fleets[k].n, fleets[k].n_slow, factors[i], alone,
                                      0.005, NULL });
}

static void devices_of_a_type_may_differ(void **state)
{
    struct gcal_fit_outlier found[MOST_DEVICES];

    (void)state;
    for (size_t n = 1; n <= MOST_DEVICES; n++) {
        struct fleet f = { n, 0, 1, false, 0.01, NULL };

        find(&f, found);
        assert_int_equal(count(&f, found), 0);
    }
}

/* Of two the slower, whichever it is, if it is far slower; else nobody knows which one is wrong. */
static void two_devices(void **state)
{
    struct gcal_fit_outlier found[MOST_DEVICES];

    (void)state;
    for (int alone = 0; alone < 2; alone++) {
        struct fleet f = { 2, 1, 2, alone, 0.005, NULL };

        check(f);
        f.factor = 1 / f.factor;
        find(&f, found);
        assert_true(!found[0].is_outlier && found[1].is_outlier);
        for (f.factor = 1.05; f.factor < 1.7; f.factor += 0.05) {
            find(&f, found);
            assert_int_equal(count(&f, found), 0);
        }
    }
}

/* A device whose times may be off by as much is as it should be. */
static void nobody_is_within_the_errors(void **state)
{
    static const double error[] = { 0.1, 0, 0, 0, 0 };
    struct gcal_fit_outlier found[MOST_DEVICES];
    struct fleet f = { 5, 1, 1.3, false, 0.005, NULL };

    (void)state;
    find(&f, found);
    assert_int_equal(count(&f, found), 1);
    f.error = error;
    find(&f, found);
    assert_int_equal(count(&f, found), 0);
    f.factor = 1.7;
    find(&f, found);
    assert_int_equal(count(&f, found), 1);
}

static void without_a_majority_nobody_is(void **state)
{
    struct gcal_fit_outlier found[MOST_DEVICES];
    struct fleet f = { 4, 2, 3, false, 0.005, NULL };

    (void)state;
    find(&f, found);
    assert_int_equal(count(&f, found), 0);
}

/* One kernel that was disturbed, and kernels that few have measured. */
static void single_rows_tell_nothing(void **state)
{
    double time_s[12 * 3], spread[12 * 3] = { 0 };
    size_t group[12];
    struct gcal_fit_outlier found[3];
    const struct gcal_fit_devices d = { 3, 12, time_s, spread, group, NULL };

    (void)state;
    for (size_t k = 0; k < 12; k++) {
        group[k] = k / 4 * 4;
        for (size_t i = 0; i < 3; i++)
            time_s[k * 3 + i] = 1e-3 * (1 + 0.001 * (double)((k + i) % 3));
    }
    time_s[7] *= 5;
    time_s[11 * 3] = time_s[11 * 3 + 1] = NAN;
    gcal_fit_find_outliers(&d, found);
    for (size_t i = 0; i < 3; i++)
        assert_false(found[i].is_outlier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fewer_than_half_are_found),
        cmocka_unit_test(devices_of_a_type_may_differ),
        cmocka_unit_test(two_devices),
        cmocka_unit_test(nobody_is_within_the_errors),
        cmocka_unit_test(without_a_majority_nobody_is),
        cmocka_unit_test(single_rows_tell_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
