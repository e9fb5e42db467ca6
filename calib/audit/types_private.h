/* types_private.h - what types.c and pool.c share: types' devices */
#ifndef GCAL_CALIB_AUDIT_TYPES_PRIVATE_H
#define GCAL_CALIB_AUDIT_TYPES_PRIVATE_H

#include <pthread.h>
#include <stdint.h>

#include "calib/audit/private.h"

/* A type is known from so many of its devices, and from so many calibrations of each:
 * more hardly make it surer.
 */
enum { GCAL_AUDIT_MOST_DEVICES = 200, GCAL_AUDIT_MOST_DIFFERENCES = 32 };

/* Its devices in one epoch tell what is usual of them. */
enum { GCAL_AUDIT_LEAST_DEVICES = 3 };

/* What one device tells.  Arrays: by its columns. */
struct gcal_audit_sample {
    uint64_t hash;
    char *epoch;
    size_t n;
    size_t *column;    /* of the type */
    double *level;     /* logarithm of the newest value */
    double *error;     /* median relative standard error */
    float *difference; /* n x MOST_DIFFERENCES, of consecutive logarithms */
    size_t *n_differences;
};

/* What the devices of an epoch tell.  Arrays: by column of the type. */
struct gcal_audit_epoch {
    char *key;
    size_t *n;
    double *median, *spread;
};

struct gcal_audit_type {
    char *name;
    size_t n_columns, columns_capacity;
    struct gcal_track_column *columns; /* texts owned */
    size_t n_sampled;
    struct gcal_audit_sample sampled[GCAL_AUDIT_MOST_DEVICES];
    double *repeatability; /* by column */
    size_t n_epochs, epochs_capacity;
    struct gcal_audit_epoch *epochs;
};

struct gcal_audit_types {
    pthread_mutex_t lock;
    size_t n, capacity;
    struct gcal_audit_type **types;
};

void gcal_audit_sample_clear(struct gcal_audit_sample *s);
/* NULL where the type has none. */
const struct gcal_audit_epoch *gcal_audit_find_epoch(const struct gcal_audit_type *t,
                                                     const char *key);

#endif
