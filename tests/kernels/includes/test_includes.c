/* test_includes.c - included files become part of the text, with the lines of their files */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/includes/includes.h"
#include "tests/folder.h"

static struct gcal_error err;

static char *inlined(const char *text)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/k.cl", folder);
    folder_write("k.cl", text);
    return gcal_includes_read(path, 1 << 20, 0, NULL, &err);
}

static void expect(const char *text, const char *wanted)
{
    char *found = inlined(text);

    if (!found)
        fail_msg("%s", err.text);
    assert_string_equal(found, wanted);
    free(found);
}

static void expect_error(const char *text, const char *why)
{
    char *found = inlined(text);

    if (found)
        fail_msg("%s", found);
    if (!strstr(err.text, why))
        fail_msg("got: %s", err.text);
}

static size_t count_words(const char *text, const char *word)
{
    size_t n = 0;

    for (const char *p = text; (p = strstr(p, word)); p++)
        n++;
    return n;
}

static void a_text_without_includes_stays(void **state)
{
    (void)state;
    expect("", "");
    expect("int i;", "int i;");
    expect("int i;\n/* \"\n#include \"a.h\"\n*/\n",
           "int i;\n/* \"\n#include \"a.h\"\n*/\n");
    expect("char c = '\"'; /*\n#include <a.h>\n*/",
           "char c = '\"'; /*\n#include <a.h>\n*/");
    expect("// /*\n#define A a\n#include A\n", "// /*\n#define A a\n#include A\n");
}

static void files_are_put_in_with_their_lines(void **state)
{
    (void)state;
    folder_write("a.h", "int a;\n#include \"b.h\"\nint c;");
    folder_write("b.h", "#ifndef B\n#define B\n#include \"a.h\"\nint b;\n#endif\n");
    expect("  #  include \"b.h\" // why\nint d;\n",
           "#line 1 \"b.h\"\n#ifndef B\n#define B\n"
           "#line 1 \"a.h\"\nint a;\n\nint c;\n"
           "#line 4 \"b.h\"\nint b;\n#endif\n"
           "#line 2 \"k.cl\"\nint d;\n");
}

static void a_missing_file_stays_an_include(void **state)
{
    (void)state;
    expect("#if 0\n#include \"missing.h\"\n#endif\n",
           "#if 0\n#include \"missing.h\"\n#endif\n");
}

static void pragma_once_holds_over_all_paths(void **state)
{
    char text[256];

    (void)state;
    folder_write("o.h", "/* of\n#if\n*/\n#pragma once\nint o;\n");
    snprintf(text, sizeof(text), "#include \"o.h\"\n#include \"%s/./o.h\"\n", folder);
    expect(text, "#ifndef GPUCAL_ONCE_0\n#define GPUCAL_ONCE_0\n"
                 "#line 1 \"o.h\"\n/* of\n#if\n*/\n#pragma once\nint o;\n#endif\n"
                 "#line 2 \"k.cl\"\n\n");
}

/* A file that a condition leaves out is read where another path leads to it. */
static void pragma_once_is_of_what_is_read(void **state)
{
    char *text;

    (void)state;
    folder_write("d.h", "#pragma once\n#include \"e.h\"\nint d;\n");
    folder_write("e.h", "#pragma once\nint e;\n");
    folder_write("c.h", "#ifndef C\n#define C\n#include \"d.h\"\n#endif\n");
    text = inlined("#if WIDE\n#include \"d.h\"\n#endif\n#include \"c.h\"\n"
                   "#include \"d.h\"\n");
    assert_non_null(text);
    assert_int_equal(count_words(text, "#ifndef GPUCAL_ONCE_0\n"), 2);
    assert_int_equal(count_words(text, "#ifndef GPUCAL_ONCE_1\n"), 2);
    free(text);
}

static void folders_are_searched_in_order(void **state)
{
    const char *folders[] = { "/nonexistent", folder };
    char *text = gcal_includes_inline("#include <f.h>\n#include \"f.h\"\n", "k.cl", 2,
                                      folders, &err);

    (void)state;
    assert_non_null(text); /* no such file yet */
    assert_string_equal(text, "#include <f.h>\n#include \"f.h\"\n");
    free(text);
    folder_write("f.h", "int f;\n");
    text = gcal_includes_inline("#include <f.h>\nint g;\n", "k.cl", 2, folders, &err);
    assert_non_null(text);
    assert_string_equal(text, "#line 1 \"f.h\"\nint f;\n#line 2 \"k.cl\"\nint g;\n");
    free(text);
}

