/* switch.c - switch as conditions on its labels */
#include "kernels/walk/private.h"

enum { MOST_PARTS = 512 };

/* A statement between the braces, behind the labels in front of it. */
struct case_group {
    CXCursor statement;
    bool has_label, is_default;
    struct gcal_walk_predicate label; /* one of its labels fits */
    CXCursor at;
};

struct case_groups {
    size_t n;
    bool has_default;
    struct gcal_walk_value value;
    CXType type;
    struct gcal_walk_predicate any; /* some label fits */
    struct case_group all[MOST_PARTS];
};

static struct gcal_walk_predicate never(struct gcal_walk *w)
{
    const struct gcal_poly *below = gcal_poly_integer(w->c, -1);

    return (struct gcal_walk_predicate){
        .known = true, .when = gcal_sets_condition_nonnegative(w->c, below)
    };
}

/* A statement with its labels, which stand around it: case 1: case 2: x = 3; */
static void add_part(struct gcal_walk *w, struct case_groups *parts, CXCursor c)
{
    struct case_group part = { .label = never(w), .at = c };
    enum CXCursorKind kind;

    for (;; c = gcal_walk_get_children(w, c).c[kind == CXCursor_CaseStmt ? 1 : 0]) {
        struct gcal_walk_children kids = gcal_walk_get_children(w, c);
        struct gcal_walk_predicate fits;

        kind = clang_getCursorKind(c);
        if (kind == CXCursor_DefaultStmt && kids.n == 1) {
            part.is_default = part.has_label = parts->has_default = true;
        } else if (kind == CXCursor_CaseStmt && kids.n == 2) {
            fits = gcal_walk_compare(w, CXBinaryOperator_EQ, parts->type, parts->value,
                                     gcal_walk_constant(w, kids.c[0]));
            part.label = gcal_walk_predicate_or(w, part.label, fits);
            parts->any = gcal_walk_predicate_or(w, parts->any, fits);
            part.has_label = true;
        } else {
            break;
        }
    }
    if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt ||
        parts->n == MOST_PARTS) {
        gcal_walk_fail(w, c, "this label of a switch cannot be counted");
        return;
    }
    part.statement = c;
    parts->all[parts->n++] = part;
}

static bool read_parts(struct gcal_walk *w, CXCursor c, struct gcal_walk_children kids,
                       struct case_groups *parts)
{
    struct gcal_walk_children inner;

    parts->type = gcal_walk_type(kids.c[0]);
    parts->value = gcal_walk_index_expr(w, kids.c[0]);
    parts->any = never(w);
    if (clang_getCursorKind(kids.c[1]) != CXCursor_CompoundStmt) {
        gcal_walk_fail(w, c, "a switch without braces cannot be counted");
        return false;
    }
    inner = gcal_walk_get_children(w, kids.c[1]);
    for (size_t i = 0; i < inner.n && !w->failed; i++)
        add_part(w, parts, inner.c[i]);
    return !w->failed;
}

/* What is known while the parts go by. */
struct passing {
    struct gcal_walk_predicate entered; /* some label so far fits */
    struct gcal_walk_flow flow;         /* of what stood before */
    struct gcal_walk_variable *initial, *ended;
    size_t n_initial;
    bool has_ended; /* 'ended' holds the values of those that left by break */
};

/* The parts from 'i' to the next label, reached where 'entered' holds. */
static size_t walk_group(struct gcal_walk *w, const struct case_groups *parts, size_t i,
                         struct passing *p)
{
    const struct gcal_sets_scope *before = w->scope;
    const struct gcal_walk_path *path = w->path;
    const struct case_group *first = &parts->all[i];
    CXCursor statements[MOST_PARTS];
    int decided = gcal_walk_predicate_decide(w, &p->entered);
    struct gcal_walk_flow flow;
    size_t n = 0, n_events = w->n_events;

