/* ir.h - a kernel as loops around operations and accesses
 *
 * What the front end (walk*.c) makes of OpenCL C and counting works on.  Loops are
 * normalised to v = 0 .. trips-1; work-items are the dimensions lid and gid.
 * All of it lives in the memory of the polynomials' context.
 */
#ifndef GCAL_KERNELS_IR_H
#define GCAL_KERNELS_IR_H

#include "calib/model/feature.h"
#include "kernels/poly.h"

enum { GCAL_MAX_CONDITIONS = 8, GCAL_MAX_NEST = 40 };

/* What is counted: executions by all work-items, by all work-groups as if each were one
 * work-item (sub-group counts follow from it), or by the one work-item that does most.
 */
enum gcal_count_mode { GCAL_COUNT_WORK_ITEMS, GCAL_COUNT_GROUPS, GCAL_COUNT_ONE };

/* All conditions hold (each polynomial >= 0), or, negated, not all of them. */
struct gcal_guard {
    size_t n;
    const struct gcal_poly *conditions[GCAL_MAX_CONDITIONS];
    bool negated;
};

/* Where an event happens: a loop or a guard around it, and what is around that. */
struct gcal_domain {
    const struct gcal_domain *parent; /* NULL outermost */
    bool is_loop;
    unsigned loop; /* its dimension's atom */
    const struct gcal_poly *trips;
    int line, column; /* of a loop */
    struct gcal_guard guard;
};

struct gcal_array {
    const char *name;
    enum gcal_space space;
};

struct gcal_op_event {
    const char *dtype, *op;
    const struct gcal_domain *domain;
    int64_t times;
};

struct gcal_access_event {
    unsigned array;
    enum gcal_direction direction;
    const char *dtype, *tag;        /* tag: NULL without */
    int64_t width;                  /* elements: vectors have more than 1 */
    const struct gcal_poly *offset; /* elements; NULL: not known */
    const struct gcal_domain *domain;
    int line, column;
};

struct gcal_barrier_event {
    const struct gcal_domain *domain;
    int line, column;
};

struct gcal_nest {
    struct gcal_polys *c;
    const char *file; /* for messages */
    size_t n_dims;
    int64_t local_size[GCAL_MAX_DIMS];
    const struct gcal_poly *groups[GCAL_MAX_DIMS];
    const struct gcal_poly *lid[GCAL_MAX_DIMS], *gid[GCAL_MAX_DIMS];
    size_t n_arrays, array_capacity, n_ops, op_capacity;
    size_t n_accesses, access_capacity, n_barriers, barrier_capacity;
    struct gcal_array *arrays;
    struct gcal_op_event *ops;
    struct gcal_access_event *accesses;
    struct gcal_barrier_event *barriers;
    bool estimated; /* a condition could not be counted: both sides were */
};

void gcal_nest_clear(struct gcal_nest *nest);

/* How often something in 'domain' (NULL: the kernel itself) happens.  Where a condition
 * has no closed form it is taken to hold and 'estimated' is set; NULL when a loop has
 * none.
 */
const struct gcal_poly *gcal_domain_count(struct gcal_nest *nest,
                                          const struct gcal_domain *domain,
                                          enum gcal_count_mode mode);

/* How many distinct elements the 'n' accesses touch together, which differ in domain
 * and in a constant of the offset at most; NULL when that is not known.
 */
const struct gcal_poly *gcal_footprint(struct gcal_nest *nest, size_t n,
                                       const struct gcal_access_event *const *accesses);

/* The guard's sides that cannot happen: 1 it always holds, 0 never, -1 it depends. */
int gcal_guard_decide(struct gcal_polys *c, const struct gcal_guard *guard);

#endif
