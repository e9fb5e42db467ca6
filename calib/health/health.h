/* health.h - a quick check of a device: whether it is as fast as it was, in seconds
 *
 * A few of the calibration's own measurement kernels, one for each resource of the device, at
 * sizes that follow from the device's description, so that they are the same in each check.
 * They are timed as calibrations time kernels (calib/plan), and compared with the device's checks
 * before, and with the newest ones of other devices of its type.
 *
 * A *reading* is what one check measured: x = log(time) of each resource, and -log(clock) where
 * the vendor's library tells the clock.  The loss of a resource is x less the median of up to ten
 * readings before it; that of the clock explains as much of what runs at it.
 *
 *     limit = max(0.7 %, t s sqrt(1 + 1.57/n), most + 0.35 %)
 *
 * where s is the standard deviation of up to 40 readings, 'most' the largest loss of them, and t
 * Student's for a false alarm in a million tests after ten readings, in 16 million after 40.  So
 * noise that a device has shown raises its limits, and a loss of 1 % is found at once where s is
 * 0.05 %, after 40 readings where it is 0.1 %.  What is smaller and lasts is found by the mean of
 * five readings, against the ten before them, by half of 0.7 %; where readings resemble each
 * other, five count as fewer.
 *
 * A reading beyond its limit is no reference for those after it.  One alone, with a good one
 * after it, was noise, and counts; and if the device has been calibrated since, all of those
 * before the calibration count, and what was before them does not: the calibration has accepted
 * the new level.
 */
#ifndef GCAL_CALIB_HEALTH_H
#define GCAL_CALIB_HEALTH_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/run/device_info.h"
#include "store/checks/checks.h"

struct gcal_arena;
struct gcal_catalogue;
struct gcal_error;
struct gcal_worker_spawner;

enum gcal_health_resource {
    GCAL_HEALTH_ARITHMETIC,
    GCAL_HEALTH_CACHE, /* the last level */
    GCAL_HEALTH_LATENCY,
    GCAL_HEALTH_LAUNCH,
    GCAL_HEALTH_MEMORY, /* bandwidth */
    GCAL_HEALTH_TO_DEVICE,
    GCAL_HEALTH_FROM_DEVICE,
    GCAL_HEALTH_CLOCK,
    GCAL_HEALTH_N,
};

/* "arithmetic", "last-level cache", ..; and a word for files, "cache". */
const char *gcal_health_resource_name(enum gcal_health_resource resource);
const char *gcal_health_resource_word(enum gcal_health_resource resource);

/* ---- what is measured ---- */

/* Time of the device that a check may take. */
#define GCAL_HEALTH_BUDGET_S 5.0

struct gcal_health_measured {
    double time_s[GCAL_HEALTH_N]; /* NaN: not measured; that of the clock is 1/Hz */
    char *kernel[GCAL_HEALTH_N];  /* the first digits of its id; NULL: none */
    double busy_s;                /* of the device, so far */
    bool in_use;                  /* by others: nothing is measured */
    char *wrong; /* a result is wrong, or a kernel fails: a sentence; NULL */
};

/* Measures the resources of 'which', and replaces a time if the new one is shorter.  'm' starts
 * with gcal_health_begin().  -1 (GCAL_EDEVICE) if the device cannot be measured.
 */
void gcal_health_begin(struct gcal_health_measured *m);
int gcal_health_measure(struct gcal_arena *arena, struct gcal_worker_spawner *spawner,
                        const char *node, const struct gcal_device_info *info,
                        struct gcal_catalogue *catalogue, const bool *which,
                        struct gcal_health_measured *m, struct gcal_error *err);

/* ---- readings ---- */

struct gcal_health_reading {
    double x[GCAL_HEALTH_N]; /* NaN: none */
    bool off[GCAL_HEALTH_N]; /* beyond its limit then */
};

struct gcal_health_reading gcal_health_read(const struct gcal_health_measured *m);

/* What checks must have in common to be compared. */
char *gcal_health_epoch(struct gcal_arena *arena, const struct gcal_device_info *info);

/* The readings of the device in 'checks' that are the reference of 'm', oldest first;
 * 'calibrated_utc': its newest calibration.
 */
