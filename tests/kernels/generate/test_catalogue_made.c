/* test_catalogue_made.c - small catalogues of the test: descriptions, their errors, and
 * the kernels that tags pick
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/wire.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "tests/folder.h"
#include "tests/kernels/generate/catalogue_pick.h"

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
    folder_write("one.yaml", "gpucal_kernel: 1\nname: one\ntags: [red]\n" TAIL);
    folder_write("two.yaml", "gpucal_kernel: 1\nname: two\ntags: [red, round]\n" TAIL);
    catalogue = gcal_catalogue_open(folder, &err);
    assert_non_null(catalogue);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct gcal_kernel_list list =
            catalogue_pick(catalogue, cases[i].match, cases[i].tags);

        assert_int_equal(list.n_kernels, cases[i].n_kernels);
        gcal_kernel_list_clear(&list);
    }
    expect_refused(catalogue, GCAL_MATCH_IDENTICAL, "round", NULL,
                   "exactly these tags: round");
    gcal_catalogue_close(catalogue);
}

/* Any change of a description or a source changes it. */
static void the_fingerprint_is_of_every_byte(void **state)
{
    static const char text[] = "gpucal_kernel: 1\nname: one\ntags: [red]\n" TAIL;
    static const char other[] = "gpucal_kernel: 1\nname: one\ntags: [rod]\n" TAIL;
    struct gcal_catalogue *a = catalogue_open_one(text), *b = catalogue_open_one(other),
                          *c = catalogue_open_one(text);

    (void)state;
    assert_string_not_equal(gcal_catalogue_fingerprint(a), gcal_catalogue_fingerprint(b));
    assert_string_equal(gcal_catalogue_fingerprint(a), gcal_catalogue_fingerprint(c));
    gcal_catalogue_close(a);
    gcal_catalogue_close(b);
    gcal_catalogue_close(c);
}

