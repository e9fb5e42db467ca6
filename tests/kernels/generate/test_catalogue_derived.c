/* test_catalogue_derived.c - derived generators: the same kernels with work removed */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/model/profile.h"
#include "tests/folder.h"
#include "tests/kernels/generate/catalogue_pick.h"

#define APPLICATION                                                                      \
    "gpucal_kernel: 1\nname: one\ntags: [red, application]\nsource: c.cl\nkernel: c\n"   \
    "arguments: {lsize_0: [32], with_v: [0, 1], n: {ladder: [64, 96]}}\n"                \
    "defines: {WITH_V: with_v}\nlocal_size: [lsize_0]\nglobal_size: [n]\nargs:\n"        \
    "- {name: x, buffer: float32, elements: n}\n"                                        \
    "- {name: index, buffer: int32, elements: n}\n"                                      \
    "- {name: v, buffer: float32, elements: 4*n}\n"                                      \
    "- {name: y, buffer: float32, elements: n, output: true}\n"                          \
    "check: {n: 32}\nreference: not of derived kernels\n"

static void write_application(void)
{
    folder_write("c.cl", "__kernel void c(__global const float *x,\n"
                         "    __global const int *index, __global const float4 *v,\n"
                         "    __global float *y)\n"
                         "{\n"
                         "    int i = get_global_id(0);\n"
                         "    float sum = x[index[i]];\n"
                         "#if WITH_V\n"
                         "    float4 w = GPUCAL_TAG(wide, v[i]);\n"
                         "    sum += w.x;\n"
                         "#endif\n"
                         "    y[i] = sum;\n"
                         "}\n");
}

static const struct gcal_arg *result_of(const struct gcal_kernel *k)
{
    const struct gcal_arg *arg = &k->args[k->n_args - 1];

    assert_string_equal(arg->name, "read_tgt_dest");
    assert_true(arg->output);
    assert_null(k->reference);
    return arg;
}

static void each_load_has_a_derived_kernel(void **state)
{
    static const struct {
        const char *name, *dtype, *elements;
    } expected[] = {
        { "one_loads lsize_0:32 with_v:0 keep:x+index accumulators:1 n:64", "float32",
          "(n)" },
        { "one_loads lsize_0:32 with_v:0 keep:index accumulators:1 n:64", "int32",
          "(n)" },
        { "one_loads lsize_0:32 with_v:1 keep:x+index accumulators:1 n:64", "float32",
          "(n)" },
        { "one_loads lsize_0:32 with_v:1 keep:index accumulators:1 n:64", "int32",
          "(n)" },
        { "one_loads lsize_0:32 with_v:1 keep:wide accumulators:1 n:64", "float32",
          "(n)*4" },
    };
    struct gcal_kernel_list list;
    struct gcal_catalogue *c;

    (void)state;
    write_application();
    c = catalogue_open_one(APPLICATION "companions: {tag: red, forms: [loads]}\n");
    list = PICK(c, GCAL_MATCH_SUPERSET, "red_loads", "keep:each", "n:64");
    assert_int_equal(list.n_kernels, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct gcal_arg *result = result_of(list.kernels[i]);

        assert_string_equal(list.kernels[i]->name, expected[i].name);
        assert_string_equal(result->dtype, expected[i].dtype);
        assert_string_equal(result->value, expected[i].elements);
    }
    gcal_kernel_list_clear(&list);
    EXPECT(c, 4, "red_loads"); /* all, n a size sweep */
    EXPECT(c, 2, "red_loads", "work_removed", "keep:wide");
    EXPECT(c, 2 * 2 * 3 * 2, "red_loads", "keep:all,index+x", "accumulators:1,3,16");
    EXPECT(c, 4, "red");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red_loads", "keep:w",
                   "one_loads: no global load for keep:w; the loads are x, index");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red_loads", "keep:x++v", "all, each, or");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red_loads", "accumulators:17", "1 to 16");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red_onchip", NULL, "the tag 'red_onchip'");
    gcal_catalogue_close(c);
}

static void the_work_on_the_chip_is_a_derived_kernel(void **state)
{
    struct gcal_kernel_list list;
    struct gcal_catalogue *c;

    (void)state;
    write_application();
    c = catalogue_open_one(APPLICATION
                           "companions: {tag: red, forms: [onchip, loads]}\n");
    list = PICK(c, GCAL_MATCH_SUPERSET, "red_onchip", "with_v:1");
    assert_int_equal(list.n_kernels, 2);
    assert_string_equal(list.kernels[1]->name, "one_onchip lsize_0:32 with_v:1 n:96");
    assert_string_equal(result_of(list.kernels[1])->dtype, "float32");
    gcal_kernel_list_clear(&list);
    EXPECT(c, 4 + 4, "work_removed");
    gcal_catalogue_close(c);
}

/* Its outputs are the application's. */
static void all_accesses_in_place_are_a_derived_kernel(void **state)
{
    struct gcal_kernel_list list;
    struct gcal_catalogue *c;

    (void)state;
    write_application();
    c = catalogue_open_one(APPLICATION "companions: {tag: red, forms: [memory]}\n");
    list = PICK(c, GCAL_MATCH_SUPERSET, "red_memory", "with_v:1", "n:64");
    assert_int_equal(list.n_kernels, 1);
    assert_string_equal(list.kernels[0]->name, "one_memory lsize_0:32 with_v:1 "
                                               "accumulators:1 barriers:True n:64");
    assert_int_equal(list.kernels[0]->n_args, 4);
    assert_string_equal(list.kernels[0]->args[3].name, "y");
    assert_true(list.kernels[0]->args[3].output);
    assert_null(list.kernels[0]->reference);
    gcal_kernel_list_clear(&list);
    EXPECT(c, 2 * 2 * 2, "red_memory", "n:64", "accumulators:1,8", "barriers:True,False");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red_memory", "barriers:1", "True, False");
    gcal_catalogue_close(c);
}

static void the_key_is_checked_when_it_is_read(void **state)
{
    static const struct {
        const char *keys, *words;
    } cases[] = {
        { "[loads]", "expected a map with keys such as 'tag'" },
        { "{tag: red, form: [loads]}", "unknown key 'form'" },
        { "{tag: red}", ": companions: expected {tag: word, forms: " },
        { "{tag: red+, forms: [loads]}", "tag: 'red+' is not a name" },
        { "{tag: red, forms: [load]}",
          "forms: expected loads, onchip or memory, found 'load'" },
        { "{tag: red, forms: [loads, loads]}", "forms: duplicate 'loads'" },
    };
    char text[2000];

    (void)state;
    write_application();
    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(text, sizeof(text), "%scompanions: %s\n", APPLICATION, cases[i].keys);
        folder_write("one.yaml", text);
        assert_null(gcal_catalogue_open(folder, &err));
        if (!strstr(err.text, "one.yaml:1") || !strstr(err.text, cases[i].words))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, cases[i].words);
    }
    folder_write("one.yaml",
                 WITH("  keep: [1]\n", "companions: {tag: a, forms: [loads]}\n"));
    assert_null(gcal_catalogue_open(folder, &err));
    assert_non_null(strstr(err.text, "the form 'loads' adds an argument 'keep'"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, catalogue_folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_load_has_a_derived_kernel),
        TEST(the_work_on_the_chip_is_a_derived_kernel),
        TEST(all_accesses_in_place_are_a_derived_kernel),
        TEST(the_key_is_checked_when_it_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
