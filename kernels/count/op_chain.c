/* op_chain.c - entries of the longest chain of operations of a work-item
 *
 * kernels/walk follows values through variables, loops and arrays in local memory.
 */
#include "kernels/count/private.h"

static void add_link(struct gcal_count_builder *m, const struct gcal_sets_link *link)
{
    const char *text = gcal_count_builder_name_text(m, link->times);
    struct gcal_profile_entry *entry =
        gcal_count_builder_add(m, GCAL_FEATURE_OP_CHAIN,
                               gcal_poly_format(m->c, "_%s_%s", link->dtype, link->op));

    if (!entry)
        return;
    if (!gcal_poly_is_nonnegative(m->c, link->times)) /* a loop may run less often */
        text = gcal_poly_format(m->c, "max(0,%s)", text);
    entry->dtype = gcal_count_builder_copy(m, link->dtype);
    entry->op = gcal_count_builder_copy(m, link->op);
    entry->count = gcal_count_builder_copy(m, text);
}

void gcal_count_builder_add_op_chain(struct gcal_count_builder *m)
{
    if (!m->request->sector_bytes)
        return;
    for (size_t i = 0; i < m->nest->n_links && !m->failed; i++)
        if (m->nest->links[i].times->n_terms &&
            !gcal_count_builder_is_long(m, m->nest->links[i].times))
            add_link(m, &m->nest->links[i]);
    if (m->nest->links_lost)
        gcal_sets_nest_note(m->nest, 1, 1,
                            "this kernel is too long to find its chains of operations: "
                            "none is counted (f_op_chain is 0)");
}
