/* contention.c - entries of atomic operations that meet: addresses, passes, sectors
 *
 * Where a subscript depends on data, as in histograms, its values are taken to be random
 * numbers of a range, if one is known: of a mask, a remainder, a clamp, a small type, or
 * the declared array.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/model/dtype.h"
#include "kernels/count/private.h"

/* What the lanes of a sub-group access together. */
struct meeting {
    enum gcal_feature_kind kind;
    struct gcal_count_blocks blocks;
};

static int64_t count_passes(const struct gcal_lanes *lanes)
{
    int64_t most = 0;

    for (size_t i = 0; i < lanes->n; i++) {
        int64_t same = 0;

        for (size_t k = 0; k < lanes->n; k++)
            same += lanes->at[k] == lanes->at[i] && lanes->row[k] == lanes->row[i];
        most = same > most ? same : most;
    }
    return most;
}

static int64_t measure(const struct gcal_lanes *lanes, int64_t residue, void *data)
{
    struct meeting *meeting = data;

    return meeting->kind == GCAL_FEATURE_ATOMIC_PASS
               ? count_passes(lanes)
               : gcal_count_blocks_measure(lanes, residue, &meeting->blocks);
}

/* Elements of a place: of a sector, or one. */
static int64_t place_size(const struct gcal_count_builder *m, enum gcal_feature_kind kind,
                          const struct gcal_sets_access_event *e)
{
    return kind == GCAL_FEATURE_ATOMIC_SECTOR
               ? (int64_t)(m->request->sector_bytes / gcal_dtype_size(e->dtype))
               : 1;
}

/* By all executions, or with 'all_lanes' the mean of one by all lanes; NULL: unknown. */
static const struct gcal_poly *sum_lanes(struct gcal_count_builder *m,
                                         enum gcal_feature_kind kind,
                                         const struct gcal_sets_access_event *e,
                                         bool all_lanes, bool *estimated)
{
    int64_t size = place_size(m, kind, e);
    struct meeting meeting = { kind, { .size = size, .width = 1 } };
    struct gcal_lanes_sum sum = { .modulus = size,
                                  .width = 1,
                                  .measure = measure,
                                  .data = &meeting,
                                  .all_lanes = all_lanes };
    const struct gcal_poly *count = gcal_lanes_sum(m->nest, e, &sum);

    free(meeting.blocks.all);
    if (meeting.blocks.failed)
        gcal_poly_fail(m->c, "out of memory");
    *estimated = sum.estimated || sum.rows || sum.known < sum.modulus;
    return count && !gcal_count_builder_is_long(m, count) ? count : NULL;
}

/* ---- one access ---- */

/* A sum over accesses: 'count' and, of lanes at random places, 'random' times the mean of
 * 'values' places.
 */
struct meetings {
    const struct gcal_poly *count, *random, *values;
    bool estimated;
};

static void note(struct gcal_count_builder *m, const struct gcal_sets_access_event *e,
                 const char *text)
{
    gcal_sets_nest_note(m->nest, e->line, e->column, text);
}

static const struct gcal_poly *executions(struct gcal_count_builder *m,
                                          const struct gcal_sets_access_event *e,
                                          bool by_sub_group)
{
    bool estimated = false;
    const struct gcal_poly *count = gcal_sets_scope_count(
        m->nest, e->scope,
        by_sub_group ? GCAL_SETS_COUNT_SUB_GROUPS : GCAL_SETS_COUNT_WORK_ITEMS,
        &estimated);

    return count ? count : gcal_poly_integer(m->c, 0);
}

/* What the subscript may be; false: anything. */
static bool find_range(struct gcal_count_builder *m,
                       const struct gcal_sets_access_event *e,
                       struct gcal_sets_range *range)
{
    int64_t n = m->nest->arrays[e->array].bytes / (int64_t)gcal_dtype_size(e->dtype);
    int64_t values;
    bool known = e->range;

