/* svd.c - singular value decomposition of a Jacobian with columns of length 1 */
#include <math.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

#include "kernels/base/error.h"
#include "fit/private.h"

/* A direction is not determined below this share of the largest singular value.  Noise
 * of real rows keeps determined directions far above; collinear columns are at rounding,
 * 1e-16.
 */
#define RANK_TOLERANCE 1e-8

/* Golub and Reinsch's method, which may not converge; then Jacobi's, which is slower. */
static int decompose(struct gcal_arena *arena, struct gcal_fit_svd *d)
{
    gsl_matrix *kept = gcal_fit_matrix(arena, d->u->size1, d->u->size2);
    int rc;

    gsl_matrix_memcpy(kept, d->u);
    rc = gsl_linalg_SV_decomp(d->u, d->v, d->s, d->work);
    if (rc != GSL_EMAXITER)
        return rc;
    gsl_matrix_memcpy(d->u, kept);
    return gsl_linalg_SV_decomp_jacobi(d->u, d->v, d->s);
}

int gcal_fit_svd_init(struct gcal_arena *arena, struct gcal_fit_svd *d,
                      const double *jacobian, size_t n_rows, size_t n_parameters,
                      const bool *skip, struct gcal_error *err)
{
    *d = (struct gcal_fit_svd){
        .column = gcal_arena_alloc(arena, n_parameters, sizeof(size_t)),
        .scale = gcal_arena_alloc(arena, n_parameters, sizeof(double))
    };
    for (size_t j = 0; j < n_parameters; j++)
        if (!skip || !skip[j])
            d->column[d->n++] = j;
    if (d->n == 0)
        return 0;
    if (n_rows == 0)
        return gcal_error_set(err, GCAL_EINPUT, "a Jacobian without rows");
    d->u = gcal_fit_matrix(arena, n_rows, d->n);
    d->v = gcal_fit_matrix(arena, d->n, d->n);
    d->s = gcal_fit_vector(arena, d->n);
    d->work = gcal_fit_vector(arena, d->n);
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
    if (decompose(arena, d) != 0)
        return gcal_error_set(err, GCAL_EINPUT, "the Jacobian cannot be decomposed");
    return 0;
}

bool gcal_fit_svd_is_null(const struct gcal_fit_svd *d, size_t k)
{
    return gsl_vector_get(d->s, k) <= RANK_TOLERANCE * gsl_vector_get(d->s, 0);
}
