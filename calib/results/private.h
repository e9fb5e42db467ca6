/* private.h - interfaces between the files of calib/results */
#ifndef GCAL_CALIB_RESULTS_PRIVATE_H
#define GCAL_CALIB_RESULTS_PRIVATE_H

#include "calib/results/results.h"

/* ---- rows.c ---- */

/* Of a measurement with samples: the median of their times, and its relative standard
 * error.
 */
int gcal_result_median_time(const struct gcal_measurement *m, double *time_s,
                            double *spread, struct gcal_error *err);

/* The rows that 'model' is fitted to on devices of 'type'. */
struct gcal_result_rows gcal_result_rows_pick(struct gcal_arena *arena,
                                              const struct gcal_record *record,
                                              const struct gcal_result_rows *all,
                                              const char *type,
                                              const struct gcal_config_model *model);

/* Values of the model's features for all 'rows', n x n_features; NULL with 'err'. */
double *gcal_result_features(struct gcal_arena *arena, const struct gcal_record *record,
                             const struct gcal_model *model,
                             const struct gcal_result_rows *rows, struct gcal_error *err);

/* Rows in the order of their devices. */
struct gcal_result_by_device {
    size_t *row;   /* indices of rows, those of a device next to each other */
    size_t *first; /* of each device of the record, and the end */
};

struct gcal_result_by_device
gcal_result_sort_by_device(struct gcal_arena *arena, const struct gcal_record *record,
                           const struct gcal_result_rows *rows);

/* Rows of a kernel with the same features, each cell as one row: the median of their times,
 * with the relative standard error that follows from theirs, and all their samples.
 */
struct gcal_result_cells {
    struct gcal_result_rows rows; /* .device: the first */
    size_t *of_row;               /* the cell of each row */
};

struct gcal_result_cells gcal_result_cells_find(struct gcal_arena *arena,
                                                const struct gcal_record *record,
                                                const struct gcal_result_rows *rows);

/* ---- speed.c ---- */

struct gcal_fit_launch;
struct gcal_fit_visit;

/* The visits of the kernels of each device, and a launch of each by both clocks. */
struct gcal_result_device_visits {
    struct gcal_fit_visit *visits;
    size_t n, capacity;
    struct gcal_fit_launch *launches;
    size_t n_launches, launches_capacity;
};

struct gcal_result_visits {
    struct gcal_arena *arena;
    struct gcal_result_device_visits *devices; /* as in the record */
};

int gcal_result_visits_add(struct gcal_result_visits *v, size_t device, size_t kernel,
                           const struct gcal_measurement *m, struct gcal_error *err);

/* Fills 'speeds'.  Devices without samples have the errors that the record says. */
void gcal_result_find_speeds(struct gcal_arena *arena, const struct gcal_record *record,
                             const struct gcal_result_visits *v,
                             struct gcal_result_speeds *speeds);
/* The change before which samples of the device do not count; NULL: all count. */
const struct gcal_result_speed *
gcal_result_speed_of(const struct gcal_result_speeds *speeds, size_t device);
/* Its error; 0 where nothing is known of it. */
double gcal_result_shared_error(const struct gcal_result_speeds *speeds, size_t device);
/* Leaves the samples of launch 'since' and later; their number. */
size_t gcal_result_drop_early(struct gcal_measurement *m, uint64_t since);

/* ---- pool.c ---- */

/* Adds the devices that deviate from most of those that the model's 'rows' are of. */
void gcal_result_find_outliers(struct gcal_arena *scratch,
                               const struct gcal_record *record,
                               const struct gcal_result_rows *rows, size_t model,
                               struct gcal_results *results);

/* Returns whether a fit is of the device: of it alone, or of its type without outliers. */
bool gcal_result_is_fit_of(const struct gcal_record *record,
                           const struct gcal_results *results,
                           const struct gcal_result_type_fit *t, size_t device);

