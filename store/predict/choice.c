/* choice.c - the model of a device that predicts a kernel */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

static bool is_poor(const struct gcal_params_model *m)
{
    char why[GCAL_PARAMS_WHY_SIZE];

    return gcal_params_model_is_poor(m, why);
}

static const struct gcal_params_model *no_model(const struct gcal_params_device *d,
                                                const char *what, const char *name,
                                                struct gcal_error *err)
{
    struct gcal_buf list = { 0 };

    /* "matmul_sq (for matmul_plain, matmul_tiled), rates (poor)" */
    for (size_t i = 0; i < d->n_models; i++) {
        char *targets = gcal_params_model_targets(&d->models[i]);

        gcal_buf_printf(&list, "%s%s", i ? ", " : "", d->models[i].name);
        if (targets)
            gcal_buf_printf(&list, " (for %s)", targets);
        if (is_poor(&d->models[i]))
            gcal_buf_puts(&list, " (poor)");
        free(targets);
    }
    if (!d->n_models)
        gcal_buf_puts(&list, "none");
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

/* Made for the kernels, or else general, among those that are poor or not. */
static const struct gcal_params_model *
find_best(const struct gcal_params_device *d, size_t n_profiles,
          const struct gcal_profile *const *profiles, bool poor)
{
    const struct gcal_params_model *best = NULL, *general;
    double most = 0;

    for (size_t i = 0; i < d->n_models; i++) {
        double count = is_poor(&d->models[i]) == poor
                           ? count_known(&d->models[i], n_profiles, profiles)
                           : 0;

        if (count > most) {
            most = count;
            best = &d->models[i];
        }
    }
    if (!best && (general = gcal_predictor_find_general(d)) && is_poor(general) == poor)
        best = general;
    return best;
}

const struct gcal_params_model *
gcal_predictor_choose(const struct gcal_params_device *d, const char *name,
                      size_t n_profiles, const struct gcal_profile *const *profiles,
                      struct gcal_error *err)
{
    const struct gcal_params_model *made;

    if (name) {
        made = gcal_params_find_model(d, name);
        return made ? made : no_model(d, "no model ", name, err);
    }
    if (d->n_models == 1 && !is_poor(d->models))
        return d->models;
    made = find_best(d, n_profiles, profiles, false);
    if (made)
        return made;
    if ((made =
             d->n_models == 1 ? d->models : find_best(d, n_profiles, profiles, true))) {
        char why[GCAL_PARAMS_WHY_SIZE];

        gcal_params_model_is_poor(made, why);
        gcal_error_set(
            err, GCAL_EINPUT,
            "device %s: only model %s could predict this, and it is poor: %s; ask "
            "for it by name (--model %s) to have its predictions all the same",
            d->info.uid, made->name, why, made->name);
        gcal_error_because(err, GCAL_REASON_MODEL);
        return NULL;
    }
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
