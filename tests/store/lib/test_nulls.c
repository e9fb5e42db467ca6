/* test_nulls.c - NULL in place of each handle, text and array: an error of each function of
 * libgpucal, and no crash
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/lib/gpucal.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

static struct gpucal_error err;
static char called[8192]; /* "FUNCTION;" each */

static void note(const char *call)
{
    size_t n = strcspn(call, "("), length = strlen(called);

    if (length + n + 2 < sizeof(called))
        snprintf(called + length, sizeof(called) - length, "%.*s;", (int)n, call);
    err = (struct gpucal_error){ 0 };
}

static void expect_nothing(const char *call, bool nothing)
{
    if (!nothing)
        fail_msg("%s gives something", call);
}

static void check(const char *call, bool failed)
{
    if (!failed || err.code != GPUCAL_EINPUT || !*err.text)
        fail_msg("%s: %s, code %d, '%s'", call, failed ? "failed" : "did not fail",
                 err.code, err.text);
}

/* Functions with 'err', that return a pointer or an int, and those without. */
#define NO_POINTER(call) (note(#call), check(#call, !(call)))
#define NO_RESULT(call)  (note(#call), check(#call, (call) == -1))
#define NOTHING(call)    (note(#call), expect_nothing(#call, !(call)))
#define IS_FINE(call)    (note(#call), (void)(call))

static void of_stores_and_devices(struct gpucal_store *store,
                                  struct gpucal_device *device)
{
    struct gpucal_device *fresh;
    struct gpucal_list *list = gpucal_store_nodes(store, NULL);
    struct gpucal_prediction prediction;
    struct gpucal_quantities *q = gpucal_device_parameters(device, "matmul", NULL);

    IS_FINE(gpucal_version());
    IS_FINE(gpucal_version_number());
    unsetenv("GPUCAL_STORE");
    note("gpucal_store_open()");
    assert_null(gpucal_store_open(NULL, &err));
    assert_int_equal(err.code, GPUCAL_ESTORE);
    IS_FINE(gpucal_store_close(NULL));
    NO_RESULT(gpucal_store_trust(NULL, "keys", &err));
    NO_RESULT(gpucal_store_trust(store, NULL, &err));
    NO_POINTER(gpucal_store_nodes(NULL, &err));
    NO_POINTER(gpucal_node_devices(NULL, "n1", &err));
    NO_POINTER(gpucal_node_devices(store, NULL, &err));
    NO_RESULT(gpucal_link(NULL, "n1", "n2", 1, &prediction, &err));
    NO_RESULT(gpucal_link(store, NULL, "n2", 1, &prediction, &err));
    NO_RESULT(gpucal_link(store, "n1", NULL, 1, &prediction, &err));
    NO_RESULT(gpucal_link(store, "n1", "n2", 1, NULL, &err));
    NOTHING(gpucal_list_count(NULL));
    NOTHING(gpucal_list_item(NULL, 0));
    NOTHING(gpucal_list_item(list, SIZE_MAX));
    IS_FINE(gpucal_list_close(NULL));
    NO_POINTER(gpucal_device_open(NULL, "n1", NULL, &err));
    NO_POINTER(gpucal_device_open(store, NULL, NULL, &err));
    NO_POINTER(gpucal_device_open_at(NULL, "n1", "3b:00.0", &err));
    NO_POINTER(gpucal_device_open_at(store, NULL, "3b:00.0", &err));
    NO_POINTER(gpucal_device_open_at(store, "n1", NULL, &err));
    IS_FINE(gpucal_device_close(NULL));
    NO_RESULT(gpucal_device_reload(NULL, device, &fresh, &err));
    NO_RESULT(gpucal_device_reload(store, NULL, &fresh, &err));
    NO_RESULT(gpucal_device_reload(store, device, NULL, &err));
    NOTHING(gpucal_device_node(NULL));
    NOTHING(gpucal_device_run(NULL));
    NOTHING(gpucal_device_uid(NULL));
    NOTHING(gpucal_device_name(NULL));
    NOTHING(gpucal_device_type(NULL));
    NOTHING(gpucal_device_kind(NULL));
    NOTHING(gpucal_device_driver(NULL));
    NOTHING(gpucal_device_pci(NULL));
    NOTHING(gpucal_device_calibrated_utc(NULL));
    NOTHING(!isnan(gpucal_device_age_s(NULL)));
    note("gpucal_device_age_s()");
    NOTHING(gpucal_device_sub_group_size(NULL));
    NOTHING(gpucal_device_model_count(NULL));
    NOTHING(gpucal_device_model_name(NULL, 0));
    NOTHING(gpucal_device_model_name(device, SIZE_MAX));
    NO_POINTER(gpucal_device_parameters(NULL, NULL, &err));
    NO_POINTER(gpucal_device_facts(NULL, &err));
    NOTHING(gpucal_quantities_count(NULL));
    NOTHING(gpucal_quantities_item(NULL, 0));
    NOTHING(gpucal_quantities_item(q, SIZE_MAX));
    IS_FINE(gpucal_quantities_close(NULL));
    gpucal_quantities_close(q);
    gpucal_list_close(list);
}

