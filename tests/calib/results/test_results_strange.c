/* test_results_strange.c - devices that are strange in ways of their own harm no other */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "calib/results/results.h"
#include "store/record/record.h"
#include "tests/calib/results/synthetic.h"
#include "tests/folder.h"

/* The last 'n_odd' of 'n' devices are strange: 'odd'.  Speeds differ by up to 10 %. */
static struct fleet {
    size_t n, n_odd;
    double factor;
    double (*odd)(const struct kernel *k, double time_s);
} fleet;

static bool is_odd(size_t device)
{
    return device >= fleet.n - fleet.n_odd;
}

static double speed(size_t device)
{
    return 1 + 0.05 * ((double)(device * 7 % 5) - 2);
}

static double time_of(size_t device, const struct kernel *k, double time_s)
{
    time_s *= speed(device);
    return is_odd(device) ? fleet.odd(k, time_s) : time_s;
}

/* ---- what is strange ---- */

static double of_one_kernel(const struct kernel *k, double time_s)
{
    return strcmp(k->generator, "adds") == 0 && k->adds < 5e6 ? fleet.factor * time_s
                                                              : NAN;
}

static double of_adds_alone(const struct kernel *k, double time_s)
{
    return strcmp(k->generator, "adds") == 0 ? time_s : NAN;
}

static double slow_when_small(const struct kernel *k, double time_s)
{
    return k->adds + k->muls < 1e7 ? fleet.factor * time_s : time_s;
}

static double slow_when_large(const struct kernel *k, double time_s)
{
    return k->adds + k->muls > 1e8 ? fleet.factor * time_s : time_s;
}

/* One cost is larger, the other as much smaller. */
static double unbalanced(const struct kernel *k, double time_s)
{
    double adds = true_add_s * k->adds, muls = true_mul_s * k->muls;

    return time_s * (fleet.factor * adds + muls / fleet.factor + true_launch_s) /
           (adds + muls + true_launch_s);
}

/* Each device lacks a tenth of the kernels, and all lack others. */
static double of_some_kernels(size_t device, const struct kernel *k, double time_s)
{
    unsigned hash = (unsigned)(device * 2654435761U + (unsigned)(k->adds / 713)) ^
                    (unsigned)(k->muls / 97);

    hash *= 2246822519U;
    hash ^= hash >> 15;
    return hash % 10 == 0 ? NAN : time_s * speed(device);
}

/* ---- fits ---- */

struct fitted {
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results;
};

static struct fitted fit_all(double (*times)(size_t, const struct kernel *, double),
                             const uint64_t *sub_groups)
{
    struct fitted f = { .config = one_form() };
    struct maker m = make_start_with_sub_groups(fleet.n, NULL, sub_groups);
    struct gcal_error err = { 0 };

    m.strange = times;
    put_microbenchmarks(&m, add_up);
    f.record = make_end(&m);
    if (gcal_results_fit(f.record, &f.config, &f.results, &err) < 0)
        fail_msg("%s", err.text);
    return f;
}

/* Of a device's predictions of mixtures; NaN without a factor. */
static double error_of(const struct fitted *f, const struct gcal_result_type_fit *t,
                       size_t place)
{
    const struct gcal_result_form_fit *form = &t->forms[t->best];
    const struct gcal_model *model = f->config.models->forms[t->best].model;
    double worst = 0;

    for (int mix = 1; mix < 9; mix++) {
        double adds = 3e7 * (mix % 3), muls = 3e7 * (mix / 3), features[3];
        double truth = speed(t->device[place]) * add_up(adds, muls);

        for (size_t k = 0; k < model->n_features; k++)
            features[k] = strstr(model->features[k], "_add")   ? adds
                          : strstr(model->features[k], "_mul") ? muls
                                                               : 1;
        worst =
            fmax(worst, fabs(t->factor[place] *
                                 gcal_model_eval(model, form->fit.value, features, NULL) /
                                 truth -
                             1));
    }
    return isfinite(t->factor[place]) ? worst : NAN;
}

/* The healthy are predicted to 1 %, in intervals as narrow as without the others. */
static void check_healthy(const struct fitted *f)
{
    const struct gcal_result_type_fit *t = f->results.fits;
    size_t n = 0;

    assert_true(t->good && !t->is_outlier);
    if (!(t->forms[t->best].held_out.error_90 < 0.002))
        fail_msg("%g: errors of %.3g", fleet.factor, t->forms[t->best].held_out.error_90);
    for (size_t k = 0; k < t->n_devices; k++) {
        if (is_odd(t->device[k]))
            continue;
        n++;
        if (!(error_of(f, t, k) < 0.01) || !(t->factor_error[k] < 0.002))
            fail_msg("%g: device %zu is %.2g %% off", fleet.factor, t->device[k],
                     100 * error_of(f, t, k));
    }
    assert_int_equal(n, fleet.n - fleet.n_odd);
}

static size_t count_named(const struct fitted *f, const char *text)
{
    size_t n = 0;

    for (size_t i = 0; i < f->results.n_outliers; i++) {
        assert_true(is_odd(f->results.outliers[i].device));
        n += strstr(f->results.outliers[i].text, text) != NULL;
    }
    return n;
}

static void check(size_t n, size_t n_odd, double factor,
                  double (*odd)(const struct kernel *, double), bool named)
{
    struct fitted f;

    fleet = (struct fleet){ n, n_odd, factor, odd };
    f = fit_all(time_of, NULL);
    check_healthy(&f);
    if (count_named(&f, "is an outlier") != (named ? n_odd : 0))
        fail_msg("%zu of %zu, %g: %zu named", n_odd, n, factor, f.results.n_outliers);
    finish(&f.results, &f.config, f.record);
}

