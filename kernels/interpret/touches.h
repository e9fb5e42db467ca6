/* touches.h - what work-items of a kernel access, observed in a sample of its work-groups */
#ifndef GCAL_KERNELS_INTERPRET_TOUCHES_H
#define GCAL_KERNELS_INTERPRET_TOUCHES_H

#include "kernels/interpret/sample.h"

enum { GCAL_INTERP_MOST_SITES = 256, GCAL_INTERP_MOST_GROUPS = 64 };

/* An access in the source, to one argument or variable. */
struct gcal_interp_site {
    int line, column;
    bool store, atomic;            /* atomic ones are stores, too */
    enum gcal_feature_space space; /* of an argument: global, whatever it is */
    size_t bytes;      /* that one execution touches: callers may know of more */
    const void *place; /* of the program that has run */
    size_t pointer; /* which of the arguments points there; 0: a variable, or not known */
    char argument[64]; /* its name, or "" */
    uint64_t sum[2];   /* a hash of what some groups touch, with two kinds of data */
};

/* One access of a work-item. */
struct gcal_interp_touch {
    uint32_t site, group, item; /* the group's number in the sample */
    uint64_t instance, loop;    /* see interpret.h */
    int64_t offset;             /* bytes */
};

struct gcal_interp_touches {
    size_t n, capacity;
    struct gcal_interp_touch *all;
    size_t n_sites;
    struct gcal_interp_site sites[GCAL_INTERP_MOST_SITES];
    size_t n_all, extents[GCAL_MAX_DIMS]; /* groups of the launch */
    /* Their linear numbers; in each of the parts, which are equal, one at random and the next
     * one along each axis that has several; or all of the launch, which are parts then.
     */
    size_t n_groups, n_parts, groups[GCAL_INTERP_MOST_GROUPS];
    size_t sub_group_size, n_sub_groups; /* of a group */
    /* Of private arrays, what the first sub-group of the first ones of these groups touches. */
    size_t n_private_groups;
};

/* Runs whole work-groups, always the same ones, as gcal_interp_sample_loops() does.  The
 * caller clears the touches in any case.
 */
int gcal_interp_sample_touches(struct gcal_source_unit *unit, CXCursor kernel,
                               const struct gcal_count_request *request,
                               const int64_t *groups, gcal_interp_size *size,
                               void *context, size_t n_contents,
                               const struct gcal_interp_contents *contents,
                               struct gcal_interp_touches *touches,
                               struct gcal_error *err);
void gcal_interp_touches_clear(struct gcal_interp_touches *touches);

/* ---- counts ---- */

/* A block of memory, as part of an execution by a sub-group, or of what more of these touch. */
struct gcal_interp_block {
    uint64_t within;
    int64_t block;
};

uint64_t gcal_interp_touch_mix(uint64_t a, uint64_t b);
/* Sorts them; returns how many differ, which come first. */
size_t gcal_interp_sort_blocks(size_t n, struct gcal_interp_block *blocks);
/* Of words, sorted: each execution passes as often as its fullest bank has words. */
double gcal_interp_count_passes(size_t n, const struct gcal_interp_block *words,
                                size_t n_banks);

/* What blocks are distinct in. */
enum gcal_interp_within {
    GCAL_INTERP_WITHIN_EXECUTION, /* of a sub-group */
    GCAL_INTERP_WITHIN_LOOP,      /* of a sub-group, all its iterations */
    GCAL_INTERP_WITHIN_SUB_GROUP,
    GCAL_INTERP_WITHIN_GROUP
};

struct gcal_interp_measure {
    enum gcal_interp_within within;
    size_t bytes;   /* of a block */
    size_t n_banks; /* not 0: passes over the banks, whose words are blocks */
    bool partial;   /* blocks of which some byte is not touched */
    /* Not 0: bytes of elements on which lanes of an execution meet: the most on one of them, or in
     * a bank, summed over blocks ('bytes' 0: all of memory is one).
     */
    size_t element;
    bool is_once; /* all lanes on one element count as one */
    /* Not 0: of private arrays, of so many lanes together, a word of each of which is beside those
     * of the others.
     */
    size_t private_lanes;
};

/* A count of the launch; 'error': its standard error, relative, 0 where all groups ran. */
struct gcal_interp_counted {
    double count, error;
};

/* Of the accesses at sites that are 'chosen'.  False when out of memory. */
bool gcal_interp_touches_count(const struct gcal_interp_touches *touches,
                               const bool *chosen,
                               const struct gcal_interp_measure *measure,
                               struct gcal_interp_counted *counted);

/* Distinct blocks of groups: of one, the share of them that the next group along an axis does
 * not have, and all of the launch, as far as a sample tells.
 */
struct gcal_interp_overlap {
    double group, fresh[GCAL_MAX_DIMS], launch;
};

bool gcal_interp_touches_overlap(const struct gcal_interp_touches *touches,
                                 const bool *chosen, size_t block_bytes,
                                 struct gcal_interp_overlap *overlap);

#endif
