/* private.h - the steps of an audit: histories, types, verdicts, findings */
#ifndef GCAL_CALIB_AUDIT_PRIVATE_H
#define GCAL_CALIB_AUDIT_PRIVATE_H

#include <pthread.h>
#include <stdint.h>

#include "calib/audit/audit.h"

/* ---- history.c: a track, sorted by devices ---- */

/* The devices of a track with runs, epochs, and the values of the columns of all published
 * models at all runs, without verdicts.  Texts belong to the track, which has to outlive them.
 */
void gcal_audit_histories(struct gcal_arena *arena, const char *node,
                          const struct gcal_track *track,
                          struct gcal_audit_device **devices, size_t *n_devices);

/* Returns whether two columns are the same cost.  The form may differ, as each run chooses it
 * again.
 */
bool gcal_audit_same_column(const struct gcal_track_column *a,
                            const struct gcal_track_column *b);

/* The first run of the newest epoch. */
size_t gcal_audit_epoch_begin(const struct gcal_audit_device *device);
/* NaN unless the value is positive and finite. */
double gcal_audit_log(double value);
/* Median of the logarithms of the last 'most' known values among values[from..to-1]; NaN
 * when there is none.
 */
double gcal_audit_level(const double *values, size_t from, size_t to, size_t most);

/* A relative change from a difference of logarithms. */
double gcal_audit_relative(double difference);

/* ---- types.c, pool.c: pooled statistics of a device type ---- */

/* Upper limits of the devices that represent a type, and of the calibrations of each:
 * more hardly improve the estimates.
 */
enum { GCAL_AUDIT_MOST_DEVICES = 200, GCAL_AUDIT_MOST_DIFFERENCES = 32 };

/* The least number of devices in one epoch that a device is compared with. */
enum { GCAL_AUDIT_LEAST_DEVICES = 3 };

/* One device's contribution.  Arrays: by its columns. */
struct gcal_audit_sample {
    uint64_t place;
    char *epoch;
    size_t n;
    size_t *column;    /* of the type */
    double *level;     /* logarithm of the newest value */
    double *error;     /* median relative standard error */
    float *difference; /* n x MOST_DIFFERENCES, of consecutive logarithms */
    size_t *n_differences;
};

/* The distribution over the devices of an epoch.  Arrays: by column of the type. */
struct gcal_audit_epoch {
    char *key;
    size_t *n;
    double *median, *spread;
};

struct gcal_audit_type {
    char *name;
    size_t n_columns, columns_capacity;
    struct gcal_track_column *columns;
    size_t n_sampled;
    struct gcal_audit_sample sampled[GCAL_AUDIT_MOST_DEVICES];
    double *repeatability; /* by column */
    size_t n_epochs, epochs_capacity;
    struct gcal_audit_epoch *epochs;
};

struct gcal_audit_types {
    struct gcal_arena *arena;   /* of the types */
    struct gcal_arena *samples; /* of what the devices contribute, up to the pooling */
    bool all;                   /* not only those that are wanted */
    pthread_mutex_t lock;
    size_t n, capacity;
    struct gcal_audit_type **types;
};

/* What a series of a device is compared with. */
struct gcal_audit_norm {
    double repeatability;  /* NaN: unknown */
    size_t n;              /* devices in the same epoch; 0 when fewer than 3 */
    double median, spread; /* of the logarithms of their newest values; the spread as a
                              standard deviation */
};

/* A type is represented by the devices on the first of its nodes.  The place of a node among
 * all: a hash of its name, so that the choice is as if by chance, and the same in every audit of a
 * store.  Its devices follow each other.
 */
uint64_t gcal_audit_node_place(const char *node);

/* Of all types, or of those that gcal_audit_types_want() names. */
struct gcal_audit_types *gcal_audit_types_create(bool all);
void gcal_audit_types_destroy(struct gcal_audit_types *types);
void gcal_audit_types_want(struct gcal_audit_types *types, const char *type);
/* Returns whether a device of the type would represent it, at that place among those added so far.
 */
bool gcal_audit_types_take(struct gcal_audit_types *types, const char *type,
                           uint64_t place);
/* Returns whether no device at a later place than those added would represent any type. */
bool gcal_audit_types_are_full(const struct gcal_audit_types *types);
/* Threads may add devices at the same time; the result does not depend on the order. */
void gcal_audit_types_add(struct gcal_audit_types *types,
                          const struct gcal_audit_device *device, size_t of);
/* Computes the statistics, once all devices have been added. */
void gcal_audit_types_pool(struct gcal_audit_types *types);
/* 'norms': by series of the device. */
void gcal_audit_types_norms(const struct gcal_audit_types *types,
                            const struct gcal_audit_device *device,
                            struct gcal_audit_norm *norms);

/* NULL where the type has no such epoch. */
const struct gcal_audit_epoch *gcal_audit_find_epoch(const struct gcal_audit_type *t,
                                                     const char *key);

/* ---- judge.c: the tests ---- */

void gcal_audit_judge(struct gcal_audit_device *device,
                      const struct gcal_audit_norm *norms,
                      const struct gcal_audit_policy *policy);

/* ---- categories.c ---- */

/* The categories of the parameters, from the expressions in the node's parameter file;
 * GCAL_AUDIT_OTHER where they do not show it.
 */
int gcal_audit_find_categories(const struct gcal_store *store,
                               struct gcal_audit_device *device, struct gcal_error *err);
/* The same from one model. */
int gcal_audit_categories_of(const struct gcal_params_model *model,
                             struct gcal_audit_device *device, struct gcal_error *err);
/* Returns whether a parameter of that unit is a time. */
bool gcal_audit_is_cost(const char *unit);

/* ---- findings.c, describe.c ---- */

void gcal_audit_make_findings(struct gcal_audit_device *device,
                              const struct gcal_audit_policy *policy);

/* The cause of a finding. */
enum gcal_audit_cause {
    GCAL_AUDIT_EVERYTHING,
    GCAL_AUDIT_CLOCK,
    GCAL_AUDIT_BANDWIDTH,
    GCAL_AUDIT_PATTERN,
    GCAL_AUDIT_ONE_CATEGORY, /* only costs of this category */
    GCAL_AUDIT_FASTER,
    GCAL_AUDIT_EPOCH,
};

const char *gcal_audit_code(enum gcal_audit_cause cause,
                            enum gcal_audit_category category, bool by_type);
/* Fills 'what' and 'next'. */
void gcal_audit_describe(const struct gcal_audit_device *device,
                         struct gcal_audit_finding *finding, enum gcal_audit_cause cause,
                         enum gcal_audit_category category, bool by_type);

#endif
