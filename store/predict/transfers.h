/* transfers.h - predicted times of copies between host and device, and of a step of copies
 * and a kernel
 *
 * The costs are those of the device's model of transfers (gcal_params_model_is_of_transfers()).
 * A copy's time is that of a profile that counts nothing but its bytes and copies; so it has
 * an interval, and a mark where it lies outside of what was measured.
 *
 * A step copies to the device, runs a kernel and copies back, one after the other.  Where
 * steps repeat, the copies of one may run beside the kernel of another, in a queue of their
 * own: a step then takes as long as the longer of the two, and the share of the shorter that
 * is not hidden, the model's parameter p_exposed.  The same holds of copies of the two
 * directions beside each other, with the parameter p_exposed_both; of a model without it, they
 * take turns.
 */
#ifndef GCAL_STORE_PREDICT_TRANSFERS_H
#define GCAL_STORE_PREDICT_TRANSFERS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/feature.h"
#include "store/predict/predictor.h"

struct gcal_error;
struct gcal_params_device;
struct gcal_params_model;
struct gcal_transfers;

struct gcal_transfers_copy {
    enum gcal_feature_copy_direction way;
    enum gcal_feature_host_memory host;
    double bytes;  /* of all copies, above 0 */
    double copies; /* at least 1 */
};

/* The model of transfers, the first if there are several; NULL: none. */
const struct gcal_params_model *
gcal_transfers_find(const struct gcal_params_device *device);

/* NULL with 'err' where the device has no model of transfers.  Needs neither the device nor
 * its parameters afterwards.
 */
struct gcal_transfers *gcal_transfers_create(const struct gcal_params_device *device,
                                             struct gcal_error *err);
void gcal_transfers_destroy(struct gcal_transfers *transfers);
/* The model's name. */
const char *gcal_transfers_model(const struct gcal_transfers *transfers);

/* -1 also where the model has no cost of such copies.  'prediction' borrows from 'transfers'.
 */
int gcal_transfers_eval(const struct gcal_transfers *transfers,
                        const struct gcal_transfers_copy *copy,
                        struct gcal_prediction *prediction, struct gcal_error *err);

/* The share, 0 to 1, of the shorter of a kernel and copies in another queue that the longer
 * does not hide; NaN: the model has none.
 */
double gcal_transfers_exposed(const struct gcal_transfers *transfers);
/* The same of the shorter direction of copies in both directions at once; NaN also if nothing
 * determined it.
 */
double gcal_transfers_exposed_both(const struct gcal_transfers *transfers);
/* Copies in both directions at once, of 'bytes' each.  -1 also where the model does not know
 * such copies.
 */
int gcal_transfers_eval_both(const struct gcal_transfers *transfers,
                             enum gcal_feature_host_memory host, double bytes,
                             double copies, struct gcal_prediction *prediction,
                             struct gcal_error *err);

/* What a copy of each byte costs, and what each copy costs beside: time_s = start_s +
 * byte_s * bytes, from two predictions.
 */
struct gcal_transfers_rate {
    double start_s, byte_s;
};
int gcal_transfers_rate(const struct gcal_transfers *transfers,
                        enum gcal_feature_copy_direction way,
                        enum gcal_feature_host_memory host,
                        struct gcal_transfers_rate *rate, struct gcal_error *err);

/* ---- a step ---- */

struct gcal_step {
    double in_s, kernel_s, out_s; /* copies to the device, the kernel, copies back */
    double time_s;                /* their sum */
    double low_s, high_s;         /* 90 % interval: errors of the parts are independent */
    double copies_s;              /* all copies: both directions at once, or if the model
                                     does not know that, one after the other */
    double overlapped_s;          /* where copies run beside the kernel of another step;
                                     NaN: unknown */
    bool extrapolates;
};

/* 'kernel' may be NULL: copies alone. */
int gcal_step_predict(const struct gcal_transfers *transfers,
                      const struct gcal_prediction *kernel, size_t n_copies,
                      const struct gcal_transfers_copy *copies, struct gcal_step *step,
                      struct gcal_error *err);

#endif
