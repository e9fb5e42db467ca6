/* private.h - trip counts without cases */
#ifndef GCAL_KERNELS_TRIPS_PRIVATE_H
#define GCAL_KERNELS_TRIPS_PRIVATE_H

#include "kernels/trips/trips.h"

/* ---- plain.c ---- */
/* As gcal_trips_find(), where a single case is to express it. */
bool gcal_trips_find_plain(const struct gcal_trips_loop *l,
                           const struct gcal_sets_condition *condition, unsigned v,
                           struct gcal_trips_count *count, const char **why);

#endif
