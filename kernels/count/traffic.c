/* traffic.c - entries of memory traffic: sectors, lines, sectors written in part */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/random.h"
#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

enum { LINE_BYTES = 128 };

/* What an entry counts. */
struct subject {
    enum gcal_feature_kind kind;
    int64_t bytes; /* of a block */
    bool partial, passes;
};

static bool is_same_access(const struct gcal_sets_access_event *a,
                           const struct gcal_sets_access_event *b)
{
    bool same_tag = a->tag && b->tag ? strcmp(a->tag, b->tag) == 0 : a->tag == b->tag;

    return a->array == b->array && a->direction == b->direction &&
           strcmp(a->dtype, b->dtype) == 0 && a->width == b->width && same_tag &&
           a->line == b->line && a->column == b->column && !a->atomic == !b->atomic;
}

/* Whether a distance is the same for all lanes of a sub-group. */
static bool is_uniform(const struct gcal_count_builder *m,
                       const struct gcal_poly *distance)
{
    for (size_t d = 0; d < m->nest->n_dims; d++)
        if (gcal_poly_contains(m->c, distance, gcal_poly_atom_index(m->nest->lid[d])))
            return false;
    return !gcal_sets_differs_by_lane(m->nest, distance);
}

/* The count of an access; 'known': whole multiples of it between accesses, in elements, do
 * not matter; 0: it has not been counted.
 */
struct count {
    struct gcal_count_counter counter;
    int64_t known;
    struct gcal_count_issue issue; /* of passes */
};

/* Whether the two are alike but for multiples of 'size' elements between them; 'passes':
 * as passes, which do not depend on the first lane's element where 'size' is 1.
 */
static bool is_alike(struct gcal_count_builder *m, const struct gcal_sets_access_event *a,
                     const struct gcal_sets_access_event *b, int64_t size, bool passes)
{
    const struct gcal_poly *distance;

    if (!a->offset || !b->offset || a->scope != b->scope || a->width != b->width ||
        gcal_dtype_size(a->dtype) != gcal_dtype_size(b->dtype))
        return false;
    distance = gcal_poly_sub(m->c, a->offset, b->offset);
    if (passes && size == 1)
        return is_uniform(m, distance);
    if (gcal_poly_has_dimension(m->c, distance))
        return false;
    return gcal_poly_is_multiple(distance, size);
}

/* ---- one access ---- */

static void note(struct gcal_count_builder *m, const struct gcal_sets_access_event *e,
                 const char *text)
{
    gcal_sets_nest_note(m->nest, e->line, e->column, text);
}

/* What to assume helps only where there are sizes. */
static void note_average(struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *e)
{
    note(m, e,
         gcal_count_builder_has_sizes(m)
             ? "where in a sector or line this begins depends on sizes: the mean is "
               "counted; assume that the sizes are multiples (\"n % 32 = 0\") to have it "
               "exactly"
             : "where in a sector or line this begins varies: the mean is counted");
}

static void note_rows(struct gcal_count_builder *m,
                      const struct gcal_sets_access_event *e,
                      const struct gcal_lanes_sum *sum)
{
    static const char rows[] =
        "rows of this array are counted as if they shared no sectors and lines";

    note(m, e,
         gcal_poly_first_parameter(m->c, sum->rows)
             ? gcal_poly_format(m->c, "%s: assume \"%s >= %lld\" to have it exactly",
                                rows, gcal_poly_text(m->c, sum->rows),
                                (long long)sum->least_row)
             : rows);
}

const struct gcal_poly *gcal_count_range_blocks(struct gcal_count_builder *m,
                                                const struct gcal_sets_range *range,
                                                int64_t size)
{
    int64_t unit = size;

    if (range->a)
        return gcal_poly_mul(m->c, gcal_count_range_blocks(m, range->a, size),
                             gcal_count_range_blocks(m, range->b, size));
    if (gcal_poly_is_constant(range->unit, &unit))
        unit = unit < 0 ? -unit : unit;
    if (!unit || unit >= size)
        return range->values;
    return gcal_poly_floor(m->c,
                           gcal_poly_add(m->c,
                                         gcal_poly_scale(m->c, range->values, unit, 1),
                                         gcal_poly_integer(m->c, size - 1)),
                           size);
}

