/* test_evaluation.c - errors, intervals and orders of predicted and measured times */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/commands/predict/evaluation.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) <= 1e-12)

static void add(struct gcal_evaluation *e, const char *model, const char *variant,
                const char *sizes, double predicted_s, double measured_s)
{
    struct gcal_evaluation_row *row = gcal_evaluation_add(e);

    assert_non_null(row);
    row->model = model;
    row->variant = variant;
    row->application = "all";
    row->sizes = sizes;
    row->predicted_s = predicted_s;
    row->low_s = 0.9 * predicted_s;
    row->high_s = predicted_s / 0.9;
    row->measured_s = measured_s;
}

/* Three variants of model a; one of b, and one that was not measured. */
static struct gcal_evaluation example(void)
{
    struct gcal_evaluation e = { .arena = gcal_arena_create() };

    add(&e, "b", "x", "n:64", 2.5, 2.0);
    add(&e, "a", "tiled", "n:1024", 1.02, 1.0);
    add(&e, "a", "plain", "n:1024", 1.14, 1.2);
    add(&e, "a", "wide", "n:1024", 1.01, 1.01);
    add(&e, "a", "tiled", "n:512", 0.16, 0.12);
    add(&e, "a", "plain", "n:512", 0.15, 0.15);
    add(&e, "a", "wide", "n:512", 0.9, NAN);
    add(&e, "b", "y", "n:64", NAN, 1.0);
    gcal_evaluation_sort(&e);
    return e;
}

static void rows_come_by_model_variant_and_size(void **state)
{
    static const char *const order[] = { "plain n:512",  "plain n:1024", "tiled n:512",
                                         "tiled n:1024", "wide n:512",   "wide n:1024",
                                         "x n:64",       "y n:64" };
    struct gcal_evaluation e = example();

    (void)state;
    assert_int_equal(e.n, 8);
    for (size_t i = 0; i < e.n; i++) {
        size_t length = strlen(e.rows[i].variant);

        assert_int_equal(strncmp(e.rows[i].variant, order[i], length), 0);
        assert_string_equal(e.rows[i].sizes, order[i] + length + 1);
    }
    gcal_arena_destroy(e.arena);
}

static struct gcal_evaluation_summary summarize(const struct gcal_evaluation *e,
                                                const char *model, const char *variant)
{
    const struct gcal_evaluation_filter filter = { .model = model, .variant = variant };

    return gcal_evaluation_summarize(e, &filter);
}

static void means_are_geometric(void **state)
{
    struct gcal_evaluation e = example();
    struct gcal_evaluation_summary f = summarize(&e, "a", "tiled");

    (void)state;
    assert_int_equal(f.n, 2);
    assert_near(f.mean_error, sqrt(0.02 / 3)); /* of 2 % and a third */
    assert_near(f.worst_error, 1.0 / 3);
    assert_int_equal(f.n_inside, 1);
    f = summarize(&e, "b", NULL);
    assert_int_equal(f.n, 1);
    assert_near(f.mean_error, 0.25);
    assert_int_equal(f.n_inside, 0);
    /* Two exact rows count as 1e-16 each: the mean is not 0, and they are not ignored. */
    f = summarize(&e, NULL, NULL);
    assert_int_equal(f.n, 6);
    assert_int_equal(f.n_inside, 4);
    assert_near(f.mean_error / pow(0.25 * 0.02 * 0.05 / 3 * 1e-32, 1.0 / 6), 1);
    f = summarize(&e, "c", NULL);
    assert_true(f.n == 0 && isnan(f.mean_error) && isnan(f.worst_error));
    gcal_arena_destroy(e.arena);
}

static struct gcal_evaluation_summary summarize_band(const struct gcal_evaluation *e,
                                                     enum gcal_evaluation_band band)
{
    const struct gcal_evaluation_filter filter = { .band = band };

    return gcal_evaluation_summarize(e, &filter);
}

