/* test_cuda.c - CUDA kernels by a worker, on a GPU and with a compiler that the tests have
 * (fake_cuda.c, fake_nvrtc.c)
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "calib/worker/worker.h"

/* OpenCL's device is at the PCI address of the GPU that CUDA has. */
cl_int clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *value,
                       size_t *needed)
{
    __typeof__(&clGetDeviceInfo) real = dlsym(RTLD_NEXT, "clGetDeviceInfo");
    static const char extensions[] = "cl_khr_pci_bus_info";
    static const cl_uint pci[] = { 0xfffe, 0x3b, 0, 0 };
    enum { PCI_BUS_INFO_KHR = 0x410F };

    if (what == PCI_BUS_INFO_KHR && size == sizeof(pci)) {
        memcpy(value, pci, sizeof(pci));
        return CL_SUCCESS;
    }
    if (what != CL_DEVICE_EXTENSIONS)
        return real(id, what, size, value, needed);
    if (value)
        snprintf(value, size, "%s", extensions);
    if (needed)
        *needed = sizeof(extensions);
    return CL_SUCCESS;
}

/* Of two kernels of one program, one must not be taken for the other. */
static char source[] = "template <typename T, int STEP> __global__ void\n"
                       "scale(const T *a, T *b, long long k, double half)\n"
                       "{ int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  b[i] = T(FACTOR * STEP * a[i] + k + 2 * half); }\n";

static struct gcal_size size = { .name = "n", .value = 4096 };
static struct gcal_size check_size = { .name = "n", .value = 192 };
static struct gcal_arg args[] = {
    { .kind = GCAL_ARG_BUFFER, .name = "a", .dtype = "float32", .value = "n" },
    { .kind = GCAL_ARG_BUFFER,
      .name = "b",
      .dtype = "float32",
      .value = "n",
      .output = true },
    { .kind = GCAL_ARG_SCALAR, .name = "k", .dtype = "int64", .value = "7" },
    { .kind = GCAL_ARG_SCALAR, .name = "half", .dtype = "float64", .value = "0.5" },
};

static struct gcal_kernel kernel_of(const char *entry)
{
    return (struct gcal_kernel){
        .id = "id",
        .name = "scale",
        .family = "scale",
        .language = GCAL_SOURCE_CUDA,
        .source = source,
        .entry = (char *)entry,
        .build_options = "-O3 -D FACTOR=2.0f -DFACTOR=3.0f -arch=sm_80 -lineinfo "
                         "-o Image.o",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" },
        .n_sizes = 1,
        .sizes = &size,
        .n_check_sizes = 1,
        .check_sizes = &check_size,
        .n_args = 4,
        .args = args,
    };
}

static struct gcal_worker_spawner *spawner;

static struct gcal_worker *open_worker(void)
{
    struct gcal_error err = { 0 };
    struct gcal_worker *worker = gcal_worker_start(spawner, NULL, &err);
    struct gcal_device_info *devices = NULL;
    size_t count = 0;

    assert_int_equal(gcal_worker_list_devices(worker, 60, &devices, &count, &err),
                     GCAL_WORKER_DONE);
    assert_int_equal(gcal_worker_open(worker, devices[0].uid, 60, &err),
                     GCAL_WORKER_DONE);
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    return worker;
}

static void runs_instances_of_a_template(void **state)
{
    static const char *const entries[] = { "scale<float, 1>", "scale<float, 5>" };
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    float a[192];

    (void)state;
    gcal_dtype_fill(41, "float32", 192, a);
    for (int e = 0; e < 2; e++) {
        struct gcal_kernel kernel = kernel_of(entries[e]);
        void *outputs[5];

        if (gcal_worker_check(worker, &kernel, 41, 0, 60, outputs, &status, &err) !=
            GCAL_WORKER_DONE)
            fail_msg("%s", err.text);
        for (int i = 0; i < 192; i++)
            assert_float_equal(((float *)outputs[1])[i], 3 * (e ? 5 : 1) * a[i] + 8,
                               1e-4);
        free(outputs[1]);
    }
    gcal_worker_stop(worker);
}

static void times_launches(void **state)
{
    struct gcal_kernel kernel = kernel_of("scale<float, 1>");
    struct gcal_worker *worker = open_worker();
    struct gcal_measurement_sample samples[5] = { 0 };
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    double first_s = 0;

    (void)state;
    if (gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err) !=
            GCAL_WORKER_DONE ||
        gcal_worker_measure(worker, &kernel, 5, 60, samples, &status, &err) !=
            GCAL_WORKER_DONE)
        fail_msg("%s", err.text);
    assert_true(first_s > 0 && first_s < 10);
    assert_int_equal(gcal_worker_built(worker).registers, 72);
    assert_true(gcal_worker_build_s(worker) > 0);
    for (int i = 0; i < 5; i++) {
        assert_true(samples[i].time_s > 0);
        assert_true(samples[i].time_s < 1.05 * samples[i].host_s + 1e-4);
    }
    gcal_worker_stop(worker);
}

static void gives_the_compilers_log(void **state)
{
    struct gcal_kernel kernel = kernel_of("scale<wrong, 1>");
    struct gcal_worker *worker = open_worker();
    struct gcal_error err = { 0 };
    struct gcal_built built;

    (void)state;
    assert_int_equal(gcal_worker_build(worker, &kernel, 60, &built, &err),
                     GCAL_WORKER_REFUSED);
    assert_non_null(strstr(err.text, "use of undeclared identifier 'wrong'"));
    gcal_worker_stop(worker);
}

/* OpenCL C goes on where CUDA is missing, and says what is. */
static void says_what_is_missing(void **state)
{
    struct gcal_kernel kernel = kernel_of("scale<float, 1>"), other = kernel;
    struct gcal_worker *worker = open_worker();
    struct gcal_error err = { 0 };
    struct gcal_built built;

    (void)state;
    kernel.language = GCAL_SOURCE_HIP;
    assert_int_equal(gcal_worker_build(worker, &kernel, 60, &built, &err),
                     GCAL_WORKER_REFUSED);
    assert_non_null(strstr(err.text, "measuring HIP kernels needs AMD's ROCm"));
    other.language = GCAL_SOURCE_OPENCL_C;
    other.source = (char *)"__kernel void f(__global float *a) { a[0] = 1; }";
    other.entry = (char *)"f";
    other.build_options = NULL;
    assert_int_equal(gcal_worker_build(worker, &other, 60, &built, &err),
                     GCAL_WORKER_DONE);
    gcal_worker_stop(worker);
}

static int start(void **state)
{
    (void)state;
    setenv("LD_LIBRARY_PATH", FAKE_CUDA, 1);
    return (spawner = gcal_worker_spawner_start(NULL)) ? 0 : -1;
}

static int stop(void **state)
{
    (void)state;
    gcal_worker_spawner_stop(spawner);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_instances_of_a_template),
        cmocka_unit_test(times_launches),
        cmocka_unit_test(gives_the_compilers_log),
        cmocka_unit_test(says_what_is_missing),
    };
    int status = gcal_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    return cmocka_run_group_tests(tests, start, stop);
}
