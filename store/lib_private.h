/* lib_private.h - what the files of libgpucal share */
#ifndef GCAL_STORE_LIB_PRIVATE_H
#define GCAL_STORE_LIB_PRIVATE_H

#include <stddef.h>

#include "store/gpucal.h"

struct gcal_error;

#define API __attribute__((visibility("default")))

struct gpucal_model {
    struct gcal_predictor *predictor;
    size_t n_sizes;
};

/* The library's errors to the caller's; 'err' may be NULL.  Returns -1. */
int gpucal_tell(struct gpucal_error *err, const struct gcal_error *from);

#endif
