/* noise.h - devices made of recorded calibrations of an unchanged device
 *
 * A made-up calibration has the median costs of the recorded ones plus the deviations of
 * one of them, drawn at random for all parameters together; or deviations drawn from a
 * distribution.
 */
#ifndef GCAL_TESTS_CALIB_AUDIT_NOISE_H
#define GCAL_TESTS_CALIB_AUDIT_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include <gsl/gsl_rng.h>

#include "store/ledger/track.h"

struct noise {
    char *text;              /* memory of 'track' */
    struct gcal_track track; /* the recorded calibrations */
    const struct gcal_track_columns *columns;
    double *level,
        *error; /* by column: logarithm of the median; typical error, relative */
    size_t n_rows;
    double *residual; /* n_rows x columns->n: logarithms; NaN: no value */
    bool in_order;    /* use the rows in their order, not at random */
    double spread;    /* between devices: standard deviation of each logarithm */
};

/* From tests/data/h200-repeats/tracks/NAME.tsv; ends the program when it is missing. */
void noise_load(const char *name, struct noise *noise);
void noise_clear(struct noise *noise);

enum noise_kind {
    NOISE_NORMAL,
    NOISE_TAILS,   /* Student's t with 3 degrees of freedom */
    NOISE_WANDERS, /* autoregressive: 0.7 times the previous deviation plus normal noise
                    */
};

/* Replaces the recorded deviations by a distribution; 'scale': its standard deviation
 * (for tails, of the underlying normal distribution).
 */
void noise_make(struct noise *noise, enum noise_kind kind, double scale, gsl_rng *rng);

/* A device that was calibrated n_runs times; 'uid' and 'driver' are kept. */
struct gcal_track *noise_device(const struct noise *noise, gsl_rng *rng, size_t n_runs,
                                const char *uid, const char *driver);
/* Multiplies the cost in column 'column' by 'factor' from run 'from' on. */
void noise_change(struct gcal_track *device, size_t column, size_t from, double factor);
void noise_device_free(struct gcal_track *device);
/* The text of the track, for the caller to free. */
char *noise_text(const struct gcal_track *device);

#endif
