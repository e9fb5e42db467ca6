/* missing.h - one message for all that a command line lacks to count a kernel */
#ifndef GCAL_MPI_COMMANDS_COUNT_MISSING_H
#define GCAL_MPI_COMMANDS_COUNT_MISSING_H

struct gcal_count_options;
struct gcal_count_request;
struct gcal_error;

/* 0 if the kernel, --local and --global are given or follow from the source; else -1 with
 * 'err': everything that is missing, sizes included if the command requires them, and a
 * command that would do.
 */
int gcal_count_missing_check(const struct gcal_count_options *options,
                             const struct gcal_count_request *request,
                             struct gcal_error *err);

#endif
