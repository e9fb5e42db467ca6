/* program.h - joint evaluation of an expression and its derivatives
 *
 * The value and the derivatives of a model have many subexpressions in common.  Each
 * distinct one has a slot: same operation on same slots, same slot (value numbering).
 * Private to calib/model.
 */
#ifndef GCAL_CALIB_MODEL_PROGRAM_H
#define GCAL_CALIB_MODEL_PROGRAM_H

#include <stddef.h>

struct gcal_error;
struct gcal_expr;
struct gcal_model_program; /* opaque, immutable */

#define GCAL_PROGRAM_MAX_SLOTS 4096 /* 32 KiB of stack; models rarely need 100 */

/* The value of 'expr', which may be destroyed afterwards, and its derivatives by the symbols
 * by[0..n-1].  NULL with 'err' if memory runs out or there are too many subexpressions.
 */
struct gcal_model_program *gcal_model_program_create(const struct gcal_expr *expr,
                                                     const size_t *by, size_t n,
                                                     struct gcal_error *err);

/* NULL is allowed. */
void gcal_model_program_destroy(struct gcal_model_program *program);

/* Returns the value; 'gradient' gets the derivatives, unless it is NULL.  'slots' has room
 * for GCAL_PROGRAM_MAX_SLOTS and begins with the values of the symbols.  Results equal
 * those of gcal_expr_eval() to the last bit.
 */
double gcal_model_program_eval(const struct gcal_model_program *program, double *slots,
                               double *gradient);

#endif
