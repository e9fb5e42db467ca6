#include <stdlib.h>

#include "calib/base/error.h"
#include "mpi/cli/command.h"
#include "store/files/store.h"
#include "store/publish/publish.h"

static const char *setting(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

struct gcal_store *gcal_command_store_open(const char *path, bool writable,
                                           struct gcal_error *err)
{
    struct gcal_store *store =
        writable ? gcal_store_open_writable(path, err) : gcal_store_open(path, err);
    const char *keys = setting("GPUCAL_TRUSTED_KEYS"),
               *key = writable ? setting("GPUCAL_SIGN_KEY") : NULL;

    if (store && ((keys && gcal_store_trust(store, keys, err) < 0) ||
                  (key && gcal_store_sign_with(store, key, err) < 0))) {
        gcal_store_close(store);
        return NULL;
    }
    return store;
}
