/* test_yaml.c - YAML read with positions, and written */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/random.h"
#include "kernels/base/yaml.h"

static struct gcal_yaml *parse(const char *text)
{
    struct gcal_error err = { 0 };
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "a.yaml", &err);

    if (!root)
        fail_msg("%s", err.text);
    return root;
}

/* Refused, with a message that starts with "a.yaml" and 'expected'. */
static void assert_refused_bytes(const char *text, size_t size, const char *expected)
{
    struct gcal_error err = { 0 };
    struct gcal_yaml *root = gcal_yaml_parse(text, size, "a.yaml", &err);

    if (root)
        fail_msg("was read: %s", text);
    assert_int_equal(err.code, GCAL_EINPUT);
    if (strncmp(err.text, "a.yaml:", 7) != 0 ||
        strncmp(err.text + 7, expected, strlen(expected)) != 0)
        fail_msg("'%s' instead of '%s'", err.text, expected);
}

static void assert_refused(const char *text, const char *expected)
{
    assert_refused_bytes(text, strlen(text), expected);
}

/* ---- what is read ---- */

static void a_tree_knows_its_places(void **state)
{
    struct gcal_yaml *root = parse("# models\n"
                                   "budget_s: 2.385\n"
                                   "models:\n"
                                   "  - name: \"41\"\n"
                                   "    sizes: [713, n]\n");
    const struct gcal_yaml *model, *sizes;

    (void)state;
    assert_int_equal(root->kind, GCAL_YAML_MAP);
    assert_int_equal(root->n_items, 2);
    model = gcal_yaml_find(root, "models")->items[0];
    assert_int_equal(model->line, 4);
    assert_int_equal(model->column, 5);
    assert_string_equal(gcal_yaml_find(model, "name")->text, "41");
    assert_true(gcal_yaml_find(model, "name")->quoted);
    sizes = gcal_yaml_find(model, "sizes");
    assert_int_equal(sizes->kind, GCAL_YAML_LIST);
    assert_string_equal(sizes->items[1]->text, "n");
    assert_false(sizes->items[1]->quoted);
    assert_int_equal(sizes->items[1]->line, 5);
    assert_int_equal(sizes->items[1]->column, 18);
    assert_string_equal(sizes->items[1]->file, "a.yaml");
    assert_null(gcal_yaml_find(root, "name"));
    assert_null(gcal_yaml_find(sizes, "name"));
    gcal_yaml_destroy(root);
}

static void errors_tell_line_and_column(void **state)
{
    (void)state;
    assert_refused("a: 1\nb: [2}\nc: 3\n", "2:6: ");
    assert_refused("a: 1\n\tb: 2\n", "2:1: ");
    assert_refused("a: 'open\n", "2:1: ");
    assert_refused("a: 1\nb: 2\na: 3\n", "3:1: duplicate key 'a'");
    assert_refused("a: {b: 1, \"b\": 2}\n", "1:11: duplicate key 'b'");
    assert_refused("? [a, b]\n: 1\n", "1:3: a key must be a plain word");
}

static void what_others_need_not_write_is_refused(void **state)
{
    (void)state;
    assert_refused("a: &x 1\nb: *x\n", "2:4: aliases are not supported");
    assert_refused("a: !!int 1\n", "1:4: tags are not supported");
    assert_refused("b: 1\na: !!python/object:os.x {b: 1}\n",
                   "2:4: tags are not supported");
    assert_refused("- !mine [1]\n", "1:3: tags are not supported");
    assert_refused("!!str a: 1\n", "1:1: tags are not supported");
    assert_refused("a: 1\n---\nb: 2\n", " more than one document");
    assert_refused("", "1:1: the file is empty");
    assert_refused("# nothing\n\n", "3:1: the file is empty");
}

static void bytes_that_are_no_text_are_refused(void **state)
{
    (void)state;
    assert_refused("a: \"b\\0c\"\n", "1:4: text contains a NUL character");
    assert_refused_bytes("a: b\0c\n", 7, "1:1: ");
    assert_refused("a: \xff\xfe\n", "1:1: ");
    assert_refused("\x01", "1:1: ");
}

