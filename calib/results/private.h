/* private.h - interfaces between the files of calib/results */
#ifndef GCAL_CALIB_RESULTS_PRIVATE_H
#define GCAL_CALIB_RESULTS_PRIVATE_H

#include "calib/results/results.h"

struct gcal_buf;

/* Launches that take less are short. */
#define GCAL_RESULT_SHORT_S 1e-3
struct gcal_params_model;

/* ---- rows.c ---- */

/* Of a measurement with samples: the median of their times, and its relative standard
 * error.
 */
int gcal_result_median_time(const struct gcal_measurement *m, double *time_s,
                            double *spread, struct gcal_error *err);

/* Picks the rows that 'model' uses on devices of 'type', fallback rows included; the
 * caller's to free.
 */
int gcal_result_rows_pick(const struct gcal_record *record,
                          const struct gcal_result_rows *all, const char *type,
                          const struct gcal_config_model *model,
                          struct gcal_result_rows *picked, struct gcal_error *err);

/* Values of the model's features for all 'rows', n x n_features; the caller's to free. */
double *gcal_result_features(const struct gcal_record *record,
                             const struct gcal_model *model,
                             const struct gcal_result_rows *rows, struct gcal_error *err);

/* Whether two rows of a kernel have the same features and are used alike. */
bool gcal_result_have_same_features(const struct gcal_record *record,
                                    const struct gcal_result_row *a,
                                    const struct gcal_result_row *b);

/* Rows in the order of their devices. */
struct gcal_result_by_device {
    size_t *row;   /* indices of rows, those of a device next to each other */
    size_t *first; /* of each device of the record, and the end */
};

/* gcal_result_by_device_clear() in any case. */
int gcal_result_sort_by_device(const struct gcal_record *record,
                               const struct gcal_result_rows *rows,
                               struct gcal_result_by_device *sorted,
                               struct gcal_error *err);
void gcal_result_by_device_clear(struct gcal_result_by_device *sorted);

/* ---- cells.c ---- */

/* Rows of a kernel with the same features, each cell as one row: the median of their times,
 * with the relative standard error that follows from theirs, and all their samples.
 */
struct gcal_result_cells {
    struct gcal_result_rows rows; /* .device: the first */
    size_t *of_row;               /* the cell of each row */
};

/* gcal_result_cells_clear() in any case. */
int gcal_result_cells_find(const struct gcal_record *record,
                           const struct gcal_result_rows *rows,
                           struct gcal_result_cells *cells, struct gcal_error *err);
void gcal_result_cells_clear(struct gcal_result_cells *cells);

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
    size_t n_devices;
    struct gcal_result_device_visits *devices; /* as in the record */
};

int gcal_result_visits_init(struct gcal_result_visits *v, size_t n_devices,
                            struct gcal_error *err);
int gcal_result_visits_add(struct gcal_result_visits *v, size_t device, size_t kernel,
                           const struct gcal_measurement *m, struct gcal_error *err);
void gcal_result_visits_clear(struct gcal_result_visits *v);

/* Fills 'speeds'; after -1, too, the caller's to clear.  Devices without samples have the
 * errors that the record says.
 */
int gcal_result_find_speeds(const struct gcal_record *record,
                            const struct gcal_result_visits *v,
                            struct gcal_result_speeds *speeds, struct gcal_error *err);
/* The change before which samples of the device do not count; NULL: all count. */
const struct gcal_result_speed *
gcal_result_speed_of(const struct gcal_result_speeds *speeds, size_t device);
/* Its error; 0 where nothing is known of it. */
double gcal_result_shared_error(const struct gcal_result_speeds *speeds, size_t device);
/* Leaves the samples of launch 'since' and later; their number. */
size_t gcal_result_drop_early(struct gcal_measurement *m, uint64_t since);

/* ---- across.c ---- */

/* Times of devices by kernel. */
struct gcal_result_table {
    size_t n_devices, n_kernels;
    size_t *device, *kernel; /* indices in the record */
    size_t *place;           /* by device of the record, from 1; 0: it is not there */
    size_t *group;
    double *time_s, *spread; /* n_kernels x n_devices, NaN: not measured */
};

