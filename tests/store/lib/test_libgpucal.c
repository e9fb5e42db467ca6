/* test_libgpucal.c - predictions of libgpucal */
#include <math.h>
#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/lib/gpucal.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

/* 3 n^2 madds per sub-group of 32, and a launch, for the model of sample_params():
 * p_madd * madds + p_launch * launches.
 */
static struct gpucal_profile *open_profile(void)
{
    struct gpucal_error err = { 0 };
    struct gpucal_profile *profile =
        gpucal_profile_open(TEST_DATA "/mm.profile.yaml", &err);

    if (!profile)
        fail_msg("%s", err.text);
    return profile;
}

static struct gpucal_model *open_model(const char *folder)
{
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = gpucal_store_open(folder, &err);
    struct gpucal_device *device = gpucal_device_open(store, "n1", "test*", &err);
    struct gpucal_profile *profile = open_profile();
    struct gpucal_model *model = gpucal_model_bind(device, NULL, profile, &err);

    if (!model)
        fail_msg("%s", err.text);
    assert_string_equal(gpucal_device_uid(device), "uuid:7f");
    assert_string_equal(gpucal_device_name(device), "Test GPU");
    assert_string_equal(gpucal_device_type(device), "test-gpu-7cu");
    assert_int_equal(gpucal_device_sub_group_size(device), 32);
    assert_int_equal(gpucal_device_model_count(device), 1);
    assert_string_equal(gpucal_device_model_name(device, 0), "matmul");
    assert_string_equal(gpucal_profile_parameter(profile, 0), "n");
    /* A model needs neither store, device nor profile. */
    gpucal_profile_close(profile);
    gpucal_device_close(device);
    gpucal_store_close(store);
    return model;
}

static double relative(double a, double b)
{
    return fabs(a - b) / fabs(b);
}

static void predicts_as_by_hand(void **state)
{
    struct gpucal_model *model = open_model(*state);
    double n = 2048, madds = 3 * n * n, raw_s, time_s, of_parameters, of_misfit,
           of_factor;
    struct gpucal_prediction p;

    assert_int_equal(gpucal_predict(model, &n, &p, NULL), 0);
    raw_s = 2.385e-12 * madds + 7.2e-6;
    time_s = 1.0125 * raw_s;
    assert_true(relative(p.time_s, time_s) < 1e-12);
    of_parameters =
        1.0125 * 1.0125 * (madds * madds * 2.89e-30 + 2 * madds * -1.1e-23 + 9.61e-16);
    of_misfit = pow(0.0461 / 1.6448536269514722 * time_s, 2);
    of_factor = pow(0.0031 / 1.0125 * time_s, 2);
    /* The misfit of held-out predictions includes the parameters' errors. */
    assert_true(relative(p.standard_error_s,
                         sqrt(fmax(of_parameters, of_misfit) + of_factor)) < 1e-12);
    /* 90 %, symmetric in the logarithm. */
    assert_true(relative(log(p.high_s / time_s),
                         1.6448536269514722 * p.standard_error_s / time_s) < 1e-12);
    assert_true(relative(p.low_s * p.high_s, time_s * time_s) < 1e-12);
    assert_int_equal(p.extrapolates, 0);
    assert_null(p.outside);
    gpucal_model_close(model);
}

/* Calibrated from 131072 to 8589934592 madds, with 5 % of slack. */
static void reports_extrapolation(void **state)
{
    static const struct {
        double n, outside_by;
    } cases[] = { { 209, 1 },
                  { 203, 3.0 * 203 * 203 / 131072 },
                  { 0, 1 },
                  { 54000, 1 },
                  { 70000, 3 * 7e4 * 7e4 / 8589934592 } };
    struct gpucal_model *model = open_model(*state);
    struct gpucal_prediction p;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(gpucal_predict(model, &cases[i].n, &p, NULL), 0);
        assert_int_equal(p.extrapolates, cases[i].outside_by != 1);
        assert_true(relative(p.outside_by, cases[i].outside_by) < 1e-12);
        assert_int_equal(!!p.outside, p.extrapolates);
        if (p.outside)
            assert_string_equal(p.outside, "f_op_float32_madd");
    }
    gpucal_model_close(model);
}

