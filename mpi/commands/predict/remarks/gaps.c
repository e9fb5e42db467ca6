/* gaps.c - work of a kernel that its model has no cost for, as text and as JSON */
#include "mpi/commands/predict/remarks/gaps.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/model/binding.h"
#include "store/predict/predictor.h"

/* The work at these sizes, the largest share first; NULL with 'err'. */
static struct gcal_binding_gap *find(const struct gcal_predictor *predictor,
                                     const double *sizes, size_t *n,
                                     struct gcal_error *err)
{
    struct gcal_binding_gap *gaps =
        calloc(gcal_predictor_gap_count(predictor) + 1, sizeof(*gaps));

    if (gaps)
        *n = gcal_predictor_gaps(predictor, sizes, gaps);
    else
        gcal_error_memory(err);
    return gaps;
}

int gcal_gaps_print(const struct gcal_predictor *predictor, const double *sizes,
                    struct gcal_error *err)
{
    struct gcal_binding_gap *gaps;
    const char *absent;
    double lack;
    size_t n;

    if (!(gaps = find(predictor, sizes, &n, err)))
        return -1;
    if (n)
        printf(
            "not covered: model %s has no cost for this work, which the time lacks and "
            "the interval allows for:\n",
            gcal_predictor_model(predictor));
    for (size_t i = 0; i < n; i++)
        printf("  %9.3g %% of all work: %.4g of %s\n", 100 * gaps[i].share, gaps[i].count,
               gaps[i].feature);
    free(gaps);
    if ((lack = gcal_predictor_lack(predictor, sizes, &absent)) > 0)
        printf("too little: the costs of model %s stand for work without a cost of its "
               "own, of which this kernel lacks %.3g %% of all work, mostly %s: the time "
               "may "
               "be too long, and the interval allows for it\n",
               gcal_predictor_model(predictor), 100 * lack, absent);
    return 0;
}

json_t *gcal_gaps_json(const struct gcal_predictor *predictor, const double *sizes,
                       struct gcal_error *err)
{
    struct gcal_binding_gap *gaps;
    json_t *list = json_array();
    size_t n;

    if (!(gaps = find(predictor, sizes, &n, err))) {
        json_decref(list);
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:f, s:f}", "feature", gaps[i].feature,
                                        "count", gaps[i].count, "share", gaps[i].share));
    free(gaps);
    return list;
}
