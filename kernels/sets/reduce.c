/* reduce.c - systems with a dimension less, over which the sum is the same
 *
 * A dimension that an equality fixes is replaced; two digits of a number become the number.
 * What a floor of other dimensions leaves are cases: one for each remainder.
 */
#include "kernels/sets/private.h"

/* ---- an equality that fixes a dimension ---- */

/* An equality fixes a dimension: dim = -rest/k with k = 1 or -1. */
static bool find_fixed(const struct gcal_sets_system *s, size_t *row, size_t *dim)
{
    for (size_t i = 0; i < s->n_rows; i++)
        for (size_t d = 0; d < s->n_dims && s->rows[i].equal; d++)
            if (gcal_sets_system_coefficient(s, i, d) == 1 ||
                gcal_sets_system_coefficient(s, i, d) == -1) {
                *row = i;
                *dim = d;
                return true;
            }
    return false;
}

static bool replace_fixed(struct gcal_sets_system *s, const struct gcal_poly **weight,
                          size_t row, size_t dim)
{
    struct gcal_sets_row by = s->rows[row];
    int64_t k = gcal_sets_system_coefficient(s, row, dim);
    const struct gcal_poly *value =
        gcal_poly_scale(s->context->c, gcal_sets_system_value(s, &by, dim), -k, 1);

    *weight = gcal_poly_substitute(s->context->c, *weight, s->atoms[dim], value);
    s->rows[row] = s->rows[--s->n_rows];
    for (size_t i = 0; i < s->n_rows; i++) {
        bool equal = s->rows[i].equal;

        if (!gcal_sets_system_combine(s, &s->rows[i], 1, &by,
                                      -k * gcal_sets_system_coefficient(s, i, dim),
                                      &s->rows[i]))
            return false;
        s->rows[i].equal = equal;
    }
    gcal_sets_system_drop(s, dim);
    return true;
}

/* ---- digits: x and y that occur only as x + k*y, first <= x < first + k ---- */

struct digits {
    size_t x, y;
    int64_t first, k;
};

/* Returns whether 'row' is lone*x + number >= 0. */
static bool is_range_row(const struct gcal_sets_system *s, size_t row, size_t x,
                         int64_t lone)
{
    const struct gcal_sets_row *r = &s->rows[row];

    for (size_t i = 1; i < gcal_sets_system_columns(s); i++)
        if (i != 1 + s->context->n_sizes + x && r->k[i])
            return false;
    return gcal_sets_system_coefficient(s, row, x) == lone && !r->equal;
}

static bool find_range(const struct gcal_sets_system *s, size_t x, struct digits *d)
{
    bool starts = false, ends = false;
    int64_t last = 0;

    for (size_t i = 0; i < s->n_rows; i++) {
        int64_t number = s->rows[i].k[0];

        if (is_range_row(s, i, x, 1) && (!starts || -number > d->first)) {
            d->first = -number;
            starts = true;
        } else if (is_range_row(s, i, x, -1) && (!ends || number < last)) {
            last = number;
            ends = true;
        }
    }
    return starts && ends && !__builtin_sub_overflow(last, d->first, &d->k) && ++d->k > 1;
}

