/* evaluate.h - what the files of gpucal evaluate share: kernels with measured times, the models
 * that predict them, and the figures that are printed
 *
 * What is read, measured or predicted lives in the arena of the command.
 */
#ifndef GCAL_MPI_COMMANDS_PREDICT_EVALUATE_H
#define GCAL_MPI_COMMANDS_PREDICT_EVALUATE_H

#include <jansson.h>

#include "kernels/generate/generate.h"
#include "kernels/model/run/measurement.h"
#include "kernels/model/run/run_kernel.h"
#include "kernels/model/run/run_sink.h"
#include "mpi/cli/option_list.h"
#include "mpi/commands/predict/evaluation.h"
#include "store/params/params.h"
#include "store/record/record.h"

struct gcal_error;
struct gcal_profile;

/* ---- measured.c: kernels with their measured times, from a run, a record or a file ---- */

struct gcal_measured_kernel {
    struct gcal_run_kernel kernel;
    bool measured; /* the rest is filled */
    enum gcal_measurement_status status;
    const char *detail; /* why it is not good; NULL when there is nothing to say */
    size_t n_samples;
    double time_s, spread; /* median; its relative standard error */
    struct gcal_built built;
    const char *uncounted; /* why 'kernel' has names only; NULL: it has its counts */
};

struct gcal_measured_kernels {
    struct gcal_arena *arena;
    const char *uid; /* of the device whose measurements count */
    const char *node;
    size_t first; /* of the kernels that these measurements are of */
    size_t n, capacity;
    struct gcal_measured_kernel *kernels;
    size_t n_left_out; /* that could not be counted */
};

/* Before its arena goes. */
void gcal_measured_kernels_clear(struct gcal_measured_kernels *measured);
/* An empty kernel, to be filled. */
struct gcal_measured_kernel *
gcal_measured_kernels_add(struct gcal_measured_kernels *measured);
/* Gathers what goes to a run's sink. */
struct gcal_run_sink gcal_measured_kernels_sink(struct gcal_measured_kernels *measured);
/* Appends all that a record has of its device 'device'. */
int gcal_measured_kernels_read(struct gcal_measured_kernels *measured,
                               const struct gcal_record *record, size_t device,
                               struct gcal_error *err);
/* Its counts, with what the driver of a device of 'type' said of it; the caller's to
 * destroy.
 */
struct gcal_profile *gcal_measured_kernel_profile(const struct gcal_measured_kernel *k,
                                                  const char *type,
                                                  struct gcal_error *err);

/* ---- compare.c: which kernels, predicted by which models ---- */

/* A model that others are compared with, on the same kernels: it predicts whatever it has no cost
 * for.
 */
struct gcal_baseline {
    const char *
        label; /* its name, or "NAME of FILE" where the device has a model of that name */
    const struct gcal_params_device *device;
    const struct gcal_params_model *model;
};

/* What an evaluation is asked for. */
struct gcal_evaluation_targets {
    struct gcal_arena *arena;
    const char *config;                       /* NULL: the built-in one */
    const struct gcal_option_list *catalogue; /* folders beside those of 'config' */
    const char *model; /* NULL: of all models; with tags, see gcal_predictor_choose() */
    const struct gcal_params_device *published; /* with these models */
    const struct gcal_predict_device_options
        *options;                       /* of it; models that are learned */
    struct gcal_predict_device *opened; /* are added to it */
    size_t n_baselines;
    const struct gcal_baseline *baselines; /* kernels are counted for them, too */
    /* None: the target kernels of each model.  Else, of a record, the kernels of these
     * generators (any of them) with these arguments ("n:1024,2048"), by 'model' or the one
     * that gcal_predictor_choose() finds.
     */
    size_t n_tags;
    const char *const *tags;
    bool selects; /* the tags select among the kernels of a record */
    bool
        all_targets; /* without tags: 'model' predicts the target kernels of all models */
    size_t
        seen; /* other launches of a kernel that correct the general model; 0: it is as it is */
};

/* Adds the general models that the parameter file has for the device or another of its type;
 * NULL: those of the device itself that are called roofline, linear or overlap.  -1 if there are
 * none.
 */
int gcal_evaluation_open_baselines(struct gcal_evaluation_targets *targets,
                                   const char *file, struct gcal_error *err);
/* Returns whether a measured kernel is predicted by any of the device's models. */
bool gcal_evaluation_selects(const struct gcal_evaluation_targets *targets,
                             const struct gcal_measured_kernel *kernel);
