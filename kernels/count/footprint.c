/* footprint.c - entries of footprints in sectors: of work-groups, of a wave, of the launch
 *
 * A wave is 'wave_groups' consecutive work-groups, as the first along each axis: all
 * along the first axis before any further ones along the second.  Its footprint is
 * counted for a part of the NDRange of symbolic extents, for which the text of the count
 * then has expressions in wave_groups.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

enum { MOST_STEPS_OF_TEXTS = 200000 };

/* Names of a wave's extents, which no size can have. */
static const char *const extents[GCAL_MAX_DIMS] = { "@0", "@1", "@2" };

struct footprints {
    struct gcal_count_counter sub_group, group, launch, block, wave;
};

/* Loads or stores (atomics included) of one array. */
struct subject {
    struct gcal_count_builder *m;
    size_t n;
    const struct gcal_sets_access_event **events;
    int64_t size;   /* of a sector, in elements */
    bool is_near;   /* subscripts are clamped or divided: estimates are counted */
    bool is_data;   /* or have numbers that are data */
    bool is_spread; /* or data move them: all places that these may be are counted */
    const struct gcal_sets_access_event *
        *near; /* the same, as if they were not clamped */
    size_t n_sides;
    const struct gcal_sets_access_event *
        *sides; /* as they are, with all sides of choices */
    struct footprints counted;
    const struct subject *before; /* one that has been counted; or NULL */
};

static void note(const struct subject *s, const char *text)
{
    gcal_sets_nest_note(s->m->nest, s->events[0]->line, s->events[0]->column, text);
}

static void note_mean(const struct subject *s)
{
    note(s,
         gcal_count_builder_has_sizes(s->m)
             ? "the footprint of this array in sectors is a mean or an upper bound, as "
               "its "
               "rows may share sectors: assume that the sizes are multiples (\"n % 32 = "
               "0\") to have it exactly"
             : "the footprint of this array in sectors is a mean or an upper bound, as "
               "its "
               "rows may share sectors");
}

/* The sectors between the first and the last element; NULL: unknown. */
static const struct gcal_poly *extent(const struct subject *s,
                                      struct gcal_sets_nest *nest)
{
    struct gcal_poly_context *c = s->m->c;
    const struct gcal_poly *first, *last;

    if (!gcal_sets_interval(nest, s->n_sides, s->sides, &first, &last))
        return NULL;
    last = gcal_count_without_rows(s->m, gcal_poly_sub(c, last, first));
    return last ? gcal_poly_add(
                      c,
                      gcal_poly_floor(
                          c, gcal_poly_add(c, last, gcal_poly_integer(c, s->size - 1)),
                          s->size),
                      gcal_poly_integer(c, 1))
                : NULL;
}

/* The accesses of all work-items, each to blocks of its own. */
static const struct gcal_poly *count_accesses(const struct subject *s)
{
    const struct gcal_poly *sum = gcal_poly_integer(s->m->c, 0);
    bool estimated = false;

    for (size_t i = 0; i < s->n; i++) {
        const struct gcal_poly *times = gcal_sets_scope_count(
            s->m->nest, s->events[i]->scope, GCAL_SETS_COUNT_WORK_ITEMS, &estimated);

        if (times)
            sum = gcal_poly_add(
                s->m->c, sum,
                gcal_poly_scale(s->m->c, times,
                                (s->events[i]->width + s->size - 1) / s->size, 1));
    }
    return sum;
}

/* The sectors of the array, or of what data can reach of it; NULL: unknown. */
static const struct gcal_poly *whole_array(const struct subject *s)
{
    const struct gcal_sets_array *array = &s->m->nest->arrays[s->events[0]->array];
    const struct gcal_poly *sum = gcal_poly_integer(s->m->c, 0), *one;

    if (array->bytes > 0 || array->given)
        return gcal_count_array_blocks(s->m, s->events[0], s->size);
    for (size_t i = 0; i < s->n; i++) {
        if (!(one = gcal_count_array_blocks(s->m, s->events[i], s->size)))
            return NULL;
        sum = gcal_poly_add(s->m->c, sum, one);
    }
    return sum;
}

/* An estimate that is not above the array's sectors in each of 'regions' (NULL: in one), nor above
 * those of all accesses where data decide.
 */
