/* The catalogue: reading, tags, generation, and every entry counted and checked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/model/profile.h"
#include "kernels/kernels.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct gcal_error err;

static struct gcal_catalogue *builtin(void)
{
    struct gcal_catalogue *catalogue = gcal_catalogue_open(NULL, &err);

    if (!catalogue)
        fail_msg("%s", err.text);
    return catalogue;
}

/* The kernels that up to six tags pick. */
static struct gcal_kernel_list pick(const struct gcal_catalogue *catalogue,
                                    enum gcal_match match, const char *const *tags)
{
    struct gcal_kernel_list list = { 0 };
    size_t n = 0;

    while (tags[n])
        n++;
    if (gcal_catalogue_generate(catalogue, n, tags, match, NULL, &list, &err) < 0)
        fail_msg("%s", err.text);
    return list;
}

#define PICK(catalogue, match, ...)                                                      \
    pick(catalogue, match, (const char *const[]){ __VA_ARGS__, NULL })

static void expect_complaint(const struct gcal_catalogue *catalogue,
                             enum gcal_match match, const char *tag, const char *tag2,
                             const char *words)
{
    const char *tags[] = { tag, tag2 };
    struct gcal_kernel_list list = { 0 };
    size_t n = tag2 ? 2 : 1;

    err.text[0] = '\0';
    assert_int_equal(gcal_catalogue_check(catalogue, n, tags, match, &err), -1);
    assert_int_equal(err.code, GCAL_EINPUT);
    if (!strstr(err.text, words))
        fail_msg("'%s' does not say '%s'", err.text, words);
    assert_int_equal(
        gcal_catalogue_generate(catalogue, n, tags, match, NULL, &list, &err), -1);
    gcal_kernel_list_clear(&list);
}

/* ---- a catalogue made by the test ---- */

static char folder[32];

static void write_file(const char *name, const char *text)
{
    char path[64];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/gcal-catalogue.XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    write_file("k.cl", "__kernel void k(__global float *x, int n)\n"
                       "{\n    x[get_global_id(0)] = (float)n;\n}\n");
    return 0;
}

static int remove_folder(void **state)
{
    static const char *const names[] = { "k.cl", "c.cl", "one.yaml", "two.yaml" };
    char path[64];

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

#define TAIL                                                                             \
    "source: k.cl\nkernel: k\n"                                                          \
    "arguments: {lsize_0: [32], n: {size: [64, 96]}}\n"                                  \
    "local_size: [lsize_0]\nglobal_size: [n]\n"                                          \
    "args:\n"                                                                            \
    "- {name: x, buffer: float32, elements: n, output: true}\n"                          \
    "- {name: n, scalar: int32, value: n}\n"                                             \
    "check: {n: 32}\n"

/* The same with other arguments, which stand in front of n, and keys. */
#define GENERATOR(arguments, keys, check)                                                \
    "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"                \
    "arguments:\n" arguments "  n: {size: [64]}\n" keys                                  \
    "local_size: [32]\nglobal_size: [n]\nargs:\n"                                        \
    "- {name: x, buffer: float32, elements: n, output: true}\n"                          \
    "- {name: n, scalar: int32, value: n}\n"                                             \
    "check: {n: " check "}\n"
#define WITH(arguments, keys) GENERATOR(arguments, keys, "32")

static void match_conditions_are_the_four_of_the_paper(void **state)
{
    static const struct {
        enum gcal_match match;
        const char *tags[3];
        size_t n_kernels; /* two per generator */
    } cases[] = {
        { GCAL_MATCH_SUPERSET, { "red" }, 4 },
        { GCAL_MATCH_SUPERSET, { "red", "round" }, 2 },
        { GCAL_MATCH_IDENTICAL, { "red" }, 2 },
        { GCAL_MATCH_IDENTICAL, { "round", "red" }, 2 },
        { GCAL_MATCH_SUBSET, { "red", "round" }, 4 },
        { GCAL_MATCH_SUBSET, { "red" }, 2 },
        { GCAL_MATCH_INTERSECT, { "round" }, 2 },
        { GCAL_MATCH_INTERSECT, { "round", "red" }, 4 },
    };
    struct gcal_catalogue *catalogue;

    (void)state;
    write_file("one.yaml", "gpucal_kernel: 1\nname: one\ntags: [red]\n" TAIL);
    write_file("two.yaml", "gpucal_kernel: 1\nname: two\ntags: [red, round]\n" TAIL);
    catalogue = gcal_catalogue_open(folder, &err);
    assert_non_null(catalogue);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gcal_kernel_list list = pick(catalogue, cases[i].match, cases[i].tags);

        assert_int_equal(list.n_kernels, cases[i].n_kernels);
        gcal_kernel_list_clear(&list);
    }
    expect_complaint(catalogue, GCAL_MATCH_IDENTICAL, "round", NULL,
                     "exactly these tags: round");
    gcal_catalogue_close(catalogue);
}

