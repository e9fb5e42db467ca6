/* put.c - replacing a file, with its line in the ledger */
#include <stdlib.h>

#include "kernels/base/error.h"
#include "store/files/internal.h"
#include "store/ledger/ledger.h"

int gcal_ledger_put(struct gcal_store *store, int folder, const char *file,
                    const struct gcal_ledger_entry *entry, const char *text, size_t size,
                    struct gcal_error *err)
{
    char sha256[GCAL_HASH_TEXT_SIZE], *temp = gcal_store_temp(file);
    struct gcal_ledger_entry line = *entry;
    int rc = -1;

    if (!temp)
        return gcal_error_memory(err);
    gcal_hash(text, size, sha256);
    line.sha256 = sha256;
    if (gcal_store_prepare(store, folder, temp, entry->file, text, size, err) == 0) {
        if (gcal_ledger_append(store, &line, 1, err) == 0)
            rc = gcal_store_replace(store, folder, temp, file, entry->file, err);
        else
            gcal_store_remove(folder, temp);
    }
    free(temp);
    return rc;
}

void gcal_ledger_end(struct gcal_store *store, const char *run_id, const char *file,
                     const char *sha256)
{
    const struct gcal_ledger_entry entry = { .action = "end",
                                             .run_id = run_id,
                                             .file = file,
                                             .sha256 = sha256,
                                             .replaces = sha256 };

    gcal_ledger_append(store, &entry, 1, NULL);
}
