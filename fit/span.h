/* span.h - the span of vectors that come one by one
 *
 * An orthogonal basis by Householder reflections: vector k that is added defines
 * reflection k, and the reflections so far rotate a vector such that all but its first
 * 'rank' elements are outside of the span (G. H. Golub and C. F. Van Loan, Matrix
 * Computations, 2013, section 5.2).
 */
#ifndef GCAL_FIT_SPAN_H
#define GCAL_FIT_SPAN_H

#include <stddef.h>

struct gcal_fit_span; /* opaque */

/* The empty span, of vectors of 'n' elements. */
struct gcal_fit_span *gcal_fit_span_create(size_t n);
/* Does nothing if 'span' is NULL. */
void gcal_fit_span_destroy(struct gcal_fit_span *span);
/* Makes it empty. */
void gcal_fit_span_reset(struct gcal_fit_span *span);

/* Number of dimensions. */
size_t gcal_fit_span_rank(const struct gcal_fit_span *span);
/* The share, 0 to 1, of the vector's length that is outside of the span; 0 for the zero
 * vector.
 */
double gcal_fit_span_outside(struct gcal_fit_span *span, const double *vector);
/* Adds a vector with gcal_fit_span_outside() above 0. */
void gcal_fit_span_add(struct gcal_fit_span *span, const double *vector);

#endif