static void files_that_are_not_right_name_line_and_column(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        { "gpucal_kernel: 1\nname: one\ntag: [red]\n" TAIL,
          "one.yaml:3:1: unknown key 'tag' (did you mean 'tags'?)" },
        { "gpucal_kernel: 2\nname: one\ntags: [red]\n" TAIL, "one.yaml:1:16: " },
        { "gpucal_kernel: 1\nname: one\ntags: red\n" TAIL,
          "one.yaml:3:7: tags: expected a" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\ntolerance: [1]\n" TAIL,
          "one.yaml:4:12: " },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {ladder: [64, 32]}}\n",
          "one.yaml:6:30: n: a ladder must ascend" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {ladder: [64]}, m: [1]}\n",
          "one.yaml:6:13: n: the argument with a ladder must be the last one" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n +]\nargs: []\n",
          "one.yaml:9:15: global_size: 'n +': " },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [m]\nargs: []\n",
          "one.yaml:9:15: global_size: 'm' is not an argument" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs:\n  - {name: x, buffer: float33, elements: n}\n",
          "one.yaml:11:23: 'float33' is not a dtype" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 33}\nlocal_size: [32]\n"
          "global_size: [n]\nargs: []\n",
          "not a positive multiple of the work-group's 32" },
        { WITH("  i: {range: [1]}\n", ""), "one.yaml:7:14: i: expected [first, last" },
        { WITH("  i: {range: [1, x]}\n", ""), "one.yaml:7:18: i: expected an integer" },
        { WITH("  i: {range: [4, 1]}\n", ""), "one.yaml:7:18: i: the last value is" },
        { WITH("  i: {range: [1, 4, 2]}\n", ""),
          "one.yaml:7:18: i: steps of 2 from 1 do not meet" },
        { WITH("  i: {range: [1, 4, 0]}\n", ""), "one.yaml:7:21: i: the step is 0" },
        { WITH("  i: {range: [1, 65]}\n", ""),
          "one.yaml:7:6: i: more than 64 values need a 'default'" },
        { WITH("  i: {range: [1, 65], default: [66]}\n", ""),
          "one.yaml:7:33: i: the default '66' is not among" },
        { WITH("  i: {powers_of_two: [4, 24]}\n", ""),
          "one.yaml:7:26: i: 24 is no power of two" },
        { WITH("  i: {footprint: {multiple: 4}}\n", ""),
          "one.yaml:7:18: i: expected factors of the cache or" },
        { WITH("  i: {footprint: {cache: [0]}}\n", ""),
          "one.yaml:7:27: cache: expected a factor above 0" },
        { WITH("  i: {footprint: {cache: [1], multiple: 0}}\n", ""),
          "one.yaml:7:41: multiple: expected 1 to" },
        { WITH("  i: {footprint: {memory: [1]}}\n  j: {footprint: {memory: [1]}}\n", ""),
          "one.yaml:8:3: j: only one size can have a footprint" },
        { WITH("  i: {range: [1, 2], values: [1]}\n", ""),
          "one.yaml:7:6: i: expected one of 'values', 'range'" },
        { WITH("  i: {size: [64], default: [64]}\n", ""),
          "one.yaml:7:6: i: a size has no 'default'" },
        { WITH("  i: [1, 2]\n", "where: i < 2\n"),
          "one.yaml:9:8: where: expected a list" },
        { WITH("  i: [1, 2]\n", "where: [i < 2 or]\n"), "one.yaml:9:9: where: " },
        { WITH("  i: [1, 2]\n", "where: [j < 2]\n"),
          "one.yaml:9:9: where: 'j < 2' names no argument" },
        { WITH("  i: [1, 2]\n", "where: [i < j]\n"), "one.yaml:9:9: where: " },
        { WITH("  i: [1, 2]\n", "where: [n > i]\n"),
          "one.yaml:9:9: where: 'n' is a size" },
        { WITH("  i: [1, a]\n", "where: [i < 2]\n"),
          "one.yaml:9:9: where: not all values of 'i' are integers" },
        { WITH("  i: [1, 2]\n", "where: [{when: {i: [1]}}]\n"),
          "one.yaml:9:9: where: expected {when: " },
        { WITH("  i: [1, 2]\n", "where: [{when: {i: [3]}, that: i < 2}]\n"),
          "one.yaml:9:21: when: 'i' never has the value '3'" },
        { WITH("  i: [1, 2]\n", "where: [i = 2, i < 2]\n"),
          "one.yaml:9:8: where: the defaults make no kernel: one: 'i = 2' (/" },
        { WITH("  i: [6, 8]\n", "assume: n % i = 0\n"),
          "one.yaml:9:9: assume, at the sizes of 'check': 'n % 6 = 0' does not hold" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: ../k.cl\n",
          "one.yaml:4:9: " },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: none.cl\n", "none.cl" },
        { "gpucal_kernel: 1\nname: two\ntags: [red]\n" TAIL, "'two' is taken" },
    };

    (void)state;
    write_file("two.yaml", "gpucal_kernel: 1\nname: two\ntags: [red]\n" TAIL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        write_file("one.yaml", cases[i].text);
        err.text[0] = '\0';
        assert_null(gcal_catalogue_open(folder, &err));
        if (!strstr(err.text, cases[i].words))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, cases[i].words);
    }
    assert_null(gcal_catalogue_open("/nonexistent", &err));
    assert_non_null(strstr(err.text, "/nonexistent"));
}

static struct gcal_catalogue *open_one(const char *text)
{
    struct gcal_catalogue *catalogue;

    write_file("one.yaml", text);
    if (!(catalogue = gcal_catalogue_open(folder, &err)))
        fail_msg("%s", err.text);
    return catalogue;
}

static void expect_number(const struct gcal_catalogue *catalogue, const char *const *tags,
                          size_t n_kernels)
{
    struct gcal_kernel_list list = pick(catalogue, GCAL_MATCH_SUPERSET, tags);

    assert_int_equal(list.n_kernels, n_kernels);
    gcal_kernel_list_clear(&list);
}

#define EXPECT(catalogue, n, ...)                                                        \
    expect_number(catalogue, (const char *const[]){ __VA_ARGS__, NULL }, n)

static void ranges_and_powers_allow_what_they_say(void **state)
{
    struct gcal_catalogue *c =
        open_one(WITH("  i: {range: [0, 1000000000], default: [1, 7]}\n"
                      "  j: {range: [3, 15, 4]}\n"
                      "  k: {powers_of_two: [1, 1048576], default: [4]}\n",
                      ""));

    (void)state;
    EXPECT(c, 2 * 4, "red");
    EXPECT(c, 3 * 4, "red", "i:0,999999999,1000000000");
    EXPECT(c, 2, "red", "j:7");
    EXPECT(c, 3, "red", "i:1", "j:15", "k:1,2,1048576");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "i:1000000001",
                     "argument 'i' takes 0 to 1000000000");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "i:01", "takes 0 to");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "i:-1", "takes 0 to");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "j:4", "takes 3 to 15 in steps of 4");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "k:12",
                     "takes powers of two from 1 to 1048576");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "k:2097152", "powers of two");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "k:0", "powers of two");
    gcal_catalogue_close(c);
}

