/* grid.c - rows of the grid on an OpenCL device */
#define CL_TARGET_OPENCL_VERSION 120

#include "grid.h"

#include <CL/cl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct grid {
    size_t first, rows, width;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem now, next;
};

static int is_good(cl_int status, const char *what)
{
    if (status != CL_SUCCESS)
        fprintf(stderr, "cluster: %s: OpenCL error %d\n", what, status);
    return status == CL_SUCCESS;
}

static cl_device_id find_device(const char *name)
{
    cl_platform_id platforms[16];
    cl_uint n_platforms = 0;

    clGetPlatformIDs(16, platforms, &n_platforms);
    for (cl_uint p = 0; p < n_platforms && p < 16; p++) {
        cl_device_id devices[64];
        cl_uint n = 0;

        clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, 64, devices, &n);
        for (cl_uint i = 0; i < n && i < 64; i++) {
            char found[512] = "";

            clGetDeviceInfo(devices[i], CL_DEVICE_NAME, sizeof(found) - 1, found, NULL);
            if (strstr(found, name))
                return devices[i];
        }
    }
    fprintf(stderr, "cluster: no OpenCL device '%s' on this node\n", name);
    return NULL;
}

unsigned grid_device(const char *name)
{
    cl_device_id device = find_device(name);
    cl_uint units = 0;

    if (device)
        clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(units), &units, NULL);
    return units;
}

/* SplitMix64's output function. */
static float cell(size_t width, size_t row, size_t column)
{
    uint64_t x = (row * (width + 2) + column + 1) * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (float)(x >> 40) * 0x1p-24f;
}

size_t grid_row_bytes(const struct grid *grid)
{
    return (grid->width + 2) * sizeof(float);
}

int grid_write(struct grid *g, size_t row, const float *cells)
{
    size_t bytes = grid_row_bytes(g);

    return is_good(clEnqueueWriteBuffer(g->queue, g->now, CL_TRUE, row * bytes, bytes,
                                        cells, 0, NULL, NULL),
                   "writing a row")
               ? 0
               : -1;
}

int grid_read(struct grid *g, size_t row, float *cells)
{
    size_t bytes = grid_row_bytes(g);

    return is_good(clEnqueueReadBuffer(g->queue, g->now, CL_TRUE, row * bytes, bytes,
                                       cells, 0, NULL, NULL),
                   "reading a row")
               ? 0
               : -1;
}

static int build(struct grid *g, cl_device_id device, const char *path)
{
    static char source[1 << 16];
    const char *text = source;
    FILE *file = fopen(path, "r");
    size_t size = file ? fread(source, 1, sizeof(source) - 1, file) : 0;
    cl_int status;

    if (file)
        fclose(file);
    if (!size) {
        fprintf(stderr, "cluster: cannot read %s\n", path);
        return 0;
    }
    g->program = clCreateProgramWithSource(g->context, 1, &text, &size, &status);
    if (!is_good(status, "reading the kernel") ||
        !is_good(clBuildProgram(g->program, 1, &device, "", NULL, NULL),
                 "building the kernel"))
        return 0;
    g->kernel = clCreateKernel(g->program, "heat", &status);
    return is_good(status, "making the kernel");
}

/* Both buffers, as what is around the rows stays. */
static int fill(struct grid *g)
{
    size_t n = g->width + 2;
    float *row = malloc(n * sizeof(*row));
    int good = row != NULL;

    for (int k = 0; k < 2; k++) {
        cl_mem swap = g->now;

        for (size_t i = 0; good && i < g->rows + 2; i++) {
            for (size_t j = 0; j < n; j++)
                row[j] = cell(g->width, g->first + i, j);
            good = grid_write(g, i, row) == 0;
        }
        g->now = g->next;
        g->next = swap;
    }
    free(row);
    return good;
}

