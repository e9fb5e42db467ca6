/* relax.c - counts without the conditions that cannot be counted */
#include "kernels/base/array.h"
#include "kernels/sets/private.h"

static const struct gcal_sets_scope *find(const struct gcal_sets_nest *nest,
                                          const struct gcal_sets_scope *scope,
                                          enum gcal_sets_count_mode mode)
{
    for (size_t i = 0; i < nest->n_relaxed; i++)
        if (nest->relaxed[i].scope == scope && nest->relaxed[i].mode == mode)
            return nest->relaxed[i].without;
    return NULL;
}

static void keep(struct gcal_sets_nest *nest, const struct gcal_sets_scope *scope,
                 enum gcal_sets_count_mode mode, const struct gcal_sets_scope *without)
{
    struct gcal_sets_relaxed *moved = gcal_array_grow(
        nest->relaxed, nest->n_relaxed, &nest->relaxed_capacity, sizeof(*moved), NULL);

    if (!moved) /* it is relaxed again */
        return;
    nest->relaxed = moved;
    moved[nest->n_relaxed++] = (struct gcal_sets_relaxed){ scope, mode, without };
}

static bool is_countable(struct gcal_sets_nest *nest, const struct gcal_sets_scope *scope,
                         enum gcal_sets_count_mode mode)
{
    bool estimated = false;

    return gcal_sets_scope_count_whole(nest, scope, mode, &estimated);
}

/* 'scope' within 'parent'; NULL when memory fails. */
static struct gcal_sets_scope *copy_within(struct gcal_sets_nest *nest,
                                           const struct gcal_sets_scope *scope,
                                           const struct gcal_sets_scope *parent)
{
    struct gcal_sets_scope *same = gcal_poly_alloc(nest->c, sizeof(*same));

    if (same) {
        *same = *scope;
        same->parent = parent;
    }
    return same;
}

/* 'scope' where conditions, outermost first, with which it cannot be counted are unknown. */
static const struct gcal_sets_scope *relax(struct gcal_sets_nest *nest,
                                           const struct gcal_sets_scope *scope,
                                           enum gcal_sets_count_mode mode)
{
    const struct gcal_sets_scope *parent, *without;
    struct gcal_sets_scope *same;

    if (!scope || (without = find(nest, scope, mode)))
        return scope ? without : NULL;
    if (is_countable(nest, scope, mode))
        return scope;
    parent = relax(nest, scope->parent, mode);
    if (!(same = copy_within(nest, scope, parent)))
        return scope;
    if (scope->kind == GCAL_SETS_SCOPE_CONDITION &&
        (parent == scope->parent || !is_countable(nest, same, mode))) {
        /* another copy, as counts are kept for scopes */
        if (!(same = copy_within(nest, scope, parent)))
            return scope;
        same->kind = GCAL_SETS_SCOPE_UNKNOWN;
        same->condition = NULL;
    }
    keep(nest, scope, mode, same);
    return same;
}

const struct gcal_poly *gcal_sets_scope_count(struct gcal_sets_nest *nest,
                                              const struct gcal_sets_scope *scope,
                                              enum gcal_sets_count_mode mode,
                                              bool *estimated)
{
    const struct gcal_poly *found =
        gcal_sets_scope_count_whole(nest, scope, mode, estimated);

    if (found || gcal_poly_context_has_failed(nest->c))
        return found;
    scope = relax(nest, scope, mode);
    found = gcal_sets_scope_count_whole(nest, scope, mode, estimated);
    nest->error = 0; /* is the least that is wrong with it */
    return found;
}
