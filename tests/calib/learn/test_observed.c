/* test_observed.c - times that programs observe: their files, and what is learned of them */
#include <dirent.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/sign.h"
#include "kernels/model/profile.h"
#include "calib/learn/kernel.h"
#include "calib/learn/observed.h"
#include "store/lib/gpucal.h"
#include "store/publish/publish.h"
#include "tests/calib/learn/kernel.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define FINGERPRINT "00000000000000000000000000000001"
#define OTHER       "00000000000000000000000000000002"

/* Bound by arithmetic. */
static const double computes[][2] = { { 1 << 22, 4096 }, { 1 << 23, 6000 } };

struct setting {
    struct gcal_arena *arena;
    char *folder;
    struct gcal_params h100, h200;
    struct gpucal_store *store;
    struct gpucal_device *device, *other;
    struct gpucal_profile *profile, *second;
};

static struct gpucal_profile *open_profile(const char *fingerprint)
{
    char *line = gcal_buf_format("fingerprint: '%s'\n", fingerprint);
    struct gcal_profile *counted = learn_kernel(line);
    char *text = gcal_profile_encode(counted, NULL);
    struct gpucal_profile *profile =
        gpucal_profile_parse(text, strlen(text), "work", NULL);

    assert_non_null(profile);
    gcal_profile_destroy(counted);
    free(text);
    free(line);
    return profile;
}

static void publish(const char *folder, const char *node, struct gcal_params *params)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;

    free(params->node);
    params->node = strdup(node);
    if (gcal_store_publish(store, params, "r0", &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
}

static int set_up(void **state)
{
    static struct setting s;
    struct gpucal_error err;

    unsetenv("GPUCAL_SIGN_KEY");
    unsetenv("GPUCAL_TRUSTED_KEYS");
    s = (struct setting){ .arena = gcal_arena_create(),
                          .folder = sample_folder(),
                          .h100 = learn_device(TEST_DATA "/general/h100.yaml"),
                          .h200 = learn_device(TEST_DATA "/general/h200.yaml"),
                          .profile = open_profile(FINGERPRINT),
                          .second = open_profile(OTHER) };
    publish(s.folder, "n1", &s.h100);
    publish(s.folder, "n2", &s.h200);
    s.store = gpucal_store_open(s.folder, &err);
    s.device = gpucal_device_open(s.store, "n1", NULL, &err);
    s.other = gpucal_device_open(s.store, "n2", NULL, &err);
    assert_non_null(s.device);
    assert_non_null(s.other);
    *state = &s;
    return 0;
}

static int tear_down(void **state)
{
    struct setting *s = *state;

    gpucal_device_close(s->device);
    gpucal_device_close(s->other);
    gpucal_profile_close(s->profile);
    gpucal_profile_close(s->second);
    gpucal_store_close(s->store);
    gcal_params_clear(&s->h100);
    gcal_params_clear(&s->h200);
    sample_folder_remove(s->folder);
    gcal_arena_destroy(s->arena);
    return 0;
}

/* What a fresh process predicts. */
static struct gpucal_prediction predict(const struct gpucal_device *device,
                                        const struct gpucal_profile *profile, size_t size)
{
    struct gpucal_error err = { 0 };
    struct gpucal_prediction p = { 0 };
    struct gpucal_model *m = gpucal_model_bind(device, NULL, profile, &err);

    if (!m || gpucal_predict(m, computes[size], &p, &err) < 0)
        fail_msg("%s", err.text);
    gpucal_model_close(m);
    return p;
}

static int observe(const struct gpucal_device *device,
                   const struct gpucal_profile *profile, size_t size, double time_s)
{
    struct gpucal_error err = { 0 };
    int rc = gpucal_observe(device, profile, computes[size], time_s, &err);

    if (rc < 0)
        fail_msg("%s", err.text);
    return rc;
}

/* A node with another device of the type of n1's. */
static void add_sibling(struct setting *s, const char *node)
{
    struct gcal_params params = learn_device(TEST_DATA "/general/h100.yaml");

    free(params.devices->info.uid);
    params.devices->info.uid = gcal_buf_format("uuid:of-%s", node);
    publish(s->folder, node, &params);
    gcal_params_clear(&params);
}

/* A program: its first launch takes long; then n launches at each size, so many times as long as
 * predicted; one in four is disturbed.
 */
static void work(const struct setting *s, const char *node,
                 const struct gpucal_profile *profile, double ratio, size_t n)
{
    struct gpucal_store *store = gpucal_store_open(s->folder, NULL);
    struct gpucal_device *d = gpucal_device_open(store, node, NULL, NULL);
    double time_s[2];

    for (size_t i = 0; i < 2; i++)
        time_s[i] =
            ratio *
            predict(strcmp(node, "n1") == 0 ? s->device : s->other, profile, i).time_s;
    assert_int_equal(observe(d, profile, 0, 1), 0);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 2; k++)
            observe(d, profile, k,
                    time_s[k] * (i % 4 == 1 ? 5 : 1 + 0.01 * (double)(i % 3)));
    gpucal_device_close(d);
    gpucal_store_close(store);
}

