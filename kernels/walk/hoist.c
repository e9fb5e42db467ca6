/* hoist.c - operations that are the same in each iteration of a loop
 *
 * All compilers move them before the loop, and they inline the functions of the source.  One rule
 * says which ones they are: an expression is the same in each iteration if its operands are, be it
 * written in the loop, in a macro, in a variable or in a function that is called from it.  The same
 * are constants, ids and sizes; variables that the loop does not assign, or that have one value
 * alone, which is such an expression; a parameter of a function, if its argument is; a call of a
 * function, if what it returns is; and what is loaded, if its place is and nothing in the loop may
 * write there: it is in __constant memory or at an argument that is const and restrict, or the loop
 * has no store, atomic operation or barrier, in functions that it calls either.
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

struct cursors {
    size_t n, capacity;
    CXCursor *all;
};

struct loop_variable {
    CXCursor decl; /* a null cursor: none is here */
    bool is_declared;
    size_t n_assigned;
    CXCursor value; /* that is assigned by '='; or a null cursor */
};

/* What a loop or function does, by its text and that of functions that it calls. */
struct gcal_walk_loop_facts {
    struct gcal_walk_loop_facts *next;
    CXCursor loop;
    struct cursors called;
    size_t n_variables, variable_capacity; /* a power of two */
    struct loop_variable *variables;       /* that it assigns or declares, by hash */
    struct cursors returned, conditions;   /* of a function, not of those that it calls */
    size_t call_depth;
    bool writes;          /* to memory, or meets those who do */
    bool writes_pointers; /* to variables, by pointers to them */
    bool writes_own;      /* to members of the object whose method it is in */
};

/* What is asked of expressions in 'frame': whether they are the same in each iteration of the loop
 * that is in 'around'.
 */
struct question {
    const struct question *outer; /* that has to be answered for this one */
    const struct gcal_walk_loop_facts *facts;
    const struct gcal_walk_frame *frame, *around;
    CXCursor variable; /* that this is about */
};

struct gcal_walk_steady {
    CXCursor c, loop;
    uint64_t path;
    bool is_known, is_steady;
    /* In which iteration of which run of the loop it was counted, and where: around it, and
     * around the iteration.
     */
    size_t run, iteration;
    const struct gcal_sets_scope *scope, *around;
};

static uint64_t path_of(const struct gcal_walk_frame *frame)
{
    return frame ? frame->path : 0;
}

struct gcal_walk_frame gcal_walk_frame_of(const struct gcal_walk_frame *outer,
                                          CXCursor call, CXCursor function,
                                          struct gcal_walk_children kids)
{
    return (struct gcal_walk_frame){ .outer = outer,
                                     .function = function,
                                     .kids = kids,
                                     .depth = outer ? outer->depth + 1 : 1,
                                     .path = ((outer ? outer->path : 0) +
                                              clang_hashCursor(call)) *
                                             UINT64_C(0x9e3779b97f4a7c15) };
}

/* The argument for a parameter; a null cursor if the function has no such parameter. */
static CXCursor find_argument(const struct gcal_walk_frame *frame, CXCursor parameter)
{
    for (size_t i = 1; i < frame->kids.n; i++)
        if (clang_equalCursors(gcal_source_parameter(frame->function, i), parameter))
            return frame->kids.c[i];
    return clang_getNullCursor();
}

/* ---- what a loop does ---- */

static void add_cursor(struct gcal_walk *w, struct cursors *list, CXCursor c)
{
    CXCursor *moved =
        gcal_array_grow(list->all, list->n, &list->capacity, sizeof(*moved), w->err);

    if (!moved) {
        w->failed = true;
        return;
    }
    list->all = moved;
    moved[list->n++] = c;
}

static bool is_among(const struct cursors *list, CXCursor c)
{
    for (size_t i = 0; i < list->n; i++)
        if (clang_equalCursors(list->all[i], c))
            return true;
    return false;
}

/* The variable's place among those of the loop: its own, or an empty one. */
static struct loop_variable *place_variable(struct loop_variable *all, size_t capacity,
                                            CXCursor decl)
{
    size_t i = clang_hashCursor(decl) & (capacity - 1);

    while (!clang_Cursor_isNull(all[i].decl) && !clang_equalCursors(all[i].decl, decl))
        i = (i + 1) & (capacity - 1);
    return &all[i];
}

