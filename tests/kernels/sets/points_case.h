/* points_case.h - random kernels as loops, conditions and accesses, counted by walking
 * through all of their work-items
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
    bool inner; /* inside of all levels; otherwise of the first half of them */
    int64_t width;
    const struct tree *offset;
};

struct test_case {
    size_t assumption;
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

/* What happens in total. */
struct happened {
    int64_t work_items, groups;
    int64_t sub_groups[N_SUB_GROUP_SIZES], differing[N_SUB_GROUP_SIZES];
    int64_t elements;
};

void case_random(struct test_case *t, uint64_t seed);
/* How many of the first levels are loops. */
size_t case_loops(const struct test_case *t, size_t n_levels);
void case_put(struct gcal_buf *buf, const struct test_case *t);
/* Its 'which'-th simplification, if it is one; false after the last. */
bool case_simpler(const struct test_case *t, size_t which, struct test_case *to);

/* Whether the case may be launched at those sizes. */
bool case_allows(const struct test_case *t, int64_t n, int64_t m);
/* False when there is too much to walk through. */
bool case_walk(const struct test_case *t, int64_t n, int64_t m,
               struct happened *happened);

/* The case for the engine. */
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
