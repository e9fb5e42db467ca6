/* lvalue.c - lvalues: the variable or memory they name, loads and stores */
#include "kernels/walk/private.h"

struct gcal_walk_value gcal_walk_constant(struct gcal_walk *w, CXCursor c)
{
    CXEvalResult result = clang_Cursor_Evaluate(c);
    struct gcal_walk_value value = gcal_walk_unknown(NULL);
    bool had_failed = gcal_poly_context_has_failed(w->c);

    if (result && clang_EvalResult_getKind(result) == CXEval_Int) /* 2^63 does not fit */
        value =
            gcal_walk_value_if_fits(w, had_failed,
                                    gcal_walk_integer(gcal_poly_integer(
                                        w->c, clang_EvalResult_getAsLongLong(result))));
    if (result)
        clang_EvalResult_dispose(result);
    return value;
}

/* ---- lvalues ---- */

enum { MOST_VARIABLES = 3 }; /* that initialise each other */

enum gcal_feature_space gcal_walk_pointer_space(struct gcal_walk *w, CXCursor at,
                                                CXType type,
                                                struct gcal_walk_value pointer)
{
    if (!gcal_source_is_generic(type))
        return gcal_source_address_space(type);
    if (pointer.kind == GCAL_WALK_VALUE_POINTER)
        return w->nest->arrays[pointer.array].space;
    if (pointer.is_private)
        return GCAL_FEATURE_SPACE_ANY;
    if (w->unit->language == GCAL_SOURCE_CUDA) /* one that is loaded */
        return GCAL_FEATURE_SPACE_GLOBAL;
    gcal_walk_fail(
        w, at,
        "the address space of this generic pointer is unknown: write it in the "
        "pointer's type");
    return GCAL_FEATURE_SPACE_ANY;
}

static struct gcal_walk_lvalue lvalue_of_pointer(struct gcal_walk *w, CXCursor at,
                                                 struct gcal_walk_value pointer,
                                                 CXType type)
{
    enum gcal_feature_space space = gcal_walk_pointer_space(w, at, type, pointer);

    return (struct gcal_walk_lvalue){
        .kind = space == GCAL_FEATURE_SPACE_ANY ? GCAL_WALK_LVALUE_VALUE
                                                : GCAL_WALK_LVALUE_MEMORY,
        .space = space,
        .type = type,
        .value = gcal_walk_unknown("it comes from a private array or structure"),
        .pointer = pointer
    };
}

/* The tag after the first pointer of a[i][j] or of a[i].b[j]. */
static const char *tag_of_base(struct gcal_walk *w, CXCursor base)
{
    const char *tag = gcal_annotations_tag(&w->annotations, base);
    struct gcal_walk_children kids;
    CXType type;

    if (tag || !w->annotations.n)
        return tag;
    base = gcal_walk_strip_casts(w, base);
    type = gcal_source_type(base);
    kids = gcal_walk_get_children(w, base);
    if (!kids.n || (gcal_source_kind(base) != CXCursor_ArraySubscriptExpr &&
                    gcal_source_kind(base) != CXCursor_MemberRefExpr))
        return NULL;
    return gcal_source_is_array(type) || gcal_walk_type_is_record(type)
               ? tag_of_base(w, kids.c[0])
               : NULL;
}

/* An array that becomes the pointer of a subscript. */
static bool is_private_array(struct gcal_walk *w, CXCursor base, CXCursor *array)
{
    struct gcal_walk_children kids;

    while (gcal_source_kind(base) == CXCursor_ParenExpr) {
        kids = gcal_walk_get_children(w, base);
        if (!kids.n)
            return false;
        base = kids.c[kids.n - 1];
    }
    kids = gcal_walk_get_children(w, base);
    if (gcal_source_kind(base) != CXCursor_UnexposedExpr || kids.n != 1)
        return false;
    *array = kids.c[0];
    return gcal_source_type(*array).kind == CXType_ConstantArray &&
           !gcal_walk_is_array_parameter(clang_getCursorReferenced(*array)) &&
           gcal_source_space(*array) == GCAL_FEATURE_SPACE_ANY &&
           !gcal_source_is_pointed_to(*array);
}

