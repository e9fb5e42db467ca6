/* parse.c - the command line of a command */
#include "mpi/cli/parse.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/cli/option_check.h"
#include "mpi/cli/option_describe.h"

void gcal_command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    if (argc == 3 && strcmp(argv[1], "--help") == 0 && strcmp(argv[2], "--json") == 0) {
        gcal_option_describe(argp, argv[0]);
        exit(0);
    }
    gcal_option_check(argp, argc, argv);
    argp_parse(argp, argc, argv, 0, NULL, input);
}
