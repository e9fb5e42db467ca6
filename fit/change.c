/* change.c - a two-sided, self-starting CUSUM with bounded scores */
#include "fit/change.h"

#include <math.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

#include "kernels/base/median.h"

/* In scales: runs closer to the reference than the allowance lower the sum, and no run
 * adds more than the bound, so that it takes two runs to exceed a threshold.
 */
#define ALLOWANCE 1.5
#define BOUND     4.5

/* An outlier moves the mean no more than a run this many scales away. */
#define PULL 2

/* Runs of a reference and of a level: more hardly improve them, and old ones matter less.
 */
enum { MOST = 10 };

/* Siegmund's correction for a sum that overshoots its threshold. */
#define OVERSHOOT 1.166

/* The largest differences are excluded as outliers or changes: two of a few, as one
 * outlier makes two, three from 30 on, or this share of many.
 */
enum { OUTLIERS = 2, OUTLIERS_OF_30 = 3 };
#define OUTLIER_SHARE 0.01

/* Magnitudes from which the tail can be estimated. */
enum { LEAST_TAIL = 5 };

/* The weight of a standard error, in differences: a few differences may all have missed
 * what makes runs differ, such as one of two layouts of memory.
 */
#define PRIOR 3

/* Of an upper bound on a scale. */
#define CONFIDENCE 0.9
/* The efficiency of the median of magnitudes as an estimate of scale; consecutive
 * differences share a run, which leaves two thirds.
 */
#define EFFICIENCY (0.37 * 2 / 3)

/* ---- repeatability ---- */

static double normal_quantile(double probability)
{
    return gsl_cdf_ugaussian_Pinv(probability);
}

static size_t count_outliers(size_t n)
{
    size_t few = n < 30 ? OUTLIERS : OUTLIERS_OF_30;
    size_t share = (size_t)(OUTLIER_SHARE * (double)n);

    return share > few ? share : few;
}

/* From 'n' sorted magnitudes.  Their median does not see the tail: where there are
 * enough, the largest that is not an outlier may give a larger scale.
 */
static double scale_of(const double *magnitudes, size_t n)
{
    double scale = gcal_median_of_sorted(magnitudes, n) / normal_quantile(0.75), tail;
    size_t at;

    if (n >= LEAST_TAIL) {
        at = n - 1 - count_outliers(n);
        tail =
            magnitudes[at] / normal_quantile(0.5 + 0.5 * ((double)at + 0.5) / (double)n);
        scale = fmax(scale, tail);
    }
    return scale / M_SQRT2; /* of a difference of two */
}

double gcal_fit_change_repeatability(double *differences, size_t n, double standard_error)
{
    double scale, freedom, bound;

    if (!n)
        return standard_error;
    for (size_t i = 0; i < n; i++)
        differences[i] = fabs(differences[i]);
    gsl_sort(differences, 1, n);
    scale = scale_of(differences, n);
    freedom = EFFICIENCY * (double)n;
    bound = scale * sqrt(freedom / gsl_cdf_chisq_Pinv(1 - CONFIDENCE, freedom));
    if (isnan(standard_error))
        return bound;
    return fmax(fmin(bound, fmax(scale, standard_error)),
                PRIOR / (PRIOR + (double)n) * standard_error);
}

/* ---- thresholds ---- */

/* Average runs until the one-sided sum of normal scores exceeds 'threshold' (Siegmund
 * 1985).
 */
static double run_length(double threshold)
{
    double b = 2 * ALLOWANCE * (threshold + OVERSHOOT);

    return (exp(b) - b - 1) / (2 * ALLOWANCE * ALLOWANCE);
}

static double chance_of(double sum)
{
    return sum > 0 ? fmin(1, 2 / run_length(sum)) : 1;
}

