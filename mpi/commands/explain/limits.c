/* limits.c - what each limit and each cost adds to the time */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/model/model.h"
#include "mpi/cli/vendor.h"
#include "kernels/model/expr.h"
#include "kernels/model/feature.h"
#include "kernels/model/named_expr.h"
#include "mpi/commands/explain/private.h"

/* ---- what a cost is multiplied by in the model ---- */

/* Named expressions first: the time and the roofs are made of them. */
static size_t find_owner(const struct gcal_explain_lab *lab, const char *parameter)
{
    for (size_t i = lab->n_roofs + 1; i < lab->n_texts; i++)
        if (gcal_expr_find_use(lab->sources[i], parameter).n)
            return i;
    for (size_t i = 1; i <= lab->n_roofs; i++)
        if (gcal_expr_find_use(lab->sources[i], parameter).n)
            return i;
    return gcal_expr_find_use(lab->sources[0], parameter).n ? 0 : lab->n_texts;
}

/* ---- what the factor counts ---- */

enum subject {
    DEVICE = 1,
    PASS = 2,
    SECTOR = 4,
    OPERATION = 8,
    ATOMIC = 16,
    GROUP = 32,
    WAITING = 64, /* no throughput: how long a work-item takes */
    OTHER = 128
};

static enum subject find_subject(enum gcal_feature_kind kind)
{
    switch (kind) {
    case GCAL_FEATURE_LOCAL_PASS:
    case GCAL_FEATURE_CACHE_PASS:
    case GCAL_FEATURE_ATOMIC_PASS:
    case GCAL_FEATURE_ATOMIC_SECTOR_PASS:
        return PASS;
    case GCAL_FEATURE_SECTOR:
    case GCAL_FEATURE_LOOP_SECTOR:
    case GCAL_FEATURE_PARTIAL_SECTOR:
    case GCAL_FEATURE_LINE: /* a request for sectors of it */
    case GCAL_FEATURE_FOOTPRINT_SUB_GROUP:
    case GCAL_FEATURE_FOOTPRINT_GROUP:
    case GCAL_FEATURE_FOOTPRINT_LAUNCH:
    case GCAL_FEATURE_FOOTPRINT_BLOCK:
        return SECTOR;
    case GCAL_FEATURE_OP:
    case GCAL_FEATURE_INDEX_OP:
    case GCAL_FEATURE_AUXILIARY_OP:
    case GCAL_FEATURE_MATRIX_OP:
    case GCAL_FEATURE_JOINED_OP:
        return OPERATION;
    case GCAL_FEATURE_ATOMIC:
    case GCAL_FEATURE_ATOMIC_SECTOR:
        return ATOMIC;
    case GCAL_FEATURE_THREAD_GROUPS:
        return GROUP;
    case GCAL_FEATURE_LOAD_CHAIN:
    case GCAL_FEATURE_LOAD_ROUND:
    case GCAL_FEATURE_LOADS_IN_FLIGHT:
    case GCAL_FEATURE_OP_CHAIN:
        return WAITING;
    default:
        return gcal_feature_info(kind)->counted == GCAL_FEATURE_COUNTED_DEVICE ? DEVICE
                                                                               : OTHER;
    }
}

static enum gcal_explain_unit choose_unit(unsigned subjects)
{
    if (subjects & WAITING)
        return GCAL_EXPLAIN_NO_RATE;
    if (subjects & PASS)
        return GCAL_EXPLAIN_PASSES;
    if (subjects & SECTOR)
        return GCAL_EXPLAIN_BYTES;
    if (subjects & ATOMIC)
        return GCAL_EXPLAIN_ATOMICS;
    return subjects == OPERATION ? GCAL_EXPLAIN_OPERATIONS
           : subjects == GROUP   ? GCAL_EXPLAIN_GROUPS
                                 : GCAL_EXPLAIN_NO_RATE;
}

/* Returns whether there are more where a kernel has more of everything: a share, or how often a
 * round of loads waits, is no count.
 */
