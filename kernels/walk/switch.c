/* switch.c - a switch as conditions on its labels */
#include "kernels/walk/private.h"

enum { MOST_STATEMENTS = 512 };

/* A statement in the switch, with its labels. */
struct switch_statement {
    CXCursor statement;
    bool has_label, is_default;
    struct gcal_walk_predicate label; /* one of its labels matches */
    CXCursor at;
};

struct switch_body {
    size_t n;
    bool has_default;
    struct gcal_walk_value value;
    CXType type;
    struct gcal_walk_predicate any; /* some label matches */
    struct switch_statement all[MOST_STATEMENTS];
};

static struct gcal_walk_predicate never(struct gcal_walk *w)
{
    const struct gcal_poly *below = gcal_poly_integer(w->c, -1);

    return (struct gcal_walk_predicate){
        .known = true, .when = gcal_sets_condition_nonnegative(w->c, below)
    };
}

/* Adds a statement; its labels are its parents: case 1: case 2: x = 3; */
static void add_statement(struct gcal_walk *w, struct switch_body *body, CXCursor c)
{
    struct switch_statement statement = { .label = never(w), .at = c };
    enum CXCursorKind kind;

    for (;; c = gcal_walk_get_children(w, c).c[kind == CXCursor_CaseStmt ? 1 : 0]) {
        struct gcal_walk_children kids = gcal_walk_get_children(w, c);
        struct gcal_walk_predicate fits;

        kind = gcal_source_kind(c);
        if (kind == CXCursor_DefaultStmt && kids.n == 1) {
            statement.is_default = statement.has_label = body->has_default = true;
        } else if (kind == CXCursor_CaseStmt && kids.n == 2) {
            fits = gcal_walk_compare(w, CXBinaryOperator_EQ, body->type, body->value,
                                     gcal_walk_constant(w, kids.c[0]));
            statement.label = gcal_walk_predicate_or(w, statement.label, fits);
            body->any = gcal_walk_predicate_or(w, body->any, fits);
            statement.has_label = true;
        } else {
            break;
        }
    }
    if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt ||
        body->n == MOST_STATEMENTS) {
        gcal_walk_fail(w, c, "this label of a switch cannot be counted");
        return;
    }
    statement.statement = c;
    body->all[body->n++] = statement;
}

static bool read_body(struct gcal_walk *w, CXCursor c, struct gcal_walk_children kids,
                      struct switch_body *body)
{
    struct gcal_walk_children inner;

    body->type = gcal_source_type(kids.c[0]);
    body->value = gcal_walk_index_expr(w, kids.c[0]);
    body->any = never(w);
    if (gcal_source_kind(kids.c[1]) != CXCursor_CompoundStmt) {
        gcal_walk_fail(w, c, "a switch without braces cannot be counted");
        return false;
    }
    inner = gcal_walk_get_children(w, kids.c[1]);
    for (size_t i = 0; i < inner.n && !w->failed; i++)
        add_statement(w, body, inner.c[i]);
    return !w->failed;
}

/* The state while the statements are walked in order. */
struct state {
    struct gcal_walk_predicate entered; /* some label so far matches */
    struct gcal_walk_flow flow;         /* of the statements before */
    struct gcal_walk_variable *initial, *ended;
    size_t n_initial;
    bool has_ended; /* 'ended' has the values at the breaks so far, */
    struct gcal_walk_predicate ended_when; /* of those that had entered until then */
};

/* Walks the statements from 'i' to the next label, reached where 'entered' holds. */
static size_t walk_group(struct gcal_walk *w, const struct switch_body *body, size_t i,
                         struct state *p)
{
    const struct gcal_sets_scope *before = w->scope;
    const struct gcal_walk_path *path = w->path;
    const struct switch_statement *first = &body->all[i];
    CXCursor statements[MOST_STATEMENTS];
    int decided = gcal_walk_predicate_decide(w, &p->entered);
    struct gcal_walk_flow flow;
    size_t n = 0, n_events = w->n_events;

    do
        statements[n++] = body->all[i++].statement;
    while (i < body->n && !body->all[i].has_label);
    if (decided == 0)
        return i;
    gcal_walk_push_remaining(w, first->at, &p->flow);
    if (decided < 0)
        gcal_walk_push_predicate(w, first->at, &p->entered, true);
    gcal_walk_path_push(w, &p->entered, true);
    flow = gcal_walk_sequence(w, n, statements);
    w->scope = before;
    w->path = path;
    if (decided < 0) {
        gcal_walk_note_both_sides(w, first->at, &p->entered, n_events);
        flow = gcal_walk_flow_restrict(
            w, gcal_walk_exit_from_predicate(w, &p->entered, first->at, true), flow);
    }
    p->flow = gcal_walk_flow_sequence(w, p->flow, flow);
    return i;
}