double gcal_fit_change_threshold(double false_alarms)
{
    double low = 0, high = 200;

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;

        if (chance_of(middle) > false_alarms)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double gcal_fit_change_outlier_chance(double sigmas, size_t n)
{
    return 2 * gsl_cdf_tdist_Q(fabs(sigmas), n > 5 ? (double)n - 1 : 4);
}

/* ---- the test ---- */

struct side {
    double sum, largest; /* now; since it left 0 */
    size_t begin;        /* the run where it left 0 */
    unsigned alarms;     /* bit i: alarm i runs ago */
};

struct test {
    const double *x;
    double scale;
    const struct gcal_fit_change_policy *policy;
    size_t start;        /* of the present level: 0 or the last change */
    double mean;         /* of the runs since; the next run is compared with it */
    double weight;       /* number of runs that the mean is worth; 0: no mean yet */
    double baseline;     /* the reference of the whole series */
    size_t baseline_n;   /* the number of its runs */
    size_t since;        /* the run where the series left the baseline */
    double chance;       /* smallest probability of the changes since */
    struct side side[2]; /* up, down */
    double last;         /* score of last_run */
    size_t last_run;
};

/* The first or the last runs with a value in [from, to), at most MOST. */
static size_t pick(const double *x, size_t from, size_t to, bool last, double *values)
{
    size_t n = 0;

    for (size_t i = 0; i < to - from && n < MOST; i++) {
        double value = x[last ? to - 1 - i : from + i];

        if (!isnan(value))
            values[n++] = value;
    }
    return n;
}

/* In squared scales. */
static double variance_of_median(size_t n)
{
    return n < 3 ? 1 / (double)n : n == 3 ? 0.449 : M_PI_2 / (double)n;
}

/* The median of the first runs of the present level, as one of them may be an outlier. */
static void begin_mean(struct test *t, size_t to)
{
    double values[MOST];
    size_t n = pick(t->x, t->start, to, false, values);

    if (n < GCAL_FIT_CHANGE_LEAST)
        return;
    t->mean = gcal_median(values, n);
    t->weight = 1 / variance_of_median(n);
}

static void add(struct side *s, double score, size_t run, double threshold)
{
    if (s->sum <= 0) {
        s->begin = run;
        s->largest = 0;
    }
    s->sum = fmax(0, s->sum + fmin(score, BOUND) - ALLOWANCE);
    s->largest = fmax(s->largest, s->sum);
    s->alarms = s->alarms << 1 | (s->sum > threshold && score > ALLOWANCE);
}

static size_t count_alarms(const struct side *s, size_t of)
{
    unsigned window = of < 32 ? (1U << of) - 1 : ~0U;

    return (size_t)__builtin_popcount(s->alarms & window);
}

static bool is_baseline(const struct test *t, double level)
{
    return fabs(level - t->baseline) < ALLOWANCE * t->scale;
}

static double baseline_of(const double *x, size_t to, size_t *n)
{
    double values[MOST];

    *n = pick(x, 0, to, false, values);
    return gcal_median(values, *n);
}

/* The run where the change that this side sees began: where it left 0, or later, as it
 * may have left 0 by chance before.
 */
static size_t begin_of(const struct test *t, const struct side *s, size_t to)
{
    double values[MOST], level;
    size_t begin = s->begin;

    level = gcal_median(values, pick(t->x, begin, to, true, values));
    while (begin + 1 < to && !(fabs(t->x[begin] - level) < fabs(t->x[begin] - t->mean)))
        begin++;
    return begin;
}

static void take(struct test *t, size_t run)
{
    double unit, score;

    if (t->weight == 0)
        begin_mean(t, run);
    if (t->weight == 0)
        return;
    /* The run's distance from the mean of the earlier ones, in scales; the mean then takes
     * in the run, its distance limited to PULL.
     */
    unit = t->scale * sqrt(1 + 1 / t->weight);
    score = (t->x[run] - t->mean) / unit;
    t->weight++;
    t->mean += fmax(-PULL, fmin(score, PULL)) * unit / t->weight;
    t->last = score;
    t->last_run = run;
    add(&t->side[0], t->last, run, t->policy->threshold);
    add(&t->side[1], -t->last, run, t->policy->threshold);
    for (int i = 0; i < 2; i++)
        if (count_alarms(&t->side[i], t->policy->of) >= t->policy->confirm) {
            size_t begin = begin_of(t, &t->side[i], run + 1);

            /* Starts a new level with the change that this side sees. */
            if (t->start == 0)
                t->baseline = baseline_of(t->x, begin, &t->baseline_n);
            if (t->start == 0 || is_baseline(t, t->mean)) {
                t->since = begin;
                t->chance = 1;
            }
            t->chance = fmin(t->chance, chance_of(t->side[i].largest));
            t->start = begin;
            t->side[0] = t->side[1] = (struct side){ 0 };
            t->weight = t->last = 0;
            return;
        }
}

/* The side with a sum above the threshold or a last run far off; NULL: neither. */
static const struct side *suspicion(const struct test *t)
{
    for (int i = 0; i < 2; i++)
        if (t->side[i].sum > t->policy->threshold)
            return &t->side[i];
    return fabs(t->last) < BOUND ? NULL : &t->side[t->last < 0];
}

static void conclude(struct test *t, size_t n, double scale,
                     struct gcal_fit_change *change)
{
    const struct side *suspect = t->start ? NULL : suspicion(t);
    double values[MOST];
    size_t from = suspect ? begin_of(t, suspect, t->last_run + 1) : t->start, n_last;

    n_last = pick(t->x, from, n, true, values);
    if (!t->start)
        t->baseline = baseline_of(t->x, suspect ? from : n, &t->baseline_n);
    change->reference = t->baseline;
    change->level = gcal_median(values, n_last);
    change->half_width =
        normal_quantile(0.95) * scale *
        sqrt(variance_of_median(t->baseline_n) + variance_of_median(n_last));
    change->state = GCAL_FIT_CHANGE_NONE;
    if (suspect) {
        change->state = GCAL_FIT_CHANGE_SUSPECTED;
        change->since = from;
        change->chance = chance_of(suspect->largest);
    } else if (t->start && !is_baseline(t, change->level)) {
        change->state = GCAL_FIT_CHANGE_CONFIRMED;
        change->since = t->since;
        change->chance = t->chance;
    }
}

void gcal_fit_change_test(const double *x, size_t n, double scale,
                          const struct gcal_fit_change_policy *policy,
                          struct gcal_fit_change *change)
{
    struct test t = {
        .x = x, .scale = fmax(scale, policy->floor), .policy = policy, .chance = 1
    };
    double values[MOST];
    size_t n_known = 0;

    *change = (struct gcal_fit_change){ .since = n, .chance = 1, .half_width = NAN };
    change->reference = gcal_median(values, pick(x, 0, n, false, values));
    change->level = gcal_median(values, pick(x, 0, n, true, values));
    if (isnan(scale))
        return;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]) && n_known++ >= GCAL_FIT_CHANGE_LEAST)
            take(&t, i);
    if (n_known > GCAL_FIT_CHANGE_LEAST)
        conclude(&t, n, scale, change);
}
