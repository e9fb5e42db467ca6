/* counts.c - the counts of one feature in the kernels of a record */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/private.h"

int gcal_result_counts_init(struct gcal_result_counts *c,
                            const struct gcal_record *record, const char *feature,
                            struct gcal_error *err)
{
    size_t n = record->n_kernels;
    char *expression = gcal_buf_format("p_each * %s", feature);

    *c = (struct gcal_result_counts){ .record = record };
    if (expression)
        c->model = gcal_model_create("counts", "f_cl_wall_time", expression, err);
    else
        gcal_error_memory(err);
    free(expression);
    if (!c->model)
        return -1;
    if (!(c->counts = calloc(n + 1, sizeof(*c->counts))))
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++)
        c->counts[i] = NAN;
    return 0;
}

void gcal_result_counts_clear(struct gcal_result_counts *c)
{
    gcal_model_destroy(c->model);
    free(c->counts);
}

/* The count of the row's kernel; NaN if it is 0. */
static int count_of(struct gcal_result_counts *c, const struct gcal_result_row *row,
                    double *count, struct gcal_error *err)
{
    struct gcal_result_row one = *row;
    const struct gcal_result_rows rows = { .n = 1, .rows = &one };
    double *features;

    if (isnan(c->counts[row->kernel])) {
        if (!(features = gcal_result_features(c->record, c->model, &rows, err)))
            return -1;
        c->counts[row->kernel] = features[0];
        free(features);
    }
    *count = c->counts[row->kernel] > 0 ? c->counts[row->kernel] : NAN;
    return 0;
}

int gcal_result_compare_component(struct gcal_result_counts *c,
                                  const struct gcal_result_row *component,
                                  const struct gcal_result_row *target,
                                  struct gcal_result_nearest *nearest,
                                  struct gcal_error *err)
{
    double of_component, of_target, distance;

    if (count_of(c, component, &of_component, err) < 0 ||
        count_of(c, target, &of_target, err) < 0)
        return -1;
    distance = fabs(log(of_component / of_target));
    if (distance < nearest->distance ||
        (distance == nearest->distance && component->time_s > nearest->time_s))
        *nearest = (struct gcal_result_nearest){ distance, component->time_s,
                                                 component->time_s / of_component *
                                                     of_target / target->time_s };
    return 0;
}
