/* test_learned.c - what a store has learned of a kernel, on the device's type and on others */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "kernels/model/profile.h"
#include "calib/learn/corrections.h"
#include "store/learned/learned.h"
#include "store/predict/predictor.h"
#include "store/publish/publish.h"
#include "tests/calib/learn/kernel.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define NODE        "n1"
#define MODEL       "work"
#define FINGERPRINT "00000000000000000000000000000001"
#define OWN         "fingerprint: '" FINGERPRINT "'\n"
#define OTHER       "fingerprint: '00000000000000000000000000000002'\n"

/* Bound by arithmetic. */
static const double computes[][2] = { { 1 << 22, 4096 }, { 1 << 23, 6000 } };
static const char *const named[] = { "n=4194304,m=4096", "n=8388608,m=6000" };

struct setting {
    struct gcal_arena *arena;
    char *folder;
    struct gcal_params h100, h200;
    struct gcal_profile *profile, *other;
};

static int set_up(void **state)
{
    static struct setting s;

    s = (struct setting){ .arena = gcal_arena_create(),
                          .folder = sample_folder(),
                          .h100 = learn_device(TEST_DATA "/general/h100.yaml"),
                          .h200 = learn_device(TEST_DATA "/general/h200.yaml"),
                          .profile = learn_kernel(OWN),
                          .other = learn_kernel(OTHER) };
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct setting *s = *state;

    gcal_profile_destroy(s->profile);
    gcal_profile_destroy(s->other);
    gcal_params_clear(&s->h100);
    gcal_params_clear(&s->h200);
    sample_folder_remove(s->folder);
    gcal_arena_destroy(s->arena);
    return 0;
}

static struct gcal_prediction predict(const struct gcal_params_device *device,
                                      const char *model,
                                      const struct gcal_profile *profile, size_t size)
{
    struct gcal_error err = { 0 };
    struct gcal_predictor *p = gcal_predictor_create(device, model, profile, &err);
    struct gcal_prediction prediction = { 0 };

    if (!p || gcal_predictor_eval(p, computes[size], &prediction, NULL, &err) < 0)
        fail_msg("%s", err.text);
    gcal_predictor_destroy(p);
    return prediction;
}

static double general_s(const struct setting *s, const struct gcal_params *params,
                        size_t size)
{
    return predict(params->devices, gcal_predictor_find_general(params->devices)->name,
                   s->profile, size)
        .time_s;
}

static double width(const struct gcal_prediction *p)
{
    return log(p->high_s / p->low_s);
}

/* A time at one size, so many times the general model's, into the store. */
static void learn_on(const struct setting *s, const struct gcal_params *params,
                     size_t size, double ratio, const char *device_uid,
                     const char *run_id)
{
    const struct gcal_params_model *general =
        gcal_predictor_find_general(params->devices);
    struct gcal_store *store = gcal_store_open_writable(s->folder, NULL);
    struct gcal_params_device device = params->devices[0];
    struct gcal_params published = { (char *)FINGERPRINT, 1, &device };
    struct gcal_params known;
    struct gcal_params_model model, factors;
    struct gcal_kernel_time time = { s->profile, computes[size],
                                     ratio * general_s(s, params, size), 0.002 };
    struct gcal_params_time kept = { (char *)named[size], time.time_s / general->factor,
                                     0.002, (char *)"2026-11-27T12:00:00Z",
                                     (char *)device_uid };
    struct gcal_error err = { 0 };

    if (gcal_store_load_learned(store, FINGERPRINT, &known, &err) < 0 ||
        gcal_learn_correct(s->arena, params->devices, MODEL, s->profile, &known, 0, 1,
                           &time, &model, &err) < 0)
        fail_msg("%s", err.text);
    factors = gcal_learn_factors(s->arena, general, &model);
    factors.origin = gcal_params_model_origin(params->devices, general);
    factors.n_times = 1;
    factors.times = &kept;
    device.n_models = 1;
    device.models = &factors;
    if (gcal_store_publish_learned(store, &published, run_id, &err) < 0)
        fail_msg("%s", err.text);
    gcal_params_clear(&known);
    gcal_store_close(store);
}

static void learn(const struct setting *s, const struct gcal_params *params, size_t size,
                  double ratio, const char *run_id)
{
    learn_on(s, params, size, ratio, NULL, run_id);
}

