/* device.c - a device's section: findings and plots */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/units.h"
#include "mpi/audit/page/page.h"
#include "mpi/audit/page/plot.h"
#include "mpi/cli/escape.h"

void gcal_page_section_clear(struct gcal_page_section *section)
{
    gcal_page_part_clear(&section->main);
    gcal_page_part_clear(&section->small);
    gcal_page_part_clear(&section->table);
}

/* ---- head and findings ---- */

static void put_head(struct gcal_buf *html, const struct gcal_audit_device *device,
                     size_t row)
{
    const struct gcal_track_run *newest = device->run[device->n_runs - 1];

    gcal_buf_printf(html, "<section class=\"device\" id=\"d%zu\">\n<h2>", row);
    gcal_page_verdict(html, device->verdict);
    gcal_buf_puts(html, " ");
    gcal_escape_html(html, device->node);
    gcal_buf_puts(html, " <span class=\"quiet\">");
    gcal_escape_html(html, device->name);
    gcal_buf_puts(html, "</span></h2>\n<p class=\"facts\">");
    gcal_escape_html(html, device->uid);
    gcal_buf_puts(html, " &middot; driver ");
    gcal_escape_html(html, newest->driver);
    gcal_buf_puts(html, " &middot; ");
    gcal_page_count(html, device->n_runs, "calibration");
    gcal_buf_puts(html, ", ");
    gcal_page_utc(html, device->run[0]->utc);
    gcal_buf_puts(html, " to ");
    gcal_page_utc(html, newest->utc);
    gcal_buf_puts(html, " UTC</p>\n");
}

static void put_since(struct gcal_buf *html, const struct gcal_audit_device *device,
                      size_t since)
{
    size_t runs = device->n_runs - since;

    if (since >= device->n_runs)
        return;
    gcal_buf_puts(html, ", since ");
    gcal_page_utc(html, device->run[since]->utc);
    if (since == 0)
        gcal_buf_puts(html, ", its first calibration");
    else
        gcal_buf_printf(html, " (run %zu of %zu, %zu run%s ago)", since + 1,
                        device->n_runs, runs - 1, runs == 2 ? "" : "s");
}

static void put_interval(struct gcal_buf *html, double low, double high)
{
    if (!isfinite(low) || !isfinite(high))
        return;
    gcal_buf_puts(html, " (90&nbsp;%: ");
    gcal_page_percent(html, low);
    gcal_buf_puts(html, " to ");
    gcal_page_percent(html, high);
    gcal_buf_puts(html, ")");
}

/* What changed, since when, how sure that is, and what to do. */
static void put_finding(struct gcal_buf *html, const struct gcal_audit_device *device,
                        const struct gcal_audit_finding *f)
{
    gcal_buf_puts(html, "<div class=\"finding\"><p><strong>");
    gcal_escape_html(html, f->what);
    gcal_buf_puts(html, "</strong>");
    put_since(html, device, f->since);
    gcal_buf_puts(html, "</p><p class=\"facts\">");
    gcal_page_verdict(html, f->verdict);
    gcal_buf_puts(html, " &middot; change ");
    gcal_page_percent(html, f->change);
    put_interval(html, f->change_low, f->change_high);
    if (f->verdict != GCAL_AUDIT_PASS) {
        gcal_buf_puts(html, " &middot; by chance: ");
        gcal_page_probability(html, f->false_alarm);
    }
    gcal_buf_puts(html, " &middot; <code>");
    gcal_escape_html(html, f->code);
    gcal_buf_puts(html, "</code></p><p><span class=\"next\">What to do</span> ");
    gcal_escape_html(html, f->next);
    gcal_buf_puts(html, "</p></div>\n");
}

