/* footprint.c - the number of distinct elements that accesses touch
 *
 * A subscript is a sum of strides times dimensions.  Dimensions whose strides are
 * multiples of the same basis ("n", "n+2", 1) form one coordinate: 16*n*gid + n*lid + k
 * has the coordinate 16*gid + lid for the basis n, and k for the basis 1.  The
 * coordinates that the accesses reach are a set, which is counted exactly.  Different
 * coordinates are different elements when those of lower bases never reach the next
 * basis; when that cannot be proven for symbolic sizes, the footprint is unknown.
 */
#include <isl/constraint.h>
#include <isl/val.h>
#include <limits.h>

#include "kernels/sets/private.h"

enum { MOST_ACCESSES = 64, MOST_OPERATIONS = 60000 };

/* ---- coordinates ---- */

struct image {
    struct gcal_sets_nest *nest;
    size_t n_accesses;
    const struct gcal_sets_access_event *const *accesses;
    const struct gcal_poly
        *offsets[MOST_ACCESSES]; /* in the dimensions of their domains */
    struct gcal_sets_bases bases;
    bool estimated;
    bool apart;                     /* the accesses have different scopes */
    bool alike[GCAL_MAX_DIMS];      /* of a local array: the same in groups that differ in
                                       this id alone */
    struct gcal_sets_context sizes; /* with all sizes of the sets registered */
};

/* The dimensions in the access's offset, and those they depend on. */
static bool fill_component(struct image *image,
                           const struct gcal_sets_access_event *access,
                           struct gcal_sets_domain *domain,
                           struct gcal_sets_component *component)
{
    struct gcal_poly_context *c = image->nest->c;
    bool local = image->nest->arrays[access->array].space == GCAL_FEATURE_SPACE_LOCAL;
    bool wanted[GCAL_SETS_MAX_DIMS] = { false };

    *domain = (struct gcal_sets_domain){ .nest = image->nest,
                                         .mode = GCAL_SETS_COUNT_WORK_ITEMS,
                                         .offset = access->offset,
                                         .estimated = &image->estimated };
    if (!gcal_sets_domain_fill(domain, access->scope))
        return false;
    for (size_t i = 0; i < domain->n_dims; i++) {
        bool is_gid = i < 2 * image->nest->n_dims && !domain->is_lid[i];
        bool differs = local && is_gid && !image->alike[i / 2];

        if (!gcal_poly_contains(c, domain->offset, domain->dims[i]) && !differs)
            continue;
        for (size_t j = 0; j < domain->n_dims; j++)
            wanted[j] = wanted[j] || domain->component[j] == domain->component[i];
    }
    gcal_sets_component_fill(component, domain, wanted);
    return true;
}

/* The coordinate of basis 'b' as a function of the component's dimensions. */
static isl_pw_aff *coordinate(struct image *image,
                              const struct gcal_sets_context *context,
                              const struct gcal_poly *offset, size_t number, size_t b)
{
    struct gcal_poly_context *c = image->nest->c;
    const struct gcal_poly *sum = gcal_poly_integer(c, 0);
    int64_t numbers[GCAL_SETS_MAX_BASES];
    unsigned atom;

    for (size_t i = 0; i < offset->n_terms; i++) {
        bool seen = false;

        gcal_sets_bases_atom(c, &offset->terms[i], &atom);
        for (size_t j = 0; j < i; j++) {
            unsigned other;

            gcal_sets_bases_atom(c, &offset->terms[j], &other);
            seen = seen || other == atom;
        }
        if (seen || atom == UINT_MAX)
            continue;
        if (!gcal_sets_bases_split(c, &image->bases,
                                   gcal_sets_bases_stride(c, offset, atom), numbers))
            return NULL;
        sum = gcal_poly_add(
            c, sum, gcal_poly_scale(c, gcal_poly_from_atom(c, atom), numbers[b], 1));
    }
    if (!gcal_sets_bases_split(
            c, &image->bases, gcal_sets_bases_offset(c, image->offsets, number), numbers))
        return NULL;
    return gcal_sets_context_affine(
        context, gcal_poly_add(c, sum, gcal_poly_integer(c, numbers[b])));
}

