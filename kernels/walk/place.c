/* walk_place.c - lvalues: what they name, loads and stores of it */
#include <ctype.h>
#include <string.h>

#include "kernels/walk/private.h"

struct gcal_value gcal_evaluated(struct gcal_walk *w, CXCursor c)
{
    CXEvalResult result = clang_Cursor_Evaluate(c);
    struct gcal_value value = gcal_unknown(NULL);

    if (result && clang_EvalResult_getKind(result) == CXEval_Int)
        value =
            gcal_integer(gcal_poly_integer(w->c, clang_EvalResult_getAsLongLong(result)));
    if (result)
        clang_EvalResult_dispose(result);
    return value;
}

/* ---- lvalues ---- */

static struct gcal_place place_of_pointer(struct gcal_value pointer, CXType type)
{
    enum gcal_space space = gcal_type_space(type);

    return (struct gcal_place){ .kind = space == GCAL_SPACE_ANY ? PLACE_PRIVATE
                                                                : PLACE_MEMORY,
                                .space = space,
                                .type = type,
                                .pointer = pointer };
}

static struct gcal_place place_of_name(struct gcal_walk *w, CXCursor c, CXType type)
{
    CXCursor decl = clang_getCursorReferenced(c);
    enum gcal_space space = gcal_type_space(type);
    struct gcal_value pointer = { .kind = VALUE_POINTER };

    if (space == GCAL_SPACE_ANY)
        return (struct gcal_place){ .kind = gcal_type_is_array(type) ? PLACE_PRIVATE
                                                                     : PLACE_VARIABLE,
                                    .decl = decl,
                                    .type = type };
    /* a __local array or variable, a __constant table */
    pointer.p = gcal_poly_integer(w->c, 0);
    pointer.array = gcal_array_find(w, gcal_walk_name(w, decl), space);
    return place_of_pointer(pointer, type);
}

/* The tag behind the first pointer of a[i][j] or of a[i].b[j]. */
static const char *tag_of_base(struct gcal_walk *w, CXCursor base)
{
    const char *tag = gcal_remark_tag(w, base);
    struct gcal_kids kids;
    CXType type;

    if (tag || !w->remarks.n)
        return tag;
    base = gcal_strip(w, base);
    type = gcal_walk_type(base);
    kids = gcal_walk_kids(w, base);
    if (!kids.n || (clang_getCursorKind(base) != CXCursor_ArraySubscriptExpr &&
                    clang_getCursorKind(base) != CXCursor_MemberRefExpr))
        return NULL;
    return gcal_type_is_array(type) || gcal_type_is_record(type)
               ? tag_of_base(w, kids.c[0])
               : NULL;
}

static struct gcal_place place_of_subscript(struct gcal_walk *w, CXCursor c, CXType type)
{
    struct gcal_kids kids = gcal_walk_kids(w, c);
    struct gcal_value pointer, by;
    struct gcal_place place;
    CXCursor base, index;

    if (kids.n != 2)
        return (struct gcal_place){ .kind = PLACE_PRIVATE, .type = type };
    base = kids.c[gcal_type_is_pointer(gcal_walk_type(kids.c[0])) ? 0 : 1];
    index = kids.c[gcal_type_is_pointer(gcal_walk_type(kids.c[0])) ? 1 : 0];
    pointer = gcal_walk_quietly(w, base);
    by = gcal_walk_quietly(w, index);
    if (gcal_type_space(type) == GCAL_SPACE_ANY)
        return (struct gcal_place){ .kind = PLACE_PRIVATE, .type = type };
    place = place_of_pointer(gcal_move_pointer(w, pointer, by, gcal_walk_type(base), 1),
                             type);
    place.tag = tag_of_base(w, base);
    return place;
}

static struct gcal_place place_of_target(struct gcal_walk *w, CXCursor pointer,
                                         CXType type)
{
    struct gcal_place place = place_of_pointer(gcal_walk_quietly(w, pointer), type);

    place.tag = gcal_remark_tag(w, pointer);
    return place;
}

/* ---- members of structures, components of vectors ---- */

static void move_place(struct gcal_walk *w, struct gcal_place *place, int64_t bytes)
{
    if (place->pointer.kind == VALUE_POINTER && place->pointer.p)
        place->pointer.p =
            gcal_poly_add(w->c, place->pointer.p, gcal_poly_integer(w->c, bytes));
}