/* Returns whether arguments of the kernel are in an expression, or in the initialisers of the
 * variables in it: compilers do not know it, even where a condition on sizes makes it a number.
 */
static bool depends_on_argument(struct gcal_walk *w, CXCursor c, int variables)
{
    struct gcal_walk_children kids;
    CXCursor decl;

    if (gcal_source_kind(c) == CXCursor_DeclRefExpr) {
        decl = clang_getCursorReferenced(c);
        if (gcal_source_kind(decl) == CXCursor_ParmDecl)
            return clang_equalCursors(clang_getCursorSemanticParent(decl), w->kernel);
        if (gcal_source_kind(decl) != CXCursor_VarDecl || !variables)
            return false;
        c = decl;
        variables--;
    }
    kids = gcal_walk_get_children(w, c);
    for (size_t i = 0; i < kids.n; i++)
        if (depends_on_argument(w, kids.c[i], variables))
            return true;
    return false;
}

/* An element of a private array: where, if the subscript is a number. */
static struct gcal_walk_lvalue lvalue_of_element(struct gcal_walk *w, CXCursor array,
                                                 CXCursor index, CXType type)
{
    struct gcal_walk_lvalue lvalue = gcal_walk_lvalue_find(w, array);
    struct gcal_walk_value by =
        w->placing ? gcal_walk_constant(w, index) : gcal_walk_index_expr(w, index);
    long long n = clang_getArraySize(gcal_source_type(array));
    int64_t number, size = gcal_source_size(type);

    gcal_walk_private_move(w, &lvalue, by, gcal_source_type(array));
    if (lvalue.in_array && depends_on_argument(w, index, MOST_VARIABLES))
        gcal_walk_private_keep(w, &lvalue);
    lvalue.type = type;
    if (lvalue.kind == GCAL_WALK_LVALUE_VALUE) {
        lvalue.value = gcal_walk_unknown("it comes from a private array or structure");
        return lvalue;
    }
    if (lvalue.somewhere || by.kind != GCAL_WALK_VALUE_INTEGER ||
        !gcal_poly_is_constant(by.p, &number) || number < 0 || number >= n) {
        lvalue.somewhere = true;
        return lvalue;
    }
    lvalue.from += number * size;
    lvalue.size = size;
    return lvalue;
}

static struct gcal_walk_lvalue lvalue_of_subscript(struct gcal_walk *w, CXCursor c,
                                                   CXType type)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_value pointer, by;
    struct gcal_walk_lvalue lvalue = { .kind = GCAL_WALK_LVALUE_VALUE, .type = type };
    CXCursor base, index, array;
    bool swapped;

    lvalue.value = gcal_walk_unknown("it comes from a private array or structure");
    if (kids.n != 2)
        return lvalue;
    swapped = gcal_walk_type_is_integer(gcal_source_type(kids.c[0])); /* 2[a] */
    base = kids.c[swapped];
    index = kids.c[!swapped];
    if (is_private_array(w, base, &array))
        return lvalue_of_element(w, array, index, type);
    pointer = gcal_walk_index_expr(w, base);
    by = gcal_walk_index_expr(w, index);
    pointer = gcal_walk_move_pointer(w, pointer, by, gcal_source_type(base), 1);
    lvalue.pointer = pointer;
    if (gcal_source_address_space(type) == GCAL_FEATURE_SPACE_ANY &&
        !gcal_source_is_generic(type))
        return lvalue;
    lvalue = lvalue_of_pointer(w, c, pointer, type);
    lvalue.tag = tag_of_base(w, base);
    return lvalue;
}

struct gcal_walk_lvalue gcal_walk_lvalue_of_target(struct gcal_walk *w, CXCursor pointer,
                                                   CXType type)
{
    struct gcal_walk_lvalue lvalue =
        lvalue_of_pointer(w, pointer, gcal_walk_index_expr(w, pointer), type);

    lvalue.tag = gcal_annotations_tag(&w->annotations, pointer);
    return lvalue;
}

/* ---- members of structures, components of vectors ---- */

