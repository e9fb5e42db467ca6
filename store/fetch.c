#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/base/error.h"
#include "store/store_private.h"

static const char *why(int code)
{
    return code == ELOOP ? "a symbolic link, which the store does not follow"
                         : strerror(code);
}

static int complain(const struct gcal_store *store, const char *shown, const char *what,
                    struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "store %s: %s: %s", store->path, shown, what);
}

/* What was there when the file was opened: files do not shrink, and what is appended
 * meanwhile belongs to a later reader.
 */
static char *read_whole(int fd, size_t *size)
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

int gcal_store_fetch(const struct gcal_store *store, int folder, const char *file,
                     const char *shown, size_t max_bytes, char **text, size_t *size,
                     struct gcal_error *err)
{
    /* O_NONBLOCK: a fifo in the place of a file must not hang the reader. */
    int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    int rc = -1;

    *text = NULL;
    if (fd < 0)
        return errno == ENOENT ? 0 : complain(store, shown, why(errno), err);
    if (fstat(fd, &info) < 0) {
        complain(store, shown, why(errno), err);
    } else if (!S_ISREG(info.st_mode)) {
        complain(store, shown, "not a regular file", err);
    } else if ((unsigned long long)info.st_size > max_bytes) {
        gcal_error_set(err, GCAL_EINPUT, "store %s: %s: larger than %zu MiB", store->path,
                       shown, max_bytes >> 20);
    } else {
        *size = (size_t)info.st_size;
        if ((*text = read_whole(fd, size)))
            rc = 1;
        else
            complain(store, shown, why(errno), err);
    }
    close(fd);
    return rc;
}
