/* explain.c - gpucal explain: where a kernel's predicted time goes */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/own/own.h"
#include "kernels/model/profile.h"
#include "mpi/commands/predict/remarks/remarks.h"
#include "mpi/commands/count/built.h"
#include "mpi/commands/explain/private.h"

/* ---- measured times, and whether on-chip work hides behind memory
 *
 * The verdict is that of Stevens and Kloeckner 2020, section 8.1: the time of the kernel without
 * on-chip work and the time of the removed work, against the whole.
 */

/* The share of the shorter part above which it is hidden, and below which it is not. */
#define HIDDEN     0.8
#define NOT_HIDDEN 0.2

/* Times the case's kernel, the kernel without on-chip work, and without memory accesses.  -1 if
 * the kernel itself cannot be timed.
 */
static int measure_cases(struct gcal_explain_case *c, const struct gcal_own_options *own,
                         struct gcal_error *err)
{
    struct gcal_explain_measured *m = gcal_arena_alloc(c->arena, 1, sizeof(*m));
    struct gcal_error inner = { 0 };
    double shorter;

    *m = (struct gcal_explain_measured){ .memory.median_s = NAN,
                                         .onchip.median_s = NAN,
                                         .hidden = NAN };
    c->measured = m;
    if (gcal_predict_subject_measure(c->options, own, c->subject, GCAL_KERNEL_COMPLETE,
                                     &m->whole, err) < 0)
        return -1;
    if (gcal_predict_subject_measure(c->options, own, c->subject, GCAL_KERNEL_MEMORY,
                                     &m->memory, &inner) < 0 ||
        gcal_predict_subject_measure(c->options, own, c->subject, GCAL_KERNEL_ONCHIP,
                                     &m->onchip, &inner) < 0) {
        m->why_not = gcal_arena_strdup(c->arena, inner.text);
        return 0;
    }
    shorter = fmin(m->memory.median_s, m->onchip.median_s);
    if (!(shorter > 0))
        return 0;
    m->hidden =
        fmin(1, fmax(0, (m->memory.median_s + m->onchip.median_s - m->whole.median_s) /
                            shorter));
    m->verdict = m->hidden >= HIDDEN       ? "hidden"
                 : m->hidden <= NOT_HIDDEN ? "not hidden"
                                           : "partly hidden";
    return 0;
}

static void print_measured(const struct gcal_explain_case *c)
{
    const struct gcal_explain_measured *m = c->measured;
    char memory[GCAL_UNITS_SIZE], onchip[GCAL_UNITS_SIZE];

    putchar('\n');
    gcal_timed_print(&m->whole, c->prediction.time_s);
    if (m->why_not)
        printf("overlap: unknown, as a part cannot be timed alone: %s\n", m->why_not);
    else
        printf(
            "overlap: memory accesses alone %s, on-chip work alone %s: %s %s (%.0f %%)\n",
            gcal_units(m->memory.median_s, "s", memory),
            gcal_units(m->onchip.median_s, "s", onchip),
            m->memory.median_s >= m->onchip.median_s ? "on-chip work is"
                                                     : "memory accesses are",
            m->verdict ? m->verdict : "partly hidden", 100 * m->hidden);
}

static json_t *make_measured_json(const struct gcal_explain_measured *m)
{
    return json_pack(
        "{s:f, s:f, s:f, s:i, s:o, s:o, s:o, s:s?, s:s?}", "whole_s", m->whole.median_s,
        "least_s", m->whole.least_s, "error", m->whole.spread, "launches",
        (int)m->whole.launches, "memory_s", gcal_json_number(m->memory.median_s),
        "onchip_s", gcal_json_number(m->onchip.median_s), "hidden",
        gcal_json_number(m->hidden), "verdict", m->verdict, "why_not", m->why_not);
}

/* ---- an explanation as text ---- */

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

static void print_case(const struct gcal_explain_case *c)
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
        print_measured(c);
    gcal_explain_changes_print(c, &c->advice, "\nwhat would help most, by the model:");
    gcal_quiet_result(true);
    gcal_explain_changes_print(c, &c->asked, "\nwhat if:");
    gcal_quiet_result(false);
    gcal_explain_step_print(c);
}

/* ---- an explanation as JSON ---- */

static json_t *limits_json(const struct gcal_explain_limits *l)
{
    json_t *list = json_array();

    for (size_t i = 0; i < l->n_limits; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:f, s:f, s:f}", "limit", l->limits[i].name,
                            "what", gcal_explain_words(l->limits[i].name), "alone_s",
                            l->limits[i].alone_s, "adds_s", l->limits[i].adds_s, "share",
                            l->limits[i].adds_s / l->time_s));
    return list;
}

/* Its shares of the limits that it is part of. */
static json_t *shares_json(const struct gcal_explain_case *c,
                           const struct gcal_explain_cost *cost)
{
    json_t *shares = json_object();

    for (size_t i = 0; i < c->lab->n_roofs; i++)
        if (fabs(cost->of_limit[i]) > 1e-6)
            json_object_set_new(shares, c->lab->names[i + 1],
                                json_real(cost->of_limit[i]));
    return shares;
}

