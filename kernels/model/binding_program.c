/* binding_program.c - a model's expression at a kernel's counts, as one program of the sizes */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/binding_private.h"
#include "kernels/model/expr.h"
#include "kernels/model/model.h"
#include "kernels/model/program_private.h"

struct gcal_binding_program {
    const struct gcal_binding *binding;
    struct gcal_model_program *program;
    size_t n_parameters, n_parts;
    /* Its symbols after the sizes: 1 where a term's tests hold, else 0. */
    size_t n_guards;
    const struct gcal_binding_term **guards;
    /* Its first outputs: features that may have a count, by index. */
    size_t n_features;
    size_t *features;
};

void gcal_binding_program_destroy(struct gcal_binding_program *p)
{
    if (!p)
        return;
    gcal_model_program_destroy(p->program);
    free(p->guards);
    free(p->features);
    free(p);
}

/* What a feature is, and what it is where counts that are estimates double. */
struct counted {
    uint32_t value, doubled;
};

static uint32_t add(struct gcal_program_builder *b, uint32_t x, uint32_t y)
{
    return gcal_program_call(b, GCAL_EXPR_OP_ADD, 0, 2, (uint32_t[]){ x, y });
}

static uint32_t place_term(struct gcal_binding_program *p, struct gcal_program_builder *b,
                           const struct gcal_binding_term *term, const uint32_t *symbols)
{
    size_t n = p->binding->n_parameters;
    uint32_t zero = gcal_program_number(b, 0);
    uint32_t count = !(p->binding->wave_groups > 0) && gcal_expr_uses(term->count, n + 1)
                         ? gcal_program_number(b, NAN) /* the wave is unknown */
                         : gcal_program_add_expr(b, term->count, symbols);

    if (!term->n_tests && !term->premise)
        return count;
    p->guards[p->n_guards++] = term;
    return gcal_program_call(
        b, GCAL_EXPR_OP_SELECT, 0, 4,
        (uint32_t[]){ (uint32_t)(n + p->n_guards - 1), zero, zero, count });
}

static struct counted place_feature(struct gcal_binding_program *p,
                                    struct gcal_program_builder *b,
                                    const struct gcal_binding_feature *f,
                                    const uint32_t *symbols)
{
    uint32_t sum = gcal_program_number(b, isnan(f->given) ? 0 : f->given),
             estimated = gcal_program_number(b, 0);

    for (size_t i = 0; i < f->n_terms && isnan(f->given); i++) {
        uint32_t term = place_term(p, b, &f->terms[i], symbols);

        sum = add(b, sum, term);
        if (f->terms[i].estimated)
            estimated = add(b, estimated, term);
    }
    return (struct counted){ sum, add(b, sum, estimated) };
}

/* The values of the model's symbols; then where estimates double. */
static void set_symbols(const struct gcal_model *model, const struct counted *features,
                        bool doubled, uint32_t *symbols)
{
    for (size_t i = 0; i < model->n_features; i++)
        symbols[model->feature_slots[i]] =
            doubled ? features[i].doubled : features[i].value;
}

/* 'values': parameters, and then room for features. */
static int place_all(struct gcal_binding_program *p, struct gcal_program_builder *b,
                     const struct gcal_model *model, const double *parameters,
                     const struct gcal_model_parts *parts, struct counted *features,
                     uint32_t *symbols, uint32_t *in_order, uint32_t *outputs)
{
    const struct gcal_binding *binding = p->binding;
    uint32_t sizes[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES], *output;
    size_t n = binding->n_parameters, n_parameters = model->n_parameters;

    for (size_t i = 0; i < n; i++)
        sizes[i] = (uint32_t)i;
    sizes[n] = gcal_program_number(b, binding->sub_group_size);
    sizes[n + 1] = gcal_program_number(b, binding->wave_groups);
    for (size_t i = 0; i < n_parameters; i++)
        symbols[model->parameter_slots[i]] = in_order[i] =
            gcal_program_number(b, parameters[i]);
    for (size_t i = 0; i < model->n_features; i++) {
        features[i] = place_feature(p, b, &binding->features[i], sizes);
        in_order[n_parameters + i] = features[i].value;
        if (gcal_program_is(b, features[i].value, 0))
            continue;
        outputs[p->n_features] = features[i].value;
        p->features[p->n_features++] = i;
    }
    output = outputs + p->n_features;
    set_symbols(model, features, false, symbols);
    if (gcal_program_add_program(b, model->program, symbols, 1, output) < 0)
        return -1;
    gcal_program_end_first(b);
    if (gcal_program_add_program(b, model->program, symbols, 1 + n_parameters, output) <
            0 ||
        gcal_program_add_program(b, gcal_model_parts_program(parts), in_order, p->n_parts,
                                 output + 1 + n_parameters) < 0)
        return -1;
    set_symbols(model, features, true, symbols);
    return gcal_program_add_program(b, model->program, symbols, 1,
                                    output + 1 + n_parameters + p->n_parts);
}

