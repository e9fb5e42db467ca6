/* system.c - linear systems, from isl's sets and back */

#include <isl/constraint.h>
#include <isl/val.h>
#include <stdlib.h>

#include "kernels/sets/private.h"

/* ---- rows ---- */

int64_t *gcal_sets_system_coefficient_at(const struct gcal_sets_system *s,
                                         struct gcal_sets_row *row, size_t dim)
{
    return &row->k[1 + s->context->n_sizes + dim];
}

int64_t gcal_sets_system_coefficient(const struct gcal_sets_system *s, size_t row,
                                     size_t dim)
{
    return s->rows[row].k[1 + s->context->n_sizes + dim];
}

unsigned gcal_sets_system_new_dimension(struct gcal_sets_system *s)
{
    return gcal_poly_atom_index(
        gcal_poly_shared_dimension(s->context->c, s->next_dimension++));
}

size_t gcal_sets_system_columns(const struct gcal_sets_system *s)
{
    return 1 + s->context->n_sizes + s->n_dims;
}

bool gcal_sets_system_add(struct gcal_sets_system *s, const struct gcal_sets_row *row)
{
    if (s->n_rows == GCAL_SETS_SYSTEM_ROWS)
        return false;
    s->rows[s->n_rows++] = *row;
    return true;
}

bool gcal_sets_system_combine(const struct gcal_sets_system *s,
                              const struct gcal_sets_row *x, int64_t a,
                              const struct gcal_sets_row *y, int64_t b,
                              struct gcal_sets_row *out)
{
    struct gcal_sets_row sum = { .equal = false };

    for (size_t i = 0; i < gcal_sets_system_columns(s); i++) {
        int64_t p, q;

        if (__builtin_mul_overflow(x->k[i], a, &p) ||
            __builtin_mul_overflow(y->k[i], b, &q) ||
            __builtin_add_overflow(p, q, &sum.k[i]))
            return false;
    }
    *out = sum;
    return true;
}

const struct gcal_poly *gcal_sets_system_value(const struct gcal_sets_system *s,
                                               const struct gcal_sets_row *row,
                                               size_t but)
{
    struct gcal_poly_context *c = s->context->c;
    const struct gcal_poly *p = gcal_poly_integer(c, row->k[0]);

    for (size_t i = 0; i < s->context->n_sizes; i++)
        if (row->k[1 + i])
            p = gcal_poly_add(c, p,
                              gcal_poly_scale(c, s->context->sizes[i], row->k[1 + i], 1));
    for (size_t i = 0; i < s->n_dims; i++)
        if (i != but && row->k[1 + s->context->n_sizes + i])
            p = gcal_poly_add(c, p,
                              gcal_poly_scale(c, gcal_poly_from_atom(c, s->atoms[i]),
                                              row->k[1 + s->context->n_sizes + i], 1));
    return p;
}

