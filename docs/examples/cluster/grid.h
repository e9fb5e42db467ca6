/* grid.h - some rows of the grid on an OpenCL device, with a row more at either end: its halo
 *
 * Cells are numbers in [0, 1) that follow from their place, so that ranks need not exchange them.  What
 * is around the grid stays as it is.
 */
#ifndef CLUSTER_GRID_H
#define CLUSTER_GRID_H

#include <stddef.h>

#define GRID_LOCAL_0 64
#define GRID_LOCAL_1 4 /* rows are divided in multiples of it */

struct grid; /* opaque */

/* Compute units of the rank's device, whose name contains 'name' ("": the only one); 0: there is none. */
unsigned grid_device(const char *name);

/* Rows first .. first+rows-1 of the grid; NULL with a message.  No rows: nothing to do. */
struct grid *grid_create(const char *device, const char *kernel_path, size_t first,
                         size_t rows, size_t width);
void grid_destroy(struct grid *grid);

size_t grid_row_bytes(const struct grid *grid);
/* One step on all rows; -1 with a message. */
int grid_step(struct grid *grid);
/* Row 1 is the first, 0 and rows+1 are the halo. */
int grid_read(struct grid *grid, size_t row, float *cells);
int grid_write(struct grid *grid, size_t row, const float *cells);
/* The number of the first 'n' rows and of the last that differ from those of the host after 'steps' steps
 * from the start.
 */
int grid_check(struct grid *grid, size_t total, size_t n, size_t steps);

#endif
