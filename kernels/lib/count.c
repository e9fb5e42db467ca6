/* count.c - libgpucal-count: counting for libgpucal, by its public interface */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/includes/includes.h"
#include "kernels/lib/gpucal_count.h"

#define API __attribute__((visibility("default")))

#define MAX_SOURCE_BYTES (16u << 20)
#define UNNAMED          "kernel.cl"
#define MAX_ITEMS        65536

_Static_assert(sizeof(((struct gpucal_error *)0)->text) ==
                   sizeof(((struct gcal_error *)0)->text),
               "both errors hold the same texts");

static void fail(struct gpucal_error *err, const struct gcal_error *from)
{
    if (!err)
        return;
    *err = (struct gpucal_error){ .code = gcal_error_detail(from) };
    memcpy(err->text, from->text, sizeof(err->text));
}

static bool is_zero(const uint64_t *reserved, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (reserved[i])
            return false;
    return true;
}

#define IS_ZERO(reserved) is_zero((reserved), sizeof(reserved) / sizeof(*(reserved)))

static int check_request(const struct gpucal_count_request *r, struct gcal_error *err)
{
    if (!r)
        return gcal_error_set(err, GCAL_EINPUT, "the request is NULL");
    if (!IS_ZERO(r->reserved))
        return gcal_error_set(
            err, GCAL_EINPUT,
            "the request: 'reserved' is not 0: initialize the structure "
            "('= { 0 }')");
    if (!r->source && !r->file)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the request has neither source nor file");
    if (r->n_dims < 1 || r->n_dims > GCAL_MAX_DIMS)
        return gcal_error_set(err, GCAL_EINPUT, "%zu dimensions: must be 1 to %d",
                              r->n_dims, GCAL_MAX_DIMS);
    for (size_t i = 0; i < r->n_dims; i++)
        if (!r->global_size[i])
            return gcal_error_set(err, GCAL_EINPUT, "dimension %zu has no global_size",
                                  i);
    if (r->n_trips > MAX_ITEMS || r->n_include_folders > MAX_ITEMS)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%zu trip counts and %zu folders: at most %d of each",
                              r->n_trips, r->n_include_folders, MAX_ITEMS);
    for (size_t i = 0; i < r->n_trips; i++)
        if (!r->trips || !r->trips[i].size)
            return gcal_error_set(err, GCAL_EINPUT, "trip count %zu is NULL", i);
        else if (!IS_ZERO(r->trips[i].reserved))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "trip count %zu: 'reserved' is not 0: initialize the "
                                  "structure ('= { 0 }')",
                                  i);
    for (size_t i = 0; i < r->n_include_folders; i++)
        if (!r->include_folders || !r->include_folders[i])
            return gcal_error_set(err, GCAL_EINPUT, "include folder %zu is NULL", i);
    return 0;
}

/* The text with all that it includes, the caller's to free. */
static char *read_source(const struct gpucal_count_request *r, struct gcal_error *err)
{
    return r->source ? gcal_includes_inline(r->source, r->file ? r->file : UNNAMED,
                                            r->n_include_folders, r->include_folders, err)
                     : gcal_includes_read(r->file, MAX_SOURCE_BYTES, r->n_include_folders,
                                          r->include_folders, err);
}

/* 'trips' has room for r->n_trips. */
static struct gcal_count_request translate(const struct gpucal_count_request *r,
                                           size_t sub_group_size, const char *source,
                                           struct gcal_count_trips *trips)
{
    struct gcal_count_request request = {
        .source = source,
        .file = r->file ? r->file : UNNAMED,
        .language = gcal_includes_language(r->file),
        .kernel = r->kernel,
        .build_options = r->build_options,
        .n_dims = r->n_dims,
        .assume = r->assume,
        .sub_group_size = sub_group_size,
        .n_banks = GCAL_PROFILE_BANKS,
        .sector_bytes = GCAL_PROFILE_SECTOR_BYTES,
        .index_arithmetic = true,
        .allow_estimates = r->allow_estimates,
        .estimate_passes = true,
        .n_trips = r->n_trips,
        .trips = trips,
    };

    for (size_t i = 0; i < r->n_dims; i++) {
        request.local_size[i] = r->local_size[i];
        request.global_size[i] = r->global_size[i];
    }
    for (size_t i = 0; i < r->n_trips; i++)
        trips[i] = (struct gcal_count_trips){ r->trips[i].line, r->trips[i].size };
    return request;
}

/* For one size of sub-groups, or for each of several. */
struct counting {
    const struct gpucal_count_request *request;
    const char *source;
    struct gcal_count_trips *trips; /* room for the request's */
    size_t n;
    const size_t *sizes;
};

static int count_sizes(const struct counting *c, struct gcal_profile_set *set,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < c->n; i++) {
        struct gcal_count_request request =
            translate(c->request, c->sizes[i], c->source, c->trips);

        if (!(set->profiles[i] = gcal_count(&request, err)))
            return -1;
        set->n++;
    }
    return 0;
}

/* 'device' NULL: for all usual sizes. */
static int count(const struct gpucal_count_request *r, const struct gpucal_device *device,
                 struct gcal_profile_set *set, struct gcal_error *err)
{
    size_t size = device ? gpucal_device_sub_group_size(device) : 0;
    struct counting c = { .request = r,
                          .trips =
                              calloc(r->n_trips + 1, sizeof(struct gcal_count_trips)),
                          .n = device ? 1 : GCAL_PROFILE_USUAL_SIZES,
                          .sizes = device ? &size : gcal_profile_usual_sizes };
    char *source = c.trips ? read_source(r, err) : NULL;
    int rc;

    if (!c.trips)
        gcal_error_memory(err);
    c.source = source;
    rc = source ? count_sizes(&c, set, err) : -1;
    if (rc < 0)
        gcal_error_because(err, GCAL_REASON_SOURCE);
    free(source);
    free(c.trips);
    return rc;
}

API char *gpucal_count_text(const struct gpucal_count_request *request,
                            const struct gpucal_device *device, struct gpucal_error *err)
{
    struct gcal_error e = { 0 };
    struct gcal_profile_set set = { 0 };
    char *text = NULL;

    if (check_request(request, &e) == 0 && count(request, device, &set, &e) == 0)
        text = gcal_profile_set_encode(&set, &e);
    gcal_profile_set_clear(&set);
    if (!text)
        fail(err, &e);
    return text;
}

API void gpucal_count_free(char *text)
{
    free(text);
}

/* libgpucal reads profiles as text, so that the two libraries share public types alone. */
API struct gpucal_profile *gpucal_count(const struct gpucal_count_request *request,
                                        const struct gpucal_device *device,
                                        struct gpucal_error *err)
{
    char *text = gpucal_count_text(request, device, err);
    struct gpucal_profile *profile =
        text ? gpucal_profile_parse(text, strlen(text),
                                    request->file ? request->file : UNNAMED, err)
             : NULL;

    free(text);
    return profile;
}
