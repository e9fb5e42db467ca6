/* table.h - predictions at several sizes */
#ifndef GCAL_MPI_COMMANDS_PREDICT_TABLE_H
#define GCAL_MPI_COMMANDS_PREDICT_TABLE_H

#include "mpi/commands/predict/inputs.h"
#include "store/predict/predictor.h"

struct gcal_error;
struct gcal_step_plan;

/* A line per point of 'target', on standard output; 'rows' has their predictions. */
void gcal_predict_print_table(const char *device, const char *node, const char *model,
                              const struct gcal_predict_target *target,
                              const struct gcal_prediction *rows);

/* The same as a CSV file with more digits, the times of 'generals' (of each point that is counted by
 * itself, or one of all) and those of a step with
 * copies (NULL: none); the file is replaced as a whole.
 */
int gcal_predict_csv(const char *path, const struct gcal_predict_target *target,
                     const struct gcal_prediction *rows,
                     struct gcal_predictor *const *generals,
                     const struct gcal_step_plan *step, struct gcal_error *err);

#endif
