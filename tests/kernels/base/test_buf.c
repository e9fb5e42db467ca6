/* test_buf.c - growing buffers and texts, and files read into them */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"

/* ---- texts and arrays that grow ---- */

static void a_text_grows(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };
    char *text;

    (void)state;
    for (int i = 0; i < 713; i++)
        gcal_buf_printf(&buf, "%d,", i);
    gcal_buf_puts(&buf, "end");
    gcal_buf_put(&buf, NULL, 0);
    assert_int_equal(buf.size, 10 * 2 + 90 * 3 + 613 * 4 + 3);
    text = gcal_buf_take(&buf, &err);
    assert_memory_equal(text, "0,1,2,3,", 8);
    assert_string_equal(text + strlen(text) - 11, "711,712,end");
    free(text);
    assert_null(buf.data);
    assert_int_equal(buf.size, 0);
    text = gcal_buf_take(&buf, &err); /* of nothing: an empty text */
    assert_string_equal(text, "");
    free(text);
}

static void a_failed_text_is_told_once_at_its_end(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_buf buf = { 0 };

    (void)state;
    gcal_buf_puts(&buf, "some");
    gcal_buf_put(&buf, "x", SIZE_MAX / 2);
    assert_true(buf.failed);
    gcal_buf_puts(&buf, "more");
    assert_string_equal(buf.data, "some");
    assert_null(gcal_buf_take(&buf, &err));
    assert_string_equal(err.text, "out of memory");
    assert_null(buf.data);
}

static void an_array_grows(void **state)
{
    size_t capacity = 0;
    double *items = NULL;

    (void)state;
    for (size_t i = 0; i < 713; i++) {
        items = gcal_array_grow(items, i, &capacity, sizeof(*items), NULL);
        assert_non_null(items);
        assert_true(capacity > i);
        items[i] = 2.385 * (double)i;
    }
    for (size_t i = 0; i < 713; i++)
        assert_true(items[i] == 2.385 * (double)i);
    free(items);
}

static void errors_are_prefixed_and_cut(void **state)
{
    struct gcal_error err = { 0 };
    char longest[2000];

    (void)state;
    assert_int_equal(gcal_error_set(&err, GCAL_EFIT, "row %d", 7), -1);
    assert_int_equal(gcal_error_prefix(&err, "device %s", "n1"), -1);
    assert_string_equal(err.text, "device n1: row 7");
    assert_int_equal(err.code, GCAL_EFIT);
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    gcal_error_prefix(&err, "%s", longest);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    assert_int_equal(gcal_error_set(NULL, GCAL_EFIT, "%s", longest), -1);
    assert_int_equal(gcal_error_prefix(NULL, "%s", longest), -1);
}

/* ---- files ---- */

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/gcal-buf.XXXXXX");

    *state = folder;
    return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    int rc;

    unlink("file");
    unlink("link");
    unlink("fifo");
    rc = chdir("/") == 0 ? rmdir(*state) : -1;
    free(*state);
    return rc;
}

static void write_file(const char *data, size_t size)
{
    FILE *file = fopen("file", "w");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Not read, and the message says which file and 'why'. */
static void assert_unread(const char *path, size_t max_bytes, const char *why)
{
    struct gcal_error err = { 0 };

    assert_null(gcal_file_read(path, max_bytes, NULL, &err));
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_non_null(strstr(err.text, path));
    if (!strstr(err.text, why))
        fail_msg("%s", err.text);
}

static void reads_a_file_up_to_its_limit(void **state)
{
    char data[40013], *text;
    struct gcal_error err = { 0 };
    size_t size = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(data); i++)
        data[i] = (char)(i * 41 >> 3);
    write_file(data, sizeof(data));
    text = gcal_file_read("file", sizeof(data), &size, &err);
    assert_non_null(text);
    assert_int_equal(size, sizeof(data));
    assert_memory_equal(text, data, sizeof(data));
    assert_int_equal(text[size], 0);
    free(text);
    assert_unread("file", sizeof(data) - 1, "limit 40012 bytes");
    assert_unread("file", 0, "limit 0 bytes");
}

static void reads_an_empty_file(void **state)
{
    size_t size = 713;
    char *text;

    (void)state;
    write_file("", 0);
    text = gcal_file_read("file", 0, &size, NULL);
    assert_string_equal(text, "");
    assert_int_equal(size, 0);
    free(text);
}

static void reads_regular_files_only(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_unread("fifo", 713,
                  "not a regular file"); /* without a writer it must not hang */
    assert_unread(".", 713, "not a regular file");
    assert_unread("/dev/zero", 713, "not a regular file");
    assert_unread("missing", 713, "No such file");
    assert_int_equal(symlink("missing", "link"), 0);
    assert_unread("link", 713, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_grows),
        cmocka_unit_test(a_failed_text_is_told_once_at_its_end),
        cmocka_unit_test(an_array_grows),
        cmocka_unit_test(errors_are_prefixed_and_cut),
        cmocka_unit_test(reads_a_file_up_to_its_limit),
        cmocka_unit_test(reads_an_empty_file),
        cmocka_unit_test(reads_regular_files_only),
    };

    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