/* The blocks of the range that a subscript on data has; NULL: unknown. */
static const struct gcal_poly *blocks_of_range(struct gcal_count_builder *m,
                                               const struct gcal_sets_access_event *e,
                                               int64_t size)
{
    const struct gcal_sets_range *range = e->offset ? NULL : e->range;
    struct gcal_sets_access_event spread;
    const struct gcal_sets_access_event *one = &spread;

    if (!range || gcal_poly_has_dimension(m->c, range->values))
        return NULL;
    if (gcal_poly_has_dimension(m->c, range->apart)) {
        spread = gcal_count_spread_event(m, e);
        return gcal_count_without_rows(
            m, gcal_sets_box_footprint(m->nest, 1, &one, size, false));
    }
    return e->width == 1 ? gcal_count_range_blocks(m, range, size) : range->values;
}

const struct gcal_poly *gcal_count_array_blocks(struct gcal_count_builder *m,
                                                const struct gcal_sets_access_event *e,
                                                int64_t size)
{
    const struct gcal_sets_array *array = &m->nest->arrays[e->array];
    const struct gcal_poly *bytes =
        array->bytes > 0 ? gcal_poly_integer(m->c, array->bytes) : array->given;
    int64_t block = size * (int64_t)gcal_dtype_size(e->dtype);
    const struct gcal_poly *of_range = blocks_of_range(m, e, size), *blocks;

    if (!bytes)
        return of_range;
    blocks = gcal_poly_floor(
        m->c, gcal_poly_add(m->c, bytes, gcal_poly_integer(m->c, block - 1)), block);
    return of_range ? gcal_count_builder_least(m, blocks, of_range) : blocks;
}

/* 'count', or all blocks of the array for each execution of 'scope' by a sub-group, if
 * these are fewer.
 */
static const struct gcal_poly *at_most_array(struct gcal_count_builder *m,
                                             const struct gcal_sets_access_event *e,
                                             const struct gcal_sets_scope *scope,
                                             int64_t size, const struct gcal_poly *count)
{
    const struct gcal_poly *blocks = gcal_count_array_blocks(m, e, size), *times;
    bool estimated = false;

    if (!blocks || !(times = gcal_sets_scope_count(
                         m->nest, scope, GCAL_SETS_COUNT_SUB_GROUPS, &estimated)))
        return count;
    return gcal_count_builder_least(m, count, gcal_poly_mul(m->c, times, blocks));
}

/* As if complete sub-groups executed it, or each work-item by itself. */
static const struct gcal_poly *estimate(struct gcal_count_builder *m,
                                        const struct gcal_sets_access_event *e,
                                        const struct gcal_count_blocks *blocks,
                                        const struct gcal_poly *mean)
{
    bool estimated = false;
    const struct gcal_poly *times = gcal_sets_scope_count(
        m->nest, e->scope, mean ? GCAL_SETS_COUNT_SUB_GROUPS : GCAL_SETS_COUNT_WORK_ITEMS,
        &estimated);

    if (mean) {
        note(m, e,
             "the sectors and lines that parts of sub-groups access cannot be counted "
             "exactly: as many are counted as for complete ones, on average");
        return times ? gcal_poly_mul(m->c, times, mean) : NULL;
    }
    note(m, e,
         e->offset
             ? "counting the sectors and lines of this access takes too long: one of "
               "its own is counted for each work-item"
             : "which sectors and lines this accesses depends on data or is not "
               "affine: one of its own is counted for each work-item");
    if (!times)
        return NULL;
    if (blocks->what != GCAL_COUNT_BLOCKS_PARTIAL)
        times = gcal_poly_scale(m->c, times,
                                (blocks->width + blocks->size - 1) / blocks->size, 1);
    return at_most_array(m, e, e->scope, blocks->size, times);
}

/* By sizes and conditions; NULL: unknown. */
static const struct gcal_poly *count_symbolically(struct gcal_count_builder *m,
                                                  const struct gcal_sets_access_event *e,
                                                  const struct gcal_count_blocks *blocks)
{
    const struct gcal_poly *touched =
                               gcal_lanes_blocks_touched(m->nest, e, blocks->size, false),
                           *whole;

    if (blocks->what != GCAL_COUNT_BLOCKS_PARTIAL || !touched)
        return touched;
    whole = gcal_lanes_blocks_touched(m->nest, e, blocks->size, true);
    return whole ? gcal_poly_sub(m->c, touched, whole) : NULL;
}

