/* expr_derive.c - symbolic derivatives, and nodes back to text */
#include "calib/model/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/expr_private.h"

/* ---- derivatives ---- */

/* Short names: a derivative should read as on paper. */
static struct gcal_node *add(struct gcal_build *b, struct gcal_node *x,
                             struct gcal_node *y)
{
    return gcal_node_binary(b, GCAL_OP_ADD, x, y);
}

static struct gcal_node *sub(struct gcal_build *b, struct gcal_node *x,
                             struct gcal_node *y)
{
    return gcal_node_binary(b, GCAL_OP_SUB, x, y);
}

static struct gcal_node *mul(struct gcal_build *b, struct gcal_node *x,
                             struct gcal_node *y)
{
    return gcal_node_binary(b, GCAL_OP_MUL, x, y);
}

static struct gcal_node *quotient(struct gcal_build *b, struct gcal_node *x,
                                  struct gcal_node *y)
{
    return gcal_node_binary(b, GCAL_OP_DIV, x, y);
}

static struct gcal_node *number(struct gcal_build *b, double value)
{
    return gcal_node_number(b, value);
}

static bool is_zero(const struct gcal_node *node)
{
    return node && node->op == GCAL_OP_NUMBER && node->number == 0;
}

static struct gcal_node *derive(struct gcal_build *b, struct gcal_node *node,
                                size_t symbol);

/* (u^v)' = v u^(v-1) u' + u^v log(u) v' */
static struct gcal_node *derive_power(struct gcal_build *b, struct gcal_node *const *a,
                                      size_t symbol)
{
    struct gcal_node *du = derive(b, a[0], symbol), *dv = derive(b, a[1], symbol);
    struct gcal_node *sum = number(b, 0), *less;

    if (!is_zero(du)) {
        less = sub(b, a[1], number(b, 1));
        sum = mul(b, mul(b, a[1], gcal_node_binary(b, GCAL_OP_POW, a[0], less)), du);
    }
    if (!is_zero(dv))
        sum = add(b, sum, mul(b, gcal_node_make(b, GCAL_OP_POW_D, 2, a), dv));
    return sum;
}

/* (u/v)' = (u' - (u/v) v') / v */
static struct gcal_node *derive_quotient(struct gcal_build *b, struct gcal_node *node,
                                         size_t symbol)
{
    struct gcal_node *du = derive(b, node->args[0], symbol);
    struct gcal_node *dv = derive(b, node->args[1], symbol);

    if (is_zero(du) && is_zero(dv))
        return du; /* 1/0 is a constant too */
    return quotient(b, sub(b, du, mul(b, node, dv)), node->args[1]);
}

/* 1 - tanh(x)^2 */
static struct gcal_node *tanh_slope(struct gcal_build *b, struct gcal_node *x)
{
    struct gcal_node *t = gcal_node_unary(b, GCAL_OP_TANH, x);

    return sub(b, number(b, 1), gcal_node_binary(b, GCAL_OP_POW, t, number(b, 2)));
}

/* min(a, rest..)' = select(a, min(rest..), a', min(rest..)'); max the other way round */
static struct gcal_node *derive_extreme(struct gcal_build *b,
                                        const struct gcal_node *node, size_t symbol)
{
    struct gcal_node *first = derive(b, node->args[0], symbol), *rest, *rest_slope;

    if (node->n_args == 1)
        return first;
    rest = gcal_node_make(b, node->op, node->n_args - 1, node->args + 1);
    rest_slope = rest ? derive(b, rest, symbol) : NULL;
    if (node->op == GCAL_OP_MIN)
        return gcal_node_make(
            b, GCAL_OP_SELECT, 4,
            (struct gcal_node *[]){ node->args[0], rest, first, rest_slope });
    return gcal_node_make(
        b, GCAL_OP_SELECT, 4,
        (struct gcal_node *[]){ rest, node->args[0], first, rest_slope });
}

/* The chain rule over overlap_d(k, g, c, edge), which differ in k alone. */
static struct gcal_node *derive_overlap(struct gcal_build *b,
                                        const struct gcal_node *node, size_t symbol)
{
    struct gcal_node *const *a = node->args, *sum = number(b, 0);

    for (size_t k = 0; k < node->n_args; k++)
        sum = add(b, sum,
                  mul(b,
                      gcal_node_make(b, GCAL_OP_OVERLAP_D, 4,
                                     (struct gcal_node *[]){ number(b, (double)k), a[0],
                                                             a[1], a[2] }),
                      derive(b, a[k], symbol)));
    return sum;
}

