/* test_tune_times.c - files of configurations' times */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "mpi/commands/tune/times.h"

static const char *n_values[] = { "64", "128" }, *f_values[] = { "1", "2" };
static struct gcal_tune_parameter parameters[] = {
    { .name = "N", .n_values = 2, .values = n_values },
    { .name = "F", .n_values = 2, .values = f_values },
};
static size_t positions[3][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 } };
static struct gcal_tune_config configs[] = {
    { .name = "N:64 F:1", .values = positions[0] },
    { .name = "N:64 F:2", .values = positions[1] },
    { .name = "N:128 F:1", .values = positions[2] },
};
static struct gcal_tune_argument fixed[] = { { "dtype", "float32" }, { "M", "1048576" } };
static const struct gcal_tune_space space = {
    .kernel = "scale dtype:float32 M:1048576",
    .fixed = { .n = 2, .all = fixed },
    .n_parameters = 2,
    .parameters = parameters,
    .n_configs = 3,
    .configs = configs,
};

static struct gcal_arena *arena;

static int read_text(const char *text, struct gcal_tune_times *times,
                     struct gcal_error *err)
{
    char path[] = "/tmp/test_tune_times-XXXXXX";
    int fd = mkstemp(path), rc;
    FILE *file = fdopen(fd, "w");

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    arena = gcal_arena_create();
    *times = gcal_tune_times_create(arena, &space);
    rc = gcal_tune_times_read(times, &space, path, err);
    unlink(path);
    return rc;
}

static void reads_all_columns(void **state)
{
    static const char text[] =
        "configuration,outcome,seconds,launches,build_s,why\n"
        "N:64 F:1,timed,0.00125,7,0.5,\n"
        "N:64 F:2,abandoned,0.002,1,,\n"
        "N:128 F:1,wrong,,0,0.25,\"b[3] is 1, \"\"expected\"\" 2\"\n";
    struct gcal_tune_time written[] = {
        { GCAL_TUNE_TIMED, 1.25e-3, 7, 0.5, NULL },
        { GCAL_TUNE_ABANDONED, 2e-3, 1, 0, NULL },
        { GCAL_TUNE_WRONG, 0, 0, 0.25, "b[3] is 1, \"expected\" 2" },
    };
    struct gcal_tune_times times;
    struct gcal_error err = { 0 };

    (void)state;
    if (read_text(text, &times, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < 3; i++) {
        assert_true(times.asked[i]);
        assert_int_equal(times.times[i].outcome, written[i].outcome);
        assert_int_equal(times.times[i].launches, written[i].launches);
        assert_float_equal(times.times[i].build_s, written[i].build_s, 1e-9);
        if (written[i].seconds > 0)
            assert_float_equal(times.times[i].seconds, written[i].seconds, 1e-9);
        if (written[i].why)
            assert_string_equal(times.times[i].why, written[i].why);
    }
    gcal_arena_destroy(arena);
}

static void finds_configurations_among_others(void **state)
{
    struct gcal_tune_times times;
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(read_text("generator,arguments,time_s,status,samples\n"
                               "scale,F:2 M:1048576 N:64 dtype:float32,0.5,good,9\n"
                               "scale,F:1 M:4096 N:64 dtype:float32,0.25,good,9\n"
                               "other,F:1 M:1048576 N:64 dtype:float32,0.25,good,9\n"
                               "scale,F:1 M:1048576 N:192 dtype:float32,0.25,good,9\n"
                               "scale,F:1 M:1048576 N:128 dtype:float32,,build failed,\n",
                               &times, &err),
                     0);
    assert_false(times.asked[0]);
    assert_float_equal(times.times[1].seconds, 0.5, 1e-12);
    assert_int_equal(times.times[2].outcome, GCAL_TUNE_FAILED);
    gcal_arena_destroy(arena);
}

static void refuses_bad_files(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "configuration,outcome\n", "the columns configuration and seconds" },
        { "configuration,seconds\nN:64 F:1,fast\n", ":2: 'fast' is not a time" },
        { "configuration,outcome,seconds\nN:64 F:1,timed,\n",
          ":2: a configuration that" },
        { "configuration,seconds\nN:65 F:1,1\n", "none of its 1 lines" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_tune_times times;
        struct gcal_error err = { 0 };

        assert_int_equal(read_text(cases[i].text, &times, &err), -1);
        if (!strstr(err.text, cases[i].message))
            fail_msg("%s", err.text);
        gcal_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all_columns),
        cmocka_unit_test(finds_configurations_among_others),
        cmocka_unit_test(refuses_bad_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
