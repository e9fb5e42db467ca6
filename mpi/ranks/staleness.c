/* staleness.c - which published models still hold (--if-changed) */
#include "mpi/ranks/staleness.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "store/params/params.h"

#define DAY_S 86400.0

static void add_change(struct gcal_buf *reason, const char *what, const char *was,
                       const char *is)
{
    if (strcmp(was, is) != 0)
        gcal_buf_printf(reason, "%s%s %s became %s", reason->size ? ", " : "", what,
                        *was ? was : "(none)", *is ? is : "(none)");
}

/* Why the model must be measured; "" if its published calibration holds, with its age. */
static char *reason_for(struct gcal_arena *arena, const struct gcal_params_device *was,
                        const struct gcal_device_info *info,
                        const struct gcal_staleness_model *model,
                        const struct gcal_staleness_policy *policy, double *age_s)
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
    return gcal_arena_take(arena, &why);
}

const char *gcal_staleness_check(struct gcal_arena *arena,
                                 const struct gcal_params *published,
                                 const struct gcal_device_info *info,
                                 const struct gcal_staleness_policy *policy,
                                 struct gcal_staleness_model *models, size_t n,
                                 double *age_s)
{
    const struct gcal_params_device *was = gcal_params_find_uid(published, info->uid);
    char **reasons = gcal_arena_alloc(arena, n, sizeof(*reasons));
    struct gcal_buf all = { 0 };

    *age_s = 0;
    if (!was || !was->n_models) {
        for (size_t i = 0; i < n; i++)
            models[i].stale = true;
        return "nothing is published for it on this node";
    }
    for (size_t i = 0; i < n; i++) {
        double age;

        reasons[i] = reason_for(arena, was, info, &models[i], policy, &age);
        models[i].stale = *reasons[i] != '\0';
        if (!models[i].stale)
            *age_s = fmax(*age_s, age);
    }
    /* Each reason once, with the models that it holds for; without them if it holds for all. */
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
                gcal_buf_printf(&all, "%s%s", k == i ? " (model " : ", ", models[k].name);
        if (same < n)
            gcal_buf_puts(&all, ")");
    }
    return all.size ? gcal_arena_take(arena, &all) : NULL;
}
