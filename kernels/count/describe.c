/* describe.c - what a source has, for messages and defaults */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/count/count.h"
#include "kernels/source/source.h"

/* ---- arguments ---- */

/* Integers can be sizes, but "cudaTextureObject_t". */
static bool is_size(CXCursor argument)
{
    CXType type = gcal_source_type(argument);
    const char *dtype = gcal_source_dtype(type);
    CXString written = clang_getTypeSpelling(clang_getCursorType(argument));
    bool is_object = strstr(clang_getCString(written), "Object_t");

    clang_disposeString(written);
    return !is_object && type.kind != CXType_Vector && type.kind != CXType_ExtVector &&
           dtype && strncmp(dtype, "float", 5) != 0;
}

static int describe_arguments(CXCursor kernel, struct gcal_count_description *d,
                              struct gcal_error *err)
{
    int n = clang_Cursor_getNumArguments(kernel), rc = 0;

    for (int i = 0; i < n && rc == 0; i++) {
        CXCursor argument = clang_Cursor_getArgument(kernel, (unsigned)i);
        char *name = gcal_source_cursor_name(argument, err);

        rc = name ? gcal_strings_add(&d->arguments, name, err) : -1;
        if (rc == 0 && is_size(argument))
            rc = gcal_strings_add(&d->sizes, name, err);
        free(name);
    }
    return rc;
}

/* ---- dimensions ---- */

/* The same for the calls of get_global_id(0) to (2) and of the other functions of that kind. */
static size_t dimension_of(CXCursor c)
{
    static const char *const functions[] = { "get_global_id", "get_local_id",
                                             "get_group_id" };
    CXString spelling;
    CXEvalResult value;
    long long which = -1;
    bool fits = false;

    if (clang_getCursorKind(c) == CXCursor_MemberRefExpr) {
        /* threadIdx.x to .z and blockIdx.x to .z are 1 to 3. */
        char *name = gcal_source_cursor_name(c, NULL), *of = NULL;
        struct gcal_source_children kids;
        size_t n = 0;

        if (gcal_source_get_children(c, &kids, NULL) == 0 && kids.n == 1)
            of = gcal_source_cursor_name(kids.cursors[0], NULL);
        if (of && name && (strcmp(of, "threadIdx") == 0 || strcmp(of, "blockIdx") == 0) &&
            *name >= 'x' && *name <= 'z' && !name[1])
            n = (size_t)(*name - 'x') + 1;
        free(kids.cursors);
        free(name);
        free(of);
        return n;
    }
    if (gcal_source_kind(c) != CXCursor_CallExpr || clang_Cursor_getNumArguments(c) != 1)
        return 0;
    spelling = clang_getCursorSpelling(c);
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
        fits = fits || strcmp(clang_getCString(spelling), functions[i]) == 0;
    clang_disposeString(spelling);
    if (fits && (value = clang_Cursor_Evaluate(clang_Cursor_getArgument(c, 0)))) {
        if (clang_EvalResult_getKind(value) == CXEval_Int)
            which = clang_EvalResult_getAsLongLong(value);
        clang_EvalResult_dispose(value);
    }
    return which >= 0 && which < GCAL_MAX_DIMS ? (size_t)which + 1 : 0;
}

static enum CXChildVisitResult find_dimensions(CXCursor c, CXCursor parent,
                                               CXClientData data)
{
    size_t *n_dims = data, n = dimension_of(c);

    (void)parent;
    if (n > *n_dims)
        *n_dims = n;
    return CXChildVisit_Recurse;
}

/* ---- all of it ---- */

int gcal_count_describe(const struct gcal_count_request *request,
                        struct gcal_count_description *d, struct gcal_error *err)
{
    struct gcal_source_unit *unit;
    CXCursor kernel;
    int rc = -1;

    *d = (struct gcal_count_description){ .n_dims = 1 };
    if (!(unit = gcal_source_parse_any(request, err)))
        return -1;
    if (gcal_source_kernel_names(unit, &d->kernels, err) < 0)
        goto out;
    if (gcal_source_find_kernel(unit, request->kernel, &kernel, NULL) == 0) {
        d->selected = true;
        gcal_source_work_group(kernel, d->local_size);
        clang_visitChildren(kernel, find_dimensions, &d->n_dims);
        d->launch = gcal_source_find_launch(unit, kernel);
        rc = describe_arguments(kernel, d, err);
    } else {
        rc = 0;
    }
out:
    gcal_source_close(unit);
    if (rc < 0)
        gcal_count_description_clear(d);
    return rc;
}
