/* option_describe.h - the options of a command as JSON */
#ifndef GCAL_MPI_CLI_OPTION_DESCRIBE_H
#define GCAL_MPI_CLI_OPTION_DESCRIBE_H

#include <argp.h>

/* Prints the tables as one JSON object: command, usage (a text for each form), purpose,
 * notes, and options (name, letter, argument, optional, values, text, header; null where
 * there is none).
 */
void gcal_option_describe(const struct argp *argp, const char *command);

#endif
