/* corrections.c - factors of the general model's limits, from a kernel's times */
#include "calib/learn/corrections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "fit/error_summary.h"
#include "fit/fit.h"
#include "fit/posterior.h"
#include "store/learned/learned.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

GCAL_ARENA_DESTROYER(destroy_model, gcal_model_destroy)
GCAL_ARENA_DESTROYER(clear_params_model, gcal_params_model_clear)
GCAL_ARENA_DESTROYER(clear_factors, gcal_learned_factors_clear)

/* ---- times ---- */

/* The counts of the launches, in the model's order. */
static int count_features(const struct gcal_params_device *device,
                          struct gcal_params_model *m, const struct gcal_model *model,
                          size_t n, const struct gcal_kernel_time *times,
                          double *features, struct gcal_error *err)
{
    struct gcal_params_device alone = *device;
    struct gcal_predictor *p = NULL;
    int rc = 0;

    alone.models = m;
    alone.n_models = 1;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (!i || times[i].profile != times[i - 1].profile) {
            gcal_predictor_destroy(p);
            p = gcal_predictor_create(&alone, m->name, times[i].profile, err);
        }
        rc = p ? gcal_predictor_features(p, times[i].sizes,
                                         features + i * model->n_features, err)
               : -1;
    }
    gcal_predictor_destroy(p);
    return rc;
}

static void summarize_errors(const struct gcal_model *model,
                             const struct gcal_fit_posterior *found,
                             const struct gcal_fit_rows *rows,
                             struct gcal_params_model *m)
{
    struct gcal_fit_mean_error mean = { 0 };
    double squares = 0;

    for (size_t i = 0; i < rows->n_rows; i++) {
        double predicted_s = gcal_model_eval(model, found->value,
                                             rows->features + i * rows->n_features, NULL);
        double relative = fabs(predicted_s / rows->time_s[i] - 1);

        gcal_fit_mean_error_add(&mean, predicted_s, rows->time_s[i]);
        squares += relative * relative;
        m->worst_error = fmax(m->worst_error, relative);
    }
    m->n_kernels = m->n_samples = rows->n_rows;
    m->residual = rows->n_rows ? sqrt(squares / (double)rows->n_rows) : 0;
    m->mean_error = rows->n_rows ? gcal_fit_mean_error(&mean) : 0;
    m->held_out_rms = m->residual;
    m->error_90 = GCAL_PARAMS_NORMAL_90 * found->error;
}

/* ---- the model ---- */

/* What is known of the model's parameters before the times: costs, and then factors, 'place' of
 * which are their numbers in the model.
 */
static int fill_prior(const struct gcal_params_model *m, const struct gcal_model *model,
                      const struct gcal_learned_factors *expected,
                      struct gcal_fit_prior *prior, size_t *place, struct gcal_error *err)
{
    size_t n_costs = m->n_parameters - expected->n;

    for (size_t i = 0; i < model->n_parameters; i++) {
        const char *name = model->parameters[i].name;
        size_t at = gcal_params_find_name(m->parameter, m->n_parameters, name);

        if (at == m->n_parameters)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "model %s: its expression has %s, which is missing in "
                                  "the parameter file",
                                  m->name, name);
        prior[i].value = m->value[at];
        if (at < n_costs)
            continue;
        place[at - n_costs] = i;
        prior[i].deviation = expected->deviation[at - n_costs];
        prior[i].within = expected->within[at - n_costs];
    }
    return 0;
}

/* Moves the factors, the last of the parameters of 'm', by the times. */
static int take_times(struct gcal_arena *arena, const struct gcal_params_device *device,
                      const struct gcal_learned_factors *expected, size_t n,
                      const struct gcal_kernel_time *times, struct gcal_params_model *m,
                      double *value, double *covariance, struct gcal_error *err)
{
    struct gcal_model *model = gcal_arena_own(
        arena, gcal_model_create_with(m->name, m->output, m->expression, m->names, err),
        destroy_model);
    struct gcal_fit_prior *prior;
    size_t *place = gcal_arena_alloc(arena, expected->n, sizeof(*place));
    double *features, *time_s, *spread;
    struct gcal_fit_posterior found;
    struct gcal_fit_rows rows;

    if (!model)
        return -1;
    features = gcal_arena_alloc(arena, n * model->n_features, sizeof(double));
    time_s = gcal_arena_alloc(arena, n, sizeof(double));
    spread = gcal_arena_alloc(arena, n, sizeof(double));
    rows = (struct gcal_fit_rows){ .n_rows = n,
                                   .n_features = model->n_features,
                                   .features = features,
                                   .time_s = time_s,
                                   .spread = spread };
    prior = gcal_arena_alloc(arena, model->n_parameters, sizeof(*prior));
    if (fill_prior(m, model, expected, prior, place, err) < 0)
        return -1;
    if (count_features(device, m, model, n, times, features, err) < 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        time_s[i] = times[i].time_s / m->factor;
        spread[i] = times[i].spread;
    }
    if (gcal_fit_posterior_find(arena, model, &rows, prior, GCAL_LEARNED_WITHIN, &found,
                                err) < 0)
        return -1;
    for (size_t i = 0; i < expected->n; i++) {
        value[i] = found.value[place[i]];
        for (size_t k = 0; k < expected->n; k++)
            covariance[i * expected->n + k] =
                found.covariance[place[i] * model->n_parameters + place[k]];
    }
    summarize_errors(model, &found, &rows, m);
    return 0;
}