static void conditions_leave_combinations_out(void **state)
{
    struct gcal_catalogue *c =
        open_one(GENERATOR("  dtype: [float32, float64]\n"
                           "  tile: {range: [1, 64], default: [16, 8, 12]}\n"
                           "  group: {powers_of_two: [8, 64], default: [8, 16]}\n",
                           "where:\n"
                           "  - tile <= group and group % tile = 0\n"
                           "  - {when: {dtype: [float64]}, that: tile <= 8}\n"
                           "assume: n % group = 0\n",
                           "4*group"));
    struct gcal_kernel_list list = PICK(c, GCAL_MATCH_SUPERSET, "red");

    (void)state;
    assert_int_equal(list.n_kernels, 3 + 2);
    assert_string_equal(list.kernels[0]->name, "one dtype:float32 tile:16 group:16 n:64");
    assert_string_equal(list.kernels[4]->name, "one dtype:float64 tile:8 group:16 n:64");
    assert_string_equal(list.kernels[4]->assume, "n % 16 = 0");
    gcal_kernel_list_clear(&list);
    EXPECT(c, 1, "red", "tile:16", "dtype:float32");
    EXPECT(c, 3, "red", "tile:64,32", "group:32,64", "dtype:float32", "n:128");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "tile:9",
                     "the tags pick no kernel: one: 'tile <= group and group % tile = 0' "
                     "(/tmp/");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "tile:9",
                     "one.yaml:12:5) does not hold for tile:9 group:8");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "dtype:float64", "tile:16",
                     "does not hold for tile:16 group:8");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red", "n:40",
                     "one: tag 'n:40': 'n % 16 = 0' does not hold");
    gcal_catalogue_close(c);
}

/* ---- companions ---- */

#define APPLICATION                                                                      \
    "gpucal_kernel: 1\nname: one\ntags: [red, application]\nsource: c.cl\nkernel: c\n"   \
    "arguments: {lsize_0: [32], with_v: [0, 1], n: {ladder: [64, 96]}}\n"                \
    "defines: {WITH_V: with_v}\nlocal_size: [lsize_0]\nglobal_size: [n]\nargs:\n"        \
    "- {name: x, buffer: float32, elements: n}\n"                                        \
    "- {name: index, buffer: int32, elements: n}\n"                                      \
    "- {name: v, buffer: float32, elements: 4*n}\n"                                      \
    "- {name: y, buffer: float32, elements: n, output: true}\n"                          \
    "check: {n: 32}\nreference: none of the companions\n"

static void write_application(void)
{
    write_file("c.cl", "__kernel void c(__global const float *x,\n"
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

static void each_load_has_a_companion(void **state)
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
    c = open_one(APPLICATION "companions: {tag: red, forms: [loads]}\n");
    list = PICK(c, GCAL_MATCH_SUPERSET, "red_loads", "keep:each", "n:64");
    assert_int_equal(list.n_kernels, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        const struct gcal_arg *result = result_of(list.kernels[i]);

        assert_string_equal(list.kernels[i]->name, expected[i].name);
        assert_string_equal(result->dtype, expected[i].dtype);
        assert_string_equal(result->value, expected[i].elements);
    }
    gcal_kernel_list_clear(&list);
    EXPECT(c, 4, "red_loads"); /* all, n a ladder */
    EXPECT(c, 2, "red_loads", "work_removed", "keep:wide");
    EXPECT(c, 2 * 2 * 3 * 2, "red_loads", "keep:all,index+x", "accumulators:1,3,16");
    EXPECT(c, 4, "red");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red_loads", "keep:w",
                     "one_loads: keep:w names no global load; there are x, index");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red_loads", "keep:x++v", "all, each, or");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red_loads", "accumulators:17", "1 to 16");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "red_onchip", NULL, "'red_loads'");
    gcal_catalogue_close(c);
}

static void the_work_on_the_chip_is_a_companion(void **state)
{
    struct gcal_kernel_list list;
    struct gcal_catalogue *c;

    (void)state;
    write_application();
    c = open_one(APPLICATION "companions: {tag: red, forms: [onchip, loads]}\n");
    list = PICK(c, GCAL_MATCH_SUPERSET, "red_onchip", "with_v:1");
    assert_int_equal(list.n_kernels, 2);
    assert_string_equal(list.kernels[1]->name, "one_onchip lsize_0:32 with_v:1 n:96");
    assert_string_equal(result_of(list.kernels[1])->dtype, "float32");
    gcal_kernel_list_clear(&list);
    EXPECT(c, 4 + 4, "work_removed");
    gcal_catalogue_close(c);
}

static void companions_are_checked_when_they_are_read(void **state)
{
    static const struct {
        const char *keys, *words;
    } cases[] = {
        { "[loads]", "expected a map with keys such as 'tag'" },
        { "{tag: red, form: [loads]}", "unknown key 'form'" },
        { "{tag: red}", ": companions: expected {tag: word, forms: " },
        { "{tag: red+, forms: [loads]}", "tag: 'red+' is not a name" },
        { "{tag: red, forms: [load]}", "forms: 'load' is neither loads nor onchip" },
        { "{tag: red, forms: [loads, loads]}", "forms: 'loads' stands here twice" },
    };
    char text[2000];

    (void)state;
    write_application();
    for (size_t i = 0; i < COUNT(cases); i++) {
        snprintf(text, sizeof(text), "%scompanions: %s\n", APPLICATION, cases[i].keys);
        write_file("one.yaml", text);
        assert_null(gcal_catalogue_open(folder, &err));
        if (!strstr(err.text, "one.yaml:1") || !strstr(err.text, cases[i].words))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, cases[i].words);
    }
    write_file("one.yaml",
               WITH("  keep: [1]\n", "companions: {tag: a, forms: [loads]}\n"));
    assert_null(gcal_catalogue_open(folder, &err));
    assert_non_null(strstr(err.text, "the argument 'keep' is that of the companion"));
}

/* ---- devices ---- */

