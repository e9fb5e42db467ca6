/* chain.c - chains of operations: each waits for the one before
 *
 * A path is the operations between an origin and a value, of which the longest by weight
 * counts.  Origins are the kernel's beginning and, within a loop, the variables that it
 * changes, whose paths from one iteration to the next are its recurrences (chain_loop.c).
 */
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/chain.h"
#include "kernels/walk/private.h"

enum { MOST_PATHS = 300000, MOST_SUMMED = 200000, MOST_STEPS = 500000 }; /* of a kernel */

bool gcal_walk_chain_counts(struct gcal_walk *w)
{
    return w->request->sector_bytes && !w->silent && !w->chains.lost && !w->failed;
}

static double weight_of(const char *dtype, const char *op)
{
    static const char *const one[] = { "add", "mul",  "madd",    "and",   "or",
                                       "xor", "not",  "shl",     "shr",   "min",
                                       "max", "fmin", "cmp",     "fmax",  "neg",
                                       "abs", "fabs", "convert", "select" };
    double times = strcmp(dtype, "float64") == 0 ? 2 : 1;

    for (size_t i = 0; i < sizeof(one) / sizeof(*one); i++)
        if (strcmp(op, one[i]) == 0)
            return times;
    if (strcmp(op, "local_load") == 0 || strcmp(op, "private_load") == 0)
        return 6;
    if (gcal_walk_starts_with(op, "native_") || strstr(op, "_constant"))
        return 4 * times;
    return 8 * times;
}

double gcal_walk_serial_weight(const struct gcal_walk_serial *path)
{
    return path ? path->weight : 0;
}

struct gcal_walk_serial *gcal_walk_serial_new(struct gcal_walk *w,
                                              const struct gcal_walk_serial *before)
{
    struct gcal_walk_serial *path = NULL;

    if (w->chains.n_paths++ < MOST_PATHS)
        path = gcal_poly_alloc(w->c, sizeof(*path));
    if (!path) {
        w->chains.lost = true;
        return NULL;
    }
    *path = (struct gcal_walk_serial){ .before = before,
                                       .weight = gcal_walk_serial_weight(before) };
    return path;
}

const struct gcal_walk_serial *
gcal_walk_serial_join(struct gcal_walk *w, const struct gcal_walk_serial *before,
                      const struct gcal_walk_serial *part, const struct gcal_poly *times,
                      double nominal)
{
    struct gcal_walk_serial *path;

    if (!part || !part->weight)
        return before;
    if (!before && !times)
        return part;
    if (!(path = gcal_walk_serial_new(w, before)))
        return NULL;
    path->part = part;
    path->times = times;
    path->weight += nominal * part->weight;
    return path;
}

/* ---- sets of paths ---- */

const struct gcal_walk_link *gcal_walk_chain_find(const struct gcal_walk_chain *chain,
                                                  unsigned origin)
{
    for (size_t i = 0; chain && i < chain->n; i++)
        if (chain->all[i].origin == origin)
            return &chain->all[i];
    return NULL;
}

struct gcal_walk_chain *gcal_walk_chain_new(struct gcal_walk *w)
{
    struct gcal_walk_chain *chain = NULL;

    if (w->chains.n_paths++ < MOST_PATHS)
        chain = gcal_poly_alloc(w->c, sizeof(*chain));
    if (!chain) {
        w->chains.lost = true;
        return NULL;
    }
    chain->n = 0;
    return chain;
}

void gcal_walk_chain_put(struct gcal_walk_chain *chain, struct gcal_walk_link link)
{
    double weight = gcal_walk_serial_weight(link.path);
    size_t i = 0, lightest = 0;

    while (i < chain->n && chain->all[i].origin != link.origin)
        i++;
    if (i < chain->n) {
        if (weight > gcal_walk_serial_weight(chain->all[i].path))
            chain->all[i] = link;
        return;
    }
    if (chain->n < GCAL_WALK_MOST_ORIGINS) {
        chain->all[chain->n++] = link;
        return;
    }
    for (i = 1; i < chain->n; i++)
        if (gcal_walk_serial_weight(chain->all[i].path) <
            gcal_walk_serial_weight(chain->all[lightest].path))
            lightest = i;
    if (weight > gcal_walk_serial_weight(chain->all[lightest].path))
        chain->all[lightest] = link;
}

