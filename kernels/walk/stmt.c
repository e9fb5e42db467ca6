/* stmt.c - statements: declarations, conditions, switches, sequences with early exits */
#include "kernels/walk/private.h"

/* ---- exits by return, break and continue, and their conditions ---- */

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

/* ---- declarations ---- */

void gcal_walk_declare(struct gcal_walk *w, CXCursor decl)
{
    CXType type = gcal_source_type(decl);
    struct gcal_walk_children kids = gcal_walk_get_children(w, decl);
    struct gcal_walk_value value = gcal_walk_unknown("it has no value yet");
    bool is_array = gcal_source_is_array(type);
    /* array bounds are among the children, the initialiser is last */
    bool has_value = kids.n && (!is_array || gcal_source_kind(kids.c[kids.n - 1]) ==
                                                 CXCursor_InitListExpr);

    if (gcal_source_kind(decl) != CXCursor_VarDecl)
        return;
    gcal_walk_count_array_bytes(w, decl);
    /* __local variables and __constant tables are in memory and have no value here */
    if (gcal_source_space(decl) != GCAL_FEATURE_SPACE_ANY)
        return;
    if (gcal_source_is_reference(type)) {
        gcal_walk_refer(w, decl, kids.c[kids.n - 1]);
        return;
    }
    if (has_value && w->unit->language == GCAL_SOURCE_CUDA)
        has_value = !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(decl));
    if (has_value && w->unit->language == GCAL_SOURCE_CUDA &&
        clang_isConstQualifiedType(clang_getCursorType(decl)) &&
        gcal_walk_type_is_integer(type)) { /* with functions that compilers evaluate */
        value = gcal_walk_constant(w, kids.c[kids.n - 1]);
        has_value = value.kind != GCAL_WALK_VALUE_INTEGER;
        value.folds = !has_value;
    }
    if (has_value)
        value = gcal_walk_is_index(w, decl) || gcal_walk_type_is_pointer(type)
                    ? gcal_walk_index_expr(w, kids.c[kids.n - 1])
                    : gcal_walk_expr(w, kids.c[kids.n - 1]);
    if (is_array && has_value)
        gcal_walk_private_initialise(w, decl, value.folds);
    gcal_walk_variable_declare(w, decl, value);
    gcal_walk_chain_declare(w, decl, value.chain);
}

/* ---- conditions ---- */

static struct gcal_walk_flow walk_side(struct gcal_walk *w, CXCursor at, CXCursor side,
                                       const struct gcal_walk_predicate *predicate,
                                       bool holds)
{
    const struct gcal_sets_scope *before = w->scope;
    const struct gcal_walk_path *path = w->path;
    struct gcal_walk_flow flow;

    gcal_walk_push_predicate(w, at, predicate, holds);
    gcal_walk_path_push(w, predicate, holds);
    flow = gcal_walk_stmt(w, side);
    w->scope = before;
    w->path = path;
    return flow;
}

/* Returns whether control always leaves. */
static bool is_left(struct gcal_walk *w, const struct gcal_walk_flow *flow)
{
    return gcal_walk_flow_any_exit(w, flow).kind == GCAL_WALK_EXIT_ALWAYS;
}

static struct gcal_walk_flow walk_if(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_predicate predicate;
    int decided;

    if (kids.n < 2) {
        gcal_walk_fail(w, c, "this condition cannot be counted");
        return gcal_walk_flow_fall_through();
    }
    predicate = gcal_walk_predicate_from_value(w, gcal_walk_index_expr(w, kids.c[0]));
    decided = gcal_walk_predicate_decide(w, &predicate);
    if (decided == 1)
        return gcal_walk_stmt(w, kids.c[1]);
    if (decided == 0)
        return kids.n > 2 ? gcal_walk_stmt(w, kids.c[2]) : gcal_walk_flow_fall_through();
    CXCursor at = kids.c[0];
    struct gcal_walk_flow yes, no = gcal_walk_flow_fall_through();
    struct gcal_walk_variable *saved, *after;
    size_t n_saved, n_after, n_events = w->n_events;

    gcal_walk_count_branch(w, at, predicate.known ? predicate.when : NULL);
    saved = gcal_walk_variables_save(w, &n_saved);
    yes = walk_side(w, at, kids.c[1], &predicate, true);
    after = gcal_walk_variables_save(w, &n_after);
    gcal_walk_variables_restore(w, saved, n_saved);
    if (kids.n > 2)
        no = walk_side(w, at, kids.c[2], &predicate, false);
    gcal_walk_note_both_sides(w, at, &predicate, n_events);
    if (is_left(w, &no))
        gcal_walk_variables_restore(w, after, n_saved);
    else if (!is_left(w, &yes))
        gcal_walk_variables_merge(w, &predicate, after, n_saved);
    gcal_walk_variables_free(saved);
    gcal_walk_variables_free(after);
    return gcal_walk_flow_branch(w, at, &predicate, yes, no);
}

