/* find.c - kernels and functions of a source by their names */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/strings.h"
#include "kernels/source/private.h"

/* ---- functions ---- */

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
    CXString text;
    const char *printed;
    bool found;

    if (gcal_source_has_attribute(function, CXCursor_CUDAGlobalAttr))
        return true;
    text = print_declaration(function);
    printed = clang_getCString(text);
    found = strncmp(printed, "kernel ", strlen("kernel ")) == 0 ||
            strstr(printed, " kernel ") || strstr(printed, "__kernel ");
    clang_disposeString(text);
    return found;
}

/* A function with a body; or a template of one. */
static bool is_function(CXCursor c)
{
    return (gcal_source_kind(c) == CXCursor_FunctionDecl ||
            clang_getCursorKind(c) == CXCursor_FunctionTemplate ||
            clang_getCursorKind(c) == CXCursor_Destructor) &&
           clang_equalCursors(clang_getCursorDefinition(c), c);
}

struct functions {
    struct gcal_source_children list;
    size_t capacity;
    bool failed;
};

static enum CXChildVisitResult add_function(CXCursor c, CXCursor parent,
                                            CXClientData data)
{
    struct functions *functions = data;
    CXCursor *moved;

    (void)parent;
    switch (clang_getCursorKind(c)) {
    case CXCursor_Namespace:
    case CXCursor_LinkageSpec:
    case CXCursor_UnexposedDecl:
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_ClassTemplate:
        return CXChildVisit_Recurse;
    default:
        break;
    }
    if (!is_function(c) || clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
        return CXChildVisit_Continue;
    moved = gcal_array_grow(functions->list.cursors, functions->list.n,
                            &functions->capacity, sizeof(*moved), NULL);
    if ((functions->failed = !moved))
        return CXChildVisit_Break;
    functions->list.cursors = moved;
    moved[functions->list.n++] = c;
    return CXChildVisit_Continue;
}

/* All functions with bodies, in the order of the source; the caller's to free. */
static int list_functions(const struct gcal_source_unit *unit,
                          struct gcal_source_children *all, struct gcal_error *err)
{
    struct functions functions = { 0 };

    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), add_function,
                        &functions);
    *all = functions.list;
    if (!functions.failed)
        return 0;
    free(all->cursors);
    return gcal_error_memory(err);
}

/* A template, or what is written for some of its arguments: its instances are named with these. */
static bool is_template(CXCursor function)
{
    return clang_getCursorKind(function) == CXCursor_FunctionTemplate ||
           !clang_Cursor_isNull(clang_getSpecializedCursorTemplate(function));
}

/* "ns::name", for people to write; "ns::name<...>" of a template; with the types of parameters
 * "ns::name(float *, int)".
 */
static char *whole_name_of(CXCursor function, bool with_types, struct gcal_error *err)
{
    CXString display = clang_getCursorDisplayName(function);
    char *name = with_types ? strdup(clang_getCString(display))
                            : gcal_source_cursor_name(function, err),
         *outer, *joined;
    CXCursor parent = clang_getCursorSemanticParent(function);

    clang_disposeString(display);
    while (name && (clang_getCursorKind(parent) == CXCursor_Namespace ||
                    clang_getCursorKind(parent) == CXCursor_StructDecl ||
                    clang_getCursorKind(parent) == CXCursor_ClassDecl)) {
        if (!(outer = gcal_source_cursor_name(parent, err))) {
            free(name);
            return NULL;
        }
        joined = *outer ? gcal_buf_format("%s::%s", outer, name) : strdup(name);
        free(outer);
        free(name);
        if (!(name = joined))
            gcal_error_memory(err);
        parent = clang_getCursorSemanticParent(parent);
    }
    if (!name || with_types || !is_template(function))
        return name;
    joined = gcal_buf_format("%s<...>", name);
    free(name);
    if (!joined)
        gcal_error_memory(err);
    return joined;
}

/* Adds those of a template, "name<...>", that the source refers to, in its place; false: none. */
static bool add_instances(const struct gcal_source_unit *unit, CXCursor function,
                          char *name, struct gcal_strings *names)
{
    size_t n = names->n;
    char *end = strstr(name, "<...>");

    if (!end)
        return false;
    *end = '\0';
    gcal_source_instances(unit, function, name, names);
    *end = '<';
    return names->n > n;
}

/* Returns whether another function has its name. */
static bool is_overloaded(const struct gcal_source_children *all, size_t i)
{
    char *name = whole_name_of(all->cursors[i], false, NULL), *other;
    bool is = false;

    for (size_t k = 0; name && k < all->n && !is; k++) {
        if (k == i || is_template(all->cursors[i]) ||
            !(other = whole_name_of(all->cursors[k], false, NULL)))
            continue;
        is = strcmp(name, other) == 0;
        free(other);
    }
    free(name);
    return is;
}

static int find_names(const struct gcal_source_unit *unit, bool kernels,
                      struct gcal_strings *names, struct gcal_error *err)
{
    struct gcal_source_children all;
    int rc = 0;