const struct gcal_walk_chain *gcal_walk_chain_union(struct gcal_walk *w,
                                                    const struct gcal_walk_chain *a,
                                                    const struct gcal_walk_chain *b)
{
    struct gcal_walk_chain *both;

    if (!a || !b || a == b)
        return a ? a : b;
    if (!(both = gcal_walk_chain_new(w)))
        return NULL;
    *both = *a;
    for (size_t i = 0; i < b->n; i++)
        gcal_walk_chain_put(both, b->all[i]);
    return both;
}

const struct gcal_walk_chain *gcal_walk_chain_operate(struct gcal_walk *w, CXType type,
                                                      const char *op,
                                                      const struct gcal_walk_chain *of)
{
    static const struct gcal_walk_chain none = { .n = 1 };
    const char *dtype = gcal_source_dtype(type);
    struct gcal_walk_chain *chain;
    struct gcal_walk_serial *path;

    if (!gcal_walk_chain_counts(w) || !dtype || !op)
        return of;
    of = of ? of : &none;
    if (!(chain = gcal_walk_chain_new(w)))
        return NULL;
    *chain = *of;
    for (size_t i = 0; i < of->n; i++) {
        if (!(path = gcal_walk_serial_new(w, of->all[i].path)))
            return NULL;
        path->dtype = dtype;
        path->op = op;
        path->weight += weight_of(dtype, op);
        chain->all[i].path = path;
    }
    return chain;
}

void gcal_walk_chain_result(struct gcal_walk *w, struct gcal_walk_value *value,
                            CXType type, const char *op, const struct gcal_walk_chain *a,
                            const struct gcal_walk_chain *b)
{
    if (value->kind != GCAL_WALK_VALUE_UNKNOWN)
        value->chain = NULL;
    else
        value->chain =
            gcal_walk_chain_operate(w, type, op, gcal_walk_chain_union(w, a, b));
}

/* ---- the kernel's longest ---- */

struct sums {
    struct gcal_walk *w;
    struct gcal_sets_nest *nest;
    size_t n; /* paths that were added */
};

static void add_op(struct sums *s, const struct gcal_walk_serial *path,
                   const struct gcal_poly *times)
{
    struct gcal_sets_nest *nest = s->nest;

    for (size_t i = 0; i < nest->n_links; i++)
        if (strcmp(nest->links[i].dtype, path->dtype) == 0 &&
            strcmp(nest->links[i].op, path->op) == 0) {
            nest->links[i].times = gcal_poly_add(s->w->c, nest->links[i].times, times);
            return;
        }
    if (nest->n_links < GCAL_SETS_MOST_LINKS)
        nest->links[nest->n_links++] =
            (struct gcal_sets_link){ path->dtype, path->op, times };
}

static void add_path(struct sums *s, const struct gcal_walk_serial *path,
                     const struct gcal_poly *times)
{
    for (; path && s->n < MOST_SUMMED; path = path->before) {
        s->n++;
        if (path->op)
            add_op(s, path, times);
        if (path->part)
            add_path(s, path->part,
                     path->times ? gcal_poly_mul(s->w->c, times, path->times) : times);
    }
}

void gcal_walk_chain_finish(struct gcal_walk *w)
{
    const struct gcal_walk_chain *sink = w->chains.sink.chain;
    const struct gcal_walk_link *longest = gcal_walk_chain_find(sink, 0);
    struct sums sums = { w, w->nest, 0 };
    bool lost = w->chains.lost;

    if (longest && !lost && !w->failed && gcal_poly_begin_attempt(w->c, MOST_STEPS)) {
        add_path(&sums, longest->path, gcal_poly_integer(w->c, 1));
        lost = gcal_poly_end_attempt(w->c) || sums.n == MOST_SUMMED;
    }
    w->nest->links_lost = lost;
    if (lost)
        w->nest->n_links = 0;
}

/* ---- the chains of variables, elements and arrays in local memory ---- */

static bool is_entry(const struct gcal_walk_chained *e, CXCursor decl, unsigned array)
{
    if (clang_Cursor_isNull(decl))
        return clang_Cursor_isNull(e->decl) && e->array == array;
    return clang_equalCursors(e->decl, decl);
}

