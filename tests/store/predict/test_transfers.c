/* test_transfers.c - predicted times of copies, and of steps of copies and a kernel
 *
 * The model of tests/data/transfers.yaml: a copy takes 1 us, a byte to the device 20 ps and
 * from it 40 ps, in pinned memory; a tenth of the shorter work is not hidden.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "store/params/params.h"
#include "store/predict/transfers.h"
#include "tests/unit.h"

#define MIB 1048576.0

static void read_params(const char *name, struct gcal_params *params)
{
    char *path = gcal_buf_format("%s/%s", TEST_DATA, name);
    struct gcal_error err = { 0 };
    size_t size;
    char *text = gcal_file_read(path, 1 << 20, &size, &err);

    if (!text || gcal_params_decode(text, size, name, params, &err) < 0)
        fail_msg("%s", err.text);
    free(text);
    free(path);
}

static int setup(void **state)
{
    struct gcal_params params = { 0 };
    struct gcal_error err = { 0 };

    read_params("transfers.yaml", &params);
    if (!(*state = gcal_transfers_create(params.devices, &err)))
        fail_msg("%s", err.text);
    gcal_params_clear(&params);
    return 0;
}

static int teardown(void **state)
{
    gcal_transfers_destroy(*state);
    return 0;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

static void copies_have_their_costs(void **state)
{
    struct gcal_transfers_copy copy = { GCAL_FEATURE_TO_DEVICE, GCAL_FEATURE_PINNED, MIB,
                                        1 };
    struct gcal_transfers_rate rate;
    struct gcal_prediction p;

    assert_string_equal(gcal_transfers_model(*state), "transfer");
    assert_int_equal(gcal_transfers_eval(*state, &copy, &p, NULL), 0);
    assert_true(is_near(p.time_s, 1e-6 + 20e-12 * MIB));
    assert_true(p.low_s < p.time_s && p.high_s > p.time_s && !p.extrapolates);
    copy.copies = 4; /* in pieces: more than were measured */
    copy.way = GCAL_FEATURE_FROM_DEVICE;
    assert_int_equal(gcal_transfers_eval(*state, &copy, &p, NULL), 0);
    assert_true(is_near(p.time_s, 4e-6 + 40e-12 * MIB));
    assert_true(p.extrapolates);
    assert_int_equal(gcal_transfers_rate(*state, GCAL_FEATURE_FROM_DEVICE,
                                         GCAL_FEATURE_PINNED, &rate, NULL),
                     0);
    assert_true(is_near(rate.byte_s, 40e-12) && fabs(rate.start_s - 1e-6) < 1e-12);
}

static void memory_without_a_cost_is_refused(void **state)
{
    const struct gcal_transfers_copy copy = { GCAL_FEATURE_FROM_DEVICE,
                                              GCAL_FEATURE_MAPPED, MIB, 1 };
    struct gcal_error err = { 0 };
    struct gcal_prediction p;

    assert_int_equal(gcal_transfers_eval(*state, &copy, &p, &err), -1);
    assert_non_null(strstr(err.text, "model transfer has no cost of copies from the "
                                     "device, mapped memory"));
}

static void a_step_is_the_sum_of_its_parts(void **state)
{
    const struct gcal_transfers_copy copies[] = {
        { GCAL_FEATURE_TO_DEVICE, GCAL_FEATURE_PINNED, 16 * MIB, 1 },
        { GCAL_FEATURE_TO_DEVICE, GCAL_FEATURE_PINNED, 16 * MIB, 1 },
        { GCAL_FEATURE_FROM_DEVICE, GCAL_FEATURE_PINNED, 16 * MIB, 1 },
    };
    const struct gcal_prediction kernel = { .time_s = 1e-3,
                                            .low_s = 0.9e-3,
                                            .high_s = 1.2e-3 };
    const double in_s = 2e-6 + 32 * MIB * 20e-12, out_s = 1e-6 + 16 * MIB * 40e-12;
    struct gcal_step step;

    assert_int_equal(gcal_step_predict(*state, &kernel, 3, copies, &step, NULL), 0);
    assert_true(is_near(step.in_s, in_s) && is_near(step.out_s, out_s));
    assert_true(is_near(step.time_s, in_s + out_s + 1e-3));
    /* Copies are longer; a tenth of the kernel is not hidden. */
    assert_true(is_near(step.overlapped_s, in_s + out_s + 1e-4));
    assert_true(step.low_s < step.time_s - 0.1e-3 && step.low_s > step.time_s - 0.12e-3);
    assert_true(step.high_s > step.time_s + 0.2e-3 &&
                step.high_s < step.time_s + 0.22e-3);
    assert_int_equal(gcal_step_predict(*state, NULL, 1, copies, &step, NULL), 0);
    assert_true(step.kernel_s == 0 && is_near(step.time_s, in_s / 2));
}

