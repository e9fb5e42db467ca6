/* chain_state.c - the chains of variables, elements and arrays in local memory */
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

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
