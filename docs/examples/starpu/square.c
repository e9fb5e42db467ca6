/* square.c - a codelet that squares a matrix of distances, in OpenCL and C */
#include "square.h"

#include "costs.h"

#include <math.h>
#include <stdio.h>
#include <starpu_opencl.h>

/* Launches of a size that are expected in later runs of the program. */
#define TO_COME 1000

static struct starpu_opencl_program program;

void square_in_c(float *restrict r, const float *restrict d, int n)
{
    for (int i = 0; i < n; i++) {
        float *row = r + (size_t)i * n;

        for (int j = 0; j < n; j++)
            row[j] = INFINITY;
        for (int k = 0; k < n; k++) {
            const float *from = d + (size_t)k * n;
            float way = d[(size_t)i * n + k];

            for (int j = 0; j < n; j++) { /* fminf() would keep GCC from vectors */
                float length = way + from[j];
                row[j] = length < row[j] ? length : row[j];
            }
        }
    }
}

static void square_cpu(void *buffers[], void *arg)
{
    const struct square_arg *a = arg;

    square_in_c((float *)STARPU_MATRIX_GET_PTR(buffers[1]),
                (const float *)STARPU_MATRIX_GET_PTR(buffers[0]), a->n);
}

/* The kernel takes d and its transpose, which for symmetric distances is d. */
static cl_int launch(int device, cl_mem r, cl_mem d, int n)
{
    const size_t local[2] = { 8, 8 };
    const size_t global[2] = { 8 * (size_t)n / SQUARE_BLOCK,
                               8 * (size_t)n / SQUARE_BLOCK };
    cl_kernel kernel;
    cl_command_queue queue;
    cl_int rc =
        starpu_opencl_load_kernel(&kernel, &queue, &program, "min_plus_v4", device);

    if (rc != CL_SUCCESS)
        return rc;
    if ((rc = clSetKernelArg(kernel, 0, sizeof(r), &r)) == CL_SUCCESS &&
        (rc = clSetKernelArg(kernel, 1, sizeof(d), &d)) == CL_SUCCESS &&
        (rc = clSetKernelArg(kernel, 2, sizeof(d), &d)) == CL_SUCCESS &&
        (rc = clSetKernelArg(kernel, 3, sizeof(n), &n)) == CL_SUCCESS &&
        (rc = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL,
                                     NULL)) == CL_SUCCESS)
        rc = clFinish(queue);
    starpu_opencl_release_kernel(kernel);
    return rc;
}

/* Waits for the kernel, so that StarPU times the kernel and its launch. */
static void square_opencl(void *buffers[], void *arg)
{
    const struct square_arg *a = arg;
    int device = starpu_worker_get_devid(starpu_worker_get_id_check());
    double start_us = starpu_timing_now();
    cl_int rc = launch(device, (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[1]),
                       (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[0]), a->n);

    if (rc != CL_SUCCESS)
        STARPU_OPENCL_REPORT_ERROR(rc);
    costs_observe(device, a->n, 1e-6 * (starpu_timing_now() - start_us), TO_COME);
}

struct starpu_codelet square_codelet = {
    .cpu_funcs = { square_cpu },
    .opencl_funcs = { square_opencl },
    .nbuffers = 2,
    .modes = { STARPU_R, STARPU_W },
    .name = "square",
};

static void warm_up(void *arg)
{
    int n_max = *(const int *)arg;
    int device = starpu_worker_get_devid(starpu_worker_get_id_check());
    size_t bytes = sizeof(float) * (size_t)n_max * n_max;
    cl_context context;
    cl_mem r, d;
    cl_int rc;

    starpu_opencl_get_context(device, &context);
    r = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &rc);
    d = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &rc);
    for (int n = SQUARE_BLOCK; rc == CL_SUCCESS && n <= n_max; n += SQUARE_BLOCK)
        rc = launch(device, r, d, n);
    if (rc != CL_SUCCESS)
        STARPU_OPENCL_REPORT_ERROR(rc);
    clReleaseMemObject(r);
    clReleaseMemObject(d);
}

int square_load(const char *kernel_file, int n_max)
{
    if (starpu_opencl_load_opencl_from_file(kernel_file, &program, "-DT=float") !=
        CL_SUCCESS) {
        fprintf(stderr, "%s does not build\n", kernel_file);
        return -1;
    }
    starpu_execute_on_each_worker(warm_up, &n_max, STARPU_OPENCL);
    return 0;
}

void square_unload(void)
{
    starpu_opencl_unload_opencl(&program);
}
