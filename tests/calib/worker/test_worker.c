/* test_worker.c - real workers on a real OpenCL platform (PoCL) */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "calib/worker/private.h"
#include "tests/calib/device/faulty_opencl.h"

static struct gcal_worker_spawner *spawner;
static char *uid;

/* Bound to one CPU, as by 'mpirun --bind-to core'; workers shall have all of them. */
static int bind_to_one_cpu(cpu_set_t *all)
{
    cpu_set_t one;
    int cpu = 0;

    if (sched_getaffinity(0, sizeof(*all), all) < 0)
        return -1;
    while (!CPU_ISSET(cpu, all))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof(one), &one);
}

/* The first device of PoCL. */
static int set_up(void **state)
{
    struct gcal_device_info *devices;
    struct gcal_error err = { 0 };
    struct gcal_worker *worker;
    size_t count;

    (void)state;
    if (!(spawner = gcal_worker_spawner_start(&err)) ||
        !(worker = gcal_worker_start(spawner, NULL, &err)) ||
        gcal_worker_list_devices(worker, 60, &devices, &count, &err) !=
            GCAL_WORKER_DONE ||
        !count) {
        print_message("no OpenCL device: %s\n", err.text);
        return -1;
    }
    uid = strdup(devices[0].uid);
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    gcal_worker_stop(worker);
    return uid ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    gcal_worker_spawner_stop(spawner);
    free(uid);
    return 0;
}

static struct gcal_worker *open_worker(void)
{
    struct gcal_error err = { 0 };
    struct gcal_worker *worker = gcal_worker_start_on(spawner, uid, NULL, &err);

    assert_non_null(worker);
    return worker;
}

/* b = 3 a + k on n items, or whatever 'source' says with the same arguments. */
static struct gcal_arg args[] = {
    { .name = "a", .kind = GCAL_ARG_BUFFER, .dtype = "float32", .value = "n" },
    { .name = "b",
      .kind = GCAL_ARG_BUFFER,
      .dtype = "float32",
      .value = "n",
      .output = true },
    { .name = "k", .kind = GCAL_ARG_SCALAR, .dtype = "int32", .value = "7" },
};
static struct gcal_size size = { .name = "n", .value = 262144 };
static struct gcal_size check_size = { .name = "n", .value = 192 };

static struct gcal_kernel kernel_of(const char *family, const char *source)
{
    return (struct gcal_kernel){
        .id = "id",
        .name = (char *)family,
        .family = (char *)family,
        .source = (char *)source,
        .entry = "scale",
        .build_options = "-DFACTOR=3.0f",
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" },
        .n_sizes = 1,
        .sizes = &size,
        .n_check_sizes = 1,
        .check_sizes = &check_size,
        .n_args = 3,
        .args = args,
    };
}

static const char good_source[] =
    "__kernel void scale(__global const float *a, __global float *b, int k)\n"
    "{ int i = get_global_id(0); b[i] = FACTOR * a[i] + k; }\n";

/* The condition depends on data, so that no compiler drops the loop. */
static const char endless_source[] =
    "__kernel void scale(__global volatile float *a, __global float *b, int k)\n"
    "{ int i = get_global_id(0); while (a[i] < k) b[i] += 1; }\n";

static void lists_devices_with_all_fields(void **state)
{
    struct gcal_worker *worker = gcal_worker_start(spawner, NULL, NULL);
    struct gcal_device_info *devices;
    struct gcal_error err = { 0 };
    size_t count;

    (void)state;
    assert_int_equal(gcal_worker_list_devices(worker, 60, &devices, &count, &err),
                     GCAL_WORKER_DONE);
    assert_string_equal(devices[0].uid, uid); /* the same as in another process */
    assert_true(*devices[0].name && *devices[0].platform && *devices[0].driver);
    assert_true(devices[0].compute_units >= 1 && devices[0].sub_group_size >= 1);
    assert_true(devices[0].global_memory_bytes > 1e6);
    assert_true(devices[0].max_work_group_size >= 64);
    assert_true(strspn(devices[0].type, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
                strlen(devices[0].type));
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    gcal_worker_stop(worker);
}

static void measures_with_times_inside_the_hosts(void **state)
{
    struct gcal_kernel kernel = kernel_of("good", good_source);
    struct gcal_worker *worker = open_worker();
    struct gcal_measurement_sample samples[5] = { 0 };
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    double first_s = 0;

    (void)state;
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_DONE);
    assert_true(first_s > 0 && first_s < 10);
    assert_int_equal(gcal_worker_measure(worker, &kernel, 5, 60, samples, &status, &err),
                     GCAL_WORKER_DONE);
    for (int i = 0; i < 5; i++) {
        assert_true(samples[i].time_s > 0);
        assert_true(samples[i].time_s < 1.05 * samples[i].host_s + 1e-4);
    }
    gcal_worker_stop(worker);
}

