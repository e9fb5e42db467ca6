/* annotation.c - annotations attached to loops and accesses */
#include <string.h>

#include "calib/base/error.h"
#include "kernels/walk/private.h"

/* ---- offsets in the source ---- */

static size_t offset_of(struct gcal_walk *w, CXSourceLocation location)
{
    size_t length = strlen(w->unit->source);
    unsigned offset = 0;

    clang_getSpellingLocation(location, NULL, NULL, NULL, &offset);
    return offset < length ? offset : length;
}

static size_t source_start(struct gcal_walk *w, CXCursor c)
{
    return offset_of(w, clang_getRangeStart(clang_getCursorExtent(c)));
}

size_t gcal_walk_source_end(struct gcal_walk *w, CXCursor c)
{
    return offset_of(w, clang_getRangeEnd(clang_getCursorExtent(c)));
}

bool gcal_walk_source_is_within(struct gcal_walk *w, CXCursor c, CXCursor outer)
{
    return source_start(w, outer) <= source_start(w, c) &&
           gcal_walk_source_end(w, c) <= gcal_walk_source_end(w, outer);
}

static struct gcal_walk_annotation *tag_after(struct gcal_walk *w, CXCursor c)
{
    size_t end = 0;

    for (size_t i = 0; i < w->annotations.n; i++) {
        struct gcal_walk_annotation *annotation = &w->annotations.all[i];

        if (!annotation->is_tag)
            continue;
        if (!end) {
            end = gcal_walk_source_end(w, c);
            end += strspn(w->unit->source + end, " \t\r\n");
        }
        if (annotation->at == end)
            return annotation;
    }
    return NULL;
}

const char *gcal_walk_annotation_tag(struct gcal_walk *w, CXCursor c)
{
    const struct gcal_walk_annotation *annotation = tag_after(w, c);

    return annotation ? annotation->name : NULL;
}

const char *gcal_walk_annotation_trips(struct gcal_walk *w, CXCursor loop)
{
    size_t start = w->annotations.n ? source_start(w, loop) : 0;

    for (size_t i = 0; i < w->annotations.n; i++)
        if (!w->annotations.all[i].is_tag && w->annotations.all[i].found &&
            w->annotations.all[i].loop == start)
            return w->annotations.all[i].name;
    return NULL;
}

/* ---- attaching ---- */

enum { MOST_FUNCTIONS = 64 };

struct attaching {
    struct gcal_walk *w;
    size_t start, end; /* of the function */
    size_t n_functions;
    CXCursor functions[MOST_FUNCTIONS];
};

/* Attaches the annotations whose first loop is 'c'. */
static void attach_loop(struct attaching *t, CXCursor c)
{
    struct gcal_walk *w = t->w;
    size_t start = source_start(w, c);
    int line, column;

    gcal_source_location(c, &line, &column);
    for (size_t i = 0; i < w->annotations.n; i++) {
        struct gcal_walk_annotation *annotation = &w->annotations.all[i];
        bool fits = annotation->line
                        ? line >= annotation->line
                        : start > annotation->at && annotation->at > t->start;

        if (annotation->is_tag || !fits ||
            (annotation->found && annotation->loop <= start))
            continue;
        annotation->found = true;
        annotation->loop = start;
    }
}

/* 'c' dereferences 'pointer'; 'access' is the whole lvalue that contains 'c'. */
static void attach_tag(struct attaching *t, CXCursor c, CXCursor pointer, CXCursor access)
{
    struct gcal_walk_annotation *annotation = tag_after(t->w, pointer);

    if (!annotation)
        return;
    annotation->found = true;
    annotation->is_pointer = clang_getCursorKind(c) == CXCursor_CallExpr;
    access = annotation->is_pointer ? pointer : access;
    annotation->from = source_start(t->w, access);
    annotation->to = gcal_walk_source_end(t->w, access);
}

/* Whether 'inner', a child of 'c', is the beginning of the lvalue 'access' that contains
 * 'c': a member's structure, or the array of a subscript.
 */
static bool is_beginning(CXCursor access, CXCursor c, CXCursor inner)
{
    bool is_inside = !clang_equalCursors(access, c);

    switch (clang_getCursorKind(c)) {
    case CXCursor_ParenExpr:
        return is_inside;
    case CXCursor_MemberRefExpr:
        return !gcal_walk_type_is_pointer(gcal_source_type(inner));
    case CXCursor_ArraySubscriptExpr: /* through the array's conversion to a pointer */
        return clang_getCursorKind(inner) == CXCursor_UnexposedExpr;
    case CXCursor_UnexposedExpr:
        return is_inside && gcal_source_is_array(gcal_source_type(inner));
    default:
        return false;
    }
}

