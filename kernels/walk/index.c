/* index.c - which integer operations are index arithmetic
 *
 * Index arithmetic is not counted with the operations (Stevens and Kloeckner 2020, section 5),
 * including what prepares it: "int row = 16*gid + lid;".  Compilers turn it into addresses that
 * move by a step, so it takes two things: the value is used in subscripts and loop control, and it
 * is affine in ids and loop counters.  What is not affine has to be computed wherever it ends: a
 * hash, a clamped or wrapped coordinate, a quotient.
 */
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

static bool add_index(struct gcal_walk *w, CXCursor decl)
{
    CXCursor *moved;

    if (gcal_walk_is_index(w, decl))
        return false;
    moved = gcal_array_grow(w->indices, w->n_indices, &w->index_capacity, sizeof(*moved),
                            w->err);
    if (!moved) {
        w->failed = true;
        return false;
    }
    w->indices = moved;
    w->indices[w->n_indices++] = decl;
    return true;
}

bool gcal_walk_is_index(const struct gcal_walk *w, CXCursor decl)
{
    for (size_t i = 0; i < w->n_indices; i++)
        if (clang_equalCursors(w->indices[i], decl))
            return true;
    return false;
}

/* Returns whether 'c' is a variable known as an index. */
static bool names_index(struct gcal_walk *w, CXCursor c)
{
    c = gcal_walk_strip_casts(w, c);
    return gcal_source_kind(c) == CXCursor_DeclRefExpr &&
           gcal_walk_is_index(w, clang_getCursorReferenced(c));
}

/* Marks the private arrays whose elements 'c' uses. */
static bool mark_tables(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    const char *dtype = gcal_source_dtype(gcal_source_type(c));
    bool found = gcal_source_kind(c) == CXCursor_ArraySubscriptExpr &&
                 (!dtype || gcal_walk_dtype_is_integer(dtype)) &&
                 gcal_walk_table_add(w, c);

    for (size_t i = 0; i < kids.n && !w->failed; i++)
        found |= mark_tables(w, kids.c[i]);
    return found;
}

/* Returns whether argument 'i' (from 1 on, of 'n') of the call is a subscript or a size, as in
 * vload4(i, p), or of a function of the source; but not of exp(x).
 */
static bool is_index_argument(struct gcal_walk *w, CXCursor call, size_t i, size_t n)
{
    const char *name = gcal_walk_name(w, call);

    if (gcal_walk_starts_with(name, "async_work_group_"))
        return i > 2;
    if (gcal_walk_starts_with(name, "read_image"))
        return i > 1;
    if (gcal_walk_starts_with(name, "write_image"))
        return i > 1 && i < n;
    return name[0] == 'v' ||
           gcal_source_kind(clang_getCursorDefinition(gcal_source_called(call))) ==
               CXCursor_FunctionDecl;
}

/* Marks the variables in 'c'; 'index': its value is used in a subscript or loop control.
 * True when some are new.
 */
static bool mark(struct gcal_walk *w, CXCursor c, bool index);

