/* test_measure.c - whole calibrations on PoCL: from tags to an HDF5 record and a fit */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/plan/plan.h"
#include "calib/select/select.h"
#include "calib/results/results.h"
#include "store/record/record.h"
#include "tests/folder.h"
#include "tests/calib/device/faulty_opencl.h"

static char record_path[80];

static int make_folder(void **state)
{
    if (folder_make(state) < 0)
        return -1;
    snprintf(record_path, sizeof(record_path), "%s/run.h5", folder);
    gcal_log_set_level(GCAL_LOG_ERROR);
    return 0;
}

/* ---- a run as the program makes it, on the first device ---- */

struct run {
    struct gcal_config config;
    struct gcal_record *record;
    struct gcal_results results;
};

static struct gcal_device_info first_device(struct gcal_worker_spawner *spawner)
{
    struct gcal_error err = { 0 };
    struct gcal_worker *worker = gcal_worker_start(spawner, NULL, &err);
    struct gcal_device_info *devices = NULL, first;
    size_t count = 0;

    if (!worker ||
        gcal_worker_list_devices(worker, 60, &devices, &count, &err) != GCAL_WORKER_DONE)
        fail_msg("no OpenCL device: %s", err.text);
    first = devices[0];
    for (size_t i = 1; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    gcal_worker_stop(worker);
    return first;
}

static void measure(struct gcal_run_sink *sink, const struct gcal_config *config,
                    const struct gcal_catalogue *catalogue)
{
    struct gcal_error err = { 0 };
    struct gcal_worker_spawner *spawner = gcal_worker_spawner_start(&err);
    struct gcal_run_device device = { .node = "n1", .info = first_device(spawner) };
    struct gcal_plan_device_ops ops =
        gcal_plan_worker_ops_create(spawner, device.info.uid, 60, NULL, &err);
    struct gcal_plan_hooks hooks = { .sink = *sink };
    struct gcal_kernel_list list = { 0 };

    if (sink->device(sink->context, &device, &err) < 0 ||
        gcal_select_kernels(config, catalogue, &device.info, &list, &err) < 0 ||
        gcal_plan_measure(&ops, "n1", &device.info, &list, &config->measure, &hooks,
                          &err) < 0)
        fail_msg("%s", err.text);
    gcal_plan_worker_ops_destroy(&ops);
    gcal_worker_spawner_stop(spawner);
    gcal_kernel_list_clear(&list);
    gcal_device_info_clear(&device.info);
}

/* 'catalogue_folder' NULL: the built-in one. */
static struct run calibrate(const char *catalogue_folder, const char *config_text)
{
    struct gcal_error err = { 0 };
    struct gcal_catalogue *catalogue = gcal_catalogue_open(catalogue_folder, &err);
    struct gcal_record_header header = { .run_id = "20261121T041705Z-1a2b3c4d",
                                         .started_utc = "2026-11-21T04:17:05Z",
                                         .finished_utc = "2026-11-21T04:19:06Z",
                                         .gpucal_version = "0.1.0",
                                         .launcher = "none",
                                         .config = (char *)config_text,
                                         .config_file = "models.yaml",
                                         .n_ranks = 1 };
    struct gcal_record_writer *writer = gcal_record_create(record_path, &err);
    struct gcal_run_sink sink;
    struct run run = { 0 };

