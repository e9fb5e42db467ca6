/* test_merge.c - what publications keep of each other's models, and forgetting them */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/ledger/track.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

/* A calibration of model 'name' on the device of n1, identified by its cost. */
struct made {
    const char *run, *name, *driver;
    double madd_s;
    size_t n_fitted;
};

static struct gcal_params make(const struct made *made)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", made->madd_s);
    struct gcal_params_device *d = params.devices;

    free(d->run_id);
    d->run_id = strdup(made->run);
    free(d->models[0].name);
    d->models[0].name = strdup(made->name);
    free(d->info.driver);
    d->info.driver = strdup(made->driver);
    d->models[0].origin.configuration = gcal_buf_format("of %s", made->name);
    d->n_fitted = made->n_fitted;
    return params;
}

static int publish(const char *folder, const struct made *made, struct gcal_error *err)
{
    struct gcal_params params = make(made);
    struct gcal_store *store = gcal_store_open_writable(folder, err);
    int rc = store ? gcal_store_publish(store, &params, made->run, err) : -1;

    gcal_store_close(store);
    gcal_params_clear(&params);
    return rc;
}

static void load(const char *folder, struct gcal_params *params)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_error err;

    if (gcal_store_load(store, "n1", NULL, params, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
}

static void is_good(const char *folder)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_verify_result v;

    assert_int_equal(gcal_store_verify(store, &v, NULL), 0);
    if (v.n_damaged || v.n_interrupted)
        fail_msg("%s", v.text);
    gcal_verify_result_clear(&v);
    gcal_store_close(store);
}

/* "name@run=cost" of all models of the device, joined by blanks. */
static char *models_of(const struct gcal_params *params)
{
    const struct gcal_params_device *d = params->devices;
    struct gcal_buf buf = { 0 };

    for (size_t i = 0; i < d->n_models; i++)
        gcal_buf_printf(&buf, "%s%s@%s=%g", i ? " " : "", d->models[i].name,
                        d->models[i].origin.run_id, d->models[i].value[0]);
    return gcal_buf_take(&buf, NULL);
}

static void expect_models(const char *folder, const char *expected)
{
    struct gcal_params params;
    char *models;

    load(folder, &params);
    models = models_of(&params);
    assert_string_equal(models, expected);
    free(models);
    gcal_params_clear(&params);
    is_good(folder);
}

static void other_models_stay(void **state)
{
    const struct made a = { "r1", "a", "580.1", 1e-12, 1 };
    const struct made b = { "r2", "b", "580.1", 2e-12, 2 };
    const struct made again = { "r3", "a", "580.1", 3e-12, 1 };
    struct gcal_params params;

    assert_int_equal(publish(*state, &a, NULL), 0);
    expect_models(*state, "a@r1=1e-12");
    assert_int_equal(publish(*state, &b, NULL), 0);
    expect_models(*state, "b@r2=2e-12 a@r1=1e-12");
    load(*state, &params);
    assert_string_equal(params.devices[0].run_id, "r2");
    assert_string_equal(params.devices[0].models[1].origin.configuration, "of a");
    assert_int_equal(params.devices[0].models[1].origin.n_fitted, 1);
    assert_true(gcal_params_model_is_current(params.devices, params.devices->models + 1));
    gcal_params_clear(&params);
    assert_int_equal(publish(*state, &again, NULL), 0);
    expect_models(*state, "a@r3=3e-12 b@r2=2e-12");
}

/* A model of another driver stays, out of date. */
static void a_new_driver_makes_others_out_of_date(void **state)
{
    const struct made a = { "r4", "a", "590.2", 4e-12, 1 };
    struct gcal_params params;

    assert_int_equal(publish(*state, &a, NULL), 0);
    expect_models(*state, "a@r4=4e-12 b@r2=2e-12");
    load(*state, &params);
    assert_string_equal(params.devices[0].models[1].origin.driver, "580.1");
    assert_true(gcal_params_model_is_current(params.devices, params.devices->models));
    assert_false(
        gcal_params_model_is_current(params.devices, params.devices->models + 1));
    gcal_params_clear(&params);
}

/* The track has the models that a run measured, and no others. */
static void a_track_has_what_was_measured(void **state)
{
    struct gcal_store *store = gcal_store_open(*state, NULL);
    struct gcal_track t;

    assert_int_equal(gcal_track_load(store, "n1", &t, NULL), 0);
    assert_int_equal(t.n_runs, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(t.runs[i].columns->n, 2);
        assert_string_equal(t.runs[i].columns->column[1].model, i == 1 ? "b" : "a");
        assert_string_equal(t.runs[i].columns->column[1].configuration,
                            i == 1 ? "of b" : "of a");
    }
    gcal_track_clear(&t);
    gcal_store_close(store);
}

