/* walk_exit.c - how statements are left: by return, break, continue, and where */
#include "kernels/walk/private.h"

struct gcal_flow gcal_flow_on(void)
{
    return (struct gcal_flow){ .ways = { { .kind = EXIT_NEVER } } };
}

struct gcal_flow gcal_flow_leave(enum gcal_way way, CXCursor at)
{
    struct gcal_flow flow = gcal_flow_on();

    flow.ways[way].kind = EXIT_ALWAYS;
    flow.ways[way].at = at;
    return flow;
}

static bool is(struct gcal_exit a, int kind)
{
    return (int)a.kind == kind;
}

struct gcal_exit gcal_exit_either(struct gcal_walk *w, struct gcal_exit a,
                                  struct gcal_exit b)
{
    if (is(a, EXIT_NEVER) || is(b, EXIT_ALWAYS))
        return b;
    if (is(b, EXIT_NEVER) || is(a, EXIT_ALWAYS) || is(a, EXIT_MAYBE))
        return a;
    if (is(b, EXIT_MAYBE))
        return b;
    a.when = gcal_condition_or(w->c, a.when, b.when);
    return a;
}

struct gcal_exit gcal_exit_both(struct gcal_walk *w, struct gcal_exit a,
                                struct gcal_exit b)
{
    CXCursor at = b.at; /* what leaves, and not its condition */

    if (is(a, EXIT_NEVER) || is(b, EXIT_NEVER))
        return (struct gcal_exit){ .kind = EXIT_NEVER };
    if (is(b, EXIT_ALWAYS))
        b = a;
    else if (is(a, EXIT_MAYBE))
        b = a;
    else if (is(a, EXIT_WHEN) && is(b, EXIT_WHEN))
        b.when = gcal_condition_and(w->c, a.when, b.when);
    b.at = at;
    return b;
}

struct gcal_exit gcal_exit_not(struct gcal_walk *w, struct gcal_exit a)
{
    if (is(a, EXIT_NEVER) || is(a, EXIT_ALWAYS))
        a.kind = is(a, EXIT_NEVER) ? EXIT_ALWAYS : EXIT_NEVER;
    else if (is(a, EXIT_WHEN))
        a.when = gcal_condition_not(w->c, a.when);
    return a;
}

struct gcal_exit gcal_exit_of(struct gcal_walk *w, const struct gcal_truth *truth,
                              CXCursor at, bool holds)
{
    struct gcal_exit taken = { .kind = EXIT_MAYBE, .on_data = truth->on_data, .at = at };

    if (truth->known) {
        taken.kind = EXIT_WHEN;
        taken.when = holds ? truth->when : gcal_condition_not(w->c, truth->when);
    }
    return taken;
}

struct gcal_exit gcal_flow_left(struct gcal_walk *w, const struct gcal_flow *flow)
{
    struct gcal_exit left = flow->ways[0];

    for (int way = 1; way < GCAL_WAYS; way++)
        left = gcal_exit_either(w, left, flow->ways[way]);
    return left;
}

struct gcal_flow gcal_flow_within(struct gcal_walk *w, struct gcal_exit reached,
                                  struct gcal_flow flow)
{
    for (int way = 0; way < GCAL_WAYS; way++)
        flow.ways[way] = gcal_exit_both(w, reached, flow.ways[way]);
    return flow;
}

struct gcal_flow gcal_flow_then(struct gcal_walk *w, struct gcal_flow first,
                                struct gcal_flow second)
{
    struct gcal_flow flow;

    for (int way = 0; way < GCAL_WAYS; way++) {
        struct gcal_flow others = first;
        struct gcal_exit reached;

        /* what left in this way before needs no exclusion: either will do */
        others.ways[way] = (struct gcal_exit){ .kind = EXIT_NEVER };
        reached = gcal_exit_not(w, gcal_flow_left(w, &others));
        flow.ways[way] = gcal_exit_either(w, first.ways[way],
                                          gcal_exit_both(w, reached, second.ways[way]));
    }
    return flow;
}

struct gcal_flow gcal_flow_branch(struct gcal_walk *w, CXCursor at,
                                  const struct gcal_truth *truth, struct gcal_flow yes,
                                  struct gcal_flow no)
{
    struct gcal_exit holds = gcal_exit_of(w, truth, at, true);
    struct gcal_exit fails = gcal_exit_of(w, truth, at, false);
    struct gcal_flow flow;

    for (int way = 0; way < GCAL_WAYS; way++) {
        if (is(yes.ways[way], EXIT_ALWAYS) && is(no.ways[way], EXIT_ALWAYS)) {
            flow.ways[way] = yes.ways[way];
            continue;
        }
        flow.ways[way] = gcal_exit_either(w, gcal_exit_both(w, holds, yes.ways[way]),
                                          gcal_exit_both(w, fails, no.ways[way]));
    }
    return flow;
}

void gcal_push_rest(struct gcal_walk *w, CXCursor at, const struct gcal_flow *flow)
{
    bool maybe = false;

    for (int way = 0; way < GCAL_WAYS; way++) {
        if (is(flow->ways[way], EXIT_WHEN))
            gcal_push_condition(w, at, gcal_condition_not(w->c, flow->ways[way].when));
        maybe = maybe || is(flow->ways[way], EXIT_MAYBE);
    }
    if (maybe)
        gcal_push_condition(w, at, NULL);
}
