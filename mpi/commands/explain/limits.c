/* limits.c - what each limit and each cost adds to the time */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "kernels/model/profile.h"
#include "mpi/cli/vendor.h"
#include "mpi/commands/explain/private.h"
#include "store/params/params.h"

/* Of differences that give derivatives: relative. */
#define STEP 1e-4

/* Parts of the time below this are rounding. */
#define LEAST 1e-9

void gcal_explain_limits_clear(struct gcal_explain_limits *l)
{
    for (size_t i = 0; i < l->n_costs; i++)
        free(l->costs[i].label.counted);
    free(l->costs);
    free(l->limits);
    *l = (struct gcal_explain_limits){ 0 };
}

/* ---- limits ---- */

static double time_with(struct gcal_explain_lab *lab, size_t text, double factor)
{
    double time_s, before = lab->factors[text];

    lab->factors[text] = before * factor;
    time_s = gcal_explain_lab_eval(lab);
    lab->factors[text] = before;
    return time_s;
}

static int by_part(const void *a, const void *b)
{
    const struct gcal_explain_limit *x = a, *y = b;

    return (x->adds_s < y->adds_s) - (x->adds_s > y->adds_s);
}

static int find_limits(struct gcal_explain_lab *lab, struct gcal_explain_limits *l,
                       struct gcal_error *err)
{
    struct gcal_explain_limit by_model[GCAL_ROOFS_MAX];

    if (!(l->limits = calloc(lab->n_roofs + 1, sizeof(*l->limits))))
        return gcal_error_memory(err);
    l->n_limits = lab->n_roofs;
    l->other_s = l->time_s;
    for (size_t i = 0; i < lab->n_roofs; i++) {
        double above = time_with(lab, i + 1, 1 + STEP),
               below = time_with(lab, i + 1, 1 - STEP);
        struct gcal_explain_limit *limit = &l->limits[i];

        gcal_explain_lab_eval(lab);
        *limit = (struct gcal_explain_limit){ lab->names[i + 1], lab->values[i + 1],
                                              (above - below) / (2 * STEP) };
        if (fabs(limit->adds_s) < LEAST * l->time_s)
            limit->adds_s = 0;
        l->other_s -= limit->adds_s;
        by_model[i] = *limit;
    }
    if (fabs(l->other_s) < 1e-6 * l->time_s)
        l->other_s = 0;
    qsort(l->limits, l->n_limits, sizeof(*l->limits), by_part);
    for (size_t i = 0; i < l->n_limits; i++)
        for (size_t k = 0; k < l->n_limits; k++)
            if (strcmp(l->limits[i].name, by_model[k].name) == 0)
                l->order[i] = k;
    return 0;
}

/* ---- costs ---- */

/* By how much a text grows with the cost, per unit of it: what it is multiplied by. */
static double slope(const double *above, const double *below, size_t i, double cost)
{
    return (above[i] - below[i]) / (2 * STEP * cost);
}

/* Values of all texts with the cost a little larger and a little smaller. */
static void vary(struct gcal_explain_lab *lab, size_t parameter, double *above,
                 double *below)
{
    double value = lab->parameters[parameter];

    lab->parameters[parameter] = value * (1 + STEP);
    gcal_explain_lab_eval(lab);
    memcpy(above, lab->values, lab->n_texts * sizeof(*above));
    lab->parameters[parameter] = value * (1 - STEP);
    gcal_explain_lab_eval(lab);
    memcpy(below, lab->values, lab->n_texts * sizeof(*below));
    lab->parameters[parameter] = value;
    gcal_explain_lab_eval(lab);
}

/* Without the rounding of differences: most counts are integers. */
static double whole(double count)
{
    double nearest = round(count);

    return fabs(count - nearest) <= 1e-7 * fabs(nearest) ? nearest : count;
}

static double units_of(const struct gcal_explain_lab *lab, enum gcal_explain_unit unit)
{
    size_t size = lab->device->info.sub_group_size;

    return unit == GCAL_EXPLAIN_BYTES        ? 32 /* the models' sectors */
           : unit == GCAL_EXPLAIN_OPERATIONS ? (double)(size ? size : 1)
                                             : 1;
}

/* Per second, of what a cost of that limit is counted in; NaN: unknown. */
static double vendor_rate(const struct gcal_device_info *info,
                          const struct gcal_explain_label *label, const char *limit)
{
    switch (label->unit) {
    case GCAL_EXPLAIN_BYTES:
        return strcmp(limit, "dram") == 0 ? gcal_vendor_memory(info) : NAN;
    case GCAL_EXPLAIN_PASSES:
        return gcal_vendor_passes(info);
    case GCAL_EXPLAIN_OPERATIONS:
        return gcal_vendor_operations(info, label->counted);
    default:
        return NAN;
    }
}

