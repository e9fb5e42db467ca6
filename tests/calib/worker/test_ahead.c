/* test_ahead.c - programs that are built before they are asked for, on PoCL */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/plan/plan.h"
#include "calib/worker/cache.h"
#include "calib/worker/worker.h"
#include "tests/folder.h"
#include "tests/unit.h"

#define LIMIT_S 60.0

enum { N = 4 };

static struct gcal_worker_spawner *spawner;
static struct gcal_device_info device;
static struct gcal_kernel kernels[N];

/* The last one cannot be built. */
static void make_kernels(void)
{
    for (size_t i = 0; i < N; i++)
        kernels[i] = (struct gcal_kernel){
            .source = (char *)"__kernel void fill(__global float *a)\n"
                              "{ a[get_global_id(0)] = VALUE; }\n",
            .entry = (char *)"fill",
            .build_options =
                i + 1 == N ? strdup("") : gcal_buf_format("-DVALUE=%zu", i + 1),
        };
}

static int set_up(void **state)
{
    struct gcal_device_info *devices = NULL;
    struct gcal_error err = { 0 };
    struct gcal_worker *worker;
    size_t count = 0;

    if (folder_make(state) < 0 || setenv("TMPDIR", folder, 1) < 0 ||
        unsetenv("POCL_CACHE_DIR") < 0)
        return -1;
    make_kernels();
    if (!(spawner = gcal_worker_spawner_start(&err)) ||
        !(worker = gcal_worker_start(spawner, NULL, &err)))
        return -1;
    gcal_worker_list_devices(worker, LIMIT_S, &devices, &count, &err);
    gcal_worker_stop(worker);
    if (!count) {
        print_message("no OpenCL device: %s\n", err.text);
        return -1;
    }
    device = devices[0];
    for (size_t i = 1; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
    return 0;
}

static int tear_down(void **state)
{
    gcal_worker_spawner_stop(spawner);
    gcal_device_info_clear(&device);
    for (size_t i = 0; i < N; i++)
        free(kernels[i].build_options);
    return folder_remove(state);
}

/* What earlier tests have built is not known. */
static int forget(void **state)
{
    (void)state;
    return system("rm -rf \"$TMPDIR\"/gpucal-drivers-*/known");
}

static struct gcal_worker_ahead *start(size_t n_workers, size_t n_users)
{
    struct gcal_error err = { 0 };
    struct gcal_worker_ahead *ahead =
        gcal_worker_ahead_start(spawner, &device, n_workers, n_users, LIMIT_S, &err);

    if (!ahead)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < n_users; i++)
        gcal_worker_ahead_advance(
            ahead, &(enum gcal_worker_ahead_stage){ GCAL_WORKER_AHEAD_OUTSIDE },
            GCAL_WORKER_AHEAD_ENTERED);
    return ahead;
}

/* Of a user that has entered. */
static void leave(struct gcal_worker_ahead *ahead)
{
    gcal_worker_ahead_advance(
        ahead, &(enum gcal_worker_ahead_stage){ GCAL_WORKER_AHEAD_ENTERED },
        GCAL_WORKER_AHEAD_LEFT);
}

/* The workers are children of the spawner, which is a child of this process. */
static size_t count_workers(void)
{
    char command[160];
    FILE *pipe;
    int n = -1;

    snprintf(command, sizeof(command),
             "for s in $(pgrep -P %d -f 'spawner [0-9]'); do pgrep -P $s; done | wc -l",
             (int)getpid());
    pipe = popen(command, "r");
    assert_non_null(pipe);
    assert_int_equal(fscanf(pipe, "%d", &n), 1);
    pclose(pipe);
    return (size_t)n;
}

