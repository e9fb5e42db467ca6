/* device.c - a device's section: findings and plots */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "mpi/commands/audit/page/plot.h"
#include "mpi/commands/audit/page/private.h"

void gcal_page_section_clear(struct gcal_page_section *section)
{
    gcal_page_part_clear(&section->main);
    gcal_page_part_clear(&section->plots);
}

/* ---- findings ---- */

static void put_finding(struct gcal_buf *html, const struct gcal_audit_device *device,
                        const struct gcal_audit_finding *f)
{
    bool has_since = f->since < device->n_runs;
    bool has_interval = isfinite(f->change_low) && isfinite(f->change_high);
    size_t after = has_since ? device->n_runs - f->since - 1 : 0;
    const struct gcal_page_value values[] = {
        TEXT("what", f->what),
        TEXT("since", has_since ? device->run[f->since]->utc : ""),
        NUMBER("n_before", f->since),
        NUMBER("run", f->since + 1),
        NUMBER("n_runs", device->n_runs),
        NUMBER("n_after", after),
        NUMBER("verdict", f->verdict),
        NUMBER("change", f->change),
        NUMBER("has_interval", has_interval),
        NUMBER("low", f->change_low),
        NUMBER("high", f->change_high),
        NUMBER("has_chance", f->verdict != GCAL_AUDIT_PASS),
        NUMBER("false_alarm", f->false_alarm),
        TEXT("code", f->code),
        TEXT("next", f->next),
        { 0 }
    };

    gcal_page_fill(html, "finding.html", values);
}

static void put_epochs(struct gcal_buf *html, const struct gcal_audit_device *device)
{
    char mark[24];

    for (size_t i = 1; i < device->n_runs; i++) {
        size_t epoch = device->epoch[i];
        const struct gcal_page_value values[] = {
            TEXT("mark", gcal_plot_mark(epoch, mark)),
            TEXT("utc", device->run[i]->utc),
            TEXT("what", device->epoch_description[epoch]),
            { 0 }
        };

        if (epoch != device->epoch[i - 1])
            gcal_page_fill(html, "epoch.html", values);
    }
}

/* ---- plots ---- */

/* The caption of a plot, large or small. */
static void put_caption(struct gcal_buf *html, const char *asset,
                        const struct gcal_audit_series *s)
{
    bool has_interval = isfinite(s->change_low) && isfinite(s->change_high);
    bool has_category = s->category != GCAL_AUDIT_OTHER;
    bool has_reference = isfinite(s->reference);
    char reference[GCAL_UNITS_SIZE];

    gcal_units(s->reference, s->column.unit, reference);
    gcal_page_fill(
        html, asset,
        (const struct gcal_page_value[]){
            TEXT("parameter", s->column.parameter),
            TEXT("model", s->column.model),
            TEXT("category", has_category ? gcal_audit_category_name(s->category) : ""),
            TEXT("reference", has_reference ? reference : ""),
            NUMBER("change", s->change),
            NUMBER("has_interval", has_interval),
            NUMBER("low", s->change_low),
            NUMBER("high", s->change_high),
            NUMBER("has_type", isfinite(s->against_type)),
            NUMBER("against_type", s->against_type),
            { 0 } });
}

/* The largest change of the series in units of its repeatability. */
static double clarity(const struct gcal_audit_series *s)
{
    double far = fmax(fabs(s->change), fabs(s->driver_change)); /* NaN does not count */

    if (s->by_type)
        far = fmax(far, fabs(s->against_type));
    far /= isfinite(s->repeatability) ? s->repeatability : 1;
    return isfinite(far) ? far : 0;
}

/* The clearest series of the finding that is not drawn yet; SIZE_MAX: none. */
static size_t clearest(const struct gcal_audit_device *device,
                       const struct gcal_audit_finding *f, const bool *drawn)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < f->n_series; i++) {
        size_t k = f->series[i];

        if (!drawn[k] && gcal_plot_has(device, k) &&
            (best == SIZE_MAX ||
             clarity(&device->series[k]) > clarity(&device->series[best])))
            best = k;
    }
    return best;
}

/* Draws the clearest series of the findings in turns, so that a finding with many
 * parameters leaves room for the others.  Marks them in 'drawn'.
 */
static void put_histories(struct gcal_buf *html, struct gcal_buf *script,
                          const struct gcal_audit_device *device,
                          const struct gcal_audit_output_options *about, bool *drawn)
{
    size_t left = GCAL_PAGE_LARGE_PLOTS, before;

    do {
        before = left;
        for (size_t i = 0; i < device->n_findings && left; i++) {
            size_t series = clearest(device, &device->findings[i], drawn);

            if (series == SIZE_MAX)
                continue;
            drawn[series] = true;
            put_caption(html, "history.html", &device->series[series]);
            gcal_plot_history(script, device, series, &about->policy);
            left--;
        }
    } while (left && left < before);
}

