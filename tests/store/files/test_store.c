/* test_store.c - publishing and loading, links, locks, full disks */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define RUN_1 "20261121T041705Z-1a2b3c4d"
#define RUN_2 "20261122T041705Z-00000000"

static int publish(const char *folder, const char *node, const char *uid, double madd_s,
                   const char *run, struct gcal_error *err)
{
    struct gcal_params params = sample_params(node, uid, madd_s);
    struct gcal_store *store = gcal_store_open_writable(folder, err);
    int rc = store ? gcal_store_publish(store, &params, run, err) : -1;

    gcal_store_close(store);
    gcal_params_clear(&params);
    return rc;
}

static double cost(const struct gcal_params *params, size_t device)
{
    return params->devices[device].models[0].value[0];
}

static void publishes_merges_and_keeps_history(void **state)
{
    struct gcal_store *store;
    struct gcal_params p;
    struct stat info;
    char **names;
    size_t n;

    assert_int_equal(publish(*state, "n1", "uuid:7f", 2.385e-12, RUN_1, NULL), 0);
    assert_int_equal(publish(*state, "n1", "uuid:80", 7.13e-12, RUN_2, NULL), 0);
    assert_non_null(store = gcal_store_open(*state, NULL));
    assert_int_equal(gcal_store_load(store, "n1", NULL, &p, NULL), 0);
    assert_int_equal(p.n_devices,
                     2); /* the second run did not measure the first device */
    assert_true(cost(&p, 0) == 7.13e-12 && cost(&p, 1) == 2.385e-12);
    gcal_params_clear(&p);
    assert_int_equal(gcal_store_load(store, "n1", RUN_1, &p, NULL), 0);
    assert_true(p.n_devices == 1 && cost(&p, 0) == 2.385e-12);
    gcal_params_clear(&p);
    assert_int_equal(gcal_store_history(store, "nodes/n1", &names, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_string_equal(names[0], RUN_1);
    gcal_strings_free(names, n);
    assert_int_equal(stat(sample_path(*state, "nodes/n1.yaml"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0644);
    gcal_store_close(store);
}

static void publishes_types(void **state)
{
    struct gcal_params params = sample_params("ignored", "test-gpu", 2.385e-12), p;
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);
    char **names;
    size_t n;

    assert_int_equal(gcal_store_publish_type(store, &params, "test-gpu-7cu", "r1", NULL),
                     1);
    sample_load_type(*state, "test-gpu-7cu", &p);
    assert_string_equal(p.node, "test-gpu-7cu");
    gcal_params_clear(&p);
    assert_int_equal(gcal_store_types(store, &names, &n, NULL), 0);
    assert_int_equal(n, 1);
    gcal_strings_free(names, n);
    gcal_store_close(store);
    gcal_params_clear(&params);
}

static void lists_the_choices(void **state)
{
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);
    struct gcal_error err;
    struct gcal_params p;
    char **names;
    size_t n;

    assert_int_equal(publish(*state, "n2", "uuid:7f", 2.385e-12, RUN_1, NULL), 0);
    assert_int_equal(gcal_store_nodes(store, &names, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_string_equal(names[1], "n2");
    gcal_strings_free(names, n);
    assert_int_equal(gcal_store_load(store, "n3", NULL, &p, &err), -1);
    assert_non_null(
        strstr(err.text, "node n3 is not calibrated; calibrated nodes: n1, n2"));
    assert_int_equal(gcal_store_load(store, "n2", "elsewhen", &p, &err), -1);
    assert_non_null(strstr(err.text, RUN_1));
    assert_int_equal(gcal_store_load(store, "../n2", NULL, &p, &err), -1);
    assert_non_null(strstr(err.text, "cannot be the name of a node"));
    assert_null(gcal_store_open("/nonexistent", &err));
    assert_int_equal(err.code, GCAL_EINPUT);
    gcal_store_close(store);
}

static void follows_no_links(void **state)
{
    struct gcal_store *store = gcal_store_open(*state, NULL);
    struct gcal_error err;
    struct gcal_params p;

    assert_int_equal(symlink("n1.yaml", sample_path(*state, "nodes/link.yaml")), 0);
    assert_int_equal(gcal_store_load(store, "link", NULL, &p, &err), -1);
    assert_non_null(strstr(err.text, "symbolic link"));
    assert_int_equal(mkfifo(sample_path(*state, "nodes/fifo.yaml"), 0644), 0);
    assert_int_equal(gcal_store_load(store, "fifo", NULL, &p, &err), -1);
    assert_non_null(strstr(err.text, "not a regular file"));
    /* A node's file under the name of another. */
    assert_int_equal(
        link(sample_path(*state, "nodes/n1.yaml"), sample_path(*state, "nodes/n9.yaml")),
        0);
    assert_int_equal(gcal_store_load(store, "n9", NULL, &p, &err), -1);
    assert_non_null(strstr(err.text, "belongs to 'n1', not to 'n9'"));
    unlink(sample_path(*state, "nodes/n9.yaml"));
    unlink(sample_path(*state, "nodes/fifo.yaml"));
    unlink(sample_path(*state, "nodes/link.yaml"));
    gcal_store_close(store);
}

static void does_not_lose_devices_of_a_damaged_file(void **state)
{
    struct gcal_error err;

    sample_file_write(sample_path(*state, "nodes/n7.yaml"), "gpucal_params: 7\nno", 19);
    assert_int_equal(publish(*state, "n7", "uuid:7f", 2.385e-12, RUN_1, &err), -1);
    assert_int_equal(err.code, GCAL_ESTORE);
    if (!strstr(err.text, "n7.yaml:3: truncated"))
        fail_msg("%s", err.text);
    unlink(sample_path(*state, "nodes/n7.yaml"));
}

static int lock_refused(void *folder)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err = { 0 };
    int rc = gcal_store_lock(store, "n1", "run b", &err);

    gcal_store_close(store);
    return rc < 0 && err.code == GCAL_EDEVICE && strstr(err.text, "by run a") ? 0 : 1;
}

static void locks_a_node_against_other_processes(void **state)
{
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);

    assert_int_equal(gcal_store_lock(store, "n1", "run a", NULL), 0);
    assert_int_equal(gcal_store_lock(store, "n2", "run a", NULL), 0);
    assert_int_equal(sample_with_file_limit(1 << 20, lock_refused, *state), 0);
    /* The lock of a calibration does not keep anyone from publishing. */
    assert_int_equal(publish(*state, "n1", "uuid:80", 7.13e-12, RUN_2, NULL), 0);
    gcal_store_close(store);
    assert_non_null(store = gcal_store_open_writable(*state, NULL));
    assert_int_equal(gcal_store_lock(store, "n1", "run c", NULL), 0);
    gcal_store_close(store);
}

/* Readers while another process publishes: the old or the new costs, never a mixture. */
static void readers_never_see_a_part(void **state)
{
    struct gcal_store *store;
    struct gcal_params p;
    struct gcal_error err;
    int status = 1, reads = 0;
    pid_t writer;

    assert_int_equal(publish(*state, "n5", "uuid:7f", 1e-12, RUN_1, NULL), 0);
    assert_non_null(store = gcal_store_open(*state, NULL));
    if ((writer = fork()) == 0) {
        int rc = 0;

        for (int i = 2; i < 60 && rc == 0; i++)
            rc = publish(*state, "n5", "uuid:7f", i * 1e-12, RUN_1, NULL);
        _exit(rc != 0);
    }
    while (waitpid(writer, &status, WNOHANG) == 0) {
        if (gcal_store_load(store, "n5", NULL, &p, &err) < 0)
            fail_msg("%s", err.text);
        assert_int_equal(p.n_devices, 1);
        gcal_params_clear(&p);
        reads++;
    }
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_true(reads > 10);
    gcal_store_close(store);
}

/* Two processes publish different devices of one node: none is lost. */
static void publishers_take_turns(void **state)
{
    struct gcal_store *store;
    struct gcal_params p;
    char uid[20];
    int status;

    for (int k = 0; k < 2; k++)
        if (fork() == 0) {
            int rc = 0;

            for (int i = 0; i < 10 && rc == 0; i++) {
                snprintf(uid, sizeof(uid), "uuid:%d%d", k, i);
                rc = publish(*state, "n6", uid, 2.385e-12, RUN_1, NULL);
            }
            _exit(rc != 0);
        }
    for (int k = 0; k < 2; k++) {
        assert_true(wait(&status) > 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    assert_non_null(store = gcal_store_open(*state, NULL));
    assert_int_equal(gcal_store_load(store, "n6", NULL, &p, NULL), 0);
    assert_int_equal(p.n_devices, 20);
    gcal_params_clear(&p);
    gcal_store_close(store);
}

/* Many nodes of one run, of which one cannot be published. */
static void publishes_all_that_can_be(void **state)
{
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);
    struct gcal_params params[40], found;
    struct gcal_error err;
    const char *run_ids[40];
    size_t published;
    char name[20];

    for (int i = 0; i < 40; i++) {
        run_ids[i] = RUN_1;
        snprintf(name, sizeof(name), i == 7 || i == 9 ? "no/%d" : "all%d", i);
        params[i] = sample_params(name, "uuid:7f", (i + 1) * 1e-12);
    }
    assert_int_equal(gcal_store_publish_all(store, params, run_ids, 40, &published, &err),
                     -1);
    assert_non_null(strstr(err.text, "'no/7' cannot be the name of a node"));
    assert_int_equal(published, 38);
    assert_int_equal(gcal_store_load(store, "all39", NULL, &found, NULL), 0);
    assert_true(cost(&found, 0) == 40e-12);
    gcal_params_clear(&found);
    assert_int_equal(gcal_store_publish_all(store, params, run_ids, 1, &published, &err),
                     0);
    assert_int_equal(published, 1);
    assert_int_equal(gcal_store_publish_all(store, params, run_ids, 0, &published, &err),
                     0);
    for (int i = 0; i < 40; i++)
        gcal_params_clear(&params[i]);
    gcal_store_close(store);
}

static int publish_fails(void *folder)
{
    struct gcal_error err = { 0 };
    int rc = publish(folder, "n1", "uuid:7f", 9e-12, RUN_2, &err);

    return rc < 0 && err.code == GCAL_ESTORE ? 0 : 1;
}

static void a_full_disk_leaves_the_old_file(void **state)
{
    size_t before_size, after_size;
    char *before, *after;

    before = sample_file_read(sample_path(*state, "nodes/n1.yaml"), &before_size);
    assert_int_equal(sample_with_file_limit(700, publish_fails, *state), 0);
    after = sample_file_read(sample_path(*state, "nodes/n1.yaml"), &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    free(before);
    free(after);
}

/* Root can write to any folder: a file instead of a folder is in the way. */
static void says_before_a_run_that_it_cannot_publish(void **state)
{
    char *folder = sample_folder();
    struct gcal_error err = { 0 };

    (void)state;
    sample_file_write(sample_path(folder, "history"), "", 0);
    assert_null(gcal_store_open_writable(folder, &err));
    assert_int_equal(err.code, GCAL_ESTORE);
    assert_non_null(strstr(err.text, "history"));
    assert_int_equal(sample_with_file_limit(0, publish_fails, folder), 0);
    if (geteuid() != 0) {
        assert_int_equal(chmod(folder, 0555), 0);
        assert_null(gcal_store_open_writable(folder, &err));
        assert_int_equal(err.code, GCAL_ESTORE);
        assert_int_equal(chmod(folder, 0755), 0);
    }
    assert_null(gcal_store_open_writable("/nonexistent", &err));
    assert_int_equal(err.code, GCAL_ESTORE);
    sample_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(publishes_merges_and_keeps_history),
        cmocka_unit_test(publishes_types),
        cmocka_unit_test(lists_the_choices),
        cmocka_unit_test(follows_no_links),
        cmocka_unit_test(does_not_lose_devices_of_a_damaged_file),
        cmocka_unit_test(locks_a_node_against_other_processes),
        cmocka_unit_test(readers_never_see_a_part),
        cmocka_unit_test(publishers_take_turns),
        cmocka_unit_test(publishes_all_that_can_be),
        cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(says_before_a_run_that_it_cannot_publish),
    };

    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
