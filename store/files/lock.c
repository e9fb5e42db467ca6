/* lock.c - locks of nodes, and of the files that publishers change */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "store/files/internal.h"

/* Publishers take turns; each needs milliseconds, and more where the disk is slow. */
#define WAIT_S 60.0

/* Readers must not be able to open the file: with it they could hold the lock and block
 * publishers.
 */
static int open_lock(const struct gcal_store *store, int folder, const char *file)
{
    const int flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    int fd = TEMP_FAILURE_RETRY(openat(folder, file, flags));

    if (fd >= 0 || errno != ENOENT)
        return fd;
    fd = TEMP_FAILURE_RETRY(openat(folder, file, flags | O_CREAT, 0600));
    if (fd >= 0 && store->group_write)
        gcal_store_set_owner(store, fd, 0660); /* fails for another user's, set already */
    return fd;
}

/* Open file description locks work on NFS and end with the process.  The descriptor, or
 * -1 with errno: EAGAIN when another process holds it, with its text in 'owner'.
 */
static int take_lock(const struct gcal_store *store, const char *file, char *owner,
                     size_t size)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int folder, fd, saved;
    ssize_t got = 0;

    if (gcal_store_folder(store, store->dirfd, "locks", "locks", &folder, NULL) <= 0) {
        errno = errno ? errno : EACCES;
        return -1;
    }
    fd = open_lock(store, folder, file);
    saved = errno;
    close(folder);
    errno = saved;
    if (fd < 0 || TEMP_FAILURE_RETRY(fcntl(fd, F_OFD_SETLK, &lock)) == 0)
        return fd;
    saved = errno == EACCES ? EAGAIN : errno;
    if (owner)
        got = pread(fd, owner, size - 1, 0);
    if (owner)
        owner[got > 0 ? got : 0] = '\0';
    close(fd);
    errno = saved;
    return -1;
}

static int lock_failed(const struct gcal_store *store, const char *file,
                       struct gcal_error *err)
{
    if (errno == EAGAIN)
        return gcal_error_set(
            err, GCAL_ESTORE,
            "store %s: another publisher has held locks/%s for %g s: check "
            "that its node is up, and try again",
            store->path, file, WAIT_S);
    if (errno != ENOSYS && errno != ENOLCK && errno != EOPNOTSUPP)
        return gcal_store_fail(store, file, err);
    return gcal_error_set(err, GCAL_ESTORE,
                          "store %s: file locks do not work there (%s): mount it with "
                          "locks, or choose another folder",
                          store->path, strerror(errno));
}

int gcal_store_lock(struct gcal_store *store, const char *node, const char *owner,
                    struct gcal_error *err)
{
    char *file, holder[200] = "";
    int *locks, fd;

    if (gcal_store_check_name("node", node, err) < 0)
        return -1;
    if (!(locks = gcal_array_grow(store->locks, store->n_locks, &store->lock_capacity,
                                  sizeof(*locks), err)))
        return -1;
    store->locks = locks;
    if (!(file = gcal_buf_format("%s.lock", node)))
        return gcal_error_memory(err);
    fd = take_lock(store, file, holder, sizeof(holder));
    if (fd < 0 && errno == EAGAIN)
        gcal_error_set(err, GCAL_EDEVICE,
                       "node %s is being calibrated by %s: wait until it ends", node,
                       *holder ? holder : "another run");
    else if (fd < 0)
        lock_failed(store, file, err);
    free(file);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, 0) < 0 || gcal_store_write_all(fd, owner, strlen(owner)) < 0) {
        gcal_store_fail(store, "locks", err);
        close(fd);
        return -1;
    }
    store->locks[store->n_locks++] = fd;
    return 0;
}

int gcal_store_lock_briefly(const struct gcal_store *store, const char *file,
                            struct gcal_error *err)
{
    double deadline_s = gcal_clock_now_s() + WAIT_S;
    int fd;

    while ((fd = take_lock(store, file, NULL, 0)) < 0 && errno == EAGAIN &&
           gcal_clock_now_s() < deadline_s)
        gcal_clock_sleep_s(0.002);
    if (fd < 0)
        lock_failed(store, file, err);
    return fd;
}

static int lock_named(const struct gcal_store *store, const char *name,
                      const char *suffix, struct gcal_error *err)
{
    char *file = gcal_buf_format("%s%s", name, suffix);
    int fd = file ? gcal_store_lock_briefly(store, file, err) : gcal_error_memory(err);

    free(file);
    return fd;
}

int gcal_store_lock_node(const struct gcal_store *store, const char *node,
                         struct gcal_error *err)
{
    return lock_named(store, node, gcal_store_kinds[0].lock, err);
}

int gcal_store_lock_scope(const struct gcal_store *store, const char *scope,
                          struct gcal_error *err)
{
    const struct gcal_store_kind *kind = gcal_store_kind_of(scope);

    /* Medians are of a node. */
    return lock_named(store, strchr(scope, '/') + 1,
                      kind ? kind->lock : gcal_store_kinds[0].lock, err);
}

int gcal_store_is_locked(const struct gcal_store *store, const char *node)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    char *file = gcal_buf_format("%s.lock", node);
    int folder = -1, fd = -1, rc = -1;

    if (file &&
        gcal_store_folder(store, store->dirfd, "locks", "locks", &folder, NULL) > 0)
        fd = openat(folder, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0)
        rc = lock.l_type != F_UNLCK;
    if (fd >= 0)
        close(fd);
    if (folder >= 0)
        close(folder);
    free(file);
    return rc;
}
