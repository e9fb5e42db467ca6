/* audit.h - has a device changed?  From the tracks of a store's nodes
 *
 * A device's parameters are followed from calibration to calibration.  Calibrations with
 * one driver, configuration, catalogue and version of gpucal are an *epoch*: within it
 * the device alone can have changed what is measured; between two, what they differ in.
 * How far two calibrations of a device that did not change differ, the *repeatability*,
 * is estimated from all devices of its type.
 */
#ifndef GCAL_CALIB_AUDIT_H
#define GCAL_CALIB_AUDIT_H

#include <stdbool.h>
#include <stddef.h>

#include "store/files/store.h"
#include "store/ledger/track.h"

struct gcal_error;

/* The most of 'of'. */
#define GCAL_AUDIT_MOST_RUNS 32

struct gcal_audit_policy {
    double warn, fail;   /* relative changes that matter: a warning, a failure */
    double false_alarms; /* of a device that did not change, per calibration */
    size_t confirm, of;  /* so many of so many calibrations in a row must say so */
};

enum gcal_audit_verdict {
    GCAL_AUDIT_PASS,
    GCAL_AUDIT_SUSPECT, /* beyond chance, but not confirmed: no warning yet */
    GCAL_AUDIT_WARN,
    GCAL_AUDIT_FAIL,
    GCAL_AUDIT_UNKNOWN, /* too few calibrations to say */
};

/* "pass", "suspect", "warning", "failure", "unknown" */
const char *gcal_audit_verdict_name(enum gcal_audit_verdict verdict);
/* Suspect and worse. */
bool gcal_audit_needs_attention(enum gcal_audit_verdict verdict);

/* What a parameter is a cost of. */
enum gcal_audit_category {
    GCAL_AUDIT_ARITHMETIC,
    GCAL_AUDIT_LOCAL_MEMORY,
    GCAL_AUDIT_GLOBAL_MEMORY,
    GCAL_AUDIT_BARRIER,
    GCAL_AUDIT_WORK_GROUPS, /* their launch */
    GCAL_AUDIT_LAUNCH,      /* of kernels */
    GCAL_AUDIT_ONCHIP,      /* all work on the chip of a kernel */
    GCAL_AUDIT_SHAPE,       /* exponents and shares: no cost, and never a warning */
    GCAL_AUDIT_TRANSFER,    /* between host and device */
    GCAL_AUDIT_OTHER,       /* not known, or not looked for: subjects are taken from the
                               models' expressions where something was found */
};

/* "arithmetic", "local memory", ... */
const char *gcal_audit_category_name(enum gcal_audit_category category);

/* One parameter of one model of a device. */
struct gcal_audit_series {
    struct gcal_track_column column;
    enum gcal_audit_category category;
    double *value, *error; /* n_runs of the device; NaN where not told */
    double repeatability;  /* upper bound of the standard deviation of log(value) between
                              calibrations of an unchanged device; NaN where unknown */
    double reference;      /* the value that the newest epoch began with, before any
                              change; NaN without */
    double change;         /* of the newest values against it, relative */
    double change_low, change_high; /* nine of ten such intervals hold the change */
    size_t since;                   /* the run where it began; n_runs: none did */
    double false_alarm;             /* probability that chance alone says so, for this
                                       device's calibration as a whole */
    double driver_change; /* at the newest epoch's begin, against the epoch before,
                             relative; NaN without one */
    double against_type;  /* newest value over the median of the type's devices, less 1;
                             NaN where there are fewer than three */
    double against_type_sigmas; /* in robust standard deviations between its devices */
    bool by_type;               /* the verdict is about that, not about a change */
    enum gcal_audit_verdict verdict;
};

/* What changed, in words: parameters that tell of one thing are one finding.  What got
 * faster, and what a new driver or configuration moved, are findings, too, that pass.
 */
struct gcal_audit_finding {
    enum gcal_audit_verdict verdict;
    const char *code; /* "GPUCAL-MEMORY-BANDWIDTH", ...: stable, for scripts; in
                         gpucal(1) */
    char *what;       /* "global memory takes 3.1 % longer" */
    char *next;       /* what to do about it */
    double change;    /* relative, median over its parameters */
    double change_low, change_high; /* of the parameter with that change */
    size_t since;                   /* run */
    double false_alarm;
    size_t n_series, *series;
};

struct gcal_audit_device {
    const char *node, *uid, *type, *name;
    size_t n_runs;
    const struct gcal_track_run **run; /* oldest first */
    size_t *epoch;                     /* n_runs: 0, 1, .. */
    char **epoch_description; /* by epoch: "driver 580.1 became 590.2"; NULL first */
    size_t n_series;
    struct gcal_audit_series *series;
    size_t n_findings;
    struct gcal_audit_finding *findings; /* the worst first */
    enum gcal_audit_verdict verdict;
};

/* A node that could not be audited. */
struct gcal_audit_unread {
    char *node, *why; /* of its track: "DIR/tracks/n7.tsv:3: ..." */
};

struct gcal_audit_summary {
    size_t n_nodes, n_devices, n_runs;         /* nodes also where they are unread */
    size_t n_verdicts[GCAL_AUDIT_UNKNOWN + 1]; /* devices by verdict */
    enum gcal_audit_verdict worst;             /* WARN and FAIL only where confirmed */
    size_t n_unread;
    struct gcal_audit_unread *unread;
};

void gcal_audit_summary_clear(struct gcal_audit_summary *summary);

/* Audits all devices of the nodes that match 'pattern' (fnmatch; NULL: all), several
 * nodes at a time, and gives them to 'each' in the order of nodes, one at a time; what
 * 'each' gets lives until it returns, and its -1 with 'err' ends the audit.  The type's
 * repeatability and medians come from all nodes of the store.  Nodes whose tracks cannot
 * be read are left out, and stand in the summary where they match.
 */
int gcal_audit_store(const struct gcal_store *store, const char *pattern,
                     const struct gcal_audit_policy *policy,
                     int (*each)(void *context, const struct gcal_audit_device *device,
                                 struct gcal_error *err),
                     void *context, struct gcal_audit_summary *summary,
                     struct gcal_error *err);

#endif