static void refuses_impossible_sizes(void **state)
{
    struct gpucal_model *model = open_model(*state);
    struct gpucal_prediction p = { .time_s = 2.385 };
    struct gpucal_error err = { 0 };
    double n = NAN;

    assert_int_equal(gpucal_predict(model, &n, &p, &err), -1);
    assert_true(err.code == GPUCAL_ESIZES && *err.text && p.time_s == 2.385);
    n = 1e200;
    assert_int_equal(gpucal_predict(model, &n, &p, &err), -1);
    gpucal_model_close(model);
}

/* The sample device runs work-groups of 1024, with 49152 bytes of local memory, on 150 GB of
 * memory, in buffers of a quarter of it.
 */
static void says_what_the_device_cannot_run(void **state)
{
    static const struct {
        const char *local_size, *extra;
        double n;
        const char *says;
    } cases[] = {
        { "[512]", "", 1e9, NULL },
        { "[32, 32, 1]", "", 1e9, NULL },
        { "[32, 8, 8]", "", 1, "2048 work-items, of at most 1024" },
        { "[1025]", "", 1, "1025 work-items, of at most 1024" },
        { "[64]", "arguments: [{name: x, memory: global, bytes: 4*n}]\n", 8e9, NULL },
        { "[64]", "arguments: [{name: x, memory: global, bytes: 4*n}]\n", 1e12,
          "a larger buffer than the device allows: 4 TB, of at most " },
        { "[64]",
          "arguments: [{name: x, memory: global, bytes: 4*n}, {name: y, memory: "
          "constant, "
          "bytes: 4*n}, {name: z, memory: global, bytes: 4*n}, {name: w, memory: global, "
          "bytes: 4*n}, {name: v, memory: global, bytes: 4*n}]\n",
          9e9, "more memory than the device has: 180 GB, of at most 150.8 GB" },
        { "[64]", "arguments: [{name: t, memory: local, bytes: 8*n}]\n", 6144, NULL },
        { "[64]", "arguments: [{name: t, memory: local, bytes: 8*n}]\n", 6145,
          "more local memory than the device has: 49.16 kB, of at most 49.15 kB" },
    };
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = gpucal_store_open(*state, &err);
    struct gpucal_device *device = gpucal_device_open(store, "n1", "test*", &err);

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[2000];
        struct gpucal_profile *profile;
        struct gpucal_model *model;
        struct gpucal_prediction p;
        int rc;

        snprintf(
            text, sizeof(text),
            "gpucal_profile: 6\nkernel: k\nparameters: [n]\nlocal_size: %s\n"
            "groups: %s\n%sestimated: false\nentries:\n"
            "- {feature: f_op_float32_madd, count: n, per: sub-group, dtype: float32, "
            "op: madd}\n",
            cases[i].local_size, strchr(cases[i].local_size, ',') ? "[n, 1, 1]" : "[n]",
            cases[i].extra);
        profile = gpucal_profile_parse(text, strlen(text), "p.yaml", &err);
        if (!profile)
            fail_msg("case %zu: %s", i, err.text);
        model = gpucal_model_bind(device, NULL, profile, &err);
        if (!model)
            fail_msg("case %zu: %s", i, err.text);
        rc = gpucal_predict(model, &cases[i].n, &p, &err);
        if (cases[i].says ? rc == 0 || err.code != GPUCAL_ECANNOTRUN ||
                                !strstr(err.text, cases[i].says)
                          : rc < 0)
            fail_msg("case %zu: %d, code %#x, %s", i, rc, (unsigned)err.code, err.text);
        gpucal_model_close(model);
        gpucal_profile_close(profile);
    }
    gpucal_device_close(device);
    gpucal_store_close(store);
}

