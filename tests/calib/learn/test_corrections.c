/* test_corrections.c - the general model of a recorded device, corrected by times of a kernel */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "calib/learn/corrections.h"
#include "store/params/params.h"
#include "store/learned/learned.h"
#include "store/predict/predictor.h"
#include "tests/calib/learn/kernel.h"
#include "tests/unit.h"

#define MODEL "work"

#define OWN   "fingerprint: '00000000000000000000000000000001'\n"
#define OTHER "fingerprint: '00000000000000000000000000000002'\n"

/* Launches, moves, and above all arithmetic. */
static const double few[] = { 1024, 1 }, moves[] = { 1 << 26, 1 };
static const double computes[][2] = {
    { 1 << 22, 4096 }, { 1 << 23, 6000 }, { 1 << 24, 3000 }, { 1 << 21, 20000 }
};

/* ---- a device ---- */

struct setting {
    struct gcal_arena *arena;
    struct gcal_params params;
    struct gcal_params_device *device;
    struct gcal_profile *profile, *other;
};

static int set_up(void **state)
{
    static struct setting s;

    s = (struct setting){ .arena = gcal_arena_create(),
                          .params = learn_device(TEST_DATA "/general/h200.yaml"),
                          .profile = learn_kernel(OWN),
                          .other = learn_kernel(OTHER) };
    s.device = s.params.devices;
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct setting *s = *state;

    gcal_profile_destroy(s->profile);
    gcal_profile_destroy(s->other);
    gcal_params_clear(&s->params);
    gcal_arena_destroy(s->arena);
    return 0;
}

static char *encode(const struct gcal_params *params, size_t *size)
{
    struct gcal_error err = { 0 };
    char *text = gcal_params_encode(params, size, &err);

    if (!text)
        fail_msg("%s", err.text);
    return text;
}

static struct gcal_params_model *find_general(const struct gcal_params_device *device)
{
    const struct gcal_params_model *general = gcal_predictor_find_general(device);

    assert_non_null(general);
    return &device->models[general - device->models];
}

static struct gcal_prediction predict(const struct gcal_params_device *device,
                                      const char *model,
                                      const struct gcal_profile *profile,
                                      const double *sizes)
{
    struct gcal_error err = { 0 };
    struct gcal_predictor *p = gcal_predictor_create(device, model, profile, &err);
    struct gcal_prediction prediction;

    if (!p || gcal_predictor_eval(p, sizes, &prediction, NULL, &err) < 0)
        fail_msg("%s", err.text);
    gcal_predictor_destroy(p);
    prediction.gap = prediction.outside = prediction.roof = prediction.class = NULL;
    return prediction;
}

/* By the general model. */
static struct gcal_prediction predict_general(const struct setting *s,
                                              const double *sizes)
{
    return predict(s->device, find_general(s->device)->name, s->profile, sizes);
}

static struct gcal_params_device alone(const struct setting *s,
                                       struct gcal_params_model *model)
{
    struct gcal_params_device device = *s->device;

    device.models = model;
    device.n_models = 1;
    return device;
}

static struct gcal_prediction predict_corrected(const struct setting *s,
                                                struct gcal_params_model *model,
                                                const double *sizes)
{
    const struct gcal_params_device device = alone(s, model);

    return predict(&device, MODEL, s->profile, sizes);
}

static void correct(const struct setting *s, size_t n,
                    const struct gcal_kernel_time *times, struct gcal_params_model *model)
{
    struct gcal_error err = { 0 };

    if (gcal_learn_correct(s->arena, s->device, MODEL, s->profile, NULL, 0, n, times,
                           model, &err) < 0)
        fail_msg("%s", err.text);
}

/* Times at the first n sizes that are bound by arithmetic, so many times the general model's. */
static void take_times(const struct setting *s, size_t n, double ratio,
                       struct gcal_kernel_time *times)
{
    for (size_t i = 0; i < n; i++)
        times[i] = (struct gcal_kernel_time){
            s->profile, computes[i], ratio * predict_general(s, computes[i]).time_s, 0.002
        };
}

static double width(const struct gcal_prediction *p)
{
    return log(p->high_s / p->low_s);
}

static void assert_near(double value, double wanted, double relative)
{
    if (!(fabs(value - wanted) <= relative * fabs(wanted)))
        fail_msg("%.15g, and not %.15g", value, wanted);
}

