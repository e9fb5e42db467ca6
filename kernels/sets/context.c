/* context.c - polynomials and conditions as isl's affine functions and sets */
#include <isl/constraint.h>
#include <isl/options.h>
#include <isl/val.h>

#include "kernels/sets/private.h"

isl_ctx *gcal_sets_isl_create(void)
{
    isl_ctx *isl = isl_ctx_alloc();

    if (!isl)
        return NULL;
    isl_options_set_on_error(isl, ISL_ON_ERROR_CONTINUE);
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

/* The product of the term's factors without dimensions, with the coefficient 1. '*n_dims'
 * is the number of factors with dimensions, '*dim' the last of them.
 */
static const struct gcal_poly *size_of_term(const struct gcal_sets_context *context,
                                            const struct gcal_poly_term *t,
                                            size_t *n_dims, unsigned *dim)
{
    const struct gcal_poly *monomial = gcal_poly_integer(context->c, 1);

    *n_dims = 0;
    for (size_t i = 0; i < t->n_factors; i++) {
        unsigned atom = t->factors[i].atom;

        if (gcal_poly_atom_has_dimension(context->c, atom)) {
            *n_dims += t->factors[i].power;
            *dim = atom;
            continue;
        }
        for (unsigned k = 0; k < t->factors[i].power; k++)
            monomial = gcal_poly_mul(context->c, monomial,
                                     gcal_poly_from_atom(context->c, atom));
    }
    return monomial;
}

static int find_size(const struct gcal_sets_context *context,
                     const struct gcal_poly *monomial)
{
    for (size_t i = 0; i < context->n_sizes; i++)
        if (gcal_poly_equal(context->sizes[i], monomial))
            return (int)i;
    return -1;
}

static void add_fact(struct gcal_sets_context *context, const struct gcal_poly *p)
{
    for (size_t i = 0; i < context->n_facts; i++)
        if (gcal_poly_equal(context->facts[i], p))
            return;
    if (context->n_facts < GCAL_SETS_MAX_FACTS) /* fewer facts are no error */
        context->facts[context->n_facts++] = p;
}

/* Facts that define an atom: k*q <= p <= k*q + k-1 for q = floor(p/k), and so on. */
static void define(struct gcal_sets_context *context, unsigned atom)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(context->c, atom);
    const struct gcal_poly *q = gcal_poly_from_atom(context->c, atom), *d;

    if (a.kind < GCAL_POLY_ATOM_FLOOR)
        return;
    gcal_sets_context_register(context, a.a);
    if (a.b)
        gcal_sets_context_register(context, a.b);
    if (a.kind == GCAL_POLY_ATOM_QUOTIENT) { /* divisor * quotient is one more size */
        d = gcal_poly_sub(context->c, a.a, gcal_poly_mul(context->c, a.b, q));
        gcal_sets_context_register(context, d);
        add_fact(context, d);
        add_fact(context, gcal_poly_sub(context->c, gcal_poly_sub(context->c, a.b, d),
                                        gcal_poly_integer(context->c, 1)));
        return;
    }
    if (a.kind == GCAL_POLY_ATOM_LOG2 || a.kind == GCAL_POLY_ATOM_POWER) {
        d = gcal_poly_sub(context->c, a.kind == GCAL_POLY_ATOM_LOG2 ? a.a : q,
                          gcal_poly_integer(context->c, 1));
        add_fact(context,
                 gcal_poly_sub(context->c, d, a.kind == GCAL_POLY_ATOM_LOG2 ? q : a.a));
        return;
    }
    if (a.kind == GCAL_POLY_ATOM_STEP) {
        add_fact(context, q);
        add_fact(context, gcal_poly_sub(context->c, gcal_poly_integer(context->c, 1), q));
        return;
    }
    if (a.kind == GCAL_POLY_ATOM_FLOOR) {
        d = gcal_poly_sub(context->c, a.a, gcal_poly_scale(context->c, q, a.k, 1));
        add_fact(context, d);
        add_fact(context,
                 gcal_poly_sub(context->c, gcal_poly_integer(context->c, a.k - 1), d));
        return;
    }
    for (int side = 0; side < 2; side++) {
        d = gcal_poly_sub(context->c, side ? a.b : a.a, q);
        add_fact(context, a.kind == GCAL_POLY_ATOM_MIN
                              ? d
                              : gcal_poly_scale(context->c, d, -1, 1));
    }
}

