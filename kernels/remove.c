/* remove.c - work removal: a kernel reduced to its global loads (seed 004 algorithm 3)
 *
 * The kernel is pretty printed first: that text has no macros, so that offsets in it are
 * those of its syntax tree and parts of it can be copied.  Statements are then written
 * again one by one; what is written tells which variables are needed, and writing is
 * repeated until no more are found.
 */
#include "kernels/remove_private.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"

static enum content write_statement(struct remover *r, CXCursor c, int indent,
                                    struct gcal_buf *out);

/* ---- statements ---- */

/* 'c' as it stands. */
static enum content write_same(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    if (gcal_remove_need(r, c) < 0)
        return FAILED;
    gcal_remove_indent(indent, out);
    if (kind_of(r, c) == CXCursor_VarDecl)
        gcal_remove_print(r->unit, c, out);
    else
        gcal_remove_put_text(r, c, out);
    gcal_buf_puts(out, ";\n");
    return WORK;
}

static enum content write_expression(struct remover *r, CXCursor c, int indent,
                                     struct gcal_buf *out)
{
    CXCursor variable, left;

    while (kind_of(r, c) == CXCursor_ParenExpr)
        c = gcal_remove_child(r, c, 0);
    if (gcal_remove_is_change(r, c)) {
        left = gcal_remove_child(r, c, 0);
        variable = gcal_remove_root(r, left, false);
        if (!is_null(r, variable) && gcal_remove_space(r, left) != GCAL_SPACE_GLOBAL &&
            gcal_remove_is_needed(r, variable))
            return write_same(r, c, indent, out);
    }
    return gcal_remove_write_loads(r, c, indent, out);
}

static enum content write_declaration(struct remover *r, CXCursor c, int indent,
                                      struct gcal_buf *out)
{
    struct gcal_children children;
    enum content found = NOTHING;

    if (gcal_children_get(r->unit, c, &children, r->err) < 0)
        return FAILED;
    for (size_t i = 0; i < children.n && found != FAILED; i++) {
        CXCursor variable = children.cursors[i];

        if (kind_of(r, variable) != CXCursor_VarDecl)
            found = write_same(r, variable, indent, out);
        else if (gcal_remove_is_needed(r, variable))
            found = worse(write_same(r, variable, indent, out), found);
        else
            found = worse(gcal_remove_write_children(r, variable, 0, indent, out), found);
    }
    free(children.cursors);
    return found;
}

/* A statement as the body of another one, in braces. */
static enum content write_body(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    struct gcal_children children;
    enum content found = NOTHING;

    if (kind_of(r, c) != CXCursor_CompoundStmt)
        return write_statement(r, c, indent, out);
    if (gcal_children_get(r->unit, c, &children, r->err) < 0)
        return FAILED;
    for (size_t i = 0; i < children.n && found != FAILED; i++)
        found = worse(found, write_statement(r, children.cursors[i], indent, out));
    free(children.cursors);
    return found;
}

static enum content write_if(struct remover *r, CXCursor c, int indent,
                             struct gcal_buf *out)
{
    CXCursor condition = gcal_remove_child(r, c, 0),
             otherwise = gcal_remove_child(r, c, 2);
    struct gcal_buf yes = { 0 }, no = { 0 };
    enum content found = write_body(r, gcal_remove_child(r, c, 1), indent + 1, &yes);

    if (found != FAILED && !is_null(r, otherwise))
        found = worse(found, write_body(r, otherwise, indent + 1, &no));
    found = gcal_remove_write_if(r, condition, found, &yes, &no, indent, out);
    gcal_buf_free(&yes);
    gcal_buf_free(&no);
    return found;
}

/* "#pragma unroll" of a loop: the line in front of it. */
static void put_pragma(const struct remover *r, unsigned loop_from, int indent,
                       struct gcal_buf *out)
{
    const char *source = r->unit->source, *end = source + loop_from, *line;

    while (end > source && (end[-1] == ' ' || end[-1] == '\n' || end[-1] == '\t'))
        end--;
    for (line = end; line > source && line[-1] != '\n'; line--)
        ;
    line += strspn(line, " \t");
    if (strncmp(line, "#pragma", 7) != 0)
        return;
    gcal_remove_indent(indent, out);
    gcal_buf_put(out, line, (size_t)(end - line));
    gcal_buf_puts(out, "\n");
}

