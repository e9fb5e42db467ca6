#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "calib/base/random.h"
#include "calib/base/yaml.h"
#include "store/store_private.h"

/* Two publishers of one node take turns; each needs milliseconds. */
#define PUBLISH_WAIT_S 10.0

static int write_all(int fd, const char *data, size_t size)
{
    while (size) {
        ssize_t done = write(fd, data, size);

        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return -1;
        data += done;
        size -= (size_t)done;
    }
    return 0;
}

/* A new file in 'folder'; its name, unlike any other's, goes to 'name'. */
static int create_temp(int folder, char name[40])
{
    static uint64_t counter;
    int fd;

    do {
        uint64_t state = (uint64_t)(1e9 * gcal_clock_now_s()) ^ (uint64_t)getpid() << 40 ^
                         __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);

        snprintf(name, 40, ".publish.%016llx",
                 (unsigned long long)gcal_random_next(&state));
        fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EEXIST);
    return fd;
}

/* A reader sees the old file or the whole new one, never a part.  After -1 it sees
 * either; publishing again is safe.
 */
static int replace_file(const struct gcal_store *store, int folder, const char *name,
                        const char *data, size_t size, struct gcal_error *err)
{
    const char *step = "create a temporary file for";
    bool made_temp = false;
    char temp[40];
    int fd, rc = -1;

    if ((fd = create_temp(folder, temp)) < 0)
        goto out;
    made_temp = true;
    step = "write";
    /* Readers are other users; the umask does not matter here. */
    if (write_all(fd, data, size) < 0 || fchmod(fd, 0644) < 0 || fsync(fd) < 0)
        goto out;
    step = "rename to";
    if (renameat(folder, temp, folder, name) < 0)
        goto out;
    made_temp = false; /* it is the published file now */
    step = "flush the folder of";
    if (fsync(folder) < 0)
        goto out;
    rc = 0;
out:
    if (rc < 0)
        gcal_error_set(err, GCAL_ESTORE, "store %s: %s %s: %s", store->path, step, name,
                       strerror(errno));
    if (made_temp)
        unlinkat(folder, temp, 0);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Makes a sub-folder unless it is there, and opens it.  -1 with errno. */
static int make_folder(int dirfd, const char *name)
{
    if (mkdirat(dirfd, name, 0755) < 0 && errno != EEXIST)
        return -1;
    return gcal_store_folder(dirfd, name);
}

static int fail(const struct gcal_store *store, const char *what, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_ESTORE, "store %s: %s: %s", store->path, what,
                          strerror(errno));
}

struct gcal_store *gcal_store_open_writable(const char *path, struct gcal_error *err)
{
    static const char *const folders[] = { "nodes", "types", "history", "locks" };
    struct gcal_store *store = gcal_store_open(path, err);
    char temp[40];

    if (!store) {
        if (err)
            err->code = GCAL_ESTORE;
        return NULL;
    }
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        int folder = make_folder(store->dirfd, folders[i]);
        int fd = folder < 0 ? -1 : create_temp(folder, temp);
        bool wrote = fd >= 0 && write_all(fd, "gpucal\n", 7) == 0;

        if (!wrote)
            fail(store, folders[i], err);
        if (fd >= 0) {
            close(fd);
            unlinkat(folder, temp, 0);
        }
        if (folder >= 0)
            close(folder);
        if (!wrote) {
            gcal_store_close(store);
            return NULL;
        }
    }
    return store;
}

/* ---- locks ---- */

/* An open file description's lock works on NFS and goes with the process.  Returns the
 * descriptor, or -1 with errno: EAGAIN when another holds it, whose text is in 'owner'.
 */
static int take_lock(const struct gcal_store *store, const char *file, char *owner,
                     size_t size)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    int folder = gcal_store_folder(store->dirfd, "locks"), fd, saved;
    ssize_t got = 0;

    if (folder < 0)
        return -1;
    fd = openat(folder, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK,
                0644);
    saved = errno;
    close(folder);
    errno = saved;
    if (fd < 0 || fcntl(fd, F_OFD_SETLK, &lock) == 0)
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
    if (errno != ENOSYS && errno != ENOLCK && errno != EOPNOTSUPP)
        return fail(store, file, err);
    return gcal_error_set(err, GCAL_ESTORE,
                          "store %s: file locks do not work there (%s): mount it with "
                          "locks, or use another folder",
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
    if (!(file = gcal_format("%s.lock", node)))
        return gcal_error_memory(err);
    fd = take_lock(store, file, holder, sizeof(holder));
    if (fd < 0 && errno == EAGAIN)
        gcal_error_set(err, GCAL_EDEVICE,
                       "node %s is being calibrated by %s: wait for its end", node,
                       *holder ? holder : "another run");
    else if (fd < 0)
        lock_failed(store, file, err);
    free(file);
    if (fd < 0)
        return -1;
    if (ftruncate(fd, 0) < 0 || write_all(fd, owner, strlen(owner)) < 0) {
        fail(store, "locks", err);
        close(fd);
        return -1;
    }
    store->locks[store->n_locks++] = fd;
    return 0;
}

/* Reading, merging and replacing must not mix with another's.  -1 with 'err'. */
static int lock_publishing(const struct gcal_store *store, const char *name,
                           struct gcal_error *err)
{
    double deadline_s = gcal_clock_now_s() + PUBLISH_WAIT_S;
    char *file = gcal_format("%s.publish", name);
    int fd;

