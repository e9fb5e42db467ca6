/* program.h - joint evaluation of expressions and their derivatives
 *
 * The value and the derivatives of a model have many subexpressions in common, and so do
 * expressions that use the same named ones.  Each distinct one has a slot: same operation on
 * same slots, same slot (value numbering).
 * Private to kernels/model.
 */
#ifndef GCAL_KERNELS_MODEL_PROGRAM_H
#define GCAL_KERNELS_MODEL_PROGRAM_H

#include <stddef.h>

struct gcal_error;
struct gcal_expr;
struct gcal_expr_node;
struct gcal_model_program; /* opaque, immutable */

#define GCAL_PROGRAM_MAX_SLOTS 4096 /* 32 KiB of stack; models rarely need 100 */

/* What a program computes: the values of some nodes of the expression, and the derivatives of
 * its root by the symbols by[0..n_by-1].
 */
struct gcal_model_outputs {
    size_t n_roots, n_by;
    struct gcal_expr_node *const *roots;
    const size_t *by;
};

/* 'expr' may be destroyed afterwards.  NULL with 'err' if memory runs out or there are too
 * many subexpressions.
 */
struct gcal_model_program *
gcal_model_program_create(const struct gcal_expr *expr,
                          const struct gcal_model_outputs *outputs,
                          struct gcal_error *err);

/* NULL is allowed. */
void gcal_model_program_destroy(struct gcal_model_program *program);

/* Returns the value of a program with one root; 'gradient' gets the derivatives, unless it is
 * NULL.  'slots' has room for GCAL_PROGRAM_MAX_SLOTS and begins with the values of the
 * symbols.  Results equal those of gcal_expr_eval() to the last bit.
 */
double gcal_model_program_eval(const struct gcal_model_program *program, double *slots,
                               double *gradient);

/* The values of all roots, likewise. */
void gcal_model_program_eval_roots(const struct gcal_model_program *program,
                                   double *slots, double *values);

/* The same where the value of root i is factors[i] times what it is, in all that uses it. */
void gcal_model_program_eval_scaled(const struct gcal_model_program *program,
                                    double *slots, const double *factors, double *values);

/* The program of a model's parts (model.h), whose symbols are the model's parameters and then its
 * features.
 */
struct gcal_model_parts;
const struct gcal_model_program *
gcal_model_parts_program(const struct gcal_model_parts *parts);

#endif