/* Fills in times of devices that have few kernels in common with the others, from their own
 * times of other sizes.
 */
int gcal_result_table_fill(struct gcal_result_table *t, const struct gcal_record *record,
                           struct gcal_error *err);

/* ---- pool.c ---- */

/* Adds the devices that deviate from most of those that the model's 'rows' are of. */
int gcal_result_find_outliers(const struct gcal_record *record,
                              const struct gcal_result_rows *rows, size_t model,
                              struct gcal_results *results, struct gcal_error *err);

/* Whether a fit is of the device: of it alone, or of its type without outliers. */
bool gcal_result_is_fit_of(const struct gcal_record *record,
                           const struct gcal_results *results,
                           const struct gcal_result_type_fit *t, size_t device);

/* Divides the times in 'all' and in the model's 'rows' by the device factors that follow
 * from the model's rows.
 */
int gcal_result_scale_rows(const struct gcal_record *record, struct gcal_result_rows *all,
                           struct gcal_result_rows *rows, struct gcal_error *err);

/* ---- known.c ---- */

/* Lists the record's kernels whose components the best form has costs of, t->known, and finds
 * the work that the costs stand for, t->stands_for.
 */
int gcal_result_find_known(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_config_model *config,
                           struct gcal_error *err);
void gcal_result_known_free(struct gcal_params_kernel *known, size_t n);

/* ---- counts.c ---- */

struct gcal_result_counts {
    const struct gcal_record *record;
    struct gcal_model *model; /* of that feature alone */
    double *counts;           /* of the record's kernels; NaN: not evaluated yet */
};

/* 'feature': e.g. f_memory.  After -1, too, it is the caller's to clear. */
int gcal_result_counts_init(struct gcal_result_counts *c,
                            const struct gcal_record *record, const char *feature,
                            struct gcal_error *err);
void gcal_result_counts_clear(struct gcal_result_counts *c);

/* A component and its kernel at the sizes that are nearest to each other; of equally near
 * ones, the longest.
 */
struct gcal_result_nearest {
    double distance; /* logarithm of the counts' ratio; infinite: none yet */
    double time_s;   /* of the component */
    double ratio;    /* of times per count, component to kernel */
};

/* Replaces 'nearest' if these two are nearer to each other. */
int gcal_result_compare_component(struct gcal_result_counts *c,
                                  const struct gcal_result_row *component,
                                  const struct gcal_result_row *target,
                                  struct gcal_result_nearest *nearest,
                                  struct gcal_error *err);

/* ---- check.c ---- */

/* Predicts the target kernels that were measured at one size, if any, by the best form:
 * t->checked.
 */
int gcal_result_check_targets(struct gcal_result_type_fit *t,
                              const struct gcal_record *record,
                              const struct gcal_config_model *config,
                              const struct gcal_result_rows *all, struct gcal_error *err);

/* ---- accumulators.c ---- */

/* Leaves one of the accumulator variants of each memory component in 'rows', and adds a
 * warning to 't' if it is not the one with the fewest accumulators; 'all' has the target
 * kernels.
 */
int gcal_result_choose_accumulators(struct gcal_result_type_fit *t,
                                    const struct gcal_record *record,
                                    const struct gcal_result_rows *all,
                                    struct gcal_result_rows *rows,
                                    struct gcal_error *err);

/* ---- shapes.c ---- */

/* Fits the shapes of the model's components, one component at a time.  'is_brief': by row;
 * 'given' (by parameter, NaN: not known) gets their values.
 */
int gcal_result_find_shapes(const struct gcal_model *model,
                            const struct gcal_fit_rows *rows, const bool *is_brief,
                            double *given, struct gcal_error *err);

/* ---- forms.c ---- */

/* Fits all forms of the type's model to 'rows', and predicts held-out rows: t->forms.  If 'like' is
 * good, only its form, beginning at its values.  NULL: there is none.
 */
int gcal_result_fit_forms(struct gcal_result_type_fit *t,
                          const struct gcal_record *record,
                          const struct gcal_config_model *config,
                          const struct gcal_result_rows *rows,
                          const struct gcal_result_type_fit *like,
                          struct gcal_error *err);

