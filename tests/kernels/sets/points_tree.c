/* points_tree.c - expression trees: random, evaluated, printed, simplified */
#include "tests/kernels/sets/points_tree.h"

#include <stdlib.h>

#include "kernels/base/random.h"

enum { MOST_TREES = 1 << 20 };

static struct tree trees[MOST_TREES];
static size_t n_trees;

void trees_clear(void)
{
    n_trees = 0;
}

const struct tree *tree_make(enum tree_kind kind, int64_t number, const struct tree *a,
                             const struct tree *b)
{
    if (n_trees == MOST_TREES)
        abort();
    trees[n_trees] = (struct tree){ kind, number, a, b };
    return &trees[n_trees++];
}

const struct tree *tree_number(int64_t number)
{
    return tree_make(TREE_NUMBER, number, NULL, NULL);
}

const struct tree *tree_variable(int64_t which)
{
    return tree_make(TREE_VARIABLE, which, NULL, NULL);
}

static const struct tree *add(const struct tree *a, const struct tree *b)
{
    return tree_make(TREE_ADD, 0, a, b);
}

static const struct tree *times(int64_t k, const struct tree *a)
{
    return k == 1 ? a : tree_make(TREE_MULTIPLY, 0, tree_number(k), a);
}

const struct tree *tree_linear(int64_t k, const struct tree *a, const struct tree *b)
{
    return add(times(k, a), b);
}

/* ---- at random ---- */

int64_t tree_random(uint64_t *seed, int64_t from, int64_t to)
{
    return from + (int64_t)(gcal_random_next(seed) % (uint64_t)(to - from + 1));
}

const struct tree *tree_random_affine(uint64_t *seed, size_t n, const int64_t *from)
{
    static const int64_t factors[] = { 1, 1, 1, -1, -1, 2, -2, 3, -3, 4, 8 };
    const struct tree *sum = tree_number(tree_random(seed, -5, 9));

    for (int64_t left = tree_random(seed, 1, 3); left > 0; left--)
        sum = tree_linear(factors[tree_random(seed, 0, 10)],
                          tree_variable(from[tree_random(seed, 0, (int64_t)n - 1)]), sum);
    if (tree_random(seed, 0, 15) == 0)
        sum = add(tree_make(TREE_MULTIPLY, 0, tree_variable(AT_N), tree_variable(AT_M)),
                  sum);
    return sum;
}

/* The variables there are, ids also as global ones. */
struct choice {
    size_t n, n_dims;
    int64_t all[N_VARIABLES];
    const int64_t *local;
};

static struct choice choose(size_t n_dims, const int64_t *local, size_t n_loops)
{
    struct choice choice = { 2, n_dims, { AT_N, AT_M }, local };

    for (size_t d = 0; d < n_dims; d++) {
        choice.all[choice.n++] = AT_LID + (int64_t)d;
        choice.all[choice.n++] = AT_GID + (int64_t)d;
    }
    for (size_t i = 0; i < n_loops; i++)
        choice.all[choice.n++] = AT_LOOP + (int64_t)i;
    return choice;
}

static const struct tree *random_id(uint64_t *seed, const struct choice *choice)
{
    int64_t d = tree_random(seed, 0, (int64_t)choice->n_dims - 1);

    return tree_linear(choice->local[d], tree_variable(AT_GID + d),
                       tree_variable(AT_LID + d));
}

/* Bounds as kernels have them: an id or a loop beside a size, a loop or a number. */
static const struct tree *random_sum(uint64_t *seed, const struct choice *choice)
{
    const struct tree *sum = tree_random_affine(seed, choice->n, choice->all);

    if (tree_random(seed, 0, 2) == 0)
        sum = tree_linear(tree_random(seed, 0, 1) ? 1 : -1, random_id(seed, choice), sum);
    return sum;
}

/* a - k*floor(a/k) = rest */
static const struct tree *random_rest(uint64_t *seed, const struct choice *choice)
{
    int64_t k = tree_random(seed, 2, 5);
    const struct tree *a =
        tree_random(seed, 0, 1)
            ? tree_variable(choice->all[tree_random(seed, 0, (int64_t)choice->n - 1)])
            : random_sum(seed, choice);
    const struct tree *rest =
        tree_linear(-k, tree_make(TREE_FLOOR, k, a, NULL),
                    add(a, tree_number(-tree_random(seed, 0, k - 1))));

    return tree_make(TREE_AND, 0, tree_make(TREE_NONNEGATIVE, 0, rest, NULL),
                     tree_make(TREE_NONNEGATIVE, 0, times(-1, rest), NULL));
}

