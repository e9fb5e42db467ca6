/* staleness.c - whether a published calibration still holds (--if-changed) */
#include "mpi/ranks/staleness.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "calib/base/buf.h"
#include "store/params/params.h"

#define DAY_S 86400.0

/* Age of "2026-11-21T04:27:51Z"; infinite if that is not a time. */
static double age_of(const char *utc, double now_s)
{
    struct tm tm = { 0 };
    const char *end = utc ? strptime(utc, "%Y-%m-%dT%H:%M:%SZ", &tm) : NULL;

    return end && !*end ? now_s - (double)timegm(&tm) : INFINITY;
}

static void add_change(struct gcal_buf *reason, const char *what, const char *was,
                       const char *is)
{
    if (strcmp(was, is) != 0)
        gcal_buf_printf(reason, "%s%s %s became %s", reason->size ? ", " : "", what,
                        *was ? was : "(none)", *is ? is : "(none)");
}

/* The clock is not compared: some drivers report the current one. */
static void compare_hardware(struct gcal_buf *reason, const struct gcal_device_info *was,
                             const struct gcal_device_info *is)
{
    add_change(reason, "driver", was->driver, is->driver);
    add_change(reason, "OpenCL version", was->version, is->version);
    add_change(reason, "platform", was->platform, is->platform);
    add_change(reason, "vendor", was->vendor, is->vendor);
    add_change(reason, "name", was->name, is->name);
    add_change(reason, "type", was->type, is->type);
    add_change(reason, "PCI address", was->pci, is->pci);
}

/* Fields that a file of an older gpucal lacks count as changed. */
static void compare_software(struct gcal_buf *reason,
                             const struct gcal_params_device *was,
                             const struct gcal_staleness_policy *is)
{
    add_change(reason, "gpucal", was->gpucal_version, is->gpucal_version);
    if (strcmp(was->configuration, is->configuration) != 0)
        gcal_buf_printf(reason, "%sthe configuration changed", reason->size ? ", " : "");
    if (strcmp(was->catalogue, is->catalogue) != 0)
        gcal_buf_printf(reason, "%sthe catalogue of measurement kernels changed",
                        reason->size ? ", " : "");
}

int gcal_staleness_check(const struct gcal_params *published,
                         const struct gcal_device_info *info,
                         const struct gcal_staleness_policy *policy, char **reason,
                         double *age_s, struct gcal_error *err)
{
    const struct gcal_params_device *was = gcal_params_find_uid(published, info->uid);
    struct gcal_buf why = { 0 };

    if (was) {
        *age_s = age_of(was->calibrated_utc, policy->now_s);
        compare_hardware(&why, &was->info, info);
        compare_software(&why, was, policy);
        if (*age_s > policy->max_age_s)
            gcal_buf_printf(&why, "%sits calibration is %.1f days old",
                            why.size ? ", " : "", *age_s / DAY_S);
        if (!why.size && !why.failed)
            return 0;
    } else
        gcal_buf_puts(&why, "nothing is published for it on this node");
    return (*reason = gcal_buf_take(&why, err)) ? 1 : -1;
}
