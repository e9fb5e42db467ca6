/* test_cross_validation.c - held-out predictions and their summary */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/error_summary.h"
#include "fit/fit.h"
#include "tests/fit/bench.h"
#include "tests/unit.h"

#define SUM     LAUNCH " + " LOAD " + " MADD
#define OVERLAP LAUNCH " + overlap(" LOAD ", " MADD ", p_edge)"
#define PNORM   LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")"

static const char *const forms[] = { SUM, OVERLAP, PNORM };
static const double truths[][4] = { { 7.21e-6, 1.13e-12, 2.385e-12 },
                                    { 7.21e-6, 1.13e-12, 2.385e-12, 3.1 },
                                    { 7.21e-6, 2.713, 1.13e-12, 2.385e-12 } };

static void bench_form(struct bench *b, size_t form)
{
    struct gcal_model_parameter *p;

    bench_init(b, forms[form], 60);
    b->has_groups = true;
    for (size_t i = 0; i < b->n_rows; i++)
        b->group[i] = i / 4;
    if ((p = gcal_model_parameter_find(b->model, "p_x"))) {
        p->min = 1;
        p->max = 20;
    }
    if ((p = gcal_model_parameter_find(b->model, "p_edge"))) {
        p->min = 0.1;
        p->max = 100;
    }
}

static struct gcal_fit_cv validate(struct bench *b)
{
    struct gcal_error err = { 0 };
    struct gcal_fit_cv cv = { 0 };
    const struct gcal_fit_rows rows = bench_rows(b, NULL);

    assert_int_equal(gcal_fit_cross_validate(b->model, &rows, &b->fit, &cv, &err), 0);
    assert_int_equal(cv.n_rows, b->n_rows);
    return cv;
}

static struct gcal_fit_error_summary summary_of(const struct bench *b,
                                                const struct gcal_fit_cv *cv, size_t n)
{
    struct gcal_fit_error_summary summary;

    summary = gcal_fit_summarize_errors(b->n_rows, b->time_s, cv->predicted_s);
    assert_int_equal(summary.n, n);
    return summary;
}

/* Rows simulated by each form in turn, with 3 % of noise: that form predicts best. */
static void finds_the_form(void **state)
{
    (void)state;
    for (size_t made = 0; made < 3; made++) {
        double rms[3];

        for (size_t form = 0; form < 3; form++) {
            struct bench maker, b;
            struct gcal_fit_cv cv;

            bench_form(&maker, made);
            measure(&maker, truths[made], 0.03);
            bench_form(&b, form); /* the same features */
            memcpy(b.time_s, maker.time_s, sizeof(b.time_s));
            solve(&b, GCAL_FIT_GOOD);
            cv = validate(&b);
            rms[form] = summary_of(&b, &cv, 60).rms;
            gcal_fit_cv_clear(&cv);
            bench_clear(&b);
            bench_clear(&maker);
        }
        for (size_t form = 0; form < 3; form++)
            if (form != made && !(rms[made] < rms[form]))
                fail_msg("made by %zu (%g), but %zu predicts with %g", made, rms[made],
                         form, rms[form]);
        assert_true(rms[made] > 0.02 && rms[made] < 0.045);
    }
}

/* Against a linear fit without the group. */
static void predicts_as_a_fit_without_the_rows(void **state)
{
    struct gcal_fit_cv cv;
    struct bench b, less;

    (void)state;
    bench_form(&b, 0);
    measure(&b, truths[0], 0.03);
    solve(&b, GCAL_FIT_GOOD);
    cv = validate(&b);
    bench_form(&less, 0);
    less.n_rows = 56; /* all but the last group */
    memcpy(less.time_s, b.time_s, sizeof(b.time_s));
    solve(&less, GCAL_FIT_GOOD);
    for (size_t i = 56; i < 60; i++)
        assert_near(cv.predicted_s[i],
                    gcal_model_eval(b.model, less.fit.value, feature(&b, i, 0), NULL),
                    0.002);
    assert_true(fabs(cv.predicted_s[57] / b.fit.predicted_s[57] - 1) > 1e-6);
    gcal_fit_cv_clear(&cv);
    bench_clear(&b);
    bench_clear(&less);
}

