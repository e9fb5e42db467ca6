#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "store/store_private.h"

#define MAX_FILE_BYTES (16 << 20)
#define SUFFIX         ".yaml"
/* NAME_MAX, less what ".yaml" and temporary names need. */
#define MAX_NAME 200

struct gcal_store *gcal_store_open(const char *path, struct gcal_error *err)
{
    struct gcal_store *store = calloc(1, sizeof(*store));

    if (!store || !(store->path = strdup(path))) {
        gcal_error_memory(err);
        free(store);
        return NULL;
    }
    store->dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->dirfd < 0) {
        gcal_error_set(err, GCAL_EINPUT, "store %s: %s", path, strerror(errno));
        gcal_store_close(store);
        return NULL;
    }
    return store;
}

void gcal_store_close(struct gcal_store *store)
{
    if (!store)
        return;
    for (size_t i = 0; i < store->n_locks; i++)
        close(store->locks[i]);
    free(store->locks);
    if (store->dirfd >= 0)
        close(store->dirfd);
    free(store->path);
    free(store);
}

static bool is_name(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-";
    size_t length = strlen(name);

    return length && length <= MAX_NAME && *name != '.' &&
           strspn(name, allowed) == length;
}

int gcal_store_check_name(const char *what, const char *name, struct gcal_error *err)
{
    if (is_name(name))
        return 0;
    return gcal_error_set(
        err, GCAL_EINPUT,
        "'%.200s' cannot be the name of a %s: letters, digits, '.', '_' "
        "and '-', at most %d, no '.' in front",
        name, what, MAX_NAME);
}

