/* test_members.c - devices of a type that differ in a kernel, by simulation with a known spread */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/profile.h"
#include "calib/learn/kernel.h"
#include "store/files/store.h"
#include "store/predict/predictor.h"
#include "store/publish/publish.h"
#include "tests/calib/learn/kernel.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define UTC "2026-11-28T12:00:00Z"

enum { N_SIZES = 4, MOST_DEVICES = 8 };
static const char *const named[] = { "n=4194304,m=4096", "n=8388608,m=6000",
                                     "n=2097152,m=9000", "n=8388608,m=1500" };
static const double sizes[][2] = {
    { 4194304, 4096 }, { 8388608, 6000 }, { 2097152, 9000 }, { 8388608, 1500 }
};

struct setting {
    struct gcal_arena *arena;
    char *folder;
    struct gcal_params h100;
    struct gcal_params_device *device;
    const struct gcal_params_model *general;
    uint64_t random;
};

static int set_up(void **state)
{
    static struct setting s;

    s = (struct setting){ .arena = gcal_arena_create(),
                          .folder = sample_folder(),
                          .h100 = learn_device(TEST_DATA "/general/h100.yaml"),
                          .random = 1 };
    s.device = s.h100.devices;
    s.general = gcal_predictor_find_general(s.device);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct setting *s = *state;

    gcal_params_clear(&s->h100);
    sample_folder_remove(s->folder);
    gcal_arena_destroy(s->arena);
    return 0;
}

/* Of mean 0 and deviation 1: the sum of twelve uniform ones. */
static double draw(struct setting *s)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += gcal_random_share(&s->random);
    return sum;
}

static struct gcal_profile *open_kernel(unsigned kernel)
{
    char line[80];

    snprintf(line, sizeof(line), "fingerprint: '%032x'\n", kernel + 1);
    return learn_kernel(line);
}

static int count(void *profile, const char *text, struct gcal_kernel_time *time,
                 struct gcal_error *err)
{
    (void)err;
    time->profile = profile;
    for (size_t i = 0; i < N_SIZES; i++)
        if (strcmp(named[i], text) == 0)
            time->sizes = sizes[i];
    return 0;
}

static double predict(struct setting *s, struct gcal_profile *profile, const char *model,
                      size_t size, double *width)
{
    struct gcal_error err = { 0 };
    struct gcal_predictor *p = gcal_predictor_create(s->device, model, profile, &err);
    struct gcal_prediction prediction;

    if (!p || gcal_predictor_eval(p, sizes[size], &prediction, NULL, &err) < 0)
        fail_msg("%s", err.text);
    gcal_predictor_destroy(p);
    if (width)
        *width = log(prediction.high_s / prediction.low_s);
    return prediction.time_s;
}

/* Times of the kernel on devices "n1/d0", .. that differ by these factors, with a noise of 'noise', into
 * the store; device NULL: unknown.
 */
static void learn(struct setting *s, unsigned kernel, size_t n_devices,
                  const double *factors, double noise, bool are_known)
{
    struct gcal_store *store = gcal_store_open_writable(s->folder, NULL);
    struct gcal_profile *profile = open_kernel(kernel);
    struct gcal_params_time times[MOST_DEVICES * N_SIZES];
    struct gcal_error err = { 0 };
    struct gcal_learned d = { .arena = s->arena,
                              .store = store,
                              .device = s->device,
                              .general = s->general,
                              .name = "work",
                              .count = count,
                              .context = profile };
    double miss[N_SIZES];

    for (size_t i = 0; i < N_SIZES; i++)
        miss[i] = 0.04 * draw(s);
    for (size_t i = 0; i < n_devices * N_SIZES; i++) {
        size_t size = i % N_SIZES, device = i / N_SIZES;

        times[i] = (struct gcal_params_time){
            .sizes = (char *)named[size],
            .time_s = predict(s, profile, s->general->name, size, NULL) /
                      s->general->factor * factors[device] *
                      exp(miss[size] + noise * draw(s)),
            .spread = noise,
            .measured_utc = (char *)UTC,
            .device = are_known ? gcal_arena_format(s->arena, "n1/d%zu", device) : NULL
        };
    }
    gcal_learn_add_times(&d, n_devices * N_SIZES, times);
    if (gcal_learn_fit_kernel(&d, &err) < 0 ||
        gcal_learn_publish_kernel(&d, &(const struct gcal_learn_run){ "r1", UTC }, &err) <
            0)
        fail_msg("%s", err.text);
    gcal_params_clear(&d.known);
    gcal_profile_destroy(profile);
    gcal_store_close(store);
}

