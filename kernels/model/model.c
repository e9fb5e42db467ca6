/* model.c - an expression whose names are parameters and features */
#include "kernels/model/model.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/expr.h"
#include "kernels/model/expr_private.h"
#include "kernels/model/feature.h"
#include "kernels/model/program_private.h"

/* Limit for the names in one model. */
#define MAX_SYMBOLS 256

void gcal_model_destroy(struct gcal_model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->n_parameters; i++) {
        free(model->parameters[i].name);
        free(model->parameters[i].unit);
    }
    for (size_t i = 0; i < model->n_features; i++)
        free(model->features[i]);
    free(model->parameters);
    free(model->features);
    free(model->parameter_slots);
    free(model->feature_slots);
    gcal_model_program_destroy(model->program);
    gcal_expr_destroy(model->expr);
    free(model->name);
    free(model->output);
    free(model->expression);
    free(model);
}

/* 'text' with one blank for each run of white space, and none at the ends. */
static char *collapsed(const char *text, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    bool gap = false;

    for (; *text; text++)
        if (isspace((unsigned char)*text))
            gap = buf.size > 0;
        else {
            if (gap)
                gcal_buf_puts(&buf, " ");
            gcal_buf_put(&buf, text, 1);
            gap = false;
        }
    return gcal_buf_take(&buf, err);
}

static char *copy(const char *text, struct gcal_error *err)
{
    char *result = strdup(text);

    if (!result)
        gcal_error_memory(err);
    return result;
}

static int add_parameter(struct gcal_model *model, size_t symbol, struct gcal_error *err)
{
    const char *name = gcal_expr_symbol(model->expr, symbol);
    size_t i = model->n_parameters++;

    model->parameters[i] = (struct gcal_model_parameter){ .name = copy(name, err),
                                                          .unit = copy("s", err),
                                                          .initial = NAN,
                                                          .min = 0,
                                                          .max = INFINITY };
    model->parameter_slots[i] = symbol;
    return model->parameters[i].name && model->parameters[i].unit ? 0 : -1;
}

static int add_feature(struct gcal_model *model, size_t symbol, struct gcal_error *err)
{
    const char *name = gcal_expr_symbol(model->expr, symbol);
    struct gcal_feature feature;
    size_t i = model->n_features++;
    bool measured;

    if (gcal_feature_parse(name, &feature, err) < 0)
        return -1;
    measured = gcal_feature_info(feature.kind)->counted == GCAL_FEATURE_COUNTED_NEVER;
    gcal_feature_clear(&feature);
    if (measured)
        return gcal_error_set(err, GCAL_EINPUT,
                              "'%.100s' is measured: it can only be the model's output",
                              name);
    model->features[i] = copy(name, err);
    model->feature_slots[i] = symbol;
    return model->features[i] ? 0 : -1;
}

