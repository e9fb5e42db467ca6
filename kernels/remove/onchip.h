/* onchip.h - shared by the files of the reduction to on-chip work; private to them
 *
 * onchip.c copies functions and statements, and replaces accesses to global
 * memory, onchip_value.c makes the values and sums for them.
 */
#ifndef GCAL_KERNELS_REMOVE_ONCHIP_H
#define GCAL_KERNELS_REMOVE_ONCHIP_H

#include "kernels/remove/private.h"

/* A counter or a sum that a helper uses. */
struct gcal_remove_use {
    bool is_sum;
    size_t number;
};

struct gcal_remove_function {
    CXCursor definition;
    struct gcal_remove_use *uses;
    size_t n_uses, use_capacity;
};

struct gcal_remove_onchip {
    struct gcal_remove_pass *r;
    struct gcal_buf *out;
    unsigned position; /* offset in the source; all before it is copied or replaced */
    struct gcal_remove_sum *counters;
    size_t n_counters, counter_capacity;
    struct gcal_remove_sums sums, all_sums; /* found so far; found by the first pass */
    struct gcal_remove_function *functions;
    size_t n_functions, function_capacity;
    struct gcal_remove_function *helper; /* being written; NULL: the kernel */
    int loop_depth;
    size_t n_stores; /* of the kernel, written so far */
};

/* ---- onchip.c ---- */
/* The text of 'c', with its accesses replaced, to 'out'. */
int gcal_remove_onchip_put_rewritten(struct gcal_remove_onchip *o, CXCursor c,
                                     struct gcal_buf *out);
int gcal_remove_onchip_rewrite_children(struct gcal_remove_onchip *o, CXCursor c);

/* ---- onchip_value.c ---- */
/* Copies the source from o->position to 'to'. */
void gcal_remove_onchip_copy_until(struct gcal_remove_onchip *o, unsigned to);
/* Notes that the helper being written uses it. */
int gcal_remove_onchip_add_use(struct gcal_remove_onchip *o, bool is_sum, size_t number);
void gcal_remove_onchip_put_use_name(struct gcal_remove_use use, struct gcal_buf *out);
void gcal_remove_onchip_put_counter_type(struct gcal_remove_sum type,
                                         struct gcal_buf *out);
void gcal_remove_onchip_declare_counter(struct gcal_remove_onchip *o, size_t number,
                                        struct gcal_buf *out);
/* A value of 'type', each time another one. */
int gcal_remove_onchip_put_value(struct gcal_remove_onchip *o, CXCursor at, CXType type,
                                 struct gcal_buf *out);
/* Adds 'value' to the sum of 'type', in two steps: compilers must not fuse a product with
 * this addition, which the original kernel does not have.
 */
int gcal_remove_onchip_put_addition(struct gcal_remove_onchip *o, CXCursor at,
                                    CXType type, const char *value, struct gcal_buf *out);

#endif
