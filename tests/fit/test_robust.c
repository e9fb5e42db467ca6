/* test_robust.c - outliers have bounded influence */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/fit.h"
#include "tests/fit/bench.h"
#include "tests/unit.h"

#define SUM     LAUNCH " + " LOAD " + " MADD
#define OVERLAP LAUNCH " + overlap(" LOAD ", " MADD ", p_edge)"
#define PNORM   LAUNCH " + pnorm(p_x, " LOAD ", " MADD ")"
#define PARTIAL                                                                          \
    "max(" LOAD ", " MADD ") + p_hidden*(" LOAD " + " MADD " - max(" LOAD ", " MADD      \
    ")) + " LAUNCH

static void set_range(struct bench *b, const char *name, double min, double max)
{
    struct gcal_model_parameter *p = gcal_model_parameter_find(b->model, name);

    if (p) {
        p->min = min;
        p->max = max;
    }
}

/* Parameters in the order of the expression. */
struct form {
    const char *expression;
    double truth[4];
};

static const struct form forms[] = {
    { SUM, { 7.21e-6, 1.13e-12, 2.385e-12 } },
    { OVERLAP, { 7.21e-6, 1.13e-12, 2.385e-12, 1.9 } },
    { PNORM, { 7.21e-6, 1.713, 1.13e-12, 2.385e-12 } },
};

static void bench_form(struct bench *b, const struct form *form, size_t n_rows)
{
    bench_init(b, form->expression, n_rows);
    set_range(b, "p_x", 1, 20);
    set_range(b, "p_edge", 0.1, 100);
}

/* The largest relative move of a parameter when the times of these rows are multiplied by
 * 'factor'.
 */
static double worst_move(struct bench *b, size_t first, size_t step, double factor)
{
    double before[8], worst = 0;

    solve(b, GCAL_FIT_GOOD);
    memcpy(before, b->fit.value, b->fit.n_parameters * sizeof(double));
    for (size_t i = first; i < b->n_rows; i += step)
        b->time_s[i] *= factor;
    solve(b, GCAL_FIT_GOOD);
    for (size_t i = first; i < b->n_rows; i += step)
        b->time_s[i] /= factor;
    for (size_t j = 0; j < b->fit.n_parameters; j++)
        worst = fmax(worst, fabs(b->fit.value[j] / before[j] - 1));
    return worst;
}

static void one_wrong_row_moves_nothing(void **state)
{
    static const double factors[] = { 1.0 / 400, 0.13, 0.7, 1.5, 7, 400 };

    (void)state;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
        for (size_t k = 0; k < sizeof(factors) / sizeof(factors[0]); k++) {
            double moved;
            struct bench b;

            bench_form(&b, &forms[f], 300);
            measure(&b, forms[f].truth, 0.02);
            moved = worst_move(&b, 41 + 13 * k, 300, factors[k]);
            if (!(moved < 0.01))
                fail_msg("%s: a factor of %g moves one by %g", forms[f].expression,
                         factors[k], moved);
            bench_clear(&b);
        }
}

static void spikes_move_nothing(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++)
        for (int slow = 0; slow < 2; slow++) {
            double moved;
            struct bench b;

            bench_form(&b, &forms[f], 300);
            measure(&b, forms[f].truth, 0.02);
            moved = worst_move(&b, 37, 100, slow ? 400 : 1.0 / 400);
            if (!(moved < 0.01))
                fail_msg("%s: 1 %% of spikes moves one by %g", forms[f].expression,
                         moved);
            bench_clear(&b);
        }
}

/* One row in ten, all in one direction: beyond the guarantee, but nothing breaks. */
static void many_wrong_rows_are_survived(void **state)
{
    struct bench b;

    (void)state;
    bench_form(&b, &forms[2], 300);
    measure(&b, forms[2].truth, 0.02);
    for (size_t i = 3; i < 300; i += 10)
        b.time_s[i] *= 400;
    solve(&b, GCAL_FIT_GOOD);
    for (size_t j = 0; j < 4; j++)
        assert_near(b.fit.value[j], forms[2].truth[j], 0.05);
    bench_clear(&b);
}

/* A corner where two groups swap, and a share that matters only near it. */
static void finds_a_share_across_corners(void **state)
{
    static const double shares[] = { 0, 0.137, 0.613, 1.31 };

    (void)state;
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
        for (size_t seed = 1; seed < 6; seed++) {
            const double truth[] = { load_s, madd_s, shares[i], launch_s };
            struct bench b;
            size_t at = 0;

            bench_init(&b, PARTIAL, 80);
            set_range(&b, "p_hidden", 0, 1.5);
            for (size_t row = 0; row < b.n_rows;
                 row++) { /* features: load, madd, launch */
                *feature(&b, row, 0) = floor(1e8 * pow(100, uniform(&b)));
                *feature(&b, row, 1) = floor(1e8 * pow(100, uniform(&b)));
                *feature(&b, row, 2) = 1;
            }
            b.random = 713 * seed;
            measure(&b, truth, 0.01);
            solve(&b, GCAL_FIT_GOOD);
            while (strcmp(b.model->parameters[at].name, "p_hidden") != 0)
                at++;
            if (!(fabs(b.fit.value[at] - shares[i]) < 0.03))
                fail_msg("a share of %g is found as %g", shares[i], b.fit.value[at]);
            assert_near(b.fit.value[0], load_s, 0.02);
            assert_near(b.fit.value[1], madd_s, 0.02);
            bench_clear(&b);
        }
}

/* A device of the same kind at another speed: the search that begins at the other's values ends
 * where that from several guesses does, and sooner.
 */
static void ends_at_the_same_from_a_similar_device(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        double others[4];
        struct gcal_fit_rows rows;
        struct gcal_fit fit;
        struct bench b;

        bench_form(&b, &forms[f], 300);
        measure(&b, forms[f].truth, 0.02);
        solve(&b, GCAL_FIT_GOOD);
        memcpy(others, b.fit.value, b.fit.n_parameters * sizeof(*others));
        for (size_t i = 0; i < b.n_rows; i++)
            b.time_s[i] *= 7.3;
        solve(&b, GCAL_FIT_GOOD);
        rows = bench_rows(&b, NULL);
        rows.start = others;
        assert_int_equal(gcal_fit_solve(b.model, &rows, &fit, NULL), 0);
        assert_int_equal(fit.status, GCAL_FIT_GOOD);
        for (size_t j = 0; j < fit.n_parameters; j++)
            assert_near(fit.value[j], b.fit.value[j], 1e-4);
        assert_true(fit.iterations < b.fit.iterations);
        gcal_fit_clear(&fit);
        bench_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_wrong_row_moves_nothing),
        cmocka_unit_test(spikes_move_nothing),
        cmocka_unit_test(many_wrong_rows_are_survived),
        cmocka_unit_test(finds_a_share_across_corners),
        cmocka_unit_test(ends_at_the_same_from_a_similar_device),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
