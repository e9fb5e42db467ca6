/* signature.c - the arguments of a kernel, and the extents of its buffers */
#include "kernels/count/signature.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

/* ---- types ---- */

/* A parameter that is written as an array is a pointer. */
static bool is_array(CXType type)
{
    return gcal_source_is_array(clang_getCanonicalType(type));
}

static CXType canonical_pointee(CXType type)
{
    type = clang_getCanonicalType(type);
    return clang_getCanonicalType(is_array(type) ? clang_getArrayElementType(type)
                                                 : clang_getPointeeType(type));
}

/* Of what a parameter points to; CUDA's pointers have no space. */
static enum gcal_feature_space pointee_space(CXType type)
{
    CXType to = is_array(type) ? clang_getCanonicalType(type) : canonical_pointee(type);

    return gcal_source_is_generic(to) ? GCAL_FEATURE_SPACE_GLOBAL /* CUDA */
                                      : gcal_source_address_space(to);
}

static const char *widest_dtype(CXType type, int depth);

/* A member in the search for the widest. */
struct member_search {
    const char *found;
    int depth;
};

/* Floating-point members before integers: random integers make wild floats. */
static bool is_wider(const char *dtype, const char *than)
{
    if (!than || (*dtype == 'f') != (*than == 'f'))
        return !than || *dtype == 'f';
    return gcal_dtype_size(dtype) > gcal_dtype_size(than);
}

static enum CXVisitorResult visit_member(CXCursor field, CXClientData data)
{
    struct member_search *search = data;
    const char *dtype = widest_dtype(clang_getCursorType(field), search->depth + 1);

    if (dtype && is_wider(dtype, search->found))
        search->found = dtype;
    return CXVisit_Continue;
}

/* The dtype of a number or vector, or of the widest member; NULL for other types. */
static const char *widest_dtype(CXType type, int depth)
{
    enum { DEEPEST = 20 };
    struct member_search search = { .depth = depth };

    type = clang_getCanonicalType(type);
    if (depth > DEEPEST)
        return NULL;
    if (type.kind == CXType_ConstantArray)
        return widest_dtype(clang_getArrayElementType(type), depth + 1);
    if (type.kind != CXType_Record)
        return gcal_source_dtype(type);
    clang_Type_visitFields(type, visit_member, &search);
    return search.found;
}

/* The members of a structure so far, and where they end; the last ones, alike, are not in the text
 * yet.
 */
struct layout {
    struct gcal_buf text;
    const char *dtype; /* NULL: none */
    size_t count, end;
};

/* NULL: of the end. */
static void put_members(struct layout *l, const char *dtype, size_t count)
{
    if (l->dtype && dtype && strcmp(l->dtype, dtype) == 0) {
        l->count += count;
        return;
    }
    if (l->dtype)
        gcal_buf_printf(&l->text, "%s%s", l->text.size ? " " : "", l->dtype);
    if (l->dtype && l->count > 1)
        gcal_buf_printf(&l->text, "*%zu", l->count);
    l->dtype = dtype;
    l->count = count;
}

static void put_padding(struct layout *l, size_t offset)
{
    if (offset > l->end)
        put_members(l, "pad", offset - l->end);
    l->end = offset > l->end ? offset : l->end;
}

static void lay_out(struct layout *l, CXType type, size_t offset);

struct layout_at {
    struct layout *l;
    size_t offset;
    bool is_union;
};

/* Of a union the first member alone. */
static enum CXVisitorResult visit_laid_out(CXCursor field, CXClientData data)
{
    const struct layout_at *at = data;
    long long bits = clang_Cursor_getOffsetOfField(field);

    if (bits >= 0)
        lay_out(at->l, clang_getCursorType(field), at->offset + (size_t)bits / 8);
    return at->is_union ? CXVisit_Break : CXVisit_Continue;
}

static void lay_out(struct layout *l, CXType type, size_t offset)
{
    struct layout_at at = { l, offset, false };
    long long size;
    const char *dtype;

    type = clang_getCanonicalType(type);
    size = gcal_source_size(type);
    if (type.kind == CXType_Record) {
        at.is_union =
            gcal_source_kind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl;
        clang_Type_visitFields(type, visit_laid_out, &at);
    } else if (type.kind == CXType_ConstantArray) {
        CXType element = clang_getArrayElementType(type);

        for (long long done = 0; done < size; done += gcal_source_size(element))
            lay_out(l, element, offset + (size_t)done);
    } else if ((dtype = gcal_source_dtype(type)) && offset >= l->end) {
        size_t n_elements = (size_t)gcal_source_vector(type, NULL);
        size_t n = n_elements ? n_elements : 1;

        put_padding(l, offset);
        put_members(l, dtype, n);
        l->end += n * gcal_dtype_size(dtype);
    }
}