/* Whether 'form' can be fitted: the target kernels, which a tailored form needs, are
 * measured on some kinds of devices only.
 */
bool gcal_result_is_form_offered(const struct gcal_result_type_fit *t,
                                 const struct gcal_config_model *config, size_t form);

/* Of each kernel, the first one of the same generator in the record: kernels of a generator
 * resemble each other, and are left out together.  The caller's to free.
 */
size_t *gcal_result_generators(const struct gcal_record *record, struct gcal_error *err);

/* ---- choose.c ---- */

/* Chooses the form with the smallest held-out error: t->best, t->good, t->reason. */
int gcal_result_choose_form(struct gcal_result_type_fit *t,
                            const struct gcal_config_model *config,
                            struct gcal_error *err);

/* ---- devices.c ---- */

/* Device factors: the deviation of each device from the fit of the type. */
int gcal_result_find_deviations(struct gcal_result_type_fit *t,
                                const struct gcal_result_speeds *speeds,
                                struct gcal_error *err);

/* Rows without times of kernels that failed on a device; '*lost' is empty, and the caller's to
 * free, also after -1.
 */
int gcal_result_find_lost(const struct gcal_record *record, struct gcal_result_rows *lost,
                          struct gcal_error *err);
/* Widens the errors of costs of which as many kernels were lost as are left, and warns.  'rows': of
 * the fit; 'lost': of its devices.
 */
int gcal_result_widen_lost(struct gcal_result_type_fit *t,
                           const struct gcal_record *record,
                           const struct gcal_config_model *config,
                           const struct gcal_result_rows *rows,
                           const struct gcal_result_rows *lost, struct gcal_error *err);

/* Adds the errors that all times of a device share to the standard errors of costs: of the fits, and of
 * per-device estimates.  Covariances stay, as predictions have the errors from the factors.
 */
void gcal_result_widen(struct gcal_result_type_fit *t,
                       const struct gcal_config_model *config,
                       const struct gcal_result_speeds *speeds);

/* ---- device_fit.c ---- */

/* Per-device estimates of the best form's parameters; 'rows': the type's. */
int gcal_result_fit_devices(struct gcal_result_type_fit *t,
                            const struct gcal_record *record,
                            const struct gcal_config_model *config,
                            const struct gcal_result_rows *rows, struct gcal_error *err);

/* ---- components.c ---- */

/* Warns of the model's components that take longer than their kernels; 'all': the
 * record's rows, as the kernels need not be the model's.
 */
int gcal_result_find_slow_components(struct gcal_result_type_fit *t,
                                     const struct gcal_record *record,
                                     const struct gcal_config_model *config,
                                     const struct gcal_result_rows *all,
                                     struct gcal_error *err);

/* ---- accounts.c ---- */

/* The measurements of one device, or of one kernel. */
struct gcal_result_tally_row {
    size_t n_good, n_bad;
    char *first;        /* of a device: why the first kernel failed; NULL: none */
    bool skipped_first; /* it was only skipped */
};

struct gcal_result_tally {
    size_t n_devices, n_kernels;
    struct gcal_result_tally_row *devices, *kernels; /* as in the record */
};

/* gcal_result_tally_clear() in any case. */
int gcal_result_tally_read(struct gcal_result_tally *t, const struct gcal_record *record,
                           struct gcal_error *err);
void gcal_result_tally_clear(struct gcal_result_tally *t);

/* ---- wrap.c ---- */

/* The first line of a text (NULL: "") that is not empty. */
const char *gcal_result_first_line(const char *text, size_t *length);

/* A line that starts with 'before', broken at spaces. */
void gcal_result_put_wrapped(struct gcal_buf *buf, const char *before, const char *text);

/* ---- format_fit.c ---- */

/* Parameters of one form, their correlations, and errors. */
void gcal_result_put_form(struct gcal_buf *buf, const struct gcal_record *record,
                          const struct gcal_model *model,
                          const struct gcal_result_type_fit *t,
                          const struct gcal_result_form_fit *f);

/* All forms of the model in a table, the chosen one marked. */
void gcal_result_put_forms(struct gcal_buf *buf, const struct gcal_config_model *config,
                           const struct gcal_result_type_fit *t);

#endif
