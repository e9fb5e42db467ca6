/* work.c - rows of a matrix product on an OpenCL device */
#define CL_TARGET_OPENCL_VERSION 120

#include "work.h"

#include <CL/cl.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_PLATFORMS    16
#define MAX_DEVICES      64
#define MAX_SOURCE_BYTES (1 << 20)
#define ROWS_PER_COPY    1024

struct work {
    struct work_options options;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem a, b, c;
};

enum matrix { MATRIX_A, MATRIX_B };

double work_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether 'status' is good; prints what failed if not. */
static int is_good(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        fprintf(stderr, "balance: %s: OpenCL error %d\n", what, status);
    return status == CL_SUCCESS;
}

/* ---- elements ---- */

/* SplitMix64's output function. */
static float element(enum matrix matrix, size_t width, size_t row, size_t column)
{
    uint64_t x = (row * width + column) * 2 + matrix;

    x = (x + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return 0.5f + (float)(x >> 41) * 0x1p-24f;
}

static int upload(const struct work *work, cl_mem buffer, enum matrix matrix,
                  size_t first_row, size_t rows)
{
    size_t width = work->options.width,
           copy = rows < ROWS_PER_COPY ? rows : ROWS_PER_COPY;
    float *part = malloc(copy * width * sizeof(*part));
    cl_int status = part ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;

    for (size_t at = 0; status == CL_SUCCESS && at < rows; at += copy) {
        size_t n = at + copy < rows ? copy : rows - at;

        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < width; j++)
                part[i * width + j] = element(matrix, width, first_row + at + i, j);
        status =
            clEnqueueWriteBuffer(work->queue, buffer, CL_TRUE, at * width * sizeof(*part),
                                 n * width * sizeof(*part), part, 0, NULL, NULL);
    }
    free(part);
    return is_good(status, "copying a matrix to the device");
}

/* ---- the device ---- */

static int is_named(cl_device_id device, const char *name)
{
    char found[512] = "";

    return clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof(found), found, NULL) ==
               CL_SUCCESS &&
           strcmp(found, name) == 0;
}

/* NULL if there is none. */
static cl_device_id find_device(const char *name)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint n_platforms = 0;

    if (clGetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms) != CL_SUCCESS)
        n_platforms = 0;
    for (cl_uint p = 0; p < n_platforms && p < MAX_PLATFORMS; p++) {
        cl_device_id devices[MAX_DEVICES];
        cl_uint n = 0;

        if (clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &n) !=
            CL_SUCCESS)
            continue;
        for (cl_uint d = 0; d < n && d < MAX_DEVICES; d++)
            if (is_named(devices[d], name))
                return devices[d];
    }
    return NULL;
}

/* The file's text, the caller's to free. */
static char *read_source(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, MAX_SOURCE_BYTES);
    int good = file && text && fread(text, 1, MAX_SOURCE_BYTES - 1, file) > 0;

    if (!good)
        fprintf(stderr, "balance: cannot read the kernel's source %s\n", path);
    if (file)
        fclose(file);
    if (good)
        return text;
    free(text);
    return NULL;
}

