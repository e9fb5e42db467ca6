/* contention.c - entries of atomic operations that meet: addresses, passes, sectors, blocks
 *
 * Where a subscript depends on data, as in histograms, its values are taken to be random
 * numbers of a range, if one is known: of a mask, a remainder, a clamp, a small type, or
 * the declared array.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

/* What the lanes of a sub-group access together; 'period': elements after which local
 * memory's banks repeat; 0: elements that differ do not meet.
 */
struct meeting {
    enum gcal_feature_kind kind;
    enum gcal_sets_joins joins;
    int64_t period;
    struct gcal_count_blocks blocks;
};

static int64_t count_passes(const struct gcal_lanes *lanes, int64_t period,
                            bool by_address)
{
    int64_t most = 0;

    for (size_t i = 0; i < lanes->n; i++) {
        int64_t same = 0;

        for (size_t k = 0; k < lanes->n; k++) {
            int64_t apart = lanes->at[k] - lanes->at[i];
            size_t first = 0;

            while (by_address && first < k && lanes->at[first] != lanes->at[k])
                first++;
            same += (period ? apart % period == 0 : !apart) &&
                    lanes->row[k] == lanes->row[i] && (!by_address || first == k);
        }
        most = same > most ? same : most;
    }
    return most;
}

static int64_t measure(const struct gcal_lanes *lanes, int64_t residue, void *data)
{
    struct meeting *meeting = data;

    if (meeting->joins == GCAL_SETS_JOINS_LANES)
        return 1;
    return meeting->kind == GCAL_FEATURE_ATOMIC_PASS
               ? count_passes(lanes, meeting->period,
                              meeting->joins == GCAL_SETS_JOINS_ADDRESS)
               : gcal_count_blocks_measure(lanes, residue, &meeting->blocks);
}

static bool is_by_sector(enum gcal_feature_kind kind)
{
    return kind == GCAL_FEATURE_ATOMIC_SECTOR || kind == GCAL_FEATURE_ATOMIC_SECTOR_PASS;
}

static int64_t sector_size(const struct gcal_count_builder *m,
                           const struct gcal_sets_access_event *e)
{
    return (int64_t)(m->request->sector_bytes / gcal_dtype_size(e->dtype));
}

/* Elements of a place: of a sector, or one. */
static int64_t place_size(const struct gcal_count_builder *m, enum gcal_feature_kind kind,
                          const struct gcal_sets_access_event *e)
{
    return is_by_sector(kind) ? sector_size(m, e) : 1;
}

/* Words of local memory that are in one bank are this many elements apart; 0 where banks do
 * not matter.
 */
static int64_t bank_period(const struct gcal_count_builder *m,
                           enum gcal_feature_kind kind,
                           const struct gcal_sets_access_event *e)
{
    int64_t period = (int64_t)(4 * m->request->n_banks / gcal_dtype_size(e->dtype));

    return kind == GCAL_FEATURE_ATOMIC_PASS &&
                   m->nest->arrays[e->array].space == GCAL_FEATURE_SPACE_LOCAL
               ? period
               : 0;
}

