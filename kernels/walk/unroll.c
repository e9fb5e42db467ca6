/* walk_unroll.c - loops run one iteration after the other, where each one's test decides
 *
 * For variables that double, halve or change in other ways that no dimension follows.
 */
#include "kernels/walk/private.h"

enum { MOST_IN_ALL = 1 << 14 };

/* 1: another iteration, 0: none; fails where that is not known. */
static int test(struct gcal_walk *w, const struct gcal_loop *loop)
{
    struct gcal_truth truth;
    int decided;

    if (clang_Cursor_isNull(loop->condition))
        return 1;
    truth = gcal_value_truth(w, gcal_walk_quietly(w, loop->condition));
    decided = gcal_truth_decide(w, &truth);
    if (decided < 0)
        gcal_loop_refuse(w, loop, !truth.known && truth.on_data,
                         truth.why ? truth.why : loop->why);
    return decided;
}

static bool is_within_limits(struct gcal_walk *w, const struct gcal_loop *loop,
                             size_t iteration)
{
    if (iteration < GCAL_MOST_UNROLLED && w->n_unrolled++ < MOST_IN_ALL)
        return true;
    gcal_walk_fail(w, loop->at,
                   "this loop is no affine one and runs too often to be followed: say "
                   "its average with '#pragma gpucal trips NAME' in the line before it");
    return false;
}

/* The variables that 'part' of the loop changes are not known behind it. */
static void forget(struct gcal_walk *w, struct gcal_loop part)
{
    struct gcal_changes *changes = gcal_changes_find(w, &part);

    if (changes)
        gcal_changes_finish(w, changes, NULL);
}

/* What a continue leaves out may have happened or not. */
static void forget_skipped(struct gcal_walk *w, CXCursor body)
{
    CXCursor null = clang_getNullCursor();
    bool is_block = clang_getCursorKind(body) == CXCursor_CompoundStmt;
    struct gcal_kids kids =
        is_block ? gcal_walk_kids(w, body) : (struct gcal_kids){ 1, &body };
    bool skipped = false;

    for (size_t i = 0; i < kids.n; i++) {
        skipped = skipped || gcal_holds_exit(w, kids.c[i], GCAL_CONTINUE);
        if (skipped)
            forget(w, (struct gcal_loop){ body, null, null, kids.c[i], false, NULL });
    }
}

/* The body, and what follows of the loop where it did not leave. */
static struct gcal_flow walk_once(struct gcal_walk *w, const struct gcal_loop *loop)
{
    struct gcal_flow flow = gcal_walk_stmt(w, loop->body);
    struct gcal_exit next = flow.ways[GCAL_CONTINUE], left;

    flow.ways[GCAL_CONTINUE].kind = EXIT_NEVER;
    if (next.kind == EXIT_WHEN || next.kind == EXIT_MAYBE)
        forget_skipped(w, loop->body);
    left = gcal_flow_left(w, &flow);
    if (left.kind == EXIT_MAYBE)
        gcal_loop_left_somewhen(w, &left);
    gcal_push_rest(w, loop->at, &flow);
    return flow;
}

struct gcal_flow gcal_loop_unroll(struct gcal_walk *w, const struct gcal_loop *loop)
{
    const struct gcal_domain *outside = w->domain;
    struct gcal_flow flow = gcal_flow_on();
    int broken;

    for (size_t i = 0; !w->failed; i++) {
        if ((i || !loop->tests_late) && test(w, loop) != 1)
            break;
        if (!is_within_limits(w, loop, i))
            break;
        flow = gcal_flow_then(w, flow, walk_once(w, loop));
        if (gcal_flow_left(w, &flow).kind == EXIT_ALWAYS)
            break;
        if (!clang_Cursor_isNull(loop->increment))
            gcal_walk_quietly(w, loop->increment);
    }
    w->domain = outside;
    broken = (int)flow.ways[GCAL_BREAK].kind;
    if (broken == EXIT_WHEN || broken == EXIT_MAYBE)
        forget(w, *loop);
    flow.ways[GCAL_BREAK].kind = EXIT_NEVER;
    return flow;
}
