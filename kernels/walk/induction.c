/* induction.c - variables that a loop changes, and their steps per iteration */
#include "kernels/walk/private.h"

/* ---- x++, x += e, x = x + e ---- */

static bool names(struct gcal_walk *w, CXCursor c, CXCursor *decl)
{
    c = gcal_walk_strip_casts(w, c);
    if (clang_getCursorKind(c) != CXCursor_DeclRefExpr)
        return false;
    *decl = clang_getCursorReferenced(c);
    return true;
}

static bool is_step(enum CXUnaryOperatorKind kind)
{
    return kind == CXUnaryOperator_PostInc || kind == CXUnaryOperator_PreInc ||
           kind == CXUnaryOperator_PostDec || kind == CXUnaryOperator_PreDec;
}

/* The e of "x + e", "e + x" or "x - e", and its sign. */
static bool find_summand(struct gcal_walk *w, CXCursor sum, CXCursor decl, CXCursor *by,
                         int *sign)
{
    enum CXBinaryOperatorKind binary;
    struct gcal_walk_children kids;
    CXCursor named;

    sum = gcal_walk_strip_casts(w, sum);
    if (clang_getCursorKind(sum) != CXCursor_BinaryOperator)
        return false;
    binary = clang_getCursorBinaryOperatorKind(sum);
    kids = gcal_walk_get_children(w, sum);
    if (kids.n != 2 || (binary != CXBinaryOperator_Add && binary != CXBinaryOperator_Sub))
        return false;
    *sign = binary == CXBinaryOperator_Sub ? -1 : 1;
    for (int side = 0; side < (binary == CXBinaryOperator_Sub ? 1 : 2); side++)
        if (names(w, kids.c[side], &named) && clang_equalCursors(named, decl)) {
            *by = kids.c[!side];
            return true;
        }
    return false;
}

/* The step that 'c' adds to a variable; false when 'c' is no such statement. */
static bool find_step(struct gcal_walk *w, CXCursor c, CXCursor *decl,
                      struct gcal_walk_value *step)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    enum CXBinaryOperatorKind binary;
    enum CXUnaryOperatorKind unary;
    int sign = 1;
    CXCursor by;

    if (!kids.n || !names(w, kids.c[0], decl))
        return false;
    *step = gcal_walk_integer(gcal_poly_integer(w->c, 1));
    if (kind == CXCursor_UnaryOperator) {
        unary = clang_getCursorUnaryOperatorKind(c);
        sign =
            unary == CXUnaryOperator_PostDec || unary == CXUnaryOperator_PreDec ? -1 : 1;
        if (!is_step(unary))
            return false;
    } else if (kind == CXCursor_CompoundAssignOperator && kids.n == 2) {
        binary = gcal_walk_compound_operator(clang_getCursorBinaryOperatorKind(c));
        if (binary != CXBinaryOperator_Add && binary != CXBinaryOperator_Sub)
            return false;
        sign = binary == CXBinaryOperator_Sub ? -1 : 1;
        *step = gcal_walk_expr_value(w, kids.c[1]);
    } else if (kind == CXCursor_BinaryOperator && kids.n == 2 &&
               clang_getCursorBinaryOperatorKind(c) == CXBinaryOperator_Assign &&
               find_summand(w, kids.c[1], *decl, &by, &sign)) {
        *step = gcal_walk_expr_value(w, by);
    } else {
        return false;
    }
    if (step->kind == GCAL_WALK_VALUE_INTEGER)
        step->p = gcal_poly_scale(w->c, step->p, sign, 1);
    return step->kind == GCAL_WALK_VALUE_INTEGER;
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
static int find_doublings(struct gcal_walk *w, CXCursor c, CXCursor *decl)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    struct gcal_walk_children kids = gcal_walk_get_children(w, c), sides;
    enum CXBinaryOperatorKind binary;
    CXCursor named, value;

    if (kids.n != 2 || !names(w, kids.c[0], decl))
        return 0;
    if (kind == CXCursor_CompoundAssignOperator)
        return doublings(
            w, gcal_walk_compound_operator(clang_getCursorBinaryOperatorKind(c)),
            kids.c[1]);
    if (kind != CXCursor_BinaryOperator ||
        clang_getCursorBinaryOperatorKind(c) != CXBinaryOperator_Assign)
        return 0;
    value = gcal_walk_strip_casts(w, kids.c[1]);
    if (clang_getCursorKind(value) != CXCursor_BinaryOperator)
        return 0;
    binary = clang_getCursorBinaryOperatorKind(value);
    sides = gcal_walk_get_children(w, value);
    for (int side = 0; sides.n == 2 && side < (binary == CXBinaryOperator_Mul ? 2 : 1);
         side++)
        if (names(w, sides.c[side], &named) && clang_equalCursors(named, *decl))
            return doublings(w, binary, sides.c[!side]);
    return 0;
}

