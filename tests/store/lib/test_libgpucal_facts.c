/* test_libgpucal_facts.c - what libgpucal says of devices, errors, and two predictions */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "kernels/base/error.h"
#include "store/lib/gpucal.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

static double relative(double a, double b)
{
    return fabs(a - b) / fabs(b);
}

static struct gpucal_store *open_store(void **state)
{
    struct gpucal_store *store = gpucal_store_open(*state, NULL);

    assert_non_null(store);
    return store;
}

static struct gpucal_device *open_device(void **state, const char *node,
                                         const char *pattern)
{
    struct gpucal_store *store = open_store(state);
    struct gpucal_error err = { 0 };
    struct gpucal_device *device = gpucal_device_open(store, node, pattern, &err);

    if (!device)
        fail_msg("%s", err.text);
    gpucal_store_close(store);
    return device;
}

static struct gpucal_model *open_model(void **state, const char *uid)
{
    struct gpucal_device *device = open_device(state, "node17", uid);
    struct gpucal_profile *profile =
        gpucal_profile_open(TEST_DATA "/mm.profile.yaml", NULL);
    struct gpucal_model *model = gpucal_model_bind(device, "matmul", profile, NULL);

    assert_non_null(model);
    gpucal_profile_close(profile);
    gpucal_device_close(device);
    return model;
}

/* ---- versions ---- */

static void has_one_version(void **state)
{
    char text[40];

    (void)state;
    snprintf(text, sizeof(text), "%d.%d.%d", GPUCAL_VERSION_MAJOR, GPUCAL_VERSION_MINOR,
             GPUCAL_VERSION_PATCH);
    assert_string_equal(text, gpucal_version());
    assert_int_equal(gpucal_version_number(), GPUCAL_VERSION_NUMBER);
    assert_true(gpucal_version_number() >= 1000);
}

/* ---- errors ---- */

static void distinguishes_errors(void **state)
{
    struct gpucal_store *store = open_store(state);
    struct gpucal_device *device = open_device(state, "node17", "uuid:0b6f");
    struct gpucal_profile *profile =
        gpucal_profile_open(TEST_DATA "/mm.profile.yaml", NULL);
    struct gpucal_error err = { 0 };
    /* 64 instead of the device's 32 */
    static const char other_size[] =
        "gpucal_profile: 6\nkernel: mm\nparameters: [n]\nlocal_size: [64]\ngroups: [n]\n"
        "sub_group_size: 64\nestimated: false\nentries: []\n";

    assert_null(gpucal_store_open("/nonexistent", &err));
    assert_int_equal(err.code, GPUCAL_ESTORE);
    assert_null(gpucal_device_open(store, "node18", NULL, &err));
    assert_int_equal(err.code, GPUCAL_ENODE);
    assert_null(gpucal_node_devices(store, "no/de", &err));
    assert_int_equal(err.code, GPUCAL_ENODE);
    assert_null(gpucal_device_open(store, "broken", NULL, &err));
    assert_int_equal(err.code, GPUCAL_EFILE);
    assert_null(gpucal_node_devices(store, "broken", &err));
    assert_int_equal(err.code, GPUCAL_EFILE);
    assert_null(gpucal_device_open(store, "node17", NULL, &err));
    assert_int_equal(err.code, GPUCAL_EDEVICE);
    assert_null(gpucal_model_bind(device, "stencil", profile, &err));
    assert_int_equal(err.code, GPUCAL_EMODEL);
    assert_null(gpucal_profile_parse(other_size, strlen(other_size), "p.yaml", &err));
    assert_int_equal(err.code, GPUCAL_EPROFILE);
    assert_int_equal(gpucal_profile_parameter_index(profile, "m", &err), -1);
    assert_int_equal(err.code, GPUCAL_ESIZES);
    assert_non_null(strstr(err.text, "no size 'm'; its sizes: n"));
    assert_int_equal(gpucal_profile_parameter_index(profile, "n", &err), 0);
    gpucal_profile_close(profile);
    gpucal_device_close(device);
    gpucal_store_close(store);
}

static void refuses_limits_that_cannot_be_met(void **state)
{
    struct gpucal_model *model = open_model(state, "uuid:0b6f");
    double sizes[] = { 512 };
    struct gpucal_share share = {
        .model = model, .sizes = sizes, .size_per_unit = 1, .most = 100
    };
    struct gpucal_error err = { 0 };

    assert_int_equal(gpucal_split(&share, 1, 512, 1, NULL, &err), -1);
    assert_int_equal(err.code, GPUCAL_ELIMITS);
    assert_int_equal(gpucal_split(&share, 1, 512, 0, NULL, &err), -1);
    assert_int_equal(err.code, GPUCAL_EINPUT);
    gpucal_model_close(model);
}

