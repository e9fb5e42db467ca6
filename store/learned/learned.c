/* learned.c - a kernel's file in the store, and the model that it makes of a device's general one */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/model/profile.h"
#include "store/files/store.h"
#include "store/learned/private.h"
#include "store/predict/predictor.h"

const struct gcal_params_model *gcal_learned_find(const struct gcal_params *known,
                                                  const struct gcal_params_device *device,
                                                  const struct gcal_params_model *general)
{
    for (size_t i = 0; i < known->n_devices; i++) {
        const struct gcal_params_device *d = &known->devices[i];

        if (strcmp(d->info.type, device->info.type) == 0 && d->n_models &&
            gcal_learned_is_of(d, device, general))
            return d->models;
    }
    return NULL;
}

bool gcal_learned_has_name(const struct gcal_store *store, const char *name)
{
    char **kernels = NULL;
    bool has = false;
    size_t n = 0;

    if (gcal_store_learned(store, &kernels, &n, NULL) < 0)
        return false;
    for (size_t i = 0; i < n && !has; i++) {
        struct gcal_params known;

        if (gcal_store_load_learned(store, kernels[i], &known, NULL) > 0)
            for (size_t k = 0; k < known.n_devices; k++)
                has = has || gcal_params_find_model(&known.devices[k], name);
        gcal_params_clear(&known);
    }
    gcal_strings_free(kernels, n);
    return has;
}

/* Of the device, by its own times or as one of its type: that lies about those that were timed, whose
 * mean is the type's.
 */
static struct gcal_params_member find_member(const struct gcal_params_model *own,
                                             const char *node, const char *uid)
{
    size_t length = strlen(node);
    struct gcal_params_member other = { .factor = 1 };

    for (size_t i = 0; i < own->n_members; i++) {
        const char *device = own->members[i].device;

        if (strncmp(device, node, length) == 0 && device[length] == '/' &&
            strcmp(device + length + 1, uid) == 0)
            return own->members[i];
    }
    if (own->n_members)
        other.error = own->spread_devices * sqrt(1 + 1 / (double)own->n_members);
    return other;
}

/* Times of the device's own type decide. */
static int take_own(const struct gcal_params_model *own, struct gcal_params_member member,
                    const struct gcal_params_model *general, double *value,
                    double *covariance, struct gcal_error *err)
{
    size_t n = general->roofs.n;

    for (size_t i = 0; i < n; i++) {
        size_t a = gcal_learned_find_factor(own, general->roofs.roofs[i].name);

        if (a == own->n_parameters)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "what was learned of %s has no factor of the limit "
                                  "'%s': learn it again",
                                  own->name, general->roofs.roofs[i].name);
        value[i] = own->value[a] * member.factor;
        for (size_t k = 0; k <= i; k++) {
            size_t b = gcal_learned_find_factor(own, general->roofs.roofs[k].name);

            covariance[i * n + k] = covariance[k * n + i] =
                gcal_params_covariance(own, a, b) * member.factor * member.factor +
                member.error * member.error * value[i] * value[k];
        }
    }
    return 0;
}

/* Whether some type's corrections are of the model. */
static const struct gcal_params_model *find_any(const struct gcal_params *known,
                                                const struct gcal_params_device *device,
                                                const struct gcal_params_model *general)
{
    for (size_t i = 0; i < known->n_devices; i++)
        if (known->devices[i].n_models &&
            gcal_learned_is_of(&known->devices[i], device, general))
            return known->devices[i].models;
    return NULL;
}

static int compose_known(const struct gcal_params *known, const char *node,
                         const struct gcal_params_device *device,
                         const struct gcal_profile *profile, struct gcal_params_model *m,
                         struct gcal_error *err)
{
    const struct gcal_params_model *general = gcal_predictor_find_general(device);
    const struct gcal_params_model *own, *any;
    struct gcal_learned_factors expected = { 0 };
    double *value = NULL, *covariance = NULL;
    int rc = -1;

    *m = (struct gcal_params_model){ 0 };
    if (!general || !(any = find_any(known, device, general)))
        return 0;
    own = gcal_learned_find(known, device, general);
    if (gcal_learned_expect(device, general, known, gcal_learned_types(known), &expected,
                            err) == 0 &&
        (covariance = gcal_learned_covariance(&expected, GCAL_LEARNED_WITHIN, err))) {
        rc = (value = calloc(expected.n, sizeof(*value))) ? 0 : gcal_error_memory(err);
        for (size_t i = 0; rc == 0 && i < expected.n; i++)
            value[i] = exp(expected.mean[i]);
    }
    if (rc == 0 && own)
        rc = take_own(own, find_member(own, node, device->info.uid), general, value,
                      covariance, err);
    if (rc == 0 && (rc = gcal_learned_compose(general, any->name, profile, value,
                                              covariance, m, err)) == 0) {
        m->residual = m->held_out_rms = GCAL_LEARNED_WITHIN;
        m->error_90 = GCAL_PARAMS_NORMAL_90 * GCAL_LEARNED_WITHIN;
        if (own)
            rc = gcal_fields_copy(gcal_params_fit_fields, m, own, err);
    }
    gcal_learned_factors_clear(&expected);
    free(value);
    free(covariance);
    return rc == 0 ? 1 : -1;
}

static int add_model(struct gcal_params_device *device,
                     const struct gcal_params_model *model, struct gcal_error *err)
{
    struct gcal_params_model *moved =
        reallocarray(device->models, device->n_models + 1, sizeof(*moved));

    if (!moved)
        return gcal_error_memory(err);
    device->models = moved;
    moved[device->n_models++] = *model;
    return 1;
}

/* Other kernels may have the name: then with the fingerprint's first digits. */
static int name_model(const struct gcal_params_device *device, const char *fingerprint,
                      struct gcal_params_model *model, struct gcal_error *err)
{
    char *name;

    if (!gcal_params_find_model(device, model->name))
        return 1;
    if (!(name = gcal_buf_format("%s-%.8s", model->name, fingerprint)))
        return gcal_error_memory(err);
    free(model->name);
    model->name = name;
    return 1;
}

static bool is_target(const struct gcal_params_device *device, const char *fingerprint)
{
    for (size_t i = 0; i < device->n_models; i++) {
        const struct gcal_params_kernel *k =
            gcal_params_find_kernel(&device->models[i], fingerprint);

        if (k && k->target)
            return true;
    }
    return false;
}

int gcal_learned_add(const struct gcal_store *store, const char *node,
                     const struct gcal_profile *profile,
                     struct gcal_params_device *device, struct gcal_error *err)
{
    const char *fingerprint = gcal_profile_identity(profile);
    struct gcal_params_model model = { 0 };
    struct gcal_params known;
    int rc;

    if (!fingerprint)
        return 0;
    if (is_target(device, fingerprint))
        return 1;
    rc = gcal_store_load_learned(store, fingerprint, &known, err);
    if (rc > 0 && (rc = compose_known(&known, node, device, profile, &model, err)) > 0 &&
        (rc = name_model(device, fingerprint, &model, err)) > 0)
        rc = add_model(device, &model, err);
    if (rc <= 0)
        gcal_params_model_clear(&model);
    gcal_params_clear(&known);
    return rc;
}
