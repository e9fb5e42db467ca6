/* loop_nest.c - a loop as a dimension v = 0 .. trips-1 of the events in it */
#include "kernels/walk/private.h"

/* ---- early exits ---- */

static const struct gcal_sets_condition *
nonnegative(struct gcal_walk *w, const struct gcal_poly *p, int64_t added)
{
    return gcal_sets_condition_nonnegative(
        w->c, gcal_poly_add(w->c, p, gcal_poly_integer(w->c, added)));
}

struct nesting {
    const struct gcal_walk_loop_clauses *loop;
    struct gcal_walk_inductions *changes;
    const struct gcal_poly *v, *trips;
    const struct gcal_sets_condition *within; /* as in the trip count, of 'v'; or NULL */
    bool average;
};

/* Returns whether iteration 'v' runs. */
static const struct gcal_sets_condition *
runs_at(struct gcal_walk *w, const struct nesting *n, const struct gcal_poly *v)
{
    const struct gcal_sets_condition *some =
        nonnegative(w, gcal_poly_sub(w->c, n->trips, v), -1);

    if (!n->within)
        return some;
    return gcal_sets_condition_and(
        w->c, some,
        gcal_trips_condition_at(w->c, n->within, gcal_poly_atom_index(n->v), v));
}

/* The exit in any iteration before v. */
static struct gcal_walk_exit left_earlier(struct gcal_walk *w, struct gcal_walk_exit left,
                                          const struct gcal_poly *v)
{
    unsigned atom = gcal_poly_atom_index(v);
    const struct gcal_sets_condition *before;

    if (left.kind == GCAL_WALK_EXIT_WHEN &&
        gcal_sets_condition_contains(w->c, left.when, atom)) {
        before = gcal_trips_project(w->c, left.when, atom,
                                    gcal_poly_sub(w->c, v, gcal_poly_integer(w->c, 1)));
        left.when = before ? before : gcal_sets_condition_earlier(w->c, left.when, atom);
    } else if (left.kind == GCAL_WALK_EXIT_WHEN) { /* it is the first that exits */
        left.when = gcal_sets_condition_and(w->c, left.when, nonnegative(w, v, -1));
    } else if (left.kind == GCAL_WALK_EXIT_ALWAYS) {
        left.kind = GCAL_WALK_EXIT_WHEN;
        left.when = nonnegative(w, v, -1);
    }
    return left;
}

/* The exit 'left' in some iteration, with no break before. */
static struct gcal_walk_exit left_ever(struct gcal_walk *w, struct gcal_walk_exit left,
                                       struct gcal_walk_exit broken,
                                       const struct nesting *n)
{
    const struct gcal_sets_condition *runs = runs_at(w, n, gcal_poly_integer(w->c, 0));
    const struct gcal_poly *v = n->v, *trips = n->trips;
    unsigned atom = gcal_poly_atom_index(v);

    left = gcal_walk_exit_and(w, gcal_walk_exit_not(w, left_earlier(w, broken, v)), left);
    if (left.kind == GCAL_WALK_EXIT_ALWAYS) {
        left.kind = GCAL_WALK_EXIT_WHEN;
        left.when = runs;
    } else if (left.kind == GCAL_WALK_EXIT_WHEN &&
               gcal_sets_condition_contains(w->c, left.when, atom)) {
        if (n->within)
            left.when = gcal_sets_condition_and(w->c, left.when, runs_at(w, n, v));
        left.when =
            gcal_trips_project(w->c, left.when, atom,
                               gcal_poly_sub(w->c, trips, gcal_poly_integer(w->c, 1)));
        if (!left.when) {
            left.kind = GCAL_WALK_EXIT_MAYBE;
            left.on_data = false;
        }
    } else if (left.kind == GCAL_WALK_EXIT_WHEN) {
        left.when = gcal_sets_condition_and(w->c, left.when, runs);
    }
    if (left.kind == GCAL_WALK_EXIT_WHEN &&
        gcal_sets_condition_decide(w->c, left.when) == 1)
        left.kind = GCAL_WALK_EXIT_ALWAYS;
    return left;
}

