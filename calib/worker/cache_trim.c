/* cache_trim.c - removing the binaries that were used longest ago
 *
 * What is removed at once is a unit: of NVIDIA's cache, which has an index, all; of PoCL's, the
 * folder of a program, pocl/AB/HASH; of the others, a file.
 */
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "calib/worker/cache.h"

struct unit {
    char *path;
    double used_s; /* the latest of its files */
    uint64_t bytes;
};

struct units {
    size_t n, capacity;
    struct unit *items;
    uint64_t bytes;
};

/* How many parts of a path below the cache a unit of that driver has; 0: all of them. */
static size_t parts_of_unit(const char *path)
{
    if (strncmp(path, "cuda/", 5) == 0)
        return 1;
    return strncmp(path, "pocl/", 5) == 0 ? 3 : 0;
}

/* The length of the unit's path, of a file's. */
static size_t unit_length(const char *path, size_t folder_length)
{
    size_t parts = parts_of_unit(path + folder_length), i = folder_length;

    for (; path[i]; i++)
        if (path[i] == '/' && parts && --parts == 0)
            return i;
    return i;
}

static double time_s(const struct timespec *t)
{
    return (double)t->tv_sec + 1e-9 * (double)t->tv_nsec;
}

/* The files of a unit follow each other. */
static int add_file(struct units *u, const char *path, size_t length,
                    const struct stat *info)
{
    struct unit *unit = u->n ? &u->items[u->n - 1] : NULL;
    double used_s = time_s(&info->st_mtim), read_s = time_s(&info->st_atim);

    if (!unit || strncmp(unit->path, path, length) != 0 || unit->path[length]) {
        if (!(unit = gcal_array_grow(u->items, u->n, &u->capacity, sizeof(*unit), NULL)))
            return -1;
        u->items = unit;
        unit += u->n;
        *unit = (struct unit){ .path = strndup(path, length) };
        if (!unit->path)
            return -1;
        u->n++;
    }
    used_s = read_s > used_s ? read_s : used_s;
    unit->used_s = used_s > unit->used_s ? used_s : unit->used_s;
    unit->bytes += 512 * (uint64_t)info->st_blocks;
    u->bytes += 512 * (uint64_t)info->st_blocks;
    return 0;
}

static FTS *open_tree(const char *path)
{
    char *paths[] = { (char *)path, NULL };

    return fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
}

static int compare_age(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;

    return (x->used_s > y->used_s) - (x->used_s < y->used_s);
}

void gcal_worker_cache_trim(const char *folder, uint64_t most_bytes)
{
    struct units units = { 0 };

    /* The files in folders of drivers: the cache's own, its lock, is above them. */
    FTS *tree = open_tree(folder);
    size_t length = strlen(folder) + 1;
    int rc = 0;
    for (FTSENT *e; tree && rc == 0 && (e = fts_read(tree));)
        if (e->fts_level > 1 && e->fts_statp && e->fts_info != FTS_D &&
            e->fts_info != FTS_DP && e->fts_info != FTS_NS)
            rc = add_file(&units, e->fts_path, unit_length(e->fts_path, length),
                          e->fts_statp);
    if (tree)
        fts_close(tree);
    if (units.bytes > most_bytes) {
        qsort(units.items, units.n, sizeof(*units.items), compare_age);
        for (size_t i = 0; i < units.n && units.bytes > most_bytes / 4 * 3; i++) {
            tree = open_tree(units.items[i].path);
            for (FTSENT *e; tree && (e = fts_read(tree));)
                if (e->fts_info == FTS_DP)
                    rmdir(e->fts_accpath);
                else if (e->fts_info != FTS_D)
                    unlink(e->fts_accpath);
            if (tree)
                fts_close(tree);
            units.bytes -= units.items[i].bytes;
        }
    }
    for (size_t i = 0; i < units.n; i++)
        free(units.items[i].path);
    free(units.items);
}
