/* footprint.c - the number of distinct elements that accesses touch
 *
 * The coordinates that the accesses reach (image.c) are a set, which is counted exactly.
 * Different coordinates are different elements when those of lower bases never reach the
 * next basis; when that cannot be proven for symbolic sizes, the footprint is unknown.
 */
#include <stdlib.h>

#include "kernels/sets/private.h"

enum { MOST_OPERATIONS = 60000 };

/* How often the next basis has basis 'b'; NULL: no whole number. */
static const struct gcal_poly *ratio_at(const struct gcal_sets_image *image, size_t b)
{
    const struct gcal_poly *ratio =
        gcal_poly_divide(image->nest->c, image->bases.all[b + 1], image->bases.all[b]);

    return ratio && gcal_poly_is_integral(ratio) ? ratio : NULL;
}

/* Returns whether coordinate 'b' has less than 'ratio' values from its least to its largest, at
 * each choice of sizes by itself: x < n and x < m give min(n, m), of which the largest
 * value for all sizes together knows nothing.
 */
static bool is_below(const struct gcal_sets_image *image, isl_set *set, size_t b,
                     const struct gcal_poly *ratio)
{
    struct gcal_poly_context *c = image->nest->c;
    const struct gcal_poly *x = gcal_poly_shared_dimension(c, 0),
                           *y = gcal_poly_shared_dimension(c, 1);
    struct gcal_sets_context pair = image->sizes;
    isl_size n = isl_set_dim(set, isl_dim_set);
    isl_set *values, *far;
    bool empty;

    pair.n_dims = 2;
    pair.dims[0] = gcal_poly_atom_index(x);
    pair.dims[1] = gcal_poly_atom_index(y);
    values = isl_set_project_out(isl_set_copy(set), isl_dim_set, (unsigned)b + 1,
                                 (unsigned)(n - (isl_size)b - 1));
    values = isl_set_project_out(values, isl_dim_set, 0, (unsigned)b);
    far = isl_pw_aff_nonneg_set(
        gcal_sets_context_affine(&pair, gcal_poly_sub(c, gcal_poly_sub(c, x, y), ratio)));
    far = isl_set_intersect(far, isl_set_flat_product(isl_set_copy(values), values));
    empty = isl_set_is_empty(far) == isl_bool_true;
    isl_set_free(far);
    return empty;
}

/* The largest minus the least value of coordinate 'b'; NULL: unknown. */
static const struct gcal_poly *find_span(const struct gcal_sets_image *image,
                                         isl_set *set, size_t b)
{
    const struct gcal_poly *least = gcal_sets_image_tight_bound(image, set, b, -1);
    const struct gcal_poly *most =
        least ? gcal_sets_image_tight_bound(image, set, b, 1) : NULL;

    return most ? gcal_poly_sub(image->nest->c, most, least) : NULL;
}

/* Returns whether a basis is a product with an extent of images. */
static bool is_endless(struct gcal_poly_context *c, const struct gcal_poly *basis)
{
    const struct gcal_poly_term *t = basis->n_terms ? &basis->terms[0] : NULL;

    for (size_t i = 0; t && i < t->n_factors; i++) {
        unsigned atom = t->factors[i].atom;

        if (gcal_poly_get_atom(c, atom).kind == GCAL_POLY_ATOM_PARAMETER &&
            gcal_poly_atom_name(c, atom)[0] == *GCAL_SETS_IMAGE_ROW)
            return true;
    }
    return false;
}

/* The premise that basis b+1 is at least 'length', where lower coordinates are below basis
 * b; a row of one element at least is taken for granted.
 */
static bool add_premise(const struct gcal_sets_image *image, size_t b,
                        const struct gcal_poly *length, const struct gcal_poly *span,
                        struct gcal_sets_premises *premises)
{
    struct gcal_poly_context *c = image->nest->c;
    const struct gcal_poly *one = gcal_poly_integer(c, 1), *ratio = ratio_at(image, b);
    const struct gcal_poly *left = ratio ? ratio : image->bases.all[b + 1];
    const struct gcal_poly *right = ratio ? gcal_poly_add(c, span, one) : length;

