/* kernel.h - one kernel on one type of devices: its times, those that the store has, its factors, and
 * their publication
 */
#ifndef GCAL_CALIB_LEARN_KERNEL_H
#define GCAL_CALIB_LEARN_KERNEL_H

#include "kernels/base/arena.h"
#include "calib/learn/corrections.h"
#include "store/learned/learned.h"
#include "store/params/params.h"

struct gcal_store;

/* Sizes of a kernel on a type of devices, and its times on all of these: a store keeps no more
 * (store/publish/publish.c).
 */
enum { GCAL_LEARN_MOST_SIZES = 64, GCAL_LEARN_MOST_TIMES = 256 };

/* One kernel, its model on a device, and what it is worth. */
struct gcal_learned {
    struct gcal_arena *arena;
    struct gcal_store *store;
    const struct gcal_params_device *device; /* to learn on */
    const struct gcal_params_model *general; /* of the device */
    const char *name;                        /* of the model */
    /* Counts the launch at sizes "n=1024,m=64": fills profile and sizes. */
    int (*count)(void *context, const char *sizes, struct gcal_kernel_time *time,
                 struct gcal_error *err);
    void *context;
    struct gcal_params known;       /* in the store; the owner's to clear */
    size_t n;                       /* sizes with a time */
    struct gcal_kernel_time *times; /* medians over the devices of the type */
    size_t n_kept, capacity;
    struct gcal_params_time
        *kept; /* as the store keeps them: at these sizes, then on other devices */
    struct gcal_learned_spreads spreads; /* types 0: to be estimated from the store */
    double between_devices; /* deviation of their times from the type's; 0: unknown */
    size_t n_members;
    struct gcal_params_member
        *members; /* the devices, if it is known how far they lie apart */
    struct gcal_params_model model;
    /* Geometric means at these sizes: of the general model, and of models that lack the size. */
    double general_error, held_out_error;
};

struct gcal_learn_run {
    const char *run_id, *utc;
};

/* Adds times over the factors of their devices; at sizes that have one of the device already, or any if it
 * is unknown, that stays.  Of several times at the same sizes the median counts, so that a first launch,
 * or one beside another program's work, does not.
 */
void gcal_learn_add_times(struct gcal_learned *kernel, size_t n,
                          const struct gcal_params_time *times);
/* Corrects the general model by the times, of which there are some, and those that the store has
 * of this type, and finds what its devices differ by.
 */
int gcal_learn_fit_kernel(struct gcal_learned *kernel, struct gcal_error *err);
/* Fills the errors at these sizes of the general model, NaN where it does not predict the kernel at
 * all, and of models that each lack a time.
 */
int gcal_learn_judge_kernel(struct gcal_learned *kernel, struct gcal_error *err);
/* The factors and the times, for all devices of the type. */
int gcal_learn_publish_kernel(struct gcal_learned *kernel,
                              const struct gcal_learn_run *run, struct gcal_error *err);

#endif