static bool mark_kind(struct gcal_walk *w, CXCursor c, bool index)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    CXType type = gcal_source_type(c);
    bool found = false, pointer = type.kind == CXType_Pointer, late;
    struct gcal_source_assembly assembly;
    CXCursor parts[4];

    switch (gcal_source_kind(c)) {
    case CXCursor_DeclRefExpr:
        return index && add_index(w, clang_getCursorReferenced(c));
    case CXCursor_ArraySubscriptExpr:
        if (index)
            found = mark_tables(w, c);
        for (size_t i = 0; i < kids.n; i++)
            found |= mark(w, kids.c[i], true);
        return found;
    case CXCursor_IfStmt:
    case CXCursor_SwitchStmt:
        found = kids.n && mark_tables(w, kids.c[0]);
        break;
    case CXCursor_ForStmt:
        if (gcal_source_for_clauses(c, parts, w->err) < 0)
            return false;
        for (int i = 0; i < 3; i++)
            if (!clang_Cursor_isNull(parts[i]))
                found |= mark(w, parts[i], true);
        return mark(w, parts[3], false) || found;
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        late = gcal_source_kind(c) == CXCursor_DoStmt;
        for (size_t i = 0; i < kids.n; i++)
            found |= mark(w, kids.c[i], (i == 1) == late);
        return found;
    case CXCursor_ConditionalOperator: /* its condition may compare data */
        found = kids.n && mark_tables(w, kids.c[0]);
        for (size_t i = 0; i < kids.n; i++)
            found |= mark(w, kids.c[i], i > 0 && index);
        return found;
    case CXCursor_VarDecl:
        index = index || gcal_walk_is_index(w, c) || pointer;
        break;
    case CXCursor_BinaryOperator:
    case CXCursor_CompoundAssignOperator:
        index = index || pointer;
        if (gcal_source_kind(c) == CXCursor_CompoundAssignOperator ||
            clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign)
            index = index || names_index(w, kids.c[0]);
        break;
    case CXCursor_CallExpr:
        for (size_t i = 1; i < kids.n; i++)
            found |= mark(w, kids.c[i],
                          gcal_walk_dtype_is_integer(
                              gcal_source_dtype(gcal_source_type(kids.c[i]))) &&
                              (index || is_index_argument(w, c, i, kids.n - 1)));
        return found;
    case CXCursor_GCCAsmStmt:
        if (gcal_source_read_assembly(w->unit, c, &assembly, NULL) < 0)
            return false;
        for (size_t i = 0; i < assembly.n; i++)
            for (size_t k = 0; k < kids.n; k++)
                found |= ((int)k == assembly.instructions[i].to.operand ||
                          (int)k == assembly.instructions[i].from.operand) &&
                         mark(w, kids.c[k], true);
        return found;
    default:
        break;
    }
    for (size_t i = 0; i < kids.n; i++)
        found |= mark(w, kids.c[i], index);
    return found;
}

static bool mark(struct gcal_walk *w, CXCursor c, bool index)
{
    bool found;

    if (w->failed)
        return false;
    if (w->depth == GCAL_WALK_MAX_DEPTH) {
        gcal_walk_fail(w, c, "this expression is nested too deeply");
        return false;
    }
    w->depth++;
    found = mark_kind(w, c, index);
    w->depth--;
    return found;
}

void gcal_walk_find_indices(struct gcal_walk *w, CXCursor function)
{
    enum { MOST_ROUNDS = 20 };

    for (int round = 0; round < MOST_ROUNDS && !w->failed; round++)
        if (!mark(w, function, false))
            break;
}

/* ---- values ---- */

static const struct gcal_sets_number *find_number(const struct gcal_walk *w,
                                                  unsigned atom)
{
    const struct gcal_sets_number *number = w->nest->numbers;

    while (number && gcal_poly_atom_index(number->value) != atom)
        number = number->next;
    return number;
}

/* Returns whether compilers unroll the loop, so that its counter is a number. */
static bool is_unrolled(const struct gcal_sets_scope *loop)
{
    int64_t trips;

    return loop->may_unroll && !loop->runtime_step &&
           gcal_poly_is_constant(loop->trips, &trips) && trips <= GCAL_WALK_MAX_COMPILED;
}

static const struct gcal_sets_scope *innermost_loop(const struct gcal_sets_scope *scope)
{
    while (scope && scope->kind != GCAL_SETS_SCOPE_LOOP)
        scope = scope->parent;
    return scope;
}

/* Returns whether the atom is known before the kernel runs: it has neither ids, nor data, nor
 * counters of loops that are not unrolled.
 */
static bool is_fixed(const struct gcal_walk *w, unsigned index)
{
    struct gcal_poly_atom atom = gcal_poly_get_atom(w->c, index);
    const struct gcal_poly *parts[] = { atom.a, atom.b };
    const struct gcal_sets_scope *loop = innermost_loop(w->scope);

    if (!gcal_poly_atom_has_dimension(w->c, index))
        return true;
    if (atom.kind == GCAL_POLY_ATOM_DIMENSION) {
        while (loop && loop->loop != index)
            loop = innermost_loop(loop->parent);
        return loop && is_unrolled(loop);
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; parts[k] && i < parts[k]->n_terms; i++)
            for (size_t j = 0; j < parts[k]->terms[i].n_factors; j++)
                if (!is_fixed(w, parts[k]->terms[i].factors[j].atom))
                    return false;
    return true;
}

/* Returns whether ids and loop counters are in p as they are, each by itself, with what is fixed as
 * coefficients.
 */
