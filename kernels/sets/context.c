/* context.c - polynomials and conditions as isl's affine functions and sets */
#include <isl/constraint.h>
#include <isl/options.h>
#include <isl/val.h>

#include "kernels/sets/context.h"
#include "kernels/poly/private.h"

isl_ctx *gcal_sets_isl_create(void)
{
    isl_ctx *isl = isl_ctx_alloc();

    if (!isl)
        return NULL;
    isl_options_set_on_error(isl, ISL_ON_ERROR_CONTINUE); /* and never abort or print */
    return isl;
}

void gcal_sets_isl_destroy(isl_ctx *isl)
{
    if (isl)
        isl_ctx_free(isl);
}

bool gcal_sets_isl_integer(isl_val *value, int64_t *out)
{
    bool fits = value && isl_val_is_int(value) == isl_bool_true &&
                isl_val_cmp_si(value, INT64_MAX / 2) < 0 &&
                isl_val_cmp_si(value, INT64_MIN / 2) > 0;

    if (fits)
        *out = isl_val_get_num_si(value);
    isl_val_free(value);
    return fits;
}

/* ---- sizes ---- */

static bool has_frame_dim(const struct gcal_sets_context *f, unsigned atom)
{
    const struct gcal_poly_atom *a = &f->c->atoms[atom];

    if (a->kind == GCAL_POLY_ATOM_DIMENSION)
        return true;
    return a->kind >= GCAL_POLY_ATOM_FLOOR &&
           (gcal_poly_has_dimension(f->c, a->a) ||
            (a->b && gcal_poly_has_dimension(f->c, a->b)));
}

/* The term's factors without dimensions, as a polynomial with the factor 1; those with
 * are counted in 'n_dims', and the last of them is 'dim'.
 */
static const struct gcal_poly *size_of_term(const struct gcal_sets_context *f,
                                            const struct gcal_poly_term *t,
                                            size_t *n_dims, unsigned *dim)
{
    const struct gcal_poly *monomial = gcal_poly_integer(f->c, 1);

    *n_dims = 0;
    for (size_t i = 0; i < t->n_factors; i++) {
        unsigned atom = t->factors[i].atom;

        if (has_frame_dim(f, atom)) {
            *n_dims += t->factors[i].power;
            *dim = atom;
            continue;
        }
        for (unsigned k = 0; k < t->factors[i].power; k++)
            monomial = gcal_poly_mul(f->c, monomial, gcal_poly_from_atom(f->c, atom));
    }
    return monomial;
}

static int find_size(const struct gcal_sets_context *f, const struct gcal_poly *monomial)
{
    for (size_t i = 0; i < f->n_sizes; i++)
        if (gcal_poly_equal(f->sizes[i], monomial))
            return (int)i;
    return -1;
}

static void add_fact(struct gcal_sets_context *f, const struct gcal_poly *p)
{
    for (size_t i = 0; i < f->n_facts; i++)
        if (gcal_poly_equal(f->facts[i], p))
            return;
    if (f->n_facts < GCAL_SETS_MAX_FACTS) /* knowing less is no error */
        f->facts[f->n_facts++] = p;
}

/* What can be said of a new size: how small it can be, and beside the others. */
static void relate(struct gcal_sets_context *f, const struct gcal_poly *size)
{
    const struct gcal_poly *one = gcal_poly_integer(f->c, 1), *d;

    d = gcal_poly_sub(f->c, size, one);
    if (gcal_poly_is_nonnegative(f->c, d))
        add_fact(f, d);
    else if (gcal_poly_is_nonnegative(f->c, size))
        add_fact(f, size);
    for (size_t i = 0; i + 1 < f->n_sizes; i++) {
        d = gcal_poly_sub(f->c, size, f->sizes[i]);
        if (gcal_poly_is_nonnegative(f->c, d))
            add_fact(f, d);
        else if (gcal_poly_is_nonnegative(f->c, d = gcal_poly_scale(f->c, d, -1, 1)))
            add_fact(f, d);
    }
}