void gcal_walk_loop_uncertain_exit(struct gcal_walk *w, const struct gcal_walk_exit *exit)
{
    if (w->running)
        w->refused = w->running->loop;
    if (exit->on_data && !w->request->allow_estimates) {
        gcal_walk_fail(w, exit->at,
                       "this exit of the loop depends on data, and so does how often the "
                       "loop runs: give its average with '#pragma gpucal trips NAME' in "
                       "the line before it, or with --trips LINE:NAME");
        return;
    }
    if (!exit->on_data)
        w->not_affine++;
    if (!w->request->allow_estimates && !w->tentative)
        gcal_walk_fail(
            w, exit->at,
            "the condition of this exit of the loop is not affine in sizes and "
            "ids: allow estimates to count the loop as if it never exited here");
    else
        gcal_walk_note(w, exit->at, "the loop was counted as if it never exited here");
}

/* ---- divergence ---- */

static bool depends_on_lane(struct gcal_walk *w, const struct gcal_poly *p)
{
    for (size_t d = 0; d < w->nest->n_dims; d++)
        if (gcal_poly_contains(w->c, p, gcal_poly_atom_index(w->nest->lid[d])))
            return true;
    return false;
}

static bool condition_depends_on_lane(struct gcal_walk *w,
                                      const struct gcal_sets_condition *x)
{
    return x &&
           ((x->p && depends_on_lane(w, x->p)) || condition_depends_on_lane(w, x->a) ||
            condition_depends_on_lane(w, x->b));
}

static bool differs_between_lanes(struct gcal_walk *w, const struct nesting *n)
{
    return depends_on_lane(w, n->trips) || condition_depends_on_lane(w, n->within);
}

/* ---- the loop ---- */

static bool mentions(struct gcal_walk *w, CXCursor c, CXCursor decl)
{
    struct gcal_walk_children kids;

    if (clang_Cursor_isNull(c))
        return false;
    if (clang_equalCursors(clang_getCursorReferenced(c), decl))
        return true;
    kids = gcal_walk_get_children(w, c);
    for (size_t i = 0; i < kids.n; i++)
        if (mentions(w, kids.c[i], decl))
            return true;
    return false;
}

/* Returns whether a variable of the condition has a step that is known at run time only. */
static bool has_runtime_step(struct gcal_walk *w, const struct nesting *n)
{
    for (size_t i = 0; i < n->changes->n; i++)
        if (n->changes->all[i].runtime_step &&
            mentions(w, n->loop->condition, n->changes->all[i].decl))
            return true;
    return n->average;
}

static bool has_fixed_bound(struct gcal_walk *w, const struct nesting *n, CXCursor c);

/* Returns whether a name in the loop's condition is that of a constant or of a variable that this
 * or another loop changes, and not of what is known at run time only, even where a condition on
 * sizes makes it a number.
 */
static bool is_fixed_name(struct gcal_walk *w, const struct nesting *n, CXCursor name)
{
    CXCursor decl = clang_getCursorReferenced(name);
    const struct gcal_walk_value *value = gcal_walk_variable_find(w, decl);

    for (size_t i = 0; i < n->changes->n; i++)
        if (clang_equalCursors(n->changes->all[i].decl, decl))
            return true;
    if (gcal_source_kind(decl) == CXCursor_ParmDecl)
        return value && value->folds;
    return gcal_source_kind(decl) != CXCursor_VarDecl || has_fixed_bound(w, n, decl);
}

/* Returns whether compilers know where the loop ends, but for its start. */
static bool has_fixed_bound(struct gcal_walk *w, const struct nesting *n, CXCursor c)
{
    struct gcal_walk_children kids;
    bool fixed = true;

    if (clang_Cursor_isNull(c) || gcal_source_kind(c) == CXCursor_CallExpr)
        return false;
    if (gcal_source_kind(c) == CXCursor_DeclRefExpr)
        return is_fixed_name(w, n, c);
    if (gcal_source_kind(clang_getCursorReferenced(c)) == CXCursor_EnumConstantDecl)
        return true; /* of an object, f.n */
    kids = gcal_walk_get_children(w, c);
    for (size_t i = 0; i < kids.n && fixed; i++)
        fixed = has_fixed_bound(w, n, kids.c[i]);
    return fixed;
}

