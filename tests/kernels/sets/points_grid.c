/* points_grid.c - random cases with products of sizes and ids: loops that step by the global
 * size, chunks of a size, indices that several dimensions make up
 */
#include <string.h>

#include "tests/kernels/sets/points_case.h"

static const struct tree *times(const struct tree *a, const struct tree *b)
{
    return tree_make(TREE_MULTIPLY, 0, a, b);
}

static const struct tree *plus(const struct tree *a, const struct tree *b)
{
    return tree_make(TREE_ADD, 0, a, b);
}

static const struct tree *less(const struct tree *a, const struct tree *b)
{
    return tree_make(TREE_NONNEGATIVE, 0, tree_linear(-1, a, plus(b, tree_number(-1))),
                     NULL);
}

static const struct tree *any_of(uint64_t *seed, const struct tree *a,
                                 const struct tree *b)
{
    return tree_random(seed, 0, 1) ? a : b;
}

/* How many elements there are. */
static const struct tree *random_bound(uint64_t *seed)
{
    return tree_linear(tree_random(seed, 1, 12), tree_variable(tree_random(seed, 0, 1)),
                       tree_number(tree_random(seed, -2, 9)));
}

/* An index, and by how much a loop moves it on. */
struct index {
    const struct tree *start, *step;
};

/* Of dimension d, or of all of them; in work-items or in groups. */
static struct index random_index(const struct test_case *t, uint64_t *seed, size_t d)
{
    int64_t local = t->local[d], each = tree_random(seed, 0, 3) ? 1 : 2;
    const struct tree *id, *size = times(tree_number(local), t->groups[d]);

    id = tree_linear(local, tree_variable(AT_GID + (int64_t)d),
                     tree_variable(AT_LID + (int64_t)d));
    switch (tree_random(seed, 0, 5)) {
    case 0: /* groups */
        return (struct index){ tree_variable(AT_GID + (int64_t)d), t->groups[d] };
    case 1: /* 'each' elements of a work-item, a group's size apart */
        return (struct index){ tree_linear(each * local,
                                           tree_variable(AT_GID + (int64_t)d),
                                           tree_variable(AT_LID + (int64_t)d)),
                               times(tree_number(each), size) };
    case 2: /* the same, the global size apart */
        return (struct index){ id, times(tree_number(each), size) };
    case 3: /* a plane's work-items in one line */
        if (t->n_dims < 2 || d)
            break;
        return (struct index){
            plus(times(size, tree_linear(t->local[1], tree_variable(AT_GID + 1),
                                         tree_variable(AT_LID + 1))),
                 id),
            times(size, times(tree_number(t->local[1]), t->groups[1]))
        };
    default:
        break;
    }
    return (struct index){ id, size };
}

/* i = start; i < bound; i += step */
static const struct tree *strided_trips(const struct index *index,
                                        const struct tree *bound)
{
    const struct tree *length = tree_linear(-1, index->start, bound);

    return tree_make(TREE_QUOTIENT, 0, plus(length, plus(index->step, tree_number(-1))),
                     index->step);
}

static const struct tree *index_in_loop(const struct index *index, size_t loop)
{
    return plus(times(index->step, tree_variable(AT_LOOP + (int64_t)loop)), index->start);
}

static void add_level(struct test_case *t, bool is_loop, const struct tree *what)
{
    t->levels[t->n_levels++] = (struct level){ is_loop, what };
}

/* A condition in a loop over 'index'. */
static const struct tree *random_guard(const struct test_case *t, uint64_t *seed,
                                       const struct index *index,
                                       const struct tree *value, size_t n_loops)
{
    const struct tree *half;

    switch (tree_random(seed, 0, 5)) {
    case 0:
        return less(plus(value, tree_number(tree_random(seed, 0, 3))),
                    random_bound(seed));
    case 1:
        return less(plus(value, index->step), random_bound(seed));
    case 2:
        return tree_make(TREE_NOT, 0, less(value, random_bound(seed)), NULL);
    case 3: /* even ones */
        half = tree_make(TREE_FLOOR, 2, value, NULL);
        return less(tree_linear(-2, half, value), tree_number(1));
    case 4:
        return less(tree_variable(AT_LID), tree_number(tree_random(seed, 1, 4)));
    default:
        return tree_random_condition(seed, 1, t->n_dims, t->local, n_loops);
    }
}

