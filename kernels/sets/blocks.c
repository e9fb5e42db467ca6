/* blocks.c - footprints in aligned blocks of elements, such as sectors of memory
 *
 * In the image of all accesses (image.c), the coordinate of stride 1 becomes the number of
 * the block within the row.  Rows begin at unknown places in blocks if their length is not
 * a multiple of a block: then elements and rows are counted, for the mean over all places.
 */
#include <isl/constraint.h>
#include <limits.h>

#include "kernels/sets/private.h"

enum { MOST_OPERATIONS = 60000 };

struct blocks {
    struct gcal_sets_image image;
    struct gcal_poly_context *c;
    int64_t size;
    int64_t known; /* divides 'size': the place of rows in blocks is known modulo this */
    int64_t first; /* the place of the first row */
    struct gcal_poly_multiples multiples;
    struct gcal_sets_access_event shifted[GCAL_SETS_IMAGE_ACCESSES];
    const struct gcal_sets_access_event *pointers[GCAL_SETS_IMAGE_ACCESSES];
};

/* ---- groups that touch the same, but for whole blocks ---- */

/* Returns whether nothing but a stride of whole blocks depends on the group's id along an axis. */
static bool is_alike(struct blocks *b, size_t axis)
{
    struct gcal_sets_nest *nest = b->image.nest;
    unsigned atom = gcal_poly_atom_index(nest->gid[axis]);
    const struct gcal_poly *stride = NULL, *own;

    for (size_t i = 0; i < b->image.n_accesses; i++) {
        const struct gcal_sets_access_event *e = b->image.accesses[i];
        bool estimated = false;
        struct gcal_sets_domain domain = { .nest = nest,
                                           .mode = GCAL_SETS_COUNT_WORK_ITEMS,
                                           .offset = e->offset,
                                           .estimated = &estimated };

        if (!gcal_sets_domain_fill(&domain, e->scope) || 2 * axis >= domain.n_dims ||
            domain.dims[2 * axis] != atom ||
            !gcal_sets_domain_is_independent(&domain, 2 * axis) ||
            gcal_poly_contains_nested(b->c, e->offset, atom) ||
            gcal_poly_degree(e->offset, atom) > 1)
            return false;
        own = gcal_poly_coefficient(b->c, e->offset, atom, 1);
        if (gcal_poly_has_dimension(b->c, own) || !gcal_poly_is_multiple(own, b->size) ||
            (stride && !gcal_poly_equal(stride, own)))
            return false;
        stride = own;
    }
    return true;
}

/* ---- blocks ---- */

static int64_t common_divisor(const struct gcal_poly *p, int64_t of)
{
    for (size_t i = 0; i < p->n_terms; i++)
        of = p->terms[i].den == 1 ? gcal_poly_gcd(of, p->terms[i].num) : 1;
    return of;
}

/* The place of rows in blocks, as far as it is known. */
static void find_places(struct blocks *b)
{
    const struct gcal_poly *at =
        gcal_sets_bases_stride(b->c, b->image.offsets[0], UINT_MAX);
    int64_t number = 0;

    b->known = b->size;
    for (size_t i = 1; i < b->image.bases.n; i++)
        if (!gcal_poly_multiples_add(b->c, &b->multiples, b->image.bases.all[i]))
            b->known = common_divisor(b->image.bases.all[i], b->known);
    for (size_t i = 0; i < at->n_terms; i++)
        if (at->terms[i].n_factors && b->multiples.of) {
            /* A product of sizes before the first row. */
            const struct gcal_poly *p =
                gcal_poly_rational(b->c, at->terms[i].num, at->terms[i].den);

            for (size_t j = 0; j < at->terms[i].n_factors; j++)
                for (unsigned k = 0; k < at->terms[i].factors[j].power; k++)
                    p = gcal_poly_mul(
                        b->c, p, gcal_poly_from_atom(b->c, at->terms[i].factors[j].atom));
            if (!gcal_poly_multiples_add(b->c, &b->multiples, p))
                b->known = common_divisor(p, b->known);
        } else if (at->terms[i].n_factors || at->terms[i].den != 1)
            b->known =
                at->terms[i].den == 1 ? gcal_poly_gcd(b->known, at->terms[i].num) : 1;
        else
            number = at->terms[i].num;
    b->first = ((number % b->known) + b->known) % b->known;
}

/* Returns whether no block is in two rows: rows are whole blocks, and what is touched of a row,
 * from its first block on, is at most as long; or rows are longer by a block.
 */
static bool are_apart(struct blocks *b, isl_set *set)
{
    const struct gcal_poly *least = gcal_sets_image_bound(&b->image, set, 0, -1);
    int64_t margin = b->size - 1, number;

    if (b->known == b->size && least && gcal_poly_is_constant(least, &number))
        margin = (((number + b->first) % b->size) + b->size) % b->size;
    return b->image.bases.n == 1 ||
           gcal_sets_image_is_injective(&b->image, set, margin, NULL);
}

static isl_constraint *constrain(isl_set *set)
{
    return isl_constraint_alloc_inequality(
        isl_local_space_from_space(isl_set_get_space(set)));
}

