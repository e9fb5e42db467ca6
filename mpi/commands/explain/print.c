/* print.c - an explanation as text */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/model/profile.h"
#include "mpi/commands/count/built.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/explain/private.h"
#include "mpi/commands/predict/remarks/remarks.h"

/* Parts below this are left out of lists. */
#define LEAST_SHARE 0.005

/* ---- limits ---- */

/* The costs of a limit: "p_dram 100 %", the largest first, at most three; what a cost is of, where
 * it is of several things.
 */
static void print_costs_of(const struct gcal_explain_case *c, size_t limit)
{
    const struct gcal_explain_limits *l = &c->limits;

    enum { MOST = 3 };
    const struct gcal_explain_cost *all[MOST + 1];
    size_t n = 0;

    for (size_t i = 0; i < l->n_costs; i++) {
        const struct gcal_explain_cost *cost = &l->costs[i];
        size_t k = n;

        if (cost->of_limit[limit] < 0.02)
            continue;
        for (; k && all[k - 1]->of_limit[limit] < cost->of_limit[limit]; k--)
            all[k] = all[k - 1];
        all[k] = cost;
        n += n < MOST;
    }
    for (size_t i = 0; i < n; i++)
        printf("%s%s %.0f %%", i ? ", " : "", gcal_explain_cost_name(c->arena, all[i]),
               100 * all[i]->of_limit[limit]);
}

static void print_limit(const struct gcal_explain_case *c, size_t i)
{
    const struct gcal_explain_limits *l = &c->limits;
    const struct gcal_explain_limit *limit = &l->limits[i];
    char alone[GCAL_UNITS_SIZE], adds[GCAL_UNITS_SIZE];
    double hidden = limit->alone_s > 0 ? 1 - limit->adds_s / limit->alone_s : 0;

    printf("%-12s %10s %6.1f %% %10s %6.1f %% %6.0f %%  ", limit->name,
           gcal_units(limit->alone_s, "s", alone), 100 * limit->alone_s / l->time_s,
           gcal_units(limit->adds_s, "s", adds), 100 * limit->adds_s / l->time_s,
           100 * fmax(0, hidden));
    print_costs_of(c, limit->roof);
    printf("\n");
}

static void print_limits(const struct gcal_explain_case *c)
{
    const struct gcal_explain_limits *l = &c->limits;
    char text[GCAL_UNITS_SIZE];

    if (!l->n_limits)
        return;
    printf("\nlimit             alone   busy         adds  of time  hidden  made of\n");
    for (size_t i = 0; i < l->n_limits; i++)
        if (l->limits[i].alone_s > 0)
            print_limit(c, i);
    if (l->other_s != 0)
        printf("%-12s %10s %8s %10s %6.1f %%\n", "other", "", "",
               gcal_units(l->other_s, "s", text), 100 * l->other_s / l->time_s);
    printf("%-12s %10s %8s %10s %6.1f %%\n", "time", "", "",
           gcal_units(l->time_s, "s", text), 100.0);
    printf("alone: if it were all; busy: alone over time; adds: its part of the time; "
           "hidden: the part of alone that is behind others\n");
}

/* ---- costs ---- */

static void print_cost(const struct gcal_explain_case *c,
                       const struct gcal_explain_cost *cost)
{
    enum { ROOM = 28 };
    char one[GCAL_UNITS_SIZE], adds[GCAL_UNITS_SIZE];
    char rate[GCAL_UNITS_SIZE], peak[GCAL_UNITS_SIZE];
    enum gcal_explain_unit unit = cost->unit;
    const char *of = gcal_explain_cost_words(cost);
    bool is_long = strlen(of) > ROOM;
    int shown = is_long ? ROOM - 2 : ROOM;

    printf("%-18s %-10s %-*.*s%s %-10s %11.4g %10s %10s %6.1f %%", cost->parameter,
           cost->limit < c->lab->n_roofs ? c->lab->names[cost->limit + 1] : "-", shown,
           shown, of, is_long ? ".." : "", cost->granularity, cost->count,
           gcal_units(cost->cost_s, "s", one), gcal_units(cost->adds_s, "s", adds),
           100 * cost->adds_s / c->limits.time_s);
    if (gcal_explain_has_rate(cost))
        printf("  %.0f %%: %s of %s", 100 * cost->rate / cost->peak,
               gcal_explain_rate(cost->rate, unit, rate),
               gcal_explain_rate(cost->peak, unit, peak));
    if (gcal_explain_has_rate(cost) && isfinite(cost->per_clock))
        printf(" (%.3g)", cost->per_clock);
    if (gcal_explain_has_rate(cost) && isfinite(cost->vendor))
        printf("; %.0f %% of %s", 100 * cost->rate / cost->vendor,
               gcal_explain_rate(cost->vendor, unit, peak));
    printf("\n");
}

