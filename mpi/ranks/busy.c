/* busy.c - how much of the time the devices of a run were busy, from its record */
#include "mpi/ranks/busy.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "store/record/record.h"

int gcal_busy_read(const struct gcal_record *record, struct gcal_busy *busy,
                   struct gcal_error *err)
{
    size_t n = record->n_devices;

    *busy = (struct gcal_busy){ .devices = calloc(n + 1, sizeof(*busy->devices)) };
    for (size_t i = 0; busy->devices && i < n; i++) {
        const struct gcal_run_device *device = &record->devices[i];
        struct gcal_busy_device *made = &busy->devices[busy->n];

        if (!(device->span_s > 0))
            continue;
        *made = (struct gcal_busy_device){ .node = strdup(device->node),
                                           .name = strdup(device->info.name),
                                           .uid = strdup(device->info.uid),
                                           .span_s = device->span_s,
                                           .busy_s = device->busy_s };
        busy->n++;
        if (!made->node || !made->name || !made->uid)
            return gcal_error_memory(err);
    }
    return busy->devices ? 0 : gcal_error_memory(err);
}

void gcal_busy_clear(struct gcal_busy *busy)
{
    for (size_t i = 0; i < busy->n; i++) {
        free(busy->devices[i].node);
        free(busy->devices[i].name);
        free(busy->devices[i].uid);
    }
    free(busy->devices);
    *busy = (struct gcal_busy){ 0 };
}

static double share_of(const struct gcal_busy_device *device)
{
    return device->busy_s / device->span_s;
}

char *gcal_busy_format(const struct gcal_busy *busy)
{
    const struct gcal_busy_device *least = busy->devices;
    double *shares = calloc(busy->n + 1, sizeof(*shares));
    char *text = NULL;

    for (size_t i = 0; shares && i < busy->n; i++) {
        shares[i] = share_of(&busy->devices[i]);
        if (shares[i] < share_of(least))
            least = &busy->devices[i];
    }
    if (shares && busy->n == 1)
        text = gcal_buf_format("busy %.0f %% of %.1f s from first launch to last",
                               100 * shares[0], least->span_s);
    else if (shares && busy->n)
        text =
            gcal_buf_format("devices busy %.0f %% of the time from first launch to last "
                            "(median; least: %.0f %% of %.1f s, %s %s)",
                            100 * gcal_median(shares, busy->n), 100 * share_of(least),
                            least->span_s, least->node, least->name);
    free(shares);
    return text;
}

json_t *gcal_busy_json(const struct gcal_busy *busy)
{
    json_t *all = json_array();

    for (size_t i = 0; i < busy->n; i++) {
        const struct gcal_busy_device *d = &busy->devices[i];

        json_array_append_new(all, json_pack("{s:s, s:s, s:f, s:f, s:f}", "node", d->node,
                                             "uid", d->uid, "span_s", d->span_s, "busy_s",
                                             d->busy_s, "share", share_of(d)));
    }
    return all;
}
