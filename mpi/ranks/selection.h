/* selection.h - the kernels chosen for a device (precision), from a member to the summary
 */
#ifndef GCAL_MPI_RANKS_SELECTION_H
#define GCAL_MPI_RANKS_SELECTION_H

#include "calib/base/wire.h"
#include "calib/plan/plan.h"

struct gcal_error;

struct gcal_selection {
    char *node, *device; /* names */
    struct gcal_plan_selection selection;
};

void gcal_selection_put(struct gcal_buf *buf, const char *device,
                        const struct gcal_plan_selection *selection);
/* Clear 'made' after -1 as well. */
int gcal_selection_get(struct gcal_wire *wire, const char *node,
                       struct gcal_selection *made, struct gcal_error *err);
void gcal_selection_clear(struct gcal_selection *selection);

/* "chose 41 of 156 kernels: 4.1 s instead of about 14 s; worst standard error 1.9% (of
 * p_madd; wanted 2%)"; the caller's to free.
 */
char *gcal_selection_format(const struct gcal_plan_selection *selection);

#endif
