/* call_access.c - built-in functions that access memory: vectors, atomics, copies, images */
#include <stdlib.h>
#include <string.h>

#include "kernels/walk/private.h"

/* ---- vloadN, vstoreN ---- */

/* The tag of &GPUCAL_TAG(name, a[i]), of &a[i] or of a pointer. */
static const char *address_tag(struct gcal_walk *w, CXCursor address)
{
    CXCursor c = gcal_walk_strip_casts(w, address), lvalue;
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    char tag[64];

    if (gcal_source_kind(c) != CXCursor_UnaryOperator || !kids.n ||
        clang_getCursorUnaryOperatorKind(c) != CXUnaryOperator_AddrOf)
        return gcal_annotations_tag(&w->annotations, address);
    c = gcal_walk_strip_casts(w, kids.c[0]);
    if (gcal_source_find_tag(c, &lvalue, tag, sizeof(tag)))
        return gcal_poly_format(w->c, "%s", tag);
    kids = gcal_walk_get_children(w, c);
    return gcal_source_kind(c) == CXCursor_ArraySubscriptExpr && kids.n
               ? gcal_annotations_tag(&w->annotations, kids.c[0])
               : NULL;
}

static struct gcal_walk_value vector_access(struct gcal_walk *w, CXCursor c,
                                            const char *name,
                                            struct gcal_walk_children kids)
{
    bool is_load = gcal_walk_starts_with(name, "vload");
    size_t first = is_load ? 1 : 2; /* callee, [data,] offset, pointer */
    const char *digits = name + strcspn(name, "0123456789");
    int64_t width = *digits ? strtol(digits, NULL, 10) : 1;
    int64_t spacing = width == 3 && strstr(name, "a_half") ? 4 : width;
    struct gcal_walk_value offset, pointer, value, stored = { 0 };
    enum gcal_feature_space space;
    CXType type;
    long long size;

    if (kids.n < first + 2)
        return gcal_walk_unknown(NULL);
    if (!is_load)
        stored = gcal_walk_expr(w, kids.c[1]);
    offset = gcal_walk_index_expr(w, kids.c[first]);
    pointer = gcal_walk_index_expr(w, kids.c[first + 1]);
    type =
        clang_getCanonicalType(clang_getPointeeType(gcal_source_type(kids.c[first + 1])));
    size = gcal_source_size(type);
    pointer = gcal_walk_pointer_add(w, pointer, offset, spacing * size);
    gcal_walk_count_access(w, c, type, width,
                           gcal_walk_pointer_space(w, c, type, pointer),
                           is_load ? GCAL_FEATURE_LOAD : GCAL_FEATURE_STORE, pointer,
                           address_tag(w, kids.c[first + 1]));
    space = gcal_walk_pointer_space(w, c, type, pointer);
    value = gcal_walk_loaded(space, pointer);
    if (is_load)
        value.chain = gcal_walk_chain_memory(w, space, type, pointer);
    else
        gcal_walk_chain_to_memory(w, space, pointer, stored.chain);
    return value;
}

/* ---- atomics ---- */

/* "add" of atomic_add, atom_add, atomic_fetch_add and atomic_fetch_add_explicit; NULL
 * when it is unknown.
 */
static const char *atomic_operation(struct gcal_walk *w, const char *name)
{
    static const char *const same[] = { "add",  "sub",   "inc",     "dec", "xchg",
                                        "min",  "max",   "and",     "or",  "xor",
                                        "load", "store", "cmpxchg", NULL };
    static const char *const others[][2] = { { "exchange", "xchg" },
                                             { "compare_exchange_strong", "cmpxchg" },
                                             { "compare_exchange_weak", "cmpxchg" },
                                             { "flag_test_and_set", "xchg" },
                                             { "flag_clear", "store" },
                                             { "init", "store" } };
    const char *op = strchr(name, '_') + 1, *end;

    if (gcal_walk_starts_with(op, "fetch_"))
        op += strlen("fetch_");
    if ((end = strstr(op, "_explicit")))
        op = gcal_poly_format(w->c, "%.*s", (int)(end - op), op);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(op, others[i][0]) == 0)
            return others[i][1];
    for (size_t i = 0; same[i]; i++)
        if (strcmp(op, same[i]) == 0)
            return op;
    return NULL;
}

