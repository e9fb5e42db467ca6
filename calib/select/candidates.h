/* candidates.h - microbenchmarks that may be measured (internal to calib/select) */
#ifndef GCAL_CALIB_SELECT_CANDIDATES_H
#define GCAL_CALIB_SELECT_CANDIDATES_H

#include <stdbool.h>

#include "calib/select/private.h"
#include "calib/select/rows.h"

/* The kernels of one variant. */
struct gcal_select_candidate {
    char *generator, *variant;
    struct gcal_select_rows rows;
    size_t n_kinds_of_work; /* in the largest kernel; few are better */
    bool taken;
};

struct gcal_select_candidates {
    size_t n, capacity;
    struct gcal_select_candidate *items;
};

/* The microbenchmarks of the catalogue with default arguments, for the data types of the
 * target kernels and the strides of the model's features.
 */
int gcal_select_candidates_find(struct gcal_select_candidates *c,
                                const struct gcal_catalogue *catalogue,
                                const struct gcal_model *costs,
                                const struct gcal_kernel_list *targets,
                                struct gcal_error *err);
void gcal_select_candidates_clear(struct gcal_select_candidates *c);

#endif
