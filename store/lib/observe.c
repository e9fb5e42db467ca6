/* observe.c - times that programs took, for the store to learn from */
#include <stdlib.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/lib/private.h"
#include "store/observed/observed.h"

/* Far above any launch, and any size that a double counts exactly. */
#define MOST_S    1e6
#define MOST_SIZE 9e15

/* The store's, made by the first thread that needs it. */
static struct gcal_observer *open_observer(struct gpucal_store *store,
                                           struct gcal_error *err)
{
    struct gcal_observer *o = atomic_load(&store->observer), *fresh;
    const char *key = getenv("GPUCAL_SIGN_KEY");

    if (o || !(fresh = gcal_observer_create(store->store, key && *key ? key : NULL, err)))
        return o;
    if (atomic_compare_exchange_strong(&store->observer, &o, fresh))
        return fresh;
    gcal_observer_destroy(fresh);
    return o;
}

/* "n=1024,m=64", the caller's to free. */
static char *name_sizes(const struct gcal_profile *profile, const double *sizes,
                        struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_puts(&buf, "");
    for (size_t i = 0; i < profile->n_parameters; i++) {
        if (!(sizes[i] >= 0 && sizes[i] <= MOST_SIZE)) {
            gcal_error_set(err, GCAL_EINPUT, "size %s is %g: expected a number from 0 on",
                           profile->parameters[i], sizes[i]);
            gcal_error_because(err, GCAL_REASON_SIZES);
            gcal_buf_free(&buf);
            return NULL;
        }
        gcal_buf_printf(&buf, "%s%s=%.0f", i ? "," : "", profile->parameters[i],
                        sizes[i]);
    }
    return gcal_buf_take(&buf, err);
}

static char *encode_profile(const void *context, struct gcal_error *err)
{
    return gcal_profile_set_encode(context, err);
}

static int observe(const struct gpucal_device *device,
                   const struct gpucal_profile *profile, const double *sizes,
                   double time_s, struct gcal_error *err)
{
    struct gcal_observation t = { .node = gpucal_device_node(device),
                                  .uid = gpucal_device_uid(device),
                                  .fingerprint = gcal_profile_identity(profile->profile),
                                  .kernel = profile->profile->kernel,
                                  .time_s = time_s,
                                  .profile = encode_profile,
                                  .context = &profile->counted };
    struct gcal_observer *observer;
    char *named;
    int rc;

    if (!(time_s > 0 && time_s <= MOST_S))
        return gcal_error_set(err, GCAL_EINPUT,
                              "a time of %g s: expected more than 0 and at most %g",
                              time_s, MOST_S);
    if (!t.fingerprint) {
        gcal_error_set(err, GCAL_EINPUT,
                       "kernel %.60s: its profile has no fingerprint, by which the store "
                       "knows it: count it again ('gpucal count')",
                       t.kernel);
        return gcal_error_because(err, GCAL_REASON_PROFILE);
    }
    if (!(named = name_sizes(profile->profile, sizes, err)))
        return -1;
    t.sizes = named;
    if (!(observer = open_observer(device->store, err)) ||
        (rc = gcal_observer_add(observer, &t, err)) < 0) {
        if (err && err->code != GCAL_EINPUT) {
            err->code = GCAL_EINPUT;
            gcal_error_because(err, GCAL_REASON_STORE);
        }
        rc = -1;
    }
    free(named);
    return rc;
}

API int gpucal_observe(const struct gpucal_device *device,
                       const struct gpucal_profile *profile, const double *sizes,
                       double seconds, struct gpucal_error *err)
{
    struct gcal_error e = { 0 };
    int rc;

    if (!GIVEN(err, device, profile) ||
        (profile->profile->n_parameters && !GIVEN(err, sizes)))
        return -1;
    rc = observe(device, profile, sizes, seconds, &e);
    return rc < 0 ? gpucal_error_from(err, &e) : rc;
}
