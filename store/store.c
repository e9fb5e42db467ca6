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
#include "calib/base/sign.h"
#include "store/store_private.h"

#define SUFFIX ".yaml"
/* NAME_MAX, less what ".yaml" and temporary names need. */
#define MAX_NAME 200

/* Whoever may write there decides what is read. */
static int look_at_folder(struct gcal_store *store, struct gcal_error *err)
{
    struct stat info;

    if (fstat(store->dirfd, &info) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "store %s: %s", store->path,
                              strerror(errno));
    if (info.st_mode & S_IWOTH)
        return gcal_error_set(err, GCAL_EINPUT,
                              "store %s: everyone may write there, so that nothing in it "
                              "can be trusted: run 'chmod o-w %s'",
                              store->path, store->path);
    store->owner = info.st_uid;
    store->group = info.st_gid;
    store->group_write = info.st_mode & S_IWGRP;
    return 0;
}

struct gcal_store *gcal_store_open(const char *path, struct gcal_error *err)
{
    struct gcal_store *store = calloc(1, sizeof(*store));

    if (!store || !(store->path = strdup(path))) {
        gcal_error_memory(err);
        free(store);
        return NULL;
    }
    store->dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->dirfd < 0)
        gcal_error_set(err, GCAL_EINPUT, "store %s: %s", path, strerror(errno));
    else if (look_at_folder(store, err) == 0)
        return store;
    gcal_store_close(store);
    return NULL;
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
    gcal_sign_key_destroy(store->key);
    gcal_sign_keys_destroy(store->trusted);
    free(store->path);
    free(store);
}

int gcal_store_sign_with(struct gcal_store *store, const char *path,
                         struct gcal_error *err)
{
    struct gcal_sign_key *key = gcal_sign_key_read(path, err);

    if (!key)
        return -1;
    gcal_sign_key_destroy(store->key);
    store->key = key;
    return 0;
}

int gcal_store_trust(struct gcal_store *store, const char *path, struct gcal_error *err)
{
    struct gcal_sign_keys *keys = gcal_sign_keys_read(path, err);

    if (!keys)
        return -1;
    gcal_sign_keys_destroy(store->trusted);
    store->trusted = keys;
    return 0;
}

bool gcal_store_is_name(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-";
    size_t length = strlen(name);

    return length && length <= MAX_NAME && *name != '.' &&
           strspn(name, allowed) == length;
}

