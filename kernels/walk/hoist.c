/* hoist.c - operations that are the same in each iteration of a loop
 *
 * All compilers move them before the loop.  Which ones they are is found in the syntax tree: what is
 * made of constants, ids, sizes, arguments, and variables that the loop does not assign, or
 * declares with such a value.  What is loaded is the same if its place is, and if nothing in the
 * loop may write there: it is in __constant memory or at an argument that is const and restrict,
 * or the loop has no store, atomic operation, barrier or call of a function of the source.
 *
 * Work moves with its conditions: it stays in a loop whose iterations decide whether it is done.
 * Where the loop may not run at all, it is counted in the first iteration, and of a loop that is
 * walked iteration by iteration in the first one in which its work-items get there, so that no
 * count is larger than without moving; where sets of iterations may have no closed form, it stays.
 */
#include <stdlib.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

enum { CACHED = 4096 };

/* What a loop does, by its text. */
struct gcal_walk_loop_facts {
    CXCursor loop;
    size_t n_assigned, assigned_capacity, n_declared, declared_capacity;
    CXCursor *assigned, *declared; /* variables */
    bool writes;                   /* to memory, or meets those who do */
};

struct gcal_walk_steady {
    CXCursor c, loop;
    bool is_known, is_steady;
    /* In which iteration of which run of the loop it was counted, and where: around it, and
     * around the iteration.
     */
    size_t run, iteration;
    const struct gcal_sets_scope *scope, *around;
};

/* ---- what a loop does ---- */

static void add_cursor(struct gcal_walk *w, CXCursor **all, size_t *n, size_t *capacity,
                       CXCursor c)
{
    CXCursor *moved = gcal_array_grow(*all, *n, capacity, sizeof(*moved), w->err);

    if (!moved) {
        w->failed = true;
        return;
    }
    *all = moved;
    moved[(*n)++] = c;
}

static bool is_among(const CXCursor *all, size_t n, CXCursor c)
{
    for (size_t i = 0; i < n; i++)
        if (clang_equalCursors(all[i], c))
            return true;
    return false;
}

/* Notes the variable that 'c' is a part of as assigned, or that memory is. */
static void add_assigned(struct gcal_walk *w, struct gcal_walk_loop_facts *facts,
                         CXCursor c)
{
    struct gcal_walk_children kids;

    for (;;) {
        c = gcal_walk_strip_casts(w, c);
        if (clang_getCursorKind(c) == CXCursor_DeclRefExpr) {
            if (gcal_source_address_space(gcal_source_type(c)) == GCAL_FEATURE_SPACE_ANY)
                add_cursor(w, &facts->assigned, &facts->n_assigned,
                           &facts->assigned_capacity, clang_getCursorReferenced(c));
            else
                facts->writes = true;
            return;
        }
        kids = gcal_walk_get_children(w, c);
        if (!kids.n ||
            (clang_getCursorKind(c) != CXCursor_ArraySubscriptExpr &&
             clang_getCursorKind(c) != CXCursor_MemberRefExpr) ||
            gcal_walk_type_is_pointer(
                gcal_source_type(gcal_walk_strip_casts(w, kids.c[0])))) {
            facts->writes = true;
            return;
        }
        c = kids.c[0];
    }
}

/* Returns whether the call has a value that follows from its arguments alone. */
static bool is_pure_call(struct gcal_walk *w, CXCursor c, struct gcal_walk_children kids)
{
    static const char *const impure[] = {
        "atom",   "barrier",   "work_group_", "sub_group_", "async", "wait_",  "prefetch",
        "printf", "mem_fence", "read_",       "write_",     "vload", "vstore", "enqueue_"
    };
    const char *name = gcal_walk_name(w, c);

    if (!*name || clang_getCursorKind(clang_getCursorDefinition(
                      clang_getCursorReferenced(c))) == CXCursor_FunctionDecl)
        return false;
    for (size_t i = 0; i < sizeof(impure) / sizeof(*impure); i++)
        if (gcal_walk_starts_with(name, impure[i]))
            return false;
    for (size_t i = 1; i < kids.n; i++)
        if (gcal_walk_is_address(gcal_source_type(kids.c[i])) ||
            gcal_source_is_image(gcal_source_type(kids.c[i])))
            return false;
    return true;
}

