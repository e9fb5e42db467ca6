/* types.c - how far a kernel's factors on types of devices lie apart, from the kernels of a store
 *
 * By moments: what squares of differences have beyond what the errors of the factors explain, each
 * weighted by how well it is known (Paule and Mandel's sum with the weights of the constant, in one
 * step).  The constant counts as much as PRIOR kernels that are known exactly.
 */
#include <math.h>

#include "kernels/base/strings.h"
#include "store/files/store.h"
#include "store/learned/private.h"
#include "store/predict/predictor.h"

#include <string.h>

#define PRIOR        8.0
#define MOST_KERNELS 200 /* their names are hashes, so the first are as good as any */
/* As far as an estimate may be from the constant. */
#define MOST_CHANGE 4.0

struct moments {
    double sum, weight;
};

/* A difference whose variance is 'of_errors' besides the 'expected' one of the level. */
static void add(struct moments *m, double difference, double of_errors, double expected)
{
    double weight = pow(expected / (expected + of_errors), 2);

    m->sum += weight * (difference * difference - of_errors);
    m->weight += weight;
}

/* As a deviation. */
static double estimate(const struct moments *m, double constant)
{
    double variance = (PRIOR * constant * constant + m->sum) / (PRIOR + m->weight);

    return fmin(fmax(sqrt(fmax(variance, 0)), constant / MOST_CHANGE),
                constant * MOST_CHANGE);
}

static void add_limit(const struct gcal_params *kernel,
                      const struct gcal_params_device *device,
                      const struct gcal_params_model *general, const char *limit,
                      struct moments *types)
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
                    GCAL_LEARNED_TYPES * GCAL_LEARNED_TYPES);
        }
    }
}

double gcal_learned_types_estimate(const struct gcal_store *store,
                                   const struct gcal_params_device *device,
                                   const struct gcal_params_model *general)
{
    struct moments types = { 0 };
    char **names = NULL;
    size_t n = 0;

    if (gcal_store_learned(store, &names, &n, NULL) < 0)
        n = 0;
    for (size_t i = 0; i < n && i < MOST_KERNELS; i++) {
        struct gcal_params kernel;

        if (gcal_store_load_learned(store, names[i], &kernel, NULL) > 0)
            for (size_t k = 0; k < general->roofs.n; k++)
                if (strcmp(general->roofs.roofs[k].name, GCAL_PREDICTOR_LAUNCH_ROOF) != 0)
                    add_limit(&kernel, device, general, general->roofs.roofs[k].name,
                              &types);
        gcal_params_clear(&kernel);
    }
    gcal_strings_free(names, n);
    return estimate(&types, GCAL_LEARNED_TYPES);
}