/* Returns whether the kernel called 'name' has one of the plain tags among 'own' (n_own texts; no
 * plain tag: any kernel has), and all arguments: "n:1024,2048" is one of the values. /
 */
bool gcal_evaluation_has_tags(const struct gcal_evaluation_targets *targets,
                              const char *name, size_t n_own, char *const *own);
/* Appends a row for each kernel and model, by baselines for those that have a prediction, and
 * sorts them.
 */
int gcal_evaluation_compare(const struct gcal_evaluation_targets *targets,
                            const struct gcal_measured_kernels *measured,
                            struct gcal_evaluation *evaluation, struct gcal_error *err);
/* ---- seen.c ---- */

/* Predicts rows by general models again, with corrections from targets->seen other launches of
 * their kernels, chosen at random but always the same; rows of kernels with fewer keep nothing.
 */
int gcal_evaluation_correct(const struct gcal_evaluation_targets *targets,
                            struct gcal_evaluation *evaluation, struct gcal_error *err);

/* Models that kernels of 'measured' are targets of and that the device has no
 * parameters of: "a, b"; "" where there is none.
 */
const char *gcal_evaluation_missing(const struct gcal_evaluation_targets *targets,
                                    const struct gcal_measured_kernels *measured);
/* Makes a measured kernel a target of the model that 'targets' name, or that is chosen
 * for it.
 */
int gcal_evaluation_add_use(const struct gcal_evaluation_targets *targets,
                            struct gcal_measured_kernel *kernel, struct gcal_error *err);
/* What kernels are counted for, so that 'model' (NULL: any) and baselines can predict them. */
struct gcal_kernel_counting
gcal_evaluation_counting(const struct gcal_evaluation_targets *targets, const char *model,
                         const struct gcal_device_info *info);

/* ---- measure_targets.c, recount.c, times.c: where kernels and times come from ---- */

/* Measures the kernels that the configuration's models predict, or those that tags pick, on the
 * device of this machine that was calibrated, else on one of its type,
 * as a calibration would but with no budget; of size sweeps the configuration's sizes.
 * 'record' (NULL: none) is the file for the measurements.  Measurements that a device
 * completed before it was given up count.  Kernels that cannot be counted are named
 * on standard error, and numbered in measured->n_left_out.
 */
int gcal_evaluation_measure_targets(const struct gcal_evaluation_targets *targets,
                                    const char *record,
                                    struct gcal_measured_kernels *measured,
                                    struct gcal_error *err);
/* Gives those of the kernels from the 'first' on that are selected, and whose recorded
 * counts lack what the models and the baselines need, counts from the
 * catalogue: from the built-in one and the files of 'record'.  A kernel that the catalogue
 * has with another source, or that cannot be counted, has the reason in 'uncounted'.
 */
int gcal_evaluation_recount(const struct gcal_evaluation_targets *targets,
                            const struct gcal_record *record,
                            struct gcal_measured_kernels *measured, size_t first,
                            struct gcal_error *err);
/* The kernels of 'file', of 'gpucal kernels --run --csv', that the tags select (none: all),
 * counted from the catalogue as their models need it.  Columns: generator, arguments, time_s, and, where
 * the file has them, spread, samples, status, detail, registers, private_bytes, and device: rows
 * of devices with another name are left out.  A kernel that cannot be counted has the
 * reason in 'uncounted'.  -1 with "file:line: ..." for a generator that the catalogue does
 * not have, and for a time that is not a number.
 */
int gcal_evaluation_read_times(const struct gcal_evaluation_targets *targets,
                               const char *file, struct gcal_measured_kernels *measured,
                               struct gcal_error *err);

/* ---- evaluation_lines.c, evaluation_print.c: views ---- */

/* An evaluation with its sets and its device. */
struct gcal_evaluation_report {
    const struct gcal_evaluation *evaluation;
    const struct gcal_evaluation_targets *targets;
    const char *node;
    const char *missing; /* models that are not published, or "" */
};

/* The form of the costs of a model or baseline that was published; "" for one that was not.
 */
const char *gcal_evaluation_form(const struct gcal_evaluation_report *report,
                                 const char *model);
/* An object for each kernel, set of variants, variant, application, band of measured times and
 * model, and one for all; each with all columns of the CSV file (null: empty).
 */
json_t *gcal_evaluation_lines(const struct gcal_evaluation_report *report);
/* A header line, and a line for each of these. */
int gcal_evaluation_csv(const char *path, const json_t *lines, struct gcal_error *err);
/* Each kernel by the evaluated models, and the figures of each model and of all, on standard
 * output.
 */
void gcal_evaluation_print(const struct gcal_evaluation_report *report);

#endif
