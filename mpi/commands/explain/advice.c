/* advice.c - the few changes of a kernel that would help most, by its model */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "kernels/model/profile.h"
#include "mpi/commands/explain/private.h"

enum {
    MOST_ADVICE = 6,
    MOST_CLASSES = 3, /* of costs that are halved */
};

/* Changes that gain less than this share of the time are not worth a line. */
#define LEAST_GAIN 0.01

/* Costs with a part of the time below this are not worth a trial. */
#define LEAST_PART 0.03

/* ---- more resident work-groups ---- */

/* The largest value of the lab's 'what' below its own at which 'resident' is 'wanted'; 0:
 * there is none.
 */
static double find_value(struct gcal_explain_lab *lab, double *what, double wanted,
                         double step)
{
    double old = *what, low = 0, high = old;

    while (high - low > step) {
        *what = floor((low + high) / 2 / step) * step;
        gcal_explain_lab_eval(lab);
        if (*what <= low)
            break;
        if (gcal_explain_lab_value(lab, "resident") >= wanted)
            low = *what;
        else
            high = *what;
    }
    *what = old;
    gcal_explain_lab_eval(lab);
    return low;
}

static int advise_local_memory(struct gcal_explain_case *c,
                               struct gcal_explain_changes *changes,
                               struct gcal_error *err)
{
    struct gcal_explain_lab *lab = &c->lab;
    double *bytes = &lab->features[gcal_explain_lab_feature(lab, "f_local_memory_bytes")];
    double old = *bytes, value = find_value(lab, bytes, c->occupancy.resident + 1, 4);
    char from[GCAL_UNITS_SIZE], to[GCAL_UNITS_SIZE];
    int rc = 0;

    if (!(value > 0))
        return 0;
    *bytes = value;
    rc = gcal_explain_changes_add(changes, lab,
                                  gcal_buf_format("local memory of %s instead of %s",
                                                  gcal_units(value, "B", to),
                                                  gcal_units(old, "B", from)),
                                  err);
    *bytes = old;
    gcal_explain_lab_eval(lab);
    return rc;
}

/* Named, as the model estimates them for kernels that nobody has built. */
static int advise_registers(struct gcal_explain_case *c,
                            struct gcal_explain_changes *changes, struct gcal_error *err)
{
    struct gcal_explain_lab *lab = &c->lab;
    size_t text = gcal_explain_lab_find(lab, "registers");
    double old = c->occupancy.registers, value = floor(old);
    int rc = 0;

    if (text == lab->n_texts || !(old > 0))
        return 0;
    do {
        lab->factors[text] = --value / old;
        gcal_explain_lab_eval(lab);
    } while (value > 16 &&
             gcal_explain_lab_value(lab, "resident") <= c->occupancy.resident);
    if (gcal_explain_lab_value(lab, "resident") > c->occupancy.resident)
        rc = gcal_explain_changes_add(
            changes, lab,
            gcal_buf_format("%.0f registers for a work-item instead of %.0f", value, old),
            err);
    lab->factors[text] = 1;
    gcal_explain_lab_eval(lab);
    return rc;
}

static int advise_resident(struct gcal_explain_case *c,
                           struct gcal_explain_changes *changes, struct gcal_error *err)
{
    const struct gcal_explain_occupancy *o = &c->occupancy;

    if (!o->known || !o->n_bounds)
        return 0;
    if (strcmp(o->bounds[0].by, "local memory") == 0)
        return advise_local_memory(c, changes, err);
    if (strcmp(o->bounds[0].by, "registers") == 0)
        return advise_registers(c, changes, err);
    return 0;
}

/* ---- other counts ---- */

/* Replaces the count by a number, or multiplies it. */
static int set_count(struct gcal_profile_entry *e, bool multiply, double value,
                     struct gcal_error *err)
{
    char *count = multiply ? gcal_buf_format("(%s)*%.17g", e->count, value)
                           : gcal_buf_format("%.17g", value);

    if (!count)
        return gcal_error_memory(err);
    free(e->count);
    e->count = count;
    return 0;
}

