/* test_results.c - fits, device factors, tables and publication of a synthetic record */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/random.h"
#include "kernels/model/profile.h"
#include "calib/results/results.h"
#include "calib/select/select.h"
#include "store/publish/publish.h"
#include "store/record/record.h"
#include "tests/calib/results/named_kernel.h"
#include "tests/facts.h"

/* No round relation between these, so a lost factor shows. */
static const double true_add_s = 2.385e-12, true_launch_s = 7.19e-6;

/* Device 0 runs this much slower than its type, device 1 as much faster. */
static const double slowness = 1.03;

#define N_KERNELS 9
#define N_SAMPLES 50

static char folder[] = "/tmp/gpucal-results.XXXXXX", path[64];

static const char config_text[] =
    "version: 1\n"
    "models:\n"
    "  - name: adds\n"
    "    output: f_cl_wall_time\n"
    "    expression: p_add * f_op_float32_add + p_launch * f_sync_kernel_launch\n"
    "    kernels: [{tags: [flops_add_pattern]}]\n"
    "  - name: blind\n"
    "    output: f_cl_wall_time\n"
    "    expression: p_add * f_op_float32_add + p_mul * f_op_float32_mul\n"
    "    kernels: [{tags: [flops_add_pattern]}]\n"
    "  - name: other\n"
    "    output: f_cl_wall_time_nvidia_titan_x\n"
    "    expression: p_add * f_op_float32_add\n"
    "    kernels: [{tags: [flops_add_pattern]}]\n";

/* ---- a synthetic run ---- */

struct run {
    bool spikes; /* one sample in 100 takes 400 times as long */
    bool simulated;
    uint64_t random;
    size_t n_samples;
    const char *kept[2]; /* models that the devices keep; NULL: none */
};

static void put_device(struct gcal_run_sink *sink, const char *node, const char *uid,
                       const char *failure, const char *kept)
{
    struct gcal_run_device device = {
        .node = (char *)node,
        .failure = (char *)failure,
        .kept = (char *)kept,
        .info = { .uid = (char *)uid,
                  .type = "test-gpu-7cu",
                  .platform = "Test",
                  .vendor = "Test",
                  .name = "GPU",
                  .driver = "1",
                  .version = "OpenCL 3.0",
                  .device_type = "gpu",
                  .pci = "",
                  .sub_group_size = 32 },
    };

    assert_int_equal(sink->device(sink->context, &device, NULL), 0);
}

static double kernel_size(size_t i)
{
    return 4099 * pow(3, (double)i);
}

static void add_entry(struct gcal_profile *profile, const char *feature,
                      enum gcal_feature_kind kind, const char *op, const char *count)
{
    struct gcal_profile_entry *entry = gcal_profile_add(profile, NULL);

    entry->feature = strdup(feature);
    entry->kind = kind;
    entry->granularity = GCAL_FEATURE_PER_KERNEL;
    entry->count = strdup(count);
    entry->dtype = op ? strdup("float32") : NULL;
    entry->op = op ? strdup(op) : NULL;
}

static char *make_profile(void)
{
    struct gcal_profile *profile = calloc(1, sizeof(*profile));
    char *text;

    profile->kernel = strdup("adds");
    profile->n_parameters = 1;
    profile->parameters = calloc(1, sizeof(char *));
    profile->parameters[0] = strdup("n");
    profile->n_dims = 1;
    profile->local_size[0] = 1;
    profile->groups[0] = strdup("n");
    add_entry(profile, "f_op_float32_add", GCAL_FEATURE_OP, "add", "n");
    add_entry(profile, "f_sync_kernel_launch", GCAL_FEATURE_KERNEL_LAUNCH, NULL, "1");
    text = gcal_profile_encode(profile, NULL);
    gcal_profile_destroy(profile);
    return text;
}

