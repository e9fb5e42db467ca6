/* helper.c - functions reduced to their loads: the kernel's body, and helpers
 *
 * What a function writes shows which variables are needed; writing is repeated until no
 * more are found.
 *
 * A helper that takes global pointers is written anew for each call, as a function that
 * returns the sum of its kept loads and has only the parameters that these depend on.
 * The arrays that the call passes decide which loads are kept.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/remove/private.h"

/* ---- statements of a kernel that is reduced to its global loads or accesses ---- */

/* Returns whether a declaration has a needed variable of a type without a name, which it cannot
 * be declared without.
 */
static bool declares_unnamed(struct gcal_remove_pass *r,
                             const struct gcal_source_children *children)
{
    bool unnamed = false, needed = false;

    for (size_t i = 0; i < children->n; i++) {
        CXCursor c = children->cursors[i];
        enum CXCursorKind kind = clang_getCursorKind(c);
        CXString name = clang_getCursorSpelling(c);
        const char *text = clang_getCString(name);

        unnamed |= (kind == CXCursor_StructDecl || kind == CXCursor_UnionDecl) &&
                   (!text || !*text || strchr(text, '('));
        needed |= kind == CXCursor_VarDecl && gcal_remove_is_needed(r, c);
        clang_disposeString(name);
    }
    return unnamed && needed;
}

static enum gcal_remove_content write_declaration(struct gcal_remove_pass *r, CXCursor c,
                                                  int indent, struct gcal_buf *out)
{
    struct gcal_source_children children;
    enum gcal_remove_content found = GCAL_REMOVE_NOTHING;

    if (gcal_source_get_children(c, &children, r->err) < 0)
        return GCAL_REMOVE_FAILED;
    if (declares_unnamed(r, &children)) {
        free(children.cursors);
        return gcal_remove_write_same(r, c, indent, out);
    }
    for (size_t i = 0; i < children.n && found != GCAL_REMOVE_FAILED; i++) {
        CXCursor variable = children.cursors[i];

        if (clang_getCursorKind(variable) != CXCursor_VarDecl ||
            gcal_remove_is_needed(r, variable))
            found = worse(gcal_remove_write_same(r, variable, indent, out), found);
        else
            found = worse(gcal_remove_write_children(r, variable, 0, indent, out), found);
    }
    free(children.cursors);
    return found;
}

static enum gcal_remove_content write_statement(struct gcal_remove_pass *r, CXCursor c,
                                                int indent, struct gcal_buf *out);

/* A statement as the body of another one, in braces. */
static enum gcal_remove_content write_body(struct gcal_remove_pass *r, CXCursor c,
                                           int indent, struct gcal_buf *out)
{
    struct gcal_source_children children;
    enum gcal_remove_content found = GCAL_REMOVE_NOTHING;

    if (clang_getCursorKind(c) != CXCursor_CompoundStmt)
        return write_statement(r, c, indent, out);
    if (gcal_source_get_children(c, &children, r->err) < 0)
        return GCAL_REMOVE_FAILED;
    for (size_t i = 0; i < children.n && found != GCAL_REMOVE_FAILED; i++)
        found = worse(found, write_statement(r, children.cursors[i], indent, out));
    free(children.cursors);
    return found;
}

/* ---- switch ---- */

static enum gcal_remove_content write_switch(struct gcal_remove_pass *r, CXCursor c,
                                             int indent, struct gcal_buf *out)
{
    CXCursor value = gcal_remove_child(c, 0);
    size_t n_needed = r->n_needed, n_doubts = r->n_doubts, n_continues = r->n_continues;
    struct gcal_buf text = { 0 };
    enum gcal_remove_content found =
        write_body(r, gcal_remove_child(c, 1), indent + 1, &text);

    if (found == GCAL_REMOVE_JUMPS && r->n_continues == n_continues) {
        /* its own breaks */
        r->n_needed = n_needed;
        r->n_doubts = n_doubts;
        found = GCAL_REMOVE_NOTHING;
    }
    if (found == GCAL_REMOVE_NOTHING) {
        found = gcal_remove_write_loads(r, value, indent, out);
    } else if (found != GCAL_REMOVE_FAILED && gcal_remove_need(r, value) < 0) {
        found = GCAL_REMOVE_FAILED;
    } else if (found != GCAL_REMOVE_FAILED) {
        gcal_remove_indent(indent, out);
        gcal_buf_puts(out, "switch (");
        gcal_remove_put_text(r, value, out);
        gcal_buf_printf(out, ") {\n%s", text.data ? text.data : "");
        gcal_remove_indent(indent, out);
        gcal_buf_puts(out, "}\n");
    }
    gcal_buf_free(&text);
    return found;
}

