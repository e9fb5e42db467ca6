/* profile.c - the profile of a nest */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/strings.h"
#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

/* ---- work that a device without lanes does for one work-item after another
 *
 * Runtimes for CPUs run the work-items of a group in a loop, between barriers.  Compilers
 * vectorise that loop if it is the innermost one: a loop of the kernel inside it keeps them from
 * doing so, unless it is unrolled.  In a kernel without barriers the work-items run from the
 * beginning to the end, so such a loop makes all of the kernel serial; in one with barriers,
 * the loop itself.
 */

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

static bool is_same_chain(const struct work *a, const struct work *b)
{
    return a->kind == b->kind && strcmp(a->dtype, b->dtype) == 0 &&
           strcmp(a->op, b->op) == 0;
}

static bool is_first(const struct gcal_count_builder *m, size_t i,
                     const struct work *work)
{
    for (size_t j = 0; j < i; j++) {
        struct work other = work_at(m, j);

        if (is_same_chain(&other, work))
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

        if (is_same_chain(&other, work) &&
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

/* Work of work-items that are executed one after another, when the request asks for traffic. */
static void add_serial(struct gcal_count_builder *m)
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

/* ---- entries of traffic of private arrays
 *
 * In memory, private arrays of the work-items of a sub-group are interleaved word by word, so
 * that all lanes at one subscript are in one line, as neighbours are.  Lanes at subscripts of
 * their own are in lines of their own: as many as random ones meet in, where the array is
 * small.
 */

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

/* ---- the profile of a nest ---- */

/* In the order of 'order' first. */
static void set_parameters(struct gcal_count_builder *m, const struct gcal_strings *order)
{
    char **names = calloc(m->used.n + 1, sizeof(*names));
    size_t n_names = 0;

    if (!names) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    for (int listed = 1; listed >= 0; listed--)
        for (size_t i = 0, n = listed ? order->n : m->used.n; i < n; i++) {
            const char *name = listed ? order->items[i] : m->used.items[i];
            bool wanted = false, has = false;

            for (size_t j = 0; j < m->used.n; j++)
                wanted = wanted || strcmp(m->used.items[j], name) == 0;
            for (size_t j = 0; j < n_names; j++)
                has = has || strcmp(names[j], name) == 0;
            if (wanted && !has && (names[n_names] = gcal_count_builder_copy(m, name)))
                n_names++;
        }
    m->profile->parameters = names;
    m->profile->n_parameters = n_names;
}

static int compare_notes(const void *a, const void *b)
{
    const struct gcal_sets_note *x = a, *y = b;

    if (x->line != y->line)
        return x->line - y->line;
    return x->column != y->column ? x->column - y->column : strcmp(x->text, y->text);
}

static void set_notes(struct gcal_count_builder *m)
{
    struct gcal_sets_nest *nest = m->nest;
    struct gcal_profile *p = m->profile;

    for (size_t i = 0; i < p->n_entries; i++)
        p->estimated = p->estimated || p->entries[i].estimated;
    if (!nest->n_notes)
        return;
    p->estimated = true;
    qsort(nest->notes, nest->n_notes, sizeof(nest->notes[0]), compare_notes);
    if (!(p->notes = calloc(nest->n_notes, sizeof(*p->notes)))) {
        m->failed = true;
        gcal_error_memory(m->err);
        return;
    }
    for (size_t i = 0; i < nest->n_notes; i++)
        if ((p->notes[i] = gcal_count_builder_copy(
                 m, gcal_poly_format(m->c, "%d:%d: %s", nest->notes[i].line,
                                     nest->notes[i].column, nest->notes[i].text))))
            p->n_notes++;
}

static int set_hash(struct gcal_profile *profile, const char *source,
                    struct gcal_error *err)
{
    char text[GCAL_HASH_TEXT_SIZE];

    gcal_hash(source, strlen(source), text);
    if (!(profile->source_hash = strdup(text)))
        return gcal_error_memory(err);
    return 0;
}

/* What may be refused; all else is estimated. */
static void add_counts(struct gcal_count_builder *m)
{
    gcal_count_builder_add_ops(m);
    gcal_count_builder_add_accesses(m);
    gcal_count_builder_add_ndrange(m);
    gcal_count_builder_add_components(m);
}

bool gcal_count_is_possible(struct gcal_sets_nest *nest,
                            const struct gcal_count_request *request)
{
    struct gcal_count_builder m = { .nest = nest, .c = nest->c, .request = request };
    bool is_possible;

    if (!(m.profile = calloc(1, sizeof(*m.profile))))
        return false;
    add_counts(&m);
    is_possible = !m.failed && !gcal_poly_context_has_failed(m.c);
    gcal_strings_clear(&m.used);
    free(m.explained);
    gcal_profile_destroy(m.profile);
    return is_possible;
}

static void build(struct gcal_count_builder *m, const char *kernel,
                  const char *assumptions, const struct gcal_strings *order)
{
    struct gcal_profile *p = m->profile;

    p->kernel = gcal_count_builder_copy(m, kernel);
    p->n_dims = m->nest->n_dims;
    for (size_t d = 0; d < p->n_dims; d++)
        p->local_size[d] = (size_t)m->nest->local_size[d];
    p->n_banks = m->request->n_banks;
    p->sector_bytes = m->request->sector_bytes;
    p->divergence = m->request->sub_group_size > 0;
    p->index_arithmetic = m->request->index_arithmetic;
    /* Parameters of the assumptions become the profile's: prediction checks them. */
    const char *text = assumptions;
    size_t size = m->request->sub_group_size;
    struct gcal_poly_context *assumed;

    if (*text) {
        assumed = gcal_poly_context_create(m->err);
        if (!assumed || gcal_poly_assume(assumed, text, m->err) < 0)
            m->failed = true;
        else
            gcal_poly_visit_all_parameters(assumed, gcal_count_builder_use_name, m);
        gcal_poly_context_destroy(assumed);
    }
    if (size)
        text = gcal_poly_format(m->c, "%s%s" GCAL_SUB_GROUP_SIZE " = %zu", text,
                                *text ? " and " : "", size);
    if (*text)
        m->profile->assumptions = gcal_count_builder_copy(m, text);
    if (m->request->n_banks)
        gcal_count_builder_find_issues(m);
    add_counts(m);
    gcal_count_builder_add_branches(m); /* these may go without a budget */
    gcal_count_builder_locate_images(m);
    gcal_count_builder_add_traffic(m);
    gcal_count_builder_add_footprints(m);
    /* Sectors and lines of private arrays, and accesses to those in registers, when the request
     * has a size of sectors.
     */
    const struct gcal_sets_nest *nest = m->nest;
    for (size_t i = 0; i < nest->n_accesses && m->request->sector_bytes; i++)
        if (nest->arrays[nest->accesses[i].array].space == GCAL_FEATURE_SPACE_PRIVATE &&
            gcal_count_is_first(nest, i, is_same))
            add_traffic(m, i);
    for (size_t i = 0; i < nest->n_register_accesses && m->request->sector_bytes; i++)
        add_register_accesses(m, i);
    gcal_count_builder_add_latency(m);
    gcal_count_builder_add_contention(m);
    gcal_count_builder_add_op_chain(m);
    add_serial(m);
    gcal_count_builder_advise(m);
    gcal_count_builder_add_arguments(m, order);
    set_notes(m);
    set_parameters(m, order);
    if (!m->failed && (gcal_poly_context_check(m->c, m->err) < 0 ||
                       set_hash(p, m->request->source, m->err) < 0))
        m->failed = true;
    if (!m->failed)
        gcal_profile_sort(p);
}

struct gcal_profile *gcal_count_build_profile(struct gcal_count_walked *walked,
                                              struct gcal_error *err)
{
    struct gcal_count_builder m = { .walked = walked,
                                    .nest = &walked->nest,
                                    .c = walked->nest.c,
                                    .request = &walked->request,
                                    .err = err };

    if (!(m.profile = calloc(1, sizeof(*m.profile)))) {
        gcal_error_memory(err);
        return NULL;
    }
    build(&m, walked->name, walked->assumptions, &walked->arguments);
    gcal_strings_clear(&m.used);
    free(m.explained);
    if (!m.failed)
        return m.profile;
    gcal_profile_destroy(m.profile);
    return NULL;
}