static void does_not_score_undetermined_rows(void **state)
{
    static const double costs[] = { 7.21e-6, 1.13e-12, 2.385e-12, 3.17e-9 };
    struct gcal_fit_cv cv;
    struct bench b;

    (void)state;
    bench_init(&b, SUM " + p_groups*f_thread_groups", 60);
    b.has_groups = true;
    for (size_t i = 0; i < 60; i++) {
        b.group[i] = i / 4;
        *feature(&b, i, 3) = i / 4 == 3 ? 1e6 * (double)(i % 4) : 0;
    }
    measure(&b, costs, 0.02);
    solve(&b, GCAL_FIT_GOOD);
    cv = validate(&b);
    for (size_t i = 0; i < 60; i++) /* one row of that group is without */
        assert_int_equal(isnan(cv.predicted_s[i]), i / 4 == 3 && i % 4 != 0);
    assert_true(summary_of(&b, &cv, 57).rms < 0.03);
    gcal_fit_cv_clear(&cv);
    bench_clear(&b);
}

/* Those of other groups have a hundred-thousandth of a cost: its value is their noise. */
static void does_not_score_what_is_noise(void **state)
{
    (void)state;
    for (int run = 0; run < 20; run++) {
        struct gcal_fit_cv cv;
        struct bench b;

        bench_init(&b, LOAD " + " MADD, 8);
        b.random += (uint64_t)run;
        b.has_groups = true;
        for (size_t i = 0; i < 8; i++) {
            b.group[i] = i / 4;
            *feature(&b, i, 0) = i / 4 == 0 ? 1e10 * (double)(1 + i) : 1e5;
            *feature(&b, i, 1) = i / 4 == 0 ? 0 : 1e10 * (double)(i - 3);
        }
        measure(&b, (double[]){ load_s, madd_s }, 0.01);
        solve(&b, GCAL_FIT_GOOD);
        cv = validate(&b);
        for (size_t i = 0; i < 8; i++)
            assert_true(isnan(cv.predicted_s[i]));
        gcal_fit_cv_clear(&cv);
        bench_clear(&b);
    }
}

/* Equally noisy rows predict each other as well as rows that are declared exact.
 */
static void noisy_rows_are_scored(void **state)
{
    double spread[60], rms;
    struct gcal_error err = { 0 };
    struct gcal_fit_rows rows;
    struct gcal_fit_cv cv;
    struct bench b;

    (void)state;
    bench_form(&b, 0);
    measure(&b, truths[0], 0.2);
    for (size_t i = 0; i < 60; i++)
        spread[i] = 0.2;
    assert_int_equal(solve_rows(&b, spread, &err), 0);
    rows = bench_rows(&b, spread);
    assert_int_equal(gcal_fit_cross_validate(b.model, &rows, &b.fit, &cv, &err), 0);
    rms = summary_of(&b, &cv, 60).rms;
    assert_true(rms > 0.1 && rms < 0.4);
    gcal_fit_cv_clear(&cv);
    bench_clear(&b);
}

static void too_few_rows_score_nothing(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_fit_rows rows;
    struct gcal_fit_cv cv;
    struct bench b;

    (void)state;
    bench_form(&b, 0);
    measure(&b, truths[0], 0.01);
    b.n_rows = 2;
    solve(&b, GCAL_FIT_TOO_FEW_ROWS);
    cv = validate(&b);
    assert_true(isnan(cv.predicted_s[0]));
    gcal_fit_cv_clear(&cv);
    b.n_rows = 3; /* without a group there is nothing left */
    *feature(&b, 0, LOAD_AT) = *feature(&b, 1, MADD_AT) = 713;
    measure(&b, truths[0], 0.01);
    solve(&b, GCAL_FIT_GOOD);
    cv = validate(&b);
    for (size_t i = 0; i < 3; i++)
        assert_true(isnan(cv.predicted_s[i]));
    gcal_fit_cv_clear(&cv);
    rows = bench_rows(&b, NULL);
    rows.n_rows = 2; /* not those of the fit */
    assert_int_equal(gcal_fit_cross_validate(b.model, &rows, &b.fit, &cv, &err), -1);
    bench_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_form),
        cmocka_unit_test(predicts_as_a_fit_without_the_rows),
        cmocka_unit_test(does_not_score_undetermined_rows),
        cmocka_unit_test(does_not_score_what_is_noise),
        cmocka_unit_test(noisy_rows_are_scored),
        cmocka_unit_test(too_few_rows_score_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
