/* test_posterior.c - factors that a few times move, as far as they say something */
#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/fit.h"
#include "fit/posterior.h"
#include "tests/unit.h"

#define ONE  "p_kernel_a*p_cost*f_op_float32_madd"
#define MANY "pnorm(3, p_kernel_a*p_cost*f_op_float32_madd, p_kernel_b*f_op_float32_mul)"
#define ADDED                                                                            \
    "pnorm(3, p_kernel_a*p_cost*f_op_float32_madd, p_kernel_b*f_op_float32_mul) + "      \
    "p_kernel_c*f_sync_kernel_launch"

#define COST_S 2.385e-12
#define PRIOR  0.41
#define SHARE  0.3
#define ERROR  0.05
/* Half of the 90 % interval. */
#define HALF_90 1.6448536269514722

enum { MAX_ROWS = 64, MOST = 4 };

/* Rows of a model, and what is known of its parameters. */
struct rows {
    struct gcal_arena *arena;
    struct gcal_model *model;
    double start[MOST], prior[MOST], share, error;
    size_t n;
    double features[MAX_ROWS * MOST], time_s[MAX_ROWS], spread[MAX_ROWS];
    struct gcal_fit_posterior found;
};

static size_t find_parameter(const struct rows *r, const char *name)
{
    size_t i = 0;

    while (i < r->model->n_parameters && strcmp(r->model->parameters[i].name, name) != 0)
        i++;
    assert_true(i < r->model->n_parameters);
    return i;
}

static void begin(struct rows *r, const char *expression)
{
    struct gcal_error err = { 0 };

    *r = (struct rows){ .arena = gcal_arena_create(), .share = SHARE, .error = ERROR };
    if (!(r->model = gcal_model_create("m", "f_cl_wall_time", expression, &err)))
        fail_msg("%s", err.text);
    assert_true(r->model->n_parameters <= MOST && r->model->n_features <= MOST);
    for (size_t i = 0; i < r->model->n_parameters; i++) {
        r->start[i] = 1;
        r->prior[i] = PRIOR;
    }
    r->start[find_parameter(r, "p_cost")] = COST_S;
    r->prior[find_parameter(r, "p_cost")] = 0;
}

static void end(struct rows *r)
{
    gcal_model_destroy(r->model);
    gcal_arena_destroy(r->arena);
}

/* The seconds of each term before its factor: 'madd_s', 'mul_s' and 'launch_s'. */
static double *add_row(struct rows *r, double madd_s, double mul_s, double launch_s)
{
    double *features = r->features + r->n * r->model->n_features;

    assert_true(r->n < MAX_ROWS);
    for (size_t i = 0; i < r->model->n_features; i++)
        features[i] = strstr(r->model->features[i], "madd")  ? madd_s / COST_S
                      : strstr(r->model->features[i], "mul") ? mul_s
                                                             : launch_s;
    return &r->time_s[r->n++];
}

static double eval(const struct rows *r, const double *values, size_t row)
{
    return gcal_model_eval(r->model, values, r->features + row * r->model->n_features,
                           NULL);
}

static int search(struct rows *r, struct gcal_error *err)
{
    const struct gcal_fit_rows rows = { .n_rows = r->n,
                                        .n_features = r->model->n_features,
                                        .features = r->features,
                                        .time_s = r->time_s,
                                        .spread = r->spread };
    struct gcal_fit_prior *prior =
        gcal_arena_alloc(r->arena, r->model->n_parameters, sizeof(*prior));

    for (size_t i = 0; i < r->model->n_parameters; i++)
        prior[i] =
            (struct gcal_fit_prior){ r->start[i], r->prior[i], r->share * r->prior[i] };
    return gcal_fit_posterior_find(r->arena, r->model, &rows, prior, r->error, &r->found,
                                   err);
}

static void find(struct rows *r)
{
    struct gcal_error err = { 0 };

    if (search(r, &err) < 0)
        fail_msg("%s", err.text);
}

static double value(const struct rows *r, const char *name)
{
    return r->found.value[find_parameter(r, name)];
}

static double covariance(const struct rows *r, const char *a, const char *b)
{
    return r->found
        .covariance[find_parameter(r, a) * r->model->n_parameters + find_parameter(r, b)];
}

static void assert_near(double value, double wanted, double relative)
{
    if (!(fabs(value - wanted) <= relative * fabs(wanted)))
        fail_msg("%.12g, and not %.12g", value, wanted);
}

static void assert_between(double value, double low, double high)
{
    if (!(value >= low && value <= high))
        fail_msg("%.12g, and not between %.12g and %.12g", value, low, high);
}