static int publish_type(const char *folder, const struct made *made)
{
    struct gcal_params params = make(made);
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    int rc = gcal_store_publish_type(store, &params, "t", made->run, NULL);

    gcal_store_close(store);
    gcal_params_clear(&params);
    return rc;
}

static void expect_type(const char *folder, const char *expected)
{
    struct gcal_params params;
    char *models;

    sample_load_type(folder, "t", &params);
    assert_int_equal(params.n_devices, 1);
    models = models_of(&params);
    assert_string_equal(models, expected);
    free(models);
    gcal_params_clear(&params);
    is_good(folder);
}

static void types_keep_larger_fits(void **state)
{
    assert_int_equal(publish_type(*state, &(struct made){ "r1", "a", "1", 1e-12, 8 }), 1);
    assert_int_equal(publish_type(*state, &(struct made){ "r2", "b", "1", 2e-12, 2 }), 1);
    expect_type(*state, "b@r2=2e-12 a@r1=1e-12");
    assert_int_equal(publish_type(*state, &(struct made){ "r3", "a", "1", 3e-12, 7 }), 0);
    expect_type(*state, "b@r2=2e-12 a@r1=1e-12");
    assert_int_equal(publish_type(*state, &(struct made){ "r4", "b", "1", 4e-12, 2 }), 1);
    assert_int_equal(publish_type(*state, &(struct made){ "r5", "a", "2", 5e-12, 1 }), 1);
    expect_type(*state, "a@r5=5e-12 b@r4=4e-12");
}

