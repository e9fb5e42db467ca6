/* subscript.c - what is known of subscripts that are not affine, or depend on data */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/random.h"
#include "kernels/model/dtype.h"
#include "kernels/count/count.h"
#include "kernels/count/private.h"

struct gcal_sets_access_event
gcal_count_near_event(const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event near = *e;

    near.offset = e->offset ? e->offset : e->near;
    return near;
}

bool gcal_count_is_spread(const struct gcal_count_builder *m,
                          const struct gcal_sets_access_event *e)
{
    return !e->offset && e->range && gcal_poly_has_dimension(m->c, e->range->apart) &&
           (!e->near || gcal_sets_differs_by_lane(m->nest, e->near));
}

static void add_loops(struct gcal_count_builder *m, const struct gcal_sets_range *range,
                      struct gcal_sets_access_event *e)
{
    struct gcal_sets_scope *loop = range->a ? NULL : gcal_poly_alloc(m->c, sizeof(*loop));
    const struct gcal_poly *k;

    if (range->a) {
        add_loops(m, range->a, e);
        add_loops(m, range->b, e);
    }
    if (!loop)
        return;
    k = gcal_poly_dimension(
        m->c, "data", gcal_poly_sub(m->c, range->values, gcal_poly_integer(m->c, 1)));
    *loop = (struct gcal_sets_scope){ .parent = e->scope,
                                      .kind = GCAL_SETS_SCOPE_LOOP,
                                      .loop = gcal_poly_atom_index(k),
                                      .trips = range->values,
                                      .line = e->line,
                                      .column = e->column };
    e->scope = loop;
    e->offset = gcal_poly_add(m->c, e->offset, gcal_poly_mul(m->c, range->unit, k));
}

struct gcal_sets_access_event
gcal_count_spread_event(struct gcal_count_builder *m,
                        const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event spread = *e;

    spread.offset = e->range->apart;
    add_loops(m, e->range, &spread);
    return spread;
}

struct gcal_sets_access_event
gcal_count_base_event(struct gcal_count_builder *m,
                      const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event base = gcal_count_near_event(e);

    base.offset = base.offset ? base.offset : e->base;
    return gcal_count_is_spread(m, e) ? gcal_count_spread_event(m, e) : base;
}

bool gcal_count_has_uniform_sides(const struct gcal_count_builder *m,
                                  const struct gcal_sets_access_event *e)
{
    for (size_t i = 0; i < e->n_sides; i++)
        for (const struct gcal_sets_scope *s = e->sides[i].scope; s != e->scope;
             s = s->parent)
            for (size_t d = 0; d < m->nest->n_dims; d++)
                if (gcal_sets_condition_contains(m->c, s->condition,
                                                 gcal_poly_atom_index(m->nest->lid[d])))
                    return false;
    return true;
}

/* Whether sub-groups touch as many sectors with lanes on both sides as with all on one. */
static bool stands_for_all(const struct gcal_count_builder *m,
                           const struct gcal_sets_access_event *e)
{
    struct gcal_sets_access_event near = gcal_count_near_event(e);
    struct gcal_count_blocks blocks = { .size = (int64_t)(m->request->sector_bytes /
                                                          gcal_dtype_size(e->dtype)),
                                        .width = e->width };
    struct gcal_lanes_sum sum = { .measure = gcal_count_blocks_measure, .data = &blocks };
    const struct gcal_poly *all = NULL, *one = NULL;

    near.n_sides = 0;
    if (blocks.size > 0) {
        all = gcal_lanes_sample(m->nest, e, &sum);
        one = gcal_lanes_sample(m->nest, &near, &sum);
    }
    free(blocks.all);
    return !all || !one ||
           (gcal_poly_is_nonnegative(
                m->c, gcal_poly_sub(m->c, gcal_poly_scale(m->c, one, 5, 4), all)) &&
            gcal_poly_is_nonnegative(
                m->c, gcal_poly_sub(m->c, gcal_poly_scale(m->c, all, 5, 4), one)));
}

bool gcal_count_divides(struct gcal_count_builder *m,
                        const struct gcal_sets_access_event *e)
{
    return e->n_sides && (gcal_count_has_uniform_sides(m, e) || !stands_for_all(m, e));
}

bool gcal_count_throw(const struct gcal_sets_range *range, uint64_t *random, int64_t *at,
                      int64_t *row)
{
    const int64_t most = (int64_t)1 << 31;
    int64_t values, unit, k;

    if (range->a)
        return gcal_count_throw(range->a, random, at, row) &&
               gcal_count_throw(range->b, random, at, row);
    if (!gcal_poly_is_constant(range->values, &values) || values < 1 || values > most)
        return false;
    k = (int64_t)(gcal_random_next(random) % (uint64_t)values);
    if (!gcal_poly_is_constant(range->unit, &unit))
        *row += k;
    else if (unit > -most && unit < most)
        *at += k * unit;
    else
        return false;
    return true;
}