static bool grows_with_work(const struct gcal_explain_lab *lab, const char *counted)
{
    static const double steps[] = { 0x1p20, 2,
                                    0x1p-21 }; /* much work, twice as much, back */
    double values[3];

    for (int step = 0; step < 3; step++) {
        for (size_t i = 0; i < lab->model->n_features; i++)
            if (strncmp(lab->model->features[i], "f_device_", 9) != 0)
                lab->features[i] *= steps[step];
        values[step] = gcal_explain_lab_compute(lab, counted);
    }
    return values[1] > 1.5 * values[0];
}

/* The unit and the granularity of the features in what is counted, with all names replaced. */
static void read_features(const struct gcal_explain_lab *lab,
                          struct gcal_explain_cost *cost)
{
    char *text = gcal_expr_names_resolve(lab->names_of_uses, cost->counted, NULL);
    struct gcal_expr *expr = text ? gcal_expr_parse(text, NULL) : NULL;
    const char *granularity = NULL;
    unsigned subjects = 0;

    for (size_t i = 0; expr && i < gcal_expr_symbol_count(expr); i++) {
        enum gcal_feature_kind kind;
        struct gcal_feature f;
        const char *one;

        if (gcal_feature_parse(gcal_expr_symbol(expr, i), &f, NULL) < 0)
            continue;
        kind = f.kind;
        gcal_feature_clear(&f);
        if (find_subject(kind) == DEVICE)
            continue;
        subjects |= find_subject(kind);
        one = gcal_feature_granularity_names[gcal_feature_info(kind)->granularity];
        granularity = !granularity || strcmp(granularity, one) == 0 ? one : "mixed";
    }
    if (grows_with_work(lab, cost->counted)) {
        cost->unit = choose_unit(subjects);
        cost->granularity = granularity ? granularity : cost->granularity;
    }
    gcal_expr_destroy(expr);
    free(text);
}

/* What a cost is multiplied by: its texts, unit and owner. */
static void make_label(const struct gcal_explain_lab *lab, struct gcal_explain_cost *cost)
{
    const char *name = lab->model->parameters[cost->use].name;

    cost->owner = find_owner(lab, name);
    cost->unit = GCAL_EXPLAIN_NO_RATE;
    cost->granularity = "-";
    cost->counted = NULL;
    if (cost->owner < lab->n_texts) {
        const char *source = lab->sources[cost->owner];
        struct gcal_expr_use use = gcal_expr_find_use(source, name);

        /* A cost of several things is that of the expression that they are in. */
        if (use.n == 1 && use.factor.length)
            cost->counted = gcal_arena_format(lab->arena, "%.*s", (int)use.factor.length,
                                              source + use.factor.start);
    }
    if (cost->counted)
        read_features(lab, cost);
    else
        cost->counted =
            cost->owner < lab->n_texts ? lab->names[cost->owner] : cost->parameter;
}

/* ---- what each limit and each cost adds to the time ---- */

/* Of differences that give derivatives: relative. */
#define STEP 1e-4

/* Parts of the time below this are rounding. */
#define LEAST 1e-9

/* ---- limits ---- */

static double eval_with(struct gcal_explain_lab *lab, size_t text, double factor)
{
    double time_s, before = lab->factors[text];

    lab->factors[text] = before * factor;
    time_s = gcal_explain_lab_eval(lab);
    lab->factors[text] = before;
    return time_s;
}

static int compare_limits(const void *a, const void *b)
{
    const struct gcal_explain_limit *x = a, *y = b;

    return (x->adds_s < y->adds_s) - (x->adds_s > y->adds_s);
}

