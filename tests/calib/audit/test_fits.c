/* test_fits.c - audits of a device type: of the fits that its history has
 *
 * The fits are those of an H200 in tests/data/h200-repeats/params.yaml, whose models show the
 * categories of costs; each cost differs by 0.2 % from fit to fit.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/audit/audit.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/random.h"
#include "store/ledger/lines.h"
#include "store/publish/publish.h"
#include "tests/folder.h"
#include "tests/unit.h"

#define TYPE "nvidia-h200"

enum { FITS = 12, CHANGE = 8, MOST_COSTS = 400 };

static const struct gcal_audit_policy policy = {
    .warn = 0.02, .fail = 0.1, .false_alarms = 0.001, .confirm = 2, .of = 3
};

/* ---- publishing ---- */

struct fit {
    const char *slower; /* pattern of parameters; NULL: none */
    double factor;      /* of these */
    const char *driver;
    size_t n_devices;
    const double *means; /* of the logarithms of the costs; NULL: 0.2 % by chance */
};

static const struct fit unchanged = { .driver = "580.1", .n_devices = 8 };

static void load(struct gcal_params *params)
{
    char *path = gcal_buf_format("%s/h200-repeats/params.yaml", TEST_DATA);
    size_t size;
    char *text = gcal_file_read(path, 1 << 24, &size, NULL);

    assert_non_null(text);
    assert_int_equal(gcal_params_decode(text, size, path, params, NULL), 0);
    free(text);
    free(path);
}

static void replace(char **text, const char *with)
{
    free(*text);
    *text = strdup(with);
}

static double vary(uint64_t *random)
{
    return 1 + 0.004 * ((double)(gcal_random_next(random) >> 11) * 0x1p-53 - 0.5);
}

static void change(struct gcal_params_device *d, const struct fit *f, uint64_t *random)
{
    size_t cost = 0;

    for (size_t m = 0; m < d->n_models; m++) {
        struct gcal_params_model *model = &d->models[m];

        free(model->origin.run_id);
        model->origin.run_id = NULL;
        for (size_t i = 0; i < model->n_parameters; i++) {
            if (strcmp(model->unit[i], "s") != 0)
                continue;
            model->value[i] *= f->means ? exp(f->means[cost++]) : vary(random);
            if (f->slower && fnmatch(f->slower, model->parameter[i], 0) == 0)
                model->value[i] *= f->factor;
        }
    }
}

/* 'n_models': the first ones of the file. */
static void publish(int run, size_t n_models, const struct fit *f)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    uint64_t random = (uint64_t)run;
    struct gcal_params params;
    struct gcal_error err;
    char run_id[20];

    load(&params);
    snprintf(run_id, sizeof(run_id), "r%d", run);
    replace(&params.devices[0].run_id, run_id);
    replace(&params.devices[0].info.driver, f->driver);
    params.devices[0].n_fitted = f->n_devices;
    while (params.devices[0].n_models > n_models)
        gcal_params_model_clear(&params.devices[0].models[--params.devices[0].n_models]);
    change(params.devices, f, &random);
    if (gcal_store_publish_type(store, &params, TYPE, run_id, &err) != 1)
        fail_msg("%s", err.text);
    gcal_params_clear(&params);
    gcal_store_close(store);
}

static struct gcal_audit_fits audit(void)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_ledger_lines lines = { .store = store };
    struct gcal_audit_fits fits;
    struct gcal_error err;

    assert_int_equal(gcal_ledger_lines_refresh(&lines, NULL), 0);
    gcal_ledger_lines_sort(&lines);
    if (gcal_audit_type(store, &lines, TYPE, 1000, &policy, &fits, &err) < 0)
        fail_msg("%s", err.text);
    gcal_ledger_lines_clear(&lines);
    gcal_store_close(store);
    return fits;
}

/* ---- the tests ---- */

/* FITS fits, of which those from CHANGE on are slower. */
static struct gcal_audit_fits audit_changed(const char *slower, double factor)
{
    struct gcal_audit_fits fits;

    for (int i = 0; i < FITS; i++)
        publish(i, 6,
                &(struct fit){ .slower = i < CHANGE ? NULL : slower,
                               .factor = factor,
                               .driver = "580.1",
                               .n_devices = 8 });
    fits = audit();
    assert_int_equal(fits.n, FITS);
    return fits;
}

static void unchanged_types_pass(void **state)
{
    struct gcal_audit_fits fits = audit_changed(NULL, 1);

    (void)state;
    assert_int_equal(fits.device->verdict, GCAL_AUDIT_PASS);
    assert_int_equal(fits.device->n_findings, 0);
    assert_string_equal(fits.device->type, TYPE);
    assert_string_equal(fits.fit[FITS - 1].run_id, "r11");
    assert_int_equal(strlen(fits.fit[0].published_utc), strlen("2026-11-23T19:21:02Z"));
    gcal_audit_fits_clear(&fits);
}

static void drift_is_found(void **state)
{
    struct gcal_audit_fits fits = audit_changed("p_*_memory", 1.06);
    const struct gcal_audit_finding *f = fits.device->findings;

    (void)state;
    assert_int_equal(fits.device->verdict, GCAL_AUDIT_WARN);
    assert_true(fits.device->n_findings > 0);
    assert_string_equal(fits.device->run[f->since]->run_id, "r8");
    assert_non_null(strstr(f->what, "slower by 6."));
    assert_string_equal(f->code, "GPUCAL-MEMORY-BANDWIDTH");
    gcal_audit_fits_clear(&fits);
}

