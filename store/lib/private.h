/* private.h - what the files of libgpucal share */
#ifndef GCAL_STORE_LIB_PRIVATE_H
#define GCAL_STORE_LIB_PRIVATE_H

#include <stddef.h>

#include "store/lib/gpucal.h"
#include "store/files/store.h"

struct gcal_error;
struct gcal_params_index;

#define API __attribute__((visibility("default")))

struct gpucal_store {
    struct gcal_store *store;
};

struct gpucal_device {
    struct gcal_params_index *index; /* of its node's file */
    size_t at;                       /* in it */
    struct gcal_store_stamp stamp;   /* of the file */
};

struct gpucal_model {
    struct gcal_predictor *predictor;
    size_t n_sizes;
};

/* What is published of it; its models have names only. */
const struct gcal_params_device *gpucal_device_info(const struct gpucal_device *device);

/* The library's errors to the caller's; 'err' may be NULL.  Returns -1. */
int gpucal_error_from(struct gpucal_error *err, const struct gcal_error *from);

#endif
