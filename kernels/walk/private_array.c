/* private_array.c - accesses to private arrays, and which arrays are in registers
 *
 * Registers have no subscripts: compilers keep an array there if unrolling makes all its
 * subscripts constants.  They unroll loops with constant bounds, up to a size.  Accesses are
 * recorded like those of memory, and those to arrays in registers are removed after the
 * walk, as any later one may keep an array in memory.
 */
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

/* The places of an array that one access in the source has, if all loops are unrolled: of
 * more, compilers do not unroll them (found with arrays of 19 to 512 words on an H100).
 */
enum { MOST_PLACES = 256 };

struct gcal_walk_private {
    CXCursor decl;
    unsigned array;
    const struct gcal_poly *element; /* a dimension for its initialiser; or NULL */
    bool computed;                   /* the initialiser is not of constants alone */
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
        decl, gcal_walk_array_add(w, gcal_walk_name(w, decl), GCAL_FEATURE_SPACE_PRIVATE),
        NULL, false
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

CXCursor gcal_walk_private_decl(const struct gcal_walk *w, unsigned array)
{
    for (size_t i = 0; i < w->n_privates; i++)
        if (w->privates[i].array == array)
            return w->privates[i].decl;
    return clang_getNullCursor();
}

/* ---- registers or memory ---- */

/* The loops around an access that its subscript depends on, outermost last. */
struct loops {
    size_t n;
    const struct gcal_sets_scope *all[GCAL_SETS_MAX_DEPTH];
};

static bool depends(struct gcal_walk *w, const struct loops *loops,
                    const struct gcal_poly *offset, unsigned loop)
{
    bool found = gcal_poly_contains(w->c, offset, loop);

    for (size_t i = 0; i < loops->n && !found; i++)
        found = gcal_poly_contains(w->c, loops->all[i]->trips, loop);
    return found;
}

/* False where compilers do not unroll one of them. */
static bool find_loops(struct gcal_walk *w, const struct gcal_sets_access_event *e,
                       struct loops *loops)
{
    for (const struct gcal_sets_scope *s = e->scope; s; s = s->parent) {
        if (s->kind != GCAL_SETS_SCOPE_LOOP || !depends(w, loops, e->offset, s->loop))
            continue;
        if (!s->may_unroll || s->runtime_step || loops->n == GCAL_SETS_MAX_DEPTH)
            return false;
        loops->all[loops->n++] = s;
    }
    return true;
}

/* Iterations of the first 'n' loops with values of the others in 'values', where the first
 * one alone of loops that the source unrolls; more than MOST_PLACES where they are not a
 * number.
 */
static int64_t iterations(struct gcal_walk *w, const struct loops *loops, size_t n,
                          const struct gcal_poly **values)
{
    const struct gcal_poly *trips;
    int64_t most, sum = 0;

    if (!n)
        return 1;
    trips = loops->all[n - 1]->trips;
    for (size_t i = n; i < loops->n; i++)
        trips = gcal_poly_substitute(w->c, trips, loops->all[i]->loop, values[i]);
    if (!gcal_poly_is_constant(trips, &most))
        return MOST_PLACES + 1;
    if (loops->all[n - 1]->is_unrolled)
        most = most > 0;
    for (int64_t v = 0; v < most && sum <= MOST_PLACES; v++) {
        values[n - 1] = gcal_poly_integer(w->c, v);
        sum += iterations(w, loops, n - 1, values);
    }
    return sum;
}

/* Returns whether the subscript is a number once all loops are unrolled. */
static bool is_fixed(struct gcal_walk *w, const struct loops *loops,
                     const struct gcal_poly *offset)
{
    int64_t number;

    for (size_t i = 0; i < loops->n; i++)
        offset = gcal_poly_substitute(w->c, offset, loops->all[i]->loop,
                                      gcal_poly_integer(w->c, 0));
    return gcal_poly_is_constant(offset, &number);
}

/* Places of the array that an access has; more than MOST_PLACES where unrolling does not
 * make them constants.
 */
static int64_t places_of(struct gcal_walk *w, const struct gcal_sets_access_event *e)
{
    const struct gcal_poly *values[GCAL_SETS_MAX_DEPTH];
    struct loops loops = { 0 };

    if (!e->offset || !find_loops(w, e, &loops) || !is_fixed(w, &loops, e->offset))
        return MOST_PLACES + 1;
    return iterations(w, &loops, loops.n, values);
}

static bool is_same_place(const struct gcal_sets_access_event *a,
                          const struct gcal_sets_access_event *b)
{
    return a->array == b->array && a->direction == b->direction && a->line == b->line &&
           a->column == b->column && !a->is_initialiser == !b->is_initialiser;
}

/* Places of the array that some accesses have, with those of equal subscripts once. */
struct places {
    int64_t n;
    size_t n_seen;
    const struct gcal_poly *seen[MOST_PLACES];
};

static void add_places(struct gcal_walk *w, struct places *places,
                       const struct gcal_sets_access_event *e)
{
    for (size_t i = 0; i < places->n_seen && e->offset; i++)
        if (gcal_poly_equal(places->seen[i], e->offset))
            return;
    places->n += places_of(w, e);
    if (e->offset && places->n_seen < MOST_PLACES)
        places->seen[places->n_seen++] = e->offset;
}

/* Returns whether access 'first' and its copies in unrolled loops need subscripts.  Marks all of
 * them in 'done'.
 */
static bool has_subscript(struct gcal_walk *w, size_t first, bool *done)
{
    const struct gcal_sets_nest *nest = w->nest;
    struct places places = { 0 };

    for (size_t i = first; i < nest->n_accesses; i++) {
        if (!is_same_place(&nest->accesses[i], &nest->accesses[first]))
            continue;
        done[i] = true;
        if (places.n <= MOST_PLACES)
            add_places(w, &places, &nest->accesses[i]);
    }
    return places.n > MOST_PLACES;
}

/* What is known of an array after the walk. */
struct use {
    bool in_memory, is_stored;
};

static struct use use_of(struct gcal_walk *w, unsigned array, bool *done)
{
    const struct gcal_sets_nest *nest = w->nest;
    struct use use = { false, false };

