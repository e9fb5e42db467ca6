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

/* ---- those that were not measured ---- */

static size_t n_measured(const struct gcal_plan_design *d,
                         const struct gcal_plan_family *family)
{
    size_t n = family->n_done_sizes;

    for (size_t i = 0; i < family->n_sizes; i++)
        n += d->families.row[family->sizes[i]] &&
             d->families.row[family->sizes[i]]->measured;
    return n;
}

/* The longest sizes that are not too long, beside those measured.  The sweep launches each
 * size twice, and the shorter ones together take about as long as the longest.
 */
static void add_rest_of_sweep(const struct gcal_plan_design *d,
                              const struct gcal_plan_family *family,
                              struct gcal_plan_rest *rest)
{
    const struct gcal_config_measure_options *o = d->plan->options;
    size_t n = n_measured(d, family);
    double sweep_launches = 4;

    for (size_t i = family->n_sizes; i-- > 0 && n < family->n_wanted;) {
        const struct gcal_plan_row *row = d->families.row[family->sizes[i]];
        double time_s = gcal_plan_launch_s(d, family->sizes[i]);
        bool too_short =
            time_s < o->min_time_s && !d->kernels->kernels[family->sizes[i]]->short_run;

        if ((row && row->measured) || time_s > o->max_time_s || (too_short && n))
            continue;
        rest->time_s += (launches(d) + sweep_launches) * time_s;
        rest->n_kernels++;
        sweep_launches = 0;
        n++;
        if (too_short) /* the nearest: no size is in range */
            break;
    }
}

struct gcal_plan_rest gcal_plan_estimate_rest(const struct gcal_plan_design *d)
{
    struct gcal_plan_rest rest = { 0 };

    for (size_t i = 0; i < d->families.n; i++) {
        const struct gcal_plan_family *family = &d->families.families[i];

        for (size_t k = 0; k < family->n_fixed; k++)
            if (!d->known[family->fixed[k]]) {
                rest.time_s += launches(d) * gcal_plan_launch_s(d, family->fixed[k]);
                rest.n_kernels++;
            }
        add_rest_of_sweep(d, family, &rest);
        if (family->n_fixed + family->n_sizes && !family->opened)
            rest.time_s += opening_s(d);
    }
    return rest;
}
