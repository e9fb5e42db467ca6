/* results.h - a record's fits, and their publication
 *
 * Results follow from the record alone: 'gpucal fit --record' gives the same numbers, to
 * the byte, as the run that made it.  The records of several runs are fitted as one. A kernel's uses in the record say which models are
 * fitted to it, and which have it as a target.  Rows are the medians of good measurements
 * on devices that were not given up.  Models that a device keeps have no rows of it.  A GPU
 * whose speed changed counts from the last change on.  Errors that all times of a device share, such as
 * that of its clock, are in the errors of its factor and of the costs.
 *
 * Every form of a model is fitted, and compared by its held-out errors, of each generator's
 * kernels by a fit without that generator; if no other kernel has its costs, by a fit without
 * every fifth kernel of each generator.  The form with the smallest held-out error is published.
 */
#ifndef GCAL_CALIB_RESULTS_H
#define GCAL_CALIB_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/strings.h"
#include "calib/config/config.h"
#include "fit/error_summary.h"
#include "fit/fit.h"
#include "store/files/store.h"
#include "store/params/params.h"
#include "store/record/record.h"

struct gcal_arena;
struct gcal_error;
struct gcal_track;

/* One form of a model, fitted to all rows of the type. */
struct gcal_result_form_fit {
    struct gcal_arena *arena; /* forms are fitted in parallel */
    struct gcal_fit fit;      /* to the cells (rows.c) */
    double *features;         /* of the cells, in the model's order; NULL: not tried */
    double *predicted_s;      /* of the type's n_rows; NULL: not fitted */
    /* Predictions of the type's n_rows by fits without the row; NaN where the other rows
     * do not determine it. */
    double *held_out_s; /* without all kernels of its generator */
    double *fold_out_s; /* without every fifth kernel of each generator */
    /* Over the rows that all competing forms predict: by the medians over devices, by which
     * forms are compared; by the rows' own times.
     */
    struct gcal_fit_error_summary compared, held_out;
};

/* One model fitted for one device type, pooled over its devices but outliers; or fitted
 * to one outlier alone.
 */
struct gcal_result_type_fit {
    struct gcal_arena *arena; /* types are fitted in parallel */
    char *type;               /* of the devices */
    bool is_outlier;          /* fitted to one device alone, outside of the pool */
    size_t outlier;           /* its index in the record */
    size_t of;    /* of an outlier: the index of the fit of its type, whose form it has */
    size_t model; /* index in the configuration */
    size_t n_forms;
    struct gcal_result_form_fit *forms; /* in the configuration's order */
    bool good;                          /* some form is */
    size_t best;                        /* the form that is published, when good */
    char *reason;                       /* one sentence: why that form, or why no form */
    size_t n_rows;                      /* a kernel on a device each */
    size_t n_kernels, n_samples;        /* of the rows */
    size_t *row_device;                 /* n_rows: index in the record */
    size_t *row_kernel;                 /* n_rows: index in the record */
    double *row_time_s;                 /* n_rows: medians, over row_scale */
    double
        *row_cell_s;   /* n_rows: the median over devices with the same features, to which
                           the forms are fitted, and by which they are compared */
    double *row_scale; /* n_rows: by which the device's times were divided, so that the
                          devices have one centre */
    size_t n_devices;  /* devices of the type with rows */
    size_t *device;    /* n_devices: index in the record */
    double *factor, *factor_error; /* n_devices: device factors, shrunk towards 1; NaN if
                                      not good, or for too few measurements */
    double between; /* standard deviation of log(factor) between devices; NaN for one */
    double shared_error; /* of the mean of all devices: see gcal_result_speeds */
    double *estimate, *estimate_error; /* n_devices x parameters of the best form:
                                          per-device estimates, see gcal_fit_device() */
    size_t n_known; /* if good: the kernels that the best form has all costs of */
    struct gcal_params_kernel *known;
    struct gcal_proportions stands_for;   /* of the best form; none if it has all costs */
    size_t n_warnings, warnings_capacity; /* sentences */
    char **warnings;
};

/* A device that deviates from most of its type in the kernels of one model. */
struct gcal_result_outlier {
    size_t model, device; /* indices in the configuration and in the record */
    double ratio;         /* of its times to those of the others, in the median */
    bool in_store;        /* of an earlier run (gcal_results_pool()) */
    char *node, *uid;
    char *text; /* a sentence */
};

