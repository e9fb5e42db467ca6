/* seal.c - signatures of a segment's lines
 *
 * A seal is a line of its own after those of a publication by someone with a key.  It signs the
 * segment's name and the hash of the line before, and through the chain all lines above; through
 * their hashes of files and of lines of tracks it signs these as well.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "store/files/internal.h"
#include "store/ledger/private.h"

/* What is signed: a seal holds in its segment alone. */
#define SEALED_TEXT "gpucal_ledger_seal %s %s\n"

char *gcal_ledger_make_seal(struct gcal_arena *arena, const struct gcal_store *store,
                            const char *segment, const char *head, struct gcal_error *err)
{
    const char *text = gcal_arena_format(arena, SEALED_TEXT, segment, head);
    char *line =
        gcal_arena_own(arena, gcal_sign(store->key, text, strlen(text), err), free);

    if (line)
        line[strcspn(line, "\n")] = '\0';
    return line;
}

int gcal_ledger_check_seal(const struct gcal_store *store, const char *segment,
                           const char *head, const char *seal, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    int rc;

    gcal_buf_printf(&buf, SEALED_TEXT "%s\n", segment, head, seal);
    rc = buf.failed ? gcal_error_memory(err)
                    : gcal_store_check_own(store, buf.data, buf.size, err);
    gcal_buf_free(&buf);
    return rc;
}
