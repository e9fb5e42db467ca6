/* merge.c - values after branches, exact where they have a closed form */
#include "kernels/base/array.h"
#include "kernels/walk/private.h"

static const char follows[] = "it follows a condition";

static bool same_value(struct gcal_walk_value a, struct gcal_walk_value b)
{
    if (a.kind != b.kind || a.array != b.array || a.condition != b.condition ||
        a.widened != b.widened || a.choice != b.choice || a.is_minus != b.is_minus ||
        a.quotient != b.quotient || a.is_private != b.is_private ||
        a.in_array != b.in_array)
        return false;
    return a.p == b.p || (a.p && b.p && gcal_poly_equal(a.p, b.p));
}

/* ---- conditions as integers ---- */

/* 0 where p < 0, else 1. */
static const struct gcal_poly *step(struct gcal_poly_context *c,
                                    const struct gcal_poly *p)
{
    const struct gcal_poly *one = gcal_poly_integer(c, 1);

    return gcal_poly_max(c, gcal_poly_min(c, gcal_poly_add(c, p, one), one),
                         gcal_poly_integer(c, 0));
}

/* A condition as the integer 0 or 1; NULL when no polynomial expresses it. */
static const struct gcal_poly *indicator(struct gcal_walk *w,
                                         const struct gcal_sets_condition *condition)
{
    const struct gcal_poly *a, *b, *one = gcal_poly_integer(w->c, 1);

    a = condition->a ? indicator(w, condition->a) : NULL;
    b = condition->b ? indicator(w, condition->b) : NULL;
    switch (condition->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        return step(w->c, condition->p);
    case GCAL_SETS_CONDITION_NOT:
        return a ? gcal_poly_sub(w->c, one, a) : NULL;
    case GCAL_SETS_CONDITION_AND:
        return a && b ? gcal_poly_min(w->c, a, b) : NULL;
    case GCAL_SETS_CONDITION_OR:
        return a && b ? gcal_poly_max(w->c, a, b) : NULL;
    default:
        return NULL;
    }
}

struct gcal_walk_value gcal_walk_value_as_integer(struct gcal_walk *w,
                                                  struct gcal_walk_value value)
{
    const struct gcal_poly *p;

    if (value.kind == GCAL_WALK_VALUE_UNKNOWN && value.condition &&
        (p = indicator(w, value.condition)))
        return gcal_walk_integer(gcal_poly_scale(w->c, p, value.is_minus ? -1 : 1, 1));
    return value;
}

/* ---- one of two values ---- */

/* a < b ? a : b is min(a, b), and so on; NULL when neither order is proven. */
static const struct gcal_poly *choose_extremum(struct gcal_walk *w,
                                               const struct gcal_poly *p,
                                               const struct gcal_poly *yes,
                                               const struct gcal_poly *no)
{
    const struct gcal_poly *apart = gcal_poly_sub(w->c, yes, no);
    const struct gcal_poly *back = gcal_poly_sub(w->c, no, yes);
    const struct gcal_poly *otherwise =
        gcal_poly_sub(w->c, gcal_poly_integer(w->c, -1), p);

    if (gcal_poly_is_nonnegative_given(w->c, p, apart) &&
        gcal_poly_is_nonnegative_given(w->c, otherwise, back))
        return gcal_poly_max(w->c, yes, no);
    if (gcal_poly_is_nonnegative_given(w->c, p, back) &&
        gcal_poly_is_nonnegative_given(w->c, otherwise, apart))
        return gcal_poly_min(w->c, yes, no);
    return NULL;
}

/* Values with a constant difference have a closed form under any condition. */
static const struct gcal_poly *choose(struct gcal_walk *w,
                                      const struct gcal_sets_condition *condition,
                                      const struct gcal_poly *yes,
                                      const struct gcal_poly *no)
{
    const struct gcal_poly *apart = gcal_poly_sub(w->c, yes, no), *chosen = NULL;
    int64_t number;

    if (condition->kind == GCAL_SETS_CONDITION_NONNEGATIVE)
        chosen = choose_extremum(w, condition->p, yes, no);
    if (chosen || !gcal_poly_is_constant(apart, &number) ||
        !(chosen = indicator(w, condition)))
        return chosen;
    return gcal_poly_add(w->c, no, gcal_poly_scale(w->c, chosen, number, 1));
}

