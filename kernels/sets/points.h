/* points.h - sets of integer points, and how many they hold (isl; private to kernels)
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
#ifndef GCAL_KERNELS_SETS_POINTS_H
#define GCAL_KERNELS_SETS_POINTS_H

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/space.h>

#include "kernels/sets/sets.h"

enum { GCAL_MAX_SIZES = 24, GCAL_MAX_FACTS = 96 };

struct gcal_frame {
    struct gcal_polys *c;
    isl_ctx *isl;
    size_t n_dims, n_sizes, n_facts;
    unsigned dims[GCAL_MAX_NEST];                  /* atoms */
    const struct gcal_poly *sizes[GCAL_MAX_SIZES]; /* isl's parameters */
    const struct gcal_poly *facts[GCAL_MAX_FACTS]; /* >= 0, affine in the sizes */
    bool failed; /* more of one than there is room for */
};

/* One that keeps errors to itself. */
isl_ctx *gcal_isl_create(void);
void gcal_isl_destroy(isl_ctx *isl);

/* The value (taken) as a number; false when it is no integer, or a large one. */
bool gcal_isl_integer(isl_val *value, int64_t *out);

/* ---- frame.c ---- */

/* A frame without dimensions, which knows the context's assumptions.  Every polynomial
 * that is to become part of a set is shown to it before the first set is made.
 */
void gcal_frame_init(struct gcal_frame *frame, struct gcal_polys *c, isl_ctx *isl);
void gcal_frame_learn(struct gcal_frame *frame, const struct gcal_poly *p);
void gcal_frame_learn_condition(struct gcal_frame *frame,
                                const struct gcal_condition *condition);
/* One more size, which is returned as its index; -1 when there is no room. */
int gcal_frame_add_size(struct gcal_frame *frame, const struct gcal_poly *monomial);

/* All points that agree with the facts. */
isl_basic_set *gcal_frame_universe(const struct gcal_frame *frame);
isl_pw_aff *gcal_frame_affine(const struct gcal_frame *frame, const struct gcal_poly *p);
/* An affine function of sizes alone. */
const struct gcal_poly *gcal_frame_poly(const struct gcal_frame *frame, isl_aff *aff);
isl_set *gcal_frame_condition(const struct gcal_frame *frame,
                              const struct gcal_condition *condition);
/* Points with 0 <= dimension < trips. */
isl_set *gcal_frame_range(const struct gcal_frame *frame, size_t dim,
                          const struct gcal_poly *trips);

/* ---- points.c ---- */

/* How many points 'set' (taken) has, as a polynomial in sizes.  Its dimensions need not
 * be the frame's, its parameters are.
 */
const struct gcal_poly *gcal_points_count(struct gcal_frame *frame, isl_set *set);

#endif