/* The index of a size, which is added when it is new; -1 when there is no room. */
static int add_size(struct gcal_sets_context *context, const struct gcal_poly *monomial)
{
    int known = find_size(context, monomial);
    const struct gcal_poly_term *t = &monomial->terms[0];

    if (known >= 0)
        return known;
    if (context->n_sizes == GCAL_SETS_MAX_SIZES) {
        context->failed = true;
        return -1;
    }
    known = (int)context->n_sizes;
    context->sizes[context->n_sizes++] = monomial;
    /* Facts about the new size, the last: its lower bound, its order among the others. */
    const struct gcal_poly *one = gcal_poly_integer(context->c, 1), *d;

    d = gcal_poly_sub(context->c, monomial, one);
    if (gcal_poly_is_nonnegative(context->c, d))
        add_fact(context, d);
    else if (gcal_poly_is_nonnegative(context->c, monomial))
        add_fact(context, monomial);
    for (size_t i = 0; i + 1 < context->n_sizes; i++) {
        d = gcal_poly_sub(context->c, monomial, context->sizes[i]);
        if (gcal_poly_is_nonnegative(context->c, d))
            add_fact(context, d);
        else if (gcal_poly_is_nonnegative(context->c,
                                          d = gcal_poly_scale(context->c, d, -1, 1)))
            add_fact(context, d);
    }
    for (size_t i = 0; i < t->n_factors; i++)
        define(context, t->factors[i].atom);
    return known;
}

void gcal_sets_context_register(struct gcal_sets_context *context,
                                const struct gcal_poly *p)
{
    for (size_t i = 0;
         i < p->n_terms && !context->failed && !gcal_poly_context_has_failed(context->c);
         i++) {
        const struct gcal_poly *monomial;
        struct gcal_poly_atom a;
        unsigned dim;
        size_t n_dims;

        monomial = size_of_term(context, &p->terms[i], &n_dims, &dim);
        a = n_dims ? gcal_poly_get_atom(context->c, dim) : (struct gcal_poly_atom){ 0 };
        if (a.kind >= GCAL_POLY_ATOM_FLOOR) {
            gcal_sets_context_register(context, a.a);
            if (a.b)
                gcal_sets_context_register(context, a.b);
        }
        if (!n_dims && monomial->n_terms && monomial->terms[0].n_factors)
            add_size(context, monomial);
    }
}

void gcal_sets_context_register_condition(struct gcal_sets_context *context,
                                          const struct gcal_sets_condition *condition)
{
    if (condition->p)
        gcal_sets_context_register(context, condition->p);
    if (condition->a)
        gcal_sets_context_register_condition(context, condition->a);
    if (condition->b)
        gcal_sets_context_register_condition(context, condition->b);
}

void gcal_sets_context_init(struct gcal_sets_context *context,
                            struct gcal_poly_context *c, isl_ctx *isl)
{
    const struct gcal_poly *const *facts;
    size_t n_facts;

    *context = (struct gcal_sets_context){ .c = c, .isl = isl };
    facts = gcal_poly_facts(c, &n_facts);
    for (size_t i = 0; i < n_facts; i++) {
        gcal_sets_context_register(context, facts[i]);
        add_fact(context, facts[i]);
    }
}

/* ---- affine functions ---- */

static isl_space *make_space(const struct gcal_sets_context *context)
{
    return isl_space_set_alloc(context->isl, (unsigned)context->n_sizes,
                               (unsigned)context->n_dims);
}

static isl_pw_aff *variable(const struct gcal_sets_context *context,
                            enum isl_dim_type type, size_t i)
{
    isl_local_space *space = isl_local_space_from_space(make_space(context));

    return isl_pw_aff_from_aff(isl_aff_var_on_domain(space, type, (unsigned)i));
}

