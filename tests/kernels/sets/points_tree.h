/* points_tree.h - arithmetic and conditions of random kernels: as the engine's own
 * polynomials and conditions, and by plain evaluation, which knows nothing of those
 */
#ifndef GCAL_TESTS_KERNELS_SETS_POINTS_TREE_H
#define GCAL_TESTS_KERNELS_SETS_POINTS_TREE_H

#include "calib/base/buf.h"
#include "kernels/sets/sets.h"

/* Sizes, work-item ids and loops, by which trees name them. */
enum { AT_N, AT_M, AT_LID, AT_GID = AT_LID + 3, AT_LOOP = AT_GID + 3, N_VARIABLES = 11 };

enum tree_kind {
    TREE_NUMBER,
    TREE_VARIABLE, /* 'number' says which */
    TREE_ADD,
    TREE_MULTIPLY,
    TREE_FLOOR, /* of a / number */
    TREE_MIN,
    TREE_MAX,
    TREE_NONNEGATIVE, /* from here on: conditions */
    TREE_AND,
    TREE_OR,
    TREE_NOT,
    TREE_EARLIER, /* 'number' says which variable */
};

struct tree {
    enum tree_kind kind;
    int64_t number;
    const struct tree *a, *b;
};

/* Forgets all trees. */
void trees_clear(void);
const struct tree *tree_make(enum tree_kind kind, int64_t number, const struct tree *a,
                             const struct tree *b);
const struct tree *tree_number(int64_t number);
const struct tree *tree_variable(int64_t which);
/* k*a + b */
const struct tree *tree_linear(int64_t k, const struct tree *a, const struct tree *b);

int64_t tree_random(uint64_t *seed, int64_t from, int64_t to);
/* A sum of few of the 'n' variables in 'from'. */
const struct tree *tree_random_affine(uint64_t *seed, size_t n, const int64_t *from);
/* The first 'n_loops' loops may stand in it, and so may n_dims ids. */
const struct tree *tree_random_condition(uint64_t *seed, int depth, size_t n_dims,
                                         const int64_t *local, size_t n_loops);

/* Arithmetic gives its value, conditions 0 or 1. */
int64_t tree_value(const struct tree *tree, const int64_t *values);
bool tree_has(const struct tree *tree, int64_t variable);
/* 'atoms': one polynomial for each variable. */
const struct gcal_poly *tree_poly(struct gcal_poly_context *c, const struct tree *tree,
                                  const struct gcal_poly *const *atoms);
const struct gcal_sets_condition *tree_condition(struct gcal_poly_context *c,
                                                 const struct tree *tree,
                                                 const struct gcal_poly *const *atoms);
void tree_put(struct gcal_buf *buf, const struct tree *tree);

/* The 'which'-th way to make the tree simpler, if it is one; NULL after the last. */
const struct tree *tree_simpler(const struct tree *tree, size_t which);

#endif
