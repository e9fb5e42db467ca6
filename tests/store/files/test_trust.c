/* test_trust.c - files that others could have written are refused */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/ledger/track.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define RUN   "20261121T041705Z-1a2b3c4d" /* of sample_params() */
#define OTHER 65534

/* All ways of reading n1 are refused with 'message'. */
static void refuses(const char *folder, const char *message)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_error err = { 0 };
    struct gcal_params params;
    struct gcal_track track;

    assert_non_null(store);
    if (gcal_store_load(store, "n1", NULL, &params, &err) == 0)
        gcal_params_clear(&params);
    else
        assert_null(gcal_store_load_index(store, "n1", NULL, NULL));
    if (!*err.text && gcal_store_load(store, "n1", RUN, &params, &err) == 0)
        gcal_params_clear(&params);
    if (!*err.text && gcal_track_load(store, "n1", &track, &err) == 0)
        gcal_track_clear(&track);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
    if (*message)
        assert_int_equal(err.code, GCAL_EINPUT);
    gcal_store_close(store);
}

static void mode_matters(const char *folder, const char *name, mode_t mode,
                         const char *message)
{
    const char *path = sample_path(folder, name);
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(chmod(path, mode), 0);
    refuses(folder, message);
    assert_int_equal(chmod(path, info.st_mode & 07777), 0);
    refuses(folder, "");
}

static void what_others_can_change_is_refused(void **state)
{
    struct gcal_error err;

    refuses(*state, "");
    mode_matters(*state, "nodes/n1.yaml", 0666, "run 'chmod o-w ");
    mode_matters(*state, "nodes/n1.yaml", 0664, "run 'chmod g-w ");
    mode_matters(*state, "nodes", 0777, "everyone can change nodes");
    mode_matters(*state, "nodes", 01777, "everyone can change nodes");
    mode_matters(*state, "history", 0777, "everyone can change history");
    mode_matters(*state, "history/n1", 0777, "everyone can change history/n1");
    mode_matters(*state, "history/n1/" RUN ".yaml", 0646, "/history/n1/" RUN ".yaml'");
    mode_matters(*state, "tracks/n1.tsv", 0666, "/tracks/n1.tsv'");
    mode_matters(*state, "tracks", 0775, "group ");
    assert_int_equal(chmod(*state, 01777), 0);
    assert_null(gcal_store_open(*state, &err));
    assert_non_null(strstr(err.text, "everyone may write to it"));
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_null(gcal_store_open_writable(*state, &err));
    assert_int_equal(err.code, GCAL_ESTORE);
    assert_int_equal(chmod(*state, 0755), 0);
}

/* A folder above the store, in which everyone could put another one in its place. */
static void the_folders_above_matter(void **state)
{
    char *inner = strdup(sample_path(*state, "above/middle/store"));
    struct gcal_store *store;
    struct gcal_error err;

    assert_int_equal(mkdir(sample_path(*state, "above"), 0755), 0);
    assert_int_equal(mkdir(sample_path(*state, "above/middle"), 0755), 0);
    assert_int_equal(mkdir(inner, 0755), 0);
    assert_int_equal(chmod(sample_path(*state, "above"), 0777), 0);
    assert_null(gcal_store_open(inner, &err));
    assert_non_null(strstr(err.text, "everyone may write to a folder above it"));
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_int_equal(chmod(sample_path(*state, "above"), 01777), 0);
    assert_non_null(store = gcal_store_open(inner, &err));
    gcal_store_close(store);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(rmdir(sample_path(*state, "above/middle")), 0);
    assert_int_equal(rmdir(sample_path(*state, "above")), 0);
    free(inner);
}

static void owner_matters(const char *folder, const char *name)
{
    const char *path = sample_path(folder, name);
    char *remedy = gcal_buf_format("run 'chown 0 %s'", path);

    assert_int_equal(lchown(path, OTHER, (gid_t)-1), 0);
    refuses(folder, "belongs to user 65534, who may not write to the store");
    refuses(folder, remedy);
    assert_int_equal(lchown(path, 0, (gid_t)-1), 0);
    refuses(folder, "");
    free(remedy);
}

static void what_belongs_to_others_is_refused(void **state)
{
    struct stat info;

    if (geteuid() != 0)
        skip(); /* only root can give files away */
    owner_matters(*state, "nodes");
    owner_matters(*state, "nodes/n1.yaml");
    owner_matters(*state, "history/n1");
    owner_matters(*state, "tracks/n1.tsv");
    /* Accepted from the owner of the store. */
    assert_int_equal(stat(*state, &info), 0);
    assert_int_equal(chown(*state, OTHER, (gid_t)-1), 0);
    assert_int_equal(chown(sample_path(*state, "nodes/n1.yaml"), OTHER, (gid_t)-1), 0);
    refuses(*state, "");
    assert_int_equal(chown(*state, 0, (gid_t)-1), 0);
    assert_int_equal(chown(sample_path(*state, "nodes/n1.yaml"), 0, (gid_t)-1), 0);
}

