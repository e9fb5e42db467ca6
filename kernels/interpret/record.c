/* record.c - structures and unions: types, members, initialisers
 *
 * The value of a structure is a pointer to its memory, which whoever stores it copies.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/interpret/private.h"

/* ---- types ---- */

bool gcal_interp_type_has_pointers(const struct gcal_interp_type *type)
{
    while (type->repr == GCAL_INTERP_ARRAY)
        type = type->element;
    return type->repr == GCAL_INTERP_POINTER ||
           (type->repr == GCAL_INTERP_RECORD && type->has_pointers);
}

static int read_fields(struct gcal_interp_translator *t,
                       const struct gcal_source_children *children,
                       struct gcal_interp_type *type, CXCursor at)
{
    for (size_t i = 0; i < children->n; i++) {
        struct gcal_interp_field *field = &type->fields[type->count];
        CXCursor c = children->cursors[i];

        if (clang_Cursor_isBitField(c)) {
            gcal_interp_unsupported(t, at, "a bit-field");
            return -1;
        }
        field->decl = c;
        field->offset = (size_t)clang_Cursor_getOffsetOfField(c) / 8;
        field->type = gcal_interp_type_translate(t, clang_getCursorType(c), at);
        if (!field->type)
            return -1;
        type->has_pointers |= gcal_interp_type_has_pointers(field->type);
        type->count++;
    }
    return 0;
}

static struct gcal_interp_type *add_record(struct gcal_interp_translator *t,
                                           CXCursor decl, size_t n_fields)
{
    struct gcal_interp_record *moved = gcal_array_grow(
        t->records, t->n_records, &t->records_capacity, sizeof(*moved), t->err);
    struct gcal_interp_type *type;

    if (!moved)
        return NULL;
    t->records = moved;
    if (!(type = gcal_interp_program_alloc(t, sizeof(*type))) ||
        !(type->fields =
              gcal_interp_program_alloc(t, (n_fields + 1) * sizeof(*type->fields))))
        return NULL;
    type->repr = GCAL_INTERP_RECORD;
    moved[t->n_records++] = (struct gcal_interp_record){ decl, type };
    return type;
}

const struct gcal_interp_type *gcal_interp_type_record(struct gcal_interp_translator *t,
                                                       CXType record, CXCursor at)
{
    CXCursor decl = clang_getTypeDeclaration(record);
    struct gcal_source_children children;
    struct gcal_interp_type *type;
    long long size = gcal_source_size(record);
    int rc;

    for (size_t i = 0; i < t->n_records; i++)
        if (clang_equalCursors(t->records[i].decl, decl))
            return t->records[i].type;
    if (size < 0 || gcal_source_bases(record) > 1)
        return gcal_interp_unsupported(t, at, "an incomplete type, or several bases");
    if (gcal_source_get_children(decl, &children, t->err) < 0)
        return NULL;
    type = add_record(t, decl, children.n);
    rc = type ? read_fields(t, &children, type, at) : -1;
    free(children.cursors);
    if (rc < 0)
        return NULL;
    type->size = (size_t)size;
    if (type->has_pointers && gcal_source_kind(decl) == CXCursor_UnionDecl)
        return gcal_interp_unsupported(t, at, "a union with a pointer");
    if (type->has_pointers) {
        /* Pointers are larger here than in a device's memory, which has no such structures. */
        type->size = 0;
        for (size_t i = 0; i < type->count; i++) {
            type->fields[i].offset = type->size;
            type->size += (type->fields[i].type->size + 15) / 16 * 16;
        }
    }
    return type;
}

/* ---- members ---- */

static struct gcal_interp_pointer member(struct gcal_interp_work_item *item,
                                         const struct gcal_interp_node *n)
{
    struct gcal_interp_pointer p = n->a->eval.p(item, n->a);

    p.offset += n->k.i;
    return p;
}

struct gcal_interp_node *gcal_interp_node_place(struct gcal_interp_translator *t,
                                                CXCursor at,
                                                struct gcal_interp_node *address,
                                                size_t offset,
                                                const struct gcal_interp_type *type)
{
    const struct gcal_interp_type *pointer =
        address && type ? gcal_interp_type_pointer(t, type) : NULL;
    struct gcal_interp_node *n = pointer ? gcal_interp_node_create(t, at, pointer) : NULL;

    if (!n)
        return NULL;
    n->eval.p = member;
    n->a = address;
    n->k.i = (int64_t)offset;
    n->name = address->name;
    return n;
}

/* A member, also one of a member without a name; NULL: there is none. */
static const struct gcal_interp_field *find_field(const struct gcal_interp_type *record,
                                                  CXCursor decl, size_t *offset)
{
    const struct gcal_interp_field *field, *found = NULL;

    for (size_t i = 0; record->repr == GCAL_INTERP_RECORD && i < record->count; i++) {
        field = &record->fields[i];
        found = clang_equalCursors(field->decl, decl)
                    ? field
                    : find_field(field->type, decl, offset);
        if (found) {
            *offset += field->offset;
            break;
        }
    }
    return found;
}

struct gcal_interp_node *gcal_interp_node_member(struct gcal_interp_translator *t,
                                                 CXCursor at, CXCursor decl,
                                                 struct gcal_interp_node *address,
                                                 const struct gcal_interp_type *record)
{
    size_t offset = 0;
    const struct gcal_interp_field *field = find_field(record, decl, &offset);

    if (field)
        return gcal_interp_node_place(t, at, address, offset, field->type);
    return gcal_interp_unsupported(t, at, "this member");
}

