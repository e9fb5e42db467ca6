/* expr.c - nodes, the program they become, and its evaluation */
#include "calib/model/expr.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/expr_private.h"

const struct gcal_function gcal_functions[GCAL_OP_COUNT] = {
    [GCAL_OP_MIN] = { "min", 1, GCAL_EXPR_MAX_ARGS },
    [GCAL_OP_MAX] = { "max", 1, GCAL_EXPR_MAX_ARGS },
    [GCAL_OP_EXP] = { "exp", 1, 1 },
    [GCAL_OP_LOG] = { "log", 1, 1 },
    [GCAL_OP_SQRT] = { "sqrt", 1, 1 },
    [GCAL_OP_TANH] = { "tanh", 1, 1 },
    [GCAL_OP_FLOOR] = { "floor", 1, 1 },
    [GCAL_OP_CEIL] = { "ceil", 1, 1 },
    [GCAL_OP_STEP] = { "step", 1, 1 },
    [GCAL_OP_SMOOTHSTEP] = { "smoothstep", 2, 2 },
    [GCAL_OP_OVERLAP] = { "overlap", 3, 3 },
    [GCAL_OP_PNORM] = { "pnorm", 2, GCAL_EXPR_MAX_ARGS },
    [GCAL_OP_SELECT] = { "select", 4, 4 },
    [GCAL_OP_POW_D] = { "pow_d", 2, 2 },
    [GCAL_OP_OVERLAP_D] = { "overlap_d", 4, 4 },
    [GCAL_OP_PNORM_D] = { "pnorm_d", 4, 4 },
    [GCAL_OP_PNORM_E] = { "pnorm_e", 3, 3 },
};

void gcal_expr_destroy(struct gcal_expr *expr)
{
    if (!expr)
        return;
    for (struct gcal_node *node = expr->nodes, *next; node; node = next) {
        next = node->owned;
        free(node);
    }
    for (size_t i = 0; i < expr->n_symbols; i++)
        free(expr->symbols[i]);
    free(expr->symbols);
    free(expr->program);
    free(expr);
}

size_t gcal_expr_symbol_count(const struct gcal_expr *expr)
{
    return expr->n_symbols;
}

const char *gcal_expr_symbol(const struct gcal_expr *expr, size_t i)
{
    return expr->symbols[i];
}

size_t gcal_expr_add_symbol(struct gcal_expr *expr, const char *name, size_t length,
                            struct gcal_error *err)
{
    char **symbols;

    for (size_t i = 0; i < expr->n_symbols; i++)
        if (strlen(expr->symbols[i]) == length &&
            memcmp(expr->symbols[i], name, length) == 0)
            return i;
    symbols = gcal_array_grow(expr->symbols, expr->n_symbols, &expr->symbols_capacity,
                              sizeof(*symbols), err);
    if (!symbols)
        return SIZE_MAX;
    expr->symbols = symbols;
    if (!(symbols[expr->n_symbols] = strndup(name, length))) {
        gcal_error_memory(err);
        return SIZE_MAX;
    }
    return expr->n_symbols++;
}

/* ---- values ---- */

/* With the largest argument taken out, powers neither overflow nor underflow. */
static double pnorm(double p, size_t n, const double *a)
{
    double largest = 0, sum = 0;

    for (size_t i = 0; i < n; i++)
        if (isnan(a[i]) || fabs(a[i]) > largest)
            largest = fabs(a[i]);
    if (largest == 0 || isinf(p))
        return largest;
    for (size_t i = 0; i < n; i++)
        sum += a[i] == largest ? 1 : pow(a[i] / largest, p);
    return largest * pow(sum, 1 / p);
}

/* By argument a: (a / norm)^(p-1).  Where all n are 0 the direction matters; the one in
 * which all grow alike is taken.  Below p = 1 the slope at 0 is infinite; a large
 * finite one lets a fit walk away from it.
 */
