/* sample.c - made-up runs and parameters for the tests of store/ */
#include "kernels/base/strings.h"
#include "store/ledger/lines.h"
#include "store/publish/publish.h"
#include "store/record/record.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"

char *sample_folder(void)
{
    char *folder = strdup("/tmp/gpucal-test-XXXXXX");

    assert_non_null(mkdtemp(folder));
    return folder;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info;
    (void)type;
    (void)at;
    return remove(path);
}

void sample_folder_remove(char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

int sample_setup(void **state)
{
    *state = sample_folder();
    return 0;
}

int sample_teardown(void **state)
{
    sample_folder_remove(*state);
    return 0;
}

const char *sample_path(const char *folder, const char *name)
{
    static char paths[4][400];
    static int next;

    next = (next + 1) % 4;
    snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
    return paths[next];
}

void sample_file_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

char *sample_file_read(const char *path, size_t *size)
{
    char *data = gcal_file_read(path, 64 << 20, size, NULL);

    assert_non_null(data);
    return data;
}

void sample_load_type(const char *folder, const char *type, struct gcal_params *params)
{
    char *path = gcal_buf_format("%s/types/%s.yaml", folder, type), *text;
    size_t size;

    assert_non_null(path);
    text = sample_file_read(path, &size);
    assert_int_equal(gcal_params_decode(text, size, path, params, NULL), 0);
    free(text);
    free(path);
}

struct gcal_record_header sample_header(void)
{
    static struct gcal_catalogue_file files[] = { { "own", "a.yaml", "name: a\n" },
                                                  { "own", "a.cl", "" } };

    return (struct gcal_record_header){
        .run_id = "20261121T041705Z-1a2b3c4d",
        .started_utc = "2026-11-21T04:17:05Z",
        .finished_utc = "2026-11-21T04:27:51Z",
        .gpucal_version = "0.1.0",
        .launcher = "slurm job 17 step 0",
        .config = "store: /shared/gpucal\n",
        .config_file = "models.yaml",
        .catalogue = SAMPLE_CATALOGUE,
        .catalogue_files = { .n = 2, .items = files },
        .seed = 0xfedcba9876543210u,
        .n_ranks = 3,
        .simulated = true,
    };
}

static struct gcal_device_info sample_info(const char *uid)
{
    return (struct gcal_device_info){
        .uid = (char *)uid,
        .type = "test-gpu-7cu",
        .platform = "Test Platform",
        .vendor = "Test & Sons: \"GPUs\"",
        .name = "Test GPU",
        .driver = "580.17",
        .version = "OpenCL 3.0",
        .device_type = "gpu",
        .pci = "0000:01:00.0",
        .compute_units = 7,
        .max_work_group_size = 1024,
        .sub_group_size = 32,
        .max_clock_hz = 1.98e9,
        .global_memory_bytes = 150755573760.0,
        .max_alloc_bytes = 37688893440.0,
        .local_memory_bytes = 49152,
        .cache_bytes = 4325376,
        .timer_resolution_s = 1e-9,
        .fp64 = true,
        .resident_work_items = 2048,
        .resident_work_groups = 32,
        .unit_local_memory_bytes = 233472,
        .unit_registers = 65536,
    };
}

static struct gcal_measurement_sample samples[] = {
    { 2.385e-6, 9.17e-6, 41, 1.755e9, 43.5, 4 },
    { 2.391e-6, 9.02e-6, 43, NAN, NAN, 0 },
    { 2.387e-6, 9.11e-6, 47, 1.757e9, 44.25, 0 },
};

static void run_kernels(const struct gcal_run_sink *sink)
{
    static char *names[] = { "n", "m" };
    static double values[] = { 2048, 713 };
    static struct gcal_kernel_use uses[] = { { "matmul", GCAL_KERNEL_FITTED },
                                             { "others", GCAL_KERNEL_CHECK } };
    struct gcal_run_kernel kernel = {
        .id = "k1",
        .name = "madd chain",
        .generator = "flops_madd",
        .family = "madd",
        .source = "kernel void f(global float *x)\n{\n    x[0] = 1;\n}\n",
        .entry = "f",
        .build_options = "-cl-std=CL1.2 -DN=7",
        .launch = "global n local 64",
        .profile = "kernel: f\n",
        .variant = "flops_madd_memory",
        .origin = { .form = GCAL_KERNEL_MEMORY,
                    .generator = "flops_madd",
                    .family = "madd",
                    .name = "madd chain n:2048",
                    .n_accumulators = 8,
                    .barriers = true },
        .uses = { .n = 2, .items = uses },
        .n_sizes = 2,
        .size_names = names,
        .size_values = values,
    };

    assert_int_equal(sink->kernel(sink->context, &kernel, NULL), 0);
    kernel.id = "k2";
    kernel.origin = (struct gcal_kernel_origin){ .form = GCAL_KERNEL_COMPLETE };
    kernel.uses.n = 0;
    kernel.n_sizes = 1;
    assert_int_equal(sink->kernel(sink->context, &kernel, NULL), 0);
}

void sample_run(const struct gcal_run_sink *sink)
{
    struct gcal_run_link_time link_times[] = { { 8, 200, 2.385e-6 },
                                               { 4096, 10, 5.13e-6 } };
    const struct gcal_run_link link = {
        .from = "n1", .to = "n3", .round = 2, .n_times = 2, .times = link_times
    };
    struct gcal_run_device device = { .node = "n1",
                                      .rank = 1,
                                      .info = sample_info("uuid:7f") };
    struct gcal_measurement m = {
        .node = "n1",
        .device_uid = "uuid:7f",
        .kernel_id = "k2",
        .n_warmup = 3,
        .stop = GCAL_MEASUREMENT_STOP_NOISE,
        .n_samples = 3,
        .samples = samples,
        .checked = true,
        .worst_difference = 2.385e-7,
        .built = { 116, 616, 256, 32 },
    };

    assert_int_equal(sink->device(sink->context, &device, NULL), 0);
    device.node = "n2";
    assert_int_equal(sink->device(sink->context, &device, NULL), 0);
    run_kernels(sink);
    assert_int_equal(sink->measurement(sink->context, &m, NULL), 0);
    m = (struct gcal_measurement){ .node = "n2",
                                   .device_uid = "uuid:7f",
                                   .kernel_id = "k1",
                                   .status = GCAL_MEASUREMENT_CRASHED,
                                   .detail = "worker killed by signal 11" };
    assert_int_equal(sink->measurement(sink->context, &m, NULL), 0);
    m.status = GCAL_MEASUREMENT_GOOD;
    m.detail = NULL;
    m.n_samples = 2;
    m.samples = samples + 1;
    assert_int_equal(sink->measurement(sink->context, &m, NULL), 0);
    assert_int_equal(sink->link(sink->context, &link, NULL), 0);
    assert_int_equal(sink->lost(sink->context, "n3", 2, "no sign of life for 20 s", NULL),
                     0);
    device.failure = "three workers crashed";
    device.span_s = 23.75;
    device.busy_s = 16.5;
    assert_int_equal(sink->device(sink->context, &device, NULL), 0);
}

/* An array on the heap, filled. */
static void *doubles(size_t count, const double *values)
{
    return memcpy(malloc(count * sizeof(*values)), values, count * sizeof(*values));
}

static char **texts(size_t count, const char *const *values)
{
    char **items = calloc(count, sizeof(*items));

    for (size_t i = 0; i < count; i++)
        items[i] = strdup(values[i]);
    return items;
}

static void fill_info(struct gcal_device_info *info, const char *uid)
{
    *info = sample_info(uid);
    info->uid = strdup(info->uid);
    info->type = strdup(info->type);
    info->platform = strdup(info->platform);
    info->vendor = strdup(info->vendor);
    info->name = strdup(info->name);
    info->driver = strdup(info->driver);
    info->version = strdup(info->version);
    info->device_type = strdup(info->device_type);
    info->pci = strdup(info->pci);
}

static void fill_model(struct gcal_params_model *m, double madd_s)
{
    static const char *const parameters[] = { "p_madd", "p_launch" };
    static const char *const units[] = { "s", "s" };
    static const char *const features[] = {
        "f_op_float32_madd",
        "f_sync_kernel_launch",
        "f_mem_access_global_float32_load_lstrides:{0:1;1:>15}",
    };

    m->name = strdup("matmul");
    m->output = strdup("f_cl_wall_time");
    m->expression = strdup("p_madd*f_op_float32_madd + p_launch*f_sync_kernel_launch");
    m->form = strdup("linear");
    m->n_parameters = 2;
    m->parameter = texts(2, parameters);
    m->unit = texts(2, units);
    m->value = doubles(2, (double[]){ madd_s, 7.2e-6 });
    m->standard_error = doubles(2, (double[]){ 1.7e-15, 3.1e-8 });
    m->own = doubles(2, (double[]){ 1.02 * madd_s, NAN });
    m->own_error = doubles(2, (double[]){ 2.3e-15, NAN });
    m->root = doubles(3, (double[]){ 1.7e-15, -6.4706e-9, 3.03173e-8 });
    m->at_bound = calloc(2, sizeof(*m->at_bound));
    m->at_bound[1] = true;
    m->n_features = 3;
    m->feature = texts(3, features);
    m->feature_min = doubles(3, (double[]){ 131072, 1, 0 });
    m->feature_max = doubles(3, (double[]){ 8589934592, 1, 1e9 / 3 });
    m->n_kernels = 12;
    m->n_samples = 713;
    m->residual = 0.02385;
    m->mean_error = 0.0171;
    m->worst_error = 0.0613;
    m->condition = 41.7;
    m->n_held_out = 11;
    m->held_out_rms = 0.0297;
    m->error_90 = 0.0461;
    m->factor = 1.0125;
    m->factor_error = 0.0031;
}

struct gcal_params sample_params(const char *node, const char *uid, double madd_s)
{
    struct gcal_params params = { .node = strdup(node) };
    struct gcal_params_device *device = gcal_params_add_device(&params, NULL);

    fill_info(&device->info, uid);
    device->run_id = strdup("20261121T041705Z-1a2b3c4d");
    device->calibrated_utc = strdup("2026-11-21T04:27:51Z");
    device->gpucal_version = strdup("0.1.0");
    device->configuration = strdup(SAMPLE_CONFIGURATION);
    device->catalogue = strdup(SAMPLE_CATALOGUE);
    device->n_fitted = 3;
    fill_model(gcal_params_add_model(device, NULL), madd_s);
    return params;
}

int sample_with_file_limit(size_t max_bytes, int (*body)(void *context), void *context)
{
    struct rlimit limit = { max_bytes, max_bytes };
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        exit(body(context)); /* with what libraries do at the end */
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

char sample_host[65] = "here";

/* Comes before that of the C library. */
int gethostname(char *name, size_t size)
{
    snprintf(name, size, "%s", sample_host);
    return 0;
}

void sample_expect_verified(const char *folder, size_t damaged, size_t interrupted,
                            const char *message)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_verify_result v;
    struct gcal_error err;

    if (gcal_store_verify(store, &v, &err) < 0)
        fail_msg("%s", err.text);
    if (v.n_damaged != damaged || v.n_interrupted != interrupted)
        fail_msg("%zu damaged, %zu interrupted: %s", v.n_damaged, v.n_interrupted,
                 v.text ? v.text : "nothing");
    if (message && !(v.text && strstr(v.text, message)))
        fail_msg("'%s' is not in '%s'", message, v.text ? v.text : "nothing");
    assert_true(message || !v.text);
    gcal_verify_result_clear(&v);
    gcal_store_close(store);
}

void sample_expect_history(const char *folder, const char *scope, const char *expected)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_ledger_lines lines = { .store = store };
    char **runs, text[200] = "";
    size_t n;

    assert_int_equal(gcal_ledger_lines_refresh(&lines, NULL), 0);
    gcal_ledger_lines_sort(&lines);
    assert_int_equal(gcal_ledger_history(&lines, scope, &runs, &n, NULL, NULL), 0);
    for (size_t i = 0; i < n; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s;", runs[i]);
    assert_string_equal(text, expected);
    gcal_strings_free(runs, n);
    gcal_ledger_lines_clear(&lines);
    gcal_store_close(store);
}
