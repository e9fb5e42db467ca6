/* findings.c - costs with a common cause, grouped into findings */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/base/median.h"

/* Costs with a common cause change alike: their logarithms differ from the median by at
 * most this share of it, or by as much as two runs may differ.
 */
#define ALIKE_SHARE 0.5
#define ALIKE       0.01

/* The share of a category's costs, of those that would show the change, that has to show
 * it.
 */
#define ALL_SHARE 0.8

enum { N_CATEGORIES = GCAL_AUDIT_OTHER + 1 };

struct finder {
    struct gcal_audit_device *device;
    const struct gcal_audit_policy *policy;
    bool by_type;
    bool *hit;       /* by series: slower, and in no finding yet */
    double *log;     /* by series: logarithm of the change */
    double *numbers; /* n_series, scratch */
    size_t expected[N_CATEGORIES], hits[N_CATEGORIES];
};

/* ---- slower costs ---- */

static double size_of(const struct gcal_audit_series *s, bool by_type)
{
    return log1p(by_type ? s->against_type : s->change);
}

static double median_of_hits(const struct finder *f, const bool *members)
{
    size_t n = 0;

    for (size_t i = 0; i < f->device->n_series; i++)
        if (f->hit[i] && (!members || members[i]))
            f->numbers[n++] = f->log[i];
    return gcal_median(f->numbers, n);
}

/* ---- causes ---- */

static bool is_complete(const struct finder *f, enum gcal_audit_category category)
{
    return f->hits[category] > 0 &&
           (double)f->hits[category] >= ALL_SHARE * (double)f->expected[category];
}

/* All on-chip work is slower by the same factor. */
static bool is_clock(const struct finder *f)
{
    static const enum gcal_audit_category onchip[] = { GCAL_AUDIT_ARITHMETIC,
                                                       GCAL_AUDIT_LOCAL_MEMORY,
                                                       GCAL_AUDIT_ONCHIP };
    const struct gcal_audit_device *d = f->device;
    double from = INFINITY, to = -INFINITY;
    size_t kinds = 0;

    for (size_t k = 0; k < sizeof(onchip) / sizeof(*onchip); k++) {
        kinds += f->hits[onchip[k]] > 0;
        if (f->expected[onchip[k]] && !is_complete(f, onchip[k]))
            return false;
        for (size_t i = 0; i < d->n_series; i++)
            if (f->hit[i] && d->series[i].category == onchip[k]) {
                from = fmin(from, f->log[i]);
                to = fmax(to, f->log[i]);
            }
    }
    return kinds >= 2 && to - from <= 2 * fmax(ALIKE, ALIKE_SHARE * (to + from) / 2);
}

/* ---- findings ---- */

