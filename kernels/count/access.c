/* access.c - entries of accesses, one per access pattern */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/count/private.h"

enum { LONGEST_NAME = 500 };

/* The pattern of an access; strides are NULL where they are not affine. */
struct pattern {
    const char *lid[GCAL_MAX_DIMS], *gid[GCAL_MAX_DIMS];
    size_t n_loops;
    const char *loops[GCAL_SETS_MAX_DEPTH], *loop_strides[GCAL_SETS_MAX_DEPTH];
    size_t ways;        /* of the bank conflict; 0: not requested, or unknown */
    const char *random; /* the mean of random places, an expression; NULL: 'ways' */
    const char *key;
};

/* The coefficient of a dimension in the offset; NULL when it is not affine. */
static const char *stride_text(struct gcal_count_builder *m,
                               const struct gcal_poly *offset, unsigned atom)
{
    const struct gcal_poly *stride;

    if (!offset || gcal_poly_contains_nested(m->c, offset, atom) ||
        gcal_poly_degree(offset, atom) > 1)
        return NULL;
    stride = gcal_poly_coefficient(m->c, offset, atom, 1);
    if (gcal_poly_has_dimension(m->c, stride))
        return NULL;
    return gcal_count_builder_name_text(m, stride);
}

static bool counts_passes(const struct gcal_count_builder *m,
                          const struct gcal_sets_access_event *e)
{
    return m->request->n_banks && !e->atomic &&
           m->nest->arrays[e->array].space == GCAL_FEATURE_SPACE_LOCAL;
}

static void find_pattern(struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *e, struct pattern *p)
{
    const struct gcal_sets_scope *loop;

    *p = (struct pattern){ 0 };
    p->key = gcal_poly_format(m->c, "%u %d %s %s %s %lld", e->array, (int)e->direction,
                              e->atomic ? e->atomic : "", e->dtype, e->tag ? e->tag : "",
                              (long long)e->width);
    for (size_t d = 0; d < m->nest->n_dims; d++) {
        p->lid[d] = stride_text(m, e->offset, gcal_poly_atom_index(m->nest->lid[d]));
        p->gid[d] = stride_text(m, e->offset, gcal_poly_atom_index(m->nest->gid[d]));
        p->key = gcal_poly_format(m->c, "%s|%s|%s", p->key, p->lid[d] ? p->lid[d] : "?",
                                  p->gid[d] ? p->gid[d] : "?");
    }
    if (counts_passes(m, e)) {
        struct gcal_sets_access_event near = gcal_count_near_event(e);

        /* equal strides conflict differently where subscripts are not affine */
        if (e->offset || (e->near && !gcal_sets_differs_by_lane(m->nest, e->near)))
            p->ways = gcal_count_access_bank_conflict(m, &near);
        if (!p->ways && e->on_data)
            p->random = gcal_count_random_ways(m, e);
        p->key = gcal_poly_format(m->c, "%s|%zu%s", p->key, p->ways,
                                  p->random ? p->random : "");
    }
    for (loop = e->scope; loop && p->n_loops < GCAL_SETS_MAX_DEPTH; loop = loop->parent) {
        const char *stride = loop->kind == GCAL_SETS_SCOPE_LOOP
                                 ? stride_text(m, e->offset, loop->loop)
                                 : NULL;

        if (!stride || strcmp(stride, "0") == 0)
            continue;
        p->loops[p->n_loops] = gcal_poly_atom_name(m->c, loop->loop);
        p->loop_strides[p->n_loops] = stride;
        p->key = gcal_poly_format(m->c, "%s|%s:%s", p->key, p->loops[p->n_loops], stride);
        p->n_loops++;
    }
}

static const char *strides_text(struct gcal_count_builder *m, const char *field,
                                const char *const *strides)
{
    const char *text = "";

    for (size_t d = 0; d < m->nest->n_dims; d++)
        if (strides[d])
            text = gcal_poly_format(m->c, "%s%s%zu:%s", text, *text ? ";" : "", d,
                                    strides[d]);
    return *text ? gcal_poly_format(m->c, "_%s:{%s}", field, text) : "";
}

/* ---- the access-to-footprint ratio ---- */

struct afr {
    const char *text;    /* NULL: unknown */
    const char *premise; /* the text is only valid under it; or NULL */
};

/* A polynomial, or a quotient of two. */
static const char *ratio_text(struct gcal_count_builder *m,
                              const struct gcal_poly *accesses,
                              const struct gcal_poly *footprint)
{
    const struct gcal_poly *ratio = gcal_poly_equal(accesses, footprint)
                                        ? gcal_poly_integer(m->c, 1)
                                        : gcal_poly_divide(m->c, accesses, footprint);

    if (ratio)
        return gcal_count_builder_name_text(m, ratio);
    return gcal_poly_format(m->c, "(%s)/(%s)", gcal_count_builder_name_text(m, accesses),
                            gcal_count_builder_name_text(m, footprint));
}