    if (!file)
        return gcal_error_memory(err);
    while ((fd = take_lock(store, file, NULL, 0)) < 0 && errno == EAGAIN &&
           gcal_clock_now_s() < deadline_s)
        gcal_clock_sleep_s(0.01);
    if (fd < 0)
        lock_failed(store, file, err);
    free(file);
    return fd;
}

/* ---- publishing ---- */

/* 'params' with the devices that only 'old' has.  Borrows from both: only the array is
 * the caller's to free.
 */
static int merge(const struct gcal_params *params, const struct gcal_params *old,
                 struct gcal_params *merged, struct gcal_error *err)
{
    size_t n = params->n_devices;

    *merged = (struct gcal_params){ .node = params->node };
    merged->devices = calloc(n + old->n_devices + 1, sizeof(*merged->devices));
    if (!merged->devices)
        return gcal_error_memory(err);
    if (n)
        memcpy(merged->devices, params->devices, n * sizeof(*merged->devices));
    for (size_t i = 0; i < old->n_devices; i++) {
        size_t k = 0;

        while (k < params->n_devices &&
               strcmp(params->devices[k].info.uid, old->devices[i].info.uid) != 0)
            k++;
        if (k == params->n_devices)
            merged->devices[n++] = old->devices[i];
    }
    merged->n_devices = n;
    return 0;
}

/* Text that is known to be readable: a file that no one can read is not published. */
static char *encode(const struct gcal_store *store, const struct gcal_params *params,
                    size_t *size, struct gcal_error *err)
{
    char *text = gcal_params_encode(params, size, err);
    struct gcal_params again;

    if (text && gcal_params_decode(text, *size, params->node, &again, err) == 0) {
        gcal_params_clear(&again);
    } else {
        gcal_error_prefix(err, "store %s: cannot publish %s", store->path, params->node);
        free(text);
        text = NULL;
    }
    return text;
}

/* The text to publish, merged with what is there. */
static char *merged_text(const struct gcal_store *store, int folder,
                         const struct gcal_params *params, size_t *size,
                         struct gcal_error *err)
{
    struct gcal_params old = { 0 }, merged;
    char *text = NULL;

    if (gcal_store_read(store, folder, params->node, &old, err) < 0) {
        /* Its devices would be lost without a word. */
        gcal_error_prefix(err, "cannot add to what is published (repair or remove it)");
        if (err)
            err->code = GCAL_ESTORE;
        return NULL;
    }
    if (merge(params, &old, &merged, err) == 0) {
        text = encode(store, &merged, size, err);
        free(merged.devices);
    }
    gcal_params_clear(&old);
    return text;
}

static int write_yaml(const struct gcal_store *store, int folder, const char *name,
                      const char *text, size_t size, struct gcal_error *err)
{
    char *file = gcal_format("%s.yaml", name);
    int rc = file ? replace_file(store, folder, file, text, size, err)
                  : gcal_error_memory(err);

    free(file);
    return rc;
}

static int write_history(const struct gcal_store *store, const char *node,
                         const char *run_id, const char *text, size_t size,
                         struct gcal_error *err)
{
    int all = gcal_store_folder(store->dirfd, "history");
    int folder = all < 0 ? -1 : make_folder(all, node), rc;

    /* The node's folder may be new: its name must reach the disk as well. */
    if (folder < 0 || fsync(all) < 0)
        rc = fail(store, "history", err);
    else
        rc = write_yaml(store, folder, run_id, text, size, err);
    if (folder >= 0)
        close(folder);
    if (all >= 0)
        close(all);
    return rc;
}

int gcal_store_publish(struct gcal_store *store, const struct gcal_params *params,
                       const char *run_id, struct gcal_error *err)
{
    int folder = -1, lock = -1, rc = -1;
    char *text = NULL;
    size_t size;

    if (gcal_store_check_name("node", params->node, err) < 0 ||
        gcal_store_check_name("run", run_id, err) < 0)
        return -1;
    if ((lock = lock_publishing(store, params->node, err)) < 0)
        goto out;
    if ((folder = gcal_store_folder(store->dirfd, "nodes")) < 0) {
        fail(store, "nodes", err);
        goto out;
    }
    if (!(text = merged_text(store, folder, params, &size, err)))
        goto out;
    /* History first: what holds is always found there too. */
    if (write_history(store, params->node, run_id, text, size, err) < 0)
        goto out;
    rc = write_yaml(store, folder, params->node, text, size, err);
out:
    free(text);
    if (folder >= 0)
        close(folder);
    if (lock >= 0)
        close(lock);
    return rc;
}

int gcal_store_publish_type(struct gcal_store *store, const struct gcal_params *params,
                            const char *type, const char *run_id, struct gcal_error *err)
{
    struct gcal_params named = *params;
    int folder, rc = -1;
    char *text, *node;
    size_t size;

    if (gcal_store_check_name("device type", type, err) < 0 ||
        gcal_store_check_name("run", run_id, err) < 0)
        return -1;
    if (!(node = strdup(type)))
        return gcal_error_memory(err);
    named.node = node;
    text = encode(store, &named, &size, err);
    free(node);
    if (!text)
        return -1;
    if ((folder = gcal_store_folder(store->dirfd, "types")) < 0)
        fail(store, "types", err);
    else
        rc = write_yaml(store, folder, type, text, size, err) < 0 ? -1 : 1;
    if (folder >= 0)
        close(folder);
    free(text);
    return rc;
}
