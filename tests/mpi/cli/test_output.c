/* test_output.c - foreign texts in HTML, metrics, shells, CSV and drawings; files replaced whole */
#include "tests/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "mpi/cli/csv.h"
#include "mpi/cli/escape.h"
#include "mpi/cli/file_replace.h"
#include "mpi/cli/svg.h"
#include "tests/folder.h"

static char *path_of(const char *name)
{
    char *path = gcal_buf_format("%s/%s", folder, name);

    assert_non_null(path);
    return path;
}

static void expect_contents(const char *path, const char *expected)
{
    size_t size;
    char *text = gcal_file_read(path, 1 << 16, &size, NULL);

    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

/* ---- foreign texts ---- */

static void expect_escaped(void (*escape)(struct gcal_buf *, const char *),
                           const char *text, const char *expected)
{
    struct gcal_buf buf = { 0 };
    char *escaped;

    escape(&buf, text);
    escaped = gcal_buf_take(&buf, NULL);
    assert_non_null(escaped);
    assert_string_equal(escaped, expected);
    free(escaped);
}

static void html_has_no_foreign_elements(void **state)
{
    (void)state;
    expect_escaped(gcal_escape_html, "</title><script>a('&\"')",
                   "&lt;/title&gt;&lt;script&gt;a(&#39;&amp;&quot;&#39;)");
    expect_escaped(gcal_escape_html, "a\nb\tc\x01\x7f", "a b c??");
    expect_escaped(gcal_escape_html, "20 \xc2\xb5s \xc2 \xff\xe2\x82",
                   "20 \xc2\xb5s ? ?"
                   "??");
    expect_escaped(gcal_escape_html, "", "");
}

static void a_label_ends_where_its_quotes_do(void **state)
{
    (void)state;
    expect_escaped(gcal_escape_label, "a\"} 1\nb{c=\"\\", "a\\\"} 1\\nb{c=\\\"\\\\");
    expect_escaped(gcal_escape_label, "<\r\x80>",
                   "<?"
                   "?>");
}

/* What a shell makes of it is the word. */
static void a_shell_reads_the_word_again(void **state)
{
    static const char *const words[] = {
        "",      "plain-1.0/x:y=z,+", "two words", "it's", "'", "$(reboot)`x`\\", "*",
        "~root", "a\nb;c&d|e>f"
    };
    char *path = path_of("said");

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        struct gcal_buf buf = { 0 };
        char *command;

        gcal_buf_puts(&buf, "printf %s ");
        gcal_escape_shell(&buf, words[i]);
        gcal_buf_printf(&buf, " > %s", path);
        assert_non_null(command = gcal_buf_take(&buf, NULL));
        assert_int_equal(system(command), 0);
        expect_contents(path, words[i]);
        free(command);
    }
    expect_escaped(gcal_escape_shell, "n=2^20", "'n=2^20'");
    expect_escaped(gcal_escape_shell, "n=1024", "n=1024");
    free(path);
}

static void csv_fields_end_where_they_should(void **state)
{
    char *path = path_of("fields.csv");
    FILE *file = fopen(path, "w");

    (void)state;
    assert_non_null(file);
    gcal_csv_text(file, "say \"no\", twice", ',');
    gcal_csv_text(file, "first line\n\"second", ',');
    gcal_csv_text(file, NULL, ',');
    gcal_csv_number(file, NAN);
    gcal_csv_number(file, 1234567890);
    gcal_csv_text(file, "", '\n');
    fclose(file);
    expect_contents(
        path, "\"say \"\"no\"\", twice\",\"first line\",\"\",,1.23456789e+09,\"\"\n");
    free(path);
}