static struct gcal_walk_value atomic_access(struct gcal_walk *w, CXCursor c,
                                            const char *name,
                                            struct gcal_walk_children kids)
{
    const char *op = atomic_operation(w, name);
    const struct gcal_walk_chain *chain = NULL;
    struct gcal_walk_value pointer, value;
    enum gcal_feature_space space;
    CXType type;

    if (!op || kids.n < 2) {
        gcal_walk_fail(w, c, "'%s' cannot be counted: unknown atomic operation", name);
        return gcal_walk_unknown(NULL);
    }
    pointer = gcal_walk_index_expr(w, kids.c[1]);
    for (size_t i = 2; i < kids.n; i++)
        chain = gcal_walk_chain_union(w, chain, gcal_walk_expr(w, kids.c[i]).chain);
    type = clang_getPointeeType(gcal_source_type(kids.c[1]));
    space = pointer.kind == GCAL_WALK_VALUE_POINTER ? w->nest->arrays[pointer.array].space
                                                    : gcal_source_address_space(type);
    if (space == GCAL_FEATURE_SPACE_ANY)
        gcal_walk_fail(w, c, "'%s': the address space of this pointer is unknown", name);
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Atomic)
        type = clang_Type_getValueType(type);
    gcal_walk_count_atomic(
        w, c, type, space, op,
        gcal_walk_find_joins(w, op, type, space, kids, !clang_equalCursors(w->unused, c)),
        pointer, address_tag(w, kids.c[1]));
    gcal_walk_chain_to_memory(w, space, pointer, chain);
    value = gcal_walk_loaded(space, pointer);
    value.chain = gcal_walk_chain_union(w, chain, pointer.chain);
    return value;
}

/* ---- asynchronous copies ---- */

/* One side of a copy by the work-group: of its L work-items, number l accesses the elements
 * l, l + L, ...
 */
static void count_side(struct gcal_walk *w, CXCursor c, CXCursor side,
                       const struct gcal_poly *element, const struct gcal_poly *stride,
                       enum gcal_feature_direction direction)
{
    CXType type = gcal_walk_pointee(gcal_source_type(side));
    struct gcal_walk_value pointer = gcal_walk_index_expr(w, side);

    if (pointer.p && stride)
        pointer.p =
            gcal_poly_add(w->c, pointer.p,
                          gcal_poly_scale(w->c, gcal_poly_mul(w->c, element, stride),
                                          gcal_source_size(type), 1));
    else
        pointer.p = NULL;
    pointer.choice = NULL;
    gcal_walk_count_access(w, c, type, gcal_walk_type_width(type),
                           gcal_walk_pointer_space(w, c, type, pointer), direction,
                           pointer, address_tag(w, side));
}

/* Enters the scope in which each work-item has one of 'n' elements after the other, and
 * gives the number of its element.
 */
static const struct gcal_poly *push_elements(struct gcal_walk *w, CXCursor c,
                                             const struct gcal_poly *n)
{
    int64_t items = gcal_sets_nest_group_items(w->nest), n_rounds;
    const struct gcal_poly *one = gcal_poly_integer(w->c, 1), *round;
    const struct gcal_poly *element = gcal_walk_linear_id(w, true), *rounds;

    n = gcal_poly_max(w->c, n, gcal_poly_integer(w->c, 0));
    rounds = gcal_poly_floor(
        w->c, gcal_poly_add(w->c, n, gcal_poly_integer(w->c, items - 1)), items);
    if (!gcal_poly_is_constant(rounds, &n_rounds) || n_rounds != 1) {
        round = gcal_poly_dimension(w->c, "round", gcal_poly_sub(w->c, rounds, one));
        gcal_walk_push_loop(w, c, gcal_poly_atom_index(round), rounds, false);
        element = gcal_poly_add(w->c, element, gcal_poly_scale(w->c, round, items, 1));
    }
    if (!gcal_poly_equal(n, gcal_poly_scale(w->c, rounds, items, 1)))
        gcal_walk_push_condition(
            w, c,
            gcal_sets_condition_nonnegative(
                w->c, gcal_poly_sub(w->c, gcal_poly_sub(w->c, n, one), element)));
    return element;
}