    if (gcal_poly_equal(right, one) && gcal_poly_is_nonnegative(c, left))
        return true;
    if (premises->n == GCAL_SETS_MAX_PREMISES ||
        gcal_poly_is_nonnegative(c, gcal_poly_sub(c, gcal_poly_sub(c, right, left), one)))
        return false;
    premises->left[premises->n] = left;
    premises->right[premises->n++] = right;
    return true;
}

bool gcal_sets_image_is_injective(const struct gcal_sets_image *image, isl_set *set,
                                  int64_t margin, struct gcal_sets_premises *premises)
{
    struct gcal_poly_context *c = image->nest->c;
    const struct gcal_poly *reach = gcal_poly_integer(c, 0), *next, *span, *length;

    for (size_t b = 0; b + 1 < image->bases.n; b++) {
        const struct gcal_poly *ratio = margin ? NULL : ratio_at(image, b);

        next = image->bases.all[b + 1];
        if (is_endless(c, next)) {
            reach = gcal_poly_sub(c, next, gcal_poly_integer(c, 1));
            continue;
        }
        /* lower coordinates are below basis b, so together they are below the next */
        if (ratio && is_below(image, set, b, ratio)) {
            reach = gcal_poly_sub(c, next, gcal_poly_integer(c, 1));
            continue;
        }
        if (!(span = find_span(image, set, b)))
            return false;
        reach = gcal_poly_add(c, reach, gcal_poly_mul(c, image->bases.all[b], span));
        length = gcal_poly_add(c, reach, gcal_poly_integer(c, 1 + margin));
        if (gcal_poly_is_nonnegative(c, gcal_poly_sub(c, next, length)))
            continue;
        if (!premises || !add_premise(image, b, length, span, premises))
            return false;
        reach = gcal_poly_sub(c, next, gcal_poly_integer(c, 1));
    }
    return true;
}

/* Groups access their local arrays alike where nothing depends on their id. */
static void find_alike(struct gcal_sets_image *image)
{
    const struct gcal_sets_nest *nest = image->nest;
    bool local =
        nest->arrays[image->accesses[0]->array].space == GCAL_FEATURE_SPACE_LOCAL;
    struct gcal_sets_domain domain;
    struct gcal_sets_component component;

    image->by_group = local;
    for (size_t d = 0; d < nest->n_dims; d++)
        image->alike[d] = local;
    for (size_t i = 0; i < image->n_accesses && local; i++) {
        bool filled =
            gcal_sets_image_component(image, image->accesses[i], &domain, &component);

        for (size_t d = 0; d < nest->n_dims; d++)
            image->alike[d] =
                image->alike[d] && filled &&
                gcal_sets_domain_is_independent(&domain, 2 * d) &&
                !gcal_poly_contains(nest->c, domain.offset, domain.dims[2 * d]);
    }
}

/* Returns whether 'inner' is 'outer' or within it.  Unknown conditions are taken to hold. */
static bool is_within(const struct gcal_sets_scope *inner,
                      const struct gcal_sets_scope *outer)
{
    while (outer && outer->kind == GCAL_SETS_SCOPE_UNKNOWN)
        outer = outer->parent;
    return gcal_sets_scope_is_around(outer, inner);
}

void gcal_sets_image_find_apart(struct gcal_sets_image *image)
{
    for (size_t i = 1; i < image->n_accesses; i++)
        image->apart = image->apart ||
                       !is_within(image->accesses[i]->scope, image->accesses[0]->scope) ||
                       !is_within(image->accesses[0]->scope, image->accesses[i]->scope);
}

/* The image with one choice of bases. */
struct image_choice {
    struct gcal_sets_context sizes;
    isl_set *set; /* NULL: not injective */
    struct gcal_sets_premises premises;
};

static struct image_choice choose(struct gcal_sets_image *image)
{
    const struct gcal_sets_context sizes = image->sizes;
    struct image_choice choice = { 0 };
    const struct gcal_poly *ratio;

    for (size_t b = 0; b + 1 < image->bases.n; b++)
        if ((ratio = ratio_at(image, b)))
            gcal_sets_context_register(&image->sizes, ratio);
    choice.set = gcal_sets_image_set(image);
    choice.sizes = image->sizes;
    if (choice.set &&
        !gcal_sets_image_is_injective(image, choice.set, 0, &choice.premises))
        choice.set = isl_set_free(choice.set);
    image->sizes = sizes;
    return choice;
}

