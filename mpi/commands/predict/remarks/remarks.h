/* remarks.h - what is said of a prediction beside its time, as text and as JSON */
#ifndef GCAL_MPI_COMMANDS_PREDICT_REMARKS_H
#define GCAL_MPI_COMMANDS_PREDICT_REMARKS_H

#include <jansson.h>
#include <stdio.h>

struct gcal_error;
struct gcal_params_device;
struct gcal_prediction;
struct gcal_predictor;
struct gcal_profile;

/* ---- work that the model has no cost for ---- */

/* Lines on standard output; none if all work is covered. */
void gcal_gaps_print(const struct gcal_predictor *predictor, const double *sizes);
/* [{"feature": ..., "count": ..., "share": ...}, ...], the largest share first. */
json_t *gcal_gaps_json(const struct gcal_predictor *predictor, const double *sizes);

/* ---- what the general model predicts for a kernel that has a model of its own ---- */

/* The device's general model beside 'model', which predicts the kernel; the caller's to
 * destroy.  NULL: 'model' is general, there is no other, or it does not predict this kernel.
 * All functions below do nothing then.
 */
struct gcal_predictor *gcal_general_create(const struct gcal_params_device *device,
                                           const char *model,
                                           const struct gcal_profile *profile);

/* A line on standard output: its time, and the difference from that of 'own'. */
void gcal_general_print(const struct gcal_predictor *general, const double *sizes,
                        const struct gcal_prediction *own);
/* Adds general: model, time_s, low_s and high_s, to 'answer'. */
void gcal_general_add_json(json_t *answer, const struct gcal_predictor *general,
                           const double *sizes);
/* Its time as the last field of a line. */
void gcal_general_put_csv(FILE *file, const struct gcal_predictor *general,
                          const double *sizes);

/* ---- a prediction outside of what the model was calibrated for ---- */

/* The feature that another calibration should cover; nothing if all are inside. */
void gcal_outside_print(const struct gcal_prediction *prediction);

/* ---- what a time depends on: limits of the device, and estimates ---- */

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