static void random_accesses(struct test_case *t, uint64_t *seed, const struct tree *value)
{
    t->n_accesses = (size_t)tree_random(seed, 1, 3);
    t->in_local = tree_random(seed, 0, 7) == 0;
    for (size_t i = 0; i < t->n_accesses; i++)
        t->accesses[i] =
            (struct access){ true, tree_random(seed, 0, 5) ? 1 : 2,
                             tree_linear(tree_random(seed, 1, 2), value,
                                         tree_number(tree_random(seed, 0, 3))) };
}

/* One or two loops by the global size, with a guard in them. */
static void random_strides(struct test_case *t, uint64_t *seed)
{
    size_t n_loops = (size_t)tree_random(seed, 1, t->n_dims > 1 ? 2 : 1);
    struct index index = { NULL, NULL };
    const struct tree *value = NULL, *sum = tree_number(0);

    for (size_t d = 0; d < n_loops; d++) {
        index = random_index(t, seed, d);
        add_level(t, true, strided_trips(&index, random_bound(seed)));
        value = index_in_loop(&index, d);
        sum = plus(sum, d ? times(tree_variable(AT_N), value) : value);
    }
    if (n_loops == 1 && tree_random(seed, 0, 3) == 0)
        add_level(t, true, any_of(seed, plus(value, tree_number(1)), tree_number(2)));
    if (tree_random(seed, 0, 1))
        add_level(t, false, random_guard(t, seed, &index, value, n_loops));
    t->branch = random_guard(t, seed, &index, value, n_loops);
    random_accesses(t, seed, sum);
}

/* Work-items have chunks of a size: from id*size to the less of (id+1)*size and a bound. */
static void random_chunks(struct test_case *t, uint64_t *seed)
{
    const struct tree *size, *first, *value;
    struct index index;

    size = tree_linear(1, tree_variable(AT_M), tree_number(tree_random(seed, 0, 3) > 0));
    first = times(size,
                  tree_linear(t->local[0], tree_variable(AT_GID), tree_variable(AT_LID)));
    add_level(t, true,
              tree_make(TREE_MIN, 0, size, tree_linear(-1, first, random_bound(seed))));
    value = plus(first, tree_variable(AT_LOOP));
    index = (struct index){ value, size };
    t->branch = random_guard(t, seed, &index, value, 1);
    random_accesses(t, seed, value);
}

/* A few elements of each work-item, the global size apart, with a guard. */
static void random_few(struct test_case *t, uint64_t *seed)
{
    struct index index = random_index(t, seed, 0);
    const struct tree *value = index_in_loop(&index, 0);

    add_level(t, true, tree_number(tree_random(seed, 1, 4)));
    add_level(t, false, less(value, random_bound(seed)));
    t->branch = random_guard(t, seed, &index, value, 1);
    random_accesses(t, seed, value);
}

void case_random_grid(struct test_case *t, uint64_t seed)
{
    static const int64_t shapes[][3] = { { 3, 0, 0 }, { 8, 0, 0 }, { 16, 0, 0 },
                                         { 4, 2, 0 }, { 8, 2, 0 }, { 4, 3, 0 } };

    *t = (struct test_case){ .n_dims = 0 };
    memcpy(t->local, shapes[tree_random(&seed, 0, 5)], sizeof(t->local));
    while (t->n_dims < 3 && t->local[t->n_dims])
        t->n_dims++;
    for (size_t d = 0; d < t->n_dims; d++)
        t->groups[d] =
            any_of(&seed, tree_variable(d ? AT_N : AT_M),
                   tree_linear(1, tree_variable(d ? AT_M : AT_N), tree_number(1)));
    switch (tree_random(&seed, 0, 4)) {
    case 0:
        random_chunks(t, &seed);
        break;
    case 1:
        random_few(t, &seed);
        break;
    default:
        random_strides(t, &seed);
        break;
    }
}