static bool are_equal(const struct gcal_sets_bases *a, const struct gcal_sets_bases *b)
{
    bool equal = a->n == b->n;

    for (size_t i = 0; i < a->n && equal; i++)
        equal = gcal_poly_equal(a->all[i], b->all[i]);
    return equal;
}

/* By whole strides, or by the products of sizes in them; best without premises. */
static const struct gcal_poly *count_image(struct gcal_sets_image *image,
                                           struct gcal_sets_premises *premises)
{
    struct gcal_poly_context *c = image->nest->c;
    struct image_choice first = { 0 }, second = { 0 }, *best = &first;
    const struct gcal_poly *count = NULL;
    struct gcal_sets_bases whole;

    if (gcal_sets_bases_find(c, image->n_accesses, image->offsets, true, true,
                             &image->bases))
        first = choose(image);
    whole = image->bases;
    if ((!first.set || first.premises.n) &&
        gcal_sets_bases_find(c, image->n_accesses, image->offsets, false, true,
                             &image->bases) &&
        !are_equal(&whole, &image->bases))
        second = choose(image);
    if (second.set && (!first.set || !second.premises.n))
        best = &second;
    if (best->set)
        count = gcal_sets_cardinality(&best->sizes, isl_set_copy(best->set));
    *premises = best->premises;
    isl_set_free(first.set);
    isl_set_free(second.set);
    return count;
}

/* Local arrays of groups that differ take long, so they are counted for atomics only. */
static bool is_affordable(const struct gcal_sets_image *image)
{
    const struct gcal_sets_nest *nest = image->nest;

    for (size_t d = 0; d < nest->n_dims; d++)
        if (!image->alike[d])
            return image->accesses[0]->atomic ||
                   nest->arrays[image->accesses[0]->array].space !=
                       GCAL_FEATURE_SPACE_LOCAL;
    return true;
}

/* ---- accesses of which each has an element of its own ---- */

enum { MOST_DIGITS = 8 };

struct digit {
    int64_t stride, trips;
};

static int compare_strides(const void *a, const void *b)
{
    const struct digit *x = a, *y = b;

    return (x->stride > y->stride) - (x->stride < y->stride);
}

/* The component's dimensions as digits of the subscript; SIZE_MAX if they are none.  Each
 * group has its own local arrays, so its ids are no digits of these.
 */
static size_t find_digits(const struct gcal_sets_image *image,
                          const struct gcal_sets_component *component,
                          struct digit *digits)
{
    const struct gcal_sets_domain *domain = component->domain;
    struct gcal_poly_context *c = image->nest->c;
    size_t n = 0;
    unsigned atom;

    for (size_t i = 0; i < domain->offset->n_terms; i++)
        if (!gcal_sets_bases_atom(c, &domain->offset->terms[i], &atom))
            return SIZE_MAX;
    for (size_t i = 0; i < component->n_dims; i++) {
        size_t dim = component->dims[i];
        struct digit d = { 0, 0 };

        if (image->by_group && dim < 2 * image->nest->n_dims && !domain->is_lid[dim])
            continue;
        if (n == MOST_DIGITS ||
            gcal_poly_contains_nested(c, domain->offset, domain->dims[dim]) ||
            !gcal_poly_is_constant(
                gcal_sets_bases_stride(c, domain->offset, domain->dims[dim]),
                &d.stride) ||
            !gcal_poly_is_constant(domain->trips[dim], &d.trips) || d.trips < 1)
            return SIZE_MAX;
        d.stride = d.stride < 0 ? -d.stride : d.stride;
        digits[n++] = d;
    }
    return n;
}

/* Returns whether no two points of the component have an element in common. */
static bool are_apart(const struct gcal_sets_image *image,
                      const struct gcal_sets_component *component)
{
    struct digit digits[MOST_DIGITS];
    size_t n = find_digits(image, component, digits);
    int64_t reach = image->accesses[0]->width - 1, more;

    if (n == SIZE_MAX)
        return false;
    qsort(digits, n, sizeof(*digits), compare_strides);
    for (size_t i = 0; i < n; i++) {
        if (digits[i].stride <= reach ||
            __builtin_mul_overflow(digits[i].stride, digits[i].trips - 1, &more) ||
            __builtin_add_overflow(reach, more, &reach))
            return false;
    }
    return true;
}

