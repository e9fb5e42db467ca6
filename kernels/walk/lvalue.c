/* lvalue.c - lvalues: the variable or memory they name, loads and stores */
#include <ctype.h>
#include <string.h>

#include "kernels/walk/private.h"

struct gcal_walk_value gcal_walk_constant(struct gcal_walk *w, CXCursor c)
{
    CXEvalResult result = clang_Cursor_Evaluate(c);
    struct gcal_walk_value value = gcal_walk_unknown(NULL);

    if (result && clang_EvalResult_getKind(result) == CXEval_Int)
        value = gcal_walk_integer(
            gcal_poly_integer(w->c, clang_EvalResult_getAsLongLong(result)));
    if (result)
        clang_EvalResult_dispose(result);
    return value;
}

/* ---- lvalues ---- */

enum gcal_feature_space gcal_walk_pointer_space(struct gcal_walk *w, CXCursor at,
                                                CXType type,
                                                struct gcal_walk_value pointer)
{
    if (!gcal_source_is_generic(type))
        return gcal_source_address_space(type);
    if (pointer.kind == GCAL_WALK_VALUE_POINTER)
        return w->nest->arrays[pointer.array].space;
    gcal_walk_fail(
        w, at,
        "the address space of this generic pointer is unknown: write it in the "
        "pointer's type");
    return GCAL_FEATURE_SPACE_ANY;
}

static struct gcal_walk_lvalue lvalue_of_pointer(struct gcal_walk *w, CXCursor at,
                                                 struct gcal_walk_value pointer,
                                                 CXType type)
{
    enum gcal_feature_space space = gcal_walk_pointer_space(w, at, type, pointer);

    return (struct gcal_walk_lvalue){ .kind = space == GCAL_FEATURE_SPACE_ANY
                                                  ? GCAL_WALK_LVALUE_PRIVATE
                                                  : GCAL_WALK_LVALUE_MEMORY,
                                      .space = space,
                                      .type = type,
                                      .pointer = pointer };
}

static struct gcal_walk_lvalue lvalue_of_name(struct gcal_walk *w, CXCursor c,
                                              CXType type)
{
    CXCursor decl = clang_getCursorReferenced(c);
    enum gcal_feature_space space = gcal_source_address_space(type);
    struct gcal_walk_value pointer = { .kind = GCAL_WALK_VALUE_POINTER };

    if (space == GCAL_FEATURE_SPACE_ANY)
        return (struct gcal_walk_lvalue){ .kind = gcal_walk_type_is_array(type)
                                                      ? GCAL_WALK_LVALUE_PRIVATE
                                                      : GCAL_WALK_LVALUE_VARIABLE,
                                          .decl = decl,
                                          .type = type };
    /* a __local array or variable, a __constant table */
    pointer.p = gcal_poly_integer(w->c, 0);
    pointer.array = gcal_walk_array_find(w, gcal_walk_name(w, decl), space);
    return lvalue_of_pointer(w, c, pointer, type);
}

/* The tag after the first pointer of a[i][j] or of a[i].b[j]. */
static const char *tag_of_base(struct gcal_walk *w, CXCursor base)
{
    const char *tag = gcal_walk_annotation_tag(w, base);
    struct gcal_walk_children kids;
    CXType type;

    if (tag || !w->annotations.n)
        return tag;
    base = gcal_walk_strip_casts(w, base);
    type = gcal_walk_type(base);
    kids = gcal_walk_get_children(w, base);
    if (!kids.n || (clang_getCursorKind(base) != CXCursor_ArraySubscriptExpr &&
                    clang_getCursorKind(base) != CXCursor_MemberRefExpr))
        return NULL;
    return gcal_walk_type_is_array(type) || gcal_walk_type_is_record(type)
               ? tag_of_base(w, kids.c[0])
               : NULL;
}