/* async_work_group_copy(to, from, n, event) and .._strided_copy(to, from, n, stride,
 * event), whose stride is that of global memory.
 */
static struct gcal_walk_value group_copy(struct gcal_walk *w, CXCursor c,
                                         const char *name, struct gcal_walk_children kids)
{
    bool is_strided = strstr(name, "_strided_") != NULL;
    const struct gcal_sets_scope *outside = w->scope;
    const struct gcal_poly *one = gcal_poly_integer(w->c, 1), *element;
    struct gcal_walk_value n, stride = gcal_walk_integer(one);
    bool to_local;

    if (kids.n < (is_strided ? 6u : 5u))
        return gcal_walk_unknown(NULL);
    n = gcal_walk_index_expr(w, kids.c[3]);
    if (is_strided)
        stride = gcal_walk_index_expr(w, kids.c[4]);
    if (n.kind != GCAL_WALK_VALUE_INTEGER) {
        gcal_walk_fail(
            w, c,
            "'%s': the number of elements is unknown%s%s: compute it from sizes "
            "and ids of work-groups",
            name, n.why ? ": " : "", n.why ? n.why : "");
        return gcal_walk_unknown(NULL);
    }
    to_local =
        gcal_source_address_space(gcal_walk_pointee(gcal_source_type(kids.c[1]))) ==
        GCAL_FEATURE_SPACE_LOCAL;
    element = push_elements(w, c, n.p);
    if (stride.kind != GCAL_WALK_VALUE_INTEGER)
        stride.p = NULL;
    count_side(w, c, kids.c[2], element, to_local ? stride.p : one, GCAL_FEATURE_LOAD);
    count_side(w, c, kids.c[1], element, to_local ? one : stride.p, GCAL_FEATURE_STORE);
    w->scope = outside;
    return gcal_walk_unknown(NULL);
}

/* ---- inline assembly ---- */

/* An address among the values of a statement's operands. */
static struct gcal_walk_value assembly_address(struct gcal_walk *w, CXCursor at,
                                               const struct gcal_walk_value *values,
                                               size_t n,
                                               const struct gcal_source_address *address,
                                               enum gcal_feature_space space)
{
    struct gcal_walk_value value = gcal_walk_unknown(NULL);

    if (address->operand >= 0 && (size_t)address->operand < n)
        value = values[address->operand];
    if (value.kind == GCAL_WALK_VALUE_POINTER &&
        w->nest->arrays[value.array].space == space)
        return gcal_walk_pointer_shift(w, value, address->offset);
    gcal_walk_note(w, at, "where inline assembly accesses memory is unknown");
    return gcal_walk_unknown(NULL);
}

/* ldmatrix: each of the first lanes has the address of a row, of which a quarter of a sub-group's loads
 * are done at a time, as those of its vectors of 16 bytes.
 */
static void load_matrix(struct gcal_walk *w, CXCursor c, struct gcal_walk_value pointer,
                        int lanes)
{
    enum { ROW_WORDS = 4, WARP = 32 };
    const struct gcal_sets_scope *outside = w->scope;
    const struct gcal_poly *id = gcal_walk_linear_id(w, true), *lane;

    lane = gcal_poly_sub(w->c, id,
                         gcal_poly_scale(w->c, gcal_poly_floor(w->c, id, WARP), WARP, 1));
    if (lanes < WARP)
        gcal_walk_push_condition(
            w, c,
            gcal_sets_condition_nonnegative(
                w->c, gcal_poly_sub(w->c, gcal_poly_integer(w->c, lanes - 1), lane)));
    gcal_walk_count_words(w, c, ROW_WORDS, GCAL_FEATURE_SPACE_LOCAL, GCAL_FEATURE_LOAD,
                          pointer);
    w->scope = outside;
}

/* The number that an instruction has in its text or by an operand; negative: unknown. */
static int64_t assembly_number(const struct gcal_source_address *address, size_t n,
                               const struct gcal_walk_value *values)
{
    int64_t number;

    if (address->operand < 0)
        return address->offset;
    return (size_t)address->operand < n &&
                   values[address->operand].kind == GCAL_WALK_VALUE_INTEGER &&
                   gcal_poly_is_constant(values[address->operand].p, &number)
               ? number
               : -1;
}