/* The prediction at the second size with what the store has learned; 'added': of the addition. */
static struct gcal_prediction predict_learned(const struct setting *s,
                                              struct gcal_params *params, int added)
{
    struct gcal_store *store = gcal_store_open(s->folder, NULL);
    struct gcal_error err = { 0 };
    int rc = gcal_learned_add(store, NODE, s->profile, params->devices, &err);

    if (rc < 0)
        fail_msg("%s", err.text);
    assert_int_equal(rc, added);
    gcal_store_close(store);
    return predict(params->devices, NULL, s->profile, 1);
}

static double ratio_of(const struct setting *s, const struct gcal_params *params,
                       const struct gcal_prediction *p)
{
    return p->time_s / general_s(s, params, 1);
}

/* ---- tests ---- */

static void a_kernel_is_known_on_its_type_and_expected_on_others(void **state)
{
    struct setting *s = *state;
    struct gcal_prediction before = predict(s->h200.devices, NULL, s->profile, 1), there,
                           here;

    learn(s, &s->h100, 0, 1.4, "r1");
    here = predict_learned(s, &s->h100, 1);
    there = predict_learned(s, &s->h200, 1);
    assert_string_equal(s->h100.devices->models[s->h100.devices->n_models - 1].name,
                        MODEL);
    assert_true(fabs(ratio_of(s, &s->h100, &here) - 1.4) < 0.1);
    assert_true(fabs(ratio_of(s, &s->h200, &there) - 1.4) < 0.15);
    assert_true(width(&here) < width(&there));
    assert_true(width(&there) < 0.8 * width(&before));
    sample_expect_verified(s->folder, 0, 0, NULL);
}

/* Times there count more than those elsewhere, which are the prior. */
static void times_on_both_types_stay(void **state)
{
    struct setting *s = *state;
    struct gcal_prediction p;
    struct gcal_store *store;
    struct gcal_params known;

    learn(s, &s->h100, 0, 1.4, "r1");
    learn(s, &s->h200, 0, 1.2, "r2");
    p = predict_learned(s, &s->h200, 1);
    assert_true(fabs(ratio_of(s, &s->h200, &p) - 1.2) < 0.1);
    p = predict_learned(s, &s->h100, 1);
    assert_true(fabs(ratio_of(s, &s->h100, &p) - 1.4) < 0.1);
    /* At another size, which is added. */
    learn(s, &s->h200, 1, 1.2, "r3");
    store = gcal_store_open(s->folder, NULL);
    assert_int_equal(gcal_store_load_learned(store, FINGERPRINT, &known, NULL), 1);
    assert_int_equal(known.n_devices, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct gcal_params_model *m = known.devices[i].models;
        bool is_h200 =
            strcmp(known.devices[i].info.type, s->h200.devices->info.type) == 0;

        assert_int_equal(m->n_times, is_h200 ? 2 : 1);
        assert_string_equal(m->times[0].sizes, named[is_h200]);
    }
    gcal_params_clear(&known);
    gcal_store_close(store);
    sample_expect_history(s->folder, "learned/" FINGERPRINT, "r1;r2;r3;");
    sample_expect_verified(s->folder, 0, 0, NULL);
}

/* At one size; a device's newer time replaces its older one. */
static void times_of_two_devices_of_a_type_stay(void **state)
{
    static const char *const runs[] = { "r1", "r2", "r3" }, *const uids[] = { "n1/a",
                                                                              "n2/a",
                                                                              "n1/a" };
    struct setting *s = *state;
    const struct gcal_params_model *m;
    struct gcal_store *store;
    struct gcal_params known;

    for (size_t i = 0; i < 3; i++)
        learn_on(s, &s->h100, 0, 1.2 + 0.1 * (double)i, uids[i], runs[i]);
    store = gcal_store_open(s->folder, NULL);
    assert_int_equal(gcal_store_load_learned(store, FINGERPRINT, &known, NULL), 1);
    m = known.devices[0].models;
    assert_int_equal(m->n_times, 2);
    assert_string_equal(m->times[0].device, "n1/a");
    assert_string_equal(m->times[1].device, "n2/a");
    assert_float_equal(m->times[0].time_s / m->times[1].time_s, 1.4 / 1.3, 1e-3);
    gcal_params_clear(&known);
    gcal_store_close(store);
}