/* Copies of the events, with places for offsets where these are unknown; NULL where neither
 * is known of all.
 */
static const struct gcal_sets_access_event *const *
locate(struct gcal_count_builder *m, size_t n,
       const struct gcal_sets_access_event *const *events)
{
    struct gcal_sets_access_event *copies = gcal_poly_alloc(m->c, n * sizeof(*copies));
    const struct gcal_sets_access_event **located =
        gcal_poly_alloc(m->c, n * sizeof(const void *));

    for (size_t i = 0; i < n && copies && located; i++) {
        copies[i] = *events[i];
        located[i] = &copies[i];
        if (!events[0]->offset) {
            copies[i].offset = events[i]->place;
            copies[i].width = events[i]->n_places;
        }
        if (!copies[i].offset)
            return NULL;
    }
    return copies ? located : NULL;
}

static struct afr find_afr(struct gcal_count_builder *m, const struct gcal_poly *accesses,
                           const struct gcal_sets_access_event *const *events, size_t n)
{
    struct gcal_sets_premises premises;
    const struct gcal_poly *footprint;
    struct afr afr = { NULL, NULL };

    if (!(events = locate(m, n, events)) ||
        !(footprint = gcal_sets_footprint(m->nest, n, events, &premises)) ||
        !footprint->n_terms)
        return afr;
    if (events[0]->place)
        footprint = gcal_poly_scale(m->c, footprint, 1, events[0]->width);
    else
        accesses = gcal_poly_scale(m->c, accesses, events[0]->width, 1);
    afr.text = ratio_text(m, accesses, footprint);
    /* "lda >= n and ..." */
    const char *text = NULL;

    for (size_t i = 0; i < premises.n; i++)
        text = gcal_poly_format(
            m->c, "%s%s%s >= %s", text ? text : "", text ? " and " : "",
            gcal_count_builder_name_text(m, gcal_poly_tidy(m->c, premises.left[i])),
            gcal_count_builder_name_text(m, gcal_poly_tidy(m->c, premises.right[i])));
    afr.premise = text;
    if (strlen(afr.text) >= GCAL_COUNT_MAX_LENGTH ||
        (afr.premise && strlen(afr.premise) >= GCAL_COUNT_MAX_LENGTH))
        afr.text = afr.premise = NULL;
    return afr;
}

/* ---- names ---- */

static const char *tag_text(struct gcal_count_builder *m,
                            const struct gcal_sets_access_event *e)
{
    return e->tag ? gcal_poly_format(m->c, "_tag:%s", e->tag) : "";
}

static enum gcal_feature_kind kind_of(const struct gcal_sets_access_event *e)
{
    return e->atomic ? GCAL_FEATURE_ATOMIC : GCAL_FEATURE_MEM_ACCESS;
}

static const char *access_fields(struct gcal_count_builder *m,
                                 const struct gcal_sets_access_event *e,
                                 const struct pattern *p, const char *afr)
{
    const char *what = e->atomic                           ? e->atomic
                       : e->direction == GCAL_FEATURE_LOAD ? "load"
                                                           : "store";
    const char *width =
        e->width > 1 ? gcal_poly_format(m->c, "_width:%lld", (long long)e->width) : "";
    const char *name = gcal_poly_format(
        m->c, "%s_%s_%s_%s%s%s%s", tag_text(m, e),
        gcal_feature_space_names[m->nest->arrays[e->array].space], e->dtype, what, width,
        strides_text(m, "lstrides", p->lid), strides_text(m, "gstrides", p->gid));

    if (afr && strlen(gcal_feature_info(kind_of(e))->name) + strlen(name) + strlen(afr) +
                       strlen("_afr:") <=
                   LONGEST_NAME)
        name = gcal_poly_format(m->c, "%s_afr:%s", name, afr);
    return name;
}

/* ---- entries ---- */

static void fill_access(struct gcal_count_builder *m, struct gcal_profile_entry *entry,
                        const struct gcal_sets_access_event *e, const struct pattern *p)
{
    const struct gcal_sets_array *array = &m->nest->arrays[e->array];

    entry->dtype = gcal_count_builder_copy(m, e->dtype);
    entry->op = e->atomic ? gcal_count_builder_copy(m, e->atomic) : NULL;
    entry->array = gcal_count_builder_copy(m, array->name);
    entry->tag = e->tag ? gcal_count_builder_copy(m, e->tag) : NULL;
    entry->space = array->space;
    entry->direction = e->direction;
    entry->vector_width = (size_t)e->width;
    entry->line = e->line;
    entry->column = e->column;
    for (size_t d = 0; d < m->nest->n_dims; d++) {
        entry->lid_stride[d] = p->lid[d] ? gcal_count_builder_copy(m, p->lid[d]) : NULL;
        entry->gid_stride[d] = p->gid[d] ? gcal_count_builder_copy(m, p->gid[d]) : NULL;
    }
    if (!p->n_loops)
        return;
    entry->loop_strides = calloc(p->n_loops, sizeof(*entry->loop_strides));
    if (!entry->loop_strides) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    entry->n_loop_strides = p->n_loops;
    for (size_t i = 0; i < p->n_loops; i++) {
        entry->loop_strides[i].loop = gcal_count_builder_copy(m, p->loops[i]);
        entry->loop_strides[i].stride = gcal_count_builder_copy(m, p->loop_strides[i]);
    }
}

