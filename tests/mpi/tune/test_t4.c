/* test_t4.c - times in the format that autotuners share: as Kernel Tuner writes it, and back */
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

static const char *x_values[] = { "16", "32" }, *y_values[] = { "a", "b" },
                  *one[] = { "4" };
static struct gcal_tune_parameter parameters[] = {
    { "block_size_x", 2, x_values, 0 },
    { "mode", 2, y_values, 0 },
    { "tile", 1, one, 0 },
};
static struct gcal_tune_argument fixed[] = { { "tile", "4" }, { "n", "1024" } };
static size_t positions[4][3] = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 0, 0 }, { 1, 1, 0 } };
static struct gcal_tune_config configs[] = {
    { .values = positions[0], .name = "block_size_x:16 mode:a" },
    { .values = positions[1], .name = "block_size_x:16 mode:b" },
    { .values = positions[2], .name = "block_size_x:32 mode:a" },
    { .values = positions[3], .name = "block_size_x:32 mode:b" },
};
static struct gcal_tune_space space = { .kernel = "vector_add tile:4 n:1024",
                                        .fixed = { .n = 2, .all = fixed },
                                        .n_parameters = 3,
                                        .parameters = parameters,
                                        .n_configs = 4,
                                        .configs = configs };

static const char *const written =
    "{\"results\": [\n"
    "{\"timestamp\": \"2026-01-01 00:00:00+00:00\",\n"
    " \"configuration\": {\"mode\": \"a\", \"tile\": 4, \"block_size_x\": 16},\n"
    " \"times\": {\"compilation\": 250.0, \"benchmark\": 1.0, \"runtimes\": [0.5, 0.6, "
    "0.7]},\n"
    " \"invalidity\": \"correct\", \"correctness\": 1,\n"
    " \"measurements\": [{\"name\": \"GFLOP/s\", \"value\": 3.0, \"unit\": \"\"},\n"
    "                  {\"name\": \"time\", \"value\": 0.625, \"unit\": \"ms\"}],\n"
    " \"objectives\": [\"time\"]},\n"
    "{\"configuration\": {\"block_size_x\": 32, \"mode\": \"a\"},\n"
    " \"times\": {}, \"invalidity\": \"compile\", \"correctness\": 1,\n"
    " \"measurements\": [{\"name\": \"time\", \"value\": \"CompilationFailedConfig\", "
    "\"unit\": \"ms\"}], \"objectives\": [\"time\"]},\n"
    "{\"configuration\": {\"block_size_x\": 32, \"mode\": \"b\"}, \"invalidity\": "
    "\"correctness\", \"measurements\": []},\n"
    "{\"configuration\": {\"block_size_x\": 16, \"mode\": \"b\"}, \"invalidity\": "
    "\"correct\",\n"
    " \"measurements\": [{\"name\": \"TotalDuration\", \"value\": 750000, \"unit\": "
    "\"nanoseconds\"}], \"objectives\": [\"TotalDuration\"]},\n"
    "{\"configuration\": {\"block_size_x\": 64, \"mode\": \"b\"}, \"invalidity\": "
    "\"correct\"}],\n"
    "\"schema_version\": \"1.0.0\"}\n";

static char path[] = "/tmp/gpucal-t4-XXXXXX.json";

static void save(const char *text)
{
    FILE *file = fopen(path, "w");

    fputs(text, file);
    fclose(file);
}

static void check_times(const struct gcal_tune_times *t)
{
    assert_true(t->asked[0] && t->times[0].outcome == GCAL_TUNE_TIMED);
    assert_true(fabs(t->times[0].seconds - 0.625e-3) < 1e-12);
    assert_true(t->times[0].launches == 3 && fabs(t->times[0].build_s - 0.25) < 1e-9);
    assert_true(fabs(t->times[1].seconds - 0.75e-3) < 1e-12);
    assert_true(t->times[2].outcome == GCAL_TUNE_FAILED);
    assert_true(strcmp(t->times[2].why, "compile") == 0);
    assert_true(t->times[3].outcome == GCAL_TUNE_WRONG);
}

static void times_survive_a_file(void **state)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_tune_times a = gcal_tune_times_create(arena, &space);
    struct gcal_tune_times b = gcal_tune_times_create(arena, &space);
    struct gcal_error err = { 0 };

    (void)state;
    save(written);
    assert_true(gcal_tune_times_read(&a, &space, path, &err) == 0);
    check_times(&a);
    assert_true(gcal_tune_t4_write(path, &space, &a, &err) == 0);
    assert_true(gcal_tune_t4_read(&b, &space, path, &err) == 0);
    check_times(&b);
    gcal_arena_destroy(arena);
}

static void refuse(const char *text, const char *message)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_tune_times t = gcal_tune_times_create(arena, &space);
    struct gcal_error err = { 0 };

    save(text);
    assert_true(gcal_tune_t4_read(&t, &space, path, &err) < 0);
    if (!strstr(err.text, message))
        fail_msg("expected '%s', found '%s'", message, err.text);
    gcal_arena_destroy(arena);
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    refuse("{\"results\": [", ".json:1:13: ");
    refuse("[]", "expected an object with a list 'results'");
    refuse("{\"results\": [{\"configuration\": {\"tile\": 8}}]}",
           "none of its 1 results is of a configuration of vector_add");
    refuse(
        "{\"results\": [{\"configuration\": {\"block_size_x\": 16, \"mode\": \"a\"}, "
        "\"invalidity\": \"correct\", \"measurements\": [{\"name\": \"time\", \"value\": "
        "0, \"unit\": \"ms\"}]}]}",
        "result 1 is correct and has no measurement with a unit of time above 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_survive_a_file),
        cmocka_unit_test(bad_files_are_refused),
    };
    int file = mkstemps(path, 5), failed;

    if (file < 0)
        return 1;
    close(file);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
