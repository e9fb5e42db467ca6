/* points.c - the number of points in a set, as a polynomial in its sizes
 *
 * The set becomes disjoint systems of linear inequalities.  In each, one dimension after
 * the other is summed away (W. Pugh, Counting solutions to Presburger formulas, PLDI
 * 1994): where it has several lower or upper bounds, the system splits into pieces in
 * which one of each decides.  What is left are conditions on sizes alone; those that are
 * not known to hold multiply their piece by step(p).
 *
 * The divs of isl, integers q = floor(e/k), are dimensions like the others, as their
 * value is fixed by k*q <= e <= k*q + k-1.
 */
#include "kernels/points.h"

#include <isl/constraint.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/poly_private.h"

enum {
    MOST_ROWS = 96,
    MOST_COLUMNS = 1 + GCAL_MAX_SIZES + GCAL_MAX_NEST,
    MOST_PIECES = 96,
    LONGEST_PERIOD = 64,
};

/* k[0] + sum of k[1 + i]*size[i] + sum of k[1 + n_sizes + j]*dim[j], >= 0 or = 0. */
struct row {
    bool equal;
    int64_t k[MOST_COLUMNS];
};

struct system {
    struct gcal_frame *frame;
    size_t n_dims, n_rows;
    unsigned next_point;           /* dimension that is not in use yet */
    unsigned atoms[GCAL_MAX_NEST]; /* of the dimensions */
    struct row rows[MOST_ROWS];
    const struct counting *counting;
};

struct counting {
    struct gcal_frame *frame;
    isl_basic_set *facts; /* no dimensions */
    const struct gcal_poly *total;
    int *pieces_left;
};

static const struct gcal_poly *sum_system(struct system *s,
                                          const struct gcal_poly *weight);

/* ---- rows ---- */

static int64_t *dim_of(const struct system *s, struct row *row, size_t dim)
{
    return &row->k[1 + s->frame->n_sizes + dim];
}

static int64_t factor(const struct system *s, size_t row, size_t dim)
{
    return s->rows[row].k[1 + s->frame->n_sizes + dim];
}

static unsigned new_point(struct system *s)
{
    return gcal_poly_atom(gcal_poly_point(s->frame->c, s->next_point++));
}

static size_t n_columns(const struct system *s)
{
    return 1 + s->frame->n_sizes + s->n_dims;
}

static bool add_row(struct system *s, const struct row *row)
{
    if (s->n_rows == MOST_ROWS)
        return false;
    s->rows[s->n_rows++] = *row;
    return true;
}

/* a*x + b*y into 'out'; false when it overflows. */
static bool combine(const struct system *s, const struct row *x, int64_t a,
                    const struct row *y, int64_t b, struct row *out)
{
    struct row sum = { .equal = false };

    for (size_t i = 0; i < n_columns(s); i++) {
        int64_t p, q;

        if (__builtin_mul_overflow(x->k[i], a, &p) ||
            __builtin_mul_overflow(y->k[i], b, &q) ||
            __builtin_add_overflow(p, q, &sum.k[i]))
            return false;
    }
    *out = sum;
    return true;
}

/* The row's value without the dimension 'but', as a polynomial. */
static const struct gcal_poly *value_of(const struct system *s, const struct row *row,
                                        size_t but)
{
    struct gcal_polys *c = s->frame->c;
    const struct gcal_poly *p = gcal_poly_integer(c, row->k[0]);

    for (size_t i = 0; i < s->frame->n_sizes; i++)
        if (row->k[1 + i])
            p = gcal_poly_add(c, p,
                              gcal_poly_scale(c, s->frame->sizes[i], row->k[1 + i], 1));
    for (size_t i = 0; i < s->n_dims; i++)
        if (i != but && row->k[1 + s->frame->n_sizes + i])
            p = gcal_poly_add(c, p,
                              gcal_poly_scale(c, gcal_poly_of_atom(c, s->atoms[i]),
                                              row->k[1 + s->frame->n_sizes + i], 1));
    return p;
}

static void drop_column(struct system *s, size_t dim)
{
    size_t first = 1 + s->frame->n_sizes + dim, n = n_columns(s);

    for (size_t i = 0; i < s->n_rows; i++) {
        for (size_t j = first; j + 1 < n; j++)
            s->rows[i].k[j] = s->rows[i].k[j + 1];
        s->rows[i].k[n - 1] = 0;
    }
    for (size_t i = dim; i + 1 < s->n_dims; i++)
        s->atoms[i] = s->atoms[i + 1];
    s->n_dims--;
}

