/* walk.c - the entry; errors, types and variables of the walk */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/walk/private.h"

/* The loop for which the walk fails: one that cannot be counted, or the outermost that is
 * walked iteration by iteration, which takes too long.
 */
static void find_refused(struct gcal_walk *w)
{
    CXCursor loop = w->refused;

    if (clang_Cursor_isNull(loop))
        for (const struct gcal_walk_running *r = w->running; r; r = r->outer)
            if (!r->is_nest)
                loop = r->loop;
    if (!clang_Cursor_isNull(loop))
        gcal_source_location(loop, &w->nest->refused_line, &w->nest->refused_column);
}

void gcal_walk_fail(struct gcal_walk *w, CXCursor at, const char *fmt, ...)
{
    char text[700];
    va_list args;

    if (w->failed)
        return;
    w->failed = true;
    find_refused(w);
    /* after a failure of the polynomials, 'fmt' may be wrong */
    if (gcal_poly_context_check(w->c, w->err) < 0)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    gcal_source_error(at, w->err, "%s", text);
}

void gcal_walk_fail_memory(struct gcal_walk *w)
{
    if (!w->failed && gcal_poly_context_check(w->c, w->err) == 0)
        gcal_error_memory(w->err);
    w->failed = true;
}

bool gcal_walk_enter(struct gcal_walk *w, CXCursor c)
{
    if (w->depth == GCAL_WALK_MAX_DEPTH)
        gcal_walk_fail(w, c, "expressions or statements are nested too deeply here");
    if (w->n_steps++ == GCAL_WALK_MAX_STEPS)
        gcal_walk_fail(w, c, "this kernel's loops take too many steps to follow");
    if (gcal_poly_context_has_failed(w->c))
        gcal_walk_fail(w, c, "it needs too many steps");
    if (w->failed)
        return false;
    w->depth++;
    return true;
}

void gcal_walk_leave(struct gcal_walk *w)
{
    w->depth--;
}

/* The place of c's children among them: filled or empty. */
static struct gcal_walk_family *place_family(struct gcal_walk_family *families,
                                             size_t capacity, CXCursor c)
{
    size_t i = clang_hashCursor(c) & (capacity - 1);

    while (families[i].children && !clang_equalCursors(families[i].parent, c))
        i = (i + 1) & (capacity - 1);
    return &families[i];
}

static bool grow_families(struct gcal_walk *w)
{
    size_t capacity = w->family_capacity ? 2 * w->family_capacity : 512;
    struct gcal_walk_family *grown = calloc(capacity, sizeof(*grown));

    if (!grown) {
        gcal_walk_fail_memory(w);
        return false;
    }
    for (size_t i = 0; i < w->family_capacity; i++)
        if (w->families[i].children)
            *place_family(grown, capacity, w->families[i].parent) = w->families[i];
    free(w->families);
    w->families = grown;
    w->family_capacity = capacity;
    return true;
}

struct gcal_walk_family *gcal_walk_get_family(struct gcal_walk *w, CXCursor c)
{
    struct gcal_source_children children;
    struct gcal_walk_family *family;

    if (2 * w->n_families >= w->family_capacity && !grow_families(w))
        return NULL;
    family = place_family(w->families, w->family_capacity, c);
    if (family->children)
        return family;
    if (gcal_source_get_children(c, &children, w->err) < 0) {
        w->failed = true;
        free(children.cursors);
    } else if (children.n) {
        *family = (struct gcal_walk_family){ .parent = c,
                                             .children = children.cursors,
                                             .n = children.n };
        w->n_families++;
        return family;
    } else {
        free(children.cursors);
    }
    return NULL;
}

struct gcal_walk_children gcal_walk_get_children(struct gcal_walk *w, CXCursor c)
{
    const struct gcal_walk_family *family = gcal_walk_get_family(w, c);
    struct gcal_walk_children kids = { 0 };

    if (family)
        return (struct gcal_walk_children){ family->n, family->children };
    for (size_t i = 0; i < GCAL_WALK_N_NONE; i++)
        w->none[i] = clang_getNullCursor();
    kids.c = w->none + 1; /* kids.c[kids.n - 1] too may be read */
    return kids;
}

