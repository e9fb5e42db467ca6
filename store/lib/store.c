/* store.c - stores of the library */
#include "store/lib/private.h"

#include <stdlib.h>

#include "kernels/base/error.h"
#include "store/files/store.h"
#include "store/observed/observed.h"

API struct gpucal_store *gpucal_store_open(const char *path, struct gpucal_error *err)
{
    const char *trusted = getenv("GPUCAL_TRUSTED_KEYS");
    struct gpucal_store *s = calloc(1, sizeof(*s));
    struct gcal_error e = { 0 };

    if (s)
        atomic_init(&s->references, 1), atomic_init(&s->observer, NULL);
    if (!path)
        path = getenv("GPUCAL_STORE");
    if (!s)
        gcal_error_memory(&e);
    else if (!path || !*path)
        gcal_error_set(&e, GCAL_EINPUT, "no store given: set GPUCAL_STORE to its folder");
    else if ((s->store = gcal_store_open(path, &e)) &&
             (!trusted || !*trusted || gcal_store_trust(s->store, trusted, &e) == 0))
        return s;
    gpucal_store_close(s);
    gcal_error_because(&e, GCAL_REASON_STORE);
    gpucal_error_from(err, &e);
    return NULL;
}

API void gpucal_store_close(struct gpucal_store *store)
{
    if (!store)
        return;
    if (atomic_fetch_sub(&store->references, 1) > 1)
        return;
    gcal_observer_destroy(atomic_load(&store->observer));
    gcal_store_close(store->store);
    free(store);
}

API int gpucal_store_trust(struct gpucal_store *store, const char *path,
                           struct gpucal_error *err)
{
    struct gcal_error e;

    if (!GIVEN(err, store, path))
        return -1;
    return gcal_store_trust(store->store, path, &e) < 0 ? gpucal_error_from(err, &e) : 0;
}
