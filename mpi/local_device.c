#include "mpi/local_device.h"

#include <math.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "fit/fit.h"

#define LIMIT_S      120.0
#define MEASURE_S    2.0
#define MAX_LAUNCHES 60

static int as_device_error(enum gcal_worker_outcome outcome, struct gcal_error *err)
{
    if (outcome == GCAL_WORKER_DONE)
        return 0;
    err->code = GCAL_EDEVICE;
    return -1;
}

int gcal_local_devices_open(struct gcal_local_devices *d, struct gcal_error *err)
{
    if (!(d->spawner = gcal_spawner_start(err)) ||
        !(d->worker = gcal_worker_start(d->spawner, NULL, err)))
        return -1;
    return as_device_error(gcal_worker_list(d->worker, LIMIT_S, &d->info, &d->count, err),
                           err);
}

void gcal_local_devices_close(struct gcal_local_devices *d)
{
    for (size_t i = 0; i < d->count; i++)
        gcal_device_info_clear(&d->info[i]);
    free(d->info);
    gcal_worker_stop(d->worker);
    gcal_spawner_stop(d->spawner);
}

int gcal_local_measure(struct gcal_local_devices *d, const char *uid,
                       const struct gcal_kernel *kernel, double *time_s, size_t *launches,
                       struct gcal_error *err)
{
    struct gcal_sample samples[MAX_LAUNCHES];
    double times_s[MAX_LAUNCHES], first_s, spread;
    enum gcal_row_status status;

    if (as_device_error(gcal_worker_open(d->worker, uid, LIMIT_S, err), err) < 0 ||
        as_device_error(
            gcal_worker_prepare(d->worker, kernel, LIMIT_S, &first_s, &status, err),
            err) < 0)
        return -1;
    *launches = (size_t)fmin(MAX_LAUNCHES, fmax(3, MEASURE_S / fmax(first_s, 1e-6)));
    if (as_device_error(gcal_worker_measure(d->worker, kernel, *launches, LIMIT_S,
                                            samples, &status, err),
                        err) < 0)
        return -1;
    for (size_t i = 0; i < *launches; i++)
        times_s[i] = samples[i].time_s;
    return gcal_fit_median(times_s, *launches, time_s, &spread, err);
}