/* As if subscripts were not clamped, and quotients changed evenly; NULL: unknown. */
static const struct gcal_poly *count_near(struct gcal_count_builder *m,
                                          const struct gcal_sets_access_event *e,
                                          struct gcal_lanes_sum *sum)
{
    const struct gcal_sets_access_event near = gcal_count_near_event(e);
    const struct gcal_poly *count, *most;
    bool estimated = false;

    if (!near.offset || gcal_sets_differs_by_lane(m->nest, near.offset))
        return NULL;
    count = gcal_lanes_sum_near(m->nest, &near, sum);

    if (!count || gcal_count_builder_is_long(m, count))
        return NULL;
    note(m, e,
         "the sectors and lines of a subscript that is clamped or divided, or the same "
         "data in all lanes and a distance between them, are estimated: "
         "as in the middle of its range, and with as many changes of quotients as there "
         "are on average");
    most =
        gcal_sets_scope_count(m->nest, e->scope, GCAL_SETS_COUNT_WORK_ITEMS, &estimated);
    return most ? gcal_poly_min(m->c, count, gcal_poly_scale(m->c, most, e->width, 1))
                : count;
}

/* By complete sub-groups; 'mean' of one of them. */
static const struct gcal_poly *count_otherwise(struct gcal_count_builder *m,
                                               const struct gcal_sets_access_event *e,
                                               struct gcal_count_blocks *blocks,
                                               struct gcal_lanes_sum *sum,
                                               struct count *to)
{
    const struct gcal_poly *mean, *count = NULL;
    size_t pieces =
        e->offset ? gcal_sets_pieces(m->c, e->offset) : GCAL_SETS_MOST_PIECES + 1;

    sum->all_lanes = true;
    mean = gcal_lanes_sum(m->nest, e, sum);
    if (pieces <= GCAL_SETS_MOST_PIECES)
        count = count_symbolically(m, e, blocks);
    if (count && gcal_count_builder_is_long(m, count))
        count = NULL;
    if (!count && pieces && (count = count_near(m, e, sum))) {
        to->counter.estimated = true;
        return count;
    }
    gcal_sets_scope_count(m->nest, e->scope, GCAL_SETS_COUNT_SUB_GROUPS, &sum->estimated);
    sum->known = sum->modulus;
    if (count)
        return count;
    if (!mean)
        mean = gcal_lanes_sample(m->nest, e, sum);
    sum->estimated = true;
    sum->rows = NULL;
    to->counter.estimated = true;
    return estimate(m, e, blocks, mean);
}

/* At most the blocks from the first to the last row, where rows may be short. */
static const struct gcal_poly *bound_by_rows(struct gcal_count_builder *m,
                                             const struct gcal_sets_access_event *e,
                                             const struct gcal_count_blocks *blocks,
                                             const struct gcal_lanes_sum *sum,
                                             const struct gcal_poly *count)
{
    struct gcal_poly_context *c = m->c;
    bool estimated = false;
    const struct gcal_poly *times, *span;

    if (!count || !gcal_count_without_rows(m, sum->rows) || !sum->most_rows ||
        !(times = gcal_sets_scope_count(m->nest, e->scope, GCAL_SETS_COUNT_SUB_GROUPS,
                                        &estimated)))
        return count;
    span = gcal_poly_add(
        c, gcal_poly_scale(c, sum->rows, sum->most_rows, 1),
        gcal_poly_integer(c, blocks->width + (blocks->what == GCAL_COUNT_BLOCKS_PARTIAL
                                                  ? 0
                                                  : blocks->size - 1)));
    span = gcal_poly_floor(c, span, blocks->size);
    return gcal_count_builder_least(m, count, gcal_poly_mul(c, times, span));
}

static struct count count_access(struct gcal_count_builder *m,
                                 const struct gcal_sets_access_event *e,
                                 struct gcal_count_blocks *blocks);

static struct count count_sides(struct gcal_count_builder *m,
                                const struct gcal_sets_access_event *e,
                                struct gcal_count_blocks *blocks)
{
    struct count sum = { .counter = gcal_count_counter_zero(m), .known = blocks->size },
                 one;

