/* cardinality.c - the number of points in a set, as a polynomial in its sizes
 *
 * The set becomes disjoint systems of linear inequalities.  In each, one dimension after
 * another is eliminated by summation (W. Pugh, Counting solutions to Presburger formulas,
 * PLDI 1994): a dimension with several lower or upper bounds splits the system into
 * pieces with one binding bound each.  Conditions on sizes alone remain; those that
 * cannot be proven multiply their piece by step(p).
 *
 * The divs of isl, integers q = floor(e/k), are dimensions like the others, with the
 * constraints k*q <= e <= k*q + k-1.
 */

#include <isl/mat.h>
#include <isl/val.h>
#include <stdlib.h>

#include "kernels/sets/private.h"

enum { MOST_PIECES = 96, LONGEST_PERIOD = 64 };
static const long LONG_FACTOR = 1L << 31;

struct counting {
    struct gcal_sets_context *context;
    isl_basic_set *facts; /* without dimensions */
    const struct gcal_poly *total;
    int *pieces_left;
};

static const struct gcal_poly *sum_system(struct gcal_sets_system *s,
                                          const struct gcal_poly *weight);

static const struct gcal_poly *add(const struct gcal_sets_system *s,
                                   const struct gcal_poly *a, const struct gcal_poly *b)
{
    return a && b ? gcal_poly_add(s->context->c, a, b) : NULL;
}

/* ---- floors ---- */

static const struct gcal_poly *sum_case(const struct gcal_sets_system *s,
                                        const struct gcal_poly *weight,
                                        const struct gcal_sets_floor *floor,
                                        int64_t number)
{
    struct gcal_sets_system *part = malloc(sizeof(*part));
    const struct gcal_poly *sum = NULL;

    if (part && --*s->pieces_left >= 0) {
        *part = *s;
        gcal_sets_system_take_case(part, &weight, floor, number);
        sum = sum_system(part, weight);
    }
    free(part);
    return sum;
}

/* ---- dimensions that are independent of the others ---- */

static bool are_together(const struct gcal_sets_system *s, size_t a, size_t b)
{
    for (size_t i = 0; i < s->n_rows; i++)
        if (gcal_sets_system_coefficient(s, i, a) &&
            gcal_sets_system_coefficient(s, i, b))
            return true;
    return false;
}

/* Marks the dimensions that depend on the first; false when all do. */
static bool find_first_part(const struct gcal_sets_system *s, bool *in_first)
{
    size_t n = 1;
    bool more = true;

    for (size_t i = 0; i < s->n_dims; i++)
        in_first[i] = i == 0;
    while (more) {
        more = false;
        for (size_t i = 0; i < s->n_dims; i++)
            for (size_t j = 0; j < s->n_dims && !in_first[i]; j++)
                if (in_first[j] && are_together(s, i, j)) {
                    in_first[i] = more = true;
                    n++;
                }
    }
    return n < s->n_dims;
}

/* The sum over the dimensions in (or not in) the first part; conditions on sizes alone
 * are the first part's.
 */
static const struct gcal_poly *sum_part(const struct gcal_sets_system *s,
                                        const struct gcal_poly *weight,
                                        const bool *in_first, bool first)
{
    struct gcal_sets_system *part = malloc(sizeof(*part));
    const struct gcal_poly *sum = NULL;

    if (!part)
        return NULL;
    *part = *s;
    part->n_rows = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        bool own = first;

        for (size_t d = 0; d < s->n_dims; d++)
            if (gcal_sets_system_coefficient(s, i, d))
                own = in_first[d] == first;
        if (own)
            gcal_sets_system_add(part, &s->rows[i]);
    }
    for (size_t d = s->n_dims; d-- > 0;)
        if (in_first[d] != first)
            gcal_sets_system_drop(part, d);
    sum = sum_system(part, weight);
    free(part);
    return sum;
}

/* ---- elimination of a dimension ---- */

static int64_t magnitude(int64_t k)
{
    return k < 0 ? -k : k;
}

/* Row 'i' as a lower bound of 'dim' (sign 1: k*dim + rest >= 0 with k > 0) or an upper
 * one (-1: k < 0); equalities are both.
 */
