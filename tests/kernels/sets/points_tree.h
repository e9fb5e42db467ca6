/* points_tree.h - arithmetic and conditions of random kernels as expression trees, to be
 * converted to polynomials and conditions, and evaluated independently of these
 */
#ifndef GCAL_TESTS_KERNELS_SETS_POINTS_TREE_H
#define GCAL_TESTS_KERNELS_SETS_POINTS_TREE_H

#include "kernels/base/buf.h"
#include "kernels/sets/sets.h"

/* The variables of trees: sizes, work-item ids and loops. */
enum { AT_N, AT_M, AT_LID, AT_GID = AT_LID + 3, AT_LOOP = AT_GID + 3, N_VARIABLES = 11 };

enum tree_kind {
    TREE_NUMBER,
    TREE_VARIABLE, /* 'number': its index */
    TREE_ADD,
    TREE_MULTIPLY,
    TREE_FLOOR, /* of a / number */
    TREE_MIN,
    TREE_MAX,
    TREE_QUOTIENT,    /* floor(a/b), b >= 1 */
    TREE_NONNEGATIVE, /* from here on: conditions */
    TREE_AND,
    TREE_OR,
    TREE_NOT,
    TREE_EARLIER, /* 'number': the variable's index */
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
/* It may contain the first 'n_loops' loops and 'n_dims' ids. */
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

/* Simplification number 'which' (maybe without effect); NULL after the last. */
const struct tree *tree_simpler(const struct tree *tree, size_t which);

#endif
