/* calibrate.c - gpucal [calibrate], the only command that starts MPI */
#include <argp.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "mpi/ranks/ranks.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"

#define DAY_S 86400.0

enum { MAX_AGE = 256 };

static const struct argp_option options[] = {
    { "record", 'r', "FILE.h5", 0, "The record of the run (default: gpucal-RUN.h5)", 0 },
    { "resume", 'R', "FILE.h5", 0, "Continue the interrupted run with this record", 0 },
    { "if-changed", 'i', NULL, 0,
      "Only devices that are not published, or whose driver, name, type, configuration, "
      "catalogue or version of gpucal has changed",
      0 },
    { "max-age", MAX_AGE, "DAYS", 0,
      "With --if-changed: devices whose calibration is older as well", 0 },
    { "quiet", 'q', NULL, 0, "Print errors and the last line only", 0 },
    { 0 },
};

/* The command that calibrates needs no name: after an option, another one comes here. */
static void refuse(const char *arg, const struct argp_state *state)
{
#define NAME(name, summary) #name,
    static const char *const commands[] = { GCAL_COMMANDS(NAME) };
#undef NAME

    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (strcmp(arg, commands[i]) == 0)
            argp_error(state, "a command comes before its options: gpucal %s ..", arg);
    argp_error(state, "unexpected argument '%s'", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_ranks_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &o->config, &o->store, &o->device, &o->budget_s,
                           &o->dry_run, &o->json, &o->catalogue);
        break;
    case 'r':
        o->record = arg;
        break;
    case 'R':
        o->resume = arg;
        break;
    case 'i':
        o->if_changed = true;
        break;
    case MAX_AGE:
        o->max_age_s = gcal_option_positive(arg, "", "--max-age", state) * DAY_S;
        break;
    case 'q':
        o->quiet = true;
        break;
    case ARGP_KEY_ARG:
        refuse(arg, state);
        break;
    case ARGP_KEY_END:
        if (o->resume && o->record)
            argp_error(state, "--resume excludes --record: it names the record");
        if (o->resume && o->if_changed)
            argp_error(state, "--resume excludes --if-changed: it continues the run with "
                              "its devices");
        if (isfinite(o->max_age_s) && !o->if_changed)
            argp_error(state, "--max-age requires --if-changed");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(config),    GCAL_OPTION(store),
                                              GCAL_OPTION(device),    GCAL_OPTION(budget),
                                              GCAL_OPTION(dry_run),   GCAL_OPTION(json),
                                              GCAL_OPTION(catalogue), { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .doc = "Measures the OpenCL devices of the nodes it runs on, fits the models and "
           "publishes a parameter file per node.\v"
           "Examples:\n"
           "  gpucal calibrate --dry-run\n"
           "  gpucal calibrate --store DIR --device gpu\n"
           "  srun --ntasks-per-node=1 gpucal --config models.yaml --if-changed\n"
           "Exit status: 0 good, 1 bad input, 4 a fit was rejected, 5 a device or a rank "
           "was lost or a kernel could not be counted, 6 the store or the record cannot "
           "be written.",
};

static int run(struct gcal_comm *comm, struct gcal_worker_spawner *spawner,
               const struct gcal_ranks_options *o)
{
    struct gcal_error err = { 0 };
    struct gcal_root *root = NULL;
    struct gcal_worker_tick service;
    int status;

    if (gcal_comm_rank(comm) == 0 && !(root = gcal_root_create(comm, o, &err)))
        return gcal_command_fail(&err);
    if (root)
        service = gcal_root_service(root);
    status = gcal_member_run(comm, spawner, root ? &service : NULL);
    gcal_root_destroy(root);
    return status;
}

int gcal_command_calibrate(int argc, char **argv)
{
    struct gcal_ranks_options o = { .max_age_s = INFINITY };
    struct gcal_worker_spawner *spawner = NULL;
    struct gcal_comm *comm = NULL;
    struct gcal_error err = { 0 };
    int status;

    gcal_command_parse(&argp, argc, argv, &o);
    signal(SIGPIPE, SIG_IGN); /* a terminal that is closed does not end the run */
    /* Before MPI: a process that uses a fabric should not fork. */
    if (!(spawner = gcal_worker_spawner_start(&err)) ||
        !(comm = gcal_comm_open(&argc, &argv, &err))) {
        gcal_worker_spawner_stop(spawner);
        return gcal_command_fail(&err);
    }
    if (gcal_comm_size(comm) > 1)
        gcal_log_set_who(gcal_arena_format(gcal_option_arena(), "%s rank %d",
                                           gcal_node_name(gcal_option_arena()),
                                           gcal_comm_rank(comm)));
    if (o.quiet)
        gcal_log_set_level(GCAL_LOG_ERROR);
    status = run(comm, spawner, &o);
    gcal_worker_spawner_stop(spawner);
    gcal_comm_close(comm, status);
    return status;
}
