/* main.c - the gpucal program: finds the command and runs it */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/worker/worker.h"
#include "mpi/cli/command.h"

const char *argp_program_version = "gpucal " GPUCAL_VERSION;

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *what;
} commands[] = {
    { "calibrate", gcal_command_calibrate, "measure, fit, publish (the default)" },
    { "devices", gcal_command_devices, "list the OpenCL devices of this machine" },
    { "kernels", gcal_command_kernels,
      "list measurement kernels and their counts, or time them" },
    { "count", gcal_command_count, "count the features of any OpenCL C kernel" },
    { "remove", gcal_command_remove, "make a kernel that does only part of its work" },
    { "fit", gcal_command_fit, "fit again from a record, without a device" },
    { "predict", gcal_command_predict, "predict a kernel's time on a calibrated device" },
    { "rank", gcal_command_rank, "order variants of a kernel by predicted time" },
    { "evaluate", gcal_command_evaluate,
      "compare predictions with measurements, by errors and ranking" },
    { "show", gcal_command_show, "print what is published" },
    { "diff", gcal_command_diff, "compare two parameter files, or two records" },
    { "export", gcal_command_export, "tell a scheduler how fast nodes are" },
    { "store", gcal_command_store, "verify, prune and sign what is published" },
    { "audit", gcal_command_audit, "compare a node's calibrations over time" },
};

static const size_t n_commands = sizeof(commands) / sizeof(*commands);

static int help(void)
{
    printf(
        "Usage: gpucal [COMMAND] [OPTION...]\n\n"
        "Calibrates performance models of OpenCL devices and predicts kernel times.\n\n");
    for (size_t i = 0; i < n_commands; i++)
        printf("  %-10s %s\n", commands[i].name, commands[i].what);
    printf("\n'gpucal COMMAND --help' tells a command's options; 'man gpucal' the rest.\n"
           "Exit status: 0 good, 1 usage or internal, 2 drift warning, 3 drift failure,\n"
           "4 fit rejected, 5 a device could not be measured, 6 store not writable.\n");
    return 0;
}

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < n_commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* argp takes argv[0] for the program's name in messages. */
static int run_named(const struct command *command, int argc, char **argv)
{
    static char name[64];

    snprintf(name, sizeof(name), "gpucal %s", command->name);
    argv[1] = name;
    return command->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    const struct command *command;
    int status = gcal_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    argp_err_exit_status = GCAL_EINPUT;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0))
        return help();
    if (argc > 1 && (command = find(argv[1])))
        return run_named(command, argc, argv);
    return gcal_command_calibrate(argc, argv);
}
