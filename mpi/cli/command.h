/* command.h - gpucal's commands, and what they have in common */
#ifndef GCAL_MPI_CLI_COMMAND_H
#define GCAL_MPI_CLI_COMMAND_H

#include <stdbool.h>

struct gcal_arena;
struct gcal_error;
struct gcal_store;

/* Every command, in the order of 'gpucal --help': its name, and one line about it. */
#define GCAL_COMMANDS(X)                                                                 \
    X(calibrate, "measure, fit and publish (the default)")                               \
    X(config, "print the built-in configuration")                                        \
    X(devices, "list the OpenCL devices of this machine")                                \
    X(kernels, "list, count or benchmark measurement kernels")                           \
    X(count, "count the features of an OpenCL C kernel")                                 \
    X(learn, "measure a kernel of your own and publish its model")                       \
    X(observe, "tell the store what launches of known kernels took")                     \
    X(fit, "repeat the fits of a record, without a device")                              \
    X(predict, "predict the run time of a kernel")                                       \
    X(explain, "show where the predicted time of a kernel goes")                         \
    X(tune, "choose among the configurations of a kernel")                               \
    X(evaluate, "compare predictions with measurements")                                 \
    X(show, "print what is published")                                                   \
    X(diff, "compare two parameter files or two records")                                \
    X(export, "write node speeds for schedulers")                                        \
    X(share, "divide a job's work over the devices of its nodes")                        \
    X(store, "verify, prune or sign a store")                                            \
    X(audit, "find devices that have changed")                                           \
    X(health, "say in one line whether a node is well")

/* gcal_command_NAME() takes the command's arguments (argv[0] is "gpucal NAME") and
 * returns the exit status.
 */
#define GCAL_COMMAND_PROTOTYPE(name, summary)                                            \
    int gcal_command_##name(int argc, char **argv);
GCAL_COMMANDS(GCAL_COMMAND_PROTOTYPE)
#undef GCAL_COMMAND_PROTOTYPE

/* Prints the error to stderr, with the line of the source if it begins with a place; returns its code, the
 * exit status.
 */
int gcal_command_fail(const struct gcal_error *err);

/* Writes 'text' to the file 'path', replaced as a whole (file_replace.h); to standard
 * output if that is NULL.
 */
int gcal_command_write(const char *path, const char *text, struct gcal_error *err);

/* Path of the store: 'option' (--store), else $GPUCAL_STORE, else that of the
 * configuration ('config' NULL: the built-in one).  NULL with 'err' if there is none.
 */
const char *gcal_command_store_path(struct gcal_arena *arena, const char *option,
                                    const char *config, struct gcal_error *err);
/* Opens the store, which is closed with the arena, with the keys in $GPUCAL_TRUSTED_KEYS and, if writable,
 * $GPUCAL_SIGN_KEY.
 */
struct gcal_store *gcal_command_store_open(struct gcal_arena *arena, const char *path,
                                           bool writable, struct gcal_error *err);

/* Name of this node: $SLURMD_NODENAME, else the host's. */
char *gcal_node_name(struct gcal_arena *arena);

#endif
