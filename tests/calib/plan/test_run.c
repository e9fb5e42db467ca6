/* test_run.c - launches, clocks and transfers of real workers on PoCL */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/model/dtype.h"
#include "calib/worker/worker.h"
#include "tests/calib/device/faulty_opencl.h"

static struct gcal_worker_spawner *spawner;
static struct gcal_worker *worker;

static void start_worker(void)
{
    struct gcal_device_info *devices;
    struct gcal_error err = { 0 };
    size_t count;

    spawner = gcal_worker_spawner_start(&err);
    worker = gcal_worker_start(spawner, NULL, &err);
    if (gcal_worker_list_devices(worker, 60, &devices, &count, &err) !=
            GCAL_WORKER_DONE ||
        gcal_worker_open(worker, devices[0].uid, 60, &err) != GCAL_WORKER_DONE)
        fail_msg("no OpenCL device: %s", err.text);
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i]);
    free(devices);
}

static int set_up(void **state)
{
    (void)state;
    start_worker();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    gcal_worker_stop(worker);
    gcal_worker_spawner_stop(spawner);
    return 0;
}

/* ---- launches ---- */

/* a[i] += 1; nobody looks at it but in the check. */
static struct gcal_arg arg = {
    .name = "a", .kind = GCAL_ARG_BUFFER, .dtype = "int32", .value = "n", .output = true
};
static struct gcal_size size = { .name = "n", .value = 4096 };
static struct gcal_size check_size = { .name = "n", .value = 192 };

static struct gcal_kernel kernel_called(const char *name)
{
    return (struct gcal_kernel){
        .id = "id",
        .name = (char *)name,
        .family = (char *)name,
        .source = "__kernel void NAME(__global int *a) { a[get_global_id(0)] += 1; }\n",
        .entry = (char *)name,
        .n_dims = 1,
        .local_size = { 64 },
        .global_size = { "n" },
        .n_sizes = 1,
        .sizes = &size,
        .n_check_sizes = 1,
        .check_sizes = &check_size,
        .n_args = 1,
        .args = &arg,
    };
}

static double measured_s(const struct gcal_kernel *kernel, double *host_s)
{
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    struct gcal_measurement_sample sample;
    double first_s;

    if (gcal_worker_prepare(worker, kernel, 60, &first_s, &status, &err) !=
            GCAL_WORKER_DONE ||
        gcal_worker_measure(worker, kernel, 1, 60, &sample, &status, &err) !=
            GCAL_WORKER_DONE)
        fail_msg("%s: %s", kernel->name, err.text);
    if (host_s)
        *host_s = sample.host_s;
    return sample.time_s;
}

static void enqueues_all_launches_in_one_run(void **state)
{
    struct gcal_kernel kernel = kernel_called("counts");

    (void)state;
    kernel.build_options = "-DNAME=counts";
    assert_float_equal(measured_s(&kernel, NULL), 1e-9, 1e-12);
    kernel.launches = "n/256-3";
    assert_float_equal(measured_s(&kernel, NULL), 13e-9, 1e-12);
}

/* Once in a check, so that the result is that of the kernel. */
static void launches_once_in_a_check(void **state)
{
    struct gcal_kernel kernel = kernel_called("sound");
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    void *outputs[2];
    int32_t before[192];

    (void)state;
    kernel.build_options = "-DNAME=sound";
    kernel.launches = "n";
    assert_int_equal(
        gcal_worker_check(worker, &kernel, 41, 0, 60, outputs, &status, &err),
        GCAL_WORKER_DONE);
    gcal_dtype_fill(41, "int32", 192, before);
    for (int i = 0; i < 192; i++)
        assert_int_equal(((int32_t *)outputs[0])[i], before[i] + 1);
    assert_null(outputs[1]);
    free(outputs[0]);
}

/* Events that are nonsense are not asked for. */
static void takes_the_hosts_time_where_that_is_wanted(void **state)
{
    struct gcal_kernel kernel = kernel_called("runs_back");
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    double first_s, host_s, time_s;

    (void)state;
    kernel.build_options = "-DNAME=runs_back";
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_int_equal(status, GCAL_MEASUREMENT_BAD_EVENTS);
    kernel.timing = GCAL_TIMING_HOST;
    time_s = measured_s(&kernel, &host_s);
    assert_true(time_s > 0 && time_s == host_s);
}

/* ---- transfers ---- */

static struct gcal_kernel transfer_of(enum gcal_feature_copy_direction way,
                                      enum gcal_feature_host_memory host,
                                      const char *bytes, const char *pieces)
{
    return (struct gcal_kernel){
        .id = "id",
        .name = "copies",
        .generator = "copies",
        .family = "copies",
        .source = "",
        .entry = "",
        .n_sizes = 1,
        .sizes = &size,
        .n_check_sizes = 1,
        .check_sizes = &check_size,
        .timing = host == GCAL_FEATURE_PINNED ? GCAL_TIMING_EVENT : GCAL_TIMING_HOST,
        .transfer = { .way = way,
                      .host = host,
                      .bytes = (char *)bytes,
                      .pieces = (char *)pieces },
    };
}

/* 0 where the bytes that arrived are those that were sent, else 1 + the place of the
 * first that is not.
 */