static void deep_nesting_is_refused(void **state)
{
    size_t n = 20000;
    char *text = malloc(2 * n + 1);

    (void)state;
    memset(text, '[', n);
    text[n] = '\0';
    assert_refused(text, "1:33: nested deeper than 32 levels");
    memset(text + n, ']', n);
    text[2 * n] = '\0';
    assert_refused(text, "1:33: nested deeper than 32 levels");
    for (size_t i = 0; i < n; i++)
        memcpy(text + 2 * i, "- ", 2);
    assert_refused(text, "1:65: nested deeper than 32 levels");
    free(text);
    gcal_yaml_destroy(
        parse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"));
}

/* Every prefix of a file is read or refused, and nothing else happens. */
static void any_prefix_is_survived(void **state)
{
    static const char text[] =
        "a: [1, {b: 'c d', ? e : \"\\u00e9\\n\"}]\nf: |\n  g\n  h\n"
        "i:\n- j\n- k: &l !m n\n  o: *l\n---\n...\n";

    (void)state;
    for (size_t size = 0; size < sizeof(text); size++) {
        char *part = malloc(size ? size : 1);

        memcpy(part, text, size);
        gcal_yaml_destroy(gcal_yaml_parse(part, size, "a.yaml", NULL));
        free(part);
    }
}

/* ---- keys and values ---- */

static void unknown_keys_get_a_similar_one(void **state)
{
    static const char *const known[] = { "name", "expression", "output", NULL };
    struct gcal_error err = { 0 };
    struct gcal_yaml *root = parse("name: m\noutptu: t\n");
    struct gcal_yaml *list = parse("- name\n");

    (void)state;
    assert_int_equal(gcal_yaml_check_keys(root, known, &err), -1);
    assert_string_equal(err.text,
                        "a.yaml:2:1: unknown key 'outptu' (did you mean 'output'?)");
    gcal_yaml_destroy(root);
    root = parse("name: m\ncolour: t\n");
    assert_int_equal(gcal_yaml_check_keys(root, known, &err), -1);
    assert_string_equal(
        err.text,
        "a.yaml:2:1: unknown key 'colour'; there are: name, expression, output");
    gcal_yaml_destroy(root);
    root = parse("output: m\nname: t\n");
    assert_int_equal(gcal_yaml_check_keys(root, known, &err), 0);
    assert_int_equal(gcal_yaml_check_keys(list, known, &err), -1);
    assert_string_equal(err.text, "a.yaml:1:1: expected a map with keys such as 'name'");
    gcal_yaml_destroy(root);
    gcal_yaml_destroy(list);
}

static void values_have_types(void **state)
{
    struct gcal_yaml *root = parse("[2.385e-6, -713, true, \"41\", inf, [], 1.5x, \"\", "
                                   "99999999999999999999, 1e999, yes, nan]");
    struct gcal_yaml **v = root->items;
    struct gcal_error err = { 0 };
    double number = 41;
    long long integer = 41;
    bool flag = false;

    (void)state;
    assert_int_equal(gcal_yaml_double(v[0], "x", &number, &err), 0);
    assert_true(number == 2.385e-6);
    assert_int_equal(gcal_yaml_integer(v[1], "x", -1000, 0, &integer, &err), 0);
    assert_int_equal(integer, -713);
    assert_int_equal(gcal_yaml_bool(v[2], "x", &flag, &err), 0);
    assert_true(flag);
    assert_string_equal(gcal_yaml_text(v[3], "x", &err), "41");
    for (size_t i = 2; i < 12; i++) /* none of these is a number */
        if (i != 8 && gcal_yaml_double(v[i], "x", &number, &err) != -1)
            fail_msg("'%s' is no number", v[i]->text);
    assert_true(number == 2.385e-6); /* left alone */
    assert_int_equal(gcal_yaml_integer(v[1], "budget_s", 0, 9, &integer, &err), -1);
    assert_string_equal(err.text, "a.yaml:1:12: budget_s: expected 0 to 9, found '-713'");
    assert_int_equal(gcal_yaml_integer(v[8], "x", 0, LLONG_MAX, &integer, &err), -1);
    assert_int_equal(gcal_yaml_integer(v[0], "x", 0, 9, &integer, &err), -1);
    assert_int_equal(gcal_yaml_integer(v[3], "x", 0, 99, &integer, &err), -1);
    assert_int_equal(integer, -713);
    assert_int_equal(gcal_yaml_bool(v[10], "x", &flag, &err), -1);
    assert_null(gcal_yaml_text(v[5], "tags", &err));
    assert_non_null(strstr(err.text, "tags: expected a text"));
    gcal_yaml_destroy(root);
}

/* ---- what is written ---- */

/* A list of texts, written by 'write' and read again. */
static void assert_texts_come_back(const char *const *texts, size_t count,
                                   void (*write)(struct gcal_yaml_writer *, const char *))
{
    struct gcal_error err = { 0 };
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(&err);
    struct gcal_yaml *root;
    char *document;
    double number;
    bool flag;

    gcal_yaml_write_list(w);
    for (size_t i = 0; i < count; i++)
        write(w, texts[i]);
    gcal_yaml_write_end_list(w);
    document = gcal_yaml_writer_finish(w, NULL, &err);
    if (!document)
        fail_msg("%s", err.text);
    root = parse(document);
    assert_int_equal(root->n_items, count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(root->items[i]->text, texts[i]) != 0)
            fail_msg("text %zu '%s' became '%s' in\n%s", i, texts[i],
                     root->items[i]->text, document);
        assert_int_equal(gcal_yaml_double(root->items[i], "x", &number, NULL), -1);
        assert_int_equal(gcal_yaml_bool(root->items[i], "x", &flag, NULL), -1);
    }
    gcal_yaml_destroy(root);
    free(document);
}