static int compile(struct gcal_binding_program *p, const struct gcal_model *model,
                   const double *parameters, const struct gcal_model_parts *parts,
                   struct gcal_error *err)
{
    const struct gcal_binding *binding = p->binding;
    size_t n_terms = 0, n = model->n_parameters + model->n_features;
    struct gcal_program_builder *b = NULL;
    struct counted *features = calloc(model->n_features + 1, sizeof(*features));
    uint32_t *symbols = calloc(n + 1, sizeof(*symbols)),
             *in_order = calloc(n + 1, sizeof(*in_order)),
             *outputs = calloc(n + p->n_parts + 2, sizeof(*outputs));
    int rc = -1;

    for (size_t i = 0; i < binding->n_features; i++)
        for (size_t k = 0; k < binding->features[i].n_terms; k++)
            n_terms += binding->features[i].terms[k].n_tests > 0 ||
                       binding->features[i].terms[k].premise;
    p->guards = calloc(n_terms + 1, sizeof(*p->guards));
    p->features = calloc(model->n_features + 1, sizeof(*p->features));
    if (!features || !symbols || !in_order || !outputs || !p->guards || !p->features)
        gcal_error_memory(err);
    else if ((b = gcal_program_builder_create(binding->n_parameters + n_terms, true,
                                              err)) &&
             place_all(p, b, model, parameters, parts, features, symbols, in_order,
                       outputs) == 0 &&
             (p->program = gcal_program_finish(
                  b, p->n_features + model->n_parameters + p->n_parts + 2, outputs)))
        rc = 0;
    gcal_program_builder_destroy(b);
    free(features);
    free(symbols);
    free(in_order);
    free(outputs);
    return rc;
}

struct gcal_binding_program *gcal_binding_compile(const struct gcal_binding *binding,
                                                  const struct gcal_model *model,
                                                  const double *parameters,
                                                  const struct gcal_model_parts *parts,
                                                  size_t n_parts, struct gcal_error *err)
{
    struct gcal_binding_program *p = calloc(1, sizeof(*p));

    if (!p) {
        gcal_error_memory(err);
        return NULL;
    }
    p->binding = binding;
    p->n_parameters = model->n_parameters;
    p->n_parts = n_parts;
    if (compile(p, model, parameters, parts, err) == 0)
        return p;
    gcal_binding_program_destroy(p);
    return NULL;
}

size_t gcal_binding_program_feature_count(const struct gcal_binding_program *p)
{
    return p->n_features;
}

size_t gcal_binding_program_feature(const struct gcal_binding_program *p, size_t i)
{
    return p->features[i];
}

int gcal_binding_program_eval(const struct gcal_binding_program *p, const double *sizes,
                              double *features, double *value,
                              const struct gcal_binding_more *more,
                              struct gcal_error *err)
{
    const struct gcal_model_program *program = p->program;
    const uint16_t *output = program->outputs;
    double slots[GCAL_PROGRAM_MAX_SLOTS],
        symbols[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];
    size_t n = p->binding->n_parameters;

    if (gcal_binding_check_sizes(p->binding, sizes, symbols, err) < 0)
        return -1;
    memcpy(slots, sizes, n * sizeof(*slots));
    for (size_t i = 0; i < p->n_guards; i++)
        slots[n + i] = gcal_binding_term_holds(p->guards[i], symbols);
    memcpy(slots + program->n_symbols, program->constants,
           program->n_constants * sizeof(*slots));
    gcal_model_program_run(program, slots, 0, more ? program->n_steps : program->n_first);
    for (size_t i = 0; i < p->n_features; i++) {
        features[i] = slots[*output++];
        if (!(features[i] >= 0) || isinf(features[i]))
            return gcal_binding_refuse_count(p->binding, p->features[i], features[i],
                                             sizes, err);
    }
    *value = slots[*output++];
    for (size_t i = 0; i < p->n_parameters && more; i++)
        more->gradient[i] = slots[*output++];
    for (size_t i = 0; i < p->n_parts && more; i++)
        more->parts[i] = slots[*output++];
    if (more)
        *more->doubled = slots[*output];
    return 0;
}
