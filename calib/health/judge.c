/* judge.c - whether a reading is worse than those before, or than other devices of the type */
#include "calib/health/health.h"

#include <math.h>
#include <string.h>

#include "fit/change.h"
#include "fit/fit.h"
#include "kernels/base/median.h"

/* Readings that the level follows from. */
enum { LEVEL = 10, LASTING = 5 };

/* Smaller losses are no warning; that of the clock is the heat of an afternoon. */
#define FLOOR         0.007
#define LASTING_FLOOR 0.0035
#define CLOCK_FLOOR   0.025

/* The chance of a false alarm of a test against n readings is this over n squared: one in a
 * million after ten checks, so that 1 % is found at once, and a sixteenth of that from forty on,
 * which a device has for most of its life.  A check makes some 15 tests.
 */
#define FALSE_ALARMS 1e-4

/* The median of n readings has the variance 1.57/n of one. */
#define MEDIAN 1.57

/* Against the type: the least standard deviation of its devices, as in audits. */
#define TYPE_FLOOR        0.01
#define TYPE_FALSE_ALARMS 1e-6

static const struct {
    const char *name, *word;
    bool at_clock; /* what the clock's loss explains */
} resources[GCAL_HEALTH_N] = {
    [GCAL_HEALTH_ARITHMETIC] = { "arithmetic", "arithmetic", true },
    [GCAL_HEALTH_CACHE] = { "last-level cache", "cache", true },
    [GCAL_HEALTH_LATENCY] = { "latency", "latency", true },
    [GCAL_HEALTH_LAUNCH] = { "launch", "launch", true },
    [GCAL_HEALTH_MEMORY] = { "memory bandwidth", "memory", false },
    [GCAL_HEALTH_TO_DEVICE] = { "copies to the device", "to_device", false },
    [GCAL_HEALTH_FROM_DEVICE] = { "copies from the device", "from_device", false },
    [GCAL_HEALTH_CLOCK] = { "clock", "clock", false },
};

const char *gcal_health_resource_name(enum gcal_health_resource resource)
{
    return resources[resource].name;
}

const char *gcal_health_resource_word(enum gcal_health_resource resource)
{
    return resources[resource].word;
}

/* The values of a resource that count, oldest first: those that were off in more than one check
 * running do not, nor does a last one, as nobody knows yet.
 */
static size_t take_values(const struct gcal_health_reading *past, size_t n, size_t r,
                          double *values)
{
    size_t taken = 0;

    for (size_t i = n > GCAL_CHECKS_KEPT ? n - GCAL_CHECKS_KEPT : 0; i < n; i++) {
        bool alone = i + 1 < n && !past[i + 1].off[r] && (!i || !past[i - 1].off[r]);

        if (!isnan(past[i].x[r]) && (!past[i].off[r] || alone))
            values[taken++] = past[i].x[r];
    }
    return taken;
}

static double median_of(const double *values, size_t n)
{
    double sorted[LEVEL];

    memcpy(sorted, values, n * sizeof(*values));
    return gcal_median(sorted, n);
}

/* Standard deviation; correlation of a value with the next one, not below 0; the largest value. */
static void describe(const double *values, size_t n, double *deviation,
                     double *correlation, double *most)
{
    double mean = 0, sum = 0, products = 0;

    *most = values[0];
    for (size_t i = 0; i < n; i++) {
        mean += values[i] / (double)n;
        *most = fmax(*most, values[i]);
    }
    for (size_t i = 0; i < n; i++) {
        sum += (values[i] - mean) * (values[i] - mean);
        products += i ? (values[i] - mean) * (values[i - 1] - mean) : 0;
    }
    *deviation = sqrt(sum / (double)(n - 1));
    *correlation = sum > 0 ? fmax(0, products / sum) : 0;
}

/* Student's t of a limit, which takes GSL some microseconds; kept for simulations of fleets. */
static double limit_factor(size_t freedom)
{
    static _Thread_local double known[GCAL_CHECKS_KEPT];

    if (!known[freedom])
        known[freedom] = gcal_fit_interval_factor(
            1 - 2 * FALSE_ALARMS / (double)((freedom + 1) * (freedom + 1)), freedom);
    return known[freedom];
}

/* The mean of the newest 'w' readings, of which 'now' is one, against those before them.  A loss
 * lasts if each of them has half of it.
 */