/* Returns whether the loop is around the scope. */
static bool is_in_loop(const struct gcal_sets_scope *scope,
                       const struct gcal_sets_scope *loop)
{
    while (scope && !(scope->kind == GCAL_SETS_SCOPE_LOOP && scope->loop == loop->loop))
        scope = scope->parent;
    return scope;
}

/* cp.async.wait_group: copies of the loop that come before it are for the same iteration if it leaves
 * none.
 */
static void wait_for_copies(struct gcal_walk *w, int64_t n_left)
{
    const struct gcal_sets_scope *loop = w->scope;

    while (loop && loop->kind != GCAL_SETS_SCOPE_LOOP)
        loop = loop->parent;
    if (!(w->waiting = loop))
        return;
    for (size_t i = 0; i < w->nest->n_accesses; i++)
        if (w->nest->accesses[i].is_copy && is_in_loop(w->nest->accesses[i].scope, loop))
            w->nest->accesses[i].is_ahead = n_left > 0;
}

/* cp.async: from global memory to local memory, past the registers. */
static void copy_words(struct gcal_walk *w, CXCursor c,
                       const struct gcal_source_instruction *i, size_t n,
                       const struct gcal_walk_value *values)
{
    int64_t bytes = assembly_number(&i->bytes, n, values);
    size_t first = w->nest->n_accesses;

    if (bytes != 4 && bytes != 8 && bytes != 16) {
        gcal_walk_fail(w, c, "cp.async copies 4, 8 or 16 bytes: write the number");
        return;
    }
    gcal_walk_count_words(
        w, c, bytes / 4, GCAL_FEATURE_SPACE_GLOBAL, GCAL_FEATURE_LOAD,
        assembly_address(w, c, values, n, &i->from, GCAL_FEATURE_SPACE_GLOBAL));
    if (w->nest->n_accesses > first) {
        if (i->is_uncached)
            w->nest->accesses[first].tag = GCAL_SETS_UNCACHED;
        w->nest->accesses[first].is_copy = true;
        w->nest->accesses[first].is_ahead =
            w->waiting && is_in_loop(w->scope, w->waiting);
    }
    gcal_walk_count_words(
        w, c, bytes / 4, GCAL_FEATURE_SPACE_LOCAL, GCAL_FEATURE_STORE,
        assembly_address(w, c, values, n, &i->to, GCAL_FEATURE_SPACE_LOCAL));
}

void gcal_walk_assembly(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_value values[GCAL_SOURCE_MAX_OPERANDS],
        result = gcal_walk_unknown("it comes from inline assembly"),
        rows = gcal_walk_unknown(NULL);
    struct gcal_source_assembly assembly;
    const struct gcal_walk_chain *chain = NULL;
    bool is_known = true, is_matrix = false;
    size_t n = 0;

    if (gcal_source_read_assembly(w->unit, c, &assembly, w->err) < 0) {
        w->failed = true;
        return;
    }
    for (; n < kids.n && n < GCAL_SOURCE_MAX_OPERANDS; n++) {
        struct gcal_walk_lvalue from;
        bool is_address = false;

        for (size_t i = 0; i < assembly.n; i++)
            is_address |= (int)n == assembly.instructions[i].to.operand ||
                          (int)n == assembly.instructions[i].from.operand;
        values[n] = gcal_walk_unknown(NULL);
        if (!gcal_walk_is_output(kids.c[n])) {
            values[n] = is_address ? gcal_walk_index_expr(w, kids.c[n])
                                   : gcal_walk_expr(w, kids.c[n]);
        } else if (assembly.is_read[n]) {
            from = gcal_walk_lvalue_find(w, kids.c[n]);
            values[n] = gcal_walk_lvalue_load(w, kids.c[n], &from);
        }
        chain = gcal_walk_chain_union(w, chain, values[n].chain);
    }
    for (size_t i = 0; i < assembly.n && !w->failed; i++) {
        const struct gcal_source_instruction *one = &assembly.instructions[i];

        if (one->is_conditional && one->kind > GCAL_SOURCE_FREE)
            gcal_walk_note(w, c, "counted as if the condition in inline assembly held");
        is_known = is_known && one->kind != GCAL_SOURCE_OTHER;
        if (one->kind == GCAL_SOURCE_MATRIX) {
            gcal_walk_count_matrix(w, one->type, one->multiply_adds);
            is_matrix = true;
        } else if (one->kind == GCAL_SOURCE_LOAD_MATRIX) {
            rows = assembly_address(w, c, values, n, &one->to, GCAL_FEATURE_SPACE_LOCAL);
            load_matrix(w, c, rows, one->lanes);
        } else if (one->kind == GCAL_SOURCE_WAIT) {
            wait_for_copies(w, assembly_number(&one->bytes, n, values));
        } else if (one->kind == GCAL_SOURCE_COPY) {
            copy_words(w, c, one, n, values);
        }
    }
    if (!is_known)
        gcal_walk_note(w, c, "inline assembly is not counted");
    for (size_t i = 0; i < n && !w->failed; i++) {
        struct gcal_walk_lvalue to;

        if (!gcal_walk_is_output(kids.c[i]))
            continue;
        to = gcal_walk_lvalue_find(w, kids.c[i]);
        result.chain =
            is_matrix ? gcal_walk_chain_operate(w, to.type, "mma", chain)
            : rows.kind == GCAL_WALK_VALUE_POINTER
                ? gcal_walk_chain_memory(w, GCAL_FEATURE_SPACE_LOCAL, to.type, rows)
                : chain;
        gcal_walk_lvalue_store(w, c, &to, result);
    }
}

