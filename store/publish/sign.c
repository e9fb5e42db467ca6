/* sign.c - signing all files of a store */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "store/ledger/ledger.h"
#include "store/files/internal.h"
#include "store/publish/publish.h"

/* 'text' with the store's signature instead of the one that it has. */
static char *sign_anew(const struct gcal_store *store, const char *text, size_t *size,
                       struct gcal_error *err)
{
    size_t bare = gcal_sign_find(text, *size);
    char *line = gcal_sign(store->key, text, bare, err);
    struct gcal_buf buf = { 0 };

    if (!line)
        return NULL;
    gcal_buf_put(&buf, text, bare);
    gcal_buf_puts(&buf, line);
    free(line);
    *size = buf.size;
    return gcal_buf_take(&buf, err);
}

/* 1 when the file got another signature. */
static int sign_file(struct gcal_store *store, int folder, const char *shown,
                     struct gcal_error *err)
{
    const char *file = strrchr(shown, '/') + 1;
    char replaces[GCAL_HASH_TEXT_SIZE], *text, *fresh = NULL;
    const struct gcal_ledger_entry entry = { .action = "sign",
                                             .file = shown,
                                             .replaces = replaces };
    size_t size, before;
    int rc = gcal_store_fetch(store, folder, file, shown, GCAL_STORE_MAX_BYTES, &text,
                              &size, err);

    before = size;
    if (rc > 0 && !(fresh = sign_anew(store, text, &size, err)))
        rc = -1;
    if (rc > 0 && size == before && memcmp(fresh, text, size) == 0) {
        rc = 0;
    } else if (rc > 0) {
        gcal_hash(text, before, replaces);
        rc = gcal_ledger_put(store, folder, file, &entry, fresh, size, err) < 0 ? -1 : 1;
    }
    free(fresh);
    free(text);
    return rc;
}

/* All files of a folder, 'shown' in messages.  Takes 'folder'. */
static int sign_folder(struct gcal_store *store, int folder, const char *shown,
                       size_t *n_signed, struct gcal_error *err)
{
    int again = dup(folder), rc = -1;
    char **names = NULL;
    size_t n = 0;

    if (again < 0)
        gcal_store_fail(store, shown, err);
    else
        rc = gcal_store_list(again, ".yaml", &names, &n, err);
    for (size_t i = 0; i < n && rc >= 0; i++) {
        char *file = gcal_buf_format("%s/%s.yaml", shown, names[i]);

        rc = file ? sign_file(store, folder, file, err) : gcal_error_memory(err);
        if (rc > 0)
            (*n_signed)++;
        free(file);
    }
    gcal_strings_free(names, n);
    close(folder);
    return rc < 0 ? -1 : 0;
}

static int sign_history(struct gcal_store *store, const char *scope, size_t *n_signed,
                        struct gcal_error *err)
{
    char *shown = gcal_store_history_path(scope);
    int folder, rc;

    if (!shown)
        return gcal_error_memory(err);
    rc = gcal_store_history_folder(store, scope, &folder, err);
    if (rc > 0)
        rc = sign_folder(store, folder, shown, n_signed, err);
    free(shown);
    return rc;
}

/* A file, or with the suffix "" the history, under the lock of its node or type. */
static int sign_named(struct gcal_store *store, int folder, const char *shown,
                      const char *name, const char *suffix, size_t *n_signed,
                      struct gcal_error *err)
{
    char *scope = gcal_buf_format("%s/%s", shown, name);
    char *file = gcal_buf_format("%s/%s%s", shown, name, suffix);
    int lock = -1, rc = scope && file ? 0 : gcal_error_memory(err);

    if (rc == 0)
        rc = lock = gcal_store_lock_scope(store, scope, err);
    if (rc >= 0 && !*suffix) {
        rc = sign_history(store, scope, n_signed, err);
    } else if (rc >= 0) {
        rc = sign_file(store, folder, file, err);
        *n_signed += rc > 0;
    }
    if (lock >= 0)
        close(lock);
    free(file);
    free(scope);
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
    static const struct {
        const char *shown, *listed, *suffix;
    } all[] = { { "nodes", "nodes", ".yaml" },
                { "nodes", GCAL_STORE_NODE_HISTORY, "" }, /* also of nodes that left */
                { "types", "types", ".yaml" },
                { "types", GCAL_STORE_TYPE_HISTORY, "" },
                { "medians", "medians", ".tsv" } };

    *n_signed = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (sign_all(store, all[i].shown, all[i].listed, all[i].suffix, n_signed, err) <
            0)
            return -1;
    return gcal_ledger_seal(store, err);
}