static struct gcal_walk_chained *find_entry(struct gcal_walk *w,
                                            const struct gcal_walk_chained *wanted)
{
    struct gcal_walk_chained *moved;

    for (size_t i = 0; i < w->chains.n; i++)
        if (is_entry(&w->chains.all[i], wanted->decl, wanted->array) &&
            w->chains.all[i].from == wanted->from &&
            w->chains.all[i].size == wanted->size)
            return &w->chains.all[i];
    moved = gcal_array_grow(w->chains.all, w->chains.n, &w->chains.capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return NULL;
    }
    w->chains.all = moved;
    moved += w->chains.n++;
    *moved = *wanted;
    return moved;
}

/* All that overlaps with some bytes. */
static const struct gcal_walk_chain *collect(struct gcal_walk *w,
                                             const struct gcal_walk_chained *wanted)
{
    const struct gcal_walk_chain *chain = NULL;

    for (size_t i = 0; i < w->chains.n; i++) {
        const struct gcal_walk_chained *e = &w->chains.all[i];

        if (is_entry(e, wanted->decl, wanted->array) &&
            e->from < wanted->from + wanted->size && wanted->from < e->from + e->size)
            chain = gcal_walk_chain_union(w, chain, e->chain);
    }
    return chain;
}

/* ---- variables ---- */

static struct gcal_walk_chained entry_of(const struct gcal_walk_lvalue *lvalue)
{
    struct gcal_walk_chained e = { .decl = lvalue->decl,
                                   .from = lvalue->from,
                                   .size = lvalue->size };

    return e;
}

/* Of a value that was loaded from an array: where. */
static const struct gcal_walk_chain *located(struct gcal_walk *w,
                                             const struct gcal_walk_chain *chain,
                                             const struct gcal_poly *at)
{
    struct gcal_walk_chain *copy;

    if (!chain || !at || !(copy = gcal_walk_chain_new(w)))
        return chain;
    *copy = *chain;
    for (size_t i = 0; i < copy->n; i++)
        if (!copy->all[i].path)
            copy->all[i].at = at;
    return copy;
}

/* Marks what comes from the same element, which an earlier iteration of the loop does not
 * access.
 */
static const struct gcal_walk_chain *mark_own(struct gcal_walk *w,
                                              const struct gcal_walk_chain *chain,
                                              const struct gcal_poly *at)
{
    struct gcal_walk_chain *copy;

    if (!chain || !at || !(copy = gcal_walk_chain_new(w)))
        return chain;
    *copy = *chain;
    for (size_t i = 0; i < copy->n; i++) {
        struct gcal_walk_link *link = &copy->all[i];

        link->once =
            link->origin && link->at && gcal_poly_equal(link->at, at) &&
            gcal_poly_contains(w->c, at, gcal_walk_chain_dimension(w, link->origin));
    }
    return copy;
}

const struct gcal_walk_chain *gcal_walk_chain_load(struct gcal_walk *w,
                                                   const struct gcal_walk_lvalue *lvalue)
{
    struct gcal_walk_chained wanted = entry_of(lvalue);
    const struct gcal_walk_chain *chain;

    if (!gcal_walk_chain_counts(w))
        return NULL;
    chain = collect(w, &wanted);
    if (!lvalue->in_array || !lvalue->somewhere)
        return chain;
    chain = gcal_walk_chain_union(w, located(w, chain, lvalue->pointer.p),
                                  lvalue->pointer.chain);
    return lvalue->pointer.p
               ? chain
               : gcal_walk_chain_operate(w, lvalue->type, "private_load", chain);
}

void gcal_walk_chain_store(struct gcal_walk *w, const struct gcal_walk_lvalue *lvalue,
                           const struct gcal_walk_chain *chain)
{
    struct gcal_walk_chained wanted = entry_of(lvalue), *e;

    if (!gcal_walk_chain_counts(w) || !(e = find_entry(w, &wanted)))
        return;
    if (lvalue->somewhere)
        e->chain =
            gcal_walk_chain_union(w, e->chain, mark_own(w, chain, lvalue->pointer.p));
    else
        e->chain = lvalue->n_lanes ? gcal_walk_chain_union(w, e->chain, chain) : chain;
}