static void limit(const struct subject *s, const struct gcal_poly *regions,
                  struct gcal_count_counter *counter)
{
    const struct gcal_poly *whole = whole_array(s);

    if (s->is_spread)
        counter->count =
            gcal_count_builder_least(s->m, counter->count, count_accesses(s));
    if (whole && counter->estimated)
        counter->count = gcal_count_builder_least(
            s->m, counter->count,
            regions ? gcal_poly_mul(s->m->c, regions, whole) : whole);
}

/* From the ranges of subscripts; at most a sector for each access. */
static struct gcal_count_counter estimate(const struct subject *s,
                                          struct gcal_sets_nest *nest, bool by_group)
{
    const struct gcal_poly *box = gcal_count_without_rows(
        s->m, gcal_sets_box_footprint(nest, s->n, s->near, s->size, by_group));
    const struct gcal_poly *most = count_accesses(s);

    note(s,
         box ? "the footprint of this array is estimated from the ranges of its "
               "subscripts, as if all conditions held"
             : "the footprint of this array is unknown: a sector of its own is counted "
               "for each access of a work-item");
    return (struct gcal_count_counter){ box ? gcal_count_builder_least(s->m, box, most)
                                            : most,
                                        true };
}

/* NULL: unknown, or too long. */
static const struct gcal_poly *block_footprint(const struct subject *s,
                                               struct gcal_sets_nest *nest, bool by_group,
                                               bool *estimated)
{
    const struct gcal_sets_access_event *const *accesses =
        s->is_near ? s->near : s->sides;
    size_t n = s->is_near ? s->n : s->n_sides;
    const struct gcal_poly *count;

    if (s->is_data)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (accesses[i]->offset &&
            gcal_sets_pieces(s->m->c, accesses[i]->offset) > GCAL_SETS_MOST_PIECES)
            return NULL;
    count = gcal_count_without_rows(
        s->m, gcal_sets_block_footprint(nest, n, accesses, s->size, by_group, estimated));
    *estimated = *estimated || s->is_near;
    return count && !gcal_count_builder_is_long(s->m, count) ? count : NULL;
}

/* Meets the points of each region, where that is possible. */
static bool meet_region(const struct subject *s, struct gcal_sets_nest *nest,
                        enum gcal_lanes_region region, struct gcal_count_counter *counter)
{
    bool estimated;
    const struct gcal_poly *count = gcal_lanes_region_blocks(
        nest, s->n, s->events, region, NULL, s->size, &estimated);

    if (!count || gcal_count_builder_is_long(s->m, count))
        return false;
    *counter = (struct gcal_count_counter){ count, estimated };
    if (estimated)
        note(s,
             "the footprint of this array is estimated from some work-groups, or as if "
             "all conditions held");
    return true;
}

/* Of the launch, or a part of it.  'most' is an upper bound; NULL: none is known yet. */
static struct gcal_count_counter count_together(const struct subject *s,
                                                struct gcal_sets_nest *nest,
                                                const struct gcal_poly *most)
{
    struct gcal_count_counter counter = { 0 };

    counter.count = block_footprint(s, nest, false, &counter.estimated);
    if (counter.count && !counter.estimated)
        return counter;
    if (meet_region(s, nest, GCAL_LANES_LAUNCH, &counter)) {
        if (!counter.estimated)
            return counter;
    } else if (counter.count) {
        note_mean(s);
    } else {
        counter = estimate(s, nest, false);
    }
    if (most || (most = extent(s, nest)))
        counter.count = gcal_count_builder_least(s->m, counter.count, most);
    limit(s, NULL, &counter);
    return counter;
}

static const struct gcal_poly *count_groups(const struct subject *s)
{
    const struct gcal_poly *groups = gcal_poly_integer(s->m->c, 1);

    for (size_t d = 0; d < s->m->nest->n_dims; d++)
        groups = gcal_poly_mul(s->m->c, groups, s->m->nest->groups[d]);
    return groups;
}

static struct gcal_count_counter count_by_group(const struct subject *s)
{
    struct gcal_count_counter counter = { 0 };