/* ---- changes ---- */

struct finding {
    struct gcal_walk_inductions *changes;
    bool sees_values; /* the second pass: assigned values */
};

static struct gcal_walk_induction *find_induction(struct gcal_walk_inductions *changes,
                                                  CXCursor decl)
{
    for (size_t i = 0; i < changes->n; i++)
        if (clang_equalCursors(changes->all[i].decl, decl))
            return &changes->all[i];
    return NULL;
}

static void note_change(struct gcal_walk *w, struct finding *finding, CXCursor target,
                        CXCursor value, bool steps, int times)
{
    struct gcal_walk_inductions *changes = finding->changes;
    struct gcal_walk_induction *induction;
    CXCursor decl;
    CXType type;

    if (!names(w, target, &decl))
        return;
    type = gcal_walk_type(decl);
    if (!gcal_walk_type_is_pointer(type) && !gcal_walk_type_is_integer(type))
        return; /* has no symbolic value */
    induction = find_induction(changes, decl);
    if (finding->sees_values) {
        struct gcal_walk_value assigned;

        if (!induction || clang_Cursor_isNull(value))
            return;
        assigned = gcal_walk_expr_value(w, value);
        induction->on_data |=
            assigned.kind != GCAL_WALK_VALUE_INTEGER && assigned.on_data;
        return;
    }
    if (!induction && gcal_walk_variable_find(w, decl)) {
        if (changes->n == GCAL_WALK_MAX_INDUCTIONS) {
            gcal_walk_fail(w, target, "this loop changes more than %d variables",
                           GCAL_WALK_MAX_INDUCTIONS);
            return;
        }
        induction = &changes->all[changes->n++];
        *induction = (struct gcal_walk_induction){ .decl = decl };
        induction->start = gcal_walk_variable_get(w, decl);
    }
    if (induction) {
        induction->times += times;
        induction->assigned |= !steps;
    }
}

/* A variable of the body has no value before its declaration. */
static void note_declaration(struct gcal_walk *w, const struct finding *finding,
                             CXCursor decl, struct gcal_walk_children kids)
{
    struct gcal_walk_value value = gcal_walk_unknown("it has no value yet");

    if (finding->sees_values && kids.n) {
        value = gcal_walk_expr_value(w, kids.c[kids.n - 1]);
        value = value.kind == GCAL_WALK_VALUE_UNKNOWN && value.on_data
                    ? gcal_walk_unknown(value.why)
                    : gcal_walk_not_affine(NULL);
    }
    if (finding->sees_values || gcal_walk_variable_find(w, decl))
        gcal_walk_variable_set(w, decl, value);
}

static void find_changes(struct gcal_walk *w, struct finding *finding, CXCursor c)
{
    CXCursor null = clang_getNullCursor();
    enum CXCursorKind kind = clang_getCursorKind(c);
    struct gcal_walk_children kids;

    if (clang_Cursor_isNull(c) || !gcal_walk_enter(w, c))
        return;
    kids = gcal_walk_get_children(w, c);
    if (kind == CXCursor_VarDecl)
        note_declaration(w, finding, c, kids);
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
    for (size_t i = 0; i < kids.n; i++)
        find_changes(w, finding, kids.c[i]);
    gcal_walk_leave(w);
}

/* ---- jumps ---- */

/* 'outside': break and continue refer to a loop around 'c'. */
static bool contains_jump(struct gcal_walk *w, CXCursor c, enum gcal_walk_jump jump,
                          bool outside)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
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

