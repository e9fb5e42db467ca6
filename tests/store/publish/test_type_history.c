/* test_type_history.c - what the file of a type said before: kept, verified, signed and pruned */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "store/ledger/lines.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

/* A fit of type t1 by 'run', identified by its cost; the store is the caller's. */
static int publish_in(struct gcal_store *store, const char *run, double madd_s,
                      struct gcal_error *err)
{
    struct gcal_params params = sample_params("x", "uuid:7f", madd_s);
    int rc;

    free(params.devices[0].run_id);
    params.devices[0].run_id = strdup(run);
    rc = gcal_store_publish_type(store, &params, "t1", run, err);
    gcal_params_clear(&params);
    return rc;
}

static void publish(const char *folder, const char *run, double madd_s)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;

    if (publish_in(store, run, madd_s, &err) != 1)
        fail_msg("%s", err.text);
    gcal_store_close(store);
}

/* r1, r2 and r3, with costs of 1 to 3 ps. */
static char *three_fits(void)
{
    char *folder = sample_folder();

    publish(folder, "r1", 1e-12);
    publish(folder, "r2", 2e-12);
    publish(folder, "r3", 3e-12);
    return folder;
}

/* 'run_id' NULL: of the current file. */
static double cost(const char *folder, const char *run_id)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_params params;
    struct gcal_error err;
    double value;

    if (gcal_store_load_type(store, "t1", run_id, &params, &err) < 0)
        fail_msg("%s", err.text);
    value = params.devices[0].models[0].value[0];
    gcal_params_clear(&params);
    gcal_store_close(store);
    return value;
}

static size_t prune(const char *folder, size_t keep)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;
    size_t removed;

    if (gcal_store_prune(store, keep, NAN, false, &removed, NULL, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    return removed;
}

/* ---- the tests ---- */

static void each_fit_is_kept(void **state)
{
    char *folder = three_fits();

    (void)state;
    sample_expect_history(folder, "types/t1", "r1;r2;r3;");
    assert_true(cost(folder, "r1") == 1e-12 && cost(folder, "r2") == 2e-12);
    assert_true(cost(folder, "r3") == 3e-12 && cost(folder, NULL) == 3e-12);
    publish(folder, "r2", 2.5e-12); /* fitted again */
    sample_expect_history(folder, "types/t1", "r1;r3;r2;");
    assert_true(cost(folder, "r2") == 2.5e-12);
    sample_expect_verified(folder, 0, 0, NULL);
    sample_folder_remove(folder);
}

static void expect_missing(const char *folder, const char *type, const char *run_id,
                           const char *message)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_params params;
    struct gcal_error err;

    assert_int_equal(gcal_store_load_type(store, type, run_id, &params, &err), -1);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
    gcal_store_close(store);
}

static void what_is_not_there_is_named(void **state)
{
    char *folder = three_fits();

    (void)state;
    expect_missing(folder, "t1", "r9", "no run r9 of device type t1; runs: r1, r2, r3");
    expect_missing(folder, "t2", NULL,
                   "device type t2 is not calibrated; calibrated device types: t1");
    expect_missing(folder, "../t1", NULL, "cannot be the name of a device type");
    sample_folder_remove(folder);
}

/* Verifies with the file 'name' as 'text' (NULL: without it), and puts it back. */
static void expect_damage(const char *folder, const char *name, const char *text,
                          const char *message)
{
    char *path = strdup(sample_path(folder, name)), *kept = NULL;
    size_t size;

    if (access(path, F_OK) == 0)
        kept = sample_file_read(path, &size);
    if (text)
        sample_file_write(path, text, strlen(text));
    else
        assert_int_equal(unlink(path), 0);
    sample_expect_verified(folder, 1, 0, message);
    if (kept)
        sample_file_write(path, kept, size);
    else
        assert_int_equal(unlink(path), 0);
    sample_expect_verified(folder, 0, 0, NULL);
    free(kept);
    free(path);
}

static void each_damage_is_found(void **state)
{
    char *folder = three_fits(), *older;
    size_t size;

    (void)state;
    older = sample_file_read(sample_path(folder, "type-history/t1/r1.yaml"), &size);
    expect_damage(folder, "type-history/t1/r2.yaml", "x\n",
                  "type-history/t1/r2.yaml differs from the published file");
    expect_damage(folder, "type-history/t1/r2.yaml", older,
                  "type-history/t1/r2.yaml differs from the published file");
    expect_damage(folder, "type-history/t1/r3.yaml", NULL,
                  "type-history/t1/r3.yaml is missing");
    expect_damage(folder, "type-history/t1/r1.yaml", NULL,
                  "type-history/t1/r1.yaml is missing");
    expect_damage(folder, "type-history/t1/r0.yaml", older,
                  "type-history/t1/r0.yaml is not in the ledger");
    expect_damage(folder, "types/t1.yaml", older, "somebody restored the old one");
    assert_int_equal(mkdir(sample_path(folder, "type-history/t2"), 0755), 0);
    expect_damage(folder, "type-history/t2/r1.yaml", older,
                  "type-history/t2/r1.yaml is not in the ledger");
    free(older);
    sample_folder_remove(folder);
}