/* k*q <= p <= k*q + k-1 of q = floor(p/k); a minimum is at most, a maximum at least. */
static void define(struct gcal_sets_context *f, unsigned atom)
{
    struct gcal_poly_atom a = f->c->atoms[atom];
    const struct gcal_poly *q = gcal_poly_from_atom(f->c, atom), *d;

    if (a.kind < GCAL_POLY_ATOM_FLOOR)
        return;
    gcal_sets_context_register(f, a.a);
    if (a.b)
        gcal_sets_context_register(f, a.b);
    if (a.kind ==
        GCAL_POLY_ATOM_QUOTIENT) { /* with the product of both as one more size */
        d = gcal_poly_sub(f->c, a.a, gcal_poly_mul(f->c, a.b, q));
        gcal_sets_context_register(f, d);
        add_fact(f, d);
        add_fact(f, gcal_poly_sub(f->c, gcal_poly_sub(f->c, a.b, d),
                                  gcal_poly_integer(f->c, 1)));
        return;
    }
    if (a.kind == GCAL_POLY_ATOM_STEP) {
        add_fact(f, q);
        add_fact(f, gcal_poly_sub(f->c, gcal_poly_integer(f->c, 1), q));
        return;
    }
    if (a.kind == GCAL_POLY_ATOM_FLOOR) {
        d = gcal_poly_sub(f->c, a.a, gcal_poly_scale(f->c, q, a.k, 1));
        add_fact(f, d);
        add_fact(f, gcal_poly_sub(f->c, gcal_poly_integer(f->c, a.k - 1), d));
        return;
    }
    for (int side = 0; side < 2; side++) {
        d = gcal_poly_sub(f->c, side ? a.b : a.a, q);
        add_fact(f, a.kind == GCAL_POLY_ATOM_MIN ? d : gcal_poly_scale(f->c, d, -1, 1));
    }
}

int gcal_sets_context_add_size(struct gcal_sets_context *f,
                               const struct gcal_poly *monomial)
{
    int known = find_size(f, monomial);
    const struct gcal_poly_term *t = &monomial->terms[0];

    if (known >= 0)
        return known;
    if (f->n_sizes == GCAL_SETS_MAX_SIZES) {
        f->failed = true;
        return -1;
    }
    known = (int)f->n_sizes;
    f->sizes[f->n_sizes++] = monomial;
    relate(f, monomial);
    for (size_t i = 0; i < t->n_factors; i++)
        define(f, t->factors[i].atom);
    return known;
}

void gcal_sets_context_register(struct gcal_sets_context *f, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms && !f->failed && !f->c->failed; i++) {
        const struct gcal_poly *monomial;
        struct gcal_poly_atom a;
        unsigned dim;
        size_t n_dims;

        monomial = size_of_term(f, &p->terms[i], &n_dims, &dim);
        if (n_dims && f->c->atoms[dim].kind != GCAL_POLY_ATOM_DIMENSION) {
            a = f->c->atoms[dim];
            gcal_sets_context_register(f, a.a);
            if (a.b)
                gcal_sets_context_register(f, a.b);
        }
        if (!n_dims && monomial->terms[0].n_factors)
            gcal_sets_context_add_size(f, monomial);
    }
}

void gcal_sets_context_register_condition(struct gcal_sets_context *f,
                                          const struct gcal_sets_condition *condition)
{
    if (condition->p)
        gcal_sets_context_register(f, condition->p);
    if (condition->a)
        gcal_sets_context_register_condition(f, condition->a);
    if (condition->b)
        gcal_sets_context_register_condition(f, condition->b);
}

void gcal_sets_context_init(struct gcal_sets_context *f, struct gcal_poly_context *c,
                            isl_ctx *isl)
{
    *f = (struct gcal_sets_context){ .c = c, .isl = isl };
    for (size_t i = 0; i < c->n_facts; i++) {
        gcal_sets_context_register(f, c->facts[i]);
        add_fact(f, c->facts[i]);
    }
}

/* ---- affine functions ---- */

static isl_space *make_space(const struct gcal_sets_context *f)
{
    return isl_space_set_alloc(f->isl, (unsigned)f->n_sizes, (unsigned)f->n_dims);
}

static isl_pw_aff *variable(const struct gcal_sets_context *f, enum isl_dim_type type,
                            size_t i)
{
    isl_local_space *space = isl_local_space_from_space(make_space(f));

    return isl_pw_aff_from_aff(isl_aff_var_on_domain(space, type, (unsigned)i));
}

