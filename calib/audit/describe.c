/* describe.c - codes and texts of findings */
#include <math.h>
#include <string.h>

#include "calib/audit/private.h"
#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/median.h"

const char *gcal_audit_verdict_name(enum gcal_audit_verdict verdict)
{
    static const char *const names[] = {
        [GCAL_AUDIT_PASS] = "pass",       [GCAL_AUDIT_SUSPECT] = "suspect",
        [GCAL_AUDIT_WARN] = "warning",    [GCAL_AUDIT_FAIL] = "failure",
        [GCAL_AUDIT_UNKNOWN] = "unknown",
    };

    return names[verdict];
}

bool gcal_audit_needs_attention(enum gcal_audit_verdict verdict)
{
    return verdict == GCAL_AUDIT_SUSPECT || verdict == GCAL_AUDIT_WARN ||
           verdict == GCAL_AUDIT_FAIL;
}

/* ---- codes ---- */

const char *gcal_audit_code(enum gcal_audit_cause cause,
                            enum gcal_audit_category category, bool by_type)
{
    static const char *const categories[][2] = {
        [GCAL_AUDIT_ARITHMETIC] = { "GPUCAL-ARITHMETIC", "GPUCAL-TYPE-ARITHMETIC" },
        [GCAL_AUDIT_LOCAL_MEMORY] = { "GPUCAL-LOCAL-MEMORY", "GPUCAL-TYPE-LOCAL-MEMORY" },
        [GCAL_AUDIT_GLOBAL_MEMORY] = { "GPUCAL-GLOBAL-MEMORY",
                                       "GPUCAL-TYPE-GLOBAL-MEMORY" },
        [GCAL_AUDIT_BARRIER] = { "GPUCAL-BARRIER", "GPUCAL-TYPE-BARRIER" },
        [GCAL_AUDIT_WORK_GROUPS] = { "GPUCAL-WORK-GROUPS", "GPUCAL-TYPE-WORK-GROUPS" },
        [GCAL_AUDIT_LAUNCH] = { "GPUCAL-LAUNCH", "GPUCAL-TYPE-LAUNCH" },
        [GCAL_AUDIT_ONCHIP] = { "GPUCAL-ONCHIP", "GPUCAL-TYPE-ONCHIP" },
        [GCAL_AUDIT_SHAPE] = { "GPUCAL-OTHER", "GPUCAL-TYPE-OTHER" },
        [GCAL_AUDIT_TRANSFER] = { "GPUCAL-TRANSFER", "GPUCAL-TYPE-TRANSFER" },
        [GCAL_AUDIT_OTHER] = { "GPUCAL-OTHER", "GPUCAL-TYPE-OTHER" },
    };
    static const char *const causes[][2] = {
        [GCAL_AUDIT_EVERYTHING] = { "GPUCAL-EVERYTHING", "GPUCAL-TYPE-EVERYTHING" },
        [GCAL_AUDIT_CLOCK] = { "GPUCAL-CLOCK", "GPUCAL-TYPE-CLOCK" },
        [GCAL_AUDIT_BANDWIDTH] = { "GPUCAL-MEMORY-BANDWIDTH",
                                   "GPUCAL-TYPE-MEMORY-BANDWIDTH" },
        [GCAL_AUDIT_PATTERN] = { "GPUCAL-ACCESS-PATTERN", "GPUCAL-TYPE-ACCESS-PATTERN" },
        [GCAL_AUDIT_FASTER] = { "GPUCAL-FASTER", "GPUCAL-FASTER" },
        [GCAL_AUDIT_EPOCH] = { "GPUCAL-EPOCH", "GPUCAL-EPOCH" },
    };

    return cause == GCAL_AUDIT_ONE_CATEGORY ? categories[category][by_type]
                                            : causes[cause][by_type];
}

/* ---- what changed ---- */

/* The names of the parameters, each once, at most the first few. */
static void put_parameters(struct gcal_buf *buf, const struct gcal_audit_device *d,
                           const struct gcal_audit_finding *f)
{
    enum { MOST = 4 };
    size_t distinct = 0;

    for (size_t i = 0; i < f->n_series; i++) {
        const char *name = d->series[f->series[i]].column.parameter;
        size_t same = 0;

        while (strcmp(d->series[f->series[same]].column.parameter, name) != 0)
            same++;
        if (same < i)
            continue;
        if (distinct++ < MOST)
            gcal_buf_printf(buf, "%s%s", distinct > 1 ? ", " : "", name);
    }
    if (distinct > MOST)
        gcal_buf_printf(buf, " and %zu more", distinct - MOST);
}