static bool is_affine(const struct gcal_walk *w, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *term = &p->terms[i];
        int degree = 0;

        for (size_t k = 0; k < term->n_factors; k++) {
            unsigned atom = term->factors[k].atom;

            if (is_fixed(w, atom))
                continue;
            if (gcal_poly_get_atom(w->c, atom).kind != GCAL_POLY_ATOM_DIMENSION ||
                find_number(w, atom) || (degree += term->factors[k].power) > 1)
                return false;
        }
    }
    return true;
}

/* Returns whether numbers that are data in p are loaded from a place that the loop moves. */
static bool loads_anew(const struct gcal_walk *w, const struct gcal_poly *p,
                       unsigned loop)
{
    for (const struct gcal_sets_number *n = w->nest->numbers; n; n = n->next)
        if (gcal_poly_contains(w->c, p, gcal_poly_atom_index(n->value)) &&
            (gcal_poly_contains(w->c, n->of, loop) || loads_anew(w, n->of, loop)))
            return true;
    return false;
}

/* The innermost loop around whose iterations p differs in; NULL: none. */
static const struct gcal_sets_scope *find_loop(const struct gcal_walk *w,
                                               const struct gcal_poly *p)
{
    const struct gcal_sets_scope *loop = innermost_loop(w->scope);

    while (loop && !gcal_poly_contains(w->c, p, loop->loop) &&
           !loads_anew(w, p, loop->loop))
        loop = innermost_loop(loop->parent);
    return loop;
}

/* Returns whether each iteration of that loop moves p by the same step, from an origin that may be
 * anything.
 */
static bool is_moved(const struct gcal_walk *w, const struct gcal_poly *p)
{
    const struct gcal_sets_scope *loop = find_loop(w, p);

    return loop && gcal_poly_degree(p, loop->loop) == 1 &&
           !gcal_poly_contains_nested(w->c, p, loop->loop) &&
           !loads_anew(w, p, loop->loop);
}

bool gcal_walk_is_affine(const struct gcal_walk *w, const struct gcal_walk_value *value)
{
    const struct gcal_walk_value own = { .near = value->near };
    const struct gcal_poly *p =
        value->kind == GCAL_WALK_VALUE_UNKNOWN
            ? (value->widened ? value->widened : gcal_walk_near_of(w, own))
            : value->p;
    bool is = value->parts && value->parts->n;

    for (size_t i = 0; is && i < value->parts->n; i++)
        is = gcal_walk_is_affine(w, &value->parts->all[i].value);
    return is || (p && (is_affine(w, p) || is_moved(w, p)));
}

const struct gcal_sets_scope *gcal_walk_scope_of(const struct gcal_walk *w,
                                                 const struct gcal_walk_value *value)
{
    const struct gcal_sets_scope *at = w->scope, *loop;

    if (value->kind != GCAL_WALK_VALUE_INTEGER)
        return at;
    loop = find_loop(w, value->p);
    while (innermost_loop(at) != loop)
        at = innermost_loop(at)->parent;
    return at;
}

const char *gcal_walk_share_quotient(struct gcal_walk *w, const char *op,
                                     const struct gcal_walk_value *of,
                                     const struct gcal_walk_value *by,
                                     const struct gcal_walk_value *result)
{
    const struct gcal_sets_scope *scope = gcal_walk_scope_of(w, result);
    bool is_quotient = op && strcmp(op, "div") == 0;

    if (!w->quiet || w->silent || !(is_quotient || (op && strcmp(op, "rem") == 0)) ||
        of->kind != GCAL_WALK_VALUE_INTEGER || by->kind != GCAL_WALK_VALUE_INTEGER ||
        result->kind != GCAL_WALK_VALUE_INTEGER)
        return op;
    for (size_t i = 0; i < w->n_quotients; i++)
        if (gcal_sets_scope_is_around(w->quotients[i].scope, scope) &&
            gcal_poly_equal(w->quotients[i].of, of->p) &&
            gcal_poly_equal(w->quotients[i].by, by->p))
            return is_quotient ? NULL : "mul";
    if (w->n_quotients < GCAL_WALK_MAX_QUOTIENTS)
        w->quotients[w->n_quotients++] =
            (struct gcal_walk_quotient){ of->p, by->p, scope };
    return op;
}