/* The block for coordinate 0. */
static isl_set *to_blocks(const struct blocks *b, isl_set *set)
{
    isl_size block = isl_set_dim(set, isl_dim_set);

    set = isl_set_add_dims(set, isl_dim_set, 1);
    for (int side = 0; side < 2; side++) {
        int sign = side ? -1 : 1;
        isl_constraint *c = constrain(set);

        c = isl_constraint_set_coefficient_si(c, isl_dim_set, 0, sign);
        c = isl_constraint_set_coefficient_si(c, isl_dim_set, block,
                                              -sign * (int)b->size);
        c = isl_constraint_set_constant_si(c, sign * (int)b->first +
                                                  (side ? (int)b->size - 1 : 0));
        set = isl_set_add_constraint(set, c);
    }
    return isl_set_project_out(set, isl_dim_set, 0, 1);
}

/* The distance of neighbours in a row: a common divisor of all strides within rows. */
static int64_t find_step(const struct blocks *b)
{
    int64_t step = 0;

    for (size_t i = 0; i < b->image.n_accesses; i++) {
        const struct gcal_poly *p = b->image.offsets[i];

        if (b->image.accesses[i]->width > 1)
            return 1;
        for (size_t k = 0; k < p->n_terms; k++)
            if (p->terms[k].n_factors == 1)
                step = gcal_poly_gcd(step, p->terms[k].num);
    }
    return step < 1 ? 1 : step < b->size ? step : b->size;
}

/* The mean over places: a run of n elements touches (n + size-1)/size blocks. */
static const struct gcal_poly *count_mean(struct blocks *b, isl_set *set)
{
    const struct gcal_poly *elements =
        gcal_sets_cardinality(&b->image.sizes, isl_set_copy(set));
    const struct gcal_poly *rows = gcal_sets_cardinality(
        &b->image.sizes, isl_set_project_out(set, isl_dim_set, 0, 1));

    if (!elements || !rows)
        return NULL;
    return gcal_poly_scale(b->c,
                           gcal_poly_add(b->c,
                                         gcal_poly_scale(b->c, elements, find_step(b), 1),
                                         gcal_poly_scale(b->c, rows, b->size - 1, 1)),
                           1, b->size);
}

static const struct gcal_poly *count(struct blocks *b, bool *estimated)
{
    isl_set *set = gcal_sets_image_set(&b->image);
    const struct gcal_poly *p;

    if (!set)
        return NULL;
    find_places(b);
    *estimated = b->known < b->size || b->image.estimated || !are_apart(b, set);
    if (b->known == b->size)
        return gcal_sets_cardinality(&b->image.sizes, to_blocks(b, set));
    if ((p = count_mean(b, isl_set_copy(set)))) {
        /* 'p', or for sizes at which rows begin with blocks the count of these. */
        const struct gcal_poly *whole = NULL;

        b->multiples = (struct gcal_poly_multiples){ .of = b->size };
        find_places(b);
        if (b->known == b->size)
            whole =
                gcal_sets_cardinality(&b->image.sizes, to_blocks(b, isl_set_copy(set)));
        p = whole ? gcal_poly_multiples_choose(b->c, &b->multiples, whole, p) : p;
    }
    isl_set_free(set);
    return p;
}

const struct gcal_poly *
gcal_sets_block_footprint(struct gcal_sets_nest *nest, size_t n,
                          const struct gcal_sets_access_event *const *accesses,
                          int64_t size, bool by_group, bool *estimated)
{
    struct blocks b = { .image = { .nest = nest,
                                   .n_accesses = n,
                                   .accesses = accesses,
                                   .by_group = by_group },
                        .c = nest->c,
                        .size = size };
    const struct gcal_poly *p = NULL;
    bool known;

    *estimated = false;
    for (size_t i = 0; i < n; i++)
        if (!accesses[i]->offset)
            return NULL;
    if (n > GCAL_SETS_IMAGE_ACCESSES || !gcal_sets_begin_attempt(nest, MOST_OPERATIONS))
        return NULL;
    if (by_group) {
        for (size_t d = 0; d < b.image.nest->n_dims; d++)
            b.image.alike[d] = is_alike(&b, d);
        for (size_t d = 0; d < b.image.nest->n_dims; d++)
            if (b.image.alike[d]) {
                unsigned atom = gcal_poly_atom_index(b.image.nest->gid[d]);

                for (size_t i = 0; i < b.image.n_accesses; i++) {
                    b.shifted[i] = *b.image.accesses[i];
                    b.shifted[i].offset = gcal_poly_substitute(
                        b.c, b.shifted[i].offset, atom, gcal_poly_integer(b.c, 0));
                    b.pointers[i] = &b.shifted[i];
                }
                b.image.accesses = b.pointers;
            }
    }
    gcal_sets_image_find_apart(&b.image);
    known = gcal_sets_image_prepare(&b.image);
    for (int whole = 1; whole >= 0 && known && !p; whole--)
        if (gcal_sets_bases_find(nest->c, n, b.image.offsets, whole, true,
                                 &b.image.bases))
            p = count(&b, estimated);
    if (!gcal_sets_end_attempt(nest, p))
        return NULL;
    for (size_t d = 0; p && d < nest->n_dims; d++)
        if (by_group && b.image.alike[d])
            p = gcal_poly_mul(nest->c, p, nest->groups[d]);
    return p;
}