static void put_slower(struct gcal_buf *buf, const struct gcal_audit_device *d,
                       const struct gcal_audit_finding *f, bool by_type)
{
    const char *than = by_type ? " than other devices of its type" : "";

    /* Changes of the newest calibration alone, against the reference: the median over the costs
     * is said; NaN: unknown.
     */
    double *changes = gcal_arena_alloc(d->arena, f->n_series, sizeof(*changes));
    size_t n = 0;
    for (size_t i = 0; i < f->n_series; i++) {
        const struct gcal_audit_series *s = &d->series[f->series[i]];
        double change =
            s->newest < d->n_runs ? s->value[s->newest] / s->reference - 1 : NAN;

        if (isfinite(change))
            changes[n++] = change;
    }
    double newest = gcal_median(changes, n);
    if (f->change >= 1)
        gcal_buf_printf(buf, " slower by a factor of %.2f%s", 1 + f->change, than);
    else
        gcal_buf_printf(buf, " slower by %.1f %%%s", 100 * f->change, than);
    /* The level since the change began is behind one that goes on. */
    if (!by_type && fabs(newest - f->change) > fmax(0.02, 0.25 * fabs(f->change)))
        gcal_buf_printf(buf,
                        " since the change began; by %.1f %% in the newest calibration",
                        100 * newest);
}

static void put_epoch(struct gcal_buf *buf, const struct gcal_audit_device *d,
                      const struct gcal_audit_finding *f)
{
    const struct gcal_audit_series *most = NULL;
    size_t moved = 0;

    gcal_buf_printf(buf, "%s", d->epoch_description[d->epoch[d->n_runs - 1]]);
    for (size_t i = 0; i < f->n_series; i++) {
        const struct gcal_audit_series *s = &d->series[f->series[i]];

        moved += fabs(s->driver_change) > 6 * s->repeatability;
        if (!most || fabs(log1p(s->driver_change)) > fabs(log1p(most->driver_change)))
            most = s;
    }
    if (!most)
        gcal_buf_puts(buf, ": no cost in common with the previous epoch");
    else
        gcal_buf_printf(buf,
                        ": %zu of %zu costs changed, median %+.1f %%, most %s by "
                        "%+.1f %%",
                        moved, f->n_series, 100 * f->change, most->column.parameter,
                        100 * most->driver_change);
    /* Models that are published, but were not measured since. */
    size_t begin = gcal_audit_epoch_begin(d);
    const char *last = "";
    for (size_t i = 0; i < d->n_series; i++) {
        const struct gcal_audit_series *s = &d->series[i];

        if (s->newest >= begin || strcmp(s->column.model, last) == 0)
            continue;
        gcal_buf_printf(buf, "%s%s", *last ? ", " : "; not measured since: model ",
                        s->column.model);
        last = s->column.model;
    }
}

static void put_what(struct gcal_buf *buf, const struct gcal_audit_device *d,
                     const struct gcal_audit_finding *f, enum gcal_audit_cause cause,
                     enum gcal_audit_category category, bool by_type)
{
    switch (cause) {
    case GCAL_AUDIT_EVERYTHING:
        gcal_buf_puts(buf, "everything (global memory and on-chip work alike)");
        put_slower(buf, d, f, by_type);
        return;
    case GCAL_AUDIT_CLOCK:
        gcal_buf_puts(buf, "all on-chip work (but not global memory)");
        put_slower(buf, d, f, by_type);
        return;
    case GCAL_AUDIT_BANDWIDTH:
        gcal_buf_puts(buf, "global memory (all access patterns alike)");
        put_slower(buf, d, f, by_type);
        return;
    case GCAL_AUDIT_FASTER:
        gcal_buf_printf(buf, "%zu cost%s faster by %.1f %%: ", f->n_series,
                        f->n_series > 1 ? "s" : "", -100 * f->change);
        put_parameters(buf, d, f);
        return;
    case GCAL_AUDIT_EPOCH:
        put_epoch(buf, d, f);
        return;
    case GCAL_AUDIT_PATTERN:
        gcal_buf_puts(buf, "some accesses to global memory");
        break;
    case GCAL_AUDIT_ONE_CATEGORY:
        gcal_buf_puts(buf, category == GCAL_AUDIT_OTHER
                               ? "some costs"
                               : gcal_audit_category_name(category));
        break;
    }
    gcal_buf_puts(buf, " (");
    put_parameters(buf, d, f);
    gcal_buf_puts(buf, ")");
    put_slower(buf, d, f, by_type);
}