/* 0, 1 or a condition; NULL for others. */
static const struct gcal_sets_condition *as_condition(struct gcal_walk *w,
                                                      struct gcal_walk_value value)
{
    int64_t number;

    if (value.kind == GCAL_WALK_VALUE_UNKNOWN)
        return value.is_minus ? NULL : value.condition;
    if (value.kind != GCAL_WALK_VALUE_INTEGER ||
        !gcal_poly_is_constant(value.p, &number) || (number != 0 && number != 1))
        return NULL;
    return gcal_sets_condition_nonnegative(w->c, gcal_poly_integer(w->c, number - 1));
}

/* 'yes' where 'predicate' holds, else 'no', as a condition. */
static struct gcal_walk_value
choose_condition(struct gcal_walk *w, const struct gcal_walk_predicate *predicate,
                 const struct gcal_sets_condition *yes,
                 const struct gcal_sets_condition *no)
{
    struct gcal_walk_predicate a = { .known = true, .when = yes };
    struct gcal_walk_predicate b = { .known = true, .when = no };

    a = gcal_walk_predicate_and(w, *predicate, a);
    b = gcal_walk_predicate_and(w, gcal_walk_predicate_not(w, *predicate), b);
    return gcal_walk_value_from_predicate(w, gcal_walk_predicate_or(w, a, b));
}

/* Returns whether a choice of the two is one of integers, or of pointers into one array. */
static bool can_choose(struct gcal_walk_value yes, struct gcal_walk_value no)
{
    if (yes.kind == GCAL_WALK_VALUE_POINTER && no.kind == GCAL_WALK_VALUE_POINTER)
        return yes.array == no.array && (yes.p || yes.choice) && (no.p || no.choice);
    return yes.kind != GCAL_WALK_VALUE_POINTER && no.kind != GCAL_WALK_VALUE_POINTER &&
           (yes.p || yes.choice) && (no.p || no.choice) && !yes.in_array && !no.in_array;
}

/* Returns whether it is one for all work-items, as the ends to which others are clamped. */
static bool is_end(struct gcal_walk *w, const struct gcal_poly *near)
{
    return near && !gcal_poly_has_dimension(w->c, near);
}

/* What is known of the value at most places. */
static const struct gcal_poly *select_near(struct gcal_walk *w,
                                           const struct gcal_walk_predicate *predicate,
                                           struct gcal_walk_value yes,
                                           struct gcal_walk_value no)
{
    const struct gcal_poly *a = gcal_walk_base_of(yes), *b = gcal_walk_base_of(no);

    if (is_end(w, a) != is_end(w, b))
        return is_end(w, a) ? b : a;
    if (!gcal_walk_near_of(w, yes) && gcal_walk_near_of(w, no))
        return b;
    return a && (!b || !predicate->known ||
                 gcal_sets_condition_holds_mostly(w->c, predicate->when))
               ? a
               : b;
}

struct gcal_walk_value gcal_walk_value_select(struct gcal_walk *w,
                                              const struct gcal_walk_predicate *predicate,
                                              struct gcal_walk_value yes,
                                              struct gcal_walk_value no)
{
    struct gcal_walk_value value;