/* What fills the structures that a buffer has. */
static int read_members(CXType type, size_t bytes, struct gcal_count_signature_arg *arg,
                        struct gcal_error *err)
{
    struct layout l = { 0 };

    if (type.kind != CXType_Record || bytes > GCAL_DTYPE_MOST_BYTES)
        return 0;
    lay_out(&l, type, 0);
    put_padding(&l, bytes);
    if (!l.text.size) /* alike: filled as numbers */
        return 0;
    put_members(&l, NULL, 0);
    return (arg->members = gcal_buf_take(&l.text, err)) ? 0 : -1;
}

static enum gcal_count_signature_kind kind_of(CXType type)
{
    enum gcal_feature_space space;

    type = clang_getCanonicalType(type);
    if (gcal_source_is_image(type))
        return GCAL_COUNT_SIGNATURE_IMAGE;
    if (type.kind == CXType_OCLSampler)
        return GCAL_COUNT_SIGNATURE_SAMPLER;
    if (type.kind == CXType_Record || type.kind == CXType_ExtVector ||
        type.kind == CXType_Vector)
        return GCAL_COUNT_SIGNATURE_STRUCT;
    if (type.kind != CXType_Pointer && !is_array(type))
        return gcal_source_dtype(type) ? GCAL_COUNT_SIGNATURE_SCALAR
                                       : GCAL_COUNT_SIGNATURE_OTHER;
    space = pointee_space(type);
    if (!widest_dtype(canonical_pointee(type), 0))
        return GCAL_COUNT_SIGNATURE_OTHER;
    return space == GCAL_FEATURE_SPACE_LOCAL ? GCAL_COUNT_SIGNATURE_LOCAL
                                             : GCAL_COUNT_SIGNATURE_BUFFER;
}

/* Without "__private", which clang adds and nobody writes. */
static char *type_text(const char *spelling)
{
    static const char noise[] = "__private";
    struct gcal_buf out = { 0 };
    const char *found;

    gcal_buf_puts(&out, "");
    while ((found = strstr(spelling, noise))) {
        gcal_buf_put(&out, spelling, (size_t)(found - spelling));
        spelling = found + strlen(noise);
        spelling += *spelling == ' ';
    }
    gcal_buf_puts(&out, spelling);
    return gcal_buf_take(&out, NULL);
}

/* "image2d_array_t": false for images of samples, of depth, and of a buffer. */
static bool read_image_shape(struct gcal_count_signature_arg *arg)
{
    const char *name = strstr(arg->type, "image");

    if (!name || strstr(name, "msaa") || strstr(name, "depth") || strstr(name, "buffer"))
        return false;
    arg->is_layered = strstr(name, "array") != NULL;
    arg->n_extents = (size_t)(name[strlen("image")] - '0') + arg->is_layered;
    return arg->n_extents >= 1 && arg->n_extents <= GCAL_MAX_DIMS;
}

static int read_type(CXCursor decl, struct gcal_count_signature_arg *arg,
                     struct gcal_error *err)
{
    CXType type = clang_getCursorType(decl);
    CXString spelling = clang_getTypeSpelling(type);
    const char *dtype;
    long long bytes;

    arg->type = type_text(clang_getCString(spelling));
    clang_disposeString(spelling);
    arg->kind = kind_of(type);
    if (!arg->type)
        return gcal_error_memory(err);
    if (arg->kind == GCAL_COUNT_SIGNATURE_IMAGE && !read_image_shape(arg))
        arg->kind = GCAL_COUNT_SIGNATURE_OTHER;
    if (arg->kind >= GCAL_COUNT_SIGNATURE_IMAGE)
        return 0;
    if (arg->kind != GCAL_COUNT_SIGNATURE_SCALAR)
        type = canonical_pointee(type);
    dtype = widest_dtype(type, 0);
    bytes = gcal_source_size(type);
    arg->per_item = bytes > 0 ? (size_t)bytes / gcal_dtype_size(dtype) : 1;
    if (!(arg->dtype = strdup(dtype)))
        return gcal_error_memory(err);
    return arg->kind == GCAL_COUNT_SIGNATURE_BUFFER && bytes > 0
               ? read_members(type, (size_t)bytes, arg, err)
               : 0;
}