/* An access by each sub-group that moves no more than it wants. */
static int coalesce_place(struct gcal_profile *p, const struct gcal_explain_access *a,
                          double sector_bytes, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < p->n_entries && rc == 0; i++) {
        struct gcal_profile_entry *e = &p->entries[i];

        if (!gcal_explain_same_place(e, a->entry))
            continue;
        if (e->kind == GCAL_FEATURE_SECTOR)
            rc = set_count(e, false, a->wanted_bytes / sector_bytes, err);
        else if (e->kind == GCAL_FEATURE_LINE || e->kind == GCAL_FEATURE_CACHE_PASS)
            rc = set_count(e, false, fmax(a->executions, a->wanted_bytes / 128), err);
        else if (e->kind == GCAL_FEATURE_PARTIAL_SECTOR)
            rc = set_count(e, false, 0, err);
    }
    return rc;
}

/* What loops and sub-groups touch of the array shrinks with it. */
static int coalesce_array(struct gcal_profile *p, const struct gcal_explain_access *a,
                          double all_sectors, double sector_bytes, struct gcal_error *err)
{
    double less = a->sectors - a->wanted_bytes / sector_bytes;
    int rc = 0;

    for (size_t i = 0; i < p->n_entries && rc == 0; i++) {
        struct gcal_profile_entry *e = &p->entries[i];

        if (gcal_explain_same_array(e, a->entry) &&
            (e->kind == GCAL_FEATURE_LOOP_SECTOR ||
             e->kind == GCAL_FEATURE_FOOTPRINT_SUB_GROUP))
            rc = set_count(e, true, 1 - less / all_sectors, err);
    }
    return rc;
}

static double sectors_of_array(const struct gcal_explain_case *c,
                               const struct gcal_profile_entry *entry)
{
    double sum = 0;

    for (size_t i = 0; i < c->accesses.n_accesses; i++)
        if (gcal_explain_same_array(c->accesses.accesses[i].entry, entry))
            sum += c->accesses.accesses[i].sectors;
    return sum;
}

static int advise_access(const struct gcal_explain_case *c,
                         const struct gcal_explain_access *a,
                         struct gcal_explain_changes *changes, struct gcal_error *err)
{
    const struct gcal_profile_entry *e = a->entry;
    double sector_bytes = c->accesses.sector_bytes;
    struct gcal_profile *p;
    int rc;

    if (!(a->wanted_bytes < 0.75 * a->sectors * sector_bytes) || !(a->wanted_bytes > 0))
        return 0;
    if (!(p = gcal_profile_copy(c->subject->target.profile, err)))
        return -1;
    rc = coalesce_place(p, a, sector_bytes, err) < 0 ||
                 coalesce_array(p, a, sectors_of_array(c, e), sector_bytes, err) < 0
             ? -1
             : gcal_explain_changes_add_profile(
                   changes, c, p,
                   gcal_buf_format("%d:%d: neighbours %s neighbouring elements of %s",
                                   e->line, e->column,
                                   e->direction == GCAL_FEATURE_STORE ? "store" : "load",
                                   e->array),
                   err);
    gcal_profile_destroy(p);
    return rc;
}

static int advise_accesses(const struct gcal_explain_case *c,
                           struct gcal_explain_changes *changes, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < c->accesses.n_accesses && rc == 0; i++)
        rc = advise_access(c, &c->accesses.accesses[i], changes, err);
    return rc;
}

/* Passes over the banks of local memory: one for each access. */
static int advise_banks(const struct gcal_explain_case *c,
                        struct gcal_explain_changes *changes, struct gcal_error *err)
{
    struct gcal_profile *p = gcal_profile_copy(c->subject->target.profile, err);
    size_t n = 0, line = 0;
    int rc = p ? 0 : -1;

    for (size_t i = 0; i < c->accesses.n_accesses && rc == 0; i++) {
        const struct gcal_explain_access *a = &c->accesses.accesses[i];

        if (a->entry->space != GCAL_FEATURE_SPACE_LOCAL ||
            !(a->passes > 1.01 * a->executions))
            continue;
        for (size_t k = 0; k < p->n_entries && rc == 0; k++)
            if (p->entries[k].kind == GCAL_FEATURE_LOCAL_PASS &&
                gcal_explain_same_place(&p->entries[k], a->entry))
                rc = set_count(&p->entries[k], false, a->executions, err);
        line = line ? line : (size_t)a->entry->line;
        n++;
    }
    if (rc == 0 && n)
        rc = gcal_explain_changes_add_profile(
            changes, c, p,
            gcal_buf_format("no bank conflicts (line %zu%s)", line,
                            n > 1 ? " and others" : ""),
            err);
    gcal_profile_destroy(p);
    return rc;
}

