/* noise.h - devices made of what real calibrations of an unchanged device recorded
 *
 * A calibration that is made up has the typical costs of the recorded ones, and differs
 * from them as one of those did, in all its parameters together, drawn at random.
 */
#ifndef GCAL_TESTS_NOISE_H
#define GCAL_TESTS_NOISE_H

#include <stddef.h>

#include <gsl/gsl_rng.h>

#include "store/track.h"

struct noise {
    char *text;              /* that 'track' lies in */
    struct gcal_track track; /* the recorded calibrations */
    const struct gcal_track_columns *columns;
    double *level,
        *error;       /* by column: logarithm of the median; typical error, relative */
    double *residual; /* track.n_runs x columns->n: logarithms; NaN where not told */
};

/* From tests/data/h200-repeats/tracks/NAME.tsv; ends the program when it is not there. */
void noise_load(const char *name, struct noise *noise);
void noise_clear(struct noise *noise);

/* A device that was calibrated n_runs times; 'uid' and 'driver' are kept. */
struct gcal_track *noise_device(const struct noise *noise, gsl_rng *rng, size_t n_runs,
                                const char *uid, const char *driver);
/* From run 'from' on, the cost in column 'column' is 'factor' times what it was. */
void noise_change(struct gcal_track *device, size_t column, size_t from, double factor);
void noise_device_free(struct gcal_track *device);
/* As in a store, the caller's to free. */
char *noise_text(const struct gcal_track *device);

#endif
