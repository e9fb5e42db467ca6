/* form.h - ready forms of models: one time from the costs of several kinds of work
 *
 * A model has groups of costs, each a sum such as "p_a*f_x + p_b*f_y" in seconds: work of
 * one kind, which is sequential.  Forms differ in how far the groups overlap.  With M the
 * first group, C, D, .. the others, L the group named "launch" (of work-groups; optional)
 * and o the overhead, which never overlaps:
 *
 *   linear      M + C + .. + L + o              (Stevens and Kloeckner 2020, eq. 7)
 *   overlap     overlap(M, C + .., p_edge) + L + o
 *               (Stevens and Kloeckner 2020, eq. 5, 6, 8; with a relative argument of the
 *               step, see expr.h)
 *   pnorm       pnorm(p_overlap, M, C, .., L) + o
 *               from the sum (1) to nearly the longest (16)
 *   smoothmax   smoothmax(p_sharpness, M, C, .., L) + o
 *               the longest, rounded where two are close (log-sum-exp, expr.h)
 *   partial     pnorm(p_start, max(M, C, ..) + k * (M + C + .. - max(M, C, ..)), L) + o
 *               k is the share of the shorter work that does not overlap, by kind of
 *               kernel:
 *                 p_hidden          other work shorter than M
 *                 p_hidden_memory   M shorter than other work, which waits for its loads
 *                 p_hidden_barrier  with barriers, which separate the memory accesses of a
 *                                   work-group from its computing
 *                 p_hidden_cached   with barriers, if at least a tenth of the global
 *                                   accesses load elements that are loaded more than 16
 *                                   times: then the path from the caches is busy, not the
 *                                   memory, and local memory shares that path
 *               L overlaps almost completely: work-groups start while others run
 *   latency     partial, with every group but L times max(1, p_fill / f_work_items): fewer
 *               work-items than fill the device take as long as those that do, as each
 *               waits for its own memory and arithmetic.  p_fill differs between kernels,
 *               by a factor of 5 on an H200
 *
 * Parameters of the forms: unit, initial value and range
 *
 *   p_edge            1           8      1 to 64
 *   p_overlap         1           1.3    1 to 16
 *   p_sharpness       1           8      1 to 64
 *   p_hidden          1           0.5    0 to 1.5   above 1: they hinder each other
 *   p_hidden_memory, p_hidden_barrier, p_hidden_cached  as p_hidden
 *   p_start           1           3      1 to 16    with a launch group only
 *   p_fill            work-items  50000  1 to 1e8
 *
 * A form is a row of the table in form.c, with its expression as a template.
 */
#ifndef GCAL_KERNELS_MODEL_FORM_H
#define GCAL_KERNELS_MODEL_FORM_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;

/* The component of a target kernel: its cost and feature, a term of a group. */
struct gcal_form_part {
    const char *parameter, *feature;
    bool strided; /* the kernel has accesses whose strides depend on sizes */
};

struct gcal_form_cost_group {
    const char *name;       /* "memory", "onchip", "launch" */
    const char *expression; /* of p_... and f_... only: named expressions are resolved */
    size_t n_parts;
    const struct gcal_form_part *parts; /* of its terms */
};

/* The device's compute units, as a parameter of a form: it is known, not fitted. */
#define GCAL_FORM_UNITS "p_units"

/* A parameter that a form adds. */
struct gcal_form_parameter {
    const char *name; /* or, from '_' on, the end of the names of one for each cost */
    const char *unit;
    double initial, min, max;
    bool by_long; /* of a cost: long launches alone decide it */
};

/* The name of form 'i', counted from 0; NULL after the last one. */
const char *gcal_form_name(size_t i);

/* The model's expression, the caller's to free.  'overhead' may be NULL: none.  NULL
 * with 'err' for an unknown form (the message lists the known ones), too few groups for
 * it, two groups of one name, or an expression that does not parse or uses a parameter of
 * the form.
 */
char *gcal_form_expression(const char *form, size_t n_groups,
                           const struct gcal_form_cost_group *groups,
                           const char *overhead, struct gcal_error *err);

/* The '*n' parameters that 'form' adds; NULL and 0 for an unknown form or none. */
const struct gcal_form_parameter *gcal_form_parameters(const char *form, size_t *n);

/* Returns whether 'name' is that parameter, or one of those. */
bool gcal_form_parameter_is(const struct gcal_form_parameter *p, const char *name);

/* If a form adds a parameter with that name for a cost: the parameter, and the length of the
 * cost's name, 3 for p_a_fill, of p_a; else NULL.
 */
const struct gcal_form_parameter *gcal_form_shape(const char *name, size_t *cost_length);

#endif
