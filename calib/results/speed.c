/* speed.c - devices whose times are off as a whole, from the samples' order and the host's clock
 *
 * What a GPU took before it had its last speed is not a property of the device.  But which of its
 * speeds it has later nobody knows, so their ratio stays in its error.
 */
#include <math.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/units.h"
#include "calib/results/private.h"
#include "fit/clock.h"
#include "fit/shared_error.h"
#include "fit/speed.h"

/* ---- visits ---- */

/* What comes and goes in the driver takes microseconds, which say nothing of a device's speed. */
#define SHORT_S 100e-6

int gcal_result_visits_add(struct gcal_result_visits *v, size_t device, size_t kernel,
                           const struct gcal_measurement *m, struct gcal_error *err)
{
    struct gcal_result_device_visits *d = &v->devices[device];
    struct gcal_fit_launch fastest = { .host_s = INFINITY };

    if (!m->samples)
        return 0;
    for (size_t i = 0; i < m->n_samples; i++)
        if (m->samples[i].host_s < fastest.host_s)
            fastest =
                (struct gcal_fit_launch){ m->samples[i].time_s, m->samples[i].host_s };
    /* The host's clock may be the only one. */
    if (isfinite(fastest.host_s) && fastest.host_s != fastest.device_s) {
        d->launches = gcal_arena_grow(v->arena, d->launches, d->n_launches,
                                      &d->launches_capacity, sizeof(*d->launches));
        d->launches[d->n_launches++] = fastest;
    }
    for (size_t i = 0, end; i < m->n_samples; i = end) {
        struct gcal_fit_visit visit = { .kernel = kernel, .order = m->samples[i].order };
        double spread;

        for (end = i + 1; end < m->n_samples &&
                          m->samples[end].order - m->samples[end - 1].order <= 1;)
            end++;
        if (gcal_fit_median_time(m->samples + i, end - i, &visit.time_s, &spread, err) <
            0)
            return -1;
        if (!(visit.time_s >= SHORT_S && isfinite(visit.time_s)))
            continue;
        d->visits =
            gcal_arena_grow(v->arena, d->visits, d->n, &d->capacity, sizeof(*d->visits));
        d->visits[d->n++] = visit;
    }
    return 0;
}

/* ---- what is wrong with a device ---- */

static void add_item(struct gcal_arena *arena, const struct gcal_record *record,
                     struct gcal_result_speed item, char *text,
                     struct gcal_result_speeds *s)
{
    s->items = gcal_arena_grow(arena, s->items, s->n, &s->capacity, sizeof(*s->items));
    item.node = gcal_arena_strdup(arena, record->devices[item.device].node);
    item.uid = gcal_arena_strdup(arena, record->devices[item.device].info.uid);
    item.text = text;
    s->items[s->n++] = item;
}

static void add_change(struct gcal_arena *arena, const struct gcal_record *record,
                       size_t i, bool drops, const struct gcal_fit_speed *found,
                       struct gcal_result_speeds *s)
{
    const struct gcal_run_device *device = &record->devices[i];
    bool slower = found->ratio > 1;
    char before[GCAL_UNITS_SIZE], after[GCAL_UNITS_SIZE];
    char *text = gcal_arena_format(
        arena,
        "%s %s became %.3g times as %s while it was measured, from launch %llu on, as "
        "%zu of %zu kernels show that were timed before and after: %s took %s, and then "
        "%s; %s, and its errors have the difference: it may be at either speed",
        device->node, device->info.uid, slower ? found->ratio : 1 / found->ratio,
        slower ? "slow" : "fast", (unsigned long long)found->since, found->n_kernels,
        found->n_comparable, record->kernels[found->kernel].generator,
        gcal_units(found->before_s, "s", before), gcal_units(found->after_s, "s", after),
        drops ? "what was measured before does not count"
              : "all of it counts, as other work of the host comes and goes");

    add_item(arena, record,
             (struct gcal_result_speed){ .device = i,
                                         .drops = drops,
                                         .since = found->since,
                                         .ratio = found->ratio,
                                         .before_s = found->before_s,
                                         .after_s = found->after_s },
             text, s);
}

/* As the standard error of which a 90 % interval just has it. */
static double error_of_ratio(double ratio)
{
    return fabs(log(ratio)) / GCAL_PARAMS_NORMAL_90;
}

static void judge(struct gcal_arena *arena, const struct gcal_record *record,
                  const struct gcal_result_visits *v, size_t i,
                  struct gcal_result_speeds *speeds)
{
    const struct gcal_result_device_visits *d = &v->devices[i];
    /* A CPU's times change as the host's other work comes and goes: what was measured before is as
     * good as what was measured since.
     */
    bool cpu = strcmp(record->devices[i].info.device_type, "cpu") == 0;
    double *error = &speeds->error[i];
    struct gcal_fit_clock clock = gcal_fit_compare_clocks(d->launches, d->n_launches);
    struct gcal_fit_visit *counting = gcal_arena_alloc(v->arena, d->n, sizeof(*counting));
    struct gcal_fit_speed found = gcal_fit_find_speed(d->visits, d->n);
    size_t n = 0;

    for (size_t k = 0; k < d->n; k++)
        if (cpu || d->visits[k].order >= found.since)
            counting[n++] = d->visits[k];
    *error = gcal_fit_shared_error(counting, n);
    if (found.changed) {
        add_change(arena, record, i, !cpu, &found, speeds);
        *error = fmax(*error, error_of_ratio(found.ratio));
    }
    if (gcal_fit_judge_clock(&clock, cpu) != GCAL_FIT_CLOCK_RIGHT) {
        *error = hypot(*error, error_of_ratio(clock.slope));
        const struct gcal_run_device *device = &record->devices[i];
        char *text =
            gcal_arena_format(arena,
                              "%s %s has a clock that is not the host's: where its "
                              "events last 1 ms longer, "
                              "the host waits %.4g ms longer, as %zu long kernels show; "
                              "its errors have the "
                              "difference",
                              device->node, device->info.uid, clock.slope, clock.n);
        add_item(arena, record,
                 (struct gcal_result_speed){
                     .device = i, .is_clock = true, .ratio = clock.slope },
                 text, speeds);
    }
}

void gcal_result_find_speeds(struct gcal_arena *arena, const struct gcal_record *record,
                             const struct gcal_result_visits *v,
                             struct gcal_result_speeds *speeds)
{
    speeds->n_devices = record->n_devices;
    speeds->error = gcal_arena_alloc(arena, record->n_devices, sizeof(*speeds->error));
    for (size_t i = 0; i < record->n_devices; i++) {
        speeds->error[i] = record->devices[i].shared_error;
        if (v->devices[i].n)
            judge(arena, record, v, i, speeds);
    }
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
