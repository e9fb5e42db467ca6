/* unroll.c - loops executed iteration by iteration, each with a decided test
 *
 * For variables that double, halve or change in other ways that are not affine.
 */
#include "kernels/walk/private.h"

enum { MOST_UNROLLED_IN_KERNEL = 1 << 14 };

/* 1: another iteration, 0: none; fails where the test is not decided. */
static int test(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop)
{
    struct gcal_walk_predicate predicate;
    int decided;

    if (clang_Cursor_isNull(loop->condition))
        return 1;
    predicate =
        gcal_walk_predicate_from_value(w, gcal_walk_index_expr(w, loop->condition));
    decided = gcal_walk_predicate_decide(w, &predicate);
    if (decided < 0)
        gcal_walk_loop_refuse(w, loop, !predicate.known && predicate.on_data,
                              predicate.why ? predicate.why : loop->why);
    return decided;
}

static bool is_within_limits(struct gcal_walk *w,
                             const struct gcal_walk_loop_clauses *loop, size_t iteration)
{
    if (iteration < GCAL_WALK_MAX_UNROLLED && w->n_unrolled++ < MOST_UNROLLED_IN_KERNEL)
        return true;
    gcal_walk_fail(w, loop->at,
                   "this loop is not affine and runs too often to be unrolled: give its "
                   "average with '#pragma gpucal trips NAME' in the line before it");
    return false;
}

/* Makes the variables that a part of the loop changes unknown. */
static void forget(struct gcal_walk *w, struct gcal_walk_loop_clauses part)
{
    struct gcal_walk_inductions *changes = gcal_walk_inductions_find(w, &part);

    if (changes)
        gcal_walk_inductions_finish(w, changes, NULL);
}

/* Forgets the changes of statements that a continue may have skipped. */
static void forget_skipped(struct gcal_walk *w, CXCursor body)
{
    CXCursor null = clang_getNullCursor();
    bool is_block = clang_getCursorKind(body) == CXCursor_CompoundStmt;
    struct gcal_walk_children kids = is_block ? gcal_walk_get_children(w, body)
                                              : (struct gcal_walk_children){ 1, &body };
    bool skipped = false;

    for (size_t i = 0; i < kids.n; i++) {
        skipped = skipped || gcal_walk_contains_jump(w, kids.c[i], GCAL_WALK_CONTINUE);
        if (skipped)
            forget(w, (struct gcal_walk_loop_clauses){ body, null, null, kids.c[i], false,
                                                       NULL });
    }
}

/* One execution of the body, and the scope of what follows it. */
static struct gcal_walk_flow walk_once(struct gcal_walk *w,
                                       const struct gcal_walk_loop_clauses *loop)
{
    struct gcal_walk_flow flow = gcal_walk_stmt(w, loop->body);
    struct gcal_walk_exit next = flow.exits[GCAL_WALK_CONTINUE], left;

    flow.exits[GCAL_WALK_CONTINUE].kind = GCAL_WALK_EXIT_NEVER;
    if (next.kind == GCAL_WALK_EXIT_WHEN || next.kind == GCAL_WALK_EXIT_MAYBE)
        forget_skipped(w, loop->body);
    left = gcal_walk_flow_any_exit(w, &flow);
    if (left.kind == GCAL_WALK_EXIT_MAYBE)
        gcal_walk_loop_uncertain_exit(w, &left);
    gcal_walk_push_remaining(w, loop->at, &flow);
    return flow;
}

struct gcal_walk_flow gcal_walk_loop_unroll(struct gcal_walk *w,
                                            const struct gcal_walk_loop_clauses *loop)
{
    const struct gcal_sets_scope *outside = w->scope;
    struct gcal_walk_flow flow = gcal_walk_flow_fall_through();
    int broken;

    for (size_t i = 0; !w->failed; i++) {
        if ((i || !loop->tests_late) && test(w, loop) != 1)
            break;
        if (!is_within_limits(w, loop, i))
            break;
        flow = gcal_walk_flow_sequence(w, flow, walk_once(w, loop));
        if (gcal_walk_flow_any_exit(w, &flow).kind == GCAL_WALK_EXIT_ALWAYS)
            break;
        if (!clang_Cursor_isNull(loop->increment))
            gcal_walk_index_expr(w, loop->increment);
    }
    w->scope = outside;
    broken = (int)flow.exits[GCAL_WALK_BREAK].kind;
    if (broken == GCAL_WALK_EXIT_WHEN || broken == GCAL_WALK_EXIT_MAYBE)
        forget(w, *loop);
    flow.exits[GCAL_WALK_BREAK].kind = GCAL_WALK_EXIT_NEVER;
    return flow;
}