/* ---- loops ---- */

/* The start of the line that 'at' is in. */
static const char *line_start(const char *source, const char *at)
{
    while (at > source && at[-1] != '\n')
        at--;
    return at;
}

/* Puts "#pragma unroll" and the like from the lines before a loop, and attributes from
 * its own line; "#pragma unroll n" before them, unless n is 0 or the loop has its own.
 */
static void put_pragmas(const struct gcal_remove_pass *r, unsigned loop_from, size_t n,
                        int indent, struct gcal_buf *out)
{
    const char *source = r->unit->source, *loop = source + loop_from;
    const char *own = line_start(source, loop), *line = own, *before;
    struct gcal_buf kept = { 0 };

    while (line > source && (before = line_start(source, line - 1)) &&
           strncmp(before + strspn(before, " "), "#pragma", 7) == 0)
        line = before;
    for (; line < own; line += strcspn(line, "\n") + 1) {
        const char *text = line + strspn(line, " ");

        if (strncmp(text, "#pragma gpucal", 14) != 0)
            n = 0;
        gcal_remove_indent(indent, &kept);
        gcal_buf_put(&kept, text, strcspn(text, "\n") + 1);
    }
    own += strspn(own, " ");
    if (own < loop && strncmp(own, "__attribute__", 13) == 0) {
        n = 0;
        gcal_remove_indent(indent, &kept);
        gcal_buf_put(&kept, own, (size_t)(loop - own));
        gcal_buf_puts(&kept, "\n");
    }
    if (n) {
        gcal_remove_indent(indent, out);
        gcal_buf_printf(out, "#pragma unroll %zu\n", n);
    }
    gcal_buf_puts(out, kept.data ? kept.data : "");
    gcal_buf_free(&kept);
}

/* Calls 'visit' for all parts of a loop but its body: the worst result, or FAILED. */
static enum gcal_remove_content
visit_header(struct gcal_remove_pass *r, CXCursor loop, CXCursor body,
             enum gcal_remove_content (*visit)(struct gcal_remove_pass *, CXCursor))
{
    struct gcal_source_children children;
    enum gcal_remove_content found = GCAL_REMOVE_NOTHING;

    if (gcal_source_get_children(loop, &children, r->err) < 0)
        return GCAL_REMOVE_FAILED;
    for (size_t i = 0; i < children.n && found != GCAL_REMOVE_FAILED; i++)
        if (!clang_equalCursors(children.cursors[i], body))
            found = worse(found, visit(r, children.cursors[i]));
    free(children.cursors);
    return found;
}

static enum gcal_remove_content need_part(struct gcal_remove_pass *r, CXCursor part)
{
    return gcal_remove_need(r, part) < 0 ? GCAL_REMOVE_FAILED : GCAL_REMOVE_WORK;
}

/* Loads in a header keep the loop alive. */
static enum gcal_remove_content find_loads(struct gcal_remove_pass *r, CXCursor part)
{
    struct gcal_remove_frame before = *r->frame;
    struct gcal_buf unused = { 0 };
    enum gcal_remove_content found = write_statement(r, part, 0, &unused);

    *r->frame = before; /* they are not added up, but stay in place */
    gcal_buf_free(&unused);
    return found;
}

static void put_loop(struct gcal_remove_pass *r, CXCursor c, CXCursor body,
                     bool innermost, const struct gcal_buf *text, int indent,
                     struct gcal_buf *out)
{
    size_t n = r->removal->n_accumulators;
    unsigned from, to, body_from, body_to;
    bool unroll;

    gcal_remove_extent(c, &from, &to);
    gcal_remove_extent(body, &body_from, &body_to);
    /* several accumulators move through registers: see accumulator.c */
    unroll = innermost && n > 1 && clang_getCursorKind(c) == CXCursor_ForStmt;
    put_pragmas(r, from, unroll ? n : 0, indent, out);
    gcal_remove_indent(indent, out);
    gcal_remove_put_range(r, from, body_from, out);
    while (out->size && strchr(" \n", out->data[out->size - 1]))
        out->data[--out->size] = 0;
    gcal_buf_printf(out, " {\n%s", text->data ? text->data : "");
    gcal_remove_indent(indent, out);
    gcal_buf_puts(out, "}");
    if (clang_getCursorKind(c) == CXCursor_DoStmt) {
        gcal_buf_puts(out, " while (");
        gcal_remove_put_text(r, gcal_remove_child(c, 1), out);
        gcal_buf_puts(out, ");");
    }
    gcal_buf_puts(out, "\n");
}

