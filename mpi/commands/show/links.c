/* links.c - gpucal show --links: what messages between nodes take */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/strings.h"
#include "kernels/base/units.h"
#include "mpi/cli/columns.h"
#include "mpi/commands/show/private.h"
#include "store/links/links.h"

static const struct gcal_column columns[] = {
    { "LINK", GCAL_COLUMN_TEXT },          { "LINKS", GCAL_COLUMN_NUMBER },
    { "MEASURED", GCAL_COLUMN_TEXT },      { "8 B", GCAL_COLUMN_NUMBER },
    { "4 KiB", GCAL_COLUMN_NUMBER },       { "64 KiB", GCAL_COLUMN_NUMBER },
    { "1 MiB", GCAL_COLUMN_NUMBER },       { "16 MiB", GCAL_COLUMN_NUMBER },
    { "16 MiB RATE", GCAL_COLUMN_NUMBER }, { "ERROR", GCAL_COLUMN_NUMBER },
};
static const double sizes[] = { 8, 4096, 65536, 1048576, 16777216 };
enum {
    N_COLUMNS = sizeof(columns) / sizeof(*columns),
    N_SIZES = sizeof(sizes) / sizeof(*sizes),
};

/* Of the class as a whole: 'to' is no node's name. */
static void add_row(struct gcal_arena *arena, struct gcal_columns *table,
                    const struct gcal_links *links, const struct gcal_links_class *c,
                    const char *name, const char *to, enum gcal_column_colour colour)
{
    const char *cells[N_COLUMNS] = { name, "" };
    char day[GCAL_SHOW_DAY_SIZE], text[GCAL_UNITS_SIZE];
    struct gcal_links_time time = { 0 };

    cells[2] = gcal_show_day(c->measured_utc, day);
    day[strcspn(day, " ")] = '\0';
    if (!*to)
        cells[1] = gcal_arena_format(arena, "%zu", c->n_measured);
    for (size_t i = 0; i < N_SIZES; i++) {
        gcal_links_predict(links, to, sizes[i], &time, NULL);
        cells[3 + i] = gcal_arena_strdup(arena, gcal_units(time.time_s, "s", text));
    }
    cells[N_COLUMNS - 2] = gcal_arena_strdup(
        arena, gcal_units(sizes[N_SIZES - 1] / time.time_s, "B/s", text));
    cells[N_COLUMNS - 1] = gcal_units_percent(time.error, text);
    gcal_columns_add(table, cells, colour);
}

/* Of all nodes of a run once; 'seen' has the runs. */
static int add_class(struct gcal_arena *arena, struct gcal_columns *table,
                     struct gcal_strings *seen, const struct gcal_links *links, int id,
                     bool all_pairs, struct gcal_error *err)
{
    const struct gcal_links_class *c = &links->classes[id];
    const char *key, *pair;

    if (!c->n_measured)
        return 0;
    key = gcal_arena_format(arena, "%s %d", c->run_id, id);
    if (!gcal_strings_contain(seen, key)) {
        /* A node of that name has no link: it is the class. */
        struct gcal_links class = { .node = (char *)"" };

        class.classes[GCAL_LINKS_WITHIN] = *c;
        class.classes[GCAL_LINKS_WITHIN].n_pairs = 0;
        add_row(arena, table, &class, c, gcal_links_class_names[id], "",
                GCAL_COLUMN_PLAIN);
        if (gcal_strings_add(seen, key, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < c->n_pairs; i++) {
        const struct gcal_links_pair *p = &c->pairs[i];
        bool is_first = strcmp(links->node, p->to) <= 0;

        pair = gcal_arena_format(arena, "  %s - %s", is_first ? links->node : p->to,
                                 is_first ? p->to : links->node);
        key = gcal_arena_format(arena, "%s %s", c->run_id, pair);
        if ((!p->is_outlier && !all_pairs) || gcal_strings_contain(seen, key))
            continue;
        add_row(arena, table, links, c, pair, p->to,
                p->is_outlier ? GCAL_COLUMN_WARNING : GCAL_COLUMN_PLAIN);
        if (gcal_strings_add(seen, key, err) < 0)
            return -1;
    }
    return 0;
}

int gcal_show_links(const struct gcal_show_query *q, struct gcal_error *err)
{
    struct gcal_columns *table = gcal_columns_create(q->arena, N_COLUMNS, columns);
    struct gcal_strings seen = { 0 };
    char **names = NULL;
    size_t n = 0, n_shown = 0;
    int rc = gcal_links_nodes(q->store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_error why = { 0 };
        struct gcal_links links;

        if (q->nodes && fnmatch(q->nodes, names[i], 0) != 0)
            continue;
        /* One that cannot be read stops no other. */
        if (gcal_links_load(q->store, names[i], &links, &why) <= 0) {
            gcal_log(GCAL_LOG_WARN, "node %s is left out: %s", names[i], why.text);
            gcal_links_clear(&links);
            continue;
        }
        n_shown++;
        for (int id = 0; id < GCAL_LINKS_N_CLASSES && rc == 0; id++)
            rc = add_class(q->arena, table, &seen, &links, id, q->nodes != NULL, err);
        gcal_links_clear(&links);
    }
    if (rc == 0 && !n_shown)
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "no links are published: a calibration of several nodes, or "
                            "with two ranks on one, measures them (mpirun, srun)");
    else if (rc == 0)
        gcal_columns_print(table, 0);
    gcal_strings_clear(&seen);
    gcal_strings_free(names, n);
    return rc;
}
