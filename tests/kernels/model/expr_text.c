/* expr_text.c - derivatives as expressions, and expressions as text, for comparisons */
#include "expr_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/expr_private.h"

enum { SUM = 1, TERM, UNARY, POWER, PRIMARY };

static int precedence(const struct gcal_expr_node *node)
{
    switch (node->op) {
    case GCAL_EXPR_OP_NUMBER:
        return signbit(node->number) ? UNARY : PRIMARY;
    case GCAL_EXPR_OP_ADD:
    case GCAL_EXPR_OP_SUB:
        return SUM;
    case GCAL_EXPR_OP_MUL:
    case GCAL_EXPR_OP_DIV:
        return TERM;
    case GCAL_EXPR_OP_NEG:
        return UNARY;
    case GCAL_EXPR_OP_POW:
        return POWER;
    default:
        return PRIMARY;
    }
}

static void format_number(struct gcal_buf *text, double value)
{
    char digits[40];

    for (int n = 6; n <= 17; n++) {
        snprintf(digits, sizeof(digits), "%.*g", n, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    gcal_buf_puts(text, digits);
}

static void format(const struct gcal_expr *expr, const struct gcal_expr_node *node,
                   int least, struct gcal_buf *text);

static void format_call(const struct gcal_expr *expr, const struct gcal_expr_node *node,
                        struct gcal_buf *text)
{
    gcal_buf_printf(text, "%s(", gcal_expr_builtins[node->op].name);
    for (size_t i = 0; i < node->n_args; i++) {
        if (i)
            gcal_buf_puts(text, ", ");
        format(expr, node->args[i], SUM, text);
    }
    gcal_buf_puts(text, ")");
}

/* Operators of a sum and a term group to the left, powers to the right. */
static void format_operator(const struct gcal_expr *expr,
                            const struct gcal_expr_node *node, struct gcal_buf *text)
{
    static const char *const signs[] = { [GCAL_EXPR_OP_ADD] = " + ",
                                         [GCAL_EXPR_OP_SUB] = " - ",
                                         [GCAL_EXPR_OP_MUL] = "*",
                                         [GCAL_EXPR_OP_DIV] = "/",
                                         [GCAL_EXPR_OP_POW] = "^" };
    bool power = node->op == GCAL_EXPR_OP_POW;

    format(expr, node->args[0], power ? PRIMARY : precedence(node), text);
    gcal_buf_puts(text, signs[node->op]);
    format(expr, node->args[1], power ? UNARY : precedence(node) + 1, text);
}

/* In parentheses if its precedence is below 'least'. */
static void format(const struct gcal_expr *expr, const struct gcal_expr_node *node,
                   int least, struct gcal_buf *text)
{
    bool parentheses = precedence(node) < least;

    if (parentheses)
        gcal_buf_puts(text, "(");
    if (node->op == GCAL_EXPR_OP_NUMBER)
        format_number(text, node->number);
    else if (node->op == GCAL_EXPR_OP_SYMBOL)
        gcal_buf_puts(text, expr->symbols[node->symbol]);
    else if (node->op == GCAL_EXPR_OP_NEG) {
        gcal_buf_puts(text, "-");
        format(expr, node->args[0], UNARY, text);
    } else if (node->op >= GCAL_EXPR_OP_MIN)
        format_call(expr, node, text);
    else
        format_operator(expr, node, text);
    if (parentheses)
        gcal_buf_puts(text, ")");
}

char *expr_format(const struct gcal_expr *expr, struct gcal_error *err)
{
    struct gcal_buf text = { 0 };

    format(expr, expr->root, SUM, &text);
    return gcal_buf_take(&text, err);
}

/* ---- derivatives ---- */

static int copy_symbols(struct gcal_expr *to, const struct gcal_expr *from,
                        struct gcal_error *err)
{
    to->symbols = calloc(from->n_symbols + 1, sizeof(*to->symbols));
    if (!to->symbols)
        return gcal_error_memory(err);
    to->symbols_capacity = from->n_symbols + 1;
    for (; to->n_symbols < from->n_symbols; to->n_symbols++)
        if (!(to->symbols[to->n_symbols] = strdup(from->symbols[to->n_symbols])))
            return gcal_error_memory(err);
    return 0;
}

struct gcal_expr *expr_derivative(const struct gcal_expr *expr, const char *symbol,
                                  struct gcal_error *err)
{
    struct gcal_expr *result = calloc(1, sizeof(*result));
    struct gcal_expr_builder b = { .expr = result, .err = err };
    size_t by = 0;

    if (!result) {
        gcal_error_memory(err);
        return NULL;
    }
    while (by < expr->n_symbols && strcmp(expr->symbols[by], symbol) != 0)
        by++;
    if (copy_symbols(result, expr, err) < 0)
        goto fail;
    if (gcal_expr_compile(result, gcal_expr_node_derivative(&b, expr, expr->root, by),
                          err) == 0)
        return result;
fail:
    gcal_expr_destroy(result);
    return NULL;
}