/* Their number, by the points of one access: cheap, and exact where groups differ.  NULL:
 * an element may be accessed twice.
 */
static const struct gcal_poly *count_apart(struct gcal_sets_image *image)
{
    const struct gcal_sets_access_event *first = image->accesses[0];
    const struct gcal_poly *points;
    struct gcal_sets_domain domain;
    struct gcal_sets_component component;

    for (size_t i = 1; i < image->n_accesses; i++)
        if (image->accesses[i]->scope != first->scope ||
            image->accesses[i]->width != first->width ||
            !gcal_poly_equal(image->accesses[i]->offset, first->offset))
            return NULL;
    if (!gcal_sets_image_component(image, first, &domain, &component) ||
        !are_apart(image, &component))
        return NULL;
    image->estimated = false; /* unknown conditions hold, but none may be left out */
    points = gcal_sets_component_count(&component);
    if (!points || image->estimated)
        return NULL;
    return gcal_poly_scale(image->nest->c, points, first->width, 1);
}

static const struct gcal_poly *count_images(struct gcal_sets_image *image,
                                            struct gcal_sets_premises *premises)
{
    struct gcal_sets_nest *nest = image->nest;
    const struct gcal_poly *count = NULL;

    if (!gcal_sets_begin_attempt(nest, MOST_OPERATIONS))
        return NULL;
    gcal_sets_image_find_apart(image);
    if (gcal_sets_image_prepare(image) && is_affordable(image))
        count = count_image(image, premises);
    if (gcal_sets_end_attempt(nest, count))
        return count;
    premises->n = 0;
    return NULL;
}

/* ---- accesses that others cover ---- */

static bool covers(const struct gcal_sets_access_event *a,
                   const struct gcal_sets_access_event *b)
{
    return a->width >= b->width && gcal_poly_equal(a->offset, b->offset) &&
           is_within(b->scope, a->scope);
}

/* The accesses without those that touch nothing that others do not; SIZE_MAX: too many. */
static size_t find_uncovered(size_t n,
                             const struct gcal_sets_access_event *const *accesses,
                             const struct gcal_sets_access_event **kept)
{
    size_t n_kept = 0;

    for (size_t i = 0; i < n; i++) {
        bool covered = false;
        size_t left = 0;

        for (size_t j = 0; j < n_kept && !covered; j++)
            covered = covers(kept[j], accesses[i]);
        if (covered)
            continue;
        for (size_t j = 0; j < n_kept; j++)
            if (!covers(accesses[i], kept[j]))
                kept[left++] = kept[j];
        if (left == GCAL_SETS_IMAGE_ACCESSES)
            return SIZE_MAX;
        kept[left] = accesses[i];
        n_kept = left + 1;
    }
    return n_kept;
}

const struct gcal_poly *
gcal_sets_footprint(struct gcal_sets_nest *nest, size_t n,
                    const struct gcal_sets_access_event *const *accesses,
                    struct gcal_sets_premises *premises)
{
    const struct gcal_sets_access_event *kept[GCAL_SETS_IMAGE_ACCESSES];
    struct gcal_sets_image image = { .nest = nest, .accesses = kept };
    const struct gcal_poly *count;

    premises->n = 0;
    for (size_t i = 0; i < n; i++)
        if (!accesses[i]->offset)
            return NULL;
    image.n_accesses = find_uncovered(n, accesses, kept);
    if (image.n_accesses == SIZE_MAX || !gcal_sets_nest_context(nest) ||
        !gcal_poly_may_attempt(nest->c))
        return NULL;
    find_alike(&image);
    if (!(count = count_apart(&image)))
        count = count_images(&image, premises);
    for (size_t d = 0; count && d < nest->n_dims; d++)
        if (image.alike[d])
            count = gcal_poly_mul(nest->c, count, nest->groups[d]);
    return count;
}
