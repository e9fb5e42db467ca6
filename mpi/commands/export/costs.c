/* costs.c - costs of a device: predicted times of kernels, or parameters of its model */
#include "mpi/commands/export/costs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "kernels/model/feature.h"
#include "kernels/model/model.h"
#include "kernels/model/profile.h"
#include "mpi/commands/export/export.h"
#include "store/params/params.h"
#include "store/predict/predictor.h"

#define KNOWN 0.2 /* largest relative standard error of costs that are compared */

/* ---- predicted times ---- */

/* Cost 'at' and the next ones. */
static int predict_sizes(const struct gcal_predictor *predictor,
                         const struct gcal_export_kernel *k,
                         struct gcal_export_costs *costs, size_t at,
                         struct gcal_error *err)
{
    struct gcal_prediction prediction;

    for (size_t i = 0; i < k->n_sizes; i++) {
        if (gcal_predictor_eval(predictor, k->sizes + i * k->profile->n_parameters,
                                &prediction, NULL, err) < 0)
            return gcal_error_prefix(err, "%s", k->file);
        if (prediction.not_covered > GCAL_PREDICTOR_COVERED)
            gcal_log(
                GCAL_LOG_WARN,
                "%s: model %s has no cost for %.2g %% of the work (%s, ..): the time "
                "lacks it",
                k->file, gcal_predictor_model(predictor), 100 * prediction.not_covered,
                prediction.gap);
        costs->seconds[at + i] = prediction.time_s;
        costs->errors[at + i] = prediction.standard_error_s / prediction.time_s;
    }
    return 0;
}

/* ---- parameters ---- */

/* Operations, local and private accesses and loads of one address by a sub-group (see
 * gcal_profile).
 */
static bool counted_per_sub_group(const char *name)
{
    struct gcal_feature f = { 0 };
    bool per_sub_group = false;

    if (gcal_feature_parse(name, &f, NULL) == 0) {
        const struct gcal_feature_constraint *lid = &f.lid_stride[0];
        bool same_place = lid->relation == GCAL_FEATURE_EQ && lid->bound &&
                          strcmp(lid->bound, "0") == 0;

        per_sub_group = gcal_feature_is_op(f.kind) ||
                        (f.kind == GCAL_FEATURE_MEM_ACCESS &&
                         (f.space == GCAL_FEATURE_SPACE_LOCAL ||
                          f.space == GCAL_FEATURE_SPACE_PRIVATE || same_place));
    }
    gcal_feature_clear(&f);
    return per_sub_group;
}

static size_t index_of(const struct gcal_params_model *m, const char *parameter)
{
    size_t i = 0;

    while (i < m->n_parameters && strcmp(m->parameter[i], parameter) != 0)
        i++;
    return i;
}

static bool is_cost(const struct gcal_params_model *m, size_t i)
{
    return strcmp(m->unit[i], "s") == 0;
}

/* Finds the parameters of 'm' that multiply only features counted per sub-group: without
 * these features, the derivative is 0.
 */
static bool *find_per_sub_group(struct gcal_arena *arena,
                                const struct gcal_params_model *m,
                                const struct gcal_model *model)
{
    double *features = gcal_arena_alloc(arena, model->n_features, sizeof(*features));
    double *parameters =
        gcal_arena_alloc(arena, model->n_parameters, sizeof(*parameters));
    double *gradient = gcal_arena_alloc(arena, model->n_parameters, sizeof(*gradient));
    bool *per_sub_group =
        gcal_arena_alloc(arena, m->n_parameters, sizeof(*per_sub_group));

    for (size_t i = 0; i < model->n_features; i++)
        features[i] = counted_per_sub_group(model->features[i]) ? 0 : 1;
    for (size_t i = 0; i < model->n_parameters; i++) {
        size_t j = index_of(m, model->parameters[i].name);

        parameters[i] = j == m->n_parameters || is_cost(m, j) ? 1 : m->value[j];
    }
    gcal_model_eval(model, parameters, features, gradient);
    for (size_t i = 0; i < model->n_parameters; i++) {
        size_t j = index_of(m, model->parameters[i].name);

        if (j < m->n_parameters)
            per_sub_group[j] = gradient[i] == 0;
    }
    return per_sub_group;
}