static void errors_name_line_and_column(void **state)
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
          "one.yaml:6:30: n: the sizes of a ladder must ascend" },
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
          "one.yaml:9:15: global_size: 'm' is not a size" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs:\n  - {name: x, buffer: float33, elements: n}\n",
          "one.yaml:11:23: 'float33' is not a dtype" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs:\n"
          "  - {name: x, buffer: int32, elements: n, range: [0]}\n",
          "one.yaml:11:50: range: expected [first, last]" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs:\n"
          "  - {name: x, buffer: int32, elements: n, range: [0, n, rising]}\n",
          "one.yaml:11:50: range: expected [first, last]" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs:\n"
          "  - {name: x, scalar: int32, value: n, range: [0, n]}\n",
          "one.yaml:11:47: range: expected [first, last] of a buffer" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs:\n"
          "  - {name: x, buffer: int32, elements: n, members: int32 int24}\n",
          "one.yaml:11:52: members: expected those of a buffer's structures" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs:\n"
          "  - {name: x, local: int32, elements: n, members: int32 float32}\n",
          "one.yaml:11:51: members: expected those of a buffer's structures" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs:\n"
          "  - {name: x, buffer: uint8, elements: n, range: [0, 300]}\n",
          "the range of 'x', 0 to 300, is not one of uint8" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs: []\nstd: C99\n",
          "one.yaml:11:6: std: expected a standard such as CL2.0" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 32}\nlocal_size: [32]\n"
          "global_size: [n]\nargs: []\nunchecked: maybe\n",
          "one.yaml:11:12: unchecked: expected" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\ncheck: {n: 33}\nlocal_size: [32]\n"
          "global_size: [n]\nargs: []\n",
          "expected a positive multiple of the work-group size, 32" },
        { WITH("  i: {range: [1]}\n", ""), "one.yaml:7:14: i: expected [first, last" },
        { WITH("  i: {range: [1, x]}\n", ""), "one.yaml:7:18: i: expected an integer" },
        { WITH("  i: {range: [4, 1]}\n", ""), "one.yaml:7:18: i: the last value is" },
        { WITH("  i: {range: [1, 4, 2]}\n", ""),
          "one.yaml:7:18: i: steps of 2 from 1 miss the last" },
        { WITH("  i: {range: [1, 4, 0]}\n", ""), "one.yaml:7:21: i: the step is 0" },
        { WITH("  i: {range: [1, 65]}\n", ""),
          "one.yaml:7:6: i: more than 64 values: add 'default'" },
        { WITH("  i: {range: [1, 65], default: [66]}\n", ""),
          "one.yaml:7:33: i: the default '66' is not among" },
        { WITH("  i: {powers_of_two: [4, 24]}\n", ""),
          "one.yaml:7:26: i: 24 is not a power of two" },
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
          "one.yaml:9:9: where: 'j < 2' has no argument in it" },
        { WITH("  i: [1, 2]\n", "where: [i < j]\n"), "one.yaml:9:9: where: " },
        { WITH("  i: [1, 2]\n", "where: [n > i]\n"),
          "one.yaml:9:9: where: 'n' is a size" },
        { WITH("  i: [1, a]\n", "where: [i < 2]\n"),
          "one.yaml:9:9: where: not all values of 'i' are integers" },
        { WITH("  i: [1, 2]\n", "cases: i\n"), "one.yaml:9:8: cases: expected a list" },
        { WITH("  i: [1, 2]\n", "cases: [{assume: n > 1}]\n"),
          "one.yaml:9:9: cases: key 'when' is missing" },
        { WITH("  i: [1, 2]\n", "cases: [{when: {i: [3]}, assume: n > 1}]\n"),
          "one.yaml:9:21: when: 'i' never has the value '3'" },
        { WITH("  i: [1, 2]\n", "cases: [{when: {i: [1]}, check: {}}]\n"), "check: " },
        { WITH("  i: {range: [1, 4], default: []}\n", ""),
          "i: only 'values' may have no default" },
        { WITH("  i: [1, 2]\n", "where: [{when: {i: [1]}}]\n"),
          "one.yaml:9:9: where: expected {when: " },
        { WITH("  i: [1, 2]\n", "where: [{when: {i: [3]}, that: i < 2}]\n"),
          "one.yaml:9:21: when: 'i' never has the value '3'" },
        { WITH("  i: [1, 2]\n", "where: [i = 2, i < 2]\n"),
          "one.yaml:9:8: where: no kernel for the default values: one: 'i = 2' (/" },
        { WITH("  i: [6, 8]\n", "assume: n % i = 0\n"),
          "one.yaml:9:9: assume, at the sizes of 'check': 'n % 6 = 0' does not hold" },
        { WITH("", "trips: {x: n}\n"), "one.yaml:8:9: trips: the line: expected" },
        { WITH("", "trips: {3: m}\n"), "one.yaml:8:12: trips: 'm' is not a size" },
        { WITH("", "trips: [n]\n"), "one.yaml:8:8: trips: expected a map" },
        { WITH("", "allow_estimates: 2\n"), "one.yaml:8:18: allow_estimates: expected" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: ../k.cl\n",
          "one.yaml:4:9: " },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: none.cl\n", "none.cl" },
        { "gpucal_kernel: 1\nname: two\ntags: [red]\n" TAIL, "'two' is already used by" },
        { "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
          "arguments: {n: {size: [64]}}\nlocal_size: [32]\nglobal_size: [n]\nargs:\n"
          "- {name: x, buffer: float32, elements: n, output: true}\n"
          "- {name: n, scalar: int32, value: n/2}\ncheck: {n: 32}\n",
          "argument 'n' is 'n/2', not the size 'n'" },
    };

    (void)state;
    folder_write("two.yaml", "gpucal_kernel: 1\nname: two\ntags: [red]\n" TAIL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        folder_write("one.yaml", cases[i].text);
        err.text[0] = '\0';
        assert_null(gcal_catalogue_open(folder, &err));
        if (!strstr(err.text, cases[i].words))
            fail_msg("case %zu: '%s' does not say '%s'", i, err.text, cases[i].words);
    }
    assert_null(gcal_catalogue_open("/nonexistent", &err));
    assert_non_null(strstr(err.text, "/nonexistent"));
}

static void ranges_and_powers_allow_their_values(void **state)
{
    struct gcal_catalogue *c =
        catalogue_open_one(WITH("  i: {range: [0, 1000000000], default: [1, 7]}\n"
                                "  j: {range: [3, 15, 4]}\n"
                                "  k: {powers_of_two: [1, 1048576], default: [4]}\n",
                                ""));

    (void)state;
    EXPECT(c, 2 * 4, "red");
    EXPECT(c, 3 * 4, "red", "i:0,999999999,1000000000");
    EXPECT(c, 2, "red", "j:7");
    EXPECT(c, 3, "red", "i:1", "j:15", "k:1,2,1048576");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "i:1000000001",
                   "argument 'i' takes 0 to 1000000000");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "i:01", "takes 0 to");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "i:-1", "takes 0 to");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "j:4", "takes 3 to 15 in steps of 4");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "k:12",
                   "takes powers of two from 1 to 1048576");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "k:2097152", "powers of two");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "k:0", "powers of two");
    gcal_catalogue_close(c);
}

