/* induction.c - variables that a loop changes, and their steps per iteration */
#include <string.h>

#include "kernels/walk/private.h"

/* ---- x++, x += e, x = x + e ---- */

/* 'c' without parentheses and casts: of v.x, the component remains. */
static CXCursor strip(struct gcal_walk *w, CXCursor c)
{
    CXCursor inner;

    while (gcal_walk_unwrap(w, c, &inner) &&
           (gcal_source_kind(c) != CXCursor_UnexposedExpr ||
            !gcal_source_is_component(w->unit, c, inner)))
        c = inner;
    return c;
}

/* A variable or a part of one. */
static bool names(struct gcal_walk *w, CXCursor c, struct gcal_walk_lvalue *place)
{
    return gcal_walk_place_find(w, strip(w, c), place);
}

static bool is_same_place(const struct gcal_walk_lvalue *a,
                          const struct gcal_walk_lvalue *b)
{
    return !a->somewhere && !b->somewhere && a->from == b->from && a->size == b->size &&
           !a->n_lanes && !b->n_lanes && clang_equalCursors(a->decl, b->decl);
}

static bool is_step(enum CXUnaryOperatorKind kind)
{
    return kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PreInc ||
           kind == CXUnaryOperator_PostDec || kind == CXUnaryOperator_PreDec;
}

/* The e of "x + e", "e + x" or "x - e", and its sign. */
static bool find_summand(struct gcal_walk *w, CXCursor sum,
                         const struct gcal_walk_lvalue *place, CXCursor *by, int *sign)
{
    enum CXBinaryOperatorKind binary;
    struct gcal_walk_children kids;
    struct gcal_walk_lvalue named;

    sum = gcal_walk_strip_casts(w, sum);
    if (gcal_source_kind(sum) != CXCursor_BinaryOperator)
        return false;
    binary = clang_getCursorBinaryOperatorKind(sum);
    kids = gcal_walk_get_children(w, sum);
    if (kids.n != 2 || (binary != CXBinaryOperator_Add && binary != CXBinaryOperator_Sub))
        return false;
    *sign = binary == CXBinaryOperator_Sub ? -1 : 1;
    for (int side = 0; side < (binary == CXBinaryOperator_Sub ? 1 : 2); side++)
        if (names(w, kids.c[side], &named) && is_same_place(&named, place)) {
            *by = kids.c[!side];
            return true;
        }
    return false;
}