static void set_unrolling(struct gcal_walk *w, const struct nesting *n,
                          struct gcal_sets_scope *scope)
{
    int64_t hint = n->loop->unrolled, trips;

    if (!scope || n->average || !has_fixed_bound(w, n, n->loop->condition))
        return;
    if (!gcal_poly_is_constant(n->trips, &trips))
        trips = hint;
    scope->may_unroll = !hint || trips <= hint;
    scope->is_unrolled = hint && scope->may_unroll;
}

/* The name of the dimension: of a variable that steps. */
static const char *name_of(struct gcal_walk *w, struct gcal_walk_inductions *changes)
{
    for (size_t i = 0; i < changes->n; i++)
        if (changes->all[i].step)
            return gcal_walk_cell_name(w, changes->all[i].decl, changes->all[i].at);
    return "iteration";
}

/* Applies the side effects of the condition. */
static void pass_condition(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop)
{
    if (loop->tests_late || clang_Cursor_isNull(loop->condition))
        return;
    w->silent++;
    gcal_walk_expr(w, loop->condition);
    w->silent--;
}

static void evaluate(struct gcal_walk *w, CXCursor c)
{
    if (!clang_Cursor_isNull(c))
        gcal_walk_index_expr(w, c);
}

/* One iteration and the test of the next one.  Returns its exits but continue. */
static struct gcal_walk_flow walk_iteration(struct gcal_walk *w, const struct nesting *n)
{
    const struct gcal_walk_path *path = w->path;
    struct gcal_walk_flow flow, leaving;

    gcal_walk_inductions_set(w, n->changes, n->v);
    pass_condition(w, n->loop);
    gcal_walk_path_push(w, NULL, true);
    flow = gcal_walk_stmt(w, n->loop->body);
    w->path = path;
    leaving = flow;
    leaving.exits[GCAL_WALK_CONTINUE].kind = GCAL_WALK_EXIT_NEVER;
    if (gcal_walk_flow_any_exit(w, &leaving).kind != GCAL_WALK_EXIT_ALWAYS) {
        if (!n->average)
            gcal_walk_push_remaining(w, n->loop->at, &leaving);
        evaluate(w, n->loop->increment);
        evaluate(w, n->loop->condition);
        if (n->average)
            gcal_walk_count_branch(w, n->loop->at, NULL);
        else if (differs_between_lanes(w, n))
            gcal_walk_count_branch(
                w, n->loop->at,
                runs_at(w, n, gcal_poly_add(w->c, n->v, gcal_poly_integer(w->c, 1))));
    }
    return leaving;
}

/* One iteration, in the scope of those that no earlier exit prevents: this scope gets its
 * condition after the walk, which finds the exits.
 */
static struct gcal_walk_flow walk_iterations(struct gcal_walk *w, const struct nesting *n)
{
    bool may_leave = gcal_walk_contains_jump(w, n->loop->body, GCAL_WALK_BREAK) ||
                     gcal_walk_contains_jump(w, n->loop->body, GCAL_WALK_RETURN);
    struct gcal_sets_scope *not_exited = NULL;
    struct gcal_walk_exit left, earlier;
    struct gcal_walk_flow flow;

    if (may_leave && !n->average)
        not_exited = gcal_walk_push_condition(
            w, n->loop->at, nonnegative(w, gcal_poly_integer(w->c, 0), 0));
    flow = walk_iteration(w, n);
    left = gcal_walk_flow_any_exit(w, &flow);
    if (left.kind == GCAL_WALK_EXIT_MAYBE && !n->average)
        gcal_walk_loop_uncertain_exit(w, &left);
    earlier = left_earlier(w, left, n->v);
    if (not_exited && earlier.kind == GCAL_WALK_EXIT_WHEN)
        not_exited->condition = gcal_sets_condition_not(w->c, earlier.when);
    else if (not_exited && earlier.kind == GCAL_WALK_EXIT_MAYBE)
        not_exited->kind = GCAL_SETS_SCOPE_UNKNOWN;
    return flow;
}

