/* points_case.c - random cases: printed, simplified, and built as loop nests */
#include "tests/kernels/sets/points_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"

const int64_t sub_group_sizes[N_SUB_GROUP_SIZES] = { 1, 2, 3, 4, 8, 32 };

static const char *const assumptions[N_ASSUMPTIONS] = {
    "",
    "n % 4 = 0",
    "n >= 3",
    "m > n",
    "n >= m",
    "n % 6 = 2 and m >= 2",
    "m % 4 = 0 and n >= 5",
    "n = 4",
    "n % 7 = 0 and m % 3 = 1 and m <= n",
};

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
    case 7:
        return n == 4;
    case 8:
        return n % 7 == 0 && m % 3 == 1 && m <= n;
    default:
        return true;
    }
}

size_t case_loops(const struct test_case *t, size_t n_levels)
{
    size_t n = 0;

    for (size_t i = 0; i < n_levels; i++)
        n += t->levels[i].is_loop;
    return n;
}

bool case_allows(const struct test_case *t, int64_t n, int64_t m)
{
    int64_t values[N_VARIABLES] = { n, m };

    for (size_t d = 0; d < t->n_dims; d++)
        if (tree_value(t->groups[d], values) < 1)
            return false; /* a launched NDRange has groups */
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

/* Removes a level, unless that renames or changes another one. */
static bool without_level(const struct test_case *t, size_t level, struct test_case *to)
{
    size_t loop = case_loops(t, level);

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

/* Simplifies levels, accesses or the assumption. */
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
        for (size_t j = 0; (one = tree_simpler(*places[i], j)); j++)
            if (which-- == 0) {
                *places[i] = one;
                return true;
            }
    return false;
}

/* ---- as a loop nest ---- */

static const struct gcal_sets_scope *
push(struct built *b, const struct gcal_sets_scope *parent, struct gcal_sets_scope scope)
{
    struct gcal_sets_scope *made = gcal_poly_alloc(b->c, sizeof(*made));

    assert_non_null(made);
    scope.parent = parent;
    *made = scope;
    return made;
}

static void build_sizes(const struct test_case *t, struct built *b,
                        const struct gcal_poly **atoms)
{
    const struct gcal_poly *one = gcal_poly_integer(b->c, 1);
    struct gcal_sets_nest *nest = &b->nest;

    atoms[AT_N] = gcal_poly_parameter(b->c, "n");
    atoms[AT_M] = gcal_poly_parameter(b->c, "m");
    nest->n_dims = t->n_dims;
    for (size_t d = 0; d < t->n_dims; d++) {
        nest->local_size[d] = t->local[d];
        nest->groups[d] = tree_poly(b->c, t->groups[d], atoms);
        gcal_poly_assume_nonnegative(b->c, gcal_poly_sub(b->c, nest->groups[d], one));
        nest->lid[d] = gcal_poly_dimension(b->c, gcal_poly_format(b->c, "lid%zu", d),
                                           gcal_poly_integer(b->c, t->local[d] - 1));
        nest->gid[d] = gcal_poly_dimension(b->c, gcal_poly_format(b->c, "gid%zu", d),
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
        struct gcal_sets_scope scope = { .kind = GCAL_SETS_SCOPE_CONDITION };

        if (i == t->n_levels / 2)
            b->outer = b->scope;
        if (t->levels[i].is_loop) {
            trips = tree_poly(b->c, t->levels[i].what, atoms);
            atoms[AT_LOOP + n_loops] =
                gcal_poly_dimension(b->c, gcal_poly_format(b->c, "i%zu", n_loops),
                                    gcal_poly_sub(b->c, trips, one));
            scope = (struct gcal_sets_scope){ .kind = GCAL_SETS_SCOPE_LOOP,
                                              .loop = gcal_poly_atom_index(
                                                  atoms[AT_LOOP + n_loops]),
                                              .trips = trips };
            n_loops++;
        } else {
            scope.condition = tree_condition(b->c, t->levels[i].what, atoms);
        }
        b->scope = push(b, b->scope, scope);
    }
}

void case_build(const struct test_case *t, struct built *b)
{
    static struct gcal_sets_array arrays[] = {
        { .name = "a", .space = GCAL_FEATURE_SPACE_GLOBAL },
        { .name = "b", .space = GCAL_FEATURE_SPACE_LOCAL }
    };
    const struct gcal_poly *atoms[N_VARIABLES] = { NULL };
    struct gcal_error err = { 0 };

    *b = (struct built){ .c = gcal_poly_context_create(NULL) };
    assert_non_null(b->c);
    if (t->sizes || t->assumption)
        assert_int_equal(
            gcal_poly_assume(b->c, t->sizes ? t->sizes : assumptions[t->assumption],
                             &err),
            0);
    b->nest.c = b->c;
    b->nest.arrays = arrays;
    b->nest.n_arrays = 2;
    build_sizes(t, b, atoms);
    build_levels(t, b, atoms);
    b->branch = (struct gcal_sets_branch_event){
        .condition = tree_condition(b->c, t->branch, atoms), .scope = b->scope
    };
    for (size_t i = 0; i < t->n_accesses; i++)
        b->accesses[i] = (struct gcal_sets_access_event){
            .array = t->in_local,
            .atomic =
                "add", /* footprints of atomics are counted in groups that differ, too */
            .width = t->accesses[i].width,
            .offset = tree_poly(b->c, t->accesses[i].offset, atoms),
            .scope = t->accesses[i].inner ? b->scope : b->outer
        };
}

void built_clear(struct built *b)
{
    b->nest.arrays = NULL; /* static */
    gcal_sets_nest_clear(&b->nest);
    gcal_poly_context_destroy(b->c);
}