/* ---- extents ---- */

/* In elements of the argument's dtype, whole items. */
static const struct gcal_poly *in_items(struct gcal_poly_context *c,
                                        const struct gcal_count_signature_arg *arg,
                                        const struct gcal_poly *bytes)
{
    int64_t item = (int64_t)(arg->per_item * gcal_dtype_size(arg->dtype));
    const struct gcal_poly *up = gcal_poly_add(c, bytes, gcal_poly_integer(c, item - 1));

    return gcal_poly_scale(c, gcal_poly_floor(c, up, item), (int64_t)arg->per_item, 1);
}

/* How the kernel accesses the argument, and why it is unknown how far, if it is. */
static int note_reach(struct gcal_count_signature_arg *arg,
                      const struct gcal_sets_nest *nest,
                      const struct gcal_count_reach *reach, struct gcal_error *err)
{
    arg->read = reach->read;
    arg->written = reach->written;
    if (reach->why &&
        !(arg->unknown = gcal_buf_format("%s:%d:%d: %s", nest->file, reach->at->line,
                                         reach->at->column, reach->why)))
        return gcal_error_memory(err);
    return 0;
}

static int read_extent(CXCursor decl, struct gcal_count_signature_arg *arg,
                       struct gcal_sets_nest *nest, struct gcal_error *err)
{
    struct gcal_count_reach reach;

    if (gcal_count_reach_find(nest, arg->name, pointee_space(clang_getCursorType(decl)),
                              &reach, err) < 0)
        return -1;
    if (note_reach(arg, nest, &reach, err) < 0)
        return -1;
    if (reach.bytes && !(arg->elements = strdup(gcal_poly_text(
                             nest->c, in_items(nest->c, arg, reach.bytes)))))
        return gcal_error_memory(err);
    return gcal_poly_context_check(nest->c, err);
}

/* ---- images ---- */

static int read_image(struct gcal_count_signature_arg *arg, struct gcal_sets_nest *nest,
                      struct gcal_error *err)
{
    struct gcal_buf elements = { 0 };
    struct gcal_count_image_reach reach;
    bool known = true;

    if (gcal_count_image_reach_find(nest, arg->name, &reach, err) < 0)
        return -1;
    if (note_reach(arg, nest, &reach.reach, err) < 0)
        return -1;
    if (!(arg->dtype = strdup(reach.dtype)))
        return gcal_error_memory(err);
    gcal_buf_puts(&elements, "4");
    for (size_t d = 0; d < arg->n_extents; d++) {
        const char *text =
            reach.extents[d] ? gcal_poly_text(nest->c, reach.extents[d]) : NULL;

        known = known && text;
        if (text)
            gcal_buf_printf(&elements, "*(%s)", text);
        if (text && !(arg->extents[d] = strdup(text))) {
            gcal_buf_free(&elements);
            return gcal_error_memory(err);
        }
    }
    if (known && !(arg->elements = gcal_buf_take(&elements, err)))
        return -1;
    gcal_buf_free(&elements);
    return gcal_poly_context_check(nest->c, err);
}

/* ---- structures and vectors by value ---- */

static int add_members(struct gcal_count_signature *signature, CXType type,
                       const char *name, size_t offset, struct gcal_error *err);

struct member_list {
    struct gcal_count_signature *signature;
    const char *name;
    size_t offset;
    struct gcal_error *err;
    int rc; /* 1: one is no number */
};

/* Takes 'name'. */
static void add_part(struct member_list *list, CXType type, char *name, size_t offset)
{
    list->rc = name ? add_members(list->signature, type, name, offset, list->err)
                    : gcal_error_memory(list->err);
    free(name);
}

static enum CXVisitorResult visit_part(CXCursor field, CXClientData data)
{
    struct member_list *list = data;
    long long bits =
        clang_Cursor_isBitField(field) ? -1 : clang_Cursor_getOffsetOfField(field);
    char *own = bits < 0 ? NULL : gcal_source_cursor_name(field, list->err);

    if (bits < 0)
        list->rc = 1;
    else
        add_part(list, clang_getCursorType(field),
                 own ? gcal_buf_format(*own ? "%s_%s" : "%s", list->name, own) : NULL,
                 list->offset + (size_t)bits / 8);
    free(own);
    return list->rc ? CXVisit_Break : CXVisit_Continue;
}

