/* fetch.c - checked reading of the files of a store */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/sign.h"
#include "store/files/internal.h"

#define MAX_PARAMS_BYTES (16 << 20)

static const char *why(int code)
{
    return code == ELOOP     ? "a symbolic link, which the store does not follow"
           : code == ENOTDIR ? "not a folder, or a symbolic link"
                             : strerror(code);
}

static int complain(const struct gcal_store *store, const char *shown, const char *what,
                    struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "store %s: %s: %s", store->path, shown, what);
}

int gcal_store_check_owner(const struct gcal_store *store, const char *shown,
                           const struct stat *info, struct gcal_error *err)
{
    bool ours = store->group_write && info->st_gid == store->group;
    const char *path = store->path;

    if (info->st_mode & S_IWOTH)
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: everyone can change %s: check its contents, "
                              "then run 'chmod o-w %s/%s'",
                              path, shown, path, shown);
    if (info->st_mode & S_IWGRP && !ours)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "store %s: group %u can change %s, but may not write to the "
            "store: check its contents, then run 'chmod g-w %s/%s'",
            path, (unsigned)info->st_gid, shown, path, shown);
    if (info->st_uid != 0 && info->st_uid != geteuid() && info->st_uid != store->owner &&
        !ours)
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: %s belongs to user %u, who may not write to the "
                              "store: check its contents, then run 'chown %u %s/%s'",
                              path, shown, (unsigned)info->st_uid, (unsigned)store->owner,
                              path, shown);
    return 0;
}

/* ---- folders ---- */

int gcal_store_folder(const struct gcal_store *store, int parent, const char *name,
                      const char *shown, int *fd, struct gcal_error *err)
{
    struct stat info;

    *fd = TEMP_FAILURE_RETRY(
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (*fd < 0)
        return errno == ENOENT ? 0 : complain(store, shown, why(errno), err);
    if (fstat(*fd, &info) == 0) {
        if (gcal_store_check_owner(store, shown, &info, err) == 0)
            return 1;
    } else {
        complain(store, shown, why(errno), err);
    }
    close(*fd);
    *fd = -1;
    return -1;
}

/* ---- files ---- */

/* Reads up to the size when the file was opened: files do not shrink, and lines appended
 * meanwhile are for a later reader.
 */
static char *read_all(int fd, size_t *size)
{
    char *text = malloc(*size + 1);
    size_t done = 0;
    ssize_t got = 1;

    while (text && done < *size && got > 0) {
        got = read(fd, text + done, *size - done);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            done += (size_t)got;
    }
    if (text && got < 0) {
        free(text);
        return NULL;
    }
    if (text)
        text[done] = '\0';
    *size = done;
    return text;
}

/* The opened file is gone: on NFS, when another machine has replaced it. */
#define GONE (-2)

/* 1, -1 or GONE. */
static int fetch_open(const struct gcal_store *store, int fd, const char *shown,
                      size_t max_bytes, char **text, size_t *size, struct gcal_error *err)
{
    struct stat info;

    if (fstat(fd, &info) < 0)
        return errno == ESTALE ? GONE : complain(store, shown, why(errno), err);
    if (!S_ISREG(info.st_mode))
        return complain(store, shown, "not a regular file", err);
    if (gcal_store_check_owner(store, shown, &info, err) < 0)
        return -1;
    if ((unsigned long long)info.st_size > max_bytes)
        return gcal_error_set(err, GCAL_EINPUT, "store %s: %s: larger than %zu MiB",
                              store->path, shown, max_bytes >> 20);
    *size = (size_t)info.st_size;
    if (!(*text = read_all(fd, size)))
        return errno == ESTALE ? GONE : complain(store, shown, why(errno), err);
    return 1;
}

bool gcal_store_may_come(int folder, int tries)
{
    if (tries >= 4 || !gcal_file_is_on_network(folder))
        return false;
    gcal_clock_sleep_s(0.002 * (1 << tries));
    return true;
}

int gcal_store_fetch(const struct gcal_store *store, int folder, const char *file,
                     const char *shown, size_t max_bytes, char **text, size_t *size,
                     struct gcal_error *err)
{
    int fd, rc = GONE;

    for (int tries = 0; rc == GONE && tries < 5; tries++) {
        *text = NULL;
        /* O_NONBLOCK: a fifo instead of a file must not hang the reader. */
        fd = TEMP_FAILURE_RETRY(
            openat(folder, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
        if (fd < 0 &&
            (errno == ESTALE || (errno == ENOENT && gcal_store_may_come(folder, tries))))
            continue;
        if (fd < 0)
            return errno == ENOENT ? 0 : complain(store, shown, why(errno), err);
        rc = fetch_open(store, fd, shown, max_bytes, text, size, err);
        close(fd);
    }
    return rc == GONE ? complain(store, shown, why(ESTALE), err) : rc;
}

int gcal_store_check_key(const struct gcal_store *store, const char *shown,
                         const char *text, size_t size, struct gcal_error *err)
{
    if (store->key || gcal_sign_find(text, size) == size)
        return 0;
    return gcal_error_set(
        err, GCAL_ESTORE,
        "store %s: %s is signed, and what replaces it would not be: set "
        "$GPUCAL_SIGN_KEY",
        store->path, shown);
}

int gcal_store_fetch_params(const struct gcal_store *store, int folder, const char *file,
                            const char *shown, char **text, size_t *size,
                            struct gcal_error *err)
{
    return gcal_store_fetch(store, folder, file, shown, MAX_PARAMS_BYTES, text, size,
                            err);
}

int gcal_store_check_signature(const struct gcal_store *store, const char *shown,
                               const char *text, size_t *size, struct gcal_error *err)
{
    if (store->trusted && gcal_sign_check(store->trusted, text, *size, err) < 0)
        return gcal_error_prefix(err, "store %s: %s", store->path, shown);
    *size = gcal_sign_find(text, *size);
    return 0;
}

int gcal_store_check_own(const struct gcal_store *store, const char *text, size_t size,
                         struct gcal_error *err)
{
    if (store->public_key && gcal_sign_check(store->public_key, text, size, NULL) == 0)
        return 0;
    if (store->public_key && !store->trusted)
        return gcal_sign_check(store->public_key, text, size, err);
    return gcal_sign_check(store->trusted, text, size, err);
}

int gcal_store_check_reuse(const struct gcal_store *store, const char *shown,
                           const char *text, size_t size, struct gcal_error *err)
{
    if ((!store->public_key && !store->trusted) ||
        gcal_store_check_own(store, text, size, err) == 0)
        return 0;
    return gcal_error_prefix(
        err, "store %s: %s (if its contents are right, sign it by 'gpucal store sign')",
        store->path, shown);
}
