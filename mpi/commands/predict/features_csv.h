/* features_csv.h - the features of evaluated kernels, for models made elsewhere */
#ifndef GCAL_MPI_COMMANDS_PREDICT_FEATURES_CSV_H
#define GCAL_MPI_COMMANDS_PREDICT_FEATURES_CSV_H

#include "mpi/commands/predict/evaluation.h"
#include "store/params/params.h"

struct gcal_error;

/* Writes a header line, then for each kernel that a model of 'device' predicts its model,
 * application, kernel, measured and predicted times (s), and the count of each feature of
 * any of these models; empty: a feature of other models.  The file is replaced as a whole.
 */
int gcal_features_csv(const char *path, const struct gcal_evaluation *evaluation,
                      const struct gcal_params_device *device, struct gcal_error *err);

#endif
