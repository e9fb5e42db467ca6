/* calibrate.c - gpucal [calibrate]: the only command that starts MPI */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/log.h"
#include "mpi/ranks/ranks.h"
#include "mpi/cli/command.h"
#include "mpi/cli/option_list.h"

#define DAY_S 86400.0

static const struct argp_option options[] = {
    { "config", 'c', "FILE", 0,
      "What to measure and which models to fit (default: built "
      "in, as models.yaml of the distribution)",
      0 },
    { "store", 's', "DIR", 0,
      "Publish to this folder (default: $GPUCAL_STORE, else the "
      "configuration's 'store')",
      0 },
    { "record", 'r', "FILE.h5", 0,
      "Write the run's record here (default: "
      "gpucal-RUN.h5)",
      0 },
    { "device", 'd', "PATTERN", 0, "Only devices whose name matches, e.g. '*H200*'", 0 },
    { "budget", 'b', "SECONDS", 0, "Measuring time for each device", 0 },
    { "seed", 'S', "N", 0, "Seed of the order in which kernels are measured", 0 },
    { "resume", 'R', "FILE.h5", 0,
      "Go on with the interrupted run that was to write "
      "FILE.h5",
      0 },
    { "if-changed", 'i', NULL, 0,
      "Only devices that are not published, or whose driver, name, type, configuration, "
      "catalogue or gpucal is another now",
      0 },
    { "max-age", 'a', "DAYS", 0,
      "With --if-changed: those, too, whose calibration is older", 0 },
    { "dry-run", 'n', NULL, 0, "Say what would be measured, and where", 0 },
    { "quiet", 'q', NULL, 0, "Errors and the last line only", 0 },
    { "json", 'j', NULL, 0, "The summary as JSON", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_ranks_options *o = state->input;
    char *end;

    switch (key) {
    case 'c':
        o->config = arg;
        break;
    case 's':
        o->store = arg;
        break;
    case 'r':
        o->record = arg;
        break;
    case 'd':
        o->device = arg;
        break;
    case 'R':
        o->resume = arg;
        break;
    case 'i':
        o->if_changed = true;
        break;
    case 'a':
        o->max_age_s = gcal_option_positive(arg, "", "--max-age", state) * DAY_S;
        break;
    case 'n':
        o->dry_run = true;
        break;
    case 'q':
        o->quiet = true;
        break;
    case 'j':
        o->json = true;
        break;
    case 'b':
        o->budget_s = gcal_option_positive(arg, "", "--budget", state);
        break;
    case 'S':
        o->seed = strtoull(arg, &end, 10);
        o->seed_given = true;
        if (*end || end == arg)
            argp_error(state, "--seed: expected an integer, found '%s'", arg);
        break;
    case ARGP_KEY_ARG:
        argp_error(state, "'%s' is neither an option nor a command", arg);
        break;
    case ARGP_KEY_END:
        if (o->resume && o->record)
            argp_error(state, "--resume says which record already");
        if (o->resume && o->if_changed)
            argp_error(state, "--resume goes on with what a run had begun; --if-changed "
                              "goes without it");
        if (isfinite(o->max_age_s) && !o->if_changed)
            argp_error(state, "--max-age goes with --if-changed");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .doc = "Measures the OpenCL devices of the nodes it runs on, fits the models and "
           "publishes a parameter file per node.\v"
           "Under Slurm: srun --ntasks-per-node=1 gpucal --config models.yaml\n"
           "Exit status: 0 good, 1 bad input, 4 a fit was rejected, 5 a device or a rank "
           "was lost, 6 the store or the record cannot be written.",
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

static void name_the_log(const struct gcal_comm *comm)
{
    char *node = gcal_node_name(NULL);
    char *who = gcal_buf_format("%s rank %d", node ? node : "?", gcal_comm_rank(comm));

    if (who && gcal_comm_size(comm) > 1)
        gcal_log_set_who(who);
    free(who);
    free(node);
}

int gcal_command_calibrate(int argc, char **argv)
{
    struct gcal_ranks_options o = { .max_age_s = INFINITY };
    struct gcal_worker_spawner *spawner = NULL;
    struct gcal_comm *comm = NULL;
    struct gcal_error err = { 0 };
    int status;

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    /* Before MPI: a process that talks to a fabric should not fork. */
    if (!(spawner = gcal_worker_spawner_start(&err)) ||
        !(comm = gcal_comm_open(&argc, &argv, &err))) {
        gcal_worker_spawner_stop(spawner);
        return gcal_command_fail(&err);
    }
    name_the_log(comm);
    if (o.quiet)
        gcal_log_set_level(GCAL_LOG_ERROR);
    status = run(comm, spawner, &o);
    gcal_worker_spawner_stop(spawner);
    gcal_comm_close(comm, status);
    return status;
}