static void other_kernels_and_models_are_left_alone(void **state)
{
    struct setting *s = *state;
    struct gcal_params_device *d = s->h200.devices;
    struct gcal_store *store;
    size_t n = d->n_models;

    learn(s, &s->h100, 0, 1.4, "r1");
    store = gcal_store_open(s->folder, NULL);
    assert_int_equal(gcal_learned_add(store, NODE, s->other, d, NULL), 0);
    assert_int_equal(d->n_models, n);
    /* A general model of another text has other limits. */
    for (size_t i = 0; i < n; i++)
        if (gcal_params_model_is_general(&d->models[i])) {
            free(d->models[i].origin.configuration);
            d->models[i].origin.configuration = strdup("another");
        }
    assert_int_equal(gcal_learned_add(store, NODE, s->profile, d, NULL), 0);
    assert_int_equal(d->n_models, n);
    gcal_store_close(store);
}

static void added_once(void **state)
{
    struct setting *s = *state;
    struct gcal_store *store;
    size_t n = s->h100.devices->n_models;

    learn(s, &s->h100, 0, 1.4, "r1");
    store = gcal_store_open(s->folder, NULL);
    for (int i = 0; i < 3; i++)
        assert_int_equal(gcal_learned_add(store, NODE, s->profile, s->h100.devices, NULL),
                         1);
    assert_int_equal(s->h100.devices->n_models, n + 1);
    gcal_store_close(store);
}

static void damage_is_an_error(void **state)
{
    static const char *const wrong[] = { "", "gpucal_params: 7\n", "{}\n...\n" };
    struct setting *s = *state;
    const char *path = sample_path(s->folder, "learned/" FINGERPRINT ".yaml");
    size_t size, n = s->h100.devices->n_models;
    struct gcal_error err;
    struct gcal_store *store;
    char *text, *line;

    learn(s, &s->h100, 0, 1.4, "r1");
    text = sample_file_read(path, &size);
    store = gcal_store_open(s->folder, NULL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        sample_file_write(path, wrong[i], strlen(wrong[i]));
        assert_int_equal(gcal_learned_add(store, NODE, s->profile, s->h100.devices, &err),
                         -1);
    }
    /* A time that is none. */
    line = strstr(text, named[0]);
    assert_non_null(line);
    memcpy(line + strlen(named[0]), " -1 ", 4);
    sample_file_write(path, text, size);
    assert_int_equal(gcal_learned_add(store, NODE, s->profile, s->h100.devices, &err),
                     -1);
    assert_non_null(strstr(err.text, "SIZES TIME_S SPREAD UTC"));
    assert_int_equal(s->h100.devices->n_models, n);
    free(text);
    gcal_store_close(store);
}

/* A file under the name of another kernel. */
static void another_kernels_file_is_refused(void **state)
{
    struct setting *s = *state;
    struct gcal_error err;
    struct gcal_store *store;
    char *text;
    size_t size;

    learn(s, &s->h100, 0, 1.4, "r1");
    text =
        sample_file_read(sample_path(s->folder, "learned/" FINGERPRINT ".yaml"), &size);
    sample_file_write(
        sample_path(s->folder, "learned/00000000000000000000000000000002.yaml"), text,
        size);
    store = gcal_store_open(s->folder, NULL);
    assert_int_equal(gcal_learned_add(store, NODE, s->other, s->h100.devices, &err), -1);
    assert_non_null(strstr(err.text, "belongs to"));
    free(text);
    gcal_store_close(store);
    sample_expect_verified(s->folder, 1, 0, "is not in the ledger");
}

static void signatures_are_required(void **state)
{
    struct setting *s = *state;
    const char *secret = sample_path(s->folder, "key");
    struct gcal_error err;
    struct gcal_store *store;
    size_t n_signed;

    learn(s, &s->h100, 0, 1.4, "r1");
    assert_int_equal(gcal_sign_keygen(secret, &err), 0);
    store = gcal_store_open_writable(s->folder, NULL);
    assert_int_equal(gcal_store_trust(store, sample_path(s->folder, "key.pub"), &err), 0);
    assert_int_equal(gcal_learned_add(store, NODE, s->profile, s->h100.devices, &err),
                     -1);
    assert_int_equal(gcal_store_sign_with(store, secret, &err), 0);
    assert_int_equal(gcal_store_sign(store, &n_signed, &err), 0);
    assert_int_equal(n_signed, 2); /* and its history */
    assert_int_equal(gcal_learned_add(store, NODE, s->profile, s->h100.devices, &err), 1);
    gcal_store_close(store);
}