static void put_kernel(struct gcal_run_sink *sink, size_t i)
{
    static char *names[] = { "n" };
    double n = kernel_size(i);
    char id[32], *text = make_profile();
    struct gcal_run_kernel kernel = {
        .id = id,
        .name = id,
        .generator = "adds",
        .family = "adds",
        .source = "",
        .entry = "adds",
        .build_options = "",
        .launch = "",
        .profile = text,
        .n_sizes = 1,
        .size_names = names,
        .size_values = &n,
    };

    snprintf(id, sizeof(id), "adds n:%.0f", n);
    sink_kernel(sink, &kernel, i % 2 ? "adds,blind,other" : "adds,blind");
    free(text);
}

/* Noise of 0.3 %, triangular. */
static double noisy(struct run *run, double time_s)
{
    double u = (double)(gcal_random_next(&run->random) >> 11) * 0x1p-53;
    double v = (double)(gcal_random_next(&run->random) >> 11) * 0x1p-53;

    return time_s * (1 + 0.003 * (u + v - 1)) *
           (run->spikes && ++run->n_samples % 100 == 0 ? 400 : 1);
}

static void put_measurement(struct run *run, struct gcal_run_sink *sink, const char *node,
                            const char *uid, size_t i, double factor,
                            enum gcal_measurement_status status)
{
    struct gcal_measurement_sample samples[N_SAMPLES] = { 0 };
    double time_s = factor * (true_add_s * kernel_size(i) + true_launch_s);
    char id[32];
    struct gcal_measurement m = { .node = (char *)node,
                                  .device_uid = (char *)uid,
                                  .kernel_id = id,
                                  .status = status,
                                  .stop = GCAL_MEASUREMENT_STOP_NOISE,
                                  .n_samples = N_SAMPLES,
                                  .samples = samples };

    snprintf(id, sizeof(id), "adds n:%.0f", kernel_size(i));
    for (size_t k = 0; k < N_SAMPLES; k++)
        samples[k].time_s = noisy(run, time_s);
    assert_int_equal(sink->measurement(sink->context, &m, NULL), 0);
}

/* Two good devices; one that was given up, whose times are nonsense; and on the first a
 * kernel that was wrong.
 */
static struct gcal_record *make_record(struct run run)
{
    struct gcal_record_header header = { .run_id = "20261121T041705Z-1a2b3c4d",
                                         .started_utc = "2026-11-21T04:17:05Z",
                                         .finished_utc = "2026-11-21T04:19:06Z",
                                         .gpucal_version = "0.1.0",
                                         .launcher = "none",
                                         .config = (char *)config_text,
                                         .config_file = "models.yaml",
                                         .n_ranks = 1,
                                         .simulated = run.simulated };
    struct gcal_record_writer *writer = gcal_record_create(path, NULL);
    struct gcal_run_sink sink = gcal_record_sink(writer);
    struct gcal_record *record;

    put_device(&sink, "n1", "uuid:1", NULL, run.kept[0]);
    put_device(&sink, "n2", "uuid:2", NULL, run.kept[1]);
    put_device(&sink, "n3", "uuid:3", "three workers were lost", NULL);
    for (size_t i = 0; i <= N_KERNELS; i++)
        put_kernel(&sink, i);
    for (size_t i = 0; i < N_KERNELS; i++) {
        put_measurement(&run, &sink, "n1", "uuid:1", i, slowness, GCAL_MEASUREMENT_GOOD);
        put_measurement(&run, &sink, "n2", "uuid:2", i, 1 / slowness,
                        GCAL_MEASUREMENT_GOOD);
        put_measurement(&run, &sink, "n3", "uuid:3", i, 77, GCAL_MEASUREMENT_GOOD);
    }
    put_measurement(&run, &sink, "n1", "uuid:1", N_KERNELS, 0.01,
                    GCAL_MEASUREMENT_WRONG_RESULT);
    assert_int_equal(gcal_record_finish(writer, &header, NULL), 0);
    record = gcal_record_open(path, NULL);
    assert_non_null(record);
    return record;
}

static struct gcal_config read_config(void)
{
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    if (gcal_select_parse(config_text, strlen(config_text), "models.yaml", NULL, &config,
                          &err) < 0)
        fail_msg("%s", err.text);
    return config;
}

static struct gcal_results fit(const struct gcal_record *record,
                               const struct gcal_config *config)
{
    struct gcal_results results = { 0 };
    struct gcal_error err = { 0 };

    if (gcal_results_fit(record, config, &results, &err) < 0)
        fail_msg("%s", err.text);
    return results;
}

