/* reads.c - a kernel reduced to its global loads (Stevens and Kloeckner 2020,
 * algorithm 3), or to all of its global accesses
 */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"

static int check_names(struct gcal_remove_pass *r, bool has_result)
{
    const struct gcal_remove_options *removal = r->removal;
    bool stores = removal->drop || removal->form == GCAL_REMOVE_KEEP_MEMORY;
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
                       "%s: no global %s of an array or with a tag named '%s'; the "
                       "%s are: %s%s",
                       r->unit->file, stores ? "access" : "load", unknown,
                       stores ? "accesses" : "loads", names.size ? names.data : "none",
                       stores ? "" : " (--memory keeps stores, too)");
    else
        gcal_error_set(r->err, GCAL_EINPUT, "%s: the kernel has no global load to keep",
                       r->unit->file);
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
