/* test_device_fit.c - per-device estimates: three devices of a type, one of which
 * deviates */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/fit.h"
#include "tests/fit/bench.h"
#include "tests/unit.h"

#define SUM   LAUNCH " + " LOAD " + " MADD
#define PNORM LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")"

#define N_DEVICES 3
#define N_KERNELS 60

static const double truth[] = { 7.21e-6, 1.13e-12, 2.385e-12 };

/* All devices measure the same kernels; 'changed' times the truth of parameter 'which' on
 * the last of them.
 */
static void measure_three(struct bench *b, const double *costs, size_t which,
                          double changed, double noise)
{
    size_t n = b->model->n_parameters;
    double estimate[8];

    memcpy(estimate, costs, n * sizeof(*estimate));
    for (size_t i = 0; i < b->n_rows; i++) {
        memcpy(feature(b, i, 0), feature(b, i % N_KERNELS, 0),
               b->model->n_features * sizeof(double));
        estimate[which] = costs[which] * (i >= 2 * N_KERNELS ? changed : 1);
        b->time_s[i] = gcal_model_eval(b->model, estimate, feature(b, i, 0), NULL) *
                       (1 + noise * normal(b));
    }
}

/* The rows of one device. */
static struct gcal_fit_rows rows_of(const struct bench *b, size_t device, size_t n_rows)
{
    struct gcal_fit_rows rows = bench_rows(b, NULL);

    rows.features += device * N_KERNELS * rows.n_features;
    rows.time_s += device * N_KERNELS;
    rows.n_rows = n_rows;
    return rows;
}

static void find_estimate(struct bench *b, size_t device, double *estimate,
                          double *estimate_error)
{
    const struct gcal_fit_rows rows = rows_of(b, device, N_KERNELS);
    struct gcal_error err = { 0 };

    if (gcal_fit_device(b->model, &rows, &b->fit, estimate, estimate_error, &err) < 0)
        fail_msg("%s", err.text);
}

static void a_change_of_one_parameter_is_found(void **state)
{
    double estimate[3], estimate_error[3];
    struct bench b;

    (void)state;
    for (size_t which = 0; which < 3; which++) {
        bench_init(&b, SUM, N_DEVICES * N_KERNELS);
        measure_three(&b, truth, which, 1.03, 0.002);
        solve(&b, GCAL_FIT_GOOD);
        for (size_t device = 0; device < N_DEVICES; device++) {
            find_estimate(&b, device, estimate, estimate_error);
            for (size_t j = 0; j < 3; j++) {
                bool changed = device == 2 && j == which;

                assert_true(estimate_error[j] < 0.004 * truth[j]);
                if (fabs(estimate[j] / truth[j] - (changed ? 1.03 : 1)) >
                    4 * estimate_error[j] / truth[j])
                    fail_msg("device %zu, %zu changed: parameter %zu is %g +- %g of its "
                             "truth",
                             device, which, j, estimate[j] / truth[j],
                             estimate_error[j] / truth[j]);
            }
        }
        bench_clear(&b);
    }
}

/* Exact but for the curvature that one step ignores. */
static void exponents_are_estimated_too(void **state)
{
    static const double costs[] = { 7.21e-6, 1.713, 1.13e-12, 2.385e-12 };
    double estimate[4], estimate_error[4];
    struct bench b;

    (void)state;
    bench_init(&b, PNORM, N_DEVICES * N_KERNELS);
    measure_three(&b, costs, 1, 1.03, 0);
    solve(&b, GCAL_FIT_GOOD);
    find_estimate(&b, 2, estimate, estimate_error);
    assert_near(estimate[1], 1.03 * costs[1], 2e-3);
    assert_near(estimate[2], costs[2], 2e-3);
    find_estimate(&b, 0, estimate, estimate_error);
    assert_near(estimate[1], costs[1], 2e-3);
    bench_clear(&b);
}

static void a_single_device_equals_its_type(void **state)
{
    double estimate[3], estimate_error[3];
    struct bench b;

    (void)state;
    bench_init(&b, SUM, N_KERNELS);
    measure(&b, truth, 0.03);
    solve(&b, GCAL_FIT_GOOD);
    find_estimate(&b, 0, estimate, estimate_error);
    for (size_t j = 0; j < 3; j++) {
        assert_near(estimate[j], b.fit.value[j], 1e-5);
        assert_near(estimate_error[j], b.fit.standard_error[j], 1e-3);
    }
    bench_clear(&b);
}

