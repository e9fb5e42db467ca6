/* unroll.c - loops executed iteration by iteration, each with a decided test; what the
 * source asks for; and whether an iteration writes a variable before it reads it
 *
 * For variables that double, halve or change in other ways that are not affine.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

enum { MOST_UNROLLED_IN_KERNEL = 1 << 14, MOST_GUARDED = 64 };

static bool has_size(struct gcal_walk *w, const struct gcal_sets_condition *x)
{
    return (x->p && gcal_poly_first_parameter(w->c, x->p)) ||
           (x->a && has_size(w, x->a)) || (x->b && has_size(w, x->b));
}

/* 1: another iteration, 0: none.  Where the test is a condition on ids alone, the loop
 * goes on as if it began with "if (!test) break"; fails where it depends on more.
 */
static int test(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop,
                size_t iteration, struct gcal_walk_flow *flow)
{
    struct gcal_walk_predicate predicate;
    struct gcal_walk_flow leaving = gcal_walk_flow_fall_through();
    int decided;

    if (clang_Cursor_isNull(loop->condition))
        return 1;
    predicate =
        gcal_walk_predicate_from_value(w, gcal_walk_index_expr(w, loop->condition));
    decided = gcal_walk_predicate_decide(w, &predicate);
    if (decided < 0 && predicate.known && iteration < MOST_GUARDED &&
        !has_size(w, predicate.when)) {
        leaving.exits[GCAL_WALK_BREAK] =
            (struct gcal_walk_exit){ GCAL_WALK_EXIT_WHEN,
                                     gcal_sets_condition_not(w->c, predicate.when), false,
                                     loop->at };
        *flow = gcal_walk_flow_sequence(w, *flow, leaving);
        gcal_walk_count_branch(w, loop->at, predicate.when);
        gcal_walk_push_remaining(w, loop->at, &leaving);
        return 1;
    }
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
    w->refused = loop->at;
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
        gcal_walk_inductions_finish(w, changes, NULL, NULL);
}

