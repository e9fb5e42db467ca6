/* exit.c - exits of statements by return, break and continue, and their conditions */
#include "kernels/walk/private.h"

struct gcal_walk_flow gcal_walk_flow_fall_through(void)
{
    return (struct gcal_walk_flow){ .exits = { { .kind = GCAL_WALK_EXIT_NEVER } } };
}

struct gcal_walk_flow gcal_walk_flow_jump(enum gcal_walk_jump jump, CXCursor at)
{
    struct gcal_walk_flow flow = gcal_walk_flow_fall_through();

    flow.exits[jump].kind = GCAL_WALK_EXIT_ALWAYS;
    flow.exits[jump].at = at;
    return flow;
}

static bool is(struct gcal_walk_exit a, int kind)
{
    return (int)a.kind == kind;
}

static struct gcal_walk_exit exit_or(struct gcal_walk *w, struct gcal_walk_exit a,
                                     struct gcal_walk_exit b)
{
    if (is(a, GCAL_WALK_EXIT_NEVER) || is(b, GCAL_WALK_EXIT_ALWAYS))
        return b;
    if (is(b, GCAL_WALK_EXIT_NEVER) || is(a, GCAL_WALK_EXIT_ALWAYS) ||
        is(a, GCAL_WALK_EXIT_MAYBE))
        return a;
    if (is(b, GCAL_WALK_EXIT_MAYBE))
        return b;
    a.when = gcal_sets_condition_or(w->c, a.when, b.when);
    return a;
}

struct gcal_walk_exit gcal_walk_exit_and(struct gcal_walk *w, struct gcal_walk_exit a,
                                         struct gcal_walk_exit b)
{
    CXCursor at = b.at; /* the jump, not its condition */

    if (is(a, GCAL_WALK_EXIT_NEVER) || is(b, GCAL_WALK_EXIT_NEVER))
        return (struct gcal_walk_exit){ .kind = GCAL_WALK_EXIT_NEVER };
    if (is(b, GCAL_WALK_EXIT_ALWAYS))
        b = a;
    else if (is(a, GCAL_WALK_EXIT_MAYBE))
        b = a;
    else if (is(a, GCAL_WALK_EXIT_WHEN) && is(b, GCAL_WALK_EXIT_WHEN))
        b.when = gcal_sets_condition_and(w->c, a.when, b.when);
    b.at = at;
    return b;
}

struct gcal_walk_exit gcal_walk_exit_not(struct gcal_walk *w, struct gcal_walk_exit a)
{
    if (is(a, GCAL_WALK_EXIT_NEVER) || is(a, GCAL_WALK_EXIT_ALWAYS))
        a.kind =
            is(a, GCAL_WALK_EXIT_NEVER) ? GCAL_WALK_EXIT_ALWAYS : GCAL_WALK_EXIT_NEVER;
    else if (is(a, GCAL_WALK_EXIT_WHEN))
        a.when = gcal_sets_condition_not(w->c, a.when);
    return a;
}

struct gcal_walk_exit
gcal_walk_exit_from_predicate(struct gcal_walk *w,
                              const struct gcal_walk_predicate *predicate, CXCursor at,
                              bool holds)
{
    struct gcal_walk_exit taken = { .kind = GCAL_WALK_EXIT_MAYBE,
                                    .on_data = predicate->on_data,
                                    .at = at };

    if (predicate->known) {
        taken.kind = GCAL_WALK_EXIT_WHEN;
        taken.when =
            holds ? predicate->when : gcal_sets_condition_not(w->c, predicate->when);
    }
    return taken;
}

struct gcal_walk_exit gcal_walk_flow_any_exit(struct gcal_walk *w,
                                              const struct gcal_walk_flow *flow)
{
    struct gcal_walk_exit left = flow->exits[0];

    for (int jump = 1; jump < GCAL_WALK_N_JUMPS; jump++)
        left = exit_or(w, left, flow->exits[jump]);
    return left;
}

struct gcal_walk_flow gcal_walk_flow_restrict(struct gcal_walk *w,
                                              struct gcal_walk_exit reached,
                                              struct gcal_walk_flow flow)
{
    for (int jump = 0; jump < GCAL_WALK_N_JUMPS; jump++)
        flow.exits[jump] = gcal_walk_exit_and(w, reached, flow.exits[jump]);
    return flow;
}

struct gcal_walk_flow gcal_walk_flow_sequence(struct gcal_walk *w,
                                              struct gcal_walk_flow first,
                                              struct gcal_walk_flow second)
{
    struct gcal_walk_flow flow;

    for (int jump = 0; jump < GCAL_WALK_N_JUMPS; jump++) {
        struct gcal_walk_flow others = first;
        struct gcal_walk_exit reached;

        /* earlier exits by the same jump are not excluded: the result is the same */
        others.exits[jump] = (struct gcal_walk_exit){ .kind = GCAL_WALK_EXIT_NEVER };
        reached = gcal_walk_exit_not(w, gcal_walk_flow_any_exit(w, &others));
        flow.exits[jump] = exit_or(w, first.exits[jump],
                                   gcal_walk_exit_and(w, reached, second.exits[jump]));
    }
    return flow;
}

struct gcal_walk_flow gcal_walk_flow_branch(struct gcal_walk *w, CXCursor at,
                                            const struct gcal_walk_predicate *predicate,
                                            struct gcal_walk_flow yes,
                                            struct gcal_walk_flow no)
{
    struct gcal_walk_exit holds = gcal_walk_exit_from_predicate(w, predicate, at, true);
    struct gcal_walk_exit fails = gcal_walk_exit_from_predicate(w, predicate, at, false);
    struct gcal_walk_flow flow;

    for (int jump = 0; jump < GCAL_WALK_N_JUMPS; jump++) {
        if (is(yes.exits[jump], GCAL_WALK_EXIT_ALWAYS) &&
            is(no.exits[jump], GCAL_WALK_EXIT_ALWAYS)) {
            flow.exits[jump] = yes.exits[jump];
            continue;
        }
        flow.exits[jump] = exit_or(w, gcal_walk_exit_and(w, holds, yes.exits[jump]),
                                   gcal_walk_exit_and(w, fails, no.exits[jump]));
    }
    return flow;
}

void gcal_walk_push_remaining(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_flow *flow)
{
    bool maybe = false;

    for (int jump = 0; jump < GCAL_WALK_N_JUMPS; jump++) {
        if (is(flow->exits[jump], GCAL_WALK_EXIT_WHEN))
            gcal_walk_push_condition(
                w, at, gcal_sets_condition_not(w->c, flow->exits[jump].when));
        maybe = maybe || is(flow->exits[jump], GCAL_WALK_EXIT_MAYBE);
    }
    if (maybe)
        gcal_walk_push_condition(w, at, NULL);
}
