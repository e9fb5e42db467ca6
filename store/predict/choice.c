/* choice.c - the model of a device that predicts a kernel */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/profile.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

static bool is_poor(const struct gcal_params_model *m)
{
    char why[GCAL_PARAMS_WHY_SIZE];

    return gcal_params_model_is_poor(m, why);
}

/* "matmul_sq (for matmul_plain, matmul_tiled), rates (poor)" */
static void put_models(const struct gcal_params_device *d, struct gcal_buf *list)
{
    for (size_t i = 0; i < d->n_models; i++) {
        char *targets = gcal_params_model_targets(&d->models[i]);

        gcal_buf_printf(list, "%s%s", i ? ", " : "", d->models[i].name);
        if (targets)
            gcal_buf_printf(list, " (for %s)", targets);
        if (is_poor(&d->models[i]))
            gcal_buf_puts(list, " (poor)");
        free(targets);
    }
    if (!d->n_models)
        gcal_buf_puts(list, "none");
}

static const struct gcal_params_model *no_model(const struct gcal_params_device *d,
                                                const char *what, const char *name,
                                                struct gcal_error *err)
{
    struct gcal_buf list = { 0 };

    put_models(d, &list);
    gcal_error_set(err, GCAL_EINPUT, "device %s: %s%s; models: %.700s", d->info.uid, what,
                   name, list.data ? (const char *)list.data : "(out of memory)");
    gcal_buf_free(&list);
    gcal_error_because(err, GCAL_REASON_MODEL);
    return NULL;
}

/* How many of the kernels the model was made to predict, or else knows. */
static double count_known(const struct gcal_params_model *model, size_t n,
                          const struct gcal_profile *const *profiles)
{
    double count = 0;

    for (size_t i = 0; i < n; i++) {
        const struct gcal_params_kernel *k =
            gcal_params_find_kernel(model, gcal_profile_identity(profiles[i]));

        count += !k ? 0 : k->target ? 1 : 1.0 / (2 * (double)n);
    }
    return count;
}

const struct gcal_params_model *
gcal_predictor_find_general(const struct gcal_params_device *d)
{
    for (size_t i = 0; i < d->n_models; i++)
        if (gcal_params_model_is_general(&d->models[i]))
            return &d->models[i];
    return NULL;
}

const struct gcal_params_model *
gcal_predictor_choose(const struct gcal_params_device *d, const char *name,
                      size_t n_profiles, const struct gcal_profile *const *profiles,
                      struct gcal_error *err)
{
    const struct gcal_params_model *made = NULL, *general;

    if (name) {
        made = gcal_params_find_model(d, name);
        return made ? made : no_model(d, "no model ", name, err);
    }
    if (d->n_models == 1)
        return d->models;
    /* A poor model only where there is no other. */
    for (int poor = 0; poor < 2 && !made; poor++) {
        double most = 0;

        for (size_t i = 0; i < d->n_models; i++) {
            double count = is_poor(&d->models[i]) == poor
                               ? count_known(&d->models[i], n_profiles, profiles)
                               : 0;

            if (count > most) {
                most = count;
                made = &d->models[i];
            }
        }
        if (!made && (general = gcal_predictor_find_general(d)) &&
            is_poor(general) == poor)
            made = general;
    }
    if (made)
        return made;
    return no_model(d, "no model was made for kernel ",
                    n_profiles ? profiles[0]->kernel : "(none)", err);
}

static bool has_target(const struct gcal_params_model *model, const char *component)
{
    for (size_t i = 0; i < model->n_known; i++)
        if (model->known[i].target && model->known[i].component &&
            strcmp(model->known[i].component, component) == 0)
            return true;
    return false;
}

const char *gcal_predictor_find_changed(const struct gcal_params_device *d,
                                        const struct gcal_profile *profile)
{
    const char *identity = gcal_profile_identity(profile);
    const char *component = gcal_profile_component(profile), *changed = NULL;

    for (size_t i = 0; i < d->n_models && component; i++) {
        if (gcal_params_find_kernel(&d->models[i], identity))
            return NULL;
        if (has_target(&d->models[i], component))
            changed = d->models[i].name;
    }
    return changed;
}
