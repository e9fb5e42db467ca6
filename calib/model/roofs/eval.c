/* eval.c - the times of roofs */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/strings.h"
#include "calib/model/expr.h"
#include "calib/model/model.h"
#include "calib/model/roofs/roofs.h"

/* Values of a model's symbols are kept on the stack. */
#define MAX_SYMBOLS 1024

struct gcal_roofs_program {
    size_t n, n_parameters, n_features;
    char **names;
    struct gcal_expr **exprs;
};

void gcal_roofs_program_destroy(struct gcal_roofs_program *program)
{
    if (!program)
        return;
    for (size_t i = 0; program->exprs && i < program->n; i++)
        gcal_expr_destroy(program->exprs[i]);
    free(program->exprs);
    gcal_strings_free(program->names, program->n);
    free(program);
}

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

static int compile(struct gcal_roofs_program *p, const struct gcal_roofs *roofs,
                   const char *const *symbols, struct gcal_error *err)
{
    size_t n_symbols = p->n_parameters + p->n_features;

    if (n_symbols > MAX_SYMBOLS)
        return gcal_error_set(err, GCAL_EINPUT, "more than %d names in the expression",
                              MAX_SYMBOLS);
    p->names = calloc(roofs->n + 1, sizeof(*p->names));
    p->exprs = calloc(roofs->n + 1, sizeof(struct gcal_expr *));
    if (!p->names || !p->exprs)
        return gcal_error_memory(err);
    for (; p->n < roofs->n; p->n++) {
        const struct gcal_roof *roof = &roofs->roofs[p->n];

        if (!(p->exprs[p->n] =
                  gcal_expr_parse_in(roof->expression, n_symbols, symbols, err)))
            return gcal_error_prefix(err, "roof '%.60s'", roof->name);
        if (!(p->names[p->n] = strdup(roof->name))) {
            gcal_expr_destroy(p->exprs[p->n]);
            return gcal_error_memory(err);
        }
    }
    return 0;
}

struct gcal_roofs_program *gcal_roofs_compile(const struct gcal_roofs *roofs,
                                              const struct gcal_model *model,
                                              struct gcal_error *err)
{
    const char **symbols = list_symbols(model, err);
    struct gcal_roofs_program *p = symbols ? calloc(1, sizeof(*p)) : NULL;

    if (symbols && !p)
        gcal_error_memory(err);
    if (p) {
        p->n_parameters = model->n_parameters;
        p->n_features = model->n_features;
        if (compile(p, roofs, symbols, err) < 0) {
            gcal_roofs_program_destroy(p);
            p = NULL;
        }
    }
    free(symbols);
    return p;
}

size_t gcal_roofs_count(const struct gcal_roofs_program *program)
{
    return program->n;
}

const char *gcal_roofs_name(const struct gcal_roofs_program *program, size_t i)
{
    return program->names[i];
}

size_t gcal_roofs_eval(const struct gcal_roofs_program *program, const double *parameters,
                       const double *features, double *seconds)
{
    double values[MAX_SYMBOLS], longest = 0;
    size_t found = program->n;

    if (!program->n)
        return 0;
    memcpy(values, parameters, program->n_parameters * sizeof(*values));
    memcpy(values + program->n_parameters, features,
           program->n_features * sizeof(*values));
    for (size_t i = 0; i < program->n; i++) {
        seconds[i] = gcal_expr_eval(program->exprs[i], values);
        if (!isfinite(seconds[i]))
            seconds[i] = 0;
        if (seconds[i] > longest) {
            longest = seconds[i];
            found = i;
        }
    }
    return found;
}