/* All counts of a kind times a factor. */
static int advise_kind(const struct gcal_explain_case *c, enum gcal_feature_kind kind,
                       double factor, const char *what,
                       struct gcal_explain_changes *changes, struct gcal_error *err)
{
    struct gcal_profile *p = gcal_profile_copy(c->subject->target.profile, err);
    bool found = false;
    int rc = p ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < p->n_entries; i++)
        if (p->entries[i].kind == kind) {
            found = true;
            rc = set_count(&p->entries[i], true, factor, err);
        }
    if (rc == 0 && found)
        rc = gcal_explain_changes_add_profile(changes, c, p, strdup(what), err);
    gcal_profile_destroy(p);
    return rc;
}

/* ---- less work ---- */

/* What is halved, in words where the model has an expression. */
static char *half_of(const struct gcal_explain_case *c,
                     const struct gcal_explain_cost *cost)
{
    const char *limit =
        cost->limit < c->lab.n_roofs ? c->lab.names[cost->limit + 1] : "time";

    switch (cost->label.unit) {
    case GCAL_EXPLAIN_BYTES:
        return gcal_buf_format("half of the bytes of %s (%s)", limit, cost->parameter);
    case GCAL_EXPLAIN_PASSES:
        return gcal_buf_format("half of the passes of %s (%s)", limit, cost->parameter);
    case GCAL_EXPLAIN_GROUPS:
        return strdup("half as many work-groups");
    case GCAL_EXPLAIN_ATOMICS:
        return gcal_buf_format("half of the atomic operations (%s)", cost->parameter);
    default:
        return gcal_buf_format("half of the operations %.60s", cost->label.counted);
    }
}

/* Bytes that the accesses want at least once, loads and stores; NaN: unknown. */
static double needed_bytes(const struct gcal_explain_accesses *a)
{
    double sum = 0;

    for (size_t i = 0; i < a->n_arrays; i++) {
        double wanted = 0;

        for (size_t k = 0; k < a->n_accesses; k++) {
            const struct gcal_profile_entry *e = a->accesses[k].entry;

            if (strcmp(e->array, a->arrays[i].entry->array) == 0 &&
                e->direction == a->arrays[i].entry->direction)
                wanted += a->accesses[k].wanted_bytes;
        }
        sum += fmin(wanted, a->arrays[i].launch * a->sector_bytes);
    }
    return a->n_arrays && a->sector_bytes > 0 ? sum : NAN;
}

/* Whether there are twice as many as are needed: fewer cannot be halved without leaving work
 * out.
 */
static bool may_be_halved(const struct gcal_explain_case *c,
                          const struct gcal_explain_cost *cost)
{
    double moved = cost->count * cost->per_unit;

    return cost->label.unit != GCAL_EXPLAIN_BYTES ||
           !(moved < 2 * needed_bytes(&c->accesses));
}

static int advise_costs(struct gcal_explain_case *c, struct gcal_explain_changes *changes,
                        struct gcal_error *err)
{
    struct gcal_explain_lab *lab = &c->lab;
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < c->limits.n_costs && n < MOST_CLASSES && rc == 0; i++) {
        const struct gcal_explain_cost *cost = &c->limits.costs[i];
        size_t parameter = gcal_explain_lab_parameter(lab, cost->parameter);

        if (cost->adds_s < LEAST_PART * c->limits.time_s)
            break;
        if (cost->label.unit == GCAL_EXPLAIN_NO_RATE || !may_be_halved(c, cost))
            continue;
        lab->parameters[parameter] /= 2;
        rc = gcal_explain_changes_add(changes, lab, half_of(c, cost), err);
        lab->parameters[parameter] *= 2;
        gcal_explain_lab_eval(lab);
        n++;
    }
    return rc;
}

/* Loads that wait for others: fewer rounds of more loads each. */
static int advise_rounds(struct gcal_explain_case *c,
                         struct gcal_explain_changes *changes, struct gcal_error *err)
{
    struct gcal_explain_lab *lab = &c->lab;
    size_t text = gcal_explain_lab_find(lab, "rounds");
    int rc;

    if (text == lab->n_texts || !(lab->values[text] > 1))
        return 0;
    lab->factors[text] = 0.5;
    gcal_explain_lab_eval(lab);
    rc = gcal_explain_changes_add(
        changes, lab,
        strdup("half as many rounds of loads that wait (more loads in flight: unrolled "
               "loops, wider loads, more work-items)"),
        err);
    lab->factors[text] = 1;
    gcal_explain_lab_eval(lab);
    return rc;
}

