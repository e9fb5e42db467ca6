/* op.c - entries of operations, branches, barriers and the NDRange */
#include <string.h>

#include "kernels/count/private.h"

/* ---- operations ---- */

static bool is_same_op(const struct gcal_sets_op_event *a,
                       const struct gcal_sets_op_event *b)
{
    return a->dtype == b->dtype && a->index == b->index && a->auxiliary == b->auxiliary &&
           a->matrix == b->matrix && strcmp(a->op, b->op) == 0;
}

static enum gcal_feature_kind kind_of(const struct gcal_sets_op_event *e)
{
    return e->index       ? GCAL_FEATURE_INDEX_OP
           : e->auxiliary ? GCAL_FEATURE_AUXILIARY_OP
           : e->matrix    ? GCAL_FEATURE_MATRIX_OP
                          : GCAL_FEATURE_OP;
}

static void add_op(struct gcal_count_builder *m, const struct gcal_sets_op_event *e,
                   enum gcal_feature_kind kind, const struct gcal_count_counter *counter)
{
    struct gcal_profile_entry *entry = gcal_count_builder_add(
        m, kind,
        e->matrix ? gcal_poly_format(m->c, "_%s", e->matrix)
                  : gcal_poly_format(m->c, "_%s_%s", e->dtype, e->op));

    if (!entry)
        return;
    if (!e->matrix)
        entry->dtype = gcal_count_builder_copy(m, e->dtype);
    entry->op = gcal_count_builder_copy(m, e->matrix ? e->matrix : e->op);
    entry->count = gcal_count_builder_sub_group_text(m, counter->count);
    entry->estimated = counter->estimated;
    if (kind == GCAL_FEATURE_OP || e->matrix)
        gcal_count_builder_add_to_component(m, GCAL_COUNT_COMPONENT_ONCHIP,
                                            counter->count, true, counter->estimated);
}

/* Adds the entries of all operations, or of those that are 'joined' with the ones that use them. */
static void add_ops(struct gcal_count_builder *m, bool joined)
{
    const struct gcal_sets_nest *nest = m->nest;

    for (size_t i = 0; i < nest->n_ops && !m->failed; i++) {
        const struct gcal_sets_op_event *e = &nest->ops[i];
        struct gcal_count_counter counter = gcal_count_counter_zero(m);
        bool done = false;

        for (size_t j = 0; j < i && !done; j++)
            done = is_same_op(&nest->ops[j], e);
        for (size_t j = i; j < nest->n_ops && !done; j++)
            if (is_same_op(&nest->ops[j], e) && (!joined || nest->ops[j].joined))
                gcal_count_counter_add(m, &counter, nest->ops[j].scope,
                                       gcal_count_sub_group_mode(m),
                                       joined ? nest->ops[j].joined : nest->ops[j].times);
        if (!done && !m->failed && counter.count->n_terms)
            add_op(m, e, joined ? GCAL_FEATURE_JOINED_OP : kind_of(e), &counter);
    }
}

void gcal_count_builder_add_ops(struct gcal_count_builder *m)
{
    add_ops(m, false);
    add_ops(m, true);
}

/* ---- branches ---- */

/* As if sub-groups diverged at every execution: an estimate of this entry alone, so that
 * nothing is refused for it.
 */
static struct gcal_count_counter always_diverges(struct gcal_count_builder *m,
                                                 const struct gcal_sets_branch_event *at)
{
    struct gcal_count_counter counter = gcal_count_counter_zero(m);

    counter.count = gcal_sets_scope_count(m->nest, at->scope, GCAL_SETS_COUNT_SUB_GROUPS,
                                          &counter.estimated);
    counter.estimated = true;
    if (!counter.count) { /* fails, with the reason */
        counter = gcal_count_counter_zero(m);
        gcal_count_counter_add(m, &counter, at->scope, GCAL_SETS_COUNT_SUB_GROUPS, 1);
    }
    gcal_sets_nest_note(
        m->nest, at->line, at->column,
        at->condition
            ? "how often sub-groups diverge here cannot be counted exactly: counted as "
              "if they always did"
            : "whether sub-groups diverge here depends on data: counted as if they "
              "always did");
    return counter;
}

/* The loop whose end the branch is, if that is counted in a sample. */
static const struct gcal_sets_sampled *
sampled_loop(const struct gcal_sets_nest *nest,
             const struct gcal_sets_branch_event *branch)
{
    const struct gcal_sets_scope *loop = gcal_count_innermost_loop(branch->scope);

    for (size_t i = 0; i < nest->n_sampled && loop && !branch->condition; i++)
        if (gcal_poly_equal(loop->trips, nest->sampled[i].trips[0]) &&
            branch->line == nest->sampled[i].line &&
            branch->column == nest->sampled[i].column)
            return &nest->sampled[i];
    return NULL;
}