/* ---- images ---- */

struct gcal_walk_value gcal_walk_image_find(struct gcal_walk *w, CXCursor c)
{
    CXCursor named = gcal_walk_strip_casts(w, c);
    struct gcal_walk_value value = gcal_walk_unknown(NULL);

    if (gcal_source_kind(named) == CXCursor_DeclRefExpr)
        value = gcal_walk_variable_get(w, clang_getCursorReferenced(named));
    if (value.kind != GCAL_WALK_VALUE_POINTER)
        gcal_walk_fail(w, c, "this image is unknown: name an argument of the kernel");
    return value;
}

/* Integers as one number, as the place of an access has them; NULL where one is unknown.
 * With 'near', what is known of those.
 */
static const struct gcal_poly *join_coordinates(struct gcal_walk *w, CXType type,
                                                struct gcal_walk_value coordinates,
                                                bool near)
{
    static const char *const extents[] = { GCAL_SETS_IMAGE_ROW, GCAL_SETS_IMAGE_PLANE };
    const struct gcal_poly *sum = gcal_poly_integer(w->c, 0),
                           *stride = gcal_poly_integer(w->c, 1);
    int64_t n = gcal_walk_type_width(type) < 3 ? gcal_walk_type_width(type) : 3;

    for (int64_t i = 0; i < n; i++) {
        struct gcal_walk_value one =
            n == 1 ? coordinates
                   : gcal_walk_part_find(coordinates, i * (int64_t)sizeof(int));
        const struct gcal_poly *p = near ? gcal_walk_near_of(w, one) : one.p;

        if (!p || (!near && one.kind != GCAL_WALK_VALUE_INTEGER))
            return NULL;
        sum = gcal_poly_add(w->c, sum, gcal_poly_mul(w->c, p, stride));
        if (i + 1 < n)
            stride = gcal_poly_mul(w->c, stride, gcal_poly_parameter(w->c, extents[i]));
    }
    return sum;
}

/* Of the place that data have a part in; NULL: any. */
static const struct gcal_sets_range *join_ranges(struct gcal_walk *w, CXType type,
                                                 struct gcal_walk_value coordinates)
{
    static const char *const extents[] = { GCAL_SETS_IMAGE_ROW, GCAL_SETS_IMAGE_PLANE };
    struct gcal_walk_value sum = gcal_walk_integer(gcal_poly_integer(w->c, 0)),
                           stride = gcal_walk_integer(gcal_poly_integer(w->c, 1));
    int64_t n = gcal_walk_type_width(type) < 3 ? gcal_walk_type_width(type) : 3;

