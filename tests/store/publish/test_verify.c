/* test_verify.c - verification of a store against its ledger; pruning and signing */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "store/ledger/lines.h"
#include "store/files/internal.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define RUN "20261121T041705Z-1a2b3c4d" /* of sample_params() */

/* A calibration by 'run' of a device of n1, identified by its cost. */
static void publish(const char *folder, const char *run, double madd_s)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", madd_s);
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;

    free(params.devices[0].run_id);
    params.devices[0].run_id = strdup(run);
    if (gcal_store_publish(store, &params, run, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    gcal_params_clear(&params);
}

struct kept {
    char *path, *text;
    size_t size;
};

static struct kept keep(const char *folder, const char *name)
{
    struct kept kept = { .path = gcal_buf_format("%s/%s", folder, name) };

    kept.text = sample_file_read(kept.path, &kept.size);
    return kept;
}

static void put_back(struct kept *kept)
{
    sample_file_write(kept->path, kept->text, kept->size);
    free(kept->path);
    free(kept->text);
}

/* Changes bytes, but not the size. */
static void damage(const char *folder, const char *name)
{
    struct kept kept = keep(folder, name);

    kept.text[kept.size / 2] ^= 1;
    put_back(&kept);
}

static void checks(const char *folder, const char *name, const char *message)
{
    struct kept kept = keep(folder, name);

    damage(folder, name);
    sample_expect_verified(folder, 1, 0, message);
    put_back(&kept);
    sample_expect_verified(folder, 0, 0, NULL);
}

static void what_was_published_is_good(void **state)
{
    struct gcal_params params = sample_params("x", "uuid:7f", 1e-12);
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);

    sample_expect_verified(*state, 0, 0, NULL);
    publish(*state, "r1", 1e-12);
    publish(*state, "r2", 2e-12);
    publish(*state, "r2", 2.5e-12); /* fitted again */
    publish(*state, "r3", 3e-12);
    assert_int_equal(gcal_store_publish_type(store, &params, "t1", "r1", NULL), 1);
    gcal_store_close(store);
    gcal_params_clear(&params);
    sample_expect_verified(*state, 0, 0, NULL);
}

static void changes_are_damage(void **state)
{
    checks(*state, "nodes/n1.yaml", "nodes/n1.yaml differs from the published file");
    checks(*state, "types/t1.yaml", "types/t1.yaml differs from the published file");
    checks(*state, "history/n1/r2.yaml",
           "history/n1/r2.yaml differs from the published file");
    checks(*state, "tracks/n1.tsv", "the lines of run r2 are missing or were changed");
}

static void missing(const char *folder, const char *name, const char *message)
{
    struct kept kept = keep(folder, name);

    assert_int_equal(unlink(kept.path), 0);
    sample_expect_verified(folder, 1, 0, message);
    put_back(&kept);
    sample_expect_verified(folder, 0, 0, NULL);
}

static void what_is_missing_is_damage(void **state)
{
    struct kept kept;

    missing(*state, "nodes/n1.yaml", "nodes/n1.yaml is missing");
    missing(*state, "history/n1/r1.yaml", "history/n1/r1.yaml is missing");
    kept = keep(*state, "tracks/n1.tsv");
    assert_int_equal(unlink(kept.path), 0);
    sample_expect_verified(*state, 4, 0, "the lines of run r3 are missing");
    put_back(&kept);
    /* All files are unknown then. */
    kept = keep(*state, "ledger/here.tsv");
    assert_int_equal(unlink(kept.path), 0);
    sample_expect_verified(*state, 7, 0, "history/n1/r1.yaml is not in the ledger");
    put_back(&kept);
    sample_expect_verified(*state, 0, 0, NULL);
}

static void foreign(const char *folder, const char *name, const char *message)
{
    sample_file_write(sample_path(folder, name), "x\n", 2);
    sample_expect_verified(folder, 1, 0, message);
    assert_int_equal(unlink(sample_path(folder, name)), 0);
    sample_expect_verified(folder, 0, 0, NULL);
}

static void foreign_files_are_damage(void **state)
{
    struct kept track = keep(*state, "tracks/n1.tsv");
    FILE *file;

    foreign(*state, "nodes/n2.yaml", "nodes/n2.yaml is not in the ledger");
    foreign(*state, "types/t2.yaml", "types/t2.yaml is not in the ledger");
    foreign(*state, "history/n1/r0.yaml", "history/n1/r0.yaml is not in the ledger");
    assert_int_equal(symlink("n1.yaml", sample_path(*state, "nodes/n3.yaml")), 0);
    sample_expect_verified(*state, 1, 0, "symbolic link");
    assert_int_equal(unlink(sample_path(*state, "nodes/n3.yaml")), 0);
    assert_non_null(file = fopen(track.path, "a"));
    fputs("run\tr4\tx\n", file);
    assert_int_equal(fclose(file), 0);
    sample_expect_verified(*state, 1, 0, "lines at its end are not in the ledger");
    put_back(&track);
}

