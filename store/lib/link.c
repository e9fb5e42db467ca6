/* link.c - what messages between nodes take */
#include <math.h>

#include "kernels/base/error.h"
#include "store/lib/private.h"
#include "store/links/links.h"

API int gpucal_link(const struct gpucal_store *store, const char *from, const char *to,
                    double bytes, struct gpucal_prediction *prediction,
                    struct gpucal_error *err)
{
    struct gcal_links links = { 0 };
    struct gcal_links_time time;
    struct gcal_error e = { 0 };
    int rc;

    if (!GIVEN(err, store, from, to, prediction))
        return -1;
    if (!(isfinite(bytes) && bytes >= 0))
        rc = gcal_error_set(&e, GCAL_EINPUT,
                            "%g bytes: must be a finite number of at least 0", bytes);
    else if ((rc = gcal_links_load(store->store, from, &links, &e)) >= 0 &&
             (rc = gcal_links_predict(&links, to, bytes, &time, &e)) < 0)
        gcal_error_because(&e, GCAL_REASON_NODE);
    gcal_links_clear(&links);
    if (rc < 0)
        return gpucal_error_from(err, &e);
    *prediction =
        (struct gpucal_prediction){ .time_s = time.time_s,
                                    .standard_error_s = time.time_s * time.error,
                                    .low_s = time.low_s,
                                    .high_s = time.high_s,
                                    .extrapolates = time.beyond > 1,
                                    .outside_by = time.beyond };
    return 0;
}
