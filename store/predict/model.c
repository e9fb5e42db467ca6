/* model.c - a model with its parameters, as all of its predictors share it */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "kernels/model/roofs/roofs.h"
#include "store/params/derived.h"
#include "store/params/params.h"
#include "store/predict/private.h"

static int missing(const struct gcal_params_model *from, const char *name,
                   struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT,
                          "model %s: its expression has %s, which is missing in the "
                          "parameter file",
                          from->name, name);
}

/* Values and rows of the root in the order of the expression's parameters. */
static int take_parameters(struct gcal_predictor_model *m,
                           const struct gcal_params_model *from, struct gcal_error *err)
{
    for (size_t i = 0; i < m->model->n_parameters; i++) {
        const char *name = m->model->parameters[i].name;
        size_t at = gcal_params_find_name(from->parameter, from->n_parameters, name);
        char *copy;

        if (at == from->n_parameters)
            return missing(from, name, err);
        copy = strdup(from->unit[at]);
        if (!copy)
            return gcal_error_memory(err);
        free(m->model->parameters[i].unit);
        m->model->parameters[i].unit = copy;
        m->value[i] = from->value[at];
        m->n_row[i] = at + 1;
        memcpy(&m->root[i * m->n_columns], &from->root[GCAL_PARAMS_ROOT(at, 0)],
               (at + 1) * sizeof(double));
    }
    return 0;
}

static int take_ranges(struct gcal_predictor_model *m,
                       const struct gcal_params_model *from, struct gcal_error *err)
{
    for (size_t i = 0; i < m->model->n_features; i++) {
        const char *name = m->model->features[i];
        size_t at = gcal_params_find_name(from->feature, from->n_features, name);

        if (at == from->n_features)
            return missing(from, name, err);
        m->feature_min[i] = from->feature_min[at];
        /* A fact of the device or of the built kernel, which is no work, has no range. */
        m->feature_max[i] =
            gcal_feature_info(m->features[i].kind)->counted == GCAL_FEATURE_COUNTED_DEVICE
                ? INFINITY
                : from->feature_max[at];
    }
    return 0;
}

static int allocate(struct gcal_predictor_model *m, struct gcal_error *err)
{
    size_t np = m->model->n_parameters, nf = m->model->n_features;

    m->value = calloc(np + 1, sizeof(double));
    m->root = calloc(np * m->n_columns + 1, sizeof(double));
    m->n_row = calloc(np + 1, sizeof(*m->n_row));
    m->feature_min = calloc(nf + 1, sizeof(double));
    m->feature_max = calloc(nf + 1, sizeof(double));
    m->features = calloc(nf + 1, sizeof(*m->features));
    m->has_cost = calloc(nf + 1, sizeof(*m->has_cost));
    return m->value && m->root && m->n_row && m->feature_min && m->feature_max &&
                   m->features && m->has_cost
               ? 0
               : gcal_error_memory(err);
}

/* A cost of 0 of work that no measured kernel had is none: nothing is known of it. */
static int find_costs(struct gcal_predictor_model *m, struct gcal_error *err)
{
    size_t np = m->model->n_parameters, nf = m->model->n_features;
    double *known = calloc(np + 1, sizeof(*known));
    bool *has = calloc(nf + 1, sizeof(*has));
    int rc = known && has ? 0 : gcal_error_memory(err);

    for (size_t i = 0; i < np && rc == 0; i++)
        known[i] = m->value[i] > 0 ? m->value[i] : NAN;
    if (rc == 0)
        rc = gcal_model_find_costs(m->model, m->value, m->has_cost, err);
    if (rc == 0)
        rc = gcal_model_find_costs(m->model, known, has, err);
    for (size_t i = 0; i < nf && rc == 0; i++)
        m->has_cost[i] = m->has_cost[i] && (has[i] || m->feature_max[i] > 0);
    free(known);
    free(has);
    return rc;
}

static int fill(struct gcal_predictor_model *m, const struct gcal_params_model *from,
                struct gcal_error *err)
{
    size_t np, nf;

    if (!(m->model = gcal_model_create_with(from->name, from->output, from->expression,
                                            from->names, err)))
        return -1;
    np = m->model->n_parameters;
    nf = m->model->n_features;
    m->n_columns = from->n_parameters;
    if (!(m->roofs = gcal_roofs_compile(&from->roofs, from->names, m->model, err)))
        return gcal_error_prefix(err, "model %.60s", from->name);
    if (np > GCAL_PREDICTOR_MAX_PARAMETERS ||
        m->n_columns > GCAL_PREDICTOR_MAX_PARAMETERS || nf > GCAL_PREDICTOR_MAX_FEATURES)
        return gcal_error_set(err, GCAL_EINPUT,
                              "model %s: %zu parameters and %zu features, at most %d and "
                              "%d are supported",
                              from->name, np > m->n_columns ? np : m->n_columns, nf,
                              GCAL_PREDICTOR_MAX_PARAMETERS, GCAL_PREDICTOR_MAX_FEATURES);
    if (allocate(m, err) < 0 || take_parameters(m, from, err) < 0)
        return -1;
    for (size_t i = 0; i < m->model->n_features; i++) {
        if (gcal_feature_parse(m->model->features[i], &m->features[i], err) < 0)
            return -1;
        m->n_features++;
    }
    if (take_ranges(m, from, err) < 0)
        return -1;
    return find_costs(m, err);
}

static void hold(void *made)
{
    struct gcal_predictor_model *m = made;

    atomic_fetch_add(&m->references, 1);
}

static void release(void *made)
{
    struct gcal_predictor_model *m = made;

    if (atomic_fetch_sub(&m->references, 1) > 1)
        return;
    for (size_t i = 0; i < m->n_features; i++)
        gcal_feature_clear(&m->features[i]);
    gcal_roofs_program_destroy(m->roofs);
    gcal_model_destroy(m->model);
    free(m->value);
    free(m->root);
    free(m->n_row);
    free(m->feature_min);
    free(m->feature_max);
    free(m->features);
    free(m->has_cost);
    free(m);
}

static void *make(const struct gcal_params_model *from, struct gcal_error *err)
{
    struct gcal_predictor_model *m = calloc(1, sizeof(*m));

    if (!m) {
        gcal_error_memory(err);
        return NULL;
    }
    atomic_init(&m->references, 1);
    if (fill(m, from, err) == 0)
        return m;
    release(m);
    return NULL;
}

struct gcal_predictor_model *
gcal_predictor_model_share(const struct gcal_params_model *from, struct gcal_error *err)
{
    static const struct gcal_params_derivation derivation = { make, hold, release };

    return gcal_params_derive(from, &derivation, err);
}

bool gcal_predictor_model_is_same(const struct gcal_predictor_model *a,
                                  const struct gcal_predictor_model *b)
{
    size_t n = a->model->n_parameters;

    return a == b || (strcmp(a->model->name, b->model->name) == 0 &&
                      n == b->model->n_parameters && a->n_columns == b->n_columns &&
                      memcmp(a->value, b->value, n * sizeof(double)) == 0 &&
                      memcmp(a->root, b->root, n * a->n_columns * sizeof(double)) == 0);
}

void gcal_predictor_model_hold(struct gcal_predictor_model *model)
{
    hold(model);
}

void gcal_predictor_model_release(struct gcal_predictor_model *model)
{
    if (model)
        release(model);
}