/* Conditions, which are clang's to know, may end it before. */
static void loops_end_in_an_error(void **state)
{
    char *text;

    (void)state;
    folder_write("self.h", "int s;\n#include \"self.h\"\n");
    text = inlined("\n#include \"self.h\"\n");
    assert_non_null(text);
    assert_non_null(
        strstr(text, "#error \"self.h includes itself more than 2 times\"\n"));
    free(text);
    text = inlined("#include \"k.cl\"\n");
    assert_non_null(text);
    assert_non_null(strstr(text, "#error \"k.cl includes itself more than 2 times\"\n"));
    free(text);
}

/* A file whose kernels are made again with other macros: it has an #else, or undefines its macro. */
static void a_file_is_read_again_by_itself(void **state)
{
    char *text;

    (void)state;
    text = inlined("#ifndef T\n#define T 0\n#include \"k.cl\"\n#undef T\n#define T 1\n"
                   "#include \"k.cl\"\n#else\nint made;\n#endif\n");
    assert_non_null(text);
    assert_true(count_words(text, "int made;") >= 3);
    free(text);
    text =
        inlined("#if !defined(T)\n#define T 0\n#endif\nint made;\n#if T == 0\n#undef T\n"
                "#define T 1\n#include \"k.cl\"\n#endif\n");
    assert_non_null(text);
    assert_true(count_words(text, "int made;") >= 2);
    free(text);
    folder_write(
        "g.h", "#ifndef G\n#define G\n#if 1\n#else\n#endif\n#undef GG\n#include \"g.h\"\n"
               "int g;\n#endif\n");
    text = inlined("#include \"g.h\"\n");
    assert_non_null(text);
    assert_int_equal(count_words(text, "int g;"), 1);
    free(text);
}

/* What follows it would not be counted. */
static void a_nul_byte_is_refused(void **state)
{
    static const char bytes[] = "int a;\n\0int b;\n";
    char *path = gcal_buf_format("%s/nul.cl", folder);
    FILE *file = fopen(path, "w");
    struct gcal_error err = { 0 };

    (void)state;
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, sizeof(bytes) - 1, file), sizeof(bytes) - 1);
    assert_int_equal(fclose(file), 0);
    assert_null(gcal_includes_read(path, 1000, 0, NULL, &err));
    assert_non_null(strstr(err.text, "nul.cl: a NUL byte at offset 7"));
    expect_error("\n#include \"nul.cl\"\n", "nul.cl: a NUL byte at offset 7");
    free(path);
}

/* Words of comments and longer names count as well where they are the same. */
static void words_that_read_files_are_found(void **state)
{
    static const struct {
        const char *text;
        bool remain;
    } texts[] = {
        { NULL, false },
        { "", false },
        { "int included, important, embedded, has_include;", false },
        { "#define INCLUDE(include_path) include_path", false },
        { "#include \"f.h\"", true },
        { "#\finclude MACRO", true },
        { "# /* \n */ include <f.h>", true },
        { "\x25:include <f.h>", true },
        { "?\?=include <f.h>", true },
        { "#in\\\nclude <f.h>", true },
        { "#in\\ \t\r\nclude <f.h>", true },
        { "#in\\\n\\\nclude <f.h>", true },
        { "#in?\?/\nclude <f.h>", true },
        { "#i\\\rnclude <f.h>", true },
        { "#embed \"f\"", true },
        { "#import \"f.h\"", true },
        { "#include_next <f.h>", true },
        { "#__include_macros <f.h>", true },
        { "#if __has_include(<f.h>)", true },
        { "#if __has_emb\\\ned(<f.h>)", true },
        { "-D 'X=__has_include(\"f.h\")'", true },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (gcal_includes_may_remain(texts[i].text) != texts[i].remain)
            fail_msg("%s", texts[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_without_includes_stays, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(files_are_put_in_with_their_lines, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_missing_file_stays_an_include, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(pragma_once_holds_over_all_paths, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(pragma_once_is_of_what_is_read, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(folders_are_searched_in_order, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(loops_end_in_an_error, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_file_is_read_again_by_itself, folder_make,
                                        folder_remove),
        cmocka_unit_test_setup_teardown(a_nul_byte_is_refused, folder_make,
                                        folder_remove),
        cmocka_unit_test(words_that_read_files_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
