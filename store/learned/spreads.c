/* spreads.c - how far a kernel's factors on types lie apart, and its times on devices of a type, from
 * the kernels of a store
 *
 * By moments: what squares of differences have beyond what the errors of the factors explain, each
 * weighted by how well it is known (Paule and Mandel's sum with the weights of the constant, in one
 * step).  The constant counts as much as PRIOR kernels that are known exactly.
 */
#include <math.h>
#include <string.h>

#include "kernels/base/strings.h"
#include "store/files/store.h"
#include "store/learned/private.h"
#include "store/predict/predictor.h"

#define PRIOR        8.0
#define MOST_KERNELS 200 /* their names are hashes, so the first are as good as any */
/* What a kernel's time on a device is off that on its type, beside the device factor. */
#define DEVICES 0.02
/* What a time is off by at least, relative. */
#define LEAST_SPREAD 0.01
/* As far as an estimate may be from the constant. */
#define MOST_CHANGE 4.0

/* A difference whose variance is 'of_errors' besides the 'expected' one of the level, and which counts as
 * 'share' of one.
 */
static void add(struct gcal_learned_moments *m, double difference, double of_errors,
                double expected, double share)
{
    double weight = share * pow(expected / (expected + of_errors), 2);

    m->sum += weight * (difference * difference - of_errors);
    m->weight += weight;
}

/* As a deviation. */
static double estimate(const struct gcal_learned_moments *m, double constant)
{
    double variance = (PRIOR * constant * constant + m->sum) / (PRIOR + m->weight);

    return fmin(fmax(sqrt(fmax(variance, 0)), constant / MOST_CHANGE),
                constant * MOST_CHANGE);
}

static void add_limit(const struct gcal_params *kernel,
                      const struct gcal_params_device *device,
                      const struct gcal_params_model *general, const char *limit,
                      struct gcal_learned_moments *types)
{
    double deviation = gcal_learned_deviation(general, limit);

    for (size_t i = 0; i < kernel->n_devices; i++) {
        const struct gcal_params_device *a = &kernel->devices[i];
        struct gcal_learned_evidence e;

        if (!a->n_models || !gcal_learned_is_of(a, device, general))
            continue;
        e = gcal_learned_find_evidence(a->models, limit, deviation);
        for (size_t k = 0; k < i && e.precision > 0; k++) {
            const struct gcal_params_device *b = &kernel->devices[k];
            struct gcal_learned_evidence f = { 0 };

            if (b->n_models && gcal_learned_is_of(b, device, general))
                f = gcal_learned_find_evidence(b->models, limit, deviation);
            if (f.precision > 0) /* both differ from the kernel's */
                add(types, (e.mean - f.mean) / sqrt(2),
                    (1 / e.precision + 1 / f.precision) / 2,
                    GCAL_LEARNED_TYPES * GCAL_LEARNED_TYPES, 1);
        }
    }
}

double gcal_learned_noise(const struct gcal_params_model *general,
                          const struct gcal_params_time *time)
{
    size_t at = gcal_params_find_name(general->parameter, general->n_parameters,
                                      GCAL_PREDICTOR_LAUNCH);
    double launch_s = at < general->n_parameters ? general->value[at] : 0;
    double of_launch = GCAL_LEARNED_LAUNCH_WITHIN * fmin(launch_s / time->time_s, 1);

    return pow(fmax(time->spread, LEAST_SPREAD), 2) + of_launch * of_launch;
}

/* What the device of the time 'first' differs by from the mean of all at the same sizes, in its mean over
 * the sizes that others have, too; what these scatter by shows its error.
 */
static void add_device(const struct gcal_params_model *m, size_t first,
                       const struct gcal_params_model *general,
                       struct gcal_learned_moments *devices)
{
    const char *device = m->times[first].device;
    double n = 0, sum = 0, squares = 0, noise = 0, part = 0;

    for (size_t i = first; i < m->n_times; i++) {
        const struct gcal_params_time *t = &m->times[i];
        double n_same = 0, mean = 0, off;

        if (!t->device || strcmp(t->device, device) != 0)
            continue;
        for (size_t k = 0; k < m->n_times; k++)
            if (m->times[k].device && strcmp(m->times[k].sizes, t->sizes) == 0) {
                mean += log(m->times[k].time_s);
                n_same++;
            }
        if (n_same < 2)
            continue;
        off = log(t->time_s) - mean / n_same;
        n++;
        sum += off;
        squares += off * off;
        noise += gcal_learned_noise(general, t);
        part += (n_same - 1) /
                n_same; /* of its variance, as the mean has the device's own time */
    }
    if (!(n > 0))
        return;
    noise = fmax(noise, n > 1 ? (squares - sum * sum / n) / (n - 1) * n * n / part : 0);
    add(devices, sum / sqrt(n * part), noise / n / n, DEVICES * DEVICES, part / n);
}

static void add_devices(const struct gcal_params_model *m,
                        const struct gcal_params_model *general,
                        struct gcal_learned_moments *devices)
{
    for (size_t i = 0; i < m->n_times; i++) {
        size_t k = 0;

        while (
            m->times[i].device && k < i &&
            (!m->times[k].device || strcmp(m->times[k].device, m->times[i].device) != 0))
            k++;
        if (m->times[i].device && k == i)
            add_device(m, i, general, devices);
    }
}

double gcal_learned_devices(const struct gcal_learned_spreads *spreads,
                            const struct gcal_params_model *general,
                            const struct gcal_params_model *kernel)
{
    struct gcal_learned_moments devices = spreads->devices;

    add_devices(kernel, general, &devices);
    return devices.weight > 0 ? estimate(&devices, DEVICES) : 0;
}

struct gcal_learned_spreads gcal_learned_estimate(const struct gcal_store *store,
                                                  const struct gcal_params_device *device,
                                                  const struct gcal_params_model *general)
{
    struct gcal_learned_moments types = { 0 }, devices = { 0 };
    char **names = NULL;
    size_t n = 0;

    if (gcal_store_learned(store, &names, &n, NULL) < 0)
        n = 0;
    for (size_t i = 0; i < n && i < MOST_KERNELS; i++) {
        struct gcal_params kernel;

        if (gcal_store_load_learned(store, names[i], &kernel, NULL) > 0) {
            for (size_t k = 0; k < general->roofs.n; k++)
                if (strcmp(general->roofs.roofs[k].name, GCAL_PREDICTOR_LAUNCH_ROOF) != 0)
                    add_limit(&kernel, device, general, general->roofs.roofs[k].name,
                              &types);
            for (size_t k = 0; k < kernel.n_devices; k++)
                if (kernel.devices[k].n_models &&
                    gcal_learned_is_of(&kernel.devices[k], device, general))
                    add_devices(kernel.devices[k].models, general, &devices);
        }
        gcal_params_clear(&kernel);
    }
    gcal_strings_free(names, n);
    return (struct gcal_learned_spreads){ estimate(&types, GCAL_LEARNED_TYPES), devices };
}