/* ---- small plots ---- */

struct order {
    size_t series;
    int severity;
    double change;
};

static int worst_first(const void *a, const void *b)
{
    const struct order *x = a, *y = b;

    if (x->severity != y->severity)
        return y->severity - x->severity;
    if (x->change != y->change)
        return x->change > y->change ? -1 : 1;
    return x->series < y->series ? -1 : 1;
}

/* The series with values that are not drawn yet, the worst first. */
static size_t order_rest(const struct gcal_audit_device *device, const bool *drawn,
                         struct order *order)
{
    size_t n = 0;

    for (size_t i = 0; i < device->n_series; i++) {
        const struct gcal_audit_series *s = &device->series[i];

        if (!drawn[i] && gcal_plot_has(device, i))
            order[n++] =
                (struct order){ .series = i,
                                .severity = gcal_page_severity(s->verdict),
                                .change = isfinite(s->change) ? fabs(s->change) : 0 };
    }
    if (n)
        qsort(order, n, sizeof(*order), worst_first);
    return n;
}

static void put_smalls(struct gcal_buf *html, struct gcal_buf *script,
                       const struct gcal_audit_device *device,
                       const struct gcal_audit_output_options *about, const bool *drawn)
{
    struct order *order = calloc(device->n_series + 1, sizeof(*order));
    size_t n = order ? order_rest(device, drawn, order) : 0;
    size_t n_put = n < GCAL_PAGE_SMALL_PLOTS ? n : GCAL_PAGE_SMALL_PLOTS;
    struct gcal_buf plots = { 0 };

    for (size_t i = 0; i < n_put; i++) {
        put_caption(&plots, "small.html", &device->series[order[i].series]);
        gcal_plot_small(script, device, order[i].series, &about->policy);
    }
    if (n)
        gcal_page_fill(html, "smalls.html",
                       (const struct gcal_page_value[]){ TEXT("plots", plots.data),
                                                         NUMBER("n_more", (n - n_put)),
                                                         { 0 } });
    html->failed |= !order || plots.failed;
    gcal_buf_free(&plots);
    free(order);
}

/* ---- the section ---- */

static void put_device(struct gcal_page_section *section,
                       const struct gcal_audit_device *device)
{
    const struct gcal_track_run *newest = device->run[device->n_runs - 1];
    struct gcal_buf findings = { 0 };

    for (size_t i = 0; i < device->n_findings; i++)
        put_finding(&findings, device, &device->findings[i]);
    gcal_page_fill(&section->main.html, "device.html",
                   (const struct gcal_page_value[]){ NUMBER("row", section->row),
                                                     NUMBER("verdict", device->verdict),
                                                     TEXT("node", device->node),
                                                     TEXT("name", device->name),
                                                     TEXT("uid", device->uid),
                                                     TEXT("driver", newest->driver),
                                                     NUMBER("n_runs", device->n_runs),
                                                     TEXT("oldest", device->run[0]->utc),
                                                     TEXT("newest", newest->utc),
                                                     TEXT("findings", findings.data),
                                                     { 0 } });
    section->main.html.failed |= findings.failed;
    gcal_buf_free(&findings);
}

static void put_plots(struct gcal_page_part *part, const struct gcal_audit_device *device,
                      const struct gcal_audit_output_options *about, bool *drawn)
{
    struct gcal_buf parts[4] = { 0 };

    put_histories(&parts[0], &part->script, device, about, drawn);
    put_epochs(&parts[1], device);
    put_smalls(&parts[2], &part->script, device, about, drawn);
    gcal_page_parameters(&parts[3], device);
    gcal_page_fill(&part->html, "device_plots.html",
                   (const struct gcal_page_value[]){ TEXT("histories", parts[0].data),
                                                     TEXT("epochs", parts[1].data),
                                                     TEXT("smalls", parts[2].data),
                                                     TEXT("parameters", parts[3].data),
                                                     { 0 } });
    for (size_t i = 0; i < 4; i++) {
        part->html.failed |= parts[i].failed;
        gcal_buf_free(&parts[i]);
    }
}

int gcal_page_section_make(struct gcal_page_section *section,
                           const struct gcal_audit_device *device, size_t row,
                           const struct gcal_audit_output_options *about,
                           struct gcal_error *err)
{
    bool *drawn = calloc(device->n_series + 1, sizeof(*drawn));
    bool failed = !drawn;

    *section = (struct gcal_page_section){ .row = row };
    if (drawn) {
        put_device(section, device);
        put_plots(&section->plots, device, about, drawn);
    }
    free(drawn);
    failed |= section->main.html.failed || section->plots.html.failed ||
              section->plots.script.failed;
    if (!failed)
        return 0;
    gcal_page_section_clear(section);
    return gcal_error_memory(err);
}