int gcal_store_folder(int dirfd, const char *name)
{
    return openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- names ---- */

void gcal_names_free(char **names, size_t count)
{
    for (size_t i = 0; names && i < count; i++)
        free(names[i]);
    free(names);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "NAME.yaml" -> "NAME"; NULL for files that are not ours. */
static char *file_node(const char *file)
{
    size_t length = strlen(file), tail = strlen(SUFFIX);
    char *name;

    if (length <= tail || strcmp(file + length - tail, SUFFIX) != 0)
        return NULL;
    if (!(name = strndup(file, length - tail)) || is_name(name))
        return name;
    free(name);
    return NULL;
}

/* Takes 'folder'; a folder that is not there yet (-1 with ENOENT) has no names. */
static int list(int folder, char ***names, size_t *count, struct gcal_error *err)
{
    DIR *dir = folder < 0 ? NULL : fdopendir(folder);
    size_t capacity = 0, n = 0;
    char **items = NULL, **moved;
    struct dirent *entry;
    int rc = 0;

    if (!dir) {
        rc =
            errno == ENOENT ? 0 : gcal_error_set(err, GCAL_EINPUT, "%s", strerror(errno));
        if (folder >= 0)
            close(folder);
    }
    while (dir && rc == 0 && (entry = readdir(dir))) {
        char *name = file_node(entry->d_name);

        if (!name)
            continue;
        if ((moved = gcal_array_grow(items, n, &capacity, sizeof(*items), err))) {
            items = moved;
            items[n++] = name;
        } else {
            free(name);
            rc = -1;
        }
    }
    if (dir)
        closedir(dir);
    if (rc < 0) {
        gcal_names_free(items, n);
        return -1;
    }
    if (n)
        qsort(items, n, sizeof(*items), compare_names);
    *names = items;
    *count = n;
    return 0;
}

static int list_folder(const struct gcal_store *store, const char *folder, char ***names,
                       size_t *count, struct gcal_error *err)
{
    if (list(gcal_store_folder(store->dirfd, folder), names, count, err) == 0)
        return 0;
    return gcal_error_prefix(err, "store %s/%s", store->path, folder);
}

int gcal_store_nodes(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err)
{
    return list_folder(store, "nodes", names, count, err);
}

int gcal_store_types(const struct gcal_store *store, char ***names, size_t *count,
                     struct gcal_error *err)
{
    return list_folder(store, "types", names, count, err);
}

/* The folder of a node's history; -1 with errno. */
static int open_history(const struct gcal_store *store, const char *node)
{
    int history = gcal_store_folder(store->dirfd, "history"), fd, saved;

    if (history < 0)
        return -1;
    fd = gcal_store_folder(history, node);
    saved = errno;
    close(history);
    errno = saved;
    return fd;
}

int gcal_store_history(const struct gcal_store *store, const char *node, char ***names,
                       size_t *count, struct gcal_error *err)
{
    if (gcal_store_check_name("node", node, err) < 0)
        return -1;
    /* Run ids start with the time, so their order is the order of the runs. */
    if (list(open_history(store, node), names, count, err) == 0)
        return 0;
    return gcal_error_prefix(err, "store %s/history/%s", store->path, node);
}

/* ---- files ---- */

static const char *why(int code)
{
    return code == ELOOP ? "a symbolic link, which the store does not follow"
                         : strerror(code);
}

int gcal_store_read(const struct gcal_store *store, int folder, const char *name,
                    struct gcal_params *params, struct gcal_error *err)
{
    char *file = gcal_format("%s" SUFFIX, name), *text;
    size_t size;
    int rc;

    if (!file)
        return gcal_error_memory(err);
    rc = gcal_store_fetch(store, folder, file, file, MAX_FILE_BYTES, &text, &size, err);
    if (rc > 0 && gcal_params_decode(text, size, file, params, err) < 0)
        rc = gcal_error_prefix(err, "store %s", store->path);
    free(text);
    free(file);
    return rc;
}

/* "n1, n2, n3": what there is instead of what was asked for. */
static void list_names(const struct gcal_store *store, const char *folder,
                       const char *node, bool history, struct gcal_buf *text)
{
    char **names = NULL;
    size_t count = 0;
    int rc = history ? gcal_store_history(store, node, &names, &count, NULL)
                     : list_folder(store, folder, &names, &count, NULL);

    if (rc < 0 || !count)
        gcal_buf_puts(text, "none");
    for (size_t i = 0; rc == 0 && i < count && i < 20; i++)
        gcal_buf_printf(text, "%s%s", i ? ", " : "", names[i]);
    if (count > 20)
        gcal_buf_printf(text, " and %zu more", count - 20);
    if (rc == 0)
        gcal_names_free(names, count);
}

/* Takes 'folder' (-1 with errno: it could not be opened). */
static int load(const struct gcal_store *store, int folder, const char *name,
                const char *node, struct gcal_params *params, struct gcal_error *err)
{
    int rc = 0;

    if (folder >= 0)
        rc = gcal_store_read(store, folder, name, params, err);
    else if (errno != ENOENT)
        rc = gcal_error_set(err, GCAL_EINPUT, "store %s: %s", store->path, why(errno));
    if (folder >= 0)
        close(folder);
    if (rc <= 0)
        return rc;
    if (strcmp(params->node, node) != 0) {
        gcal_error_set(err, GCAL_EINPUT, "store %s: %s.yaml is of '%s', not of '%s'",
                       store->path, name, params->node, node);
        gcal_params_clear(params);
        return -1;
    }
    return 1;
}

int gcal_store_load(const struct gcal_store *store, const char *node, const char *run_id,
                    struct gcal_params *params, struct gcal_error *err)
{
    struct gcal_buf names = { 0 };
    int rc;

    *params = (struct gcal_params){ 0 };
    if (gcal_store_check_name("node", node, err) < 0 ||
        (run_id && gcal_store_check_name("run", run_id, err) < 0))
        return -1;
    if (run_id)
        rc = load(store, open_history(store, node), run_id, node, params, err);
    else
        rc = load(store, gcal_store_folder(store->dirfd, "nodes"), node, node, params,
                  err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    list_names(store, "nodes", node, run_id != NULL, &names);
    if (run_id)
        gcal_error_set(err, GCAL_EINPUT, "store %s: no run %s of node %s; there are: %s",
                       store->path, run_id, node, names.data ? names.data : "?");
    else
        gcal_error_set(err, GCAL_EINPUT,
                       "store %s: node %s was not calibrated; there are: %s", store->path,
                       node, names.data ? names.data : "?");
    gcal_buf_free(&names);
    return -1;
}

int gcal_store_load_type(const struct gcal_store *store, const char *type,
                         struct gcal_params *params, struct gcal_error *err)
{
    struct gcal_buf names = { 0 };
    int rc;

    *params = (struct gcal_params){ 0 };
    if (gcal_store_check_name("device type", type, err) < 0)
        return -1;
    rc = load(store, gcal_store_folder(store->dirfd, "types"), type, type, params, err);
    if (rc != 0)
        return rc < 0 ? -1 : 0;
    list_names(store, "types", NULL, false, &names);
    gcal_error_set(err, GCAL_EINPUT,
                   "store %s: no device of type %s was calibrated; there are: %s",
                   store->path, type, names.data ? names.data : "?");
    gcal_buf_free(&names);
    return -1;
}