static isl_pw_aff *of_atom(const struct gcal_sets_context *f, unsigned atom)
{
    struct gcal_poly_atom a = f->c->atoms[atom];
    isl_pw_aff *p, *q;

    if (a.kind == GCAL_POLY_ATOM_DIMENSION) {
        for (size_t i = 0; i < f->n_dims; i++)
            if (f->dims[i] == atom)
                return variable(f, isl_dim_set, i);
        return NULL;
    }
    if (a.kind == GCAL_POLY_ATOM_QUOTIENT)
        return NULL; /* see delinearize.c */
    p = gcal_sets_context_affine(f, a.a);
    if (a.kind == GCAL_POLY_ATOM_STEP)
        return isl_set_indicator_function(isl_pw_aff_nonneg_set(p));
    if (a.kind == GCAL_POLY_ATOM_FLOOR)
        return isl_pw_aff_floor(
            isl_pw_aff_scale_down_val(p, isl_val_int_from_si(f->isl, (long)a.k)));
    q = gcal_sets_context_affine(f, a.b);
    return a.kind == GCAL_POLY_ATOM_MIN ? isl_pw_aff_min(p, q) : isl_pw_aff_max(p, q);
}

static isl_pw_aff *of_term(const struct gcal_sets_context *f,
                           const struct gcal_poly_term *t)
{
    isl_val *factor = isl_val_div(isl_val_int_from_si(f->isl, (long)t->num),
                                  isl_val_int_from_si(f->isl, (long)t->den));
    const struct gcal_poly *monomial;
    isl_pw_aff *p = NULL;
    unsigned dim = 0;
    size_t n_dims;
    int size;

    monomial = size_of_term(f, t, &n_dims, &dim);
    if (n_dims == 1 && monomial->terms[0].n_factors == 0) {
        p = of_atom(f, dim);
    } else if (n_dims == 0 && monomial->terms[0].n_factors == 0) {
        p = isl_pw_aff_from_aff(isl_aff_val_on_domain(
            isl_local_space_from_space(make_space(f)), isl_val_one(f->isl)));
    } else if (n_dims == 0 && (size = find_size(f, monomial)) >= 0) {
        p = variable(f, isl_dim_param, (size_t)size);
    }
    return isl_pw_aff_scale_val(p, factor);
}

isl_pw_aff *gcal_sets_context_affine(const struct gcal_sets_context *f,
                                     const struct gcal_poly *p)
{
    isl_pw_aff *sum = isl_pw_aff_from_aff(
        isl_aff_zero_on_domain(isl_local_space_from_space(make_space(f))));

    for (size_t i = 0; i < p->n_terms && sum && !f->c->failed; i++)
        sum = isl_pw_aff_add(sum, of_term(f, &p->terms[i]));
    return sum;
}

/* value * p; NULL when the value is no small integer. */
static const struct gcal_poly *poly_of(const struct gcal_sets_context *f, isl_val *value,
                                       const struct gcal_poly *p)
{
    int64_t number;

    return gcal_sets_isl_integer(value, &number) && p
               ? gcal_poly_scale(f->c, p, number, 1)
               : NULL;
}

static const struct gcal_poly *add(const struct gcal_sets_context *f,
                                   const struct gcal_poly *a, const struct gcal_poly *b)
{
    return a && b ? gcal_poly_add(f->c, a, b) : NULL;
}

static const struct gcal_poly *div_poly(const struct gcal_sets_context *f, isl_aff *aff,
                                        int i)
{
    isl_aff *div = isl_aff_get_div(aff, i);
    const struct gcal_poly *p = gcal_sets_context_poly(f, div);

    isl_aff_free(div);
    return p ? gcal_poly_floor(f->c, p, 1) : NULL;
}

const struct gcal_poly *gcal_sets_context_poly(const struct gcal_sets_context *f,
                                               isl_aff *aff)
{
    isl_val *den = isl_aff_get_denominator_val(aff);
    isl_aff *whole = isl_aff_scale_val(isl_aff_copy(aff), isl_val_copy(den));
    isl_size n_divs = isl_aff_dim(whole, isl_dim_div);
    const struct gcal_poly *sum =
        poly_of(f, isl_aff_get_constant_val(whole), gcal_poly_integer(f->c, 1));

    for (size_t i = 0; i < f->n_sizes && sum; i++)
        sum = add(f, sum,
                  poly_of(f, isl_aff_get_coefficient_val(whole, isl_dim_param, (int)i),
                          f->sizes[i]));
    for (int i = 0; i < n_divs && sum; i++) {
        isl_val *factor = isl_aff_get_coefficient_val(whole, isl_dim_div, i);

        /* a div is made of those before it alone: the others' factors are 0 */
        sum = isl_val_is_zero(factor) == isl_bool_true
                  ? sum
                  : add(f, sum, poly_of(f, isl_val_copy(factor), div_poly(f, whole, i)));
        isl_val_free(factor);
    }
    isl_aff_free(whole);
    if (sum)
        sum = gcal_poly_scale(f->c, sum, 1, isl_val_get_num_si(den));
    isl_val_free(den);
    return sum;
}

