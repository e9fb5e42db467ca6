/* speed.c - devices whose times are off as a whole, from the samples' order and the host's clock
 *
 * What a GPU took before it had its last speed is not a property of the device.  But which of its
 * speeds it has later nobody knows, so their ratio stays in its error.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "calib/results/private.h"
#include "fit/clock.h"
#include "fit/shared_error.h"
#include "fit/speed.h"

/* ---- visits ---- */

void gcal_result_visits_clear(struct gcal_result_visits *v)
{
    for (size_t i = 0; i < v->n_devices && v->devices; i++) {
        free(v->devices[i].visits);
        free(v->devices[i].launches);
    }
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

/* The fastest by the host's clock, unless that is the only one. */
static int add_launch(struct gcal_result_device_visits *d,
                      const struct gcal_measurement *m, struct gcal_error *err)
{
    struct gcal_fit_launch fastest = { .host_s = INFINITY }, *grown;

    for (size_t i = 0; i < m->n_samples; i++)
        if (m->samples[i].host_s < fastest.host_s)
            fastest =
                (struct gcal_fit_launch){ m->samples[i].time_s, m->samples[i].host_s };
    if (!isfinite(fastest.host_s) || fastest.host_s == fastest.device_s)
        return 0;
    if (!(grown = gcal_array_grow(d->launches, d->n_launches, &d->launches_capacity,
                                  sizeof(*grown), err)))
        return -1;
    d->launches = grown;
    grown[d->n_launches++] = fastest;
    return 0;
}

int gcal_result_visits_add(struct gcal_result_visits *v, size_t device, size_t kernel,
                           const struct gcal_measurement *m, struct gcal_error *err)
{
    if (m->samples && add_launch(&v->devices[device], m, err) < 0)
        return -1;
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

/* ---- what is wrong with a device ---- */

void gcal_result_speeds_clear(struct gcal_result_speeds *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->items[i].node);
        free(s->items[i].uid);
        free(s->items[i].text);
    }
    free(s->items);
    free(s->error);
    *s = (struct gcal_result_speeds){ 0 };
}

/* Takes 'text', which may be NULL: memory ran out. */
static int add_item(const struct gcal_record *record, struct gcal_result_speed item,
                    char *text, struct gcal_result_speeds *s, struct gcal_error *err)
{
    const struct gcal_run_device *device = &record->devices[item.device];
    struct gcal_result_speed *grown = realloc(s->items, (s->n + 1) * sizeof(*grown));

    if (!grown) {
        free(text);
        return gcal_error_memory(err);
    }
    s->items = grown;
    item.node = strdup(device->node);
    item.uid = strdup(device->info.uid);
    item.text = text;
    grown[s->n++] = item;
    return item.node && item.uid && text ? 0 : gcal_error_memory(err);
}

static int add_change(const struct gcal_record *record, size_t i, bool drops,
                      const struct gcal_fit_speed *found, struct gcal_result_speeds *s,
                      struct gcal_error *err)
{
    const struct gcal_run_device *device = &record->devices[i];
    bool slower = found->ratio > 1;
    char before[GCAL_UNITS_SIZE], after[GCAL_UNITS_SIZE];
    char *text = gcal_buf_format(
        "%s %s became %.3g times as %s while it was measured, from launch %llu on, as "
        "%zu of %zu kernels show that were timed before and after: %s took %s, and then "
        "%s; %s, and its errors have the difference: it may be at either speed",
        device->node, device->info.uid, slower ? found->ratio : 1 / found->ratio,
        slower ? "slow" : "fast", (unsigned long long)found->since, found->n_kernels,
        found->n_comparable, record->kernels[found->kernel].generator,
        gcal_units(found->before_s, "s", before), gcal_units(found->after_s, "s", after),
        drops ? "what was measured before does not count"
              : "all of it counts, as other work of the host comes and goes");

    return add_item(record,
                    (struct gcal_result_speed){ .device = i,
                                                .drops = drops,
                                                .since = found->since,
                                                .ratio = found->ratio,
                                                .before_s = found->before_s,
                                                .after_s = found->after_s },
                    text, s, err);
}