/* ---- isl and back ---- */

static isl_constraint *constraint_of(const struct system *s, const struct row *row,
                                     isl_local_space *space)
{
    isl_constraint *c = row->equal ? isl_constraint_alloc_equality(space)
                                   : isl_constraint_alloc_inequality(space);
    isl_ctx *isl = s->frame->isl;

    c = isl_constraint_set_constant_val(c, isl_val_int_from_si(isl, (long)row->k[0]));
    for (size_t i = 0; i < s->frame->n_sizes; i++)
        c = isl_constraint_set_coefficient_val(
            c, isl_dim_param, (int)i, isl_val_int_from_si(isl, (long)row->k[1 + i]));
    for (size_t i = 0; i < s->n_dims; i++)
        c = isl_constraint_set_coefficient_val(
            c, isl_dim_set, (int)i,
            isl_val_int_from_si(isl, (long)row->k[1 + s->frame->n_sizes + i]));
    return c;
}

static isl_basic_set *to_isl(const struct system *s)
{
    isl_space *space = isl_space_set_alloc(s->frame->isl, (unsigned)s->frame->n_sizes,
                                           (unsigned)s->n_dims);
    isl_basic_set *set = isl_basic_set_universe(isl_space_copy(space));
    isl_local_space *local = isl_local_space_from_space(space);

    for (size_t i = 0; i < s->n_rows; i++)
        set = isl_basic_set_add_constraint(
            set, constraint_of(s, &s->rows[i], isl_local_space_copy(local)));
    isl_local_space_free(local);
    return set;
}

static bool integer_of(isl_val *value, int64_t *out)
{
    bool fits = value && isl_val_is_int(value) == isl_bool_true &&
                isl_val_cmp_si(value, INT64_MAX / 2) < 0 &&
                isl_val_cmp_si(value, INT64_MIN / 2) > 0;

    if (fits)
        *out = isl_val_get_num_si(value);
    isl_val_free(value);
    return fits;
}

/* A row of an affine function (times its denominator) over sizes, dimensions and, as
 * further dimensions, divs.
 */
static bool read_row(const struct system *s, isl_aff *aff, size_t n_set, size_t n_divs,
                     struct row *row)
{
    bool good = integer_of(isl_aff_get_constant_val(aff), &row->k[0]);

    for (size_t i = 0; i < s->frame->n_sizes && good; i++)
        good = integer_of(isl_aff_get_coefficient_val(aff, isl_dim_param, (int)i),
                          &row->k[1 + i]);
    for (size_t i = 0; i < n_set && good; i++)
        good = integer_of(isl_aff_get_coefficient_val(aff, isl_dim_in, (int)i),
                          &row->k[1 + s->frame->n_sizes + i]);
    for (size_t i = 0; i < n_divs && good; i++)
        good = integer_of(isl_aff_get_coefficient_val(aff, isl_dim_div, (int)i),
                          &row->k[1 + s->frame->n_sizes + n_set + i]);
    return good;
}

/* The rows of div 'i', whose value they fix: k*q <= e <= k*q + k-1. */
static bool read_div(struct system *s, isl_basic_set *set, size_t n_set, size_t i)
{
    isl_aff *div = isl_basic_set_get_div(set, (int)i);
    isl_val *denominator = isl_aff_get_denominator_val(div);
    struct row low = { .equal = false }, high;
    int64_t k = 0;
    bool good = isl_aff_is_nan(div) == isl_bool_false &&
                integer_of(isl_val_copy(denominator), &k);

    div = isl_aff_scale_val(div, denominator);
    good = good && read_row(s, div, n_set, i, &low);
    isl_aff_free(div);
    if (!good)
        return false;
    *dim_of(s, &low, n_set + i) -= k;
    for (size_t j = 0; j < MOST_COLUMNS; j++)
        high.k[j] = -low.k[j];
    high.equal = false;
    high.k[0] += k - 1;
    return add_row(s, &low) && add_row(s, &high);
}

