/* audit_page_overview.c - the page's first part: totals, and devices in tables */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "mpi/audit_page.h"
#include "mpi/escape.h"

/* ---- rows ---- */

static void row_clear(struct gcal_page_row *row)
{
    free(row->node);
    free(row->uid);
    free(row->name);
    free(row->since);
    free(row->what);
    free(row->newest);
}

void gcal_page_overview_clear(struct gcal_page_overview *overview)
{
    for (size_t i = 0; i < overview->n_rows; i++)
        row_clear(&overview->rows[i]);
    for (size_t i = 0; i < overview->n_types; i++)
        free(overview->types[i]);
    free(overview->rows);
    free(overview->types);
    *overview = (struct gcal_page_overview){ 0 };
}

/* Devices of a type come one behind the other more often than not. */
static int find_type(struct gcal_page_overview *o, const char *type, size_t *found,
                     struct gcal_error *err)
{
    char **types;

    for (*found = o->n_types; (*found)-- > 0;)
        if (strcmp(o->types[*found], type) == 0)
            return 0;
    if (!(types = gcal_array_grow(o->types, o->n_types, &o->types_capacity,
                                  sizeof(*types), err)))
        return -1;
    o->types = types;
    if (!(types[o->n_types] = strdup(type)))
        return gcal_error_memory(err);
    *found = o->n_types++;
    return 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median over the subject's parameters; NaN where none is compared. */
static float against_type(const struct gcal_audit_device *device,
                          enum gcal_audit_subject subject, double *room)
{
    size_t n = 0;

    for (size_t i = 0; i < device->n_series; i++)
        if (device->series[i].subject == subject &&
            isfinite(device->series[i].against_type))
            room[n++] = device->series[i].against_type;
    if (!n)
        return NAN;
    qsort(room, n, sizeof(*room), by_value);
    return (float)(n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2);
}

/* Of the worst finding. */
static const char *since_when(const struct gcal_audit_device *device)
{
    size_t since = device->n_findings ? device->findings[0].since : device->n_runs;

    if (since >= device->n_runs)
        return "";
    return since ? device->run[since]->utc : "the first";
}

static int fill_row(struct gcal_page_row *row, const struct gcal_audit_device *device,
                    struct gcal_error *err)
{
    const struct gcal_audit_finding *worst =
        device->n_findings ? &device->findings[0] : NULL;
    double *room = calloc(device->n_series + 1, sizeof(*room));

    row->node = strdup(device->node);
    row->uid = strdup(device->uid);
    row->name = strdup(device->name);
    row->newest = strdup(device->run[device->n_runs - 1]->utc);
    row->what = strdup(worst ? worst->what : "");
    row->since = strdup(since_when(device));
    row->n_runs = device->n_runs;
    row->n_findings = device->n_findings;
    row->verdict = device->verdict;
    row->change = worst ? worst->change : NAN;
    row->false_alarm = worst ? worst->false_alarm : NAN;
    for (size_t i = 0; room && i < GCAL_AUDIT_SHAPE; i++)
        row->against_type[i] = against_type(device, (enum gcal_audit_subject)i, room);
    free(room);
    return room && row->node && row->uid && row->name && row->newest && row->what &&
                   row->since
               ? 0
               : gcal_error_memory(err);
}

int gcal_page_overview_add(struct gcal_page_overview *o,
                           const struct gcal_audit_device *device, struct gcal_error *err)
{
    struct gcal_page_row row = { 0 };
    struct gcal_page_row *rows =
        gcal_array_grow(o->rows, o->n_rows, &o->capacity, sizeof(*rows), err);

    if (!rows)
        return -1;
    o->rows = rows;
    if (find_type(o, device->type, &row.type, err) < 0 ||
        fill_row(&row, device, err) < 0) {
        row_clear(&row);
        return -1;
    }
    rows[o->n_rows++] = row;
    return 0;
}

/* ---- the head ---- */

static void put_tile(struct gcal_buf *html, size_t n, const char *class, const char *what)
{
    gcal_buf_printf(html, "<div class=\"tile %s%s\"><b>%zu</b>%s</div>\n", class,
                    n ? "" : " none", n, what);
}

void gcal_page_head(struct gcal_buf *html, const struct gcal_audit_about *about,
                    const struct gcal_audit_summary *summary)
{
    const struct gcal_audit_policy *p = &about->policy;
    const size_t *n = summary->n_verdicts;
    char now[GCAL_UTC_SIZE];

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

/* ---- devices that need attention ---- */

static bool needs_attention(const struct gcal_page_row *row)
{
    return gcal_page_severity(row->verdict) > gcal_page_severity(GCAL_AUDIT_UNKNOWN);
}

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
    gcal_page_chance(html, row->false_alarm);
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
        if (needs_attention(&o->rows[i]))
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
    gcal_buf_puts(html, "</td><td>");
    gcal_escape_html(html, row->name);
    gcal_buf_printf(html, "</td><td class=\"n\">%zu</td><td class=\"t\">", row->n_runs);
    gcal_page_utc(html, row->newest);
    gcal_buf_puts(html, "</td></tr>\n");
}

void gcal_page_others(struct gcal_buf *html, const struct gcal_page_overview *o)
{
    size_t n = 0, put = 0;

    for (size_t i = 0; i < o->n_rows; i++)
        n += !needs_attention(&o->rows[i]);
    if (!n)
        return;
    gcal_buf_puts(html, "<section><h2>No finding</h2>\n<details><summary>");
    gcal_page_count(html, n, "device");
    gcal_buf_puts(html,
                  "</summary><div class=\"scroll\"><table><thead><tr><th>verdict</th>"
                  "<th>node</th><th>device</th><th class=\"n\">calibrations</th>"
                  "<th>last (UTC)</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < o->n_rows && put < GCAL_PAGE_ROWS; i++)
        if (!needs_attention(&o->rows[i])) {
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
