/* find.c - kernels and functions of a source by their names */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/strings.h"
#include "kernels/source/private.h"

/* ---- functions ---- */

static bool is_named(CXCursor cursor, const char *name)
{
    CXString spelling = clang_getCursorSpelling(cursor);
    const char *text = clang_getCString(spelling);
    bool same = text && strcmp(text, name) == 0;

    clang_disposeString(spelling);
    return same;
}

/* Without its body.  libclang's C interface has no names for attributes of OpenCL. */
static CXString print_declaration(CXCursor function)
{
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(function);
    CXString text;

    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    text = clang_getCursorPrettyPrinted(function, policy);
    clang_PrintingPolicy_dispose(policy);
    return text;
}

/* Other attributes may follow that of a kernel. */
static bool is_kernel(CXCursor function)
{
    CXString text = print_declaration(function);
    const char *printed = clang_getCString(text);
    bool found = strncmp(printed, "kernel ", strlen("kernel ")) == 0 ||
                 strstr(printed, " kernel ") || strstr(printed, "__kernel ");

    clang_disposeString(text);
    return found;
}

static bool is_function(CXCursor c, bool kernels)
{
    return clang_getCursorKind(c) == CXCursor_FunctionDecl &&
           clang_equalCursors(clang_getCursorDefinition(c), c) &&
           (!kernels || is_kernel(c));
}

static int find_names(const struct gcal_source_unit *unit, bool kernels,
                      struct gcal_strings *names, struct gcal_error *err)
{
    struct gcal_source_children all;
    int rc = 0;

    if (gcal_source_get_children(clang_getTranslationUnitCursor(unit->tu), &all, err) < 0)
        return -1;
    for (size_t i = 0; i < all.n && rc == 0; i++) {
        char *name = NULL;

        if (!is_function(all.cursors[i], kernels))
            continue;
        if (!(name = gcal_source_cursor_name(all.cursors[i], err)))
            rc = -1;
        else
            rc = gcal_strings_take(names, name, err);
    }
    free(all.cursors);
    return rc;
}

int gcal_source_kernel_names(const struct gcal_source_unit *unit,
                             struct gcal_strings *names, struct gcal_error *err)
{
    return find_names(unit, true, names, err);
}

static struct gcal_similar_hint hint(const char *name, const struct gcal_strings *names)
{
    const char **known = calloc(names->n + 1, sizeof(*known)); /* NULL-ended */
    struct gcal_similar_hint found = { "" };

    for (size_t i = 0; known && i < names->n; i++)
        known[i] = names->items[i];
    if (known)
        found = gcal_similar_hint(name, known);
    free(known);
    return found;
}

/* The message where 'name' (NULL: not given) selects no function.  Returns -1. */
static int refuse_name(const struct gcal_source_unit *unit, const char *name,
                       bool kernels, struct gcal_error *err)
{
    const char *what = kernels ? "kernel" : "function";
    struct gcal_strings names = { 0 };
    struct gcal_buf list = { 0 };

    if (err && find_names(unit, kernels, &names, err) == 0) {
        /* "saxpy, conv5x5, transpose" */
        for (size_t i = 0; i < names.n; i++)
            gcal_buf_printf(&list, "%s%s", i ? ", " : "", names.items[i]);
        if (!names.n)
            gcal_error_set(err, GCAL_EINPUT, "%s: no %s in this file", unit->file, what);
        else if (name)
            gcal_error_set(err, GCAL_EINPUT, "%s: no %s named '%s'%s; there are: %s",
                           unit->file, what, name, hint(name, &names).text,
                           list.data ? list.data : "");
        else
            gcal_error_set(err, GCAL_EINPUT,
                           "%s: %zu %ss: give the name of one; there are: %s", unit->file,
                           names.n, what, list.data ? list.data : "");
    }
    gcal_strings_clear(&names);
    gcal_buf_free(&list);
    return -1;
}

