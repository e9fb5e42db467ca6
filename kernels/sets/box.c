/* box.c - an estimate of footprints in blocks, from strides and ranges alone
 *
 * Each subscript is a box in the coordinates of its bases (bases.c): along each of them,
 * dimensions give a range, without regard to conditions.  Ranges that meet, or leave gaps
 * of less than a block, are runs; runs of whole rows are one.  Accesses with the same
 * strides share a box, which is larger by the distance between them.  For symbolic sizes,
 * a range that depends on them is taken to be longer than any number.
 */
#include <limits.h>
#include <string.h>

#include "kernels/sets/private.h"

enum { MOST_STEPS = 100000 };

/* Whose accesses are together. */
enum region {
    LAUNCH,
    GROUP,
    SUB_GROUP,
    LOOP /* of a sub-group, in one execution of a loop */
};

/* One access: how far a step of each dimension goes along each basis. */
struct box {
    size_t n_dims;
    const struct gcal_poly *trips[GCAL_SETS_MAX_DIMS];
    int64_t step[GCAL_SETS_MAX_DIMS][GCAL_SETS_MAX_BASES];
    bool scattered[GCAL_SETS_MAX_DIMS]; /* numbers that are data: steps of any length */
    const struct gcal_poly *data;       /* the part of the subscript that has these */
    int64_t low[GCAL_SETS_MAX_BASES], high[GCAL_SETS_MAX_BASES]; /* of constant terms */
    int64_t width;
    bool aligned; /* begins with a block in every group */
};

/* 'count' runs of 'span' elements each. */
struct runs {
    const struct gcal_poly *count, *span;
};

struct boxes {
    struct gcal_sets_nest *nest;
    struct gcal_poly_context *c;
    int64_t size;
    enum region region;
    unsigned loop; /* its dimension */
    struct gcal_sets_bases bases;
    struct gcal_poly_multiples multiples;
    size_t n;
    const struct gcal_poly **offsets;
    struct gcal_sets_domain *domains;
    struct gcal_sets_unfold *unfolds;
    struct box *all;
};

/* ---- accesses as boxes ---- */

/* Returns whether p is whole blocks, or assumed to be. */
static bool is_whole(struct boxes *b, const struct gcal_poly *p)
{
    return gcal_poly_is_multiple(p, b->size) ||
           gcal_poly_multiples_add(b->c, &b->multiples, p);
}

/* Returns whether the dimension has one value in the region. */
static bool is_fixed(const struct boxes *b, const struct gcal_sets_domain *domain,
                     size_t dim)
{
    struct gcal_sets_nest *nest = b->nest;

    for (size_t i = 0; b->region == LOOP && i < dim; i++) /* those inside it come first */
        if (domain->dims[i] == b->loop)
            return !domain->is_lid[dim];
    for (size_t d = 0; b->region != LAUNCH && d < nest->n_dims; d++)
        if (domain->dims[dim] == gcal_poly_atom_index(nest->gid[d]))
            return true;
    return false;
}

/* How many values it has there; NULL: unknown. */
static const struct gcal_poly *extent(void *data, const struct gcal_sets_domain *domain,
                                      size_t dim)
{
    const struct boxes *b = data;
    struct gcal_sets_nest *nest = b->nest;
    int64_t lanes = nest->sub_group_size, along;

    if (is_fixed(b, domain, dim))
        return gcal_poly_integer(b->c, 1);
    for (size_t d = 0; b->region >= SUB_GROUP && d < nest->n_dims; d++) {
        along = lanes < nest->local_size[d] ? lanes : nest->local_size[d];
        if (domain->dims[dim] == gcal_poly_atom_index(nest->lid[d]))
            return gcal_poly_integer(b->c, along);
        lanes = (lanes + along - 1) / along;
    }
    /* Trips that depend on ids and other loops: the most of them; NULL: unknown. */
    const struct gcal_poly *trips = domain->trips[dim];
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *end;

    for (size_t i = 0; trips && i < domain->n_dims; i++) {
        enum gcal_sets_direction direction =
            gcal_sets_direction(c, trips, domain->dims[i]);

        if (direction == GCAL_SETS_CONSTANT)
            continue;
        if (direction == GCAL_SETS_MIXED)
            return NULL;
        end = direction == GCAL_SETS_FALLING
                  ? gcal_poly_integer(c, 0)
                  : gcal_poly_sub(c, domain->trips[i], gcal_poly_integer(c, 1));
        trips = gcal_poly_substitute(c, trips, domain->dims[i], end);
    }
    return trips && !gcal_poly_has_dimension(c, trips) ? trips : NULL;
}