/* The step that 'c' adds to a variable; false when 'c' is no such statement. */
static bool find_step(struct gcal_walk *w, CXCursor c, struct gcal_walk_lvalue *place,
                      struct gcal_walk_value *step, int *sign)
{
    enum CXCursorKind kind = gcal_source_kind(c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    CXCursor by;

    if ((kind != CXCursor_UnaryOperator && kind != CXCursor_CompoundAssignOperator &&
         kind != CXCursor_BinaryOperator) ||
        !kids.n || !names(w, kids.c[0], place))
        return false;
    *sign = 1;
    *step = gcal_walk_integer(gcal_poly_integer(w->c, 1));
    if (kind == CXCursor_UnaryOperator) {
        unary = clang_getCursorUnaryOperatorKind(c);
        *sign =
            unary == CXUnaryOperator_PostDec || unary == CXUnaryOperator_PreDec ? -1 : 1;
        if (!is_step(unary))
            return false;
    } else if (kind == CXCursor_CompoundAssignOperator && kids.n == 2) {
        binary = gcal_walk_compound_operator(clang_getCursorBinaryOperatorKind(c));
        if (binary != CXBinaryOperator_Add && binary != CXBinaryOperator_Sub)
            return false;
        *sign = binary == CXBinaryOperator_Sub ? -1 : 1;
        *step = gcal_walk_expr_value(w, kids.c[1]);
    } else if (kind == CXCursor_BinaryOperator && kids.n == 2 &&
               clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign &&
               find_summand(w, kids.c[1], place, &by, sign)) {
        *step = gcal_walk_expr_value(w, by);
    } else {
        return false;
    }
    return true;
}

/* ---- x *= 2, x = x << 1, x >>= 1, x = x/2 ---- */

/* The k of a multiplication by 2^k, negative of a division; 0: neither. */
static int doublings(struct gcal_walk *w, enum CXBinaryOperatorKind binary, CXCursor by)
{
    struct gcal_walk_value value = gcal_walk_expr_value(w, by);
    int64_t number;
    bool shifts = binary == CXBinaryOperator_Shl || binary == CXBinaryOperator_Shr;
    bool up = binary == CXBinaryOperator_Shl || binary == CXBinaryOperator_Mul;

    if ((!shifts && binary != CXBinaryOperator_Mul && binary != CXBinaryOperator_Div) ||
        value.kind != GCAL_WALK_VALUE_INTEGER ||
        !gcal_poly_is_constant(value.p, &number) || number < 1 ||
        number > (shifts ? 16 : 1 << 16))
        return 0;
    if (!shifts && (number & (number - 1)))
        return 0;
    number = shifts ? number : __builtin_ctzll((unsigned long long)number);
    return (int)(up ? number : -number);
}

/* 0 when 'c' is no such statement. */
static int find_doublings(struct gcal_walk *w, CXCursor c, struct gcal_walk_lvalue *place)
{
    enum CXCursorKind kind = gcal_source_kind(c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c), sides;
    enum CXBinaryOperatorKind binary;
    struct gcal_walk_lvalue named;
    CXCursor value;

    if ((kind != CXCursor_CompoundAssignOperator && kind != CXCursor_BinaryOperator) ||
        kids.n != 2 || !names(w, kids.c[0], place) || place->somewhere ||
        !gcal_walk_type_is_integer(place->type))
        return 0;
    if (kind == CXCursor_CompoundAssignOperator)
        return doublings(
            w, gcal_walk_compound_operator(clang_getCursorBinaryOperatorKind(c)),
            kids.c[1]);
    if (kind != CXCursor_BinaryOperator ||
        clang_getCursorBinaryOperatorKind(c) != CXBinaryOperator_Assign)
        return 0;
    value = gcal_walk_strip_casts(w, kids.c[1]);
    if (gcal_source_kind(value) != CXCursor_BinaryOperator)
        return 0;
    binary = clang_getCursorBinaryOperatorKind(value);
    sides = gcal_walk_get_children(w, value);
    for (int side = 0; sides.n == 2 && side < (binary == CXBinaryOperator_Mul ? 2 : 1);
         side++)
        if (names(w, sides.c[side], &named) && is_same_place(&named, place))
            return doublings(w, binary, sides.c[!side]);
    return 0;
}

/* ---- changes ---- */

struct finding {
    struct gcal_walk_inductions *changes;
    const struct gcal_walk_frame *frame; /* of the loop */
    bool sees_values;                    /* the second pass: assigned values */
};

static struct gcal_walk_induction *find_induction(struct gcal_walk_inductions *changes,
                                                  CXCursor decl, int64_t at)
{
    for (size_t i = 0; i < changes->n; i++)
        if (changes->all[i].at == at && clang_equalCursors(changes->all[i].decl, decl))
            return &changes->all[i];
    return NULL;
}

/* Where in the value of the place its part at 'at' is; -1: it is not in the place. */
static int64_t offset_in(const struct gcal_walk_lvalue *place, int64_t at)
{
    int64_t spacing = gcal_walk_vector_spacing(place->type);

    if (at < place->from || at >= place->from + place->size)
        return -1;
    for (size_t i = 0; i < place->n_lanes; i++)
        if (place->from + place->lanes[i] * spacing == at)
            return (int64_t)i * spacing;
    return place->n_lanes ? -1 : at - place->from;
}

static struct gcal_walk_induction *
add_induction(struct gcal_walk *w, struct gcal_walk_inductions *changes, CXCursor target,
              const struct gcal_walk_variable *variable)
{
    struct gcal_walk_induction *moved;

    if (changes->n == GCAL_WALK_MAX_INDUCTIONS) {
        gcal_walk_fail(w, target, "this loop changes more than %d variables",
                       GCAL_WALK_MAX_INDUCTIONS);
        return NULL;
    }
    if (changes->n == changes->capacity) {
        moved = gcal_poly_alloc(w->c, (2 * changes->n + 8) * sizeof(*moved));
        if (!moved) {
            gcal_walk_fail_memory(w);
            return NULL;
        }
        if (changes->n)
            memcpy(moved, changes->all, changes->n * sizeof(*moved));
        changes->all = moved;
        changes->capacity = 2 * changes->n + 8;
    }
    changes->all[changes->n] = (struct gcal_walk_induction){ .decl = variable->decl,
                                                             .at = variable->at,
                                                             .type = variable->type,
                                                             .start = variable->value };
    return &changes->all[changes->n++];
}

/* How a place changes. */
struct change {
    const struct gcal_walk_lvalue *place;
    CXCursor value; /* null: to no value that is written there */
    bool steps;
    int times;
};

/* The second pass: whether data is assigned to the changed cells. */
static void note_values(struct gcal_walk *w, struct finding *finding,
                        const struct change *change)
{
    struct gcal_walk_value assigned, part;

    if (clang_Cursor_isNull(change->value))
        return;
    assigned = gcal_walk_expr_value(w, change->value);
    for (size_t i = 0; i < finding->changes->n; i++) {
        struct gcal_walk_induction *induction = &finding->changes->all[i];
        int64_t offset = offset_in(change->place, induction->at);

        if (offset < 0 || !clang_equalCursors(induction->decl, change->place->decl))
            continue;
        part = gcal_walk_part_find(assigned, change->place->somewhere ? 0 : offset);
        induction->on_data |= part.kind != GCAL_WALK_VALUE_INTEGER && part.on_data;
    }
}

/* Returns whether it is a variable of a function that the loop calls. */
static bool is_callees(const struct gcal_walk *w, const struct finding *finding,
                       CXCursor decl)
{
    CXCursor function = clang_getCursorSemanticParent(decl);

    for (const struct gcal_walk_frame *f = w->frame; f != finding->frame; f = f->outer)
        if (clang_equalCursors(function, f->function))
            return true;
    return false;
}

static void note_change(struct gcal_walk *w, struct finding *finding, CXCursor target,
                        CXCursor value, bool steps, int times)
{
    struct gcal_walk_lvalue place;
    struct change change = { &place, value, steps, times };

    if (!names(w, target, &place))
        return;
    if (times > 1 || place.somewhere) { /* its address is taken; an unknown element */
        change.steps = false;
        change.times = 2;
    }
    if (times > 1) {
        place.from = 0;
        place.size = INT64_MAX;
        place.n_lanes = 0;
    }
    if (finding->sees_values) {
        note_values(w, finding, &change);
        return;
    }
    for (size_t i = 0; i < w->n_variables; i++)
        if (offset_in(&place, w->variables[i].at) >= 0 &&
            clang_equalCursors(w->variables[i].decl, place.decl) &&
            (gcal_walk_type_is_pointer(w->variables[i].type) ||
             gcal_walk_is_array_parameter(w->variables[i].decl) ||
             gcal_walk_type_is_integer(w->variables[i].type))) {
            struct gcal_walk_induction *induction = find_induction(
                finding->changes, w->variables[i].decl, w->variables[i].at);

            if (!induction)
                induction = add_induction(w, finding->changes, target, &w->variables[i]);
            if (induction) {
                induction->is_callees = is_callees(w, finding, place.decl);
                induction->times += change.times;
                induction->assigned |= !change.steps;
            }
        }
}

/* Unknown, and on data as the value is. */
static struct gcal_walk_value forget_value(struct gcal_walk *w,
                                           struct gcal_walk_value value)
{
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    size_t n = value.parts ? value.parts->n : 0;