static int sort_symbols(struct gcal_model *model, struct gcal_error *err)
{
    size_t n = gcal_expr_symbol_count(model->expr);

    if (n > MAX_SYMBOLS)
        return gcal_error_set(err, GCAL_EINPUT, "more than %d names in the expression",
                              MAX_SYMBOLS);
    /* Room for 'n' parameters and 'n' features. */
    model->parameters = calloc(n + 1, sizeof(*model->parameters));
    model->features = calloc(n + 1, sizeof(*model->features));
    model->parameter_slots = calloc(n + 1, sizeof(*model->parameter_slots));
    model->feature_slots = calloc(n + 1, sizeof(*model->feature_slots));
    if (!model->parameters || !model->features || !model->parameter_slots ||
        !model->feature_slots)
        return gcal_error_memory(err);

    for (size_t i = 0; i < n; i++) {
        const char *name = gcal_expr_symbol(model->expr, i);
        int rc;

        if (strncmp(name, "p_", 2) == 0)
            rc = add_parameter(model, i, err);
        else if (strncmp(name, "f_", 2) == 0)
            rc = add_feature(model, i, err);
        else
            rc = gcal_error_set(err, GCAL_EINPUT,
                                "'%.100s' is neither a parameter (p_...) nor a feature "
                                "(f_...)",
                                name);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* The model's value with parameter 'at' at 0 and all else at 1; 'at' n_parameters: none. */
static double value_without(const struct gcal_model *model, size_t at)
{
    double slots[GCAL_PROGRAM_MAX_SLOTS];

    for (size_t i = 0; i < model->n_parameters; i++)
        slots[model->parameter_slots[i]] = i != at;
    for (size_t i = 0; i < model->n_features; i++)
        slots[model->feature_slots[i]] = 1;
    return gcal_model_program_eval(model->program, slots, NULL);
}

/* A cost may be 0: a parameter that may not, such as a divisor or an exponent, is none. */
static int find_pure_numbers(struct gcal_model *model, struct gcal_error *err)
{
    if (!isfinite(value_without(model, model->n_parameters)))
        return 0;
    for (size_t i = 0; i < model->n_parameters; i++)
        if (!isfinite(value_without(model, i))) {
            free(model->parameters[i].unit);
            if (!(model->parameters[i].unit = copy("1", err)))
                return -1;
        }
    return 0;
}

static int compile(struct gcal_model *model, struct gcal_error *err)
{
    const struct gcal_model_outputs outputs = { .n_roots = 1,
                                                .roots = &model->expr->root,
                                                .n_by = model->n_parameters,
                                                .by = model->parameter_slots };

    model->program = gcal_model_program_create(model->expr, &outputs, err);
    return model->program ? 0 : -1;
}

static int fill(struct gcal_model *model, const char *name, const char *output,
                const char *expression, const struct gcal_expr_names *names,
                struct gcal_error *err)
{
    struct gcal_feature feature;
    bool measured = false;

    if (strncmp(output, "f_user_", 7) != 0) {
        if (gcal_feature_parse(output, &feature, err) < 0)
            return gcal_error_prefix(err, "output");
        measured = gcal_feature_info(feature.kind)->counted == GCAL_FEATURE_COUNTED_NEVER;
        gcal_feature_clear(&feature);
    }
    if (!measured)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "output: '%.100s' is counted, not measured, so no parameter "
            "follows from it: the output is f_cl_wall_time, the run time",
            output);
    if (!(model->name = copy(name, err)) || !(model->output = copy(output, err)) ||
        !(model->expression = collapsed(expression, err)))
        return -1;
    if (!(model->expr = gcal_expr_parse_with(model->expression, names, err)))
        return gcal_error_prefix(err, "expression");
    if (sort_symbols(model, err) < 0 || compile(model, err) < 0)
        return -1;
    return find_pure_numbers(model, err);
}

struct gcal_model *gcal_model_create(const char *name, const char *output,
                                     const char *expression, struct gcal_error *err)
{
    return gcal_model_create_with(name, output, expression, NULL, err);
}

struct gcal_model *gcal_model_create_with(const char *name, const char *output,
                                          const char *expression,
                                          const struct gcal_expr_names *names,
                                          struct gcal_error *err)
{
    struct gcal_model *model = calloc(1, sizeof(*model));

    if (!model) {
        gcal_error_memory(err);
        return NULL;
    }
    if (fill(model, name, output, expression, names, err) < 0) {
        gcal_model_destroy(model);
        return NULL;
    }
    return model;
}

struct gcal_model_parameter *gcal_model_parameter_find(const struct gcal_model *model,
                                                       const char *name)
{
    for (size_t i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameters[i].name, name) == 0)
            return &model->parameters[i];
    return NULL;
}

double gcal_model_eval(const struct gcal_model *model, const double *parameters,
                       const double *features, double *gradient)
{
    double slots[GCAL_PROGRAM_MAX_SLOTS];

    for (size_t i = 0; i < model->n_parameters; i++)
        slots[model->parameter_slots[i]] = parameters[i];
    for (size_t i = 0; i < model->n_features; i++)
        slots[model->feature_slots[i]] = features[i];
    return gcal_model_program_eval(model->program, slots, gradient);
}

static bool is_cost(const struct gcal_model_parameter *p)
{
    return strcmp(p->unit, "s") == 0;
}

/* The steps of the value that depend on a symbol; returns their number. */
static size_t find_steps(const struct gcal_model_program *p, size_t symbol,
                         uint16_t *steps)
{
    bool depends[GCAL_PROGRAM_MAX_SLOTS] = { false };
    size_t n = 0;

    depends[symbol] = true;
    for (size_t i = 0; i < p->n_first; i++) {
        bool *slot = &depends[p->n_symbols + i];

        for (size_t k = 0; k < p->steps[i].n_args; k++)
            *slot = *slot || depends[p->args[p->steps[i].first + k]];
        if (*slot)
            steps[n++] = (uint16_t)i;
    }
    return n;
}