/* As after a crash before the line of the ledger that says that the publication ended. */
static void remove_end(const char *folder)
{
    struct kept ledger = keep(folder, "ledger/here.tsv");

    do
        ledger.size--;
    while (ledger.text[ledger.size - 1] != '\n');
    assert_non_null(strstr(ledger.text + ledger.size, "\tend\t"));
    put_back(&ledger);
}

/* A crash just before the last step leaves the previous file. */
static void the_previous_file_is_an_interrupted_publication(void **state)
{
    struct kept before = keep(*state, "nodes/n1.yaml");

    publish(*state, "r4", 4e-12);
    sample_file_write(before.path, before.text, before.size);
    sample_expect_verified(*state, 1, 0, "somebody restored the old one");
    remove_end(*state);
    sample_expect_verified(
        *state, 0, 1,
        "the publication by run r4 was interrupted, the file of run r3 "
        "is still the current one");
    publish(*state, "r5", 5e-12);
    sample_expect_verified(*state, 0, 0, NULL);
    /* The ledger proves that a newer file was current since. */
    publish(*state, "r6", 6e-12);
    put_back(&before);
    sample_expect_verified(*state, 1, 0, "somebody restored the old one");
    publish(*state, "r7", 7e-12);
}

static void the_only_file_is_missed(void **state)
{
    char *folder = sample_folder();

    (void)state;
    publish(folder, "r1", 1e-12);
    assert_int_equal(unlink(sample_path(folder, "nodes/n1.yaml")), 0);
    sample_expect_verified(folder, 1, 0,
                           "nodes/n1.yaml is missing: the ledger says it was published");
    remove_end(folder);
    sample_expect_verified(folder, 0, 1,
                           "its first publication, by run r1, was interrupted");
    sample_folder_remove(folder);
}

static void a_cut_track_is_repaired(void **state)
{
    char *folder = sample_folder();
    struct kept node, history, track;

    (void)state;
    publish(folder, "r1", 1e-12);
    node = keep(folder, "nodes/n1.yaml");
    publish(folder, "r2", 2e-12);
    track = keep(folder, "tracks/n1.tsv");
    /* As after a crash in the middle of the track's line. */
    put_back(&node);
    remove_end(folder);
    assert_int_equal(unlink(sample_path(folder, "history/n1/r2.yaml")), 0);
    assert_int_equal(truncate(track.path, (off_t)track.size - 30), 0);
    sample_expect_verified(folder, 0, 1, "the publication by run r2 was interrupted");
    publish(folder, "r2", 2.5e-12);
    publish(folder, "r3", 3e-12);
    sample_expect_verified(folder, 0, 0, NULL);
    history = keep(folder, "history/n1/r2.yaml");
    assert_non_null(strstr(history.text, "2.5e-12"));
    put_back(&history);
    free(track.path);
    free(track.text);
    sample_folder_remove(folder);
}

static size_t prune(const char *folder, size_t keep, double max_age_s, bool dry_run)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;
    size_t removed;

    if (gcal_store_prune(store, keep, max_age_s, dry_run, &removed, NULL, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    return removed;
}

static void pruned_files_are_not_missing(void **state)
{
    struct kept kept = keep(*state, "history/n1/r1.yaml");

    assert_int_equal(prune(*state, 2, NAN, true), 5); /* of r1 to r7 */
    assert_int_equal(prune(*state, 2, 3600, false), 0);
    sample_expect_verified(*state, 0, 0, NULL);
    assert_int_equal(prune(*state, 5, NAN, false), 2);
    sample_expect_verified(*state, 0, 0, NULL);
    assert_int_equal(access(sample_path(*state, "history/n1/r2.yaml"), F_OK), -1);
    assert_int_equal(access(sample_path(*state, "history/n1/r3.yaml"), F_OK), 0);
    put_back(&kept);
    sample_expect_verified(*state, 0, 1, "its removal was interrupted");
    assert_int_equal(prune(*state, 5, NAN, false), 1);
    publish(*state, "r1", 1e-12); /* again */
    sample_expect_verified(*state, 0, 0, NULL);
    publish(*state, "r7", 7.5e-12);
}

static struct gcal_store *open_signing(const char *folder, const char *key)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;

    if (gcal_store_sign_with(store, sample_path(folder, key), &err) < 0)
        fail_msg("%s", err.text);
    return store;
}

