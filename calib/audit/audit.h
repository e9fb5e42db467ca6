/* audit.h - changes of devices, from the tracks of a store's nodes
 *
 * A device's parameters are followed from calibration to calibration.  A calibration
 * epoch is a series of calibrations with one driver, configuration, catalogue and version
 * of gpucal: a change within an epoch is a change of the device; a change between epochs
 * may come from what they differ in.  The repeatability, the difference between two
 * calibrations of an unchanged device, is estimated from all devices of its type.
 */
#ifndef GCAL_CALIB_AUDIT_H
#define GCAL_CALIB_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "fit/change.h"
#include "store/files/store.h"
#include "store/ledger/track.h"

struct gcal_config;
struct gcal_arena;
struct gcal_error;
struct gcal_ledger_lines;

/* Calibrations in an epoch from which on its changes are tested. */
#define GCAL_AUDIT_LEAST_RUNS (GCAL_FIT_CHANGE_LEAST + 1)

/* The upper limit of gcal_audit_policy.of. */
#define GCAL_AUDIT_MOST_RUNS 32

struct gcal_audit_policy {
    double warn, fail;   /* relative changes that matter: a warning, a failure */
    double false_alarms; /* probability for an unchanged device, per calibration */
    size_t confirm, of;  /* calibrations with an alarm, of the last 'of', that confirm a
                            change */
};

/* As the configuration says. */
struct gcal_audit_policy gcal_audit_policy_of(const struct gcal_config *config);

enum gcal_audit_verdict {
    GCAL_AUDIT_PASS,
    GCAL_AUDIT_SUSPECT, /* significant, but not confirmed: no warning yet */
    GCAL_AUDIT_WARN,
    GCAL_AUDIT_FAIL,
    GCAL_AUDIT_UNKNOWN, /* too few calibrations */
};

/* "pass", "suspect", "warning", "failure", "unknown" */
const char *gcal_audit_verdict_name(enum gcal_audit_verdict verdict);
/* True for suspect, warning and failure. */
bool gcal_audit_needs_attention(enum gcal_audit_verdict verdict);

/* The kind of work that a parameter is a cost of. */
enum gcal_audit_category {
    GCAL_AUDIT_ARITHMETIC,
    GCAL_AUDIT_LOCAL_MEMORY,
    GCAL_AUDIT_GLOBAL_MEMORY,
    GCAL_AUDIT_BARRIER,
    GCAL_AUDIT_WORK_GROUPS, /* launch of work-groups */
    GCAL_AUDIT_LAUNCH,      /* launch of kernels */
    GCAL_AUDIT_ONCHIP,      /* all on-chip work of a kernel */
    GCAL_AUDIT_SHAPE,       /* exponents and shares: not costs, and never a warning */
    GCAL_AUDIT_TRANSFER,    /* between host and device */
    GCAL_AUDIT_OTHER,       /* unknown: categories are derived from the models'
                               expressions, and only for devices that changed */
};

/* "arithmetic", "local memory", ... */
const char *gcal_audit_category_name(enum gcal_audit_category category);

/* One parameter of one model of a device. */
struct gcal_audit_series {
    struct gcal_track_column column;
    enum gcal_audit_category category;
    double *value, *error; /* n_runs of the device; NaN where the run has none */
    size_t newest;         /* the last run that measured its model */
    double repeatability;  /* upper bound of the standard deviation of log(value) between
                              calibrations of an unchanged device; NaN: unknown */
    double reference;      /* value at the start of the newest epoch, before any change;
                              NaN: none */
    double change;         /* newest values relative to the reference, minus 1 */
    double change_low, change_high; /* 90 % interval of the change */
    size_t since;                   /* the first run of the change; n_runs: no change */
    double false_alarm;             /* probability of as large a change by chance in any
                                       cost of an unchanged device */
    double driver_change; /* values at the start of the newest epoch relative to the
                             previous epoch, minus 1; NaN in the first */
    double against_type;  /* newest value relative to the median of the type's devices,
                             minus 1; NaN with fewer than three devices */
    double against_type_sigmas; /* in robust standard deviations between its devices */
    bool by_type;               /* the verdict is due to against_type, not to change */
    enum gcal_audit_verdict verdict;
};

