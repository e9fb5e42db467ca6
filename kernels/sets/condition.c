/* condition.c - conditions on ids, sizes and loop variables */
#include "kernels/sets/private.h"

static const struct gcal_poly *negation(struct gcal_poly_context *c,
                                        const struct gcal_poly *p)
{
    return gcal_poly_sub(c, gcal_poly_integer(c, -1), p); /* p < 0: -p-1 >= 0 */
}

static const struct gcal_sets_condition *make(struct gcal_poly_context *c,
                                              struct gcal_sets_condition condition)
{
    static const struct gcal_poly zero = { .n_terms = 0 };
    static const struct gcal_sets_condition always = { GCAL_SETS_CONDITION_NONNEGATIVE,
                                                       &zero, NULL, NULL, 0 };
    struct gcal_sets_condition *made = gcal_poly_alloc(c, sizeof(*made));

    if (!made)
        return &always;
    *made = condition;
    return made;
}

/* The term of p that is a number times a minimum or maximum; NULL without. */
static const struct gcal_poly_term *find_extremum(const struct gcal_poly_context *c,
                                                  const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        enum gcal_poly_atom_kind kind;

        if (t->n_factors != 1 || t->factors[0].power != 1)
            continue;
        kind = gcal_poly_get_atom(c, t->factors[0].atom).kind;
        if (kind == GCAL_POLY_ATOM_MIN || kind == GCAL_POLY_ATOM_MAX)
            return t;
    }
    return NULL;
}

/* min(a, b) + r >= 0 becomes a + r >= 0 and b + r >= 0: conditions without extrema are
 * affine more often.
 */
static const struct gcal_sets_condition *nonnegative(struct gcal_poly_context *c,
                                                     const struct gcal_poly *p, int depth)
{
    const struct gcal_poly_term *t = depth ? find_extremum(c, p) : NULL;
    const struct gcal_sets_condition *a, *b;
    struct gcal_poly_atom atom;

    if (!t)
        return make(c, (struct gcal_sets_condition){
                           .kind = GCAL_SETS_CONDITION_NONNEGATIVE, .p = p });
    atom = gcal_poly_get_atom(c, t->factors[0].atom);
    a = nonnegative(c, gcal_poly_substitute(c, p, t->factors[0].atom, atom.a), depth - 1);
    b = nonnegative(c, gcal_poly_substitute(c, p, t->factors[0].atom, atom.b), depth - 1);
    return (atom.kind == GCAL_POLY_ATOM_MIN) == (t->num > 0)
               ? gcal_sets_condition_and(c, a, b)
               : gcal_sets_condition_or(c, a, b);
}

const struct gcal_sets_condition *
gcal_sets_condition_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    enum { MOST_EXTREMA = 12 }; /* nested */

    return nonnegative(c, p, MOST_EXTREMA);
}

/* 1 or 0 for a constant, -1 for other conditions. */
static int constant_truth(const struct gcal_sets_condition *a)
{
    int64_t number;

    if (a->kind != GCAL_SETS_CONDITION_NONNEGATIVE ||
        !gcal_poly_is_constant(a->p, &number))
        return -1;
    return number >= 0;
}

const struct gcal_sets_condition *
gcal_sets_condition_and(struct gcal_poly_context *c, const struct gcal_sets_condition *a,
                        const struct gcal_sets_condition *b)
{
    if (constant_truth(a) >= 0)
        return constant_truth(a) ? b : a;
    if (constant_truth(b) >= 0)
        return constant_truth(b) ? a : b;
    return make(c, (struct gcal_sets_condition){
                       .kind = GCAL_SETS_CONDITION_AND, .a = a, .b = b });
}

const struct gcal_sets_condition *
gcal_sets_condition_or(struct gcal_poly_context *c, const struct gcal_sets_condition *a,
                       const struct gcal_sets_condition *b)
{
    if (constant_truth(a) >= 0)
        return constant_truth(a) ? a : b;
    if (constant_truth(b) >= 0)
        return constant_truth(b) ? b : a;
    return make(c, (struct gcal_sets_condition){
                       .kind = GCAL_SETS_CONDITION_OR, .a = a, .b = b });
}

