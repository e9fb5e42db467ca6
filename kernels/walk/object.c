/* object.c - what CUDA has of C++: references, objects, their constructors and methods, lambdas
 *
 * A reference is another name of what it refers to, and "this" is one for the object of its method.
 * An object that has no name is a variable, named by the call that makes it.  The body of a lambda
 * names the variables that it captures by themselves, so that it is walked where it is called.
 */
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/walk/private.h"

/* ---- references ---- */

bool gcal_walk_reference_find(const struct gcal_walk *w, CXCursor decl,
                              struct gcal_walk_lvalue *lvalue)
{
    unsigned hash = clang_hashCursor(decl);

    for (size_t i = w->n_references; i-- > 0;)
        if (w->references[i].hash == hash &&
            clang_equalCursors(w->references[i].decl, decl)) {
            *lvalue = w->references[i].lvalue;
            return !w->references[i].several;
        }
    return false;
}

static bool is_same_lvalue(const struct gcal_walk_lvalue *a,
                           const struct gcal_walk_lvalue *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == GCAL_WALK_LVALUE_VARIABLE)
        return clang_equalCursors(a->decl, b->decl) && a->from == b->from;
    return a->pointer.p && b->pointer.p && a->pointer.array == b->pointer.array &&
           gcal_poly_equal(a->pointer.p, b->pointer.p);
}

static void set_reference(struct gcal_walk *w, CXCursor decl,
                          struct gcal_walk_lvalue lvalue)
{
    unsigned hash = clang_hashCursor(decl);
    struct gcal_walk_reference *moved;

    for (size_t i = 0; i < w->n_references; i++)
        if (w->references[i].hash == hash &&
            clang_equalCursors(w->references[i].decl, decl)) {
            w->references[i].several =
                clang_getCursorKind(decl) == CXCursor_FieldDecl &&
                (w->references[i].several ||
                 !is_same_lvalue(&w->references[i].lvalue, &lvalue));
            w->references[i].lvalue = lvalue;
            return;
        }
    moved = gcal_array_grow(w->references, w->n_references, &w->reference_capacity,
                            sizeof(*moved), w->err);
    if (!moved) {
        w->failed = true;
        return;
    }
    w->references = moved;
    moved[w->n_references++] = (struct gcal_walk_reference){ decl, hash, lvalue, false };
}

/* A variable that is named by 'decl', of what 'type' is or refers to. */
static struct gcal_walk_lvalue variable_of(CXCursor decl, CXType type)
{
    if (gcal_source_is_reference(type))
        type = clang_getCanonicalType(clang_getPointeeType(type));
    return (struct gcal_walk_lvalue){ .kind = GCAL_WALK_LVALUE_VARIABLE,
                                      .decl = decl,
                                      .size = gcal_source_size(type),
                                      .type = type };
}

/* Makes a variable, and gives it a value. */
static void set_variable(struct gcal_walk *w, const struct gcal_walk_lvalue *variable,
                         struct gcal_walk_value value)
{
    struct gcal_walk_leaf leaves[GCAL_WALK_MAX_CELLS];
    size_t n = gcal_walk_type_is_aggregate(variable->type)
                   ? gcal_walk_leaves(w, variable->type, true, leaves)
                   : 0;

    w->unnamed++;
    if (!n)
        gcal_walk_cell_set(w, variable->decl, 0, variable->type, value);
    for (size_t i = 0; i < n; i++)
        gcal_walk_cell_set(w, variable->decl, leaves[i].at, leaves[i].type,
                           gcal_walk_part_find(value, leaves[i].at));
    w->unnamed--;
    gcal_walk_chain_declare(w, variable->decl, value.chain);
}

/* A reference to a constant number is the number: compilers load it once. */
static bool is_value(CXType type)
{
    CXType of = clang_getCanonicalType(clang_getPointeeType(type));

    return gcal_source_is_reference(type) && clang_isConstQualifiedType(of) &&
           gcal_source_dtype(of);
}

