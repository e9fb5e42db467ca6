/* expr_derive.c - symbolic derivatives */
#include "kernels/model/expr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/expr_private.h"

/* Short names: a derivative should read as on paper. */
static struct gcal_expr_node *add(struct gcal_expr_builder *b, struct gcal_expr_node *x,
                                  struct gcal_expr_node *y)
{
    return gcal_expr_node_binary(b, GCAL_EXPR_OP_ADD, x, y);
}

static struct gcal_expr_node *sub(struct gcal_expr_builder *b, struct gcal_expr_node *x,
                                  struct gcal_expr_node *y)
{
    return gcal_expr_node_binary(b, GCAL_EXPR_OP_SUB, x, y);
}

static struct gcal_expr_node *mul(struct gcal_expr_builder *b, struct gcal_expr_node *x,
                                  struct gcal_expr_node *y)
{
    return gcal_expr_node_binary(b, GCAL_EXPR_OP_MUL, x, y);
}

static struct gcal_expr_node *quotient(struct gcal_expr_builder *b,
                                       struct gcal_expr_node *x, struct gcal_expr_node *y)
{
    return gcal_expr_node_binary(b, GCAL_EXPR_OP_DIV, x, y);
}

static struct gcal_expr_node *number(struct gcal_expr_builder *b, double value)
{
    return gcal_expr_node_number(b, value);
}

static bool is_zero(const struct gcal_expr_node *node)
{
    return node && node->op == GCAL_EXPR_OP_NUMBER && node->number == 0;
}

static struct gcal_expr_node *derive(struct gcal_expr_builder *b,
                                     struct gcal_expr_node *node, size_t symbol);

/* (u^v)' = v u^(v-1) u' + u^v log(u) v' */
static struct gcal_expr_node *derive_power(struct gcal_expr_builder *b,
                                           struct gcal_expr_node *const *a, size_t symbol)
{
    struct gcal_expr_node *du = derive(b, a[0], symbol), *dv = derive(b, a[1], symbol);
    struct gcal_expr_node *sum = number(b, 0), *less;

    if (!is_zero(du)) {
        less = sub(b, a[1], number(b, 1));
        sum = mul(b, mul(b, a[1], gcal_expr_node_binary(b, GCAL_EXPR_OP_POW, a[0], less)),
                  du);
    }
    if (!is_zero(dv))
        sum = add(b, sum, mul(b, gcal_expr_node_make(b, GCAL_EXPR_OP_POW_D, 2, a), dv));
    return sum;
}

/* 1 - tanh(x)^2 */
static struct gcal_expr_node *tanh_slope(struct gcal_expr_builder *b,
                                         struct gcal_expr_node *x)
{
    struct gcal_expr_node *t = gcal_expr_node_unary(b, GCAL_EXPR_OP_TANH, x);

    return sub(b, number(b, 1),
               gcal_expr_node_binary(b, GCAL_EXPR_OP_POW, t, number(b, 2)));
}

/* min(a, rest..)' = select(a, min(rest..), a', min(rest..)'); max likewise, reversed */
static struct gcal_expr_node *derive_extreme(struct gcal_expr_builder *b,
                                             const struct gcal_expr_node *node,
                                             size_t symbol)
{
    struct gcal_expr_node *first = derive(b, node->args[0], symbol), *rest, *rest_slope;

    if (node->n_args == 1)
        return first;
    rest = gcal_expr_node_make(b, node->op, node->n_args - 1, node->args + 1);
    rest_slope = rest ? derive(b, rest, symbol) : NULL;
    if (node->op == GCAL_EXPR_OP_MIN)
        return gcal_expr_node_make(
            b, GCAL_EXPR_OP_SELECT, 4,
            (struct gcal_expr_node *[]){ node->args[0], rest, first, rest_slope });
    return gcal_expr_node_make(
        b, GCAL_EXPR_OP_SELECT, 4,
        (struct gcal_expr_node *[]){ rest, node->args[0], first, rest_slope });
}

static struct gcal_expr_node *call(struct gcal_expr_builder *b, enum gcal_expr_op op,
                                   size_t n, struct gcal_expr_node *const *args)
{
    return gcal_expr_node_make(b, op, n, args);
}

/* With N = pnorm(p, a, ..) and r = a / N: dN/da = r^(p-1), dN/dp = sum(a r^(p-1) log r) /
 * p.  Both are written with N and log r, which a program then computes once.
 */
static struct gcal_expr_node *derive_pnorm(struct gcal_expr_builder *b,
                                           struct gcal_expr_node *node, size_t symbol)
{
    struct gcal_expr_node *p = node->args[0], *dp = derive(b, p, symbol);
    struct gcal_expr_node *n = number(b, (double)node->n_args - 1);
    struct gcal_expr_node *by_args = number(b, 0), *by_p = number(b, 0);