/* The index of 'name', which is appended if it is new. */
static size_t find_cost(struct gcal_arena *arena, struct gcal_strings *names,
                        const char *name)
{
    size_t at = gcal_strings_find(names, name);

    if (at < names->n)
        return at;
    names->items = gcal_arena_grow(arena, names->items, names->n, &names->capacity,
                                   sizeof(*names->items));
    names->items[names->n++] = gcal_arena_strdup(arena, name);
    return at;
}

/* Of 'n' costs, none known. */
static void start_costs(struct gcal_arena *arena, struct gcal_export_costs *costs,
                        size_t n)
{
    costs->n = n;
    costs->seconds = gcal_arena_alloc(arena, n, sizeof(*costs->seconds));
    costs->errors = gcal_arena_alloc(arena, n, sizeof(*costs->errors));
    for (size_t i = 0; i < n; i++)
        costs->seconds[i] = NAN;
}

static int cost_parameters(struct gcal_arena *arena, const struct gcal_params_model *m,
                           double sub_group_size, struct gcal_strings *names,
                           struct gcal_export_costs *costs, struct gcal_error *err)
{
    struct gcal_model *model =
        gcal_model_create_with(m->name, m->output, m->expression, m->names, err);
    bool *per_sub_group;

    if (!model)
        return -1;
    per_sub_group = find_per_sub_group(arena, m, model);
    gcal_model_destroy(model);
    start_costs(arena, costs, names->n + m->n_parameters);
    for (size_t i = 0; i < m->n_parameters; i++)
        if (is_cost(m, i) && !m->at_bound[i] && m->value[i] > 0 && m->factor > 0 &&
            hypot(m->standard_error[i] / m->value[i], m->factor_error / m->factor) <=
                KNOWN) {
            size_t at = find_cost(arena, names, m->parameter[i]);

            costs->seconds[at] =
                m->factor * m->value[i] / (per_sub_group[i] ? sub_group_size : 1);
            costs->errors[at] = m->standard_error[i] / m->value[i];
        }
    costs->n = names->n;
    return 0;
}

/* ---- costs ---- */

/* The names are "mm n=4096,m=64" of FOLDER/mm.profile.yaml, in the order of the kernels, with no
 * other among them.
 */
static int name_kernels(const struct gcal_export *e, struct gcal_strings *names,
                        struct gcal_error *err)
{
    size_t next = 0;

    for (size_t i = 0; i < e->n_kernels; i++)
        for (size_t j = 0; j < e->kernels[i].n_sizes; j++, next++) {
            const struct gcal_export_kernel *k = &e->kernels[i];
            const char *slash = strrchr(k->file, '/'),
                       *file = slash ? slash + 1 : k->file;
            struct gcal_buf buf = { 0 };
            const char *name;

            gcal_buf_put(&buf, file, strcspn(file, "."));
            for (size_t p = 0; p < k->profile->n_parameters; p++)
                gcal_buf_printf(&buf, "%c%s=%.15g", p ? ',' : ' ',
                                k->profile->parameters[p],
                                k->sizes[j * k->profile->n_parameters + p]);
            name = gcal_arena_take(e->arena, &buf);
            if (find_cost(e->arena, names, name) != next)
                return gcal_error_set(
                    err, GCAL_EINPUT,
                    "%s: %s is given twice; remove one, or rename one of the files",
                    k->file, name);
        }
    return 0;
}

int gcal_export_costs_find(const struct gcal_export *e,
                           const struct gcal_params_device *device,
                           struct gcal_strings *names, struct gcal_export_costs *costs,
                           struct gcal_error *err)
{
    size_t at = 0;

    if (!e->n_kernels)
        return cost_parameters(e->arena, &device->models[0],
                               (double)device->info.sub_group_size, names, costs, err);
    if (name_kernels(e, names, err) < 0)
        return -1;
    start_costs(e->arena, costs, names->n);
    for (size_t i = 0; i < e->n_kernels; i++) {
        const struct gcal_export_kernel *k = &e->kernels[i];
        const struct gcal_profile *profile =
            gcal_profile_set_find(&k->counted, (double)device->info.sub_group_size, err);
        struct gcal_predictor *predictor =
            profile ? gcal_predictor_create(device, e->model, profile, err) : NULL;
        int rc = predictor ? predict_sizes(predictor, k, costs, at, err) : -1;

        gcal_predictor_destroy(predictor);
        if (rc < 0)
            return -1;
        at += k->n_sizes;
    }
    return 0;
}