/* Divides the times in 'all' and in the model's 'rows' by the device factors that follow
 * from the model's rows.
 */
void gcal_result_scale_rows(struct gcal_arena *scratch, const struct gcal_record *record,
                            struct gcal_result_rows *all, struct gcal_result_rows *rows);

/* ---- known.c ---- */

/* Lists the record's kernels whose components the best form has costs of, t->known, and finds
 * the work that the costs stand for, t->stands_for.
 */
int gcal_result_find_known(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_config_model *config,
                           struct gcal_error *err);
bool gcal_result_uses_model(const struct gcal_run_kernel *kernel, const char *model);

/* ---- components.c ---- */

/* Adds a sentence to the warnings of the fit. */
void gcal_result_warn(struct gcal_result_type_fit *t, char *text);

/* Warns of loads that take longer alone than all accesses of their kernel do. */
void gcal_result_find_slow_loads(struct gcal_arena *scratch,
                                 struct gcal_result_type_fit *t,
                                 const struct gcal_record *record);

/* ---- forms.c ---- */

/* Fits all forms of the type's model to 'rows', and predicts held-out rows: t->forms.  If 'like' is
 * good, only its form, beginning at its values.  NULL: there is none.
 */
int gcal_result_fit_forms(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                          const struct gcal_record *record,
                          const struct gcal_config_model *config,
                          const struct gcal_result_rows *rows,
                          const struct gcal_result_type_fit *like,
                          struct gcal_error *err);

/* Of each kernel, the first one of the same generator in the record: kernels of a generator
 * resemble each other, and are left out together.
 */
size_t *gcal_result_generators(struct gcal_arena *arena,
                               const struct gcal_record *record);

/* ---- devices.c ---- */

/* Device factors: the deviation of each device from the fit of the type. */
void gcal_result_find_deviations(struct gcal_arena *scratch,
                                 struct gcal_result_type_fit *t);

/* Rows without times of kernels that failed on a device. */
int gcal_result_find_lost(struct gcal_arena *arena, const struct gcal_record *record,
                          struct gcal_result_rows *lost, struct gcal_error *err);
/* Widens the errors of costs of which as many kernels were lost as are left, and warns.  'rows': of
 * the fit; 'lost': of its devices.
 */
int gcal_result_widen_lost(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_config_model *config,
                           const struct gcal_result_rows *rows,
                           const struct gcal_result_rows *lost, struct gcal_error *err);

/* Adds the errors that all times of a device share, in this calibration and between it and earlier
 * ones, to those of factors and costs; and to those of per-device estimates, without earlier ones.
 * Covariances stay, as predictions have the errors from the factors.
 */
void gcal_result_widen(struct gcal_arena *scratch, const struct gcal_record *record,
                       struct gcal_result_type_fit *t,
                       const struct gcal_config_model *config,
                       const struct gcal_result_speeds *speeds);

/* Per-device estimates of the best form's parameters; 'rows': the type's. */
int gcal_result_fit_devices(struct gcal_arena *scratch, struct gcal_result_type_fit *t,
                            const struct gcal_record *record,
                            const struct gcal_config_model *config,
                            const struct gcal_result_rows *rows, struct gcal_error *err);

/* ---- between.c ---- */

/* The relative standard error of all costs of the device k of the fit, of what its calibrations
 * differ by; 0: by nothing that matters, or it has none before.
 */
double gcal_result_between_runs(struct gcal_arena *scratch,
                                const struct gcal_record *record,
                                const struct gcal_result_type_fit *t,
                                const struct gcal_config_model *config,
                                const struct gcal_result_speeds *speeds, size_t k);

/* ---- accounts.c ---- */

/* Returns whether the fit has a factor of its device k: none after too few measurements. */
bool gcal_result_has_factor(const struct gcal_result_type_fit *t, size_t k);

/* ---- publish.c ---- */

const char *gcal_result_run_time(const struct gcal_record_header *header);

#endif