    for (size_t k = 1; k < node->n_args; k++) {
        struct gcal_expr_node *a = node->args[k], *da = derive(b, a, symbol), *ratio,
                              *slope;

        if (is_zero(da) && is_zero(dp))
            continue;
        ratio = call(b, GCAL_EXPR_OP_PNORM_L, 4,
                     (struct gcal_expr_node *[]){ p, node, a, n });
        slope = call(b, GCAL_EXPR_OP_PNORM_D, 2, (struct gcal_expr_node *[]){ p, ratio });
        by_args = add(b, by_args, mul(b, slope, da));
        by_p = add(b, by_p,
                   call(b, GCAL_EXPR_OP_PNORM_E, 3,
                        (struct gcal_expr_node *[]){ a, slope, ratio }));
    }
    return is_zero(dp) ? by_args : add(b, by_args, mul(b, quotient(b, by_p, p), dp));
}

/* With X = smoothmax(k, a, ..), the scale S = sum(a), weights w and their mean
 * A = sum(w a): dX/da = w + (X - A) / S, dX/dk = (A - X) / k.
 */
static struct gcal_expr_node *derive_smoothmax(struct gcal_expr_builder *b,
                                               struct gcal_expr_node *node, size_t symbol)
{
    struct gcal_expr_node *k = node->args[0], *dk = derive(b, k, symbol), *by_scale;
    struct gcal_expr_node *n = number(b, (double)node->n_args - 1);
    struct gcal_expr_node *scale = number(b, 0), *mean = number(b, 0),
                          *by_args = number(b, 0);
    struct gcal_expr_node *scale_slope = number(b, 0);

    for (size_t i = 1; i < node->n_args; i++)
        scale = add(b, scale, node->args[i]);
    for (size_t i = 1; i < node->n_args; i++) {
        struct gcal_expr_node *a = node->args[i], *da = derive(b, a, symbol), *weight;

        weight = call(b, GCAL_EXPR_OP_SMOOTHMAX_W, 5,
                      (struct gcal_expr_node *[]){ k, node, a, scale, n });
        mean = add(b, mean, mul(b, weight, a));
        by_args = add(b, by_args, mul(b, weight, da));
        scale_slope = add(b, scale_slope, da);
    }
    by_scale = call(b, GCAL_EXPR_OP_SMOOTHMAX_S, 5,
                    (struct gcal_expr_node *[]){ k, node, mean, scale, n });
    return add(b, add(b, by_args, mul(b, by_scale, scale_slope)),
               mul(b, quotient(b, sub(b, mean, node), k), dk));
}

/* Functions of derivatives have no derivative, except by symbols that they do not contain. */
static struct gcal_expr_node *derive_derivative(struct gcal_expr_builder *b,
                                                const struct gcal_expr_node *node,
                                                size_t symbol)
{
    for (size_t i = 0; i < node->n_args; i++) {
        struct gcal_expr_node *slope = derive(b, node->args[i], symbol);

        if (!slope)
            return NULL;
        if (!is_zero(slope)) {
            gcal_error_set(b->err, GCAL_EINPUT, "no second derivative of '%s'",
                           gcal_expr_builtins[node->op].name);
            return NULL;
        }
    }
    return number(b, 0);
}

/* A function of one argument, by the chain rule. */
static struct gcal_expr_node *
derive_elementary(struct gcal_expr_builder *b, struct gcal_expr_node *node, size_t symbol)
{
    struct gcal_expr_node *x = node->args[0], *dx = derive(b, x, symbol);

    if (!dx || is_zero(dx)) /* so that log(0) stays a constant */
        return dx;
    switch (node->op) {
    case GCAL_EXPR_OP_EXP:
        return mul(b, node, dx);
    case GCAL_EXPR_OP_LOG:
        return quotient(b, dx, x);
    case GCAL_EXPR_OP_LOG2:
        return quotient(b, dx, mul(b, number(b, M_LN2), x));
    case GCAL_EXPR_OP_SQRT:
        return quotient(b, dx, mul(b, number(b, 2), node));
    default:
        return mul(b, tanh_slope(b, x), dx);
    }
}

static struct gcal_expr_node *derive_function(struct gcal_expr_builder *b,
                                              struct gcal_expr_node *node, size_t symbol)
{
    struct gcal_expr_node *x, *dx;