/* A kernel of divisions, for which the model has no cost. */
static void names_work_without_a_cost(void **state)
{
    static const char text[] =
        "gpucal_profile: 6\nkernel: other\nparameters: [n]\nlocal_size: [64]\n"
        "groups: [n]\nestimated: false\nentries:\n"
        "- {feature: f_op_float32_div, count: n, per: sub-group, dtype: float32, op: "
        "div}\n"
        "- {feature: f_sync_kernel_launch, count: '1', per: kernel}\n";
    struct gpucal_device *device = open_device(state, "node17", "uuid:0b6f");
    struct gpucal_error err = { 0 };
    struct gpucal_profile *profile =
        gpucal_profile_parse(text, strlen(text), "p.yaml", &err);
    struct gpucal_model *model;
    struct gpucal_prediction p;
    double n = 4096;

    assert_non_null(profile);
    assert_non_null(model = gpucal_model_bind(device, "matmul", profile, &err));
    assert_int_equal(gpucal_predict(model, &n, &p, &err), -1);
    assert_int_equal(err.code, GPUCAL_ENOTCOVERED);
    gpucal_model_close(model);
    gpucal_profile_close(profile);
    gpucal_device_close(device);
}

/* ---- devices ---- */

static void describes_a_device(void **state)
{
    struct gpucal_device *device = open_device(state, "node17", "uuid:7713");
    time_t before = time(NULL);
    double age_s;

    assert_string_equal(gpucal_device_kind(device), "gpu");
    assert_string_equal(gpucal_device_driver(device), "580.17");
    assert_string_equal(gpucal_device_pci(device), "0000:01:00.0");
    assert_string_equal(gpucal_device_calibrated_utc(device), "2026-11-21T04:27:51Z");
    /* date -d 2026-11-21T04:27:51Z +%s */
    age_s = gpucal_device_age_s(device);
    assert_true(age_s >= difftime(before, 1795235271) &&
                age_s <= difftime(time(NULL), 1795235271));
    gpucal_device_close(device);
}

static void check_address(const struct gpucal_store *store, const char *address, int code)
{
    struct gpucal_error err = { 0 };
    struct gpucal_device *device = gpucal_device_open_at(store, "vm", address, &err);

    if (err.code != code || !device != !!code)
        fail_msg("%s: %d %s", address, err.code, err.text);
    if (device)
        assert_string_equal(gpucal_device_pci(device), "0000:00:06.0");
    gpucal_device_close(device);
}

static void finds_devices_by_address(void **state)
{
    struct gpucal_store *store = open_store(state);

    check_address(store, "0000:00:06.0", 0);
    check_address(store, "00000000:00:06.0", 0);
    check_address(store, "00:06.0", 0);
    check_address(store, "uuid:e5c71bc1-a1b7-9624-766d-46280ecf822b", 0);
    check_address(store, "GPU-E5C71BC1-A1B7-9624-766D-46280ECF822B", 0);
    check_address(store, "e5c71bc1-a1b7-9624-766d-46280ecf822b", 0);
    check_address(store, "0001:00:06.0", GPUCAL_EDEVICE);
    check_address(store, "00:06.1", GPUCAL_EDEVICE);
    check_address(store, "00:06.0x", GPUCAL_EDEVICE);
    check_address(store, "GPU-e5c71bc1-a1b7-9624-766d-46280ecf822c", GPUCAL_EDEVICE);
    check_address(store, "GPU-", GPUCAL_EDEVICE);
    check_address(store, "*", GPUCAL_EDEVICE);
    check_address(store, "", GPUCAL_EDEVICE);
    gpucal_store_close(store);
}

/* ---- parameters and rates ---- */

static const struct gpucal_quantity *find(const struct gpucal_quantities *list,
                                          const char *name)
{
    const struct gpucal_quantity *q;

    for (size_t i = 0; (q = gpucal_quantities_item(list, i)); i++)
        if (strcmp(q->name, name) == 0)
            return q;
    fail_msg("no %s", name);
    return NULL;
}