const struct gcal_sets_condition *gcal_sets_condition_zero(struct gcal_poly_context *c,
                                                           const struct gcal_poly *p)
{
    return gcal_sets_condition_and(
        c, gcal_sets_condition_nonnegative(c, p),
        gcal_sets_condition_nonnegative(c, gcal_poly_scale(c, p, -1, 1)));
}

const struct gcal_sets_condition *
gcal_sets_condition_not(struct gcal_poly_context *c, const struct gcal_sets_condition *a)
{
    if (a->kind == GCAL_SETS_CONDITION_NOT)
        return a->a;
    if (a->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return gcal_sets_condition_nonnegative(c, negation(c, a->p));
    return make(c,
                (struct gcal_sets_condition){ .kind = GCAL_SETS_CONDITION_NOT, .a = a });
}

const struct gcal_sets_condition *
gcal_sets_condition_earlier(struct gcal_poly_context *c,
                            const struct gcal_sets_condition *a, unsigned loop)
{
    return make(c, (struct gcal_sets_condition){
                       .kind = GCAL_SETS_CONDITION_EARLIER, .a = a, .loop = loop });
}

/* A condition like 'x' with other operands; 'b' is NULL for kinds with one. */
static const struct gcal_sets_condition *rebuild(struct gcal_poly_context *c,
                                                 const struct gcal_sets_condition *x,
                                                 const struct gcal_sets_condition *a,
                                                 const struct gcal_sets_condition *b)
{
    if (b)
        return x->kind == GCAL_SETS_CONDITION_AND ? gcal_sets_condition_and(c, a, b)
                                                  : gcal_sets_condition_or(c, a, b);
    return x->kind == GCAL_SETS_CONDITION_NOT
               ? gcal_sets_condition_not(c, a)
               : gcal_sets_condition_earlier(c, a, x->loop);
}

const struct gcal_sets_condition *
gcal_sets_condition_substitute(struct gcal_poly_context *c,
                               const struct gcal_sets_condition *x, unsigned atom,
                               int64_t value)
{
    const struct gcal_sets_condition *a;

    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return gcal_sets_condition_nonnegative(
            c, gcal_poly_substitute(c, x->p, atom, gcal_poly_integer(c, value)));
    if (x->kind == GCAL_SETS_CONDITION_EARLIER && x->loop == atom) {
        a = gcal_sets_condition_nonnegative(c, gcal_poly_integer(c, -1)); /* never */
        for (int64_t i = 0; i < value; i++)
            a = gcal_sets_condition_or(c, a,
                                       gcal_sets_condition_substitute(c, x->a, atom, i));
        return a;
    }
    a = gcal_sets_condition_substitute(c, x->a, atom, value);
    return rebuild(c, x, a,
                   x->b ? gcal_sets_condition_substitute(c, x->b, atom, value) : NULL);
}

const struct gcal_sets_condition *gcal_sets_condition_map_leaves(
    struct gcal_poly_context *c, const struct gcal_sets_condition *x,
    const struct gcal_sets_condition *(*change)(const struct gcal_poly *p, void *data),
    void *data)
{
    const struct gcal_sets_condition *a;

    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return change(x->p, data);
    a = gcal_sets_condition_map_leaves(c, x->a, change, data);
    return rebuild(c, x, a,
                   x->b ? gcal_sets_condition_map_leaves(c, x->b, change, data) : NULL);
}

struct change {
    struct gcal_poly_context *c;
    const struct gcal_poly *(*change)(const struct gcal_poly *p, void *data);
    void *data;
};

static const struct gcal_sets_condition *change_leaf(const struct gcal_poly *p,
                                                     void *data)
{
    const struct change *change = data;

    return gcal_sets_condition_nonnegative(change->c, change->change(p, change->data));
}

const struct gcal_sets_condition *gcal_sets_condition_map(
    struct gcal_poly_context *c, const struct gcal_sets_condition *x,
    const struct gcal_poly *(*change)(const struct gcal_poly *p, void *data), void *data)
{
    struct change all = { c, change, data };

    return gcal_sets_condition_map_leaves(c, x, change_leaf, &all);
}

int gcal_sets_condition_decide(struct gcal_poly_context *c,
                               const struct gcal_sets_condition *condition)
{
    int a = condition->a ? gcal_sets_condition_decide(c, condition->a) : -1;
    int b = condition->b ? gcal_sets_condition_decide(c, condition->b) : -1;

    switch (condition->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        if (gcal_poly_is_nonnegative(c, condition->p))
            return 1;
        return gcal_poly_is_nonnegative(c, negation(c, condition->p)) ? 0 : -1;
    case GCAL_SETS_CONDITION_AND:
        return a == 0 || b == 0 ? 0 : a == 1 && b == 1 ? 1 : -1;
    case GCAL_SETS_CONDITION_OR:
        return a == 1 || b == 1 ? 1 : a == 0 && b == 0 ? 0 : -1;
    case GCAL_SETS_CONDITION_NOT:
        return a < 0 ? a : !a;
    default: /* at the first iteration there is no earlier one */
        return a == 0 ? 0 : -1;
    }
}

bool gcal_sets_condition_contains(struct gcal_poly_context *c,
                                  const struct gcal_sets_condition *x, unsigned atom)
{
    return (x->p && gcal_poly_contains(c, x->p, atom)) ||
           (x->a && gcal_sets_condition_contains(c, x->a, atom)) ||
           (x->b && gcal_sets_condition_contains(c, x->b, atom)) ||
           (x->kind == GCAL_SETS_CONDITION_EARLIER && x->loop == atom);
}

const struct gcal_poly *gcal_sets_condition_find_zero(struct gcal_poly_context *c,
                                                      const struct gcal_sets_condition *x)
{
    const struct gcal_sets_condition *a = x->a, *b = x->b;

    if (x->kind != GCAL_SETS_CONDITION_AND ||
        a->kind != GCAL_SETS_CONDITION_NONNEGATIVE ||
        b->kind != GCAL_SETS_CONDITION_NONNEGATIVE ||
        !gcal_poly_equal(a->p, gcal_poly_scale(c, b->p, -1, 1)))
        return NULL;
    return a->p;
}

/* Returns whether p >= 0 where q >= 0: p - q is, or p less the multiple of q that has p's share of
 * one of q's dimensions: 16*n*g - n is 16*n*(g - 1) + 15*n.
 */
static bool follows(struct gcal_poly_context *c, const struct gcal_poly *q,
                    const struct gcal_poly *p)
{
    const struct gcal_poly *times;

    if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, p, q)))
        return true;
    for (size_t i = 0; i < q->n_terms; i++) {
        const struct gcal_poly_term *t = &q->terms[i];

        if (t->n_factors != 1 || t->factors[0].power > 1 || t->den != 1 ||
            (t->num != 1 && t->num != -1))
            continue;
        times = gcal_poly_scale(c, gcal_poly_coefficient(c, p, t->factors[0].atom, 1),
                                t->num, 1);
        if (times->n_terms && gcal_poly_is_nonnegative(c, times) &&
            gcal_poly_is_nonnegative(c, gcal_poly_sub(c, p, gcal_poly_mul(c, times, q))))
            return true;
    }
    return false;
}