static enum gcal_remove_content write_loop(struct gcal_remove_pass *r, CXCursor c,
                                           int indent, struct gcal_buf *out)
{
    CXCursor parts[4],
        body = gcal_remove_child(c, clang_getCursorKind(c) == CXCursor_DoStmt ? 0 : 1);
    struct gcal_buf text = { 0 };
    size_t n_needed = r->n_needed, n_doubts = r->n_doubts;
    int n_loops = r->n_loops;
    enum gcal_remove_content found;

    if (clang_getCursorKind(c) == CXCursor_ForStmt) {
        if (gcal_source_for_clauses(c, parts, r->err) < 0)
            return GCAL_REMOVE_FAILED;
        body = parts[3];
    }
    r->frame->loop_depth++;
    found = write_body(r, body, indent + 1, &text);
    r->frame->loop_depth--;
    if (found == GCAL_REMOVE_JUMPS) {
        /* what its jumps depend on is not needed either */
        r->n_needed = n_needed;
        r->n_doubts = n_doubts;
        found = GCAL_REMOVE_NOTHING;
    }
    if (found == GCAL_REMOVE_NOTHING)
        found = visit_header(r, c, body, find_loads);
    if (found == GCAL_REMOVE_WORK &&
        visit_header(r, c, body, need_part) == GCAL_REMOVE_FAILED)
        found = GCAL_REMOVE_FAILED;
    if (found == GCAL_REMOVE_WORK)
        put_loop(r, c, body, r->n_loops == n_loops, &text, indent, out);
    r->n_loops += found == GCAL_REMOVE_WORK;
    gcal_buf_free(&text);
    return found;
}

/* ---- jumps ---- */

/* A return of the kernel: the store, if there may be a sum by now.  A return of a helper:
 * the sum of its loads.
 */
static enum gcal_remove_content write_return(struct gcal_remove_pass *r, CXCursor c,
                                             int indent, struct gcal_buf *out)
{
    const struct gcal_remove_frame *f = r->frame;

    if (gcal_remove_write_children(r, c, 0, indent, out) == GCAL_REMOVE_FAILED)
        return GCAL_REMOVE_FAILED;
    gcal_remove_indent(indent, out);
    if (f->outer) {
        gcal_buf_puts(out, "return ");
        gcal_remove_sums_put_total(r, &f->stored, out);
    } else {
        if (!r->stores && f->stored.n && (f->n_kept || f->loop_depth)) {
            gcal_remove_sums_put_store(r, &f->stored, out);
            gcal_buf_puts(out, ";\n");
            gcal_remove_indent(indent, out);
        }
        gcal_buf_puts(out, "return");
    }
    gcal_buf_puts(out, ";\n");
    return GCAL_REMOVE_WORK;
}

