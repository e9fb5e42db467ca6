/* rank.c - the fastest of several kernels, for programs that choose a variant at run time, and
 * two of them compared
 */
#include <math.h>
#include <stdlib.h>

#include "calib/base/error.h"
#include "store/lib/private.h"
#include "store/predict/predictor.h"
#include "store/predict/ratio.h"

/* A variant as it is ordered. */
struct place {
    size_t index;
    int class; /* 0: covered; 1: some work has no cost; 2: not predicted */
    double time_s;
};

static int compare(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->class != y->class)
        return x->class - y->class;
    if (x->time_s != y->time_s)
        return x->time_s < y->time_s ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The first failure's reason goes to 'why'. */
static struct place predict(const struct gpucal_variant *v, size_t index,
                            struct gcal_error *why)
{
    struct place place = { .index = index, .class = 2, .time_s = INFINITY };
    struct gcal_error e = { 0 };
    struct gcal_prediction p;

    if (gcal_predictor_eval(v->model->predictor, v->sizes, &p, NULL, &e) < 0) {
        if (!why->code)
            *why = e;
        return place;
    }
    place.class = p.not_covered > GCAL_PREDICTOR_COVERED;
    place.time_s = p.time_s;
    return place;
}

/* That variant 'v' takes less time than the first of the order. */
static double probability(const struct gpucal_variant *v,
                          const struct gpucal_variant *first)
{
    struct gcal_ratio ratio;

    return gcal_ratio_predict(v->model->predictor, v->sizes, first->model->predictor,
                              first->sizes, &ratio, NULL) < 0
               ? NAN
               : ratio.faster;
}

API int gpucal_rank(struct gpucal_variant *variants, size_t count, size_t *order,
                    struct gpucal_error *err)
{
    struct place *places = calloc(count + 1, sizeof(*places));
    struct gcal_error e = { 0 };
    int rc = 0;

    if (!places) {
        gcal_error_memory(&e);
        return gpucal_error_from(err, &e);
    }
    for (size_t i = 0; i < count; i++)
        places[i] = predict(&variants[i], i, &e);
    qsort(places, count, sizeof(*places), compare);
    for (size_t i = 0; i < count; i++) {
        struct gpucal_variant *v = &variants[places[i].index];

        order[i] = places[i].index;
        v->time_s = places[i].time_s;
        v->is_covered = !places[i].class;
        v->faster = v == &variants[places[0].index] && v->is_covered
                        ? 0.5
                        : probability(v, &variants[places[0].index]);
    }
    if (!count)
        gcal_error_set(&e, GCAL_EINPUT, "there is no variant to rank");
    if (!count || places[0].class == 2)
        rc = gpucal_error_from(err, &e);
    free(places);
    return rc;
}

API int gpucal_compare(const struct gpucal_model *a, const double *a_sizes,
                       const struct gpucal_model *b, const double *b_sizes,
                       struct gpucal_ratio *ratio, struct gpucal_error *err)
{
    struct gcal_ratio r;
    struct gcal_error e;

    if (gcal_ratio_predict(a->predictor, a_sizes, b->predictor, b_sizes, &r, &e) < 0)
        return gpucal_error_from(err, &e);
    *ratio = (struct gpucal_ratio){ .ratio = r.ratio,
                                    .low = r.low,
                                    .high = r.high,
                                    .correlation = r.correlation,
                                    .faster = r.faster };
    return 0;
}

API int gpucal_fastest(const struct gpucal_variant *variants, size_t count, size_t which,
                       double *probability, struct gpucal_error *err)
{
    struct gcal_ratio_launch *launches = calloc(count + 1, sizeof(*launches));
    struct gcal_error e = { 0 };
    int rc = launches ? 0 : gcal_error_memory(&e);

    if (rc == 0 && which >= count)
        rc = gcal_error_set(&e, GCAL_EINPUT, "there is no variant %zu of %zu", which,
                            count);
    for (size_t i = 0; i < count && rc == 0; i++)
        launches[i] =
            (struct gcal_ratio_launch){ variants[i].model->predictor, variants[i].sizes };
    if (rc == 0)
        rc = gcal_ratio_fastest(launches, count, which, probability, &e);
    free(launches);
    return rc < 0 ? gpucal_error_from(err, &e) : 0;
}