static int by_number(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* The median of the runs where the change began. */
static size_t since_of(const struct gcal_audit_device *d, const size_t *series, size_t n)
{
    size_t *since = gcal_arena_alloc(d->arena, n, sizeof(*since));

    for (size_t i = 0; i < n; i++)
        since[i] = d->series[series[i]].since;
    qsort(since, n, sizeof(*since), by_number);
    return since[(n - 1) / 2];
}

static struct gcal_audit_finding *add_finding(struct finder *f, const bool *members)
{
    struct gcal_audit_device *d = f->device;
    struct gcal_audit_finding *finding;

    d->findings = gcal_arena_grow(d->arena, d->findings, d->n_findings,
                                  &d->findings_capacity, sizeof(*d->findings));
    finding = &d->findings[d->n_findings++];
    *finding = (struct gcal_audit_finding){ .since = d->n_runs,
                                            .false_alarm = 1,
                                            .series = gcal_arena_alloc(
                                                d->arena, d->n_series, sizeof(size_t)) };
    for (size_t i = 0; i < d->n_series; i++)
        if (members[i])
            finding->series[finding->n_series++] = i;
    return finding;
}

/* Change and interval are those of the median parameter, so that they belong together. */
static void set_change(const struct finder *f, struct gcal_audit_finding *finding,
                       double median)
{
    const struct gcal_audit_device *d = f->device;
    size_t nearest = finding->series[0];

    for (size_t i = 0; i < finding->n_series; i++) {
        size_t k = finding->series[i];
        const struct gcal_audit_series *s = &d->series[k];

        if (fabs(f->log[k] - median) < fabs(f->log[nearest] - median))
            nearest = k;
        finding->false_alarm = fmin(finding->false_alarm, s->false_alarm);
        if (s->verdict != GCAL_AUDIT_UNKNOWN && s->verdict > finding->verdict)
            finding->verdict = s->verdict;
    }
    finding->change = gcal_audit_relative(f->log[nearest]);
    if (f->by_type) { /* as uncertain as the device's value */
        double half = 1.645 * d->series[nearest].repeatability;

        finding->change_low = gcal_audit_relative(f->log[nearest] - half);
        finding->change_high = gcal_audit_relative(f->log[nearest] + half);
    } else {
        finding->change_low = d->series[nearest].change_low;
        finding->change_high = d->series[nearest].change_high;
    }
}

/* All hits of 'categories' (bits) that are in no finding yet. */
static void report_categories(struct finder *f, unsigned categories,
                              enum gcal_audit_cause cause,
                              enum gcal_audit_category category)
{
    struct gcal_audit_device *d = f->device;
    bool *members = gcal_arena_alloc(d->arena, d->n_series, sizeof(*members)),
         any = false;
    struct gcal_audit_finding *finding;
    double median;

    for (size_t i = 0; i < d->n_series; i++) {
        members[i] = f->hit[i] && categories >> d->series[i].category & 1;
        any |= members[i];
    }
    if (!any)
        return;
    median = median_of_hits(f, members);
    finding = add_finding(f, members);
    finding->code = gcal_audit_code(cause, category, f->by_type);
    finding->since = f->by_type ? gcal_audit_epoch_begin(d)
                                : since_of(d, finding->series, finding->n_series);
    set_change(f, finding, median);
    for (size_t i = 0; i < d->n_series; i++)
        f->hit[i] = f->hit[i] && !members[i];
    gcal_audit_describe(d, finding, cause, category, f->by_type);
}

#define BIT(category) (1U << (category))

/* Categories that scale with the clock; launches and barriers do as well. */
static const unsigned clocked =
    BIT(GCAL_AUDIT_ARITHMETIC) | BIT(GCAL_AUDIT_LOCAL_MEMORY) | BIT(GCAL_AUDIT_ONCHIP) |
    BIT(GCAL_AUDIT_BARRIER) | BIT(GCAL_AUDIT_WORK_GROUPS) | BIT(GCAL_AUDIT_LAUNCH);

static void explain(struct finder *f)
{
    bool global = is_complete(f, GCAL_AUDIT_GLOBAL_MEMORY), clock = is_clock(f);

    if (global && clock) {
        report_categories(f, ~0U, GCAL_AUDIT_EVERYTHING, GCAL_AUDIT_OTHER);
        return;
    }
    if (clock)
        report_categories(f, clocked, GCAL_AUDIT_CLOCK, GCAL_AUDIT_OTHER);
    report_categories(f, BIT(GCAL_AUDIT_GLOBAL_MEMORY),
                      global && f->expected[GCAL_AUDIT_GLOBAL_MEMORY] > 1
                          ? GCAL_AUDIT_BANDWIDTH
                          : GCAL_AUDIT_PATTERN,
                      GCAL_AUDIT_GLOBAL_MEMORY);
    for (int i = 0; i < N_CATEGORIES; i++)
        report_categories(f, BIT(i), GCAL_AUDIT_ONE_CATEGORY,
                          (enum gcal_audit_category)i);
}

/* ---- findings that pass ---- */

static int worse_first(const void *a, const void *b)
{
    const struct gcal_audit_finding *x = a, *y = b;
    double larger = fabs(y->change) - fabs(x->change);

    if (x->verdict != y->verdict)
        return x->verdict < y->verdict ? 1 : -1;
    if (larger != 0 && !isnan(larger))
        return larger > 0 ? 1 : -1;
    return strcmp(x->code, y->code);
}

void gcal_audit_make_findings(struct gcal_audit_device *device,
                              const struct gcal_audit_policy *policy)
{
    size_t n = device->n_series;
    struct finder f = { .device = device,
                        .policy = policy,
                        .hit = gcal_arena_alloc(device->arena, n, sizeof(bool)),
                        .log = gcal_arena_alloc(device->arena, n, sizeof(double)),
                        .numbers = gcal_arena_alloc(device->arena, n, sizeof(double)) };

    for (int by_type = 0; by_type < 2; by_type++) {
        f.by_type = by_type;
        const struct gcal_audit_device *d = f.device;
        double size;
        memset(f.expected, 0, sizeof(f.expected));
        memset(f.hits, 0, sizeof(f.hits));
        for (size_t i = 0; i < d->n_series; i++) {
            f.log[i] = size_of(&d->series[i], f.by_type);
            f.hit[i] = gcal_audit_needs_attention(d->series[i].verdict) &&
                       d->series[i].by_type == f.by_type;
        }
        size = median_of_hits(&f, NULL);
        for (size_t i = 0; i < d->n_series; i++) {
            enum gcal_audit_category category = d->series[i].category;

            f.hits[category] += f.hit[i];
            /* A series is expected to change if it would show a change of that size. */
            f.expected[category] +=
                f.hit[i] || (category != GCAL_AUDIT_SHAPE &&
                             !isnan(size_of(&d->series[i], f.by_type)) &&
                             (f.by_type || (d->series[i].verdict != GCAL_AUDIT_UNKNOWN &&
                                            6 * d->series[i].repeatability < size)));
        }
        explain(&f);
    }
    for (size_t i = 0; i < n; i++) {
        const struct gcal_audit_series *s = &device->series[i];

        f.log[i] = log1p(s->change);
        f.hit[i] = s->category != GCAL_AUDIT_SHAPE && s->verdict == GCAL_AUDIT_PASS &&
                   s->since < device->n_runs && s->change <= -policy->warn;
    }
    f.by_type = false;
    report_categories(&f, ~0U, GCAL_AUDIT_FASTER, GCAL_AUDIT_OTHER);
    if (gcal_audit_epoch_begin(device) > 0) {
        struct gcal_audit_finding *finding;

        for (size_t i = 0; i < n; i++) {
            f.log[i] = log1p(device->series[i].driver_change);
            f.hit[i] = device->series[i].category != GCAL_AUDIT_SHAPE && !isnan(f.log[i]);
        }
        finding = add_finding(&f, f.hit);
        finding->code = gcal_audit_code(GCAL_AUDIT_EPOCH, GCAL_AUDIT_OTHER, false);
        finding->since = gcal_audit_epoch_begin(device);
        finding->change = gcal_audit_relative(median_of_hits(&f, NULL));
        finding->change_low = finding->change_high = NAN;
        gcal_audit_describe(device, finding, GCAL_AUDIT_EPOCH, GCAL_AUDIT_OTHER, false);
    }
    if (device->n_findings)
        qsort(device->findings, device->n_findings, sizeof(*device->findings),
              worse_first);
}