/* ---- sets ---- */

/* p >= 0; NULL when p is not linear in the sizes. */
static isl_constraint *fact_of(const struct gcal_sets_context *f,
                               const struct gcal_poly *p, isl_local_space *space)
{
    isl_constraint *c = isl_constraint_alloc_inequality(space);
    int64_t den = gcal_poly_denominator(p);

    if (!den)
        return isl_constraint_free(c);
    p = gcal_poly_scale(f->c, p, den, 1);
    for (size_t i = 0; i < p->n_terms && c; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        isl_val *number = isl_val_int_from_si(f->isl, (long)t->num);
        size_t n_dims;
        unsigned dim;
        const struct gcal_poly *size = size_of_term(f, t, &n_dims, &dim);
        int known = find_size(f, size);

        if (!t->n_factors) {
            c = isl_constraint_set_constant_val(c, number);
        } else if (n_dims == 0 && known >= 0) {
            c = isl_constraint_set_coefficient_val(c, isl_dim_param, known, number);
        } else {
            isl_val_free(number);
            c = isl_constraint_free(c);
        }
    }
    return c;
}

isl_basic_set *gcal_sets_context_universe(const struct gcal_sets_context *f)
{
    isl_basic_set *set = isl_basic_set_universe(make_space(f));
    isl_local_space *space = isl_local_space_from_space(make_space(f));

    for (size_t i = 0; i < f->n_facts; i++) {
        isl_constraint *fact = fact_of(f, f->facts[i], isl_local_space_copy(space));

        if (fact)
            set = isl_basic_set_add_constraint(set, fact);
    }
    isl_local_space_free(space);
    return set;
}

isl_set *gcal_sets_context_range(const struct gcal_sets_context *f, size_t dim,
                                 const struct gcal_poly *trips)
{
    isl_pw_aff *v = variable(f, isl_dim_set, dim),
               *end = gcal_sets_context_affine(f, trips);

    isl_set *begun = isl_pw_aff_nonneg_set(isl_pw_aff_copy(v));

    return isl_set_intersect(begun, isl_pw_aff_lt_set(v, end));
}

/* The points for which 'set' holds at a smaller value, from 0 on, of 'loop'. */
static isl_set *earlier(const struct gcal_sets_context *f, isl_set *set, unsigned loop)
{
    isl_map *before;
    int dim = 0, n = (int)f->n_dims;

    while (dim < n && f->dims[dim] != loop)
        dim++;
    if (dim == n) {
        isl_set_free(set);
        return NULL;
    }
    before = isl_map_universe(isl_space_map_from_set(make_space(f)));
    for (int i = 0; i < n; i++)
        before = i == dim ? isl_map_order_lt(before, isl_dim_in, i, isl_dim_out, i)
                          : isl_map_equate(before, isl_dim_in, i, isl_dim_out, i);
    set = isl_set_lower_bound_si(set, isl_dim_set, (unsigned)dim, 0);
    return isl_set_apply(set, before);
}

isl_set *gcal_sets_context_condition(const struct gcal_sets_context *f,
                                     const struct gcal_sets_condition *condition)
{
    isl_set *a;

    switch (condition->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        return isl_pw_aff_nonneg_set(gcal_sets_context_affine(f, condition->p));
    case GCAL_SETS_CONDITION_AND:
        a = gcal_sets_context_condition(f, condition->a);
        return isl_set_intersect(a, gcal_sets_context_condition(f, condition->b));
    case GCAL_SETS_CONDITION_OR:
        a = gcal_sets_context_condition(f, condition->a);
        return isl_set_union(a, gcal_sets_context_condition(f, condition->b));
    case GCAL_SETS_CONDITION_NOT:
        return isl_set_complement(gcal_sets_context_condition(f, condition->a));
    default:
        return earlier(f, gcal_sets_context_condition(f, condition->a), condition->loop);
    }
}