void gcal_walk_chain_declare(struct gcal_walk *w, CXCursor decl,
                             const struct gcal_walk_chain *chain)
{
    struct gcal_walk_chained wanted = { .decl = decl,
                                        .size =
                                            gcal_source_size(gcal_source_type(decl)) };
    struct gcal_walk_chained *e;

    if (!gcal_walk_chain_counts(w))
        return;
    if (gcal_walk_is_array_parameter(decl))
        wanted.size = 1;
    for (size_t i = 0; i < w->chains.n; i++)
        if (is_entry(&w->chains.all[i], decl, 0))
            w->chains.all[i].chain = NULL;
    if ((e = find_entry(w, &wanted)))
        e->chain = chain;
}

/* ---- memory ---- */

static struct gcal_walk_chained array_of(const struct gcal_walk *w,
                                         struct gcal_walk_value pointer)
{
    struct gcal_walk_chained e = { .decl = clang_getNullCursor(),
                                   .array = pointer.array,
                                   .size = INT64_MAX };

    if (pointer.in_array)
        e.decl = gcal_walk_private_decl(w, pointer.array);
    return e;
}

static bool is_onchip(enum gcal_feature_space space, struct gcal_walk_value pointer)
{
    return (space == GCAL_FEATURE_SPACE_LOCAL &&
            pointer.kind == GCAL_WALK_VALUE_POINTER) ||
           pointer.in_array;
}

const struct gcal_walk_chain *gcal_walk_chain_memory(struct gcal_walk *w,
                                                     enum gcal_feature_space space,
                                                     CXType type,
                                                     struct gcal_walk_value pointer)
{
    struct gcal_walk_chained wanted = array_of(w, pointer);
    const struct gcal_walk_chain *chain = pointer.chain;

    if (!gcal_walk_chain_counts(w))
        return NULL;
    if (is_onchip(space, pointer))
        chain =
            gcal_walk_chain_union(w, chain, located(w, collect(w, &wanted), pointer.p));
    return space == GCAL_FEATURE_SPACE_LOCAL
               ? gcal_walk_chain_operate(w, type, "local_load", chain)
               : chain;
}

void gcal_walk_chain_to_memory(struct gcal_walk *w, enum gcal_feature_space space,
                               struct gcal_walk_value pointer,
                               const struct gcal_walk_chain *chain)
{
    struct gcal_walk_chained wanted = array_of(w, pointer), *e;

    if (!gcal_walk_chain_counts(w))
        return;
    chain = gcal_walk_chain_union(w, chain, pointer.chain);
    w->chains.sink.chain = gcal_walk_chain_union(w, w->chains.sink.chain, chain);
    if (is_onchip(space, pointer) && (e = find_entry(w, &wanted)))
        e->chain = gcal_walk_chain_union(w, e->chain, mark_own(w, chain, pointer.p));
}

/* ---- branches ---- */

struct gcal_walk_chains_saved *gcal_walk_chains_save(struct gcal_walk *w)
{
    struct gcal_walk_chains_saved *saved;

    if (!w->request->sector_bytes || w->chains.lost)
        return NULL;
    saved = gcal_poly_alloc(w->c, sizeof(*saved) + w->chains.n * sizeof(*w->chains.all));
    if (!saved)
        return NULL;
    saved->n = w->chains.n;
    saved->sink = w->chains.sink;
    if (saved->n)
        memcpy(saved->all, w->chains.all, saved->n * sizeof(*saved->all));
    return saved;
}

void gcal_walk_chains_restore(struct gcal_walk *w,
                              const struct gcal_walk_chains_saved *saved)
{
    if (!saved)
        return;
    for (size_t i = 0; i < w->chains.n; i++)
        w->chains.all[i].chain = i < saved->n ? saved->all[i].chain : NULL;
    w->chains.sink = saved->sink;
}

void gcal_walk_chains_merge(struct gcal_walk *w, const struct gcal_walk_chains_saved *yes,
                            const struct gcal_walk_chain *condition)
{
    for (size_t i = 0; yes && i < yes->n && i < w->chains.n; i++) {
        struct gcal_walk_chained *e = &w->chains.all[i];

        if (e->chain == yes->all[i].chain)
            continue;
        e->chain = gcal_walk_chain_union(w, e->chain, yes->all[i].chain);
        if (condition && !clang_Cursor_isNull(e->decl))
            e->chain = gcal_walk_chain_operate(
                w, gcal_walk_element_type(gcal_source_type(e->decl)), "select",
                gcal_walk_chain_union(w, e->chain, condition));
    }
    if (yes)
        w->chains.sink.chain =
            gcal_walk_chain_union(w, w->chains.sink.chain, yes->sink.chain);
}