/* Returns whether the other rows contain x only as x + k*y, and y alone times 1 or -1. */
static bool are_digits(const struct gcal_sets_system *s, const struct digits *d)
{
    bool together = false;

    for (size_t i = 0; i < s->n_rows; i++) {
        int64_t x = gcal_sets_system_coefficient(s, i, d->x),
                y = gcal_sets_system_coefficient(s, i, d->y), scaled;

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

static bool find_digits(const struct gcal_sets_system *s, const struct gcal_poly *weight,
                        struct digits *d)
{
    for (d->x = 0; d->x < s->n_dims; d->x++) {
        if (gcal_poly_contains(s->context->c, weight, s->atoms[d->x]) ||
            !find_range(s, d->x, d))
            continue;
        for (d->y = 0; d->y < s->n_dims; d->y++)
            if (d->y != d->x &&
                !gcal_poly_contains(s->context->c, weight, s->atoms[d->y]) &&
                are_digits(s, d))
                return true;
    }
    return false;
}

/* With z = x - first + k*y: y >= e is z >= k*e, y <= e is z <= k*e + k-1. */
static bool join_digits(struct gcal_sets_system *s, const struct digits *d)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_rows; i++) {
        struct gcal_sets_row row = s->rows[i], nothing = { .equal = false };
        int64_t x = gcal_sets_system_coefficient(s, i, d->x),
                y = gcal_sets_system_coefficient(s, i, d->y);
        bool equal = row.equal;

        if (is_range_row(s, i, d->x, 1) || is_range_row(s, i, d->x, -1))
            continue;
        if (!x && y) {
            if (!gcal_sets_system_combine(s, &row, d->k, &nothing, 0, &row))
                return false;
            row.k[0] += y < 0 ? d->k - 1 : 0;
            *gcal_sets_system_coefficient_at(s, &row, d->y) = y;
        } else if (x) {
            int64_t shift;

            if (__builtin_mul_overflow(x, d->first, &shift) ||
                __builtin_add_overflow(row.k[0], shift, &row.k[0]))
                return false;
            *gcal_sets_system_coefficient_at(s, &row, d->y) = x;
            *gcal_sets_system_coefficient_at(s, &row, d->x) = 0;
        }
        row.equal = equal;
        s->rows[n++] = row;
    }
    s->n_rows = n;
    s->atoms[d->y] =
        gcal_poly_atom_index(gcal_poly_dimension(s->context->c, "point", NULL));
    gcal_sets_system_drop(s, d->x);
    return true;
}

int gcal_sets_system_reduce(struct gcal_sets_system *s, const struct gcal_poly **weight)
{
    struct digits digits = { .first = 0 };
    size_t row, dim;

    if (find_digits(s, *weight, &digits))
        return join_digits(s, &digits) ? 1 : -1;
    if (find_fixed(s, &row, &dim))
        return replace_fixed(s, weight, row, dim) ? 1 : -1;
    return 0;
}

/* ---- residues: e = floor((a*b + number)/k) of another dimension b ---- */

enum { MOST_CASES = 12 };

/* Returns whether 'row' is a*b - k*e + number >= 0 for some k > 1. */
static bool is_floor_row(const struct gcal_sets_system *s, size_t row,
                         struct gcal_sets_floor *r)
{
    const struct gcal_sets_row *from = &s->rows[row];
    size_t first = 1 + s->context->n_sizes;

    r->b = SIZE_MAX;
    r->k = -gcal_sets_system_coefficient(s, row, r->e);
    if (from->equal || r->k < 2)
        return false;
    for (size_t i = 1; i < gcal_sets_system_columns(s); i++)
        if (from->k[i] && i != first + r->e) {
            if (i < first || r->b != SIZE_MAX)
                return false;
            r->b = i - first;
        }
    if (r->b == SIZE_MAX)
        return false;
    r->a = gcal_sets_system_coefficient(s, row, r->b);
    r->number = from->k[0];
    r->n_cases = r->k / gcal_poly_gcd(r->k, r->a);
    return true;
}

/* Returns whether 'row' is the other bound of e: k*e + k-1 - a*b - number >= 0. */
static bool is_other_row(const struct gcal_sets_system *s, size_t row,
                         const struct gcal_sets_floor *r)
{
    const struct gcal_sets_row *from = &s->rows[row];
    size_t first = 1 + s->context->n_sizes;

    for (size_t i = 1; i < gcal_sets_system_columns(s); i++)
        if (from->k[i] != (i == first + r->e ? r->k : i == first + r->b ? -r->a : 0))
            return false;
    return !from->equal && from->k[0] == r->k - 1 - r->number;
}

