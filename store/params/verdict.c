/* verdict.c - whether a model is too poor to predict where there is another
 *
 * From what its file says, so files of all versions have the verdict.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "store/params/params.h"

/* The typical error of held-out times, and the ratio of an interval's ends. */
#define MOST_ERROR 0.5
#define MOST_RATIO 5.0
/* Parameters that are not known to that ratio, of all: some serve for one kind of kernel only. */
#define MOST_UNKNOWN 0.5

/* Half the width of the logarithm of an interval (gpucal-params(5)), of a model without a spread, which
 * gives the intervals else.
 */
static double half_width(const struct gcal_params_model *m)
{
    double error = m->error_90 > 1 ? 1 + log((1 + m->error_90) / 2) : m->error_90;

    return hypot(error, GCAL_PARAMS_NORMAL_90 * m->factor_error / m->factor);
}

bool gcal_params_model_is_poor(const struct gcal_params_model *m,
                               char why[GCAL_PARAMS_WHY_SIZE])
{
    size_t n = 0, n_unknown = 0;

    why[0] = '\0';
    for (size_t i = 0; i < m->n_parameters; i++) {
        n += !m->at_bound[i];
        n_unknown +=
            !m->at_bound[i] && (m->standard_error[i] * 2 * GCAL_PARAMS_NORMAL_90 >
                                log(MOST_RATIO) * fabs(m->value[i]));
    }
    if (m->absolute_error_90_s > 0)
        ; /* relative errors of short kernels are any */
    else if (m->held_out_rms > log1p(MOST_ERROR))
        snprintf(why, GCAL_PARAMS_WHY_SIZE, "its %s errors are above %.0f %% (rms)",
                 m->n_held_out ? "held-out" : "own", 100 * MOST_ERROR);
    else if (!m->spreads.n && 2 * half_width(m) > log(MOST_RATIO))
        snprintf(why, GCAL_PARAMS_WHY_SIZE,
                 "90 %% of its errors are within %.0f %%: the ends of an interval are "
                 "more than a factor of %.0f apart",
                 100 * m->error_90, MOST_RATIO);
    /* Corrections that no time shows are as they were before. */
    if (!*why && n > 1 && strcmp(m->form ? m->form : "", GCAL_PARAMS_CORRECTED) != 0 &&
        (double)n_unknown > MOST_UNKNOWN * (double)n)
        snprintf(why, GCAL_PARAMS_WHY_SIZE,
                 "%zu of its %zu parameters are not known to a factor of %.0f", n_unknown,
                 n, MOST_RATIO);
    return *why;
}
