/* test_sign.c - keys and signatures */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/sign.h"
#include "tests/folder.h"

static const char text[] = "gpucal_params: 7\nnode: n1\n...\n";

/* "FOLDER/NAME", valid until the next but one call. */
static const char *path(const char *name)
{
    static char paths[2][128];
    static int next;

    next = !next;
    snprintf(paths[next], sizeof(paths[next]), "%s/%s", folder, name);
    return paths[next];
}

static void make_key(const char *name)
{
    struct gcal_error err;

    if (gcal_sign_keygen(path(name), &err) < 0)
        fail_msg("%s", err.text);
}

/* 'text' and its signature; the caller's to free. */
static char *sign(const char *key_name)
{
    struct gcal_sign_key *key = gcal_sign_key_read(path(key_name), NULL);
    char *line, *all;

    assert_non_null(key);
    assert_non_null(line = gcal_sign(key, text, strlen(text), NULL));
    all = gcal_buf_format("%s%s", text, line);
    free(line);
    gcal_sign_key_destroy(key);
    return all;
}

/* Whether one of the keys in a file signed it; else 'message' must be in the error. */
static bool is_good(const char *keys_name, const char *all, const char *message)
{
    struct gcal_error err = { 0 };
    struct gcal_sign_keys *keys =
        keys_name ? gcal_sign_keys_read(path(keys_name), NULL) : NULL;
    int rc;

    assert_true(keys || !keys_name);
    rc = gcal_sign_check(keys, all, strlen(all), &err);
    gcal_sign_keys_destroy(keys);
    if (rc < 0 && !strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
    return rc == 0;
}

static int setup(void **state)
{
    if (folder_make(state) < 0)
        return -1;
    make_key("a");
    make_key("b");
    return 0;
}

static void keys_are_kept_from_others(void **state)
{
    struct gcal_error err;
    struct stat info;

    (void)state;
    assert_int_equal(stat(path("a"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(gcal_sign_keygen(path("a"), &err), -1);
    assert_non_null(strstr(err.text, "not overwritten"));
    folder_write("c.pub", "x");
    assert_int_equal(gcal_sign_keygen(path("c"), &err), -1);
    assert_int_equal(stat(path("c"), &info), -1); /* no half of a pair is left */
    assert_int_equal(chmod(path("a"), 0640), 0);
    assert_null(gcal_sign_key_read(path("a"), &err));
    assert_non_null(strstr(err.text, "others can read it: run 'chmod go= "));
    assert_int_equal(chmod(path("a"), 0600), 0);
    assert_int_equal(chmod(path("a.pub"), 0666), 0);
    assert_null(gcal_sign_keys_read(path("a.pub"), &err));
    assert_non_null(strstr(err.text, "others can change it: run 'chmod o-w "));
    assert_int_equal(chmod(path("a.pub"), 0644), 0);
}

static void a_signature_holds_for_its_text_and_key(void **state)
{
    char *all = sign("a"), *other;

    (void)state;
    assert_int_equal(gcal_sign_find(all, strlen(all)), strlen(text));
    assert_true(is_good("a.pub", all, ""));
    assert_true(is_good(NULL, all, ""));
    assert_false(is_good("b.pub", all, "which is not trusted"));
    assert_false(is_good("a.pub", text, "not signed"));
    *strstr(all, "n1") = 'm';
    assert_false(is_good("a.pub", all, "changed since it was signed"));
    assert_false(is_good(NULL, all, "changed since it was signed"));
    *strstr(all, "m1") = 'n';
    /* Two lines: the last counts, and signs nothing. */
    other = gcal_buf_format("%s%s", all, all + strlen(text));
    assert_false(is_good("a.pub", other, "changed since"));
    free(other);
    /* Something behind it. */
    other = gcal_buf_format("%sx: 1\n", all);
    assert_false(is_good("a.pub", other, "not signed"));
    free(other);
    free(all);
}

/* The name of b's key does not make a's signature b's. */
static void a_key_cannot_be_claimed(void **state)
{
    char *a = sign("a"), *b = sign("b"), *key = strstr(a, "ed25519 ") + 8;

    (void)state;
    memcpy(key, strstr(b, "ed25519 ") + 8, 44);
    assert_false(is_good("b.pub", a, "changed since it was signed"));
    free(a);
    free(b);
}

static void what_is_no_signature_is_refused(void **state)
{
    char *all = sign("a"), *end = all + strlen(all);

    (void)state;
    end[-3] = '*';
    assert_false(is_good("a.pub", all, "invalid signature line"));
    strcpy(end - 5, "\n");
    assert_false(is_good("a.pub", all, "invalid signature line"));
    strcpy(strstr(all, "ed25519"), "rsa 1 2\n");
    assert_false(is_good("a.pub", all, "invalid signature line"));
    free(all);
    assert_int_equal(gcal_sign_find("", 0), 0);
    assert_int_equal(gcal_sign_find("\n", 1), 1);
}

static void a_file_may_hold_several_keys(void **state)
{
    char *a = gcal_file_read(path("a.pub"), 1000, NULL, NULL);
    char *b = gcal_file_read(path("b.pub"), 1000, NULL, NULL);
    char *both = gcal_buf_format("# until June\n%.44s the old one\n\n%s", a, b);
    char *by_a = sign("a"), *by_b = sign("b");

    (void)state;
    folder_write("both.pub", both);
    assert_true(is_good("both.pub", by_a, ""));
    assert_true(is_good("both.pub", by_b, ""));
    free(a);
    free(b);
    free(both);
    free(by_a);
    free(by_b);
}

static void files_without_keys_are_refused(void **state)
{
    struct gcal_error err;

    (void)state;
    folder_write("none", "# no key\n\n");
    assert_null(gcal_sign_keys_read(path("none"), &err));
    assert_non_null(strstr(err.text, "contains no public key"));
    folder_write("bad", "# x\nAAAA\n");
    assert_null(gcal_sign_keys_read(path("bad"), &err));
    assert_non_null(strstr(err.text, "bad:2: not a public key"));
    assert_int_equal(chmod(path("bad"), 0600), 0);
    assert_null(gcal_sign_key_read(path("bad"), &err));
    assert_non_null(strstr(err.text, "not a secret key"));
    assert_null(gcal_sign_keys_read(path("nowhere"), &err));
    assert_int_equal(err.code, GCAL_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_kept_from_others),
        cmocka_unit_test(a_signature_holds_for_its_text_and_key),
        cmocka_unit_test(a_key_cannot_be_claimed),
        cmocka_unit_test(what_is_no_signature_is_refused),
        cmocka_unit_test(a_file_may_hold_several_keys),
        cmocka_unit_test(files_without_keys_are_refused),
    };

    return cmocka_run_group_tests(tests, setup, folder_remove);
}