    if (!value.parts)
        return value.kind == GCAL_WALK_VALUE_UNKNOWN && value.on_data
                   ? gcal_walk_unknown(value.why)
                   : gcal_walk_not_affine(NULL);
    for (size_t i = 0; i < n; i++)
        parts[i] = (struct gcal_walk_part){ value.parts->all[i].at,
                                            forget_value(w, value.parts->all[i].value) };
    return gcal_walk_value_of_parts(w, n, parts);
}

/* ---- calls that change variables ---- */

/* The function of a call that changes variables of its caller in its body; or a null cursor. */
static CXCursor find_changing(struct gcal_walk *w, CXCursor call,
                              struct gcal_walk_children kids)
{
    CXCursor function = gcal_source_called(call);
    CXCursor body = clang_getCursorDefinition(function);
    bool is = gcal_walk_changes_caller(w, function, kids);

    for (const struct gcal_walk_frame *f = w->frame; f; f = f->outer)
        is = is && !clang_equalCursors(f->function, body);
    return is && gcal_source_kind(body) == CXCursor_FunctionDecl &&
                   clang_getCursorKind(body) != CXCursor_Constructor &&
                   clang_Cursor_getNumArguments(body) + gcal_source_is_method(body) + 1 ==
                       (int)kids.n
               ? body
               : clang_getNullCursor();
}

/* Makes 'frame' that of the function, with its parameters, and gives its statements; but for its own variables
 * it is as if inlined.  Those that it changes are unknown.
 */
static CXCursor enter_call(struct gcal_walk *w, const struct gcal_walk_frame *frame,
                           const struct gcal_walk_inductions *changes)
{
    struct gcal_walk_children parts = gcal_walk_get_children(w, frame->function);

    w->silent++;
    w->frozen++;
    gcal_walk_bind_arguments(w, frame->function, frame->kids);
    w->frozen--;
    w->silent--;
    for (size_t i = 0; i < changes->n; i++)
        if (changes->all[i].is_callees)
            gcal_walk_cell_set(w, changes->all[i].decl, changes->all[i].at,
                               changes->all[i].type, gcal_walk_not_affine(NULL));
    w->frame = frame;
    return parts.n ? parts.c[parts.n - 1] : clang_getNullCursor();
}

static void find_changes(struct gcal_walk *w, struct finding *finding, CXCursor c,
                         bool is_base);

static void find_call_changes(struct gcal_walk *w, struct finding *finding, CXCursor call,
                              struct gcal_walk_children kids)
{
    CXCursor function = find_changing(w, call, kids), null = clang_getNullCursor();
    const struct gcal_walk_frame frame =
        gcal_walk_frame_of(w->frame, call, function, kids);