/* The runs' names are no order. */
static void pruning_keeps_what_was_published_last(void **state)
{
    char *folder = sample_folder(), *kept;
    const char *path = "type-history/t1/r9.yaml";
    size_t size;

    (void)state;
    publish(folder, "r9", 1e-12);
    publish(folder, "r1", 2e-12);
    publish(folder, "r5", 3e-12);
    kept = sample_file_read(sample_path(folder, path), &size);
    assert_int_equal(prune(folder, 2), 1);
    sample_expect_history(folder, "types/t1", "r1;r5;");
    sample_expect_verified(folder, 0, 0, NULL);
    sample_file_write(sample_path(folder, path), kept, size);
    sample_expect_verified(folder, 0, 1, "its removal was interrupted");
    assert_int_equal(prune(folder, 0), 3);
    sample_expect_verified(folder, 0, 0, NULL);
    assert_true(cost(folder, NULL) == 3e-12);
    free(kept);
    sample_folder_remove(folder);
}

static void copies_are_signed(void **state)
{
    char *folder = three_fits();
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_verify_result v;
    size_t n;

    (void)state;
    assert_int_equal(gcal_sign_keygen(sample_path(folder, "key"), NULL), 0);
    assert_int_equal(gcal_store_sign_with(store, sample_path(folder, "key"), NULL), 0);
    assert_int_equal(gcal_store_trust(store, sample_path(folder, "key.pub"), NULL), 0);
    assert_int_equal(gcal_store_sign(store, &n, NULL), 0);
    assert_int_equal(n, 4);
    assert_int_equal(publish_in(store, "r4", 4e-12, NULL), 1);
    assert_int_equal(gcal_store_verify(store, &v, NULL), 0);
    assert_int_equal(v.n_damaged, 0);
    assert_int_equal(v.n_files, 5);
    assert_int_equal(v.n_signed, 5);
    gcal_verify_result_clear(&v);
    gcal_store_close(store);
    sample_folder_remove(folder);
}

/* A copy that was published without a key is refused by readers with keys. */
static void unsigned_copies_are_refused(void **state)
{
    char *folder = three_fits();
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_params params;
    struct gcal_error err;

    (void)state;
    assert_int_equal(gcal_sign_keygen(sample_path(folder, "key"), NULL), 0);
    assert_int_equal(gcal_store_trust(store, sample_path(folder, "key.pub"), NULL), 0);
    assert_int_equal(gcal_store_load_type(store, "t1", "r1", &params, &err), -1);
    assert_non_null(strstr(err.text, "type-history/t1/r1.yaml: not signed"));
    gcal_store_close(store);
    sample_folder_remove(folder);
}

/* A node may have the name of a type, or that of a folder. */
static void names_may_be_the_same(void **state)
{
    static const char *const nodes[] = { "t1", "types", "type-history" };
    char *folder = three_fits();

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct gcal_params params = sample_params(nodes[i], "uuid:7f", 9e-12);
        struct gcal_store *store = gcal_store_open_writable(folder, NULL);

        assert_int_equal(gcal_store_publish(store, &params, "r1", NULL), 0);
        gcal_store_close(store);
        gcal_params_clear(&params);
    }
    sample_expect_history(folder, "types/t1", "r1;r2;r3;");
    sample_expect_history(folder, "nodes/t1", "r1;");
    sample_expect_history(folder, "nodes/types", "r1;");
    assert_true(cost(folder, "r1") == 1e-12);
    assert_int_equal(prune(folder, 1), 2);
    sample_expect_verified(folder, 0, 0, NULL);
    sample_folder_remove(folder);
}

enum { N_PUBLISHERS = 5, N_FITS = 12 };

static void publish_all(const char *folder, int publisher)
{
    char run[20];

    for (int i = 0; i < N_FITS; i++) {
        snprintf(run, sizeof(run), "r%d.%d", publisher, i);
        publish(folder, run, 1e-12 * (1 + i * N_PUBLISHERS + publisher));
    }
}

/* All at the same time, and a verification meanwhile: no copy is lost or torn. */
static void publishers_take_turns(void **state)
{
    char *folder = sample_folder(), **runs;
    struct gcal_store *store;
    struct gcal_verify_result v;
    size_t n;
    int status;

    (void)state;
    for (int k = 0; k < N_PUBLISHERS; k++)
        if (fork() == 0) {
            publish_all(folder, k);
            _exit(0);
        }
    store = gcal_store_open(folder, NULL);
    for (int k = 0; k < N_PUBLISHERS; k++) {
        assert_int_equal(gcal_store_verify(store, &v, NULL), 0);
        if (v.n_damaged)
            fail_msg("%s", v.text);
        gcal_verify_result_clear(&v);
        assert_true(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
    }
    assert_int_equal(gcal_store_history(store, "types/t1", &runs, &n, NULL), 0);
    assert_int_equal(n, N_PUBLISHERS * N_FITS);
    gcal_strings_free(runs, n);
    gcal_store_close(store);
    sample_expect_verified(folder, 0, 0, NULL);
    sample_folder_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fit_is_kept),
        cmocka_unit_test(what_is_not_there_is_named),
        cmocka_unit_test(each_damage_is_found),
        cmocka_unit_test(pruning_keeps_what_was_published_last),
        cmocka_unit_test(copies_are_signed),
        cmocka_unit_test(unsigned_copies_are_refused),
        cmocka_unit_test(names_may_be_the_same),
        cmocka_unit_test(publishers_take_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
