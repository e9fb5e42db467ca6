/* device.c - lists of nodes and devices, and a device of the library */
#include "store/lib/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/store.h"

struct gpucal_list {
    char **names;
    size_t count;
};

const struct gcal_params_device *gpucal_device_info(const struct gpucal_device *device)
{
    return &gcal_params_index_devices(device->index)->devices[device->at];
}

/* ---- lists ---- */

/* Takes 'names' when 'rc' is 0. */
static struct gpucal_list *list_new(int rc, char **names, size_t count,
                                    struct gcal_error *e, struct gpucal_error *err)
{
    struct gpucal_list *list = rc < 0 ? NULL : calloc(1, sizeof(*list));

    if (list) {
        list->names = names;
        list->count = count;
        return list;
    }
    if (rc == 0) {
        gcal_strings_free(names, count);
        gcal_error_memory(e);
    }
    gpucal_error_from(err, e);
    return NULL;
}

API struct gpucal_list *gpucal_store_nodes(const struct gpucal_store *store,
                                           struct gpucal_error *err)
{
    struct gcal_error e = { 0 };
    char **names = NULL;
    size_t count = 0;
    int rc;

    if (!GIVEN(err, store))
        return NULL;
    rc = gcal_store_nodes(store->store, &names, &count, &e);
    return list_new(rc, names, count, &e, err);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_uids(const struct gcal_params *params, char ***names, size_t *count,
                     struct gcal_error *err)
{
    char **uids = calloc(params->n_devices + 1, sizeof(*uids));
    size_t n = 0;

    while (uids && n < params->n_devices &&
           (uids[n] = strdup(params->devices[n].info.uid)))
        n++;
    if (!uids || n < params->n_devices) {
        gcal_strings_free(uids, n);
        return gcal_error_memory(err);
    }
    qsort(uids, n, sizeof(*uids), compare_texts);
    *names = uids;
    *count = n;
    return 0;
}

API struct gpucal_list *gpucal_node_devices(const struct gpucal_store *store,
                                            const char *node, struct gpucal_error *err)
{
    struct gcal_error e = { 0 };
    struct gcal_params_index *index;
    char **names = NULL;
    size_t count = 0;
    int rc = -1;

    if (!GIVEN(err, store, node))
        return NULL;
    if (!(index = gcal_store_load_index(store->store, node, NULL, &e)))
        gcal_error_because(&e, GCAL_REASON_FILE);
    else
        rc = list_uids(gcal_params_index_devices(index), &names, &count, &e);
    gcal_params_index_destroy(index);
    return list_new(rc, names, count, &e, err);
}

API size_t gpucal_list_count(const struct gpucal_list *list)
{
    return list ? list->count : 0;
}

API const char *gpucal_list_item(const struct gpucal_list *list, size_t i)
{
    return list && i < list->count ? list->names[i] : NULL;
}

API void gpucal_list_close(struct gpucal_list *list)
{
    if (!list)
        return;
    gcal_strings_free(list->names, list->count);
    free(list);
}

/* ---- device ---- */

/* The stamp is taken before the file is read: if the file is replaced in between, the new
 * one is read, and the next reload reads it again.
 */
static struct gpucal_device *device_new(struct gpucal_store *store, const char *node,
                                        struct gcal_error *err)
{
    struct gpucal_device *d = calloc(1, sizeof(*d));

    if (!d) {
        gcal_error_memory(err);
        return NULL;
    }
    if (gcal_store_stamp(store->store, node, &d->stamp, err) < 0 ||
        !(d->index = gcal_store_load_index(store->store, node, NULL, err))) {
        gcal_error_because(err, GCAL_REASON_FILE);
        free(d);
        return NULL;
    }
    atomic_fetch_add(&store->references, 1);
    d->store = store;
    return d;
}

struct gpucal_device *gpucal_device_find(
    const struct gpucal_store *store, const char *node, const char *pattern,
    const struct gcal_params_device *(*find)(const struct gcal_params *params,
                                             const char *pattern, struct gcal_error *err),
    struct gpucal_error *err)
{
    const struct gcal_params_device *found;
    const struct gcal_params *params;
    struct gcal_error e = { 0 };
    struct gpucal_device *d = device_new((struct gpucal_store *)store, node, &e);