    if (!clang_Cursor_isNull(function) && frame.depth <= GCAL_WALK_MAX_CALLS) {
        find_changes(w, finding, enter_call(w, &frame, finding->changes), false);
        w->frame = frame.outer;
        return;
    }
    for (size_t i = 1; i < kids.n; i++)
        if (gcal_walk_may_change(gcal_source_called(call), i))
            note_change(w, finding, kids.c[i], null, false, 2);
}

/* 'is_base': of a subscript. */
static void find_changes(struct gcal_walk *w, struct finding *finding, CXCursor c,
                         bool is_base)
{
    CXCursor null = clang_getNullCursor();
    enum CXCursorKind kind = gcal_source_kind(c);
    struct gcal_walk_children kids;

    if (clang_Cursor_isNull(c) || !gcal_walk_enter(w, c))
        return;
    kids = gcal_walk_get_children(w, c);
    if (kind == CXCursor_CallExpr && w->unit->language == GCAL_SOURCE_CUDA)
        find_call_changes(w, finding, c, kids);
    if (kind == CXCursor_VarDecl && gcal_source_is_reference(gcal_source_type(c))) {
        w->silent++;
        w->frozen++;
        gcal_walk_declare(w, c);
        w->frozen--;
        w->silent--;
    } else if (kind == CXCursor_VarDecl) {
        /* A variable of the body has no value before its declaration. */
        struct gcal_walk_value value = gcal_walk_unknown("it has no value yet");

        if (finding->sees_values && kids.n) {
            value = forget_value(w, gcal_walk_expr_value(w, kids.c[kids.n - 1]));
        }
        if (finding->sees_values || gcal_walk_is_declared(w, c))
            gcal_walk_variable_declare(w, c, value);
    }
    for (size_t i = 0; i < kids.n && kind == CXCursor_GCCAsmStmt; i++)
        if (gcal_walk_is_output(kids.c[i]))
            note_change(w, finding, kids.c[i], null, false, 2);
    if (kids.n == 2 && kind == CXCursor_CompoundAssignOperator)
        note_change(w, finding, kids.c[0], kids.c[1], true, 1);
    if (kids.n == 2 && kind == CXCursor_BinaryOperator &&
        clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign)
        note_change(w, finding, kids.c[0], kids.c[1], false, 1);
    if (kids.n == 1 && kind == CXCursor_UnaryOperator) {
        if (is_step(clang_getCursorUnaryOperatorKind(c)))
            note_change(w, finding, kids.c[0], null, true, 1);
        if (clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_AddrOf)
            note_change(w, finding, kids.c[0], null, false, 2);
    }
    if (kids.n == 1 && kind == CXCursor_UnexposedExpr && !is_base &&
        gcal_source_is_array(gcal_source_type(kids.c[0]))) /* it becomes a pointer */
        note_change(w, finding, kids.c[0], null, false, 2);
    for (size_t i = 0; i < kids.n; i++)
        find_changes(w, finding, kids.c[i], kind == CXCursor_ArraySubscriptExpr);
    gcal_walk_leave(w);
}

/* ---- jumps ---- */

/* 'outside': break and continue refer to a loop around 'c'. */
static bool contains_jump(struct gcal_walk *w, CXCursor c, enum gcal_walk_jump jump,
                          bool outside)
{
    enum CXCursorKind kind = gcal_source_kind(c);
    bool is_loop =
        kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt || kind == CXCursor_DoStmt;
    struct gcal_walk_children kids;

    if (kind == CXCursor_ReturnStmt)
        return jump == GCAL_WALK_RETURN;
    if (kind == CXCursor_BreakStmt)
        return jump == GCAL_WALK_BREAK && outside;
    if (kind == CXCursor_ContinueStmt)
        return jump == GCAL_WALK_CONTINUE && outside;
    if ((kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr) || w->failed)
        return false;
    if (is_loop || (kind == CXCursor_SwitchStmt && jump == GCAL_WALK_BREAK))
        outside = false;
    kids = gcal_walk_get_children(w, c);
    for (size_t i = 0; i < kids.n; i++)
        if (contains_jump(w, kids.c[i], jump, outside))
            return true;
    return false;
}

bool gcal_walk_contains_jump(struct gcal_walk *w, CXCursor c, enum gcal_walk_jump jump)
{
    return contains_jump(w, c, jump, true);
}

/* ---- steps ---- */

static bool add_doublings(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                          CXCursor c)
{
    struct gcal_walk_lvalue place;
    struct gcal_walk_induction *induction;
    int by = find_doublings(w, c, &place);

    if (!by || !(induction = find_induction(changes, place.decl, place.from)) ||
        induction->start.kind != GCAL_WALK_VALUE_INTEGER)
        return false;
    induction->doublings = by;
    induction->n_steps++;
    return true;
}

static void add_step(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                     CXCursor c)
{
    struct gcal_walk_lvalue place;
    struct gcal_walk_value step, part;
    int sign;

    if (add_doublings(w, changes, c) || !find_step(w, c, &place, &step, &sign) ||
        place.somewhere)
        return;
    for (size_t i = 0; i < changes->n; i++) {
        struct gcal_walk_induction *induction = &changes->all[i];
        int64_t offset = offset_in(&place, induction->at);

        if (offset < 0 || !clang_equalCursors(induction->decl, place.decl))
            continue;
        part = gcal_walk_part_find(step, offset);
        if (part.kind != GCAL_WALK_VALUE_INTEGER)
            continue;
        part.p = gcal_poly_scale(w->c, part.p, sign, 1);
        if (induction->start.kind == GCAL_WALK_VALUE_UNKNOWN &&
            !induction->start.choice && !induction->start.in_array) {
            induction->near_step = induction->near_step
                                       ? gcal_poly_add(w->c, induction->near_step, part.p)
                                       : part.p;
            induction->n_near_steps++;
            continue;
        }
        induction->step =
            induction->step ? gcal_poly_add(w->c, induction->step, part.p) : part.p;
        induction->n_steps++;
        induction->runtime_step |=
            gcal_source_kind(c) != CXCursor_UnaryOperator && !step.folds;
    }
}

static void add_body_steps(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                           CXCursor body, enum gcal_walk_jump jump);

static void add_call_steps(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                           CXCursor call, struct gcal_walk_children kids)
{
    CXCursor function = find_changing(w, call, kids);
    const struct gcal_walk_frame frame =
        gcal_walk_frame_of(w->frame, call, function, kids);

    if (clang_Cursor_isNull(function) || frame.depth > GCAL_WALK_MAX_CALLS)
        return;
    add_body_steps(w, changes, enter_call(w, &frame, changes), GCAL_WALK_RETURN);
    w->frame = frame.outer;
}

/* Adds the steps of an expression, but those to the right of &&, || and ?. */
static void add_expression_steps(struct gcal_walk *w,
                                 struct gcal_walk_inductions *changes, CXCursor c)
{
    struct gcal_walk_children kids;
    enum CXBinaryOperatorKind binary;

