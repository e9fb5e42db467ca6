/* points.c - the sizes at which a space is ranked, as tags */
#include <stdlib.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/commands/tune/private.h"

void gcal_tune_points_clear(struct gcal_tune_points *points)
{
    gcal_count_points_clear(&points->points);
    gcal_strings_clear(&points->names);
}

int gcal_tune_points_parse(const struct gcal_option_list *texts,
                           struct gcal_tune_points *points, struct gcal_error *err)
{
    struct gcal_profile sizes = { 0 };

    *points = (struct gcal_tune_points){ 0 };
    if (gcal_count_points_names(texts->n, texts->items, &points->names, err) < 0)
        return -1;
    sizes.n_parameters = points->names.n;
    sizes.parameters = points->names.items;
    return gcal_count_points_parse(texts->n, texts->items, &sizes, NULL, &points->points,
                                   err);
}

int gcal_tune_points_tags(const struct gcal_tune_points *points, size_t point,
                          struct gcal_strings *tags, struct gcal_error *err)
{
    const double *values = points->points.values + point * points->points.n_sizes;

    for (size_t i = 0; i < points->names.n; i++)
        if (gcal_strings_take(
                tags, gcal_buf_format("%s:%.0f", points->names.items[i], values[i]),
                err) < 0)
            return -1;
    return 0;
}

char *gcal_tune_points_name(const struct gcal_tune_points *points, size_t point)
{
    const struct gcal_profile sizes = { .n_parameters = points->names.n,
                                        .parameters = points->names.items };

    return gcal_count_point_name(&sizes,
                                 points->points.values + point * points->points.n_sizes);
}