/* A device whose speed changed while it was measured, or whose clock is not the host's. */
struct gcal_result_speed {
    size_t device; /* index in the record */
    bool is_clock;
    bool
        drops; /* samples before 'since' do not count: the device has a speed of its own, as
                       CPUs have not */
    uint64_t since; /* the first launch at the last speed */
    double ratio; /* of times, after the last change to before; of the host's time to the
                       device's */
    double before_s, after_s; /* of one kernel that shows the change; 0: a clock */
    char *node, *uid;
    char *text; /* a sentence */
};

/* What is wrong with the times of devices as a whole. */
struct gcal_result_speeds {
    size_t n, capacity;
    struct gcal_result_speed *items;
    /* By device of the record: the relative standard error that all of its times share, as its speed
     * changed, its clock is off, or its noise lasts (fit/shared_error.h).
     */
    size_t n_devices;
    double *error;
    /* By device of the record: the calibrations of its node; NULL: none are known. */
    size_t n_tracks;
    struct gcal_track **track;
};

struct gcal_results {
    struct gcal_arena *arena; /* of all that follows */
    size_t n_fits;
    struct gcal_result_type_fit *fits;
    size_t n_rejected; /* fits without a good form */
    size_t n_outliers, outliers_capacity;
    struct gcal_result_outlier *outliers;
    struct gcal_result_speeds speeds;
};

/* Fits every model of 'config' for every device type of 'record', and for devices that
 * deviate from their type by themselves.  -1 only if the record
 * cannot be read: a rejected fit is a result.  gcal_results_clear() after 0.
 */
int gcal_results_fit(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_results *results, struct gcal_error *err);
/* Called before the first fit and after each, by one thread at a time. */
struct gcal_result_progress {
    void (*fitted)(void *context, size_t n_done, size_t n_fits);
    void *context;
};
/* The same of a pooled record, with 'speeds' of gcal_results_pool(), whose arena has to last as
 * long as the results; NULL: none, and no progress.
 */
int gcal_results_fit_with(const struct gcal_record *record,
                          const struct gcal_config *config,
                          const struct gcal_result_speeds *speeds,
                          const struct gcal_result_progress *progress,
                          struct gcal_results *results, struct gcal_error *err);
void gcal_results_clear(struct gcal_results *results);

enum gcal_result_verdict { GCAL_RESULT_GOOD, GCAL_RESULT_POOR, GCAL_RESULT_REJECTED };

/* Of a fit; 'why': a clause if it is poor, which is published, and chosen only where it is named. */
enum gcal_result_verdict gcal_result_judge(const struct gcal_result_type_fit *t,
                                           const struct gcal_config *config,
                                           char why[GCAL_PARAMS_WHY_SIZE]);
/* "good", "poor" or "rejected" */
const char *gcal_result_verdict_name(enum gcal_result_verdict verdict);

/* ---- several runs ---- */

/* Adds the record of a run to the record 'all' in memory (gcal_record_collect()).  A device,
 * known by node and uid, counts with its newest run; a model that this run kept, with the
 * newest that measured it.  'said' gets a sentence for each device whose older measurements
 * do not count.  'name': of the record in that sentence.
 */
int gcal_results_collect(struct gcal_record *all, const struct gcal_record *run,
                         const char *name, const struct gcal_config *config,
                         struct gcal_strings *said, struct gcal_error *err);

/* Writes the medians of the record's devices to the store (store/medians/medians.h), and adds
 * to the record what other devices of their types, with the same driver, have there: *record
 * becomes one in memory then, which the fit pools.  A simulated record stays as it is, unless
 * the store is for simulations.
 * 'warnings' gets a sentence for each node whose medians cannot be written or read;
 * 'speeds', for struct gcal_results, the devices whose speed changed, which medians no longer
 * show, and gcal_results_read_tracks() of the record's own devices.
 */
int gcal_results_pool(struct gcal_arena *arena, struct gcal_record **record,
                      const struct gcal_config *config, struct gcal_store *store,
                      struct gcal_result_speeds *speeds, struct gcal_strings *warnings,
                      struct gcal_error *err);

/* Fills speeds->track: what earlier calibrations in the store found, from which the fits' errors
 * have what differs between calibrations.  'warnings' gets a sentence for each node whose track
 * cannot be read.
 */
int gcal_results_read_tracks(struct gcal_arena *arena, const struct gcal_record *record,
                             const struct gcal_store *store,
                             struct gcal_result_speeds *speeds,
                             struct gcal_strings *warnings, struct gcal_error *err);

