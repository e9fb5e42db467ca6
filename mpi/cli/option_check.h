/* option_check.h - options and values that do not exist */
#ifndef GCAL_MPI_CLI_OPTION_CHECK_H
#define GCAL_MPI_CLI_OPTION_CHECK_H

#include <argp.h>

/* Exits if an option is unknown, or has a value beside those that its argument names. */
void gcal_option_check(const struct argp *argp, int argc, char **argv);

#endif
