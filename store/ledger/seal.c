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
static char *sealed_text(const char *segment, const char *head)
{
    return gcal_buf_format("gpucal_ledger_seal %s %s\n", segment, head);
}

char *gcal_ledger_make_seal(const struct gcal_store *store, const char *segment,
                            const char *head, struct gcal_error *err)
{
    char *text = sealed_text(segment, head), *line = NULL;

    if (!text)
        gcal_error_memory(err);
    else if ((line = gcal_sign(store->key, text, strlen(text), err)))
        line[strcspn(line, "\n")] = '\0';
    free(text);
    return line;
}

int gcal_ledger_check_seal(const struct gcal_store *store, const char *segment,
                           const char *head, const char *seal, struct gcal_error *err)
{
    char *text = sealed_text(segment, head);
    struct gcal_buf buf = { 0 };
    int rc;

    gcal_buf_printf(&buf, "%s%s\n", text ? text : "", seal);
    rc = !text || buf.failed ? gcal_error_memory(err)
                             : gcal_store_check_own(store, buf.data, buf.size, err);
    gcal_buf_free(&buf);
    free(text);
    return rc;
}
