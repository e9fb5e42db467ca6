/* results.h - from a record to fits to what is published
 *
 * Everything here follows from the record alone: 'gpucal fit --record' gives the same
 * numbers, to the byte, as the run that made it.  Which kernels a model is fitted to
 * stands in the record too: each kernel names the models that asked for it, and whether
 * it is one of those that the model predicts (a whole kernel).  Rows are the medians of
 * good measurements on devices that were not given up.
 *
 * Of accesses to memory that were measured in several accumulators one way is fitted:
 * the fewest, unless these run slower than the whole kernel and others do not as much.
 *
 * Every form of a model is fitted, and judged by predictions of kernels that the fit had
 * not seen: of the whole kernels where they were measured, else of each generator's by a
 * fit without it, or, where nothing else has what it costs, by one without every fifth.
 * Where kernels mix memory accesses and work on the chip that were measured apart as
 * well, these judge alone: a part by itself is the same in all forms.
 * A tailored form is fitted to the whole kernels, and judged by leaving each out.  The
 * form that predicts best is published.
 */
#ifndef GCAL_CALIB_RESULTS_H
#define GCAL_CALIB_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "calib/config/config.h"
#include "fit/error_summary.h"
#include "fit/fit.h"
#include "store/files/store.h"
#include "store/record/record.h"

struct gcal_error;

/* One form of a model.  Rows are indices of the type's. */
struct gcal_result_form_fit {
    struct gcal_fit fit;
    size_t n_rows, n_kernels, n_samples; /* that it is fitted to */
    size_t *row;                         /* n_rows */
    /* Predictions of the type's n_rows by fits that had not seen the row; NaN where what
     * they saw does not determine it. */
    double *held_out_s; /* nor any kernel of its generator */
    double *fold_out_s; /* nor every fifth kernel of each generator */
    struct gcal_fit_error_summary
        judged; /* on the rows that all forms in question predict */
};

/* One model fitted for one device type, pooled over its devices. */
struct gcal_result_type_fit {
    char *type;   /* of the devices */
    size_t model; /* index in the configuration */
    size_t n_forms;
    struct gcal_result_form_fit *forms; /* in the configuration's order */
    bool good;                          /* some form is */
    size_t best;                        /* the form that is published, when good */
    char *reason;                       /* one sentence: why that form, or why none */
    bool by_targets;                    /* forms are judged by whole kernels */
    size_t n_rows;                      /* a kernel on a device each */
    size_t *row_device;                 /* n_rows: index in the record */
    size_t *row_kernel;                 /* n_rows: index in the record */
    double *row_time_s;                 /* n_rows: medians */
    bool *row_mixed;  /* n_rows: kernels with several parts that have costs of
                         their own: what forms differ in */
    size_t n_devices; /* devices of the type with rows of the best form */
    size_t *device;   /* n_devices: index in the record */
    double *factor, *factor_error; /* n_devices, shrunk towards 1; NaN when not good or
                                      when too little was measured */
    double between; /* standard deviation of log(factor) between devices; NaN for one */
    double *own, *own_error; /* n_devices x parameters of the best form: what each
                                device's       rows alone tell, see gcal_fit_device() */
    struct gcal_fit_error_summary checked; /* of the best form, by whole kernels run once:
                                   they decide nothing, but intervals hold them */
    size_t n_slow; /* parts of kernels that take longer than the whole, */
    char **slow;   /* a sentence about each */
};

struct gcal_results {
    size_t n_fits;
    struct gcal_result_type_fit *fits;
    size_t n_rejected; /* of which no form is good */
};

/* Fits every model of 'config' for every device type of 'record'.  -1 only when the
 * record cannot be read or memory ran out; a fit that is not good is a result.
 */
int gcal_results_fit(const struct gcal_record *record, const struct gcal_config *config,
                     struct gcal_results *results, struct gcal_error *err);
void gcal_results_clear(struct gcal_results *results);

/* Parameter files: one per node that has a device with a good fit; array of 'count', the
 * caller's to clear and free.  Models whose fit was rejected are left out.
 */
int gcal_results_params(const struct gcal_results *results,
                        const struct gcal_record *record,
                        const struct gcal_config *config, struct gcal_params **params,
                        size_t *count, struct gcal_error *err);

/* Publishes all of it, types too; 'published' counts nodes.  A simulated record is
 * refused.
 */
int gcal_results_publish(const struct gcal_results *results,
                         const struct gcal_record *record,
                         const struct gcal_config *config, struct gcal_store *store,
                         size_t *published, struct gcal_error *err);

/* A table for people: per type and model the chosen form and why, its parameters with
 * units and errors, residuals, reasons for rejection; the caller's to free.
 */
char *gcal_results_format(const struct gcal_results *results,
                          const struct gcal_record *record,
                          const struct gcal_config *config, struct gcal_error *err);

/* ---- the rows of a record ---- */

/* A kernel on a device: what its samples say. */
struct gcal_result_row {
    size_t device, kernel; /* in the record */
    size_t n_samples;
    double time_s; /* median */
    double spread; /* relative standard error of the median */
    bool target;   /* one of those that the model predicts, and not fitted to else */
    bool fallback; /* accesses to memory, fitted only in place of others (accumulators.c)
                    */
};

struct gcal_result_rows {
    size_t n, capacity;
    struct gcal_result_row *rows; /* by kernel, then by device */
};

/* All rows of the record that may be fitted; the caller's to free (.rows). */
int gcal_result_rows_read(const struct gcal_record *record, struct gcal_result_rows *rows,
                          struct gcal_error *err);

#endif
