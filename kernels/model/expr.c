/* expr.c - values of operators, symbols of an expression, its program, and evaluation */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/expr_private.h"

const struct gcal_expr_builtin gcal_expr_builtins[GCAL_EXPR_OP_COUNT] = {
    [GCAL_EXPR_OP_MIN] = { "min", 1, GCAL_EXPR_MAX_ARGS },
    [GCAL_EXPR_OP_MAX] = { "max", 1, GCAL_EXPR_MAX_ARGS },
    [GCAL_EXPR_OP_EXP] = { "exp", 1, 1 },
    [GCAL_EXPR_OP_LOG] = { "log", 1, 1 },
    [GCAL_EXPR_OP_LOG2] = { "log2", 1, 1 },
    [GCAL_EXPR_OP_SQRT] = { "sqrt", 1, 1 },
    [GCAL_EXPR_OP_TANH] = { "tanh", 1, 1 },
    [GCAL_EXPR_OP_FLOOR] = { "floor", 1, 1 },
    [GCAL_EXPR_OP_CEIL] = { "ceil", 1, 1 },
    [GCAL_EXPR_OP_STEP] = { "step", 1, 1 },
    [GCAL_EXPR_OP_SMOOTHSTEP] = { "smoothstep", 2, 2 },
    [GCAL_EXPR_OP_OVERLAP] = { "overlap", 3, 3 },
    [GCAL_EXPR_OP_PNORM] = { "pnorm", 2, GCAL_EXPR_MAX_ARGS },
    [GCAL_EXPR_OP_SMOOTHMAX] = { "smoothmax", 2, GCAL_EXPR_MAX_ARGS },
    [GCAL_EXPR_OP_SELECT] = { "select", 4, 4 },
    [GCAL_EXPR_OP_POW_D] = { "pow_d", 2, 2 },
    [GCAL_EXPR_OP_OVERLAP_T] = { "overlap_t", 3, 3 },
    [GCAL_EXPR_OP_OVERLAP_D] = { "overlap_d", 5, 5 },
    [GCAL_EXPR_OP_PNORM_L] = { "pnorm_l", 4, 4 },
    [GCAL_EXPR_OP_PNORM_D] = { "pnorm_d", 2, 2 },
    [GCAL_EXPR_OP_PNORM_E] = { "pnorm_e", 3, 3 },
    [GCAL_EXPR_OP_SMOOTHMAX_W] = { "smoothmax_w", 5, 5 },
    [GCAL_EXPR_OP_SMOOTHMAX_S] = { "smoothmax_s", 5, 5 },
};

/* Relative to the largest argument, powers neither overflow nor underflow. */
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

/* log(a / norm).  If all n are 0, the limit depends on the direction: here, the one in which
 * all grow equally.
 */
static double pnorm_log(double p, double norm, double a, double n)
{
    if (isinf(p))
        return a == norm ? 0 : -INFINITY;
    return norm > 0 ? log(a / norm) : -log(n) / p;
}

/* Derivative by argument a: (a / norm)^(p-1), from the logarithm.  For p < 1 the slope at 0
 * is infinite; a large finite one lets a fit leave 0.
 */
static double pnorm_by_argument(double p, double log_ratio)
{
    if (p == 1 || log_ratio == 0)
        return 1;
    if (p < 1)
        log_ratio = fmax(log_ratio, -0x1.205966f2b4f12p+5); /* log(DBL_EPSILON) */
    return exp((p - 1) * log_ratio);
}

/* Relative to the largest argument, exponentials do not overflow. */
static double smoothmax(double sharpness, size_t n, const double *a)
{
    double largest = a[0], scale = 0, sum = 0;

    for (size_t i = 0; i < n; i++) {
        scale += a[i];
        if (isnan(a[i]) || a[i] > largest)
            largest = a[i];
    }
    if (!(scale > 0) || isinf(sharpness))
        return isnan(scale) ? scale : largest;
    for (size_t i = 0; i < n; i++)
        sum += a[i] == largest ? 1 : exp(sharpness * (a[i] - largest) / scale);
    return largest + scale / sharpness * log(sum);
}

/* exp(sharpness a / scale) over the sum of all n of these. */
static double smoothmax_weight(double sharpness, double max, double a, double scale,
                               double n)
{
    if (isinf(sharpness))
        return a >= max;
    return scale > 0 ? exp(sharpness * (a - max) / scale) : 1 / n;
}

/* Derivative by the scale; at 0, in the direction in which all n arguments grow equally. */
static double smoothmax_by_scale(double sharpness, double max, double mean, double scale,
                                 double n)
{
    if (isinf(sharpness))
        return 0;
    return scale > 0 ? (max - mean) / scale : log(n) / sharpness;
}

/* tanh(edge (g - c) / (g + c)) */
static double overlap_tanh(double g, double c, double edge)
{
    double sum = g + c;

    return sum == 0 ? 0 : tanh(edge * (g - c) / sum);
}

static double overlap(double g, double c, double edge)
{
    double step = 0.5 * overlap_tanh(g, c, edge) + 0.5;

    return g * step + c * (1 - step);
}

