/* corrections.c - factors of the general model's limits, from a kernel's times */
#include "calib/learn/corrections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/profile.h"
#include "fit/error_summary.h"
#include "fit/fit.h"
#include "fit/posterior.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

/* Set on kernels of tests/scope and tests/varied on an H100 (gpucal evaluate --seen): limits lie
 * further from the truth than times, of which they are a part; within a kernel, they move by that
 * share of it; what is left of log(time / model) then.
 */
#define WIDER  1.3
#define SHARE  0.3
#define WITHIN 0.05
/* Launches cost the same for nearly all kernels. */
#define LAUNCH 0.1

GCAL_ARENA_DESTROYER(destroy_names, gcal_expr_names_destroy)
GCAL_ARENA_DESTROYER(destroy_model, gcal_model_destroy)

/* ---- the expression ---- */

/* The limit that the named expression is; n: none. */
static size_t find_limit(const struct gcal_roofs *roofs, const char *name)
{
    size_t i = 0;

    while (i < roofs->n && strcmp(roofs->roofs[i].expression, name) != 0)
        i++;
    return i;
}

/* Limits multiplied by their corrections, wherever they are used. */
static struct gcal_expr_names *correct_names(struct gcal_arena *arena,
                                             const struct gcal_params_model *general,
                                             struct gcal_error *err)
{
    const struct gcal_roofs *roofs = &general->roofs;
    struct gcal_expr_names *names =
        gcal_arena_own(arena, gcal_expr_names_create(err), destroy_names);

    for (size_t i = 0; names && i < gcal_expr_names_count(general->names); i++) {
        const char *name = gcal_expr_names_name(general->names, i);
        const char *text = gcal_expr_names_text(general->names, i);
        size_t limit = find_limit(roofs, name);

        if (limit < roofs->n)
            text = gcal_arena_format(arena, GCAL_CORRECTION_PREFIX "%s*(%s)",
                                     roofs->roofs[limit].name, text);
        if (gcal_expr_names_add(names, name, text, err) < 0)
            return NULL;
    }
    return names;
}

/* ---- parameters ---- */

static bool is_correction(const char *parameter)
{
    return strncmp(parameter, GCAL_CORRECTION_PREFIX, strlen(GCAL_CORRECTION_PREFIX)) ==
           0;
}

/* The standard deviation of the logarithm: of the intervals of kernels that the limit binds. */
static double prior_of(const struct gcal_params_model *general, const char *parameter)
{
    const char *limit = parameter + strlen(GCAL_CORRECTION_PREFIX);
    const struct gcal_spread *spread = gcal_spreads_find(&general->spreads, limit);

    if (strcmp(limit, GCAL_PREDICTOR_LAUNCH_ROOF) == 0)
        return LAUNCH;
    return spread ? WIDER * (spread->below + spread->above) / (2 * GCAL_PARAMS_NORMAL_90)
                  : 1;
}

/* The general model's costs, which are known, and corrections of 1; fills 'prior'. */
static int start_parameters(struct gcal_arena *arena,
                            const struct gcal_params_model *general,
                            const struct gcal_model *model, double *prior,
                            struct gcal_params_model *m, struct gcal_error *err)
{
    size_t n = m->n_parameters = model->n_parameters;

    m->parameter = gcal_arena_alloc(arena, n, sizeof(*m->parameter));
    m->unit = gcal_arena_alloc(arena, n, sizeof(*m->unit));
    m->value = gcal_arena_alloc(arena, n, sizeof(double));
    m->standard_error = gcal_arena_alloc(arena, n, sizeof(double));
    m->own = gcal_arena_alloc(arena, n, sizeof(double));
    m->own_error = gcal_arena_alloc(arena, n, sizeof(double));
    m->at_bound = gcal_arena_alloc(arena, n, sizeof(bool));
    for (size_t i = 0; i < n; i++) {
        const char *name = model->parameters[i].name;
        size_t at = 0;

        m->parameter[i] = model->parameters[i].name;
        m->unit[i] = (char *)"1";
        m->value[i] = 1;
        m->own[i] = m->own_error[i] = NAN;
        if (is_correction(name)) {
            m->standard_error[i] = prior[i] = prior_of(general, name);
            continue;
        }
        while (at < general->n_parameters && strcmp(general->parameter[at], name) != 0)
            at++;
        if (at == general->n_parameters)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "model %s: its expression has %s, which is missing in "
                                  "the parameter file",
                                  general->name, name);
        m->unit[i] = general->unit[at];
        m->value[i] = general->value[at];
        m->at_bound[i] = true;
    }
    return 0;
}

/* ---- times ---- */

/* The counts of the launches, in the model's order. */
static int count_features(const struct gcal_params_device *device,
                          struct gcal_params_model *m, const struct gcal_model *model,
                          size_t n, const struct gcal_kernel_time *times,
                          double *features, struct gcal_error *err)
{
    struct gcal_params_device alone = *device;
    int rc = 0;

    alone.models = m;
    alone.n_models = 1;
    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_predictor *p =
            gcal_predictor_create(&alone, m->name, times[i].profile, err);

        rc = p ? gcal_predictor_features(p, times[i].sizes,
                                         features + i * model->n_features, err)
               : -1;
        gcal_predictor_destroy(p);
    }
    return rc;
}

static void summarize_errors(const struct gcal_model *model,
                             const struct gcal_fit_rows *rows, double error,
                             struct gcal_params_model *m)
{
    struct gcal_fit_mean_error mean = { 0 };
    double squares = 0;