static void of_profiles_and_models(struct gpucal_device *device,
                                   struct gpucal_profile *profile,
                                   struct gpucal_model *model)
{
    struct gpucal_prediction p;
    struct gpucal_ratio ratio;
    double n = 2048;

    NO_POINTER(gpucal_profile_open(NULL, &err));
    NO_POINTER(gpucal_profile_parse(NULL, 0, "p", &err));
    NO_POINTER(gpucal_profile_parse("", 0, NULL, &err));
    IS_FINE(gpucal_profile_close(NULL));
    NOTHING(gpucal_profile_parameter_count(NULL));
    NOTHING(gpucal_profile_parameter(NULL, 0));
    NOTHING(gpucal_profile_parameter(profile, SIZE_MAX));
    NO_RESULT(gpucal_profile_parameter_index(NULL, "n", &err));
    NO_RESULT(gpucal_profile_parameter_index(profile, NULL, &err));
    NO_POINTER(gpucal_model_bind(NULL, NULL, profile, &err));
    NO_POINTER(gpucal_model_bind(device, NULL, NULL, &err));
    IS_FINE(gpucal_model_close(NULL));
    NOTHING(gpucal_model_name(NULL));
    NO_RESULT(gpucal_predict(NULL, &n, &p, &err));
    NO_RESULT(gpucal_predict(model, NULL, &p, &err));
    NO_RESULT(gpucal_predict(model, &n, NULL, &err));
    NO_RESULT(gpucal_refresh(NULL, &n, 1e-6, &err));
    NO_RESULT(gpucal_observe(NULL, profile, &n, 1e-6, &err));
    NO_RESULT(gpucal_observe(device, NULL, &n, 1e-6, &err));
    NO_RESULT(gpucal_observe(device, profile, NULL, 1e-6, &err));
    NO_RESULT(gpucal_refresh(model, NULL, 1e-6, &err));
    NO_RESULT(gpucal_predict_batch(NULL, &n, 1, &p, &err));
    NO_RESULT(gpucal_predict_batch(model, NULL, 1, &p, &err));
    NO_RESULT(gpucal_predict_batch(model, &n, 1, NULL, &err));
    assert_int_equal(gpucal_predict_batch(model, NULL, 0, NULL, &err), 0);
    NO_RESULT(gpucal_compare(NULL, &n, model, &n, &ratio, &err));
    NO_RESULT(gpucal_compare(model, NULL, model, &n, &ratio, &err));
    NO_RESULT(gpucal_compare(model, &n, NULL, &n, &ratio, &err));
    NO_RESULT(gpucal_compare(model, &n, model, NULL, &ratio, &err));
    NO_RESULT(gpucal_compare(model, &n, model, &n, NULL, &err));
}

