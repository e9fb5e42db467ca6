/* expr_node.c - nodes, and their simplification */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/expr_private.h"

/* Blocks double: most expressions are a few nodes, derivatives thousands. */
enum { FIRST_BLOCK = 512, LARGEST_BLOCK = 32768 };

/* Zeroed. */
static void *allocate(struct gcal_expr_builder *b, size_t size)
{
    struct gcal_expr_node_block *block = b->expr->nodes;
    size_t next = block ? block->size : FIRST_BLOCK / 2;
    void *memory;

    if (!block || block->used + size > block->size) {
        next = next < LARGEST_BLOCK ? 2 * next : next;
        next = next < size ? size : next;
        if (!(block = calloc(1, sizeof(*block) + next))) {
            gcal_error_memory(b->err);
            return NULL;
        }
        *block = (struct gcal_expr_node_block){ .next = b->expr->nodes, .size = next };
        b->expr->nodes = block;
    }
    memory = (char *)block->bytes + block->used;
    block->used += size;
    return memory;
}

void gcal_expr_nodes_free(struct gcal_expr *expr)
{
    for (struct gcal_expr_node_block *block = expr->nodes, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    expr->nodes = NULL;
    expr->n_nodes = 0;
}

static struct gcal_expr_node *node_create(struct gcal_expr_builder *b,
                                          enum gcal_expr_op op, size_t n_args,
                                          struct gcal_expr_node *const *args)
{
    struct gcal_expr_node *node = allocate(b, sizeof(*node) + n_args * sizeof(*args));

    if (!node)
        return NULL;
    node->op = op;
    node->index = b->expr->n_nodes++;
    node->n_args = n_args;
    for (size_t i = 0; i < n_args; i++) {
        node->args[i] = args[i];
        node->holds |= args[i]->holds;
        if (args[i]->depth >= node->depth)
            node->depth = args[i]->depth + 1;
    }
    if (node->depth > GCAL_EXPR_MAX_DEPTH) {
        gcal_error_set(b->err, GCAL_EINPUT, "the expression is too long");
        return NULL;
    }
    return node;
}

struct gcal_expr_node *gcal_expr_node_number(struct gcal_expr_builder *b, double number)
{
    struct gcal_expr_node *node = node_create(b, GCAL_EXPR_OP_NUMBER, 0, NULL);

    if (node)
        node->number = number;
    return node;
}

struct gcal_expr_node *gcal_expr_node_symbol(struct gcal_expr_builder *b, size_t symbol)
{
    struct gcal_expr_node *node = node_create(b, GCAL_EXPR_OP_SYMBOL, 0, NULL);

    if (node) {
        node->symbol = symbol;
        node->holds = (uint64_t)1 << symbol % 64;
    }
    return node;
}

static bool is(const struct gcal_expr_node *node, double number)
{
    return node->op == GCAL_EXPR_OP_NUMBER && node->number == number;
}

/* 'op' of numbers as a number; NULL if an argument is not a number, or the result is not
 * finite: infinities stay the division they came from.
 */
static struct gcal_expr_node *fold(struct gcal_expr_builder *b, enum gcal_expr_op op,
                                   size_t n_args, struct gcal_expr_node *const *args)
{
    double values[GCAL_EXPR_MAX_ARGS], result;

    for (size_t i = 0; i < n_args; i++) {
        if (args[i]->op != GCAL_EXPR_OP_NUMBER)
            return NULL;
        values[i] = args[i]->number;
    }
    result = gcal_expr_op_apply(op, n_args, values);
    return isfinite(result) ? gcal_expr_node_number(b, result) : NULL;
}

/* ---- simplification ----
 *
 * Every rule keeps the value to the last bit (except signs of zeros, and results from
 * infinities): a count must not change by being read, nor a fit by the spelling of its
 * model.  Like terms are therefore collected only where the sum of their coefficients
 * rounds as the terms do, and sums are never reordered.
 */

/* Returns whether the two are the same expression; may be false if the comparison would take long,
 * as derivatives share nodes and their trees grow without bound.
 */
static bool same(const struct gcal_expr_node *x, const struct gcal_expr_node *y,
                 int *patience)
{
    if (x == y)
        return true;
    if (--*patience < 0 || x->op != y->op || x->n_args != y->n_args ||
        x->depth != y->depth)
        return false;
    if (x->op == GCAL_EXPR_OP_NUMBER)
        return x->number == y->number && signbit(x->number) == signbit(y->number);
    if (x->op == GCAL_EXPR_OP_SYMBOL)
        return x->symbol == y->symbol;
    for (size_t i = 0; i < x->n_args; i++)
        if (!same(x->args[i], y->args[i], patience))
            return false;
    return true;
}

static bool equal(const struct gcal_expr_node *x, const struct gcal_expr_node *y)
{
    int patience = 100;

    return same(x, y, &patience);
}

static bool is_neg(const struct gcal_expr_node *node)
{
    return node->op == GCAL_EXPR_OP_NEG;
}

/* Multiplication by one of these does not round. */
static bool is_power_of_two(double number)
{
    int exponent;

    return fabs(frexp(number, &exponent)) == 0.5 && abs(exponent) < 500;
}

/* node = factor * rest, with factor 1 if no factor is a number. */
static double split_factor(struct gcal_expr_node *node, struct gcal_expr_node **rest)
{
    *rest = node;
    if (node->op != GCAL_EXPR_OP_MUL)
        return 1;
    for (size_t i = 0; i < 2; i++)
        if (node->args[i]->op == GCAL_EXPR_OP_NUMBER) {
            *rest = node->args[1 - i];
            return node->args[i]->number;
        }
    return 1;
}

static struct gcal_expr_node *scaled(struct gcal_expr_builder *b, double factor,
                                     struct gcal_expr_node *rest)
{
    return gcal_expr_node_binary(b, GCAL_EXPR_OP_MUL, gcal_expr_node_number(b, factor),
                                 rest);
}

static struct gcal_expr_node *reduce_sum(struct gcal_expr_builder *b,
                                         enum gcal_expr_op op,
                                         struct gcal_expr_node *const *a)
{
    bool add = op == GCAL_EXPR_OP_ADD;

    if (is(a[1], 0))
        return a[0];
    if (is(a[0], 0))
        return add ? a[1] : gcal_expr_node_unary(b, GCAL_EXPR_OP_NEG, a[1]);
    if (is_neg(a[1]))
        return gcal_expr_node_binary(b, add ? GCAL_EXPR_OP_SUB : GCAL_EXPR_OP_ADD, a[0],
                                     a[1]->args[0]);
    if (add && is_neg(a[0]))
        return gcal_expr_node_binary(b, GCAL_EXPR_OP_SUB, a[1], a[0]->args[0]);
    /* 2*x + x is 3*x; NULL if the terms are not alike, or would round differently. */
    struct gcal_expr_node *x = a[0];
    struct gcal_expr_node *y = a[1];
    double sign = add ? 1 : -1;
    struct gcal_expr_node *rest_x, *rest_y;
    double f = split_factor(x, &rest_x), g = sign * split_factor(y, &rest_y);

    if (!is_power_of_two(f) || !is_power_of_two(g) || (f + g) - f != g ||
        (f + g) - g != f || !equal(rest_x, rest_y))
        return NULL;
    return scaled(b, f + g, rest_x);
}

/* The n of x^n that is evaluated as a product, 1 to 7; 0 for other nodes. */
static double exponent_of(const struct gcal_expr_node *node,
                          const struct gcal_expr_node *x)
{
    const struct gcal_expr_node *exponent =
        node->op == GCAL_EXPR_OP_POW ? node->args[1] : NULL;
    double n = exponent && exponent->op == GCAL_EXPR_OP_NUMBER ? exponent->number : 0;

    if (gcal_expr_is_integer_power(n) && n < 8 && equal(node->args[0], x))
        return n;
    return equal(node, x) ? 1 : 0;
}

/* x * x and x^n * x. */
static struct gcal_expr_node *collect_factors(struct gcal_expr_builder *b,
                                              struct gcal_expr_node *const *a)
{
    for (size_t i = 0; i < 2; i++) {
        double n = a[1 - i]->op == GCAL_EXPR_OP_NUMBER ? 0 : exponent_of(a[i], a[1 - i]);

        if (n > 0)
            return gcal_expr_node_binary(b, GCAL_EXPR_OP_POW, a[1 - i],
                                         gcal_expr_node_number(b, n + 1));
    }
    return NULL;
}

/* number * x: 2 * (3 * x) is 6 * x, 2 * -x is -2 * x. */
static struct gcal_expr_node *reduce_scaled(struct gcal_expr_builder *b, double number,
                                            struct gcal_expr_node *x)
{
    struct gcal_expr_node *rest;
    double factor = split_factor(x, &rest);

    if (number == 0)
        return gcal_expr_node_number(b, 0);
    if (number == 1)
        return x;
    if (number == -1)
        return gcal_expr_node_unary(b, GCAL_EXPR_OP_NEG, x);
    if (is_neg(x))
        return scaled(b, -number, x->args[0]);
    if (rest != x && (is_power_of_two(number) || is_power_of_two(factor)) &&
        isnormal(number * factor))
        return scaled(b, number * factor, rest);
    return NULL;
}

static struct gcal_expr_node *reduce_signs(struct gcal_expr_builder *b,
                                           enum gcal_expr_op op,
                                           struct gcal_expr_node *const *a)
{
    struct gcal_expr_node *x = is_neg(a[0]) ? a[0]->args[0] : a[0];
    struct gcal_expr_node *y = is_neg(a[1]) ? a[1]->args[0] : a[1], *result;

    if (x == a[0] && y == a[1])
        return NULL;
    result = gcal_expr_node_binary(b, op, x, y);
    return is_neg(a[0]) != is_neg(a[1])
               ? gcal_expr_node_unary(b, GCAL_EXPR_OP_NEG, result)
               : result;
}

/* Adds 'arg' of a minimum or maximum to 'all', which keeps each once and one number. */
static void merge(struct gcal_expr_builder *b, enum gcal_expr_op op,
                  struct gcal_expr_node *arg, struct gcal_expr_node **all, size_t *n)
{
    for (size_t i = 0; i < *n; i++) {
        struct gcal_expr_node *number =
            fold(b, op, 2, (struct gcal_expr_node *[]){ all[i], arg });

        if (equal(all[i], arg))
            return;
        if (number) {
            all[i] = number;
            return;
        }
    }
    all[(*n)++] = arg;
}

/* A simpler node of the same value; NULL: none. */
static struct gcal_expr_node *reduce(struct gcal_expr_builder *b, enum gcal_expr_op op,
                                     size_t n_args, struct gcal_expr_node *const *a)
{
    switch (op) {
    case GCAL_EXPR_OP_ADD:
    case GCAL_EXPR_OP_SUB:
        return reduce_sum(b, op, a);
    case GCAL_EXPR_OP_MUL: {
        struct gcal_expr_node *result;

        for (size_t i = 0; i < 2; i++)
            if (a[i]->op == GCAL_EXPR_OP_NUMBER)
                return reduce_scaled(b, a[i]->number, a[1 - i]);
        result = reduce_signs(b, GCAL_EXPR_OP_MUL, a);
        return result ? result : collect_factors(b, a);
    }
    case GCAL_EXPR_OP_DIV:
        if (is(a[1], 1) || (is(a[0], 0) && !is(a[1], 0)))
            return a[0];
        return reduce_signs(b, GCAL_EXPR_OP_DIV, a);
    case GCAL_EXPR_OP_NEG: {
        struct gcal_expr_node *x = a[0];
        struct gcal_expr_node *rest;
        double factor = split_factor(x, &rest);

        if (is_neg(x))
            return x->args[0];
        if (x->op == GCAL_EXPR_OP_SUB)
            return gcal_expr_node_binary(b, GCAL_EXPR_OP_SUB, x->args[1], x->args[0]);
        return rest != x ? scaled(b, -factor, rest) : NULL;
    }
    case GCAL_EXPR_OP_POW:
        if (is(a[1], 1))
            return a[0];
        return is(a[1], 0) || is(a[0], 1) ? gcal_expr_node_number(b, 1) : NULL;
    case GCAL_EXPR_OP_MIN:
    case GCAL_EXPR_OP_MAX: {
        /* max(x, max(y, 2), x, 3) is max(x, y, 3). */
        struct gcal_expr_node *all[GCAL_EXPR_MAX_ARGS];
        size_t flat = 0, n = 0;

        for (size_t i = 0; i < n_args; i++)
            flat += a[i]->op == op && !b->expr->keeps_extremes ? a[i]->n_args : 1;
        if (flat > GCAL_EXPR_MAX_ARGS)
            return NULL;
        for (size_t i = 0; i < n_args; i++)
            if (a[i]->op == op && !b->expr->keeps_extremes)
                for (size_t k = 0; k < a[i]->n_args; k++)
                    merge(b, op, a[i]->args[k], all, &n);
            else
                merge(b, op, a[i], all, &n);
        if (n == 1)
            return all[0];
        return n < n_args || flat > n_args ? node_create(b, op, n, all) : NULL;
    }
    case GCAL_EXPR_OP_PNORM: {
        /* Costs of 0 add nothing to a norm; the norm of one cost is that cost. */
        struct gcal_expr_node *kept[GCAL_EXPR_MAX_ARGS] = { a[0] };
        size_t n = 1;

        for (size_t i = 1; i < n_args; i++)
            if (!is(a[i], 0))
                kept[n++] = a[i];
        if (n <= 2)
            return n == 2 ? kept[1] : a[1];
        return n < n_args ? node_create(b, GCAL_EXPR_OP_PNORM, n, kept) : NULL;
    }
    case GCAL_EXPR_OP_SMOOTHMAX:
        return n_args == 2 ? a[1] : NULL;
    case GCAL_EXPR_OP_SELECT:
        return equal(a[0], a[1]) || equal(a[2], a[3]) ? a[2] : NULL;
    default:
        return NULL;
    }
}

struct gcal_expr_node *gcal_expr_node_make(struct gcal_expr_builder *b,
                                           enum gcal_expr_op op, size_t n_args,
                                           struct gcal_expr_node *const *args)
{
    struct gcal_expr_node *node;

    for (size_t i = 0; i < n_args; i++)
        if (!args[i])
            return NULL;
    if ((node = fold(b, op, n_args, args)) || (node = reduce(b, op, n_args, args)))
        return node;
    return node_create(b, op, n_args, args);
}

struct gcal_expr_node *gcal_expr_node_unary(struct gcal_expr_builder *b,
                                            enum gcal_expr_op op,
                                            struct gcal_expr_node *a)
{
    return gcal_expr_node_make(b, op, 1, &a);
}

struct gcal_expr_node *gcal_expr_node_binary(struct gcal_expr_builder *b,
                                             enum gcal_expr_op op,
                                             struct gcal_expr_node *a,
                                             struct gcal_expr_node *c)
{
    return gcal_expr_node_make(b, op, 2, (struct gcal_expr_node *[]){ a, c });
}