static void lists_parameters(void **state)
{
    struct gpucal_device *device = open_device(state, "node17", "uuid:7713");
    struct gpucal_quantities *all = gpucal_device_parameters(device, "matmul", NULL);
    struct gpucal_error err = { 0 };

    assert_non_null(all);
    assert_int_equal(gpucal_quantities_count(all), 2);
    assert_null(gpucal_quantities_item(all, 2));
    assert_string_equal(gpucal_quantities_item(all, 0)->name, "p_madd");
    assert_string_equal(gpucal_quantities_item(all, 0)->unit, "s");
    assert_null(gpucal_quantities_item(all, 0)->text);
    /* times the device's factor */
    assert_true(relative(find(all, "p_madd")->value, 0.9875 * 2.571e-12) < 1e-12);
    assert_true(relative(find(all, "p_launch")->standard_error, 0.9875 * 3.1e-8) < 1e-12);
    gpucal_quantities_close(all);
    assert_null(gpucal_device_parameters(device, "stencil", &err));
    assert_int_equal(err.code, GPUCAL_EMODEL);
    gpucal_device_close(device);
    device = open_device(state, "n9", NULL); /* models of kernels alone */
    assert_null(gpucal_device_parameters(device, NULL, &err));
    assert_int_equal(err.code, GPUCAL_EMODEL);
    assert_non_null(strstr(err.text, "no general model"));
    gpucal_device_close(device);
}

static void lists_facts(void **state)
{
    struct gpucal_device *device = open_device(state, "vm", NULL);
    struct gpucal_quantities *facts = gpucal_device_facts(device, NULL);
    struct gpucal_quantities *costs = gpucal_device_parameters(device, NULL, NULL);
    const struct gpucal_quantity *dram = find(facts, "rate_dram"),
                                 *cost = find(costs, "p_dram");

    assert_string_equal(dram->unit, "B/s");
    assert_string_equal(dram->text, "memory");
    /* a sector of 32 bytes in each p_dram */
    assert_true(relative(dram->value, 32 / cost->value) < 1e-12);
    assert_true(relative(dram->standard_error / dram->value,
                         cost->standard_error / cost->value) < 1e-5);
    assert_true(dram->value > 4e12 && dram->value < 5e12); /* an H200 */
    assert_true(relative(find(facts, "launch")->value, find(costs, "p_launch")->value) <
                1e-12);
    gpucal_quantities_close(costs);
    gpucal_quantities_close(facts);
    gpucal_device_close(device);
}

/* ---- two predictions ---- */

/* Of node17.yaml, with the small misfit that setup() gives it. */
#define MISFIT       0.00001
#define FACTOR_ERROR 0.0031

/* Of log(time) by p_madd and by p_launch. */
struct gradient {
    double madd, launch;
};

static struct gradient gradient_of(double madd_s, double n)
{
    double madds = 3 * n * n, time_s = madd_s * madds + 7.2e-6;

    return (struct gradient){ madds / time_s, 1 / time_s };
}

static double variance(struct gradient g)
{
    return 2.89e-30 * g.madd * g.madd - 2 * 1.1e-23 * g.madd * g.launch +
           9.61e-16 * g.launch * g.launch;
}

static double below_0(double mean, double deviation)
{
    return 0.5 * erfc(mean / deviation * M_SQRT1_2);
}

/* By one model: its parameters have the same error in both, and the factor cancels. */
static void compares_sizes(void **state)
{
    struct gpucal_model *model = open_model(state, "uuid:0b6f"),
                        *again = open_model(state, "uuid:0b6f");
    double n = 512, m = 512.05, madd_s = 2.385e-12;
    struct gradient g = gradient_of(madd_s, n), h = gradient_of(madd_s, m);
    double deviation =
        sqrt(variance((struct gradient){ g.madd - h.madd, g.launch - h.launch }));
    double ratio = h.launch / g.launch, least = M_SQRT2 * MISFIT;
    struct gpucal_ratio r;

    assert_true(deviation < least); /* too near: misfits decide */
    assert_int_equal(gpucal_compare(model, &n, again, &m, &r, NULL), 0);
    assert_true(relative(r.ratio, ratio) < 1e-9);
    assert_true(relative(r.faster, below_0(log(ratio), least)) < 1e-3);
    assert_true(r.faster > 0.95 && r.faster < 0.9999);
    assert_true(relative(r.low, ratio * exp(-1.6448536269514722 * least)) < 1e-6);
    assert_true(relative(r.high, ratio * exp(1.6448536269514722 * least)) < 1e-6);
    assert_true(r.correlation > 0.999);

    m = 4096;
    h = gradient_of(madd_s, m);
    deviation = sqrt(variance((struct gradient){ g.madd - h.madd, g.launch - h.launch }));
    ratio = h.launch / g.launch;
    assert_true(deviation > 10 * least); /* the parameters' errors decide */
    assert_int_equal(gpucal_compare(model, &n, model, &m, &r, NULL), 0);
    assert_true(relative(r.high, ratio * exp(1.6448536269514722 * deviation)) < 1e-6);
    gpucal_model_close(again);
    gpucal_model_close(model);
}