    if (list_functions(unit, &all, err) < 0)
        return -1;
    for (size_t i = 0; i < all.n && rc == 0; i++) {
        char *name = NULL;

        if (kernels && !is_kernel(all.cursors[i]))
            continue;
        if (!(name = whole_name_of(all.cursors[i], is_overloaded(&all, i), err))) {
            rc = -1;
        } else if (!add_instances(unit, all.cursors[i], name, names) &&
                   clang_Cursor_isNull(
                       clang_getSpecializedCursorTemplate(all.cursors[i]))) {
            rc = gcal_strings_take(names, name, err);
        } else {
            free(name);
        }
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

/* Returns whether the function, a kernel or any, is called 'name', with or without namespaces. */
static bool is_called(CXCursor c, const char *name)
{
    char *whole = whole_name_of(c, strchr(name, '(') != NULL, NULL);
    size_t length = whole ? strlen(whole) : 0, own = strlen(name);
    bool is = length >= own && strcmp(whole + length - own, name) == 0 &&
              (length == own || whole[length - own - 1] == ':');

    free(whole);
    return is;
}

static int find_function(const struct gcal_source_unit *unit, const char *name,
                         bool kernels, CXCursor *function, struct gcal_error *err)
{
    struct gcal_source_children all;
    size_t n_found = 0;

    *function =
        name && strchr(name, '<') ? gcal_source_referred(unit) : clang_getNullCursor();
    if (!clang_Cursor_isNull(*function) && is_kernel(*function))
        return 0;
    if (list_functions(unit, &all, err) < 0)
        return -1;
    for (size_t i = 0; i < all.n; i++) {
        CXCursor c = all.cursors[i];

        if ((name && !is_called(c, name)) || (kernels && !is_kernel(c)) || is_template(c))
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
    struct gcal_source_set used; /* variables and types, which errors may have changed */
};

static bool is_reached(const struct reached *r, CXCursor function)
{
    for (size_t i = 0; i < r->n; i++)
        if (clang_equalCursors(r->functions[i], function))
            return true;
    return r->n == MOST_REACHED; /* then all may be */
}

static enum CXVisitorResult use_field(CXCursor field, CXClientData data);

/* The names that a type has, and the records in it. */
static void use_type(struct reached *r, CXType type)
{
    CXCursor decl;

    for (;;) {
        switch (type.kind) {
        case CXType_Pointer:
        case CXType_LValueReference:
        case CXType_RValueReference:
            type = clang_getPointeeType(type);
            continue;
        case CXType_ConstantArray:
        case CXType_IncompleteArray:
        case CXType_DependentSizedArray:
            type = clang_getArrayElementType(type);
            continue;
        case CXType_Elaborated:
            type = clang_Type_getNamedType(type);
            continue;
        case CXType_Typedef:
            decl = clang_getTypeDeclaration(type);
            if (clang_Location_isInSystemHeader(clang_getCursorLocation(decl)) ||
                !gcal_source_set_add(&r->used, decl))
                return;
            type = clang_getTypedefDeclUnderlyingType(decl);
            continue;
        case CXType_Record:
            decl = clang_getTypeDeclaration(type);
            if (!clang_Location_isInSystemHeader(clang_getCursorLocation(decl)) &&
                gcal_source_set_add(&r->used, decl))
                clang_Type_visitFields(type, use_field, r);
            return;
        default:
            return;
        }
    }
}

static enum CXVisitorResult use_field(CXCursor field, CXClientData data)
{
    use_type(data, clang_getCursorType(field));
    return CXVisit_Continue;
}

static enum CXChildVisitResult reach(CXCursor c, CXCursor parent, CXClientData data)
{
    struct reached *r = data;
    CXCursor to = clang_getCursorReferenced(c), function;

    (void)parent;
    use_type(r, clang_getCursorType(c));
    if (clang_getCursorKind(to) == CXCursor_VarDecl ||
        clang_getCursorKind(to) == CXCursor_EnumConstantDecl)
        gcal_source_set_add(&r->used, to);
    if (clang_getCursorKind(c) != CXCursor_CallExpr)
        return CXChildVisit_Recurse;
    function = clang_getCursorDefinition(gcal_source_called(c));
    if (gcal_source_kind(function) == CXCursor_FunctionDecl && !is_reached(r, function)) {
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
                     clang_getAddressSpace(clang_getCursorType(c)) &&
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
    free(r.used.cursors);
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

/* Where a macro is used, wherever it is defined. */
static bool is_in_source(const struct gcal_source_unit *unit, CXSourceLocation location)
{
    CXFile file;

    clang_getExpansionLocation(location, &file, NULL, NULL, NULL);
    return file && clang_File_isEqual(file, clang_getFile(unit->tu, unit->file));
}

static bool is_within(const struct gcal_source_unit *unit, unsigned offset, CXCursor c)
{
    CXSourceRange range = clang_getCursorExtent(c);

    return is_in_source(unit, clang_getRangeStart(range)) &&
           offset >= offset_of(clang_getRangeStart(range)) &&
           offset < offset_of(clang_getRangeEnd(range));
}

struct declared {
    const struct gcal_source_unit *unit;
    unsigned offset;
    bool found;
};

static enum CXChildVisitResult find_declared(CXCursor c, CXCursor parent,
                                             CXClientData data)
{
    struct declared *declared = data;

    (void)parent;
    switch (clang_getCursorKind(c)) {
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
    case CXCursor_FunctionTemplate:
    case CXCursor_FriendDecl:
        declared->found =
            declared->found || is_within(declared->unit, declared->offset, c);
        break;
    default:
        break;
    }
    return CXChildVisit_Continue;
}

/* Returns whether the offset is in a function that the record only declares. */
static bool is_in_declared(const struct gcal_source_unit *unit, unsigned offset,
                           CXCursor record)
{
    struct declared declared = { .unit = unit, .offset = offset };

    clang_visitChildren(record, find_declared, &declared);
    return declared.found;
}

/* An error in a function that the kernel does not call; of CUDA also one outside functions, unless the kernel
 * uses what is declared there: most are of host code, for which headers are missing.  An instance of a
 * template is where the template is.
 */
static bool is_elsewhere(CXSourceLocation at, void *data)
{
    const struct reached *r = data;
    unsigned offset = offset_of(at);

    if (!is_in_source(r->unit, at)) /* in an instance of a declaration of gpucal's */
        return false;
    for (size_t i = 0; i < r->n; i++)
        if (is_within(r->unit, offset, r->functions[i]))
            return false;
    for (size_t i = 0; i < r->all.n; i++)
        if (is_within(r->unit, offset, r->all.cursors[i]))
            return r->n < MOST_REACHED; /* then all may be reached */
    for (size_t i = 0; i < r->used.n; i++)
        if (is_within(r->unit, offset, r->used.cursors[i]))
            return is_in_declared(r->unit, offset, r->used.cursors[i]);
    return r->unit->language == GCAL_SOURCE_CUDA;
}

static int check_kernel(const struct gcal_source_unit *unit, CXCursor kernel,
                        struct gcal_error *err)
{
    struct reached r = { .unit = unit };
    int rc;

    if (gcal_source_check_errors(unit, NULL, NULL, NULL) == 0)
        return 0;
    if (list_functions(unit, &r.all, err) < 0)
        return -1;
    r.functions[r.n++] = kernel;
    clang_visitChildren(kernel, reach, &r);
    rc = gcal_source_check_errors(unit, is_elsewhere, &r, err);
    free(r.used.cursors);
    free(r.all.cursors);
    return rc;
}

/* Of a source with errors, a kernel that is not found may be hidden by them. */
static int find_checked(const struct gcal_source_unit *unit, const char *name,
                        CXCursor *kernel, struct gcal_error *err)
{
    if (gcal_source_find_kernel(unit, name, kernel, err) == 0)
        return check_kernel(unit, *kernel, err);
    if (unit->language == GCAL_SOURCE_OPENCL_C) /* host code may have any */
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

/* The request's text, in which the kernel can be found. */
static struct gcal_source_unit *open_request(const struct gcal_count_request *r,
                                             const char *build_options,
                                             struct gcal_error *err)
{
    char *text = r->language != GCAL_SOURCE_OPENCL_C
                     ? gcal_source_refer(r->source, r->kernel, err)
                     : strdup(r->source);
    struct gcal_source_unit *unit =
        text ? gcal_source_open(r->language, text, r->file, build_options, err) : NULL;

    free(text);
    return unit;
}

/* Returns whether the kernel has no errors as OpenCL C 2.0. */
static bool is_newer(const struct gcal_count_request *request)
{
    char *options = gcal_buf_format("%s -cl-std=CL2.0",
                                    request->build_options ? request->build_options : "");
    struct gcal_source_unit *unit = options ? open_request(request, options, NULL) : NULL;
    CXCursor kernel;
    bool newer = unit && find_checked(unit, request->kernel, &kernel, NULL) == 0;

    gcal_source_close(unit);
    free(options);
    return newer;
}

struct gcal_source_unit *
gcal_source_parse_kernel(const struct gcal_count_request *request, CXCursor *kernel,
                         struct gcal_error *err)
{
    struct gcal_source_unit *unit = open_request(request, request->build_options, err);

    if (!unit || find_checked(unit, request->kernel, kernel, err) == 0)
        return unit;
    if (err && request->language == GCAL_SOURCE_OPENCL_C &&
        !gcal_source_standard(request->build_options) &&
        gcal_source_check_errors(unit, NULL, NULL, NULL) < 0 && is_newer(request)) {
        char *text = strdup(err->text);

        gcal_error_set(err, GCAL_EINPUT, "%s (it is OpenCL C 2.0: give --std=CL2.0)",
                       text ? text : "error");
        free(text);
    }
    gcal_source_close(unit);
    return NULL;
}

struct gcal_source_unit *gcal_source_parse_any(const struct gcal_count_request *request,
                                               struct gcal_error *err)
{
    return open_request(request, request->build_options, err);
}