    if (!gcal_count_has_uniform_sides(m, e)) {
        sum.counter.estimated = true;
        note(m, e,
             "what lanes of a sub-group access together, but by different sides of a "
             "condition, is counted for each side");
    }
    for (size_t i = 0; i < e->n_sides; i++) {
        one = count_access(m, &e->sides[i], blocks);
        sum.counter.count = gcal_poly_add(m->c, sum.counter.count, one.counter.count);
        sum.counter.estimated = sum.counter.estimated || one.counter.estimated;
    }
    return sum;
}

/* ---- places that data move within a range ---- */

enum { THROWS = 64, MOST_THROWN = 1000 };

struct thrown {
    struct gcal_count_blocks *blocks;
    const struct gcal_sets_range *range;
    uint64_t random;
    long n; /* executions so far */
};

/* The sum of some throws. */
static int64_t measure_thrown(const struct gcal_lanes *lanes, int64_t residue, void *data)
{
    struct thrown *t = data;
    struct gcal_lanes moved = { lanes->n, calloc(2 * lanes->n, sizeof(int64_t)), NULL };
    int64_t sum = 0, times = t->n++ < MOST_THROWN ? THROWS : 1;
    bool aligned = gcal_poly_is_multiple(t->range->unit, t->blocks->size);

    if (!moved.at) {
        t->blocks->failed = true;
        return 0;
    }
    moved.row = moved.at + lanes->n;
    for (int64_t i = 0; i < times; i++) {
        uint64_t any = gcal_random_next(&t->random) % (uint64_t)t->blocks->size;
        int64_t row =
            aligned ? 0 : (int64_t)any; /* where in a block the next row begins */

        for (size_t lane = 0; lane < lanes->n; lane++) {
            moved.at[lane] = lanes->at[lane];
            moved.row[lane] = lanes->row[lane];
            gcal_count_throw(t->range, &t->random, &moved.at[lane], &moved.row[lane]);
            moved.at[lane] += (moved.row[lane] - lanes->row[lane]) * row;
        }
        sum += gcal_count_blocks_measure(&moved, residue, t->blocks);
    }
    free(moved.at);
    return sum * (THROWS / times);
}

/* As if lanes were at random places of the range; NULL: unknown. */
static const struct gcal_poly *count_thrown(struct gcal_count_builder *m,
                                            const struct gcal_sets_access_event *event,
                                            struct gcal_count_blocks *blocks)
{
    struct gcal_sets_access_event e = *event;
    struct thrown thrown = { blocks, e.range, 0, 0 };
    struct gcal_lanes_sum sum = { .modulus = blocks->size,
                                  .width = e.width,
                                  .measure = measure_thrown,
                                  .data = &thrown };
    const struct gcal_poly *count, *mean, *times;
    int64_t at = 0, row = 0;
    bool estimated = false;

    if (!gcal_count_throw(e.range, &thrown.random, &at, &row))
        return NULL;
    e.offset = e.range->apart;
    count = gcal_lanes_sum(m->nest, &e, &sum);
    if (!count || sum.rows || gcal_count_builder_is_long(m, count)) {
        sum.all_lanes = true;
        mean = gcal_lanes_sum(m->nest, &e, &sum);
        mean = mean ? mean : gcal_lanes_sample(m->nest, &e, &sum);
        times = gcal_sets_scope_count(m->nest, e.scope, GCAL_SETS_COUNT_SUB_GROUPS,
                                      &estimated);
        count = mean && times ? gcal_poly_mul(m->c, times, mean) : NULL;
    }
    if (!count)
        return NULL;
    note(m, event,
         "which sectors and lines this accesses depends on data that move a known place: "
         "the mean of random numbers of their range is counted");
    return gcal_poly_scale(m->c, count, 1, THROWS);
}

static struct count count_access(struct gcal_count_builder *m,
                                 const struct gcal_sets_access_event *e,
                                 struct gcal_count_blocks *blocks)
{
    struct count to = { .counter = gcal_count_counter_zero(m) };
    struct gcal_lanes_sum sum = { .modulus = blocks->size,
                                  .width = blocks->width,
                                  .measure = gcal_count_blocks_measure,
                                  .data = blocks };
    const struct gcal_poly *count;

