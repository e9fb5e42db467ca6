/* speed.c - GPUs whose speed changed while they were measured, from the samples' order
 *
 * What such a device took before it had its last speed is not a property of the device.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/results/private.h"
#include "fit/speed.h"

/* ---- visits ---- */

void gcal_result_visits_clear(struct gcal_result_visits *v)
{
    for (size_t i = 0; i < v->n_devices && v->devices; i++)
        free(v->devices[i].visits);
    free(v->devices);
}

int gcal_result_visits_init(struct gcal_result_visits *v, size_t n_devices,
                            struct gcal_error *err)
{
    *v = (struct gcal_result_visits){ .n_devices = n_devices,
                                      .devices =
                                          calloc(n_devices + 1, sizeof(*v->devices)) };
    return v->devices ? 0 : gcal_error_memory(err);
}

/* What comes and goes in the driver takes microseconds, which say nothing of a device's speed. */
#define SHORT_S 100e-6

/* Launches with nothing in between. */
static size_t end_of_visit(const struct gcal_measurement *m, size_t first)
{
    size_t end = first + 1;

    while (end < m->n_samples && m->samples[end].order - m->samples[end - 1].order <= 1)
        end++;
    return end;
}

static int add_visit(struct gcal_result_device_visits *d,
                     const struct gcal_fit_visit *visit, struct gcal_error *err)
{
    struct gcal_fit_visit *grown =
        gcal_array_grow(d->visits, d->n, &d->capacity, sizeof(*grown), err);

    if (!grown)
        return -1;
    d->visits = grown;
    grown[d->n++] = *visit;
    return 0;
}

int gcal_result_visits_add(struct gcal_result_visits *v, size_t device, size_t kernel,
                           const struct gcal_measurement *m, struct gcal_error *err)
{
    for (size_t i = 0, end; m->samples && i < m->n_samples; i = end) {
        struct gcal_fit_visit visit = { .kernel = kernel, .order = m->samples[i].order };
        double spread;

        end = end_of_visit(m, i);
        if (gcal_fit_median_time(m->samples + i, end - i, &visit.time_s, &spread, err) <
            0)
            return -1;
        if (visit.time_s >= SHORT_S && isfinite(visit.time_s) &&
            add_visit(&v->devices[device], &visit, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- changes ---- */

void gcal_result_speeds_clear(struct gcal_result_speeds *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->items[i].node);
        free(s->items[i].uid);
        free(s->items[i].text);
    }
    free(s->items);
    *s = (struct gcal_result_speeds){ 0 };
}

static int add_speed(const struct gcal_record *record, size_t i,
                     const struct gcal_fit_speed *found, struct gcal_result_speeds *s,
                     struct gcal_error *err)
{
    const struct gcal_run_device *device = gcal_record_device(record, i);
    bool slower = found->ratio > 1;
    struct gcal_result_speed *grown = realloc(s->items, (s->n + 1) * sizeof(*grown)), *o;

    if (!grown)
        return gcal_error_memory(err);
    s->items = grown;
    o = &grown[s->n++];
    *o = (struct gcal_result_speed){ .device = i,
                                     .since = found->since,
                                     .ratio = found->ratio,
                                     .node = strdup(device->node),
                                     .uid = strdup(device->info.uid) };
    o->text = gcal_buf_format(
        "%s %s became %.3g times as %s while it was measured, from launch %llu on, as "
        "%zu of %zu kernels show that were timed before and after; what was measured "
        "before does not count",
        device->node, device->info.uid, slower ? found->ratio : 1 / found->ratio,
        slower ? "slow" : "fast", (unsigned long long)found->since, found->n_kernels,
        found->n_comparable);
    return o->node && o->uid && o->text ? 0 : gcal_error_memory(err);
}

/* A CPU's times change as the host's other work comes and goes: what was measured before is as good as
 * what was measured since.
 */
static bool has_a_speed(const struct gcal_record *record, size_t device)
{
    return strcmp(gcal_record_device(record, device)->info.device_type, "cpu") != 0;
}

int gcal_result_find_speeds(const struct gcal_record *record,
                            const struct gcal_result_visits *v,
                            struct gcal_result_speeds *speeds, struct gcal_error *err)
{
    struct gcal_fit_speed found;

    for (size_t i = 0; i < v->n_devices; i++) {
        const struct gcal_result_device_visits *d = &v->devices[i];

        if (!has_a_speed(record, i))
            continue;
        if (gcal_fit_find_speed(d->visits, d->n, &found, err) < 0 ||
            (found.changed && add_speed(record, i, &found, speeds, err) < 0))
            return -1;
    }
    return 0;
}

const struct gcal_result_speed *
gcal_result_speed_of(const struct gcal_result_speeds *speeds, size_t device)
{
    for (size_t i = 0; i < speeds->n; i++)
        if (speeds->items[i].device == device)
            return &speeds->items[i];
    return NULL;
}

size_t gcal_result_drop_early(struct gcal_measurement *m, uint64_t since)
{
    size_t kept = 0;

    if (!m->samples) /* of several runs: dropped before */
        return m->n_samples;
    for (size_t i = 0; i < m->n_samples; i++)
        if (m->samples[i].order >= since)
            m->samples[kept++] = m->samples[i];
    m->n_samples = kept;
    return kept;
}
