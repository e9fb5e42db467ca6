/* test_source.c - parsing, address spaces and types, clauses and tags */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/source/source.h"

static const char source[] =
    "void helper(__global float *a) { a[2] = 0; }\n"
    "__kernel void k(__global const float4 *g, __local double *l, __constant short *c,\n"
    "                int n)\n"
    "{\n"
    "    for (int i = 0; i < n; i++) l[GPUCAL_TAG(cLD, c[i])] = N;\n"
    "    for (; n > 3;) l[0] = 1;\n"
    "}\n";

static void finds_spaces_and_types(void **state)
{
    static const struct {
        enum gcal_feature_space space;
        const char *dtype;
    } expected[] = { { GCAL_FEATURE_SPACE_GLOBAL, "float32" },
                     { GCAL_FEATURE_SPACE_LOCAL, "float64" },
                     { GCAL_FEATURE_SPACE_CONSTANT, "int16" } };
    struct gcal_error err = { 0 };
    CXCursor kernel;
    struct gcal_source_unit *unit = gcal_source_parse(
        GCAL_SOURCE_OPENCL_C, source, "a.cl", "-DN=3 -cl-nv-verbose -D M=\"4 5\"", &err);

    (void)state;
    assert_string_equal(err.text, "");
    assert_non_null(unit);
    assert_int_equal(gcal_source_find_kernel(unit, NULL, &kernel, &err), 0);
    for (unsigned i = 0; i < 3; i++) {
        CXCursor arg = clang_Cursor_getArgument(kernel, i);
        CXType type = clang_getPointeeType(clang_getCursorType(arg));

        assert_int_equal(gcal_source_address_space(type), expected[i].space);
        assert_string_equal(gcal_source_dtype(type), expected[i].dtype);
    }
    gcal_source_close(unit);
}

struct cursors_seen {
    int n_loops, n_tags;
};

static enum CXChildVisitResult look(CXCursor c, CXCursor parent, CXClientData data)
{
    struct cursors_seen *seen = data;
    CXCursor parts[4], lvalue;
    char tag[16];

    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_ForStmt) {
        assert_int_equal(gcal_source_for_clauses(c, parts, NULL), 0);
        assert_int_equal(!clang_Cursor_isNull(parts[2]), seen->n_loops == 0);
        assert_int_equal(clang_getCursorKind(parts[1]), CXCursor_BinaryOperator);
        seen->n_loops++;
    }
    if (gcal_source_find_tag(c, &lvalue, tag, sizeof(tag))) {
        assert_string_equal(tag, "cLD");
        seen->n_tags++;
    }
    return CXChildVisit_Recurse;
}

static void finds_loop_clauses_and_tags(void **state)
{
    struct gcal_error err = { 0 };
    struct cursors_seen seen = { 0 };
    struct gcal_source_unit *unit;
    CXCursor kernel;

    (void)state;
    unit = gcal_source_parse(GCAL_SOURCE_OPENCL_C, source, "a.cl", "-DN=3", &err);
    assert_non_null(unit);
    assert_int_equal(gcal_source_find_kernel(unit, "k", &kernel, &err), 0);
    clang_visitChildren(kernel, look, &seen);
    assert_int_equal(seen.n_loops, 2);
    assert_int_equal(seen.n_tags, 1);
    gcal_source_close(unit);
}

static void errors_have_locations(void **state)
{
    struct gcal_error err = { 0 };
    CXCursor kernel;
    struct gcal_source_unit *unit;

    (void)state;
    assert_null(gcal_source_parse(GCAL_SOURCE_OPENCL_C, source, "a.cl", NULL, &err));
    assert_string_equal(err.text, "a.cl:5:60: use of undeclared identifier 'N'");
    unit = gcal_source_parse(GCAL_SOURCE_OPENCL_C, source, "a.cl", "-D N=1", &err);
    assert_non_null(unit);
    assert_int_equal(gcal_source_find_kernel(unit, "helper", &kernel, &err), -1);
    assert_non_null(strstr(err.text, "no kernel named 'helper'"));
    assert_int_equal(gcal_source_find_function(unit, "helper", &kernel, &err), 0);
    gcal_source_close(unit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_spaces_and_types),
        cmocka_unit_test(finds_loop_clauses_and_tags),
        cmocka_unit_test(errors_have_locations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
