/* remove.h - work removal (seed 004 algorithm 3): the same kernel with part of its work
 */
#ifndef GCAL_KERNELS_REMOVE_H
#define GCAL_KERNELS_REMOVE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/request.h"

struct gcal_error;

enum gcal_remove_form {
    /* Global loads alone, summed up: loops, conditions and what the loads' places
     * depend on stay; arithmetic, local memory, barriers and stores go.
     */
    GCAL_REMOVE_KEEP_LOADS,
    /* The opposite: all work on the chip stays.  A global load becomes a private value
     * that no compiler knows: the bits of a counter that starts from the work-item's id
     * and goes up at each load; a global store adds to a private sum instead.
     */
    GCAL_REMOVE_KEEP_ONCHIP,
    /* All global accesses in place and nothing else: as the first, but stores stay where
     * they are and store the sum of what was loaded so far, and barriers stay.
     */
    GCAL_REMOVE_KEEP_MEMORY,
};

struct gcal_remove_options {
    enum gcal_remove_form form;
    /* GCAL_REMOVE_KEEP_LOADS: arrays or tags whose loads stay (n_keep 0: all). */
    size_t n_keep;
    const char *const *keep;
    /* Not of GCAL_REMOVE_KEEP_ONCHIP: in how many accumulators loads are summed up (0 and
     * 1: one, in which each addition waits for the one before).
     */
    size_t n_accumulators;
    bool drop_barriers; /* GCAL_REMOVE_KEEP_MEMORY: they go, too */
};

/* What an element of 'read_tgt_dest' is. */
struct gcal_remove_element {
    const char *dtype; /* NULL: there is no such buffer */
    size_t n_lanes;    /* of a vector, or 1 */
};

/* The kernel of 'request' with the same loops and NDRange that does only the work which
 * 'removal' asks for, and stores the sum in 'read_tgt_dest', a buffer argument added at
 * the end: one element per work-item, linear in the global id, tagged "sum".  It has the
 * type of what is summed up, or the widest of the types as a scalar.
 * GCAL_REMOVE_KEEP_MEMORY needs no such buffer where the kernel stores something itself.
 * Arguments that are not used any more stay, so the call's arguments are those of the
 * original and this one. 'element' (may be NULL) gets the type of its elements.  Returns
 * OpenCL C, the caller's to free; NULL with 'err' (GCAL_EINPUT, "file:line:column:
 * reason") where what should stay depends on what should go.
 */
char *gcal_remove_work(const struct gcal_count_request *request,
                       const struct gcal_remove_options *removal,
                       struct gcal_remove_element *element, struct gcal_error *err);

/* A name that 'keep' may have: a tag, or an array. */
struct gcal_remove_load {
    char *name;
    bool is_own; /* loads have it as their tag, or as their array and no tag */
    char *with;  /* "x+index": 'name' and what has to be kept with it */
};

struct gcal_remove_load_list {
    size_t n, capacity;
    struct gcal_remove_load *items;
};

/* The names of all global loads, 'with' not filled. */
int gcal_remove_find_loads(const struct gcal_count_request *request,
                           struct gcal_remove_load_list *loads, struct gcal_error *err);
/* Fills 'with' where 'is_own'. */
int gcal_remove_find_load_dependences(const struct gcal_count_request *request,
                                      struct gcal_remove_load_list *loads,
                                      struct gcal_error *err);
void gcal_remove_load_list_clear(struct gcal_remove_load_list *loads);

#endif
