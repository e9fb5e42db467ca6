/* test_ledger.c - the ledger: its hash chain, cut lines, concurrent writers */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/ledger/ledger.h"
#include "store/publish/publish.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

static void append(const char *folder, const char *file, const char *run_id)
{
    struct gcal_store *store = gcal_store_open_writable(folder, NULL);
    struct gcal_ledger_entry entry = {
        .action = "publish", .file = file, .run_id = run_id, .sha256 = "a\tb"
    };
    struct gcal_error err;

    if (gcal_ledger_append(store, &entry, 1, &err) < 0)
        fail_msg("%s", err.text);
    gcal_store_close(store);
}

struct seen {
    size_t n;
    char files[400]; /* "FILE RUN;" of each */
};

static void see(const struct gcal_ledger_entry *e, struct seen *seen)
{
    size_t length = strlen(seen->files);

    snprintf(seen->files + length, sizeof(seen->files) - length, "%s %s;", e->file,
             e->run_id);
    assert_int_equal(strlen(e->utc), 20);
    assert_non_null(strchr(e->who, '@'));
    assert_string_equal(e->sha256, "a_b"); /* no field has a tab in it */
    assert_string_equal(e->track, "");
    seen->n++;
}

static int read_ledger(const char *folder, struct seen *seen, struct gcal_error *err)
{
    struct gcal_store *store = gcal_store_open(folder, NULL);
    struct gcal_ledger_reader reader;
    struct gcal_ledger_entry entry;
    int rc = gcal_ledger_open(store, "ledger/here.tsv", &reader, err);

    *seen = (struct seen){ 0 };
    while (rc >= 0 && (rc = gcal_ledger_next(&reader, &entry, err)) > 0)
        see(&entry, seen);
    gcal_ledger_close(&reader);
    gcal_store_close(store);
    return rc;
}

static void expect(const char *folder, const char *files)
{
    struct gcal_error err;
    struct seen seen;

    if (read_ledger(folder, &seen, &err) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(seen.files, files);
}

static void refuses(const char *folder, const char *message)
{
    struct gcal_error err;
    struct seen seen;

    assert_int_equal(read_ledger(folder, &seen, &err), -1);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
}

static void lines_form_a_hash_chain(void **state)
{
    expect(*state, "");
    append(*state, "nodes/n1.yaml", "r1");
    append(*state, "nodes/n2.yaml", NULL);
    append(*state, "nodes/n1.yaml", "r2");
    expect(*state, "nodes/n1.yaml r1;nodes/n2.yaml ;nodes/n1.yaml r2;");
}

/* Replaces 'old' by 'new' in the ledger, once; returns the former text for restore(). */
static char *change(const char *folder, const char *old, const char *new)
{
    const char *path = sample_path(folder, "ledger/here.tsv");
    size_t size;
    char *text = sample_file_read(path, &size), *at = strstr(text, old);
    FILE *file = fopen(path, "w");

    assert_non_null(at);
    fprintf(file, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    assert_int_equal(fclose(file), 0);
    return text;
}

static void restore(const char *folder, char *text)
{
    sample_file_write(sample_path(folder, "ledger/here.tsv"), text, strlen(text));
    free(text);
}

static void changes_are_found(void **state)
{
    char *text, *first, *twice;
    size_t size;

    text = change(*state, "nodes/n1.yaml", "nodes/n3.yaml");
    refuses(*state, "ledger/here.tsv:3: does not match the hash of the previous line");
    restore(*state, text);
    text = change(*state, "gpucal_ledger 1", "gpucal_ledger 2");
    refuses(*state, "ledger/here.tsv:1: not a ledger, or written by another");
    restore(*state, text);
    text = change(*state, "\tpublish\t", "\t");
    refuses(*state, "ledger/here.tsv:2: not a line of a ledger");
    restore(*state, text);
    text = change(*state, "gpucal_ledger 1\n", "gpucal_ledger 1\n\n");
    refuses(*state, "ledger/here.tsv:2: not a line");
    restore(*state, text);
    /* The first entry is missing or repeated. */
    text = sample_file_read(sample_path(*state, "ledger/here.tsv"), &size);
    first = strchr(text, '\n') + 1;
    first = strndup(first, strcspn(first, "\n") + 1);
    twice = gcal_buf_format("%s%s", first, first);
    free(change(*state, first, ""));
    refuses(*state, "ledger/here.tsv:2: does not match");
    restore(*state, text);
    text = change(*state, first, twice);
    refuses(*state, "ledger/here.tsv:3: does not match");
    restore(*state, text);
    free(first);
    free(twice);
    expect(*state, "nodes/n1.yaml r1;nodes/n2.yaml ;nodes/n1.yaml r2;");
}

static void cut_lines_are_skipped(void **state)
{
    const char *path = sample_path(*state, "ledger/here.tsv");
    struct stat info;

    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size - 7), 0);
    expect(*state, "nodes/n1.yaml r1;nodes/n2.yaml ;");
    append(*state, "nodes/n4.yaml", "r4");
    append(*state, "nodes/n5.yaml", "r5");
    expect(*state, "nodes/n1.yaml r1;nodes/n2.yaml ;nodes/n4.yaml r4;nodes/n5.yaml r5;");
    /* Even in the first line. */
    path = sample_path(*state, "ledger/here.tsv");
    assert_int_equal(truncate(path, 5), 0);
    append(*state, "nodes/n6.yaml", "r6");
    expect(*state, "nodes/n6.yaml r6;");
    /* Zeros, as after power loss. */
    path = sample_path(*state, "ledger/here.tsv");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(truncate(path, info.st_size + 100), 0);
    expect(*state, "nodes/n6.yaml r6;");
    append(*state, "nodes/n7.yaml", "r7");
    expect(*state, "nodes/n6.yaml r6;nodes/n7.yaml r7;");
}