static struct gcal_health_finding compare(const double *values, size_t n, double now,
                                          size_t w, double floor, double explained)
{
    size_t before = n - (w - 1), of = before < LEVEL ? before : LEVEL;
    double s, correlation, most, mean = now / (double)w, least = now, error;
    double level = median_of(values + before - of, of);

    /* Readings that resemble each other say less: five may be as good as one. */
    describe(values, before, &s, &correlation, &most);
    error = s * sqrt(fmin(1, (1 + correlation) / (1 - correlation) / (double)w) +
                     MEDIAN / (double)of);
    struct gcal_health_finding f = {
        .n = before, .lasting = w > 1, .explained = explained, .against_type = NAN
    };

    for (size_t i = before; i < n; i++) {
        mean += values[i] / (double)w;
        least = fmin(least, values[i]);
    }
    f.loss = mean - level;
    f.limit =
        fmax(fmax(floor, error * limit_factor(before - 1)), most - level + floor / 2);
    f.error = 1.645 * error;
    f.off = f.loss - explained > f.limit && least - level >= f.loss / 2;
    return f;
}

static struct gcal_health_finding judge_one(const struct gcal_health_reading *past,
                                            size_t n, double now, size_t r, double floor,
                                            double explained)
{
    double values[GCAL_CHECKS_KEPT];
    size_t taken = take_values(past, n, r, values);
    struct gcal_health_finding one = {
        .n = taken, .loss = NAN, .limit = NAN, .error = NAN, .against_type = NAN
    };

    if (taken < GCAL_HEALTH_LEAST || isnan(now))
        return one;
    one = compare(values, taken, now, 1, floor, explained);
    if (!one.off && floor == FLOOR && taken >= GCAL_HEALTH_LEAST + LASTING - 1) {
        struct gcal_health_finding five =
            compare(values, taken, now, LASTING, LASTING_FLOOR, explained);

        if (five.off)
            return five;
    }
    return one;
}

void gcal_health_judge(const struct gcal_health_reading *past, size_t n,
                       const struct gcal_health_reading *now,
                       const struct gcal_health_policy *policy,
                       struct gcal_health_finding found[GCAL_HEALTH_N])
{
    const size_t clock = GCAL_HEALTH_CLOCK, arithmetic = GCAL_HEALTH_ARITHMETIC;
    double explained;

    found[clock] = judge_one(past, n, now->x[clock], clock, CLOCK_FLOOR, 0);
    explained = found[clock].loss > 0 ? found[clock].loss : 0;
    /* Where the clock is unknown, arithmetic stands for it. */
    found[arithmetic] = judge_one(past, n, now->x[arithmetic], arithmetic,
                                  isnan(now->x[clock]) ? CLOCK_FLOOR : FLOOR, explained);
    if (isnan(now->x[clock]) && found[arithmetic].loss > 0)
        explained = found[arithmetic].loss;
    for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
        if (r != clock && r != arithmetic)
            found[r] = judge_one(past, n, now->x[r], r, FLOOR,
                                 resources[r].at_clock ? explained : 0);
        found[r].is_failure =
            found[r].off && found[r].loss - found[r].explained >= log1p(policy->fail);
    }
}

void gcal_health_judge_type(const struct gcal_health_reading *others, size_t n,
                            const struct gcal_health_reading *now,
                            const struct gcal_health_policy *policy,
                            struct gcal_health_finding found[GCAL_HEALTH_N])
{
    for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
        double values[GCAL_HEALTH_MOST_DEVICES], off, spread, median;
        size_t taken = 0;

        for (size_t i = 0; i < n && taken < GCAL_HEALTH_MOST_DEVICES; i++)
            if (!isnan(others[i].x[r]))
                values[taken++] = others[i].x[r];
        if (taken < GCAL_HEALTH_LEAST_DEVICES || isnan(now->x[r]))
            continue;
        median = gcal_median(values, taken);
        off = now->x[r] - median;
        for (size_t i = 0; i < taken; i++)
            values[i] = fabs(values[i] - median);
        spread = fmax(TYPE_FLOOR, 1.4826 * gcal_median(values, taken));
        found[r].against_type = expm1(off);
        found[r].by_type =
            off > log1p(policy->warn) &&
            gcal_fit_change_outlier_chance(off / spread, taken) < TYPE_FALSE_ALARMS;
        found[r].is_failure |= found[r].by_type && off >= log1p(policy->fail);
    }
}