void gcal_walk_refer(struct gcal_walk *w, CXCursor decl, CXCursor c)
{
    CXType type = gcal_source_type(decl);
    bool is_this = gcal_source_kind(decl) == CXCursor_FunctionDecl;
    struct gcal_walk_lvalue lvalue, own;

    if (is_this && clang_Cursor_isNull(c)) {
        lvalue = gcal_walk_this(w, clang_getCursorSemanticParent(decl));
    } else if (is_this && gcal_walk_type_is_pointer(gcal_source_type(c))) {
        lvalue =
            gcal_walk_is_this(w, c)
                ? gcal_walk_this(w, clang_getCursorSemanticParent(decl))
                : gcal_walk_lvalue_of_target(
                      w, c,
                      clang_getCanonicalType(clang_getPointeeType(gcal_source_type(c))));
    } else {
        w->quiet += gcal_walk_is_index(w, decl);
        lvalue = gcal_walk_lvalue_find(w, c);
        if (!is_this && is_value(type) && lvalue.kind == GCAL_WALK_LVALUE_MEMORY)
            lvalue = (struct gcal_walk_lvalue){
                .type = lvalue.type, .value = gcal_walk_lvalue_load(w, c, &lvalue)
            };
        w->quiet -= gcal_walk_is_index(w, decl);
    }
    if (type.kind == CXType_LValueReference &&
        !clang_isConstQualifiedType(clang_getPointeeType(type)))
        gcal_walk_check_target(w, c);
    if (lvalue.kind == GCAL_WALK_LVALUE_VALUE) { /* of its own */
        own = variable_of(decl, is_this ? lvalue.type : type);
        set_variable(w, &own, lvalue.value);
        lvalue = own;
    }
    set_reference(w, decl, lvalue);
}

void gcal_walk_check_target(struct gcal_walk *w, CXCursor c)
{
    enum CXCursorKind kind;

    if (w->unit->language != GCAL_SOURCE_CUDA)
        return;
    c = gcal_walk_strip_casts(w, c);
    kind = gcal_source_kind(c);
    if (kind == CXCursor_ConditionalOperator || kind == CXCursor_BinaryOperator ||
        kind == CXCursor_CompoundAssignOperator ||
        (kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(c) <= CXUnaryOperator_PreDec))
        gcal_walk_fail(w, c,
                       "an expression that is one of several variables, or changes one, "
                       "cannot be assigned to or referred to here");
}

bool gcal_walk_may_change(CXCursor function, size_t i)
{
    CXCursor parameter = gcal_source_parameter(function, i);
    CXType type;

    if (gcal_source_kind(parameter) == CXCursor_FunctionDecl)
        return !clang_CXXMethod_isConst(parameter);
    type = gcal_source_type(parameter);
    return gcal_source_is_reference(type) &&
           !clang_isConstQualifiedType(clang_getPointeeType(type));
}

bool gcal_walk_is_lambda(struct gcal_walk *w, CXCursor function)
{
    return clang_getCursorKind(function) == CXCursor_CXXMethod &&
           !*gcal_walk_name(w, clang_getCursorSemanticParent(function));
}

bool gcal_walk_changes_caller(struct gcal_walk *w, CXCursor function,
                              struct gcal_walk_children kids)
{
    bool is = gcal_source_is_method(function) || gcal_walk_is_lambda(w, function);

    for (size_t i = 1; i < kids.n && !is; i++)
        is = gcal_walk_may_change(function, i);
    return is;
}

bool gcal_walk_is_output(CXCursor operand)
{
    enum CXCursorKind kind = gcal_source_kind(operand); /* others are values */

    return kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
           kind == CXCursor_ArraySubscriptExpr || kind == CXCursor_ParenExpr ||
           (kind == CXCursor_UnaryOperator &&
            clang_getCursorUnaryOperatorKind(operand) == CXUnaryOperator_Deref);
}

/* ---- "this" ---- */

bool gcal_walk_is_this(struct gcal_walk *w, CXCursor c)
{
    return gcal_source_kind(gcal_walk_strip_casts(w, c)) == CXCursor_CXXThisExpr;
}

