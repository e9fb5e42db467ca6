/* fuzz_csv.c - any bytes as a CSV file: refused, or written with all fields in quotes and
 * read again the same
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "mpi/cli/csv_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_cell(struct gcal_buf *buf, const char *cell)
{
    gcal_buf_puts(buf, "\"");
    for (; *cell; cell++)
        gcal_buf_printf(buf, *cell == '"' ? "\"%c" : "%c", *cell);
    gcal_buf_puts(buf, "\"");
}

static void write_table(struct gcal_buf *buf, const struct gcal_csv_table *t)
{
    for (size_t i = 0; i < (t->n_rows + 1) * t->n_columns; i++) {
        write_cell(buf, t->cells[i]);
        gcal_buf_puts(buf, (i + 1) % t->n_columns ? "," : "\r\n");
    }
}

static void compare(const struct gcal_csv_table *a, const struct gcal_csv_table *b)
{
    if (a->n_rows != b->n_rows || a->n_columns != b->n_columns)
        abort();
    for (size_t i = 0; i < (a->n_rows + 1) * a->n_columns; i++)
        if (strcmp(a->cells[i], b->cells[i]) != 0)
            abort();
    for (size_t i = 1; i < a->n_rows; i++)
        if (a->lines[i] <= a->lines[i - 1])
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gcal_csv_table once, twice;
    struct gcal_buf buf = { 0 };

    if (gcal_csv_table_parse("fuzz", (const char *)data, size, &once, NULL) == 0) {
        write_table(&buf, &once);
        if (gcal_csv_table_parse("fuzz", buf.data, buf.size, &twice, NULL) < 0)
            abort();
        compare(&once, &twice);
        gcal_csv_table_clear(&twice);
    }
    gcal_csv_table_clear(&once);
    gcal_buf_free(&buf);
    return 0;
}
