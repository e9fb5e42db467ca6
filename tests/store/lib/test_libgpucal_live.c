/* test_libgpucal_live.c - libgpucal on a store that changes while it is read */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "store/lib/gpucal.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

/* The model of sample_params() with a profile of 3 n^2 madds and a launch:
 * 1.0125 (madd_s 3 n^2 + 7.2 us).
 */
#define MADD_S   2.385e-12
#define LAUNCH_S 7.2e-6
#define FACTOR   1.0125

static double time_of(double madd_s, double n)
{
    return FACTOR * (madd_s * 3 * n * n + LAUNCH_S);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fabs(b);
}

static void publish(const char *folder, const char *node, const char *uid, double madd_s)
{
    struct gcal_error err = { 0 };
    struct gcal_params params = sample_params(node, uid, madd_s);
    struct gcal_store *store = gcal_store_open_writable(folder, &err);
    static int runs;
    char run[20];

    snprintf(run, sizeof(run), "run%06d", runs++);
    if (!store || gcal_store_publish(store, &params, run, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    gcal_params_clear(&params);
}

static struct gpucal_store *open_store(const char *folder)
{
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = gpucal_store_open(folder, &err);

    if (!store)
        fail_msg("%s", err.text);
    return store;
}

static struct gpucal_device *open_device(const struct gpucal_store *store,
                                         const char *node, const char *pattern)
{
    struct gpucal_error err = { 0 };
    struct gpucal_device *device = gpucal_device_open(store, node, pattern, &err);

    if (!device)
        fail_msg("%s", err.text);
    return device;
}

static struct gpucal_profile *open_profile(void)
{
    struct gpucal_profile *profile =
        gpucal_profile_open(TEST_DATA "/mm.profile.yaml", NULL);

    assert_non_null(profile);
    return profile;
}

static struct gpucal_model *open_model(const char *folder, const char *node,
                                       const char *pattern)
{
    struct gpucal_store *store = open_store(folder);
    struct gpucal_device *device = open_device(store, node, pattern);
    struct gpucal_profile *profile = open_profile();
    struct gpucal_model *model = gpucal_model_bind(device, NULL, profile, NULL);

    assert_non_null(model);
    gpucal_profile_close(profile);
    gpucal_device_close(device);
    gpucal_store_close(store);
    return model;
}

/* ---- lists ---- */

static void check_list(struct gpucal_list *list, size_t count, const char *const *items)
{
    assert_non_null(list);
    assert_int_equal(gpucal_list_count(list), count);
    for (size_t i = 0; i < count; i++)
        assert_string_equal(gpucal_list_item(list, i), items[i]);
    assert_null(gpucal_list_item(list, count));
    gpucal_list_close(list);
}

static void lists_nodes_and_devices(void **state)
{
    static const char *const nodes[] = { "n1", "n17", "n2" }, *const uids[] = {
        "uuid:1", "uuid:7f"
    };
    struct gpucal_store *store = open_store(*state);
    struct gpucal_error err = { 0 };
    struct gpucal_device *device;

    check_list(gpucal_store_nodes(store, &err), 0, NULL);
    publish(*state, "n2", "uuid:7f", MADD_S);
    publish(*state, "n17", "uuid:7f", MADD_S);
    publish(*state, "n1", "uuid:7f", MADD_S);
    publish(*state, "n1", "uuid:1", MADD_S);
    check_list(gpucal_store_nodes(store, &err), 3, nodes);
    check_list(gpucal_node_devices(store, "n1", &err), 2, uids);
    assert_null(gpucal_node_devices(store, "n3", &err));
    assert_non_null(strstr(err.text, "calibrated nodes: n1, n17, n2"));
    device = open_device(store, "n1", "uuid:1");
    assert_string_equal(gpucal_device_node(device), "n1");
    assert_true(*gpucal_device_run(device));
    gpucal_device_close(device);
    gpucal_list_close(NULL);
    gpucal_store_close(store);
}

/* Damaged files of other nodes are not read. */
static void reads_one_node_alone(void **state)
{
    struct gpucal_store *store = open_store(*state);
    struct gpucal_device *device;

    publish(*state, "n1", "uuid:7f", MADD_S);
    sample_file_write(sample_path(*state, "nodes/n0.yaml"), "gpucal_params: [", 16);
    assert_int_equal(mkdir(sample_path(*state, "nodes/n2.yaml"), 0700), 0);
    device = open_device(store, "n1", NULL);
    gpucal_device_close(device);
    assert_null(gpucal_device_open(store, "n0", NULL, NULL));
    gpucal_store_close(store);
}

/* ---- reload ---- */

static void reloads_a_new_calibration(void **state)
{
    struct gpucal_device *device, *fresh = NULL, *kept;
    struct gpucal_profile *profile = open_profile();
    struct gpucal_store *store = open_store(*state);
    struct gpucal_error err = { 0 };
    struct gpucal_prediction p;
    struct gpucal_model *model;
    double n = 2048;

    publish(*state, "n1", "uuid:7f", MADD_S);
    publish(*state, "n1", "uuid:70", MADD_S);
    device = open_device(store, "n1", "uuid:7f");
    assert_int_equal(gpucal_device_reload(store, device, &fresh, &err), 0);
    assert_null(fresh);
    publish(*state, "n1", "uuid:7f", 2 * MADD_S);
    assert_int_equal(gpucal_device_reload(store, device, &fresh, &err), 1);
    assert_string_equal(gpucal_device_uid(fresh), "uuid:7f");
    /* The old device is unchanged, also for a model bound after the reload. */
    for (int i = 0; i < 2; i++) {
        model = gpucal_model_bind(i ? fresh : device, NULL, profile, &err);
        assert_non_null(model);
        assert_int_equal(gpucal_predict(model, &n, &p, NULL), 0);
        assert_true(is_near(p.time_s, time_of((1 + i) * MADD_S, n)));
        gpucal_model_close(model);
    }
    gpucal_device_close(device);
    kept = fresh;
    assert_int_equal(gpucal_device_reload(store, kept, &fresh, &err), 0);
    assert_int_equal(unlink(sample_path(*state, "nodes/n1.yaml")), 0);
    assert_int_equal(gpucal_device_reload(store, kept, &fresh, &err), -1);
    assert_non_null(strstr(err.text, "n1"));
    publish(*state, "n1", "uuid:70", MADD_S);
    assert_int_equal(gpucal_device_reload(store, kept, &fresh, &err), -1);
    assert_non_null(strstr(err.text, "device uuid:7f is no longer in its file"));
    assert_ptr_equal(fresh, kept);
    gpucal_device_close(kept);
    gpucal_profile_close(profile);
    gpucal_store_close(store);
}

/* ---- signatures ---- */

static void refuses_files_without_a_trusted_signature(void **state)
{
    struct gpucal_error err = { 0 };
    struct gpucal_store *store = open_store(*state);
    struct gpucal_device *device;

    publish(*state, "n1", "uuid:7f", MADD_S);
    assert_int_equal(gcal_sign_keygen(sample_path(*state, "key"), NULL), 0);
    device = open_device(store, "n1", NULL);
    gpucal_device_close(device);
    assert_int_equal(gpucal_store_trust(store, sample_path(*state, "key.pub"), &err), 0);
    assert_null(gpucal_device_open(store, "n1", NULL, &err));
    assert_non_null(strstr(err.text, "sign"));
    gpucal_store_close(store);

    setenv("GPUCAL_TRUSTED_KEYS", sample_path(*state, "key.pub"), 1);
    store = open_store(*state);
    assert_null(gpucal_device_open(store, "n1", NULL, &err));
    gpucal_store_close(store);
    setenv("GPUCAL_TRUSTED_KEYS", "/nonexistent", 1);
    assert_null(gpucal_store_open(*state, &err));
    assert_non_null(strstr(err.text, "/nonexistent"));
    unsetenv("GPUCAL_TRUSTED_KEYS");
}

/* ---- batches ---- */

/* To the bit, but for the padding after 'extrapolates'. */
static void assert_same_prediction(const struct gpucal_prediction *a,
                                   const struct gpucal_prediction *b)
{
    assert_memory_equal(a, b, offsetof(struct gpucal_prediction, extrapolates));
    assert_int_equal(a->extrapolates, b->extrapolates);
    assert_ptr_equal(a->outside, b->outside);
    assert_memory_equal(&a->outside_by, &b->outside_by, sizeof(a->outside_by));
}

static void predicts_many_as_one_by_one(void **state)
{
    struct gpucal_prediction p[4] = { 0 }, one;
    double sizes[] = { 100, 2048, 713, 54000 };
    struct gpucal_error err = { 0 };
    struct gpucal_model *model;

    publish(*state, "n1", "uuid:7f", MADD_S);
    model = open_model(*state, "n1", NULL);
    assert_int_equal(gpucal_predict_batch(model, sizes, 4, p, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(gpucal_predict(model, &sizes[i], &one, NULL), 0);
        assert_same_prediction(&one, &p[i]);
    }
    sizes[2] = NAN;
    p[1].time_s = p[2].time_s = -1;
    assert_int_equal(gpucal_predict_batch(model, sizes, 4, p, &err), -1);
    assert_true(p[1].time_s > 0 && p[2].time_s == -1);
    assert_int_equal(gpucal_predict_batch(model, NULL, 0, NULL, NULL), 0);
    gpucal_model_close(model);
}

/* ---- division ---- */

struct two {
    struct gpucal_model *model[2];
    double sizes[1];
    struct gpucal_share shares[2];
};

/* Two devices; a madd on the second takes a quarter of the time. */
static struct two open_two(const char *folder)
{
    struct two two = { .sizes = { -1 } }; /* unused: the size that is divided */

    publish(folder, "n1", "uuid:7f", MADD_S);
    publish(folder, "n2", "uuid:7f", MADD_S / 4);
    for (int i = 0; i < 2; i++) {
        two.model[i] = open_model(folder, i ? "n2" : "n1", NULL);
        two.shares[i] =
            (struct gpucal_share){ .model = two.model[i], .size_per_unit = 64 };
    }
    return two;
}

static void close_two(struct two *two)
{
    gpucal_model_close(two->model[0]);
    gpucal_model_close(two->model[1]);
}

static double end_of(const struct gpucal_share *s, double madd_s, double units)
{
    return units == 0 ? 0
                      : s->start_s + s->transfer_s * units +
                            time_of(madd_s, s->size_per_unit * units);
}

static void divides_work_by_predictions(void **state)
{
    struct two two = open_two(*state);
    struct gpucal_share *s = two.shares;
    double makespan_s = 0, best_s = INFINITY;

    s[0].sizes = s[1].sizes = two.sizes;
    s[0].start_s = 3.1e-5;
    s[0].transfer_s = 2.7e-7;
    s[1].start_s = 1.3e-4;
    assert_int_equal(gpucal_split(s, 2, 1000, 8, &makespan_s, NULL), 0);
    for (double units = 0; units <= 1000; units += 8)
        best_s = fmin(best_s, fmax(end_of(&s[0], MADD_S, units),
                                   end_of(&s[1], MADD_S / 4, 1000 - units)));
    /* The errors are of some per mille, so the last ends little later than predicted. */
    assert_true(makespan_s > best_s && makespan_s < 1.01 * best_s);
    assert_true(s[0].units + s[1].units == 1000 && s[0].units < s[1].units);
    for (int i = 0; i < 2; i++) {
        double madd_s = i ? MADD_S / 4 : MADD_S, of_kernel_s;

        assert_true(fmod(s[i].units, 8) == 0);
        assert_true(is_near(s[i].time_s, end_of(&s[i], madd_s, s[i].units)));
        of_kernel_s = s[i].time_s - s[i].start_s - s[i].transfer_s * s[i].units;
        assert_true(s[i].low_s < s[i].time_s && s[i].time_s < s[i].high_s);
        assert_true(s[i].low_s > s[i].time_s - of_kernel_s);
        assert_int_equal(s[i].extrapolates, 0);
        /* A few granules more would end later than all. */
        assert_true(end_of(&s[i], madd_s, s[i].units + 8) > best_s);
    }
    s[0].most = 64;
    assert_int_equal(gpucal_split(s, 2, 1e5, 8, &makespan_s, NULL), 0);
    assert_true(s[0].units == 64 && s[1].units == 1e5 - 64 && s[1].extrapolates);
    assert_true(makespan_s >= s[1].time_s && makespan_s < 1.02 * s[1].time_s);
    close_two(&two);
}

/* The second device, of four times the speed, is found to be as slow as the first. */
static void divides_again_by_measured_times(void **state)
{
    struct two two = open_two(*state);
    struct gpucal_share *s = two.shares;
    double makespan_s;

    s[0].sizes = s[1].sizes = two.sizes;
    assert_int_equal(gpucal_split(s, 2, 100000, 8, NULL, NULL), 0);
    assert_true(s[1].units > 1.9 * s[0].units); /* times grow with the square */
    for (int i = 0; i < 2; i++) {
        s[i].measured_units = s[i].units;
        s[i].measured_s = time_of(MADD_S, s[i].size_per_unit * s[i].units);
    }
    assert_int_equal(gpucal_split(s, 2, 100000, 8, &makespan_s, NULL), 0);
    assert_in_range(s[0].units, 49000, 51000);
    assert_true(s[0].units + s[1].units == 100000);
    /* 5 % of error each, and the later of two. */
    assert_true(makespan_s > s[0].time_s && makespan_s < 1.08 * s[0].time_s);
    assert_true(s[0].high_s / s[0].low_s > 1.1 && s[0].high_s / s[0].low_s < 1.3);
    close_two(&two);
}

static void refuses_invalid_shares(void **state)
{
    struct two two = open_two(*state);
    struct gpucal_share good[2], bad[2];
    struct gpucal_error err = { 0 };
    double makespan_s = -1;
    const struct {
        double *where;
        double value;
        const char *says;
    } cases[] = {
        { &bad[1].size_per_unit, 0, "share 1: size_per_unit is 0" },
        { &bad[1].size_per_unit, INFINITY, "share 1: size_per_unit is inf" },
        { &bad[0].start_s, -1, "share 0: start_s is -1" },
        { &bad[0].start_s, NAN, "share 0: start_s is nan" },
        { &bad[0].transfer_s, INFINITY, "transfer_s inf" },
        { &bad[0].least, NAN, "at least nan" },
        { &bad[0].measured_s, 1, "share 0: 0 units were measured to take 1 s" },
        { &bad[1].measured_units, NAN, "share 1: nan units were measured" },
        { &bad[0].size_per_unit, 1e200, "share 0 with" },
    };

    two.shares[0].sizes = two.shares[1].sizes = two.sizes;
    memcpy(good, two.shares, sizeof(good));
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        memcpy(bad, good, sizeof(bad));
        *cases[i].where = cases[i].value;
        assert_int_equal(gpucal_split(bad, 2, 100, 1, &makespan_s, &err), -1);
        if ((err.code & 0xff) != 1 || !strstr(err.text, cases[i].says))
            fail_msg("case %zu: %s", i, err.text);
        assert_true(makespan_s == -1 && bad[1].units == 0);
    }
    memcpy(bad, good, sizeof(bad));
    bad[1].reserved[0] = 1; /* as in memory that was not set */
    assert_int_equal(gpucal_split(bad, 2, 100, 1, &makespan_s, &err), -1);
    assert_non_null(strstr(err.text, "share 1: 'reserved' is not 0"));
    assert_int_equal(gpucal_split(good, 2, NAN, 1, NULL, &err), -1);
    assert_int_equal(gpucal_split(good, 2, 100, 0, NULL, NULL), -1);
    assert_int_equal(gpucal_split(NULL, 0, 100, 1, NULL, &err), -1);
    good[1].unit = 1;
    assert_int_equal(gpucal_split(good, 2, 100, 1, NULL, &err), -1);
    assert_non_null(strstr(err.text, "share 1: unit is size 1"));
    good[1].model = NULL;
    assert_int_equal(gpucal_split(good, 2, 100, 1, NULL, &err), -1);
    assert_non_null(strstr(err.text, "share 1: no model"));
    close_two(&two);
}

/* ---- several threads ---- */

#define ROUNDS 150

struct shared {
    struct gpucal_store *store;
    struct gpucal_profile *profile;
    struct gpucal_device *device; /* bound by all threads */
    int n_reloaded;               /* threads that have read a replaced file, or failed */
    int done;                     /* set by the publisher */
};

/* Every file has one of these costs, so that a torn one would show. */
static bool is_published(const struct gpucal_device *device,
                         const struct gpucal_profile *profile)
{
    struct gpucal_model *model = gpucal_model_bind(device, "matmul", profile, NULL);
    double n = 2048, madds = 3 * n * n, round;
    struct gpucal_prediction p;
    bool good = model && gpucal_predict(model, &n, &p, NULL) == 0;

    round = good ? ((p.time_s / FACTOR - LAUNCH_S) / madds / MADD_S - 1) * 1000 : NAN;
    gpucal_model_close(model);
    return fabs(round - nearbyint(round)) < 1e-6 && round > -0.5 && round < ROUNDS + 0.5;
}

/* Replaces the file as publishing does, without waiting for the disk. */
static void replace(const char *folder, double madd_s)
{
    const char *temp = sample_path(folder, "temp");
    struct gcal_params params = sample_params("n1", "uuid:7f", madd_s);
    size_t size;
    char *text = gcal_params_encode(&params, &size, NULL);

    assert_non_null(text);
    sample_file_write(temp, text, size);
    assert_int_equal(rename(temp, sample_path(folder, "nodes/n1.yaml")), 0);
    gcal_params_clear(&params);
    free(text);
}

static void *read_often(void *context)
{
    struct shared *s = context;
    struct gpucal_device *mine = gpucal_device_open(s->store, "n1", NULL, NULL), *fresh;
    int reloads = 0;

    while (mine && !__atomic_load_n(&s->done, __ATOMIC_ACQUIRE)) {
        int rc = gpucal_device_reload(s->store, mine, &fresh, NULL);

        if (rc > 0) {
            gpucal_device_close(mine);
            mine = fresh;
            if (!reloads++)
                __atomic_add_fetch(&s->n_reloaded, 1, __ATOMIC_RELEASE);
        }
        if (rc < 0 || !is_published(mine, s->profile) ||
            !is_published(s->device, s->profile))
            break;
    }
    gpucal_device_close(mine);
    if (!reloads)
        __atomic_add_fetch(&s->n_reloaded, 1, __ATOMIC_RELEASE);
    return __atomic_load_n(&s->done, __ATOMIC_ACQUIRE) && reloads ? NULL : context;
}

static void serves_threads_while_files_are_replaced(void **state)
{
    struct shared s = { .store = open_store(*state), .profile = open_profile() };
    pthread_t threads[4];
    void *wrong;

    publish(*state, "n1", "uuid:7f", MADD_S);
    s.device = open_device(s.store, "n1", NULL);
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &s), 0);
    /* On a busy machine a thread may begin late. */
    for (int i = 0; i < ROUNDS || __atomic_load_n(&s.n_reloaded, __ATOMIC_ACQUIRE) < 4;
         i++)
        replace(*state, MADD_S * (1 + (i % ROUNDS + 1) / 1000.0));
    __atomic_store_n(&s.done, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    gpucal_device_close(s.device);
    gpucal_profile_close(s.profile);
    gpucal_store_close(s.store);
}

/* ---- the binary interface ---- */

/* Programs built with GPUCAL_1 rely on it (64-bit systems). */
static void keeps_its_layout(void **state)
{
    (void)state;
    if (sizeof(void *) != 8)
        skip();
    assert_int_equal(sizeof(struct gpucal_error), 1040);
    assert_int_equal(sizeof(struct gpucal_variant), 104);
    assert_int_equal(sizeof(struct gpucal_ratio), 72);
    assert_int_equal(sizeof(struct gpucal_prediction), 152);
    assert_int_equal(offsetof(struct gpucal_prediction, not_covered), 32);
    assert_int_equal(offsetof(struct gpucal_prediction, extrapolates), 48);
    assert_int_equal(offsetof(struct gpucal_prediction, outside_by), 64);
    assert_int_equal(offsetof(struct gpucal_prediction, roof_s), 80);
    assert_int_equal(sizeof(struct gpucal_share), 176);
    assert_int_equal(offsetof(struct gpucal_share, size_per_unit), 24);
    assert_int_equal(offsetof(struct gpucal_share, units), 64);
    assert_int_equal(offsetof(struct gpucal_share, extrapolates), 104);
}

/* A test with a new store. */
#define ON_STORE(test)                                                                   \
    cmocka_unit_test_setup_teardown(test, sample_setup, sample_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_STORE(lists_nodes_and_devices),
        ON_STORE(reads_one_node_alone),
        ON_STORE(reloads_a_new_calibration),
        ON_STORE(refuses_files_without_a_trusted_signature),
        ON_STORE(predicts_many_as_one_by_one),
        ON_STORE(divides_work_by_predictions),
        ON_STORE(divides_again_by_measured_times),
        ON_STORE(refuses_invalid_shares),
        ON_STORE(serves_threads_while_files_are_replaced),
        cmocka_unit_test(keeps_its_layout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