    if (known)
        *range = *e->range;
    if (n < 1 ||
        (known && !(gcal_poly_is_constant(range->values, &values) && values > n)))
        return known;
    *range =
        (struct gcal_sets_range){ gcal_poly_integer(m->c, n), gcal_poly_integer(m->c, 1),
                                  gcal_poly_integer(m->c, 0) };
    return true;
}

/* The access at the part of its subscript that does not depend on data. */
static struct gcal_sets_access_event apart(const struct gcal_sets_access_event *e,
                                           const struct gcal_sets_range *range)
{
    struct gcal_sets_access_event known = *e;

    known.offset = range->apart;
    return known;
}

/* The places that the values of a range have, adjacent ones in one sector. */
static const struct gcal_poly *places_of(struct gcal_count_builder *m,
                                         enum gcal_feature_kind kind,
                                         const struct gcal_sets_access_event *e,
                                         const struct gcal_sets_range *range)
{
    struct gcal_sets_access_event known = apart(e, range);
    int64_t size = place_size(m, kind, e), unit = size;
    const struct gcal_poly *places = range->values, *rows;
    bool estimated;

    if (gcal_poly_is_constant(range->unit, &unit))
        unit = unit < 0 ? -unit : unit;
    if (unit > 0 && unit < size)
        places =
            gcal_poly_floor(m->c,
                            gcal_poly_add(m->c, gcal_poly_scale(m->c, places, unit, 1),
                                          gcal_poly_integer(m->c, size - 1)),
                            size);
    rows = sum_lanes(m, GCAL_FEATURE_ATOMIC_ADDRESS, &known, true, &estimated);
    return rows ? gcal_poly_mul(m->c, places, rows) : places;
}

static void add_random(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                       const struct gcal_sets_access_event *e, struct meetings *to)
{
    bool passes = kind == GCAL_FEATURE_ATOMIC_PASS;
    const struct gcal_poly *times = executions(m, e, passes);
    struct gcal_sets_range range;

    to->estimated = to->estimated || times->n_terms;
    if (!find_range(m, e, &range)) {
        note(m, e,
             "which addresses this updates is unknown: one of its own is counted for "
             "each work-item");
        to->count = gcal_poly_add(m->c, to->count, times);
        return;
    }
    note(m, e,
         gcal_poly_format(m->c,
                          "which addresses this updates depends on data: counted as "
                          "random ones of %s",
                          gcal_poly_text(m->c, range.values)));
    if (!to->values)
        to->values = places_of(m, kind, e, &range);
    to->random = gcal_poly_add(m->c, to->random, times);
}

static void add_access(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                       const struct gcal_sets_access_event *e, struct meetings *to)
{
    const struct gcal_poly *mean;
    bool estimated;
    const struct gcal_poly *count = sum_lanes(m, kind, e, false, &estimated);

    if (count) {
        to->count = gcal_poly_add(m->c, to->count, count);
        to->estimated = to->estimated || (estimated && count->n_terms);
        return;
    }
    if (!e->offset || !(mean = sum_lanes(m, kind, e, true, &estimated))) {
        add_random(m, kind, e, to);
        return;
    }
    note(m, e,
         "how many addresses parts of sub-groups update cannot be counted exactly: as "
         "many are counted as for complete ones, on average");
    count = gcal_poly_mul(m->c, executions(m, e, true), mean);
    to->count = gcal_poly_add(m->c, to->count, count);
    to->estimated = to->estimated || count->n_terms;
}

/* ---- entries ---- */

/* Of lanes at random ones of 'values' places, the share that has a place of its own; of
 * passes the most that meet, by a formula that is close for any number of both.
 */
static double mean_of(enum gcal_feature_kind kind, double lanes, double values)
{
    double x = lanes / values, most;

    if (kind != GCAL_FEATURE_ATOMIC_PASS)
        return values * (1 - pow(1 - 1 / values, lanes)) / lanes;
    most = 1 + lanes * x / (2 + lanes * x) * (x + 1.36 * sqrt(x) + 0.35);
    return most < lanes ? most : lanes;
}

