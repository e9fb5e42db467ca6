/* learned.h - what times say of a kernel: corrections of the general model, in a store
 *
 * The general model errs by nearly the same factor in all launches of a kernel that one limit
 * binds, on all devices: counts miss the same work.  So each limit (roof) of the general model has
 * a factor of the kernel, p_kernel_LIMIT, which is about 1 as far as kernels that it binds are off
 * (the model's spread), and which times move (calib/learn/corrections.h).
 *
 * A kernel's file in the store has a device of each type that it was timed on, with one model of
 * the form GCAL_PARAMS_CORRECTIONS: the factors, their covariance, and the times.  On a device of
 * another type the kernel's factors are about those, as far as types differ.  Where several devices of
 * the type were timed, each has a factor of all limits alike (gcal_params_member), beside the device
 * factor that all kernels share.
 *
 * How far types lie apart, and devices of a type, is estimated from the kernels that the store has when
 * one is learned, and kept with it; constants count as much as some kernels.
 */
#ifndef GCAL_STORE_LEARNED_H
#define GCAL_STORE_LEARNED_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_params;
struct gcal_params_device;
struct gcal_params_model;
struct gcal_params_time;
struct gcal_profile;
struct gcal_store;

/* Of the factors' names: "p_kernel_dram". */
#define GCAL_LEARNED_PREFIX "p_kernel_"

/* A launch differs from the kernel's mean, with the factors at those of its limits. */
#define GCAL_LEARNED_WITHIN 0.043

/* Factors by limit of a general model, as logarithms. */
struct gcal_learned_factors {
    size_t n;
    double *mean, *deviation; /* of the kernel's factors */
    double *within;           /* deviation of the factors of one launch from these */
};

/* How far levels lie apart, as logarithms. */
struct gcal_learned_spreads {
    double types; /* deviation of a kernel's factor on a type from the kernel's */
    struct gcal_learned_moments {
        double sum, weight;
    } devices; /* squares of what times on a device are off those on its type */
};

/* That of types as it was when the kernel was learned last; a constant. */
double gcal_learned_types(const struct gcal_params *known);
/* From up to 200 kernels of the store, of the device's general model. */
struct gcal_learned_spreads
gcal_learned_estimate(const struct gcal_store *store,
                      const struct gcal_params_device *device,
                      const struct gcal_params_model *general);
/* The deviation of a kernel's time on a device from its type's, from these, and the times of 'kernel' as far
 * as they are on several devices; 0: none are.
 */
double gcal_learned_devices(const struct gcal_learned_spreads *spreads,
                            const struct gcal_params_model *general,
                            const struct gcal_params_model *kernel);

/* The variance of the logarithm of a kernel's time of a launch, beside what the kernel takes on the
 * device: starting it costs more on one host or day than on another.
 */
double gcal_learned_noise(const struct gcal_params_model *general,
                          const struct gcal_params_time *time);

/* What is expected of a kernel's factors on a device: without any times, those of all kernels;
 * 'known' (may be NULL) is the kernel's file, whose other types count as far as 'types' apart.  -1 (GCAL_EINPUT) if the model's limits are no named
 * expressions, so that no factors can be put in.
 */
int gcal_learned_expect(const struct gcal_params_device *device,
                        const struct gcal_params_model *general,
                        const struct gcal_params *known, double types,
                        struct gcal_learned_factors *factors, struct gcal_error *err);
void gcal_learned_factors_clear(struct gcal_learned_factors *factors);

/* The covariance (n x n) of the factors of one launch, whose model is off by 'error' besides, for
 * the caller to free; NULL with 'err'.
 */
double *gcal_learned_covariance(const struct gcal_learned_factors *factors, double error,
                                struct gcal_error *err);

/* The general model with factors at the expressions of its limits, the costs known: it predicts the
 * kernel of 'profile' alone.  'value' and 'covariance' (n x n): of the factors.  Clear 'model' in
 * any case.
 */
int gcal_learned_compose(const struct gcal_params_model *general, const char *name,
                         const struct gcal_profile *profile, const double *value,
                         const double *covariance, struct gcal_params_model *model,
                         struct gcal_error *err);

/* The corrections of the device's type in the kernel's file, if they are of the device's general model. */
const struct gcal_params_model *
gcal_learned_find(const struct gcal_params *known,
                  const struct gcal_params_device *device,
                  const struct gcal_params_model *general);

/* Whether some kernel was learned under that name. */
bool gcal_learned_has_name(const struct gcal_store *store, const char *name);

/* Adds to the device of that node the model that the store has of the kernel, unless there is one: 1, 0
 * if the store has none for this device's general model, -1.
 */
int gcal_learned_add(const struct gcal_store *store, const char *node,
                     const struct gcal_profile *profile,
                     struct gcal_params_device *device, struct gcal_error *err);

#endif
