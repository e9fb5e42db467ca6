/* test_results_forms.c - which form of a model is published, and why */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/results/results.h"
#include "store/record/record.h"
#include "tests/calib/results/synthetic.h"
#include "tests/folder.h"

static void contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' does not stand in: %s", part, text);
}

/* ---- the tests ---- */

static void the_form_that_predicts_is_chosen(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_result_type_fit *t;
    struct gcal_params *params;
    struct gcal_record *record;
    size_t count;
    char *table;

    (void)state;
    put_microbenchmarks(&m, hide);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_true(t->good);
    assert_int_equal(t->best, 1);
    assert_int_equal(t->forms[0].fit.status, GCAL_FIT_GOOD);
    within(t->forms[1].fit.value[2], 0.3, 0.02); /* p_hidden */
    assert_true(t->forms[1].held_out.rms < 0.005 && t->forms[0].held_out.rms > 0.05);
    assert_int_equal(t->forms[0].held_out.n, t->forms[1].held_out.n);
    contains(t->reason, "partial: ");
    contains(t->reason, "held-out measurements, against linear ");

    assert_int_equal(
        gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
    assert_int_equal(count, 1);
    assert_string_equal(params->devices[0].models[0].form, "partial");
    contains(params->devices[0].models[0].expression, "p_hidden");
    assert_int_equal(params->devices[0].models[0].n_held_out, t->forms[1].held_out.n);
    assert_true(params->devices[0].models[0].error_90 == t->forms[1].held_out.error_90);
    assert_true(params->devices[0].models[0].absolute_error_90_s == 0);

    assert_non_null(table = gcal_results_format(&results, record, &config, NULL));
    contains(table, "model m: good\n  partial: ");
    contains(table, "\n  * partial ");
    contains(table, "\n    linear ");
    contains(table, "VIF");
    free(table);
    finish(&results, &config, record);
}

/* Their bound is in seconds, by the predictions that the relative one is of. */
static void absolute_fits_publish_absolute_bounds(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_result_type_fit *t;
    struct gcal_params *params;
    struct gcal_record *record;
    size_t count;

    (void)state;
    put_microbenchmarks(&m, hide);
    record = make_end(&m);
    config.models[0].absolute = true;
    t = fit(record, &config, &results);
    assert_int_equal(
        gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
    assert_true(t->forms[t->best].held_out.absolute_90_s > 0);
    assert_true(params->devices[0].models[0].absolute_error_90_s ==
                t->forms[t->best].held_out.absolute_90_s);
    finish(&results, &config, record);
}

static void the_simpler_of_equals_is_chosen(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_result_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_microbenchmarks(&m, add_up);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_true(t->good);
    assert_int_equal(t->best, 0);
    within(t->forms[1].fit.value[2], 1, 0.02);
    finish(&results, &config, record);
}

/* Without its only mixture 'partial' has no share that hides: it is judged there by other
 * sizes of the mixture, and so is 'linear'.
 */
static void what_one_generator_tells_is_judged_by_its_other_sizes(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_result_form_fit *linear, *partial;
    const struct gcal_result_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_ladder(&m, "adds", "m", 1, 0, hide, 1);
    put_ladder(&m, "muls", "m", 0, 1, hide, 1);
    put_ladder(&m, "even", "m", 1, 1, hide, 1);
    record = make_end(&m);
    t = fit(record, &config, &results);
    linear = &t->forms[0];
    partial = &t->forms[1];
    for (size_t i = 0; i < t->n_rows; i++) {
        bool mixed = strcmp(record->kernels[t->row_kernel[i]].generator, "even") == 0;

        assert_true(isnan(partial->held_out_s[i]) || !mixed);
        assert_false(isnan(linear->held_out_s[i]) || isnan(partial->fold_out_s[i]));
    }
    assert_int_equal(t->best, 1);
    assert_int_equal(partial->held_out.n, 12);
    assert_int_equal(linear->held_out.n, 12);
    assert_true(partial->held_out.rms < 0.01 && linear->held_out.rms > 0.05);
    finish(&results, &config, record);
}

/* No form has a cost for what these do, and all miss them by far. */
static void what_all_forms_miss_decides_nothing(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_result_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_microbenchmarks(&m, hide);
    put_ladder(&m, "strange", "m", 1, 0, hide, 40);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_int_equal(t->best, 1);
    assert_true(t->forms[1].held_out.rms > 0.1);
    finish(&results, &config, record);
}

static void loads_slower_than_all_accesses_are_reported(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_result_type_fit *t;
    struct gcal_record *record;

    (void)state;
    put_microbenchmarks(&m, add_up);
    put_kernel(&m, (struct kernel){ "app_loads",
                                    "dtype:float32 keep:aPF accumulators:4 n:4099", "m",
                                    4e8, 0, 1.5 * add_up(4e8, 0) });
    put_kernel(&m, (struct kernel){ "app_loads",
                                    "dtype:float32 keep:bPF accumulators:4 n:4099", "m",
                                    3e8, 0, add_up(3e8, 0) });
    put_kernel(&m, (struct kernel){ "app_loads",
                                    "dtype:float32 keep:aPF accumulators:4 n:713", "m",
                                    4e8, 0, 9 * add_up(4e8, 0) });
    put_kernel(&m, (struct kernel){ "app_memory",
                                    "dtype:float32 accumulators:4 barriers:True n:4099",
                                    "m", 4e8, 0, add_up(4e8, 0) });
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_int_equal(t->n_warnings, 1);
    contains(t->warnings[0],
             "app: one of its loads alone takes 1.5 times as long as all its accesses to "
             "memory (");
    contains(t->warnings[0], "keep:aPF accumulators:4 n:4099)");
    finish(&results, &config, record);
}

static void all_forms_rejected_give_their_reasons(void **state)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = two_forms();
    struct gcal_results results = { 0 };
    const struct gcal_result_type_fit *t;
    struct gcal_record *record;
    struct gcal_params *params;
    size_t count;
    char *table;

    (void)state;
    put_ladder(&m, "adds", "m", 1, 0, add_up, 1);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_false(t->good);
    assert_int_equal(results.n_rejected, 1);
    contains(t->reason, "linear: ");
    contains(t->reason, "; partial: ");
    contains(t->reason, "p_mul");
    assert_non_null(table = gcal_results_format(&results, record, &config, NULL));
    contains(table, "model m: rejected\n  reason: linear: ");
    free(table);
    assert_int_equal(
        gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
    assert_int_equal(count, 0);
    finish(&results, &config, record);
}

/* ---- devices of one type ---- */

static struct gcal_results devices(const double *slowness, struct gcal_config *config,
                                   struct gcal_record **record)
{
    struct maker m = make_start(3, slowness);
    struct gcal_results results = { 0 };

    /* Far off the model, but on all devices alike. */
    put_microbenchmarks(&m, hide);
    *record = make_end(&m);
    *config = one_form();
    fit(*record, config, &results);
    return results;
}

static void devices_that_differ_keep_their_factors(void **state)
{
    static const double slowness[] = { 1.03, 1 / 1.01, 1 / 1.02 };
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results = devices(slowness, &config, &record);
    const struct gcal_result_type_fit *t = results.fits;

    (void)state;
    assert_int_equal(t->n_devices, 3);
    for (size_t i = 0; i < 3; i++) {
        within(t->factor[i], slowness[i], 0.0015);
        /* The model's misfit, 10 %, is the same on all: it is no device's error. */
        assert_true(t->factor_error[i] > 0 && t->factor_error[i] < 0.001);
    }
    within(t->between, 0.022, 0.008);
    finish(&results, &config, record);
}

/* What is left of differences that are noise alone is less than the noise. */
static void devices_that_are_alike_shrink_together(void **state)
{
    static const double slowness[] = { 1, 1, 1 };
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results = devices(slowness, &config, &record);
    const struct gcal_result_type_fit *t = results.fits;

    (void)state;
    assert_true(t->between < 0.0005);
    for (size_t i = 0; i < 3; i++)
        within(t->factor[i], 1, 0.0003);
    finish(&results, &config, record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_form_that_predicts_is_chosen),
        cmocka_unit_test(absolute_fits_publish_absolute_bounds),
        cmocka_unit_test(the_simpler_of_equals_is_chosen),
        cmocka_unit_test(what_one_generator_tells_is_judged_by_its_other_sizes),
        cmocka_unit_test(what_all_forms_miss_decides_nothing),
        cmocka_unit_test(loads_slower_than_all_accesses_are_reported),
        cmocka_unit_test(all_forms_rejected_give_their_reasons),
        cmocka_unit_test(devices_that_differ_keep_their_factors),
        cmocka_unit_test(devices_that_are_alike_shrink_together),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