/* By all executions, or with 'all_lanes' the mean of one by all lanes; NULL: unknown. */
static const struct gcal_poly *sum_lanes(struct gcal_count_builder *m,
                                         enum gcal_feature_kind kind,
                                         const struct gcal_sets_access_event *e,
                                         bool all_lanes, bool *estimated)
{
    int64_t size = place_size(m, kind, e);
    struct meeting meeting = { kind,
                               e->joins,
                               bank_period(m, kind, e),
                               { .size = size,
                                 .width = 1,
                                 .what = kind == GCAL_FEATURE_ATOMIC_SECTOR_PASS
                                             ? GCAL_COUNT_BLOCKS_MEETING
                                             : GCAL_COUNT_BLOCKS } };
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
 * 'values' places, which are in so many 'sectors'.
 */
struct meetings {
    const struct gcal_poly *count, *random, *values, *sectors;
    const char *ways; /* of local memory's banks, instead of values; or NULL */
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
    const struct gcal_poly *places =
        gcal_count_range_blocks(m, range, place_size(m, kind, e));
    const struct gcal_poly *rows;
    bool estimated;

    rows = sum_lanes(m, GCAL_FEATURE_ATOMIC_ADDRESS, &known, true, &estimated);
    return rows ? gcal_poly_mul(m->c, places, rows) : places;
}

/* A number of places, at least 1, as an expression. */
static const char *places_text(struct gcal_count_builder *m,
                               const struct gcal_poly *places)
{
    int64_t number;

    if (gcal_poly_is_constant(places, &number))
        return gcal_poly_format(m->c, "%lld", (long long)(number < 1 ? 1 : number));
    return gcal_poly_format(m->c, "max(1,%s)", gcal_count_builder_name_text(m, places));
}

/* The most lanes of a sub-group that meet on one of 'values' random places, by a formula fitted to simulations of 32 and 64
 * lanes, which is within 20 %.
 */
static const char *most_text(struct gcal_count_builder *m, const char *values)
{
    int lanes = (int)m->nest->sub_group_size;
    const char *x = gcal_poly_format(m->c, "%d/%s", lanes, values);

    return gcal_poly_format(m->c, "min(%d,1+%d*%s/(2+%d*%s)*(%s+1.36*(%s)^0.5+0.35))",
                            lanes, lanes, x, lanes, x, x, x);
}

/* Passes over the banks for each operation on local memory, as an expression. */
static const char *random_passes(struct gcal_count_builder *m,
                                 const struct gcal_sets_access_event *e)
{
    struct gcal_sets_range range;
    int64_t values;

    if (!gcal_count_find_range(m, e, &range) || e->joins ||
        gcal_poly_is_constant(range.values, &values))
        return gcal_count_random_ways(m, e);
    return most_text(
        m, gcal_poly_format(m->c, "min(%lld,%s)",
                            (long long)bank_period(m, GCAL_FEATURE_ATOMIC_PASS, e),
                            places_text(m, range.values)));
}

static void add_random(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                       const struct gcal_sets_access_event *e, struct meetings *to)
{
    bool passes = kind == GCAL_FEATURE_ATOMIC_PASS;
    bool is_joined = e->joins == GCAL_SETS_JOINS_LANES;
    const struct gcal_poly *times = executions(m, e, passes || is_joined);
    struct gcal_sets_range range;

    if (is_joined) {
        to->count = gcal_poly_add(m->c, to->count, times);
        return;
    }
    to->estimated = to->estimated || times->n_terms;
    if (bank_period(m, kind, e)) {
        note(m, e,
             "which addresses this updates depends on data: counted as random ones of "
             "its array");
        to->ways = random_passes(m, e);
        to->random = gcal_poly_add(m->c, to->random, times);
        return;
    }
    if (!gcal_count_find_range(m, e, &range)) {
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
    if (!to->values) {
        to->values = places_of(
            m, kind == GCAL_FEATURE_ATOMIC_SECTOR ? kind : GCAL_FEATURE_ATOMIC_ADDRESS, e,
            &range);
        to->sectors = places_of(m, GCAL_FEATURE_ATOMIC_SECTOR, e, &range);
    }
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

/* Of 'lanes' at random ones of 'values' places, an expression: the places that any of them has. */
static const char *distinct_text(struct gcal_count_builder *m, const char *values)
{
    return gcal_poly_format(m->c, "%s*(1-(1-1/%s)^%d)", values, values,
                            (int)m->nest->sub_group_size);
}

/* The same of each sector, summed: within 10 % where a sector has 4 or 8 places. */
static const char *sector_most_text(struct gcal_count_builder *m, const char *values,
                                    const char *sectors)
{
    int lanes = (int)m->nest->sub_group_size;
    const char *used = gcal_poly_format(m->c, "(%s)", distinct_text(m, sectors));
    const char *j = gcal_poly_format(m->c, "(%d/%s)", lanes, used);
    const char *x = gcal_poly_format(m->c, "(%s*%s/%s)", j, sectors, values);

    return gcal_poly_format(m->c, "min(%d,%s*(1+%s*%s/(6+%s*%s)*(%s+0.19*%s^0.5+1.5)))",
                            lanes, used, j, x, j, x, x, x);
}

/* The mean for each access by a sub-group, or of places for each by a work-item. */
static const char *mean_text(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                             const struct meetings *of)
{
    const char *values = of->ways ? NULL : places_text(m, of->values);

    if (of->ways)
        return of->ways;
    if (kind == GCAL_FEATURE_ATOMIC_PASS)
        return most_text(m, values);
    return gcal_poly_format(m->c, "%s/%d",
                            kind == GCAL_FEATURE_ATOMIC_SECTOR_PASS
                                ? sector_most_text(m, values, places_text(m, of->sectors))
                                : distinct_text(m, values),
                            (int)m->nest->sub_group_size);
}

static char *meetings_text(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                           const struct meetings *of)
{
    const char *random, *known = gcal_count_builder_name_text(m, of->count);

    if (!of->values && !of->ways)
        return gcal_count_builder_text(m, of->count);
    random =
        gcal_poly_format(m->c, "(%s)*%s", gcal_count_builder_name_text(m, of->random),
                         mean_text(m, kind, of));
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

/* Of operations in a sample of work-groups, each by all lanes that the source has. */
static bool sample_meetings(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                            size_t n, const struct gcal_sets_access_event *const *events,
                            size_t n_notes, struct gcal_count_counter *counter)
{
    const struct gcal_sets_access_event *e = events[0];
    const bool passes = kind == GCAL_FEATURE_ATOMIC_PASS;
    const size_t element = gcal_dtype_size(e->dtype);
    const struct gcal_interp_measure measure = {
        .bytes = passes ? 0 : (size_t)place_size(m, kind, e) * element,
        .n_banks = bank_period(m, kind, e) ? m->request->n_banks : 0,
        .element = passes || kind == GCAL_FEATURE_ATOMIC_SECTOR_PASS ? element : 0,
        .is_once = e->joins == GCAL_SETS_JOINS_ADDRESS,
    };

    return e->joins != GCAL_SETS_JOINS_LANES &&
           gcal_count_has_unknown_place(m, n, events) &&
           gcal_count_sample(m, n, events, &measure, n_notes, counter);
}

/* Of the operation 'first' and its copies in unrolled loops; 'events' has room for them. */
static void add_meetings(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                         size_t first, const struct gcal_sets_access_event **events)
{
    const struct gcal_sets_access_event *e = &m->nest->accesses[first];
    struct gcal_count_counter counter = { .estimated = true };
    size_t n = 0, n_notes = m->nest->n_notes;
    const struct gcal_poly *zero = gcal_poly_integer(m->c, 0);
    struct meetings sum = { zero, zero, NULL, NULL, NULL, false };
    struct gcal_profile_entry *entry;

    for (size_t i = first; i < m->nest->n_accesses; i++)
        if (same_place(&m->nest->accesses[i], e)) {
            events[n++] = &m->nest->accesses[i];
            add_access(m, kind, &m->nest->accesses[i], &sum);
        }
    if (m->failed || (!sum.count->n_terms && !sum.values && !sum.ways) ||
        !(entry = add_entry(m, kind, e, e->tag)))
        return;
    entry->count = sample_meetings(m, kind, n, events, n_notes, &counter)
                       ? gcal_count_builder_text(m, counter.count)
                       : meetings_text(m, kind, &sum);
    entry->estimated = sum.estimated;
    entry->line = e->line;
    entry->column = e->column;
}

/* ---- distinct addresses and blocks of the launch ---- */

/* Sectors of a block.  Memory's units that do atomic operations take turns in such blocks:
 * found by histograms of 2 to 1024 bins, adjacent and in lines of their own, on an H100 and
 * an H200 (docs/results-2026-11.md).
 */
enum { BLOCK_SECTORS = 16 };

struct updates {
    size_t n;
    const struct gcal_sets_access_event **events;
    int64_t size; /* of a place, in elements */
    bool local;
};

/* By subscripts that are known: exactly, or from their ranges. */
static const struct gcal_poly *count_elements(struct gcal_count_builder *m,
                                              const struct updates *u, bool *estimated)
{
    const struct gcal_poly *count =
        gcal_sets_block_footprint(m->nest, u->n, u->events, u->size, u->local, estimated);

    if (count && !gcal_count_builder_is_long(m, count))
        return count;
    *estimated = true;
    note(m, u->events[0],
         "the addresses that this updates are estimated from the ranges of its "
         "subscripts, as if all conditions held");
    return gcal_sets_box_footprint(m->nest, u->n, u->events, u->size, u->local);
}

/* By each access for itself: the values of its range at each known part. */
static const struct gcal_poly *count_values(struct gcal_count_builder *m,
                                            const struct gcal_sets_access_event *e,
                                            int64_t size, bool local)
{
    const struct gcal_poly *rows,
        *times = executions(m, e, e->joins == GCAL_SETS_JOINS_LANES);
    struct gcal_sets_access_event known;
    const struct gcal_sets_access_event *events[] = { &known };
    const struct updates u = { 1, events, size, local };
    struct gcal_sets_range range;
    bool estimated;

    if (!gcal_count_find_range(m, e, &range))
        return times;
    known = apart(e, &range);
    rows = count_elements(m, &u, &estimated);
    return rows ? gcal_poly_min(
                      m->c,
                      gcal_poly_mul(m->c, rows, gcal_count_range_blocks(m, &range, size)),
                      times)
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
        counter.count = gcal_poly_max(m->c, counter.count,
                                      count_values(m, u->events[i], u->size, u->local));
    return counter;
}

/* Puts what a sample has in place of an estimate. */
static void sample_updates(struct gcal_count_builder *m, const struct updates *u,
                           size_t n_notes, struct gcal_count_counter *counter)
{
    const size_t bytes = (size_t)u->size * gcal_dtype_size(u->events[0]->dtype);
    const struct gcal_interp_measure group = { .within = GCAL_INTERP_WITHIN_GROUP,
                                               .bytes = bytes };
    const struct gcal_interp_touches *t;
    bool chosen[GCAL_INTERP_MOST_SITES];
    struct gcal_interp_overlap overlap;

    if (gcal_count_has_unknown_place(m, u->n, u->events) &&
        gcal_count_sample(m, u->n, u->events, &group, n_notes, counter) && !u->local &&
        (t = gcal_count_choose_sites(m, u->n, u->events, chosen)) &&
        gcal_interp_touches_overlap(t, chosen, bytes, &overlap))
        counter->count = gcal_poly_integer(m->c, llround(overlap.launch));
}

static void add_footprint(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                          size_t first, const struct gcal_sets_access_event **events)
{
    const struct gcal_sets_access_event *e = &m->nest->accesses[first];
    struct updates u = { 0, events,
                         kind == GCAL_FEATURE_ATOMIC_BLOCK
                             ? BLOCK_SECTORS * sector_size(m, e)
                             : 1,
                         m->nest->arrays[e->array].space == GCAL_FEATURE_SPACE_LOCAL };
    struct gcal_profile_entry *entry;
    struct gcal_count_counter counter;
    size_t n_notes = m->nest->n_notes;

    for (size_t i = first; i < m->nest->n_accesses; i++)
        if (same_array(&m->nest->accesses[i], e))
            u.events[u.n++] = &m->nest->accesses[i];
    counter = count_updates(m, &u);
    sample_updates(m, &u, n_notes, &counter);
    if (m->failed || !counter.count->n_terms || !(entry = add_entry(m, kind, e, NULL)))
        return;
    entry->count = gcal_count_builder_text(m, counter.count);
    entry->estimated = counter.estimated;
}

void gcal_count_builder_add_contention(struct gcal_count_builder *m)
{
    static const enum gcal_feature_kind kinds[] = { GCAL_FEATURE_ATOMIC_PASS,
                                                    GCAL_FEATURE_ATOMIC_ADDRESS,
                                                    GCAL_FEATURE_ATOMIC_SECTOR,
                                                    GCAL_FEATURE_ATOMIC_SECTOR_PASS };
    const struct gcal_sets_nest *nest = m->nest;
    const struct gcal_sets_access_event **events =
        calloc(nest->n_accesses + 1, sizeof(void *));

    if (!events) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    for (size_t i = 0; i < nest->n_accesses && m->request->sector_bytes; i++) {
        bool in_sectors = gcal_count_is_array_in_sectors(m, &nest->accesses[i]);

        if (!nest->accesses[i].atomic)
            continue;
        for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds) &&
                           gcal_count_is_first(nest, i, same_place);
             k++)
            if (!is_by_sector(kinds[k]) || in_sectors)
                add_meetings(m, kinds[k], i, events);
        if (!gcal_count_is_first(nest, i, same_array))
            continue;
        add_footprint(m, GCAL_FEATURE_ATOMIC_FOOTPRINT, i, events);
        if (in_sectors)
            add_footprint(m, GCAL_FEATURE_ATOMIC_BLOCK, i, events);
    }
    free(events);
}
