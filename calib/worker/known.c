/* known.c - what drivers said of built kernels, kept from run to run: a file for each program
 *
 * A driver that loads what it has kept does not say how many registers it has; to ask in another
 * way takes as long as a compilation.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/file.h"
#include "kernels/model/built.h"
#include "calib/worker/cache.h"

/* After the program's key, without which a file copied over another's would be taken. */
#define FORMAT                                                                           \
    " registers %" PRIu64 " private %" PRIu64 " group %" PRIu64 " multiple %" PRIu64
#define MOST_BYTES 300

static char *path_of(const char *folder, const char *key)
{
    return gcal_buf_format("%s/" GCAL_WORKER_CACHE_KNOWN "/%s", folder, key);
}

bool gcal_worker_cache_get_built(const char *folder, const char *key,
                                 struct gcal_built *built)
{
    char *path = folder ? path_of(folder, key) : NULL;
    char *text = path ? gcal_file_read(path, MOST_BYTES, NULL, NULL) : NULL, end = 0;
    size_t n = strlen(key);
    bool found = text && strncmp(text, key, n) == 0 &&
                 sscanf(text + n, FORMAT "%c", &built->registers, &built->private_bytes,
                        &built->work_group_size, &built->multiple, &end) == 5 &&
                 end == '\n' && built->work_group_size;

    free(text);
    free(path);
    return found;
}

static bool write_text(const char *path, const char *key, const struct gcal_built *built)
{
    char *temporary = gcal_buf_format("%s.XXXXXX", path);
    int fd = temporary ? mkstemp(temporary) : -1;
    bool written = false;

    if (fd >= 0) {
        written =
            dprintf(fd, "%s" FORMAT "\n", key, built->registers, built->private_bytes,
                    built->work_group_size, built->multiple) > 0;
        written = close(fd) == 0 && written && rename(temporary, path) == 0;
        if (!written)
            unlink(temporary);
    }
    free(temporary);
    return written;
}

void gcal_worker_cache_put_built(const char *folder, const char *key,
                                 const struct gcal_built *built)
{
    char *path = folder ? path_of(folder, key) : NULL;

    if (path && !write_text(path, key, built) && errno == ENOENT) {
        char *known = gcal_buf_format("%s/" GCAL_WORKER_CACHE_KNOWN, folder);

        if (known && mkdir(known, 0700) == 0)
            write_text(path, key, built);
        free(known);
    }
    free(path);
}
