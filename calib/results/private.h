/* private.h - what the parts of the results share; internal to calib/ */
#ifndef GCAL_CALIB_RESULTS_PRIVATE_H
#define GCAL_CALIB_RESULTS_PRIVATE_H

#include "calib/results/results.h"

struct gcal_buf;

/* ---- rows.c ---- */

/* Those that 'model' has to do with, on devices of 'type', spare ones too; the caller's
 * to free.
 */
int gcal_result_rows_pick(const struct gcal_record *record,
                          const struct gcal_result_rows *all, const char *type,
                          const struct gcal_model *model, struct gcal_result_rows *picked,
                          struct gcal_error *err);

/* Values of the model's features for all 'rows', n x n_features; the caller's to free. */
double *gcal_result_features(const struct gcal_record *record,
                             const struct gcal_model *model,
                             const struct gcal_result_rows *rows, struct gcal_error *err);

/* ---- counts.c ---- */

struct gcal_result_counts {
    const struct gcal_record *record;
    struct gcal_model *model; /* has that feature and no other */
    double *counts;           /* of the record's kernels; NaN: not asked for yet */
};

/* 'feature': e.g. f_memory; clear it after -1, too. */
int gcal_result_counts_init(struct gcal_result_counts *c,
                            const struct gcal_record *record, const char *feature,
                            struct gcal_error *err);
void gcal_result_counts_clear(struct gcal_result_counts *c);
/* NaN where the row's kernel has none of it. */
int gcal_result_count(struct gcal_result_counts *c, const struct gcal_result_row *row,
                      double *count, struct gcal_error *err);

/* A part against its whole at sizes that are near each other; of those that are equally
 * near, the longest counts.
 */
struct gcal_result_nearest {
    double distance; /* logarithm of the counts' ratio; infinite: none yet */
    double time_s;   /* of the part */
    double ratio;    /* of times per count */
};

/* Takes the two if they are nearer to each other than those in 'nearest'. */
int gcal_result_compare_component(struct gcal_result_counts *c,
                                  const struct gcal_result_row *component,
                                  const struct gcal_result_row *target,
                                  struct gcal_result_nearest *nearest,
                                  struct gcal_error *err);

/* ---- check.c ---- */

/* Predicts the whole kernels that were run once, if any, by the best form. */
int gcal_result_check_targets(struct gcal_result_type_fit *t,
                              const struct gcal_record *record,
                              const struct gcal_config_model *config,
                              const struct gcal_result_rows *all, struct gcal_error *err);

/* ---- accumulators.c ---- */

/* Where accesses to memory alone were measured in several ways, leaves one of them in
 * 'rows', and tells in t->slow if it is not the usual one; 'all' has the whole kernels.
 */
int gcal_result_choose_accumulators(struct gcal_result_type_fit *t,
                                    const struct gcal_record *record,
                                    const struct gcal_result_rows *all,
                                    struct gcal_result_rows *rows,
                                    struct gcal_error *err);

/* ---- forms.c ---- */

/* Fits all forms of the type's model to 'rows' and predicts what each had not seen:
 * forms[].fit and forms[].held_out_s.
 */
int gcal_result_fit_forms(struct gcal_result_type_fit *t,
                          const struct gcal_record *record,
                          const struct gcal_config_model *config,
                          const struct gcal_result_rows *rows, struct gcal_error *err);

/* Whether there is anything to fit 'form' to: the kernels that a tailored form needs are
 * measured on some device types only.
 */
bool gcal_result_is_form_offered(const struct gcal_result_type_fit *t,
                                 const struct gcal_config_model *config, size_t form);

/* Kernels that are left out together resemble each other: all of a generator's.  The
 * first of them in the record.
 */
size_t gcal_result_first_of_generator(const struct gcal_record *record, size_t kernel);

/* ---- choose.c ---- */

/* Judges the forms by what they predicted; 'best', 'good' and 'reason'. */
int gcal_result_choose_form(struct gcal_result_type_fit *t,
                            const struct gcal_config_model *config,
                            struct gcal_error *err);

/* ---- devices.c ---- */

/* The devices of the type, and how each deviates from the fit of them all. */
int gcal_result_find_deviations(struct gcal_result_type_fit *t, struct gcal_error *err);

/* ---- device_fit.c ---- */

/* What each device's rows alone tell of the best form's parameters; 'rows': the type's.
 */
int gcal_result_fit_devices(struct gcal_result_type_fit *t,
                            const struct gcal_record *record,
                            const struct gcal_config_model *config,
                            const struct gcal_result_rows *rows, struct gcal_error *err);

/* ---- components.c ---- */

/* Which of the model's kernels with work removed take longer than their whole; 'all':
 * the record's rows, as the model need not have asked for the whole.
 */
int gcal_result_find_slow_components(struct gcal_result_type_fit *t,
                                     const struct gcal_record *record,
                                     const struct gcal_config_model *config,
                                     const struct gcal_result_rows *all,
                                     struct gcal_error *err);

/* ---- wrap.c ---- */

/* A line that starts with 'before', broken at spaces where it gets too long. */
void gcal_result_put_wrapped(struct gcal_buf *buf, const char *before, const char *text);

/* ---- format_fit.c ---- */

/* Parameters of one form, how they hang together, and how good it is. */
void gcal_result_put_form(struct gcal_buf *buf, const struct gcal_record *record,
                          const struct gcal_model *model,
                          const struct gcal_result_type_fit *t,
                          const struct gcal_result_form_fit *f);

/* All forms of the model in a table, the chosen one marked. */
void gcal_result_put_forms(struct gcal_buf *buf, const struct gcal_config_model *config,
                           const struct gcal_result_type_fit *t);

#endif