/* With N = pnorm(p, a, ..) and r = a / N: dN/da = r^(p-1), dN/dp = sum(a r^(p-1) log r) /
 * p. Both are said in terms of N, so that a program computes its powers once.
 */
static struct gcal_node *derive_pnorm(struct gcal_build *b, struct gcal_node *node,
                                      size_t symbol)
{
    struct gcal_node *p = node->args[0], *dp = derive(b, p, symbol);
    struct gcal_node *n = number(b, (double)node->n_args - 1);
    struct gcal_node *by_args = number(b, 0), *by_p = number(b, 0);

    for (size_t k = 1; k < node->n_args; k++) {
        struct gcal_node *a = node->args[k], *da = derive(b, a, symbol), *slope;

        if (is_zero(da) && is_zero(dp))
            continue;
        slope = gcal_node_make(b, GCAL_OP_PNORM_D, 4,
                               (struct gcal_node *[]){ p, node, a, n });
        by_args = add(b, by_args, mul(b, slope, da));
        by_p = add(b, by_p,
                   gcal_node_make(b, GCAL_OP_PNORM_E, 3,
                                  (struct gcal_node *[]){ node, a, slope }));
    }
    return is_zero(dp) ? by_args : add(b, by_args, mul(b, quotient(b, by_p, p), dp));
}

static struct gcal_node *derive_function(struct gcal_build *b, struct gcal_node *node,
                                         size_t symbol)
{
    struct gcal_node *x = node->args[0], *dx;

    switch (node->op) {
    case GCAL_OP_MIN:
    case GCAL_OP_MAX:
        return derive_extreme(b, node, symbol);
    case GCAL_OP_OVERLAP:
        return derive_overlap(b, node, symbol);
    case GCAL_OP_PNORM:
        return derive_pnorm(b, node, symbol);
    case GCAL_OP_SMOOTHSTEP:
        /* (tanh(u) + 1) / 2 with u = edge x */
        x = mul(b, node->args[1], node->args[0]);
        dx = x ? derive(b, x, symbol) : NULL;
        return mul(b, mul(b, number(b, 0.5), tanh_slope(b, x)), dx);
    default:
        break;
    }
    dx = derive(b, x, symbol);
    if (!dx || is_zero(dx))
        return dx;
    switch (node->op) {
    case GCAL_OP_EXP:
        return mul(b, node, dx);
    case GCAL_OP_LOG:
        return quotient(b, dx, x);
    case GCAL_OP_SQRT:
        return quotient(b, dx, mul(b, number(b, 2), node));
    case GCAL_OP_TANH:
        return mul(b, tanh_slope(b, x), dx);
    case GCAL_OP_FLOOR:
    case GCAL_OP_CEIL:
    case GCAL_OP_STEP:
        return number(b, 0);
    default:
        gcal_error_set(b->err, GCAL_EINPUT, "no second derivative of '%s'",
                       gcal_functions[node->op].name);
        return NULL;
    }
}

static struct gcal_node *derive(struct gcal_build *b, struct gcal_node *node,
                                size_t symbol)
{
    struct gcal_node *const *a = node->args;

    switch (node->op) {
    case GCAL_OP_NUMBER:
        return number(b, 0);
    case GCAL_OP_SYMBOL:
        return number(b, node->symbol == symbol);
    case GCAL_OP_ADD:
    case GCAL_OP_SUB:
        return gcal_node_binary(b, node->op, derive(b, a[0], symbol),
                                derive(b, a[1], symbol));
    case GCAL_OP_MUL:
        return add(b, mul(b, derive(b, a[0], symbol), a[1]),
                   mul(b, a[0], derive(b, a[1], symbol)));
    case GCAL_OP_DIV:
        return derive_quotient(b, node, symbol);
    case GCAL_OP_POW:
        return derive_power(b, a, symbol);
    case GCAL_OP_NEG:
        return gcal_node_unary(b, GCAL_OP_NEG, derive(b, a[0], symbol));
    default:
        return derive_function(b, node, symbol);
    }
}