void gcal_walk_narrow(struct gcal_walk *w, struct gcal_walk_lvalue *lvalue, int64_t bytes,
                      CXType type)
{
    int64_t size = gcal_source_size(type);

    lvalue->type = type;
    if (lvalue->kind == GCAL_WALK_LVALUE_VALUE) {
        const struct gcal_walk_chain *chain = lvalue->value.chain;

        lvalue->value = gcal_walk_parts_slice(w, lvalue->value, bytes, size);
        if (!gcal_walk_type_is_aggregate(type))
            lvalue->value = gcal_walk_part_find(lvalue->value, 0);
        lvalue->value.chain = chain;
    } else if (lvalue->kind == GCAL_WALK_LVALUE_VARIABLE && !lvalue->somewhere) {
        lvalue->from += bytes;
        lvalue->size = size;
    }
    lvalue->pointer = gcal_walk_pointer_shift(w, lvalue->pointer, bytes);
}

static struct gcal_walk_lvalue lvalue_of_member(struct gcal_walk *w, CXCursor c,
                                                CXType type)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    CXCursor member = clang_getCursorReferenced(c),
             record = clang_getCursorSemanticParent(member), base = kids.c[0];
    bool is_own = !kids.n || gcal_walk_is_this(w, base), arrow;
    CXType whole = is_own ? clang_getCursorType(record) : gcal_source_type(base);
    struct gcal_walk_lvalue lvalue;
    long long bits;

    if (gcal_source_kind(member) == CXCursor_VarDecl) /* a static one */
        return (struct gcal_walk_lvalue){ .kind = GCAL_WALK_LVALUE_VALUE,
                                          .type = type,
                                          .value = gcal_walk_constant(w, c) };
    if (gcal_source_is_reference(gcal_source_type(member))) {
        lvalue = (struct gcal_walk_lvalue){ .kind = GCAL_WALK_LVALUE_VALUE,
                                            .type = type,
                                            .value = gcal_walk_unknown(NULL) };
        if (!gcal_walk_reference_find(w, member, &lvalue) && !w->placing)
            gcal_walk_fail(w, c,
                           "what the member '%s' refers to is not known here: pass it as "
                           "an argument",
                           gcal_walk_name(w, member));
        return lvalue;
    }
    arrow = !is_own && gcal_walk_type_is_pointer(whole);
    bits = gcal_source_member_offset(arrow ? clang_getPointeeType(whole) : whole, member);
    lvalue = is_own  ? gcal_walk_this(w, record)
             : arrow ? gcal_walk_lvalue_of_target(w, base, type)
                     : gcal_walk_lvalue_find(w, base);

    if (bits >= 0) {
        gcal_walk_narrow(w, &lvalue, bits / 8, type);
    } else {
        lvalue.type = type;
        lvalue.somewhere = true;
        lvalue.value = gcal_walk_unknown(NULL);
        lvalue.pointer.p = NULL;
        lvalue.pointer.choice = NULL;
    }
    return lvalue;
}

/* ---- components of vectors ---- */

/* The components 'lanes' of the value of a vector, as a value of their own. */
static struct gcal_walk_value gather(struct gcal_walk *w, struct gcal_walk_value whole,
                                     int64_t spacing, size_t n, const signed char *lanes)
{
    struct gcal_walk_part parts[GCAL_SOURCE_MAX_COMPONENTS];

    if (n == 1)
        return gcal_walk_part_find(whole, lanes[0] * spacing);
    for (size_t i = 0; i < n; i++)
        parts[i] =
            (struct gcal_walk_part){ (int64_t)i * spacing,
                                     gcal_walk_part_find(whole, lanes[i] * spacing) };
    return gcal_walk_value_of_parts(w, n, parts);
}

/* Where the components lie in memory: known if they are consecutive. */
static void move_to_lanes(struct gcal_walk *w, struct gcal_walk_lvalue *lvalue,
                          int64_t spacing, size_t n, const signed char *lanes)
{
    bool consecutive = n > 0;

    for (size_t i = 1; i < n; i++)
        consecutive = consecutive && lanes[i] == lanes[0] + (int)i;
    if (consecutive) {
        gcal_walk_narrow(w, lvalue, lanes[0] * spacing, lvalue->type);
        return;
    }
    lvalue->pointer.p = NULL;
    lvalue->pointer.choice = NULL;
}

