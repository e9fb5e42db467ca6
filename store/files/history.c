/* history.c - the histories of nodes and types: their folders, and the runs in them */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/files/internal.h"

/* What follows 'start' in 'path', or NULL. */
static const char *after(const char *path, const char *start)
{
    size_t length = strlen(start);

    return strncmp(path, start, length) == 0 ? path + length : NULL;
}

bool gcal_store_is_type(const char *scope)
{
    return after(scope, "types/");
}

static const char *name_of(const char *scope)
{
    return strchr(scope, '/') + 1;
}

int gcal_store_check_scope(const char *scope, struct gcal_error *err)
{
    return gcal_store_check_name(gcal_store_is_type(scope) ? "device type" : "node",
                                 name_of(scope), err);
}

static const char *folder_of(const char *scope)
{
    return gcal_store_is_type(scope) ? GCAL_STORE_TYPE_HISTORY : GCAL_STORE_NODE_HISTORY;
}

char *gcal_store_history_path(const char *scope)
{
    return gcal_buf_format("%s/%s", folder_of(scope), name_of(scope));
}

char *gcal_store_scope_of(const char *file)
{
    const char *node = after(file, GCAL_STORE_NODE_HISTORY "/");
    const char *type = after(file, GCAL_STORE_TYPE_HISTORY "/");

    if (node)
        return gcal_buf_format("nodes/%.*s", (int)strcspn(node, "/"), node);
    if (type)
        return gcal_buf_format("types/%.*s", (int)strcspn(type, "/"), type);
    if (after(file, "medians/"))
        return gcal_buf_format("%.*s", (int)strlen(file) - (int)strlen(".tsv"), file);
    return gcal_buf_format("%.*s", (int)strlen(file) - (int)strlen(".yaml"), file);
}

int gcal_store_history_folder(const struct gcal_store *store, const char *scope, int *fd,
                              struct gcal_error *err)
{
    const char *folder = folder_of(scope);
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
    const char *folder = folder_of(scope);
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
    return gcal_error_prefix(err, "store %s: %s", store->path, folder_of(scope));
}
