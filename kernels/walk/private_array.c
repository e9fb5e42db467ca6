/* private_array.c - accesses to private arrays, and which arrays are in registers
 *
 * Registers have no subscripts: compilers keep an array there if unrolling makes all its
 * subscripts constants.  They unroll loops whose trips they know, or how many there are at
 * most, from within, as long as the unrolled code is not too large.  Accesses are recorded
 * like those of memory, and those to arrays in registers are removed after the walk, as any
 * later one may keep an array in memory.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

/* Copies of an access with subscripts of their own that are followed. */
enum { MOST_PLACES = 256 };

struct gcal_walk_private {
    CXCursor decl;
    unsigned array;
    const struct gcal_poly *element; /* a dimension for its initialiser; or NULL */
    bool computed;                   /* the initialiser is not of constants alone */
    bool in_memory, is_stored;       /* all of it is known after the walk */
};

static struct gcal_walk_private *find(struct gcal_walk *w, CXCursor decl)
{
    struct gcal_walk_private *moved;

    for (size_t i = 0; i < w->n_privates; i++)
        if (clang_equalCursors(w->privates[i].decl, decl))
            return &w->privates[i];
    moved = gcal_array_grow(w->privates, w->n_privates, &w->private_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return NULL;
    }
    w->privates = moved;
    moved += w->n_privates++;
    *moved = (struct gcal_walk_private){
        decl,
        gcal_walk_array_add(w, gcal_walk_name(w, decl), GCAL_FEATURE_SPACE_PRIVATE),
        NULL,
        false,
        false,
        false
    };
    if (gcal_source_size(gcal_source_type(decl)) > 0)
        w->nest->arrays[moved->array].bytes = gcal_source_size(gcal_source_type(decl));
    return moved;
}

/* ---- places ---- */

/* The place of a variable as that of an array's element. */
static void enter_array(struct gcal_walk *w, struct gcal_walk_lvalue *lvalue)
{
    const struct gcal_walk_private *known = find(w, lvalue->decl);

    if (lvalue->in_array || !known)
        return;
    lvalue->in_array = true;
    lvalue->pointer = (struct gcal_walk_value){ .kind = GCAL_WALK_VALUE_POINTER,
                                                .array = known->array };
    if (!lvalue->somewhere)
        lvalue->pointer.p = gcal_poly_integer(w->c, lvalue->from);
}

void gcal_walk_private_move(struct gcal_walk *w, struct gcal_walk_lvalue *lvalue,
                            struct gcal_walk_value by, CXType array)
{
    if (lvalue->kind == GCAL_WALK_LVALUE_VARIABLE)
        enter_array(w, lvalue);
    if (lvalue->in_array || lvalue->pointer.in_array)
        lvalue->pointer = gcal_walk_move_pointer(w, lvalue->pointer, by, array, 1);
}

void gcal_walk_private_keep(struct gcal_walk *w, const struct gcal_walk_lvalue *lvalue)
{
    for (size_t i = 0; i < w->n_privates && !w->silent; i++)
        if (w->privates[i].array == lvalue->pointer.array)
            w->privates[i].in_memory = true;
}

struct gcal_walk_value gcal_walk_private_pointer(struct gcal_walk *w,
                                                 const struct gcal_walk_lvalue *lvalue)
{
    struct gcal_walk_value value = gcal_walk_unknown("it points to private memory");
    struct gcal_walk_lvalue element = *lvalue;

    if (lvalue->kind == GCAL_WALK_LVALUE_VARIABLE && gcal_source_is_array(lvalue->type) &&
        !gcal_walk_is_array_parameter(lvalue->decl))
        enter_array(w, &element);
    value.is_private = true;
    value.in_array = element.in_array || element.pointer.in_array;
    if (!value.in_array)
        return value;
    value.array = element.pointer.array;
    value.p = element.pointer.p;
    gcal_walk_value_wait(&value, &element.pointer);
    return value;
}

/* ---- accesses ---- */