static void conditions_exclude_combinations(void **state)
{
    struct gcal_catalogue *c = catalogue_open_one(
        GENERATOR("  dtype: [float32, float64]\n"
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
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "tile:9",
                   "the tags pick no kernel: one: 'tile <= group and group % tile = 0' "
                   "(/tmp/");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "tile:9",
                   "one.yaml:12:5) does not hold for tile:9 group:8");
    expect_refused(c, GCAL_MATCH_SUPERSET, "dtype:float64", "tile:16",
                   "does not hold for tile:16 group:8");
    expect_refused(c, GCAL_MATCH_SUPERSET, "red", "n:40",
                   "one: tag 'n:40': 'n % 16 = 0' does not hold");
    gcal_catalogue_close(c);
}

/* A variant that cannot be counted is named once, whatever its sizes, and every time. */
static void what_cannot_be_counted_is_named_and_left_out(void **state)
{
    static const char bad[] =
        "__kernel void k(__global float *x, int n)\n"
        "{\n    while (x[n] > 0)\n        x[get_global_id(0)] = (float)n--;\n}\n";
    struct gcal_catalogue *c;

    (void)state;
    folder_write("bad.cl", bad);
    folder_write("bad.yaml",
                 "gpucal_kernel: 1\nname: bad\ntags: [red, bad]\nsource: bad.cl\n"
                 "kernel: k\narguments: {n: {size: [64, 96]}}\nlocal_size: [32]\n"
                 "global_size: [n]\nargs:\n"
                 "- {name: x, buffer: float32, elements: n, output: true}\n"
                 "- {name: n, scalar: int32, value: n}\ncheck: {n: 32}\n");
    c = catalogue_open_one("gpucal_kernel: 1\nname: one\ntags: [red]\n" TAIL);
    for (int i = 0; i < 2; i++) {
        struct gcal_kernel_list list = PICK(c, GCAL_MATCH_SUPERSET, "red");

        assert_int_equal(list.n_kernels, 2);
        assert_int_equal(list.failed.n, 1);
        assert_int_equal(strncmp(list.failed.items[0], "bad: bad.cl:3:", 14), 0);
        assert_int_equal(gcal_kernel_list_check(&list, &err), 0);
        gcal_kernel_list_clear(&list);
        list = PICK(c, GCAL_MATCH_SUPERSET, "bad");
        assert_int_equal(gcal_kernel_list_check(&list, &err), -1);
        assert_int_equal(strncmp(err.text, "bad: bad.cl:3:", 14), 0);
        gcal_kernel_list_clear(&list);
    }
    gcal_catalogue_close(c);
}

/* 'a' has a loop as long as its data says, 'b' a branch that is not affine. */
#define COUNTED(keys)                                                                    \
    "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: loop.cl\nkernel: loop\n"          \
    "arguments: {mean: {size: [7]}, n: {size: [64, 96]}}\nlocal_size: [32]\n"            \
    "global_size: [n]\nargs:\n"                                                          \
    "- {name: next, buffer: int32, elements: n}\n"                                       \
    "- {name: y, buffer: float32, elements: n, output: true}\n"                          \
    "- {name: n, scalar: int32, value: n}\n"                                             \
    "- {name: part, scalar: int32, value: n/2-0.5}\n"                                    \
    "check: {mean: 2, n: 32}\n" keys

static void write_loop(void)
{
    folder_write(
        "loop.cl",
        "__kernel void loop(__global const int *next, __global float *y, int n,\n"
        "                   int part)\n"
        "{\n"
        "    int g = get_global_id(0), at = g;\n"
        "    float sum = 0;\n"
        "    while (next[at] > g) {\n"
        "        at = next[at];\n"
        "        sum += 2.0f;\n"
        "    }\n"
        "    for (int i = 0; i < part; i++) sum = sum * 1.5f;\n"
        "    if (g * g < n) sum /= 3.0f;\n"
        "    y[g] = sum;\n"
        "}\n");
}

/* The counts of 'kernel' have values at its sizes. */
static double value_of(const struct gcal_kernel *kernel, const char *feature)
{
    struct gcal_binding *b = gcal_binding_create(kernel->profile, 1, &feature, 32, &err);
    double sizes[8], value = -1;

    assert_non_null(b);
    if (gcal_kernel_size_values(kernel, sizes, &err) < 0 ||
        gcal_binding_eval(b, sizes, &value, &err) < 0)
        fail_msg("%s", err.text);
    gcal_binding_destroy(b);
    return value;
}