    counter.count = block_footprint(s, s->m->nest, true, &counter.estimated);
    if ((!counter.count || counter.estimated) &&
        meet_region(s, s->m->nest, GCAL_LANES_GROUP, &counter))
        return counter;
    if (!counter.count)
        counter = estimate(s, s->m->nest, true);
    else if (counter.estimated)
        note_mean(s);
    limit(s, count_groups(s), &counter);
    return counter;
}

/* From the ranges of subscripts alone. */
static struct gcal_count_counter count_by_sub_group(const struct subject *s)
{
    const struct gcal_poly *most, *box = NULL;
    struct gcal_count_counter counter = { .estimated = true };
    bool estimated = false;

    if (meet_region(s, s->m->nest, GCAL_LANES_SUB_GROUP, &counter)) {
        if (!counter.estimated)
            return counter;
        box = counter.count;
    }
    most = count_accesses(s);
    if (!box && s->m->nest->sub_group_size > 1)
        box = gcal_count_without_rows(
            s->m, gcal_sets_sub_group_blocks(s->m->nest, s->n, s->near, NULL, s->size));
    counter.count = box ? gcal_count_builder_least(s->m, box, most) : most;
    limit(s,
          gcal_sets_scope_count(s->m->nest, NULL, GCAL_SETS_COUNT_SUB_GROUPS, &estimated),
          &counter);
    return counter;
}

/* Whether data say where it is accessed, in no order. */
static bool is_in_no_order(const struct subject *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!s->events[i]->offset && s->events[i]->on_data && s->events[i]->range)
            return true;
    return false;
}

/* Those of an array that is accessed in no order have the tag 'data'. */
static void add(const struct subject *s, enum gcal_feature_kind kind, char *text,
                bool estimated)
{
    const bool tagged =
        kind == GCAL_FEATURE_FOOTPRINT_GROUP || kind == GCAL_FEATURE_FOOTPRINT_LAUNCH;
    struct gcal_sets_access_event e = *s->events[0];
    struct gcal_profile_entry *entry;

    if (e.atomic)
        e.direction = GCAL_FEATURE_STORE;
    entry = gcal_count_builder_add_traffic_entry(
        s->m, kind, &e, tagged && is_in_no_order(s) ? "data" : NULL);
    if (!entry) {
        free(text);
        return;
    }
    entry->count = text;
    entry->estimated = estimated || entry->space == GCAL_FEATURE_SPACE_IMAGE;
}

/* ---- waves ---- */

static void use_name(const char *name, void *data)
{
    if (*name != *extents[0])
        gcal_count_builder_use_name(name, data);
}

/* The extents of a wave of 'wave' work-groups along an axis. */
static const char *extent_text(struct gcal_count_builder *m, size_t axis,
                               const char *wave)
{
    const char *groups = gcal_poly_text(m->c, m->nest->groups[axis]), *rows = "";

    gcal_poly_visit_parameters(m->c, m->nest->groups[axis], use_name, m);
    if (axis == 0)
        return gcal_poly_format(m->c, "min(%s,%s)", wave, groups);
    for (size_t d = 0; d < axis; d++)
        rows = gcal_poly_format(m->c, "%s%s(%s)", rows, d ? "*" : "",
                                gcal_poly_text(m->c, m->nest->groups[d]));
    return gcal_poly_format(m->c, "max(1,min(%s/(%s),%s))", wave, rows, groups);
}

/* The text of p with these extents. */
static char *wave_text(struct gcal_count_builder *m, const struct gcal_poly *p,
                       const char *wave)
{
    const char *replacements[GCAL_MAX_DIMS] = { NULL };
    struct gcal_buf text = { 0 };

    p = gcal_sets_settle(m->nest, p);
    gcal_poly_visit_parameters(m->c, p, use_name, m);
    for (size_t d = 0; d < m->nest->n_dims; d++)
        replacements[d] = extent_text(m, d, wave);
    gcal_buf_puts(&text, "");
    for (const char *at = gcal_poly_text(m->c, p); *at; at++)
        if (*at == *extents[0])
            gcal_buf_puts(&text, replacements[*++at - '0']);
        else
            gcal_buf_put(&text, at, 1);
    return gcal_buf_take(&text, m->err);
}

