/* test_built.c - what drivers say of a built kernel: by OpenCL, by the log of NVIDIA's
 * compiler, and by a CUDA driver
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "calib/device/private.h"
#include "calib/worker/worker.h"
#include "tests/calib/device/faulty_opencl.h"

/* As driver 580 writes it; a function that is called has properties, but no registers. */
static const char compiler_log[] =
    "\n"
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'scale' for 'sm_90'\n"
    "ptxas info    : Function properties for scale\n"
    "ptxas         .     616 bytes stack frame, 1648 bytes spill stores, 1692 bytes "
    "spill "
    "loads\n"
    "ptxas info    : Used 116 registers, used 0 barriers\n"
    "ptxas info    : Compiling entry function 'scale_2' for 'sm_90'\n"
    "ptxas info    : Function properties for scale_2\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers, used 1 barriers, 1024 bytes smem\n"
    "ptxas info    : Function properties for helper\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";

/* With quotes, and no line for barriers. */
static const char other_log[] =
    "ptxas info    : Compiling entry function 'f' for 'sm_35'\n"
    "ptxas info    : Function properties for 'f'\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 255 registers, 344 bytes cmem[0]\n";

static void reads_the_log(void **state)
{
    static const struct {
        const char *log, *entry;
        uint64_t registers; /* 0: unknown */
    } cases[] = {
        { compiler_log, "scale", 116 },
        { compiler_log, "scale_2", 8 },
        { compiler_log, "scale_", 0 },
        { compiler_log, "cale", 0 },
        { compiler_log, "helper", 0 },
        { other_log, "f", 255 },
        { "", "f", 0 },
        { "Function properties for f\nUsed barriers", "f", 0 },
        { "Function properties for f\nUsed -7 registers", "f", 0 },
        { "Function properties for f", "f", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (gcal_device_log_registers(cases[i].log, cases[i].entry) != cases[i].registers)
            fail_msg("case %zu", i);
}

/* ---- by workers ---- */

static const char source[] = "__kernel void scale(__global float *a, float k)\n"
                             "{ a[get_global_id(0)] *= FACTOR * k; }\n";

/* What the first device says of 'entry'; 'outcome' of building it. */
static struct gcal_built build(const char *entry, enum gcal_worker_outcome *outcome,
                               struct gcal_error *err)
{
    struct gcal_worker_spawner *spawner = gcal_worker_spawner_start(err);
    struct gcal_worker *worker = gcal_worker_start(spawner, NULL, err);
    struct gcal_device_info *devices = NULL;
    struct gcal_kernel kernel = { .source = (char *)source,
                                  .entry = (char *)entry,
                                  .build_options = (char *)"-DFACTOR=3.0f" };
    struct gcal_built built = { 0 };
    size_t count = 0;

    assert_int_equal(gcal_worker_list_devices(worker, 60, &devices, &count, err),
                     GCAL_WORKER_DONE);
    assert_int_equal(gcal_worker_open(worker, devices[0].uid, 60, err), GCAL_WORKER_DONE);
    *outcome = gcal_worker_build(worker, &kernel, 60, &built, err);
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    gcal_worker_stop(worker);
    gcal_worker_spawner_stop(spawner);
    return built;
}

static struct gcal_built good_build(void)
{
    enum gcal_worker_outcome outcome;
    struct gcal_error err = { 0 };
    struct gcal_built built = build("scale", &outcome, &err);

    if (outcome != GCAL_WORKER_DONE)
        fail_msg("%s", err.text);
    return built;
}

/* OpenCL has all but registers.  The size of work-groups is that of faulty_opencl.c. */
static void asks_opencl(void **state)
{
    enum gcal_worker_outcome outcome;
    struct gcal_error err = { 0 };
    struct gcal_built built = good_build();

    (void)state;
    assert_int_equal(built.registers, 0);
    assert_int_equal(built.work_group_size, 32);
    assert_true(built.multiple >= 1);
    assert_true(gcal_built_is_known(&built));
    build("scales", &outcome, &err);
    assert_int_equal(outcome, GCAL_WORKER_REFUSED);
    assert_non_null(strstr(err.text, "scales: CL_INVALID_KERNEL_NAME"));
}

/* NVIDIA's driver has them in the log, if it compiles, and else only for CUDA. */
static void asks_nvidia(void **state)
{
    const char *path = getenv("LD_LIBRARY_PATH");
    char *before = path ? strdup(path) : NULL;

    (void)state;
    setenv("TEST_PCI", "1", 1);
    setenv("TEST_BUILD_LOG", compiler_log, 1);
    assert_int_equal(good_build().registers, 116);
    setenv("TEST_BUILD_LOG", "", 1);
    assert_int_equal(good_build().registers, 0);
    assert_int_equal(good_build().work_group_size, 32);
    setenv("LD_LIBRARY_PATH", FAKE_CUDA, 1);
    assert_int_equal(good_build().registers, 72);
    unsetenv("TEST_PCI");
    unsetenv("TEST_BUILD_LOG");
    if (before)
        setenv("LD_LIBRARY_PATH", before, 1);
    else
        unsetenv("LD_LIBRARY_PATH");
    free(before);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_log),
        cmocka_unit_test(asks_opencl),
        cmocka_unit_test(asks_nvidia),
    };
    int status = faulty_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
