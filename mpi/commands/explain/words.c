/* words.c - limits and rates in words */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/units.h"
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

/* Costs of these models whose expression says little. */
static const struct {
    const char *parameter, *words;
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
};

const char *gcal_explain_cost_words(const char *parameter, const char *counted)
{
    for (size_t i = 0; i < sizeof(known_costs) / sizeof(*known_costs); i++)
        if (strcmp(known_costs[i].parameter, parameter) == 0)
            return known_costs[i].words;
    return counted;
}

static const char *const unit_names[] = {
    [GCAL_EXPLAIN_NO_RATE] = "",          [GCAL_EXPLAIN_BYTES] = "B/s",
    [GCAL_EXPLAIN_OPERATIONS] = "op/s",   [GCAL_EXPLAIN_PASSES] = "passes/s",
    [GCAL_EXPLAIN_ATOMICS] = "atomics/s", [GCAL_EXPLAIN_GROUPS] = "groups/s",
};

/* Prefixes in front of any unit. */
const char *gcal_explain_rate(double rate, enum gcal_explain_unit unit, char *text,
                              size_t size)
{
    static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
    size_t i = 0;

    for (; rate >= 1000 && i + 1 < sizeof(prefixes) / sizeof(*prefixes); i++)
        rate /= 1000;
    if (isfinite(rate))
        snprintf(text, size, "%.3g %s%s", rate, prefixes[i], unit_names[unit]);
    else
        snprintf(text, size, "-");
    return text;
}

/* The cost that a limit is mostly made of, if it has a rate; NULL: none. */
static const struct gcal_explain_cost *main_cost(const struct gcal_explain_limits *l,
                                                 size_t limit)
{
    for (size_t i = 0; i < l->n_costs; i++)
        if (l->costs[i].of_limit[limit] > 0.5 && gcal_explain_has_rate(&l->costs[i]))
            return &l->costs[i];
    return NULL;
}

bool gcal_explain_has_rate(const struct gcal_explain_cost *cost)
{
    return isfinite(cost->rate) && isfinite(cost->peak) &&
           (cost->label.unit == GCAL_EXPLAIN_OPERATIONS ||
            cost->of_limit[cost->limit] > 0.2);
}

static void put_rate(struct gcal_buf *buf, const struct gcal_explain_case *c)
{
    const struct gcal_explain_cost *cost = main_cost(&c->limits, c->limits.order[0]);
    char rate[32], peak[32], vendor[64] = "";

    if (cost && isfinite(cost->vendor))
        snprintf(vendor, sizeof(vendor), ", %.0f %% of the vendor's %s",
                 100 * cost->rate / cost->vendor,
                 gcal_explain_rate(cost->vendor, cost->label.unit, peak, sizeof(peak)));
    if (cost)
        gcal_buf_printf(
            buf, "; %s are %.0f %% of the %s measured%s",
            gcal_explain_rate(cost->rate, cost->label.unit, rate, sizeof(rate)),
            100 * cost->rate / cost->peak,
            gcal_explain_rate(cost->peak, cost->label.unit, peak, sizeof(peak)), vendor);
}

/* Work-items that wait hide behind others only if there are others. */
static void put_fill(struct gcal_buf *buf, const struct gcal_explain_case *c)
{
    const struct gcal_explain_occupancy *o = &c->occupancy;

    if (strcmp(c->limits.limits[0].name, "latency") == 0 && o->known &&
        o->achieved < FULL)
        gcal_buf_printf(buf, "; the launch fills %.2g %% of the device%s",
                        100 * o->achieved,
                        o->achieved < 0.9 * o->occupancy ? ": few work-groups" : "");
}

char *gcal_explain_sentence(const struct gcal_explain_case *c)
{
    const struct gcal_explain_limits *l = &c->limits;
    struct gcal_buf buf = { 0 };

    if (!l->n_limits || !(l->limits[0].adds_s > 0)) {
        gcal_buf_printf(&buf, "model %.60s has no limits: only its costs are explained",
                        gcal_predictor_model(c->predictor));
        return gcal_buf_take(&buf, NULL);
    }
    gcal_buf_printf(&buf, "limited by %s (%s): %.0f %% of the time", l->limits[0].name,
                    gcal_explain_words(l->limits[0].name),
                    100 * l->limits[0].adds_s / l->time_s);
    put_rate(&buf, c);
    put_fill(&buf, c);
    if (l->n_limits > 1 && l->limits[1].adds_s > 0.5 * l->limits[0].adds_s)
        gcal_buf_printf(&buf, "; %s is close (%.0f %%)", l->limits[1].name,
                        100 * l->limits[1].adds_s / l->time_s);
    return gcal_buf_take(&buf, NULL);
}
