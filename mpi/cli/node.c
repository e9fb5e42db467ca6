/* node.c - who and where: the node's name, the store's path */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/base/error.h"
#include "calib/config/config.h"
#include "mpi/cli/command.h"

char *gcal_node_name(struct gcal_error *err)
{
    const char *slurm = getenv("SLURMD_NODENAME");
    char host[256] = "";
    char *name;

    gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    name = strdup(slurm && *slurm ? slurm : *host ? host : "localhost");
    if (!name)
        gcal_error_memory(err);
    return name;
}

char *gcal_command_store_path(const char *option, const char *config,
                              struct gcal_error *err)
{
    struct gcal_config read = { 0 };
    char *path = NULL;

    if (!option || !*option)
        option = getenv("GPUCAL_STORE");
    if (option && *option) {
        if (!(path = strdup(option)))
            gcal_error_memory(err);
        return path;
    }
    if (gcal_config_read_settings(config, &read, err) < 0)
        return NULL;
    if (read.store)
        path = strdup(read.store);
    else
        gcal_error_set(err, GCAL_EINPUT,
                       "which store? give --store DIR or set $GPUCAL_STORE");
    gcal_config_clear(&read);
    return path;
}