static struct gcal_kernel_list pick_for(const struct gcal_catalogue *catalogue,
                                        const struct gcal_kernel_limits *limits,
                                        const char *tag)
{
    const char *tags[] = { "red", tag };
    struct gcal_kernel_list list = { 0 };

    if (gcal_catalogue_generate(catalogue, 2, tags, GCAL_MATCH_SUPERSET, limits, &list,
                                &err) < 0)
        fail_msg("%s", err.text);
    return list;
}

static void what_a_device_cannot_run_is_left_out(void **state)
{
    static const struct gcal_kernel_limits all = {
        .max_work_group_size = 64, .local_memory_bytes = 2048, .fp16 = true, .fp64 = true
    };
    const struct {
        struct gcal_kernel_limits limits;
        const char *tag;
        int reason; /* -1: it is made */
    } cases[] = {
        { all, "dtype:float64", -1 },
        { { .fp16 = true, .fp64 = true }, "lsize_0:1024", -1 },
        { all, "lsize_0:64", -1 },
        { all, "lsize_0:128", GCAL_LEFT_OUT_WORK_GROUP },
        { all, "n_local:192", -1 }, /* 4 * (192 + 10 * 32) is all there is */
        { all, "n_local:193", GCAL_LEFT_OUT_LOCAL_MEMORY },
        { { .fp16 = true }, "dtype:float64", GCAL_LEFT_OUT_FP64 },
        { { .fp64 = true }, "dtype:float16", GCAL_LEFT_OUT_FP16 },
        { { 0 }, "dtype:float32", -1 },
    };
    struct gcal_catalogue *c;

    (void)state;
    write_file("c.cl", "__kernel void c(__global T *x, __local float *outside)\n"
                       "{\n    __local float inside[N_LOCAL];\n"
                       "    outside[get_local_id(0)] = inside[get_local_id(0)] = 1;\n"
                       "    x[get_global_id(0)] = outside[0] + inside[1];\n}\n");
    c = open_one("gpucal_kernel: 1\nname: one\ntags: [red]\nsource: c.cl\nkernel: c\n"
                 "arguments:\n"
                 "  dtype: {values: [float16, float32, float64], default: [float32]}\n"
                 "  n_local: {range: [2, 1000], default: [4]}\n"
                 "  lsize_0: {powers_of_two: [32, 1024], default: [32]}\n"
                 "  n: {size: [1024]}\n"
                 "defines: {T: dtype, N_LOCAL: n_local}\n"
                 "local_size: [lsize_0]\nglobal_size: [n]\nargs:\n"
                 "- {name: x, buffer: float32, elements: n, output: true}\n"
                 "- {name: outside, local: float32, elements: 320}\n"
                 "check: {n: lsize_0}\n");
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gcal_kernel_list list = pick_for(c, &cases[i].limits, cases[i].tag);

        assert_int_equal(list.n_kernels, cases[i].reason < 0);
        for (int reason = 0; reason < GCAL_N_LEFT_OUT; reason++)
            assert_int_equal(list.left_out[reason], reason == cases[i].reason);
        assert_false(list.nominal);
        gcal_kernel_list_clear(&list);
    }
    assert_string_equal(gcal_left_out_name(GCAL_LEFT_OUT_FP64),
                        "float64, which the device does not have");
    gcal_catalogue_close(c);
}

static void expect_sizes(const struct gcal_catalogue *c,
                         const struct gcal_kernel_limits *limits, const char *tag,
                         size_t n, const double *sizes)
{
    struct gcal_kernel_list list = pick_for(c, limits, tag);

    assert_int_equal(list.n_kernels, n);
    assert_true(list.nominal == !limits);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(list.kernels[i]->sizes[0].name, "n");
        if (list.kernels[i]->sizes[0].value != sizes[i])
            fail_msg("%s: n is %.0f", tag, list.kernels[i]->sizes[0].value);
        assert_false(list.kernels[i]->ladder);
    }
    gcal_kernel_list_clear(&list);
}

static void footprints_follow_the_device(void **state)
{
    /* no round numbers: 1000003 bytes of cache, 50 MB of memory */
    static const struct gcal_kernel_limits device = { .cache_bytes = 1000003,
                                                      .memory_bytes = 5e7,
                                                      .fp64 = true };
    struct gcal_kernel_limits little = device, tiny = device;
    struct gcal_catalogue *c = open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\narguments:\n"
        "  dtype: {values: [float32, float64], default: [float32]}\n"
        "  n: {footprint: {cache: [0.25, 4], memory: [0.5], multiple: 96}}\n"
        "local_size: [32]\nglobal_size: [n]\nargs:\n"
        "- {name: x, buffer: dtype, elements: n, output: true}\n"
        "- {name: y, buffer: dtype, elements: 2*n}\n"
        "assume: n <= 2000000\n"
        "check: {n: 32}\n");

    (void)state;
    little.max_alloc_bytes = 1e6;
    tiny.cache_bytes = 4000;
    /* floor(1000003 / 4 / 12 / 96) * 96, floor(4 * 1000003 / 12 / 96) * 96, 'assume' */
    expect_sizes(c, &device, "dtype:float32", 3, (double[]){ 20832, 333312, 1999968 });
    expect_sizes(c, &device, "dtype:float64", 3, (double[]){ 10368, 166656, 1041600 });
    /* 8 bytes of each of n elements in a buffer; the last two are the same kernel */
    expect_sizes(c, &little, "dtype:float32", 2, (double[]){ 20832, 124992 });
    expect_sizes(c, NULL, "dtype:float32", 3, (double[]){ 87360, 1398048, 1999968 });
    expect_sizes(c, &tiny, "dtype:float32", 2, (double[]){ 1248, 1999968 });
    {
        struct gcal_kernel_list list = pick_for(c, &tiny, "dtype:float32");

        assert_int_equal(list.left_out[GCAL_LEFT_OUT_FOOTPRINT], 1);
        gcal_kernel_list_clear(&list);
        list = pick_for(c, NULL, "n:960");
        assert_int_equal(list.n_kernels, 1);
        assert_string_equal(list.kernels[0]->name, "one dtype:float32 n:960");
        assert_false(list.nominal);
        gcal_kernel_list_clear(&list);
    }
    gcal_catalogue_close(c);
}

