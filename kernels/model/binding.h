/* binding.h - a model's features as functions of a kernel's sizes, and the work that they
 * leave out
 *
 * A model predicts a kernel from costs of features.  Work of the kernel without a cost
 * would be free; a binding lists it.  Shares of work are shares of executions by
 * work-items: of operations, accesses, atomics, barriers and divergent branches, one for
 * each work-item that executes one; of transfers, one for each 4 bytes.
 */
#ifndef GCAL_KERNELS_MODEL_BINDING_H
#define GCAL_KERNELS_MODEL_BINDING_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_feature;
struct gcal_limits;
struct gcal_model;
struct gcal_profile;

/* The counts of a list of features in a profile, as functions of the sizes. */
struct gcal_binding;

/* The device, as features (f_device_...) and counts per sub-group have it; see
 * kernels/model/run/device_info.h.
 */
struct gcal_binding_device {
    double sub_group_size, compute_units;
    double work_items, work_groups; /* that a compute unit holds at a time */
    double local_memory_bytes;      /* of a compute unit */
    double cache_bytes;
    double registers; /* of a compute unit; 0: unknown */
    const char *type; /* for what the profile has of the kernel as built; NULL: unknown */
};

/* 'sub_group_size' is the device's.  NULL with 'err' if a name does not parse, or if the
 * profile was counted for another sub-group size or without such features.  A feature
 * that matches no entry counts 0.  Features of the device are errors.
 */
struct gcal_binding *gcal_binding_create(const struct gcal_profile *profile,
                                         size_t n_features, const char *const *features,
                                         double sub_group_size, struct gcal_error *err);

/* The same with features of the device. */
struct gcal_binding *gcal_binding_create_on(const struct gcal_profile *profile,
                                            size_t n_features,
                                            const char *const *features,
                                            const struct gcal_binding_device *device,
                                            struct gcal_error *err);

/* Work without a cost that all kernels had to which a model was fitted: the costs of the model
 * stand for it, too, in kernels with as much of it.  'min', 'max': executions for each execution
 * of work with a cost.
 */
struct gcal_proportion {
    char *
        feature; /* without tag, width and strides but whether neighbours access neighbours */
    double min, max;
};

enum { GCAL_PROPORTIONS_MAX = 48 };

struct gcal_proportions {
    size_t n;
    struct gcal_proportion *items;
};

void gcal_proportions_clear(struct gcal_proportions *proportions);
/* 'to' is empty; clear it in any case. */
int gcal_proportions_copy(struct gcal_proportions *to,
                          const struct gcal_proportions *from, struct gcal_error *err);

/* A model with the parameters of a device, and what it knows of a kernel. */
struct gcal_binding_subject {
    const struct gcal_model *model;
    const double *parameters;            /* in the model's order */
    const struct gcal_feature *features; /* the model's, parsed; NULL: by their names */
    const bool *has_cost;                /* of gcal_model_find_costs(); NULL: by that */
    const char *component; /* the tag by which its features name the kernel's components;
                                 NULL: they are not the kernel's */
    bool measured; /* its costs come from the kernel's own components: they cover all of
                      its work but transfers */
    const struct gcal_proportions *proportions; /* NULL: none */
};

/* The model's features, for predictions: components are counted under the subject's tag,
 * and gcal_binding_gaps() finds the work that is not covered.
 */
struct gcal_binding *gcal_binding_create_for(const struct gcal_profile *profile,
                                             const struct gcal_binding_subject *subject,
                                             const struct gcal_binding_device *device,
                                             struct gcal_error *err);
void gcal_binding_destroy(struct gcal_binding *binding);

/* The work-groups of a wave, at least 1, for features that depend on it.  By default those
 * that the device holds at a time, by their work-items and local memory; where there is no
 * device, the evaluation of such features is an error.
 */
void gcal_binding_set_wave(struct gcal_binding *binding, double groups);

/* 'sizes': one per profile parameter, in order.  'values': one per feature.  Returns 0,
 * or -1 with 'err' if the sizes break the profile's assumptions or a count is not a
 * finite number of at least 0.  Thread-safe, allocates nothing.
 */
int gcal_binding_eval(const struct gcal_binding *binding, const double *sizes,
                      double *values, struct gcal_error *err);

/* Refuses the launch with these sizes if a device with such limits cannot run it.  Thread-safe,
 * allocates nothing.
 */
int gcal_binding_check_limits(const struct gcal_binding *binding, const double *sizes,
                              const struct gcal_limits *limits, struct gcal_error *err);

/* The model's value at the kernel's counts, with these parameters, as one program of the sizes:
 * what is 0 or the same at all sizes is computed once, and each expression once where several
 * counts have it.  'parts': n_parts further expressions of the model.  Needs the binding alone
 * afterwards.
 */
struct gcal_binding_program;
struct gcal_model_parts;
struct gcal_binding_program *gcal_binding_compile(const struct gcal_binding *binding,
                                                  const struct gcal_model *model,
                                                  const double *parameters,
                                                  const struct gcal_model_parts *parts,
                                                  size_t n_parts, struct gcal_error *err);
/* NULL is allowed. */
void gcal_binding_program_destroy(struct gcal_binding_program *program);

/* The features of the model that the kernel may have, by their index in the model. */
size_t gcal_binding_program_feature_count(const struct gcal_binding_program *program);
size_t gcal_binding_program_feature(const struct gcal_binding_program *program, size_t i);

/* What takes longer than the value alone. */
struct gcal_binding_more {
    double *gradient; /* the derivative by each parameter */
    double *parts;    /* the values of the parts */
    double *doubled;  /* the model's value where counts that are estimates double */
};

/* 'features': those of the list above, whose counts are finite and not negative.  'more' may be
 * NULL.  -1 as gcal_binding_eval().
 */
int gcal_binding_program_eval(const struct gcal_binding_program *program,
                              const double *sizes, double *features, double *value,
                              const struct gcal_binding_more *more,
                              struct gcal_error *err);

/* Work that no cost of the model counts. */
struct gcal_binding_gap {
    const char *feature; /* the profile's, owned by the binding */
    double count;        /* as the profile counts it */
    double share;        /* of all work, 0 to 1 */
};

/* Entries without a cost at some sizes; 0: everything is covered. */
size_t gcal_binding_gap_count(const struct gcal_binding *binding);
/* Returns the share of work that is not covered at these sizes, 0 to 1.  'gaps', if not
 * NULL: gcal_binding_gap_count() of them, with share 0 where all is covered.  '*largest':
 * the feature with the largest share, or NULL.  Thread-safe, allocates nothing.
 */
double gcal_binding_gaps(const struct gcal_binding *binding, const double *sizes,
                         struct gcal_binding_gap *gaps, const char **largest);
/* Returns how much work the costs stand for that the kernel does not have at these sizes, as a
 * share of its work and that, 0 to 1.  '*largest': the feature of most of it, or NULL.
 * Thread-safe, allocates nothing.
 */
double gcal_binding_lack(const struct gcal_binding *binding, const double *sizes,
                         const char **largest);

/* Makes the proportions, or widens them if 'n_kernels' are in them, to those of one more kernel
 * to which the model was fitted.  Returns 1, 0 if too little of its work has no cost to say
 * what the costs stand for, or -1 with 'err'.
 */
int gcal_binding_add_proportions(const struct gcal_binding *binding, const double *sizes,
                                 size_t n_kernels, struct gcal_proportions *proportions,
                                 struct gcal_error *err);

#endif
