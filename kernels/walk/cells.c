/* cells.c - vectors, structures and arrays in private memory: their integers and pointers
 * are variables of their own, found by their offset; operations on vectors
 */
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

/* ---- types ---- */

bool gcal_walk_type_is_aggregate(CXType type)
{
    return gcal_walk_type_width(type) > 1 || gcal_walk_type_is_record(type) ||
           gcal_source_is_array(type);
}

static bool is_union(CXType record)
{
    return gcal_source_kind(clang_getTypeDeclaration(record)) == CXCursor_UnionDecl;
}

struct leaves {
    size_t n;
    bool arrays, floats, too_many;
    struct gcal_walk_leaf *all;
};

static void add_leaves(struct gcal_walk *w, CXType type, int64_t at,
                       struct leaves *found);

/* Of 'n' elements of 'type'. */
static void add_elements(struct gcal_walk *w, CXType type, int64_t n, int64_t at,
                         struct leaves *found)
{
    int64_t spacing = gcal_source_size(type);

    for (int64_t i = 0; i < n && !found->too_many; i++) {
        size_t before = found->n;

        add_leaves(w, type, at + i * spacing, found);
        if (found->n == before) /* of floats */
            return;
    }
}

static void add_members(struct gcal_walk *w, CXType type, int64_t at,
                        struct leaves *found)
{
    struct gcal_walk_children kids =
        gcal_walk_get_children(w, clang_getTypeDeclaration(type));

    for (size_t i = 0; i < kids.n && !found->too_many; i++) {
        long long bits = clang_Cursor_isBitField(kids.c[i])
                             ? -1
                             : clang_Cursor_getOffsetOfField(kids.c[i]);

        if (bits >= 0)
            add_leaves(w, gcal_source_type(kids.c[i]), at + bits / 8, found);
    }
}

static void add_leaves(struct gcal_walk *w, CXType type, int64_t at, struct leaves *found)
{
    if (gcal_walk_type_is_integer(type) || gcal_walk_type_is_pointer(type) ||
        (found->floats && gcal_walk_type_width(type) == 1 && gcal_source_dtype(type))) {
        found->too_many = found->n == GCAL_WALK_MAX_CELLS;
        if (!found->too_many)
            found->all[found->n++] = (struct gcal_walk_leaf){ at, type };
    } else if (gcal_walk_type_width(type) > 1) {
        if (found->floats || gcal_walk_dtype_is_integer(gcal_source_dtype(type)))
            add_elements(w, gcal_walk_element_type(type), gcal_walk_type_width(type), at,
                         found);
    } else if (gcal_walk_type_is_record(type)) {
        if (!is_union(type))
            add_members(w, type, at, found);
    } else if (type.kind == CXType_ConstantArray && found->arrays) {
        add_elements(w, clang_getCanonicalType(clang_getArrayElementType(type)),
                     clang_getArraySize(type), at, found);
    }
}

size_t gcal_walk_leaves(struct gcal_walk *w, CXType type, bool arrays,
                        struct gcal_walk_leaf leaves[GCAL_WALK_MAX_CELLS])
{
    struct leaves found = { .arrays = arrays,
                            .floats = w->unit->language == GCAL_SOURCE_CUDA &&
                                      gcal_walk_type_is_record(type),
                            .all = leaves };

    add_leaves(w, type, 0, &found);
    if (found.too_many && found.floats) {
        found = (struct leaves){ .arrays = arrays, .all = leaves };
        add_leaves(w, type, 0, &found);
    }
    return found.too_many ? 0 : found.n;
}

/* ---- names ---- */

