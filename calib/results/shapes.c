/* shapes.c - the shapes of single components: parameters of a form that belong to one cost
 *
 * A form may have parameters "p_X_..." for each cost p_X of a component: how many
 * work-groups fill a compute unit, how much slower accesses a cache line apart are.  There
 * are as many as costs, and each appears in a product with its cost, so a search for all of
 * them together ends anywhere.  But the kernels derived from one target kernel depend on its
 * component alone: the long ones determine the costs and what the launch takes, with every
 * shape at its initial value; then each component's shapes are fitted to its own kernels,
 * short ones included, with all else as it is.
 */
#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "kernels/model/form.h"
#include "calib/results/private.h"

#define GRID   15 /* points */
#define ROUNDS 4
#define NEAR   0.05
#define PRIOR  0.003

struct shapes {
    const struct gcal_model *model;
    const struct gcal_fit_rows *rows;
    const bool *is_brief; /* by row */
    double *given;        /* by parameter, the result */
    double *value;        /* by parameter, of the fit to long launches */
    size_t *cost_of;      /* by parameter: of a shape, its cost; else n_parameters */
    size_t *owner;        /* by row: the only cost with shapes; else n_parameters */
    double *picked;       /* features, times, spreads of picked rows */
    size_t *group;
};

/* ---- which rows depend on which cost ---- */

static size_t find_cost(const struct gcal_model *model, const char *shape)
{
    size_t length = 0, j = 0;

    if (!gcal_form_shape(shape, &length))
        return model->n_parameters;
    while (j < model->n_parameters &&
           (strncmp(model->parameters[j].name, shape, length) != 0 ||
            model->parameters[j].name[length]))
        j++;
    return j;
}

static bool has_shapes(const struct shapes *s, size_t cost)
{
    for (size_t j = 0; j < s->model->n_parameters; j++)
        if (s->cost_of[j] == cost)
            return true;
    return false;
}

static bool depends(struct shapes *s, size_t row, size_t cost)
{
    const double *features = s->rows->features + row * s->rows->n_features;
    double with = gcal_model_eval(s->model, s->value, features, NULL), without;

    s->value[cost] = 0;
    without = gcal_model_eval(s->model, s->value, features, NULL);
    s->value[cost] = 1;
    return with != without;
}

static void find_owners(struct shapes *s)
{
    size_t n = s->model->n_parameters;

    /* Costs of 1 s: only whether the model depends on one matters. */
    for (size_t j = 0; j < s->model->n_parameters; j++) {
        double initial = s->model->parameters[j].initial;

        s->value[j] = !isnan(s->given[j]) ? s->given[j] : isnan(initial) ? 1 : initial;
    }
    for (size_t i = 0; i < s->rows->n_rows; i++) {
        size_t found = 0;

        s->owner[i] = n;
        for (size_t j = 0; j < n; j++)
            if (has_shapes(s, j) && depends(s, i, j))
                s->owner[i] = found++ ? n : j;
    }
}

/* ---- fits ---- */

/* The long rows. */
static struct gcal_fit_rows pick_long(struct shapes *s)
{
    const struct gcal_fit_rows *from = s->rows;
    double *time_s = s->picked + from->n_rows * from->n_features;
    double *spread = time_s + from->n_rows;
    struct gcal_fit_rows rows = *from;

    rows.n_rows = 0;
    for (size_t i = 0; i < from->n_rows; i++) {
        if (s->is_brief[i])
            continue;
        memcpy(s->picked + rows.n_rows * from->n_features,
               from->features + i * from->n_features,
               from->n_features * sizeof(*s->picked));
        time_s[rows.n_rows] = from->time_s[i];
        spread[rows.n_rows] = from->spread[i];
        s->group[rows.n_rows++] = from->group[i];
    }
    rows.features = s->picked;
    rows.time_s = time_s;
    rows.spread = spread;
    rows.group = s->group;
    return rows;
}

/* 1 if the fit to long launches is not good: shapes keep their initial values. */
static int fit_long(struct shapes *s, struct gcal_error *err)
{
    size_t n = s->model->n_parameters;
    struct gcal_fit_rows rows = pick_long(s);
    struct gcal_fit fit = { 0 };
    int rc;

    for (size_t j = 0; j < n; j++)
        if (s->cost_of[j] < n)
            s->given[j] = s->model->parameters[j].initial;
    rows.given = s->given;
    if (gcal_fit_solve(s->model, &rows, &fit, err) < 0)
        return -1;
    memcpy(s->value, fit.value, n * sizeof(*s->value));
    rc = fit.status == GCAL_FIT_GOOD ? 0 : 1;
    gcal_fit_clear(&fit);
    return rc;
}

