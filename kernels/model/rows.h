/* rows.h - a model at many rows of features
 *
 * A fit evaluates a model at the same rows again and again, with other parameters.  What
 * depends on features alone is computed once, what depends on parameters alone once for all
 * rows, and of the rest each operation for several rows at a time.
 */
#ifndef GCAL_KERNELS_MODEL_ROWS_H
#define GCAL_KERNELS_MODEL_ROWS_H

#include <stddef.h>

struct gcal_error;
struct gcal_model;
struct gcal_model_rows; /* opaque, immutable */

/* Rows are evaluated in blocks of this size. */
#define GCAL_MODEL_BLOCK 16

/* 'features': n_rows x model->n_features, row per kernel.  'model' must stay; 'features' is
 * not needed any more.  NULL with 'err' when memory ran out.
 */
struct gcal_model_rows *gcal_model_rows_create(const struct gcal_model *model,
                                               size_t n_rows, const double *features,
                                               struct gcal_error *err);
/* NULL is allowed. */
void gcal_model_rows_destroy(struct gcal_model_rows *rows);

/* The model at rows first .. first + n - 1, 'first' a multiple of GCAL_MODEL_BLOCK: to the
 * last bit what gcal_model_eval() gives for each.  'values': n.  'gradients': n x
 * n_parameters, row per row, or NULL.  Thread-safe, allocates nothing.
 */
void gcal_model_rows_eval(const struct gcal_model_rows *rows, size_t first, size_t n,
                          const double *parameters, double *values, double *gradients);

#endif