static enum gcal_remove_content write_statement(struct gcal_remove_pass *r, CXCursor c,
                                                int indent, struct gcal_buf *out)
{
    struct gcal_source_children children;

    switch (clang_getCursorKind(c)) {
    case CXCursor_DeclStmt:
        return write_declaration(r, c, indent, out);
    case CXCursor_CompoundStmt: {
        struct gcal_buf text = { 0 };
        enum gcal_remove_content found = write_body(r, c, indent + 1, &text);

        if (found != GCAL_REMOVE_NOTHING && found != GCAL_REMOVE_FAILED) {
            gcal_remove_indent(indent, out);
            gcal_buf_printf(out, "{\n%s", text.data ? text.data : "");
            gcal_remove_indent(indent, out);
            gcal_buf_puts(out, "}\n");
        }
        gcal_buf_free(&text);
        return found;
    }
    case CXCursor_IfStmt: {
        CXCursor condition = gcal_remove_child(c, 0), otherwise = gcal_remove_child(c, 2);
        struct gcal_buf yes = { 0 }, no = { 0 };
        enum gcal_remove_content found =
            write_body(r, gcal_remove_child(c, 1), indent + 1, &yes);

        if (found != GCAL_REMOVE_FAILED && !clang_Cursor_isNull(otherwise))
            found = worse(found, write_body(r, otherwise, indent + 1, &no));
        found = gcal_remove_write_if(r, condition, false, found, &yes, &no, indent, out);
        gcal_buf_free(&yes);
        gcal_buf_free(&no);
        return found;
    }
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
        return write_loop(r, c, indent, out);
    case CXCursor_SwitchStmt:
        return write_switch(r, c, indent, out);
    case CXCursor_CaseStmt:
    case CXCursor_DefaultStmt: {
        /* Writes the label always: the text of a switch that is deleted is not used. */
        bool is_default = clang_getCursorKind(c) == CXCursor_DefaultStmt;

        gcal_remove_indent(indent - 1, out);
        gcal_buf_puts(out, is_default ? "default" : "case ");
        if (!is_default)
            gcal_remove_put_text(r, gcal_remove_child(c, 0), out);
        gcal_buf_puts(out, ":;\n"); /* a declaration may follow */
        return write_statement(r, gcal_remove_child(c, is_default ? 0 : 1), indent, out);
    }
    case CXCursor_BreakStmt:
    case CXCursor_ContinueStmt:
        r->n_continues += clang_getCursorKind(c) == CXCursor_ContinueStmt;
        gcal_remove_indent(indent, out);
        gcal_remove_put_text(r, c, out);
        gcal_buf_puts(out, ";\n");
        return GCAL_REMOVE_JUMPS;
    case CXCursor_ReturnStmt:
        return write_return(r, c, indent, out);
    case CXCursor_NullStmt:
        return GCAL_REMOVE_NOTHING;
    case CXCursor_UnexposedStmt: /* a loop with attributes */
    case CXCursor_LabelStmt:
        if (gcal_source_get_children(c, &children, r->err) < 0)
            return GCAL_REMOVE_FAILED;
        c = children.n ? children.cursors[children.n - 1] : clang_getNullCursor();
        free(children.cursors);
        return clang_Cursor_isNull(c) ? GCAL_REMOVE_NOTHING
                                      : write_statement(r, c, indent, out);
    case CXCursor_GotoStmt:
        gcal_remove_error(r, c, GCAL_REMOVE_NO_GOTO);
        return GCAL_REMOVE_FAILED;
    default:
        return gcal_remove_write_loads(r, c, indent, out);
    }
}

/* ---- functions reduced to their loads: the kernel's body, and helpers ---- */

enum { DEEPEST_CALL = 20 };

/* ---- a body ---- */

static bool same_sums(const struct gcal_remove_sums *a, const struct gcal_remove_sums *b)
{
    for (size_t i = 0; i < a->n && a->n == b->n; i++)
        if (a->sums[i].n_lanes != b->sums[i].n_lanes ||
            strcmp(a->sums[i].dtype, b->sums[i].dtype) != 0)
            return false;
    return a->n == b->n;
}

int gcal_remove_write_function(struct gcal_remove_pass *r, CXCursor body,
                               struct gcal_buf *out)
{
    size_t functions_size = r->functions.size, n_doubts = r->n_doubts;
    int n_functions = r->n_functions;
    struct gcal_remove_frame *f = r->frame;
    size_t n_needed;
    bool stores, again;

    do {
        gcal_buf_free(out);
        if (r->functions.size > functions_size)
            r->functions.data[r->functions.size = functions_size] = 0;
        r->n_functions = n_functions;
        n_needed = r->n_needed;
        stores = r->stores;
        r->n_doubts = n_doubts;
        f->n_kept = 0;
        f->stored = f->sums;
        f->sums = (struct gcal_remove_sums){ 0 };
        struct gcal_source_children children;
        enum gcal_remove_content found = GCAL_REMOVE_NOTHING;

        if (gcal_source_get_children(body, &children, r->err) < 0)
            return -1;
        for (size_t i = 0; i < children.n && found != GCAL_REMOVE_FAILED; i++) {
            CXCursor c = children.cursors[i];

            if (clang_getCursorKind(c) != CXCursor_ReturnStmt) {
                found = worse(found, write_statement(r, c, 1, out));
                continue;
            }
            /* the rest is unreachable, and the caller writes the end itself */
            found = worse(found, gcal_remove_write_children(r, c, 0, 1, out));
            break;
        }
        free(children.cursors);
        if (found == GCAL_REMOVE_FAILED)
            return -1;
        again = r->n_needed > n_needed || r->stores != stores ||
                !same_sums(&f->stored, &f->sums);
    } while (again);
    return 0;
}

/* ---- calls of helpers ---- */