/* A polynomial in the extents.  Where finding the range of subscripts takes long, that of
 * 'launch' is enough.
 */
static struct gcal_count_counter count_wave(const struct subject *s,
                                            const struct gcal_count_counter *launch)
{
    struct gcal_count_builder *m = s->m;
    const struct gcal_poly *groups[GCAL_MAX_DIMS];
    struct gcal_sets_nest part;
    struct gcal_count_counter counter;

    for (size_t d = 0; d < m->nest->n_dims; d++)
        groups[d] = gcal_poly_parameter(m->c, extents[d]);
    part = gcal_sets_nest_part(m->nest, groups);
    counter = count_together(s, &part, s->is_near ? launch->count : NULL);
    gcal_sets_nest_end_part(&part);
    return counter;
}

/* False when the texts are too long, or take too many steps. */
static bool add_wave(const struct subject *s, const struct gcal_count_counter *wave)
{
    struct gcal_count_builder *m = s->m;
    char *one, *two;
    bool fits;

    if (!gcal_poly_begin_attempt(m->c, MOST_STEPS_OF_TEXTS))
        return false;
    one = wave_text(m, wave->count, GCAL_WAVE_GROUPS);
    two = wave_text(m, wave->count, "(2*" GCAL_WAVE_GROUPS ")");
    fits = !gcal_poly_end_attempt(m->c) && one && two &&
           strlen(one) + strlen(two) < GCAL_COUNT_MAX_LENGTH;

    if (fits) {
        add(s, GCAL_FEATURE_FOOTPRINT_WAVE, gcal_count_builder_copy(m, one),
            wave->estimated);
        add(s, GCAL_FEATURE_OVERLAP_WAVE,
            gcal_count_builder_copy(
                m, gcal_poly_format(m->c, "max(0,2*(%s)-(%s))", one, two)),
            wave->estimated);
    }
    if (!one || !two)
        m->failed = true;
    free(one);
    free(two);
    return fits;
}

/* The share of the launch that a wave is. */
static void add_share(const struct subject *s, const struct gcal_count_counter *launch)
{
    struct gcal_count_builder *m = s->m;

    add(s, GCAL_FEATURE_FOOTPRINT_WAVE,
        gcal_count_builder_copy(
            m, gcal_poly_format(m->c, "(%s)*min(1," GCAL_WAVE_GROUPS "/(%s))",
                                gcal_count_builder_name_text(m, launch->count),
                                gcal_count_builder_name_text(m, count_groups(s)))),
        true);
    add(s, GCAL_FEATURE_OVERLAP_WAVE, gcal_count_builder_copy(m, "0"), true);
}

/* ---- arrays ---- */

/* Whether the arrays are accessed by the same subscripts at the same places. */
static bool is_alike(const struct subject *a, const struct subject *b)
{
    const struct gcal_poly *bytes = whole_array(a), *bytes_b = whole_array(b);

    if (a->n != b->n || a->size != b->size || !bytes != !bytes_b ||
        (bytes && !gcal_poly_equal(bytes, bytes_b)))
        return false;
    for (size_t i = 0; i < a->n; i++) {
        const struct gcal_sets_access_event *x = a->events[i], *y = b->events[i];

        if (x->scope != y->scope || x->width != y->width || !x->offset || !y->offset ||
            !gcal_poly_equal(x->offset, y->offset))
            return false;
    }
    return true;
}

/* ---- a sample of work-groups ---- */

static const struct gcal_poly *as_rational(struct gcal_poly_context *c, double value)
{
    enum { PARTS = 4096 };

    return gcal_poly_rational(c, llround(value * PARTS), PARTS);
}

/* A wave by the distinct sectors of its groups, and what neighbours share along each axis. */
static const struct gcal_poly *join_groups(const struct subject *s,
                                           const struct gcal_interp_overlap *o)
{
    struct gcal_poly_context *c = s->m->c;
    const struct gcal_poly *one = gcal_poly_integer(c, 1),
                           *sum = as_rational(c, o->group);

    for (size_t d = 0; d < s->m->nest->n_dims; d++)
        sum = gcal_poly_mul(
            c, sum,
            gcal_poly_add(
                c, one,
                gcal_poly_mul(c,
                              gcal_poly_sub(c, gcal_poly_parameter(c, extents[d]), one),
                              as_rational(c, o->fresh[d]))));
    return gcal_count_builder_least(s->m, sum, gcal_poly_integer(c, llround(o->launch)));
}

