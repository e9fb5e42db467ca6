/* explain.c - gpucal explain: where a kernel's predicted time goes */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"
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
        json_t *one = gcal_explain_json(set->cases[i], err);

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
    if (c->measure && gcal_explain_measure(set->cases[0], &c->own, err) < 0)
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
        gcal_explain_print(set->cases[0]);
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
