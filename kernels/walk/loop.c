/* loop.c - loops: as a dimension, unrolled, or with an average trip count */
#include "kernels/walk/private.h"

static bool read_loop(struct gcal_walk *w, CXCursor c,
                      struct gcal_walk_loop_clauses *loop)
{
    CXCursor parts[4], null = clang_getNullCursor();
    struct gcal_walk_children kids;

    *loop = (struct gcal_walk_loop_clauses){
        .at = c, .condition = null, .increment = null, .unrolled = w->unroll_hint
    };
    w->unroll_hint = 0;
    if (gcal_source_kind(c) == CXCursor_ForStmt) {
        if (gcal_source_for_clauses(c, parts, w->err) < 0) {
            w->failed = true;
            return false;
        }
        if (!clang_Cursor_isNull(parts[0])) {
            w->quiet++;
            gcal_walk_stmt(w, parts[0]);
            w->quiet--;
        }
        loop->condition = parts[1];
        loop->increment = parts[2];
        loop->body = parts[3];
        return !w->failed;
    }
    kids = gcal_walk_get_children(w, c);
    if (kids.n != 2) {
        gcal_walk_fail(w, c, "this loop cannot be counted");
        return false;
    }
    loop->tests_late = gcal_source_kind(c) == CXCursor_DoStmt;
    loop->condition = kids.c[loop->tests_late];
    loop->body = kids.c[!loop->tests_late];
    return true;
}

/* ---- trip count ---- */

/* The search for a loop's trip count. */
struct search {
    const struct gcal_walk_loop_clauses *loop;
    struct gcal_walk_inductions *changes;
    const struct gcal_poly *v;
    struct gcal_trips_count count;
    const char *why; /* it was not found */
    bool on_data, is_endless;
};

/* The exit of an iteration; nothing is counted, but variables change. */
static struct gcal_walk_exit walk_silently(struct gcal_walk *w,
                                           const struct gcal_walk_loop_clauses *loop)
{
    const struct gcal_walk_path *path = w->path;
    size_t n_returns = w->n_returns;
    struct gcal_walk_flow flow;

    w->silent++;
    flow = gcal_walk_stmt(w, loop->body);
    w->silent--;
    gcal_walk_returns_cut(w, n_returns);
    w->path = path;
    flow.exits[GCAL_WALK_CONTINUE].kind = GCAL_WALK_EXIT_NEVER;
    return gcal_walk_flow_any_exit(w, &flow);
}

static void set_iteration(struct gcal_walk *w, const struct search *s)
{
    w->in_control++;
    gcal_walk_inductions_set(w, s->changes, s->v);
    w->in_control--;
}

/* The loop's condition in iteration v. */
static struct gcal_walk_predicate predicate_at(struct gcal_walk *w,
                                               const struct search *s)
{
    struct gcal_walk_predicate predicate = { .known = true };
    unsigned outer;

    set_iteration(w, s);
    if (s->loop->tests_late)
        walk_silently(w, s->loop);
    if (clang_Cursor_isNull(s->loop->condition)) {
        predicate.when =
            gcal_sets_condition_nonnegative(w->c, gcal_poly_integer(w->c, 0));
        return predicate;
    }
    outer = w->control_dimension;
    w->in_control++;
    w->control_dimension = gcal_poly_atom_index(s->v);
    predicate = gcal_walk_condition(w, s->loop->condition);
    w->control_dimension = outer;
    w->in_control--;
    return predicate;
}

static bool contains_exit(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop)
{
    return gcal_walk_contains_jump(w, loop->body, GCAL_WALK_BREAK) ||
           gcal_walk_contains_jump(w, loop->body, GCAL_WALK_RETURN);
}

/* The trips of a loop whose condition never ends it: until a break or return. */
static bool find_trips_to_exit(struct gcal_walk *w, struct search *s)
{
    const struct gcal_walk_loop_clauses *loop = s->loop;
    const struct gcal_trips_loop at = { w->c, w->scope };
    struct gcal_trips_count inside;
    struct gcal_walk_exit left;

    s->why = "it never ends, or steps away from its bound";
    if (!contains_exit(w, loop)) {
        s->is_endless = true;
        return false;
    }
    set_iteration(w, s);
    if (!loop->tests_late && !clang_Cursor_isNull(loop->condition)) {
        w->silent++;
        gcal_walk_expr(w, loop->condition);
        w->silent--;
    }
    left = walk_silently(w, loop);
    if (left.kind == GCAL_WALK_EXIT_ALWAYS) {
        s->count.trips = gcal_poly_integer(w->c, 1);
        return true;
    }
    if (left.kind != GCAL_WALK_EXIT_WHEN) {
        s->on_data = left.kind == GCAL_WALK_EXIT_MAYBE && left.on_data;
        s->why = "the condition of its exit is not affine in sizes and ids";
        return false;
    }
    if (!gcal_trips_find(&at, gcal_sets_condition_not(w->c, left.when),
                         gcal_poly_atom_index(s->v), &inside, &s->why) ||
        !inside.trips || inside.ends)
        return false;
    /* the iteration with the exit is one more */
    gcal_trips_after(&at, &inside, gcal_poly_atom_index(s->v));
    s->count = inside;
    return true;
}

