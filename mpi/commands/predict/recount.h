/* recount.h - kernels of a record, counted again for models that need more of them */
#ifndef GCAL_MPI_COMMANDS_PREDICT_RECOUNT_H
#define GCAL_MPI_COMMANDS_PREDICT_RECOUNT_H

#include "mpi/commands/predict/compare.h"
#include "mpi/commands/predict/measure_targets.h"

struct gcal_error;

/* Gives those of the kernels from the 'first' on that 'selection' picks, and whose recorded
 * counts lack what its models and the baselines of 'targets' need, counts from the
 * catalogue: from the built-in one and the files of 'record'.  A kernel that the catalogue
 * has with another source, or that cannot be counted, has the reason in 'uncounted'.
 */
int gcal_evaluation_recount(const struct gcal_evaluation_targets *targets,
                            const struct gcal_evaluation_selection *selection,
                            const struct gcal_record *record,
                            const struct gcal_device_info *info,
                            struct gcal_measured_kernels *measured, size_t first,
                            struct gcal_error *err);

#endif
