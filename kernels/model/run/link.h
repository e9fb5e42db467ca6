/* link.h - times of messages between two ranks, as measured in a run, and as published
 *
 * A time is that of one message: half of a round trip.  A link is between two nodes, or within one
 * ("from" and "to" are the same).
 */
#ifndef GCAL_KERNELS_MODEL_RUN_LINK_H
#define GCAL_KERNELS_MODEL_RUN_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/model/run/field.h"

struct gcal_buf;
struct gcal_error;
struct gcal_wire;

/* ---- measured ---- */

/* A batch of messages, one after the other. */
struct gcal_run_link_time {
    uint64_t bytes, messages;
    double time_s; /* of one message: the batch's mean */
};

struct gcal_run_link {
    char *from, *to; /* nodes */
    uint64_t round;  /* pairs of one round were measured at the same time */
    size_t n_times;
    struct gcal_run_link_time *times;
};

/* All members but the times; of a time. */
extern const struct gcal_field gcal_run_link_fields[], gcal_run_link_time_fields[];

void gcal_run_link_clear(struct gcal_run_link *link);
void gcal_run_link_put(struct gcal_buf *buf, const struct gcal_run_link *link);
/* Cleared by the caller if that is 0. */
int gcal_run_link_get(struct gcal_wire *wire, struct gcal_run_link *link,
                      struct gcal_error *err);

/* ---- published ---- */

/* Protocols and caches change the cost of a byte with the size of a message, so there are lines
 * for some ranges of sizes: mostly two or three, within a node up to five, for the levels of caches.
 */
#define GCAL_LINK_MAX_REGIMES 5

struct gcal_link_regime {
    double from_bytes;     /* up to the next regime; of the first: 0 */
    double from_s, byte_s; /* time at from_bytes, and for each byte more */
    double error;          /* standard deviation of log(time / line) over the sizes */
    double
        between; /* of log(time) between the pairs of a class; 0: unknown, or of one pair */
};

struct gcal_link_curve {
    size_t n; /* regimes */
    struct gcal_link_regime regimes[GCAL_LINK_MAX_REGIMES];
};

/* The regime of messages of that size. */
size_t gcal_link_regime_of(const struct gcal_link_curve *curve, double bytes);
double gcal_link_time_s(const struct gcal_link_curve *curve, double bytes);

#endif