static double overlap_derivative(int k, double g, double c, double edge, double t)
{
    double sum = g + c, x = sum == 0 ? 0 : (g - c) / sum;
    double step = 0.5 * t + 0.5, slope = 0.5 * (1 - t * t);

    if (k == 2)
        return slope * x * (g - c);
    /* (g - c) dx/dg = 2 c (g - c) / (g + c)^2 = x (1 - x), and likewise for c */
    return k == 0 ? step + slope * edge * x * (1 - x)
                  : 1 - step - slope * edge * x * (1 + x);
}

double gcal_expr_op_apply(enum gcal_expr_op op, size_t n, const double *a)
{
    switch (op) {
    case GCAL_EXPR_OP_ADD:
        return a[0] + a[1];
    case GCAL_EXPR_OP_SUB:
        return a[0] - a[1];
    case GCAL_EXPR_OP_MUL:
        return a[0] * a[1];
    case GCAL_EXPR_OP_DIV:
        return a[0] / a[1];
    case GCAL_EXPR_OP_POW:
        return gcal_expr_is_integer_power(a[1])
                   ? gcal_expr_integer_power(a[0], (unsigned)a[1])
                   : pow(a[0], a[1]);
    case GCAL_EXPR_OP_NEG:
        return -a[0];
    case GCAL_EXPR_OP_MIN:
    case GCAL_EXPR_OP_MAX: {
        double best = a[0];

        for (size_t i = 1; i < n; i++)
            if (isnan(a[i]) || (op == GCAL_EXPR_OP_MIN ? a[i] < best : a[i] > best))
                best = a[i];
        return best;
    }
    case GCAL_EXPR_OP_EXP:
        return exp(a[0]);
    case GCAL_EXPR_OP_LOG:
        return log(a[0]);
    case GCAL_EXPR_OP_LOG2:
        return log2(a[0]);
    case GCAL_EXPR_OP_SQRT:
        return sqrt(a[0]);
    case GCAL_EXPR_OP_TANH:
        return tanh(a[0]);
    case GCAL_EXPR_OP_FLOOR:
        return floor(a[0]);
    case GCAL_EXPR_OP_CEIL:
        return ceil(a[0]);
    case GCAL_EXPR_OP_STEP:
        return a[0] >= 0;
    case GCAL_EXPR_OP_SMOOTHSTEP:
        return 0.5 * tanh(a[1] * a[0]) + 0.5;
    case GCAL_EXPR_OP_OVERLAP:
        return overlap(a[0], a[1], a[2]);
    case GCAL_EXPR_OP_PNORM:
        return pnorm(a[0], n - 1, a + 1);
    case GCAL_EXPR_OP_SELECT:
        return a[0] <= a[1] ? a[2] : a[3];
    case GCAL_EXPR_OP_POW_D:
        return a[0] == 0 ? 0 : pow(a[0], a[1]) * log(a[0]);
    case GCAL_EXPR_OP_OVERLAP_D:
        return overlap_derivative((int)a[0], a[1], a[2], a[3], a[4]);
    case GCAL_EXPR_OP_OVERLAP_T:
        return overlap_tanh(a[0], a[1], a[2]);
    case GCAL_EXPR_OP_PNORM_D:
        return pnorm_by_argument(a[0], a[1]);
    case GCAL_EXPR_OP_PNORM_L:
        return pnorm_log(a[0], a[1], a[2], a[3]);
    case GCAL_EXPR_OP_PNORM_E:
        return a[0] == 0 || a[1] == 0 ? 0 : a[0] * a[1] * a[2];
    case GCAL_EXPR_OP_SMOOTHMAX:
        return smoothmax(a[0], n - 1, a + 1);
    case GCAL_EXPR_OP_SMOOTHMAX_W:
        return smoothmax_weight(a[0], a[1], a[2], a[3], a[4]);
    case GCAL_EXPR_OP_SMOOTHMAX_S:
        return smoothmax_by_scale(a[0], a[1], a[2], a[3], a[4]);
    default:
        return NAN;
    }
}

struct gcal_expr *gcal_expr_create(size_t n_symbols, const char *const *symbols,
                                   struct gcal_error *err)
{
    struct gcal_expr *expr = calloc(1, sizeof(*expr));

    if (!expr) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < n_symbols; i++)
        if (gcal_expr_add_symbol(expr, symbols[i], strlen(symbols[i]), err) == SIZE_MAX) {
            gcal_expr_destroy(expr);
            return NULL;
        }
    return expr;
}