    for (int64_t i = 0; i < n; i++) {
        struct gcal_walk_value one =
            n == 1 ? coordinates
                   : gcal_walk_part_find(coordinates, i * (int64_t)sizeof(int));

        if (one.kind == GCAL_WALK_VALUE_INTEGER)
            one.p = gcal_poly_mul(w->c, one.p, stride.p);
        else
            one.range =
                gcal_walk_range_binary(w, CXBinaryOperator_Mul, type, &one, &stride);
        if (sum.kind == GCAL_WALK_VALUE_INTEGER && one.kind == GCAL_WALK_VALUE_INTEGER) {
            sum.p = gcal_poly_add(w->c, sum.p, one.p);
        } else {
            sum.range = gcal_walk_range_binary(w, CXBinaryOperator_Add, type, &sum, &one);
            sum.kind = GCAL_WALK_VALUE_UNKNOWN;
        }
        if (i + 1 < n)
            stride.p =
                gcal_poly_mul(w->c, stride.p, gcal_poly_parameter(w->c, extents[i]));
    }
    return sum.range;
}

/* Floating coordinates are not followed.  Where no data is in them, neighbours are taken to
 * read neighbours: the texel of the work-item's own number in each dimension, and rows that
 * follow each other in loops.
 */
static const struct gcal_poly *place_by_ids(struct gcal_walk *w, int64_t n)
{
    static const char *const extents[] = { GCAL_SETS_IMAGE_ROW, GCAL_SETS_IMAGE_PLANE };
    const struct gcal_poly *sum = gcal_poly_integer(w->c, 0),
                           *stride = gcal_poly_integer(w->c, 1), *id;
    const struct gcal_sets_nest *nest = w->nest;

    for (int64_t d = 0; d < n && d < 3; d++) {
        id = gcal_poly_integer(w->c, 0);
        if ((size_t)d < nest->n_dims)
            id = gcal_poly_add(
                w->c, nest->lid[d],
                gcal_poly_scale(w->c, nest->gid[d], nest->local_size[d], 1));
        for (const struct gcal_sets_scope *s = w->scope; s && d == 1; s = s->parent)
            if (s->kind == GCAL_SETS_SCOPE_LOOP)
                id = gcal_poly_add(w->c, id, gcal_poly_from_atom(w->c, s->loop));
        sum = gcal_poly_add(w->c, sum, gcal_poly_mul(w->c, id, stride));
        if (d < 2)
            stride = gcal_poly_mul(w->c, stride, gcal_poly_parameter(w->c, extents[d]));
    }
    return sum;
}

/* Walks the arguments of an access to an image and sets its place in 'image', or near it. */
static void find_image_place(struct gcal_walk *w, size_t n, const CXCursor *arguments,
                             struct gcal_walk_value *image)
{
    bool is_first = true;

    for (size_t i = 0; i < n; i++) {
        CXType type = gcal_source_type(arguments[i]);
        struct gcal_walk_value value;

        if (type.kind == CXType_OCLSampler)
            continue;
        value = gcal_walk_index_expr(w, arguments[i]);
        image->chain = gcal_walk_chain_union(w, image->chain, value.chain);
        gcal_walk_value_wait(image, &value);
        for (size_t k = 0; value.parts && k < value.parts->n; k++)
            gcal_walk_value_wait(image, &value.parts->all[k].value);
        if (!is_first) /* others choose a level of detail */
            continue;
        is_first = false;
        if (!gcal_walk_dtype_is_integer(gcal_source_dtype(type))) {
            if (!image->depth && !image->carried && !image->is_mixed)
                image->near = place_by_ids(w, gcal_walk_type_width(type));
            continue;
        }
        image->p = join_coordinates(w, type, value, false);
        if (!image->p) {
            image->near = join_coordinates(w, type, value, true);
            image->range = join_ranges(w, type, value);
        }
    }
}

static struct gcal_walk_value image_access(struct gcal_walk *w, CXCursor c,
                                           const char *name,
                                           struct gcal_walk_children kids)
{
    bool is_load = name[0] == 'r';
    struct gcal_walk_value image, stored = { 0 }, value;
    CXType type;