static void add_step(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                     CXCursor c)
{
    struct gcal_walk_induction *induction;
    struct gcal_walk_value step;
    int by;
    CXCursor decl;

    if ((by = find_doublings(w, c, &decl)) &&
        (induction = find_induction(changes, decl)) &&
        induction->start.kind == GCAL_WALK_VALUE_INTEGER) {
        induction->doublings = by;
        induction->n_steps++;
        return;
    }
    if (!find_step(w, c, &decl, &step) || !(induction = find_induction(changes, decl)) ||
        (induction->start.kind == GCAL_WALK_VALUE_UNKNOWN && !induction->start.choice))
        return;
    induction->step =
        induction->step ? gcal_poly_add(w->c, induction->step, step.p) : step.p;
    induction->n_steps++;
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
    binary = clang_getCursorBinaryOperatorKind(c);
    if (clang_getCursorKind(c) == CXCursor_BinaryOperator &&
        (binary == CXBinaryOperator_LAnd || binary == CXBinaryOperator_LOr))
        kids.n = 1;
    if (clang_getCursorKind(c) == CXCursor_ConditionalOperator)
        kids.n = 1;
    for (size_t i = 0; i < kids.n; i++)
        add_expression_steps(w, changes, kids.c[i]);
}

static void add_body_steps(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                           CXCursor body);

/* Adds the unconditional steps of a statement. */
static void add_statement_steps(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                                CXCursor c)
{
    enum CXCursorKind kind = clang_getCursorKind(c);
    struct gcal_walk_children kids;

    if (kind == CXCursor_CompoundStmt) {
        add_body_steps(w, changes, c);
    } else if (kind == CXCursor_IfStmt || kind == CXCursor_SwitchStmt) {
        kids = gcal_walk_get_children(w, c);
        if (kids.n)
            add_expression_steps(w, changes, kids.c[0]);
    } else if (kind == CXCursor_DeclStmt ||
               (kind >= CXCursor_FirstExpr && kind <= CXCursor_LastExpr)) {
        add_expression_steps(w, changes, c);
    }
}

static void add_body_steps(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                           CXCursor body)
{
    bool is_block = clang_getCursorKind(body) == CXCursor_CompoundStmt;
    struct gcal_walk_children kids = is_block ? gcal_walk_get_children(w, body)
                                              : (struct gcal_walk_children){ 1, &body };

    for (size_t k = 0; k < kids.n; k++) {
        /* after a continue, and in the rest of its statement, steps are conditional */
        if (gcal_walk_contains_jump(w, kids.c[k], GCAL_WALK_CONTINUE)) {
            if (clang_getCursorKind(kids.c[k]) == CXCursor_IfStmt)
                add_statement_steps(w, changes, kids.c[k]);
            return;
        }
        add_statement_steps(w, changes, kids.c[k]);
    }
}

struct gcal_walk_inductions *
gcal_walk_inductions_find(struct gcal_walk *w, const struct gcal_walk_loop_clauses *loop)
{
    struct gcal_walk_inductions *changes = gcal_poly_alloc(w->c, sizeof(*changes));
    struct finding finding = { changes, false };
    CXCursor parts[] = { loop->condition, loop->increment, loop->body };

    if (!changes) {
        gcal_walk_fail_memory(w);
        return NULL;
    }
    changes->n = 0;
    for (int i = 0; i < 3; i++)
        find_changes(w, &finding, parts[i]);
    gcal_walk_inductions_set(w, changes, NULL);
    finding.sees_values = true;
    for (int i = 0; i < 3; i++)
        find_changes(w, &finding, parts[i]);
    gcal_walk_inductions_set(w, changes, NULL);
    add_expression_steps(w, changes, loop->condition);
    add_expression_steps(w, changes, loop->increment);
    add_body_steps(w, changes, loop->body);
    for (size_t i = 0; i < changes->n; i++) /* with other changes the step is unknown */
        if (changes->all[i].n_steps != changes->all[i].times ||
            (changes->all[i].doublings && changes->all[i].times > 1)) {
            changes->all[i].step = NULL;
            changes->all[i].doublings = 0;
        }
    return w->failed ? NULL : changes;
}

