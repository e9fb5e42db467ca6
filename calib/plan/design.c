/* design.c - kernels chosen by how much they shrink the parameters' covariance
 *
 * First come seeds: those that would give every parameter a value if parameters were as
 * expected, and a kernel of each generator.  Then, by a fit of what was measured, those with
 * the largest information gain for their time, until all parameters are precise enough:
 * never more at once than were measured before, as a better fit chooses better.  They are
 * measured in rounds, as all are without a choice, so that drift affects them alike.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/clock.h"
#include "calib/base/log.h"
#include "calib/plan/design.h"

/* A batch has at least so many kernels. */
#define BATCH_LEAST 8

/* Further batches to be expected: choosing has to save the time that they take. */
#define BATCHES_AHEAD 2

/* The size at which a sweep that has not begun will probably end; it represents the
 * others.
 */
static size_t expected_size(const struct gcal_plan_design *d,
                            const struct gcal_plan_family *family)
{
    size_t i = 0;

    while (i + 1 < family->n_sizes &&
           gcal_plan_launch_s(d, family->sizes[i]) < d->plan->options->min_time_s)
        i++;
    return family->sizes[i];
}

static bool is_candidate(const struct gcal_plan_design *d, size_t kernel)
{
    const struct gcal_plan_family *family = gcal_plan_family_of(&d->families, kernel);

    if (!family->optional || !gcal_plan_sweep_offers(&d->families, kernel))
        return false;
    if (!d->kernels->kernels[kernel]->sweep || d->families.row[kernel])
        return true;
    if (!family->n_tried)
        return expected_size(d, family) == kernel;
    return gcal_plan_launch_s(d, kernel) <= d->plan->options->max_time_s;
}

/* ---- choosing and measuring ---- */

static int choose(struct gcal_plan_design *d, double precision, size_t most)
{
    double left_s = d->plan->options->budget_s - gcal_plan_elapsed_s(d->plan);
    struct gcal_plan_goal goal = { .precision = precision,
                                   .budget_s = fmax(left_s, 0),
                                   .most = most,
                                   .cost_s = d->cost_s };
    double start_s = gcal_clock_now_s();
    int rc;

    for (size_t i = 0; i < d->kernels->n_kernels; i++)
        d->cost_s[i] = is_candidate(d, i) ? gcal_plan_cost_s(d, i) : 0;
    rc = gcal_plan_gain_choose(d->gain, &goal, d->chosen, &d->n_chosen, &d->over_budget,
                               d->plan->err);
    d->choice_s = gcal_clock_now_s() - start_s;
    d->plan->spent_s[GCAL_PLAN_SPENT_CHOOSING] += d->choice_s;
    return rc;
}

static void announce_chosen(struct gcal_plan_design *d)
{
    for (size_t i = 0; i < d->n_chosen; i++)
        gcal_plan_announce(d->plan, d->kernels->kernels[d->chosen[i]]);
}

static int take_chosen(struct gcal_plan_design *d)
{
    for (size_t i = 0; i < d->n_chosen; i++) {
        gcal_plan_report_progress(d->plan, "choosing kernels", d->n_known + i,
                                  d->n_known + d->n_chosen);
        if (gcal_plan_sweep_take(&d->families, d->chosen[i]) < 0)
            return -1;
    }
    return 0;
}

/* Adds the kernels that were measured since the last call. */
static int learn(struct gcal_plan_design *d)
{
    for (size_t i = 0; i < d->kernels->n_kernels; i++) {
        const struct gcal_plan_row *row = d->families.row[i];

        if (!row || !row->measured || d->known[i])
            continue;
        if (gcal_plan_gain_add(d->gain, i, row->first_s, row->spread, &row->built,
                               d->plan->err) < 0)
            return -1;
        d->known[i] = true;
        d->n_known++;
        d->first_s += row->first_s;
    }
    return 0;
}

static int measure(struct gcal_plan_design *d)
{
    double before_s = d->plan->spent_s[GCAL_PLAN_SPENT_MEASURING], start_s;
    int rc;

    if (gcal_plan_rounds(d->plan) < 0 || learn(d) < 0)
        return -1;
    d->launches_s += d->plan->spent_s[GCAL_PLAN_SPENT_MEASURING] - before_s;
    start_s = gcal_clock_now_s();
    rc = gcal_plan_gain_fit(d->gain, d->plan->err);
    d->fit_s = gcal_clock_now_s() - start_s;
    d->plan->spent_s[GCAL_PLAN_SPENT_CHOOSING] += d->fit_s;
    return rc;
}

/* ---- the stages ---- */

static bool is_generator_known(const struct gcal_plan_design *d, const char *generator)
{
    for (size_t i = 0; i < d->kernels->n_kernels; i++)
        if (strcmp(d->kernels->kernels[i]->generator, generator) == 0 &&
            (d->known[i] || gcal_plan_family_of(&d->families, i)->opened))
            return true;
    return false;
}

