/* columns.h - tables on standard output, as wide as their contents (libsmartcols)
 *
 * On a terminal, texts that do not fit are cut in columns that may be; elsewhere nothing is.
 */
#ifndef GCAL_MPI_CLI_COLUMNS_H
#define GCAL_MPI_CLI_COLUMNS_H

#include <stddef.h>

struct gcal_arena;
struct gcal_columns;

enum gcal_column_kind {
    GCAL_COLUMN_TEXT,
    GCAL_COLUMN_NUMBER, /* aligned to the right */
    GCAL_COLUMN_LONG,   /* a text that may be cut */
};

struct gcal_column {
    const char *title;
    enum gcal_column_kind kind;
};

/* Colours are used on a terminal, unless $NO_COLOR is set (https://no-color.org). */
enum gcal_column_colour {
    GCAL_COLUMN_PLAIN,
    GCAL_COLUMN_GOOD,
    GCAL_COLUMN_WARNING,
    GCAL_COLUMN_BAD
};

struct gcal_columns *gcal_columns_create(struct gcal_arena *arena, size_t n,
                                         const struct gcal_column *columns);
/* Adds a row of n texts, which are copied; 'colour' is that of the last. */
void gcal_columns_add(struct gcal_columns *table, const char *const *texts,
                      enum gcal_column_colour colour);
/* Prints all rows under the titles, each behind 'indent' spaces; nothing if there are none. */
void gcal_columns_print(struct gcal_columns *table, size_t indent);

#endif