static struct gcal_walk_lvalue lvalue_of_component(struct gcal_walk *w, CXCursor c,
                                                   CXCursor base, CXType type)
{
    CXType from = gcal_source_type(base);
    int64_t width = gcal_walk_type_width(type), spacing, whole;
    bool arrow = gcal_walk_type_is_pointer(from);
    struct gcal_walk_lvalue lvalue = arrow ? gcal_walk_lvalue_of_target(w, base, type)
                                           : gcal_walk_lvalue_find(w, base);
    signed char lanes[GCAL_SOURCE_MAX_COMPONENTS];
    size_t n = gcal_source_component(w->unit, c, base, lanes);

    if (arrow)
        from = clang_getCanonicalType(clang_getPointeeType(from));
    spacing = gcal_walk_vector_spacing(from);
    whole = gcal_walk_type_width(from);
    lvalue.type = type;
    if (lvalue.kind == GCAL_WALK_LVALUE_MEMORY) {
        if (whole > width)
            move_to_lanes(w, &lvalue, spacing, n, lanes);
    } else if (!n) {
        lvalue.somewhere = true;
        lvalue.value = gcal_walk_unknown("the components that it names are not found");
    } else if (lvalue.kind == GCAL_WALK_LVALUE_VALUE) {
        const struct gcal_walk_chain *chain = lvalue.value.chain;

        lvalue.value = gather(w, lvalue.value, spacing, n, lanes);
        lvalue.value.chain = chain;
    } else {
        /* Components of a variable: v.x is a place of its own, v.xz has several. */
        signed char own[GCAL_SOURCE_MAX_COMPONENTS];

        for (size_t i = 0; i < n; i++) /* v.xyz.yx */
            own[i] = lvalue.n_lanes ? lvalue.lanes[lanes[i]] : lanes[i];
        lvalue.n_lanes = n > 1 ? n : 0;
        for (size_t i = 0; i < n; i++)
            lvalue.lanes[i] = own[i];
        if (n == 1 && !lvalue.somewhere) {
            lvalue.from += own[0] * spacing;
            lvalue.size = spacing;
        }
        if (n == 1 && lvalue.pointer.p)
            lvalue.pointer.p = gcal_poly_add(w->c, lvalue.pointer.p,
                                             gcal_poly_integer(w->c, own[0] * spacing));
    }
    return lvalue;
}

/* ---- all lvalues ---- */

/* Returns whether a cast to 'type' is one of what an expression names, as to const, not of its value.
 */
static bool keeps_lvalue(struct gcal_walk *w, CXType type, CXCursor of)
{
    CXType own = gcal_source_type(of);

    return w->unit->language == GCAL_SOURCE_CUDA &&
           (clang_equalTypes(clang_getUnqualifiedType(type),
                             clang_getUnqualifiedType(own)) ||
            (gcal_walk_type_is_record(type) && gcal_walk_type_is_record(own) &&
             gcal_source_bases(own) == 1));
}

static struct gcal_walk_lvalue lvalue_of_value(struct gcal_walk *w, CXCursor c,
                                               CXType type)
{
    return (struct gcal_walk_lvalue){ .kind = GCAL_WALK_LVALUE_VALUE,
                                      .type = type,
                                      .value = gcal_walk_expr(w, c) };
}

static struct gcal_walk_lvalue lvalue_of_operator(struct gcal_walk *w, CXCursor c,
                                                  CXType type)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    struct gcal_walk_lvalue lvalue;
    CXCursor tagged;
    char tag[64];

    if (gcal_source_find_tag(c, &tagged, tag, sizeof(tag))) {
        lvalue = gcal_walk_lvalue_find(w, tagged);
        lvalue.tag = gcal_poly_format(w->c, "%s", tag);
        return lvalue;
    }
    if (clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref && kids.n &&
        gcal_walk_is_this(w, kids.c[0]))
        return gcal_walk_this(w, clang_getTypeDeclaration(type));
    return clang_getCursorUnaryOperatorKind(c) == CXUnaryOperator_Deref && kids.n
               ? gcal_walk_lvalue_of_target(w, kids.c[0], type)
               : lvalue_of_value(w, c, type);
}

struct gcal_walk_lvalue gcal_walk_lvalue_find(struct gcal_walk *w, CXCursor c)
{
    CXType type = gcal_source_type(c);
    struct gcal_walk_children kids;

