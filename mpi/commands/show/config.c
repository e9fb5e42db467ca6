/* config.c - gpucal config: the built-in configuration */
#include <argp.h>

#include "kernels/base/error.h"
#include "calib/config/config.h"
#include "mpi/cli/command.h"
#include "mpi/cli/parse.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    argp_error(state, "unexpected argument '%s'", arg);
    return 0;
}

static const struct argp argp = {
    .parser = parse,
    .doc = "Prints the built-in configuration, which applies without --config.\v"
           "Examples:\n"
           "  gpucal config > models.yaml",
};

int gcal_command_config(int argc, char **argv)
{
    struct gcal_error err = { 0 };

    gcal_command_parse(&argp, argc, argv, NULL);
    return gcal_command_write(NULL, gcal_config_builtin_text(), &err) < 0
               ? gcal_command_fail(&err)
               : 0;
}