    if (yes.parts || no.parts)
        return gcal_walk_parts_select(w, predicate, yes, no);
    if (same_value(yes, no)) {
        yes.range = gcal_walk_range_either(w, &yes, &no);
        return yes;
    }
    if (predicate->known && as_condition(w, yes) && as_condition(w, no))
        return choose_condition(w, predicate, as_condition(w, yes), as_condition(w, no));
    if (predicate->known) {
        yes = gcal_walk_value_where(w, yes, predicate->when, true);
        no = gcal_walk_value_where(w, no, predicate->when, false);
    }
    if (same_value(yes, no)) {
        yes.range = gcal_walk_range_either(w, &yes, &no);
        return yes;
    }
    yes = gcal_walk_value_as_integer(w, yes);
    no = gcal_walk_value_as_integer(w, no);
    if (predicate->known && yes.kind == no.kind && yes.kind != GCAL_WALK_VALUE_UNKNOWN &&
        yes.array == no.array && yes.p && no.p) {
        value = yes;
        if ((value.p = choose(w, predicate->when, yes.p, no.p)))
            return value;
    }
    if (predicate->known && can_choose(yes, no))
        return gcal_walk_value_choose(w, predicate->when, yes, no);
    value = gcal_walk_not_affine(follows);
    value.on_data = (!predicate->known && predicate->on_data) ||
                    (yes.kind == GCAL_WALK_VALUE_UNKNOWN && yes.on_data) ||
                    (no.kind == GCAL_WALK_VALUE_UNKNOWN && no.on_data);
    value.near = select_near(w, predicate, yes, no);
    value.is_private = yes.is_private && no.is_private;
    if (value.is_private) { /* of two arrays, one: which does not matter */
        value.in_array = yes.in_array || no.in_array;
        value.array = yes.in_array ? yes.array : no.array;
    }
    gcal_walk_value_wait(&value, &yes);
    gcal_walk_value_wait(&value, &no);
    value.range = gcal_walk_range_either(w, &yes, &no);
    value.chain = gcal_walk_chain_union(w, yes.chain, no.chain);
    if (yes.kind == GCAL_WALK_VALUE_POINTER && no.kind == GCAL_WALK_VALUE_POINTER &&
        yes.array == no.array) {
        value.kind = GCAL_WALK_VALUE_POINTER;
        value.array = yes.array;
    }
    return value;
}

void gcal_walk_variables_merge(struct gcal_walk *w,
                               const struct gcal_walk_predicate *predicate,
                               const struct gcal_walk_variable *yes, size_t n)
{
    for (size_t i = 0; yes && i < n; i++)
        if (!w->variables[i].escaped)
            w->variables[i].value =
                gcal_walk_value_select(w, predicate, yes[i].value, w->variables[i].value);
    if (yes)
        gcal_walk_chains_merge(w, yes[-1].chains, predicate->chain);
}

/* ---- return values ---- */

void gcal_walk_path_push(struct gcal_walk *w, const struct gcal_walk_predicate *predicate,
                         bool holds)
{
    struct gcal_walk_path *path = gcal_poly_alloc(w->c, sizeof(*path));

    if (!path) {
        gcal_walk_fail_memory(w);
        return;
    }
    *path = (struct gcal_walk_path){ w->path, NULL };
    if (predicate && predicate->known)
        path->condition =
            holds ? predicate->when : gcal_sets_condition_not(w->c, predicate->when);
    w->path = path;
}

void gcal_walk_return_add(struct gcal_walk *w, struct gcal_walk_value value)
{
    struct gcal_walk_return *moved = gcal_array_grow(
        w->returns, w->n_returns, &w->return_capacity, sizeof(*moved), NULL);
    bool is_kept = w->changes_caller && w->path;
    size_t n;

    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    w->returns = moved;
    moved[w->n_returns++] =
        (struct gcal_walk_return){ value, w->path,
                                   is_kept ? gcal_walk_variables_save(w, &n) : NULL };
}

static struct gcal_walk_predicate path_predicate(struct gcal_walk *w,
                                                 const struct gcal_walk_path *path)
{
    struct gcal_walk_predicate predicate = { .known = true };

    if (!path)
        return (struct gcal_walk_predicate){ .on_data = true };
    for (predicate.when = path->condition; path; path = path->parent) {
        if (!path->condition)
            return (struct gcal_walk_predicate){ .on_data = true };
        if (path->condition != predicate.when)
            predicate.when =
                gcal_sets_condition_and(w->c, path->condition, predicate.when);
    }
    return predicate;
}

struct gcal_walk_value gcal_walk_returned_value(struct gcal_walk *w, size_t first)
{
    struct gcal_walk_value value = gcal_walk_unknown("it comes from a function");
    struct gcal_walk_predicate predicate;