static double find_value(const struct gcal_params_model *model, const char *parameter,
                         double *error)
{
    for (size_t i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameter[i], parameter) == 0) {
            *error = model->standard_error[i];
            return model->value[i];
        }
    fail_msg("no %s", parameter);
    return NAN;
}

/* ---- tests ---- */

static void without_times_it_predicts_as_the_general_model(void **state)
{
    static const double *const sizes[] = { few,         moves,       computes[0],
                                           computes[1], computes[2], computes[3] };
    const struct setting *s = *state;
    struct gcal_params_model model;

    correct(s, 0, NULL, &model);
    assert_int_equal(model.n_parameters, find_general(s->device)->n_parameters +
                                             find_general(s->device)->roofs.n);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        struct gcal_prediction general = predict_general(s, sizes[i]),
                               corrected = predict_corrected(s, &model, sizes[i]);

        assert_near(corrected.time_s, general.time_s, 1e-12);
        assert_true(corrected.low_s < corrected.time_s &&
                    corrected.time_s < corrected.high_s);
        if (fabs(log(corrected.high_s / corrected.low_s * general.low_s /
                     general.high_s)) > log(2))
            fail_msg("%g, %g: interval %g times, general model %g times", sizes[i][0],
                     sizes[i][1], corrected.high_s / corrected.low_s,
                     general.high_s / general.low_s);
        assert_int_equal(corrected.extrapolates, general.extrapolates);
    }
}

static void times_correct_the_limit_that_binds(void **state)
{
    static const double ratios[] = { 0.7, 1, 1.5 };
    const struct setting *s = *state;

    for (size_t k = 0; k < sizeof(ratios) / sizeof(*ratios); k++) {
        struct gcal_kernel_time times[3];
        struct gcal_params_model model, untimed;
        struct gcal_prediction general = predict_general(s, computes[3]), corrected,
                               moving;
        double error, prior, value;

        take_times(s, 3, ratios[k], times);
        correct(s, 0, NULL, &untimed);
        correct(s, 3, times, &model);
        corrected = predict_corrected(s, &model, computes[3]);
        assert_near(corrected.time_s, ratios[k] * general.time_s, 0.05);
        assert_true(width(&corrected) < 0.7 * width(&general));
        assert_true(corrected.low_s < ratios[k] * general.time_s &&
                    ratios[k] * general.time_s < corrected.high_s);
        value = find_value(&model, GCAL_LEARNED_PREFIX "arithmetic", &error);
        assert_near(value, ratios[k], 0.08);
        find_value(&untimed, GCAL_LEARNED_PREFIX "arithmetic", &prior);
        assert_true(error < 0.7 * prior * value);
        /* Of other limits they say little, and nothing of costs. */
        value = find_value(&model, GCAL_LEARNED_PREFIX "dram", &error);
        assert_near(value, 1, 0.05);
        moving = predict_corrected(s, &model, moves);
        assert_near(moving.time_s, predict_general(s, moves).time_s, 0.1);
        assert_true(find_value(&model, "p_fp32", &error) ==
                    find_value(find_general(s->device), "p_fp32", &prior));
        assert_true(error == 0);
    }
}

static void more_times_narrow_the_interval(void **state)
{
    const struct setting *s = *state;
    struct gcal_kernel_time times[3];
    struct gcal_params_model model;
    double last = INFINITY;

    take_times(s, 3, 1.3, times);
    for (size_t n = 0; n <= 3; n++) {
        struct gcal_prediction p;

        correct(s, n, times, &model);
        p = predict_corrected(s, &model, computes[3]);
        assert_true(width(&p) < last);
        last = width(&p);
    }
}

/* Times are the device's, which may be slower than its type. */
static void a_devices_own_speed_is_no_correction(void **state)
{
    const struct setting *s = *state;
    struct gcal_params_model *general = find_general(s->device), model;
    struct gcal_kernel_time times[3];
    double was = general->factor, error;

    general->factor = 1.25;
    take_times(s, 3, 1, times);
    correct(s, 3, times, &model);
    assert_near(find_value(&model, GCAL_LEARNED_PREFIX "arithmetic", &error), 1, 1e-6);
    assert_near(predict_corrected(s, &model, computes[3]).time_s,
                predict_general(s, computes[3]).time_s, 1e-6);
    general->factor = was;
}