static void a_footprint_may_be_of_some_bytes(void **state)
{
    static const struct gcal_kernel_limits device = { .cache_bytes = 1e6 };
    struct gcal_catalogue *c = open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\narguments:\n"
        "  width: [1, 2]\n"
        "  n: {footprint: {bytes: 100*width*n^2, cache: [1], multiple: 4}}\n"
        "local_size: [4]\nglobal_size: [n]\nargs:\n"
        "- {name: x, buffer: float32, elements: n, output: true}\n"
        "- {name: n, scalar: int32, value: n}\ncheck: {n: 32}\n");

    (void)state;
    expect_sizes(c, &device, "width:1", 1, (double[]){ 100 });
    expect_sizes(c, &device, "width:2", 1, (double[]){ 68 }); /* below 70.7 */
    gcal_catalogue_close(c);
}

/* The last rungs would have no room beside the largest n; they do not make it smaller. */
static void a_footprint_is_one_for_a_ladder(void **state)
{
    static const struct gcal_kernel_limits device = { .cache_bytes = 4e6,
                                                      .max_alloc_bytes = 4e6 };
    struct gcal_catalogue *c = open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\narguments:\n"
        "  n: {footprint: {bytes: 4*n, cache: [1], multiple: 1000}}\n"
        "  m: {ladder: [1, 64, 4096]}\n"
        "local_size: [4]\nglobal_size: [n]\nargs:\n"
        "- {name: x, buffer: float32, elements: n, output: true}\n"
        "- {name: y, buffer: float32, elements: 500*m}\n"
        "check: {n: 32, m: 1}\n");
    struct gcal_kernel_list list;

    (void)state;
    list = pick_for(c, &device, "red");
    assert_int_equal(list.n_kernels, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(list.kernels[i]->sizes[0].value == 1e6);
        assert_string_equal(list.kernels[i]->family, "one n:1000000");
    }
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

static void a_description_groups_generators_and_marks_defaults(void **state)
{
    static const char expected[] = "---- arithmetic (flops) ----\n\n"
                                   "two [two flops]\n"
                                   "    lsize_0:32 n:any=64,96\n"
                                   "\n---- others ----\n\n"
                                   "one [red]\n"
                                   "    two lines\n"
                                   "    a:1,2 b:x,y=y c:1..9/4=5 d:1,2..64=1,2 "
                                   "n:any=64\n\n";
    struct gcal_catalogue *c;
    char *text;

    (void)state;
    write_file("two.yaml", "gpucal_kernel: 1\nname: two\ntags: [two, flops]\n" TAIL);
    c = open_one(WITH("  a: [1, 2]\n"
                      "  b: {values: [x, y], default: [y]}\n"
                      "  c: {range: [1, 9, 4], default: [5]}\n"
                      "  d: {powers_of_two: [1, 64], default: [1, 2]}\n",
                      "description: |\n  two\n  lines\n"));
    text = gcal_catalogue_describe(c, &err);
    assert_non_null(text);
    if (strncmp(text, expected, sizeof(expected) - 1) != 0)
        fail_msg("%s", text);
    assert_non_null(strstr(text, "4 MiB of cache and 1 GiB of memory"));
    free(text);
    gcal_catalogue_close(c);
}

/* ---- the built-in catalogue ---- */

static void the_folder_and_the_builtin_catalogue_agree(void **state)
{
    struct gcal_catalogue *inside = builtin();
    struct gcal_catalogue *outside =
        gcal_catalogue_open(SOURCE_DIR "/kernels/catalogue", &err);
    struct gcal_kernel_list a, b;
    char *described[2];

    (void)state;
    if (!outside)
        fail_msg("%s", err.text);
    described[0] = gcal_catalogue_describe(inside, &err);
    described[1] = gcal_catalogue_describe(outside, &err);
    assert_string_equal(described[0], described[1]);
    assert_non_null(
        strstr(described[0],
               "\nmatmul_tiled [matmul_sq application]\n"
               "    product of square matrices, tiles fetched into local memory\n"
               "    dtype:float32,float64=float32 prefetch:True lsize_0:8,16,32=16 "
               "lsize_1:8,16,32=16\n"
               "    groups_fit:True n:any=64..8192\n"
               "    +matmul_tiled_loads [matmul_sq_loads work_removed] "
               "+matmul_tiled_onchip\n"
               "    [matmul_sq_onchip work_removed]\n"));
    a = PICK(inside, GCAL_MATCH_SUPERSET, "matmul_sq", "n:2400");
    b = PICK(outside, GCAL_MATCH_SUPERSET, "matmul_sq", "n:2400");
    assert_int_equal(a.n_kernels, 2);
    for (size_t i = 0; i < a.n_kernels; i++) {
        assert_int_equal(strlen(a.kernels[i]->id), 64);
        assert_string_equal(a.kernels[i]->id, b.kernels[i]->id);
    }
    assert_string_not_equal(a.kernels[0]->id, a.kernels[1]->id);
    free(described[0]);
    free(described[1]);
    gcal_kernel_list_clear(&a);
    gcal_kernel_list_clear(&b);
    gcal_catalogue_close(inside);
    gcal_catalogue_close(outside);
}