    if (w->n_returns == first)
        return value;
    value = w->returns[w->n_returns - 1].value;
    /* an earlier return takes precedence */
    for (size_t i = w->n_returns - 1; i-- > first;) {
        predicate = path_predicate(w, w->returns[i].path);
        value = gcal_walk_value_select(w, &predicate, w->returns[i].value, value);
    }
    return value;
}

void gcal_walk_returned_variables(struct gcal_walk *w, size_t first, size_t n)
{
    struct gcal_walk_predicate predicate;

    for (size_t i = w->n_returns; i-- > first;) {
        if (!w->returns[i].variables)
            continue;
        predicate = path_predicate(w, w->returns[i].path);
        gcal_walk_variables_merge(w, &predicate, w->returns[i].variables, n);
    }
}

void gcal_walk_returns_cut(struct gcal_walk *w, size_t n)
{
    while (w->n_returns > n)
        gcal_walk_variables_free(w->returns[--w->n_returns].variables);
}

/* ---- integers and pointers that are one of two values, by a condition ----
 *
 * "stop = last ? n : start + region": no polynomial is both, but each side is one.
 */

const struct gcal_sets_scope *gcal_walk_push_side(struct gcal_walk *w,
                                                  const struct gcal_sets_condition *when,
                                                  bool holds)
{
    const struct gcal_sets_scope *before = w->scope;

    gcal_walk_push_condition(w, w->expression,
                             holds ? when : gcal_sets_condition_not(w->c, when));
    return before;
}

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
        return value.p && !value.in_array ? 1 : GCAL_WALK_MOST_SIDES;
    return count_values(value.choice->yes) + count_values(value.choice->no);
}

struct gcal_walk_value gcal_walk_value_choose(struct gcal_walk *w,
                                              const struct gcal_sets_condition *when,
                                              struct gcal_walk_value yes,
                                              struct gcal_walk_value no)
{
    struct gcal_walk_value value = gcal_walk_not_affine("it follows a condition");
    struct gcal_walk_choice *choice;
    bool mostly;

    yes = gcal_walk_value_where(w, yes, when, true);
    no = gcal_walk_value_where(w, no, when, false);
    if (yes.kind == GCAL_WALK_VALUE_POINTER && no.kind == GCAL_WALK_VALUE_POINTER &&
        yes.array == no.array) {
        value.kind = GCAL_WALK_VALUE_POINTER;
        value.array = yes.array;
        gcal_walk_value_wait(&value, &yes);
        gcal_walk_value_wait(&value, &no);
    }
    mostly = gcal_sets_condition_holds_mostly(w->c, when);
    if (value.kind == GCAL_WALK_VALUE_POINTER)
        value.near = gcal_walk_base_of(mostly ? yes : no);
    if (count_values(yes) + count_values(no) > GCAL_WALK_MOST_SIDES ||
        !(choice = gcal_poly_alloc(w->c, sizeof(*choice))))
        return value;
    *choice = (struct gcal_walk_choice){ when, yes, no, mostly };
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

/* Returns whether no lanes of a work-group differ in it. */
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

const struct gcal_sets_condition *gcal_walk_choice_in(struct gcal_walk *w, CXCursor c)
{
    const struct gcal_sets_condition *found = NULL;
    struct gcal_walk_children kids;
    struct gcal_walk_value *value;

    if (clang_Cursor_isNull(c) || !gcal_walk_enter(w, c))
        return NULL;
    kids = gcal_walk_get_children(w, c);
    if (gcal_source_kind(c) == CXCursor_DeclRefExpr) {
        value = gcal_walk_variable_find(w, clang_getCursorReferenced(c));
        found = value ? uniform_choice(w, *value) : NULL;
    } else if (gcal_source_kind(c) == CXCursor_ConditionalOperator && kids.n == 3) {
        struct gcal_walk_predicate predicate =
            gcal_walk_predicate_from_value(w, gcal_walk_expr_value(w, kids.c[0]));
        found = predicate.known && gcal_walk_predicate_decide(w, &predicate) < 0 &&
                        is_uniform(w, predicate.when)
                    ? predicate.when
                    : NULL;
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
