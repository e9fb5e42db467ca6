/* device_cache.c - a folder in which drivers keep the binaries of one search */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "mpi/tune/device.h"

#define MAX_OPEN_FOLDERS 16

/* Variables by which drivers find their caches, or use one; "": the folder. */
static const struct {
    const char *name, *value;
} variables[] = {
    { "CUDA_CACHE_PATH", "" },
    { "CUDA_CACHE_DISABLE", "0" },
    { "CUDA_CACHE_MAXSIZE", "2147483648" },
    { "POCL_CACHE_DIR", "" },
    { "POCL_KERNEL_CACHE", "1" },
    { "NEO_CACHE_DIR", "" },
    { "NEO_CACHE_PERSISTENT", "1" },
    { "AMD_COMGR_CACHE_DIR", "" },
    { "AMD_COMGR_CACHE", "1" },
    { "MESA_SHADER_CACHE_DIR", "" },
};

static int set_variables(const char *folder, struct gcal_error *err)
{
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (setenv(variables[i].name, *variables[i].value ? variables[i].value : folder,
                   1) < 0)
            return gcal_error_memory(err);
    return 0;
}

int gcal_tune_cache_open(struct gcal_tune_cache *cache, struct gcal_error *err)
{
    const char *temporary = getenv("TMPDIR");

    cache->folder = gcal_buf_format("%s/gpucal-build-XXXXXX",
                                    temporary && *temporary ? temporary : "/tmp");
    if (!cache->folder)
        return gcal_error_memory(err);
    if (!mkdtemp(cache->folder)) {
        gcal_error_set(err, GCAL_EINPUT,
                       "cannot make a folder for built kernels, %s: %s (TMPDIR names "
                       "another place)",
                       cache->folder, strerror(errno));
        free(cache->folder);
        cache->folder = NULL;
        return -1;
    }
    return set_variables(cache->folder, err);
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    remove(path);
    return 0;
}

void gcal_tune_cache_close(struct gcal_tune_cache *cache)
{
    if (cache->folder)
        nftw(cache->folder, remove_one, MAX_OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    free(cache->folder);
    cache->folder = NULL;
}