/* Returns whether variables of 8 and 16 bits still have these values after all trips; says what to
 * assume otherwise.
 */
static bool values_fit(struct gcal_walk *w, struct search *s)
{
    for (size_t i = 0; i < s->changes->n; i++) {
        const struct gcal_walk_induction *m = &s->changes->all[i];
        struct gcal_walk_value last = m->start, kept;

        if (!m->step || last.kind != GCAL_WALK_VALUE_INTEGER)
            continue;
        last.p =
            gcal_poly_add(w->c, last.p, gcal_poly_mul(w->c, m->step, s->count.trips));
        kept = gcal_walk_stored(w, last, m->type);
        if (gcal_poly_equal(kept.p, last.p))
            continue;
        s->why = gcal_poly_format(
            w->c,
            "'%s' of %lld bits may wrap, and only an exit then ends it: assume that it "
            "does not (\"%s < %lld\")",
            gcal_walk_name(w, m->decl), 8 * clang_Type_getSizeOf(m->type),
            gcal_poly_text(w->c, last.p), 1ll << (8 * clang_Type_getSizeOf(m->type) - 1));
        return false;
    }
    return true;
}

/* Returns whether the condition ends the loop after the trips that were found, as it does in a
 * loop without exits, which would never end otherwise.
 */
static bool ends_by_condition(struct gcal_walk *w, struct search *s,
                              const struct gcal_sets_condition *condition)
{
    const struct gcal_poly *trips = s->count.trips;
    unsigned v = gcal_poly_atom_index(s->v);

    if (!contains_exit(w, s->loop))
        return true;
    if (!values_fit(w, s))
        return false;
    s->why = "an unsigned value may wrap below zero, and only an exit then ends it";
    return !s->count.ends ||
           (!s->count.within &&
            (!gcal_poly_has_dimension(w->c, trips) ||
             gcal_walk_is_nonnegative(w, trips)) &&
            gcal_sets_condition_decide(
                w->c, gcal_trips_condition_at(w->c, condition, v, trips)) == 0);
}

/* The variable in 'condition' that doubles or halves; NULL without. */
static const struct gcal_walk_induction *
find_scaled(struct gcal_walk *w, const struct search *s,
            const struct gcal_sets_condition *condition)
{
    for (size_t i = 0; i < s->changes->n; i++) {
        const struct gcal_walk_induction *m = &s->changes->all[i];

        if (m->any &&
            gcal_sets_condition_contains(w->c, condition, gcal_poly_atom_index(m->any)))
            return m;
    }
    return NULL;
}

/* The trips while the condition holds. */
static bool find_count(struct gcal_walk *w, struct search *s,
                       const struct gcal_trips_loop *at,
                       const struct gcal_sets_condition *condition)
{
    const struct gcal_walk_induction *m = find_scaled(w, s, condition);
    unsigned v = gcal_poly_atom_index(s->v);
    struct gcal_trips_scaled scaled;

    if (!m)
        return gcal_trips_find(at, condition, v, &s->count, &s->why);
    scaled = (struct gcal_trips_scaled){ gcal_walk_name(w, m->decl), m->start.p,
                                         m->doublings, m->any };
    return gcal_trips_find_scaled(at, condition, v, &scaled, &s->count, &s->why);
}

static bool find_trips(struct gcal_walk *w, struct search *s)
{
    const struct gcal_trips_loop at = { w->c, w->scope };
    struct gcal_walk_predicate predicate = predicate_at(w, s);
    const char *why = s->why;

    if (!predicate.known) {
        s->why = predicate.why;
        s->on_data = predicate.on_data;
        return false;
    }
    if (!find_count(w, s, &at, predicate.when))
        return false;
    if (s->count.guard && gcal_sets_condition_decide(w->c, s->count.guard) == 1)
        s->count.guard = NULL;
    if (s->count.guard && gcal_sets_condition_decide(w->c, s->count.guard) == 0) {
        s->count = (struct gcal_trips_count){ .trips = gcal_poly_integer(w->c, 0) };
    }
    if (!s->count.trips)
        return find_trips_to_exit(w, s);
    if (!ends_by_condition(w, s, predicate.when))
        return false;
    s->why = why;
    if (s->loop->tests_late)
        gcal_trips_after(&at, &s->count, gcal_poly_atom_index(s->v));
    return true;
}