/* A change in words: parameters with a common cause are one finding.  Faster costs, and
 * changes due to a new driver or configuration, are findings as well, that pass.
 */
struct gcal_audit_finding {
    enum gcal_audit_verdict verdict;
    const char *code; /* "GPUCAL-MEMORY-BANDWIDTH", ...: stable, for scripts; in
                         gpucal(1) */
    char *what;       /* "global memory (all access patterns) slower by 3.1 %" */
    char *next;       /* what to do */
    double change;    /* relative, median over its parameters */
    double change_low, change_high; /* 90 % interval of the parameter with that change */
    size_t since;                   /* the first run of the change */
    double false_alarm;
    size_t n_series, *series;
};

struct gcal_audit_device {
    struct gcal_arena *arena;             /* of all that it points to */
    const char *node, *uid, *type, *name; /* of a type: node and uid are the type */
    bool is_type;                         /* its runs are fits, see gcal_audit_type() */
    size_t n_runs;
    const struct gcal_track_run **run; /* oldest first */
    size_t *epoch;                     /* n_runs: 0, 1, .. */
    size_t n_epoch_runs;               /* of the newest epoch */
    char **epoch_description; /* by epoch: "driver 580.1 became 590.2"; the first NULL */
    size_t n_series;
    struct gcal_audit_series *series;
    size_t n_findings, findings_capacity;
    struct gcal_audit_finding *findings; /* the worst first */
    enum gcal_audit_verdict verdict;
};

/* A node that could not be audited. */
struct gcal_audit_unread {
    const char *node, *why; /* error of its track: "DIR/tracks/n7.tsv:3: ..." */
};

struct gcal_audit_summary {
    size_t n_nodes, n_devices, n_runs;         /* nodes include unread ones */
    size_t n_verdicts[GCAL_AUDIT_UNKNOWN + 1]; /* devices by verdict */
    enum gcal_audit_verdict worst;             /* WARN and FAIL only where confirmed */
    size_t n_unread;
    struct gcal_audit_unread *unread;
};

/* Audits all devices of the nodes that match 'pattern' (fnmatch; NULL: all), several
 * nodes at a time, and passes them to 'each' in the order of nodes, one at a time.  The
 * device is valid until 'each' returns; -1 with 'err' ends the audit.  Repeatability and
 * medians of a type come from up to 200 of its devices in the store, the same whatever matches:
 * with a pattern, only the tracks of these and of the nodes that match are read.  Nodes whose
 * tracks cannot be read are left out; those that match are listed in the summary, which is in
 * 'arena'.
 */
int gcal_audit_store(struct gcal_arena *arena, const struct gcal_store *store,
                     const char *pattern, const struct gcal_audit_policy *policy,
                     int (*each)(void *context, const struct gcal_audit_device *device,
                                 struct gcal_error *err),
                     void *context, struct gcal_audit_summary *summary,
                     struct gcal_error *err);

/* ---- a device type ---- */

/* A fit of the type that was published. */
struct gcal_audit_fit {
    char *run_id, *published_utc; /* the time by the ledger; "": unknown */
    struct gcal_params params;    /* of one device */
};

/* The fits of a type that its history has, the oldest first, and their audit. */
struct gcal_audit_fits {
    size_t n;
    struct gcal_audit_fit *fit;
    struct gcal_audit_device *device; /* whose run i is fit i; NULL: there are none */
    struct gcal_arena *arena;         /* of all of it */
};

/* Audits the costs of a type, as if the newest 'most' fits were calibrations of one device: a fit
 * of a tenth more or fewer devices begins an epoch, and so do other conditions.  The repeatability
 * is that between the fits.  Models that a publication did not fit again are not followed there, nor
 * those that are no longer published.  Fits that cannot be read are left out, with a warning in
 * the log.  'lines': read and sorted, for the order of publication; NULL: that of the clocks of the
 * runs, without reading the ledger.  Clear 'fits' in any case.
 */
int gcal_audit_type(const struct gcal_store *store, struct gcal_ledger_lines *lines,
                    const char *type, size_t most, const struct gcal_audit_policy *policy,
                    struct gcal_audit_fits *fits, struct gcal_error *err);
void gcal_audit_fits_clear(struct gcal_audit_fits *fits);

#endif
