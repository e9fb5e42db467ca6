/* measured.c - kernels with their measured times */
#include "mpi/commands/predict/evaluate.h"

#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "fit/fit.h"

void gcal_measured_kernels_clear(struct gcal_measured_kernels *measured)
{
    for (size_t i = 0; i < measured->n; i++)
        gcal_run_kernel_clear(&measured->kernels[i].kernel);
}

struct gcal_measured_kernel *
gcal_measured_kernels_add(struct gcal_measured_kernels *measured)
{
    measured->kernels = gcal_arena_grow(measured->arena, measured->kernels, measured->n,
                                        &measured->capacity, sizeof(*measured->kernels));
    return &measured->kernels[measured->n++];
}

static int take_kernel(void *context, const struct gcal_run_kernel *from,
                       struct gcal_error *err)
{
    return gcal_run_kernel_copy(&gcal_measured_kernels_add(context)->kernel, from, err);
}

static int take_measurement(void *context, const struct gcal_measurement *m,
                            struct gcal_error *err)
{
    struct gcal_measured_kernels *measured = context;
    struct gcal_measured_kernel *k;
    size_t i = measured->first;

    if (strcmp(m->device_uid, measured->uid) != 0 || strcmp(m->node, measured->node) != 0)
        return 0;
    while (i < measured->n && strcmp(measured->kernels[i].kernel.id, m->kernel_id) != 0)
        i++;
    if (i == measured->n)
        return gcal_error_set(err, GCAL_EINPUT,
                              "a time of the kernel %s, which is not there",
                              m->kernel_id);
    k = &measured->kernels[i];
    k->measured = true;
    k->status = m->status;
    k->n_samples = m->n_samples;
    k->built = m->built;
    k->detail = m->detail ? gcal_arena_strdup(measured->arena, m->detail) : NULL;
    if (m->status != GCAL_MEASUREMENT_GOOD || !m->n_samples)
        return 0;
    return gcal_fit_median_time(m->samples, m->n_samples, &k->time_s, &k->spread, err);
}

struct gcal_profile *gcal_measured_kernel_profile(const struct gcal_measured_kernel *k,
                                                  const char *type,
                                                  struct gcal_error *err)
{
    struct gcal_profile *profile = gcal_run_kernel_profile(&k->kernel, err);

    if (profile && gcal_built_set(profile, type, &k->built, err) < 0) {
        gcal_profile_destroy(profile);
        profile = NULL;
    }
    return profile;
}

struct gcal_run_sink gcal_measured_kernels_sink(struct gcal_measured_kernels *measured)
{
    return (struct gcal_run_sink){ .context = measured,
                                   .kernel = take_kernel,
                                   .measurement = take_measurement };
}

int gcal_measured_kernels_read(struct gcal_measured_kernels *measured,
                               const struct gcal_record *record, size_t device,
                               struct gcal_error *err)
{
    const struct gcal_run_device *d = &record->devices[device];
    int rc = 0;

    measured->uid = d->info.uid;
    measured->node = d->node;
    measured->first = measured->n;
    for (size_t i = 0; i < record->n_kernels && rc == 0; i++) {
        const struct gcal_run_kernel *kernel = &record->kernels[i];

        /* Others are the same kernels for devices with another sub-group size. */
        if (!kernel->sub_group_size || kernel->sub_group_size == d->info.sub_group_size)
            rc = take_kernel(measured, kernel, err);
    }
    for (size_t i = 0; i < record->n_measurements && rc == 0; i++) {
        struct gcal_measurement m = { 0 };

        rc = gcal_record_measurement(record, i, &m, NULL, NULL, err);
        if (rc == 0)
            rc = take_measurement(measured, &m, err);
        gcal_measurement_clear(&m);
    }
    return rc;
}