    switch (gcal_source_kind(c)) {
    case CXCursor_DeclRefExpr: {
        CXCursor decl = clang_getCursorReferenced(c);
        enum gcal_feature_space space = gcal_source_space(c);
        struct gcal_walk_value pointer = { .kind = GCAL_WALK_VALUE_POINTER };
        bool is_parameter = gcal_walk_is_array_parameter(decl); /* a pointer */
        struct gcal_walk_lvalue lvalue = { .kind = GCAL_WALK_LVALUE_VALUE, .type = type };

        if (gcal_source_is_reference(gcal_source_type(decl))) {
            if (!gcal_walk_reference_find(w, decl, &lvalue))
                lvalue.value = gcal_walk_unknown("it is a reference");
            return lvalue;
        }
        if (gcal_walk_thread_variable(w, decl, &lvalue.value))
            return lvalue;
        if (space == GCAL_FEATURE_SPACE_ANY || is_parameter)
            return (struct gcal_walk_lvalue){ .kind = GCAL_WALK_LVALUE_VARIABLE,
                                              .decl = decl,
                                              .size = is_parameter
                                                          ? 1
                                                          : gcal_source_size(type),
                                              .type = type };
        /* a __local array or variable, a __constant table */
        pointer.p = gcal_poly_integer(w->c, 0);
        pointer.array = gcal_walk_array_find(w, gcal_walk_name(w, decl), space);
        w->nest->arrays[pointer.array].bytes = gcal_source_size(type) > 0
                                                   ? gcal_source_size(type)
                                                   : 0; /* 0: of the launch */
        return lvalue_of_pointer(w, c, pointer, type);
    }
    case CXCursor_ArraySubscriptExpr:
        return lvalue_of_subscript(w, c, type);
    case CXCursor_UnaryOperator:
        return lvalue_of_operator(w, c, type);
    case CXCursor_CallExpr: {
        struct gcal_walk_lvalue lvalue;

        return gcal_walk_call_lvalue(w, c, &lvalue) ? lvalue
                                                    : lvalue_of_value(w, c, type);
    }
    case CXCursor_CStyleCastExpr: /* "reinterpret_cast<float4 &>(x)" */
        kids = gcal_walk_get_children(w, c);
        if (gcal_walk_type_is_record(type) && kids.n &&
            gcal_source_type(kids.c[0]).kind != CXType_Record) {
            struct gcal_walk_lvalue lvalue = gcal_walk_lvalue_find(w, kids.c[0]);

            lvalue.type = type;
            if (lvalue.kind == GCAL_WALK_LVALUE_MEMORY)
                return lvalue;
        }
        return lvalue_of_value(w, c, type);
    case CXCursor_MemberRefExpr:
        return lvalue_of_member(w, c, type);
    case CXCursor_ParenExpr:
    case CXCursor_UnexposedExpr: /* a component of a vector too */
        kids = gcal_walk_get_children(w, c);
        if (!kids.n)
            return lvalue_of_value(w, c, type);
        if (gcal_source_kind(c) == CXCursor_ParenExpr || keeps_lvalue(w, type, kids.c[0]))
            return gcal_walk_lvalue_find(w, kids.c[kids.n - 1]);
        return w->unit->language == GCAL_SOURCE_CUDA
                   ? lvalue_of_value(w, c, type)
                   : lvalue_of_component(w, c, kids.c[0], type);
    default:
        return lvalue_of_value(w, c, type);
    }
}

struct gcal_walk_value gcal_walk_decay(struct gcal_walk *w, CXCursor array)
{
    struct gcal_walk_lvalue lvalue;

    if (gcal_source_has_decayed(array))
        return gcal_walk_expr(w, array);
    lvalue = gcal_walk_lvalue_find(w, array);
    if (lvalue.kind == GCAL_WALK_LVALUE_MEMORY)
        return lvalue.pointer;
    if (gcal_source_kind(array) == CXCursor_DeclRefExpr &&
        gcal_walk_is_array_parameter(lvalue.decl))
        return gcal_walk_variable_get(w, lvalue.decl);
    if (lvalue.kind == GCAL_WALK_LVALUE_VARIABLE && !w->frozen)
        gcal_walk_variable_escape(w, lvalue.decl);
    return gcal_walk_private_pointer(w, &lvalue);
}