/* Adds dimension 'dim' of the domain; false when its range is unknown. */
static bool add_dimension(struct boxes *b, struct box *box, size_t number, size_t dim)
{
    const struct gcal_sets_domain *domain = &b->domains[number];
    const struct gcal_sets_unfold *unfold = &b->unfolds[number];
    const struct gcal_poly *offset = domain->offset;
    const struct gcal_poly *stride =
        gcal_poly_coefficient(b->c, offset, domain->dims[dim], 1);
    bool fixed =
        dim < unfold->n_dims && (unfold->is_origin[dim] || is_fixed(b, domain, dim));

    if (gcal_poly_contains_nested(b->c, offset, domain->dims[dim]) ||
        gcal_poly_degree(offset, domain->dims[dim]) > 1 ||
        gcal_poly_has_dimension(b->c, stride))
        return false;
    if (fixed)
        box->aligned = box->aligned && is_whole(b, stride);
    if (fixed || !stride->n_terms)
        return true;
    box->trips[box->n_dims] = gcal_sets_unfold_extent(unfold, domain, dim);
    box->scattered[box->n_dims] = gcal_sets_is_number(b->nest, domain->dims[dim]);
    return box->trips[box->n_dims] &&
           gcal_sets_bases_split(b->c, &b->bases, stride, box->step[box->n_dims++]);
}

/* Returns whether each term of a beginning is. */
static bool begin_is_whole(struct boxes *b, const struct gcal_poly *begin)
{
    return !begin->n_terms || is_whole(b, begin);
}

/* The terms of p with numbers that are data; NULL: there are none. */
static const struct gcal_poly *find_data(const struct boxes *b, const struct gcal_poly *p)
{
    const struct gcal_poly *rest = p;

    for (const struct gcal_sets_number *n = b->nest->numbers; n; n = n->next)
        rest = gcal_poly_substitute(b->c, rest, gcal_poly_atom_index(n->value),
                                    gcal_poly_integer(b->c, 0));
    return rest == p || gcal_poly_equal(rest, p) ? NULL : gcal_poly_sub(b->c, p, rest);
}

static bool find_box(struct boxes *b, struct box *box,
                     const struct gcal_sets_access_event *access, size_t number)
{
    const struct gcal_sets_domain *domain = &b->domains[number];
    const struct gcal_poly *begin =
        gcal_sets_bases_stride(b->c, b->offsets[number], UINT_MAX);

    *box = (struct box){ .width = access->width,
                         .aligned = begin_is_whole(b, begin),
                         .data = find_data(b, b->offsets[number]) };
    for (size_t i = 0; i < domain->n_dims; i++)
        if (!add_dimension(b, box, number, i))
            return false;
    if (!gcal_sets_bases_split(
            b->c, &b->bases, gcal_sets_bases_offset(b->c, b->offsets, number), box->low))
        return false;
    for (size_t i = 0; i < b->bases.n; i++)
        box->high[i] = box->low[i];
    return true;
}

/* Returns whether elements around places that are data leave a block or a row between them. */
static bool are_apart(const struct boxes *b, const struct box *x, const struct box *y)
{
    for (size_t k = 0; k < b->bases.n && x->data; k++) {
        int64_t most = k == 0 ? x->width + b->size - 1 : 1;

        if (x->low[k] - y->high[k] > most || y->low[k] - x->high[k] > most)
            return true;
    }
    return false;
}

static bool is_alike(const struct boxes *b, const struct box *x, const struct box *y)
{
    if (memcmp(x->scattered, y->scattered, sizeof(x->scattered)) != 0 ||
        x->n_dims != y->n_dims || x->width != y->width || !x->data != !y->data ||
        (x->data && !gcal_poly_equal(x->data, y->data)) || are_apart(b, x, y))
        return false;
    for (size_t i = 0; i < x->n_dims; i++) {
        if (!gcal_poly_equal(x->trips[i], y->trips[i]))
            return false;
        for (size_t k = 0; k < b->bases.n; k++)
            if (x->step[i][k] != y->step[i][k])
                return false;
    }
    return true;
}

/* Joins the box to one that is like it, or keeps it. */
static void add_box(struct boxes *b, const struct box *box)
{
    struct box *other = b->all;

    while (other < b->all + b->n && !is_alike(b, other, box))
        other++;
    if (other == b->all + b->n) {
        b->all[b->n++] = *box;
        return;
    }
    for (size_t i = 0; i < b->bases.n; i++) {
        if (box->low[i] < other->low[i])
            other->low[i] = box->low[i];
        if (box->high[i] > other->high[i])
            other->high[i] = box->high[i];
    }
    other->aligned = other->aligned && box->aligned;
}

/* ---- runs ---- */

