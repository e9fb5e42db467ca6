/* cache.c - where drivers keep built kernels, on this node */
#include "calib/worker/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"

#define LOCK_NAME    "lock"
#define LOCK_LIMIT_S 20.0 /* another process trims, on a busy machine */

/* Variables by which drivers find their caches, or use one. */
static const struct {
    const char *name, *value;
    bool is_folder; /* 'value' is its name in the cache */
} variables[] = {
    { "CUDA_CACHE_PATH", "cuda", true },
    { "POCL_CACHE_DIR", "pocl", true },
    { "NEO_CACHE_DIR", "neo", true },
    { "AMD_COMGR_CACHE_DIR", "comgr", true },
    { "MESA_SHADER_CACHE_DIR", "mesa", true },
    { "CUDA_CACHE_DISABLE", "0", false },
    { "CUDA_CACHE_MAXSIZE", "536870912", false },
    { "POCL_KERNEL_CACHE", "1", false },
    { "NEO_CACHE_PERSISTENT", "1", false },
    { "AMD_COMGR_CACHE", "1", false },
};

int gcal_worker_cache_set_variables(const char *folder, struct gcal_error *err)
{
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
        char *path = variables[i].is_folder
                         ? gcal_buf_format("%s/%s", folder, variables[i].value)
                         : NULL;
        bool failed = variables[i].is_folder
                          ? !path || (mkdir(path, 0700) < 0 && errno != EEXIST) ||
                                setenv(variables[i].name, path, 0) < 0
                          : setenv(variables[i].name, variables[i].value, 1) < 0;

        free(path);
        if (failed)
            return gcal_error_set(err, GCAL_EINPUT, "%s/%s: %s", folder,
                                  variables[i].value, strerror(errno));
    }
    return 0;
}

/* ---- the folder ---- */

/* Why others may rename what is in a folder; NULL: only root and the user may.  The owner of
 * a folder may, also if it is sticky; that of /tmp is root, which a container may not know.
 */
static const char *find_trouble(int folder, bool is_system)
{
    struct stat info;

    if (folder < 0 || fstat(folder, &info) < 0)
        return strerror(errno);
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) && !(info.st_mode & S_ISVTX))
        return "others may rename what is in it";
    if (!is_system && info.st_uid != 0 && info.st_uid != geteuid())
        return "it belongs to another user";
    return NULL;
}

/* Opens the last folder of a path without links, in which nobody else may rename what belongs
 * to this user, as in all above it: drivers find theirs by its path.
 */
static int open_parent(const char *path, struct gcal_error *err)
{
    int parent = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_system = strcmp(path, "/tmp") == 0;
    const char *trouble = find_trouble(parent, is_system);
    size_t length = 1;

    for (const char *at = path + 1; !trouble && *at; at += *at == '/') {
        char *name = strndup(at, strcspn(at, "/"));
        int next =
            name ? openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                 : -1;

        free(name);
        trouble = find_trouble(next, is_system);
        at += strcspn(at, "/");
        length = (size_t)(at - path);
        close(parent);
        parent = next;
    }
    if (!trouble && gcal_file_is_on_network(parent))
        trouble = "it is on a network file system";
    if (!trouble)
        return parent;
    gcal_error_set(err, GCAL_EINPUT, "%.*s: %s", (int)length, path, trouble);
    if (parent >= 0)
        close(parent);
    return -1;
}

static int open_own(int parent, const char *path, const char *name,
                    struct gcal_error *err)
{
    const char *trouble = NULL;
    struct stat info;
    int folder;

    if (mkdirat(parent, name, 0700) < 0 && errno != EEXIST)
        return gcal_error_set(err, GCAL_EINPUT, "%s/%s: %s", path, name, strerror(errno));
    folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0 || fstat(folder, &info) < 0)
        trouble = strerror(errno);
    else if (info.st_uid != geteuid())
        trouble = "it belongs to another user";
    else if (info.st_mode & (S_IRWXG | S_IRWXO))
        trouble = "others may use it";
    if (!trouble)
        return folder;
    gcal_error_set(err, GCAL_EINPUT, "%s/%s: %s", path, name, trouble);
    if (folder >= 0)
        close(folder);
    return -1;
}

/* Waits for who trims the folder, or has begun to use it. */
static int lock_as(int lock, int how)
{
    double until_s = gcal_clock_now_s() + LOCK_LIMIT_S;

    while (flock(lock, how | LOCK_NB) < 0) {
        if ((errno != EWOULDBLOCK && errno != EINTR) || gcal_clock_now_s() > until_s)
            return -1;
        gcal_clock_sleep_s(0.02);
    }
    return 0;
}

/* Alone, the folder is trimmed; then others may use it at the same time. */
static int use(struct gcal_worker_cache *cache, int folder, struct gcal_error *err)
{
    cache->lock =
        openat(folder, LOCK_NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (cache->lock >= 0 && flock(cache->lock, LOCK_EX | LOCK_NB) == 0)
        gcal_worker_cache_trim(cache->folder, GCAL_WORKER_CACHE_BYTES);
    if (cache->lock >= 0 && lock_as(cache->lock, LOCK_SH) == 0)
        return 0;
    gcal_error_set(err, GCAL_EINPUT, "%s/" LOCK_NAME ": %s", cache->folder,
                   strerror(errno));
    if (cache->lock >= 0)
        close(cache->lock);
    return -1;
}

static int open_in(const char *temporary, struct gcal_worker_cache *cache,
                   struct gcal_error *err)
{
    char *path = realpath(temporary, NULL);
    int parent = -1, folder = -1, rc = -1;
    char name[40];

    if (path)
        parent = open_parent(path, err);
    else
        gcal_error_set(err, GCAL_EINPUT, "%s: %s", temporary, strerror(errno));

    snprintf(name, sizeof(name), "gpucal-drivers-%lu", (unsigned long)geteuid());
    if (parent >= 0)
        folder = open_own(parent, path, name, err);
    if (folder >= 0 && !(cache->folder = gcal_buf_format("%s/%s", path, name)))
        gcal_error_memory(err);
    if (cache->folder)
        rc = use(cache, folder, err);
    if (rc < 0) {
        free(cache->folder);
        cache->folder = NULL;
    }
    if (folder >= 0)
        close(folder);
    if (parent >= 0)
        close(parent);
    free(path);
    return rc;
}

int gcal_worker_cache_open(struct gcal_worker_cache *cache, struct gcal_error *err)
{
    const char *temporary = getenv("TMPDIR");

    *cache = (struct gcal_worker_cache){ .lock = -1 };
    if (temporary && *temporary == '/' && open_in(temporary, cache, NULL) == 0)
        return 0;
    return open_in("/tmp", cache, err);
}

void gcal_worker_cache_close(struct gcal_worker_cache *cache)
{
    if (!cache->folder)
        return;
    if (flock(cache->lock, LOCK_EX | LOCK_NB) == 0)
        gcal_worker_cache_trim(cache->folder, GCAL_WORKER_CACHE_BYTES);
    close(cache->lock);
    free(cache->folder);
    cache->folder = NULL;
}