static void gives_back_what_the_device_computed(void **state)
{
    struct gcal_kernel kernel = kernel_of("good", good_source);
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    void *outputs[4];
    float a[192];

    (void)state;
    assert_int_equal(
        gcal_worker_check(worker, &kernel, 41, 0, 60, outputs, &status, &err),
        GCAL_WORKER_DONE);
    gcal_dtype_fill(41, "float32", 192, a);
    for (int i = 0; i < 192; i++)
        assert_float_equal(((float *)outputs[1])[i], 3 * a[i] + 7, 1e-5);
    assert_null(outputs[0]);
    assert_null(outputs[3]);
    free(outputs[1]);
    gcal_worker_stop(worker);
}

/* Kernels that write one element before and after the 192 of 'b'. */
static void finds_writes_outside_of_buffers(void **state)
{
    static const char *const sources[] = {
        "__kernel void scale(__global const float *a, __global float *b, int k)\n"
        "{ int i = get_global_id(0); b[i + 1] = a[i]; }\n",
        "__kernel void scale(__global const float *a, __global float *b, int k)\n"
        "{ int i = get_global_id(0); b[i - 1] = a[i]; }\n",
    };
    static const char *const messages[] = { "it writes after the 192 elements of its "
                                            "buffer 'b'",
                                            "it writes before the 192 elements of its "
                                            "buffer 'b'" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct gcal_kernel kernel = kernel_of(i ? "before" : "after", sources[i]);
        struct gcal_worker *worker = open_worker();
        enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
        struct gcal_error err = { 0 };
        void *outputs[4];

        assert_int_equal(
            gcal_worker_check(worker, &kernel, 41, 0xff, 60, outputs, &status, &err),
            GCAL_WORKER_REFUSED);
        assert_int_equal(status, GCAL_MEASUREMENT_WRONG_RESULT);
        assert_string_equal(err.text, messages[i]);
        gcal_worker_stop(worker);
    }
}

static void fills_buffers_with_their_range(void **state)
{
    struct gcal_kernel kernel = kernel_of("range", good_source);
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    void *outputs[4];

    (void)state;
    args[0].first = "1";
    args[0].last = "n";
    args[0].sorted = true;
    assert_int_equal(
        gcal_worker_check(worker, &kernel, 41, 0, 60, outputs, &status, &err),
        GCAL_WORKER_DONE);
    for (int i = 0; i < 192; i++)
        assert_float_equal(((float *)outputs[1])[i], 3 * (i + 1) + 7, 1e-3);
    free(outputs[1]);
    args[0].first = "n";
    args[0].last = "1";
    assert_int_equal(
        gcal_worker_check(worker, &kernel, 41, 0, 60, outputs, &status, &err),
        GCAL_WORKER_REFUSED);
    assert_non_null(
        strstr(err.text, "the range of 'a', 192 to 1, is not one of float32"));
    args[0].first = args[0].last = NULL;
    args[0].sorted = false;
    gcal_worker_stop(worker);
}

static void shows_the_log_of_a_kernel_that_does_not_build(void **state)
{
    struct gcal_kernel kernel = kernel_of("bad", "__kernel void scale(nonsense *x) {}\n");
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_int_equal(status, GCAL_MEASUREMENT_BUILD_FAILED);
    assert_non_null(strstr(err.text, "nonsense"));
    /* The worker lives. */
    kernel = kernel_of("good", good_source);
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_DONE);
    gcal_worker_stop(worker);
}

static void refuses_what_does_not_fit_in_memory(void **state)
{
    struct gcal_size huge = { .name = "n", .value = 0x1p50 };
    struct gcal_kernel kernel = kernel_of("good", good_source);
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    kernel.sizes = &huge;
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_int_equal(status, GCAL_MEASUREMENT_SKIPPED);
    gcal_worker_stop(worker);
}

static void count_tick(void *context)
{
    ++*(int *)context;
}