/* Events of one pattern. */
struct access_group {
    size_t n;
    const struct gcal_sets_access_event **events;
    const struct pattern *pattern;
};

static struct gcal_count_counter counter_of(struct gcal_count_builder *m,
                                            const struct access_group *g,
                                            enum gcal_sets_count_mode mode)
{
    struct gcal_count_counter counter = gcal_count_counter_zero(m);

    for (size_t i = 0; i < g->n; i++)
        gcal_count_counter_add(m, &counter, g->events[i]->scope, mode, 1);
    return counter;
}

static bool has_nested_ids(const struct gcal_count_builder *m,
                           const struct gcal_poly *offset)
{
    for (size_t d = 0; offset && d < m->nest->n_dims; d++)
        if (gcal_poly_contains_nested(m->c, offset,
                                      gcal_poly_atom_index(m->nest->lid[d])))
            return true;
    return false;
}

/* Passes of one event; where the lanes that take part are unknown, as of all lanes, and
 * where their places are unknown as well ('ways' is 0), as if they met in no bank: false.
 */
static bool count_passes(struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *event, int64_t ways,
                         struct gcal_count_counter *passes)
{
    const struct gcal_count_issue issue =
        gcal_count_issue_of(m, (size_t)(event - m->nest->accesses));
    struct gcal_sets_access_event e = *event;
    /* other sub-groups meet as the first one does */
    const bool is_free = ways == 1 && !has_nested_ids(m, e.offset);
    const struct gcal_poly *known, *mean = NULL;
    struct gcal_count_counter all = gcal_count_counter_zero(m);

    e.scope = issue.scope;
    known = is_free ? NULL : gcal_count_access_passes(m, &e);
    if (!known && (!ways || e.n_sides))
        mean = gcal_count_sample_passes(m, &e);
    gcal_count_counter_add(m, &all, e.scope, gcal_count_sub_group_mode(m),
                           ways && !mean ? ways : 1);
    if (mean)
        all = (struct gcal_count_counter){ gcal_poly_mul(m->c, all.count, mean), true };
    passes->estimated = passes->estimated || all.estimated;
    passes->count = gcal_poly_add(
        m->c, passes->count,
        gcal_poly_scale(m->c, known ? known : all.count, issue.left, issue.of));
    if (known || (is_free && !mean) || m->failed)
        return true;
    passes->estimated = true;
    if (mean) {
        gcal_sets_nest_note(m->nest, e.line, e.column,
                            "the bank conflicts of this access are estimated as the mean "
                            "of some executions");
        return true;
    }
    if (!ways)
        return false;
    gcal_sets_nest_note(m->nest, e.line, e.column,
                        "the bank conflicts of parts of sub-groups cannot be counted "
                        "exactly: counted as those of complete ones");
    return true;
}

/* Notes, or refuses, passes that are not exact. */
static void note_passes(struct gcal_count_builder *m, const struct access_group *g)
{
    static const char what[] = "bank conflicts of this access cannot be counted exactly";
    const struct gcal_sets_access_event *e = g->events[0];
    const char *done =
        g->pattern->random
            ? "counted as those of random places, as its subscript depends "
              "on data"
            : "counted as if there were none";

    if (m->request->estimate_passes)
        gcal_sets_nest_note(m->nest, e->line, e->column,
                            gcal_poly_format(m->c, "%s: %s", what, done));
    else
        gcal_count_builder_estimate(m, e->line, e->column, what, done);
}