/* Adds the further elements of vectors: up to width-1 in coordinate 0. */
static isl_set *widen(isl_set *set, int64_t width)
{
    isl_map *map = isl_map_universe(isl_space_map_from_set(isl_set_get_space(set)));
    isl_size n = isl_set_dim(set, isl_dim_set);

    for (int i = 1; i < n; i++)
        map = isl_map_equate(map, isl_dim_in, i, isl_dim_out, i);
    for (int side = 0; side < 2; side++) {
        isl_constraint *c = isl_constraint_alloc_inequality(
            isl_local_space_from_space(isl_map_get_space(map)));

        c = isl_constraint_set_coefficient_si(c, isl_dim_out, 0, side ? -1 : 1);
        c = isl_constraint_set_coefficient_si(c, isl_dim_in, 0, side ? 1 : -1);
        c = isl_constraint_set_constant_si(c, side ? (int)width - 1 : 0);
        map = isl_map_add_constraint(map, c);
    }
    return isl_set_apply(set, map);
}

/* The coordinates that one access reaches.  Each group has its own local arrays, so the
 * group ids are coordinates of those.  '*when': the sizes at which the domain's other
 * components have any point.
 */
static isl_set *reached(struct image *image, size_t number, isl_set **when)
{
    const struct gcal_sets_access_event *access = image->accesses[number];
    const struct gcal_sets_nest *nest = image->nest;
    struct gcal_sets_domain domain;
    struct gcal_sets_component component;
    isl_map *map = NULL, *one;
    isl_set *points;

    if (!fill_component(image, access, &domain, &component))
        return NULL;
    for (size_t i = 0; i < component.n_dims; i++)
        image->sizes.dims[i] = component.context.dims[i];
    image->sizes.n_dims = component.n_dims;
    component.context = image->sizes;
    points = gcal_sets_component_set(&component);
    *when = image->apart ? gcal_sets_component_others(&component) : NULL;
    for (size_t b = 0; b < image->bases.n; b++) {
        one = isl_map_from_pw_aff(
            coordinate(image, &component.context, domain.offset, number, b));
        map = b ? isl_map_flat_range_product(map, one) : one;
    }
    for (size_t d = 0; d < nest->n_dims; d++) {
        if (nest->arrays[access->array].space != GCAL_FEATURE_SPACE_LOCAL ||
            image->alike[d])
            continue;
        one = isl_map_from_pw_aff(
            gcal_sets_context_affine(&component.context, nest->gid[d]));
        map = isl_map_flat_range_product(map, one);
    }
    points = isl_set_apply(points, map);
    return access->width > 1 ? widen(points, access->width) : points;
}

/* ---- the order of coordinates ---- */

struct bound {
    const struct image *image;
    int sign;
    const struct gcal_poly *p;
};

static isl_stat add_piece(isl_set *where, isl_aff *aff, void *data)
{
    struct bound *bound = data;
    struct gcal_poly_context *c = bound->image->nest->c;
    const struct gcal_poly *p = gcal_sets_context_poly(&bound->image->sizes, aff);

    isl_set_free(where);
    isl_aff_free(aff);
    if (p && bound->p)
        p = (bound->sign > 0 ? gcal_poly_max : gcal_poly_min)(c, bound->p, p);
    bound->p = p;
    return p ? isl_stat_ok : isl_stat_error;
}

/* An upper (sign 1) or lower bound of coordinate 'b'. */
static const struct gcal_poly *bound_of(const struct image *image, isl_set *set, size_t b,
                                        int sign)
{
    struct bound bound = { image, sign, NULL };
    isl_pw_aff *value = sign > 0 ? isl_set_dim_max(isl_set_copy(set), (int)b)
                                 : isl_set_dim_min(isl_set_copy(set), (int)b);

    if (isl_pw_aff_foreach_piece(value, add_piece, &bound) < 0)
        bound.p = NULL;
    isl_pw_aff_free(value);
    return bound.p;
}

/* Whether different coordinates are different elements. */
static bool are_elements(const struct image *image, isl_set *set)
{
    struct gcal_poly_context *c = image->nest->c;
    const struct gcal_poly *reach = gcal_poly_integer(c, 0), *least, *most;

    for (size_t b = 0; b + 1 < image->bases.n; b++) {
        least = bound_of(image, set, b, -1);
        most = least ? bound_of(image, set, b, 1) : NULL;
        if (!most)
            return false;
        reach = gcal_poly_add(
            c, reach,
            gcal_poly_mul(c, image->bases.all[b], gcal_poly_sub(c, most, least)));
        if (!gcal_poly_is_nonnegative(
                c, gcal_poly_sub(c, image->bases.all[b + 1],
                                 gcal_poly_add(c, reach, gcal_poly_integer(c, 1)))))
            return false;
    }
    return true;
}

/* ---- the footprint ---- */

