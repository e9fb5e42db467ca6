/* test_csv_table.c - CSV files read: quotes, line ends, and what is refused */
#include "tests/unit.h"

#include <string.h>

#include "kernels/base/error.h"
#include "mpi/cli/csv_table.h"

static int parse(const char *text, struct gcal_csv_table *table, struct gcal_error *err)
{
    return gcal_csv_table_parse("t.csv", text, strlen(text), table, err);
}

static void fields_are_read(void **state)
{
    static const char text[] = "name,\"value, s\",note\r\n"
                               "a,1,\"say \"\"no\"\"\"\r\n"
                               "\n"
                               "\"two\nlines\",,\n"
                               "b\r,3,\"\"";
    struct gcal_csv_table t;

    (void)state;
    assert_int_equal(parse(text, &t, NULL), 0);
    assert_int_equal(t.n_columns, 3);
    assert_int_equal(t.n_rows, 3);
    assert_int_equal(gcal_csv_table_find(&t, "value, s"), 1);
    assert_int_equal(gcal_csv_table_find(&t, "values"), 3);
    assert_string_equal(gcal_csv_table_cell(&t, 0, 2), "say \"no\"");
    assert_string_equal(gcal_csv_table_cell(&t, 1, 0), "two\nlines");
    assert_string_equal(gcal_csv_table_cell(&t, 1, 1), "");
    assert_string_equal(gcal_csv_table_cell(&t, 1, 2), "");
    assert_string_equal(gcal_csv_table_cell(&t, 2, 0), "b\r");
    assert_string_equal(gcal_csv_table_cell(&t, 2, 2), "");
    assert_string_equal(gcal_csv_table_cell(&t, 2, 3), "");
    assert_int_equal(t.lines[0], 2);
    assert_int_equal(t.lines[1], 4);
    assert_int_equal(t.lines[2], 6);
    gcal_csv_table_clear(&t);
}

static void a_header_may_be_all(void **state)
{
    struct gcal_csv_table t;

    (void)state;
    assert_int_equal(parse("a\n", &t, NULL), 0);
    assert_int_equal(t.n_columns, 1);
    assert_int_equal(t.n_rows, 0);
    gcal_csv_table_clear(&t);
}

static void expect_refused(const char *text, size_t size, const char *message)
{
    struct gcal_csv_table t;
    struct gcal_error err = { 0 };

    assert_int_equal(gcal_csv_table_parse("t.csv", text, size, &t, &err), -1);
    assert_int_equal(err.code, GCAL_EINPUT);
    if (!strstr(err.text, message))
        fail_msg("'%s' in place of '%s'", err.text, message);
    gcal_csv_table_clear(&t);
}

#define REFUSED(text) text, sizeof(text) - 1

static void what_is_no_table_is_refused(void **state)
{
    (void)state;
    expect_refused(REFUSED(""), "t.csv: a header line");
    expect_refused(REFUSED("\r\n\n"), "t.csv: a header line");
    expect_refused(REFUSED("a,b\n1,2\n3\n"),
                   "t.csv:3: 1 fields, but the header line has 2");
    expect_refused(REFUSED("a,b\n1,2,3\n"), "t.csv:2: 3 fields");
    expect_refused(REFUSED("a\n\n\"1\n2"), "t.csv:3: a quote");
    expect_refused(REFUSED("a\n\"1\"2\n"), "t.csv:2: a quote");
    expect_refused(REFUSED("a\n\"1\"\r2\n"), "t.csv:2: a quote");
    expect_refused(REFUSED("a\n\0"), "t.csv: not a text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_read),
        cmocka_unit_test(a_header_may_be_all),
        cmocka_unit_test(what_is_no_table_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