    if (gcal_count_divides(m, e))
        return count_sides(m, e, blocks);
    if (gcal_count_is_spread(m, e) && (count = count_thrown(m, e, blocks)))
        return (struct count){ .counter = { count, true }, .known = blocks->size };
    count = gcal_lanes_sum(m->nest, e, &sum);
    if (!count || gcal_count_builder_is_long(m, count))
        count = count_otherwise(m, e, blocks, &sum, &to);
    count = bound_by_rows(m, e, blocks, &sum, count);
    if (count && !gcal_count_without_rows(m, count))
        count = estimate(m, e, blocks, NULL);
    if (sum.known < sum.modulus)
        note_average(m, e);
    if (gcal_count_without_rows(m, sum.rows))
        note_rows(m, e, &sum);
    to.known = sum.known;
    to.counter.estimated =
        to.counter.estimated || sum.estimated || sum.rows || sum.known < sum.modulus;
    to.counter.count = count ? count : to.counter.count;
    return to;
}

/* Of the loads that compilers leave. */
static struct count count_passes(struct gcal_count_builder *m,
                                 const struct gcal_sets_access_event *event,
                                 struct gcal_count_issue issue)
{
    struct gcal_sets_access_event e = *event;
    struct gcal_count_counter passes;

    e.scope = issue.scope;
    passes = gcal_count_cache_passes(m, &e);
    passes.count = gcal_poly_scale(m->c, passes.count, issue.left, issue.of);
    return (struct count){ passes, gcal_count_pass_period(&e), issue };
}

/* Whether compilers leave the same share of both, each in its own scope. */
static bool is_issued_alike(const struct gcal_sets_access_event *a,
                            const struct gcal_count_issue *of_a,
                            const struct gcal_sets_access_event *b,
                            const struct gcal_count_issue *of_b)
{
    return of_a->scope == a->scope && of_b->scope == b->scope &&
           of_a->left * of_b->of == of_b->left * of_a->of;
}

/* The count of an access, unless it is known; that of an access that is like it.  Of blocks,
 * or of passes where these are NULL.
 */
static void find_count(struct gcal_count_builder *m, size_t number,
                       struct gcal_count_blocks *blocks, struct count *known)
{
    const struct gcal_sets_access_event *all = m->nest->accesses, *e = &all[number];
    struct gcal_count_issue issue = { NULL, 1, 1 };
    size_t like = 0;

    if (known[number].known)
        return;
    if (!blocks)
        issue = gcal_count_issue_of(m, number);
    while (like < number &&
           (!known[like].known ||
            !is_alike(m, &all[like], e, known[like].known, !blocks) ||
            (!blocks && !is_issued_alike(&all[like], &known[like].issue, e, &issue))))
        like++;
    if (like < number)
        known[number] = known[like];
    else
        known[number] =
            blocks ? count_access(m, &all[number], blocks) : count_passes(m, e, issue);
}

/* ---- entries ---- */

struct gcal_profile_entry *gcal_count_builder_add_traffic_entry(
    struct gcal_count_builder *m, enum gcal_feature_kind kind,
    const struct gcal_sets_access_event *e, const char *tag)
{
    const struct gcal_sets_array *array = &m->nest->arrays[e->array];
    struct gcal_profile_entry *entry = gcal_count_builder_add(
        m, kind,
        gcal_poly_format(m->c, "%s%s_%s_%s_%s", tag ? "_tag:" : "", tag ? tag : "",
                         gcal_feature_space_names[array->space], e->dtype,
                         gcal_feature_direction_names[e->direction]));

    if (!entry)
        return NULL;
    entry->dtype = gcal_count_builder_copy(m, e->dtype);
    entry->array = gcal_count_builder_copy(m, array->name);
    entry->tag = tag ? gcal_count_builder_copy(m, tag) : NULL;
    entry->space = array->space;
    entry->direction = e->direction;
    entry->vector_width = (size_t)e->width;
    return entry;
}

static void add_entry(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                      const struct gcal_sets_access_event *e,
                      struct gcal_count_counter counter)
{
    struct gcal_profile_entry *entry;

    if (m->failed || (!counter.count->n_terms && !counter.estimated) ||
        !(entry = gcal_count_builder_add_traffic_entry(m, kind, e, e->tag)))
        return;
    entry->count = gcal_count_builder_text(m, counter.count);
    entry->estimated =
        counter.estimated || m->nest->arrays[e->array].space == GCAL_FEATURE_SPACE_IMAGE;
    entry->line = e->line;
    entry->column = e->column;
}

