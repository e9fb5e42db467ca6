/* private.h - what audit*.c share */
#ifndef GCAL_CALIB_AUDIT_PRIVATE_H
#define GCAL_CALIB_AUDIT_PRIVATE_H

#include "calib/audit/audit.h"

/* ---- history.c: a track, sorted by devices ---- */

/* The devices of a track with runs, epochs, and the values of the newest run's columns at
 * all runs; nothing is judged.  Texts are the track's, which has to outlive them.
 */
int gcal_audit_histories(const char *node, const struct gcal_track *track,
                         struct gcal_audit_device **devices, size_t *n_devices,
                         struct gcal_error *err);
void gcal_audit_histories_free(struct gcal_audit_device *devices, size_t n_devices);

/* Do both tell of one thing?  Which form was chosen may change from run to run. */
bool gcal_audit_same_column(const struct gcal_track_column *a,
                            const struct gcal_track_column *b);

/* The first run of the newest epoch. */
size_t gcal_audit_epoch_begin(const struct gcal_audit_device *device);
/* NaN where a value is no positive number. */
double gcal_audit_log(double value);
/* Median of the logarithms of those that are told of values[from..to-1], at most the last
 * 'most'; NaN of none.
 */
double gcal_audit_level(const double *values, size_t from, size_t to, size_t most);

/* Values differ by how much more than 1, from the difference of their logarithms. */
double gcal_audit_relative(double difference);

/* ---- types.c: what a type's devices tell together ---- */

struct gcal_audit_types;

struct gcal_audit_norm {
    double repeatability;  /* NaN: not known */
    size_t n;              /* devices in the same epoch; fewer than 3: none */
    double median, spread; /* of the logarithms of their newest values; the latter as a
                              standard deviation */
};

struct gcal_audit_types *gcal_audit_types_create(struct gcal_error *err);
void gcal_audit_types_destroy(struct gcal_audit_types *types);
/* Threads may add devices at the same time; what comes out does not depend on their
 * order.
 */
int gcal_audit_types_add(struct gcal_audit_types *types,
                         const struct gcal_audit_device *device, size_t of,
                         struct gcal_error *err);
/* When all have been added. */
int gcal_audit_types_pool(struct gcal_audit_types *types, struct gcal_error *err);
/* 'norms': by series of the device. */
void gcal_audit_types_norms(const struct gcal_audit_types *types,
                            const struct gcal_audit_device *device,
                            struct gcal_audit_norm *norms);

/* ---- judge.c: the tests ---- */

int gcal_audit_judge(struct gcal_audit_device *device,
                     const struct gcal_audit_norm *norms,
                     const struct gcal_audit_policy *policy, struct gcal_error *err);

/* ---- categories.c ---- */

/* What the parameters are costs of, from the expressions in the node's parameter file;
 * GCAL_AUDIT_OTHER where that does not tell.
 */
int gcal_audit_find_categories(const struct gcal_store *store,
                               struct gcal_audit_device *device, struct gcal_error *err);
/* Is it a time, which can get longer? */
bool gcal_audit_is_cost(const char *unit);

/* ---- findings.c, describe.c ---- */

int gcal_audit_make_findings(struct gcal_audit_device *device,
                             const struct gcal_audit_policy *policy,
                             struct gcal_error *err);

/* What a finding is about. */
enum gcal_audit_cause {
    GCAL_AUDIT_EVERYTHING,
    GCAL_AUDIT_CLOCK,
    GCAL_AUDIT_BANDWIDTH,
    GCAL_AUDIT_PATTERN,
    GCAL_AUDIT_ONE_CATEGORY, /* the subject says which */
    GCAL_AUDIT_FASTER,
    GCAL_AUDIT_EPOCH,
};

const char *gcal_audit_code(enum gcal_audit_cause cause,
                            enum gcal_audit_category category, bool by_type);
/* Fills 'what' and 'next'. */
int gcal_audit_describe(const struct gcal_audit_device *device,
                        struct gcal_audit_finding *finding, enum gcal_audit_cause cause,
                        enum gcal_audit_category category, bool by_type,
                        struct gcal_error *err);

#endif
