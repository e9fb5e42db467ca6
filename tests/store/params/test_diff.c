/* test_diff.c - differences between parameter files */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/params/diff.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

static void set_text(char **text, const char *to)
{
    free(*text);
    *text = strdup(to);
}

static bool has_note(const struct gcal_params_diff *diff, const char *text)
{
    for (size_t i = 0; i < diff->n_notes; i++)
        if (strcmp(diff->notes[i], text) == 0)
            return true;
    return false;
}

/* The change of the first parameter from 2.385e-12, with that standard error in both. */
static struct gcal_params_diff_change cost_change(double change, double error)
{
    struct gcal_params before = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params after = sample_params("n1", "uuid:7f", 2.385e-12 * (1 + change));
    struct gcal_params_diff_change found = { 0 };
    struct gcal_params_diff diff;

    before.devices[0].models[0].standard_error[0] = error;
    after.devices[0].models[0].standard_error[0] = error;
    assert_int_equal(gcal_params_diff_find(&before, &after, &diff, NULL), 0);
    assert_int_equal(diff.n_changes, 3); /* the factor and two parameters */
    assert_int_equal(diff.n_devices, 1);
    assert_int_equal(diff.n_notes, 0);
    if (change != 0)
        assert_string_equal(diff.changes[0].parameter, "p_madd");
    for (size_t i = 0; i < 3; i++)
        if (strcmp(diff.changes[i].parameter, "p_madd") == 0)
            found = diff.changes[i];
    assert_true(found.cost);
    gcal_params_diff_clear(&diff);
    gcal_params_clear(&before);
    gcal_params_clear(&after);
    return found;
}

static void distinguishes_changes_from_noise(void **state)
{
    struct gcal_params_diff_change c = cost_change(0.051, 1e-15);

    (void)state;
    assert_true(!c.noise && fabs(c.change - 0.051) < 1e-12);
    assert_true(fabs(c.sigmas - 0.051 * 2.385e-12 / (1e-15 * 1.4142135623730951)) < 1e-6);
    c = cost_change(-0.151, 1e-15);
    assert_true(!c.noise && fabs(c.change + 0.151) < 1e-12);
    /* 0.2 / (0.05 sqrt 2) is 2.83 standard errors. */
    assert_true(cost_change(0.2, 0.05 * 2.385e-12).noise);
    assert_false(cost_change(0.2, 0.047 * 2.385e-12).noise);
    /* Without standard errors (at a bound). */
    assert_true(isinf(cost_change(0.2, 0).sigmas));
    assert_true(cost_change(0, 0).noise);
}

/* Noise is last, however large it is. */
static void sorts_by_size(void **state)
{
    struct gcal_params before = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params after = sample_params("n1", "uuid:7f", 2.385e-12 * 1.7);
    struct gcal_params_model *m = &after.devices[0].models[0];
    struct gcal_params_diff diff;

    (void)state;
    m->standard_error[0] = 2.385e-12;
    m->value[1] *= 1.25;
    m->factor *= 0.97;
    assert_int_equal(gcal_params_diff_find(&before, &after, &diff, NULL), 0);
    assert_string_equal(diff.changes[0].parameter, "p_launch");
    assert_string_equal(diff.changes[1].parameter, "factor");
    assert_true(diff.changes[1].change < 0 && diff.changes[1].cost);
    assert_string_equal(diff.changes[2].parameter, "p_madd");
    assert_true(diff.changes[2].noise);
    gcal_params_diff_clear(&diff);
    gcal_params_clear(&before);
    gcal_params_clear(&after);
}

static void names_different_conditions_first(void **state)
{
    struct gcal_params before = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params after = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params_device *a = &before.devices[0], *b = &after.devices[0];
    struct gcal_params_diff diff;

    (void)state;
    set_text(&a->configuration, "aa");
    set_text(&b->configuration, "bb");
    set_text(&a->catalogue, "cc");
    set_text(&b->catalogue, "");
    set_text(&b->info.driver, "590.3");
    set_text(&b->models[0].parameter[1], "p_start");
    assert_int_equal(gcal_params_diff_find(&before, &after, &diff, NULL), 0);
    assert_int_equal(diff.n_notes, 4);
    assert_string_equal(diff.notes[0], "uuid:7f: driver 580.17 became 590.3");
    assert_string_equal(diff.notes[1], "uuid:7f: calibrated with another configuration");
    assert_string_equal(diff.notes[2], "uuid:7f: model matmul: p_launch is gone");
    assert_string_equal(diff.notes[3], "uuid:7f: model matmul: p_start is new");
    assert_int_equal(diff.n_changes, 2);
    gcal_params_diff_clear(&diff);
    set_text(&b->models[0].form, "pnorm");
    assert_int_equal(gcal_params_diff_find(&before, &after, &diff, NULL), 0);
    assert_true(
        has_note(&diff, "uuid:7f: model matmul: form linear became pnorm: not compared"));
    assert_int_equal(diff.n_changes, 0);
    gcal_params_diff_clear(&diff);
    set_text(&b->models[0].name, "fft");
    assert_int_equal(gcal_params_diff_find(&before, &after, &diff, NULL), 0);
    assert_true(has_note(&diff, "uuid:7f: model matmul is gone"));
    assert_true(has_note(&diff, "uuid:7f: model fft is new"));
    gcal_params_diff_clear(&diff);
    gcal_params_clear(&before);
    gcal_params_clear(&after);
}

static void add_device(struct gcal_params *params, const char *uid)
{
    struct gcal_params more = sample_params("n1", uid, 2.385e-12);

    *gcal_params_add_device(params, NULL) = more.devices[0];
    free(more.devices);
    free(more.node);
}

/* By type when the uid differs, unless there are several candidates. */
static void finds_the_device_to_compare_with(void **state)
{
    struct gcal_params before = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params after = sample_params("n2", "uuid:80", 2.385e-12);
    struct gcal_params_diff diff;

    (void)state;
    assert_int_equal(gcal_params_diff_find(&before, &after, &diff, NULL), 0);
    assert_int_equal(diff.n_devices, 1);
    assert_int_equal(diff.n_changes, 3);
    assert_ptr_equal(diff.changes[0].from, &before.devices[0]);
    assert_true(has_note(
        &diff, "uuid:80 is compared with uuid:7f, another device of type test-gpu-7cu"));
    gcal_params_diff_clear(&diff);
    add_device(&after, "uuid:81");
    assert_int_equal(gcal_params_diff_find(&before, &after, &diff, NULL), 0);
    assert_int_equal(diff.n_devices, 0);
    assert_true(has_note(&diff, "uuid:7f (Test GPU) is gone"));
    assert_true(has_note(&diff, "uuid:80 (Test GPU) is new"));
    gcal_params_diff_clear(&diff);
    add_device(&before, "uuid:81");
    assert_int_equal(gcal_params_diff_find(&before, &after, &diff, NULL), 0);
    assert_int_equal(diff.n_devices, 2);
    gcal_params_diff_clear(&diff);
    gcal_params_clear(&before);
    gcal_params_clear(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinguishes_changes_from_noise),
        cmocka_unit_test(sorts_by_size),
        cmocka_unit_test(names_different_conditions_first),
        cmocka_unit_test(finds_the_device_to_compare_with),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
