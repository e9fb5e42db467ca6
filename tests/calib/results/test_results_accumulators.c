/* test_results_accumulators.c - of accumulator variants, one is fitted */
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
#include "tests/calib/results/synthetic.h"
#include "tests/folder.h"

/* Time of an access in the full kernel. */
static const double full_access_s = 5.39e-12;

#define N_EMPTY 4

/* 'ratio': its time per access over that of the full kernel. */
static void put_app(struct maker *m, const char *generator, const char *arguments,
                    const char *models, double n, double ratio)
{
    char *family = gcal_buf_format("%s %s", generator, arguments);
    char *with_size = gcal_buf_format("%s n:%.0f", arguments, n);

    put_part(m,
             (struct kernel){ .generator = generator,
                              .arguments = with_size,
                              .models = models,
                              .adds = n,
                              .time_s = ratio * full_access_s * n },
             family, "app");
    free(family);
    free(with_size);
}

static void put_targets(struct maker *m, const char *models)
{
    put_app(m, "app", "dtype:float32 transposed:True", models, 713e7, 1);
    put_app(m, "app", "dtype:float32 transposed:False", models, 713e7, 0.1);
}

static void put_accesses(struct maker *m, int accumulators, const char *models, double n,
                         double ratio)
{
    char *arguments = gcal_buf_format(
        "dtype:float32 transposed:True accumulators:%d barriers:True", accumulators);

    put_app(m, "app_memory", arguments, models, n, ratio);
    free(arguments);
}

/* With one accumulator, at two sizes, of which one is the target's. */
static void put_usual(struct maker *m, double ratio)
{
    put_accesses(m, 1, "m", 4099e5, ratio);
    put_accesses(m, 1, "m", 713e7, ratio);
    put_accesses(m, 1, "m", 2385e7, ratio);
}

static struct maker start(size_t n_devices)
{
    struct maker m = make_start(n_devices, NULL);

    put_ladder(&m, "empty", "m", 0, 0, add_up, 1);
    return m;
}

static struct gcal_config app_model(void)
{
    struct gcal_config config = empty_config();

    add_form(&config, "linear", "p_app * f_memory_tag:app + " LAUNCHES, false);
    return config;
}

/* So many rows, without those of empty kernels, are fitted and give that ratio. */
static char *fitted(struct maker *m, size_t n_rows, double ratio)
{
    struct gcal_record *record = make_end(m);
    struct gcal_config config = app_model();
    struct gcal_results results = { 0 };
    const struct gcal_result_type_fit *t = fit(record, &config, &results);
    char *table;

    assert_true(t->good && !t->by_targets);
    assert_int_equal(t->n_rows, (n_rows + N_EMPTY) * m->n_devices);
    assert_int_equal(t->forms[0].n_rows, t->n_rows);
    within(t->forms[0].fit.value[0] / full_access_s, ratio, 0.01);
    assert_true(t->forms[0].fit.residual < 0.02);
    assert_non_null(table = gcal_results_format(&results, record, &config, NULL));
    finish(&results, &config, record);
    return table;
}

static void reports(struct maker *m, size_t n_rows, double ratio, const char *text)
{
    char *table = fitted(m, n_rows, ratio);
    char squeezed[8192];
    size_t n = 0;

    /* Lines are broken anywhere: blanks count as one space. */
    for (const char *c = table; *c && n < sizeof(squeezed) - 1; c++) {
        bool blank = *c == ' ' || *c == '\n';

        if (!blank || (n && squeezed[n - 1] != ' '))
            squeezed[n++] = blank ? ' ' : *c;
    }
    squeezed[n] = '\0';
    if (!strstr(squeezed, text))
        fail_msg("'%s' is not in: %s", text, table);
    free(table);
}

static void reports_nothing(struct maker *m, size_t n_rows, double ratio)
{
    char *table = fitted(m, n_rows, ratio);

    assert_null(strstr(table, "replaces it"));
    free(table);
}

