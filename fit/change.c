#include "fit/change.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* In scales: runs nearer to the reference than the allowance speak against a change, and
 * no run counts for more than the bound, so that it takes two runs to exceed a threshold.
 */
#define ALLOWANCE 1.5
#define BOUND     4.5

/* A wild run moves the mean by no more than one so far off would. */
#define PULL 2

/* Runs of a reference and of a level: more hardly make them surer, and old ones say less.
 */
enum { MOST = 10 };

/* Siegmund's correction for a sum that overshoots its threshold. */
#define OVERSHOOT 1.166

/* Differences are left out as wild or as changes: two, as many as a wild run makes, of a
 * few, or this share of many.
 */
enum { WILD = 2, WILD_OF_30 = 3 };
#define WILD_SHARE 0.01

/* Magnitudes that tell of tails at all. */
enum { LEAST_TAIL = 5 };

/* A standard error is worth so many differences: of few of them, none may have met what
 * makes runs differ, such as the other of two ways in which memory was laid out.
 */
#define PRIOR 3

/* Of an upper bound on a scale. */
#define CONFIDENCE 0.9
/* The median of magnitudes tells a scale as well as this share of normal values would;
 * consecutive differences share a run, which leaves two thirds.
 */
#define EFFICIENCY (0.37 * 2 / 3)

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double gcal_fit_change_median(double *values, size_t n)
{
    if (!n)
        return NAN;
    qsort(values, n, sizeof(*values), compare);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* ---- how far runs of an unchanged series differ ---- */

static double normal_quantile(double probability)
{
    return gsl_cdf_ugaussian_Pinv(probability);
}

static size_t wild_of(size_t n)
{
    size_t few = n < 30 ? WILD : WILD_OF_30, share = (size_t)(WILD_SHARE * (double)n);

    return share > few ? share : few;
}

/* From 'n' magnitudes in order.  Their median knows nothing of the tails: where there are
 * enough of them, the largest that are not left out may say more.
 */
static double scale_of(const double *magnitudes, size_t n)
{
    double middle =
        n % 2 ? magnitudes[n / 2] : (magnitudes[n / 2 - 1] + magnitudes[n / 2]) / 2;
    double scale = middle / normal_quantile(0.75), tail;
    size_t wild = wild_of(n), at;

    if (n >= LEAST_TAIL) {
        at = n - 1 - wild;
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
    qsort(differences, n, sizeof(*differences), compare);
    scale = scale_of(differences, n);
    freedom = EFFICIENCY * (double)n;
    bound = scale * sqrt(freedom / gsl_cdf_chisq_Pinv(1 - CONFIDENCE, freedom));
    if (isnan(standard_error))
        return bound;
    return fmax(fmin(bound, fmax(scale, standard_error)),
                PRIOR / (PRIOR + (double)n) * standard_error);
}

/* ---- thresholds ---- */

/* Runs until a sum of normal scores exceeds 'threshold' (Siegmund 1985), one side. */
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
    unsigned says;       /* bit i: i runs ago it said so */
};

struct test {
    const double *x;
    double scale;
    const struct gcal_fit_change_policy *policy;
    size_t start;        /* of what is there now: 0 or the last change */
    double mean;         /* of the runs since, that the next is compared with */
    double weight;       /* as good as the mean of so many runs; 0: there is none yet */
    double baseline;     /* what the series began with, */
    size_t baseline_n;   /* from so many runs */
    size_t since;        /* where it left the baseline */
    double chance;       /* of the surest change since */
    struct side side[2]; /* up, down */
    double last;         /* score, */
    size_t last_run;     /* of this run */
};

/* Told runs among [from, to): at most MOST, the first or the last of them. */
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

/* Of the median of n, in squared scales. */
static double variance_of_median(size_t n)
{
    return n < 3 ? 1 / (double)n : n == 3 ? 0.449 : M_PI_2 / (double)n;
}

/* The first runs of what is there now: their median, as one of them may be wild. */
static void begin_mean(struct test *t, size_t to)
{
    double values[MOST];
    size_t n = pick(t->x, t->start, to, false, values);

    if (n < GCAL_FIT_CHANGE_LEAST)
        return;
    t->mean = gcal_fit_change_median(values, n);
    t->weight = 1 / variance_of_median(n);
}

/* The run's distance from the mean of those before it, which it then takes part in: but
 * for what is not wild of it.
 */
static double score_of(struct test *t, double x)
{
    double unit = t->scale * sqrt(1 + 1 / t->weight), score = (x - t->mean) / unit;

    t->weight++;
    t->mean += fmax(-PULL, fmin(score, PULL)) * unit / t->weight;
    return score;
}

static void add(struct side *s, double score, size_t run, double threshold)
{
    if (s->sum <= 0) {
        s->begin = run;
        s->largest = 0;
    }
    s->sum = fmax(0, s->sum + fmin(score, BOUND) - ALLOWANCE);
    s->largest = fmax(s->largest, s->sum);
    s->says = s->says << 1 | (s->sum > threshold && score > ALLOWANCE);
}

static size_t times_said(const struct side *s, size_t of)
{
    unsigned window = of < 32 ? (1U << of) - 1 : ~0U;

    return (size_t)__builtin_popcount(s->says & window);
}

static bool is_baseline(const struct test *t, double level)
{
    return fabs(level - t->baseline) < ALLOWANCE * t->scale;
}

static double baseline_of(const double *x, size_t to, size_t *n)
{
    double values[MOST];

    *n = pick(x, 0, to, false, values);
    return gcal_fit_change_median(values, *n);
}

/* Where what this side sees began: there it left 0, or later, as chance may have made
 * it leave 0 before.
 */
static size_t begin_of(const struct test *t, const struct side *s, size_t to)
{
    double values[MOST], level;
    size_t begin = s->begin;

    level = gcal_fit_change_median(values, pick(t->x, begin, to, true, values));
    while (begin + 1 < to && !(fabs(t->x[begin] - level) < fabs(t->x[begin] - t->mean)))
        begin++;
    return begin;
}

/* What is there now began with what this side sees. */
static void begin_anew(struct test *t, const struct side *s, size_t run)
{
    size_t begin = begin_of(t, s, run + 1);

    if (t->start == 0)
        t->baseline = baseline_of(t->x, begin, &t->baseline_n);
    if (t->start == 0 || is_baseline(t, t->mean)) {
        t->since = begin;
        t->chance = 1;
    }
    t->chance = fmin(t->chance, chance_of(s->largest));
    t->start = begin;
    t->side[0] = t->side[1] = (struct side){ 0 };
    t->weight = t->last = 0;
}

static void take(struct test *t, size_t run)
{
    if (t->weight == 0)
        begin_mean(t, run);
    if (t->weight == 0)
        return;
    t->last = score_of(t, t->x[run]);
    t->last_run = run;
    add(&t->side[0], t->last, run, t->policy->threshold);
    add(&t->side[1], -t->last, run, t->policy->threshold);
    for (int i = 0; i < 2; i++)
        if (times_said(&t->side[i], t->policy->of) >= t->policy->confirm) {
            begin_anew(t, &t->side[i], run);
            return;
        }
}

/* The side that the last run speaks for so far, NULL when it speaks for none. */
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
    change->level = gcal_fit_change_median(values, n_last);
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
    change->reference = gcal_fit_change_median(values, pick(x, 0, n, false, values));
    change->level = gcal_fit_change_median(values, pick(x, 0, n, true, values));
    if (isnan(scale))
        return;
    for (size_t i = 0; i < n; i++)
        if (!isnan(x[i]) && n_known++ >= GCAL_FIT_CHANGE_LEAST)
            take(&t, i);
    if (n_known > GCAL_FIT_CHANGE_LEAST)
        conclude(&t, n, scale, change);
}