static double pnorm_by_argument(double p, double norm, double a, double n)
{
    double ratio = norm > 0 ? a / norm : pow(n, -1 / p);

    if (isinf(p))
        return a == norm;
    if (p < 1)
        ratio = fmax(ratio, DBL_EPSILON);
    return pow(ratio, p - 1);
}

static double overlap(double g, double c, double edge)
{
    double sum = g + c, step = sum == 0 ? 0.5 : 0.5 * tanh(edge * (g - c) / sum) + 0.5;

    return g * step + c * (1 - step);
}

static double overlap_derivative(int k, double g, double c, double edge)
{
    double sum = g + c, x = sum == 0 ? 0 : (g - c) / sum, t = tanh(edge * x);
    double step = 0.5 * t + 0.5, slope = 0.5 * (1 - t * t);

    if (k == 2)
        return slope * x * (g - c);
    /* (g - c) dx/dg = 2 c (g - c) / (g + c)^2 = x (1 - x), and likewise for c */
    return k == 0 ? step + slope * edge * x * (1 - x)
                  : 1 - step - slope * edge * x * (1 + x);
}

static double extreme(enum gcal_op op, size_t n, const double *a)
{
    double best = a[0];

    for (size_t i = 1; i < n; i++)
        if (isnan(a[i]) || (op == GCAL_OP_MIN ? a[i] < best : a[i] > best))
            best = a[i];
    return best;
}

double gcal_op_apply(enum gcal_op op, size_t n, const double *a)
{
    switch (op) {
    case GCAL_OP_ADD:
        return a[0] + a[1];
    case GCAL_OP_SUB:
        return a[0] - a[1];
    case GCAL_OP_MUL:
        return a[0] * a[1];
    case GCAL_OP_DIV:
        return a[0] / a[1];
    case GCAL_OP_POW:
        return pow(a[0], a[1]);
    case GCAL_OP_NEG:
        return -a[0];
    case GCAL_OP_MIN:
    case GCAL_OP_MAX:
        return extreme(op, n, a);
    case GCAL_OP_EXP:
        return exp(a[0]);
    case GCAL_OP_LOG:
        return log(a[0]);
    case GCAL_OP_SQRT:
        return sqrt(a[0]);
    case GCAL_OP_TANH:
        return tanh(a[0]);
    case GCAL_OP_FLOOR:
        return floor(a[0]);
    case GCAL_OP_CEIL:
        return ceil(a[0]);
    case GCAL_OP_STEP:
        return a[0] >= 0;
    case GCAL_OP_SMOOTHSTEP:
        return 0.5 * tanh(a[1] * a[0]) + 0.5;
    case GCAL_OP_OVERLAP:
        return overlap(a[0], a[1], a[2]);
    case GCAL_OP_PNORM:
        return pnorm(a[0], n - 1, a + 1);
    case GCAL_OP_SELECT:
        return a[0] <= a[1] ? a[2] : a[3];
    case GCAL_OP_POW_D:
        return a[0] == 0 ? 0 : pow(a[0], a[1]) * log(a[0]);
    case GCAL_OP_OVERLAP_D:
        return overlap_derivative((int)a[0], a[1], a[2], a[3]);
    case GCAL_OP_PNORM_D:
        return pnorm_by_argument(a[0], a[1], a[2], a[3]);
    case GCAL_OP_PNORM_E:
        return a[1] == 0 ? 0 : a[1] * a[2] * log(a[1] / a[0]);
    default:
        return NAN;
    }
}

/* ---- nodes ---- */

static struct gcal_node *node_create(struct gcal_build *b, enum gcal_op op, size_t n_args,
                                     struct gcal_node *const *args)
{
    struct gcal_node *node = calloc(1, sizeof(*node) + n_args * sizeof(*args));