/* Puts what a sample has in place of estimates. */
static void sample(struct subject *s, size_t n_notes)
{
    struct gcal_count_builder *m = s->m;
    struct footprints *f = &s->counted;
    const size_t bytes = m->request->sector_bytes;
    const struct gcal_interp_measure sub_group = { .within = GCAL_INTERP_WITHIN_SUB_GROUP,
                                                   .bytes = bytes },
                                     group = { .within = GCAL_INTERP_WITHIN_GROUP,
                                               .bytes = bytes };
    const struct gcal_interp_touches *t;
    bool chosen[GCAL_INTERP_MOST_SITES];
    struct gcal_interp_overlap one, two;

    gcal_count_sample(m, s->n, s->events, &sub_group, n_notes, &f->sub_group);
    if (!gcal_count_sample(m, s->n, s->events, &group, n_notes, &f->group) ||
        !f->launch.estimated || !gcal_count_has_unknown_place(m, s->n, s->events) ||
        !(t = gcal_count_choose_sites(m, s->n, s->events, chosen)) ||
        !gcal_interp_touches_overlap(t, chosen, bytes, &one) ||
        !gcal_interp_touches_overlap(t, chosen, 2 * bytes, &two))
        return;
    f->launch.count = gcal_poly_integer(m->c, llround(one.launch));
    limit(s, NULL, &f->launch);
    f->block = (struct gcal_count_counter){
        gcal_count_builder_least(m, gcal_poly_integer(m->c, llround(two.launch)),
                                 f->launch.count),
        true
    };
    f->wave = (struct gcal_count_counter){ join_groups(s, &one), true };
}

/* Once for arrays that are accessed alike. */
static void count(struct subject *s)
{
    size_t n_notes = s->m->nest->n_notes;

    for (const struct subject *b = s->before; b; b = b->before)
        if (is_alike(b, s)) {
            s->counted = b->counted;
            if (b->counted.group.estimated || b->counted.launch.estimated)
                note(s, gcal_poly_format(
                            s->m->c,
                            "the footprint of this array is estimated as that of '%s', "
                            "which is accessed alike",
                            s->m->nest->arrays[b->events[0]->array].name));
            return;
        }
    s->counted.sub_group = count_by_sub_group(s);
    s->counted.group = count_by_group(s);
    s->counted.launch = count_together(s, s->m->nest, NULL);
    /* Blocks of two sectors: at most as many as sectors. */
    struct subject blocks = *s;
    struct gcal_count_counter counter;

    blocks.size *= 2;
    counter = count_together(&blocks, s->m->nest, NULL);
    if (counter.estimated)
        counter.count =
            gcal_count_builder_least(s->m, counter.count, s->counted.launch.count);
    s->counted.block = counter;
    s->counted.wave = count_wave(s, &s->counted.launch);
    sample(s, n_notes);
}

static void add_subject(const struct subject *s)
{
    struct gcal_count_builder *m = s->m;
    const struct footprints *f = &s->counted;

    if (m->failed || !f->launch.count->n_terms)
        return;
    add(s, GCAL_FEATURE_FOOTPRINT_SUB_GROUP,
        gcal_count_builder_text(m, f->sub_group.count), f->sub_group.estimated);
    add(s, GCAL_FEATURE_FOOTPRINT_GROUP, gcal_count_builder_text(m, f->group.count),
        f->group.estimated);
    add(s, GCAL_FEATURE_FOOTPRINT_LAUNCH, gcal_count_builder_text(m, f->launch.count),
        f->launch.estimated);
    add(s, GCAL_FEATURE_FOOTPRINT_BLOCK, gcal_count_builder_text(m, f->block.count),
        f->block.estimated);
    if (!add_wave(s, &f->wave))
        add_share(s, &f->launch);
}

static bool is_store(const struct gcal_sets_access_event *e)
{
    return e->atomic || e->direction == GCAL_FEATURE_STORE;
}