static int need_header(struct remover *r, CXCursor loop, CXCursor body)
{
    struct gcal_children children;
    int rc = 0;

    if (gcal_children_get(r->unit, loop, &children, r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && rc == 0; i++)
        if (!r->clang->equalCursors(children.cursors[i], body))
            rc = gcal_remove_need(r, children.cursors[i]);
    free(children.cursors);
    return rc;
}

static enum content write_loop(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    bool is_do = kind_of(r, c) == CXCursor_DoStmt;
    CXCursor parts[4], body = gcal_remove_child(r, c, is_do ? 0 : 1);
    struct gcal_buf text = { 0 };
    unsigned from, to, body_from, body_to;
    size_t n_needed = r->n_needed;
    enum content found;

    if (kind_of(r, c) == CXCursor_ForStmt) {
        if (gcal_for_parts(r->unit, c, parts, r->err) < 0)
            return FAILED;
        body = parts[3];
    }
    found = write_body(r, body, indent + 1, &text);
    gcal_remove_extent(r, c, &from, &to);
    gcal_remove_extent(r, body, &body_from, &body_to);
    if (found == JUMPS) { /* nor is what its jumps depend on needed */
        r->n_needed = n_needed;
        found = NOTHING;
    }
    if (found == WORK && need_header(r, c, body) < 0)
        found = FAILED;
    if (found == WORK) {
        put_pragma(r, from, indent, out);
        gcal_remove_indent(indent, out);
        gcal_remove_put_range(r, from, body_from, out);
        while (out->size && strchr(" \n", out->data[out->size - 1]))
            out->data[--out->size] = 0;
        gcal_buf_printf(out, " {\n%s", text.data ? text.data : "");
        gcal_remove_indent(indent, out);
        gcal_buf_puts(out, "}");
        if (is_do) {
            gcal_buf_puts(out, " while (");
            gcal_remove_put_text(r, gcal_remove_child(r, c, 1), out);
            gcal_buf_puts(out, ");");
        }
        gcal_buf_puts(out, "\n");
    }
    gcal_buf_free(&text);
    return found;
}

static enum content write_jump(struct remover *r, CXCursor c, int indent,
                               struct gcal_buf *out)
{
    gcal_remove_indent(indent, out);
    gcal_remove_put_text(r, c, out);
    gcal_buf_puts(out, ";\n");
    return kind_of(r, c) == CXCursor_ReturnStmt ? WORK : JUMPS;
}

static enum content write_statement(struct remover *r, CXCursor c, int indent,
                                    struct gcal_buf *out)
{
    struct gcal_children children;

    switch (kind_of(r, c)) {
    case CXCursor_DeclStmt:
        return write_declaration(r, c, indent, out);
    case CXCursor_CompoundStmt: {
        struct gcal_buf text = { 0 };
        enum content found = write_body(r, c, indent + 1, &text);

        if (found != NOTHING && found != FAILED) {
            gcal_remove_indent(indent, out);
            gcal_buf_printf(out, "{\n%s", text.data ? text.data : "");
            gcal_remove_indent(indent, out);
            gcal_buf_puts(out, "}\n");
        }
        gcal_buf_free(&text);
        return found;
    }
    case CXCursor_IfStmt:
        return write_if(r, c, indent, out);
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        return write_loop(r, c, indent, out);
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
    case CXCursor_ReturnStmt:
        return write_jump(r, c, indent, out);
    case CXCursor_NullStmt:
        return NOTHING;
    case CXCursor_UnexposedStmt: /* a loop with attributes */
        if (gcal_children_get(r->unit, c, &children, r->err) < 0)
            return FAILED;
        c = children.n ? children.cursors[children.n - 1] : r->clang->getNullCursor();
        free(children.cursors);
        return is_null(r, c) ? NOTHING : write_statement(r, c, indent, out);
    case CXCursor_SwitchStmt:
    case CXCursor_GotoStmt:
    case CXCursor_LabelStmt:
        return gcal_remove_refuse(r, c,
                                  "work removal does not know this statement: use if");
    default:
        return write_expression(r, c, indent, out);
    }
}

/* ---- the kernel ---- */

static const char *const opencl_names[] = { "uchar", "char",  "ushort", "short",
                                            "uint",  "int",   "ulong",  "long",
                                            "half",  "float", "double" };

static void put_type(const struct remover *r, struct gcal_buf *out)
{
    int rank = gcal_remove_rank(r->dtype);

    gcal_buf_puts(out, rank < 0 ? "float" : opencl_names[rank]);
    if (r->n_lanes)
        gcal_buf_printf(out, "%lld", r->n_lanes);
}

static int write_kernel_body(struct remover *r, CXCursor body, struct gcal_buf *out)
{
    struct gcal_children children;
    enum content found = NOTHING;

    if (gcal_children_get(r->unit, body, &children, r->err) < 0)
        return -1;
    for (size_t i = 0; i < children.n && found != FAILED; i++) {
        /* nothing runs after it, and the store must */
        if (kind_of(r, children.cursors[i]) == CXCursor_ReturnStmt)
            break;
        found = worse(found, write_statement(r, children.cursors[i], 1, out));
    }
    free(children.cursors);
    return found == FAILED ? -1 : 0;
}

static CXCursor body_of(const struct remover *r, CXCursor kernel)
{
    struct gcal_children children;
    CXCursor body = r->clang->getNullCursor();

    if (gcal_children_get(r->unit, kernel, &children, NULL) < 0)
        return body;
    for (size_t i = 0; i < children.n; i++)
        if (kind_of(r, children.cursors[i]) == CXCursor_CompoundStmt)
            body = children.cursors[i];
    free(children.cursors);
    return body;
}

/* Everything in front of the body, with one parameter more. */
static void write_signature(const struct remover *r, CXCursor kernel, CXCursor body,
                            struct gcal_buf *out)
{
    int n = r->clang->Cursor_getNumArguments(kernel);
    unsigned from, to, body_from, param_from, param_to;

    gcal_remove_extent(r, kernel, &from, &to);
    gcal_remove_extent(r, body, &body_from, &to);
    gcal_remove_extent(r, r->clang->Cursor_getArgument(kernel, (unsigned)n - 1),
                       &param_from, &param_to);
    gcal_remove_put_range(r, from, param_to, out);
    gcal_buf_puts(out, ", __global ");
    put_type(r, out);
    gcal_buf_puts(out, " *read_tgt_dest");
    gcal_remove_put_range(r, param_to, body_from, out);
}

static int check_names(struct remover *r)
{
    struct gcal_buf names = { 0 };
    const char *unknown = NULL;

    for (size_t i = 0; i < r->n_keep && !unknown; i++) {
        unknown = r->keep[i];
        for (size_t j = 0; j < r->n_loaded; j++)
            if (strcmp(r->loaded[j].name, r->keep[i]) == 0)
                unknown = NULL;
    }
    if (!unknown && r->n_kept)
        return 0;
    for (size_t j = 0; j < r->n_loaded; j++)
        gcal_buf_printf(&names, "%s%s", j ? ", " : "", r->loaded[j].name);
    if (unknown)
        gcal_error_set(r->err, GCAL_EINPUT,
                       "%s: no global load of an array or with a tag named '%s'; there "
                       "are: %s",
                       r->unit->file, unknown, names.size ? names.data : "none");
    else
        gcal_error_set(r->err, GCAL_EINPUT, "%s: there is no global load to keep",
                       r->unit->file);
    gcal_buf_free(&names);
    return -1;
}

static int write_kernel(struct remover *r, CXCursor kernel, size_t n_dims,
                        struct gcal_buf *out)
{
    static const char *const linear[] = {
        "get_global_id(0)",
        "get_global_size(0) * get_global_id(1) + get_global_id(0)",
        ("get_global_size(0) * (get_global_size(1) * get_global_id(2) + "
         "get_global_id(1)) + get_global_id(0)"),
    };
    CXCursor body = body_of(r, kernel);
    struct gcal_buf text = { 0 };
    size_t n_needed;
    int rc = -1;

    do {
        gcal_buf_free(&text);
        n_needed = r->n_needed;
        r->n_kept = 0;
        if (write_kernel_body(r, body, &text) < 0)
            goto out;
    } while (r->n_needed > n_needed);
    if (check_names(r) < 0)
        goto out;
    write_signature(r, kernel, body, out);
    gcal_buf_puts(out, "{\n    ");
    put_type(r, out);
    gcal_buf_printf(out, " read_tgt = 0;\n%s    read_tgt_dest[%s] = read_tgt;\n}\n",
                    text.data ? text.data : "", linear[n_dims - 1]);
    rc = 0;
out:
    gcal_buf_free(&text);
    return rc;
}

/* ---- in front of it ---- */

static bool is_from_source(const struct gcal_unit *unit, CXCursor c)
{
    CXString file;
    const char *name;
    bool same;

    unit->clang->getPresumedLocation(unit->clang->getCursorLocation(c), &file, NULL,
                                     NULL);
    name = unit->clang->getCString(file);
    same = name && strcmp(name, unit->file) == 0;
    unit->clang->disposeString(file);
    return same;
}

static void print_declaration(const struct gcal_unit *unit, CXCursor c,
                              struct gcal_buf *out)
{
    bool function = unit->clang->getCursorKind(c) == CXCursor_FunctionDecl;

    gcal_remove_print(unit, c, out);
    if (!function || !unit->clang->equalCursors(unit->clang->getCursorDefinition(c), c))
        gcal_buf_puts(out, ";");
    gcal_buf_puts(out, "\n");
}

/* The source's declarations up to the kernel without other kernels, and the kernel. */
static char *print_source(const struct gcal_unit *unit, CXCursor kernel,
                          struct gcal_error *err)
{
    struct gcal_children all;
    struct gcal_buf out = { 0 };

    if (gcal_children_get(unit, unit->clang->getTranslationUnitCursor(unit->tu), &all,
                          err) < 0)
        return NULL;
    for (size_t i = 0; i < all.n; i++) {
        CXCursor c = all.cursors[i], ignored;
        bool same = unit->clang->equalCursors(c, kernel);
        char *name;
        bool other_kernel;

        if (!is_from_source(unit, c))
            continue;
        name = gcal_cursor_name(unit, c, NULL);
        other_kernel = !same && unit->clang->getCursorKind(c) == CXCursor_FunctionDecl &&
                       name && gcal_unit_kernel(unit, name, &ignored, NULL) == 0;
        free(name);
        if (!other_kernel)
            print_declaration(unit, c, &out);
        if (same)
            break;
    }
    free(all.cursors);
    return gcal_buf_take(&out, err);
}

static void write_comment(const struct gcal_count_request *request, const char *kernel,
                          size_t n_keep, const char *const *keep, struct gcal_buf *out)
{
    gcal_buf_printf(out, "/* %s of %s with its work removed; global loads kept:", kernel,
                    request->file ? request->file : "kernel.cl");
    for (size_t i = 0; i < n_keep; i++)
        gcal_buf_printf(out, "%s %s", i ? "," : "", keep[i]);
    gcal_buf_puts(out, n_keep ? " */\n" : " all */\n");
    gcal_buf_puts(out, "#ifndef GPUCAL_TAG\n#define GPUCAL_TAG(name, lvalue) (lvalue)\n"
                       "#endif\n");
}

/* 'printed': the pretty printed source. */
static char *remove_from(const struct gcal_count_request *request, const char *printed,
                         const char *name, size_t n_keep, const char *const *keep,
                         struct gcal_error *err)
{
    struct remover r = { .n_keep = n_keep, .keep = keep, .err = err };
    struct gcal_unit *unit;
    struct gcal_buf out = { 0 };
    unsigned from, to;
    CXCursor kernel;
    char *text = NULL;

    if (!(unit =
              gcal_unit_parse(GCAL_LANGUAGE_OPENCL, printed, request->file, NULL, err)))
        return NULL;
    r.unit = unit;
    r.clang = unit->clang;
    if (gcal_unit_kernel(unit, name, &kernel, err) < 0)
        goto out;
    write_comment(request, name, n_keep, keep, &out);
    gcal_remove_extent(&r, kernel, &from, &to);
    gcal_remove_put_range(&r, 0, from, &out);
    if (write_kernel(&r, kernel, request->n_dims, &out) == 0)
        text = gcal_buf_take(&out, err);
out:
    gcal_buf_free(&out);
    free(r.needed);
    free(r.loaded);
    gcal_unit_close(unit);
    return text;
}

char *gcal_work_remove(const struct gcal_count_request *request, size_t n_keep,
                       const char *const *keep, struct gcal_error *err)
{
    char *printed = NULL, *name = NULL, *text = NULL;
    struct gcal_unit *unit;
    CXCursor kernel;

    if (request->n_dims < 1 || request->n_dims > GCAL_MAX_DIMS) {
        gcal_error_set(err, GCAL_EINPUT, "an NDRange has 1 to %d dimensions, not %zu",
                       GCAL_MAX_DIMS, request->n_dims);
        return NULL;
    }
    if (!(unit = gcal_unit_parse(GCAL_LANGUAGE_OPENCL, request->source, request->file,
                                 request->build_options, err)))
        return NULL;
    if (gcal_unit_kernel(unit, request->kernel, &kernel, err) == 0 &&
        (name = gcal_cursor_name(unit, kernel, err)) &&
        (printed = print_source(unit, kernel, err)))
        text = remove_from(request, printed, name, n_keep, keep, err);
    free(printed);
    free(name);
    gcal_unit_close(unit);
    return text;
}
