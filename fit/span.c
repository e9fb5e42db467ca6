/* span.c - the span of vectors that come one by one */
#include "fit/span.h"

#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>

#include "kernels/base/arena.h"

struct gcal_fit_span {
    struct gcal_arena *arena;
    size_t n, rank;
    double *reflectors; /* rank x n: element k.. of row k */
    double *tau;        /* by reflection */
    double *rotated;    /* n: a vector after all reflections */
};

struct gcal_fit_span *gcal_fit_span_create(size_t n)
{
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_fit_span *span = gcal_arena_alloc(arena, 1, sizeof(*span));

    *span =
        (struct gcal_fit_span){ .arena = arena,
                                .n = n,
                                .reflectors =
                                    gcal_arena_alloc(arena, n * n, sizeof(double)),
                                .tau = gcal_arena_alloc(arena, n, sizeof(double)),
                                .rotated = gcal_arena_alloc(arena, n, sizeof(double)) };
    return span;
}

void gcal_fit_span_destroy(struct gcal_fit_span *span)
{
    gcal_arena_destroy(span ? span->arena : NULL);
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