/* The entry of passes over the banks, after the entry of its local accesses. */
static void add_passes(struct gcal_count_builder *m, const struct access_group *g)
{
    const struct gcal_sets_access_event *e = g->events[0];
    size_t ways = g->pattern->ways;
    struct gcal_profile_entry *access = &m->profile->entries[m->profile->n_entries - 1];
    struct gcal_count_counter passes = gcal_count_counter_zero(m);
    const struct gcal_interp_measure measure = { .n_banks = m->request->n_banks };
    size_t n_notes = m->nest->n_notes;
    struct gcal_profile_entry *entry;
    bool known = true, whole = true, sampled;

    access->bank_ways = ways;
    for (size_t i = 0; i < g->n; i++)
        known = count_passes(m, g->events[i], (int64_t)ways, &passes) && known;
    for (size_t i = 0; i < g->n; i++)
        whole = whole &&
                gcal_count_is_issued_whole(m, (size_t)(g->events[i] - m->nest->accesses));
    sampled = whole && gcal_count_has_unknown_place(m, g->n, g->events) &&
              gcal_count_sample(m, g->n, g->events, &measure, n_notes, &passes);
    if (!known && !sampled)
        note_passes(m, g);
    entry = gcal_count_builder_add(
        m, GCAL_FEATURE_LOCAL_PASS,
        gcal_poly_format(m->c, "%s_%s_%s", tag_text(m, e), e->dtype,
                         e->direction == GCAL_FEATURE_LOAD ? "load" : "store"));
    if (!entry)
        return;
    entry->count =
        g->pattern->random && !sampled
            ? gcal_count_builder_copy(
                  m, gcal_poly_format(m->c, "(%s)*%s",
                                      gcal_count_builder_name_text(m, passes.count),
                                      g->pattern->random))
            : gcal_count_builder_text(m, passes.count);
    entry->estimated = passes.estimated;
    fill_access(m, entry, e, g->pattern);
    entry->bank_ways = ways;
}

static void add_group(struct gcal_count_builder *m, const struct access_group *g)
{
    const struct gcal_sets_access_event *e = g->events[0];
    enum gcal_feature_space space = m->nest->arrays[e->array].space;
    bool local = space == GCAL_FEATURE_SPACE_LOCAL;
    bool is_private = space == GCAL_FEATURE_SPACE_PRIVATE;
    /* all lanes on one element are one access of the sub-group */
    bool uniform = g->pattern->lid[0] && strcmp(g->pattern->lid[0], "0") == 0;
    bool by_sub_group = !e->atomic && (local || is_private || uniform);
    struct gcal_count_counter items = gcal_count_counter_zero(m), counter = items;
    struct gcal_profile_entry *entry;
    struct afr afr = { NULL, NULL };

    counter = items = counter_of(m, g, GCAL_SETS_COUNT_WORK_ITEMS);
    if (by_sub_group)
        counter = counter_of(m, g, gcal_count_sub_group_mode(m));
    if (m->failed || !counter.count->n_terms)
        return;
    if (!is_private)
        afr = find_afr(m, items.count, g->events, g->n);
    /* names have no AFR that is only valid under a premise */
    entry = gcal_count_builder_add(
        m, kind_of(e),
        access_fields(m, e, g->pattern,
                      afr.premise || (local && !e->atomic) ? NULL : afr.text));
    if (!entry)
        return;
    if (by_sub_group)
        entry->granularity = GCAL_FEATURE_PER_SUB_GROUP;
    entry->count = by_sub_group ? gcal_count_builder_sub_group_text(m, counter.count)
                                : gcal_count_builder_text(m, counter.count);
    entry->estimated = counter.estimated;
    entry->afr = afr.text ? gcal_count_builder_copy(m, afr.text) : NULL;
    entry->afr_premise = afr.premise ? gcal_count_builder_copy(m, afr.premise) : NULL;
    fill_access(m, entry, e, g->pattern);
    if (local || space == GCAL_FEATURE_SPACE_GLOBAL || space == GCAL_FEATURE_SPACE_IMAGE)
        gcal_count_builder_add_to_component(
            m, local ? GCAL_COUNT_COMPONENT_ONCHIP : GCAL_COUNT_COMPONENT_MEMORY,
            counter.count, by_sub_group, counter.estimated);
    if (counts_passes(m, e))
        add_passes(m, g);
}

void gcal_count_builder_add_accesses(struct gcal_count_builder *m)
{
    const struct gcal_sets_nest *nest = m->nest;
    size_t n = nest->n_accesses;
    struct pattern *patterns = calloc(n + 1, sizeof(*patterns));
    const struct gcal_sets_access_event **same = calloc(n + 1, sizeof(const void *));

    if (!patterns || !same) {
        m->failed = true;
        gcal_error_memory(m->err);
    }
    for (size_t i = 0; i < n && !m->failed; i++)
        find_pattern(m, &nest->accesses[i], &patterns[i]);
    for (size_t i = 0; i < n && !m->failed; i++) {
        struct access_group group = { .events = same, .pattern = &patterns[i] };
        bool done = false;

        for (size_t j = 0; j < n && !done; j++)
            if (strcmp(patterns[j].key, patterns[i].key) == 0) {
                done = j < i;
                same[group.n++] = &nest->accesses[j];
            }
        if (!done)
            add_group(m, &group);
    }
    free(patterns);
    free(same);
}
