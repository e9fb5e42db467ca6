/* manual.c - the manual page of a command */
#include "mpi/cli/manual.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether "man -w PAGE", quietly, finds the page. */
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

void gcal_manual_show(const char *command)
{
    char page[64];

    snprintf(page, sizeof(page), "gpucal-%s", command);
    if (isatty(1) && is_installed(page))
        execlp("man", "man", page, (char *)NULL);
}