/* Here and were its part of its limit the whole time. */
static void find_rates(const struct gcal_explain_limits *l,
                       const struct gcal_explain_lab *lab, struct gcal_explain_cost *cost)
{
    const struct gcal_device_info *info = &lab->device->info;
    double units = cost->count * cost->per_unit, alone_s;

    cost->rate = cost->peak = cost->per_clock = cost->vendor = NAN;
    if (cost->label.unit == GCAL_EXPLAIN_NO_RATE || !(units > 0) ||
        cost->limit == lab->n_roofs)
        return;
    alone_s = cost->of_limit[cost->limit] * lab->values[cost->limit + 1];
    cost->rate = units / l->time_s;
    cost->peak = alone_s > 0 ? units / alone_s : NAN;
    cost->per_clock = info->max_clock_hz > 0 && info->compute_units
                          ? cost->peak / (info->max_clock_hz * info->compute_units)
                          : NAN;
    cost->vendor = vendor_rate(info, &cost->label, lab->names[cost->limit + 1]);
}

/* Of what has no rate, such as a latency: how often its limit has the cost, if that is more often than
 * the expression that names it.
 */
static double times_paid(const struct gcal_explain_lab *lab,
                         const struct gcal_explain_cost *cost)
{
    double part_s = cost->of_limit[cost->limit] * lab->values[cost->limit + 1];

    return part_s > cost->count * cost->cost_s * 1.001 ? whole(part_s / cost->cost_s)
                                                       : cost->count;
}

static void find_cost(struct gcal_explain_lab *lab, size_t parameter,
                      const struct gcal_explain_limits *l, double *above, double *below,
                      struct gcal_explain_cost *cost)
{
    double value = lab->parameters[parameter], largest = 0;
    size_t owner = cost->label.owner;

    vary(lab, parameter, above, below);
    cost->cost_s = value * lab->inside.factor;
    cost->adds_s = value * slope(above, below, 0, value);
    cost->count = NAN;
    if (owner < lab->n_texts)
        cost->count = whole(slope(above, below, owner, value) /
                            (owner > lab->n_roofs ? 1 : lab->inside.factor));
    cost->limit = lab->n_roofs;
    for (size_t i = 0; i < lab->n_roofs; i++) {
        double part_s = value * slope(above, below, i + 1, value);

        cost->of_limit[i] = lab->values[i + 1] > 0 ? part_s / lab->values[i + 1] : 0;
        if (part_s > largest && cost->of_limit[i] > 1e-6) {
            largest = part_s;
            cost->limit = i;
        }
    }
    if (cost->label.unit == GCAL_EXPLAIN_NO_RATE && cost->limit < lab->n_roofs)
        cost->count = times_paid(lab, cost);
    cost->per_unit = units_of(lab, cost->label.unit);
    find_rates(l, lab, cost);
}

static int by_cost(const void *a, const void *b)
{
    const struct gcal_explain_cost *x = a, *y = b;

    return (x->adds_s < y->adds_s) - (x->adds_s > y->adds_s);
}

static bool matters(const struct gcal_explain_lab *lab,
                    const struct gcal_explain_cost *cost)
{
    return cost->adds_s != 0 || cost->limit < lab->n_roofs;
}

/* 'above' and 'below': room for all texts. */
static int list_costs(struct gcal_explain_lab *lab, struct gcal_explain_limits *l,
                      double *above, double *below, struct gcal_error *err)
{
    const struct gcal_model *model = lab->inside.model;

    for (size_t i = 0; i < model->n_parameters; i++) {
        struct gcal_explain_cost *cost = &l->costs[l->n_costs];

        if (strcmp(model->parameters[i].unit, "s") != 0 || !(lab->parameters[i] > 0))
            continue;
        cost->parameter = model->parameters[i].name;
        if (gcal_explain_label_find(lab, cost->parameter, &cost->label, err) < 0)
            return -1;
        find_cost(lab, i, l, above, below, cost);
        if (fabs(cost->adds_s) < LEAST * l->time_s)
            cost->adds_s = 0;
        if (matters(lab, cost))
            l->n_costs++;
        else
            free(cost->label.counted);
    }
    qsort(l->costs, l->n_costs, sizeof(*l->costs), by_cost);
    return 0;
}

static int find_costs(struct gcal_explain_lab *lab, struct gcal_explain_limits *l,
                      struct gcal_error *err)
{
    double *above = calloc(lab->n_texts, sizeof(*above));
    double *below = calloc(lab->n_texts, sizeof(*below));
    int rc;

    l->costs = calloc(lab->inside.model->n_parameters + 1, sizeof(*l->costs));
    rc = above && below && l->costs ? list_costs(lab, l, above, below, err)
                                    : gcal_error_memory(err);
    free(above);
    free(below);
    return rc;
}

int gcal_explain_limits_find(struct gcal_explain_lab *lab, struct gcal_explain_limits *l,
                             struct gcal_error *err)
{
    *l = (struct gcal_explain_limits){ .time_s = gcal_explain_lab_eval(lab) };
    return find_limits(lab, l, err) < 0 || find_costs(lab, l, err) < 0 ? -1 : 0;
}
