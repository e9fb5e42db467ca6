/* search_belief.c - what is expected of configurations, from predictions and times */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/median.h"
#include "mpi/commands/tune/search_private.h"

/* Of the logarithm of a time: an error of the median, and that of one launch. */
#define NOISE       0.01
#define ROUGH_NOISE 0.05

/* Deviations of the model's errors that a space may have, whatever it says. */
#define LEAST_MISFIT 0.1
#define MOST_MISFIT  1.0
/* Where there is no model. */
#define NO_MISFIT 0.7

/* What all configurations share does not change their order. */
#define COMMON 0.3

#define AMPLITUDE_SPREAD 0.7
#define LENGTH_SPREAD    1.0

/* Times to learn from: the slowest of more are forgotten. */
#define MOST_LEARNED 150

/* Configurations whose joint chance is found, and random draws for it. */
#define MOST_CANDIDATES 150
#define N_DRAWS         1000
#define LEAST_CHANCE    1e-4

/* ---- the prior ---- */

static void destroy_process(void *process)
{
    gcal_fit_process_destroy(process);
}

int gcal_tune_belief_create(struct gcal_arena *arena, const struct gcal_tune_space *space,
                            struct gcal_tune_belief *b, struct gcal_error *err)
{
    size_t n = space->n_configs;
    double median, misfit;
    struct gcal_fit_process_prior prior = { .amplitude_spread = AMPLITUDE_SPREAD,
                                            .length_spread = LENGTH_SPREAD };

    /* The medians of what is predicted: of the logarithms of times, and of their errors; NaN
     * where nothing is.
     */
    double *values = gcal_arena_alloc(arena, n, sizeof(*values));
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (space->configs[i].predicted_s > 0 &&
            isfinite(log(space->configs[i].predicted_s)))
            values[k++] = log(space->configs[i].predicted_s);
    median = k ? gcal_median(values, k) : NAN;
    k = 0;
    for (size_t i = 0; i < n; i++)
        if (space->configs[i].predicted_s > 0 && isfinite(space->configs[i].misfit))
            values[k++] = space->configs[i].misfit;
    misfit = k ? gcal_median(values, k) : NAN;
    misfit = misfit > 0 ? fmin(fmax(misfit, LEAST_MISFIT), MOST_MISFIT) : NO_MISFIT;
    prior.common = COMMON * misfit;
    prior.amplitude = misfit;
    *b = (struct gcal_tune_belief){
        .space = space,
        .points = gcal_tune_search_points(arena, space),
        .unit = isnan(median) ? NAN : 0,
        .prior = gcal_arena_alloc(arena, n, sizeof(*b->prior)),
        .left = gcal_arena_alloc(arena, n, sizeof(*b->left)),
        .mean = gcal_arena_alloc(arena, n, sizeof(*b->mean)),
        .deviation = gcal_arena_alloc(arena, n, sizeof(*b->deviation)),
        .score = gcal_arena_alloc(arena, n, sizeof(*b->score)),
        .order = gcal_arena_alloc(arena, n, sizeof(*b->order)),
    };
    for (size_t i = 0; i < n && !isnan(median); i++) {
        const struct gcal_tune_config *config = &space->configs[i];

        /* A prediction that leaves out some work is too low: at least the median of all. */
        b->prior[i] = config->predicted_s > 0 ? log(config->predicted_s) : median;
        if (config->not_covered > 0)
            b->prior[i] = fmax(b->prior[i], median);
    }
    b->process = gcal_arena_own(arena, gcal_fit_process_create(&b->points, &prior, err),
                                destroy_process);
    return b->process ? 0 : -1;
}

/* ---- learning ---- */

int gcal_tune_belief_learn(struct gcal_tune_belief *b, size_t config,
                           const struct gcal_tune_time *time, struct gcal_error *err)
{
    double mean, deviation, found;

    if (time->outcome > GCAL_TUNE_ABANDONED)
        return 0;
    /* Where nothing is predicted, the first time gives the unit. */
    if (isnan(b->unit))
        b->unit = log(time->seconds);
    found = log(time->seconds) - b->unit - b->prior[config];
    if (time->outcome == GCAL_TUNE_TIMED)
        return gcal_fit_process_observe(b->process, config, found, NOISE, err);
    /* An abandoned one says nothing if it was expected to take longer still. */
    if (gcal_fit_process_predict(b->process, 1, &config, &mean, &deviation, err) < 0)
        return -1;
    return found > mean
               ? gcal_fit_process_observe(b->process, config, found, ROUGH_NOISE, err)
               : 0;
}

/* ---- expecting ---- */

static int compare_scores(const void *a, const void *b, void *scores)
{
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    const double *score = scores;

    if (score[i] != score[k])
        return score[i] > score[k] ? -1 : 1;
    return (i > k) - (i < k);
}

int gcal_tune_belief_expect(struct gcal_tune_belief *b,
                            const struct gcal_tune_times *times, double best_s,
                            struct gcal_error *err)
{
    double unit = isnan(b->unit) ? 0 : b->unit;

    for (size_t n = gcal_fit_process_count(b->process); n > MOST_LEARNED; n--) {
        /* The configuration with the longest time of those that were learned from. */
        size_t found = times->n;

        for (size_t i = 0; i < times->n; i++)
            if (times->asked[i] && times->times[i].outcome <= GCAL_TUNE_ABANDONED &&
                gcal_fit_process_has(b->process, i) &&
                (found == times->n ||
                 times->times[i].seconds > times->times[found].seconds))
                found = i;
        gcal_fit_process_forget(b->process, found);
    }
    if (gcal_fit_process_learn(b->process, err) < 0)
        return -1;
    b->n_left = 0;
    for (size_t i = 0; i < times->n; i++)
        if (!times->asked[i] && !b->space->configs[i].left_out)
            b->left[b->n_left++] = i;
    if (gcal_fit_process_predict(b->process, b->n_left, b->left, b->mean, b->deviation,
                                 err) < 0)
        return -1;
    for (size_t i = 0; i < b->n_left; i++) {
        b->mean[i] += b->prior[b->left[i]] + unit;
        /* Without any time, the shortest expected one. */
        b->score[i] = isnan(best_s) ? -b->mean[i]
                                    : gcal_fit_expected_below(b->mean[i], b->deviation[i],
                                                              log(best_s));
        b->order[i] = i;
    }
    qsort_r(b->order, b->n_left, sizeof(*b->order), compare_scores, b->score);
    return 0;
}

int gcal_tune_belief_chance(struct gcal_tune_belief *b, double best_s, double gain,
                            double *chance, struct gcal_error *err)
{
    double limit = log(best_s) + log1p(-gain);
    size_t points[MOST_CANDIDATES], n = 0;
    double offset[MOST_CANDIDATES];

    for (size_t i = 0; i < b->n_left && n < MOST_CANDIDATES; i++) {
        size_t k = b->order[i];

        if (gcal_fit_probability_below(b->mean[k], b->deviation[k], limit) < LEAST_CHANCE)
            continue;
        points[n] = b->left[k];
        offset[n++] = b->prior[b->left[k]] + (isnan(b->unit) ? 0 : b->unit);
    }
    return gcal_fit_process_any_below(b->process, n, points, offset, limit, N_DRAWS,
                                      chance, err);
}
