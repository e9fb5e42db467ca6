/* image.c - accesses to images as those to an array
 *
 * How devices lay images out is unknown; tiles of rows and columns, mostly, which are as good
 * for either order as rows are for one.  Texels are taken to follow each other in rows, and
 * rows to be longer than any image's, so that each has sectors and lines of its own: what a
 * work-group or the launch touches is right for any layout, but for the ends of rows.
 */
#include <inttypes.h>

#include "kernels/model/dtype.h"
#include "kernels/count/private.h"

/* Rows begin where lines do, whatever a texel has. */
enum { ROW_TEXELS = 128 };

/* A place as an offset in elements. */
static const struct gcal_poly *offset_of(struct gcal_count_builder *m,
                                         const struct gcal_poly *place, int64_t width)
{
    const struct gcal_poly *row = gcal_poly_parameter(m->c, GCAL_SETS_IMAGE_ROW);

    if (!place)
        return NULL;
    place = gcal_poly_substitute(m->c, place, gcal_poly_atom_index(row),
                                 gcal_poly_scale(m->c, row, ROW_TEXELS, 1));
    return gcal_poly_scale(m->c, place, width, 1);
}

static const struct gcal_sets_range *
range_of(struct gcal_count_builder *m, const struct gcal_sets_range *range, int64_t width)
{
    struct gcal_sets_range *to = range ? gcal_poly_alloc(m->c, sizeof(*to)) : NULL;

    if (to)
        *to = (struct gcal_sets_range){ range->values, offset_of(m, range->unit, width),
                                        offset_of(m, range->apart, width),
                                        range_of(m, range->a, width),
                                        range_of(m, range->b, width) };
    return to;
}

const struct gcal_poly *gcal_count_without_rows(struct gcal_count_builder *m,
                                                const struct gcal_poly *p)
{
    static const char *const extents[] = { GCAL_SETS_IMAGE_ROW, GCAL_SETS_IMAGE_PLANE };

    for (size_t i = 0; i < sizeof(extents) / sizeof(*extents) && p; i++)
        if (gcal_poly_contains(
                m->c, p, gcal_poly_atom_index(gcal_poly_parameter(m->c, extents[i]))))
            return NULL;
    return p;
}

static void locate(struct gcal_count_builder *m, struct gcal_sets_access_event *e)
{
    int64_t texel = m->nest->arrays[e->array].texel_bytes;
    int64_t size = (int64_t)gcal_dtype_size(e->dtype);

    if (!texel)
        gcal_sets_nest_note(m->nest, e->line, e->column,
                            gcal_poly_format(m->c,
                                             "the format of this image is unknown: its "
                                             "texels are counted as of %" PRId64 " bytes",
                                             size * e->width));
    else if (texel >= size)
        e->width = texel / size;
    else {
        e->dtype = texel == 1 ? "uint8" : "uint16";
        e->width = 1;
    }
    gcal_sets_nest_note(m->nest, e->line, e->column,
                        "how the device lays out this image is unknown: its traffic is "
                        "counted as if rows followed each other");
    e->near = offset_of(m, e->place ? e->place : e->near, e->width);
    e->offset = e->place ? e->near : NULL;
    e->range = range_of(m, e->range, e->width);
}

void gcal_count_builder_locate_images(struct gcal_count_builder *m)
{
    for (size_t i = 0; i < m->nest->n_accesses && m->request->sector_bytes; i++)
        if (m->nest->arrays[m->nest->accesses[i].array].space == GCAL_FEATURE_SPACE_IMAGE)
            locate(m, &m->nest->accesses[i]);
}
