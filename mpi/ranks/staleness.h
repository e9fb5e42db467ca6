/* staleness.h - whether a published calibration still holds (--if-changed) */
#ifndef GCAL_MPI_RANKS_STALENESS_H
#define GCAL_MPI_RANKS_STALENESS_H

struct gcal_device_info;
struct gcal_error;
struct gcal_params;

/* The conditions of a calibration made now. */
struct gcal_staleness_policy {
    const char *configuration, *catalogue; /* fingerprints */
    const char *gpucal_version;
    double max_age_s; /* INFINITY: any age */
    double now_s;     /* Unix time */
};

/* 1 if the device must be calibrated, with the '*reason' ("driver 580.1 became 590.2"),
 * the caller's to free.  0 if its published calibration holds, with its age.  'published'
 * is that of the node, without devices if there is none.
 */
int gcal_staleness_check(const struct gcal_params *published,
                         const struct gcal_device_info *info,
                         const struct gcal_staleness_policy *policy, char **reason,
                         double *age_s, struct gcal_error *err);

#endif
