/* load.c - the parameter files of nodes, types and kernels */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"

#define SUFFIX ".yaml"

/* A file of a node or type: its current one, or a run's in its history. */
struct location {
    char *scope;        /* "nodes/NODE" or "types/TYPE", owned */
    const char *name;   /* in the scope */
    const char *run_id; /* NULL: the current file */
};

/* "n1, n2, n3": the names to choose from. */
static void list_names(const struct gcal_store *store, const struct location *location,
                       struct gcal_buf *text)
{
    char **names = NULL;
    size_t count = 0;
    int rc =
        location->run_id
            ? gcal_store_history(store, location->scope, &names, &count, NULL)
            : gcal_store_list_kind(store, gcal_store_kind_of(location->scope)->folder,
                                   &names, &count, NULL);

    if (rc < 0 || !count)
        gcal_buf_puts(text, "none");
    for (size_t i = 0; rc == 0 && i < count && i < 20; i++)
        gcal_buf_printf(text, "%s%s", i ? ", " : "", names[i]);
    if (count > 20)
        gcal_buf_printf(text, " and %zu more", count - 20);
    if (rc == 0)
        gcal_strings_free(names, count);
}

/* The file's path below the store, for the caller to free. */
static char *path_of(const struct location *location)
{
    char *history, *path;

    if (!location->run_id)
        return gcal_buf_format("%s" SUFFIX, location->scope);
    if (!(history = gcal_store_history_path(location->scope)))
        return NULL;
    path = gcal_buf_format("%s/%s" SUFFIX, history, location->run_id);
    free(history);
    return path;
}

/* Opens the folder; 'shown': the file's path below the store, for the caller to free. */
static int open_location(const struct gcal_store *store, const struct location *location,
                         char **shown, int *folder, struct gcal_error *err)
{
    const char *top = gcal_store_kind_of(location->scope)->folder;

    *folder = -1;
    if (!(*shown = path_of(location)))
        return gcal_error_memory(err);
    if (location->run_id)
        return gcal_store_history_folder(store, location->scope, folder, err);
    return gcal_store_folder(store, store->dirfd, top, top, folder, err);
}

/* The signed part of a file with a good signature.  1, 0 when it does not exist, -1. */
static int fetch(const struct gcal_store *store, const struct location *location,
                 char **text, size_t *size, char **shown, struct gcal_error *err)
{
    int folder, rc = open_location(store, location, shown, &folder, err);

    *text = NULL;
    if (rc > 0)
        rc = gcal_store_fetch_params(store, folder, strrchr(*shown, '/') + 1, *shown,
                                     text, size, err);
    if (folder >= 0)
        close(folder);
    if (rc > 0 && gcal_store_check_signature(store, *shown, *text, size, err) < 0) {
        free(*text);
        *text = NULL;
        rc = -1;
    }
    return rc;
}

/* A file that was copied under the name of another node or type is refused. */
static int check_node(const struct gcal_store *store, const char *shown, const char *node,
                      const char *expected, struct gcal_error *err)
{
    if (strcmp(node, expected) == 0)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "store %s: %s belongs to '%s', not to '%s'",
                          store->path, shown, node, expected);
}

static int load(const struct gcal_store *store, const struct location *location,
                struct gcal_params *params, struct gcal_error *err)
{
    char *text, *shown;
    size_t size;
    int rc = fetch(store, location, &text, &size, &shown, err);

    if (rc > 0 && gcal_params_decode(text, size, shown, params, err) < 0)
        rc = gcal_error_prefix(err, "store %s", store->path);
    if (rc > 0 && check_node(store, shown, params->node, location->name, err) < 0) {
        gcal_params_clear(params);
        rc = -1;
    }
    free(text);
    free(shown);
    return rc;
}

/* Returns -1. */
static int fail_missing(const struct gcal_store *store, const struct location *location,
                        struct gcal_error *err)
{
    const char *what = gcal_store_kind_of(location->scope)->what, *there;
    struct gcal_buf names = { 0 };

    list_names(store, location, &names);
    there = names.data ? names.data : "?";
    if (location->run_id)
        gcal_error_set(err, GCAL_EINPUT, "store %s: no run %s of %s %s; runs: %s",
                       store->path, location->run_id, what, location->name, there);
    else
        gcal_error_set(err, GCAL_EINPUT,
                       "store %s: %s %s is not calibrated; calibrated %ss: %s",
                       store->path, what, location->name, what, there);
    gcal_buf_free(&names);
    return gcal_error_because(err, GCAL_REASON_NODE);
}

/* To be freed in any case. */
static int locate(const char *folder, const char *name, const char *run_id,
                  struct location *location, struct gcal_error *err)
{
    *location = (struct location){ .scope = gcal_buf_format("%s/%s", folder, name),
                                   .run_id = run_id };
    if (!location->scope)
        return gcal_error_memory(err);
    location->name = location->scope + strlen(folder) + 1;
    if (gcal_store_check_scope(location->scope, err) < 0)
        return gcal_error_because(err, GCAL_REASON_NODE);
    return run_id ? gcal_store_check_name("run", run_id, err) : 0;
}