static struct gcal_walk_lvalue lvalue_of_subscript(struct gcal_walk *w, CXCursor c,
                                                   CXType type)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_value pointer, by;
    struct gcal_walk_lvalue lvalue;
    CXCursor base, index;

    if (kids.n != 2)
        return (struct gcal_walk_lvalue){ .kind = GCAL_WALK_LVALUE_PRIVATE,
                                          .type = type };
    base = kids.c[gcal_walk_type_is_pointer(gcal_walk_type(kids.c[0])) ? 0 : 1];
    index = kids.c[gcal_walk_type_is_pointer(gcal_walk_type(kids.c[0])) ? 1 : 0];
    pointer = gcal_walk_index_expr(w, base);
    by = gcal_walk_index_expr(w, index);
    if (gcal_source_address_space(type) == GCAL_FEATURE_SPACE_ANY &&
        !gcal_source_is_generic(type))
        return (struct gcal_walk_lvalue){ .kind = GCAL_WALK_LVALUE_PRIVATE,
                                          .type = type };
    lvalue = lvalue_of_pointer(
        w, c, gcal_walk_move_pointer(w, pointer, by, gcal_walk_type(base), 1), type);
    lvalue.tag = tag_of_base(w, base);
    return lvalue;
}

static struct gcal_walk_lvalue lvalue_of_target(struct gcal_walk *w, CXCursor pointer,
                                                CXType type)
{
    struct gcal_walk_lvalue lvalue =
        lvalue_of_pointer(w, pointer, gcal_walk_index_expr(w, pointer), type);

    lvalue.tag = gcal_walk_annotation_tag(w, pointer);
    return lvalue;
}

/* ---- members of structures, components of vectors ---- */

static void move_lvalue(struct gcal_walk *w, struct gcal_walk_lvalue *lvalue,
                        int64_t bytes)
{
    if (lvalue->pointer.kind == GCAL_WALK_VALUE_POINTER && lvalue->pointer.p)
        lvalue->pointer.p =
            gcal_poly_add(w->c, lvalue->pointer.p, gcal_poly_integer(w->c, bytes));
}

static struct gcal_walk_lvalue lvalue_of_member(struct gcal_walk *w, CXCursor c,
                                                CXCursor base, CXType type)
{
    long long bits = clang_Cursor_getOffsetOfField(clang_getCursorReferenced(c));
    bool arrow = gcal_walk_type_is_pointer(gcal_walk_type(base));
    struct gcal_walk_lvalue lvalue =
        arrow ? lvalue_of_target(w, base, type) : gcal_walk_lvalue_find(w, base);

    if (lvalue.kind == GCAL_WALK_LVALUE_VARIABLE)
        lvalue.kind = GCAL_WALK_LVALUE_PRIVATE;
    lvalue.type = type;
    if (bits >= 0)
        move_lvalue(w, &lvalue, bits / 8);
    else
        lvalue.pointer.p = NULL;
    return lvalue;
}

/* The number of the component that letter 'i' of the name denotes; -1 for none. */
static int component_number(const char *name, size_t n, size_t i)
{
    static const char letters[] = "xyzw", digits[] = "0123456789abcdef";
    const char *found;

    if (n > 1 && (name[0] == 's' || name[0] == 'S')) {
        found = i + 1 < n ? strchr(digits, name[i + 1] | 0x20) : NULL;
        return found && *found ? (int)(found - digits) : -1;
    }
    found = strchr(letters, name[i]);
    return found ? (int)(found - letters) : -1;
}

/* The first component of ".xyz", for consecutive components; -1 otherwise.  It is read
 * from the source, as libclang's C interface does not give it.
 */
static int first_component(struct gcal_walk *w, CXCursor c, int64_t width, int64_t whole)
{
    size_t end = gcal_walk_source_end(w, c), from = end, n;
    const char *source = w->unit->source;
    int first;

    while (from > 0 && (isalnum((unsigned char)source[from - 1])))
        from--;
    n = end - from;
    if (n == 2 && strncmp(source + from, "lo", n) == 0)
        return 0;
    if (n == 2 && strncmp(source + from, "hi", n) == 0)
        return (int)(whole / 2);
    if (!n || (int64_t)n != width + (width > 0 && (source[from] | 0x20) == 's'))
        return -1;
    while (from > 0 && isspace((unsigned char)source[from - 1]))
        from--;
    if (!from || source[from - 1] != '.')
        return -1;
    first = component_number(source + end - n, n, 0);
    for (int64_t i = 1; first >= 0 && i < width; i++)
        if (component_number(source + end - n, n, (size_t)i) != first + i)
            return -1;
    return first;
}

