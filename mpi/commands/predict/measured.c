/* measured.c - kernels with their measured times */
#include "mpi/commands/predict/measured.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "fit/fit.h"

static void kernel_clear(struct gcal_measured_kernel *k)
{
    gcal_run_kernel_clear(&k->kernel);
    free(k->detail);
    free(k->uncounted);
}

void gcal_measured_kernels_clear(struct gcal_measured_kernels *measured)
{
    for (size_t i = 0; i < measured->n; i++)
        kernel_clear(&measured->kernels[i]);
    free(measured->kernels);
    *measured = (struct gcal_measured_kernels){ 0 };
}

struct gcal_measured_kernel *
gcal_measured_kernels_add(struct gcal_measured_kernels *measured, struct gcal_error *err)
{
    struct gcal_measured_kernel *grown = gcal_array_grow(
        measured->kernels, measured->n, &measured->capacity, sizeof(*grown), err);

    if (!grown)
        return NULL;
    measured->kernels = grown;
    grown[measured->n] = (struct gcal_measured_kernel){ 0 };
    return &grown[measured->n++];
}

static int take_kernel(void *context, const struct gcal_run_kernel *from,
                       struct gcal_error *err)
{
    struct gcal_measured_kernel *k = gcal_measured_kernels_add(context, err);

    return k ? gcal_run_kernel_copy(&k->kernel, from, err) : -1;
}

static int take_time(struct gcal_measured_kernel *k, const struct gcal_measurement *m,
                     struct gcal_error *err)
{
    return gcal_fit_median_time(m->samples, m->n_samples, &k->time_s, &k->spread, err);
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
    free(k->detail);
    k->detail = NULL;
    if (m->detail && !(k->detail = strdup(m->detail)))
        return gcal_error_memory(err);
    return m->status == GCAL_MEASUREMENT_GOOD && m->n_samples ? take_time(k, m, err) : 0;
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

/* Others are the same kernels for devices with another sub-group size. */
static bool is_counted_for(const struct gcal_run_kernel *kernel,
                           const struct gcal_device_info *info)
{
    return !kernel->sub_group_size || kernel->sub_group_size == info->sub_group_size;
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

        if (is_counted_for(kernel, &d->info))
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

bool gcal_measured_kernels_have_target(const struct gcal_measured_kernels *measured,
                                       const char *model)
{
    for (size_t i = 0; i < measured->n; i++)
        if (gcal_kernel_uses_have(&measured->kernels[i].kernel.uses, model,
                                  GCAL_KERNEL_TARGET))
            return true;
    return false;
}

bool gcal_measured_kernels_lack_some(const struct gcal_measured_kernels *measured)
{
    for (size_t i = 0; i < measured->n; i++)
        if (measured->kernels[i].measured &&
            measured->kernels[i].status != GCAL_MEASUREMENT_GOOD &&
            measured->kernels[i].status != GCAL_MEASUREMENT_SKIPPED)
            return true;
    return measured->n_left_out > 0;
}