    if (kids.n < 3)
        return gcal_walk_unknown(NULL);
    image = gcal_walk_image_find(w, kids.c[1]);
    image.p = NULL;
    image.on_data = true;
    find_image_place(w, kids.n - 2 - !is_load, kids.c + 2, &image);
    if (!is_load)
        stored = gcal_walk_expr(w, kids.c[kids.n - 1]);
    if (!is_load)
        gcal_walk_chain_to_memory(w, GCAL_FEATURE_SPACE_IMAGE, image, stored.chain);
    type = gcal_source_type(is_load ? c : kids.c[kids.n - 1]);
    gcal_walk_count_access(w, c, type, gcal_walk_type_width(type),
                           GCAL_FEATURE_SPACE_IMAGE,
                           is_load ? GCAL_FEATURE_LOAD : GCAL_FEATURE_STORE, image,
                           gcal_annotations_tag(&w->annotations, kids.c[1]));
    value = gcal_walk_loaded(GCAL_FEATURE_SPACE_IMAGE, image);
    value.why = "it comes from an image";
    value.chain = image.chain;
    return value;
}

/* ---- textures of CUDA ---- */

/* The texture that 'c' names, a reference to one or an object, which is an integer argument of the kernel;
 * NULL: it is another.
 */
static const char *texture_name(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids;
    struct gcal_walk_value value;
    const char *name;

    c = gcal_walk_strip_casts(w, c);
    kids = gcal_walk_get_children(w, c);
    if (gcal_source_kind(c) == CXCursor_CallExpr && kids.n == 2) /* a copy */
        c = gcal_walk_strip_casts(w, kids.c[1]);
    if (gcal_walk_type_is_record(gcal_source_type(c)))
        return gcal_source_kind(c) == CXCursor_DeclRefExpr
                   ? gcal_walk_name(w, clang_getCursorReferenced(c))
                   : NULL;
    value = gcal_walk_expr_value(w, c);
    name = value.kind == GCAL_WALK_VALUE_INTEGER ? gcal_poly_text(w->c, value.p) : NULL;
    return name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
                                      "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")]
               ? name
               : NULL;
}

/* How many coordinates a function has: "tex2D", "tex2DLayered" with the layer; 0: not known. */
static size_t texture_dims(const char *name)
{
    size_t n = name[strlen("tex")] >= '1' && name[strlen("tex")] <= '3'
                   ? (size_t)(name[strlen("tex")] - '0')
                   : 0;

    return n && strstr(name, "Layered") ? n + 1 : n;
}

/* Coordinates, integers or numbers of texels with fractions, as one place: as join_coordinates(). */
static void find_texture_place(struct gcal_walk *w, size_t n, const CXCursor *arguments,
                               struct gcal_walk_value *image)
{
    static const char *const extents[] = { GCAL_SETS_IMAGE_ROW, GCAL_SETS_IMAGE_PLANE };
    const struct gcal_poly *sum = gcal_poly_integer(w->c, 0),
                           *stride = gcal_poly_integer(w->c, 1), *p;
    bool is_exact = true;

    for (size_t i = 0; i < n; i++) {
        struct gcal_walk_value value = gcal_walk_index_expr(w, arguments[i]);

        image->chain = gcal_walk_chain_union(w, image->chain, value.chain);
        gcal_walk_value_wait(image, &value);
        p = value.kind == GCAL_WALK_VALUE_INTEGER ? value.p : NULL;
        if (!p && value.quotient)
            p = gcal_walk_quotient_call(w, "floor", value).quotient;
        is_exact = is_exact && p;
        p = p ? p : gcal_walk_near_of(w, value);
        sum = sum && p ? gcal_poly_add(w->c, sum, gcal_poly_mul(w->c, p, stride)) : NULL;
        if (i + 1 < n)
            stride = gcal_poly_mul(w->c, stride,
                                   gcal_poly_parameter(w->c, extents[i < 2 ? i : 1]));
    }
    if (is_exact)
        image->p = sum;
    else if (sum)
        image->near = sum;
    else if (!image->depth && !image->carried && !image->is_mixed)
        image->near = place_by_ids(w, (int64_t)n);
}

static bool texture_access(struct gcal_walk *w, CXCursor c, const char *name,
                           struct gcal_walk_children kids, struct gcal_walk_value *value)
{
    bool is_stored = gcal_source_type(c).kind == CXType_Void; /* tex2D(&v, t, x, y) */
    size_t n = texture_dims(name), first = is_stored ? 3 : 2;
    const char *texture =
        n && kids.n >= first + n ? texture_name(w, kids.c[first - 1]) : NULL;
    struct gcal_walk_value image = { .kind = GCAL_WALK_VALUE_POINTER, .on_data = true };
    struct gcal_walk_lvalue to;
    CXType type = gcal_source_type(is_stored ? kids.c[1] : c);