/* All but the costs. */
static void find_limits(struct gcal_explain_lab *lab, struct gcal_explain_limits *l)
{
    *l = (struct gcal_explain_limits){ .time_s = gcal_explain_lab_eval(lab),
                                       .n_limits = lab->n_roofs };
    l->other_s = l->time_s;
    for (size_t i = 0; i < lab->n_roofs; i++) {
        double above = eval_with(lab, i + 1, 1 + STEP),
               below = eval_with(lab, i + 1, 1 - STEP);
        struct gcal_explain_limit *limit = &l->limits[i];

        gcal_explain_lab_eval(lab);
        *limit = (struct gcal_explain_limit){ lab->names[i + 1], i, lab->values[i + 1],
                                              (above - below) / (2 * STEP) };
        if (fabs(limit->adds_s) < LEAST * l->time_s)
            limit->adds_s = 0;
        l->other_s -= limit->adds_s;
    }
    if (fabs(l->other_s) < 1e-6 * l->time_s)
        l->other_s = 0;
    qsort(l->limits, l->n_limits, sizeof(*l->limits), compare_limits);
}

const char *gcal_explain_limits_first(struct gcal_explain_lab *lab)
{
    struct gcal_explain_limits limits;

    find_limits(lab, &limits);
    return limits.n_limits ? limits.limits[0].name : NULL;
}

/* ---- costs ---- */

/* Values of all texts with another value of the cost. */
static void eval_varied(struct gcal_explain_lab *lab, size_t parameter, double value,
                        double *values)
{
    lab->parameters[parameter] = value;
    gcal_explain_lab_eval(lab);
    memcpy(values, lab->values, lab->n_texts * sizeof(*values));
}

/* Without the rounding of quotients: most counts are integers. */
static double round_count(double count)
{
    double nearest = round(count);

    return fabs(count - nearest) <= 1e-7 * fabs(nearest) ? nearest : count;
}

/* The rates here and were the cost's part of its limit the whole time, and the vendor's. */
static void find_rates(const struct gcal_explain_lab *lab, double time_s,
                       struct gcal_explain_cost *cost)
{
    const struct gcal_device_info *info = &lab->device->info;
    double lanes = (double)(info->sub_group_size ? info->sub_group_size : 1);
    double units;

    cost->per_unit = cost->unit == GCAL_EXPLAIN_BYTES ? 32 /* the models' sectors */
                     : cost->unit == GCAL_EXPLAIN_OPERATIONS ? lanes
                                                             : 1;
    units = cost->count * cost->per_unit;
    cost->rate = cost->peak = cost->per_clock = cost->vendor = NAN;
    if (cost->unit == GCAL_EXPLAIN_NO_RATE || !(units > 0) || cost->limit == lab->n_roofs)
        return;
    cost->rate = units / time_s;
    cost->peak = cost->alone_s > 0 ? units / cost->alone_s : NAN;
    if (info->max_clock_hz > 0 && info->compute_units)
        cost->per_clock = cost->peak / (info->max_clock_hz * info->compute_units);
    if (cost->unit == GCAL_EXPLAIN_BYTES &&
        strcmp(lab->names[cost->limit + 1], "dram") == 0)
        cost->vendor = gcal_vendor_memory(info);
    else if (cost->unit == GCAL_EXPLAIN_PASSES)
        cost->vendor = gcal_vendor_passes(info);
    else if (cost->unit == GCAL_EXPLAIN_OPERATIONS)
        cost->vendor = gcal_vendor_operations(info, cost->counted);
}

/* How often the text that names the cost has it.  An operation may take several of the cost, as those
 * of a slower pipe do, and is counted once.
 */
static void count_cost(const struct gcal_explain_lab *lab, const double *alone,
                       struct gcal_explain_cost *cost)
{
    double value = lab->parameters[cost->use], counted;

    cost->cost_s = value * lab->inside.factor;
    cost->count = NAN;
    if (cost->owner == lab->n_texts)
        return;
    cost->count =
        alone[cost->owner] / (cost->owner > lab->n_roofs ? value : cost->cost_s);
    counted = cost->unit == GCAL_EXPLAIN_OPERATIONS
                  ? gcal_explain_lab_compute(lab, cost->counted)
                  : NAN;
    if (counted > 0 && counted < cost->count) {
        cost->cost_s *= cost->count / counted;
        cost->count = counted;
    }
    cost->count = round_count(cost->count);
}

