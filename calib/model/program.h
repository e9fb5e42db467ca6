/* program.h - several expressions evaluated together, what they share only once
 *
 * A model's value and its derivatives are made of the same parts.  Each different part
 * gets a slot: same operation on same slots, same slot.  Private to calib/model.
 */
#ifndef GCAL_MODEL_PROGRAM_H
#define GCAL_MODEL_PROGRAM_H

#include <stddef.h>

struct gcal_error;
struct gcal_expr;
struct gcal_model_program; /* opaque, immutable */

#define GCAL_PROGRAM_MAX_SLOTS 4096 /* 32 KiB of stack; 100 is much for a model */

/* 'exprs' have the same symbols in the same order and may go afterwards.  NULL with
 * 'err' when memory ran out or they have too many different parts.
 */
struct gcal_model_program *gcal_model_program_create(size_t n_exprs,
                                                     struct gcal_expr *const *exprs,
                                                     struct gcal_error *err);

/* Does nothing when 'program' is NULL. */
void gcal_model_program_destroy(struct gcal_model_program *program);

/* The first expression's value; those of the others into 'others', unless NULL, which
 * then cost nothing.  'slots' has room for GCAL_PROGRAM_MAX_SLOTS and starts with the
 * symbols' values.  The same results as gcal_expr_eval() of each.
 */
double gcal_model_program_eval(const struct gcal_model_program *program, double *slots,
                               double *others);

#endif