    if (clang_Cursor_isNull(c) || w->failed)
        return;
    add_step(w, changes, c);
    kids = gcal_walk_get_children(w, c);
    if (gcal_source_kind(c) == CXCursor_CallExpr && w->unit->language == GCAL_SOURCE_CUDA)
        add_call_steps(w, changes, c, kids);
    binary = clang_getCursorBinaryOperatorKind(c);
    if (gcal_source_kind(c) == CXCursor_BinaryOperator &&
        (binary == CXBinaryOperator_LAnd || binary == CXBinaryOperator_LOr))
        kids.n = 1;
    if (gcal_source_kind(c) == CXCursor_ConditionalOperator)
        kids.n = 1;
    for (size_t i = 0; i < kids.n; i++)
        add_expression_steps(w, changes, kids.c[i]);
}

/* Adds the unconditional steps of a statement. */
static void add_statement_steps(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                                CXCursor c, enum gcal_walk_jump jump)
{
    enum CXCursorKind kind = gcal_source_kind(c);
    struct gcal_walk_children kids;

    if (kind == CXCursor_CompoundStmt) {
        add_body_steps(w, changes, c, jump);
    } else if (kind == CXCursor_IfStmt || kind == CXCursor_SwitchStmt ||
               kind == CXCursor_ReturnStmt) {
        kids = gcal_walk_get_children(w, c);
        if (kids.n)
            add_expression_steps(w, changes, kids.c[0]);
    } else if (kind == CXCursor_DeclStmt ||
               (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr)) {
        add_expression_steps(w, changes, c);
    }
}

/* 'jump': to the end of the body, of a loop or of a function. */
static void add_body_steps(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                           CXCursor body, enum gcal_walk_jump jump)
{
    bool is_block = gcal_source_kind(body) == CXCursor_CompoundStmt;
    struct gcal_walk_children kids = is_block ? gcal_walk_get_children(w, body)
                                              : (struct gcal_walk_children){ 1, &body };
    enum CXCursorKind kind;

    for (size_t k = 0; k < kids.n; k++) {
        /* after a jump, and in the rest of its statement, steps are conditional */
        if (gcal_walk_contains_jump(w, kids.c[k], jump)) {
            kind = gcal_source_kind(kids.c[k]);
            if (kind == CXCursor_IfStmt || kind == CXCursor_ReturnStmt)
                add_statement_steps(w, changes, kids.c[k], jump);
            return;
        }
        add_statement_steps(w, changes, kids.c[k], jump);
    }
}

/* Of functions that are called in the loop: each call sets them anew. */
static void remove_callees(struct gcal_walk_inductions *changes)
{
    size_t n = 0;

    for (size_t i = 0; i < changes->n; i++)
        if (!changes->all[i].is_callees)
            changes->all[n++] = changes->all[i];
    changes->n = n;
}

struct gcal_walk_inductions *
gcal_walk_inductions_find(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop)
{
    struct gcal_walk_inductions *changes = gcal_poly_alloc(w->c, sizeof(*changes));
    struct finding finding = { changes, w->frame, false };
    CXCursor parts[] = { loop->condition, loop->increment, loop->body };

    if (!changes) {
        gcal_walk_fail_memory(w);
        return NULL;
    }
    *changes = (struct gcal_walk_inductions){ 0 };
    for (int i = 0; i < 3; i++)
        find_changes(w, &finding, parts[i], false);
    gcal_walk_inductions_set(w, changes, NULL);
    finding.sees_values = true;
    for (int i = 0; i < 3; i++)
        find_changes(w, &finding, parts[i], false);
    gcal_walk_inductions_set(w, changes, NULL);
    add_expression_steps(w, changes, loop->condition);
    add_expression_steps(w, changes, loop->increment);
    add_body_steps(w, changes, loop->body, GCAL_WALK_CONTINUE);
    remove_callees(changes);
    for (size_t i = 0; i < changes->n; i++) /* with other changes the step is unknown */
        if (changes->all[i].n_steps != changes->all[i].times ||
            (changes->all[i].doublings && changes->all[i].times > 1)) {
            changes->all[i].step = NULL;
            changes->all[i].doublings = 0;
        }
    for (size_t i = 0; i < changes->n; i++)
        if (changes->all[i].n_near_steps != changes->all[i].times)
            changes->all[i].near_step = NULL;
    for (size_t i = 0; i < changes->n; i++)
        changes->all[i].carries = !changes->all[i].step &&
                                  !gcal_walk_is_written_first(w, loop, &changes->all[i]);
    return w->failed ? NULL : changes;
}

/* ---- values ---- */

void gcal_walk_inductions_reset(struct gcal_walk *w,
                                const struct gcal_walk_inductions *changes)
{
    for (size_t i = 0; i < changes->n; i++)
        gcal_walk_cell_set(w, changes->all[i].decl, changes->all[i].at,
                           changes->all[i].type, changes->all[i].start);
}

static struct gcal_walk_value moved_by(struct gcal_walk *w,
                                       const struct gcal_walk_induction *induction,
                                       const struct gcal_poly *trips)
{
    struct gcal_walk_value value = induction->start;
    const struct gcal_poly *by = gcal_poly_mul(w->c, induction->step, trips);

    if (value.choice && value.kind == GCAL_WALK_VALUE_POINTER)
        return gcal_walk_move_pointer(w, value, gcal_walk_integer(by), induction->type,
                                      1);
    if (value.choice)
        return gcal_walk_binary(w, CXBinaryOperator_Add, induction->type, value,
                                gcal_walk_integer(by));
    if (value.kind == GCAL_WALK_VALUE_POINTER || value.in_array)
        by = gcal_poly_scale(w->c, by,
                             gcal_source_size(gcal_walk_pointee(induction->type)), 1);
    if (value.p)
        value.p = gcal_poly_add(w->c, value.p, by);
    /* the search for the first iteration that does not run needs no wrap: none before it
     * leaves the type's range
     */
    return w->in_control ? value : gcal_walk_stored(w, value, induction->type);
}

/* A value that has doubled or halved 'trips' times; unknown where that is no polynomial.
 */
static struct gcal_walk_value scaled_by(struct gcal_walk *w,
                                        struct gcal_walk_induction *induction,
                                        const struct gcal_poly *trips)
{
    const struct gcal_poly *start = induction->start.p, *e;
    const char *size;

    if (w->in_control) {
        if (!induction->any)
            induction->any = gcal_poly_dimension(
                w->c, gcal_walk_cell_name(w, induction->decl, induction->at),
                gcal_poly_integer(w->c, INT32_MAX));
        return gcal_walk_integer(induction->any);
    }
    trips = gcal_poly_scale(w->c, trips, induction->doublings, 1);
    if (induction->doublings > 0)
        return gcal_walk_integer(
            gcal_poly_mul(w->c, start, gcal_poly_power(w->c, trips)));
    if ((e = gcal_poly_exponent(w->c, start)))
        return gcal_walk_integer(gcal_poly_power(w->c, gcal_poly_add(w->c, e, trips)));
    size = gcal_poly_first_parameter(w->c, start);
    return gcal_walk_not_affine(gcal_poly_format(
        w->c,
        "'%s' halves in each iteration, from '%s' on: fix '%s' as a number "
        "(--assume \"%s = 1024\")",
        gcal_walk_cell_name(w, induction->decl, induction->at),
        gcal_poly_text(w->c, start), size ? size : "the size", size ? size : "n"));
}

static bool is_of_lane(struct gcal_walk *w, const struct gcal_poly *p)
{
    bool found = false;

    for (size_t d = 0; d < w->nest->n_dims && p; d++)
        found =
            found || gcal_poly_contains(w->c, p, gcal_poly_atom_index(w->nest->lid[d]));
    return found;
}

/* 'ends': after the loop. */
static void set_values(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                       const struct gcal_poly *v, bool ends, const char *why)
{
    for (size_t i = 0; i < changes->n; i++) {
        struct gcal_walk_induction *induction = &changes->all[i];
        const struct gcal_walk_value *start = &induction->start;
        struct gcal_walk_value value = gcal_walk_not_affine(
            start->why && (start->widened || induction->near_step) ? start->why : why);

        value.on_data =
            induction->on_data || (induction->start.kind == GCAL_WALK_VALUE_UNKNOWN &&
                                   induction->start.on_data);
        if (value.on_data && v && !ends)
            value.carried = v;
        value.depth = value.on_data && ends ? induction->start.depth + 1 : 0;
        value.is_mixed = !induction->step && !induction->near_step &&
                         !induction->doublings &&
                         is_of_lane(w, gcal_walk_near_of(w, induction->start));
        value.is_stepped = v && !ends && !value.is_mixed;
        if (v && induction->step) {
            value = moved_by(w, induction, v);
        } else if (v && induction->doublings && (!ends || induction->doublings > 0)) {
            value = scaled_by(w, induction, v);
        } else if (induction->start.is_private && !induction->assigned) {
            value = induction->start;
            value.p = NULL;
        } else if (induction->start.kind == GCAL_WALK_VALUE_POINTER &&
                   !induction->assigned) {
            value.kind = GCAL_WALK_VALUE_POINTER; /* moved by an unknown offset */
            value.array = induction->start.array;
        }
        if (v && induction->near_step && induction->start.near) {
            const struct gcal_poly *by = gcal_poly_mul(w->c, induction->near_step, v);

            if (gcal_walk_type_is_pointer(induction->type))
                by = gcal_poly_scale(
                    w->c, by, gcal_source_size(gcal_walk_pointee(induction->type)), 1);
            value.near = gcal_poly_add(w->c, induction->start.near, by);
        }
        if (v)
            value = gcal_walk_named(w, induction->decl, induction->type, value);
        gcal_walk_cell_set(w, induction->decl, induction->at, induction->type, value);
    }
}

void gcal_walk_inductions_set(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                              const struct gcal_poly *v)
{
    set_values(w, changes, v, false, "the loop changes it in a way that is not affine");
}

/* What the last of some iterations wrote to variables that carry nothing, where the number
 * of iterations is a number.
 */
static void set_written(struct gcal_walk *w, const struct gcal_walk_inductions *changes,
                        unsigned v, const struct gcal_poly *trips,
                        const struct gcal_walk_value *written)
{
    const struct gcal_poly *last;
    int64_t n;

    if (!trips || !gcal_poly_is_constant(trips, &n) || n < 1)
        return;
    last = gcal_poly_integer(w->c, n - 1);
    for (size_t i = 0; i < changes->n; i++) {
        const struct gcal_walk_induction *induction = &changes->all[i];
        struct gcal_walk_value value = written[i];

        if (induction->step || induction->carries || !value.p ||
            value.kind == GCAL_WALK_VALUE_UNKNOWN)
            continue;
        value.p = gcal_poly_substitute(w->c, value.p, v, last);
        if (value.p)
            gcal_walk_cell_set(w, induction->decl, induction->at, induction->type, value);
    }
}

void gcal_walk_inductions_finish(struct gcal_walk *w,
                                 struct gcal_walk_inductions *changes,
                                 const struct gcal_poly *trips, const struct gcal_poly *v)
{
    struct gcal_walk_value *written =
        gcal_poly_alloc(w->c, changes->n * sizeof(*written) + 1);
    const struct gcal_walk_variable *variable;

    for (size_t i = 0; v && written && i < changes->n; i++) {
        variable = gcal_walk_cell_find(w, changes->all[i].decl, changes->all[i].at);
        written[i] = variable ? variable->value : gcal_walk_unknown(NULL);
    }
    set_values(w, changes, trips, true, "an earlier loop changes it");
    if (v && written)
        set_written(w, changes, gcal_poly_atom_index(v), trips, written);
}