static void writers_take_turns(void **state)
{
    struct seen seen;
    char run_id[20];
    int status;

    for (int k = 0; k < 4; k++)
        if (fork() == 0) {
            for (int i = 0; i < 5; i++) {
                snprintf(run_id, sizeof(run_id), "%d.%d", k, i);
                append(*state, "f", run_id);
            }
            _exit(0);
        }
    for (int k = 0; k < 4; k++)
        assert_true(wait(&status) > 0 && WIFEXITED(status) && !WEXITSTATUS(status));
    assert_int_equal(read_ledger(*state, &seen, NULL), 0);
    assert_int_equal(seen.n, 22);
}

static void other_files_are_refused(void **state)
{
    const char *path = sample_path(*state, "ledger/here.tsv");
    struct gcal_ledger_entry entry = { .action = "publish", .file = "f" };
    struct gcal_store *store = gcal_store_open_writable(*state, NULL);
    struct gcal_error err;

    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    refuses(*state, "not a regular file");
    assert_int_equal(gcal_ledger_append(store, &entry, 1, &err), -1);
    assert_int_equal(err.code, GCAL_ESTORE);
    assert_int_equal(unlink(path), 0);
    sample_file_write(path, "gpucal_ledger 1\n", 16);
    assert_int_equal(chmod(path, 0666), 0);
    refuses(*state, "chmod o-w");
    assert_int_equal(gcal_ledger_append(store, &entry, 1, &err), -1);
    assert_int_equal(err.code, GCAL_ESTORE);
    assert_non_null(strstr(err.text, "chmod o-w"));
    gcal_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_form_a_hash_chain), cmocka_unit_test(changes_are_found),
        cmocka_unit_test(cut_lines_are_skipped),   cmocka_unit_test(writers_take_turns),
        cmocka_unit_test(other_files_are_refused),
    };

    return cmocka_run_group_tests(tests, sample_setup, sample_teardown);
}
