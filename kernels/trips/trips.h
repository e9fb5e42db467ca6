/* trips.h - how often loops run, and what holds in some iteration of them
 *
 * The condition under which a loop goes on is given for its iteration v, a dimension: the
 * trip count is the first value of v at which it fails.
 */
#ifndef GCAL_KERNELS_TRIPS_H
#define GCAL_KERNELS_TRIPS_H

#include "kernels/poly/poly.h"
#include "kernels/sets/sets.h"

/* What is known where the loop begins. */
struct gcal_trips_loop {
    struct gcal_poly_context *c;
    const struct gcal_sets_scope *scope; /* around it; NULL: none */
};

struct gcal_trips_count {
    const struct gcal_poly *trips;           /* negative: 0; NULL: endless */
    const struct gcal_sets_condition *guard; /* it runs only where this holds; or NULL */
    /* 'trips' is an upper bound, and iteration v runs where this holds; or NULL */
    const struct gcal_sets_condition *within;
    unsigned v; /* the dimension in 'within' */
    bool lasts; /* once the condition fails, it fails in all later iterations */
    bool rises; /* without trips: once it holds, it holds in all later iterations */
    bool ends;  /* it is taken to end: where it does not at these trips, it never does */
};
/* The first value of the dimension 'v' where 'condition' fails; false with '*why' when no
 * polynomial expresses it, not even in different cases.
 */
bool gcal_trips_find(const struct gcal_trips_loop *l,
                     const struct gcal_sets_condition *condition, unsigned v,
                     struct gcal_trips_count *count, const char **why);

/* A variable that doubles or halves. */
struct gcal_trips_scaled {
    const char *name;              /* for messages */
    const struct gcal_poly *start; /* before the loop */
    int doublings; /* times 2^doublings per iteration, or divided by 2^-doublings */
    const struct gcal_poly *any; /* a dimension for its value */
};
/* The same while such a variable, as which 'condition' has the dimension 'scaled'->any,
 * and another dimension 'v', meet the condition.
 */
bool gcal_trips_find_scaled(const struct gcal_trips_loop *l,
                            const struct gcal_sets_condition *condition, unsigned v,
                            const struct gcal_trips_scaled *scaled,
                            struct gcal_trips_count *count, const char **why);
/* The size that bounds the powers of two in p, for messages; NULL without such powers. */
const char *gcal_trips_scaled_size(struct gcal_poly_context *c,
                                   const struct gcal_poly *p);

/* Adds the first iteration of a do loop, which runs in any case. */
void gcal_trips_after(const struct gcal_trips_loop *l, struct gcal_trips_count *count,
                      unsigned v);
/* 'condition' with 'value' for the dimension 'v'. */
const struct gcal_sets_condition *
gcal_trips_condition_at(struct gcal_poly_context *c,
                        const struct gcal_sets_condition *condition, unsigned v,
                        const struct gcal_poly *value);
/* "'a' holds for some 0 <= v <= last" as a condition without the dimension 'v'; NULL when
 * 'a' is not affine in v with constant coefficients.
 */
const struct gcal_sets_condition *gcal_trips_project(struct gcal_poly_context *c,
                                                     const struct gcal_sets_condition *a,
                                                     unsigned v,
                                                     const struct gcal_poly *last);

#endif