/* 'above', 'below' and 'alone' are rooms for all texts. */
static void find_cost(struct gcal_explain_lab *lab, double time_s, double *above,
                      double *below, double *alone, struct gcal_explain_cost *cost)
{
    double value = lab->parameters[cost->use], step = 2 * STEP * value, largest = 0;

    /* Values of all texts were this the only cost: how much of a part of a norm, or of a maximum, it is
     * does not depend on others then.
     */
    size_t n = lab->model->n_parameters;
    double *all = gcal_arena_alloc(lab->arena, n + 1, sizeof(*all));

    memcpy(all, lab->parameters, n * sizeof(*all));
    for (size_t i = 0; i < n; i++)
        if (i != cost->use && strcmp(lab->costs[i]->unit, "s") == 0)
            lab->parameters[i] = 0;
    gcal_explain_lab_eval(lab);
    memcpy(alone, lab->values, lab->n_texts * sizeof(*alone));
    memcpy(lab->parameters, all, n * sizeof(*all));
    gcal_explain_lab_eval(lab);
    eval_varied(lab, cost->use, value * (1 + STEP), above);
    eval_varied(lab, cost->use, value * (1 - STEP), below);
    lab->parameters[cost->use] = value;
    gcal_explain_lab_eval(lab);
    cost->adds_s = value * ((above[0] - below[0]) / step);
    count_cost(lab, alone, cost);
    cost->limit = lab->n_roofs;
    for (size_t i = 0; i < lab->n_roofs; i++) {
        double part_s = value * ((above[i + 1] - below[i + 1]) / step);

        cost->of_limit[i] = lab->values[i + 1] > 0 ? part_s / lab->values[i + 1] : 0;
        if (part_s > largest && cost->of_limit[i] > 1e-6) {
            largest = part_s;
            cost->limit = i;
        }
    }
    /* Of what has no rate, such as a latency: how often its limit has the cost, if that is more
     * often than the expression that names it.
     */
    cost->alone_s = cost->limit < lab->n_roofs ? alone[cost->limit + 1] : NAN;
    if (cost->unit == GCAL_EXPLAIN_NO_RATE &&
        cost->alone_s > cost->count * cost->cost_s * 1.001)
        cost->count = round_count(cost->alone_s / cost->cost_s);
    find_rates(lab, time_s, cost);
    if (fabs(cost->adds_s) < LEAST * time_s)
        cost->adds_s = 0;
}

static int compare_costs(const void *a, const void *b)
{
    const struct gcal_explain_cost *x = a, *y = b;

    return (x->adds_s < y->adds_s) - (x->adds_s > y->adds_s);
}

void gcal_explain_limits_find(struct gcal_explain_lab *lab, struct gcal_explain_limits *l)
{
    const struct gcal_model *model = lab->model;
    double *above = gcal_arena_alloc(lab->arena, lab->n_texts, sizeof(*above));
    double *below = gcal_arena_alloc(lab->arena, lab->n_texts, sizeof(*below));
    double *alone = gcal_arena_alloc(lab->arena, lab->n_texts, sizeof(*alone));

    find_limits(lab, l);
    l->costs = gcal_arena_alloc(lab->arena, model->n_parameters + 1, sizeof(*l->costs));
    for (size_t i = 0; i < model->n_parameters; i++) {
        struct gcal_explain_cost *cost = &l->costs[l->n_costs];

        if (strcmp(lab->costs[i]->unit, "s") != 0 || !(lab->parameters[i] > 0))
            continue;
        cost->parameter = lab->costs[i]->name;
        cost->use = i;
        for (size_t k = 0; k < model->n_parameters; k++)
            cost->shared = cost->shared || (k != i && lab->costs[k] == lab->costs[i]);
        make_label(lab, cost);
        find_cost(lab, l->time_s, above, below, alone, cost);
        l->n_costs += cost->adds_s != 0 || cost->limit < lab->n_roofs;
    }
    qsort(l->costs, l->n_costs, sizeof(*l->costs), compare_costs);
}
