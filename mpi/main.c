/* main.c - the gpucal program: finds the command and runs it */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "calib/worker/worker.h"
#include "mpi/cli/command.h"
#include "mpi/cli/quiet.h"

const char *argp_program_version = "gpucal " GPUCAL_VERSION;

#define NAME(name, summary) #name,
static const char *const names[] = { GCAL_COMMANDS(NAME) "help", NULL };

#define ROW(name, summary) { gcal_command_##name, summary },
static const struct {
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = { GCAL_COMMANDS(ROW) }; /* in the order of 'names' */

/* Older words: each is the command with the option before those that are given. */
static struct {
    const char *word, *command;
    char option[16];
} aliases[] = { { "rank", "tune", "" }, { "remove", "count", "--remove" } };

enum {
    N_COMMANDS = sizeof(commands) / sizeof(*commands),
    N_ALIASES = sizeof(aliases) / sizeof(*aliases)
};

static int help(void)
{
    printf(
        "Usage: gpucal [COMMAND] [OPTION...]\n\n"
        "Calibrates performance models of OpenCL devices and predicts kernel times.\n\n"
        "  gpucal calibrate --store DIR      calibrates the devices of this machine\n"
        "  srun --ntasks-per-node=1 gpucal --config models.yaml\n"
        "                                    those of all nodes of a Slurm job\n\n");
    for (int i = 0; i < N_COMMANDS; i++)
        printf("  %-10s %s\n", names[i], commands[i].summary);
    printf("\n'gpucal COMMAND --help' lists the options of a command; the manual is "
           "gpucal(1).\n"
           "Exit status: 0 success, 1 usage, input or internal error, 2 drift warning,\n"
           "3 drift failure, 4 a fit was rejected, 5 a device could not be measured,\n"
           "6 the store or the record cannot be written.\n");
    return 0;
}

/* For who wants to see what this is: calibrating takes minutes. */
static int introduce(void)
{
    char *arguments[] = { (char *)"gpucal devices", NULL };

    help();
    printf("\nDevices of this machine:\n");
    fflush(stdout);
    return gcal_command_devices(1, arguments);
}

/* Returns whether srun or mpirun started this process. */
static bool is_launched(void)
{
    return getenv("PMIX_RANK") || getenv("OMPI_COMM_WORLD_RANK") ||
           getenv("SLURM_STEP_ID");
}

/* -1: no such command. */
static int find(const char *name)
{
    for (int i = 0; i < N_ALIASES; i++)
        if (strcmp(aliases[i].word, name) == 0)
            name = aliases[i].command;
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

static int unknown_command(const char *name)
{
    fprintf(stderr, "gpucal: unknown command '%s'%s; 'gpucal help' lists them\n", name,
            gcal_similar_hint(name, names).text);
    return GCAL_EINPUT;
}

/* Of a command that printed all, as it thinks. */
static int check_output(int status)
{
    gcal_quiet_end();
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "gpucal: standard output: %s\n",
            errno == EBADF ? "it is closed" : strerror(errno));
    return status ? status : GCAL_EINPUT;
}

/* argp takes argv[0] for the program's name in messages. */
static int run(int command, int argc, char **argv)
{
    static char name[64];

    snprintf(name, sizeof(name), "gpucal %s", names[command]);
    argv[0] = name;
    return commands[command].run(argc, argv);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Returns whether "man -w PAGE", quietly, finds the page. */
static bool is_installed(char *page)
{
    char *arguments[] = { (char *)"man", (char *)"-w", page, NULL };
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t man;

    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&man, "man", &actions, NULL, arguments, environ) == 0)
        waitpid(man, &status, 0);
    posix_spawn_file_actions_destroy(&actions);
    return status == 0;
}

/* "gpucal help" and "gpucal help help" list the commands, "gpucal help COMMAND [--json]" is its
 * manual page, else "gpucal COMMAND --help [--json]".
 */
static int run_help(int argc, char **argv)
{
    static char help_option[] = "--help";
    char *arguments[] = { NULL, help_option, argc > 2 ? argv[2] : NULL, NULL };
    int command;

    if (argc == 1 || strcmp(argv[1], "help") == 0 || asks_for_help(argv[1]))
        return help();
    if ((command = find(argv[1])) < 0)
        return unknown_command(argv[1]);
    if (argc == 2) {
        /* Becomes man(1) with the page of the command if standard output is a terminal and the page is
             * installed; returns otherwise.
             */
        char page[64];

        snprintf(page, sizeof(page), "gpucal-%s", names[command]);
        if (isatty(1) && is_installed(page))
            execlp("man", "man", page, (char *)NULL);
    }
    return run(command, argc > 2 ? 3 : 2, arguments);
}

/* The option of an older word takes its place, one after argv[-1]. */
static int run_named(int argc, char **argv)
{
    int command = find(argv[0]);

    if (strcmp(argv[0], "help") == 0)
        return run_help(argc, argv);
    if (command < 0)
        return unknown_command(argv[0]);
    for (int i = 0; i < N_ALIASES; i++)
        if (strcmp(aliases[i].word, argv[0]) == 0 && *aliases[i].option) {
            argv[0] = aliases[i].option;
            return run(command, argc + 1, argv - 1);
        }
    return run(command, argc, argv);
}

/* A file that is opened later must not become the standard output or the log.  What is printed
 * to a closed output is lost, and an error: nothing can be written to its descriptor.
 */
static void open_standard_files(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_RDWR) != fd)
            return;
}

/* ---- no failure without a word ---- */

static volatile sig_atomic_t has_spoken;

static ssize_t write_through(void *fd, const char *text, size_t n)
{
    size_t written = 0;
    ssize_t now = 0;

    has_spoken = 1;
    while (written < n &&
           ((now = write(*(const int *)fd, text + written, n - written)) >= 0 ||
            errno == EINTR))
        written += now < 0 ? 0 : (size_t)now;
    return now < 0 ? 0 : (ssize_t)written;
}

/* Libraries may end the process, too: MPI's and OpenCL's do. */
static void say_that_it_failed(int status, void *unused)
{
    (void)unused;
    fflush(stdout);
    if (status && !has_spoken)
        fprintf(stderr,
                "gpucal: it ends with status %d, and nothing has said why: a library may "
                "have "
                "ended it; please report this with the command\n",
                status);
}

/* Sees whether anything is written to the standard streams. */
static void watch_output(void)
{
    static const int descriptors[] = { STDOUT_FILENO, STDERR_FILENO };
    const cookie_io_functions_t functions = { .write = write_through };
    FILE *out = fopencookie((void *)&descriptors[0], "w", functions),
         *log = fopencookie((void *)&descriptors[1], "w", functions);

    if (!out || !log)
        return;
    if (isatty(STDOUT_FILENO))
        setvbuf(out, NULL, _IOLBF, BUFSIZ);
    setvbuf(log, NULL, _IONBF, 0);
    stdout = out;
    stderr = log;
    on_exit(say_that_it_failed, NULL);
}

int main(int argc, char **argv)
{
    int status;

    open_standard_files();
    status = gcal_worker_dispatch(argc, argv);

    if (status >= 0)
        return status;
    watch_output();
    argp_err_exit_status = GCAL_EINPUT;
    signal(SIGXFSZ, SIG_IGN); /* a file limit is an error of the write */
    if (argc > 1 && asks_for_help(argv[1]))
        return check_output(help());
    if (argc > 1 && argv[1][0] != '-')
        return check_output(run_named(argc - 1, argv + 1));
    if (argc == 1 && !is_launched())
        return check_output(introduce());
    return check_output(gcal_command_calibrate(argc, argv));
}