static void builds_what_is_added(void **state)
{
    struct gcal_worker_ahead *ahead = start(1, 1);
    struct gcal_built built = { 0 };
    struct gcal_kernel transfer = { .source = (char *)"", .entry = (char *)"" };

    (void)state;
    assert_true(
        !gcal_worker_ahead_wait(ahead, &kernels[0], NULL, &built)); /* not added */
    gcal_worker_ahead_add(ahead, &kernels[1]);
    gcal_worker_ahead_add(ahead, &kernels[1]);
    gcal_worker_ahead_add(ahead, &transfer);
    gcal_worker_ahead_add(ahead, &kernels[N - 1]);
    while (!count_workers())
        usleep(1000);
    gcal_worker_ahead_finish(ahead, NULL, LIMIT_S);
    assert_true(gcal_worker_ahead_wait(ahead, &kernels[1], NULL, &built));
    assert_true(built.work_group_size > 0);
    assert_true(!gcal_worker_ahead_wait(ahead, &transfer, NULL, &built));
    assert_true(!gcal_worker_ahead_wait(ahead, &kernels[N - 1], NULL, &built));
    assert_null(gcal_worker_ahead_next(ahead, &kernels[1])); /* could not be built */
    assert_int_equal(count_workers(), 1);
    leave(ahead);
    assert_int_equal(count_workers(), 0);
    /* It knows what was built. */
    assert_true(gcal_worker_ahead_wait(ahead, &kernels[1], NULL, &built));
    gcal_worker_ahead_stop(ahead);
}

/* The first user leaves; what the second adds is built. */
static void builds_until_all_have_left(void **state)
{
    struct gcal_worker_ahead *ahead = start(2, 2);
    struct gcal_built built = { 0 };

    (void)state;
    gcal_worker_ahead_add(ahead, &kernels[0]);
    leave(ahead);
    gcal_worker_ahead_add(ahead, &kernels[1]);
    gcal_worker_ahead_finish(ahead, NULL, LIMIT_S);
    assert_true(gcal_worker_ahead_wait(ahead, &kernels[1], NULL, &built));
    assert_true(gcal_worker_ahead_wait(ahead, &kernels[0], NULL, &built));
    assert_string_equal(gcal_worker_ahead_next(ahead, &kernels[0])->build_options,
                        kernels[1].build_options);
    assert_null(gcal_worker_ahead_next(ahead, &kernels[1]));
    leave(ahead);
    assert_int_equal(count_workers(), 0);
    gcal_worker_ahead_add(ahead, &kernels[2]); /* too late */
    assert_true(!gcal_worker_ahead_wait(ahead, &kernels[2], NULL, &built));
    gcal_worker_ahead_stop(ahead);
}

static void is_given_up_without_its_device(void **state)
{
    enum gcal_worker_ahead_stage stage = GCAL_WORKER_AHEAD_OUTSIDE;
    struct gcal_device_info none = device;
    struct gcal_worker_ahead *ahead;
    struct gcal_error err = { 0 };
    struct gcal_built built;

    (void)state;
    none.uid = (char *)"cl:none";
    ahead = gcal_worker_ahead_start(spawner, &none, 2, 1, LIMIT_S, &err);
    assert_non_null(ahead);
    gcal_worker_ahead_advance(ahead, &stage, GCAL_WORKER_AHEAD_ENTERED);
    for (size_t i = 0; i < N; i++)
        gcal_worker_ahead_add(ahead, &kernels[i]);
    for (size_t i = 0; i < N; i++)
        assert_true(!gcal_worker_ahead_wait(ahead, &kernels[i], NULL, &built));
    gcal_worker_ahead_stop(ahead); /* without leaving */
}

/* Nothing is built before each user has found its device idle; with the last close, the
 * workers end by themselves.
 */
static void waits_for_its_users(void **state)
{
    enum gcal_worker_ahead_stage one = GCAL_WORKER_AHEAD_OUTSIDE, two = one;
    struct gcal_error err = { 0 };
    struct gcal_worker_ahead *ahead =
        gcal_worker_ahead_start(spawner, &device, 2, 2, LIMIT_S, &err);
    struct gcal_built built;

    (void)state;
    assert_non_null(ahead);
    gcal_worker_ahead_advance(ahead, &one, GCAL_WORKER_AHEAD_ENTERED);
    gcal_worker_ahead_add(ahead, &kernels[0]);
    gcal_worker_ahead_add(ahead, &kernels[1]);
    gcal_worker_ahead_advance(ahead, &one, GCAL_WORKER_AHEAD_CLOSED);
    usleep(300000);
    assert_int_equal(count_workers(), 0);
    gcal_worker_ahead_advance(ahead, &two, GCAL_WORKER_AHEAD_CLOSED);
    gcal_worker_ahead_finish(ahead, NULL, LIMIT_S);
    while (count_workers())
        usleep(10000);
    for (size_t i = 0; i < 2; i++)
        assert_true(gcal_worker_ahead_wait(ahead, &kernels[i], NULL, &built));
    gcal_worker_ahead_advance(ahead, &one, GCAL_WORKER_AHEAD_LEFT);
    gcal_worker_ahead_advance(ahead, &two, GCAL_WORKER_AHEAD_LEFT);
    gcal_worker_ahead_stop(ahead);
}