static int find_function(const struct gcal_source_unit *unit, const char *name,
                         bool kernels, CXCursor *function, struct gcal_error *err)
{
    struct gcal_source_children all;
    size_t n_found = 0;

    if (gcal_source_get_children(clang_getTranslationUnitCursor(unit->tu), &all, err) < 0)
        return -1;
    for (size_t i = 0; i < all.n; i++) {
        CXCursor c = all.cursors[i];

        if (!is_function(c, kernels && !name) || (name && !is_named(c, name)) ||
            (name && kernels && !is_kernel(c)))
            continue;
        *function = c;
        n_found++;
    }
    free(all.cursors);
    return n_found == 1 ? 0 : refuse_name(unit, name, kernels, err);
}

int gcal_source_find_kernel(const struct gcal_source_unit *unit, const char *name,
                            CXCursor *kernel, struct gcal_error *err)
{
    return find_function(unit, name, true, kernel, err);
}

int gcal_source_find_function(const struct gcal_source_unit *unit, const char *name,
                              CXCursor *function, struct gcal_error *err)
{
    return find_function(unit, name, false, function, err);
}

bool gcal_source_work_group(CXCursor kernel, size_t size[GCAL_MAX_DIMS])
{
    static const char attribute[] = "reqd_work_group_size(";
    CXString text = print_declaration(kernel);
    const char *found = strstr(clang_getCString(text), attribute);
    bool has = found && sscanf(found + strlen(attribute), "%zu, %zu, %zu", &size[0],
                               &size[1], &size[2]) == 3;

    clang_disposeString(text);
    return has;
}

/* ---- the functions of one kernel ---- */

enum { MOST_REACHED = 256 };

/* The functions that a kernel calls, itself included. */
struct reached {
    const struct gcal_source_unit *unit;
    size_t n;
    CXCursor functions[MOST_REACHED];
    struct gcal_source_children all;
};

static bool is_reached(const struct reached *r, CXCursor function)
{
    for (size_t i = 0; i < r->n; i++)
        if (clang_equalCursors(r->functions[i], function))
            return true;
    return r->n == MOST_REACHED; /* then all may be */
}

static enum CXChildVisitResult reach(CXCursor c, CXCursor parent, CXClientData data)
{
    struct reached *r = data;
    CXCursor function;

    (void)parent;
    if (clang_getCursorKind(c) != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    function = clang_getCursorDefinition(clang_getCursorReferenced(c));
    if (clang_getCursorKind(function) == CXCursor_FunctionDecl &&
        !is_reached(r, function)) {
        r->functions[r->n++] = function;
        clang_visitChildren(function, reach, r);
    }
    return CXChildVisit_Recurse;
}

/* ---- the generic address space ---- */

struct generic {
    bool found;
    CXCursor access;
};

static enum CXChildVisitResult find_generic(CXCursor c, CXCursor parent,
                                            CXClientData data)
{
    struct generic *generic = data;
    enum CXCursorKind kind = clang_getCursorKind(c);

    (void)parent;
    generic->found = (kind == CXCursor_ArraySubscriptExpr ||
                      kind == CXCursor_UnaryOperator || kind == CXCursor_MemberRefExpr) &&
                     gcal_source_is_generic(clang_getCursorType(c));
    generic->access = c;
    return generic->found ? CXChildVisit_Break : CXChildVisit_Recurse;
}

bool gcal_source_find_generic(const struct gcal_source_unit *unit, CXCursor kernel,
                              CXCursor *access)
{
    struct reached r = { .unit = unit, .n = 1, .functions = { kernel } };
    struct generic generic = { 0 };

    clang_visitChildren(kernel, reach, &r);
    for (size_t i = 0; i < r.n && !generic.found; i++)
        clang_visitChildren(r.functions[i], find_generic, &generic);
    *access = generic.access;
    return generic.found;
}

/* ---- errors elsewhere ---- */

static unsigned offset_of(CXSourceLocation location)
{
    unsigned offset;

    clang_getExpansionLocation(location, NULL, NULL, NULL, &offset);
    return offset;
}

/* An error in a function that the kernel does not call. */
static bool is_elsewhere(CXSourceLocation at, void *data)
{
    const struct reached *r = data;
    unsigned offset = offset_of(at);

    if (!clang_Location_isFromMainFile(at))
        return false;
    for (size_t i = 0; i < r->all.n; i++) {
        CXSourceRange range = clang_getCursorExtent(r->all.cursors[i]);

        if (is_function(r->all.cursors[i], false) &&
            offset >= offset_of(clang_getRangeStart(range)) &&
            offset < offset_of(clang_getRangeEnd(range)))
            return !is_reached(r, r->all.cursors[i]);
    }
    return false;
}

static int check_kernel(const struct gcal_source_unit *unit, CXCursor kernel,
                        struct gcal_error *err)
{
    struct reached r = { .unit = unit };
    int rc;

