/* splitter.c - one matrix product on all OpenCL devices of a node at once, by rows
 *
 *   splitter STORE NODE PROFILE KERNEL ROWS [MODEL]
 *
 * KERNEL is rows.cl, PROFILE its counts, written by 'gpucal count', MODEL the model that
 * predicts (default: the only one).  ROWS rows are divided twice, into equal parts and by
 * gpucal_split(), and the times are compared.  Some rows of each device are checked.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <gpucal.h>
#include <gpucal_opencl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_DEVICES 16
#define N           1024 /* columns */
#define GRANULARITY 16   /* rows of a work-group */
#define REPEATS     5

struct device {
    struct gpucal_device *calibrated;
    struct gpucal_model *model;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_kernel kernel;
    cl_mem a, b, c;
    size_t first, rows; /* of the present division */
    double time_s;
    int failed;
};

static float *a, *b, *c; /* ROWS x N, N x N, ROWS x N */
static size_t total_rows;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "splitter: %s: %s\n", what, why);
    exit(1);
}

static void check(cl_int status, const char *what)
{
    char code[32];

    snprintf(code, sizeof(code), "OpenCL error %d", status);
    if (status != CL_SUCCESS)
        die(what, code);
}

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- OpenCL devices that are calibrated ---- */

/* Adds those of a platform, and says why others are left out. */
static size_t add_devices(cl_platform_id platform, const struct gpucal_store *store,
                          const char *node, struct device *devices, size_t count)
{
    struct gpucal_error err = { 0 };
    cl_device_id ids[MAX_DEVICES];
    cl_uint n_ids = 0;

    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &n_ids);
    for (cl_uint i = 0; i < n_ids && i < MAX_DEVICES && count < MAX_DEVICES; i++) {
        devices[count].id = ids[i];
        devices[count].calibrated = gpucal_opencl_device_open(store, node, ids[i], &err);
        if (devices[count].calibrated)
            count++;
        else
            fprintf(stderr, "splitter: left out: %s\n", err.text);
    }
    return count;
}

static size_t find_devices(const struct gpucal_store *store, const char *node,
                           struct device *devices)
{
    cl_platform_id platforms[MAX_DEVICES];
    cl_uint n_platforms = 0;
    size_t count = 0;

    clGetPlatformIDs(MAX_DEVICES, platforms, &n_platforms);
    for (cl_uint i = 0; i < n_platforms && i < MAX_DEVICES; i++)
        count = add_devices(platforms[i], store, node, devices, count);
    return count;
}

/* ---- the kernel on a device ---- */

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 65536);

    if (!file || !text || !fread(text, 1, 65535, file))
        die(path, "cannot be read");
    fclose(file);
    return text;
}

static cl_mem make_input(const struct device *d, float *data, size_t count)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(d->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
                                   count * sizeof(*data), data, &status);

    check(status, "buffer");
    return buffer;
}

static void prepare(struct device *d, const char *source)
{
    cl_int status, n = N;
    cl_program program;

    d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &status);
    check(status, "context");
    d->queue = clCreateCommandQueue(d->context, d->id, 0, &status);
    check(status, "queue");
    program = clCreateProgramWithSource(d->context, 1, &source, NULL, &status);
    check(status, "program");
    check(clBuildProgram(program, 1, &d->id, "", NULL, NULL), "build");
    d->kernel = clCreateKernel(program, "rows", &status);
    check(status, "kernel");
    clReleaseProgram(program);
    d->a = make_input(d, a, total_rows * N);
    d->b = make_input(d, b, N * N);
    d->c = clCreateBuffer(d->context, CL_MEM_WRITE_ONLY, total_rows * N * sizeof(*c),
                          NULL, &status);
    check(status, "buffer");
    clSetKernelArg(d->kernel, 0, sizeof(cl_mem), &d->a);
    clSetKernelArg(d->kernel, 1, sizeof(cl_mem), &d->b);
    clSetKernelArg(d->kernel, 2, sizeof(cl_mem), &d->c);
    clSetKernelArg(d->kernel, 3, sizeof(n), &n);
}

static void release(struct device *d)
{
    clReleaseKernel(d->kernel);
    clReleaseMemObject(d->a);
    clReleaseMemObject(d->b);
    clReleaseMemObject(d->c);
    clReleaseCommandQueue(d->queue);
    clReleaseContext(d->context);
    gpucal_model_close(d->model);
    gpucal_device_close(d->calibrated);
}