void gcal_expr_destroy(struct gcal_expr *expr)
{
    if (!expr)
        return;
    gcal_expr_nodes_free(expr);
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

/* ---- the program ---- */

static int emit(struct gcal_expr *expr, struct gcal_expr_instruction instruction,
                struct gcal_error *err)
{
    struct gcal_expr_instruction *program =
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

/* Of nodes, by index, where nodes are shared; else NULL. */
struct sharing {
    uint32_t *uses, *kept; /* kept: place + 1 */
    uint32_t n_kept;
};

static void count_uses(struct sharing *s, const struct gcal_expr_node *node)
{
    if (s->uses[node->index]++ == 0)
        for (size_t i = 0; i < node->n_args; i++)
            count_uses(s, node->args[i]);
}

/* Emits the node as a kept value; 0: it is not kept. */
static int emit_kept(struct gcal_expr *expr, const struct sharing *s,
                     const struct gcal_expr_node *node, struct gcal_error *err)
{
    struct gcal_expr_instruction instruction = { .op = GCAL_EXPR_OP_KEPT };

    if (!s->kept || !s->kept[node->index])
        return 0;
    instruction.symbol = s->kept[node->index] - 1;
    return emit(expr, instruction, err) < 0 ? -1 : 1;
}

/* Keeps the node's value, if it is used again and there is room. */
static int keep(struct gcal_expr *expr, struct sharing *s,
                const struct gcal_expr_node *node, struct gcal_error *err)
{
    struct gcal_expr_instruction instruction = { .op = GCAL_EXPR_OP_KEEP };

    if (!s->kept || !node->n_args || s->uses[node->index] < 2 ||
        s->n_kept == GCAL_EXPR_MAX_KEPT)
        return 0;
    instruction.symbol = s->n_kept++;
    s->kept[node->index] = s->n_kept;
    return emit(expr, instruction, err);
}

/* 'height': values on the stack before the node is evaluated. */
static int compile(struct gcal_expr *expr, struct sharing *s,
                   const struct gcal_expr_node *node, size_t height,
                   struct gcal_error *err)
{
    size_t n_args = gcal_expr_node_is_integer_power(node) ? 1 : node->n_args;
    struct gcal_expr_instruction instruction = { .op = (uint16_t)node->op,
                                                 .n_args = (uint16_t)n_args,
                                                 .symbol = (uint32_t)node->symbol,
                                                 .number = node->number };
    int rc = emit_kept(expr, s, node, err);

    if (rc)
        return rc < 0 ? -1 : 0;
    if (height >= GCAL_EXPR_MAX_STACK)
        return gcal_error_set(err, GCAL_EINPUT, "the expression is nested too deeply");
    for (size_t i = 0; i < n_args; i++)
        if (compile(expr, s, node->args[i], height + i, err) < 0)
            return -1;
    if (gcal_expr_node_is_integer_power(node)) {
        instruction.op = GCAL_EXPR_OP_POWI;
        instruction.n_args = (uint16_t)node->args[1]->number;
    }
    return emit(expr, instruction, err) < 0 ? -1 : keep(expr, s, node, err);
}

int gcal_expr_compile(struct gcal_expr *expr, struct gcal_expr_node *root,
                      struct gcal_error *err)
{
    struct sharing s = { 0 };
    int rc = -1;

    expr->root = root;
    if (!root)
        return -1;
    if (expr->shares) {
        s.uses = calloc(expr->n_nodes, sizeof(*s.uses));
        s.kept = calloc(expr->n_nodes, sizeof(*s.kept));
        if (s.uses && s.kept)
            count_uses(&s, root);
    }
    if (expr->shares && (!s.uses || !s.kept))
        gcal_error_memory(err);
    else
        rc = compile(expr, &s, root, 0, err);
    free(s.uses);
    free(s.kept);
    return rc;
}

/* 'top' is the top of the stack, 'stack' has the rest. */
double gcal_expr_eval(const struct gcal_expr *expr, const double *values)
{
    double stack[GCAL_EXPR_MAX_STACK + 1], *below = stack, top = 0;
    double kept[GCAL_EXPR_MAX_KEPT];
    const struct gcal_expr_instruction *end = expr->program + expr->n_instructions;

    for (const struct gcal_expr_instruction *i = expr->program; i < end; i++)
        switch (i->op) {
        case GCAL_EXPR_OP_NUMBER:
            *below++ = top;
            top = i->number;
            break;
        case GCAL_EXPR_OP_SYMBOL:
            *below++ = top;
            top = values[i->symbol];
            break;
        case GCAL_EXPR_OP_ADD:
            top = *--below + top;
            break;
        case GCAL_EXPR_OP_SUB:
            top = *--below - top;
            break;
        case GCAL_EXPR_OP_MUL:
            top = *--below * top;
            break;
        case GCAL_EXPR_OP_DIV:
            top = *--below / top;
            break;
        case GCAL_EXPR_OP_NEG:
            top = -top;
            break;
        case GCAL_EXPR_OP_POWI:
            top = gcal_expr_integer_power(top, i->n_args);
            break;
        case GCAL_EXPR_OP_KEEP:
            kept[i->symbol] = top;
            break;
        case GCAL_EXPR_OP_KEPT:
            *below++ = top;
            top = kept[i->symbol];
            break;
        default:
            *below = top;
            below -= i->n_args - 1;
            top = gcal_expr_op_apply(i->op, i->n_args, below);
        }
    return top;
}

bool gcal_expr_uses(const struct gcal_expr *expr, size_t symbol)
{
    for (size_t i = 0; i < expr->n_instructions; i++)
        if (expr->program[i].op == GCAL_EXPR_OP_SYMBOL &&
            expr->program[i].symbol == symbol)
            return true;
    return false;
}