    if (!texture)
        return false;
    type = is_stored ? clang_getCanonicalType(gcal_walk_pointee(type)) : type;
    image.array = gcal_walk_array_find(w, texture, GCAL_FEATURE_SPACE_IMAGE);
    w->nest->arrays[image.array].texel_bytes = gcal_source_size(type);
    find_texture_place(w, n, kids.c + first, &image);
    gcal_walk_count_access(w, c, type, gcal_walk_type_width(type),
                           GCAL_FEATURE_SPACE_IMAGE, GCAL_FEATURE_LOAD, image,
                           gcal_annotations_tag(&w->annotations, kids.c[first - 1]));
    *value = gcal_walk_loaded(GCAL_FEATURE_SPACE_IMAGE, image);
    value->why = "it comes from a texture";
    value->chain = image.chain;
    if (is_stored) {
        to = gcal_walk_lvalue_of_target(w, kids.c[1], type);
        gcal_walk_lvalue_store(w, c, &to, *value);
    }
    return true;
}

/* ---- sizes of images ---- */

/* A size of an image as one of the kernel: "NAME_width". */
static struct gcal_walk_value image_size(struct gcal_walk *w,
                                         struct gcal_walk_value image, const char *what)
{
    const char *name;

    if (image.kind != GCAL_WALK_VALUE_POINTER)
        return gcal_walk_unknown("it comes from an image");
    name = gcal_poly_format(w->c, "%s_%s", w->nest->arrays[image.array].name, what);
    for (size_t i = 0; i < w->n_variables; i++)
        if (gcal_source_kind(w->variables[i].decl) == CXCursor_ParmDecl &&
            strcmp(gcal_walk_name(w, w->variables[i].decl), name) == 0)
            return gcal_walk_unknown("it comes from an image, and its name is taken");
    return gcal_walk_integer(gcal_poly_parameter(w->c, name));
}

static struct gcal_walk_value image_query(struct gcal_walk *w, CXCursor c,
                                          const char *name,
                                          struct gcal_walk_children kids)
{
    static const char *const sizes[] = { "width", "height", "depth" };
    const char *what = name + strlen("get_image_");
    struct gcal_walk_part parts[3];
    struct gcal_walk_value image;
    int64_t width = gcal_walk_type_width(gcal_source_type(c));

    if (kids.n < 2)
        return gcal_walk_unknown(NULL);
    image = gcal_walk_image_find(w, kids.c[1]);
    for (size_t i = 0; i < 3; i++)
        if (strcmp(what, sizes[i]) == 0)
            return image_size(w, image, what);
    if (strcmp(what, "dim") != 0 || width > 4)
        return gcal_walk_unknown("it comes from an image");
    for (size_t i = 0; i < 3; i++)
        parts[i] = (struct gcal_walk_part){ (int64_t)(i * sizeof(int)),
                                            image_size(w, image, sizes[i]) };
    return gcal_walk_value_of_parts(w, width < 3 ? 2 : 3, parts);
}

/* ---- all of these ---- */

bool gcal_walk_call_access(struct gcal_walk *w, CXCursor c, const char *name,
                           struct gcal_walk_children kids, struct gcal_walk_value *value)
{
    static const struct {
        const char *start;
        struct gcal_walk_value (*walk)(struct gcal_walk *, CXCursor, const char *,
                                       struct gcal_walk_children);
    } functions[] = {
        { "vload", vector_access },          { "vstore", vector_access },
        { "atomic_", atomic_access },        { "atom_", atomic_access },
        { "async_work_group_", group_copy }, { "read_image", image_access },
        { "write_image", image_access },     { "get_image_", image_query },
    };

    if (w->unit->language == GCAL_SOURCE_CUDA && gcal_walk_starts_with(name, "tex") &&
        texture_access(w, c, name, kids, value))
        return true;
    for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
        if (gcal_walk_starts_with(name, functions[i].start)) {
            *value = functions[i].walk(w, c, name, kids);
            return true;
        }
    return false;
}