/* Returns whether accesses of the type can be counted; arrays become pointers. */
static bool is_counted(struct gcal_walk *w, CXType type)
{
    struct gcal_walk_children kids;
    bool counted = true;

    if (!gcal_walk_type_is_record(type))
        return gcal_source_dtype(type) || gcal_walk_type_is_pointer(type);
    if (gcal_source_kind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl)
        return false;
    kids = gcal_walk_get_children(w, clang_getTypeDeclaration(type));
    for (size_t i = 0; i < kids.n && counted; i++)
        counted = is_counted(w, gcal_source_type(kids.c[i]));
    return counted;
}

void gcal_walk_private_access(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_lvalue *lvalue,
                              enum gcal_feature_direction direction)
{
    struct gcal_walk_value pointer = lvalue->pointer;

    if ((!lvalue->in_array && !pointer.in_array) || !is_counted(w, lvalue->type))
        return;
    pointer.kind = GCAL_WALK_VALUE_POINTER;
    gcal_walk_count_access(w, at, lvalue->type, gcal_walk_type_width(lvalue->type),
                           GCAL_FEATURE_SPACE_PRIVATE, direction, pointer, NULL);
}

static CXType element_type(CXType type)
{
    while (gcal_source_is_array(type))
        type = clang_getCanonicalType(clang_getArrayElementType(type));
    return type;
}

void gcal_walk_private_initialise(struct gcal_walk *w, CXCursor decl, bool folds)
{
    CXType type = gcal_source_type(decl), element = element_type(type);
    int64_t size = gcal_source_size(element), n;
    const struct gcal_sets_scope *outside = w->scope;
    struct gcal_walk_private *known;
    struct gcal_walk_lvalue place = { .type = element };
    struct gcal_sets_scope *loop;
    size_t first = w->nest->n_accesses;

    if (w->silent || size <= 0 || gcal_walk_type_is_record(element) ||
        !(known = find(w, decl)))
        return;
    n = gcal_source_size(type) / size;
    if (!known->element)
        known->element =
            gcal_poly_dimension(w->c, "element", gcal_poly_integer(w->c, n - 1));
    known->computed = known->computed || !folds;
    loop = gcal_walk_push_loop(w, decl, gcal_poly_atom_index(known->element),
                               gcal_poly_integer(w->c, n), false);
    place.in_array = true;
    place.pointer.array = known->array;
    place.pointer.p = gcal_poly_scale(w->c, known->element, size, 1);
    gcal_walk_private_access(w, decl, &place, GCAL_FEATURE_STORE);
    w->scope = outside;
    if (loop && w->nest->n_accesses > first)
        w->nest->accesses[first].is_initialiser = true;
}

static struct gcal_walk_private *find_known(const struct gcal_walk *w, unsigned array)
{
    for (size_t i = 0; i < w->n_privates; i++)
        if (w->privates[i].array == array)
            return &w->privates[i];
    return NULL;
}

CXCursor gcal_walk_private_decl(const struct gcal_walk *w, unsigned array)
{
    const struct gcal_walk_private *known = find_known(w, array);

    return known ? known->decl : clang_getNullCursor();
}

/* ---- registers or memory ---- */

/* Returns the most iterations of a loop, by the bounds of the loops around it; -1 where it is not
 * known before the kernel runs.
 */
static int64_t most_trips(struct gcal_walk *w, const struct gcal_sets_scope *loop,
                          const struct gcal_poly *trips)
{
    const struct gcal_sets_scope *outer = loop->parent;
    int64_t number, first, last;

    if (gcal_poly_is_constant(trips, &number))
        return number > 0 ? number : 0;
    while (outer && (outer->kind != GCAL_SETS_SCOPE_LOOP ||
                     !gcal_poly_contains(w->c, trips, outer->loop)))
        outer = outer->parent;
    if (!outer || (number = most_trips(w, outer, outer->trips)) < 0)
        return -1;
    first = most_trips(
        w, outer,
        gcal_poly_substitute(w->c, trips, outer->loop, gcal_poly_integer(w->c, 0)));
    last = most_trips(w, outer,
                      gcal_poly_substitute(w->c, trips, outer->loop,
                                           gcal_poly_integer(w->c, number - 1)));
    return first < 0 || last < 0 ? -1 : first > last ? first : last;
}

/* Returns how often compilers write what is in 'scope' if they unroll all loops up to 'loop': a
 * loop whose end depends on an outer one as often as it runs at most.  0: not below 'loop'.
 * Loops that the source tells them to unroll count once.
 */
