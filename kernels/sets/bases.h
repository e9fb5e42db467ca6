/* bases.h - what the strides of subscripts are times of: 1, n, n+2, n*m (private to
 * bases.c and footprint.c)
 */
#ifndef GCAL_KERNELS_SETS_BASES_H
#define GCAL_KERNELS_SETS_BASES_H

#include "kernels/poly/poly.h"

struct gcal_poly_term;

enum { GCAL_SETS_MAX_BASES = 6 };

struct gcal_sets_bases {
    size_t n;
    const struct gcal_poly *all[GCAL_SETS_MAX_BASES]; /* rising, the first is 1 */
    int64_t numbers[GCAL_SETS_MAX_BASES]; /* while they are sought: what strides are times
                                             of */
};

/* The bases of 'n' subscripts: of their whole strides ("n+2"), or of the products of
 * sizes in these ("n" and 1).  False when a subscript is not affine, or strides cannot be
 * compared.
 */
bool gcal_sets_bases_find(struct gcal_poly_context *c, size_t n,
                          const struct gcal_poly *const *offsets, bool whole,
                          struct gcal_sets_bases *bases);

/* p as numbers (one per basis) times the bases; false when it is none. */
bool gcal_sets_bases_split(struct gcal_poly_context *c,
                           const struct gcal_sets_bases *bases, const struct gcal_poly *p,
                           int64_t *numbers);

/* The atom with dimensions in a term, UINT_MAX without; false when there are several. */
bool gcal_sets_bases_atom(struct gcal_poly_context *c, const struct gcal_poly_term *t,
                          unsigned *atom);

/* What 'atom' (UINT_MAX: nothing) is multiplied with in the offset. */
const struct gcal_poly *gcal_sets_bases_stride(struct gcal_poly_context *c,
                                               const struct gcal_poly *offset,
                                               unsigned atom);

/* What subscript 'to' has added, less what the first has. */
const struct gcal_poly *gcal_sets_bases_offset(struct gcal_poly_context *c,
                                               const struct gcal_poly *const *offsets,
                                               size_t to);

#endif
