/* local_device.c - the devices of this machine, for commands without MPI */
#include "mpi/cli/local_device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "kernels/model/run/device_match.h"
#include "fit/fit.h"

#define LIMIT_S      120.0
#define MEASURE_S    2.0
#define MAX_LAUNCHES 60
#define BUSY         1.15 /* median over least; of idle GPUs up to 1.08 at 5 us */

static int as_device_error(enum gcal_worker_outcome outcome, struct gcal_error *err)
{
    if (outcome == GCAL_WORKER_DONE)
        return 0;
    err->code = GCAL_EDEVICE;
    return -1;
}

int gcal_local_devices_open(struct gcal_local_devices *d, struct gcal_error *err)
{
    struct gcal_worker *worker;
    int rc;

    if (!(d->spawner = gcal_worker_spawner_start(err)) ||
        !(worker = gcal_worker_start(d->spawner, NULL, err)))
        return -1;
    rc = as_device_error(
        gcal_worker_list_devices(worker, LIMIT_S, &d->info, &d->count, err), err);
    gcal_worker_stop(worker);
    return rc;
}

void gcal_local_devices_close(struct gcal_local_devices *d)
{
    for (size_t i = 0; i < d->count; i++)
        gcal_device_info_clear(&d->info[i]);
    free(d->info);
    gcal_worker_spawner_stop(d->spawner);
}

bool gcal_local_device_matches(const struct gcal_device_info *info, size_t n_patterns,
                               const char *const *patterns)
{
    for (size_t i = 0; i < n_patterns; i++)
        if (gcal_device_info_matches(info, patterns[i]))
            return true;
    return n_patterns == 0;
}

const struct gcal_device_info *
gcal_local_device_find(const struct gcal_local_devices *d,
                       const struct gcal_device_info *wanted, struct gcal_error *err)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->info[i].uid, wanted->uid) == 0)
            return &d->info[i];
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->info[i].type, wanted->type) == 0)
            return &d->info[i];
    gcal_error_set(err, GCAL_EDEVICE,
                   "this machine has neither device %s nor another of its type; 'gpucal "
                   "devices' lists its devices, and --device selects one",
                   wanted->name);
    return NULL;
}

static int measure(struct gcal_worker *worker, const struct gcal_kernel *kernel,
                   struct gcal_timed *timed, struct gcal_error *err)
{
    struct gcal_measurement_sample samples[MAX_LAUNCHES];
    double first_s;
    enum gcal_measurement_status status;

    if (as_device_error(
            gcal_worker_prepare(worker, kernel, LIMIT_S, &first_s, &status, err), err) <
        0)
        return -1;
    timed->launches =
        (size_t)fmin(MAX_LAUNCHES, fmax(3, MEASURE_S / fmax(first_s, 1e-6)));
    if (as_device_error(gcal_worker_measure(worker, kernel, timed->launches, LIMIT_S,
                                            samples, &status, err),
                        err) < 0)
        return -1;
    timed->least_s = INFINITY;
    for (size_t i = 0; i < timed->launches; i++)
        timed->least_s = fmin(timed->least_s, samples[i].time_s);
    return gcal_fit_median_time(samples, timed->launches, &timed->median_s,
                                &timed->spread, err);
}

int gcal_local_device_measure(struct gcal_local_devices *d, const char *uid,
                              const struct gcal_kernel *kernel, struct gcal_timed *timed,
                              struct gcal_error *err)
{
    struct gcal_worker *worker = gcal_worker_start_on(d->spawner, uid, NULL, err);
    int rc = worker ? measure(worker, kernel, timed, err) : -1;

    gcal_worker_stop(worker);
    return rc;
}

void gcal_timed_print(const struct gcal_timed *t, double predicted_s)
{
    char median[GCAL_UNITS_SIZE], least[GCAL_UNITS_SIZE];

    printf("measured %s (median of %zu launches, +- %.1f %%, least %s)",
           gcal_units(t->median_s, "s", median), t->launches, 100 * t->spread,
           gcal_units(t->least_s, "s", least));
    if (!isnan(predicted_s))
        printf(": prediction error %+.1f %%", 100 * (predicted_s / t->median_s - 1));
    putchar('\n');
    if (t->median_s > BUSY * t->least_s)
        puts("the device or this machine was busy, as half of the launches took much "
             "longer than "
             "the fastest: measure again when it is idle");
}

int gcal_local_device_build(struct gcal_local_devices *d, const char *uid,
                            const struct gcal_kernel *kernel, struct gcal_built *built,
                            struct gcal_error *err)
{
    struct gcal_worker *worker = gcal_worker_start_on(d->spawner, uid, NULL, err);
    int rc = -1;

    if (worker)
        rc = as_device_error(gcal_worker_build(worker, kernel, LIMIT_S, built, err), err);
    gcal_worker_stop(worker);
    return rc;
}
