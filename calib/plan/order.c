/* order.c - the order in which families are prepared */
#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/model/profile.h"
#include "calib/plan/form.h"
#include "calib/plan/sweep.h"
#include "fit/span.h"

/* Marks families whose kernels determine the form's parameters: those that parameters share a
 * kernel's time in another way than in kernels before, the clearest first.
 */
static void mark_first(const struct gcal_plan_families *f,
                       const struct gcal_plan_form *form, struct gcal_fit_span *span,
                       double *shares)
{
    /* 0: of families that other forms need in any case; as for microbenchmarks in
     * calib/select/select.c.
     */
    static const double least[] = { 0, 0.5, 0.2, 1e-3 };

    for (size_t pass = 0; pass < sizeof(least) / sizeof(*least); pass++)
        for (size_t i = 0; i < f->kernels->n_kernels; i++) {
            struct gcal_plan_family *family = gcal_plan_family_of(f, i);

            if (!form->serves[i] || (pass == 0 && !family->comes_first))
                continue;
            gcal_plan_form_time_s(form, i, shares);
            if (gcal_fit_span_outside(span, shares) <= fmax(least[pass], 1e-3))
                continue;
            gcal_fit_span_add(span, shares);
            family->comes_first = true;
        }
}

static void find_first(const struct gcal_plan_families *f)
{
    struct gcal_plan *plan = f->plan;
    struct gcal_plan_forms forms;

    if (!plan->hooks->config)
        return;
    forms =
        gcal_plan_forms_make(plan->arena, plan->hooks->config, plan->info, f->kernels);
    for (size_t k = 0; k < forms.n; k++) {
        size_t n = forms.items[k].model->n_parameters;
        double *shares = gcal_arena_alloc(plan->arena, n, sizeof(*shares));
        struct gcal_fit_span *span = gcal_fit_span_create(n);

        mark_first(f, &forms.items[k], span, shares);
        gcal_fit_span_destroy(span);
    }
}

/* Transfers take no building. */
static bool is_transfer(const struct gcal_plan_families *f,
                        const struct gcal_plan_family *family)
{
    const struct gcal_profile *profile = f->kernels->kernels[family->first]->profile;

    return profile && !profile->n_dims;
}

/* The families of the same generator that come before this one. */
static size_t place_in_generator(const struct gcal_plan_families *f, size_t family)
{
    const struct gcal_kernel *kernel = f->kernels->kernels[f->families[family].first];
    size_t n = 0;

    for (size_t i = 0; i < family; i++)
        n += strcmp(f->kernels->kernels[f->families[i].first]->generator,
                    kernel->generator) == 0;
    return n;
}

void gcal_plan_families_order(struct gcal_plan_families *f)
{
    size_t n = f->kernels->n_kernels, taken = 0;

    find_first(f);
    for (size_t i = 0; i < f->n; i++)
        f->families[i].pass =
            f->families[i].comes_first || is_transfer(f, &f->families[i])
                ? 0
                : 1 + place_in_generator(f, i);
    for (size_t pass = 0; taken < n; pass++)
        for (size_t k = 0; k < n; k++) {
            size_t i = f->plan->hooks->backwards ? n - 1 - k : k;

            if (gcal_plan_family_of(f, i)->pass == pass)
                f->order[taken++] = i;
        }
}
