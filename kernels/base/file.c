/* file.c - contents of files, and where they are */
#include "kernels/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"

static int read_all(int fd, size_t max_bytes, struct gcal_buf *buf)
{
    char block[16384];
    ssize_t got;

    while ((got = read(fd, block, sizeof(block))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        gcal_buf_put(buf, block, (size_t)got);
        if (buf->size > max_bytes) {
            errno = EFBIG;
            return -1;
        }
    }
    return 0;
}

int gcal_file_open(const char *path, struct gcal_error *err)
{
    struct stat info;
    /* O_NONBLOCK: opening a fifo must not wait for its writer. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (fd < 0 || fstat(fd, &info) < 0)
        gcal_error_set(err, GCAL_EINPUT, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(info.st_mode))
        gcal_error_set(err, GCAL_EINPUT, "%s: not a regular file", path);
    else
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

char *gcal_file_read(const char *path, size_t max_bytes, size_t *size,
                     struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    const char *end;
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? dup(STDIN_FILENO) : gcal_file_open(path, err), rc;

    if (fd < 0 && is_stdin)
        gcal_error_set(err, GCAL_EINPUT, "standard input: %s", strerror(errno));
    if (fd < 0)
        return NULL;
    if ((rc = read_all(fd, max_bytes, &buf)) < 0)
        gcal_error_set(err, GCAL_EINPUT, "%s: %s (limit %zu bytes)", path,
                       strerror(errno), max_bytes);
    else if (!size && buf.size && (end = memchr(buf.data, '\0', buf.size)))
        rc = gcal_error_set(
            err, GCAL_EINPUT,
            "%s: a NUL byte at offset %zu: it is not a text, or is damaged", path,
            (size_t)(end - (const char *)buf.data));
    close(fd);
    if (rc < 0) {
        gcal_buf_free(&buf);
        return NULL;
    }
    if (size)
        *size = buf.size;
    return gcal_buf_take(&buf, err);
}

bool gcal_file_is_on_network(int fd)
{
    /* statfs(2), and the headers of Lustre, GPFS, BeeGFS and Ceph */
    static const uint32_t types[] = {
        0x6969,     /* NFS */
        0x517b,     /* SMB */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB 2 */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0x00c36400, /* Ceph */
        0x65735546, /* FUSE */
        0x01021997, /* 9P */
        0x20030528, /* OrangeFS */
        0x5346414f, /* AFS */
    };
    struct statfs info;

    if (fstatfs(fd, &info) < 0)
        return true;
    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if ((uint32_t)info.f_type == types[i])
            return true;
    return false;
}
