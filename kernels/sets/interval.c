/* interval.c - the interval of an array that accesses reach
 *
 * The accesses' coordinates (image.c) are bounded one by one: with a subscript
 * n*row + column, the last row and the last column of any access give the last element.
 * Where that fails, each dimension takes the end of its range at which the subscript is
 * extreme, without regard to conditions.
 */
#include <limits.h>

#include "kernels/sets/private.h"

enum { MOST_OPERATIONS = 30000 };

struct ends {
    const struct gcal_poly *first, *last; /* NULL: unknown */
};

/* ---- by coordinates ---- */

/* The extreme subscript: the offset at 0 and the extreme of each coordinate. */
static const struct gcal_poly *sum_of_bounds(const struct gcal_sets_image *image,
                                             isl_set *set, int sign)
{
    struct gcal_poly_context *c = image->nest->c;
    const struct gcal_poly *sum = gcal_sets_bases_stride(c, image->offsets[0], UINT_MAX);

    for (size_t b = 0; b < image->bases.n; b++) {
        const struct gcal_poly *basis = image->bases.all[b];
        const struct gcal_poly *bound = gcal_sets_image_bound(image, set, b, sign);

        if (!bound || !gcal_poly_is_nonnegative(c, basis))
            return NULL;
        sum = gcal_poly_add(c, sum, gcal_poly_mul(c, basis, bound));
    }
    return gcal_poly_has_dimension(c, sum) ? NULL : sum;
}

static bool bound_image(struct gcal_sets_image *image, struct ends *ends)
{
    isl_set *set = gcal_sets_image_set(image);

    if (!set)
        return false;
    ends->first = sum_of_bounds(image, set, -1);
    ends->last = ends->first ? sum_of_bounds(image, set, 1) : NULL;
    isl_set_free(set);
    return ends->last != NULL;
}

static bool by_coordinates(struct gcal_sets_nest *nest, size_t n,
                           const struct gcal_sets_access_event *const *accesses,
                           struct ends *ends)
{
    struct gcal_sets_image image = { .nest = nest,
                                     .n_accesses = n,
                                     .accesses = accesses };
    bool known, found = false;

    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        image.alike[d] = true;
    if (!gcal_sets_begin_attempt(nest, MOST_OPERATIONS))
        return false;
    known = gcal_sets_image_prepare(&image);
    for (int whole = 1; whole >= 0 && known && !found; whole--)
        found =
            gcal_sets_bases_find(nest->c, n, image.offsets, whole, false, &image.bases) &&
            bound_image(&image, ends);
    return gcal_sets_end_attempt(nest, found);
}

/* ---- by the ends of ranges ---- */

/* Returns whether the range of another dimension in 'p' depends on dimension 'i', which must wait
 * then.
 */
static bool is_needed(const struct gcal_sets_domain *domain, const struct gcal_poly *p,
                      size_t i)
{
    struct gcal_poly_context *c = domain->nest->c;

    for (size_t j = 0; j < domain->n_dims; j++)
        if (j != i && gcal_poly_contains(c, p, domain->dims[j]) &&
            gcal_poly_contains(c, domain->trips[j], domain->dims[i]))
            return true;
    return false;
}

/* 'p' at the end of the range of dimension 'i' at which it is extreme; NULL: unknown. */
static const struct gcal_poly *at_end(const struct gcal_sets_domain *domain,
                                      const struct gcal_poly *p, size_t i, int sign)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *one = gcal_poly_integer(c, 1);
    const struct gcal_poly *v = gcal_poly_from_atom(c, domain->dims[i]);
    const struct gcal_poly *next =
        gcal_poly_substitute(c, p, domain->dims[i], gcal_poly_add(c, v, one));
    const struct gcal_poly *rise = gcal_poly_sub(c, next, p);

    if (gcal_poly_is_nonnegative(c, rise))
        return gcal_poly_substitute(c, p, domain->dims[i],
                                    sign > 0 ? gcal_poly_sub(c, domain->trips[i], one)
                                             : gcal_poly_integer(c, 0));
    if (gcal_poly_is_nonnegative(c, gcal_poly_scale(c, rise, -1, 1)))
        return gcal_poly_substitute(c, p, domain->dims[i],
                                    sign > 0 ? gcal_poly_integer(c, 0)
                                             : gcal_poly_sub(c, domain->trips[i], one));
    return NULL;
}

static const struct gcal_poly *extreme(const struct gcal_sets_domain *domain, int sign)
{
    struct gcal_poly_context *c = domain->nest->c;
    const struct gcal_poly *p = domain->offset;
    bool moved = true;

    while (p && moved) {
        moved = false;
        for (size_t i = 0; p && i < domain->n_dims; i++)
            if (gcal_poly_contains(c, p, domain->dims[i]) && !is_needed(domain, p, i)) {
                p = at_end(domain, p, i, sign);
                moved = true;
            }
    }
    return p && !gcal_poly_has_dimension(c, p) ? p : NULL;
}

