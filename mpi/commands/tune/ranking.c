/* ranking.c - what follows from the predicted times of a space */
#include <math.h>

#include "mpi/commands/tune/private.h"

double gcal_tune_median_s(const struct gcal_tune_space *space)
{
    size_t n = space->n_covered;

    if (!n)
        return NAN;
    return (space->configs[space->ranking[(n - 1) / 2]].predicted_s +
            space->configs[space->ranking[n / 2]].predicted_s) /
           2;
}

size_t gcal_tune_count_equal(const struct gcal_tune_space *space)
{
    size_t n = 0;

    for (size_t i = 0; i < space->n_covered; i++)
        n += space->configs[space->ranking[i]].beats_first > GCAL_TUNE_DISTINGUISHED;
    return n;
}
