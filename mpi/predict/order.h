/* rank.h - variants of a kernel in the order of their predicted times */
#ifndef GCAL_MPI_PREDICT_ORDER_H
#define GCAL_MPI_PREDICT_ORDER_H

#include "mpi/predict/predicting.h"
#include "store/predict/predictor.h"

struct gcal_rank_variant {
    char *name;
    struct gcal_subject subject;
    struct gcal_prediction prediction;
    double *log_gradient;
    double faster_than_next; /* probability; NaN of the last */
};

struct gcal_rank {
    const char *node, *device, *model; /* borrowed */
    size_t n, capacity;
    struct gcal_rank_variant *variants; /* the fastest first, once ranked */
    double fastest;                     /* probability that the first one is */
};

/* An empty one, to be filled with name and subject; NULL with 'err'. */
struct gcal_rank_variant *gcal_rank_add(struct gcal_rank *rank, struct gcal_error *err);
void gcal_rank_clear(struct gcal_rank *rank);

/* Predicts all, and puts them in order. */
int gcal_rank_variants(struct gcal_rank *rank, const struct gcal_params_device *device,
                       struct gcal_error *err);

/* On standard output. */
int gcal_rank_print(const struct gcal_rank *rank, struct gcal_error *err);
int gcal_rank_print_json(const struct gcal_rank *rank, struct gcal_error *err);

#endif
