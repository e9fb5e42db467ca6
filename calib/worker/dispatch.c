/* dispatch.c - the internal sub-commands spawner and worker */
#include <stdlib.h>
#include <string.h>

#include "calib/worker/private.h"

int gcal_worker_dispatch(int argc, char **argv)
{
    if ((argc == 3 || argc == 4) && strcmp(argv[1], "spawner") == 0)
        return gcal_worker_spawner_main(atoi(argv[2]), argc == 4 ? argv[3] : NULL);
    if (argc == 3 && strcmp(argv[1], "worker") == 0)
        return gcal_worker_main(atoi(argv[2]));
    return -1;
}