static double copies_in(struct gcal_walk *w, const struct gcal_sets_scope *scope,
                        const struct gcal_sets_scope *loop)
{
    double copies = 1;

    for (const struct gcal_sets_scope *s = scope; s; s = s->parent) {
        int64_t most = -1;

        if (s->kind == GCAL_SETS_SCOPE_LOOP && s->may_unroll && !s->is_unrolled)
            most = most_trips(w, s, s->trips);
        copies *= most < 0 ? 1 : (double)most;
        if (s == loop)
            return copies;
    }
    return 0;
}

size_t gcal_walk_op_instructions(const char *op)
{
    return strcmp(op, "madd") == 0 ? 2 : 1;
}

/* Returns whether the access loads what one of those shortly before it in the same statements loaded. */
static bool is_repeated(const struct gcal_sets_nest *nest, size_t access)
{
    enum { MOST_SEARCHED = 16 };
    const struct gcal_sets_access_event *e = &nest->accesses[access];
    size_t first = access > MOST_SEARCHED ? access - MOST_SEARCHED : (size_t)0;

    if (e->direction != GCAL_FEATURE_LOAD || !e->offset || e->is_volatile)
        return false;
    for (size_t i = access; i-- > first;) {
        const struct gcal_sets_access_event *b = &nest->accesses[i];

        if (b->direction == GCAL_FEATURE_LOAD && b->array == e->array &&
            b->scope == e->scope && b->offset && gcal_poly_equal(b->offset, e->offset))
            return true;
    }
    return false;
}

/* Instructions of a loop that is unrolled with all those in it.  Its counters and subscripts of
 * registers are constants then; addresses of memory take some.
 */
static double unrolled_size(struct gcal_walk *w, const struct gcal_sets_scope *loop)
{
    const struct gcal_sets_nest *nest = w->nest;
    double size = 0;

    for (size_t i = 0; i < nest->n_ops; i++) {
        const struct gcal_sets_op_event *e = &nest->ops[i];

        if (!e->index)
            size += copies_in(w, e->scope, loop) * (double)e->instructions *
                    (double)gcal_walk_op_instructions(e->op);
    }
    for (size_t i = 0; i < nest->n_accesses; i++) {
        enum gcal_feature_space space = nest->arrays[nest->accesses[i].array].space;

        if (!is_repeated(nest, i))
            size +=
                copies_in(w, nest->accesses[i].scope, loop) *
                (space == GCAL_FEATURE_SPACE_PRIVATE ? 1 : GCAL_WALK_ACCESS_INSTRUCTIONS);
    }
    return size;
}

/* The loops whose size is known, for many accesses are in one. */
struct sizes {
    size_t n;
    struct {
        const struct gcal_sets_scope *loop;
        bool fits;
    } all[GCAL_SETS_MAX_DEPTH];
};

static bool fits(struct gcal_walk *w, struct sizes *sizes,
                 const struct gcal_sets_scope *loop)
{
    bool fits;

    for (size_t i = 0; i < sizes->n; i++)
        if (sizes->all[i].loop == loop)
            return sizes->all[i].fits;
    fits = unrolled_size(w, loop) <= GCAL_WALK_MOST_INSTRUCTIONS;
    if (sizes->n < GCAL_SETS_MAX_DEPTH) {
        sizes->all[sizes->n].loop = loop;
        sizes->all[sizes->n++].fits = fits;
    }
    return fits;
}

/* Returns whether unrolling makes the access's subscript a number. */
static bool is_fixed(struct gcal_walk *w, struct sizes *sizes,
                     const struct gcal_sets_access_event *e)
{
    const struct gcal_sets_scope *outermost = NULL;
    const struct gcal_poly *offset = e->offset;
    int64_t number;

    for (const struct gcal_sets_scope *s = e->scope; s && offset; s = s->parent) {
        if (s->kind != GCAL_SETS_SCOPE_LOOP || !gcal_poly_contains(w->c, offset, s->loop))
            continue;
        if (!s->may_unroll || s->runtime_step || most_trips(w, s, s->trips) < 0)
            return false;
        offset = gcal_poly_substitute(w->c, offset, s->loop, gcal_poly_integer(w->c, 0));
        if (!s->is_unrolled)
            outermost = s;
    }
    return offset && gcal_poly_is_constant(offset, &number) &&
           (!outermost || fits(w, sizes, outermost));
}

