/* times.h - kernels with measured times from a file of 'gpucal kernels --run --csv' */
#ifndef GCAL_MPI_COMMANDS_PREDICT_TIMES_H
#define GCAL_MPI_COMMANDS_PREDICT_TIMES_H

#include "mpi/commands/predict/measure_targets.h"

struct gcal_error;

/* The kernels of 'file' that targets->tags select (none: all), counted from the catalogue
 * for 'info' as their models need it.  Columns: generator, arguments, time_s, and, where
 * the file has them, spread, samples, status, detail, registers, private_bytes, and device: rows of devices with
 * another name than that of 'info' are left out.  A kernel that cannot be counted has the
 * reason in 'uncounted'.  -1 with "file:line: ..." for a generator that the catalogue does
 * not have, and for a time that is not a number.
 */
int gcal_evaluation_read_times(const struct gcal_evaluation_targets *targets,
                               const char *file, const struct gcal_device_info *info,
                               struct gcal_measured_kernels *measured,
                               struct gcal_error *err);

#endif