/* Seed 004, section 7.1. */
static void the_examples_of_the_paper(void **state)
{
#define PRODUCT                                                                          \
    "matmul_sq", "dtype:float32", "lsize_0:16", "lsize_1:16", "groups_fit:True"
    static const char *const both[] = { "matmul_sq", "finite_diff" };
    static const char *const names[] = { "matmul_plain", "matmul_tiled",
                                         "stencil_5point" };
    struct gcal_catalogue *c = builtin();
    struct gcal_kernel_list list = { 0 };
    size_t n_found = 0;

    (void)state;
    EXPECT(c, 4, PRODUCT, "prefetch:True", "n:2048,2560,3072,3584");
    EXPECT(c, 8, PRODUCT, "n:2048,2560,3072,3584");
    expect_complaint(c, GCAL_MATCH_SUPERSET, both[0], both[1], "has all of these tags");
    expect_complaint(c, GCAL_MATCH_IDENTICAL, both[0], both[1], "has exactly these tags");
    expect_complaint(c, GCAL_MATCH_SUBSET, both[0], both[1], "has only tags of these");
    list = PICK(c, GCAL_MATCH_INTERSECT, "matmul_sq", "finite_diff", "n:2016");
    for (size_t i = 0; i < list.n_kernels; i++) {
        while (n_found < COUNT(names) &&
               strcmp(list.kernels[i]->generator, names[n_found]) != 0)
            n_found++;
        assert_true(n_found < COUNT(names));
    }
    assert_int_equal(n_found, COUNT(names) - 1);
    gcal_kernel_list_clear(&list);
    list = PICK(c, GCAL_MATCH_IDENTICAL, "matmul_sq", "application", "n:48");
    assert_int_equal(list.n_kernels, 2);
    gcal_kernel_list_clear(&list);
    list = PICK(c, GCAL_MATCH_SUBSET, "matmul_sq", "finite_diff", "application", "n:2016",
                "prefetch:True");
    assert_int_equal(list.n_kernels, 1 + 2);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

static void variant_tags_span_the_cartesian_product(void **state)
{
    struct gcal_catalogue *catalogue = builtin();
    struct gcal_kernel_list list =
        PICK(catalogue, GCAL_MATCH_SUPERSET, "gmem_load_pattern", "n_arrays:1,2,3",
             "per_item:1,4", "nelements:8192,4096");

    (void)state;
    assert_int_equal(list.n_kernels, 12);
    for (size_t i = 0; i < list.n_kernels; i++) {
        assert_false(list.kernels[i]->ladder);
        assert_int_equal(list.kernels[i]->n_args, 2 + i / 4);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(list.kernels[i]->id, list.kernels[j]->id);
    }
    assert_string_equal(list.kernels[7]->name,
                        "gmem_load dtype:float32 lsize_0:256 lid_stride_0:1 "
                        "groups_fit:True n_arrays:2 per_item:4 nelements:4096");
    assert_string_equal(list.kernels[7]->build_options,
                        "-DT=float -DLSIZE_0=256 -DN_ARRAYS=2 -DPER_ITEM=4");
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

static void a_size_that_no_tag_fixes_is_a_ladder(void **state)
{
    struct gcal_catalogue *catalogue = builtin();
    struct gcal_kernel_list list =
        PICK(catalogue, GCAL_MATCH_SUPERSET, "flops_madd_pattern");
    size_t n_rungs = list.n_kernels;
    const char *again[] = { "flops_madd_pattern", "m:2,7" };

    (void)state;
    assert_in_range(n_rungs, 10, 30);
    for (size_t i = 0; i < n_rungs; i++) {
        const struct gcal_kernel *k = list.kernels[i];

        assert_true(k->ladder);
        assert_string_equal(k->family, list.kernels[0]->family);
        assert_string_equal(k->sizes[1].name, "m");
        assert_true(i == 0 || k->sizes[1].value > list.kernels[i - 1]->sizes[1].value);
    }
    /* m:2 is there already: it stays the one kernel, but may not be left out now. */
    assert_int_equal(gcal_catalogue_generate(catalogue, 2, again, GCAL_MATCH_SUPERSET,
                                             NULL, &list, &err),
                     0);
    assert_int_equal(list.n_kernels, n_rungs + 1);
    assert_false(list.kernels[1]->ladder);
    assert_true(list.kernels[2]->ladder);
    assert_false(list.kernels[n_rungs]->ladder);
    assert_string_equal(list.kernels[n_rungs]->family, list.kernels[0]->family);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

static void wrong_tags_name_the_nearest(void **state)
{
    struct gcal_catalogue *c = builtin();

    (void)state;
    expect_complaint(c, GCAL_MATCH_SUPERSET, "flops_mad_patern", NULL,
                     "did you mean 'flops_madd_pattern'?");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "matmul_sq", "dtyp:float32",
                     "'dtyp' (did you mean 'dtype'?)");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "matmul_sq", "dtype:float16",
                     "takes float32, float64");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "matmul_sq", "n:2385", "matmul_");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "matmul_sq", "n:big", "positive integers");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "matmul_sq", "n:48,", "a value is missing");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "n:48", "n:64", "fixed twice");
    expect_complaint(c, GCAL_MATCH_SUPERSET, "matmul_sq", "flops",
                     "has all of these tags");
    gcal_catalogue_close(c);
}

static void geometry_follows_the_sizes(void **state)
{
    struct gcal_catalogue *catalogue = builtin();
    struct gcal_kernel_list list = PICK(catalogue, GCAL_MATCH_SUPERSET, "matmul_sq_loads",
                                        "prefetch:True", "n:2400", "keep:a");
    struct gcal_geometry geometry;
    struct gcal_size odd = { "n", 2385 };

    (void)state;
    assert_int_equal(list.n_kernels, 1);
    assert_int_equal(gcal_kernel_geometry(list.kernels[0], list.kernels[0]->n_sizes,
                                          list.kernels[0]->sizes, &geometry, &err),
                     0);
    assert_int_equal(geometry.global_size[0], 2400);
    assert_int_equal(geometry.global_size[1], 2400);
    /* a, b, c, n and the buffer that work removal adds. */
    assert_int_equal(list.kernels[0]->n_args, 5);
    assert_true(geometry.arg_values[3] == 2400);
    assert_true(geometry.arg_values[4] == 2400.0 * 2400);
    assert_true(geometry.total_bytes == 4 * 4 * 2400.0 * 2400);
    assert_true(list.kernels[0]->args[4].output);
    assert_false(list.kernels[0]->args[2].output);
    gcal_geometry_clear(&geometry);
    assert_int_equal(gcal_kernel_geometry(list.kernels[0], 1, &odd, &geometry, &err), -1);
    assert_int_equal(gcal_kernel_geometry(list.kernels[0], 0, NULL, &geometry, &err), -1);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
}

