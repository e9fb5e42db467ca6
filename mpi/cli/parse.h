/* parse.h - the command line of a command, from its argp tables alone
 *
 * These tables hold all that help, manual pages and shells need to know of options.  The
 * argument of an option that takes one of a few words is named by them: "text|yaml".
 */
#ifndef GCAL_MPI_CLI_PARSE_H
#define GCAL_MPI_CLI_PARSE_H

#include <argp.h>

/* As argp_parse() without flags: exits with a message on a wrong command line, which
 * suggests the option or value that was probably meant.  "--help --json" prints the
 * tables as JSON instead, and exits.
 */
void gcal_command_parse(const struct argp *argp, int argc, char **argv, void *input);

#endif
