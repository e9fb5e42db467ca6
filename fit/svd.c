/* svd.c - singular value decomposition of a Jacobian with columns of length 1 */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

#include "kernels/base/error.h"
#include "fit/private.h"

/* A direction is not determined below this share of the largest singular value.  Noise
 * of real rows keeps determined directions far above; collinear columns are at rounding,
 * 1e-16.
 */
#define RANK_TOLERANCE 1e-8

void gcal_fit_svd_clear(struct gcal_fit_svd *d)
{
    free(d->column);
    free(d->scale);
    gsl_matrix_free(d->u);
    gsl_matrix_free(d->v);
    gsl_vector_free(d->s);
    gsl_vector_free(d->work);
}

/* Golub and Reinsch's method, which may not converge; then Jacobi's, which is slower. */
static int decompose(struct gcal_fit_svd *d)
{
    gsl_matrix *kept = gsl_matrix_alloc(d->u->size1, d->u->size2);
    int rc = GSL_ENOMEM;

    if (kept) {
        gsl_matrix_memcpy(kept, d->u);
        rc = gsl_linalg_SV_decomp(d->u, d->v, d->s, d->work);
    }
    if (kept && rc == GSL_EMAXITER) {
        gsl_matrix_memcpy(d->u, kept);
        rc = gsl_linalg_SV_decomp_jacobi(d->u, d->v, d->s);
    }
    gsl_matrix_free(kept);
    return rc;
}

int gcal_fit_svd_init(struct gcal_fit_svd *d, const double *jacobian, size_t n_rows,
                      size_t n_parameters, const bool *skip, struct gcal_error *err)
{
    *d = (struct gcal_fit_svd){ .column = calloc(n_parameters + 1, sizeof(size_t)),
                                .scale = calloc(n_parameters + 1, sizeof(double)) };
    if (!d->column || !d->scale)
        return gcal_error_memory(err);
    for (size_t j = 0; j < n_parameters; j++)
        if (!skip || !skip[j])
            d->column[d->n++] = j;
    if (d->n == 0)
        return 0;
    d->u = gsl_matrix_alloc(n_rows, d->n);
    d->v = gsl_matrix_alloc(d->n, d->n);
    d->s = gsl_vector_alloc(d->n);
    d->work = gsl_vector_alloc(d->n);
    if (!d->u || !d->v || !d->s || !d->work)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n_rows; i++)
        for (size_t k = 0; k < d->n; k++)
            gsl_matrix_set(d->u, i, k, jacobian[i * n_parameters + d->column[k]]);
    for (size_t j = 0; j < d->n; j++) {
        gsl_vector_view column = gsl_matrix_column(d->u, j);
        double largest =
            fabs(gsl_vector_get(&column.vector, gsl_blas_idamax(&column.vector)));

        if (!(largest > 0))
            continue;
        gsl_vector_scale(&column.vector, 1 / largest); /* squares of 1e-200 are 0 */
        d->scale[j] = gsl_blas_dnrm2(&column.vector);
        gsl_vector_scale(&column.vector, 1 / d->scale[j]);
        d->scale[j] *= largest;
    }
    if (decompose(d) != 0)
        return gcal_error_set(err, GCAL_EINPUT, "the Jacobian cannot be decomposed");
    return 0;
}

bool gcal_fit_svd_is_null(const struct gcal_fit_svd *d, size_t k)
{
    return gsl_vector_get(d->s, k) <= RANK_TOLERANCE * gsl_vector_get(d->s, 0);
}