const struct gcal_params_model *
gcal_learn_general(const struct gcal_params_device *device)
{
    const struct gcal_params_model *general =
        device ? gcal_predictor_find_general(device) : NULL;
    char why[GCAL_PARAMS_WHY_SIZE];

    return general && !gcal_params_model_is_poor(general, why) ? general : NULL;
}

int gcal_learn_correct(struct gcal_arena *arena, const struct gcal_params_device *device,
                       const char *name, const struct gcal_profile *profile,
                       const struct gcal_params *known, double types, size_t n,
                       const struct gcal_kernel_time *times, struct gcal_params_model *m,
                       struct gcal_error *err)
{
    const struct gcal_params_model *general = gcal_predictor_find_general(device);
    struct gcal_learned_factors *expected = gcal_arena_alloc(arena, 1, sizeof(*expected));
    struct gcal_params_model *composed = gcal_arena_alloc(arena, 2, sizeof(*composed));
    double *value, *covariance;

    if (!general)
        return gcal_error_set(err, GCAL_EINPUT,
                              "device %s has no general model, which a kernel's times "
                              "correct: calibrate it first ('gpucal')",
                              device->info.uid);
    if (gcal_learned_expect(device, general, known,
                            types > 0 ? types : gcal_learned_types(known), expected,
                            err) < 0)
        return -1;
    gcal_arena_own(arena, expected, clear_factors);
    value = gcal_arena_alloc(arena, expected->n, sizeof(*value));
    for (size_t i = 0; i < expected->n; i++)
        value[i] = exp(expected->mean[i]);
    if (!(covariance = gcal_learned_covariance(expected, GCAL_LEARNED_WITHIN, err)))
        return -1;
    gcal_arena_own(arena, covariance, free);
    /* Before the times, and with them. */
    for (int k = 0; k < 2; k++) {
        gcal_arena_own(arena, &composed[k], clear_params_model);
        if (gcal_learned_compose(general, name, profile, value, covariance, &composed[k],
                                 err) < 0 ||
            (k == 0 && take_times(arena, device, expected, n, times, &composed[0], value,
                                  covariance, err) < 0))
            return -1;
    }
    *m = composed[1];
    return gcal_fields_copy(gcal_params_fit_fields, m, &composed[0], err);
}

struct gcal_params_model gcal_learn_factors(struct gcal_arena *arena,
                                            const struct gcal_params_model *general,
                                            const struct gcal_params_model *model)
{
    struct gcal_params_model m = *model;
    size_t n_costs = general->n_parameters;

    m.expression = general->name;
    m.form = (char *)GCAL_PARAMS_CORRECTIONS;
    m.names = NULL;
    m.roofs = (struct gcal_roofs){ 0 };
    m.n_features = 0;
    m.factor = 1;
    m.factor_error = 0;
    m.derived = NULL;
    m.n_parameters = general->roofs.n;
    m.parameter += n_costs;
    m.unit += n_costs;
    m.value += n_costs;
    m.standard_error += n_costs;
    m.own += n_costs;
    m.own_error += n_costs;
    m.at_bound += n_costs;
    /* The costs, which are known, have no part in the rows of the factors. */
    m.root =
        gcal_arena_alloc(arena, GCAL_PARAMS_ROOT(m.n_parameters, 0), sizeof(*m.root));
    for (size_t i = 0; i < m.n_parameters; i++)
        for (size_t k = 0; k <= i; k++)
            m.root[GCAL_PARAMS_ROOT(i, k)] =
                model->root[GCAL_PARAMS_ROOT(n_costs + i, n_costs + k)];
    return m;
}
