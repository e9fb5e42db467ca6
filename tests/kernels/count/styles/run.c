/* run.c - styles run by Oclgrind, as an OpenCL platform of this process
 *
 * Loading Oclgrind takes longer than most kernels, so it is loaded once; each style runs in
 * a child process, whose output is the histograms.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/count/signature.h"
#include "tests/kernels/count/styles/styles.h"

enum { LONGEST_RUN_S = 100 /* of processors */, MOST_OUTPUT = 1 << 22 };

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

bool style_platform_open(void)
{
    cl_platform_id platforms[8];
    cl_uint n = 0;
    char name[100] = "";

    setenv("OCL_ICD_VENDORS", "/usr/lib/oclgrind/liboclgrind-rt-icd.so", 0);
    setenv("OCLGRIND_INST_COUNTS", "1", 1);
    setenv("OCLGRIND_NUM_THREADS", "1", 1);
    if (clGetPlatformIDs(8, platforms, &n) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < n && i < 8; i++) {
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof(name), name, NULL);
        if (strstr(name, "Oclgrind") && clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL,
                                                       1, &device, NULL) == CL_SUCCESS)
            context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    }
    queue = context ? clCreateCommandQueue(context, device, 0, NULL) : NULL;
    return queue != NULL;
}

/* ---- in the child: failures end it, with a line on stdout ---- */

static void die(const char *what, const char *why)
{
    printf("%s: %s\n", what, why);
    fflush(stdout);
    _exit(1);
}

static void check(cl_int status, const char *what)
{
    char why[40];

    snprintf(why, sizeof(why), "OpenCL error %d", status);
    if (status != CL_SUCCESS)
        die(what, why);
}

static cl_kernel build(const struct style *style)
{
    const char *source = style->source;
    char *options = gcal_buf_format("-cl-opt-disable %s",
                                    style->options ? style->options : "-cl-std=CL1.2");
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    cl_kernel kernel;
    static char log[2000];

    check(status, "program");
    if (clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
                              NULL);
        die("build", log);
    }
    kernel = clCreateKernel(program, style->name, &status);
    check(status, style->name);
    free(options);
    return kernel;
}

/* A vector or structure by value, of unknown size: zeroes. */
static void set_other(cl_kernel kernel, cl_uint index, const char *name)
{
    static const char zeroes[256];

    for (size_t size = 1; size <= sizeof(zeroes); size++)
        if (clSetKernelArg(kernel, index, size, zeroes) == CL_SUCCESS)
            return;
    die(name, "an argument that cannot be set");
}

/* A buffer's memory, or NULL. */
static cl_mem set_argument(cl_kernel kernel, cl_uint index, const char *name,
                           const struct style_value *v)
{
    size_t bytes = v->dtype ? v->n_elements * gcal_dtype_size(v->dtype) : 0;
    cl_mem memory = NULL;
    cl_int status;

    switch (v->kind) {
    case STYLE_BUFFER:
        memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, v->data, &status);
        check(status, name);
        check(clSetKernelArg(kernel, index, sizeof(memory), &memory), name);
        break;
    case STYLE_LOCAL:
        check(clSetKernelArg(kernel, index, v->n_elements, NULL), name);
        break;
    case STYLE_SCALAR:
        check(clSetKernelArg(kernel, index, bytes, v->data), name);
        break;
    default:
        set_other(kernel, index, name);
    }
    return memory;
}

static void launch(const struct style *style,
                   const struct gcal_count_signature *signature, cl_kernel kernel,
                   const struct style_run *run)
{
    struct gcal_error err = { 0 };
    struct style_value *values = style_values_make(style, signature, run, &err);
    size_t global[GCAL_MAX_DIMS];
    cl_mem *buffers = calloc(signature->n_args + 1, sizeof(*buffers));

    if (!values || !buffers || style_global_size(style, run, global, &err) < 0)
        die("arguments", err.text);
    for (size_t i = 0; i < signature->n_args; i++)
        buffers[i] =
            set_argument(kernel, (cl_uint)i, signature->args[i].name, &values[i]);
    check(clEnqueueNDRangeKernel(queue, kernel, (cl_uint)style->n_dims, NULL, global,
                                 style->local_size, 0, NULL, NULL),
          "launch");
    check(clFinish(queue), "run");
    for (size_t i = 0; i < signature->n_args; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    free(buffers);
    style_values_free(values, signature->n_args);
}

static void run_child(const struct style *style,
                      const struct gcal_count_signature *signature, FILE *output)
{
    cl_kernel kernel;

    if (dup2(fileno(output), 1) < 0 || dup2(fileno(output), 2) < 0)
        _exit(126);
    setrlimit(RLIMIT_CPU, &(struct rlimit){ LONGEST_RUN_S, LONGEST_RUN_S });
    kernel = build(style);
    for (size_t i = 0; i < style->n_runs; i++)
        launch(style, signature, kernel, &style->runs[i]);
    fflush(stdout);
    _exit(0); /* the parent's exit handlers are not run twice */
}

/* ---- in the parent ---- */

static char *read_all(FILE *file)
{
    struct gcal_buf text = { 0 };
    char part[4096];
    size_t n;

    rewind(file);
    gcal_buf_puts(&text, "");
    while ((n = fread(part, 1, sizeof(part), file)) > 0 && text.size < MOST_OUTPUT)
        gcal_buf_put(&text, part, n);
    return gcal_buf_take(&text, NULL);
}

/* Each run's histogram follows the same title. */
static int cut_texts(const struct style *style, const char *output,
                     char *texts[STYLE_MOST_RUNS], struct gcal_error *err)
{
    char *title = gcal_buf_format("Instructions executed for kernel '%s':", style->name);
    const char *at = title ? strstr(output, title) : NULL;
    size_t n = 0;

    for (; at && n < style->n_runs; n++) {
        const char *next = strstr(at + 1, title);

        texts[n] = strndup(at, next ? (size_t)(next - at) : strlen(at));
        at = next;
    }
    free(title);
    if (n == style->n_runs && !strstr(output, "Invalid ") &&
        !strstr(output, "divergence"))
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "Oclgrind said: %.800s", output);
}

int style_run(const struct style *style, const struct gcal_count_signature *signature,
              char *texts[STYLE_MOST_RUNS], struct gcal_error *err)
{
    FILE *output = tmpfile();
    int status = 0, pid, rc;
    char *text;

    if (!output)
        return gcal_error_set(err, GCAL_EINPUT, "no temporary file");
    fflush(stdout);
    if ((pid = fork()) == 0)
        run_child(style, signature, output);
    if (pid < 0 || waitpid(pid, &status, 0) != pid) {
        fclose(output);
        return gcal_error_set(err, GCAL_EINPUT, "no child process");
    }
    text = read_all(output);
    fclose(output);
    if (!text)
        return gcal_error_memory(err);
    rc = status == 0 ? cut_texts(style, text, texts, err)
                     : gcal_error_set(err, GCAL_EINPUT,
                                      "Oclgrind ended with status %d and said: %.800s",
                                      status, text);
    free(text);
    return rc;
}
