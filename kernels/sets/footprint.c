/* footprint.c - the number of distinct elements that accesses touch
 *
 * The coordinates that the accesses reach (image.c) are a set, which is counted exactly.
 * Different coordinates are different elements when those of lower bases never reach the
 * next basis; when that cannot be proven for symbolic sizes, the footprint is unknown.
 */
#include "kernels/sets/private.h"

enum { MOST_OPERATIONS = 60000 };

bool gcal_sets_image_is_injective(const struct gcal_sets_image *image, isl_set *set,
                                  int64_t margin)
{
    struct gcal_poly_context *c = image->nest->c;
    const struct gcal_poly *reach = gcal_poly_integer(c, 0), *least, *most;

    for (size_t b = 0; b + 1 < image->bases.n; b++) {
        least = gcal_sets_image_bound(image, set, b, -1);
        most = least ? gcal_sets_image_bound(image, set, b, 1) : NULL;
        if (!most)
            return false;
        reach = gcal_poly_add(
            c, reach,
            gcal_poly_mul(c, image->bases.all[b], gcal_poly_sub(c, most, least)));
        if (!gcal_poly_is_nonnegative(
                c, gcal_poly_sub(c, image->bases.all[b + 1],
                                 gcal_poly_add(c, reach, gcal_poly_integer(c, 1 + margin)))))
            return false;
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

void gcal_sets_image_find_apart(struct gcal_sets_image *image)
{
    for (size_t i = 1; i < image->n_accesses; i++)
        image->apart =
            image->apart || image->accesses[i]->scope != image->accesses[0]->scope;
}

static const struct gcal_poly *count_image(struct gcal_sets_image *image)
{
    const struct gcal_poly *count = NULL;
    isl_set *all = gcal_sets_image_set(image);

    if (all && gcal_sets_image_is_injective(image, all, 0))
        count = gcal_sets_cardinality(&image->sizes, isl_set_copy(all));
    isl_set_free(all);
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

const struct gcal_poly *
gcal_sets_footprint(struct gcal_sets_nest *nest, size_t n,
                    const struct gcal_sets_access_event *const *accesses)
{
    struct gcal_sets_image image = { .nest = nest,
                                     .n_accesses = n,
                                     .accesses = accesses };
    const struct gcal_poly *count = NULL;
    bool known;

    for (size_t i = 0; i < n; i++)
        if (!accesses[i]->offset)
            return NULL;
    if (n > GCAL_SETS_IMAGE_ACCESSES || !gcal_sets_begin_attempt(nest, MOST_OPERATIONS))
        return NULL;
    find_alike(&image);
    gcal_sets_image_find_apart(&image);
    known = gcal_sets_image_prepare(&image) && is_affordable(&image);
    for (int whole = 1; whole >= 0 && known && !count; whole--)
        if (gcal_sets_bases_find(nest->c, n, image.offsets, whole, true, &image.bases))
            count = count_image(&image);
    if (!gcal_sets_end_attempt(nest))
        return NULL;
    for (size_t d = 0; count && d < nest->n_dims; d++)
        if (image.alike[d])
            count = gcal_poly_mul(nest->c, count, nest->groups[d]);
    return count;
}