    do
        statements[n++] = parts->all[i++].statement;
    while (i < parts->n && !parts->all[i].has_label);
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

/* The values behind the switch: of all that leave it, where they agree. */
static void gather_values(struct gcal_walk *w, struct passing *p)
{
    struct gcal_walk_predicate unknown = { .on_data = false };
    size_t n;

    if (p->has_ended)
        gcal_walk_variables_merge(w, &unknown, p->ended, p->n_initial);
    p->ended = gcal_walk_variables_save(w, &n);
    p->has_ended = true;
}

static bool ends(const struct case_groups *parts, size_t next)
{
    enum CXCursorKind kind = clang_getCursorKind(parts->all[next - 1].statement);

    return kind == CXCursor_BreakStmt || kind == CXCursor_ReturnStmt ||
           kind == CXCursor_ContinueStmt;
}

/* Takes a label's condition into account; false when it never fits. */
static bool enter(struct gcal_walk *w, const struct case_groups *parts,
                  const struct case_group *part, struct passing *p)
{
    struct gcal_walk_predicate label = part->label;

    if (part->is_default)
        label = gcal_walk_predicate_or(w, label, gcal_walk_predicate_not(w, parts->any));
    if (part->has_label) {
        if (gcal_walk_predicate_decide(w, &label) < 0)
            gcal_walk_count_branch(w, part->at, label.known ? label.when : NULL);
        p->entered = gcal_walk_predicate_or(w, p->entered, label);
    }
    return gcal_walk_predicate_decide(w, &p->entered) != 0;
}

static struct gcal_walk_flow walk_parts(struct gcal_walk *w,
                                        const struct case_groups *parts)
{
    struct gcal_walk_predicate unknown = { .on_data = false };
    struct passing p = { .entered = never(w), .flow = gcal_walk_flow_fall_through() };
    bool ended = false;
    size_t i = 0;

    p.initial = gcal_walk_variables_save(w, &p.n_initial);
    while (i < parts->n && !w->failed) {
        bool entered = enter(w, parts, &parts->all[i], &p);

        i = walk_group(w, parts, i, &p);
        if (!entered)
            continue;
        ended = ends(parts, i);
        if (gcal_walk_flow_any_exit(w, &p.flow).kind == GCAL_WALK_EXIT_ALWAYS)
            return p.flow;
        if (ended) {
            gather_values(w, &p);
            gcal_walk_variables_restore(w, p.initial, p.n_initial);
        } else if (gcal_walk_predicate_decide(w, &p.entered) < 0) {
            gcal_walk_variables_merge(w, &unknown, p.initial, p.n_initial);
        }
    }
    if (ended && parts->has_default)
        gcal_walk_variables_restore(w, p.ended, p.n_initial);
    else if (p.has_ended)
        gather_values(w, &p);
    return p.flow;
}

/* A break inside of an if leaves with values that were not looked at. */
static void forget_changes(struct gcal_walk *w, CXCursor body,
                           const struct case_groups *parts)
{
    struct gcal_walk_loop_clauses whole = { .body = body };
    struct gcal_walk_inductions *changes;
    bool hidden = false;

    for (size_t i = 0; i < parts->n; i++)
        hidden = hidden ||
                 (clang_getCursorKind(parts->all[i].statement) != CXCursor_BreakStmt &&
                  gcal_walk_contains_jump(w, parts->all[i].statement, GCAL_WALK_BREAK));
    if (!hidden || !(changes = gcal_walk_inductions_find(w, &whole)))
        return;
    gcal_walk_inductions_finish(w, changes, NULL);
}

struct gcal_walk_flow gcal_walk_switch(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct case_groups *parts = gcal_poly_alloc(w->c, sizeof(*parts));
    struct gcal_walk_flow flow = gcal_walk_flow_fall_through();

    if (!parts || kids.n != 2) {
        gcal_walk_fail(w, c, "this switch was not understood");
        return flow;
    }
    *parts = (struct case_groups){ 0 };
    if (!read_parts(w, c, kids, parts))
        return flow;
    flow = walk_parts(w, parts);
    forget_changes(w, kids.c[1], parts);
    flow.ways[GCAL_WALK_BREAK].kind = GCAL_WALK_EXIT_NEVER; /* it ends here */
    return flow;
}
