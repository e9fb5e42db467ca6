/* event.c - counted events, and the scopes around them */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

unsigned gcal_walk_array_add(struct gcal_walk *w, const char *name,
                             enum gcal_feature_space space)
{
    struct gcal_sets_nest *nest = w->nest;
    struct gcal_sets_array *moved;

    moved = gcal_array_grow(nest->arrays, nest->n_arrays, &nest->array_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return 0;
    }
    nest->arrays = moved;
    moved[nest->n_arrays] = (struct gcal_sets_array){ .name = name, .space = space };
    return (unsigned)nest->n_arrays++;
}

unsigned gcal_walk_array_find(struct gcal_walk *w, const char *name,
                              enum gcal_feature_space space)
{
    const struct gcal_sets_nest *nest = w->nest;

    for (unsigned i = 0; i < nest->n_arrays; i++)
        if (nest->arrays[i].space == space && strcmp(nest->arrays[i].name, name) == 0)
            return i;
    return gcal_walk_array_add(w, name, space);
}

/* ---- events ---- */

/* Operations of one scope mostly follow each other: one that is not found among the last
 * becomes an event of its own, which changes no count.
 */
static void add_op(struct gcal_walk *w, struct gcal_sets_op_event event)
{
    enum { MOST_SEARCHED = 512 };
    struct gcal_sets_nest *nest = w->nest;
    struct gcal_sets_op_event *moved;
    size_t first = nest->n_ops > MOST_SEARCHED ? nest->n_ops - MOST_SEARCHED : (size_t)0;

    w->n_events++;
    first = first > w->first_op ? first : w->first_op;
    for (size_t i = nest->n_ops; i-- > first;) {
        struct gcal_sets_op_event *e = &nest->ops[i];

        if (e->scope == event.scope && e->dtype == event.dtype &&
            e->index == event.index && e->auxiliary == event.auxiliary &&
            e->matrix == event.matrix && strcmp(e->op, event.op) == 0) {
            e->times += event.times;
            e->instructions += event.instructions;
            w->counted_in = i;
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
    w->counted_in = nest->n_ops;
    moved[nest->n_ops++] = event;
}

static void count_operation(struct gcal_walk *w, CXType type, const char *op,
                            bool auxiliary, const struct gcal_walk_value *result)
{
    const char *dtype = gcal_source_dtype(type);
    bool places = w->quiet && gcal_walk_dtype_is_integer(dtype);
    bool index =
        places && w->n_carried == w->first_carried && gcal_walk_is_affine(w, result);
    const struct gcal_sets_scope *scope;

    w->was_counted = false;
    if (!op || !dtype || w->silent ||
        ((index || auxiliary) && !w->request->index_arithmetic))
        return;
    w->n_work += !places && !auxiliary;
    if (!gcal_walk_hoist(w, &scope)) {
        w->n_events++;
        return;
    }
    if (scope == w->scope && places && !index)
        scope = gcal_walk_scope_of(w, result);
    w->was_counted = true;
    w->counted = scope;
    w->n_instructions += index ? 0 : gcal_walk_op_instructions(op);
    add_op(w, (struct gcal_sets_op_event){ .dtype = dtype,
                                           .op = op,
                                           .scope = scope,
                                           .times = gcal_walk_type_width(type),
                                           .instructions = 1,
                                           .index = index,
                                           .auxiliary = auxiliary && !index });
}

void gcal_walk_count_op(struct gcal_walk *w, CXType type, const char *op,
                        const struct gcal_walk_value *result)
{
    count_operation(w, type, op, false, result);
}

void gcal_walk_count_auxiliary(struct gcal_walk *w, CXType type, const char *op,
                               const struct gcal_walk_value *result)
{
    count_operation(w, type, op, true, result);
}

void gcal_walk_join_op(struct gcal_walk *w, CXType type)
{
    struct gcal_sets_op_event *e = &w->nest->ops[w->counted_in];

    if (w->was_counted && !e->index && !w->failed)
        e->joined += gcal_walk_type_width(type);
}

void gcal_walk_count_matrix(struct gcal_walk *w, const char *type, int64_t multiply_adds)
{
    enum { LANES = 32 }; /* of a warp, which computes it together */

    if (w->silent)
        return;
    w->n_work++;
    add_op(w, (struct gcal_sets_op_event){ .dtype = "float32",
                                           .op = "mma",
                                           .scope = w->scope,
                                           .times = multiply_adds / LANES,
                                           .instructions = 1,
                                           .matrix = type });
}

void gcal_walk_fuse(struct gcal_walk *w, struct gcal_walk_product *product, bool fuses)
{
    int64_t times = fuses ? -1 : 1;

    product->is_fused = fuses;
    add_op(w, (struct gcal_sets_op_event){ .dtype = gcal_source_dtype(product->type),
                                           .op = "mul",
                                           .scope = product->scope,
                                           .times = times,
                                           .instructions = times });
}

/* Returns whether it is a tag of feature names; gcal_source_find_tag() cuts longer ones at 63. */
static bool is_tag(const char *tag)
{
    size_t n = 0;

    while (isalnum((unsigned char)tag[n]))
        n++;
    return n > 0 && n < 63 && !tag[n];
}

/* Sets what is known of the place of an access by a pointer to 'p' bytes from the beginning
 * of its array, or of an image.
 */
static void set_place(struct gcal_walk *w, struct gcal_sets_access_event *event,
                      enum gcal_feature_space space, const struct gcal_poly *p,
                      int64_t bytes)
{
    bool is_image = space == GCAL_FEATURE_SPACE_IMAGE;

    if (!p || bytes <= 0 || !gcal_poly_is_integral(p))
        return;
    event->offset = is_image ? NULL : gcal_poly_scale(w->c, p, 1, bytes);
    if (event->offset && gcal_poly_is_integral(event->offset))
        return;
    event->offset = NULL;
    event->place = p;
    event->n_places = is_image ? 1 : bytes * event->width;
}

/* Adds the access on each side of a choice of places to 'sides', '*n' of them. */
static void add_sides(struct gcal_walk *w, struct gcal_sets_access_event event,
                      enum gcal_feature_space space, struct gcal_walk_value pointer,
                      int64_t bytes, struct gcal_sets_access_event *sides, size_t *n)
{
    const struct gcal_sets_scope *before;

    for (int no = 0; no < 2 && pointer.choice; no++) {
        before = gcal_walk_push_side(w, pointer.choice->when, !no);
        add_sides(w, event, space, no ? pointer.choice->no : pointer.choice->yes, bytes,
                  sides, n);
        w->scope = before;
    }
    if (pointer.choice)
        return;
    event.scope = w->scope;
    set_place(w, &event, space, pointer.p, bytes);
    sides[(*n)++] = event;
}

/* Sets the sides of the access, where all of them are known. */
static void set_sides(struct gcal_walk *w, struct gcal_sets_access_event *event,
                      enum gcal_feature_space space, struct gcal_walk_value pointer,
                      int64_t bytes)
{
    struct gcal_sets_access_event *sides;
    size_t n = 0;

    if (!pointer.choice ||
        !(sides = gcal_poly_alloc(w->c, GCAL_WALK_MOST_SIDES * sizeof(*sides))))
        return;
    add_sides(w, *event, space, pointer, bytes, sides, &n);
    for (size_t i = 0; i < n; i++)
        if (!sides[i].offset)
            return;
    event->n_sides = n;
    event->sides = sides;
}

/* Where 'at' is for people: what is in gpucal's own declarations, where the source calls that.  A
 * conversion's function has no place, but its object has.
 */
static void locate(const struct gcal_walk *w, CXCursor at, int *line, int *column)
{
    gcal_source_location(at, line, column);
    for (const struct gcal_walk_frame *f = w->frame;
         f && clang_Location_isInSystemHeader(clang_getCursorLocation(at));
         f = f->outer) {
        *line = 0;
        for (size_t i = 0; i < f->kids.n && *line == 0; i++)
            gcal_source_location(at = f->kids.c[i], line, column);
    }
}

/* 'event' has the members that the other arguments do not give; elements have 'bytes'. */
static void add_memory(struct gcal_walk *w, CXCursor at, enum gcal_feature_space space,
                       struct gcal_walk_value pointer, long long bytes,
                       struct gcal_sets_access_event event)
{
    struct gcal_sets_nest *nest = w->nest;
    struct gcal_sets_access_event *moved;
    bool is_private = space == GCAL_FEATURE_SPACE_PRIVATE; /* perhaps a register */
    bool is_image = space == GCAL_FEATURE_SPACE_IMAGE;     /* its places are in texels */

    w->n_events += !is_private || !pointer.p;
    w->n_work += !is_private;
    w->n_instructions += is_private ? 1 : GCAL_WALK_ACCESS_INSTRUCTIONS;
    event.scope = w->scope;
    event.step = w->step;
    event.depth = pointer.depth;
    event.carried = pointer.carried;
    event.n_barriers = nest->n_barriers;
    if (event.tag && !is_tag(event.tag)) {
        gcal_walk_fail(w, at,
                       "the tag '%s' is not a word of at most 62 letters and digits",
                       event.tag);
        return;
    }
    if (pointer.kind == GCAL_WALK_VALUE_POINTER &&
        nest->arrays[pointer.array].space == space) {
        event.array = pointer.array;
        set_place(w, &event, space, pointer.p, bytes);
        event.range = gcal_walk_range_in_elements(w, pointer.range, is_image ? 1 : bytes);
        if (!pointer.p && bytes > 0) {
            /* Sets what else is known of a place that is not. */
            const struct gcal_poly *base = gcal_walk_base_of(pointer), *free;

            base = base ? gcal_poly_scale(w->c, base, 1, is_image ? 1 : bytes) : NULL;
            if (base && !gcal_poly_is_integral(base))
                base = NULL;
            if (!base || gcal_walk_near_of(w, pointer))
                event.near = base;
            else if (!is_image)
                event.base = base;
            if (!event.near && !event.base &&
                (space == GCAL_FEATURE_SPACE_GLOBAL ||
                 space == GCAL_FEATURE_SPACE_CONSTANT) &&
                (free = gcal_walk_free_number(w)))
                event.base = gcal_poly_scale(w->c, free, event.width, 1);
        }
    } else {
        event.array = gcal_walk_array_find(w, "?", space);
    }
    event.on_data = !event.offset && (pointer.on_data || pointer.is_mixed);
    event.is_stepped = !event.offset && pointer.is_stepped && !pointer.is_mixed;
    if (!event.offset && !pointer.on_data && !is_private)
        w->not_affine++;
    gcal_source_location(at, &event.own_line, &event.own_column);
    locate(w, at, &event.line, &event.column);
    if (event.array == pointer.array)
        set_sides(w, &event, space, pointer, bytes);
    moved = gcal_array_grow(nest->accesses, nest->n_accesses, &nest->access_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    nest->accesses = moved;
    moved[nest->n_accesses++] = event;
}

static void count_memory(struct gcal_walk *w, CXCursor at, CXType type,
                         enum gcal_feature_space space, struct gcal_walk_value pointer,
                         struct gcal_sets_access_event event)
{
    if (w->silent || space == GCAL_FEATURE_SPACE_ANY)
        return;
    event.is_volatile = clang_isVolatileQualifiedType(type);
    event.dtype = gcal_walk_type_is_pointer(type) ? "uint64" : gcal_source_dtype(type);
    if (!event.dtype) {
        gcal_walk_fail(w, at, "an access of this type cannot be counted");
        return;
    }
    add_memory(w, at, space, pointer,
               gcal_source_size(clang_getCanonicalType(type)) /
                   (gcal_walk_type_width(type) == 3 ? 4 : gcal_walk_type_width(type)),
               event);
}

void gcal_walk_count_words(struct gcal_walk *w, CXCursor at, int64_t words,
                           enum gcal_feature_space space,
                           enum gcal_feature_direction direction,
                           struct gcal_walk_value pointer)
{
    if (!w->silent)
        add_memory(w, at, space, pointer, 4,
                   (struct gcal_sets_access_event){ .dtype = "uint32",
                                                    .direction = direction,
                                                    .width = words,
                                                    .is_volatile = true });
}

/* One access per member of a structure, or element of an array; of a union to the first member that
 * has all of its bytes.
 */
static void count_members(struct gcal_walk *w, CXCursor at, CXType type,
                          enum gcal_feature_space space,
                          enum gcal_feature_direction direction,
                          struct gcal_walk_value pointer, const char *tag)
{
    enum { MOST_ELEMENTS = 256, MOST_BYTES = 1 << 16 };
    CXType part = clang_getCanonicalType(clang_getArrayElementType(type));
    CXCursor decl = clang_getTypeDeclaration(type);
    struct gcal_walk_children kids;
    bool is_union;
    long long n;

    if (gcal_source_size(type) > MOST_BYTES) {
        gcal_walk_fail(w, at, "copies of more than %d bytes cannot be counted",
                       MOST_BYTES);
        return;
    }
    if (gcal_source_is_array(type)) {
        n = clang_getArraySize(type);
        if (n > MOST_ELEMENTS)
            gcal_walk_fail(w, at,
                           "copies of arrays of more than %d elements cannot be counted",
                           MOST_ELEMENTS);
        for (long long i = 0; i < n && !w->failed; i++)
            gcal_walk_count_access(
                w, at, part, gcal_walk_type_width(part), space, direction,
                gcal_walk_pointer_shift(w, pointer, i * gcal_source_size(part)), tag);
        return;
    }
    if (gcal_source_bases(type) > 1)
        gcal_walk_fail(w, at, "copies of a class with several bases cannot be counted");
    is_union = gcal_source_kind(decl) == CXCursor_UnionDecl;
    kids = gcal_walk_get_children(w, decl);
    for (size_t i = 0; i < kids.n && !w->failed; i++) {
        part = gcal_source_type(kids.c[i]);
        if (is_union && gcal_source_size(part) < gcal_source_size(type))
            continue;
        gcal_walk_count_access(
            w, at, part, gcal_walk_type_width(part), space, direction,
            gcal_walk_pointer_shift(w, pointer,
                                    clang_Cursor_getOffsetOfField(kids.c[i]) / 8),
            tag);
        if (is_union)
            return;
    }
    if (is_union)
        gcal_walk_fail(w, at, "no member of this union is all of it: access a member");
}

void gcal_walk_count_access(struct gcal_walk *w, CXCursor at, CXType type, int64_t width,
                            enum gcal_feature_space space,
                            enum gcal_feature_direction direction,
                            struct gcal_walk_value pointer, const char *tag)
{
    type = clang_getCanonicalType(type);
    if ((gcal_walk_type_is_record(type) && width == 1) || gcal_source_is_array(type)) {
        count_members(w, at, type, space, direction, pointer, tag);
        return;
    }
    count_memory(w, at, type, space, pointer,
                 (struct gcal_sets_access_event){
                     .direction = direction, .width = width, .tag = tag });
}

void gcal_walk_count_atomic(struct gcal_walk *w, CXCursor at, CXType type,
                            enum gcal_feature_space space, const char *op,
                            enum gcal_sets_joins joins, struct gcal_walk_value pointer,
                            const char *tag)
{
    count_memory(w, at, type, space, pointer,
                 (struct gcal_sets_access_event){
                     .atomic = op, .joins = joins, .width = 1, .tag = tag });
}

void gcal_walk_count_barrier(struct gcal_walk *w, CXCursor at)
{
    struct gcal_sets_nest *nest = w->nest;
    struct gcal_sets_barrier_event *moved = gcal_array_grow(
        nest->barriers, nest->n_barriers, &nest->barrier_capacity, sizeof(*moved), NULL);

    w->n_events++;
    w->n_work++;
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    nest->barriers = moved;
    moved[nest->n_barriers] = (struct gcal_sets_barrier_event){ .scope = w->scope };
    locate(w, at, &moved[nest->n_barriers].line, &moved[nest->n_barriers].column);
    nest->n_barriers++;
}

void gcal_walk_count_branch(struct gcal_walk *w, CXCursor at,
                            const struct gcal_sets_condition *condition)
{
    struct gcal_sets_nest *nest = w->nest;
    struct gcal_sets_branch_event event = { .condition = condition, .scope = w->scope };
    struct gcal_sets_branch_event *moved;

    if (w->silent)
        return;
    moved = gcal_array_grow(nest->branches, nest->n_branches, &nest->branch_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    gcal_source_location(at, &event.line, &event.column);
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

void gcal_walk_count_array_bytes(struct gcal_walk *w, CXCursor decl)
{
    CXType type = gcal_source_type(decl);
    bool is_local = gcal_source_space(decl) == GCAL_FEATURE_SPACE_LOCAL;
    long long bytes = gcal_source_size(type);
    CXCursor *moved;

    if (w->silent || bytes <= 0 || (!is_local && !gcal_source_is_array(type)) ||
        gcal_source_space(decl) == GCAL_FEATURE_SPACE_CONSTANT || is_declared(w, decl))
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

/* ---- scopes ---- */

static struct gcal_sets_scope *push_scope(struct gcal_walk *w)
{
    struct gcal_sets_scope *scope = gcal_poly_alloc(w->c, sizeof(*scope));

    if (!scope) {
        gcal_walk_fail_memory(w);
        return NULL;
    }
    *scope = (struct gcal_sets_scope){ .parent = w->scope };
    w->scope = scope;
    return scope;
}

struct gcal_sets_scope *
gcal_walk_push_condition(struct gcal_walk *w, CXCursor at,
                         const struct gcal_sets_condition *condition)
{
    struct gcal_sets_scope *scope = push_scope(w);

    if (!scope)
        return NULL;
    gcal_source_location(at, &scope->line, &scope->column);
    scope->kind = condition ? GCAL_SETS_SCOPE_CONDITION : GCAL_SETS_SCOPE_UNKNOWN;
    scope->condition = condition;
    return scope;
}

void gcal_walk_push_predicate(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_predicate *predicate, bool holds)
{
    const struct gcal_sets_condition *condition =
        holds ? predicate->when : predicate->unless;

    if (predicate->known) {
        condition =
            holds ? predicate->when : gcal_sets_condition_not(w->c, predicate->when);
        gcal_walk_push_condition(w, at, condition);
        return;
    }
    if (condition)
        gcal_walk_push_condition(w, at, condition);
    gcal_walk_push_condition(w, at, NULL);
}

void gcal_walk_note(struct gcal_walk *w, CXCursor at, const char *text)
{
    int line, column;

    if (w->silent)
        return;
    locate(w, at, &line, &column);
    gcal_sets_nest_note(w->nest, line, column, text);
}

void gcal_walk_note_both_sides(struct gcal_walk *w, CXCursor condition,
                               const struct gcal_walk_predicate *predicate,
                               size_t n_events)
{
    if (predicate->known || w->n_events == n_events)
        return;
    if (predicate->on_data) {
        gcal_walk_note(w, condition,
                       "both sides were counted: the condition depends on data");
        return;
    }
    w->not_affine++;
    gcal_walk_note(w, condition,
                   gcal_poly_format(w->c,
                                    "both sides were counted: the condition cannot be "
                                    "counted exactly%s%s",
                                    predicate->why ? ": " : "",
                                    predicate->why ? predicate->why : ""));
}

struct gcal_sets_scope *gcal_walk_push_loop(struct gcal_walk *w, CXCursor at,
                                            unsigned atom, const struct gcal_poly *trips,
                                            bool runtime_step)
{
    struct gcal_sets_scope *scope = push_scope(w);

    if (!scope)
        return NULL;
    scope->kind = GCAL_SETS_SCOPE_LOOP;
    scope->loop = atom;
    scope->trips = trips;
    scope->runtime_step = runtime_step;
    gcal_source_location(at, &scope->line, &scope->column);
    return scope;
}

const struct gcal_sets_scope *
gcal_walk_scope_at_first(struct gcal_walk *w, const struct gcal_sets_scope *scope,
                         const struct gcal_sets_scope *loop)
{
    const struct gcal_sets_scope *before = w->scope;
    struct gcal_sets_scope *first;

    w->scope = scope;
    first = push_scope(w);
    w->scope = before;
    if (!first)
        return scope;
    first->kind = GCAL_SETS_SCOPE_CONDITION;
    first->condition =
        gcal_sets_condition_zero(w->c, gcal_poly_from_atom(w->c, loop->loop));
    first->line = loop->line;
    first->column = loop->column;
    return first;
}

/* ---- rewinding ---- */

struct gcal_walk_mark gcal_walk_events_mark(struct gcal_walk *w)
{
    const struct gcal_sets_nest *nest = w->nest;
    struct gcal_walk_mark mark = { nest->n_ops,       nest->n_accesses, nest->n_barriers,
                                   nest->n_branches,  nest->n_notes,    w->n_events,
                                   w->n_work,         w->first_op,      w->n_quotients,
                                   w->n_instructions, w->n_rolled };

    w->first_op = nest->n_ops;
    return mark;
}

void gcal_walk_events_rewind(struct gcal_walk *w, const struct gcal_walk_mark *mark)
{
    struct gcal_sets_nest *nest = w->nest;

    nest->n_ops = mark->n_ops;
    nest->n_accesses = mark->n_accesses;
    nest->n_barriers = mark->n_barriers;
    nest->n_branches = mark->n_branches;
    nest->n_notes = mark->n_notes;
    w->n_events = mark->n_events;
    w->n_work = mark->n_work;
    w->n_quotients = mark->n_quotients;
    w->n_instructions = mark->n_instructions;
    w->n_rolled = mark->n_rolled;
}
