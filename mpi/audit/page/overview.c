/* overview.c - the page's first part: totals, and devices in tables */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "mpi/audit/page/page.h"
#include "mpi/cli/escape.h"

/* ---- the head ---- */

static void put_tile(struct gcal_buf *html, size_t n, const char *class, const char *what)
{
    gcal_buf_printf(html, "<div class=\"tile %s%s\"><b>%zu</b>%s</div>\n", class,
                    n ? "" : " none", n, what);
}

void gcal_page_head(struct gcal_buf *html, const struct gcal_audit_output_options *about,
                    const struct gcal_audit_summary *summary)
{
    const struct gcal_audit_policy *p = &about->policy;
    const size_t *n = summary->n_verdicts;
    char now[GCAL_CLOCK_UTC_SIZE];

    gcal_clock_utc(now);
    gcal_buf_puts(html,
                  "<header><h1>Audit of calibrated devices</h1>\n<p class=\"facts\">"
                  "Store <code>");
    gcal_escape_html(html, about->store);
    gcal_buf_puts(html, "</code> &middot; ");
    gcal_page_utc(html, now);
    gcal_buf_printf(html, " UTC &middot; gpucal %s</p>\n<div class=\"tiles\">\n",
                    GPUCAL_VERSION);
    put_tile(html, n[GCAL_AUDIT_FAIL], "fail", "failures");
    put_tile(html, n[GCAL_AUDIT_WARN], "warn", "warnings");
    put_tile(html, n[GCAL_AUDIT_SUSPECT], "suspect", "suspect");
    put_tile(html, n[GCAL_AUDIT_UNKNOWN], "unknown", "unknown");
    put_tile(html, n[GCAL_AUDIT_PASS], "pass", "pass");
    gcal_buf_puts(html, "</div>\n<p>");
    gcal_page_count(html, summary->n_devices, "device");
    gcal_buf_puts(html, " of ");
    gcal_page_count(html, summary->n_nodes, "node");
    gcal_buf_puts(html, ", ");
    gcal_page_count(html, summary->n_runs, "calibration");
    gcal_buf_printf(
        html,
        ". A change counts from %g&nbsp;%% as a warning and from %g&nbsp;%% as a "
        "failure, "
        "once %zu of %zu calibrations in a row say so; for a device that did not change, "
        "that happens in less than one of %.0f calibrations.</p></header>\n",
        100 * p->warn, 100 * p->fail, p->confirm, p->of, 1 / p->false_alarms);
}

void gcal_page_unreadable(struct gcal_buf *html, const struct gcal_audit_summary *summary)
{
    if (!summary->n_unread)
        return;
    gcal_buf_puts(html, "<section><h2>Not audited</h2>\n<p>What the store has of ");
    gcal_page_count(html, summary->n_unread, "node");
    gcal_buf_puts(html, " cannot be read. Restore these files, or move them away.</p>\n"
                        "<ul>\n");
    for (size_t i = 0; i < summary->n_unread && i < GCAL_PAGE_FINDINGS; i++) {
        gcal_buf_puts(html, "<li>");
        gcal_escape_html(html, summary->unread[i].node);
        gcal_buf_puts(html, " <span class=\"quiet\">");
        gcal_escape_html(html, summary->unread[i].why);
        gcal_buf_puts(html, "</span></li>\n");
    }
    gcal_buf_puts(html, "</ul></section>\n");
}

/* ---- devices that need attention ---- */

static int worst_first(const void *a, const void *b)
{
    const struct gcal_page_row *const *x = a, *const *y = b;
    int severity_x = gcal_page_severity((*x)->verdict);
    int severity_y = gcal_page_severity((*y)->verdict);
    double change_x = fabs((*x)->change), change_y = fabs((*y)->change);

    if (severity_x != severity_y)
        return severity_y - severity_x;
    if (change_x != change_y)
        return change_x > change_y ? -1 : 1;
    return *x < *y ? -1 : 1;
}

static void put_finding(struct gcal_buf *html, const struct gcal_page_row *row, size_t id)
{
    gcal_buf_puts(html, "<tr><td>");
    gcal_page_verdict(html, row->verdict);
    gcal_buf_puts(html, "</td><td>");
    if (row->has_section)
        gcal_buf_printf(html, "<a href=\"#d%zu\">", id);
    gcal_escape_html(html, row->node);
    if (row->has_section)
        gcal_buf_puts(html, "</a>");
    gcal_buf_puts(html, "<div class=\"quiet\">");
    gcal_escape_html(html, row->name);
    gcal_buf_puts(html, " &middot; ");
    gcal_escape_html(html, row->uid);
    gcal_buf_puts(html, "</div></td><td class=\"what\">");
    gcal_escape_html(html, row->what);
    if (row->n_findings > 1)
        gcal_buf_printf(html, " <span class=\"quiet\">and %zu more</span>",
                        row->n_findings - 1);
    gcal_buf_puts(html, "</td><td class=\"n\" data-of=\"change\">");
    gcal_page_percent(html, row->change);
    gcal_buf_puts(html, "</td><td class=\"t\" data-of=\"since\">");
    gcal_page_utc(html, row->since);
    gcal_buf_puts(html, "</td><td data-of=\"by chance\">");
    gcal_page_probability(html, row->false_alarm);
    gcal_buf_puts(html, "</td><td class=\"t\" data-of=\"last\">");
    gcal_page_utc(html, row->newest);
    gcal_buf_puts(html, "</td></tr>\n");
}

