/* parse.c - the command line of a command */
#include "mpi/cli/parse.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/cli/option_check.h"
#include "mpi/cli/option_describe.h"
#include "mpi/cli/quiet.h"

/* argp has -?, as -h is free for programs; here it is free in all commands. */
static const struct argp_option rows[] = {
    { "quiet", 'q', NULL, 0,
      "Print errors and the result only; of output for programs, all", 0 },
    { NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0 },
    { 0 },
};

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case 'q':
        gcal_quiet_start();
        return 0;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Some say what 'quiet' is to them. */
static bool has_quiet(const struct argp *argp)
{
    for (const struct argp_option *o = argp->options; o && o->name; o++)
        if (o->key == 'q')
            return true;
    return false;
}

static void parse(const struct argp *argp, int argc, char **argv, void *input)
{
    if (argc == 3 && strcmp(argv[1], "--help") == 0 && strcmp(argv[2], "--json") == 0) {
        gcal_option_describe(argp, argv[0]);
        exit(0);
    }
    gcal_option_check(argp, argc, argv);
    argp_parse(argp, argc, argv, 0, NULL, input);
}

void gcal_command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    struct argp own = *argp, all = *argp;
    const struct argp_child children[] = { { &own, 0, NULL, 0 }, { 0 } };

    own.doc = own.args_doc = NULL; /* or --help has them twice */
    all.options = has_quiet(argp) ? rows + 1 : rows;
    all.parser = parse_common;
    all.children = children;
    parse(&all, argc, argv, input);
}