struct grid *grid_create(const char *device_name, const char *kernel_path, size_t first,
                         size_t rows, size_t width)
{
    cl_device_id device = find_device(device_name);
    struct grid *g = calloc(1, sizeof(*g));
    cl_int status, n = (cl_int)width;

    if (!g || !device) {
        free(g);
        return NULL;
    }
    *g = (struct grid){ .first = first, .rows = rows, .width = width };
    if (!rows)
        return g;
    g->context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    if (status == CL_SUCCESS)
        g->queue = clCreateCommandQueue(g->context, device, 0, &status);
    if (status == CL_SUCCESS)
        g->now = clCreateBuffer(g->context, CL_MEM_READ_WRITE,
                                (rows + 2) * grid_row_bytes(g), NULL, &status);
    if (status == CL_SUCCESS)
        g->next = clCreateBuffer(g->context, CL_MEM_READ_WRITE,
                                 (rows + 2) * grid_row_bytes(g), NULL, &status);
    if (is_good(status, "opening the device") && build(g, device, kernel_path) &&
        fill(g) && is_good(clSetKernelArg(g->kernel, 2, sizeof(n), &n), "the width"))
        return g;
    grid_destroy(g);
    return NULL;
}

void grid_destroy(struct grid *g)
{
    if (!g)
        return;
    if (g->now)
        clReleaseMemObject(g->now);
    if (g->next)
        clReleaseMemObject(g->next);
    if (g->kernel)
        clReleaseKernel(g->kernel);
    if (g->program)
        clReleaseProgram(g->program);
    if (g->queue)
        clReleaseCommandQueue(g->queue);
    if (g->context)
        clReleaseContext(g->context);
    free(g);
}

int grid_step(struct grid *g)
{
    const size_t local[] = { GRID_LOCAL_0, GRID_LOCAL_1 },
                 global[] = { g->width, g->rows };
    cl_mem swap = g->now;

    if (!g->rows)
        return 0;
    if (!is_good(clSetKernelArg(g->kernel, 0, sizeof(g->next), &g->next), "out") ||
        !is_good(clSetKernelArg(g->kernel, 1, sizeof(g->now), &g->now), "in") ||
        !is_good(clEnqueueNDRangeKernel(g->queue, g->kernel, 2, NULL, global, local, 0,
                                        NULL, NULL),
                 "the kernel") ||
        !is_good(clFinish(g->queue), "the kernel"))
        return -1;
    g->now = g->next;
    g->next = swap;
    return 0;
}

/* Rows 'from' to 'to' of the whole grid, of which all are right that are 'steps' from either end of
 * what is computed: more than that are.
 */
static int check_rows(struct grid *g, size_t total, size_t from, size_t to, size_t steps)
{
    size_t low = from > steps ? from - steps : 0, w = g->width + 2;
    size_t high = to + steps < total + 1 ? to + steps : total + 1, n = high - low + 1;
    float *a = malloc(n * w * sizeof(*a)), *b = malloc(n * w * sizeof(*b)), *swap;
    float *row = malloc(w * sizeof(*row));
    int wrong = a && b && row ? 0 : -1;

    for (size_t i = 0; wrong == 0 && i < n * w; i++)
        a[i] = b[i] = cell(g->width, low + i / w, i % w);
    for (size_t k = 0; wrong == 0 && k < steps; k++) {
        for (size_t i = 1; i + 1 < n; i++)
            for (size_t j = 1; j + 1 < w; j++) {
                size_t at = i * w + j;

                b[at] = 0.25f * (a[at - w] + a[at - 1] + a[at + 1] + a[at + w]);
            }
        swap = a;
        a = b;
        b = swap;
    }
    for (size_t i = from; wrong >= 0 && i <= to; i++) {
        int differs = 0;

        if (grid_read(g, i - g->first, row) < 0)
            wrong = -1;
        for (size_t j = 0; wrong >= 0 && j < w; j++)
            differs = differs || !(fabsf(row[j] - a[(i - low) * w + j]) < 1e-5f);
        wrong += wrong >= 0 && differs;
    }
    free(a);
    free(b);
    free(row);
    return wrong;
}

int grid_check(struct grid *g, size_t total, size_t n, size_t steps)
{
    size_t last = g->first + g->rows;
    int top, bottom;

    if (!g->rows)
        return 0;
    n = n < g->rows ? n : g->rows;
    top = check_rows(g, total, g->first + 1, g->first + n, steps);
    bottom = check_rows(g, total, last - n + 1, last, steps);
    return top < 0 || bottom < 0 ? -1 : top + bottom;
}