static struct gcal_place place_of_member(struct gcal_walk *w, CXCursor c, CXCursor base,
                                         CXType type)
{
    long long bits = clang_Cursor_getOffsetOfField(clang_getCursorReferenced(c));
    bool arrow = gcal_type_is_pointer(gcal_walk_type(base));
    struct gcal_place place =
        arrow ? place_of_target(w, base, type) : gcal_place_find(w, base);

    if (place.kind == PLACE_VARIABLE)
        place.kind = PLACE_PRIVATE;
    place.type = type;
    if (bits >= 0)
        move_place(w, &place, bits / 8);
    else
        place.pointer.p = NULL;
    return place;
}

/* The number of a component's name's letter; -1 for none. */
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

/* The first component that ".xyz" names where they follow each other; libclang has no
 * name for them, so it is read from the source.  -1 when that cannot be.
 */
static int first_component(struct gcal_walk *w, CXCursor c, int64_t width, int64_t whole)
{
    size_t end = gcal_source_end(w, c), from = end, n;
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

static struct gcal_place place_of_component(struct gcal_walk *w, CXCursor c,
                                            CXCursor base, CXType type)
{
    CXType from = gcal_walk_type(base);
    int64_t width = gcal_type_width(type), whole = gcal_type_width(from);
    struct gcal_place place = gcal_type_is_pointer(from) ? place_of_target(w, base, type)
                                                         : gcal_place_find(w, base);
    int first;

    if (place.kind == PLACE_VARIABLE)
        place.kind = PLACE_PRIVATE;
    place.type = type;
    if (place.kind != PLACE_MEMORY || whole <= width)
        return place;
    first = first_component(w, c, width, whole);
    if (first < 0)
        place.pointer.p = NULL;
    else
        move_place(w, &place,
                   first * clang_Type_getSizeOf(from) / (whole == 3 ? 4 : whole));
    return place;
}

struct gcal_place gcal_place_find(struct gcal_walk *w, CXCursor c)
{
    CXType type = gcal_walk_type(c);
    struct gcal_kids kids;
    struct gcal_place place = { .kind = PLACE_PRIVATE, .type = type };
    CXCursor lvalue;
    char tag[64];

    switch (clang_getCursorKind(c)) {
    case CXCursor_DeclRefExpr:
        return place_of_name(w, c, type);
    case CXCursor_ArraySubscriptExpr:
        return place_of_subscript(w, c, type);
    case CXCursor_UnaryOperator:
        kids = gcal_walk_kids(w, c);
        if (gcal_tag_find(c, &lvalue, tag, sizeof(tag))) {
            place = gcal_place_find(w, lvalue);
            place.tag = gcal_polys_format(w->c, "%s", tag);
            return place;
        }
        if (clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref && kids.n)
            return place_of_target(w, kids.c[0], type);
        gcal_walk_expr(w, c);
        return place;
    case CXCursor_ParenExpr:
        kids = gcal_walk_kids(w, c);
        return kids.n ? gcal_place_find(w, kids.c[kids.n - 1]) : place;
    case CXCursor_UnexposedExpr: /* a component of a vector too */
        kids = gcal_walk_kids(w, c);
        return kids.n ? place_of_component(w, c, kids.c[0], type) : place;
    case CXCursor_MemberRefExpr:
        kids = gcal_walk_kids(w, c);
        return kids.n ? place_of_member(w, c, kids.c[0], type) : place;
    default:
        gcal_walk_expr(w, c);
        return place;
    }
}

struct gcal_value gcal_place_load(struct gcal_walk *w, CXCursor at,
                                  const struct gcal_place *place)
{
    struct gcal_value *known;

    switch (place->kind) {
    case PLACE_MEMORY:
        gcal_count_access(w, at, place->type, gcal_type_width(place->type), place->space,
                          GCAL_LOAD, place->pointer, place->tag);
        return gcal_unknown("it comes from memory");
    case PLACE_VARIABLE:
        known = gcal_variable_find(w, place->decl);
        if (known)
            return *known;
        return gcal_evaluated(w, at);
    default:
        return gcal_unknown("it comes from a private array or structure");
    }
}

void gcal_place_store(struct gcal_walk *w, CXCursor at, const struct gcal_place *place,
                      struct gcal_value value)
{
    if (place->kind == PLACE_MEMORY)
        gcal_count_access(w, at, place->type, gcal_type_width(place->type), place->space,
                          GCAL_STORE, place->pointer, place->tag);
    else if (place->kind == PLACE_VARIABLE && !w->frozen)
        gcal_variable_set(w, place->decl, value);
}