static struct gcal_sets_row oriented(const struct gcal_sets_system *s, size_t i,
                                     size_t dim, int sign)
{
    struct gcal_sets_row row = s->rows[i];

    if ((gcal_sets_system_coefficient(s, i, dim) > 0) != (sign > 0))
        for (size_t j = 0; j < gcal_sets_system_columns(s); j++)
            row.k[j] = -row.k[j];
    row.equal = false;
    return row;
}

static bool bounds(const struct gcal_sets_system *s, size_t i, size_t dim, int sign)
{
    int64_t k = gcal_sets_system_coefficient(s, i, dim);

    return k && (s->rows[i].equal || (k > 0) == (sign > 0));
}

/* The cost of summing over 'dim' first; -1 when it is unbounded. */
static long cost_of(const struct gcal_sets_system *s, const struct gcal_poly *weight,
                    size_t dim)
{
    long lower = 0, upper = 0, cost = 0;

    for (size_t i = 0; i < s->n_rows; i++) {
        lower += bounds(s, i, dim, 1);
        upper += bounds(s, i, dim, -1);
        cost += magnitude(gcal_sets_system_coefficient(s, i, dim)) > 1 ? 100 : 0;
    }
    if (!lower || !upper)
        return -1;
    if (gcal_poly_contains_nested(s->context->c, weight, s->atoms[dim]))
        cost += 1000;
    return cost + lower * upper;
}

/* dim = period*v + r for each r, so that no floor contains v. */
static const struct gcal_poly *sum_by_period(const struct gcal_sets_system *s,
                                             const struct gcal_poly *weight, size_t dim)
{
    struct gcal_poly_context *c = s->context->c;
    int64_t period = gcal_poly_period(c, weight, s->atoms[dim]);
    const struct gcal_poly *total = gcal_poly_integer(c, 0);
    struct gcal_sets_system *residue;

    if (period < 2 || period > LONGEST_PERIOD || !(residue = malloc(sizeof(*residue))))
        return NULL;
    for (int64_t r = 0; r < period && total; r++) {
        const struct gcal_poly *v, *value;

        *residue = *s;
        residue->atoms[dim] = gcal_sets_system_new_dimension(residue);
        v = gcal_poly_from_atom(c, residue->atoms[dim]);
        for (size_t i = 0; i < residue->n_rows; i++) {
            int64_t *k = gcal_sets_system_coefficient_at(residue, &residue->rows[i], dim);

            residue->rows[i].k[0] += *k * r;
            *k *= period;
        }
        value =
            gcal_poly_add(c, gcal_poly_scale(c, v, period, 1), gcal_poly_integer(c, r));
        value = gcal_poly_substitute(c, weight, s->atoms[dim], value);
        total = gcal_poly_contains_nested(c, value, residue->atoms[dim])
                    ? NULL
                    : add(s, total, sum_system(residue, value));
    }
    free(residue);
    return total;
}

/* Adds the conditions under which 'best' is the binding bound of its side: no other is
 * tighter, and among equal ones it is the first.
 */
static bool add_binding(const struct gcal_sets_system *s, struct gcal_sets_system *piece,
                        size_t best, size_t dim, int sign)
{
    struct gcal_sets_row x = oriented(s, best, dim, sign), y;
    int64_t a = magnitude(gcal_sets_system_coefficient(s, best, dim));

    for (size_t i = 0; i < s->n_rows; i++) {
        if (i == best || !bounds(s, i, dim, sign))
            continue;
        y = oriented(s, i, dim, sign);
        if (!gcal_sets_system_combine(
                s, &y, a, &x, -magnitude(gcal_sets_system_coefficient(s, i, dim)), &y))
            return false;
        y.k[0] -= i < best;
        if (!gcal_sets_system_add(piece, &y))
            return false;
    }
    return true;
}

/* The least (sign 1) or greatest integer that row 'i' allows for 'dim'. */
static const struct gcal_poly *bound_of(const struct gcal_sets_system *s, size_t i,
                                        size_t dim, int sign)
{
    struct gcal_poly_context *c = s->context->c;
    struct gcal_sets_row row = oriented(s, i, dim, sign);
    const struct gcal_poly *rest = gcal_sets_system_value(s, &row, dim);
    int64_t k = magnitude(gcal_sets_system_coefficient(s, i, dim));

    if (sign > 0) /* ceil(-rest/k) */
        rest = gcal_poly_sub(c, gcal_poly_integer(c, k - 1), rest);
    return gcal_poly_floor(c, rest, k);
}

