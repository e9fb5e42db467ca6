/* rows.h - the costs of kernels, and which of them the kernels identify (internal to
 * calib/select)
 *
 * A kernel is a row: how much of each cost it has, at its sizes and on a nominal device.
 */
#ifndef GCAL_CALIB_SELECT_ROWS_H
#define GCAL_CALIB_SELECT_ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_arena;
struct gcal_error;
struct gcal_fit_span;
struct gcal_kernel;
struct gcal_kernel_list;
struct gcal_model;

/* The values of features at the kernel's sizes, on a nominal device. */
int gcal_select_count_features(const struct gcal_kernel *kernel, size_t n,
                               const char *const *features, double *counts,
                               struct gcal_error *err);

struct gcal_select_rows {
    struct gcal_arena *arena;
    const struct gcal_model *costs; /* linear in its parameters, the costs */
    size_t n, capacity;
    double *values; /* n x costs->n_parameters, row per kernel */
};

/* Several kernels; of a size sweep, only the largest. */
int gcal_select_rows_add_list(struct gcal_select_rows *rows,
                              const struct gcal_kernel_list *list,
                              struct gcal_error *err);

/* A row adds a direction if more than this share of it is outside of the span. */
#define GCAL_SELECT_LEAST_SHARE 0.05

/* The span of rows whose costs are scaled to their largest values. */
struct gcal_select_basis {
    size_t n_columns; /* costs */
    struct gcal_fit_span *span;
    double *scale;  /* by column: the most of that cost in any row */
    double *scaled; /* a row */
};

void gcal_select_basis_init(struct gcal_arena *arena, struct gcal_select_basis *basis,
                            size_t n_columns);
/* Raises the scales to those of the rows, and makes the span empty: call it for all rows
 * before any is added.
 */
void gcal_select_basis_scale(struct gcal_select_basis *basis,
                             const struct gcal_select_rows *rows);
void gcal_select_basis_add(struct gcal_select_basis *basis,
                           const struct gcal_select_rows *rows);
/* Returns whether more than this share of some row is outside of the span. */
bool gcal_select_basis_lacks(struct gcal_select_basis *basis,
                             const struct gcal_select_rows *rows, double share);
/* Returns whether all costs are identifiable. */
bool gcal_select_basis_is_complete(const struct gcal_select_basis *basis);
/* -1 with 'err' naming the features of the first cost that is not identifiable. */
int gcal_select_basis_check(struct gcal_arena *arena, struct gcal_select_basis *basis,
                            const struct gcal_model *costs, struct gcal_error *err);

#endif
