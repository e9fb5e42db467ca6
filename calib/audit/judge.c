/* judge.c - verdicts: each parameter against its past and against its type */
#include <math.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "fit/change.h"

/* Each of the two tests gets half of the false alarms that the policy allows, divided by
 * this: noise has longer tails than a normal distribution, and a false verdict stays for
 * some runs.
 */
#define MARGIN 5

/* The lower limit of scales, as a share of the smallest change that matters: smaller
 * differences are significant, but irrelevant.
 */
#define FLOOR_SHARE 0.25

/* The least standard deviation between devices of a type. */
#define TYPE_FLOOR 0.01

/* The first runs of an epoch, for comparison with the previous epoch. */
enum { FIRST = 3 };

struct judge {
    struct gcal_audit_device *device;
    const struct gcal_audit_policy *policy;
    struct gcal_fit_change_policy change;
    size_t begin;   /* of the newest epoch */
    double tests;   /* series that may give an alarm */
    double allowed; /* false alarms of each */
    double *x;      /* n_runs */
};

static enum gcal_audit_verdict by_size(const struct gcal_audit_policy *policy,
                                       double change)
{
    return change >= policy->fail   ? GCAL_AUDIT_FAIL
           : change >= policy->warn ? GCAL_AUDIT_WARN
                                    : GCAL_AUDIT_PASS;
}

/* ---- against the past ---- */

static void judge_past(const struct judge *j, struct gcal_audit_series *s)
{
    size_t n = j->device->n_runs - j->begin;
    struct gcal_fit_change c;
    double d;

    for (size_t i = 0; i < n; i++)
        j->x[i] = gcal_audit_log(s->value[j->begin + i]);
    gcal_fit_change_test(j->x, n, s->repeatability, &j->change, &c);
    d = c.level - c.reference;
    s->reference = exp(c.reference);
    s->change = gcal_audit_relative(d);
    s->change_low = gcal_audit_relative(d - c.half_width);
    s->change_high = gcal_audit_relative(d + c.half_width);
    s->since = c.since < n ? j->begin + c.since : j->device->n_runs;
    s->false_alarm = fmin(1, c.chance * j->tests);
    s->verdict = GCAL_AUDIT_PASS;
    if (c.state == GCAL_FIT_CHANGE_UNTESTED)
        s->verdict = GCAL_AUDIT_UNKNOWN;
    else if (s->category != GCAL_AUDIT_SHAPE && c.state == GCAL_FIT_CHANGE_CONFIRMED)
        s->verdict = by_size(j->policy, s->change);
    else if (s->category != GCAL_AUDIT_SHAPE && c.state == GCAL_FIT_CHANGE_SUSPECTED &&
             s->change >= j->policy->warn)
        s->verdict = GCAL_AUDIT_SUSPECT;
}

/* ---- against its type ---- */

/* The number of the last runs that lie further above the type's median than chance or a
 * reported change explain; 'counted': the number of runs examined.
 */
static size_t runs_above(const struct judge *j, const struct gcal_audit_series *s,
                         const struct gcal_audit_norm *norm, double spread,
                         size_t *counted)
{
    size_t above = 0, n = 0;

    for (size_t i = j->device->n_runs; i > j->begin && n < j->policy->of; i--) {
        /* The part of a run's distance, as a logarithm, that a reported change explains: the
         * device may have been among the slower ones of its type before.
         */
        double x = gcal_audit_log(s->value[i - 1]) -
                   (gcal_audit_needs_attention(s->verdict) && (i - 1) >= s->since
                        ? log1p(s->change)
                        : 0) -
                   norm->median;

        if (isnan(x))
            continue;
        n++;
        above += x > log1p(j->policy->warn) &&
                 gcal_fit_change_outlier_chance(x / spread, norm->n) < j->allowed;
    }
    *counted = n;
    return above;
}

