/* store.c - the store of a command: its path and its keys */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "calib/config/config.h"
#include "mpi/cli/command.h"
#include "store/files/store.h"
#include "store/publish/publish.h"

/* NULL if unset or empty. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

char *gcal_command_store_path(const char *option, const char *config,
                              struct gcal_error *err)
{
    struct gcal_config read = { 0 };
    char *path = NULL;

    if (!option || !*option)
        option = environment("GPUCAL_STORE");
    if (option) {
        if (!(path = strdup(option)))
            gcal_error_memory(err);
        return path;
    }
    if (gcal_config_read_settings(config, &read, err) < 0)
        return NULL;
    if (read.store && !(path = strdup(read.store)))
        gcal_error_memory(err);
    else if (!read.store)
        gcal_error_set(err, GCAL_EINPUT, "no store given (--store DIR or $GPUCAL_STORE)");
    gcal_config_clear(&read);
    return path;
}

struct gcal_store *gcal_command_store_open(const char *path, bool writable,
                                           struct gcal_error *err)
{
    struct gcal_store *store =
        writable ? gcal_store_open_writable(path, err) : gcal_store_open(path, err);
    const char *keys = environment("GPUCAL_TRUSTED_KEYS"),
               *key = writable ? environment("GPUCAL_SIGN_KEY") : NULL;

    if (store && ((keys && gcal_store_trust(store, keys, err) < 0) ||
                  (key && gcal_store_sign_with(store, key, err) < 0))) {
        gcal_store_close(store);
        return NULL;
    }
    return store;
}
