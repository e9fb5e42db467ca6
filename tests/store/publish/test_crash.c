/* test_crash.c - publications that a crash ends anywhere, and calls that fail anywhere */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/store/syscalls.h"
#include "tests/unit.h"

/* Costs that identify the runs. */
#define OLD  1e-12
#define NEW  2e-12
#define NEXT 3e-12

static int publish(const char *folder, const char *run, double madd_s,
                   struct gcal_error *err)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", madd_s);
    struct gcal_store *store = gcal_store_open_writable(folder, err);
    int rc = -1;

    free(params.devices[0].run_id);
    params.devices[0].run_id = strdup(run);
    if (store && gcal_store_publish(store, &params, run, err) == 0 &&
        gcal_store_publish_type(store, &params, "t1", run, err) >= 0)
        rc = 0;
    gcal_store_close(store);
    gcal_params_clear(&params);
    return rc;
}

static int prune(const char *folder, struct gcal_error *err)
{
    struct gcal_store *store = gcal_store_open_writable(folder, err);
    size_t removed;
    int rc = store ? gcal_store_prune(store, 1, NAN, false, &removed, NULL, err) : -1;

    gcal_store_close(store);
    return rc;
}

/* Of the type, else of the node.  0: none; NAN: it cannot be read. */
static double cost(const char *folder, bool of_type)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_params params;
    struct gcal_error err = { 0 };
    double value = 0;
    int rc;

    assert_non_null(store);
    rc = of_type ? gcal_store_load_type(store, "t1", NULL, &params, &err)
                 : gcal_store_load(store, "n1", NULL, &params, &err);
    if (rc == 0) {
        value = params.devices[0].models[0].value[0];
        gcal_params_clear(&params);
    } else if (!strstr(err.text, "is not calibrated")) {
        value = NAN;
    }
    gcal_store_close(store);
    return value;
}

/* In memory, where there is such a folder: thousands are made. */
static char *make_folder(void)
{
    char *folder = strdup("/dev/shm/gpucal-test-XXXXXX");

    if (mkdtemp(folder))
        return folder;
    free(folder);
    return sample_folder();
}

struct state {
    const char *what;
    size_t at;
    int variant;
    bool prunes; /* what is mended by pruning */
};

static void check_verify(const char *folder, const struct state *s, bool whole)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_verify_result v;
    struct gcal_error err = { 0 };

    if (gcal_store_verify(store, &v, &err) < 0)
        fail_msg("%s %zu/%d: %s", s->what, s->at, s->variant, err.text);
    if (v.n_damaged || (whole && v.n_interrupted))
        fail_msg("%s %zu/%d: %s", s->what, s->at, s->variant, v.text);
    gcal_verify_result_clear(&v);
    gcal_store_close(store);
}

/* Readers see the old or the new file, nothing is damaged, and the next publication makes
 * all good.
 */
static void check_state(const char *folder, const struct state *s, double old, double new)
{
    struct gcal_error err = { 0 };

    for (int of_type = 0; of_type < 2; of_type++) {
        double value = cost(folder, of_type);

        if (value != old && value != new)
            fail_msg("%s %zu/%d: a reader sees %g", s->what, s->at, s->variant, value);
    }
    check_verify(folder, s, false);
    if (publish(folder, "r9", NEXT, &err) < 0 || (s->prunes && prune(folder, &err) < 0))
        fail_msg("%s %zu/%d: then: %s", s->what, s->at, s->variant, err.text);
    if (cost(folder, false) != NEXT || cost(folder, true) != NEXT)
        fail_msg("%s %zu/%d: then: %g", s->what, s->at, s->variant, cost(folder, false));
    check_verify(folder, s, true);
}

/* What is recorded, crashed everywhere; the number of states. */
static size_t check_crashes(const char *what, double old, double new)
{
    size_t n = syscalls_recorded(), n_states = 0;

    for (size_t at = 0; at <= n; at++)
        for (int loss = 0; loss < SYSCALLS_N_LOSSES; loss++) {
            char *folder = make_folder();

            if (syscalls_crash(at, (enum syscalls_loss)loss, folder)) {
                const struct state s = { what, at, loss, old == new };

                check_state(folder, &s, old, new);
                n_states++;
            }
            sample_folder_remove(folder);
        }
    return n_states;
}

/* ---- the tests ---- */

static void a_first_publication_crashes(void **state)
{
    char *folder = make_folder();

    (void)state;
    syscalls_record(folder);
    assert_int_equal(publish(folder, "r1", NEW, NULL), 0);
    assert_true(check_crashes("first publication", 0, NEW) > 100);
    sample_folder_remove(folder);
}

static void a_further_publication_crashes(void **state)
{
    char *folder = make_folder();

    (void)state;
    assert_int_equal(publish(folder, "r1", OLD, NULL), 0);
    syscalls_record(folder);
    assert_int_equal(publish(folder, "r2", NEW, NULL), 0);
    assert_true(check_crashes("publication", OLD, NEW) > 100);
    sample_folder_remove(folder);
}

static void pruning_crashes(void **state)
{
    char *folder = make_folder(), run[10];

    (void)state;
    for (int i = 0; i < 4; i++) {
        snprintf(run, sizeof(run), "r%d", i);
        assert_int_equal(publish(folder, run, OLD, NULL), 0);
    }
    syscalls_record(folder);
    assert_int_equal(prune(folder, NULL), 0);
    assert_true(check_crashes("pruning", OLD, OLD) > 20);
    sample_folder_remove(folder);
}

static size_t fail_once(const struct syscalls_failure *failure, bool must_succeed)
{
    const struct state s = { strerror(failure->code), failure->at, failure->for_all,
                             false };
    struct gcal_error err = { 0 };
    char *folder = make_folder();
    size_t n;
    int rc;

    syscalls_restore(folder);
    syscalls_fail(failure);
    rc = publish(folder, "r2", NEW, &err);
    n = syscalls_stop();
    if (rc < 0 && (must_succeed || !*err.text))
        fail_msg("%s at call %zu: %s", s.what, s.at, err.text);
    if (rc == 0 && (cost(folder, false) != NEW || cost(folder, true) != NEW))
        fail_msg("%s at call %zu: not published, and nothing is said", s.what, s.at);
    check_state(folder, &s, OLD, NEW);
    sample_folder_remove(folder);
    return n;
}

/* The n-th call for every n; signals and short writes stop nothing. */
static void every_call_fails(void **state)
{
    static const int codes[] = { ENOSPC, EDQUOT, EIO, EROFS, EINTR, 0 };
    char *folder = make_folder();
    size_t n_calls;

    (void)state;
    assert_int_equal(publish(folder, "r1", OLD, NULL), 0);
    syscalls_record(folder);
    syscalls_recorded();
    n_calls = fail_once(&(struct syscalls_failure){ 0 }, true);
    assert_true(n_calls > 40);
    for (size_t c = 0; c < sizeof(codes) / sizeof(*codes); c++)
        for (size_t at = 1; at <= n_calls; at++) {
            bool passes = codes[c] == EINTR || codes[c] == 0;

            fail_once(&(struct syscalls_failure){ at, codes[c], false }, passes);
            if (!passes)
                fail_once(&(struct syscalls_failure){ at, codes[c], true }, false);
        }
    sample_folder_remove(folder);
    syscalls_forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_publication_crashes),
        cmocka_unit_test(a_further_publication_crashes),
        cmocka_unit_test(pruning_crashes),
        cmocka_unit_test(every_call_fails),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