/* Loads, by the names of their functions. */
static bool is_load_call(struct gcal_walk *w, CXCursor c)
{
    return gcal_walk_starts_with(gcal_walk_name(w, c), "vload") ||
           gcal_walk_starts_with(gcal_walk_name(w, c), "read_image");
}

static void find_facts(struct gcal_walk *w, struct gcal_walk_loop_facts *facts,
                       CXCursor c)
{
    struct gcal_walk_children kids;
    enum CXCursorKind kind = clang_getCursorKind(c);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(c);

    if (w->failed || !gcal_walk_enter(w, c))
        return;
    kids = gcal_walk_get_children(w, c);
    if (kind == CXCursor_VarDecl)
        add_cursor(w, &facts->declared, &facts->n_declared, &facts->declared_capacity, c);
    else if (kids.n &&
             (kind == CXCursor_CompoundAssignOperator ||
              (kind == CXCursor_BinaryOperator &&
               clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign) ||
              (kind == CXCursor_UnaryOperator &&
               (unary == CXUnaryOperator_PostInc || unary == CXUnaryOperator_PostDec ||
                unary == CXUnaryOperator_PreInc || unary == CXUnaryOperator_PreDec ||
                unary == CXUnaryOperator_AddrOf))))
        add_assigned(w, facts, kids.c[0]);
    else if (kind == CXCursor_CallExpr && !is_pure_call(w, c, kids) &&
             !is_load_call(w, c))
        facts->writes = true;
    for (size_t i = 0; i < kids.n; i++)
        find_facts(w, facts, kids.c[i]);
    gcal_walk_leave(w);
}

static const struct gcal_walk_loop_facts *facts_of(struct gcal_walk *w, CXCursor loop)
{
    struct gcal_walk_loop_facts *moved;

    for (size_t i = 0; i < w->n_facts; i++)
        if (clang_equalCursors(w->facts[i].loop, loop))
            return &w->facts[i];
    moved =
        gcal_array_grow(w->facts, w->n_facts, &w->fact_capacity, sizeof(*moved), w->err);
    if (!moved) {
        w->failed = true;
        return NULL;
    }
    w->facts = moved;
    moved[w->n_facts] = (struct gcal_walk_loop_facts){ .loop = loop };
    find_facts(w, &moved[w->n_facts], loop);
    return &w->facts[w->n_facts++];
}

/* ---- what is the same in each iteration ---- */

static bool is_steady(struct gcal_walk *w, const struct gcal_walk_loop_facts *facts,
                      CXCursor c);

static bool is_steady_variable(struct gcal_walk *w,
                               const struct gcal_walk_loop_facts *facts, CXCursor c)
{
    CXCursor decl = clang_getCursorReferenced(c);
    struct gcal_walk_children kids;

    if (clang_getCursorKind(decl) == CXCursor_EnumConstantDecl)
        return true;
    if (is_among(facts->assigned, facts->n_assigned, decl))
        return false;
    if (!is_among(facts->declared, facts->n_declared, decl))
        return true;
    kids = gcal_walk_get_children(w, decl);
    return kids.n && !gcal_source_is_array(gcal_source_type(decl)) &&
           is_steady(w, facts, kids.c[kids.n - 1]);
}

/* Returns whether nothing may write to what 'c' names while the loop runs; 'base': of a subscript.
 */
static bool is_kept(struct gcal_walk *w, const struct gcal_walk_loop_facts *facts,
                    CXCursor c, CXCursor base)
{
    enum gcal_feature_space space = gcal_source_address_space(gcal_source_type(c));
    CXType type;

    if (space == GCAL_FEATURE_SPACE_ANY || space == GCAL_FEATURE_SPACE_CONSTANT ||
        !facts->writes)
        return true;
    base = clang_getCursorReferenced(gcal_walk_strip_casts(w, base));
    type = clang_getCursorType(base);
    return clang_getCursorKind(base) == CXCursor_ParmDecl &&
           clang_isRestrictQualifiedType(type) &&
           clang_isConstQualifiedType(clang_getPointeeType(type));
}