    if (!catalogue || !writer ||
        gcal_select_parse(config_text, strlen(config_text), "models.yaml", catalogue,
                          &run.config, &err) < 0)
        fail_msg("%s", err.text);
    sink = gcal_record_sink(writer);
    measure(&sink, &run.config, catalogue);
    gcal_catalogue_close(catalogue);
    if (gcal_record_finish(writer, &header, &err) < 0 ||
        !(run.record = gcal_record_open(record_path, &err)) ||
        gcal_results_fit(run.record, &run.config, &run.results, &err) < 0)
        fail_msg("%s", err.text);
    return run;
}

static void clear(struct run *run)
{
    gcal_results_clear(&run->results);
    gcal_config_clear(&run->config);
    gcal_record_close(run->record);
}

/* ---- transfers ---- */

#define MEASURE                                                                          \
    "version: 1\nmeasure: {budget_s: 20, min_samples: 4, max_samples: 12, "              \
    "noise: 0.05, kernel_limit_s: 30}\nmodels:\n"

static const char copies_config[] = MEASURE
    "  - name: copies\n"
    "    output: f_cl_wall_time\n"
    "    expression: p_latency * f_transfer_copies + p_byte * "
    "f_transfer_bytes_to_device\n"
    "    kernels:\n"
    "      - {tags: [transfer_pieces, \"direction:to_device\", \"memory:pageable\",\n"
    "                \"pieces:1\", \"bytes:4194304,16777216,33554432\"]}\n"
    "      - {tags: [transfer_pieces, \"direction:to_device\", \"memory:pageable\",\n"
    "                \"pieces:1024,4096\", \"bytes:262144\"]}\n";

/* Whatever a core's memory and calls take: pieces of 64 and 256 bytes cost their calls,
 * one of many MiB its bytes.
 */
static void a_transfer_is_measured_recorded_and_fitted(void **state)
{
    struct run run = calibrate(NULL, copies_config);
    const struct gcal_run_kernel *kernel = &run.record->kernels[0];
    const struct gcal_result_type_fit *t = &run.results.fits[0];

    (void)state;
    assert_int_equal(run.record->n_kernels, 5);
    assert_string_equal(kernel->source, "");
    assert_string_equal(kernel->entry, "");
    assert_string_equal(
        kernel->launch,
        "to_device pageable bytes bytes in pieces copies timed by the host");
    for (size_t i = 0; i < 5; i++) {
        struct gcal_measurement m;
        size_t device, k;

        assert_int_equal(gcal_record_measurement(run.record, i, &m, &device, &k, NULL),
                         0);
        assert_int_equal(m.status, GCAL_MEASUREMENT_GOOD);
        assert_true(m.checked && m.worst_difference == 0);
        assert_true(m.n_samples >= 4 && m.samples[0].time_s == m.samples[0].host_s);
        gcal_measurement_clear(&m);
    }
    assert_int_equal(run.results.n_fits, 1);
    assert_int_equal(t->n_rows, 5);
    assert_int_equal(t->forms[0].fit.status, GCAL_FIT_GOOD);
    assert_true(t->forms[0].fit.value[0] > 1e-8 &&
                t->forms[0].fit.value[0] < 1e-3); /* p_latency */
    assert_true(t->forms[0].fit.value[1] > 1e-12 &&
                t->forms[0].fit.value[1] < 1e-8); /* p_byte */
    clear(&run);
}

/* The only measurement was wrong, and there is nothing to fit; its detail. */
static char *expect_wrong(const struct run *run)
{
    struct gcal_measurement m;
    size_t device, kernel;
    char *detail;

    assert_int_equal(run->record->n_measurements, 1);
    assert_int_equal(gcal_record_measurement(run->record, 0, &m, &device, &kernel, NULL),
                     0);
    assert_int_equal(m.status, GCAL_MEASUREMENT_WRONG_RESULT);
    assert_int_equal(m.n_samples, 0);
    assert_int_equal(run->results.n_rejected, 1);
    assert_int_equal(run->results.fits[0].forms[0].fit.status, GCAL_FIT_TOO_FEW_ROWS);
    detail = strdup(m.detail);
    gcal_measurement_clear(&m);
    return detail;
}

static const char one_copy_config[] =
    MEASURE "  - name: copies\n"
            "    output: f_cl_wall_time\n"
            "    expression: p_byte * f_transfer_bytes\n"
            "    kernels: [{tags: [transfer_pieces, \"direction:to_device\", "
            "\"memory:pinned\", \"pieces:1\", \"bytes:65536\"]}]\n";

/* Checks copy 7 pieces of 1001 bytes; all but the first lack their last 5. */
static void a_transfer_that_loses_bytes_calibrates_nothing(void **state)
{
    struct run run;
    char *detail;

    (void)state;
    setenv("TEST_COPIES_LOSE", "5", 1);
    run = calibrate(NULL, one_copy_config);
    unsetenv("TEST_COPIES_LOSE");
    detail = expect_wrong(&run);
    assert_memory_equal(detail, "transfer_pieces: byte 1997 of 7007 is ", 38);
    free(detail);
    clear(&run);
}

/* ---- kernels ---- */

static const char wrong_yaml[] =
    "gpucal_kernel: 1\nname: scale\ntags: [scale]\nsource: k.cl\nkernel: scale\n"
    "arguments:\n  n: {size: [65536]}\n"
    "local_size: [32]\nglobal_size: [n]\n"
    "args:\n- {name: x, buffer: float32, elements: n}\n"
    "- {name: y, buffer: float32, elements: n, output: true}\n"
    "assume: n % 32 = 0 and n >= 32\ncheck: {n: 64}\n"
    "reference: |\n"
    "  void reference(const float *x, float *y)\n"
    "  {\n"
    "      for (int i = 0; i < CHECK_n; i++)\n"
    "          y[i] = 3 * x[i];\n"
    "  }\n";

static const char scale_config[] = MEASURE "  - name: m\n"
                                           "    output: f_cl_wall_time\n"
                                           "    expression: p_mul * f_op_float32_mul\n"
                                           "    kernels: [{tags: [scale]}]\n";

/* Right up to an element, from which on it is wrong on the device. */
static void a_wrong_kernel_calibrates_nothing(void **state)
{
    struct run run;
    char *detail;

    (void)state;
    folder_write("k.cl",
                 "__kernel void scale(__global const float *x, __global float *y)\n"
                 "{\n    int i = get_global_id(0);\n"
                 "    y[i] = (i < 37 ? 3.0f : 2.0f) * x[i];\n}\n");
    folder_write("k.yaml", wrong_yaml);
    run = calibrate(folder, scale_config);
    detail = expect_wrong(&run);
    assert_memory_equal(detail, "scale: y[37] is ", 16);
    assert_non_null(strstr(detail, ", expected "));
    free(detail);
    clear(&run);
}

/* Initialisers without inner braces are counted, but the host does not run them. */
static void what_the_host_cannot_run_is_measured_unchecked(void **state)
{
    static const char *const bodies[] = { "{ { 1, 2 }, 3 }", "{ 1, 2, 3 }" };
    char *source,
        *yaml = strndup(wrong_yaml, strstr(wrong_yaml, "reference:") - wrong_yaml);
    struct gcal_measurement m;
    size_t device, kernel;
    struct run run;

    (void)state;
    for (int i = 0; i < 2; i++) {
        source = gcal_buf_format(
            "__kernel void scale(__global const float *x, __global float *y)\n"
            "{\n    struct { int a[2]; float s; } p = %s;\n"
            "    int i = get_global_id(0); y[i] = p.s * x[i];\n}\n",
            bodies[i]);
        folder_write("k.cl", source);
        folder_write("k.yaml", yaml);
        run = calibrate(folder, scale_config);
        assert_int_equal(
            gcal_record_measurement(run.record, 0, &m, &device, &kernel, NULL), 0);
        assert_int_equal(m.status, GCAL_MEASUREMENT_GOOD);
        assert_int_equal(m.checked, i == 0);
        gcal_measurement_clear(&m);
        clear(&run);
        free(source);
    }
    free(yaml);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_folder, folder_remove)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(a_transfer_is_measured_recorded_and_fitted),
        TEST(a_transfer_that_loses_bytes_calibrates_nothing),
        TEST(a_wrong_kernel_calibrates_nothing),
        TEST(what_the_host_cannot_run_is_measured_unchecked),
    };
    int status = faulty_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