/* ---- the tests ---- */

static void a_device_with_one_kernel_is_not_measured(void **state)
{
    struct gcal_result_unmeasured *unmeasured;
    struct fitted f;
    size_t n;

    (void)state;
    for (int i = 0; i < 2; i++) {
        fleet = (struct fleet){ 3 + 2 * (size_t)i, 1, i ? 1 : 2, of_one_kernel };
        f = fit_all(time_of, NULL);
        check_healthy(&f);
        assert_int_equal(gcal_results_unmeasured(&f.results, f.record, &f.config,
                                                 &unmeasured, &n, NULL),
                         0);
        assert_int_equal(n, 1);
        assert_int_equal(unmeasured->device, fleet.n - 1);
        assert_non_null(strstr(unmeasured->reason, "too few kernels were measured"));
        finish(&f.results, &f.config, f.record);
    }
}

static void few_kernels_do_no_harm(void **state)
{
    (void)state;
    check(3, 1, 1, of_adds_alone, false);
    check(9, 4, 1, of_adds_alone, false);
}

static void all_may_lack_some(void **state)
{
    struct fitted f;

    (void)state;
    fleet = (struct fleet){ .n = 40 };
    f = fit_all(of_some_kernels, NULL);
    check_healthy(&f);
    finish(&f.results, &f.config, f.record);
}

static void some_sizes_alone(void **state)
{
    (void)state;
    check(3, 1, 2, slow_when_small, true);
    check(5, 2, 0.5, slow_when_small, true);
    check(9, 4, 10, slow_when_small, true);
    check(3, 1, 2, slow_when_large, true);
}

static void costs_in_opposite_directions(void **state)
{
    (void)state;
    check(3, 1, 2, unbalanced, true);
    check(5, 2, 0.8, unbalanced, true);
    check(100, 49, 10, unbalanced, true);
}

static double usual(const struct kernel *k, double time_s)
{
    (void)k;
    return time_s;
}

/* A driver that says 1 for want of an answer, alike and as often as the others say 8. */
static void sub_groups_of_another_size(void **state)
{
    static const uint64_t sub_groups[] = { 8, 8, 1, 8, 1 };
    struct fitted f;

    (void)state;
    fleet = (struct fleet){ 3, 1, 1, usual };
    f = fit_all(time_of, sub_groups);
    check_healthy(&f);
    assert_int_equal(count_named(&f, "its sub-groups are of 1 work-items, theirs of 8"),
                     1);
    finish(&f.results, &f.config, f.record);
    fleet = (struct fleet){ 2, 1, 1, usual };
    f = fit_all(time_of, sub_groups + 3);
    check_healthy(&f);
    assert_int_equal(count_named(&f, "its sub-groups are of 1 work-items, theirs of 8"),
                     1);
    finish(&f.results, &f.config, f.record);
}

/* All adds but those of the smallest size, or of two, are lost so. */
static double lost_time, least_lost;

static double without_adds(size_t device, const struct kernel *k, double time_s)
{
    (void)device;
    return !k->muls && k->adds > least_lost ? lost_time : time_s;
}

static struct fitted fit_without_adds(double lost, double least)
{
    struct fitted f = { .config = one_form() };
    struct maker m = make_start(1, NULL);

    lost_time = lost;
    least_lost = least;
    m.strange = without_adds;
    put_ladder(&m, "adds", "m", 1, 0, add_up, 1);
    put_ladder(&m, "muls", "m", 0, 1, add_up, 1);
    f.record = make_end(&m);
    assert_int_equal(gcal_results_fit(f.record, &f.config, &f.results, NULL), 0);
    return f;
}

/* One of four kernels of a cost is left; as if the others had never been, but for the error of this
 * cost.  With three of four nothing is said.
 */
static void a_cost_that_rests_on_one_kernel_has_a_wide_error(void **state)
{
    struct fitted never = fit_without_adds(NAN, 5e6), f;
    const struct gcal_fit *of_never = &never.results.fits->forms[0].fit, *fit;

    (void)state;
    assert_true(never.results.fits->good && !never.results.fits->n_warnings);
    f = fit_without_adds(INFINITY, 5e6);
    fit = &f.results.fits->forms[0].fit;
    assert_int_equal(f.results.fits->n_warnings, 1);
    assert_string_equal(
        f.results.fits->warnings[0],
        "p_add rests on 1 kernel, as 3 that have it failed: its standard error "
        "is taken 6.31 times as large");
    for (size_t j = 0; j < fit->n_parameters; j++) {
        const char *name = f.config.models->forms[0].model->parameters[j].name;
        double factor = strcmp(name, "p_add") == 0 ? 6.31 : 1;

        within(fit->value[j], of_never->value[j], 1e-9);
        within(fit->standard_error[j], factor * of_never->standard_error[j], 1e-6);
        within(sqrt(fit->covariance[j * fit->n_parameters + j]),
               factor * sqrt(of_never->covariance[j * fit->n_parameters + j]), 1e-6);
    }
    finish(&f.results, &f.config, f.record);
    finish(&never.results, &never.config, never.record);
    f = fit_without_adds(INFINITY, 5e7);
    assert_true(f.results.fits->good && !f.results.fits->n_warnings);
    finish(&f.results, &f.config, f.record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_with_one_kernel_is_not_measured),
        cmocka_unit_test(a_cost_that_rests_on_one_kernel_has_a_wide_error),
        cmocka_unit_test(few_kernels_do_no_harm),
        cmocka_unit_test(all_may_lack_some),
        cmocka_unit_test(some_sizes_alone),
        cmocka_unit_test(costs_in_opposite_directions),
        cmocka_unit_test(sub_groups_of_another_size),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