/* The needed parameters, or the arguments for them. */
static int put_list(struct gcal_remove_pass *r, const struct gcal_remove_frame *f,
                    bool arguments, struct gcal_buf *out)
{
    int n = clang_Cursor_getNumArguments(f->definition);
    const char *comma = "";

    for (int i = 0; i < n; i++) {
        CXCursor parameter = clang_Cursor_getArgument(f->definition, (unsigned)i);
        CXCursor argument = clang_Cursor_getArgument(f->call, (unsigned)i);

        if (!gcal_remove_is_needed(r, parameter))
            continue;
        gcal_buf_puts(out, comma);
        comma = ", ";
        if (!arguments)
            gcal_remove_print(parameter, out);
        else if (gcal_remove_need(r, argument) < 0)
            return -1;
        else
            gcal_remove_put_text(r, argument, out);
    }
    return 0;
}

/* Writes the helper before the kernel; 'name' gets its new name. */
static int write_helper(struct gcal_remove_pass *r, struct gcal_remove_frame *f,
                        const struct gcal_buf *body, struct gcal_buf *name)
{
    struct gcal_buf *out = &r->functions;
    char *given = gcal_source_cursor_name(f->definition, r->err);

    if (!given)
        return -1;
    gcal_buf_printf(name, "read_%s_%d", given, ++r->n_functions);
    free(given);
    gcal_remove_sum_put_type(gcal_remove_sums_total(&f->sums), out);
    gcal_buf_printf(out, " %s(", name->data);
    if (put_list(r, f, false, out) < 0)
        return -1;
    gcal_buf_puts(out, ")\n{\n");
    gcal_remove_sums_declare(r, &f->sums, out);
    gcal_buf_printf(out, "%s    return ", body->data ? body->data : "");
    gcal_remove_sums_put_total(r, &f->sums, out);
    gcal_buf_puts(out, ";\n}\n\n");
    return 0;
}

/* Loads in arguments for parameters that the reduced helper does not have. */
static enum gcal_remove_content write_other_arguments(struct gcal_remove_pass *r,
                                                      const struct gcal_remove_frame *f,
                                                      int indent, struct gcal_buf *out)
{
    int n = clang_Cursor_getNumArguments(f->definition);
    enum gcal_remove_content found = GCAL_REMOVE_NOTHING;

    for (int i = 0; i < n && found != GCAL_REMOVE_FAILED; i++)
        if (!gcal_remove_is_needed(r,
                                   clang_Cursor_getArgument(f->definition, (unsigned)i)))
            found = worse(found, gcal_remove_write_loads(
                                     r, clang_Cursor_getArgument(f->call, (unsigned)i),
                                     indent, out));
    return found;
}

/* The reduced helper and the call of it. */
static enum gcal_remove_content write_reduced(struct gcal_remove_pass *r,
                                              struct gcal_remove_frame *f,
                                              const struct gcal_buf *body, int indent,
                                              struct gcal_buf *out)
{
    struct gcal_buf call = { 0 };
    enum gcal_remove_content found = GCAL_REMOVE_FAILED;

    if (write_helper(r, f, body, &call) < 0)
        goto out;
    gcal_buf_puts(&call, "(");
    if (put_list(r, f, true, &call) < 0)
        goto out;
    gcal_buf_puts(&call, ")");
    if (call.failed)
        gcal_error_memory(r->err);
    else if (gcal_remove_write_sum(r, f->call, gcal_remove_sums_total(&f->sums),
                                   call.data, indent, out) == 0)
        found = GCAL_REMOVE_WORK;
out:
    gcal_buf_free(&call);
    return found;
}

enum gcal_remove_content gcal_remove_write_call(struct gcal_remove_pass *r, CXCursor call,
                                                CXCursor definition, int indent,
                                                struct gcal_buf *out)
{
    struct gcal_remove_frame frame = { .outer = r->frame,
                                       .call = call,
                                       .definition = definition };
    struct gcal_buf body = { 0 };
    enum gcal_remove_content found = GCAL_REMOVE_FAILED;
    int depth = 0, rc;

    for (const struct gcal_remove_frame *f = &frame; f; f = f->outer)
        depth++;
    if (depth > DEEPEST_CALL) {
        gcal_remove_error(r, call, "work removal does not support recursion");
        return GCAL_REMOVE_FAILED;
    }
    r->frame = &frame;
    rc = gcal_remove_write_function(r, gcal_remove_body(definition), &body);
    r->frame = frame.outer;
    if (rc == 0)
        found = write_other_arguments(r, &frame, indent, out);
    if (found != GCAL_REMOVE_FAILED && frame.sums.n)
        found = write_reduced(r, &frame, &body, indent, out);
    gcal_buf_free(&body);
    return found;
}