static const struct tree *random_comparison(uint64_t *seed, const struct choice *choice)
{
    const struct tree *sum = random_sum(seed, choice);

    switch (tree_random(seed, 0, 9)) {
    case 0:
        return tree_make(TREE_AND, 0, tree_make(TREE_NONNEGATIVE, 0, sum, NULL),
                         tree_make(TREE_NONNEGATIVE, 0, times(-1, sum), NULL));
    case 1:
        return random_rest(seed, choice);
    case 2:
        sum = tree_make(tree_random(seed, 0, 1) ? TREE_MIN : TREE_MAX, 0, sum,
                        random_sum(seed, choice));
        break;
    case 3:
        sum = add(tree_make(TREE_FLOOR, tree_random(seed, 2, 4), sum, NULL),
                  random_sum(seed, choice));
        break;
    default:
        break;
    }
    return tree_make(TREE_NONNEGATIVE, 0, sum, NULL);
}

const struct tree *tree_random_condition(uint64_t *seed, int depth, size_t n_dims,
                                         const int64_t *local, size_t n_loops)
{
    struct choice choice = choose(n_dims, local, n_loops);
    int64_t form = depth > 1 ? tree_random(seed, 0, 7) : 7, loop;
    const struct tree *a;

    if (form > 4)
        return random_comparison(seed, &choice);
    if (form == 4 && !n_loops)
        form = 2;
    if (form == 4) { /* it contains no inner loops */
        loop = tree_random(seed, 0, (int64_t)n_loops - 1);
        a = tree_random_condition(seed, depth - 1, n_dims, local, (size_t)loop + 1);
        return tree_make(TREE_EARLIER, AT_LOOP + loop, a, NULL);
    }
    a = tree_random_condition(seed, depth - 1, n_dims, local, n_loops);
    if (form == 2)
        return tree_make(TREE_NOT, 0, a, NULL);
    return tree_make(form ? TREE_AND : TREE_OR, 0, a,
                     tree_random_condition(seed, depth - 1, n_dims, local, n_loops));
}

/* ---- evaluated ---- */

static int64_t floor_of(int64_t a, int64_t k)
{
    return a >= 0 ? a / k : -((-a + k - 1) / k);
}

static int64_t held_earlier(const struct tree *tree, const int64_t *values)
{
    int64_t at[N_VARIABLES], found = 0;

    for (size_t i = 0; i < N_VARIABLES; i++)
        at[i] = values[i];
    for (int64_t i = 0; i < values[tree->number] && !found; i++) {
        at[tree->number] = i;
        found = tree_value(tree->a, at);
    }
    return found;
}

int64_t tree_value(const struct tree *tree, const int64_t *values)
{
    int64_t a, b;

    if (tree->kind == TREE_NUMBER)
        return tree->number;
    if (tree->kind == TREE_VARIABLE)
        return values[tree->number];
    if (tree->kind == TREE_EARLIER)
        return held_earlier(tree, values);
    a = tree_value(tree->a, values);
    b = tree->b ? tree_value(tree->b, values) : 0;
    switch (tree->kind) {
    case TREE_ADD:
        return a + b;
    case TREE_MULTIPLY:
        return a * b;
    case TREE_FLOOR:
        return floor_of(a, tree->number);
    case TREE_MIN:
        return a < b ? a : b;
    case TREE_MAX:
        return a > b ? a : b;
    case TREE_QUOTIENT:
        return floor_of(a, b);
    case TREE_NONNEGATIVE:
        return a >= 0;
    case TREE_AND:
        return a && b;
    case TREE_OR:
        return a || b;
    default:
        return !a;
    }
}

bool tree_has(const struct tree *tree, int64_t variable)
{
    if ((tree->kind == TREE_VARIABLE || tree->kind == TREE_EARLIER) &&
        tree->number == variable)
        return true;
    return (tree->a && tree_has(tree->a, variable)) ||
           (tree->b && tree_has(tree->b, variable));
}

/* ---- for the engine ---- */

