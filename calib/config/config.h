/* config.h - models.yaml: what to measure, on which devices, for which models
 *
 * Every key is documented in docs/gpucal-models.5.  The default configuration is the
 * models.yaml of the source tree, built in.
 *
 * Reading parses the file and nothing else.  Built-in forms, feature classes and missing
 * measurement kernels depend on the catalogue of kernels: calib/select/select.h resolves
 * them and has functions that read and resolve in one call.
 */
#ifndef GCAL_CALIB_CONFIG_H
#define GCAL_CALIB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"
#include "kernels/model/run/device_info.h"
#include "kernels/model/model.h"
#include "kernels/model/roofs/roofs.h"
#include "kernels/model/roofs/spread.h"

struct gcal_arena;
struct gcal_error;
struct gcal_expr_names;
struct gcal_yaml;

/* A device passes if it matches every list that is not empty.  'kinds': gpu, cpu,
 * accelerator.  Names and vendors are globs, case ignored.
 */
struct gcal_config_device_filter {
    size_t n_kinds, n_vendors, n_names;
    char **kinds, **vendors, **names;
};

struct gcal_config_measure_options {
    double budget_s;       /* per device */
    double min_time_s;     /* shorter sizes of a sweep are left out */
    double max_time_s;     /* a size sweep ends above it */
    double noise;          /* target relative standard error of a kernel's median */
    double kernel_limit_s; /* a launch or a build that takes longer is killed */
    double enough_s;       /* a kernel with min_samples also stops after this total time;
                              0: no such limit */
    size_t min_samples, max_samples;
    size_t sizes; /* measured of a size sweep, the longest ones */
    uint64_t seed;
};

/* How the tags of a generator relate to those of a tag set; see gcal_match. */
enum gcal_config_match {
    GCAL_CONFIG_MATCH_SUPERSET,
    GCAL_CONFIG_MATCH_IDENTICAL,
    GCAL_CONFIG_MATCH_SUBSET,
    GCAL_CONFIG_MATCH_INTERSECT,
};

/* One entry of a model's 'kernels' or 'predicts'. */
struct gcal_config_tag_set {
    size_t n_tags;
    char **tags;
    enum gcal_config_match match;
    size_t n_kinds; /* device kinds (gpu, ..) on which the kernels are measured; 0: those
                       that no set of the list names */
    char **kinds;
    const struct gcal_yaml *node; /* its place in the file; NULL: not from a file */
};

/* Classes of features: each stands for the costs of all such work of the target kernels.
 */
enum gcal_config_class {
    GCAL_CONFIG_CLASS_GLOBAL_ACCESSES,
    GCAL_CONFIG_CLASS_LOCAL_ACCESSES,
    GCAL_CONFIG_CLASS_OPERATIONS,
    GCAL_CONFIG_CLASS_BARRIERS,
    GCAL_CONFIG_CLASS_WORK_GROUPS,
    GCAL_CONFIG_CLASS_LAUNCHES,
    GCAL_CONFIG_N_CLASSES, /* also: no class */
};

/* A cost of a built-in form: a feature class, or else an expression. */
struct gcal_config_cost {
    enum gcal_config_class class; /* GCAL_CONFIG_N_CLASSES: 'expression' has the cost */
    char *expression;             /* in parameters and features alone; NULL for a class */
    const struct gcal_yaml *node;
};

struct gcal_config_cost_group {
    char *name;
    size_t n_costs; /* at least 1 */
    struct gcal_config_cost *costs;
    const struct gcal_yaml *node; /* the list of costs */
};

/* The built-in form in which work overlaps; in the other, "linear", it does not. */
#define GCAL_CONFIG_FORM_OVERLAP "overlap"

/* One way to combine a model's costs. */
struct gcal_config_form {
    char *name;               /* "overlap"; "expression" if the model has just one */
    struct gcal_model *model; /* name and output are the same in all forms; NULL: a
                                 built-in form that is not resolved */
    const struct gcal_yaml *node;
};

struct gcal_config_model {
    struct gcal_arena *arena; /* of the configuration, for all that it points to */
    char *name, *output;
    struct gcal_model *model; /* of the first form; NULL until resolved */
    size_t n_forms;           /* at least 1 */
    struct gcal_config_form *forms;
    bool written_out; /* forms are a map of expressions: nothing depends on the
                         catalogue */
    size_t n_groups;  /* costs of built-in forms */
    struct gcal_config_cost_group *groups;
    struct gcal_config_cost *overhead;  /* NULL: none */
    const struct gcal_yaml *parameters; /* a map of prior knowledge, or NULL */
    struct gcal_roofs roofs;            /* of a model with expressions */
    const struct gcal_expr_names
        *names; /* of the configuration, which forms and roofs use */
    struct gcal_spreads spreads;
    size_t n_tag_sets; /* measurement kernels, which it is fitted to */
    struct gcal_config_tag_set *tag_sets;
    /* Kernels of a record that was made without the model, which it is fitted to all the
     * same: their ids.
     */
    size_t n_recorded, recorded_capacity;
    char **recorded;
    bool unrecorded;  /* the record has too few: it is not fitted */
    size_t n_targets; /* target kernels, which it predicts */
    struct gcal_config_tag_set *targets;
    const struct gcal_yaml *targets_node;
    bool absolute; /* fits make absolute errors small, not relative ones */
    /* Device kinds (gpu, ..) that it is for; 0: those that no model of its name names,
     * which are in 'others'.
     */
    size_t n_kinds;
    char **kinds;
    size_t n_others, others_capacity;
    char **others;
    const struct gcal_yaml *node;
    /* SHA-256, hexadecimal, of the measurement kernels that it picks beside the built-in ones, ""
     * if it picks none.  In the text of a resolved configuration, which is read without them.
     */
    char added[GCAL_HASH_TEXT_SIZE];
    /* SHA-256, hexadecimal, of the resolved model, with these, and of the options that affect
     * measurements: like that of the configuration, for this model alone.
     */
    char fingerprint[GCAL_HASH_TEXT_SIZE];
    bool kept; /* its published calibration holds on a device: no kernels for it there */
};

