/* write.c - durable writing: folders, files that are replaced, files that grow */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "store/files/internal.h"

void gcal_store_host(char host[GCAL_STORE_HOST_SIZE])
{
    if (gethostname(host, GCAL_STORE_HOST_SIZE) < 0 || !*host)
        strcpy(host, "unknown");
    host[GCAL_STORE_HOST_SIZE - 1] = '\0';
    for (char *c = host; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '-';
}

char *gcal_store_temp(const char *file)
{
    char host[GCAL_STORE_HOST_SIZE], hash[GCAL_HASH_TEXT_SIZE];

    gcal_store_host(host);
    gcal_hash(host, strlen(host), hash); /* names of files end at 255 bytes */
    return gcal_buf_format(".publish.%s.%.8s", file, hash);
}

static const char *advice(int code)
{
    return code == ENOSPC || code == EDQUOT
               ? ": make room there and publish again, for example from the run's record "
                 "with 'gpucal fit --record FILE.h5 --store DIR'"
               : "";
}

int gcal_store_fail(const struct gcal_store *store, const char *what,
                    struct gcal_error *err)
{
    int code = errno;

    return gcal_error_set(err, GCAL_ESTORE, "store %s: %s: %s%s", store->path, what,
                          strerror(code), advice(code));
}

static int fail(const struct gcal_store *store, const char *step, const char *shown,
                struct gcal_error *err)
{
    int code = errno;

    return gcal_error_set(err, GCAL_ESTORE, "store %s: %s %s: %s%s", store->path, step,
                          shown, strerror(code), advice(code));
}

/* Everyone may read, and all who may write to the store may append, whatever the umask.
 */
static mode_t file_mode(const struct gcal_store *store)
{
    return store->group_write ? 0664 : 0644;
}

int gcal_store_set_owner(const struct gcal_store *store, int fd, mode_t mode)
{
    struct stat info;

    if (store->group_write && fstat(fd, &info) == 0 && info.st_gid != store->group &&
        TEMP_FAILURE_RETRY(fchown(fd, (uid_t)-1, store->group)) < 0)
        return -1;
    return TEMP_FAILURE_RETRY(fchmod(fd, mode));
}

int gcal_store_write_all(int fd, const char *data, size_t size)
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

/* ---- folders ---- */

int gcal_store_make_folder(const struct gcal_store *store, int parent, const char *name,
                           const char *shown, struct gcal_error *err)
{
    mode_t mode = store->group_write ? 02775 : 0755;
    bool made = TEMP_FAILURE_RETRY(mkdirat(parent, name, mode)) == 0;
    int fd, rc;

    if (!made && errno != EEXIST)
        return fail(store, "make the folder", shown, err);
    rc = gcal_store_folder(store, parent, name, shown, &fd, err);
    if (rc <= 0) {
        if (rc == 0)
            fail(store, "open the folder", shown, err);
        else if (err)
            err->code = GCAL_ESTORE;
        return -1;
    }
    /* The name of a new folder must reach the disk as well as its files. */
    if (made && (gcal_store_set_owner(store, fd, mode) < 0 ||
                 TEMP_FAILURE_RETRY(fsync(parent)) < 0)) {
        fail(store, "make the folder", shown, err);
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- files that are replaced ---- */

void gcal_store_remove(int folder, const char *name)
{
    (void)TEMP_FAILURE_RETRY(unlinkat(folder, name, 0));
}

int gcal_store_prepare(const struct gcal_store *store, int folder, const char *temp,
                       const char *shown, const char *data, size_t size,
                       struct gcal_error *err)
{
    bool good;
    int fd;

    gcal_store_remove(folder, temp); /* left by a publisher that was killed */
    fd = TEMP_FAILURE_RETRY(
        openat(folder, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (fd < 0)
        return fail(store, "create a temporary file for", shown, err);
    good = gcal_store_write_all(fd, data, size) == 0 &&
           gcal_store_set_owner(store, fd, file_mode(store)) == 0 &&
           TEMP_FAILURE_RETRY(fsync(fd)) == 0;
    if (!good) {
        fail(store, "write", shown, err);
        gcal_store_remove(folder, temp);
    }
    close(fd);
    return good ? 0 : -1;
}

int gcal_store_replace(const struct gcal_store *store, int folder, const char *temp,
                       const char *name, const char *shown, struct gcal_error *err)
{
    if (TEMP_FAILURE_RETRY(renameat(folder, temp, folder, name)) < 0) {
        fail(store, "rename to", shown, err);
        gcal_store_remove(folder, temp);
        return -1;
    }
    return TEMP_FAILURE_RETRY(fsync(folder)) < 0
               ? fail(store, "flush the folder of", shown, err)
               : 0;
}

/* ---- files that grow ---- */

int gcal_store_open_append(const struct gcal_store *store, int folder, const char *name,
                           const char *shown, struct gcal_error *err)
{
    const int flags = O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = TEMP_FAILURE_RETRY(openat(folder, name, flags));
    struct stat info;

    if (fd < 0 && errno == ENOENT) {
        fd = TEMP_FAILURE_RETRY(openat(folder, name, flags | O_CREAT | O_EXCL, 0600));
        if (fd >= 0 && (gcal_store_set_owner(store, fd, file_mode(store)) < 0 ||
                        TEMP_FAILURE_RETRY(fsync(folder)) < 0))
            goto failed;
    }
    if (fd < 0 || fstat(fd, &info) < 0)
        goto failed;
    if (!S_ISREG(info.st_mode)) {
        errno = EINVAL;
        goto failed;
    }
    if (gcal_store_check_owner(store, shown, &info, err) == 0)
        return fd;
    if (err)
        err->code = GCAL_ESTORE;
    close(fd);
    return -1;
failed:
    fail(store, "open", shown, err);
    if (fd >= 0)
        close(fd);
    return -1;
}

int gcal_store_append(const struct gcal_store *store, int fd, const char *shown,
                      const char *lines, size_t size, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    struct stat info;
    char last = '\n';
    int rc = -1;

    if (fstat(fd, &info) < 0 ||
        (info.st_size > 0 &&
         TEMP_FAILURE_RETRY(pread(fd, &last, 1, info.st_size - 1)) != 1))
        return fail(store, "read", shown, err);
    if (last != '\n')
        gcal_buf_puts(&buf, GCAL_STORE_CUT_MARK "\n");
    gcal_buf_put(&buf, lines, size);
    if (buf.failed)
        gcal_error_memory(err);
    else if (gcal_store_write_all(fd, buf.data, buf.size) < 0 ||
             TEMP_FAILURE_RETRY(fsync(fd)) < 0)
        fail(store, "append to", shown, err);
    else
        rc = 0;
    gcal_buf_free(&buf);
    return rc;
}