struct gcal_walk_lvalue gcal_walk_this(struct gcal_walk *w, CXCursor record)
{
    struct gcal_walk_lvalue lvalue = { .kind = GCAL_WALK_LVALUE_VALUE,
                                       .type = gcal_source_type(record),
                                       .value = gcal_walk_unknown("it is of an object") };
    const struct gcal_walk_frame *nearest = NULL;

    for (const struct gcal_walk_frame *f = w->frame; f; f = f->outer) {
        if (gcal_source_is_method(f->function) ||
            clang_getCursorKind(f->function) == CXCursor_Constructor) {
            nearest = nearest ? nearest : f;
            if (clang_equalCursors(clang_getCursorSemanticParent(f->function), record)) {
                nearest = f;
                break;
            }
        }
    }
    if (nearest)
        gcal_walk_reference_find(w, nearest->function, &lvalue);
    return lvalue;
}

/* ---- calls ---- */

static CXType result_type(CXCursor function)
{
    return clang_getCanonicalType(clang_getCursorResultType(function));
}

/* One that compilers make has none in the source. */
static bool has_body(struct gcal_walk *w, CXCursor function)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, function);

    return kids.n && !clang_CXXMethod_isDefaulted(function) &&
           gcal_source_kind(kids.c[kids.n - 1]) == CXCursor_CompoundStmt;
}

/* "a = b" of structures without an operator of their own. */
static bool is_copy(struct gcal_walk *w, CXCursor function,
                    struct gcal_walk_children kids)
{
    CXCursor definition = clang_getCursorDefinition(function);

    return kids.n == 3 && clang_getCursorKind(function) == CXCursor_CXXMethod &&
           (clang_Cursor_isNull(definition) || !has_body(w, definition)) &&
           strcmp(gcal_walk_name(w, function), "operator=") == 0;
}

bool gcal_walk_call_lvalue(struct gcal_walk *w, CXCursor call,
                           struct gcal_walk_lvalue *lvalue)
{
    CXCursor function = gcal_source_called(call);
    CXCursor definition = clang_getCursorDefinition(function);
    struct gcal_walk_children kids = gcal_walk_get_children(w, call);
    struct gcal_walk_lvalue found = { .size = -1 };

    if (w->unit->language != GCAL_SOURCE_CUDA)
        return false;
    if (is_copy(w, function, kids)) {
        gcal_walk_expr(w, call);
        *lvalue = gcal_walk_lvalue_find(w, kids.c[1]);
        return true;
    }
    if (gcal_source_kind(definition) != CXCursor_FunctionDecl ||
        !gcal_source_is_reference(result_type(function)) ||
        is_value(result_type(function)))
        return false;
    gcal_walk_call_function(w, call, definition, kids, &found);
    *lvalue = found;
    if (found.size < 0) {
        lvalue->value = gcal_walk_unknown("it comes from a function");
        lvalue->type = gcal_source_type(call);
    }
    return true;
}

void gcal_walk_return_reference(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_lvalue *result = w->result;

    w->result = NULL;
    if (result->size >= 0)
        gcal_walk_fail(
            w, c, "a function that returns one of several references cannot be counted");
    *result = gcal_walk_lvalue_find(w, c);
    result->size = result->size < 0 ? 0 : result->size;
    w->result = result;
}

/* ---- constructors ---- */

static void store_member(struct gcal_walk *w, const struct gcal_walk_lvalue *object,
                         CXCursor field, CXCursor value)
{
    CXType type = gcal_source_type(field);
    long long bits = gcal_source_member_offset(
        clang_getCursorType(clang_getCursorSemanticParent(field)), field);
    struct gcal_walk_lvalue member = *object;
    struct gcal_walk_value part;

    if (gcal_source_is_reference(type)) {
        gcal_walk_refer(w, field, value);
        return;
    }
    if (bits < 0)
        return;
    gcal_walk_narrow(w, &member, bits / 8, type);
    part = gcal_walk_expr(w, value);
    if (part.product)
        part.product->is_member = true;
    w->unnamed++;
    gcal_walk_lvalue_store(w, value, &member, part);
    w->unnamed--;
}