static struct loop_variable *
add_variable(struct gcal_walk *w, struct gcal_walk_loop_facts *facts, CXCursor decl)
{
    const struct loop_variable none = { clang_getNullCursor(), false, 0,
                                        clang_getNullCursor() };
    size_t capacity = facts->variable_capacity ? 2 * facts->variable_capacity : 32;
    struct loop_variable *grown, *place;

    if (2 * facts->n_variables >= facts->variable_capacity) {
        if (!(grown = malloc(capacity * sizeof(*grown)))) {
            gcal_walk_fail_memory(w);
            return NULL;
        }
        for (size_t i = 0; i < capacity; i++)
            grown[i] = none;
        for (size_t i = 0; i < facts->variable_capacity; i++)
            if (!clang_Cursor_isNull(facts->variables[i].decl))
                *place_variable(grown, capacity, facts->variables[i].decl) =
                    facts->variables[i];
        free(facts->variables);
        facts->variables = grown;
        facts->variable_capacity = capacity;
    }
    place = place_variable(facts->variables, facts->variable_capacity, decl);
    facts->n_variables += clang_Cursor_isNull(place->decl);
    place->decl = decl;
    return place;
}

static struct loop_variable find_variable(const struct gcal_walk_loop_facts *facts,
                                          CXCursor decl)
{
    return facts->n_variables
               ? *place_variable(facts->variables, facts->variable_capacity, decl)
               : (struct loop_variable){ .value = clang_getNullCursor() };
}

/* Notes that 'value', or what is not known, is assigned to the variable that 'c' is or is a part
 * of, or that memory is written to.
 */
static void add_assigned(struct gcal_walk *w, struct gcal_walk_loop_facts *facts,
                         CXCursor c, CXCursor value)
{
    struct gcal_walk_children kids;
    CXType type = clang_getCanonicalType(gcal_source_type(c));
    struct loop_variable *variable;
    bool is_variable;
    CXCursor decl;

    for (;;) {
        c = gcal_walk_strip_casts(w, c);
        if (gcal_source_kind(c) == CXCursor_DeclRefExpr) {
            decl = clang_getCursorReferenced(c);
            if (gcal_source_space(c) != GCAL_FEATURE_SPACE_ANY) {
                facts->writes = true;
                return;
            }
            if (gcal_source_is_reference(gcal_source_type(decl)) &&
                gcal_source_kind(decl) == CXCursor_VarDecl &&
                !clang_Cursor_isNull(clang_Cursor_getVarDeclInitializer(decl))) {
                c = clang_Cursor_getVarDeclInitializer(decl);
                value = clang_getNullCursor();
                continue; /* of a parameter, what it is given is assigned to (find_call_facts) */
            }
            if (!clang_equalTypes(type, clang_getCanonicalType(gcal_source_type(c))))
                value = clang_getNullCursor(); /* of a part */
            if ((variable = add_variable(w, facts, decl))) {
                variable->n_assigned++;
                variable->value = value;
            }
            return;
        }
        kids = gcal_walk_get_children(w, c);
        if (clang_Cursor_isNull(c) || (gcal_source_kind(c) == CXCursor_MemberRefExpr &&
                                       (!kids.n || gcal_walk_is_this(w, kids.c[0])))) {
            facts->writes_own = true; /* of another object: find_call_facts */
            return;
        }
        if (!kids.n ||
            (gcal_source_kind(c) != CXCursor_ArraySubscriptExpr &&
             gcal_source_kind(c) != CXCursor_MemberRefExpr) ||
            gcal_walk_type_is_pointer(
                gcal_source_type(gcal_walk_strip_casts(w, kids.c[0])))) {
            is_variable = gcal_source_space(c) == GCAL_FEATURE_SPACE_ANY;
            facts->writes = facts->writes || !is_variable || gcal_source_is_pointed_to(c);
            facts->writes_pointers = facts->writes_pointers || is_variable;
            return;
        }
        value = clang_getNullCursor();
        c = kids.c[0];
    }
}

