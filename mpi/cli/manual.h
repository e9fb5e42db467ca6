/* manual.h - the manual page of a command */
#ifndef GCAL_MPI_CLI_MANUAL_H
#define GCAL_MPI_CLI_MANUAL_H

/* Becomes man(1) with the page gpucal-COMMAND if standard output is a terminal and the
 * page is installed; returns otherwise.
 */
void gcal_manual_show(const char *command);

#endif
