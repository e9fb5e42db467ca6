/* fetch.c - the file of a node, checked: its hash, its signature, and the ledger
 *
 * What a publisher reads ends in a fit that it signs, so medians follow the rules of parameter
 * files that it adds to.  A signature does not say that a file is the newest: the ledger does.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "store/files/internal.h"
#include "store/medians/private.h"

/* A node that is published meanwhile is read again. */
#define MAX_TRIES 20

void gcal_medians_ledger_init(struct gcal_medians_ledger *ledger,
                              const struct gcal_store *store)
{
    *ledger = (struct gcal_medians_ledger){ .store = store, .lines = { .store = store } };
    pthread_mutex_init(&ledger->lock, NULL);
}

void gcal_medians_ledger_clear(struct gcal_medians_ledger *ledger)
{
    gcal_ledger_lines_clear(&ledger->lines);
    pthread_mutex_destroy(&ledger->lock);
}

/* Compares the text with the hash in its first line. */
static int check_text(const struct gcal_store *store, const char *shown, const char *text,
                      size_t size, struct gcal_error *err)
{
    size_t length = strlen(GCAL_MEDIANS_HEADER " ");
    size_t first = length + GCAL_HASH_TEXT_SIZE;
    char hash[GCAL_HASH_TEXT_SIZE];

    if (size < first || strncmp(text, GCAL_MEDIANS_HEADER " ", length) != 0 ||
        text[first - 1] != '\n')
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: %s: its first line is not that of this version",
                              store->path, shown);
    gcal_hash(text + first, size - first, hash);
    return strncmp(hash, text + length, GCAL_HASH_TEXT_SIZE - 1) == 0
               ? 0
               : gcal_error_set(err, GCAL_EINPUT, "store %s: %s is damaged", store->path,
                                shown);
}

static int explain(const struct gcal_store *store, enum gcal_ledger_state state,
                   const char *shown, const char *run_id, struct gcal_error *err)
{
    switch (state) {
    case GCAL_LEDGER_RESTORED:
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: %s is of run %s, but was replaced by a newer "
                              "file since: somebody restored the old one",
                              store->path, shown, run_id);
    case GCAL_LEDGER_REMOVED:
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: %s is of run %s, but was removed since: "
                              "somebody restored it",
                              store->path, shown, run_id);
    case GCAL_LEDGER_DIFFERS:
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: %s differs from the published file", store->path,
                              shown);
    case GCAL_LEDGER_MISSING:
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: %s is missing, which the ledger says was "
                              "published: the next calibration of the node writes it",
                              store->path, shown);
    default:
        return gcal_error_set(err, GCAL_EINPUT, "store %s: %s is not in the ledger",
                              store->path, shown);
    }
}

/* 'scope': "medians/NODE". */
static int compare(struct gcal_arena *arena, struct gcal_medians_ledger *ledger,
                   const char *scope, const char *shown, const char *sha256,
                   enum gcal_ledger_state *state, struct gcal_error *err)
{
    const struct gcal_store *store = ledger->store;
    struct gcal_ledger_scope found = gcal_ledger_lines_find(arena, &ledger->lines, scope);
    enum gcal_ledger_state by_any;
    const char *run_id = "", *last;

    by_any = gcal_ledger_compare(&found, shown, sha256, &run_id, &last);
    if (store->public_key || store->trusted) {
        size_t n = 0;

        /* Leaves lines that a key has signed.  Whoever has no key can add others at the end. */
        for (size_t i = 0; i < found.n; i++)
            if (gcal_ledger_is_sealed(&ledger->lines, found.line[i]))
                found.line[n++] = found.line[i];
        found.n = n;
    }
    *state = gcal_ledger_compare(&found, shown, sha256, &run_id, &last);
    if (*state != GCAL_LEDGER_CURRENT && *state != GCAL_LEDGER_INTERRUPTED &&
        *state != GCAL_LEDGER_RACED && *state != GCAL_LEDGER_NOT_YET &&
        !(*state == GCAL_LEDGER_UNKNOWN && !*sha256))
        return by_any != *state && by_any == GCAL_LEDGER_CURRENT &&
                       *state != GCAL_LEDGER_RESTORED && *state != GCAL_LEDGER_REMOVED
                   ? gcal_error_set(
                         err, GCAL_EINPUT,
                         "store %s: what the ledger says of %s is not signed: if "
                         "it is right, 'gpucal store sign' signs it",
                         store->path, shown)
                   : explain(store, *state, shown, run_id, err);
    return 0;
}

static int check_ledger(struct gcal_arena *arena, struct gcal_medians_ledger *ledger,
                        bool refresh, const char *scope, const char *shown,
                        const char *sha256, enum gcal_ledger_state *state,
                        struct gcal_error *err)
{
    int rc = 0;

    pthread_mutex_lock(&ledger->lock);
    if (refresh || !ledger->lines.n_readers) {
        rc = gcal_ledger_lines_refresh(&ledger->lines, err);
        gcal_ledger_lines_sort(&ledger->lines);
    }
    if (rc == 0)
        rc = compare(arena, ledger, scope, shown, sha256, state, err);
    pthread_mutex_unlock(&ledger->lock);
    return rc;
}

/* 1, 0, -1; 'again': the caller tries again if the ledger does not have the file, which may have
 * been published since it was read.
 */
static int fetch_once(struct gcal_arena *arena, struct gcal_medians_ledger *ledger,
                      int folder, bool refresh, const char *scope, const char *shown,
                      char **text, size_t *size, enum gcal_ledger_state *state,
                      bool *again, struct gcal_error *err)
{
    const struct gcal_store *store = ledger->store;
    char sha256[GCAL_HASH_TEXT_SIZE] = "";
    int rc = folder < 0 ? 0
                        : gcal_store_fetch(store, folder, strchr(shown, '/') + 1, shown,
                                           GCAL_STORE_MAX_BYTES, text, size, err);

    gcal_arena_own(arena, *text, free);
    *again = false;
    if (rc > 0) {
        gcal_hash(*text, *size, sha256);
        if (gcal_store_check_reuse(store, shown, *text, *size, err) < 0 ||
            check_text(store, shown, *text, *size = gcal_sign_find(*text, *size), err) <
                0)
            rc = -1;
        else
            (*text)[*size] = '\0';
    }
    if (rc >= 0 &&
        check_ledger(arena, ledger, refresh, scope, shown, sha256, state, err) < 0) {
        *again = true;
        rc = -1;
    }
    if (rc < 0)
        *text = NULL;
    return rc;
}

int gcal_medians_fetch(struct gcal_arena *arena, struct gcal_medians_ledger *ledger,
                       int folder, const char *node, char **text, size_t *size,
                       enum gcal_ledger_state *state, struct gcal_error *err)
{
    const char *scope = gcal_arena_format(arena, "medians/%s", node);
    const char *shown = gcal_arena_format(arena, "medians/%s.tsv", node);
    bool again = true;
    int rc = -1;

    *text = NULL;
    for (int tries = 0; again && tries < MAX_TRIES; tries++) {
        size_t n = ledger->lines.n;

        rc = fetch_once(arena, ledger, folder, tries > 0, scope, shown, text, size, state,
                        &again, err);
        if (tries > 0 && ledger->lines.n == n)
            break; /* nobody publishes */
    }
    return rc;
}

int gcal_medians_open_folder(const struct gcal_store *store, const char *name,
                             struct gcal_error *err)
{
    int fd, rc = gcal_store_folder(store, store->dirfd, name, name, &fd, err);

    return rc > 0 ? fd : rc == 0 ? -1 : -2;
}