static isl_pw_aff *of_atom(const struct gcal_sets_context *context, unsigned atom)
{
    struct gcal_poly_atom a = gcal_poly_get_atom(context->c, atom);
    isl_pw_aff *p, *q;

    if (a.kind == GCAL_POLY_ATOM_DIMENSION) {
        for (size_t i = 0; i < context->n_dims; i++)
            if (context->dims[i] == atom)
                return variable(context, isl_dim_set, i);
        return NULL;
    }
    if (a.kind == GCAL_POLY_ATOM_LOG2 || a.kind == GCAL_POLY_ATOM_POWER)
        return NULL;
    if (a.kind == GCAL_POLY_ATOM_QUOTIENT)
        return NULL; /* domain.c has removed those it can */
    p = gcal_sets_context_affine(context, a.a);
    if (a.kind == GCAL_POLY_ATOM_STEP)
        return isl_set_indicator_function(isl_pw_aff_nonneg_set(p));
    if (a.kind == GCAL_POLY_ATOM_FLOOR)
        return isl_pw_aff_floor(
            isl_pw_aff_scale_down_val(p, isl_val_int_from_si(context->isl, (long)a.k)));
    q = gcal_sets_context_affine(context, a.b);
    return a.kind == GCAL_POLY_ATOM_MIN ? isl_pw_aff_min(p, q) : isl_pw_aff_max(p, q);
}

static isl_pw_aff *of_term(const struct gcal_sets_context *context,
                           const struct gcal_poly_term *t)
{
    isl_val *factor = isl_val_div(isl_val_int_from_si(context->isl, (long)t->num),
                                  isl_val_int_from_si(context->isl, (long)t->den));
    const struct gcal_poly *monomial;
    isl_pw_aff *p = NULL;
    unsigned dim = 0;
    size_t n_dims;
    bool is_number; /* false where the polynomials' context has failed */
    int size;

    monomial = size_of_term(context, t, &n_dims, &dim);
    is_number = monomial->n_terms && monomial->terms[0].n_factors == 0;
    if (n_dims == 1 && is_number) {
        p = of_atom(context, dim);
    } else if (n_dims == 0 && is_number) {
        p = isl_pw_aff_from_aff(isl_aff_val_on_domain(
            isl_local_space_from_space(make_space(context)), isl_val_one(context->isl)));
    } else if (n_dims == 0 && (size = find_size(context, monomial)) >= 0) {
        p = variable(context, isl_dim_param, (size_t)size);
    }
    return isl_pw_aff_scale_val(p, factor);
}

isl_pw_aff *gcal_sets_context_affine(const struct gcal_sets_context *context,
                                     const struct gcal_poly *p)
{
    isl_pw_aff *sum = isl_pw_aff_from_aff(
        isl_aff_zero_on_domain(isl_local_space_from_space(make_space(context))));

    for (size_t i = 0; i < p->n_terms && sum && !gcal_poly_context_has_failed(context->c);
         i++)
        sum = isl_pw_aff_add(sum, of_term(context, &p->terms[i]));
    return sum;
}

/* value * p; NULL if the value is not an integer of 63 bits. */
static const struct gcal_poly *multiple(const struct gcal_sets_context *context,
                                        isl_val *value, const struct gcal_poly *p)
{
    int64_t number;

    return gcal_sets_isl_integer(value, &number) && p
               ? gcal_poly_scale(context->c, p, number, 1)
               : NULL;
}

static const struct gcal_poly *add(const struct gcal_sets_context *context,
                                   const struct gcal_poly *a, const struct gcal_poly *b)
{
    return a && b ? gcal_poly_add(context->c, a, b) : NULL;
}

static const struct gcal_poly *div_poly(const struct gcal_sets_context *context,
                                        isl_aff *aff, int i)
{
    isl_aff *div = isl_aff_get_div(aff, i);
    const struct gcal_poly *p = gcal_sets_context_poly(context, div);

    isl_aff_free(div);
    return p ? gcal_poly_floor(context->c, p, 1) : NULL;
}

const struct gcal_poly *gcal_sets_context_poly(const struct gcal_sets_context *context,
                                               isl_aff *aff)
{
    isl_val *den = isl_aff_get_denominator_val(aff);
    isl_aff *whole = isl_aff_scale_val(isl_aff_copy(aff), isl_val_copy(den));
    isl_size n_divs = isl_aff_dim(whole, isl_dim_div);
    const struct gcal_poly *sum = multiple(context, isl_aff_get_constant_val(whole),
                                           gcal_poly_integer(context->c, 1));

    for (size_t i = 0; i < context->n_sizes && sum; i++)
        sum = add(context, sum,
                  multiple(context,
                           isl_aff_get_coefficient_val(whole, isl_dim_param, (int)i),
                           context->sizes[i]));
    for (int i = 0; i < n_divs && sum; i++) {
        isl_val *factor = isl_aff_get_coefficient_val(whole, isl_dim_div, i);

        /* a div depends on earlier ones alone: the coefficients of others are 0 */
        sum = isl_val_is_zero(factor) == isl_bool_true
                  ? sum
                  : add(context, sum,
                        multiple(context, isl_val_copy(factor),
                                 div_poly(context, whole, i)));
        isl_val_free(factor);
    }
    isl_aff_free(whole);
    if (sum)
        sum = gcal_poly_scale(context->c, sum, 1, isl_val_get_num_si(den));
    isl_val_free(den);
    return sum;
}

