/* spread.h - how far kernels that were not measured lie from their predictions, by class
 *
 * A model that is fitted to microbenchmarks predicts kernels that it has never seen.  How
 * well depends on what binds them, not on how well the microbenchmarks are fitted.  A
 * spread says between which bounds 90 % of such kernels are: measured / predicted is at
 * least exp(-below) and at most exp(above).
 */
#ifndef GCAL_KERNELS_MODEL_SPREAD_H
#define GCAL_KERNELS_MODEL_SPREAD_H

#include <stddef.h>

struct gcal_error;
struct gcal_roofs;
struct gcal_yaml;
struct gcal_yaml_writer;

/* Classes besides those of the roofs: short times, times that follow from estimates, and
 * what has no spread of its own.
 */
#define GCAL_SPREAD_SMALL     "small"
#define GCAL_SPREAD_ESTIMATED "estimated"
#define GCAL_SPREAD_OTHER     "other"

struct gcal_spread {
    char *class; /* one of these, or the roof that binds */
    double below, above;
};

/* All zero: none. */
struct gcal_spreads {
    size_t n;
    struct gcal_spread *spreads;
    double microbenchmarks; /* root mean square of the microbenchmarks' held-out errors,
                               as the parameter file has it, on the devices that the
                               spreads are of; 0: unknown */
};

/* 'spread' of 'map', a model of a configuration or of a parameter file, if it is there:
 * {CLASS: half-width or [below, above], microbenchmarks: error}.  Clear 'spreads' in any
 * case.
 */
int gcal_spreads_read(const struct gcal_yaml *map, const struct gcal_roofs *roofs,
                      struct gcal_spreads *spreads, struct gcal_error *err);
/* The key with its map; nothing without spreads. */
void gcal_spreads_write(struct gcal_yaml_writer *w, const struct gcal_spreads *spreads);
/* 'to' is overwritten; clear it in any case. */
int gcal_spreads_copy(struct gcal_spreads *to, const struct gcal_spreads *from,
                      struct gcal_error *err);
void gcal_spreads_clear(struct gcal_spreads *spreads);

/* The spread of the class, else of GCAL_SPREAD_OTHER; NULL: there is neither. */
const struct gcal_spread *gcal_spreads_find(const struct gcal_spreads *spreads,
                                            const char *class);

#endif
