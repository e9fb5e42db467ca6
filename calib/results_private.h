/* results_private.h - what the parts of the results share; internal to calib/ */
#ifndef GCAL_CALIB_RESULTS_PRIVATE_H
#define GCAL_CALIB_RESULTS_PRIVATE_H

#include "calib/results.h"

/* A kernel on a device: what its samples say. */
struct gcal_result_row {
    size_t device, kernel; /* in the record */
    size_t n_samples;
    double time_s; /* median */
    double spread; /* relative standard error of the median */
};

struct gcal_result_rows {
    size_t n, capacity;
    struct gcal_result_row *rows; /* by kernel, then by device */
};

/* All rows of the record that may be fitted; the caller's to free (.rows). */
int gcal_result_rows_read(const struct gcal_record *record, struct gcal_result_rows *rows,
                          struct gcal_error *err);

/* Values of the model's features for all 'rows', n x n_features; the caller's to free. */
double *gcal_result_features(const struct gcal_record *record,
                             const struct gcal_model *model,
                             const struct gcal_result_rows *rows, struct gcal_error *err);

#endif
