/* csv_table.h - a CSV file with a header line, read as a whole (RFC 4180)
 *
 * Fields may be in double quotes, with "" for a quote and with line ends inside; lines may
 * end in CR LF; empty lines are skipped.
 */
#ifndef GCAL_MPI_CLI_CSV_TABLE_H
#define GCAL_MPI_CLI_CSV_TABLE_H

#include <stddef.h>

struct gcal_error;

struct gcal_csv_table {
    char *name; /* of the file, for messages */
    size_t n_columns, n_rows;
    char **cells;  /* the header's, then n_columns of each row; they point into 'text' */
    size_t *lines; /* n_rows: where a row begins in the file, from 1 */
    char *text;
};

/* Clear the table in any case.  -1 with "file:line: ..." for a file without a header line,
 * a row that is longer or shorter than the header, or a quote that does not end.
 */
int gcal_csv_table_read(const char *path, struct gcal_csv_table *table,
                        struct gcal_error *err);
/* The same from a text of 'size' bytes, which is copied. */
int gcal_csv_table_parse(const char *name, const char *text, size_t size,
                         struct gcal_csv_table *table, struct gcal_error *err);
void gcal_csv_table_clear(struct gcal_csv_table *table);

/* The column of that name; n_columns: there is none. */
size_t gcal_csv_table_find(const struct gcal_csv_table *table, const char *column);
/* The text of a cell; "" for a column that there is not. */
const char *gcal_csv_table_cell(const struct gcal_csv_table *table, size_t row,
                                size_t column);

#endif
