/* expr_value.c - values of operators and functions */
#include <math.h>

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

static double extreme(enum gcal_expr_op op, size_t n, const double *a)
{
    double best = a[0];

    for (size_t i = 1; i < n; i++)
        if (isnan(a[i]) || (op == GCAL_EXPR_OP_MIN ? a[i] < best : a[i] > best))
            best = a[i];
    return best;
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
    case GCAL_EXPR_OP_MAX:
        return extreme(op, n, a);
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