/* ---- values ---- */

void gcal_walk_inductions_reset(struct gcal_walk *w,
                                const struct gcal_walk_inductions *changes)
{
    for (size_t i = 0; i < changes->n; i++)
        gcal_walk_variable_set(w, changes->all[i].decl, changes->all[i].start);
}

static struct gcal_walk_value moved_by(struct gcal_walk *w,
                                       const struct gcal_walk_induction *induction,
                                       const struct gcal_poly *trips)
{
    struct gcal_walk_value value = induction->start;
    const struct gcal_poly *by = gcal_poly_mul(w->c, induction->step, trips);
    CXType type = gcal_walk_type(induction->decl);

    if (value.choice)
        return gcal_walk_binary(w, CXBinaryOperator_Add, type, value,
                                gcal_walk_integer(by));
    if (value.kind == GCAL_WALK_VALUE_POINTER)
        by = gcal_poly_scale(
            w->c, by,
            clang_Type_getSizeOf(clang_getCanonicalType(clang_getPointeeType(type))), 1);
    if (value.p)
        value.p = gcal_poly_add(w->c, value.p, by);
    /* the search for the first iteration that does not run needs no wrap: none before it
     * leaves the type's range
     */
    return w->in_control ? value : gcal_walk_stored(w, value, type);
}

/* A value that has doubled or halved 'trips' times; unknown where that is no polynomial.
 */
static struct gcal_walk_value scaled_by(struct gcal_walk *w,
                                        struct gcal_walk_induction *induction,
                                        const struct gcal_poly *trips)
{
    const struct gcal_poly *start = induction->start.p, *e;

    if (w->in_control) {
        if (!induction->any)
            induction->any = gcal_poly_dimension(w->c, gcal_walk_name(w, induction->decl),
                                                 gcal_poly_integer(w->c, INT32_MAX));
        return gcal_walk_integer(induction->any);
    }
    trips = gcal_poly_scale(w->c, trips, induction->doublings, 1);
    if (induction->doublings > 0)
        return gcal_walk_integer(
            gcal_poly_mul(w->c, start, gcal_poly_power(w->c, trips)));
    if ((e = gcal_poly_exponent(w->c, start)))
        return gcal_walk_integer(gcal_poly_power(w->c, gcal_poly_add(w->c, e, trips)));
    return gcal_walk_not_affine(gcal_poly_format(
        w->c, "'%s' halves in each iteration, from '%s' on: fix the size as a number",
        gcal_walk_name(w, induction->decl), gcal_poly_text(w->c, start)));
}

/* 'ends': after the loop. */
static void set_values(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                       const struct gcal_poly *v, bool ends, const char *why)
{
    for (size_t i = 0; i < changes->n; i++) {
        struct gcal_walk_induction *induction = &changes->all[i];
        struct gcal_walk_value value =
            gcal_walk_not_affine(induction->start.widened ? induction->start.why : why);

        value.on_data =
            induction->on_data || (induction->start.kind == GCAL_WALK_VALUE_UNKNOWN &&
                                   induction->start.on_data);
        if (v && induction->step) {
            value = moved_by(w, induction, v);
        } else if (v && induction->doublings && (!ends || induction->doublings > 0)) {
            value = scaled_by(w, induction, v);
        } else if (induction->start.kind == GCAL_WALK_VALUE_POINTER &&
                   !induction->assigned) {
            value.kind = GCAL_WALK_VALUE_POINTER; /* moved by an unknown offset */
            value.array = induction->start.array;
        }
        gcal_walk_variable_set(w, induction->decl, value);
    }
}

void gcal_walk_inductions_set(struct gcal_walk *w, struct gcal_walk_inductions *changes,
                              const struct gcal_poly *v)
{
    set_values(w, changes, v, false, "the loop changes it in a way that is not affine");
}

void gcal_walk_inductions_finish(struct gcal_walk *w,
                                 struct gcal_walk_inductions *changes,
                                 const struct gcal_poly *v)
{
    set_values(w, changes, v, true, "an earlier loop changes it");
}
