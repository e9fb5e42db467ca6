/* history.c - kinds of parameter files, and their histories: folders, and the runs in them */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/files/internal.h"

/* What follows 'folder' and a slash in 'path', or NULL. */
static const char *after(const char *path, const char *folder)
{
    size_t length = strlen(folder);

    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1
                                                                     : NULL;
}

const struct gcal_store_kind gcal_store_kinds[] = {
    { "nodes", "history", "node", ".publish", true },
    /* Not folders in that of nodes, where a node may have any name. */
    { "types", "type-history", "device type", ".type", false },
    { "learned", "learned-history", "kernel", ".kernel", false },
    { "links", "link-history", "node", ".links", false },
    { 0 },
};

const struct gcal_store_kind *gcal_store_kind_of(const char *scope)
{
    const struct gcal_store_kind *kind = gcal_store_kinds;

    while (kind->folder && !after(scope, kind->folder))
        kind++;
    return kind->folder ? kind : NULL;
}

static const char *name_of(const char *scope)
{
    return strchr(scope, '/') + 1;
}

int gcal_store_check_scope(const char *scope, struct gcal_error *err)
{
    return gcal_store_check_name(gcal_store_kind_of(scope)->what, name_of(scope), err);
}

char *gcal_store_history_path(const char *scope)
{
    return gcal_buf_format("%s/%s", gcal_store_kind_of(scope)->history, name_of(scope));
}

char *gcal_store_scope_of(const char *file)
{
    const char *suffix = strrchr(file, '.');

    for (const struct gcal_store_kind *k = gcal_store_kinds; k->folder; k++) {
        const char *name = after(file, k->history);

        if (name)
            return gcal_buf_format("%s/%.*s", k->folder, (int)strcspn(name, "/"), name);
    }
    return gcal_buf_format("%.*s", suffix ? (int)(suffix - file) : (int)strlen(file),
                           file);
}

int gcal_store_history_folder(const struct gcal_store *store, const char *scope, int *fd,
                              struct gcal_error *err)
{
    const char *folder = gcal_store_kind_of(scope)->history;
    char *shown = gcal_store_history_path(scope);
    int all, rc;

    *fd = -1;
    if (!shown)
        return gcal_error_memory(err);
    rc = gcal_store_folder(store, store->dirfd, folder, folder, &all, err);
    if (rc > 0) {
        rc = gcal_store_folder(store, all, name_of(scope), shown, fd, err);
        close(all);
    }
    free(shown);
    return rc;
}

int gcal_store_make_history(const struct gcal_store *store, const char *scope,
                            struct gcal_error *err)
{
    const char *folder = gcal_store_kind_of(scope)->history;
    int all = gcal_store_make_folder(store, store->dirfd, folder, folder, err), fd = -1;
    char *shown = gcal_store_history_path(scope);

    if (all >= 0 && shown)
        fd = gcal_store_make_folder(store, all, name_of(scope), shown, err);
    else if (!shown)
        gcal_error_memory(err);
    if (all >= 0)
        close(all);
    free(shown);
    return fd;
}

int gcal_store_history(const struct gcal_store *store, const char *scope, char ***names,
                       size_t *count, struct gcal_error *err)
{
    int folder, rc;

    *names = NULL;
    *count = 0;
    if (gcal_store_check_scope(scope, err) < 0)
        return -1;
    rc = gcal_store_history_folder(store, scope, &folder, err);
    if (rc <= 0) /* nothing is published yet */
        return rc;
    /* Run ids start with the time. */
    if (gcal_store_list(folder, ".yaml", names, count, err) == 0)
        return 0;
    return gcal_error_prefix(err, "store %s: %s", store->path,
                             gcal_store_kind_of(scope)->history);
}