/* Instructions of a loop that compilers unroll count as often as it runs, for the loops around it
 * that are walked iteration by iteration.
 */
static void note_unrolled(struct gcal_walk *w, const struct gcal_sets_scope *loop,
                          size_t before)
{
    size_t once = w->n_instructions - before;
    int64_t trips;

    if (loop && loop->may_unroll && !loop->is_unrolled &&
        gcal_poly_is_constant(loop->trips, &trips) && trips > 1 &&
        trips <= GCAL_WALK_MOST_INSTRUCTIONS &&
        (size_t)trips * once <= GCAL_WALK_MOST_INSTRUCTIONS)
        w->n_instructions = before + (size_t)trips * once;
}

struct gcal_walk_flow gcal_walk_loop_nest(struct gcal_walk *w,
                                          const struct gcal_walk_loop_clauses *loop,
                                          struct gcal_walk_inductions *changes,
                                          const struct gcal_trips_count *count,
                                          bool average)
{
    const struct gcal_sets_scope *outside = w->scope;
    struct nesting n = { loop, changes, NULL, gcal_walk_in_scope(w, count->trips),
                         NULL, average };
    struct gcal_walk_flow flow, outer = gcal_walk_flow_fall_through();
    struct gcal_walk_exit guard = { .kind = GCAL_WALK_EXIT_ALWAYS };
    const struct gcal_sets_condition *first;
    struct gcal_walk_chain_loop *chains;
    struct gcal_walk_running running;
    struct gcal_sets_scope *scope;
    size_t instructions;

    gcal_walk_inductions_reset(w, changes);
    if (!loop->tests_late)
        evaluate(w, loop->condition);
    n.v = gcal_poly_dimension(w->c, name_of(w, changes),
                              gcal_poly_sub(w->c, n.trips, gcal_poly_integer(w->c, 1)));
    if (count->within)
        n.within = gcal_trips_condition_at(w->c, count->within, count->v, n.v);
    first = runs_at(w, &n, gcal_poly_integer(w->c, 0));
    if (count->guard)
        first = gcal_sets_condition_and(w->c, count->guard, first);
    if (!average && !loop->tests_late &&
        (differs_between_lanes(w, &n) || condition_depends_on_lane(w, count->guard)))
        gcal_walk_count_branch(w, loop->at, first);
    if (count->guard) {
        guard =
            (struct gcal_walk_exit){ .kind = GCAL_WALK_EXIT_WHEN, .when = count->guard };
        gcal_walk_push_condition(w, loop->at, count->guard);
    }
    scope = gcal_walk_push_loop(w, loop->at, gcal_poly_atom_index(n.v), n.trips,
                                has_runtime_step(w, &n));
    set_unrolling(w, &n, scope);
    if (n.within)
        gcal_walk_push_condition(w, loop->at, n.within);
    chains = gcal_walk_chain_enter(w, loop, gcal_poly_atom_index(n.v));
    running = (struct gcal_walk_running){
        w->running, loop->at, w->frame, true, gcal_poly_atom_index(n.v), 0, 0, NULL
    };
    w->running = &running;
    instructions = w->n_instructions;
    flow = walk_iterations(w, &n);
    note_unrolled(w, scope, instructions);
    w->running = running.outer;
    w->scope = outside;
    gcal_walk_chain_leave(w, chains, n.trips);
    /* Sets the variables after the loop. */
    bool exact = !average && !count->guard && !count->within &&
                 gcal_walk_flow_any_exit(w, &flow).kind == GCAL_WALK_EXIT_NEVER;
    const struct gcal_poly *past =
        gcal_poly_max(w->c, n.trips, gcal_poly_integer(w->c, 0));

    gcal_walk_inductions_finish(w, n.changes, exact ? past : NULL, n.v);
    if (exact)
        pass_condition(w, n.loop);
    if (!average)
        outer.exits[GCAL_WALK_RETURN] = gcal_walk_exit_and(
            w, guard,
            left_ever(w, flow.exits[GCAL_WALK_RETURN], flow.exits[GCAL_WALK_BREAK], &n));
    return outer;
}