static const char *part_name(struct gcal_walk *w, CXType type, const char *name,
                             int64_t at)
{
    static const char letters[] = "xyzw";
    struct gcal_walk_children kids;
    int64_t size, width = gcal_walk_type_width(type);
    CXType element;

    if (width > 1) {
        at /= gcal_walk_vector_spacing(type);
        return width <= 4 && at < 4
                   ? gcal_poly_format(w->c, "%s_%c", name, letters[at])
                   : gcal_poly_format(w->c, "%s_s%x", name, (unsigned)at);
    }
    if (type.kind == CXType_ConstantArray) {
        element = clang_getCanonicalType(clang_getArrayElementType(type));
        size = gcal_source_size(element);
        return part_name(w, element,
                         gcal_poly_format(w->c, "%s_%d", name, (int)(at / size)),
                         at % size);
    }
    if (!gcal_walk_type_is_record(type))
        return name;
    kids = gcal_walk_get_children(w, clang_getTypeDeclaration(type));
    for (size_t i = 0; i < kids.n; i++) {
        CXType part = gcal_source_type(kids.c[i]);
        long long bits = clang_Cursor_getOffsetOfField(kids.c[i]);
        const char *own = gcal_walk_name(w, kids.c[i]);

        if (bits >= 0 && at >= bits / 8 && at < bits / 8 + gcal_source_size(part))
            return part_name(w, part,
                             *own ? gcal_poly_format(w->c, "%s_%s", name, own) : name,
                             at - bits / 8);
    }
    return name;
}

const char *gcal_walk_cell_name(struct gcal_walk *w, CXCursor decl, int64_t at)
{
    return part_name(w, gcal_source_type(decl), gcal_walk_name(w, decl), at);
}

/* ---- values ---- */

struct gcal_walk_value gcal_walk_value_of_parts(struct gcal_walk *w, size_t n,
                                                const struct gcal_walk_part *parts)
{
    struct gcal_walk_value value = gcal_walk_unknown("it is a vector or structure");
    struct gcal_walk_parts *copy =
        gcal_poly_alloc(w->c, sizeof(*copy) + n * sizeof(copy->all[0]));

    if (!copy) {
        gcal_walk_fail_memory(w);
        return value;
    }
    copy->n = n;
    for (size_t i = 0; i < n; i++) {
        copy->all[i] = parts[i];
        copy->all[i].value.folds = false;
        if (parts[i].value.product)
            parts[i].value.product->is_member = true;
    }
    value.parts = copy;
    return value;
}

struct gcal_walk_value gcal_walk_part_find(struct gcal_walk_value value, int64_t at)
{
    if (!value.parts)
        return value;
    for (size_t i = 0; i < value.parts->n; i++)
        if (value.parts->all[i].at == at)
            return value.parts->all[i].value;
    return gcal_walk_unknown("it comes from a private array or structure");
}

struct gcal_walk_value gcal_walk_parts_slice(struct gcal_walk *w,
                                             struct gcal_walk_value value, int64_t at,
                                             int64_t size)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    size_t n = 0;

    if (!value.parts)
        return value;
    for (size_t i = 0; i < value.parts->n && n < GCAL_WALK_MAX_CELLS; i++) {
        const struct gcal_walk_part *part = &value.parts->all[i];

        if (part->at >= at && part->at < at + size)
            parts[n++] = (struct gcal_walk_part){ part->at - at, part->value };
    }
    return gcal_walk_value_of_parts(w, n, parts);
}

/* ---- variables ---- */

void gcal_walk_variable_declare(struct gcal_walk *w, CXCursor decl,
                                struct gcal_walk_value value)
{
    struct gcal_walk_leaf leaves[GCAL_WALK_MAX_CELLS];
    CXType type = gcal_source_type(decl);
    bool is_pointer = gcal_walk_is_array_parameter(decl);
    size_t n = 0;

