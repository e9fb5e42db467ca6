/* call.c - calls: built-in functions, and functions of the source */
#include <stdlib.h>
#include <string.h>

#include "kernels/walk/private.h"

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
    const struct gcal_sets_scope *before;
    struct gcal_walk_value sides[2], on_side[3];

    for (int no = 0; no < 2; no++) {
        before = gcal_walk_push_side(w, when.when, !no);
        for (size_t i = 0; i < n; i++)
            on_side[i] = gcal_walk_value_where(w, args[i], when.when, !no);
        sides[no] = gcal_walk_integer_function(w, name, type, n, types, on_side);
        w->scope = before;
    }
    return gcal_walk_value_select(w, &when, sides[0], sides[1]);
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

static struct gcal_walk_value function_of_integers(struct gcal_walk *w, const char *name,
                                                   CXType type, size_t n,
                                                   const CXType *types,
                                                   const struct gcal_walk_value *args)
{
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
    if (n == 1 && gcal_walk_starts_with(name, "convert_")) {
        /* convert_T() and convert_T_sat() */
        struct gcal_walk_value value = args[0];
        CXType from = types[0];
        long long bits = 8 * gcal_source_size(type);
        bool is_signed = gcal_source_dtype(type)[0] == 'i';
        int64_t high;

        if (!strstr(name, "_sat") || bits >= 32)
            return gcal_walk_convert(w, value, from, type);
        high = ((int64_t)1 << (bits - is_signed)) - 1;
        value.p = gcal_poly_max(w->c, value.p,
                                gcal_poly_integer(w->c, is_signed ? -high - 1 : 0));
        value.p = gcal_poly_min(w->c, value.p, gcal_poly_integer(w->c, high));
        return value;
    }
    return gcal_walk_not_affine("it comes from a function that is not affine");
}

/* Returns whether it is a bound, which is at the side: one for all work-items. */
static bool is_end(struct gcal_walk *w, struct gcal_walk_value value)
{
    return value.kind == GCAL_WALK_VALUE_INTEGER &&
           !gcal_poly_has_dimension(w->c, value.p);
}

struct gcal_walk_value gcal_walk_integer_function(struct gcal_walk *w, const char *name,
                                                  CXType type, size_t n,
                                                  const CXType *types,
                                                  const struct gcal_walk_value *args)
{
    struct gcal_walk_value unknown = gcal_walk_not_affine(NULL);
    bool known = true, had_failed = gcal_poly_context_has_failed(w->c);

    if (gcal_walk_value_splits(n, args))
        return function_of_choice(w, name, type, n, types, args);
    for (size_t i = 0; i < n; i++)
        if (args[i].kind != GCAL_WALK_VALUE_INTEGER) {
            known = false; /* with or without a reason */
            unknown.why = args[i].why ? args[i].why : unknown.why;
            unknown.on_data = unknown.on_data || args[i].on_data;
            gcal_walk_value_wait(&unknown, &args[i]);
        }
    if (!known) {
        unknown.range = gcal_walk_range_function(w, name, type, n, args);
        if (n == 2 && strcmp(name, "mul24") == 0)
            unknown.near =
                gcal_walk_near_binary(w, CXBinaryOperator_Mul, args[0], args[1]);
        else if (strcmp(name, "min") == 0 || strcmp(name, "max") == 0 ||
                 strcmp(name, "clamp") == 0 || gcal_walk_starts_with(name, "convert_"))
            unknown.near = gcal_walk_base_of(args[n == 2 && is_end(w, args[0])]);
        return unknown;
    }
    return gcal_walk_value_if_fits(w, had_failed,
                                   function_of_integers(w, name, type, n, types, args));
}

/* The operation that a call is in chains; NULL: none. */
static const char *chain_op(const char *name)
{
    if (strcmp(name, "fma") == 0 || strcmp(name, "mad") == 0)
        return "madd";
    if (gcal_walk_starts_with(name, "convert_"))
        return "convert";
    return gcal_walk_starts_with(name, "__builtin_") || gcal_walk_starts_with(name, "as_")
               ? NULL
               : name;
}

/* The call with that value as the operation that it is. */
static void count_call(struct gcal_walk *w, CXType type, const char *name,
                       struct gcal_walk_value value)
{
    if (!gcal_walk_starts_with(name, "mad24") && !gcal_walk_starts_with(name, "mul24"))
        value.near = NULL; /* which ignores bounds */
    if (gcal_walk_starts_with(name, "convert_"))
        gcal_walk_count_auxiliary(w, type, "convert", &value);
    else if (strcmp(name, "fma") == 0 || strcmp(name, "mad") == 0)
        gcal_walk_count_op(w, type, "madd", &value);
    else if (!gcal_walk_starts_with(name, "__builtin_") && /* INFINITY, NAN */
             !gcal_walk_starts_with(name, "as_"))
        gcal_walk_count_op(w, type, name, &value);
}