const char *gcal_walk_name(struct gcal_walk *w, CXCursor c)
{
    char *name =
        w->unit->language == GCAL_SOURCE_CUDA && gcal_source_kind(c) == CXCursor_CallExpr
            ? gcal_source_called_name(c, w->err)
            : gcal_source_cursor_name(c, w->err);
    const char *copy = gcal_poly_format(w->c, "%s", name ? name : "");

    w->failed = w->failed || !name;
    free(name);
    return copy;
}

int64_t gcal_walk_type_width(CXType type)
{
    int64_t width;

    if (type.kind == CXType_Invalid)
        return 1;
    width = gcal_source_vector(clang_getCanonicalType(type), NULL);
    return width ? width : 1;
}

bool gcal_walk_dtype_is_integer(const char *dtype)
{
    return dtype && dtype[0] != 'f';
}

bool gcal_walk_type_is_pointer(CXType type)
{
    return type.kind == CXType_Pointer;
}

bool gcal_walk_is_address(CXType type)
{
    return gcal_walk_type_is_pointer(type) || gcal_source_is_array(type);
}

CXType gcal_walk_pointee(CXType type)
{
    return clang_getCanonicalType(gcal_source_is_array(type)
                                      ? clang_getArrayElementType(type)
                                      : clang_getPointeeType(type));
}

bool gcal_walk_is_array_parameter(CXCursor decl)
{
    return gcal_source_kind(decl) == CXCursor_ParmDecl &&
           gcal_source_is_array(gcal_source_type(decl));
}

bool gcal_walk_type_is_record(CXType type)
{
    return type.kind == CXType_Record;
}

bool gcal_walk_type_is_integer(CXType type)
{
    return gcal_walk_type_width(type) == 1 &&
           gcal_walk_dtype_is_integer(gcal_source_dtype(type));
}

void gcal_walk_value_wait(struct gcal_walk_value *value, const struct gcal_walk_value *of)
{
    value->depth = of->depth > value->depth ? of->depth : value->depth;
    value->carried = of->carried ? of->carried : value->carried;
    value->is_mixed = value->is_mixed || of->is_mixed;
    value->is_stepped = value->is_stepped || of->is_stepped;
}

struct gcal_walk_value gcal_walk_loaded(enum gcal_feature_space space,
                                        struct gcal_walk_value pointer)
{
    struct gcal_walk_value value = gcal_walk_unknown("it comes from memory");

    gcal_walk_value_wait(&value, &pointer);
    value.is_stepped = false; /* but what is there is any */
    value.depth +=
        space == GCAL_FEATURE_SPACE_GLOBAL || space == GCAL_FEATURE_SPACE_IMAGE;
    return value;
}

struct gcal_walk_value gcal_walk_unknown(const char *why)
{
    return (struct gcal_walk_value){ .kind = GCAL_WALK_VALUE_UNKNOWN,
                                     .why = why,
                                     .on_data = true };
}

struct gcal_walk_value gcal_walk_not_affine(const char *why)
{
    return (struct gcal_walk_value){ .kind = GCAL_WALK_VALUE_UNKNOWN, .why = why };
}

struct gcal_walk_value gcal_walk_integer(const struct gcal_poly *p)
{
    return (struct gcal_walk_value){ .kind = GCAL_WALK_VALUE_INTEGER, .p = p };
}

bool gcal_walk_starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

bool gcal_walk_unwrap(struct gcal_walk *w, CXCursor c, CXCursor *inner)
{
    enum CXCursorKind kind = gcal_source_kind(c);
    struct gcal_walk_children kids;

    if (kind != CXCursor_ParenExpr && kind != CXCursor_UnexposedExpr &&
        kind != CXCursor_CStyleCastExpr)
        return false;
    kids = gcal_walk_get_children(w, c);
    if (kids.n)
        *inner = kids.c[kids.n - 1];
    return kids.n;
}

CXCursor gcal_walk_strip_casts(struct gcal_walk *w, CXCursor c)
{
    while (gcal_walk_unwrap(w, c, &c))
        ;
    return c;
}

/* ---- variables ---- */

struct gcal_walk_variable *gcal_walk_cell_find(struct gcal_walk *w, CXCursor decl,
                                               int64_t at)
{
    unsigned hash = clang_hashCursor(decl);

    for (size_t i = w->n_variables; i-- > 0;)
        if (w->variables[i].hash == hash && w->variables[i].at == at &&
            clang_equalCursors(w->variables[i].decl, decl))
            return &w->variables[i];
    return NULL;
}

