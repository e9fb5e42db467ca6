/* staleness.h - is a device to be calibrated again?  (--if-changed) */
#ifndef GCAL_MPI_RANKS_STALENESS_H
#define GCAL_MPI_RANKS_STALENESS_H

struct gcal_device_info;
struct gcal_error;
struct gcal_params;

/* What a calibration would be made with. */
struct gcal_staleness_policy {
    const char *configuration, *catalogue; /* fingerprints */
    const char *gpucal_version;
    double max_age_s; /* INFINITY: none is too old */
    double now_s;     /* since 1970 */
};

/* 1 when the device is to be calibrated, with why in '*reason', for people ("driver 580.1
 * became 590.2"), the caller's to free.  0 when what is published of it still holds, with
 * its age.  'published': of its node; without devices where there is nothing yet.
 */
int gcal_staleness_check(const struct gcal_params *published,
                         const struct gcal_device_info *info,
                         const struct gcal_staleness_policy *policy, char **reason,
                         double *age_s, struct gcal_error *err);

#endif