/* ---- what times say ---- */

static void factors_are_one_without_rows(void **state)
{
    struct rows r;

    (void)state;
    begin(&r, ADDED);
    r.prior[find_parameter(&r, "p_kernel_b")] = 0.2;
    find(&r);
    assert_near(value(&r, "p_kernel_a"), 1, 1e-12);
    assert_near(value(&r, "p_kernel_b"), 1, 1e-12);
    assert_near(covariance(&r, "p_kernel_a", "p_kernel_a"),
                PRIOR * PRIOR * (1 + SHARE * SHARE) + ERROR * ERROR, 1e-9);
    assert_near(covariance(&r, "p_kernel_b", "p_kernel_b"),
                0.2 * 0.2 * (1 + SHARE * SHARE) + ERROR * ERROR, 1e-9);
    assert_near(covariance(&r, "p_kernel_a", "p_kernel_b"), ERROR * ERROR, 1e-9);
    assert_near(r.found.error, ERROR, 1e-12);
    end(&r);
}

static void known_parameters_keep_their_values(void **state)
{
    struct rows r;

    (void)state;
    begin(&r, ADDED);
    r.start[find_parameter(&r, "p_kernel_c")] = 1.37;
    r.prior[find_parameter(&r, "p_kernel_c")] = 0;
    for (size_t i = 0; i < 3; i++)
        *add_row(&r, 1e-3, 1e-4, 1e-5) = 2e-3;
    find(&r);
    assert_true(value(&r, "p_cost") == COST_S);
    assert_true(value(&r, "p_kernel_c") == 1.37);
    assert_true(covariance(&r, "p_cost", "p_cost") == 0);
    assert_true(covariance(&r, "p_cost", "p_kernel_a") == 0);
    assert_true(covariance(&r, "p_kernel_c", "p_kernel_c") == 0);
    end(&r);
}

/* Rows say nothing then, but perhaps of the error. */
static void all_parameters_may_be_known(void **state)
{
    struct rows r;

    (void)state;
    begin(&r, ONE);
    r.start[find_parameter(&r, "p_kernel_a")] = 1.37;
    r.prior[find_parameter(&r, "p_kernel_a")] = 0;
    for (size_t i = 0; i < 3; i++)
        *add_row(&r, 1e-3, 0, 0) = 1.37e-3 * (1 + ERROR * ((double)i - 1));
    find(&r);
    assert_true(value(&r, "p_kernel_a") == 1.37);
    assert_true(covariance(&r, "p_kernel_a", "p_kernel_a") == 0);
    assert_between(r.found.error, 0.5 * ERROR, ERROR);
    end(&r);
}

/* Factors from 2.4 deviations below to as many above. */
static void many_rows_find_the_factor_of_the_term_that_dominates(void **state)
{
    static const double truths[] = { 0.37, 0.8, 1.5, 2.7 };

    (void)state;
    for (size_t k = 0; k < sizeof(truths) / sizeof(*truths); k++) {
        struct rows r;

        begin(&r, MANY);
        r.share = 0;
        for (size_t i = 0; i < 40; i++)
            *add_row(&r, 1e-3 * (double)(i + 1), 1e-6, 0) =
                1e-3 * (double)(i + 1) * truths[k];
        find(&r);
        assert_near(value(&r, "p_kernel_a"), truths[k], 0.01);
        /* Of the other, rows say nothing. */
        assert_near(value(&r, "p_kernel_b"), 1, 1e-4);
        assert_near(covariance(&r, "p_kernel_b", "p_kernel_b"),
                    PRIOR * PRIOR + r.found.error * r.found.error, 1e-4);
        end(&r);
    }
}

/* Rows of exact times, with factors that lie around the kernel's. */
static void rows_show_one_factor_each(void **state)
{
    struct rows r;

    (void)state;
    begin(&r, MANY);
    for (size_t i = 0; i < 30; i++) {
        *add_row(&r, 1e-3, 1e-7, 0) = 1.6e-3;
        *add_row(&r, 1e-7, 1e-3, 0) = 0.7e-3;
    }
    find(&r);
    assert_near(value(&r, "p_kernel_a"), 1.6, 0.01);
    assert_near(value(&r, "p_kernel_b"), 0.7, 0.01);
    /* Another row's own factor is as near to the kernel's as these are: two rows of 62 say otherwise. */
    assert_between(sqrt(covariance(&r, "p_kernel_a", "p_kernel_a")) / 1.6,
                   0.15 * SHARE * PRIOR, 0.3 * SHARE * PRIOR);
    end(&r);
}

