/* cells.c - the rows of a kernel on devices that are alike, as one row of a fit
 *
 * The devices of a type share the errors of the model: a thousand of them show no more of it
 * than one does, but less noise.  Times are over the device factors, so what differs between
 * the rows of a kernel is noise, and what single devices do; the median over devices bounds
 * both.
 */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "calib/results/private.h"

/* Of a median, in standard errors of a mean of as many (normal deviates). */
#define OF_MEDIAN 1.2533

void gcal_result_cells_clear(struct gcal_result_cells *cells)
{
    free(cells->rows.rows);
    free(cells->of_row);
    *cells = (struct gcal_result_cells){ 0 };
}

/* The cell of row 'i' among those from 'first' on, which are of its kernel. */
static size_t find_cell(const struct gcal_record *record,
                        const struct gcal_result_cells *cells, size_t first,
                        const struct gcal_result_row *row)
{
    size_t k = first;

    while (k < cells->rows.n &&
           !gcal_result_have_same_features(record, &cells->rows.rows[k], row))
        k++;
    return k;
}

static void find_cells(const struct gcal_record *record,
                       const struct gcal_result_rows *rows,
                       struct gcal_result_cells *cells)
{
    size_t first = 0;

    for (size_t i = 0; i < rows->n; i++) {
        const struct gcal_result_row *row = &rows->rows[i];
        size_t k;

        if (i && row->kernel != row[-1].kernel)
            first = cells->rows.n;
        k = find_cell(record, cells, first, row);
        if (k == cells->rows.n) {
            cells->rows.rows[k] = *row;
            cells->rows.rows[k].n_samples = 0;
            cells->rows.n++;
        }
        cells->rows.rows[k].n_samples += row->n_samples;
        cells->of_row[i] = k;
    }
}

/* Of 'n' rows of one cell, by their times and the squares of their errors. */
static void set_time(struct gcal_result_row *cell, double *time_s, size_t n,
                     double squares)
{
    if (n < 2)
        return;
    cell->time_s = gcal_median(time_s, n);
    cell->spread = (n > 2 ? OF_MEDIAN : 1) * sqrt(squares) / (double)n;
}

/* Rows of a cell are among those of its kernel. */
static void find_times(const struct gcal_result_rows *rows,
                       struct gcal_result_cells *cells, double *time_s)
{
    size_t begin = 0, end;

    for (size_t k = 0; k < cells->rows.n; k++) {
        struct gcal_result_row *cell = &cells->rows.rows[k];
        double squares = 0;
        size_t n = 0;

        while (rows->rows[begin].kernel != cell->kernel)
            begin++;
        for (end = begin; end < rows->n && rows->rows[end].kernel == cell->kernel;
             end++) {
            if (cells->of_row[end] != k)
                continue;
            time_s[n++] = rows->rows[end].time_s;
            squares += rows->rows[end].spread * rows->rows[end].spread;
        }
        set_time(cell, time_s, n, squares);
    }
}

int gcal_result_cells_find(const struct gcal_record *record,
                           const struct gcal_result_rows *rows,
                           struct gcal_result_cells *cells, struct gcal_error *err)
{
    double *time_s = calloc(rows->n + 1, sizeof(*time_s));

    cells->rows =
        (struct gcal_result_rows){ .rows = calloc(rows->n + 1, sizeof(*cells->rows.rows)),
                                   .capacity = rows->n + 1 };
    cells->of_row = calloc(rows->n + 1, sizeof(*cells->of_row));
    if (!time_s || !cells->rows.rows || !cells->of_row) {
        free(time_s);
        return gcal_error_memory(err);
    }
    find_cells(record, rows, cells);
    find_times(rows, cells, time_s);
    free(time_s);
    return 0;
}