static bool find_steady(struct gcal_walk *w, const struct gcal_walk_loop_facts *facts,
                        CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXCursorKind kind = clang_getCursorKind(c);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(c);
    bool is_load = kind == CXCursor_ArraySubscriptExpr;

    switch (kind) {
    case CXCursor_DeclRefExpr:
        return is_steady_variable(w, facts, c) && is_kept(w, facts, c, c);
    case CXCursor_CompoundAssignOperator:
        return false;
    case CXCursor_BinaryOperator:
        if (clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign)
            return false;
        break;
    case CXCursor_UnaryOperator:
        if (unary == CXUnaryOperator_PostInc || unary == CXUnaryOperator_PostDec ||
            unary == CXUnaryOperator_PreInc || unary == CXUnaryOperator_PreDec ||
            unary == CXUnaryOperator_AddrOf)
            return false;
        is_load = unary == CXUnaryOperator_Deref;
        break;
    case CXCursor_CallExpr:
        if (!is_pure_call(w, c, kids))
            return false;
        for (size_t i = 1; i < kids.n; i++)
            if (!is_steady(w, facts, kids.c[i]))
                return false;
        return true;
    case CXCursor_MemberRefExpr:
        is_load = kids.n && gcal_walk_type_is_pointer(gcal_source_type(kids.c[0]));
        break;
    default:
        if (kind != CXCursor_TypeRef &&
            (kind < CXCursor_FirstExpr || kind > CXCursor_LastExpr))
            return false;
        break;
    }
    if (is_load && !(kids.n && is_kept(w, facts, c, kids.c[0])))
        return false;
    for (size_t i = 0; i < kids.n; i++)
        if (!is_steady(w, facts, kids.c[i]))
            return false;
    return true;
}

static struct gcal_walk_steady *steady_of(struct gcal_walk *w, CXCursor loop, CXCursor c)
{
    return &w->steady[(clang_hashCursor(c) ^ 31 * clang_hashCursor(loop)) % CACHED];
}

static bool is_steady(struct gcal_walk *w, const struct gcal_walk_loop_facts *facts,
                      CXCursor c)
{
    struct gcal_walk_steady *known;

    if (!w->steady && !(w->steady = calloc(CACHED, sizeof(*w->steady)))) {
        gcal_walk_fail_memory(w);
        return false;
    }
    known = steady_of(w, facts->loop, c);
    if (!known->is_known || !clang_equalCursors(known->c, c) ||
        !clang_equalCursors(known->loop, facts->loop)) {
        bool steady;

        if (w->failed || !gcal_walk_enter(w, c))
            return false;
        steady = find_steady(w, facts, c);
        gcal_walk_leave(w);
        *known = (struct gcal_walk_steady){
            .c = c, .loop = facts->loop, .is_known = true, .is_steady = steady
        };
        return steady;
    }
    return known->is_steady;
}

/* ---- where it is counted ---- */

static bool condition_contains(const struct gcal_walk *w,
                               const struct gcal_sets_condition *x, unsigned atom)
{
    return x && ((x->p && gcal_poly_contains(w->c, x->p, atom)) ||
                 condition_contains(w, x->a, atom) || condition_contains(w, x->b, atom));
}

/* Returns whether iterations of 'loop' decide on what is between it and 'scope'; '*is_apart': a
 * condition is between them.
 */
static bool decides(const struct gcal_walk *w, const struct gcal_sets_scope *scope,
                    const struct gcal_sets_scope *loop, bool *is_apart)
{
    *is_apart = false;
    for (; scope != loop; scope = scope->parent) {
        *is_apart = *is_apart || scope->kind != GCAL_SETS_SCOPE_LOOP;
        if (scope->kind == GCAL_SETS_SCOPE_UNKNOWN ||
            (scope->kind == GCAL_SETS_SCOPE_CONDITION &&
             condition_contains(w, scope->condition, loop->loop)) ||
            (scope->kind == GCAL_SETS_SCOPE_LOOP &&
             gcal_poly_contains(w->c, scope->trips, loop->loop)))
            return true;
    }
    return false;
}

/* Returns whether ids and counters are in p as they are: sets of other iterations may have no
 * closed form.
 */