static bool is_listed(const struct gcal_explain_case *c,
                      const struct gcal_explain_cost *cost)
{
    const struct gcal_explain_limits *l = &c->limits;

    if (cost->adds_s >= LEAST_SHARE * l->time_s)
        return true;
    return cost->limit < c->lab->n_roofs &&
           cost->of_limit[cost->limit] * c->lab->values[cost->limit + 1] >=
               10 * LEAST_SHARE * l->time_s;
}

/* ---- occupancy ---- */

static void print_occupancy(const struct gcal_explain_occupancy *o)
{
    char local[GCAL_UNITS_SIZE], most[GCAL_UNITS_SIZE];

    if (!o->known)
        return;
    printf("\noccupancy: %.0f %% (%.4g work-groups of %.4g work-items on a compute unit, "
           "bound by %s)",
           100 * o->occupancy, o->resident, o->items,
           o->n_bounds ? o->bounds[0].by : "the model");
    if (o->achieved < o->occupancy * 0.999)
        printf("; %.2g %% reached, as the launch has %.4g work-groups for %.4g compute "
               "units",
               100 * o->achieved, o->groups, o->units);
    printf("\n");
    for (size_t i = 0; i < o->n_bounds; i++)
        printf("%s %.4g by %s%s", i ? "," : "bounds:", o->bounds[i].groups,
               o->bounds[i].by, i + 1 < o->n_bounds ? "" : "\n");
    if (isfinite(o->registers))
        printf("registers: %.0f for a work-item (%s)%s", o->registers,
               o->built ? "as built" : "estimated; --build asks the driver",
               o->local_bytes > 0 ? "; " : "\n");
    if (o->local_bytes > 0)
        printf("local memory: %s for a work-group, of %s\n",
               gcal_units(o->local_bytes, "B", local),
               gcal_units(o->unit_local_bytes, "B", most));
    if (o->waves > 1)
        printf("waves: %.4g; the last one is %.0f %% full\n", o->waves,
               100 * o->last_wave);
}

/* ---- all ---- */

void gcal_explain_print(const struct gcal_explain_case *c)
{
    const struct gcal_predict_device *d = &c->subject->published;
    const struct gcal_profile *profile = c->subject->target.profile;
    const struct gcal_prediction *p = &c->prediction;
    char time[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE];

    gcal_quiet_result(true);
    printf("%s%s%s on %s of node %s: predicted %s, 90 %% interval %s to %s (model %s)\n",
           profile->kernel, *c->point ? " " : "", c->point, d->device->info.name,
           d->params.node, gcal_units(p->time_s, "s", time),
           gcal_units(p->low_s, "s", low), gcal_units(p->high_s, "s", high),
           gcal_predictor_model(c->lab->predictor));
    puts(c->sentence);
    gcal_quiet_result(false);
    gcal_count_built_print(d->device->info.type,
                           gcal_built_find(profile, d->device->info.type));
    print_limits(c);
    const struct gcal_explain_limits *l = &c->limits;
    bool has_vendor = false;
    for (size_t i = 0; i < l->n_costs; i++)
        has_vendor = has_vendor || isfinite(l->costs[i].vendor);
    printf("\n%-18s %-10s %-28s %-10s %11s %10s %10s %8s  share of the measured rate (by "
           "compute unit and clock)%s\n",
           "cost", "limit", "of each", "per", "count", "cost", "adds", "of time",
           has_vendor ? "; of the vendor's peak" : "");
    for (size_t i = 0; i < l->n_costs; i++)
        if (is_listed(c, &l->costs[i]))
            print_cost(c, &l->costs[i]);
    print_occupancy(&c->occupancy);
    gcal_explain_accesses_print(&c->accesses);
    /* What is uncertain. */
    if (p->estimated > 0 || p->extrapolates || p->not_covered > 0)
        puts("");
    if (p->estimated > 0)
        printf("estimated counts: the time changes by %.0f %% where they double\n",
               100 * (exp2(p->estimated) - 1));
    for (size_t i = 0; !c->notes_printed && i < profile->n_notes; i++)
        printf("  %s\n", profile->notes[i]);
    gcal_gaps_print(c->lab->predictor, c->sizes);
    gcal_outside_print(p);
    if (c->measured)
        gcal_explain_measured_print(c);
    gcal_explain_changes_print(c, &c->advice, "\nwhat would help most, by the model:");
    gcal_quiet_result(true);
    gcal_explain_changes_print(c, &c->asked, "\nwhat if:");
    gcal_quiet_result(false);
    gcal_explain_step_print(c);
}