/* ---- statements ---- */

struct gcal_walk_flow gcal_walk_sequence(struct gcal_walk *w, size_t n, const CXCursor *c)
{
    const struct gcal_sets_scope *before = w->scope;
    struct gcal_walk_flow flow = gcal_walk_flow_fall_through(), one;
    size_t n_events = w->n_events;

    for (size_t i = 0; i < n && !w->failed && !is_left(w, &flow); i++) {
        one = gcal_walk_stmt(w, c[i]);
        if (gcal_walk_flow_any_exit(w, &flow).kind == GCAL_WALK_EXIT_NEVER)
            n_events = w->n_events;
        if (i + 1 < n)
            gcal_walk_push_remaining(w, c[i], &one);
        flow = gcal_walk_flow_sequence(w, flow, one);
    }
    /* Notes that statements after an exit under an unknown condition were counted. */
    for (int jump = 0; jump < GCAL_WALK_N_JUMPS && w->n_events != n_events; jump++) {
        const struct gcal_walk_exit *exit = &flow.exits[jump];

        if (exit->kind != GCAL_WALK_EXIT_MAYBE)
            continue;
        if (!exit->on_data)
            w->not_affine++;
        gcal_walk_note(w, exit->at,
                       "what follows was counted as if control never left here");
    }
    w->scope = before;
    return flow;
}

static struct gcal_walk_flow walk_block(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);

    return gcal_walk_sequence(w, kids.n, kids.c);
}

static struct gcal_walk_flow walk_return(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_value value = gcal_walk_unknown(NULL);

    if (kids.n && w->result)
        gcal_walk_return_reference(w, kids.c[0]);
    else if (kids.n)
        value = gcal_walk_expr(w, kids.c[0]);
    if (kids.n || w->changes_caller)
        gcal_walk_return_add(w, value);
    return gcal_walk_flow_jump(GCAL_WALK_RETURN, c);
}

/* ---- a switch, as conditions on its labels ---- */

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

static struct gcal_walk_flow walk_switch(struct gcal_walk *w, CXCursor c)
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

/* ---- any statement ---- */

static struct gcal_walk_flow walk_kind(struct gcal_walk *w, CXCursor c)
{
    enum CXCursorKind kind = gcal_source_kind(c);
    struct gcal_walk_children kids;

    switch (kind) {
    case CXCursor_CompoundStmt:
        return walk_block(w, c);
    case CXCursor_DeclStmt:
        kids = gcal_walk_get_children(w, c);
        for (size_t i = 0; i < kids.n; i++)
            gcal_walk_declare(w, kids.c[i]);
        return gcal_walk_flow_fall_through();
    case CXCursor_NullStmt:
        return gcal_walk_flow_fall_through();
    case CXCursor_IfStmt:
        return walk_if(w, c);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        return gcal_walk_loop(w, c);
    case CXCursor_SwitchStmt:
        return walk_switch(w, c);
    case CXCursor_ReturnStmt:
        return walk_return(w, c);
    case CXCursor_BreakStmt:
        return gcal_walk_flow_jump(GCAL_WALK_BREAK, c);
    case CXCursor_ContinueStmt:
        return gcal_walk_flow_jump(GCAL_WALK_CONTINUE, c);
    case CXCursor_UnexposedStmt: /* "#pragma unroll" or an attribute before a loop */
        kids = gcal_walk_get_children(w, c);
        if (!kids.n)
            return gcal_walk_flow_fall_through();
        w->unroll_hint = gcal_walk_unroll_hint(w, c, kids.c[kids.n - 1]);
        return gcal_walk_stmt(w, kids.c[kids.n - 1]);
    case CXCursor_LabelStmt: /* only a name, unless a goto jumps to it */
        kids = gcal_walk_get_children(w, c);
        return kids.n ? gcal_walk_stmt(w, kids.c[0]) : gcal_walk_flow_fall_through();
    case CXCursor_GCCAsmStmt:
        gcal_walk_assembly(w, c);
        return gcal_walk_flow_fall_through();
    case CXCursor_CXXForRangeStmt:
        gcal_walk_fail(w, c,
                       "a loop over a range cannot be counted: write one with a "
                       "counter");
        return gcal_walk_flow_fall_through();
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
        gcal_walk_fail(w, c, "goto cannot be counted: write a loop or an if");
        return gcal_walk_flow_fall_through();
    default:
        w->unused = gcal_walk_strip_casts(w, c);
        if (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr)
            gcal_walk_expr(w, c);
        else
            gcal_walk_fail(w, c, "this statement cannot be counted");
        return gcal_walk_flow_fall_through();
    }
}

struct gcal_walk_flow gcal_walk_stmt(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_flow flow;

    if (!gcal_walk_enter(w, c))
        return gcal_walk_flow_fall_through();
    flow = walk_kind(w, c);
    gcal_walk_leave(w);
    return flow;
}
