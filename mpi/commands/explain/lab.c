/* lab.c - a model's expressions at one point, to be evaluated again with changes */
#include <math.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/model/expr.h"
#include "kernels/model/model.h"
#include "kernels/model/named_expr.h"
#include "mpi/commands/explain/private.h"
#include "store/params/params.h"

GCAL_ARENA_DESTROYER(destroy_predictor, gcal_predictor_destroy)

GCAL_ARENA_DESTROYER(destroy_parts, gcal_model_parts_destroy)

GCAL_ARENA_DESTROYER(destroy_names, gcal_expr_names_destroy)

GCAL_ARENA_DESTROYER(destroy_model, gcal_model_destroy)

/* ---- uses of costs ---- */

/* What is between a cost and the number of its use, from the second on. */
#define USE "__"

/* 'length' characters at 'name'; n_parameters: none. */
static size_t find_parameter(const struct gcal_model *model, const char *name,
                             size_t length)
{
    size_t i = 0;

    while (i < model->n_parameters &&
           (strlen(model->parameters[i].name) != length ||
            memcmp(model->parameters[i].name, name, length) != 0))
        i++;
    return i;
}

/* "p_fp32*fp32 + p_fp32__2*integer": the text with a name for each use of a cost. */
static char *name_uses(const struct gcal_explain_lab *lab, const char *text)
{
    const struct gcal_model *model = lab->inside.model;
    size_t *uses = gcal_arena_alloc(lab->arena, model->n_parameters + 1, sizeof(*uses));
    size_t length;
    struct gcal_buf named = { 0 };

    for (const char *name; (name = gcal_expr_next_name(text, &length));
         text = name + length) {
        size_t i = find_parameter(model, name, length);

        gcal_buf_put(&named, text, (size_t)(name + length - text));
        if (i < model->n_parameters && strcmp(model->parameters[i].unit, "s") == 0 &&
            uses[i]++)
            gcal_buf_printf(&named, USE "%zu", uses[i]);
    }
    gcal_buf_puts(&named, text);
    return gcal_arena_take(lab->arena, &named);
}

/* The model of named uses, and values of its parameters. */
static int create_model(struct gcal_explain_lab *lab, struct gcal_error *err)
{
    const struct gcal_params_model *m = lab->published;
    const struct gcal_model *model = lab->inside.model;

    lab->names_of_uses =
        gcal_arena_own(lab->arena, gcal_expr_names_create(err), destroy_names);
    for (size_t i = 0; lab->names_of_uses && i < gcal_expr_names_count(m->names); i++)
        if (gcal_expr_names_add(lab->names_of_uses, gcal_expr_names_name(m->names, i),
                                name_uses(lab, gcal_expr_names_text(m->names, i)),
                                err) < 0)
            return -1;
    if (!lab->names_of_uses || !(lab->model = gcal_arena_own(
                                     lab->arena,
                                     gcal_model_create_with(model->name, model->output,
                                                            name_uses(lab, m->expression),
                                                            lab->names_of_uses, err),
                                     destroy_model)))
        return -1;
    lab->parameters =
        gcal_arena_alloc(lab->arena, lab->model->n_parameters + 1, sizeof(double));
    lab->costs =
        gcal_arena_alloc(lab->arena, lab->model->n_parameters + 1, sizeof(*lab->costs));
    for (size_t i = 0; i < lab->model->n_parameters; i++) {
        const char *name = lab->model->parameters[i].name, *use = name;
        size_t k = find_parameter(model, name, strlen(name));

        if (k == model->n_parameters) {
            for (const char *next = name; (next = strstr(next, USE)); next++)
                use = next;
            k = find_parameter(model, name, (size_t)(use - name));
        }
        lab->costs[i] = &model->parameters[k];
        lab->parameters[i] = lab->inside.parameters[k];
    }
    return 0;
}

/* In the order of the lab's model. */
static int find_features(struct gcal_explain_lab *lab, const double *sizes,
                         struct gcal_error *err)
{
    const struct gcal_model *model = lab->inside.model;
    double *values = gcal_arena_alloc(lab->arena, model->n_features + 1, sizeof(*values));

    lab->features =
        gcal_arena_alloc(lab->arena, lab->model->n_features + 1, sizeof(double));
    if (gcal_predictor_features(lab->predictor, sizes, values, err) < 0)
        return -1;
    for (size_t i = 0; i < model->n_features; i++) {
        size_t own = gcal_explain_lab_feature(lab, model->features[i]);

        if (own < lab->model->n_features)
            lab->features[own] = values[i];
    }
    return 0;
}

/* ---- texts ---- */

static void add_text(struct gcal_explain_lab *lab, const char *name, const char *text,
                     const char *source)
{
    lab->names[lab->n_texts] = name;
    lab->texts[lab->n_texts] = text;
    lab->sources[lab->n_texts] = source;
    lab->factors[lab->n_texts++] = 1;
}

/* Without names of what the model itself does not use. */
static int compile_texts(struct gcal_arena *arena, struct gcal_explain_lab *lab,
                         struct gcal_error *err)
{
    size_t failed;

    while (
        !(lab->parts = gcal_model_parts_create(lab->model, lab->names_of_uses,
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
    if (gcal_predictor_time(predictor, sizes, &time_s, err) < 0 ||
        create_model(lab, err) < 0 || find_features(lab, sizes, err) < 0)
        return NULL;
    const struct gcal_params_model *m = lab->published;
    const struct gcal_expr_names *names = lab->names_of_uses;
    size_t n_names = gcal_expr_names_count(names), n = 1 + m->roofs.n + n_names;
    lab->names = gcal_arena_alloc(arena, n, sizeof(*lab->names));
    lab->texts = gcal_arena_alloc(arena, n, sizeof(*lab->texts));
    lab->sources = gcal_arena_alloc(arena, n, sizeof(*lab->sources));
    lab->factors = gcal_arena_alloc(arena, n, sizeof(*lab->factors));
    lab->values = gcal_arena_alloc(arena, n, sizeof(*lab->values));
    lab->n_roofs = m->roofs.n;
    add_text(lab, "time", lab->model->expression, lab->model->expression);
    for (size_t i = 0; i < m->roofs.n; i++) {
        const char *roof = name_uses(lab, m->roofs.roofs[i].expression);

        add_text(lab, m->roofs.roofs[i].name, roof, roof);
    }
    for (size_t i = 0; i < n_names; i++)
        add_text(lab, gcal_expr_names_name(names, i), gcal_expr_names_name(names, i),
                 gcal_expr_names_text(names, i));
    if (compile_texts(arena, lab, err) < 0)
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
    const struct gcal_model *m = lab->model;
    size_t i = 0;

    while (i < m->n_features && strcmp(m->features[i], name) != 0)
        i++;
    return i;
}

double gcal_explain_lab_compute(const struct gcal_explain_lab *lab, const char *text)
{
    size_t failed;
    struct gcal_model_parts *parts =
        gcal_model_parts_create(lab->model, lab->names_of_uses, 1, &text, &failed, NULL);
    double value = NAN;

    if (parts)
        gcal_model_parts_eval(parts, lab->parameters, lab->features, &value);
    gcal_model_parts_destroy(parts);
    return value;
}