/* And counts that no array has. */
static void of_arrays(struct gpucal_device *device, struct gpucal_model *model)
{
    double n = 2048, p;
    size_t order;
    struct gpucal_prediction prediction;
    struct gpucal_variant good = { .model = model, .sizes = &n },
                          no_model = { .sizes = &n }, no_sizes = { .model = model };
    struct gpucal_share share = { .model = model, .sizes = &n, .size_per_unit = 1 },
                        bad = share;

    NO_RESULT(gpucal_rank(NULL, 1, &order, &err));
    NO_RESULT(gpucal_rank(&good, 1, NULL, &err));
    NO_RESULT(gpucal_rank(&no_model, 1, &order, &err));
    NO_RESULT(gpucal_rank(&no_sizes, 1, &order, &err));
    NO_RESULT(gpucal_rank(NULL, 0, NULL, &err));
    NO_RESULT(gpucal_rank(&good, SIZE_MAX, &order, &err));
    NO_RESULT(gpucal_fastest(NULL, 1, 0, &p, &err));
    NO_RESULT(gpucal_fastest(&good, 1, 0, NULL, &err));
    NO_RESULT(gpucal_fastest(&no_model, 1, 0, &p, &err));
    NO_RESULT(gpucal_fastest(&no_sizes, 1, 0, &p, &err));
    NO_RESULT(gpucal_fastest(NULL, 0, 0, &p, &err));
    NO_RESULT(gpucal_fastest(&good, (size_t)1 << 58, 0, &p, &err));
    NO_RESULT(
        gpucal_transfer(NULL, GPUCAL_TO_DEVICE, GPUCAL_PINNED, 1, 1, &prediction, &err));
    NO_RESULT(gpucal_transfer(device, GPUCAL_TO_DEVICE, GPUCAL_PINNED, 1, 1, NULL, &err));
    NO_RESULT(gpucal_share_transfers(NULL, device, GPUCAL_PINNED, 1, 1, &err));
    NO_RESULT(gpucal_share_transfers(&share, NULL, GPUCAL_PINNED, 1, 1, &err));
    NO_RESULT(gpucal_split(NULL, 1, 100, 1, NULL, &err));
    NO_RESULT(gpucal_split(&share, (size_t)1 << 58, 100, 1, NULL, &err));
    NO_RESULT(gpucal_split(&share, SIZE_MAX, 100, 1, NULL, &err));
    NO_RESULT(gpucal_split(NULL, 0, 100, 1, NULL, &err));
    bad.model = NULL;
    NO_RESULT(gpucal_split(&bad, 1, 100, 1, NULL, &err));
    bad.model = model;
    bad.sizes = NULL;
    NO_RESULT(gpucal_split(&bad, 1, 100, 1, NULL, &err));
    assert_int_equal(gpucal_split(&share, 1, 100, 1, NULL, NULL), 0);
    assert_int_equal(gpucal_split(NULL, 1, 100, 1, NULL, NULL), -1);
}

/* The functions that the library exports. */
static void expect_all_called(void)
{
    size_t size;
    char *map = sample_file_read(SOURCE_DIR "/store/lib/gpucal.map", &size);
    int n = 0;

    for (char *at = map; (at = strstr(at, " gpucal_")); n++) {
        char name[80];
        size_t length = strcspn(++at, ";");

        snprintf(name, sizeof(name), "%.*s;", (int)length, at);
        if (length < sizeof(name) - 1 && !strstr(called, name))
            fail_msg("no NULL is given to %s", name);
    }
    assert_true(n > 40);
    free(map);
}

static void null_is_an_error_of_each_function(void **state)
{
    struct gpucal_store *store = gpucal_store_open(*state, &err);
    struct gpucal_device *device = gpucal_device_open(store, "n1", NULL, &err);
    struct gpucal_profile *profile =
        gpucal_profile_open(TEST_DATA "/mm.profile.yaml", &err);
    struct gpucal_model *model = gpucal_model_bind(device, NULL, profile, &err);

    if (!model)
        fail_msg("%s", err.text);
    of_stores_and_devices(store, device);
    of_profiles_and_models(device, profile, model);
    of_arrays(device, model);
    expect_all_called();
    gpucal_model_close(model);
    gpucal_profile_close(profile);
    gpucal_device_close(device);
    gpucal_store_close(store);
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
        cmocka_unit_test(null_is_an_error_of_each_function),
    };

    return cmocka_run_group_tests(tests, setup, sample_teardown);
}
