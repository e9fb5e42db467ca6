/* text.c - an audit as text */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/commands/audit/output/output.h"

/* The summary is printed first but known last: devices are buffered. */
struct text {
    const struct gcal_audit_output_options *about;
    struct gcal_buf buf;
    size_t n_shown, n_epochs, n_faster;
};

static bool has_code(const struct gcal_audit_device *d, const char *code)
{
    for (size_t i = 0; i < d->n_findings; i++)
        if (strcmp(d->findings[i].code, code) == 0)
            return true;
    return false;
}

static void put_chance(struct gcal_buf *buf, double chance)
{
    if (chance < 1e-9)
        gcal_buf_puts(buf, "p < 1e-9");
    else
        gcal_buf_printf(buf, "p = %.1g", chance);
}

static void put_finding(struct gcal_buf *buf, const struct gcal_audit_device *d,
                        const struct gcal_audit_finding *f)
{
    gcal_buf_printf(buf, "  %-8s %s: %s\n", gcal_audit_verdict_name(f->verdict), f->code,
                    f->what);
    if (f->since < d->n_runs) {
        gcal_buf_printf(buf, "           since run %s (%s)", d->run[f->since]->run_id,
                        d->run[f->since]->utc);
        if (!isnan(f->change_low))
            gcal_buf_printf(buf, ", %+.1f to %+.1f %%, ", 100 * f->change_low,
                            100 * f->change_high);
        if (!isnan(f->change_low))
            put_chance(buf, f->false_alarm);
        gcal_buf_puts(buf, "\n");
    }
    gcal_buf_printf(buf, "           next: %s\n", f->next);
}

static void put_findings(struct text *t, const struct gcal_audit_device *d)
{
    for (size_t i = 0; i < d->n_findings; i++)
        if (t->about->all || gcal_audit_needs_attention(d->findings[i].verdict))
            put_finding(&t->buf, d, &d->findings[i]);
}

static int text_device(void *context, const struct gcal_audit_device *d,
                       struct gcal_error *err)
{
    struct text *t = context;
    bool news = gcal_audit_needs_attention(d->verdict);

    (void)err;
    t->n_epochs += has_code(d, "GPUCAL-EPOCH");
    t->n_faster += has_code(d, "GPUCAL-FASTER");
    if (!news && !t->about->all)
        return 0;
    t->n_shown++;
    gcal_buf_printf(&t->buf, "%s %s (%s): %s, %zu calibration%s", d->node, d->name,
                    d->uid, gcal_audit_verdict_name(d->verdict), d->n_runs,
                    d->n_runs == 1 ? "" : "s");
    if (d->verdict == GCAL_AUDIT_UNKNOWN)
        gcal_buf_printf(&t->buf, ", %zu under today's conditions", d->n_epoch_runs);
    gcal_buf_puts(&t->buf, "\n");
    put_findings(t, d);
    return 0;
}

static int text_type(void *context, const struct gcal_audit_fits *fits,
                     struct gcal_error *err)
{
    const struct gcal_audit_device *d = fits->device;
    struct text *t = context;

    (void)err;
    if (!gcal_audit_needs_attention(d->verdict) && !t->about->all)
        return 0;
    t->n_shown++;
    gcal_buf_printf(&t->buf, "type %s: %s, %zu fit%s\n", d->type,
                    gcal_audit_verdict_name(d->verdict), fits->n,
                    fits->n == 1 ? "" : "s");
    put_findings(t, d);
    return 0;
}

static void print_summary(const struct text *t, const struct gcal_audit_summary *s)
{
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
}

static void print_unread(const struct gcal_audit_summary *s)
{
    for (size_t i = 0; i < s->n_unread; i++)
        printf("%s: not audited: %s\n", s->unread[i].node, s->unread[i].why);
    if (s->n_unread)
        printf("         next: restore these files, or move them away to start a new "
               "history of their nodes\n");
}

static int text_end(void *context, const struct gcal_audit_summary *summary,
                    struct gcal_error *err)
{
    struct text *t = context;
    char *text;

    print_summary(t, summary);
    print_unread(summary);
    if (!t->n_shown)
        return 0;
    if (!(text = gcal_buf_take(&t->buf, err)))
        return -1;
    fputs(text, stdout);
    free(text);
    return 0;
}

static void text_destroy(void *context)
{
    struct text *t = context;

    gcal_buf_free(&t->buf);
    free(t);
}

int gcal_audit_output_text(const struct gcal_audit_output_options *about,
                           struct gcal_audit_output *output, struct gcal_error *err)
{
    struct text *t = calloc(1, sizeof(*t));

    if (!t)
        return gcal_error_memory(err);
    t->about = about;
    *output = (struct gcal_audit_output){
        .context = t,
        .device = text_device,
        .type = text_type,
        .end = text_end,
        .destroy = text_destroy,
    };
    return 0;
}
