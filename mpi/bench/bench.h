/* bench.h - 'gpucal kernels --run': kernels checked and timed on a device, as rows
 * of a table
 */
#ifndef GCAL_MPI_BENCH_H
#define GCAL_MPI_BENCH_H

#include <stdbool.h>
#include <stdio.h>

#include "calib/model/measurement.h"
#include "calib/model/work.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/display.h"

struct gcal_display;
struct gcal_error;
struct gcal_worker_spawner;

/* What became of a kernel.  Of a ladder's kernels only those have a row that were chosen,
 * or that say why none was.
 */
struct gcal_bench_row {
    bool there;
    enum gcal_measurement_status status;
    enum gcal_measurement_stop stop;
    char *detail; /* what is wrong; NULL when nothing is */
    size_t n_samples;
    double time_s, spread; /* median; its relative standard error */
    struct gcal_work work;
};

/* A device's. */
struct gcal_bench_run {
    const struct gcal_device_info *info;
    struct gcal_kernel_list list;
    struct gcal_bench_row *rows; /* one for each of the list's kernels */
    double took_s;
    char *failure; /* why the device was given up, NULL when it was not */
};

/* Measures the kernels of run->list on the device run->info; a device that is given up
 * is no error.
 */
int gcal_bench_run(struct gcal_bench_run *run, struct gcal_worker_spawner *spawner,
                   double budget_s, struct gcal_display *display, struct gcal_error *err);
void gcal_bench_run_clear(struct gcal_bench_run *run);

/* False when a kernel failed or was wrong, or its time did not come.  Kernels that the
 * device has no room or no type for are no failure, unless there is nothing else.
 */
bool gcal_bench_run_passed(const struct gcal_bench_run *run);

/* ---- table.c ---- */

/* The table that people read, on stdout. */
void gcal_bench_print(const struct gcal_bench_run *run);

/* How many of the kernels that were asked for a device cannot run, and why. */
void gcal_bench_print_unsupported(const struct gcal_kernel_list *list);

/* A line per row; the header line names the columns. */
void gcal_bench_csv_header(FILE *file);
void gcal_bench_csv_rows(FILE *file, const struct gcal_bench_run *run);

#endif