/* ---- the tests ---- */

static void within(double value, double truth, double margin)
{
    if (!(fabs(value - truth) <= margin))
        fail_msg("%g is not within %g of %g", value, margin, truth);
}

static void recovers_what_the_record_was_made_of(void **state)
{
    struct gcal_record *record = make_record((struct run){ .random = 713 });
    struct gcal_config config = read_config();
    struct gcal_results results = fit(record, &config);
    const struct gcal_result_type_fit *t = &results.fits[0];

    (void)state;
    assert_int_equal(results.n_fits, 2); /* none for a Titan X */
    assert_int_equal(t->forms[0].fit.status, GCAL_FIT_GOOD);
    assert_string_equal(t->type, "test-gpu-7cu");
    assert_int_equal(t->n_rows, 2 * N_KERNELS);
    assert_int_equal(t->n_kernels, N_KERNELS);
    assert_int_equal(t->n_samples, 2 * N_KERNELS * N_SAMPLES);
    assert_int_equal(t->n_devices, 2);
    within(t->forms[0].fit.value[0], true_add_s, 2 * t->forms[0].fit.standard_error[0]);
    within(t->forms[0].fit.value[1], true_launch_s,
           2 * t->forms[0].fit.standard_error[1]);
    within(t->forms[0].fit.value[0], true_add_s, 0.01 * true_add_s);
    within(t->forms[0].fit.value[1], true_launch_s, 0.01 * true_launch_s);
    within(t->factor[0], slowness, 0.005);
    within(t->factor[1], 1 / slowness, 0.005);
    gcal_results_clear(&results);
    gcal_config_clear(&config);
    gcal_record_close(record);
}