static bool is_generator_opened_anyway(const struct gcal_plan_design *d,
                                       const char *generator)
{
    for (size_t i = 0; i < d->kernels->n_kernels; i++)
        if (!gcal_plan_family_of(&d->families, i)->optional &&
            strcmp(d->kernels->kernels[i]->generator, generator) == 0)
            return true;
    for (size_t i = 0; i < d->n_chosen; i++)
        if (strcmp(d->kernels->kernels[d->chosen[i]]->generator, generator) == 0)
            return true;
    return is_generator_known(d, generator);
}

/* The kernels that take_seeds() will prepare, in its order. */
static void announce_seeds(struct gcal_plan_design *d)
{
    struct gcal_kernel *const *kernels = d->kernels->kernels;
    const char *last = "";

    for (size_t i = 0; i < d->kernels->n_kernels; i++)
        if (!gcal_plan_family_of(&d->families, i)->optional)
            gcal_plan_announce(d->plan, kernels[i]);
    announce_chosen(d);
    for (size_t i = 0; i < d->kernels->n_kernels; i++)
        if (strcmp(kernels[i]->generator, last) != 0 &&
            gcal_plan_sweep_offers(&d->families, i) &&
            !is_generator_opened_anyway(d, kernels[i]->generator)) {
            last = kernels[i]->generator;
            gcal_plan_announce(d->plan, kernels[i]);
        }
}

/* Kernels that are measured in any case, those that a resumed run has measured, those chosen
 * for parameters as expected, and one of each generator.
 */
static int take_seeds(struct gcal_plan_design *d)
{
    struct gcal_plan_families *f = &d->families;

    for (size_t i = 0; i < d->kernels->n_kernels; i++) {
        const struct gcal_kernel *kernel = d->kernels->kernels[i];
        const struct gcal_plan_done *done = gcal_plan_find_done(d->plan, kernel);

        if (!gcal_plan_gain_is_optional(d->gain, i))
            gcal_plan_family_of(f, i)->optional = false;
        if (!done || !(done->time_s > 0))
            continue;
        if (gcal_plan_gain_add(d->gain, i, done->time_s, d->plan->options->noise,
                               &done->built, d->plan->err) < 0)
            return -1;
        d->known[i] = true;
        d->n_known++;
    }
    if (choose(d, GCAL_PLAN_SEED_PRECISION, d->kernels->n_kernels) < 0)
        return -1;
    announce_seeds(d);
    for (size_t i = 0; i < f->n; i++)
        if (!f->families[i].optional && gcal_plan_sweep_family(f, &f->families[i]) < 0)
            return -1;
    if (take_chosen(d) < 0)
        return -1;
    for (size_t i = 0; i < d->kernels->n_kernels; i++) {
        gcal_plan_report_progress(d->plan, "choosing kernels", d->n_known, f->n);
        if (!is_generator_known(d, d->kernels->kernels[i]->generator) &&
            gcal_plan_sweep_offers(f, i) && gcal_plan_sweep_take(f, i) < 0)
            return -1;
    }
    return 0;
}

/* Whether it saves more time than choosing takes, by the last fit and choice, to leave the
 * other candidates out; if there are any.
 */
static bool choosing_pays(const struct gcal_plan_design *d)
{
    size_t n_others = 0;
    double others_s = 0;

    for (size_t i = 0; i < d->kernels->n_kernels; i++) {
        n_others += d->cost_s[i] > 0;
        others_s += d->cost_s[i];
    }
    for (size_t i = 0; i < d->n_chosen; i++)
        others_s -= d->cost_s[d->chosen[i]];
    return n_others == d->n_chosen || others_s > BATCHES_AHEAD * (d->fit_s + d->choice_s);
}

static void choose_all(struct gcal_plan_design *d)
{
    d->n_chosen = 0;
    for (size_t i = 0; i < d->kernels->n_kernels; i++)
        if (d->cost_s[i] > 0)
            d->chosen[d->n_chosen++] = i;
    d->all_anyway = true;
}

static int refine(struct gcal_plan_design *d, double precision)
{
    do {

        if (gcal_plan_elapsed_s(d->plan) >= d->plan->options->budget_s)
            return 0;
        if (choose(d, precision, d->n_known > BATCH_LEAST ? d->n_known : BATCH_LEAST) < 0)
            return -1;
        if (d->n_chosen && !choosing_pays(d))
            choose_all(d);
        announce_chosen(d);
        if (take_chosen(d) < 0 || (d->n_chosen && measure(d) < 0))
            return -1;
    } while (d->n_chosen);
    return 0;
}

/* ---- kernels that were not needed, and the time saved ---- */

