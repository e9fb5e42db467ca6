/* kernel_origin.h - which kernel a derived kernel (work removed) was made from, and what
 * is left of its work
 */
#ifndef GCAL_KERNELS_MODEL_RUN_KERNEL_ORIGIN_H
#define GCAL_KERNELS_MODEL_RUN_KERNEL_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/model/run/field.h"

/* What is left of a kernel's work. */
enum gcal_kernel_form {
    GCAL_KERNEL_COMPLETE, /* all of it: the kernel is not derived */
    GCAL_KERNEL_LOADS,    /* global loads, some or all, summed up */
    GCAL_KERNEL_ONCHIP,   /* everything but accesses to global memory */
    GCAL_KERNEL_MEMORY,   /* all accesses to global memory, in place */
    GCAL_KERNEL_N_FORMS
};

/* Texts are owned; "" or NULL for a complete kernel. */
struct gcal_kernel_origin {
    enum gcal_kernel_form form;
    char *generator, *family, *name; /* of the complete kernel with the same arguments */
    uint64_t n_accumulators;         /* of its loads; 0: no loads, or not selectable */
    bool barriers; /* GCAL_KERNEL_MEMORY: barriers are kept; false for other forms */
};

/* All members. */
extern const struct gcal_field gcal_kernel_origin_fields[];

/* "complete", "loads", "onchip", "memory". */
const char *gcal_kernel_form_name(enum gcal_kernel_form form);

#endif
