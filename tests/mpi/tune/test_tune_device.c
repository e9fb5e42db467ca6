/* test_tune_device.c - times of configurations from a device (PoCL), the bad ones included */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/local_device.h"
#include "mpi/commands/own/own.h"
#include "mpi/commands/tune/device.h"
#include "mpi/commands/tune/times.h"
#include "tests/folder.h"

/* b = 3 a + 7 on n items. */
static struct gcal_arg args[] = {
    { .name = "a", .kind = GCAL_ARG_BUFFER, .dtype = "float32", .value = "n" },
    { .name = "b",
      .kind = GCAL_ARG_BUFFER,
      .dtype = "float32",
      .value = "n",
      .output = true },
};
static struct gcal_size size = { .name = "n", .value = 16384 };
static struct gcal_size check_size = { .name = "n", .value = 192 };

#define KERNEL(body)                                                                     \
    "__kernel void scale(__global const float *a, __global float *b)\n"                  \
    "{ int i = get_global_id(0); " body " }\n"
#define REFERENCE                                                                        \
    "void reference(const float *a, float *b)\n"                                         \
    "{ for (int i = 0; i < 192; i++) b[i] = 3 * a[i] + 7; }\n"

static const struct {
    const char *name, *source, *options;
    enum gcal_tune_outcome outcome;
    const char *why;
} cases[] = {
    { "N:1", KERNEL("b[i] = F * a[i] + 7;"), "-DF=3", GCAL_TUNE_TIMED, "" },
    { "N:2", KERNEL("b[i] = F * a[i] + 7;"), "-DF=3.0f", GCAL_TUNE_TIMED, "" },
    { "N:3", KERNEL("b[i] = F * a[i] + 7;"), "-DF=3.5f", GCAL_TUNE_WRONG, "expected" },
    { "N:4", KERNEL("b[i] = F * a[i] + 7;"), "-DF=nothing", GCAL_TUNE_FAILED, "nothing" },
    { "N:5", KERNEL("b[i + 1] = 3 * a[i] + 7;"), "", GCAL_TUNE_WRONG, "writes after" },
    { "N:6",
      KERNEL(
          "if (get_global_size(0) > 192) *(volatile __global int *)(ulong)(i * 4) = 1; "
          "b[i] = 3 * a[i] + 7;"),
      "", GCAL_TUNE_FAILED, "worker ended" },
    { "N:7", KERNEL("b[i] = 7 + a[i] * F;"), "-DF=3", GCAL_TUNE_TIMED, "" },
};

enum { N = sizeof(cases) / sizeof(*cases) };

static struct gcal_kernel kernels[N];
static struct gcal_tune_config configs[N];
static struct gcal_tune_space space = { .kernel = "scale", .configs = configs };
static struct gcal_local_devices devices;
static struct gcal_tune_device *device;
static struct gcal_tune_source source;

static int set_up(void **state)
{
    struct gcal_tune_device_options options = gcal_tune_device_defaults;
    struct gcal_error err = { 0 };

    options.n_builders = 1;
    for (size_t i = 0; i < N; i++) {
        kernels[i] = (struct gcal_kernel){
            .id = "id",
            .name = (char *)cases[i].name,
            .generator = "scale",
            .source = (char *)cases[i].source,
            .entry = "scale",
            .build_options = (char *)cases[i].options,
            .n_dims = 1,
            .local_size = { 64 },
            .global_size = { "n" },
            .n_sizes = 1,
            .sizes = &size,
            .n_check_sizes = 1,
            .check_sizes = &check_size,
            .n_args = 2,
            .args = args,
            .reference = REFERENCE,
            .tolerance = 1e-5,
        };
        configs[i] = (struct gcal_tune_config){ .name = (char *)cases[i].name,
                                                .kernel = &kernels[i] };
    }
    space.n_configs = N;
    folder_make(state);
    setenv("TMPDIR", folder, 1);
    unsetenv("POCL_CACHE_DIR");
    if (gcal_local_devices_open(&devices, &err) == 0)
        device = gcal_tune_device_open(&space, devices.spawner, &devices.info[0],
                                       &options, &err);
    if (device) {
        source = gcal_tune_device_source(device);
        return 0;
    }
    print_message("%s\n", err.text);
    return -1;
}