static struct gcal_walk_value builtin_value(struct gcal_walk *w, CXCursor c,
                                            const char *name,
                                            struct gcal_walk_children kids,
                                            const struct gcal_walk_chain **chain)
{
    enum { MOST_ARGUMENTS = 16 };
    struct gcal_walk_value args[MOST_ARGUMENTS];
    CXType type = gcal_source_type(c), types[MOST_ARGUMENTS];
    const char *dtype = gcal_source_dtype(type);
    struct gcal_walk_value value = gcal_walk_unknown("it comes from a function");

    for (size_t i = 1; i < kids.n && i <= MOST_ARGUMENTS; i++) {
        args[i - 1] = gcal_walk_expr(w, kids.c[i]);
        types[i - 1] = gcal_source_type(kids.c[i]);
        *chain = gcal_walk_chain_union(w, *chain, args[i - 1].chain);
    }
    if (kids.n == 2 && args[0].quotient) {
        value = gcal_walk_quotient_call(w, name, args[0]);
        if (gcal_walk_starts_with(name, "convert_"))
            value = gcal_walk_quotient_convert(w, value, type);
    } else if (kids.n > 1 && kids.n <= 4 && gcal_walk_dtype_is_integer(dtype)) {
        value = gcal_walk_vector_call(w, name, type, kids.n - 1, types, args);
    } else {
        value.folds = gcal_walk_starts_with(name, "__builtin_");
    }
    count_call(w, type, name, value);
    return value;
}

static struct gcal_walk_value builtin(struct gcal_walk *w, CXCursor c, const char *name,
                                      struct gcal_walk_children kids)
{
    const struct gcal_walk_chain *chain = NULL;
    struct gcal_walk_value value = builtin_value(w, c, name, kids, &chain);

    if (!value.folds)
        gcal_walk_chain_result(w, &value, gcal_source_type(c), chain_op(name), chain,
                               NULL);
    return value;
}

/* A product of nvcuda::wmma (cuda.cuh): its type, multiply-adds, a sum. */
static struct gcal_walk_value matrix_product(struct gcal_walk *w, CXCursor c,
                                             const char *type,
                                             struct gcal_walk_children kids)
{
    struct gcal_walk_value times = gcal_walk_constant(w, kids.c[2]),
                           sum = gcal_walk_expr(w, kids.c[3]),
                           value =
                               gcal_walk_unknown("it comes from a product of matrices");
    int64_t multiply_adds = 0;

    if (times.kind == GCAL_WALK_VALUE_INTEGER)
        gcal_poly_is_constant(times.p, &multiply_adds);
    gcal_walk_count_matrix(w, gcal_source_matrix_type(type), multiply_adds);
    gcal_walk_chain_result(w, &value, gcal_source_type(c), "mma", sum.chain, NULL);
    return value;
}

/* ---- functions of the source ---- */

/* A reference, or a method for its object. */
static bool is_referring(CXCursor parameter)
{
    return gcal_source_kind(parameter) != CXCursor_ParmDecl ||
           gcal_source_is_reference(gcal_source_type(parameter));
}

/* Evaluates all arguments before it sets any parameter: f(f(x)) sets each twice. */
void gcal_walk_bind_arguments(struct gcal_walk *w, CXCursor function,
                              struct gcal_walk_children kids)
{
    size_t n = kids.n - 1;
    struct gcal_walk_value *values = gcal_poly_alloc(w->c, n * sizeof(*values) + 1);

    for (size_t i = 0; values && i < n; i++) {
        CXCursor parameter = gcal_source_parameter(function, i + 1);

        if (is_referring(parameter)) {
            gcal_walk_refer(w, parameter, kids.c[i + 1]);
            continue;
        }
        if (gcal_source_is_image(gcal_source_type(parameter)))
            values[i] = gcal_walk_image_find(w, kids.c[i + 1]);
        else
            values[i] = gcal_walk_is_index(w, parameter)
                            ? gcal_walk_index_expr(w, kids.c[i + 1])
                            : gcal_walk_expr(w, kids.c[i + 1]);
    }
    for (size_t i = 0; values && i < n; i++) {
        CXCursor parameter = gcal_source_parameter(function, i + 1);

        if (is_referring(parameter))
            continue;
        w->unnamed++;
        gcal_walk_variable_declare(w, parameter, values[i]);
        w->unnamed--;
        gcal_walk_chain_declare(w, parameter, values[i].chain);
    }
}

