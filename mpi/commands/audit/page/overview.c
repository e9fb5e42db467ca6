/* overview.c - the page's first part: totals, and devices in tables */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "mpi/commands/audit/page/private.h"

/* ---- totals ---- */

static size_t count_others(const struct gcal_page_overview *o)
{
    size_t n = 0;

    for (size_t i = 0; i < o->n_rows; i++)
        n += !gcal_audit_needs_attention(o->rows[i].verdict);
    return n;
}

void gcal_page_head(struct gcal_buf *html, const struct gcal_audit_output_options *about,
                    const struct gcal_audit_summary *summary,
                    const struct gcal_page_overview *overview)
{
    const struct gcal_audit_policy *p = &about->policy;
    const size_t *n = summary->n_verdicts;
    char now[GCAL_CLOCK_UTC_SIZE];
    const struct gcal_page_value values[] = { TEXT("store", about->store),
                                              TEXT("now", now),
                                              TEXT("version", GPUCAL_VERSION),
                                              NUMBER("n_fail", n[GCAL_AUDIT_FAIL]),
                                              NUMBER("n_warn", n[GCAL_AUDIT_WARN]),
                                              NUMBER("n_suspect", n[GCAL_AUDIT_SUSPECT]),
                                              NUMBER("n_unknown", n[GCAL_AUDIT_UNKNOWN]),
                                              NUMBER("n_pass", n[GCAL_AUDIT_PASS]),
                                              NUMBER("n_devices", summary->n_devices),
                                              NUMBER("n_nodes", summary->n_nodes),
                                              NUMBER("n_runs", summary->n_runs),
                                              NUMBER("warn", 100 * p->warn),
                                              NUMBER("fail", 100 * p->fail),
                                              NUMBER("confirm", p->confirm),
                                              NUMBER("of", p->of),
                                              NUMBER("calibrations",
                                                     round(1 / p->false_alarms)),
                                              NUMBER("n_others", count_others(overview)),
                                              { 0 } };

    gcal_clock_utc(now);
    gcal_page_fill(html, "head.html", values);
}

/* The asset with "rows", which it frees, "n", and "n_left_out". */
static void put_rows(struct gcal_buf *html, const char *asset, struct gcal_buf *rows,
                     size_t n, size_t n_left_out)
{
    const struct gcal_page_value values[] = {
        TEXT("rows", rows->data), NUMBER("n", n), NUMBER("n_left_out", n_left_out), { 0 }
    };

    gcal_page_fill(html, asset, values);
    html->failed |= rows->failed;
    gcal_buf_free(rows);
}

void gcal_page_unreadable(struct gcal_buf *html, const struct gcal_audit_summary *summary)
{
    struct gcal_buf rows = { 0 };

    for (size_t i = 0; i < summary->n_unread && i < GCAL_PAGE_FINDINGS; i++) {
        const struct gcal_page_value values[] = { TEXT("node", summary->unread[i].node),
                                                  TEXT("why", summary->unread[i].why),
                                                  { 0 } };

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
    const struct gcal_page_value values[] = { NUMBER("row", id),
                                              NUMBER("has_section", row->has_section),
                                              NUMBER("verdict", row->verdict),
                                              NUMBER("severity",
                                                     gcal_page_severity(row->verdict)),
                                              NUMBER("speed", row->speed),
                                              TEXT("node", row->node),
                                              TEXT("name", row->name),
                                              TEXT("uid", row->uid),
                                              TEXT("what", row->what),
                                              NUMBER("n_more", n_more),
                                              NUMBER("n_runs", row->n_runs),
                                              NUMBER("change", row->change),
                                              TEXT("since", row->since),
                                              NUMBER("false_alarm", row->false_alarm),
                                              TEXT("newest", row->newest),
                                              { 0 } };

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
