#include "kernels/sets/sets.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "kernels/sets/context.h"
#include "kernels/poly/private.h"

void gcal_sets_nest_clear(struct gcal_sets_nest *nest)
{
    free(nest->arrays);
    free(nest->ops);
    free(nest->accesses);
    free(nest->barriers);
    free(nest->branches);
    free(nest->notes);
    free(nest->counts);
    gcal_sets_isl_destroy(nest->isl);
    *nest = (struct gcal_sets_nest){ 0 };
}

/* ---- conditions ---- */

static const struct gcal_poly *negation(struct gcal_poly_context *c,
                                        const struct gcal_poly *p)
{
    return gcal_poly_sub(c, gcal_poly_integer(c, -1), p); /* p < 0 is -p-1 >= 0 */
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
static const struct gcal_poly_term *find_extremum(struct gcal_poly_context *c,
                                                  const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];

        if (t->n_factors == 1 && t->factors[0].power == 1 &&
            (c->atoms[t->factors[0].atom].kind == GCAL_POLY_ATOM_MIN ||
             c->atoms[t->factors[0].atom].kind == GCAL_POLY_ATOM_MAX))
            return t;
    }
    return NULL;
}

/* min(a, b) + r >= 0 is a + r >= 0 and b + r >= 0: conditions can be taken apart, which
 * values cannot.
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
    atom = c->atoms[t->factors[0].atom];
    a = nonnegative(c, gcal_poly_substitute(c, p, t->factors[0].atom, atom.a), depth - 1);
    b = nonnegative(c, gcal_poly_substitute(c, p, t->factors[0].atom, atom.b), depth - 1);
    return (atom.kind == GCAL_POLY_ATOM_MIN) == (t->num > 0)
               ? gcal_sets_condition_and(c, a, b)
               : gcal_sets_condition_or(c, a, b);
}

const struct gcal_sets_condition *
gcal_sets_condition_nonnegative(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    enum { MOST_EXTREMA = 12 }; /* inside of each other */

    return nonnegative(c, p, MOST_EXTREMA);
}

/* 1 or 0 for a number, which is how conditions that always or never hold look. */
static int plain_truth(const struct gcal_sets_condition *a)
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
    if (plain_truth(a) >= 0)
        return plain_truth(a) ? b : a;
    if (plain_truth(b) >= 0)
        return plain_truth(b) ? a : b;
    return make(c, (struct gcal_sets_condition){
                       .kind = GCAL_SETS_CONDITION_AND, .a = a, .b = b });
}

const struct gcal_sets_condition *
gcal_sets_condition_or(struct gcal_poly_context *c, const struct gcal_sets_condition *a,
                       const struct gcal_sets_condition *b)
{
    if (plain_truth(a) >= 0)
        return plain_truth(a) ? a : b;
    if (plain_truth(b) >= 0)
        return plain_truth(b) ? b : a;
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

/* 'x' of other conditions. */
static const struct gcal_sets_condition *rebuild(struct gcal_poly_context *c,
                                                 const struct gcal_sets_condition *x,
                                                 const struct gcal_sets_condition *a,
                                                 const struct gcal_sets_condition *b)
{
    switch (x->kind) {
    case GCAL_SETS_CONDITION_NOT:
        return gcal_sets_condition_not(c, a);
    case GCAL_SETS_CONDITION_EARLIER:
        return gcal_sets_condition_earlier(c, a, x->loop);
    case GCAL_SETS_CONDITION_AND:
        return gcal_sets_condition_and(c, a, b);
    default:
        return gcal_sets_condition_or(c, a, b);
    }
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

const struct gcal_sets_condition *gcal_sets_condition_map(
    struct gcal_poly_context *c, const struct gcal_sets_condition *x,
    const struct gcal_poly *(*change)(const struct gcal_poly *p, void *data), void *data)
{
    const struct gcal_sets_condition *a;

    if (x->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        return gcal_sets_condition_nonnegative(c, change(x->p, data));
    a = gcal_sets_condition_map(c, x->a, change, data);
    return rebuild(c, x, a, x->b ? gcal_sets_condition_map(c, x->b, change, data) : NULL);
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
    default: /* the first iteration has none before */
        return a == 0 ? 0 : -1;
    }
}

void gcal_sets_nest_note(struct gcal_sets_nest *nest, int line, int column,
                         const char *text)
{
    struct gcal_sets_note *moved;

    for (size_t i = 0; i < nest->n_notes; i++)
        if (nest->notes[i].line == line && nest->notes[i].column == column &&
            strcmp(nest->notes[i].text, text) == 0)
            return;
    moved = gcal_array_grow(nest->notes, nest->n_notes, &nest->note_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_poly_fail(nest->c, "out of memory");
        return;
    }
    nest->notes = moved;
    moved[nest->n_notes++] =
        (struct gcal_sets_note){ line, column, gcal_poly_format(nest->c, "%s", text) };
}