/* Of the access 'first' and its copies at the same place of the source. */
static void add_subject(struct gcal_count_builder *m, size_t first,
                        const struct subject *subject, struct count *known)
{
    const struct gcal_sets_access_event *e = &m->nest->accesses[first];
    struct gcal_count_blocks blocks = {
        .size = subject->bytes / (int64_t)gcal_dtype_size(e->dtype),
        .width = e->width,
        .what = subject->partial ? GCAL_COUNT_BLOCKS_PARTIAL : GCAL_COUNT_BLOCKS
    };
    struct gcal_count_counter counter = gcal_count_counter_zero(m);
    const struct gcal_interp_measure measure = { .bytes = (size_t)subject->bytes,
                                                 .n_banks = subject->passes
                                                                ? m->request->n_banks
                                                                : 0,
                                                 .partial = subject->partial };
    size_t n_notes = m->nest->n_notes;

    for (size_t i = first; i < m->nest->n_accesses; i++)
        if (is_same_access(e, &m->nest->accesses[i])) {
            find_count(m, i, subject->passes ? NULL : &blocks, known);
            counter.count = gcal_poly_add(m->c, counter.count, known[i].counter.count);
            counter.estimated = counter.estimated || known[i].counter.estimated;
        }
    free(blocks.all);
    if (blocks.failed)
        gcal_poly_fail(m->c, "out of memory");
    if (gcal_count_has_unknown_place(m, 1, &e) &&
        (!subject->passes || gcal_count_is_issued_whole(m, first)))
        gcal_count_sample(m, 1, &e, &measure, n_notes, &counter);
    add_entry(m, subject->kind, e, counter);
}

/* ---- sectors of loops ---- */

/* Loads or stores of one array in one loop, or without any.  What is volatile is made each time
 * by itself.
 */
static bool are_together(const struct gcal_sets_access_event *a,
                         const struct gcal_sets_access_event *b)
{
    return !a->atomic && !b->atomic &&
           (a == b ||
            (!a->is_volatile && !b->is_volatile && !a->base == !b->base &&
             a->array == b->array && a->direction == b->direction &&
             strcmp(a->dtype, b->dtype) == 0 &&
             gcal_count_innermost_loop(a->scope) == gcal_count_innermost_loop(b->scope)));
}

/* What is around the innermost loop; NULL: nothing, or there is no loop. */
static const struct gcal_sets_scope *loop_parent(const struct gcal_sets_access_event *e)
{
    const struct gcal_sets_scope *loop = gcal_count_innermost_loop(e->scope);

    return loop ? loop->parent : NULL;
}

/* Adds the sectors of the access at 'first' and all that are together with it, without
 * those that a sub-group touches again in the loop; 'known': the sectors of each.
 */
static struct gcal_count_counter count_loop(struct gcal_count_builder *m, size_t first,
                                            struct gcal_count_blocks *blocks,
                                            const struct gcal_sets_access_event **all,
                                            struct count *known)
{
    const struct gcal_sets_access_event *e = &m->nest->accesses[first];
    struct gcal_count_counter sum = gcal_count_counter_zero(m);
    const struct gcal_sets_array *array = &m->nest->arrays[e->array];
    const struct gcal_poly *distinct = NULL;
    const struct gcal_sets_access_event **events = all + m->nest->n_accesses;
    struct gcal_sets_access_event *near;
    const struct gcal_interp_measure measure = {
        .within = e->is_volatile ? GCAL_INTERP_WITHIN_EXECUTION : GCAL_INTERP_WITHIN_LOOP,
        .bytes = m->request->sector_bytes
    };
    const struct gcal_sets_scope *loop = gcal_count_innermost_loop(e->scope);
    size_t n = 0, n_notes = m->nest->n_notes;
    bool estimated = false;