    if (gcal_source_check_errors(unit, NULL, NULL, NULL) == 0)
        return 0;
    if (gcal_source_get_children(clang_getTranslationUnitCursor(unit->tu), &r.all, err) <
        0)
        return -1;
    r.functions[r.n++] = kernel;
    clang_visitChildren(kernel, reach, &r);
    rc = gcal_source_check_errors(unit, is_elsewhere, &r, err);
    free(r.all.cursors);
    return rc;
}

/* Of a source with errors, a kernel that is not found may be hidden by them. */
static int find_checked(const struct gcal_source_unit *unit, const char *name,
                        CXCursor *kernel, struct gcal_error *err)
{
    if (gcal_source_find_kernel(unit, name, kernel, err) == 0)
        return check_kernel(unit, *kernel, err);
    gcal_source_check_errors(unit, NULL, NULL, err);
    return -1;
}

const char *gcal_source_standard(const char *build_options)
{
    static const char *const standards[] = { "-cl-std=CL1.0", "-cl-std=CL1.1",
                                             "-cl-std=CL1.2", "-cl-std=CL2.0",
                                             "-cl-std=CL3.0" };
    const char *last = NULL, *next = build_options;

    while (next && (next = strstr(next, "-cl-std=")))
        last = next++;
    for (size_t i = 0; last && i < sizeof(standards) / sizeof(standards[0]); i++)
        if (strncmp(last, standards[i], strlen(standards[i])) == 0)
            return standards[i];
    return NULL;
}

/* Returns whether the kernel has no errors as OpenCL C 2.0. */
static bool is_newer(const char *source, const char *file, const char *build_options,
                     const char *name)
{
    char *options =
        gcal_buf_format("%s -cl-std=CL2.0", build_options ? build_options : "");
    struct gcal_source_unit *unit =
        options ? gcal_source_open(GCAL_SOURCE_OPENCL_C, source, file, options, NULL)
                : NULL;
    CXCursor kernel;
    bool newer = unit && find_checked(unit, name, &kernel, NULL) == 0;

    gcal_source_close(unit);
    free(options);
    return newer;
}

struct gcal_source_unit *gcal_source_parse_kernel(const char *source, const char *file,
                                                  const char *build_options,
                                                  const char *name, CXCursor *kernel,
                                                  struct gcal_error *err)
{
    struct gcal_source_unit *unit =
        gcal_source_open(GCAL_SOURCE_OPENCL_C, source, file, build_options, err);

    if (!unit || find_checked(unit, name, kernel, err) == 0)
        return unit;
    if (err && !gcal_source_standard(build_options) &&
        gcal_source_check_errors(unit, NULL, NULL, NULL) < 0 &&
        is_newer(source, file, build_options, name)) {
        char *text = strdup(err->text);

        gcal_error_set(err, GCAL_EINPUT, "%s (it is OpenCL C 2.0: give --std=CL2.0)",
                       text ? text : "error");
        free(text);
    }
    gcal_source_close(unit);
    return NULL;
}

struct gcal_source_unit *gcal_source_parse_any(const char *source, const char *file,
                                               const char *build_options,
                                               struct gcal_error *err)
{
    return gcal_source_open(GCAL_SOURCE_OPENCL_C, source, file, build_options, err);
}