/* One thread per device: some drivers work in the thread that waits. */
static void *run(void *context)
{
    struct device *d = context;
    size_t offset[] = { 0, d->first / 8 }, global[] = { N / 16, d->rows / 8 },
           local[] = { 16, 2 };
    double start_s = now_s();

    d->failed = clEnqueueNDRangeKernel(d->queue, d->kernel, 2, offset, global, local, 0,
                                       NULL, NULL) != CL_SUCCESS ||
                clFinish(d->queue) != CL_SUCCESS;
    d->time_s = now_s() - start_s;
    return NULL;
}

/* All devices at once; seconds until the last has ended. */
static double run_all(struct device *devices, size_t count)
{
    pthread_t threads[MAX_DEVICES];
    double start_s = now_s();

    for (size_t i = 0; i < count; i++)
        if (devices[i].rows && pthread_create(&threads[i], NULL, run, &devices[i]))
            die("thread", "cannot be started");
    for (size_t i = 0; i < count; i++) {
        if (!devices[i].rows)
            continue;
        pthread_join(threads[i], NULL);
        if (devices[i].failed)
            die(gpucal_device_name(devices[i].calibrated), "the kernel did not run");
    }
    return now_s() - start_s;
}

/* ---- the result ---- */

/* Values of few bits: sums are exact in any order. */
static void fill(float *x, size_t count, unsigned step)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (float)((i * step + i / N) % 17) / 16 - 0.5f;
}

static void check_row(size_t row)
{
    static float expected[N];

    memset(expected, 0, sizeof(expected));
    for (size_t k = 0; k < N; k++)
        for (size_t j = 0; j < N; j++)
            expected[j] += a[N * row + k] * b[N * k + j];
    if (memcmp(expected, &c[N * row], sizeof(expected)) != 0)
        die("result", "a row is wrong");
}

/* Checks the first and last row of each device, and some between. */
static void check_result(const struct device *devices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct device *d = &devices[i];

        if (!d->rows)
            continue;
        check(clEnqueueReadBuffer(d->queue, d->c, CL_TRUE, d->first * N * sizeof(*c),
                                  d->rows * N * sizeof(*c), &c[d->first * N], 0, NULL,
                                  NULL),
              "read");
        for (size_t row = 0; row < d->rows; row += 61)
            check_row(d->first + row);
        check_row(d->first + d->rows - 1);
    }
}

/* ---- a division of the work ---- */

/* The best of some runs, with the times of each device in it. */
static double measure(struct device *devices, size_t count)
{
    double best_s = INFINITY, times_s[MAX_DEVICES];

    run_all(devices, count);
    for (int i = 0; i < REPEATS; i++) {
        double time_s = run_all(devices, count);

        for (size_t j = 0; time_s < best_s && j < count; j++)
            times_s[j] = devices[j].time_s;
        best_s = fmin(best_s, time_s);
    }
    for (size_t j = 0; j < count; j++)
        devices[j].time_s = devices[j].rows ? times_s[j] : 0;
    check_result(devices, count);
    return best_s;
}

static double run_division(const char *name, struct device *devices, size_t count,
                           const double *rows, const double *predicted_s)
{
    double total_s, longest_s = 0, sum_s = 0;
    size_t first = 0;

    for (size_t i = 0; i < count; i++) {
        devices[i].first = first;
        devices[i].rows = (size_t)rows[i];
        first += devices[i].rows;
    }
    total_s = measure(devices, count);
    printf("%s\n", name);
    for (size_t i = 0; i < count; i++) {
        printf("  %-50s %7.0f rows  predicted %8.3f ms  took %8.3f ms\n",
               gpucal_device_name(devices[i].calibrated), rows[i], 1e3 * predicted_s[i],
               1e3 * devices[i].time_s);
        longest_s = fmax(longest_s, devices[i].time_s);
        sum_s += devices[i].time_s;
    }
    printf("  all %.3f ms, imbalance %.1f %%\n", 1e3 * total_s,
           100 * (longest_s * (double)count / sum_s - 1));
    return total_s;
}