    for (size_t i = 0; i < rows->n_rows; i++) {
        double predicted_s =
            gcal_model_eval(model, m->value, rows->features + i * rows->n_features, NULL);
        double relative = fabs(predicted_s / rows->time_s[i] - 1);

        gcal_fit_mean_error_add(&mean, predicted_s, rows->time_s[i]);
        squares += relative * relative;
        m->worst_error = fmax(m->worst_error, relative);
    }
    m->n_kernels = rows->n_rows;
    m->residual = rows->n_rows ? sqrt(squares / (double)rows->n_rows) : 0;
    m->mean_error = rows->n_rows ? gcal_fit_mean_error(&mean) : 0;
    m->held_out_rms = m->residual;
    m->error_90 = GCAL_PARAMS_NORMAL_90 * error;
}

static int take_times(struct gcal_arena *arena, const struct gcal_params_device *device,
                      const struct gcal_model *model, const double *prior, size_t n,
                      const struct gcal_kernel_time *times, struct gcal_params_model *m,
                      struct gcal_error *err)
{
    size_t n_parameters = model->n_parameters;
    double *features = gcal_arena_alloc(arena, n * model->n_features, sizeof(double)),
           *time_s = gcal_arena_alloc(arena, n, sizeof(double)),
           *spread = gcal_arena_alloc(arena, n, sizeof(double));
    const struct gcal_fit_rows rows = { .n_rows = n,
                                        .n_features = model->n_features,
                                        .features = features,
                                        .time_s = time_s,
                                        .spread = spread };
    struct gcal_fit_posterior found;

    if (count_features(device, m, model, n, times, features, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        time_s[i] = times[i].time_s / m->factor;
        spread[i] = times[i].spread;
    }
    if (gcal_fit_posterior_find(arena, model, &rows, m->value, prior, SHARE, WITHIN,
                                &found, err) < 0)
        return -1;
    m->value = found.value;
    for (size_t i = 0; i < n_parameters; i++)
        m->standard_error[i] = sqrt(found.covariance[i * n_parameters + i]);
    summarize_errors(model, &rows, found.error, m);
    return gcal_params_set_covariance(m, found.covariance, err);
}

/* ---- the model ---- */

/* Each limit needs its correction, or times of kernels that it binds would move those of others. */
static int check_limits(const struct gcal_params_model *general,
                        const struct gcal_model *model, struct gcal_arena *arena,
                        struct gcal_error *err)
{
    const struct gcal_roofs *roofs = &general->roofs;

    for (size_t i = 0; i < roofs->n; i++)
        if (!gcal_model_parameter_find(
                model, gcal_arena_format(arena, GCAL_CORRECTION_PREFIX "%s",
                                         roofs->roofs[i].name)))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "model %s: its roof '%s' is not a named expression of "
                                  "its expression, so a kernel's times cannot correct "
                                  "it: calibrate again, with a configuration that names "
                                  "it in 'expressions'",
                                  general->name, roofs->roofs[i].name);
    return roofs->n ? 0
                    : gcal_error_set(err, GCAL_EINPUT,
                                     "model %s has no roofs, which a kernel's times "
                                     "correct: calibrate again, with a configuration "
                                     "that has 'roofs'",
                                     general->name);
}

int gcal_learn_correct(struct gcal_arena *arena, const struct gcal_params_device *device,
                       const char *name, const struct gcal_profile *profile, size_t n,
                       const struct gcal_kernel_time *times, struct gcal_params_model *m,
                       struct gcal_error *err)
{
    const struct gcal_params_model *general = gcal_predictor_find_general(device);
    struct gcal_params_kernel *known = gcal_arena_alloc(arena, 1, sizeof(*known));
    struct gcal_model *model;
    double *prior;
    int rc;

    if (!general)
        return gcal_error_set(err, GCAL_EINPUT,
                              "device %s has no general model, which a kernel's times "
                              "correct: calibrate it first ('gpucal')",
                              device->info.uid);
    if (!gcal_profile_identity(profile))
        return gcal_error_set(err, GCAL_EINPUT,
                              "kernel %.60s: its profile has no fingerprint, by which "
                              "its model knows it: count it again ('gpucal count')",
                              profile->kernel);
    *known =
        (struct gcal_params_kernel){ .name = profile->kernel,
                                     .component = (char *)gcal_profile_component(profile),
                                     .fingerprint =
                                         (char *)gcal_profile_identity(profile),
                                     .target = true };
    *m = (struct gcal_params_model){
        .origin = general->origin,
        .name = (char *)name,
        .output = general->output,
        .expression = general->expression,
        .form = (char *)GCAL_PARAMS_CORRECTED,
        .roofs = general->roofs,
        .n_features = general->n_features,
        .feature = general->feature,
        .feature_min = general->feature_min,
        .feature_max = general->feature_max,
        .n_known = 1,
        .known = known,
        .condition = 1,
        .factor = general->factor,
    };
    if (!(m->names = correct_names(arena, general, err)) ||
        !(model = gcal_arena_own(
              arena,
              gcal_model_create_with(name, m->output, m->expression, m->names, err),
              destroy_model)))
        return -1;
    prior = gcal_arena_alloc(arena, model->n_parameters, sizeof(double));
    if (check_limits(general, model, arena, err) < 0 ||
        start_parameters(arena, general, model, prior, m, err) < 0)
        return -1;
    m->root = calloc(GCAL_PARAMS_ROOT(m->n_parameters, 0) + 1, sizeof(*m->root));
    rc = m->root ? take_times(arena, device, model, prior, n, times, m, err)
                 : gcal_error_memory(err);
    gcal_arena_own(arena, m->root, free);
    return rc;
}
