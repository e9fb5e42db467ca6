/* test_results_outliers.c - a device that deviates from its type harms no other */
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

#define MOST_DEVICES 100

/* The last 'n_slow' of the devices take 'factor' times as long, all in all or for muls
 * alone.  The others differ by up to 1 %.
 */
struct fleet {
    size_t n, n_slow;
    double factor;
    bool muls_alone;
    double (*time)(double, double);
};

static double slowness[MOST_DEVICES], mul_slowness[MOST_DEVICES];

static void set_speeds(const struct fleet *f)
{
    for (size_t i = 0; i < f->n; i++) {
        bool slow = i >= f->n - f->n_slow;

        slowness[i] = 1 + 0.005 * ((double)(i * 7 % 5) - 2) / 2;
        mul_slowness[i] = slow && f->muls_alone ? f->factor : 1;
        if (slow && !f->muls_alone)
            slowness[i] *= f->factor;
    }
}

static struct gcal_results fit_fleet(const struct fleet *f, struct gcal_config *config,
                                     struct gcal_record **record)
{
    struct gcal_results results = { 0 };
    struct gcal_error err = { 0 };
    struct maker m;

    set_speeds(f);
    m = make_start(f->n, slowness);
    for (size_t i = 0; i < f->n; i++)
        m.mul_slowness[i] = mul_slowness[i];
    put_microbenchmarks(&m, f->time);
    *record = make_end(&m);
    *config = two_forms();
    if (gcal_results_fit(*record, config, &results, &err) < 0)
        fail_msg("%s", err.text);
    return results;
}

static const struct gcal_result_type_fit *fit_of(const struct gcal_results *results,
                                                 size_t device, size_t *place)
{
    for (size_t i = 0; i < results->n_fits; i++)
        for (*place = 0; *place < results->fits[i].n_devices; ++*place)
            if (results->fits[i].device[*place] == device)
                return &results->fits[i];
    fail_msg("device %zu has no fit", device);
    return NULL;
}

/* The largest relative error of a device's predictions. */
static double worst_error(const struct fleet *f, const struct gcal_results *results,
                          const struct gcal_config *config, size_t device)
{
    size_t place;
    const struct gcal_result_type_fit *t = fit_of(results, device, &place);
    const struct gcal_model *model = config->models->forms[t->best].model;
    double worst = 0;

    for (int mix = 0; mix < 9; mix++) {
        double adds = 3e7 * (mix % 3), muls = 3e7 * (mix / 3);
        double truth =
            slowness[device] *
            (f->time(adds, muls) + (mul_slowness[device] - 1) * true_mul_s * muls);
        double features[] = { 0, 0, 0 };

        for (size_t k = 0; k < model->n_features; k++)
            features[k] = strstr(model->features[k], "_add")   ? adds
                          : strstr(model->features[k], "_mul") ? muls
                                                               : 1;
        worst = fmax(worst, fabs(t->factor[place] *
                                     gcal_model_eval(model, t->forms[t->best].fit.value,
                                                     features, NULL) /
                                     truth -
                                 1));
    }
    return worst;
}

static bool is_named(const struct gcal_results *results, size_t device)
{
    for (size_t i = 0; i < results->n_outliers; i++)
        if (results->outliers[i].device == device)
            return true;
    return false;
}

static void check_fleet(struct fleet f, bool named)
{
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results = fit_fleet(&f, &config, &record);
    const struct gcal_result_type_fit *t = &results.fits[0];
    size_t place;

    if (!t->good || t->is_outlier || t->best != (f.time == hide))
        fail_msg("%zu of %zu, %g: another form", f.n_slow, f.n, f.factor);
    for (size_t i = 0; i < f.n; i++) {
        bool slow = i >= f.n - f.n_slow;
        double error = worst_error(&f, &results, &config, i);

        if (error > 0.01)
            fail_msg("%zu of %zu, %g%s: device %zu is predicted %.1f %% off", f.n_slow,
                     f.n, f.factor, f.muls_alone ? " (muls)" : "", i, 100 * error);
        if (is_named(&results, i) != (slow && named))
            fail_msg("%zu of %zu, %g%s: device %zu is%s named", f.n_slow, f.n, f.factor,
                     f.muls_alone ? " (muls)" : "", i, slow ? " not" : "");
        assert_true(fit_of(&results, i, &place)->is_outlier == (slow && named));
        /* Intervals are as narrow as without them: 0.003 and 0.004. */
        if (t->forms[t->best].held_out.error_90 > 0.006 ||
            (!slow && fit_of(&results, i, &place)->factor_error[place] > 0.004))
            fail_msg("%zu of %zu, %g: wide", f.n_slow, f.n, f.factor);
    }
    finish(&results, &config, record);
}

/* ---- the tests ---- */

static const double factors[] = { 0.5, 0.9, 1.1,
                                  4 }; /* more in tests/fit/test_outliers.c */

#define N_FACTORS (sizeof(factors) / sizeof(*factors))

static void check_factors(size_t n_slow, size_t n)
{
    for (size_t i = 0; i < N_FACTORS; i++)
        for (int muls_alone = 0; muls_alone < 2; muls_alone++)
            check_fleet((struct fleet){ .n = n,
                                        .n_slow = n_slow,
                                        .factor = factors[i],
                                        .muls_alone = muls_alone,
                                        .time = add_up },
                        true);
}

static void one_of_a_few(void **state)
{
    (void)state;
    check_factors(1, 3);
}