/* The model of n times predicts its kernel, and the general model another one. */
static void assert_chosen(const struct setting *s, size_t n)
{
    struct gcal_params_model models[2] = { *find_general(s->device) };
    struct gcal_params_device both = *s->device;
    struct gcal_kernel_time times[3];
    const struct gcal_profile *own = s->profile, *other = s->other;
    char why[GCAL_PARAMS_WHY_SIZE];

    take_times(s, n, 1.5, times);
    correct(s, n, times, &models[1]);
    both.models = models;
    both.n_models = 2;
    if (gcal_params_model_is_poor(&models[1], why))
        fail_msg("poor after %zu times: %s", n, why);
    assert_ptr_equal(gcal_predictor_choose(&both, NULL, 1, &own, NULL), &models[1]);
    assert_ptr_equal(gcal_predictor_choose(&both, NULL, 1, &other, NULL), &models[0]);
    assert_ptr_equal(gcal_predictor_find_general(&both), &models[0]);
}

static void it_predicts_its_kernel_alone(void **state)
{
    for (size_t n = 1; n <= 3; n++)
        assert_chosen(*state, n);
}

/* As on CPUs: of most limits the times say nothing, but of those that take time. */
static void limits_that_do_not_bind_may_be_unknown(void **state)
{
    const struct setting *s = *state;
    struct gcal_params_model *general = find_general(s->device);
    const struct gcal_spreads was = general->spreads;
    struct gcal_spread wide[GCAL_ROOFS_MAX];

    assert_in_range(was.n, 1, GCAL_ROOFS_MAX);
    for (size_t i = 0; i < was.n; i++)
        wide[i] = (struct gcal_spread){ was.spreads[i].class, 1, 1 };
    general->spreads.spreads = wide;
    assert_chosen(s, 3);
    general->spreads = was;
}

static void the_model_can_be_published(void **state)
{
    static const double *const sizes[] = { few, moves, computes[3] };
    const struct setting *s = *state;
    struct gcal_error err = { 0 };
    struct gcal_kernel_time times[3];
    struct gcal_params_model model;

    take_times(s, 3, 1.5, times);
    for (size_t n = 0; n <= 3; n += 3) {
        struct gcal_params_device device;
        struct gcal_params params = { s->params.node, 1, &device }, read = { 0 };
        size_t size;
        char *text;

        correct(s, n, times, &model);
        device = alone(s, &model);
        text = encode(&params, &size);
        if (gcal_params_decode(text, size, "encoded.yaml", &read, &err) < 0)
            fail_msg("%s", err.text);
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            struct gcal_prediction wanted = predict_corrected(s, &model, sizes[i]),
                                   p = predict(read.devices, NULL, s->profile, sizes[i]);

            assert_near(p.time_s, wanted.time_s, 1e-9);
            assert_near(p.low_s, wanted.low_s, 1e-3);
            assert_near(p.high_s, wanted.high_s, 1e-3);
        }
        gcal_params_clear(&read);
        free(text);
    }
}

static void the_general_model_stays_as_it_is(void **state)
{
    const struct setting *s = *state;
    struct gcal_kernel_time times[3];
    struct gcal_params_model model;
    size_t size;
    char *before = encode(&s->params, &size), *after;

    take_times(s, 3, 1.5, times);
    correct(s, 3, times, &model);
    after = encode(&s->params, &size);
    assert_string_equal(after, before);
    free(before);
    free(after);
}

/* ---- what is refused ---- */

static void refuse(const struct setting *s, const struct gcal_params_device *device,
                   size_t n, const struct gcal_kernel_time *times, const char *subject,
                   const char *advice)
{
    struct gcal_error err = { 0 };
    struct gcal_params_model model;

    assert_int_equal(gcal_learn_correct(s->arena, device, MODEL, s->profile, NULL, 0, n,
                                        times, &model, &err),
                     -1);
    if (!strstr(err.text, subject) || !strstr(err.text, advice))
        fail_msg("no %s and %s in: %s", subject, advice, err.text);
}

static void a_device_without_a_general_model_is_refused(void **state)
{
    const struct setting *s = *state;
    struct gcal_params_device none = *s->device, transfers = *s->device;
    struct gcal_params_model *all = s->device->models;

    none.n_models = 0;
    refuse(s, &none, 0, NULL, s->device->info.uid, "calibrate it");
    for (size_t i = 0; i < s->device->n_models; i++)
        if (gcal_params_model_is_of_transfers(&all[i])) {
            transfers.models = &all[i];
            transfers.n_models = 1;
        }
    assert_int_equal(transfers.n_models, 1);
    refuse(s, &transfers, 0, NULL, s->device->info.uid, "calibrate it");
}