/* The numbers in 'type', named as in counts (walk/cells.c): "part_first", "size_x".  1: it has
 * what is no number, or too many.
 */
static int add_members(struct gcal_count_signature *signature, CXType type,
                       const char *name, size_t offset, struct gcal_error *err)
{
    enum { MOST = 256 };
    struct member_list list = { signature, name, offset, err, 0 };
    bool is_vector;

    type = clang_getCanonicalType(type);
    is_vector = type.kind == CXType_ExtVector || type.kind == CXType_Vector;
    if (type.kind == CXType_Record) {
        if (gcal_source_kind(clang_getTypeDeclaration(type)) == CXCursor_UnionDecl)
            return 1;
        clang_Type_visitFields(type, visit_part, &list);
        return list.rc;
    }
    if (!is_vector && type.kind != CXType_ConstantArray) {
        const char *dtype = gcal_source_dtype(type);
        struct gcal_count_signature_arg *grown, *arg;

        if (!dtype)
            return 1;
        grown = reallocarray(signature->args, signature->n_args + 1, sizeof(*grown));
        if (!grown)
            return gcal_error_memory(err);
        signature->args = grown;
        arg = &grown[signature->n_args++];
        *arg = (struct gcal_count_signature_arg){ .name = strdup(name),
                                                  .type = strdup(dtype),
                                                  .kind = GCAL_COUNT_SIGNATURE_SCALAR,
                                                  .dtype = strdup(dtype),
                                                  .per_item = 1,
                                                  .is_member = true,
                                                  .offset = offset };
        return arg->name && arg->type && arg->dtype ? 0 : gcal_error_memory(err);
    }
    for (long long i = 0; i < clang_getNumElements(type) && !list.rc; i++) {
        CXType element =
            is_vector ? clang_getElementType(type) : clang_getArrayElementType(type);
        char *part = !is_vector ? gcal_buf_format("%s_%lld", name, i)
                     : clang_getNumElements(type) <= 4
                         ? gcal_buf_format("%s_%c", name, "xyzw"[i])
                         : gcal_buf_format("%s_s%llx", name, i);

        list.rc = i == MOST ? 1 : 0;
        if (list.rc)
            free(part);
        else
            add_part(&list, element, part,
                     offset + (size_t)i * (size_t)gcal_source_size(element));
    }
    return list.rc;
}

static int read_struct(CXCursor decl, struct gcal_count_signature *signature,
                       struct gcal_error *err)
{
    size_t at = signature->n_args - 1;
    long long bytes = gcal_source_size(clang_getCursorType(decl));
    int rc = add_members(signature, clang_getCursorType(decl), signature->args[at].name,
                         0, err);

    signature->args[at].per_item = bytes > 0 ? (size_t)bytes : 0;
    for (; rc > 0 && signature->n_args > at + 1; signature->n_args--) {
        free(signature->args[signature->n_args - 1].name);
        free(signature->args[signature->n_args - 1].type);
        free(signature->args[signature->n_args - 1].dtype);
    }
    if (rc > 0)
        signature->args[at].kind = GCAL_COUNT_SIGNATURE_OTHER;
    else if (rc == 0 && !(signature->args[at].dtype = strdup("uint8")))
        rc = gcal_error_memory(err);
    return rc < 0 ? -1 : 0;
}

/* ---- all arguments ---- */

static int read_args(struct gcal_count_walked *walked,
                     struct gcal_count_signature *signature, struct gcal_error *err)
{
    int n = clang_Cursor_getNumArguments(walked->kernel);

    for (int i = 0; i < n; i++) {
        CXCursor decl = clang_Cursor_getArgument(walked->kernel, (unsigned)i);
        struct gcal_count_signature_arg *arg = reallocarray(
            signature->args, signature->n_args + 1, sizeof(*signature->args));

        if (!arg)
            return gcal_error_memory(err);
        signature->args = arg;
        arg += signature->n_args++;
        *arg = (struct gcal_count_signature_arg){ 0 };
        if (!(arg->name = gcal_source_cursor_name(decl, err)) ||
            read_type(decl, arg, err) < 0)
            return -1;
        if ((arg->kind == GCAL_COUNT_SIGNATURE_BUFFER ||
             arg->kind == GCAL_COUNT_SIGNATURE_LOCAL) &&
            read_extent(decl, arg, &walked->nest, err) < 0)
            return -1;
        if (arg->kind == GCAL_COUNT_SIGNATURE_IMAGE &&
            read_image(arg, &walked->nest, err) < 0)
            return -1;
        if (arg->kind == GCAL_COUNT_SIGNATURE_STRUCT &&
            read_struct(decl, signature, err) < 0)
            return -1;
    }
    return 0;
}

