/* libgpucal.c - profiles, models and predictions of the library */
#include "store/lib/private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "store/learned/learned.h"
#include "store/predict/predictor.h"

#define MAX_PROFILE_BYTES (16 << 20)

API const char *gpucal_version(void)
{
    return GPUCAL_VERSION;
}

API int gpucal_version_number(void)
{
    return GPUCAL_VERSION_NUMBER;
}

/* ---- profile ---- */

/* Takes 'root', which may be NULL with 'e' filled. */
static struct gpucal_profile *profile_new(struct gcal_yaml *root, struct gcal_error *e,
                                          struct gpucal_error *err)
{
    struct gpucal_profile *p = calloc(1, sizeof(*p));

    if (!p)
        gcal_error_memory(e);
    else if (root && gcal_profile_set_decode(root, &p->counted, e) == 0) {
        p->profile = p->counted.profiles[0];
        gcal_yaml_destroy(root);
        return p;
    }
    gcal_yaml_destroy(root);
    free(p);
    gcal_error_because(e, GCAL_REASON_PROFILE);
    gpucal_error_from(err, e);
    return NULL;
}

API struct gpucal_profile *gpucal_profile_open(const char *path, struct gpucal_error *err)
{
    struct gcal_error e = { 0 };

    if (!GIVEN(err, path))
        return NULL;
    return profile_new(gcal_yaml_read(path, MAX_PROFILE_BYTES, &e), &e, err);
}

API struct gpucal_profile *gpucal_profile_parse(const char *text, size_t size,
                                                const char *name,
                                                struct gpucal_error *err)
{
    struct gcal_error e = { 0 };

    if (!GIVEN(err, text, name))
        return NULL;
    return profile_new(gcal_yaml_parse(text, size, name, &e), &e, err);
}

API void gpucal_profile_close(struct gpucal_profile *profile)
{
    if (!profile)
        return;
    gcal_profile_set_clear(&profile->counted);
    free(profile);
}

API size_t gpucal_profile_parameter_count(const struct gpucal_profile *profile)
{
    return profile ? profile->profile->n_parameters : 0;
}

API const char *gpucal_profile_parameter(const struct gpucal_profile *profile, size_t i)
{
    return i < gpucal_profile_parameter_count(profile) ? profile->profile->parameters[i]
                                                       : NULL;
}

API int gpucal_profile_parameter_index(const struct gpucal_profile *profile,
                                       const char *name, struct gpucal_error *err)
{
    const struct gcal_profile *p;
    struct gcal_error e = { 0 };
    struct gcal_buf list = { 0 };

    if (!GIVEN(err, profile, name))
        return -1;
    p = profile->profile;
    for (size_t i = 0; i < p->n_parameters; i++)
        if (strcmp(p->parameters[i], name) == 0)
            return (int)i;
    for (size_t i = 0; i < p->n_parameters; i++)
        gcal_buf_printf(&list, "%s%s", i ? ", " : "", p->parameters[i]);
    if (!p->n_parameters)
        gcal_buf_puts(&list, "none");
    gcal_error_set(&e, GCAL_EINPUT, "kernel %s has no size '%s'; its sizes: %s",
                   p->kernel, name,
                   list.data ? (const char *)list.data : "(out of memory)");
    gcal_error_because(&e, GCAL_REASON_SIZES);
    gcal_buf_free(&list);
    return gpucal_error_from(err, &e);
}

/* ---- model ---- */

/* Decodes the named model alone, if it is published; else all of them, and what is learned of the
 * kernel.
 */
static struct gcal_predictor *bind(const struct gpucal_device *device, const char *name,
                                   const struct gpucal_profile *counted,
                                   struct gcal_error *err)
{
    const struct gcal_profile *profile = gcal_profile_set_find(
        &counted->counted, (double)gpucal_device_sub_group_size(device), err);
    struct gcal_params_device decoded = { 0 };
    struct gcal_predictor *predictor = NULL;
    bool is_published;

