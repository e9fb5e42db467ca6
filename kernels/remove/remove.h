/* remove.h - work removal: the same kernel with part of its work (Stevens and Kloeckner
 * 2020, algorithm 3)
 */
#ifndef GCAL_KERNELS_REMOVE_H
#define GCAL_KERNELS_REMOVE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/request.h"

struct gcal_error;

enum gcal_remove_form {
    /* Only global loads, added up.  Loops, conditions and the computation of addresses
     * stay; arithmetic, local memory, barriers and stores are deleted.
     */
    GCAL_REMOVE_KEEP_LOADS,
    /* The opposite: all work on the chip.  A global load becomes a private value unknown
     * to compilers: the bits of a counter that starts from the work-item's id and
     * increases at each load.  A global store becomes an addition to a private sum.
     */
    GCAL_REMOVE_KEEP_ONCHIP,
    /* Only global accesses, in place: as the first form, but stores stay, with the sum of
     * all loads so far as their value, and barriers stay.
     */
    GCAL_REMOVE_KEEP_MEMORY,
};

struct gcal_remove_options {
    enum gcal_remove_form form;
    /* Arrays or tags whose global accesses stay (n_keep 0: all), or with 'drop' those whose
     * accesses go; with GCAL_REMOVE_KEEP_MEMORY stores as well as loads.  Not with
     * GCAL_REMOVE_KEEP_ONCHIP.
     */
    size_t n_keep;
    const char *const *keep;
    bool drop;
    /* Number of accumulators that loads are added up in (0 and 1: one, in which each
     * addition waits for the one before).  Not with GCAL_REMOVE_KEEP_ONCHIP.
     */
    size_t n_accumulators;
    bool drop_barriers; /* GCAL_REMOVE_KEEP_MEMORY: delete barriers, too */
};

/* Type of an element of 'read_tgt_dest'. */
struct gcal_remove_element {
    const char *dtype; /* NULL: no such buffer */
    size_t n_lanes;    /* of a vector, or 1 */
};

/* The kernel of 'request', with the same loops and NDRange, reduced to the work that
 * 'removal' keeps.  It stores the sum in 'read_tgt_dest', a buffer argument added at the
 * end: one element per work-item, linear in the global id, tagged "sum", of the type that
 * is added up, or of the widest of several as a scalar.  With GCAL_REMOVE_KEEP_MEMORY a
 * kernel that stores something itself has no such buffer.  Unused arguments stay, so a
 * call has the original's arguments and this one.  'element' (may be NULL) gets the type
 * of its elements.  Returns OpenCL C, the caller's to free; NULL with 'err' (GCAL_EINPUT,
 * "file:line:column: reason") where work to be kept depends on work to be removed.
 */
char *gcal_remove_work(const struct gcal_count_request *request,
                       const struct gcal_remove_options *removal,
                       struct gcal_remove_element *element, struct gcal_error *err);

/* A name that 'keep' may have: a tag, or an array. */
struct gcal_remove_load {
    char *name;
    bool is_own; /* loads have it as their tag, or as their array and no tag */
    char *with;  /* "x+index": 'name' and the loads that it depends on */
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
