/* terms.h - the words of CUDA and HIP in what a command prints for people
 *
 * All messages, tables and notes are written in OpenCL's terms.  Of a kernel in CUDA or HIP they
 * are translated on their way out: work-group to block, work-item to thread, sub-group to warp,
 * local memory to shared memory.  Names of features and options, and what another program reads
 * (mpi/cli/quiet.h), stay as they are.
 */
#ifndef GCAL_MPI_CLI_TERMS_H
#define GCAL_MPI_CLI_TERMS_H

/* From now on, standard output and error are translated; sub-groups are called 'warp'. */
void gcal_terms_start(const char *warp);

/* Takes 'text', of a file for people, and returns it in these terms if they have been started. */
char *gcal_terms_take(char *text);

#endif
