/* attach.c - annotations attached to loops and accesses */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/annotations/private.h"

static struct gcal_annotation *tag_after(const struct gcal_annotations *a, CXCursor c)
{
    size_t end = 0;

    for (size_t i = 0; i < a->n; i++) {
        struct gcal_annotation *annotation = &a->all[i];

        if (!annotation->is_tag)
            continue;
        if (!end) {
            end = gcal_source_end(a->unit, c);
            end += strspn(a->unit->source + end, " \t\r\n");
        }
        if (annotation->at == end)
            return annotation;
    }
    return NULL;
}

const char *gcal_annotations_tag(const struct gcal_annotations *a, CXCursor c)
{
    const struct gcal_annotation *annotation = tag_after(a, c);

    return annotation ? annotation->name : NULL;
}

const char *gcal_annotations_trips(const struct gcal_annotations *a, CXCursor loop)
{
    size_t start = a->n ? gcal_source_start(a->unit, loop) : 0;

    for (size_t i = 0; i < a->n; i++)
        if (!a->all[i].is_tag && a->all[i].found && a->all[i].loop == start)
            return a->all[i].name;
    return NULL;
}

/* ---- attaching ---- */

enum { MOST_FUNCTIONS = 64, MOST_DEPTH = 1500 };

struct attaching {
    struct gcal_annotations *a;
    struct gcal_poly_context *c;
    struct gcal_error *err;
    bool failed;
    size_t start, end; /* of the function */
    size_t n_functions;
    CXCursor functions[MOST_FUNCTIONS];
};

/* 'c' dereferences 'pointer'; 'access' is the whole lvalue that contains 'c'. */
static void attach_tag(struct attaching *t, CXCursor c, CXCursor pointer, CXCursor access)
{
    struct gcal_annotation *annotation = tag_after(t->a, pointer);

    if (!annotation)
        return;
    annotation->found = true;
    annotation->is_pointer = gcal_source_kind(c) == CXCursor_CallExpr;
    access = annotation->is_pointer ? pointer : access;
    annotation->from = gcal_source_start(t->a->unit, access);
    annotation->to = gcal_source_end(t->a->unit, access);
}

/* Returns whether 'inner', a child of 'c', is the beginning of the lvalue 'access' that contains
 * 'c': a member's structure, or the array of a subscript.
 */
static bool is_beginning(CXCursor access, CXCursor c, CXCursor inner)
{
    bool is_inside = !clang_equalCursors(access, c);

    switch (gcal_source_kind(c)) {
    case CXCursor_ParenExpr:
        return is_inside;
    case CXCursor_MemberRefExpr:
        return gcal_source_type(inner).kind != CXType_Pointer;
    case CXCursor_ArraySubscriptExpr: /* through the array's conversion to a pointer */
        return gcal_source_kind(inner) == CXCursor_UnexposedExpr;
    case CXCursor_UnexposedExpr:
        return is_inside && gcal_source_is_array(gcal_source_type(inner));
    default:
        return false;
    }
}

/* Returns whether 'c' dereferences its pointer operand. */
static bool is_access(CXCursor c)
{
    switch (gcal_source_kind(c)) {
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
        return true;
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref;
    case CXCursor_CallExpr: /* vload4, atomic_add */
        return gcal_source_kind(clang_getCursorDefinition(
                   clang_getCursorReferenced(c))) != CXCursor_FunctionDecl;
    default:
        return false;
    }
}

static void add_function(struct attaching *t, CXCursor function)
{
    if (gcal_source_kind(function) != CXCursor_FunctionDecl ||
        t->n_functions == MOST_FUNCTIONS)
        return;
    for (size_t i = 0; i < t->n_functions; i++)
        if (clang_equalCursors(t->functions[i], function))
            return;
    t->functions[t->n_functions++] = function;
}

