/* private.h - the handles of libgpucal */
#ifndef GCAL_STORE_LIB_PRIVATE_H
#define GCAL_STORE_LIB_PRIVATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "kernels/model/profile.h"
#include "store/lib/gpucal.h"
#include "store/files/store.h"

struct gcal_error;
struct gcal_observer;
struct gcal_params_index;

#define API __attribute__((visibility("default")))

struct gpucal_store {
    atomic_size_t references; /* devices look up what is learned of kernels */
    struct gcal_store *store;
    _Atomic(struct gcal_observer *) observer; /* from the first observed time on */
};

struct gpucal_profile {
    struct gcal_profile_set counted;    /* with the same sizes each */
    const struct gcal_profile *profile; /* the first */
};

struct gpucal_device {
    struct gpucal_store *store;
    struct gcal_params_index *index; /* the node's file */
    size_t at;                       /* number of the device in it */
    struct gcal_store_stamp stamp;   /* of the file */
};

struct gpucal_model {
    struct gcal_predictor *predictor;
    size_t n_sizes;
    bool is_gpu; /* the device */
};

/* The published device; of its models only the names are set. */
const struct gcal_params_device *gpucal_device_info(const struct gpucal_device *device);

/* A handle for the device with number 'at' of the node's file, or NULL.  Texts of 'find' are
 * borrowed.
 */
struct gpucal_device *gpucal_device_find(
    const struct gpucal_store *store, const char *node, const char *pattern,
    const struct gcal_params_device *(*find)(const struct gcal_params *params,
                                             const char *pattern, struct gcal_error *err),
    struct gpucal_error *err);

/* Whether none of a function's pointers is NULL, as what an earlier call returned may be; else
 * 'err' says so.
 */
#define GIVEN(err, ...)                                                                  \
    gpucal_are_given(err, __func__, (const void *const[]){ __VA_ARGS__ },                \
                     sizeof((const void *const[]){ __VA_ARGS__ }) / sizeof(void *))
bool gpucal_are_given(struct gpucal_error *err, const char *function,
                      const void *const *pointers, size_t n);

/* Variants, or devices: a larger count is no count, and would be read beyond the array. */
enum { GPUCAL_MOST = 1 << 24 };
bool gpucal_can_count(struct gpucal_error *err, const char *function, size_t count);

/* Returns whether the place of later members is 0: else "WHAT i: ..", and -1. */
int gpucal_check_reserved(const uint64_t *reserved, size_t n, const char *what, size_t i,
                          struct gcal_error *err);
#define GPUCAL_CHECK_RESERVED(object, what, i, err)                                      \
    gpucal_check_reserved((object)->reserved,                                            \
                          sizeof((object)->reserved) / sizeof(*(object)->reserved),      \
                          (what), (i), (err))

/* Copies an error to the caller's, which may be NULL.  Returns -1. */
int gpucal_error_from(struct gpucal_error *err, const struct gcal_error *from);

#endif
