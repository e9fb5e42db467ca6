/* choice.h - what choosing kernels on a device came to, from a member to the summary */
#ifndef GCAL_MPI_RANKS_CHOICE_H
#define GCAL_MPI_RANKS_CHOICE_H

#include "calib/base/wire.h"
#include "calib/plan/plan.h"

struct gcal_error;

struct gcal_choice {
    char *node, *device; /* the latter: its name */
    struct gcal_plan_choice choice;
};

void gcal_choice_put(struct gcal_buf *buf, const char *device,
                     const struct gcal_plan_choice *choice);
/* 'made' is to be cleared after -1, too. */
int gcal_choice_get(struct gcal_wire *wire, const char *node, struct gcal_choice *made,
                    struct gcal_error *err);
void gcal_choice_clear(struct gcal_choice *choice);

/* "chose 41 of 156 kernels: 4.1 s instead of about 14 s; worst standard error 1.9% (of
 * p_madd; wanted 2%)"; the caller's to free.
 */
char *gcal_choice_format(const struct gcal_plan_choice *choice);

#endif