static struct gcal_count_counter
divergence_of(struct gcal_count_builder *m, const struct gcal_sets_branch_event *branch)
{
    struct gcal_count_counter counter = gcal_count_counter_zero(m);
    struct gcal_sets_branch_event known = *branch;
    const struct gcal_sets_sampled *sampled;

    if ((counter.count = gcal_sets_branch_divergence(m->nest, branch))) {
        if ((counter.estimated = m->nest->error > 0))
            gcal_count_builder_note_sample(m, branch->line, branch->column);
        return counter;
    }
    counter = gcal_count_counter_zero(m);
    if ((sampled = sampled_loop(m->nest, branch))) {
        gcal_count_counter_add(m, &counter, branch->scope, GCAL_SETS_COUNT_SUB_GROUPS, 1);
        counter.count = gcal_poly_mul(m->c, counter.count, sampled->divergence);
        return counter;
    }
    /* a condition on data around it may be the reason */
    known.scope = gcal_count_known_scope(m, branch->scope);
    counter.estimated = true;
    if (known.scope != branch->scope &&
        (counter.count = gcal_sets_branch_divergence(m->nest, &known)))
        return counter;
    return always_diverges(m, branch);
}

static bool is_same_branch(const struct gcal_sets_branch_event *a,
                           const struct gcal_sets_branch_event *b)
{
    return a->line == b->line && a->column == b->column;
}

/* All executions of one branch of the source: unrolled loops have many. */
static struct gcal_count_counter
sum_of_branches(struct gcal_count_builder *m, size_t first,
                struct gcal_count_counter (*count)(struct gcal_count_builder *,
                                                   const struct gcal_sets_branch_event *))
{
    const struct gcal_sets_nest *nest = m->nest;
    struct gcal_count_counter sum = gcal_count_counter_zero(m);

    for (size_t i = first; i < nest->n_branches && !m->failed; i++)
        if (is_same_branch(&nest->branches[i], &nest->branches[first])) {
            struct gcal_count_counter one = count(m, &nest->branches[i]);

            sum.count = gcal_poly_add(m->c, sum.count, one.count);
            sum.estimated = sum.estimated || (one.estimated && one.count->n_terms);
        }
    return sum;
}

static void add_branch(struct gcal_count_builder *m, size_t first)
{
    const struct gcal_sets_branch_event *branch = &m->nest->branches[first];
    struct gcal_count_counter sum = sum_of_branches(m, first, divergence_of);
    struct gcal_profile_entry *entry;

    const struct gcal_poly *p = sum.count;
    enum { MOST_TERMS = 2000 };
    if (p->n_terms > MOST_TERMS ||
        strlen(gcal_poly_text(m->c, p)) > GCAL_COUNT_MAX_LENGTH)
        sum = sum_of_branches(m, first, always_diverges);
    if (m->failed || !sum.count->n_terms ||
        !(entry = gcal_count_builder_add(m, GCAL_FEATURE_DIVERGENT_BRANCH, "")))
        return;
    entry->count = gcal_count_builder_text(m, sum.count);
    entry->estimated = sum.estimated;
    entry->line = branch->line;
    entry->column = branch->column;
}

void gcal_count_builder_add_branches(struct gcal_count_builder *m)
{
    const struct gcal_sets_nest *nest = m->nest;

    for (size_t i = 0; i < nest->n_branches && m->request->sub_group_size; i++) {
        bool done = m->failed;

        for (size_t j = 0; j < i && !done; j++)
            done = is_same_branch(&nest->branches[j], &nest->branches[i]);
        if (!done)
            add_branch(m, i);
    }
}

/* ---- barriers and the NDRange ---- */

/* Returns whether the count of the work-item that does most takes all of it to hold. */
static bool is_on_ids(const struct gcal_sets_nest *nest,
                      const struct gcal_sets_condition *x)
{
    return x->kind == GCAL_SETS_CONDITION_AND
               ? is_on_ids(nest, x->a) && is_on_ids(nest, x->b)
               : gcal_sets_condition_has_ids(nest, x);
}