static bool is_trusted(const char *folder, const char *keys, const char *message)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_params_index *index;
    struct gcal_params params;
    struct gcal_error err = { 0 };
    bool good;

    assert_int_equal(gcal_store_trust(store, sample_path(folder, keys), NULL), 0);
    good = gcal_store_load(store, "n1", NULL, &params, &err) == 0;
    if (good)
        gcal_params_clear(&params);
    index = gcal_store_load_index(store, "n1", NULL, NULL);
    assert_true(good == (index != NULL));
    gcal_params_index_destroy(index);
    gcal_store_close(store);
    if (!good && !strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
    return good;
}

/* What was published last stays, whatever the clocks of the runs said. */
static void prune_goes_by_publication(void **state)
{
    char *folder = sample_folder(), **runs;
    struct gcal_store *store;
    struct gcal_ledger_lines lines = { 0 };
    size_t n;

    (void)state;
    publish(folder, "20290101T000000Z-1", 1e-12);
    publish(folder, "20270101T000000Z-2", 2e-12);
    publish(folder, "20280101T000000Z-3", 3e-12);
    lines.store = store = gcal_store_open(folder, NULL);
    assert_int_equal(gcal_ledger_lines_refresh(&lines, NULL), 0);
    gcal_ledger_lines_sort(&lines);
    assert_int_equal(gcal_ledger_history(&lines, "nodes/n1", &runs, &n, NULL, NULL), 0);
    assert_int_equal(n, 3);
    assert_string_equal(runs[0], "20290101T000000Z-1");
    assert_string_equal(runs[1], "20270101T000000Z-2");
    assert_string_equal(runs[2], "20280101T000000Z-3");
    gcal_strings_free(runs, n);
    gcal_ledger_lines_clear(&lines);
    gcal_store_close(store);
    assert_int_equal(prune(folder, 1, NAN, false), 2);
    assert_int_equal(
        access(sample_path(folder, "history/n1/20280101T000000Z-3.yaml"), F_OK), 0);
    sample_expect_verified(folder, 0, 0, NULL);
    sample_folder_remove(folder);
}

/* As where removing it failed as well: also when the next publication fails early. */
static void what_a_failed_publication_left_is_removed(void **state)
{
    char *folder = sample_folder(), *temp = gcal_store_temp("n1"),
         *kept_temp = gcal_store_temp("");
    struct gcal_params params = sample_params("n1", "uuid:7f", 1e-12);
    struct gcal_store *store;
    char path[400];

    (void)state;
    publish(folder, "r1", 1e-12);
    store = gcal_store_open_writable(folder, NULL);
    snprintf(path, sizeof(path), "nodes/%s", temp);
    sample_file_write(sample_path(folder, path), "x", 1);
    snprintf(path, sizeof(path), "history/n1/%s", kept_temp);
    sample_file_write(sample_path(folder, path), "x", 1);
    sample_file_write(sample_path(folder, "tracks/n1.tsv"), "x\n", 2);
    assert_int_equal(gcal_store_publish(store, &params, "r2", NULL), -1);
    assert_int_equal(access(sample_path(folder, path), F_OK), -1);
    snprintf(path, sizeof(path), "nodes/%s", temp);
    assert_int_equal(access(sample_path(folder, path), F_OK), -1);
    gcal_store_close(store);
    gcal_params_clear(&params);
    free(temp);
    free(kept_temp);
    sample_folder_remove(folder);
}

/* Files that gpucal did not write are not gpucal's to remove. */
static void prune_leaves_what_the_ledger_does_not_have(void **state)
{
    char *folder = sample_folder();
    struct gcal_store *store;
    struct gcal_strings strangers = { 0 };
    size_t removed;

    (void)state;
    publish(folder, "r1", 1e-12);
    publish(folder, "r2", 2e-12);
    store = gcal_store_open_writable(folder, NULL);
    sample_file_write(sample_path(folder, "history/n1/0notes.yaml"), "x", 1);
    sample_file_write(sample_path(folder, "history/0notes.txt"), "x", 1);
    assert_int_equal(symlink("/", sample_path(folder, "history/z")), 0);
    assert_int_equal(gcal_store_prune(store, 0, NAN, false, &removed, &strangers, NULL),
                     0);
    assert_int_equal(strangers.n, 3);
    assert_string_equal(strangers.items[0], "history/0notes.txt");
    assert_string_equal(strangers.items[1], "history/n1/0notes.yaml");
    assert_string_equal(strangers.items[2], "history/z");
    assert_int_equal(access(sample_path(folder, strangers.items[0]), F_OK), 0);
    assert_int_equal(access(sample_path(folder, strangers.items[1]), F_OK), 0);
    assert_int_equal(removed, 2);
    gcal_strings_clear(&strangers);
    gcal_store_close(store);
    sample_folder_remove(folder);
}