/* The initialiser in the declaration of a member; or a null cursor. */
static CXCursor own_initialiser(struct gcal_walk *w, CXCursor field)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, field);
    CXType type = gcal_source_type(field);
    enum CXCursorKind kind = kids.n ? gcal_source_kind(kids.c[kids.n - 1]) : 0;

    if (!kids.n || clang_Cursor_isBitField(field) ||
        (gcal_source_is_array(type) && kind != CXCursor_InitListExpr) ||
        (gcal_walk_type_is_record(type) && kind != CXCursor_InitListExpr &&
         kind != CXCursor_CallExpr))
        return clang_getNullCursor();
    return kids.c[kids.n - 1];
}

static void set_members(struct gcal_walk *w, const struct gcal_walk_lvalue *object,
                        struct gcal_walk_children kids)
{
    struct gcal_walk_children fields =
        gcal_walk_get_children(w, clang_getTypeDeclaration(object->type));

    for (size_t i = 0; i < fields.n; i++) {
        CXCursor value = own_initialiser(w, fields.c[i]);

        for (size_t k = 0; k + 1 < kids.n; k++)
            if (gcal_source_kind(kids.c[k]) == CXCursor_MemberRef &&
                clang_equalCursors(clang_getCursorReferenced(kids.c[k]), fields.c[i]))
                value = kids.c[k + 1];
        if (!clang_Cursor_isNull(value))
            store_member(w, object, fields.c[i], value);
    }
}

void gcal_walk_members(struct gcal_walk *w, CXCursor constructor)
{
    struct gcal_walk_children kids;
    struct gcal_walk_lvalue object, part;

    if (clang_getCursorKind(constructor) != CXCursor_Constructor ||
        !gcal_walk_reference_find(w, constructor, &object))
        return;
    kids = gcal_walk_get_children(w, constructor);
    for (size_t k = 0; k + 1 < kids.n; k++)
        if (gcal_source_kind(kids.c[k]) == CXCursor_CallExpr &&
            (!k || gcal_source_kind(kids.c[k - 1]) != CXCursor_MemberRef)) {
            part = object; /* a base, or all of it by another constructor */
            part.type = gcal_source_type(kids.c[k]);
            part.size = gcal_source_size(part.type);
            gcal_walk_lvalue_store(w, kids.c[k], &part, gcal_walk_expr(w, kids.c[k]));
        }
    set_members(w, &object, kids);
}

static enum CXChildVisitResult find_destructor(CXCursor c, CXCursor parent,
                                               CXClientData data)
{
    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_Destructor)
        *(CXCursor *)data = c;
    return CXChildVisit_Continue;
}

/* What the end of an object's life does is not walked. */
static void check_destructor(struct gcal_walk *w, CXCursor call, CXType type)
{
    CXCursor destructor = clang_getNullCursor();
    struct gcal_walk_children kids;

    clang_visitChildren(clang_getTypeDeclaration(type), find_destructor, &destructor);
    destructor = clang_getCursorDefinition(destructor);
    if (clang_Cursor_isNull(destructor) || !has_body(w, destructor))
        return;
    kids = gcal_walk_get_children(w, destructor);
    if (gcal_walk_get_children(w, kids.c[kids.n - 1]).n)
        gcal_walk_fail(w, call,
                       "an object whose destructor does something cannot be counted");
}

static struct gcal_walk_value construct(struct gcal_walk *w, CXCursor call,
                                        CXCursor constructor,
                                        struct gcal_walk_children kids)
{
    CXCursor definition = clang_getCursorDefinition(constructor);
    CXType type = gcal_source_type(call);
    struct gcal_walk_lvalue object = variable_of(call, type), outer;
    struct gcal_walk_value value = gcal_walk_unknown("it has no value yet");
    bool is_walked = !clang_Cursor_isNull(definition) && has_body(w, definition);
    bool had_outer;

