/* points_case.h - random kernels as loops, conditions and accesses, counted by executing
 * all work-items
 */
#ifndef GCAL_TESTS_KERNELS_SETS_POINTS_CASE_H
#define GCAL_TESTS_KERNELS_SETS_POINTS_CASE_H

#include "tests/kernels/sets/points_tree.h"

enum { MOST_LEVELS = 6, MOST_ACCESSES = 5, N_SUB_GROUP_SIZES = 6, N_ASSUMPTIONS = 9 };

extern const int64_t sub_group_sizes[N_SUB_GROUP_SIZES];

struct level {
    bool is_loop;
    const struct tree *what; /* trips, or a condition */
};

struct access {
    bool inner; /* inside all levels; else inside the first half of them */
    int64_t width;
    const struct tree *offset;
};

struct test_case {
    size_t assumption;
    const char *sizes; /* "n = 3 and m = 4", in place of the assumption; or NULL */
    size_t n_dims;
    int64_t local[3];
    const struct tree *groups[3];
    size_t n_levels;
    struct level levels[MOST_LEVELS];
    const struct tree *branch;
    bool in_local; /* the array that is accessed */
    size_t n_accesses;
    struct access accesses[MOST_ACCESSES];
};

/* The true counts. */
struct happened {
    int64_t work_items, groups;
    int64_t sub_groups[N_SUB_GROUP_SIZES], differing[N_SUB_GROUP_SIZES];
    int64_t elements;
    int64_t first, last; /* subscripts; INT64_MAX, INT64_MIN: none */
};

void case_random(struct test_case *t, uint64_t seed);
/* Loops that step by the global size, and products of sizes and ids in conditions. */
void case_random_grid(struct test_case *t, uint64_t seed);
/* The number of loops among the first levels. */
size_t case_loops(const struct test_case *t, size_t n_levels);
void case_put(struct gcal_buf *buf, const struct test_case *t);
/* Simplification number 'which' (maybe without effect); false after the last. */
bool case_simpler(const struct test_case *t, size_t which, struct test_case *to);

/* Whether the case may be launched at those sizes. */
bool case_allows(const struct test_case *t, int64_t n, int64_t m);
/* False when there are too many points. */
bool case_walk(const struct test_case *t, int64_t n, int64_t m,
               struct happened *happened);

/* The case as a loop nest. */
struct built {
    struct gcal_poly_context *c;
    struct gcal_sets_nest nest;
    const struct gcal_sets_scope *scope, *outer;
    struct gcal_sets_branch_event branch;
    struct gcal_sets_access_event accesses[MOST_ACCESSES];
};

void case_build(const struct test_case *t, struct built *built);
void built_clear(struct built *built);

#endif
