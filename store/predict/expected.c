/* expected.c - division of work for the shortest expected time until the last share ends
 *
 * All have ended by t with the product of the groups' probabilities; a group's is that of the
 * share which needs the least error to be late.  The expected end is the integral over t of the
 * probability that some have not ended.
 *
 * Shares are compared by time * exp(offset of the group), by which gcal_split() lets groups end
 * apart, and the offsets are searched one after the other.
 */
#include "store/predict/expected.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"

/* Errors beyond so many deviations do not count. */
#define FARTHEST 5.0
/* Launches of any kernel differ by at least this deviation.  The integral's points are at most
 * STEP deviations apart: on that scale the probability is smooth.
 */
#define LEAST_DEVIATION 0.01
#define STEP            0.7
#define MOST_POINTS     1024
/* A group that gains less than this part of the time is left out. */
#define LEAST_GAIN 1e-3
/* Offsets that are searched, and how closely, in deviations. */
#define LOWEST   (-2.0)
#define HIGHEST  4.0
#define CLOSE    0.1
#define N_ROUNDS 2

struct search {
    struct gcal_split_share *shares;
    const struct gcal_expected_error *errors;
    size_t count;
    double units, granularity;
    gcal_split_time *time;
    void *context;
    double *time_s; /* of each share; below, too */
    double *best;   /* units */
    double *offset; /* of each group; below, too */
    double *latest; /* see ended_by() */
    double best_s, best_score;
};

/* ---- the expected end ---- */

static double deviation_of(const struct search *s, size_t i)
{
    return fmax(s->errors[i].deviation, LEAST_DEVIATION);
}

static double certain_part(const struct search *s, size_t i)
{
    return fmin(s->time_s[i],
                s->errors[i].start_s + s->errors[i].unit_s * s->shares[i].units);
}

static double end_of(const struct search *s, size_t i, double deviations)
{
    double certain_s = certain_part(s, i);

    return certain_s + (s->time_s[i] - certain_s) * exp(deviations * deviation_of(s, i));
}

/* The probability that all have ended. */
static double ended_by(const struct search *s, double t_s)
{
    double probability = 1;

    for (size_t g = 0; g < s->count; g++)
        s->latest[g] = INFINITY; /* so many deviations does the group have until t_s */
    for (size_t i = 0; i < s->count; i++) {
        double certain_s = certain_part(s, i), *latest = &s->latest[s->errors[i].group];

        if (s->shares[i].units == 0)
            continue;
        if (t_s <= certain_s)
            return 0;
        *latest = fmin(*latest, log((t_s - certain_s) / (s->time_s[i] - certain_s)) /
                                    deviation_of(s, i));
    }
    for (size_t g = 0; g < s->count; g++)
        if (s->latest[g] < INFINITY)
            probability *= 0.5 * erfc(-s->latest[g] * M_SQRT1_2);
    return probability;
}

/* Of the present units and times. */
static double expect_end(const struct search *s)
{
    double from_s = 0, to_s = 0, least = INFINITY, expected_s, n, step;

    for (size_t i = 0; i < s->count; i++) {
        if (s->shares[i].units == 0)
            continue;
        from_s = fmax(from_s, end_of(s, i, -FARTHEST));
        to_s = fmax(to_s, end_of(s, i, FARTHEST));
        least = fmin(least, deviation_of(s, i));
    }
    if (!(from_s > 0 && to_s > from_s))
        return to_s;
    n = ceil(fmin(MOST_POINTS, log(to_s / from_s) / (STEP * least)));
    step = log(to_s / from_s) / n;
    expected_s = from_s + 0.5 * step * from_s; /* nothing has ended by then */
    for (double i = 1; i < n; i++) {           /* dt = t d(log t) */
        double t_s = from_s * exp(i * step);

        expected_s += step * t_s * (1 - ended_by(s, t_s));
    }
    return expected_s;
}

/* ---- the search ---- */

/* The expected end with the offsets as they are, and what using each group is worth at least; infinite
 * where limits do not allow them.
 */