static void figures_have_factors_and_bands(void **state)
{
    struct gcal_evaluation e = { .arena = gcal_arena_create() };
    struct gcal_evaluation_summary f;

    (void)state;
    add(&e, "a", "x", "n:1", 10e-6, 5e-6);    /* 100 %, a factor of 2 */
    add(&e, "a", "x", "n:2", 30e-6, 40e-6);   /* 25 %, a factor of 4/3 */
    add(&e, "a", "x", "n:3", 120e-6, 100e-6); /* 20 % */
    add(&e, "a", "x", "n:4", 1e-3, 4e-3);     /* 75 %, a factor of 4 */
    add(&e, "a", "y", "n:1", NAN, 1e-3);
    add(&e, "c", "x", "n:1", 9e-6, 5e-6);
    e.rows[3].low_s = 1e-4;
    e.rows[3].high_s = 5e-3;
    e.rows[5].baseline = true;
    f = summarize(&e, NULL, NULL);
    assert_true(f.n == 4 && f.n_missing == 1);
    assert_near(f.median_error, 0.5);
    assert_near(f.average_error, 0.55);
    assert_near(f.time_error, (5 + 10 + 20 + 3000) / 4145.0);
    assert_near(f.factor, pow(2 * 4 / 3.0 * 1.2 * 4, 0.25));
    assert_near(f.factor_90, 4);
    assert_near(f.width, 1 / 0.81); /* of three; one is wider, and inside */
    assert_true(f.n_within[0] == 1 && f.n_within[1] == 2 && f.n_within[2] == 3);
    assert_true(f.n_inside == 1);
    assert_ptr_equal(f.worst, &e.rows[3]); /* not the one with the largest error */

    f = summarize_band(&e, GCAL_EVALUATION_BELOW_50_US);
    assert_true(f.n == 2 && f.n_inside == 0 && f.n_missing == 0);
    assert_near(f.mean_error, 0.5);
    assert_near(f.median_error, 0.625);
    assert_near(f.time_error, 15 / 45.0);
    f = summarize_band(&e, GCAL_EVALUATION_50_US_TO_1_MS);
    assert_true(f.n == 1 && f.n_missing == 0);
    assert_near(f.factor_90, 1.2);
    f = summarize_band(&e, GCAL_EVALUATION_ABOVE_1_MS);
    assert_true(f.n == 1 && f.n_missing == 1 && f.n_inside == 1);
    assert_near(f.width, 50);

    f = summarize(&e, "c", NULL);
    assert_int_equal(f.n, 1);
    assert_near(f.mean_error, 0.8);
    f = summarize(&e, "d", NULL);
    assert_true(f.n == 0 && isnan(f.time_error) && isnan(f.factor_90) && isnan(f.width));
    gcal_arena_destroy(e.arena);
}

static void bands_meet_at_50_us_and_1_ms(void **state)
{
    (void)state;
    assert_int_equal(gcal_evaluation_band_of(NAN), GCAL_EVALUATION_ALL_TIMES);
    assert_int_equal(gcal_evaluation_band_of(49.999e-6), GCAL_EVALUATION_BELOW_50_US);
    assert_int_equal(gcal_evaluation_band_of(50e-6), GCAL_EVALUATION_50_US_TO_1_MS);
    assert_int_equal(gcal_evaluation_band_of(0.99999e-3), GCAL_EVALUATION_50_US_TO_1_MS);
    assert_int_equal(gcal_evaluation_band_of(1e-3), GCAL_EVALUATION_ABOVE_1_MS);
    assert_string_equal(gcal_evaluation_band_name(GCAL_EVALUATION_ALL_TIMES), "");
    assert_string_equal(gcal_evaluation_band_name(GCAL_EVALUATION_ABOVE_1_MS),
                        "above_1_ms");
}