    switch (node->op) {
    case GCAL_EXPR_OP_MIN:
    case GCAL_EXPR_OP_MAX:
        return derive_extreme(b, node, symbol);
    case GCAL_EXPR_OP_OVERLAP: {
        /* The chain rule over overlap_d(k, g, c, edge, t), which differ only in k. */
        struct gcal_expr_node *const *a = node->args, *sum = number(b, 0);
        struct gcal_expr_node *t = call(b, GCAL_EXPR_OP_OVERLAP_T, 3, a);

        for (size_t k = 0; k < node->n_args; k++) {
            struct gcal_expr_node *args[] = { number(b, (double)k), a[0], a[1], a[2], t };

            sum = add(b, sum,
                      mul(b, call(b, GCAL_EXPR_OP_OVERLAP_D, 5, args),
                          derive(b, a[k], symbol)));
        }
        return sum;
    }
    case GCAL_EXPR_OP_PNORM:
        return derive_pnorm(b, node, symbol);
    case GCAL_EXPR_OP_SMOOTHMAX:
        return derive_smoothmax(b, node, symbol);
    case GCAL_EXPR_OP_SELECT: {
        /* select(a, b, x, y) by x and y. */
        struct gcal_expr_node *const *a = node->args;

        return call(b, GCAL_EXPR_OP_SELECT, 4,
                    (struct gcal_expr_node *[]){ a[0], a[1], derive(b, a[2], symbol),
                                                 derive(b, a[3], symbol) });
    }
    case GCAL_EXPR_OP_FLOOR:
    case GCAL_EXPR_OP_CEIL:
    case GCAL_EXPR_OP_STEP:
        return number(b, 0);
    case GCAL_EXPR_OP_SMOOTHSTEP:
        /* (tanh(u) + 1) / 2 with u = edge x */
        x = mul(b, node->args[1], node->args[0]);
        dx = x ? derive(b, x, symbol) : NULL;
        return mul(b, mul(b, number(b, 0.5), tanh_slope(b, x)), dx);
    case GCAL_EXPR_OP_EXP:
    case GCAL_EXPR_OP_LOG:
    case GCAL_EXPR_OP_LOG2:
    case GCAL_EXPR_OP_SQRT:
    case GCAL_EXPR_OP_TANH:
        return derive_elementary(b, node, symbol);
    default:
        return derive_derivative(b, node, symbol);
    }
}

static struct gcal_expr_node *derive_new(struct gcal_expr_builder *b,
                                         struct gcal_expr_node *node, size_t symbol)
{
    struct gcal_expr_node *const *a = node->args;

    switch (node->op) {
    case GCAL_EXPR_OP_NUMBER:
        return number(b, 0);
    case GCAL_EXPR_OP_SYMBOL:
        return number(b, node->symbol == symbol);
    case GCAL_EXPR_OP_ADD:
    case GCAL_EXPR_OP_SUB:
        return gcal_expr_node_binary(b, node->op, derive(b, a[0], symbol),
                                     derive(b, a[1], symbol));
    case GCAL_EXPR_OP_MUL:
        return add(b, mul(b, derive(b, a[0], symbol), a[1]),
                   mul(b, a[0], derive(b, a[1], symbol)));
    case GCAL_EXPR_OP_DIV: {
        /* (u/v)' = (u' - (u/v) v') / v */
        struct gcal_expr_node *du = derive(b, node->args[0], symbol);
        struct gcal_expr_node *dv = derive(b, node->args[1], symbol);

        if (is_zero(du) && is_zero(dv))
            return du; /* so that 1/0 stays a constant */
        return quotient(b, sub(b, du, mul(b, node, dv)), node->args[1]);
    }
    case GCAL_EXPR_OP_POW:
        return derive_power(b, a, symbol);
    case GCAL_EXPR_OP_NEG:
        return gcal_expr_node_unary(b, GCAL_EXPR_OP_NEG, derive(b, a[0], symbol));
    default:
        return derive_function(b, node, symbol);
    }
}

static struct gcal_expr_node *derive(struct gcal_expr_builder *b,
                                     struct gcal_expr_node *node, size_t symbol)
{
    bool shared = node->index < b->n_slopes; /* else made for the derivative */
    struct gcal_expr_node *slope;

    if (b->failed) /* so that no node is tried twice */
        return NULL;
    if (!(node->holds >> symbol % 64 & 1))
        return number(b, 0);
    if (shared && b->slopes[node->index])
        return b->slopes[node->index];
    slope = derive_new(b, node, symbol);
    b->failed = !slope;
    if (shared)
        b->slopes[node->index] = slope;
    return slope;
}

struct gcal_expr_node *gcal_expr_node_derivative(struct gcal_expr_builder *b,
                                                 const struct gcal_expr *expr,
                                                 struct gcal_expr_node *node,
                                                 size_t symbol)
{
    struct gcal_expr_node *slope;

    b->expr->n_nodes = b->n_slopes = expr->n_nodes;
    if (!(b->slopes = calloc(expr->n_nodes + 1, sizeof(struct gcal_expr_node *)))) {
        gcal_error_memory(b->err);
        return NULL;
    }
    b->failed = false;
    slope = derive(b, node, symbol);
    free(b->slopes);
    b->slopes = NULL;
    b->n_slopes = 0;
    return slope;
}