static void a_drawing_shows_foreign_texts_as_texts(void **state)
{
    struct gcal_buf svg = { 0 };
    char *path = path_of("drawing.svg"), *text;
    struct gcal_error err = { 0 };
    size_t size;

    (void)state;
    gcal_svg_text(&svg, 1, 2.25, "end", "<a & b>");
    gcal_svg_box(&svg, 0, 0, 10, 5, "#123456", 0.5, "</title><script/>");
    gcal_svg_line(&svg, 0, 0, 1, 1, "axis");
    gcal_svg_dot(&svg, 3, 4, 2.5, "#000");
    assert_int_equal(gcal_svg_write(path, 300, 99.6, ".axis{stroke:#222}", &svg, &err),
                     0);
    assert_non_null(text = gcal_file_read(path, 1 << 16, &size, NULL));
    assert_non_null(strstr(text, "viewBox=\"0 0 300 100\""));
    assert_non_null(strstr(text, "class=\"end\">&lt;a &amp; b&gt;</text>"));
    assert_non_null(strstr(text, "<title>&lt;/title&gt;&lt;script/&gt;</title></rect>"));
    assert_non_null(strstr(text, "<circle cx=\"3.0\" cy=\"4.0\" r=\"2.5\""));
    assert_string_equal(text + size - strlen("</svg>\n"), "</svg>\n");
    free(text);
    free(path);
    path = path_of("none/drawing.svg");
    assert_int_equal(gcal_svg_write(path, 300, 100, "", &svg, &err), -1);
    assert_non_null(strstr(err.text, path));
    free(path);
}

/* ---- files ---- */

static void start(struct gcal_file_replace *r, const char *path, const char *text)
{
    struct gcal_error err = { 0 };

    if (gcal_file_replace_start(r, path, &err) < 0)
        fail_msg("%s", err.text);
    fputs(text, r->file);
    fflush(r->file);
}

static void a_file_is_old_until_it_is_new(void **state)
{
    char *path = path_of("file");
    struct gcal_file_replace r = { 0 };
    struct stat status;
    char *temp;

    (void)state;
    folder_write("file", "old");
    start(&r, path, "given up");
    assert_non_null(temp = strdup(r.temp));
    expect_contents(path, "old");
    gcal_file_replace_clear(&r);
    assert_int_equal(access(temp, F_OK), -1);
    expect_contents(path, "old");
    free(temp);

    start(&r, path, "new");
    expect_contents(path, "old");
    assert_int_equal(gcal_file_replace_finish(&r, NULL), 0);
    gcal_file_replace_clear(&r);
    expect_contents(path, "new");
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0644);
    free(path);
}

static void a_link_stays_a_link(void **state)
{
    char *path = path_of("link"), *target = path_of("target");
    struct gcal_file_replace r = { 0 };
    struct stat status;

    (void)state;
    folder_write("target", "longer than what follows");
    assert_int_equal(symlink("target", path), 0);
    start(&r, path, "short");
    assert_null(r.temp);
    assert_int_equal(gcal_file_replace_finish(&r, NULL), 0);
    gcal_file_replace_clear(&r);
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    expect_contents(target, "short");
    free(path);
    free(target);
}

static void what_cannot_be_written_is_named(void **state)
{
    static const char full[] = "/dev/full";
    char *path = path_of("none/file");
    struct gcal_file_replace r = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(gcal_file_replace_start(&r, path, &err), -1);
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_non_null(strstr(err.text, path));
    assert_null(r.file);
    free(path);
    if (access(full, W_OK) < 0)
        return;
    assert_int_equal(gcal_file_replace_start(&r, full, &err), 0);
    fputs("lost", r.file);
    assert_int_equal(gcal_file_replace_finish(&r, &err), -1);
    assert_string_equal(err.text, "/dev/full: No space left on device");
    gcal_file_replace_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html_has_no_foreign_elements),
        cmocka_unit_test(a_label_ends_where_its_quotes_do),
        cmocka_unit_test(a_shell_reads_the_word_again),
        cmocka_unit_test(csv_fields_end_where_they_should),
        cmocka_unit_test(a_drawing_shows_foreign_texts_as_texts),
        cmocka_unit_test(a_file_is_old_until_it_is_new),
        cmocka_unit_test(a_link_stays_a_link),
        cmocka_unit_test(what_cannot_be_written_is_named),
    };

    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
