/* test_fingerprint.c - which kernels have the same fingerprint */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"

static const char source[] = "#define SQUARE(a) ((a) * (a))\n"
                             "typedef struct { float re, im; } number;\n"
                             "constant float weight[2] = { 1, 2 };\n"
                             "float norm(number z) { return weight[0] * SQUARE(z.re) + "
                             "weight[1] * SQUARE(z.im); }\n"
                             "kernel void k(global const number *z, global float *y)\n"
                             "{\n"
                             "    size_t i = get_global_id(0);\n"
                             "    y[i] = norm(z[i]) * FACTOR;\n"
                             "}\n";

static struct gcal_count_request request(const char *text)
{
    return (struct gcal_count_request){ .source = text,
                                        .file = "k.cl",
                                        .build_options = "-DFACTOR=3",
                                        .n_dims = 1,
                                        .local_size = { 64 },
                                        .global_size = { "n" } };
}

static char *fingerprint(const struct gcal_count_request *r)
{
    struct gcal_error err = { 0 };
    struct gcal_profile *profile = gcal_count(r, &err);
    char *copy;

    if (!profile)
        fail_msg("%s", err.text);
    assert_int_equal(strlen(profile->fingerprint), GCAL_PROFILE_FINGERPRINT_LENGTH);
    copy = strdup(profile->fingerprint);
    gcal_profile_destroy(profile);
    return copy;
}

/* Whether the changed request is of the same kernel as the sample. */
static bool is_same(const struct gcal_count_request *changed)
{
    const struct gcal_count_request first = request(source);
    char *a = fingerprint(&first), *b = fingerprint(changed);
    bool same = strcmp(a, b) == 0;

    free(a);
    free(b);
    return same;
}

/* 'source' with the first 'old' replaced. */
static char *with(const char *old, const char *new)
{
    const char *at = strstr(source, old);
    char *text = malloc(sizeof(source) + strlen(new));

    assert_non_null(at);
    sprintf(text, "%.*s%s%s", (int)(at - source), source, new, at + strlen(old));
    return text;
}

static bool is_same_with(const char *old, const char *new)
{
    char *text = with(old, new);
    struct gcal_count_request r = request(text);
    bool same;

    r.kernel = strstr(text, "void k2(") ? "k2" : "k";
    same = is_same(&r);
    free(text);
    return same;
}

static void names_and_layout_do_not_matter(void **state)
{
    struct gcal_count_request r = request(source);

    (void)state;
    r.file = "other.cl";
    assert_true(is_same(&r));
    assert_true(is_same_with("void k(", "void k2("));
    assert_true(is_same_with("#define", "// a comment\n\n#define"));
    assert_true(is_same_with("y[i] = norm(z[i])", "y[i]  =\n /* here */ norm( z[i] )"));
    assert_true(is_same_with("SQUARE(z.re)", "((z.re) * (z.re))"));
    assert_true(is_same_with("kernel void",
                             "kernel void unused(global int *p) { *p = 1; }\n"
                             "kernel void"));
}

static void counting_does_not_matter(void **state)
{
    struct gcal_count_request r = request(source);

    (void)state;
    r.index_arithmetic = true;
    r.sub_group_size = 32;
    r.n_banks = 32;
    r.build_options = "-DFACTOR=3 -DUNUSED=1 -I /nowhere -cl-std=CL1.2";
    assert_true(is_same(&r));
}

static void code_matters(void **state)
{
    (void)state;
    assert_false(is_same_with("(a) * (a)", "(a) + (a)"));
    assert_false(is_same_with("{ 1, 2 }", "{ 1, 3 }"));
    assert_false(is_same_with("float re, im", "double re, im"));
    assert_false(is_same_with("FACTOR;", "FACTOR + y[i];"));
    assert_false(is_same_with("kernel void",
                              "__attribute__((reqd_work_group_size(64, 1, 1)))\n"
                              "kernel void"));
}

static void defines_and_options_matter(void **state)
{
    struct gcal_count_request r = request(source);

    (void)state;
    r.build_options = "-DFACTOR=4";
    assert_false(is_same(&r));
    r.build_options = "-DFACTOR=3 -cl-fast-relaxed-math";
    assert_false(is_same(&r));
}

/* A stricter assumption is of the same kernel. */
static void assumptions_do_not_matter(void **state)
{
    struct gcal_count_request r = request(source);

    (void)state;
    r.assume = "n % 256 = 0 and n >= 1024";
    assert_true(is_same(&r));
}

static void the_launch_matters(void **state)
{
    struct gcal_count_request r = request(source);

    (void)state;
    r.local_size[0] = 128;
    assert_false(is_same(&r));
    r = request(source);
    r.global_size[0] = "2*n";
    assert_false(is_same(&r));
    r = request(source);
    r.n_dims = 2;
    r.local_size[1] = 1;
    r.global_size[1] = "1";
    assert_false(is_same(&r));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_layout_do_not_matter),
        cmocka_unit_test(counting_does_not_matter),
        cmocka_unit_test(code_matters),
        cmocka_unit_test(defines_and_options_matter),
        cmocka_unit_test(assumptions_do_not_matter),
        cmocka_unit_test(the_launch_matters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
