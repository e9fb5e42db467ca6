/* points_make.c - random cases: arbitrary ones, and matrices with guards and halos */
#include <string.h>

#include "tests/kernels/sets/points_case.h"

/* Work-groups have at most 64 work-items. */
static void random_shape(struct test_case *t, uint64_t *seed)
{
    static const int64_t shapes[][3] = {
        { 3, 0, 0 },  { 5, 0, 0 }, { 8, 0, 0 }, { 16, 0, 0 }, { 12, 0, 0 }, { 1, 0, 0 },
        { 4, 3, 0 },  { 8, 2, 0 }, { 2, 4, 0 }, { 3, 5, 0 },  { 4, 4, 0 },  { 1, 8, 0 },
        { 16, 4, 0 }, { 6, 4, 0 }, { 2, 3, 2 }, { 4, 2, 2 },  { 3, 1, 4 }
    };
    const int64_t *shape = shapes[tree_random(seed, 0, 16)];

    memcpy(t->local, shape, sizeof(t->local));
    while (t->n_dims < 3 && shape[t->n_dims])
        t->n_dims++;
}

static const struct tree *random_groups(uint64_t *seed, int64_t local, bool first)
{
    const struct tree *size = tree_variable(first ? AT_N : AT_M);

    switch (tree_random(seed, 0, first ? 4 : 6)) {
    case 0:
        return size;
    case 1:
        return tree_linear(1, size, tree_number(1));
    case 2:
    case 3:
        return tree_make(TREE_FLOOR, local, tree_linear(1, size, tree_number(local - 1)),
                         NULL);
    default:
        return tree_number(tree_random(seed, 1, 3));
    }
}

static const struct tree *random_trips(const struct test_case *t, uint64_t *seed,
                                       size_t n_loops)
{
    int64_t outer[N_VARIABLES] = { AT_N, AT_M }, size = tree_random(seed, 0, 1), k;
    size_t n = 2;
    const struct tree *end = tree_variable(size), *one = tree_number(1), *of;

    for (size_t d = 0; d < t->n_dims && tree_random(seed, 0, 3) == 0; d++) {
        outer[n++] = AT_LID + (int64_t)d;
        outer[n++] = AT_GID + (int64_t)d;
    }
    for (size_t i = 0; i < n_loops; i++)
        outer[n++] = AT_LOOP + (int64_t)i;
    of = tree_variable(
        outer[n_loops ? n - 1 : (size_t)tree_random(seed, 0, (int64_t)n - 1)]);
    k = tree_random(seed, 2, 4);
    switch (tree_random(seed, 0, 9)) {
    case 0:
        return tree_number(tree_random(seed, 1, 5));
    case 1:
        return end;
    case 2:
        return tree_linear(-1, of, end);
    case 3:
        return tree_linear(1, of, one);
    case 4:
        return tree_make(TREE_MIN, 0, end, tree_linear(1, of, tree_number(k)));
    case 5:
        return tree_make(TREE_MAX, 0, tree_linear(-1, of, end), one);
    case 6: /* i = of; i < end; i += k */
        return tree_make(TREE_FLOOR, k,
                         tree_linear(-1, of, tree_linear(1, end, tree_number(k - 1))),
                         NULL);
    case 7:
        return tree_linear(-1, of, tree_linear(1, end, tree_number(-k)));
    case 8: /* affine only where 'of' is a constant */
        return tree_make(TREE_MULTIPLY, 0, end, of);
    default:
        return tree_random_affine(seed, n, outer);
    }
}

static const struct tree *random_stride(uint64_t *seed)
{
    const struct tree *n = tree_variable(AT_N);

    switch (tree_random(seed, 0, 9)) {
    case 0:
        return tree_number(2);
    case 1:
        return tree_number(tree_random(seed, -3, 16));
    case 2:
        return n;
    case 3:
        return tree_linear(1, n, tree_number(2));
    case 4:
        return tree_make(TREE_MULTIPLY, 0, n, tree_variable(AT_M));
    case 5:
        return tree_linear(8, n, tree_number(0));
    case 6:
        return tree_variable(AT_M);
    default:
        return tree_number(1);
    }
}