static void put_epochs(struct gcal_buf *html, const struct gcal_audit_device *device)
{
    bool any = false;
    char mark[24];

    for (size_t i = 1; i < device->n_runs; i++) {
        size_t epoch = device->epoch[i];

        if (epoch == device->epoch[i - 1])
            continue;
        gcal_buf_puts(html, any ? "<li>" : "<ul class=\"epochs\"><li>");
        gcal_buf_printf(html, "<b>%s</b> ", gcal_plot_mark(epoch, mark));
        gcal_page_utc(html, device->run[i]->utc);
        gcal_buf_puts(html, ": ");
        gcal_escape_html(html, device->epoch_description[epoch]
                                   ? device->epoch_description[epoch]
                                   : "");
        gcal_buf_puts(html, "</li>\n");
        any = true;
    }
    if (any)
        gcal_buf_puts(html, "</ul>\n");
}

/* ---- plots ---- */

static void put_parameter(struct gcal_buf *html, const struct gcal_audit_series *s)
{
    gcal_buf_puts(html, "<b>");
    gcal_escape_html(html, s->column.parameter);
    gcal_buf_puts(html, "</b> <span class=\"quiet\">");
    gcal_escape_html(html, s->column.model);
    if (s->category != GCAL_AUDIT_OTHER)
        gcal_buf_printf(html, ", %s", gcal_audit_category_name(s->category));
    gcal_buf_puts(html, "</span>");
}

static void put_history(struct gcal_page_part *part,
                        const struct gcal_audit_device *device, size_t series,
                        const struct gcal_audit_output_options *about)
{
    const struct gcal_audit_series *s = &device->series[series];
    char text[GCAL_UNITS_SIZE];

    gcal_buf_puts(&part->html, "<figure><figcaption>");
    put_parameter(&part->html, s);
    gcal_buf_puts(&part->html, "<br>");
    if (isfinite(s->reference)) {
        gcal_buf_puts(&part->html, "was ");
        gcal_escape_html(&part->html, gcal_units(s->reference, s->column.unit, text));
        gcal_buf_puts(&part->html, ", now ");
    }
    gcal_page_percent(&part->html, s->change);
    put_interval(&part->html, s->change_low, s->change_high);
    if (isfinite(s->against_type)) {
        gcal_buf_puts(&part->html, "; against its type ");
        gcal_page_percent(&part->html, s->against_type);
    }
    gcal_buf_puts(&part->html, "</figcaption>");
    gcal_buf_put(&part->html, (char[]){ GCAL_PAGE_PLOT }, 1);
    gcal_buf_puts(&part->html, "</figure>\n");
    gcal_plot_history(&part->script, device, series, &about->policy);
}

static void put_small(struct gcal_page_part *part, const struct gcal_audit_device *device,
                      size_t series, const struct gcal_audit_output_options *about)
{
    const struct gcal_audit_series *s = &device->series[series];

    gcal_buf_puts(&part->html, "<figure><figcaption><b title=\"");
    gcal_escape_html(&part->html, s->column.parameter);
    gcal_buf_puts(&part->html, " of model ");
    gcal_escape_html(&part->html, s->column.model);
    gcal_buf_puts(&part->html, "\">");
    gcal_escape_html(&part->html, s->column.parameter);
    gcal_buf_puts(&part->html, "</b> <span class=\"quiet\">");
    gcal_page_percent(&part->html, s->change);
    gcal_buf_puts(&part->html, "</span></figcaption>");
    gcal_buf_put(&part->html, (char[]){ GCAL_PAGE_PLOT }, 1);
    gcal_buf_puts(&part->html, "</figure>\n");
    gcal_plot_small(&part->script, device, series, &about->policy);
}

/* How clearly the series shows what its finding says. */
static double clarity(const struct gcal_audit_series *s)
{
    double far = fmax(fabs(s->change), fabs(s->driver_change)); /* NaN does not count */

    if (s->by_type)
        far = fmax(far, fabs(s->against_type));
    far /= isfinite(s->repeatability) ? s->repeatability : 1;
    return isfinite(far) ? far : 0;
}