void gcal_sets_system_drop(struct gcal_sets_system *s, size_t dim)
{
    size_t first = 1 + s->context->n_sizes + dim, n = gcal_sets_system_columns(s);

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

static isl_constraint *constraint_of(const struct gcal_sets_system *s,
                                     const struct gcal_sets_row *row,
                                     isl_local_space *space)
{
    isl_constraint *c = row->equal ? isl_constraint_alloc_equality(space)
                                   : isl_constraint_alloc_inequality(space);
    isl_ctx *isl = s->context->isl;

    c = isl_constraint_set_constant_val(c, isl_val_int_from_si(isl, (long)row->k[0]));
    for (size_t i = 0; i < s->context->n_sizes; i++)
        c = isl_constraint_set_coefficient_val(
            c, isl_dim_param, (int)i, isl_val_int_from_si(isl, (long)row->k[1 + i]));
    for (size_t i = 0; i < s->n_dims; i++)
        c = isl_constraint_set_coefficient_val(
            c, isl_dim_set, (int)i,
            isl_val_int_from_si(isl, (long)row->k[1 + s->context->n_sizes + i]));
    return c;
}

static isl_basic_set *to_isl(const struct gcal_sets_system *s)
{
    isl_space *space = isl_space_set_alloc(s->context->isl, (unsigned)s->context->n_sizes,
                                           (unsigned)s->n_dims);
    isl_basic_set *set = isl_basic_set_universe(isl_space_copy(space));
    isl_local_space *local = isl_local_space_from_space(space);

    for (size_t i = 0; i < s->n_rows; i++)
        set = isl_basic_set_add_constraint(
            set, constraint_of(s, &s->rows[i], isl_local_space_copy(local)));
    isl_local_space_free(local);
    return set;
}

/* A row of an affine function (times its denominator) over sizes, dimensions and, as
 * further dimensions, divs.
 */
static bool read_row(const struct gcal_sets_system *s, isl_aff *aff, size_t n_set,
                     size_t n_divs, struct gcal_sets_row *row)
{
    bool good = gcal_sets_isl_integer(isl_aff_get_constant_val(aff), &row->k[0]);

    for (size_t i = 0; i < s->context->n_sizes && good; i++)
        good = gcal_sets_isl_integer(
            isl_aff_get_coefficient_val(aff, isl_dim_param, (int)i), &row->k[1 + i]);
    for (size_t i = 0; i < n_set && good; i++)
        good = gcal_sets_isl_integer(isl_aff_get_coefficient_val(aff, isl_dim_in, (int)i),
                                     &row->k[1 + s->context->n_sizes + i]);
    for (size_t i = 0; i < n_divs && good; i++)
        good =
            gcal_sets_isl_integer(isl_aff_get_coefficient_val(aff, isl_dim_div, (int)i),
                                  &row->k[1 + s->context->n_sizes + n_set + i]);
    return good;
}

/* Adds the rows that define div 'i': k*q <= e <= k*q + k-1. */
static bool read_div(struct gcal_sets_system *s, isl_basic_set *set, size_t n_set,
                     size_t i)
{
    isl_aff *div = isl_basic_set_get_div(set, (int)i);
    isl_val *denominator = isl_aff_get_denominator_val(div);
    struct gcal_sets_row low = { .equal = false }, high;
    int64_t k = 0;
    bool good = isl_aff_is_nan(div) == isl_bool_false &&
                gcal_sets_isl_integer(isl_val_copy(denominator), &k);

    div = isl_aff_scale_val(div, denominator);
    good = good && read_row(s, div, n_set, i, &low);
    isl_aff_free(div);
    if (!good)
        return false;
    *gcal_sets_system_coefficient_at(s, &low, n_set + i) -= k;
    for (size_t j = 0; j < GCAL_SETS_SYSTEM_COLUMNS; j++)
        high.k[j] = -low.k[j];
    high.equal = false;
    high.k[0] += k - 1;
    return gcal_sets_system_add(s, &low) && gcal_sets_system_add(s, &high);
}

static bool read_constraints(struct gcal_sets_system *s, isl_basic_set *set, size_t n_set,
                             size_t n_divs)
{
    isl_constraint_list *list = isl_basic_set_get_constraint_list(set);
    isl_size n = isl_constraint_list_n_constraint(list);
    bool good = n >= 0;

    for (int i = 0; i < n && good; i++) {
        isl_constraint *constraint = isl_constraint_list_get_constraint(list, i);
        isl_aff *aff = isl_constraint_get_aff(constraint);
        struct gcal_sets_row row = { .equal = isl_constraint_is_equality(constraint) ==
                                              isl_bool_true };

        good = read_row(s, aff, n_set, n_divs, &row) && gcal_sets_system_add(s, &row);
        isl_aff_free(aff);
        isl_constraint_free(constraint);
    }
    isl_constraint_list_free(list);
    return good;
}

bool gcal_sets_system_read(struct gcal_sets_system *s, isl_basic_set *set)
{
    isl_size n_set = isl_basic_set_dim(set, isl_dim_set);
    isl_size n_divs = isl_basic_set_dim(set, isl_dim_div);

    if (n_set < 0 || n_divs < 0 || n_set + n_divs > GCAL_SETS_MAX_DEPTH)
        return false;
    s->n_rows = 0;
    while (s->n_dims < (size_t)n_set + (size_t)n_divs)
        s->atoms[s->n_dims++] = gcal_sets_system_new_dimension(s);
    s->n_dims = (size_t)n_set + (size_t)n_divs;
    if (!read_constraints(s, set, (size_t)n_set, (size_t)n_divs))
        return false;
    for (size_t i = 0; i < (size_t)n_divs; i++)
        if (!read_div(s, set, (size_t)n_set, i))
            return false;
    return true;
}

/* ---- simplification ---- */

static isl_basic_set *facts_of(const struct gcal_sets_system *s)
{
    return isl_basic_set_add_dims(isl_basic_set_copy(s->facts), isl_dim_set,
                                  (unsigned)s->n_dims);
}

/* isl_basic_set_gist() with unconstrained extra dimensions.  They make room in isl's
 * tableau, as isl 0.25 reads freed memory when it has to grow it.
 */
static isl_basic_set *simplify(const struct gcal_sets_system *s)
{
    enum { ROOM = 6 };
    isl_basic_set *set = isl_basic_set_add_dims(to_isl(s), isl_dim_set, ROOM);
    isl_basic_set *facts = isl_basic_set_add_dims(facts_of(s), isl_dim_set, ROOM);

    return isl_basic_set_project_out(isl_basic_set_gist(set, facts), isl_dim_set,
                                     (unsigned)s->n_dims, ROOM);
}

int gcal_sets_system_simplify(struct gcal_sets_system *s)
{
    isl_basic_set *set = simplify(s);
    int some = isl_basic_set_plain_is_empty(set) != isl_bool_true;
    struct gcal_sets_system *simpler = malloc(sizeof(*simpler));

    if (simpler && some) {
        *simpler = *s;
        if (isl_basic_set_dim(set, isl_dim_div) == 0 &&
            gcal_sets_system_read(simpler, set))
            *s = *simpler;
    }
    free(simpler);
    isl_basic_set_free(set);
    return some;
}