static bool is_plain(const struct gcal_walk *w, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++)
        for (size_t k = 0; k < p->terms[i].n_factors; k++) {
            unsigned atom = p->terms[i].factors[k].atom;

            if (gcal_poly_get_atom(w->c, atom).kind != GCAL_POLY_ATOM_DIMENSION &&
                gcal_poly_atom_has_dimension(w->c, atom))
                return false;
        }
    return true;
}

static bool always_runs(struct gcal_walk *w, const struct gcal_sets_scope *loop)
{
    const struct gcal_sets_scope *scope = w->scope;
    bool runs;

    w->scope = loop->parent;
    runs = gcal_walk_is_nonnegative(
        w, gcal_poly_sub(w->c, loop->trips, gcal_poly_integer(w->c, 1)));
    w->scope = scope;
    return runs;
}

/* 'scope' in the first iteration of 'loop' around it. */
static const struct gcal_sets_scope *in_first(struct gcal_walk *w,
                                              const struct gcal_sets_scope *scope,
                                              const struct gcal_sets_scope *loop)
{
    struct gcal_walk_first *moved, first = { scope, loop, NULL };

    for (size_t i = 0; i < w->n_firsts; i++)
        if (w->firsts[i].scope == scope && w->firsts[i].loop == loop)
            return w->firsts[i].first;
    moved = gcal_array_grow(w->firsts, w->n_firsts, &w->first_capacity, sizeof(*moved),
                            w->err);
    if (!moved) {
        w->failed = true;
        return scope;
    }
    w->firsts = moved;
    first.first = gcal_walk_scope_at_first(w, scope, loop);
    moved[w->n_firsts++] = first;
    return first.first;
}

/* Returns whether all who are here were there, where the expression was counted. */
static bool were_there(struct gcal_walk *w, const struct gcal_walk_steady *there)
{
    for (const struct gcal_sets_scope *s = there->scope; s && s != there->around;
         s = s->parent) {
        const struct gcal_sets_condition *x = s->condition;

        if (s->kind == GCAL_SETS_SCOPE_CONDITION && gcal_walk_scope_decides(w, x) != 1 &&
            !(x->kind == GCAL_SETS_CONDITION_NONNEGATIVE &&
              gcal_walk_is_nonnegative(w, x->p)))
            return false;
    }
    return true;
}

/* Returns whether an earlier iteration of a loop that is walked iteration by iteration has it; if
 * not, this one does.
 */
static bool is_counted(struct gcal_walk *w, const struct gcal_walk_running *r)
{
    struct gcal_walk_steady *known = steady_of(w, r->loop, w->expression);

    if (known->run == r->run && known->iteration < r->iteration && were_there(w, known))
        return true;
    known->run = r->run;
    known->iteration = r->iteration;
    known->scope = w->scope;
    known->around = r->scope;
    return false;
}

bool gcal_walk_hoist(struct gcal_walk *w, const struct gcal_sets_scope **to)
{
    const struct gcal_sets_scope *scope = w->scope, *loop;
    const struct gcal_walk_loop_facts *facts;
    bool is_apart, is_first = false;

    *to = scope;
    for (const struct gcal_walk_running *r = w->running;
         r && r->call_depth == w->call_depth; r = r->outer) {
        if (!(facts = facts_of(w, r->loop)) || !is_steady(w, facts, w->expression))
            return true;
        if (!r->is_nest && is_counted(w, r))
            return false;
        if (!r->is_nest)
            continue;
        for (loop = scope;
             loop && (loop->kind != GCAL_SETS_SCOPE_LOOP || loop->loop != r->dimension);)
            loop = loop->parent;
        if (!loop || decides(w, scope, loop, &is_apart))
            return true;
        is_first = is_first || is_apart || !always_runs(w, loop);
        if (is_first && !is_plain(w, loop->trips))
            return true;
        *to = is_first ? in_first(w, *to, loop) : loop->parent;
        scope = is_first ? scope : loop->parent;
    }
    return true;
}

void gcal_walk_hoist_clear(struct gcal_walk *w)
{
    for (size_t i = 0; i < w->n_facts; i++) {
        free(w->facts[i].assigned);
        free(w->facts[i].declared);
    }
    free(w->facts);
    free(w->firsts);
    free(w->steady);
}
