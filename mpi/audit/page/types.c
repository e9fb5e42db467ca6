/* types.c - device types: how many devices, and how far they differ */
#include <math.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "mpi/audit/page/page.h"
#include "mpi/audit/page/plot.h"
#include "mpi/cli/escape.h"

struct spread {
    double *deviation; /* n_rows of the overview */
    bool *marked;
    double *room; /* the columns of a type */
};

/* All costs together, whatever they are of. */
#define ALL (GCAL_AUDIT_OTHER + 1)

static bool is_of(const struct gcal_page_column *column, size_t category)
{
    return category == ALL || column->category == (enum gcal_audit_category)category;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median over the costs of the subject; NaN where none is compared. */
static double against_type(const struct gcal_page_type *type,
                           const struct gcal_page_row *row, size_t category, double *room)
{
    size_t n = 0;

    for (size_t i = 0; i < row->n_against; i++)
        if (is_of(&type->columns[i], category) && isfinite(row->against[i]))
            room[n++] = (double)row->against[i];
    if (!n)
        return NAN;
    qsort(room, n, sizeof(*room), by_value);
    return n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2;
}

static size_t collect(const struct gcal_page_overview *o, size_t type, size_t category,
                      struct spread *s)
{
    size_t n = 0;

    for (size_t i = 0; i < o->n_rows; i++) {
        const struct gcal_page_row *row = &o->rows[i];

        if (row->type != type)
            continue;
        s->deviation[n] = against_type(&o->types[type], row, category, s->room);
        s->marked[n] = gcal_audit_needs_attention(row->verdict);
        n += isfinite(s->deviation[n]);
    }
    return n;
}

/* All plots of a type have one scale. */
static double common_limit(const struct gcal_page_overview *o, size_t type,
                           const struct gcal_audit_policy *policy, struct spread *s)
{
    double limit = 0;

    for (size_t category = 0; category <= ALL; category++) {
        size_t n = collect(o, type, category, s);

        limit = fmax(limit, gcal_plot_spread_limit(n, s->deviation, policy));
    }
    return limit;
}

static void put_spread(struct gcal_page_part *part, const struct gcal_page_overview *o,
                       size_t type, size_t category, double limit, struct spread *s)
{
    size_t n = collect(o, type, category, s);

    if (n < 3)
        return;
    gcal_buf_printf(&part->html, "<figure><figcaption>%s</figcaption>",
                    category == ALL
                        ? "all costs"
                        : gcal_audit_category_name((enum gcal_audit_category)category));
    gcal_buf_put(&part->html, (char[]){ GCAL_PAGE_PLOT }, 1);
    gcal_buf_puts(&part->html, "</figure>\n");
    gcal_plot_spread(&part->script, n, s->deviation, s->marked, limit);
}

static void put_spreads(struct gcal_page_part *part, const struct gcal_page_overview *o,
                        size_t type, const struct gcal_audit_policy *policy,
                        struct spread *s)
{
    double limit = common_limit(o, type, policy, s);

    gcal_buf_puts(&part->html, "<div class=\"spreads\">\n");
    put_spread(part, o, type, ALL, limit, s);
    for (size_t category = 0; category < GCAL_AUDIT_OTHER; category++)
        put_spread(part, o, type, category, limit, s);
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

static size_t most_columns(const struct gcal_page_overview *o)
{
    size_t most = 0;

    for (size_t i = 0; i < o->n_types; i++)
        most = o->types[i].n_columns > most ? o->types[i].n_columns : most;
    return most;
}

int gcal_page_types(struct gcal_page_part *part, const struct gcal_page_overview *o,
                    const struct gcal_audit_policy *policy, struct gcal_error *err)
{
    struct spread s = { .deviation = calloc(o->n_rows + 1, sizeof(*s.deviation)),
                        .marked = calloc(o->n_rows + 1, sizeof(*s.marked)),
                        .room = calloc(most_columns(o) + 1, sizeof(*s.room)) };
    bool failed = !s.deviation || !s.marked || !s.room;

    gcal_buf_puts(
        &part->html,
        "<section><h2>Device types</h2>\n<p class=\"quiet\">How many devices "
        "take how much longer than the median of their type: over all costs, and, for "
        "types of which a device was looked into, by what these are of; red: devices "
        "that need attention. What lies farther out is in the outermost bar.</p>\n");
    for (size_t i = 0; !failed && i < o->n_types; i++) {
        gcal_buf_puts(&part->html, "<h3>");
        gcal_escape_html(&part->html, o->types[i].name);
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
    free(s.room);
    return failed || part->html.failed || part->script.failed ? gcal_error_memory(err)
                                                              : 0;
}