    if (gcal_walk_type_is_aggregate(type) && !is_pointer) {
        /* Extents and pitches are often arrays in structures by value. */
        if (gcal_source_kind(decl) == CXCursor_ParmDecl)
            n = gcal_walk_leaves(w, type, true, leaves);
        if (!n)
            n = gcal_walk_leaves(w, type, gcal_walk_is_table(w, decl), leaves);
    }
    if (!n && (is_pointer || !gcal_source_is_array(type)))
        gcal_walk_variable_set(w, decl, value);
    for (size_t i = 0; i < n; i++)
        gcal_walk_cell_set(w, decl, leaves[i].at, leaves[i].type,
                           gcal_walk_named(w, decl, leaves[i].type,
                                           gcal_walk_part_find(value, leaves[i].at)));
}

bool gcal_walk_is_declared(const struct gcal_walk *w, CXCursor decl)
{
    for (size_t i = w->n_variables; i-- > 0;)
        if (clang_equalCursors(w->variables[i].decl, decl))
            return true;
    return false;
}

struct gcal_walk_value gcal_walk_cells_load(struct gcal_walk *w, CXCursor decl,
                                            int64_t at, int64_t size)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    size_t n = 0;

    for (size_t i = 0; i < w->n_variables && n < GCAL_WALK_MAX_CELLS; i++) {
        const struct gcal_walk_variable *cell = &w->variables[i];

        if (cell->at >= at && cell->at < at + size &&
            clang_equalCursors(cell->decl, decl))
            parts[n++] = (struct gcal_walk_part){ cell->at - at, cell->value };
    }
    return gcal_walk_value_of_parts(w, n, parts);
}

void gcal_walk_cells_store(struct gcal_walk *w, CXCursor decl, int64_t at, int64_t size,
                           struct gcal_walk_value value)
{
    for (size_t i = 0; i < w->n_variables; i++) {
        struct gcal_walk_variable *cell = &w->variables[i];

        if (cell->at < at || cell->at >= at + size || cell->escaped ||
            !clang_equalCursors(cell->decl, decl))
            continue;
        cell->value = gcal_walk_named(w, decl, cell->type,
                                      gcal_walk_part_find(value, cell->at - at));
        if (!w->unnamed)
            cell->value.product = NULL;
    }
}

/* ---- initialisers ---- */

struct parts_list {
    size_t n;
    struct gcal_walk_part all[GCAL_WALK_MAX_CELLS];
    bool failed; /* of a form that is not followed: unknown */
    bool folds;  /* all values are constants that front ends fold */
    const struct gcal_walk_chain *chain;
};

static void add_part(struct parts_list *list, int64_t at, struct gcal_walk_value value)
{
    if (list->n == GCAL_WALK_MAX_CELLS) {
        list->failed = true;
        return;
    }
    list->all[list->n++] = (struct gcal_walk_part){ at, value };
}

static void add_value(struct gcal_walk *w, struct parts_list *list, int64_t at,
                      struct gcal_walk_value value)
{
    list->folds = list->folds && value.folds;
    list->chain = gcal_walk_chain_union(w, list->chain, value.chain);
    if (!value.parts)
        add_part(list, at, value);
    for (size_t i = 0; value.parts && i < value.parts->n; i++)
        add_part(list, at + value.parts->all[i].at, value.parts->all[i].value);
}

/* (int4)(v, 1, 2): the components of all in turn. */
static void add_components(struct gcal_walk *w, struct gcal_walk_children kids,
                           CXType type, struct parts_list *list)
{
    int64_t spacing = gcal_walk_vector_spacing(type), at = 0;

    for (size_t i = 0; i < kids.n; i++) {
        CXType part = gcal_source_type(kids.c[i]);
        struct gcal_walk_value value = gcal_walk_expr(w, kids.c[i]);

        add_value(w, list, at, value);
        at += gcal_walk_type_width(part) * spacing;
    }
}

