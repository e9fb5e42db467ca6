/* gaps.h - work of a kernel that its model has no cost for, as text and as JSON */
#ifndef GCAL_MPI_COMMANDS_PREDICT_REMARKS_GAPS_H
#define GCAL_MPI_COMMANDS_PREDICT_REMARKS_GAPS_H

#include <jansson.h>

struct gcal_error;
struct gcal_predictor;

/* Lines on standard output; none if all work is covered. */
int gcal_gaps_print(const struct gcal_predictor *predictor, const double *sizes,
                    struct gcal_error *err);
/* [{"feature": ..., "count": ..., "share": ...}, ...], the largest share first; NULL with
 * 'err'.
 */
json_t *gcal_gaps_json(const struct gcal_predictor *predictor, const double *sizes,
                       struct gcal_error *err);

#endif