struct gcal_walk_value *gcal_walk_variable_find(struct gcal_walk *w, CXCursor decl)
{
    struct gcal_walk_variable *known = gcal_walk_cell_find(w, decl, 0);

    return known ? &known->value : NULL;
}

void gcal_walk_cell_set(struct gcal_walk *w, CXCursor decl, int64_t at, CXType type,
                        struct gcal_walk_value value)
{
    struct gcal_walk_variable *known = gcal_walk_cell_find(w, decl, at), *moved;

    value.quotient = NULL; /* loops do not look for changes of floating variables */
    if (!w->unnamed)
        value.product = NULL;
    if (known) {
        if (!known->escaped)
            known->value = value;
        return;
    }
    if (w->n_variables == GCAL_WALK_MAX_VARIABLES) {
        gcal_walk_fail(
            w, decl,
            "more than %d variables, members and elements of private arrays at a "
            "time cannot be followed",
            GCAL_WALK_MAX_VARIABLES);
        return;
    }
    moved = gcal_array_grow(w->variables, w->n_variables, &w->variable_capacity,
                            sizeof(*moved), w->err);
    if (!moved) {
        w->failed = true;
        return;
    }
    w->variables = moved;
    w->variables[w->n_variables++] =
        (struct gcal_walk_variable){ NULL,  decl, clang_hashCursor(decl), at, type,
                                     value, false };
}

void gcal_walk_variable_set(struct gcal_walk *w, CXCursor decl,
                            struct gcal_walk_value value)
{
    CXType type = gcal_source_type(decl);

    gcal_walk_cell_set(w, decl, 0, type, gcal_walk_named(w, decl, type, value));
}

void gcal_walk_variable_escape(struct gcal_walk *w, CXCursor decl)
{
    struct gcal_walk_value unknown = gcal_walk_unknown("its address is taken");

    if (!gcal_walk_cell_find(w, decl, 0))
        gcal_walk_variable_set(w, decl, unknown);
    for (size_t i = 0; i < w->n_variables; i++)
        if (clang_equalCursors(w->variables[i].decl, decl)) {
            w->variables[i].value = unknown;
            w->variables[i].escaped = true;
        }
}

struct gcal_walk_value gcal_walk_variable_get(struct gcal_walk *w, CXCursor decl)
{
    struct gcal_walk_value *known = gcal_walk_variable_find(w, decl);

    return known ? *known : gcal_walk_unknown("it has no value yet");
}

struct gcal_walk_variable *gcal_walk_variables_save(struct gcal_walk *w, size_t *n)
{
    struct gcal_walk_variable *copy =
        w->failed ? NULL : malloc((w->n_variables + 1) * sizeof(*copy));

    *n = copy ? w->n_variables : 0;
    if (*n)
        memcpy(copy + 1, w->variables, *n * sizeof(*copy));
    if (copy)
        copy->chains = gcal_walk_chains_save(w);
    else
        gcal_walk_fail_memory(w);
    return copy ? copy + 1 : NULL;
}

void gcal_walk_variables_free(struct gcal_walk_variable *saved)
{
    if (saved)
        free(saved - 1);
}

void gcal_walk_variables_restore(struct gcal_walk *w,
                                 const struct gcal_walk_variable *saved, size_t n)
{
    for (size_t i = 0; saved && i < n; i++)
        if (!w->variables[i].escaped)
            w->variables[i].value = saved[i].value;
    if (saved)
        gcal_walk_chains_restore(w, saved[-1].chains);
}

/* ---- the kernel ---- */

static bool is_parameter(struct gcal_walk *w, CXCursor kernel, const char *name)
{
    for (int i = 0; i < clang_Cursor_getNumArguments(kernel); i++)
        if (strcmp(gcal_walk_name(w, clang_Cursor_getArgument(kernel, (unsigned)i)),
                   name) == 0)
            return true;
    return false;
}