static bool read_constraints(struct system *s, isl_basic_set *set, size_t n_set,
                             size_t n_divs)
{
    isl_constraint_list *list = isl_basic_set_get_constraint_list(set);
    isl_size n = isl_constraint_list_n_constraint(list);
    bool good = n >= 0;

    for (int i = 0; i < n && good; i++) {
        isl_constraint *constraint = isl_constraint_list_get_constraint(list, i);
        isl_aff *aff = isl_constraint_get_aff(constraint);
        struct row row = { .equal =
                               isl_constraint_is_equality(constraint) == isl_bool_true };

        good = read_row(s, aff, n_set, n_divs, &row) && add_row(s, &row);
        isl_aff_free(aff);
        isl_constraint_free(constraint);
    }
    isl_constraint_list_free(list);
    return good;
}

/* Fills rows and dimensions; those of 's' before are forgotten when there are divs. */
static bool read_set(struct system *s, isl_basic_set *set)
{
    isl_size n_set = isl_basic_set_dim(set, isl_dim_set);
    isl_size n_divs = isl_basic_set_dim(set, isl_dim_div);

    if (n_set < 0 || n_divs < 0 || n_set + n_divs > GCAL_MAX_NEST)
        return false;
    s->n_rows = 0;
    for (size_t i = s->n_dims; i < (size_t)(n_set + n_divs); i++)
        s->atoms[i] = new_point(s);
    s->n_dims = (size_t)(n_set + n_divs);
    if (!read_constraints(s, set, (size_t)n_set, (size_t)n_divs))
        return false;
    for (size_t i = 0; i < (size_t)n_divs; i++)
        if (!read_div(s, set, (size_t)n_set, i))
            return false;
    return true;
}

/* ---- tidying ---- */

static isl_basic_set *facts_of(const struct system *s)
{
    return isl_basic_set_add_dims(isl_basic_set_copy(s->counting->facts), isl_dim_set,
                                  (unsigned)s->n_dims);
}

/* isl_basic_set_gist() with dimensions that nothing is said of: they make room in isl's
 * tableau, which isl 0.25 goes on to read where it was before when it has to grow it.
 */
static isl_basic_set *simplify(const struct system *s)
{
    enum { ROOM = 6 };
    isl_basic_set *set = isl_basic_set_add_dims(to_isl(s), isl_dim_set, ROOM);
    isl_basic_set *facts = isl_basic_set_add_dims(facts_of(s), isl_dim_set, ROOM);

    return isl_basic_set_project_out(isl_basic_set_gist(set, facts), isl_dim_set,
                                     (unsigned)s->n_dims, ROOM);
}

/* Drops what follows from the rest and from the facts.  0 when there is no point at all,
 * 1 otherwise; what isl cannot answer changes nothing.
 */
static int tidy(struct system *s)
{
    isl_basic_set *set = simplify(s);
    int some = isl_basic_set_plain_is_empty(set) != isl_bool_true;
    struct system *tidied = malloc(sizeof(*tidied));

    if (tidied && some) {
        *tidied = *s;
        if (isl_basic_set_dim(set, isl_dim_div) == 0 && read_set(tidied, set))
            *s = *tidied;
    }
    free(tidied);
    isl_basic_set_free(set);
    return some;
}

/* ---- substitutions ---- */

/* An equality fixes a dimension: dim = -rest/k with k = 1 or -1. */
static bool find_fixed(const struct system *s, size_t *row, size_t *dim)
{
    for (size_t i = 0; i < s->n_rows; i++)
        for (size_t d = 0; d < s->n_dims && s->rows[i].equal; d++)
            if (factor(s, i, d) == 1 || factor(s, i, d) == -1) {
                *row = i;
                *dim = d;
                return true;
            }
    return false;
}

static const struct gcal_poly *sum_fixed(struct system *s, const struct gcal_poly *weight,
                                         size_t row, size_t dim)
{
    struct row by = s->rows[row];
    int64_t k = factor(s, row, dim);
    const struct gcal_poly *value =
        gcal_poly_scale(s->frame->c, value_of(s, &by, dim), -k, 1);

    weight = gcal_poly_substitute(s->frame->c, weight, s->atoms[dim], value);
    s->rows[row] = s->rows[--s->n_rows];
    for (size_t i = 0; i < s->n_rows; i++) {
        bool equal = s->rows[i].equal;

        if (!combine(s, &s->rows[i], 1, &by, -k * factor(s, i, dim), &s->rows[i]))
            return NULL;
        s->rows[i].equal = equal;
    }
    drop_column(s, dim);
    return sum_system(s, weight);
}

/* ---- digits: x and y that occur as x + k*y only, 0 <= x < k ---- */

struct digits {
    size_t x, y;
    int64_t k;
};