static int build(struct work *work)
{
    char *source = read_source(work->options.kernel_path);
    const char *texts[] = { "#define GPUCAL_TAG(name, access) (access)\n", source };
    char options[100], log[4000] = "";
    cl_int status;

    if (!source)
        return 0;
    snprintf(options, sizeof(options), "-DT=float -DROWS=%d -DWIDTH=%d", WORK_BLOCK,
             WORK_WIDTH);
    work->program = clCreateProgramWithSource(work->context, 2, texts, NULL, &status);
    free(source);
    if (!is_good(status, "reading the kernel"))
        return 0;
    status = clBuildProgram(work->program, 1, &work->device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        clGetProgramBuildInfo(work->program, work->device, CL_PROGRAM_BUILD_LOG,
                              sizeof(log) - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
        return is_good(status, "building the kernel");
    }
    work->kernel = clCreateKernel(work->program, "matmul_rows", &status);
    return is_good(status, "making the kernel");
}

static cl_mem make_buffer(const struct work *work, size_t rows, int *good)
{
    cl_int status;
    cl_mem buffer =
        clCreateBuffer(work->context, CL_MEM_READ_WRITE,
                       rows * work->options.width * sizeof(float), NULL, &status);

    *good = *good && is_good(status, "making a matrix on the device");
    return buffer;
}

static int make_matrices(struct work *work)
{
    const struct work_options *o = &work->options;
    cl_int n = (cl_int)o->width;
    int good = 1;

    work->a = make_buffer(work, o->rows, &good);
    work->b = make_buffer(work, o->width, &good);
    work->c = make_buffer(work, o->rows, &good);
    return good && upload(work, work->a, MATRIX_A, o->first_row, o->rows) &&
           upload(work, work->b, MATRIX_B, 0, o->width) &&
           is_good(clSetKernelArg(work->kernel, 0, sizeof(work->a), &work->a), "a") &&
           is_good(clSetKernelArg(work->kernel, 1, sizeof(work->b), &work->b), "b") &&
           is_good(clSetKernelArg(work->kernel, 2, sizeof(work->c), &work->c), "c") &&
           is_good(clSetKernelArg(work->kernel, 3, sizeof(n), &n), "n");
}

static int open_device(struct work *work)
{
    cl_int status;

    work->device = find_device(work->options.device_name);
    if (!work->device) {
        fprintf(stderr,
                "balance: the calibrated OpenCL device '%s' is not on this node\n",
                work->options.device_name);
        return 0;
    }
    work->context = clCreateContext(NULL, 1, &work->device, NULL, NULL, &status);
    if (!is_good(status, "opening the device"))
        return 0;
    work->queue = clCreateCommandQueue(work->context, work->device, 0, &status);
    return is_good(status, "opening a queue");
}

struct work *work_create(const struct work_options *options)
{
    struct work *work = calloc(1, sizeof(*work));

    if (!work)
        return NULL;
    work->options = *options;
    if (options->rows == 0 || (open_device(work) && build(work) && make_matrices(work)))
        return work;
    work_destroy(work);
    return NULL;
}

void work_destroy(struct work *work)
{
    if (!work)
        return;
    if (work->a)
        clReleaseMemObject(work->a);
    if (work->b)
        clReleaseMemObject(work->b);
    if (work->c)
        clReleaseMemObject(work->c);
    if (work->kernel)
        clReleaseKernel(work->kernel);
    if (work->program)
        clReleaseProgram(work->program);
    if (work->queue)
        clReleaseCommandQueue(work->queue);
    if (work->context)
        clReleaseContext(work->context);
    free(work);
}

/* ---- steps ---- */

int work_step(struct work *work, double *busy_s)
{
    const size_t local[] = { WORK_LOCAL_0, WORK_LOCAL_1 };
    const size_t global[] = { work->options.width / WORK_WIDTH,
                              work->options.rows / WORK_BLOCK };
    double began_s = work_now_s();
    cl_int status;

    *busy_s = 0;
    if (work->options.rows == 0)
        return 0;
    status = clEnqueueNDRangeKernel(work->queue, work->kernel, 2, NULL, global, local, 0,
                                    NULL, NULL);
    if (status == CL_SUCCESS)
        status = clFinish(work->queue);
    *busy_s = work_now_s() - began_s;
    return is_good(status, "running the kernel") ? 0 : -1;
}

/* A sum of 'width' products may be off by a rounding error for each of them. */
static int is_right(const struct work *work, size_t row, const float *found,
                    double *expected)
{
    size_t width = work->options.width;

    memset(expected, 0, width * sizeof(*expected));
    for (size_t k = 0; k < width; k++) {
        double a = (double)element(MATRIX_A, width, row, k);

        for (size_t j = 0; j < width; j++)
            expected[j] += a * (double)element(MATRIX_B, width, k, j);
    }
    for (size_t j = 0; j < width; j++)
        if (!(fabs((double)found[j] - expected[j]) <=
              (double)width * (double)FLT_EPSILON * expected[j]))
            return 0;
    return 1;
}

int work_check(struct work *work, size_t rows)
{
    size_t width = work->options.width,
           n = rows < work->options.rows ? rows : work->options.rows;
    float *found = malloc(width * sizeof(*found));
    double *expected = malloc(width * sizeof(*expected));
    int wrong = found && expected ? 0 : -1;

    for (size_t i = 0; wrong >= 0 && i < n; i++) {
        /* From the first to the last. */
        size_t at = n > 1 ? i * (work->options.rows - 1) / (n - 1) : 0;

        if (!is_good(clEnqueueReadBuffer(work->queue, work->c, CL_TRUE,
                                         at * width * sizeof(*found),
                                         width * sizeof(*found), found, 0, NULL, NULL),
                     "reading the result"))
            wrong = -1;
        else
            wrong += !is_right(work, work->options.first_row + at, found, expected);
    }
    free(found);
    free(expected);
    return wrong;
}
