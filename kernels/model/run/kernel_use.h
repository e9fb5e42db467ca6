/* kernel_use.h - which models asked for a kernel, and what for */
#ifndef GCAL_KERNELS_MODEL_RUN_KERNEL_USE_H
#define GCAL_KERNELS_MODEL_RUN_KERNEL_USE_H

#include <stdbool.h>

#include "kernels/model/run/field.h"

struct gcal_buf;
struct gcal_wire;
struct gcal_error;

enum gcal_kernel_role {
    GCAL_KERNEL_FITTED, /* the model is fitted to it */
    GCAL_KERNEL_TARGET, /* the model predicts it */
    GCAL_KERNEL_CHECK,  /* in records from before: nothing is fitted to it */
};

struct gcal_kernel_use {
    char *model;
    enum gcal_kernel_role role;
};

/* In the order of the requests, each once. */
struct gcal_kernel_uses {
    size_t n, capacity;
    struct gcal_kernel_use *items;
};

/* All members of struct gcal_kernel_use. */
extern const struct gcal_field gcal_kernel_use_fields[];

/* Appends a use, unless it is there. */
int gcal_kernel_uses_add(struct gcal_kernel_uses *uses, const char *model,
                         enum gcal_kernel_role role, struct gcal_error *err);
bool gcal_kernel_uses_have(const struct gcal_kernel_uses *uses, const char *model,
                           enum gcal_kernel_role role);
/* Copies to 'to', which is empty; after -1, too, it is the caller's to clear. */
int gcal_kernel_uses_copy(struct gcal_kernel_uses *to,
                          const struct gcal_kernel_uses *from, struct gcal_error *err);
void gcal_kernel_uses_clear(struct gcal_kernel_uses *uses);

/* The binary encoding; get sets wire->bad on invalid data. */
void gcal_kernel_uses_put(struct gcal_buf *buf, const struct gcal_kernel_uses *uses);
void gcal_kernel_uses_get(struct gcal_wire *wire, struct gcal_kernel_uses *uses);

#endif
