/* call.c - calls: built-in functions, and functions of the source */
#include <stdlib.h>
#include <string.h>

#include "kernels/walk/private.h"

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* ---- ids and sizes ---- */

static const struct gcal_poly *global_size(struct gcal_walk *w, size_t d)
{
    return gcal_poly_scale(w->c, w->nest->groups[d], w->nest->local_size[d], 1);
}

static const struct gcal_poly *global_id(struct gcal_walk *w, size_t d)
{
    return gcal_poly_add(
        w->c, gcal_poly_scale(w->c, w->nest->gid[d], w->nest->local_size[d], 1),
        w->nest->lid[d]);
}

static const struct gcal_poly *linear_id(struct gcal_walk *w, bool local)
{
    const struct gcal_poly *id = gcal_poly_integer(w->c, 0);

    for (size_t d = w->nest->n_dims; d-- > 0;) {
        const struct gcal_poly *size =
            local ? gcal_poly_integer(w->c, w->nest->local_size[d]) : global_size(w, d);

        id = gcal_poly_add(w->c, gcal_poly_mul(w->c, id, size),
                           local ? w->nest->lid[d] : global_id(w, d));
    }
    return id;
}

/* The value of a work-item function in dimension 'd'; NULL for other functions. */
static const struct gcal_poly *work_item(struct gcal_walk *w, const char *name, int64_t d)
{
    const struct gcal_sets_nest *nest = w->nest;
    bool inside = d >= 0 && (size_t)d < nest->n_dims;
    const struct gcal_poly *zero = gcal_poly_integer(w->c, 0);
    const struct gcal_poly *one = gcal_poly_integer(w->c, 1);

    if (strcmp(name, "get_global_id") == 0)
        return inside ? global_id(w, (size_t)d) : zero;
    if (strcmp(name, "get_local_id") == 0)
        return inside ? nest->lid[d] : zero;
    if (strcmp(name, "get_group_id") == 0)
        return inside ? nest->gid[d] : zero;
    if (strcmp(name, "get_global_offset") == 0)
        return zero;
    if (strcmp(name, "get_local_size") == 0 ||
        strcmp(name, "get_enqueued_local_size") == 0)
        return inside ? gcal_poly_integer(w->c, nest->local_size[d]) : one;
    if (strcmp(name, "get_num_groups") == 0)
        return inside ? nest->groups[d] : one;
    if (strcmp(name, "get_global_size") == 0)
        return inside ? global_size(w, (size_t)d) : one;
    if (strcmp(name, "get_work_dim") == 0)
        return gcal_poly_integer(w->c, (int64_t)nest->n_dims);
    if (strcmp(name, "get_local_linear_id") == 0)
        return linear_id(w, true);
    if (strcmp(name, "get_global_linear_id") == 0)
        return linear_id(w, false);
    return NULL;
}

/* ---- vloadN, vstoreN ---- */

/* The tag of &GPUCAL_TAG(name, a[i]), of &a[i] or of a pointer. */
static const char *address_tag(struct gcal_walk *w, CXCursor address)
{
    CXCursor c = gcal_walk_strip_casts(w, address), lvalue;
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    char tag[64];

    if (clang_getCursorKind(c) != CXCursor_UnaryOperator || !kids.n ||
        clang_getCursorUnaryOperatorKind(c) != CXUnaryOperator_AddrOf)
        return gcal_walk_annotation_tag(w, address);
    c = gcal_walk_strip_casts(w, kids.c[0]);
    if (gcal_source_find_tag(c, &lvalue, tag, sizeof(tag)))
        return gcal_poly_format(w->c, "%s", tag);
    kids = gcal_walk_get_children(w, c);
    return clang_getCursorKind(c) == CXCursor_ArraySubscriptExpr && kids.n
               ? gcal_walk_annotation_tag(w, kids.c[0])
               : NULL;
}