static bool is_same_place(const struct gcal_sets_access_event *a,
                          const struct gcal_sets_access_event *b)
{
    return a->array == b->array && a->direction == b->direction && a->line == b->line &&
           a->column == b->column && !a->is_initialiser == !b->is_initialiser;
}

/* Returns whether the access is in a loop that was walked iteration by iteration, but that compilers
 * do not unroll.
 */
static bool is_in_rolled(const struct gcal_walk *w, size_t access)
{
    for (size_t i = 0; i < w->n_rolled; i++)
        if (access >= w->rolled_accesses[i].first && access < w->rolled_accesses[i].end)
            return true;
    return false;
}

/* Returns whether access 'first' and its copies in loops that were walked iteration by iteration need
 * subscripts.  Marks all of them in 'done'.
 */
static bool has_subscript(struct gcal_walk *w, struct sizes *sizes, size_t first,
                          bool *done)
{
    const struct gcal_sets_nest *nest = w->nest;
    const struct gcal_poly *places[MOST_PLACES];
    size_t n = 0;
    bool has = false, is_rolled = false;

    for (size_t i = first; i < nest->n_accesses; i++) {
        const struct gcal_sets_access_event *e = &nest->accesses[i];
        size_t known = 0;

        if (!is_same_place(e, &nest->accesses[first]))
            continue;
        done[i] = true;
        is_rolled = is_rolled || is_in_rolled(w, i);
        while (known < n && e->offset && !gcal_poly_equal(places[known], e->offset))
            known++;
        if (has || (known < n && e->offset))
            continue;
        has = n == MOST_PLACES || !is_fixed(w, sizes, e);
        if (!has)
            places[n++] = e->offset;
    }
    return has || (is_rolled && n > 1);
}

/* Finds what is known of each array after the walk. */
static void find_uses(struct gcal_walk *w, struct sizes *sizes, bool *done)
{
    const struct gcal_sets_nest *nest = w->nest;

    for (size_t i = 0; i < nest->n_accesses && !w->failed; i++) {
        const struct gcal_sets_access_event *e = &nest->accesses[i];
        struct gcal_walk_private *known = find_known(w, e->array);

        if (!known || e->is_initialiser)
            continue;
        known->is_stored = known->is_stored || e->direction == GCAL_FEATURE_STORE;
        known->in_memory =
            (!done[i] && has_subscript(w, sizes, i, done)) || known->in_memory;
    }
}

/* ---- loads that compilers move out of loops ---- */

static bool is_stored_in(const struct gcal_sets_nest *nest, unsigned array,
                         const struct gcal_sets_scope *loop)
{
    for (size_t i = 0; i < nest->n_accesses; i++)
        if (nest->accesses[i].array == array &&
            nest->accesses[i].direction == GCAL_FEATURE_STORE &&
            gcal_sets_scope_is_around(loop, nest->accesses[i].scope))
            return true;
    return false;
}

/* Returns the outermost loop around a load that changes neither its subscript nor the array, and
 * that is within those of the subscript unless unrolling makes it a constant; NULL: none.
 */
static const struct gcal_sets_scope *find_same(struct gcal_walk *w, struct sizes *sizes,
                                               const struct gcal_sets_access_event *e)
{
    const struct gcal_sets_scope *same = NULL;
    bool fixed = is_fixed(w, sizes, e);

    for (const struct gcal_sets_scope *s = e->scope; s; s = s->parent) {
        if (s->kind != GCAL_SETS_SCOPE_LOOP)
            continue;
        if (!gcal_poly_contains(w->c, e->offset, s->loop)) {
            if (is_stored_in(w->nest, e->array, s))
                break;
            same = s;
        } else if (!fixed) {
            break;
        }
    }
    return same;
}

/* Moves the load out of 'same': what remains are the loops of its subscript, if they are few
 * enough for registers.
 */
