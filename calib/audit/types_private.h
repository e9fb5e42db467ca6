/* audit_types_private.h - what audit_types.c and audit_settle.c share: types' devices */
#ifndef GCAL_CALIB_AUDIT_TYPES_PRIVATE_H
#define GCAL_CALIB_AUDIT_TYPES_PRIVATE_H

#include <pthread.h>
#include <stdint.h>

#include "calib/audit/private.h"

/* A type is known from so many of its devices, and from so many calibrations of each:
 * more hardly make it surer.
 */
enum { MOST_DEVICES = 200, MOST_DIFFERENCES = 32 };

/* Its devices in one epoch tell what is usual of them. */
enum { LEAST_DEVICES = 3 };

/* What one device tells.  Arrays: by its columns. */
struct sampled {
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
struct epoch {
    char *key;
    size_t *n;
    double *median, *spread;
};

struct type {
    char *name;
    size_t n_columns, columns_capacity;
    struct gcal_track_column *columns; /* texts owned */
    size_t n_sampled;
    struct sampled sampled[MOST_DEVICES];
    double *repeatability; /* by column */
    size_t n_epochs, epochs_capacity;
    struct epoch *epochs;
};

struct gcal_audit_types {
    pthread_mutex_t lock;
    size_t n, capacity;
    struct type **types;
};

void gcal_audit_sampled_clear(struct sampled *s);
/* NULL where the type has none. */
const struct epoch *gcal_audit_find_epoch(const struct type *t, const char *key);

#endif