/* What the store predicts of the kernel on a device, to the general model's time. */
static double ratio_on(struct setting *s, unsigned kernel, const char *uid, double *width)
{
    struct gcal_store *store = gcal_store_open(s->folder, NULL);
    struct gcal_profile *profile = open_kernel(kernel);
    char *own = s->device->info.uid;
    struct gcal_error err = { 0 };
    double ratio;

    s->device->info.uid = (char *)uid;
    if (gcal_learned_add(store, "n1", profile, s->device, &err) < 0)
        fail_msg("%s", err.text);
    s->device->info.uid = own;
    s->general = gcal_predictor_find_general(s->device);
    ratio =
        predict(s, profile, s->device->models[s->device->n_models - 1].name, 1, width) /
        predict(s, profile, s->general->name, 1, NULL);
    gcal_params_model_clear(&s->device->models[--s->device->n_models]);
    gcal_profile_destroy(profile);
    gcal_store_close(store);
    return ratio;
}

static void load(const struct setting *s, unsigned kernel, struct gcal_params *known)
{
    struct gcal_store *store = gcal_store_open(s->folder, NULL);
    char name[40];

    snprintf(name, sizeof(name), "%032x", kernel + 1);
    assert_int_equal(gcal_store_load_learned(store, name, known, NULL), 1);
    assert_int_equal(known->n_devices, 1);
    gcal_store_close(store);
}

/* ---- tests ---- */

/* Three devices have two differences a kernel: an estimate of a variance from n differences is off by
 * sqrt(2 / n) of it.
 */
static void the_spread_between_devices_is_recovered(void **state)
{
    struct setting *s = *state;
    const double truth[] = { 0.015, 0.05 };
    enum { N_KERNELS = 40 };

    for (size_t k = 0; k < 2; k++) {
        struct gcal_learned_spreads spreads;
        double found, error = truth[k] * sqrt(2. / (2 * N_KERNELS)) / 2;
        struct gcal_store *store;

        for (unsigned i = 0; i < N_KERNELS; i++) {
            double factors[3];

            for (size_t d = 0; d < 3; d++)
                factors[d] = exp(truth[k] * draw(s));
            learn(s, i, 3, factors, 0.01, true);
        }
        store = gcal_store_open(s->folder, NULL);
        spreads = gcal_learned_estimate(store, s->device, s->general);
        found = gcal_learned_devices(&spreads, s->general,
                                     &(const struct gcal_params_model){ 0 });
        gcal_store_close(store);
        if (fabs(found - truth[k]) > 3 * error + 0.1 * fabs(0.02 - truth[k]))
            fail_msg("%g, and is %g +- %g", found, truth[k], error);
    }
}

static void each_device_has_its_own_factor(void **state)
{
    struct setting *s = *state;
    const double factors[] = { 1.08, 0.95, 0.98 };
    double mean = cbrt(factors[0] * factors[1] * factors[2]), first, widths[4];
    struct gcal_params known;

    learn(s, 0, 3, factors, 0.005, true);
    first = ratio_on(s, 0, "d3", &widths[3]);
    for (size_t d = 0; d < 3; d++) {
        double ratio =
            ratio_on(s, 0, (const char *const[]){ "d0", "d1", "d2" }[d], &widths[d]);

        /* The prior of 2 % draws them together by a tenth. */
        assert_true(fabs(log(ratio / first / (factors[d] / mean))) < 0.012);
        assert_true(widths[d] < widths[3]);
    }
    load(s, 0, &known);
    assert_int_equal(known.devices->models->n_times, 12);
    assert_int_equal(known.devices->models->n_members, 3);
    gcal_params_clear(&known);
    /* Other times of one of them stay beside those of the others. */
    learn(s, 0, 1, factors, 0.005, true);
    load(s, 0, &known);
    assert_int_equal(known.devices->models->n_times, 12);
    gcal_params_clear(&known);
}

/* One device, or none that is known, is its type. */
static void one_device_is_its_type(void **state)
{
    struct setting *s = *state;
    double width[4], ratio[4];
    struct gcal_params known;

    for (unsigned i = 0; i < 2; i++) {
        s->random = 7;
        learn(s, i, 1, &(double){ 1.1 }, 0.01, i);
        ratio[2 * i] = ratio_on(s, i, "d0", &width[2 * i]);
        ratio[2 * i + 1] = ratio_on(s, i, "d1", &width[2 * i + 1]);
        load(s, i, &known);
        assert_int_equal(known.devices->models->n_members, 0);
        assert_true(known.devices->models->spread_devices == 0);
        assert_true(!known.devices->models->times->device == !i);
        gcal_params_clear(&known);
    }
    for (size_t i = 1; i < 4; i++)
        assert_true(ratio[i] == ratio[0] && width[i] == width[0]);
    /* Once the store knows how far devices lie apart, another device is less known than that one. */
    learn(s, 2, 3, (const double[]){ 1.03, 0.97, 1 }, 0.01, true);
    s->random = 7;
    learn(s, 1, 1, &(double){ 1.1 }, 0.01, true);
    assert_true(fabs(ratio_on(s, 1, "d0", &width[2]) / ratio[0] - 1) < 1e-3);
    assert_true(fabs(ratio_on(s, 1, "d1", &width[3]) / ratio[0] - 1) < 1e-3);
    assert_true(width[3] > width[2]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_spread_between_devices_is_recovered),
        TEST(each_device_has_its_own_factor),
        TEST(one_device_is_its_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