/* A time is the model's with a factor of which the logarithm is normal in three ways: the prior's,
 * the row's own, and an error.
 */
static void one_row_moves_the_factor_as_gauss_says(void **state)
{
    static const double truths[] = { 0.6, 0.9, 1.1, 1.5, 2 };

    (void)state;
    for (size_t k = 0; k < sizeof(truths) / sizeof(*truths); k++) {
        struct rows r;
        double own, left, shrinkage, factor;

        begin(&r, ONE);
        *add_row(&r, 3e-3, 0, 0) = 3e-3 * truths[k];
        find(&r);
        own = SHARE * SHARE * PRIOR * PRIOR;
        left = (own + ERROR * ERROR) * pow(r.found.error / ERROR, 2);
        shrinkage = PRIOR * PRIOR / (PRIOR * PRIOR + left);
        factor = value(&r, "p_kernel_a");
        assert_near(log(factor) / log(truths[k]), shrinkage, 5e-3);
        assert_true(truths[k] > 1 ? factor > 1 && factor < truths[k]
                                  : factor < 1 && factor > truths[k]);
        assert_near(covariance(&r, "p_kernel_a", "p_kernel_a") / (factor * factor),
                    PRIOR * PRIOR * left / (PRIOR * PRIOR + left) + left, 5e-3);
        end(&r);
    }
}

/* The limit that a time says more of moves farther. */
static void factors_share_a_deviation_by_their_part_of_the_time(void **state)
{
    struct rows r;

    (void)state;
    begin(&r, ADDED);
    *add_row(&r, 1e-3, 0.8e-3, 1e-5) = 1.5e-3;
    find(&r);
    assert_true(value(&r, "p_kernel_a") > value(&r, "p_kernel_b"));
    assert_true(value(&r, "p_kernel_b") > value(&r, "p_kernel_c"));
    assert_true(value(&r, "p_kernel_c") > 1);
    /* Either may be what makes the time long. */
    assert_true(covariance(&r, "p_kernel_a", "p_kernel_b") < 0);
    end(&r);
}

/* ---- errors of times ---- */

static void spreads_weaken_rows(void **state)
{
    static const double spreads[] = { 0, 0.1, 0.5, 5 };
    double last = 1.5;

    (void)state;
    for (size_t k = 0; k < sizeof(spreads) / sizeof(*spreads); k++) {
        struct rows r;

        begin(&r, ONE);
        *add_row(&r, 1e-3, 0, 0) = 1.5e-3;
        r.spread[0] = spreads[k];
        find(&r);
        assert_between(value(&r, "p_kernel_a"), 1, last - 1e-3);
        last = value(&r, "p_kernel_a");
        end(&r);
    }
    assert_near(last, 1, 0.01);
}

/* Of two rows that disagree, the one that was measured better counts more. */
static void the_better_row_counts_more(void **state)
{
    struct rows r;

    (void)state;
    begin(&r, ONE);
    *add_row(&r, 1e-3, 0, 0) = 1.3e-3;
    *add_row(&r, 1e-3, 0, 0) = 1e-3;
    r.spread[1] = 0.3;
    find(&r);
    assert_true(value(&r, "p_kernel_a") > sqrt(1.3) + 0.02);
    end(&r);
}

/* Ten rows, one of which takes 'times' as long as the model with the factor says. */
static double find_with_outlier(double share, double factor, double times, double *error)
{
    struct rows r;
    double found;

    begin(&r, ONE);
    r.share = share;
    for (size_t i = 0; i < 10; i++)
        *add_row(&r, 1e-3, 0, 0) = 1e-3 * factor * (i == 4 ? times : 1);
    find(&r);
    found = value(&r, "p_kernel_a");
    *error = r.found.error;
    end(&r);
    return found;
}

static void an_outlier_moves_the_factor_little(void **state)
{
    static const double shares[] = { 0, SHARE }, wild[] = { 5, 0.2, 1000 },
                        factors[] = { 1, 1.5 };

    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 2; k++) {
            double error, without = find_with_outlier(shares[i], factors[k], 1, &error);

            for (size_t j = 0; j < sizeof(wild) / sizeof(*wild); j++) {
                double with = find_with_outlier(shares[i], factors[k], wild[j], &error);

                if (!(fabs(log(with / without)) < 0.03 && error < 2 * ERROR))
                    fail_msg("share %g, one time %g times as long: %g became %g, error "
                             "%g",
                             shares[i], wild[j], without, with, error);
            }
        }
}

