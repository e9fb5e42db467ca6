/* test_plan_replay.c - the choice of kernels on recorded GPUs, with the default models
 *
 *   test_plan_replay                       checks choices on the records of two GPUs
 *   test_plan_replay RECORD.h5 [PRECISION [OUT.h5]]
 *                                          prints what is chosen; OUT.h5: the record of a run
 *                                          that measures no other kernels
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit.h"

#include "calib/base/error.h"
#include "calib/base/log.h"
#include "calib/model/binding.h"
#include "calib/model/profile.h"
#include "fit/fit.h"
#include "tests/calib/plan/replay.h"

#define PRECISION 0.05

/* Of a device that is so slow, every launch saved counts; of one that is so fast, none. */
#define SLOW 1e3
#define FAST 1e-6

/* ---- fits, as the end of a run makes them ---- */

static bool is_fitted(const struct gcal_kernel *kernel, const char *model)
{
    return gcal_kernel_uses_have(&kernel->uses, model, GCAL_KERNEL_FITTED);
}

static size_t first_of_generator(const struct gcal_kernel_list *list, size_t kernel)
{
    size_t first = 0;

    while (strcmp(list->kernels[first]->generator, list->kernels[kernel]->generator) != 0)
        first++;
    return first;
}

struct fitted {
    struct gcal_fit fit;
    size_t n_rows;
    double seconds;
    double mean_error; /* geometric mean of the errors of all of the model's kernels */
};

static void find_features(const struct replay *r, const struct gcal_model *model,
                          size_t i, double *features)
{
    struct gcal_kernel *kernel = r->list.kernels[i];
    struct gcal_binding_device facts = gcal_device_info_facts(r->info);
    struct gcal_error err = { 0 };
    struct gcal_binding *binding;
    double sizes[16];

    if (gcal_built_set(kernel->profile, facts.type, &r->measured[i].built, &err) < 0 ||
        !(binding = gcal_binding_create_on(kernel->profile, model->n_features,
                                           (const char *const *)model->features, &facts,
                                           &err)) ||
        gcal_kernel_size_values(kernel, sizes, &err) < 0 ||
        gcal_binding_eval(binding, sizes, features, &err) < 0)
        fail_with(&err);
    gcal_binding_destroy(binding);
}

/* A fit of the kernels chosen, or of all. */
static struct fitted fit(const struct replay *r, const struct gcal_config_model *m,
                         bool all)
{
    const struct gcal_model *model = m->model;
    size_t n = r->list.n_kernels, n_features = model->n_features, n_all = 0;
    double *features = calloc(n * n_features + 1, sizeof(*features));
    double *everything = calloc(n * n_features + 1, sizeof(*everything));
    double *time_s = calloc(n, sizeof(*time_s)), *spread = calloc(n, sizeof(*spread));
    double *all_s = calloc(n, sizeof(*all_s)), *given = calloc(256, sizeof(*given));
    size_t *group = calloc(n, sizeof(*group));
    struct gcal_fit_rows rows = { .n_features = n_features,
                                  .features = features,
                                  .time_s = time_s,
                                  .spread = spread,
                                  .group = group,
                                  .given = given,
                                  .merge_collinear = gcal_config_model_merges(m) };
    struct fitted made = { 0 };
    struct gcal_error err = { 0 };
    double sum = 0;

    for (size_t j = 0; j < model->n_parameters; j++)
        given[j] = strcmp(model->parameters[j].name, "p_compute_units") == 0
                       ? (double)r->info->compute_units
                       : NAN;
    for (size_t i = 0; i < n; i++) {
        if (!is_fitted(r->list.kernels[i], model->name))
            continue;
        find_features(r, model, i, &everything[n_all * n_features]);
        all_s[n_all++] = r->time_s[i];
        if (!all && !r->is_chosen[i])
            continue;
        memcpy(&features[rows.n_rows * n_features], &everything[(n_all - 1) * n_features],
               n_features * sizeof(*features));
        time_s[rows.n_rows] = r->time_s[i];
        spread[rows.n_rows] = r->spread[i];
        group[rows.n_rows++] = first_of_generator(&r->list, i);
    }
    made.seconds = cpu_s();
    if (gcal_fit_solve(model, &rows, &made.fit, &err) < 0)
        fail_with(&err);
    made.seconds = cpu_s() - made.seconds;
    made.n_rows = rows.n_rows;
    for (size_t i = 0; i < n_all; i++)
        sum += log(fabs(gcal_model_eval(model, made.fit.value,
                                        &everything[i * n_features], NULL) /
                            all_s[i] -
                        1) +
                   1e-6);
    made.mean_error = exp(sum / (double)n_all);
    free(features);
    free(everything);
    free(time_s);
    free(all_s);
    free(spread);
    free(group);
    free(given);
    return made;
}

/* ---- reports ---- */

static void print_fits(const struct replay *r, const struct gcal_config_model *m)
{
    struct fitted chosen = fit(r, m, false), all = fit(r, m, true);

    printf(
        "%s: %zu of %zu kernels, error %.2f %% and %.2f %% of all, fits %.2f and %.2f s"
        " (%d, %d)\n%s\n",
        m->name, chosen.n_rows, all.n_rows, 100 * chosen.mean_error, 100 * all.mean_error,
        chosen.seconds, all.seconds, chosen.fit.status, all.fit.status, chosen.fit.note);
    for (size_t j = 0; j < all.fit.n_parameters; j++)
        printf("  %-28s %10.3g %6.1f %%  all %10.3g %6.1f %%\n",
               m->model->parameters[j].name, chosen.fit.value[j],
               100 * chosen.fit.standard_error[j] / chosen.fit.value[j], all.fit.value[j],
               100 * all.fit.standard_error[j] / all.fit.value[j]);
    gcal_fit_clear(&chosen.fit);
    gcal_fit_clear(&all.fit);
}