/* A fleet that is calibrated one device at a time: each fit is of other devices. */
static void more_devices_are_no_drift(void **state)
{
    struct gcal_audit_fits fits;

    (void)state;
    for (int i = 0; i < FITS; i++)
        publish(i, 6,
                &(struct fit){ .slower = "*",
                               .factor = 1 + 0.03 * i,
                               .driver = "580.1",
                               .n_devices = (size_t)i / 3 + 1 });
    fits = audit();
    assert_int_equal(fits.device->verdict, GCAL_AUDIT_UNKNOWN);
    assert_string_equal(fits.device->epoch_description[1], "1 device became 2");
    assert_string_equal(fits.device->epoch_description[3], "3 devices became 4");
    gcal_audit_fits_clear(&fits);
}

/* One of 20 devices more does not change their mean. */
static void a_device_of_many_begins_no_epoch(void **state)
{
    struct gcal_audit_fits fits;

    (void)state;
    for (int i = 0; i < 6; i++)
        publish(i, 6, &(struct fit){ .driver = "580.1", .n_devices = 20 + (size_t)i });
    fits = audit();
    assert_int_equal(fits.device->n_epoch_runs, 6);
    assert_int_equal(fits.device->verdict, GCAL_AUDIT_PASS);
    gcal_audit_fits_clear(&fits);
}

/* Of the noise of a calibration, with a standard deviation of 1 %. */
static double noise(uint64_t *random)
{
    double sum = 0;

    for (int i = 0; i < 12; i++)
        sum += (double)(gcal_random_next(random) >> 11) * 0x1p-53 - 0.5;
    return 0.01 * sum;
}

/* Each job calibrates one device and fits it with the others: fits depend on each other. */
static void fits_that_share_devices_do_not_drift(void **state)
{
    enum { DEVICES = 4, JOBS = 40 };
    static double costs[DEVICES][MOST_COSTS], means[MOST_COSTS];
    struct gcal_audit_fits fits;
    uint64_t random = 7;

    (void)state;
    for (size_t job = 0; job < JOBS + DEVICES; job++) {
        for (size_t i = 0; i < MOST_COSTS; i++) {
            double fresh = noise(&random);

            means[i] += (fresh - costs[job % DEVICES][i]) / DEVICES;
            costs[job % DEVICES][i] = fresh;
        }
        if (job >= DEVICES) /* of all devices */
            publish(
                (int)job, 6,
                &(struct fit){ .driver = "580.1", .n_devices = DEVICES, .means = means });
    }
    fits = audit();
    assert_int_equal(fits.n, JOBS);
    assert_int_equal(fits.device->verdict, GCAL_AUDIT_PASS);
    gcal_audit_fits_clear(&fits);
}

static void a_new_driver_is_no_drift(void **state)
{
    struct gcal_audit_fits fits;

    (void)state;
    for (int i = 0; i < FITS; i++)
        publish(i, 6,
                &(struct fit){ .slower = i < CHANGE ? NULL : "*",
                               .factor = 1.3,
                               .driver = i < CHANGE ? "580.1" : "590",
                               .n_devices = 8 });
    fits = audit();
    assert_int_equal(fits.device->verdict, GCAL_AUDIT_PASS);
    assert_string_equal(fits.device->findings[0].code, "GPUCAL-EPOCH");
    assert_non_null(strstr(fits.device->findings[0].what, "driver 580.1 became 590"));
    gcal_audit_fits_clear(&fits);
}

/* What a publication only kept is no new value: four models would have passed. */
static void kept_models_are_not_followed(void **state)
{
    struct gcal_audit_fits fits;
    const struct gcal_audit_series *last;

    (void)state;
    publish(0, 6, &unchanged);
    for (int i = 1; i < 6; i++)
        publish(i, 2, &unchanged);
    fits = audit();
    assert_int_equal(fits.fit[5].params.devices[0].n_models, 6);
    last = &fits.device->series[fits.device->n_series - 1];
    assert_int_equal(last->newest, 0);
    assert_true(isfinite(last->value[0]) && isnan(last->value[5]));
    assert_true(isfinite(fits.device->series[0].value[5]));
    gcal_audit_fits_clear(&fits);
}

static void forgotten_models_are_not_followed(void **state)
{
    const struct gcal_store_forget rates = { .model = "rates" };
    struct gcal_audit_fits fits = audit_changed(NULL, 1);
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    size_t n_files, n_devices, n_series = fits.device->n_series;

    (void)state;
    assert_string_equal(fits.device->series[0].column.model, "rates");
    gcal_audit_fits_clear(&fits);
    assert_int_equal(gcal_store_forget(store, &rates, &n_files, &n_devices, NULL), 0);
    assert_int_equal(n_files, 1);
    gcal_store_close(store);
    fits = audit();
    assert_int_equal(fits.device->n_series, n_series - 10);
    assert_string_not_equal(fits.device->series[0].column.model, "rates");
    gcal_audit_fits_clear(&fits);
}

static void what_cannot_be_read_is_left_out(void **state)
{
    char *path;
    struct gcal_audit_fits fits;

    (void)state;
    fits = audit();
    assert_true(fits.n == 0 && !fits.device);
    gcal_audit_fits_clear(&fits);
    for (int i = 0; i < 3; i++)
        publish(i, 6, &unchanged);
    path = gcal_buf_format("%s/type-history/" TYPE "/r1.yaml", folder);
    assert_int_equal(truncate(path, 500), 0);
    free(path);
    fits = audit();
    assert_int_equal(fits.n, 2);
    assert_string_equal(fits.fit[1].run_id, "r2");
    gcal_audit_fits_clear(&fits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(unchanged_types_pass, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(drift_is_found, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(more_devices_are_no_drift, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_device_of_many_begins_no_epoch, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(fits_that_share_devices_do_not_drift, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_new_driver_is_no_drift, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(kept_models_are_not_followed, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(forgotten_models_are_not_followed, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_left_out, folder_make,
                                        folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