/* Returns whether it is a variable, or a part of one. */
static bool is_place(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    CXCursor inner;

    switch (gcal_source_kind(c)) {
    case CXCursor_DeclRefExpr:
        return true;
    case CXCursor_ParenExpr:
        return kids.n && is_place(w, kids.c[kids.n - 1]);
    case CXCursor_MemberRefExpr:
        if (!kids.n || gcal_walk_is_this(w, kids.c[0])) /* of the object */
            return w->unit->language == GCAL_SOURCE_CUDA;
        return !gcal_walk_type_is_pointer(gcal_source_type(kids.c[0])) &&
               is_place(w, kids.c[0]);
    case CXCursor_UnexposedExpr:
        return kids.n == 1 && gcal_source_is_component(w->unit, c, kids.c[0]) &&
               !gcal_walk_type_is_pointer(gcal_source_type(kids.c[0])) &&
               is_place(w, kids.c[0]);
    case CXCursor_ArraySubscriptExpr:
        return kids.n == 2 && is_private_array(w, kids.c[0], &inner) &&
               is_place(w, inner);
    default:
        return false;
    }
}

bool gcal_walk_place_find(struct gcal_walk *w, CXCursor c,
                          struct gcal_walk_lvalue *lvalue)
{
    if (!is_place(w, c))
        return false;
    w->silent++;
    w->frozen++;
    w->placing++;
    *lvalue = gcal_walk_lvalue_find(w, c);
    w->placing--;
    w->frozen--;
    w->silent--;
    return lvalue->kind == GCAL_WALK_LVALUE_VARIABLE;
}

/* ---- loads and stores of variables ---- */

/* Returns whether unrolling the loops around would make the subscript a number. */
static void note_unknown_place(struct gcal_walk *w, const struct gcal_walk_lvalue *lvalue)
{
    struct gcal_walk_value value =
        gcal_walk_cells_load(w, lvalue->decl, lvalue->from, lvalue->size);

    for (size_t i = 0; value.parts && i < value.parts->n; i++)
        if (value.parts->all[i].value.kind != GCAL_WALK_VALUE_UNKNOWN) {
            w->not_affine++;
            return;
        }
}

static struct gcal_walk_value load_variable(struct gcal_walk *w, CXCursor at,
                                            const struct gcal_walk_lvalue *lvalue)
{
    const struct gcal_walk_variable *known;
    struct gcal_walk_value whole;
    CXType element = gcal_walk_element_type(lvalue->type);

    if (lvalue->somewhere) {
        note_unknown_place(w, lvalue);
        return gcal_walk_unknown("it comes from a private array or structure");
    }
    if (gcal_source_is_array(lvalue->type) && gcal_walk_is_array_parameter(lvalue->decl))
        return gcal_walk_variable_get(w, lvalue->decl);
    if (gcal_walk_type_is_aggregate(lvalue->type)) {
        whole = gcal_walk_cells_load(w, lvalue->decl, lvalue->from, lvalue->size);
        return lvalue->n_lanes ? gather(w, whole, gcal_walk_vector_spacing(element),
                                        lvalue->n_lanes, lvalue->lanes)
                               : whole;
    }
    known = gcal_walk_cell_find(w, lvalue->decl, lvalue->from);
    if (known && known->type.kind == lvalue->type.kind)
        return known->value;
    return known || gcal_walk_type_is_aggregate(gcal_source_type(lvalue->decl))
               ? gcal_walk_unknown("it comes from a private array or structure")
               : gcal_walk_constant(w, at);
}

/* Returns whether it may be what an iteration of a loop that is not unrolled made of the one
 * before.
 */
static bool is_carried(const struct gcal_walk *w, const struct gcal_walk_lvalue *lvalue)
{
    for (const struct gcal_walk_inductions *loop = w->rolled; loop; loop = loop->outer)
        for (size_t i = 0; i < loop->n; i++)
            if (loop->all[i].carries && loop->all[i].at >= lvalue->from &&
                loop->all[i].at - lvalue->from < lvalue->size &&
                clang_equalCursors(loop->all[i].decl, lvalue->decl))
                return true;
    return false;
}

