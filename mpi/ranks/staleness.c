/* staleness.c - which published models still hold (--if-changed) */
#include "mpi/ranks/staleness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/params/params.h"

#define DAY_S 86400.0

static void add_change(struct gcal_buf *reason, const char *what, const char *was,
                       const char *is)
{
    if (strcmp(was, is) != 0)
        gcal_buf_printf(reason, "%s%s %s became %s", reason->size ? ", " : "", what,
                        *was ? was : "(none)", *is ? is : "(none)");
}

/* Why the model must be measured, for the caller to free; "" if its published calibration
 * holds, with its age.
 */
static char *reason_for(const struct gcal_params_device *was,
                        const struct gcal_device_info *info,
                        const struct gcal_staleness_model *model,
                        const struct gcal_staleness_policy *policy, double *age_s,
                        struct gcal_error *err)
{
    const struct gcal_params_model *published = gcal_params_find_model(was, model->name);
    struct gcal_params_origin origin;
    struct gcal_buf why = { 0 };

    *age_s = 0;
    /* Driver and type are those of each model.  The clock is not compared: some drivers
     * report the current one.
     */
    add_change(&why, "OpenCL version", was->info.version, info->version);
    add_change(&why, "platform", was->info.platform, info->platform);
    add_change(&why, "vendor", was->info.vendor, info->vendor);
    add_change(&why, "name", was->info.name, info->name);
    add_change(&why, "PCI address", was->info.pci, info->pci);
    if (published) {
        origin = gcal_params_model_origin(was, published);
        /* Age of "2026-11-21T04:27:51Z"; infinite if that is not a time. */
        struct tm tm = { 0 };
        const char *end = origin.calibrated_utc
                              ? strptime(origin.calibrated_utc, "%Y-%m-%dT%H:%M:%SZ", &tm)
                              : NULL;
        *age_s = end && !*end ? policy->now_s - (double)timegm(&tm) : INFINITY;
        /* Fields that a file of an older gpucal lacks count as changed. */
        add_change(&why, "driver", origin.driver, info->driver);
        add_change(&why, "type", origin.type, info->type);
        add_change(&why, "gpucal", origin.gpucal_version, policy->gpucal_version);
        if (strcmp(origin.configuration, model->configuration) != 0)
            gcal_buf_printf(&why, "%sthe configuration changed", why.size ? ", " : "");
        if (strcmp(origin.catalogue, policy->catalogue) != 0)
            gcal_buf_printf(&why, "%sthe catalogue of measurement kernels changed",
                            why.size ? ", " : "");
        if (*age_s > policy->max_age_s)
            gcal_buf_printf(&why, "%sits calibration is %.1f days old",
                            why.size ? ", " : "", *age_s / DAY_S);
    } else if (!why.size) {
        gcal_buf_puts(&why, "it is not published");
    }
    return gcal_buf_take(&why, err);
}

static size_t count_stale(const struct gcal_staleness_model *models, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += models[i].stale;
    return count;
}

static int check_models(const struct gcal_params_device *was,
                        const struct gcal_device_info *info,
                        const struct gcal_staleness_policy *policy,
                        struct gcal_staleness_model *models, size_t n, char **reasons,
                        double *age_s, struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++) {
        double age;

        if (!(reasons[i] = reason_for(was, info, &models[i], policy, &age, err)))
            return -1;
        models[i].stale = *reasons[i] != '\0';
        if (!models[i].stale)
            *age_s = fmax(*age_s, age);
    }
    return 0;
}

static int check_new_device(struct gcal_staleness_model *models, size_t n, char **reason,
                            struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++)
        models[i].stale = true;
    *reason = strdup("nothing is published for it on this node");
    return *reason ? 1 : gcal_error_memory(err);
}

int gcal_staleness_check(const struct gcal_params *published,
                         const struct gcal_device_info *info,
                         const struct gcal_staleness_policy *policy,
                         struct gcal_staleness_model *models, size_t n, char **reason,
                         double *age_s, struct gcal_error *err)
{
    const struct gcal_params_device *was = gcal_params_find_uid(published, info->uid);
    char **reasons;
    int rc;

    *reason = NULL;
    *age_s = 0;
    if (!was || !was->n_models)
        return check_new_device(models, n, reason, err);
    if (!(reasons = calloc(n + 1, sizeof(*reasons))))
        return gcal_error_memory(err);
    rc = check_models(was, info, policy, models, n, reasons, age_s, err);
    if (rc == 0 && count_stale(models, n)) {
        /* Each reason once, with the models that it holds for; without them if it holds for all.
         */
        struct gcal_buf all = { 0 };

        for (size_t i = 0; i < n; i++) {
            size_t same = 0, first = n;

            for (size_t k = 0; k < n; k++)
                if (strcmp(reasons[k], reasons[i]) == 0) {
                    first = first < n ? first : k;
                    same++;
                }
            if (!models[i].stale || first < i)
                continue;
            gcal_buf_printf(&all, "%s%s", all.size ? "; " : "", reasons[i]);
            for (size_t k = i; same < n && k < n; k++)
                if (strcmp(reasons[k], reasons[i]) == 0)
                    gcal_buf_printf(&all, "%s%s", k == i ? " (model " : ", ",
                                    models[k].name);
            if (same < n)
                gcal_buf_puts(&all, ")");
        }
        rc = (*reason = gcal_buf_take(&all, err)) ? 1 : -1;
    }
    for (size_t i = 0; i < n; i++)
        free(reasons[i]);
    free(reasons);
    return rc;
}