/* A quarter of the shorter direction is not hidden; nor is it known without its parameter, or
 * with one that nothing determined.
 */
static void both_directions_at_once(void **state)
{
    const struct gcal_transfers_copy copies[] = {
        { GCAL_FEATURE_TO_DEVICE, GCAL_FEATURE_PINNED, 16 * MIB, 1 },
        { GCAL_FEATURE_FROM_DEVICE, GCAL_FEATURE_PINNED, 4 * MIB, 1 },
    };
    const double in_s = 1e-6 + 16 * MIB * 20e-12, out_s = 1e-6 + 4 * MIB * 40e-12;
    struct gcal_params params = { 0 };
    struct gcal_params_model *model;
    struct gcal_error err = { 0 };
    struct gcal_transfers *t;
    struct gcal_prediction p;
    struct gcal_step step;

    assert_int_equal(
        gcal_transfers_eval_both(*state, GCAL_FEATURE_PINNED, MIB, 1, &p, &err), -1);
    assert_non_null(strstr(err.text, "does not know copies in both directions at once"));
    assert_int_equal(gcal_step_predict(*state, NULL, 2, copies, &step, NULL), 0);
    assert_true(is_near(step.copies_s, in_s + out_s));
    read_params("transfers-both.yaml", &params);
    t = gcal_transfers_create(params.devices, &err);
    assert_int_equal(gcal_step_predict(t, NULL, 2, copies, &step, NULL), 0);
    assert_true(is_near(step.time_s, in_s + out_s));
    assert_true(is_near(step.copies_s, in_s + 0.25 * out_s));
    assert_int_equal(gcal_transfers_eval_both(t, GCAL_FEATURE_PINNED, MIB, 1, &p, NULL),
                     0);
    assert_true(is_near(p.time_s, 1.25e-6 + (40e-12 + 0.25 * 20e-12) * MIB));
    assert_true(p.low_s < p.time_s && p.time_s < p.high_s && !p.extrapolates);
    assert_int_equal(gcal_transfers_eval_both(t, GCAL_FEATURE_MAPPED, MIB, 1, &p, NULL),
                     -1);
    gcal_transfers_destroy(t);
    model = &params.devices->models[0];
    for (size_t i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameter[i], "p_exposed_both") == 0)
            model->standard_error[i] = 1 / sqrt(12);
    t = gcal_transfers_create(params.devices, &err);
    assert_true(isnan(gcal_transfers_exposed_both(t)));
    gcal_transfers_destroy(t);
    gcal_params_clear(&params);
}

/* As long as a device has none, there are no costs to make up. */
static void a_device_needs_a_model_of_transfers(void **state)
{
    struct gcal_params params = { 0 };
    struct gcal_error err = { 0 };
    struct gcal_params_device device;

    (void)state;
    read_params("transfers.yaml", &params);
    device = params.devices[0];
    device.models++; /* without the first */
    device.n_models--;
    assert_null(gcal_transfers_find(&device));
    assert_null(gcal_transfers_create(&device, &err));
    assert_non_null(strstr(err.text, "no model of transfers is published"));
    gcal_params_clear(&params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_have_their_costs),
        cmocka_unit_test(memory_without_a_cost_is_refused),
        cmocka_unit_test(a_step_is_the_sum_of_its_parts),
        cmocka_unit_test(both_directions_at_once),
        cmocka_unit_test(a_device_needs_a_model_of_transfers),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
