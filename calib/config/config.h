/* config.h - models.yaml: what to measure, on which devices, for which models
 *
 * Every key is documented in docs/gpucal-models.5.  The default configuration is the
 * models.yaml of the source tree, built in.
 */
#ifndef GCAL_CALIB_CONFIG_H
#define GCAL_CALIB_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calib/base/hash.h"
#include "calib/model/measurement.h"
#include "calib/model/model.h"
#include "kernels/generate/generate.h"

struct gcal_error;

/* Devices must pass every list that is not empty; names and vendors are globs, case
 * ignored.  'kinds': gpu, cpu, accelerator.
 */
struct gcal_config_device_filter {
    size_t n_kinds, n_vendors, n_names;
    char **kinds, **vendors, **names;
};

struct gcal_config_measure_options {
    double budget_s;       /* per device */
    double min_time_s;     /* a ladder's rungs below it are left out */
    double max_time_s;     /* a ladder ends above it */
    double noise;          /* stop when the median's relative standard error is below */
    double kernel_limit_s; /* a launch or a build that takes longer is killed */
    double enough_s;       /* a kernel with min_samples stops when they took so long; 0:
                              it does not */
    size_t min_samples, max_samples;
    double precision; /* wanted relative standard error of each cost: kernels that do not
                         help to reach it are not measured; 0: all are */
    size_t sizes;     /* the longest so many of a ladder are measured */
    uint64_t seed;
};

/* One entry of a model's 'kernels': tags and how they match. */
struct gcal_config_tag_set {
    size_t n_tags;
    char **tags;
    enum gcal_match match;
    int line, column; /* where it stands, for messages */
};

/* One way of putting a model's costs together. */
struct gcal_config_form {
    char *name;               /* "pnorm"; "expression" where the model has just one */
    struct gcal_model *model; /* name and output are the same in all forms */
    bool tailored; /* fitted to the predicted kernels themselves, at other sizes */
};

struct gcal_config_model {
    struct gcal_model *model; /* of the first form */
    size_t n_forms;           /* at least 1 */
    struct gcal_config_form *forms;
    size_t n_tag_sets; /* kernels that it is fitted to */
    struct gcal_config_tag_set *tag_sets;
    size_t n_targets; /* kernels that it is for */
    struct gcal_config_tag_set *targets;
    size_t n_tailored; /* device types (gpu, ..) on which those are measured too, for the
                          tailored form and to judge the others */
    char **tailored;
    size_t n_checked; /* device types on which they are measured at one size, to find
                         parts that run slower than their whole */
    char **checked;
};

/* Largest value of audit: of. */
#define GCAL_CONFIG_MAX_AUDIT_RUNS 32

struct gcal_config {
    char *file;  /* as named in messages */
    char *text;  /* for the record: the whole file, or where models follow from the
                    catalogue, a document with those written out, which reads back without
                    one and gives the same models */
    char *store; /* NULL: not said */
    struct gcal_config_device_filter devices;
    struct gcal_config_measure_options measure;
    double audit_warn, audit_fail;  /* relative changes */
    double audit_false_alarms;      /* see struct gcal_audit_policy (audit.h) */
    size_t audit_confirm, audit_of; /* likewise */
    size_t n_models;
    struct gcal_config_model *models;
    /* SHA-256, hexadecimal, of what it says of measuring and of models, written out:
     * where it differs, calibrations are not alike.  Where they are published, how they
     * are audited, which devices take part, the time for it and the order are left out;
     * "" as long as only settings were read.
     */
    char fingerprint[GCAL_HASH_TEXT_SIZE];
};

/* Reads and checks everything that can be checked without a device.  'file' NULL: the
 * built-in one.  'catalogue' may be NULL: tags are not checked then, and a model whose
 * forms or kernels follow from the catalogue is an error.  -1 with "file:line:column:".
 */
int gcal_config_read(const char *file, const struct gcal_catalogue *catalogue,
                     struct gcal_config *config, struct gcal_error *err);
/* The same from a text, e.g. a record's. */
int gcal_config_parse(const char *text, size_t size, const char *file,
                      const struct gcal_catalogue *catalogue, struct gcal_config *config,
                      struct gcal_error *err);
/* The same without the models, which are not looked at: store, devices, limits. */
int gcal_config_read_settings(const char *file, struct gcal_config *config,
                              struct gcal_error *err);
void gcal_config_clear(struct gcal_config *config);

bool gcal_config_device_filter_matches(const struct gcal_config_device_filter *filter,
                                       const struct gcal_device_info *info);

/* For gcal_catalogue_generate(). */
struct gcal_kernel_limits gcal_config_device_limits(const struct gcal_device_info *info);

/* Behind a model's name in a kernel's models: one of those that the model predicts. */
#define GCAL_CONFIG_TARGET_SUFFIX ":whole"
/* The same of a kernel that parts are checked by: one that the model predicts; or its
 * accesses to memory in GCAL_CONFIG_CHECK_ACCUMULATORS, which may stand in for those in
 * one.
 */
#define GCAL_CONFIG_CHECK_SUFFIX       ":check"
#define GCAL_CONFIG_CHECK_ACCUMULATORS "accumulators:8"

/* Appends to an empty list every kernel of every model for a device, each once, ladders
 * included, with the names of the models that asked for it: "m" where model m is fitted
 * to it; "m:whole" where m is to predict it and says that devices of this type measure
 * those, too; "m:check" where they are to check parts by it, which one size is enough
 * for: such kernels are rungs of a ladder, even if tags fix their sizes.  What the device
 * cannot run is left out.
 */
int gcal_config_kernels(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info,
                        struct gcal_kernel_list *list, struct gcal_error *err);

/* The same of the kernels that 'model' (NULL: any) predicts, on whatever device:
 * "m:whole" stands in their models.
 */
int gcal_config_targets(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info, const char *model,
                        struct gcal_kernel_list *list, struct gcal_error *err);

/* Whether the model's output (f_cl_wall_time_<platform>_<device>) is that of the device:
 * its platform and name contain these words, letters' case and what is neither letter
 * nor digit ignored.  True for an output that names no device.
 */
bool gcal_config_model_applies(const struct gcal_model *model,
                               const struct gcal_device_info *info);

/* Whether 'name' stands in the comma-separated 'names' (a kernel's models). */
bool gcal_config_names_contain(const char *names, const char *name);

#endif