/* Returns whether the value is lower with the symbol at 0: 'slots' have been evaluated, and stay.
 */
static bool is_lower_without(const struct gcal_model_program *p, double *slots,
                             size_t symbol, const uint16_t *steps, size_t n_steps)
{
    double before[GCAL_PROGRAM_MAX_SLOTS], was = slots[symbol];
    double value = slots[p->outputs[0]], without;
    bool changed[GCAL_PROGRAM_MAX_SLOTS] = { false };
    uint16_t run[GCAL_PROGRAM_MAX_SLOTS];
    size_t n_run = 0;

    slots[symbol] = 0;
    changed[symbol] = true;
    for (size_t i = 0; i < n_steps; i++) {
        const struct gcal_program_step *step = &p->steps[steps[i]];
        size_t slot = p->n_symbols + steps[i];
        bool runs = false;

        for (size_t k = 0; k < step->n_args; k++)
            runs = runs || changed[p->args[step->first + k]];
        if (!runs)
            continue;
        before[n_run] = slots[slot];
        gcal_model_program_run(p, slots, steps[i], steps[i] + 1u);
        changed[slot] = slots[slot] != before[n_run];
        run[n_run++] = (uint16_t)slot;
    }
    without = slots[p->outputs[0]];
    slots[symbol] = was;
    for (size_t i = 0; i < n_run; i++)
        slots[run[i]] = before[i];
    return without < value;
}

int gcal_model_find_costs(const struct gcal_model *model, const double *parameters,
                          bool *has_cost, struct gcal_error *err)
{
    const struct gcal_model_program *p = model->program;
    size_t n_slots, n_costs = 0;
    double *all;
    uint16_t steps[GCAL_PROGRAM_MAX_SLOTS];

    if (!model->n_features) /* it may have no program */
        return 0;
    n_slots = p->n_symbols + p->n_first;
    if (!(all = calloc(model->n_parameters + 1, n_slots * sizeof(*all))))
        return gcal_error_memory(err);
    /* One cost at 1 s and all others at 0; each feature is 1. */
    for (size_t i = 0; i < model->n_parameters; i++) {
        double *slots = all + n_costs * n_slots;

        if (!is_cost(&model->parameters[i]) || isnan(parameters[i]))
            continue;
        for (size_t k = 0; k < model->n_parameters; k++)
            slots[model->parameter_slots[k]] =
                is_cost(&model->parameters[k]) ? k == i : parameters[k];
        for (size_t k = 0; k < model->n_features; k++)
            slots[model->feature_slots[k]] = 1;
        gcal_model_program_run(p, slots, 0, p->n_first);
        n_costs++;
    }
    for (size_t i = 0; i < model->n_features; i++) {
        size_t n = find_steps(p, model->feature_slots[i], steps);

        has_cost[i] = false;
        for (size_t k = 0; k < n_costs && !has_cost[i]; k++)
            has_cost[i] =
                is_lower_without(p, all + k * n_slots, model->feature_slots[i], steps, n);
    }
    free(all);
    return 0;
}

/* ---- further expressions ---- */

struct gcal_model_parts {
    size_t n_parameters, n_features;
    struct gcal_model_program *program;
};

