#include "kernels/walk.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/kernels.h"

void gcal_walk_fail(struct gcal_walk *w, CXCursor at, const char *fmt, ...)
{
    char text[700];
    va_list args;

    if (w->failed)
        return;
    w->failed = true;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    gcal_unit_error(w->unit, at, w->err, "%s", text);
}

static void fail_memory(struct gcal_walk *w)
{
    if (!w->failed)
        gcal_error_memory(w->err);
    w->failed = true;
}

struct gcal_kids gcal_walk_kids(struct gcal_walk *w, CXCursor c)
{
    struct gcal_children children;
    struct gcal_kids kids = { 0 };

    if (gcal_children_get(w->unit, c, &children, w->err) < 0) {
        w->failed = true;
        return kids;
    }
    kids.c = gcal_polys_alloc(w->c, children.n * sizeof(*kids.c) + 1);
    if (kids.c && children.n) {
        kids.n = children.n;
        memcpy(kids.c, children.cursors, children.n * sizeof(*kids.c));
    }
    free(children.cursors);
    return kids;
}

const char *gcal_walk_name(struct gcal_walk *w, CXCursor c)
{
    CXString spelling = w->clang->getCursorSpelling(c);
    const char *text = w->clang->getCString(spelling);
    const char *copy = gcal_polys_format(w->c, "%s", text ? text : "");

    w->clang->disposeString(spelling);
    return copy;
}

CXType gcal_walk_type(struct gcal_walk *w, CXCursor c)
{
    CXType type = w->clang->getCursorType(c);

    return type.kind == CXType_Invalid ? type : w->clang->getCanonicalType(type);
}

int64_t gcal_type_width(struct gcal_walk *w, CXType type)
{
    if (type.kind == CXType_Invalid)
        return 1;
    type = w->clang->getCanonicalType(type);
    return type.kind == CXType_ExtVector || type.kind == CXType_Vector
               ? w->clang->getNumElements(type)
               : 1;
}

bool gcal_dtype_is_integer(const char *dtype)
{
    return dtype && dtype[0] != 'f';
}

struct gcal_value gcal_unknown(const char *why)
{
    return (struct gcal_value){ .kind = VALUE_UNKNOWN, .why = why };
}

struct gcal_value gcal_integer(const struct gcal_poly *p)
{
    return (struct gcal_value){ .kind = VALUE_INTEGER, .p = p };
}

CXCursor gcal_strip(struct gcal_walk *w, CXCursor c)
{
    for (;;) {
        enum CXCursorKind kind = w->clang->getCursorKind(c);
        struct gcal_kids kids;

        if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr &&
            kind != CXCursor_CStyleCastExpr)
            return c;
        kids = gcal_walk_kids(w, c);
        if (!kids.n)
            return c;
        c = kids.c[kids.n - 1];
    }
}

/* ---- variables ---- */

struct gcal_value *gcal_variable_find(struct gcal_walk *w, CXCursor decl)
{
    for (size_t i = w->n_variables; i-- > 0;)
        if (w->clang->equalCursors(w->variables[i].decl, decl))
            return &w->variables[i].value;
    return NULL;
}

void gcal_variable_set(struct gcal_walk *w, CXCursor decl, struct gcal_value value)
{
    struct gcal_value *known = gcal_variable_find(w, decl);
    struct gcal_variable *moved;

    if (known) {
        *known = value;
        return;
    }
    moved = gcal_array_grow(w->variables, w->n_variables, &w->variable_capacity,
                            sizeof(*moved), w->err);
    if (!moved) {
        w->failed = true;
        return;
    }
    w->variables = moved;
    w->variables[w->n_variables++] = (struct gcal_variable){ decl, value };
}

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
        fail_memory(w);
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
    const char *dtype = gcal_type_dtype(w->unit, type);
    int64_t width = gcal_type_width(w, type);
    bool index = w->quiet && gcal_dtype_is_integer(dtype);
    struct gcal_op_event *moved;

    if (!dtype || w->silent || (index && !w->request->index_arithmetic))
        return;
    w->n_events++;
    for (size_t i = nest->n_ops; i-- > 0;) {
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
        fail_memory(w);
        return;
    }
    nest->ops = moved;
    moved[nest->n_ops++] = (struct gcal_op_event){ dtype, op, w->domain, width, index };
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
    if (!(event.dtype = gcal_type_dtype(w->unit, type))) {
        gcal_walk_fail(w, at,
                       "accesses of whole structures cannot be counted: access "
                       "their members");
        return;
    }
    bytes = w->clang->Type_getSizeOf(w->clang->getCanonicalType(type)) /
            (gcal_type_width(w, type) == 3 ? 4 : gcal_type_width(w, type));
    if (pointer.kind == VALUE_POINTER && nest->arrays[pointer.array].space == space) {
        event.array = pointer.array;
        event.offset =
            pointer.p && bytes > 0 ? gcal_poly_scale(w->c, pointer.p, 1, bytes) : NULL;
        if (event.offset && !gcal_poly_is_integral(event.offset))
            event.offset = NULL;
    } else {
        event.array = gcal_array_find(w, "?", space);
    }
    gcal_unit_location(w->unit, at, &event.line, &event.column);
    moved = gcal_array_grow(nest->accesses, nest->n_accesses, &nest->access_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        fail_memory(w);
        return;
    }
    nest->accesses = moved;
    moved[nest->n_accesses++] = event;
}

void gcal_count_access(struct gcal_walk *w, CXCursor at, CXType type, int64_t width,
                       enum gcal_space space, enum gcal_direction direction,
                       struct gcal_value pointer, const char *tag)
{
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

    if (!moved) {
        fail_memory(w);
        return;
    }
    nest->barriers = moved;
    moved[nest->n_barriers] = (struct gcal_barrier_event){ .domain = w->domain };
    gcal_unit_location(w->unit, at, &moved[nest->n_barriers].line,
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
        fail_memory(w);
        return;
    }
    gcal_unit_location(w->unit, at, &event.line, &event.column);
    nest->branches = moved;
    moved[nest->n_branches++] = event;
}

static struct gcal_domain *push_domain(struct gcal_walk *w)
{
    struct gcal_domain *domain = gcal_polys_alloc(w->c, sizeof(*domain));

    if (!domain) {
        fail_memory(w);
        return NULL;
    }
    *domain = (struct gcal_domain){ .parent = w->domain };
    w->domain = domain;
    return domain;
}

void gcal_push_condition(struct gcal_walk *w, CXCursor at,
                         const struct gcal_condition *condition, const char *why)
{
    struct gcal_domain *domain = push_domain(w);

    if (!domain)
        return;
    gcal_unit_location(w->unit, at, &domain->line, &domain->column);
    domain->kind = condition ? GCAL_DOMAIN_CONDITION : GCAL_DOMAIN_UNKNOWN;
    domain->condition = condition;
    if (!condition)
        gcal_nest_note(w->nest, domain->line, domain->column, why);
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
    gcal_unit_location(w->unit, at, &domain->line, &domain->column);
}