static void leaves_processors_and_memory(void **state)
{
    struct gcal_device_info info = { .device_type = (char *)"gpu",
                                     .global_memory_bytes = 80e9 };
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    (void)state;
    unsetenv("SLURM_STEP_ID");
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "1", 1);
    assert_in_range(gcal_worker_ahead_workers(spawner, &info, 1), n > 1,
                    n > 2 ? n - 2 : 1);
    info.global_memory_bytes = 4e9;
    assert_int_equal(gcal_worker_ahead_workers(spawner, &info, 1), n > 1);
    info.device_type = (char *)"cpu";
    info.global_memory_bytes = 80e9;
    assert_in_range(gcal_worker_ahead_workers(spawner, &info, 1), n > 1 ? 2 : 0,
                    n > 1 ? n : 0);
    info.global_memory_bytes = 2e9; /* room for one, which would be no faster */
    assert_int_equal(gcal_worker_ahead_workers(spawner, &info, 1), 0);
}

/* As on a CPU: all is built, and nothing is left to build. */
static void finishes_what_is_added(void **state)
{
    struct gcal_worker_ahead *ahead = start(2, 1);
    struct gcal_built built = { 0 };

    (void)state;
    for (size_t i = 0; i < N; i++)
        gcal_worker_ahead_add(ahead, &kernels[i]);
    assert_true(gcal_worker_ahead_finish(ahead, NULL, LIMIT_S) < LIMIT_S);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(gcal_worker_ahead_wait(ahead, &kernels[i], NULL, &built),
                         i + 1 < N);
    leave(ahead);
    gcal_worker_ahead_stop(ahead);
    /* For no time at all: what has not begun is not built any more. */
    forget(NULL);
    ahead = start(1, 1);
    for (size_t i = 0; i < N; i++)
        gcal_worker_ahead_add(ahead, &kernels[i]);
    gcal_worker_ahead_finish(ahead, NULL, 0);
    assert_true(!gcal_worker_ahead_wait(ahead, &kernels[2], NULL, &built));
    gcal_worker_ahead_stop(ahead);
}

/* On a CPU, too, they are prepared while others are built.  Nothing is before the second user
 * enters, and what a plan had waited for by then would not be built any more.
 */
static void fixed_sizes_do_not_wait(void **state)
{
    enum gcal_worker_ahead_stage other = GCAL_WORKER_AHEAD_OUTSIDE;
    struct gcal_error err = { 0 };
    struct gcal_worker_ahead *ahead =
        gcal_worker_ahead_start(spawner, &device, 2, 2, LIMIT_S, &err);
    struct gcal_plan_device_ops ops =
        gcal_plan_worker_ops_create(spawner, device.uid, LIMIT_S, NULL, &err);
    enum gcal_measurement_status status;
    struct gcal_built built;
    double first_s;

    (void)state;
    assert_true(ahead && ops.context);
    gcal_plan_worker_ops_build_ahead(&ops, ahead, 0.1);
    assert_int_equal(ops.restart(ops.context, &err), 0);
    for (size_t i = 0; i < 3; i++)
        ops.announce(ops.context, &kernels[i]);
    ops.prepare(ops.context, &kernels[0], LIMIT_S, &first_s, &status, &err);
    gcal_worker_ahead_advance(ahead, &other, GCAL_WORKER_AHEAD_ENTERED);
    gcal_worker_ahead_finish(ahead, NULL, LIMIT_S);
    assert_true(gcal_worker_ahead_wait(ahead, &kernels[1], NULL, &built));
    gcal_worker_ahead_advance(ahead, &other, GCAL_WORKER_AHEAD_LEFT);
    gcal_plan_worker_ops_destroy(&ops);
    gcal_worker_ahead_stop(ahead);
}