/* The model's parameters, then its features; free the array. */
static const char **list_symbols(const struct gcal_model *model, struct gcal_error *err)
{
    size_t n = model->n_parameters;
    const char **symbols = calloc(n + model->n_features + 1, sizeof(*symbols));

    if (!symbols) {
        gcal_error_memory(err);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        symbols[i] = model->parameters[i].name;
    for (size_t i = 0; i < model->n_features; i++)
        symbols[n + i] = model->features[i];
    return symbols;
}

static struct gcal_model_program *compile_parts(const struct gcal_model *model,
                                                const struct gcal_expr_names *names,
                                                size_t n, const char *const *texts,
                                                size_t *failed, struct gcal_error *err)
{
    size_t n_symbols = model->n_parameters + model->n_features;
    struct gcal_expr_node **roots = calloc(n + 1, sizeof(struct gcal_expr_node *));
    const char **symbols = list_symbols(model, err);
    struct gcal_model_program *program = NULL;
    struct gcal_expr *expr = NULL;

    if (!roots)
        gcal_error_memory(err);
    if (roots && symbols)
        expr = gcal_expr_parse_roots(n, texts, names, n_symbols, symbols, roots, failed,
                                     err);
    if (expr)
        program = gcal_model_program_create(
            expr, &(struct gcal_model_outputs){ .n_roots = n, .roots = roots }, err);
    gcal_expr_destroy(expr);
    free(symbols);
    free(roots);
    return program;
}

struct gcal_model_parts *gcal_model_parts_create(const struct gcal_model *model,
                                                 const struct gcal_expr_names *names,
                                                 size_t n, const char *const *texts,
                                                 size_t *failed, struct gcal_error *err)
{
    struct gcal_model_parts *parts = calloc(1, sizeof(*parts));

    *failed = 0;
    if (!parts) {
        gcal_error_memory(err);
        return NULL;
    }
    parts->n_parameters = model->n_parameters;
    parts->n_features = model->n_features;
    if ((parts->program = compile_parts(model, names, n, texts, failed, err)))
        return parts;
    free(parts);
    return NULL;
}

void gcal_model_parts_destroy(struct gcal_model_parts *parts)
{
    if (parts)
        gcal_model_program_destroy(parts->program);
    free(parts);
}

const struct gcal_model_program *
gcal_model_parts_program(const struct gcal_model_parts *parts)
{
    return parts->program;
}

void gcal_model_parts_eval(const struct gcal_model_parts *parts, const double *parameters,
                           const double *features, double *values)
{
    double slots[GCAL_PROGRAM_MAX_SLOTS];

    memcpy(slots, parameters, parts->n_parameters * sizeof(*slots));
    memcpy(slots + parts->n_parameters, features, parts->n_features * sizeof(*slots));
    gcal_model_program_eval_roots(parts->program, slots, values);
}

void gcal_model_parts_eval_scaled(const struct gcal_model_parts *parts,
                                  const double *parameters, const double *features,
                                  const double *factors, double *values)
{
    double slots[GCAL_PROGRAM_MAX_SLOTS];

    memcpy(slots, parameters, parts->n_parameters * sizeof(*slots));
    memcpy(slots + parts->n_parameters, features, parts->n_features * sizeof(*slots));
    gcal_model_program_eval_scaled(parts->program, slots, factors, values);
}

/* ---- from YAML ---- */

static int decode_number(const struct gcal_yaml *node, const char *key, double *value,
                         struct gcal_error *err)
{
    const struct gcal_yaml *item = gcal_yaml_find(node, key);

    return item ? gcal_yaml_double(item, key, value, err) : 0;
}

static int decode_unit(const struct gcal_yaml *node, struct gcal_model_parameter *p,
                       struct gcal_error *err)
{
    const struct gcal_yaml *item = gcal_yaml_find(node, "unit");
    const char *text = item ? gcal_yaml_text(item, "unit", err) : p->unit;
    char *unit = text ? copy(text, err) : NULL;

    if (!unit)
        return -1;
    free(p->unit);
    p->unit = unit;
    return 0;
}

int gcal_model_parameter_decode(const struct gcal_yaml *node,
                                struct gcal_model_parameter *p, struct gcal_error *err)
{
    static const char *const known[] = {
        "unit", "initial", "min", "max", "optional", NULL
    };
    const struct gcal_yaml *optional = gcal_yaml_find(node, "optional");

    if (gcal_yaml_check_keys(node, known, err) < 0 || decode_unit(node, p, err) < 0 ||
        decode_number(node, "initial", &p->initial, err) < 0 ||
        decode_number(node, "min", &p->min, err) < 0 ||
        decode_number(node, "max", &p->max, err) < 0 ||
        (optional && gcal_yaml_bool(optional, "optional", &p->optional, err) < 0))
        return -1;
    if (p->optional && !is_cost(p))
        return gcal_yaml_error(optional, err,
                               "%s: only a cost in seconds can be optional", p->name);
    if (!(p->min < p->max))
        return gcal_yaml_error(node, err, "%s: min %g is not below max %g", p->name,
                               p->min, p->max);
    if (p->initial < p->min || p->initial > p->max)
        return gcal_yaml_error(node, err, "%s: initial %g is outside %g to %g", p->name,
                               p->initial, p->min, p->max);
    return 0;
}