struct gcal_walk_value gcal_walk_call_function(struct gcal_walk *w, CXCursor c,
                                               CXCursor function,
                                               struct gcal_walk_children kids,
                                               struct gcal_walk_lvalue *result)
{
    struct gcal_walk_lvalue *outer = w->result;
    const struct gcal_walk_frame frame = gcal_walk_frame_of(w->frame, c, function, kids);
    const struct gcal_sets_scope *scope = w->scope;
    const struct gcal_walk_path *path = w->path;
    struct gcal_walk_children parts = gcal_walk_get_children(w, function);
    struct gcal_walk_value value = gcal_walk_unknown(NULL);
    struct gcal_walk_variable *saved = NULL;
    size_t first = w->n_returns, n_saved = 0, n_variables;
    bool changed_caller = w->changes_caller;
    int n = clang_Cursor_getNumArguments(function), frozen = w->frozen;

    n += gcal_source_is_method(function);
    if (frame.depth > GCAL_WALK_MAX_CALLS) {
        gcal_walk_fail(
            w, c,
            "recursive functions, and calls within more than %d others, cannot "
            "be counted",
            GCAL_WALK_MAX_CALLS);
        return value;
    }
    if (n < 0 || kids.n != (size_t)n + 1 || !parts.n) {
        gcal_walk_fail(w, c,
                       "functions with a variable number of arguments cannot be counted");
        return value;
    }
    if (frozen)
        saved = gcal_walk_variables_save(w, &n_saved);
    gcal_walk_find_indices(w, function);
    w->result = NULL;
    gcal_walk_bind_arguments(w, function, kids);
    w->result = result;
    w->frame = &frame;
    w->path = NULL;
    w->frozen = 0; /* its own variables change */
    w->changes_caller = w->unit->language == GCAL_SOURCE_CUDA &&
                        gcal_walk_changes_caller(w, function, kids);
    gcal_walk_members(w, function);
    n_variables = w->n_variables;
    gcal_walk_stmt(w, parts.c[parts.n - 1]);
    w->result = outer;
    gcal_walk_returned_variables(w, first, n_variables);
    w->changes_caller = changed_caller;
    value = gcal_walk_returned_value(w, first);
    w->frozen = frozen;
    if (frozen)
        gcal_walk_variables_restore(w, saved, n_saved);
    gcal_walk_variables_free(saved);
    w->frame = frame.outer;
    gcal_walk_returns_cut(w, first);
    w->path = path;
    w->scope = scope;
    value.folds = false;
    return value;
}

struct gcal_walk_value gcal_walk_call(struct gcal_walk *w, CXCursor c)
{
    struct gcal_walk_children kids = gcal_walk_get_children(w, c);
    const char *name = gcal_walk_name(w, c);
    CXCursor function = clang_getCursorDefinition(gcal_source_called(c));
    struct gcal_walk_value value;

    if (w->unit->language == GCAL_SOURCE_CUDA &&
        gcal_walk_object_call(w, c, gcal_source_called(c), kids, &value))
        return value;
    if (gcal_source_kind(function) == CXCursor_FunctionDecl)
        return gcal_walk_call_function(w, c, function, kids, NULL);
    if (!*name || (w->unit->language == GCAL_SOURCE_CUDA &&
                   clang_Cursor_isNull(gcal_source_called(c)))) {
        gcal_walk_fail(w, c, "a call through a pointer cannot be counted");
        return gcal_walk_unknown(NULL);
    }
    if (gcal_walk_starts_with(name, "enqueue_") || strstr(name, "_pipe")) {
        gcal_walk_fail(
            w, c,
            "'%s' cannot be counted: the work of other kernels, and pipes, are "
            "not known here",
            name);
        return gcal_walk_unknown(NULL);
    }
    if (gcal_walk_starts_with(name, "__cvta_generic_to_") && kids.n == 2)
        return gcal_walk_index_expr(w, kids.c[1]);
    if (gcal_walk_starts_with(name, "gpucal_mma_") && kids.n == 4)
        return matrix_product(w, c, name + strlen("gpucal_mma_"), kids);
    if (gcal_walk_call_item(w, c, name, kids, &value) ||
        gcal_walk_call_access(w, c, name, kids, &value))
        return value;
    return builtin(w, c, name, kids);
}