static double find_error(double scatter)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    struct rows r;
    double error;

    begin(&r, ONE);
    r.share = 0;
    for (size_t i = 0; i < 60; i++)
        *add_row(&r, 1e-3, 0, 0) = 1e-3 * exp(gsl_ran_gaussian(random, scatter));
    find(&r);
    error = r.found.error;
    end(&r);
    gsl_rng_free(random);
    return error;
}

static void the_error_is_what_rows_scatter_by(void **state)
{
    (void)state;
    assert_between(find_error(0), 0.15 * ERROR, 0.25 * ERROR); /* two rows of 62 */
    assert_between(find_error(ERROR), 0.85 * ERROR, 1.15 * ERROR);
    assert_between(find_error(0.2), 0.8 * 0.2, 1.1 * 0.2);
}

/* Own factors of rows are no error, and neither is what the times' spread says. */
static void what_is_expected_is_no_error(void **state)
{
    struct rows r;

    (void)state;
    begin(&r, ONE);
    for (size_t i = 0; i < 60; i++)
        *add_row(&r, 1e-3, 0, 0) = 1e-3 * exp(SHARE * PRIOR * (i % 2 ? 1 : -1));
    find(&r);
    assert_between(r.found.error, 0.7 * ERROR, 1.3 * ERROR);
    end(&r);
    begin(&r, ONE);
    r.share = 0;
    for (size_t i = 0; i < 60; i++) {
        *add_row(&r, 1e-3, 0, 0) = 1e-3 * (i % 2 ? 1.2 : 1 / 1.2);
        r.spread[i] = log(1.2);
    }
    find(&r);
    assert_between(r.found.error, 0.7 * ERROR, 1.3 * ERROR);
    end(&r);
}

/* Many deviations of the prior, but what all rows agree in is no outlier. */
static void rows_that_agree_move_the_factor_far(void **state)
{
    static const double far[] = { 1. / 30, 0.1, 10, 30 };

    (void)state;
    for (size_t k = 0; k < sizeof(far) / sizeof(*far); k++)
        for (size_t n = 3; n <= 10; n += 7) {
            struct rows r;

            begin(&r, MANY);
            for (size_t i = 0; i < n; i++)
                *add_row(&r, 1e-3, 1e-7, 0) = 1e-3 * far[k];
            find(&r);
            assert_near(value(&r, "p_kernel_a"), far[k], n == 3 ? 0.15 : 0.05);
            assert_true(r.found.error < 2 * ERROR);
            end(&r);
        }
}

/* However long it is: up to 16 times, it is believed. */
static void a_longer_time_has_a_larger_factor(void **state)
{
    double last = 1;

    (void)state;
    for (double far = 1.5; far < 16; far *= 1.5) {
        struct rows r;

        begin(&r, ONE);
        *add_row(&r, 1e-3, 0, 0) = 1e-3 * far;
        find(&r);
        assert_between(value(&r, "p_kernel_a"), last, far);
        last = value(&r, "p_kernel_a");
        end(&r);
    }
}

static void absurd_times_have_a_finite_factor(void **state)
{
    static const double far[] = { 1e-300, 1e-12, 1e12, 1e300 };

    (void)state;
    for (size_t k = 0; k < sizeof(far) / sizeof(*far); k++)
        for (size_t n = 1; n <= 10; n += 9) {
            struct rows r;

            begin(&r, ADDED);
            for (size_t i = 0; i < n; i++)
                *add_row(&r, 1e-3, 1e-4 * (double)i, 1e-6) = 1e-3 * far[k];
            find(&r);
            assert_true(value(&r, "p_kernel_a") > 0);
            assert_true(isfinite(value(&r, "p_kernel_a")));
            assert_true(isfinite(covariance(&r, "p_kernel_a", "p_kernel_a")));
            end(&r);
        }
}

static void rows_without_a_time_are_refused(void **state)
{
    static const double wrong[] = { NAN, INFINITY, 0, -1 };

    (void)state;
    for (size_t k = 0; k < 2 * sizeof(wrong) / sizeof(*wrong); k++) {
        struct gcal_error err = { 0 };
        struct rows r;

        begin(&r, MANY);
        *add_row(&r, 1e-3, 1e-3, 0) = 1e-3;
        *add_row(&r, 1e-3, 1e-3, 0) = 1e-3;
        if (k % 2) {
            r.features[r.model->n_features] = wrong[k / 2];
            r.features[r.model->n_features + 1] = wrong[k / 2];
        } else {
            r.time_s[1] = wrong[k / 2];
        }
        assert_int_equal(search(&r, &err), -1);
        assert_int_equal(err.code, GCAL_EFIT);
        assert_non_null(strstr(err.text, "model m: "));
        end(&r);
    }
}