static int skip(struct gcal_plan_design *d, size_t kernel, bool enough)
{
    const struct gcal_config_measure_options *o = d->plan->options;
    struct gcal_plan_row *row = gcal_plan_add(d->plan, d->kernels->kernels[kernel]);
    char text[160];

    if (!row)
        return -1;
    if (enough)
        snprintf(text, sizeof(text),
                 "not needed: other kernels determine the parameters to %g%%, or as well "
                 "as possible",
                 100 * o->precision);
    else
        snprintf(text, sizeof(text),
                 "the device's budget of %g s was used up before it was chosen: raise "
                 "budget_s",
                 o->budget_s);
    row->m.stop = enough ? GCAL_MEASUREMENT_STOP_NONE : GCAL_MEASUREMENT_STOP_BUDGET;
    return gcal_plan_finish(d->plan, row, GCAL_MEASUREMENT_SKIPPED, text);
}

/* Rows for kernels that were never tried; sizes that were tried are left out, as in a
 * plain plan.
 */
static int record_skipped(struct gcal_plan_design *d, bool enough)
{
    for (size_t i = 0; i < d->plan->n_rows; i++)
        if (d->plan->rows[i].parked && !d->plan->rows[i].finished)
            gcal_plan_leave_out(d->plan, &d->plan->rows[i]);
    for (size_t i = 0; i < d->families.n; i++) {
        const struct gcal_plan_family *family = &d->families.families[i];

        if (!family->optional || family->verdict.wrong)
            continue;
        for (size_t k = 0; k < family->n_fixed; k++)
            if (!d->families.row[family->fixed[k]] &&
                skip(d, family->fixed[k], enough) < 0)
                return -1;
        if (family->n_sizes && !family->n_tried && !family->n_chosen &&
            skip(d, family->sizes[0], enough) < 0)
            return -1;
    }
    return 0;
}

static void report(const struct gcal_plan_design *d, double took_s)
{
    const struct gcal_plan_hooks *hooks = d->plan->hooks;
    struct gcal_plan_selection selection = { .n_measured = d->n_known,
                                             .took_s = took_s,
                                             .wanted_error =
                                                 d->plan->options->precision };
    struct gcal_plan_rest rest = gcal_plan_estimate_rest(d);
    const char *parameter;

    selection.n_kernels = d->n_known + rest.n_kernels;
    selection.full_s = took_s - d->plan->spent_s[GCAL_PLAN_SPENT_CHOOSING] + rest.time_s;
    selection.all_anyway = d->all_anyway && !rest.n_kernels;
    selection.worst_error =
        gcal_plan_gain_worst_error(d->gain, &parameter, &selection.n_not_identifiable);
    selection.reached = selection.worst_error <= selection.wanted_error;
    snprintf(selection.worst_parameter, sizeof(selection.worst_parameter), "%s",
             parameter);
    gcal_log(GCAL_LOG_INFO,
             "%s: %zu of %zu kernels chosen, worst standard error %.3g of %s",
             d->plan->info->name, selection.n_measured, selection.n_kernels,
             selection.worst_error, parameter);
    if (hooks->chosen)
        hooks->chosen(hooks->progress_context, &selection);
}

/* ---- all of it ---- */

static int design_init(struct gcal_plan_design *d, struct gcal_plan *plan,
                       const struct gcal_kernel_list *kernels)
{
    double start_s = gcal_clock_now_s();
    size_t n = kernels->n_kernels;

    *d = (struct gcal_plan_design){ .plan = plan, .kernels = kernels };
    d->cost_s = calloc(n + 1, sizeof(*d->cost_s));
    d->chosen = calloc(n + 1, sizeof(*d->chosen));
    d->known = calloc(n + 1, sizeof(*d->known));
    if (!d->cost_s || !d->chosen || !d->known)
        return gcal_error_memory(plan->err);
    d->gain = gcal_plan_gain_create(plan->hooks->config, plan->info, kernels, plan->err);
    plan->spent_s[GCAL_PLAN_SPENT_CHOOSING] += gcal_clock_now_s() - start_s;
    return d->gain ? gcal_plan_families_init(&d->families, plan, kernels) : -1;
}

static void design_clear(struct gcal_plan_design *d)
{
    gcal_plan_gain_destroy(d->gain);
    gcal_plan_families_clear(&d->families);
    free(d->cost_s);
    free(d->chosen);
    free(d->known);
}

int gcal_plan_design(struct gcal_plan *plan, const struct gcal_kernel_list *kernels)
{
    double took_s;
    struct gcal_plan_design d;
    int rc = -1;

    if (design_init(&d, plan, kernels) < 0 || take_seeds(&d) < 0 ||
        gcal_plan_warm_up(plan) < 0 || measure(&d) < 0 ||
        refine(&d, plan->options->precision) < 0)
        goto out;
    took_s = gcal_plan_elapsed_s(plan);
    gcal_plan_prepared_all(plan);
    if (record_skipped(&d, took_s < plan->options->budget_s && !d.over_budget) < 0)
        goto out;
    report(&d, took_s);
    rc = 0;
out:
    gcal_plan_end(plan, rc);
    design_clear(&d);
    return rc;
}
