/* remove_onchip.h - what the parts of the reduction to on-chip work share, nobody else
 *
 * remove_onchip.c copies functions and statements, remove_access.c replaces accesses to
 * global memory, remove_value.c makes the values and sums in their place.
 */
#ifndef GCAL_KERNELS_REMOVE_ONCHIP_H
#define GCAL_KERNELS_REMOVE_ONCHIP_H

#include "kernels/remove/private.h"

/* A counter or a sum that a helper uses. */
struct use {
    bool is_sum;
    size_t number;
};

struct function {
    CXCursor definition;
    struct use *uses;
    size_t n_uses, use_capacity;
};

struct onchip {
    struct remover *r;
    struct gcal_buf *out;
    unsigned position; /* what stands before it in the source is copied or replaced */
    struct sum *counters;
    size_t n_counters, counter_capacity;
    struct sums sums, all_sums; /* found by now; found in the turn before */
    struct function *functions;
    size_t n_functions, function_capacity;
    struct function *helper; /* being written; NULL: the kernel */
    int loop_depth;
    size_t n_stores; /* in what is written of the kernel */
};

/* ---- remove_onchip.c ---- */
void gcal_onchip_copy_until(struct onchip *o, unsigned to);
/* The text of 'c' with its own accesses replaced, to 'out'. */
int gcal_onchip_put_rewritten(struct onchip *o, CXCursor c, struct gcal_buf *out);
int gcal_onchip_rewrite(struct onchip *o, CXCursor c);
int gcal_onchip_rewrite_children(struct onchip *o, CXCursor c);

/* ---- remove_access.c ---- */
/* Of the load 'c' from 'place'. */
int gcal_onchip_replace_load(struct onchip *o, CXCursor c, CXCursor place);
/* Of an assignment to global memory, ++ or --. */
int gcal_onchip_replace_change(struct onchip *o, CXCursor c);
int gcal_onchip_rewrite_call(struct onchip *o, CXCursor c);

/* ---- remove_value.c ---- */
/* The helper that is being written uses it. */
int gcal_onchip_add_use(struct onchip *o, bool is_sum, size_t number);
void gcal_onchip_put_use_name(struct use use, struct gcal_buf *out);
void gcal_onchip_put_counter_type(struct sum type, struct gcal_buf *out);
void gcal_onchip_declare_counter(struct onchip *o, size_t number, struct gcal_buf *out);
/* A value of 'type', another one each time that it is asked for. */
int gcal_onchip_put_value(struct onchip *o, CXCursor at, CXType type,
                          struct gcal_buf *out);
/* Adds 'value' to the sum of 'type': two steps, so that a product is not fused with the
 * addition, which the kernel does not have.
 */
int gcal_onchip_put_addition(struct onchip *o, CXCursor at, CXType type,
                             const char *value, struct gcal_buf *out);

#endif
