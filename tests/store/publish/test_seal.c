/* test_seal.c - signatures of the ledger, and through it of tracks: what a writer without the key
 * changes is found
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/sign.h"
#include "store/ledger/ledger.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define SEGMENT "ledger/here.tsv"
#define TRACK   "tracks/n1.tsv"

static void publish(const char *folder, const char *key, const char *run, double madd_s)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", madd_s);
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_error err;

    free(params.devices[0].run_id);
    params.devices[0].run_id = strdup(run);
    if (key)
        assert_int_equal(gcal_store_sign_with(store, sample_path(folder, key), NULL), 0);
    if (gcal_store_publish(store, &params, run, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
    gcal_params_clear(&params);
}

/* 'message' NULL: all is good for readers with that key. */
static void expect(const char *folder, const char *keys, const char *message)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_verify_result v;

    assert_int_equal(gcal_store_trust(store, sample_path(folder, keys), NULL), 0);
    assert_int_equal(gcal_store_verify(store, &v, NULL), 0);
    if (message ? !v.text || !strstr(v.text, message) : v.n_damaged > 0)
        fail_msg("expected '%s', found '%s'", message ? message : "nothing",
                 v.text ? v.text : "nothing");
    gcal_verify_result_clear(&v);
    gcal_store_close(store);
}

static char *read_text(const char *folder, const char *name)
{
    size_t size;

    return sample_file_read(sample_path(folder, name), &size);
}

static void write_text(const char *folder, const char *name, const char *text)
{
    sample_file_write(sample_path(folder, name), text, strlen(text));
}

/* The ledger as somebody without the key can make it: any lines, with a chain that holds;
 * 'replace' in place of 'find', and without seals if 'bare'.
 */
static void forge(const char *folder, const char *find, const char *replace, bool bare)
{
    char *text = read_text(folder, SEGMENT), previous[GCAL_HASH_TEXT_SIZE] = "", *rest;
    struct gcal_buf buf = { 0 };

    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        size_t start = buf.size;
        char *at = strstr(line, find);

        if (bare && strstr(line, "\t" GCAL_LEDGER_SEAL "\t"))
            continue;
        if (at)
            strncpy(at, replace, strlen(replace)); /* NOLINT: in the middle of a text */
        gcal_buf_printf(&buf, "%s%s", previous, *previous ? strchr(line, '\t') : line);
        gcal_hash(buf.data + start, buf.size - start, previous);
        gcal_buf_puts(&buf, "\n");
    }
    sample_file_write(sample_path(folder, SEGMENT), buf.data, buf.size);
    gcal_buf_free(&buf);
    free(text);
}

static void a_ledger_is_signed_line_by_line(void **state)
{
    assert_int_equal(gcal_sign_keygen(sample_path(*state, "a"), NULL), 0);
    assert_int_equal(gcal_sign_keygen(sample_path(*state, "b"), NULL), 0);
    publish(*state, "a", "r1", 1e-12);
    publish(*state, "a", "r2", 2e-12);
    sample_expect_verified(*state, 0, 0, NULL);
    expect(*state, "a.pub", NULL);
    expect(*state, "b.pub", "lines are not signed");
}

/* Each change is one that the chain alone does not show. */
static void forged_lines_are_found(void **state)
{
    char *kept = read_text(*state, SEGMENT);

    forge(*state, "r2", "r2", false); /* the same again: nothing is changed */
    expect(*state, "a.pub", NULL);
    forge(*state, "\tr1\t", "\tr9\t", false);
    expect(*state, "a.pub", "ledger/here.tsv:3: the seal: changed since it was signed");
    write_text(*state, SEGMENT, kept);
    forge(*state, "\tr1\t", "\tr1\t", true); /* without seals */
    sample_expect_verified(*state, 0, 0, NULL);
    expect(*state, "a.pub", "lines are not signed");
    write_text(*state, SEGMENT, kept);
    expect(*state, "a.pub", NULL);
    free(kept);
}

/* A seal of one host is none of another's. */
static void a_seal_holds_in_its_segment(void **state)
{
    char *kept = read_text(*state, SEGMENT);

    write_text(*state, "ledger/there.tsv", kept);
    expect(*state, "a.pub", "ledger/there.tsv:3: the seal");
    assert_int_equal(unlink(sample_path(*state, "ledger/there.tsv")), 0);
    expect(*state, "a.pub", NULL);
    free(kept);
}

/* With a ledger that fits, as only someone with a key can write it. */
static void forged_tracks_are_found(void **state)
{
    char *track = read_text(*state, TRACK), *ledger = read_text(*state, SEGMENT), *at;
    char before[GCAL_HASH_TEXT_SIZE], after[GCAL_HASH_TEXT_SIZE], *mine;

    /* the last lines, whose hash the ledger has */
    for (mine = track; *mine; mine++) {
        gcal_hash(mine, strlen(mine), before);
        if (strstr(ledger, before))
            break;
    }
    assert_true(*mine);
    at = strstr(mine, "2.04e-12");
    assert_non_null(at);
    *at = '3';
    gcal_hash(mine, strlen(mine), after);
    write_text(*state, TRACK, track);
    sample_expect_verified(*state, 1, 0, TRACK);
    forge(*state, before, after, true);
    sample_expect_verified(*state, 0, 0, NULL); /* without keys nothing shows it */
    expect(*state, "a.pub", "lines are not signed");
    *at = '2';
    write_text(*state, TRACK, track);
    write_text(*state, SEGMENT, ledger);
    expect(*state, "a.pub", NULL);
    free(track);
    free(ledger);
}

/* A ledger of before, and lines of a new key, whose seal signs those of the old one, too. */
static void a_new_key_signs_all(void **state)
{
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);
    size_t n;

    forge(*state, "r1", "r1", true);
    assert_int_equal(gcal_store_sign_with(store, sample_path(*state, "b"), NULL), 0);
    assert_int_equal(gcal_store_sign(store, &n, NULL), 0);
    assert_true(n > 0);
    gcal_store_close(store);
    expect(*state, "b.pub", NULL);
    expect(*state, "a.pub", "lines are not signed");
    publish(*state, "b", "r3", 3e-12);
    expect(*state, "b.pub", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ledger_is_signed_line_by_line),
        cmocka_unit_test(forged_lines_are_found),
        cmocka_unit_test(a_seal_holds_in_its_segment),
        cmocka_unit_test(forged_tracks_are_found),
        cmocka_unit_test(a_new_key_signs_all),
    };

    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
