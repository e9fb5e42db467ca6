/* expr.h - arithmetic expressions: parsed, differentiated, evaluated in nanoseconds
 *
 * Models (time as a function of features f_... and parameters p_..., seed 004
 * section 6) and counts (features as functions of sizes, section 5) are both
 * expressions of this language:
 *
 *   numbers, names, + - * / ^, unary minus, parentheses, and the functions
 *   min(a,b,..) max(a,b,..) exp log sqrt tanh floor ceil
 *   step(x)                1 where x >= 0, else 0: a count's pieces
 *   smoothstep(x, edge)    (tanh(edge*x)+1)/2                  (seed 004 eq. 6)
 *   overlap(g, c, edge)    g*s + c*(1-s), s = smoothstep((g-c)/(g+c), edge): the
 *                          seed's overlap (eq. 5), with the step's argument made
 *                          relative so that scaling g and c scales the result
 *   pnorm(p, a, b, ...)    (a^p + b^p + ...)^(1/p): 1 adds, infinity is max
 *   smoothmax(k, a, b, ..) S/k log(exp(k a/S) + exp(k b/S) + ...), S = a + b + ...: the
 *                          logarithm of a sum of exponentials, with a sharpness k > 0
 *                          relative to the scale S so that scaling all scales the result.
 *                          Between the largest, which it is for k infinite, and S
 * log(n)/k above that; 0 where all are 0.  (Seed 004 eq. 5 weighs two costs by the same
 * exponentials.) The last three are for costs: what they combine is not negative.
 *
 * Derivatives add select(a, b, x, y) (x where a <= b, else y), pow_d(a, b) (a^b log(a)),
 * overlap_t(g, c, edge) and overlap_d(k, g, c, edge, t) (the step's tanh; overlap by its
 * argument k, from 0), pnorm_l(p, norm, a, n), pnorm_d(p, l) and pnorm_e(a, slope, l)
 * (log(a / norm) of n arguments; pnorm by a; a slope l), smoothmax_w(k, max, a, scale, n)
 * and smoothmax_s(k, max, mean, scale, n) (the weight of a; smoothmax by its scale), all
 * finite at 0.
 *
 * What is parsed is simplified: constants folded, x + 0, x * 1, x^0, -(-x), x + x, x^2 *
 * x, max of one or in a max, pnorm of one and the like, where that keeps the value to the
 * last bit.
 *
 * A name is [A-Za-z_][A-Za-z0-9_]*; one that starts with f_mem_access, f_memory,
 * f_onchip, f_atomic or f_local_pass may go on with the fields of feature.h (tag:,
 * lstrides:{}, gstrides:{}, afr:).
 * '^' binds to the right and tighter than unary minus.
 */
#ifndef GCAL_CALIB_MODEL_EXPR_H
#define GCAL_CALIB_MODEL_EXPR_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_expr; /* opaque, immutable once made: any number of threads may read */

/* NULL with 'err' (GCAL_EINPUT, "column N: expected ...") when 'text' does not parse. */
struct gcal_expr *gcal_expr_parse(const char *text, struct gcal_error *err);

/* As gcal_expr_parse(), with the symbols given: they are the expression's, used or not,
 * in that order, and any other name is an error.  Expressions in the same sizes then
 * take the same 'values'.
 */
struct gcal_expr *gcal_expr_parse_in(const char *text, size_t n_symbols,
                                     const char *const *symbols, struct gcal_error *err);

/* Does nothing when 'expr' is NULL. */
void gcal_expr_destroy(struct gcal_expr *expr);

/* The names that stand in it, each once, in order of first use. */
size_t gcal_expr_symbol_count(const struct gcal_expr *expr);
const char *gcal_expr_symbol(const struct gcal_expr *expr, size_t i);

/* Does its value depend on symbol 'i'?  One may be given, or be simplified away. */
bool gcal_expr_uses(const struct gcal_expr *expr, size_t i);

/* 'values': one per symbol, in that order.  Follows IEEE 754: a division by zero
 * gives an infinity, never a trap.
 */
double gcal_expr_eval(const struct gcal_expr *expr, const double *values);

#endif
