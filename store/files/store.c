/* store.c - opening a store, keys, and the names in it */
#include "store/files/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/sign.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"

#define SUFFIX ".yaml"
/* NAME_MAX minus room for ".yaml" and temporary names. */
#define MAX_NAME 200

/* Whoever may rename a folder above the store may put another in its place.  True if
 * everyone may: the sticky bit leaves that to owners.
 */
static bool is_open_above(int dirfd)
{
    struct stat below, info;
    int fd = openat(dirfd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC), up;
    bool open = false;

    while (fd >= 0 && !open && fstat(fd, &below) == 0) {
        up = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = up;
        if (fd < 0 || fstat(fd, &info) < 0 ||
            (info.st_dev == below.st_dev && info.st_ino == below.st_ino))
            break;
        open = (info.st_mode & S_IWOTH) && !(info.st_mode & S_ISVTX);
    }
    if (fd >= 0)
        close(fd);
    return open;
}

/* A folder that everyone may write to cannot be trusted. */
static int check_folder(struct gcal_store *store, struct gcal_error *err)
{
    struct stat info;

    if (fstat(store->dirfd, &info) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "store %s: %s", store->path,
                              strerror(errno));
    if (info.st_mode & S_IWOTH)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "store %s: everyone may write to it, so that its files cannot "
            "be trusted: run 'chmod o-w %s'",
            store->path, store->path);
    if (is_open_above(store->dirfd))
        return gcal_error_set(
            err, GCAL_EINPUT,
            "store %s: everyone may write to a folder above it and put another in its "
            "place: run 'chmod o-w' or 'chmod +t' there",
            store->path);
    store->owner = info.st_uid;
    store->group = info.st_gid;
    store->group_write = info.st_mode & S_IWGRP;
    return 0;
}

struct gcal_store *gcal_store_open(const char *path, struct gcal_error *err)
{
    struct gcal_store *store = calloc(1, sizeof(*store));

    if (!store || !(store->path = strdup(path))) {
        gcal_error_memory(err);
        free(store);
        return NULL;
    }
    store->dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->dirfd < 0)
        gcal_error_set(err, GCAL_EINPUT, "store %s: %s", path, strerror(errno));
    else if (check_folder(store, err) == 0)
        return store;
    gcal_store_close(store);
    return NULL;
}

void gcal_store_close(struct gcal_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->n_locks; i++)
        close(store->locks[i]);
    free(store->locks);
    if (store->dirfd >= 0)
        close(store->dirfd);
    gcal_sign_key_destroy(store->key);
    gcal_sign_keys_destroy(store->public_key);
    gcal_sign_keys_destroy(store->trusted);
    free(store->path);
    free(store);
}

int gcal_store_sign_with(struct gcal_store *store, const char *path,
                         struct gcal_error *err)
{
    struct gcal_sign_key *key = gcal_sign_key_read(path, err);
    struct gcal_sign_keys *public_key = key ? gcal_sign_key_public(key, err) : NULL;

    if (!public_key) {
        gcal_sign_key_destroy(key);
        return -1;
    }
    gcal_sign_key_destroy(store->key);
    gcal_sign_keys_destroy(store->public_key);
    store->key = key;
    store->public_key = public_key;
    return 0;
}

int gcal_store_trust(struct gcal_store *store, const char *path, struct gcal_error *err)
{
    struct gcal_sign_keys *keys = gcal_sign_keys_read(path, err);

    if (!keys)
        return -1;
    gcal_sign_keys_destroy(store->trusted);
    store->trusted = keys;
    return 0;
}

bool gcal_store_is_for_simulations(const struct gcal_store *store)
{
    return faccessat(store->dirfd, "simulated", F_OK, 0) == 0;
}

bool gcal_store_is_name(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-";
    size_t length = strlen(name);

    return length && length <= MAX_NAME && *name != '.' &&
           strspn(name, allowed) == length;
}

int gcal_store_check_name(const char *what, const char *name, struct gcal_error *err)
{
    if (gcal_store_is_name(name))
        return 0;
    return gcal_error_set(
        err, GCAL_EINPUT,
        "'%.200s' cannot be the name of a %s: use letters, digits, '.', "
        "'_' and '-', at most %d, without a leading '.'",
        name, what, MAX_NAME);
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "NAME.yaml" -> "NAME"; NULL for files that do not belong to a store. */
static char *without(const char *file, const char *suffix)
{
    size_t length = strlen(file), tail = strlen(suffix);
    char *name;

    if (length <= tail || strcmp(file + length - tail, suffix) != 0)
        return NULL;
    if (!(name = strndup(file, length - tail)) || gcal_store_is_name(name))
        return name;
    free(name);
    return NULL;
}

int gcal_store_list(int folder, const char *suffix, char ***names, size_t *count,
                    struct gcal_error *err)
{
    DIR *dir = fdopendir(folder);
    size_t capacity = 0, n = 0;
    char **items = NULL, **moved;
    struct dirent *entry;
    int rc = 0;

    if (!dir) {
        rc = gcal_error_set(err, GCAL_EINPUT, "%s", strerror(errno));
        close(folder);
    }
    while (dir && rc == 0 && (entry = readdir(dir))) {
        char *name = without(entry->d_name, suffix);

        if (!name)
            continue;
        if ((moved = gcal_array_grow(items, n, &capacity, sizeof(*items), err))) {
            items = moved;
            items[n++] = name;
        } else {
            free(name);
            rc = -1;
        }
    }
    if (dir)
        closedir(dir);
    if (rc < 0) {
        gcal_strings_free(items, n);
        return -1;
    }
    if (n)
        qsort(items, n, sizeof(*items), compare_names);
    *names = items;
    *count = n;
    return 0;
}

int gcal_store_list_kind(const struct gcal_store *store, const char *name, char ***names,
                         size_t *count, struct gcal_error *err)
{
    int folder, rc = gcal_store_folder(store, store->dirfd, name, name, &folder, err);

    *names = NULL;
    *count = 0;
    if (rc <= 0) /* one that does not exist yet has no names */
        return rc;
    if (gcal_store_list(folder, SUFFIX, names, count, err) == 0)
        return 0;
    return gcal_error_prefix(err, "store %s: %s", store->path, name);
}

int gcal_store_nodes(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err)
{
    return gcal_store_list_kind(store, "nodes", names, count, err);
}

int gcal_store_types(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err)
{
    return gcal_store_list_kind(store, "types", names, count, err);
}

int gcal_store_learned(const struct gcal_store *store, char ***names, size_t *count,
                       struct gcal_error *err)
{
    return gcal_store_list_kind(store, "learned", names, count, err);
}
