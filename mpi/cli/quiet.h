/* quiet.h - --quiet, which every command has: errors and the result
 *
 * The result is what a command says it is, and the last line of the output of others.  Output
 * that another program reads (JSON, profiles, kernels, formats of schedulers) stays whole.
 * Warnings, estimates and progress are left out.
 */
#ifndef GCAL_MPI_CLI_QUIET_H
#define GCAL_MPI_CLI_QUIET_H

#include <stdbool.h>

/* From now on, standard output is kept until gcal_quiet_end(). */
void gcal_quiet_start(void);
bool gcal_quiet_is_on(void);
/* What was printed and will be is for a program. */
void gcal_quiet_keep_all(void);
bool gcal_quiet_is_for_program(void);
/* What is printed from here on is the result, or no longer. */
void gcal_quiet_result(bool begins);
/* Prints the last line, or all, unless a result was printed.  Does nothing if --quiet was not given. */
void gcal_quiet_end(void);

#endif