/* What a killed process left a while ago. */
static void prune_removes_what_was_left(void **state)
{
    const struct timeval old[2] = { { 1000000000, 0 }, { 1000000000, 0 } };

    sample_file_write(sample_path(*state, "nodes/.try.n1"), "x", 1);
    sample_file_write(sample_path(*state, "types/.publish.t.n1"), "x", 1);
    sample_file_write(sample_path(*state, "tracks/.try.now"), "x", 1);
    assert_int_equal(utimes(sample_path(*state, "nodes/.try.n1"), old), 0);
    assert_int_equal(utimes(sample_path(*state, "types/.publish.t.n1"), old), 0);
    assert_int_equal(prune(*state, 100, NAN, false), 2);
    assert_int_equal(access(sample_path(*state, "nodes/.try.n1"), F_OK), -1);
    assert_int_equal(access(sample_path(*state, "tracks/.try.now"), F_OK), 0);
    assert_int_equal(unlink(sample_path(*state, "tracks/.try.now")), 0);
}

static void new_signatures_are_good(void **state)
{
    struct gcal_store *store;
    struct gcal_verify_result v;
    size_t n;

    assert_int_equal(gcal_sign_keygen(sample_path(*state, "a"), NULL), 0);
    assert_int_equal(gcal_sign_keygen(sample_path(*state, "b"), NULL), 0);
    assert_false(is_trusted(*state, "a.pub", "nodes/n1.yaml: not signed"));
    store = open_signing(*state, "a");
    assert_int_equal(gcal_store_sign(store, &n, NULL), 0);
    assert_true(n > 5);
    assert_int_equal(gcal_store_sign(store, &n, NULL), 0);
    assert_int_equal(n, 0);
    gcal_store_close(store);
    sample_expect_verified(*state, 0, 0, NULL);
    assert_true(is_trusted(*state, "a.pub", ""));
    assert_false(is_trusted(*state, "b.pub", "is not trusted"));
    store = gcal_store_open(*state, NULL);
    assert_int_equal(gcal_store_trust(store, sample_path(*state, "a.pub"), NULL), 0);
    assert_int_equal(gcal_store_verify(store, &v, NULL), 0);
    assert_true(v.n_damaged == 0 && v.n_signed + 1 == v.n_files); /* but the track */
    gcal_verify_result_clear(&v);
    gcal_store_close(store);
}

/* All files are signed with key a. */
static void what_is_published_with_a_key_is_signed(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:80", 8e-12);
    struct gcal_store *store = open_signing(*state, "b");
    struct gcal_error err;
    struct kept kept;

    /* Devices of an old file without a trusted signature are not signed. */
    assert_int_equal(gcal_store_publish(store, &params, RUN, &err), -1);
    assert_int_equal(err.code, GCAL_ESTORE);
    assert_non_null(strstr(err.text, "is not trusted"));
    assert_non_null(strstr(err.text, "sign it by 'gpucal store sign'"));
    assert_int_equal(gcal_store_trust(store, sample_path(*state, "a.pub"), NULL), 0);
    assert_int_equal(gcal_store_publish(store, &params, RUN, NULL), 0);
    assert_int_equal(gcal_store_publish_type(store, &params, "t1", RUN, NULL), 1);
    assert_int_equal(gcal_store_publish(store, &params, RUN, NULL), 0);
    gcal_store_close(store);
    gcal_params_clear(&params);
    assert_true(is_trusted(*state, "b.pub", ""));
    assert_false(is_trusted(*state, "a.pub", "is not trusted"));
    sample_expect_verified(*state, 0, 0, NULL);
    kept = keep(*state, "nodes/n1.yaml");
    damage(*state, "nodes/n1.yaml");
    assert_false(is_trusted(*state, "b.pub", "changed since it was signed"));
    sample_expect_verified(*state, 2, 0, "its signature is wrong");
    put_back(&kept);
    sample_expect_verified(*state, 0, 0, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_published_is_good),
        cmocka_unit_test(changes_are_damage),
        cmocka_unit_test(what_is_missing_is_damage),
        cmocka_unit_test(foreign_files_are_damage),
        cmocka_unit_test(the_previous_file_is_an_interrupted_publication),
        cmocka_unit_test(the_only_file_is_missed),
        cmocka_unit_test(a_cut_track_is_repaired),
        cmocka_unit_test(pruned_files_are_not_missing),
        cmocka_unit_test(prune_goes_by_publication),
        cmocka_unit_test(what_a_failed_publication_left_is_removed),
        cmocka_unit_test(prune_leaves_what_the_ledger_does_not_have),
        cmocka_unit_test(prune_removes_what_was_left),
        cmocka_unit_test(new_signatures_are_good),
        cmocka_unit_test(what_is_published_with_a_key_is_signed),
    };

    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