static void judge_type(const struct judge *j, struct gcal_audit_series *s,
                       const struct gcal_audit_norm *norm)
{
    double level = gcal_audit_level(s->value, j->begin, j->device->n_runs, j->policy->of);
    double known = isnan(s->repeatability) ? 0 : s->repeatability, spread;
    enum gcal_audit_verdict verdict = GCAL_AUDIT_PASS;
    size_t above, counted;

    s->against_type = s->against_type_sigmas = NAN;
    if (!norm->n || isnan(level))
        return;
    spread = fmax(TYPE_FLOOR, hypot(norm->spread, known));
    s->against_type = gcal_audit_relative(level - norm->median);
    s->against_type_sigmas = (level - norm->median) / spread;
    if (s->category == GCAL_AUDIT_SHAPE)
        return;
    above = runs_above(j, s, norm, spread, &counted);
    if (above >= j->policy->confirm)
        verdict = by_size(j->policy, s->against_type);
    else if (above && above == counted) /* too few runs yet to confirm it */
        verdict = GCAL_AUDIT_SUSPECT;
    if (s->verdict == GCAL_AUDIT_UNKNOWN || verdict > s->verdict) {
        s->by_type = verdict > GCAL_AUDIT_PASS;
        s->verdict = verdict;
    }
    if (s->by_type)
        s->false_alarm = fmin(1, j->tests * gcal_fit_change_outlier_chance(
                                                s->against_type_sigmas, norm->n));
}

/* ---- the device ---- */

static double epoch_change(const struct judge *j, const struct gcal_audit_series *s)
{
    size_t to = j->begin + FIRST, from = j->begin;

    if (!j->begin)
        return NAN;
    while (from > 0 && j->device->epoch[from - 1] == j->device->epoch[j->begin - 1])
        from--;
    to = to < j->device->n_runs ? to : j->device->n_runs;
    return gcal_audit_relative(gcal_audit_level(s->value, j->begin, to, FIRST) -
                               gcal_audit_level(s->value, from, j->begin, FIRST));
}

void gcal_audit_judge(struct gcal_audit_device *device,
                      const struct gcal_audit_norm *norms,
                      const struct gcal_audit_policy *policy)
{
    struct judge j = { .device = device,
                       .policy = policy,
                       .begin = gcal_audit_epoch_begin(device),
                       .x = gcal_arena_alloc(device->arena, device->n_runs,
                                             sizeof(double)) };

    const struct gcal_audit_device *d = j.device;
    size_t n = 0;
    for (size_t i = 0; i < d->n_series; i++) {
        if (!gcal_audit_is_cost(d->series[i].column.unit))
            continue;
        for (size_t run = j.begin; run < d->n_runs; run++)
            if (d->series[i].value[run] > 0) {
                n++;
                break;
            }
    }
    j.tests = n ? (double)n : 1;
    j.allowed = policy->false_alarms / 2 / MARGIN / j.tests;
    j.change = (struct gcal_fit_change_policy){
        .floor = FLOOR_SHARE * log1p(policy->warn),
        .threshold = gcal_fit_change_threshold(j.allowed),
        .confirm = policy->confirm,
        .of = policy->of,
    };
    device->verdict = GCAL_AUDIT_UNKNOWN;
    device->n_epoch_runs = device->n_runs - j.begin;
    for (size_t i = 0; i < device->n_series; i++) {
        struct gcal_audit_series *s = &device->series[i];

        s->category =
            gcal_audit_is_cost(s->column.unit) ? GCAL_AUDIT_OTHER : GCAL_AUDIT_SHAPE;
        s->repeatability = norms[i].repeatability;
        judge_past(&j, s);
        judge_type(&j, s, &norms[i]);
        s->driver_change = epoch_change(&j, s);
        /* GCAL_AUDIT_UNKNOWN is better than any other verdict. */
        if (s->verdict != GCAL_AUDIT_UNKNOWN &&
            (device->verdict == GCAL_AUDIT_UNKNOWN || s->verdict > device->verdict))
            device->verdict = s->verdict;
    }
}