static void kills_an_endless_kernel_and_goes_on(void **state)
{
    struct gcal_kernel kernel = kernel_of("endless", endless_source);
    int ticks = 0;
    struct gcal_worker_tick tick = { .call = count_tick, .context = &ticks };
    struct gcal_error err = { 0 };
    struct gcal_worker *worker = gcal_worker_start(spawner, &tick, &err);
    enum gcal_measurement_status status;
    double first_s, began_s;
    pid_t pid;

    (void)state;
    assert_int_equal(gcal_worker_open(worker, uid, 60, &err), GCAL_WORKER_DONE);
    pid = gcal_worker_pid(worker);
    began_s = gcal_clock_now_s();
    ticks = 0;
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 2, &first_s, &status, &err),
                     GCAL_WORKER_TIMED_OUT);
    assert_int_equal(status, GCAL_MEASUREMENT_TIMED_OUT);
    assert_true(gcal_clock_now_s() - began_s < 10);
    assert_true(ticks >= 10);
    assert_int_equal(kill(pid, 0), -1); /* gone, and reaped */
    gcal_worker_stop(worker);
    worker = open_worker();
    kernel = kernel_of("good", good_source);
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_DONE);
    gcal_worker_stop(worker);
}

static void names_the_signal_of_a_worker_that_died(void **state)
{
    struct gcal_kernel kernel = kernel_of("good", good_source);
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    kill(gcal_worker_pid(worker), SIGKILL);
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_DIED);
    assert_non_null(strstr(err.text, "signal 9"));
    gcal_worker_stop(worker);
}

/* A rank that is killed takes spawner and worker with it, also amid an endless kernel. */
static void leaves_no_orphan_when_the_rank_is_killed(void **state)
{
    struct gcal_kernel kernel = kernel_of("endless", endless_source);
    int ends[2];
    pid_t rank, pids[1] = { 0 };

    (void)state;
    assert_int_equal(pipe(ends), 0);
    if ((rank = fork()) == 0) {
        struct gcal_worker_spawner *own = gcal_worker_spawner_start(NULL);
        struct gcal_worker *worker = gcal_worker_start(own, NULL, NULL);
        enum gcal_measurement_status status;
        double first_s;

        gcal_worker_open(worker, uid, 60, NULL);
        pids[0] = gcal_worker_pid(worker);
        if (write(ends[1], pids, sizeof(pids)) != sizeof(pids))
            _exit(1);
        gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, NULL);
        _exit(0);
    }
    assert_int_equal(read(ends[0], pids, sizeof(pids)), sizeof(pids));
    gcal_clock_sleep_s(0.9);
    kill(rank, SIGKILL);
    waitpid(rank, NULL, 0);
    for (int i = 0; i < 100; i++) {
        char *path = gcal_buf_format("/proc/%d/exe", (int)pids[0]), target[16];
        ssize_t n = readlink(path, target, sizeof(target));

        free(path);
        if (n < 0) /* ended; perhaps not yet reaped by init */
            break;
        gcal_clock_sleep_s(0.05);
        assert_true(i < 99);
    }
    close(ends[0]);
    close(ends[1]);
}

/* The spawner is a worker's parent. */
static pid_t parent_of(pid_t pid)
{
    char *path = gcal_buf_format("/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    int parent = 0;

    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d (%*[^)]) %*c %d", &parent), 1);
    fclose(file);
    free(path);
    return parent;
}

/* Schedulers and terminals signal whole groups; what follows is the rank's to decide. */
static void leaves_a_groups_signals_to_the_rank(void **state)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE };
    struct gcal_kernel kernel = kernel_of("good", good_source);
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
        kill(gcal_worker_pid(worker), signals[i]);
        kill(parent_of(gcal_worker_pid(worker)), signals[i]);
    }
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_DONE);
    gcal_worker_stop(worker);
    gcal_worker_stop(open_worker()); /* by the same spawner */
}

/* The worker goes on, and answers while its rank is busy. */
static void wake_and_sleep(void *context)
{
    pid_t *pid = context;

    if (*pid) {
        kill(*pid, SIGCONT);
        gcal_clock_sleep_s(0.7);
    }
    *pid = 0;
}