    if (!profile)
        return NULL;
    is_published = name && gcal_params_find_model(gpucal_device_info(device), name);
    if (gcal_params_index_models(device->index, device->at, is_published ? name : NULL,
                                 &decoded, err) < 0)
        gcal_error_because(err, GCAL_REASON_FILE);
    else if (!is_published &&
             gcal_learned_add(device->store->store, gpucal_device_node(device), profile,
                              &decoded, err) < 0)
        gcal_error_because(err, GCAL_REASON_FILE);
    else if (!(predictor = gcal_predictor_create(&decoded, name, profile, err)))
        gcal_error_because(err, GCAL_REASON_PROFILE);
    gcal_params_index_models_clear(&decoded);
    return predictor;
}

API struct gpucal_model *gpucal_model_bind(const struct gpucal_device *device,
                                           const char *model,
                                           const struct gpucal_profile *profile,
                                           struct gpucal_error *err)
{
    struct gpucal_model *m;
    struct gcal_error e = { 0 };

    if (!GIVEN(err, device, profile))
        return NULL;
    if (!(m = calloc(1, sizeof(*m))))
        gcal_error_memory(&e);
    else if ((m->predictor = bind(device, model, profile, &e))) {
        m->n_sizes = profile->profile->n_parameters;
        m->is_gpu = strcmp(gpucal_device_info(device)->info.device_type, "gpu") == 0;
        return m;
    }
    free(m);
    gpucal_error_from(err, &e);
    return NULL;
}

API void gpucal_model_close(struct gpucal_model *model)
{
    if (!model)
        return;
    gcal_predictor_destroy(model->predictor);
    free(model);
}

API const char *gpucal_model_name(const struct gpucal_model *model)
{
    return model ? gcal_predictor_model(model->predictor) : NULL;
}

API int gpucal_refresh(struct gpucal_model *model, const double *sizes, double measured_s,
                       struct gpucal_error *err)
{
    struct gcal_error e = { 0 };
    double launch_s;

    if (!GIVEN(err, model) || (model->n_sizes && !GIVEN(err, sizes)))
        return -1;
    if (gcal_predictor_find_launch(model->predictor, sizes, measured_s, &launch_s, &e) <
            0 ||
        gcal_predictor_set_launch(model->predictor, launch_s, &e) < 0)
        return gpucal_error_from(err, &e);
    return 0;
}

/* ---- prediction ---- */

/* The expected error of a normal logarithm is that share of its deviation, of which measuring leaves
 * what launches differ by.
 */
static double pays_after(const struct gcal_prediction *p)
{
    double deviation = log(p->high_s / p->low_s) / (2 * GCAL_PARAMS_NORMAL_90);

    return deviation > GCAL_LEARNED_WITHIN
               ? 1 / (sqrt(2 / M_PI) * (deviation - GCAL_LEARNED_WITHIN))
               : INFINITY;
}

API int gpucal_predict(const struct gpucal_model *model, const double *sizes,
                       struct gpucal_prediction *prediction, struct gpucal_error *err)
{
    struct gcal_prediction p;
    struct gcal_error e;

    if (!GIVEN(err, model, prediction) || (model->n_sizes && !GIVEN(err, sizes)))
        return -1;
    if (gcal_predictor_eval(model->predictor, sizes, &p, NULL, &e) < 0)
        return gpucal_error_from(err, &e);
    *prediction = (struct gpucal_prediction){ .time_s = p.time_s,
                                              .standard_error_s = p.standard_error_s,
                                              .low_s = p.low_s,
                                              .high_s = p.high_s,
                                              .not_covered = p.not_covered,
                                              .gap = p.gap,
                                              .extrapolates = p.extrapolates,
                                              .outside = p.outside,
                                              .outside_by = p.outside_by,
                                              .roof = p.roof,
                                              .roof_s = p.roof_s,
                                              .pays_after = pays_after(&p) };
    return 0;
}

API int gpucal_predict_batch(const struct gpucal_model *model, const double *sizes,
                             size_t count, struct gpucal_prediction *predictions,
                             struct gpucal_error *err)
{
    if (!GIVEN(err, model) || (count && model->n_sizes && !GIVEN(err, sizes)) ||
        (count && !GIVEN(err, predictions)))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (gpucal_predict(model, &sizes[i * model->n_sizes], &predictions[i], err) < 0)
            return -1;
    return 0;
}
