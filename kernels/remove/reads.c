/* reads.c - a kernel reduced to its global loads (seed 004 algorithm 3), or to all
 * of its global accesses
 *
 * Statements are written again one by one; what is written tells which variables are
 * needed, and writing is repeated until no more are found.
 */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"

static int write_statements(struct gcal_remove_pass *r, CXCursor body,
                            struct gcal_buf *out)
{
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
        /* nothing runs after it, and what its caller writes at the end must */
        found = worse(found, gcal_remove_write_children(r, c, 0, 1, out));
        break;
    }
    free(children.cursors);
    return found == GCAL_REMOVE_FAILED ? -1 : 0;
}

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
        if (write_statements(r, body, out) < 0)
            return -1;
        again = r->n_needed > n_needed || r->stores != stores ||
                !same_sums(&f->stored, &f->sums);
    } while (again);
    return 0;
}

static int check_names(struct gcal_remove_pass *r, bool has_result)
{
    const struct gcal_remove_options *removal = r->removal;
    struct gcal_buf names = { 0 };
    const char *unknown = NULL;

    for (size_t i = 0; i < removal->n_keep && !unknown; i++) {
        unknown = removal->keep[i];
        for (size_t j = 0; j < r->n_loaded; j++)
            if (strcmp(r->loaded[j].text, removal->keep[i]) == 0)
                unknown = NULL;
    }
    if (!unknown && has_result)
        return 0;
    for (size_t j = 0; j < r->n_loaded; j++)
        gcal_buf_printf(&names, "%s%s", j ? ", " : "", r->loaded[j].text);
    if (unknown)
        gcal_error_set(r->err, GCAL_EINPUT,
                       "%s: no global load of an array or with a tag named '%s'; there "
                       "are: %s",
                       r->unit->file, unknown, names.size ? names.data : "none");
    else
        gcal_error_set(r->err, GCAL_EINPUT,
                       "%s: there is no global load to keep and add up", r->unit->file);
    gcal_buf_free(&names);
    return -1;
}

int gcal_remove_write_reads(struct gcal_remove_pass *r, CXCursor kernel,
                            struct gcal_buf *out)
{
    struct gcal_remove_frame frame = { 0 };
    struct gcal_buf text = { 0 };
    unsigned from, to;
    int rc = -1;

    r->frame = &frame;
    if (gcal_remove_write_function(r, gcal_remove_body(kernel), &text) < 0)
        goto out;
    if (r->n_doubts) {
        gcal_remove_error(r, r->doubts[0].at, r->doubts[0].why);
        goto out;
    }
    if (check_names(r, r->stores || frame.sums.n) < 0)
        goto out;
    gcal_remove_extent(kernel, &from, &to);
    gcal_remove_put_range(r, 0, from, out); /* types, constants, helpers */
    gcal_buf_puts(out, r->functions.data ? r->functions.data : "");
    gcal_remove_put_signature(r, kernel, &frame.sums, out);
    gcal_buf_puts(out, "{\n");
    gcal_remove_sums_declare(r, &frame.sums, out);
    gcal_buf_puts(out, text.data ? text.data : "");
    if (!r->stores) {
        gcal_buf_puts(out, "    ");
        gcal_remove_sums_put_store(r, &frame.sums, out);
        gcal_buf_puts(out, ";\n");
    }
    gcal_buf_puts(out, "}\n");
    rc = 0;
out:
    gcal_buf_free(&text);
    return rc;
}