/* A kernel may be given less time than a driver takes to start. */
static void opening_has_a_limit_of_its_own(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_plan_device_ops ops =
        gcal_plan_worker_ops_create(spawner, device.uid, 1e-9, NULL, &err);

    (void)state;
    assert_non_null(ops.context);
    if (ops.restart(ops.context, &err) < 0)
        fail_msg("%s", err.text);
    gcal_plan_worker_ops_destroy(&ops);
}

/* The next run waits for no build, and needs no worker for it, unless the driver has forgotten it. */
static void is_known_from_the_run_before(void **state)
{
    struct gcal_worker_ahead *ahead = start(1, 1);
    struct gcal_built built = { 0 }, again = { 0 };
    struct gcal_device_info updated = device;
    struct gcal_error err = { 0 };

    (void)state;
    gcal_worker_ahead_add(ahead, &kernels[0]);
    gcal_worker_ahead_finish(ahead, NULL, LIMIT_S);
    assert_true(gcal_worker_ahead_wait(ahead, &kernels[0], NULL, &built));
    gcal_worker_ahead_stop(ahead);
    ahead = gcal_worker_ahead_start(spawner, &device, 1, 2, LIMIT_S, &err);
    gcal_worker_ahead_add(ahead, &kernels[1]);
    gcal_worker_ahead_add(ahead, &kernels[0]);
    assert_non_null(gcal_worker_ahead_next(ahead, &kernels[1]));
    assert_true(gcal_worker_ahead_wait(ahead, &kernels[0], NULL, &again));
    assert_memory_equal(&again, &built, sizeof(built));
    assert_true(!gcal_worker_ahead_wait(ahead, &kernels[1], NULL, &again));
    gcal_worker_ahead_stop(ahead);
    ahead = start(1, 1);
    gcal_worker_ahead_add(ahead, &kernels[0]);
    assert_true(gcal_worker_ahead_finish(ahead, NULL, LIMIT_S) < 0.1);
    assert_int_equal(count_workers(), 0);
    gcal_worker_ahead_doubt(ahead);
    gcal_worker_ahead_finish(ahead, NULL, LIMIT_S);
    assert_int_equal(count_workers(), 1);
    leave(ahead);
    gcal_worker_ahead_stop(ahead);
    updated.driver = (char *)"another";
    ahead = gcal_worker_ahead_start(spawner, &updated, 1, 2, LIMIT_S, &err);
    gcal_worker_ahead_add(ahead, &kernels[0]);
    assert_true(!gcal_worker_ahead_wait(ahead, &kernels[0], NULL, &again));
    gcal_worker_ahead_stop(ahead);
}

/* As if it were not there. */
static void a_damaged_file_is_not_known(void **state)
{
    static const char *const damages[] = {
        "",
        "key registers",
        "key registers 1 private 2 group",
        "key registers 1 private 2 group 3 multiple 4",
        "key registers 1 private 2 group 0 multiple 0\n",
        "other registers 1 private 2 group 3 multiple 4\n",
    };
    struct gcal_built built = { .registers = 72, .work_group_size = 1024 };
    char *path = gcal_buf_format("%s/known/key", folder);

    (void)state;
    assert_true(!gcal_worker_cache_get_built(folder, "key", &built));
    gcal_worker_cache_put_built(folder, "key", &built);
    built = (struct gcal_built){ 0 };
    assert_true(gcal_worker_cache_get_built(folder, "key", &built));
    assert_int_equal(built.registers, 72);
    for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++) {
        FILE *file = fopen(path, "w");

        assert_true(file && fputs(damages[i], file) >= 0 && fclose(file) == 0);
        if (gcal_worker_cache_get_built(folder, "key", &built))
            fail_msg("damage %zu", i);
    }
    free(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(builds_what_is_added, forget),
        cmocka_unit_test_setup(builds_until_all_have_left, forget),
        cmocka_unit_test_setup(is_given_up_without_its_device, forget),
        cmocka_unit_test_setup(waits_for_its_users, forget),
        cmocka_unit_test_setup(leaves_processors_and_memory, forget),
        cmocka_unit_test_setup(finishes_what_is_added, forget),
        cmocka_unit_test_setup(fixed_sizes_do_not_wait, forget),
        cmocka_unit_test_setup(opening_has_a_limit_of_its_own, forget),
        cmocka_unit_test_setup(is_known_from_the_run_before, forget),
        cmocka_unit_test_setup(a_damaged_file_is_not_known, forget),
    };
    int status = gcal_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