/* The medians of all devices in the store that were measured for models of 'config' by the
 * kernels of 'catalogue' (a fingerprint), and with the driver of their type's newest run, as
 * a record.  GCAL_EINPUT if there are none.
 */
struct gcal_record *gcal_results_read_store(const struct gcal_store *store,
                                            const struct gcal_config *config,
                                            const char *catalogue,
                                            struct gcal_strings *warnings,
                                            struct gcal_error *err);

/* Parameter files, one for each node with a good fit: an array of 'count' that is released with the
 * results, with texts of the record and the configuration.  Models with a rejected fit are left
 * out.
 */
int gcal_results_params(const struct gcal_results *results,
                        const struct gcal_record *record,
                        const struct gcal_config *config, struct gcal_params **params,
                        size_t *count, struct gcal_error *err);

/* Publishes the parameter files of nodes and types; 'published' counts nodes.  Refuses a
 * simulated record, unless the store is for simulations.  Devices that gcal_results_pool() added are left alone.
 * 'again': a fit of gcal_results_read_store() is published as that run, with the runs and times of its
 * devices as they are; tracks get no lines, as nothing was measured.  NULL: of the runs that measured.
 */
int gcal_results_publish(const struct gcal_results *results,
                         const struct gcal_record *record,
                         const struct gcal_config *config, struct gcal_store *store,
                         const char *again, size_t *published, struct gcal_error *err);

/* Returns whether parameters of the device could be published, whatever they are: its name and its
 * numbers are as the store takes them (GCAL_EDEVICE), NULL: any store. /
 */
int gcal_results_check_device(const struct gcal_store *store,
                              const struct gcal_device_info *info,
                              struct gcal_error *err);

/* Fits the links that the record of a run has, and publishes them for each node.  'said' gets a
 * sentence for each that is far from most others, and for each node whose links cannot be published.
 */
int gcal_results_publish_links(const struct gcal_record *record, struct gcal_store *store,
                               struct gcal_strings *said, struct gcal_error *err);

/* A table for people: for each type and model the chosen form and the reason, its
 * parameters with units and errors, residuals, warnings, reasons for rejection; the
 * caller's to free.
 */
char *gcal_results_format(const struct gcal_results *results,
                          const struct gcal_record *record,
                          const struct gcal_config *config, struct gcal_error *err);

/* ---- devices without parameters ---- */

struct gcal_result_unmeasured {
    size_t device; /* in the record */
    char *reason;  /* "none of 12 kernels could be measured; p_add: build failed: .." */
};

/* The devices without good measurements, and those that lack parameters of a model that
 * other devices of their type have.  Not those that were given up, nor those of rejected
 * fits.  Released with the results.
 */
int gcal_results_unmeasured(const struct gcal_results *results,
                            const struct gcal_record *record,
                            const struct gcal_config *config,
                            struct gcal_result_unmeasured **unmeasured, size_t *n,
                            struct gcal_error *err);

/* ---- kernels that could not be measured ---- */

struct gcal_result_failure {
    char *kernel, *node, *uid; /* of the device, or of the first of several */
    char *reason;              /* the first line of it; may be empty */
    enum gcal_measurement_status status;
    size_t n_devices; /* 1: others have measured it; else those that tried, all of them */
};

struct gcal_result_failures {
    size_t n;
    struct gcal_result_failure *items;
};

/* In the order of the record; a kernel that failed on all devices once: it is at fault, and no device. */
int gcal_results_failures(struct gcal_arena *arena, const struct gcal_record *record,
                          struct gcal_result_failures *failures, struct gcal_error *err);

/* ---- the rows of a record ---- */

/* The samples of a kernel on a device, summarized. */
struct gcal_result_row {
    size_t device, kernel; /* in the record */
    size_t n_samples;
    double time_s; /* median, over 'scale' */
    double spread; /* relative standard error of the median */
    double scale;  /* 1, or what the device's times are divided by for the fit */
    struct gcal_built built; /* the kernel on the device */
};

struct gcal_result_rows {
    size_t n;
    struct gcal_result_row *rows; /* by kernel, then by device */
};

/* All rows that may be fitted.  Of a GPU whose speed changed, the samples before do not count;
 * 'speeds' gets what is wrong with the times of devices.
 */
int gcal_result_rows_read(struct gcal_arena *arena, const struct gcal_record *record,
                          struct gcal_result_rows *rows,
                          struct gcal_result_speeds *speeds, struct gcal_error *err);

#endif