static struct gcal_walk_value vector_access(struct gcal_walk *w, CXCursor c,
                                            const char *name,
                                            struct gcal_walk_children kids)
{
    bool is_load = starts_with(name, "vload");
    size_t first = is_load ? 1 : 2; /* callee, [data,] offset, pointer */
    const char *digits = name + strcspn(name, "0123456789");
    int64_t width = *digits ? strtol(digits, NULL, 10) : 1;
    int64_t spacing = width == 3 && strstr(name, "a_half") ? 4 : width;
    struct gcal_walk_value offset, pointer;
    CXType type;
    long long size;

    if (kids.n < first + 2)
        return gcal_walk_unknown(NULL);
    if (!is_load)
        gcal_walk_expr(w, kids.c[1]);
    offset = gcal_walk_index_expr(w, kids.c[first]);
    pointer = gcal_walk_index_expr(w, kids.c[first + 1]);
    type =
        clang_getCanonicalType(clang_getPointeeType(gcal_walk_type(kids.c[first + 1])));
    size = clang_Type_getSizeOf(type);
    if (pointer.p && offset.kind == GCAL_WALK_VALUE_INTEGER)
        pointer.p = gcal_poly_add(w->c, pointer.p,
                                  gcal_poly_scale(w->c, offset.p, spacing * size, 1));
    else
        pointer.p = NULL;
    gcal_walk_count_access(w, c, type, width,
                           gcal_walk_pointer_space(w, c, type, pointer),
                           is_load ? GCAL_FEATURE_LOAD : GCAL_FEATURE_STORE, pointer,
                           address_tag(w, kids.c[first + 1]));
    return gcal_walk_loaded(gcal_walk_pointer_space(w, c, type, pointer), pointer);
}

/* ---- atomics ---- */

/* "add" of atomic_add, atom_add, atomic_fetch_add and atomic_fetch_add_explicit; NULL
 * when it is unknown.
 */
static const char *atomic_operation(struct gcal_walk *w, const char *name)
{
    static const char *const same[] = { "add",  "sub",   "inc",     "dec", "xchg",
                                        "min",  "max",   "and",     "or",  "xor",
                                        "load", "store", "cmpxchg", NULL };
    static const char *const others[][2] = { { "exchange", "xchg" },
                                             { "compare_exchange_strong", "cmpxchg" },
                                             { "compare_exchange_weak", "cmpxchg" },
                                             { "flag_test_and_set", "xchg" },
                                             { "flag_clear", "store" },
                                             { "init", "store" } };
    const char *op = strchr(name, '_') + 1, *end;

    if (starts_with(op, "fetch_"))
        op += strlen("fetch_");
    if ((end = strstr(op, "_explicit")))
        op = gcal_poly_format(w->c, "%.*s", (int)(end - op), op);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
        if (strcmp(op, others[i][0]) == 0)
            return others[i][1];
    return is_one_of(op, same) ? op : NULL;
}

static struct gcal_walk_value atomic_access(struct gcal_walk *w, CXCursor c,
                                            const char *name,
                                            struct gcal_walk_children kids)
{
    const char *op = atomic_operation(w, name);
    struct gcal_walk_value pointer;
    enum gcal_feature_space space;
    CXType type;

    if (!op || kids.n < 2) {
        gcal_walk_fail(w, c, "'%s' cannot be counted: unknown atomic operation", name);
        return gcal_walk_unknown(NULL);
    }
    pointer = gcal_walk_index_expr(w, kids.c[1]);
    for (size_t i = 2; i < kids.n; i++)
        gcal_walk_expr(w, kids.c[i]);
    type = clang_getPointeeType(gcal_walk_type(kids.c[1]));
    space = pointer.kind == GCAL_WALK_VALUE_POINTER ? w->nest->arrays[pointer.array].space
                                                    : gcal_source_address_space(type);
    if (space == GCAL_FEATURE_SPACE_ANY)
        gcal_walk_fail(w, c, "'%s': the address space of this pointer is unknown", name);
    type = clang_getCanonicalType(type);
    if (type.kind == CXType_Atomic)
        type = clang_Type_getValueType(type);
    gcal_walk_count_atomic(w, c, type, space, op, pointer, address_tag(w, kids.c[1]));
    return gcal_walk_loaded(space, pointer);
}

