/* private.h - how config*.c read a configuration; internal to calib/ */
#ifndef GCAL_CALIB_CONFIG_PRIVATE_H
#define GCAL_CALIB_CONFIG_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/base/embed.h"
#include "calib/config/config.h"

struct gcal_form_cost_group;
struct gcal_expr;
struct gcal_expr_names;
struct gcal_yaml;

/* The source tree's models.yaml. */
extern const struct gcal_embedded_file gcal_config_builtin[];

#define GCAL_CONFIG_VERSION 1

/* Behind 'forms', the one that is fitted to the predicted kernels themselves. */
#define GCAL_CONFIG_FORM_TAILORED "tailored"
/* The name of the only form of a model with an expression. */
#define GCAL_CONFIG_FORM_EXPRESSION "expression"

void gcal_config_strings_clear(char **strings, size_t count);

/* ---- read.c: the parts of a file; -1 or NULL with 'err' and the place ---- */

/* The value of a key that may be left out, or stand there with nothing behind it. */
const struct gcal_yaml *gcal_config_find(const struct gcal_yaml *map, const char *key);
const struct gcal_yaml *gcal_config_need_list(const struct gcal_yaml *node,
                                              const char *what, struct gcal_error *err);
/* A list of texts that are not empty; of device types. */
int gcal_config_read_strings(const struct gcal_yaml *node, const char *what,
                             char ***strings, size_t *count, struct gcal_error *err);
int gcal_config_read_kinds(const struct gcal_yaml *node, char ***kinds, size_t *count,
                           struct gcal_error *err);
int gcal_config_read_devices(const struct gcal_yaml *node,
                             struct gcal_config_device_filter *filter,
                             struct gcal_error *err);
int gcal_config_read_measure(const struct gcal_yaml *node,
                             struct gcal_config_measure_options *measure,
                             struct gcal_error *err);
int gcal_config_read_audit(const struct gcal_yaml *node, struct gcal_config *config,
                           struct gcal_error *err);
/* A list of tag sets, not empty; 'what' names it. */
int gcal_config_read_tag_sets(const struct gcal_yaml *list, const char *what,
                              const struct gcal_catalogue *catalogue,
                              struct gcal_config_tag_set **sets, size_t *count,
                              struct gcal_error *err);

/* ---- model.c: one model ---- */

struct gcal_config_reader {
    const struct gcal_catalogue *catalogue; /* or NULL */
    const struct gcal_expr_names *names;    /* of 'expressions' */
    struct gcal_config *config;
    bool expanded; /* set where a model was written out by the catalogue */
};

/* Appends the model, for which there is room. */
int gcal_config_read_model(struct gcal_config_reader *r, const struct gcal_yaml *node,
                           struct gcal_error *err);

/* ---- costs.c: cost groups, written out ---- */

struct gcal_config_costs {
    size_t n_groups;
    struct gcal_form_cost_group *groups; /* texts are owned */
    char *overhead;                      /* NULL: there is none */
    struct gcal_config_terms *terms;     /* what feature classes stand for */
    bool loads; /* accesses to global memory are costs, one by one */
};

/* The kernels that classes are about, both empty where none is used: those predicted, and
 * those named in 'kernels' that have companions, whose parts are costs as well.
 */
struct gcal_config_class_kernels {
    struct gcal_kernel_list predicted, mixed;
};

int gcal_config_costs_read(const struct gcal_yaml *model,
                           const struct gcal_expr_names *names,
                           const struct gcal_config_class_kernels *kernels,
                           struct gcal_config_costs *costs, struct gcal_error *err);
void gcal_config_costs_clear(struct gcal_config_costs *costs);
/* Whether the model's groups name a class, which only its predicted kernels tell. */
bool gcal_config_costs_use_classes(const struct gcal_yaml *model,
                                   const struct gcal_expr_names *names);
/* The sum of all, the caller's to free. */
char *gcal_config_costs_sum(const struct gcal_config_costs *costs,
                            struct gcal_error *err);

/* ---- forms.c: a model's forms ---- */

/* What is known while a model is read. */
struct gcal_config_model_reader {
    const struct gcal_catalogue *catalogue;
    const struct gcal_expr_names *names;
    const struct gcal_yaml *node;
    struct gcal_config_model *m;
    const char *name, *output;                /* borrowed from 'node' */
    struct gcal_config_class_kernels kernels; /* where something follows from them */
    struct gcal_config_costs costs;           /* of ready forms */
};

