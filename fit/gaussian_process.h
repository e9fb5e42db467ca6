/* gaussian_process.h - a function of points, known at a few of them (Rasmussen and Williams
 * 2006, Gaussian Processes for Machine Learning, chapters 2 and 5)
 *
 * The covariance of two points is
 *
 *     common^2 + amplitude^2 exp(-d),   d^2 = sum over coordinates (difference / length)^2
 *
 * where coordinates of one group have the same length.  Amplitude and lengths have
 * log-normal priors, the lengths with median 1: scale the coordinates accordingly.  A length
 * that no observation determines stays near 1, so a group of coordinates in which no two
 * observations differ keeps its influence.
 */
#ifndef GCAL_FIT_GAUSSIAN_PROCESS_H
#define GCAL_FIT_GAUSSIAN_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_error;

struct gcal_fit_points {
    size_t n, n_coordinates;
    const double *coordinates; /* n x n_coordinates */
    const size_t *group;       /* n_coordinates: 0 .. n_groups - 1 */
    size_t n_groups;
};

struct gcal_fit_process_prior {
    double common;           /* standard deviation of what all points share */
    double amplitude;        /* median of the standard deviation of a point */
    double amplitude_spread; /* standard deviation of its logarithm */
    double length_spread;    /* the same of a length */
};

struct gcal_fit_process; /* opaque */

/* The function has mean 0 where nothing is known.  'points' is borrowed.  NULL with 'err'. */
struct gcal_fit_process *
gcal_fit_process_create(const struct gcal_fit_points *points,
                        const struct gcal_fit_process_prior *prior,
                        struct gcal_error *err);
void gcal_fit_process_destroy(struct gcal_fit_process *process);

/* Adds an observation, or replaces that of the same point; 'noise': its standard deviation,
 * above 0.
 */
int gcal_fit_process_observe(struct gcal_fit_process *process, size_t point, double value,
                             double noise, struct gcal_error *err);
/* Takes it back, if there is one. */
void gcal_fit_process_forget(struct gcal_fit_process *process, size_t point);
bool gcal_fit_process_has(const struct gcal_fit_process *process, size_t point);
/* The number of observations. */
size_t gcal_fit_process_count(const struct gcal_fit_process *process);

/* Amplitude and lengths that are most likely after the observations, searched for from the
 * present ones.
 */
int gcal_fit_process_learn(struct gcal_fit_process *process, struct gcal_error *err);
double gcal_fit_process_amplitude(const struct gcal_fit_process *process);
double gcal_fit_process_length(const struct gcal_fit_process *process, size_t group);
/* Logarithm of the density of the observations (marginal likelihood), without the priors;
 * NaN if memory ran out.
 */
double gcal_fit_process_log_likelihood(struct gcal_fit_process *process);

/* After the observations: mean and standard deviation of the function at 'n' points, which
 * include no noise.
 */
int gcal_fit_process_predict(struct gcal_fit_process *process, size_t n,
                             const size_t *points, double *mean, double *deviation,
                             struct gcal_error *err);

/* The probability that the function plus 'offset' is below 'limit' at one of the points at
 * least: the share of 'n_draws' joint random draws, the same ones at each call.
 */
int gcal_fit_process_any_below(struct gcal_fit_process *process, size_t n,
                               const size_t *points, const double *offset, double limit,
                               size_t n_draws, double *probability,
                               struct gcal_error *err);

/* The expected amount by which a normally distributed value is below 'limit', counting 0
 * where it is above (expected improvement, Jones, Schonlau and Welch 1998).
 */
double gcal_fit_expected_below(double mean, double deviation, double limit);
/* The probability that it is below. */
double gcal_fit_probability_below(double mean, double deviation, double limit);

#endif
