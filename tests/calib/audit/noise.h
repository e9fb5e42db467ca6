/* noise.h - devices made of what real calibrations of an unchanged device recorded
 *
 * A calibration that is made up has the typical costs of the recorded ones, and differs
 * from them as one of those did, in all its parameters together, drawn at random; or as
 * some distribution says.
 */
#ifndef GCAL_TESTS_CALIB_AUDIT_NOISE_H
#define GCAL_TESTS_CALIB_AUDIT_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include <gsl/gsl_rng.h>

#include "store/ledger/track.h"

struct noise {
    char *text;              /* that 'track' lies in */
    struct gcal_track track; /* the recorded calibrations */
    const struct gcal_track_columns *columns;
    double *level,
        *error; /* by column: logarithm of the median; typical error, relative */
    size_t n_rows;
    double *residual; /* n_rows x columns->n: logarithms; NaN where not told */
    bool in_order;    /* calibrations follow each other as their rows do */
    double spread;    /* between devices: standard deviation of each logarithm */
};

/* From tests/data/h200-repeats/tracks/NAME.tsv; ends the program when it is not there. */
void noise_load(const char *name, struct noise *noise);
void noise_clear(struct noise *noise);

enum noise_kind {
    NOISE_NORMAL,
    NOISE_TAILS,   /* Student's t with 3 degrees of freedom */
    NOISE_WANDERS, /* normal, each 0.7 times the one before and something new */
};

/* All costs differ from their levels as the distribution says, in place of as recorded;
 * 'scale' is a standard deviation (for tails that of the normal distribution beneath).
 */
void noise_make(struct noise *noise, enum noise_kind kind, double scale, gsl_rng *rng);

/* A device that was calibrated n_runs times; 'uid' and 'driver' are kept. */
struct gcal_track *noise_device(const struct noise *noise, gsl_rng *rng, size_t n_runs,
                                const char *uid, const char *driver);
/* From run 'from' on, the cost in column 'column' is 'factor' times what it was. */
void noise_change(struct gcal_track *device, size_t column, size_t from, double factor);
void noise_device_free(struct gcal_track *device);
/* As in a store, the caller's to free. */
char *noise_text(const struct gcal_track *device);

#endif