/* A device has no rows of a model that it keeps, and a model that all keep has no fit. */
static void kept_models_are_not_fitted(void **state)
{
    struct gcal_record *record = make_record(
        (struct run){ .random = 713, .kept = { "blind", "add\nblind\nadds" } });
    struct gcal_config config = read_config();
    struct gcal_results results = fit(record, &config);
    struct gcal_params *params;
    size_t count;

    (void)state;
    assert_string_equal(record->devices[1].kept, "add\nblind\nadds");
    assert_null(record->devices[2].kept);
    assert_int_equal(results.n_fits, 1);
    assert_int_equal(results.n_rejected, 0);
    assert_int_equal(results.fits[0].n_rows, N_KERNELS);
    assert_int_equal(results.fits[0].n_devices, 1);
    assert_int_equal(
        gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
    assert_int_equal(count, 1);
    assert_string_equal(params[0].node, "n1");
    assert_string_equal(params[0].devices[0].models[0].origin.configuration,
                        config.models[0].fingerprint);
    gcal_results_clear(&results);
    gcal_config_clear(&config);
    gcal_record_close(record);
}

static void spikes_move_nothing(void **state)
{
    struct gcal_config config = read_config();
    struct gcal_record *calm = make_record((struct run){ .random = 713 }), *spiked;
    struct gcal_results before = fit(calm, &config), after;

    (void)state;
    gcal_record_close(calm);
    spiked = make_record((struct run){ .random = 713, .spikes = true });
    after = fit(spiked, &config);
    for (size_t i = 0; i < 2; i++)
        within(after.fits[0].forms[0].fit.value[i], before.fits[0].forms[0].fit.value[i],
               0.01 * before.fits[0].forms[0].fit.value[i]);
    within(after.fits[0].factor[0], before.fits[0].factor[0], 0.01);
    gcal_results_clear(&before);
    gcal_results_clear(&after);
    gcal_config_clear(&config);
    gcal_record_close(spiked);
}

static void what_is_undetermined_is_rejected(void **state)
{
    struct gcal_record *record = make_record((struct run){ .random = 713 });
    struct gcal_config config = read_config();
    struct gcal_results results = fit(record, &config);
    struct gcal_params *params;
    size_t count;
    char *table;

    (void)state;
    assert_int_equal(results.n_rejected, 1);
    assert_int_equal(results.fits[1].forms[0].fit.status, GCAL_FIT_UNDETERMINED);
    assert_int_equal(
        gcal_results_params(&results, record, &config, &params, &count, NULL), 0);
    assert_int_equal(count, 2); /* n3's device was given up */
    assert_string_equal(params[1].node, "n2");
    assert_int_equal(params[0].n_devices, 1);
    assert_int_equal(params[0].devices[0].n_models, 1);
    assert_string_equal(params[0].devices[0].models[0].name, "adds");
    assert_string_equal(params[0].devices[0].calibrated_utc, "2026-11-21T04:19:06Z");
    within(params[0].devices[0].models[0].factor, slowness, 0.005);
    table = gcal_results_format(&results, record, &config, NULL);
    assert_non_null(strstr(table, "model adds: good"));
    assert_non_null(strstr(table, "  p_add           2.38")); /* 2.382 ps */
    assert_non_null(strstr(table, " ps "));
    assert_non_null(strstr(table, "model blind: rejected"));
    assert_non_null(strstr(table, "p_mul"));
    free(table);
    gcal_results_clear(&results);
    gcal_config_clear(&config);
    gcal_record_close(record);
}

/* All of the device's times are 'factor' times its type's. */
static void check_own(const struct gcal_params_model *m, double factor)
{
    within(m->value[0], true_add_s, 0.005);
    within(m->own[0], factor * true_add_s, 0.005);
    within(m->own[1], factor * true_launch_s, 0.005);
    assert_true(m->own_error[0] > 0 && m->own_error[0] < 0.02 * true_add_s);
}

static void load_type(const char *type, struct gcal_params *params)
{
    char *path = gcal_buf_format("%s/types/%s.yaml", folder, type), *text;
    size_t size;

    assert_non_null(path);
    assert_non_null(text = gcal_file_read(path, 1 << 20, &size, NULL));
    assert_int_equal(gcal_params_decode(text, size, path, params, NULL), 0);
    free(text);
    free(path);
}

static void publishes_nodes_and_types(void **state)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_record *record = make_record((struct run){ .random = 713 });
    struct gcal_config config = read_config();
    struct gcal_results results = fit(record, &config);
    struct gcal_params params = { 0 };
    struct gcal_error err = { 0 };
    size_t published;

    (void)state;
    assert_non_null(store);
    if (gcal_results_publish(&results, record, &config, store, NULL, &published, &err) <
        0)
        fail_msg("%s", err.text);
    assert_int_equal(published, 2);
    assert_int_equal(gcal_store_load(store, "n2", NULL, &params, NULL), 0);
    assert_string_equal(params.devices[0].info.uid, "uuid:2");
    assert_int_equal(strlen(params.devices[0].configuration), 64);
    assert_string_equal(params.devices[0].catalogue, "");
    assert_int_equal(params.devices[0].n_fitted, 2);
    check_own(&params.devices[0].models[0], 1 / slowness);
    gcal_params_clear(&params);
    load_type("test-gpu-7cu", &params);
    assert_true(params.devices[0].models[0].factor == 1);
    assert_true(isnan(params.devices[0].models[0].own[0])); /* a type is no device */
    within(params.devices[0].models[0].factor_error, sqrt(2) * log(slowness), 0.005);
    gcal_params_clear(&params);
    gcal_record_close(record);

    record = make_record((struct run){ .random = 713, .simulated = true });
    assert_int_equal(
        gcal_results_publish(&results, record, &config, store, NULL, &published, &err),
        -1);
    assert_non_null(strstr(err.text, "simulated"));
    assert_int_equal(published, 0);
    gcal_results_clear(&results);
    gcal_config_clear(&config);
    gcal_record_close(record);
    gcal_store_close(store);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof(path), "%s/record.h5", folder);
    return 0;
}

static int remove_folder(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_what_the_record_was_made_of),
        cmocka_unit_test(kept_models_are_not_fitted),
        cmocka_unit_test(spikes_move_nothing),
        cmocka_unit_test(what_is_undetermined_is_rejected),
        cmocka_unit_test(publishes_nodes_and_types),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