/* The same as an expression. */
static const char *mean_text(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                             const struct gcal_poly *values)
{
    int lanes = (int)m->nest->sub_group_size;
    const char *v;
    int64_t number;

    if (gcal_poly_is_constant(values, &number))
        return gcal_poly_format(m->c, "%.9g",
                                mean_of(kind, lanes, number < 1 ? 1 : (double)number));
    v = gcal_poly_format(m->c, "max(1,%s)", gcal_count_builder_name_text(m, values));
    if (kind != GCAL_FEATURE_ATOMIC_PASS)
        return gcal_poly_format(m->c, "%s*(1-(1-1/%s)^%d)/%d", v, v, lanes, lanes);
    v = gcal_poly_format(m->c, "%d/%s", lanes, v);
    return gcal_poly_format(m->c, "min(%d,1+%d*%s/(2+%d*%s)*(%s+1.36*(%s)^0.5+0.35))",
                            lanes, lanes, v, lanes, v, v, v);
}

static char *meetings_text(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                           const struct meetings *of)
{
    const char *random, *known = gcal_count_builder_name_text(m, of->count);

    if (!of->values)
        return gcal_count_builder_text(m, of->count);
    random =
        gcal_poly_format(m->c, "(%s)*%s", gcal_count_builder_name_text(m, of->random),
                         mean_text(m, kind, of->values));
    return gcal_count_builder_copy(
        m, of->count->n_terms ? gcal_poly_format(m->c, "%s+%s", known, random) : random);
}

static struct gcal_profile_entry *add_entry(struct gcal_count_builder *m,
                                            enum gcal_feature_kind kind,
                                            const struct gcal_sets_access_event *e,
                                            const char *tag)
{
    const struct gcal_sets_array *array = &m->nest->arrays[e->array];
    struct gcal_profile_entry *entry = gcal_count_builder_add(
        m, kind,
        gcal_poly_format(m->c, "%s%s_%s_%s_%s", tag ? "_tag:" : "", tag ? tag : "",
                         gcal_feature_space_names[array->space], e->dtype, e->atomic));

    if (!entry)
        return NULL;
    entry->dtype = gcal_count_builder_copy(m, e->dtype);
    entry->op = gcal_count_builder_copy(m, e->atomic);
    entry->array = gcal_count_builder_copy(m, array->name);
    entry->tag = tag ? gcal_count_builder_copy(m, tag) : NULL;
    entry->space = array->space;
    entry->vector_width = 1;
    return entry;
}

static bool same_array(const struct gcal_sets_access_event *a,
                       const struct gcal_sets_access_event *b)
{
    return a->atomic && b->atomic && a->array == b->array &&
           strcmp(a->atomic, b->atomic) == 0 && strcmp(a->dtype, b->dtype) == 0;
}

static bool same_place(const struct gcal_sets_access_event *a,
                       const struct gcal_sets_access_event *b)
{
    return same_array(a, b) && a->line == b->line && a->column == b->column;
}

/* Of the operation 'first' and its copies in unrolled loops. */
static void add_meetings(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                         size_t first)
{
    const struct gcal_sets_access_event *e = &m->nest->accesses[first];
    const struct gcal_poly *zero = gcal_poly_integer(m->c, 0);
    struct meetings sum = { zero, zero, NULL, false };
    struct gcal_profile_entry *entry;

    for (size_t i = first; i < m->nest->n_accesses; i++)
        if (same_place(&m->nest->accesses[i], e))
            add_access(m, kind, &m->nest->accesses[i], &sum);
    if (m->failed || (!sum.count->n_terms && !sum.values) ||
        !(entry = add_entry(m, kind, e, e->tag)))
        return;
    entry->count = meetings_text(m, kind, &sum);
    entry->estimated = sum.estimated;
    entry->line = e->line;
    entry->column = e->column;
}

/* ---- distinct addresses of the launch ---- */

struct updates {
    size_t n;
    const struct gcal_sets_access_event **events;
    bool local;
};