static void ranks_variants(void **state)
{
    static const double sizes[] = { 2048, 512, NAN, 512, 1024 };
    static const size_t expected[] = { 1, 3, 4, 0, 2 };
    struct gpucal_model *model = open_model(*state);
    struct gpucal_variant variants[5];
    struct gpucal_prediction p;
    struct gpucal_error err = { 0 };
    size_t order[5];

    for (size_t i = 0; i < 5; i++)
        variants[i] = (struct gpucal_variant){ .model = model, .sizes = &sizes[i] };
    assert_int_equal(gpucal_rank(variants, 5, order, &err), 0);
    assert_memory_equal(order, expected, sizeof(order));
    assert_int_equal(gpucal_predict(model, &sizes[4], &p, &err), 0);
    assert_true(variants[4].time_s == p.time_s && variants[4].is_covered);
    assert_true(variants[1].faster == 0.5 && variants[3].faster == 0.5);
    /* The more they take, the less probable it is that they are faster. */
    assert_true(variants[4].faster < 0.5 && variants[0].faster < variants[4].faster);
    assert_true(variants[0].faster >= 0);
    assert_true(isinf(variants[2].time_s) && isnan(variants[2].faster));
    assert_false(variants[2].is_covered);
    memset(&p, 0xff, sizeof(p));
    assert_int_equal(gpucal_predict(model, &sizes[4], &p, &err), 0);
    assert_true(p.reserved[0] == 0 && p.reserved[6] == 0);
    variants[3].reserved[7] = 1;
    assert_int_equal(gpucal_rank(variants, 5, order, &err), -1);
    assert_non_null(strstr(err.text, "variant 3: 'reserved' is not 0"));
    assert_int_equal(gpucal_fastest(variants, 5, 0, &p.time_s, &err), -1);
    assert_non_null(strstr(err.text, "variant 3: 'reserved' is not 0"));
    variants[3].reserved[7] = 0;
    assert_int_equal(gpucal_rank(&variants[2], 1, order, &err), -1);
    assert_true(*err.text);
    assert_int_equal(gpucal_rank(variants, 0, order, &err), -1);
    assert_non_null(strstr(err.text, "no variant"));
    gpucal_model_close(model);
}

static void lists_the_choices(void **state)
{
    struct gpucal_store *store = gpucal_store_open(*state, NULL);
    struct gpucal_profile *profile = open_profile();
    struct gpucal_device *device;
    struct gpucal_error err;

    assert_null(gpucal_device_open(store, "n7", NULL, &err));
    assert_non_null(strstr(err.text, "calibrated nodes: n1"));
    assert_null(gpucal_device_open(store, "n1", "h200", &err));
    assert_non_null(strstr(err.text, "uuid:7f (Test GPU)"));
    assert_non_null(device = gpucal_device_open(store, "n1", NULL, &err));
    assert_null(gpucal_model_bind(device, "stencil", profile, &err));
    assert_non_null(strstr(err.text, "models: matmul"));
    assert_null(gpucal_store_open("/nonexistent", &err));
    assert_null(gpucal_profile_parse("a: [", 4, "p.yaml", &err));
    assert_non_null(strstr(err.text, "p.yaml:"));
    unsetenv("GPUCAL_STORE");
    assert_null(gpucal_store_open(NULL, &err));
    assert_non_null(strstr(err.text, "GPUCAL_STORE"));
    gpucal_device_close(device);
    gpucal_profile_close(profile);
    gpucal_store_close(store);
}

static void *predict_often(void *model)
{
    struct gpucal_prediction p;

    for (int i = 1; i <= 2000; i++) {
        double n = i;

        if (gpucal_predict(model, &n, &p, NULL) < 0 ||
            relative(p.time_s, 1.0125 * (2.385e-12 * 3 * n * n + 7.2e-6)) > 1e-12)
            return model;
    }
    return NULL;
}

static void predicts_from_several_threads(void **state)
{
    struct gpucal_model *model = open_model(*state);
    pthread_t threads[4];
    void *wrong;

    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, predict_often, model), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    gpucal_model_close(model);
}

static int setup(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_store *store;

    sample_setup(state);
    assert_non_null(store = gcal_store_open_writable(*state, NULL));
    assert_int_equal(gcal_store_publish(store, &params, "run1", NULL), 0);
    gcal_store_close(store);
    gcal_params_clear(&params);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicts_as_by_hand),
        cmocka_unit_test(reports_extrapolation),
        cmocka_unit_test(refuses_impossible_sizes),
        cmocka_unit_test(says_what_the_device_cannot_run),
        cmocka_unit_test(ranks_variants),
        cmocka_unit_test(lists_the_choices),
        cmocka_unit_test(predicts_from_several_threads),
    };

    return cmocka_run_group_tests(tests, setup, sample_teardown);
}