/* The function of the source that is called; or a null cursor. */
static CXCursor find_called(CXCursor call)
{
    CXCursor function = clang_getCursorDefinition(gcal_source_called(call));

    return gcal_source_kind(function) == CXCursor_FunctionDecl ? function
                                                               : clang_getNullCursor();
}

/* Returns whether the call of a built-in function has a value that follows from its arguments. */
static bool is_pure_call(struct gcal_walk *w, CXCursor c, struct gcal_walk_children kids)
{
    static const char *const impure[] = {
        "atom",   "barrier",   "work_group_", "sub_group_", "async", "wait_",  "prefetch",
        "printf", "mem_fence", "read_",       "write_",     "vload", "vstore", "enqueue_"
    };
    const char *name = gcal_walk_name(w, c);

    if (!*name)
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

/* Returns whether the argument is the address of a variable, for a parameter that reads there. */
static bool is_read_only(struct gcal_walk *w, CXCursor argument, CXCursor parameter)
{
    CXType type = clang_getCursorType(parameter);
    enum CXCursorKind kind;

    argument = gcal_walk_strip_casts(w, argument);
    kind = gcal_source_kind(argument);
    return gcal_walk_is_address(type) &&
           clang_isConstQualifiedType(gcal_walk_pointee(type)) &&
           (kind == CXCursor_DeclRefExpr ||
            (kind == CXCursor_UnaryOperator &&
             clang_getCursorUnaryOperatorKind(argument) == CXUnaryOperator_AddrOf));
}

static bool is_variable_address(CXType type)
{
    return gcal_walk_is_address(type) &&
           gcal_source_address_space(gcal_walk_pointee(type)) == GCAL_FEATURE_SPACE_ANY;
}

static void find_facts(struct gcal_walk *w, struct gcal_walk_loop_facts *facts,
                       CXCursor c, bool is_base);

static void find_call_facts(struct gcal_walk *w, struct gcal_walk_loop_facts *facts,
                            CXCursor c, struct gcal_walk_children kids)
{
    CXCursor function = find_called(c);
    bool is_known = !clang_Cursor_isNull(function);

    if (!is_known && !is_pure_call(w, c, kids) && !is_load_call(w, c)) {
        facts->writes = true;
        for (size_t i = 1; i < kids.n; i++)
            facts->writes_pointers = facts->writes_pointers ||
                                     is_variable_address(gcal_source_type(kids.c[i]));
    }
    for (size_t i = 1; i < kids.n; i++) {
        if (gcal_walk_may_change(gcal_source_called(c), i))
            add_assigned(w, facts, kids.c[i], clang_getNullCursor());
        if (!is_known || !is_read_only(w, kids.c[i], gcal_source_parameter(function, i)))
            find_facts(w, facts, kids.c[i], false);
    }
    if (!is_known || is_among(&facts->called, function))
        return;
    add_cursor(w, &facts->called, function);
    facts->call_depth++;
    find_facts(w, facts, function, false);
    facts->call_depth--;
}

/* 'is_base': the base of a subscript, where an array's address is not passed on. */
static void find_facts(struct gcal_walk *w, struct gcal_walk_loop_facts *facts,
                       CXCursor c, bool is_base)
{
    struct gcal_walk_children kids;
    enum CXCursorKind kind = gcal_source_kind(c);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(c);
    struct loop_variable *variable;

    if (w->failed || kind == CXCursor_UnaryExpr /* sizeof */ || !gcal_walk_enter(w, c))
        return;
    kids = gcal_walk_get_children(w, c);
    for (size_t i = 0; i < kids.n && kind == CXCursor_GCCAsmStmt; i++)
        if (gcal_walk_is_output(kids.c[i]))
            add_assigned(w, facts, kids.c[i], clang_getNullCursor());
    facts->writes = facts->writes || kind == CXCursor_GCCAsmStmt;
    if (kind == CXCursor_VarDecl) {
        if ((variable = add_variable(w, facts, c)))
            variable->is_declared = true;
    } else if (kids.n && kind == CXCursor_BinaryOperator &&
               clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign)
        add_assigned(w, facts, kids.c[0], kids.c[1]);
    else if (kids.n &&
             (kind == CXCursor_CompoundAssignOperator ||
              (kind == CXCursor_UnaryOperator &&
               (unary == CXUnaryOperator_PostInc || unary == CXUnaryOperator_PostDec ||
                unary == CXUnaryOperator_PreInc || unary == CXUnaryOperator_PreDec ||
                (unary == CXUnaryOperator_AddrOf &&
                 is_variable_address(gcal_source_type(c)))))))
        add_assigned(w, facts, kids.c[0], clang_getNullCursor());
    else if (!is_base &&
             (kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
              kind == CXCursor_ArraySubscriptExpr) &&
             gcal_source_is_array(gcal_source_type(c)) &&
             gcal_source_space(c) == GCAL_FEATURE_SPACE_ANY)
        add_assigned(w, facts, c, clang_getNullCursor());
    if (!facts->call_depth && kids.n && kind == CXCursor_ReturnStmt)
        add_cursor(w, &facts->returned, kids.c[0]);
    if (!facts->call_depth && kids.n &&
        (kind == CXCursor_IfStmt || kind == CXCursor_SwitchStmt))
        add_cursor(w, &facts->conditions, kids.c[0]);
    if (kind == CXCursor_CallExpr)
        find_call_facts(w, facts, c, kids);
    for (size_t i = 0; i < kids.n && kind != CXCursor_CallExpr; i++)
        find_facts(w, facts, kids.c[i],
                   !i && (kind == CXCursor_ArraySubscriptExpr ||
                          kind == CXCursor_MemberRefExpr ||
                          (is_base && (kind == CXCursor_ParenExpr ||
                                       kind == CXCursor_UnexposedExpr))));
    gcal_walk_leave(w);
}

/* NULL when memory fails. */
static const struct gcal_walk_loop_facts *facts_of(struct gcal_walk *w, CXCursor loop)
{
    struct gcal_walk_loop_facts *facts = w->facts;

    while (facts && !clang_equalCursors(facts->loop, loop))
        facts = facts->next;
    if (facts)
        return facts;
    if (!(facts = calloc(1, sizeof(*facts)))) {
        gcal_walk_fail_memory(w);
        return NULL;
    }
    facts->loop = loop;
    facts->next = w->facts;
    w->facts = facts;
    find_facts(w, facts, loop, false);
    return facts;
}

/* ---- what is the same in each iteration ---- */

static bool is_steady(struct gcal_walk *w, const struct question *q, CXCursor c);

/* Returns whether 'c', in the frame 'frame', is the same, which answers for 'variable' in q's. */
static bool is_steady_for(struct gcal_walk *w, const struct question *q,
                          CXCursor variable, const struct gcal_walk_frame *frame,
                          CXCursor c)
{
    struct question next = { q, q->facts, frame, q->around, variable };

    for (const struct question *o = q; o; o = o->outer)
        if (clang_equalCursors(o->variable, variable) &&
            path_of(o->outer->frame) == path_of(q->frame))
            return false; /* it follows from itself */
    return is_steady(w, &next, c);
}

static bool is_steady_variable(struct gcal_walk *w, const struct question *q, CXCursor c)
{
    CXCursor decl = clang_getCursorReferenced(c), value, argument;
    struct loop_variable variable = find_variable(q->facts, decl);
    const struct gcal_walk_loop_facts *function;
    const struct gcal_walk_variable *known;

    if (gcal_source_kind(decl) == CXCursor_EnumConstantDecl)
        return true;
    if (q->facts->writes_pointers && (known = gcal_walk_cell_find(w, decl, 0)) &&
        known->escaped)
        return false;
    if (q->frame != q->around &&
        !clang_Cursor_isNull(argument = find_argument(q->frame, decl)))
        return !variable.n_assigned &&
               is_steady_for(w, q, decl, q->frame->outer, argument);
    if (!variable.n_assigned && !variable.is_declared)
        return true;
    if (gcal_source_kind(decl) != CXCursor_VarDecl || variable.n_assigned > 1)
        return false;
    value = clang_Cursor_getVarDeclInitializer(decl);
    if (variable.n_assigned) {
        if (!clang_Cursor_isNull(value))
            return false;
        value = variable.value;
        if (!variable.is_declared &&
            (!(function = facts_of(w, clang_getCursorSemanticParent(decl))) ||
             find_variable(function, decl).n_assigned > 1))
            return false;
    }
    return !clang_Cursor_isNull(value) && is_steady_for(w, q, decl, q->frame, value);
}

/* The variable whose elements a pointer points to, in '*frame'; or a null cursor. */
static CXCursor find_base(struct gcal_walk *w, const struct question *q, CXCursor c)
{
    const struct gcal_walk_frame *frame = q->frame;
    struct gcal_walk_children kids;
    CXCursor decl, argument;

    for (;;) {
        c = gcal_walk_strip_casts(w, c);
        kids = gcal_walk_get_children(w, c);
        if (gcal_source_kind(c) == CXCursor_BinaryOperator && kids.n == 2) {
            c = kids.c[!gcal_walk_is_address(gcal_source_type(kids.c[0]))];
        } else if (kids.n && gcal_source_kind(c) == CXCursor_UnaryOperator &&
                   clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_AddrOf) {
            c = gcal_walk_strip_casts(w, kids.c[0]);
            kids = gcal_walk_get_children(w, c);
            if (gcal_source_kind(c) == CXCursor_ArraySubscriptExpr && kids.n)
                c = kids.c[0];
        } else {
            decl = clang_getCursorReferenced(c);
            if (frame == q->around ||
                clang_Cursor_isNull(argument = find_argument(frame, decl)))
                return decl;
            frame = frame->outer;
            c = argument;
        }
    }
}

/* Returns whether nothing may write to what 'c' names while the loop runs; 'base': of a subscript.
 */
static bool is_kept(struct gcal_walk *w, const struct question *q, CXCursor c,
                    CXCursor base)
{
    CXType type = gcal_source_type(c);
    enum gcal_feature_space space = gcal_source_space(c);

    if (clang_isVolatileQualifiedType(type))
        return false;
    if (space == GCAL_FEATURE_SPACE_ANY)
        return clang_equalCursors(c, base) ||
               (!q->facts->writes_pointers &&
                (!gcal_source_is_pointed_to(c) || !q->facts->writes));
    if (space == GCAL_FEATURE_SPACE_CONSTANT || !q->facts->writes)
        return true;
    base = find_base(w, q, base);
    type = clang_getCursorType(base);
    return gcal_source_kind(base) == CXCursor_ParmDecl &&
           clang_isRestrictQualifiedType(type) &&
           clang_isConstQualifiedType(clang_getPointeeType(type));
}

/* Of a function of the source: what it returns is, and where it has several ends all that decides
 * between them.
 */
static bool is_steady_call(struct gcal_walk *w, const struct question *q, CXCursor c,
                           struct gcal_walk_children kids)
{
    CXCursor function = find_called(c);
    const struct gcal_walk_loop_facts *called;
    struct gcal_walk_frame frame;
    struct question inner;

    if (clang_Cursor_isNull(function)) {
        if (!is_pure_call(w, c, kids))
            return false;
        for (size_t i = 1; i < kids.n; i++)
            if (!is_steady(w, q, kids.c[i]))
                return false;
        return true;
    }
    frame = gcal_walk_frame_of(q->frame, c, function, kids);
    inner = (struct question){ q, q->facts, &frame, q->around, clang_getNullCursor() };
    if (frame.depth > GCAL_WALK_MAX_CALLS || !(called = facts_of(w, function)) ||
        !called->returned.n)
        return false;
    for (size_t i = 0; i < called->returned.n; i++)
        if (!is_steady(w, &inner, called->returned.all[i]))
            return false;
    for (size_t i = 0; called->returned.n > 1 && i < called->conditions.n; i++)
        if (!is_steady(w, &inner, called->conditions.all[i]))
            return false;
    return true;
}

/* Of a method: whether the object that it is called for is. */
static bool is_steady_object(struct gcal_walk *w, const struct question *q)
{
    CXCursor object = q->frame && q->frame != q->around
                          ? find_argument(q->frame, q->frame->function)
                          : clang_getNullCursor();

    if (q->frame && q->frame == q->around)
        return !q->facts->writes && !q->facts->writes_own;
    return !clang_Cursor_isNull(object) &&
           !find_variable(q->facts, q->frame->function).n_assigned &&
           is_steady_for(w, q, q->frame->function, q->frame->outer, object);
}

static bool find_steady(struct gcal_walk *w, const struct question *q, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXCursorKind kind = gcal_source_kind(c);
    enum CXUnaryOperatorKind unary = clang_getCursorUnaryOperatorKind(c);
    bool is_load = kind == CXCursor_ArraySubscriptExpr;

    switch (kind) {
    case CXCursor_DeclRefExpr:
        return is_steady_variable(w, q, c) && is_kept(w, q, c, c) &&
               !(q->facts->writes && gcal_source_is_pointed_to(c));
    case CXCursor_CompoundAssignOperator:
        return false;
    case CXCursor_BinaryOperator:
        if (clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign)
            return false;
        break;
    case CXCursor_UnaryOperator:
        if (unary == CXUnaryOperator_PostInc || unary == CXUnaryOperator_PostDec ||
            unary == CXUnaryOperator_PreInc || unary == CXUnaryOperator_PreDec)
            return false;
        is_load = unary == CXUnaryOperator_Deref;
        break;
    case CXCursor_CallExpr:
        return is_steady_call(w, q, c, kids);
    case CXCursor_CXXThisExpr:
        return is_steady_object(w, q);
    case CXCursor_MemberRefExpr:
        if (!kids.n || gcal_walk_is_this(w, kids.c[0]))
            return is_steady_object(w, q);
        is_load = kids.n && gcal_walk_type_is_pointer(gcal_source_type(kids.c[0]));
        break;
    default:
        if (kind != CXCursor_TypeRef &&
            (kind < CXCursor_FirstExpr || kind > CXCursor_LastExpr))
            return false;
        break;
    }
    if (is_load && !(kids.n && is_kept(w, q, c, kids.c[0])))
        return false;
    for (size_t i = 0; i < kids.n; i++)
        if (!is_steady(w, q, kids.c[i]))
            return false;
    return true;
}

static struct gcal_walk_steady *steady_of(struct gcal_walk *w, CXCursor loop, CXCursor c,
                                          uint64_t path)
{
    return &w->steady[(clang_hashCursor(c) ^ 31 * clang_hashCursor(loop) ^ path >> 40) %
                      CACHED];
}

static bool is_steady(struct gcal_walk *w, const struct question *q, CXCursor c)
{
    struct gcal_walk_steady *known;

    if (!w->steady && !(w->steady = calloc(CACHED, sizeof(*w->steady)))) {
        gcal_walk_fail_memory(w);
        return false;
    }
    known = steady_of(w, q->facts->loop, c, path_of(q->frame));
    if (!known->is_known || known->path != path_of(q->frame) ||
        !clang_equalCursors(known->c, c) ||
        !clang_equalCursors(known->loop, q->facts->loop)) {
        bool steady;

        if (w->failed || !gcal_walk_enter(w, c))
            return false;
        steady = find_steady(w, q, c);
        gcal_walk_leave(w);
        *known = (struct gcal_walk_steady){ .c = c,
                                            .loop = q->facts->loop,
                                            .path = path_of(q->frame),
                                            .is_known = true,
                                            .is_steady = steady };
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
    struct gcal_walk_steady *known =
        steady_of(w, r->loop, w->expression, path_of(w->frame));

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
    struct question q = { .frame = w->frame, .variable = clang_getNullCursor() };
    bool is_apart, is_first = false;

    *to = scope;
    for (const struct gcal_walk_running *r = w->running; r; r = r->outer) {
        q.around = r->frame;
        if (!(q.facts = facts_of(w, r->loop)) || !is_steady(w, &q, w->expression))
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
    struct gcal_walk_loop_facts *next;

    for (; w->facts; w->facts = next) {
        next = w->facts->next;
        free(w->facts->variables);
        free(w->facts->called.all);
        free(w->facts->returned.all);
        free(w->facts->conditions.all);
        free(w->facts);
    }
    free(w->firsts);
    free(w->steady);
}
