/* private_traffic.c - entries of traffic of private arrays
 *
 * In memory, private arrays of the work-items of a sub-group are interleaved word by word, so
 * that all lanes at one subscript are in one line, as neighbours are.  Lanes at subscripts of
 * their own are in lines of their own: as many as random ones meet in, where the array is
 * small.
 */
#include <math.h>
#include <string.h>

#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

enum { WORD_BYTES = 4, LINE_BYTES = 128, THOUSANDTHS = 1000 };

/* What an access by a sub-group touches. */
struct touched {
    double sectors, lines;
    bool partial; /* only parts of its sectors */
};

/* Whether all lanes are at one subscript.  What a loop carries, such as the top of a stack or
 * the oldest element of a window, starts alike in all lanes and moves by steps: they are taken
 * to stay together.
 */
static bool is_together(const struct gcal_count_builder *m,
                        const struct gcal_sets_access_event *e)
{
    const struct gcal_poly *offset = gcal_count_near_event(e).offset;

    if (!offset)
        return e->is_stepped && !e->depth && !e->range;
    if (gcal_sets_differs_by_lane(m->nest, offset))
        return false;
    for (size_t d = 0; d < m->nest->n_dims; d++)
        if (gcal_poly_contains(m->c, offset, gcal_poly_atom_index(m->nest->lid[d])))
            return false;
    return true;
}

/* Distinct ones of 'values' that so many random ones are, on average. */
static double distinct(double values, double n)
{
    return values * (1 - pow(1 - 1 / values, n));
}

static struct touched find_touched(struct gcal_count_builder *m,
                                   const struct gcal_sets_access_event *e)
{
    int64_t element = (int64_t)gcal_dtype_size(e->dtype), bytes = element * e->width,
            n = 1;
    int64_t values;
    double words = ceil((double)bytes / WORD_BYTES), lanes;
    double sector = (double)m->request->sector_bytes / WORD_BYTES;
    struct gcal_sets_range range;
    struct touched touched = { .partial = !is_together(m, e) };

    for (size_t d = 0; d < m->nest->n_dims; d++)
        n *= m->nest->local_size[d];
    lanes = (double)(n < m->nest->sub_group_size ? n : m->nest->sub_group_size);
    touched.sectors = ceil(lanes / sector);
    touched.lines = ceil(lanes * WORD_BYTES / LINE_BYTES);
    if (!gcal_count_find_range(m, e, &range) ||
        !gcal_poly_is_constant(range.values, &values))
        values = m->nest->arrays[e->array].bytes / element;
    if (touched.partial && !e->offset && values > 0) {
        double places = fmax(1, (double)values * fmin(1, (double)bytes / WORD_BYTES));

        touched.sectors *= distinct(places, fmin(lanes, sector));
        touched.lines = distinct(places, lanes);
    } else if (touched.partial) {
        touched.sectors = touched.lines = lanes;
    }
    touched.sectors *= words;
    touched.lines *= words;
    return touched;
}

static bool is_same(const struct gcal_sets_access_event *a,
                    const struct gcal_sets_access_event *b)
{
    return a->array == b->array && a->direction == b->direction &&
           strcmp(a->dtype, b->dtype) == 0;
}

/* Adds a number of what each execution by a sub-group touches. */
static void add_executions(struct gcal_count_builder *m,
                           const struct gcal_sets_access_event *e, double each,
                           struct gcal_count_counter *to)
{
    bool estimated = !gcal_count_near_event(e).offset;
    const struct gcal_poly *times =
        gcal_sets_scope_count(m->nest, e->scope, GCAL_SETS_COUNT_SUB_GROUPS, &estimated);
    int64_t number = lround(each * THOUSANDTHS);

    if (!times || !number)
        return;
    to->count =
        gcal_poly_add(m->c, to->count, gcal_poly_scale(m->c, times, number, THOUSANDTHS));
    to->estimated = to->estimated || estimated || number % THOUSANDTHS;
}

struct traffic {
    struct gcal_count_counter sectors, lines, partial;
};

/* Of accesses at places that are unknown, 'n' of them: what lanes of a sample of sub-groups touch,
 * in words, of which a sector has one of each of as many lanes as it has words.
 */
static void sample(struct gcal_count_builder *m, size_t n,
                   const struct gcal_sets_access_event *const *events, size_t n_notes,
                   struct traffic *traffic)
{
    struct gcal_interp_measure measure = { .within = GCAL_INTERP_WITHIN_EXECUTION,
                                           .bytes = WORD_BYTES,
                                           .private_lanes = LINE_BYTES / WORD_BYTES };

    if (!gcal_count_sample(m, n, events, &measure, n_notes, &traffic->lines))
        return;
    measure.private_lanes = (size_t)m->request->sector_bytes / WORD_BYTES;
    if (gcal_count_sample(m, n, events, &measure, n_notes, &traffic->sectors))
        traffic->partial.count =
            gcal_count_builder_least(m, traffic->partial.count, traffic->sectors.count);
}

