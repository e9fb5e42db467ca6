/* transfer.c - copies between host and device: their times, and those of shares of divided work */
#include "store/lib/private.h"

#include <math.h>

#include "kernels/base/error.h"
#include "store/params/params.h"
#include "store/predict/transfers.h"

static const enum gcal_feature_copy_direction ways[] = { GCAL_FEATURE_TO_DEVICE,
                                                         GCAL_FEATURE_FROM_DEVICE,
                                                         GCAL_FEATURE_COPY_ANY };
static const enum gcal_feature_host_memory hosts[] = { GCAL_FEATURE_PAGEABLE,
                                                       GCAL_FEATURE_PINNED,
                                                       GCAL_FEATURE_MAPPED };

/* Decodes the device's models. */
static struct gcal_transfers *open_transfers(const struct gpucal_device *device,
                                             struct gcal_error *err)
{
    struct gcal_params_device decoded = { 0 };
    struct gcal_transfers *transfers = NULL;

    if (gcal_params_index_models(device->index, device->at, NULL, &decoded, err) == 0) {
        transfers = gcal_transfers_create(&decoded, err);
    }
    gcal_params_index_models_clear(&decoded);
    return transfers;
}

static int check(enum gpucal_direction direction, enum gpucal_memory memory,
                 struct gcal_error *err)
{
    if ((unsigned)direction >= sizeof(ways) / sizeof(*ways) ||
        (unsigned)memory >= sizeof(hosts) / sizeof(*hosts))
        return gcal_error_set(err, GCAL_EINPUT, "no such direction or memory");
    return 0;
}

API int gpucal_transfer(const struct gpucal_device *device,
                        enum gpucal_direction direction, enum gpucal_memory memory,
                        double bytes, double copies, struct gpucal_prediction *prediction,
                        struct gpucal_error *err)
{
    struct gcal_transfers *transfers = NULL;
    struct gcal_prediction p;
    struct gcal_error e = { 0 };
    int rc;

    if (!GIVEN(err, device, prediction))
        return -1;
    rc = check(direction, memory, &e);
    if (rc == 0 && !(isfinite(bytes) && bytes > 0 && isfinite(copies) && copies >= 1))
        rc = gcal_error_set(&e, GCAL_EINPUT,
                            "%g bytes in %g copies: must be finite numbers, bytes above "
                            "0 and copies at least 1",
                            bytes, copies);
    if (rc == 0) {
        const struct gcal_transfers_copy copy = { ways[direction], hosts[memory], bytes,
                                                  copies };

        transfers = open_transfers(device, &e);
        rc = !transfers ? -1
             : direction == GPUCAL_BOTH_DIRECTIONS
                 ? gcal_transfers_eval_both(transfers, copy.host, bytes, copies, &p, &e)
                 : gcal_transfers_eval(transfers, &copy, &p, &e);
    }
    /* Texts of the prediction belong to the predictor, which ends here. */
    if (rc == 0)
        *prediction = (struct gpucal_prediction){ .time_s = p.time_s,
                                                  .standard_error_s = p.standard_error_s,
                                                  .low_s = p.low_s,
                                                  .high_s = p.high_s,
                                                  .not_covered = p.not_covered,
                                                  .extrapolates = p.extrapolates,
                                                  .outside_by = p.outside_by };
    gcal_transfers_destroy(transfers);
    return rc < 0 ? gpucal_error_from(err, &e) : 0;
}

/* Adds the cost of copying 'bytes' for each unit. */
static int add(const struct gcal_transfers *transfers,
               enum gcal_feature_copy_direction way, enum gcal_feature_host_memory host,
               double bytes, struct gcal_transfers_rate *sum, struct gcal_error *err)
{
    struct gcal_transfers_rate rate;

    if (!(isfinite(bytes) && bytes >= 0))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%g bytes per unit: must be a finite number of at least 0",
                              bytes);
    if (bytes == 0)
        return 0;
    if (gcal_transfers_rate(transfers, way, host, &rate, err) < 0)
        return -1;
    sum->start_s += rate.start_s;
    sum->byte_s += rate.byte_s * bytes;
    return 0;
}

API int gpucal_share_transfers(struct gpucal_share *share,
                               const struct gpucal_device *device,
                               enum gpucal_memory memory, double in_bytes,
                               double out_bytes, struct gpucal_error *err)
{
    struct gcal_transfers_rate sum = { 0, 0 };
    struct gcal_transfers *transfers = NULL;
    struct gcal_error e = { 0 };
    int rc;

    if (!GIVEN(err, share, device))
        return -1;
    rc = check(GPUCAL_TO_DEVICE, memory, &e);
    if (rc == 0 && !(transfers = open_transfers(device, &e)))
        rc = -1;
    if (rc == 0 &&
        (add(transfers, GCAL_FEATURE_TO_DEVICE, hosts[memory], in_bytes, &sum, &e) < 0 ||
         add(transfers, GCAL_FEATURE_FROM_DEVICE, hosts[memory], out_bytes, &sum, &e) <
             0))
        rc = -1;
    if (rc == 0) {
        share->start_s = sum.start_s;
        share->transfer_s = sum.byte_s;
    }
    gcal_transfers_destroy(transfers);
    return rc < 0 ? gpucal_error_from(err, &e) : 0;
}
