/* csv_table.c - a CSV file, read as a whole */
#include "mpi/cli/csv_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"

#define MAX_FILE_BYTES ((size_t)64 << 20)

/* Fields are unquoted in place, behind the position that is read. */
struct reader {
    struct gcal_csv_table *table;
    char *at;
    size_t line;
    size_t n_cells, cell_capacity, line_capacity;
    bool first; /* the line is the header */
};

/* ---- one field ---- */

static int quote_error(const struct reader *r, size_t line, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s:%zu: a quote is not followed by a comma or the line's end",
                          r->table->name, line);
}

static bool ends_line(const char *at)
{
    return *at == '\n' || (*at == '\r' && at[1] == '\n');
}

/* From after the first quote to after the last. */
static int unquote(struct reader *r, struct gcal_error *err)
{
    char *to = r->at;
    size_t line = r->line;

    while (*r->at && (*r->at != '"' || r->at[1] == '"')) {
        r->at += *r->at == '"';
        r->line += *r->at == '\n';
        *to++ = *r->at++;
    }
    if (!*r->at)
        return quote_error(r, line, err);
    r->at++;
    if (*r->at && *r->at != ',' && !ends_line(r->at))
        return quote_error(r, line, err);
    *to = '\0'; /* only now: it may be the quote itself */
    return 0;
}

/* Adds the field, and ends it; 'more' if another follows in the line. */
static int take_field(struct reader *r, bool *more, struct gcal_error *err)
{
    struct gcal_csv_table *t = r->table;
    char **grown =
        gcal_array_grow(t->cells, r->n_cells, &r->cell_capacity, sizeof(*grown), err);
    bool quoted = *r->at == '"';
    char end;

    if (!grown)
        return -1;
    t->cells = grown;
    r->at += quoted;
    grown[r->n_cells++] = r->at;
    if (quoted && unquote(r, err) < 0)
        return -1;
    while (*r->at && *r->at != ',' && !ends_line(r->at))
        r->at++;
    end = *r->at;
    *r->at = '\0';
    if (end == '\r')
        end = *++r->at;
    r->at += end != '\0';
    r->line += end == '\n';
    *more = end == ',';
    return 0;
}

/* ---- lines ---- */

static int take_line(struct reader *r, struct gcal_error *err)
{
    struct gcal_csv_table *t = r->table;
    size_t line = r->line, before = r->n_cells;
    bool more = true;

    while (more)
        if (take_field(r, &more, err) < 0)
            return -1;
    if (r->first) {
        t->n_columns = r->n_cells;
        r->first = false;
        return 0;
    }
    if (r->n_cells - before != t->n_columns)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s:%zu: %zu fields, but the header line has %zu", t->name,
                              line, r->n_cells - before, t->n_columns);
    size_t *grown =
        gcal_array_grow(t->lines, t->n_rows, &r->line_capacity, sizeof(*grown), err);
    if (!grown)
        return -1;
    t->lines = grown;
    grown[t->n_rows++] = line;
    return 0;
}

/* ---- the table ---- */

int gcal_csv_table_parse(const char *name, const char *text, size_t size,
                         struct gcal_csv_table *table, struct gcal_error *err)
{
    *table = (struct gcal_csv_table){ .name = strdup(name), .text = strndup(text, size) };
    if (!table->name || !table->text)
        return gcal_error_memory(err);
    if (strlen(table->text) != size)
        return gcal_error_set(err, GCAL_EINPUT, "%s: not a text: it has a zero byte",
                              name);
    struct reader r = { .table = table, .at = table->text, .line = 1, .first = true };
    while (*r.at)
        if (ends_line(r.at)) {
            r.at += *r.at == '\r' ? 2 : 1;
            r.line++;
        } else if (take_line(&r, err) < 0)
            return -1;
    return table->n_columns ? 0
                            : gcal_error_set(err, GCAL_EINPUT,
                                             "%s: a header line with the names of the "
                                             "columns is missing",
                                             table->name);
}

int gcal_csv_table_read(const char *path, struct gcal_csv_table *table,
                        struct gcal_error *err)
{
    size_t size;
    char *text = gcal_file_read(path, MAX_FILE_BYTES, &size, err);
    int rc = text ? gcal_csv_table_parse(path, text, size, table, err) : -1;

    if (!text)
        *table = (struct gcal_csv_table){ 0 };
    free(text);
    return rc;
}

void gcal_csv_table_clear(struct gcal_csv_table *table)
{
    free(table->name);
    free(table->text);
    free(table->cells);
    free(table->lines);
    *table = (struct gcal_csv_table){ 0 };
}

size_t gcal_csv_table_find(const struct gcal_csv_table *table, const char *column)
{
    size_t i = 0;

    while (i < table->n_columns && strcmp(table->cells[i], column) != 0)
        i++;
    return i;
}

const char *gcal_csv_table_cell(const struct gcal_csv_table *table, size_t row,
                                size_t column)
{
    return column < table->n_columns ? table->cells[(row + 1) * table->n_columns + column]
                                     : "";
}