/* ---- the shapes of one cost ---- */

/* The search of a shape: on a grid of its logarithm, then on finer ones around the best
 * point.
 */
struct search {
    struct shapes *s;
    size_t cost, shape;
    double start_s; /* the cost of the fit to long launches */
    bool by_long;
    double best, least;
};

static double log_ratio(const struct shapes *s, size_t row)
{
    return log(gcal_model_eval(s->model, s->value,
                               s->rows->features + row * s->rows->n_features, NULL) /
               s->rows->time_s[row]);
}

/* Grows with the logarithms of the errors, with their squares near 0 only, so that a size
 * that nothing explains does not decide; and slightly with the distance from the initial
 * value.
 */
static double misfit(const struct search *x)
{
    struct shapes *s = x->s;
    double initial = s->model->parameters[x->shape].initial;
    double sum = PRIOR * fabs(log(s->value[x->shape] / initial));

    /* Long rows determine the cost: it is moved until they are right. */
    s->value[x->cost] = x->start_s;
    for (int pass = 0; pass < 3; pass++) {
        size_t n = 0;

        for (size_t i = 0; i < s->rows->n_rows; i++)
            if (s->owner[i] == x->cost && !s->is_brief[i])
                s->picked[n++] = log_ratio(s, i);
        if (n)
            s->value[x->cost] *= exp(-gcal_median(s->picked, n));
    }
    for (size_t i = 0; i < s->rows->n_rows; i++)
        if (s->owner[i] == x->cost && !(x->by_long && s->is_brief[i]))
            sum += hypot(log_ratio(s, i), NEAR);
    return sum;
}

/* A shape that the rows do not depend on stays at its initial value. */
static void fit_shape(struct search *x)
{
    const struct gcal_model_parameter *p = &x->s->model->parameters[x->shape];
    double width = log(p->max / p->min);

    x->best = p->initial;
    x->least = INFINITY;
    for (int round = 0; round < ROUNDS; round++, width *= 2.0 / (GRID - 1)) {
        double low = fmax(log(x->best) - width, log(p->min));
        double high = fmin(log(x->best) + width, log(p->max));
        for (int i = 0; i < GRID; i++) {
            double found;

            x->s->value[x->shape] = exp(low + (high - low) * i / (GRID - 1));
            found = misfit(x);
            if (found < x->least) {
                x->least = found;
                x->best = x->s->value[x->shape];
            }
        }
    }
    x->s->value[x->shape] = x->s->given[x->shape] = x->best;
}

/* Shapes that long launches decide come first: the others are fitted with them. */
static void fit_cost(struct shapes *s, size_t cost)
{
    struct search x = { .s = s, .cost = cost, .start_s = s->value[cost] };

    for (int by_long = 1; by_long >= 0 && x.start_s > 0; by_long--)
        for (size_t j = 0; j < s->model->n_parameters; j++) {
            size_t length;

            if (s->cost_of[j] != cost ||
                gcal_form_shape(s->model->parameters[j].name, &length)->by_long !=
                    by_long)
                continue;
            x.shape = j;
            x.by_long = by_long;
            fit_shape(&x);
        }
    s->value[cost] = x.start_s;
}

int gcal_result_find_shapes(const struct gcal_model *model,
                            const struct gcal_fit_rows *rows, const bool *is_brief,
                            double *given, struct gcal_error *err)
{
    struct gcal_arena *scratch = gcal_arena_create();
    size_t n = model->n_parameters, m = rows->n_rows;
    struct shapes s = { .model = model,
                        .rows = rows,
                        .is_brief = is_brief,
                        .given = given,
                        .value = gcal_arena_alloc(scratch, n + 1, sizeof(*s.value)),
                        .cost_of = gcal_arena_alloc(scratch, n, sizeof(*s.cost_of)),
                        .owner = gcal_arena_alloc(scratch, m, sizeof(*s.owner)),
                        .picked = gcal_arena_alloc(
                            scratch, m, (rows->n_features + 2) * sizeof(*s.picked)),
                        .group = gcal_arena_alloc(scratch, m, sizeof(*s.group)) };
    bool any = false;
    int rc = 0;

    for (size_t j = 0; j < n; j++) {
        s.cost_of[j] = find_cost(model, model->parameters[j].name);
        any = any || s.cost_of[j] < n;
    }
    if (any) {
        find_owners(&s);
        rc = fit_long(&s, err);
        for (size_t j = 0; j < n && rc == 0; j++)
            if (has_shapes(&s, j))
                fit_cost(&s, j);
    }
    gcal_arena_destroy(scratch);
    return rc < 0 ? -1 : 0;
}
