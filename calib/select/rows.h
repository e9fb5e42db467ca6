/* basis.h - which costs a set of kernels tells apart; internal to calib/ */
#ifndef GCAL_CALIB_CONFIG_BASIS_H
#define GCAL_CALIB_CONFIG_BASIS_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_kernel;
struct gcal_model;

/* What the kernel counts at its sizes, on a nominal device. */
int gcal_config_count_features(const struct gcal_kernel *kernel, size_t n,
                               const char *const *features, double *counts,
                               struct gcal_error *err);

/* How much of each cost, which are a linear model's parameters, kernels have. */
struct gcal_config_rows {
    const struct gcal_model *costs;
    size_t n, capacity;
    double *values; /* n x costs->n_parameters, row per kernel */
};

int gcal_config_rows_add(struct gcal_config_rows *rows, const struct gcal_kernel *kernel,
                         struct gcal_error *err);
void gcal_config_rows_clear(struct gcal_config_rows *rows);

/* Less of a row's length than this outside of what is spanned tells nothing. */
#define GCAL_CONFIG_BASIS_LEAST 0.05

/* The directions that rows span, orthonormal. */
struct gcal_config_basis {
    size_t n_columns, n;
    double *vectors; /* n x n_columns */
    double *scale;   /* n_columns: the most of each cost in any row */
    double *scratch; /* n_columns */
};

int gcal_config_basis_init(struct gcal_config_basis *basis, size_t n_columns,
                           struct gcal_error *err);
void gcal_config_basis_clear(struct gcal_config_basis *basis);
/* Takes note of the rows' magnitude.  Goes before all that follows. */
void gcal_config_basis_scale(struct gcal_config_basis *basis,
                             const struct gcal_config_rows *rows);
void gcal_config_basis_add(struct gcal_config_basis *basis,
                           const struct gcal_config_rows *rows);
/* Whether more than 'least' of some row's length is outside of what is spanned. */
bool gcal_config_basis_misses(const struct gcal_config_basis *basis,
                              const struct gcal_config_rows *rows, double least);
/* -1 with 'err' naming the features of the first cost that is not told apart. */
int gcal_config_basis_check(const struct gcal_config_basis *basis,
                            const struct gcal_model *costs, struct gcal_error *err);

#endif