/* Models that a run did not fit stay, with the device's origin. */
static void keeps_the_models_of_another_run(void **state)
{
    struct gcal_params params = sample_params("node17", "uuid:0b6f", 1e-12), merged;
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);
    const struct gcal_params_device *d;
    size_t size;
    char *old = sample_file_read(TEST_DATA "/node17-models.yaml", &size);
    struct gcal_error err;

    sample_file_write(sample_path(*state, "nodes/node17.yaml"), old, size);
    free(params.devices[0].run_id);
    params.devices[0].run_id = strdup("r9");
    if (gcal_store_publish(store, &params, "r9", &err) < 0 ||
        gcal_store_load(store, "node17", NULL, &merged, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(merged.n_devices, 2);
    d = merged.devices;
    assert_int_equal(d->n_models, 2);
    assert_string_equal(d->models[0].name, "matmul");
    assert_string_equal(d->models[0].origin.run_id, "r9");
    assert_string_equal(d->models[1].name, "tiled product");
    assert_string_equal(d->models[1].origin.run_id, "20261121T041705Z-1a2b3c4d");
    assert_string_equal(d->models[1].origin.configuration, SAMPLE_CONFIGURATION);
    assert_int_equal(d[1].n_models, 1);
    gcal_params_clear(&merged);
    gcal_params_clear(&params);
    gcal_store_close(store);
    free(old);
    unlink(sample_path(*state, "nodes/node17.yaml"));
    unlink(sample_path(*state, "tracks/node17.tsv"));
}

/* ---- forgetting ---- */

static void forget(const char *folder, struct gcal_store_forget what, size_t files,
                   size_t devices)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    size_t n_files, n_devices;
    struct gcal_error err;

    if (gcal_store_forget(store, &what, &n_files, &n_devices, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n_files, files);
    assert_int_equal(n_devices, devices);
    gcal_store_close(store);
    is_good(folder);
}

static void forgets_a_model(void **state)
{
    struct gcal_store *store;
    struct gcal_track t;

    forget(*state, (struct gcal_store_forget){ .model = "c" }, 0, 0);
    forget(*state, (struct gcal_store_forget){ .model = "b", .device = "nix" }, 0, 0);
    forget(*state, (struct gcal_store_forget){ .model = "b", .node = "m*" }, 0, 0);
    forget(*state, (struct gcal_store_forget){ .model = "b", .dry_run = true }, 2, 1);
    expect_models(*state, "a@r4=4e-12 b@r2=2e-12");
    forget(*state, (struct gcal_store_forget){ .model = "b", .node = "n*" }, 1, 1);
    expect_models(*state, "a@r4=4e-12");
    expect_type(*state, "a@r5=5e-12 b@r4=4e-12");
    forget(*state, (struct gcal_store_forget){ .model = "b", .device = "uuid:*" }, 1, 0);
    expect_type(*state, "a@r5=5e-12");
    store = gcal_store_open(*state, NULL);
    assert_int_equal(gcal_track_load(store, "n1", &t, NULL), 0);
    assert_int_equal(t.n_forgotten, 1);
    assert_string_equal(t.forgotten[0].model, "b");
    assert_int_equal(t.forgotten[0].n_runs, 4);
    gcal_track_clear(&t);
    gcal_store_close(store);
    /* A device whose models are all forgotten can be published again. */
    forget(*state, (struct gcal_store_forget){ .model = "a" }, 2, 1);
    expect_models(*state, "");
    assert_int_equal(publish(*state, &(struct made){ "r6", "b", "1", 6e-12, 1 }, NULL),
                     0);
    expect_models(*state, "b@r6=6e-12");
}

/* ---- trouble ---- */

static int publish_many(const char *folder, const char *name)
{
    int rc = 0;

    for (int i = 0; i < 20 && rc == 0; i++)
        rc = publish(folder, &(struct made){ name, name, "1", (i + 1) * 1e-12, 1 }, NULL);
    return rc;
}

/* Two processes publish different models of one device: none is lost. */
static void publishers_take_turns(void **state)
{
    struct gcal_params params;
    int status;
    pid_t other = fork();

    if (other == 0)
        _exit(publish_many(*state, "x") != 0);
    assert_int_equal(publish_many(*state, "y"), 0);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    load(*state, &params);
    assert_true(gcal_params_find_model(params.devices, "x")->value[0] == 20e-12);
    assert_true(gcal_params_find_model(params.devices, "y")->value[0] == 20e-12);
    assert_true(gcal_params_find_model(params.devices, "b")->value[0] == 6e-12);
    gcal_params_clear(&params);
    is_good(*state);
}

static int forget_x(void *folder)
{
    const struct gcal_store_forget what = { .model = "x" };
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err = { 0 };
    size_t n_files, n_devices;
    int rc = store ? gcal_store_forget(store, &what, &n_files, &n_devices, &err) : 0;

    gcal_store_close(store);
    return rc == -1 && err.code == GCAL_ESTORE ? 0 : 1;
}

static int publish_z(void *folder)
{
    struct gcal_error err = { 0 };
    int rc = publish(folder, &(struct made){ "rz", "z", "1", 1e-12, 1 }, &err);

    return rc == -1 && err.code == GCAL_ESTORE ? 0 : 1;
}

/* The old file stays when the new one does not fit on the disk. */
static void a_full_disk_changes_nothing(void **state)
{
    size_t before, after;
    char *was = sample_file_read(sample_path(*state, "nodes/n1.yaml"), &before), *is;

    assert_int_equal(sample_with_file_limit(1000, publish_z, *state), 0);
    assert_int_equal(sample_with_file_limit(1000, forget_x, *state), 0);
    is = sample_file_read(sample_path(*state, "nodes/n1.yaml"), &after);
    assert_int_equal(before, after);
    assert_memory_equal(was, is, before);
    free(was);
    free(is);
    is_good(*state);
}

/* Neither replaces a file that it cannot read: its models would be lost. */
static void a_damaged_file_is_not_replaced(void **state)
{
    const char *path = sample_path(*state, "nodes/n1.yaml");
    const struct gcal_store_forget what = { .model = "x" };
    size_t size, n_files, n_devices;
    char *text = sample_file_read(path, &size);
    struct gcal_store *store;
    struct gcal_error err;

    sample_file_write(path, text, size / 2);
    assert_int_equal(publish(*state, &(struct made){ "rz", "z", "1", 1e-12, 1 }, &err),
                     -1);
    assert_int_equal(err.code, GCAL_ESTORE);
    assert_non_null(strstr(err.text, "cannot add to the published file"));
    store = gcal_store_open_writable(*state, NULL);
    assert_int_equal(gcal_store_forget(store, &what, &n_files, &n_devices, &err), -1);
    assert_int_equal(err.code, GCAL_ESTORE);
    gcal_store_close(store);
    sample_file_write(path, text, size);
    free(text);
    is_good(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_models_stay),
        cmocka_unit_test(a_new_driver_makes_others_out_of_date),
        cmocka_unit_test(a_track_has_what_was_measured),
        cmocka_unit_test(types_keep_larger_fits),
        cmocka_unit_test(forgets_a_model),
        cmocka_unit_test(publishers_take_turns),
        cmocka_unit_test(a_full_disk_changes_nothing),
        cmocka_unit_test(a_damaged_file_is_not_replaced),
        cmocka_unit_test(keeps_the_models_of_another_run),
    };

    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