static bool move_out(struct gcal_walk *w, struct gcal_sets_access_event *e,
                     const struct gcal_sets_scope *same)
{
    enum { MOST_MOVED = 64 };
    const struct gcal_sets_scope *moved = same->parent;
    int64_t places = 1;

    for (const struct gcal_sets_scope *s = e->scope; s != same; s = s->parent) {
        struct gcal_sets_scope *copy;

        if (s->kind != GCAL_SETS_SCOPE_LOOP ||
            !gcal_poly_contains(w->c, e->offset, s->loop))
            continue;
        places *= most_trips(w, s, s->trips);
        if (gcal_poly_contains(w->c, s->trips, same->loop) || places > MOST_MOVED ||
            !(copy = gcal_poly_alloc(w->c, sizeof(*copy))))
            return false;
        *copy = *s;
        copy->parent = moved;
        moved = copy;
    }
    e->scope = moved;
    return true;
}

/* Moves loads of arrays in memory out of the loops that store nothing there and do not change the
 * subscript: what they load stays in registers.  Marks those that are not the first of their place
 * in 'removed'.
 */
static void move_loads(struct gcal_walk *w, struct sizes *sizes, bool *removed)
{
    struct gcal_sets_access_event *all = w->nest->accesses;
    bool *is_moved = gcal_poly_alloc(w->c, w->nest->n_accesses * sizeof(*is_moved) + 1);

    for (size_t i = 0; is_moved && i < w->nest->n_accesses; i++) {
        const struct gcal_walk_private *known = find_known(w, all[i].array);
        const struct gcal_sets_scope *same;

        is_moved[i] = removed[i] = false;
        if (!known || !known->in_memory || all[i].direction != GCAL_FEATURE_LOAD ||
            all[i].is_initialiser || all[i].is_volatile || !all[i].offset ||
            !(same = find_same(w, sizes, &all[i])) || !move_out(w, &all[i], same))
            continue;
        is_moved[i] = true;
        for (size_t j = 0; j < i && !removed[i]; j++)
            removed[i] = is_moved[j] && all[j].array == all[i].array &&
                         gcal_poly_equal(all[j].offset, all[i].offset);
    }
}

/* ---- what remains ---- */

/* Constants that nothing overwrites are copied by nobody: they are in memory from the start.
 */
static bool is_kept(const struct gcal_walk_private *known,
                    const struct gcal_sets_access_event *e)
{
    return known->in_memory &&
           (!e->is_initialiser || known->is_stored || known->computed);
}

static void add_register_access(struct gcal_walk *w,
                                const struct gcal_sets_access_event *e)
{
    struct gcal_sets_nest *nest = w->nest;
    struct gcal_sets_access_event *moved =
        gcal_array_grow(nest->register_accesses, nest->n_register_accesses,
                        &nest->register_capacity, sizeof(*moved), NULL);

    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    nest->register_accesses = moved;
    moved[nest->n_register_accesses++] = *e;
}

/* Removes the accesses to the array that compilers keep in registers, or fold. */
static void keep(struct gcal_walk *w, const struct gcal_walk_private *known,
                 bool *removed)
{
    struct gcal_sets_nest *nest = w->nest;
    size_t n = 0;

    for (size_t i = 0; i < nest->n_accesses; i++) {
        const struct gcal_sets_access_event *e = &nest->accesses[i];

        if (e->array != known->array || (is_kept(known, e) && !removed[i])) {
            removed[n] = removed[i];
            nest->accesses[n++] = *e;
        } else if (!known->in_memory && !e->is_initialiser) {
            add_register_access(w, e);
        }
    }
    nest->n_accesses = n;
}

void gcal_walk_private_finish(struct gcal_walk *w)
{
    struct sizes sizes = { 0 };
    bool *marked; /* accesses */

    if (!w->n_privates || w->failed)
        return;
    if (!(marked = calloc(w->nest->n_accesses + 1, sizeof(*marked)))) {
        gcal_walk_fail_memory(w);
        return;
    }
    find_uses(w, &sizes, marked);
    move_loads(w, &sizes, marked);
    for (size_t i = 0; i < w->n_privates && !w->failed; i++)
        keep(w, &w->privates[i], marked);
    free(marked);
}
