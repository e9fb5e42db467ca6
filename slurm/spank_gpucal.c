/* spank_gpucal.c - gives each task of a job its node's calibration
 *
 * plugstack.conf:   optional /usr/local/lib/gpucal/spank_gpucal.so store=DIR [speeds=FILE]
 *
 *   GPUCAL_STORE          the store, unless the job has chosen one
 *   GPUCAL_NODE           the node's name in it
 *   GPUCAL_PARAMS         the node's parameter file, if there is one
 *   GPUCAL_SPEEDS         FILE: the table of all nodes that 'gpucal export --to slurm' wrote
 *   GPUCAL_SPEED          the node's speed in it, 1 for the fastest node
 *   GPUCAL_DEVICE_SPEEDS  UID=SPEED,.. of its devices
 *
 * A job that does not want them says --gpucal=no.  Nothing here makes a job fail.
 *
 * srun gives tasks the environment that it was called in.  In a batch script that is a task's of
 * its node already, so that what is said of a node is unset before anything is known of the
 * task's own.
 */
#include <stdint.h> /* spank.h forgets it */

#include <slurm/spank.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

SPANK_PLUGIN(gpucal, 1)

/* Of plugstack.conf; "" where it does not say. */
static char store[PATH_MAX], speeds[PATH_MAX];
static bool wanted = true;

static int take_choice(int value, const char *choice, int remote)
{
    (void)value, (void)remote;
    if (choice && strcmp(choice, "no") == 0)
        wanted = false;
    else if (choice && strcmp(choice, "yes") == 0)
        wanted = true;
    else {
        slurm_error("--gpucal: expected yes or no");
        return -1;
    }
    return 0;
}

static struct spank_option choice = {
    .name = "gpucal",
    .arginfo = "yes|no",
    .usage = "give tasks their node's calibration (default: yes)",
    .has_arg = 1,
    .cb = take_choice,
};

static void take_path(const char *value, char path[PATH_MAX])
{
    if (strlen(value) < PATH_MAX)
        strcpy(path, value);
    else
        slurm_error("gpucal: a path in plugstack.conf is too long");
}

int slurm_spank_init(spank_t spank, int argc, char *argv[])
{
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "store=", 6) == 0)
            take_path(argv[i] + 6, store);
        else if (strncmp(argv[i], "speeds=", 7) == 0)
            take_path(argv[i] + 7, speeds);
        else
            slurm_error("gpucal: plugstack.conf: unknown argument '%s'", argv[i]);
    spank_option_register(spank, &choice);
    return 0;
}

/* The line goes "NODE features weight speed devices ...", between tabs. */
static void set_speeds(spank_t spank, char *line)
{
    char *fields[5];

    for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
        if (!(fields[i] = strsep(&line, "\t\n")))
            return;
    if (strcmp(fields[3], "-") != 0)
        spank_setenv(spank, "GPUCAL_SPEED", fields[3], 1);
    spank_setenv(spank, "GPUCAL_DEVICE_SPEEDS", fields[4], 1);
}

static void find_speeds(spank_t spank, const char *node)
{
    FILE *file = fopen(speeds, "re");
    size_t length = strlen(node), capacity = 0;
    char *line = NULL;

    while (file && getline(&line, &capacity, file) > 0)
        if (strncmp(line, node, length) == 0 && line[length] == '\t') {
            set_speeds(spank, line);
            break;
        }
    free(line);
    if (file)
        fclose(file);
}

static void set_params(spank_t spank, const char *node)
{
    char folder[PATH_MAX], path[PATH_MAX + 280];

    if (*store)
        spank_setenv(spank, "GPUCAL_STORE", store, 0);
    if (spank_getenv(spank, "GPUCAL_STORE", folder, sizeof(folder)) != ESPANK_SUCCESS)
        return;
    snprintf(path, sizeof(path), "%s/nodes/%s.yaml", folder, node);
    if (access(path, R_OK) == 0)
        spank_setenv(spank, "GPUCAL_PARAMS", path, 1);
}

static void unset_all(spank_t spank)
{
    static const char *const names[] = { "GPUCAL_NODE", "GPUCAL_PARAMS", "GPUCAL_SPEED",
                                         "GPUCAL_DEVICE_SPEEDS" };

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        spank_unsetenv(spank, names[i]);
}

/* In the task, which is the user's already. */
int slurm_spank_task_init(spank_t spank, int argc, char *argv[])
{
    char node[256];

    (void)argc, (void)argv;
    unset_all(spank);
    if (!wanted ||
        spank_getenv(spank, "SLURMD_NODENAME", node, sizeof(node)) != ESPANK_SUCCESS)
        return 0;
    spank_setenv(spank, "GPUCAL_NODE", node, 1);
    set_params(spank, node);
    if (*speeds) {
        spank_setenv(spank, "GPUCAL_SPEEDS", speeds, 1);
        find_speeds(spank, node);
    }
    return 0;
}
