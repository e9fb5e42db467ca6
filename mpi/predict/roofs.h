/* roofs.h - the limits of the device that bind a kernel, as text and as JSON */
#ifndef GCAL_MPI_PREDICT_ROOFS_H
#define GCAL_MPI_PREDICT_ROOFS_H

#include <jansson.h>

struct gcal_error;
struct gcal_prediction;
struct gcal_predictor;

/* A line on standard output; none for a model without roofs. */
void gcal_roofs_print(const struct gcal_prediction *prediction);
/* Adds bound_by (null: no roof binds) and roofs, the seconds of each, to 'answer'; nothing
 * for a model without roofs.
 */
int gcal_roofs_add_json(json_t *answer, const struct gcal_predictor *predictor,
                        const double *sizes, const struct gcal_prediction *prediction,
                        struct gcal_error *err);

#endif