/* Forgets the changes of statements that a continue may have skipped. */
static void forget_skipped(struct gcal_walk *w, CXCursor body)
{
    CXCursor null = clang_getNullCursor();
    bool is_block = gcal_source_kind(body) == CXCursor_CompoundStmt;
    struct gcal_walk_children kids = is_block ? gcal_walk_get_children(w, body)
                                              : (struct gcal_walk_children){ 1, &body };
    bool skipped = false;

    for (size_t i = 0; i < kids.n; i++) {
        skipped = skipped || gcal_walk_contains_jump(w, kids.c[i], GCAL_WALK_CONTINUE);
        if (skipped)
            forget(w, (struct gcal_walk_loop_clauses){ body, null, null, kids.c[i], false,
                                                       NULL, 0 });
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

/* Returns whether arguments of the kernel are in the condition, which compilers do not know. */
static bool has_argument(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids;
    const struct gcal_walk_value *value;
    CXCursor decl;

    if (clang_Cursor_isNull(c))
        return false;
    decl = clang_getCursorReferenced(c);
    if (clang_getCursorKind(c) == CXCursor_DeclRefExpr &&
        clang_getCursorKind(decl) == CXCursor_ParmDecl) {
        value = gcal_walk_variable_find(w, decl);
        return !value || !value->folds;
    }
    kids = gcal_walk_get_children(w, c);
    for (size_t i = 0; i < kids.n; i++)
        if (has_argument(w, kids.c[i]))
            return true;
    return false;
}

/* Around the iteration that begins, or 'outer' where the loop is unrolled. */
static const struct gcal_sets_step *
begin_step(struct gcal_walk *w, const struct gcal_sets_step *outer, bool is_rolled)
{
    struct gcal_sets_step *step = is_rolled ? gcal_poly_alloc(w->c, sizeof(*step)) : NULL;

    if (!step)
        return outer;
    *step = (struct gcal_sets_step){ outer, w->running->run };
    return step;
}

/* Returns whether an increment is neither a sum nor a difference: a variable that doubles. */
static bool is_scaled(CXCursor increment)
{
    enum CXBinaryOperatorKind kind;

    if (clang_Cursor_isNull(increment) ||
        gcal_source_kind(increment) != CXCursor_CompoundAssignOperator)
        return false;
    kind = gcal_walk_compound_operator(clang_getCursorBinaryOperatorKind(increment));
    return kind != CXBinaryOperator_Add && kind != CXBinaryOperator_Sub;
}

/* Accounts for an unrolled loop of 'n' iterations, of which the largest has 'largest'
 * instructions: compilers unroll loops from within, so that all have as many, but where
 * a loop within 'scales' its variable: how often that runs is known once this one is unrolled.
 * Notes the accesses from 'first' on if they do not unroll it; loops that the source tells
 * them to unroll count once.
 */
static void finish_unrolled(struct gcal_walk *w,
                            const struct gcal_walk_loop_clauses *loop, size_t n,
                            size_t largest, bool scales, size_t instructions,
                            size_t first)
{
    struct gcal_walk_accesses *moved;

    if (scales && !loop->unrolled)
        w->n_instructions += n * GCAL_WALK_TEST_INSTRUCTIONS;
    else
        w->n_instructions = instructions + (loop->unrolled ? 1 : n) *
                                               (largest + GCAL_WALK_TEST_INSTRUCTIONS);
    if (w->n_instructions - instructions <= GCAL_WALK_MOST_INSTRUCTIONS ||
        w->nest->n_accesses == first)
        return;
    moved = gcal_array_grow(w->rolled_accesses, w->n_rolled, &w->rolled_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_walk_fail_memory(w);
        return;
    }
    w->rolled_accesses = moved;
    moved[w->n_rolled++] = (struct gcal_walk_accesses){ first, w->nest->n_accesses };
}

struct gcal_walk_flow gcal_walk_loop_unroll(struct gcal_walk *w,
                                            const struct gcal_walk_loop_clauses *loop)
{
    const struct gcal_sets_scope *outside = w->scope;
    struct gcal_walk_flow flow = gcal_walk_flow_fall_through();
    struct gcal_walk_running running = { w->running, loop->at,    w->frame, false,
                                         0,          ++w->n_runs, 0,        w->scope };
    const struct gcal_sets_step *step = w->step;
    bool is_rolled = has_argument(w, loop->condition);
    size_t instructions = w->n_instructions, first = w->nest->n_accesses, largest = 0, i;
    size_t n_scaled = w->n_scaled;
    int broken;

    w->running = &running;
    for (i = 0; !w->failed; i++) {
        size_t begun = w->n_instructions;

        running.iteration = i;
        if ((i || !loop->tests_late) && test(w, loop, i, &flow) != 1)
            break;
        if (!is_within_limits(w, loop, i))
            break;
        running.scope = w->scope;
        w->step = begin_step(w, step, is_rolled);
        flow = gcal_walk_flow_sequence(w, flow, walk_once(w, loop));
        if (w->n_instructions - begun > largest)
            largest = w->n_instructions - begun;
        if (gcal_walk_flow_any_exit(w, &flow).kind == GCAL_WALK_EXIT_ALWAYS)
            break;
        if (!clang_Cursor_isNull(loop->increment))
            gcal_walk_index_expr(w, loop->increment);
    }
    finish_unrolled(w, loop, i, largest, w->n_scaled != n_scaled, instructions, first);
    w->n_scaled += is_scaled(loop->increment);
    w->running = running.outer;
    w->step = step;
    w->scope = outside;
    broken = (int)flow.exits[GCAL_WALK_BREAK].kind;
    if (broken == GCAL_WALK_EXIT_WHEN || broken == GCAL_WALK_EXIT_MAYBE)
        forget(w, *loop);
    flow.exits[GCAL_WALK_BREAK].kind = GCAL_WALK_EXIT_NEVER;
    return flow;
}

/* ---- how often the source asks compilers to unroll a loop ---- */

/* The number after "unroll", "unroll_count" or "opencl_unroll_hint"; all trips without one,
 * or where a macro gives it.
 */
static int64_t read_number(const char *at, const char *end)
{
    const char *digits = at;
    char *rest;
    long number;

    while (digits < end && strchr(" \t(_acehilnotu", *digits))
        digits++;
    number = strtol(digits, &rest, 10);
    return digits < end && rest > digits && number > 0 ? number : GCAL_WALK_UNROLL_ALL;
}

int64_t gcal_walk_unroll_hint(const struct gcal_walk *w, CXCursor around, CXCursor loop)
{
    const char *text = w->unit->source + gcal_source_start(w->unit, around);
    const char *end = w->unit->source + gcal_source_start(w->unit, loop);
    const char *at;
    bool never, full;

    if (text >= end || !(at = strstr(text, "unroll")) || at >= end)
        return 0;
    never = (at - text >= 2 && strncmp(at - 2, "nounroll", 8) == 0) ||
            strncmp(at, "unroll(disable", 14) == 0;
    full = strncmp(at, "unroll(full", 11) == 0;
    if (never || strncmp(at, "unroll(enable", 13) == 0)
        return never ? 1 : 0;
    return full ? GCAL_WALK_UNROLL_ALL : read_number(at + strlen("unroll"), end);
}

/* ---- variables that an iteration writes before it reads them ----
 *
 * They carry nothing to the next iteration: "for (d.x = -r; ..)" in a loop over d.y.
 */

enum access { UNTOUCHED, READ, WRITTEN };

struct sought {
    CXCursor decl;
    int64_t at;
};

static enum access find_access(struct gcal_walk *w, const struct sought *s, CXCursor c);

/* Returns whether a place has the variable among its bytes. */
static bool overlaps(const struct sought *s, const struct gcal_walk_lvalue *place)
{
    return clang_equalCursors(s->decl, place->decl) && s->at >= place->from &&
           s->at < place->from + place->size;
}

static enum access first_of(struct gcal_walk *w, const struct sought *s, size_t n,
                            const CXCursor *c)
{
    enum access access = UNTOUCHED;

    for (size_t i = 0; i < n && access == UNTOUCHED && !w->failed; i++)
        if (!clang_Cursor_isNull(c[i]))
            access = find_access(w, s, c[i]);
    return access;
}

/* Of code that may not run. */
static enum access sometimes(enum access access)
{
    return access == UNTOUCHED ? UNTOUCHED : READ;
}

static enum access of_assignment(struct gcal_walk *w, const struct sought *s,
                                 struct gcal_walk_children kids)
{
    enum access access = find_access(w, s, kids.c[1]);
    struct gcal_walk_lvalue place;

    if (access != UNTOUCHED)
        return access;
    if (!gcal_walk_place_find(w, kids.c[0], &place))
        return find_access(w, s, kids.c[0]);
    if (!overlaps(s, &place))
        return UNTOUCHED;
    return place.somewhere || place.n_lanes ? READ : WRITTEN;
}

static enum access of_if(struct gcal_walk *w, const struct sought *s,
                         struct gcal_walk_children kids)
{
    enum access access = first_of(w, s, 1, kids.c), yes, no;

    if (access != UNTOUCHED || kids.n < 2)
        return access;
    yes = find_access(w, s, kids.c[1]);
    no = kids.n > 2 ? find_access(w, s, kids.c[2]) : UNTOUCHED;
    return yes == no ? yes : READ;
}

static enum access of_loop(struct gcal_walk *w, const struct sought *s, CXCursor c,
                           struct gcal_walk_children kids)
{
    CXCursor parts[4];
    enum access access;

    if (gcal_source_kind(c) == CXCursor_DoStmt)
        return first_of(w, s, kids.n, kids.c);
    if (gcal_source_kind(c) == CXCursor_ForStmt) {
        if (gcal_source_for_clauses(c, parts, w->err) < 0)
            return READ;
        access = first_of(w, s, 2, parts);
        return access != UNTOUCHED ? access : sometimes(first_of(w, s, 2, parts + 2));
    }
    access = first_of(w, s, 1, kids.c);
    return access != UNTOUCHED ? access
                               : sometimes(first_of(w, s, kids.n - 1, kids.c + 1));
}

static enum access find_access(struct gcal_walk *w, const struct sought *s, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXBinaryOperatorKind binary = clang_getCursorBinaryOperatorKind(c);
    struct gcal_walk_lvalue place;
    enum access access;

    if (gcal_walk_place_find(w, c, &place))
        return overlaps(s, &place) ? READ : UNTOUCHED;
    switch (kids.n ? gcal_source_kind(c) : CXCursor_NullStmt) {
    case CXCursor_BinaryOperator:
        if (binary == CXBinaryOperator_Assign && kids.n == 2)
            return of_assignment(w, s, kids);
        if (binary != CXBinaryOperator_LAnd && binary != CXBinaryOperator_LOr)
            return first_of(w, s, kids.n, kids.c);
        /* fall through */
    case CXCursor_ConditionalOperator:
    case CXCursor_SwitchStmt:
        access = first_of(w, s, 1, kids.c);
        return access != UNTOUCHED ? access
                                   : sometimes(first_of(w, s, kids.n - 1, kids.c + 1));
    case CXCursor_IfStmt:
        return of_if(w, s, kids);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        return of_loop(w, s, c, kids);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt:
        return sometimes(first_of(w, s, kids.n, kids.c));
    default:
        return first_of(w, s, kids.n, kids.c);
    }
}

bool gcal_walk_is_written_first(struct gcal_walk *w,
                                const struct gcal_walk_loop_clauses *loop,
                                const struct gcal_walk_induction *change)
{
    struct sought s = { change->decl, change->at };
    const CXCursor control[] = { loop->condition, loop->increment };

    return first_of(w, &s, 2, control) == UNTOUCHED &&
           find_access(w, &s, loop->body) == WRITTEN &&
           !gcal_walk_contains_jump(w, loop->body, GCAL_WALK_CONTINUE);
}
