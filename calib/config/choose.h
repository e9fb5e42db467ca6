/* config_choose.h - which costs a set of kernels tells apart; internal to calib/ */
#ifndef GCAL_CALIB_CONFIG_CHOOSE_H
#define GCAL_CALIB_CONFIG_CHOOSE_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;
struct gcal_kernel;
struct gcal_model;

/* What the kernel counts at its sizes, on a nominal device. */
int gcal_features_count(const struct gcal_kernel *kernel, size_t n,
                        const char *const *features, double *counts,
                        struct gcal_error *err);

/* How much of each cost, which are a linear model's parameters, kernels have. */
struct gcal_rows {
    const struct gcal_model *costs;
    size_t n, capacity;
    double *values; /* n x costs->n_parameters, row per kernel */
};

int gcal_rows_add(struct gcal_rows *rows, const struct gcal_kernel *kernel,
                  struct gcal_error *err);
void gcal_rows_clear(struct gcal_rows *rows);

/* Less of a row's length than this outside of what is spanned tells nothing. */
#define GCAL_BASIS_LEAST 0.05

/* The directions that rows span, orthonormal. */
struct gcal_basis {
    size_t n_columns, n;
    double *vectors; /* n x n_columns */
    double *scale;   /* n_columns: the most of each cost in any row */
    double *scratch; /* n_columns */
};

int gcal_basis_init(struct gcal_basis *basis, size_t n_columns, struct gcal_error *err);
void gcal_basis_clear(struct gcal_basis *basis);
/* Takes note of the rows' magnitude.  Goes before all that follows. */
void gcal_basis_scale(struct gcal_basis *basis, const struct gcal_rows *rows);
void gcal_basis_add(struct gcal_basis *basis, const struct gcal_rows *rows);
/* Whether more than 'least' of some row's length is outside of what is spanned. */
bool gcal_basis_misses(const struct gcal_basis *basis, const struct gcal_rows *rows,
                       double least);
/* -1 with 'err' naming the features of the first cost that is not told apart. */
int gcal_basis_check(const struct gcal_basis *basis, const struct gcal_model *costs,
                     struct gcal_error *err);

#endif