/* ---- the tests ---- */

#define REPLACED                                                                         \
    "app dtype:float32 transposed:True: its memory component takes 1.40 times as long "  \
    "as "                                                                                \
    "the full kernel; the one with 8 accumulators (0.82 times) replaces it"

static void a_component_slower_than_its_target_is_replaced(void **state)
{
    struct maker m = start(2);

    (void)state;
    put_targets(&m, "m:check");
    put_usual(&m, 1.4);
    put_accesses(&m, 8, "m:check", 713e7, 0.82);
    reports(&m, 1, 0.82, REPLACED);
}

static void a_target_of_another_size_counts_as_well(void **state)
{
    struct maker m = start(1);

    (void)state;
    put_targets(&m, "m:check");
    put_accesses(&m, 1, "m", 4099e5, 0.7);
    put_accesses(&m, 1, "m", 5901e6, 1.4);
    put_accesses(&m, 8, "m:check", 1259e7, 0.82);
    reports(&m, 1, 0.82, REPLACED);
}

/* The model itself asks for both variants. */
static void two_ways_are_never_fitted_together(void **state)
{
    struct maker m = start(1);

    (void)state;
    put_targets(&m, "other:whole");
    put_accesses(&m, 8, "m", 2385e7, 0.82);
    put_accesses(&m, 8, "m", 713e7, 0.82);
    put_usual(&m, 1.4);
    reports(&m, 2, 0.82, REPLACED);

    m = start(1);
    put_accesses(&m, 8, "m", 2385e7, 0.82);
    put_usual(&m, 1.4);
    reports_nothing(&m, 3, 1.4); /* nothing says that these are slow */
}

static void accesses_that_are_faithful_stay(void **state)
{
    struct maker m = start(1);

    (void)state;
    put_targets(&m, "m:check");
    put_usual(&m, 1.04);
    put_accesses(&m, 8, "m:check", 713e7, 0.82);
    reports_nothing(&m, 3, 1.04);
}

static void another_way_that_is_no_faster_is_not_taken(void **state)
{
    struct maker m = start(1);

    (void)state;
    put_targets(&m, "m:check");
    put_usual(&m, 1.4);
    put_accesses(&m, 8, "m:check", 713e7, 1.6);
    reports_nothing(&m, 3, 1.4);
}

/* The target with other arguments is ten times as fast, and does not count. */
static void without_its_target_the_first_variant_stays(void **state)
{
    struct maker m = start(1);

    (void)state;
    put_app(&m, "app", "dtype:float32 transposed:False", "m:check", 713e7, 0.1);
    put_usual(&m, 1.4);
    put_accesses(&m, 8, "m:check", 713e7, 0.82);
    reports_nothing(&m, 3, 1.4);
}

/* A single variant, and the target at a size that the component lacks. */
static void a_component_slower_than_a_target_of_another_size_is_reported(void **state)
{
    struct maker m = start(1);
    char *table;

    (void)state;
    put_targets(&m, "m:check");
    put_accesses(&m, 1, "m", 5901e6, 1.4);
    put_accesses(&m, 1, "m", 6143e6, 1.4);
    reports(&m, 2, 1.4,
            "app: its memory component takes 1.4 times as long as the full kernel "
            "(app_memory");

    m = start(1);
    put_targets(&m, "m:check");
    put_accesses(&m, 1, "m", 5901e6, 1.04);
    assert_null(strstr(table = fitted(&m, 1, 1.04), "component takes"));
    free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_component_slower_than_its_target_is_replaced),
        cmocka_unit_test(a_target_of_another_size_counts_as_well),
        cmocka_unit_test(two_ways_are_never_fitted_together),
        cmocka_unit_test(accesses_that_are_faithful_stay),
        cmocka_unit_test(another_way_that_is_no_faster_is_not_taken),
        cmocka_unit_test(without_its_target_the_first_variant_stays),
        cmocka_unit_test(a_component_slower_than_a_target_of_another_size_is_reported),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