/* The count of a feature in the only kernel that two tags and 'size' pick, for
 * sub-groups of 32.
 */
static double count_of(const struct gcal_catalogue *catalogue, const char *tag,
                       const char *variant, const char *size, const char *feature)
{
    struct gcal_kernel_list list =
        PICK(catalogue, GCAL_MATCH_SUPERSET, tag, variant, size);
    const struct gcal_kernel *k = list.kernels[0];
    const struct gcal_profile *profile = k->profile;
    struct gcal_binding *binding = gcal_binding_create(profile, 1, &feature, 32, &err);
    double sizes[8], value = NAN;

    assert_int_equal(list.n_kernels, 1);
    assert_true(profile->n_parameters <= k->n_sizes);
    assert_false(profile->estimated);
    if (!binding)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < profile->n_parameters; i++) {
        size_t j = 0;

        while (j < k->n_sizes && strcmp(k->sizes[j].name, profile->parameters[i]) != 0)
            j++;
        assert_true(j < k->n_sizes);
        sizes[i] = k->sizes[j].value;
    }
    if (gcal_binding_eval(binding, sizes, &value, &err) < 0)
        fail_msg("%s: %s", k->name, err.text);
    gcal_binding_destroy(binding);
    gcal_kernel_list_clear(&list);
    return value;
}

static void every_entry_counts_what_it_was_made_for(void **state)
{
    static const struct {
        const char *tag, *variant, *size, *feature;
        double count;
    } cases[] = {
        /* 524288 work-items are 16384 sub-groups and 2048 work-groups. */
        { "flops_madd_pattern", "nelements:524288", "m:7", "f_op_float32_madd",
          16384. * 64 * 7 },
        { "flops_madd_pattern", "dtype:float64", "m:7", "f_op_float64_madd",
          4096. * 64 * 7 },
        { "flops_madd_pattern", "nelements:524288", "m:7", "f_op_float32_add",
          16384. * 32 },
        { "flops_mul_pattern", "nelements:524288", "m:7", "f_op_float32_mul",
          16384. * 64 * 7 },
        { "flops_add_pattern", "nelements:524288", "m:7", "f_op_float32_add",
          16384. * (64 * 7 + 32) },
        { "flops_add_pattern", "nelements:524288", "m:7",
          "f_mem_access_global_float32_store", 524288 },
        { "gmem_load_pattern", "n_arrays:3", "nelements:4096", "f_mem_access_tag:stream",
          3 * 4096 },
        { "gmem_load_pattern", "n_arrays:3", "nelements:4096",
          "f_mem_access_global_float32_load_lstrides:{0:1}_afr:1", 3 * 4096 },
        { "gmem_store_pattern", "per_item:16", "nelements:8192",
          "f_mem_access_global_float32_store", 8192 },
        { "gmem_store_pattern", "per_item:16", "nelements:8192", "f_thread_groups", 2 },
        { "lmem_move_pattern", "nelements:524288", "m:7",
          "f_mem_access_local_float32_lstrides:{0:1}", 16384. * (8 * 7 + 8 + 1) },
        { "lmem_broadcast_pattern", "nelements:524288", "m:7",
          "f_mem_access_local_float32_lstrides:{0:0}", 16384. * 16 * 7 },
        { "lmem_broadcast_pattern", "nelements:524288", "m:7",
          "f_mem_access_local_float32_store", 16384. * (7 + 1) },
        { "barrier_pattern", "nelements:524288", "m:7", "f_sync_barrier_local", 15 },
        { "empty_kernel", "lsize_0:256", "ngroups:48", "f_thread_groups", 48 },
        { "empty_kernel", "lsize_0:256", "ngroups:48", "f_sync_kernel_launch", 1 },
        { "overlap_pattern", "m:5", "nelements:4096", "f_mem_access_tag:stream", 4096 },
        { "overlap_pattern", "m:5", "nelements:4096", "f_mem_access_local_float32",
          128 * (2 * 5 + 2) },
        { "matmul_sq", "prefetch:True", "n:240", "f_op_float32_madd",
          240. * 240 * 240 / 32 },
        { "matmul_sq", "prefetch:True", "n:240", "f_mem_access_tag:aPF",
          240. * 240 * 240 / 16 },
        { "matmul_sq", "prefetch:True", "n:240",
          "f_mem_access_local_float32_load_lstrides:{0:0}", 240. * 240 * 240 / 32 },
        { "matmul_sq", "prefetch:False", "n:240", "f_mem_access_tag:bNoPF",
          240. * 240 * 240 },
        { "matmul_sq", "prefetch:False", "n:240", "f_mem_access_tag:aNoPF",
          240. * 240 * 240 / 32 },
        { "matmul_sq_loads", "prefetch:False", "n:240", "f_mem_access_tag:aNoPF",
          240. * 240 * 240 / 32 },
        { "matmul_sq_loads", "prefetch:False", "n:240", "f_op_float32_madd", 0 },
        { "matmul_sq_loads", "prefetch:True", "n:240", "f_mem_access_tag:bPF",
          240. * 240 * 240 / 16 },
        { "matmul_sq_loads", "prefetch:True", "n:240", "f_mem_access_local_float32", 0 },
        { "matmul_sq_loads", "prefetch:True", "n:240",
          "f_mem_access_global_float32_store", 240. * 240 },
    };
    struct gcal_catalogue *catalogue = builtin();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        double count = count_of(catalogue, cases[i].tag, cases[i].variant, cases[i].size,
                                cases[i].feature);

        if (count != cases[i].count)
            fail_msg("%s %s: %s is %g, not %g", cases[i].tag, cases[i].variant,
                     cases[i].feature, count, cases[i].count);
    }
    gcal_catalogue_close(catalogue);
}

/* ---- numeric checks ---- */

#define MAX_ARGS 8

struct call {
    struct gcal_host_arg args[MAX_ARGS];
    int32_t scalars[MAX_ARGS];
};