    if (!node) {
        gcal_error_memory(b->err);
        return NULL;
    }
    node->owned = b->expr->nodes;
    b->expr->nodes = node;
    node->op = op;
    node->n_args = n_args;
    for (size_t i = 0; i < n_args; i++) {
        node->args[i] = args[i];
        if (args[i]->depth >= node->depth)
            node->depth = args[i]->depth + 1;
    }
    if (node->depth > GCAL_EXPR_MAX_DEPTH) {
        gcal_error_set(b->err, GCAL_EINPUT, "the expression is too long");
        return NULL;
    }
    return node;
}

struct gcal_node *gcal_node_number(struct gcal_build *b, double number)
{
    struct gcal_node *node = node_create(b, GCAL_OP_NUMBER, 0, NULL);

    if (node)
        node->number = number;
    return node;
}

struct gcal_node *gcal_node_symbol(struct gcal_build *b, size_t symbol)
{
    struct gcal_node *node = node_create(b, GCAL_OP_SYMBOL, 0, NULL);

    if (node)
        node->symbol = symbol;
    return node;
}

static bool is(const struct gcal_node *node, double number)
{
    return node->op == GCAL_OP_NUMBER && node->number == number;
}

/* The number that 'op' makes of numbers; NULL when they are not, or it is not finite:
 * infinities stay written as the division they came from.
 */
static struct gcal_node *fold(struct gcal_build *b, enum gcal_op op, size_t n_args,
                              struct gcal_node *const *args)
{
    double values[GCAL_EXPR_MAX_ARGS], result;

    for (size_t i = 0; i < n_args; i++) {
        if (args[i]->op != GCAL_OP_NUMBER)
            return NULL;
        values[i] = args[i]->number;
    }
    result = gcal_op_apply(op, n_args, values);
    return isfinite(result) ? gcal_node_number(b, result) : NULL;
}

/* What an operator with a 0 or a 1 comes to; NULL when there is nothing to reduce. */
static struct gcal_node *reduce(struct gcal_build *b, enum gcal_op op, size_t n_args,
                                struct gcal_node *const *a)
{
    switch (op) {
    case GCAL_OP_ADD:
        return is(a[0], 0) ? a[1] : is(a[1], 0) ? a[0] : NULL;
    case GCAL_OP_SUB:
        return is(a[1], 0)   ? a[0]
               : is(a[0], 0) ? gcal_node_unary(b, GCAL_OP_NEG, a[1])
                             : NULL;
    case GCAL_OP_MUL:
        return is(a[0], 0) || is(a[1], 1)   ? a[0]
               : is(a[1], 0) || is(a[0], 1) ? a[1]
                                            : NULL;
    case GCAL_OP_DIV:
        return is(a[1], 1) || (is(a[0], 0) && !is(a[1], 0)) ? a[0] : NULL;
    case GCAL_OP_POW:
        return is(a[1], 1) ? a[0] : is(a[1], 0) ? gcal_node_number(b, 1) : NULL;
    case GCAL_OP_NEG:
        return a[0]->op == GCAL_OP_NEG ? a[0]->args[0] : NULL;
    case GCAL_OP_MIN:
    case GCAL_OP_MAX:
        return n_args == 1 ? a[0] : NULL;
    case GCAL_OP_SELECT:
        return a[2]->op == GCAL_OP_NUMBER && is(a[3], a[2]->number) ? a[2] : NULL;
    default:
        return NULL;
    }
}

struct gcal_node *gcal_node_make(struct gcal_build *b, enum gcal_op op, size_t n_args,
                                 struct gcal_node *const *args)
{
    struct gcal_node *node;

    for (size_t i = 0; i < n_args; i++)
        if (!args[i])
            return NULL;
    if ((node = fold(b, op, n_args, args)) || (node = reduce(b, op, n_args, args)))
        return node;
    return node_create(b, op, n_args, args);
}

struct gcal_node *gcal_node_unary(struct gcal_build *b, enum gcal_op op,
                                  struct gcal_node *a)
{
    return gcal_node_make(b, op, 1, &a);
}