static size_t first_wrong(const struct gcal_kernel *kernel, size_t size_bytes)
{
    void **outputs = calloc(kernel->n_args + 1, sizeof(*outputs));
    unsigned char *sent = malloc(size_bytes), *arrived;
    enum gcal_measurement_status status;
    struct gcal_error err = { 0 };
    size_t i = 0;

    if (gcal_worker_check(worker, kernel, 43, 0, 60, outputs, &status, &err) !=
        GCAL_WORKER_DONE)
        fail_msg("%s", err.text);
    arrived = outputs[kernel->n_args];
    assert_non_null(arrived);
    gcal_random_bytes(43 + kernel->n_args, size_bytes, sent);
    while (i < size_bytes && arrived[i] == sent[i])
        i++;
    for (size_t k = 0; k <= kernel->n_args; k++)
        free(outputs[k]);
    free(outputs);
    free(sent);
    return i < size_bytes ? i + 1 : 0;
}

static void copies_all_bytes_both_ways_by_all_memories(void **state)
{
    (void)state;
    for (int way = GCAL_FEATURE_TO_DEVICE; way <= GCAL_FEATURE_FROM_DEVICE; way++)
        for (int host = GCAL_FEATURE_PAGEABLE; host <= GCAL_FEATURE_MAPPED; host++) {
            struct gcal_kernel kernel =
                transfer_of((enum gcal_feature_copy_direction)way,
                            (enum gcal_feature_host_memory)host, "7*n", "n/64");
            double host_s, time_s = measured_s(&kernel, &host_s);

            assert_int_equal(first_wrong(&kernel, 7 * 192), 0);
            assert_true(time_s > 0 && time_s <= 1.02 * host_s + 20e-6);
        }
}

/* The end of each piece but the first is lost on the way. */
static void sees_where_a_transfer_went_wrong(void **state)
{
    struct gcal_kernel kernel =
        transfer_of(GCAL_FEATURE_TO_DEVICE, GCAL_FEATURE_PINNED, "n", "3");

    (void)state;
    setenv("TEST_COPIES_LOSE", "5", 1);
    tear_down(NULL);
    start_worker();
    unsetenv("TEST_COPIES_LOSE");
    assert_int_equal(first_wrong(&kernel, 192), 1 + 128 - 5);
    kernel.transfer.both = true;
    assert_int_equal(first_wrong(&kernel, 2 * 192), 1 + 128 - 5);
}

/* As many bytes of each direction: an odd number at the check. */
static void copies_both_ways_at_once(void **state)
{
    (void)state;
    for (int host = GCAL_FEATURE_PAGEABLE; host <= GCAL_FEATURE_PINNED; host++) {
        struct gcal_kernel kernel = transfer_of(
            GCAL_FEATURE_TO_DEVICE, (enum gcal_feature_host_memory)host, "7*n+1", "1");

        kernel.transfer.both = true;
        assert_true(measured_s(&kernel, NULL) > 0);
        assert_int_equal(first_wrong(&kernel, 2 * (7 * 192 + 1)), 0);
        kernel.transfer.bytes = "8*n";
        kernel.transfer.pieces = "4";
        assert_int_equal(first_wrong(&kernel, 2 * 8 * 192), 0);
    }
}

static void copies_beside_a_kernel(void **state)
{
    struct gcal_kernel kernel = kernel_called("sound");

    (void)state;
    kernel.build_options = "-DNAME=sound";
    for (int host = GCAL_FEATURE_PAGEABLE; host <= GCAL_FEATURE_MAPPED; host++)
        for (int way = GCAL_FEATURE_TO_DEVICE; way <= GCAL_FEATURE_FROM_DEVICE; way++) {
            kernel.transfer =
                (struct gcal_transfer){ .way = (enum gcal_feature_copy_direction)way,
                                        .host = (enum gcal_feature_host_memory)host,
                                        .bytes = "16*n",
                                        .pieces = "2" };
            kernel.launches = "3";
            assert_true(measured_s(&kernel, NULL) > 0);
            assert_int_equal(first_wrong(&kernel, 16 * 192), 0);
            kernel.launches = "0"; /* the copies alone */
            assert_true(measured_s(&kernel, NULL) > 0);
        }
}

static void refuses_pieces_that_do_not_fit(void **state)
{
    struct gcal_kernel kernel =
        transfer_of(GCAL_FEATURE_TO_DEVICE, GCAL_FEATURE_PINNED, "n", "5");
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_non_null(strstr(err.text, "4096 bytes do not divide into 5"));
    kernel.transfer.bytes = kernel.transfer.pieces = "0";
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_non_null(strstr(err.text, "launches no kernel and copies nothing"));
}

static void skips_a_transfer_that_is_too_large(void **state)
{
    struct gcal_kernel kernel =
        transfer_of(GCAL_FEATURE_FROM_DEVICE, GCAL_FEATURE_PAGEABLE, "n*2^38", "1");
    enum gcal_measurement_status status = GCAL_MEASUREMENT_GOOD;
    struct gcal_error err = { 0 };
    double first_s;

    (void)state;
    assert_int_equal(gcal_worker_prepare(worker, &kernel, 60, &first_s, &status, &err),
                     GCAL_WORKER_REFUSED);
    assert_int_equal(status, GCAL_MEASUREMENT_SKIPPED);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(enqueues_all_launches_in_one_run),
        TEST(launches_once_in_a_check),
        TEST(takes_the_hosts_time_where_that_is_wanted),
        TEST(copies_all_bytes_both_ways_by_all_memories),
        TEST(copies_both_ways_at_once),
        TEST(copies_beside_a_kernel),
        TEST(refuses_pieces_that_do_not_fit),
        TEST(skips_a_transfer_that_is_too_large),
        TEST(sees_where_a_transfer_went_wrong),
    };
    int status = faulty_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
