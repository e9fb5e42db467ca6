/* touched.c - the blocks of memory that the lanes of a sub-group touch together
 *
 * The number of the block becomes a dimension, as a loop's, with the condition that the
 * lane's elements are in it.  An execution by a sub-group for a block is one where any of
 * its lanes takes part, which is what counts of sub-groups are.  Rows, whose length is a
 * size, become dimensions in the same way.
 */
#include "kernels/lanes/private.h"

struct touched {
    struct gcal_sets_nest *nest;
    struct gcal_poly_context *c;
    const struct gcal_sets_access_event *access;
    int64_t size;
    struct gcal_lanes_subscript split;
    const struct gcal_sets_scope *scope;
    const struct gcal_poly *position, *block; /* of the lane's first element; dimension */
};

/* Returns whether a polynomial is a sum of numbers times sizes or dimensions. */
static bool is_affine(const struct gcal_poly_context *c, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];

        for (size_t j = 0; j < t->n_factors; j++) {
            struct gcal_poly_atom a = gcal_poly_get_atom(c, t->factors[j].atom);

            if (!gcal_poly_atom_has_dimension(c, t->factors[j].atom))
                continue;
            if (t->n_factors > 1 || t->factors[j].power > 1 ||
                a.kind == GCAL_POLY_ATOM_QUOTIENT ||
                (a.kind >= GCAL_POLY_ATOM_FLOOR && !is_affine(c, a.a)) ||
                (a.b && !is_affine(c, a.b)))
                return false;
        }
    }
    return true;
}

static void push(struct touched *t, struct gcal_sets_scope scope)
{
    struct gcal_sets_scope *inner = gcal_poly_alloc(t->c, sizeof(*inner));

    if (!inner)
        return;
    *inner = scope;
    inner->parent = t->scope;
    inner->line = t->access->line;
    inner->column = t->access->column;
    t->scope = inner;
}

static void push_condition(struct touched *t, const struct gcal_sets_condition *x)
{
    push(t,
         (struct gcal_sets_scope){ .kind = GCAL_SETS_SCOPE_CONDITION, .condition = x });
}

/* A new dimension from 0 to trips-1. */
static const struct gcal_poly *push_dimension(struct touched *t, const char *name,
                                              const struct gcal_poly *trips)
{
    const struct gcal_poly *v = gcal_poly_dimension(
        t->c, name, gcal_poly_sub(t->c, trips, gcal_poly_integer(t->c, 1)));

    push(t, (struct gcal_sets_scope){ .kind = GCAL_SETS_SCOPE_LOOP,
                                      .loop = gcal_poly_atom_index(v),
                                      .trips = trips });
    return v;
}

/* p and a multiple of 'size', so that it is nonnegative; NULL: none is known. */
static const struct gcal_poly *raise_above_0(struct touched *t, const struct gcal_poly *p)
{
    int64_t least = 0, last;

    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *term = &p->terms[i];
        struct gcal_poly_atom a;

        if (term->num >= 0 || term->den != 1)
            continue;
        if (!term->n_factors) {
            least += term->num;
            continue;
        }
        a = gcal_poly_get_atom(t->c, term->factors[0].atom);
        if (term->n_factors > 1 || a.kind != GCAL_POLY_ATOM_DIMENSION || !a.a ||
            !gcal_poly_is_constant(a.a, &last))
            return NULL;
        least += term->num * last;
    }
    p = gcal_poly_add(
        t->c, p, gcal_poly_integer(t->c, (-least + t->size - 1) / t->size * t->size));
    return gcal_poly_is_nonnegative(t->c, p) ? p : NULL;
}

static bool add_rows(struct touched *t)
{
    for (size_t b = 0; b < t->split.n_rows; b++) {
        const struct gcal_poly *p = raise_above_0(t, t->split.rows[b].lanes), *row;

        if (!p || !is_affine(t->c, p))
            return false;
        row =
            push_dimension(t, "row", gcal_poly_add(t->c, p, gcal_poly_integer(t->c, 1)));
        push_condition(t, gcal_sets_condition_zero(t->c, gcal_poly_sub(t->c, p, row)));
    }
    return true;
}

/* The condition that the lane's elements include some of first to last of the block. */
static const struct gcal_sets_condition *has(const struct touched *t, int64_t first,
                                             int64_t last)
{
    struct gcal_poly_context *c = t->c;
    const struct gcal_poly *start = gcal_poly_scale(c, t->block, t->size, 1);
    const struct gcal_poly *end =
        gcal_poly_add(c, t->position, gcal_poly_integer(c, t->access->width - 1));

    return gcal_sets_condition_and(
        c,
        gcal_sets_condition_nonnegative(
            c,
            gcal_poly_sub(c, end, gcal_poly_add(c, start, gcal_poly_integer(c, first)))),
        gcal_sets_condition_nonnegative(
            c, gcal_poly_sub(c, gcal_poly_add(c, start, gcal_poly_integer(c, last)),
                             t->position)));
}

