#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "store/files/files.h"

#define SUFFIX ".yaml"

/* Where a file of the store stands. */
struct place {
    const char *folder; /* "nodes", "types"; NULL: the history of 'node' */
    const char *node;   /* or type: whom it is of */
    const char *run_id;
};

/* "n1, n2, n3": what there is instead of what was asked for. */
static void list_names(const struct gcal_store *store, const struct place *place,
                       struct gcal_buf *text)
{
    char **names = NULL;
    size_t count = 0;
    int rc = !place->folder ? gcal_store_history(store, place->node, &names, &count, NULL)
             : strcmp(place->folder, "types") == 0
                 ? gcal_store_types(store, &names, &count, NULL)
                 : gcal_store_nodes(store, &names, &count, NULL);

    if (rc < 0 || !count)
        gcal_buf_puts(text, "none");
    for (size_t i = 0; rc == 0 && i < count && i < 20; i++)
        gcal_buf_printf(text, "%s%s", i ? ", " : "", names[i]);
    if (count > 20)
        gcal_buf_printf(text, " and %zu more", count - 20);
    if (rc == 0)
        gcal_store_names_free(names, count);
}

/* Opens the folder; 'shown' is the file's path below the store, the caller's to free. */
static int open_place(const struct gcal_store *store, const struct place *place,
                      char **shown, int *folder, struct gcal_error *err)
{
    *folder = -1;
    *shown = place->folder
                 ? gcal_buf_format("%s/%s" SUFFIX, place->folder, place->node)
                 : gcal_buf_format("history/%s/%s" SUFFIX, place->node, place->run_id);
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

    list_names(store, place, &names);
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

struct gcal_params_index *gcal_store_load_index(const struct gcal_store *store,
                                                const char *node, const char *run_id,
                                                struct gcal_error *err)
{
    struct gcal_params_index *index = NULL;
    char *text, *shown;
    struct place place;
    size_t size;
    int rc;

    if (place_of_node(node, run_id, &place, err) < 0)
        return NULL;
    rc = fetch(store, &place, &text, &size, &shown, err);
    if (rc == 0)
        not_there(store, &place, err);
    if (rc > 0 && !(index = gcal_params_index_create(text, size, shown, err)))
        gcal_error_prefix(err, "store %s", store->path);
    if (index &&
        check_node(store, shown, gcal_params_index_devices(index)->node, node, err) < 0) {
        gcal_params_index_destroy(index);
        index = NULL;
    }
    free(shown);
    return index;
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