/* 1, 0 if there is none, which with 'must' is an error, -1. */
static int load_from(const struct gcal_store *store, const char *folder, const char *name,
                     const char *run_id, bool must, struct gcal_params *params,
                     struct gcal_error *err)
{
    struct location location;
    int rc = locate(folder, name, run_id, &location, err);

    *params = (struct gcal_params){ 0 };
    if (rc == 0 && (rc = load(store, &location, params, err)) == 0 && must)
        rc = fail_missing(store, &location, err);
    free(location.scope);
    return rc;
}

int gcal_store_fetch_current(const struct gcal_store *store, const char *folder,
                             const char *name, char **text, size_t *size, char **shown,
                             struct gcal_error *err)
{
    struct location location;
    int rc = locate(folder, name, NULL, &location, err);

    *text = *shown = NULL;
    if (rc == 0)
        rc = fetch(store, &location, text, size, shown, err);
    free(location.scope);
    return rc;
}

int gcal_store_load(const struct gcal_store *store, const char *node, const char *run_id,
                    struct gcal_params *params, struct gcal_error *err)
{
    return load_from(store, "nodes", node, run_id, true, params, err) < 0 ? -1 : 0;
}

int gcal_store_load_type(const struct gcal_store *store, const char *type,
                         const char *run_id, struct gcal_params *params,
                         struct gcal_error *err)
{
    return load_from(store, "types", type, run_id, true, params, err) < 0 ? -1 : 0;
}

/* Nothing is known of most kernels: a file that is not there is not waited for, as one is that another
 * node may be replacing.
 */
static bool is_learned(const struct gcal_store *store, const char *fingerprint)
{
    char *file = gcal_buf_format("%s" SUFFIX, fingerprint);
    struct stat info;
    bool is_there = true;
    int folder;

    if (gcal_store_folder(store, store->dirfd, "learned", "learned", &folder, NULL) > 0) {
        is_there = !file || fstatat(folder, file, &info, AT_SYMLINK_NOFOLLOW) == 0 ||
                   errno != ENOENT;
        close(folder);
    }
    free(file);
    return is_there;
}

int gcal_store_load_learned(const struct gcal_store *store, const char *fingerprint,
                            struct gcal_params *params, struct gcal_error *err)
{
    *params = (struct gcal_params){ 0 };
    if (!is_learned(store, fingerprint))
        return 0;
    return load_from(store, "learned", fingerprint, NULL, false, params, err);
}

struct gcal_params_index *gcal_store_load_index(const struct gcal_store *store,
                                                const char *node, const char *run_id,
                                                struct gcal_error *err)
{
    struct gcal_params_index *index = NULL;
    char *text, *shown = NULL;
    struct location location;
    size_t size;
    int rc = locate("nodes", node, run_id, &location, err);

    if (rc == 0 && (rc = fetch(store, &location, &text, &size, &shown, err)) == 0)
        fail_missing(store, &location, err);
    if (rc > 0 && !(index = gcal_params_index_create(text, size, shown, err)))
        gcal_error_prefix(err, "store %s", store->path);
    if (index &&
        check_node(store, shown, gcal_params_index_devices(index)->node, node, err) < 0) {
        gcal_params_index_destroy(index);
        index = NULL;
    }
    free(location.scope);
    free(shown);
    return index;
}

static int look(int folder, const char *file, struct stat *info)
{
    int rc, tries = 0;

    do
        rc = fstatat(folder, file, info, AT_SYMLINK_NOFOLLOW);
    while (rc < 0 && errno == ENOENT && gcal_store_may_come(folder, tries++));
    return rc;
}

int gcal_store_stamp(const struct gcal_store *store, const char *node,
                     struct gcal_store_stamp *stamp, struct gcal_error *err)
{
    struct location location;
    struct stat info;
    char *shown = NULL;
    int folder = -1, rc = locate("nodes", node, NULL, &location, err);

    if (rc == 0 && (rc = open_location(store, &location, &shown, &folder, err)) > 0 &&
        look(folder, strrchr(shown, '/') + 1, &info) < 0)
        rc = errno == ENOENT ? 0
                             : gcal_error_set(err, GCAL_EINPUT, "store %s: %s: %s",
                                              store->path, shown, strerror(errno));
    if (folder >= 0)
        close(folder);
    if (rc == 0)
        rc = fail_missing(store, &location, err);
    free(location.scope);
    free(shown);
    if (rc < 0)
        return -1;
    *stamp = (struct gcal_store_stamp){
        .device = info.st_dev,
        .inode = info.st_ino,
        .size = (uint64_t)info.st_size,
        .changed_ns = (int64_t)info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec,
    };
    return 0;
}
