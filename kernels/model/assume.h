/* assume.h - conditions on a kernel's sizes: "n % 16 = 0 and n >= 16"
 *
 * Clauses joined by 'and'; each is an expression (expr.h), optionally '% number' (or
 * an expression of numbers), then one of = != >= > <= <, then an expression.  gcal_binding_eval() checks them.
 */
#ifndef GCAL_KERNELS_MODEL_ASSUME_H
#define GCAL_KERNELS_MODEL_ASSUME_H

#include <stddef.h>

struct gcal_error;
struct gcal_assume; /* opaque, immutable */

/* Expressions are in 'symbols'.  NULL with 'err' naming the clause. */
struct gcal_assume *gcal_assume_parse(const char *text, size_t n_symbols,
                                      const char *const *symbols, struct gcal_error *err);

/* NULL is allowed. */
void gcal_assume_destroy(struct gcal_assume *assume);

/* 'values': one per symbol.  0, or -1 with 'err' naming the first clause that does not
 * hold; 0 if 'assume' is NULL.  Thread-safe, allocates nothing.
 */
int gcal_assume_check(const struct gcal_assume *assume, const double *values,
                      struct gcal_error *err);

/* The same for the clauses that contain symbol 'symbol' and no other. */
int gcal_assume_check_symbol(const struct gcal_assume *assume, size_t symbol,
                             double value, struct gcal_error *err);

#endif
