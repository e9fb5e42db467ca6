/* expr.h - arithmetic expressions: parsing and evaluation
 *
 * Models (time as a function of features f_... and parameters p_...; Stevens and Kloeckner
 * 2020, section 6) and counts (features as functions of sizes, section 5) are expressions
 * of this language:
 *
 *   numbers, names, + - * / ^, unary minus, parentheses, and the functions
 *   min(a,b,..) max(a,b,..) exp log log2 sqrt tanh floor ceil
 *   step(x)                1 if x >= 0, else 0: for piecewise counts
 *   smoothstep(x, edge)    (tanh(edge*x)+1)/2   (Stevens and Kloeckner 2020, eq. 6)
 *   overlap(g, c, edge)    g*s + c*(1-s), s = smoothstep((g-c)/(g+c), edge): the overlap
 *                          of Stevens and Kloeckner 2020, eq. 5, with a relative argument
 *                          of the step, so that scaling g and c scales the result
 *   pnorm(p, a, b, ...)    (a^p + b^p + ...)^(1/p): the sum for p = 1, the maximum for
 *                          p = infinity
 *   smoothmax(k, a, b, ..) S/k log(exp(k a/S) + exp(k b/S) + ...), S = a + b + ...: the
 *                          logarithm of a sum of exponentials, with a sharpness k > 0
 *                          relative to the scale S, so that scaling all scales the result.
 *                          It is between the maximum, its value for k = infinity, and the
 *                          maximum + S log(n)/k; 0 if all n are 0.  (Stevens and Kloeckner
 *                          2020, eq. 5, weigh two costs by the same exponentials.)
 *
 * Arguments of overlap, pnorm and smoothmax are costs, which are not negative.
 *
 * Derivatives contain further functions, all finite at 0:
 *
 *   select(a, b, x, y)                 x if a <= b, else y
 *   pow_d(a, b)                        a^b log(a)
 *   overlap_t(g, c, edge)              the step's tanh
 *   overlap_d(k, g, c, edge, t)        derivative of overlap by its argument k (from 0)
 *   pnorm_l(p, norm, a, n)             log(a / norm), of n arguments
 *   pnorm_d(p, l)                      derivative of pnorm by the argument of l
 *   pnorm_e(a, slope, l)               a slope l
 *   smoothmax_w(k, max, a, scale, n)   the weight of a
 *   smoothmax_s(k, max, mean, scale, n)   derivative of smoothmax by its scale
 *
 * Parsed expressions are simplified (constants, x + 0, x * 1, x^0, -(-x), x + x, x^2 * x,
 * nested max, pnorm of one cost and the like) where that keeps the value to the last bit.
 *
 * A name is [A-Za-z_][A-Za-z0-9_]*, followed in some features by fields with a colon (tag:,
 * width:, lstrides:{}, gstrides:{}, afr:), and with sets in braces after '_'; see feature.h.
 * '^' is right-associative and binds tighter than unary minus.
 */
#ifndef GCAL_KERNELS_MODEL_EXPR_H
#define GCAL_KERNELS_MODEL_EXPR_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_expr_names;
struct gcal_expr; /* opaque and immutable: any number of threads may use it */

/* NULL with 'err' (GCAL_EINPUT, "column N: expected ...") if 'text' does not parse. */
struct gcal_expr *gcal_expr_parse(const char *text, struct gcal_error *err);

/* As gcal_expr_parse(), with 'names' (named_expr.h; NULL: none), each of which is evaluated
 * once.  Any other name must be a known parameter (p_...) or feature (f_...): the error is that
 * of gcal_expr_names_check_text().
 */
struct gcal_expr *gcal_expr_parse_with(const char *text,
                                       const struct gcal_expr_names *names,
                                       struct gcal_error *err);

/* As gcal_expr_parse(), with given symbols: the expression has these, used or not, in this
 * order, and any other name is an error.  Expressions in the same sizes thus take the same
 * 'values'.
 */
struct gcal_expr *gcal_expr_parse_in(const char *text, size_t n_symbols,
                                     const char *const *symbols, struct gcal_error *err);

/* NULL is allowed. */
void gcal_expr_destroy(struct gcal_expr *expr);

/* The distinct names in it, in order of first use. */
size_t gcal_expr_symbol_count(const struct gcal_expr *expr);
const char *gcal_expr_symbol(const struct gcal_expr *expr, size_t i);

/* A part of a text. */
struct gcal_expr_span {
    size_t start, length;
};

/* The first name (of a symbol or function) in the rest of a text that parses; NULL: none. */
const char *gcal_expr_next_name(const char *at, size_t *length);

/* Where a text that parses has a name. */
struct gcal_expr_use {
    size_t n; /* how often */
    struct gcal_expr_span
        factor; /* what the first is multiplied by, on its right, without the
                                   * parentheses of a sum; length 0: nothing */
};

struct gcal_expr_use gcal_expr_find_use(const char *text, const char *name);

/* The arguments of the first call of a function in a text that parses, as far as there is room for
 * them.
 */
size_t gcal_expr_find_arguments(const char *text, const char *function, size_t room,
                                struct gcal_expr_span *arguments);

/* Returns whether its value depends on symbol 'i', which may be given but unused, or be simplified
 * away.
 */
bool gcal_expr_uses(const struct gcal_expr *expr, size_t i);

/* 'values': one per symbol, in order.  Follows IEEE 754: a division by zero is an infinity,
 * never a trap.
 */
double gcal_expr_eval(const struct gcal_expr *expr, const double *values);

#endif