static void fewer_than_half(void **state)
{
    (void)state;
    check_fleet((struct fleet){ 5, 1, 4, true, add_up }, true);
    check_fleet((struct fleet){ 5, 2, 0.7, false, add_up }, true);
    check_fleet((struct fleet){ 5, 2, 1.1, true, add_up }, true);
    check_fleet((struct fleet){ 8, 3, 10, false, add_up }, true);
}

static void many(void **state)
{
    (void)state;
    check_fleet((struct fleet){ 100, 30, 0.7, false, add_up }, true);
    check_fleet((struct fleet){ 20, 9, 0.5, true, add_up }, true);
}

static void the_form_stays(void **state)
{
    (void)state;
    check_fleet((struct fleet){ 5, 2, 0.5, false, hide }, true);
    check_fleet((struct fleet){ 5, 2, 4, false, hide }, true);
}

/* No majority: each is predicted as it is; nobody knows which of two is wrong, but the slower is named if
 * a large factor is between them.
 */
static void two_devices(void **state)
{
    (void)state;
    check_fleet((struct fleet){ 2, 1, 1.1, false, add_up }, false);
    check_fleet((struct fleet){ 2, 1, 1.3, false, add_up }, false);
    check_fleet((struct fleet){ 2, 1, 4, true, add_up }, true);
    check_fleet((struct fleet){ 2, 1, 2, false, hide }, true);
    check_fleet((struct fleet){ 4, 2, 1.3, false, add_up }, false);
}

/* Too little to be an outlier. */
static void small_differences_are_factors(void **state)
{
    (void)state;
    check_fleet((struct fleet){ 5, 1, 1.03, false, add_up }, false);
    check_fleet((struct fleet){ 3, 1, 0.97, false, hide }, false);
}

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' is not in: %s", part, text);
}

static void a_difference_of_two_is_said(void **state)
{
    struct fleet f = { 2, 1, 1.3, false, add_up };
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results = fit_fleet(&f, &config, &record);

    (void)state;
    assert_int_equal(results.fits->n_warnings, 1);
    contains(results.fits->warnings[0],
             "times as long as the other; which of them is wrong");
    finish(&results, &config, record);
}

static void an_outlier_is_named_and_published(void **state)
{
    struct fleet f = { 5, 1, 4, false, add_up };
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results = fit_fleet(&f, &config, &record);
    char *table = gcal_results_format(&results, record, &config, NULL);
    struct gcal_params *params;
    size_t count;

    (void)state;
    assert_int_equal(results.n_fits, 2);
    assert_int_equal(results.n_outliers, 1);
    within(results.outliers->ratio, 4, 0.05);
    assert_int_equal(results.outliers->device, 4);
    contains(results.outliers->text,
             "n1 uuid:4 is an outlier among the devices of its type");
    contains(table, "test-cpu, model m, n1 uuid:4 alone: good");
    contains(table, "n1 uuid:4 is an outlier");
    assert_null(strstr(table, "could not be measured"));
    assert_int_equal(
        gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
    assert_int_equal(count, 1);
    assert_int_equal(params->n_devices, 5);
    assert_int_equal(params->devices[0].n_fitted, 4);
    assert_int_equal(params->devices[4].n_fitted, 1);
    assert_true(params->devices[4].models[0].factor == 1);
    within(params->devices[4].models[0].value[0], 4 * true_add_s, 0.05 * true_add_s);
    free(table);
    finish(&results, &config, record);
}

/* So slow that it has measured none of the others' sizes: as slow as ever in 'factor', and
 * the others' sizes are 'larger' times as large.
 */
static void check_apart(size_t n, double factor, double larger, bool named)
{
    double slow[MOST_DEVICES];
    struct gcal_error err = { 0 };
    struct gcal_results results = { 0 };
    struct gcal_config config = one_form();
    struct gcal_record *record;
    struct maker m;

    for (size_t i = 0; i < n; i++)
        slow[i] = i + 1 < n ? 1 : factor;
    m = make_start(n, slow);
    m.sizes = 27;
    m.from = n - 1;
    put_microbenchmarks(&m, add_up);
    m.sizes = 27 * larger;
    m.from = 0;
    m.to = n - 1;
    put_microbenchmarks(&m, add_up);
    record = make_end(&m);
    if (gcal_results_fit(record, &config, &results, &err) < 0)
        fail_msg("%s", err.text);
    if (is_named(&results, n - 1) != named || results.n_outliers != named)
        fail_msg("%zu devices, one %g times as slow: %zu named", n, factor,
                 results.n_outliers);
    within(results.fits->forms[0].fit.value[0], true_add_s,
           (named ? 0.002 : 0.06) * true_add_s);
    if (named)
        within(results.outliers->ratio, factor, 0.1 * factor);
    finish(&results, &config, record);
}

static void other_sizes(void **state)
{
    (void)state;
    check_apart(3, 10, 81, true);
    check_apart(5, 4, 27, true);
    check_apart(2, 3, 3, true);
    check_apart(2, 1, 81, false);
    check_apart(3, 1, 9, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_of_a_few),
        cmocka_unit_test(fewer_than_half),
        cmocka_unit_test(many),
        cmocka_unit_test(the_form_stays),
        cmocka_unit_test(two_devices),
        cmocka_unit_test(a_difference_of_two_is_said),
        cmocka_unit_test(small_differences_are_factors),
        cmocka_unit_test(an_outlier_is_named_and_published),
        cmocka_unit_test(other_sizes),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
