/* nest.c - what all domains of a kernel share: isl, its budget, notes */
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/sets/private.h"

void gcal_sets_nest_clear(struct gcal_sets_nest *nest)
{
    free(nest->arrays);
    free(nest->ops);
    free(nest->accesses);
    free(nest->register_accesses);
    free(nest->barriers);
    free(nest->branches);
    free(nest->notes);
    free(nest->relaxed);
    free(nest->counts);
    free(nest->joined);
    gcal_sets_isl_destroy(nest->isl);
    *nest = (struct gcal_sets_nest){ 0 };
}

struct gcal_sets_nest gcal_sets_nest_part(const struct gcal_sets_nest *nest,
                                          const struct gcal_poly *const *groups)
{
    struct gcal_sets_nest part = *nest;

    for (size_t d = 0; d < nest->n_dims; d++)
        part.groups[d] = groups[d];
    part.context = NULL;
    part.isl = NULL;
    part.counts = NULL;
    part.n_counts = part.count_capacity = 0;
    part.notes = NULL;
    part.n_notes = part.note_capacity = 0;
    part.joined = NULL;
    part.n_joined = part.joined_capacity = 0;
    part.relaxed = NULL;
    part.n_relaxed = part.relaxed_capacity = 0;
    return part;
}

int64_t gcal_sets_nest_group_items(const struct gcal_sets_nest *nest)
{
    int64_t items = 1;

    for (size_t d = 0; d < nest->n_dims; d++)
        items *= nest->local_size[d];
    return items;
}

void gcal_sets_nest_end_part(struct gcal_sets_nest *part)
{
    free(part->counts);
    free(part->notes);
    free(part->joined);
    free(part->relaxed);
    gcal_sets_isl_destroy(part->isl);
    *part = (struct gcal_sets_nest){ 0 };
}

void gcal_sets_nest_note(struct gcal_sets_nest *nest, int line, int column,
                         const char *text)
{
    struct gcal_sets_note *moved;

    for (size_t i = 0; i < nest->n_notes; i++)
        if (nest->notes[i].line == line && nest->notes[i].column == column &&
            strcmp(nest->notes[i].text, text) == 0)
            return;
    moved = gcal_array_grow(nest->notes, nest->n_notes, &nest->note_capacity,
                            sizeof(*moved), NULL);
    if (!moved) {
        gcal_poly_fail(nest->c, "out of memory");
        return;
    }
    nest->notes = moved;
    moved[nest->n_notes++] =
        (struct gcal_sets_note){ line, column, gcal_poly_format(nest->c, "%s", text) };
}

const struct gcal_poly *gcal_sets_settle(const struct gcal_sets_nest *nest,
                                         const struct gcal_poly *p)
{
    for (size_t i = 0; i < nest->n_sampled; i++)
        for (int k = 0; k < 3; k++)
            p = gcal_poly_substitute(nest->c, p,
                                     gcal_poly_atom_index(nest->sampled[i].trips[k]),
                                     nest->sampled[i].value[k]);
    return p;
}

/* ---- isl ---- */

const struct gcal_sets_context *gcal_sets_nest_context(struct gcal_sets_nest *nest)
{
    if (nest->context)
        return nest->context;
    nest->isl = gcal_sets_isl_create();
    nest->context = gcal_poly_alloc(nest->c, sizeof(*nest->context));
    if (!nest->isl || !nest->context) {
        gcal_poly_fail(nest->c, "out of memory");
        return NULL;
    }
    gcal_sets_context_init(nest->context, nest->c, nest->isl);
    return nest->context;
}

/* A kernel takes some ten thousand operations of about 1 us.  Failed attempts take longer
 * for one, as their sets are large.
 */
enum { MOST_OPERATIONS = 700000, MOST_STEPS = 800000, PRICE_OF_FAILURE = 3 };

void gcal_sets_nest_renew_budget(struct gcal_sets_nest *nest)
{
    enum { MOST_RENEWED = 200000 };
    long divisor = nest->budget_divisor ? nest->budget_divisor : 1;

    nest->operations = (MOST_OPERATIONS - MOST_RENEWED) / divisor;
    nest->is_exhausted = false;
}

bool gcal_sets_begin_attempt(struct gcal_sets_nest *nest, long operations)
{
    long divisor = nest->budget_divisor ? nest->budget_divisor : 1;

    if (!nest->context && !gcal_poly_may_attempt(nest->c)) {
        nest->is_exhausted = true;
        return false;
    }
    if (!gcal_sets_nest_context(nest))
        return false;
    if (nest->operations > MOST_OPERATIONS / divisor ||
        !gcal_poly_begin_attempt(nest->c, MOST_STEPS / divisor)) {
        nest->is_exhausted = true;
        return false;
    }
    nest->begun = (struct gcal_sets_mark){ .n_counts = nest->n_counts,
                                           .n_joined = nest->n_joined,
                                           .n_relaxed = nest->n_relaxed };
    isl_ctx_set_max_operations(nest->isl, (unsigned long)(operations / divisor + 1));
    isl_ctx_reset_operations(nest->isl);
    return true;
}

/* The operations since the last reset.  isl has no query for them, but an object cannot be
 * made when the limit is below them.
 */
static unsigned long operations_done(isl_ctx *isl)
{
    unsigned long least = 0, most = isl_ctx_get_max_operations(isl);

    while (most - least > 1) {
        unsigned long middle = least + (most - least) / 2;
        isl_val *made;

        isl_ctx_set_max_operations(isl, middle);
        if ((made = isl_val_one(isl)))
            most = middle;
        else
            least = middle;
        isl_val_free(made);
        isl_ctx_reset_error(isl);
    }
    return most;
}

static void forget_since(struct gcal_sets_nest *nest, const struct gcal_sets_mark *mark)
{
    nest->n_counts = mark->n_counts;
    nest->n_joined = mark->n_joined;
    nest->n_relaxed = mark->n_relaxed;
}

struct gcal_sets_mark gcal_sets_nest_mark(const struct gcal_sets_nest *nest)
{
    return (struct gcal_sets_mark){ gcal_poly_mark(nest->c), nest->n_counts,
                                    nest->n_joined, nest->n_relaxed };
}

void gcal_sets_nest_rewind(struct gcal_sets_nest *nest, const struct gcal_sets_mark *mark)
{
    gcal_poly_rewind_failure(nest->c, &mark->c);
    forget_since(nest, mark);
}

bool gcal_sets_end_attempt(struct gcal_sets_nest *nest, bool found)
{
    found = found && !gcal_poly_context_has_failed(nest->c);
    if (found) {
        gcal_poly_end_attempt(nest->c);
    } else {
        gcal_poly_discard_attempt(nest->c);
        forget_since(nest, &nest->begun);
    }
    isl_ctx_resume(nest->isl);
    if (isl_ctx_last_error(nest->isl) == isl_error_quota ||
        isl_ctx_last_error(nest->isl) == isl_error_abort)
        nest->operations +=
            PRICE_OF_FAILURE * (long)isl_ctx_get_max_operations(nest->isl);
    else
        nest->operations += (long)operations_done(nest->isl);
    isl_ctx_reset_error(nest->isl);
    return found;
}