/* The outermost condition on ids around it; NULL without. */
static const struct gcal_sets_condition *find_side(const struct gcal_sets_nest *nest,
                                                   const struct gcal_sets_scope *scope)
{
    const struct gcal_sets_condition *found = NULL;

    for (; scope; scope = scope->parent)
        if (scope->kind == GCAL_SETS_SCOPE_CONDITION && is_on_ids(nest, scope->condition))
            found = scope->condition;
    return found;
}

static bool is_same_condition(const struct gcal_sets_condition *a,
                              const struct gcal_sets_condition *b)
{
    return a == b ||
           (a && b && a->kind == b->kind && a->loop == b->loop &&
            (a->kind == GCAL_SETS_CONDITION_NONNEGATIVE
                 ? gcal_poly_equal(a->p, b->p)
                 : is_same_condition(a->a, b->a) && is_same_condition(a->b, b->b)));
}

/* 'groups': of the NDRange.  Of the sides of a condition on ids, each work-item meets the barriers
 * of one.
 */
static void add_barriers(struct gcal_count_builder *m, const struct gcal_poly *groups)
{
    const struct gcal_sets_nest *nest = m->nest;
    struct gcal_count_counter counter = gcal_count_counter_zero(m);
    const struct gcal_sets_condition *sides[nest->n_barriers + 1], *other;
    struct gcal_count_counter counts[nest->n_barriers + 1];
    struct gcal_profile_entry *entry;
    size_t n = 0, k;

    for (size_t i = 0; i < nest->n_barriers; i++) {
        sides[n] = find_side(nest, nest->barriers[i].scope);
        for (k = 0; k < n && !is_same_condition(sides[k], sides[n]); k++)
            ;
        if (k == n)
            counts[n++] = gcal_count_counter_zero(m);
        gcal_count_counter_add(m, &counts[k], nest->barriers[i].scope,
                               GCAL_SETS_COUNT_BUSIEST, 1);
    }
    for (size_t i = 0; i < n && !m->failed; i++) {
        other = sides[i] ? gcal_sets_condition_not(m->c, sides[i]) : NULL;
        for (k = i + 1; k < n && other && !is_same_condition(sides[k], other); k++)
            ;
        if (other && k < n) {
            counts[k].count = gcal_poly_max(m->c, counts[i].count, counts[k].count);
            counts[k].estimated |= counts[i].estimated;
            sides[k] = NULL;
            continue;
        }
        counter.count = gcal_poly_add(m->c, counter.count, counts[i].count);
        counter.estimated |= counts[i].estimated;
    }
    if (m->failed || !counter.count->n_terms)
        return;
    entry = gcal_count_builder_add(m, GCAL_FEATURE_BARRIER_LOCAL, "");
    if (!entry)
        return;
    entry->count = gcal_count_builder_text(m, counter.count);
    entry->estimated = counter.estimated;
    gcal_count_builder_add_to_component(m, GCAL_COUNT_COMPONENT_ONCHIP,
                                        gcal_poly_mul(m->c, counter.count, groups), false,
                                        counter.estimated);
    entry->line = nest->barriers[0].line;
    entry->column = nest->barriers[0].column;
}

static void add_plain(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                      const struct gcal_poly *count)
{
    struct gcal_profile_entry *entry = gcal_count_builder_add(m, kind, "");

    if (entry)
        entry->count = gcal_count_builder_text(m, count);
}

void gcal_count_builder_add_ndrange(struct gcal_count_builder *m)
{
    const struct gcal_poly *groups = gcal_poly_integer(m->c, 1);

    for (size_t d = 0; d < m->nest->n_dims; d++) {
        groups = gcal_poly_mul(m->c, groups, m->nest->groups[d]);
        m->profile->groups[d] = gcal_count_builder_text(m, m->nest->groups[d]);
    }
    add_barriers(m, groups);
    add_plain(m, GCAL_FEATURE_KERNEL_LAUNCH, gcal_poly_integer(m->c, 1));
    add_plain(m, GCAL_FEATURE_THREAD_GROUPS, groups);
    add_plain(m, GCAL_FEATURE_WORK_ITEMS,
              gcal_poly_scale(m->c, groups, gcal_sets_nest_group_items(m->nest), 1));
    if (m->nest->local_bytes)
        add_plain(m, GCAL_FEATURE_LOCAL_MEMORY_BYTES,
                  gcal_poly_integer(m->c, m->nest->local_bytes));
    if (m->nest->private_bytes)
        add_plain(m, GCAL_FEATURE_PRIVATE_ARRAY_BYTES,
                  gcal_poly_integer(m->c, m->nest->private_bytes));
}

/* ---- the longest chain of operations of a work-item ---- */

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
