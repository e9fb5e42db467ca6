/* image.c - the elements that accesses touch, as sets of coordinates
 *
 * A subscript is a sum of strides times dimensions.  Dimensions whose strides are
 * multiples of the same basis ("n", "n+2", 1) form one coordinate: 16*n*gid + n*lid + k
 * has the coordinate 16*gid + lid for the basis n, and k for the basis 1.
 */
#include <isl/constraint.h>
#include <isl/val.h>
#include <limits.h>

#include "kernels/sets/private.h"

/* ---- coordinates ---- */

bool gcal_sets_image_component(struct gcal_sets_image *image,
                               const struct gcal_sets_access_event *access,
                               struct gcal_sets_domain *domain,
                               struct gcal_sets_component *component)
{
    struct gcal_poly_context *c = image->nest->c;
    bool wanted[GCAL_SETS_MAX_DIMS] = { false };

    *domain = (struct gcal_sets_domain){ .nest = image->nest,
                                         .mode = GCAL_SETS_COUNT_WORK_ITEMS,
                                         .offset = access->offset,
                                         .keeps_groups = image->by_group,
                                         .estimated = &image->estimated };
    if (!gcal_sets_domain_fill(domain, access->scope))
        return false;
    for (size_t i = 0; i < domain->n_dims; i++) {
        bool is_gid = i < 2 * image->nest->n_dims && !domain->is_lid[i];
        bool differs = image->by_group && is_gid && !image->alike[i / 2];

        if (!gcal_poly_contains(c, domain->offset, domain->dims[i]) && !differs)
            continue;
        for (size_t j = 0; j < domain->n_dims; j++)
            wanted[j] = wanted[j] || domain->component[j] == domain->component[i];
    }
    gcal_sets_component_fill(component, domain, wanted);
    return true;
}

/* The coordinate of basis 'b' as a function of the component's dimensions. */
static isl_pw_aff *coordinate(struct gcal_sets_image *image,
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
static isl_set *reached(struct gcal_sets_image *image, size_t number, isl_set **when)
{
    const struct gcal_sets_access_event *access = image->accesses[number];
    const struct gcal_sets_nest *nest = image->nest;
    struct gcal_sets_domain domain;
    struct gcal_sets_component component;
    isl_map *map = NULL, *one;
    isl_set *points;

    if (!gcal_sets_image_component(image, access, &domain, &component))
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
        if (!image->by_group || image->alike[d])
            continue;
        one = isl_map_from_pw_aff(
            gcal_sets_context_affine(&component.context, nest->gid[d]));
        map = isl_map_flat_range_product(map, one);
    }
    points = isl_set_apply(points, map);
    return access->width > 1 ? widen(points, access->width) : points;
}

bool gcal_sets_image_prepare(struct gcal_sets_image *image)
{
    struct gcal_sets_domain domain;
    struct gcal_sets_component component;
    unsigned atom;

    image->sizes = *image->nest->context;
    for (size_t i = 0; i < image->n_accesses; i++) {
        if (!gcal_sets_image_component(image, image->accesses[i], &domain, &component))
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

isl_set *gcal_sets_image_set(struct gcal_sets_image *image)
{
    isl_set *reach[GCAL_SETS_IMAGE_ACCESSES], *when[GCAL_SETS_IMAGE_ACCESSES],
        *any = NULL, *all = NULL;
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

/* ---- bounds of a coordinate ---- */

struct bound {
    const struct gcal_sets_image *image;
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

static isl_pw_aff *end_of(isl_set *set, size_t b, int sign)
{
    return sign > 0 ? isl_set_dim_max(isl_set_copy(set), (int)b)
                    : isl_set_dim_min(isl_set_copy(set), (int)b);
}

const struct gcal_poly *gcal_sets_image_bound(const struct gcal_sets_image *image,
                                              isl_set *set, size_t b, int sign)
{
    struct bound bound = { image, sign, NULL };
    isl_pw_aff *value = end_of(set, b, sign);

    if (isl_pw_aff_foreach_piece(value, add_piece, &bound) < 0)
        bound.p = NULL;
    isl_pw_aff_free(value);
    return bound.p;
}

struct tight_bound {
    const struct gcal_sets_image *image;
    int sign;
    isl_pw_aff *value; /* of the end */
    const struct gcal_poly *p;
};

static isl_stat add_tight_piece(isl_set *where, isl_aff *aff, void *data)
{
    struct tight_bound *bound = data;
    struct gcal_poly_context *c = bound->image->nest->c;
    const struct gcal_poly *p;

    /* The end must be nowhere beyond 'aff'. */
    isl_pw_aff *value = isl_pw_aff_copy(bound->value),
               *other = isl_pw_aff_from_aff(isl_aff_copy(aff));
    isl_set *all = isl_pw_aff_domain(isl_pw_aff_copy(value));
    isl_set *within = bound->sign > 0 ? isl_pw_aff_le_set(value, other)
                                      : isl_pw_aff_ge_set(value, other);
    bool is = isl_set_is_subset(all, within) == isl_bool_true;

    isl_set_free(all);
    isl_set_free(within);
    if (is && (p = gcal_sets_context_poly(&bound->image->sizes, aff)))
        bound->p = !bound->p         ? p
                   : bound->sign > 0 ? gcal_poly_min(c, bound->p, p)
                                     : gcal_poly_max(c, bound->p, p);
    isl_set_free(where);
    isl_aff_free(aff);
    return isl_stat_ok;
}

const struct gcal_poly *gcal_sets_image_tight_bound(const struct gcal_sets_image *image,
                                                    isl_set *set, size_t b, int sign)
{
    struct tight_bound bound = { image, sign, end_of(set, b, sign), NULL };
    bool whole = isl_pw_aff_foreach_piece(bound.value, add_tight_piece, &bound) >= 0;

    isl_pw_aff_free(bound.value);
    return whole && bound.p ? bound.p : gcal_sets_image_bound(image, set, b, sign);
}