/* ---- what to do ---- */

/* The tag of the catalogue's kernels that measure the cause alone. */
static const char *kernels_for(enum gcal_audit_cause cause,
                               enum gcal_audit_category category)
{
    static const char *const tags[] = {
        [GCAL_AUDIT_ARITHMETIC] = "flops_madd_pattern",
        [GCAL_AUDIT_LOCAL_MEMORY] = "lmem_move_pattern",
        [GCAL_AUDIT_GLOBAL_MEMORY] = "gmem_copy_pattern",
        [GCAL_AUDIT_BARRIER] = "barrier_pattern",
        [GCAL_AUDIT_WORK_GROUPS] = "empty_kernel",
        [GCAL_AUDIT_LAUNCH] = "empty_kernel",
        [GCAL_AUDIT_ONCHIP] = "flops_madd_pattern",
        [GCAL_AUDIT_SHAPE] = "gmem_copy_pattern",
        [GCAL_AUDIT_TRANSFER] = "transfer_to_device",
        [GCAL_AUDIT_OTHER] = "gmem_copy_pattern",
    };

    if (cause == GCAL_AUDIT_CLOCK)
        return "flops_madd_pattern";
    return cause == GCAL_AUDIT_ONE_CATEGORY ? tags[category] : "gmem_copy_pattern";
}

static const char *query_for(const struct gcal_audit_device *d,
                             enum gcal_audit_cause cause)
{
    bool nvidia = strncmp(d->type, "nvidia", strlen("nvidia")) == 0;
    bool memory = cause == GCAL_AUDIT_BANDWIDTH || cause == GCAL_AUDIT_PATTERN;

    if (strncmp(d->type, "amd", strlen("amd")) == 0)
        return memory ? "rocm-smi --showmemuse --showclocks --showrasinfo all"
                      : "rocm-smi --showclocks --showpower --showtemp";
    if (!nvidia)
        return memory ? "dmesg -T | grep -i -e edac -e ecc"
                      : "cpupower frequency-info; sensors";
    return memory ? "nvidia-smi -q -d ECC,ROW_REMAPPER,CLOCK"
                  : "nvidia-smi -q -d CLOCK,PERFORMANCE,POWER,TEMPERATURE";
}

static void put_next(struct gcal_buf *buf, const struct gcal_audit_device *d,
                     const struct gcal_audit_finding *f, enum gcal_audit_cause cause,
                     enum gcal_audit_category category)
{
    if (cause == GCAL_AUDIT_FASTER) {
        gcal_buf_puts(buf, "no action needed; perhaps a power or clock limit was raised, "
                           "or a fault repaired");
        return;
    }
    if (cause == GCAL_AUDIT_EPOCH) {
        gcal_buf_puts(buf, "no action needed; calibrations since then are compared with "
                           "each other");
        return;
    }
    if (d->is_type) {
        gcal_buf_printf(buf, "compare its fits: gpucal show --history --type %s",
                        d->type);
        return;
    }
    if (f->verdict == GCAL_AUDIT_SUSPECT) {
        gcal_buf_printf(buf, "calibrate %s again to confirm or dismiss it", d->node);
        return;
    }
    gcal_buf_printf(buf,
                    "on %s and a good node of the type: gpucal kernels %s --run; on %s: "
                    "%s%s",
                    d->node, kernels_for(cause, category), d->node, query_for(d, cause),
                    f->verdict == GCAL_AUDIT_FAIL ? "; drain it until it is repaired"
                                                  : "");
}

void gcal_audit_describe(const struct gcal_audit_device *device,
                         struct gcal_audit_finding *finding, enum gcal_audit_cause cause,
                         enum gcal_audit_category category, bool by_type)
{
    struct gcal_buf buf = { 0 };

    put_what(&buf, device, finding, cause, category, by_type);
    finding->what = gcal_arena_take(device->arena, &buf);
    put_next(&buf, device, finding, cause, category);
    finding->next = gcal_arena_take(device->arena, &buf);
}