size_t gcal_health_past(struct gcal_arena *arena, const struct gcal_checks *checks,
                        const struct gcal_device_info *info,
                        const struct gcal_health_measured *m, const char *calibrated_utc,
                        struct gcal_health_reading **past);

/* Adds to the first 'n' of 'others' (GCAL_HEALTH_MOST_DEVICES) the newest reading of each other
 * device of the type; returns how many there are then.
 */
size_t gcal_health_others(const struct gcal_checks *checks,
                          const struct gcal_device_info *info, const char *epoch,
                          const struct gcal_health_measured *m,
                          struct gcal_health_reading *others, size_t n);

/* The line for the store. */
struct gcal_checks_line gcal_health_line(struct gcal_arena *arena,
                                         const struct gcal_device_info *info,
                                         const struct gcal_health_measured *m,
                                         const bool off[GCAL_HEALTH_N]);

/* ---- the judgement ---- */

/* Readings that a resource needs before it. */
#define GCAL_HEALTH_LEAST 5

/* Devices of the type that one is compared with, at least and at most. */
enum { GCAL_HEALTH_LEAST_DEVICES = 3, GCAL_HEALTH_MOST_DEVICES = 64 };

struct gcal_health_policy {
    double fail; /* a loss that is a failure, not a warning */
    double warn; /* against the type: smaller differences are no warning */
};

struct gcal_health_finding {
    size_t n; /* readings of the reference; below GCAL_HEALTH_LEAST nothing is judged */
    double loss;         /* relative, of the time; NaN: unknown */
    double explained;    /* of it, by the clock */
    double error;        /* half of the 90 % interval of the loss */
    double limit;        /* of the loss that is not explained */
    bool lasting;        /* it is that of five readings */
    bool off;            /* this reading is beyond its limit */
    double against_type; /* relative to the median of the type's devices; NaN: unknown */
    bool by_type;        /* it is beyond the limit of that */
    bool is_failure;     /* of one or the other */
};

/* 'past': oldest first. */
void gcal_health_judge(const struct gcal_health_reading *past, size_t n,
                       const struct gcal_health_reading *now,
                       const struct gcal_health_policy *policy,
                       struct gcal_health_finding found[GCAL_HEALTH_N]);

/* The same against the newest readings of other devices. */
void gcal_health_judge_type(const struct gcal_health_reading *others, size_t n,
                            const struct gcal_health_reading *now,
                            const struct gcal_health_policy *policy,
                            struct gcal_health_finding found[GCAL_HEALTH_N]);

/* ---- references of a type, over a store's devices and over stores ----
 *
 *   STORE/references/TYPE.tsv
 *
 *   gpucal_reference 1
 *   type TYPE
 *   cost NAME KERNEL N TIME_S..          the least time of N devices, 15 quantiles, the greatest
 *
 * with tabs between fields, perhaps signed as parameter files are.  It names no device, and two
 * of them are one: their distributions are mixed by their numbers of devices.
 */
#define GCAL_HEALTH_QUANTILES 17

struct gcal_health_quantiles {
    char *name, *kernel;
    size_t n, capacity; /* devices */
    double *values;     /* theirs, while they are known */
    double time_s[GCAL_HEALTH_QUANTILES];
};

struct gcal_health_reference {
    char *type;
    size_t n, capacity;
    struct gcal_health_quantiles *costs;
};

/* From the newest check of each device of the type in the store. */
int gcal_health_reference_make(struct gcal_arena *arena, const struct gcal_store *store,
                               const char *type, struct gcal_health_reference *reference,
                               struct gcal_error *err);
char *gcal_health_reference_text(struct gcal_arena *arena,
                                 const struct gcal_health_reference *reference);
int gcal_health_reference_parse(struct gcal_arena *arena, const char *text,
                                const char *shown,
                                struct gcal_health_reference *reference,
                                struct gcal_error *err);
void gcal_health_reference_merge(struct gcal_arena *arena,
                                 struct gcal_health_reference *into,
                                 const struct gcal_health_reference *from);

/* The share of the type's devices that take at least that time, one of them at least, and how
 * many they are; NaN: the reference does not have the cost.
 */
double gcal_health_reference_slowest(const struct gcal_health_reference *reference,
                                     size_t resource, const char *kernel, double time_s,
                                     size_t *n);

#endif