static int print(const char *path, double precision, const char *out)
{
    struct gcal_error err = { 0 };
    struct gcal_run_sink sink;
    struct replay r;
    const struct gcal_plan_selection *s = &r.selection;

    replay_open(&r, path, SLOW);
    if (out) {
        if (!(r.writer = gcal_record_create(out, &err)))
            fail_with(&err);
        sink = gcal_record_sink(r.writer);
        if (sink.device(sink.context, gcal_record_device(r.record, 0), &err) < 0)
            fail_with(&err);
    }
    gcal_log_set_level(GCAL_LOG_INFO);
    replay_run(&r, precision);
    printf("%zu of %zu kernels, prepared %zu; choosing %.2f s; launches %.2f s; worst "
           "%.3g of %s, %s; %zu not identifiable; %.2f s instead of %.2f s\n",
           s->n_measured, s->n_kernels, r.n_prepared, r.choosing_s, r.launches_s,
           s->worst_error, s->worst_parameter, s->reached ? "reached" : "not reached",
           s->n_not_identifiable, s->took_s, s->full_s);
    for (size_t i = 0; i < r.config.n_models; i++)
        if (gcal_config_model_applies(&r.config.models[i], r.info))
            print_fits(&r, &r.config.models[i]);
    if (out && gcal_record_finish(r.writer, gcal_record_header(r.record), &err) < 0)
        fail_with(&err);
    replay_close(&r);
    return 0;
}

/* ---- tests ---- */

/* How far a parameter's error may lie above its target: errors of the last fit decide, and
 * some rows lie farther off than what was known when the last kernels were chosen.
 */
#define ABOVE_TARGET 1.35

static const struct gcal_config_model *general_model(const struct replay *r)
{
    for (size_t i = 0; i < r->config.n_models; i++)
        if (strcmp(r->config.models[i].name, "general") == 0 &&
            gcal_config_model_applies(&r->config.models[i], r->info))
            return &r->config.models[i];
    fail();
    return NULL;
}

static double error_of(const struct gcal_fit *fit, size_t j)
{
    return fit->at_bound[j] ? 0 : fit->standard_error[j] / fit->value[j];
}

/* To PRECISION, or within a quarter of what all kernels give. */
static void check_errors(const struct gcal_model *model, const struct gcal_fit *chosen,
                         const struct gcal_fit *all)
{
    for (size_t j = 0; j < model->n_parameters; j++) {
        double target = fmax(PRECISION, 1.25 * error_of(all, j));

        if (error_of(all, j) < 0.5 && error_of(chosen, j) > ABOVE_TARGET * target)
            fail_msg("%s: an error of %g instead of %g", model->parameters[j].name,
                     error_of(chosen, j), target);
    }
}

static void check_choice(const char *record)
{
    const struct gcal_config_model *m;
    struct fitted chosen, all;
    struct replay r;

    replay_open(&r, record, SLOW);
    replay_run(&r, PRECISION);
    assert_int_equal(r.selection.n_kernels, r.list.n_kernels);
    assert_int_equal(r.selection.n_measured, r.n_prepared);
    assert_in_range(r.n_prepared, r.list.n_kernels / 2, r.list.n_kernels * 5 / 6);
    assert_false(r.selection.all_anyway);
    m = general_model(&r);
    chosen = fit(&r, m, false);
    all = fit(&r, m, true);
    check_errors(m->model, &chosen.fit, &all.fit);
    assert_true(chosen.mean_error < 1.25 * all.mean_error);
    assert_true(r.choosing_s < 0.75 * all.seconds);
    gcal_fit_clear(&chosen.fit);
    gcal_fit_clear(&all.fit);
    replay_close(&r);
}

static void an_h200_is_spared_a_fifth_of_the_kernels(void **state)
{
    (void)state;
    check_choice(TEST_DATA "/general/h200.h5");
}

static void an_h100_is_spared_a_fifth_of_the_kernels(void **state)
{
    (void)state;
    check_choice(TEST_DATA "/general/h100.h5");
}

static void all_are_measured_where_that_takes_no_time(void **state)
{
    struct replay r;

    (void)state;
    replay_open(&r, TEST_DATA "/general/h100.h5", FAST);
    replay_run(&r, PRECISION);
    assert_int_equal(r.n_prepared, r.list.n_kernels);
    assert_true(r.selection.all_anyway);
    replay_close(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_h200_is_spared_a_fifth_of_the_kernels),
        cmocka_unit_test(an_h100_is_spared_a_fifth_of_the_kernels),
        cmocka_unit_test(all_are_measured_where_that_takes_no_time),
    };

    if (argc > 1)
        return print(argv[1], argc > 2 ? strtod(argv[2], NULL) : PRECISION,
                     argc > 3 ? argv[3] : NULL);
    gcal_log_set_level(GCAL_LOG_ERROR);
    return cmocka_run_group_tests_name("plan_replay", tests, NULL, NULL);
}