static bool add_block(struct touched *t)
{
    struct gcal_poly_context *c = t->c;
    const struct gcal_poly *p = gcal_poly_add(c, t->split.lanes, t->split.base);

    t->position = raise_above_0(t, p);
    if (!t->position || !is_affine(c, t->position))
        return false;
    t->block = push_dimension(
        t, "block",
        gcal_poly_add(c, t->position, gcal_poly_integer(c, t->access->width)));
    return true;
}

static bool split(struct touched *t)
{
    bool estimated = false, by_lane[GCAL_SETS_MAX_DIMS];
    struct gcal_sets_domain domain = { .nest = t->nest,
                                       .mode = GCAL_SETS_COUNT_SUB_GROUPS,
                                       .keeps_groups = true,
                                       .keeps_lanes = true,
                                       .estimated = &estimated };

    if (!gcal_sets_domain_fill(&domain, t->access->scope))
        return false;
    for (size_t i = 0; i < domain.n_dims; i++)
        by_lane[i] = domain.is_lid[i];
    return gcal_lanes_subscript_split(t->c, t->access->offset, t->size, domain.n_dims,
                                      domain.dims, by_lane, &t->split);
}

/* Lanes that are neighbours store neighbouring elements. */
static bool is_contiguous(const struct touched *t)
{
    const struct gcal_poly *p = t->split.lanes;
    int64_t stride = p->n_terms ? p->terms[0].num : 0;

    return p->n_terms == 1 && p->terms[0].n_factors == 1 && p->terms[0].den == 1 &&
           (stride == t->access->width || stride == -t->access->width) &&
           gcal_poly_get_atom(t->c, p->terms[0].factors[0].atom).kind ==
               GCAL_POLY_ATOM_DIMENSION;
}

/* Returns whether lanes between two that take part do, too. */
static bool is_convex(const struct touched *t, const struct gcal_sets_condition *x)
{
    if (x->kind == GCAL_SETS_CONDITION_AND)
        return is_convex(t, x->a) && is_convex(t, x->b);
    if (x->kind != GCAL_SETS_CONDITION_NONNEGATIVE)
        return false;
    for (size_t d = 0; d < t->nest->n_dims; d++)
        if (gcal_poly_contains_nested(t->c, x->p, gcal_poly_atom_index(t->nest->lid[d])))
            return false;
    return true;
}

static bool are_convex(const struct touched *t)
{
    for (const struct gcal_sets_scope *s = t->access->scope; s; s = s->parent)
        if (s->kind == GCAL_SETS_SCOPE_CONDITION && !is_convex(t, s->condition))
            return false;
    return true;
}

/* Blocks whose first and last elements are stored, by different lanes. */
static const struct gcal_poly *count_whole(struct touched *t)
{
    struct gcal_sets_branch_event ends = { .condition = has(t, 0, 0),
                                           .line = t->access->line,
                                           .column = t->access->column };

    if (t->access->width >= t->size || !is_contiguous(t) || !are_convex(t))
        return NULL;
    push_condition(t, gcal_sets_condition_or(t->c, ends.condition,
                                             has(t, t->size - 1, t->size - 1)));
    ends.scope = t->scope;
    return gcal_sets_branch_divergence(t->nest, &ends);
}

static const struct gcal_poly *count_touched(struct touched *t)
{
    bool estimated = false, known = false;
    const struct gcal_poly *count;

    if (t->block)
        push_condition(t, has(t, 0, t->size - 1));
    gcal_sets_scope_count(t->nest, t->access->scope, GCAL_SETS_COUNT_SUB_GROUPS, &known);
    count =
        gcal_sets_scope_count(t->nest, t->scope, GCAL_SETS_COUNT_SUB_GROUPS, &estimated);
    return estimated && !known ? NULL : count;
}

const struct gcal_poly *
gcal_lanes_blocks_touched(struct gcal_sets_nest *nest,
                          const struct gcal_sets_access_event *access, int64_t size,
                          bool whole)
{
    struct touched t = {
        .nest = nest, .c = nest->c, .access = access, .size = size, .scope = access->scope
    };
    bool one; /* block of each row, for all lanes */

    if (!access->offset || nest->sub_group_size < 2 || !gcal_poly_may_attempt(nest->c) ||
        !gcal_sets_nest_context(nest) || !split(&t) || t.split.modulus < size ||
        !add_rows(&t))
        return NULL;
    one = !whole && !t.split.lanes->n_terms && access->width == 1;
    if (!one && !add_block(&t))
        return NULL;
    return whole ? count_whole(&t) : count_touched(&t);
}