    if (!is_walked && kids.n == 2 &&
        (clang_CXXConstructor_isCopyConstructor(constructor) ||
         clang_CXXConstructor_isMoveConstructor(constructor)))
        return gcal_walk_expr(w, kids.c[1]);
    check_destructor(w, call, type);
    if (gcal_source_is_array(type)) /* each element */
        return value;
    set_variable(w, &object, value);
    if (is_walked) {
        had_outer = gcal_walk_reference_find(w, definition, &outer);
        set_reference(w, definition, object);
        gcal_walk_call_function(w, call, definition, kids, NULL);
        if (had_outer)
            set_reference(w, definition, outer);
    } else {
        set_members(w, &object, (struct gcal_walk_children){ 0 });
    }
    return gcal_walk_lvalue_load(w, call, &object);
}

/* Whose class is known. */
static bool is_variable(struct gcal_walk *w, CXCursor object)
{
    object = gcal_walk_strip_casts(w, object);
    return gcal_source_kind(object) == CXCursor_DeclRefExpr &&
           gcal_walk_type_is_record(gcal_source_type(clang_getCursorReferenced(object)));
}

bool gcal_walk_object_call(struct gcal_walk *w, CXCursor call, CXCursor function,
                           struct gcal_walk_children kids, struct gcal_walk_value *value)
{
    CXCursor definition = clang_getCursorDefinition(function);
    struct gcal_walk_lvalue lvalue;

    if (clang_getCursorKind(function) == CXCursor_Constructor) {
        *value = construct(w, call, function, kids);
        return true;
    }
    if (clang_CXXMethod_isVirtual(function) &&
        (kids.n < 2 || !is_variable(w, kids.c[1]))) {
        gcal_walk_fail(
            w, call,
            "which virtual function '%s' this calls is not known: call one of a "
            "variable of the class",
            gcal_walk_name(w, call));
        *value = gcal_walk_unknown(NULL);
        return true;
    }
    if (is_copy(w, function, kids)) {
        *value = gcal_walk_expr(w, kids.c[2]);
        lvalue = gcal_walk_lvalue_find(w, kids.c[1]);
        gcal_walk_lvalue_store(w, call, &lvalue, *value);
        return true;
    }
    if (gcal_source_kind(definition) != CXCursor_FunctionDecl) {
        if (clang_Cursor_isNull(function) ||
            clang_Location_isInSystemHeader(clang_getCursorLocation(function)))
            return false;
        gcal_walk_fail(w, call, "the body of '%s' is not in the source",
                       gcal_walk_name(w, call));
        *value = gcal_walk_unknown(NULL);
        return true;
    }
    if (gcal_walk_type_is_integer(result_type(function)) &&
        (*value = gcal_walk_constant(w, call)).kind == GCAL_WALK_VALUE_INTEGER) {
        value->folds = true; /* constexpr */
        return true;
    }
    if (!gcal_source_is_reference(result_type(function)) ||
        is_value(result_type(function)) || !gcal_walk_call_lvalue(w, call, &lvalue))
        return false;
    *value = clang_equalCursors(w->unused, call)
                 ? gcal_walk_unknown(NULL)
                 : gcal_walk_lvalue_load(w, call, &lvalue);
    return true;
}

/* ---- ids ---- */

static const char *const variables[] = { "threadIdx", "blockIdx", "blockDim", "gridDim" };

/* The number of the variable, and whether it is one of CUDA's. */
static bool find_thread_variable(struct gcal_walk *w, CXCursor decl, size_t *which)
{
    if (w->unit->language != GCAL_SOURCE_CUDA ||
        gcal_source_kind(decl) != CXCursor_VarDecl ||
        !clang_Location_isInSystemHeader(clang_getCursorLocation(decl)))
        return false;
    for (*which = 0; *which < sizeof(variables) / sizeof(*variables); ++*which)
        if (strcmp(gcal_walk_name(w, decl), variables[*which]) == 0)
            return true;
    return false;
}

