/* dispatch.c - the internal sub-commands spawner and worker */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calib/worker/private.h"

/* The socket that the process was started with; -1: another one started it. */
static int socket_of(const char *text)
{
    struct stat info;
    char *end;
    long fd = strtol(text, &end, 10);

    if (end == text || *end || fd < 0 || fd > INT_MAX || fstat((int)fd, &info) < 0 ||
        !S_ISSOCK(info.st_mode))
        return -1;
    return (int)fd;
}

int gcal_worker_dispatch(int argc, char **argv)
{
    bool spawns = argc >= 2 && strcmp(argv[1], "spawner") == 0;
    int fd;

    if (!(spawns && argc == 4) && argc != 3)
        return -1;
    if (!spawns && strcmp(argv[1], "worker") != 0)
        return -1;
    if ((fd = socket_of(argv[2])) < 0)
        return -1;
    return spawns ? gcal_worker_spawner_main(fd, argc == 4 ? argv[3] : NULL)
                  : gcal_worker_main(fd);
}
