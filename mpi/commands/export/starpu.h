/* starpu.h - parts of 'gpucal export --to starpu'
 *
 * A performance model of StarPU 1.3 is a text file (sampling/codelets/45/SYMBOL.HOST)
 * with a table of times for each worker: an entry for each footprint (a hash of the sizes
 * of a task's data), and, for models that are regressions, two power laws of the data's
 * size in bytes.  Times are in microseconds.
 */
#ifndef GCAL_MPI_COMMANDS_EXPORT_STARPU_H
#define GCAL_MPI_COMMANDS_EXPORT_STARPU_H

#include <stddef.h>
#include <stdint.h>

#include "mpi/cli/option_list.h"

struct gcal_buf;
struct gcal_error;
struct gcal_export;

/* A codelet's performance model, and the data that StarPU finds its times by. */
struct gcal_export_starpu_options {
    const char *symbol;
    struct gcal_option_list data; /* of each handle, "BYTES[:NX[,NY[,NZ]]]" */
    const char *size_base;        /* or the value of the model's size_base; NULL: none */
};

#define GCAL_EXPORT_STARPU_VERSION 45
/* The number of measurements that make StarPU trust a mean (default of
 * STARPU_CALIBRATE_MINIMUM): a prediction is written with this weight.
 */
#define GCAL_EXPORT_STARPU_SAMPLES 10

/* ---- footprints ---- */

/* The key of a task's time in StarPU. */
struct gcal_export_starpu_task {
    uint32_t footprint;
    uint64_t size; /* bytes of all data, or the model's size_base */
};

/* The task at these sizes of the export's only kernel.  The footprint is computed as by
 * StarPU, from the data handles that --data describes or from --size-base.  GCAL_EINPUT
 * if these do not parse, or if a value is not a size.
 */
int gcal_export_starpu_task(const struct gcal_export *e,
                            const struct gcal_export_starpu_options *options,
                            const double *sizes, struct gcal_export_starpu_task *task,
                            struct gcal_error *err);

/* ---- power laws ---- */

/* In microseconds and bytes.  NaN if the sizes are too few or too close. */
struct gcal_export_starpu_laws {
    double sum_x, sum_xx, sum_y, sum_xy; /* of logarithms, of all samples */
    double alpha, beta;                  /* time = alpha size^beta */
    double a, b, c;                      /* time = a size^b + c */
    double linear_error, error; /* largest |law / time - 1| of the first and second law */
};

/* Fits laws to 'n' times, each with the weight of GCAL_EXPORT_STARPU_SAMPLES
 * measurements.
 */
void gcal_export_starpu_laws(const struct gcal_export_starpu_task *tasks,
                             const double *time_us, size_t n,
                             struct gcal_export_starpu_laws *laws);

/* ---- the file ---- */

/* An OpenCL worker's times, by task. */
struct gcal_export_starpu_worker {
    char *comment; /* one line: the device */
    double *time_us, *error_us;
};

void gcal_export_starpu_write(struct gcal_buf *out,
                              const struct gcal_export_starpu_task *tasks, size_t n_tasks,
                              const struct gcal_export_starpu_worker *workers,
                              size_t n_workers);

#endif