static const struct tree *random_offset(const struct test_case *t, uint64_t *seed,
                                        size_t n_loops)
{
    const struct tree *sum = tree_number(tree_random(seed, 0, 3)), *of;

    for (int64_t left = tree_random(seed, 1, 3); left > 0; left--) {
        int64_t d = tree_random(seed, 0, (int64_t)t->n_dims - 1);

        switch (tree_random(seed, n_loops ? 0 : 2, 4)) {
        case 0:
        case 1:
            of = tree_variable(AT_LOOP + tree_random(seed, 0, (int64_t)n_loops - 1));
            break;
        case 2:
            of = tree_variable(AT_LID + d);
            break;
        case 3:
            of = tree_variable(AT_GID + d);
            break;
        default:
            of = tree_linear(t->local[d], tree_variable(AT_GID + d),
                             tree_variable(AT_LID + d));
            break;
        }
        sum = tree_make(TREE_ADD, 0, tree_make(TREE_MULTIPLY, 0, random_stride(seed), of),
                        sum);
    }
    return sum;
}

static const struct tree *times(const struct tree *a, const struct tree *b)
{
    return tree_make(TREE_MULTIPLY, 0, a, b);
}

/* The element of a matrix that a work-item is at, or one of its row or column. */
static const struct tree *random_element(const struct test_case *t, uint64_t *seed,
                                         const struct tree *row, size_t n_loops)
{
    const struct tree *x, *y, *sum;

    x = tree_linear(t->local[0], tree_variable(AT_GID), tree_variable(AT_LID));
    y = t->n_dims > 1 ? tree_linear(t->local[1], tree_variable(AT_GID + 1),
                                    tree_variable(AT_LID + 1))
                      : tree_number(tree_random(seed, 0, 2));
    if (n_loops && tree_random(seed, 0, 1)) {
        sum = tree_variable(AT_LOOP);
        y = tree_random(seed, 0, 1) ? x : y;
        x = tree_random(seed, 0, 3) ? sum : x;
        y = x == sum ? y : sum;
    }
    sum = tree_make(TREE_ADD, 0, times(row, y), x);
    if (n_loops > 1 && tree_random(seed, 0, 1))
        sum = tree_make(
            TREE_ADD, 0,
            times(times(row, tree_variable(AT_M)), tree_variable(AT_LOOP + 1)), sum);
    return sum;
}

/* The guard: only lanes in the matrix reach the rest. */
static void guard(struct test_case *t, uint64_t *seed)
{
    const struct tree *inside = NULL, *one;

    for (size_t d = 0; d < t->n_dims && d < 2; d++) {
        const struct tree *size = tree_variable(d ? AT_M : AT_N);

        t->groups[d] =
            tree_make(TREE_FLOOR, t->local[d],
                      tree_linear(1, size, tree_number(t->local[d] - 1)), NULL);
        one = tree_linear(-1, tree_variable(AT_LID + (int64_t)d),
                          tree_linear(1, size, tree_number(-1)));
        one = tree_linear(-t->local[d], tree_variable(AT_GID + (int64_t)d), one);
        one = tree_make(TREE_NONNEGATIVE, 0, one, NULL);
        inside = inside ? tree_make(TREE_AND, 0, inside, one) : one;
    }
    t->levels[0] = (struct level){ .what = inside };
    t->n_levels = (size_t)tree_random(seed, 1, 3);
    for (size_t i = 1; i < t->n_levels; i++)
        t->levels[i] = (struct level){ true, tree_random(seed, 0, 1)
                                                 ? tree_variable(AT_N)
                                                 : tree_number(tree_random(seed, 1, 4)) };
}

