/* test_load.c - a program that is built while the device is used for another, on PoCL */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "calib/device/private.h"

enum { ITEMS = 64 };

/* What drivers leave allocated is theirs; elsewhere they are in processes of their own. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}

static struct gcal_device *device;

static int open_first(void **state)
{
    struct gcal_device_entry *devices = NULL;
    struct gcal_error err = { 0 };
    size_t count = 0, n_platforms;

    (void)state;
    for (size_t i = 0; i < GCAL_DEVICE_MAX_PLATFORMS && !device; i++) {
        if (gcal_device_list(i, false, &devices, &count, &n_platforms, &err) < 0)
            return -1;
        if (count)
            device =
                gcal_device_open(devices[0].info.uid, GCAL_DEVICE_ANY_PLATFORM, &err);
        gcal_device_list_free(devices, count);
    }
    return device ? 0 : -1;
}

static int close_it(void **state)
{
    (void)state;
    gcal_device_close(device);
    return 0;
}

/* a[i] = VALUE, in one launch. */
static struct gcal_device_job make_job(const char *options,
                                       struct gcal_device_job_arg *arg)
{
    *arg = (struct gcal_device_job_arg){ .kind = GCAL_ARG_BUFFER,
                                         .output = true,
                                         .name = (char *)"a",
                                         .dtype = (char *)"float32",
                                         .value = ITEMS,
                                         .range.first = NAN };
    return (struct gcal_device_job){ .source = (char *)"__kernel void fill(__global "
                                                       "float *a)\n"
                                                       "{ a[get_global_id(0)] = VALUE; }",
                                     .entry = (char *)"fill",
                                     .build_options = (char *)options,
                                     .n_dims = 1,
                                     .local_size = { ITEMS },
                                     .global_size = { ITEMS },
                                     .n_args = 1,
                                     .args = arg,
                                     .launches = 1 };
}

static int prepare(const struct gcal_device_job *job, const struct gcal_device_job *next,
                   struct gcal_error *err)
{
    struct gcal_device_prepared prepared;
    enum gcal_measurement_status status;

    return gcal_device_prepare(device, job, next, false, &prepared, &status, err);
}

static size_t count_programs(void)
{
    size_t n = 0;

    for (const struct gcal_device_program *p = device->programs; p; p = p->next)
        n++;
    return n;
}

static void the_next_is_built_meanwhile(void **state)
{
    struct gcal_device_job_arg args[2];
    struct gcal_device_job one = make_job("-DVALUE=1", &args[0]),
                           two = make_job("-DVALUE=2", &args[1]);
    struct gcal_error err = { 0 };

    (void)state;
    if (prepare(&one, &two, &err) < 0)
        fail_msg("%s", err.text);
    gcal_device_load_end(device);
    assert_non_null(gcal_device_find_program(device, &two));
    if (prepare(&two, &one, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count_programs(), 2);
    assert_null(device->load); /* both were known */
}

/* It is taken from the thread even if that has not finished. */
static void who_needs_it_waits(void **state)
{
    struct gcal_device_job_arg args[2];
    struct gcal_device_job one = make_job("-DVALUE=3", &args[0]),
                           two = make_job("-DVALUE=4", &args[1]);
    struct gcal_error err = { 0 };
    size_t n = count_programs();

    (void)state;
    if (prepare(&one, &two, &err) < 0 || prepare(&two, NULL, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(count_programs(), n + 2);
}

/* What cannot be built is reported when it is asked for, not before. */
static void a_wrong_one_does_no_harm(void **state)
{
    struct gcal_device_job_arg args[2];
    struct gcal_device_job one = make_job("-DVALUE=5", &args[0]),
                           two = make_job("-DVALUE=nothing", &args[1]);
    struct gcal_error err = { 0 };
    size_t n = count_programs();

    (void)state;
    if (prepare(&one, &two, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(prepare(&two, NULL, &err), -1);
    assert_non_null(strstr(err.text, "build:"));
    assert_int_equal(count_programs(), n + 1);
}

/* The device is closed while a program is being built. */
static void nobody_needs_it(void **state)
{
    struct gcal_device_job_arg args[2];
    struct gcal_device_job one = make_job("-DVALUE=6", &args[0]),
                           two = make_job("-DVALUE=7", &args[1]);
    struct gcal_error err = { 0 };

    (void)state;
    if (prepare(&one, &two, &err) < 0)
        fail_msg("%s", err.text);
    gcal_device_forget_programs(device);
    assert_int_equal(count_programs(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_is_built_meanwhile),
        cmocka_unit_test(who_needs_it_waits),
        cmocka_unit_test(a_wrong_one_does_no_harm),
        cmocka_unit_test(nobody_needs_it),
    };

    return cmocka_run_group_tests(tests, open_first, close_it);
}