/* Whether 'row' is lone*x + number >= 0. */
static bool is_range_row(const struct system *s, size_t row, size_t x, int64_t lone)
{
    const struct row *r = &s->rows[row];

    for (size_t i = 1; i < n_columns(s); i++)
        if (i != 1 + s->frame->n_sizes + x && r->k[i])
            return false;
    return factor(s, row, x) == lone && !r->equal;
}

static bool find_range(const struct system *s, size_t x, int64_t *k)
{
    bool starts = false;

    *k = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        starts = starts || (is_range_row(s, i, x, 1) && s->rows[i].k[0] == 0);
        if (is_range_row(s, i, x, -1) && (!*k || s->rows[i].k[0] + 1 < *k))
            *k = s->rows[i].k[0] + 1;
    }
    return starts && *k > 1;
}

/* Whether all other rows allow it: x as x + k*y, and y alone with the factor 1 or -1. */
static bool are_digits(const struct system *s, const struct digits *d)
{
    bool together = false;

    for (size_t i = 0; i < s->n_rows; i++) {
        int64_t x = factor(s, i, d->x), y = factor(s, i, d->y), scaled;

        if (is_range_row(s, i, d->x, 1) || is_range_row(s, i, d->x, -1))
            continue;
        if (x) {
            if (__builtin_mul_overflow(x, d->k, &scaled) || scaled != y)
                return false;
            together = true;
        } else if (y && ((y != 1 && y != -1) || s->rows[i].equal)) {
            return false;
        }
    }
    return together;
}

static bool find_digits(const struct system *s, const struct gcal_poly *weight,
                        struct digits *d)
{
    for (d->x = 0; d->x < s->n_dims; d->x++) {
        if (gcal_poly_contains(s->frame->c, weight, s->atoms[d->x]) ||
            !find_range(s, d->x, &d->k))
            continue;
        for (d->y = 0; d->y < s->n_dims; d->y++)
            if (d->y != d->x &&
                !gcal_poly_contains(s->frame->c, weight, s->atoms[d->y]) &&
                are_digits(s, d))
                return true;
    }
    return false;
}

/* With z = x + k*y: y >= e is z >= k*e, y <= e is z <= k*e + k-1. */
static const struct gcal_poly *
sum_digits(struct system *s, const struct gcal_poly *weight, const struct digits *d)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_rows; i++) {
        struct row row = s->rows[i], nothing = { .equal = false };
        int64_t x = factor(s, i, d->x), y = factor(s, i, d->y);
        bool equal = row.equal;

        if (is_range_row(s, i, d->x, 1) || is_range_row(s, i, d->x, -1))
            continue;
        if (!x && y) {
            if (!combine(s, &row, d->k, &nothing, 0, &row))
                return NULL;
            row.k[0] += y < 0 ? d->k - 1 : 0;
            *dim_of(s, &row, d->y) = y;
        } else if (x) {
            *dim_of(s, &row, d->y) = x;
            *dim_of(s, &row, d->x) = 0;
        }
        row.equal = equal;
        s->rows[n++] = row;
    }
    s->n_rows = n;
    s->atoms[d->y] = gcal_poly_atom(gcal_poly_dimension(s->frame->c, "point", NULL));
    drop_column(s, d->x);
    return sum_system(s, weight);
}

/* ---- one dimension less ---- */

static int64_t magnitude(int64_t k)
{
    return k < 0 ? -k : k;
}

/* Row 'i' as a bound of 'dim' from below (sign 1: k*dim + rest >= 0 with k > 0) or above
 * (-1: k < 0); equalities are both.
 */
static struct row oriented(const struct system *s, size_t i, size_t dim, int sign)
{
    struct row row = s->rows[i];

    if ((factor(s, i, dim) > 0) != (sign > 0))
        for (size_t j = 0; j < n_columns(s); j++)
            row.k[j] = -row.k[j];
    row.equal = false;
    return row;
}

static bool bounds(const struct system *s, size_t i, size_t dim, int sign)
{
    int64_t k = factor(s, i, dim);

    return k && (s->rows[i].equal || (k > 0) == (sign > 0));
}

/* How much work summing over 'dim' first would make; -1 when it has no end. */
static long cost_of(const struct system *s, const struct gcal_poly *weight, size_t dim)
{
    long lower = 0, upper = 0, cost = 0;

    for (size_t i = 0; i < s->n_rows; i++) {
        lower += bounds(s, i, dim, 1);
        upper += bounds(s, i, dim, -1);
        cost += magnitude(factor(s, i, dim)) > 1 ? 100 : 0;
    }
    if (!lower || !upper)
        return -1;
    if (gcal_poly_hides(s->frame->c, weight, s->atoms[dim]))
        cost += 1000;
    return cost + lower * upper;
}