static void random_matrix(struct test_case *t, uint64_t *seed)
{
    static const int64_t factors[] = { 1, 1, 1, 8 }, added[] = { 0, 2, 2, 4 };
    const struct tree *offset, *row;
    int64_t form = tree_random(seed, 0, 3), halo = form > 0;

    guard(t, seed);
    t->branch = tree_random_condition(seed, 1, t->n_dims, t->local, t->n_levels - 1);
    t->in_local = false;
    t->n_accesses = (size_t)tree_random(seed, 1, 5);
    row = tree_linear(factors[form], tree_variable(AT_N), tree_number(added[form]));
    offset = random_element(t, seed, row, t->n_levels - 1);
    for (size_t i = 0; i < t->n_accesses; i++) {
        int64_t x = tree_random(seed, -halo, halo), y = tree_random(seed, -1, 1);

        t->accesses[i] = (struct access){
            true, 1,
            i ? tree_linear(1, offset, tree_linear(y, row, tree_number(x))) : offset
        };
    }
}

static void random_accesses(struct test_case *t, uint64_t *seed)
{
    const struct tree *offset;
    size_t depth;

    t->in_local = tree_random(seed, 0, 2) == 0;
    t->n_accesses = (size_t)(tree_random(seed, 0, 1) ? 1 : tree_random(seed, 1, 5));
    for (size_t i = 0; i < t->n_accesses; i++) {
        t->accesses[i].inner = tree_random(seed, 0, 3) > 0;
        t->accesses[i].width =
            tree_random(seed, 0, 3) ? t->accesses[0].width : tree_random(seed, 1, 4);
        if (!t->accesses[i].width)
            t->accesses[i].width = 1;
    }
    depth = t->n_levels;
    for (size_t i = 0; i < t->n_accesses; i++)
        if (!t->accesses[i].inner)
            depth = t->n_levels / 2;
    offset = random_offset(t, seed, case_loops(t, depth));
    for (size_t i = 0; i < t->n_accesses; i++) {
        if (i && tree_random(seed, 0, 9) == 0)
            offset = random_offset(t, seed, case_loops(t, depth));
        t->accesses[i].offset =
            i ? tree_linear(1, offset, tree_number(tree_random(seed, -4, 8))) : offset;
        if (i && tree_random(seed, 0, 3) == 0)
            t->accesses[i].offset =
                tree_linear(tree_random(seed, -1, 2), random_stride(seed), offset);
    }
}

void case_random(struct test_case *t, uint64_t seed)
{
    size_t n_loops = 0, most_loops;

    *t = (struct test_case){ .n_dims = 0 };
    if (tree_random(&seed, 0, 1))
        t->assumption = (size_t)tree_random(&seed, 0, N_ASSUMPTIONS - 1);
    random_shape(t, &seed);
    for (size_t d = 0; d < t->n_dims; d++)
        t->groups[d] = random_groups(&seed, t->local[d], d == 0);
    most_loops = (size_t)tree_random(&seed, 0, t->n_dims > 1 ? 2 : 3);
    t->n_levels =
        (size_t)tree_random(&seed, (int64_t)most_loops, (int64_t)most_loops + 2);
    for (size_t i = 0; i < t->n_levels; i++) {
        size_t left = t->n_levels - i;
        bool loop = n_loops < most_loops &&
                    (most_loops - n_loops >= left || tree_random(&seed, 0, 1));

        t->levels[i].is_loop = loop;
        t->levels[i].what =
            loop ? random_trips(t, &seed, n_loops)
                 : tree_random_condition(&seed, (int)tree_random(&seed, 1, 3), t->n_dims,
                                         t->local, n_loops);
        n_loops += loop;
    }
    t->branch = tree_random_condition(&seed, (int)tree_random(&seed, 1, 2), t->n_dims,
                                      t->local, n_loops);
    if (tree_random(&seed, 0, 2) == 0)
        random_matrix(t, &seed);
    else
        random_accesses(t, &seed);
}