/* ---- other work-groups ---- */

/* A work-group of 'old' with each axis multiplied by 2^times; false: it is none. */
static bool resize(const size_t *old, size_t n_dims, const int *times, size_t *local)
{
    for (size_t d = 0; d < n_dims; d++) {
        local[d] = times[d] < 0 ? old[d] >> -times[d] : old[d] << times[d];
        if (!local[d] || (times[d] < 0 && local[d] << -times[d] != old[d]))
            return false;
    }
    return true;
}

/* 'global': its size, if it changes. */
static char *name_local(size_t n_dims, const size_t *local, const char *global)
{
    struct gcal_buf text = { 0 };

    for (size_t d = 0; d < n_dims; d++)
        gcal_buf_printf(&text, "%s%zu", d ? "x" : "work-groups of ", local[d]);
    if (global)
        gcal_buf_printf(&text, ", as many as now (--global '%s')", global);
    return gcal_buf_take(&text, NULL);
}

/* A launch that its assumptions exclude, or the device cannot run, is no advice: errors are
 * ignored.
 */
static void try_local(const struct gcal_explain_case *c,
                      const struct gcal_predict_subject_options *options,
                      const int *times, struct gcal_explain_changes *changes)
{
    const struct gcal_profile *old = c->subject->target.profile;
    size_t local[GCAL_MAX_DIMS] = { 0 };
    struct gcal_profile *p;
    char *global;

    if (!resize(old->local_size, old->n_dims, times, local) ||
        !(p = gcal_explain_recount(c, options, c->sizes, old->n_dims, local, &global,
                                   NULL)))
        return;
    gcal_explain_changes_add_profile(changes, c, p,
                                     name_local(old->n_dims, local, global), NULL);
    gcal_profile_destroy(p);
    free(global);
}

static int by_time(const void *a, const void *b)
{
    const struct gcal_explain_change *x = a, *y = b;

    return (x->time_s > y->time_s) - (x->time_s < y->time_s);
}

/* The best 'n' from 'first' on. */
static void keep(struct gcal_explain_changes *changes, size_t first, size_t n)
{
    if (changes->n > first)
        qsort(changes->all + first, changes->n - first, sizeof(*changes->all), by_time);
    while (changes->n > first + n)
        free(changes->all[--changes->n].what);
}

/* The best of a few, where the kernel does not know its work-group: it has no local memory. */
static void advise_local(const struct gcal_explain_case *c,
                         const struct gcal_predict_subject_options *options,
                         struct gcal_explain_changes *changes)
{
    static const int tries[][GCAL_MAX_DIMS] = {
        { -1, 0, 0 }, { 1, 0, 0 },  { 0, -1, 0 }, { 0, 1, 0 },
        { -1, 1, 0 }, { 1, -1, 0 }, { -2, 2, 0 }, { 2, -2, 0 },
    };
    const size_t n = c->subject->target.profile->n_dims == 1 ? 2 : 8, first = changes->n;

    if (!options->count.file || !options->count.n_dims || c->occupancy.local_bytes > 0)
        return;
    for (size_t i = 0; i < n; i++)
        try_local(c, options, tries[i], changes);
    keep(changes, first, 1);
}

/* ---- all ---- */

static void keep_best(struct gcal_explain_changes *changes, double time_s)
{
    size_t n = 0;

    keep(changes, 0, MOST_ADVICE);
    while (n < changes->n && changes->all[n].time_s < (1 - LEAST_GAIN) * time_s)
        n++;
    keep(changes, 0, n);
}

int gcal_explain_advise(struct gcal_explain_case *c,
                        const struct gcal_predict_subject_options *options,
                        struct gcal_explain_changes *changes, struct gcal_error *err)
{
    if (advise_resident(c, changes, err) < 0 || advise_accesses(c, changes, err) < 0 ||
        advise_banks(c, changes, err) < 0 || advise_costs(c, changes, err) < 0 ||
        advise_rounds(c, changes, err) < 0 ||
        advise_kind(c, GCAL_FEATURE_DIVERGENT_BRANCH, 0, "no branches that diverge",
                    changes, err) < 0 ||
        advise_kind(c, GCAL_FEATURE_BARRIER_LOCAL, 0.5, "half of the barriers", changes,
                    err) < 0)
        return -1;
    advise_local(c, options, changes);
    keep_best(changes, c->limits.time_s);
    return 0;
}