/* Largest value of audit: of. */
#define GCAL_CONFIG_MAX_AUDIT_RUNS 32

enum gcal_config_state {
    GCAL_CONFIG_SETTINGS, /* models were not read */
    GCAL_CONFIG_READ,     /* models are as the file has them */
    GCAL_CONFIG_RESOLVED, /* every form has its expression, every model its kernels */
};

struct gcal_config {
    struct gcal_arena *arena; /* of all that it points to */
    enum gcal_config_state state;
    char *file;  /* as named in messages */
    char *text;  /* for the record: the file; or, if any model depended on the catalogue,
                    gcal_config_encode(), which gives the same models without one */
    char *store; /* NULL: not given */
    /* Folders of measurement kernels beside the built-in ones, as paths from the current
     * folder; none in the text of a record, which has their files.
     */
    size_t n_catalogues;
    char **catalogues;
    struct gcal_config_device_filter devices;
    struct gcal_config_measure_options measure;
    uint64_t links_budget_s;       /* for all links between nodes; 0: none are measured */
    double audit_warn, audit_fail; /* relative changes */
    double audit_false_alarms;     /* see struct gcal_audit_policy (audit.h) */
    size_t audit_confirm, audit_of; /* likewise */
    struct gcal_expr_names *names;  /* 'expressions', perhaps none; NULL: not read */
    size_t n_models;
    struct gcal_config_model *models;
    /* SHA-256, hexadecimal, of the resolved models and of the options that affect
     * measurements: calibrations with different fingerprints are not comparable.  Store,
     * audit, devices, budget and seed are left out.  "" until resolved.
     */
    char fingerprint[GCAL_HASH_TEXT_SIZE];
    struct gcal_yaml *tree; /* the file: the memory of every 'node' above */
};

/* The built-in configuration, models.yaml of the sources. */
const char *gcal_config_builtin_text(void);

/* Reads a file; NULL: the built-in one.  -1 with "file:line:column: ...". */
int gcal_config_read(const char *file, struct gcal_config *config,
                     struct gcal_error *err);
/* The same from the text that a record or a run embeds. */
int gcal_config_parse(const char *text, size_t size, const char *file,
                      struct gcal_config *config, struct gcal_error *err);
/* Reads a file's settings (store, catalogue, devices, measure, audit) without its models.
 */
int gcal_config_read_settings(const char *file, struct gcal_config *config,
                              struct gcal_error *err);
void gcal_config_clear(struct gcal_config *config);

/* The named expressions that a model's forms, or form 'form' alone (NULL: all), and its roofs
 * use, the caller's to destroy.
 */
struct gcal_expr_names *gcal_config_model_names(const struct gcal_config_model *m,
                                                const struct gcal_config_form *form,
                                                struct gcal_error *err);

/* Hands 'model' over to the configuration of 'm'; NULL is allowed, and returned. */
struct gcal_model *gcal_config_own(const struct gcal_config_model *m,
                                   struct gcal_model *model);

/* A resolved configuration as YAML with everything written out, the caller's to free. */
char *gcal_config_encode(const struct gcal_config *config, struct gcal_error *err);
/* Fills the fingerprints of a resolved configuration and of its models. */
int gcal_config_set_fingerprints(struct gcal_config *config, struct gcal_error *err);

bool gcal_config_device_filter_matches(const struct gcal_config_device_filter *filter,
                                       const struct gcal_device_info *info);

/* Returns whether the kind of the device (gpu, ..) is among 'kinds'. */
bool gcal_config_names_kind(size_t n, char *const *kinds,
                            const struct gcal_device_info *info);

/* Returns whether the model applies to the device: it is for its kind, and its output names no
 * device, or (f_cl_wall_time_<platform>_<device>) words that platform and name contain; only
 * letters and digits count, case is ignored. /
 */
bool gcal_config_model_applies(const struct gcal_config_model *m,
                               const struct gcal_device_info *info);

/* Returns whether costs that the kernels of a device cannot separate are merged, and hidden ones
 * fixed (gcal_fit_rows.merge_collinear), instead of an error of the user: a feature class has a
 * cost for each of its features, and a roof need not show on every device. /
 */
bool gcal_config_model_merges(const struct gcal_config_model *m);

#endif
