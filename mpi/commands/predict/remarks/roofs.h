/* roofs.h - what a predicted time depends on: limits of the device and estimates, as text and as JSON */
#ifndef GCAL_MPI_COMMANDS_PREDICT_REMARKS_ROOFS_H
#define GCAL_MPI_COMMANDS_PREDICT_REMARKS_ROOFS_H

#include <jansson.h>

struct gcal_error;
struct gcal_prediction;
struct gcal_predictor;

/* Lines on standard output: the roof, if the model has roofs, and how much of the time
 * follows from estimates, if that is much.
 */
void gcal_roofs_print(const struct gcal_prediction *prediction);
/* Adds class and estimated to 'answer', and for a model with roofs bound_by (null: none
 * binds) and roofs, the seconds of each.
 */
int gcal_roofs_add_json(json_t *answer, const struct gcal_predictor *predictor,
                        const double *sizes, const struct gcal_prediction *prediction,
                        struct gcal_error *err);

#endif
