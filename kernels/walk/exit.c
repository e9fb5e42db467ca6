/* exit.c - how statements are left: by return, break, continue, and where */
#include "kernels/walk/private.h"

struct gcal_walk_flow gcal_walk_flow_fall_through(void)
{
    return (struct gcal_walk_flow){ .ways = { { .kind = GCAL_WALK_EXIT_NEVER } } };
}

struct gcal_walk_flow gcal_walk_flow_jump(enum gcal_walk_jump way, CXCursor at)
{
    struct gcal_walk_flow flow = gcal_walk_flow_fall_through();

    flow.ways[way].kind = GCAL_WALK_EXIT_ALWAYS;
    flow.ways[way].at = at;
    return flow;
}

static bool is(struct gcal_walk_exit a, int kind)
{
    return (int)a.kind == kind;
}

struct gcal_walk_exit gcal_walk_exit_or(struct gcal_walk *w, struct gcal_walk_exit a,
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
    CXCursor at = b.at; /* what leaves, and not its condition */

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
    struct gcal_walk_exit left = flow->ways[0];

    for (int way = 1; way < GCAL_WALK_N_JUMPS; way++)
        left = gcal_walk_exit_or(w, left, flow->ways[way]);
    return left;
}

struct gcal_walk_flow gcal_walk_flow_restrict(struct gcal_walk *w,
                                              struct gcal_walk_exit reached,
                                              struct gcal_walk_flow flow)
{
    for (int way = 0; way < GCAL_WALK_N_JUMPS; way++)
        flow.ways[way] = gcal_walk_exit_and(w, reached, flow.ways[way]);
    return flow;
}

struct gcal_walk_flow gcal_walk_flow_sequence(struct gcal_walk *w,
                                              struct gcal_walk_flow first,
                                              struct gcal_walk_flow second)
{
    struct gcal_walk_flow flow;

    for (int way = 0; way < GCAL_WALK_N_JUMPS; way++) {
        struct gcal_walk_flow others = first;
        struct gcal_walk_exit reached;

        /* what left in this way before needs no exclusion: either will do */
        others.ways[way] = (struct gcal_walk_exit){ .kind = GCAL_WALK_EXIT_NEVER };
        reached = gcal_walk_exit_not(w, gcal_walk_flow_any_exit(w, &others));
        flow.ways[way] = gcal_walk_exit_or(
            w, first.ways[way], gcal_walk_exit_and(w, reached, second.ways[way]));
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

    for (int way = 0; way < GCAL_WALK_N_JUMPS; way++) {
        if (is(yes.ways[way], GCAL_WALK_EXIT_ALWAYS) &&
            is(no.ways[way], GCAL_WALK_EXIT_ALWAYS)) {
            flow.ways[way] = yes.ways[way];
            continue;
        }
        flow.ways[way] = gcal_walk_exit_or(w, gcal_walk_exit_and(w, holds, yes.ways[way]),
                                           gcal_walk_exit_and(w, fails, no.ways[way]));
    }
    return flow;
}

void gcal_walk_push_remaining(struct gcal_walk *w, CXCursor at,
                              const struct gcal_walk_flow *flow)
{
    bool maybe = false;

    for (int way = 0; way < GCAL_WALK_N_JUMPS; way++) {
        if (is(flow->ways[way], GCAL_WALK_EXIT_WHEN))
            gcal_walk_push_condition(w, at,
                                     gcal_sets_condition_not(w->c, flow->ways[way].when));
        maybe = maybe || is(flow->ways[way], GCAL_WALK_EXIT_MAYBE);
    }
    if (maybe)
        gcal_walk_push_condition(w, at, NULL);
}