/* The piece in which the rows 'low' and 'high' bound 'dim'. */
static const struct gcal_poly *sum_piece(const struct gcal_sets_system *s,
                                         const struct gcal_poly *weight, size_t dim,
                                         size_t low, size_t high)
{
    struct gcal_poly_context *c = s->context->c;
    struct gcal_sets_system *piece = malloc(sizeof(*piece));
    const struct gcal_poly *least, *most, *v, *sum = NULL;
    struct gcal_sets_row lower, upper;

    if (!piece || --*s->pieces_left < 0)
        goto out;
    *piece = *s;
    piece->n_rows = 0;
    for (size_t i = 0; i < s->n_rows; i++)
        if (!gcal_sets_system_coefficient(s, i, dim) &&
            !gcal_sets_system_add(piece, &s->rows[i]))
            goto out;
    lower = oriented(s, low, dim, 1);
    upper = oriented(s, high, dim, -1);
    if (!add_binding(s, piece, low, dim, 1) || !add_binding(s, piece, high, dim, -1) ||
        !gcal_sets_system_combine(
            s, &lower, magnitude(gcal_sets_system_coefficient(s, high, dim)), &upper,
            magnitude(gcal_sets_system_coefficient(s, low, dim)), &upper) ||
        !gcal_sets_system_add(piece, &upper)) /* the range is not empty */
        goto out;
    least = bound_of(s, low, dim, 1);
    most = bound_of(s, high, dim, -1);
    gcal_sets_system_drop(piece, dim);
    v = gcal_poly_from_atom(c, s->atoms[dim]);
    weight = gcal_poly_substitute(c, weight, s->atoms[dim], gcal_poly_add(c, least, v));
    weight = gcal_poly_sum(
        c, weight, s->atoms[dim],
        gcal_poly_add(c, gcal_poly_sub(c, most, least), gcal_poly_integer(c, 1)));
    if (weight)
        sum = sum_system(piece, weight);
out:
    free(piece);
    return sum;
}

/* The largest of all lower bounds (sign 1), or the least of all upper ones. */
static const struct gcal_poly *tightest_bound(const struct gcal_sets_system *s,
                                              size_t dim, int sign)
{
    struct gcal_poly_context *c = s->context->c;
    const struct gcal_poly *all = NULL;

    for (size_t i = 0; i < s->n_rows; i++)
        if (bounds(s, i, dim, sign)) {
            const struct gcal_poly *one = bound_of(s, i, dim, sign);

            all = !all       ? one
                  : sign > 0 ? gcal_poly_max(c, all, one)
                             : gcal_poly_min(c, all, one);
        }
    return all;
}

/* The last dimension is not split: its bounds are a maximum and a minimum of sizes. */
static const struct gcal_poly *sum_last(const struct gcal_sets_system *s,
                                        const struct gcal_poly *weight)
{
    struct gcal_poly_context *c = s->context->c;
    const struct gcal_poly *least = tightest_bound(s, 0, 1),
                           *most = tightest_bound(s, 0, -1), *trips;
    struct gcal_sets_system *rest = malloc(sizeof(*rest));

    if (!rest)
        return NULL;
    trips = gcal_poly_add(c, gcal_poly_sub(c, most, least), gcal_poly_integer(c, 1));
    trips = gcal_poly_max(c, trips, gcal_poly_integer(c, 0));
    weight = gcal_poly_substitute(
        c, weight, s->atoms[0],
        gcal_poly_add(c, least, gcal_poly_from_atom(c, s->atoms[0])));
    weight = gcal_poly_sum(c, weight, s->atoms[0], trips);
    *rest = *s;
    rest->n_rows = 0;
    for (size_t i = 0; i < s->n_rows; i++)
        if (!gcal_sets_system_coefficient(s, i, 0))
            gcal_sets_system_add(rest, &s->rows[i]);
    gcal_sets_system_drop(rest, 0);
    if (weight)
        weight = sum_system(rest, weight);
    free(rest);
    return weight;
}