static bool is_of(const struct gcal_sets_access_event *a,
                  const struct gcal_sets_access_event *b)
{
    return a->array == b->array && is_store(a) == is_store(b) &&
           gcal_dtype_size(a->dtype) == gcal_dtype_size(b->dtype);
}

/* Subscripts without the ends at which they are clamped, where there are many, and what is
 * known of those that are data.
 */
static void find_near(struct subject *s)
{
    struct gcal_poly_context *c = s->m->c;

    s->is_near = false;
    for (size_t i = 0; i < s->n; i++) {
        const struct gcal_poly *offset = s->events[i]->offset;
        struct gcal_sets_access_event base = gcal_count_base_event(s->m, s->events[i]),
                                      *near;

        s->near[i] = s->events[i];
        if ((offset ? gcal_sets_pieces(c, offset) <= GCAL_SETS_MOST_PIECES
                    : !base.offset) ||
            !(near = gcal_poly_alloc(c, sizeof(*near))))
            continue;
        *near = base;
        near->offset = gcal_sets_near(c, near->offset);
        s->near[i] = near;
        if (gcal_count_divides(s->m, s->events[i]))
            continue;
        s->is_near = true;
        if (gcal_count_is_spread(s->m, s->events[i]))
            s->is_spread = true;
        else
            s->is_data = s->is_data || (!offset && !s->events[i]->n_sides);
    }
}

/* The accesses, or their sides; false: there is no memory. */
static bool find_sides(struct subject *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += s->events[i]->n_sides + 1;
    if (!(s->sides = gcal_poly_alloc(s->m->c, n * sizeof(*s->sides))))
        return false;
    for (size_t i = 0; i < s->n; i++) {
        bool divides = gcal_count_divides(s->m, s->events[i]);

        for (size_t k = 0; k < s->events[i]->n_sides && divides; k++)
            s->sides[s->n_sides++] = &s->events[i]->sides[k];
        if (!divides)
            s->sides[s->n_sides++] = s->events[i];
    }
    return true;
}

/* The array's events from 'first' on; NULL: it is not the first of them, or there is no
 * memory.
 */
static struct subject *collect(struct gcal_count_builder *m, size_t first)
{
    const struct gcal_sets_access_event *all = m->nest->accesses;
    struct subject *s = gcal_poly_alloc(m->c, sizeof(*s));
    size_t bytes = (m->nest->n_accesses - first) * sizeof(void *);

    for (size_t i = 0; i < first; i++)
        if (is_of(&all[i], &all[first]))
            return NULL;
    if (!s)
        return NULL;
    *s = (struct subject){ .m = m,
                           .size = (int64_t)(m->request->sector_bytes /
                                             gcal_dtype_size(all[first].dtype)),
                           .events = gcal_poly_alloc(m->c, bytes),
                           .near = gcal_poly_alloc(m->c, bytes) };
    if (!s->events || !s->near)
        return NULL;
    for (size_t i = first; i < m->nest->n_accesses; i++)
        if (is_of(&all[i], &all[first]))
            s->events[s->n++] = &all[i];
    find_near(s);
    return find_sides(s) ? s : NULL;
}

void gcal_count_builder_add_footprints(struct gcal_count_builder *m)
{
    const struct subject *before = NULL;

    if (m->request->sector_bytes) {
        gcal_sets_nest_renew_budget(m->nest);
        /* The facts that hold for a wave's extents. */
        for (size_t d = 0; d < m->nest->n_dims; d++) {
            const struct gcal_poly *extent = gcal_poly_parameter(m->c, extents[d]);

            gcal_poly_assume_nonnegative(
                m->c, gcal_poly_sub(m->c, extent, gcal_poly_integer(m->c, 1)));
            gcal_poly_assume_nonnegative(
                m->c,
                gcal_poly_scale(m->c, gcal_poly_sub(m->c, m->nest->groups[d], extent),
                                m->nest->local_size[d], 1));
        }
    }
    for (size_t i = 0; i < m->nest->n_accesses && m->request->sector_bytes && !m->failed;
         i++) {
        struct subject *s;

        if (!gcal_count_is_array_in_sectors(m, &m->nest->accesses[i]) ||
            !(s = collect(m, i)))
            continue;
        s->before = before;
        before = s;
        count(s);
        add_subject(s);
    }
}
