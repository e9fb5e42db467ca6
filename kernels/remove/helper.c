/* helper.c - functions reduced to their loads: the kernel's body, and helpers
 *
 * What a function writes shows which variables are needed; writing is repeated until no
 * more are found.
 *
 * A helper that takes global pointers is written anew for each call, as a function that
 * returns the sum of its kept loads and has only the parameters that these depend on.
 * The arrays that the call passes decide which loads are kept.
 */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"

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
                found = worse(found, gcal_remove_write_statement(r, c, 1, out));
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
