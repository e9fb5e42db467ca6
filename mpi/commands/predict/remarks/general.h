/* general.h - what the general model predicts for a kernel that has a model of its own */
#ifndef GCAL_MPI_COMMANDS_PREDICT_REMARKS_GENERAL_H
#define GCAL_MPI_COMMANDS_PREDICT_REMARKS_GENERAL_H

#include <jansson.h>
#include <stdio.h>

struct gcal_params_device;
struct gcal_prediction;
struct gcal_predictor;
struct gcal_profile;

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

#endif
