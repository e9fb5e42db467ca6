/* command.h - gpucal's commands: each takes its own arguments (argv[0] is "gpucal NAME")
 * and returns the exit status
 */
#ifndef GCAL_MPI_CLI_COMMAND_H
#define GCAL_MPI_CLI_COMMAND_H

#include <stdbool.h>

struct gcal_error;
struct gcal_store;

int gcal_command_calibrate(int argc, char **argv);
int gcal_command_devices(int argc, char **argv);
int gcal_command_kernels(int argc, char **argv);
int gcal_command_count(int argc, char **argv);
int gcal_command_remove(int argc, char **argv);
int gcal_command_fit(int argc, char **argv);
int gcal_command_predict(int argc, char **argv);
int gcal_command_evaluate(int argc, char **argv);
int gcal_command_rank(int argc, char **argv);
int gcal_command_show(int argc, char **argv);
int gcal_command_export(int argc, char **argv);
int gcal_command_audit(int argc, char **argv);
int gcal_command_store(int argc, char **argv); /* "gpucal store" */
int gcal_command_diff(int argc, char **argv);

/* Prints the error as a line to stderr; returns its code, the exit status. */
int gcal_command_fail(const struct gcal_error *err);

/* Writes 'text' to the file 'path'; to standard output when that is NULL. */
int gcal_command_write(const char *path, const char *text, struct gcal_error *err);

/* --store, else $GPUCAL_STORE, else the configuration's ('config' may be NULL: the
 * built-in one); NULL with 'err' when none says.  The caller's to free.
 */
char *gcal_command_store_path(const char *option, const char *config,
                              struct gcal_error *err);
/* The store there, with the keys that $GPUCAL_TRUSTED_KEYS and, where it is written,
 * $GPUCAL_SIGN_KEY name.
 */
struct gcal_store *gcal_command_store_open(const char *path, bool writable,
                                           struct gcal_error *err);

/* The node's name: SLURMD_NODENAME, else the host's; the caller's to free. */
char *gcal_node_name(struct gcal_error *err);

#endif