/* Merges the values at a break into those after the switch. */
static void gather_values(struct gcal_walk *w, struct state *p)
{
    size_t n;

    if (p->has_ended)
        gcal_walk_variables_merge(w, &p->ended_when, p->ended, p->n_initial);
    gcal_walk_variables_free(p->ended);
    p->ended = gcal_walk_variables_save(w, &n);
    p->ended_when = p->entered;
    p->has_ended = true;
}

static struct gcal_walk_flow walk_body(struct gcal_walk *w,
                                       const struct switch_body *body)
{
    struct gcal_walk_predicate outside;
    struct state p = { .entered = never(w), .flow = gcal_walk_flow_fall_through() };
    bool ended = false;
    size_t i = 0;

    p.initial = gcal_walk_variables_save(w, &p.n_initial);
    while (i < body->n && !w->failed) {
        /* Adds a statement's labels to 'entered'; false when it is never reached. */
        struct gcal_walk_predicate label = body->all[i].label;

        if (body->all[i].is_default)
            label =
                gcal_walk_predicate_or(w, label, gcal_walk_predicate_not(w, body->any));
        if (body->all[i].has_label) {
            if (gcal_walk_predicate_decide(w, &label) < 0)
                gcal_walk_count_branch(w, body->all[i].at,
                                       label.known ? label.when : NULL);
            p.entered = gcal_walk_predicate_or(w, p.entered, label);
        }
        bool entered = gcal_walk_predicate_decide(w, &p.entered) != 0;

        i = walk_group(w, body, i, &p);
        if (!entered)
            continue;
        enum CXCursorKind kind = gcal_source_kind(body->all[i - 1].statement);
        ended = kind == CXCursor_BreakStmt || kind == CXCursor_ReturnStmt ||
                kind == CXCursor_ContinueStmt;
        if (gcal_walk_flow_any_exit(w, &p.flow).kind == GCAL_WALK_EXIT_ALWAYS)
            goto done;
        if (ended) {
            gather_values(w, &p);
            gcal_walk_variables_restore(w, p.initial, p.n_initial);
        } else if (gcal_walk_predicate_decide(w, &p.entered) < 0 &&
                   !(body->has_default && i == body->n)) {
            outside = gcal_walk_predicate_not(w, p.entered);
            gcal_walk_variables_merge(w, &outside, p.initial, p.n_initial);
        }
    }
    if (ended && body->has_default)
        gcal_walk_variables_restore(w, p.ended, p.n_initial);
    else if (p.has_ended)
        gather_values(w, &p);
done:
    gcal_walk_variables_free(p.initial);
    gcal_walk_variables_free(p.ended);
    return p.flow;
}

/* The values at a break inside an if are unknown. */
static void forget_changes(struct gcal_walk *w, CXCursor braces,
                           const struct switch_body *body)
{
    struct gcal_walk_loop_clauses whole = { .body = braces };
    struct gcal_walk_inductions *changes;
    bool hidden = false;

    for (size_t i = 0; i < body->n; i++)
        hidden = hidden ||
                 (gcal_source_kind(body->all[i].statement) != CXCursor_BreakStmt &&
                  gcal_walk_contains_jump(w, body->all[i].statement, GCAL_WALK_BREAK));
    if (!hidden || !(changes = gcal_walk_inductions_find(w, &whole)))
        return;
    gcal_walk_inductions_finish(w, changes, NULL, NULL);
}

struct gcal_walk_flow gcal_walk_switch(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct switch_body *body = gcal_poly_alloc(w->c, sizeof(*body));
    struct gcal_walk_flow flow = gcal_walk_flow_fall_through();

    if (!body || kids.n != 2) {
        gcal_walk_fail(w, c, "this switch cannot be counted");
        return flow;
    }
    *body = (struct switch_body){ 0 };
    if (!read_body(w, c, kids, body))
        return flow;
    flow = walk_body(w, body);
    forget_changes(w, kids.c[1], body);
    flow.exits[GCAL_WALK_BREAK].kind = GCAL_WALK_EXIT_NEVER; /* it ends here */
    return flow;
}