/* The size "rows" is divided; the others are N. */
static void set_sizes(const struct gpucal_profile *profile, double *sizes, size_t *unit)
{
    struct gpucal_error err = { 0 };
    int rows = gpucal_profile_parameter_index(profile, "rows", &err);

    if (rows < 0 || gpucal_profile_parameter_count(profile) > MAX_DEVICES)
        die("profile, is it of rows.cl?", err.text);
    for (size_t i = 0; i < MAX_DEVICES; i++)
        sizes[i] = N;
    *unit = (size_t)rows;
}

static void divide_equally(const struct device *devices, size_t count, size_t unit,
                           double *sizes, double *rows, double *predicted_s)
{
    struct gpucal_error err = { 0 };
    size_t granules = total_rows / GRANULARITY;

    for (size_t i = 0; i < count; i++) {
        struct gpucal_prediction p;

        rows[i] =
            (double)(GRANULARITY * (granules * (i + 1) / count - granules * i / count));
        sizes[unit] = rows[i];
        if (gpucal_predict(devices[i].model, sizes, &p, &err) < 0)
            die("prediction", err.text);
        predicted_s[i] = p.time_s;
    }
}

static void divide_by_time(const struct device *devices, size_t count, size_t unit,
                           const double *sizes, double *rows, double *predicted_s)
{
    struct gpucal_share shares[MAX_DEVICES];
    struct gpucal_error err = { 0 };

    memset(shares, 0, sizeof(shares));
    for (size_t i = 0; i < count; i++) {
        shares[i].model = devices[i].model;
        shares[i].sizes = sizes;
        shares[i].unit = unit;
        shares[i].size_per_unit = 1;
    }
    if (gpucal_split(shares, count, (double)total_rows, GRANULARITY, NULL, &err) < 0)
        die("split", err.text);
    for (size_t i = 0; i < count; i++) {
        rows[i] = shares[i].units;
        predicted_s[i] = shares[i].time_s;
    }
}

int main(int argc, char **argv)
{
    struct device devices[MAX_DEVICES];
    struct gpucal_error err = { 0 };
    double sizes[MAX_DEVICES], rows[MAX_DEVICES], predicted_s[MAX_DEVICES];
    double equal_s, split_s;
    struct gpucal_store *store;
    struct gpucal_profile *profile;
    size_t count, unit;
    char *source;

    if (argc < 6 || argc > 7 || (total_rows = strtoul(argv[5], NULL, 10)) == 0 ||
        total_rows % GRANULARITY)
        die("usage", "splitter STORE NODE PROFILE KERNEL ROWS [MODEL], ROWS a multiple "
                     "of 16");
    memset(devices, 0, sizeof(devices));
    if (!(store = gpucal_store_open(argv[1], &err)) ||
        !(profile = gpucal_profile_open(argv[3], &err)))
        die("gpucal", err.text);
    set_sizes(profile, sizes, &unit);
    if ((count = find_devices(store, argv[2], devices)) < 2)
        die(argv[2], "fewer than two of its calibrated devices are here");
    if (total_rows / GRANULARITY < count)
        die("usage", "fewer work-groups than devices");
    a = malloc(total_rows * N * sizeof(*a));
    b = malloc(N * N * sizeof(*b));
    c = malloc(total_rows * N * sizeof(*c));
    if (!a || !b || !c)
        die("matrices", "out of memory");
    fill(a, total_rows * N, 5);
    fill(b, N * N, 7);
    source = read_text(argv[4]);
    for (size_t i = 0; i < count; i++) {
        if (!(devices[i].model =
                  gpucal_model_bind(devices[i].calibrated, argv[6], profile, &err)))
            die("model", err.text);
        prepare(&devices[i], source);
    }
    gpucal_profile_close(profile); /* bound models do not need it */
    gpucal_store_close(store);
    free(source);

    divide_equally(devices, count, unit, sizes, rows, predicted_s);
    equal_s = run_division("equal parts", devices, count, rows, predicted_s);
    divide_by_time(devices, count, unit, sizes, rows, predicted_s);
    split_s = run_division("gpucal_split", devices, count, rows, predicted_s);
    printf("results are right; gpucal_split takes %.2f of the time of equal parts\n",
           split_s / equal_s);
    for (size_t i = 0; i < count; i++)
        release(&devices[i]);
    free(a);
    free(b);
    free(c);
    return 0;
}
