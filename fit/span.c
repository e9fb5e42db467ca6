/* span.c - the span of vectors that come one by one */
#include "fit/span.h"

#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

#include "kernels/base/error.h"

struct gcal_fit_span {
    size_t n, rank;
    double *reflectors; /* rank x n: element k.. of row k */
    double *tau;        /* by reflection */
    double *rotated;    /* n: a vector after all reflections */
};

struct gcal_fit_span *gcal_fit_span_create(size_t n, struct gcal_error *err)
{
    struct gcal_fit_span *span = calloc(1, sizeof(*span));

    if (span) {
        span->n = n;
        span->reflectors = calloc(n * n + 1, sizeof(*span->reflectors));
        span->tau = calloc(n + 1, sizeof(*span->tau));
        span->rotated = calloc(n + 1, sizeof(*span->rotated));
    }
    if (span && span->reflectors && span->tau && span->rotated)
        return span;
    gcal_fit_span_destroy(span);
    gcal_error_memory(err);
    return NULL;
}

void gcal_fit_span_destroy(struct gcal_fit_span *span)
{
    if (!span)
        return;
    free(span->reflectors);
    free(span->tau);
    free(span->rotated);
    free(span);
}

void gcal_fit_span_reset(struct gcal_fit_span *span)
{
    span->rank = 0;
}

size_t gcal_fit_span_rank(const struct gcal_fit_span *span)
{
    return span->rank;
}

static double norm(double *v, size_t n)
{
    gsl_vector_view view = gsl_vector_view_array(v, n);

    return gsl_blas_dnrm2(&view.vector);
}

double gcal_fit_span_outside(struct gcal_fit_span *span, const double *vector)
{
    size_t n = span->n;
    double length;

    if (span->rank == n)
        return 0;
    memcpy(span->rotated, vector, n * sizeof(*vector));
    if (!((length = norm(span->rotated, n)) > 0))
        return 0;
    for (size_t k = 0; k < span->rank; k++) {
        gsl_vector_view reflector =
            gsl_vector_view_array(span->reflectors + k * n + k, n - k);
        gsl_vector_view rest = gsl_vector_view_array(span->rotated + k, n - k);

        gsl_linalg_householder_hv(span->tau[k], &reflector.vector, &rest.vector);
    }
    return norm(span->rotated + span->rank, n - span->rank) / length;
}

void gcal_fit_span_add(struct gcal_fit_span *span, const double *vector)
{
    size_t k = span->rank, n = span->n;
    double *row = span->reflectors + k * n;
    gsl_vector_view reflector;

    if (!(gcal_fit_span_outside(span, vector) > 0))
        return;
    memcpy(row, span->rotated, n * sizeof(*row));
    reflector = gsl_vector_view_array(row + k, n - k);
    span->tau[k] = gsl_linalg_householder_transform(&reflector.vector);
    span->rank++;
}