struct gcal_walk_value gcal_walk_lvalue_load(struct gcal_walk *w, CXCursor at,
                                             const struct gcal_walk_lvalue *lvalue)
{
    struct gcal_walk_value value;

    switch (lvalue->kind) {
    case GCAL_WALK_LVALUE_MEMORY:
        gcal_walk_count_access(w, at, lvalue->type, gcal_walk_type_width(lvalue->type),
                               lvalue->space, GCAL_FEATURE_LOAD, lvalue->pointer,
                               lvalue->tag);
        value = gcal_walk_loaded(lvalue->space, lvalue->pointer);
        value.range = gcal_walk_range_loaded(w, lvalue->type, lvalue->pointer);
        value.chain =
            gcal_walk_chain_memory(w, lvalue->space, lvalue->type, lvalue->pointer);
        value.near = gcal_walk_near_loaded(w, lvalue->type, lvalue->pointer);
        return value;
    case GCAL_WALK_LVALUE_VARIABLE:
        gcal_walk_private_access(w, at, lvalue, GCAL_FEATURE_LOAD);
        w->n_carried += is_carried(w, lvalue);
        value = load_variable(w, at, lvalue);
        if (value.product && value.product->is_fused && !w->silent) {
            gcal_walk_fuse(w, value.product, false); /* it is used once more */
            value.product = NULL;
        }
        value.chain = value.kind == GCAL_WALK_VALUE_UNKNOWN
                          ? gcal_walk_chain_load(w, lvalue)
                          : NULL;
        return value;
    default:
        gcal_walk_private_access(w, at, lvalue, GCAL_FEATURE_LOAD);
        value = lvalue->value;
        if (lvalue->pointer.in_array)
            value.chain = gcal_walk_chain_memory(w, GCAL_FEATURE_SPACE_ANY, lvalue->type,
                                                 lvalue->pointer);
        return value;
    }
}

static void store_variable(struct gcal_walk *w, const struct gcal_walk_lvalue *lvalue,
                           struct gcal_walk_value value)
{
    int64_t spacing = gcal_walk_vector_spacing(lvalue->type);

    value = gcal_walk_stored(w, value, lvalue->type);
    if (lvalue->somewhere) {
        w->not_affine += gcal_walk_is_table(w, lvalue->decl);
        gcal_walk_cells_store(
            w, lvalue->decl, lvalue->from, lvalue->size,
            gcal_walk_unknown("it comes from a private array or structure"));
    } else if (lvalue->n_lanes) {
        for (size_t i = 0; i < lvalue->n_lanes; i++)
            gcal_walk_cells_store(w, lvalue->decl,
                                  lvalue->from + lvalue->lanes[i] * spacing, spacing,
                                  gcal_walk_part_find(value, (int64_t)i * spacing));
    } else if (lvalue->from ||
               gcal_walk_type_is_aggregate(gcal_source_type(lvalue->decl))) {
        gcal_walk_cells_store(w, lvalue->decl, lvalue->from, lvalue->size, value);
    } else {
        gcal_walk_variable_set(w, lvalue->decl, value);
    }
}

void gcal_walk_lvalue_store(struct gcal_walk *w, CXCursor at,
                            const struct gcal_walk_lvalue *lvalue,
                            struct gcal_walk_value value)
{
    if (lvalue->kind == GCAL_WALK_LVALUE_MEMORY)
        gcal_walk_count_access(w, at, lvalue->type, gcal_walk_type_width(lvalue->type),
                               lvalue->space, GCAL_FEATURE_STORE, lvalue->pointer,
                               lvalue->tag);
    else
        gcal_walk_private_access(w, at, lvalue, GCAL_FEATURE_STORE);
    if (value.kind != GCAL_WALK_VALUE_UNKNOWN)
        value.chain = NULL;
    if (lvalue->kind == GCAL_WALK_LVALUE_VARIABLE && !w->frozen) {
        store_variable(w, lvalue, value);
        gcal_walk_chain_store(w, lvalue, value.chain);
    } else if (lvalue->kind == GCAL_WALK_LVALUE_MEMORY || lvalue->pointer.in_array) {
        gcal_walk_chain_to_memory(w, lvalue->space, lvalue->pointer, value.chain);
    }
}
