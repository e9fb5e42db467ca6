/* serial.c - work that a device without lanes does for one work-item after another
 *
 * Runtimes for CPUs run the work-items of a group in a loop, between barriers.  Compilers
 * vectorise that loop if it is the innermost one: a loop of the kernel inside it keeps them from
 * doing so, unless it is unrolled.  In a kernel without barriers the work-items run from the
 * beginning to the end, so such a loop makes all of the kernel serial; in one with barriers,
 * the loop itself.
 */
#include <string.h>

#include "kernels/count/private.h"

static bool is_serial_loop(const struct gcal_sets_nest *nest,
                           const struct gcal_sets_scope *loop)
{
    int64_t trips;

    if (loop->kind != GCAL_SETS_SCOPE_LOOP || loop->is_unrolled ||
        (gcal_poly_is_constant(loop->trips, &trips) && trips <= 1))
        return false;
    return !gcal_count_has_barrier(nest, loop->loop);
}

/* Whether a serial loop is around the scope. */
static bool is_inside(const struct gcal_sets_nest *nest,
                      const struct gcal_sets_scope *scope)
{
    for (; scope; scope = scope->parent)
        if (is_serial_loop(nest, scope))
            return true;
    return false;
}

static bool has_serial_loop(const struct gcal_sets_nest *nest)
{
    for (size_t i = 0; i < nest->n_ops; i++)
        if (is_inside(nest, nest->ops[i].scope))
            return true;
    for (size_t i = 0; i < nest->n_accesses; i++)
        if (is_inside(nest, nest->accesses[i].scope))
            return true;
    return false;
}

/* ---- entries ---- */

/* An operation or an access. */
struct work {
    enum gcal_feature_kind kind;
    const char *dtype, *op;
    const struct gcal_sets_scope *scope;
    int64_t times;
};

static struct work work_at(const struct gcal_count_builder *m, size_t i)
{
    const struct gcal_sets_nest *nest = m->nest;
    const struct gcal_sets_access_event *access;

    if (i < nest->n_ops) {
        const struct gcal_sets_op_event *op = &nest->ops[i];

        return (struct work){ op->index ? GCAL_FEATURE_SERIAL_INDEX
                                        : GCAL_FEATURE_SERIAL_OP,
                              op->dtype, op->op, op->scope, op->instructions };
    }
    access = &nest->accesses[i - nest->n_ops];
    return (struct work){ GCAL_FEATURE_SERIAL_OP, access->dtype,
                          access->atomic                            ? "atomic"
                          : access->direction == GCAL_FEATURE_STORE ? "store"
                                                                    : "load",
                          access->scope, 1 };
}

static bool is_same(const struct work *a, const struct work *b)
{
    return a->kind == b->kind && strcmp(a->dtype, b->dtype) == 0 &&
           strcmp(a->op, b->op) == 0;
}

static bool is_first(const struct gcal_count_builder *m, size_t i,
                     const struct work *work)
{
    for (size_t j = 0; j < i; j++) {
        struct work other = work_at(m, j);

        if (is_same(&other, work))
            return false;
    }
    return true;
}

/* All of its kind from the event 'first' on. */
static void add_entry(struct gcal_count_builder *m, size_t first, const struct work *work)
{
    size_t n = m->nest->n_ops + m->nest->n_accesses;
    struct gcal_count_counter counter = gcal_count_counter_zero(m);
    struct gcal_profile_entry *entry;

    for (size_t i = first; i < n && !m->failed; i++) {
        struct work other = work_at(m, i);

        if (is_same(&other, work) &&
            (!m->nest->n_barriers || is_inside(m->nest, other.scope)))
            gcal_count_counter_add(m, &counter, other.scope, GCAL_SETS_COUNT_WORK_ITEMS,
                                   other.times);
    }
    if (m->failed || !counter.count->n_terms ||
        !(entry = gcal_count_builder_add(
              m, work->kind, gcal_poly_format(m->c, "_%s_%s", work->dtype, work->op))))
        return;
    entry->dtype = gcal_count_builder_copy(m, work->dtype);
    entry->op = gcal_count_builder_copy(m, work->op);
    entry->count = gcal_count_builder_text(m, counter.count);
    entry->estimated = counter.estimated;
}

void gcal_count_builder_add_serial(struct gcal_count_builder *m)
{
    size_t n = m->nest->n_ops + m->nest->n_accesses;

    if (!m->request->sector_bytes || !has_serial_loop(m->nest))
        return;
    for (size_t i = 0; i < n && !m->failed; i++) {
        struct work work = work_at(m, i);

        if (is_first(m, i, &work))
            add_entry(m, i, &work);
    }
}
