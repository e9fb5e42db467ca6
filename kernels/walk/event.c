/* walk_event.c - what is counted, and the domains around it */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "kernels/walk/private.h"

unsigned gcal_array_find(struct gcal_walk *w, const char *name, enum gcal_space space)
{
    struct gcal_nest *nest = w->nest;
    struct gcal_array *moved;

    for (unsigned i = 0; i < nest->n_arrays; i++)
        if (nest->arrays[i].space == space && strcmp(nest->arrays[i].name, name) == 0)
            return i;
    moved = gcal_array_grow(nest->arrays, nest->n_arrays, &nest->array_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return 0;
    }
    nest->arrays = moved;
    moved[nest->n_arrays] = (struct gcal_array){ name, space };
    return (unsigned)nest->n_arrays++;
}

/* ---- events ---- */

void gcal_count_op(struct gcal_walk *w, CXType type, const char *op)
{
    struct gcal_nest *nest = w->nest;
    const char *dtype = gcal_type_dtype(type);
    int64_t width = gcal_type_width(type);
    bool index = w->quiet && gcal_dtype_is_integer(dtype);
    struct gcal_op_event *moved;

    if (!dtype || w->silent || (index && !w->request->index_arithmetic))
        return;
    w->n_events++;
    for (size_t i = nest->n_ops; i-- > w->first_op;) {
        struct gcal_op_event *e = &nest->ops[i];

        if (e->domain == w->domain && e->dtype == dtype && e->index == index &&
            strcmp(e->op, op) == 0) {
            e->times += width;
            return;
        }
    }
    moved =
        gcal_array_grow(nest->ops, nest->n_ops, &nest->op_capacity, sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    nest->ops = moved;
    moved[nest->n_ops++] = (struct gcal_op_event){ dtype, op, w->domain, width, index };
}

/* As feature names have them; a longer one than 62 was cut on its way here. */
static bool is_tag(const char *tag)
{
    size_t n = 0;

    while (isalnum((unsigned char)tag[n]))
        n++;
    return n > 0 && n < 63 && !tag[n];
}

/* 'event' holds what does not follow from the other arguments. */
static void count_memory(struct gcal_walk *w, CXCursor at, CXType type,
                         enum gcal_space space, struct gcal_value pointer,
                         struct gcal_access_event event)
{
    struct gcal_nest *nest = w->nest;
    struct gcal_access_event *moved;
    long long bytes;

    if (w->silent || space == GCAL_SPACE_ANY)
        return;
    w->n_events++;
    event.domain = w->domain;
    if (event.tag && !is_tag(event.tag)) {
        gcal_walk_fail(w, at, "the tag '%s' is not one word of letters and digits",
                       event.tag);
        return;
    }
    if (!(event.dtype = gcal_type_dtype(type))) {
        gcal_walk_fail(w, at, "an access of this type cannot be counted");
        return;
    }
    bytes = clang_Type_getSizeOf(clang_getCanonicalType(type)) /
            (gcal_type_width(type) == 3 ? 4 : gcal_type_width(type));
    if (pointer.kind == VALUE_POINTER && nest->arrays[pointer.array].space == space) {
        event.array = pointer.array;
        event.offset =
            pointer.p && bytes > 0 ? gcal_poly_scale(w->c, pointer.p, 1, bytes) : NULL;
        if (event.offset && !gcal_poly_is_integral(event.offset))
            event.offset = NULL;
    } else {
        event.array = gcal_array_find(w, "?", space);
    }
    if (!event.offset && !pointer.on_data)
        w->not_affine++;
    gcal_unit_location(at, &event.line, &event.column);
    moved = gcal_array_grow(nest->accesses, nest->n_accesses, &nest->access_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    nest->accesses = moved;
    moved[nest->n_accesses++] = event;
}

static struct gcal_value at_offset(struct gcal_walk *w, struct gcal_value pointer,
                                   int64_t bytes)
{
    if (pointer.kind == VALUE_POINTER && pointer.p)
        pointer.p = gcal_poly_add(w->c, pointer.p, gcal_poly_integer(w->c, bytes));
    return pointer;
}

/* A structure's members, or an array's elements, one access each. */
static void count_parts(struct gcal_walk *w, CXCursor at, CXType type,
                        enum gcal_space space, enum gcal_direction direction,
                        struct gcal_value pointer, const char *tag)
{
    enum { MOST_ELEMENTS = 256 };
    CXType part = clang_getCanonicalType(clang_getArrayElementType(type));
    CXCursor decl = clang_getTypeDeclaration(type);
    struct gcal_kids kids;
    long long n;

    if (gcal_type_is_array(type)) {
        n = clang_getArraySize(type);
        if (n > MOST_ELEMENTS)
            gcal_walk_fail(w, at, "copies of so large a structure cannot be counted");
        for (long long i = 0; i < n && !w->failed; i++)
            gcal_count_access(w, at, part, gcal_type_width(part), space, direction,
                              at_offset(w, pointer, i * clang_Type_getSizeOf(part)), tag);
        return;
    }
    if (clang_getCursorKind(decl) == CXCursor_UnionDecl) {
        gcal_walk_fail(w, at,
                       "copies of whole unions cannot be counted: access a member");
        return;
    }
    kids = gcal_walk_kids(w, decl);
    for (size_t i = 0; i < kids.n && !w->failed; i++) {
        if (clang_getCursorKind(kids.c[i]) != CXCursor_FieldDecl)
            continue;
        part = gcal_walk_type(kids.c[i]);
        gcal_count_access(
            w, at, part, gcal_type_width(part), space, direction,
            at_offset(w, pointer, clang_Cursor_getOffsetOfField(kids.c[i]) / 8), tag);
    }
}

void gcal_count_access(struct gcal_walk *w, CXCursor at, CXType type, int64_t width,
                       enum gcal_space space, enum gcal_direction direction,
                       struct gcal_value pointer, const char *tag)
{
    type = clang_getCanonicalType(type);
    if (gcal_type_is_record(type) || gcal_type_is_array(type)) {
        count_parts(w, at, type, space, direction, pointer, tag);
        return;
    }
    count_memory(
        w, at, type, space, pointer,
        (struct gcal_access_event){ .direction = direction, .width = width, .tag = tag });
}

void gcal_count_atomic(struct gcal_walk *w, CXCursor at, CXType type,
                       enum gcal_space space, const char *op, struct gcal_value pointer,
                       const char *tag)
{
    count_memory(w, at, type, space, pointer,
                 (struct gcal_access_event){ .atomic = op, .width = 1, .tag = tag });
}

void gcal_count_barrier(struct gcal_walk *w, CXCursor at)
{
    struct gcal_nest *nest = w->nest;
    struct gcal_barrier_event *moved = gcal_array_grow(
        nest->barriers, nest->n_barriers, &nest->barrier_capacity, sizeof(*moved), NULL);

    w->n_events++;
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    nest->barriers = moved;
    moved[nest->n_barriers] = (struct gcal_barrier_event){ .domain = w->domain };
    gcal_unit_location(at, &moved[nest->n_barriers].line,
                       &moved[nest->n_barriers].column);
    nest->n_barriers++;
}

void gcal_count_branch(struct gcal_walk *w, CXCursor at,
                       const struct gcal_condition *condition)
{
    struct gcal_nest *nest = w->nest;
    struct gcal_branch_event event = { .condition = condition, .domain = w->domain };
    struct gcal_branch_event *moved;

    if (w->silent)
        return;
    moved = gcal_array_grow(nest->branches, nest->n_branches, &nest->branch_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    gcal_unit_location(at, &event.line, &event.column);
    nest->branches = moved;
    moved[nest->n_branches++] = event;
}

static bool is_declared(const struct gcal_walk *w, CXCursor decl)
{
    for (size_t i = 0; i < w->n_declared; i++)
        if (clang_equalCursors(w->declared[i], decl))
            return true;
    return false;
}

void gcal_count_bytes(struct gcal_walk *w, CXCursor decl)
{
    CXType type = gcal_walk_type(decl);
    bool is_local = gcal_type_space(type) == GCAL_SPACE_LOCAL;
    long long bytes = clang_Type_getSizeOf(type);
    CXCursor *moved;

    if (w->silent || bytes <= 0 || (!is_local && !gcal_type_is_array(type)) ||
        gcal_type_space(type) == GCAL_SPACE_CONSTANT || is_declared(w, decl))
        return;
    moved = gcal_array_grow(w->declared, w->n_declared, &w->declared_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    w->declared = moved;
    moved[w->n_declared++] = decl;
    *(is_local ? &w->nest->local_bytes : &w->nest->private_bytes) += bytes;
}

/* ---- domains ---- */

static struct gcal_domain *push_domain(struct gcal_walk *w)
{
    struct gcal_domain *domain = gcal_polys_alloc(w->c, sizeof(*domain));

    if (!domain) {
        gcal_walk_fail_memory(w);
        return NULL;
    }
    *domain = (struct gcal_domain){ .parent = w->domain };
    w->domain = domain;
    return domain;
}

struct gcal_domain *gcal_push_condition(struct gcal_walk *w, CXCursor at,
                                        const struct gcal_condition *condition)
{
    struct gcal_domain *domain = push_domain(w);

    if (!domain)
        return NULL;
    gcal_unit_location(at, &domain->line, &domain->column);
    domain->kind = condition ? GCAL_DOMAIN_CONDITION : GCAL_DOMAIN_UNKNOWN;
    domain->condition = condition;
    return domain;
}

void gcal_push_truth(struct gcal_walk *w, CXCursor at, const struct gcal_truth *truth,
                     bool holds)
{
    const struct gcal_condition *condition = holds ? truth->when : truth->unless;

    if (truth->known) {
        condition = holds ? truth->when : gcal_condition_not(w->c, truth->when);
        gcal_push_condition(w, at, condition);
        return;
    }
    if (condition)
        gcal_push_condition(w, at, condition);
    gcal_push_condition(w, at, NULL);
}

void gcal_walk_note(struct gcal_walk *w, CXCursor at, const char *text)
{
    int line, column;

    if (w->silent)
        return;
    gcal_unit_location(at, &line, &column);
    gcal_nest_note(w->nest, line, column, text);
}

void gcal_note_both_sides(struct gcal_walk *w, CXCursor condition,
                          const struct gcal_truth *truth, size_t n_events)
{
    if (truth->known || w->n_events == n_events)
        return;
    if (truth->on_data) {
        gcal_walk_note(w, condition,
                       "both sides were counted: the condition depends on data");
        return;
    }
    w->not_affine++;
    if (!w->request->allow_estimates && !w->tentative)
        gcal_walk_fail(w, condition,
                       "this condition cannot be counted exactly%s%s: allow estimates "
                       "to count both of its sides",
                       truth->why ? ": " : "", truth->why ? truth->why : "");
    else
        gcal_walk_note(w, condition,
                       "both sides were counted: the condition is not "
                       "affine in sizes and ids");
}

void gcal_push_loop(struct gcal_walk *w, CXCursor at, unsigned atom,
                    const struct gcal_poly *trips)
{
    struct gcal_domain *domain = push_domain(w);

    if (!domain)
        return;
    domain->kind = GCAL_DOMAIN_LOOP;
    domain->loop = atom;
    domain->trips = trips;
    gcal_unit_location(at, &domain->line, &domain->column);
}

/* ---- back to an earlier state ---- */

struct gcal_mark gcal_events_mark(struct gcal_walk *w)
{
    const struct gcal_nest *nest = w->nest;
    struct gcal_mark mark = { nest->n_ops,      nest->n_accesses, nest->n_barriers,
                              nest->n_branches, nest->n_notes,    w->n_events,
                              w->first_op };

    w->first_op = nest->n_ops;
    return mark;
}

void gcal_events_rewind(struct gcal_walk *w, const struct gcal_mark *mark)
{
    struct gcal_nest *nest = w->nest;

    nest->n_ops = mark->n_ops;
    nest->n_accesses = mark->n_accesses;
    nest->n_barriers = mark->n_barriers;
    nest->n_branches = mark->n_branches;
    nest->n_notes = mark->n_notes;
    w->n_events = mark->n_events;
}