/* Of a root of nothing. */
static void rows_without_slopes_are_refused(void **state)
{
    struct gcal_error err = { 0 };
    struct rows r;

    (void)state;
    begin(&r, ONE " + (p_kernel_b*f_op_float32_mul)^0.5");
    *add_row(&r, 1e-3, 0, 0) = 1.5e-3;
    assert_int_equal(search(&r, &err), -1);
    assert_non_null(strstr(err.text, "model m: "));
    end(&r);
}

/* ---- intervals ---- */

/* A row of random parts, whose time has factors of its own around these, and an error; 'own' is
 * for them.
 */
static void draw_row(struct rows *r, gsl_rng *random, const double *factors, double *own)
{
    double *time_s = add_row(r, 1e-3 * exp(gsl_ran_gaussian(random, 1)),
                             1e-3 * exp(gsl_ran_gaussian(random, 1)),
                             2e-4 * exp(gsl_ran_gaussian(random, 0.5)));

    for (size_t i = 0; i < r->model->n_parameters; i++)
        own[i] = factors[i] * exp(gsl_ran_gaussian(random, r->share * r->prior[i]));
    *time_s = eval(r, own, r->n - 1) * exp(gsl_ran_gaussian(random, r->error));
}

/* Of the logarithm of another row's time. */
static double predict_deviation(const struct rows *r, size_t row)
{
    const double *features = r->features + row * r->model->n_features;
    size_t n = r->model->n_parameters;
    double gradient[MOST], variance = 0, time_s;

    time_s = gcal_model_eval(r->model, r->found.value, features, gradient);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            variance += gradient[i] * gradient[k] * r->found.covariance[i * n + k];
    return sqrt(variance) / time_s;
}

/* How many of 'draws' kernels' times lie in the interval that n times of the kernel give. */
static size_t count_inside(size_t n, size_t draws, double *width)
{
    gsl_rng *random = gsl_rng_alloc(gsl_rng_taus2);
    size_t inside = 0;

    *width = 0;
    for (size_t d = 0; d < draws; d++) {
        double truth[MOST], own[MOST], off, deviation;
        struct rows r;

        begin(&r, ADDED);
        for (size_t i = 0; i < r.model->n_parameters; i++)
            truth[i] = r.start[i] * exp(gsl_ran_gaussian(random, r.prior[i]));
        for (size_t i = 0; i < n; i++)
            draw_row(&r, random, truth, own);
        find(&r);
        draw_row(&r, random, truth, own);
        off = log(r.time_s[n] / eval(&r, r.found.value, n));
        deviation = predict_deviation(&r, n);
        inside += fabs(off) < HALF_90 * deviation;
        *width += deviation / (double)draws;
        end(&r);
    }
    gsl_rng_free(random);
    return inside;
}

static void intervals_hold_nine_of_ten_times_of_another_row(void **state)
{
    enum { DRAWS = 500 };
    static const size_t counts[] = { 0, 1, 3, 10 };
    double last = INFINITY;

    (void)state;
    for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
        double width;
        size_t inside = count_inside(counts[k], DRAWS, &width);

        if (inside < DRAWS * 85 / 100 || inside > DRAWS * 95 / 100 || width > last)
            fail_msg("%zu rows: %zu of %d inside, deviation %g", counts[k], inside, DRAWS,
                     width);
        last = width;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_one_without_rows),
        cmocka_unit_test(known_parameters_keep_their_values),
        cmocka_unit_test(all_parameters_may_be_known),
        cmocka_unit_test(many_rows_find_the_factor_of_the_term_that_dominates),
        cmocka_unit_test(rows_show_one_factor_each),
        cmocka_unit_test(one_row_moves_the_factor_as_gauss_says),
        cmocka_unit_test(factors_share_a_deviation_by_their_part_of_the_time),
        cmocka_unit_test(spreads_weaken_rows),
        cmocka_unit_test(the_better_row_counts_more),
        cmocka_unit_test(an_outlier_moves_the_factor_little),
        cmocka_unit_test(the_error_is_what_rows_scatter_by),
        cmocka_unit_test(what_is_expected_is_no_error),
        cmocka_unit_test(rows_that_agree_move_the_factor_far),
        cmocka_unit_test(a_longer_time_has_a_larger_factor),
        cmocka_unit_test(absurd_times_have_a_finite_factor),
        cmocka_unit_test(rows_without_a_time_are_refused),
        cmocka_unit_test(rows_without_slopes_are_refused),
        cmocka_unit_test(intervals_hold_nine_of_ten_times_of_another_row),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
