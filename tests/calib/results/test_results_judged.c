/* test_results_judged.c - which kernels a model's forms are judged by */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "calib/results/results.h"
#include "store/params/params.h"
#include "store/record/record.h"
#include "tests/calib/results/synthetic.h"
#include "tests/folder.h"

static const struct gcal_params_model *publish(const struct gcal_results *results,
                                               const struct gcal_record *record,
                                               const struct gcal_config *config,
                                               struct gcal_params **params)
{
    size_t count;

    assert_int_equal(gcal_results_params(results, record, config, params, &count, NULL),
                     0);
    assert_int_equal(count, 1);
    assert_int_equal((*params)->devices[0].n_models, 1);
    return (*params)->devices[0].models;
}

/* ---- kernels with both parts ---- */

#define MEMORY "p_add * f_memory_tag:app"
#define ONCHIP "p_mul * f_onchip_tag:app"

static void put_tagged(struct maker *m, const char *generator, double adds, double muls,
                       double factor)
{
    char *arguments = gcal_buf_format("a:%.0f m:%.0f", adds, muls);

    put_part(m,
             (struct kernel){ .generator = generator,
                              .arguments = arguments,
                              .models = "m",
                              .adds = adds,
                              .muls = muls,
                              .time_s = factor * hide(adds, muls) },
             generator, "app");
    free(arguments);
}

/* Parts that every form misses alike: four generators of each, of which two deviate. */
static void put_parts(struct maker *m)
{
    static const double factors[] = { 1.35, 1 / 1.35, 1, 1 };

    for (int g = 0; g < 4; g++)
        for (int i = 0; i < 4; i++) {
            double n = 4099e3 * pow(3, i);
            char generator[20];

            snprintf(generator, sizeof(generator), "part%d", g);
            put_tagged(m, generator, n, 0, factors[g]);
            put_tagged(m, generator, 0, n, factors[g]);
        }
}

/* Of two generators by turns: what hides is known when one of them is left out. */
static void put_mixed(struct maker *m, int count)
{
    for (int i = 0; i < count; i++)
        put_tagged(m, i % 2 ? "mixed1" : "mixed0", 713e5 * pow(2, i),
                   0.09 * 713e5 * pow(2, i), 1);
}

static struct gcal_config tagged_forms(void)
{
    struct gcal_config config = empty_config();

    add_form(&config, "linear", MEMORY " + " ONCHIP " + " LAUNCHES, false);
    add_partial(&config, MEMORY, ONCHIP);
    return config;
}

/* The best form if n_mixed kernels have both components; compared by n_judging kernels.
 */
static size_t judge(int n_mixed, size_t n_judging)
{
    struct maker m = make_start(1, NULL);
    struct gcal_config config = tagged_forms();
    struct gcal_results results = { 0 };
    const struct gcal_result_type_fit *t;
    struct gcal_record *record;
    size_t best, n = 0;

    put_parts(&m);
    put_mixed(&m, n_mixed);
    record = make_end(&m);
    t = fit(record, &config, &results);
    assert_true(t->good);
    for (size_t i = 0; i < t->n_rows; i++) {
        const char *generator = record->kernels[t->row_kernel[i]].generator;

        assert_int_equal(t->row_mixed[i], strncmp(generator, "mixed", 5) == 0);
        n += t->row_mixed[i];
    }
    assert_int_equal(n, n_mixed);
    assert_int_equal(t->forms[0].held_out.n, n_judging);
    assert_int_equal(t->forms[1].held_out.n, n_judging);
    best = t->best;
    finish(&results, &config, record);
    return best;
}

/* Four are too few to judge by: what all forms miss decides with them. */
static void five_mixed_kernels_judge_alone(void **state)
{
    (void)state;
    assert_int_equal(judge(4, 4 + 32), 0);
    assert_int_equal(judge(5, 5), 1);
    assert_int_equal(judge(6, 6), 1);
}

/* ---- target kernels measured at one size ---- */

struct checked {
    struct gcal_results results;
    struct gcal_record *record;
    struct gcal_config config;
    struct gcal_params *params;
    const struct gcal_params_model *model;
};

/* Fitted to microbenchmarks whose shorter work hides; three predicted kernels take that
 * 'time', or there are none if it is NULL.
 */
static struct checked check(double (*time)(double, double))
{
    struct checked c = { .config = two_forms() };
    struct maker m = make_start(1, NULL);

    put_microbenchmarks(&m, hide);
    for (int i = 0; time && i < 3; i++) {
        char *arguments = gcal_buf_format("n:%d", i);
        double n = 4099e4 * (i + 1);

        put_kernel(&m, (struct kernel){ .generator = "app",
                                        .arguments = arguments,
                                        .models = "m:check",
                                        .adds = 5 * n,
                                        .muls = 3 * n,
                                        .time_s = time(5 * n, 3 * n) });
        free(arguments);
    }
    c.record = make_end(&m);
    fit(c.record, &c.config, &c.results);
    c.model = publish(&c.results, c.record, &c.config, &c.params);
    return c;
}

static void checked_clear(struct checked *c)
{
    finish(&c->results, &c->config, c->record);
}

/* 'linear' would predict them exactly, 'partial' is by a third off. */
static void kernels_run_once_widen_the_interval_alone(void **state)
{
    struct checked without = check(NULL), with = check(add_up);
    const struct gcal_result_type_fit *t = with.results.fits;
    const struct gcal_params_model *p = with.model, *q = without.model;
    double a = 5 * true_add_s, b = 3 * true_mul_s;
    char *table;

    (void)state;
    assert_int_equal(t->best, 1);
    assert_string_equal(p->form, "partial");
    assert_string_equal(t->reason, without.results.fits->reason);
    assert_int_equal(p->n_kernels, q->n_kernels);
    assert_int_equal(p->n_held_out, q->n_held_out);
    assert_true(p->held_out_rms == q->held_out_rms && p->residual == q->residual);
    assert_memory_equal(p->value, q->value, p->n_parameters * sizeof(*p->value));
    assert_memory_equal(p->root, q->root,
                        GCAL_PARAMS_ROOT(p->n_parameters, 0) * sizeof(*p->root));

    assert_int_equal(without.results.fits->checked.n, 0);
    assert_int_equal(t->checked.n, 3);
    within(q->error_90, 0, 0.02);
    within(p->error_90, 0.7 * fmin(a, b) / (a + b), 0.01);
    assert_non_null(
        table = gcal_results_format(&with.results, with.record, &with.config, NULL));
    assert_non_null(strstr(table, "  target kernels, measured once: "));
    free(table);
    checked_clear(&without);
    checked_clear(&with);
}

/* That these come out well is no reason to promise more. */
static void kernels_run_once_narrow_nothing(void **state)
{
    struct checked without = check(NULL), with = check(hide);
    const struct gcal_fit_error_summary *checked = &with.results.fits->checked;

    (void)state;
    assert_int_equal(checked->n, 3);
    assert_true(checked->error_90 < without.model->error_90);
    assert_true(with.model->error_90 == without.model->error_90);
    checked_clear(&without);
    checked_clear(&with);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_mixed_kernels_judge_alone),
        cmocka_unit_test(kernels_run_once_widen_the_interval_alone),
        cmocka_unit_test(kernels_run_once_narrow_nothing),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
