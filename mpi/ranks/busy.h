/* busy.h - how much of the time the devices of a run were busy (within mpi/ranks) */
#ifndef GCAL_MPI_RANKS_BUSY_H
#define GCAL_MPI_RANKS_BUSY_H

#include <jansson.h>
#include <stddef.h>

struct gcal_error;
struct gcal_record;

/* A device with launches. */
struct gcal_busy_device {
    char *node, *name, *uid;
    double span_s, busy_s; /* as in struct gcal_run_device */
};

struct gcal_busy {
    size_t n;
    struct gcal_busy_device *devices;
};

/* Of a record's devices, the caller's to clear. */
int gcal_busy_read(const struct gcal_record *record, struct gcal_busy *busy,
                   struct gcal_error *err);
void gcal_busy_clear(struct gcal_busy *busy);

/* "devices busy 71 % of 14.2 s from first launch to last": of one device; of several, the median,
 * and the device that was busy least.  The caller's to free; NULL without devices.
 */
char *gcal_busy_format(const struct gcal_busy *busy);
json_t *gcal_busy_json(const struct gcal_busy *busy);

#endif