    for (size_t i = first; i < m->nest->n_accesses; i++)
        if (are_together(e, &m->nest->accesses[i])) {
            if (!(near = gcal_poly_alloc(m->c, sizeof(*near))))
                return sum;
            events[n] = &m->nest->accesses[i];
            *near = gcal_count_base_event(m, &m->nest->accesses[i]);
            all[n++] = near;
            blocks->width = near->width;
            find_count(m, i, blocks, known);
            sum.count = gcal_poly_add(m->c, sum.count, known[i].counter.count);
            sum.estimated = sum.estimated || known[i].counter.estimated;
        }
    if (!e->is_volatile && (n > 1 || loop)) {
        distinct = gcal_lanes_region_blocks(m->nest, n, events, GCAL_LANES_SUB_GROUP,
                                            loop, blocks->size, &estimated);
        if (distinct && !estimated && !gcal_count_builder_is_long(m, distinct))
            return (struct gcal_count_counter){ distinct, false };
        if (!distinct && all[0]->offset)
            distinct = gcal_count_without_rows(
                m, gcal_sets_sub_group_blocks(m->nest, n, all, loop, blocks->size));
        if (distinct)
            sum = (struct gcal_count_counter){
                gcal_count_builder_least(m, sum.count, distinct), true
            };
    }
    if (sum.estimated && (n == 1 || array->bytes > 0 || array->given))
        sum.count = at_most_array(m, e, e->is_volatile ? e->scope : loop_parent(e),
                                  blocks->size, sum.count);
    gcal_count_sample(m, n, events, &measure, n_notes, &sum);
    return sum;
}

/* An entry for each array and loop; 'known': the sectors of each access. */
static void add_loop_sectors(struct gcal_count_builder *m, int64_t bytes,
                             struct count *known)
{
    const struct gcal_sets_access_event **all =
        gcal_poly_alloc(m->c, 2 * (m->nest->n_accesses + 1) * sizeof(*all));

    for (size_t i = 0; all && i < m->nest->n_accesses && !m->failed; i++) {
        const struct gcal_sets_access_event *e = &m->nest->accesses[i];
        struct gcal_count_blocks blocks = { .size = bytes /
                                                    (int64_t)gcal_dtype_size(e->dtype) };

        if (gcal_count_is_array_in_sectors(m, e) && !e->atomic &&
            gcal_count_is_first(m->nest, i, are_together))
            add_entry(m, GCAL_FEATURE_LOOP_SECTOR, e,
                      count_loop(m, i, &blocks, all, known));
        free(blocks.all);
        if (blocks.failed)
            gcal_poly_fail(m->c, "out of memory");
    }
}

/* ---- all accesses ---- */

bool gcal_count_is_array_in_sectors(const struct gcal_count_builder *m,
                                    const struct gcal_sets_access_event *e)
{
    enum gcal_feature_space space = m->nest->arrays[e->array].space;

    return space == GCAL_FEATURE_SPACE_GLOBAL || space == GCAL_FEATURE_SPACE_CONSTANT ||
           space == GCAL_FEATURE_SPACE_IMAGE;
}

/* All accesses to memory; 'known': room for a count of each. */
static void add_subjects(struct gcal_count_builder *m, const struct subject *subject,
                         struct count *known)
{
    for (size_t i = 0; i < m->nest->n_accesses && !m->failed; i++) {
        const struct gcal_sets_access_event *e = &m->nest->accesses[i];

        if (gcal_count_is_array_in_sectors(m, e) && !e->atomic &&
            (!subject->partial || e->direction == GCAL_FEATURE_STORE) &&
            (!subject->passes ||
             m->nest->arrays[e->array].space == GCAL_FEATURE_SPACE_GLOBAL) &&
            gcal_count_is_first(m->nest, i, is_same_access))
            add_subject(m, i, subject, known);
    }
}

void gcal_count_builder_add_traffic(struct gcal_count_builder *m)
{
    int64_t sector = (int64_t)m->request->sector_bytes;
    const struct subject subjects[] = {
        { .kind = GCAL_FEATURE_SECTOR, .bytes = sector },
        { .kind = GCAL_FEATURE_LINE, .bytes = LINE_BYTES },
        { .kind = GCAL_FEATURE_PARTIAL_SECTOR, .bytes = sector, .partial = true },
        { .kind = GCAL_FEATURE_CACHE_PASS, .bytes = LINE_BYTES, .passes = true },
    };
    struct count *known = calloc(m->nest->n_accesses + 1, sizeof(*known));

    if (sector)
        gcal_sets_nest_renew_budget(m->nest);
    if (!sector || !known)
        return known ? free(known) : gcal_poly_fail(m->c, "out of memory");
    for (size_t k = 0; k < sizeof(subjects) / sizeof(*subjects); k++) {
        memset(known, 0, m->nest->n_accesses * sizeof(*known));
        if (!subjects[k].passes || m->request->n_banks)
            add_subjects(m, &subjects[k], known);
        if (subjects[k].kind == GCAL_FEATURE_SECTOR)
            add_loop_sectors(m, sector, known);
    }
    free(known);
}
