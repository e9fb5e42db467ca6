/* staleness.h - which published models still hold (--if-changed) */
#ifndef GCAL_MPI_RANKS_STALENESS_H
#define GCAL_MPI_RANKS_STALENESS_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_arena;
struct gcal_device_info;
struct gcal_params;

/* A model of the configuration. */
struct gcal_staleness_model {
    const char *name, *configuration; /* fingerprint of its part of the configuration */
    bool stale;                       /* by gcal_staleness_check(): must be measured */
};

/* The conditions of a calibration made now. */
struct gcal_staleness_policy {
    const char *catalogue; /* fingerprint */
    const char *gpucal_version;
    double max_age_s; /* INFINITY: any age */
    double now_s;     /* Unix time */
};

/* Decides which of the 'n' models of the configuration, those for the device, must be
 * measured on it.  Returns the reason if any must, "driver 580.1 became 590.2", and "REASON
 * (model a, b)" for some of the models; NULL if the published calibrations of all hold.
 * '*age_s': of the oldest one that holds; 0 if none does.  'published' is that of the node,
 * without devices if there is none.
 */
const char *gcal_staleness_check(struct gcal_arena *arena,
                                 const struct gcal_params *published,
                                 const struct gcal_device_info *info,
                                 const struct gcal_staleness_policy *policy,
                                 struct gcal_staleness_model *models, size_t n,
                                 double *age_s);

#endif