/* Two users of a group publish to its store; a third one reads. */
static int publish_as(const char *folder, uid_t user, gid_t group, const char *uid)
{
    struct gcal_params params = sample_params("n1", uid, 2.385e-12);
    struct gcal_error err = { 0 };
    struct gcal_store *store;
    pid_t child = fork();
    int status = 1;

    if (child == 0) {
        if (setgid(group) < 0 || setuid(user) < 0)
            _exit(2);
        store = gcal_store_open_writable(folder, &err);
        if (!store || gcal_store_publish(store, &params, RUN, &err) < 0)
            fprintf(stderr, "%s\n", err.text);
        _exit(*err.text != '\0');
    }
    gcal_params_clear(&params);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_group_shares_its_store(void **state)
{
    char *folder;
    struct stat info;

    (void)state;
    if (geteuid() != 0)
        skip();
    folder = sample_folder();
    assert_int_equal(chown(folder, 0, 4711), 0);
    assert_int_equal(chmod(folder, 0775), 0);
    assert_int_equal(publish_as(folder, 1001, 4711, "uuid:7f"), 0);
    assert_int_equal(publish_as(folder, 1002, 4711, "uuid:80"), 0);
    assert_int_equal(publish_as(folder, 1003, 1003, "uuid:81"), 1);
    assert_int_equal(stat(sample_path(folder, "ledger/here.tsv"), &info), 0);
    assert_int_equal(info.st_gid, 4711);
    assert_int_equal(info.st_mode & 0777, 0664);
    assert_int_equal(stat(sample_path(folder, "locks/n1.publish"), &info), 0);
    assert_int_equal(info.st_mode & 07, 0);
    refuses(folder, "");
    /* A file of another group is refused. */
    assert_int_equal(chown(sample_path(folder, "nodes/n1.yaml"), 1002, 1002), 0);
    refuses(folder, "group 1002 can change nodes/n1.yaml");
    sample_folder_remove(folder);
}

static void only_regular_files_are_read(void **state)
{
    const char *path = sample_path(*state, "nodes/n1.yaml"),
               *aside = sample_path(*state, "aside"),
               *nodes = sample_path(*state, "nodes");

    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(symlink(aside, path), 0);
    refuses(*state, "a symbolic link, which the store does not follow");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0644), 0);
    refuses(*state, "not a regular file");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0755), 0);
    refuses(*state, "not a regular file");
    assert_int_equal(rmdir(path), 0);
    sample_file_write(path, "", 0);
    assert_int_equal(truncate(path, (16 << 20) + 1), 0);
    refuses(*state, "larger than 16 MiB");
    assert_int_equal(truncate(path, 0), 0);
    refuses(*state, "nodes/n1.yaml");
    assert_int_equal(rename(aside, path), 0);
    assert_int_equal(rename(nodes, aside), 0);
    assert_int_equal(symlink("aside", nodes), 0);
    refuses(*state, "a symbolic link");
    assert_int_equal(unlink(nodes), 0);
    assert_int_equal(rename(aside, nodes), 0);
    refuses(*state, "");
}

/* A link instead of a file that grows. */
static void nothing_is_written_through_links(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);
    const char *track = sample_path(*state, "tracks/n1.tsv");
    struct gcal_error err;

    assert_int_equal(unlink(track), 0);
    assert_int_equal(symlink("../outside", track), 0);
    assert_int_equal(gcal_store_publish(store, &params, RUN, &err), -1);
    assert_int_equal(err.code, GCAL_ESTORE);
    assert_int_equal(access(sample_path(*state, "outside"), F_OK), -1);
    assert_int_equal(unlink(track), 0);
    assert_int_equal(gcal_store_publish(store, &params, RUN, &err), 0);
    gcal_store_close(store);
    gcal_params_clear(&params);
}

/* A fit of fewer devices under the same conditions does not replace a larger one. */
static void a_type_keeps_the_fit_of_more_devices(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12), found;
    struct gcal_params_device *device = params.devices;
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);

    device->n_fitted = 3;
    assert_int_equal(gcal_store_publish_type(store, &params, "t", "r1", NULL), 1);
    device->n_fitted = 2;
    device->models[0].value[0] = 7e-12;
    assert_int_equal(gcal_store_publish_type(store, &params, "t", "r2", NULL), 0);
    sample_load_type(*state, "t", &found);
    assert_true(found.devices[0].models[0].value[0] == 2.385e-12);
    gcal_params_clear(&found);
    device->n_fitted = 3;
    assert_int_equal(gcal_store_publish_type(store, &params, "t", "r3", NULL), 1);
    device->n_fitted = 1;
    free(device->info.driver);
    device->info.driver = strdup("590.1");
    assert_int_equal(gcal_store_publish_type(store, &params, "t", "r4", NULL), 1);
    gcal_store_close(store);
    gcal_params_clear(&params);
}

static int setup(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_store *store;
    int rc;

    sample_setup(state);
    if (chmod(*state, 0755) < 0)
        return -1;
    store = gcal_store_open_writable(*state, NULL);
    rc = gcal_store_publish(store, &params, RUN, NULL);
    gcal_store_close(store);
    gcal_params_clear(&params);
    return rc;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_can_change_is_refused),
        cmocka_unit_test(the_folders_above_matter),
        cmocka_unit_test(what_belongs_to_others_is_refused),
        cmocka_unit_test(a_group_shares_its_store),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(nothing_is_written_through_links),
        cmocka_unit_test(a_type_keeps_the_fit_of_more_devices),
    };

    return cmocka_run_group_tests(tests, setup, sample_teardown);
}