static void takes_an_answer_that_came_during_a_slow_tick(void **state)
{
    struct gcal_kernel kernel = kernel_of("good", good_source);
    pid_t stopped = 0;
    struct gcal_worker_tick tick = { .call = wake_and_sleep, .context = &stopped };
    struct gcal_error err = { 0 };
    struct gcal_worker *worker = gcal_worker_start(spawner, &tick, &err);
    enum gcal_measurement_status status;
    struct gcal_measurement_sample samples[3];
    double first_s;

    (void)state;
    assert_int_equal(gcal_worker_open(worker, uid, 60, &err), GCAL_WORKER_DONE);
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_DONE);
    stopped = gcal_worker_pid(worker);
    kill(stopped, SIGSTOP);
    assert_int_equal(gcal_worker_measure(worker, &kernel, 3, 0.4, samples, &status, &err),
                     GCAL_WORKER_DONE);
    gcal_worker_stop(worker);
}

static void ends_a_spawner_that_hangs(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_worker_spawner *own = gcal_worker_spawner_start(&err);
    struct gcal_worker *worker = gcal_worker_start(own, NULL, &err);
    pid_t pid = gcal_worker_pid(worker), its_spawner = parent_of(pid);
    double began_s = gcal_clock_now_s();

    (void)state;
    gcal_worker_stop(worker);
    kill(its_spawner, SIGSTOP);
    gcal_worker_spawner_stop(own);
    assert_true(gcal_clock_now_s() - began_s < 6);
    assert_int_equal(kill(its_spawner, 0), -1);
}

/* A worker on a machine whose driver misbehaves as faulty_opencl.c does for 'variable'.
 */
struct faulty {
    struct gcal_worker_spawner *spawner;
    struct gcal_worker *worker;
};

static struct faulty faulty_start(const char *variable, const char *value)
{
    struct gcal_error err = { 0 };
    struct faulty f;

    setenv(variable, value, 1);
    f.spawner = gcal_worker_spawner_start(&err);
    f.worker = gcal_worker_start(f.spawner, NULL, &err);
    assert_non_null(f.worker);
    unsetenv(variable);
    return f;
}

static void faulty_stop(struct faulty *f)
{
    gcal_worker_stop(f->worker);
    gcal_worker_spawner_stop(f->spawner);
}

/* Prepares 'good_source' with its kernel called 'name'. */
static enum gcal_worker_outcome prepare_named(struct gcal_worker *worker,
                                              const char *name,
                                              enum gcal_measurement_status *status,
                                              struct gcal_error *err)
{
    char *options = gcal_buf_format("-DFACTOR=3.0f -Dscale=%s", name);
    struct gcal_kernel kernel = kernel_of(name, good_source);
    enum gcal_worker_outcome outcome;
    double first_s = 0;

    kernel.entry = (char *)name;
    kernel.build_options = options;
    outcome = gcal_worker_prepare(worker, &kernel, 60, &first_s, status, err);
    free(options);
    if (outcome == GCAL_WORKER_DONE)
        assert_true(first_s > 0);
    return outcome;
}

static void ends_a_worker_that_lost_its_device(void **state)
{
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    pid_t pid = gcal_worker_pid(worker);

    (void)state;
    assert_int_equal(prepare_named(worker, "faults", &status, &err), GCAL_WORKER_DIED);
    assert_int_equal(status, GCAL_MEASUREMENT_CRASHED);
    assert_non_null(strstr(err.text, "CL_OUT_OF_RESOURCES; nothing works"));
    assert_int_equal(kill(pid, 0), -1);
    gcal_worker_stop(worker);
    worker = open_worker();
    assert_int_equal(prepare_named(worker, "sound", &status, &err), GCAL_WORKER_DONE);
    gcal_worker_stop(worker);
}

/* LLVM in a driver sets handlers that end the process. */
static void leaves_signals_to_the_rank_whatever_the_driver_handles(void **state)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(prepare_named(worker, "handles", &status, &err), GCAL_WORKER_DONE);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        kill(gcal_worker_pid(worker), signals[i]);
    assert_int_equal(prepare_named(worker, "sound", &status, &err), GCAL_WORKER_DONE);
    gcal_worker_stop(worker);
}

static void ends_a_worker_whose_answer_is_damaged(void **state)
{
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    pid_t pid = gcal_worker_pid(worker);

    (void)state;
    assert_int_equal(prepare_named(worker, "scribbles", &status, &err), GCAL_WORKER_DIED);
    assert_int_equal(status, GCAL_MEASUREMENT_CRASHED);
    assert_non_null(strstr(err.text, "damaged"));
    assert_int_equal(kill(pid, 0), -1);
    gcal_worker_stop(worker);
}