/* Returns whether there is less than 'gap' between runs of 'span' that begin 'step' apart. */
static bool meets(const struct gcal_poly *span, int64_t step, int64_t gap)
{
    int64_t number;

    if (gcal_poly_is_constant(span, &number))
        return step - number < gap;
    return true;
}

static int64_t magnitude(int64_t number)
{
    return number < 0 ? -number : number;
}

/* The dimension with the smallest step above 'above' along basis 'k', or of the same step
 * after 'after'; SIZE_MAX: none.
 */
static size_t next_dimension(const struct box *box, size_t k, int64_t above, size_t after)
{
    size_t next = SIZE_MAX;

    for (size_t i = 0; i < box->n_dims; i++) {
        int64_t step = magnitude(box->step[i][k]);

        if (step < above || step == 0 ||
            (step == above && i <= after && after != SIZE_MAX))
            continue;
        if (next == SIZE_MAX || step < magnitude(box->step[next][k]))
            next = i;
    }
    return next;
}

static int64_t divide_down(int64_t number, int64_t by)
{
    return number / by - (number % by < 0);
}

/* The runs along basis 'k', in units of it. */
static struct runs along(struct boxes *b, struct box *box, size_t k, int64_t grain)
{
    struct gcal_poly_context *c = b->c;
    int64_t gap = k == 0 ? b->size : 1;
    int64_t first = divide_down(box->low[k], grain);
    int64_t last = divide_down(box->high[k] + (k == 0 ? box->width : 1) - 1, grain);
    struct runs runs = { gcal_poly_integer(c, 1),
                         gcal_poly_integer(c, (last - first + 1) * grain) };
    size_t i = SIZE_MAX;

    for (int64_t step = 0; (i = next_dimension(box, k, step, i)) != SIZE_MAX;) {
        step = magnitude(box->step[i][k]);
        if (!box->scattered[i] && meets(runs.span, step, gap)) {
            runs.span = gcal_poly_add(
                c, runs.span,
                gcal_poly_scale(c,
                                gcal_poly_sub(c, box->trips[i], gcal_poly_integer(c, 1)),
                                step, 1));
            continue;
        }
        runs.count = gcal_poly_mul(c, runs.count, box->trips[i]);
        box->aligned =
            box->aligned && is_whole(b, gcal_poly_scale(c, b->bases.all[k], step, 1));
    }
    return runs;
}

/* Runs of the lower bases, once for each unit of 'upper', which are 'basis' elements. */
static struct runs stack(struct boxes *b, struct box *box, struct runs lower,
                         struct runs upper, const struct gcal_poly *basis)
{
    struct gcal_poly_context *c = b->c;
    const struct gcal_poly *one = gcal_poly_integer(c, 1);
    const struct gcal_poly *reach =
        gcal_poly_add(c, lower.span, gcal_poly_integer(c, b->size - 1));

    if (gcal_poly_equal(upper.span, one) && gcal_poly_equal(upper.count, one))
        return lower;
    if (gcal_poly_equal(lower.count, one) &&
        gcal_poly_is_nonnegative(c, gcal_poly_sub(c, reach, basis)))
        return (struct runs){
            upper.count,
            gcal_poly_add(c, lower.span,
                          gcal_poly_mul(c, basis, gcal_poly_sub(c, upper.span, one)))
        };
    box->aligned = box->aligned && is_whole(b, basis);
    return (struct runs){ gcal_poly_mul(c, lower.count,
                                        gcal_poly_mul(c, upper.count, upper.span)),
                          lower.span };
}

static const struct gcal_poly *count_box(struct boxes *b, struct box *box)
{
    struct gcal_poly_context *c = b->c;
    /* What all places of a box that has data begin at a multiple of, within blocks. */
    int64_t grain = b->bases.n == 1 && box->data ? b->size : 1;

    for (size_t i = 0; i < box->n_dims; i++)
        grain = gcal_poly_gcd(grain, box->step[i][0]);

    struct runs runs = along(b, box, 0, grain);
    const struct gcal_poly *reach;

    for (size_t k = 1; k < b->bases.n; k++)
        runs = stack(b, box, runs, along(b, box, k, 1), b->bases.all[k]);
    reach = gcal_poly_add(c, runs.span,
                          gcal_poly_integer(c, b->size - (box->aligned ? 1 : grain)));
    return gcal_poly_mul(c, runs.count,
                         box->aligned ? gcal_poly_floor(c, reach, b->size)
                                      : gcal_poly_scale(c, reach, 1, b->size));
}

/* ---- all accesses ---- */