/* Where the element goes that '.name = value' or '[number] = value' initialises. */
static bool find_designated(struct gcal_walk *w, CXCursor c, CXType whole,
                            CXCursor *value, int64_t *at)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_value index;
    CXType element;
    int64_t number;

    if (kids.n != 2)
        return false;
    *value = kids.c[1];
    if (gcal_source_kind(kids.c[0]) == CXCursor_MemberRef) {
        *at = gcal_source_member_offset(whole, clang_getCursorReferenced(kids.c[0])) / 8;
        return *at >= 0;
    }
    index = gcal_walk_constant(w, kids.c[0]);
    if (index.kind != GCAL_WALK_VALUE_INTEGER ||
        !gcal_poly_is_constant(index.p, &number) || !gcal_source_is_array(whole))
        return false;
    element = clang_getCanonicalType(clang_getArrayElementType(whole));
    *at = number * gcal_source_size(element);
    return true;
}

static bool is_designated(CXCursor c)
{
    return gcal_source_kind(c) == CXCursor_UnexposedExpr &&
           gcal_source_type(c).kind == CXType_Void;
}

/* The places and types of the parts of a structure or array, in order.  False after the
 * last one.
 */
static bool find_place(CXType whole, struct gcal_walk_children fields, size_t i,
                       int64_t *at, CXType *type)
{
    if (gcal_source_is_array(whole)) {
        *type = clang_getCanonicalType(clang_getArrayElementType(whole));
        *at = (int64_t)i * gcal_source_size(*type);
        return (long long)i < clang_getArraySize(whole);
    }
    if (i >= fields.n)
        return false;
    *type = gcal_source_type(fields.c[i]);
    *at = clang_Cursor_getOffsetOfField(fields.c[i]) / 8;
    return *at >= 0;
}

static void add_list(struct gcal_walk *w, struct gcal_walk_children kids, CXType whole,
                     struct parts_list *list)
{
    struct gcal_walk_children fields = { 0 };
    bool in_order = true;

    if (gcal_walk_type_is_record(whole))
        fields = gcal_walk_get_children(w, clang_getTypeDeclaration(whole));
    for (size_t i = 0; i < kids.n; i++) {
        CXCursor value = kids.c[i];
        CXType type = gcal_source_type(value);
        bool designated = is_designated(value), found;
        int64_t at = 0;

        in_order = in_order && !designated;
        found = designated ? find_designated(w, kids.c[i], whole, &value, &at)
                           : in_order && find_place(whole, fields, i, &at, &type);
        /* braces may be left out around a part */
        if (!designated && found && gcal_walk_type_is_aggregate(type) &&
            !gcal_walk_type_is_aggregate(gcal_source_type(value)))
            found = false;
        list->failed |= !found;
        if (in_order && i < fields.n &&
            gcal_source_is_reference(gcal_source_type(fields.c[i])))
            gcal_walk_refer(w, fields.c[i], value);
        else
            add_value(w, list, at, gcal_walk_expr(w, value));
    }
}

struct gcal_walk_value gcal_walk_initialiser(struct gcal_walk *w, CXCursor c, CXType type)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_leaf leaves[GCAL_WALK_MAX_CELLS];
    struct parts_list list = { .folds = kids.n && (gcal_source_dtype(type) ||
                                                   gcal_source_is_array(type)) };
    struct gcal_walk_value value;
    size_t n, n_given;

    if (!gcal_walk_type_is_aggregate(type))
        return kids.n == 1 ? gcal_walk_expr(w, kids.c[0]) : gcal_walk_unknown(NULL);
    if (gcal_walk_type_width(type) > 1)
        add_components(w, kids, type, &list);
    else
        add_list(w, kids, type, &list);
    value = gcal_walk_unknown("it comes from a private array or structure");
    value.folds = list.folds;
    value.chain = list.chain;
    if (list.failed)
        return value;
    n_given = list.n;
    n = gcal_walk_leaves(w, type, true, leaves);
    for (size_t i = 0; i < n; i++) { /* the rest is 0 */
        bool given = false;

        for (size_t k = 0; k < n_given && !given; k++)
            given = list.all[k].at == leaves[i].at;
        if (!given && gcal_walk_type_is_integer(leaves[i].type))
            add_part(&list, leaves[i].at, gcal_walk_integer(gcal_poly_integer(w->c, 0)));
    }
    value = gcal_walk_value_of_parts(w, list.n, list.all);
    value.folds = list.folds;
    value.chain = list.chain;
    return value;
}