struct gcal_node *gcal_node_binary(struct gcal_build *b, enum gcal_op op,
                                   struct gcal_node *a, struct gcal_node *c)
{
    return gcal_node_make(b, op, 2, (struct gcal_node *[]){ a, c });
}

/* ---- the program ---- */

static int emit(struct gcal_expr *expr, struct gcal_instruction instruction,
                struct gcal_error *err)
{
    struct gcal_instruction *program =
        gcal_array_grow(expr->program, expr->n_instructions, &expr->program_capacity,
                        sizeof(*program), err);

    if (!program)
        return -1;
    expr->program = program;
    if (expr->n_instructions == GCAL_EXPR_MAX_PROGRAM)
        return gcal_error_set(err, GCAL_EINPUT, "the expression is too long");
    program[expr->n_instructions++] = instruction;
    return 0;
}

static bool is_small_power(const struct gcal_node *node)
{
    const struct gcal_node *exponent = node->op == GCAL_OP_POW ? node->args[1] : NULL;

    return exponent && exponent->op == GCAL_OP_NUMBER && exponent->number >= 2 &&
           exponent->number <= 8 && exponent->number == floor(exponent->number);
}

/* 'height' values lie on the stack when the node's evaluation starts. */
static int compile(struct gcal_expr *expr, const struct gcal_node *node, size_t height,
                   struct gcal_error *err)
{
    size_t n_args = is_small_power(node) ? 1 : node->n_args;
    struct gcal_instruction instruction = { .op = (uint16_t)node->op,
                                            .n_args = (uint16_t)n_args,
                                            .symbol = (uint32_t)node->symbol,
                                            .number = node->number };

    if (height >= GCAL_EXPR_MAX_STACK)
        return gcal_error_set(err, GCAL_EINPUT, "the expression is nested too deeply");
    for (size_t i = 0; i < n_args; i++)
        if (compile(expr, node->args[i], height + i, err) < 0)
            return -1;
    if (is_small_power(node)) {
        instruction.op = GCAL_OP_POWI;
        instruction.n_args = (uint16_t)node->args[1]->number;
    }
    return emit(expr, instruction, err);
}

int gcal_expr_compile(struct gcal_expr *expr, struct gcal_node *root,
                      struct gcal_error *err)
{
    expr->root = root;
    return root ? compile(expr, root, 0, err) : -1;
}

/* 'top' is the value on top of the stack; the others lie in 'stack'. */
double gcal_expr_eval(const struct gcal_expr *expr, const double *values)
{
    double stack[GCAL_EXPR_MAX_STACK + 1], *below = stack, top = 0;
    const struct gcal_instruction *end = expr->program + expr->n_instructions;

    for (const struct gcal_instruction *i = expr->program; i < end; i++)
        switch (i->op) {
        case GCAL_OP_NUMBER:
            *below++ = top;
            top = i->number;
            break;
        case GCAL_OP_SYMBOL:
            *below++ = top;
            top = values[i->symbol];
            break;
        case GCAL_OP_ADD:
            top = *--below + top;
            break;
        case GCAL_OP_SUB:
            top = *--below - top;
            break;
        case GCAL_OP_MUL:
            top = *--below * top;
            break;
        case GCAL_OP_DIV:
            top = *--below / top;
            break;
        case GCAL_OP_NEG:
            top = -top;
            break;
        case GCAL_OP_POWI:
            top = gcal_whole_power(top, i->n_args);
            break;
        default:
            *below = top;
            below -= i->n_args - 1;
            top = gcal_op_apply(i->op, i->n_args, below);
        }
    return top;
}

bool gcal_expr_uses(const struct gcal_expr *expr, size_t symbol)
{
    for (size_t i = 0; i < expr->n_instructions; i++)
        if (expr->program[i].op == GCAL_OP_SYMBOL && expr->program[i].symbol == symbol)
            return true;
    return false;
}
