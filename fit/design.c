/* design.c - sequential D-optimal choice of measurements
 *
 * The information M is kept, and its inverse, the covariance C, from when it is needed.  A
 * row x with noise s changes the covariance of the parameters U, not yet precise, to
 *
 *   C_UU - y_U y_U' / (s^2 + x'Cx),  y = C x,
 *
 * and log det C_UU by -log(1 - y_U' C_UU^-1 y_U / (s^2 + x'Cx)).  With all parameters
 * in U this is the rank-one form of the header, else D_s-optimality (Atkinson, Donev and
 * Tobias, section 10.3), by which precise parameters need no further rows.
 */
#include "fit/design.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_matrix.h>
#include <gsl/gsl_vector.h>

#include "calib/base/error.h"
#include "calib/model/model.h"
#include "fit/private.h"

/* A candidate helps when it lowers a wanted variance by this share. */
#define HELPS 1e-3

struct candidate {
    double *shares;
    double noise, cost_s;
    bool taken;
};

struct gcal_fit_design {
    size_t n; /* parameters */
    gsl_matrix *information, *covariance;
    bool is_current; /* covariance is information's inverse, and is kept so */
    size_t n_candidates, capacity;
    struct candidate *candidates;
    gsl_matrix *wanted; /* n x n: C_UU, decomposed */
    gsl_vector *y, *part, *solved;
    size_t *slots; /* U */
};

/* ---- lifecycle ---- */

struct gcal_fit_design *gcal_fit_design_create(size_t n_parameters,
                                               struct gcal_error *err)
{
    struct gcal_fit_design *d = calloc(1, sizeof(*d));
    size_t n = n_parameters;

    gcal_fit_quiet_gsl();
    if (!d) {
        gcal_error_memory(err);
        return NULL;
    }
    if (n == 0) {
        gcal_error_set(err, GCAL_EINPUT,
                       "the model has no parameters: no measurement to choose");
        free(d);
        return NULL;
    }
    d->n = n;
    d->information = gsl_matrix_calloc(n, n);
    d->covariance = gsl_matrix_alloc(n, n);
    d->wanted = gsl_matrix_alloc(n, n);
    d->y = gsl_vector_alloc(n);
    d->part = gsl_vector_alloc(n);
    d->solved = gsl_vector_alloc(n);
    d->slots = calloc(n, sizeof(*d->slots));
    if (!d->information || !d->covariance || !d->wanted || !d->y || !d->part ||
        !d->solved || !d->slots) {
        gcal_error_memory(err);
        gcal_fit_design_destroy(d);
        return NULL;
    }
    for (size_t j = 0; j < n; j++)
        gsl_matrix_set(d->information, j, j,
                       1 / (GCAL_FIT_DESIGN_UNKNOWN * GCAL_FIT_DESIGN_UNKNOWN));
    return d;
}

void gcal_fit_design_destroy(struct gcal_fit_design *d)
{
    if (!d)
        return;
    for (size_t c = 0; c < d->n_candidates; c++)
        free(d->candidates[c].shares);
    free(d->candidates);
    gsl_matrix_free(d->information);
    gsl_matrix_free(d->covariance);
    gsl_matrix_free(d->wanted);
    gsl_vector_free(d->y);
    gsl_vector_free(d->part);
    gsl_vector_free(d->solved);
    free(d->slots);
    free(d);
}

/* ---- rows ---- */

void gcal_fit_design_shares(const struct gcal_model *model, const double *parameters,
                            const double *features, double *shares)
{
    double time_s = gcal_model_eval(model, parameters, features, shares);

    for (size_t j = 0; j < model->n_parameters; j++) {
        shares[j] *= parameters[j] / time_s;
        if (!isfinite(shares[j]))
            shares[j] = 0;
    }
}

static int check(const struct gcal_fit_design *d, const double *shares, double noise,
                 struct gcal_error *err)
{
    if (!(noise > 0) || !isfinite(noise))
        return gcal_error_set(err, GCAL_EINPUT,
                              "the noise of a kernel is %g: must be positive", noise);
    for (size_t j = 0; j < d->n; j++)
        if (!isfinite(shares[j]))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "the share of parameter %zu in a kernel's time is %g",
                                  j + 1, shares[j]);
    return 0;
}

static void add(const double *shares, double noise, gsl_matrix *information)
{
    gsl_vector_const_view row = gsl_vector_const_view_array(shares, information->size1);

    gsl_blas_dger(1 / (noise * noise), &row.vector, &row.vector, information);
}

/* C x, and the spread x'Cx + s^2. */
static double project(struct gcal_fit_design *d, const double *shares, double noise)
{
    gsl_vector_const_view row = gsl_vector_const_view_array(shares, d->n);
    double spread;

    gsl_blas_dsymv(CblasLower, 1, d->covariance, &row.vector, 0, d->y);
    gsl_blas_ddot(&row.vector, d->y, &spread);
    return spread + noise * noise;
}

int gcal_fit_design_add(struct gcal_fit_design *d, const double *shares, double noise,
                        struct gcal_error *err)
{
    if (check(d, shares, noise, err) < 0)
        return -1;
    add(shares, noise, d->information);
    if (d->is_current) {
        double spread = project(d, shares, noise);

        gsl_blas_dger(-1 / spread, d->y, d->y, d->covariance);
    }
    return 0;
}

