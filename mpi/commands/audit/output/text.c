/* text.c - an audit as text */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/commands/audit/output/output.h"

/* The summary is printed first but known last: devices are buffered. */
struct text {
    const struct gcal_audit_output_options *about;
    struct gcal_arena *arena;
    struct gcal_buf buf;
    size_t n_epochs, n_faster;
};

static bool has_code(const struct gcal_audit_device *d, const char *code)
{
    for (size_t i = 0; i < d->n_findings; i++)
        if (strcmp(d->findings[i].code, code) == 0)
            return true;
    return false;
}

static void put_findings(struct text *t, const struct gcal_audit_device *d)
{
    for (size_t i = 0; i < d->n_findings; i++) {
        const struct gcal_audit_finding *f = &d->findings[i];

        if (!t->about->all && !gcal_audit_needs_attention(f->verdict))
            continue;
        gcal_buf_printf(&t->buf, "  %-8s %s: %s\n", gcal_audit_verdict_name(f->verdict),
                        f->code, f->what);
        if (f->since < d->n_runs) {
            gcal_buf_printf(&t->buf, "           since run %s (%s)",
                            d->run[f->since]->run_id, d->run[f->since]->utc);
            if (!isnan(f->change_low)) {
                gcal_buf_printf(&t->buf, ", %+.1f to %+.1f %%, ", 100 * f->change_low,
                                100 * f->change_high);
                if (f->false_alarm < 1e-9)
                    gcal_buf_puts(&t->buf, "p < 1e-9");
                else
                    gcal_buf_printf(&t->buf, "p = %.1g", f->false_alarm);
            }
            gcal_buf_puts(&t->buf, "\n");
        }
        gcal_buf_printf(&t->buf, "           next: %s\n", f->next);
    }
}

static int put_device(void *context, const struct gcal_audit_device *d,
                      struct gcal_error *err)
{
    struct text *t = context;

    (void)err;
    t->n_epochs += has_code(d, "GPUCAL-EPOCH");
    t->n_faster += has_code(d, "GPUCAL-FASTER");
    if (!gcal_audit_needs_attention(d->verdict) && !t->about->all)
        return 0;
    gcal_buf_printf(&t->buf, "%s %s (%s): %s, %zu calibration%s", d->node, d->name,
                    d->uid, gcal_audit_verdict_name(d->verdict), d->n_runs,
                    d->n_runs == 1 ? "" : "s");
    if (d->verdict == GCAL_AUDIT_UNKNOWN)
        gcal_buf_printf(&t->buf, ", %zu under today's conditions", d->n_epoch_runs);
    gcal_buf_puts(&t->buf, "\n");
    put_findings(t, d);
    return 0;
}

static void put_type(void *context, const struct gcal_audit_fits *fits)
{
    const struct gcal_audit_device *d = fits->device;
    struct text *t = context;

    if (!gcal_audit_needs_attention(d->verdict) && !t->about->all)
        return;
    gcal_buf_printf(&t->buf, "type %s: %s, %zu fit%s\n", d->type,
                    gcal_audit_verdict_name(d->verdict), fits->n,
                    fits->n == 1 ? "" : "s");
    put_findings(t, d);
}

static void print_kernels(const struct gcal_observed *o)
{
    for (size_t i = 0; o && i < o->n; i++) {
        const struct gcal_observed_kernel *k = &o->kernels[i];
        bool is_slower = k->ratio > 1;

        if (!k->drifts)
            continue;
        printf(
            "%s %s (%s): kernel %s takes %.2f times what was learned (%zu times at %zu "
            "size%s)%s\n",
            k->node, k->device, k->uid, k->kernel, k->ratio, k->n_times, k->n_sizes,
            k->n_sizes == 1 ? "" : "s",
            k->all_drift ? ", and so do all that were observed there" : "");
        printf("  %-8s %s: %s\n", is_slower ? "warning" : "pass",
               k->all_drift ? "GPUCAL-ALL-KERNELS" : "GPUCAL-KERNEL",
               k->all_drift ? "the device has changed, or is busy; next: calibrate it"
                            : "what it runs on data has changed, or its counts have not; "
                              "next: learn it again");
    }
}

static int print_all(void *context, const struct gcal_audit_summary *s,
                     struct gcal_error *err)
{
    struct text *t = context;

    (void)err;
    printf("%zu node%s, %zu device%s, %zu calibration%s:", s->n_nodes,
           s->n_nodes == 1 ? "" : "s", s->n_devices, s->n_devices == 1 ? "" : "s",
           s->n_runs, s->n_runs == 1 ? "" : "s");
    for (int v = 0; v <= GCAL_AUDIT_UNKNOWN; v++)
        printf("%s %zu %s", v ? "," : "", s->n_verdicts[v],
               gcal_audit_verdict_name((enum gcal_audit_verdict)v));
    printf("\n");
    if (s->n_verdicts[GCAL_AUDIT_UNKNOWN])
        printf(
            "unknown: a device needs %d calibrations with one driver, configuration and "
            "version of gpucal\n",
            GCAL_AUDIT_LEAST_RUNS);
    if (!t->about->all && (t->n_epochs || t->n_faster))
        printf("%zu recalibrated after a change of driver, gpucal or configuration, %zu "
               "faster (--all lists them)\n",
               t->n_epochs, t->n_faster);
    for (size_t i = 0; i < s->n_unread; i++)
        printf("%s: not audited: %s\n", s->unread[i].node, s->unread[i].why);
    if (s->n_unread)
        printf("         next: restore these files, or move them away to start a new "
               "history of their nodes\n");
    if (t->buf.size)
        fputs(gcal_arena_take(t->arena, &t->buf), stdout);
    print_kernels(t->about->observed);
    return 0;
}

static void release_text(void *context)
{
    gcal_buf_free(&((struct text *)context)->buf);
}

struct gcal_audit_output
gcal_audit_output_text(struct gcal_arena *arena,
                       const struct gcal_audit_output_options *about)
{
    struct text *t = gcal_arena_alloc(arena, 1, sizeof(*t));

    t->about = about;
    t->arena = arena;
    gcal_arena_own(arena, t, release_text);
    return (struct gcal_audit_output){
        .context = t, .device = put_device, .type = put_type, .end = print_all
    };
}
