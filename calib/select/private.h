/* private.h - the steps of resolving a model; internal to calib/select */
#ifndef GCAL_CALIB_SELECT_PRIVATE_H
#define GCAL_CALIB_SELECT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/select/select.h"

struct gcal_expr;

/* Which costs are identifiable hardly depends on the device: resolving takes kernels of
 * all devices, counted for this size.
 */
#define GCAL_SELECT_NOMINAL_SUB_GROUP 32

/* ---- kernels.c: what kernels are counted for ---- */

/* gcal_select_add_counting() for all forms of all models, resolved. */
void gcal_select_add_config_counting(const struct gcal_config *config,
                                     struct gcal_kernel_counting *counting);
/* Kernels for any device, counted for the features of 'model' (NULL: those that every
 * profile has).
 */
struct gcal_kernel_limits gcal_select_nominal_limits(const struct gcal_model *model);

/* ---- costs.c: feature classes ---- */

/* A cost of a class: parameter * feature. */
struct gcal_select_term {
    enum gcal_config_class class;
    const char *feature;            /* or a product of features */
    char *parameter;                /* NULL until terms are named */
    const char *name, *longer_name; /* proposed for the parameter, without p_ */
};

/* Each feature once, in the order of classes and of the kernels that have it. */
struct gcal_select_terms {
    struct gcal_arena *arena;
    size_t n, capacity;
    struct gcal_select_term *items;
};

/* ---- costs.c: cost groups as expressions ---- */

/* A sum such as "p_a*f_x + p_b*f_y", in seconds: work of one kind, which is sequential. */
struct gcal_select_group {
    const char *name;       /* "memory", "onchip"; "launch": of work-groups */
    const char *expression; /* of p_... and f_... only: named expressions are resolved */
};

struct gcal_select_costs {
    size_t n_groups;
    struct gcal_select_group *groups;
    char *overhead;                 /* NULL: none */
    bool loads;                     /* single accesses to global memory are costs */
    struct gcal_select_terms terms; /* those of feature classes */
};

/* Returns whether the groups of the model name a feature class. */
bool gcal_select_uses_classes(const struct gcal_config_model *m);
int gcal_select_costs_find(const struct gcal_config_model *m,
                           const struct gcal_kernel_list *targets,
                           struct gcal_select_costs *costs, struct gcal_error *err);
/* The sum of all. */
char *gcal_select_costs_sum(struct gcal_arena *arena,
                            const struct gcal_select_costs *costs);

/* ---- select.c: built-in forms ---- */

/* The parameter of the form overlap: how abruptly the longer work hides the shorter. */
#define GCAL_SELECT_EDGE "p_edge"

/* ---- tags.c: tag sets ---- */

/* Appends the kernels that a tag set picks, those within 'limits' (NULL: all). */
int gcal_select_generate(const struct gcal_catalogue *catalogue,
                         const struct gcal_config_tag_set *set,
                         const struct gcal_kernel_limits *limits,
                         struct gcal_kernel_list *list, struct gcal_error *err);
/* The same of several sets, on any device, counted for 'model' (NULL: see above); errors
 * are at the set's place.
 */
int gcal_select_generate_all(const struct gcal_catalogue *catalogue, size_t n,
                             const struct gcal_config_tag_set *sets,
                             const struct gcal_model *model,
                             struct gcal_kernel_list *list, struct gcal_error *err);
/* Appends a line with a hash for each generator that the sets pick beside the built-in ones. */
int gcal_select_put_added(const struct gcal_catalogue *catalogue, size_t n,
                          const struct gcal_config_tag_set *sets, struct gcal_buf *hashes,
                          struct gcal_error *err);
/* Returns whether all tags exist; errors are at their place. */
int gcal_select_check_tags(const struct gcal_catalogue *catalogue, size_t n,
                           const struct gcal_config_tag_set *sets,
                           struct gcal_error *err);
/* Adds to the model's 'kernels', unless it is there, a tag set for the kernels of
 * generator 'view' with the arguments in 'name' ("generator argument:value ...") and the
 * tag 'more' (or NULL).
 */
void gcal_select_add_tag_set(const struct gcal_catalogue *catalogue,
                             const struct gcal_generator_view *view, const char *name,
                             const char *more, struct gcal_config_model *m);

/* ---- tags.c: derived kernels, with work removed ---- */

/* Adds tag sets for the derived kernels that identify single accesses, which have costs in all
 * kernels ('loads') or those that 'costs' names by tags.
 */
void gcal_select_add_derived(const struct gcal_catalogue *catalogue,
                             const struct gcal_model *costs, bool loads,
                             const struct gcal_kernel_list *targets,
                             struct gcal_config_model *m);

#endif
