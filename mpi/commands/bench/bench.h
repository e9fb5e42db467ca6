/* bench.h - 'gpucal kernels --run': kernels checked and timed on a device, and the table
 */
#ifndef GCAL_MPI_COMMANDS_BENCH_H
#define GCAL_MPI_COMMANDS_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "kernels/model/run/device_info.h"
#include "kernels/model/run/measurement.h"
#include "kernels/model/run/work.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/display.h"

struct gcal_arena;
struct gcal_catalogue;
struct gcal_display;
struct gcal_error;
struct gcal_worker_spawner;

/* Result of a kernel.  Of a size sweep only the chosen size has a row, or the sizes that
 * say why none was chosen.
 */
struct gcal_bench_row {
    bool present;
    enum gcal_measurement_status status;
    enum gcal_measurement_stop stop;
    const char *detail; /* cause of a failure; NULL: none */
    size_t n_samples;
    double time_s, spread; /* median, and its relative standard error */
    struct gcal_work work;
    struct gcal_built built;
};

/* The kernels of a device. */
struct gcal_bench_run {
    struct gcal_arena *arena;
    const struct gcal_device_info *info;
    struct gcal_kernel_list list;
    struct gcal_bench_row *rows; /* one per kernel of 'list' */
    double took_s;
    const char *failure; /* why the device was abandoned; NULL: it was not */
};

/* Measures the kernels of run->list on the device run->info.  A device that fails is
 * noted in run->failure and is not an error.
 */
int gcal_bench_run(struct gcal_bench_run *run, struct gcal_worker_spawner *spawner,
                   double budget_s, struct gcal_display *display, struct gcal_error *err);

/* False if a kernel failed, gave a wrong result or was not reached within the budget.
 * Kernels that the device lacks the memory or the type for do not count, unless there are
 * no others.
 */
bool gcal_bench_run_passed(const struct gcal_bench_run *run);

/* ---- table.c ---- */

/* Prints the table to stdout. */
void gcal_bench_print(const struct gcal_bench_run *run);

/* Prints how many of the selected kernels the device cannot run, which ones cannot be
 * counted, and why.
 */
void gcal_bench_print_left_out(const struct gcal_kernel_list *list);

/* Row i as an object, whose keys are the columns of the CSV file. */
json_t *gcal_bench_row_json(const struct gcal_bench_run *run, size_t i);
/* The header line, and a line per row. */
void gcal_bench_csv_header(FILE *file);
void gcal_bench_csv_rows(FILE *file, const struct gcal_bench_run *run);

#endif
