/* rows.c - rows of costs and their span */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "kernels/model/model.h"
#include "kernels/model/profile.h"
#include "calib/select/private.h"
#include "calib/select/rows.h"
#include "fit/span.h"
#include "kernels/generate/generate.h"

/* ---- rows ---- */

/* The gradient of a linear model: the kernel's time per second of each cost. */
static void put_row(const struct gcal_model *costs, const double *features, double *row)
{
    double parameters[256];

    for (size_t i = 0; i < costs->n_parameters; i++)
        parameters[i] = 1;
    gcal_model_eval(costs, parameters, features, row);
}

/* Kernels are chosen before devices are known. */
static const struct gcal_binding_device nominal = {
    .sub_group_size = GCAL_SELECT_NOMINAL_SUB_GROUP,
    .compute_units = 100,
    .work_items = 2048,
    .work_groups = 32,
    .local_memory_bytes = 1 << 17,
    .cache_bytes = 1 << 25,
};

int gcal_select_count_features(const struct gcal_kernel *kernel, size_t n,
                               const char *const *features, double *counts,
                               struct gcal_error *err)
{
    struct gcal_binding *binding =
        gcal_binding_create_on(kernel->profile, n, features, &nominal, err);
    double *sizes = calloc(kernel->profile->n_parameters + 1, sizeof(*sizes));
    int rc = -1;

    if (!sizes)
        gcal_error_memory(err);
    else if (binding && gcal_kernel_size_values(kernel, sizes, err) == 0)
        rc = gcal_binding_eval(binding, sizes, counts, err);
    gcal_binding_destroy(binding);
    free(sizes);
    return rc;
}

/* The time of a long run does not depend on the cost of its launch. */
static int add_row(struct gcal_select_rows *rows, const struct gcal_kernel *kernel,
                   struct gcal_error *err)
{
    const struct gcal_model *costs = rows->costs;
    size_t n = costs->n_parameters;
    double *features =
        gcal_arena_alloc(rows->arena, costs->n_features, sizeof(*features));

    rows->values = gcal_arena_grow(rows->arena, rows->values, rows->n, &rows->capacity,
                                   (n + 1) * sizeof(*rows->values));
    if (gcal_select_count_features(kernel, costs->n_features,
                                   (const char *const *)costs->features, features,
                                   err) < 0)
        return -1;
    for (size_t i = 0; i < costs->n_features && !kernel->short_run; i++)
        if (strcmp(costs->features[i], "f_sync_kernel_launch") == 0)
            features[i] = 0;
    put_row(costs, features, rows->values + rows->n++ * n);
    return 0;
}

/* Sizes of one sweep have nearly proportional costs, so one row, of the largest, is
 * enough. Kernels that may run shorter than others are measured down to sizes where their
 * launch is all that takes time, and each is a row.
 */
int gcal_select_rows_add_list(struct gcal_select_rows *rows,
                              const struct gcal_kernel_list *list, struct gcal_error *err)
{
    for (size_t i = list->n_kernels; i-- > 0;) {
        size_t k = i + 1;

        while (!list->kernels[i]->short_run && k < list->n_kernels &&
               strcmp(list->kernels[k]->family, list->kernels[i]->family) != 0)
            k++;
        if ((list->kernels[i]->short_run || k == list->n_kernels) &&
            add_row(rows, list->kernels[i], err) < 0)
            return -1;
    }
    return 0;
}

/* ---- their span ---- */

GCAL_ARENA_DESTROYER(destroy_span, gcal_fit_span_destroy)

void gcal_select_basis_init(struct gcal_arena *arena, struct gcal_select_basis *basis,
                            size_t n_columns)
{
    *basis = (struct gcal_select_basis){
        .n_columns = n_columns,
        .scale = gcal_arena_alloc(arena, n_columns, sizeof(*basis->scale)),
        .scaled = gcal_arena_alloc(arena, n_columns, sizeof(*basis->scaled)),
        .span = gcal_arena_own(arena, gcal_fit_span_create(n_columns), destroy_span)
    };
}

void gcal_select_basis_scale(struct gcal_select_basis *basis,
                             const struct gcal_select_rows *rows)
{
    for (size_t i = 0; i < rows->n * basis->n_columns; i++) {
        size_t column = i % basis->n_columns;

        basis->scale[column] = fmax(basis->scale[column], fabs(rows->values[i]));
    }
    gcal_fit_span_reset(basis->span);
}

static void scale_row(struct gcal_select_basis *basis,
                      const struct gcal_select_rows *rows, size_t i)
{
    size_t n = basis->n_columns;

    for (size_t k = 0; k < n; k++)
        basis->scaled[k] =
            basis->scale[k] > 0 ? rows->values[i * n + k] / basis->scale[k] : 0;
}

bool gcal_select_basis_lacks(struct gcal_select_basis *basis,
                             const struct gcal_select_rows *rows, double share)
{
    for (size_t i = 0; i < rows->n; i++) {
        scale_row(basis, rows, i);
        if (gcal_fit_span_outside(basis->span, basis->scaled) > share)
            return true;
    }
    return false;
}

void gcal_select_basis_add(struct gcal_select_basis *basis,
                           const struct gcal_select_rows *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        scale_row(basis, rows, i);
        if (gcal_fit_span_outside(basis->span, basis->scaled) > GCAL_SELECT_LEAST_SHARE)
            gcal_fit_span_add(basis->span, basis->scaled);
    }
}

bool gcal_select_basis_is_complete(const struct gcal_select_basis *basis)
{
    return gcal_fit_span_rank(basis->span) == basis->n_columns;
}

/* ---- costs that are not identifiable ---- */

int gcal_select_basis_check(struct gcal_arena *arena, struct gcal_select_basis *basis,
                            const struct gcal_model *costs, struct gcal_error *err)
{
    double *features = gcal_arena_alloc(arena, costs->n_features, sizeof(*features));
    double *row = gcal_arena_alloc(arena, costs->n_parameters, sizeof(*row));
    struct gcal_buf names = { 0 };
    size_t i = 0;

    for (; i < basis->n_columns; i++) {
        memset(basis->scaled, 0, basis->n_columns * sizeof(*basis->scaled));
        basis->scaled[i] = 1;
        if (gcal_fit_span_outside(basis->span, basis->scaled) > GCAL_SELECT_LEAST_SHARE)
            break;
    }
    if (i == basis->n_columns)
        return 0;
    /* The names of the features that the cost is multiplied by. */
    for (size_t k = 0; k < costs->n_features; k++)
        features[k] = 1;
    for (size_t k = 0; k < costs->n_features; k++) {
        double with;

        put_row(costs, features, row);
        with = row[i];
        features[k] = 0;
        put_row(costs, features, row);
        features[k] = 1;
        if (row[i] != with)
            gcal_buf_printf(&names, "%s%s", names.size ? " * " : "", costs->features[k]);
    }
    if (!names.size)
        gcal_buf_puts(&names, costs->parameters[i].name);
    return gcal_error_set(err, GCAL_EINPUT,
                          "no measurement kernel distinguishes the cost of %s from the "
                          "others: name one in 'kernels'",
                          gcal_arena_take(arena, &names));
}