static const struct gcal_poly *sum_dimension(const struct gcal_sets_system *s,
                                             const struct gcal_poly *weight, size_t dim)
{
    const struct gcal_poly *total = gcal_poly_integer(s->context->c, 0);

    if (gcal_poly_contains_nested(s->context->c, weight, s->atoms[dim]))
        return sum_by_period(s, weight, dim);
    if (s->n_dims == 1)
        return sum_last(s, weight);
    for (size_t low = 0; low < s->n_rows && total; low++)
        for (size_t high = 0; high < s->n_rows && total; high++)
            if (bounds(s, low, dim, 1) && bounds(s, high, dim, -1))
                total = add(s, total, sum_piece(s, weight, dim, low, high));
    return total;
}

/* ---- conditions on sizes alone ---- */

/* Returns whether 'weight' is 0 where p < 0: it has a factor max(x, y) - y, and x <= y there. */
static bool vanishes_below(struct gcal_poly_context *c, const struct gcal_poly *weight,
                           const struct gcal_poly *p)
{
    const struct gcal_poly *below =
        gcal_poly_sub(c, gcal_poly_integer(c, -1), p); /* >= 0 where p < 0 */

    for (size_t i = 0; weight->n_terms && i < weight->terms[0].n_factors; i++) {
        unsigned factor = weight->terms[0].factors[i].atom;
        struct gcal_poly_atom a = gcal_poly_get_atom(c, factor);

        if (a.kind == GCAL_POLY_ATOM_MAX &&
            !gcal_poly_substitute(c, weight, factor, a.b)->n_terms &&
            gcal_poly_is_nonnegative_given(c, below, gcal_poly_sub(c, a.b, a.a)))
            return true;
    }
    return false;
}

/* 'weight' where p >= 0, else 0. */
static const struct gcal_poly *where(struct gcal_poly_context *c,
                                     const struct gcal_poly *weight,
                                     const struct gcal_poly *p)
{
    const struct gcal_poly *next = gcal_poly_add(c, p, gcal_poly_integer(c, 1));

    /* m*n where n > 0: n is 0 elsewhere, and so is the product */
    if (gcal_poly_is_nonnegative(c, next) && gcal_poly_divide(c, weight, next))
        return weight;
    if (gcal_poly_equal(weight, next)) /* n where n > 0 */
        return gcal_poly_max(c, gcal_poly_integer(c, 0), next);
    if (vanishes_below(c, weight, p))
        return weight;
    return gcal_poly_mul(c, weight, gcal_poly_step(c, p));
}

static const struct gcal_poly *cut_by_sizes(const struct gcal_sets_system *s,
                                            const struct gcal_poly *weight)
{
    struct gcal_poly_context *c = s->context->c;

    for (size_t i = 0; i < s->n_rows; i++) {
        const struct gcal_poly *p = gcal_sets_system_value(s, &s->rows[i], SIZE_MAX);

        weight = where(c, weight, p);
        if (s->rows[i].equal)
            weight = where(c, weight, gcal_poly_scale(c, p, -1, 1));
    }
    return weight;
}

/* ---- systems and sets ---- */

static bool has_dimensions(const struct gcal_sets_system *s,
                           const struct gcal_poly *weight)
{
    for (size_t i = 0; i < s->n_dims; i++)
        if (gcal_poly_contains(s->context->c, weight, s->atoms[i]))
            return true;
    return false;
}

/* The dimension to sum over first; SIZE_MAX: all are unbounded. */
static size_t cheapest(const struct gcal_sets_system *s, const struct gcal_poly *weight)
{
    size_t best = SIZE_MAX;
    long least = 0;

    for (size_t dim = 0; dim < s->n_dims; dim++) {
        long cost = cost_of(s, weight, dim);

        if (cost >= 0 && (best == SIZE_MAX || cost < least)) {
            best = dim;
            least = cost;
        }
    }
    return best;
}

