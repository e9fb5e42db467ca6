/* test_export_starpu.c - footprints, power laws and files as StarPU's */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/starpu.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) / (b)-1) <= (tolerance))

static const char *parameters[] = { "n" };
static struct gcal_profile profile = { .n_parameters = 1,
                                       .parameters = (char **)parameters };
static struct gcal_export_kernel kernel = { .profile = &profile };

static int find(size_t n_data, const char *const *data, const char *size_base, double n,
                struct gcal_export_starpu_task *task, struct gcal_error *err)
{
    struct gcal_export e = { .n_kernels = 1, .kernels = &kernel };
    struct gcal_export_starpu_options options = {
        .data = { .n = n_data, .items = (const char **)data }, .size_base = size_base
    };

    return gcal_export_starpu_task(&e, &options, &n, task, err);
}

/* Hashes computed by starpu_task_footprint() of StarPU 1.3.10. */
static void footprints_are_those_of_starpu(void **state)
{
    const char *all[] = { "4:n,n/2", "8:3*n", "4:n,n/2,4", "12" };
    const char *squares[] = { "4:n,n", "4:n,n" };
    struct gcal_export_starpu_task task;

    (void)state;
    assert_int_equal(find(4, all, NULL, 96, &task, NULL), 0);
    assert_int_equal(task.footprint, 0x6eca3d52);
    assert_int_equal(task.size, 4 * 96 * 48 + 8 * 288 + 4 * 96 * 48 * 4 + 12);
    assert_int_equal(find(2, squares, NULL, 128, &task, NULL), 0);
    assert_int_equal(task.footprint, 0x353646dc);
    assert_int_equal(task.size, 2 * 4 * 128 * 128);
    assert_int_equal(find(0, NULL, "n", 96, &task, NULL), 0);
    assert_int_equal(task.footprint, 0xc41ea6cd);
    assert_int_equal(task.size, 96);
}

static void values_that_are_not_sizes_are_refused(void **state)
{
    static const struct {
        const char *data, *says;
    } bad[] = {
        { "4:n,n,n,n", "--data 4:n,n,n,n: more than 3 dimensions" },
        { "4:n/7", "'n/7' is 13.7143, not a size" },
        { "4:n-96", "'n-96' is 0, not a size" },
        { "4:m", "--data 4:m: 'm': column 1" },
        { "", "--data : ''" },
        { "4:", "--data 4:: ''" },
        { "4:2^32", "not a size" },
    };
    struct gcal_export_starpu_task task;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct gcal_error err = { 0 };

        assert_int_equal(find(1, &bad[i].data, NULL, 96, &task, &err), -1);
        assert_int_equal(err.code, GCAL_EINPUT);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: %s", bad[i].data, err.text);
    }
}

#define N 5
static const struct gcal_export_starpu_task tasks[N] = {
    { 1, 713 }, { 2, 4099 }, { 3, 65537 }, { 4, 1048583 }, { 5, 67108879 }
};

static void laws_are_recovered(void **state)
{
    const double a = 2.385e-3, b = 0.731, c = 1.17;
    struct gcal_export_starpu_laws laws;
    double power[N], beside[N];

    (void)state;
    for (size_t i = 0; i < N; i++) {
        power[i] = a * pow((double)tasks[i].size, b);
        beside[i] = power[i] + c;
    }
    gcal_export_starpu_laws(tasks, power, N, &laws);
    assert_near(laws.alpha, a, 1e-9);
    assert_near(laws.beta, b, 1e-9);
    assert_near(laws.a, a, 1e-9);
    assert_near(laws.b, b, 1e-9);
    assert_true(laws.c == 0 && laws.error < 1e-9 && laws.linear_error < 1e-9);
    gcal_export_starpu_laws(tasks, beside, N, &laws);
    assert_near(laws.c, c, 0.002);
    assert_near(laws.a, a, 0.01);
    assert_near(laws.b, b, 0.001);
    assert_true(laws.error < 0.003);
    assert_true(laws.linear_error > 0.1);
}

static void sizes_that_hardly_differ_tell_no_law(void **state)
{
    const struct gcal_export_starpu_task close[2] = { { 1, 950 }, { 2, 1000 } };
    const double times[2] = { 9.5, 10.0 };
    struct gcal_export_starpu_laws laws;

    (void)state;
    gcal_export_starpu_laws(close, times, 2, &laws);
    assert_true(isnan(laws.alpha) && isnan(laws.beta) && isnan(laws.a) && isnan(laws.b) &&
                isnan(laws.c));
    assert_near(laws.sum_y, 10 * (log(9.5) + log(10.0)), 1e-12);
}

/* StarPU recomputes means and deviations from the sums when it measures more. */
static void sums_are_those_of_samples(void **state)
{
    const struct gcal_export_starpu_task task = { 0xc41ea6cd, 96 };
    double time_us = 365.5, error_us = 33.75, mean, deviation, sum, sum2;
    struct gcal_export_starpu_worker worker = { "some device", &time_us, &error_us };
    struct gcal_buf out = { 0 };
    unsigned footprint, n;
    unsigned long size;

    (void)state;
    gcal_export_starpu_write(&out, &task, 1, &worker, 1);
    assert_false(out.failed);
    assert_non_null(strstr(out.data, "# some device\n"));
    assert_int_equal(sscanf(strstr(out.data, "\nc41ea6cd") + 1,
                            "%x %lu %*e %le %le %le %le %u", &footprint, &size, &mean,
                            &deviation, &sum, &sum2, &n),
                     7);
    assert_int_equal(footprint, 0xc41ea6cd);
    assert_int_equal(size, 96);
    assert_int_equal(n, 10);
    assert_near(mean, time_us, 1e-6);
    assert_near(deviation, error_us, 1e-6);
    assert_near(sum / n, mean, 1e-6);
    assert_near(sqrt((sum2 - sum * sum / n) / n), deviation, 1e-4);
    gcal_buf_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(footprints_are_those_of_starpu),
        cmocka_unit_test(values_that_are_not_sizes_are_refused),
        cmocka_unit_test(laws_are_recovered),
        cmocka_unit_test(sizes_that_hardly_differ_tell_no_law),
        cmocka_unit_test(sums_are_those_of_samples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
