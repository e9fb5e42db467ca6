/* words.c - limits and rates in words */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "mpi/commands/explain/private.h"

/* A device that is as full as this hides what can be hidden. */
#define FULL 0.5

/* Limits of the models that gpucal brings along. */
static const struct {
    const char *limit, *words;
} known[] = {
    { "arithmetic", "the instructions of the compute units" },
    { "l1", "the first-level cache and local memory" },
    { "l2", "the last-level cache" },
    { "dram", "memory" },
    { "atomics", "atomic operations on global memory" },
    { "latency", "work-items that wait for loads and operations before" },
    { "groups", "the start of work-groups, and barriers" },
    { "launch", "the launch itself" },
    { "core", "the instructions of the cores" },
    { "cache", "the caches of the cores" },
};

const char *gcal_explain_words(const char *limit)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].limit, limit) == 0)
            return known[i].words;
    return limit;
}

/* Costs of these models whose expression says little, by parameter or by what is counted. */
static const struct {
    const char *name, *words;
} known_costs[] = {
    { "p_dram", "sectors from and to memory" },
    { "p_l2", "sectors from the L2 cache" },
    { "p_l2_store", "sectors stored" },
    { "p_pass", "passes of L1, local memory" },
    { "p_latency_l1", "rounds of loads" },
    { "p_latency_l2", "rounds of loads from L2" },
    { "p_latency_dram", "rounds of loads from memory" },
    { "p_latency_op", "operations in a chain" },
    { "p_latency_local", "local loads in a chain" },
    { "p_latency_barrier", "barriers in a chain" },
    { "p_group", "work-groups" },
    { "p_launch", "launches" },
    { "integer_issued", "integer" },
    { "compared", "compare, select, convert" },
    { "half_rate", "half-rate: min, cmp, bits" },
    { "f_op_{*int*}_{popcount,clz,ctz}", "integer (popcount, clz)" },
};

const char *gcal_explain_cost_words(const struct gcal_explain_cost *cost)
{
    for (size_t i = 0; i < sizeof(known_costs) / sizeof(*known_costs); i++)
        if (strcmp(known_costs[i].name, cost->parameter) == 0 ||
            strcmp(known_costs[i].name, cost->counted) == 0)
            return known_costs[i].words;
    return cost->counted;
}

const char *gcal_explain_cost_name(struct gcal_arena *arena,
                                   const struct gcal_explain_cost *cost)
{
    return cost->shared && cost->unit == GCAL_EXPLAIN_OPERATIONS
               ? gcal_arena_format(arena, "%s (%s)", cost->parameter,
                                   gcal_explain_cost_words(cost))
               : cost->parameter;
}

const char *const gcal_explain_unit_names[] = {
    [GCAL_EXPLAIN_NO_RATE] = "",          [GCAL_EXPLAIN_BYTES] = "B/s",
    [GCAL_EXPLAIN_OPERATIONS] = "op/s",   [GCAL_EXPLAIN_PASSES] = "passes/s",
    [GCAL_EXPLAIN_ATOMICS] = "atomics/s", [GCAL_EXPLAIN_GROUPS] = "groups/s",
};

/* Prefixes in front of any unit. */
const char *gcal_explain_rate(double rate, enum gcal_explain_unit unit,
                              char text[GCAL_UNITS_SIZE])
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
    size_t i = 0;

    for (; rate >= 1000 && i + 1 < sizeof(prefixes) / sizeof(*prefixes); i++)
        rate /= 1000;
    if (isfinite(rate))
        snprintf(text, GCAL_UNITS_SIZE, "%.3g %s%s", rate, prefixes[i],
                 gcal_explain_unit_names[unit]);
    else
        strcpy(text, "-");
    return text;
}

bool gcal_explain_has_rate(const struct gcal_explain_cost *cost)
{
    return isfinite(cost->rate) && isfinite(cost->peak) &&
           (cost->unit == GCAL_EXPLAIN_OPERATIONS || cost->of_limit[cost->limit] > 0.2);
}

/* The rate of the cost that the first limit is mostly made of. */
static void put_rate(struct gcal_buf *buf, const struct gcal_explain_limits *l)
{
    char rate[GCAL_UNITS_SIZE], peak[GCAL_UNITS_SIZE];
    const struct gcal_explain_cost *cost = l->costs;

    while (cost < l->costs + l->n_costs &&
           !(cost->of_limit[l->limits[0].roof] > 0.5 && gcal_explain_has_rate(cost)))
        cost++;
    if (cost == l->costs + l->n_costs)
        return;
    gcal_buf_printf(buf, "; %s are %.0f %% of the %s measured",
                    gcal_explain_rate(cost->rate, cost->unit, rate),
                    100 * cost->rate / cost->peak,
                    gcal_explain_rate(cost->peak, cost->unit, peak));
    if (isfinite(cost->vendor))
        gcal_buf_printf(buf, ", %.0f %% of the vendor's %s",
                        100 * cost->rate / cost->vendor,
                        gcal_explain_rate(cost->vendor, cost->unit, peak));
}

const char *gcal_explain_sentence(const struct gcal_explain_case *c)
{
    const struct gcal_explain_limits *l = &c->limits;
    const struct gcal_explain_occupancy *o = &c->occupancy;
    struct gcal_buf buf = { 0 };

    if (!l->n_limits || !(l->limits[0].adds_s > 0))
        return gcal_arena_format(
            c->arena, "model %.60s has no limits: only its costs are explained",
            gcal_predictor_model(c->lab->predictor));
    gcal_buf_printf(&buf, "limited by %s (%s): %.0f %% of the time", l->limits[0].name,
                    gcal_explain_words(l->limits[0].name),
                    100 * l->limits[0].adds_s / l->time_s);
    put_rate(&buf, l);
    /* Work-items that wait hide behind others only if there are others. */
    if (strcmp(l->limits[0].name, "latency") == 0 && o->known && o->achieved < FULL)
        gcal_buf_printf(&buf, "; the launch fills %.2g %% of the device%s",
                        100 * o->achieved,
                        o->achieved < 0.9 * o->occupancy ? ": few work-groups" : "");
    if (l->n_limits > 1 && l->limits[1].adds_s > 0.5 * l->limits[0].adds_s)
        gcal_buf_printf(&buf, "; %s is close (%.0f %%)", l->limits[1].name,
                        100 * l->limits[1].adds_s / l->time_s);
    return gcal_arena_take(c->arena, &buf);
}
