/* points_case.c - random cases: made, written, made simpler, built for the engine */
#include "points_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calib/base/error.h"
#include "calib/base/random.h"

const int64_t sub_group_sizes[N_SUB_GROUP_SIZES] = { 1, 2, 3, 4, 8, 32 };

static const char *const assumptions[] = { "",
                                           "n % 4 = 0",
                                           "n >= 3",
                                           "m > n",
                                           "n >= m",
                                           "n % 6 = 2 and m >= 2",
                                           "m % 4 = 0 and n >= 5" };

static bool holds(size_t assumption, int64_t n, int64_t m)
{
    switch (assumption) {
    case 1:
        return n % 4 == 0;
    case 2:
        return n >= 3;
    case 3:
        return m > n;
    case 4:
        return n >= m;
    case 5:
        return n % 6 == 2 && m >= 2;
    case 6:
        return m % 4 == 0 && n >= 5;
    default:
        return true;
    }
}

/* ---- at random ---- */

/* One more shape: how many lanes a group has stays under 64. */
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
    switch (tree_random(seed, 0, 8)) {
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
    default:
        return tree_random_affine(seed, n, outer);
    }
}

void case_random(struct test_case *t, uint64_t seed)
{
    size_t n_loops = 0, most_loops;

    *t = (struct test_case){ .n_dims = 0 };
    if (tree_random(&seed, 0, 1))
        t->assumption = (size_t)tree_random(&seed, 0, 6);
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
    case_random_accesses(t, &seed);
}

static size_t count_loops(const struct test_case *t, size_t n_levels)
{
    size_t n = 0;

    for (size_t i = 0; i < n_levels; i++)
        n += t->levels[i].is_loop;
    return n;
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

void case_random_accesses(struct test_case *t, uint64_t *seed)
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
    offset = random_offset(t, seed, count_loops(t, depth));
    for (size_t i = 0; i < t->n_accesses; i++) {
        if (i && tree_random(seed, 0, 9) == 0)
            offset = random_offset(t, seed, count_loops(t, depth));
        t->accesses[i].offset =
            i ? tree_linear(1, offset, tree_number(tree_random(seed, -4, 8))) : offset;
        if (i && tree_random(seed, 0, 3) == 0)
            t->accesses[i].offset =
                tree_linear(tree_random(seed, -1, 2), random_stride(seed), offset);
    }
}

bool case_allows(const struct test_case *t, int64_t n, int64_t m)
{
    int64_t values[N_VARIABLES] = { n, m };

    for (size_t d = 0; d < t->n_dims; d++)
        if (tree_value(t->groups[d], values) < 1)
            return false; /* nothing is launched without groups */
    return holds(t->assumption, n, m);
}

/* ---- as text ---- */

void case_put(struct gcal_buf *buf, const struct test_case *t)
{
    size_t loop = 0;

    gcal_buf_printf(buf, "assume \"%s\"\n", assumptions[t->assumption]);
    for (size_t d = 0; d < t->n_dims; d++) {
        gcal_buf_printf(buf, "local %lld, groups ", (long long)t->local[d]);
        tree_put(buf, t->groups[d]);
        gcal_buf_puts(buf, "\n");
    }
    for (size_t i = 0; i < t->n_levels; i++) {
        if (t->levels[i].is_loop)
            gcal_buf_printf(buf, "for i%zu < ", loop++);
        else
            gcal_buf_puts(buf, "if ");
        tree_put(buf, t->levels[i].what);
        gcal_buf_puts(buf, "\n");
    }
    gcal_buf_puts(buf, "branch ");
    tree_put(buf, t->branch);
    for (size_t i = 0; i < t->n_accesses; i++) {
        gcal_buf_printf(buf, "\n%s %s width %lld at ", t->in_local ? "local" : "global",
                        t->accesses[i].inner ? "inner" : "outer",
                        (long long)t->accesses[i].width);
        tree_put(buf, t->accesses[i].offset);
    }
    gcal_buf_puts(buf, "\n");
}

/* ---- simpler ---- */

static bool names_loop(const struct test_case *t, int64_t loop)
{
    for (size_t i = 0; i < t->n_levels; i++)
        if (tree_has(t->levels[i].what, loop))
            return true;
    for (size_t i = 0; i < t->n_accesses; i++)
        if (tree_has(t->accesses[i].offset, loop))
            return true;
    return tree_has(t->branch, loop);
}

/* Without a level, when none that is left changes its name or its meaning. */
static bool without_level(const struct test_case *t, size_t level, struct test_case *to)
{
    size_t loop = count_loops(t, level);

    *to = *t;
    for (size_t i = loop; i < 3 && t->levels[level].is_loop; i++)
        if (names_loop(t, AT_LOOP + (int64_t)i))
            return false;
    for (size_t i = level; i + 1 < t->n_levels; i++)
        to->levels[i] = t->levels[i + 1];
    to->n_levels--;
    for (size_t i = 0; i < t->n_accesses; i++)
        if (!t->accesses[i].inner)
            return false;
    return true;
}

static void drop_access(struct test_case *to, size_t access)
{
    for (size_t i = access; i + 1 < to->n_accesses; i++)
        to->accesses[i] = to->accesses[i + 1];
    to->n_accesses--;
}