    for (size_t i = 0; i < nest->n_accesses && !w->failed; i++) {
        const struct gcal_sets_access_event *e = &nest->accesses[i];

        if (e->array != array || e->is_initialiser)
            continue;
        use.is_stored = use.is_stored || e->direction == GCAL_FEATURE_STORE;
        use.in_memory = (!done[i] && has_subscript(w, i, done)) || use.in_memory;
    }
    return use;
}

/* Constants that nothing overwrites are copied by nobody: they are in memory from the start.
 */
static bool is_kept(const struct gcal_walk_private *known, const struct use *use,
                    const struct gcal_sets_access_event *e)
{
    return use->in_memory && (!e->is_initialiser || use->is_stored || known->computed);
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
static void keep(struct gcal_walk *w, const struct gcal_walk_private *known, bool *done)
{
    struct gcal_sets_nest *nest = w->nest;
    struct use use = use_of(w, known->array, done);
    size_t n = 0;

    for (size_t i = 0; i < nest->n_accesses; i++)
        if (nest->accesses[i].array != known->array ||
            is_kept(known, &use, &nest->accesses[i])) {
            done[n] = done[i];
            nest->accesses[n++] = nest->accesses[i];
        } else if (!use.in_memory && !nest->accesses[i].is_initialiser) {
            add_register_access(w, &nest->accesses[i]);
        }
    nest->n_accesses = n;
}

void gcal_walk_private_finish(struct gcal_walk *w)
{
    bool *done;

    if (!w->n_privates || w->failed)
        return;
    if (!(done = calloc(w->nest->n_accesses + 1, sizeof(*done)))) {
        gcal_walk_fail_memory(w);
        return;
    }
    for (size_t i = 0; i < w->n_privates && !w->failed; i++)
        keep(w, &w->privates[i], done);
    free(done);
}
