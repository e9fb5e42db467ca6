/* sign.c - signing all parameter files of a store */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/sign.h"
#include "calib/base/strings.h"
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

/* The ledger first, as for publishing. */
static int put(struct gcal_store *store, int folder, const char *file, const char *shown,
               const char *text, size_t size, const char *replaces,
               struct gcal_error *err)
{
    char sha256[GCAL_HASH_TEXT_SIZE], *temp = gcal_store_temp(file);
    struct gcal_ledger_entry entry = {
        .action = "sign", .file = shown, .sha256 = sha256, .replaces = replaces
    };
    int rc = -1;

    if (!temp)
        return gcal_error_memory(err);
    gcal_hash(text, size, sha256);
    if (gcal_store_prepare(store, folder, temp, shown, text, size, err) == 0) {
        if (gcal_ledger_append(store, &entry, 1, err) == 0)
            rc = gcal_store_replace(store, folder, temp, file, shown, err);
        else
            gcal_store_remove(folder, temp);
    }
    free(temp);
    return rc;
}

/* 1 when the file got another signature. */
static int sign_file(struct gcal_store *store, int folder, const char *shown,
                     struct gcal_error *err)
{
    const char *file = strrchr(shown, '/') + 1;
    char replaces[GCAL_HASH_TEXT_SIZE], *text, *fresh = NULL;
    size_t size, before;
    int rc = gcal_store_fetch_params(store, folder, file, shown, &text, &size, err);

    before = size;
    if (rc > 0 && !(fresh = sign_anew(store, text, &size, err)))
        rc = -1;
    if (rc > 0 && size == before && memcmp(fresh, text, size) == 0) {
        rc = 0;
    } else if (rc > 0) {
        gcal_hash(text, before, replaces);
        rc = put(store, folder, file, shown, fresh, size, replaces, err) < 0 ? -1 : 1;
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

/* The file of a node or type, under its lock, and its history. */
static int sign_named(struct gcal_store *store, const char *folder_name, const char *name,
                      size_t *n_signed, struct gcal_error *err)
{
    char *scope = gcal_buf_format("%s/%s", folder_name, name);
    char *shown = gcal_buf_format("%s/%s.yaml", folder_name, name);
    int lock = -1, folder = -1, rc = scope && shown ? 0 : gcal_error_memory(err);

    if (rc == 0)
        rc = lock = gcal_store_lock_scope(store, scope, err);
    if (rc >= 0)
        rc = gcal_store_folder(store, store->dirfd, folder_name, folder_name, &folder,
                               err);
    if (rc > 0) {
        rc = sign_file(store, folder, shown, err);
        *n_signed += rc > 0;
    }
    if (rc >= 0)
        rc = sign_history(store, scope, n_signed, err);
    if (folder >= 0)
        close(folder);
    if (lock >= 0)
        close(lock);
    free(shown);
    free(scope);
    return rc < 0 ? -1 : 0;
}

int gcal_store_sign(struct gcal_store *store, size_t *n_signed, struct gcal_error *err)
{
    int (*const list[])(const struct gcal_store *, char ***, size_t *,
                        struct gcal_error *) = { gcal_store_nodes, gcal_store_types };
    static const char *const folders[] = { "nodes", "types" };
    int rc = 0;

    *n_signed = 0;
    for (int k = 0; k < 2 && rc == 0; k++) {
        char **names = NULL;
        size_t n = 0;

        rc = list[k](store, &names, &n, err);
        for (size_t i = 0; i < n && rc == 0; i++)
            rc = sign_named(store, folders[k], names[i], n_signed, err);
        gcal_strings_free(names, n);
    }
    return rc == 0 ? gcal_ledger_seal(store, err) : -1;
}