/* ---- sets ---- */

/* p >= 0 as a constraint; NULL when p is not linear in the sizes. */
static isl_constraint *constraint_of(const struct gcal_sets_context *context,
                                     const struct gcal_poly *p, isl_local_space *space)
{
    isl_constraint *c = isl_constraint_alloc_inequality(space);
    int64_t den = gcal_poly_denominator(p);

    if (!den)
        return isl_constraint_free(c);
    p = gcal_poly_scale(context->c, p, den, 1);
    for (size_t i = 0; i < p->n_terms && c; i++) {
        const struct gcal_poly_term *t = &p->terms[i];
        isl_val *number = isl_val_int_from_si(context->isl, (long)t->num);
        size_t n_dims;
        unsigned dim;
        const struct gcal_poly *size = size_of_term(context, t, &n_dims, &dim);
        int known = find_size(context, size);

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

isl_basic_set *gcal_sets_context_universe(const struct gcal_sets_context *context)
{
    isl_basic_set *set = isl_basic_set_universe(make_space(context));
    isl_local_space *space = isl_local_space_from_space(make_space(context));

    for (size_t i = 0; i < context->n_facts; i++) {
        isl_constraint *fact =
            constraint_of(context, context->facts[i], isl_local_space_copy(space));

        if (fact)
            set = isl_basic_set_add_constraint(set, fact);
    }
    isl_local_space_free(space);
    return set;
}

isl_set *gcal_sets_context_range(const struct gcal_sets_context *context, size_t dim,
                                 const struct gcal_poly *trips)
{
    isl_pw_aff *v = variable(context, isl_dim_set, dim),
               *end = gcal_sets_context_affine(context, trips);

    isl_set *begun = isl_pw_aff_nonneg_set(isl_pw_aff_copy(v));

    return isl_set_intersect(begun, isl_pw_aff_lt_set(v, end));
}

/* The points for which a smaller value of 'loop', from 0 on, is in 'set' (taken). */
static isl_set *earlier(const struct gcal_sets_context *context, isl_set *set,
                        unsigned loop)
{
    isl_map *before;
    int dim = 0, n = (int)context->n_dims;

    while (dim < n && context->dims[dim] != loop)
        dim++;
    if (dim == n) {
        isl_set_free(set);
        return NULL;
    }
    before = isl_map_universe(isl_space_map_from_set(make_space(context)));
    for (int i = 0; i < n; i++)
        before = i == dim ? isl_map_order_lt(before, isl_dim_in, i, isl_dim_out, i)
                          : isl_map_equate(before, isl_dim_in, i, isl_dim_out, i);
    set = isl_set_lower_bound_si(set, isl_dim_set, (unsigned)dim, 0);
    return isl_set_apply(set, before);
}

isl_set *gcal_sets_context_condition(const struct gcal_sets_context *context,
                                     const struct gcal_sets_condition *condition)
{
    isl_set *a;

    switch (condition->kind) {
    case GCAL_SETS_CONDITION_NONNEGATIVE:
        return isl_pw_aff_nonneg_set(gcal_sets_context_affine(context, condition->p));
    case GCAL_SETS_CONDITION_AND:
        a = gcal_sets_context_condition(context, condition->a);
        return isl_set_intersect(a, gcal_sets_context_condition(context, condition->b));
    case GCAL_SETS_CONDITION_OR:
        a = gcal_sets_context_condition(context, condition->a);
        return isl_set_union(a, gcal_sets_context_condition(context, condition->b));
    case GCAL_SETS_CONDITION_NOT:
        return isl_set_complement(gcal_sets_context_condition(context, condition->a));
    default:
        return earlier(context, gcal_sets_context_condition(context, condition->a),
                       condition->loop);
    }
}