/* Variants of a general model are those of one application. */
static void applications_are_no_variants(void **state)
{
    struct gcal_evaluation e = { .arena = gcal_arena_create() };
    struct gcal_evaluation_ordering r;

    (void)state;
    add(&e, "a", "x_one", "n:64", 1.0, 1.0);
    add(&e, "a", "x_two", "n:64", 1.1, 2.0);
    add(&e, "a", "y", "n:64", 1.05, 1.5);
    for (size_t i = 0; i < e.n; i++)
        e.rows[i].general = true;
    e.rows[2].application = "y";
    gcal_evaluation_find_sets(&e);
    assert_int_equal(e.n_sets, 1);
    assert_int_equal(e.sets[0].n, 2);
    assert_near(e.sets[0].correlation, 1);
    e.rows[2].general = e.rows[1].general = e.rows[0].general = false;
    gcal_evaluation_find_sets(&e);
    assert_int_equal(e.n_sets, 1);
    assert_int_equal(e.sets[0].n, 3);
    assert_near(e.sets[0].correlation, 1);
    e.rows[0].baseline = e.rows[1].baseline = e.rows[2].baseline = true;
    gcal_evaluation_find_sets(&e);
    r = gcal_evaluation_ordering(&e, NULL);
    assert_true(r.n_sets == 0 && isnan(r.correlation));
    r = gcal_evaluation_ordering(&e, "a");
    assert_true(r.n_sets == 1 && r.n_ordered == 3);
    assert_near(r.correlation, 1);
    gcal_arena_destroy(e.arena);
}

static void ties_are_no_misses(void **state)
{
    struct gcal_evaluation e = example();
    struct gcal_evaluation_ordering r;

    (void)state;
    gcal_evaluation_find_sets(&e);
    assert_int_equal(e.n_sets, 2); /* a set has at least two kernels */
    /* n = 512: the plain one is predicted to be the faster, and is slower by 25 %. */
    assert_string_equal(e.sets[0].sizes, "n:512");
    assert_int_equal(e.sets[0].n, 2);
    assert_string_equal(e.rows[e.sets[0].fastest].variant, "tiled");
    assert_string_equal(e.rows[e.sets[0].chosen].variant, "plain");
    assert_true(!e.sets[0].tie && !e.sets[0].found);
    assert_near(e.sets[0].loss, 0.25);
    assert_near(e.sets[0].lead, 0.25);
    assert_true(e.sets[0].n_pairs == 1 && e.sets[0].n_ordered == 0);
    /* n = 1024: the wide one is slower than the tiled one by 1 %. */
    assert_int_equal(e.sets[1].n, 3);
    assert_string_equal(e.rows[e.sets[1].fastest].variant, "tiled");
    assert_string_equal(e.rows[e.sets[1].chosen].variant, "wide");
    assert_true(e.sets[1].tie && e.sets[1].found);
    assert_near(e.sets[1].lead, 0.01);
    assert_near(e.sets[1].loss, 0.01);
    assert_true(e.sets[1].n_pairs == 2 && e.sets[1].n_ordered == 2);
    r = gcal_evaluation_ordering(&e, NULL);
    assert_true(r.n_sets == 2 && r.n_found == 1 && r.n_ties == 1 && r.n_pairs == 3 &&
                r.n_ordered == 2);
    r = gcal_evaluation_ordering(&e, "b");
    assert_int_equal(r.n_sets, 0);
    gcal_arena_destroy(e.arena);
}

/* Two equal variants, and a slow third that is chosen. */
static void a_tie_of_others_is_no_excuse(void **state)
{
    struct gcal_evaluation e = { .arena = gcal_arena_create() };

    (void)state;
    add(&e, "a", "x", "n:64", 1.0, 1.0);
    add(&e, "a", "y", "n:64", 1.1, 1.001);
    add(&e, "a", "z", "n:64", 0.9, 1.5);
    gcal_evaluation_find_sets(&e);
    assert_int_equal(e.n_sets, 1);
    assert_true(e.sets[0].tie && !e.sets[0].found);
    assert_near(e.sets[0].loss, 0.5);
    assert_near(e.sets[0].lead, 0.001);
    gcal_arena_destroy(e.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_by_model_variant_and_size),
        cmocka_unit_test(means_are_geometric),
        cmocka_unit_test(figures_have_factors_and_bands),
        cmocka_unit_test(bands_meet_at_50_us_and_1_ms),
        cmocka_unit_test(applications_are_no_variants),
        cmocka_unit_test(ties_are_no_misses),
        cmocka_unit_test(a_tie_of_others_is_no_excuse),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