/* CUDA's "extern __shared__", of which a launch gives the bytes: an argument of local memory behind the
 * others.
 */
static int add_launch_memory(struct gcal_count_walked *walked,
                             struct gcal_count_signature *signature,
                             struct gcal_error *err)
{
    struct gcal_sets_nest *nest = &walked->nest;
    struct gcal_count_reach reach;

    for (size_t i = 0; i < nest->n_arrays; i++) {
        struct gcal_count_signature_arg *grown, *arg;

        if (nest->arrays[i].space != GCAL_FEATURE_SPACE_LOCAL || nest->arrays[i].bytes ||
            gcal_strings_contain(&walked->arguments, nest->arrays[i].name))
            continue;
        if (!(grown =
                  reallocarray(signature->args, signature->n_args + 1, sizeof(*grown))))
            return gcal_error_memory(err);
        signature->args = grown;
        arg = &grown[signature->n_args++];
        *arg = (struct gcal_count_signature_arg){ .name = strdup(nest->arrays[i].name),
                                                  .type = strdup("extern __shared__"),
                                                  .kind = GCAL_COUNT_SIGNATURE_LOCAL,
                                                  .dtype = strdup("uint8"),
                                                  .per_item = 1 };
        if (!arg->name || !arg->type || !arg->dtype)
            return gcal_error_memory(err);
        if (gcal_count_reach_find(nest, arg->name, GCAL_FEATURE_SPACE_LOCAL, &reach,
                                  err) < 0 ||
            note_reach(arg, nest, &reach, err) < 0)
            return -1;
        if (reach.bytes &&
            !(arg->elements = strdup(gcal_poly_text(nest->c, reach.bytes))))
            return gcal_error_memory(err);
    }
    return gcal_poly_context_check(nest->c, err);
}

/* In the text of an NDRange '/' rounds down, but within floor() it is exact. */
static char *exact_text(struct gcal_poly_context *c, const struct gcal_poly *p)
{
    const char *text = gcal_poly_text(c, p);
    bool has_quotient = false;
    int depth = 0;

    for (const char *at = text; *at; at++) {
        depth += (*at == '(') - (*at == ')');
        has_quotient = has_quotient || (*at == '/' && depth == 0);
    }
    return gcal_buf_format(has_quotient ? "floor(%s)" : "%s", text);
}

/* As a polynomial, without what is assumed of the sizes: a kernel's fingerprint has the
 * same.
 */
static int read_global_size(const char *given, char **text, struct gcal_error *err)
{
    struct gcal_poly_context *c = gcal_poly_context_create(err);
    const struct gcal_poly *global = c ? gcal_poly_parse(c, given, err) : NULL;
    int rc = global ? gcal_poly_context_check(c, err) : -1;

    if (rc == 0 && !(*text = exact_text(c, global)))
        rc = gcal_error_memory(err);
    gcal_poly_context_destroy(c);
    return rc;
}

static int read_ndrange(const struct gcal_count_walked *walked,
                        struct gcal_count_signature *signature, struct gcal_error *err)
{
    const struct gcal_count_request *request = &walked->request;

    if (!(signature->kernel = strdup(walked->name)))
        return gcal_error_memory(err);
    signature->n_dims = request->n_dims;
    for (size_t d = 0; d < request->n_dims; d++) {
        signature->local_size[d] = request->local_size[d];
        if (read_global_size(request->global_size[d], &signature->global_size[d], err) <
            0)
            return -1;
    }
    return 0;
}

int gcal_count_signature_read(const struct gcal_count_request *request,
                              struct gcal_count_signature *signature,
                              struct gcal_error *err)
{
    struct gcal_count_walked walked = { 0 };
    int rc = gcal_count_walk(request, &walked, err);

    if (rc == 0)
        rc = read_ndrange(&walked, signature, err);
    if (rc == 0)
        rc = read_args(&walked, signature, err);
    if (rc == 0 && request->language != GCAL_SOURCE_OPENCL_C)
        rc = add_launch_memory(&walked, signature, err);
    if (rc == 0 && request->language != GCAL_SOURCE_OPENCL_C &&
        !(signature->device_text =
              gcal_source_device_text(walked.unit, walked.kernel, request->source, err)))
        rc = -1;
    gcal_count_walked_clear(&walked);
    return rc;
}