static json_t *costs_json(const struct gcal_explain_case *c)
{
    const struct gcal_explain_limits *l = &c->limits;
    json_t *list = json_array();

    for (size_t i = 0; i < l->n_costs; i++) {
        const struct gcal_explain_cost *cost = &l->costs[i];
        const char *unit = gcal_explain_unit_names[cost->unit];
        json_t *one = json_pack(
            "{s:s, s:s, s:s, s:o, s:f, s:f, s:f, s:o}", "cost", cost->parameter,
            "counted", cost->counted, "per", cost->granularity, "count",
            gcal_json_number(cost->count), "cost_s", cost->cost_s, "adds_s", cost->adds_s,
            "share", cost->adds_s / l->time_s, "of_limits", shares_json(c, cost));

        if (*unit && isfinite(cost->rate)) {
            json_object_set_new(one, "rate", json_real(cost->rate));
            json_object_set_new(one, "measured_rate", gcal_json_number(cost->peak));
            json_object_set_new(one, "measured_rate_per_clock",
                                gcal_json_number(cost->per_clock));
            json_object_set_new(one, "vendor_rate", gcal_json_number(cost->vendor));
            json_object_set_new(one, "unit", json_string(unit));
        }
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *occupancy_json(const struct gcal_explain_occupancy *o)
{
    json_t *bounds = json_array();

    for (size_t i = 0; i < o->n_bounds; i++)
        json_array_append_new(bounds, json_pack("{s:s, s:f}", "by", o->bounds[i].by,
                                                "groups", o->bounds[i].groups));
    return json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:o, s:b, s:o, s:o}", "occupancy",
        o->occupancy, "reached", o->achieved, "resident_groups", o->resident,
        "group_items", o->items, "groups", o->groups, "waves", o->waves, "last_wave",
        o->last_wave, "registers", gcal_json_number(o->registers), "built", (int)o->built,
        "local_memory_bytes", gcal_json_number(o->local_bytes), "bounds", bounds);
}

/* NULL with 'err'. */
static json_t *make_document(const struct gcal_explain_case *c, struct gcal_error *err)
{
    const struct gcal_predict_device *d = &c->subject->published;
    const struct gcal_profile *profile = c->subject->target.profile;
    const struct gcal_prediction *p = &c->prediction;
    json_t *gaps = gcal_gaps_json(c->lab->predictor, c->sizes), *notes, *all;

    all = json_pack(
        "{s:s, s:o, s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:s?, s:s, s:f, s:b, s:f, s:o}",
        "kernel", profile->kernel, "sizes",
        gcal_json_sizes(profile->n_parameters, profile->parameters, c->sizes), "node",
        d->params.node, "device", d->device->info.name, "device_uid", d->device->info.uid,
        "model", gcal_predictor_model(c->lab->predictor), "time_s", p->time_s, "low_s",
        p->low_s, "high_s", p->high_s, "limited_by",
        c->limits.n_limits ? c->limits.limits[0].name : NULL, "sentence", c->sentence,
        "estimated", p->estimated, "extrapolates", (int)p->extrapolates, "not_covered",
        p->not_covered, "gaps", gaps);
    json_object_set_new(all, "notes", notes = json_array());
    for (size_t i = 0; i < profile->n_notes; i++)
        json_array_append_new(notes, json_string(profile->notes[i]));
    json_object_set_new(all, "limits", limits_json(&c->limits));
    json_object_set_new(all, "other_s", json_real(c->limits.other_s));
    json_object_set_new(all, "costs", costs_json(c));
    if (c->occupancy.known)
        json_object_set_new(all, "occupancy", occupancy_json(&c->occupancy));
    gcal_explain_accesses_add_json(all, &c->accesses);
    if (gcal_explain_step_add_json(all, c, err) < 0) {
        json_decref(all);
        return NULL;
    }
    json_object_set_new(all, "advice", gcal_explain_changes_json(&c->advice));
    if (c->asked.n)
        json_object_set_new(all, "what_if", gcal_explain_changes_json(&c->asked));
    if (c->measured)
        json_object_set_new(all, "measured", make_measured_json(c->measured));
    return all;
}

/* ---- gpucal explain: where a kernel's predicted time goes ---- */

struct explain_command {
    struct gcal_predict_subject_options subject;
    struct gcal_option_list what_ifs, besides;
    struct gcal_own_options own; /* of --measure */
    struct gcal_step_options step;
    const char *svg;
    bool measure, json;
};

enum { WHAT_IF = 256, BESIDE, SVG };