/* Whether 'c' dereferences its pointer operand. */
static bool is_access(CXCursor c)
{
    switch (clang_getCursorKind(c)) {
    case CXCursor_ArraySubscriptExpr:
    case CXCursor_MemberRefExpr:
        return true;
    case CXCursor_UnaryOperator:
        return clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref;
    case CXCursor_CallExpr: /* vload4, atomic_add */
        return clang_getCursorKind(clang_getCursorDefinition(
                   clang_getCursorReferenced(c))) != CXCursor_FunctionDecl;
    default:
        return false;
    }
}

static void add_function(struct attaching *t, CXCursor function)
{
    if (clang_getCursorKind(function) != CXCursor_FunctionDecl ||
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
    struct gcal_walk *w = t->w;
    struct gcal_walk_children kids;

    if (w->failed || depth == GCAL_WALK_MAX_DEPTH)
        return;
    kids = gcal_walk_get_children(w, c);
    switch (clang_getCursorKind(c)) {
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        attach_loop(t, c);
        break;
    case CXCursor_CallExpr:
        add_function(t, clang_getCursorDefinition(clang_getCursorReferenced(c)));
        break;
    default:
        break;
    }
    for (size_t i = 0; i < kids.n; i++) {
        if (is_access(c) && gcal_walk_type_is_pointer(gcal_source_type(kids.c[i])))
            attach_tag(t, c, kids.c[i], access);
        attach(t, kids.c[i], is_beginning(access, c, kids.c[i]) ? access : kids.c[i],
               depth + 1);
    }
}

/* Marks the annotations in the text of the function. */
static void mark_function(struct attaching *t)
{
    for (size_t i = 0; i < t->w->annotations.n; i++) {
        struct gcal_walk_annotation *annotation = &t->w->annotations.all[i];

        if (!annotation->line && annotation->at > t->start && annotation->at < t->end)
            annotation->function = t->start + 1;
    }
}

static void fail_at(struct gcal_walk *w, size_t offset, const char *text)
{
    if (!w->failed)
        gcal_source_error_at(w->unit, offset, w->err, text);
    w->failed = true;
}

static void check(struct gcal_walk *w, const struct gcal_walk_annotation *annotation)
{
    const char *name = annotation->name;

    if (annotation->is_tag && annotation->in_macro)
        fail_at(w, annotation->at,
                gcal_poly_format(w->c,
                                 "the comment that tags '%s' is lost in a macro: use "
                                 "GPUCAL_TAG(%s, ...) there",
                                 name, name));
    if (annotation->found ||
        (annotation->function && annotation->group > annotation->function))
        return; /* code that an #if leaves out is not walked */
    if (annotation->line)
        gcal_error_set(w->failed ? NULL : w->err, GCAL_EINPUT,
                       "%s: no loop begins in or after line %d, whose trips are '%s'",
                       w->unit->file, annotation->line, name);
    if (annotation->line)
        w->failed = true;
    else if (annotation->function && annotation->is_tag)
        fail_at(w, annotation->at,
                gcal_poly_format(w->c,
                                 "the tag '%s' belongs to no access: put it directly "
                                 "after an array or a pointer, as in a/*$%s*/[i]",
                                 name, name));
    else if (annotation->function)
        fail_at(w, annotation->at, "no loop follows this pragma");
}

/* Refuses "#pragma gpucal" without "trips NAME". */
static void check_pragmas(struct gcal_walk *w)
{
    for (size_t i = 0; i < w->annotations.n; i++)
        if (!w->annotations.all[i].is_tag && !w->annotations.all[i].name[0])
            fail_at(w, w->annotations.all[i].at,
                    "unknown pragma: write '#pragma gpucal trips NAME'");
}

void gcal_walk_annotations_attach(struct gcal_walk *w, CXCursor function)
{
    struct attaching t = { .w = w };

    if (!w->annotations.n)
        return;
    check_pragmas(w);
    add_function(&t, function);
    for (size_t i = 0; i < t.n_functions && !w->failed; i++) {
        t.start = source_start(w, t.functions[i]);
        t.end = gcal_walk_source_end(w, t.functions[i]);
        attach(&t, t.functions[i], t.functions[i], 0);
        mark_function(&t);
    }
    for (size_t i = 0; i < w->annotations.n; i++)
        check(w, &w->annotations.all[i]);
}
