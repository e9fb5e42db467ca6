/* starpu.h - what the parts of 'gpucal export --to starpu' share
 *
 * A performance model of StarPU 1.3 is a text file (sampling/codelets/45/SYMBOL.HOST)
 * with a table of times for each worker: an entry for each footprint, a hash of the sizes
 * of a task's data, and two power laws of the data's size in bytes for models that are
 * regressions.  Its unit is the microsecond.
 */
#ifndef GCAL_MPI_EXPORT_STARPU_H
#define GCAL_MPI_EXPORT_STARPU_H

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
/* StarPU trusts a mean of so many measurements (STARPU_CALIBRATE_MINIMUM, unless it is
 * set to other): a prediction is given the weight of as many.
 */
#define GCAL_EXPORT_STARPU_SAMPLES 10

/* ---- footprints ---- */

/* What StarPU looks a task's time up by. */
struct gcal_export_starpu_task {
    uint32_t footprint;
    uint64_t size; /* bytes of all data, or the model's size_base */
};

/* For sizes in the order of the export's only kernel.  The footprint is StarPU's own: of
 * the data handles that --data describes, or of --size-base.  GCAL_EINPUT when these do
 * not parse or have values that are no sizes.
 */
int gcal_export_starpu_task(const struct gcal_export *e,
                            const struct gcal_export_starpu_options *options,
                            const double *sizes, struct gcal_export_starpu_task *task,
                            struct gcal_error *err);

/* ---- power laws ---- */

/* In microseconds and bytes.  NaN where there are too few sizes to tell. */
struct gcal_export_starpu_laws {
    double sum_x, sum_xx, sum_y, sum_xy; /* of logarithms, of all samples */
    double alpha, beta;                  /* time = alpha size^beta */
    double a, b, c;                      /* time = a size^b + c */
    double linear_error, error; /* largest |law / time - 1| of the one and the other */
};

/* 'time_us' of 'n' sizes, each counted as GCAL_EXPORT_STARPU_SAMPLES measurements. */
void gcal_export_starpu_laws(const struct gcal_export_starpu_task *tasks,
                             const double *time_us, size_t n,
                             struct gcal_export_starpu_laws *laws);

/* ---- the file ---- */

/* An OpenCL worker's times, by task. */
struct gcal_export_starpu_worker {
    char *comment; /* one line: which device this is */
    double *time_us, *error_us;
};

void gcal_export_starpu_write(struct gcal_buf *out,
                              const struct gcal_export_starpu_task *tasks, size_t n_tasks,
                              const struct gcal_export_starpu_worker *workers,
                              size_t n_workers);

#endif