static const struct gcal_poly *sum_system(struct gcal_sets_system *s,
                                          const struct gcal_poly *weight)
{
    struct gcal_sets_floor floor;
    bool in_first[GCAL_SETS_MAX_DEPTH];
    size_t dim;
    int reduced;

    if (gcal_poly_context_has_failed(s->context->c))
        return NULL;
    if (!weight->n_terms || !gcal_sets_system_simplify(s))
        return gcal_poly_integer(s->context->c, 0);
    if (!s->n_dims)
        return cut_by_sizes(s, weight);
    if (!has_dimensions(s, weight) && find_first_part(s, in_first)) {
        struct gcal_poly_context *c = s->context->c;
        const struct gcal_poly *a = sum_part(s, weight, in_first, true), *b;

        if (!a || !(b = sum_part(s, gcal_poly_integer(c, 1), in_first, false)))
            return NULL;
        return gcal_sets_product(c, a, b);
    }
    if ((reduced = gcal_sets_system_reduce(s, &weight)))
        return reduced > 0 ? sum_system(s, weight) : NULL;
    if (gcal_sets_system_find_floor(s, &floor)) {
        const struct gcal_poly *total = gcal_poly_integer(s->context->c, 0);

        for (int64_t i = 0; i < floor.n_cases && total; i++)
            total = add(s, total, sum_case(s, weight, &floor, i));
        return total;
    }
    dim = cheapest(s, weight);
    return dim == SIZE_MAX ? NULL : sum_dimension(s, weight, dim);
}

static isl_stat count_basic(isl_basic_set *set, void *data)
{
    struct counting *counting = data;
    struct gcal_sets_system *s = calloc(1, sizeof(*s));

    if (s && counting->total) {
        s->context = counting->context;
        s->facts = counting->facts;
        s->pieces_left = counting->pieces_left;
        counting->total = gcal_sets_system_read(s, set)
                              ? add(s, counting->total,
                                    sum_system(s, gcal_poly_integer(s->context->c, 1)))
                              : NULL;
    }
    free(s);
    isl_basic_set_free(set);
    return counting->total ? isl_stat_ok : isl_stat_error;
}

/* ---- sets that isl takes too long for ---- */

/* Whether an integer of which isl knows only bounds has a factor in these constraints, of
 * which it is one of the first 'n' columns, whose square is longer than a word.
 */
static bool has_long_factor(isl_mat *rows, int n)
{
    bool is_long = false;

    for (int i = 0; i < isl_mat_rows(rows) && !is_long; i++)
        for (int j = 0; j < n && !is_long; j++) {
            isl_val *factor = isl_mat_get_element_val(rows, i, j);

            is_long = isl_val_cmp_si(factor, LONG_FACTOR) >= 0 ||
                      isl_val_cmp_si(factor, -LONG_FACTOR) <= 0;
            isl_val_free(factor);
        }
    isl_mat_free(rows);
    return is_long;
}

static isl_stat find_long_factor(isl_basic_set *set, void *found)
{
    int n = isl_basic_set_dim(set, isl_dim_div);

    if (n > 1 &&
        has_long_factor(isl_basic_set_inequalities_matrix(set, isl_dim_div, isl_dim_set,
                                                          isl_dim_param, isl_dim_cst),
                        n))
        *(bool *)found = true;
    isl_basic_set_free(set);
    return *(bool *)found ? isl_stat_error : isl_stat_ok;
}

/* The set with each such integer as a floor, where that is found within an attempt's budget.
 * isl looks for points of the lattice, by numbers of ever more words: with long factors that
 * ends the budget, after seconds instead of a tenth of one.  So they end it at once.
 */
static isl_set *find_floors(isl_ctx *isl, isl_set *set)
{
    bool is_long = false;

    isl_set_foreach_basic_set(set, find_long_factor, &is_long);
    if (is_long)
        isl_ctx_abort(isl);
    return isl_set_compute_divs(set);
}

const struct gcal_poly *gcal_sets_cardinality(struct gcal_sets_context *context,
                                              isl_set *set)
{
    int pieces_left = MOST_PIECES;
    struct gcal_sets_context sizes = *context;
    struct counting counting = { .context = context,
                                 .total = gcal_poly_integer(context->c, 0),
                                 .pieces_left = &pieces_left };

    sizes.n_dims = 0;
    counting.facts = gcal_sets_context_universe(&sizes);
    set = isl_set_coalesce(isl_set_make_disjoint(find_floors(context->isl, set)));
    if (!counting.facts || isl_set_foreach_basic_set(set, count_basic, &counting) < 0)
        counting.total = NULL;
    isl_basic_set_free(counting.facts);
    isl_set_free(set);
    return counting.total;
}