/* A copy of 'node' among the nodes of another expression. */
static struct gcal_node *copy(struct gcal_build *b, const struct gcal_node *node)
{
    struct gcal_node *args[GCAL_EXPR_MAX_ARGS];

    if (node->op == GCAL_OP_NUMBER)
        return gcal_node_number(b, node->number);
    if (node->op == GCAL_OP_SYMBOL)
        return gcal_node_symbol(b, node->symbol);
    for (size_t i = 0; i < node->n_args; i++)
        if (!(args[i] = copy(b, node->args[i])))
            return NULL;
    return gcal_node_make(b, node->op, node->n_args, args);
}

struct gcal_expr *gcal_expr_derivative(const struct gcal_expr *expr, const char *symbol,
                                       struct gcal_error *err)
{
    struct gcal_expr *result = calloc(1, sizeof(*result));
    struct gcal_build b = { result, err };
    struct gcal_node *root;
    size_t by = SIZE_MAX;

    if (!result) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < expr->n_symbols; i++) {
        const char *name = expr->symbols[i];

        if (gcal_expr_add_symbol(result, name, strlen(name), err) == SIZE_MAX)
            goto fail;
        if (strcmp(name, symbol) == 0)
            by = i;
    }
    if ((root = copy(&b, expr->root)))
        root = derive(&b, root, by);
    if (gcal_expr_compile(result, root, err) == 0)
        return result;
fail:
    gcal_expr_destroy(result);
    return NULL;
}

/* ---- text ---- */

enum { SUM = 1, TERM, UNARY, POWER, PRIMARY };

static int precedence(const struct gcal_node *node)
{
    switch (node->op) {
    case GCAL_OP_NUMBER:
        return signbit(node->number) ? UNARY : PRIMARY;
    case GCAL_OP_ADD:
    case GCAL_OP_SUB:
        return SUM;
    case GCAL_OP_MUL:
    case GCAL_OP_DIV:
        return TERM;
    case GCAL_OP_NEG:
        return UNARY;
    case GCAL_OP_POW:
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

static void format(const struct gcal_expr *expr, const struct gcal_node *node, int least,
                   struct gcal_buf *text);

static void format_call(const struct gcal_expr *expr, const struct gcal_node *node,
                        struct gcal_buf *text)
{
    gcal_buf_printf(text, "%s(", gcal_functions[node->op].name);
    for (size_t i = 0; i < node->n_args; i++) {
        if (i)
            gcal_buf_puts(text, ", ");
        format(expr, node->args[i], SUM, text);
    }
    gcal_buf_puts(text, ")");
}

/* Operators of a sum and a term group to the left, powers to the right. */
static void format_operator(const struct gcal_expr *expr, const struct gcal_node *node,
                            struct gcal_buf *text)
{
    static const char *const signs[] = { [GCAL_OP_ADD] = " + ",
                                         [GCAL_OP_SUB] = " - ",
                                         [GCAL_OP_MUL] = "*",
                                         [GCAL_OP_DIV] = "/",
                                         [GCAL_OP_POW] = "^" };
    bool power = node->op == GCAL_OP_POW;

    format(expr, node->args[0], power ? PRIMARY : precedence(node), text);
    gcal_buf_puts(text, signs[node->op]);
    format(expr, node->args[1], power ? UNARY : precedence(node) + 1, text);
}

/* In parentheses when it binds less than 'least'. */
static void format(const struct gcal_expr *expr, const struct gcal_node *node, int least,
                   struct gcal_buf *text)
{
    bool parentheses = precedence(node) < least;

    if (parentheses)
        gcal_buf_puts(text, "(");
    if (node->op == GCAL_OP_NUMBER)
        format_number(text, node->number);
    else if (node->op == GCAL_OP_SYMBOL)
        gcal_buf_puts(text, expr->symbols[node->symbol]);
    else if (node->op == GCAL_OP_NEG) {
        gcal_buf_puts(text, "-");
        format(expr, node->args[0], UNARY, text);
    } else if (node->op >= GCAL_OP_MIN)
        format_call(expr, node, text);
    else
        format_operator(expr, node, text);
    if (parentheses)
        gcal_buf_puts(text, ")");
}

char *gcal_expr_format(const struct gcal_expr *expr, struct gcal_error *err)
{
    struct gcal_buf text = { 0 };

    format(expr, expr->root, SUM, &text);
    return gcal_buf_take(&text, err);
}
