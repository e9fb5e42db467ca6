/* read_model.c - a model from its document */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/roofs/names.h"
#include "store/params/derived.h"
#include "store/params/params.h"
#include "store/params/fields.h"
#include "store/params/private.h"

static const struct gcal_field *const no_tables[2] = { NULL };

/* Absent where the device's rows do not determine it. */
static double get_device_estimate(struct gcal_params_fields *r,
                                  const struct gcal_yaml *map, const char *key,
                                  double min)
{
    return !r->failed && gcal_yaml_find(map, key)
               ? gcal_params_fields_number(r, map, key, min)
               : NAN;
}

static void get_parameters(struct gcal_params_fields *r, const struct gcal_yaml *map,
                           struct gcal_params_model *m)
{
    const struct gcal_yaml *list = gcal_params_fields_list(r, map, "parameters");

    if (!list)
        return;
    m->n_parameters = list->n_items;
    m->parameter = gcal_params_fields_array(r, list->n_items, sizeof(*m->parameter));
    m->unit = gcal_params_fields_array(r, list->n_items, sizeof(*m->unit));
    m->value = gcal_params_fields_array(r, list->n_items, sizeof(*m->value));
    m->standard_error =
        gcal_params_fields_array(r, list->n_items, sizeof(*m->standard_error));
    m->own = gcal_params_fields_array(r, list->n_items, sizeof(*m->own));
    m->own_error = gcal_params_fields_array(r, list->n_items, sizeof(*m->own_error));
    m->at_bound = gcal_params_fields_array(r, list->n_items, sizeof(*m->at_bound));
    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        static const char *const keys[] = { "name",           "value", "unit",
                                            "standard_error", "own",   "own_error",
                                            "at_bound",       NULL };

        gcal_params_fields_check_keys(r, list->items[i], no_tables, keys);
        m->parameter[i] = gcal_params_fields_text(r, list->items[i], "name");
        m->unit[i] = gcal_params_fields_text(r, list->items[i], "unit");
        m->value[i] = gcal_params_fields_number(r, list->items[i], "value", -INFINITY);
        m->standard_error[i] =
            gcal_params_fields_number(r, list->items[i], "standard_error", 0);
        m->own[i] = get_device_estimate(r, list->items[i], "own", -INFINITY);
        m->own_error[i] = get_device_estimate(r, list->items[i], "own_error", 0);
        if (!r->failed && isnan(m->own[i]) != isnan(m->own_error[i])) {
            gcal_yaml_error(list->items[i], r->err,
                            "own and own_error must both be given or neither");
            r->failed = true;
        }
        if (!r->failed && gcal_yaml_find(list->items[i], "at_bound"))
            m->at_bound[i] = gcal_params_fields_bool(r, list->items[i], "at_bound");
        gcal_params_fields_check_unique(r, list, m->parameter, i);
    }
}

static void get_features(struct gcal_params_fields *r, const struct gcal_yaml *map,
                         struct gcal_params_model *m)
{
    static const char *const keys[] = { "name", "min", "max", NULL };
    const struct gcal_yaml *list = gcal_params_fields_list(r, map, "features");

    if (!list)
        return;
    m->n_features = list->n_items;
    m->feature = gcal_params_fields_array(r, list->n_items, sizeof(*m->feature));
    m->feature_min = gcal_params_fields_array(r, list->n_items, sizeof(*m->feature_min));
    m->feature_max = gcal_params_fields_array(r, list->n_items, sizeof(*m->feature_max));
    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        gcal_params_fields_check_keys(r, list->items[i], no_tables, keys);
        m->feature[i] = gcal_params_fields_text(r, list->items[i], "name");
        m->feature_min[i] = gcal_params_fields_number(r, list->items[i], "min", 0);
        m->feature_max[i] =
            gcal_params_fields_number(r, list->items[i], "max", m->feature_min[i]);
        gcal_params_fields_check_unique(r, list, m->feature, i);
    }
}

static void get_proportions(struct gcal_params_fields *r, const struct gcal_yaml *map,
                            struct gcal_params_model *m)
{
    static const char *const keys[] = { "feature", "min", "max", NULL };
    const struct gcal_yaml *list = NULL;