/* ---- tables ---- */

bool gcal_walk_is_table(const struct gcal_walk *w, CXCursor decl)
{
    for (size_t i = 0; i < w->n_tables; i++)
        if (clang_equalCursors(w->tables[i], decl))
            return true;
    return false;
}

/* The variable that 'c' is a part of; false for parts of other memory. */
static bool find_base(struct gcal_walk *w, CXCursor c, CXCursor *decl)
{
    for (;;) {
        struct gcal_walk_children kids;
        CXType type = gcal_source_type(c);

        switch (gcal_source_kind(c)) {
        case CXCursor_DeclRefExpr:
            *decl = clang_getCursorReferenced(c);
            return !gcal_walk_type_is_pointer(type);
        case CXCursor_ParenExpr:
        case CXCursor_UnexposedExpr:
        case CXCursor_MemberRefExpr:
        case CXCursor_ArraySubscriptExpr:
            kids = gcal_walk_get_children(w, c);
            if (!kids.n)
                return false;
            c = kids.c[0];
            break;
        default:
            return false;
        }
    }
}

bool gcal_walk_table_add(struct gcal_walk *w, CXCursor subscript)
{
    CXCursor decl, *moved;

    if (!find_base(w, subscript, &decl) || gcal_walk_is_table(w, decl) ||
        gcal_source_space(decl) != GCAL_FEATURE_SPACE_ANY)
        return false;
    moved = gcal_array_grow(w->tables, w->n_tables, &w->table_capacity, sizeof(*moved),
                            w->err);
    if (!moved) {
        w->failed = true;
        return false;
    }
    w->tables = moved;
    moved[w->n_tables++] = decl;
    return true;
}

/* ---- operations on vectors, component by component ---- */

CXType gcal_walk_element_type(CXType type)
{
    gcal_source_vector(type, &type);
    return type;
}

int64_t gcal_walk_vector_spacing(CXType type)
{
    return gcal_source_size(gcal_walk_element_type(type));
}

static bool is_integer_vector(CXType type)
{
    return gcal_walk_type_width(type) > 1 &&
           gcal_walk_type_width(type) <= GCAL_WALK_MAX_CELLS &&
           gcal_walk_dtype_is_integer(gcal_source_dtype(type));
}

/* Component 'i' of a vector of 'type', or a scalar that each component gets. */
static struct gcal_walk_value component(struct gcal_walk_value value, CXType type,
                                        int64_t i)
{
    return gcal_walk_part_find(value, i * gcal_walk_vector_spacing(type));
}

struct gcal_walk_value gcal_walk_operate(struct gcal_walk *w,
                                         enum CXBinaryOperatorKind kind, CXType type,
                                         struct gcal_walk_value a,
                                         struct gcal_walk_value b)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    CXType element = gcal_walk_element_type(type);
    int64_t width = gcal_walk_type_width(type);

    if (gcal_walk_type_is_integer(type))
        return gcal_walk_binary(w, kind, type, a, b);
    if (!is_integer_vector(type) || (!a.parts && !b.parts))
        return gcal_walk_quotient_binary(w, kind, a, b);
    for (int64_t i = 0; i < width; i++)
        parts[i] = (struct gcal_walk_part){
            i * gcal_walk_vector_spacing(type),
            gcal_walk_stored(w,
                             gcal_walk_binary(w, kind, element, component(a, type, i),
                                              component(b, type, i)),
                             element)
        };
    return gcal_walk_value_of_parts(w, (size_t)width, parts);
}