/* What is no tree: levels, accesses and the assumption. */
static bool smaller(const struct test_case *t, size_t which, struct test_case *to)
{
    *to = *t;
    if (which < t->n_levels) {
        if (!without_level(t, which, to))
            *to = *t;
    } else if ((which -= t->n_levels) < t->n_accesses) {
        if (t->n_accesses > 1)
            drop_access(to, which);
    } else if ((which -= t->n_accesses) < t->n_accesses) {
        to->accesses[which].width = 1;
    } else if ((which -= t->n_accesses) < t->n_accesses) {
        to->accesses[which].inner = true;
    } else {
        to->assumption = 0;
        return which == t->n_accesses;
    }
    return true;
}

bool case_simpler(const struct test_case *t, size_t which, struct test_case *to)
{
    size_t n = t->n_levels + 3 * t->n_accesses + 1;
    const struct tree **places[3 + MOST_LEVELS + 1 + MOST_ACCESSES], *one;
    size_t n_places = 0;

    if (which < n)
        return smaller(t, which, to);
    which -= n;
    *to = *t;
    for (size_t i = 0; i < t->n_dims; i++)
        places[n_places++] = &to->groups[i];
    for (size_t i = 0; i < t->n_levels; i++)
        places[n_places++] = &to->levels[i].what;
    places[n_places++] = &to->branch;
    for (size_t i = 0; i < t->n_accesses; i++)
        places[n_places++] = &to->accesses[i].offset;
    for (size_t i = 0; i < n_places; i++)
        for (size_t way = 0; (one = tree_simpler(*places[i], way)); way++)
            if (which-- == 0) {
                *places[i] = one;
                return true;
            }
    return false;
}

/* ---- for the engine ---- */

static const struct gcal_domain *push(struct built *b, const struct gcal_domain *parent,
                                      struct gcal_domain domain)
{
    struct gcal_domain *made = gcal_polys_alloc(b->c, sizeof(*made));

    assert_non_null(made);
    domain.parent = parent;
    *made = domain;
    return made;
}

static void build_sizes(const struct test_case *t, struct built *b,
                        const struct gcal_poly **atoms)
{
    const struct gcal_poly *one = gcal_poly_integer(b->c, 1);
    struct gcal_nest *nest = &b->nest;

    atoms[AT_N] = gcal_poly_parameter(b->c, "n");
    atoms[AT_M] = gcal_poly_parameter(b->c, "m");
    nest->n_dims = t->n_dims;
    for (size_t d = 0; d < t->n_dims; d++) {
        nest->local_size[d] = t->local[d];
        nest->groups[d] = tree_poly(b->c, t->groups[d], atoms);
        gcal_polys_assume_nonnegative(b->c, gcal_poly_sub(b->c, nest->groups[d], one));
        nest->lid[d] = gcal_poly_dimension(b->c, gcal_polys_format(b->c, "lid%zu", d),
                                           gcal_poly_integer(b->c, t->local[d] - 1));
        nest->gid[d] = gcal_poly_dimension(b->c, gcal_polys_format(b->c, "gid%zu", d),
                                           gcal_poly_sub(b->c, nest->groups[d], one));
        atoms[AT_LID + d] = nest->lid[d];
        atoms[AT_GID + d] = nest->gid[d];
    }
}

static void build_levels(const struct test_case *t, struct built *b,
                         const struct gcal_poly **atoms)
{
    const struct gcal_poly *one = gcal_poly_integer(b->c, 1), *trips;
    size_t n_loops = 0;

    for (size_t i = 0; i < t->n_levels; i++) {
        struct gcal_domain domain = { .kind = GCAL_DOMAIN_CONDITION };

        if (i == t->n_levels / 2)
            b->outer = b->domain;
        if (t->levels[i].is_loop) {
            trips = tree_poly(b->c, t->levels[i].what, atoms);
            atoms[AT_LOOP + n_loops] =
                gcal_poly_dimension(b->c, gcal_polys_format(b->c, "i%zu", n_loops),
                                    gcal_poly_sub(b->c, trips, one));
            domain =
                (struct gcal_domain){ .kind = GCAL_DOMAIN_LOOP,
                                      .loop = gcal_poly_atom(atoms[AT_LOOP + n_loops]),
                                      .trips = trips };
            n_loops++;
        } else {
            domain.condition = tree_condition(b->c, t->levels[i].what, atoms);
        }
        b->domain = push(b, b->domain, domain);
    }
}

void case_build(const struct test_case *t, struct built *b)
{
    static struct gcal_array arrays[] = { { "a", GCAL_SPACE_GLOBAL },
                                          { "b", GCAL_SPACE_LOCAL } };
    const struct gcal_poly *atoms[N_VARIABLES] = { NULL };
    struct gcal_error err = { 0 };

    *b = (struct built){ .c = gcal_polys_create(NULL) };
    assert_non_null(b->c);
    if (t->assumption)
        assert_int_equal(gcal_polys_assume(b->c, assumptions[t->assumption], &err), 0);
    b->nest.c = b->c;
    b->nest.arrays = arrays;
    b->nest.n_arrays = 2;
    build_sizes(t, b, atoms);
    build_levels(t, b, atoms);
    b->branch =
        (struct gcal_branch_event){ .condition = tree_condition(b->c, t->branch, atoms),
                                    .domain = b->domain };
    for (size_t i = 0; i < t->n_accesses; i++)
        b->accesses[i] = (struct gcal_access_event){
            .array = t->in_local,
            .width = t->accesses[i].width,
            .offset = tree_poly(b->c, t->accesses[i].offset, atoms),
            .domain = t->accesses[i].inner ? b->domain : b->outer
        };
}

void built_clear(struct built *b)
{
    b->nest.arrays = NULL; /* ours */
    gcal_nest_clear(&b->nest);
    gcal_polys_destroy(b->c);
}
