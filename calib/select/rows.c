/* Rows of costs, and what they span */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/config/basis.h"
#include "calib/model/model.h"
#include "calib/model/profile.h"
#include "kernels/generate/generate.h"

/* Which costs can be told apart hardly depends on the device's. */
#define NOMINAL_SUB_GROUP 32

/* ---- rows ---- */

void gcal_config_rows_clear(struct gcal_config_rows *rows)
{
    free(rows->values);
    rows->values = NULL;
}

/* The linear model's gradient: what one second of each cost adds to the kernel's time. */
static void put_row(const struct gcal_model *costs, const double *features, double *row)
{
    double parameters[256];

    for (size_t i = 0; i < costs->n_parameters; i++)
        parameters[i] = 1;
    gcal_model_eval(costs, parameters, features, row);
}

int gcal_config_count_features(const struct gcal_kernel *kernel, size_t n,
                               const char *const *features, double *counts,
                               struct gcal_error *err)
{
    struct gcal_binding *binding =
        gcal_binding_create(kernel->profile, n, features, NOMINAL_SUB_GROUP, err);
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

/* A kernel that runs long does not show what launching it costs. */
static void hide_launch(const struct gcal_model *costs, double *features)
{
    for (size_t i = 0; i < costs->n_features; i++)
        if (strcmp(costs->features[i], "f_sync_kernel_launch") == 0)
            features[i] = 0;
}

int gcal_config_rows_add(struct gcal_config_rows *rows, const struct gcal_kernel *kernel,
                         struct gcal_error *err)
{
    size_t n = rows->costs->n_parameters;
    double *features = calloc(rows->costs->n_features + 1, sizeof(*features));
    double *moved = gcal_array_grow(rows->values, rows->n, &rows->capacity,
                                    (n + 1) * sizeof(*moved), err);
    int rc = -1;

    if (moved)
        rows->values = moved;
    if (!features)
        gcal_error_memory(err);
    if (features && moved &&
        gcal_config_count_features(kernel, rows->costs->n_features,
                                   (const char *const *)rows->costs->features, features,
                                   err) == 0) {
        if (!kernel->short_run)
            hide_launch(rows->costs, features);
        put_row(rows->costs, features, moved + rows->n++ * n);
        rc = 0;
    }
    free(features);
    return rc;
}

/* ---- what they span ---- */

int gcal_config_basis_init(struct gcal_config_basis *basis, size_t n_columns,
                           struct gcal_error *err)
{
    basis->n_columns = n_columns;
    basis->vectors = calloc(n_columns * n_columns + 1, sizeof(*basis->vectors));
    basis->scale = calloc(n_columns + 1, sizeof(*basis->scale));
    basis->scratch = calloc(n_columns + 1, sizeof(*basis->scratch));
    if (!basis->vectors || !basis->scale || !basis->scratch)
        return gcal_error_memory(err);
    return 0;
}

void gcal_config_basis_clear(struct gcal_config_basis *basis)
{
    free(basis->vectors);
    free(basis->scale);
    free(basis->scratch);
}

void gcal_config_basis_scale(struct gcal_config_basis *basis,
                             const struct gcal_config_rows *rows)
{
    for (size_t i = 0; i < rows->n * basis->n_columns; i++) {
        size_t column = i % basis->n_columns;

        basis->scale[column] = fmax(basis->scale[column], fabs(rows->values[i]));
    }
}

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double normalize(double *v, size_t n)
{
    double length = sqrt(dot(v, v, n));

    for (size_t i = 0; i < n && length > 0; i++)
        v[i] /= length;
    return length;
}

/* What is left of the vector in 'scratch', which becomes that, of unit length. */
static double reject(const struct gcal_config_basis *basis)
{
    size_t n = basis->n_columns;
    double *v = basis->scratch, left = normalize(v, n) > 0;

    for (int pass = 0; pass < 2 && left > 0; pass++) { /* twice is enough */
        for (size_t i = 0; i < basis->n; i++) {
            double along = dot(v, basis->vectors + i * n, n);

            for (size_t k = 0; k < n; k++)
                v[k] -= along * basis->vectors[i * n + k];
        }
        left *= normalize(v, n);
    }
    return left;
}

/* Row 'i' as a share of the most that there is of each cost. */
static double reject_row(const struct gcal_config_basis *basis,
                         const struct gcal_config_rows *rows, size_t i)
{
    size_t n = basis->n_columns;

    for (size_t k = 0; k < n; k++)
        basis->scratch[k] =
            basis->scale[k] > 0 ? rows->values[i * n + k] / basis->scale[k] : 0;
    return reject(basis);
}

bool gcal_config_basis_misses(const struct gcal_config_basis *basis,
                              const struct gcal_config_rows *rows, double least)
{
    for (size_t i = 0; i < rows->n; i++)
        if (reject_row(basis, rows, i) > least)
            return true;
    return false;
}

void gcal_config_basis_add(struct gcal_config_basis *basis,
                           const struct gcal_config_rows *rows)
{
    for (size_t i = 0; i < rows->n && basis->n < basis->n_columns; i++)
        if (reject_row(basis, rows, i) > GCAL_CONFIG_BASIS_LEAST)
            memcpy(basis->vectors + basis->n++ * basis->n_columns, basis->scratch,
                   basis->n_columns * sizeof(*basis->scratch));
}

/* ---- what is missing ---- */

/* The names of the features that cost 'i' multiplies. */
static char *features_of(const struct gcal_model *costs, size_t i, struct gcal_error *err)
{
    double *features = calloc(costs->n_features + 1, sizeof(*features));
    double *row = calloc(costs->n_parameters + 1, sizeof(*row));
    struct gcal_buf names = { 0 };
    double with;

    for (size_t k = 0; features && row && k < costs->n_features; k++)
        features[k] = 1;
    for (size_t k = 0; features && row && k < costs->n_features; k++) {
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
    free(features);
    free(row);
    return gcal_buf_take(&names, err);
}

int gcal_config_basis_check(const struct gcal_config_basis *basis,
                            const struct gcal_model *costs, struct gcal_error *err)
{
    for (size_t i = 0; i < basis->n_columns && basis->n < basis->n_columns; i++) {
        char *names;

        memset(basis->scratch, 0, basis->n_columns * sizeof(*basis->scratch));
        basis->scratch[i] = 1;
        if (reject(basis) <= GCAL_CONFIG_BASIS_LEAST)
            continue;
        if (!(names = features_of(costs, i, err)))
            return -1;
        gcal_error_set(err, GCAL_EINPUT,
                       "no measurement kernel tells the cost of %s from the others: name "
                       "one in 'kernels'",
                       names);
        free(names);
        return -1;
    }
    return 0;
}