static bool find_residues(const struct gcal_sets_system *s, struct gcal_sets_floor *r)
{
    for (r->e = 0; r->e < s->n_dims; r->e++)
        for (size_t i = 0; i < s->n_rows; i++) {
            if (!is_floor_row(s, i, r) || r->n_cases > MOST_CASES)
                continue;
            for (size_t j = 0; j < s->n_rows; j++)
                if (is_other_row(s, j, r))
                    return true;
        }
    return false;
}

/* b = period*v + 'residue', where e = slope*v + number. */
static void take_residue(struct gcal_sets_system *s, const struct gcal_poly **weight,
                         const struct gcal_sets_floor *r, int64_t residue)
{
    struct gcal_poly_context *c = s->context->c;
    int64_t period = r->n_cases, slope = period * r->a / r->k,
            number = gcal_poly_floor_divide(r->a * residue + r->number, r->k);
    unsigned before = s->atoms[r->b];
    const struct gcal_poly *v;

    s->atoms[r->b] = gcal_sets_system_new_dimension(s);
    v = gcal_poly_from_atom(c, s->atoms[r->b]);
    *weight = gcal_poly_substitute(c, *weight, before,
                                   gcal_poly_add(c, gcal_poly_scale(c, v, period, 1),
                                                 gcal_poly_integer(c, residue)));
    *weight = gcal_poly_substitute(
        c, *weight, s->atoms[r->e],
        gcal_poly_add(c, gcal_poly_scale(c, v, slope, 1), gcal_poly_integer(c, number)));
    for (size_t i = 0; i < s->n_rows; i++) {
        int64_t *b = gcal_sets_system_coefficient_at(s, &s->rows[i], r->b),
                *e = gcal_sets_system_coefficient_at(s, &s->rows[i], r->e);

        s->rows[i].k[0] += *b * residue + *e * number;
        *b = *b * period + *e * slope;
        *e = 0;
    }
    gcal_sets_system_drop(s, r->e);
}

/* ---- remainders: e = floor(p/k), where p has a dimension b times 1 or -1 ---- */

static bool is_floor_pair(const struct gcal_sets_system *s, struct gcal_sets_floor *r)
{
    const struct gcal_sets_row *low = &s->rows[r->low], *high = &s->rows[r->high];

    for (size_t i = 1; i < gcal_sets_system_columns(s); i++)
        if (low->k[i] != -high->k[i])
            return false;
    return !low->equal && !high->equal && low->k[0] + high->k[0] == r->k - 1;
}

static bool find_remainders(const struct gcal_sets_system *s, struct gcal_sets_floor *r)
{
    for (r->low = 0; r->low < s->n_rows; r->low++)
        for (r->e = 0; r->e < s->n_dims; r->e++) {
            bool unit = false;

            r->k = -gcal_sets_system_coefficient(s, r->low, r->e);
            for (size_t d = 0; d < s->n_dims; d++) {
                int64_t k = gcal_sets_system_coefficient(s, r->low, d);

                unit = unit || (d != r->e && (k == 1 || k == -1));
            }
            for (r->high = 0;
                 unit && r->k > 1 && r->k <= MOST_CASES && r->high < s->n_rows; r->high++)
                if (is_floor_pair(s, r))
                    return true;
        }
    return false;
}

/* ---- floors ---- */

bool gcal_sets_system_find_floor(const struct gcal_sets_system *s,
                                 struct gcal_sets_floor *floor)
{
    floor->by_residue = find_residues(s, floor);
    if (floor->by_residue)
        return true;
    if (!find_remainders(s, floor))
        return false;
    floor->n_cases = floor->k;
    return true;
}

void gcal_sets_system_take_case(struct gcal_sets_system *s,
                                const struct gcal_poly **weight,
                                const struct gcal_sets_floor *floor, int64_t number)
{
    if (floor->by_residue)
        take_residue(s, weight, floor, number);
    else {
        /* p - k*e = 'number', which gives b. */
        s->rows[floor->low].equal = true;
        s->rows[floor->low].k[0] -= number;
        s->rows[floor->high] = s->rows[--s->n_rows];
    }
}
