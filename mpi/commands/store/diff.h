/* diff.h - tables and JSON of gpucal diff */
#ifndef GCAL_MPI_COMMANDS_STORE_DIFF_H
#define GCAL_MPI_COMMANDS_STORE_DIFF_H

#include <jansson.h>
#include <stdbool.h>

#include "calib/compare/compare.h"
#include "store/params/diff.h"

struct gcal_diff_view {
    const char *before, *after; /* the two files */
    double warn, fail;          /* relative slowdowns: a warning, a failure */
    bool all;                   /* equal ones as well */
};

/* GCAL_EDRIFT_WARN or GCAL_EDRIFT if something is slower, beyond noise and by more than
 * the limit; else GCAL_OK.
 */
int gcal_diff_params_status(const struct gcal_params_diff *diff,
                            const struct gcal_diff_view *view);
int gcal_diff_record_status(const struct gcal_compare_records *diff,
                            const struct gcal_diff_view *view);

void gcal_diff_params_print(const struct gcal_params_diff *diff,
                            const struct gcal_diff_view *view);
void gcal_diff_record_print(const struct gcal_compare_records *diff,
                            const struct gcal_diff_view *view);

json_t *gcal_diff_params_json(const struct gcal_params_diff *diff,
                              const struct gcal_diff_view *view);
json_t *gcal_diff_record_json(const struct gcal_compare_records *diff,
                              const struct gcal_diff_view *view);

#endif