/* ---- arithmetic ---- */

/* Integer functions that subscripts use. */
/* Of arguments of which one is a choice. */
static struct gcal_walk_value function_of_choice(struct gcal_walk *w, const char *name,
                                                 CXType type, size_t n,
                                                 const CXType *types,
                                                 const struct gcal_walk_value *args)
{
    struct gcal_walk_predicate when = { .known = true,
                                        .when = gcal_walk_value_splits(n, args) };
    struct gcal_walk_value sides[2], on_side[3];

    for (int no = 0; no < 2; no++) {
        for (size_t i = 0; i < n; i++)
            on_side[i] = gcal_walk_value_where(w, args[i], when.when, !no);
        sides[no] = gcal_walk_integer_function(w, name, type, n, types, on_side);
    }
    return gcal_walk_value_select(w, &when, sides[0], sides[1]);
}

/* convert_T() and convert_T_sat() */
static struct gcal_walk_value convert(struct gcal_walk *w, const char *name,
                                      struct gcal_walk_value value, CXType from,
                                      CXType to)
{
    long long bits = 8 * clang_Type_getSizeOf(to);
    bool is_signed = gcal_source_dtype(to)[0] == 'i';
    int64_t high;

    if (!strstr(name, "_sat") || bits >= 32)
        return gcal_walk_convert(w, value, from, to);
    high = ((int64_t)1 << (bits - is_signed)) - 1;
    value.p =
        gcal_poly_max(w->c, value.p, gcal_poly_integer(w->c, is_signed ? -high - 1 : 0));
    value.p = gcal_poly_min(w->c, value.p, gcal_poly_integer(w->c, high));
    return value;
}

/* An unsigned value of sizes alone, "n - 1", is taken not to wrap. */
static bool may_wrap(struct gcal_walk *w, struct gcal_walk_value a)
{
    return gcal_poly_has_dimension(w->c, a.p) && !gcal_walk_is_nonnegative(w, a.p);
}

static struct gcal_walk_value extremum(struct gcal_walk *w, CXType type, bool is_min,
                                       struct gcal_walk_value a, struct gcal_walk_value b)
{
    struct gcal_walk_value args[] = { a, b };
    const CXType types[] = { type, type };
    struct gcal_walk_predicate less;

    if (gcal_walk_value_splits(2, args))
        return function_of_choice(w, is_min ? "min" : "max", type, 2, types, args);
    if (a.kind != GCAL_WALK_VALUE_INTEGER || b.kind != GCAL_WALK_VALUE_INTEGER)
        return a.kind != GCAL_WALK_VALUE_INTEGER ? a : b;
    if (gcal_walk_type_is_unsigned(type) && (may_wrap(w, a) || may_wrap(w, b))) {
        less = gcal_walk_compare(w, CXBinaryOperator_LT, type, a, b);
        return gcal_walk_value_select(w, &less, is_min ? a : b, is_min ? b : a);
    }
    return gcal_walk_integer(is_min ? gcal_poly_min(w->c, a.p, b.p)
                                    : gcal_poly_max(w->c, a.p, b.p));
}