static int add_clock(const struct gcal_record *record, size_t i,
                     const struct gcal_fit_clock *clock, struct gcal_result_speeds *s,
                     struct gcal_error *err)
{
    const struct gcal_run_device *device = &record->devices[i];
    char *text = gcal_buf_format(
        "%s %s has a clock that is not the host's: where its events last 1 ms longer, "
        "the host waits %.4g ms longer, as %zu long kernels show; its errors have the "
        "difference",
        device->node, device->info.uid, clock->slope, clock->n);

    return add_item(record,
                    (struct gcal_result_speed){
                        .device = i, .is_clock = true, .ratio = clock->slope },
                    text, s, err);
}

/* A CPU's times change as the host's other work comes and goes: what was measured before is as good as
 * what was measured since.
 */
static bool is_cpu(const struct gcal_record *record, size_t device)
{
    return strcmp(record->devices[device].info.device_type, "cpu") == 0;
}

/* As the standard error of which a 90 % interval just has it. */
static double error_of_ratio(double ratio)
{
    return fabs(log(ratio)) / GCAL_PARAMS_NORMAL_90;
}

/* The visits that count. */
static int find_shared_error(const struct gcal_result_device_visits *d, uint64_t since,
                             double *error, struct gcal_error *err)
{
    struct gcal_fit_visit *counting = calloc(d->n + 1, sizeof(*counting));
    size_t n = 0;
    int rc = counting ? 0 : gcal_error_memory(err);

    for (size_t i = 0; i < d->n && rc == 0; i++)
        if (d->visits[i].order >= since)
            counting[n++] = d->visits[i];
    if (rc == 0)
        rc = gcal_fit_shared_error(counting, n, error, err);
    free(counting);
    return rc;
}

static int judge(const struct gcal_record *record,
                 const struct gcal_result_device_visits *d, size_t i,
                 struct gcal_result_speeds *speeds, struct gcal_error *err)
{
    bool cpu = is_cpu(record, i);
    double *error = &speeds->error[i];
    struct gcal_fit_clock clock = gcal_fit_compare_clocks(d->launches, d->n_launches);
    struct gcal_fit_speed found;

    if (gcal_fit_find_speed(d->visits, d->n, &found, err) < 0 ||
        find_shared_error(d, cpu ? 0 : found.since, error, err) < 0 ||
        (found.changed && add_change(record, i, !cpu, &found, speeds, err) < 0))
        return -1;
    if (found.changed)
        *error = fmax(*error, error_of_ratio(found.ratio));
    if (gcal_fit_judge_clock(&clock, cpu) == GCAL_FIT_CLOCK_RIGHT)
        return 0;
    *error = hypot(*error, error_of_ratio(clock.slope));
    return add_clock(record, i, &clock, speeds, err);
}

int gcal_result_find_speeds(const struct gcal_record *record,
                            const struct gcal_result_visits *v,
                            struct gcal_result_speeds *speeds, struct gcal_error *err)
{
    if (!(speeds->error = calloc(v->n_devices + 1, sizeof(*speeds->error))))
        return gcal_error_memory(err);
    speeds->n_devices = v->n_devices;
    for (size_t i = 0; i < v->n_devices; i++) {
        speeds->error[i] = record->devices[i].shared_error;
        if (v->devices[i].n && judge(record, &v->devices[i], i, speeds, err) < 0)
            return -1;
    }
    return 0;
}

const struct gcal_result_speed *
gcal_result_speed_of(const struct gcal_result_speeds *speeds, size_t device)
{
    for (size_t i = 0; i < speeds->n; i++)
        if (speeds->items[i].device == device && speeds->items[i].drops)
            return &speeds->items[i];
    return NULL;
}

double gcal_result_shared_error(const struct gcal_result_speeds *speeds, size_t device)
{
    return device < speeds->n_devices ? speeds->error[device] : 0;
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