bool gcal_count_find_range(struct gcal_count_builder *m,
                           const struct gcal_sets_access_event *e,
                           struct gcal_sets_range *range)
{
    const struct gcal_sets_array *array = &m->nest->arrays[e->array];
    int64_t bytes = (int64_t)gcal_dtype_size(e->dtype), n = array->bytes / bytes, values;
    const struct gcal_poly *all = n > 0 ? gcal_poly_integer(m->c, n)
                                  : array->given
                                      ? gcal_poly_scale(m->c, array->given, 1, bytes)
                                      : NULL;
    bool known = e->range;

    if (known)
        *range = *e->range;
    if (!all || (known &&
                 !(n > 0 && gcal_poly_is_constant(range->values, &values) && values > n)))
        return known;
    *range = (struct gcal_sets_range){ .values = all,
                                       .unit = gcal_poly_integer(m->c, 1),
                                       .apart = gcal_poly_integer(m->c, 0) };
    return true;
}

/* ---- a sample of work-groups ---- */

static bool is_store(const struct gcal_sets_access_event *e)
{
    return e->direction == GCAL_FEATURE_STORE || e->atomic;
}

static bool is_at(const struct gcal_count_builder *m, const struct gcal_interp_site *site,
                  const struct gcal_sets_access_event *e)
{
    const struct gcal_sets_array *array = &m->nest->arrays[e->array];

    return site->line == e->own_line && site->column == e->own_column &&
           site->store == is_store(e) && site->atomic == (e->atomic != NULL) &&
           (*site->argument ? strcmp(site->argument, array->name) == 0
                            : site->space == array->space);
}

/* Whether a function accesses several variables there. */
static bool is_ambiguous(const struct gcal_count_builder *m,
                         const struct gcal_interp_site *site,
                         const struct gcal_sets_access_event *e)
{
    for (size_t i = 0; i < m->nest->n_accesses && !*site->argument; i++) {
        const struct gcal_sets_access_event *other = &m->nest->accesses[i];

        if (other->array != e->array && is_at(m, site, other))
            return true;
    }
    return false;
}

static bool has_unknown_condition(const struct gcal_sets_access_event *e)
{
    for (const struct gcal_sets_scope *s = e->scope; s; s = s->parent)
        if (s->kind == GCAL_SETS_SCOPE_UNKNOWN)
            return true;
    return false;
}

const struct gcal_interp_touches *
gcal_count_choose_sites(struct gcal_count_builder *m, size_t n,
                        const struct gcal_sets_access_event *const *events, bool *chosen)
{
    struct gcal_interp_touches *t =
        m->walked && m->walked->find_touches ? m->walked->find_touches(m->walked) : NULL;
    bool any = false;

    memset(chosen, 0, GCAL_INTERP_MOST_SITES * sizeof(*chosen));
    for (size_t i = 0; i < n && t; i++) {
        size_t bytes = gcal_dtype_size(events[i]->dtype) * (size_t)events[i]->width;
        bool found = false;

        for (size_t k = 0; k < t->n_sites; k++) {
            struct gcal_interp_site *site = &t->sites[k];

            if (!is_at(m, site, events[i]))
                continue;
            if (site->sum[0] != site->sum[1] ||
                (!site->sum[0] && has_unknown_condition(events[i])) ||
                is_ambiguous(m, site, events[i]))
                return NULL;
            chosen[k] = found = true;
            site->bytes = site->bytes < bytes ? bytes : site->bytes;
        }
        if (!found && has_unknown_condition(events[i]))
            return NULL;
        any = any || found;
    }
    return any ? t : NULL;
}

static void note_touches(struct gcal_count_builder *m,
                         const struct gcal_sets_access_event *e, size_t n_notes,
                         double error)
{
    m->nest->n_notes = n_notes;
    gcal_sets_nest_note(m->nest, e->line, e->column,
                        gcal_poly_format(m->c,
                                         "what this accesses " GCAL_COUNT_SAMPLED
                                         " that the host ran: standard error %.2g %%",
                                         100 * error));
}

bool gcal_count_has_unknown_place(struct gcal_count_builder *m, size_t n,
                                  const struct gcal_sets_access_event *const *events)
{
    for (size_t i = 0; i < n; i++)
        if (!events[i]->offset && !gcal_count_divides(m, events[i]))
            return true;
    return false;
}

bool gcal_count_sample(struct gcal_count_builder *m, size_t n,
                       const struct gcal_sets_access_event *const *events,
                       const struct gcal_interp_measure *measure, size_t n_notes,
                       struct gcal_count_counter *counter)
{
    const double most_error = 0.25;
    bool chosen[GCAL_INTERP_MOST_SITES];
    const struct gcal_interp_touches *t;
    struct gcal_interp_counted counted;

    if (!counter->estimated || !(t = gcal_count_choose_sites(m, n, events, chosen)) ||
        !gcal_interp_touches_count(t, chosen, measure, &counted) ||
        counted.error > most_error)
        return false;
    counter->count = gcal_poly_integer(m->c, llround(counted.count));
    if (gcal_count_has_unknown_place(m, n, events))
        note_touches(m, events[0], n_notes, counted.error);
    return true;
}
