/* reseal.c - seals of segments that were written without a key, or with another one */
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/ledger/private.h"

/* Whether the segment ends with a seal by the store's key, or has no lines. */
static int is_sealed(const struct gcal_store *store, const char *segment,
                     struct gcal_error *err)
{
    const struct gcal_store own = { .trusted = store->public_key };
    struct gcal_ledger_reader reader;
    struct gcal_ledger_entry entry;
    struct gcal_error line;
    bool sealed = true;
    int got;

    if (gcal_ledger_open(store, segment, &reader, err) < 0)
        return -1;
    while ((got = gcal_ledger_next(&reader, &entry, &line)) != 0)
        sealed =
            got > 0 && strcmp(entry.action, GCAL_LEDGER_SEAL) == 0 &&
            gcal_ledger_check_seal(&own, segment, entry.previous, entry.seal, NULL) == 0;
    gcal_ledger_close(&reader);
    return sealed;
}

int gcal_ledger_seal(struct gcal_store *store, struct gcal_error *err)
{
    char **names;
    size_t n;
    int rc = gcal_ledger_segments(store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        int sealed = is_sealed(store, names[i], err);

        rc = sealed < 0 ? -1 : sealed ? 0 : gcal_ledger_append_seal(store, names[i], err);
    }
    gcal_strings_free(names, n);
    return rc;
}
