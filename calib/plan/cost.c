/* cost.c - estimated time to measure kernels, from those that were measured */
#include <math.h>

#include "calib/plan/design.h"

/* Time to prepare a family, before any was. */
#define OPENING_S 0.1

/* ---- a kernel ---- */

/* Time of builds, checks and first launches of a family. */
static double opening_s(const struct gcal_plan_design *d)
{
    const double *spent_s = d->plan->spent_s;
    size_t n = d->families.n_opened;

    return n ? (spent_s[GCAL_PLAN_SPENT_PREPARING] + spent_s[GCAL_PLAN_SPENT_CHECKING] +
                spent_s[GCAL_PLAN_SPENT_COMPARING]) /
                   (double)n
             : OPENING_S;
}

/* Mean number of launches of a kernel. */
static double launches(const struct gcal_plan_design *d)
{
    const struct gcal_config_measure_options *o = d->plan->options;

    if (!(d->first_s > 0))
        return (double)o->min_samples;
    return fmin(fmax(d->launches_s / d->first_s, (double)o->min_samples),
                (double)o->max_samples);
}

/* Predicted time of a launch, corrected by the time of a smaller size of its sweep. */
double gcal_plan_launch_s(const struct gcal_plan_design *d, size_t kernel)
{
    const struct gcal_plan_family *family = gcal_plan_family_of(&d->families, kernel);
    const struct gcal_config_measure_options *o = d->plan->options;
    double time_s = gcal_plan_gain_time_s(d->gain, kernel);
    size_t last = family->n_tried ? family->sizes[family->n_tried - 1] : kernel;

    if (d->families.row[kernel])
        return d->families.row[kernel]->first_s;
    if (last != kernel && d->families.row[last]->first_s > 0)
        time_s *= d->families.row[last]->first_s / gcal_plan_gain_time_s(d->gain, last);
    return isfinite(time_s) && time_s > 0 ? time_s : o->min_time_s;
}

double gcal_plan_cost_s(const struct gcal_plan_design *d, size_t kernel)
{
    const struct gcal_plan_family *family = gcal_plan_family_of(&d->families, kernel);
    double samples_s = launches(d) * gcal_plan_launch_s(d, kernel);

    return samples_s + (family->opened ? 0 : opening_s(d));
}

/* ---- all of them ---- */

static size_t n_measured(const struct gcal_plan_design *d,
                         const struct gcal_plan_family *family)
{
    size_t n = 0;

    for (size_t i = 0; i < family->n_sizes; i++)
        n += d->families.row[family->sizes[i]] &&
             d->families.row[family->sizes[i]]->measured;
    return n;
}

/* The longest sizes that are not too long.  The sweep launches each size twice, and the
 * shorter ones together take about as long as the longest.
 */
static void add_full_sweep(const struct gcal_plan_design *d,
                           const struct gcal_plan_family *family,
                           struct gcal_plan_full_cost *full)
{
    const struct gcal_config_measure_options *o = d->plan->options;
    size_t wanted = family->n_wanted;
    size_t n = family->n_done_sizes, least = n + n_measured(d, family);
    double sweep_launches = 4;

    for (size_t i = family->n_sizes; i-- > 0 && n < wanted;) {
        double time_s = gcal_plan_launch_s(d, family->sizes[i]);
        bool too_short =
            time_s < o->min_time_s && !d->kernels->kernels[family->sizes[i]]->short_run;

        if (time_s > o->max_time_s || (too_short && n))
            continue;
        full->time_s += (launches(d) + sweep_launches) * time_s;
        sweep_launches = 0;
        n++;
        if (too_short) /* the nearest: no size is in range */
            break;
    }
    full->n_kernels += n > least ? n : least;
}

struct gcal_plan_full_cost gcal_plan_estimate_full_cost(const struct gcal_plan_design *d)
{
    struct gcal_plan_full_cost full = { 0 };

    for (size_t i = 0; i < d->families.n; i++) {
        const struct gcal_plan_family *family = &d->families.families[i];

        full.n_kernels += family->n_fixed + family->n_done;
        for (size_t k = 0; k < family->n_fixed; k++)
            full.time_s += launches(d) * gcal_plan_launch_s(d, family->fixed[k]);
        add_full_sweep(d, family, &full);
        if (family->n_fixed + family->n_sizes)
            full.time_s += opening_s(d);
    }
    return full;
}
