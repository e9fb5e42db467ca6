/* test_segments.c - a ledger of several hosts, whose clocks differ and whose locks exclude nobody
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "store/ledger/ledger.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

static bool locks_exclude = true;
static time_t clock_s; /* of this host; 0: the true one */

/* These come before those of the C library. */
int fcntl(int fd, int command, ...)
{
    va_list args;
    void *argument;

    va_start(args, command);
    argument = va_arg(args, void *);
    va_end(args);
    if (command == F_OFD_SETLK && !locks_exclude)
        return 0;
    return (int)syscall(SYS_fcntl, fd, command, argument);
}

time_t time(time_t *at)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
    if (clock_s)
        now.tv_sec = clock_s;
    if (at)
        *at = now.tv_sec;
    return now.tv_sec;
}

/* The next opens of a file of that name fail, as on a client of NFS while another node replaces
 * it.
 */
static const char *missing_file;
static int n_missing;
static bool on_network;

int openat(int folder, const char *name, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = va_arg(args, mode_t);
    va_end(args);
    if (missing_file && strcmp(name, missing_file) == 0 && n_missing > 0) {
        n_missing--;
        errno = ENOENT;
        return -1;
    }
    return (int)syscall(SYS_openat, folder, name, flags, mode);
}

int fstatfs(int fd, struct statfs *info)
{
    int rc = (int)syscall(SYS_fstatfs, fd, info);

    if (on_network)
        info->f_type = NFS_SUPER_MAGIC;
    return rc;
}

static void on_host(const char *name, time_t at)
{
    snprintf(sample_host, sizeof(sample_host), "%s", name);
    clock_s = at;
}

static void publish(const char *folder, const char *node, const char *run, double madd_s)
{
    struct gcal_params params = sample_params(node, "uuid:7f", madd_s);
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;

    free(params.devices[0].run_id);
    params.devices[0].run_id = strdup(run);
    if (gcal_store_publish(store, &params, run, &err) < 0 ||
        gcal_store_publish_type(store, &params, "t1", run, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    gcal_params_clear(&params);
}

/* Each run published the node and the type. */
static void expect_history(const char *folder, const char *expected)
{
    sample_expect_history(folder, "nodes/n1", expected);
    sample_expect_history(folder, "types/t1", expected);
}

/* By turns, and each clock is a day behind that of the one before. */
static void clocks_do_not_matter(void **state)
{
    const char *path = sample_path(*state, "nodes/n1.yaml");
    struct gcal_store *store;
    size_t size, newest_size, removed;
    char *text, *newest, *kept = strdup(path);

    on_host("zz", 1800000000);
    publish(*state, "n1", "r1", 1e-12);
    text = sample_file_read(kept, &size);
    on_host("mm", 1800000000 - 86400);
    publish(*state, "n1", "r2", 2e-12);
    on_host("aa.bb", 1800000000 - 2 * 86400);
    publish(*state, "n1", "r3", 3e-12);
    on_host("zz", 1800000000 - 3 * 86400);
    publish(*state, "n1", "r4", 4e-12);
    sample_expect_verified(*state, 0, 0, NULL);
    expect_history(*state, "r1;r2;r3;r4;");
    assert_int_equal(access(sample_path(*state, "ledger/aa-bb.tsv"), F_OK), 0);
    on_host("kk", 1800000000 - 4 * 86400);
    store = gcal_store_open_writable(*state, NULL);
    assert_int_equal(gcal_store_prune(store, 2, NAN, false, &removed, NULL, NULL), 0);
    assert_int_equal(removed, 4); /* of the node and the type */
    gcal_store_close(store);
    sample_expect_verified(*state, 0, 0, NULL);
    expect_history(*state, "r3;r4;");
    /* An old file that is put back is found. */
    newest = sample_file_read(kept, &newest_size);
    sample_file_write(kept, text, size);
    sample_expect_verified(*state, 1, 0, "somebody restored the old one");
    sample_file_write(kept, newest, newest_size);
    free(newest);
    on_host("here", 0);
    publish(*state, "n1", "r5", 5e-12);
    sample_expect_verified(*state, 0, 0, NULL);
    free(text);
    free(kept);
}

/* Each host its own nodes and all of them one type, at the same time. */
static void locks_are_not_needed(void **state)
{
    char *folder = sample_folder(), host[20], run[20];
    int status;

    (void)state;
    locks_exclude = false;
    publish(folder, "n", "first", 1e-12);
    for (int k = 0; k < 6; k++)
        if (fork() == 0) {
            snprintf(host, sizeof(host), "host%d", k);
            on_host(host, 0);
            for (int i = 0; i < 10; i++) {
                snprintf(run, sizeof(run), "r%d.%d", k, i);
                publish(folder, host, run, 1e-12 * (k + 10 * i + 2));
            }
            _exit(0);
        }
    for (int k = 0; k < 6; k++)
        assert_true(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
    locks_exclude = true;
    {
        struct gcal_store *store = gcal_store_open(folder, NULL);
        struct gcal_verify_result v;

        assert_int_equal(gcal_store_verify(store, &v, NULL), 0);
        if (v.n_damaged)
            fail_msg("%zu damaged: %s", v.n_damaged, v.text);
        assert_true(v.n_interrupted <=
                    1); /* the type, of which one publication is lost */
        gcal_verify_result_clear(&v);
        gcal_store_close(store);
    }
    on_host("here", 0);
    publish(folder, "n", "last", 9e-12);
    sample_folder_remove(folder);
}

/* More segments than files that the process may open. */
static void many_segments(void **state)
{
    const struct rlimit few = { 40, 40 };
    struct gcal_ledger_entry entry = { .action = "prune", .file = "history/n1/x.yaml" };
    char *folder = sample_folder(), host[20];
    struct gcal_store *store;
    int status;

    (void)state;
    publish(folder, "n1", "r1", 1e-12);
    store = gcal_store_open_writable(folder, NULL);
    for (int k = 0; k < 60; k++) {
        snprintf(host, sizeof(host), "host%d", k);
        on_host(host, 0);
        assert_int_equal(gcal_ledger_append(store, &entry, 1, NULL), 0);
    }
    gcal_store_close(store);
    publish(folder, "n1", "r2", 2e-12);
    if (fork() == 0) {
        setrlimit(RLIMIT_NOFILE, &few);
        sample_expect_verified(folder, 0, 0, NULL);
        expect_history(folder, "r1;r2;");
        _exit(0);
    }
    assert_true(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
    on_host("here", 0);
    sample_folder_remove(folder);
}

static int load(const char *folder, bool network, int missing)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_params params;
    int rc;

    on_network = network;
    missing_file = "n1.yaml";
    n_missing = missing;
    if ((rc = gcal_store_load(store, "n1", NULL, &params, NULL)) == 0)
        gcal_params_clear(&params);
    on_network = false;
    missing_file = NULL;
    gcal_store_close(store);
    return rc;
}

static void a_file_that_is_replaced_is_looked_for_again(void **state)
{
    assert_int_equal(load(*state, false, 0), 0);
    assert_int_equal(load(*state, false, 1), -1);
    assert_int_equal(load(*state, true, 1), 0);
    assert_int_equal(load(*state, true, 3), 0);
    assert_int_equal(load(*state, true, 100), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_do_not_matter),
        cmocka_unit_test(locks_are_not_needed),
        cmocka_unit_test(many_segments),
        cmocka_unit_test(a_file_that_is_replaced_is_looked_for_again),
    };

    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