static void loops_estimates_and_scalars_are_counted_as_said(void **state)
{
    struct gcal_kernel_list list;
    struct gcal_catalogue *c;

    (void)state;
    write_loop();
    c = catalogue_open_one(COUNTED("trips: {6: mean}\nallow_estimates: true\n"
                                   "companions: {tag: red, forms: [memory, onchip]}\n"));
    list = PICK(c, GCAL_MATCH_SUPERSET, "red");
    if (list.failed.n)
        fail_msg("%s", list.failed.items[0]);
    assert_int_equal(list.n_kernels, 2);
    /* n * mean additions; trunc(n/2 - 0.5) products of each work-item */
    assert_float_equal(value_of(list.kernels[0], "f_op_float32_add"), 64 * 7 / 32, 1e-9);
    assert_float_equal(value_of(list.kernels[1], "f_op_float32_mul"), 96 * 47 / 32, 1e-9);
    gcal_kernel_list_clear(&list);
    list = PICK(c, GCAL_MATCH_SUPERSET, "red_memory");
    if (list.failed.n)
        fail_msg("%s", list.failed.items[0]);
    assert_int_equal(list.n_kernels, 2);
    assert_non_null(strstr(list.kernels[0]->source, "#pragma gpucal trips mean"));
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);

    c = catalogue_open_one(COUNTED("allow_estimates: true\n"));
    list = PICK(c, GCAL_MATCH_SUPERSET, "red");
    assert_int_equal(gcal_kernel_list_check(&list, &err), -1);
    assert_non_null(strstr(err.text, "loop.cl:6:"));
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);

    c = catalogue_open_one(COUNTED("trips: {6: mean}\n"));
    list = PICK(c, GCAL_MATCH_SUPERSET, "red");
    assert_int_equal(gcal_kernel_list_check(&list, &err), 0);
    assert_true(list.kernels[0]->profile->estimated); /* by the condition on g * g */
    assert_non_null(strstr(list.kernels[0]->profile->notes[0], "11:"));
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