static void limits_without_names_are_refused(void **state)
{
    const struct setting *s = *state;
    struct gcal_params_model general = *find_general(s->device);
    struct gcal_params_device device = alone(s, &general);
    struct gcal_roof roofs[GCAL_ROOFS_MAX];

    for (size_t i = 0; i < general.roofs.n; i++) {
        roofs[i] = general.roofs.roofs[i];
        roofs[i].expression = gcal_arena_format(s->arena, "1*%s", roofs[i].expression);
    }
    general.roofs.roofs = roofs;
    refuse(s, &device, 0, NULL, general.name, "calibrate");
    general.roofs.n = 0;
    refuse(s, &device, 0, NULL, general.name, "calibrate");
}

/* Times of a kernel that this limit binds would be those of others. */
static void one_limit_without_a_name_is_refused(void **state)
{
    const struct setting *s = *state;
    struct gcal_params_model general = *find_general(s->device);
    struct gcal_params_device device = alone(s, &general);
    struct gcal_roof roofs[GCAL_ROOFS_MAX];

    memcpy(roofs, general.roofs.roofs, general.roofs.n * sizeof(*roofs));
    roofs[0].expression = gcal_arena_format(s->arena, "1*%s", roofs[0].expression);
    general.roofs.roofs = roofs;
    refuse(s, &device, 0, NULL, roofs[0].name, "calibrate");
}

/* As in a damaged file. */
static void a_missing_cost_is_refused(void **state)
{
    const struct setting *s = *state;
    struct gcal_params_model general = *find_general(s->device);
    struct gcal_params_device device = alone(s, &general);
    char **parameter =
        gcal_arena_alloc(s->arena, general.n_parameters, sizeof(*parameter));

    memcpy(parameter, general.parameter, general.n_parameters * sizeof(*parameter));
    parameter[general.n_parameters - 1] = gcal_arena_strdup(s->arena, "p_other");
    general.parameter = parameter;
    refuse(s, &device, 0, NULL, MODEL, "missing");
}

/* A model that knows no kernel would be a general one. */
static void a_kernel_without_a_fingerprint_is_refused(void **state)
{
    const struct setting *s = *state;
    struct gcal_error err = { 0 };
    struct gcal_params_model model;
    struct gcal_profile *profile = learn_kernel("");

    assert_int_equal(gcal_learn_correct(s->arena, s->device, MODEL, profile, NULL, 0, 0,
                                        NULL, &model, &err),
                     -1);
    assert_non_null(strstr(err.text, "fingerprint"));
    gcal_profile_destroy(profile);
}

static void times_that_are_none_are_refused(void **state)
{
    static const double wrong[] = { 0, -1, NAN, INFINITY };
    static const double uneven[] = { 1000, 1 };
    const struct setting *s = *state;
    struct gcal_kernel_time times[3];

    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        take_times(s, 3, 1.5, times);
        times[1].time_s = wrong[i];
        refuse(s, s->device, 3, times, MODEL, "time");
    }
    take_times(s, 3, 1.5, times);
    times[1].sizes = uneven;
    refuse(s, s->device, 3, times, "n % 256 = 0", "n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_times_it_predicts_as_the_general_model),
        cmocka_unit_test(times_correct_the_limit_that_binds),
        cmocka_unit_test(more_times_narrow_the_interval),
        cmocka_unit_test(a_devices_own_speed_is_no_correction),
        cmocka_unit_test(it_predicts_its_kernel_alone),
        cmocka_unit_test(limits_that_do_not_bind_may_be_unknown),
        cmocka_unit_test(the_model_can_be_published),
        cmocka_unit_test(the_general_model_stays_as_it_is),
        cmocka_unit_test(a_device_without_a_general_model_is_refused),
        cmocka_unit_test(limits_without_names_are_refused),
        cmocka_unit_test(one_limit_without_a_name_is_refused),
        cmocka_unit_test(a_missing_cost_is_refused),
        cmocka_unit_test(a_kernel_without_a_fingerprint_is_refused),
        cmocka_unit_test(times_that_are_none_are_refused),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
