/* key.c - components as texts, by which their counts are cached
 *
 * Many domains have the same components, such as the ids and a guard around the kernel's
 * body.  Each domain's conditions may be made anew, so they are compared by content.
 */
#include <stdlib.h>

#include "calib/base/buf.h"
#include "kernels/sets/private.h"

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

    gcal_buf_printf(&text, "%d", (int)domain->mode);
    if (domain->branch)
        put_condition(&text, domain->branch);
    for (size_t i = 0; i < component->n_dims; i++) {
        gcal_buf_printf(&text, " %u:", domain->dims[component->dims[i]]);
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
