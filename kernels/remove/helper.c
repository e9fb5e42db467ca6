/* helper.c - helpers reduced to their loads
 *
 * A helper that takes global pointers is written again for each call, as a function that
 * returns the sum of its kept loads and takes only what these depend on: which of them
 * are kept follows from the arrays that this call passes.
 */
#include "kernels/remove/private.h"

#include <stdlib.h>

#include "calib/base/error.h"

enum { DEEPEST_CALL = 20 };

/* The parameters that are needed, or the arguments in their place. */
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

/* The helper's text in front of the kernel; its number in 'name'. */
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

/* Loads in arguments that the reduced helper does not take. */
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
        gcal_remove_error(r, call,
                          "work removal does not know functions that call "
                          "themselves");
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