/* By subscripts that are known: exactly, or from their ranges. */
static const struct gcal_poly *count_elements(struct gcal_count_builder *m,
                                              const struct updates *u, bool *estimated)
{
    const struct gcal_poly *count =
        gcal_sets_block_footprint(m->nest, u->n, u->events, 1, u->local, estimated);

    if (count && !gcal_count_builder_is_long(m, count))
        return count;
    *estimated = true;
    note(m, u->events[0],
         "the addresses that this updates are estimated from the ranges of its "
         "subscripts, as if all conditions held");
    return gcal_sets_box_footprint(m->nest, u->n, u->events, 1, u->local);
}

/* By each access for itself: the values of its range at each known part. */
static const struct gcal_poly *count_values(struct gcal_count_builder *m,
                                            const struct gcal_sets_access_event *e,
                                            bool local)
{
    const struct gcal_poly *rows, *times = executions(m, e, false);
    struct gcal_sets_access_event known;
    const struct gcal_sets_access_event *events[] = { &known };
    const struct updates u = { 1, events, local };
    struct gcal_sets_range range;
    bool estimated;

    if (!find_range(m, e, &range))
        return times;
    known = apart(e, &range);
    rows = count_elements(m, &u, &estimated);
    return rows ? gcal_poly_min(m->c, gcal_poly_mul(m->c, rows, range.values), times)
                : times;
}

static struct gcal_count_counter count_updates(struct gcal_count_builder *m,
                                               const struct updates *u)
{
    struct gcal_count_counter counter = gcal_count_counter_zero(m);
    const struct gcal_poly *known = NULL;
    bool affine = true;

    for (size_t i = 0; i < u->n; i++)
        affine = affine && u->events[i]->offset;
    if (affine)
        known = count_elements(m, u, &counter.estimated);
    if (known) {
        counter.count = known;
        return counter;
    }
    counter.estimated = true;
    for (size_t i = 0; i < u->n; i++) /* at the same addresses, mostly */
        counter.count =
            gcal_poly_max(m->c, counter.count, count_values(m, u->events[i], u->local));
    return counter;
}

static void add_footprint(struct gcal_count_builder *m, size_t first,
                          const struct gcal_sets_access_event **events)
{
    const struct gcal_sets_access_event *e = &m->nest->accesses[first];
    struct updates u = { 0, events,
                         m->nest->arrays[e->array].space == GCAL_FEATURE_SPACE_LOCAL };
    struct gcal_profile_entry *entry;
    struct gcal_count_counter counter;

    for (size_t i = first; i < m->nest->n_accesses; i++)
        if (same_array(&m->nest->accesses[i], e))
            u.events[u.n++] = &m->nest->accesses[i];
    counter = count_updates(m, &u);
    if (m->failed || !counter.count->n_terms ||
        !(entry = add_entry(m, GCAL_FEATURE_ATOMIC_FOOTPRINT, e, NULL)))
        return;
    entry->count = gcal_count_builder_text(m, counter.count);
    entry->estimated = counter.estimated;
}

void gcal_count_builder_add_contention(struct gcal_count_builder *m)
{
    static const enum gcal_feature_kind kinds[] = { GCAL_FEATURE_ATOMIC_PASS,
                                                    GCAL_FEATURE_ATOMIC_ADDRESS,
                                                    GCAL_FEATURE_ATOMIC_SECTOR };
    const struct gcal_sets_nest *nest = m->nest;
    const struct gcal_sets_access_event **events =
        calloc(nest->n_accesses + 1, sizeof(void *));

    if (!events) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    for (size_t i = 0; i < nest->n_accesses && m->request->sector_bytes; i++) {
        if (!nest->accesses[i].atomic)
            continue;
        for (size_t k = 0; k < 3 && gcal_count_is_first(nest, i, same_place); k++)
            if (kinds[k] != GCAL_FEATURE_ATOMIC_SECTOR ||
                gcal_count_is_array_in_sectors(m, &nest->accesses[i]))
                add_meetings(m, kinds[k], i);
        if (gcal_count_is_first(nest, i, same_array))
            add_footprint(m, i, events);
    }
    free(events);
}