void gcal_page_findings(struct gcal_buf *html, const struct gcal_page_overview *o)
{
    const struct gcal_page_row **worst = calloc(o->n_rows + 1, sizeof(*worst));
    size_t n = 0;

    if (!worst) {
        html->failed = true;
        return;
    }
    for (size_t i = 0; i < o->n_rows; i++)
        if (gcal_audit_needs_attention(o->rows[i].verdict))
            worst[n++] = &o->rows[i];
    gcal_buf_puts(html, "<section><h2>Needs attention</h2>\n");
    if (!n)
        gcal_buf_puts(html, "<p>No device.</p>\n");
    else {
        qsort(worst, n, sizeof(*worst), worst_first);
        gcal_buf_puts(
            html,
            "<div class=\"scroll\"><table class=\"stack\"><thead><tr><th>verdict</th>"
            "<th>node, device</th><th>what</th><th class=\"n\">change</th>"
            "<th>since (UTC)</th><th>by chance</th><th>last calibration"
            "</th></tr></thead><tbody>\n");
        for (size_t i = 0; i < n && i < GCAL_PAGE_FINDINGS; i++)
            put_finding(html, worst[i], (size_t)(worst[i] - o->rows));
        gcal_buf_puts(html, "</tbody></table></div>\n");
    }
    if (n > GCAL_PAGE_FINDINGS)
        gcal_buf_printf(html,
                        "<p class=\"quiet\">%zu more devices are left out here; "
                        "<code>gpucal audit</code> lists them all.</p>\n",
                        n - GCAL_PAGE_FINDINGS);
    gcal_buf_puts(html, "</section>\n");
    free(worst);
}

/* ---- all others ---- */

static void put_other(struct gcal_buf *html, const struct gcal_page_overview *o,
                      const struct gcal_page_row *row)
{
    gcal_buf_puts(html, "<tr><td>");
    gcal_page_verdict(html, row->verdict);
    gcal_buf_puts(html, "</td><td>");
    if (row->has_section)
        gcal_buf_printf(html, "<a href=\"#d%zu\">", (size_t)(row - o->rows));
    gcal_escape_html(html, row->node);
    if (row->has_section)
        gcal_buf_puts(html, "</a>");
    gcal_buf_puts(html, "</td><td class=\"t\">");
    gcal_escape_html(html, row->name);
    gcal_buf_puts(html, " <span class=\"quiet\">");
    gcal_escape_html(html, row->uid);
    gcal_buf_printf(html, "</span></td><td class=\"n\">%zu</td><td class=\"t\">",
                    row->n_runs);
    gcal_page_utc(html, row->newest);
    gcal_buf_puts(html, "</td><td>");
    gcal_escape_html(html, row->what);
    gcal_buf_puts(html, "</td></tr>\n");
}

void gcal_page_without_findings(struct gcal_buf *html, const struct gcal_page_overview *o)
{
    size_t n = 0, put = 0;

    for (size_t i = 0; i < o->n_rows; i++)
        n += !gcal_audit_needs_attention(o->rows[i].verdict);
    if (!n)
        return;
    gcal_buf_puts(html, "<section><h2>All others</h2>\n<details><summary>");
    gcal_page_count(html, n, "device");
    gcal_buf_puts(html,
                  "</summary><div class=\"scroll\"><table><thead><tr><th>verdict</th>"
                  "<th>node</th><th>device</th><th class=\"n\">calibrations</th>"
                  "<th>last (UTC)</th><th>note</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < o->n_rows && put < GCAL_PAGE_ROWS; i++)
        if (!gcal_audit_needs_attention(o->rows[i].verdict)) {
            put_other(html, o, &o->rows[i]);
            put++;
        }
    gcal_buf_puts(html, "</tbody></table></div></details>\n");
    if (n > put)
        gcal_buf_printf(html,
                        "<p class=\"quiet\">%zu of them are left out here; "
                        "<code>gpucal audit --all</code> lists them all.</p>\n",
                        n - put);
    gcal_buf_puts(html, "</section>\n");
}
