/* seal.c - signatures of a segment's lines
 *
 * A seal is a line of its own after those of a publication by someone with a key.  It signs the
 * segment's name and the hash of the line before, and through the chain all lines above; through
 * their hashes of files and of lines of tracks it signs these as well.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/sign.h"
#include "calib/base/strings.h"
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
                             : gcal_sign_check(store->trusted, buf.data, buf.size, err);
    gcal_buf_free(&buf);
    free(text);
    return rc;
}

/* ---- segments of before ---- */

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