int gcal_fit_design_offer(struct gcal_fit_design *d, const double *shares, double noise,
                          double cost_s, struct gcal_error *err)
{
    struct candidate c = { .noise = noise, .cost_s = cost_s };

    if (check(d, shares, noise, err) < 0)
        return -1;
    if (!(cost_s > 0) || !isfinite(cost_s))
        return gcal_error_set(err, GCAL_EINPUT,
                              "a kernel takes %g s to measure: must be positive", cost_s);
    if (d->n_candidates == d->capacity) {
        size_t capacity = 2 * d->capacity + 16;
        struct candidate *more = realloc(d->candidates, capacity * sizeof(*more));

        if (!more)
            return gcal_error_memory(err);
        d->candidates = more;
        d->capacity = capacity;
    }
    if (!(c.shares = malloc(d->n * sizeof(*c.shares))))
        return gcal_error_memory(err);
    memcpy(c.shares, shares, d->n * sizeof(*c.shares));
    d->candidates[d->n_candidates++] = c;
    return 0;
}

int gcal_fit_design_take(struct gcal_fit_design *d, size_t candidate,
                         struct gcal_error *err)
{
    struct candidate *c;

    if (candidate >= d->n_candidates || d->candidates[candidate].taken)
        return gcal_error_set(err, GCAL_EINPUT,
                              "no candidate %zu: it was never offered, or is taken",
                              candidate);
    c = &d->candidates[candidate];
    c->taken = true;
    return gcal_fit_design_add(d, c->shares, c->noise, err);
}

/* ---- covariance ---- */

/* The prior keeps the information positive definite. */
static int invert(gsl_matrix *information)
{
    return gsl_linalg_cholesky_decomp1(information) ||
                   gsl_linalg_cholesky_invert(information)
               ? -1
               : 0;
}

static int refresh(struct gcal_fit_design *d)
{
    if (d->is_current)
        return 0;
    gsl_matrix_memcpy(d->covariance, d->information);
    if (invert(d->covariance) < 0)
        return -1;
    d->is_current = true;
    return 0;
}

static void read_errors(const gsl_matrix *covariance, double *errors)
{
    for (size_t j = 0; j < covariance->size1; j++)
        errors[j] = sqrt(gsl_matrix_get(covariance, j, j));
}

int gcal_fit_design_errors(struct gcal_fit_design *d, double *now, double *after,
                           struct gcal_error *err)
{
    gsl_matrix *all;
    int rc = -1;

    if (refresh(d) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "the information cannot be inverted");
    if (now)
        read_errors(d->covariance, now);
    if (!after)
        return 0;
    if (!(all = gsl_matrix_alloc(d->n, d->n)))
        return gcal_error_memory(err);
    gsl_matrix_memcpy(all, d->information);
    for (size_t c = 0; c < d->n_candidates; c++)
        if (!d->candidates[c].taken)
            add(d->candidates[c].shares, d->candidates[c].noise, all);
    if (invert(all) < 0)
        gcal_error_set(err, GCAL_EINPUT, "the information cannot be inverted");
    else {
        read_errors(all, after);
        rc = 0;
    }
    gsl_matrix_free(all);
    return rc;
}

/* ---- the choice ---- */

/* The parameters that miss their target, and the decomposition of their covariance.
 */
static size_t find_wanted(struct gcal_fit_design *d, const double *target)
{
    gsl_matrix_view part;
    size_t n = 0;

    for (size_t j = 0; j < d->n; j++)
        if (sqrt(gsl_matrix_get(d->covariance, j, j)) > (target ? target[j] : 0))
            d->slots[n++] = j;
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            gsl_matrix_set(d->wanted, a, b,
                           gsl_matrix_get(d->covariance, d->slots[a], d->slots[b]));
    if (n > 0) {
        part = gsl_matrix_submatrix(d->wanted, 0, 0, n, n);
        gsl_linalg_cholesky_decomp1(&part.matrix);
    }
    return n;
}

/* The decrease of log det C_UU; 0 for a candidate that does not help. */
static double gain(struct gcal_fit_design *d, const struct candidate *c, size_t n_wanted)
{
    gsl_matrix_const_view wanted =
        gsl_matrix_const_submatrix(d->wanted, 0, 0, n_wanted, n_wanted);
    gsl_vector_view part = gsl_vector_subvector(d->part, 0, n_wanted);
    gsl_vector_view solved = gsl_vector_subvector(d->solved, 0, n_wanted);
    double spread = project(d, c->shares, c->noise), form, most = 0;

    for (size_t a = 0; a < n_wanted; a++) {
        double y = gsl_vector_get(d->y, d->slots[a]);

        gsl_vector_set(&part.vector, a, y);
        most = fmax(most, y * y / spread /
                              gsl_matrix_get(d->covariance, d->slots[a], d->slots[a]));
    }
    if (most < HELPS)
        return 0;
    gsl_linalg_cholesky_solve(&wanted.matrix, &part.vector, &solved.vector);
    gsl_blas_ddot(&part.vector, &solved.vector, &form);
    return -log(fmax(1 - form / spread, 1e-16));
}

enum gcal_fit_design_state gcal_fit_design_next(struct gcal_fit_design *d,
                                                const double *target, double budget_s,
                                                size_t *candidate)
{
    size_t n_wanted;
    double best = 0;
    bool over_budget = false;

    if (refresh(d) < 0)
        return GCAL_FIT_DESIGN_EXHAUSTED;
    if ((n_wanted = find_wanted(d, target)) == 0)
        return GCAL_FIT_DESIGN_PRECISE;
    for (size_t i = 0; i < d->n_candidates; i++) {
        const struct candidate *c = &d->candidates[i];
        double rate = c->taken ? 0 : gain(d, c, n_wanted) / c->cost_s;

        if (rate > 0 && c->cost_s > budget_s)
            over_budget = true;
        else if (rate > best) {
            best = rate;
            *candidate = i;
        }
    }
    if (best > 0)
        return GCAL_FIT_DESIGN_NEXT;
    return over_budget ? GCAL_FIT_DESIGN_OVERBUDGET : GCAL_FIT_DESIGN_EXHAUSTED;
}