static const struct argp_option options[] = {
    { "what-if", WHAT_IF, "NAME=VALUE,..", 0,
      "The time with other values: of sizes, of local=XxY (the work-group of KERNEL.cl), "
      "local-memory, registers, resident or any other name of the model; x0.5 is a "
      "factor; "
      "may be repeated",
      0 },
    { "beside", BESIDE, "WHERE", 0,
      "Explain the kernel on another node of the store, or with another parameter file, "
      "as "
      "well, side by side; may be repeated",
      0 },
    { "measure", 'M', NULL, 0,
      "Time the kernel on this machine as well, and its accesses to memory and its "
      "on-chip work alone, with integers of buffers as for 'predict'",
      0 },
    { "svg", SVG, "FILE", 0,
      "Draw a roofline with the kernel's points and bars of the time, as SVG", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct explain_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->subject, &c->json, &c->own, &c->step);
        c->subject.several = c->subject.counts_all = true;
        break;
    case WHAT_IF:
        gcal_option_list_add(&c->what_ifs, arg);
        break;
    case BESIDE:
        gcal_option_list_add(&c->besides, arg);
        break;
    case SVG:
        c->svg = arg;
        break;
    case 'M':
        c->measure = true;
        break;
    case ARGP_KEY_END:
        gcal_predict_subject_check_measure(&c->subject, &c->own, c->measure, state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_predict_subject_argp, 0, NULL, 0 },
                                              GCAL_OPTION(json),
                                              { &gcal_own_options_argp, 0, NULL, 0 },
                                              { &gcal_step_options_argp, 0, NULL, 0 },
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "KERNEL.cl\n--profile FILE...\nTAG | ARGUMENT:VALUE[,VALUE]...",
    .children = children,
    .doc =
        "Explains the predicted time of a kernel on a calibrated device: what limits it, "
        "what each limit and each cost adds, the share of the measured rates, and "
        "occupancy; with copies to and from the device, where the time of a whole step "
        "goes.\v"
        "Examples:\n"
        "  gpucal explain --node n0 --profile mm.yaml --at n=2048\n"
        "  gpucal explain my.cl -k saxpy --local 256 --global n --at n=1048576\n"
        "  gpucal explain my.cl -k saxpy -l 256 -g n --at n=2^20 --model general \\\n"
        "      --what-if local=128 --what-if n=2^22\n"
        "  gpucal explain --node n0 --profile mm.yaml --at n=2048,4096 --beside n1 \\\n"
        "      --svg mm.svg\n"
        "  gpucal explain my.cl -k saxpy -l 256 -g n --at n=2^24 \\\n"
        "      --copy-in auto:pinned --copy-out 4*n:pinned\n"
        "  gpucal explain matmul_sq prefetch:True n:2048 --json",
};

/* A list of an object for each case, or the object of the only one. */
static int print_json(const struct gcal_explain_set *set, struct gcal_error *err)
{
    json_t *list = json_array();

    for (size_t i = 0; i < set->n_cases; i++) {
        json_t *one = make_document(set->cases[i], err);

        if (!one) {
            json_decref(list);
            return -1;
        }
        if (i)
            json_object_set_new(one, "beside", gcal_explain_difference_json(set, i));
        json_array_append_new(list, one);
    }
    gcal_json_print(set->n_cases > 1 ? list : json_array_get(list, 0), "explain");
    json_decref(list);
    return 0;
}

static int explain_set(const struct explain_command *c, struct gcal_explain_set *set,
                       struct gcal_error *err)
{
    bool compares = set->n_cases > 1;

    if (c->measure && compares)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "--measure takes one kernel on one device, and one value of "
            "each size");
    if (c->measure && measure_cases(set->cases[0], &c->own, err) < 0)
        return -1;
    if (c->svg && gcal_explain_svg(c->svg, set, err) < 0)
        return -1;
    gcal_predict_target_print_notes(&set->subjects[0]->target, &c->subject.count);
    for (size_t i = 0; i < set->n_cases; i++) {
        if (c->json || !compares)
            gcal_explain_advise(set->cases[i]);
        for (size_t k = 0; k < c->what_ifs.n; k++)
            if (gcal_explain_what_if(set->cases[i], c->what_ifs.items[k], err) < 0)
                return -1;
    }
    if (c->json)
        return print_json(set, err);
    if (!compares) {
        print_case(set->cases[0]);
        return 0;
    }
    gcal_quiet_result(true);
    gcal_explain_compare_print(set);
    for (size_t i = 0; i < set->n_cases; i++) {
        char title[40];

        snprintf(title, sizeof(title), "\nwhat if, column %zu:", i + 1);
        gcal_explain_changes_print(set->cases[i], &set->cases[i]->asked, title);
    }
    return 0;
}

int gcal_command_explain(int argc, char **argv)
{
    struct explain_command c = { 0 };
    struct gcal_error err = { 0 };
    const struct gcal_explain_set_options options = { &c.subject, &c.step, &c.besides };
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_explain_set set;
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = c.measure ? gcal_predict_subject_prepare_measure(&c.subject, &c.own, &err) : 0;
    if (rc == 0)
        rc = gcal_explain_set_open(arena, &set, &options, &err);
    if (rc == 0)
        rc = explain_set(&c, &set, &err);
    gcal_arena_destroy(arena);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