static double try_offsets(struct search *s)
{
    double expected_s, score;
    size_t n_groups = 0;

    for (size_t i = 0; i < s->count; i++)
        s->shares[i].scale = exp(s->offset[s->errors[i].group]);
    if (gcal_split(s->shares, s->count, s->units, s->granularity, s->time, s->context,
                   NULL) < 0)
        return INFINITY;
    for (size_t i = 0; i < s->count; i++)
        if (s->shares[i].units > 0 &&
            s->time(s->context, i, s->shares[i].units, &s->time_s[i], NULL) < 0)
            return INFINITY;
    for (size_t i = 0; i < s->count; i++) {
        size_t k = 0;

        while (k < i &&
               (s->shares[k].units == 0 || s->errors[k].group != s->errors[i].group))
            k++;
        n_groups += s->shares[i].units > 0 && k == i;
    }
    expected_s = expect_end(s);
    score = expected_s * (1 + LEAST_GAIN * (double)n_groups);
    if (score < s->best_score) {
        s->best_score = score;
        s->best_s = expected_s;
        for (size_t i = 0; i < s->count; i++)
            s->best[i] = s->shares[i].units;
    }
    return score;
}

static double try_offset(struct search *s, size_t group, double offset)
{
    s->offset[group] = offset;
    return try_offsets(s);
}

/* By golden section, and without the group. */
static void search_offset(struct search *s, size_t group, double deviation)
{
    const double part = (sqrt(5) - 1) / 2;
    double low = LOWEST * deviation, high = HIGHEST * deviation;
    double left = high - part * (high - low), right = low + part * (high - low);
    double left_s = try_offset(s, group, left), right_s = try_offset(s, group, right);
    double with_s;

    while (high - low > CLOSE * deviation)
        if (left_s <= right_s) {
            high = right, right = left, right_s = left_s;
            left = high - part * (high - low);
            left_s = try_offset(s, group, left);
        } else {
            low = left, left = right, left_s = right_s;
            right = low + part * (high - low);
            right_s = try_offset(s, group, right);
        }
    with_s = s->best_score;
    if (!(try_offset(s, group, INFINITY) < with_s))
        s->offset[group] = left;
}

/* The group that is not shifted: one of those that keep together, or that with most units. */
static size_t find_fixed(const struct search *s, size_t n_shifted)
{
    size_t fixed = 0;
    double *units = s->latest;

    for (size_t g = 0; g < s->count; g++)
        units[g] = 0;
    for (size_t i = 0; i < s->count; i++) {
        units[s->errors[i].group] += s->best[i];
        if (s->errors[i].group >= n_shifted)
            return s->errors[i].group;
    }
    for (size_t g = 1; g < s->count; g++)
        fixed = units[g] > units[fixed] ? g : fixed;
    return fixed;
}

/* Of the errors of a group. */
static double group_deviation(const struct search *s, size_t group)
{
    double deviation = 0;

    for (size_t i = 0; i < s->count; i++)
        if (s->errors[i].group == group)
            deviation = fmax(deviation, deviation_of(s, i));
    return deviation;
}

int gcal_split_expected(struct gcal_split_share *shares,
                        const struct gcal_expected_error *errors, size_t count,
                        size_t n_shifted, double units, double granularity,
                        gcal_split_time *time, void *context, double *makespan_s,
                        struct gcal_error *err)
{
    double *block = calloc(4 * count + 1, sizeof(*block));
    struct search s = { .shares = shares,
                        .errors = errors,
                        .count = count,
                        .units = units,
                        .granularity = granularity,
                        .time = time,
                        .context = context,
                        .best_s = INFINITY,
                        .best_score = INFINITY };
    size_t fixed;

    if (!block)
        return gcal_error_memory(err);
    s.time_s = block;
    s.best = block + count;
    s.offset = block + 2 * count;
    s.latest = block + 3 * count;
    try_offsets(&s); /* as gcal_split() divides */
    fixed = find_fixed(&s, n_shifted);
    for (int round = 0; round < N_ROUNDS; round++)
        for (size_t g = 0; g < n_shifted; g++)
            if (g != fixed)
                search_offset(&s, g,
                              hypot(group_deviation(&s, g), group_deviation(&s, fixed)));
    for (size_t i = 0; i < count; i++)
        shares[i].units = s.best[i];
    *makespan_s = s.best_s;
    free(block);
    return isfinite(*makespan_s)
               ? 0
               : gcal_error_set(err, GCAL_EINPUT, "the work cannot be divided again");
}
