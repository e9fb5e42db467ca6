/* command.c - what commands have in common: their errors, their output, their store, their node */
#include "mpi/cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/config/config.h"
#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "mpi/cli/file_replace.h"
#include "mpi/cli/quiet.h"
#include "store/files/store.h"
#include "store/publish/publish.h"

int gcal_command_fail(const struct gcal_error *err)
{
    fprintf(stderr, "gpucal: %s\n", err->text);
    return err->code ? (int)err->code : GCAL_EINPUT;
}

int gcal_command_write(const char *path, const char *text, struct gcal_error *err)
{
    struct gcal_file_replace out = { 0 };
    FILE *file = stdout;
    int rc = 0;

    if (path && gcal_file_replace_start(&out, path, err) < 0)
        return -1;
    if (path)
        file = out.file;
    else
        gcal_quiet_keep_all();
    if (fputs(text, file) == EOF || fflush(file) == EOF)
        rc = gcal_error_set(err, GCAL_EINPUT, "%s: %m", path ? path : "standard output");
    if (path && rc == 0)
        rc = gcal_file_replace_finish(&out, err);
    gcal_file_replace_clear(&out);
    return rc;
}

char *gcal_node_name(struct gcal_arena *arena)
{
    const char *slurm = getenv("SLURMD_NODENAME");
    char host[256] = "";

    gethostname(host, sizeof(host) - 1);
    host[strcspn(host, ".")] = '\0';
    return gcal_arena_strdup(arena, slurm && *slurm ? slurm : *host ? host : "localhost");
}

/* NULL if unset or empty. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

const char *gcal_command_store_path(struct gcal_arena *arena, const char *option,
                                    const char *config, struct gcal_error *err)
{
    struct gcal_config read = { 0 };
    const char *path = option && *option ? option : environment("GPUCAL_STORE");

    if (path)
        return gcal_arena_strdup(arena, path);
    if (gcal_config_read_settings(config, &read, err) < 0)
        return NULL;
    if (read.store)
        path = gcal_arena_strdup(arena, read.store);
    else
        gcal_error_set(err, GCAL_EINPUT, "no store given (--store DIR or $GPUCAL_STORE)");
    gcal_config_clear(&read);
    return path;
}

GCAL_ARENA_DESTROYER(close_store, gcal_store_close)

struct gcal_store *gcal_command_store_open(struct gcal_arena *arena, const char *path,
                                           bool writable, struct gcal_error *err)
{
    struct gcal_store *store = gcal_arena_own(
        arena,
        writable ? gcal_store_open_writable(path, err) : gcal_store_open(path, err),
        close_store);
    const char *keys = environment("GPUCAL_TRUSTED_KEYS"),
               *key = writable ? environment("GPUCAL_SIGN_KEY") : NULL;

    return store && (!keys || gcal_store_trust(store, keys, err) == 0) &&
                   (!key || gcal_store_sign_with(store, key, err) == 0)
               ? store
               : NULL;
}