int gcal_store_check_name(const char *what, const char *name, struct gcal_error *err)
{
    if (gcal_store_is_name(name))
        return 0;
    return gcal_error_set(
        err, GCAL_EINPUT,
        "'%.200s' cannot be the name of a %s: letters, digits, '.', '_' "
        "and '-', at most %d, no '.' in front",
        name, what, MAX_NAME);
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
static char *without(const char *file, const char *suffix)
{
    size_t length = strlen(file), tail = strlen(suffix);
    char *name;

    if (length <= tail || strcmp(file + length - tail, suffix) != 0)
        return NULL;
    if (!(name = strndup(file, length - tail)) || gcal_store_is_name(name))
        return name;
    free(name);
    return NULL;
}

int gcal_store_list(int folder, const char *suffix, char ***names, size_t *count,
                    struct gcal_error *err)
{
    DIR *dir = fdopendir(folder);
    size_t capacity = 0, n = 0;
    char **items = NULL, **moved;
    struct dirent *entry;
    int rc = 0;

    if (!dir) {
        rc = gcal_error_set(err, GCAL_EINPUT, "%s", strerror(errno));
        close(folder);
    }
    while (dir && rc == 0 && (entry = readdir(dir))) {
        char *name = without(entry->d_name, suffix);

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

/* 'rc' is how opening 'folder' ended; one that is not there yet has no names. */
static int list_opened(const struct gcal_store *store, const char *shown, int rc,
                       int folder, char ***names, size_t *count, struct gcal_error *err)
{
    *names = NULL;
    *count = 0;
    if (rc <= 0)
        return rc;
    if (gcal_store_list(folder, SUFFIX, names, count, err) == 0)
        return 0;
    return gcal_error_prefix(err, "store %s: %s", store->path, shown);
}

static int list_folder(const struct gcal_store *store, const char *name, char ***names,
                       size_t *count, struct gcal_error *err)
{
    int folder, rc = gcal_store_folder(store, store->dirfd, name, name, &folder, err);

    return list_opened(store, name, rc, folder, names, count, err);
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

int gcal_store_history(const struct gcal_store *store, const char *node, char ***names,
                       size_t *count, struct gcal_error *err)
{
    int folder, rc;

    if (gcal_store_check_name("node", node, err) < 0)
        return -1;
    /* Run ids start with the time, so their order is the order of the runs. */
    rc = gcal_store_history_folder(store, node, &folder, err);
    return list_opened(store, "history", rc, folder, names, count, err);
}

/* ---- files ---- */

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

/* Where a file of the store stands. */
struct place {
    const char *folder; /* "nodes", "types"; NULL: the history of 'node' */
    const char *node;   /* or type: whom it is of */
    const char *run_id;
};

/* Opens the folder; 'shown' is the file's path below the store, the caller's to free. */
static int open_place(const struct gcal_store *store, const struct place *place,
                      char **shown, int *folder, struct gcal_error *err)
{
    *folder = -1;
    *shown = place->folder
                 ? gcal_format("%s/%s" SUFFIX, place->folder, place->node)
                 : gcal_format("history/%s/%s" SUFFIX, place->node, place->run_id);
    if (!*shown)
        return gcal_error_memory(err);
    if (!place->folder)
        return gcal_store_history_folder(store, place->node, folder, err);
    return gcal_store_folder(store, store->dirfd, place->folder, place->folder, folder,
                             err);
}

/* The signed part of a file whose signature is good.  1, 0 when it is not there, -1. */
static int fetch(const struct gcal_store *store, const struct place *place, char **text,
                 size_t *size, char **shown, struct gcal_error *err)
{
    int folder, rc = open_place(store, place, shown, &folder, err);

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

/* A file under another node's name says nothing of this one. */
static int check_node(const struct gcal_store *store, const char *shown, const char *node,
                      const char *expected, struct gcal_error *err)
{
    if (strcmp(node, expected) == 0)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT, "store %s: %s is of '%s', not of '%s'",
                          store->path, shown, node, expected);
}

static int load(const struct gcal_store *store, const struct place *place,
                struct gcal_params *params, struct gcal_error *err)
{
    char *text, *shown;
    size_t size;
    int rc = fetch(store, place, &text, &size, &shown, err);

    if (rc > 0 && gcal_params_decode(text, size, shown, params, err) < 0)
        rc = gcal_error_prefix(err, "store %s", store->path);
    if (rc > 0 && check_node(store, shown, params->node, place->node, err) < 0) {
        gcal_params_clear(params);
        rc = -1;
    }
    free(text);
    free(shown);
    return rc;
}

/* Returns -1. */
static int not_there(const struct gcal_store *store, const struct place *place,
                     struct gcal_error *err)
{
    struct gcal_buf names = { 0 };
    const char *there;

    list_names(store, place->folder, place->node, place->run_id != NULL, &names);
    there = names.data ? names.data : "?";
    if (place->run_id)
        gcal_error_set(err, GCAL_EINPUT, "store %s: no run %s of node %s; there are: %s",
                       store->path, place->run_id, place->node, there);
    else if (strcmp(place->folder, "nodes") == 0)
        gcal_error_set(err, GCAL_EINPUT,
                       "store %s: node %s was not calibrated; there are: %s", store->path,
                       place->node, there);
    else
        gcal_error_set(err, GCAL_EINPUT,
                       "store %s: no device of type %s was calibrated; there are: %s",
                       store->path, place->node, there);
    gcal_buf_free(&names);
    return -1;
}

static int place_of_node(const char *node, const char *run_id, struct place *place,
                         struct gcal_error *err)
{
    *place = (struct place){ run_id ? NULL : "nodes", node, run_id };
    if (gcal_store_check_name("node", node, err) < 0)
        return -1;
    return run_id ? gcal_store_check_name("run", run_id, err) : 0;
}

int gcal_store_load(const struct gcal_store *store, const char *node, const char *run_id,
                    struct gcal_params *params, struct gcal_error *err)
{
    struct place place;
    int rc;

    *params = (struct gcal_params){ 0 };
    if (place_of_node(node, run_id, &place, err) < 0)
        return -1;
    rc = load(store, &place, params, err);
    return rc > 0 ? 0 : rc < 0 ? -1 : not_there(store, &place, err);
}

int gcal_store_load_type(const struct gcal_store *store, const char *type,
                         struct gcal_params *params, struct gcal_error *err)
{
    struct place place = { "types", type, NULL };
    int rc;

    *params = (struct gcal_params){ 0 };
    if (gcal_store_check_name("device type", type, err) < 0)
        return -1;
    rc = load(store, &place, params, err);
    return rc > 0 ? 0 : rc < 0 ? -1 : not_there(store, &place, err);
}

int gcal_store_stamp(const struct gcal_store *store, const char *node,
                     struct gcal_store_stamp *stamp, struct gcal_error *err)
{
    struct place place;
    struct stat info;
    char *shown;
    int folder, rc;

    if (place_of_node(node, NULL, &place, err) < 0)
        return -1;
    rc = open_place(store, &place, &shown, &folder, err);
    if (rc > 0 &&
        fstatat(folder, strrchr(shown, '/') + 1, &info, AT_SYMLINK_NOFOLLOW) < 0)
        rc = errno == ENOENT ? 0
                             : gcal_error_set(err, GCAL_EINPUT, "store %s: %s: %s",
                                              store->path, shown, strerror(errno));
    if (folder >= 0)
        close(folder);
    free(shown);
    if (rc <= 0)
        return rc < 0 ? -1 : not_there(store, &place, err);
    *stamp = (struct gcal_store_stamp){
        .device = info.st_dev,
        .inode = info.st_ino,
        .size = (uint64_t)info.st_size,
        .changed_ns = (int64_t)info.st_ctim.tv_sec * 1000000000 + info.st_ctim.tv_nsec,
    };
    return 0;
}
