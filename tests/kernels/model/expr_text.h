/* expr_text.h - derivatives as expressions, and expressions as text, for comparisons */
#ifndef GCAL_TESTS_CALIB_MODEL_EXPR_TEXT_H
#define GCAL_TESTS_CALIB_MODEL_EXPR_TEXT_H

struct gcal_error;
struct gcal_expr;

/* d expr / d symbol, with the same symbols in the same order.  It contains parts of 'expr',
 * which must outlive it.
 */
struct gcal_expr *expr_derivative(const struct gcal_expr *expr, const char *symbol,
                                  struct gcal_error *err);

/* Text that parses back to the same expression; the caller's to free. */
char *expr_format(const struct gcal_expr *expr, struct gcal_error *err);

#endif
