/* init.c - making a store, and opening one for changes */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/error.h"
#include "store/files/internal.h"
#include "store/publish/publish.h"

/* Tries a write.  The name is the host's, so that what a start leaves that was killed here is
 * removed by the next; another start here may have just removed or made it.
 */
static int try_write(const struct gcal_store *store, int folder, const char *shown,
                     struct gcal_error *err)
{
    char host[GCAL_STORE_HOST_SIZE], name[GCAL_STORE_HOST_SIZE + 8];
    bool wrote;
    int fd = -1;

    gcal_store_host(host);
    snprintf(name, sizeof(name), ".try.%s", host);
    for (int tries = 0; fd < 0 && tries < 100; tries++) {
        gcal_store_remove(folder, name);
        fd = TEMP_FAILURE_RETRY(openat(
            folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (fd < 0 && errno != EEXIST)
            break;
    }
    wrote = fd >= 0 && gcal_store_write_all(fd, "gpucal\n", 7) == 0;
    if (!wrote)
        gcal_store_fail(store, shown, err);
    if (fd >= 0) {
        close(fd);
        gcal_store_remove(folder, name);
    }
    return wrote ? 0 : -1;
}

static int try_folder(const struct gcal_store *store, const char *name,
                      struct gcal_error *err)
{
    int folder = gcal_store_make_folder(store, store->dirfd, name, name, err);
    int rc = folder < 0 ? -1 : try_write(store, folder, name, err);

    if (folder >= 0)
        close(folder);
    return rc;
}

struct gcal_store *gcal_store_open_writable(const char *path, struct gcal_error *err)
{
    static const char *const others[] = { "tracks", "ledger", "locks" };
    struct gcal_store *store = gcal_store_open(path, err);
    int rc = 0;

    if (!store) {
        if (access(path, F_OK) < 0 && errno == ENOENT)
            gcal_error_set(err, GCAL_ESTORE,
                           "store %s: No such file or directory: if it is to be a new "
                           "store, make it ('gpucal store init --store %s')",
                           path, path);
        else if (err)
            err->code = GCAL_ESTORE;
        return NULL;
    }
    for (const struct gcal_store_kind *k = gcal_store_kinds; k->folder && rc == 0; k++)
        if ((rc = try_folder(store, k->folder, err)) == 0)
            rc = try_folder(store, k->history, err);
    for (size_t i = 0; i < sizeof(others) / sizeof(*others) && rc == 0; i++)
        rc = try_folder(store, others[i], err);
    if (rc == 0)
        return store;
    gcal_store_close(store);
    return NULL;
}

/* Returns whether the folder has nothing but what a store has: 1, 0, -1 with errno. */
static int is_store(const char *path)
{
    bool is_empty = true, has_nodes = false;
    struct dirent *entry;
    DIR *dir = opendir(path);

    if (!dir)
        return -1;
    while ((entry = readdir(dir))) {
        has_nodes = has_nodes || strcmp(entry->d_name, "nodes") == 0;
        is_empty = is_empty &&
                   (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                    strcmp(entry->d_name, "simulated") == 0);
    }
    closedir(dir);
    return is_empty || has_nodes;
}

struct gcal_store *gcal_store_init(const char *path, bool *made, struct gcal_error *err)
{
    int is = 1;

    *made = mkdir(path, 0755) == 0;
    if (*made ? chmod(path, 0755) < 0 : errno != EEXIST || (is = is_store(path)) < 0) {
        gcal_error_set(err, GCAL_ESTORE, "store %s: %s", path, strerror(errno));
        return NULL;
    }
    if (!is) {
        gcal_error_set(err, GCAL_EINPUT,
                       "store %s: the folder is not empty, and what it has is no store",
                       path);
        return NULL;
    }
    return gcal_store_open_writable(path, err);
}
