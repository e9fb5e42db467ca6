/* order.h - variants of a kernel in the order of their predicted times */
#ifndef GCAL_MPI_COMMANDS_PREDICT_ORDER_H
#define GCAL_MPI_COMMANDS_PREDICT_ORDER_H

#include "mpi/commands/predict/inputs.h"
#include "store/predict/predictor.h"

struct gcal_order_variant {
    size_t index;     /* it was added as this one, from 0 */
    const char *name; /* borrowed */
    struct gcal_predict_target target;
    struct gcal_prediction prediction; /* its texts are NULL */
    char *refusal;                /* why there is no prediction; NULL: there is one */
    struct gcal_ratio_side *side; /* NULL: no prediction */
    double faster_than_first; /* probability, 0.5 of the first; NaN: it is not covered */
};

struct gcal_order {
    const char *node, *device, *model; /* borrowed */
    size_t n, capacity;
    /* Once ordered: the covered ones, the fastest first; those with some work that the
     * model has no cost for; those without a prediction.
     */
    struct gcal_order_variant *variants;
    size_t n_covered;
    double fastest; /* probability that the first one is the fastest of the covered; of
                       very many, of those with the best chances */
};

/* Appends a variant, of which name and target are to be filled; NULL with 'err'. */
struct gcal_order_variant *gcal_order_add(struct gcal_order *order,
                                          struct gcal_error *err);
void gcal_order_clear(struct gcal_order *order);

/* Chooses the model, unless 'model' names one, predicts all variants and sorts them.  -1
 * also if none can be predicted.
 */
int gcal_order_variants(struct gcal_order *order, const struct gcal_params_device *device,
                        struct gcal_error *err);

#endif
