/* sign.c - signing all files of a store */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "store/ledger/ledger.h"
#include "store/files/internal.h"
#include "store/publish/publish.h"

/* 1 when the file got another signature. */
static int sign_file(struct gcal_store *store, int folder, const char *shown,
                     struct gcal_error *err)
{
    const char *file = strrchr(shown, '/') + 1;
    char replaces[GCAL_HASH_TEXT_SIZE], *text, *line = NULL;
    const struct gcal_ledger_entry entry = { .action = "sign",
                                             .file = shown,
                                             .replaces = replaces };
    struct gcal_buf fresh = { 0 };
    size_t size, bare;
    int rc = gcal_store_fetch(store, folder, file, shown, GCAL_STORE_MAX_BYTES, &text,
                              &size, err);

    if (rc > 0) {
        bare = gcal_sign_find(text, size);
        if (!(line = gcal_sign(store->key, text, bare, err)))
            rc = -1;
        else if (size == bare + strlen(line) &&
                 memcmp(text + bare, line, size - bare) == 0)
            rc = 0;
    }
    if (rc > 0) {
        gcal_buf_put(&fresh, text, bare);
        gcal_buf_puts(&fresh, line);
        gcal_hash(text, size, replaces);
        if (fresh.failed)
            rc = gcal_error_memory(err);
        else if (gcal_ledger_put(store, folder, file, &entry, fresh.data, fresh.size,
                                 err) < 0)
            rc = -1;
    }
    gcal_buf_free(&fresh);
    free(line);
    free(text);
    return rc;
}

static int sign_history(struct gcal_arena *arena, struct gcal_store *store,
                        const char *scope, size_t *n_signed, struct gcal_error *err)
{
    const char *shown = gcal_arena_own(arena, gcal_store_history_path(scope), free);
    char **names = NULL;
    size_t n = 0;
    int folder, again, rc = gcal_store_history_folder(store, scope, &folder, err);

    if (rc <= 0)
        return rc;
    if ((again = dup(folder)) < 0)
        rc = gcal_store_fail(store, shown, err);
    else
        rc = gcal_store_list(again, ".yaml", &names, &n, err);
    for (size_t i = 0; i < n && rc >= 0; i++) {
        rc = sign_file(store, folder,
                       gcal_arena_format(arena, "%s/%s.yaml", shown, names[i]), err);
        *n_signed += rc > 0;
    }
    gcal_strings_free(names, n);
    close(folder);
    return rc;
}

/* A file, or with the suffix "" the history, under the lock of its node or type. */
static int sign_named(struct gcal_store *store, int folder, const char *shown,
                      const char *name, const char *suffix, size_t *n_signed,
                      struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    const char *scope = gcal_arena_format(arena, "%s/%s", shown, name);
    int lock = gcal_store_lock_scope(store, scope, err), rc = lock;

    if (rc >= 0 && !*suffix) {
        rc = sign_history(arena, store, scope, n_signed, err);
    } else if (rc >= 0) {
        rc = sign_file(store, folder, gcal_arena_format(arena, "%s%s", scope, suffix),
                       err);
        *n_signed += rc > 0;
    }
    if (lock >= 0)
        close(lock);
    gcal_arena_destroy(arena);
    return rc < 0 ? -1 : 0;
}

/* 'listed': the folder that has the names, that of the scope unless it is a history. */
static int sign_all(struct gcal_store *store, const char *shown, const char *listed,
                    const char *suffix, size_t *n_signed, struct gcal_error *err)
{
    int folder, again,
        rc = gcal_store_folder(store, store->dirfd, listed, listed, &folder, err);
    char **names = NULL;
    size_t n = 0;

    if (rc <= 0)
        return rc;
    if ((again = dup(folder)) < 0)
        rc = gcal_store_fail(store, listed, err);
    else
        rc = gcal_store_list(again, suffix, &names, &n, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = sign_named(store, folder, shown, names[i], suffix, n_signed, err);
    gcal_strings_free(names, n);
    close(folder);
    return rc;
}

int gcal_store_sign(struct gcal_store *store, size_t *n_signed, struct gcal_error *err)
{
    *n_signed = 0;
    for (const struct gcal_store_kind *k = gcal_store_kinds; k->folder; k++)
        /* Histories also of nodes that left. */
        if (sign_all(store, k->folder, k->folder, ".yaml", n_signed, err) < 0 ||
            sign_all(store, k->folder, k->history, "", n_signed, err) < 0)
            return -1;
    if (sign_all(store, "medians", "medians", ".tsv", n_signed, err) < 0)
        return -1;
    return gcal_ledger_seal(store, err);
}