struct gcal_walk_value gcal_walk_comparison(struct gcal_walk *w,
                                            enum CXBinaryOperatorKind kind, CXType type,
                                            struct gcal_walk_value a,
                                            struct gcal_walk_value b)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    int64_t width = gcal_walk_type_width(type);

    if (!is_integer_vector(type))
        return gcal_walk_value_from_predicate(w, gcal_walk_compare(w, kind, type, a, b));
    for (int64_t i = 0; i < width; i++) {
        struct gcal_walk_predicate predicate =
            gcal_walk_compare(w, kind, gcal_walk_element_type(type),
                              component(a, type, i), component(b, type, i));

        parts[i] =
            (struct gcal_walk_part){ i * gcal_walk_vector_spacing(type),
                                     gcal_walk_value_from_predicate(w, predicate) };
        parts[i].value.is_minus = true;
    }
    return gcal_walk_value_of_parts(w, (size_t)width, parts);
}

struct gcal_walk_value gcal_walk_negate(struct gcal_walk *w, CXType type,
                                        struct gcal_walk_value value, bool bitwise)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    int64_t width = gcal_walk_type_width(type);

    if (!is_integer_vector(type))
        return gcal_walk_negated(w, type, bitwise ? -1 : 0, value);
    if (!value.parts)
        return value;
    for (int64_t i = 0; i < width; i++)
        parts[i] =
            (struct gcal_walk_part){ i * gcal_walk_vector_spacing(type),
                                     gcal_walk_negated(w, gcal_walk_element_type(type),
                                                       bitwise ? -1 : 0,
                                                       component(value, type, i)) };
    return gcal_walk_value_of_parts(w, (size_t)width, parts);
}

/* ---- casts ---- */

/* (int2)x: each component gets it. */
static struct gcal_walk_value repeat(struct gcal_walk *w, struct gcal_walk_value value,
                                     CXType to)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    int64_t width = gcal_walk_type_width(to);

    for (int64_t i = 0; i < width; i++)
        parts[i] = (struct gcal_walk_part){ i * gcal_walk_vector_spacing(to), value };
    return gcal_walk_value_of_parts(w, (size_t)width, parts);
}

struct gcal_walk_value gcal_walk_cast_value(struct gcal_walk *w,
                                            struct gcal_walk_value value, CXType from,
                                            CXType to)
{
    bool from_integer = gcal_walk_dtype_is_integer(gcal_source_dtype(from));

    if (value.kind == GCAL_WALK_VALUE_POINTER && gcal_walk_type_is_integer(to) &&
        gcal_source_size(to) >= 4)
        return value; /* an address, for inline assembly */
    if (gcal_walk_type_is_integer(to) && gcal_walk_type_is_integer(from))
        return gcal_walk_convert(w, value, from, to);
    if (gcal_walk_type_is_record(to) && gcal_walk_type_is_record(from))
        return value;
    if (!is_integer_vector(to) || !from_integer ||
        gcal_walk_vector_spacing(from) != gcal_walk_vector_spacing(to))
        return gcal_walk_quotient_convert(w, value, to);
    if (gcal_walk_type_width(from) == 1)
        return repeat(w, gcal_walk_value_as_integer(w, value), to);
    return gcal_walk_parts_slice(w, value, 0, /* as_int3(v), as_uint2(v) */
                                 gcal_walk_type_width(to) * gcal_walk_vector_spacing(to));
}

/* ---- choices ---- */

struct gcal_walk_value gcal_walk_parts_select(struct gcal_walk *w,
                                              const struct gcal_walk_predicate *predicate,
                                              struct gcal_walk_value yes,
                                              struct gcal_walk_value no)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    size_t n = yes.parts && no.parts ? yes.parts->n : 0;

    for (size_t i = 0; i < n; i++) {
        int64_t at = yes.parts->all[i].at;

        parts[i] = (struct gcal_walk_part){ at, gcal_walk_value_select(
                                                    w, predicate, yes.parts->all[i].value,
                                                    gcal_walk_part_find(no, at)) };
    }
    return n ? gcal_walk_value_of_parts(w, n, parts)
             : gcal_walk_unknown("it comes from a private array or structure");
}

