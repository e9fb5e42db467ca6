/* choice.c - integers that are one of two values, by a condition
 *
 * "stop = last ? n : start + region": no polynomial is both, but each side is one.
 */
#include "kernels/walk/private.h"

enum { MOST_VALUES = 8 };

bool gcal_walk_condition_equal(const struct gcal_sets_condition *a,
                               const struct gcal_sets_condition *b)
{
    if (a == b || !a || !b)
        return a == b;
    return a->kind == b->kind && a->loop == b->loop && !a->p == !b->p &&
           (!a->p || gcal_poly_equal(a->p, b->p)) &&
           gcal_walk_condition_equal(a->a, b->a) && gcal_walk_condition_equal(a->b, b->b);
}

int gcal_walk_scope_decides(struct gcal_walk *w,
                            const struct gcal_sets_condition *condition)
{
    const struct gcal_sets_condition *negation = gcal_sets_condition_not(w->c, condition);

    for (const struct gcal_sets_scope *d = w->scope; d; d = d->parent) {
        if (d->kind != GCAL_SETS_SCOPE_CONDITION)
            continue;
        if (gcal_walk_condition_equal(d->condition, condition))
            return 1;
        if (gcal_walk_condition_equal(d->condition, negation))
            return 0;
    }
    return -1;
}

static size_t count_values(struct gcal_walk_value value)
{
    if (!value.choice)
        return value.kind == GCAL_WALK_VALUE_INTEGER ? 1 : MOST_VALUES;
    return count_values(value.choice->yes) + count_values(value.choice->no);
}

struct gcal_walk_value gcal_walk_value_choose(struct gcal_walk *w,
                                              const struct gcal_sets_condition *when,
                                              struct gcal_walk_value yes,
                                              struct gcal_walk_value no)
{
    struct gcal_walk_value value = gcal_walk_not_affine("it follows a condition");
    struct gcal_walk_choice *choice;

    yes = gcal_walk_value_where(w, yes, when, true);
    no = gcal_walk_value_where(w, no, when, false);
    if (count_values(yes) + count_values(no) > MOST_VALUES ||
        !(choice = gcal_poly_alloc(w->c, sizeof(*choice))))
        return value;
    *choice = (struct gcal_walk_choice){ when, yes, no };
    value.choice = choice;
    return value;
}

struct gcal_walk_value gcal_walk_value_where(struct gcal_walk *w,
                                             struct gcal_walk_value value,
                                             const struct gcal_sets_condition *when,
                                             bool holds)
{
    const struct gcal_walk_choice *choice = value.choice;
    struct gcal_walk_value yes, no;

    if (!choice)
        return value;
    if (gcal_walk_condition_equal(choice->when, when))
        return gcal_walk_value_where(w, holds ? choice->yes : choice->no, when, holds);
    if (gcal_walk_condition_equal(choice->when, gcal_sets_condition_not(w->c, when)))
        return gcal_walk_value_where(w, holds ? choice->no : choice->yes, when, holds);
    yes = gcal_walk_value_where(w, choice->yes, when, holds);
    no = gcal_walk_value_where(w, choice->no, when, holds);
    if (yes.choice == choice->yes.choice && no.choice == choice->no.choice)
        return value;
    return gcal_walk_value_choose(w, choice->when, yes, no);
}

const struct gcal_sets_condition *gcal_walk_value_splits(size_t n,
                                                         const struct gcal_walk_value *v)
{
    for (size_t i = 0; i < n; i++)
        if (v[i].choice)
            return v[i].choice->when;
    return NULL;
}

/* ---- in loops ---- */

/* Whether no lanes of a work-group differ in it. */
static bool is_uniform(struct gcal_walk *w, const struct gcal_sets_condition *x)
{
    for (size_t d = 0; d < w->nest->n_dims; d++)
        if (gcal_sets_condition_contains(w->c, x, gcal_poly_atom_index(w->nest->lid[d])))
            return false;
    return true;
}

static const struct gcal_sets_condition *uniform_choice(struct gcal_walk *w,
                                                        struct gcal_walk_value value)
{
    const struct gcal_sets_condition *inner;

    if (!value.choice)
        return NULL;
    if (is_uniform(w, value.choice->when))
        return value.choice->when;
    inner = uniform_choice(w, value.choice->yes);
    return inner ? inner : uniform_choice(w, value.choice->no);
}

static const struct gcal_sets_condition *condition_of(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_predicate predicate =
        gcal_walk_predicate_from_value(w, gcal_walk_expr_value(w, c));

    return predicate.known && gcal_walk_predicate_decide(w, &predicate) < 0 &&
                   is_uniform(w, predicate.when)
               ? predicate.when
               : NULL;
}

const struct gcal_sets_condition *gcal_walk_choice_in(struct gcal_walk *w, CXCursor c)
{
    const struct gcal_sets_condition *found = NULL;
    struct gcal_walk_children kids;
    struct gcal_walk_value *value;

    if (clang_Cursor_isNull(c) || !gcal_walk_enter(w, c))
        return NULL;
    kids = gcal_walk_get_children(w, c);
    if (clang_getCursorKind(c) == CXCursor_DeclRefExpr) {
        value = gcal_walk_variable_find(w, clang_getCursorReferenced(c));
        found = value ? uniform_choice(w, *value) : NULL;
    } else if (clang_getCursorKind(c) == CXCursor_ConditionalOperator && kids.n == 3) {
        found = condition_of(w, kids.c[0]);
    }
    for (size_t i = 0; i < kids.n && !found; i++)
        found = gcal_walk_choice_in(w, kids.c[i]);
    gcal_walk_leave(w);
    return found;
}

void gcal_walk_variables_where(struct gcal_walk *w,
                               const struct gcal_sets_condition *when, bool holds)
{
    for (size_t i = 0; i < w->n_variables; i++)
        w->variables[i].value =
            gcal_walk_value_where(w, w->variables[i].value, when, holds);
}