/* 'access': the lvalue that begins with 'c', or 'c'. */
static void attach(struct attaching *t, CXCursor c, CXCursor access, int depth)
{
    struct gcal_source_children kids;

    if (t->failed || depth == MOST_DEPTH)
        return;
    if (gcal_source_get_children(c, &kids, t->err) < 0) {
        t->failed = true;
        return;
    }
    switch (gcal_source_kind(c)) {
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt: {
        /* Attaches the annotations whose first loop is 'c'. */
        size_t start = gcal_source_start(t->a->unit, c);
        int line, column;

        gcal_source_location(c, &line, &column);
        for (size_t i = 0; i < t->a->n; i++) {
            struct gcal_annotation *annotation = &t->a->all[i];
            bool fits = annotation->line
                            ? line >= annotation->line
                            : start > annotation->at && annotation->at > t->start;

            if (annotation->is_tag || !fits ||
                (annotation->found && annotation->loop <= start))
                continue;
            annotation->found = true;
            annotation->loop = start;
        }
        break;
    }
    case CXCursor_CallExpr:
        add_function(t, clang_getCursorDefinition(clang_getCursorReferenced(c)));
        break;
    default:
        break;
    }
    for (size_t i = 0; i < kids.n; i++) {
        CXCursor kid = kids.cursors[i];

        if (is_access(c) && gcal_source_type(kid).kind == CXType_Pointer)
            attach_tag(t, c, kid, access);
        attach(t, kid, is_beginning(access, c, kid) ? access : kid, depth + 1);
    }
    free(kids.cursors);
}

static void fail_at(struct attaching *t, size_t offset, const char *text)
{
    if (!t->failed)
        gcal_source_error_at(t->a->unit, offset, t->err, text);
    t->failed = true;
}

static void check(struct attaching *t, const struct gcal_annotation *annotation)
{
    const char *name = annotation->name;

    if (annotation->is_tag && annotation->in_macro)
        fail_at(t, annotation->at,
                gcal_poly_format(t->c,
                                 "the comment that tags '%s' is lost in a macro: use "
                                 "GPUCAL_TAG(%s, ...) there",
                                 name, name));
    if (annotation->found ||
        (annotation->function && annotation->group > annotation->function))
        return; /* code that an #if leaves out is not walked */
    if (annotation->line)
        gcal_error_set(t->failed ? NULL : t->err, GCAL_EINPUT,
                       "%s: no loop begins in or after line %d, whose trips are '%s'",
                       t->a->unit->file, annotation->line, name);
    if (annotation->line)
        t->failed = true;
    else if (annotation->function && annotation->is_tag)
        fail_at(t, annotation->at,
                gcal_poly_format(t->c,
                                 "the tag '%s' belongs to no access: put it directly "
                                 "after an array or a pointer, as in a/*$%s*/[i]",
                                 name, name));
    else if (annotation->function)
        fail_at(t, annotation->at, "no loop follows this pragma");
}

int gcal_annotations_attach(struct gcal_annotations *a, CXCursor function,
                            struct gcal_poly_context *c, struct gcal_error *err)
{
    struct attaching t = { .a = a, .c = c, .err = err };

    if (!a->n)
        return 0;
    /* Refuses "#pragma gpucal" without "trips NAME". */
    for (size_t i = 0; i < t.a->n; i++)
        if (!t.a->all[i].is_tag && !t.a->all[i].name[0])
            fail_at(&t, t.a->all[i].at,
                    "unknown pragma: write '#pragma gpucal trips NAME'");
    add_function(&t, function);
    for (size_t i = 0; i < t.n_functions && !t.failed; i++) {
        t.start = gcal_source_start(a->unit, t.functions[i]);
        t.end = gcal_source_end(a->unit, t.functions[i]);
        attach(&t, t.functions[i], t.functions[i], 0);
        /* Marks the annotations in the text of the function. */
        for (size_t k = 0; k < t.a->n; k++) {
            struct gcal_annotation *annotation = &t.a->all[k];

            if (!annotation->line && annotation->at > t.start && annotation->at < t.end)
                annotation->function = t.start + 1;
        }
    }
    for (size_t i = 0; i < a->n; i++)
        check(&t, &a->all[i]);
    return t.failed ? -1 : 0;
}
