/* component.c - some dimensions of a domain as a set of isl's */
#include <stdlib.h>

#include "kernels/base/buf.h"
#include "kernels/sets/private.h"

void gcal_sets_component_fill(struct gcal_sets_component *component,
                              const struct gcal_sets_domain *domain, const bool *wanted)
{
    component->domain = domain;
    component->n_dims = component->n_lids = 0;
    component->context = *domain->nest->context;
    for (int lids = 1; lids >= 0; lids--)
        for (size_t i = 0; i < domain->n_dims; i++)
            if (wanted[i] && domain->is_lid[i] == lids) {
                component->context.dims[component->n_dims] = domain->dims[i];
                component->dims[component->n_dims++] = i;
                component->n_lids += (size_t)lids;
            }
    component->context.n_dims = component->n_dims;
}

bool gcal_sets_component_has(const struct gcal_sets_component *component,
                             const struct gcal_sets_condition *condition)
{
    const struct gcal_sets_domain *domain = component->domain;
    bool about_sizes = true;

    for (size_t i = 0; i < domain->n_dims; i++)
        if (gcal_sets_condition_contains(domain->nest->c, condition, domain->dims[i])) {
            about_sizes = false;
            for (size_t j = 0; j < component->n_dims; j++)
                if (component->dims[j] == i)
                    return true;
        }
    return about_sizes && component->n_dims == 0;
}

void gcal_sets_component_register(struct gcal_sets_component *component)
{
    const struct gcal_sets_domain *domain = component->domain;

    for (size_t i = 0; i < component->n_dims; i++)
        gcal_sets_context_register(&component->context,
                                   domain->trips[component->dims[i]]);
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(component, domain->conditions[i]))
            gcal_sets_context_register_condition(&component->context,
                                                 domain->conditions[i]);
    if (domain->branch && gcal_sets_component_has(component, domain->branch))
        gcal_sets_context_register_condition(&component->context, domain->branch);
}

static const struct gcal_poly *keep_together(struct gcal_poly_context *c,
                                             const struct gcal_poly *p)
{
    enum { LONG = 5 };

    return p->n_terms > LONG || (p->n_terms > 1 && gcal_poly_is_piecewise(c, p))
               ? gcal_poly_unexpanded(c, p)
               : p;
}

const struct gcal_poly *gcal_sets_product(struct gcal_poly_context *c,
                                          const struct gcal_poly *a,
                                          const struct gcal_poly *b)
{
    int64_t number;

    if (gcal_poly_is_constant(a, &number) || gcal_poly_is_constant(b, &number))
        return gcal_poly_mul(c, a, b);
    return gcal_poly_mul(c, keep_together(c, a), keep_together(c, b));
}

isl_set *gcal_sets_component_set(struct gcal_sets_component *component)
{
    const struct gcal_sets_domain *domain = component->domain;
    isl_set *set, *held;

    if (component->context.failed)
        return NULL;
    set = isl_set_from_basic_set(gcal_sets_context_universe(&component->context));
    for (size_t i = 0; i < component->n_dims; i++)
        set = isl_set_intersect(
            set, gcal_sets_context_range(&component->context, i,
                                         domain->trips[component->dims[i]]));
    for (size_t i = 0; i < domain->n_conditions && set; i++) {
        if (!gcal_sets_component_has(component, domain->conditions[i]))
            continue;
        if ((held =
                 gcal_sets_context_condition(&component->context, domain->conditions[i])))
            set = isl_set_intersect(set, held);
        else if (isl_ctx_last_error(component->context.isl) != isl_error_quota)
            *domain->estimated = true;
        else /* it may be affine */
            set = isl_set_free(set);
    }
    return set;
}

void gcal_sets_component_register_others(struct gcal_sets_component *component)
{
    const struct gcal_sets_domain *domain = component->domain;

    for (size_t i = 0; i < domain->n_dims; i++)
        gcal_sets_context_register(&component->context, domain->trips[i]);
    for (size_t i = 0; i < domain->n_conditions; i++)
        gcal_sets_context_register_condition(&component->context, domain->conditions[i]);
}

/* The sizes at which the component of the 'wanted' dimensions has any point. */
static isl_set *sizes_of(const struct gcal_sets_component *component, const bool *wanted)
{
    struct gcal_sets_context sizes = component->context;
    struct gcal_sets_component other;

    gcal_sets_component_fill(&other, component->domain, wanted);
    for (size_t i = 0; i < other.n_dims; i++)
        sizes.dims[i] = other.context.dims[i];
    sizes.n_dims = other.n_dims;
    other.context = sizes;
    return isl_set_params(gcal_sets_component_set(&other));
}

isl_set *gcal_sets_component_others(const struct gcal_sets_component *component)
{
    bool others[GCAL_SETS_MAX_DIMS], none[GCAL_SETS_MAX_DIMS] = { false };

    for (size_t i = 0; i < GCAL_SETS_MAX_DIMS; i++)
        others[i] = i < component->domain->n_dims;
    for (size_t i = 0; i < component->n_dims; i++)
        others[component->dims[i]] = false;
    return isl_set_intersect(sizes_of(component, others), sizes_of(component, none));
}

/* ---- keys ----
 *
 * Many domains have the same components, such as the ids and a guard around the kernel's
 * body.  Each domain's conditions may be made anew, so they are compared by content.
 */

static void put_poly(struct gcal_buf *text, const struct gcal_poly *p)
{
    for (size_t i = 0; i < p->n_terms; i++) {
        const struct gcal_poly_term *t = &p->terms[i];

        gcal_buf_printf(text, "%+lld", (long long)t->num);
        if (t->den != 1)
            gcal_buf_printf(text, "/%lld", (long long)t->den);
        for (size_t j = 0; j < t->n_factors; j++)
            gcal_buf_printf(text, "*%u^%u", t->factors[j].atom, t->factors[j].power);
    }
}

static void put_condition(struct gcal_buf *text, const struct gcal_sets_condition *x)
{
    gcal_buf_printf(text, "(%d", (int)x->kind);
    if (x->kind == GCAL_SETS_CONDITION_EARLIER)
        gcal_buf_printf(text, " %u", x->loop);
    if (x->p)
        put_poly(text, x->p);
    if (x->a)
        put_condition(text, x->a);
    if (x->b)
        put_condition(text, x->b);
    gcal_buf_puts(text, ")");
}

const char *gcal_sets_component_key(const struct gcal_sets_component *component)
{
    const struct gcal_sets_domain *domain = component->domain;
    struct gcal_buf text = { 0 };
    const char *key;

    gcal_buf_printf(&text, "%d%d", (int)domain->mode, domain->linear);
    if (domain->branch)
        put_condition(&text, domain->branch);
    for (size_t i = 0; i < component->n_dims; i++) {
        gcal_buf_printf(&text, " %u/%lld:", domain->dims[component->dims[i]],
                        (long long)domain->block[component->dims[i]]);
        put_poly(&text, domain->trips[component->dims[i]]);
    }
    for (size_t i = 0; i < domain->n_conditions; i++)
        if (gcal_sets_component_has(component, domain->conditions[i]))
            put_condition(&text, domain->conditions[i]);
    if (text.failed)
        gcal_poly_fail(domain->nest->c, "out of memory");
    key = gcal_poly_format(domain->nest->c, "%s", text.data ? text.data : "");
    gcal_buf_free(&text);
    return key;
}