/* A device that measured only launches, one that measured two kernels, and one with two
 * collinear costs.
 */
static void undetermined_parameters_have_no_estimate(void **state)
{
    double estimate[3], estimate_error[3];
    struct gcal_fit_rows rows;
    struct bench b;

    (void)state;
    bench_init(&b, SUM, N_DEVICES * N_KERNELS);
    measure_three(&b, truth, 0, 1, 0.002);
    solve(&b, GCAL_FIT_GOOD);
    for (size_t i = 0; i < N_KERNELS; i++) {
        *feature(&b, i, LOAD_AT) = *feature(&b, i, MADD_AT) = 0;
        *feature(&b, N_KERNELS + i, MADD_AT) = 3 * *feature(&b, N_KERNELS + i, LOAD_AT);
    }
    for (size_t i = 0; i < 2 * N_KERNELS; i++)
        b.time_s[i] = (1 + 0.002 * normal(&b)) *
                      gcal_model_eval(b.model, truth, feature(&b, i, 0), NULL);
    find_estimate(&b, 0, estimate, estimate_error);
    assert_near(estimate[LAUNCH_AT], truth[LAUNCH_AT], 2e-3);
    assert_true(isnan(estimate[LOAD_AT]) && isnan(estimate[MADD_AT]) &&
                isnan(estimate_error[MADD_AT]));
    find_estimate(&b, 1, estimate, estimate_error);
    assert_near(estimate[LAUNCH_AT], truth[LAUNCH_AT], 4e-3);
    assert_true(isnan(estimate[LOAD_AT]) && isnan(estimate[MADD_AT]));
    rows = rows_of(&b, 2, 2);
    assert_int_equal(
        gcal_fit_device(b.model, &rows, &b.fit, estimate, estimate_error, NULL), 0);
    assert_true(isnan(estimate[LAUNCH_AT]) && isnan(estimate[LOAD_AT]) &&
                isnan(estimate[MADD_AT]));
    rows.n_rows = 0;
    assert_int_equal(
        gcal_fit_device(b.model, &rows, &b.fit, estimate, estimate_error, NULL), 0);
    assert_true(isnan(estimate[LAUNCH_AT]));
    bench_clear(&b);
}

static void fixed_parameters_have_no_estimate(void **state)
{
    static const double none[] = { 7.21e-6, 0, 2.385e-12 };
    double estimate[3], estimate_error[3];
    struct bench b;

    (void)state;
    bench_init(&b, SUM, N_DEVICES * N_KERNELS);
    measure_three(&b, truth, MADD_AT, 1, 0.002);
    for (size_t i = 0; i < b.n_rows; i++)
        *feature(&b, i, LOAD_AT) = 3 * *feature(&b, i, MADD_AT);
    measure(&b, truth, 0.002);
    b.merge_collinear = true;
    solve(&b, GCAL_FIT_GOOD);
    assert_int_equal(b.fit.merged_with[MADD_AT], LOAD_AT);
    find_estimate(&b, 1, estimate, estimate_error);
    assert_true(isnan(estimate[LOAD_AT]) && isnan(estimate[MADD_AT]));
    assert_near(estimate[LAUNCH_AT], truth[LAUNCH_AT], 4e-3);
    bench_clear(&b);
    bench_init(&b, SUM, N_DEVICES * N_KERNELS);
    measure_three(&b, none, MADD_AT, 1, 0);
    for (size_t i = 0; i < b.n_rows; i++) /* more loads, less time */
        b.time_s[i] *= 1 - 1e-10 * *feature(&b, i, LOAD_AT) * 1e-1;
    solve(&b, GCAL_FIT_GOOD);
    assert_true(b.fit.at_bound[LOAD_AT]);
    find_estimate(&b, 1, estimate, estimate_error);
    assert_true(isnan(estimate[LOAD_AT]) && isfinite(estimate[MADD_AT]));
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_of_one_parameter_is_found),
        cmocka_unit_test(exponents_are_estimated_too),
        cmocka_unit_test(a_single_device_equals_its_type),
        cmocka_unit_test(undetermined_parameters_have_no_estimate),
        cmocka_unit_test(fixed_parameters_have_no_estimate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