static struct gcal_observed merge(const struct setting *s, bool dry_run)
{
    static int runs;
    struct gcal_store *store = gcal_store_open_writable(s->folder, NULL);
    const struct gcal_learn_run run = { gcal_arena_format(s->arena, "m%d", ++runs),
                                        "2020-11-27T12:00:00Z" };
    struct gcal_observed observed;
    struct gcal_error err = { 0 };

    if (getenv("GPUCAL_TRUSTED_KEYS"))
        assert_int_equal(gcal_store_trust(store, getenv("GPUCAL_TRUSTED_KEYS"), &err), 0);
    if (gcal_learn_observed(s->arena, store, &run, dry_run, &observed, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    return observed;
}

/* The only file of observed times. */
static const char *find_file(const struct setting *s)
{
    DIR *folder = opendir(sample_path(s->folder, "observed"));
    const char *path = NULL;
    struct dirent *entry;

    assert_non_null(folder);
    while ((entry = readdir(folder)))
        if (entry->d_name[0] != '.') {
            assert_null(path);
            path =
                gcal_arena_format(s->arena, "%s/observed/%s", s->folder, entry->d_name);
        }
    closedir(folder);
    return path;
}

static size_t count_lines(const char *path, const char *begin)
{
    size_t size, n = 0;
    char *text = sample_file_read(path, &size);

    for (char *at = strtok(text, "\n"); at; at = strtok(NULL, "\n"))
        n += strncmp(at, begin, strlen(begin)) == 0;
    free(text);
    return n;
}

/* ---- tests ---- */

static void observed_times_are_learned(void **state)
{
    struct setting *s = *state;
    double before[] = { predict(s->device, s->profile, 0).time_s,
                        predict(s->device, s->profile, 1).time_s };
    double elsewhere_s = predict(s->other, s->profile, 1).time_s;
    struct gcal_observed observed;

    setlocale(LC_NUMERIC,
              "de_DE.UTF-8"); /* a decimal comma, where there is that locale */
    work(s, "n1", s->profile, 1.3, 20);
    setlocale(LC_NUMERIC, "C");
    observed = merge(s, true); /* says the same, and changes nothing */
    assert_int_equal(observed.n_learned, 1);
    assert_true(predict(s->device, s->profile, 0).time_s == before[0]);
    observed = merge(s, false);
    assert_int_equal(observed.n_files, 1);
    assert_int_equal(observed.n, 1);
    assert_int_equal(observed.kernels->n_sizes, 2);
    assert_string_equal(observed.kernels->kernel, "work");
    assert_null(observed.kernels->why);
    for (size_t i = 0; i < 2; i++)
        assert_true(
            fabs(predict(s->device, s->profile, i).time_s / before[i] / 1.31 - 1) < 0.03);
    assert_true(predict(s->other, s->profile, 1).time_s > 1.15 * elsewhere_s);
    assert_null(find_file(s));
    assert_int_equal(merge(s, false).n, 0);
    sample_expect_history(s->folder, "learned/" FINGERPRINT, "m2;");
    sample_expect_verified(s->folder, 0, 0, NULL);
}

/* A third device of the type is between them, and less known the further they lie apart. */
static void unlike_devices_are_told_apart(void **state)
{
    static const double ratios[] = { 1.2, 1 };
    struct setting *s = *state;
    double general_s = predict(s->device, s->profile, 0).time_s, widths[2];

    add_sibling(s, "n3");
    add_sibling(s, "n4");
    for (size_t i = 0; i < 2; i++) {
        const struct gpucal_profile *profile = i ? s->second : s->profile;
        struct gpucal_device *slow = gpucal_device_open(s->store, "n3", NULL, NULL);
        struct gpucal_device *third = gpucal_device_open(s->store, "n4", NULL, NULL);
        struct gpucal_prediction here, there, p;

        work(s, "n1", profile, 1, 40);
        work(s, "n3", profile, ratios[i], 40);
        assert_int_equal(merge(s, false).n, 2);
        here = predict(s->device, profile, 0);
        there = predict(slow, profile, 0);
        p = predict(third, profile, 0);
        widths[i] = log(p.high_s / p.low_s);
        assert_true(fabs(there.time_s / here.time_s / ratios[i] - 1) < 0.04);
        assert_true(p.low_s < general_s && ratios[i] * general_s < p.high_s);
        assert_true(fabs(p.time_s / general_s / sqrt(ratios[i]) - 1) < 0.03);
        assert_true(log(here.high_s / here.low_s) < widths[i]);
        gpucal_device_close(slow);
        gpucal_device_close(third);
    }
    assert_true(widths[1] < widths[0]);
}

static void files_are_bounded(void **state)
{
    struct setting *s = *state;
    size_t written = 0;

    for (size_t i = 0; i < 5000; i++)
        written += (size_t)observe(s->device, s->profile, 0, 1e-3);
    assert_int_equal(count_lines(find_file(s), "time\t"), written);
    assert_int_equal(count_lines(find_file(s), "profile\t"), 1);
    assert_int_equal(written, 8 + 9); /* and 16, 32, .. 4096 */
}

/* Who reads a file takes it; its writer begins another, and no time is lost. */
static void a_taken_file_is_left(void **state)
{
    struct setting *s = *state;
    double time_s = predict(s->device, s->profile, 0).time_s;

    for (size_t i = 0; i < 5; i++)
        observe(s->device, s->profile, 0, 1.1 * time_s);
    assert_int_equal(merge(s, false).kernels->n_times, 4);
    for (size_t i = 0; i < 6; i++) /* none of which is the first */
        assert_int_equal(observe(s->device, s->profile, 1, 1.1 * time_s), 1);
    assert_int_equal(merge(s, true).kernels->n_times, 6);
    assert_int_equal(count_lines(find_file(s), "profile\t"), 1);
}

static void a_child_has_a_file_of_its_own(void **state)
{
    struct setting *s = *state;
    int status;
    pid_t child;

    for (size_t i = 0; i < 3; i++)
        observe(s->device, s->profile, 0, 1e-3);
    fflush(NULL);
    if ((child = fork()) == 0)
        _exit(gpucal_observe(s->device, s->profile, computes[0], 1e-3, NULL) != 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    observe(s->device, s->profile, 0, 1e-3);
    assert_int_equal(merge(s, true).n_files, 2);
    assert_int_equal(merge(s, true).kernels->n_times, 4);
}

/* Cut lines, zeros after a loss of power, and lines that are none cost nothing else. */
static void damage_costs_its_lines_alone(void **state)
{
    static const char zeros[40];
    struct setting *s = *state;
    struct gcal_observed observed;
    struct gcal_buf buf = { 0 };
    const char *path;
    size_t size;
    char *text;

    for (size_t i = 0; i < 5; i++)
        observe(s->device, s->profile, 0, 1e-3);
    path = find_file(s);
    text = sample_file_read(path, &size);
    gcal_buf_put(&buf, text, size);
    gcal_buf_put(&buf, zeros, sizeof(zeros));
    gcal_buf_puts(&buf, "\ntime\t" FINGERPRINT "\tn1\tx\tn=1\t-1\t2026\t1\nnonsense\n");
    gcal_buf_puts(&buf, "a\tb\tc\td\te\tf\tg\th\ti\tj\n");
    gcal_buf_puts(&buf,
                  "time\t" OTHER "\tn1\tx\tn=1\t1\t2026\t1\n"); /* without a profile */
    gcal_buf_puts(&buf, "time\t" FINGERPRINT "\tn1\tx\tn=1\t1\t2026\t2");
    sample_file_write(path, buf.data, buf.size);
    observed = merge(s, true);
    assert_int_equal(observed.n_damaged, 5);
    assert_int_equal(observed.n, 1);
    assert_int_equal(observed.kernels->n_times, 4);
    observed = merge(s, false);
    assert_null(observed.kernels->why);
    assert_int_equal(observed.n_damaged, 6); /* the cut one has an end now */
    sample_file_write(path, "gpucal_observed 2\n", 18);
    assert_int_equal(merge(s, false).n_damaged, 1);
    gcal_buf_free(&buf);
    free(text);
}

/* Times far from what was learned stay, and are named; then near ones are learned again. */
static void times_that_drift_stay(void **state)
{
    struct setting *s = *state;
    struct gcal_observed observed;
    double time_s;

    work(s, "n1", s->profile, 1.3, 20);
    work(s, "n1", s->second, 1, 20);
    assert_int_equal(merge(s, false).n_learned, 2);
    time_s = predict(s->device, s->profile, 1).time_s;
    work(s, "n1", s->profile, 1.6, 200);
    assert_false(merge(s, true).kernels->all_drift);
    work(s, "n1", s->second, 0.5, 200);
    assert_false(merge(s, true).kernels->all_drift);
    work(s, "n1", s->second, 2, 200);
    work(s, "n1", s->second, 2, 200);
    assert_true(merge(s, true).kernels->all_drift);
    for (int i = 0; i < 8; i++)
        work(s, "n1", s->second, 1, 200);
    for (int i = 0; i < 2; i++) {
        observed = merge(s, false);
        assert_int_equal(observed.n, 2 - i);
        assert_true(observed.kernels->drifts);
        assert_true(fabs(observed.kernels->ratio / 1.6 - 1) < 0.05);
        assert_true(i || !observed.kernels[1].why);
        assert_true(predict(s->device, s->profile, 1).time_s == time_s);
        assert_int_equal(count_lines(find_file(s), "time\t"), 24);
    }
    for (int i = 0; i < 4; i++)
        work(s, "n1", s->profile, 1, 200);
    observed = merge(s, false);
    assert_false(observed.kernels->drifts);
    assert_true(fabs(observed.kernels->ratio - 1) < 0.03);
    assert_null(find_file(s));
    sample_expect_verified(s->folder, 0, 0, NULL);
}

/* Kernels of which no time came for long, and times that nobody merged. */
static void old_kernels_are_pruned(void **state)
{
    static const double older_s[] = { 3e9, 1e8 };
    struct setting *s = *state;
    struct gcal_store *store = gcal_store_open_writable(s->folder, NULL);
    struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };
    struct gcal_error err;
    char **names;
    size_t n, removed;

    work(s, "n1", s->profile, 1.2, 10);
    merge(s, false); /* as of 2020 */
    work(s, "n1", s->profile, 1, 10);
    utimensat(AT_FDCWD, find_file(s), old, 0);
    for (int i = 0; i < 4; i++) {
        removed = 0;
        if (gcal_store_prune_learned(store, older_s[i > 0], i == 1, &removed, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(removed, i == 0 || i == 3 ? 0 : 2);
        assert_int_equal(gcal_store_learned(store, &names, &n, NULL), 0);
        assert_int_equal(n, i < 2);
        gcal_strings_free(names, n);
    }
    gcal_store_close(store);
    assert_null(find_file(s));
    sample_expect_verified(s->folder, 0, 0, NULL);
}

static void times_wait_for_a_calibration(void **state)
{
    struct setting *s = *state;
    struct gcal_store *store;
    const struct gcal_store_forget node = { .node = "n1" };
    struct gcal_observed observed;
    size_t n_files, n_devices;

    work(s, "n1", s->profile, 1.2, 10);
    store = gcal_store_open_writable(s->folder, NULL);
    assert_int_equal(gcal_store_forget(store, &node, &n_files, &n_devices, NULL), 0);
    gcal_store_close(store);
    observed = merge(s, false);
    assert_int_equal(observed.n_learned, 0);
    assert_non_null(strstr(observed.kernels->why, "not in the file of its node"));
    publish(s->folder, "n1", &s->h100);
    assert_int_equal(merge(s, false).n_learned, 1);
}

/* With keys, times count that one of them has signed. */
static void signatures_are_required(void **state)
{
    struct setting *s = *state;
    const char *secret = sample_path(s->folder, "key");
    struct gcal_observed observed;

    assert_int_equal(gcal_sign_keygen(secret, NULL), 0);
    work(s, "n1", s->profile, 1.2, 10);
    setenv("GPUCAL_SIGN_KEY", secret, 1);
    work(s, "n1", s->second, 1.2, 10);
    setenv("GPUCAL_TRUSTED_KEYS", sample_path(s->folder, "key.pub"), 1);
    observed = merge(s, true);
    unsetenv("GPUCAL_SIGN_KEY");
    unsetenv("GPUCAL_TRUSTED_KEYS");
    assert_int_equal(observed.n_unsigned, 1 + 2 * 8);
    assert_int_equal(observed.n, 1);
    assert_string_equal(observed.kernels->fingerprint, OTHER);
}

static void what_is_no_time_is_refused(void **state)
{
    static const double times_s[] = { 0, -1, NAN, INFINITY, 1e9 };
    static const double sizes[][2] = { { -1, 1 }, { NAN, 1 }, { 1, INFINITY } };
    struct setting *s = *state;
    struct gpucal_error err;

    for (size_t i = 0; i < sizeof(times_s) / sizeof(*times_s); i++) {
        assert_int_equal(
            gpucal_observe(s->device, s->profile, computes[0], times_s[i], &err), -1);
        assert_int_equal(err.code, GPUCAL_EINPUT);
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        assert_int_equal(gpucal_observe(s->device, s->profile, sizes[i], 1, &err), -1);
        assert_int_equal(err.code, GPUCAL_ESIZES);
    }
    assert_int_equal(gpucal_observe(s->device, s->profile, NULL, 1, &err), -1);
    assert_int_equal(gpucal_observe(NULL, s->profile, computes[0], 1, &err), -1);
    /* A store that cannot be written. */
    observe(s->device, s->profile, 0, 1e-3);
    sample_file_write(sample_path(s->folder, "observed"), "", 0);
    assert_int_equal(gpucal_observe(s->device, s->profile, computes[0], 1, &err), -1);
    assert_int_equal(err.code, GPUCAL_ESTORE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(observed_times_are_learned),    TEST(files_are_bounded),
        TEST(a_taken_file_is_left),          TEST(unlike_devices_are_told_apart),
        TEST(a_child_has_a_file_of_its_own), TEST(damage_costs_its_lines_alone),
        TEST(times_that_drift_stay),         TEST(times_wait_for_a_calibration),
        TEST(signatures_are_required),       TEST(what_is_no_time_is_refused),
        TEST(old_kernels_are_pruned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