static int tear_down(void **state)
{
    gcal_tune_device_close(device);
    gcal_local_devices_close(&devices);
    folder_remove(state);
    return 0;
}

static void time_one(size_t config, double enough_s, struct gcal_tune_time *time)
{
    struct gcal_error err = { 0 };

    if (source.time(source.context, config, enough_s, time, &err) < 0)
        fail_msg("%s", err.text);
}

static void finds_what_each_configuration_is(void **state)
{
    static const size_t announced[] = { 6, 3, 2, 1, 0 };

    (void)state;
    source.announce(source.context, announced, 5);
    for (size_t i = 0; i < N; i++) {
        struct gcal_tune_time time;

        time_one(i, INFINITY, &time);
        if (time.outcome != cases[i].outcome)
            fail_msg("%s: %s, %s", cases[i].name, gcal_tune_outcome_name(time.outcome),
                     time.why ? time.why : "");
        if (*cases[i].why && (!time.why || !strstr(time.why, cases[i].why)))
            fail_msg("%s: %s", cases[i].name, time.why ? time.why : "");
        if (time.outcome == GCAL_TUNE_TIMED) {
            assert_true(time.seconds > 0 && time.seconds < 1);
            assert_true(time.launches >= 3 && time.launches <= 25);
            assert_true(time.build_s > 0);
        }
    }
}

/* Every launch takes longer than a picosecond. */
static void abandons_what_takes_too_long(void **state)
{
    struct gcal_tune_time time;

    (void)state;
    time_one(0, 1e-12, &time);
    assert_int_equal(time.outcome, GCAL_TUNE_ABANDONED);
    assert_true(time.seconds > 0);
    assert_true(time.launches <= 1);
    time_one(0, 1e9, &time); /* asked again, with more patience */
    assert_int_equal(time.outcome, GCAL_TUNE_TIMED);
}

/* The driver's cache has what was built. */
static void builds_into_the_folder(void **state)
{
    char *path =
        gcal_buf_format("%s/gpucal-drivers-%lu/pocl", folder, (unsigned long)geteuid());
    DIR *programs = opendir(path);
    size_t n = 0;

    (void)state;
    assert_non_null(programs);
    while (readdir(programs))
        n++;
    closedir(programs);
    free(path);
    assert_true(n > 2);
}

/* A space without arguments: as large as the accesses reach. */
static void makes_arguments_up(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_kernel *kernel = &kernels[0];
    struct gcal_kernel_list list = { .n_kernels = 1, .kernels = &kernel };
    struct gcal_tune_time time = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    space.kernels = &list;
    kernel->arena = arena;
    kernel->n_args = 0;
    kernel->args = NULL;
    kernel->build_options = "-DF=3 -DAGAIN"; /* checked anew */
    time_one(0, INFINITY, &time);
    if (time.outcome != GCAL_TUNE_TIMED)
        fail_msg("%s", time.why);
    assert_int_equal(kernel->n_args, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(kernel->args[i].name, i ? "b" : "a");
        assert_string_equal(kernel->args[i].value, "n");
        assert_int_equal(kernel->args[i].output, i == 1);
    }
    kernel->n_args = 0;
    kernel->args = NULL;
    kernel->source = "__kernel void scale(__global float *a, __global const int *at)\n"
                     "{ a[at[get_global_id(0)]] = 1; }\n";
    assert_int_equal(gcal_own_arguments_make_up(kernel, &err), -1);
    assert_non_null(strstr(err.text, "scale has no 'args', and 'a' cannot be made up: "));
    kernel->n_args = 2;
    kernel->args = args;
    space.kernels = NULL;
    gcal_arena_destroy(arena);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_each_configuration_is),
        cmocka_unit_test(abandons_what_takes_too_long),
        cmocka_unit_test(builds_into_the_folder),
        cmocka_unit_test(makes_arguments_up),
    };
    int status = gcal_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