const struct gcal_poly *tree_poly(struct gcal_poly_context *c, const struct tree *tree,
                                  const struct gcal_poly *const *atoms)
{
    const struct gcal_poly *a = tree->a ? tree_poly(c, tree->a, atoms) : NULL;
    const struct gcal_poly *b = tree->b ? tree_poly(c, tree->b, atoms) : NULL;

    switch (tree->kind) {
    case TREE_NUMBER:
        return gcal_poly_integer(c, tree->number);
    case TREE_VARIABLE:
        return atoms[tree->number];
    case TREE_ADD:
        return gcal_poly_add(c, a, b);
    case TREE_MULTIPLY:
        return gcal_poly_mul(c, a, b);
    case TREE_FLOOR:
        return gcal_poly_floor(c, a, tree->number);
    case TREE_MIN:
        return gcal_poly_min(c, a, b);
    case TREE_MAX:
        return gcal_poly_max(c, a, b);
    case TREE_QUOTIENT:
        return gcal_poly_floor_quotient(c, a, b);
    default:
        abort();
    }
}

const struct gcal_sets_condition *tree_condition(struct gcal_poly_context *c,
                                                 const struct tree *tree,
                                                 const struct gcal_poly *const *atoms)
{
    switch (tree->kind) {
    case TREE_NONNEGATIVE:
        return gcal_sets_condition_nonnegative(c, tree_poly(c, tree->a, atoms));
    case TREE_AND:
        return gcal_sets_condition_and(c, tree_condition(c, tree->a, atoms),
                                       tree_condition(c, tree->b, atoms));
    case TREE_OR:
        return gcal_sets_condition_or(c, tree_condition(c, tree->a, atoms),
                                      tree_condition(c, tree->b, atoms));
    case TREE_NOT:
        return gcal_sets_condition_not(c, tree_condition(c, tree->a, atoms));
    case TREE_EARLIER:
        return gcal_sets_condition_earlier(c, tree_condition(c, tree->a, atoms),
                                           gcal_poly_atom_index(atoms[tree->number]));
    default:
        abort();
    }
}

/* ---- as text ---- */

void tree_put(struct gcal_buf *buf, const struct tree *tree)
{
    static const char *const names[N_VARIABLES] = { "n",    "m",    "lid0", "lid1",
                                                    "lid2", "gid0", "gid1", "gid2",
                                                    "i0",   "i1",   "i2" };
    static const char *const before[] = { "",     "",     "(",       "",  "floor(",
                                          "min(", "max(", "floor(",  "(", "(",
                                          "(",    "not(", "earlier(" };
    static const char *const between[] = { "",   "", " + ",   "*",    "", ", ", ", ",
                                           "/(", "", " and ", " or ", "", "" };
    static const char *const after[] = { "",   "",       ")", "",  ")", ")", ")",
                                         "))", " >= 0)", ")", ")", ")", ")" };

    gcal_buf_puts(buf, before[tree->kind]);
    if (tree->kind == TREE_NUMBER)
        gcal_buf_printf(buf, "%lld", (long long)tree->number);
    if (tree->kind == TREE_VARIABLE)
        gcal_buf_puts(buf, names[tree->number]);
    if (tree->a)
        tree_put(buf, tree->a);
    if (tree->kind == TREE_FLOOR)
        gcal_buf_printf(buf, "/%lld", (long long)tree->number);
    if (tree->kind == TREE_EARLIER)
        gcal_buf_printf(buf, ", %s", names[tree->number]);
    gcal_buf_puts(buf, between[tree->kind]);
    if (tree->b)
        tree_put(buf, tree->b);
    gcal_buf_puts(buf, after[tree->kind]);
}

/* ---- simpler ---- */

static size_t size_of(const struct tree *tree)
{
    return 1 + (tree->a ? size_of(tree->a) : 0) + (tree->b ? size_of(tree->b) : 0);
}

/* A simpler tree: its first or ('other') second operand, or a smaller number. */
static const struct tree *simpler(const struct tree *tree, bool other)
{
    if (tree->kind == TREE_NUMBER)
        return other || !tree->number ? tree : tree_number(tree->number / 2);
    if (tree->kind == TREE_VARIABLE)
        return other ? tree : tree_number(0);
    if (tree->kind == TREE_NONNEGATIVE || (tree->kind == TREE_QUOTIENT && other))
        return tree;
    return !other ? tree->a : tree->b ? tree->b : tree;
}

const struct tree *tree_simpler(const struct tree *tree, size_t which)
{
    size_t left;

    if (which / 2 >= size_of(tree))
        return NULL;
    if (which < 2)
        return simpler(tree, which);
    which -= 2;
    left = tree->a ? 2 * size_of(tree->a) : 0;
    if (tree->kind == TREE_QUOTIENT && which >= left)
        return tree; /* the divisor stays at least 1 */
    return tree_make(tree->kind, tree->number,
                     which < left ? tree_simpler(tree->a, which) : tree->a,
                     which < left ? tree->b : tree_simpler(tree->b, which - left));
}