/* Returns whether a condition implies p >= 0: it is q >= 0, from which that follows; or q != 0,
 * where q is never below 0, or never above it.
 */
static bool implies(struct gcal_poly_context *c, const struct gcal_sets_condition *x,
                    const struct gcal_poly *p)
{
    const struct gcal_poly *q;

    if (x->kind == GCAL_SETS_CONDITION_AND)
        return implies(c, x->a, p) || implies(c, x->b, p);
    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return follows(c, x->p, p);
    if (x->kind != GCAL_SETS_CONDITION_NOT ||
        !(q = gcal_sets_condition_find_zero(c, x->a)))
        return false;
    if (!gcal_poly_is_nonnegative(c, q))
        q = gcal_poly_scale(c, q, -1, 1);
    return gcal_poly_is_nonnegative(c, q) &&
           follows(c, gcal_poly_sub(c, q, gcal_poly_integer(c, 1)), p);
}

bool gcal_sets_scope_implies(struct gcal_poly_context *c,
                             const struct gcal_sets_scope *scope,
                             const struct gcal_poly *p)
{
    if (gcal_poly_is_nonnegative(c, p))
        return true;
    for (; scope; scope = scope->parent)
        if (scope->kind == GCAL_SETS_SCOPE_CONDITION && implies(c, scope->condition, p))
            return true;
    return false;
}