    if (d) {
        params = gcal_params_index_devices(d->index);
        if ((found = find(params, pattern, &e))) {
            d->at = (size_t)(found - params->devices);
            return d;
        }
        gcal_error_because(&e, GCAL_REASON_DEVICE);
    }
    gpucal_device_close(d);
    gpucal_error_from(err, &e);
    return NULL;
}

API struct gpucal_device *gpucal_device_open(const struct gpucal_store *store,
                                             const char *node, const char *pattern,
                                             struct gpucal_error *err)
{
    if (!GIVEN(err, store, node))
        return NULL;
    return gpucal_device_find(store, node, pattern, gcal_params_find, err);
}

API void gpucal_device_close(struct gpucal_device *device)
{
    if (!device)
        return;
    gcal_params_index_destroy(device->index);
    gpucal_store_close(device->store);
    free(device);
}

/* By its exact uid, not a pattern. */
static int find_again(struct gpucal_device *fresh, const char *uid,
                      struct gcal_error *err)
{
    const struct gcal_params *params = gcal_params_index_devices(fresh->index);
    const struct gcal_params_device *found = gcal_params_find_uid(params, uid);

    if (!found) {
        gcal_error_set(err, GCAL_EINPUT, "node %s: device %s is no longer in its file",
                       params->node, uid);
        return gcal_error_because(err, GCAL_REASON_DEVICE);
    }
    fresh->at = (size_t)(found - params->devices);
    return 0;
}

/* 1 when the file was replaced, 0 when it was not, -1. */
static int has_changed(const struct gpucal_store *store,
                       const struct gpucal_device *device, struct gcal_error *err)
{
    const struct gcal_store_stamp *was = &device->stamp;
    struct gcal_store_stamp is;

    if (gcal_store_stamp(store->store, gpucal_device_node(device), &is, err) < 0)
        return -1;
    return is.device != was->device || is.inode != was->inode || is.size != was->size ||
           is.changed_ns != was->changed_ns;
}

API int gpucal_device_reload(const struct gpucal_store *store,
                             const struct gpucal_device *device,
                             struct gpucal_device **fresh, struct gpucal_error *err)
{
    struct gpucal_device *d = NULL;
    struct gcal_error e = { 0 };
    int rc;

    if (!GIVEN(err, store, device, fresh))
        return -1;
    rc = has_changed(store, device, &e);
    if (rc > 0 && (!(d = device_new((struct gpucal_store *)store,
                                    gpucal_device_node(device), &e)) ||
                   find_again(d, gpucal_device_uid(device), &e) < 0))
        rc = -1;
    if (rc > 0) {
        *fresh = d;
        return 1;
    }
    gpucal_device_close(d);
    return rc < 0 ? gpucal_error_from(err, &e) : 0;
}

API const char *gpucal_device_node(const struct gpucal_device *device)
{
    return device ? gcal_params_index_devices(device->index)->node : NULL;
}

API const char *gpucal_device_run(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->run_id : NULL;
}

API const char *gpucal_device_uid(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->info.uid : NULL;
}

API const char *gpucal_device_name(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->info.name : NULL;
}

API const char *gpucal_device_type(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->info.type : NULL;
}

API const char *gpucal_device_kind(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->info.device_type : NULL;
}

API const char *gpucal_device_driver(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->info.driver : NULL;
}

API const char *gpucal_device_pci(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->info.pci : NULL;
}

API const char *gpucal_device_calibrated_utc(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->calibrated_utc : NULL;
}

API double gpucal_device_age_s(const struct gpucal_device *device)
{
    return device ? difftime(time(NULL), 0) -
                        gcal_clock_parse_utc(gpucal_device_calibrated_utc(device))
                  : NAN;
}

API size_t gpucal_device_sub_group_size(const struct gpucal_device *device)
{
    return device ? (size_t)gpucal_device_info(device)->info.sub_group_size : 0;
}

API size_t gpucal_device_model_count(const struct gpucal_device *device)
{
    return device ? gpucal_device_info(device)->n_models : 0;
}

API const char *gpucal_device_model_name(const struct gpucal_device *device, size_t i)
{
    return i < gpucal_device_model_count(device)
               ? gpucal_device_info(device)->models[i].name
               : NULL;
}