/* Groups access their local arrays alike where nothing depends on their id. */
static void find_alike(struct image *image)
{
    const struct gcal_sets_nest *nest = image->nest;
    bool local =
        nest->arrays[image->accesses[0]->array].space == GCAL_FEATURE_SPACE_LOCAL;
    struct gcal_sets_domain domain;
    struct gcal_sets_component component;

    for (size_t d = 0; d < nest->n_dims; d++)
        image->alike[d] = local;
    for (size_t i = 0; i < image->n_accesses && local; i++) {
        bool filled = fill_component(image, image->accesses[i], &domain, &component);

        for (size_t d = 0; d < nest->n_dims; d++)
            image->alike[d] =
                image->alike[d] && filled &&
                gcal_sets_domain_is_independent(&domain, 2 * d) &&
                !gcal_poly_contains(nest->c, domain.offset, domain.dims[2 * d]);
    }
}

/* Fills all but the bases. */
static bool prepare(struct image *image)
{
    struct gcal_sets_domain domain;
    struct gcal_sets_component component;
    unsigned atom;

    for (size_t i = 1; i < image->n_accesses; i++)
        image->apart =
            image->apart || image->accesses[i]->scope != image->accesses[0]->scope;
    image->sizes = *image->nest->context;
    find_alike(image);
    for (size_t i = 0; i < image->n_accesses; i++) {
        if (!fill_component(image, image->accesses[i], &domain, &component))
            return false;
        component.context = image->sizes;
        gcal_sets_component_register(&component);
        if (image->apart)
            gcal_sets_component_register_others(&component);
        image->offsets[i] = domain.offset;
        for (size_t j = 0; j < domain.offset->n_terms; j++)
            if (gcal_sets_bases_atom(image->nest->c, &domain.offset->terms[j], &atom) &&
                atom != UINT_MAX)
                gcal_sets_context_register(&component.context,
                                           gcal_poly_from_atom(image->nest->c, atom));
        image->sizes = component.context;
    }
    return true;
}

/* The union of what all accesses reach, each at the sizes at which it is made; sizes at
 * which none is made do not matter.
 */
static isl_set *reached_by_all(struct image *image)
{
    isl_set *reach[MOST_ACCESSES], *when[MOST_ACCESSES], *any = NULL, *all = NULL;
    size_t n = image->n_accesses;

    for (size_t i = 0; i < n; i++) {
        when[i] = NULL;
        reach[i] = reached(image, i, &when[i]);
        any = i ? isl_set_union(any, isl_set_copy(when[i])) : isl_set_copy(when[i]);
    }
    for (size_t i = 0; i < n; i++) {
        if (image->apart)
            reach[i] = isl_set_intersect_params(reach[i],
                                                isl_set_gist(when[i], isl_set_copy(any)));
        all = i ? isl_set_union(all, reach[i]) : reach[i];
    }
    isl_set_free(any);
    return isl_set_coalesce(all);
}

static const struct gcal_poly *count_image(struct image *image)
{
    const struct gcal_poly *count = NULL;
    isl_set *all = reached_by_all(image);

    if (all && are_elements(image, all))
        count = gcal_sets_cardinality(&image->sizes, isl_set_copy(all));
    isl_set_free(all);
    return count;
}

/* Local arrays of groups that differ take long, so they are counted for atomics only. */
static bool is_affordable(const struct image *image)
{
    const struct gcal_sets_nest *nest = image->nest;

    for (size_t d = 0; d < nest->n_dims; d++)
        if (!image->alike[d])
            return image->accesses[0]->atomic ||
                   nest->arrays[image->accesses[0]->array].space !=
                       GCAL_FEATURE_SPACE_LOCAL;
    return true;
}

const struct gcal_poly *
gcal_sets_footprint(struct gcal_sets_nest *nest, size_t n,
                    const struct gcal_sets_access_event *const *accesses)
{
    struct image image = { .nest = nest, .n_accesses = n, .accesses = accesses };
    const struct gcal_poly *count = NULL;
    bool known;

    for (size_t i = 0; i < n; i++)
        if (!accesses[i]->offset)
            return NULL;
    if (n > MOST_ACCESSES || !gcal_sets_begin_attempt(nest, MOST_OPERATIONS))
        return NULL;
    known = prepare(&image) && is_affordable(&image);
    for (int whole = 1; whole >= 0 && known && !count; whole--)
        if (gcal_sets_bases_find(nest->c, n, image.offsets, whole, &image.bases))
            count = count_image(&image);
    if (!gcal_sets_end_attempt(nest))
        return NULL;
    for (size_t d = 0; count && d < nest->n_dims; d++)
        if (image.alike[d])
            count = gcal_poly_mul(nest->c, count, nest->groups[d]);
    return count;
}