static const char *const texts[] = {
    "plain",
    "41",
    "2.385e-6",
    "-0",
    "0x1f",
    "inf",
    "nan",
    "true",
    "False",
    "yes",
    "null",
    "~",
    "",
    " 713",
    "713 ",
    " ",
    "a: b",
    "a #b",
    "# a",
    "- a",
    "*a",
    "&a",
    "!a",
    "[a]",
    "{a: b}",
    "'a'",
    "\"a\"",
    "a\"b'c",
    "%a",
    "@a",
    "`a",
    "? a",
    "a:",
    "---",
    "...",
    "a\\n",
    "\303\251\342\202\254",
    "\360\237\230\200",
    "a\tb",
    "\033[0m",
    "a\nb",
    "a\n\nb\n",
    "\n",
    "\na",
    "a\r\nb\r\n",
    "a\rb",
    "a\302\205b",
    "a\342\200\250b",
    "\357\273\277a",
    "a\n  b\n c\n",
    "  a\nb",
    "a \nb",
    "\ta\nb",
    "a\nb\n\n\n",
};

static void texts_come_back(void **state)
{
    (void)state;
    assert_texts_come_back(texts, sizeof(texts) / sizeof(*texts), gcal_yaml_write_text);
}

static void blocks_come_back(void **state)
{
    (void)state;
    assert_texts_come_back(texts, sizeof(texts) / sizeof(*texts), gcal_yaml_write_block);
}

static void a_block_is_for_people(void **state)
{
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(NULL);
    char *document;
    size_t size;

    (void)state;
    gcal_yaml_write_map(w);
    gcal_yaml_write_text(w, "source");
    gcal_yaml_write_block(w, "int i;\n  i++;\n");
    gcal_yaml_write_text(w, "sizes");
    gcal_yaml_write_flow_list(w);
    gcal_yaml_write_integer(w, -713);
    gcal_yaml_write_bool(w, false);
    gcal_yaml_write_end_list(w);
    gcal_yaml_write_text(w, "at");
    gcal_yaml_write_flow_map(w);
    gcal_yaml_write_text(w, "n");
    gcal_yaml_write_number(w, 2.385e-6);
    gcal_yaml_write_end_map(w);
    gcal_yaml_write_end_map(w);
    document = gcal_yaml_writer_finish(w, &size, NULL);
    assert_string_equal(document, "source: |\n  int i;\n    i++;\n"
                                  "sizes: [-713, false]\nat: {n: 2.385e-06}\n");
    assert_int_equal(size, strlen(document));
    free(document);
}

static void numbers_come_back_exactly(void **state)
{
    double numbers[1000] = { 2.385e-6, 0.1,     1.0 / 3, -0.0,       DBL_MAX,
                             DBL_MIN,  1e22,    -713,    5e-324,     0.1 + 0.2,
                             123456,   1234567, 1e15,    DBL_EPSILON };
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(NULL);
    uint64_t random = 713;
    struct gcal_yaml *root;
    char *document;

    (void)state;
    for (size_t i = 14; i < 1000;) { /* any bits that are a number */
        uint64_t bits = gcal_random_next(&random);

        memcpy(&numbers[i], &bits, 8);
        i += isfinite(numbers[i]) != 0;
    }
    gcal_yaml_write_list(w);
    for (size_t i = 0; i < 1000; i++)
        gcal_yaml_write_number(w, numbers[i]);
    gcal_yaml_write_end_list(w);
    document = gcal_yaml_writer_finish(w, NULL, NULL);
    root = parse(document);
    for (size_t i = 0; i < 1000; i++) {
        double number = 41;

        assert_int_equal(gcal_yaml_double(root->items[i], "x", &number, NULL), 0);
        assert_memory_equal(&number, &numbers[i], sizeof(number));
    }
    assert_string_equal(root->items[0]->text,
                        "2.385e-06"); /* and no longer than needed */
    assert_string_equal(root->items[1]->text, "0.1");
    gcal_yaml_destroy(root);
    free(document);
}

static void what_cannot_be_written_is_told(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(&err);

    (void)state;
    gcal_yaml_write_list(w);
    gcal_yaml_write_text(w, "a \xff b"); /* not UTF-8 */
    gcal_yaml_write_text(w, "what follows changes nothing");
    gcal_yaml_write_end_list(w);
    assert_null(gcal_yaml_writer_finish(w, NULL, &err));
    assert_string_equal(err.text,
                        "cannot write YAML: a text is not UTF-8, or out of memory");
    w = gcal_yaml_writer_create(&err);
    gcal_yaml_write_end_map(w); /* calls out of order */
    gcal_yaml_write_text(w, "x");
    assert_null(gcal_yaml_writer_finish(w, NULL, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_knows_its_places),
        cmocka_unit_test(errors_tell_line_and_column),
        cmocka_unit_test(what_others_need_not_write_is_refused),
        cmocka_unit_test(bytes_that_are_no_text_are_refused),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(any_prefix_is_survived),
        cmocka_unit_test(unknown_keys_get_a_similar_one),
        cmocka_unit_test(values_have_types),
        cmocka_unit_test(texts_come_back),
        cmocka_unit_test(blocks_come_back),
        cmocka_unit_test(a_block_is_for_people),
        cmocka_unit_test(numbers_come_back_exactly),
        cmocka_unit_test(what_cannot_be_written_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
