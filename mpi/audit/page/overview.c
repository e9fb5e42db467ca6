/* overview.c - the page's first part: totals, and devices in tables */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/clock.h"
#include "calib/base/error.h"
#include "mpi/audit/page/private.h"

/* ---- totals ---- */

void gcal_page_head(struct gcal_buf *html, const struct gcal_audit_output_options *about,
                    const struct gcal_audit_summary *summary)
{
    const struct gcal_audit_policy *p = &about->policy;
    const size_t *n = summary->n_verdicts;
    char now[GCAL_CLOCK_UTC_SIZE];
    const struct gcal_page_value values[] = {
        gcal_page_text("store", about->store),
        gcal_page_text("now", now),
        gcal_page_text("version", GPUCAL_VERSION),
        gcal_page_number("n_fail", (double)n[GCAL_AUDIT_FAIL]),
        gcal_page_number("n_warn", (double)n[GCAL_AUDIT_WARN]),
        gcal_page_number("n_suspect", (double)n[GCAL_AUDIT_SUSPECT]),
        gcal_page_number("n_unknown", (double)n[GCAL_AUDIT_UNKNOWN]),
        gcal_page_number("n_pass", (double)n[GCAL_AUDIT_PASS]),
        gcal_page_number("n_devices", (double)summary->n_devices),
        gcal_page_number("n_nodes", (double)summary->n_nodes),
        gcal_page_number("n_runs", (double)summary->n_runs),
        gcal_page_number("warn", 100 * p->warn),
        gcal_page_number("fail", 100 * p->fail),
        gcal_page_number("confirm", (double)p->confirm),
        gcal_page_number("of", (double)p->of),
        gcal_page_number("calibrations", round(1 / p->false_alarms)),
        { 0 },
    };

    gcal_clock_utc(now);
    gcal_page_fill(html, "head.html", values);
}

/* The asset with "rows", which it frees, "n", and "n_left_out". */
static void put_rows(struct gcal_buf *html, const char *asset, struct gcal_buf *rows,
                     size_t n, size_t n_left_out)
{
    const struct gcal_page_value values[] = {
        gcal_page_text("rows", rows->data),
        gcal_page_number("n", (double)n),
        gcal_page_number("n_left_out", (double)n_left_out),
        { 0 },
    };

    gcal_page_fill(html, asset, values);
    html->failed |= rows->failed;
    gcal_buf_free(rows);
}

void gcal_page_unreadable(struct gcal_buf *html, const struct gcal_audit_summary *summary)
{
    struct gcal_buf rows = { 0 };

    for (size_t i = 0; i < summary->n_unread && i < GCAL_PAGE_FINDINGS; i++) {
        const struct gcal_page_value values[] = {
            gcal_page_text("node", summary->unread[i].node),
            gcal_page_text("why", summary->unread[i].why),
            { 0 },
        };

        gcal_page_fill(&rows, "unreadable_row.html", values);
    }
    if (summary->n_unread)
        put_rows(html, "unreadable.html", &rows, summary->n_unread, 0);
}

/* ---- devices in tables ---- */

static void put_row(struct gcal_buf *html, const char *asset,
                    const struct gcal_page_row *row, size_t id)
{
    size_t n_more = row->n_findings ? row->n_findings - 1 : 0;
    const struct gcal_page_value values[] = {
        gcal_page_number("row", (double)id),
        gcal_page_number("has_section", row->has_section),
        gcal_page_number("verdict", row->verdict),
        gcal_page_text("node", row->node),
        gcal_page_text("name", row->name),
        gcal_page_text("uid", row->uid),
        gcal_page_text("what", row->what),
        gcal_page_number("n_more", (double)n_more),
        gcal_page_number("n_runs", (double)row->n_runs),
        gcal_page_number("change", row->change),
        gcal_page_text("since", row->since),
        gcal_page_number("false_alarm", row->false_alarm),
        gcal_page_text("newest", row->newest),
        { 0 },
    };

    gcal_page_fill(html, asset, values);
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

void gcal_page_findings(struct gcal_buf *html, const struct gcal_page_overview *o)
{
    const struct gcal_page_row **worst = calloc(o->n_rows + 1, sizeof(*worst));
    struct gcal_buf rows = { 0 };
    size_t n = 0, n_put;

    if (!worst) {
        html->failed = true;
        return;
    }
    for (size_t i = 0; i < o->n_rows; i++)
        if (gcal_audit_needs_attention(o->rows[i].verdict))
            worst[n++] = &o->rows[i];
    if (n)
        qsort(worst, n, sizeof(*worst), worst_first);
    n_put = n < GCAL_PAGE_FINDINGS ? n : GCAL_PAGE_FINDINGS;
    for (size_t i = 0; i < n_put; i++)
        put_row(&rows, "attention_row.html", worst[i], (size_t)(worst[i] - o->rows));
    put_rows(html, "attention.html", &rows, n, n - n_put);
    free(worst);
}

void gcal_page_without_findings(struct gcal_buf *html, const struct gcal_page_overview *o)
{
    struct gcal_buf rows = { 0 };
    size_t n = 0, n_put = 0;

    for (size_t i = 0; i < o->n_rows; i++) {
        if (gcal_audit_needs_attention(o->rows[i].verdict))
            continue;
        if (n++ < GCAL_PAGE_ROWS) {
            put_row(&rows, "others_row.html", &o->rows[i], i);
            n_put++;
        }
    }
    if (n)
        put_rows(html, "others.html", &rows, n, n - n_put);
}