/* Keys that exclude each other, or need one another. */
int gcal_config_forms_check(const struct gcal_config_model_reader *r,
                            struct gcal_error *err);
/* All forms, and for ready ones their costs. */
int gcal_config_forms_read(struct gcal_config_model_reader *r, struct gcal_error *err);

/* ---- classes.c: feature classes ---- */

enum gcal_config_class {
    GCAL_CONFIG_CLASS_MEMORY_COMPONENTS,
    GCAL_CONFIG_CLASS_ONCHIP_COMPONENTS,
    GCAL_CONFIG_CLASS_GLOBAL_ACCESSES,
    GCAL_CONFIG_CLASS_LOCAL_ACCESSES,
    GCAL_CONFIG_CLASS_OPERATIONS,
    GCAL_CONFIG_CLASS_BARRIERS,
    GCAL_CONFIG_CLASS_WORK_GROUPS,
    GCAL_CONFIG_CLASS_LAUNCHES,
    GCAL_CONFIG_N_CLASSES,
};

/* NULL-ended, by their enumeration. */
extern const char *const gcal_config_class_names[GCAL_CONFIG_N_CLASSES + 1];

/* A cost that a class stands for: parameter * feature. */
struct gcal_config_term {
    enum gcal_config_class class;
    char *feature;            /* perhaps a product of features */
    char *parameter;          /* NULL until terms are named */
    char *name, *longer_name; /* that the parameter gets, without p_ */
};

/* Each feature once, in order of the classes and kernels that have it. */
struct gcal_config_terms {
    size_t n, capacity;
    struct gcal_config_term *items;
};

/* Adds the features of 'class' that the kernels have, except those that stand in
 * 'written' (or NULL) already.
 */
int gcal_config_terms_add(struct gcal_config_terms *terms, enum gcal_config_class class,
                          const struct gcal_config_class_kernels *kernels,
                          const struct gcal_expr *written, struct gcal_error *err);
/* Names all parameters, unlike each other and those of 'written'. */
int gcal_config_terms_name(struct gcal_config_terms *terms,
                           const struct gcal_expr *written, struct gcal_error *err);
void gcal_config_terms_clear(struct gcal_config_terms *terms);

/* ---- tailored.c: the form fitted to the predicted kernels ---- */

/* The expression, the caller's to free; 'overhead' may be NULL. */
char *gcal_config_tailored_expression(const struct gcal_kernel_list *predicted,
                                      const char *overhead, struct gcal_error *err);

/* ---- choose.c: kernels that tell all costs apart ---- */

/* Adds to the tag sets of 'm' what is missing to identify every parameter of the linear
 * model 'costs': companions of the predicted kernels, and microbenchmarks.  'loads': the
 * costs are those of single accesses.  The new ones stand at 'node'.  -1 with 'err'
 * naming a parameter that no kernel identifies.
 */
int gcal_config_choose_kernels(const struct gcal_catalogue *catalogue,
                               const struct gcal_model *costs, bool loads,
                               const struct gcal_kernel_list *predicted,
                               const struct gcal_yaml *node, struct gcal_config_model *m,
                               struct gcal_error *err);

/* ---- derived.c ---- */

/* The companion of 'kernel' by the name of its form; false where there is none. */
bool gcal_config_find_derived_kernel(const struct gcal_catalogue *catalogue,
                                     const struct gcal_kernel *kernel, const char *form,
                                     struct gcal_generator_view *view);
/* Tag sets for companions of these kernels that 'costs' has a feature of. */
int gcal_config_add_derived_kernels(const struct gcal_catalogue *catalogue,
                                    const struct gcal_model *costs, bool loads,
                                    const struct gcal_kernel_list *kernels,
                                    const struct gcal_yaml *node,
                                    struct gcal_config_model *m, struct gcal_error *err);
/* Appends a tag set that picks, of generator 'view', the kernels with the arguments in
 * 'name' ("generator argument:value ..."), and 'more' (or NULL).
 */
int gcal_config_add_tag_set(const struct gcal_catalogue *catalogue,
                            const struct gcal_generator_view *view, const char *name,
                            const char *more, const struct gcal_yaml *node,
                            struct gcal_config_model *m, struct gcal_error *err);

/* ---- write.c ---- */

/* The whole configuration as YAML, the caller's to free. */
char *gcal_config_encode(const struct gcal_config *config, struct gcal_error *err);
/* Fills config->fingerprint, once models are read. */
int gcal_config_set_fingerprint(struct gcal_config *config, struct gcal_error *err);

#endif