    if (!r->failed && gcal_yaml_find(map, "stands_for"))
        list = gcal_params_fields_list(r, map, "stands_for");
    if (!list)
        return;
    if (list->n_items > GCAL_PROPORTIONS_MAX) {
        gcal_yaml_error(list, r->err, "stands_for: more than %d features",
                        GCAL_PROPORTIONS_MAX);
        r->failed = true;
        return;
    }
    m->stands_for.items =
        gcal_params_fields_array(r, list->n_items, sizeof(*m->stands_for.items));
    for (size_t i = 0; !r->failed && i < list->n_items; i++) {
        struct gcal_proportion *p = &m->stands_for.items[m->stands_for.n++];

        gcal_params_fields_check_keys(r, list->items[i], no_tables, keys);
        p->feature = gcal_params_fields_text(r, list->items[i], "feature");
        p->min = gcal_params_fields_number(r, list->items[i], "min", 0);
        p->max = gcal_params_fields_number(r, list->items[i], "max", p->min);
    }
}

static void get_expression(struct gcal_params_fields *r, const struct gcal_yaml *map,
                           struct gcal_params_model *m)
{
    struct gcal_error why = { 0 };

    m->expression = gcal_params_fields_text(r, map, "expression");
    if (r->failed || !gcal_yaml_find(map, "expressions"))
        return;
    r->failed = gcal_roofs_names_read(map, &m->names, r->err) < 0;
    if (r->failed || gcal_expr_names_check_text(m->names, m->expression, &why) == 0)
        return;
    gcal_yaml_error(gcal_yaml_find(map, "expression"), r->err, "expression: %s",
                    why.text);
    r->failed = true;
}

static const char short_bound[] = "short_error_90";

/* All fields after the name. */
static void get_fit(struct gcal_params_fields *r, const struct gcal_yaml *map,
                    struct gcal_params_model *m)
{
    const struct gcal_yaml *covariance;

    m->output = gcal_params_fields_text(r, map, "output");
    get_expression(r, map, m);
    m->factor = gcal_params_fields_number(r, map, "factor", 1e-9);
    m->factor_error = gcal_params_fields_number(r, map, "factor_error", 0);
    get_parameters(r, map, m);
    covariance = gcal_params_fields_need(r, map, "covariance");
    m->root = gcal_params_fields_array(r, GCAL_PARAMS_ROOT(m->n_parameters, 0),
                                       sizeof(*m->root));
    if (!r->failed &&
        gcal_params_covariance_decode(covariance, m->n_parameters, m->root, r->err) < 0)
        r->failed = true;
    get_features(r, map, m);
    for (size_t i = 0; i < GCAL_PARAMS_N_LINES; i++)
        r->failed = r->failed || gcal_params_lines_decode(i, map, m, r->err) < 0;
    get_proportions(r, map, m);
    if (!r->failed && (gcal_roofs_read(map, m->names, &m->roofs, r->err) < 0 ||
                       gcal_spreads_read(map, &m->roofs, &m->spreads, r->err) < 0))
        r->failed = true;
    m->form = gcal_params_fields_text(r, map, "form");
    m->condition = INFINITY;
    gcal_params_fields_get(r, map, gcal_params_fit_fields, m);
    /* Files from before have a bound of short launches alone, which is now that of all. */
    if (!r->failed && gcal_yaml_find(map, short_bound))
        m->error_90 =
            fmax(m->error_90, gcal_params_fields_number(r, map, short_bound, 0));
}

/* Documents must be in the order of the first one. */
static void check_text(struct gcal_params_fields *r, const struct gcal_yaml *map,
                       const char *key, const char *expected)
{
    const struct gcal_yaml *node = gcal_params_fields_need(r, map, key);
    const char *text = node ? gcal_yaml_text(node, key, r->err) : NULL;

    if (text && strcmp(text, expected) != 0)
        gcal_yaml_error(node, r->err, "%s: expected '%s', by the first document", key,
                        expected);
    r->failed = r->failed || !text || strcmp(text, expected) != 0;
}

int gcal_params_read_model(const struct gcal_yaml *map, const char *device,
                           const char *name, struct gcal_params_model *model,
                           struct gcal_error *err)
{
    static const struct gcal_field *const tables[2] = { gcal_params_fit_fields };
    static const char *const others[] = {
        "device", "model",    "output",     "expression", "factor",
        "form",   "features", "parameters", "covariance", "factor_error",
        "known",  "roofs",    "spread",     "stands_for", "expressions",
        "times",  "short_s",  short_bound,  "members",    NULL,
    };
    struct gcal_params_fields r = { .err = err };

    *model = (struct gcal_params_model){ 0 };
    gcal_params_fields_check_keys(&r, map, tables, others);
    check_text(&r, map, "device", device);
    check_text(&r, map, "model", name);
    model->name = gcal_params_fields_text(&r, map, "model");
    get_fit(&r, map, model);
    if (!r.failed && (model->derived = gcal_params_derived_create(err)))
        return 0;
    gcal_params_model_clear(model);
    return -1;
}