struct gcal_walk_value gcal_walk_integer_function(struct gcal_walk *w, const char *name,
                                                  CXType type, size_t n,
                                                  const CXType *types,
                                                  const struct gcal_walk_value *args)
{
    struct gcal_walk_value unknown = gcal_walk_not_affine(NULL);
    bool known = true;

    if (gcal_walk_value_splits(n, args))
        return function_of_choice(w, name, type, n, types, args);
    for (size_t i = 0; i < n; i++)
        if (args[i].kind != GCAL_WALK_VALUE_INTEGER) {
            known = false; /* with or without a reason */
            unknown.why = args[i].why ? args[i].why : unknown.why;
            unknown.on_data = unknown.on_data || args[i].on_data;
            gcal_walk_value_wait(&unknown, &args[i]);
        }
    if (!known)
        return unknown;
    if (n == 2 && strcmp(name, "min") == 0)
        return extremum(w, type, true, args[0], args[1]);
    if (n == 2 && strcmp(name, "max") == 0)
        return extremum(w, type, false, args[0], args[1]);
    if (n == 3 && strcmp(name, "clamp") == 0)
        return extremum(w, type, true, extremum(w, type, false, args[0], args[1]),
                        args[2]);
    if (n == 2 && strcmp(name, "mul24") == 0)
        return gcal_walk_integer(gcal_poly_mul(w->c, args[0].p, args[1].p));
    if (n == 3 && strcmp(name, "mad24") == 0)
        return gcal_walk_integer(
            gcal_poly_add(w->c, gcal_poly_mul(w->c, args[0].p, args[1].p), args[2].p));
    if (n == 1 && strcmp(name, "abs") == 0)
        return gcal_walk_integer(
            gcal_poly_max(w->c, args[0].p, gcal_poly_scale(w->c, args[0].p, -1, 1)));
    if (n == 2 && strcmp(name, "abs_diff") == 0)
        return gcal_walk_integer(
            gcal_poly_max(w->c, gcal_poly_sub(w->c, args[0].p, args[1].p),
                          gcal_poly_sub(w->c, args[1].p, args[0].p)));
    if (n == 1 && starts_with(name, "convert_"))
        return convert(w, name, args[0], types[0], type);
    return gcal_walk_not_affine("it comes from a function that is not affine");
}

static struct gcal_walk_value builtin(struct gcal_walk *w, CXCursor c, const char *name,
                                      struct gcal_walk_children kids)
{
    enum { MOST_ARGUMENTS = 16 };
    static const char *const fused[] = { "fma", "mad", NULL };
    struct gcal_walk_value args[MOST_ARGUMENTS];
    CXType type = gcal_walk_type(c), types[MOST_ARGUMENTS];
    const char *dtype = gcal_source_dtype(type);
    struct gcal_walk_value unknown = gcal_walk_unknown("it comes from a function");

    for (size_t i = 1; i < kids.n && i <= MOST_ARGUMENTS; i++) {
        args[i - 1] = gcal_walk_expr(w, kids.c[i]);
        types[i - 1] = gcal_walk_type(kids.c[i]);
    }
    if (is_one_of(name, fused))
        gcal_walk_count_op(w, type, "madd");
    else if (starts_with(name, "convert_"))
        gcal_walk_count_auxiliary(w, type, "convert");
    else if (starts_with(name, "__builtin_")) /* INFINITY, NAN */
        unknown.folds = true;
    else if (!starts_with(name, "as_"))
        gcal_walk_count_op(w, type, name);
    if (kids.n == 2 && args[0].quotient) {
        args[0] = gcal_walk_quotient_call(w, name, args[0]);
        return starts_with(name, "convert_")
                   ? gcal_walk_quotient_convert(w, args[0], type)
                   : args[0];
    }
    if (kids.n > 1 && kids.n <= 4 && gcal_walk_dtype_is_integer(dtype))
        return gcal_walk_vector_call(w, name, type, kids.n - 1, types, args);
    return unknown;
}

/* ---- functions of the source ---- */

/* Evaluates all arguments before it sets any parameter: f(f(x)) sets each twice. */
static void bind_arguments(struct gcal_walk *w, CXCursor function,
                           struct gcal_walk_children kids)
{
    size_t n = kids.n - 1;
    struct gcal_walk_value *values = gcal_poly_alloc(w->c, n * sizeof(*values) + 1);

    for (size_t i = 0; values && i < n; i++) {
        CXCursor parameter = clang_Cursor_getArgument(function, (unsigned)i);

        values[i] = gcal_walk_is_index(w, parameter)
                        ? gcal_walk_index_expr(w, kids.c[i + 1])
                        : gcal_walk_expr(w, kids.c[i + 1]);
    }
    for (size_t i = 0; values && i < n; i++)
        gcal_walk_variable_declare(w, clang_Cursor_getArgument(function, (unsigned)i),
                                   values[i]);
}