/* ---- kinds of counting ---- */

void gcal_walk_loop_refuse(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop,
                           bool on_data, const char *why)
{
    CXCursor at = clang_Cursor_isNull(loop->condition) ? loop->at : loop->condition;

    if (w->tentative) { /* unrolling the loop around may make them known */
        w->not_affine++;
        return;
    }
    w->refused = loop->at;
    why = why ? why : on_data ? "its condition does" : "what it changes is not affine";
    /* refused even where estimates are allowed: there is nothing to estimate it from */
    if (on_data)
        gcal_walk_fail(w, at,
                       "how often this loop runs depends on data: %s: give its average "
                       "with '#pragma gpucal trips NAME' in the line before it, or with "
                       "--trips LINE:NAME",
                       why);
    else
        gcal_walk_fail(w, at,
                       "how often this loop runs is not affine in sizes, ids and outer "
                       "loops: %s: give numbers for its sizes (--at), or its average "
                       "with '#pragma gpucal trips NAME' in the line before it",
                       why);
}

/* Returns whether another iteration, or code after the loop, may read what an iteration wrote. */
static bool is_kept(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop,
                    const struct gcal_walk_induction *m)
{
    return m->carries || !gcal_source_is_within(w->unit, m->decl, loop->body);
}

/* Returns whether a variable changes in a way that unrolling makes known: not by a step, but not
 * to data, nor from an unknown start without assignment.
 */
static bool is_irregular(struct gcal_walk *w, const struct search *s)
{
    for (size_t i = 0; i < s->changes->n; i++) {
        const struct gcal_walk_induction *m = &s->changes->all[i];

        if (!m->step && !m->on_data && is_kept(w, s->loop, m) &&
            (m->assigned || m->start.kind != GCAL_WALK_VALUE_UNKNOWN))
            return true;
    }
    return false;
}

static bool has_scaled(const struct gcal_walk_inductions *changes)
{
    for (size_t i = 0; i < changes->n; i++)
        if (changes->all[i].doublings)
            return true;
    return false;
}

/* As a dimension; or unrolled, where the trips are a number and the body is not affine in
 * the dimension.
 */
static struct gcal_walk_flow walk_counted(struct gcal_walk *w, const struct search *s)
{
    enum { FEW = 8 };
    int64_t trips = 0;
    bool tentative = gcal_poly_is_constant(s->count.trips, &trips) &&
                     trips <= GCAL_WALK_MAX_UNROLLED && !s->count.guard &&
                     !s->count.within;
    size_t n_returns = w->n_returns, not_affine = w->not_affine, n_saved;
    struct gcal_walk_variable *saved;
    struct gcal_walk_mark mark;
    struct gcal_walk_flow flow;

    if (!tentative)
        return gcal_walk_loop_nest(w, s->loop, s->changes, &s->count, false);
    gcal_walk_inductions_reset(w, s->changes);
    if ((trips <= FEW && is_irregular(w, s)) || has_scaled(s->changes))
        return gcal_walk_loop_unroll(w, s->loop);
    saved = gcal_walk_variables_save(w, &n_saved);
    mark = gcal_walk_events_mark(w);
    w->tentative++;
    flow = gcal_walk_loop_nest(w, s->loop, s->changes, &s->count, false);
    w->tentative--;
    w->first_op = mark.first_op;
    if (w->not_affine == not_affine || w->failed) {
        gcal_walk_variables_free(saved);
        return flow;
    }
    gcal_walk_events_rewind(w, &mark);
    gcal_walk_variables_restore(w, saved, n_saved);
    gcal_walk_variables_free(saved);
    gcal_walk_returns_cut(w, n_returns);
    w->not_affine = not_affine;
    s->changes->outer = w->rolled;
    if (trips > GCAL_WALK_MAX_COMPILED)
        w->rolled = s->changes;
    flow = gcal_walk_loop_unroll(w, s->loop);
    w->rolled = s->changes->outer;
    return flow;
}

/* Returns whether its condition is known before the first iteration. */
static bool can_unroll(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop)
{
    struct gcal_walk_predicate predicate;

    if (loop->tests_late || clang_Cursor_isNull(loop->condition))
        return true;
    predicate = gcal_walk_condition(w, loop->condition);
    return predicate.known || gcal_walk_predicate_decide(w, &predicate) >= 0;
}

