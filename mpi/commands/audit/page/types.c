/* types.c - device types: counts, and deviations of their devices */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "mpi/commands/audit/page/plot.h"
#include "mpi/commands/audit/page/private.h"

struct spread {
    double *deviation; /* n_rows of the overview */
    bool *marked;
    double *room; /* the columns of a type */
};

/* The costs of all categories together. */
#define ALL (GCAL_AUDIT_OTHER + 1)

static bool is_of(const struct gcal_page_column *column, size_t category)
{
    return category == ALL || column->category == (enum gcal_audit_category)category;
}

/* The median over the costs of a category; NaN where none is compared. */
static double against_type(const struct gcal_page_type *type,
                           const struct gcal_page_row *row, size_t category, double *room)
{
    size_t n = 0;

    for (size_t i = 0; i < row->n_against; i++)
        if (is_of(&type->columns[i], category) && isfinite(row->against[i]))
            room[n++] = (double)row->against[i];
    return gcal_median(room, n);
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
    const struct gcal_page_value values[] = {
        TEXT("costs", category == ALL
                          ? "all costs"
                          : gcal_audit_category_name((enum gcal_audit_category)category)),
        { 0 }
    };

    if (n < 3)
        return;
    gcal_page_fill(&part->html, "spread.html", values);
    gcal_plot_spread(&part->script, n, s->deviation, s->marked, limit);
}

static void put_spreads(struct gcal_page_part *part, const struct gcal_page_overview *o,
                        size_t type, const struct gcal_audit_policy *policy,
                        struct spread *s)
{
    double limit = common_limit(o, type, policy, s);

    put_spread(part, o, type, ALL, limit, s);
    for (size_t category = 0; category < GCAL_AUDIT_OTHER; category++)
        put_spread(part, o, type, category, limit, s);
}

/* A type's name and counts, and 'spreads' where it is drawn. */
static void put_type(struct gcal_buf *html, const struct gcal_page_overview *o,
                     size_t type, const char *spreads)
{
    size_t counts[GCAL_AUDIT_UNKNOWN + 1] = { 0 }, n = 0;

    for (size_t i = 0; i < o->n_rows; i++)
        if (o->rows[i].type == type) {
            counts[o->rows[i].verdict]++;
            n++;
        }
    gcal_page_fill(
        html, "type.html",
        (const struct gcal_page_value[]){ TEXT("name", o->types[type].name),
                                          NUMBER("n", n),
                                          NUMBER("n_fail", counts[GCAL_AUDIT_FAIL]),
                                          NUMBER("n_warn", counts[GCAL_AUDIT_WARN]),
                                          NUMBER("n_suspect", counts[GCAL_AUDIT_SUSPECT]),
                                          NUMBER("n_unknown", counts[GCAL_AUDIT_UNKNOWN]),
                                          NUMBER("n_pass", counts[GCAL_AUDIT_PASS]),
                                          NUMBER("is_drawn", type < GCAL_PAGE_TYPES),
                                          TEXT("spreads", spreads),
                                          { 0 } });
}

static size_t most_columns(const struct gcal_page_overview *o)
{
    size_t most = 0;

    for (size_t i = 0; i < o->n_types; i++)
        most = o->types[i].n_columns > most ? o->types[i].n_columns : most;
    return most;
}

static void put_types(struct gcal_page_part *part, const struct gcal_page_overview *o,
                      const struct gcal_audit_policy *policy, struct spread *s)
{
    bool all_drawn = o->n_types <= GCAL_PAGE_TYPES;
    struct gcal_buf types = { 0 };

    for (size_t i = 0; i < o->n_types; i++) {
        struct gcal_page_part spreads = { .script = part->script };

        if (i < GCAL_PAGE_TYPES)
            put_spreads(&spreads, o, i, policy, s);
        part->script = spreads.script;
        put_type(&types, o, i, spreads.html.data);
        types.failed |= spreads.html.failed;
        gcal_buf_free(&spreads.html);
    }
    gcal_page_fill(&part->html, "types.html",
                   (const struct gcal_page_value[]){
                       TEXT("types", types.data),
                       NUMBER("n_drawn", all_drawn ? 0 : GCAL_PAGE_TYPES),
                       { 0 } });
    part->html.failed |= types.failed;
    gcal_buf_free(&types);
}

int gcal_page_types(struct gcal_page_part *part, const struct gcal_page_overview *o,
                    const struct gcal_audit_policy *policy, struct gcal_error *err)
{
    struct spread s = { .deviation = calloc(o->n_rows + 1, sizeof(*s.deviation)),
                        .marked = calloc(o->n_rows + 1, sizeof(*s.marked)),
                        .room = calloc(most_columns(o) + 1, sizeof(*s.room)) };
    bool failed = !s.deviation || !s.marked || !s.room;

    if (!failed)
        put_types(part, o, policy, &s);
    free(s.deviation);
    free(s.marked);
    free(s.room);
    return failed || part->html.failed || part->script.failed ? gcal_error_memory(err)
                                                              : 0;
}
