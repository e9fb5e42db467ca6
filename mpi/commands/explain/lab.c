/* lab.c - a model's expressions at one point, to be evaluated again with changes */
#include <math.h>
#include <string.h>

#include "kernels/model/model.h"
#include "kernels/model/named_expr.h"
#include "mpi/commands/explain/private.h"
#include "store/params/params.h"

static void destroy_predictor(void *predictor)
{
    gcal_predictor_destroy(predictor);
}

static void destroy_parts(void *parts)
{
    gcal_model_parts_destroy(parts);
}

static void add_text(struct gcal_explain_lab *lab, const char *name, const char *text,
                     const char *source)
{
    lab->names[lab->n_texts] = name;
    lab->texts[lab->n_texts] = text;
    lab->sources[lab->n_texts] = source;
    lab->factors[lab->n_texts++] = 1;
}

static void list_texts(struct gcal_arena *arena, struct gcal_explain_lab *lab)
{
    const struct gcal_params_model *m = lab->published;
    size_t n_names = gcal_expr_names_count(m->names), n = 1 + m->roofs.n + n_names;

    lab->names = gcal_arena_alloc(arena, n, sizeof(*lab->names));
    lab->texts = gcal_arena_alloc(arena, n, sizeof(*lab->texts));
    lab->sources = gcal_arena_alloc(arena, n, sizeof(*lab->sources));
    lab->factors = gcal_arena_alloc(arena, n, sizeof(*lab->factors));
    lab->values = gcal_arena_alloc(arena, n, sizeof(*lab->values));
    lab->n_roofs = m->roofs.n;
    add_text(lab, "time", m->expression, m->expression);
    for (size_t i = 0; i < m->roofs.n; i++)
        add_text(lab, m->roofs.roofs[i].name, m->roofs.roofs[i].expression,
                 m->roofs.roofs[i].expression);
    for (size_t i = 0; i < n_names; i++)
        add_text(lab, gcal_expr_names_name(m->names, i),
                 gcal_expr_names_name(m->names, i), gcal_expr_names_text(m->names, i));
}

/* Without names of what the model itself does not use. */
static int compile_texts(struct gcal_arena *arena, struct gcal_explain_lab *lab,
                         struct gcal_error *err)
{
    size_t failed;

    while (
        !(lab->parts = gcal_model_parts_create(lab->inside.model, lab->published->names,
                                               lab->n_texts, lab->texts, &failed, err))) {
        if (failed <= lab->n_roofs)
            return -1;
        lab->n_texts--;
        for (size_t i = failed; i < lab->n_texts; i++) {
            lab->names[i] = lab->names[i + 1];
            lab->texts[i] = lab->texts[i + 1];
            lab->sources[i] = lab->sources[i + 1];
        }
    }
    gcal_arena_own(arena, lab->parts, destroy_parts);
    return 0;
}

struct gcal_explain_lab *
gcal_explain_lab_open(struct gcal_arena *arena, const struct gcal_params_device *device,
                      const char *model, const struct gcal_profile *profile,
                      const double *sizes, struct gcal_error *err)
{
    struct gcal_predictor *predictor = gcal_arena_own(
        arena, gcal_predictor_create(device, model, profile, err), destroy_predictor);
    struct gcal_explain_lab *lab = gcal_arena_alloc(arena, 1, sizeof(*lab));
    size_t n_parameters;
    double time_s; /* there must be one: the device may not be able to run the launch */

    if (!predictor)
        return NULL;
    *lab = (struct gcal_explain_lab){
        .arena = arena,
        .device = device,
        .published = gcal_params_find_model(device, gcal_predictor_model(predictor)),
        .predictor = predictor,
        .inside = gcal_predictor_inside(predictor),
    };
    n_parameters = lab->inside.model->n_parameters;
    lab->parameters = gcal_arena_alloc(arena, n_parameters, sizeof(double));
    memcpy(lab->parameters, lab->inside.parameters, n_parameters * sizeof(double));
    lab->features =
        gcal_arena_alloc(arena, lab->inside.model->n_features, sizeof(double));
    list_texts(arena, lab);
    if (gcal_predictor_time(predictor, sizes, &time_s, err) < 0 ||
        gcal_predictor_features(predictor, sizes, lab->features, err) < 0 ||
        compile_texts(arena, lab, err) < 0)
        return NULL;
    gcal_explain_lab_eval(lab);
    return lab;
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
