/* columns.c - tables on standard output */
#include "mpi/cli/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <libsmartcols.h>

#include "kernels/base/arena.h"
#include "mpi/cli/display.h"

struct gcal_columns {
    struct libscols_table *table;
    size_t n, n_rows;
};

static const int flags[] = {
    [GCAL_COLUMN_TEXT] = 0,
    [GCAL_COLUMN_NUMBER] = SCOLS_FL_RIGHT,
    [GCAL_COLUMN_LONG] = SCOLS_FL_TRUNC,
};
static const char *const colours[] = {
    [GCAL_COLUMN_GOOD] = "green",
    [GCAL_COLUMN_WARNING] = "yellow",
    [GCAL_COLUMN_BAD] = "red",
};

static int use_colours(void)
{
    const char *no = getenv("NO_COLOR");

    return gcal_display_is_terminal(STDOUT_FILENO) && !(no && *no);
}

static void destroy_table(void *table)
{
    scols_unref_table(table);
}

struct gcal_columns *gcal_columns_create(struct gcal_arena *arena, size_t n,
                                         const struct gcal_column *columns)
{
    struct gcal_columns *made = gcal_arena_alloc(arena, 1, sizeof(*made));

    made->n = n;
    if (!(made->table = gcal_arena_own(arena, scols_new_table(), destroy_table)) ||
        scols_table_enable_colors(made->table, use_colours()) != 0)
        gcal_arena_out_of_memory();
    for (size_t i = 0; i < n; i++)
        if (!scols_table_new_column(made->table, columns[i].title, 0,
                                    flags[columns[i].kind]))
            gcal_arena_out_of_memory();
    return made;
}

void gcal_columns_add(struct gcal_columns *table, const char *const *texts,
                      enum gcal_column_colour colour)
{
    struct libscols_line *line = scols_table_new_line(table->table, NULL);
    int rc = line ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < table->n; i++)
        rc = scols_line_set_data(line, i, texts[i]);
    if (rc == 0 && table->n && colours[colour])
        rc = scols_cell_set_color(scols_line_get_cell(line, table->n - 1),
                                  colours[colour]);
    if (rc != 0)
        gcal_arena_out_of_memory();
    table->n_rows++;
}

void gcal_columns_print(struct gcal_columns *table, size_t indent)
{
    char *text = NULL, *rest, *line;

    if (!table->n_rows)
        return;
    if (scols_print_table_to_string(table->table, &text) != 0)
        gcal_arena_out_of_memory();
    rest = text;
    while ((line = strsep(&rest, "\n")) && (rest || *line))
        printf("%*s%s\n", (int)indent, "", line);
    free(text);
}