static void a_kernel_can_be_forgotten(void **state)
{
    struct setting *s = *state;
    struct gcal_store_forget what = { .model = "another" };
    struct gcal_store *store;
    struct gcal_error err;
    size_t n_files, n_devices;

    learn(s, &s->h100, 0, 1.4, "r1");
    store = gcal_store_open_writable(s->folder, NULL);
    for (int i = 0; i < 4; i++) {
        what.model = i ? MODEL : "another";
        what.dry_run = i == 1;
        if (gcal_store_forget(store, &what, &n_files, &n_devices, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(n_files, i == 1 || i == 2);
    }
    assert_int_equal(gcal_learned_add(store, NODE, s->profile, s->h100.devices, &err), 0);
    gcal_store_close(store);
    sample_expect_verified(s->folder, 0, 0, NULL);
    learn(s, &s->h100, 0, 1.3, "r2");
    predict_learned(s, &s->h100, 1);
    sample_expect_verified(s->folder, 0, 0, NULL);
}

/* Kernels that differ by 'ratio' between two types, each well known there. */
static double types_apart(const struct setting *s, double ratio, size_t n_kernels)
{
    struct gcal_store *store = gcal_store_open_writable(s->folder, NULL);
    double types;

    for (size_t i = 0; i < n_kernels; i++) {
        char name[40];
        const struct gcal_params *on[] = { &s->h100, &s->h200 };

        snprintf(name, sizeof(name), "%032zx", i + 16);
        for (size_t k = 0; k < 2; k++) {
            const struct gcal_params_model *general =
                gcal_predictor_find_general(on[k]->devices);
            size_t n = general->roofs.n;
            struct gcal_params_device device = on[k]->devices[0];
            struct gcal_params published = { name, 1, &device };
            double *value = gcal_arena_alloc(s->arena, n, sizeof(double));
            double *covariance = gcal_arena_alloc(s->arena, n * n, sizeof(double));
            struct gcal_params_model model, factors;
            struct gcal_error err = { 0 };

            for (size_t j = 0; j < n; j++) {
                value[j] = k ? ratio : 1;
                covariance[j * n + j] = value[j] * value[j] * 0.01;
            }
            if (gcal_learned_compose(general, MODEL, s->profile, value, covariance,
                                     &model, &err) < 0)
                fail_msg("%s", err.text);
            factors = gcal_learn_factors(s->arena, general, &model);
            factors.error_90 = GCAL_PARAMS_NORMAL_90 * GCAL_LEARNED_WITHIN;
            factors.origin = gcal_params_model_origin(on[k]->devices, general);
            device.n_models = 1;
            device.models = &factors;
            assert_int_equal(
                gcal_store_publish_learned(store, &published, k ? "r2" : "r1", &err), 0);
            gcal_params_model_clear(&model);
        }
    }
    types = gcal_learned_estimate(store, s->h100.devices,
                                  gcal_predictor_find_general(s->h100.devices))
                .types;
    gcal_store_close(store);
    return types;
}

static void spreads_are_estimated_from_the_store(void **state)
{
    struct setting *s = *state;
    double none = types_apart(s, 1, 0), few = types_apart(s, 1.3, 1),
           more = types_apart(s, 1.3, 20);

    assert_true(fabs(none - 0.06) < 1e-9);
    assert_true(few > 1.05 * none && more > 1.3 * few);
    assert_true(fabs(more / (log(1.3) / sqrt(2)) - 1) < 0.25);
    assert_true(types_apart(s, 1, 20) < 0.9 * none);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_kernel_is_known_on_its_type_and_expected_on_others),
        TEST(times_on_both_types_stay),
        TEST(times_of_two_devices_of_a_type_stay),
        TEST(other_kernels_and_models_are_left_alone),
        TEST(added_once),
        TEST(damage_is_an_error),
        TEST(another_kernels_file_is_refused),
        TEST(signatures_are_required),
        TEST(a_kernel_can_be_forgotten),
        TEST(spreads_are_estimated_from_the_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
