/* form.h - ready forms of models: how costs of several kinds of work become one time
 *
 * A model's costs are in groups, each a sum such as "p_a*f_x + p_b*f_y" in seconds: work
 * of one kind, which follows one after the other.  Forms differ in how far the groups
 * hide behind each other.  With M the first group, C, D, .. the others, L the one named
 * "launch" (of work-groups; if there is one) and o the overhead, which nothing hides:
 *
 *   linear      M + C + .. + L + o                            (seed 004 eq. 7)
 *   overlap     overlap(M, C + .., p_edge) + L + o            (seed 004 eq. 5, 6, 8; its
 *               step's argument is relative, see expr.h)
 *   pnorm       pnorm(p_overlap, M, C, .., L) + o
 *               1 adds up, 16 is the longest
 *   smoothmax   smoothmax(p_sharpness, M, C, .., L) + o
 *               the longest, rounded where two are near each other (log-sum-exp, expr.h)
 *   partial     pnorm(p_start, max(M, C, ..) + k * (M + C + .. - max(M, C, ..)), L) + o
 *               k: the share of the shorter work that does not hide, one for each kind of
 *               kernel: p_hidden of other work behind M; p_hidden_memory of M behind
 *               longer other work, which has to wait for what is loaded; with barriers,
 *               which keep a work-group's memory accesses and its computing apart,
 *               p_hidden_barrier; and p_hidden_cached with barriers where at least a
 *               tenth of the global accesses load what is loaded more than 16 times, so
 *               that not the memory but the way from the caches is busy, which local
 *               memory takes as well.  L mostly hides: work-groups start while others run
 *   latency     partial, with every group but L times max(1, p_fill / f_work_items): a
 *               launch of fewer work-items than fill the device takes as long as one
 *               that does, each of them waiting for its own memory and arithmetic.
 *               Where p_fill lies differs between kernels, by a factor of 5 on an H200
 *
 * What they add has these units, starts and ranges:
 *
 *   p_edge            1           8      1 to 64
 *   p_overlap         1           1.3    1 to 16
 *   p_sharpness       1           8      1 to 64
 *   p_hidden          1           0.5    0 to 1.5   above 1: they hinder each other
 *   p_hidden_memory, p_hidden_barrier, p_hidden_cached  the same
 *   p_start           1           3      1 to 16    where there is a launch
 *   p_fill            work-items  50000  1 to 1e8
 */
#ifndef GCAL_CALIB_MODEL_FORM_H
#define GCAL_CALIB_MODEL_FORM_H

#include <stddef.h>

struct gcal_error;

struct gcal_form_cost_group {
    const char *name;       /* "memory", "onchip", "launch" */
    const char *expression; /* p_... and f_... alone: names written out */
};

/* A parameter that a form adds. */
struct gcal_form_parameter {
    const char *name, *unit;
    double initial, min, max;
};

/* The names of all forms, NULL-ended. */
const char *const *gcal_form_names(void);

/* The model's expression, the caller's to free.  'overhead' may be NULL: none.  NULL
 * with 'err' for a form that does not exist (the message lists those that do), too few
 * groups for it, two groups of one name, or an expression that does not parse or uses a
 * parameter of the form's.
 */
char *gcal_form_expression(const char *form, size_t n_groups,
                           const struct gcal_form_cost_group *groups,
                           const char *overhead, struct gcal_error *err);

/* Those that 'form' adds, '*n' of them; NULL and 0 for a form that adds none or does not
 * exist.
 */
const struct gcal_form_parameter *gcal_form_parameters(const char *form, size_t *n);

#endif