static struct gcal_walk_lvalue lvalue_of_component(struct gcal_walk *w, CXCursor c,
                                                   CXCursor base, CXType type)
{
    CXType from = gcal_walk_type(base);
    int64_t width = gcal_walk_type_width(type), whole = gcal_walk_type_width(from);
    struct gcal_walk_lvalue lvalue = gcal_walk_type_is_pointer(from)
                                         ? lvalue_of_target(w, base, type)
                                         : gcal_walk_lvalue_find(w, base);
    int first;

    if (lvalue.kind == GCAL_WALK_LVALUE_VARIABLE)
        lvalue.kind = GCAL_WALK_LVALUE_PRIVATE;
    lvalue.type = type;
    if (lvalue.kind != GCAL_WALK_LVALUE_MEMORY || whole <= width)
        return lvalue;
    first = first_component(w, c, width, whole);
    if (first < 0)
        lvalue.pointer.p = NULL;
    else
        move_lvalue(w, &lvalue,
                    first * clang_Type_getSizeOf(from) / (whole == 3 ? 4 : whole));
    return lvalue;
}

struct gcal_walk_lvalue gcal_walk_lvalue_find(struct gcal_walk *w, CXCursor c)
{
    CXType type = gcal_walk_type(c);
    struct gcal_walk_children kids;
    struct gcal_walk_lvalue lvalue = { .kind = GCAL_WALK_LVALUE_PRIVATE, .type = type };
    CXCursor tagged;
    char tag[64];

    switch (clang_getCursorKind(c)) {
    case CXCursor_DeclRefExpr:
        return lvalue_of_name(w, c, type);
    case CXCursor_ArraySubscriptExpr:
        return lvalue_of_subscript(w, c, type);
    case CXCursor_UnaryOperator:
        kids = gcal_walk_get_children(w, c);
        if (gcal_source_find_tag(c, &tagged, tag, sizeof(tag))) {
            lvalue = gcal_walk_lvalue_find(w, tagged);
            lvalue.tag = gcal_poly_format(w->c, "%s", tag);
            return lvalue;
        }
        if (clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref && kids.n)
            return lvalue_of_target(w, kids.c[0], type);
        gcal_walk_expr(w, c);
        return lvalue;
    case CXCursor_ParenExpr:
        kids = gcal_walk_get_children(w, c);
        return kids.n ? gcal_walk_lvalue_find(w, kids.c[kids.n - 1]) : lvalue;
    case CXCursor_UnexposedExpr: /* a component of a vector too */
        kids = gcal_walk_get_children(w, c);
        return kids.n ? lvalue_of_component(w, c, kids.c[0], type) : lvalue;
    case CXCursor_MemberRefExpr:
        kids = gcal_walk_get_children(w, c);
        return kids.n ? lvalue_of_member(w, c, kids.c[0], type) : lvalue;
    default:
        gcal_walk_expr(w, c);
        return lvalue;
    }
}

struct gcal_walk_value gcal_walk_lvalue_load(struct gcal_walk *w, CXCursor at,
                                             const struct gcal_walk_lvalue *lvalue)
{
    struct gcal_walk_value *known;

    switch (lvalue->kind) {
    case GCAL_WALK_LVALUE_MEMORY:
        gcal_walk_count_access(w, at, lvalue->type, gcal_walk_type_width(lvalue->type),
                               lvalue->space, GCAL_FEATURE_LOAD, lvalue->pointer,
                               lvalue->tag);
        return gcal_walk_unknown("it comes from memory");
    case GCAL_WALK_LVALUE_VARIABLE:
        known = gcal_walk_variable_find(w, lvalue->decl);
        if (known)
            return *known;
        return gcal_walk_constant(w, at);
    default:
        return gcal_walk_unknown("it comes from a private array or structure");
    }
}

void gcal_walk_lvalue_store(struct gcal_walk *w, CXCursor at,
                            const struct gcal_walk_lvalue *lvalue,
                            struct gcal_walk_value value)
{
    if (lvalue->kind == GCAL_WALK_LVALUE_MEMORY)
        gcal_walk_count_access(w, at, lvalue->type, gcal_walk_type_width(lvalue->type),
                               lvalue->space, GCAL_FEATURE_STORE, lvalue->pointer,
                               lvalue->tag);
    else if (lvalue->kind == GCAL_WALK_LVALUE_VARIABLE && !w->frozen)
        gcal_walk_variable_set(w, lvalue->decl, gcal_walk_stored(w, value, lvalue->type));
}
