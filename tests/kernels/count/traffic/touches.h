/* touches.h - memory that work-items touch, as the host interpreter sees it, against counts
 *
 * An observer of the interpreter collects what each access touches, for sub-groups of
 * TOUCHES_LANES, in sectors and lines of TOUCHES_SECTOR and TOUCHES_LINE bytes, and for
 * local memory in words of TOUCHES_BANKS banks.
 */
#ifndef GCAL_TESTS_KERNELS_COUNT_TRAFFIC_TOUCHES_H
#define GCAL_TESTS_KERNELS_COUNT_TRAFFIC_TOUCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/interpret/interpret.h"
#include "kernels/interpret/touches.h"
#include "tests/kernels/count/oracle/oracle.h"

enum { TOUCHES_LANES = 32, TOUCHES_SECTOR = 32, TOUCHES_LINE = 128, TOUCHES_BANKS = 32 };

enum touches_what {
    TOUCHES_SECTORS,
    TOUCHES_LOOP_SECTORS,
    TOUCHES_LINES,
    TOUCHES_BY_GROUP,
    TOUCHES_BY_LAUNCH,
    TOUCHES_PASSES, /* of local memory, all others are of global memory */
    TOUCHES_N_WHAT
};

/* Of atomic operations on elements of 4 bytes. */
enum touches_meeting {
    TOUCHES_ATOMIC_PASSES,
    TOUCHES_ATOMIC_ADDRESSES,
    TOUCHES_ATOMIC_SECTORS,
    TOUCHES_ATOMIC_SECTOR_PASSES,
    TOUCHES_ATOMIC_FOOTPRINT,
    TOUCHES_N_MEETINGS
};

struct touches {
    size_t n, capacity, n_sorted;
    struct gcal_interp_block *all;
};

struct touches_array {
    const void *base; /* NULL: all of local memory */
    const char *name;
    bool used[2];
    struct touches of[2][TOUCHES_N_WHAT]; /* by direction: loads, stores */
    struct touches atomics, updated; /* by execution, each lane; by launch or group */
};

struct touches_run {
    size_t n;
    struct touches_array *arrays; /* 'n', made and freed by the caller */
    bool failed;                  /* out of memory */
};

/* The observer, whose context is a run. */
void touches_observe(void *context, const struct gcal_interp_execution *e);
void touches_clear(struct touches_run *run);

/* Counts that are marked may be by a factor 'within' apart. */
struct touches_tally {
    double within;
    bool verbose; /* prints all, else what is wrong */
    size_t n_equal, n_near, n_wrong;
};

/* Compares all arrays, those with atomics by what meets there; -1 with 'err' for counts of no value. */
int touches_compare(const struct gcal_profile *p, size_t n_sizes,
                    const struct gcal_size *sizes, struct touches_run *run,
                    struct touches_tally *tally, struct gcal_error *err);

#endif