/* It would end a run when it is recorded. */
static void counts_without_a_value_are_named(void **state)
{
    struct gcal_kernel_list list;
    struct gcal_catalogue *c;

    (void)state;
    folder_write("k.cl", "__kernel void k(__global float *x, int n)\n{\n"
                         "    float t = x[get_global_id(0)];\n"
                         "#pragma gpucal trips often\n"
                         "    while (t > 1.0f) t *= 0.5f;\n"
                         "    x[get_global_id(0)] = t;\n}\n");
    c = catalogue_open_one("gpucal_kernel: 1\nname: one\ntags: [red]\n" TAIL);
    list = PICK(c, GCAL_MATCH_SUPERSET, "red");
    assert_int_equal(gcal_kernel_list_check(&list, &err), -1);
    assert_string_equal(err.text, "one lsize_0:32: the counts need size 'often', which "
                                  "one does not have: make it one of its arguments");
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

/* A size that the NDRange cannot have leaves out that size alone. */
static void sizes_that_do_not_fit_are_named(void **state)
{
    struct gcal_catalogue *c = catalogue_open_one(
        "gpucal_kernel: 1\nname: one\ntags: [red]\nsource: k.cl\nkernel: k\n"
        "arguments: {n: {ladder: [64, 100, 128]}}\nlocal_size: [32]\nglobal_size: [n]\n"
        "args:\n- {name: x, buffer: float32, elements: n, output: true}\n"
        "- {name: n, scalar: int32, value: n}\ncheck: {n: 32}\n");
    struct gcal_kernel_list list = PICK(c, GCAL_MATCH_SUPERSET, "red");

    (void)state;
    assert_int_equal(list.n_kernels, 2);
    assert_int_equal(list.failed.n, 1);
    assert_int_equal(strncmp(list.failed.items[0], "one n:100: ", 11), 0);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(c);
}

static void files_add_to_the_built_in_catalogue(void **state)
{
    static const char text[] = "gpucal_kernel: 1\nname: one\ntags: [my]\n" TAIL;
    struct gcal_catalogue_files files = { 0 };
    struct gcal_catalogue *both, *builtin = gcal_catalogue_open_with(NULL, &err);

    (void)state;
    folder_write("one.yaml", text);
    assert_int_equal(gcal_catalogue_read_folder(folder, &files, &err), 0);
    assert_int_equal(files.n, 2);
    both = gcal_catalogue_open_with(&files, &err);
    assert_non_null(both);
    EXPECT(both, 2, "my");
    assert_int_equal(gcal_catalogue_size(both), gcal_catalogue_size(builtin) + 1);
    /* Models that use none of them are up to date. */
    assert_string_equal(gcal_catalogue_fingerprint(both),
                        gcal_catalogue_fingerprint(builtin));
    assert_int_equal(gcal_catalogue_added_files(both)->n, 2);
    gcal_catalogue_close(both);

    assert_int_equal(gcal_catalogue_files_add(&files, "other", "two.yaml", text, &err),
                     0);
    assert_int_equal(gcal_catalogue_files_add(&files, "other", "k.cl", "", &err), 0);
    assert_null(gcal_catalogue_open_with(&files, &err));
    assert_non_null(strstr(err.text, "other/two.yaml:2:7: name: 'one' is already used by "
                                     "/tmp/"));
    gcal_catalogue_files_clear(&files);

    assert_int_equal(gcal_catalogue_files_add(&files, "", "my.yaml",
                                              "gpucal_kernel: 1\nname: gmem_empty\n"
                                              "tags: [my]\n" TAIL,
                                              &err),
                     0);
    assert_null(gcal_catalogue_open_with(&files, &err));
    assert_string_equal(err.text, "my.yaml:1:1: source: no file 'k.cl' in this folder");
    gcal_catalogue_files_clear(&files);
    gcal_catalogue_close(builtin);
}

/* In messages and journals. */
static void files_survive_their_encoding(void **state)
{
    struct gcal_catalogue_files files = { 0 }, got = { 0 };
    struct gcal_buf buf = { 0 };
    struct gcal_wire wire;

    (void)state;
    assert_int_equal(gcal_catalogue_files_add(&files, "a", "one.yaml", "x: 1\n", &err),
                     0);
    assert_int_equal(gcal_catalogue_files_add(&files, "", "one.cl", "", &err), 0);
    gcal_catalogue_files_put(&buf, &files);
    wire = gcal_wire_open(buf.data, buf.size);
    gcal_catalogue_files_get(&wire, &got);
    assert_int_equal(gcal_wire_done(&wire, "files", &err), 0);
    assert_int_equal(got.n, 2);
    assert_string_equal(gcal_catalogue_files_find(&got, "a", "one.yaml"), "x: 1\n");
    assert_string_equal(gcal_catalogue_files_find(&got, NULL, "one.cl"), "");
    assert_null(gcal_catalogue_files_find(&got, "b", "one.yaml"));
    gcal_catalogue_files_clear(&got);
    for (size_t size = 0; size < buf.size; size++) {
        wire = gcal_wire_open(buf.data, size);
        gcal_catalogue_files_get(&wire, &got);
        assert_int_equal(gcal_wire_done(&wire, "files", &err), -1);
        gcal_catalogue_files_clear(&got);
    }
    gcal_catalogue_files_clear(&files);
    gcal_buf_free(&buf);
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
    folder_write("two.yaml", "gpucal_kernel: 1\nname: two\ntags: [two, flops]\n" TAIL);
    c = catalogue_open_one(WITH("  a: [1, 2]\n"
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

static void subjects_exclude_generators_from_automatic_choice(void **state)
{
    static const struct {
        const char *name;
        bool automatic;
    } expected[] = {
        { "four", true }, { "one", true }, { "three", false }, { "two", false }
    };
    struct gcal_catalogue *c;

    (void)state;
    folder_write("two.yaml", "gpucal_kernel: 1\nname: two\ntags: [two, mix]\n" TAIL);
    folder_write("three.yaml",
                 "gpucal_kernel: 1\nname: three\ntags: [three, gmem, transfer]\n" TAIL);
    folder_write("four.yaml", "gpucal_kernel: 1\nname: four\ntags: [four, gmem]\n" TAIL);
    c = catalogue_open_one("gpucal_kernel: 1\nname: one\ntags: [red]\n" TAIL);
    assert_int_equal(gcal_catalogue_size(c), COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) {
        struct gcal_generator_view view = gcal_catalogue_view(c, i);

        assert_string_equal(view.name, expected[i].name);
        assert_int_equal(view.automatic, expected[i].automatic);
    }
    gcal_catalogue_close(c);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, catalogue_folder_make, folder_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(match_conditions_are_the_four_of_the_paper),
        TEST(the_fingerprint_is_of_every_byte),
        TEST(errors_name_line_and_column),
        TEST(ranges_and_powers_allow_their_values),
        TEST(conditions_exclude_combinations),
        TEST(what_cannot_be_counted_is_named_and_left_out),
        TEST(counts_without_a_value_are_named),
        TEST(sizes_that_do_not_fit_are_named),
        TEST(loops_estimates_and_scalars_are_counted_as_said),
        TEST(files_add_to_the_built_in_catalogue),
        TEST(files_survive_their_encoding),
        TEST(a_description_groups_generators_and_marks_defaults),
        TEST(subjects_exclude_generators_from_automatic_choice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