bool gcal_walk_thread_variable(struct gcal_walk *w, CXCursor decl,
                               struct gcal_walk_value *value)
{
    const struct gcal_sets_nest *nest = w->nest;
    struct gcal_walk_part parts[3];
    size_t which;

    if (!find_thread_variable(w, decl, &which))
        return false;
    for (size_t d = 0; d < 3; d++) {
        const struct gcal_poly *p = gcal_poly_integer(w->c, which > 1);

        if (d < nest->n_dims)
            p = which == 0   ? nest->lid[d]
                : which == 1 ? nest->gid[d]
                : which == 2 ? gcal_poly_integer(w->c, nest->local_size[d])
                             : nest->groups[d];
        parts[d] =
            (struct gcal_walk_part){ (int64_t)(d * sizeof(int)), gcal_walk_integer(p) };
    }
    *value = gcal_walk_value_of_parts(w, 3, parts);
    return true;
}

/* Which variable, and in which dimension, 'c' is. */
static bool find_id(struct gcal_walk *w, CXCursor c, size_t *which, char *dimension)
{
    struct gcal_walk_children kids;

    c = gcal_walk_strip_casts(w, c);
    kids = gcal_walk_get_children(w, c);
    if (gcal_source_kind(c) != CXCursor_MemberRefExpr || kids.n != 1 ||
        gcal_source_kind(kids.c[0]) != CXCursor_DeclRefExpr ||
        !find_thread_variable(w, clang_getCursorReferenced(kids.c[0]), which))
        return false;
    *dimension = gcal_walk_name(w, c)[0];
    return true;
}

/* Compilers do the same for get_global_id() and get_global_size(), which are no work. */
bool gcal_walk_global_id(struct gcal_walk *w, CXCursor sum,
                         struct gcal_walk_children kids, struct gcal_walk_value *value)
{
    enum { THREAD, BLOCK, BLOCK_SIZE, GRID_SIZE };
    enum CXBinaryOperatorKind kind = clang_getCursorBinaryOperatorKind(sum);
    size_t a, b, thread;
    char x, y, z;
    const struct gcal_poly *id;
    const struct gcal_sets_nest *nest = w->nest;

    if (w->unit->language != GCAL_SOURCE_CUDA)
        return false;
    if (kind == CXBinaryOperator_Mul && find_id(w, kids.c[0], &a, &x) &&
        find_id(w, kids.c[1], &b, &y) && x == y && a + b == BLOCK_SIZE + GRID_SIZE &&
        a != b) {
        id = (size_t)(x - 'x') < nest->n_dims
                 ? gcal_poly_scale(w->c, nest->groups[x - 'x'], nest->local_size[x - 'x'],
                                   1)
                 : gcal_poly_integer(w->c, 1);
        *value = gcal_walk_integer(id);
        return true;
    }
    for (int side = 0; side < 2 && kind == CXBinaryOperator_Add; side++) {
        CXCursor product = gcal_walk_strip_casts(w, kids.c[side]);
        struct gcal_walk_children factors = gcal_walk_get_children(w, product);

        if (gcal_source_kind(product) != CXCursor_BinaryOperator || factors.n != 2 ||
            clang_getCursorBinaryOperatorKind(product) != CXBinaryOperator_Mul ||
            !find_id(w, kids.c[!side], &thread, &z) || thread != THREAD ||
            !find_id(w, factors.c[0], &a, &x) || !find_id(w, factors.c[1], &b, &y) ||
            x != y || x != z || a + b != BLOCK + BLOCK_SIZE || a == b)
            continue;
        id = gcal_poly_integer(w->c, 0);
        if ((size_t)(x - 'x') < nest->n_dims)
            id = gcal_poly_add(
                w->c,
                gcal_poly_scale(w->c, nest->gid[x - 'x'], nest->local_size[x - 'x'], 1),
                nest->lid[x - 'x']);
        *value = gcal_walk_integer(id);
        return true;
    }
    return false;
}