static void believes_a_zero_only_of_a_coarse_clock(void **state)
{
    struct faulty coarse = faulty_start("TEST_TICK_NS", "10000000000");
    struct gcal_worker *worker = open_worker(); /* PoCL ticks in ns */
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(prepare_named(worker, "ends_at_once", &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_int_equal(status, GCAL_MEASUREMENT_BAD_EVENTS);
    assert_int_equal(prepare_named(worker, "runs_back", &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_int_equal(status, GCAL_MEASUREMENT_BAD_EVENTS);
    assert_int_equal(gcal_worker_open(coarse.worker, uid, 60, &err), GCAL_WORKER_DONE);
    assert_int_equal(prepare_named(coarse.worker, "ends_at_once", &status, &err),
                     GCAL_WORKER_DONE);
    gcal_worker_stop(worker);
    faulty_stop(&coarse);
}

/* Two kernels of 2 MiB each on a device with 3 MiB: the pool gives way. */
static void makes_room_for_another_kernel(void **state)
{
    struct faulty small = faulty_start("TEST_MEMORY_BYTES", "3145728");
    struct gcal_kernel kernel = kernel_of("good", good_source);
    struct gcal_arg others[3];
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    memcpy(others, args, sizeof(others));
    others[0].dtype = others[1].dtype = "int32"; /* bits are bits */
    assert_int_equal(gcal_worker_open(small.worker, uid, 60, &err), GCAL_WORKER_DONE);
    for (int i = 0; i < 4; i++) {
        kernel.args = i % 2 ? others : args;
        assert_int_equal(
            gcal_worker_prepare(small.worker, &kernel, 60, &first_s, &status, &err),
            GCAL_WORKER_DONE);
    }
    faulty_stop(&small);
}

static void skips_what_is_too_large_for_a_work_group(void **state)
{
    struct gcal_arg local[3];
    struct gcal_kernel kernel = kernel_of(
        "local", "__kernel void scale(__global float *a, __global float *b,\n"
                 "    __local float *k) { k[get_local_id(0)] = 1; b[0] = k[0]; }\n");
    struct gcal_kernel wide = kernel_of("good", good_source);
    struct gcal_worker *worker = open_worker();
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    memcpy(local, args, sizeof(local));
    local[2] = (struct gcal_arg){
        .name = "k", .kind = GCAL_ARG_LOCAL, .dtype = "float32", .value = "2000000000"
    };
    kernel.args = local;
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_int_equal(status, GCAL_MEASUREMENT_SKIPPED);
    assert_non_null(strstr(err.text, "local memory"));
    wide.local_size[0] = 262144;
    assert_int_equal(gcal_worker_prepare(worker, &wide, 60, &first_s, &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_int_equal(status, GCAL_MEASUREMENT_SKIPPED);
    gcal_worker_stop(worker);
}

static void refuses_scalars_that_are_none_of_their_type(void **state)
{
    static const struct {
        const char *dtype, *value, *text;
    } wrong[] = {
        { "int8", "128", "128 is not a value of int8" },
        { "uint32", "0-1", "-1 is not a value of uint32" },
        { "int32", "2147483648", "is not a value of int32" },
        { "float16", "1", "float16" },
    };
    struct gcal_kernel kernel = kernel_of("good", good_source);
    struct gcal_worker *worker = open_worker();
    struct gcal_arg scalar[3];
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    memcpy(scalar, args, sizeof(scalar));
    kernel.args = scalar;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        scalar[2].dtype = (char *)wrong[i].dtype;
        scalar[2].value = (char *)wrong[i].value;
        assert_int_equal(
            gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
            GCAL_WORKER_REFUSED);
        assert_int_equal(status, GCAL_MEASUREMENT_LAUNCH_FAILED);
        assert_non_null(strstr(err.text, wrong[i].text));
    }
    gcal_worker_stop(worker);
}

static void free_devices(struct gcal_device_info *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
}

static void lists_and_opens_beside_a_driver_that_aborts(void **state)
{
    struct faulty f = faulty_start("TEST_PLATFORM", "aborts");
    struct gcal_device_info *devices;
    struct gcal_error err = { 0 };
    size_t count;

    (void)state;
    assert_int_equal(gcal_worker_list_devices(f.worker, 60, &devices, &count, &err),
                     GCAL_WORKER_DONE);
    assert_string_equal(devices[0].uid, uid);
    assert_int_equal(gcal_worker_open(f.worker, uid, 60, &err), GCAL_WORKER_DONE);
    gcal_worker_stop(f.worker);
    f.worker = gcal_worker_start(f.spawner, NULL, &err);
    assert_int_equal(gcal_worker_open(f.worker, uid, 60, &err), GCAL_WORKER_DONE);
    free_devices(devices, count);
    faulty_stop(&f);
}

static void says_why_a_device_is_not_open(void **state)
{
    struct gcal_worker *worker;
    struct gcal_error err = { 0 };

    (void)state;
    assert_null(gcal_worker_start_on(spawner, "cl:none", NULL, &err));
    assert_int_equal(err.code, GCAL_EDEVICE);
    assert_non_null(strstr(err.text, "cl:none"));
    assert_non_null(worker = gcal_worker_start(spawner, NULL, &err));
    assert_int_equal(gcal_worker_open(worker, uid, 1e-9, &err), GCAL_WORKER_TIMED_OUT);
    gcal_worker_stop(worker);
    assert_string_equal(err.text, "opening the device took longer than 1e-09 s");
}

static void says_why_there_is_no_device(void **state)
{
    struct faulty empty = faulty_start("TEST_PLATFORM", "alone");
    struct faulty none = faulty_start("OCL_ICD_VENDORS", "/nonexistent/");
    struct gcal_device_info *devices;
    struct gcal_error err = { 0 };
    size_t count;

    (void)state;
    assert_int_equal(gcal_worker_list_devices(empty.worker, 60, &devices, &count, &err),
                     GCAL_WORKER_REFUSED);
    assert_non_null(strstr(err.text, "no device on any of 1 OpenCL platforms"));
    assert_int_equal(gcal_worker_list_devices(none.worker, 60, &devices, &count, &err),
                     GCAL_WORKER_REFUSED);
    assert_non_null(strstr(err.text, "no OpenCL platform: install"));
    assert_true(!devices && !count);
    faulty_stop(&empty);
    faulty_stop(&none);
}

/* Two parts of a GPU that give the same identity. */
static void tells_alike_devices_of_a_platform_apart(void **state)
{
    struct faulty f = faulty_start("TEST_TILES", "1");
    struct gcal_device_info *devices;
    struct gcal_error err = { 0 };
    size_t count;

    (void)state;
    assert_int_equal(gcal_worker_list_devices(f.worker, 60, &devices, &count, &err),
                     GCAL_WORKER_DONE);
    assert_int_equal(count, 2);
    assert_string_equal(devices[0].uid, "uuid:67707563-616c-2d74-696c-65732d000102");
    assert_memory_equal(devices[1].uid, "cl:", 3);
    assert_int_equal(gcal_worker_open(f.worker, devices[1].uid, 60, &err),
                     GCAL_WORKER_DONE);
    free_devices(devices, count);
    faulty_stop(&f);
}

/* The first device listed, without its texts. */
static struct gcal_device_info listed(void)
{
    struct faulty f = faulty_start("TEST_PCI", "1");
    struct gcal_device_info *devices;
    struct gcal_error err = { 0 };
    struct gcal_device_info first;
    size_t count;

    assert_int_equal(gcal_worker_list_devices(f.worker, 60, &devices, &count, &err),
                     GCAL_WORKER_DONE);
    assert_string_equal(devices[0].pci, "fffe:3b:00.0");
    first = devices[0];
    free_devices(devices, count);
    faulty_stop(&f);
    return first;
}

/* What OpenCL says of the cache is the first level's; where CUDA's driver is missing, that
 * has to do, and what a multiprocessor holds is unknown.
 */
static void asks_the_cuda_driver_for_what_opencl_lacks(void **state)
{
    const char *path = getenv("LD_LIBRARY_PATH");
    char *before = path ? strdup(path) : NULL;
    struct gcal_device_info info;

    (void)state;
    info = listed();
    assert_true(info.cache_bytes == 65536 && !info.resident_work_items &&
                !info.resident_work_groups && !info.unit_local_memory_bytes &&
                !info.unit_registers);
    setenv("LD_LIBRARY_PATH", FAKE_CUDA, 1);
    info = listed();
    assert_true(info.cache_bytes == 52428800);
    assert_int_equal(info.resident_work_items, 2048);
    assert_int_equal(info.resident_work_groups, 32);
    assert_true(info.unit_local_memory_bytes == 233472);
    assert_int_equal(info.unit_registers, 65536);
    if (before)
        setenv("LD_LIBRARY_PATH", before, 1);
    else
        unsetenv("LD_LIBRARY_PATH");
    free(before);
}

/* Workers of a rank that is itself bound by Slurm stay where they are. */
static void uses_all_cpus_under_mpirun_only(void **state)
{
    cpu_set_t all, now;
    struct faulty f;
    struct gcal_worker *worker;

    (void)state;
    assert_int_equal(bind_to_one_cpu(&all), 0);
    f = faulty_start("OMPI_COMM_WORLD_RANK", "0");
    assert_int_equal(gcal_worker_open(f.worker, uid, 60, NULL), GCAL_WORKER_DONE);
    sched_getaffinity(gcal_worker_pid(f.worker), sizeof(now), &now);
    assert_true(CPU_COUNT(&now) >= CPU_COUNT(&all));
    faulty_stop(&f);

    setenv("OMPI_COMM_WORLD_RANK", "0", 1);
    f = faulty_start("SLURM_STEP_ID", "0"); /* bound for a reason */
    unsetenv("OMPI_COMM_WORLD_RANK");
    worker = f.worker;
    assert_int_equal(gcal_worker_open(worker, uid, 60, NULL), GCAL_WORKER_DONE);
    sched_getaffinity(gcal_worker_pid(worker), sizeof(now), &now);
    assert_int_equal(CPU_COUNT(&now), 1);
    faulty_stop(&f);
    sched_setaffinity(0, sizeof(all), &all);
}

/* A machine that gives a quarter of what is asked makes it four times as long, and none more. */
static void waiting_for_processors_is_a_share_of_the_time(void **state)
{
    static const struct {
        double ran_s, waited_s, lost_s;
    } cases[] = { { 10, 0, 0 },  { 2.5, 7.5, 7.5 }, { 5, 5, 5 }, { 1, 99, 7.5 },
                  { 40, 40, 5 }, { 0, 1e-3, 1e-3 }, { -1, 2, 2 } };
    struct gcal_worker_use before = { 3, 4 };

    (void)state;
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++) {
        struct gcal_worker_use after = { 3 + cases[c].ran_s, 4 + cases[c].waited_s };

        assert_float_equal(gcal_worker_waited_s(&before, &after, 10), cases[c].lost_s,
                           1e-9);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_processors_is_a_share_of_the_time),
        cmocka_unit_test(lists_devices_with_all_fields),
        cmocka_unit_test(measures_with_times_inside_the_hosts),
        cmocka_unit_test(gives_back_what_the_device_computed),
        cmocka_unit_test(finds_writes_outside_of_buffers),
        cmocka_unit_test(fills_buffers_with_their_range),
        cmocka_unit_test(shows_the_log_of_a_kernel_that_does_not_build),
        cmocka_unit_test(refuses_what_does_not_fit_in_memory),
        cmocka_unit_test(kills_an_endless_kernel_and_goes_on),
        cmocka_unit_test(names_the_signal_of_a_worker_that_died),
        cmocka_unit_test(leaves_no_orphan_when_the_rank_is_killed),
        cmocka_unit_test(leaves_a_groups_signals_to_the_rank),
        cmocka_unit_test(takes_an_answer_that_came_during_a_slow_tick),
        cmocka_unit_test(ends_a_spawner_that_hangs),
        cmocka_unit_test(ends_a_worker_that_lost_its_device),
        cmocka_unit_test(leaves_signals_to_the_rank_whatever_the_driver_handles),
        cmocka_unit_test(ends_a_worker_whose_answer_is_damaged),
        cmocka_unit_test(believes_a_zero_only_of_a_coarse_clock),
        cmocka_unit_test(makes_room_for_another_kernel),
        cmocka_unit_test(skips_what_is_too_large_for_a_work_group),
        cmocka_unit_test(refuses_scalars_that_are_none_of_their_type),
        cmocka_unit_test(lists_and_opens_beside_a_driver_that_aborts),
        cmocka_unit_test(says_why_a_device_is_not_open),
        cmocka_unit_test(says_why_there_is_no_device),
        cmocka_unit_test(tells_alike_devices_of_a_platform_apart),
        cmocka_unit_test(asks_the_cuda_driver_for_what_opencl_lacks),
        cmocka_unit_test(uses_all_cpus_under_mpirun_only),
    };
    int status = faulty_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