static bool find_domains(struct boxes *b, size_t n,
                         const struct gcal_sets_access_event *const *accesses,
                         bool *estimated)
{
    for (size_t i = 0; i < n; i++) {
        b->unfolds[i] =
            (struct gcal_sets_unfold){ extent, b, b->region == LAUNCH, 0, { 0 } };
        b->domains[i] = (struct gcal_sets_domain){ .nest = b->nest,
                                                   .mode = GCAL_SETS_COUNT_WORK_ITEMS,
                                                   .offset = accesses[i]->offset,
                                                   .keeps_groups = b->region != LAUNCH,
                                                   .keeps_lanes = b->region >= SUB_GROUP,
                                                   .estimated = estimated };
        if (!accesses[i]->offset ||
            !gcal_sets_domain_fill(&b->domains[i], accesses[i]->scope))
            return false;
        b->domains[i].offset = gcal_sets_near(b->c, b->domains[i].offset);
        if (!gcal_sets_domain_unfold(&b->domains[i], &b->unfolds[i]))
            return false;
        b->offsets[i] = b->domains[i].offset;
    }
    return true;
}

/* The sum over boxes; NULL: unknown. */
static const struct gcal_poly *count(struct boxes *b, size_t n,
                                     const struct gcal_sets_access_event *const *accesses,
                                     bool whole)
{
    const struct gcal_poly *sum = gcal_poly_integer(b->c, 0);
    struct box box;

    b->n = 0;
    if (!gcal_sets_bases_find(b->c, n, b->offsets, whole, false, &b->bases))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!find_box(b, &box, accesses[i], i))
            return NULL;
        add_box(b, &box);
    }
    for (size_t i = 0; i < b->n; i++)
        sum = gcal_poly_add(b->c, sum, count_box(b, &b->all[i]));
    return sum;
}

/* The blocks of one region; NULL: unknown. */
static const struct gcal_poly *
count_region(struct boxes *b, size_t n,
             const struct gcal_sets_access_event *const *accesses)
{
    const struct gcal_poly *p = NULL;
    bool estimated = false, known, whole = true;

    b->c = b->nest->c;
    b->offsets = gcal_poly_alloc(b->c, n * sizeof(void *));
    b->domains = gcal_poly_alloc(b->c, n * sizeof(*b->domains));
    b->unfolds = gcal_poly_alloc(b->c, n * sizeof(*b->unfolds));
    b->all = gcal_poly_alloc(b->c, n * sizeof(*b->all));
    if (!b->offsets || !b->domains || !b->unfolds || !b->all ||
        !gcal_poly_begin_attempt(b->c, MOST_STEPS))
        return NULL;
    known = find_domains(b, n, accesses, &estimated);
    for (int w = 1; w >= 0 && known && !p; w--) {
        p = count(b, n, accesses, w);
        whole = w;
    }
    if (gcal_poly_end_attempt(b->c) || !p)
        return NULL;
    /* p, or for sizes at which rows begin with blocks the count as if they always did. */
    const struct gcal_poly *either = NULL, *aligned;

    if (!gcal_poly_begin_attempt(b->c, MOST_STEPS))
        return p;
    b->multiples = (struct gcal_poly_multiples){ .of = b->size };
    aligned = count(b, n, accesses, whole);
    if (aligned && b->multiples.n)
        either = gcal_poly_multiples_choose(b->c, &b->multiples, aligned, p);
    return gcal_poly_end_attempt(b->c) || !either ? p : either;
}

const struct gcal_poly *
gcal_sets_box_footprint(struct gcal_sets_nest *nest, size_t n,
                        const struct gcal_sets_access_event *const *accesses,
                        int64_t size, bool by_group)
{
    struct boxes b = { .nest = nest, .size = size, .region = by_group ? GROUP : LAUNCH };
    const struct gcal_poly *p = count_region(&b, n, accesses);

    for (size_t d = 0; p && by_group && d < nest->n_dims; d++)
        p = gcal_poly_mul(nest->c, p, nest->groups[d]);
    return p;
}

const struct gcal_poly *
gcal_sets_sub_group_blocks(struct gcal_sets_nest *nest, size_t n,
                           const struct gcal_sets_access_event *const *accesses,
                           const struct gcal_sets_scope *loop, int64_t size)
{
    struct boxes b = { .nest = nest,
                       .size = size,
                       .region = loop ? LOOP : SUB_GROUP,
                       .loop = loop ? loop->loop : 0 };
    const struct gcal_poly *blocks = count_region(&b, n, accesses), *times;
    bool estimated = false;

    times = blocks ? gcal_sets_scope_count(nest, loop ? loop->parent : NULL,
                                           GCAL_SETS_COUNT_SUB_GROUPS, &estimated)
                   : NULL;
    return times ? gcal_poly_mul(nest->c, blocks, times) : NULL;
}