static void make_call(const struct gcal_kernel *k, const struct gcal_geometry *geometry,
                      struct call *call)
{
    assert_true(k->n_args <= MAX_ARGS);
    memset(call, 0, sizeof(*call));
    for (size_t i = 0; i < k->n_args; i++) {
        size_t n = (size_t)geometry->arg_values[i];

        call->args[i].dtype = k->args[i].dtype;
        if (k->args[i].kind == GCAL_ARG_SCALAR) {
            assert_string_equal(k->args[i].dtype, "int32");
            call->scalars[i] = (int32_t)n;
            call->args[i].data = &call->scalars[i];
            continue;
        }
        call->args[i].count = n;
        call->args[i].data = calloc(n, gcal_dtype_size(k->args[i].dtype));
        assert_non_null(call->args[i].data);
        if (!k->args[i].output)
            assert_int_equal(
                gcal_random_fill(i + 1, k->args[i].dtype, n, call->args[i].data), 0);
    }
}

static void free_call(const struct gcal_kernel *k, struct call *call)
{
    for (size_t i = 0; i < k->n_args; i++)
        if (k->args[i].kind != GCAL_ARG_SCALAR)
            free(call->args[i].data);
}

static double element(const struct gcal_host_arg *arg, size_t i)
{
    return strcmp(arg->dtype, "float64") == 0 ? ((const double *)arg->data)[i]
                                              : (double)((const float *)arg->data)[i];
}

/* Also: outputs are not all zero, so that a kernel that writes nothing is found. */
static void compare(const struct gcal_kernel *k, const struct call *got,
                    const struct call *expected)
{
    for (size_t a = 0; a < k->n_args; a++) {
        double sum = 0;

        for (size_t i = 0; k->args[a].output && i < got->args[a].count; i++) {
            double x = element(&got->args[a], i), y = element(&expected->args[a], i);

            sum += fabs(y);
            if (!(fabs(x - y) <= k->tolerance * fabs(y)))
                fail_msg("%s: %s[%zu] is %.9g, not %.9g", k->name, k->args[a].name, i, x,
                         y);
        }
        assert_true(!k->args[a].output || (sum > 0 && isfinite(sum)));
    }
}

static void check_kernel(const struct gcal_kernel *k)
{
    struct gcal_count_request request = {
        .source = k->source,
        .file = k->name,
        .kernel = k->entry,
        .build_options = k->build_options,
        .n_dims = k->n_dims,
    };
    struct gcal_geometry geometry;
    struct call got, expected;

    for (size_t i = 0; i < k->n_dims; i++) {
        request.local_size[i] = k->local_size[i];
        request.global_size[i] = k->global_size[i];
    }
    assert_int_equal(
        gcal_kernel_geometry(k, k->n_check_sizes, k->check_sizes, &geometry, &err), 0);
    make_call(k, &geometry, &got);
    make_call(k, &geometry, &expected);
    if (gcal_host_run_kernel(&request, geometry.global_size, k->n_args, got.args, &err) <
        0)
        fail_msg("%s: %s", k->name, err.text);
    if (!k->reference)
        compare(k, &got, &got);
    else if (gcal_host_run_function(k->reference, k->name, "reference", k->n_args,
                                    expected.args, &err) < 0)
        fail_msg("%s: %s", k->name, err.text);
    else
        compare(k, &got, &expected);
    free_call(k, &got);
    free_call(k, &expected);
    gcal_geometry_clear(&geometry);
}

static void every_kernel_computes_its_reference(void **state)
{
    static const char *const tags[][2] = {
        { "matmul_sq", "n:48" },
        { "matmul_sq_loads", "keep:a,b,all" },
        { "flops_madd_pattern", "m:3" },
        { "flops_madd_pattern", "dtype:float64" },
        { "gmem_load_pattern", "n_arrays:1,2,3,4" },
        { "gmem_store_pattern", "per_item:16" },
        { "lmem_move_pattern", "m:5" },
        { "overlap_pattern", "m:4" },
        { "barrier_pattern", "m:7" },
        { "empty_kernel", "ngroups:2" },
    };
    struct gcal_catalogue *catalogue = builtin();
    size_t n_checked = 0;

    (void)state;
    for (size_t t = 0; t < COUNT(tags); t++) {
        struct gcal_kernel_list list =
            pick(catalogue, GCAL_MATCH_SUPERSET,
                 (const char *const[]){ tags[t][0], tags[t][1], NULL });

        for (size_t i = 0; i < list.n_kernels; i++)
            if (!i || strcmp(list.kernels[i]->family, list.kernels[i - 1]->family) != 0) {
                check_kernel(list.kernels[i]);
                n_checked++;
            }
        gcal_kernel_list_clear(&list);
    }
    assert_true(n_checked >= COUNT(tags));
    gcal_catalogue_close(catalogue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(match_conditions_are_the_four_of_the_paper,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(files_that_are_not_right_name_line_and_column,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(ranges_and_powers_allow_what_they_say,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(conditions_leave_combinations_out, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(each_load_has_a_companion, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(the_work_on_the_chip_is_a_companion, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(companions_are_checked_when_they_are_read,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(
            a_description_groups_generators_and_marks_defaults, make_folder,
            remove_folder),
        cmocka_unit_test(the_folder_and_the_builtin_catalogue_agree),
        cmocka_unit_test(the_examples_of_the_paper),
        cmocka_unit_test(variant_tags_span_the_cartesian_product),
        cmocka_unit_test(a_size_that_no_tag_fixes_is_a_ladder),
        cmocka_unit_test(wrong_tags_name_the_nearest),
        cmocka_unit_test_setup_teardown(what_a_device_cannot_run_is_left_out, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(footprints_follow_the_device, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_footprint_is_one_for_a_ladder, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_footprint_may_be_of_some_bytes, make_folder,
                                        remove_folder),
        cmocka_unit_test(geometry_follows_the_sizes),
        cmocka_unit_test(every_entry_counts_what_it_was_made_for),
        cmocka_unit_test(every_kernel_computes_its_reference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
