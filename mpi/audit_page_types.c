/* audit_page_types.c - device types: how many devices, and how far they differ */
#include <math.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "mpi/audit_page.h"
#include "mpi/audit_plot.h"
#include "mpi/escape.h"

struct spread {
    double *deviation; /* n_rows of the overview */
    bool *marked;
};

static size_t collect(const struct gcal_page_overview *o, size_t type, size_t subject,
                      struct spread *s)
{
    size_t n = 0;

    for (size_t i = 0; i < o->n_rows; i++) {
        const struct gcal_page_row *row = &o->rows[i];

        if (row->type != type || !isfinite(row->against_type[subject]))
            continue;
        s->deviation[n] = (double)row->against_type[subject];
        s->marked[n++] = row->verdict == GCAL_AUDIT_WARN ||
                         row->verdict == GCAL_AUDIT_FAIL ||
                         row->verdict == GCAL_AUDIT_SUSPECT;
    }
    return n;
}

/* All subjects of a type have one scale. */
static double common_limit(const struct gcal_page_overview *o, size_t type,
                           const struct gcal_audit_policy *policy, struct spread *s)
{
    double limit = 0;

    for (size_t subject = 0; subject < GCAL_AUDIT_SHAPE; subject++) {
        size_t n = collect(o, type, subject, s);

        limit = fmax(limit, gcal_plot_spread_limit(n, s->deviation, policy));
    }
    return limit;
}

static void put_spreads(struct gcal_page_part *part, const struct gcal_page_overview *o,
                        size_t type, const struct gcal_audit_policy *policy,
                        struct spread *s)
{
    double limit = common_limit(o, type, policy, s);

    gcal_buf_puts(&part->html, "<div class=\"spreads\">\n");
    for (size_t subject = 0; subject < GCAL_AUDIT_SHAPE; subject++) {
        size_t n = collect(o, type, subject, s);

        if (n < 3)
            continue;
        gcal_buf_printf(&part->html, "<figure><figcaption>%s</figcaption>",
                        gcal_page_subject((enum gcal_audit_subject)subject));
        gcal_buf_put(&part->html, (char[]){ GCAL_PAGE_PLOT }, 1);
        gcal_buf_puts(&part->html, "</figure>\n");
        gcal_plot_spread(&part->script, n, s->deviation, s->marked, limit);
    }
    gcal_buf_puts(&part->html, "</div>\n");
}

static void put_counts(struct gcal_buf *html, const struct gcal_page_overview *o,
                       size_t type)
{
    static const enum gcal_audit_verdict order[] = { GCAL_AUDIT_FAIL, GCAL_AUDIT_WARN,
                                                     GCAL_AUDIT_SUSPECT,
                                                     GCAL_AUDIT_UNKNOWN,
                                                     GCAL_AUDIT_PASS };
    size_t counts[GCAL_AUDIT_UNKNOWN + 1] = { 0 }, n = 0;

    for (size_t i = 0; i < o->n_rows; i++)
        if (o->rows[i].type == type) {
            counts[o->rows[i].verdict]++;
            n++;
        }
    gcal_buf_puts(html, "<p class=\"facts\">");
    gcal_page_count(html, n, "device");
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++)
        if (counts[order[i]]) {
            gcal_buf_printf(html, " &middot; %zu ", counts[order[i]]);
            gcal_page_verdict(html, order[i]);
        }
    gcal_buf_puts(html, "</p>\n");
}

int gcal_page_types(struct gcal_page_part *part, const struct gcal_page_overview *o,
                    const struct gcal_audit_policy *policy, struct gcal_error *err)
{
    struct spread s = { .deviation = calloc(o->n_rows + 1, sizeof(*s.deviation)),
                        .marked = calloc(o->n_rows + 1, sizeof(*s.marked)) };
    bool failed = !s.deviation || !s.marked;

    gcal_buf_puts(&part->html,
                  "<section><h2>Device types</h2>\n<p class=\"quiet\">How many devices "
                  "take how much longer than the median of their type, by what they do; "
                  "red: devices that need attention.  What lies farther out is in the "
                  "outermost bar.</p>\n");
    for (size_t i = 0; !failed && i < o->n_types; i++) {
        gcal_buf_puts(&part->html, "<h3>");
        gcal_escape_html(&part->html, o->types[i]);
        gcal_buf_puts(&part->html, "</h3>\n");
        put_counts(&part->html, o, i);
        if (i < GCAL_PAGE_TYPES)
            put_spreads(part, o, i, policy, &s);
    }
    if (o->n_types > GCAL_PAGE_TYPES)
        gcal_buf_printf(&part->html,
                        "<p class=\"quiet\">Plots of the first %d types only.</p>\n",
                        GCAL_PAGE_TYPES);
    gcal_buf_puts(&part->html, "</section>\n");
    free(s.deviation);
    free(s.marked);
    return failed || part->html.failed || part->script.failed ? gcal_error_memory(err)
                                                              : 0;
}
