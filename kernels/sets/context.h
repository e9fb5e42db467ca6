/* context.h - sets of integer points, and how many they hold (isl; private to kernels)
 *
 * A frame names the dimensions of a set and the sizes it may depend on.  Sizes are
 * parameters of isl's: each product of parameters that occurs ("n", "n*m") is one, with
 * what is known about it ("n*m >= n") as the frame's facts.  Sets are isl's own, so they
 * can be joined, cut, and projected exactly; counting gives a polynomial again, with
 * floor, min and max of sizes where it has pieces.
 *
 * NULL means that something is not affine, took too long, or that memory is short: the
 * caller then says that the number is not known.
 */
#ifndef GCAL_KERNELS_SETS_CONTEXT_H
#define GCAL_KERNELS_SETS_CONTEXT_H

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>

#include "kernels/sets/sets.h"

enum { GCAL_SETS_MAX_SIZES = 24, GCAL_SETS_MAX_FACTS = 96 };

struct gcal_sets_context {
    struct gcal_poly_context *c;
    isl_ctx *isl;
    size_t n_dims, n_sizes, n_facts;
    unsigned dims[GCAL_SETS_MAX_DEPTH];                 /* atoms */
    const struct gcal_poly *sizes[GCAL_SETS_MAX_SIZES]; /* isl's parameters */
    const struct gcal_poly *facts[GCAL_SETS_MAX_FACTS]; /* >= 0, affine in the sizes */
    bool failed; /* more of one than there is room for */
};

/* One that keeps errors to itself. */
isl_ctx *gcal_sets_isl_create(void);
void gcal_sets_isl_destroy(isl_ctx *isl);

/* The value (taken) as a number; false when it is no integer, or a large one. */
bool gcal_sets_isl_integer(isl_val *value, int64_t *out);

/* ---- context.c ---- */

/* A frame without dimensions, which knows the context's assumptions.  Every polynomial
 * that is to become part of a set is shown to it before the first set is made.
 */
void gcal_sets_context_init(struct gcal_sets_context *context,
                            struct gcal_poly_context *c, isl_ctx *isl);
void gcal_sets_context_register(struct gcal_sets_context *context,
                                const struct gcal_poly *p);
void gcal_sets_context_register_condition(struct gcal_sets_context *context,
                                          const struct gcal_sets_condition *condition);
/* One more size, which is returned as its index; -1 when there is no room. */
int gcal_sets_context_add_size(struct gcal_sets_context *context,
                               const struct gcal_poly *monomial);

/* All points that agree with the facts. */
isl_basic_set *gcal_sets_context_universe(const struct gcal_sets_context *context);
isl_pw_aff *gcal_sets_context_affine(const struct gcal_sets_context *context,
                                     const struct gcal_poly *p);
/* An affine function of sizes alone. */
const struct gcal_poly *gcal_sets_context_poly(const struct gcal_sets_context *context,
                                               isl_aff *aff);
isl_set *gcal_sets_context_condition(const struct gcal_sets_context *context,
                                     const struct gcal_sets_condition *condition);
/* Points with 0 <= dimension < trips. */
isl_set *gcal_sets_context_range(const struct gcal_sets_context *context, size_t dim,
                                 const struct gcal_poly *trips);

/* ---- cardinality.c ---- */

/* How many points 'set' (taken) has, as a polynomial in sizes.  Its dimensions need not
 * be the frame's, its parameters are.
 */
const struct gcal_poly *gcal_sets_cardinality(struct gcal_sets_context *context,
                                              isl_set *set);

#endif