/* ---- initialisers ---- */

/* A part of an array or structure that an initialiser sets. */
struct part {
    size_t offset;
    const struct gcal_interp_type *type;
    CXCursor value;
};

static bool find_nth(const struct gcal_interp_type *whole, size_t i, struct part *part)
{
    bool is_array = whole->repr == GCAL_INTERP_ARRAY;

    if (i >= whole->count)
        return false;
    part->type = is_array ? whole->element : whole->fields[i].type;
    part->offset = is_array ? i * whole->element->size : whole->fields[i].offset;
    return true;
}

/* .name = value, [number] = value */
static bool find_designated(CXCursor c, const struct gcal_interp_type *whole,
                            struct part *part)
{
    struct gcal_source_children kids;
    CXEvalResult number;
    bool found = false;

    if (gcal_source_get_children(c, &kids, NULL) < 0)
        return false;
    if (kids.n == 2 && gcal_source_kind(kids.cursors[0]) == CXCursor_MemberRef) {
        CXCursor field = clang_getCursorReferenced(kids.cursors[0]);

        for (size_t i = 0; i < whole->count && whole->repr == GCAL_INTERP_RECORD; i++)
            if (clang_equalCursors(whole->fields[i].decl, field))
                found = find_nth(whole, i, part);
    } else if (kids.n == 2 && whole->repr == GCAL_INTERP_ARRAY &&
               (number = clang_Cursor_Evaluate(kids.cursors[0]))) {
        found = clang_EvalResult_getKind(number) == CXEval_Int &&
                clang_EvalResult_getAsLongLong(number) >= 0 &&
                find_nth(whole, (size_t)clang_EvalResult_getAsLongLong(number), part);
        clang_EvalResult_dispose(number);
    }
    if (found)
        part->value = kids.cursors[1];
    free(kids.cursors);
    return found;
}

static bool is_whole(const struct gcal_interp_type *type)
{
    return type->repr == GCAL_INTERP_ARRAY || type->repr == GCAL_INTERP_RECORD ||
           type->repr == GCAL_INTERP_VECTOR;
}

static int add_store(struct gcal_interp_translator *t, struct gcal_interp_node *address,
                     const struct part *part, gcal_interp_add_store *add, void *to)
{
    CXCursor c = part->value;
    bool is_list = gcal_source_kind(c) == CXCursor_InitListExpr;
    const struct gcal_interp_type *given;
    struct gcal_interp_node *place = gcal_interp_node_place(t, c, address, part->offset,
                                                            part->type),
                            *value;

    if (!place)
        return -1;
    if (is_list &&
        (part->type->repr == GCAL_INTERP_ARRAY || part->type->repr == GCAL_INTERP_RECORD))
        return gcal_interp_add_list(t, c, place, add, to);
    if (!(given = gcal_interp_type_translate(t, clang_getCursorType(c), c)))
        return -1;
    if (is_whole(part->type) && !is_list && !gcal_interp_type_equal(given, part->type)) {
        gcal_interp_unsupported(t, c, "an initialiser that leaves out inner braces");
        return -1;
    }
    value = gcal_interp_translate_value(t, c);
    return add(t, c, gcal_interp_node_store(t, c, place, value), to);
}

int gcal_interp_add_list(struct gcal_interp_translator *t, CXCursor list,
                         struct gcal_interp_node *address, gcal_interp_add_store *add,
                         void *to)
{
    const struct gcal_interp_type *whole = address->type->element;
    struct gcal_source_children children;
    bool in_order = true;
    int rc = 0;

    if (gcal_source_kind(list) != CXCursor_InitListExpr) {
        gcal_interp_unsupported(t, list, "initialising an array without { }");
        return -1;
    }
    if (gcal_source_get_children(list, &children, t->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++) {
        CXCursor c = children.cursors[i];
        bool designated = gcal_source_kind(c) == CXCursor_UnexposedExpr &&
                          clang_getCursorType(c).kind == CXType_Void;
        struct part part = { .value = c };

        in_order = in_order && !designated;
        if (designated ? !find_designated(c, whole, &part)
                       : !in_order || !find_nth(whole, i, &part)) {
            gcal_interp_unsupported(t, c, "this form of an initialiser");
            rc = -1;
        } else {
            rc = add_store(t, address, &part, add, to);
        }
    }
    free(children.cursors);
    return rc;
}

/* Appends to a chain of commas. */
static int add_to_chain(struct gcal_interp_translator *t, CXCursor at,
                        struct gcal_interp_node *store, void *to)
{
    struct gcal_interp_node **chain = to;

    *chain = gcal_interp_node_comma(t, at, *chain, store);
    return *chain ? 0 : -1;
}

struct gcal_interp_node *gcal_interp_node_record(struct gcal_interp_translator *t,
                                                 CXCursor list,
                                                 const struct gcal_interp_type *type)
{
    struct gcal_interp_node *address =
        gcal_interp_node_variable(t, list, type, GCAL_INTERP_MEMORY_PRIVATE);
    struct gcal_interp_node *chain =
        address ? gcal_interp_node_reset(t, list, address, true) : NULL;

    if (!chain || gcal_interp_add_list(t, list, address, add_to_chain, &chain) < 0)
        return NULL;
    return gcal_interp_node_comma(t, list, chain,
                                  gcal_interp_node_load(t, list, address));
}