/* ---- functions ---- */

/* Returns whether the sign bit of a component is set. */
static struct gcal_walk_predicate is_negative(struct gcal_walk *w,
                                              struct gcal_walk_value value)
{
    struct gcal_walk_predicate predicate = { .known = true };

    if (value.kind != GCAL_WALK_VALUE_INTEGER && value.is_minus)
        return gcal_walk_predicate_from_value(w, value);
    value = gcal_walk_value_as_integer(w, value);
    if (value.kind != GCAL_WALK_VALUE_INTEGER)
        return (struct gcal_walk_predicate){ .on_data = value.on_data, .why = value.why };
    predicate.when =
        gcal_sets_condition_not(w->c, gcal_sets_condition_nonnegative(w->c, value.p));
    return predicate;
}

/* all() and any() of a vector of 'type'. */
static struct gcal_walk_value test_all(struct gcal_walk *w, bool any, CXType type,
                                       struct gcal_walk_value value)
{
    struct gcal_walk_predicate joined = { 0 }, next;

    for (int64_t i = 0; i < gcal_walk_type_width(type); i++) {
        next = is_negative(w, component(value, type, i));
        joined = !i    ? next
                 : any ? gcal_walk_predicate_or(w, joined, next)
                       : gcal_walk_predicate_and(w, joined, next);
    }
    return gcal_walk_value_from_predicate(w, joined);
}

/* select(a, b, c): of vectors by the sign of c's component, of scalars by c. */
static struct gcal_walk_value choose(struct gcal_walk *w, bool of_vector,
                                     struct gcal_walk_value no,
                                     struct gcal_walk_value yes,
                                     struct gcal_walk_value which)
{
    struct gcal_walk_predicate predicate =
        of_vector ? is_negative(w, which) : gcal_walk_predicate_from_value(w, which);
    int decided = gcal_walk_predicate_decide(w, &predicate);

    return decided >= 0 ? (decided ? yes : no)
                        : gcal_walk_value_select(w, &predicate, yes, no);
}

static struct gcal_walk_value
call_component(struct gcal_walk *w, const char *name, bool of_vector, size_t n,
               const CXType *types, const struct gcal_walk_value *args, CXType type)
{
    if (strcmp(name, "select") == 0 && n == 3)
        return choose(w, of_vector, args[0], args[1], args[2]);
    return gcal_walk_integer_function(w, name, type, n, types, args);
}

struct gcal_walk_value gcal_walk_vector_call(struct gcal_walk *w, const char *name,
                                             CXType type, size_t n, const CXType *types,
                                             const struct gcal_walk_value *args)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    CXType element = gcal_walk_element_type(type), own_types[4];
    int64_t width = gcal_walk_type_width(type);
    struct gcal_walk_value own[4];

    if (n == 1 && is_integer_vector(types[0]) &&
        (strcmp(name, "all") == 0 || strcmp(name, "any") == 0))
        return test_all(w, name[1] == 'n', types[0], args[0]);
    if (n < 1 || n > 4 || width > GCAL_WALK_MAX_CELLS)
        return gcal_walk_unknown("it comes from a function");
    for (int64_t i = 0; i < width; i++) {
        for (size_t k = 0; k < n; k++) {
            own[k] = component(args[k], types[k], i);
            own_types[k] = gcal_walk_element_type(types[k]);
        }
        parts[i] = (struct gcal_walk_part){ i * gcal_walk_vector_spacing(type),
                                            call_component(w, name, width > 1, n,
                                                           own_types, own, element) };
    }
    parts[0].value.folds = false;
    return width > 1 ? gcal_walk_value_of_parts(w, (size_t)width, parts) : parts[0].value;
}
