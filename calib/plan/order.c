/* order.c - the order in which families are prepared */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/model/profile.h"
#include "calib/plan/gain.h"
#include "calib/plan/sweep.h"

/* Families without which the models' parameters have no value, if parameters are as the
 * configuration expects them.
 */
static int choose_seeds(const struct gcal_plan_families *f, struct gcal_plan_gain *gain)
{
    size_t n = f->kernels->n_kernels, n_chosen = 0;
    size_t *chosen = calloc(n + 1, sizeof(*chosen));
    double *cost_s = calloc(n + 1, sizeof(*cost_s));
    struct gcal_plan_goal goal = { .precision = GCAL_PLAN_SEED_PRECISION,
                                   .budget_s = INFINITY,
                                   .most = n,
                                   .cost_s = cost_s };
    bool over_budget;
    int rc = -1;

    if (!chosen || !cost_s) {
        gcal_error_memory(f->plan->err);
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        cost_s[i] = 1;
    rc =
        gcal_plan_gain_choose(gain, &goal, chosen, &n_chosen, &over_budget, f->plan->err);
    for (size_t i = 0; i < n_chosen; i++)
        gcal_plan_family_of(f, chosen[i])->comes_first = true;
out:
    free(chosen);
    free(cost_s);
    return rc;
}

static int find_seeds(const struct gcal_plan_families *f)
{
    struct gcal_plan_gain *gain;
    int rc;

    if (!f->plan->hooks->config)
        return 0;
    gain = gcal_plan_gain_create(f->plan->hooks->config, f->plan->info, f->kernels,
                                 f->plan->err);
    rc = gain ? choose_seeds(f, gain) : -1;
    gcal_plan_gain_destroy(gain);
    return rc;
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

int gcal_plan_families_order(struct gcal_plan_families *f)
{
    size_t n = f->kernels->n_kernels, taken = 0;

    if (find_seeds(f) < 0)
        return -1;
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
    return 0;
}