/* Of two devices with parameters and factors of their own: nothing is shared. */
static void compares_devices(void **state)
{
    struct gpucal_model *a = open_model(state, "uuid:0b6f"),
                        *b = open_model(state, "uuid:7713");
    double n = 4096, ratio;
    struct gradient g = gradient_of(2.385e-12, n), h = gradient_of(2.571e-12, n);
    double deviation = sqrt(variance(g) + variance(h) + pow(FACTOR_ERROR / 1.0125, 2) +
                            pow(FACTOR_ERROR / 0.9875, 2));
    struct gpucal_variant variants[2] = { { .model = b, .sizes = &n },
                                          { .model = a, .sizes = &n } };
    struct gpucal_ratio r;
    double chance;
    size_t order[2];

    ratio = 1.0125 / 0.9875 * h.launch / g.launch;
    assert_int_equal(gpucal_compare(a, &n, b, &n, &r, NULL), 0);
    assert_true(relative(r.ratio, ratio) < 1e-9);
    assert_true(relative(r.high, ratio * exp(1.6448536269514722 * deviation)) < 1e-6);
    assert_true(fabs(r.correlation) < 1e-3);
    assert_int_equal(gpucal_rank(variants, 2, order, NULL), 0);
    assert_int_equal(order[0], 1);
    assert_true(fabs(variants[0].faster - (1 - r.faster)) < 1e-12);
    assert_int_equal(gpucal_fastest(variants, 2, 1, &chance, NULL), 0);
    assert_true(fabs(chance - r.faster) < 1e-3);
    assert_int_equal(gpucal_fastest(variants, 1, 0, &chance, NULL), 0);
    assert_true(chance == 1);
    gpucal_model_close(b);
    gpucal_model_close(a);
}

/* ---- the store ---- */

/* Each 'from' becomes 'to', of the same length. */
static void substitute(char *text, const char *from, const char *to)
{
    for (char *at = text; (at = strstr(at, from));)
        for (size_t i = 0; to[i]; i++)
            *at++ = to[i];
}

static void copy(const char *folder, const char *node, const char *from)
{
    char name[100];
    size_t size;
    char *text = sample_file_read(from, &size);

    substitute(text, "residual: 0.02385", "residual: 0.00001");
    substitute(text, "held_out_rms: 0.02385", "held_out_rms: 0.00001");
    substitute(text, "error_90: 0.03922975900279261", "error_90: 0.00001644853626952");
    snprintf(name, sizeof(name), "nodes/%s.yaml", node);
    sample_file_write(sample_path(folder, name), text, size);
    free(text);
}

/* A device with a model that is made for its kernels alone. */
static void write_without_general(const char *folder)
{
    struct gcal_params params;
    struct gcal_params_device *d;
    struct gcal_error err;
    size_t size;
    char *text = sample_file_read(TEST_DATA "/rates/before.yaml", &size);

    assert_int_equal(gcal_params_decode(text, size, "before.yaml", &params, &err), 0);
    free(text);
    free(params.node);
    params.node = strdup("n9");
    d = params.devices;
    while (d->n_models > 1)
        gcal_params_model_clear(&d->models[--d->n_models]);
    assert_string_equal(d->models[0].name, "rates");
    d->models[0].known[0].target = true;
    assert_non_null(text = gcal_params_encode(&params, &size, &err));
    sample_file_write(sample_path(folder, "nodes/n9.yaml"), text, size);
    free(text);
    gcal_params_clear(&params);
}

static int setup(void **state)
{
    sample_setup(state);
    mkdir(sample_path(*state, "nodes"), 0755);
    copy(*state, "node17", TEST_DATA "/node17.yaml");
    write_without_general(*state);
    copy(*state, "vm", TEST_DATA "/general/h200.yaml");
    sample_file_write(sample_path(*state, "nodes/broken.yaml"), "gpucal_params: [\n", 17);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_one_version),
        cmocka_unit_test(distinguishes_errors),
        cmocka_unit_test(refuses_limits_that_cannot_be_met),
        cmocka_unit_test(names_work_without_a_cost),
        cmocka_unit_test(describes_a_device),
        cmocka_unit_test(finds_devices_by_address),
        cmocka_unit_test(lists_parameters),
        cmocka_unit_test(lists_facts),
        cmocka_unit_test(compares_sizes),
        cmocka_unit_test(compares_devices),
    };

    return cmocka_run_group_tests(tests, setup, sample_teardown);
}