static struct gcal_walk_value inlined(struct gcal_walk *w, CXCursor c, CXCursor function,
                                      struct gcal_walk_children kids)
{
    enum { DEEPEST = 20 };
    const struct gcal_sets_scope *scope = w->scope;
    const struct gcal_walk_path *path = w->path;
    struct gcal_walk_children parts = gcal_walk_get_children(w, function);
    struct gcal_walk_value value = gcal_walk_unknown(NULL);
    struct gcal_walk_variable *saved;
    size_t first = w->n_returns, n_saved;
    int n = clang_Cursor_getNumArguments(function), frozen = w->frozen;

    if (w->call_depth == DEEPEST || n < 0 || kids.n != (size_t)n + 1 || !parts.n) {
        gcal_walk_fail(w, c,
                       "recursive functions, and functions with a variable number of "
                       "arguments, cannot be counted");
        return value;
    }
    saved = gcal_walk_variables_save(w, &n_saved);
    gcal_walk_find_indices(w, function);
    bind_arguments(w, function, kids);
    w->call_depth++;
    w->path = NULL;
    w->frozen = 0; /* its own variables change */
    gcal_walk_stmt(w, parts.c[parts.n - 1]);
    value = gcal_walk_returned_value(w, first);
    w->frozen = frozen;
    if (frozen)
        gcal_walk_variables_restore(w, saved, n_saved);
    w->call_depth--;
    w->n_returns = first;
    w->path = path;
    w->scope = scope;
    value.folds = false;
    return value;
}

struct gcal_walk_value gcal_walk_call(struct gcal_walk *w, CXCursor c)
{
    static const char *const barriers[] = { "barrier", "work_group_barrier", NULL };
    static const char *const free_of_cost[] = { "mem_fence",
                                                "read_mem_fence",
                                                "write_mem_fence",
                                                "atomic_work_item_fence",
                                                "sub_group_barrier",
                                                "prefetch",
                                                "printf",
                                                NULL };
    static const char *const refused[] = { "async_work_group", "wait_group_events",
                                           "read_image",       "write_image",
                                           "work_group_",      "sub_group_",
                                           "enqueue_",         NULL };
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    const char *name = gcal_walk_name(w, c);
    CXCursor function = clang_getCursorDefinition(clang_getCursorReferenced(c));
    const struct gcal_poly *id;
    int64_t d = 0;

    if (clang_getCursorKind(function) == CXCursor_FunctionDecl)
        return inlined(w, c, function, kids);
    if (!*name) {
        gcal_walk_fail(w, c, "a call through a pointer is not OpenCL C");
        return gcal_walk_unknown(NULL);
    }
    if (starts_with(name, "get_")) {
        struct gcal_walk_value dimension =
            kids.n > 1 ? gcal_walk_index_expr(w, kids.c[1])
                       : gcal_walk_integer(gcal_poly_integer(w->c, 0));

        if (dimension.kind == GCAL_WALK_VALUE_INTEGER &&
            gcal_poly_is_constant(dimension.p, &d) && (id = work_item(w, name, d)))
            return gcal_walk_integer(id);
        return gcal_walk_unknown("it comes from a function that is not affine");
    }
    if (is_one_of(name, barriers)) {
        if (!w->silent)
            gcal_walk_count_barrier(w, c);
        return gcal_walk_unknown(NULL);
    }
    if (is_one_of(name, free_of_cost)) { /* but their arguments are evaluated */
        for (size_t i = 1; i < kids.n; i++)
            gcal_walk_expr(w, kids.c[i]);
        return gcal_walk_unknown(NULL);
    }
    for (const char *const *r = refused; *r; r++)
        if (starts_with(name, *r)) {
            gcal_walk_fail(w, c, "'%s' cannot be counted: write the accesses as a loop",
                           name);
            return gcal_walk_unknown(NULL);
        }
    if (starts_with(name, "vload") || starts_with(name, "vstore"))
        return vector_access(w, c, name, kids);
    if (starts_with(name, "atomic_") || starts_with(name, "atom_"))
        return atomic_access(w, c, name, kids);
    return builtin(w, c, name, kids);
}
