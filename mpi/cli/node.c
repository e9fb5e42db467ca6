/* node.c - the name of this node */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
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