static void add_counter(struct gcal_count_builder *m, enum gcal_feature_kind kind,
                        const struct gcal_sets_access_event *e,
                        struct gcal_count_counter known,
                        const struct gcal_count_counter *unknown)
{
    known.count = gcal_poly_add(m->c, known.count, unknown->count);
    known.estimated = known.estimated || unknown->estimated;
    struct gcal_profile_entry *entry;
    if (m->failed || !known.count->n_terms ||
        !(entry = gcal_count_builder_add_traffic_entry(m, kind, e, NULL)))
        return;
    entry->count = gcal_count_builder_text(m, known.count);
    entry->estimated = known.estimated;
}

/* Of the accesses to one array that are alike, from 'first' on. */
static void add_traffic(struct gcal_count_builder *m, size_t first)
{
    const struct gcal_sets_access_event *all = m->nest->accesses, **unknown;
    const struct gcal_count_counter zero = gcal_count_counter_zero(m);
    struct traffic of[2] = { { zero, zero, zero }, { zero, zero, zero } };
    size_t n = 0, n_notes = m->nest->n_notes;

    if (!(unknown = gcal_poly_alloc(m->c, m->nest->n_accesses * sizeof(*unknown))))
        return;
    for (size_t i = first; i < m->nest->n_accesses; i++) {
        bool is_unknown = !gcal_count_near_event(&all[i]).offset;
        struct traffic *to = &of[is_unknown];
        struct touched touched;

        if (!is_same(&all[i], &all[first]))
            continue;
        touched = find_touched(m, &all[i]);
        if (is_unknown) {
            unknown[n++] = &all[i];
            gcal_sets_nest_note(m->nest, all[i].line, all[i].column,
                                touched.partial
                                    ? "the place in a private array depends on data: "
                                      "lanes are taken to be at random ones"
                                    : "the place in a private array is what the loop "
                                      "makes of it: lanes are taken to be at the same");
        }
        add_executions(m, &all[i], touched.sectors, &to->sectors);
        add_executions(m, &all[i], touched.lines, &to->lines);
        if (touched.partial && all[i].direction == GCAL_FEATURE_STORE)
            add_executions(m, &all[i], touched.sectors, &to->partial);
    }
    if (n)
        sample(m, n, unknown, n_notes, &of[1]);
    add_counter(m, GCAL_FEATURE_SECTOR, &all[first], of[0].sectors, &of[1].sectors);
    add_counter(m, GCAL_FEATURE_LINE, &all[first], of[0].lines, &of[1].lines);
    add_counter(m, GCAL_FEATURE_PARTIAL_SECTOR, &all[first], of[0].partial,
                &of[1].partial);
}

/* ---- arrays in registers ---- */

static bool is_same_register(const struct gcal_sets_access_event *a,
                             const struct gcal_sets_access_event *b)
{
    return a->direction == b->direction && strcmp(a->dtype, b->dtype) == 0;
}

static void add_register_accesses(struct gcal_count_builder *m, size_t first)
{
    const struct gcal_sets_access_event *all = m->nest->register_accesses;
    struct gcal_count_counter counter = gcal_count_counter_zero(m);
    struct gcal_profile_entry *entry;

    for (size_t i = 0; i < first; i++)
        if (is_same_register(&all[i], &all[first]))
            return;
    for (size_t i = first; i < m->nest->n_register_accesses; i++) {
        double bytes = (double)gcal_dtype_size(all[i].dtype) * (double)all[i].width;

        if (is_same_register(&all[i], &all[first]))
            add_executions(m, &all[i], ceil(bytes / WORD_BYTES), &counter);
    }
    if (m->failed || !counter.count->n_terms ||
        !(entry = gcal_count_builder_add(
              m, GCAL_FEATURE_REGISTER_ACCESS,
              gcal_poly_format(m->c, "_%s_%s", all[first].dtype,
                               gcal_feature_direction_names[all[first].direction]))))
        return;
    entry->dtype = gcal_count_builder_copy(m, all[first].dtype);
    entry->vector_width = 1;
    entry->direction = all[first].direction;
    entry->count = gcal_count_builder_text(m, counter.count);
    entry->estimated = counter.estimated;
}

void gcal_count_builder_add_private_traffic(struct gcal_count_builder *m)
{
    const struct gcal_sets_nest *nest = m->nest;

    for (size_t i = 0; i < nest->n_accesses && m->request->sector_bytes; i++)
        if (nest->arrays[nest->accesses[i].array].space == GCAL_FEATURE_SPACE_PRIVATE &&
            gcal_count_is_first(nest, i, is_same))
            add_traffic(m, i);
    for (size_t i = 0; i < nest->n_register_accesses && m->request->sector_bytes; i++)
        add_register_accesses(m, i);
}