static struct gcal_walk_flow walk_clauses(struct gcal_walk *w,
                                          struct gcal_walk_loop_clauses loop);

/* The loop where 'when' holds or, with !holds, where it does not. */
static struct gcal_walk_flow walk_side(struct gcal_walk *w,
                                       const struct gcal_walk_loop_clauses *loop,
                                       const struct gcal_walk_predicate *when, bool holds)
{
    const struct gcal_sets_scope *before = w->scope;
    const struct gcal_walk_path *path = w->path;
    struct gcal_walk_flow flow;

    gcal_walk_variables_where(w, when->when, holds);
    gcal_walk_push_predicate(w, loop->at, when, holds);
    gcal_walk_path_push(w, when, holds);
    flow = walk_clauses(w, *loop);
    w->scope = before;
    w->path = path;
    return flow;
}

/* "if (when) loop else loop": its bounds or starts differ, but not between the lanes of a
 * group, which would meet in the iterations that both have.
 */
static struct gcal_walk_flow walk_forked(struct gcal_walk *w,
                                         const struct gcal_walk_loop_clauses *loop,
                                         const struct gcal_sets_condition *condition)
{
    struct gcal_walk_predicate when = { .known = true, .when = condition };
    struct gcal_walk_variable *saved, *after;
    struct gcal_walk_flow yes, no;
    size_t n_saved, n_after;

    w->n_forks++;
    saved = gcal_walk_variables_save(w, &n_saved);
    yes = walk_side(w, loop, &when, true);
    after = gcal_walk_variables_save(w, &n_after);
    gcal_walk_variables_restore(w, saved, n_saved);
    w->n_variables = n_saved; /* without those of the body */
    no = walk_side(w, loop, &when, false);
    gcal_walk_variables_merge(w, &when, after, n_saved);
    gcal_walk_variables_free(saved);
    gcal_walk_variables_free(after);
    w->n_forks--;
    return gcal_walk_flow_branch(w, loop->at, &when, yes, no);
}

/* The condition to fork on; NULL without. */
static const struct gcal_sets_condition *
fork_of(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop)
{
    enum { MOST_FORKS = 3 };
    const struct gcal_sets_condition *when;

    if (w->n_forks == MOST_FORKS)
        return NULL;
    when = gcal_walk_choice_in(w, loop->condition);
    return when ? when : gcal_walk_choice_in(w, loop->increment);
}

struct gcal_walk_flow gcal_walk_loop(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_loop_clauses loop;

    return read_loop(w, c, &loop) ? walk_clauses(w, loop) : gcal_walk_flow_fall_through();
}

/* The parameter of its average trips, the user's or a sample's; NULL: it has none. */
static const char *find_average(struct gcal_walk *w, CXCursor loop)
{
    const char *average = gcal_annotations_trips(&w->annotations, loop);
    int line, column;

    gcal_source_location(loop, &line, &column);
    for (size_t i = 0; i < w->request->n_sampled && !average; i++)
        if (w->request->sampled[i].line == line &&
            w->request->sampled[i].column == column)
            average = w->request->sampled[i].parameter;
    return average;
}

static struct gcal_walk_flow walk_clauses(struct gcal_walk *w,
                                          struct gcal_walk_loop_clauses loop)
{
    const struct gcal_sets_condition *fork;
    const char *average = find_average(w, loop.at);
    struct search s = { 0 };
    bool found;

    if (!average && w->request->prefers_samples) {
        gcal_walk_loop_refuse(w, &loop, false, "samples are preferred");
        return gcal_walk_flow_fall_through();
    }
    if (!average && (fork = fork_of(w, &loop)))
        return walk_forked(w, &loop, fork);
    if (!(s.changes = gcal_walk_inductions_find(w, &loop)))
        return gcal_walk_flow_fall_through();
    if (average) {
        struct gcal_walk_inductions *changes = s.changes;
        struct gcal_trips_count count = { .trips = gcal_poly_parameter(w->c, average) };

        return gcal_walk_loop_nest(w, &loop, changes, &count, true);
    }
    s.loop = &loop;
    s.v = gcal_poly_dimension(w->c, "iteration", gcal_poly_integer(w->c, INT32_MAX));
    found = find_trips(w, &s);
    gcal_walk_inductions_reset(w, s.changes);
    if (w->failed)
        return gcal_walk_flow_fall_through();
    if (found)
        return walk_counted(w, &s);
    loop.why = s.why;
    if (!s.is_endless && can_unroll(w, &loop))
        return gcal_walk_loop_unroll(w, &loop);
    gcal_walk_loop_refuse(w, &loop, s.on_data, s.why);
    return gcal_walk_flow_fall_through();
}