static const struct gcal_poly *add(const struct system *s, const struct gcal_poly *a,
                                   const struct gcal_poly *b)
{
    return a && b ? gcal_poly_add(s->frame->c, a, b) : NULL;
}

/* dim = period*v + r for each r: floors then hold no v. */
static const struct gcal_poly *sum_by_period(const struct system *s,
                                             const struct gcal_poly *weight, size_t dim)
{
    struct gcal_polys *c = s->frame->c;
    int64_t period = gcal_poly_period(c, weight, s->atoms[dim]);
    const struct gcal_poly *total = gcal_poly_integer(c, 0);
    struct system *part;

    if (period < 2 || period > LONGEST_PERIOD || !(part = malloc(sizeof(*part))))
        return NULL;
    for (int64_t r = 0; r < period && total; r++) {
        const struct gcal_poly *v, *value;

        *part = *s;
        part->atoms[dim] = new_point(part);
        v = gcal_poly_of_atom(c, part->atoms[dim]);
        for (size_t i = 0; i < part->n_rows; i++) {
            int64_t *k = dim_of(part, &part->rows[i], dim);

            part->rows[i].k[0] += *k * r;
            *k *= period;
        }
        value =
            gcal_poly_add(c, gcal_poly_scale(c, v, period, 1), gcal_poly_integer(c, r));
        value = gcal_poly_substitute(c, weight, s->atoms[dim], value);
        total = gcal_poly_hides(c, value, part->atoms[dim])
                    ? NULL
                    : add(s, total, sum_system(part, value));
    }
    free(part);
    return total;
}

/* Adds the conditions that 'best' decides among the bounds of its side: its rest over its
 * factor is the smallest, and among equal ones it is the first.
 */
static bool add_deciding(const struct system *s, struct system *piece, size_t best,
                         size_t dim, int sign)
{
    struct row x = oriented(s, best, dim, sign), y;
    int64_t a = magnitude(factor(s, best, dim));

    for (size_t i = 0; i < s->n_rows; i++) {
        if (i == best || !bounds(s, i, dim, sign))
            continue;
        y = oriented(s, i, dim, sign);
        if (!combine(s, &y, a, &x, -magnitude(factor(s, i, dim)), &y))
            return false;
        y.k[0] -= i < best;
        if (!add_row(piece, &y))
            return false;
    }
    return true;
}

/* The greatest or least integer that row 'i' lets 'dim' be. */
static const struct gcal_poly *bound_of(const struct system *s, size_t i, size_t dim,
                                        int sign)
{
    struct gcal_polys *c = s->frame->c;
    struct row row = oriented(s, i, dim, sign);
    const struct gcal_poly *rest = value_of(s, &row, dim);
    int64_t k = magnitude(factor(s, i, dim));

    if (sign > 0) /* ceil(-rest/k) */
        rest = gcal_poly_sub(c, gcal_poly_integer(c, k - 1), rest);
    return gcal_poly_floor(c, rest, k);
}

