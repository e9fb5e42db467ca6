/* system.h - linear equalities and inequalities over sizes and dimensions (private to
 * system.c and cardinality.c)
 */
#ifndef GCAL_KERNELS_SETS_SYSTEM_H
#define GCAL_KERNELS_SETS_SYSTEM_H

#include "kernels/sets/context.h"

enum {
    GCAL_SETS_SYSTEM_ROWS = 96,
    GCAL_SETS_SYSTEM_COLUMNS = 1 + GCAL_SETS_MAX_SIZES + GCAL_SETS_MAX_DEPTH
};

/* k[0] + sum of k[1 + i]*size[i] + sum of k[1 + n_sizes + j]*dim[j], >= 0 or = 0. */
struct gcal_sets_row {
    bool equal;
    int64_t k[GCAL_SETS_SYSTEM_COLUMNS];
};

struct gcal_sets_system {
    struct gcal_sets_context *context;
    isl_basic_set *facts; /* what is known of the sizes; no dimensions */
    size_t n_dims, n_rows;
    unsigned next_point;                 /* dimension that is not in use yet */
    unsigned atoms[GCAL_SETS_MAX_DEPTH]; /* of the dimensions */
    struct gcal_sets_row rows[GCAL_SETS_SYSTEM_ROWS];
    int *pieces_left; /* that may still be made of it */
};

/* A dimension's factor in a row, and where it stands. */
int64_t gcal_sets_system_coefficient(const struct gcal_sets_system *s, size_t row,
                                     size_t dim);
int64_t *gcal_sets_system_coefficient_at(const struct gcal_sets_system *s,
                                         struct gcal_sets_row *row, size_t dim);
size_t gcal_sets_system_columns(const struct gcal_sets_system *s);

/* An atom that stands for no dimension of the system yet. */
unsigned gcal_sets_system_new_dimension(struct gcal_sets_system *s);

/* False when there is no more room. */
bool gcal_sets_system_add(struct gcal_sets_system *s, const struct gcal_sets_row *row);
void gcal_sets_system_drop(struct gcal_sets_system *s, size_t dim);

/* a*x + b*y into 'out'; false when it overflows. */
bool gcal_sets_system_combine(const struct gcal_sets_system *s,
                              const struct gcal_sets_row *x, int64_t a,
                              const struct gcal_sets_row *y, int64_t b,
                              struct gcal_sets_row *out);

/* The row's value without the dimension 'but', as a polynomial. */
const struct gcal_poly *gcal_sets_system_value(const struct gcal_sets_system *s,
                                               const struct gcal_sets_row *row,
                                               size_t but);

/* Fills rows and dimensions from isl's set, whose divs become dimensions too; false when
 * there are too many.
 */
bool gcal_sets_system_read(struct gcal_sets_system *s, isl_basic_set *set);

/* Drops what follows from the rest and from the facts.  0 when there is no point at all,
 * 1 otherwise; what isl cannot answer changes nothing.
 */
int gcal_sets_system_simplify(struct gcal_sets_system *s);

#endif
