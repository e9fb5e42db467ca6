/* model.h - a model: output = expression(features, parameters)
 *
 * (Stevens and Kloeckner 2020, section 6)
 */
#ifndef GCAL_KERNELS_MODEL_H
#define GCAL_KERNELS_MODEL_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_expr;
struct gcal_expr_names;
struct gcal_model_parts;
struct gcal_model_program;
struct gcal_yaml;
struct gcal_yaml_writer;

/* A p_... of the expression.  Costs are seconds per unit of their feature and not negative;
 * others (exponents, edges) have ranges of their own.
 */
struct gcal_model_parameter {
    char *name;     /* "p_f32madd" */
    char *unit;     /* default: "s"; "1" if it cannot be 0 */
    double initial; /* NaN: the fit chooses one */
    double min, max;
    bool
        optional; /* 0 where no measured kernel depends on it; else it has to be determined */
};

struct gcal_model {
    char *name;
    char *output;     /* "f_cl_wall_time" */
    char *expression; /* as the user wrote it, except white space */
    size_t n_parameters;
    struct gcal_model_parameter *parameters;
    size_t n_features;
    char **features;
    struct gcal_expr *expr;
    struct gcal_model_program *program; /* the value, and its derivatives by parameter */
    size_t *parameter_slots, *feature_slots; /* indices of expr's symbols */
};

/* Parameters get unit "s" ("1" where the expression has no value for 0, as for a divisor or
 * an exponent), initial NaN, range 0 to infinity.  NULL with 'err' for an
 * expression that does not parse, a name that is neither a parameter nor a feature, and an
 * unknown feature.
 */
struct gcal_model *gcal_model_create(const char *name, const char *output,
                                     const char *expression, struct gcal_error *err);
/* The same with 'names' (named_expr.h; NULL: none), which the expression may use. */
struct gcal_model *gcal_model_create_with(const char *name, const char *output,
                                          const char *expression,
                                          const struct gcal_expr_names *names,
                                          struct gcal_error *err);
void gcal_model_destroy(struct gcal_model *model);

/* The parameter of that name, or NULL. */
struct gcal_model_parameter *gcal_model_parameter_find(const struct gcal_model *model,
                                                       const char *name);

/* 'parameters' and 'features': one value each, in the model's order.  'gradient' gets one
 * entry per parameter; it may be NULL.  Thread-safe, allocates nothing.
 */
double gcal_model_eval(const struct gcal_model *model, const double *parameters,
                       const double *features, double *gradient);

/* Further expressions in the parameters and features of a model and in 'names' (NULL: none),
 * such as one name alone: they are evaluated together, and each name once.  Needs none of its
 * arguments any more.  NULL with 'err', also for other parameters and features than the
 * model's; '*failed' is then the text that it is about.
 */
struct gcal_model_parts *gcal_model_parts_create(const struct gcal_model *model,
                                                 const struct gcal_expr_names *names,
                                                 size_t n, const char *const *texts,
                                                 size_t *failed, struct gcal_error *err);
/* NULL is allowed. */
void gcal_model_parts_destroy(struct gcal_model_parts *parts);
/* As gcal_model_eval(): 'values' gets one value per text. */
void gcal_model_parts_eval(const struct gcal_model_parts *parts, const double *parameters,
                           const double *features, double *values);
/* The same where the value of text i is factors[i] times what it is, wherever the texts use
 * the same subexpression: factors[i] other than 1 of a roof, with the model's expression as
 * another text, says how the time follows that roof.
 */
void gcal_model_parts_eval_scaled(const struct gcal_model_parts *parts,
                                  const double *parameters, const double *features,
                                  const double *factors, double *values);

/* Returns whether the model has a cost, in seconds, for each unit of a feature, by feature: with
 * all costs but one at 0, the time is shorter without the feature.  Other features only choose
 * between parameters, such as the share of work that is not hidden.  Costs that are NaN are none.
 */
int gcal_model_find_costs(const struct gcal_model *model, const double *parameters,
                          bool *has_cost, struct gcal_error *err);

/* {unit:, initial:, min:, max:, optional:}, all optional, into 'p'.  Messages have file, line and
 * column of the node.
 */
int gcal_model_parameter_decode(const struct gcal_yaml *node,
                                struct gcal_model_parameter *p, struct gcal_error *err);

#endif
