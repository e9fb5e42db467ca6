/* test_spread.c - spreads: read, written, found, refused */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/roofs/roofs.h"
#include "kernels/model/roofs/spread.h"

static struct gcal_roof dram = { (char *)"dram", (char *)"p_dram" };
static const struct gcal_roofs roofs = { 1, &dram };

static int read(const char *text, struct gcal_spreads *spreads, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "m.yaml", err);
    int rc = gcal_spreads_read(root, &roofs, spreads, err);

    gcal_yaml_destroy(root);
    return rc;
}

static void finds_the_class_or_other(void **state)
{
    struct gcal_spreads spreads, copy;

    (void)state;
    assert_int_equal(read("spread: {dram: [0.2, 0.5], small: 0.1, microbenchmarks: 0.7}",
                          &spreads, NULL),
                     0);
    assert_int_equal(gcal_spreads_copy(&copy, &spreads, NULL), 0);
    gcal_spreads_clear(&spreads);
    assert_true(copy.microbenchmarks == 0.7);
    assert_true(gcal_spreads_find(&copy, "dram")->below == 0.2);
    assert_true(gcal_spreads_find(&copy, "dram")->above == 0.5);
    assert_true(gcal_spreads_find(&copy, "small")->below == 0.1);
    assert_true(gcal_spreads_find(&copy, "small")->above == 0.1);
    assert_null(gcal_spreads_find(&copy, "l2"));
    gcal_spreads_clear(&copy);

    assert_int_equal(read("spread: {other: 0.9, dram: 0.2}", &spreads, NULL), 0);
    assert_true(gcal_spreads_find(&spreads, "l2")->above == 0.9);
    assert_true(gcal_spreads_find(&spreads, "dram")->above == 0.2);
    gcal_spreads_clear(&spreads);

    assert_int_equal(read("roofs: {}", &spreads, NULL), 0);
    assert_null(gcal_spreads_find(&spreads, "dram"));
    gcal_spreads_clear(&spreads);
}

static char *written(const struct gcal_spreads *spreads)
{
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(NULL);

    gcal_yaml_write_map(w);
    gcal_spreads_write(w, spreads);
    gcal_yaml_write_end_map(w);
    return gcal_yaml_writer_finish(w, NULL, NULL);
}

static void reads_back_what_it_writes(void **state)
{
    struct gcal_spreads spreads, back;
    char *text, *again;

    (void)state;
    assert_int_equal(
        read("spread: {dram: [0.1, 0.3], estimated: 1.7, microbenchmarks: 0.7}", &spreads,
             NULL),
        0);
    text = written(&spreads);
    assert_int_equal(read(text, &back, NULL), 0);
    assert_true(gcal_spreads_find(&back, "dram")->above == 0.3);
    again = written(&back);
    assert_string_equal(text, again);
    free(text);
    free(again);
    gcal_spreads_clear(&back);
    gcal_spreads_clear(&spreads);
}

static void refuses(const char *text, const char *expected)
{
    struct gcal_spreads spreads;
    struct gcal_error err = { 0 };

    assert_int_equal(read(text, &spreads, &err), -1);
    if (!strstr(err.text, expected))
        fail_msg("\"%s\" lacks \"%s\"", err.text, expected);
    gcal_spreads_clear(&spreads);
}

static void refuses_other_classes_and_widths(void **state)
{
    (void)state;
    refuses("spread: {drum: 0.2}", "m.yaml:1:10: spread: 'drum' is neither a roof");
    refuses("spread: {drum: 0.2}", "did you mean 'dram'");
    refuses("spread: {dram: 0}", "must be above 0 and at most 6.9");
    refuses("spread: {dram: [0.1, 7]}", "m.yaml:1:22: spread");
    refuses("spread: {dram: [0.1, 0.2, 0.3]}", "expected a half-width or [below, above]");
    refuses("spread: {dram: wide}", "a half-width");
    refuses("spread: {microbenchmarks: [1, 2]}", "m.yaml:1:27");
    refuses("spread: [0.2]", "expected a map");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_class_or_other),
        cmocka_unit_test(reads_back_what_it_writes),
        cmocka_unit_test(refuses_other_classes_and_widths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
