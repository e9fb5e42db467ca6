/* search_belief.c - what is expected of configurations, from predictions and times */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"
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

/* The median of a member of the configurations; NaN if none has it. */
static double median_of(const struct gcal_tune_space *space,
                        double (*get)(const struct gcal_tune_config *))
{
    double *values = calloc(space->n_configs + 1, sizeof(*values)), median;
    size_t n = 0;

    for (size_t i = 0; values && i < space->n_configs; i++)
        if (space->configs[i].predicted_s > 0 && isfinite(get(&space->configs[i])))
            values[n++] = get(&space->configs[i]);
    median = values && n ? gcal_median(values, n) : NAN;
    free(values);
    return median;
}

static double misfit_of(const struct gcal_tune_config *config)
{
    return config->misfit;
}

static double prediction_of(const struct gcal_tune_config *config)
{
    return log(config->predicted_s);
}

static double space_misfit(const struct gcal_tune_space *space)
{
    double misfit = median_of(space, misfit_of);

    if (!(misfit > 0))
        return NO_MISFIT;
    return fmin(fmax(misfit, LEAST_MISFIT), MOST_MISFIT);
}

/* A prediction that leaves out some work is too low: at least the median of all. */
static double prior_of(const struct gcal_tune_config *config, double median)
{
    double prior = config->predicted_s > 0 ? log(config->predicted_s) : median;

    return config->not_covered > 0 ? fmax(prior, median) : prior;
}

static int make_arrays(struct gcal_tune_belief *b, struct gcal_error *err)
{
    size_t n = b->space->n_configs + 1;

    b->prior = calloc(n, sizeof(*b->prior));
    b->left = calloc(n, sizeof(*b->left));
    b->mean = calloc(n, sizeof(*b->mean));
    b->deviation = calloc(n, sizeof(*b->deviation));
    b->score = calloc(n, sizeof(*b->score));
    b->order = calloc(n, sizeof(*b->order));
    if (b->prior && b->left && b->mean && b->deviation && b->score && b->order)
        return 0;
    return gcal_error_memory(err);
}

int gcal_tune_belief_create(const struct gcal_tune_space *space,
                            struct gcal_tune_belief *b, struct gcal_error *err)
{
    double misfit = space_misfit(space), median = median_of(space, prediction_of);
    const struct gcal_fit_process_prior prior = { .common = COMMON * misfit,
                                                  .amplitude = misfit,
                                                  .amplitude_spread = AMPLITUDE_SPREAD,
                                                  .length_spread = LENGTH_SPREAD };

    *b = (struct gcal_tune_belief){ .space = space, .unit = NAN };
    if (make_arrays(b, err) < 0 || gcal_tune_search_points(space, &b->points, err) < 0 ||
        !(b->process = gcal_fit_process_create(&b->points.points, &prior, err)))
        return -1;
    if (!isnan(median))
        b->unit = 0;
    for (size_t i = 0; i < space->n_configs; i++)
        b->prior[i] = isnan(median) ? 0 : prior_of(&space->configs[i], median);
    return 0;
}

void gcal_tune_belief_clear(struct gcal_tune_belief *b)
{
    gcal_fit_process_destroy(b->process);
    gcal_tune_search_points_clear(&b->points);
    free(b->prior);
    free(b->left);
    free(b->mean);
    free(b->deviation);
    free(b->score);
    free(b->order);
    *b = (struct gcal_tune_belief){ 0 };
}

/* ---- learning ---- */

/* The configuration with the longest time of those that were learned from. */
static size_t slowest(const struct gcal_tune_belief *b,
                      const struct gcal_tune_times *times)
{
    size_t found = times->n;

    for (size_t i = 0; i < times->n; i++)
        if (times->asked[i] && times->times[i].outcome <= GCAL_TUNE_ABANDONED &&
            gcal_fit_process_has(b->process, i) &&
            (found == times->n || times->times[i].seconds > times->times[found].seconds))
            found = i;
    return found;
}

/* Where nothing is predicted, the first time gives the unit. */
static double residual(struct gcal_tune_belief *b, size_t config, double seconds)
{
    if (isnan(b->unit))
        b->unit = log(seconds);
    return log(seconds) - b->unit - b->prior[config];
}

/* An abandoned one says nothing if it was expected to take longer still. */
static int learn_abandoned(struct gcal_tune_belief *b, size_t config, double seconds,
                           struct gcal_error *err)
{
    double mean, deviation, found = residual(b, config, seconds);

    if (gcal_fit_process_predict(b->process, 1, &config, &mean, &deviation, err) < 0)
        return -1;
    return found > mean
               ? gcal_fit_process_observe(b->process, config, found, ROUGH_NOISE, err)
               : 0;
}

int gcal_tune_belief_learn(struct gcal_tune_belief *b, size_t config,
                           const struct gcal_tune_time *time, struct gcal_error *err)
{
    if (time->outcome == GCAL_TUNE_ABANDONED)
        return learn_abandoned(b, config, time->seconds, err);
    if (time->outcome != GCAL_TUNE_TIMED)
        return 0;
    return gcal_fit_process_observe(b->process, config,
                                    residual(b, config, time->seconds), NOISE, err);
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

/* Without any time, the shortest expected one. */
static double score_of(double mean, double deviation, double best)
{
    return isnan(best) ? -mean : gcal_fit_expected_below(mean, deviation, best);
}

int gcal_tune_belief_expect(struct gcal_tune_belief *b,
                            const struct gcal_tune_times *times, double best_s,
                            struct gcal_error *err)
{
    double unit = isnan(b->unit) ? 0 : b->unit;

    for (size_t n = gcal_fit_process_count(b->process); n > MOST_LEARNED; n--)
        gcal_fit_process_forget(b->process, slowest(b, times));
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
        b->score[i] = score_of(b->mean[i], b->deviation[i], log(best_s));
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