/* The piece in which the rows 'low' and 'high' bound 'dim'. */
static const struct gcal_poly *sum_piece(const struct system *s,
                                         const struct gcal_poly *weight, size_t dim,
                                         size_t low, size_t high)
{
    struct gcal_polys *c = s->frame->c;
    struct system *piece = malloc(sizeof(*piece));
    const struct gcal_poly *least, *most, *v, *sum = NULL;
    struct row lower, upper;

    if (!piece || --*s->counting->pieces_left < 0)
        goto out;
    *piece = *s;
    piece->n_rows = 0;
    for (size_t i = 0; i < s->n_rows; i++)
        if (!factor(s, i, dim) && !add_row(piece, &s->rows[i]))
            goto out;
    lower = oriented(s, low, dim, 1);
    upper = oriented(s, high, dim, -1);
    if (!add_deciding(s, piece, low, dim, 1) || !add_deciding(s, piece, high, dim, -1) ||
        !combine(s, &lower, magnitude(factor(s, high, dim)), &upper,
                 magnitude(factor(s, low, dim)), &upper) ||
        !add_row(piece, &upper)) /* the range is not empty */
        goto out;
    least = bound_of(s, low, dim, 1);
    most = bound_of(s, high, dim, -1);
    drop_column(piece, dim);
    v = gcal_poly_of_atom(c, s->atoms[dim]);
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

static const struct gcal_poly *sum_dimension(const struct system *s,
                                             const struct gcal_poly *weight, size_t dim)
{
    const struct gcal_poly *total = gcal_poly_integer(s->frame->c, 0);

    if (gcal_poly_hides(s->frame->c, weight, s->atoms[dim]))
        return sum_by_period(s, weight, dim);
    for (size_t low = 0; low < s->n_rows && total; low++)
        for (size_t high = 0; high < s->n_rows && total; high++)
            if (bounds(s, low, dim, 1) && bounds(s, high, dim, -1))
                total = add(s, total, sum_piece(s, weight, dim, low, high));
    return total;
}

/* ---- conditions on sizes alone ---- */

/* 'weight' where p >= 0, else 0. */
static const struct gcal_poly *where(struct gcal_polys *c, const struct gcal_poly *weight,
                                     const struct gcal_poly *p)
{
    const struct gcal_poly *next = gcal_poly_add(c, p, gcal_poly_integer(c, 1));

    /* m*n where n > 0: n is 0 elsewhere, and so is the product */
    if (gcal_poly_is_nonnegative(c, next) && gcal_poly_divide(c, weight, next))
        return weight;
    if (gcal_poly_equal(weight, next)) /* n where n > 0 */
        return gcal_poly_max(c, gcal_poly_integer(c, 0), next);
    return gcal_poly_mul(c, weight, gcal_poly_step(c, p));
}

static const struct gcal_poly *cut_by_sizes(const struct system *s,
                                            const struct gcal_poly *weight)
{
    struct gcal_polys *c = s->frame->c;

    for (size_t i = 0; i < s->n_rows; i++) {
        const struct gcal_poly *p = value_of(s, &s->rows[i], SIZE_MAX);

        weight = where(c, weight, p);
        if (s->rows[i].equal)
            weight = where(c, weight, gcal_poly_scale(c, p, -1, 1));
    }
    return weight;
}

/* ---- all of them ---- */

static const struct gcal_poly *sum_system(struct system *s,
                                          const struct gcal_poly *weight)
{
    struct digits digits;
    size_t row, dim, best = SIZE_MAX;
    long least = 0;

    if (s->frame->c->failed)
        return NULL;
    if (!weight->n_terms || !tidy(s))
        return gcal_poly_integer(s->frame->c, 0);
    if (!s->n_dims)
        return cut_by_sizes(s, weight);
    if (find_fixed(s, &row, &dim))
        return sum_fixed(s, weight, row, dim);
    if (find_digits(s, weight, &digits))
        return sum_digits(s, weight, &digits);
    for (dim = 0; dim < s->n_dims; dim++) {
        long cost = cost_of(s, weight, dim);

        if (cost >= 0 && (best == SIZE_MAX || cost < least)) {
            best = dim;
            least = cost;
        }
    }
    return best == SIZE_MAX ? NULL : sum_dimension(s, weight, best);
}

static isl_stat count_basic(isl_basic_set *set, void *data)
{
    struct counting *counting = data;
    struct system *s = calloc(1, sizeof(*s));

    if (s && counting->total) {
        s->frame = counting->frame;
        s->counting = counting;
        counting->total = read_set(s, set)
                              ? add(s, counting->total,
                                    sum_system(s, gcal_poly_integer(s->frame->c, 1)))
                              : NULL;
    }
    free(s);
    isl_basic_set_free(set);
    return counting->total ? isl_stat_ok : isl_stat_error;
}

const struct gcal_poly *gcal_points_count(struct gcal_frame *frame, isl_set *set)
{
    int pieces_left = MOST_PIECES;
    struct gcal_frame sizes = *frame;
    struct counting counting = { .frame = frame,
                                 .total = gcal_poly_integer(frame->c, 0),
                                 .pieces_left = &pieces_left };

    sizes.n_dims = 0;
    counting.facts = gcal_frame_universe(&sizes);
    set = isl_set_coalesce(isl_set_make_disjoint(isl_set_compute_divs(set)));
    if (!counting.facts || isl_set_foreach_basic_set(set, count_basic, &counting) < 0)
        counting.total = NULL;
    isl_basic_set_free(counting.facts);
    isl_set_free(set);
    return counting.total;
}