static bool by_ranges(struct gcal_sets_nest *nest,
                      const struct gcal_sets_access_event *access, struct ends *ends)
{
    bool estimated = false, found = false;
    struct gcal_sets_domain domain = { .nest = nest,
                                       .mode = GCAL_SETS_COUNT_WORK_ITEMS,
                                       .offset = access->offset,
                                       .estimated = &estimated };

    if (!gcal_sets_begin_attempt(nest, MOST_OPERATIONS))
        return false;
    if (gcal_sets_domain_fill(&domain, access->scope)) {
        ends->first = extreme(&domain, -1);
        ends->last = extreme(&domain, 1);
        found = ends->first && ends->last;
        if (found)
            ends->last = gcal_poly_add(nest->c, ends->last,
                                       gcal_poly_integer(nest->c, access->width - 1));
    }
    return gcal_sets_end_attempt(nest, found);
}

/* ---- all accesses ---- */

static void unite(struct gcal_poly_context *c, struct ends *all, const struct ends *one)
{
    all->first = all->first ? gcal_poly_min(c, all->first, one->first) : one->first;
    all->last = all->last ? gcal_poly_max(c, all->last, one->last) : one->last;
}

static bool is_good(struct gcal_poly_context *c, const struct ends *ends)
{
    return gcal_poly_is_nonnegative(c, ends->first);
}

/* One by one, where they have no bounds together, or none that excludes negative
 * subscripts.
 */
static bool each(struct gcal_sets_nest *nest, size_t n,
                 const struct gcal_sets_access_event *const *accesses, struct ends *ends)
{
    for (size_t i = 0; i < n; i++) {
        struct ends one = { 0 }, other = { 0 };
        bool known = by_coordinates(nest, 1, &accesses[i], &one);

        if ((!known || !is_good(nest->c, &one)) && by_ranges(nest, accesses[i], &other) &&
            (!known || is_good(nest->c, &other))) {
            one = other;
            known = true;
        }
        if (!known)
            return false;
        unite(nest->c, ends, &one);
    }
    return true;
}

/* Returns whether 'a' is larger than 'b' by a share of it, and not by some elements only. */
static bool is_much_larger(struct gcal_poly_context *c, const struct gcal_poly *a,
                           const struct gcal_poly *b)
{
    const struct gcal_poly *more = gcal_poly_sub(c, a, b);
    const struct gcal_poly_term *x, *y;

    if (!more->n_terms || !a->n_terms || more->terms[0].num < 0)
        return false;
    x = &more->terms[0];
    y = &a->terms[0];
    if (!x->n_factors || x->n_factors != y->n_factors)
        return false;
    for (size_t i = 0; i < x->n_factors; i++)
        if (x->factors[i].atom != y->factors[i].atom ||
            x->factors[i].power != y->factors[i].power)
            return false;
    return true;
}

/* Together, accesses to a whole array have simple bounds; but where the positions differ
 * in sizes, the last row of one and the last column of another are far apart.
 */
static bool bound_some(struct gcal_sets_nest *nest, size_t n,
                       const struct gcal_sets_access_event *const *accesses,
                       struct ends *ends)
{
    struct ends apart = { 0 };
    bool known = by_coordinates(nest, n, accesses, ends);
    bool good = known && is_good(nest->c, ends);

    if (good && n == 1)
        return true;
    if (!each(nest, n, accesses, &apart))
        return known;
    if (!good ||
        (is_good(nest->c, &apart) && is_much_larger(nest->c, ends->last, apart.last)))
        *ends = apart;
    return true;
}

bool gcal_sets_interval(struct gcal_sets_nest *nest, size_t n,
                        const struct gcal_sets_access_event *const *accesses,
                        const struct gcal_poly **first, const struct gcal_poly **last)
{
    struct ends ends = { 0 };

    for (size_t i = 0; i < n; i++)
        if (!accesses[i]->offset)
            return false;
    for (size_t i = 0; i < n; i += GCAL_SETS_IMAGE_ACCESSES) {
        size_t some = n - i < GCAL_SETS_IMAGE_ACCESSES ? n - i : GCAL_SETS_IMAGE_ACCESSES;
        struct ends part = { 0 };

        if (!bound_some(nest, some, &accesses[i], &part))
            return false;
        unite(nest->c, &ends, &part);
    }
    *first = ends.first;
    *last = ends.last;
    return n > 0;
}
