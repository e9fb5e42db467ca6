/* lab.c - a model's expressions at one point, to be evaluated again with changes */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/model.h"
#include "kernels/model/named_expr.h"
#include "mpi/commands/explain/private.h"
#include "store/params/params.h"

void gcal_explain_lab_clear(struct gcal_explain_lab *lab)
{
    gcal_model_parts_destroy(lab->parts);
    free(lab->texts);
    free(lab->names);
    free(lab->parameters);
    free(lab->features);
    free(lab->factors);
    free(lab->values);
    *lab = (struct gcal_explain_lab){ 0 };
}

static void add(struct gcal_explain_lab *lab, const char *name, const char *text)
{
    lab->names[lab->n_texts] = name;
    lab->texts[lab->n_texts++] = text;
}

static int list_texts(struct gcal_explain_lab *lab, struct gcal_error *err)
{
    const struct gcal_params_model *m = lab->published;
    size_t n_names = gcal_expr_names_count(m->names), n = 1 + m->roofs.n + n_names;

    lab->texts = calloc(n, sizeof(*lab->texts));
    lab->names = calloc(n, sizeof(*lab->names));
    lab->factors = calloc(n, sizeof(*lab->factors));
    lab->values = calloc(n, sizeof(*lab->values));
    if (!lab->texts || !lab->names || !lab->factors || !lab->values)
        return gcal_error_memory(err);
    add(lab, "time", m->expression);
    for (size_t i = 0; i < m->roofs.n; i++)
        add(lab, m->roofs.roofs[i].name, m->roofs.roofs[i].expression);
    lab->n_roofs = m->roofs.n;
    for (size_t i = 0; i < n_names; i++)
        add(lab, gcal_expr_names_name(m->names, i), gcal_expr_names_name(m->names, i));
    for (size_t i = 0; i < n; i++)
        lab->factors[i] = 1;
    return 0;
}

/* Without names of what the model itself does not use. */
static int compile(struct gcal_explain_lab *lab, struct gcal_error *err)
{
    size_t failed;

    while (
        !(lab->parts = gcal_model_parts_create(lab->inside.model, lab->published->names,
                                               lab->n_texts, lab->texts, &failed, err))) {
        if (failed <= lab->n_roofs)
            return -1;
        lab->n_texts--;
        memmove(lab->texts + failed, lab->texts + failed + 1,
                (lab->n_texts - failed) * sizeof(*lab->texts));
        memmove(lab->names + failed, lab->names + failed + 1,
                (lab->n_texts - failed) * sizeof(*lab->names));
    }
    return 0;
}

int gcal_explain_lab_open(struct gcal_explain_lab *lab,
                          const struct gcal_params_device *device,
                          const struct gcal_predictor *predictor, const double *sizes,
                          struct gcal_error *err)
{
    const struct gcal_model *model;
    double time_s; /* there must be one: the device may not be able to run the launch */

    *lab = (struct gcal_explain_lab){
        .device = device,
        .published = gcal_params_find_model(device, gcal_predictor_model(predictor)),
        .inside = gcal_predictor_inside(predictor),
    };
    model = lab->inside.model;
    lab->parameters = calloc(model->n_parameters + 1, sizeof(double));
    lab->features = calloc(model->n_features + 1, sizeof(double));
    if (!lab->parameters || !lab->features)
        return gcal_error_memory(err);
    memcpy(lab->parameters, lab->inside.parameters,
           model->n_parameters * sizeof(*lab->parameters));
    if (gcal_predictor_time(predictor, sizes, &time_s, err) < 0 ||
        gcal_predictor_features(predictor, sizes, lab->features, err) < 0 ||
        list_texts(lab, err) < 0 || compile(lab, err) < 0)
        return -1;
    gcal_explain_lab_eval(lab);
    return 0;
}

double gcal_explain_lab_eval(struct gcal_explain_lab *lab)
{
    gcal_model_parts_eval_scaled(lab->parts, lab->parameters, lab->features, lab->factors,
                                 lab->values);
    for (size_t i = 0; i <= lab->n_roofs; i++)
        lab->values[i] =
            isfinite(lab->values[i]) ? lab->inside.factor * lab->values[i] : 0;
    return lab->values[0];
}

size_t gcal_explain_lab_find(const struct gcal_explain_lab *lab, const char *name)
{
    size_t i = lab->n_roofs + 1;

    while (i < lab->n_texts && strcmp(lab->names[i], name) != 0)
        i++;
    for (size_t k = 1; k <= lab->n_roofs && i == lab->n_texts; k++)
        if (strcmp(lab->names[k], name) == 0)
            return k;
    return i;
}

double gcal_explain_lab_value(const struct gcal_explain_lab *lab, const char *name)
{
    size_t i = gcal_explain_lab_find(lab, name);

    return i > lab->n_roofs && i < lab->n_texts ? lab->values[i] : NAN;
}

size_t gcal_explain_lab_feature(const struct gcal_explain_lab *lab, const char *name)
{
    const struct gcal_model *m = lab->inside.model;
    size_t i = 0;

    while (i < m->n_features && strcmp(m->features[i], name) != 0)
        i++;
    return i;
}

size_t gcal_explain_lab_parameter(const struct gcal_explain_lab *lab, const char *name)
{
    const struct gcal_model *m = lab->inside.model;
    size_t i = 0;

    while (i < m->n_parameters && strcmp(m->parameters[i].name, name) != 0)
        i++;
    return i;
}

double gcal_explain_lab_compute(const struct gcal_explain_lab *lab, const char *text)
{
    size_t failed;
    struct gcal_model_parts *parts = gcal_model_parts_create(
        lab->inside.model, lab->published->names, 1, &text, &failed, NULL);
    double value = NAN;

    if (parts)
        gcal_model_parts_eval(parts, lab->parameters, lab->features, &value);
    gcal_model_parts_destroy(parts);
    return value;
}
