/* test_threads.c - jobs on several threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/threads.h"

#define N 500

struct work {
    int done[N];
    size_t bad;
};

static int job(void *context, size_t i, struct gcal_error *err)
{
    struct work *work = context;

    work->done[i]++;
    return i % 7 == 3 && i >= work->bad
               ? gcal_error_set(err, GCAL_EFIT, "job %zu failed", i)
               : 0;
}

static void runs_every_job_once(void **state)
{
    static const size_t threads[] = { 0, 1, 4, 1000 };

    (void)state;
    for (size_t t = 0; t < 4; t++) {
        struct work work = { .bad = N };

        assert_int_equal(gcal_threads_run(N, threads[t], job, &work, NULL), 0);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(work.done[i], 1);
    }
    assert_int_equal(gcal_threads_run(0, 4, job, NULL, NULL), 0);
}

static void gives_the_first_error_and_runs_the_rest(void **state)
{
    (void)state;
    for (size_t threads = 1; threads < 6; threads++) {
        struct work work = { .bad = 20 };
        struct gcal_error err = { 0 };

        assert_int_equal(gcal_threads_run(N, threads, job, &work, &err), -1);
        assert_int_equal(err.code, GCAL_EFIT);
        assert_string_equal(err.text, "job 24 failed");
        assert_int_equal(work.done[N - 1], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_every_job_once),
        cmocka_unit_test(gives_the_first_error_and_runs_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
