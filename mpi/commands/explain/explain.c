/* explain.c - gpucal explain: where a kernel's predicted time goes */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/explain/private.h"
#include "mpi/commands/own/own.h"

struct explain_command {
    struct gcal_predict_subject_options subject;
    struct gcal_option_list what_ifs, besides;
    struct gcal_own_options own; /* of --measure */
    struct gcal_step_options step;
    const char *svg;
    bool measure, json;
    const struct gcal_explain_measured *measured; /* of the only case; NULL: it is not */
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
      "on-chip "
      "work alone",
      0 },
    { "svg", SVG, "FILE", 0,
      "Draw a roofline with the kernel's points and bars of the time, as SVG", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct explain_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->subject, &c->json, &c->own, &c->step);
        c->subject.several = c->subject.counts_all = true;
        break;
    case WHAT_IF:
        gcal_option_list_add(&c->what_ifs, arg, state);
        break;
    case BESIDE:
        gcal_option_list_add(&c->besides, arg, state);
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
    .parser = parse,
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

/* ---- changes ---- */

struct changes {
    struct gcal_explain_changes asked, advice;
};

static void clear_changes(struct changes *changes)
{
    gcal_explain_changes_clear(&changes->asked);
    gcal_explain_changes_clear(&changes->advice);
}

/* Clear 'changes' in any case. */
static int find_changes(const struct explain_command *c, struct gcal_explain_case *one,
                        struct changes *changes, struct gcal_error *err)
{
    int rc = gcal_explain_advise(one, &c->subject, &changes->advice, err);

    for (size_t i = 0; i < c->what_ifs.n && rc == 0; i++)
        rc = gcal_explain_what_if(one, &c->subject, c->what_ifs.items[i], &changes->asked,
                                  err);
    return rc;
}

/* ---- output ---- */

static int print_one(const struct explain_command *c, struct gcal_explain_case *one,
                     struct gcal_error *err)
{
    struct changes changes = { 0 };
    int rc = find_changes(c, one, &changes, err);

    if (rc == 0)
        rc = gcal_explain_print(one, err);
    if (rc == 0 && c->measured)
        gcal_explain_measured_print(one, c->measured);
    if (rc == 0) {
        gcal_explain_changes_print(one, &changes.advice,
                                   "what would help most, by the model:");
        gcal_quiet_result(true);
        gcal_explain_changes_print(one, &changes.asked, "what if:");
        gcal_quiet_result(false);
        gcal_explain_step_print(one);
    }
    clear_changes(&changes);
    return rc;
}

static json_t *one_json(const struct explain_command *c,
                        const struct gcal_explain_set *set, size_t i,
                        struct gcal_error *err)
{
    struct gcal_explain_case *one = set->cases[i];
    size_t base = gcal_explain_compare_base(set, i);
    struct changes changes = { 0 };
    json_t *all =
        find_changes(c, one, &changes, err) < 0 ? NULL : gcal_explain_json(one, err);
    double time_s = one->limits.time_s;

    if (all)
        json_object_set_new(all, "advice",
                            gcal_explain_changes_json(&changes.advice, time_s));
    if (all && changes.asked.n)
        json_object_set_new(all, "what_if",
                            gcal_explain_changes_json(&changes.asked, time_s));
    if (all && c->measured)
        json_object_set_new(all, "measured", gcal_explain_measured_json(c->measured));
    if (all && i)
        json_object_set_new(all, "beside",
                            gcal_explain_difference_json(set->cases[base], one));
    if (all && i)
        json_object_set_new(json_object_get(all, "beside"), "number",
                            json_integer((json_int_t)base));
    clear_changes(&changes);
    return all;
}

/* A list of an object for each case, or the object of the only one. */
static int print_json(const struct explain_command *c, const struct gcal_explain_set *set,
                      struct gcal_error *err)
{
    json_t *list = json_array(), *object;
    int rc = 0;

    for (size_t i = 0; i < set->n_cases && rc == 0; i++)
        rc = (object = one_json(c, set, i, err)) ? json_array_append_new(list, object)
                                                 : -1;
    if (rc == 0)
        gcal_json_print(set->n_cases > 1 ? list : json_array_get(list, 0), "explain");
    json_decref(list);
    return rc;
}

/* What a user asks for, of each of several cases. */
static int print_asked(const struct explain_command *c,
                       const struct gcal_explain_set *set, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < set->n_cases && rc == 0; i++) {
        struct gcal_explain_changes asked = { 0 };
        char title[40];

        snprintf(title, sizeof(title), "what if, column %zu:", i + 1);
        for (size_t k = 0; k < c->what_ifs.n && rc == 0; k++)
            rc = gcal_explain_what_if(set->cases[i], &c->subject, c->what_ifs.items[k],
                                      &asked, err);
        if (rc == 0)
            gcal_explain_changes_print(set->cases[i], &asked, title);
        gcal_explain_changes_clear(&asked);
    }
    return rc;
}

static int print(const struct explain_command *c, const struct gcal_explain_set *set,
                 struct gcal_error *err)
{
    if (c->json)
        return print_json(c, set, err);
    if (set->n_cases == 1)
        return print_one(c, set->cases[0], err);
    gcal_quiet_result(true);
    return gcal_explain_compare_print(set, err) < 0 ? -1 : print_asked(c, set, err);
}

static int measure(const struct explain_command *c, const struct gcal_explain_set *set,
                   struct gcal_explain_measured *measured, struct gcal_error *err)
{
    if (set->n_cases > 1)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "--measure takes one kernel on one device, and one value of "
            "each size");
    return gcal_explain_measure(set->cases[0], &c->subject, &c->own, measured, err);
}

static int run(struct explain_command *c, struct gcal_error *err)
{
    struct gcal_explain_set set = { 0 };
    struct gcal_explain_measured measured = { 0 };
    const struct gcal_explain_set_options options = { &c->subject, &c->step,
                                                      &c->besides };
    int rc = gcal_explain_set_open(&set, &options, err);

    if (rc == 0 && c->measure) {
        rc = measure(c, &set, &measured, err);
        c->measured = &measured;
    }
    if (rc == 0 && c->svg)
        rc = gcal_explain_svg(c->svg, &set, err);
    if (rc == 0) {
        gcal_predict_target_print_notes(&set.subjects[0]->target, &c->subject.count);
        rc = print(c, &set, err);
    }
    gcal_explain_measured_clear(&measured);
    gcal_explain_set_clear(&set);
    return rc;
}

int gcal_command_explain(int argc, char **argv)
{
    struct explain_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = run(&c, &err);
    gcal_own_options_clear(&c.own);
    gcal_step_options_clear(&c.step);
    gcal_predict_subject_options_clear(&c.subject);
    free(c.what_ifs.items);
    free(c.besides.items);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
