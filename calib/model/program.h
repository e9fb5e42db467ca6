/* program.h - an expression and its derivatives evaluated together, what they share only
 * once
 *
 * A model's value and its derivatives are made of the same parts.  Each different part
 * gets a slot: same operation on same slots, same slot.  Private to calib/model.
 */
#ifndef GCAL_CALIB_MODEL_PROGRAM_H
#define GCAL_CALIB_MODEL_PROGRAM_H

#include <stddef.h>

struct gcal_error;
struct gcal_expr;
struct gcal_model_program; /* opaque, immutable */

#define GCAL_PROGRAM_MAX_SLOTS 4096 /* 32 KiB of stack; 100 is much for a model */

/* The value of 'expr', which may go afterwards, and its derivatives by the symbols
 * by[0..n-1].  NULL with 'err' when memory ran out or they have too many different parts.
 */
struct gcal_model_program *gcal_model_program_create(const struct gcal_expr *expr,
                                                     const size_t *by, size_t n,
                                                     struct gcal_error *err);

/* Does nothing when 'program' is NULL. */
void gcal_model_program_destroy(struct gcal_model_program *program);

/* The value; the derivatives into 'gradient', unless NULL, which then cost nothing.
 * 'slots' has room for GCAL_PROGRAM_MAX_SLOTS and starts with the symbols' values.  The
 * same results as gcal_expr_eval() of each.
 */
double gcal_model_program_eval(const struct gcal_model_program *program, double *slots,
                               double *gradient);

#endif