/* A vector or structure by value: its integers are sizes, "size_x" of size.x. */
static struct gcal_walk_value whole_parameter(struct gcal_walk *w, CXCursor kernel,
                                              CXCursor decl)
{
    struct gcal_walk_leaf leaves[GCAL_WALK_MAX_CELLS];
    struct gcal_walk_part parts[GCAL_WALK_MAX_CELLS];
    size_t n = gcal_walk_leaves(w, gcal_source_type(decl), true, leaves), n_parts = 0;

    for (size_t i = 0; i < n; i++) {
        const char *name = gcal_walk_cell_name(w, decl, leaves[i].at);

        if (is_parameter(w, kernel, name))
            continue;
        if (gcal_walk_type_is_integer(leaves[i].type))
            parts[n_parts++] = (struct gcal_walk_part){
                leaves[i].at, gcal_walk_integer(gcal_poly_parameter(w->c, name))
            };
        else if (gcal_walk_type_is_pointer(leaves[i].type))
            parts[n_parts++] = (struct gcal_walk_part){
                leaves[i].at,
                { .kind = GCAL_WALK_VALUE_POINTER,
                  .p = gcal_poly_integer(w->c, 0),
                  .array = gcal_walk_array_find(w, name, GCAL_FEATURE_SPACE_GLOBAL) }
            };
    }
    return gcal_walk_value_of_parts(w, n_parts, parts);
}

static void bind_parameters(struct gcal_walk *w, CXCursor kernel)
{
    int n = clang_Cursor_getNumArguments(kernel);

    for (int i = 0; i < n; i++) {
        CXCursor decl = clang_Cursor_getArgument(kernel, (unsigned)i);
        CXType type = gcal_source_type(decl);
        const char *name = gcal_walk_name(w, decl);
        struct gcal_walk_value value =
            gcal_walk_unknown("it is an argument that is not an integer");
        CXType pointee;

        if (gcal_walk_is_address(type)) {
            pointee = gcal_source_is_array(type) ? type : gcal_walk_pointee(type);
            value = (struct gcal_walk_value){ .kind = GCAL_WALK_VALUE_POINTER };
            value.p = gcal_poly_integer(w->c, 0);
            value.array = gcal_walk_array_find(w, name,
                                               w->unit->language == GCAL_SOURCE_CUDA
                                                   ? GCAL_FEATURE_SPACE_GLOBAL
                                                   : gcal_source_address_space(pointee));
        } else if (gcal_source_is_image(type)) {
            value.kind = GCAL_WALK_VALUE_POINTER; /* to an unknown place in it */
            value.array = gcal_walk_array_find(w, name, GCAL_FEATURE_SPACE_IMAGE);
        } else if (gcal_walk_type_is_integer(type)) {
            value = gcal_walk_integer(gcal_poly_parameter(w->c, name));
        } else if (gcal_walk_type_is_aggregate(type)) {
            value = whole_parameter(w, kernel, decl);
        }
        gcal_walk_variable_declare(w, decl, value);
    }
}

int gcal_walk_kernel(struct gcal_sets_nest *nest, const struct gcal_source_unit *unit,
                     CXCursor kernel, const struct gcal_count_request *request,
                     struct gcal_error *err)
{
    struct gcal_walk w = { .request = request,
                           .unit = unit,
                           .nest = nest,
                           .kernel = kernel,
                           .unused = clang_getNullCursor(),
                           .refused = clang_getNullCursor(),
                           .expression = clang_getNullCursor(),
                           .c = nest->c,
                           .annotations = { .unit = unit },
                           .err = err };

    struct gcal_walk_children kids = gcal_walk_get_children(&w, kernel);

    if (gcal_annotations_find(&w.annotations, w.request->n_trips, w.request->trips,
                              kernel, w.c, w.err) < 0)
        w.failed = true;
    bind_parameters(&w, kernel);
    gcal_walk_find_indices(&w, kernel);
    if (kids.n && !w.failed)
        gcal_walk_stmt(&w, kids.c[kids.n - 1]);
    gcal_walk_private_finish(&w);
    gcal_walk_chain_finish(&w);
    free(w.variables);
    free(w.indices);
    free(w.tables);
    gcal_walk_hoist_clear(&w);
    free(w.lanes);
    free(w.privates);
    free(w.rolled_accesses);
    free(w.chains.all);
    free(w.declared);
    for (size_t i = 0; i < w.family_capacity; i++)
        free(w.families[i].children);
    free(w.families);
    free(w.returns);
    free(w.references);
    gcal_annotations_clear(&w.annotations);
    return w.failed ? -1 : gcal_poly_context_check(nest->c, err);
}
