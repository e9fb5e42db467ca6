/* families.h - families whose kernels are tried one by one (internal to calib/)
 *
 * Nothing is prepared before it is asked for.  A ladder is climbed from its smallest rung
 * to the first that runs long enough; rungs above it are tried when they are wanted.
 */
#ifndef GCAL_CALIB_PLAN_FAMILIES_H
#define GCAL_CALIB_PLAN_FAMILIES_H

#include "calib/plan/private.h"

struct gcal_plan_family {
    const char *name;
    bool optional;               /* all its kernels are */
    size_t n_fixed, n_sizes;     /* done ones left out */
    size_t n_done, n_done_sizes; /* fixed ones; rungs */
    size_t *fixed, *sizes;       /* kernels; rungs: smallest first */
    size_t n_tried;              /* rungs */
    size_t n_chosen;             /* rungs that are or were measured, done ones too */
    bool ended;                  /* no further rung is to be tried */
    bool opened;                 /* a kernel of it was tried */
    bool checked;
    struct gcal_plan_verdict verdict;
};

struct gcal_plan_families {
    struct gcal_plan *plan;
    const struct gcal_kernel_list *kernels;
    size_t n, n_opened;
    struct gcal_plan_family *families;
    size_t *family_of;          /* by kernel */
    struct gcal_plan_row **row; /* by kernel; NULL: not tried */
};

int gcal_plan_families_init(struct gcal_plan_families *f, struct gcal_plan *plan,
                            const struct gcal_kernel_list *kernels);
void gcal_plan_families_clear(struct gcal_plan_families *f);

/* Whether the kernel may be tried or, where it is tried, measured. */
bool gcal_plan_families_offers(const struct gcal_plan_families *f, size_t kernel);

/* Prepares the kernel and what must be tried before it, and checks its family: its row is
 * then among those that rounds measure.  Of a ladder that was not climbed, this may be
 * another rung.  What cannot be measured is finished, or is no longer offered.
 */
int gcal_plan_families_take(struct gcal_plan_families *f, size_t kernel);

/* Measures a family whole, as a plan without choice. */
int gcal_plan_families_take_all(struct gcal_plan_families *f,
                                struct gcal_plan_family *family);

#endif