/* The finding's series that shows it best and is not drawn yet; SIZE_MAX: none. */
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

/* Draws what shows the findings best, in turns: one with many parameters leaves room for
 * the others.  'drawn' gets which.
 */
static void put_histories(struct gcal_page_part *part,
                          const struct gcal_audit_device *device,
                          const struct gcal_audit_output_options *about, bool *drawn)
{
    size_t left = GCAL_PAGE_LARGE_PLOTS, before;

    gcal_buf_puts(&part->html, "<div class=\"plots\">\n");
    do {
        before = left;
        for (size_t i = 0; i < device->n_findings && left; i++) {
            size_t series = clearest(device, &device->findings[i], drawn);

            if (series == SIZE_MAX)
                continue;
            drawn[series] = true;
            put_history(part, device, series, about);
            left--;
        }
    } while (left && left < before);
    gcal_buf_puts(&part->html, "</div>\n");
}

static void put_legend(struct gcal_buf *html)
{
    gcal_buf_puts(
        html,
        "<p class=\"legend\"><span class=\"key line\"></span>calibrations, each with the "
        "band "
        "that would hold nine of ten repeats <span class=\"key ref\"></span>reference, "
        "and "
        "<span class=\"key spread\"></span>the band of an unchanged device "
        "<span class=\"key warn\"></span>warning <span class=\"key fail\"></span>failure "
        "<span class=\"key since\"></span>the change began <span class=\"key "
        "type\"></span>"
        "median of the type <span class=\"key epoch\"></span>driver, configuration or "
        "kernels changed</p>\n");
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

/* Those that are not drawn yet and have values, the worst first. */
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

static void put_smalls(struct gcal_page_part *part,
                       const struct gcal_audit_device *device,
                       const struct gcal_audit_output_options *about, const bool *drawn)
{
    struct order *order = calloc(device->n_series + 1, sizeof(*order));
    size_t n = order ? order_rest(device, drawn, order) : 0;

    part->html.failed |= !order;
    if (n)
        gcal_buf_puts(&part->html, "<h3>Other parameters, against their reference</h3>\n"
                                   "<div class=\"smalls\">\n");
    for (size_t i = 0; i < n && i < GCAL_PAGE_SMALL_PLOTS; i++)
        put_small(part, device, order[i].series, about);
    if (n)
        gcal_buf_puts(&part->html, "</div>\n");
    if (n > GCAL_PAGE_SMALL_PLOTS) {
        gcal_buf_puts(&part->html, "<p class=\"quiet\">");
        gcal_page_count(&part->html, n - GCAL_PAGE_SMALL_PLOTS, "more parameter");
        gcal_buf_puts(&part->html, ", which changed less: see the table.</p>\n");
    }
    free(order);
}

int gcal_page_section_make(struct gcal_page_section *section,
                           const struct gcal_audit_device *device, size_t row,
                           const struct gcal_audit_output_options *about,
                           struct gcal_error *err)
{
    bool *drawn = calloc(device->n_series + 1, sizeof(*drawn));
    struct gcal_page_part *parts[] = { &section->main, &section->small, &section->table };
    bool failed = !drawn;

    *section = (struct gcal_page_section){ .row = row };
    if (drawn) {
        put_head(&section->main.html, device, row);
        for (size_t i = 0; i < device->n_findings; i++)
            put_finding(&section->main.html, device, &device->findings[i]);
        put_histories(&section->main, device, about, drawn);
        put_epochs(&section->main.html, device);
        put_legend(&section->main.html);
        put_smalls(&section->small, device, about, drawn);
        gcal_page_parameters(&section->table.html, device);
        gcal_buf_puts(&section->table.html, "</section>\n");
    }
    free(drawn);
    for (size_t i = 0; i < 3; i++)
        failed |= parts[i]->html.failed || parts[i]->script.failed;
    if (!failed)
        return 0;
    gcal_page_section_clear(section);
    return gcal_error_memory(err);
}
