/* compose.c - the general model with factors at its limits */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/profile.h"
#include "store/learned/private.h"

/* The limit that the named expression is; n: none. */
static size_t find_limit(const struct gcal_roofs *roofs, const char *name)
{
    size_t i = 0;

    while (i < roofs->n && strcmp(roofs->roofs[i].expression, name) != 0)
        i++;
    return i;
}

/* Limits multiplied by their factors, wherever they are used. */
static int copy_names(const struct gcal_params_model *general,
                      struct gcal_params_model *m, struct gcal_error *err)
{
    const struct gcal_roofs *roofs = &general->roofs;
    int rc = (m->names = gcal_expr_names_create(err)) ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < gcal_expr_names_count(general->names); i++) {
        const char *name = gcal_expr_names_name(general->names, i);
        const char *text = gcal_expr_names_text(general->names, i);
        size_t limit = find_limit(roofs, name);
        char *product = limit < roofs->n ? gcal_buf_format(GCAL_LEARNED_PREFIX "%s*(%s)",
                                                           roofs->roofs[limit].name, text)
                                         : strdup(text);

        rc = product ? gcal_expr_names_add(m->names, name, product, err)
                     : gcal_error_memory(err);
        free(product);
    }
    return rc;
}

static int copy_roofs(const struct gcal_roofs *from, struct gcal_roofs *to,
                      struct gcal_error *err)
{
    if (!(to->roofs = calloc(from->n + 1, sizeof(*to->roofs))))
        return gcal_error_memory(err);
    for (; to->n < from->n; to->n++) {
        struct gcal_roof *roof = &to->roofs[to->n];

        roof->name = strdup(from->roofs[to->n].name);
        roof->expression = strdup(from->roofs[to->n].expression);
        if (!roof->name || !roof->expression) {
            to->n++;
            return gcal_error_memory(err);
        }
    }
    return 0;
}

/* The features and their calibrated ranges. */
static int copy_features(const struct gcal_params_model *general,
                         struct gcal_params_model *m, struct gcal_error *err)
{
    size_t n = general->n_features;

    m->feature = calloc(n + 1, sizeof(*m->feature));
    m->feature_min = calloc(n + 1, sizeof(double));
    m->feature_max = calloc(n + 1, sizeof(double));
    if (!m->feature || !m->feature_min || !m->feature_max)
        return gcal_error_memory(err);
    memcpy(m->feature_min, general->feature_min, n * sizeof(double));
    memcpy(m->feature_max, general->feature_max, n * sizeof(double));
    while (m->n_features < n)
        if (!(m->feature[m->n_features] = strdup(general->feature[m->n_features])))
            return gcal_error_memory(err);
        else
            m->n_features++;
    return 0;
}

/* The general model's costs, which are known here, then the factors. */
static int fill_parameters(const struct gcal_params_model *general, const double *value,
                           const double *covariance, struct gcal_params_model *m,
                           struct gcal_error *err)
{
    size_t n_costs = general->n_parameters, n_limits = general->roofs.n;
    size_t n = n_costs + n_limits;
    double *all = calloc(n * n + 1, sizeof(*all));
    int rc = all ? 0 : gcal_error_memory(err);

    m->parameter = calloc(n + 1, sizeof(*m->parameter));
    m->unit = calloc(n + 1, sizeof(*m->unit));
    m->value = calloc(n + 1, sizeof(double));
    m->standard_error = calloc(n + 1, sizeof(double));
    m->own = calloc(n + 1, sizeof(double));
    m->own_error = calloc(n + 1, sizeof(double));
    m->at_bound = calloc(n + 1, sizeof(bool));
    if (!m->parameter || !m->unit || !m->value || !m->standard_error || !m->own ||
        !m->own_error || !m->at_bound)
        rc = gcal_error_memory(err);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        size_t limit = i - n_costs;

        m->n_parameters++;
        m->own[i] = m->own_error[i] = NAN;
        if (i < n_costs) {
            m->parameter[i] = strdup(general->parameter[i]);
            m->unit[i] = strdup(general->unit[i]);
            m->value[i] = general->value[i];
            m->at_bound[i] = true;
        } else {
            m->parameter[i] = gcal_buf_format(GCAL_LEARNED_PREFIX "%s",
                                              general->roofs.roofs[limit].name);
            m->unit[i] = strdup("1");
            m->value[i] = value[limit];
            m->standard_error[i] = sqrt(covariance[limit * n_limits + limit]);
            for (size_t k = 0; k < n_limits; k++)
                all[i * n + n_costs + k] = covariance[limit * n_limits + k];
        }
        if (!m->parameter[i] || !m->unit[i])
            rc = gcal_error_memory(err);
    }
    if (rc == 0 && (m->root = calloc(GCAL_PARAMS_ROOT(n, 0) + 1, sizeof(*m->root))))
        rc = gcal_params_set_covariance(m, all, err);
    else if (rc == 0)
        rc = gcal_error_memory(err);
    free(all);
    return rc;
}

static int set_kernel(const struct gcal_profile *profile, struct gcal_params_model *m,
                      struct gcal_error *err)
{
    const char *component = gcal_profile_component(profile);

    if (!gcal_profile_identity(profile))
        return gcal_error_set(err, GCAL_EINPUT,
                              "kernel %.60s: its profile has no fingerprint, by which "
                              "its model knows it: count it again ('gpucal count')",
                              profile->kernel);
    if (!(m->known = calloc(1, sizeof(*m->known))))
        return gcal_error_memory(err);
    m->n_known = 1;
    *m->known =
        (struct gcal_params_kernel){ .name = strdup(profile->kernel),
                                     .component = component ? strdup(component) : NULL,
                                     .fingerprint =
                                         strdup(gcal_profile_identity(profile)),
                                     .target = true };
    return m->known->name && (m->known->component || !component) && m->known->fingerprint
               ? 0
               : gcal_error_memory(err);
}

int gcal_learned_compose(const struct gcal_params_model *general, const char *name,
                         const struct gcal_profile *profile, const double *value,
                         const double *covariance, struct gcal_params_model *m,
                         struct gcal_error *err)
{
    *m = (struct gcal_params_model){
        .name = strdup(name),
        .output = strdup(general->output),
        .expression = strdup(general->expression),
        .form = strdup(GCAL_PARAMS_CORRECTED),
        .condition = 1,
        .factor = general->factor,
        .factor_error = general->factor_error,
    };
    if (!m->name || !m->output || !m->expression || !m->form)
        return gcal_error_memory(err);
    if (gcal_fields_copy(gcal_params_origin_fields, &m->origin, &general->origin, err) <
            0 ||
        copy_names(general, m, err) < 0 ||
        copy_roofs(&general->roofs, &m->roofs, err) < 0 ||
        copy_features(general, m, err) < 0 || set_kernel(profile, m, err) < 0)
        return -1;
    return fill_parameters(general, value, covariance, m, err);
}
