/* outside.h - a prediction outside of what the model was calibrated for, as text */
#ifndef GCAL_MPI_COMMANDS_PREDICT_REMARKS_OUTSIDE_H
#define GCAL_MPI_COMMANDS_PREDICT_REMARKS_OUTSIDE_H

struct gcal_prediction;

/* The feature that another calibration should cover; nothing if all are inside. */
void gcal_outside_print(const struct gcal_prediction *prediction);

#endif
